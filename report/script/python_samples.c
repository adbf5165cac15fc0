/*
 * Pass samples to Python scripts: choose which function of the script to call for a sample, and its arguments. The
 * dictionaries and keys are those that scripts for perf use. Source: perf-script-python(1), and what perf 6.1 passes to
 * a script that prints its arguments.
 */
#include "report/script/insn_priv.h"

#include "format/branch.h"
#include "format/attr.h"
#include "report/rows/memory_text.h"
#include "report/script/python_priv.h"
#include "report/tracepoint/trace_format.h"

/* The keys of dictionaries; each is made once. */
/* clang-format off */
#define KEYS(X) \
	X(ev_name) X(attr) X(sample) X(raw_buf) X(comm) X(callchain) X(brstack) X(brstacksym) X(iregs) X(uregs) \
	X(dso) X(dso_bid) X(dso_map_start) X(dso_map_end) X(symbol) X(symoff) X(addr_dso) X(addr_dso_bid) \
	X(addr_dso_map_start) X(addr_dso_map_end) X(addr_correlates_sym) \
	X(addr_symbol) X(addr_symoff) X(pid) X(tid) X(cpu) X(ip) X(time) X(period) X(phys_addr) X(addr) \
	X(values) X(weight) X(ins_lat) X(retire_lat) X(transaction) X(datasrc) X(datasrc_decode) X(cgroup) \
	X(cpumode) X(sym) X(sym_off) X(sym_srcline) X(name) X(start) X(end) X(binding) X(from) X(to) X(mispred) \
	X(predicted) X(pred) X(in_tx) X(abort) X(cycles) X(from_dsoname) X(to_dsoname) X(common_s) X(common_ns) \
	X(common_pid) X(common_comm) X(common_cpu) X(common_callchain)
/* clang-format on */
enum dict_key {
#define KEY(name) KEY_##name,
	KEYS(KEY)
#undef KEY
		N_KEYS
};
static const char *const key_names[N_KEYS] = {
#define KEY(name) #name,
	KEYS(KEY)
#undef KEY
};

/* How to pass the samples of one event. */
struct python_event {
	py_object *handler; /* borrowed; NULL: not wanted */
	/* handler_name: "sched__sched_switch", the event's name for the function. */
	py_object *name, *attr, *handler_name;
	const struct trace_format *format; /* of tracepoints */
	py_object **fields;                /* keys by field of `format`; NULL for common fields */
	unsigned n_fields;                 /* number of fields that are not common */
	bool as_fields;                    /* pass each field as an argument, otherwise one dictionary */
	bool wants_sample;                 /* also pass the dictionary of the sample */
	bool known;                        /* the members above are filled */
};

struct print_python {
	struct python *python;
	struct python_event *events; /* by event of the input */
	py_object *keys[N_KEYS], *context;
	struct trace_text *trace;
	py_object *comm; /* the last comm */
	uint32_t comm_id;
	py_object *switched, *throttled, *unthrottled; /* borrowed; NULL: the script has no such function */
	struct print_job *job;                         /* the current sample, for functions of the context */
};

#define API(pp) (&(pp)->python->py)

static void put(struct print_python *pp, py_object *dict, enum dict_key key, py_object *value)
{
	API(pp)->PyDict_SetItem(dict, pp->keys[key], value);
	API(pp)->Py_DecRef(value);
}

static void put_number(struct print_python *pp, py_object *dict, enum dict_key key, uint64_t n)
{
	put(pp, dict, key, API(pp)->PyLong_FromUnsignedLongLong(n));
}

static py_object *text_of(struct print_python *pp, const char *s) { return python_text(pp->python, s, strlen(s)); }

static void put_text(struct print_python *pp, py_object *dict, enum dict_key key, const char *s)
{
	put(pp, dict, key, text_of(pp, s));
}

/* Put the text "   AX:0x1    BX:0x0 " into a dictionary. */
static void put_registers(struct print_python *pp, struct print_job *j, py_object *dict, enum dict_key key,
			  const struct sample_regs *regs)
{
	struct out text;

	out_init_mem(&text);
	if (regs->values)
		registers_print(regs, j->p->session->pd->features.arch, &text);
	put_text(pp, dict, key, out_text(&text));
	out_release(&text);
}

