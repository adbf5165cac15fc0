/*
 * Continue in another file: decide when, and name the files. Source: perf-record(1),
 * --switch-output, --timestamp-filename.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>

#include "base/clock.h"
#include "base/out.h"
#include "base/units.h"
#include "base/vec_edit.h"
#include "record/attr/attr_config.h"
#include "record/session/recorder_priv.h"

enum { NAMES_MAX = 1000 };

/* ---- when ---- */

/*
 * Receive SIGUSR2 through a descriptor, not a handler: no request gets lost between two looks,
 * and no global is needed.
 */
static int watch_signal(struct recorder *r, struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	r->rotate.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->rotate.signal_fd < 0)
		return err_sys(e, "cannot wait for SIGUSR2");
	return rings_watch(&r->rings, r->rotate.signal_fd, e);
}

/*
 * Open the events of --switch-output-event. Their records are not written; it only matters that
 * some arrived.
 */
static int open_triggers(struct recorder *r, struct err *e)
{
	struct record_opts plain = RECORD_DEFAULTS;
	struct open_notes notes = { 0 };
	struct open_opts opts = { 0 };
	struct event_list *l = &r->rotate.triggers;
	bool shrunk;
	int result;

	for (size_t i = 0; i < r->o.rotate_events.len; i++)
		if (event_list_parse(l, r->o.rotate_events.items[i], e) < 0)
			return -1;
	if (attr_config(l, &plain, &r->target, false, &r->aux.plan, e) < 0)
		return -1;
	for (size_t i = 0; i < l->events.len; i++) {
		struct perf_event_attr *a = &l->events.items[i].attr;

		a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = a->ksymbol = a->bpf_event = 0;
		a->watermark = a->wakeup_watermark = 1;
	}
	result = event_list_open(l, &r->target, &opts, &notes, e);
	vec_free(&notes.texts);
	r->rotate.rings.count = true;
	if (result < 0 || rings_map(&r->rotate.rings, l, &r->target, 1, &shrunk, e) < 0)
		return -1;
	if (!target_is_workload(&r->target) && event_list_enable(l, e) < 0)
		return -1;
	return rings_watch(&r->rings, r->rotate.rings.epoll, e);
}

static void warn_of_small_size(const struct recorder *r)
{
	uint64_t half = 0;

	for (size_t i = 0; i < r->rings.rings.len; i++)
		half = MAX(half, (r->rings.rings.items[i].size + (uint64_t)sysconf(_SC_PAGESIZE)) / 2);
	if (r->o.rotate.mode == ROTATE_SIZE && r->o.rotate.limit < half)
		tell(&r->o.tell,
		     "WARNING: switch-output data size lower than wakeup kernel buffer size (%lluK) expect bigger %s "
		     "sizes",
		     (unsigned long long)half / 1024, "perf.data");
}

int recorder_watch_rotation(struct recorder *r, struct err *e)
{
	if ((r->o.rotate.mode == ROTATE_SIGNAL || r->aux.plan.mode == AUX_SNAPSHOT) && watch_signal(r, e) < 0)
		return -1;
	if (r->o.rotate.mode == ROTATE_NEVER)
		return 0;
	warn_of_small_size(r);
	return r->o.rotate_events.len ? open_triggers(r, e) : 0;
}

bool recorder_was_signalled(const struct recorder *r)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (r->rotate.signal_fd >= 0 && read(r->rotate.signal_fd, &info, sizeof(info)) > 0)
		any = true;
	return any;
}

static bool triggered(struct recorder *r)
{
	struct rings *rings = &r->rotate.rings;
	uint64_t before = rings->samples;
	bool cut;

	if (!r->rotate.triggers.events.len)
		return false;
	rings_wait(rings, 0, NULL); /* stop watching ended tasks, which would stay ready */
	do {
		rings_collect(rings, 1, UINT64_MAX, &cut);
		rings_advance(rings);
	} while (!rings_round_is_over(rings));
	return rings->samples != before;
}

