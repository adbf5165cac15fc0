/* strobe sched stats record: two snapshots of the scheduler's counters, before and after a command. */
#include <signal.h>
#include <sys/wait.h>

#include "base/signal.h"
#include "cmd/commands.h"
#include "cmd/sched/schedstat_priv.h"
#include "events/caller.h"
#include "events/workload.h"
#include "format/sample.h"
#include "format/writer/writer.h"
#include "record/machine/collect.h"
#include "record/machine/schedstat.h"

struct stats_recorder {
	const struct schedstat_recording *what;
	struct schedstat_reader reader;
	struct workload workload;
	struct writer *to; /* NULL: nothing is open */
	struct arena arena;
	struct features features;
	sigset_t unblocked;
};

static int write_snapshot(struct stats_recorder *s, struct err *e)
{
	const struct out *o = &s->reader.records;

	return writer_write(s->to, &(struct iovec){ o->buf, o->len }, 1, e);
}

/* Readers need an event, although there are no samples. */
static int begin(struct stats_recorder *s, struct err *e)
{
	enum { DUMMY = 9 }; /* PERF_COUNT_SW_DUMMY, linux/perf_event.h */
	static const uint64_t id = 1;
	struct writer_event event = { .attr = { .type = ATTR_TYPE_SOFTWARE,
						.size = sizeof(struct attr),
						.config = DUMMY,
						.sample_period = 1,
						.sample_type = SAMPLE_IDENTIFIER | SAMPLE_TIME,
						.flags = ATTR_SAMPLE_ID_ALL },
				      .ids = &id,
				      .n_ids = 1,
				      .name = "dummy:u",
				      .n_members = 1 };

	if (schedstat_read(&s->reader, e) < 0)
		return -1;
	collect_features(&s->features, &s->arena,
			 &(struct collect_opts){ .argc = s->what->argc, .argv = s->what->argv });
	schedstat_describe(&s->reader, &s->features);
	s->to = writer_open(s->what->output, &(struct writer_opts){ 0 }, e);
	if (!s->to)
		return -1;
	writer_event(s->to, &event);
	return writer_begin(s->to, &s->features, e) < 0 ? -1 : write_snapshot(s, e);
}

static int run(struct stats_recorder *s, struct err *e)
{
	bool has_command = s->workload.pid;

	stop_on_signals_while_waiting(0, &s->unblocked);
	if (begin(s, e) < 0 || (has_command && workload_start(&s->workload, s->what->argv[0], e) < 0))
		return -1;
	while (!stop_requested && !(has_command && workload_ended(&s->workload)))
		sigsuspend(&s->unblocked);
	if (schedstat_read(&s->reader, e) < 0)
		return -1;
	return write_snapshot(s, e);
}

int schedstat_record(const struct schedstat_recording *what, struct err *e)
{
	struct stats_recorder s = { .what = what,
				    .reader = { .cpus = what->cpus },
				    .workload = { .cork = -1, .report = -1 } };
	struct err refused = { 0 };
	bool was_off;
	int rc;

	if (workload_fork(&s.workload, what->argv, &(struct caller){ 0 }, !strcmp(what->output, "-"), e) < 0)
		return -1;
	if (schedstat_start(NULL, &was_off, &refused) < 0)
		say("WARNING: the kernel does not count all: %s", refused.what);
	rc = run(&s, e);
	if (was_off)
		schedstat_stop(NULL);
	workload_finish(&s.workload);
	if (s.to && rc < 0)
		writer_abandon(s.to, true);
	else if (s.to)
		rc = writer_finish(s.to, &s.features, e);
	schedstat_release(&s.reader);
	arena_release(&s.arena);
	return rc;
}