static void put_memory(struct print_python *pp, py_object *dict, const struct sample *s)
{
	uint64_t data_src = s->type & SAMPLE_DATA_SRC ? s->data_src : MEMORY_NOT_AVAILABLE;
	struct out text;

	out_init_mem(&text);
	memory_parts_print(data_src, &text);
	put_number(pp, dict, KEY_datasrc, data_src);
	put_text(pp, dict, KEY_datasrc_decode, out_text(&text));
	out_release(&text);
}

/* ---- parts of a sample ---- */

static void put_build_id(struct print_python *pp, py_object *dict, enum dict_key key, uint32_t dso)
{
	const struct build_id *id = dso_build_id(pp->job->p->session->symbols, dso);
	char hex[41] = "";

	if (id && id->size)
		build_id_format(id, hex);
	put_text(pp, dict, key, hex);
}

static uint64_t offset_of(struct print_job *j, const struct address *a)
{
	struct symbols *s = j->p->session->symbols;

	return symbol_offset(s, a->hit.dso, a->symbol, a->hit.dso_off);
}

static void put_symbol(struct print_python *pp, struct print_job *j, py_object *dict, const struct address *a,
		       enum dict_key name, enum dict_key offset)
{
	if (!a->symbol)
		return;
	put_text(pp, dict, name, symbol_name(j->p->session->symbols, a->hit.dso, a->symbol));
	put_number(pp, dict, offset, offset_of(j, a));
}

static void put_place(struct print_python *pp, struct print_job *j, py_object *dict)
{
	struct symbols *s = j->p->session->symbols;
	struct address a;

	if (!(j->sample->type & SAMPLE_IP))
		return;
	address_find(j, j->sample->misc & MISC_CPUMODE, j->sample->ip, &a);
	if (a.hit.dso) {
		put_text(pp, dict, KEY_dso, dso_name(s, a.hit.dso));
		put_build_id(pp, dict, KEY_dso_bid, a.hit.dso);
		put_number(pp, dict, KEY_dso_map_start, a.hit.start);
		put_number(pp, dict, KEY_dso_map_end, a.hit.start + a.hit.len);
	}
	put_symbol(pp, j, dict, &a, KEY_symbol, KEY_symoff);
}

/* Put the symbol at the sample's data address into a dictionary, if the event has such an address. */
static void put_data_place(struct print_python *pp, struct print_job *j, py_object *dict)
{
	struct symbols *s = j->p->session->symbols;
	struct address a;

	if (!j->event->addr_is_data)
		return;
	put(pp, dict, KEY_addr_correlates_sym, API(pp)->PyBool_FromLong(1));
	address_find_anywhere(j, j->sample->addr, &a);
	if (a.hit.dso) {
		put_text(pp, dict, KEY_addr_dso, dso_name(s, a.hit.dso));
		put_build_id(pp, dict, KEY_addr_dso_bid, a.hit.dso);
		put_number(pp, dict, KEY_addr_dso_map_start, a.hit.start);
		put_number(pp, dict, KEY_addr_dso_map_end, a.hit.start + a.hit.len);
	}
	put_symbol(pp, j, dict, &a, KEY_addr_symbol, KEY_addr_symoff);
}

static py_object *counters_of(struct print_python *pp, const struct sample *s)
{
	const struct python_api *py = API(pp);
	py_object *list = py->PyList_New(0);

	for (uint64_t i = 0; i < MAX(s->read.n, 1u); i++) {
		py_object *tuple = py->PyTuple_New(3);
		uint64_t value[3] = { 0 }; /* id, value, lost */

		if (i < s->read.n)
			sample_read_value(s, i, &value[1], &value[0], &value[2]);
		for (int k = 0; k < 3; k++)
			py->PyTuple_SetItem(tuple, k, py->PyLong_FromUnsignedLongLong(value[k]));
		py->PyList_Append(list, tuple);
		py->Py_DecRef(tuple);
	}
	return list;
}

