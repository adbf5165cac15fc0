/* Trials: check whether a recording would start. */
#include "record/session/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/out.h"
#include "record/attr/attr_config.h"
#include "record/session/recorder_priv.h"

enum { NOBODY = 65534 };

static bool measures_kernel(const struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++)
		if (!l->events.items[i].attr.exclude_kernel && !l->events.items[i].is_dummy)
			return true;
	return false;
}

void trial_demands(struct recorder *r)
{
	struct record_trial *t = r->trial;

	t->system = !r->target.is_task;
	t->kernel = measures_kernel(&r->events);
	for (size_t i = 0; i < r->events.events.len; i++) {
		const struct event *event = &r->events.events.items[i];

		t->trace |= event->system != NULL;
		t->system |= event->system_wide && !event->is_dummy;
	}
}

/* Check the output. The default name can be anywhere, so do not check it. */
static int check_place(struct recorder *r, struct err *e)
{
	return r->o.output && strcmp(r->o.output, "-") ? recorder_open_output(r, e) : 0;
}

static int try_all(struct recorder *r, char *const argv[], struct err *e)
{
	if (recorder_parse(r, e) < 0 || threads_check(r, e) < 0 || recorder_check_kcore(r, e) < 0 ||
	    check_place(r, e) < 0)
		return -1;
	if (recorder_find_target(r, argv, e) < 0 || threads_plan(r, e) < 0 || recorder_open_events(r, e) < 0)
		return -1;
	return r->o.realtime ? pace_try(r->o.realtime, e) : 0;
}

/*
 * Return whether we may read the maps of the named tasks. For the whole system the answer is
 * unknown: a user never sees all maps there.
 */
static bool sees_maps(const struct recorder *r)
{
	const struct target *t = &r->target;

	for (size_t i = 0; t->is_task && !target_is_workload(t) && i < t->threads.len; i++) {
		autofree char *path = xasprintf("/proc/%d/maps", (int)t->threads.items[i]);
		autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd < 0 && errno == EACCES)
			return false;
	}
	return true;
}

void record_try(const struct record_opts *o, char *const argv[], bool strict, struct record_trial *trial)
{
	struct record_result result;
	struct recorder r;

	*trial = (struct record_trial){ 0 };
	recorder_init(&r, o, &result);
	r.strict = strict;
	r.trial = trial;
	r.o.tell = (struct teller){ 0 };
	trial->ok = try_all(&r, argv, &trial->e) == 0;
	trial->whole = trial->ok && (!trial->kernel || measures_kernel(&r.events)) && sees_maps(&r);
	recorder_release(&r);
	free(result.path);
}

/*
 * Become a user without rights, except these capabilities. Source: capabilities(7), "Effect of
 * user ID changes on capabilities"; capset(2).
 */
static int become_user(uint64_t caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted = (uint32_t)(caps >> (32 * i));
	if (prctl(PR_SET_KEEPCAPS, 1) < 0 || setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
	    setresuid(NOBODY, NOBODY, NOBODY) < 0 || syscall(SYS_capset, &header, data) < 0)
		return -1;
	/*
	 * A change of user makes the process undumpable: even processes of the same user could
	 * not trace it.
	 */
	return prctl(PR_SET_DUMPABLE, 1);
}

static void __attribute__((noreturn)) child(const struct record_opts *o, char *const argv[], uint64_t caps, int to)
{
	struct record_trial trial = { 0 };
	struct record_opts theirs = *o;

	theirs.output = NULL; /* do not check where that user would write */
	if (become_user(caps) < 0)
		err_sys(&trial.e, "cannot try as another user");
	else
		record_try(&theirs, argv, false, &trial);
	record_trial_release(&trial);
	_exit(write(to, &trial, sizeof(trial)) == sizeof(trial) ? 0 : 1);
}

void record_try_as(const struct record_opts *o, char *const argv[], uint64_t caps, struct record_trial *trial)
{
	int ends[2], status;
	ssize_t n = 0;
	pid_t pid;

	*trial = (struct record_trial){ 0 };
	if (pipe2(ends, O_CLOEXEC) < 0) {
		err_sys(&trial->e, "cannot make a pipe");
		return;
	}
	pid = fork();
	if (!pid) {
		close(ends[0]);
		child(o, argv, caps, ends[1]);
	}
	close(ends[1]);
	while (pid > 0 && (n = read(ends[0], trial, sizeof(*trial))) < 0 && errno == EINTR)
		;
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != sizeof(*trial)) { /* less than PIPE_BUF: arrives whole or not at all */
		*trial = (struct record_trial){ 0 };
		err_set(&trial->e, "cannot try as another user");
	}
}

void record_trial_release(struct record_trial *trial)
{
	for (size_t i = 0; i < trial->notes.len; i++)
		free(trial->notes.items[i]);
	vec_free(&trial->notes);
}
