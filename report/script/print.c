/*
 * Print one record as a line: the table of fields, and the fields at the start of a line. Larger
 * fields have files of their own.
 *
 * To add a field: add its bit to enum print_bit (report/script/print_priv.h) at its place in the
 * line, and a row here.
 */
#include "report/script/print_priv.h"

#include "base/parallel.h"
#include "base/phases.h"
#include "report/script/brinsn_priv.h"
#include "report/script/insn_priv.h"
#include "report/script/language.h"
#include "report/tracepoint/plugin.h"

/* ---- the fields of the sample ---- */

/* Print blanks: only decoders of instruction traces know these flags. */
static void print_flags(struct print_job *j) { out_pad(j->o, ' ', 24); }

void print_payload(struct printer *p, struct print_worker *w, uint32_t event, uint32_t cpu, const uint8_t *raw,
		   size_t size, struct out *o)
{
	if (!w->trace)
		w->trace = trace_text_new(p->session);
	trace_text_print(w->trace, event, cpu, raw, size, o);
}

void print_trace(struct print_job *j)
{
	const struct sample *s = j->sample;

	if (s->raw)
		print_payload(j->p, j->w, s->event, s->cpu, s->raw, s->raw_size, j->o);
}

static void print_addr(struct print_job *j)
{
	struct address a;

	out_hex_pad(j->o, j->sample->addr, 16, ' ');
	if (!j->event->addr_is_data || !(j->event->fields & (BIT(SYM) | BIT(DSO))))
		return;
	address_find_anywhere(j, j->sample->addr, &a);
	address_print(j, &a);
}

static void print_weight(struct print_job *j) { out_u64_pad(j->o, j->sample->weight, 16, ' '); }

static void print_ins_lat(struct print_job *j) { out_u64_pad(j->o, j->sample->ins_lat, 16, ' '); }

static void print_retire_lat(struct print_job *j) { out_u64_pad(j->o, j->sample->retire_lat, 16, ' '); }

static void print_cgroup(struct print_job *j)
{
	const char *path = session_cgroup(j->p->session, j->sample->cgroup);

	out_char(j->o, ' ');
	out_name(j->o, path ? path : "unknown");
}

void registers_print(const struct sample_regs *regs, const char *arch, struct out *o)
{
	const uint8_t *value = regs->values;

	for (uint64_t left = regs->mask; left; left &= left - 1, value += 8) {
		const char *name = arch_reg_name(arch, (unsigned)__builtin_ctzll(left));

		out_name_pad(o, name ? name : "unknown", 5);
		out_str(o, ":0x");
		out_hex(o, load_u64(value));
		out_char(o, ' ');
	}
}

static void print_regs(struct print_job *j, const struct sample_regs *regs)
{
	if (!regs->values)
		return;
	out_str(j->o, " ABI:");
	out_u64(j->o, regs->abi);
	out_char(j->o, ' ');
	registers_print(regs, j->p->session->pd->features.arch, j->o);
}

static void print_iregs(struct print_job *j) { print_regs(j, &j->sample->regs_intr); }

static void print_uregs(struct print_job *j) { print_regs(j, &j->sample->regs_user); }

static void print_phys_addr(struct print_job *j) { out_hex_pad(j->o, j->sample->phys_addr, 16, ' '); }

/*
 * Print the output of a BPF program, eight bytes per line, and as text if it is a string that fills
 * it. Source of the event's number: linux/perf_event.h, PERF_COUNT_SW_BPF_OUTPUT.
 */
static void print_bpf_output(struct print_job *j)
{
	enum { BPF_OUTPUT = 10, WIDTH = 8 };
	const uint8_t *raw = j->sample->raw;
	size_t size = raw ? j->sample->raw_size : 0, text = 0;

	if (j->file_event->attr.type != ATTR_TYPE_SOFTWARE || j->file_event->attr.config != BPF_OUTPUT || !size)
		return;
	out_char(j->o, '\n');
	for (size_t at = 0; at < size; at += WIDTH) {
		out_str(j->o, at ? "                 " : "      BPF output:");
		out_fmt(j->o, " %04zx:", at);
		for (size_t i = at; i < at + WIDTH; i++) {
			out_str(j->o, i < size ? " " : "   ");
			if (i < size)
				out_hex_pad(j->o, raw[i], 2, '0');
		}
		out_str(j->o, "  ");
		for (size_t i = at; i < at + WIDTH; i++)
			out_char(j->o, i >= size ? ' ' : raw[i] >= 0x20 && raw[i] < 0x7f ? (char)raw[i] : '.');
		out_char(j->o, '\n');
	}
	while (text < size && raw[text] >= 0x20 && raw[text] < 0x7f)
		text++;
	for (size_t i = text; i < size; i++)
		if (raw[i])
			return;
	if (text == size)
		return;
	out_fmt(j->o, "      BPF string: \"%.*s\"\n", (int)text, (const char *)raw);
}

