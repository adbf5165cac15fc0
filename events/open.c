/* Open the events of a list on its target. Source: perf_event_open(2). */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "base/out.h"
#include "events/events_priv.h"

/* State of opening one list. */
struct opener {
	struct event_list *l;
	const struct target *t;
	const struct open_opts *o;
	struct open_notes *notes;
	struct err *e;
	struct kernel_facts facts;
	struct cpuset online; /* for system-wide events while the target is a task or some CPUs */
	bool *gone;           /* per thread of the target: it ended before we opened it */
	size_t n_gone;
	unsigned long flags;
	int cgroup_fd; /* for the event being opened; -1 = none */
	/* where the last failure happened */
	int cpu;
	int32_t pid;
	const char *fatal; /* option that this kernel cannot serve */
};

uint32_t event_attr_bytes(const struct event *event, uint8_t bytes[ATTR_BYTES_MAX])
{
	uint32_t size = MIN(MAX(sizeof(event->attr), (size_t)136), (size_t)ATTR_BYTES_MAX);

	memset(bytes, 0, ATTR_BYTES_MAX);
	memcpy(bytes, &event->attr, MIN(sizeof(event->attr), (size_t)ATTR_BYTES_MAX));
	if (event->config3)
		memcpy(bytes + 128, &event->config3, 8);
	if (event->config4) {
		memcpy(bytes + 136, &event->config4, 8);
		size = 144;
	}
	memcpy(bytes + offsetof(struct perf_event_attr, size), &size, sizeof(size));
	return size;
}

