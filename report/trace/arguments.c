/* Print arguments and results as text: the kinds of arguments, and the kind of each argument of each call. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/utsname.h>
#include <time.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "report/trace/pointed_priv.h"
#include "report/trace/types_priv.h"

static uint64_t arg(const struct argument *a, unsigned i) { return a->call->args[i]; }

/* ---- printers ---- */

static void print_signed(const struct argument *a) { out_i64(a->out, (int64_t)a->value); }
static void print_unsigned(const struct argument *a) { out_u64(a->out, a->value); }

void argument_hex(const struct argument *a)
{
	if (!a->value) {
		out_str(a->out, "NULL");
		return;
	}
	out_str(a->out, "0x");
	out_hex(a->out, a->value);
}

static void print_offset(const struct argument *a)
{
	out_fmt(a->out, a->value ? "0x%llx" : "%llx", (unsigned long long)a->value);
}

static void print_values(const struct argument *a)
{
	values_print(a->shape->args[a->index].kind->values, a->value, a->trace->opts->prefix, a->out);
}

static void print_octal_mode(const struct argument *a)
{
	values_print(&values_mode, a->value, a->trace->opts->prefix, a->out);
}

static void print_access(const struct argument *a)
{
	static const char letters[] = "RWX";
	bool more = false;

	for (unsigned i = 0; i < 3; i++)
		if (a->value & (4u >> i)) {
			if (more && a->trace->opts->prefix)
				out_char(a->out, '|');
			out_char(a->out, letters[i]);
			if (a->trace->opts->prefix)
				out_str(a->out, "_OK");
			more = true;
		}
	if (!more)
		out_str(a->out, a->trace->opts->prefix ? "F_OK" : "F");
	if (a->value & ~7ull)
		out_fmt(a->out, "|0x%llx", (unsigned long long)(a->value & ~7ull));
}

void argument_descriptor(struct trace *t, int32_t pid, int fd, struct out *o)
{
	bool late = false;
	const char *name = fd >= 0 ? trace_file_name(t, pid, fd, &late) : NULL;

	out_i64(o, fd);
	if (!name)
		return;
	out_char(o, '<');
	out_name(o, name);
	out_str(o, late ? "?>" : ">");
}

static void print_fd(const struct argument *a)
{
	argument_descriptor(a->trace, a->thread->pid, (int32_t)a->value, a->out);
}

static void print_directory(const struct argument *a)
{
	if ((int32_t)a->value == AT_FDCWD)
		out_str(a->out, a->trace->opts->prefix ? "AT_FDCWD" : "CWD");
	else
		print_fd(a);
}

void argument_task(struct trace *t, int64_t tid, struct out *o)
{
	const uint32_t *at = tid > 0 ? u64map_find(&t->thread_of, (uint64_t)tid) : NULL;
	uint32_t last = tid > 0 ? session_last_thread(t->session, (int32_t)tid) : 0;
	const char *name = at && *at ? t->threads.items[*at - 1]->comm : "";
	char comm[16];

	if (!*name && last)
		name = session_comm(t->session, thread_last_comm(t->session, last, (int32_t)tid), comm);
	out_i64(o, tid);
	if (!*name)
		return;
	out_str(o, " (");
	out_name(o, name);
	out_char(o, ')');
}

static void print_pid(const struct argument *a) { argument_task(a->trace, (int64_t)a->value, a->out); }

static void print_ioctl(const struct argument *a)
{
	uint32_t cmd = (uint32_t)a->value;
	static const char *const directions[] = { "NONE", "WRITE", "READ", "READ|WRITE" };

	if (values_has(&values_ioctl, cmd))
		values_print(&values_ioctl, cmd, true, a->out);
	else
		out_fmt(a->out, "(%s, 0x%x, 0x%x, 0x%x)", directions[cmd >> 30], cmd >> 8 & 0xff, cmd & 0xff,
			cmd >> 16 & 0x3fff);
}

/* Print a signal. Real-time signals have numbers instead of names. */
static void print_signal(const struct argument *a)
{
	if (a->value >= 32 && a->value <= 64)
		out_fmt(a->out, "%sRT_%u", a->trace->opts->prefix ? "SIG" : "", (unsigned)a->value - 32);
	else
		values_print(&values_signal, a->value, a->trace->opts->prefix, a->out);
}

