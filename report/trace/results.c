/* Print results. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "report/trace/pointed_priv.h"

const char *trace_errno_name(int code)
{
	static const struct {
		int code;
		const char *name;
	} inner[] = {
		/* only inside the kernel: linux/errno.h */
		{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" },        { 514, "ERESTARTNOHAND" },
		{ 515, "ENOIOCTLCMD" }, { 516, "ERESTART_RESTARTBLOCK" }, { 517, "EPROBE_DEFER" },
		{ 529, "EIOCBQUEUED" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(inner); i++)
		if (inner[i].code == code)
			return inner[i].name;
	return strerrorname_np(code);
}

static void print_error(int code, struct out *o)
{
	const char *name = trace_errno_name(code);

	if (name)
		out_fmt(o, "-1 %s", name);
	else
		out_fmt(o, "-1 %d", code);
	if (name && code < 512)
		out_fmt(o, " (%s)", strerrordesc_np(code) ? strerrordesc_np(code) : "");
}

static void print_fcntl_result(struct trace *t, const struct traced_thread *thread, const struct call_state *call,
			       int64_t result, struct out *o)
{
	switch (call->args[1]) {
	case F_GETFD: values_print(&values_fdflags, (uint64_t)result, t->opts->prefix, o); break;
	case F_GETFL: values_print(&values_open, (uint64_t)result, t->opts->prefix, o); break;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC: argument_descriptor(t, thread->pid, (int)result, o); break;
	case F_GETOWN: argument_task(t, result, o); break;
	default: out_i64(o, result);
	}
}

void trace_print_result(struct trace *t, const struct traced_thread *thread, const struct call_state *call,
			const struct call_shape *shape, int64_t result, struct out *o)
{
	static const char addresses[] = "brk mmap mmap2 mremap shmat";
	static const char tasks[] =
		"clone clone3 fork vfork getpid getppid getpgid gettid set_tid_address wait4 waitid";
	static const char files[] = "open openat openat2 creat dup dup2 dup3 open_by_handle_at socket accept accept4 "
				    "epoll_create epoll_create1 eventfd eventfd2 timerfd_create memfd_create "
				    "inotify_init1";

	if (result < 0 && result >= -4095 && !trace_has_word("brk", shape->name))
		print_error((int)-result, o);
	else if (trace_has_word(addresses, shape->name))
		out_fmt(o, "0x%llx", (unsigned long long)result);
	else if (trace_has_word(tasks, shape->name))
		argument_task(t, result, o);
	else if (!result && trace_has_word("poll ppoll select pselect6", shape->name))
		out_str(o, "0 (Timeout)");
	else if (trace_has_word("fcntl fcntl64", shape->name))
		print_fcntl_result(t, thread, call, result, o);
	else if (trace_has_word(files, shape->name))
		argument_descriptor(t, thread->pid, (int)result, o);
	else
		out_i64(o, result);
}
