/*
 * Pass samples to Perl scripts: choose which function of the script to call for a sample, and its arguments. Source:
 * perf-script-perl(1), and what perf 6.1 passes to a script that prints its arguments.
 */
#include "format/attr.h"
#include "report/rows/memory_text.h"
#include "report/script/perl_priv.h"
#include "report/script/print_priv.h"
#include "report/tracepoint/trace_format.h"

enum { NS_PER_S = 1000000000, RECORD_HEADER = 8 };

/* How to pass the samples of one tracepoint. */
struct perl_event {
	const struct trace_format *format; /* NULL: no tracepoint, or its format is unknown */
	const struct trace_field *preempt_count, *flags, *lock_depth, *pid;
	char number[12]; /* the event's number, for the bridge */
	uint8_t attr[ATTR_SIZE_MAX];
	bool known;  /* the members are filled */
	bool wanted; /* the script has a function for it */
};

struct print_perl {
	struct perl *perl;
	struct perl_event *events; /* by event of the input */
	struct trace_text *trace;
	bool generic; /* the script has process_event */
};

/* ---- call chains ---- */

enum { FRAME_HAS_SYMBOL = 1, FRAME_HAS_DSO = 2 };

/* Make the bytes of a frame, once per address; the bridge unpacks them as (Q C Q Q Q L/a L/a). */
static void perl_frame(struct print_job *j, const struct address *a, const struct inline_frame *f, bool inlined)
{
	struct symbols *s = j->p->session->symbols;
	const struct symbol *symbol = a->symbol ? dso_symbol(s, a->hit.dso, a->symbol) : &(struct symbol){ 0 };
	const char *name = inlined ? f->name : a->symbol ? symbol_name(s, a->hit.dso, a->symbol) : "";
	int has = (a->symbol || inlined ? FRAME_HAS_SYMBOL : 0) | (a->hit.dso ? FRAME_HAS_DSO : 0);

	perl_pack_number(j->o, a->ip);
	out_char(j->o, (char)has);
	perl_pack_number(j->o, symbol->start);
	perl_pack_number(j->o, symbol->end);
	perl_pack_number(j->o, symbol->binding);
	perl_pack_text(j->o, name);
	perl_pack_text(j->o, a->hit.dso ? dso_name(s, a->hit.dso) : "");
}

static void pack_chain(struct out *packed, struct print_job *j)
{
	struct out *o = j->o, frames;

	out_init_mem(&frames);
	if (j->event->chain) {
		j->o = &frames;
		print_chain(j);
		j->o = o;
	}
	perl_pack_bytes(packed, frames.buf, frames.len);
	out_release(&frames);
}

/* ---- tracepoints ---- */

static bool is_number(const struct trace_field *f) { return !(f->flags & TRACE_FIELD_STRING); }

/* Return a field as a number. As in perf, read an array as one number if it has the size of a number, otherwise 0. */
static uint64_t number_of(struct print_perl *pp, const struct trace_field *f, const struct sample *s)
{
	struct trace_field plain;
	struct trace_value v = { 0 };

	if (!f || !s->raw)
		return 0;
	plain = *f;
	plain.flags &= ~(unsigned)(TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC | TRACE_FIELD_RELATIVE);
	if (plain.size != 1 && plain.size != 2 && plain.size != 4 && plain.size != 8)
		return 0;
	trace_text_value(pp->trace, &plain, s->raw, s->raw_size, &v);
	return v.number;
}

static void pack_field(struct print_perl *pp, const struct trace_field *f, const struct sample *s)
{
	struct trace_value v = { 0 };

	if (is_number(f)) {
		perl_pack_number(&pp->perl->packed, number_of(pp, f, s));
		return;
	}
	if (s->raw)
		trace_text_value(pp->trace, f, s->raw, s->raw_size, &v);
	perl_pack_bytes(&pp->perl->packed, v.bytes, v.len ? strnlen((const char *)v.bytes, v.len) : 0);
}

