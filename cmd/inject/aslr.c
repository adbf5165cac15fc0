/*
 * inject --aslr: move addresses, so that the recording does not reveal where the kernel and the
 * processes were loaded.
 *
 * User space: each object gets one new address for all processes; an address keeps its offset in
 * the object. Kernel: each map and each symbol record gets a new address. An address in no known
 * object becomes 0. Like perf, drop registers, copied stacks and samples with physical addresses.
 * The payload of tracepoints and the names of breakpoints stay.
 */
#include "base/search.h"
#include "cmd/commands.h"
#include "cmd/inject/inject_priv.h"
#include "format/branch.h"

/* The new address of the first object, as in perf. */
#define USER_BASE   0x200000ull
#define KERNEL_BASE 0xffff800010000000ull
enum { PAGE = 4096 };

#define DROPPED (SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_REGS_INTR | SAMPLE_AUX)

/* A part of the kernel: its old and its new address. */
struct kernel_part {
	uint64_t start, len, to;
};

struct aslr {
	VEC(struct kernel_part) kernel; /* sorted by start after aslr_new() */
	uint64_t n_dropped;             /* samples with physical addresses */
	uint64_t *bases;                /* by dso: new address of its offset 0; 0 = never mapped */
	VEC(uint64_t) words;            /* of one record */
};

static bool is_kernel(unsigned mode) { return mode == CPUMODE_KERNEL; }

/* ---- the new places ---- */

static int compare_parts(const void *a, const void *b)
{
	const struct kernel_part *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->len < y->len) - (x->len > y->len);
}

static void see(struct inject *n, const struct record *r, uint64_t *ends)
{
	struct aslr *a = n->aslr;
	struct record_ksymbol symbol;
	struct record_mmap m;

	if ((r->type == RECORD_MMAP || r->type == RECORD_MMAP2) && !record_mmap(n->s->pd, r, &m)) {
		uint32_t dso = inject_dso_of_map(n, &m, r->misc & MISC_CPUMODE);

		if (is_kernel(r->misc & MISC_CPUMODE))
			vec_push(&a->kernel, (struct kernel_part){ .start = m.start, .len = m.len });
		else if (dso < n->n_dsos && m.pgoff + m.len > m.pgoff)
			ends[dso] = MAX(ends[dso], m.pgoff + m.len);
	} else if (r->type == RECORD_KSYMBOL && !record_ksymbol(n->s->pd, r, &symbol)) {
		vec_push(&a->kernel, (struct kernel_part){ .start = symbol.addr, .len = symbol.len });
	}
}

static uint64_t place(uint64_t *next, uint64_t len)
{
	uint64_t at = *next;

	/* Leave a free page after each. Sizes are foreign: absurd ones share the last address. */
	if (len < UINT64_MAX / 4 && at < UINT64_MAX - ROUND_UP(len, PAGE) - PAGE)
		*next = at + ROUND_UP(len, PAGE) + PAGE;
	return at;
}