const char *const print_kind_names[PRINT_KINDS] = {
	"hardware", "software", "tracepoint", "hardware-cache", "raw", "breakpoint", "unknown", "synthesized",
};

enum print_kind print_kind_of(const struct attr *a)
{
	return a->type <= ATTR_TYPE_BREAKPOINT ? (enum print_kind)a->type : PRINT_OTHER;
}

const struct print_field print_field_table[FIELDS] = {
	[FIELD_COMM] = { "comm", head_comm },
	[FIELD_PID] = { "pid", head_pid, SAMPLE_TID, "TID" },
	[FIELD_TID] = { "tid", head_tid, SAMPLE_TID, "TID" },
	[FIELD_MACHINE_PID] = { "machine_pid" }, /* for guests; we do not separate their records */
	[FIELD_VCPU] = { "vcpu" },
	[FIELD_CPU] = { "cpu", head_cpu, SAMPLE_CPU, "CPU" },
	[FIELD_MISC] = { "misc", head_misc },
	[FIELD_TOD] = { "tod", head_tod, SAMPLE_TIME, "TIME" },
	[FIELD_TIME] = { "time", head_time, SAMPLE_TIME, "TIME" },
	[FIELD_PERIOD] = { "period", head_period },
	[FIELD_EVENT] = { "event", head_event },
	[FIELD_FLAGS] = { "flags", print_flags },
	[FIELD_CALLINDENT] = { "callindent" }, /* only decoders of hardware traces make these */
	[FIELD_TRACE] = { "trace", print_trace, .kinds = 1u << PRINT_TRACEPOINT },
	[FIELD_SYNTH] = { "synth" },
	[FIELD_ADDR] = { "addr", print_addr, SAMPLE_ADDR, "ADDR", "record -d" },
	[FIELD_DATA_SRC] = { "data_src", print_data_src, SAMPLE_DATA_SRC, "DATA_SRC", "record -d", .in_order = true },
	[FIELD_WEIGHT] = { "weight", print_weight, SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, "WEIGHT", "record -W" },
	[FIELD_INS_LAT] = { "ins_lat", print_ins_lat, SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "record -W" },
	[FIELD_RETIRE_LAT] = { "retire_lat", print_retire_lat, SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "record -W" },
	[FIELD_CGROUP] = { "cgroup", print_cgroup, SAMPLE_CGROUP, "CGROUP", "record --all-cgroups" },
	[FIELD_IP] = { "ip", print_ip, SAMPLE_IP, "IP" },
	[FIELD_SYM] = { "sym" },
	[FIELD_SYMOFF] = { "symoff" },
	[FIELD_DSO] = { "dso" },
	[FIELD_DSOFF] = { "dsoff" },
	[FIELD_SRCLINE] = { "srcline" },
	[FIELD_IREGS] = { "iregs", print_iregs, SAMPLE_REGS_INTR, "IREGS", "record -I" },
	[FIELD_UREGS] = { "uregs", print_uregs, SAMPLE_REGS_USER, "UREGS", "record --user-regs" },
	[FIELD_BRSTACK] = { "brstack", print_brstack },
	[FIELD_BRSTACKSYM] = { "brstacksym", print_brstacksym },
	[FIELD_BRSTACKOFF] = { "brstackoff", print_brstackoff },
	[FIELD_BPF_OUTPUT] = { "bpf-output", print_bpf_output, SAMPLE_RAW, "RAW",
			       .kinds = 1u << PRINT_SOFTWARE | 1u << PRINT_TRACEPOINT | 1u << PRINT_OTHER |
					1u << PRINT_SYNTH },
	[FIELD_INSNLEN] = { "insnlen", print_insnlen, SAMPLE_IP, "IP" },
	[FIELD_INSN] = { "insn", print_insn, SAMPLE_IP, "IP" },
	[FIELD_DISASM] = { "disasm", print_disasm, SAMPLE_IP, "IP" },
	[FIELD_BRSTACKINSN] = { "brstackinsn", print_brstackinsn },
	[FIELD_BRSTACKINSNLEN] = { "brstackinsnlen", print_brstackinsn },
	[FIELD_BRSTACKDISASM] = { "brstackdisasm", print_brstackinsn },
	[FIELD_BRCNTR] = { "brcntr" },
	[FIELD_PHYS_ADDR] = { "phys_addr", print_phys_addr, SAMPLE_PHYS_ADDR, "PHYS_ADDR", "record --phys-data" },
	[FIELD_DATA_PAGE_SIZE] = { "data_page_size", print_data_page_size, SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE",
				   "record --data-page-size" },
	[FIELD_CODE_PAGE_SIZE] = { "code_page_size", print_code_page_size, SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE",
				   "record --code-page-size" },
	[FIELD_IPC] = { "ipc" },       /* only decoders of hardware traces make it */
	[FIELD_METRIC] = { "metric" }, /* on lines of its own: print_metrics */
	[FIELD_SRCCODE] = { "srccode", print_srccode, SAMPLE_IP, "IP", .in_order = true },
};

