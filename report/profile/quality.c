/* Count what is unknown or guessed in a profile, and why. */
#include "report/profile/quality.h"

#include <stdatomic.h>

#include "base/parallel.h"
#include "report/profile/profile_priv.h"

/* What we need to know about a frame. Workers find out `skips` and `begins` when they need them. */
enum { UNASKED, NO, YES };
struct fact {
	uint8_t why, line;      /* enum reason: why its name is missing, why its line is missing */
	bool user, mapped;      /* it is in user space; it lies in an object */
	bool nameless;          /* it lies in an object, but has no symbol there */
	_Atomic uint8_t skips;  /* a chain of frame pointers may lead past its caller */
	_Atomic uint8_t begins; /* a thread or program begins here */
};

/* What we found out about a chain, and the samples of all chains with the same findings. */
struct verdict {
	struct chain_end end, names;
	uint64_t samples;
};

struct summer {
	struct profile *p;
	const uint32_t *symbols;
	struct fact *facts;       /* by frame of the profile */
	bool lines_known;         /* sites have their line */
	uint32_t *const *maps;    /* by part: its frames -> those of the profile */
	const uint32_t *n_frames; /* by part */
	struct quality *sums;     /* by part */
};

/* ---- frames ---- */

/* Return the reason when nothing is mapped at the address. */
static enum reason unmapped(const struct session *s, const struct frame *f)
{
	switch (f->mode) {
	case CPUMODE_KERNEL: return s->has_kernel_map ? REASON_NOT_MAPPED : REASON_KALLSYMS_HIDDEN;
	case CPUMODE_GUEST_KERNEL:
	case CPUMODE_GUEST_USER: return REASON_GUEST_KERNEL;
	}
	return s->notes.lost ? REASON_LOST_MAP : s->notes.proc_map_timeouts ? REASON_MAPS_TIMEOUT : REASON_NOT_MAPPED;
}

static struct fact judge_frame(const struct summer *q, uint32_t frame)
{
	const struct profile *p = q->p;
	const struct frame *f = &p->frames.items[frame];
	struct symbols *s = p->session->symbols;
	struct fact fact = { 0 };
	enum reason problem;

	if (f->dso == DSO_UNKNOWN)
		return (struct fact){ .why = (uint8_t)unmapped(p->session, f) };
	if (!q->symbols[frame])
		return (struct fact){ .why = (uint8_t)dso_why_unnamed(s, f->dso) };
	problem = dso_reason(s, f->dso);
	if (reasons[problem].guess)
		fact.why = (uint8_t)problem;
	if (!dso_has_lines(s, f->dso))
		fact.line = REASON_NO_DEBUG_INFO;
	else if (q->lines_known && !p->sites.items[p->leaf_sites.items[frame]].line_file)
		fact.line = REASON_NO_LINE;
	return fact;
}

/* Go object by object: the frames of an object are adjacent, often thousands of them. */
static void judge_frames(struct summer *q)
{
	const struct profile *p = q->p;
	struct fact named = { 0 };
	uint32_t last = DSO_UNKNOWN;

	for (uint32_t i = 1; i < p->frames.len; i++) {
		uint32_t dso = p->frames.items[i].dso;
		bool user = p->frames.items[i].mode == CPUMODE_USER;

		if (!q->symbols[i] || dso == DSO_UNKNOWN || q->lines_known) {
			q->facts[i] = judge_frame(q, i);
		} else {
			if (dso != last)
				named = judge_frame(q, i);
			last = dso;
			q->facts[i] = named;
		}
		q->facts[i].user = user;
		q->facts[i].mapped = dso != DSO_UNKNOWN;
		q->facts[i].nameless = dso != DSO_UNKNOWN && !q->symbols[i];
	}
}

/* ---- questions ---- */

/*
 * The questions that a frame raises for its chain: why has it no name, why does it lie in no object, does the chain
 * lead past its caller? There is a byte for each frame of the part, so that most chains need one look at each frame.
 */
enum { ASK_NAME = 1, ASK_MAP = 2, ASK_CALLER = 4 };

/* The part that a worker judges. */
struct judge {
	const struct summer *q;
	const struct part *part;
	const uint32_t *map; /* its frames -> those of the profile */
	uint8_t *asks;       /* by frame of the part */
	uint8_t *broken;     /* by frame of the part: why chains break off there; 0: not known yet */
	VEC(struct verdict) verdicts;
	struct idtable index; /* of the verdicts */
};

