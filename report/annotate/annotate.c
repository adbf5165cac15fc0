/* The code of a function: instructions, targets of jumps, source lines, and the samples at each. */
#include "report/annotate/annotate.h"

#include <sys/stat.h>

#include "base/search.h"
#include "report/annotate/annotate_priv.h"

enum { MAX_FUNCTION = 8 << 20, MAX_INSNS_WITH_SOURCE = 1 << 17, MAX_INLINED = 64, MAX_SOURCE_FILES = UINT16_MAX };

void annotator_release(struct annotator *a) { sources_release(&a->sources); }

static const struct hot_function *function_of(const struct annotation *a)
{
	return &a->hot->functions.items[a->function];
}

static struct symbols *symbols_of(const struct annotation *a) { return a->hot->session->symbols; }

/* ---- instructions ---- */

static void decode_all(struct annotation *a)
{
	struct code_cursor at = { a->code.bytes, a->code.len, a->code.address };
	struct insn insn;

	while (disasm_next(a->disasm, &at, &insn))
		vec_push(&a->insns, (struct annot_insn){ .offset = (uint32_t)(insn.address - a->code.address),
							 .size = insn.size,
							 .kind = insn.kind,
							 .bad = insn.bad,
							 .target = NO_TARGET });
}

uint32_t annotation_find(const struct annotation *a, uint64_t address)
{
	uint64_t offset = address + a->code.shift - a->code.address;
	size_t n;

	if (offset >= a->code.len || !a->insns.len)
		return NO_TARGET;
	n = search_count(i, a->insns.len, a->insns.items[i].offset <= offset);
	return n ? (uint32_t)n - 1 : 0;
}

static void set_target(struct annotation *a, uint32_t from, uint64_t address)
{
	uint32_t to = annotation_find(a, address - a->code.shift);

	if (to == NO_TARGET || annotation_address(a, to) != address)
		return;
	a->insns.items[from].target = to;
	a->n_targets += !a->insns.items[to].is_target;
	a->insns.items[to].is_target = true;
}

static void find_targets(struct annotation *a)
{
	for (uint32_t i = 0; i < a->insns.len; i++) {
		struct insn insn;

		if (a->insns.items[i].kind != INSN_JUMP && a->insns.items[i].kind != INSN_JUMP_IF)
			continue;
		annotation_decode(a, i, &insn);
		if (insn.has_target)
			set_target(a, i, insn.target);
	}
}

void annotation_decode(const struct annotation *a, uint32_t i, struct insn *out)
{
	const struct annot_insn *in = &a->insns.items[i];
	struct code_cursor at = { a->code.bytes + in->offset, a->code.len - in->offset, a->code.address + in->offset };

	disasm_next(a->disasm, &at, out);
}

/* ---- counts ---- */

/* A sample between two instructions counts for the earlier one, so that no sample is lost. */
static void count_hits(struct annotation *a)
{
	const struct hot_function *f = function_of(a);

	a->sums = xcalloc(a->insns.len * a->hot->n_events, sizeof(*a->sums));
	a->outside = xcalloc(a->hot->n_events, sizeof(*a->outside));
	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct hit *hit = &a->hot->hits.items[i];
		uint32_t insn = annotation_find(a, hit->address);
		struct event_total *t =
			insn == NO_TARGET ? &a->outside[hit->event] : &a->sums[insn * a->hot->n_events + hit->event];

		t->samples += hit->samples;
		t->period += hit->period;
	}
}

/* ---- source lines ---- */

/*
 * Where an instruction came from: the line in the function itself, then the lines in functions
 * inlined there.
 */
struct origin {
	size_t n;
	struct {
		const char *name, *file;
		uint32_t line;
	} at[MAX_INLINED + 1];
};

static void find_origin(const struct annotation *a, uint64_t address, struct origin *o)
{
	const struct hot_function *f = function_of(a);
	struct symbols *s = symbols_of(a);
	struct inline_frame frames[MAX_INLINED];
	struct source_line outer = { 0 };
	uint64_t dso_off = dso_offset(s, f->dso, address);
	size_t n = dso_inlines(s, f->dso, dso_off, frames, MAX_INLINED, &outer);

	if (!n && !outer.file)
		dso_source_line(s, f->dso, dso_off, &outer);
	o->n = n + 1;
	o->at[0].name = NULL;
	o->at[0].file = outer.file;
	o->at[0].line = outer.line;
	for (size_t i = 0; i < n; i++) {
		o->at[n - i].name = frames[i].name ? frames[i].name : "?";
		o->at[n - i].file = frames[i].at.file;
		o->at[n - i].line = frames[i].at.line;
	}
}