/* ---- samples ---- */

static bool sample_wanted(struct print_job *j)
{
	const struct sample_filter *f = j->p->opts.filter;
	struct address a;

	if (!f)
		return true;
	if (!sample_filter_wants_task(f, j->p->session, &j->task))
		return false;
	if (sample_filter_by_caller(f) && !print_wanted_caller(j))
		return false;
	if (!sample_filter_by_place(f))
		return true;
	address_find(j, j->sample->misc & MISC_CPUMODE, j->sample->ip, &a);
	return sample_filter_wants_place(f, j->p->session->symbols, a.ip, a.hit.dso, a.symbol);
}

/* Skip the sample? Printing may be off, or this sample switches it on or off. */
static bool switched_off(struct printer *p, uint32_t event)
{
	bool show = p->opts.show_switches;

	if (p->off) {
		if (event + 1 != p->opts.switch_on)
			return true;
		p->off = false;
		return !show;
	}
	if (event + 1 == p->opts.switch_off) {
		p->off = true;
		return !show;
	}
	return false;
}

static void print_one(struct print_job *j)
{
	print_fn *const *print;

	if ((j->p->opts.switch_on || j->p->opts.switch_off) && switched_off(j->p, j->sample->event))
		return;
	j->file_event = &j->p->session->pd->events[j->sample->event];
	j->event = &j->p->events[j->sample->event];
	if (!j->event->fields)
		return;
	if (j->p->opts.sinks) {
		j->o = j->p->opts.sinks[j->sample->event].out;
		j->p->opts.sinks[j->sample->event].samples++;
	}
	j->w->samples++;
	if (j->p->form) {
		j->p->form->sample(j);
		return;
	}
	print = j->event->prints;
	if (j->event->n_start && print_start(j))
		print += j->event->n_start;
	for (; *print; print++)
		(*print)(j);
	out_char(j->o, '\n');
}

enum { METRIC_EVENTS_MAX = 64 };

/* Print the metrics of a group, one per line after its samples. `event`: the event of the sample. */
static void print_metrics(struct print_job *j, size_t place, uint32_t event)
{
	const struct perfdata *pd = j->p->session->pd;
	struct out *text = &j->w->text;
	struct print_count counts[METRIC_EVENTS_MAX];
	size_t n = 0;

	for (uint64_t i = 0; i < j->sample->read.n && n < METRIC_EVENTS_MAX; i++) {
		uint64_t value, id, lost;
		int counter;

		sample_read_value(j->sample, i, &value, &id, &lost);
		counter = perfdata_event_by_id(pd, id);
		if (counter >= 0)
			counts[n++] = (struct print_count){ (uint32_t)counter, print_counters_advance(j->p, place, i) };
	}
	j->event = &j->p->events[event];
	if (j->p->opts.sinks)
		j->o = j->p->opts.sinks[event].out;
	text->len = 0;
	j->p->opts.metrics(j->p->opts.metrics_of, counts, n, text);
	for (const char *line = out_text(text), *end; (end = strchr(line, '\n')); line = end + 1) {
		print_head(j);
		out_str(j->o, "\tmetric: ");
		out_mem(j->o, line, (size_t)(end + 1 - line));
	}
}

