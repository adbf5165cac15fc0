#include <sys/mman.h>
#include "format/records_priv.h"

/* Print records whose text depends on more than the values of their fields. */

/* Write "%#llx"; zero has no prefix. */
static void put_hex(struct out *o, uint64_t v)
{
	if (v)
		out_str(o, "0x");
	out_hex(o, v);
}

static void put_span(struct out *o, const struct record_mmap *m)
{
	out_fmt(o, " %d/%d: [", m->pid, m->tid);
	put_hex(o, m->start);
	out_char(o, '(');
	put_hex(o, m->len);
	out_str(o, ") @ ");
	put_hex(o, m->pgoff);
}

static void print_mmap2(const struct record_mmap *m, struct out *o)
{
	if (m->has_ino) {
		out_fmt(o, " %02x:%02x ", m->maj, m->min);
		out_u64(o, m->ino);
		out_char(o, ' ');
		out_u64(o, m->ino_generation);
	} else {
		out_str(o, " <");
		for (unsigned i = 0; i < m->build_id_size; i++)
			out_hex_pad(o, m->build_id[i], 2, '0');
		out_char(o, '>');
	}
	out_fmt(o, "]: %c%c%c%c ", m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-',
		m->prot & PROT_EXEC ? 'x' : '-', m->flags & MAP_SHARED ? 's' : 'p');
}

void print_mmap(const struct perfdata *pd, const struct record *r, struct out *o)
{
	struct record_mmap m;

	if (record_mmap(pd, r, &m) < 0) {
		out_str(o, " not decodable");
		return;
	}
	put_span(o, &m);
	if (r->type == RECORD_MMAP2)
		print_mmap2(&m, o);
	else
		out_str(o, m.data ? "]: r " : "]: x ");
	out_name(o, m.filename);
}

void print_comm(const struct perfdata *pd, const struct record *r, struct out *o)
{
	struct record_comm c;

	if (record_comm(pd, r, &c) < 0) {
		out_str(o, " not decodable");
		return;
	}
	out_str(o, c.exec ? " exec: " : ": ");
	out_name(o, c.comm);
	out_fmt(o, ":%d/%d", c.pid, c.tid);
}

void print_lost_samples(const struct perfdata *pd, const struct record *r, struct out *o)
{
	struct trailer t;

	record_trailer(pd, r, &t);
	out_fmt(o, ": id:%llu: lost samples :%llu", (unsigned long long)t.id, (unsigned long long)load_u64(r->body));
}

void print_aux(const struct perfdata *pd, const struct record *r, struct out *o)
{
	static const struct {
		unsigned flag;
		char letter;
	} names[] = { { 1, 'T' }, { 2, 'O' }, { 4, 'P' }, { 8, 'C' } };
	uint64_t flags = load_u64(r->body + 16);

	out_fmt(o, " offset: %#llx size: %#llx flags: %#llx [", (unsigned long long)load_u64(r->body),
		(unsigned long long)load_u64(r->body + 8), (unsigned long long)flags);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag)
			out_char(o, names[i].letter);
	out_char(o, ']');
}

void print_switch(const struct perfdata *pd, const struct record *r, struct out *o)
{
	bool out = r->misc & MISC_SWITCH_OUT;

	out_fmt(o, " %-11s", out ? (r->misc & MISC_SWITCH_PREEMPT ? "OUT preempt" : "OUT") : "IN");
	if (r->type == RECORD_SWITCH_CPU_WIDE)
		out_fmt(o, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev", (int)load_u32(r->body),
			(int)load_u32(r->body + 4));
}

void print_read(const struct perfdata *pd, const struct record *r, struct out *o)
{
	static const struct {
		uint64_t bit;
		const char *label;
	} rows[] = { { READ_TIME_ENABLED, "time enabled" },
		     { READ_TIME_RUNNING, "time running" },
		     { READ_ID, "id          " },
		     { READ_LOST, "lost        " } };
	int event = perfdata_event_of(pd, r);
	size_t at = 16, size = record_size_without_trailer(pd, r);
	uint64_t format = event < 0 ? 0 : pd->events[event].attr.read_format;

	out_fmt(o, ": %d %d ", (int)load_u32(r->body), (int)load_u32(r->body + 4));
	out_name(o, event < 0 ? "unknown" : pd->events[event].name);
	out_char(o, ' ');
	out_u64(o, load_u64(r->body + 8));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!(format & rows[i].bit) || at + 8 > size)
			continue;
		out_fmt(o, "\n... %s : %llu", rows[i].label, (unsigned long long)load_u64(r->body + at));
		at += 8;
	}
	out_str(o, "\n: unhandled!");
}