static py_object *facts_of(struct print_python *pp, struct print_job *j)
{
	const struct sample *s = j->sample;
	py_object *d = API(pp)->PyDict_New();

	put(pp, d, KEY_pid, API(pp)->PyLong_FromLongLong((int32_t)s->pid));
	put(pp, d, KEY_tid, API(pp)->PyLong_FromLongLong((int32_t)s->tid));
	put_number(pp, d, KEY_cpu, s->cpu);
	put_number(pp, d, KEY_ip, s->ip);
	put_number(pp, d, KEY_time, s->time);
	put_number(pp, d, KEY_period, s->period);
	put_number(pp, d, KEY_phys_addr, s->phys_addr);
	put_number(pp, d, KEY_addr, s->addr);
	put(pp, d, KEY_values, counters_of(pp, s));
	put_number(pp, d, KEY_weight, s->weight);
	put_number(pp, d, KEY_ins_lat, s->ins_lat);
	put_number(pp, d, KEY_retire_lat, s->retire_lat);
	put_number(pp, d, KEY_transaction, s->transaction);
	put_memory(pp, d, s);
	put_number(pp, d, KEY_cgroup, s->cgroup);
	put_number(pp, d, KEY_cpumode, j->sample->misc & MISC_CPUMODE);
	put_data_place(pp, j, d);
	return d;
}

/* ---- chains and branches ---- */

/* Make the dictionary of a frame, once per address; the cached text of the chain holds its reference. */
static void python_frame(struct print_job *j, const struct address *a, const struct inline_frame *f, bool inlined)
{
	struct print_python *pp = j->p->script;
	struct symbols *s = j->p->session->symbols;
	py_object *d = API(pp)->PyDict_New(), *sym;

	put_number(pp, d, KEY_ip, a->ip);
	if (a->symbol || inlined) {
		const struct symbol *symbol = a->symbol ? dso_symbol(s, a->hit.dso, a->symbol) : &(struct symbol){ 0 };

		sym = API(pp)->PyDict_New();
		put_number(pp, sym, KEY_start, symbol->start);
		put_number(pp, sym, KEY_end, symbol->end);
		put_number(pp, sym, KEY_binding, symbol->binding);
		put_text(pp, sym, KEY_name, inlined ? f->name : symbol_name(s, a->hit.dso, a->symbol));
		put(pp, d, KEY_sym, sym);
		if (a->symbol)
			put_number(pp, d, KEY_sym_off, offset_of(j, a));
	}
	if (f->at.file && j->event->fields & BIT(SRCLINE)) {
		autofree char *line = xasprintf("%s:%u", f->at.file, f->at.line);

		put_text(pp, d, KEY_sym_srcline, line);
	}
	if (a->hit.dso)
		put_text(pp, d, KEY_dso, dso_name(s, a->hit.dso));
	out_mem(j->o, (const char *)&d, sizeof(d));
}

static py_object *chain_of(struct print_python *pp, struct print_job *j)
{
	py_object *list = API(pp)->PyList_New(0);
	struct out *o = j->o, frames;

	if (!j->event->chain)
		return list;
	out_init_mem(&frames);
	j->o = &frames;
	print_chain(j);
	j->o = o;
	for (size_t i = 0; i + sizeof(py_object *) <= frames.len; i += sizeof(py_object *)) {
		py_object *frame, *own;

		memcpy(&frame, frames.buf + i, sizeof(frame));
		own = API(pp)->PyDict_Copy(frame); /* a copy, because the script may change it */
		API(pp)->PyList_Append(list, own);
		API(pp)->Py_DecRef(own);
	}
	out_release(&frames);
	return list;
}

