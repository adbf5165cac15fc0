/* Find the kind of a wait from the kernel function in which the thread waited. */
#include "report/waits/waits_priv.h"

#include "base/file.h"

const char *const wait_kind_names[WAIT_KINDS] = {
	[WAIT_IO] = "I/O",      [WAIT_LOCK] = "lock",   [WAIT_PIPE] = "pipe",
	[WAIT_TIMER] = "timer", [WAIT_CHILD] = "child", [WAIT_FAULT] = "fault",
	[WAIT_POLL] = "poll",   [WAIT_IDLE] = "idle",   [WAIT_OTHER] = "other",
};

/*
 * To add a row, write a kernel function (a star matches any text) and the kind of its waits. The outermost function of
 * the chain with a row decides: filemap_fault calls io_schedule, and the thread waits for its page.
 */
static const struct wait_function {
	const char *function;
	enum wait_kind kind;
} functions[] = {
	{ "asm_exc_page_fault", WAIT_FAULT },
	{ "exc_page_fault", WAIT_FAULT },
	{ "do_wait", WAIT_CHILD },
	{ "do_wait4", WAIT_CHILD },
	{ "kernel_wait4", WAIT_CHILD },
	{ "kernel_waitid", WAIT_CHILD },
	{ "wait_for_vfork_done*", WAIT_CHILD },
	{ "do_epoll_wait", WAIT_POLL },
	{ "ep_poll", WAIT_POLL },
	{ "do_sys_poll", WAIT_POLL },
	{ "do_poll*", WAIT_POLL },
	{ "do_select", WAIT_POLL },
	{ "core_sys_select", WAIT_POLL },
	{ "io_cqring_wait", WAIT_POLL },
	{ "inet_csk_accept", WAIT_POLL },
	{ "unix_accept", WAIT_POLL },
	{ "hrtimer_nanosleep", WAIT_TIMER },
	{ "do_nanosleep", WAIT_TIMER },
	{ "common_nsleep*", WAIT_TIMER },
	{ "futex_wait*", WAIT_LOCK },
	{ "__futex_wait", WAIT_LOCK },
	{ "futex_lock_pi", WAIT_LOCK },
	{ "do_futex", WAIT_LOCK },
	{ "rwsem_down_*", WAIT_LOCK },
	{ "__mutex_lock*", WAIT_LOCK },
	{ "__rt_mutex_*", WAIT_LOCK },
	{ "__down*", WAIT_LOCK },
	{ "flock_lock_inode_wait", WAIT_LOCK },
	{ "fcntl_setlk", WAIT_LOCK },
	{ "locks_lock_inode_wait", WAIT_LOCK },
	{ "do_semtimedop", WAIT_LOCK },
	{ "anon_pipe_read", WAIT_PIPE },
	{ "anon_pipe_write", WAIT_PIPE },
	{ "fifo_pipe_read", WAIT_PIPE },
	{ "fifo_pipe_write", WAIT_PIPE },
	{ "pipe_read", WAIT_PIPE },
	{ "pipe_write", WAIT_PIPE },
	{ "wait_for_partner", WAIT_PIPE },
	{ "unix_stream_*", WAIT_PIPE },
	{ "unix_dgram_*", WAIT_PIPE },
	{ "tcp_recvmsg*", WAIT_PIPE },
	{ "tcp_sendmsg*", WAIT_PIPE },
	{ "inet_stream_connect", WAIT_PIPE },
	{ "sk_wait_data", WAIT_PIPE },
	{ "__skb_wait_for_more_packets", WAIT_PIPE },
	{ "netlink_recvmsg", WAIT_PIPE },
	{ "n_tty_read", WAIT_PIPE },
	{ "n_tty_write", WAIT_PIPE },
	{ "eventfd_read", WAIT_PIPE },
	{ "do_msgrcv", WAIT_PIPE },
	{ "do_msgsnd", WAIT_PIPE },
	{ "io_schedule*", WAIT_IO },
	{ "blk_*", WAIT_IO },
	{ "folio_wait_*", WAIT_IO },
	{ "wait_on_page_bit*", WAIT_IO },
	{ "filemap_read", WAIT_IO },
	{ "submit_bio_wait", WAIT_IO },
	{ "jbd2_log_wait_commit", WAIT_IO },
	{ "fuse_simple_request*", WAIT_IO },
	{ "request_wait_answer", WAIT_IO },
	{ "nfs_*", WAIT_IO },
	{ "p9_client_rpc", WAIT_IO },
	{ "balance_dirty_pages*", WAIT_IO },
};