/* Print the flags of clone. The lowest byte is not a flag, but the signal when the new process ends. */
static void print_clone(const struct argument *a)
{
	uint64_t signal = a->value & 0xff, flags = a->value & ~0xffull;

	if (flags)
		values_print(&values_clone, flags, a->trace->opts->prefix, a->out);
	if (flags && signal)
		out_char(a->out, '|');
	if (signal) {
		out_str(a->out, "SIG");
		values_print(&values_signal, signal, false, a->out);
	}
	if (!a->value)
		out_char(a->out, '0');
}

static void print_futex(const struct argument *a)
{
	values_print(&values_futex, a->value, a->trace->opts->prefix, a->out);
}

static void print_futex_val3(const struct argument *a)
{
	if ((uint32_t)a->value == FUTEX_BITSET_MATCH_ANY)
		out_str(a->out, "MATCH_ANY");
	else
		out_fmt(a->out, "0x%llx", (unsigned long long)(uint32_t)a->value);
}

/* Print the value of fsconfig: depending on the command, a text, or the number of a device or descriptor. */
static void print_fsconfig_value(const struct argument *a)
{
	uint64_t cmd = arg(a, 1);

	if (cmd == 1 || cmd == 3 || cmd == 4) /* FSCONFIG_SET_STRING, _PATH, _PATH_EMPTY of linux/mount.h */
		pointed_text(a);
	else
		argument_hex(a);
}

static void print_protocol(const struct argument *a)
{
	if (arg(a, 0) == AF_INET || arg(a, 0) == AF_INET6)
		values_print(&values_ipproto, a->value, a->trace->opts->prefix, a->out);
	else
		out_i64(a->out, (int64_t)a->value);
}

static void print_fcntl_argument(const struct argument *a)
{
	switch (arg(a, 1)) {
	case F_SETFD: values_print(&values_fdflags, a->value, a->trace->opts->prefix, a->out); break;
	case F_SETFL: values_print(&values_open, a->value, a->trace->opts->prefix, a->out); break;
	case F_SETOWN: argument_task(a->trace, (int32_t)a->value, a->out); break;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETPIPE_SZ: out_i64(a->out, (int64_t)a->value); break;
	case F_SETLEASE:
		out_str(a->out, a->value == F_RDLCK ? "RDLCK" : a->value == F_WRLCK ? "WRLCK" : "UNLCK");
		break;
	default: argument_hex(a);
	}
}

static void print_sockopt(const struct argument *a)
{
	const struct values *values = arg(a, 1) == SOL_SOCKET    ? &values_sockopt
				      : arg(a, 1) == IPPROTO_TCP ? &values_tcpopt
								 : NULL;

	if (values)
		values_print(values, a->value, a->trace->opts->prefix, a->out);
	else
		out_i64(a->out, (int64_t)a->value);
}

static void print_enum(const struct argument *a)
{
	const char *name = kernel_enum_name(call_shapes_types(a->trace->shapes), a->shape->args[a->index].kind->type,
					    (int32_t)a->value);

	if (name)
		out_name(a->out, name);
	else
		out_i64(a->out, (int32_t)a->value);
}

/* ---- hidden arguments ---- */

static bool without_creat(const struct argument *a)
{
	unsigned flags = a->index ? a->index - 1 : 0;

	return !(arg(a, flags) & O_CREAT) && (arg(a, flags) & O_TMPFILE) != O_TMPFILE;
}

static bool futex_waits(uint64_t op)
{
	op &= FUTEX_CMD_MASK;
	return op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI || op == FUTEX_WAIT_REQUEUE_PI ||
	       op == 13;
}

static bool futex_moves(uint64_t op)
{
	op &= FUTEX_CMD_MASK;
	return op == FUTEX_REQUEUE || op == FUTEX_CMP_REQUEUE || op == FUTEX_WAKE_OP || op == FUTEX_WAIT_REQUEUE_PI ||
	       op == FUTEX_CMP_REQUEUE_PI;
}

/* Print the fourth argument of futex: a time limit, or a second number. */
static void print_futex_time(const struct argument *a)
{
	if (futex_waits(arg(a, 1)))
		pointed_struct(a);
	else
		argument_hex(a);
}

