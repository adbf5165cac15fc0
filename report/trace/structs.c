#include "report/trace/structs_priv.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/bytes.h"

struct layout_member {
	const char *name;
	uint16_t at, size; /* bytes */
	enum member_form form;
	const struct values *values;        /* MEMBER_NAMED */
	const struct struct_layout *layout; /* MEMBER_STRUCT */
};

/* ---- the layouts; to add one: its members, a row below them, its name in the header ---- */

#define FIELD(type, member, form, ...) \
	{ \
#member, offsetof(type, member), sizeof(((type *)0)->member), MEMBER_##form, __VA_ARGS__ \
	}

static const struct layout_member timespec_members[] = {
	FIELD(struct timespec, tv_sec, SIGNED),
	FIELD(struct timespec, tv_nsec, SIGNED),
};
static const struct layout_member timeval_members[] = {
	FIELD(struct timeval, tv_sec, SIGNED),
	FIELD(struct timeval, tv_usec, SIGNED),
};
static const struct layout_member itimerspec_members[] = {
	FIELD(struct itimerspec, it_interval, STRUCT, NULL, &layout_timespec),
	FIELD(struct itimerspec, it_value, STRUCT, NULL, &layout_timespec),
};
static const struct layout_member itimerval_members[] = {
	FIELD(struct itimerval, it_interval, STRUCT, NULL, &layout_timeval),
	FIELD(struct itimerval, it_value, STRUCT, NULL, &layout_timeval),
};
static const struct layout_member rlimit_members[] = {
	FIELD(struct rlimit, rlim_cur, LIMIT),
	FIELD(struct rlimit, rlim_max, LIMIT),
};
/* The kernel's struct, not that of the C library. Source: asm-generic/signal.h, asm/signal.h */
static const struct layout_member sigaction_members[] = {
	{ "sa_handler", 0, 8, MEMBER_HANDLER },
	{ "sa_flags", 8, 8, MEMBER_NAMED, &values_sigaction },
	{ "sa_mask", 24, 8, MEMBER_SIGNALS },
};
static const struct layout_member pollfd_members[] = {
	FIELD(struct pollfd, fd, SIGNED),
	FIELD(struct pollfd, events, NAMED, &values_poll),
};
static const struct layout_member pollfd_filled_members[] = {
	FIELD(struct pollfd, fd, SIGNED),
	FIELD(struct pollfd, events, NAMED, &values_poll),
	FIELD(struct pollfd, revents, NAMED, &values_poll),
};
static const struct layout_member stat_members[] = {
	FIELD(struct stat, st_mode, NAMED, &values_mode),
	FIELD(struct stat, st_size, SIGNED),
};
static const struct layout_member statx_members[] = {
	FIELD(struct statx, stx_mask, NAMED, &values_statx),
	FIELD(struct statx, stx_mode, NAMED, &values_mode),
	FIELD(struct statx, stx_size, UNSIGNED),
};
static const struct layout_member statfs_members[] = {
	FIELD(struct statfs, f_type, NAMED, &values_fstype),
	FIELD(struct statfs, f_bsize, UNSIGNED),
	FIELD(struct statfs, f_blocks, UNSIGNED),
	FIELD(struct statfs, f_bfree, UNSIGNED),
	FIELD(struct statfs, f_bavail, UNSIGNED),
	FIELD(struct statfs, f_files, UNSIGNED),
	FIELD(struct statfs, f_ffree, UNSIGNED),
	FIELD(struct statfs, f_namelen, UNSIGNED),
};
static const struct layout_member rusage_members[] = {
	FIELD(struct rusage, ru_utime, STRUCT, NULL, &layout_timeval),
	FIELD(struct rusage, ru_stime, STRUCT, NULL, &layout_timeval),
};
static const struct layout_member utsname_members[] = {
	FIELD(struct utsname, sysname, TEXT),
	FIELD(struct utsname, nodename, TEXT),
	FIELD(struct utsname, release, TEXT),
};
static const struct layout_member iovec_members[] = {
	FIELD(struct iovec, iov_base, HEX),
	FIELD(struct iovec, iov_len, UNSIGNED),
};
static const struct layout_member epoll_event_members[] = {
	FIELD(struct epoll_event, events, NAMED, &values_epoll_events),
	FIELD(struct epoll_event, data, HEX),
};
/* Source: linux/openat2.h */
static const struct layout_member open_how_members[] = {
	{ "flags", 0, 8, MEMBER_NAMED, &values_open },
	{ "mode", 8, 8, MEMBER_NAMED, &values_mode },
	{ "resolve", 16, 8, MEMBER_NAMED, &values_resolve },
};
/* Source: linux/sched.h, the first version */
static const struct layout_member clone_args_members[] = {
	{ "flags", 0, 8, MEMBER_NAMED, &values_clone },
	{ "pidfd", 8, 8, MEMBER_HEX },
	{ "child_tid", 16, 8, MEMBER_HEX },
	{ "parent_tid", 24, 8, MEMBER_HEX },
	{ "exit_signal", 32, 8, MEMBER_NAMED, &values_signal },
	{ "stack", 40, 8, MEMBER_HEX },
	{ "stack_size", 48, 8, MEMBER_HEX },
	{ "tls", 56, 8, MEMBER_HEX },
};
static const struct layout_member msghdr_members[] = {
	FIELD(struct msghdr, msg_name, HEX),
	FIELD(struct msghdr, msg_namelen, UNSIGNED),
	FIELD(struct msghdr, msg_iov, HEX),
	FIELD(struct msghdr, msg_iovlen, UNSIGNED),
	FIELD(struct msghdr, msg_controllen, UNSIGNED),
};
static const struct layout_member stack_members[] = {
	FIELD(stack_t, ss_sp, HEX),
	FIELD(stack_t, ss_flags, HEX),
	FIELD(stack_t, ss_size, UNSIGNED),
};
static const struct layout_member sched_param_members[] = { { "sched_priority", 0, 4, MEMBER_SIGNED } };
static const struct layout_member signals_members[] = { { "set", 0, 8, MEMBER_SIGNALS } };

