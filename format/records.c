#include "format/records_priv.h"

#include <sys/mman.h>

/* Swap bodies whose shape depends on their contents. */

static void swap_rest(uint8_t *body, size_t from, size_t to)
{
	for (size_t at = from; at + 8 <= to; at += 8)
		swap_u64(body + at);
}

static void swap_sample(const struct perfdata *pd, uint16_t misc, uint8_t *body, size_t size)
{
	const struct layout *l;
	struct record r = { .type = RECORD_SAMPLE, .misc = misc, .body = body, .size = (uint16_t)size };
	int event = 0;

	if (!pd->n_events)
		return;
	/* Read the id first: it selects the event, which decides where the other fields lie. */
	l = &pd->events[0].layout;
	if (l->any_id >= 0 && size >= (size_t)l->any_id + 8) {
		swap_u64(body + l->any_id);
		event = perfdata_event_of(pd, &r);
		swap_u64(body + l->any_id);
	}
	sample_swap(&pd->events[event < 0 ? 0 : event], body, size);
}

static void swap_mmap2(const struct perfdata *pd, uint16_t misc, uint8_t *body, size_t size)
{
	/*
	 * The body: pid, tid, start, len, pgoff; {maj, min, ino, generation} or a build-id; prot,
	 * flags; filename.
	 */
	struct record r = { .type = RECORD_MMAP2, .misc = misc, .body = body, .size = (uint16_t)size };
	struct record_mmap m;

	swap_u32(body), swap_u32(body + 4);
	swap_u64(body + 8), swap_u64(body + 16), swap_u64(body + 24);
	swap_u32(body + 56), swap_u32(body + 60);
	if (record_mmap(NULL, &r, &m) == 0 && m.build_id_size)
		return;
	swap_u32(body + 32), swap_u32(body + 36);
	swap_u64(body + 40), swap_u64(body + 48);
}

static void swap_header_attr(const struct perfdata *pd, uint16_t misc, uint8_t *body, size_t size)
{
	struct attr a;
	uint8_t host[ATTR_SIZE_MAX];

	if (attr_decode(&a, body, size, true, NULL, NULL) < 0)
		return;
	attr_encode(&a, ATTR_SIZE_MAX, host);
	swap_rest(body, a.size, size);
	memcpy(body, host, MIN(a.size, (uint32_t)ATTR_SIZE_MAX));
	memcpy(body + 4, &a.size, 4);
}

/*
 * Swap a CPU map. Its 8-byte words are not aligned: they begin 18 bytes after the record's start.
 * Source: strobe.data(5), "CPU_MAP".
 */
static void swap_cpu_map_at(uint8_t *body, size_t at, size_t size)
{
	uint16_t type, n, word;

	if (size < at + 4)
		return;
	swap_u16(body + at), swap_u16(body + at + 2);
	memcpy(&type, body + at, 2);
	memcpy(&n, body + at + 2, 2);
	at += 4;
	if (type == CPU_MAP_CPUS) {
		for (; n && at + 2 <= size; at += 2, n--)
			swap_u16(body + at);
	} else if (type == CPU_MAP_RANGE) {
		/* any_cpu and a pad are two bytes, no number: swap them back */
		swap_u16(body + at - 2);
		for (int i = 0; i < 2 && at + 2 <= size; i++, at += 2)
			swap_u16(body + at);
	} else if (type == CPU_MAP_MASK && at + 2 <= size) {
		swap_u16(body + at);
		memcpy(&word, body + at, 2);
		at += word == 8 ? 6 : 2;
		for (; n && at + word <= size; at += word, n--)
			word == 8 ? swap_u64(body + at) : swap_u32(body + at);
	}
}

static void swap_cpu_map(const struct perfdata *pd, uint16_t misc, uint8_t *body, size_t size)
{
	swap_cpu_map_at(body, 0, size);
}

