#include "format/branch.h"
#include "format/reader_priv.h"

/*
 * The fixed-offset fields, in the order of a record. To add one: a member of struct layout and a
 * row here.
 */
static const struct {
	uint64_t bit;
	size_t at;
} fixed_fields[] = {
	{ SAMPLE_IDENTIFIER, offsetof(struct layout, identifier) },
	{ SAMPLE_IP, offsetof(struct layout, ip) },
	{ SAMPLE_TID, offsetof(struct layout, tid) },
	{ SAMPLE_TIME, offsetof(struct layout, time) },
	{ SAMPLE_ADDR, offsetof(struct layout, addr) },
	{ SAMPLE_ID, offsetof(struct layout, id) },
	{ SAMPLE_STREAM_ID, offsetof(struct layout, stream_id) },
	{ SAMPLE_CPU, offsetof(struct layout, cpu) },
	{ SAMPLE_PERIOD, offsetof(struct layout, period) },
};

/* The trailer of other records, from its end to its start. */
static const struct {
	uint64_t bit;
	size_t at;
} trailer_fields[] = {
	{ SAMPLE_IDENTIFIER, offsetof(struct layout, trailer_id) },
	{ SAMPLE_CPU, offsetof(struct layout, trailer_cpu) },
	{ SAMPLE_STREAM_ID, offsetof(struct layout, trailer_stream_id) },
	{ SAMPLE_ID, offsetof(struct layout, trailer_id) },
	{ SAMPLE_TIME, offsetof(struct layout, trailer_time) },
	{ SAMPLE_TID, offsetof(struct layout, trailer_tid) },
};

static int16_t *member(struct layout *l, size_t at) { return (int16_t *)((char *)l + at); }

void layout_init(struct layout *l, const struct attr *a)
{
	*l = (struct layout){
		.trailer_tid = -1, .trailer_time = -1, .trailer_id = -1, .trailer_stream_id = -1, .trailer_cpu = -1
	};
	for (size_t i = 0; i < ARRAY_SIZE(fixed_fields); i++) {
		bool present = a->sample_type & fixed_fields[i].bit;

		*member(l, fixed_fields[i].at) = present ? (int16_t)l->fixed_size : -1;
		if (present)
			l->fixed_size += 8;
	}
	l->any_id = l->identifier >= 0 ? l->identifier : l->id;
	if (!(a->flags & ATTR_SAMPLE_ID_ALL))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(trailer_fields); i++) {
		if (!(a->sample_type & trailer_fields[i].bit))
			continue;
		l->trailer_size += 8;
		if (*member(l, trailer_fields[i].at) < 0) /* IDENTIFIER wins over ID */
			*member(l, trailer_fields[i].at) = (int16_t)l->trailer_size;
	}
}

/* A cursor over the variable part. It remembers the first field that did not fit. */
struct field_cursor {
	const uint8_t *at, *end;
	const char *bad;
};

static const uint8_t *take(struct field_cursor *c, uint64_t n, size_t size, const char *what)
{
	const uint8_t *p = c->at;

	if (n > (size_t)(c->end - c->at) / size) {
		if (!c->bad)
			c->bad = what;
		c->at = c->end;
		return NULL;
	}
	c->at += n * size;
	return p;
}

static uint64_t take_u64(struct field_cursor *c, const char *what)
{
	const uint8_t *p = take(c, 1, 8, what);

	return p ? load_u64(p) : 0;
}

static void take_read(struct field_cursor *c, uint64_t format, struct sample *s)
{
	bool group = format & READ_GROUP;
	size_t words = 1 + !!(format & READ_ID) + !!(format & READ_LOST);

	s->read.format = format;
	s->read.n = 1;
	if (!group) {
		words += !!(format & READ_TIME_ENABLED) + !!(format & READ_TIME_RUNNING);
		s->read.stride = words * 8;
		s->read.values = take(c, 1, words * 8, "read values");
		if (!s->read.values)
			return;
		if (format & READ_TIME_ENABLED)
			s->read.enabled = load_u64(s->read.values + 8);
		if (format & READ_TIME_RUNNING)
			s->read.running = load_u64(s->read.values + 8 + 8 * !!(format & READ_TIME_ENABLED));
		return;
	}
	s->read.n = take_u64(c, "read values");
	if (format & READ_TIME_ENABLED)
		s->read.enabled = take_u64(c, "read values");
	if (format & READ_TIME_RUNNING)
		s->read.running = take_u64(c, "read values");
	s->read.stride = words * 8;
	s->read.values = take(c, s->read.n, words * 8, "read values");
}