static bool no_futex_time(const struct argument *a) { return !futex_waits(arg(a, 1)) && !futex_moves(arg(a, 1)); }
static bool no_futex_second(const struct argument *a) { return !futex_moves(arg(a, 1)); }
static bool no_futex_bits(const struct argument *a)
{
	uint64_t op = arg(a, 1) & FUTEX_CMD_MASK;

	return op != FUTEX_WAIT_BITSET && op != FUTEX_WAKE_BITSET && op != FUTEX_CMP_REQUEUE && op != FUTEX_WAKE_OP &&
	       op != FUTEX_CMP_REQUEUE_PI;
}
static bool no_parent_tid(const struct argument *a) { return !(arg(a, 0) & (CLONE_PARENT_SETTID | 0x1000)); }
static bool no_child_tid(const struct argument *a)
{
	return !(arg(a, 0) & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID));
}
static bool no_tls(const struct argument *a) { return !(arg(a, 0) & CLONE_SETTLS); }
/* Does this option of prctl not use the argument? Then its register may contain anything. */
static bool no_prctl_argument(const struct argument *a)
{
	switch (arg(a, 0)) {
	case PR_GET_DUMPABLE:
	case PR_GET_KEEPCAPS:
	case PR_GET_SECCOMP:
	case PR_GET_SECUREBITS:
	case PR_GET_TIMERSLACK: return a->index > 0;
	case PR_SET_NAME:
	case PR_GET_NAME:
	case PR_SET_PDEATHSIG:
	case PR_GET_PDEATHSIG:
	case PR_SET_DUMPABLE:
	case PR_SET_KEEPCAPS:
	case PR_SET_SECUREBITS:
	case PR_SET_TIMERSLACK:
	case PR_CAPBSET_READ:
	case PR_CAPBSET_DROP:
	case PR_SET_CHILD_SUBREAPER:
	case PR_GET_CHILD_SUBREAPER:
	case PR_GET_TID_ADDRESS: return a->index > 1;
	default: return false;
	}
}
static void print_prctl_name(const struct argument *a)
{
	if (arg(a, 0) == PR_SET_NAME)
		pointed_text(a);
	else
		argument_hex(a);
}
static bool no_fcntl_argument(const struct argument *a)
{
	uint64_t cmd = arg(a, 1);

	return cmd == F_GETFD || cmd == F_GETFL || cmd == F_GETOWN || cmd == F_GETSIG || cmd == F_GETLEASE ||
	       cmd == F_GETPIPE_SZ || cmd == F_GET_SEALS;
}

/* ---- kinds: one row for each; the table below says which arguments have them ---- */

static const struct argument_kind kind_signed = { .print = print_signed };
static const struct argument_kind kind_unsigned = { .print = print_unsigned };
static const struct argument_kind kind_hex = { .print = argument_hex };
static const struct argument_kind kind_offset = { .print = print_offset };
static const struct argument_kind kind_text = { .print = pointed_text, .points_at = TRACE_POINTS_TEXT };
static const struct argument_kind kind_address = { .print = argument_hex }; /* nothing else is known */
static const struct argument_kind kind_unknown_enum = { .print = print_signed };
static const struct argument_kind kind_enum = { .print = print_enum, .shown_zero = true };
static const struct argument_kind kind_fd = { .print = print_fd, .shown_zero = true };
static const struct argument_kind kind_dfd = { .print = print_directory, .shown_zero = true };
static const struct argument_kind kind_pid = { .print = print_pid };
static const struct argument_kind kind_mode = { .print = print_octal_mode };
static const struct argument_kind kind_open_mode = { .print = print_octal_mode, .hidden = without_creat };
static const struct argument_kind kind_access = { .print = print_access, .shown_zero = true };
static const struct argument_kind kind_signal = { .print = print_signal, .values = &values_signal };
static const struct argument_kind kind_ioctl = { .print = print_ioctl };
static const struct argument_kind kind_clone = { .print = print_clone };
static const struct argument_kind kind_parent_tid = { .print = argument_hex, .hidden = no_parent_tid };
static const struct argument_kind kind_child_tid = { .print = argument_hex, .hidden = no_child_tid };
static const struct argument_kind kind_tls = { .print = argument_hex, .hidden = no_tls };
static const struct argument_kind kind_futex = { .print = print_futex, .shown_zero = true };
static const struct argument_kind kind_futex_time = { .print = print_futex_time,
						      .points_at = TRACE_POINTS_SIZED,
						      .unit = sizeof(struct timespec),
						      .most = sizeof(struct timespec),
						      .layout = &layout_timespec,
						      .hidden = no_futex_time };
static const struct argument_kind kind_futex_second = { .print = argument_hex, .hidden = no_futex_second };
static const struct argument_kind kind_futex_bits = { .print = print_futex_val3, .hidden = no_futex_bits };
static const struct argument_kind kind_sockopt = { .print = print_sockopt, .shown_zero = true };
static const struct argument_kind kind_prctl_name = { .print = print_prctl_name,
						      .points_at = TRACE_POINTS_TEXT,
						      .hidden = no_prctl_argument };