static void find_questions(struct judge *j, size_t n_frames)
{
	j->asks = xcalloc(n_frames, 1);
	j->broken = xcalloc(n_frames, 1);
	for (size_t i = 0; i < n_frames; i++) {
		const struct fact *f = &j->q->facts[j->map[i]];

		j->asks[i] = (uint8_t)((f->nameless ? ASK_NAME : 0) | (f->user && !f->mapped ? ASK_MAP : 0) |
				       (f->user ? ASK_CALLER : 0));
	}
}

/* The questions that the frames of a chain raise, and the first frame that raises each; the innermost needs no name. */
struct asked {
	uint8_t what;
	uint32_t first_name, first_map;
};

static struct asked look_at_chain(const struct judge *j, const uint32_t *words, uint32_t n)
{
	struct asked a = { .what = n ? j->asks[words[0]] & (ASK_MAP | ASK_CALLER) : 0 };

	for (uint32_t i = 1; i < n; i++) {
		uint8_t new = j->asks[words[i]] & (uint8_t)~a.what;

		if (__builtin_expect(!new, 1))
			continue;
		if (new &ASK_NAME)
			a.first_name = i;
		if (new &ASK_MAP)
			a.first_map = i;
		a.what |= new;
	}
	return a;
}

/* ---- stacks ---- */