static void tell_before(struct print_job *j)
{
	if (j->p->before)
		j->p->before(j->p->before_ctx, j->record);
}

/* Print a sample with counters, once per counter that advanced. */
static void print_counters(struct print_job *j, size_t place)
{
	const struct perfdata *pd = j->p->session->pd;
	uint32_t event = j->sample->event;
	bool wanted = sample_wanted(j);

	if (!wanted && !j->p->before)
		return;

	for (uint64_t i = 0; i < j->sample->read.n; i++) {
		uint64_t value, id, lost, period = print_counters_advance(j->p, place, i);
		int other;

		sample_read_value(j->sample, i, &value, &id, &lost);
		other = id ? perfdata_event_by_id(pd, id) : (int)event;
		if (other < 0) {
			j->w->notes.unknown_ids++;
		} else if (period) {
			tell_before(j);
			j->sample->event = (uint32_t)other;
			j->sample->id = id;
			j->sample->period = period;
			if (wanted)
				print_one(j);
		}
	}
	if (wanted && j->p->events[event].fields & BIT(METRIC) && !j->p->off)
		print_metrics(j, place, event);
}

static void print_sample(struct printer *p, struct print_worker *w, const struct record *r, uint64_t pos, size_t place,
			 struct out *o)
{
	int event = perfdata_event_of(p->session->pd, r);
	struct sample sample;
	struct print_job j = { .p = p, .w = w, .o = o, .record = r, .sample = &sample, .pos = pos };

	if (event < 0) {
		w->notes.unknown_ids++;
		return;
	}
	if (sample_decode(p->session->pd, r, (uint32_t)event, &sample, NULL) < 0) {
		w->notes.bad_samples++;
		return;
	}
	if (p->opts.times && p->opts.times->len && !time_ranges_have(p->opts.times, sample.time))
		return;
	if (p->opts.check || (p->opts.filter && !sample_filter_wants_cpu(p->opts.filter, sample.cpu)))
		return;
	j.moment = session_moment(p->session, &w->lookup, sample.time, j.pos);
	session_task(p->session, &w->lookup, (int32_t)sample.pid, (int32_t)sample.tid, j.moment, &j.task);
	if (sample.type & SAMPLE_READ && p->counters) {
		print_counters(&j, place);
		return;
	}
	tell_before(&j);
	if (!sample_wanted(&j))
		return;
	print_one(&j);
	if (j.event && j.event->usual)
		usual_learn(&j);
}

static void script_sideband(struct printer *p, const struct record *r)
{
	const struct script_language *l = p->opts.interpreter->language;

	if (l->sideband && !p->opts.interpreter->failed)
		l->sideband(p, r);
}

static void print_record(struct printer *p, unsigned worker, size_t place, struct out *o)
{
	struct print_worker *w = &p->workers[worker];
	uint64_t pos = p->window[place].pos;
	struct record r;

	if (!place_open(&w->reader, p->session, pos, &r))
		return;
	if (r.type == RECORD_SAMPLE)
		print_sample(p, w, &r, pos, place, o);
	else if (p->script)
		script_sideband(p, &r);
	else if (p->opts.sideband)
		print_sideband(p, w, &r, pos, o);
}

void print_record_again(struct printer *p, const struct record *r, print_before_fn *before, void *ctx, struct out *o)
{
	uint64_t pos = session_pos(r->stream, r->pos);
	const struct session_place one = { .pos = pos };

	if (r->type != RECORD_SAMPLE) {
		if (p->opts.sideband)
			print_sideband(p, &p->workers[0], r, pos, o);
		return;
	}
	p->window = &one;
	p->n_window = 1;
	p->before = before;
	p->before_ctx = ctx;
	print_counters_read(p);
	print_sample(p, &p->workers[0], r, pos, 0, o);
	p->before = NULL;
	p->n_window = 0;
}

/* ---- the printer ---- */