bool event_opens(const struct event *event, int32_t pid, int cpu)
{
	uint8_t attr[ATTR_BYTES_MAX];
	int fd;

	event_attr_bytes(event, attr);
	fd = sys_perf_event_open(attr, pid, cpu, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void event_close(struct event *event)
{
	for (size_t i = 0; event->fds && i < event->n_cpus * event->n_threads; i++) {
		if (event->fds[i] >= 0)
			close(event->fds[i]);
		event->fds[i] = -1;
	}
}

void event_list_close(struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++) {
		struct event *event = &l->events.items[i];

		event_close(event);
		event->fds = NULL; /* the arena owns it */
		event->ids = NULL;
		event->n_cpus = event->n_threads = 0;
	}
}

/* Set the event's rows of CPUs and columns of threads, all still closed. */
static void event_shape(struct opener *op, struct event *event)
{
	bool all_tasks = event->system_wide && op->t->is_task;
	bool all_cpus = event->system_wide && (op->t->any_cpu || !op->t->is_task);
	const struct cpuset *cpus = all_cpus ? &op->online : &op->t->cpu_list;
	size_t n;

	event->n_cpus = cpus->len;
	event->n_threads = all_tasks ? 1 : op->t->threads.len;
	event->open_cpus = arena_memdup(&op->l->arena, cpus->items, cpus->len * sizeof(*cpus->items));
	n = event->n_cpus * event->n_threads;
	event->fds = arena_alloc(&op->l->arena, n * sizeof(*event->fds));
	event->ids = arena_alloc(&op->l->arena, n * sizeof(*event->ids));
	memset(event->fds, 0xff, n * sizeof(*event->fds));
}

/*
 * Raise the limit of descriptors: to our hard limit, then (as root) to the system's. Return false
 * when that fails.
 */
static bool raise_limit(void)
{
	struct rlimit limit;
	rlim_t most = (rlim_t)sys_number("/proc/sys/fs/nr_open", 1 << 20);
	bool raised;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	if (limit.rlim_cur < limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	else if (limit.rlim_cur < most)
		limit.rlim_cur = limit.rlim_max = MIN(most, limit.rlim_cur * 4);
	else
		return false;
	raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
	errno = EMFILE; /* report this error if raising failed */
	return raised;
}

/*
 * Before opening many events, raise the limit to the descriptors that they need. Return false when
 * that fails. Some events may turn out to be unsupported and need none, but trying thousands to
 * find out would take too long.
 */
static bool limit_allows(size_t wanted)
{
	struct rlimit limit;
	rlim_t most = (rlim_t)sys_number("/proc/sys/fs/nr_open", 1 << 20);

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || wanted <= limit.rlim_cur)
		return true;
	if (wanted > limit.rlim_max && wanted <= most) {
		struct rlimit more = { wanted, wanted };

		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			return true;
	}
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0 && wanted <= limit.rlim_max;
}

/* Return how many descriptors an event needs that is not open yet. */
static size_t wanted_of(const struct opener *op, const struct event *event)
{
	bool all_tasks = event->system_wide && op->t->is_task;
	const struct cpuset *cpus = all_tasks && op->t->any_cpu ? &op->online : &op->t->cpu_list;
	size_t n = 0;

	for (size_t i = 0; i < cpus->len && !event->tool; i++)
		n += cpus->items[i] < 0 || !event->cpus.len || cpuset_has(&event->cpus, cpus->items[i]);
	return n * (all_tasks ? 1 : op->t->threads.len);
}

enum { OTHERS = 32 }; /* descriptors of our own: files, pipes */

static size_t descriptors_wanted(const struct opener *op)
{
	size_t n = 0;

	for (size_t i = 0; i < op->l->events.len; i++)
		n += wanted_of(op, &op->l->events.items[i]);
	return n;
}

/* Open one descriptor; -1 with errno. */
static int open_one(struct opener *op, const struct event *event, size_t cpu, size_t thread, int group_fd)
{
	uint8_t attr[ATTR_BYTES_MAX];
	int fd;

	event_attr_bytes(event, attr);
	op->cpu = event->open_cpus[cpu];
	op->pid = event->system_wide && op->t->is_task ? -1 : op->t->threads.items[thread];
	do
		fd = sys_perf_event_open(attr, event->cgroup ? op->cgroup_fd : op->pid, op->cpu, group_fd,
					 op->flags | (event->cgroup ? PERF_FLAG_PID_CGROUP : 0));
	while (fd < 0 && (errno == EINTR || (errno == EMFILE && raise_limit())));
	if (fd >= 0 && !op->flags)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* Open on all CPUs and threads. Return 0, or the errno of the failure after closing everything. */
static int open_everywhere(struct opener *op, struct event *event)
{
	const struct event *leader = &op->l->events.items[event->leader];
	bool own_threads = event->n_threads == op->t->threads.len && op->t->is_task && !event->system_wide;
	size_t n_open = 0, n_cpus = 0;

	for (size_t c = 0; c < event->n_cpus; c++) {
		int cpu = event->open_cpus[c];

		if (cpu >= 0 && event->cpus.len && !cpuset_has(&event->cpus, cpu))
			continue;
		n_cpus++;
		for (size_t i = 0; i < event->n_threads; i++) {
			int group_fd = leader == event ? -1 : event_fd(leader, c, i), fd, sys;

			if ((own_threads && op->gone[i]) || (leader != event && group_fd < 0))
				continue;
			fd = open_one(op, event, c, i, group_fd);
			event->fds[c * event->n_threads + i] = fd;
			n_open += fd >= 0;
			if (fd >= 0)
				continue;
			sys = errno;
			if (sys == ESRCH && own_threads && op->n_gone + 1 < event->n_threads) {
				op->gone[i] = true;
				op->n_gone++;
				open_note(op->l, op->notes, "Ignored open failure for pid %d: it has ended", op->pid);
				continue;
			}
			event_close(event);
			return sys;
		}
	}
	/* The PMU has none of the wanted CPUs, or the leader is open nowhere. */
	op->cpu = event->open_cpus[0];
	return n_open ? 0 : n_cpus ? ESRCH : ENODEV;
}

/*
 * Turn the members of a weak group that cannot be scheduled together into single events. Return
 * true once per group.
 */
static bool dissolve_group(struct opener *op, struct event *event)
{
	struct event_list *l = op->l;
	uint32_t leader = event->leader;

	if (!l->events.items[leader].weak_group ||
	    (leader == (uint32_t)(event - l->events.items) && event->n_members < 2))
		return false;
	for (size_t i = leader; i < l->events.len; i++) {
		struct event *member = &l->events.items[i];

		if (member->leader != leader)
			continue;
		member->leader = (uint32_t)i;
		member->n_members = 1;
		/* The leader started them; now each starts itself. */
		member->attr.disabled = l->events.items[leader].attr.disabled;
		member->attr.enable_on_exec = l->events.items[leader].attr.enable_on_exec;
		member->attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	}
	open_note(l, op->notes, "group of '%s' does not fit the counters: its events are counted one by one",
		  l->events.items[leader].name);
	return true;
}

/*
 * Leave an event out. The next event takes over its duties for others; its group continues without
 * it.
 */
static void leave_out(struct opener *op, struct event *event, int sys)
{
	struct event_list *l = op->l;
	uint32_t self = (uint32_t)(event - l->events.items), next = 0;
	struct err why = { 0 };

	advice_open(l, event, op->t, op->cpu, op->pid, sys, &why);
	open_note(l, op->notes, "%s; it is left out", why.what);
	event->open_failed = true;
	event->fds = NULL;
	event->ids = NULL;
	event->n_cpus = event->n_threads = 0;
	if (event->leader != self) {
		l->events.items[event->leader].n_members--;
		event->leader = self;
		event->n_members = 1;
		return;
	}
	for (uint32_t i = self + 1; i < l->events.len; i++) {
		struct event *member = &l->events.items[i];

		if (member->leader != self)
			continue;
		if (!next) {
			next = i;
			member->n_members = event->n_members - 1;
			member->group_name = event->group_name;
			member->attr.pinned = event->attr.pinned;
			member->attr.exclusive = event->attr.exclusive;
			if (event->sample_read) { /* only its leader samples */
				member->attr.sample_period = event->attr.sample_period;
				member->attr.freq = event->attr.freq;
			}
		}
		member->leader = next;
	}
	event->n_members = 1;
	if (!next && self + 1 < l->events.len)
		next = self + 1;
	if (next)
		duties_move(event, &l->events.items[next]);
}

/* Return true if the event does not exist here, as opposed to: is not allowed. */
static bool is_unsupported(const struct event *event, int sys)
{
	if (sys == EPERM) /* a tracepoint that can only be counted */
		return event->system && event_privileged();
	return sys == ENOENT || sys == ENODEV || sys == ENXIO || sys == EOPNOTSUPP || sys == EINVAL;
}

/*
 * Drop an option of branch records that only newer PMUs have. We have to try: no software event can
 * show it.
 */
static bool relax_branches(struct perf_event_attr *attr)
{
	static const uint64_t newest_first[] = { PERF_SAMPLE_BRANCH_HW_INDEX,
						 PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS };

	for (size_t i = 0; i < ARRAY_SIZE(newest_first); i++) {
		if ((attr->sample_type & PERF_SAMPLE_BRANCH_STACK) && (attr->branch_sample_type & newest_first[i])) {
			attr->branch_sample_type &= ~newest_first[i];
			return true;
		}
	}
	return false;
}

/* Change the event after `sys`, so that another try makes sense. */
static bool event_relax(struct opener *op, struct event *event, int sys, unsigned *precise)
{
	const char *dropped;

	if (sys == EINVAL && missing_strip(&op->facts, event, &dropped, &op->fatal)) {
		open_note(op->l, op->notes, "this kernel does not know %s: recorded without", dropped);
		return true;
	}
	if (op->fatal)
		return false;
	if (sys == EINVAL && op->flags && !missing_knows_cloexec()) {
		op->flags = 0;
		return true;
	}
	if (sys == EINVAL && relax_branches(&event->attr))
		return true;
	/*
	 * "P" means as precise as possible. Do not lower the precision if the PMU is missing or
	 * forbidden: the answer would be the same.
	 */
	if (event->precise_max && event->attr.precise_ip && (sys == EINVAL || sys == EOPNOTSUPP || sys == EBUSY)) {
		event->attr.precise_ip--;
		return true;
	}
	if (event->precise_max)
		event->attr.precise_ip = *precise & 3;
	if (!op->o->no_fallback && fallback_apply(op->l, event, op->t, sys, op->o->counting, op->notes))
		return true;
	return false;
}

static int event_refused(struct opener *op, const struct event *event, int sys)
{
	if (op->fatal) {
		err_set(op->e, "cannot open event '%s': this kernel does not know %s", event->name, op->fatal);
		err_why(op->e, "the kernel is older than the option");
		op->e->sys = sys;
		op->e->cause = "kernel";
		return err_try(op->e, "leave out %s", op->fatal);
	}
	return advice_open(op->l, event, op->t, op->cpu, op->pid, sys, op->e);
}

/* Return 0, or 1 when the whole group must be opened again from its leader, or -1. */
static int event_open(struct opener *op, struct event *event)
{
	unsigned precise = event->attr.precise_ip;
	int sys;

	if (event->tool && op->o->counting)
		return 0;
	if (event->tool) {
		if (!op->e->what[0]) {
			err_set(op->e, "cannot sample '%s': the tool itself counts it", event->name);
			err_try(op->e, "%s stat -e %s", tool_name(), event->name);
		}
		if (!op->o->keep_going)
			return -1;
		leave_out(op, event, EOPNOTSUPP);
		return 0;
	}
	event_shape(op, event);
	while ((sys = open_everywhere(op, event)))
		if (!event_relax(op, event, sys, &precise))
			break;
	if (!sys)
		return 0;
	if ((sys == EINVAL || sys == EBUSY) && dissolve_group(op, event))
		return 1;
	if (op->o->keep_going && is_unsupported(event, sys) && !op->fatal) {
		if (!op->e->what[0]) /* reported if no event is left */
			event_refused(op, event, sys);
		leave_out(op, event, sys);
		return 0;
	}
	return event_refused(op, event, sys);
}

/* ---- after opening ---- */

/*
 * Get the id that the kernel writes into records: by ioctl since Linux 3.12, before that by a read.
 */
static uint64_t fetch_id(const struct event *event, int fd)
{
	uint64_t format = event->attr.read_format, id, data[5];
	size_t at = 1;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0)
		return id;
	if (!(format & PERF_FORMAT_ID) || (format & PERF_FORMAT_GROUP) || read(fd, data, sizeof(data)) <= 0)
		return 0;
	at += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	at += !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	return data[at];
}

static int finish_event(struct event *event, struct err *e)
{
	for (size_t i = 0; event->fds && i < event->n_cpus * event->n_threads; i++) {
		if (event->fds[i] < 0)
			continue;
		event->ids[i] = fetch_id(event, event->fds[i]);
		if (event->filter && filter_set(event, event->fds[i], e) < 0)
			return -1;
	}
	return 0;
}

/* Call event_open with the descriptor of the event's control group. */
static int open_in_cgroup(struct opener *op, struct event *event)
{
	autoclose int fd = -1;

	if (event->cgroup && (fd = cgroup_open(event->cgroup, op->e)) < 0)
		return -1;
	op->cgroup_fd = fd;
	return event_open(op, event);
}

/* For tests: write a file for each descriptor, if PERF_TEST_ATTR is set. */
static int log_event(const struct opener *op, int dir, const struct event *event)
{
	const struct event *leader = &op->l->events.items[event->leader];
	bool all_tasks = event->system_wide && op->t->is_task;

	for (size_t c = 0; event->fds && c < event->n_cpus; c++) {
		for (size_t i = 0; i < event->n_threads; i++) {
			struct opened opened = {
				.event = event,
				.fd = event_fd(event, c, i),
				.cpu = event->open_cpus[c],
				.group_fd = leader == event ? -1 : event_fd(leader, c, i),
				.pid = all_tasks ? -1 : op->t->threads.items[i],
				.flags = op->flags | (event->cgroup ? PERF_FLAG_PID_CGROUP : 0),
			};

			if (opened.fd >= 0 && open_log(dir, &opened, op->e) < 0)
				return -1;
		}
	}
	return 0;
}

static int log_all(const struct opener *op)
{
	autoclose int dir = -1;

	if (open_log_begin(&dir, op->e) < 0)
		return -1;
	for (size_t i = 0; dir >= 0 && i < op->l->events.len; i++)
		if (log_event(op, dir, &op->l->events.items[i]) < 0)
			return -1;
	return 0;
}

static int open_all(struct opener *op)
{
	struct event_list *l = op->l;
	size_t n_open = 0, wanted = descriptors_wanted(op), opened = 0;

	if (l->events.len && !limit_allows(wanted + OTHERS)) {
		op->pid = op->t->is_task && op->t->threads.len ? op->t->threads.items[0] : -1;
		return advice_open(l, &l->events.items[0], op->t, -1, op->pid, EMFILE, op->e);
	}
	for (size_t i = 0; i < l->events.len; i++) {
		struct event *event = &l->events.items[i];
		uint32_t leader = event->leader;
		int result = open_in_cgroup(op, event);

		opened += wanted_of(op, event);
		if (op->o->tell)
			op->o->tell("opening events", MIN(opened, wanted), wanted);
		if (result < 0)
			return -1;
		if (result == 1) { /* the group is dissolved: go back to its first event */
			for (size_t j = leader; j <= i; j++)
				event_close(&l->events.items[j]);
			i = leader - 1ul;
			continue;
		}
	}
	for (size_t i = 0; i < l->events.len; i++)
		n_open += !l->events.items[i].open_failed && !l->events.items[i].is_dummy;
	if (!n_open && op->e->what[0] && !op->o->counting)
		return -1;
	for (size_t i = 0; i < l->events.len; i++)
		if (finish_event(&l->events.items[i], op->e) < 0)
			return -1;
	return 0;
}

int event_list_open(struct event_list *l, const struct target *t, const struct open_opts *o, struct open_notes *notes,
		    struct err *e)
{
	struct err own = { 0 };
	struct opener op = { .l = l, .t = t, .o = o, .notes = notes, .e = e ? e : &own, .flags = PERF_FLAG_FD_CLOEXEC };
	int result;

	err_clear(op.e);
	op.gone = xcalloc(t->threads.len + 1, sizeof(*op.gone));
	cpus_online(&op.online);
	result = open_all(&op);
	if (!result)
		result = log_all(&op);
	free(op.gone);
	cpuset_free(&op.online);
	if (result < 0)
		event_list_close(l);
	else
		err_clear(op.e);
	return result;
}

int event_enable(struct event *event, bool on, struct err *e)
{
	for (size_t i = 0; event->fds && i < event->n_cpus * event->n_threads; i++)
		if (event->fds[i] >= 0 &&
		    ioctl(event->fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) < 0)
			return err_sys(e, "cannot %s event '%s'", on ? "enable" : "disable", event->name);
	return 0;
}

static int enable_leaders(struct event_list *l, bool on, struct err *e)
{
	for (size_t i = 0; i < l->events.len; i++)
		if (l->events.items[i].leader == i && event_enable(&l->events.items[i], on, e) < 0)
			return -1;
	return 0;
}

int event_list_enable(struct event_list *l, struct err *e) { return enable_leaders(l, true, e); }

int event_list_disable(struct event_list *l, struct err *e) { return enable_leaders(l, false, e); }
