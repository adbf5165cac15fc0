/*
 * Print samples as one JSON document in the format of perf's `data convert --to-json`, for programs that read it.
 * Source: perf-data(1), and the output of perf 7.2. Replace invalid UTF-8 by U+FFFD; perf copies it, and its document
 * is then not valid.
 */
#include "base/encode/json.h"
#include "report/script/print_priv.h"

#include <time.h>

#include "report/tracepoint/trace_format.h"

static void put_line(struct out *o, int depth)
{
	out_char(o, '\n');
	out_pad(o, '\t', depth);
}

/* Return a writer for the members of an object at this depth, one on each line. */
static struct json members(struct out *o, int depth)
{
	static const char *const before[] = { NULL, "\n\t", "\n\t\t", "\n\t\t\t", "\n\t\t\t\t", "\n\t\t\t\t\t" };

	return (struct json){ .o = o, .comma = ",", .before = before[depth], .colon = ": " };
}

static void put_feature(struct json *j, const struct features *f, enum feature bit, const char *key, const char *text)
{
	if (feature_has(f, bit) && text)
		json_text(j, key, text);
}

static void put_headers(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;
	struct json j = members(o, 2);
	time_t captured = (time_t)(pd->mtime_ns / 1000000000);
	struct tm tm;
	char date[40] = "";

	if (gmtime_r(&captured, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_number(&j, "header-version", 1);
	json_text(&j, "captured-on", date);
	json_number(&j, "data-offset", (int64_t)pd->data_offset);
	json_number(&j, "data-size", (int64_t)pd->data_size);
	json_number(&j, "feat-offset", (int64_t)pd->feature_offset);
	put_feature(&j, f, FEATURE_HOSTNAME, "hostname", f->hostname);
	put_feature(&j, f, FEATURE_OSRELEASE, "os-release", f->osrelease);
	put_feature(&j, f, FEATURE_ARCH, "arch", f->arch);
	put_feature(&j, f, FEATURE_CPUDESC, "cpu-desc", f->cpudesc);
	put_feature(&j, f, FEATURE_CPUID, "cpuid", f->cpuid);
	if (feature_has(f, FEATURE_NRCPUS)) {
		json_number(&j, "nrcpus-online", f->cpus_online);
		json_number(&j, "nrcpus-avail", f->cpus_available);
	}
	put_feature(&j, f, FEATURE_VERSION, "perf-version", f->version);
	if (!feature_has(f, FEATURE_CMDLINE))
		return;
	json_key(&j, "cmdline");
	out_char(o, '[');
	for (size_t i = 0; i < f->cmdline.n; i++) {
		if (i)
			out_char(o, ',');
		put_line(o, 3);
		json_quote(o, f->cmdline.items[i]);
	}
	put_line(o, 2);
	out_char(o, ']');
}

void print_convert_begin(const struct perfdata *pd, struct out *o)
{
	struct json j = members(o, 1);

	out_char(o, '{');
	json_number(&j, "linux-perf-json-version", 1);
	json_key(&j, "headers");
	out_char(o, '{');
	put_headers(pd, o);
	put_line(o, 1);
	out_char(o, '}');
	json_key(&j, "samples");
	out_char(o, '[');
}

void print_convert_end(struct out *o)
{
	put_line(o, 1);
	out_str(o, "]\n}\n");
}

/* Print the functions inlined at an address, innermost first. perf's document does not contain them. */
static void put_inlined(struct json *j, const struct inline_frame *frames, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!frames[i].name)
			continue;
		if (!any)
			json_key(j, "inlined");
		out_str(j->o, any ? ", " : "[");
		json_quote(j->o, frames[i].name);
		any = true;
	}
	if (any)
		out_char(j->o, ']');
}

/* Print one frame per address, as perf's document does, followed by a comma. */
static void put_frame(struct print_job *j, const struct address *a, const char *name,
		      const struct inline_frame *inlined, size_t n_inlined)
{
	struct json frame = members(j->o, 5);

	put_line(j->o, 4);
	out_char(j->o, '{');
	json_hex(&frame, "ip", a->ip);
	if (name) {
		struct symbols *s = j->p->session->symbols;

		json_text(&frame, "symbol", name);
		if (a->hit.dso)
			json_text(&frame, "dso", dso_short_name(s, a->hit.dso));
	}
	put_inlined(&frame, inlined, n_inlined);
	put_line(j->o, 4);
	out_str(j->o, "},");
}

/* Print the whole chain; for events without one, the sampled address. */
static void put_chain(struct print_job *j, struct json *sample)
{
	size_t from;
	struct address a;

	json_key(sample, "callchain");
	out_char(j->o, '[');
	from = j->o->len;
	if (j->event->chain) {
		print_chain(j);
	} else {
		address_find(j, j->sample->misc & MISC_CPUMODE, j->sample->ip, &a);
		put_frame(j, &a, a.symbol ? symbol_name(j->p->session->symbols, a.hit.dso, a.symbol) : NULL, NULL, 0);
	}
	if (j->o->len > from)
		j->o->len--;
	put_line(j->o, 3);
	out_char(j->o, ']');
}

static void put_fields(struct print_job *j, struct json *sample)
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
		json_text(sample, f->fields.items[i].name, out_text(text));
	}
}

/* Print the chain as a whole into the buffer: only then do we know whether it has a frame. */
static void convert_sample(struct print_job *j)
{
	const struct sample *s = j->sample;
	struct out *o = j->o, text;
	struct json json = members(&text, 3);
	char buf[16];

	out_init_mem(&text);
	j->o = &text;
	if (j->w->samples > 1)
		out_char(&text, ',');
	put_line(&text, 2);
	out_char(&text, '{');
	json_number(&json, "timestamp", (int64_t)s->time);
	json_number(&json, "pid", (int32_t)s->pid);
	json_number(&json, "tid", (int32_t)s->tid);
	if (s->type & SAMPLE_CPU)
		json_number(&json, "cpu", s->cpu);
	json_text(&json, "comm", session_comm(j->p->session, j->task.comm, buf));
	put_chain(j, &json);
	put_fields(j, &json);
	put_line(&text, 2);
	out_char(&text, '}');
	j->o = o;
	out_mem(o, text.buf, text.len);
	out_release(&text);
}

const struct print_data_form print_convert_form = { "", convert_sample, .address = put_frame };
