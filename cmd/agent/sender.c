#include "cmd/agent/agent.h"

#include "base/units.h"
#include "cmd/commands.h"
#include "report/push/push.h"

struct sender {
	const struct sender_opts *o;
	const char *service;
	struct push_target target;
	struct push_spool spool;
	bool init_due;
	struct err refused; /* why the spool refused the last interval */
};

/* Do not wait for a server that is down: try again with the next interval. */
static int send_waiting(void *of, struct err *e)
{
	struct sender *to = of;
	uint64_t sent;

	if (to->init_due && to->target.engine->init(&to->target, e) < 0)
		return -1;
	to->init_due = false;
	return push_drain(&to->target, &to->spool, 0, &sent, e);
}

/* Write the interval to the spool, then send everything that waits there. */
static int put_batches(void *of, struct stacks *st, const struct session *s, struct err *e)
{
	struct sender *to = of;
	int rc = push_fill(&to->target, st, s, to->service, &to->spool, e);
	struct err later = { 0 };

	err_clear(&to->refused);
	if (rc < 0)
		to->refused = *e;
	if (send_waiting(to, &later) < 0 && rc == 0) {
		*e = later;
		err_why(e, "the rest waits in '%s'", to->spool.dir);
		rc = -1;
	}
	return rc;
}

/* Send the waiting requests at the end, if there is no interval to put. A refused interval stays lost. */
static int send_last(void *of, struct err *e)
{
	const struct sender *to = of;

	if (send_waiting(of, e) < 0)
		return -1;
	if (!*to->refused.what)
		return 0;
	*e = to->refused;
	return -1;
}

static int open_sender(struct sender *to, struct err *e)
{
	autofree char *dir = to->o->spool ? xstrdup(to->o->spool) : spool_usual();
	uint64_t limit;

	if (push_target_parse(&to->target, to->o->url, e) < 0)
		return -1;
	if (to->o->init && !to->target.engine->init)
		return push_no_init(&to->target, e);
	to->init_due = to->o->init;
	if (parse_size(to->o->spool_size ? to->o->spool_size : SPOOL_USUAL_SIZE, &limit, e) < 0)
		return err_exit(e, EXIT_BAD_USAGE);
	return spool_open(&to->spool, dir, to->target.shown, limit, e);
}

int agent_send(const struct agent_opts *o, const struct sender_opts *s, struct err *e)
{
	struct sender to = { .o = s, .service = o->service, .spool.lock = -1 };
	int rc = open_sender(&to, e);

	if (rc == 0)
		rc = agent_run(o, &(struct agent_sink){ put_batches, send_last, &to }, e);
	spool_close(&to.spool);
	push_target_free(&to.target);
	return rc;
}