static py_object *branch_of(struct print_python *pp, struct print_job *j, const uint8_t *branch, bool as_symbols)
{
	py_object *d = API(pp)->PyDict_New();
	uint64_t flags = branch_flags(branch);

	for (int end = 0; end < 2; end++) {
		uint64_t ip = end ? branch_to(branch) : branch_from(branch);
		struct address a;

		address_find_anywhere(j, ip, &a);
		if (as_symbols) {
			struct out *o = j->o, text;

			out_init_mem(&text);
			j->o = &text;
			address_print_symbol(j, &a, true);
			j->o = o;
			put_text(pp, d, end ? KEY_to : KEY_from, out_text(&text));
			out_release(&text);
		} else {
			put_number(pp, d, end ? KEY_to : KEY_from, ip);
			put_text(pp, d, end ? KEY_to_dsoname : KEY_from_dsoname,
				 dso_short_name(j->p->session->symbols, a.hit.dso));
		}
	}
	if (as_symbols) {
		put_text(pp, d, KEY_pred, flags & BRANCH_MISPREDICTED ? "M" : flags & BRANCH_PREDICTED ? "P" : "-");
		put_text(pp, d, KEY_in_tx, flags & BRANCH_IN_TX ? "X" : "-");
		put_text(pp, d, KEY_abort, flags & BRANCH_ABORTED ? "A" : "-");
	} else {
		put_number(pp, d, KEY_mispred, !!(flags & BRANCH_MISPREDICTED));
		put_number(pp, d, KEY_predicted, !!(flags & BRANCH_PREDICTED));
		put_number(pp, d, KEY_in_tx, !!(flags & BRANCH_IN_TX));
		put_number(pp, d, KEY_abort, !!(flags & BRANCH_ABORTED));
		put_number(pp, d, KEY_cycles, branch_cycles(flags));
	}
	return d;
}

static py_object *branches_of(struct print_python *pp, struct print_job *j, bool as_symbols)
{
	py_object *list = API(pp)->PyList_New(0);

	for (uint64_t i = 0; i < j->sample->branch.n; i++) {
		py_object *d = branch_of(pp, j, branch_at(j->sample->branch.entries, i), as_symbols);

		API(pp)->PyList_Append(list, d);
		API(pp)->Py_DecRef(d);
	}
	return list;
}

static py_object *comm_of(struct print_python *pp, struct print_job *j)
{
	char buf[16];

	if (!pp->comm || pp->comm_id != j->task.comm) {
		if (pp->comm)
			API(pp)->Py_DecRef(pp->comm);
		pp->comm = text_of(pp, session_comm(j->p->session, j->task.comm, buf));
		pp->comm_id = j->task.comm;
	}
	API(pp)->Py_IncRef(pp->comm);
	return pp->comm;
}

/* Make the dictionary of the sample. */
static py_object *sample_of(struct print_python *pp, struct print_job *j, struct python_event *ev)
{
	const struct sample *s = j->sample;
	py_object *d = API(pp)->PyDict_New();

	API(pp)->PyDict_SetItem(d, pp->keys[KEY_ev_name], ev->name);
	API(pp)->PyDict_SetItem(d, pp->keys[KEY_attr], ev->attr);
	put(pp, d, KEY_sample, facts_of(pp, j));
	put(pp, d, KEY_raw_buf, API(pp)->PyBytes_FromStringAndSize((const char *)s->raw, s->raw ? s->raw_size : 0));
	put(pp, d, KEY_comm, comm_of(pp, j));
	put_place(pp, j, d);
	put(pp, d, KEY_callchain, chain_of(pp, j));
	put(pp, d, KEY_brstack, branches_of(pp, j, false));
	put(pp, d, KEY_brstacksym, branches_of(pp, j, true));
	put_registers(pp, j, d, KEY_iregs, &s->regs_intr);
	put_registers(pp, j, d, KEY_uregs, &s->regs_user);
	return d;
}

/* ---- tracepoints ---- */

static bool is_text(const uint8_t *s, size_t len)
{
	size_t n = strnlen((const char *)s, len);

	for (size_t i = 0; i < n; i++)
		if ((s[i] < ' ' && !strchr("\a\b\t\n\v\f\r\x1b", s[i])) || s[i] == 0x7f)
			return false;
	return true;
}

static py_object *field_of(struct print_python *pp, struct print_job *j, const struct trace_field *f)
{
	const struct python_api *py = API(pp);
	struct trace_value v;

	trace_text_value(pp->trace, f, j->sample->raw, j->sample->raw ? j->sample->raw_size : 0, &v);
	if (!(f->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)))
		return f->flags & TRACE_FIELD_SIGNED ? py->PyLong_FromLongLong((int64_t)v.number)
						     : py->PyLong_FromUnsignedLongLong(v.number);
	if (!v.len)
		return f->flags & TRACE_FIELD_STRING ? text_of(pp, "") : py->PyByteArray_FromStringAndSize(NULL, 0);
	if (f->flags & TRACE_FIELD_STRING && is_text(v.bytes, v.len))
		return python_text(pp->python, (const char *)v.bytes, strnlen((const char *)v.bytes, v.len));
	return py->PyByteArray_FromStringAndSize((const char *)v.bytes, (ssize_t)v.len);
}

