#include "tests/lib/build.h"

#include <err.h>
#include <zstd.h>

enum { HEADER = 104, PIPE_HEADER = 16, ATTR_SIZE = 128, MAX_RECORD = 65536 };

static bool is_pipe(const struct build *b) { return b->form == BUILD_PIPE || b->form == BUILD_PIPE_SWAPPED; }
static bool is_swapped(const struct build *b) { return b->form == BUILD_FILE_SWAPPED || b->form == BUILD_PIPE_SWAPPED; }
static bool is_big(const struct build *b) { return is_swapped(b) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__); }

const char *build_form_name(enum build_form form)
{
	static const char *const names[] = { "file", "file of the other byte order", "pipe",
					     "pipe of the other byte order" };

	return names[form];
}

/* Bytes under construction, in the byte order of the input. */
struct sink {
	uint8_t *data;
	size_t len, size;
	bool big;
};

static void put(struct sink *s, uint64_t v, size_t width)
{
	if (s->len + width > s->size)
		errx(1, "build: a record of more than %zu bytes", s->size);
	for (size_t i = 0; i < width; i++)
		s->data[s->len++] = (uint8_t)(v >> 8 * (s->big ? width - 1 - i : i));
}
static void put_u16(struct sink *s, uint64_t v) { put(s, v, 2); }
static void put_u32(struct sink *s, uint64_t v) { put(s, v, 4); }
static void put_u64(struct sink *s, uint64_t v) { put(s, v, 8); }
static void put_bytes(struct sink *s, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(s, ((const uint8_t *)p)[i], 1);
}
static void pad(struct sink *s, size_t to)
{
	while (s->len % to)
		put(s, 0, 1);
}
static void put_text(struct sink *s, const char *text)
{
	put_bytes(s, text ? text : "", text ? strlen(text) + 1 : 1);
	pad(s, 8);
}

static struct sink sink_for(const struct build *b, void *data, size_t size)
{
	return (struct sink){ .data = data, .size = size, .big = is_big(b) };
}

/*
 * Bit fields begin at the other end of the word on big-endian machines; a field of two bits keeps
 * its order.
 */
static uint64_t flags_in_file(const struct build *b, uint64_t flags)
{
	uint64_t out = 0, precise = flags >> ATTR_PRECISE_SHIFT & 3;

	if (!is_big(b))
		return flags;
	for (unsigned bit = 0; bit < 64; bit++)
		if (bit != ATTR_PRECISE_SHIFT && bit != ATTR_PRECISE_SHIFT + 1 && flags >> bit & 1)
			out |= 1ull << (63 - bit);
	return out | precise << (62 - ATTR_PRECISE_SHIFT);
}

static void put_attr(const struct build *b, struct sink *s, const struct attr *a, uint32_t size)
{
	uint8_t whole[ATTR_SIZE_MAX];
	struct sink t = sink_for(b, whole, sizeof(whole));

	put_u32(&t, a->type), put_u32(&t, size), put_u64(&t, a->config), put_u64(&t, a->sample_period),
		put_u64(&t, a->sample_type);
	put_u64(&t, a->read_format), put_u64(&t, flags_in_file(b, a->flags)), put_u32(&t, a->wakeup_events),
		put_u32(&t, a->bp_type);
	put_u64(&t, a->config1), put_u64(&t, a->config2), put_u64(&t, a->branch_sample_type),
		put_u64(&t, a->sample_regs_user);
	put_u32(&t, a->sample_stack_user), put_u32(&t, (uint32_t)a->clockid), put_u64(&t, a->sample_regs_intr),
		put_u32(&t, a->aux_watermark);
	put_u16(&t, a->sample_max_stack), put_u16(&t, a->reserved_2), put_u32(&t, a->aux_sample_size),
		put_u32(&t, a->aux_action);
	put_u64(&t, a->sig_data), put_u64(&t, a->config3), put_u64(&t, a->config4);
	put_bytes(s, whole, MIN(size, (uint32_t)sizeof(whole)));
	for (uint32_t i = sizeof(whole); i < size; i++)
		put(s, 0, 1);
}