static void swap_event_update(const struct perfdata *pd, uint16_t misc, uint8_t *body, size_t size)
{
	uint64_t type;

	swap_rest(body, 0, 16);
	type = load_u64(body);
	if (type == EVENT_UPDATE_SCALE)
		swap_rest(body, 16, MIN(size, 24));
	else if (type == EVENT_UPDATE_CPUS)
		swap_cpu_map_at(body, 16, size);
}

static void swap_thread_map(const struct perfdata *pd, uint16_t misc, uint8_t *body, size_t size)
{
	swap_u64(body);
	for (size_t at = 8; at + 24 <= size; at += 24)
		swap_u64(body + at);
}

/*
 * Every record type. To add one: its number in enum record_type, a row here, and a paragraph in
 * strobe.data(5). The fields drive byte swapping and the text of dumps; where they cannot,
 * functions in the row do. Source: perf_event_open(2); linux/perf_event.h; strobe.data(5),
 * "Records".
 */
static const struct record_row rows[RECORD_TYPES] = {
	[RECORD_MMAP] = { "MMAP",
			  33,
			  { { "pid", S32 },
			    { "tid", S32 },
			    { "start", U64 },
			    { "len", U64 },
			    { "pgoff", U64 },
			    { "filename", TEXT } },
			  .print = print_mmap,
			  .sideband = true },
	[RECORD_LOST] = { "LOST", 16, { { "id", U64 }, { "lost", U64 } }, .text = ": id:{id}: lost:{lost}" },
	[RECORD_COMM] = { "COMM",
			  9,
			  { { "pid", S32 }, { "tid", S32 }, { "comm", TEXT } },
			  .print = print_comm,
			  .sideband = true },
	[RECORD_EXIT] = { "EXIT",
			  24,
			  { { "pid", S32 }, { "ppid", S32 }, { "tid", S32 }, { "ptid", S32 }, { "time", U64 } },
			  .text = "({pid}:{tid}):({ppid}:{ptid})",
			  .sideband = true },
	[RECORD_THROTTLE] = { "THROTTLE", 24, { { "time", U64 }, { "id", U64 }, { "stream_id", U64 } } },
	[RECORD_UNTHROTTLE] = { "UNTHROTTLE", 24, { { "time", U64 }, { "id", U64 }, { "stream_id", U64 } } },
	[RECORD_FORK] = { "FORK",
			  24,
			  { { "pid", S32 }, { "ppid", S32 }, { "tid", S32 }, { "ptid", S32 }, { "time", U64 } },
			  .text = "({pid}:{tid}):({ppid}:{ptid})",
			  .sideband = true },
	[RECORD_READ] = { "READ", 16, { { "pid", S32 }, { "tid", S32 }, { "values", WORDS } }, .print = print_read },
	[RECORD_SAMPLE] = { "SAMPLE", 0, .swap = swap_sample, .print = print_sample },
	[RECORD_MMAP2] = { "MMAP2", 65, .swap = swap_mmap2, .print = print_mmap, .sideband = true },
	[RECORD_AUX] = { "AUX", 24, { { "offset", U64 }, { "size", U64 }, { "flags", U64 } }, .print = print_aux },
	[RECORD_ITRACE_START] = { "ITRACE_START",
				  8,
				  { { "pid", S32 }, { "tid", S32 } },
				  .text = " pid: {pid} tid: {tid}" },
	[RECORD_LOST_SAMPLES] = { "LOST_SAMPLES", 8, { { "lost", U64 } }, .print = print_lost_samples },
	[RECORD_SWITCH] = { "SWITCH", 0, { { 0 } }, .print = print_switch },
	[RECORD_SWITCH_CPU_WIDE] = { "SWITCH_CPU_WIDE", 8, { { "pid", S32 }, { "tid", S32 } }, .print = print_switch },
	[RECORD_NAMESPACES] = { "NAMESPACES",
				16,
				{ { "pid", S32 }, { "tid", S32 }, { "nr", U64 }, { "links", WORDS } },
				.print = print_namespaces,
				.sideband = true },
	[RECORD_KSYMBOL] = { "KSYMBOL",
			     17,
			     { { "addr", U64 }, { "len", U32 }, { "type", U16 }, { "flags", U16 }, { "name", TEXT } },
			     .text = " addr {addr:x} len {len} type {type} flags 0x{flags:x} name {name}",
			     .sideband = true },
	[RECORD_BPF_EVENT] = { "BPF_EVENT",
			       16,
			       { { "type", U16 }, { "flags", U16 }, { "id", U32 }, { "tag", BYTES, 8 } },
			       .text = " type {type}, flags {flags}, id {id}" },
	[RECORD_CGROUP] = { "CGROUP",
			    9,
			    { { "id", U64 }, { "path", TEXT } },
			    .text = " cgroup: {id} {path}",
			    .sideband = true },
	[RECORD_TEXT_POKE] = { "TEXT_POKE",
			       12,
			       { { "addr", U64 }, { "old_len", U16 }, { "new_len", U16 }, { "bytes", REST } },
			       .print = print_text_poke },
	[RECORD_AUX_OUTPUT_HW_ID] = { "AUX_OUTPUT_HW_ID", 8, { { "hw_id", U64 } }, .text = " hw_id: {hw_id:#x}" },
	[RECORD_CALLCHAIN_DEFERRED] = { "CALLCHAIN_DEFERRED",
					16,
					{ { "cookie", U64 }, { "nr", U64 }, { "ips", WORDS } } },

	[RECORD_HEADER_ATTR] = { "ATTR", ATTR_SIZE_MIN, .swap = swap_header_attr, .print = print_attr },
	[RECORD_HEADER_EVENT_TYPE] = { "EVENT_TYPE", 8, { { "id", U64 }, { "name", TEXT } } },
	[RECORD_HEADER_TRACING_DATA] = { "TRACING_DATA", 4, { { "size", U32 }, { "pad", U32 } } },
	[RECORD_HEADER_BUILD_ID] = { "BUILD_ID",
				     28,
				     { { "pid", S32 }, { "build_id", BYTES, 24 }, { "filename", REST } } },
	[RECORD_FINISHED_ROUND] = { "FINISHED_ROUND", 0, { { 0 } }, .text = "" },
	[RECORD_ID_INDEX] = { "ID_INDEX", 8, { { "nr", U64 }, { "entries", WORDS } }, .print = print_id_index },
	[RECORD_AUXTRACE_INFO] = { "AUXTRACE_INFO",
				   8,
				   { { "type", U32 }, { "pad", U32 }, { "priv", WORDS } },
				   .print = print_auxtrace_info },
	[RECORD_AUXTRACE] = { "AUXTRACE",
			      40,
			      { { "size", U64 },
				{ "offset", U64 },
				{ "reference", U64 },
				{ "idx", U32 },
				{ "tid", S32 },
				{ "cpu", S32 },
				{ "pad", U32 } },
			      .text = " size: {size:#x}  offset: {offset:#x}  ref: {reference:#x}  idx: {idx}  tid: "
				      "{tid}  cpu: {cpu}" },
	[RECORD_AUXTRACE_ERROR] = { "AUXTRACE_ERROR",
				    32,
				    { { "type", U32 },
				      { "code", U32 },
				      { "cpu", S32 },
				      { "pid", S32 },
				      { "tid", S32 },
				      { "fmt", U32 },
				      { "ip", U64 },
				      { "time", U64 },
				      { "msg", TEXT_N, 64 },
				      { "machine_pid", U32 },
				      { "vcpu", U32 } },
				    .text = " error type {type}  cpu {cpu} pid {pid} tid {tid} ip {ip:#x} code {code}: "
					    "{msg}" },
	[RECORD_THREAD_MAP] = { "THREAD_MAP", 8, .swap = swap_thread_map, .print = print_thread_map },
	[RECORD_CPU_MAP] = { "CPU_MAP", 4, .swap = swap_cpu_map, .print = print_cpu_map },
	[RECORD_STAT_CONFIG] = { "STAT_CONFIG", 8, { { "nr", U64 }, { "entries", WORDS } } },
	[RECORD_STAT] = { "STAT",
			  40,
			  { { "id", U64 },
			    { "cpu", S32 },
			    { "thread", S32 },
			    { "val", U64 },
			    { "ena", U64 },
			    { "run", U64 } } },
	[RECORD_STAT_ROUND] = { "STAT_ROUND", 16, { { "type", U64 }, { "time", U64 } } },
	[RECORD_EVENT_UPDATE] = { "EVENT_UPDATE", 16, .swap = swap_event_update, .print = print_event_update },
	[RECORD_TIME_CONV] = { "TIME_CONV",
			       24,
			       { { "time_shift", U64 },
				 { "time_mult", U64 },
				 { "time_zero", U64 },
				 { "time_cycles", U64 },
				 { "time_mask", U64 },
				 { "cap_user_time_zero", U8 },
				 { "cap_user_time_short", U8 } },
			       .print = print_time_conv },
	[RECORD_HEADER_FEATURE] = { "FEATURE",
				    8,
				    { { "feat_id", U64 }, { "section", REST } },
				    .print = print_feature }, /* the section's codec swaps it */
	[RECORD_COMPRESSED] = { "COMPRESSED", 0, { { "data", REST } }, .text = "" },
	[RECORD_FINISHED_INIT] = { "FINISHED_INIT", 0, { { 0 } }, .text = ": unhandled!" },
	[RECORD_COMPRESSED2] = { "COMPRESSED2", 0, { { "data_size", U64 }, { "data", REST } }, .text = "" },
	[RECORD_BPF_METADATA] = { "BPF_METADATA",
				  520,
				  { { "prog_name", TEXT_N, 512 }, { "nr", U64 }, { "entries", REST } } },
	[RECORD_SCHEDSTAT_CPU] = { "SCHEDSTAT_CPU",
				   64,
				   { { "timestamp", U64 },
				     { "cpu", U32 },
				     { "version", U16 },
				     { "pad", U16 },
				     { "yld_count", U32 },
				     { "array_exp", U32 },
				     { "sched_count", U32 },
				     { "sched_goidle", U32 },
				     { "ttwu_count", U32 },
				     { "ttwu_local", U32 },
				     { "times", WORDS } } },
	[RECORD_SCHEDSTAT_DOMAIN] = { "SCHEDSTAT_DOMAIN",
				      16,
				      { { "timestamp", U64 },
					{ "cpu", U32 },
					{ "version", U16 },
					{ "domain", U16 },
					{ "counts", WORDS32 } } },
};

