/* Fill the attrs of the events to record from the options. */
#include "record/attr/attr_config.h"

#include "format/sample.h"
#include "record/attr/aux_kind.h"
#include "symbols/arch/arch.h"

enum who {
	EVERY,    /* all events */
	SAMPLES,  /* not the dummy that carries only sideband */
	TRACKING, /* only the event that carries sideband */
};

#define AT(member) offsetof(struct record_opts, member)

/*
 * What a switch (a bool of record_opts) adds to the attrs. To add an option: a member in
 * record_opts, a row here, a row in the command's table. Options that do more than add bits
 * have a function below.
 */
static const struct attr_row {
	size_t option;
	enum who who;
	uint64_t sample_type, read_format, flags;
} attr_rows[] = {
	{ AT(data), EVERY, .sample_type = SAMPLE_ADDR | SAMPLE_DATA_SRC },
	{ AT(data), TRACKING, .flags = ATTR_MMAP_DATA },
	{ AT(data_mmap), TRACKING, .flags = ATTR_MMAP_DATA },
	{ AT(mem_info), EVERY, .sample_type = SAMPLE_DATA_SRC },
	{ AT(phys_data), EVERY, .sample_type = SAMPLE_PHYS_ADDR },
	{ AT(data_page_size), EVERY, .sample_type = SAMPLE_DATA_PAGE_SIZE },
	{ AT(code_page_size), EVERY, .sample_type = SAMPLE_CODE_PAGE_SIZE },
	{ AT(weight), EVERY, .sample_type = SAMPLE_WEIGHT_STRUCT },
	{ AT(transaction), EVERY, .sample_type = SAMPLE_TRANSACTION },
	{ AT(raw), SAMPLES, .sample_type = SAMPLE_RAW | SAMPLE_TIME | SAMPLE_CPU },
	{ AT(sample_cpu), EVERY, .sample_type = SAMPLE_CPU },
	{ AT(sample_period), EVERY, .sample_type = SAMPLE_PERIOD },
	{ AT(cgroups), EVERY, .sample_type = SAMPLE_CGROUP },
	{ AT(cgroups), TRACKING, .flags = ATTR_CGROUP },
	{ AT(running_time), EVERY, .read_format = READ_TIME_ENABLED | READ_TIME_RUNNING },
	{ AT(stat), EVERY, .read_format = READ_TIME_ENABLED | READ_TIME_RUNNING, .flags = ATTR_INHERIT_STAT },
	{ AT(namespaces), TRACKING, .flags = ATTR_NAMESPACES },
	{ AT(switches), TRACKING, .flags = ATTR_CONTEXT_SWITCH },
	{ AT(latency), TRACKING, .flags = ATTR_CONTEXT_SWITCH },
	{ AT(buildid_mmap), TRACKING, .flags = ATTR_BUILD_ID },
	{ AT(overwrite), EVERY, .flags = ATTR_WRITE_BACKWARD },
	{ AT(newest), SAMPLES, .flags = ATTR_WRITE_BACKWARD },
};

/* Data for all attrs of one list. */
struct attr_setup {
	const struct record_opts *o;
	const struct target *t;
	bool system_wide;  /* not bound to tasks */
	bool own_task;     /* the workload is measured */
	bool later;        /* -D: starts disabled, we enable it */
	bool live;         /* stacks are unwound while recording */
	uint32_t tracking; /* index in the list */
};

static void set_flags(struct perf_event_attr *a, uint64_t flags)
{
	a->mmap_data |= !!(flags & ATTR_MMAP_DATA);
	a->inherit_stat |= !!(flags & ATTR_INHERIT_STAT);
	a->namespaces |= !!(flags & ATTR_NAMESPACES);
	a->context_switch |= !!(flags & ATTR_CONTEXT_SWITCH);
	a->cgroup |= !!(flags & ATTR_CGROUP);
	a->build_id |= !!(flags & ATTR_BUILD_ID);
	a->write_backward |= !!(flags & ATTR_WRITE_BACKWARD);
}