void sample_read_value(const struct sample *s, uint64_t i, uint64_t *value, uint64_t *id, uint64_t *lost)
{
	const uint8_t *p = s->read.values + i * s->read.stride;
	size_t at = 8;

	if (!(s->read.format & READ_GROUP))
		at += 8 * (size_t)(!!(s->read.format & READ_TIME_ENABLED) + !!(s->read.format & READ_TIME_RUNNING));
	*value = load_u64(p);
	*id = s->read.format & READ_ID ? load_u64(p + at) : 0;
	if (s->read.format & READ_ID)
		at += 8;
	*lost = s->read.format & READ_LOST ? load_u64(p + at) : 0;
}

static void take_branches(struct field_cursor *c, uint64_t branch_type, struct sample *s)
{
	s->branch.n = take_u64(c, "branch stack");
	s->branch.hw_idx = branch_type & BRANCH_HW_INDEX ? take_u64(c, "branch stack") : ~0ull;
	s->branch.entries = take(c, s->branch.n, BRANCH_BYTES, "branch stack");
	if (branch_type & BRANCH_COUNTERS)
		s->branch.counters = take(c, s->branch.n, 8, "branch counters");
}

static void take_regs(struct field_cursor *c, uint64_t mask, struct sample_regs *regs, const char *what)
{
	regs->abi = take_u64(c, what);
	regs->mask = mask;
	if (regs->abi)
		regs->values = take(c, (uint64_t)__builtin_popcountll(mask), 8, what);
}

static void take_stack(struct field_cursor *c, struct sample *s)
{
	s->stack_user.size = take_u64(c, "user stack");
	s->stack_user.data = c->at;
	if (!s->stack_user.size)
		return;
	s->stack_user.data = take(c, s->stack_user.size, 1, "user stack");
	s->stack_user.dyn_size = take_u64(c, "user stack");
	if (s->stack_user.dyn_size > s->stack_user.size)
		s->stack_user.dyn_size = s->stack_user.size;
}

static void take_weight(struct field_cursor *c, uint64_t type, struct sample *s)
{
	s->weight = take_u64(c, "weight");
	if (type & SAMPLE_WEIGHT_STRUCT) {
		s->ins_lat = (uint16_t)(s->weight >> 32);
		s->retire_lat = (uint16_t)(s->weight >> 48);
		s->weight = (uint32_t)s->weight;
	}
}

static void take_raw(struct field_cursor *c, struct sample *s)
{
	const uint8_t *p = take(c, 1, 4, "raw data");

	if (!p)
		return;
	s->raw_size = load_u32(p);
	s->raw = take(c, s->raw_size, 1, "raw data");
}

/*
 * A sleep of perf's --off-cpu has these fields: u32 pid, u32 tid, u64 ns, u64 n, n times u64 address (the first address
 * marks the user part), u64 control group. Raw data keep the byte order of the recording machine. This function reads
 * only the byte order of this machine.
 */
static void take_off_cpu(struct sample *s)
{
	enum { PID, NS, N, CHAIN, WORDS = CHAIN + 1 };
	uint64_t n = s->raw_size >= 8 * WORDS ? load_u64(s->raw + 8 * N) : UINT64_MAX;

	if (n > (s->raw_size - 8 * WORDS) / 8)
		return;
	s->type |= SAMPLE_CALLCHAIN;
	s->misc = (uint16_t)((s->misc & ~MISC_CPUMODE) | CPUMODE_USER);
	s->pid = load_u32(s->raw);
	s->tid = load_u32(s->raw + 4);
	s->period = load_u64(s->raw + 8 * NS);
	s->n_chain = n;
	s->chain = s->raw + 8 * CHAIN;
	s->ip = n > 1 ? load_u64(s->chain + 8) : 0;
	s->cgroup = load_u64(s->chain + 8 * n);
}

/*
 * Decode everything behind the fixed-offset fields, in kernel order. Few samples have more than one
 * or two of these.
 */
