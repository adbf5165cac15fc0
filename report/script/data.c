/*
 * Print samples for programs, as JSON lines or CSV. The first line of JSON states the version. Within a version we only
 * add keys and columns (in CSV at the end). strobe-script(1) describes both.
 */
#include "base/encode/json.h"
#include "report/script/print_priv.h"

/* ---- JSON ---- */

static struct json members(struct out *o) { return json_compact(o); }

static void json_line(struct print_job *j, struct json *to, const struct source_line *line)
{
	if (!(j->event->fields & BIT(SRCLINE)) || !line->file)
		return;
	json_text(to, "file", line->file);
	json_unsigned(to, "line", line->line);
}

/* Print "sym", "off" and "dso" as far as they are known. */
static void json_place(struct print_job *j, struct json *to, const struct address *a)
{
	struct symbols *s = j->p->session->symbols;

	if (a->symbol) {
		json_text(to, "sym", symbol_name(s, a->hit.dso, a->symbol));
		json_unsigned(to, "off", symbol_offset(s, a->hit.dso, a->symbol, a->hit.dso_off));
	}
	if (a->hit.dso)
		json_text(to, "dso", dso_name(s, a->hit.dso));
}

static void json_frame(struct print_job *j, const struct address *a, const struct inline_frame *f, bool inlined)
{
	struct json frame = members(j->o), *to = &frame;

	out_char(j->o, '{');
	json_hex(to, "ip", a->ip);
	if (inlined) {
		json_text(to, "sym", f->name);
		json_bool(to, "inlined", true);
		json_text(to, "dso", dso_name(j->p->session->symbols, a->hit.dso));
	} else {
		json_place(j, to, a);
	}
	json_line(j, to, &f->at);
	out_str(j->o, "},");
}

static void json_ids(struct print_job *j, struct json *to)
{
	const struct sample *s = j->sample;
	char buf[16];

	json_text(to, "comm", session_comm(j->p->session, j->task.comm, buf));
	if (s->type & SAMPLE_TID) {
		json_number(to, "pid", (int32_t)s->pid);
		json_number(to, "tid", (int32_t)s->tid);
	}
	if (s->type & SAMPLE_CPU)
		json_unsigned(to, "cpu", s->cpu);
	if (s->type & SAMPLE_TIME)
		json_unsigned(to, "time_ns", s->time);
	json_unsigned(to, "period", s->period);
}

/* Return the text for "trace": the tracepoint's fields, printed by the kernel's format. */
static const char *trace_of(struct print_job *j)
{
	struct out *text = &j->w->text;

	text->len = 0;
	if (j->sample->raw && print_kind_of(&j->file_event->attr) == PRINT_TRACEPOINT) {
		if (!j->w->trace)
			j->w->trace = trace_text_new(j->p->session);
		trace_text_print(j->w->trace, j->sample->event, j->sample->cpu, j->sample->raw, j->sample->raw_size,
				 text);
	}
	return out_text(text);
}

/* Print the frames, without a comma after the last one. */
static void frames_of(struct print_job *j)
{
	size_t from = j->o->len;

	print_chain(j);
	if (j->o->len > from)
		j->o->len--;
}