static bool same_place(const struct origin *x, const struct origin *y, size_t i)
{
	return x->at[i].line == y->at[i].line &&
	       (x->at[i].file == y->at[i].file ||
		(x->at[i].file && y->at[i].file && !strcmp(x->at[i].file, y->at[i].file)));
}

static bool same_name(const char *x, const char *y) { return x == y || (x && y && !strcmp(x, y)); }

/* Return the number of the file; UINT16_MAX if there is no name, or if there are too many files. */
static uint16_t file_number(struct annotation *a, const char *name)
{
	struct source_file *f;

	if (!name)
		return UINT16_MAX;
	for (size_t i = a->files.len; i-- > 0;) /* few files, mostly headers */
		if (!strcmp(a->files.items[i]->name, name))
			return (uint16_t)i;
	if (a->files.len == MAX_SOURCE_FILES)
		return UINT16_MAX;
	f = sources_get(&a->by->sources, name);
	if (!f->dso)
		f->dso = function_of(a)->dso;
	vec_push(&a->files, f);
	return (uint16_t)(a->files.len - 1);
}

static uint32_t keep_text(struct annotation *a, const char *text)
{
	uint32_t at = (uint32_t)a->texts.len;

	out_mem(&a->texts, text, strlen(text) + 1);
	return at;
}

/*
 * Add a row for a source line. If only a few lines lie between the last shown line and this one, add them, too: they
 * are declarations, braces and comments. Do not repeat lines that were shown before, except this line.
 */
static void add_lines(struct annotation *a, uint16_t file, uint32_t line, uint32_t *shown)
{
	enum { GAP = 6 };
	uint32_t from = *shown && line > *shown && line - *shown <= GAP ? *shown + 1 : line;

	for (; from <= line; from++)
		vec_push(&a->rows, (struct annot_row){ .kind = ROW_SOURCE, .file = file, .n = from });
	*shown = MAX(*shown, line);
}

static void add_origin_rows(struct annotation *a, const struct origin *now, const struct origin *before,
			    uint32_t *shown)
{
	bool same = true;

	for (size_t i = 0; i < now->n; i++) {
		bool entered = !same || i >= before->n || !same_name(now->at[i].name, before->at[i].name);
		bool moved = entered || !same_place(now, before, i);
		uint16_t file;

		if (entered && now->at[i].name)
			vec_push(&a->rows,
				 (struct annot_row){ .kind = ROW_INLINED, .n = keep_text(a, now->at[i].name) });
		file = moved && now->at[i].line ? file_number(a, now->at[i].file) : UINT16_MAX;
		if (file != UINT16_MAX) {
			uint32_t none = 0;

			add_lines(a, file, now->at[i].line, i ? &none : shown);
		}
		same &= !moved;
	}
}

/* Make the rows: instructions, with source lines where they change. */
static void make_rows(struct annotation *a)
{
	bool source = a->by->opts.source && a->insns.len <= MAX_INSNS_WITH_SOURCE;
	bool lines = source || (a->by->opts.lines && a->insns.len <= MAX_INSNS_WITH_SOURCE);
	struct origin *now = xcalloc(2, sizeof(*now)), *before = now + 1, *swap;
	struct origin *memory = now;
	uint32_t shown = 0;

	if (lines && a->by->opts.few)
		dso_expect_near(symbols_of(a), function_of(a)->dso,
				dso_offset(symbols_of(a), function_of(a)->dso, function_of(a)->start));
	for (uint32_t i = 0; i < a->insns.len; i++) {
		struct annot_insn *in = &a->insns.items[i];

		if (lines) {
			find_origin(a, annotation_address(a, i) - a->code.shift, now);
			in->line = now->at[now->n - 1].line;
			in->file = in->line ? file_number(a, now->at[now->n - 1].file) : UINT16_MAX;
		}
		if (source) {
			add_origin_rows(a, now, before, &shown);
			swap = now;
			now = before;
			before = swap;
		}
		in->row = (uint32_t)a->rows.len;
		vec_push(&a->rows, (struct annot_row){ .kind = ROW_INSN, .n = i });
	}
	free(memory);
}