static void append(struct build *b, const void *p, size_t n) { memcpy(vec_add(&b->records, n), p, n); }

/* Begin a record. The header is filled in when the body is known. */
static struct sink record_start(const struct build *b, uint8_t *data, uint32_t type, uint16_t misc)
{
	struct sink s = sink_for(b, data, MAX_RECORD);

	put_u32(&s, type), put_u16(&s, misc), put_u16(&s, 0);
	return s;
}

static void record_end(struct build *b, struct sink *s)
{
	size_t len = s->len;

	s->len = 6;
	put_u16(s, len);
	append(b, s->data, len);
}

static void put_trailer(const struct build *b, struct sink *s, int32_t pid, int32_t tid, uint64_t time, uint32_t cpu,
			size_t event)
{
	const struct attr *a = &b->events.items[event].attr;

	if (!(a->flags & ATTR_SAMPLE_ID_ALL))
		return;
	if (a->sample_type & SAMPLE_TID)
		put_u32(s, (uint32_t)pid), put_u32(s, (uint32_t)tid);
	if (a->sample_type & SAMPLE_TIME)
		put_u64(s, time);
	if (a->sample_type & SAMPLE_ID)
		put_u64(s, b->events.items[event].ids[0]);
	if (a->sample_type & SAMPLE_STREAM_ID)
		put_u64(s, 0);
	if (a->sample_type & SAMPLE_CPU)
		put_u32(s, cpu), put_u32(s, 0);
	if (a->sample_type & SAMPLE_IDENTIFIER)
		put_u64(s, b->events.items[event].ids[0]);
}
#define PUT_TRAILER(b, s, w) put_trailer((b), (s), (w)->pid, (w)->tid, (w)->time, (w)->cpu, (w)->event)

struct build build_start_as(enum build_form form, uint64_t sample_type)
{
	struct build b = { .form = form };
	struct build_event *ev = vec_add(&b.events, 1);

	ev->attr = (struct attr){ .type = ATTR_TYPE_SOFTWARE,
				  .sample_period = 1,
				  .sample_type = sample_type,
				  .flags = ATTR_SAMPLE_ID_ALL | ATTR_COMM | ATTR_MMAP | ATTR_MMAP2 | ATTR_TASK };
	ev->name = "cpu-clock";
	ev->ids[0] = 1;
	ev->n_ids = 1;
	return b;
}

struct build build_start(uint64_t sample_type) { return build_start_as(BUILD_FILE, sample_type); }
struct attr *build_attr(struct build *b, size_t event) { return &b->events.items[event].attr; }

size_t build_event(struct build *b, uint64_t sample_type, const char *name)
{
	struct build_event ev = b->events.items[0];

	ev.attr.sample_type = sample_type;
	ev.name = name;
	ev.ids[0] = b->events.len + 1;
	vec_push(&b->events, ev);
	return b->events.len - 1;
}

void build_release(struct build *b)
{
	for (size_t i = 0; i < b->features.len; i++)
		free(b->features.items[i].data);
	vec_free(&b->events);
	vec_free(&b->features);
	vec_free(&b->records);
	vec_free(&b->bytes);
}

void build_feature(struct build *b, unsigned bit, const void *data, size_t size)
{
	struct build_feature f = { bit, xmalloc(size + 1), size };

	memcpy(f.data, data, size);
	vec_push(&b->features, f);
}

void build_feature_text(struct build *b, unsigned bit, const char *text)
{
	uint8_t data[1024];
	struct sink s = sink_for(b, data, sizeof(data));

	put_u32(&s, ROUND_UP(strlen(text) + 1, 64));
	put_bytes(&s, text, strlen(text));
	do
		put(&s, 0, 1);
	while ((s.len - 4) % 64);
	build_feature(b, bit, data, s.len);
}

void build_raw(struct build *b, const void *bytes, size_t size) { append(b, bytes, size); }

