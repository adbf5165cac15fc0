/*
 * Samples as one JSON document in the format of perf's `data convert --to-json`, for programs that
 * read it. Source: perf-data(1), and the output of perf 7.2. Invalid UTF-8 becomes U+FFFD; perf's
 * document would not be valid there.
 */
#include "report/script/print_priv.h"

#include <time.h>

#include "report/tracepoint/trace_format.h"

static void put_line(struct out *o, int depth)
{
	out_char(o, '\n');
	out_pad(o, '\t', depth);
}

static void put_key(struct out *o, bool first, int depth, const char *key)
{
	if (!first)
		out_char(o, ',');
	put_line(o, depth);
	out_char(o, '"');
	out_json(o, key);
	out_str(o, "\": ");
}

static void put_text(struct out *o, bool first, int depth, const char *key, const char *text)
{
	put_key(o, first, depth, key);
	out_char(o, '"');
	out_json(o, text);
	out_char(o, '"');
}

static void put_number(struct out *o, bool first, int depth, const char *key, int64_t n)
{
	put_key(o, first, depth, key);
	out_i64(o, n);
}

static void put_feature(const struct features *f, enum feature bit, const char *key, const char *text, struct out *o)
{
	if (feature_has(f, bit) && text)
		put_text(o, false, 2, key, text);
}

static void put_headers(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;
	time_t captured = (time_t)(pd->mtime_ns / 1000000000);
	struct tm tm;
	char date[40] = "";

	if (gmtime_r(&captured, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	put_number(o, true, 2, "header-version", 1);
	put_text(o, false, 2, "captured-on", date);
	put_number(o, false, 2, "data-offset", (int64_t)pd->data_offset);
	put_number(o, false, 2, "data-size", (int64_t)pd->data_size);
	put_number(o, false, 2, "feat-offset", (int64_t)pd->feature_offset);
	put_feature(f, FEATURE_HOSTNAME, "hostname", f->hostname, o);
	put_feature(f, FEATURE_OSRELEASE, "os-release", f->osrelease, o);
	put_feature(f, FEATURE_ARCH, "arch", f->arch, o);
	put_feature(f, FEATURE_CPUDESC, "cpu-desc", f->cpudesc, o);
	put_feature(f, FEATURE_CPUID, "cpuid", f->cpuid, o);
	if (feature_has(f, FEATURE_NRCPUS)) {
		put_number(o, false, 2, "nrcpus-online", f->cpus_online);
		put_number(o, false, 2, "nrcpus-avail", f->cpus_available);
	}
	put_feature(f, FEATURE_VERSION, "perf-version", f->version, o);
	if (!feature_has(f, FEATURE_CMDLINE))
		return;
	put_key(o, false, 2, "cmdline");
	out_char(o, '[');
	for (size_t i = 0; i < f->cmdline.n; i++) {
		if (i)
			out_char(o, ',');
		put_line(o, 3);
		out_char(o, '"');
		out_json(o, f->cmdline.items[i]);
		out_char(o, '"');
	}
	put_line(o, 2);
	out_char(o, ']');
}

void print_convert_begin(const struct perfdata *pd, struct out *o)
{
	out_char(o, '{');
	put_number(o, true, 1, "linux-perf-json-version", 1);
	put_key(o, false, 1, "headers");
	out_char(o, '{');
	put_headers(pd, o);
	put_line(o, 1);
	out_char(o, '}');
	put_key(o, false, 1, "samples");
	out_char(o, '[');
}

void print_convert_end(struct out *o)
{
	put_line(o, 1);
	out_str(o, "]\n}\n");
}

/* Print the functions inlined at an address, innermost first. perf's document does not have them. */
static void put_inlined(struct out *o, const struct inline_frame *frames, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!frames[i].name)
			continue;
		if (!any)
			put_key(o, false, 5, "inlined");
		out_str(o, any ? ", \"" : "[\"");
		out_json(o, frames[i].name);
		out_char(o, '"');
		any = true;
	}
	if (any)
		out_char(o, ']');
}

/* Print one frame per address, as perf's document does, followed by a comma. */
static void put_frame(struct print_job *j, const struct address *a, const char *name,
		      const struct inline_frame *inlined, size_t n_inlined)
{
	put_line(j->o, 4);
	out_char(j->o, '{');
	put_key(j->o, true, 5, "ip");
	out_str(j->o, "\"0x");
	out_hex(j->o, a->ip);
	out_char(j->o, '"');
	if (name) {
		struct symbols *s = j->p->session->symbols;

		put_text(j->o, false, 5, "symbol", name);
		if (a->hit.dso)
			put_text(j->o, false, 5, "dso", dso_short_name(s, a->hit.dso));
	}
	put_inlined(j->o, inlined, n_inlined);
	put_line(j->o, 4);
	out_str(j->o, "},");
}

/* Print the whole chain; for events without one, the sampled address. */
static void put_chain(struct print_job *j)
{
	size_t from;
	struct address a;

	put_key(j->o, false, 3, "callchain");
	out_char(j->o, '[');
	from = j->o->len;
	if (j->event->chain) {
		print_chain(j);
	} else {
		address_find(j, j->record->misc & MISC_CPUMODE, j->sample->ip, &a);
		put_frame(j, &a, a.symbol ? symbol_name(j->p->session->symbols, a.hit.dso, a.symbol) : NULL, NULL, 0);
	}
	if (j->o->len > from)
		j->o->len--;
	put_line(j->o, 3);
	out_char(j->o, ']');
}

static void put_fields(struct print_job *j)
{
	const struct trace_format *f;
	struct out *text = &j->w->text;

	if (!j->sample->raw || print_kind_of(&j->file_event->attr) != PRINT_TRACEPOINT)
		return;
	if (!j->w->trace)
		j->w->trace = trace_text_new(j->p->session);
	f = trace_text_format(j->w->trace, j->sample->event);
	for (size_t i = 0; f && i < f->fields.len; i++) {
		if (f->fields.items[i].flags & TRACE_FIELD_COMMON)
			continue;
		text->len = 0;
		trace_text_own_field(j->w->trace, j->sample->event, &f->fields.items[i], j->sample->raw,
				     j->sample->raw_size, text);
		put_text(j->o, false, 3, f->fields.items[i].name, out_text(text));
	}
}

/* Print the chain as a whole into the buffer: only then do we know whether it has a frame. */
static void convert_sample(struct print_job *j)
{
	const struct sample *s = j->sample;
	struct out *o = j->o, text;
	char buf[16];

	out_init_mem(&text);
	j->o = &text;
	if (j->w->samples > 1)
		out_char(&text, ',');
	put_line(&text, 2);
	out_char(&text, '{');
	put_number(&text, true, 3, "timestamp", (int64_t)s->time);
	put_number(&text, false, 3, "pid", (int32_t)s->pid);
	put_number(&text, false, 3, "tid", (int32_t)s->tid);
	if (s->type & SAMPLE_CPU)
		put_number(&text, false, 3, "cpu", s->cpu);
	put_text(&text, false, 3, "comm", session_comm(j->p->session, j->task.comm, buf));
	put_chain(j);
	put_fields(j);
	put_line(&text, 2);
	out_char(&text, '}');
	j->o = o;
	out_mem(o, text.buf, text.len);
	out_release(&text);
}

const struct print_data_form print_convert_form = { "", convert_sample, .address = put_frame };