void print_namespaces(const struct perfdata *pd, const struct record *r, struct out *o)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct record_namespaces n;

	if (record_namespaces(r, &n) < 0) {
		out_str(o, " not decodable");
		return;
	}
	out_fmt(o, " %d/%d - nr_namespaces: %llu\n\t\t[", n.pid, n.tid, (unsigned long long)n.n);
	for (uint64_t i = 0; i < n.n; i++) {
		if (i && i % 4 == 0)
			out_str(o, "\n\t\t ");
		out_fmt(o, "%llu/%s: %llu/%#llx%s", (unsigned long long)i, i < ARRAY_SIZE(names) ? names[i] : "unknown",
			(unsigned long long)load_u64(n.entries + 16 * i),
			(unsigned long long)load_u64(n.entries + 16 * i + 8), i + 1 < n.n ? ", " : "");
	}
	out_char(o, ']');
}

static void put_bytes(struct out *o, const char *label, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i % 16 == 0)
			out_str(o, i ? "\n                      " : label);
		out_char(o, ' ');
		out_hex_pad(o, p[i], 2, '0');
	}
}

void print_text_poke(const struct perfdata *pd, const struct record *r, struct out *o)
{
	struct record_text_poke t;

	if (record_text_poke(r, &t) < 0) {
		out_str(o, " not decodable");
		return;
	}
	out_char(o, ' ');
	out_hex(o, t.addr);
	out_fmt(o, " old len %u new len %u", t.old_len, t.new_len);
	put_bytes(o, "\n            Old bytes:", t.bytes, t.old_len);
	put_bytes(o, "\n            New bytes:", t.bytes + t.old_len, t.new_len);
}

void print_attr(const struct perfdata *pd, const struct record *r, struct out *o)
{
	const uint32_t *tracepoint;
	struct attr a;

	if (attr_decode(&a, r->body, r->size, false, NULL, NULL) < 0)
		return;
	tracepoint = u64map_find(&pd->priv->tracepoints, a.config);
	attr_print_header(&a, tracepoint ? pd->events[*tracepoint].name : NULL, o);
}

void print_id_index(const struct perfdata *pd, const struct record *r, struct out *o)
{
	uint64_t n = load_u64(r->body), fit = (r->size - 8u) / 32;

	out_fmt(o, " nr: %llu", (unsigned long long)n);
	for (uint64_t i = 0; i < MIN(n, fit); i++) {
		const uint8_t *p = r->body + 8 + 32 * i;

		out_fmt(o, "\n ... id: %llu  idx: %llu  cpu: %lld  tid: %lld", (unsigned long long)load_u64(p),
			(unsigned long long)load_u64(p + 8), (long long)load_u64(p + 16), (long long)load_u64(p + 24));
	}
}

/*
 * Print the words of Intel PT; behind the filter's length follow its text and one more word. For
 * other kinds print only the type. Source: strobe.data(5), AUXTRACE_INFO.
 */
void print_auxtrace_info(const struct perfdata *pd, const struct record *r, struct out *o)
{
	static const struct {
		const char *label;
		bool hex;
	} words[] = {
		{ "PMU Type", false },
		{ "Time Shift", false },
		{ "Time Multiplier", false },
		{ "Time Zero", false },
		{ "Cap Time Zero", false },
		{ "TSC bit", true },
		{ "NoRETComp bit", true },
		{ "Have sched_switch", false },
		{ "Snapshot mode", false },
		{ "Per-cpu maps", false },
		{ "MTC bit", true },
		{ "MTC freq bits", true },
		{ "TSC:CTC numerator", false },
		{ "TSC:CTC denominator", false },
		{ "CYC bit", true },
		{ "Max non-turbo ratio", false },
		{ "Filter string len.", false },
	};
	uint64_t n = (r->size - 8u) / 8, at = ARRAY_SIZE(words), len;

	out_fmt(o, " type: %u", (unsigned)load_u32(r->body));
	if (load_u32(r->body) != 1)
		return;
	for (uint64_t i = 0; i < MIN(n, ARRAY_SIZE(words)); i++) {
		uint64_t word = load_u64(r->body + 8 + 8 * i);

		out_fmt(o, words[i].hex ? "\n  %-19s %#llx" : "\n  %-19s %llu", words[i].label,
			(unsigned long long)word);
	}
	if (n < at)
		return;
	len = load_u64(r->body + 8 * at);
	if (len >= 8 * (n - at))
		len = 0;
	out_str(o, "\n  Filter string       ");
	out_name_len(o, (const char *)r->body + 8 + 8 * at, len);
	at += len ? len / 8 + 1 : 0;
	if (at < n)
		out_fmt(o, "\n  Cap Event Trace     %llu", (unsigned long long)load_u64(r->body + 8 + 8 * at));
}

void print_thread_map(const struct perfdata *pd, const struct record *r, struct out *o)
{
	uint64_t n = MIN(load_u64(r->body), (r->size - 8u) / 24);

	out_fmt(o, " nr: %llu thread%s:", (unsigned long long)n, n == 1 ? "" : "s");
	for (uint64_t i = 0; i < n; i++)
		out_fmt(o, "%s%d", i ? ", " : " ", (int)load_u64(r->body + 8 + 24 * i));
}