static py_object *own(struct print_python *pp, py_object *o)
{
	API(pp)->Py_IncRef(o);
	return o;
}

enum { COMMON_ARGS = 8, NS_PER_S = 1000000000 };

/* Return common_pid. The kernel's "pid" is the thread id. */
static py_object *common_pid_of(struct print_python *pp, struct print_job *j, const struct python_event *ev)
{
	const struct trace_field *f = script_field(ev->format, "common_pid");

	return f ? field_of(pp, j, f) : API(pp)->PyLong_FromLongLong((int32_t)j->sample->tid);
}

/* Call handler(event_name, context, cpu, s, ns, pid, comm, chain, field ... [, sample]). */
static void hand_fields(struct print_python *pp, struct print_job *j, struct python_event *ev)
{
	const struct python_api *py = API(pp);
	const struct sample *s = j->sample;
	py_object *args = py->PyTuple_New(COMMON_ARGS + ev->n_fields + ev->wants_sample);
	ssize_t n = 0;

	py->PyTuple_SetItem(args, n++, own(pp, ev->handler_name));
	py->PyTuple_SetItem(args, n++, own(pp, pp->context));
	py->PyTuple_SetItem(args, n++, py->PyLong_FromUnsignedLongLong(s->cpu));
	py->PyTuple_SetItem(args, n++, py->PyLong_FromUnsignedLongLong(s->time / NS_PER_S));
	py->PyTuple_SetItem(args, n++, py->PyLong_FromUnsignedLongLong(s->time % NS_PER_S));
	py->PyTuple_SetItem(args, n++, common_pid_of(pp, j, ev));
	py->PyTuple_SetItem(args, n++, comm_of(pp, j));
	py->PyTuple_SetItem(args, n++, chain_of(pp, j));
	for (size_t i = 0; i < ev->format->fields.len; i++)
		if (ev->fields[i])
			py->PyTuple_SetItem(args, n++, field_of(pp, j, &ev->format->fields.items[i]));
	if (ev->wants_sample)
		py->PyTuple_SetItem(args, n++, sample_of(pp, j, ev));
	python_call_with(pp->python, ev->handler, args);
}

/* Call trace_unhandled(event_name, context, fields [, sample]). */
static void hand_dictionary(struct print_python *pp, struct print_job *j, struct python_event *ev)
{
	const struct python_api *py = API(pp);
	const struct sample *s = j->sample;
	py_object *args = py->PyTuple_New(3 + ev->wants_sample), *d = py->PyDict_New();

	put_number(pp, d, KEY_common_cpu, s->cpu);
	put_number(pp, d, KEY_common_s, s->time / NS_PER_S);
	put_number(pp, d, KEY_common_ns, s->time % NS_PER_S);
	put(pp, d, KEY_common_pid, common_pid_of(pp, j, ev));
	put(pp, d, KEY_common_comm, comm_of(pp, j));
	put(pp, d, KEY_common_callchain, chain_of(pp, j));
	for (size_t i = 0; i < ev->format->fields.len; i++) {
		py_object *value = ev->fields[i] ? field_of(pp, j, &ev->format->fields.items[i]) : NULL;

		if (value) {
			py->PyDict_SetItem(d, ev->fields[i], value);
			py->Py_DecRef(value);
		}
	}
	py->PyTuple_SetItem(args, 0, own(pp, ev->handler_name));
	py->PyTuple_SetItem(args, 1, own(pp, pp->context));
	py->PyTuple_SetItem(args, 2, d);
	if (ev->wants_sample)
		py->PyTuple_SetItem(args, 3, sample_of(pp, j, ev));
	python_call_with(pp->python, ev->handler, args);
}

/* ---- which function is called ---- */