/* Call handler(event_name, context, cpu, s, ns, pid, comm, chain, field ...). */
static void hand_fields(struct print_perl *pp, struct print_job *j, const struct perl_event *ev)
{
	const struct sample *s = j->sample;
	char buf[16];

	perl_pack_number(&pp->perl->packed, number_of(pp, ev->preempt_count, s));
	perl_pack_number(&pp->perl->packed, number_of(pp, ev->flags, s));
	perl_pack_number(&pp->perl->packed, number_of(pp, ev->lock_depth, s));
	perl_pack_number(&pp->perl->packed, s->cpu);
	perl_pack_number(&pp->perl->packed, s->time / NS_PER_S);
	perl_pack_number(&pp->perl->packed, s->time % NS_PER_S);
	perl_pack_number(&pp->perl->packed, ev->pid ? number_of(pp, ev->pid, s) : (uint64_t)(int32_t)s->tid);
	perl_pack_text(&pp->perl->packed, session_comm(j->p->session, j->task.comm, buf));
	pack_chain(&pp->perl->packed, j);
	for (size_t i = 0; i < ev->format->fields.len; i++)
		if (!(ev->format->fields.items[i].flags & TRACE_FIELD_COMMON))
			pack_field(pp, &ev->format->fields.items[i], s);
	perl_call_bridge(pp->perl, "Strobe::tracepoint", ev->number);
}

/* Define the names of __print_flags and __print_symbolic, for flag_str() and symbol_str() of Core. */
static void define_names(struct print_perl *pp, const struct trace_format *f, const char *handler,
			 const struct trace_node *n)
{
	bool flags = n->kind == TRACE_FLAGS;
	uint32_t of = script_named_field(f, n);

	for (uint32_t i = 0; of != UINT32_MAX && i <= n->c; i++) {
		const struct trace_name *name = i ? &f->names.items[n->b + i - 1] : NULL;
		const char *kind = flags ? "define_flag_" : "define_symbolic_";
		autofree char *function = xasprintf("%s%s", kind, name ? "value" : "field");

		perl_pack_text(&pp->perl->packed, function);
		perl_pack_text(&pp->perl->packed, handler);
		perl_pack_text(&pp->perl->packed, f->fields.items[of].name);
		perl_pack_number(&pp->perl->packed, name ? name->value : 0);
		perl_pack_text(&pp->perl->packed, name ? name->text : n->text ? n->text : "");
		perl_call_bridge(pp->perl, "Strobe::define", NULL);
	}
}

/* Write the template of what hand_fields() packs, with which the bridge unpacks it. The caller releases `o`. */
static void template_of(const struct trace_format *f, struct out *o)
{
	const struct trace_field *pid = script_field(f, "common_pid");

	out_init_mem(o);
	out_fmt(o, "QQq QQQ%c L/a L/a", !pid || pid->flags & TRACE_FIELD_SIGNED ? 'q' : 'Q');
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct trace_field *field = &f->fields.items[i];

		if (!(field->flags & TRACE_FIELD_COMMON))
			out_str(o, !is_number(field) ? " L/a" : field->flags & TRACE_FIELD_SIGNED ? "q" : "Q");
	}
}

static void init_tracepoint(struct print_perl *pp, struct perl_event *ev, uint32_t event)
{
	const struct trace_format *f = trace_text_format(pp->trace, event);
	autofree char *handler = NULL;
	struct out template;

	if (!f)
		return;
	ev->format = f;
	ev->preempt_count = script_field(f, "common_preempt_count");
	ev->flags = script_field(f, "common_flags");
	ev->lock_depth = script_field(f, "common_lock_depth");
	ev->pid = script_field(f, "common_pid");
	handler = xasprintf("%s::%s", f->system ? f->system : "", f->name);
	for (size_t i = 0; i < f->nodes.len; i++)
		define_names(pp, f, handler, &f->nodes.items[i]);
	template_of(f, &template);
	perl_pack_text(&pp->perl->packed, handler);
	perl_pack_bytes(&pp->perl->packed, template.buf, template.len);
	out_release(&template);
	perl_call_bridge(pp->perl, "Strobe::event", ev->number);
	ev->wanted = pp->perl->api.Perl_sv_2iv_flags(pp->perl->state, pp->perl->wanted, 0);
}

