/*
 * Follow the files of descriptors from call to call. We print the path that was opened under this number; it may differ
 * from the file of the number when we print the line. We mark a name that we read after the call.
 */
#include <fcntl.h>
#include <linux/close_range.h>

#include "report/trace/trace_priv.h"

static void set(struct process_files *p, int fd, struct open_file file)
{
	uint32_t *at;

	if (fd < 0)
		return;
	at = u64map_put(&p->map, (uint64_t)fd, NULL);
	if (!*at) {
		vec_push(&p->files, file);
		*at = (uint32_t)p->files.len;
	} else {
		p->files.items[*at - 1] = file;
	}
}

static struct open_file *find(const struct process_files *p, int fd)
{
	const uint32_t *at = u64map_find(&p->map, (uint64_t)fd);

	return at && !p->files.items[*at - 1].closed ? &p->files.items[*at - 1] : NULL;
}

static void drop(struct process_files *p, int fd)
{
	struct open_file *file = find(p, fd);

	if (file)
		file->closed = true;
}

static struct process_files *find_process(struct trace *t, int32_t pid)
{
	const uint32_t *at = u64map_find(&t->process_of, (uint64_t)pid);

	return at && *at ? t->processes.items[*at - 1] : NULL;
}

static void copy(struct process_files *to, const struct process_files *from)
{
	for (size_t i = 0; i < from->map.cap; i++)
		if (from->map.slots[i].used && !from->files.items[from->map.slots[i].value - 1].closed)
			set(to, (int)from->map.slots[i].key, from->files.items[from->map.slots[i].value - 1]);
}

/* Read the present file of the process, if it still runs; it may have opened this file after the call. */
static const char *read_now(int32_t pid, int fd, char *buf, size_t size)
{
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	len = readlink(path, buf, size - 1);
	if (len <= 0)
		return NULL;
	buf[len] = '\0';
	return buf;
}

/* Copy the files of the parent process; the command that we started has ours. */
static struct process_files *process(struct trace *t, int32_t pid)
{
	struct process_files *p = find_process(t, pid), *parent = NULL;
	uint32_t thread = p ? 0 : session_last_thread(t->session, pid);

	if (p)
		return p;
	if (thread && t->session->threads.items[thread].ppid > 0)
		parent = find_process(t, t->session->threads.items[thread].ppid);
	p = xcalloc(1, sizeof(*p));
	p->pid = pid;
	if (parent)
		copy(p, parent);
	else
		for (int fd = 0; fd < 3; fd++)
			if (t->opts->first_files[fd])
				set(p, fd,
				    (struct open_file){ .name = strtab_intern(&t->strings, t->opts->first_files[fd]) });
	vec_push(&t->processes, p);
	*u64map_put(&t->process_of, (uint64_t)pid, NULL) = (uint32_t)t->processes.len;
	return p;
}

const char *trace_file_name(struct trace *t, int32_t pid, int fd, bool *late)
{
	struct process_files *p = process(t, pid);
	const struct open_file *file = find(p, fd);
	char buf[4096];

	if (!file && t->opts->memory && !u64map_find(&p->map, (uint64_t)fd) && read_now(pid, fd, buf, sizeof(buf)))
		set(p, fd, (struct open_file){ .name = strtab_intern(&t->strings, buf), .late = true });
	file = find(p, fd);
	if (!file || !file->name)
		return NULL;
	*late = file->late;
	return strtab_get(&t->strings, file->name);
}

static void free_process(struct process_files *p)
{
	u64map_free(&p->map);
	vec_free(&p->files);
	free(p);
}

void trace_files_forget(struct trace *t, int32_t pid)
{
	uint32_t *at = u64map_find(&t->process_of, (uint64_t)pid);
	struct process_files *gone, *last;

	if (!at || !*at)
		return;
	gone = t->processes.items[*at - 1];
	last = t->processes.items[--t->processes.len];
	t->processes.items[*at - 1] = last;
	*u64map_find(&t->process_of, (uint64_t)last->pid) = *at;
	*at = 0;
	free_process(gone);
}

void trace_files_tidy(struct trace *t)
{
	enum { NEW_MOST = 1 << 14 };
	autofree bool *keep = NULL;

	if (t->strings.index.len < 2 * t->n_names_kept + NEW_MOST)
		return;
	keep = xcalloc(t->strings.texts.len, sizeof(*keep));
	for (size_t i = 0; i < t->processes.len; i++)
		for (size_t k = 0; k < t->processes.items[i]->files.len; k++)
			if (!t->processes.items[i]->files.items[k].closed)
				keep[t->processes.items[i]->files.items[k].name] = true;
	strtab_sweep(&t->strings, keep);
	t->n_names_kept = t->strings.index.len;
}

void trace_files_release(struct trace *t)
{
	for (size_t i = 0; i < t->processes.len; i++)
		free_process(t->processes.items[i]);
	vec_free(&t->processes);
	u64map_free(&t->process_of);
	strtab_free(&t->strings);
}

/* ---- calls ---- */