static bool starts(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/*
 * Functions where threads and programs begin, in C libraries, in Go and in the kernel. These are prefixes, because
 * compilers append to names.
 */
static const char *const entries[] = {
	"_start",         "__libc_start_",  "__libc_init_first", "libc_start_main",    "clone",
	"__clone",        "start_thread",   "thread_start",      "_dl_start",          "__start",
	"runtime.goexit", "runtime.mstart", "runtime.rt0_go",    "runtime.asmcgocall", "_rt0_",
	"ret_from_fork",
};

static bool is_entry(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (starts(name, entries[i]))
			return true;
	return false;
}

/*
 * Is this a C library or dynamic linker without its own symbols? Then its start code has the name of an exported
 * function, or none.
 */
static bool is_runtime(struct symbols *s, uint32_t dso)
{
	return dso_is_c_library(s, dso) && dso_reason(s, dso) != REASON_NONE;
}

/*
 * Tell whether a thread or program begins in this frame. A C library that has only exported names
 * has no symbol for its start code. But compilers keep the order of a source file, and there the
 * start code comes right before the exported function of the same file.
 */
static bool look_for_begin(const struct summer *q, uint32_t frame)
{
	enum { NEAR = 4096 };
	static const char *const neighbours[] = { "__libc_start_main", "pthread_create", "__pthread_create" };
	struct symbols *s = q->p->session->symbols;
	const struct frame *f = &q->p->frames.items[frame];
	const struct symbol *next;
	const char *name;
	uint32_t after;

	if (f->dso == DSO_UNKNOWN)
		return false;
	if (q->symbols[frame] && is_entry(symbol_name(s, f->dso, q->symbols[frame])))
		return true;
	if (!is_runtime(s, f->dso) || !(after = dso_find_after(s, f->dso, f->dso_off)))
		return false;
	next = dso_symbol(s, f->dso, after);
	name = symbol_name(s, f->dso, after);
	for (size_t i = 0; next->start - dso_address(s, f->dso, f->dso_off) < NEAR && i < ARRAY_SIZE(neighbours); i++)
		if (starts(name, neighbours[i]))
			return true;
	return false;
}

/* The same as look_for_begin(), but look only once for each frame. */
static bool begins(const struct summer *q, uint32_t frame)
{
	_Atomic uint8_t *known = &q->facts[frame].begins;
	uint8_t answer = atomic_load_explicit(known, memory_order_relaxed);

	if (answer == UNASKED) {
		answer = look_for_begin(q, frame) ? YES : NO;
		atomic_store_explicit(known, answer, memory_order_relaxed);
	}
	return answer == YES;
}

/*
 * Return the maximum depth of the kernel's chains. Source: perf_event_open(2), sample_max_stack;
 * kernel.perf_event_max_stack.
 */
static uint32_t depth_limit(const struct profile *p, uint32_t event)
{
	uint32_t recorded = p->session->pd->events[event].attr.sample_max_stack;

	return MIN(p->opts.max_stack, recorded ? recorded : 127u);
}

/* Tell whether this is the innermost frame of user space. */
static bool is_innermost(const struct judge *j, const uint32_t *words, size_t i)
{
	return !i || !j->q->facts[j->map[words[i - 1]]].user;
}

/*
 * Tell whether the chain leads past the caller of frame `words[i]`, which has a caller in the
 * chain.
 */
static bool skips_caller(const struct judge *j, const uint32_t *words, size_t i)
{
	struct fact *fact = &j->q->facts[j->map[words[i]]];
	uint8_t answer = atomic_load_explicit(&fact->skips, memory_order_relaxed);

	if (answer == UNASKED) {
		const struct frame *f = &j->q->p->frames.items[j->map[words[i]]];
		bool leaf = is_innermost(j, words, i);

		answer = unwind_skips_caller(j->q->p->session->symbols, f->dso, f->dso_off - !leaf) ? YES : NO;
		atomic_store_explicit(&fact->skips, answer, memory_order_relaxed);
	}
	if (answer == NO)
		j->asks[words[i]] &= (uint8_t)~ASK_CALLER;
	return answer == YES;
}

/* Judge a chain that ends well: are callers missing inside it? */
static struct chain_end judge_callers(const struct judge *j, const uint32_t *words, size_t n)
{
	struct chain_end end = { 0 };

	for (size_t i = 0; i + 1 < n; i++) {
		if (!(j->asks[words[i]] & ASK_CALLER) || !skips_caller(j, words, i))
			continue;
		end = (struct chain_end){ .why = is_innermost(j, words, i) ? REASON_LEAF_SKIPPED
									   : REASON_CALLER_SKIPPED,
					  .dso = j->q->p->frames.items[j->map[words[i]]].dso };
		if (end.why == REASON_CALLER_SKIPPED) /* the code could have been compiled with frame pointers */
			break;
	}
	return end;
}

/*
 * Judge a chain whose outermost frame is not known to be a start. In a program without symbols it may be the start, but
 * we cannot know. A library has no start.
 */
static struct chain_end broken_off(const struct judge *j, uint32_t frame)
{
	uint32_t outermost = j->map[frame], dso = j->q->p->frames.items[outermost].dso;
	struct symbols *s = j->q->p->session->symbols;

	if (!j->broken[frame])
		j->broken[frame] = !j->q->symbols[outermost] && dso_kind(s, dso) == DSO_KIND_FILE &&
						   !strstr(dso_short_name(s, dso), ".so")
					   ? j->q->facts[outermost].why
					   : REASON_NO_FRAME_POINTER;
	return (struct chain_end){ .why = j->broken[frame], .dso = dso };
}

/*
 * Judge a chain that the kernel found by frame pointers. Nothing says where it should have ended. It is complete if its
 * outermost frame is one where threads begin, and all other frames keep frame pointers. If code keeps no frame
 * pointers, the chain leads to addresses that are no code, or it ends anywhere.
 */
static struct chain_end judge_pointers(const struct judge *j, const uint32_t *words, size_t n, struct asked asked,
				       uint32_t limit)
{
	const struct summer *q = j->q;
	const struct profile *p = q->p;
	const uint32_t outermost = j->map[words[n - 1]];
	const struct frame *last = &p->frames.items[outermost];
	uint32_t symbol = q->symbols[outermost];

	if (last->mode != CPUMODE_USER)
		return (struct chain_end){ 0 };
	if (n >= limit)
		return (struct chain_end){ .why = REASON_DEPTH_LIMIT, .dso = last->dso };
	if (asked.what & ASK_MAP) {
		uint32_t i = asked.first_map;

		if (is_innermost(j, words, i) || p->session->notes.lost)
			return (struct chain_end){ .why = q->facts[j->map[words[i]]].why };
		return (struct chain_end){ .why = REASON_NO_FRAME_POINTER,
					   .dso = p->frames.items[j->map[words[i - 1]]].dso };
	}
	/*
	 * A program's start function may have no name; then look at the function of the C library
	 * that it called.
	 */
	if (begins(q, outermost) || (!symbol && n > 1 && begins(q, j->map[words[n - 2]])))
		return asked.what & ASK_CALLER ? judge_callers(j, words, n) : (struct chain_end){ 0 };
	return broken_off(j, words[n - 1]);
}

static struct chain_end judge_end(const struct judge *j, uint32_t chain, struct asked asked, uint32_t event)
{
	const struct profile *p = j->q->p;
	const struct chain *c = &j->part->chains.items[chain];
	const uint32_t *words = j->part->words.items + c->at;
	struct chain_end end = j->part->chain_ends.items[chain];

	if (!end.unwound)
		return judge_pointers(j, words, c->n, asked, depth_limit(p, event));
	if (end.why == REASON_NO_UNWIND_INFO || end.why == REASON_STACK_BROKEN) {
		const struct frame *last = &p->frames.items[j->map[words[c->n - 1]]];
		uint32_t symbol = j->q->symbols[j->map[words[c->n - 1]]];

		/* unwind tables need not mark the start code of a program as outermost */
		if (last->dso == end.dso && (symbol ? is_entry(symbol_name(p->session->symbols, last->dso, symbol))
						    : is_runtime(p->session->symbols, last->dso)))
			end.why = REASON_NONE;
	}
	if (end.why == REASON_NO_FILE)
		end.why = (uint8_t)dso_why_unnamed(p->session->symbols, end.dso);
	else if (end.why == REASON_NOT_MAPPED)
		end.why = (uint8_t)unmapped(p->session, &(struct frame){ .mode = CPUMODE_USER });
	return end;
}

/*
 * Return why the innermost caller without a name has none, although it lies in a file. No reason: all callers have
 * names, or lie in no file.
 */
static struct chain_end judge_names(const struct judge *j, const uint32_t *words, struct asked asked)
{
	uint32_t dso;

	if (!(asked.what & ASK_NAME))
		return (struct chain_end){ 0 };
	dso = j->q->p->frames.items[j->map[words[asked.first_name]]].dso;
	return (struct chain_end){ .why = (uint8_t)dso_why_unnamed(j->q->p->session->symbols, dso), .dso = dso };
}

/* Return the number + 1 of the verdict about a chain. */
static uint32_t judge_chain(struct judge *j, uint32_t chain, uint32_t event)
{
	const struct chain *c = &j->part->chains.items[chain];
	const uint32_t *words = j->part->words.items + c->at;
	struct asked asked = look_at_chain(j, words, (uint32_t)c->n);
	struct verdict v = { .end = judge_end(j, chain, asked, event), .names = judge_names(j, words, asked) };
	uint64_t hash = hash_mix((uint64_t)v.end.dso << 32 | v.names.dso, (uint64_t)v.end.why << 32 | v.names.why);
	struct idtable_probe probe = idtable_probe(&j->index, hash);
	uint32_t id;

	while ((id = idtable_next(&j->index, &probe))) {
		const struct verdict *known = &j->verdicts.items[id - 1];

		if (known->end.dso == v.end.dso && known->end.why == v.end.why && known->names.dso == v.names.dso &&
		    known->names.why == v.names.why)
			return id;
	}
	vec_push(&j->verdicts, v);
	id = (uint32_t)j->verdicts.len;
	idtable_add(&j->index, hash, id);
	return id;
}

/* ---- sums ---- */

static void add_row(struct quality *q, enum quality_part part, enum reason why, uint32_t dso, uint64_t samples)
{
	struct quality_row *row = q->rows.len ? &q->rows.items[q->last[part]] : NULL;
	uint32_t *at;
	bool is_new;

	if (!row || row->part != part || row->why != why || row->dso != dso) {
		at = u64map_put(&q->index, (uint64_t)part << 48 | (uint64_t)why << 32 | dso, &is_new);
		if (is_new) {
			*at = (uint32_t)q->rows.len;
			vec_push(&q->rows, (struct quality_row){ .part = part, .why = why, .dso = dso });
		}
		q->last[part] = *at;
		row = &q->rows.items[*at];
	}
	row->samples += samples;
}

static void count(struct quality *q, enum quality_part part, enum reason why, uint32_t dso, uint64_t samples)
{
	q->of[part] += samples;
	if (why)
		add_row(q, part, why, dso, samples);
	else
		q->good[part] += samples;
}

/* The samples of one frame of a part. */
struct frame_samples {
	uint64_t samples, without_chain;
	bool any, any_without_chain;
};

static void count_frames(struct quality *sums, const struct judge *j, const struct frame_samples *of, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct fact *fact = &j->q->facts[j->map[i]];
		uint32_t dso = j->q->p->frames.items[j->map[i]].dso;

		if (!of[i].any)
			continue;
		count(sums, QUALITY_SYMBOL, fact->why, dso, of[i].samples);
		count(sums, QUALITY_LINE, fact->why ? fact->why : fact->line, dso, of[i].samples);
		if (of[i].any_without_chain && fact->why)
			count(sums, QUALITY_STACK, fact->why, dso, of[i].without_chain);
	}
}