#define LAYOUT(name, size, is_array, members) \
	const struct struct_layout layout_##name = { size, is_array, false, false, ARRAY_SIZE(members), members };
/* A layout with only the useful members of a struct. */
#define LAYOUT_OF_MORE(name, size, members) \
	const struct struct_layout layout_##name = { size, false, false, true, ARRAY_SIZE(members), members };
LAYOUT(timespec, sizeof(struct timespec), false, timespec_members)
LAYOUT(timespecs, sizeof(struct timespec), true, timespec_members)
LAYOUT(timeval, sizeof(struct timeval), false, timeval_members)
LAYOUT(timevals, sizeof(struct timeval), true, timeval_members)
LAYOUT(itimerspec, sizeof(struct itimerspec), false, itimerspec_members)
LAYOUT(itimerval, sizeof(struct itimerval), false, itimerval_members)
LAYOUT(rlimit, sizeof(struct rlimit), false, rlimit_members)
LAYOUT(sigaction, 32, false, sigaction_members)
LAYOUT(pollfd, sizeof(struct pollfd), true, pollfd_members)
LAYOUT(iovec, sizeof(struct iovec), true, iovec_members)
LAYOUT(epoll_event, sizeof(struct epoll_event), false, epoll_event_members)
LAYOUT(open_how, 24, false, open_how_members)
LAYOUT(clone_args, 64, false, clone_args_members)
LAYOUT(msghdr, sizeof(struct msghdr), false, msghdr_members)
LAYOUT(stack, sizeof(stack_t), false, stack_members)
LAYOUT(sched_param, 4, false, sched_param_members)
LAYOUT(pollfd_filled, sizeof(struct pollfd), true, pollfd_filled_members)
LAYOUT(epoll_events, sizeof(struct epoll_event), true, epoll_event_members)
LAYOUT_OF_MORE(stat, sizeof(struct stat), stat_members)
LAYOUT_OF_MORE(statx, sizeof(struct statx), statx_members)
LAYOUT_OF_MORE(statfs, sizeof(struct statfs), statfs_members)
LAYOUT_OF_MORE(rusage, sizeof(struct rusage), rusage_members)
LAYOUT_OF_MORE(utsname, offsetof(struct utsname, version), utsname_members)
const struct struct_layout layout_signals = { 8, false, true, false, 1, signals_members };

