#include "report/script/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "report/session/delivery.h"
#include "report/tracepoint/trace_format.h"
#include "report/tracepoint/trace_text.h"

enum { CTF_MAGIC = 0xc1fc1fc1, PACKET_SIZE = 256 << 10, STREAMS_MAX = 65536 };
/* The head of a packet: magic, stream id; content size, packet size, first and last time, CPU. */
enum { HEAD_CONTENT = 8, HEAD_PACKET = 16, HEAD_BEGIN = 24, HEAD_END = 32, HEAD_SIZE = 44 };

/* The samples of one CPU: the packet that is not yet in its file. */
struct ctf_stream {
	uint32_t cpu;
	struct out packet;
	uint64_t begin, end;
	bool written; /* the file exists */
};

struct ctf_writer {
	struct session *s;
	const char *dir;
	struct trace_text *trace;
	VEC(struct ctf_stream) streams;
	struct u64map by_cpu; /* index + 1 */
	struct out text;
	uint64_t last; /* the last time; samples without a time get it, too */
	bool made_dir;
	struct err *e;
};

/* ---- metadata ---- */

/* Print foreign text in quotes. */
static void put_quoted(struct out *o, const char *text)
{
	struct out escaped;

	out_init_mem(&escaped);
	out_name(&escaped, text);
	out_char(o, '"');
	for (size_t i = 0; i < escaped.len; i++) {
		if (escaped.buf[i] == '"' || escaped.buf[i] == '\\')
			out_char(o, '\\');
		out_char(o, escaped.buf[i]);
	}
	out_char(o, '"');
	out_release(&escaped);
}

/*
 * Print the name of a tracepoint's field. With the underscore in front, which readers remove, any name is possible,
 * even a keyword. A number distinguishes fields of the same name.
 */
static void put_field_name(struct out *o, const struct trace_format *f, size_t field)
{
	const char *name = f->fields.items[field].name;
	bool again = false;

	for (size_t i = 0; i < field; i++)
		again |= !strcmp(f->fields.items[i].name, name);
	out_char(o, '_');
	for (; *name; name++) {
		bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
			     (*name >= '0' && *name <= '9');

		out_char(o, plain ? *name : '_');
	}
	if (again)
		out_fmt(o, "_%zu", field);
}

enum ctf_form { CTF_NUMBER, CTF_TEXT, CTF_BYTES };
static enum ctf_form form_of(const struct trace_field *field)
{
	if (field->flags & TRACE_FIELD_STRING)
		return CTF_TEXT;
	return field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC) ? CTF_BYTES : CTF_NUMBER;
}

static void put_trace_fields(struct ctf_writer *w, const struct trace_format *f, struct out *o)
{
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct trace_field *field = &f->fields.items[i];

		switch (form_of(field)) {
		case CTF_NUMBER:
			out_str(o, field->flags & TRACE_FIELD_POINTER  ? "\t\tx64 "
				   : field->flags & TRACE_FIELD_SIGNED ? "\t\ts64 "
								       : "\t\tu64 ");
			put_field_name(o, f, i);
			break;
		case CTF_TEXT:
			out_str(o, "\t\tstring { encoding = UTF8; } ");
			put_field_name(o, f, i);
			break;
		case CTF_BYTES:
			out_str(o, "\t\tu32 _");
			put_field_name(o, f, i);
			out_str(o, "_length;\n\t\tx8 ");
			put_field_name(o, f, i);
			out_str(o, "[_");
			put_field_name(o, f, i);
			out_str(o, "_length]");
			break;
		}
		out_str(o, ";\n");
	}
}