bool target_is_workload(const struct target *t) { return t->workload && t->is_task && !t->pids && !t->tids && !t->uid; }

static bool is_dummy(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_DUMMY;
}

static void config_rows(const struct attr_setup *c, struct event *event, bool tracking)
{
	struct perf_event_attr *a = &event->attr;

	for (size_t i = 0; i < ARRAY_SIZE(attr_rows); i++) {
		const struct attr_row *row = &attr_rows[i];

		if (!*(const bool *)((const char *)c->o + row->option) || (row->who == TRACKING && !tracking) ||
		    (row->who == SAMPLES && event->is_dummy))
			continue;
		a->sample_type |= row->sample_type;
		a->read_format |= row->read_format;
		set_flags(a, row->flags);
	}
}

static void config_rate(const struct attr_setup *c, struct event *event)
{
	const struct record_opts *o = c->o;
	struct perf_event_attr *a = &event->attr;

	if (a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT) {
		/* the BPF program decides when */
		a->sample_type |= SAMPLE_RAW | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD;
		a->sample_period = MAX(a->sample_period, (uint64_t)1);
	}
	if (!event->user_period && (!a->sample_period || o->freq_given || o->period)) {
		a->freq = !o->period;
		a->sample_period = o->period ? o->period : o->freq;
	}
	if (a->freq)
		a->sample_type |= SAMPLE_PERIOD;
	if (o->no_samples)
		a->sample_period = 0;
	if (o->no_buffering) {
		a->watermark = 0;
		a->wakeup_events = 1;
	}
}

/*
 * Configure a group member that its leader's samples read: it only counts, unless its own terms
 * state a rate. Its samples have the leader's layout.
 */
static void config_read_member(struct event *event, const struct event *leader)
{
	if (event == leader || !leader->sample_read)
		return;
	event->attr.sample_type = leader->attr.sample_type;
	if (!event->user_period)
		event->attr.freq = event->attr.sample_period = 0;
}

static int chain_mode_of(const struct event *event, const struct record_opts *o, enum chain_mode *mode, struct err *e)
{
	static const char *const names[] = { "no", "fp", "dwarf", "lbr", "live" };

	*mode = o->chain;
	if (!event->term_callgraph) {
		if (*mode == CHAIN_MODE_NONE && event->term_max_stack > 0) /* a limit implies chains */
			*mode = CHAIN_MODE_FP;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], event->term_callgraph))
			continue;
		*mode = (enum chain_mode)i;
		return 0;
	}
	err_set(e, "unknown call-graph mode '%s' of event '%s'", event->term_callgraph, event->name);
	return err_try(e, "call-graph=fp, dwarf, live, lbr or no");
}

bool attr_unwinds(const struct event *event, const struct record_opts *o)
{
	enum chain_mode mode;

	return !event->is_dummy && !event_is_aux(event) && !o->kernel_chains &&
	       chain_mode_of(event, o, &mode, NULL) == 0 && mode == CHAIN_MODE_LIVE;
}

/*
 * Return true if the recorder itself unwinds the user stacks of an event. It must then know the
 * order of all records.
 */
static bool any_live(const struct event_list *l, const struct record_opts *o)
{
	for (size_t i = 0; i < l->events.len; i++)
		if (attr_unwinds(&l->events.items[i], o))
			return true;
	return false;
}

static bool wants_time(const struct attr_setup *c, const struct event *event)
{
	if (c->live)
		return true;
	if (event->term_time != TERM_DEFAULT)
		return event->term_time;
	return c->o->timestamp == TRI_ON || (c->o->timestamp == TRI_UNSET && !c->t->per_thread);
}

static bool wants_inherit(const struct attr_setup *c, const struct event *event)
{
	if (event->term_inherit != TERM_DEFAULT)
		return event->term_inherit;
	return !c->o->no_inherit && !c->system_wide && !c->t->per_thread && !c->t->tids;
}