static const struct argument_kind kind_prctl_argument = { .print = argument_hex, .hidden = no_prctl_argument };
static const struct argument_kind kind_protocol = { .print = print_protocol };
static const struct argument_kind kind_fcntl_arg = { .print = print_fcntl_argument,
						     .shown_zero = true,
						     .hidden = no_fcntl_argument };
/* Addresses of sockets: from the program, and filled in by the kernel. The next argument has the length. */
static const struct argument_kind kind_sockaddr = {
	.print = pointed_sockaddr, .points_at = TRACE_POINTS_COUNTED, .unit = 1, .most = 128
};
static const struct argument_kind kind_sockaddr_out = {
	.print = pointed_sockaddr, .points_at = TRACE_POINTS_LENGTH, .when = READ_AT_EXIT, .unit = 1, .most = 128
};
/* Bytes to write, and bytes that were read. */
#define BUFFER_KIND(name, what, when_, most_bytes) \
	static const struct argument_kind kind_##name = { .print = pointed_buffer, \
							  .points_at = TRACE_POINTS_##what, \
							  .when = READ_AT_##when_, \
							  .unit = 1, \
							  .most = most_bytes, \
							  .only_sure = true };
BUFFER_KIND(buffer, COUNTED, ENTRY, 32)
BUFFER_KIND(buffer_out, RESULT, EXIT, 32)
BUFFER_KIND(link_out, RESULT, EXIT, TRACE_POINTED_SIZE)
static const struct argument_kind kind_text_out = { .print = pointed_text,
						    .points_at = TRACE_POINTS_TEXT,
						    .when = READ_AT_EXIT };
static const struct argument_kind kind_fsconfig_value = { .print = print_fsconfig_value,
							  .points_at = TRACE_POINTS_TEXT };
static const struct argument_kind kind_texts = { .print = pointed_texts,
						 .points_at = TRACE_POINTS_TEXTS,
						 .unit = TRACE_TEXT_SIZE,
						 .most = TRACE_TEXT_SIZE,
						 .only_sure = true };
static const struct argument_kind kind_number = { .print = pointed_number,
						  .points_at = TRACE_POINTS_NUMBER,
						  .only_sure = true };
/* Numbers: [3, 4]; an option of a socket; a status of wait4; a set of descriptors. */
#define NUMBERS_KIND(name, printer, what, when_, size, most_bytes) \
	static const struct argument_kind kind_##name = { .print = printer, \
							  .points_at = TRACE_POINTS_##what, \
							  .when = READ_AT_##when_, \
							  .unit = size, \
							  .most = most_bytes };
NUMBERS_KIND(int_out, pointed_ints, SIZED, EXIT, 4, 4)
NUMBERS_KIND(pair_out, pointed_ints, SIZED, EXIT, 8, 8)
NUMBERS_KIND(option, pointed_option, COUNTED, ENTRY, 1, 8)
NUMBERS_KIND(option_out, pointed_option, LENGTH, EXIT, 1, 8)
NUMBERS_KIND(status_out, pointed_status, SIZED, EXIT, 4, 4)
NUMBERS_KIND(fds, pointed_fds, SIZED, ENTRY, sizeof(fd_set), sizeof(fd_set))
/* Structs: one, n of them, or as many as the next argument says; at the end, those that the kernel fills. */
#define STRUCT_KIND(name, of, what, when_, size, most_bytes) \
	static const struct argument_kind kind_##name = { .print = pointed_struct, \
							  .points_at = TRACE_POINTS_##what, \
							  .when = READ_AT_##when_, \
							  .unit = size, \
							  .most = most_bytes, \
							  .layout = &layout_##of };