static void put_event(struct ctf_writer *w, uint32_t event, struct out *o)
{
	const struct file_event *ev = &w->s->pd->events[event];
	const struct trace_format *f = trace_text_format(w->trace, event);
	uint64_t type = ev->attr.sample_type;

	out_str(o, "event {\n\tname = ");
	put_quoted(o, ev->name);
	out_fmt(o, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", event);
	if (type & SAMPLE_IP)
		out_str(o, "\t\tx64 _perf_ip;\n");
	if (type & SAMPLE_TID)
		out_str(o, "\t\ts32 _perf_tid;\n\t\ts32 _perf_pid;\n");
	out_str(o, "\t\tu64 _perf_period;\n");
	if (type & SAMPLE_CALLCHAIN)
		out_str(o, "\t\tu32 _perf_callchain_size;\n\t\tx64 _perf_callchain[_perf_callchain_size];\n");
	if (type & SAMPLE_RAW && f)
		put_trace_fields(w, f, o);
	out_str(o, "\t};\n};\n\n");
}

static void put_integer(struct out *o, const char *name, int size, bool is_signed, int base)
{
	out_fmt(o, "typealias integer { size = %d; align = 8; signed = %s; base = %d; } := %s;\n", size,
		is_signed ? "true" : "false", base, name);
}

static void put_environment(struct ctf_writer *w, struct out *o)
{
	const struct features *f = &w->s->pd->features;
	const struct {
		const char *key, *text;
	} rows[] = { { "host", f->hostname }, { "release", f->osrelease }, { "machine", f->arch } };

	out_str(o, "env {\n\tdomain = \"kernel\";\n\ttracer_name = \"perf\";\n\tsysname = \"Linux\";\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!rows[i].text)
			continue;
		out_fmt(o, "\t%s = ", rows[i].key);
		put_quoted(o, rows[i].text);
		out_str(o, ";\n");
	}
	out_str(o, "};\n\n");
}

static void put_metadata(struct ctf_writer *w, struct out *o)
{
	const char *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be";

	out_str(o, "/* CTF 1.8 */\n\n");
	put_integer(o, "x8", 8, false, 16);
	put_integer(o, "u32", 32, false, 10);
	put_integer(o, "s32", 32, true, 10);
	put_integer(o, "u64", 64, false, 10);
	put_integer(o, "s64", 64, true, 10);
	put_integer(o, "x64", 64, false, 16);
	out_fmt(o,
		"\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = %s;\n"
		"\tpacket.header := struct { u32 magic; u32 stream_id; };\n};\n\n",
		order);
	put_environment(w, o);
	out_str(o,
		"clock {\n\tname = perf_clock;\n\tdescription = \"perf clock\";\n\tfreq = 1000000000;\n};\n\n"
		"typealias integer { size = 64; align = 8; signed = false; map = clock.perf_clock.value; } := ns;\n\n"
		"stream {\n\tid = 0;\n\tevent.header := struct { u32 id; ns timestamp; };\n"
		"\tpacket.context := struct {\n\t\tu64 content_size;\n\t\tu64 packet_size;\n"
		"\t\tns timestamp_begin;\n\t\tns timestamp_end;\n\t\tu32 cpu_id;\n\t};\n};\n\n");
	for (uint32_t i = 0; i < w->s->pd->n_events; i++)
		put_event(w, i, o);
}

/* ---- streams ---- */

static int write_file(struct ctf_writer *w, const char *path, int flags, const struct out *bytes)
{
	autoclose int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0666);

	if (fd < 0 || write_all(fd, bytes->len ? bytes->buf : "", bytes->len) < 0)
		return err_sys(w->e, "cannot write '%s'", path);
	return 0;
}

static char *stream_path(const struct ctf_writer *w, size_t stream)
{
	return xasprintf("%s/perf_stream_%zu", w->dir, stream);
}

static void store(struct out *o, size_t at, const void *bytes, size_t n) { memcpy(o->buf + at, bytes, n); }

static int flush(struct ctf_writer *w, size_t stream)
{
	struct ctf_stream *t = &w->streams.items[stream];
	autofree char *path = stream_path(w, stream);
	uint64_t bits = t->packet.len * 8;
	int rc;

	if (!t->packet.len)
		return 0;
	store(&t->packet, HEAD_CONTENT, &bits, 8);
	store(&t->packet, HEAD_PACKET, &bits, 8);
	store(&t->packet, HEAD_BEGIN, &t->begin, 8);
	store(&t->packet, HEAD_END, &t->end, 8);
	rc = write_file(w, path, t->written ? O_APPEND : O_TRUNC, &t->packet);
	t->written = true;
	t->packet.len = 0;
	return rc;
}

static void put(struct out *o, const void *bytes, size_t n) { out_mem(o, bytes, n); }
static void put_u32(struct out *o, uint32_t v) { put(o, &v, 4); }
static void put_u64(struct out *o, uint64_t v) { put(o, &v, 8); }

static void begin_packet(struct ctf_stream *t, uint64_t time)
{
	t->begin = time;
	put_u32(&t->packet, CTF_MAGIC);
	put_u32(&t->packet, 0);
	for (int i = 0; i < 4; i++)
		put_u64(&t->packet, 0);
	put_u32(&t->packet, t->cpu);
}

/* Return the stream of a CPU. Samples without a CPU, or with an impossible number, go into that of CPU 0. */
static size_t stream_of(struct ctf_writer *w, uint32_t cpu)
{
	uint32_t *known;

	if (cpu >= STREAMS_MAX)
		cpu = 0;
	known = u64map_put(&w->by_cpu, cpu, NULL);
	if (!*known) {
		vec_push(&w->streams, (struct ctf_stream){ .cpu = cpu });
		out_init_mem(&w->streams.items[w->streams.len - 1].packet);
		*known = (uint32_t)w->streams.len;
	}
	return *known - 1;
}