/* Set when the event starts to count. Group members follow their leader. */
static void config_start(const struct attr_setup *c, struct event *event, bool tracking, bool leads)
{
	struct perf_event_attr *a = &event->attr;

	if (tracking && is_dummy(event) && c->system_wide) {
		a->disabled = 0;
	} else if (c->later && event->is_dummy) {
		a->disabled = a->enable_on_exec = c->own_task;
	} else {
		a->disabled = leads;
		a->enable_on_exec = leads && c->own_task && !c->later;
	}
}

/*
 * A live recording starts with a larger window than perf's: the copies never reach the disk, and 16 kB hold all but a
 * few stacks of most programs.
 */
static uint32_t stack_window(const struct record_opts *o, enum chain_mode mode)
{
	enum { LIVE_WINDOW = 16384 };

	if (mode != CHAIN_MODE_LIVE || o->stack_bytes_given)
		return o->stack_bytes;
	return MAX(MAX(o->stack_bytes, o->live_window), (uint32_t)LIVE_WINDOW);
}

enum { ROOM_OF_CHAIN = 16 << 10 };

static int config_chain(const struct attr_setup *c, struct event *event, bool *dwarf, struct err *e)
{
	const struct record_opts *o = c->o;
	struct perf_event_attr *a = &event->attr;
	enum chain_mode mode;

	if (chain_mode_of(event, o, &mode, e) < 0)
		return -1;
	if (mode == CHAIN_MODE_NONE)
		return 0;
	a->sample_type |= SAMPLE_CALLCHAIN;
	a->sample_max_stack =
		(uint16_t)(event->term_max_stack != TERM_DEFAULT ? event->term_max_stack : o->chain_depth);
	a->exclude_callchain_user = o->kernel_chains;
	a->exclude_callchain_kernel = o->user_chains;
	if (mode == CHAIN_MODE_LIVE && o->kernel_chains) /* no frames of the program are wanted */
		mode = CHAIN_MODE_FP;
	if (mode == CHAIN_MODE_DWARF || mode == CHAIN_MODE_LIVE) {
		if (!attr_user_regs())
			return err_set(e, "call graphs by DWARF are not known for this processor architecture");
		a->sample_type |= SAMPLE_REGS_USER | SAMPLE_STACK_USER;
		a->sample_regs_user |= attr_user_regs();
		a->sample_stack_user = event->term_stack_size != TERM_DEFAULT
					       ? (uint32_t)ROUND_UP(event->term_stack_size, 8)
					       : stack_window(o, mode);
		a->exclude_callchain_user = (mode == CHAIN_MODE_DWARF && !o->chain_both) || o->kernel_chains;
		*dwarf |= mode == CHAIN_MODE_DWARF;
	} else if (mode == CHAIN_MODE_LBR) {
		a->sample_type |= SAMPLE_BRANCH_STACK;
		a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
	}
	return 0;
}

static void config_registers(const struct record_opts *o, struct perf_event_attr *a)
{
	if (o->intr_regs) {
		a->sample_type |= SAMPLE_REGS_INTR;
		a->sample_regs_intr = o->intr_regs;
	}
	if (o->user_regs) {
		a->sample_type |= SAMPLE_REGS_USER;
		a->sample_regs_user |= o->user_regs;
	}
	if (o->branches) {
		a->sample_type |= SAMPLE_BRANCH_STACK;
		a->branch_sample_type = o->branches;
	}
}

static void config_levels(const struct record_opts *o, struct perf_event_attr *a)
{
	if (o->all_user) {
		a->exclude_kernel = 1;
		a->exclude_user = 0;
	}
	if (o->all_kernel) {
		a->exclude_kernel = 0;
		a->exclude_user = 1;
	}
}

/* Request sideband, from one event of the list only, so that it comes once. */
static void config_tracking(const struct record_opts *o, struct perf_event_attr *a, bool dwarf)
{
	a->task = a->mmap = a->mmap2 = a->comm = a->comm_exec = a->ksymbol = 1;
	a->bpf_event = !o->no_bpf_event;
	a->mmap_data |= dwarf;
}