int inject_aslr_begin(struct inject *n, struct err *e)
{
	struct cursor c = { .pd = n->s->pd };
	autofree uint64_t *ends = xcalloc(n->n_dsos + 1, sizeof(*ends));
	uint64_t user = USER_BASE, kernel = KERNEL_BASE;
	struct record r;
	struct aslr *a;

	if (feature_has(&n->s->pd->features, FEATURE_AUXTRACE)) {
		err_set(e, "cannot move the addresses of '%s'", n->opts->input);
		return err_why(e, "a hardware trace is full of addresses, which nothing here decodes");
	}
	if (n->opts->jit || n->opts->chains) {
		err_set(e, "--aslr does not go with --jit and --convert-callchain");
		err_try(e, "%s inject twice: --aslr last", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	a = n->aslr = xcalloc(1, sizeof(*a));
	a->bases = xcalloc(n->n_dsos + 1, sizeof(*a->bases));
	while (cursor_next(&c, &r))
		see(n, &r, ends);
	for (size_t i = 0; i < n->n_dsos; i++)
		if (ends[i])
			a->bases[i] = place(&user, ends[i]);
	if (a->kernel.len)
		qsort(a->kernel.items, a->kernel.len, sizeof(*a->kernel.items), compare_parts);
	for (size_t i = 0; i < a->kernel.len; i++)
		a->kernel.items[i].to = place(&kernel, a->kernel.items[i].len);
	return 0;
}

void inject_aslr_free(struct aslr *a)
{
	if (!a)
		return;
	if (a->n_dropped)
		say("samples with physical addresses, which were left out: %llu", (unsigned long long)a->n_dropped);
	vec_free(&a->kernel);
	vec_free(&a->words);
	free(a->bases);
	free(a);
}

/* ---- addresses ---- */

/*
 * Return the new address of a kernel address, from the last part that begins at or before it, or a
 * part around that which contains it. 0: none.
 */
static uint64_t move_kernel(const struct aslr *a, uint64_t address)
{
	size_t low = search_count(i, a->kernel.len, a->kernel.items[i].start <= address);

	while (low--) {
		const struct kernel_part *p = &a->kernel.items[low];

		if (address - p->start < p->len)
			return p->to + (address - p->start);
	}
	return 0;
}

/* The task that owns addresses, and the time. */
struct owner {
	struct task task;
	uint32_t moment;
};

static struct owner owner_of(struct inject *n, const struct record *r, uint64_t time, int32_t pid, int32_t tid)
{
	struct owner o;

	o.moment = session_moment(n->s, &n->hits.lookup, time, session_pos(r->stream, r->pos));
	session_task(n->s, &n->hits.lookup, pid, tid, o.moment, &o.task);
	return o;
}

static uint64_t move(struct inject *n, const struct owner *o, unsigned mode, uint64_t address)
{
	struct map_hit hit;

	if (is_kernel(mode))
		return move_kernel(n->aslr, address);
	if (mode != CPUMODE_USER || !session_find(n->s, &o->task, o->moment, mode, address, &hit) ||
	    hit.dso >= n->n_dsos || !n->aslr->bases[hit.dso])
		return 0;
	return n->aslr->bases[hit.dso] + hit.dso_off;
}

/* Move an address of unknown mode. */
static uint64_t move_any(struct inject *n, const struct owner *o, uint64_t address)
{
	uint64_t to = move(n, o, CPUMODE_USER, address);

	return to ? to : move_kernel(n->aslr, address);
}

static void move_chain(struct inject *n, const struct owner *o, const uint8_t *words, uint64_t count)
{
	unsigned mode = CPUMODE_USER;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t word = load_u64(words + 8 * i);

		if (word >= CHAIN_MARKER_MIN)
			mode = chain_marker_mode(word) < 0 ? CPUMODE_UNKNOWN : (unsigned)chain_marker_mode(word);
		else
			word = move(n, o, mode, word);
		vec_push(&n->aslr->words, word);
	}
}

/* ---- records ---- */

void inject_aslr_attr(struct attr *a)
{
	a->sample_type &= ~(uint64_t)DROPPED;
	a->sample_regs_user = a->sample_regs_intr = 0;
	a->sample_stack_user = 0;
}

static int write_body(struct inject *n, const struct record *r, size_t size, struct err *e)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
	} head = { r->type, r->misc, (uint16_t)(8 + size) };

	memcpy(n->buffer, &head, 8);
	return writer_record(n->writer, n->buffer, 8 + size, e);
}