void build_record(struct build *b, uint32_t type, uint16_t misc, const void *body, size_t size, const char *shape)
{
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, type, misc);
	const uint8_t *p = body, *end = p + size;

	for (; *shape && *shape != 's'; shape++) {
		size_t width = (size_t)(*shape - '0');
		uint64_t v = 0;

		if (width > (size_t)(end - p))
			errx(1, "build: the shape asks for more than the %zu bytes there are", size);
		for (size_t i = 0; i < width; i++)
			v |= (uint64_t)p[i] << 8 * (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? width - 1 - i : i);
		put(&s, v, width);
		p += width;
	}
	put_bytes(&s, p, (size_t)(end - p));
	record_end(b, &s);
}

void build_comm_(struct build *b, const struct build_comm *c)
{
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, RECORD_COMM, c->misc | (c->exec ? MISC_COMM_EXEC : 0));

	put_u32(&s, (uint32_t)c->pid), put_u32(&s, (uint32_t)c->tid);
	put_text(&s, c->comm);
	PUT_TRAILER(b, &s, c);
	record_end(b, &s);
}

void build_task_(struct build *b, uint32_t type, const struct build_task *t)
{
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, type, t->misc);

	put_u32(&s, (uint32_t)t->pid), put_u32(&s, (uint32_t)t->ppid), put_u32(&s, (uint32_t)t->tid),
		put_u32(&s, (uint32_t)t->ptid);
	put_u64(&s, t->time);
	PUT_TRAILER(b, &s, t);
	record_end(b, &s);
}

void build_mmap_(struct build *b, const struct build_mmap *m)
{
	uint8_t data[MAX_RECORD], id[20] = { 0 };
	bool data_only = m->prot && !(m->prot & 4);
	uint16_t misc = m->misc | (data_only ? MISC_MMAP_DATA : 0) | (m->build_id ? MISC_MMAP_BUILD_ID : 0);
	struct sink s = record_start(b, data, m->old ? RECORD_MMAP : RECORD_MMAP2, misc);

	put_u32(&s, (uint32_t)m->pid), put_u32(&s, (uint32_t)m->tid), put_u64(&s, m->start), put_u64(&s, m->len),
		put_u64(&s, m->pgoff);
	if (!m->old && m->build_id) {
		memcpy(id, m->build_id, MIN(m->build_id_size, sizeof(id)));
		put(&s, m->build_id_size, 1), put(&s, 0, 1), put_u16(&s, 0), put_bytes(&s, id, sizeof(id));
	} else if (!m->old) {
		put_u32(&s, m->maj), put_u32(&s, m->min), put_u64(&s, m->ino), put_u64(&s, m->generation);
	}
	if (!m->old)
		put_u32(&s, m->prot ? m->prot : 5), put_u32(&s, m->flags ? m->flags : 2);
	put_text(&s, m->filename);
	PUT_TRAILER(b, &s, m);
	record_end(b, &s);
}

void build_lost_(struct build *b, const struct build_lost *l)
{
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, RECORD_LOST, l->misc);

	put_u64(&s, l->id), put_u64(&s, l->lost);
	PUT_TRAILER(b, &s, l);
	record_end(b, &s);
}

void build_cgroup_(struct build *b, const struct build_path *p)
{
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, RECORD_CGROUP, p->misc);

	put_u64(&s, p->id);
	put_text(&s, p->path);
	PUT_TRAILER(b, &s, p);
	record_end(b, &s);
}

void build_ksymbol_(struct build *b, const struct build_ksymbol *k)
{
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, RECORD_KSYMBOL, k->misc);

	put_u64(&s, k->addr), put_u32(&s, k->len), put_u16(&s, k->type), put_u16(&s, k->flags);
	put_text(&s, k->name);
	PUT_TRAILER(b, &s, k);
	for (unsigned i = 0; i < k->excess; i++)
		put_u64(&s, 0x1122334455667788);
	record_end(b, &s);
}

static void put_regs(struct sink *s, uint64_t abi, uint64_t mask, const uint64_t *regs)
{
	put_u64(s, abi);
	for (int i = 0; abi && i < __builtin_popcountll(mask); i++)
		put_u64(s, regs ? regs[i] : 0);
}

/*
 * Convert branch flags, field by field from the first bit, which is the highest one on big-endian
 * machines.
 */
