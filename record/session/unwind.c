/*
 * Unwind user stacks while recording (--call-graph live): connects the recorder with record/unwind.
 */
#include <unistd.h>

#include "base/out.h"
#include "format/format.h"
#include "format/sample.h"
#include "record/attr/attr_config.h"
#include "record/session/recorder_priv.h"

static bool any_live(const struct recorder *r)
{
	for (size_t i = 0; i < r->events.events.len; i++)
		if (attr_unwinds(&r->events.events.items[i], &r->o))
			return true;
	return false;
}

static bool any_backward(const struct recorder *r)
{
	for (size_t i = 0; i < r->events.events.len; i++)
		if (r->events.events.items[i].term_overwrite > 0)
			return true;
	return false;
}

int unwind_check(struct recorder *r, struct err *e)
{
	const char *other = NULL, *why = NULL;

	if (!any_live(r))
		return 0;
	if (r->o.threads) {
		other = "--threads";
		why = "a stack needs the maps that any ring may tell, so one thread must see all rings";
	} else if (r->o.overwrite || r->o.newest || any_backward(r)) {
		other = "--overwrite";
		why = "a flight recorder forgets the maps that its stacks need";
	} else if (r->o.user_regs) {
		other = "--user-regs";
		why = "the registers of the program are taken to unwind, and not kept";
	}
	if (!other)
		return 0;
	err_set(e, "--call-graph live does not go with %s", other);
	err_why(e, "%s", why);
	err_try(e, "--call-graph dwarf, which is unwound later");
	return err_exit(e, EXIT_INVALID);
}

/* Remove from an attr the fields that the helper removes from the samples. */
void unwind_describe_event(const struct recorder *r, uint32_t event, struct attr *a)
{
	if (!r->rewriter || !r->live_events[event] || r->o.keep_stacks)
		return;
	a->sample_type &= ~(SAMPLE_REGS_USER | SAMPLE_STACK_USER);
	a->sample_regs_user = 0;
	a->sample_stack_user = 0;
}

/*
 * If rings have room for many copies, make copies as large as possible. Larger copies later would
 * be too late for programs that run for less than a second.
 */
