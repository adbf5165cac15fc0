#include "report/stacks/data.h"
#include "report/page/code.h"

enum { MAX_FUNCTIONS = 200, MAX_INSNS = 150000, MAX_LINES_APART = 400, LINES_AROUND = 3 };

/* A source file, and the lines of it that functions refer to. */
struct page_file {
	struct source_file *file;
	VEC(uint32_t) lines;
};
struct page_code {
	const struct stacks *stacks;
	const struct page_code_opts *opts;
	struct hot *hot;
	uint32_t event;
	bool source;
	VEC(struct page_file) files;
	size_t n_insns;
	struct json json; /* writes to text; its members begin with "code" */
	struct out text;
};

/* ---- functions ---- */

/* Return the number of a function's name in the stacks, 0 = no stack has it. */
static uint32_t name_of(const struct page_code *c, size_t function)
{
	static const char *const marks[] = { "", "_[k]", "_[j]" };
	uint32_t found = 0;
	struct out name;

	out_init_mem(&name);
	for (size_t i = 0; i < ARRAY_SIZE(marks) && !found; i++) {
		name.len = 0;
		stack_function_name(&name, hot_name(c->hot, function), marks[i]);
		found = strtab_find(&c->stacks->texts, out_text(&name));
	}
	out_release(&name);
	return found;
}

static uint32_t file_number(struct page_code *c, struct source_file *f)
{
	for (uint32_t i = 0; i < c->files.len; i++)
		if (c->files.items[i].file == f)
			return i;
	vec_push(&c->files, (struct page_file){ .file = f });
	return (uint32_t)c->files.len - 1;
}

static void print_text(struct json *j, const char *key, const char *text, size_t len)
{
	struct out escaped;

	out_init_mem(&escaped);
	for (size_t i = 0, from = 0; i <= len; i++) { /* expand tabs, and escape the rest, which is foreign text */
		if (i < len && text[i] != '\t')
			continue;
		out_name_len(&escaped, text + from, i - from);
		if (i < len)
			out_str(&escaped, "    ");
		from = i + 1;
	}
	json_text(j, key, out_text(&escaped));
	out_release(&escaped);
}

static uint64_t weight_of(const struct page_code *c, const struct event_total *sum)
{
	return c->opts->count_samples ? sum->samples : sum->period;
}

/* Print [offset,weight,"text",target or -1], or, if the source line is known, [...,target or -1,file,line]. */
static void print_insn(struct page_code *c, const struct annotation *a, uint32_t i)
{
	const struct annot_insn *in = &a->insns.items[i];
	bool lined = c->source && in->line && in->file < a->files.len;
	struct out text;

	out_init_mem(&text);
	annotation_short_text(a, i, &text);
	json_array(&c->json, NULL);
	json_unsigned(&c->json, NULL, in->offset);
	json_unsigned(&c->json, NULL, weight_of(c, annotation_sum(a, i, c->event)));
	print_text(&c->json, NULL, text.buf, text.len);
	json_number(&c->json, NULL, in->target == NO_TARGET ? -1 : (int)in->target);
	if (lined) {
		uint32_t file = file_number(c, a->files.items[in->file]);

		vec_push(&c->files.items[file].lines, in->line);
		json_unsigned(&c->json, NULL, file);
		json_unsigned(&c->json, NULL, in->line);
	}
	json_end(&c->json, "]");
	out_release(&text);
}

static void print_function(struct page_code *c, struct annotator *by, uint32_t function)
{
	uint32_t name = name_of(c, function), dso = c->hot->functions.items[function].dso;
	struct err e = { 0 };
	struct annotation *a = name ? annotation_new(by, function, &e) : NULL;

	if (!a)
		return;
	json_newline(&c->json);
	json_object(&c->json, NULL);
	json_unsigned(&c->json, "name", name);
	print_text(&c->json, "object", dso_short_name(c->hot->session->symbols, dso),
		   strlen(dso_short_name(c->hot->session->symbols, dso)));
	json_unsigned(&c->json, "weight", weight_of(c, hot_sum(c->hot, function, c->event)));
	json_array(&c->json, "insns");
	for (uint32_t i = 0; i < a->insns.len; i++)
		print_insn(c, a, i);
	json_end(&c->json, "]}");
	c->n_insns += a->insns.len;
	annotation_free(a);
}