static void take_variable(struct field_cursor *c, const struct attr *a, uint64_t type, struct sample *s)
{
	if (type & SAMPLE_READ)
		take_read(c, a->read_format, s);
	if (type & SAMPLE_CALLCHAIN) {
		s->n_chain = take_u64(c, "call chain");
		s->chain = take(c, s->n_chain, 8, "call chain");
	}
	if (!(type & ~(SAMPLE_FIXED | SAMPLE_READ | SAMPLE_CALLCHAIN)))
		return;
	if (type & SAMPLE_RAW)
		take_raw(c, s);
	if (!(type & ~(SAMPLE_FIXED | SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_RAW)))
		return;
	if (type & SAMPLE_BRANCH_STACK)
		take_branches(c, a->branch_sample_type, s);
	if (type & SAMPLE_REGS_USER)
		take_regs(c, a->sample_regs_user, &s->regs_user, "user registers");
	if (type & SAMPLE_STACK_USER)
		take_stack(c, s);
	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		take_weight(c, type, s);
	if (type & SAMPLE_DATA_SRC)
		s->data_src = take_u64(c, "data source");
	if (type & SAMPLE_TRANSACTION)
		s->transaction = take_u64(c, "transaction");
	if (type & SAMPLE_REGS_INTR)
		take_regs(c, a->sample_regs_intr, &s->regs_intr, "interrupt registers");
	if (type & SAMPLE_PHYS_ADDR)
		s->phys_addr = take_u64(c, "physical address");
	if (type & SAMPLE_CGROUP)
		s->cgroup = take_u64(c, "cgroup");
	if (type & SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = take_u64(c, "data page size");
	if (type & SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = take_u64(c, "code page size");
	if (type & SAMPLE_AUX) {
		s->aux_size = take_u64(c, "AUX data");
		s->aux = take(c, s->aux_size, 1, "AUX data");
	}
}

/*
 * Clear a sample. With a constant size GCC emits "rep stos", whose startup alone takes as long as
 * the whole memset of libc.
 */
static void clear(struct sample *s)
{
	size_t size = sizeof(*s);

	__asm__("" : "+r"(size));
	memset(s, 0, size);
}

/* Clear what an earlier sample left in members that the next one may not set. */
static void clear_earlier(struct sample *s)
{
	if (s->type & ~(SAMPLE_FIXED | SAMPLE_CALLCHAIN))
		clear(s);
	s->n_chain = 0;
	s->chain = NULL;
}

int sample_decode(const struct perfdata *pd, const struct record *r, uint32_t event, struct sample *s, struct err *e)
{
	clear(s);
	return sample_decode_next(pd, r, event, s, e);
}

int sample_decode_next(const struct perfdata *pd, const struct record *r, uint32_t event, struct sample *s,
		       struct err *e)
{
	const struct file_event *ev = &pd->events[event];
	const struct layout *l = &ev->layout;
	const uint8_t *body = r->body;
	struct field_cursor c = { body + l->fixed_size, body + r->size, NULL };
	uint64_t type = ev->attr.sample_type & SAMPLE_KNOWN;

	if (r->size < l->fixed_size)
		return err_at(e, r->offset, "SAMPLE of %u bytes is shorter than its %u fixed ones", r->size + 8,
			      l->fixed_size + 8);
	clear_earlier(s);
	s->type = type;
	s->event = event;
	s->misc = r->misc;
	s->ip = l->ip >= 0 ? load_u64(body + l->ip) : 0;
	s->pid = l->tid >= 0 ? load_u32(body + l->tid) : UINT32_MAX;
	s->tid = l->tid >= 0 ? load_u32(body + l->tid + 4) : UINT32_MAX;
	s->time = l->time >= 0 ? load_u64(body + l->time) : UINT64_MAX;
	s->addr = l->addr >= 0 ? load_u64(body + l->addr) : 0;
	s->id = l->any_id >= 0 ? load_u64(body + l->any_id) : 0;
	s->stream_id = l->stream_id >= 0 ? load_u64(body + l->stream_id) : 0;
	s->cpu = l->cpu >= 0 ? load_u32(body + l->cpu) : UINT32_MAX;
	s->period = l->period >= 0 ? load_u64(body + l->period) : ev->default_period;
	if (type & ~SAMPLE_FIXED) {
		take_variable(&c, &ev->attr, type, s);
		if (c.bad)
			return err_at(e, r->offset, "SAMPLE: %s past the end of the record of %u bytes", c.bad,
				      r->size + 8);
		if (type & SAMPLE_RAW && file_event_is_off_cpu(ev) && !pd->swap)
			take_off_cpu(s);
	}
	return 0;
}

/*
 * Files of the other byte order: walk the fields in the same way and swap them in place, in a
 * private copy. Stop at a field that does not fit; sample_decode then refuses the sample at the
 * same field.
 */
static void swap_words(struct field_cursor *c, uint64_t n)
{
	uint8_t *p = (uint8_t *)take(c, n, 8, "words");

	for (uint64_t i = 0; p && i < n; i++)
		swap_u64(p + 8 * i);
}

static uint64_t swap_word(struct field_cursor *c)
{
	const uint8_t *p = c->at;

	swap_words(c, 1);
	return c->bad ? 0 : load_u64(p);
}

static void swap_read(struct field_cursor *c, uint64_t format)
{
	uint64_t times = (uint64_t) !!(format & READ_TIME_ENABLED) + !!(format & READ_TIME_RUNNING);
	uint64_t words = 1 + (uint64_t) !!(format & READ_ID) + !!(format & READ_LOST), n = 1;

	if (format & READ_GROUP)
		n = swap_word(c);
	swap_words(c, times);
	if (n > bytes_left_in(c->at, c->end) / 8)
		n = bytes_left_in(c->at, c->end) / 8;
	swap_words(c, n * words);
}

/*
 * The other byte order allocates the bit-fields of branch flags from the other end. Extract each
 * from there.
 */
static uint64_t mirror_branch_flags(uint64_t v)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 }; /* mispred ... priv */
	uint64_t out = 0;
	unsigned at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		out |= (v >> (64 - at - widths[i]) & ((1ull << widths[i]) - 1)) << at;
		at += widths[i];
	}
	return out;
}