/* A record has at most 64 KB, so this many bits hold all its CPU numbers. */
enum { CPU_BITS = 65536 * 8 };

static void put_cpus(struct out *o, const uint8_t *bits, bool any)
{
	const char *comma = "";

	if (any) {
		out_str(o, "-1");
		comma = ",";
	}
	for (unsigned from = 0, to; from < CPU_BITS; from = to + 1) {
		to = from;
		if (!bits[from / 8]) {
			to = from | 7;
			continue;
		}
		if (!(bits[from / 8] >> from % 8 & 1))
			continue;
		while (to + 1 < CPU_BITS && bits[(to + 1) / 8] >> (to + 1) % 8 & 1)
			to++;
		out_fmt(o, to > from ? "%s%u-%u" : "%s%u", comma, from, to);
		comma = ",";
	}
}

static void put_cpu_map(struct out *o, const uint8_t *p, size_t size)
{
	autofree uint8_t *bits = xcalloc(CPU_BITS / 8, 1);
	uint16_t type, n, word, to;
	bool any = false;

	memcpy(&type, p, 2);
	memcpy(&n, p + 2, 2);
	if (type == CPU_MAP_CPUS) {
		for (size_t at = 4; n && at + 2 <= size; at += 2, n--) {
			memcpy(&word, p + at, 2);
			any |= word == 0xffff;
			if (word != 0xffff)
				bits[word / 8] |= (uint8_t)(1u << word % 8);
		}
	} else if (type == CPU_MAP_RANGE && size >= 8) {
		memcpy(&word, p + 4, 2);
		memcpy(&to, p + 6, 2);
		any = p[2];
		for (unsigned cpu = word; cpu <= to; cpu++)
			bits[cpu / 8] |= (uint8_t)(1u << cpu % 8);
	} else if (type == CPU_MAP_MASK && size >= 6) {
		memcpy(&word, p + 4, 2);
		for (size_t i = 0, at = word == 8 ? 10 : 6; i < (size_t)n * (word == 8 ? 8 : 4) && at + i < size; i++)
			bits[i] = p[at + i];
	}
	put_cpus(o, bits, any);
}

void print_cpu_map(const struct perfdata *pd, const struct record *r, struct out *o)
{
	out_str(o, ": ");
	put_cpu_map(o, r->body, r->size);
}

void print_event_update(const struct perfdata *pd, const struct record *r, struct out *o)
{
	uint64_t type = load_u64(r->body);
	const char *text = (const char *)r->body + 16;
	size_t len = r->size - 16u;
	double scale = 0;

	out_fmt(o, "\n... id:    %llu\n", (unsigned long long)load_u64(r->body + 8));
	switch (type) {
	case EVENT_UPDATE_UNIT:
	case EVENT_UPDATE_NAME:
		out_str(o, type == EVENT_UPDATE_UNIT ? "... unit:  " : "... name:  ");
		out_name_len(o, text, len);
		break;
	case EVENT_UPDATE_SCALE:
		memcpy(&scale, text, MIN(len, sizeof(scale)));
		out_fmt(o, "... scale: %f", scale);
		break;
	case EVENT_UPDATE_CPUS:
		out_str(o, "... ");
		if (len >= 4)
			put_cpu_map(o, (const uint8_t *)text, len);
		break;
	default: out_str(o, "... unknown type"); break;
	}
}

void print_time_conv(const struct perfdata *pd, const struct record *r, struct out *o)
{
	static const char *const labels[] = { "Time Shift     ", "Time Multiplier", "Time Zero      ",
					      "Time Cycles    ", "Time Mask      " };
	size_t words = MIN(r->size / 8u, ARRAY_SIZE(labels));

	for (size_t i = 0; i < words; i++)
		out_fmt(o, i == 4 ? "\n... %s %#llx" : "\n... %s %llu", labels[i],
			(unsigned long long)load_u64(r->body + 8 * i));
	if (r->size >= 42)
		out_fmt(o, "\n... Cap Time Zero   %u\n... Cap Time Short  %u", r->body[40], r->body[41]);
	out_str(o, "\n: unhandled!");
}

void print_feature(const struct perfdata *pd, const struct record *r, struct out *o)
{
	uint64_t bit = load_u64(r->body);
	struct out text;

	if (r->size == 8)
		return;
	out_str(o, ", ");
	/* Unknown, unreadable, or of another size than the section that counts, which may be much longer. */
	if (bit >= FEATURES || !feature_name((unsigned)bit) || !feature_has(&pd->features, (unsigned)bit) ||
	    pd->features.raw[bit].size != r->size - 8u) {
		out_fmt(o, "# feature %llu", (unsigned long long)bit);
		return;
	}
	out_init_mem(&text);
	header_print_feature(pd, (unsigned)bit, &text);
	out_mem(o, out_text(&text), text.len ? text.len - 1 : 0); /* our caller ends the line */
	out_release(&text);
}