static bool matches(const char *pattern, const char *name)
{
	size_t len = strcspn(pattern, "*");

	return !strncmp(name, pattern, len) && (pattern[len] == '*' || !name[len]);
}

static enum wait_kind kind_of_name(const struct waits *w, const char *name)
{
	for (size_t i = 0; i < w->kinds.len; i++)
		if (matches(strtab_get(&w->names, w->kinds.items[i].name), name))
			return w->kinds.items[i].kind;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (matches(functions[i].function, name))
			return functions[i].kind;
	return WAIT_OTHER;
}

enum wait_kind wait_kind_of(const struct waits *w, const struct calls *calls)
{
	enum wait_kind kind = WAIT_OTHER;

	for (size_t i = 0; i < calls->len && calls->items[i].kernel; i++) {
		enum wait_kind here = calls->items[i].name ? kind_of_name(w, calls->items[i].name) : WAIT_OTHER;

		if (here != WAIT_OTHER)
			kind = here;
	}
	return kind;
}

/* Does the function say nothing about the wait? All waits or wakeups pass through these. A star matches any text. */
bool wait_says_nothing(const char *name)
{
	static const char *const names[] = {
		"__schedule",    "schedule",       "preempt_schedule",      "schedule_timeout",
		"__traceiter_*", "try_to_wake_up", "default_wake_function", "autoremove_wake_function",
		"wake_up_q",     "__wake_up_*",    "wake_up_process"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (matches(names[i], name))
			return true;
	return false;
}

/*
 * Does a kernel thread wait in its own main function, or in a function called directly from there? Then it has nothing
 * to do. If it works for another thread, there are more functions in between.
 */
bool wait_is_idle_kthread(const struct calls *calls)
{
	enum { BETWEEN = 2 };
	size_t between = 0;

	for (size_t i = 0; i < calls->len && between <= BETWEEN; i++) {
		const char *name = calls->items[i].name;

		if (!name || !calls->items[i].kernel)
			return false;
		if (!strcmp(name, "kthread"))
			return between;
		between += !wait_says_nothing(name);
	}
	return false;
}

static bool has_any(const struct calls *calls, const char *const *names)
{
	for (size_t i = 0; i < calls->len && calls->items[i].kernel; i++)
		for (size_t k = 0; names[k] && calls->items[i].name; k++)
			if (!strcmp(names[k], calls->items[i].name))
				return true;
	return false;
}

enum wait_end wait_end_of(const struct calls *calls, bool interrupt)
{
	static const char *const clock[] = { "hrtimer_wakeup",    "process_timeout", "__hrtimer_run_queues",
					     "run_timer_softirq", "call_timer_fn",   NULL };
	static const char *const death[] = { "zap_other_threads", "zap_process", NULL };

	return interrupt && has_any(calls, clock)    ? WAIT_END_CLOCK
	       : !interrupt && has_any(calls, death) ? WAIT_END_DEATH
						     : WAIT_END_ORDINARY;
}

static int bad_line(const char *path, unsigned line, struct err *e)
{
	err_set(e, "line %u of '%s' is not 'FUNCTION KIND'", line, path);
	err_try(e, "a kind is one of: io lock pipe timer child fault poll idle other");
	return err_exit(e, EXIT_BAD_USAGE);
}

static bool kind_named(const char *word, enum wait_kind *kind)
{
	for (int k = 0; k < WAIT_KINDS; k++)
		if (!strcasecmp(word, k == WAIT_IO ? "io" : wait_kind_names[k])) {
			*kind = (enum wait_kind)k;
			return true;
		}
	return false;
}

int wait_kinds_read(struct waits *w, const char *path, struct err *e)
{
	enum { FILE_MOST = 1 << 20 };
	autofree char *text = file_read(path, FILE_MOST, NULL, e);
	unsigned number = 0;
	char *rest = text, *line;

	if (!text)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		char *words = NULL, *name = strtok_r(line, " \t", &words), *kind = strtok_r(NULL, " \t", &words);
		struct wait_name row;

		number++;
		if (!name || name[0] == '#')
			continue;
		if (!kind || !kind_named(kind, &row.kind))
			return bad_line(path, number, e);
		row.name = strtab_intern(&w->names, name);
		vec_push(&w->kinds, row);
	}
	return 0;
}