/* Define the names of __print_flags and __print_symbolic, for flag_str() and symbol_str() of Core. */
static void define_names(struct print_python *pp, struct python_event *ev, const struct trace_node *n)
{
	const struct python_api *py = API(pp);
	uint32_t of = script_named_field(ev->format, n);
	bool flags = n->kind == TRACE_FLAGS;
	py_object *field = python_function(pp->python, flags ? "define_flag_field" : "define_symbolic_field");
	py_object *value = python_function(pp->python, flags ? "define_flag_value" : "define_symbolic_value");
	py_object *args, *key;

	if (of == UINT32_MAX || !field || !value || !ev->fields[of])
		return;
	key = ev->fields[of];
	args = py->PyTuple_New(2 + flags);
	py->PyTuple_SetItem(args, 0, own(pp, ev->handler_name));
	py->PyTuple_SetItem(args, 1, own(pp, key));
	if (flags)
		py->PyTuple_SetItem(args, 2, text_of(pp, n->text ? n->text : ""));
	python_call_with(pp->python, field, args);
	for (uint32_t i = n->b; i < n->b + n->c; i++) {
		const struct trace_name *name = &ev->format->names.items[i];

		args = py->PyTuple_New(4);
		py->PyTuple_SetItem(args, 0, own(pp, ev->handler_name));
		py->PyTuple_SetItem(args, 1, own(pp, key));
		py->PyTuple_SetItem(args, 2, py->PyLong_FromUnsignedLongLong(name->value));
		py->PyTuple_SetItem(args, 3, text_of(pp, name->text));
		python_call_with(pp->python, value, args);
	}
}

static void init_tracepoint(struct print_python *pp, struct python_event *ev, uint32_t event)
{
	autofree char *name = NULL;

	ev->format = trace_text_format(pp->trace, event);
	if (!ev->format)
		return;
	name = xasprintf("%s__%s", ev->format->system ? ev->format->system : "", ev->format->name);
	ev->handler_name = text_of(pp, name);
	ev->fields = xcalloc(ev->format->fields.len + 1, sizeof(*ev->fields));
	for (size_t i = 0; i < ev->format->fields.len; i++) {
		if (ev->format->fields.items[i].flags & TRACE_FIELD_COMMON)
			continue;
		ev->fields[i] = text_of(pp, ev->format->fields.items[i].name);
		ev->n_fields++;
	}
	ev->handler = python_function(pp->python, name);
	ev->as_fields = ev->handler;
	if (!ev->handler)
		ev->handler = python_function(pp->python, "trace_unhandled");
	if (ev->handler)
		ev->wants_sample = python_parameters(pp->python, ev->handler) ==
				   (ev->as_fields ? COMMON_ARGS + ev->n_fields : 3) + 1;
	for (size_t i = 0; i < ev->format->nodes.len; i++)
		define_names(pp, ev, &ev->format->nodes.items[i]);
}

static struct python_event *event_of(struct print_python *pp, struct print_job *j)
{
	uint32_t event = j->sample->event;
	struct python_event *ev = &pp->events[event];
	const struct attr *attr = &j->file_event->attr;
	uint8_t bytes[ATTR_SIZE_MAX];

	if (ev->known)
		return ev;
	ev->known = true;
	ev->name = text_of(pp, j->file_event->name);
	attr_encode(attr, sizeof(bytes), bytes);
	ev->attr = API(pp)->PyBytes_FromStringAndSize((const char *)bytes, sizeof(bytes));
	if (attr->type == ATTR_TYPE_TRACEPOINT)
		init_tracepoint(pp, ev, event);
	else
		ev->handler = python_function(pp->python, "process_event");
	return ev;
}

static void python_sample(struct print_job *j)
{
	struct print_python *pp = j->p->script;
	struct python_event *ev;
	py_object *args;

	if (pp->python->base.failed)
		return;
	pp->job = j;
	ev = event_of(pp, j);
	if (!ev->handler) {
	} else if (ev->as_fields) {
		hand_fields(pp, j, ev);
	} else if (ev->format) {
		hand_dictionary(pp, j, ev);
	} else {
		args = API(pp)->PyTuple_New(1);
		API(pp)->PyTuple_SetItem(args, 0, sample_of(pp, j, ev));
		python_call_with(pp->python, ev->handler, args);
	}
	pp->job = NULL;
}

/* ---- other records ---- */