static void json_sample(struct print_job *j)
{
	const struct sample *s = j->sample;
	struct json json = members(j->o);
	struct address a;
	const char *trace;

	out_char(j->o, '{');
	json_text(&json, "event", j->file_event->name);
	json_ids(j, &json);
	if (s->type & SAMPLE_IP) {
		address_find(j, j->sample->misc & MISC_CPUMODE, s->ip, &a);
		json_hex(&json, "ip", s->ip);
		json_place(j, &json, &a);
	}
	if (s->type & SAMPLE_ADDR)
		json_hex(&json, "addr", s->addr);
	if (s->type & SAMPLE_PHYS_ADDR)
		json_hex(&json, "phys_addr", s->phys_addr);
	if (s->type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		json_unsigned(&json, "weight", s->weight);
	trace = trace_of(j);
	if (*trace)
		json_text(&json, "trace", trace + strspn(trace, " "));
	if (j->event->chain) {
		json_key(&json, "chain");
		out_char(j->o, '[');
		frames_of(j);
		out_char(j->o, ']');
	}
	out_str(j->o, "}\n");
}

/* ---- CSV ---- */

/* Escape as usual, then quote and double the quotes (RFC 4180). */
static void csv_text(struct out *o, const char *text)
{
	struct out escaped;

	out_init_mem(&escaped);
	out_name(&escaped, text);
	out_char(o, '"');
	for (size_t i = 0; i < escaped.len; i++) {
		if (escaped.buf[i] == '"')
			out_char(o, '"');
		out_char(o, escaped.buf[i]);
	}
	out_char(o, '"');
	out_release(&escaped);
}

static void csv_hex(struct out *o, bool known, uint64_t n)
{
	out_char(o, ',');
	if (!known)
		return;
	out_str(o, "0x");
	out_hex(o, n);
}

/* Print a frame within a quoted column: the name, or the address, and ';'. */
static void csv_frame(struct print_job *j, const struct address *a, const struct inline_frame *f, bool inlined)
{
	const char *name = inlined     ? f->name
			   : a->symbol ? symbol_name(j->p->session->symbols, a->hit.dso, a->symbol)
				       : NULL;
	struct out escaped;

	if (!name) {
		out_str(j->o, "0x");
		out_hex(j->o, a->ip);
		out_char(j->o, ';');
		return;
	}
	out_init_mem(&escaped);
	out_name(&escaped, name);
	for (size_t i = 0; i < escaped.len; i++) {
		if (escaped.buf[i] == '"')
			out_char(j->o, '"');
		out_char(j->o, escaped.buf[i] == ';' ? ':' : escaped.buf[i]);
	}
	out_char(j->o, ';');
	out_release(&escaped);
}

static void csv_ids(struct print_job *j)
{
	const struct sample *s = j->sample;
	char buf[16];

	csv_text(j->o, j->file_event->name);
	out_char(j->o, ',');
	csv_text(j->o, session_comm(j->p->session, j->task.comm, buf));
	out_char(j->o, ',');
	if (s->type & SAMPLE_TID)
		out_i64(j->o, (int32_t)s->pid);
	out_char(j->o, ',');
	if (s->type & SAMPLE_TID)
		out_i64(j->o, (int32_t)s->tid);
	out_char(j->o, ',');
	if (s->type & SAMPLE_CPU)
		out_u64(j->o, s->cpu);
	out_char(j->o, ',');
	if (s->type & SAMPLE_TIME)
		out_u64(j->o, s->time);
	out_char(j->o, ',');
	out_u64(j->o, s->period);
}

static void csv_sample(struct print_job *j)
{
	const struct sample *s = j->sample;
	struct symbols *symbols = j->p->session->symbols;
	struct address a = { 0 };
	const char *trace;

	csv_ids(j);
	if (s->type & SAMPLE_IP)
		address_find(j, j->sample->misc & MISC_CPUMODE, s->ip, &a);
	csv_hex(j->o, s->type & SAMPLE_IP, s->ip);
	out_char(j->o, ',');
	if (a.symbol)
		csv_text(j->o, symbol_name(symbols, a.hit.dso, a.symbol));
	out_char(j->o, ',');
	if (a.symbol)
		out_u64(j->o, symbol_offset(symbols, a.hit.dso, a.symbol, a.hit.dso_off));
	out_char(j->o, ',');
	if (a.hit.dso)
		csv_text(j->o, dso_name(symbols, a.hit.dso));
	csv_hex(j->o, s->type & SAMPLE_ADDR, s->addr);
	out_char(j->o, ',');
	trace = trace_of(j);
	if (*trace)
		csv_text(j->o, trace + strspn(trace, " "));
	out_char(j->o, ',');
	if (j->event->chain) {
		out_char(j->o, '"');
		frames_of(j);
		out_char(j->o, '"');
	}
	out_char(j->o, '\n');
}

/* ---- forms ---- */

static const struct print_data_form forms[] = {
	[PRINT_JSON] = { "{\"format\":\"strobe samples\",\"version\":1}\n", json_sample, json_frame },
	[PRINT_CSV] = { "event,comm,pid,tid,cpu,time_ns,period,ip,sym,off,dso,addr,trace,chain\n", csv_sample,
			csv_frame },
};

const struct print_data_form *print_data_form(enum print_form form)
{
	return form == PRINT_TEXT ? NULL : form == PRINT_CONVERT ? &print_convert_form : &forms[form];
}