static uint64_t branch_flags_in_file(const struct build *b, uint64_t flags)
{
	static const unsigned widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	uint64_t out = 0;
	unsigned from = 0;

	if (!is_big(b))
		return flags;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		out = out << widths[i] | (flags >> from & ((1ull << widths[i]) - 1));
		from += widths[i];
	}
	return out << (64 - from);
}

static void put_branches(const struct build *b, struct sink *s, const struct attr *a, const struct build_sample *m)
{
	put_u64(s, m->n_branches);
	if (a->branch_sample_type & BRANCH_HW_INDEX)
		put_u64(s, m->hw_idx);
	for (size_t i = 0; i < m->n_branches; i++)
		put_u64(s, m->branches[i].from), put_u64(s, m->branches[i].to),
			put_u64(s, branch_flags_in_file(b, m->branches[i].flags));
	for (size_t i = 0; a->branch_sample_type & BRANCH_COUNTERS && i < m->n_branches; i++)
		put_u64(s, m->counters ? m->counters[i] : 0);
}

static void put_fixed(const struct build *b, struct sink *s, uint64_t type, const struct build_sample *m)
{
	uint64_t id = b->events.items[m->event].ids[0];

	if (type & SAMPLE_IDENTIFIER)
		put_u64(s, id);
	if (type & SAMPLE_IP)
		put_u64(s, m->ip);
	if (type & SAMPLE_TID)
		put_u32(s, (uint32_t)m->pid), put_u32(s, (uint32_t)m->tid);
	if (type & SAMPLE_TIME)
		put_u64(s, m->time);
	if (type & SAMPLE_ADDR)
		put_u64(s, m->addr);
	if (type & SAMPLE_ID)
		put_u64(s, id);
	if (type & SAMPLE_STREAM_ID)
		put_u64(s, m->stream_id);
	if (type & SAMPLE_CPU)
		put_u32(s, m->cpu), put_u32(s, 0);
	if (type & SAMPLE_PERIOD)
		put_u64(s, m->period);
}

static void put_stack(struct sink *s, const struct build_sample *m)
{
	put_u64(s, m->stack_size);
	if (!m->stack_size)
		return;
	put_bytes(s, m->stack, m->stack_size);
	put_u64(s, m->stack_dyn);
}

static void put_tail(struct sink *s, uint64_t type, const struct attr *a, const struct build_sample *m)
{
	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		put_u64(s, m->weight);
	if (type & SAMPLE_DATA_SRC)
		put_u64(s, m->data_src);
	if (type & SAMPLE_TRANSACTION)
		put_u64(s, m->transaction);
	if (type & SAMPLE_REGS_INTR)
		put_regs(s, m->intr_abi, a->sample_regs_intr, m->intr_regs);
	if (type & SAMPLE_PHYS_ADDR)
		put_u64(s, m->phys_addr);
	if (type & SAMPLE_CGROUP)
		put_u64(s, m->cgroup);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		put_u64(s, m->data_page_size);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		put_u64(s, m->code_page_size);
	if (type & SAMPLE_AUX)
		put_u64(s, m->aux_size), put_bytes(s, m->aux, m->aux_size), pad(s, 8);
}

void build_sample_(struct build *b, const struct build_sample *m)
{
	const struct attr *a = &b->events.items[m->event].attr;
	uint64_t type = a->sample_type;
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, RECORD_SAMPLE, m->misc ? m->misc : CPUMODE_USER);

	put_fixed(b, &s, type, m);
	for (size_t i = 0; type & SAMPLE_READ && i < m->n_read; i++)
		put_u64(&s, m->read[i]);
	if (type & SAMPLE_CALLCHAIN)
		put_u64(&s, m->n_chain);
	for (size_t i = 0; type & SAMPLE_CALLCHAIN && i < m->n_chain; i++)
		put_u64(&s, m->chain[i]);
	if (type & SAMPLE_RAW)
		put_u32(&s, ROUND_UP(m->raw_size + 4, 8) - 4), put_bytes(&s, m->raw, m->raw_size), pad(&s, 8);
	if (type & SAMPLE_BRANCH_STACK)
		put_branches(b, &s, a, m);
	if (type & SAMPLE_REGS_USER)
		put_regs(&s, m->user_abi, a->sample_regs_user, m->user_regs);
	if (type & SAMPLE_STACK_USER)
		put_stack(&s, m);
	put_tail(&s, type, a, m);
	record_end(b, &s);
}