const struct record_row *record_row(uint32_t type)
{
	return type < RECORD_TYPES && rows[type].name ? &rows[type] : NULL;
}

const char *record_name(uint32_t type)
{
	const struct record_row *row = record_row(type);

	return row ? row->name : "UNKNOWN";
}

bool record_known(uint32_t type) { return record_row(type); }

bool record_is_sideband(uint32_t type) { return type < RECORD_TYPES && rows[type].sideband; }
uint16_t record_least(uint32_t type) { return type < RECORD_TYPES ? rows[type].least : 0; }

uint64_t record_payload_size(uint32_t type, const uint8_t *body, size_t size, bool swap)
{
	uint64_t n;

	if (type == RECORD_HEADER_TRACING_DATA)
		return header_u32(body, swap);
	if (type != RECORD_AUXTRACE)
		return 0;
	n = load_u64(body);
	return swap ? __builtin_bswap64(n) : n;
}

static void swap_fields(const struct record_row *row, uint8_t *p, uint8_t *end)
{
	static const uint8_t widths[] = {
		[U8] = 1, [U16] = 2, [U32] = 4, [S32] = 4, [U64] = 8, [WORDS] = 8, [WORDS32] = 4
	};

	for (const struct field *f = row->fields; f->kind; f++) {
		size_t left = (size_t)(end - p), width = f->kind < ARRAY_SIZE(widths) ? widths[f->kind] : 0;
		size_t n = f->kind == WORDS || f->kind == WORDS32 ? left / width : 1;

		if (f->kind == BYTES || f->kind == TEXT_N)
			width = f->n;
		if (f->kind == TEXT || f->kind == REST || width > left)
			return;
		for (; n; n--, p += width) {
			if (f->kind == BYTES || f->kind == TEXT_N || width == 1)
				continue;
			width == 8 ? swap_u64(p) : width == 4 ? swap_u32(p) : swap_u16(p);
		}
	}
}