/* Calls that return a new descriptor, and the argument with the close-on-exec flag. */
enum { NO_FLAG = -1 };
static const struct fd_opener {
	const char *call, *what; /* what: NULL = the path of the call */
	int flags;
	uint64_t on_exec;
} openers[] = {
	{ "open", NULL, 1, O_CLOEXEC },
	{ "openat", NULL, 2, O_CLOEXEC },
	{ "openat2", NULL, NO_FLAG, 0 },
	{ "creat", NULL, NO_FLAG, 0 },
	{ "socket", "socket", 1, O_CLOEXEC },
	{ "accept", "socket", NO_FLAG, 0 },
	{ "accept4", "socket", 3, O_CLOEXEC },
	{ "epoll_create", "epoll", NO_FLAG, 0 },
	{ "epoll_create1", "epoll", 0, O_CLOEXEC },
	{ "eventfd", "eventfd", NO_FLAG, 0 },
	{ "eventfd2", "eventfd", 1, O_CLOEXEC },
	{ "timerfd_create", "timerfd", 1, O_CLOEXEC },
	{ "memfd_create", "memfd", 1, 1 },
	{ "inotify_init1", "inotify", 0, O_CLOEXEC },
	{ "perf_event_open", "perf_event", 4, 8 },
};

/* For relative names and unreadable names, read the path now, and mark it as late. */
static uint32_t name_of_path(struct trace *t, int32_t pid, int fd, const struct known_text *text, bool *late)
{
	char buf[4096];

	*late = text->trust == TRUST_LATE;
	if (text->trust && text->text[0] == '/' && !text->cut)
		return strtab_intern(&t->strings, text->text);
	*late = true;
	return t->opts->memory && read_now(pid, fd, buf, sizeof(buf)) ? strtab_intern(&t->strings, buf) : 0;
}

/* Return the name that a call opens: the first text that an argument points to. */
static const struct known_text *first_text(struct trace *t, const struct call_state *call)
{
	const struct call_shape *shape = call_shape(t->shapes, call->number);

	for (unsigned i = 0; i < shape->n_args; i++)
		if (shape->args[i].kind->points_at == TRACE_POINTS_TEXT)
			return &call->pointed[i];
	return &call->pointed[0];
}

static bool opened(struct trace *t, struct process_files *p, const struct call_state *call, const char *name, int fd)
{
	for (size_t i = 0; i < ARRAY_SIZE(openers); i++) {
		const struct fd_opener *o = &openers[i];
		struct open_file file = { 0 };

		if (strcmp(name, o->call))
			continue;
		file.on_exec = o->flags != NO_FLAG && (call->args[o->flags] & o->on_exec);
		file.name = o->what ? strtab_intern(&t->strings, o->what)
				    : name_of_path(t, p->pid, fd, first_text(t, call), &file.late);
		set(p, fd, file);
		return true;
	}
	return false;
}

/* Calls that store two descriptors in memory that an argument points to. */
static void opened_pair(struct trace *t, struct process_files *p, const struct call_state *call, const char *name)
{
	static const struct {
		const char *call, *what;
		unsigned pair;
		int flags;
	} pairs[] = {
		{ "pipe", "pipe", 0, NO_FLAG },
		{ "pipe2", "pipe", 0, 1 },
		{ "socketpair", "socket", 3, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct known_text *numbers = &call->pointed[pairs[i].pair];
		struct open_file file = { 0 };

		if (strcmp(name, pairs[i].call) || !numbers->trust || !numbers->filled || numbers->len < 8)
			continue;
		file.name = strtab_intern(&t->strings, pairs[i].what);
		file.late = numbers->trust == TRUST_LATE;
		file.on_exec = pairs[i].flags != NO_FLAG && (call->args[pairs[i].flags] & O_CLOEXEC);
		for (unsigned k = 0; k < 8; k += 4)
			set(p, (int32_t)load_u32((const uint8_t *)numbers->text + k), file);
	}
}

static void duplicate(struct process_files *p, int from, int to, bool on_exec)
{
	const struct open_file *file = find(p, from);
	struct open_file new = file ? *file : (struct open_file){ 0 };

	new.on_exec = on_exec;
	set(p, to, new);
}

static void close_on_exec(struct process_files *p)
{
	for (size_t i = 0; i < p->files.len; i++)
		p->files.items[i].closed |= p->files.items[i].on_exec;
}

static void follow_fcntl(struct process_files *p, const struct call_state *call, int64_t result)
{
	switch (call->args[1]) {
	case F_DUPFD: duplicate(p, (int)call->args[0], (int)result, false); break;
	case F_DUPFD_CLOEXEC: duplicate(p, (int)call->args[0], (int)result, true); break;
	case F_SETFD: {
		struct open_file *file = find(p, (int)call->args[0]);

		if (file)
			file->on_exec = call->args[2] & FD_CLOEXEC;
	}
	}
}

void trace_files_follow(struct trace *t, const struct trace_sample *s, const struct call_state *call, const char *name,
			int64_t result)
{
	struct process_files *p;

	if (result < 0)
		return;
	p = process(t, s->thread->pid);
	if (!strcmp(name, "close"))
		drop(p, (int)call->args[0]);
	else if (!strcmp(name, "close_range") && !(call->args[2] & CLOSE_RANGE_CLOEXEC))
		for (size_t i = 0; i < p->map.cap; i++)
			if (p->map.slots[i].used && p->map.slots[i].key >= (uint32_t)call->args[0] &&
			    p->map.slots[i].key <= (uint32_t)call->args[1])
				p->files.items[p->map.slots[i].value - 1].closed = true;
	if (!strcmp(name, "dup"))
		duplicate(p, (int)call->args[0], (int)result, false);
	else if (!strcmp(name, "dup2") || !strcmp(name, "dup3"))
		duplicate(p, (int)call->args[0], (int)result, name[3] == '3' && (call->args[2] & O_CLOEXEC));
	else if (!strcmp(name, "fcntl"))
		follow_fcntl(p, call, result);
	else if (!strcmp(name, "execve") || !strcmp(name, "execveat"))
		close_on_exec(p);
	else if (!opened(t, p, call, name, (int)result))
		opened_pair(t, p, call, name);
}
