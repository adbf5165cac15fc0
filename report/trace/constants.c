/* Names of values, from the headers of the machine that built strobe: flags of other machines may differ. */
#include "report/trace/constants_priv.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/kcmp.h>
#include <linux/keyctl.h>
#include <linux/kvm.h>
#include <linux/membarrier.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

/* To add a row, put it behind all rows with more bits. In a set of single values (VALUES_ONE), the order is free. */
/* clang-format off */
static const struct value_name open_rows[] = {
	{ O_RDONLY, "RDONLY" }, { O_RDWR, "RDWR" }, { O_WRONLY, "WRONLY" },
	{ O_TMPFILE, "TMPFILE" }, { 0100000, "LARGEFILE" }, { O_APPEND, "APPEND" },
	{ O_ASYNC, "ASYNC" }, { O_CLOEXEC, "CLOEXEC" }, { O_CREAT, "CREAT" },
	{ O_DIRECT, "DIRECT" }, { O_DIRECTORY, "DIRECTORY" }, { O_EXCL, "EXCL" },
	{ O_NOATIME, "NOATIME" }, { O_NOCTTY, "NOCTTY" }, { O_NOFOLLOW, "NOFOLLOW" },
	{ O_NONBLOCK, "NONBLOCK" }, { O_PATH, "PATH" },
	{ O_SYNC, "SYNC" }, { O_DSYNC, "DSYNC" }, { O_TRUNC, "TRUNC" },
};
static const struct value_name at_rows[] = {
	{ AT_SYMLINK_NOFOLLOW, "SYMLINK_NOFOLLOW" }, { AT_REMOVEDIR, "REMOVEDIR" },
	{ AT_SYMLINK_FOLLOW, "SYMLINK_FOLLOW" }, { AT_NO_AUTOMOUNT, "NO_AUTOMOUNT" },
	{ AT_EMPTY_PATH, "EMPTY_PATH" }, { AT_STATX_FORCE_SYNC, "STATX_FORCE_SYNC" },
	{ AT_STATX_DONT_SYNC, "STATX_DONT_SYNC" }, { AT_RECURSIVE, "RECURSIVE" },
};
static const struct value_name access_rows[] = {
	{ 4, "R" }, { 2, "W" }, { 1, "X" },
};
static const struct value_name mode_rows[] = {
	{ 0007777, "IALLUGO" }, { 0777, "IRWXUGO" }, { 0444, "IRUGO" }, { 0222, "IWUGO" },
	{ 0111, "IXUGO" }, { S_IFSOCK, "IFSOCK" }, { S_IFLNK, "IFLNK" }, { S_IFREG, "IFREG" },
	{ S_IFBLK, "IFBLK" }, { S_IFDIR, "IFDIR" }, { S_IFCHR, "IFCHR" }, { S_IFIFO, "IFIFO" },
	{ S_ISUID, "ISUID" }, { S_ISGID, "ISGID" }, { S_ISVTX, "ISVTX" }, { S_IRWXU, "IRWXU" },
	{ S_IRUSR, "IRUSR" }, { S_IWUSR, "IWUSR" }, { S_IXUSR, "IXUSR" }, { S_IRWXG, "IRWXG" },
	{ S_IRGRP, "IRGRP" }, { S_IWGRP, "IWGRP" }, { S_IXGRP, "IXGRP" }, { S_IRWXO, "IRWXO" },
	{ S_IROTH, "IROTH" }, { S_IWOTH, "IWOTH" }, { S_IXOTH, "IXOTH" },
};
static const struct value_name whence_rows[] = {
	{ SEEK_SET, "SET" }, { SEEK_CUR, "CUR" }, { SEEK_END, "END" }, { SEEK_DATA, "DATA" },
	{ SEEK_HOLE, "HOLE" },
};
static const struct value_name prot_rows[] = {
	{ PROT_NONE, "NONE" }, { PROT_READ, "READ" }, { PROT_WRITE, "WRITE" },
	{ PROT_EXEC, "EXEC" }, { 8, "SEM" }, { PROT_GROWSDOWN, "GROWSDOWN" },
	{ PROT_GROWSUP, "GROWSUP" },
};
static const struct value_name map_rows[] = {
	{ MAP_SHARED, "SHARED" }, { MAP_PRIVATE, "PRIVATE" },
	{ MAP_SHARED_VALIDATE, "SHARED_VALIDATE" }, { MAP_FIXED, "FIXED" },
	{ MAP_ANONYMOUS, "ANONYMOUS" }, { MAP_GROWSDOWN, "GROWSDOWN" },
	{ MAP_DENYWRITE, "DENYWRITE" }, { MAP_EXECUTABLE, "EXECUTABLE" }, { MAP_LOCKED, "LOCKED" },
	{ MAP_NORESERVE, "NORESERVE" }, { MAP_POPULATE, "POPULATE" }, { MAP_NONBLOCK, "NONBLOCK" },
	{ MAP_STACK, "STACK" }, { MAP_HUGETLB, "HUGETLB" }, { MAP_SYNC, "SYNC" },
	{ MAP_FIXED_NOREPLACE, "FIXED_NOREPLACE" },
};
static const struct value_name mremap_rows[] = {
	{ MREMAP_MAYMOVE, "MAYMOVE" }, { MREMAP_FIXED, "FIXED" }, { MREMAP_DONTUNMAP, "DONTUNMAP" },
};
static const struct value_name madvise_rows[] = {
	{ MADV_NORMAL, "NORMAL" }, { MADV_RANDOM, "RANDOM" }, { MADV_SEQUENTIAL, "SEQUENTIAL" },
	{ MADV_WILLNEED, "WILLNEED" }, { MADV_DONTNEED, "DONTNEED" }, { MADV_FREE, "FREE" },
	{ MADV_REMOVE, "REMOVE" }, { MADV_DONTFORK, "DONTFORK" }, { MADV_DOFORK, "DOFORK" },
	{ MADV_HWPOISON, "HWPOISON" }, { 101, "SOFT_OFFLINE" },
	{ MADV_MERGEABLE, "MERGEABLE" }, { MADV_UNMERGEABLE, "UNMERGEABLE" },
	{ MADV_HUGEPAGE, "HUGEPAGE" }, { MADV_NOHUGEPAGE, "NOHUGEPAGE" },
	{ MADV_DONTDUMP, "DONTDUMP" }, { MADV_DODUMP, "DODUMP" }, { MADV_WIPEONFORK, "WIPEONFORK" },
	{ MADV_KEEPONFORK, "KEEPONFORK" }, { MADV_COLD, "COLD" }, { MADV_PAGEOUT, "PAGEOUT" },
	{ MADV_POPULATE_READ, "POPULATE_READ" }, { MADV_POPULATE_WRITE, "POPULATE_WRITE" },
	{ MADV_DONTNEED_LOCKED, "DONTNEED_LOCKED" },
};
static const struct value_name msync_rows[] = {
	{ MS_ASYNC, "ASYNC" }, { MS_INVALIDATE, "INVALIDATE" }, { MS_SYNC, "SYNC" },
};
static const struct value_name mlock_rows[] = {
	{ MCL_CURRENT, "CURRENT" }, { MCL_FUTURE, "FUTURE" }, { MCL_ONFAULT, "ONFAULT" },
};
static const struct value_name family_rows[] = {
	{ PF_UNSPEC, "UNSPEC" }, { PF_LOCAL, "LOCAL" }, { PF_INET, "INET" }, { PF_AX25, "AX25" },
	{ PF_IPX, "IPX" }, { PF_APPLETALK, "APPLETALK" }, { PF_NETROM, "NETROM" },
	{ PF_BRIDGE, "BRIDGE" }, { PF_ATMPVC, "ATMPVC" }, { PF_X25, "X25" }, { PF_INET6, "INET6" },
	{ PF_ROSE, "ROSE" }, { PF_DECnet, "DECnet" }, { PF_NETBEUI, "NETBEUI" },
	{ PF_SECURITY, "SECURITY" }, { PF_KEY, "KEY" }, { PF_NETLINK, "NETLINK" },
	{ PF_PACKET, "PACKET" }, { PF_ASH, "ASH" }, { PF_ECONET, "ECONET" },
	{ PF_ATMSVC, "ATMSVC" }, { PF_RDS, "RDS" }, { PF_SNA, "SNA" }, { PF_IRDA, "IRDA" },
	{ PF_PPPOX, "PPPOX" }, { PF_WANPIPE, "WANPIPE" }, { PF_LLC, "LLC" }, { PF_IB, "IB" },
	{ PF_MPLS, "MPLS" }, { PF_CAN, "CAN" }, { PF_TIPC, "TIPC" }, { PF_BLUETOOTH, "BLUETOOTH" },
	{ PF_IUCV, "IUCV" }, { PF_RXRPC, "RXRPC" }, { PF_ISDN, "ISDN" }, { PF_PHONET, "PHONET" },
	{ PF_IEEE802154, "IEEE802154" }, { PF_CAIF, "CAIF" }, { PF_ALG, "ALG" }, { PF_NFC, "NFC" },
	{ PF_VSOCK, "VSOCK" }, { PF_KCM, "KCM" }, { PF_QIPCRTR, "QIPCRTR" }, { PF_SMC, "SMC" },
	{ PF_XDP, "XDP" },
};
static const struct value_name socktype_rows[] = {
	{ SOCK_STREAM, "STREAM" }, { SOCK_DGRAM, "DGRAM" }, { SOCK_RAW, "RAW" },
	{ SOCK_RDM, "RDM" }, { SOCK_SEQPACKET, "SEQPACKET" }, { SOCK_DCCP, "DCCP" },
	{ SOCK_PACKET, "PACKET" }, { SOCK_CLOEXEC, "CLOEXEC" }, { SOCK_NONBLOCK, "NONBLOCK" },
};
static const struct value_name sockflags_rows[] = {
	{ SOCK_CLOEXEC, "CLOEXEC" }, { SOCK_NONBLOCK, "NONBLOCK" },
};
static const struct value_name ipproto_rows[] = {
	{ IPPROTO_IP, "IP" }, { IPPROTO_ICMP, "ICMP" }, { IPPROTO_IGMP, "IGMP" },
	{ IPPROTO_IPIP, "IPIP" }, { IPPROTO_TCP, "TCP" }, { IPPROTO_EGP, "EGP" },
	{ IPPROTO_PUP, "PUP" }, { IPPROTO_UDP, "UDP" }, { IPPROTO_IDP, "IDP" },
	{ IPPROTO_TP, "TP" }, { IPPROTO_DCCP, "DCCP" }, { IPPROTO_IPV6, "IPV6" },
	{ IPPROTO_RSVP, "RSVP" }, { IPPROTO_GRE, "GRE" }, { IPPROTO_ESP, "ESP" },
	{ IPPROTO_AH, "AH" }, { IPPROTO_MTP, "MTP" }, { IPPROTO_BEETPH, "BEETPH" },
	{ IPPROTO_ENCAP, "ENCAP" }, { IPPROTO_PIM, "PIM" }, { IPPROTO_COMP, "COMP" },
	{ IPPROTO_SCTP, "SCTP" }, { IPPROTO_UDPLITE, "UDPLITE" }, { IPPROTO_MPLS, "MPLS" },
	{ IPPROTO_RAW, "RAW" }, { IPPROTO_ICMPV6, "ICMPV6" },
};
static const struct value_name sockopt_level_rows[] = {
	{ SOL_SOCKET, "SOCKET" }, { SOL_IP, "IP" }, { 6, "TCP" }, { 17, "UDP" },
	{ SOL_IPV6, "IPV6" }, { SOL_ICMPV6, "ICMPV6" }, { SOL_RAW, "RAW" },
	{ SOL_PACKET, "PACKET" }, { 270, "NETLINK" },
};
static const struct value_name shutdown_rows[] = {
	{ SHUT_RD, "RD" }, { SHUT_WR, "WR" }, { SHUT_RDWR, "RDWR" },
};
static const struct value_name msg_rows[] = {
	{ 0, "NONE" },
	{ MSG_OOB, "OOB" }, { MSG_PEEK, "PEEK" }, { MSG_DONTROUTE, "DONTROUTE" },
	{ MSG_CTRUNC, "CTRUNC" }, { MSG_PROXY, "PROXY" }, { MSG_TRUNC, "TRUNC" },
	{ MSG_DONTWAIT, "DONTWAIT" }, { MSG_EOR, "EOR" }, { MSG_WAITALL, "WAITALL" },
	{ MSG_FIN, "FIN" }, { MSG_SYN, "SYN" }, { MSG_CONFIRM, "CONFIRM" }, { MSG_RST, "RST" },
	{ MSG_ERRQUEUE, "ERRQUEUE" }, { MSG_NOSIGNAL, "NOSIGNAL" }, { MSG_MORE, "MORE" },
	{ MSG_WAITFORONE, "WAITFORONE" }, { MSG_BATCH, "BATCH" }, { MSG_ZEROCOPY, "ZEROCOPY" },
	{ MSG_FASTOPEN, "FASTOPEN" }, { MSG_CMSG_CLOEXEC, "CMSG_CLOEXEC" },
};
static const struct value_name signal_rows[] = {
	{ SIGHUP, "HUP" }, { SIGINT, "INT" }, { SIGQUIT, "QUIT" }, { SIGILL, "ILL" },
	{ SIGTRAP, "TRAP" }, { SIGABRT, "ABRT" }, { SIGBUS, "BUS" }, { SIGFPE, "FPE" },
	{ SIGKILL, "KILL" }, { SIGUSR1, "USR1" }, { SIGSEGV, "SEGV" }, { SIGUSR2, "USR2" },
	{ SIGPIPE, "PIPE" }, { SIGALRM, "ALRM" }, { SIGTERM, "TERM" }, { SIGSTKFLT, "STKFLT" },
	{ SIGCHLD, "CHLD" }, { SIGCONT, "CONT" }, { SIGSTOP, "STOP" }, { SIGTSTP, "TSTP" },
	{ SIGTTIN, "TTIN" }, { SIGTTOU, "TTOU" }, { SIGURG, "URG" }, { SIGXCPU, "XCPU" },
	{ SIGXFSZ, "XFSZ" }, { SIGVTALRM, "VTALRM" }, { SIGPROF, "PROF" }, { SIGWINCH, "WINCH" },
	{ SIGIO, "IO" }, { SIGPWR, "PWR" }, { SIGSYS, "SYS" },
};
static const struct value_name sighow_rows[] = {
	{ SIG_BLOCK, "BLOCK" }, { SIG_UNBLOCK, "UNBLOCK" }, { SIG_SETMASK, "SETMASK" },
};
static const struct value_name futex_rows[] = {
	{ FUTEX_WAIT, "WAIT" }, { FUTEX_WAKE, "WAKE" }, { FUTEX_FD, "FD" },
	{ FUTEX_REQUEUE, "REQUEUE" }, { FUTEX_CMP_REQUEUE, "CMP_REQUEUE" },
	{ FUTEX_WAKE_OP, "WAKE_OP" }, { FUTEX_LOCK_PI, "LOCK_PI" },
	{ FUTEX_UNLOCK_PI, "UNLOCK_PI" }, { FUTEX_TRYLOCK_PI, "TRYLOCK_PI" },
	{ FUTEX_WAIT_BITSET, "WAIT_BITSET" }, { FUTEX_WAKE_BITSET, "WAKE_BITSET" },
	{ FUTEX_WAIT_REQUEUE_PI, "WAIT_REQUEUE_PI" }, { FUTEX_CMP_REQUEUE_PI, "CMP_REQUEUE_PI" },
	{ 13, "LOCK_PI2" }, { FUTEX_PRIVATE_FLAG, "PRIVATE_FLAG" },
	{ FUTEX_CLOCK_REALTIME, "CLOCK_REALTIME" },
};
static const struct value_name clone_rows[] = {
	{ CLONE_VM, "VM" }, { CLONE_FS, "FS" }, { CLONE_FILES, "FILES" },
	{ CLONE_SIGHAND, "SIGHAND" }, { CLONE_PIDFD, "PIDFD" }, { CLONE_PTRACE, "PTRACE" },
	{ CLONE_VFORK, "VFORK" }, { CLONE_PARENT, "PARENT" }, { CLONE_THREAD, "THREAD" },
	{ CLONE_NEWNS, "NEWNS" }, { CLONE_SYSVSEM, "SYSVSEM" }, { CLONE_SETTLS, "SETTLS" },
	{ CLONE_PARENT_SETTID, "PARENT_SETTID" }, { CLONE_CHILD_CLEARTID, "CHILD_CLEARTID" },
	{ CLONE_DETACHED, "DETACHED" }, { CLONE_UNTRACED, "UNTRACED" },
	{ CLONE_CHILD_SETTID, "CHILD_SETTID" }, { CLONE_NEWCGROUP, "NEWCGROUP" },
	{ CLONE_NEWUTS, "NEWUTS" }, { CLONE_NEWIPC, "NEWIPC" }, { CLONE_NEWUSER, "NEWUSER" },
	{ CLONE_NEWPID, "NEWPID" }, { CLONE_NEWNET, "NEWNET" }, { CLONE_IO, "IO" },
	{ CLONE_CLEAR_SIGHAND, "CLEAR_SIGHAND" }, { CLONE_INTO_CGROUP, "INTO_CGROUP" },
};
static const struct value_name fcntl_rows[] = {
	{ F_DUPFD, "DUPFD" }, { F_GETFD, "GETFD" }, { F_SETFD, "SETFD" }, { F_GETFL, "GETFL" },
	{ F_SETFL, "SETFL" }, { F_GETLK, "GETLK" }, { F_SETLK, "SETLK" }, { F_SETLKW, "SETLKW" },
	{ F_SETOWN, "SETOWN" }, { F_GETOWN, "GETOWN" }, { F_SETSIG, "SETSIG" },
	{ F_GETSIG, "GETSIG" }, { F_SETOWN_EX, "SETOWN_EX" }, { F_GETOWN_EX, "GETOWN_EX" },
	{ 36, "OFD_GETLK" }, { 37, "OFD_SETLK" }, { 38, "OFD_SETLKW" }, { F_SETLEASE, "SETLEASE" },
	{ F_GETLEASE, "GETLEASE" }, { F_NOTIFY, "NOTIFY" }, { F_DUPFD_CLOEXEC, "DUPFD_CLOEXEC" },
	{ F_SETPIPE_SZ, "SETPIPE_SZ" }, { F_GETPIPE_SZ, "GETPIPE_SZ" },
	{ F_ADD_SEALS, "ADD_SEALS" }, { F_GET_SEALS, "GET_SEALS" },
	{ F_GET_RW_HINT, "GET_RW_HINT" }, { F_SET_RW_HINT, "SET_RW_HINT" },
	{ F_GET_FILE_RW_HINT, "GET_FILE_RW_HINT" }, { F_SET_FILE_RW_HINT, "SET_FILE_RW_HINT" },
};
static const struct value_name flock_rows[] = {
	{ LOCK_SH, "SH" }, { LOCK_EX, "EX" }, { LOCK_NB, "NB" }, { LOCK_UN, "UN" },
	{ LOCK_MAND, "MAND" }, { LOCK_READ, "READ" }, { LOCK_WRITE, "WRITE" },
};
static const struct value_name wait_rows[] = {
	{ WNOHANG, "NOHANG" }, { WUNTRACED, "UNTRACED" }, { WCONTINUED, "CONTINUED" },
	{ WEXITED, "EXITED" }, { WNOWAIT, "NOWAIT" },
};
static const struct value_name idtype_rows[] = {
	{ 0, "ALL" }, { 1, "PID" }, { 2, "PGID" }, { 3, "PIDFD" },
};
static const struct value_name prctl_rows[] = {
	{ PR_SET_PDEATHSIG, "SET_PDEATHSIG" }, { PR_GET_PDEATHSIG, "GET_PDEATHSIG" },
	{ PR_GET_DUMPABLE, "GET_DUMPABLE" }, { PR_SET_DUMPABLE, "SET_DUMPABLE" },
	{ PR_GET_KEEPCAPS, "GET_KEEPCAPS" }, { PR_SET_KEEPCAPS, "SET_KEEPCAPS" },
	{ PR_SET_NAME, "SET_NAME" }, { PR_GET_NAME, "GET_NAME" }, { PR_GET_SECCOMP, "GET_SECCOMP" },
	{ PR_SET_SECCOMP, "SET_SECCOMP" }, { PR_CAPBSET_READ, "CAPBSET_READ" },
	{ PR_CAPBSET_DROP, "CAPBSET_DROP" }, { PR_GET_TSC, "GET_TSC" }, { PR_SET_TSC, "SET_TSC" },
	{ PR_GET_SECUREBITS, "GET_SECUREBITS" }, { PR_SET_SECUREBITS, "SET_SECUREBITS" },
	{ PR_SET_TIMERSLACK, "SET_TIMERSLACK" }, { PR_GET_TIMERSLACK, "GET_TIMERSLACK" },
	{ PR_SET_MM, "SET_MM" }, { PR_SET_PTRACER, "SET_PTRACER" },
	{ PR_SET_CHILD_SUBREAPER, "SET_CHILD_SUBREAPER" },
	{ PR_GET_CHILD_SUBREAPER, "GET_CHILD_SUBREAPER" },
	{ PR_SET_NO_NEW_PRIVS, "SET_NO_NEW_PRIVS" }, { PR_GET_NO_NEW_PRIVS, "GET_NO_NEW_PRIVS" },
	{ PR_SET_THP_DISABLE, "SET_THP_DISABLE" }, { PR_GET_THP_DISABLE, "GET_THP_DISABLE" },
	{ PR_CAP_AMBIENT, "CAP_AMBIENT" }, { 0x53564d41, "SET_VMA" },
};
static const struct value_name arch_prctl_rows[] = {
	{ 0x1001, "SET_GS" }, { 0x1002, "SET_FS" }, { 0x1003, "GET_FS" }, { 0x1004, "GET_GS" },
	{ 0x1011, "GET_CPUID" }, { 0x1012, "SET_CPUID" }, { 0x1021, "GET_XCOMP_SUPP" },
	{ 0x1022, "GET_XCOMP_PERM" }, { 0x1023, "REQ_XCOMP_PERM" }, { 0x5001, "SHSTK_ENABLE" },
	{ 0x5005, "SHSTK_STATUS" },
};
static const struct value_name seccomp_rows[] = {
	{ SECCOMP_SET_MODE_STRICT, "MODE_STRICT" }, { SECCOMP_SET_MODE_FILTER, "MODE_FILTER" },
};
static const struct value_name seccomp_flags_rows[] = {
	{ SECCOMP_FILTER_FLAG_TSYNC, "TSYNC" }, { SECCOMP_FILTER_FLAG_LOG, "LOG" },
	{ SECCOMP_FILTER_FLAG_SPEC_ALLOW, "SPEC_ALLOW" },
	{ SECCOMP_FILTER_FLAG_NEW_LISTENER, "NEW_LISTENER" },
	{ SECCOMP_FILTER_FLAG_TSYNC_ESRCH, "TSYNC_ESRCH" },
};
static const struct value_name kcmp_rows[] = {
	{ KCMP_FILE, "FILE" }, { KCMP_VM, "VM" }, { KCMP_FILES, "FILES" }, { KCMP_FS, "FS" },
	{ KCMP_SIGHAND, "SIGHAND" }, { KCMP_IO, "IO" }, { KCMP_SYSVSEM, "SYSVSEM" },
	{ KCMP_EPOLL_TFD, "EPOLL_TFD" },
};
static const struct value_name bpf_rows[] = {
	{ BPF_MAP_CREATE, "MAP_CREATE" }, { BPF_MAP_LOOKUP_ELEM, "MAP_LOOKUP_ELEM" },
	{ BPF_MAP_UPDATE_ELEM, "MAP_UPDATE_ELEM" }, { BPF_MAP_DELETE_ELEM, "MAP_DELETE_ELEM" },
	{ BPF_MAP_GET_NEXT_KEY, "MAP_GET_NEXT_KEY" }, { BPF_PROG_LOAD, "PROG_LOAD" },
	{ BPF_OBJ_PIN, "OBJ_PIN" }, { BPF_OBJ_GET, "OBJ_GET" }, { BPF_PROG_ATTACH, "PROG_ATTACH" },
	{ BPF_PROG_DETACH, "PROG_DETACH" }, { BPF_PROG_TEST_RUN, "PROG_TEST_RUN" },
	{ BPF_PROG_GET_NEXT_ID, "PROG_GET_NEXT_ID" }, { BPF_MAP_GET_NEXT_ID, "MAP_GET_NEXT_ID" },
	{ BPF_PROG_GET_FD_BY_ID, "PROG_GET_FD_BY_ID" },
	{ BPF_MAP_GET_FD_BY_ID, "MAP_GET_FD_BY_ID" },
	{ BPF_OBJ_GET_INFO_BY_FD, "OBJ_GET_INFO_BY_FD" }, { BPF_PROG_QUERY, "PROG_QUERY" },
	{ BPF_RAW_TRACEPOINT_OPEN, "RAW_TRACEPOINT_OPEN" }, { BPF_BTF_LOAD, "BTF_LOAD" },
	{ BPF_BTF_GET_FD_BY_ID, "BTF_GET_FD_BY_ID" }, { BPF_TASK_FD_QUERY, "TASK_FD_QUERY" },
	{ BPF_MAP_LOOKUP_AND_DELETE_ELEM, "MAP_LOOKUP_AND_DELETE_ELEM" },
	{ BPF_MAP_FREEZE, "MAP_FREEZE" }, { BPF_BTF_GET_NEXT_ID, "BTF_GET_NEXT_ID" },
	{ BPF_MAP_LOOKUP_BATCH, "MAP_LOOKUP_BATCH" },
	{ BPF_MAP_LOOKUP_AND_DELETE_BATCH, "MAP_LOOKUP_AND_DELETE_BATCH" },
	{ BPF_MAP_UPDATE_BATCH, "MAP_UPDATE_BATCH" }, { BPF_MAP_DELETE_BATCH, "MAP_DELETE_BATCH" },
	{ BPF_LINK_CREATE, "LINK_CREATE" }, { BPF_LINK_UPDATE, "LINK_UPDATE" },
	{ BPF_LINK_GET_FD_BY_ID, "LINK_GET_FD_BY_ID" }, { BPF_LINK_GET_NEXT_ID, "LINK_GET_NEXT_ID" },
	{ BPF_ENABLE_STATS, "ENABLE_STATS" }, { BPF_ITER_CREATE, "ITER_CREATE" },
	{ BPF_LINK_DETACH, "LINK_DETACH" }, { BPF_PROG_BIND_MAP, "PROG_BIND_MAP" },
};
static const struct value_name keyctl_rows[] = {
	{ KEYCTL_GET_KEYRING_ID, "GET_KEYRING_ID" },
	{ KEYCTL_JOIN_SESSION_KEYRING, "JOIN_SESSION_KEYRING" }, { KEYCTL_UPDATE, "UPDATE" },
	{ KEYCTL_REVOKE, "REVOKE" }, { KEYCTL_CHOWN, "CHOWN" }, { KEYCTL_SETPERM, "SETPERM" },
	{ KEYCTL_DESCRIBE, "DESCRIBE" }, { KEYCTL_CLEAR, "CLEAR" }, { KEYCTL_LINK, "LINK" },
	{ KEYCTL_UNLINK, "UNLINK" }, { KEYCTL_SEARCH, "SEARCH" }, { KEYCTL_READ, "READ" },
	{ KEYCTL_INSTANTIATE, "INSTANTIATE" }, { KEYCTL_NEGATE, "NEGATE" },
	{ KEYCTL_SET_REQKEY_KEYRING, "SET_REQKEY_KEYRING" }, { KEYCTL_SET_TIMEOUT, "SET_TIMEOUT" },
	{ KEYCTL_ASSUME_AUTHORITY, "ASSUME_AUTHORITY" }, { KEYCTL_GET_SECURITY, "GET_SECURITY" },
	{ KEYCTL_SESSION_TO_PARENT, "SESSION_TO_PARENT" }, { KEYCTL_REJECT, "REJECT" },
	{ KEYCTL_INSTANTIATE_IOV, "INSTANTIATE_IOV" }, { KEYCTL_INVALIDATE, "INVALIDATE" },
	{ KEYCTL_GET_PERSISTENT, "GET_PERSISTENT" },
};
static const struct value_name epoll_op_rows[] = {
	{ EPOLL_CTL_ADD, "ADD" }, { EPOLL_CTL_DEL, "DEL" }, { EPOLL_CTL_MOD, "MOD" },
};
static const struct value_name epoll_flags_rows[] = {
	{ EPOLL_CLOEXEC, "CLOEXEC" },
};
static const struct value_name eventfd_rows[] = {
	{ EFD_SEMAPHORE, "SEMAPHORE" }, { EFD_CLOEXEC, "CLOEXEC" }, { EFD_NONBLOCK, "NONBLOCK" },
};
static const struct value_name timerfd_rows[] = {
	{ TFD_CLOEXEC, "CLOEXEC" }, { TFD_NONBLOCK, "NONBLOCK" },
};
static const struct value_name inotify_rows[] = {
	{ IN_CLOEXEC, "CLOEXEC" }, { IN_NONBLOCK, "NONBLOCK" },
};
static const struct value_name random_rows[] = {
	{ GRND_NONBLOCK, "NONBLOCK" }, { GRND_RANDOM, "RANDOM" }, { GRND_INSECURE, "INSECURE" },
};
static const struct value_name sched_rows[] = {
	{ 0, "OTHER" }, { SCHED_FIFO, "FIFO" }, { SCHED_RR, "RR" }, { 3, "BATCH" }, { 5, "IDLE" },
	{ 6, "DEADLINE" }, { 0x40000000, "RESET_ON_FORK" },
};
static const struct value_name rlimit_rows[] = {
	{ RLIMIT_CPU, "CPU" }, { RLIMIT_FSIZE, "FSIZE" }, { RLIMIT_DATA, "DATA" },
	{ RLIMIT_STACK, "STACK" }, { RLIMIT_CORE, "CORE" }, { RLIMIT_RSS, "RSS" },
	{ RLIMIT_NPROC, "NPROC" }, { RLIMIT_NOFILE, "NOFILE" }, { RLIMIT_MEMLOCK, "MEMLOCK" },
	{ RLIMIT_AS, "AS" }, { RLIMIT_LOCKS, "LOCKS" }, { RLIMIT_SIGPENDING, "SIGPENDING" },
	{ RLIMIT_MSGQUEUE, "MSGQUEUE" }, { RLIMIT_NICE, "NICE" }, { RLIMIT_RTPRIO, "RTPRIO" },
	{ RLIMIT_RTTIME, "RTTIME" },
};
static const struct value_name rusage_rows[] = {
	{ RUSAGE_SELF, "SELF" }, { RUSAGE_CHILDREN, "CHILDREN" }, { 1, "THREAD" },
};
static const struct value_name poll_rows[] = {
	{ POLLIN, "IN" }, { POLLPRI, "PRI" }, { POLLOUT, "OUT" }, { POLLERR, "ERR" }, { POLLHUP, "HUP" },
	{ POLLNVAL, "NVAL" }, { POLLRDNORM, "RDNORM" }, { POLLRDBAND, "RDBAND" }, { POLLWRNORM, "WRNORM" },
	{ POLLWRBAND, "WRBAND" }, { POLLRDHUP, "RDHUP" },
};
static const struct value_name epoll_events_rows[] = {
	{ EPOLLIN, "IN" }, { EPOLLPRI, "PRI" }, { EPOLLOUT, "OUT" }, { EPOLLERR, "ERR" }, { EPOLLHUP, "HUP" },
	{ EPOLLRDNORM, "RDNORM" }, { EPOLLRDBAND, "RDBAND" }, { EPOLLWRNORM, "WRNORM" }, { EPOLLWRBAND, "WRBAND" },
	{ EPOLLMSG, "MSG" }, { EPOLLRDHUP, "RDHUP" }, { EPOLLEXCLUSIVE, "EXCLUSIVE" }, { EPOLLWAKEUP, "WAKEUP" },
	{ EPOLLONESHOT, "ONESHOT" }, { EPOLLET, "ET" },
};
static const struct value_name sigaction_rows[] = {
	{ SA_NOCLDSTOP, "NOCLDSTOP" }, { SA_NOCLDWAIT, "NOCLDWAIT" }, { SA_SIGINFO, "SIGINFO" },
	{ 0x04000000, "RESTORER" }, { SA_ONSTACK, "ONSTACK" }, { SA_RESTART, "RESTART" }, { SA_NODEFER, "NODEFER" },
	{ SA_RESETHAND, "RESETHAND" },
};
static const struct value_name at_access_rows[] = {
	{ AT_EACCESS, "EACCESS" }, { AT_SYMLINK_NOFOLLOW, "SYMLINK_NOFOLLOW" }, { AT_EMPTY_PATH, "EMPTY_PATH" },
};
static const struct value_name pipe_rows[] = {
	{ O_CLOEXEC, "CLOEXEC" }, { O_DIRECT, "DIRECT" }, { O_NONBLOCK, "NONBLOCK" }, { O_EXCL, "NOTIFICATION_PIPE" },
};
static const struct value_name fdflags_rows[] = { { FD_CLOEXEC, "CLOEXEC" } };
static const struct value_name timerfd_set_rows[] = {
	{ TFD_TIMER_ABSTIME, "ABSTIME" }, { TFD_TIMER_CANCEL_ON_SET, "CANCEL_ON_SET" },
};
/* Source: asm-generic/socket.h */
#define SO(name) { SO_##name, #name }
static const struct value_name sockopt_rows[] = {
	SO(DEBUG), SO(REUSEADDR), SO(TYPE), SO(ERROR), SO(DONTROUTE), SO(BROADCAST), SO(SNDBUF), SO(RCVBUF),
	SO(KEEPALIVE), SO(OOBINLINE), SO(NO_CHECK), SO(PRIORITY), SO(LINGER), SO(BSDCOMPAT), SO(REUSEPORT),
	SO(PASSCRED), SO(PEERCRED), SO(RCVLOWAT), SO(SNDLOWAT), SO(RCVTIMEO), SO(SNDTIMEO), SO(BINDTODEVICE),
	SO(ATTACH_FILTER), SO(DETACH_FILTER), SO(PEERNAME), SO(TIMESTAMP), SO(ACCEPTCONN), SO(PEERSEC),
	SO(SNDBUFFORCE), SO(RCVBUFFORCE), SO(PASSSEC), SO(TIMESTAMPNS), SO(MARK), SO(TIMESTAMPING), SO(PROTOCOL),
	SO(DOMAIN), SO(RXQ_OVFL), SO(PEEK_OFF), SO(NOFCS), SO(LOCK_FILTER), SO(BUSY_POLL), SO(MAX_PACING_RATE),
	SO(ATTACH_BPF), SO(INCOMING_CPU), SO(MEMINFO), SO(COOKIE), SO(PEERGROUPS), SO(ZEROCOPY), SO(TXTIME),
	SO(BINDTOIFINDEX), SO(DETACH_REUSEPORT_BPF), SO(PREFER_BUSY_POLL), SO(BUSY_POLL_BUDGET),
};
#define TCP(name) { TCP_##name, #name }
static const struct value_name tcpopt_rows[] = {
	TCP(NODELAY), TCP(MAXSEG), TCP(CORK), TCP(KEEPIDLE), TCP(KEEPINTVL), TCP(KEEPCNT), TCP(SYNCNT), TCP(LINGER2),
	TCP(DEFER_ACCEPT), TCP(WINDOW_CLAMP), TCP(INFO), TCP(QUICKACK), TCP(CONGESTION), TCP(MD5SIG),
	TCP(THIN_LINEAR_TIMEOUTS), TCP(THIN_DUPACK), TCP(USER_TIMEOUT), TCP(REPAIR), TCP(FASTOPEN), TCP(TIMESTAMP),
	TCP(NOTSENT_LOWAT), TCP(CC_INFO), TCP(SAVE_SYN),
	TCP(ULP), TCP(FASTOPEN_CONNECT), TCP(ZEROCOPY_RECEIVE), TCP(INQ),
};
#undef SO
#undef TCP
static const struct value_name resolve_rows[] = {
	{ RESOLVE_NO_XDEV, "NO_XDEV" }, { RESOLVE_NO_MAGICLINKS, "NO_MAGICLINKS" },
	{ RESOLVE_NO_SYMLINKS, "NO_SYMLINKS" }, { RESOLVE_BENEATH, "BENEATH" }, { RESOLVE_IN_ROOT, "IN_ROOT" },
	{ RESOLVE_CACHED, "CACHED" },
};
static const struct value_name itimer_rows[] = {
	{ ITIMER_REAL, "REAL" }, { ITIMER_VIRTUAL, "VIRTUAL" }, { ITIMER_PROF, "PROF" },
};
static const struct value_name clock_rows[] = {
	{ CLOCK_REALTIME, "REALTIME" }, { CLOCK_MONOTONIC, "MONOTONIC" },
	{ CLOCK_PROCESS_CPUTIME_ID, "PROCESS_CPUTIME_ID" },
	{ CLOCK_THREAD_CPUTIME_ID, "THREAD_CPUTIME_ID" }, { CLOCK_MONOTONIC_RAW, "MONOTONIC_RAW" },
	{ CLOCK_REALTIME_COARSE, "REALTIME_COARSE" },
	{ CLOCK_MONOTONIC_COARSE, "MONOTONIC_COARSE" }, { CLOCK_BOOTTIME, "BOOTTIME" },
	{ CLOCK_REALTIME_ALARM, "REALTIME_ALARM" }, { CLOCK_BOOTTIME_ALARM, "BOOTTIME_ALARM" },
	{ 11, "TAI" },
};
static const struct value_name timer_flags_rows[] = {
	{ TIMER_ABSTIME, "ABSTIME" },
};
static const struct value_name mount_rows[] = {
	{ MS_RDONLY, "RDONLY" }, { MS_NOSUID, "NOSUID" }, { MS_NODEV, "NODEV" },
	{ MS_NOEXEC, "NOEXEC" }, { MS_SYNCHRONOUS, "SYNCHRONOUS" }, { MS_REMOUNT, "REMOUNT" },
	{ MS_MANDLOCK, "MANDLOCK" }, { MS_DIRSYNC, "DIRSYNC" }, { MS_NOATIME, "NOATIME" },
	{ MS_NODIRATIME, "NODIRATIME" }, { MS_BIND, "BIND" }, { MS_MOVE, "MOVE" },
	{ MS_REC, "REC" }, { MS_SILENT, "SILENT" }, { MS_UNBINDABLE, "UNBINDABLE" },
	{ MS_PRIVATE, "PRIVATE" }, { MS_SLAVE, "SLAVE" }, { MS_SHARED, "SHARED" },
	{ MS_RELATIME, "RELATIME" }, { MS_STRICTATIME, "STRICTATIME" }, { MS_LAZYTIME, "LAZYTIME" },
};
static const struct value_name umount_rows[] = {
	{ MNT_FORCE, "MNT_FORCE" }, { MNT_DETACH, "MNT_DETACH" }, { MNT_EXPIRE, "MNT_EXPIRE" },
	{ UMOUNT_NOFOLLOW, "UMOUNT_NOFOLLOW" },
};
static const struct value_name rename_rows[] = {
	{ RENAME_NOREPLACE, "NOREPLACE" }, { RENAME_EXCHANGE, "EXCHANGE" },
	{ RENAME_WHITEOUT, "WHITEOUT" },
};
static const struct value_name sync_range_rows[] = {
	{ SYNC_FILE_RANGE_WAIT_BEFORE, "WAIT_BEFORE" }, { SYNC_FILE_RANGE_WRITE, "WRITE" },
	{ SYNC_FILE_RANGE_WAIT_AFTER, "WAIT_AFTER" },
};
static const struct value_name perf_flags_rows[] = {
	{ PERF_FLAG_FD_NO_GROUP, "FD_NO_GROUP" }, { PERF_FLAG_FD_OUTPUT, "FD_OUTPUT" },
	{ PERF_FLAG_PID_CGROUP, "PID_CGROUP" }, { PERF_FLAG_FD_CLOEXEC, "FD_CLOEXEC" },
};
static const struct value_name memfd_rows[] = {
	{ MFD_CLOEXEC, "CLOEXEC" }, { MFD_ALLOW_SEALING, "ALLOW_SEALING" },
	{ MFD_HUGETLB, "HUGETLB" }, { 8, "NOEXEC_SEAL" }, { 16, "EXEC" },
};
static const struct value_name fallocate_rows[] = {
	{ FALLOC_FL_KEEP_SIZE, "KEEP_SIZE" }, { FALLOC_FL_PUNCH_HOLE, "PUNCH_HOLE" },
	{ FALLOC_FL_COLLAPSE_RANGE, "COLLAPSE_RANGE" }, { FALLOC_FL_ZERO_RANGE, "ZERO_RANGE" },
	{ FALLOC_FL_INSERT_RANGE, "INSERT_RANGE" }, { FALLOC_FL_UNSHARE_RANGE, "UNSHARE_RANGE" },
};
static const struct value_name fadvise_rows[] = {
	{ POSIX_FADV_NORMAL, "NORMAL" }, { POSIX_FADV_RANDOM, "RANDOM" },
	{ POSIX_FADV_SEQUENTIAL, "SEQUENTIAL" }, { POSIX_FADV_WILLNEED, "WILLNEED" },
	{ POSIX_FADV_DONTNEED, "DONTNEED" }, { POSIX_FADV_NOREUSE, "NOREUSE" },
};
static const struct value_name splice_rows[] = {
	{ SPLICE_F_MOVE, "MOVE" }, { SPLICE_F_NONBLOCK, "NONBLOCK" }, { SPLICE_F_MORE, "MORE" },
	{ SPLICE_F_GIFT, "GIFT" },
};
static const struct value_name statx_rows[] = {
	{ 0xfff, "ALL" }, { STATX_BASIC_STATS, "BASIC_STATS" }, { STATX_TYPE, "TYPE" },
	{ STATX_MODE, "MODE" }, { STATX_NLINK, "NLINK" }, { STATX_UID, "UID" },
	{ STATX_GID, "GID" }, { STATX_ATIME, "ATIME" }, { STATX_MTIME, "MTIME" },
	{ STATX_CTIME, "CTIME" }, { STATX_INO, "INO" }, { STATX_SIZE, "SIZE" },
	{ STATX_BLOCKS, "BLOCKS" }, { STATX_BTIME, "BTIME" }, { STATX_MNT_ID, "MNT_ID" },
	{ 0x2000, "DIOALIGN" }, { 0x4000, "MNT_ID_UNIQUE" },
};
static const struct value_name membarrier_rows[] = {
	{ MEMBARRIER_CMD_QUERY, "QUERY" }, { MEMBARRIER_CMD_GLOBAL, "GLOBAL" },
	{ MEMBARRIER_CMD_GLOBAL_EXPEDITED, "GLOBAL_EXPEDITED" },
	{ MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, "REGISTER_GLOBAL_EXPEDITED" },
	{ MEMBARRIER_CMD_PRIVATE_EXPEDITED, "PRIVATE_EXPEDITED" },
	{ MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, "REGISTER_PRIVATE_EXPEDITED" },
	{ MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, "PRIVATE_EXPEDITED_SYNC_CORE" },
	{ MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, "REGISTER_PRIVATE_EXPEDITED_SYNC_CORE" },
	{ MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, "PRIVATE_EXPEDITED_RSEQ" },
	{ MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, "REGISTER_PRIVATE_EXPEDITED_RSEQ" },
};
static const struct value_name rseq_rows[] = {
	{ 1, "UNREGISTER" },
};
/* Source: linux/mount.h */
static const struct value_name fsconfig_rows[] = {
	{ 0, "SET_FLAG" }, { 1, "SET_STRING" }, { 2, "SET_BINARY" }, { 3, "SET_PATH" }, { 4, "SET_PATH_EMPTY" },
	{ 5, "SET_FD" }, { 6, "CMD_CREATE" }, { 7, "CMD_RECONFIGURE" }, { 8, "CMD_CREATE_EXCL" },
};
static const struct value_name fsopen_rows[] = { { 1, "CLOEXEC" } };
static const struct value_name fsmount_rows[] = { { 1, "CLOEXEC" } };
static const struct value_name fspick_rows[] = {
	{ 1, "CLOEXEC" }, { 2, "SYMLINK_NOFOLLOW" }, { 4, "NO_AUTOMOUNT" }, { 8, "EMPTY_PATH" },
};
static const struct value_name mount_attr_rows[] = {
	{ 0x1, "RDONLY" }, { 0x2, "NOSUID" }, { 0x4, "NODEV" }, { 0x8, "NOEXEC" }, { 0x10, "NOATIME" },
	{ 0x20, "STRICTATIME" }, { 0x80, "NODIRATIME" }, { 0x100000, "IDMAP" }, { 0x200000, "NOSYMFOLLOW" },
};
static const struct value_name move_mount_rows[] = {
	{ 0x1, "F_SYMLINKS" }, { 0x2, "F_AUTOMOUNTS" }, { 0x4, "F_EMPTY_PATH" }, { 0x10, "T_SYMLINKS" },
	{ 0x20, "T_AUTOMOUNTS" }, { 0x40, "T_EMPTY_PATH" }, { 0x100, "SET_GROUP" }, { 0x200, "BENEATH" },
};
static const struct value_name open_tree_rows[] = {
	{ 1, "OPEN_TREE_CLONE" }, { O_CLOEXEC, "OPEN_TREE_CLOEXEC" }, { AT_RECURSIVE, "AT_RECURSIVE" },
	{ AT_SYMLINK_NOFOLLOW, "AT_SYMLINK_NOFOLLOW" }, { AT_NO_AUTOMOUNT, "AT_NO_AUTOMOUNT" },
	{ AT_EMPTY_PATH, "AT_EMPTY_PATH" },
};
static const struct value_name close_range_rows[] = { { 2, "UNSHARE" }, { 4, "CLOEXEC" } };
/* Source: linux/magic.h */
static const struct value_name fstype_rows[] = {
	{ 0xef53, "EXT2_SUPER_MAGIC" }, { 0x01021994, "TMPFS_MAGIC" }, { 0x9fa0, "PROC_SUPER_MAGIC" },
	{ 0x62656572, "SYSFS_MAGIC" }, { 0x794c7630, "OVERLAYFS_SUPER_MAGIC" }, { 0x9123683e, "BTRFS_SUPER_MAGIC" },
	{ 0x58465342, "XFS_SUPER_MAGIC" }, { 0x6969, "NFS_SUPER_MAGIC" }, { 0x63677270, "CGROUP2_SUPER_MAGIC" },
	{ 0x27e0eb, "CGROUP_SUPER_MAGIC" }, { 0x1cd1, "DEVPTS_SUPER_MAGIC" }, { 0x74726163, "TRACEFS_MAGIC" },
	{ 0x64626720, "DEBUGFS_MAGIC" }, { 0x958458f6, "HUGETLBFS_MAGIC" }, { 0x858458f6, "RAMFS_MAGIC" },
	{ 0x50495045, "PIPEFS_MAGIC" }, { 0x534f434b, "SOCKFS_MAGIC" }, { 0x73717368, "SQUASHFS_MAGIC" },
	{ 0x9660, "ISOFS_SUPER_MAGIC" }, { 0x4d44, "MSDOS_SUPER_MAGIC" }, { 0x65735546, "FUSE_SUPER_MAGIC" },
	{ 0x01021997, "V9FS_MAGIC" }, { 0xcafe4a11, "BPF_FS_MAGIC" }, { 0x73636673, "SECURITYFS_MAGIC" },
};
/* clang-format on */

