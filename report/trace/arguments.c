/* Arguments and results as text: kinds of arguments, and which argument of which call is of which kind. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "report/trace/trace_priv.h"

static uint64_t arg(const struct argument *a, unsigned i) { return a->call->args[i]; }

/* ---- printers ---- */

static void print_signed(const struct argument *a) { out_i64(a->out, (int64_t)a->value); }
static void print_unsigned(const struct argument *a) { out_u64(a->out, a->value); }

static void print_hex(const struct argument *a)
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

static void print_descriptor(struct trace *t, int32_t pid, int fd, struct out *o)
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
	print_descriptor(a->trace, a->thread->pid, (int32_t)a->value, a->out);
}

static void print_directory(const struct argument *a)
{
	if ((int32_t)a->value == AT_FDCWD)
		out_str(a->out, a->trace->opts->prefix ? "AT_FDCWD" : "CWD");
	else
		print_fd(a);
}

static void print_task(struct trace *t, int64_t tid, struct out *o)
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

static void print_pid(const struct argument *a) { print_task(a->trace, (int64_t)a->value, a->out); }

void trace_print_text(const struct known_text *text, struct out *o)
{
	out_char(o, '"');
	out_name(o, text->text);
	out_char(o, '"');
	if (text->cut)
		out_str(o, "...");
	if (text->trust == TRUST_LATE)
		out_char(o, '?');
}

/* What the argument points at; NULL: unknown. */
static const struct known_text *pointed(const struct argument *a)
{
	unsigned at = trace_pointed_index(a->shape, a->index);

	return at < POINTED_MOST && a->call->pointed[at].trust ? &a->call->pointed[at] : NULL;
}

static void print_text(const struct argument *a)
{
	const struct known_text *text = pointed(a);

	if (text)
		trace_print_text(text, a->out);
	else
		print_hex(a);
}

static void print_struct(const struct argument *a)
{
	const struct known_text *bytes = pointed(a);
	const struct struct_layout *layout = a->shape->args[a->index].kind->layout;

	if (!bytes || (!layout->is_array && bytes->len < layout->size)) {
		print_hex(a);
		return;
	}
	layout_print(layout, (const uint8_t *)bytes->text, bytes->len, a->trace->opts->prefix, a->out);
	if (bytes->trust == TRUST_LATE)
		out_char(a->out, '?');
}

/* What is written, as far as it was fetched. */
static void print_buffer(const struct argument *a)
{
	const struct known_text *bytes = pointed(a);

	if (!bytes) {
		print_hex(a);
		return;
	}
	out_char(a->out, '"');
	out_name_len(a->out, bytes->text, bytes->len);
	out_str(a->out, arg(a, a->index + 1) > bytes->len ? "\"..." : "\"");
}

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

/* The lowest byte is the signal at the end, not a flag. */
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
	case F_SETOWN: print_task(a->trace, (int32_t)a->value, a->out); break;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETPIPE_SZ: out_i64(a->out, (int64_t)a->value); break;
	case F_SETLEASE:
		out_str(a->out, a->value == F_RDLCK ? "RDLCK" : a->value == F_WRLCK ? "WRLCK" : "UNLCK");
		break;
	default: print_hex(a);
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

static void print_late_address(const struct argument *a, const uint8_t *bytes, size_t len)
{
	struct out *o = a->out;
	struct bytes b = bytes_of(bytes, len, false);
	uint16_t family = bytes_u16(&b);
	char text[INET6_ADDRSTRLEN];

	out_str(o, "{ .family: ");
	values_print(&values_family, family, a->trace->opts->prefix, o);
	if (family == AF_UNIX && len > 2) {
		out_str(o, ", path: ");
		out_name_len(o, bytes[2] ? (const char *)bytes + 2 : (const char *)bytes + 3, len - (bytes[2] ? 2 : 3));
	} else if (family == AF_INET && len >= sizeof(struct sockaddr_in)) {
		out_fmt(o, ", port: %u, addr: %s", ntohs(load_u16(bytes + 2)),
			inet_ntop(AF_INET, bytes + 4, text, sizeof(text)));
	} else if (family == AF_INET6 && len >= sizeof(struct sockaddr_in6)) {
		out_fmt(o, ", port: %u, addr: %s", ntohs(load_u16(bytes + 2)),
			inet_ntop(AF_INET6, bytes + 8, text, sizeof(text)));
	}
	out_str(o, " }");
}