/* Swap the trailer: words, except that pids and cpu are two halves each. */
static void swap_trailer(const struct layout *l, uint8_t *end)
{
	for (int back = l->trailer_size; back > 0; back -= 8) {
		if (back == l->trailer_tid || back == l->trailer_cpu)
			swap_u32(end - back), swap_u32(end - back + 4);
		else
			swap_u64(end - back);
	}
}

/*
 * The trailer is at the end, except for two types of older kernels: these add the size of a trailer to the size of the
 * record for each event that gets it, and the bytes behind the first trailer mean nothing. Source: the kernel's
 * kernel/events/core.c, perf_event_ksymbol_output() and perf_event_bpf_output(), which did not restore header.size.
 */
size_t record_trailer_end(uint32_t type, const uint8_t *body, size_t size, size_t trailer)
{
	enum { FIXED = 16 }; /* of both types: all of BPF_EVENT; KSYMBOL goes on with a name, padded to 8 bytes */
	size_t fields = FIXED;

	if (type != RECORD_KSYMBOL && type != RECORD_BPF_EVENT)
		return size;
	if (type == RECORD_KSYMBOL)
		fields += strnlen((const char *)body + FIXED, size - MIN(size, FIXED)) / 8 * 8 + 8;
	return MIN(size, fields + trailer);
}

