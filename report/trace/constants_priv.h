#ifndef REPORT_TRACE_CONSTANTS_PRIV_H
#define REPORT_TRACE_CONSTANTS_PRIV_H

#include "base/out.h"

/*
 * Names for the values of system call arguments.
 *
 *	values_print(&values_open, O_WRONLY | O_CREAT, false, out);	WRONLY|CREAT
 */
struct value_name {
	uint64_t value;
	const char *name;
};
enum values_form { VALUES_ONE, VALUES_FLAGS };
struct values {
	const char *prefix; /* of the names in C: "O_" */
	enum values_form form;
	uint64_t one_of; /* FLAGS: these bits are one value, not flags (O_ACCMODE) */
	const struct value_name *rows;
	size_t n;
};

/* A row for each set: its name here, the prefix, the form, the bits that are one value. */
#define VALUE_SETS(V) \
	V(open, "O_", VALUES_FLAGS, 3) \
	V(at, "AT_", VALUES_FLAGS, 0) \
	V(access, "", VALUES_FLAGS, 0) \
	V(mode, "S_", VALUES_FLAGS, 0170000) \
	V(whence, "SEEK_", VALUES_ONE, 0) \
	V(prot, "PROT_", VALUES_FLAGS, 0) \
	V(map, "MAP_", VALUES_FLAGS, 15) \
	V(mremap, "MREMAP_", VALUES_FLAGS, 0) \
	V(madvise, "MADV_", VALUES_ONE, 0) \
	V(msync, "MS_", VALUES_FLAGS, 0) \
	V(mlock, "MCL_", VALUES_FLAGS, 0) \
	V(family, "PF_", VALUES_ONE, 0) \
	V(socktype, "SOCK_", VALUES_FLAGS, 15) \
	V(sockflags, "SOCK_", VALUES_FLAGS, 0) \
	V(ipproto, "IPPROTO_", VALUES_ONE, 0) \
	V(sockopt_level, "SOL_", VALUES_ONE, 0) \
	V(shutdown, "SHUT_", VALUES_ONE, 0) \
	V(msg, "MSG_", VALUES_FLAGS, 0) \
	V(signal, "SIG", VALUES_ONE, 0) \
	V(sighow, "SIG_", VALUES_ONE, 0) \
	V(futex, "FUTEX_", VALUES_FLAGS, 127) \
	V(clone, "CLONE_", VALUES_FLAGS, 0) \
	V(fcntl, "F_", VALUES_ONE, 0) \
	V(flock, "LOCK_", VALUES_FLAGS, 0) \
	V(wait, "W", VALUES_FLAGS, 0) \
	V(idtype, "P_", VALUES_ONE, 0) \
	V(prctl, "PR_", VALUES_ONE, 0) \
	V(arch_prctl, "ARCH_", VALUES_ONE, 0) \
	V(seccomp, "SECCOMP_SET_", VALUES_ONE, 0) \
	V(seccomp_flags, "SECCOMP_FILTER_FLAG_", VALUES_FLAGS, 0) \
	V(kcmp, "KCMP_", VALUES_ONE, 0) \
	V(bpf, "BPF_", VALUES_ONE, 0) \
	V(keyctl, "KEYCTL_", VALUES_ONE, 0) \
	V(epoll_op, "EPOLL_CTL_", VALUES_ONE, 0) \
	V(epoll_flags, "EPOLL_", VALUES_FLAGS, 0) \
	V(eventfd, "EFD_", VALUES_FLAGS, 0) \
	V(timerfd, "TFD_", VALUES_FLAGS, 0) \
	V(inotify, "IN_", VALUES_FLAGS, 0) \
	V(random, "GRND_", VALUES_FLAGS, 0) \
	V(sched, "SCHED_", VALUES_FLAGS, 255) \
	V(rlimit, "RLIMIT_", VALUES_ONE, 0) \
	V(rusage, "RUSAGE_", VALUES_ONE, 0) \
	V(itimer, "ITIMER_", VALUES_ONE, 0) \
	V(clock, "CLOCK_", VALUES_ONE, 0) \
	V(timer_flags, "TIMER_", VALUES_FLAGS, 0) \
	V(mount, "MS_", VALUES_FLAGS, 0) \
	V(umount, "", VALUES_FLAGS, 0) \
	V(rename, "RENAME_", VALUES_FLAGS, 0) \
	V(sync_range, "SYNC_FILE_RANGE_", VALUES_FLAGS, 0) \
	V(perf_flags, "PERF_FLAG_", VALUES_FLAGS, 0) \
	V(memfd, "MFD_", VALUES_FLAGS, 0) \
	V(fallocate, "FALLOC_FL_", VALUES_FLAGS, 0) \
	V(fadvise, "POSIX_FADV_", VALUES_ONE, 0) \
	V(splice, "SPLICE_F_", VALUES_FLAGS, 0) \
	V(statx, "STATX_", VALUES_FLAGS, 0) \
	V(membarrier, "MEMBARRIER_CMD_", VALUES_ONE, 0) \
	V(rseq, "RSEQ_FLAG_", VALUES_FLAGS, 0) \
	V(poll, "POLL", VALUES_FLAGS, 0) \
	V(epoll_events, "EPOLL", VALUES_FLAGS, 0) \
	V(sigaction, "SA_", VALUES_FLAGS, 0) \
	V(resolve, "RESOLVE_", VALUES_FLAGS, 0) \
	V(at_access, "AT_", VALUES_FLAGS, 0) \
	V(pipe, "O_", VALUES_FLAGS, 0) \
	V(fdflags, "FD_", VALUES_FLAGS, 0) \
	V(timerfd_set, "TFD_TIMER_", VALUES_FLAGS, 0) \
	V(sockopt, "SO_", VALUES_ONE, 0) \
	V(tcpopt, "TCP_", VALUES_ONE, 0) \
	V(fsconfig, "FSCONFIG_", VALUES_ONE, 0) \
	V(fsopen, "FSOPEN_", VALUES_FLAGS, 0) \
	V(fsmount, "FSMOUNT_", VALUES_FLAGS, 0) \
	V(fspick, "FSPICK_", VALUES_FLAGS, 0) \
	V(mount_attr, "MOUNT_ATTR_", VALUES_FLAGS, 0) \
	V(move_mount, "MOVE_MOUNT_", VALUES_FLAGS, 0) \
	V(open_tree, "", VALUES_FLAGS, 0) \
	V(close_range, "CLOSE_RANGE_", VALUES_FLAGS, 0) \
	V(fstype, "", VALUES_ONE, 0)
extern const struct values values_ioctl; /* ioctls.c */
#define VALUE_SET_DECLARE(name, prefix, form, one_of) extern const struct values values_##name;
VALUE_SETS(VALUE_SET_DECLARE)
#undef VALUE_SET_DECLARE

/* Print "RDONLY|CLOEXEC"; bits or values without a name as 0x..; 0 without a name as "0". */
void values_print(const struct values *v, uint64_t value, bool prefix, struct out *o);
/* Return the value of a name, with or without its prefix; false: unknown. */
bool values_number(const struct values *v, const char *name, uint64_t *value);
/* Does this value have a name? */
bool values_has(const struct values *v, uint64_t value);

#endif