static void print_address(const struct argument *a)
{
	const struct known_text *text = pointed(a);

	if (text && text->len >= 2) {
		print_late_address(a, (const uint8_t *)text->text, text->len);
		if (text->trust == TRUST_LATE)
			out_char(a->out, '?');
		return;
	}
	print_hex(a);
}

/* ---- what is hidden ---- */

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
/* Words behind those that an option of prctl has are whatever the registers hold. */
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
static bool no_fcntl_argument(const struct argument *a)
{
	uint64_t cmd = arg(a, 1);

	return cmd == F_GETFD || cmd == F_GETFL || cmd == F_GETOWN || cmd == F_GETSIG || cmd == F_GETLEASE ||
	       cmd == F_GETPIPE_SZ || cmd == F_GET_SEALS;
}

/* ---- kinds: a row for each; the table below says where they stand ---- */

static const struct argument_kind kind_signed = { .print = print_signed };
static const struct argument_kind kind_unsigned = { .print = print_unsigned };
static const struct argument_kind kind_hex = { .print = print_hex };
static const struct argument_kind kind_offset = { .print = print_offset };
static const struct argument_kind kind_text = { .print = print_text, .points_at = TRACE_POINTS_TEXT };
static const struct argument_kind kind_fd = { .print = print_fd, .shown_zero = true };
static const struct argument_kind kind_dfd = { .print = print_directory, .shown_zero = true };
static const struct argument_kind kind_pid = { .print = print_pid };
static const struct argument_kind kind_mode = { .print = print_octal_mode };
static const struct argument_kind kind_open_mode = { .print = print_octal_mode, .hidden = without_creat };
static const struct argument_kind kind_access = { .print = print_access, .shown_zero = true };
static const struct argument_kind kind_ioctl = { .print = print_ioctl };
static const struct argument_kind kind_clone = { .print = print_clone };
static const struct argument_kind kind_parent_tid = { .print = print_hex, .hidden = no_parent_tid };
static const struct argument_kind kind_child_tid = { .print = print_hex, .hidden = no_child_tid };
static const struct argument_kind kind_tls = { .print = print_hex, .hidden = no_tls };
static const struct argument_kind kind_futex = { .print = print_futex, .shown_zero = true };
static const struct argument_kind kind_futex_time = { .print = print_hex, .hidden = no_futex_time };
static const struct argument_kind kind_futex_second = { .print = print_hex, .hidden = no_futex_second };
static const struct argument_kind kind_futex_bits = { .print = print_futex_val3, .hidden = no_futex_bits };
static const struct argument_kind kind_sockopt = { .print = print_sockopt, .shown_zero = true };
static const struct argument_kind kind_prctl_argument = { .print = print_hex, .hidden = no_prctl_argument };
static const struct argument_kind kind_protocol = { .print = print_protocol };
static const struct argument_kind kind_fcntl_arg = { .print = print_fcntl_argument,
						     .shown_zero = true,
						     .hidden = no_fcntl_argument };
static const struct argument_kind kind_address = {
	.print = print_address, .points_at = TRACE_POINTS_COUNTED, .unit = 1, .most = 128
};
static const struct argument_kind kind_buffer = {
	.print = print_buffer, .points_at = TRACE_POINTS_COUNTED, .unit = 1, .most = 32, .only_sure = true
};
/* Structs: one, n of them, or as many as the next argument says. */
#define STRUCT_KIND(name, what, size, most_bytes) \
	static const struct argument_kind kind_##name = { .print = print_struct, \
							  .points_at = TRACE_POINTS_##what, \
							  .unit = size, \
							  .most = most_bytes, \
							  .layout = &layout_##name };
