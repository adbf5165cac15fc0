/* Sum samples by source line, and find the loops that contain them. */
#include "report/brief/brief_priv.h"

enum { LOOKED_AT = 6, MAX_FUNCTION = 1 << 18 };

static int larger_line(const void *a, const void *b)
{
	const struct brief_line *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void add_line(struct brief *b, struct idtable *index, const struct source_line *at, uint64_t period)
{
	uint64_t hash = hash_mix(hash_bytes(at->file, strlen(at->file), 0), at->line);
	struct idtable_probe p = idtable_probe(index, hash);
	uint32_t id;

	while ((id = idtable_next(index, &p))) {
		struct brief_line *l = &b->lines.items[id - 1];

		if (l->line == at->line && !strcmp(l->file, at->file)) {
			l->period += period;
			return;
		}
	}
	vec_push(&b->lines, (struct brief_line){ at->file, at->line, period });
	idtable_add(index, hash, (uint32_t)b->lines.len);
}

/* Do the chains come from unwinding? They have all callers; frame pointers skip the caller of code without a frame. */
static bool is_unwound(const struct brief *b)
{
	const struct file_event *event = &b->session->pd->events[b->event];

	return event->unwound || event->attr.sample_type & SAMPLE_STACK_USER;
}

static void note_place(struct brief *b, struct brief_function *f, const struct frame *at)
{
	f->dso_off = at->dso_off;
	f->sampled = true;
	f->hides_caller |= at->mode == CPUMODE_USER && !is_unwound(b) &&
			   unwind_skips_caller(b->session->symbols, at->dso, at->dso_off);
}

void brief_sum_lines(struct brief *b)
{
	const struct profile *p = b->profile;
	struct idtable index = { 0 };

	for (unsigned k = 0; k < p->n_parts; k++)
		for (size_t i = 0; i < p->parts[k].places.len; i++) {
			const struct sampled_place *place = &p->parts[k].places.items[i];
			const struct frame *f = &p->frames.items[place->frame];
			struct source_line at;
			uint32_t id = b->of_site[p->leaf_sites.items[place->frame]];

			if (place->event != b->event || f->dso == DSO_UNKNOWN)
				continue;
			if (id)
				note_place(b, &b->functions.items[id - 1], f);
			if (dso_source_line(b->session->symbols, f->dso, f->dso_off, &at) && at.file && at.line)
				add_line(b, &index, &at, place->period);
		}
	idtable_free(&index);
	if (b->lines.len)
		qsort(b->lines.items, b->lines.len, sizeof(*b->lines.items), larger_line);
}

/* ---- loops ---- */

static int larger_loop(const void *a, const void *b)
{
	const struct brief_loop *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return x->end - x->start < y->end - y->start ? -1 : x->end - x->start > y->end - y->start;
}

static uint64_t period_in(const struct brief *b, const struct hot *h, const struct hot_function *f, uint64_t start,
			  uint64_t end)
{
	uint64_t sum = 0;

	for (size_t i = f->first; i < f->first + f->n; i++)
		if (h->hits.items[i].event == b->event && h->hits.items[i].address >= start &&
		    h->hits.items[i].address <= end)
			sum += h->hits.items[i].period;
	return sum;
}

/* Add the loop of a jump back from `end` to `start`, within one function. */
static void add_loop(struct brief *b, const struct hot *h, const struct hot_function *f, uint64_t start, uint64_t end)
{
	struct symbols *s = b->session->symbols;
	struct brief_loop loop = { .function = hot_name(h, (size_t)(f - h->functions.items)),
				   .start = start,
				   .end = end,
				   .period = period_in(b, h, f, start, end) };

	if (brief_share(b, loop.period) < 5)
		return;
	dso_source_line(s, f->dso, dso_offset(s, f->dso, start), &loop.from);
	dso_source_line(s, f->dso, dso_offset(s, f->dso, end), &loop.to);
	vec_push(&b->loops, loop);
}

static bool same_loop(const struct brief_loop *x, const struct brief_loop *y)
{
	return x->start == y->start || (x->start < y->start && y->start <= x->end && x->end < y->end) ||
	       (y->start < x->start && x->start <= y->end && y->end < x->end);
}

/*
 * Join the loops of one function, from `from` on. Several jumps back to one place are one loop. So are overlapping
 * loops that do not contain each other, such as the cases of an interpreter's switch.
 */
static void join_loops(struct brief *b, const struct hot *h, const struct hot_function *f, size_t from)
{
	struct symbols *s = b->session->symbols;

	for (size_t i = from; i < b->loops.len; i++)
		for (size_t k = from; k < b->loops.len; k++) {
			struct brief_loop *x = &b->loops.items[i], *y = &b->loops.items[k];

			if (i == k || !same_loop(x, y))
				continue;
			x->start = MIN(x->start, y->start);
			x->end = MAX(x->end, y->end);
			x->period = period_in(b, h, f, x->start, x->end);
			dso_source_line(s, f->dso, dso_offset(s, f->dso, x->start), &x->from);
			dso_source_line(s, f->dso, dso_offset(s, f->dso, x->end), &x->to);
			*y = b->loops.items[--b->loops.len];
			i = from; /* the joined loop may overlap others */
			k = from - 1;
		}
}

static void mark_loops(struct brief *b, size_t from, const struct insn *insn, uint64_t address)
{
	bool waits = !strcmp(insn->mnemonic, "pause") || !strcmp(insn->mnemonic, "yield");
	bool locks = !strncmp(insn->mnemonic, "lock ", 5) || !strncmp(insn->mnemonic, "xchg", 4) ||
		     !strncmp(insn->mnemonic, "cas", 3);

	for (size_t i = from; i < b->loops.len; i++)
		if (address >= b->loops.items[i].start && address <= b->loops.items[i].end) {
			b->loops.items[i].waits |= waits;
			b->loops.items[i].locks |= locks;
		}
}

/* Does an instruction of x86-64, arm64 or s390x access a variable on the stack? Its operands show this. */
static bool accesses_stack(const struct insn *insn)
{
	static const char *const bases[] = { "(%rbp)", "(%rsp)", "[sp", "[x29", "(%r11)", "(%r15)" };

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++)
		if (strstr(insn->operands, bases[i]))
			return true;
	return false;
}

