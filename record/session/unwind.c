/* Unwind user stacks while recording (--call-graph live): what the recorder does around record/unwind. */
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
	} else if (r->o.overwrite || any_backward(r)) {
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

/* Leave out of an attr what the helper takes out of the samples. */
void unwind_describe_event(const struct recorder *r, uint32_t event, struct attr *a)
{
	if (!r->rewriter || !r->live_events[event] || r->o.keep_stacks)
		return;
	a->sample_type &= ~(SAMPLE_REGS_USER | SAMPLE_STACK_USER);
	a->sample_regs_user = 0;
	a->sample_stack_user = 0;
}

int unwind_start(struct recorder *r, struct err *e)
{
	struct rewriter_opts opts = { .keep_stacks = r->o.keep_stacks };
	bool any = false;

	r->live_events = arena_alloc(&r->whole_run, r->events.events.len * sizeof(bool));
	for (size_t i = 0; i < r->events.events.len; i++) {
		const struct event *event = &r->events.events.items[i];

		if (!attr_unwinds(event, &r->o) || !(event->attr.sample_type & SAMPLE_STACK_USER))
			continue;
		r->live_events[i] = any = true;
		opts.window = MAX(opts.window, event->attr.sample_stack_user);
	}
	if (!any)
		return 0;
	opts.unwinds = r->live_events;
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
	static const struct {
		uint32_t type;
		uint16_t misc, size;
	} mark = { RECORD_FINISHED_ROUND, 0, 8 };
	struct iovec iov[2];

	while (!r->result->full && rewriter_take(r->rewriter, iov)) {
		uint64_t room = recorder_room_left(r);

		if (iov->iov_len > room && !r->o.zstd_level) {
			iov->iov_len = fitting(iov, room);
			r->result->full = true;
		}
		iov[1] = (struct iovec){ (void *)(uintptr_t)&mark, sizeof(mark) };
		if (iov->iov_len && writer_write(r->writer, iov, 2, e) < 0)
			return -1;
		if (r->o.max_bytes && r->o.zstd_level && writer_flush(r->writer, e) < 0)
			return -1;
	}
	return 0;
}

int unwind_sweep(struct recorder *r, struct err *e)
{
	bool cut;

	if (r->begun && recorder_sweep_off_cpu(r, e) < 0)
		return -1;
	if (r->begun && aux_read(&r->aux, r->writer, recorder_room_left(r), &r->result->full, e) < 0)
		return -1;
	if (rewriter_has_room(r->rewriter)) {
		do {
			rings_collect(&r->rings, 1, UINT64_MAX, &cut);
			rewriter_put(r->rewriter, r->rings.iov.items, r->rings.iov.len);
			rings_advance(&r->rings);
		} while (!rings_round_is_over(&r->rings));
		rewriter_round(r->rewriter);
	}
	return r->begun ? write_ready(r, e) : 0;
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
	say_verbose(
		1,
		"Unwound %llu stacks of %.1f frames in %.3f s; %llu of %llu rules were not in the cache; %llu objects "
		"(%llu not found), %llu rows in %llu bytes; %u helpers",
		(unsigned long long)c.samples, c.samples ? (double)c.frames / (double)c.samples : 0,
		(double)c.cpu_ns / 1e9, (unsigned long long)c.missed, (unsigned long long)c.asked,
		(unsigned long long)c.objects, (unsigned long long)c.missing, (unsigned long long)c.table_rows,
		(unsigned long long)c.table_bytes, c.helpers);
	if (c.waits && r->result->lost)
		say("WARNING: unwinding could not keep up: the rings waited %llu times, and %llu samples were lost",
		    (unsigned long long)c.waits, (unsigned long long)r->result->lost);
	if (c.damaged)
		say("WARNING: %llu samples could not be read and were not unwound", (unsigned long long)c.damaged);
	if (full * 20 > c.samples && !r->o.stack_bytes_given) {
		say("WARNING: %.1f%% of the stacks go on behind the part that was copied",
		    100.0 * (double)full / (double)c.samples);
		say("  try: --call-graph live,65528");
	}
	rewriter_free(r->rewriter);
	r->rewriter = NULL;
}