static void count_chains(struct quality *sums, const struct judge *j)
{
	for (size_t i = 0; i < j->verdicts.len; i++) {
		const struct verdict *v = &j->verdicts.items[i];

		count(sums, QUALITY_CALLERS, v->names.why, v->names.dso, v->samples);
		count(sums, QUALITY_STACK, v->end.why, v->end.dso, v->samples);
	}
}

static void judge_part(void *ctx, size_t item, unsigned worker)
{
	const struct summer *q = ctx;
	const struct profile *p = q->p;
	const struct part *part = &p->parts[item];
	struct judge j = { .q = q, .part = part, .map = q->maps[item] };
	/* branches end where the hardware stopped keeping them */
	bool chains = p->opts.chains && !p->opts.branch_history;
	autofree uint32_t *verdicts = xcalloc(part->chains.len + 1, sizeof(*verdicts));
	autofree struct frame_samples *of = xcalloc(q->n_frames[item] + 1, sizeof(*of));

	find_questions(&j, q->n_frames[item]);
	for (size_t i = 0; i < part->found.len; i++) {
		const struct frame_entry *e = &part->found.items[i];
		struct frame_samples *self = &of[e->frame];

		q->sums[item].samples += e->samples;
		self->samples += e->samples;
		self->any = true;
		if (!chains)
			continue;
		if (!e->chain) { /* the sample has no frame at all */
			self->without_chain += e->samples;
			self->any_without_chain = true;
			continue;
		}
		if (!verdicts[e->chain])
			verdicts[e->chain] = judge_chain(&j, e->chain, e->event);
		j.verdicts.items[verdicts[e->chain] - 1].samples += e->samples;
	}
	count_frames(&q->sums[item], &j, of, q->n_frames[item]);
	count_chains(&q->sums[item], &j);
	free(j.asks);
	free(j.broken);
	vec_free(&j.verdicts);
	idtable_free(&j.index);
}