STRUCT_KIND(timespec, timespec, SIZED, ENTRY, 16, 16)
STRUCT_KIND(timespecs, timespecs, SIZED, ENTRY, 32, 32)
STRUCT_KIND(timeval, timeval, SIZED, ENTRY, 16, 16)
STRUCT_KIND(timevals, timevals, SIZED, ENTRY, 32, 32)
STRUCT_KIND(itimerspec, itimerspec, SIZED, ENTRY, 32, 32)
STRUCT_KIND(itimerval, itimerval, SIZED, ENTRY, 32, 32)
STRUCT_KIND(rlimit, rlimit, SIZED, ENTRY, 16, 16)
STRUCT_KIND(sigaction, sigaction, SIZED, ENTRY, 32, 32)
STRUCT_KIND(iovec, iovec, COUNTED, ENTRY, 16, 128)
STRUCT_KIND(epoll_event, epoll_event, SIZED, ENTRY, sizeof(struct epoll_event), sizeof(struct epoll_event))
STRUCT_KIND(open_how, open_how, SIZED, ENTRY, 24, 24)
STRUCT_KIND(clone_args, clone_args, SIZED, ENTRY, 64, 64)
STRUCT_KIND(msghdr, msghdr, SIZED, ENTRY, 56, 56)
STRUCT_KIND(stack, stack, SIZED, ENTRY, 24, 24)
STRUCT_KIND(sched_param, sched_param, SIZED, ENTRY, 4, 4)
STRUCT_KIND(signals, signals, SIZED, ENTRY, 8, 8)
STRUCT_KIND(timespec_out, timespec, SIZED, EXIT, 16, 16)
STRUCT_KIND(timeval_out, timeval, SIZED, EXIT, 16, 16)
STRUCT_KIND(itimerspec_out, itimerspec, SIZED, EXIT, 32, 32)
STRUCT_KIND(itimerval_out, itimerval, SIZED, EXIT, 32, 32)
STRUCT_KIND(rlimit_out, rlimit, SIZED, EXIT, 16, 16)
STRUCT_KIND(sigaction_out, sigaction, SIZED, EXIT, 32, 32)
STRUCT_KIND(signals_out, signals, SIZED, EXIT, 8, 8)
STRUCT_KIND(stack_out, stack, SIZED, EXIT, 24, 24)
STRUCT_KIND(sched_param_out, sched_param, SIZED, EXIT, 4, 4)
STRUCT_KIND(epoll_events_out, epoll_events, RESULT, EXIT, sizeof(struct epoll_event), 20 * sizeof(struct epoll_event))
STRUCT_KIND(stat_out, stat, SIZED, EXIT, sizeof(struct stat), sizeof(struct stat))
STRUCT_KIND(statx_out, statx, SIZED, EXIT, sizeof(struct statx), sizeof(struct statx))
STRUCT_KIND(statfs_out, statfs, SIZED, EXIT, sizeof(struct statfs), sizeof(struct statfs))
STRUCT_KIND(rusage_out, rusage, SIZED, EXIT, sizeof(struct rusage), sizeof(struct rusage))
STRUCT_KIND(utsname_out, utsname, SIZED, EXIT, offsetof(struct utsname, version), offsetof(struct utsname, version))
static const struct argument_kind kind_pollfd = { .print = pointed_struct,
						  .points_at = TRACE_POINTS_COUNTED,
						  .when = READ_AT_BOTH,
						  .unit = sizeof(struct pollfd),
						  .most = 64,
						  .layout = &layout_pollfd,
						  .filled = &layout_pollfd_filled };