/* ---- printing ---- */

static uint64_t value_of(const struct layout_member *m, const uint8_t *bytes)
{
	bool sign = m->form == MEMBER_SIGNED;

	switch (m->size) {
	case 2: return sign ? (uint64_t)(int16_t)load_u16(bytes + m->at) : load_u16(bytes + m->at);
	case 4: return sign ? (uint64_t)(int32_t)load_u32(bytes + m->at) : load_u32(bytes + m->at);
	default: return load_u64(bytes + m->at);
	}
}

/* Print signals like strace: [INT CHLD]; for a set with most signals, the missing ones: ~[KILL]. */
static void print_signals(uint64_t set, struct out *o)
{
	bool most = __builtin_popcountll(set) > 32, more = false;

	set = most ? ~set : set;
	out_str(o, most ? "~[" : "[");
	for (unsigned i = 0; i < 64; i++) {
		if (!(set >> i & 1))
			continue;
		if (more)
			out_char(o, ' ');
		more = true;
		if (values_has(&values_signal, i + 1))
			values_print(&values_signal, i + 1, false, o);
		else
			out_fmt(o, i == 31 ? "RTMIN" : "RT_%u", i - 31);
	}
	out_char(o, ']');
}

static void print_value(const struct layout_member *m, uint64_t value, bool prefix, struct out *o)
{
	switch (m->form) {
	case MEMBER_SIGNED: out_i64(o, (int64_t)value); break;
	case MEMBER_NAMED: values_print(m->values, value, prefix, o); break;
	case MEMBER_UNSIGNED: out_u64(o, value); break;
	case MEMBER_SIGNALS: print_signals(value, o); break;
	case MEMBER_LIMIT:
		if (value == UINT64_MAX)
			out_str(o, prefix ? "RLIM_INFINITY" : "INFINITY");
		else
			out_u64(o, value);
		break;
	case MEMBER_HANDLER:
		if (value <= 1) {
			out_str(o, prefix ? "SIG_" : "");
			out_str(o, value ? "IGN" : "DFL");
			break;
		}
		/* fall through */
	case MEMBER_TEXT:
	case MEMBER_STRUCT:
	case MEMBER_HEX: out_fmt(o, value ? "0x%llx" : "%llx", (unsigned long long)value); break;
	}
}

static void print_text(const char *text, size_t size, struct out *o)
{
	out_char(o, '"');
	out_name_len(o, text, strnlen(text, size));
	out_char(o, '"');
}

static void print_one(const struct struct_layout *l, const uint8_t *bytes, bool prefix, struct out *o)
{
	out_str(o, l->is_bare ? "" : "{ ");
	for (unsigned i = 0; i < l->n; i++) {
		const struct layout_member *m = &l->members[i];

		if (!l->is_bare)
			out_fmt(o, "%s.%s: ", i ? ", " : "", m->name);
		if (m->form == MEMBER_STRUCT)
			print_one(m->layout, bytes + m->at, prefix, o);
		else if (m->form == MEMBER_TEXT)
			print_text((const char *)bytes + m->at, m->size, o);
		else
			print_value(m, value_of(m, bytes), prefix, o);
	}
	out_str(o, l->is_bare ? "" : l->has_more ? ", ... }" : " }");
}

void layout_print(const struct struct_layout *l, const uint8_t *bytes, size_t len, bool prefix, struct out *o)
{
	size_t n = l->is_array ? len / l->size : len >= l->size;

	if (l->is_array)
		out_char(o, '[');
	for (size_t i = 0; i < n; i++) {
		out_str(o, i ? ", " : "");
		print_one(l, bytes + i * l->size, prefix, o);
	}
	if (!n && (len || !l->is_array))
		out_str(o, "...");
	if (l->is_array)
		out_char(o, ']');
}