static int aux_action_of(const struct event *event, uint32_t *bits, struct err *e)
{
	static const char *const words[] = { "start-paused", "pause",
					     "resume" }; /* linux/perf_event.h, aux_start_paused ... */

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(event->term_aux_action, words[i]))
			continue;
		*bits = 1u << i;
		return 0;
	}
	err_set(e, "unknown aux-action '%s' of event '%s'", event->term_aux_action, event->name);
	err_try(e, "aux-action=start-paused, pause or resume");
	return err_exit(e, EXIT_INVALID);
}

/* Set how an event uses the trace of its group's leader. */
static int config_aux(struct event *event, const struct event *leader, struct err *e)
{
	bool output = event->term_aux_output > 0, sample = event->term_aux_sample_size > 0;
	uint32_t action = 0;

	if (!output && !sample && !event->term_aux_action)
		return 0;
	if (!event_is_aux(leader)) {
		err_set(e, "event '%s' needs a hardware trace (AUX area event) as leader of its group", event->name);
		err_try(e, "-e '{intel_pt//,%s}' or the tracer of this machine", event->name);
		return err_exit(e, EXIT_INVALID);
	}
	if (event->term_aux_action && aux_action_of(event, &action, e) < 0)
		return -1;
	event->attr.aux_output = output;
	event->attr.__reserved_3 = action; /* aux_action since Linux 6.13 */
	if (sample) {
		event->attr.sample_type |= SAMPLE_AUX;
		event->attr.aux_sample_size = (uint32_t)MIN(event->term_aux_sample_size, UINT32_MAX);
	}
	return 0;
}