/* ---- source ---- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void print_line(struct json *j, const struct source_file *f, uint32_t line)
{
	char number[16];
	size_t len;
	const char *text = source_line(f, line, &len);

	if (!text)
		return;
	snprintf(number, sizeof(number), "%u", line);
	print_text(j, number, text, len);
}

/* Print the lines of instructions, a few lines around each, and all lines between two that are near each other. */
static void print_file(struct page_code *c, struct page_file *f)
{
	uint32_t done = 0;

	qsort(f->lines.items, f->lines.len, sizeof(*f->lines.items), by_number);
	json_object(&c->json, NULL);
	print_text(&c->json, "name", f->file->name, strlen(f->file->name));
	json_object(&c->json, "lines");
	for (size_t i = 0; i < f->lines.len; i++) {
		uint32_t line = f->lines.items[i], from = line > LINES_AROUND ? line - LINES_AROUND : 1;

		if (done && line - done < MAX_LINES_APART)
			from = done + 1;
		for (uint32_t k = MAX(from, done + 1); k <= line + LINES_AROUND; k++)
			print_line(&c->json, f->file, k);
		done = MAX(done, line + LINES_AROUND);
	}
	json_end(&c->json, "}}");
}

/* ---- the JSON text ---- */

static uint32_t event_of(const struct page_code *c, const struct session *s)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < s->pd->n_events; i++) {
		if (*c->stacks->event && !strcmp(s->pd->events[i].name, c->stacks->event))
			return i;
		if (c->hot->totals[i].samples > c->hot->totals[best].samples)
			best = i;
	}
	return best;
}

static void count_places(struct page_code *c, struct session *s)
{
	struct profile_opts opts = {
		.kind = PROFILE_SAMPLES, .want_names = true, .keep_places = true, .no_notes = true, .no_quality = true
	};
	struct profile *p = profile_new(s, &opts, c->opts->filter);

	profile_decode(p);
	profile_name(p);
	c->hot = hot_new(p);
	profile_free(p);
}

static void print_functions(struct page_code *c, struct session *s)
{
	struct annotator by = { .opts = { .lines = true }, .hot = c->hot };
	size_t n;
	autofree uint32_t *order = hot_order(c->hot, c->event, &n);

	by.sources.opts.root = symbols_root(s->symbols);
	by.sources.opts.bundled = s->symbols;
	by.sources.opts.bundle_only = !c->opts->source;
	json_array(&c->json, "code");
	for (size_t i = 0; i < MIN(n, (size_t)MAX_FUNCTIONS) && c->n_insns < MAX_INSNS; i++)
		print_function(c, &by, order[i]);
	json_end(&c->json, "]");
	json_newline(&c->json);
	json_array(&c->json, "files");
	for (size_t i = 0; i < c->files.len; i++)
		print_file(c, &c->files.items[i]);
	json_end(&c->json, "]");
	annotator_release(&by);
}

struct page_code *page_code_new(struct session *s, const struct stacks *st, const struct page_code_opts *opts)
{
	struct page_code *c;

	if (!s || (!opts->code && !opts->source && !symbols_bundles_code(s->symbols)))
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->stacks = st;
	c->opts = opts;
	c->source = opts->source || symbols_bundles_source(s->symbols);
	out_init_mem(&c->text);
	c->json = json_compact(&c->text);
	count_places(c, s);
	c->event = event_of(c, s);
	print_functions(c, s);
	return c;
}

void page_code_free(struct page_code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->files.len; i++)
		vec_free(&c->files.items[i].lines);
	vec_free(&c->files);
	out_release(&c->text);
	hot_free(c->hot);
	free(c);
}

void page_code_write(const struct page_code *c, struct json *to)
{
	json_newline(to);
	json_members(to, &c->text);
}