void unwind_choose_window(struct recorder *r)
{
	enum { RING = 4 << 20, ALL_RINGS = 48 << 20 };
	const struct record_opts *o = &r->o;

	/* a sample that keeps its copy also needs room for its chain */
	if (!any_live(r) || o->stack_bytes_given || o->keep_stacks || o->ring_pages || o->per_thread ||
	    sysconf(_SC_NPROCESSORS_ONLN) > ALL_RINGS / RING || !event_may_lock())
		return;
	r->o.live_window = STACK_WINDOW_MAX;
	r->rings.usual_pages = RING / (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * Return true if events can be replaced while they run: not if somebody turns them on and off, or
 * reads them in groups.
 */
static bool may_widen(const struct recorder *r)
{
	enum { EVENTS_MAX = 16 }; /* each twin takes as many descriptors as its event */
	const struct record_opts *o = &r->o;

	if (o->stack_bytes_given || o->live_window || o->n_delays || o->stay_disabled || o->control || o->off_cpu ||
	    o->no_samples || r->events.events.len > EVENTS_MAX)
		return false;
	for (size_t i = 0; i < r->events.events.len; i++) {
		const struct event *event = &r->events.events.items[i];

		if (event->n_members != 1 || event->sample_read || event_is_aux(event) || event->exclude_self ||
		    event->term_stack_size != TERM_DEFAULT)
			return false;
	}
	return true;
}

void unwind_add_twins(struct recorder *r)
{
	struct event_list *l = &r->events;
	VEC(struct event) all = { 0 };

	if (!any_live(r) || !may_widen(r))
		return;
	for (size_t i = 0; i < l->events.len; i++) {
		struct event twin = l->events.items[i];

		vec_push(&all, twin);
		if (!attr_unwinds(&twin, &r->o))
			continue;
		twin.cpus = (struct cpuset){ 0 };
		for (size_t k = 0; k < all.items[all.len - 1].cpus.len; k++)
			cpuset_add(&twin.cpus, all.items[all.len - 1].cpus.items[k]);
		twin.is_twin = true;
		vec_push(&all, twin);
	}
	for (uint32_t i = 0; i < all.len; i++)
		all.items[i].leader = i;
	vec_clear(&l->events);
	vec_append(&l->events, all.items, all.len);
	vec_free(&all);
}

/* Let the twins take over if more than one stack of twenty continues behind its copy. */
static void widen(struct recorder *r)
{
	enum { ENOUGH = 40 }; /* samples to judge by */
	struct event *items = r->events.events.items;
	uint64_t samples, cut, width = 0;

	if (r->live_widened)
		return;
	rewriter_cut(r->rewriter, &samples, &cut);
	if (samples < ENOUGH || cut * 20 <= samples)
		return;
	r->live_widened = true;
	for (size_t i = 0; i + 1 < r->events.events.len; i++) {
		if (!items[i + 1].is_twin)
			continue;
		event_enable(&items[i + 1], true, NULL); /* fails for tasks that ended */
		event_enable(&items[i], false, NULL);
		width = items[i + 1].attr.sample_stack_user;
	}
	if (!width)
		return;
	rewriter_widened(r->rewriter, (uint32_t)width);
	tell(&r->o.tell,
	     "[ %s record: %.0f%% of the stacks are longer than their copies: %llu bytes of each are copied from now "
	     "on "
	     "]",
	     tool_name(), 100.0 * (double)cut / (double)samples, (unsigned long long)width);
}

int unwind_start(struct recorder *r, struct err *e)
{
	struct rewriter_opts opts = { .keep_stacks = r->o.keep_stacks };
	uint32_t *numbers = arena_alloc(&r->whole_run, r->events.events.len * sizeof(*numbers)), n = 0;
	bool any = false;

	r->live_events = arena_alloc(&r->whole_run, r->events.events.len * sizeof(bool));
	for (size_t i = 0; i < r->events.events.len; i++) {
		const struct event *event = &r->events.events.items[i];

		numbers[i] = n - event->is_twin;
		n += !event->is_twin;
		if (!attr_unwinds(event, &r->o) || !(event->attr.sample_type & SAMPLE_STACK_USER))
			continue;
		r->live_events[i] = any = true;
		if (!event->is_twin)
			opts.window = MAX(opts.window, event->attr.sample_stack_user);
	}
	if (!any && r->o.keep_stacks) {
		err_set(e, "--keep-stacks: no event has stacks that strobe unwinds while it records");
		err_try(e, "--call-graph live with it");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!any)
		return 0;
	opts.unwinds = r->live_events;
	opts.numbers = numbers;
	r->rewriter = rewriter_new(&r->events, &opts, e);
	return r->rewriter ? 0 : -1;
}

void unwind_learn(struct recorder *r)
{
	if (r->rewriter && !r->live_learned)
		rewriter_learn(r->rewriter, r->synth.out.buf, r->synth.out.len);
	r->live_learned = true;
}

/* Return the bytes of the whole records that `room` bytes hold. */
static size_t fitting(const struct iovec *iov, uint64_t room)
{
	const uint8_t *p = iov->iov_base;
	size_t at = 0;

	while (at + 8 <= iov->iov_len && at + load_u16(p + at + 6) <= room)
		at += load_u16(p + at + 6);
	return at;
}

static int write_ready(struct recorder *r, struct err *e)
{
	struct iovec iov[2];

	while (!r->result->full && rewriter_take(r->rewriter, iov)) {
		uint64_t room = recorder_room_left(r);

		if (iov->iov_len > room && !r->o.zstd_level) {
			iov->iov_len = fitting(iov, room);
			r->result->full = true;
		}
		iov[1] = recorder_round_mark();
		if (iov->iov_len && writer_write(r->writer, iov, 2, e) < 0)
			return -1;
		if (r->o.max_bytes && r->o.zstd_level && writer_flush(r->writer, e) < 0)
			return -1;
	}
	return 0;
}

void unwind_collect(struct recorder *r)
{
	bool cut;

	if (rewriter_has_room(r->rewriter)) {
		do {
			rings_collect(&r->rings, 1, UINT64_MAX, &cut);
			rewriter_put(r->rewriter, r->rings.iov.items, r->rings.iov.len);
			rings_advance(&r->rings);
		} while (!rings_round_is_over(&r->rings));
		rewriter_round(r->rewriter);
	}
	widen(r);
}

int unwind_sweep(struct recorder *r, struct err *e)
{
	if (r->ready && recorder_sweep_off_cpu(r, e) < 0)
		return -1;
	if (r->ready && aux_read(&r->aux, r->writer, recorder_room_left(r), &r->result->full, e) < 0)
		return -1;
	unwind_collect(r);
	return r->ready ? write_ready(r, e) : 0;
}

int unwind_drain(struct recorder *r, struct err *e)
{
	rewriter_flush(r->rewriter);
	return write_ready(r, e);
}

void unwind_describe(struct recorder *r)
{
	if (r->rewriter)
		rewriter_describe(r->rewriter, &r->features, &r->arena);
}

void unwind_end(struct recorder *r)
{
	struct rewriter_count c;
	uint64_t full;

	if (!r->rewriter)
		return;
	c = rewriter_count(r->rewriter);
	full = c.ends[UNWOUND_WINDOW_FULL];
	r->result->unwound = c.samples;
	r->result->unwound_whole = c.ends[UNWOUND_WHOLE] + c.ends[UNWOUND_JOINED];
	tell_more(
		&r->o.tell, 1,
		"Unwound %llu stacks of %.1f frames in %.3f s; %llu of %llu rules were not in the cache; %llu objects "
		"(%llu not found), %llu rows in %llu bytes; %u helpers",
		(unsigned long long)c.samples, c.samples ? (double)c.frames / (double)c.samples : 0,
		(double)c.cpu_ns / 1e9, (unsigned long long)c.missed, (unsigned long long)c.asked,
		(unsigned long long)c.objects, (unsigned long long)c.missing, (unsigned long long)c.table_rows,
		(unsigned long long)c.table_bytes, c.helpers);
	if (c.waits && r->result->lost)
		tell(&r->o.tell,
		     "WARNING: unwinding could not keep up: the rings waited %llu times, and %llu samples were lost",
		     (unsigned long long)c.waits, (unsigned long long)r->result->lost);
	if (c.damaged)
		tell(&r->o.tell, "WARNING: %llu samples could not be read and were not unwound",
		     (unsigned long long)c.damaged);
	if (full * 20 > c.samples && !r->o.stack_bytes_given && !r->o.live_window && !r->live_widened) {
		tell(&r->o.tell, "WARNING: %.1f%% of the stacks go on behind the part that was copied",
		     100.0 * (double)full / (double)c.samples);
		tell(&r->o.tell, "  try: --call-graph live,65528");
	}
	rewriter_free(r->rewriter);
	r->rewriter = NULL;
}