static void merge_sums(struct quality *to, struct quality *from)
{
	to->samples += from->samples;
	for (size_t i = 0; i < N_QUALITY_PARTS; i++) {
		to->of[i] += from->of[i];
		to->good[i] += from->good[i];
	}
	for (size_t i = 0; i < from->rows.len; i++) {
		const struct quality_row *row = &from->rows.items[i];

		add_row(to, row->part, row->why, row->dso, row->samples);
	}
	vec_free(&from->rows);
	u64map_free(&from->index);
}

static int compare_rows(const void *a, const void *b)
{
	const struct quality_row *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->dso != y->dso ? (x->dso < y->dso ? -1 : 1) : (x->why > y->why) - (x->why < y->why);
}

void quality_sum(struct profile *p, const struct quality_input *in)
{
	struct summer q = { .p = p,
			    .maps = in->maps,
			    .n_frames = in->n_frames,
			    .sums = xcalloc(p->n_parts, sizeof(*q.sums)),
			    .symbols = in->symbols,
			    .lines_known = p->opts.want_lines || p->opts.by_line };

	q.facts = xcalloc(p->frames.len + 1, sizeof(*q.facts));
	judge_frames(&q);
	parallel_for(p->n_parts, p->n_parts, judge_part, &q);
	for (unsigned i = 0; i < p->n_parts; i++)
		merge_sums(&p->quality, &q.sums[i]);
	if (p->quality.rows.len)
		qsort(p->quality.rows.items, p->quality.rows.len, sizeof(*p->quality.rows.items), compare_rows);
	u64map_free(&p->quality.index);
	free(q.sums);
	free(q.facts);
}
