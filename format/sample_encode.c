/*
 * Encode samples again from their decoded form, in the kernel's order. Source: perf_event_open(2),
 * PERF_RECORD_SAMPLE.
 */
#include "format/branch.h"
#include "format/format.h"

struct field_sink {
	uint8_t *at, *end;
	bool full;
};

static void put(struct field_sink *s, const void *bytes, uint64_t size)
{
	if (size > (uint64_t)(s->end - s->at)) {
		s->full = true;
		return;
	}
	if (size)
		memcpy(s->at, bytes, size);
	s->at += size;
}

static void put_u64(struct field_sink *s, uint64_t n) { put(s, &n, sizeof(n)); }

/* Copy the fixed-offset fields. Only ip and addr can have changed. */
static void put_fixed(struct field_sink *to, const struct layout *l, const uint8_t *body, const struct sample *s)
{
	uint8_t *fixed = to->at;

	put(to, body, l->fixed_size);
	if (to->full)
		return;
	if (l->ip >= 0)
		memcpy(fixed + l->ip, &s->ip, 8);
	if (l->addr >= 0)
		memcpy(fixed + l->addr, &s->addr, 8);
}

static void put_read(struct field_sink *to, const struct sample *s)
{
	if (s->read.format & READ_GROUP) {
		put_u64(to, s->read.n);
		if (s->read.format & READ_TIME_ENABLED)
			put_u64(to, s->read.enabled);
		if (s->read.format & READ_TIME_RUNNING)
			put_u64(to, s->read.running);
	}
	put(to, s->read.values, s->read.n * s->read.stride);
}

static void put_branches(struct field_sink *to, uint64_t branch_type, const struct sample *s)
{
	put_u64(to, s->branch.n);
	if (branch_type & BRANCH_HW_INDEX)
		put_u64(to, s->branch.hw_idx);
	put(to, s->branch.entries, s->branch.n * BRANCH_BYTES);
	if (branch_type & BRANCH_COUNTERS)
		put(to, s->branch.counters, s->branch.n * 8);
}

static void put_regs(struct field_sink *to, const struct sample_regs *regs)
{
	put_u64(to, regs->abi);
	if (regs->values)
		put(to, regs->values, 8 * (uint64_t)__builtin_popcountll(regs->mask));
}

static void put_stack(struct field_sink *to, const struct sample *s)
{
	put_u64(to, s->stack_user.size);
	if (!s->stack_user.size)
		return;
	put(to, s->stack_user.data, s->stack_user.size);
	put_u64(to, s->stack_user.dyn_size);
}

static void put_weight(struct field_sink *to, uint64_t type, const struct sample *s)
{
	bool parts = type & SAMPLE_WEIGHT_STRUCT;

	put_u64(to, parts ? s->weight | (uint64_t)s->ins_lat << 32 | (uint64_t)s->retire_lat << 48 : s->weight);
}

static void put_variable(struct field_sink *to, const struct attr *a, uint64_t type, const struct sample *s)
{
	if (type & SAMPLE_READ)
		put_read(to, s);
	if (type & SAMPLE_CALLCHAIN) {
		put_u64(to, s->n_chain);
		put(to, s->chain, s->n_chain * 8);
	}
	if (type & SAMPLE_RAW) {
		put(to, &s->raw_size, sizeof(s->raw_size));
		put(to, s->raw, s->raw_size);
	}
	if (type & SAMPLE_BRANCH_STACK)
		put_branches(to, a->branch_sample_type, s);
	if (type & SAMPLE_REGS_USER)
		put_regs(to, &s->regs_user);
	if (type & SAMPLE_STACK_USER)
		put_stack(to, s);
	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		put_weight(to, type, s);
	if (type & SAMPLE_DATA_SRC)
		put_u64(to, s->data_src);
	if (type & SAMPLE_TRANSACTION)
		put_u64(to, s->transaction);
	if (type & SAMPLE_REGS_INTR)
		put_regs(to, &s->regs_intr);
	if (type & SAMPLE_PHYS_ADDR)
		put_u64(to, s->phys_addr);
	if (type & SAMPLE_CGROUP)
		put_u64(to, s->cgroup);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		put_u64(to, s->data_page_size);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		put_u64(to, s->code_page_size);
	if (type & SAMPLE_AUX) {
		put_u64(to, s->aux_size);
		put(to, s->aux, s->aux_size);
	}
}

size_t sample_encode(const struct perfdata *pd, const struct record *r, const struct sample *s, uint64_t type,
		     uint8_t *body, size_t room)
{
	const struct file_event *event = &pd->events[s->event];
	static const uint8_t zeros[8];
	struct field_sink to = { body, body + room, false };

	put_fixed(&to, &event->layout, r->body, s);
	put_variable(&to, &event->attr, type, s);
	put(&to, zeros, (uint64_t)(-(to.at - body) & 7));
	return to.full ? 0 : (size_t)(to.at - body);
}