static void put_trace_values(struct ctf_writer *w, const struct trace_format *f, const struct sample *s, struct out *o)
{
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct trace_field *field = &f->fields.items[i];
		struct trace_value v = { 0 };

		trace_text_value(w->trace, field, s->raw, s->raw_size, &v);
		switch (form_of(field)) {
		case CTF_NUMBER: put_u64(o, v.number); break;
		case CTF_TEXT:
			out_name_len(o, v.len ? (const char *)v.bytes : "", v.len);
			out_char(o, 0);
			break;
		case CTF_BYTES:
			put_u32(o, (uint32_t)v.len);
			put(o, v.len ? (const char *)v.bytes : "", v.len);
			break;
		}
	}
}

static int write_sample(struct ctf_writer *w, uint32_t event, const struct sample *s)
{
	const struct trace_format *f = trace_text_format(w->trace, event);
	size_t stream = stream_of(w, s->type & SAMPLE_CPU ? s->cpu : 0);
	struct ctf_stream *t = &w->streams.items[stream];
	struct out *o = &t->packet;

	if (s->type & SAMPLE_TIME && s->time > w->last)
		w->last = s->time;
	if (!o->len)
		begin_packet(t, w->last);
	t->end = w->last;
	put_u32(o, event);
	put_u64(o, w->last);
	if (s->type & SAMPLE_IP)
		put_u64(o, s->ip);
	if (s->type & SAMPLE_TID) {
		put_u32(o, s->tid);
		put_u32(o, s->pid);
	}
	put_u64(o, s->period);
	if (s->type & SAMPLE_CALLCHAIN) {
		put_u32(o, (uint32_t)s->n_chain);
		put(o, s->n_chain ? (const char *)s->chain : "", 8 * s->n_chain);
	}
	if (s->type & SAMPLE_RAW && f)
		put_trace_values(w, f, s, o);
	return o->len >= PACKET_SIZE ? flush(w, stream) : 0;
}

static int write_samples(struct ctf_writer *w, const struct time_ranges *times, uint64_t *samples)
{
	struct delivered in;
	struct record r;
	int rc = 0;

	delivered_init(&in, w->s);
	while (!rc && delivered_next(&in, &r)) {
		struct sample sample;
		int event = r.type == RECORD_SAMPLE ? perfdata_event_of(w->s->pd, &r) : -1;

		if (event < 0)
			continue;
		if (sample_decode(w->s->pd, &r, (uint32_t)event, &sample, NULL) < 0) {
			w->s->notes.format.bad_samples++;
			continue;
		}
		if (times->len && !time_ranges_have(times, sample.time))
			continue;
		rc = write_sample(w, (uint32_t)event, &sample);
		++*samples;
	}
	for (size_t i = 0; i < w->streams.len && !rc; i++)
		rc = flush(w, i);
	delivered_release(&in);
	return rc;
}

static int write_trace(struct ctf_writer *w, const struct time_ranges *times, uint64_t *samples)
{
	autofree char *metadata = xasprintf("%s/metadata", w->dir);

	put_metadata(w, &w->text);
	if (write_file(w, metadata, O_TRUNC, &w->text) < 0 || write_samples(w, times, samples) < 0) {
		for (size_t i = 0; i < w->streams.len; i++) {
			autofree char *path = stream_path(w, i);

			if (w->streams.items[i].written)
				unlink(path);
		}
		unlink(metadata);
		return -1;
	}
	return 0;
}

int ctf_write(struct session *s, const char *dir, bool replace, const struct time_ranges *times, uint64_t *samples,
	      struct err *e)
{
	struct ctf_writer w = { .s = s, .dir = dir, .e = e };
	int rc;

	if (mkdir(dir, 0777) == 0)
		w.made_dir = true;
	else if (errno != EEXIST || !replace) {
		bool exists = errno == EEXIST;

		err_sys(e, "cannot make the directory '%s'", dir);
		return exists ? err_try(e, "another name, or --force to write into it") : -1;
	}
	w.trace = trace_text_new(s);
	out_init_mem(&w.text);
	rc = write_trace(&w, times, samples);
	if (rc < 0 && w.made_dir)
		rmdir(dir);
	for (size_t i = 0; i < w.streams.len; i++)
		out_release(&w.streams.items[i].packet);
	vec_free(&w.streams);
	u64map_free(&w.by_cpu);
	out_release(&w.text);
	trace_text_free(w.trace);
	return rc;
}