static const struct perl_event *event_of(struct print_perl *pp, struct print_job *j)
{
	uint32_t event = j->sample->event;
	struct perl_event *ev = &pp->events[event];

	if (ev->known)
		return ev;
	ev->known = true;
	snprintf(ev->number, sizeof(ev->number), "%u", event);
	attr_encode(&j->file_event->attr, sizeof(ev->attr), ev->attr);
	if (j->file_event->attr.type == ATTR_TYPE_TRACEPOINT)
		init_tracepoint(pp, ev, event);
	return ev;
}

/* ---- all samples ---- */

/* Pack the numbers at the start of the struct that perf 6.1 passes: 17 words. */
static void pack_numbers(struct out *packed, const struct sample *s)
{
	const uint64_t none = UINT64_MAX;
	uint64_t words[] = {
		s->ip,
		s->pid | (uint64_t)s->tid << 32,
		s->time,
		s->addr,
		s->type & (SAMPLE_ID | SAMPLE_IDENTIFIER) ? s->id : none,
		s->type & SAMPLE_STREAM_ID ? s->stream_id : none,
		s->period,
		s->weight,
		s->transaction,
		0, /* instructions and cycles of a decoded trace */
		0,
		(s->type & SAMPLE_CPU ? s->cpu : UINT32_MAX) | (uint64_t)s->raw_size << 32,
		s->type & SAMPLE_DATA_SRC ? s->data_src : MEMORY_NOT_AVAILABLE,
		s->phys_addr,
		s->data_page_size,
		s->code_page_size,
		s->cgroup,
	};

	perl_pack_bytes(packed, words, sizeof(words));
}

/* Call process_event(event, attr, sample, raw_data), with bytes for unpack. */
static void hand_bytes(struct print_perl *pp, struct print_job *j, const struct perl_event *ev)
{
	const struct record *r = j->record;
	struct {
		uint32_t type;
		uint16_t misc, size;
	} header = { r->type, r->misc, (uint16_t)(r->size + RECORD_HEADER) };
	uint32_t len = header.size;

	out_mem(&pp->perl->packed, (const char *)&len, sizeof(len));
	out_mem(&pp->perl->packed, (const char *)&header, sizeof(header));
	out_mem(&pp->perl->packed, (const char *)r->body, r->size);
	perl_pack_bytes(&pp->perl->packed, ev->attr, sizeof(ev->attr));
	pack_numbers(&pp->perl->packed, j->sample);
	perl_pack_bytes(&pp->perl->packed, j->sample->raw, j->sample->raw ? j->sample->raw_size : 0);
	perl_call_bridge(pp->perl, "Strobe::sample", NULL);
}

static void perl_sample(struct print_job *j)
{
	struct print_perl *pp = j->p->script;
	const struct perl_event *ev;

	if (pp->perl->base.failed)
		return;
	ev = event_of(pp, j);
	if (ev->wanted && !pp->perl->base.failed)
		hand_fields(pp, j, ev);
	if (pp->generic && !pp->perl->base.failed)
		hand_bytes(pp, j, ev);
}

/* ---- life ---- */

void perl_printer_init(struct printer *p)
{
	struct print_perl *pp = xcalloc(1, sizeof(*pp));

	p->script = pp;
	pp->perl = (struct perl *)p->opts.interpreter;
	pp->events = xcalloc(p->session->pd->n_events, sizeof(*pp->events));
	pp->trace = trace_text_new(p->session);
	pp->generic = perl_has(pp->perl, "process_event");
}

void perl_printer_free(struct printer *p)
{
	struct print_perl *pp = p->script;

	trace_text_free(pp->trace);
	free(pp->events);
	free(pp);
	p->script = NULL;
}

const struct print_data_form perl_form = { "", perl_sample, perl_frame };