STRUCT_KIND(timespec, SIZED, 16, 16)
STRUCT_KIND(timespecs, SIZED, 32, 32)
STRUCT_KIND(timeval, SIZED, 16, 16)
STRUCT_KIND(timevals, SIZED, 32, 32)
STRUCT_KIND(itimerspec, SIZED, 32, 32)
STRUCT_KIND(itimerval, SIZED, 32, 32)
STRUCT_KIND(rlimit, SIZED, 16, 16)
STRUCT_KIND(sigaction, SIZED, 32, 32)
STRUCT_KIND(pollfd, COUNTED, 8, 64)
STRUCT_KIND(iovec, COUNTED, 16, 128)
STRUCT_KIND(epoll_event, SIZED, sizeof(struct epoll_event), sizeof(struct epoll_event))
STRUCT_KIND(open_how, SIZED, 24, 24)
STRUCT_KIND(clone_args, SIZED, 64, 64)
STRUCT_KIND(msghdr, SIZED, 56, 56)
STRUCT_KIND(stack, SIZED, 24, 24)
STRUCT_KIND(sched_param, SIZED, 4, 4)
STRUCT_KIND(signals, SIZED, 8, 8)

/* One kind for each set of names; those of flags in which 0 has a name show it. */
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
	{ "bind", "umyaddr", &kind_address },
	{ "connect", "uservaddr", &kind_address },
	{ "sendto", "addr", &kind_address },
	{ "sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg", "flags", NAMED(msg) },
	{ "setsockopt getsockopt", "level", NAMED(sockopt_level) },
	{ "setsockopt getsockopt", "optname", &kind_sockopt },
	{ "shutdown", "how", NAMED(shutdown) },
	{ "kill tkill tgkill rt_sigaction rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal", "sig", NAMED(signal) },
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
	{ "prctl", "arg2", &kind_prctl_argument },
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
	{ "mount umount2 umount", "dir_name", &kind_text },
	{ "umount2 umount", "name", &kind_text },
};

static bool has_word(const char *words, const char *word)
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

/* What the type and the name tell, where no rule does. */
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
		return &kind_hex;
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
		if (!strcmp(rules[i].argument, name) && has_word(rules[i].calls, call))
			return rules[i].kind;
	return usual_kind(name, type);
}

/* ---- all of a call ---- */

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

/* ---- results ---- */

const char *trace_errno_name(int code)
{
	static const struct {
		int code;
		const char *name;
	} inner[] = {
		/* of the kernel alone: linux/errno.h */
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
	case F_DUPFD_CLOEXEC: print_descriptor(t, thread->pid, (int)result, o); break;
	case F_GETOWN: print_task(t, result, o); break;
	default: out_i64(o, result);
	}
}

void trace_print_result(struct trace *t, const struct traced_thread *thread, const struct call_state *call,
			const struct call_shape *shape, int64_t result, struct out *o)
{
	static const char addresses[] = "brk mmap mmap2 mremap shmat";
	static const char tasks[] =
		"clone clone3 fork vfork getpid getppid getpgid gettid set_tid_address wait4 waitid";
	static const char files[] = "open openat openat2 creat dup dup2 dup3 open_by_handle_at";

	if (result < 0 && result >= -4095 && !has_word("brk", shape->name))
		print_error((int)-result, o);
	else if (has_word(addresses, shape->name))
		out_fmt(o, "0x%llx", (unsigned long long)result);
	else if (has_word(tasks, shape->name))
		print_task(t, result, o);
	else if (!result && has_word("poll ppoll select pselect6", shape->name))
		out_str(o, "0 (Timeout)");
	else if (has_word("fcntl fcntl64", shape->name))
		print_fcntl_result(t, thread, call, result, o);
	else if (has_word(files, shape->name))
		print_descriptor(t, thread->pid, (int)result, o);
	else
		out_i64(o, result);
}