void record_swap(const struct perfdata *pd, uint32_t type, uint16_t misc, uint8_t *body, size_t size)
{
	const struct record_row *row = record_row(type);
	size_t trailer = 0;

	if (!row)
		return;
	if (type < RECORD_HEADER_ATTR && type != RECORD_SAMPLE && pd->n_events) {
		trailer = pd->events[0].layout.trailer_size;
		size = record_trailer_end(type, body, size, trailer);
		if (size >= row->least + trailer)
			swap_trailer(&pd->events[0].layout, body + size);
		else
			trailer = 0;
	}
	if (row->swap)
		row->swap(pd, misc, body, size - trailer);
	else
		swap_fields(row, body, body + size - trailer);
}

size_t record_size_without_trailer(const struct perfdata *pd, const struct record *r)
{
	size_t trailer = 0, end;

	if (pd && pd->n_events && r->type < RECORD_HEADER_ATTR && r->type != RECORD_SAMPLE)
		trailer = pd->events[0].layout.trailer_size;
	end = record_trailer_end(r->type, r->body, r->size, trailer);
	return end >= trailer + record_least(r->type) ? end - trailer : r->size;
}

/* Return the text at `at` if it has a NUL before `size`, else NULL. */
static const char *text_at(const struct record *r, size_t at, size_t size)
{
	return at < size && memchr(r->body + at, 0, size - at) ? (const char *)r->body + at : NULL;
}

static void mmap_identity(const struct record *r, struct record_mmap *m)
{
	const uint8_t *p = r->body + 32;

	if (r->misc & MISC_MMAP_BUILD_ID) {
		/*
		 * If the size is one that no build-id has, it is the low byte of a device number:
		 * some kernels set the flag on maps without a build-id.
		 */
		if (p[0] && p[0] <= sizeof(m->build_id)) {
			m->build_id_size = p[0];
			memcpy(m->build_id, p + 4, p[0]);
			return;
		}
		m->false_build_id = p[0] != 0;
	}
	m->has_ino = true;
	m->maj = load_u32(p);
	m->min = load_u32(p + 4);
	m->ino = load_u64(p + 8);
	m->ino_generation = load_u64(p + 16);
}