void build_round(struct build *b)
{
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, RECORD_FINISHED_ROUND, 0);

	record_end(b, &s);
}

void build_update(struct build *b, size_t event, uint64_t type, const char *text)
{
	uint8_t data[MAX_RECORD];
	struct sink s = record_start(b, data, RECORD_EVENT_UPDATE, 0);

	put_u64(&s, type), put_u64(&s, b->events.items[event].ids[0]);
	put_text(&s, text);
	record_end(b, &s);
}

void build_compress(struct build *b, size_t from)
{
	uint8_t data[MAX_RECORD], packed[MAX_RECORD];
	struct sink s = record_start(b, data, RECORD_COMPRESSED2, 0);
	size_t n = ZSTD_compress(packed, sizeof(packed), b->records.items + from, b->records.len - from, 1);

	if (ZSTD_isError(n))
		errx(1, "build: %s", ZSTD_getErrorName(n));
	b->records.len = from;
	put_u64(&s, n);
	put_bytes(&s, packed, n);
	pad(&s, 8);
	record_end(b, &s);
}

static void emit(struct build *b, const struct sink *s) { memcpy(vec_add(&b->bytes, s->len), s->data, s->len); }
static uint32_t attr_size(const struct build *b) { return b->attr_size ? b->attr_size : ATTR_SIZE; }

/* Write the names in the form of EVENT_DESC. */
static size_t event_desc(const struct build *b, uint8_t *data, size_t size)
{
	struct sink s = sink_for(b, data, size);

	put_u32(&s, b->events.len), put_u32(&s, attr_size(b));
	for (size_t i = 0; i < b->events.len; i++) {
		const struct build_event *ev = &b->events.items[i];
		const char *name = ev->name ? ev->name : "";

		put_attr(b, &s, &ev->attr, attr_size(b));
		put_u32(&s, ev->n_ids), put_u32(&s, ROUND_UP(strlen(name) + 1, 64));
		put_bytes(&s, name, strlen(name));
		for (size_t n = strlen(name); n < ROUND_UP(strlen(name) + 1, 64); n++)
			put(&s, 0, 1);
		for (size_t k = 0; k < ev->n_ids; k++)
			put_u64(&s, ev->ids[k]);
	}
	return s.len;
}

static void emit_pipe(struct build *b)
{
	uint8_t data[MAX_RECORD];
	struct sink s = sink_for(b, data, sizeof(data));

	put_u64(&s, 0x32454c4946524550), put_u64(&s, PIPE_HEADER);
	emit(b, &s);
	for (size_t i = 0; i < b->events.len; i++) {
		s.len = 0;
		put_u32(&s, RECORD_HEADER_ATTR), put_u16(&s, 0),
			put_u16(&s, 8 + attr_size(b) + 8 * b->events.items[i].n_ids);
		put_attr(b, &s, &b->events.items[i].attr, attr_size(b));
		for (size_t k = 0; k < b->events.items[i].n_ids; k++)
			put_u64(&s, b->events.items[i].ids[k]);
		emit(b, &s);
	}
	for (size_t i = 0; i < b->features.len; i++) {
		s.len = 0;
		put_u32(&s, RECORD_HEADER_FEATURE), put_u16(&s, 0), put_u16(&s, 16 + b->features.items[i].size);
		put_u64(&s, b->features.items[i].bit),
			put_bytes(&s, b->features.items[i].data, b->features.items[i].size);
		emit(b, &s);
	}
	if (b->records.len)
		memcpy(vec_add(&b->bytes, b->records.len), b->records.items, b->records.len);
}

static int by_bit(const void *a, const void *b)
{
	return (int)((const struct build_feature *)a)->bit - (int)((const struct build_feature *)b)->bit;
}

