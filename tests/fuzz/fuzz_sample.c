/*
 * Samples of any event: the first 64 bytes set its attr, the rest is the body of a record. Read
 * what decodes to its last byte.
 */
#include "format/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 104, ENTRY = ATTR_SIZE_MAX + 16, SETTINGS = 64, MAX_BODY = 4096 };

static uint64_t order(uint64_t v, bool swap) { return swap ? __builtin_bswap64(v) : v; }

/* Make a file with this event and no records except FINISHED_ROUND. */
static struct perfdata *open_event(const struct attr *a, bool swap, uint8_t file[HEADER + ENTRY + 8])
{
	const uint64_t words[] = { 0x32454c4946524550, HEADER, ENTRY, HEADER, ENTRY, HEADER + ENTRY, 8 };
	struct attr other = *a;
	uint32_t type = RECORD_FINISHED_ROUND;
	uint16_t len = 8;

	memset(file, 0, HEADER + ENTRY + 8);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		uint64_t v = order(words[i], swap);

		memcpy(file + 8 * i, &v, 8);
	}
	if (swap) {
		uint32_t attr_size = __builtin_bswap32(ATTR_SIZE_MAX);

		other.sample_type = order(a->sample_type, true);
		other.read_format = order(a->read_format, true);
		other.branch_sample_type = order(a->branch_sample_type, true);
		other.sample_regs_user = order(a->sample_regs_user, true);
		other.sample_regs_intr = order(a->sample_regs_intr, true);
		memcpy(file + HEADER, &other, sizeof(other));
		memcpy(file + HEADER + 4, &attr_size, 4);
		type = __builtin_bswap32(type);
		len = __builtin_bswap16(len);
	} else {
		attr_encode(a, ATTR_SIZE_MAX, file + HEADER);
	}
	memcpy(file + HEADER + ENTRY, &type, 4);
	memcpy(file + HEADER + ENTRY + 6, &len, 2);
	return perfdata_open_memory("event", file, HEADER + ENTRY + 8, NULL);
}

static void read_views(const struct sample *s, struct out *o)
{
	uint64_t value, id, lost;

	out_mem(o, (const char *)s->chain, s->n_chain * 8);
	out_mem(o, (const char *)s->raw, s->raw_size);
	out_mem(o, (const char *)s->branch.entries, s->branch.n * 24);
	if (s->branch.counters)
		out_mem(o, (const char *)s->branch.counters, s->branch.n * 8);
	if (s->regs_user.values)
		out_mem(o, (const char *)s->regs_user.values, 8 * (size_t)__builtin_popcountll(s->regs_user.mask));
	if (s->regs_intr.values)
		out_mem(o, (const char *)s->regs_intr.values, 8 * (size_t)__builtin_popcountll(s->regs_intr.mask));
	if (s->stack_user.size)
		out_mem(o, (const char *)s->stack_user.data, s->stack_user.size);
	if (s->stack_user.dyn_size > s->stack_user.size)
		abort();
	out_mem(o, (const char *)s->aux, s->aux_size);
	for (uint64_t i = 0; i < s->read.n && i < 1000; i++)
		sample_read_value(s, i, &value, &id, &lost);
}

static void decode(const struct perfdata *pd, uint8_t *record, size_t size, struct out *o)
{
	struct chunk c;
	struct record r;
	struct sample s;
	int event;

	chunk_over(pd, record, size, &c);
	while (chunk_next(&c, &r, NULL) > 0) {
		event = perfdata_event_of(pd, &r);
		if (event < 0 || sample_decode(pd, &r, (uint32_t)event, &s, NULL) < 0)
			continue;
		read_views(&s, o);
		record_print(pd, &r, o);
	}
	chunk_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct attr a = { .size = ATTR_SIZE_MAX };
	uint8_t file[HEADER + ENTRY + 8], *record;
	struct perfdata *pd;
	struct out o;
	size_t body;

	if (size < SETTINGS)
		return 0;
	a.sample_type = load_u64(data);
	a.read_format = load_u64(data + 8);
	a.branch_sample_type = load_u64(data + 16);
	a.sample_regs_user = load_u64(data + 24);
	a.sample_regs_intr = load_u64(data + 32);
	body = MIN(size - SETTINGS, (size_t)MAX_BODY);
	record = xmalloc(8 + body); /* of exact size, so that a read beyond it is seen */
	memcpy(record + 8, data + SETTINGS, body);
	out_init_mem(&o);
	for (int swap = 0; swap < 2; swap++) {
		uint32_t type = swap ? __builtin_bswap32(RECORD_SAMPLE) : RECORD_SAMPLE;
		uint16_t len = swap ? __builtin_bswap16((uint16_t)(8 + body)) : (uint16_t)(8 + body);

		memcpy(record, &type, 4);
		memcpy(record + 4, data + 40, 2);
		memcpy(record + 6, &len, 2);
		pd = open_event(&a, swap, file);
		if (!pd)
			abort();
		decode(pd, record, 8 + body, &o);
		perfdata_close(pd);
	}
	free(record);
	out_release(&o);
	return 0;
}