bool recorder_must_rotate(struct recorder *r, bool asked)
{
	const struct rotate_opts *o = &r->o.rotate;

	asked |= triggered(r);
	switch (o->mode) {
	case ROTATE_SIGNAL: return asked;
	case ROTATE_SIZE: return asked || writer_bytes(r->writer) >= o->limit;
	case ROTATE_TIME: return asked || now_ms() >= r->rotate.begun_ms + o->limit;
	default: return false;
	}
}

/* ---- how ---- */

/* Return "perf.data.2026112014324500": local time to hundredths of a second. */
static char *name_by_time(const char *path, struct timeval t)
{
	char stamp[32] = "";
	struct tm tm;

	if (localtime_r(&t.tv_sec, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	return xasprintf("%s.%s%02d", path, stamp, (int)(t.tv_usec / 10000));
}

/* Remove the oldest file if there are more than --switch-max-files. */
static void keep_newest(struct recorder *r, char *name)
{
	struct rotate *rotate = &r->rotate;

	vec_push(&rotate->files, name);
	if (!r->o.rotate.max_files || rotate->files.len <= r->o.rotate.max_files)
		return;
	if (unlink(rotate->files.items[0]) < 0 && errno != ENOENT)
		tell(&r->o.tell, "cannot remove '%s': %s", rotate->files.items[0], strerror(errno));
	free(rotate->files.items[0]);
	vec_remove(&rotate->files, 0, 1);
}

int recorder_name_by_time(struct recorder *r, struct err *e)
{
	const char *path = r->result->path;
	struct timeval now;
	struct stat st;

	if (!r->o.name_by_time || !path)
		return 0;
	if (lstat(path, &st) < 0 || !(recorder_makes_directory(r) ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode)))
		return err_set(e, "cannot rename '%s': it is no longer the file that was written", path);
	gettimeofday(&now, NULL);
	/* If the name of this hundredth of a second is taken, try the following ones. */
	for (int i = 0; i < NAMES_MAX; i++) {
		autofree char *name = name_by_time(path, now);

		if (!renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE) ||
		    (errno == EINVAL && access(name, F_OK) < 0 &&
		     !rename(path, name))) { /* some file systems lack the flag */
			free(r->result->dump);
			r->result->dump = xstrdup(name);
			keep_newest(r, xstrdup(name));
			return 0;
		}
		if (errno != EEXIST && errno != EINVAL)
			return err_sys(e, "cannot rename '%s' to '%s'", path, name);
		now.tv_usec += 10000;
		if (now.tv_usec >= 1000000)
			now = (struct timeval){ now.tv_sec + 1, now.tv_usec - 1000000 };
	}
	return err_set(e, "cannot find a name for '%s': all are taken", path);
}

int recorder_rotate(struct recorder *r, struct err *e)
{
	tell(&r->o.tell, "[ %s record: dump data: Woken up %llu times ]", tool_name(),
	     (unsigned long long)r->result->wakeups);
	if (recorder_drain(r, e) < 0 || recorder_finish_output(r, e) < 0)
		return -1;
	tell(&r->o.tell, "[ %s record: Dump %s ]", tool_name(), r->result->dump);
	r->result->wakeups = 0;
	r->result->samples = 0;
	if (recorder_open_output(r, e) < 0)
		return -1;
	if (!r->o.tail_synth)
		recorder_synthesize(r);
	return recorder_begin_output(r, e);
}

void rotate_release(struct rotate *rotate)
{
	if (rotate->signal_fd >= 0)
		close(rotate->signal_fd);
	rotate->signal_fd = -1;
	for (size_t i = 0; i < rotate->files.len; i++)
		free(rotate->files.items[i]);
	vec_free(&rotate->files);
	event_list_close(&rotate->triggers);
	rings_release(&rotate->rings);
	event_list_release(&rotate->triggers);
}