static void put_header(struct build *b, struct sink *s, uint64_t attrs_at, uint64_t data_at)
{
	uint64_t bits[4] = { 0 };

	for (size_t i = 0; i < b->features.len; i++)
		bits[b->features.items[i].bit / 64] |= 1ull << b->features.items[i].bit % 64;
	if (b->v1)
		put_bytes(s, "PERFFILE", 8);
	else
		put_u64(s, 0x32454c4946524550);
	put_u64(s, b->header_size ? b->header_size : HEADER), put_u64(s, attr_size(b) + 16);
	put_u64(s, attrs_at), put_u64(s, b->events.len * (attr_size(b) + 16));
	put_u64(s, data_at), put_u64(s, b->unclosed ? 0 : b->records.len);
	put_u64(s, 0), put_u64(s, 0);
	for (int i = 0; i < 4 && b->header_size != 72; i++)
		put_u64(s, bits[i]);
}

/* Write header, ids, attrs, records, then the table of features and the sections. */
static void emit_file(struct build *b)
{
	uint8_t *data = xmalloc(1 << 20);
	struct sink s = sink_for(b, data, 1 << 20);
	uint64_t header = b->header_size ? b->header_size : HEADER, ids_at = header, attrs_at, data_at, at;

	attrs_at = ids_at;
	for (size_t i = 0; i < b->events.len; i++)
		attrs_at += 8 * b->events.items[i].n_ids;
	data_at = attrs_at + b->events.len * (attr_size(b) + 16);
	qsort(b->features.items, b->features.len, sizeof(*b->features.items), by_bit);
	put_header(b, &s, attrs_at, data_at);
	for (size_t i = 0; i < b->events.len; i++)
		for (size_t k = 0; k < b->events.items[i].n_ids; k++)
			put_u64(&s, b->events.items[i].ids[k]);
	for (size_t i = 0; i < b->events.len; i++) {
		put_attr(b, &s, &b->events.items[i].attr, attr_size(b));
		put_u64(&s, ids_at), put_u64(&s, 8 * b->events.items[i].n_ids);
		ids_at += 8 * b->events.items[i].n_ids;
	}
	emit(b, &s);
	if (b->records.len)
		memcpy(vec_add(&b->bytes, b->records.len), b->records.items, b->records.len);
	s.len = 0;
	at = b->bytes.len + 16 * b->features.len;
	for (size_t i = 0; i < b->features.len; i++) {
		put_u64(&s, at), put_u64(&s, b->features.items[i].size);
		at += b->features.items[i].size;
	}
	for (size_t i = 0; i < b->features.len; i++)
		put_bytes(&s, b->features.items[i].data, b->features.items[i].size);
	emit(b, &s);
	free(data);
}

const uint8_t *build_bytes(struct build *b, size_t *len)
{
	bool has_desc = false;
	uint8_t data[MAX_RECORD];

	for (size_t i = 0; i < b->features.len; i++)
		has_desc |= b->features.items[i].bit == FEATURE_EVENT_DESC;
	if (!has_desc && b->events.items[0].name && b->header_size != 72)
		build_feature(b, FEATURE_EVENT_DESC, data, event_desc(b, data, sizeof(data)));
	/* HOSTNAME shows a reader that it read the feature bits of the other byte order correctly. */
	if (!has_desc && !is_pipe(b) && b->header_size != 72)
		build_feature_text(b, FEATURE_HOSTNAME, "host");
	vec_clear(&b->bytes);
	is_pipe(b) ? emit_pipe(b) : emit_file(b);
	*len = b->bytes.len;
	return b->bytes.items;
}

struct perfdata *build_open(struct build *b)
{
	struct err e = { 0 };
	size_t len;
	const uint8_t *p = build_bytes(b, &len);
	struct perfdata *pd = perfdata_open_memory("built", p, len, &e);

	if (!pd)
		errx(1, "build: %s: %s", e.what, e.why);
	return pd;
}

char *build_file(struct build *b)
{
	char *path = xstrdup("/tmp/strobe-build-XXXXXX");
	int fd = mkstemp(path);
	size_t len;
	const uint8_t *p = build_bytes(b, &len);

	if (fd < 0 || write(fd, p, len) != (ssize_t)len)
		err(1, "build: %s", path);
	close(fd);
	return path;
}