struct printer *printer_new(struct session *s, const struct print_fields *f, const struct print_opts *o,
			    unsigned threads, struct err *e)
{
	struct printer *p = xcalloc(1, sizeof(*p));

	p->session = s;
	p->opts = *o;
	if (o->filter && sample_filter_wants_all(o->filter))
		p->opts.filter = NULL;
	p->n_workers = MAX(threads, 1u);
	p->workers = xcalloc(p->n_workers, sizeof(*p->workers));
	p->form = o->form == PRINT_SCRIPT ? o->interpreter->language->form : print_data_form(o->form);
	p->off = o->switch_on;
	p->in_order = o->deltatime || o->switch_on || o->switch_off || o->form == PRINT_SCRIPT ||
		      o->form == PRINT_CONVERT || o->sinks || trace_plugins_wanted(s);
	if (o->stop_at) {
		p->stop_at = o->stop_at->items;
		p->n_stop_at = o->stop_at->len;
	}
	for (unsigned i = 0; i < p->n_workers; i++) {
		p->workers[i].number = i;
		out_init_mem(&p->workers[i].text);
		out_init_mem(&p->workers[i].piece);
		out_init_mem(&p->workers[i].comms[0].text);
		out_init_mem(&p->workers[i].comms[1].text);
	}
	if (print_events_init(p, f, e) < 0 ||
	    (f->shown[PRINT_TRACEPOINT] & BIT(TRACE) && trace_plugins_check(s, e) < 0)) {
		printer_free(p);
		return NULL;
	}
	if (o->form == PRINT_SCRIPT)
		o->interpreter->language->init(p);
	print_counters_init(p);
	usual_init(p);
	return p;
}

void printer_free(struct printer *p)
{
	if (!p)
		return;
	if (p->script)
		p->opts.interpreter->language->free(p);
	for (unsigned i = 0; i < p->n_workers; i++) {
		struct print_worker *w = &p->workers[i];

		lookup_release(&w->lookup);
		place_reader_release(&w->reader);
		address_cache_release(&w->addresses);
		vec_free(&w->chain);
		trace_text_free(w->trace);
		insn_cache_free(w->insns);
		source_cache_free(w->sources);
		usual_free(w->usual);
		out_release(&w->text);
		out_release(&w->piece);
		out_release(&w->comms[0].text);
		out_release(&w->comms[1].text);
	}
	for (size_t i = 0; p->events && i < p->session->pd->n_events; i++)
		free(p->events[i].name);
	free(p->events);
	free(p->workers);
	text_buffers_free(&p->buffers);
	print_counters_free(p);
	u64map_free(&p->named_modules);
	free(p);
}

/* From now on, read the records of places from this copy; NULL: from the file. */
static void read_from(struct printer *p, const struct records_copy *copy)
{
	for (unsigned i = 0; i < p->n_workers; i++) {
		place_reader_release(&p->workers[i].reader);
		p->workers[i].reader.copy = copy;
	}
}

/* Begin the delivery. Rounds are marks in the file: if the user wants to see them, deliver everything in file order. */
static void begin(struct printer *p, struct delivery *d)
{
	delivery_init(d, p->session, p->opts.sideband & PRINT_ROUNDS);
	print_counters_init(p);
}

static bool next_window(struct printer *p, struct delivery *d)
{
	read_from(p, NULL);
	if (!delivery_next(d))
		return false;
	read_from(p, &d->copy);
	p->window = d->window;
	p->n_window = d->n;
	print_counters_read(p);
	return true;
}

/* Find the first printed time, to which the others are relative: print, and drop the output, until we know it. */
static void find_start(struct printer *p)
{
	struct delivery d;
	struct out o;

	out_init_mem(&o);
	for (begin(p, &d); !p->started && next_window(p, &d);) {
		for (size_t i = 0; i < p->n_window && !p->started; i++) {
			print_record(p, 0, i, &o);
			o.len = 0;
		}
	}
	read_from(p, NULL);
	delivery_release(&d);
	out_release(&o);
}

/*
 * The number of records that one thread prints at a time. Their text should stay in the CPU's cache
 * until it is written, so we derive the number from the length of earlier text. The first records
 * measure it.
 */
enum { SLICE_TEXT = 128 << 10, SLICE_FIRST = 32, SLICE_MOST = 512, FIRST_RECORDS = 1024 };