#define VALUE_SET_DEFINE(name, prefix_, form_, one_of_) \
	const struct values values_##name = { \
		.prefix = prefix_, .form = form_, .one_of = one_of_, .rows = name##_rows, .n = ARRAY_SIZE(name##_rows) \
	};
VALUE_SETS(VALUE_SET_DEFINE)

static void add(const struct values *v, const char *name, bool prefix, bool *more, struct out *o)
{
	if (*more)
		out_char(o, '|');
	*more = true;
	if (prefix)
		out_str(o, v->prefix);
	out_str(o, name);
}

static const struct value_name *find(const struct values *v, uint64_t value)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].value == value)
			return &v->rows[i];
	return NULL;
}

static void print_flags(const struct values *v, uint64_t value, bool prefix, struct out *o)
{
	const struct value_name *one = find(v, value & v->one_of);
	uint64_t rest = value;
	bool more = false;

	/* 0 may have a name of its own (RDONLY). */
	if (one && (v->one_of || !value)) {
		add(v, one->name, prefix, &more, o);
		rest &= ~v->one_of;
	}
	for (size_t i = 0; i < v->n; i++) {
		uint64_t bits = v->rows[i].value;

		if (!bits || (bits & ~v->one_of) != bits || (rest & bits) != bits)
			continue;
		add(v, v->rows[i].name, prefix, &more, o);
		rest &= ~bits;
	}
	if (rest || !more) {
		if (more)
			out_char(o, '|');
		out_fmt(o, rest ? "0x%llx" : "%llx", (unsigned long long)rest);
	}
}

void values_print(const struct values *v, uint64_t value, bool prefix, struct out *o)
{
	const struct value_name *one;
	bool more = false;

	if (v->form == VALUES_FLAGS) {
		print_flags(v, value, prefix, o);
		return;
	}
	one = find(v, value);
	if (one)
		add(v, one->name, prefix, &more, o);
	else
		out_fmt(o, value ? "0x%llx" : "%llx", (unsigned long long)value);
}

bool values_has(const struct values *v, uint64_t value) { return find(v, value); }

bool values_number(const struct values *v, const char *name, uint64_t *value)
{
	size_t len = strlen(v->prefix);

	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->rows[i].name, name) ||
		    (!strncmp(v->prefix, name, len) && !strcmp(v->rows[i].name, name + len))) {
			*value = v->rows[i].value;
			return true;
		}
	return false;
}