static void call_numbers(struct print_python *pp, py_object *handler, const int64_t *numbers, size_t n)
{
	py_object *args = API(pp)->PyTuple_New((ssize_t)n);

	for (size_t i = 0; i < n; i++)
		API(pp)->PyTuple_SetItem(args, (ssize_t)i, API(pp)->PyLong_FromLongLong(numbers[i]));
	python_call_with(pp->python, handler, args);
}

void python_sideband(struct printer *p, const struct record *r)
{
	struct print_python *pp = p->script;
	struct trailer t = { 0 };

	record_trailer(p->session->pd, r, &t);
	if ((r->type == RECORD_SWITCH || r->type == RECORD_SWITCH_CPU_WIDE) && pp->switched) {
		bool wide = r->type == RECORD_SWITCH_CPU_WIDE && r->size >= 8;
		int64_t numbers[] = {
			(int64_t)t.time,
			(int32_t)t.cpu,
			(int32_t)t.pid,
			(int32_t)t.tid,
			wide ? (int32_t)load_u32(r->body) : -1,
			wide ? (int32_t)load_u32(r->body + 4) : -1,
			0,
			!!(r->misc & MISC_SWITCH_OUT),
			!!(r->misc & MISC_SWITCH_PREEMPT),
		};

		call_numbers(pp, pp->switched, numbers, ARRAY_SIZE(numbers));
	} else if (r->type == RECORD_THROTTLE || r->type == RECORD_UNTHROTTLE) {
		py_object *handler = r->type == RECORD_THROTTLE ? pp->throttled : pp->unthrottled;
		int64_t numbers[] = { (int64_t)load_u64(r->body),
				      (int64_t)load_u64(r->body + 8),
				      (int64_t)load_u64(r->body + 16),
				      (int32_t)t.cpu,
				      (int32_t)t.pid,
				      (int32_t)t.tid };

		if (handler)
			call_numbers(pp, handler, numbers, ARRAY_SIZE(numbers));
	}
}

/* ---- functions that scripts call with a context or a sample ---- */

/*
 * The interpreter that calls the functions below; there is only one. To read a pointer of ours from their arguments,
 * the functions would need the interpreter's API, so they find it here.
 */
static struct python *caller;

static struct print_job *current_job(void)
{
	struct print_python *pp = caller->printing;

	return pp ? pp->job : NULL;
}

/* Return a field that every tracepoint has. */
static py_object *common_number(const char *name)
{
	struct print_python *pp = caller->printing;
	struct print_job *j = current_job();
	const struct python_event *ev = j ? &pp->events[j->sample->event] : NULL;
	struct trace_value v = { 0 };

	const struct trace_field *f = ev && ev->format ? script_field(ev->format, name) : NULL;

	if (f && j->sample->raw)
		trace_text_value(pp->trace, f, j->sample->raw, j->sample->raw_size, &v);
	return caller->py.PyLong_FromUnsignedLongLong(v.number);
}

static py_object *common_pc(py_object *self, py_object *args) { return common_number("common_preempt_count"); }
static py_object *common_flags(py_object *self, py_object *args) { return common_number("common_flags"); }
static py_object *common_lock_depth(py_object *self, py_object *args) { return common_number("common_lock_depth"); }

static py_object *none(void)
{
	caller->py.Py_IncRef(caller->py.none);
	return caller->py.none;
}

static py_object *nothing(py_object *self, py_object *args) { return none(); }

/* Look up the sampled address. Return false if nothing is known there. */
static bool sampled_address(struct print_job *j, struct address *a)
{
	if (!j || !(j->sample->type & SAMPLE_IP))
		return false;
	address_find(j, j->sample->misc & MISC_CPUMODE, j->sample->ip, a);
	return a->hit.dso;
}

/* Return (file, line) of the sampled address, or (file, line, text of the line); None for unknown parts. */
static py_object *sample_source(bool with_text)
{
	const struct python_api *py = &caller->py;
	struct print_job *j = current_job();
	py_object *tuple = py->PyTuple_New(2 + with_text);
	struct source_line line = { 0 };
	const char *text = NULL;
	struct address a;
	size_t len;

	if (sampled_address(j, &a) && dso_source_line(j->p->session->symbols, a.hit.dso, a.hit.dso_off, &line) &&
	    with_text)
		text = source_text(j, &line, &len);
	py->PyTuple_SetItem(tuple, 0, line.file ? python_text(caller, line.file, strlen(line.file)) : none());
	py->PyTuple_SetItem(tuple, 1, line.file ? py->PyLong_FromUnsignedLongLong(line.line) : none());
	if (with_text)
		py->PyTuple_SetItem(tuple, 2, text ? python_text(caller, text, len) : none());
	return tuple;
}