static void print_slice(void *ctx, size_t item, unsigned worker, struct out *o)
{
	struct printer *p = ctx;
	struct print_worker *w = &p->workers[worker];
	size_t from = p->printed + item * p->slice, to = MIN(from + p->slice, p->n_window);

	for (size_t i = from, n; i < to; i += n) {
		n = p->usual ? print_usual(p, w, &p->window[i], to - i, o) : 0;
		if (n)
			continue;
		print_record(p, worker, i, o);
		n = 1;
	}
	w->records += to - from;
	w->text_bytes += o->len;
}

/* Return the number of records for a slice; 0 if nothing has been printed yet. */
static size_t slice_records(const struct printer *p)
{
	uint64_t records = 0, bytes = 0;

	for (unsigned i = 0; i < p->n_workers; i++) {
		records += p->workers[i].records;
		bytes += p->workers[i].text_bytes;
	}
	if (!records)
		return 0;
	return bytes ? MIN(MAX(SLICE_TEXT * records / bytes, (uint64_t)1), (uint64_t)SLICE_MOST) : SLICE_MOST;
}

static void print_window(struct printer *p, struct out *o)
{
	unsigned threads = p->in_order ? 1 : p->n_workers;
	size_t n;

	for (p->printed = 0; p->printed < p->n_window; p->printed += n) {
		size_t slice = slice_records(p), left = p->n_window - p->printed;

		n = slice ? left : MIN(left, (size_t)FIRST_RECORDS);
		p->slice = slice ? slice : SLICE_FIRST;
		parallel_text((n + p->slice - 1) / p->slice, threads, print_slice, p, &p->buffers, o);
	}
}

static void print_form_head(const struct printer *p, struct out *o)
{
	const char *head = p->form->head;

	for (size_t i = 0; p->opts.sinks && i < p->session->pd->n_events; i++)
		out_str(p->opts.sinks[i].out, head);
	if (!p->opts.sinks)
		out_str(o, head);
}

void print_all(struct printer *p, struct out *o)
{
	struct delivery d;

	phase("print");
	if (p->form)
		print_form_head(p, o);
	branch_counters_head(p, o);
	if (p->opts.reltime && !p->in_order) /* otherwise it is found while printing */
		find_start(p);
	for (begin(p, &d); !o->error && next_window(p, &d);)
		print_window(p, o);
	read_from(p, NULL);
	delivery_release(&d);
}

void print_begin(struct printer *p, struct out *o)
{
	if (p->form)
		print_form_head(p, o);
	branch_counters_head(p, o);
	p->in_order |= p->opts.reltime; /* we cannot look ahead for the first time */
	print_counters_init(p);
}

void print_places(struct printer *p, const struct session_place *places, size_t n, struct out *o)
{
	/* the records, and the timeline, have changed since the last call */
	for (unsigned i = 0; i < p->n_workers; i++) {
		place_reader_release(&p->workers[i].reader);
		p->workers[i].lookup.valid = false;
		usual_forget(p->workers[i].usual);
	}
	p->window = places;
	p->n_window = n;
	print_counters_read(p);
	print_window(p, o);
	p->n_window = 0;
}

static void count_misordered(struct printer *p, uint64_t *last, uint64_t *misordered)
{
	struct print_worker *w = &p->workers[0];

	for (size_t i = 0; i < p->n_window; i++) {
		struct sample s;
		struct record r;
		int event;

		if (!place_open(&w->reader, p->session, p->window[i].pos, &r) || r.type != RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(p->session->pd, &r);
		if (event < 0 || sample_decode(p->session->pd, &r, (uint32_t)event, &s, NULL) < 0)
			continue;
		*misordered += s.time < *last;
		*last = s.time;
	}
}

uint64_t print_misordered(struct printer *p)
{
	uint64_t last = 0, misordered = 0;
	struct delivery d;

	for (begin(p, &d); next_window(p, &d);)
		count_misordered(p, &last, &misordered);
	delivery_release(&d);
	return misordered;
}

uint64_t printer_samples(const struct printer *p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < p->n_workers; i++)
		n += p->workers[i].samples;
	return n;
}

void printer_notes(const struct printer *p, struct format_notes *notes)
{
	for (unsigned i = 0; i < p->n_workers; i++) {
		notes->unknown_ids += p->workers[i].notes.unknown_ids;
		notes->bad_samples += p->workers[i].notes.bad_samples;
	}
}