/* One kind for each set of names. Flags print a 0 by its name if it has one. */
#define VALUES_KIND(name, prefix, form, one_of) \
	static const struct argument_kind kind_values_##name \
		__attribute__((unused)) = { .print = print_values, .values = &values_##name };
#define NAMED(name) &kind_values_##name
VALUE_SETS(VALUES_KIND)

/* To add: the calls, separated by blanks; the argument's name; its kind. The first match counts. */
static const struct rule {
	const char *calls, *argument;
	const struct argument_kind *kind;
} rules[] = {
	{ "open openat open_by_handle_at", "flags", NAMED(open) },
	{ "pipe2 dup3", "flags", NAMED(pipe) },
	{ "open openat mq_open", "mode", &kind_open_mode },
	{ "access faccessat faccessat2", "mode", &kind_access },
	{ "newfstatat unlinkat fchownat", "flag", NAMED(at) },
	{ "faccessat2", "flags", NAMED(at_access) },
	{ "statx linkat utimensat execveat", "flags", NAMED(at) },
	{ "statx", "mask", NAMED(statx) },
	{ "lseek", "whence", NAMED(whence) },
	{ "mmap mprotect pkey_mprotect", "prot", NAMED(prot) },
	{ "mmap", "flags", NAMED(map) },
	{ "mmap", "addr", &kind_hex },
	{ "mmap", "off", &kind_offset },
	{ "mprotect pkey_mprotect madvise msync", "start", &kind_hex },
	{ "brk", "brk", &kind_hex },
	{ "mremap", "flags", NAMED(mremap) },
	{ "madvise", "behavior", NAMED(madvise) },
	{ "msync", "flags", NAMED(msync) },
	{ "mlockall", "flags", NAMED(mlock) },
	{ "socket socketpair", "family", NAMED(family) },
	{ "socket socketpair", "type", NAMED(socktype) },
	{ "socket socketpair", "protocol", &kind_protocol },
	{ "accept4 signalfd4", "flags", NAMED(sockflags) },
	{ "bind", "umyaddr", &kind_sockaddr },
	{ "connect", "uservaddr", &kind_sockaddr },
	{ "sendto", "addr", &kind_sockaddr },
	{ "recvfrom", "addr", &kind_sockaddr_out },
	{ "accept accept4", "upeer_sockaddr", &kind_sockaddr_out },
	{ "getsockname getpeername", "usockaddr", &kind_sockaddr_out },
	{ "recvfrom", "addr_len", &kind_int_out },
	{ "accept accept4", "upeer_addrlen", &kind_int_out },
	{ "getsockname getpeername", "usockaddr_len", &kind_int_out },
	{ "getsockopt", "optlen", &kind_int_out },
	{ "setsockopt", "optval", &kind_option },
	{ "getsockopt", "optval", &kind_option_out },
	{ "socketpair", "usockvec", &kind_pair_out },
	{ "sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg", "flags", NAMED(msg) },
	{ "setsockopt getsockopt", "level", NAMED(sockopt_level) },
	{ "setsockopt getsockopt", "optname", &kind_sockopt },
	{ "shutdown", "how", NAMED(shutdown) },
	{ "kill tkill tgkill rt_sigaction rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal", "sig", &kind_signal },
	{ "rt_sigprocmask", "how", NAMED(sighow) },
	{ "futex", "op", &kind_futex },
	{ "futex", "utime", &kind_futex_time },
	{ "futex", "uaddr2", &kind_futex_second },
	{ "futex", "val3", &kind_futex_bits },
	{ "clone", "clone_flags", &kind_clone },
	{ "clone", "parent_tidptr", &kind_parent_tid },
	{ "clone", "child_tidptr", &kind_child_tid },
	{ "clone", "tls", &kind_tls },
	{ "clone", "newsp", &kind_hex },
	{ "unshare", "unshare_flags", NAMED(clone) },
	{ "fcntl", "cmd", NAMED(fcntl) },
	{ "fcntl", "arg", &kind_fcntl_arg },
	{ "flock", "cmd", NAMED(flock) },
	{ "wait4 waitid", "options", NAMED(wait) },
	{ "wait4 waitid", "upid", &kind_pid },
	{ "waitid", "which", NAMED(idtype) },
	{ "ioctl", "cmd", &kind_ioctl },
	{ "ioctl", "arg", &kind_hex },
	{ "prctl", "option", NAMED(prctl) },
	{ "arch_prctl", "option", NAMED(arch_prctl) },
	{ "prctl", "arg2", &kind_prctl_name },
	{ "prctl", "arg3", &kind_prctl_argument },
	{ "prctl", "arg4", &kind_prctl_argument },
	{ "prctl", "arg5", &kind_prctl_argument },
	{ "arch_prctl", "arg2", &kind_hex },
	{ "seccomp", "op", NAMED(seccomp) },
	{ "seccomp", "flags", NAMED(seccomp_flags) },
	{ "kcmp", "type", NAMED(kcmp) },
	{ "bpf", "cmd", NAMED(bpf) },
	{ "keyctl", "option", NAMED(keyctl) },
	{ "epoll_ctl", "op", NAMED(epoll_op) },
	{ "epoll_ctl epoll_wait epoll_pwait epoll_pwait2", "epfd", &kind_fd },
	{ "epoll_create1", "flags", NAMED(epoll_flags) },
	{ "eventfd2", "flags", NAMED(eventfd) },
	{ "timerfd_create", "flags", NAMED(timerfd) },
	{ "timerfd_create", "clockid", NAMED(clock) },
	{ "timerfd_settime timerfd_gettime", "ufd", &kind_fd },
	{ "inotify_init1", "flags", NAMED(inotify) },
	{ "getrandom", "flags", NAMED(random) },
	{ "sched_setscheduler", "policy", NAMED(sched) },
	{ "getrlimit setrlimit prlimit64", "resource", NAMED(rlimit) },
	{ "getrusage", "who", NAMED(rusage) },
	{ "getitimer setitimer", "which", NAMED(itimer) },
	{ "clock_gettime clock_settime clock_getres clock_nanosleep timer_create", "which_clock", NAMED(clock) },
	{ "clock_nanosleep timer_settime", "flags", NAMED(timer_flags) },
	{ "timerfd_settime", "flags", NAMED(timerfd_set) },
	{ "mount", "flags", NAMED(mount) },
	{ "umount2 umount", "flags", NAMED(umount) },
	{ "renameat2", "flags", NAMED(rename) },
	{ "sync_file_range", "flags", NAMED(sync_range) },
	{ "perf_event_open", "flags", NAMED(perf_flags) },
	{ "memfd_create", "flags", NAMED(memfd) },
	{ "fallocate", "mode", NAMED(fallocate) },
	{ "fadvise64", "advice", NAMED(fadvise) },
	{ "splice tee vmsplice", "flags", NAMED(splice) },
	{ "membarrier", "cmd", NAMED(membarrier) },
	{ "rseq", "flags", NAMED(rseq) },
	{ "dup dup2 dup3", "fildes", &kind_fd },
	{ "mount", "dev_name", &kind_text },
	{ "mount", "type", &kind_text },
	{ "memfd_create", "uname", &kind_text },
	{ "setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr removexattr", "name", &kind_text },
	{ "write pwrite64", "buf", &kind_buffer },
	{ "sendto", "buff", &kind_buffer },
	{ "nanosleep clock_nanosleep", "rqtp", &kind_timespec },
	{ "clock_settime", "tp", &kind_timespec },
	{ "ppoll", "tsp", &kind_timespec },
	{ "pselect6", "tsp", &kind_timespec },
	{ "select", "tvp", &kind_timeval },
	{ "utimensat", "utimes", &kind_timespecs },
	{ "utimes futimesat", "utimes", &kind_timevals },
	{ "timerfd_settime", "utmr", &kind_itimerspec },
	{ "timer_settime", "new_setting", &kind_itimerspec },
	{ "setitimer", "value", &kind_itimerval },
	{ "setrlimit", "rlim", &kind_rlimit },
	{ "prlimit64", "new_rlim", &kind_rlimit },
	{ "rt_sigaction", "act", &kind_sigaction },
	{ "rt_sigprocmask", "nset", &kind_signals },
	{ "rt_sigsuspend", "unewset", &kind_signals },
	{ "rt_sigtimedwait", "uthese", &kind_signals },
	{ "ppoll epoll_pwait epoll_pwait2", "sigmask", &kind_signals },
	{ "poll ppoll", "ufds", &kind_pollfd },
	{ "writev pwritev pwritev2 readv preadv preadv2 process_vm_readv process_vm_writev", "vec", &kind_iovec },
	{ "epoll_ctl", "event", &kind_epoll_event },
	{ "openat2", "how", &kind_open_how },
	{ "clone3", "uargs", &kind_clone_args },
	{ "sendmsg recvmsg", "msg", &kind_msghdr },
	{ "sigaltstack", "uss", &kind_stack },
	{ "sched_setscheduler sched_setparam", "param", &kind_sched_param },
	/* memory that the kernel fills */
	{ "read pread64", "buf", &kind_buffer_out },
	{ "recvfrom", "ubuf", &kind_buffer_out },
	{ "getrandom", "ubuf", &kind_buffer_out },
	{ "readlink readlinkat", "buf", &kind_link_out },
	{ "getcwd", "buf", &kind_text_out },
	{ "stat lstat fstat newfstatat", "statbuf", &kind_stat_out },
	{ "statx", "buffer", &kind_statx_out },
	{ "statfs fstatfs", "buf", &kind_statfs_out },
	{ "getrusage wait4 waitid", "ru", &kind_rusage_out },
	{ "wait4", "stat_addr", &kind_status_out },
	{ "uname", "name", &kind_utsname_out },
	{ "pipe pipe2", "fildes", &kind_pair_out },
	{ "clock_gettime clock_getres", "tp", &kind_timespec_out },
	{ "sched_rr_get_interval", "interval", &kind_timespec_out },
	{ "gettimeofday", "tv", &kind_timeval_out },
	{ "getrlimit", "rlim", &kind_rlimit_out },
	{ "prlimit64", "old_rlim", &kind_rlimit_out },
	{ "getitimer", "value", &kind_itimerval_out },
	{ "setitimer", "ovalue", &kind_itimerval_out },
	{ "timerfd_settime timerfd_gettime", "otmr", &kind_itimerspec_out },
	{ "timer_gettime", "setting", &kind_itimerspec_out },
	{ "timer_settime", "old_setting", &kind_itimerspec_out },
	{ "rt_sigaction", "oact", &kind_sigaction_out },
	{ "rt_sigprocmask", "oset", &kind_signals_out },
	{ "rt_sigpending", "uset", &kind_signals_out },
	{ "sigaltstack", "uoss", &kind_stack_out },
	{ "sched_getparam", "param", &kind_sched_param_out },
	{ "epoll_wait epoll_pwait epoll_pwait2", "events", &kind_epoll_events_out },
	{ "epoll_pwait2", "timeout", &kind_timespec },
	{ "select pselect6", "inp", &kind_fds },
	{ "select pselect6", "outp", &kind_fds },
	{ "select pselect6", "exp", &kind_fds },
	/* print only the address: the struct would not be clearer */
	{ "getdents getdents64", "dirent", &kind_hex },
	{ "nanosleep clock_nanosleep", "rmtp", &kind_hex },
	{ "waitid", "infop", &kind_hex },
	{ "set_robust_list", "head", &kind_hex },
	{ "execve execveat", "argv", &kind_texts },
	{ "execve execveat", "envp", &kind_number },
	{ "fsconfig", "cmd", NAMED(fsconfig) },
	{ "fsconfig", "_key", &kind_text },
	{ "fsconfig", "_value", &kind_fsconfig_value },
	{ "fsopen", "_fs_name", &kind_text },
	{ "fsopen", "flags", NAMED(fsopen) },
	{ "fsmount", "flags", NAMED(fsmount) },
	{ "fsmount", "attr_flags", NAMED(mount_attr) },
	{ "fspick", "flags", NAMED(fspick) },
	{ "move_mount", "flags", NAMED(move_mount) },
	{ "open_tree", "flags", NAMED(open_tree) },
	{ "close_range", "flags", NAMED(close_range) },
	{ "mount_setattr", "flags", NAMED(at) },
	{ "mount umount2 umount", "dir_name", &kind_text },
	{ "umount2 umount", "name", &kind_text },
};

bool trace_has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static bool ends_in(const char *name, const char *end)
{
	size_t a = strlen(name), b = strlen(end);

	return a >= b && !strcmp(name + a - b, end);
}

/* Choose a kind by type and name if there is no rule. */
static const struct argument_kind *usual_kind(const char *name, const char *type)
{
	bool word = !strcmp(type, "int") || !strcmp(type, "unsigned int") || !strcmp(type, "unsigned long") ||
		    !strcmp(type, "long");

	if (!strcmp(type, "const char *") && (ends_in(name, "name") || strstr(name, "path")))
		return &kind_text;
	if (word && ends_in(name, "dfd"))
		return &kind_dfd;
	if (word && ends_in(name, "fd"))
		return &kind_fd;
	if (strchr(type, '*') || strstr(name, "addr"))
		return &kind_address;
	if (!strncmp(type, "enum ", 5) || !strncmp(type, "const enum ", 11))
		return &kind_unknown_enum;
	if (!strcmp(type, "pid_t"))
		return &kind_pid;
	if (!strcmp(type, "umode_t"))
		return &kind_mode;
	if (!strncmp(name, "arg", 3) && !strcmp(type, "unsigned long") && name[3] >= '0' && name[3] <= '9' && !name[4])
		return &kind_hex;
	return strncmp(type, "unsigned", 8) && strcmp(type, "size_t") ? &kind_signed : &kind_unsigned;
}

const struct argument_kind *argument_kind_of(const char *call, const char *name, const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].argument, name) && trace_has_word(rules[i].calls, call))
			return rules[i].kind;
	return usual_kind(name, type);
}