static void swap_branches(struct field_cursor *c, uint64_t branch_type)
{
	uint64_t n = swap_word(c);
	uint8_t *entries;

	if (branch_type & BRANCH_HW_INDEX)
		swap_word(c);
	entries = (uint8_t *)c->at;
	if (n > bytes_left_in(c->at, c->end) / BRANCH_BYTES)
		return;
	swap_words(c, n * BRANCH_WORDS);
	for (uint64_t i = 0; i < n; i++) {
		uint8_t *branch = entries + BRANCH_BYTES * i;
		uint64_t flags = mirror_branch_flags(branch_flags(branch));

		memcpy(branch + 8 * BRANCH_FLAGS_WORD, &flags, 8);
	}
	if (branch_type & BRANCH_COUNTERS)
		swap_words(c, n);
}

static void swap_regs(struct field_cursor *c, uint64_t mask)
{
	if (swap_word(c))
		swap_words(c, (uint64_t)__builtin_popcountll(mask));
}

void sample_swap(const struct file_event *ev, uint8_t *body, size_t size)
{
	const struct attr *a = &ev->attr;
	const struct layout *l = &ev->layout;
	uint64_t type = a->sample_type, n;
	struct field_cursor c = { body, body + size, NULL };

	if (size < l->fixed_size)
		return;
	for (uint8_t *p = body; p < body + l->fixed_size; p += 8) {
		if (p - body == l->tid || p - body == l->cpu)
			swap_u32(p), swap_u32(p + 4);
		else
			swap_u64(p);
	}
	c.at += l->fixed_size;
	if (type & SAMPLE_READ)
		swap_read(&c, a->read_format);
	if (type & SAMPLE_CALLCHAIN) {
		n = swap_word(&c);
		swap_words(&c, MIN(n, bytes_left_in(c.at, c.end) / 8));
	}
	if (type & SAMPLE_RAW && bytes_left_in(c.at, c.end) >= 4) {
		swap_u32((uint8_t *)c.at);
		n = load_u32(c.at);
		take(&c, 4 + n, 1, "raw");
	}
	if (type & SAMPLE_BRANCH_STACK)
		swap_branches(&c, a->branch_sample_type);
	if (type & SAMPLE_REGS_USER)
		swap_regs(&c, a->sample_regs_user);
	if (type & SAMPLE_STACK_USER && (n = swap_word(&c))) {
		take(&c, n, 1, "stack");
		swap_word(&c);
	}
	swap_words(&c, (uint64_t) !!(type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT)) + !!(type & SAMPLE_DATA_SRC) +
			       !!(type & SAMPLE_TRANSACTION));
	if (type & SAMPLE_REGS_INTR)
		swap_regs(&c, a->sample_regs_intr);
	swap_words(&c, (uint64_t)__builtin_popcountll(type & (SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE |
							      SAMPLE_CODE_PAGE_SIZE)));
	if (type & SAMPLE_AUX)
		swap_word(&c);
}