int record_mmap(const struct perfdata *pd, const struct record *r, struct record_mmap *out)
{
	size_t size = record_size_without_trailer(pd, r);
	struct record_mmap m = { .data = r->misc & MISC_MMAP_DATA };

	if (size < record_least(r->type))
		return -1;
	m.pid = (int32_t)load_u32(r->body);
	m.tid = (int32_t)load_u32(r->body + 4);
	m.start = load_u64(r->body + 8);
	m.len = load_u64(r->body + 16);
	m.pgoff = load_u64(r->body + 24);
	if (r->type == RECORD_MMAP2) {
		mmap_identity(r, &m);
		m.prot = load_u32(r->body + 56);
		m.flags = load_u32(r->body + 60);
		m.filename = text_at(r, 64, size);
	} else {
		m.prot = m.data ? PROT_READ : PROT_EXEC;
		m.filename = text_at(r, 32, size);
	}
	if (!m.filename)
		return -1;
	*out = m;
	return 0;
}

int record_comm(const struct perfdata *pd, const struct record *r, struct record_comm *out)
{
	const char *comm = text_at(r, 8, record_size_without_trailer(pd, r));

	if (!comm)
		return -1;
	*out = (struct record_comm){ (int32_t)load_u32(r->body), (int32_t)load_u32(r->body + 4),
				     r->misc & MISC_COMM_EXEC, comm };
	return 0;
}

int record_task(const struct record *r, struct record_task *out)
{
	if (r->size < 24)
		return -1;
	*out = (struct record_task){ .pid = (int32_t)load_u32(r->body),
				     .ppid = (int32_t)load_u32(r->body + 4),
				     .tid = (int32_t)load_u32(r->body + 8),
				     .ptid = (int32_t)load_u32(r->body + 12),
				     .time = load_u64(r->body + 16) };
	return 0;
}

int record_lost(const struct record *r, struct record_lost *out)
{
	bool samples = r->type == RECORD_LOST_SAMPLES;

	if (r->size < (samples ? 8 : 16))
		return -1;
	*out = (struct record_lost){ samples ? 0 : load_u64(r->body), load_u64(r->body + (samples ? 0 : 8)) };
	return 0;
}

int record_namespaces(const struct record *r, struct record_namespaces *out)
{
	if (r->size < 16 || load_u64(r->body + 8) > (r->size - 16u) / 16)
		return -1;
	*out = (struct record_namespaces){ (int32_t)load_u32(r->body), (int32_t)load_u32(r->body + 4),
					   load_u64(r->body + 8), r->body + 16 };
	return 0;
}

int record_ksymbol(const struct perfdata *pd, const struct record *r, struct record_ksymbol *out)
{
	const char *name = text_at(r, 16, record_size_without_trailer(pd, r));

	if (!name)
		return -1;
	*out = (struct record_ksymbol){ .addr = load_u64(r->body), .len = load_u32(r->body + 8), .name = name };
	memcpy(&out->type, r->body + 12, 2);
	memcpy(&out->flags, r->body + 14, 2);
	return 0;
}

int record_cgroup(const struct perfdata *pd, const struct record *r, struct record_cgroup *out)
{
	const char *path = text_at(r, 8, record_size_without_trailer(pd, r));

	if (!path)
		return -1;
	*out = (struct record_cgroup){ load_u64(r->body), path };
	return 0;
}

int record_build_id(const struct record *r, struct record_build_id *out)
{
	struct record_build_id b = { .misc = r->misc, .size = 20, .filename = text_at(r, 28, r->size) };

	if (!b.filename)
		return -1;
	b.pid = (int32_t)load_u32(r->body);
	if (r->misc & MISC_BUILD_ID_SIZE)
		b.size = MIN(r->body[24], 20);
	memcpy(b.build_id, r->body + 4, b.size);
	*out = b;
	return 0;
}

int record_text_poke(const struct record *r, struct record_text_poke *out)
{
	struct record_text_poke t;

	if (r->size < 12)
		return -1;
	t.addr = load_u64(r->body);
	memcpy(&t.old_len, r->body + 8, 2);
	memcpy(&t.new_len, r->body + 10, 2);
	t.bytes = r->body + 12;
	if ((size_t)t.old_len + t.new_len > r->size - 12u)
		return -1;
	*out = t;
	return 0;
}
