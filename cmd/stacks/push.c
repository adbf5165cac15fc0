#include "cmd/stacks/stacks_priv.h"

#include "base/units.h"
#include "cmd/agent/agent.h"
#include "report/push/push.h"

struct push_cmd {
	struct stacks_cmd common;
	const char *service, *spool, *spool_size, *retry, *every;
	bool init, only_spool, agent;
	/* the parsed values of these options */
	struct push_target target;
	uint64_t limit, patience_ns;
	struct push_spool open_spool;
	uint64_t sent; /* batches */
	bool down;     /* the server did not take the requests of earlier runs */
};
#define AT(member) offsetof(struct push_cmd, member)

static const struct opt push_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, NULL, OPT_INCLUDE, AT(common.session.force), NULL, NULL, OPT_OURS, .rows = force_options },
	{ 0, "service", OPT_INCLUDE, AT(service), .rows = agent_options },
	{ 0, "agent", OPT_BOOL, AT(agent), NULL,
	  "record this machine until a signal, as record --agent does, and send the profile", OPT_OURS },
	{ 0, "every", OPT_INCLUDE, AT(every), .rows = agent_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Sending" },
	{ 0, "init", OPT_BOOL, AT(init), NULL, "make the tables first, if they are missing", OPT_OURS },
	{ 0, "spool-only", OPT_BOOL, AT(only_spool), NULL, "send what the spool still contains, and no recording",
	  OPT_OURS },
	{ 0, "retry", OPT_STR, AT(retry), "time", "give up if a request has failed for this long (default: 30s)",
	  OPT_OURS },
	{ 0, "spool", OPT_STR, AT(spool), "dir", "keep the spool, the data that is not sent yet, in this directory",
	  OPT_OURS },
	{ 0, "spool-size", OPT_STR, AT(spool_size), "size", "let the spool grow to this size (default: 1G)", OPT_OURS },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Which samples" },
	{ 0, "event-filter", OPT_INCLUDE, AT(common), NULL, "only samples of this event (default: all events)",
	  OPT_OURS, .rows = stacks_options },
	{ 0, "wall time", OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, "cpu pids tids", OPT_INCLUDE, AT(common.filter.who), NULL, NULL, OPT_OURS, .rows = filter_options },
	{ 'c', "comms", OPT_INCLUDE, AT(common.filter.who), NULL, NULL, OPT_OURS, .rows = filter_options },
	{ 0, "dsos symbols", OPT_INCLUDE, AT(common.filter.who), NULL, NULL, OPT_OURS, .rows = filter_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Names and weights" },
	{ 0, "samples inline max-stack", OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, "demangle vmlinux kallsyms symfs bundle-first", OPT_INCLUDE, AT(common.objects), NULL, NULL, OPT_OURS,
	  .rows = object_options },
	{ 0 },
};

static const struct push_cmd push_defaults = { .common = STACKS_DEFAULTS,
					       .spool_size = SPOOL_USUAL_SIZE,
					       .retry = "30s" };

/* Say how much is kept, and when it will be sent. */
static void say_kept(const struct push_cmd *c)
{
	say("[ %s push: %llu bytes wait in '%s'; the next push sends them ]", tool_name(),
	    (unsigned long long)c->open_spool.bytes, c->open_spool.dir);
}

static int drain(struct push_cmd *c, uint64_t patience_ns, struct err *e)
{
	uint64_t sent;
	int rc = push_drain(&c->target, &c->open_spool, patience_ns, &sent, e);

	c->sent += sent;
	return rc;
}

static int send_recording(void *opts, struct stacks *st, struct session *s, struct err *e)
{
	struct push_cmd *c = opts;

	if (push_fill(&c->target, st, s, c->service, &c->open_spool, e) < 0)
		return -1;
	return drain(c, c->down ? 0 : c->patience_ns, e);
}

/* Send older requests first. If that fails now, the recording still goes into the spool. */
static int run_push(struct push_cmd *c, struct err *e)
{
	static char *const none[] = { NULL };
	struct err older = { 0 };
	int rc;

	if (c->init && !c->target.engine->init)
		return push_no_init(&c->target, e);
	if (c->init && c->target.engine->init(&c->target, e) < 0)
		return -1;
	if (drain(c, c->patience_ns, c->only_spool ? e : &older) < 0) {
		if (c->only_spool)
			return -1;
		c->down = true;
	}
	if (c->only_spool)
		return 0;
	c->common.wakers = c->common.wall && c->target.engine->init; /* for queries */
	c->common.stacks.frames = c->common.stacks.each = c->common.stacks.pid = c->common.stacks.tid = true;
	rc = stacks_run(&c->common, &(struct stacks_job){ .write = send_recording, .opts = c }, (char **)none, e);
	return rc;
}

static int parse_push(struct push_cmd *c, int argc, char **argv, struct err *e)
{
	if (argc != 1) {
		err_set(e, argc ? "there is one URL to send to, not %d" : "no URL to send to", argc);
		err_try(e, "%s push clickhouse://HOST/DATABASE -i FILE", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (parse_size(c->spool_size, &c->limit, e) < 0 || parse_duration(c->retry, &c->patience_ns, e) < 0)
		return err_exit(e, EXIT_BAD_USAGE);
	return push_target_parse(&c->target, argv[0], e);
}

/*
 * Check the options of a push while recording: options about samples and names work as for
 * recordings, those about files have no meaning.
 */
static int check_agent(const struct push_cmd *c, struct err *e)
{
	const char *other = c->common.input           ? "--input"
			    : c->common.times         ? "--time"
			    : c->common.wall          ? "--wall"
			    : c->common.session.force ? "--force"
			    : c->only_spool           ? "--spool-only"
						      : NULL;

	if (!c->agent && c->every)
		err_set(e, "--every has a meaning with --agent only");
	else if (c->agent && other)
		err_set(e, "an agent reads no recording: %s has no meaning for it", other);
	else
		return 0;
	return err_exit(e, EXIT_BAD_USAGE);
}

static int run_agent(struct push_cmd *c, const char *url, struct err *e)
{
	struct sender_opts to = { .url = url, .spool = c->spool, .spool_size = c->spool_size, .init = c->init };
	struct agent_opts a = { .command = "push",
				.record = RECORD_DEFAULTS,
				.stacks = AGENT_STACKS,
				.filter = c->common.filter,
				.symbols = object_symbols(&c->common.objects, false),
				.service = c->service,
				.every = c->every };
	int rc = agent_prepare(&a.record, e);

	a.stacks.event = c->common.stacks.event;
	a.stacks.count_samples = c->common.stacks.count_samples;
	a.stacks.max_stack = c->common.max_stack ? (uint32_t)MIN(c->common.max_stack, 1u << 20) : usual_chain_depth();
	if (rc == 0)
		rc = agent_send(&a, &to, e);
	vec_free(&a.record.events);
	sample_filter_free(&c->common.filter.who);
	return rc;
}

static int push_recording(struct push_cmd *c, struct err *e)
{
	autofree char *dir = c->spool ? xstrdup(c->spool) : spool_usual();
	int rc = spool_open(&c->open_spool, dir, c->target.shown, c->limit, e);

	if (rc == 0)
		rc = run_push(c, e);
	if (c->sent)
		say("[ %s push: sent %llu batch%s to %s ]", tool_name(), (unsigned long long)c->sent,
		    c->sent == 1 ? "" : "es", c->target.shown);
	if (c->open_spool.bytes)
		say_kept(c);
	spool_close(&c->open_spool);
	return rc;
}

static int push_run(void *opts, int argc, char **argv, struct err *e)
{
	struct push_cmd *c = opts;
	int rc = parse_push(c, argc, argv, e);

	if (rc == 0)
		rc = check_agent(c, e);
	if (rc == 0)
		rc = c->agent ? run_agent(c, argv[0], e) : push_recording(c, e);
	push_target_free(&c->target);
	return rc;
}

const struct command cmd_push = {
	.name = "push",
	.summary = "send a recording to ClickHouse, Pyroscope, Parca or OpenTelemetry",
	.run = push_run,
	.usage = (const char *const[]){ "URL [<options>]", "URL --agent [<options>]", NULL },
	.options = push_options,
	.defaults = &push_defaults,
	.opts_size = sizeof(struct push_cmd),
};