static py_object *sample_srcline(py_object *self, py_object *args) { return sample_source(false); }
static py_object *sample_srccode(py_object *self, py_object *args) { return sample_source(true); }

/* Return the bytes of the sampled instruction; None when its code is not available. */
static py_object *sample_insn(py_object *self, py_object *args)
{
	struct print_job *j = current_job();
	const struct known_insn *insn;
	struct address a;

	if (!sampled_address(j, &a))
		return none();
	insn = insn_at(j, &a);
	return insn->size ? caller->py.PyBytes_FromStringAndSize((const char *)insn->bytes, insn->size) : none();
}

static py_object *config_get(py_object *self, py_object *args)
{
	const struct python_api *py = &caller->py;
	py_object *name = py->PyTuple_GetItem(args, 0), *bytes = name ? py->PyUnicode_AsUTF8String(name) : NULL;
	const char *value = NULL;

	if (!bytes)
		return NULL; /* Python has set the exception */
	if (caller->settings)
		value = config_find(caller->settings, py->PyBytes_AsString(bytes));
	py->Py_DecRef(bytes);
	return value ? python_text(caller, value, strlen(value)) : none();
}

static struct py_method functions[] = {
	{ "common_pc", common_pc, PY_METH_VARARGS, "preempt count of a tracepoint's context" },
	{ "common_flags", common_flags, PY_METH_VARARGS, "interrupt and reschedule flags of a tracepoint's context" },
	{ "common_lock_depth", common_lock_depth, PY_METH_VARARGS, "lock depth of a tracepoint's context" },
	{ "perf_sample_insn", sample_insn, PY_METH_VARARGS, "the sampled instruction's bytes" },
	{ "perf_sample_srccode", sample_srccode, PY_METH_VARARGS, "(file, line, text) of the sampled address" },
	{ "perf_sample_srcline", sample_srcline, PY_METH_VARARGS, "(file, line) of the sampled address" },
	{ "perf_set_itrace_options", nothing, PY_METH_VARARGS, "does nothing: instruction traces are not decoded" },
	{ "perf_config_get", config_get, PY_METH_VARARGS, "the text of a setting, None if it is not set" },
};

/* ---- life ---- */

void python_add_functions(struct python *python)
{
	caller = python;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		python_add_function(python, "perf_trace_context", &functions[i]);
}

void python_printer_init(struct printer *p)
{
	struct print_python *pp = xcalloc(1, sizeof(*pp));

	p->script = pp;
	pp->python = (struct python *)p->opts.interpreter;
	pp->events = xcalloc(p->session->pd->n_events, sizeof(*pp->events));
	pp->trace = trace_text_new(p->session);
	pp->context = API(pp)->PyCapsule_New(pp, NULL, NULL);
	for (unsigned i = 0; i < N_KEYS; i++)
		pp->keys[i] = API(pp)->PyUnicode_FromString(key_names[i]);
	pp->switched = python_function(pp->python, "context_switch");
	pp->throttled = python_function(pp->python, "throttle");
	pp->unthrottled = python_function(pp->python, "unthrottle");
	if (pp->switched)
		p->opts.sideband |= 1ull << RECORD_SWITCH | 1ull << RECORD_SWITCH_CPU_WIDE;
	if (pp->throttled || pp->unthrottled)
		p->opts.sideband |= 1ull << RECORD_THROTTLE | 1ull << RECORD_UNTHROTTLE;
	pp->python->printing = pp;
}

/* Free our memory only: the objects belong to the interpreter, which ends soon. */
void python_printer_free(struct printer *p)
{
	struct print_python *pp = p->script;

	for (size_t i = 0; i < p->session->pd->n_events; i++)
		free(pp->events[i].fields);
	pp->python->printing = NULL;
	trace_text_free(pp->trace);
	free(pp->events);
	free(pp);
	p->script = NULL;
}

const struct print_data_form python_form = { "", python_sample, python_frame };