/* Apply terms of the event that add to the options. */
static int config_terms(struct event *event, const struct event *leader, struct err *e)
{
	struct perf_event_attr *a = &event->attr;
	uint64_t branches;

	if (event->term_driver_config && !event_is_aux(event)) {
		err_set(e, "event '%s': driver-config is for hardware tracers", event->name);
		err_try(e, "leave out driver-config=%s", event->term_driver_config);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (event->retire_latency)
		a->sample_type |= SAMPLE_WEIGHT_STRUCT;
	if (event->term_branch_type) {
		if (record_parse_branches(&branches, event->term_branch_type, e) < 0)
			return -1;
		a->sample_type |= SAMPLE_BRANCH_STACK;
		a->branch_sample_type = branches;
	}
	return config_aux(event, leader, e);
}

static int config_event(const struct attr_setup *c, struct event *event, const struct event *leader, bool tracking,
			bool *dwarf, struct err *e)
{
	struct perf_event_attr *a = &event->attr;
	bool leads = event->n_members > 0, group = event->sample_read && event->n_members != 1;

	a->sample_id_all = 1;
	a->sample_type |= SAMPLE_IP | SAMPLE_TID;
	a->read_format = READ_ID | READ_LOST | (group ? READ_GROUP : 0);
	if (wants_time(c, event))
		a->sample_type |= SAMPLE_TIME;
	else if (event->term_time != TERM_DEFAULT || c->o->timestamp == TRI_OFF)
		a->sample_type &= ~SAMPLE_TIME;
	if (c->system_wide || c->t->cpus)
		a->sample_type |= SAMPLE_CPU;
	if (event->sample_read)
		a->sample_type |= SAMPLE_READ;
	a->inherit = wants_inherit(c, event);
	config_rate(c, event);
	config_start(c, event, tracking, leads);
	config_rows(c, event, tracking);
	if (event->term_overwrite != TERM_DEFAULT)
		a->write_backward = !!event->term_overwrite;
	config_levels(c->o, a);
	if (c->o->use_clockid) {
		a->use_clockid = 1;
		a->clockid = c->o->clockid;
	}
	if (c->o->lean)
		a->sample_type &= ~(uint64_t)(SAMPLE_IP | SAMPLE_PERIOD);
	if (event->is_dummy)
		return 0;
	if (!event_is_aux(event)) /* a tracer's own samples do not need them */
		config_registers(c->o, a);
	if (config_terms(event, leader, e) < 0)
		return -1;
	if (event_is_aux(event))
		return 0;
	if (config_chain(c, event, dwarf, e) < 0)
		return -1;
	if (event->is_twin) /* a twin has a larger window; a copy that is kept must leave room for the chain */
		a->sample_stack_user = STACK_WINDOW_MAX - (c->o->keep_stacks ? ROOM_OF_CHAIN : 0);
	if (event->is_twin || event->is_reserve) {
		a->disabled = 1;
		a->enable_on_exec = 0;
	}
	return 0;
}

/*
 * Choose how samples name their event: IDENTIFIER when sample layouts differ (it is the only
 * field at the same place in all); ID when there are several events, or a group is read;
 * otherwise nothing. Trace decoders synthesize samples of any layout and need IDENTIFIER.
 */
static void config_ids(struct event_list *l, const struct record_opts *o, bool pipe)
{
	uint64_t first = l->events.items[0].attr.sample_type, bit = 0;
	bool identifier = o->identifier;

	for (size_t i = 0; i < l->events.len; i++) {
		const struct event *event = &l->events.items[i];

		identifier |= event->attr.sample_type != first || event_is_aux(event);
		if (l->events.len > 1 || event->sample_read || pipe)
			bit = SAMPLE_ID;
	}
	if (identifier)
		bit = SAMPLE_IDENTIFIER;
	for (size_t i = 0; i < l->events.len; i++)
		l->events.items[i].attr.sample_type |= bit;
}

int attr_config(struct event_list *l, const struct record_opts *o, const struct target *t, bool pipe,
		const struct aux_plan *aux, struct err *e)
{
	struct attr_setup c = {
		.o = o,
		.t = t,
		.system_wide = !t->is_task,
		.later = o->n_delays || o->stay_disabled,
		.own_task = target_is_workload(t),
		.live = any_live(l, o),
	};
	bool dwarf = false, traced = event_is_aux(&l->events.items[0]);

	if ((c.system_wide || c.later || traced || o->newest) && !is_dummy(&l->events.items[0])) {
		c.tracking = event_list_add_dummy(l);
		/* Tasks on these CPUs may have mapped their objects on other CPUs. */
		l->events.items[c.tracking].system_wide = c.system_wide && t->cpus;
	}
	if (traced)
		aux_add_dummies(l, t);
	for (uint32_t i = 0; i < l->events.len; i++) {
		struct event *event = &l->events.items[i];
		const struct event *leader = &l->events.items[event->leader];

		if (config_event(&c, event, leader, i == c.tracking, &dwarf, e) < 0)
			return -1;
		config_read_member(event, leader);
	}
	config_tracking(o, &l->events.items[c.tracking].attr, dwarf);
	/*
	 * A disabled event reports nothing. When the twin takes over, it must also report tasks and
	 * maps.
	 */
	if (c.tracking + 1 < l->events.len && l->events.items[c.tracking + 1].is_twin)
		config_tracking(o, &l->events.items[c.tracking + 1].attr, dwarf);
	if (traced)
		aux_config(aux, l, o, t, c.tracking);
	config_ids(l, o, pipe);
	return 0;
}

uint32_t attr_tracking(const struct event_list *l)
{
	for (uint32_t i = 0; i < l->events.len; i++)
		if (l->events.items[i].attr.task)
			return i;
	return 0;
}

void attr_of_event(struct attr *a, const struct event *event)
{
	attr_of_kernel(a, &event->attr);
	a->config3 = event->config3;
	a->config4 = event->config4;
}

uint64_t attr_user_regs(void)
{
	const struct arch *a = arch_native();

	return a ? a->user_regs : 0;
}