bool argument_is_unknown(const struct argument_kind *kind)
{
	return kind == &kind_address || kind == &kind_unknown_enum;
}

struct argument_kind argument_kind_typed(bool is_enum)
{
	return is_enum ? kind_enum : (struct argument_kind){ .print = pointed_type, .points_at = TRACE_POINTS_SIZED };
}

/* ---- a whole call ---- */

static bool is_left_out(const struct argument *a, const struct argument_kind *kind)
{
	if (kind->hidden && kind->hidden(a))
		return true;
	if (a->value || a->trace->opts->zeros || !a->trace->opts->arg_names || kind->shown_zero)
		return false;
	return !kind->values || !values_has(kind->values, 0);
}

static uint64_t cut(uint64_t value, const struct shape_arg *a)
{
	return a->size == 4 ? a->is_signed ? (uint64_t)(int32_t)value : (uint32_t)value : value;
}

void trace_print_arguments(struct trace *t, const struct traced_thread *thread, const struct call_state *call,
			   const struct call_shape *shape, struct out *o)
{
	bool more = false;

	for (unsigned i = 0; i < shape->n_args; i++) {
		const struct shape_arg *s = &shape->args[i];
		struct argument a = { t, thread, call, shape, i, cut(call->args[i], s), o };

		if (is_left_out(&a, s->kind))
			continue;
		if (more)
			out_str(o, ", ");
		more = true;
		if (t->opts->arg_names) {
			out_name(o, s->name);
			out_str(o, ": ");
		}
		s->kind->print(&a);
	}
}
