#ifndef REPORT_TRACE_STRUCTS_PRIV_H
#define REPORT_TRACE_STRUCTS_PRIV_H

#include "report/trace/constants_priv.h"

/*
 * Structs that arguments point to, in the layout of 64-bit programs.
 *
 *	layout_print(&layout_timespec, bytes, 16, false, out);		{ .tv_sec: 1, .tv_nsec: 0 }
 */
enum member_form {
	MEMBER_UNSIGNED,
	MEMBER_SIGNED,
	MEMBER_HEX,
	MEMBER_NAMED,
	MEMBER_LIMIT,
	MEMBER_HANDLER,
	MEMBER_SIGNALS,
	MEMBER_TEXT, /* up to its 0 */
	MEMBER_STRUCT
};
struct layout_member;
struct struct_layout {
	unsigned size; /* of one */
	bool is_array; /* more than one may follow: [{ ... }, { ... }] */
	bool is_bare;  /* print only its one member */
	bool has_more; /* there are unprinted members: "..." */
	unsigned n;
	const struct layout_member *members;
};

extern const struct struct_layout layout_timespec, layout_timespecs, layout_timeval, layout_timevals, layout_itimerspec,
	layout_itimerval, layout_rlimit, layout_sigaction, layout_pollfd, layout_iovec, layout_epoll_event,
	layout_open_how, layout_clone_args, layout_msghdr, layout_stack, layout_sched_param, layout_signals,
	layout_pollfd_filled, layout_epoll_events, layout_stat, layout_statx, layout_statfs, layout_rusage,
	layout_utsname;

/* Print `len` bytes in this machine's order; "..." stands for missing members. */
void layout_print(const struct struct_layout *l, const uint8_t *bytes, size_t len, bool prefix, struct out *o);

#endif