/* ---- all of it ---- */

struct annotation *annotation_new(struct annotator *by, size_t function, struct err *e)
{
	struct annotation *a = xcalloc(1, sizeof(*a));
	const struct hot_function *f;
	struct err own = { 0 };
	int rc;

	a->by = by;
	a->hot = by->hot;
	a->function = function;
	out_init_mem(&a->texts);
	out_char(&a->texts, 0);
	f = function_of(a);
	rc = dso_code(symbols_of(a), f->dso, f->start, MIN(f->end - f->start, (uint64_t)MAX_FUNCTION), &a->code, &own);
	if (!rc && by->opts.objdump) {
		rc = objdump_read(a, &own);
	} else if (!rc) {
		a->code.target.syntax = by->opts.syntax;
		a->disasm = disasm_open(&a->code.target, &own);
		rc = a->disasm ? 0 : -1;
		if (a->disasm) {
			decode_all(a);
			find_targets(a);
		}
	}
	if (rc < 0) {
		annotation_free(a);
		if (e)
			*e = own;
		return NULL;
	}
	count_hits(a);
	make_rows(a);
	return a;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

const struct source_file *annotator_newer_source(const struct annotator *by, size_t function)
{
	const struct hot_function *f = &by->hot->functions.items[function];
	const struct source_file *newer = NULL;
	struct code code = { 0 };
	struct stat program, source;

	if (dso_code(by->hot->session->symbols, f->dso, f->start, 1, &code, &(struct err){ 0 }) < 0)
		return NULL;
	if (code.from && !stat(code.from, &program))
		for (size_t i = 0; i < by->sources.files.len && !newer; i++) {
			const struct source_file *s = by->sources.files.items[i];

			if (s->text && (!s->dso || s->dso == f->dso) && !stat(s->path, &source) &&
			    is_later(&source.st_mtim, &program.st_mtim))
				newer = s;
		}
	code_release(&code);
	return newer;
}

void annotation_free(struct annotation *a)
{
	if (!a)
		return;
	code_release(&a->code);
	disasm_close(a->disasm);
	vec_free(&a->insns);
	vec_free(&a->rows);
	vec_free(&a->files);
	out_release(&a->texts);
	free(a->sums);
	free(a->outside);
	free(a);
}

/* ---- shares ---- */

static const char *const percent_types[] = { "local period", "global period", "local hits", "global hits" };

const char *percent_type_name(enum percent_type t) { return percent_types[t]; }

int percent_type_parse(const char *text, enum percent_type *t, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(percent_types); i++) {
		size_t len = strcspn(percent_types[i], " ");

		/* either word may come first, as in perf */
		if ((!strncmp(text, percent_types[i], len) && text[len] == '-' &&
		     !strcmp(text + len + 1, percent_types[i] + len + 1)) ||
		    (!strncmp(text, percent_types[i] + len + 1, strlen(percent_types[i] + len + 1)) &&
		     text[strlen(percent_types[i] + len + 1)] == '-' &&
		     !strncmp(text + strlen(percent_types[i] + len + 1) + 1, percent_types[i], len) &&
		     strlen(text) == strlen(percent_types[i]))) {
			*t = (enum percent_type)i;
			return 0;
		}
	}
	err_set(e, "there is no percent type '%s'", text);
	err_try(e, "local-period, global-period, local-hits or global-hits");
	return err_exit(e, EXIT_BAD_USAGE);
}

double annotation_percent(const struct annotation *a, enum percent_type t, uint32_t event,
			  const struct event_total *sum)
{
	bool global = t == PERCENT_GLOBAL_PERIOD || t == PERCENT_GLOBAL_HITS,
	     hits = t == PERCENT_LOCAL_HITS || t == PERCENT_GLOBAL_HITS;
	const struct event_total *of = global ? &a->hot->totals[event] : hot_sum(a->hot, a->function, event);
	uint64_t whole = hits ? of->samples : of->period;

	return whole ? 100.0 * (double)(hits ? sum->samples : sum->period) / (double)whole : 0;
}