static int move_sample(struct inject *n, const struct record *r, struct err *e)
{
	int event = perfdata_event_of(n->s->pd, r);
	struct aslr *a = n->aslr;
	struct owner o;
	struct sample s;
	size_t size, branches;

	if (event < 0 || sample_decode(n->s->pd, r, (uint32_t)event, &s, NULL) < 0) {
		n->s->notes.format.bad_samples++;
		return 0;
	}
	if (s.type & SAMPLE_PHYS_ADDR) {
		a->n_dropped++;
		return 0;
	}
	o = owner_of(n, r, s.time, (int32_t)s.pid, (int32_t)s.tid);
	vec_clear(&a->words);
	move_chain(n, &o, s.chain, s.n_chain);
	branches = a->words.len;
	for (uint64_t i = 0; i < s.branch.n * BRANCH_WORDS; i++) {
		uint64_t word = load_u64(s.branch.entries + 8 * i);

		vec_push(&a->words, i % BRANCH_WORDS == BRANCH_FLAGS_WORD ? word : move_any(n, &o, word));
	}
	s.chain = (const uint8_t *)a->words.items;
	s.branch.entries = (const uint8_t *)(a->words.items + branches);
	s.ip = move(n, &o, r->misc & MISC_CPUMODE, s.ip);
	s.addr = s.type & SAMPLE_ADDR ? move_any(n, &o, s.addr) : 0;
	size = sample_encode(n->s->pd, r, &s, s.type & ~(uint64_t)DROPPED, n->buffer + 8, RECORD_SIZE_MAX - 8);
	return size ? write_body(n, r, size, e) : 0;
}

/* A map record has its start at byte 8 of the body, its file offset at 24. */
static int move_map(struct inject *n, const struct record *r, const struct record_mmap *m, struct err *e)
{
	enum { START = 8, OFFSET = 24 };
	uint32_t dso = inject_dso_of_map(n, m, r->misc & MISC_CPUMODE);
	uint64_t start, offset = m->pgoff;

	if (is_kernel(r->misc & MISC_CPUMODE)) {
		start = move_kernel(n->aslr, m->start);
		if (offset) /* the kernel's own map: the address of the symbol in its name */
			offset = move_kernel(n->aslr, offset);
	} else {
		start = dso < n->n_dsos && n->aslr->bases[dso] ? n->aslr->bases[dso] + m->pgoff : 0;
	}
	memcpy(n->buffer + 8, r->body, r->size);
	memcpy(n->buffer + 8 + START, &start, 8);
	memcpy(n->buffer + 8 + OFFSET, &offset, 8);
	return write_body(n, r, r->size, e);
}

/*
 * Layout: u64 cookie, u64 nr, u64 ips[nr]. Source: linux/perf_event.h,
 * PERF_RECORD_CALLCHAIN_DEFERRED.
 */
static int move_deferred(struct inject *n, const struct record *r, struct err *e)
{
	uint64_t count = r->size >= 16 ? load_u64(r->body + 8) : 0;
	struct trailer t = { 0 };
	struct owner o;

	if (r->size < 16 || count > (r->size - 16u) / 8 || !record_trailer(n->s->pd, r, &t))
		return 0;
	o = owner_of(n, r, t.time, (int32_t)t.pid, (int32_t)t.tid);
	vec_clear(&n->aslr->words);
	move_chain(n, &o, r->body + 16, count);
	memcpy(n->buffer + 8, r->body, r->size);
	if (count)
		memcpy(n->buffer + 8 + 16, n->aslr->words.items, count * 8);
	return write_body(n, r, r->size, e);
}

int inject_moved(struct inject *n, const struct record *r, struct err *e)
{
	struct record_mmap m;
	uint64_t address;
	int status;

	if (r->size > RECORD_SIZE_MAX - 8 || r->size % 8)
		return 1;
	switch (r->type) {
	case RECORD_SAMPLE: status = move_sample(n, r, e); break;
	case RECORD_MMAP:
	case RECORD_MMAP2: status = record_mmap(n->s->pd, r, &m) < 0 ? 0 : move_map(n, r, &m, e); break;
	case RECORD_CALLCHAIN_DEFERRED: status = move_deferred(n, r, e); break;
	case RECORD_KSYMBOL:
	case RECORD_TEXT_POKE: /* both begin with the address */
		if (r->size < 8)
			return 1;
		address = move_kernel(n->aslr, load_u64(r->body));
		memcpy(n->buffer + 8, r->body, r->size);
		memcpy(n->buffer + 8, &address, 8);
		status = write_body(n, r, r->size, e);
		break;
	default: return 0;
	}
	return status < 0 ? -1 : 1;
}