/* Store how much of a function's code accesses the stack: without optimisation, variables are there. */
static void note_memory(struct brief *b, const struct hot_function *f, const struct code *c)
{
	enum { ENOUGH = 10 };
	struct disasm *disasm = disasm_open(&c->target, NULL);
	struct code_cursor at = { c->bytes, c->len, c->address };
	uint64_t all = 0, accesses = 0;
	struct insn insn;

	while (disasm && disasm_next(disasm, &at, &insn)) {
		all++;
		accesses += accesses_stack(&insn);
	}
	disasm_close(disasm);
	for (size_t i = 0; i < b->functions.len && all >= ENOUGH; i++) {
		const struct site *s = &b->profile->sites.items[b->functions.items[i].site];

		if (s->dso == f->dso && s->symbol == f->symbol && !s->inlined)
			b->functions.items[i].in_memory = brief_percent(accesses, all);
	}
}

static void walk_code(struct brief *b, const struct hot *h, const struct hot_function *f, const struct code *c)
{
	size_t from = b->loops.len;

	for (int pass = 0; pass < 2; pass++) { /* the second pass knows the loops */
		struct disasm *disasm = disasm_open(&c->target, NULL);
		struct code_cursor at = { c->bytes, c->len, c->address };
		struct insn insn;

		while (disasm && disasm_next(disasm, &at, &insn)) {
			uint64_t address = insn.address - c->shift;

			if (pass)
				mark_loops(b, from, &insn, address);
			else if ((insn.kind == INSN_JUMP || insn.kind == INSN_JUMP_IF) && insn.has_target &&
				 insn.target - c->shift >= f->start && insn.target <= insn.address)
				add_loop(b, h, f, insn.target - c->shift, address);
		}
		disasm_close(disasm);
		if (!pass)
			join_loops(b, h, f, from);
	}
}

/* Leave out a loop if an inner loop has nearly all of its samples. */
static void drop_outer(struct brief *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->loops.len; i++) {
		const struct brief_loop *l = &b->loops.items[i];
		bool outer = false;

		for (size_t k = 0; k < b->loops.len && !outer; k++) {
			const struct brief_loop *in = &b->loops.items[k];

			outer = in != l && in->function == l->function && in->start >= l->start && in->end <= l->end &&
				in->end - in->start < l->end - l->start && in->period >= l->period - l->period / 10;
		}
		if (!outer)
			b->loops.items[n++] = *l;
	}
	b->loops.len = n;
}

void brief_find_loops(struct brief *b)
{
	struct hot *h = hot_new(b->profile);
	size_t n;
	autofree uint32_t *order = hot_order(h, b->event, &n);

	for (size_t i = 0; i < MIN(n, LOOKED_AT); i++) {
		const struct hot_function *f = &h->functions.items[order[i]];
		struct code c;

		if (brief_share(b, hot_sum(h, order[i], b->event)->period) < 5 || f->end - f->start > MAX_FUNCTION ||
		    dso_code(b->session->symbols, f->dso, f->start, f->end - f->start, &c, NULL) < 0)
			continue;
		walk_code(b, h, f, &c);
		note_memory(b, f, &c);
		code_release(&c);
	}
	hot_free(h);
	if (b->loops.len)
		qsort(b->loops.items, b->loops.len, sizeof(*b->loops.items), larger_loop);
	drop_outer(b);
}
