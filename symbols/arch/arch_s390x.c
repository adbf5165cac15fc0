#include "symbols/arch/arch_priv.h"

/*
 * Register numbers: asm/perf_regs.h of s390: 0-15 general, 16-31 floating point, then the two
 * halves of the PSW.
 */
static const char *const regs[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};
/*
 * ELF ABI supplement for z/Architecture, "DWARF Register Number Mapping". Leaf functions save
 * general registers in floating point registers.
 */
static const uint8_t from_dwarf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 18, 20, 22, 17, 19, 21, 23, 24, 26, 28, 30, 25, 27, 29, 31,
};

static const char syscalls[] =
	"exit fork read write open close restart_syscall creat link unlink execve chdir - mknod chmod - - - "
	"lseek getpid mount umount - - - ptrace alarm - pause utime - - access nice - sync kill rename mkdir "
	"rmdir dup pipe times - brk - - signal - - acct umount2 - ioctl fcntl - setpgid - - umask chroot "
	"ustat dup2 getppid getpgrp setsid sigaction - - - - sigsuspend sigpending sethostname setrlimit - "
	"getrusage gettimeofday settimeofday - - - symlink - readlink uselib swapon reboot readdir mmap "
	"munmap truncate ftruncate fchmod - getpriority setpriority - statfs fstatfs - socketcall syslog "
	"setitimer getitimer stat lstat fstat - iopl vhangup idle - wait4 swapoff sysinfo ipc fsync sigreturn "
	"clone setdomainname uname - adjtimex mprotect sigprocmask create_module init_module delete_module "
	"get_kernel_syms quotactl getpgid fchdir bdflush sysfs personality afs_syscall - - - getdents select "
	"flock msync readv writev getsid fdatasync _sysctl mlock munlock mlockall munlockall sched_setparam "
	"sched_getparam sched_setscheduler sched_getscheduler sched_yield sched_get_priority_max "
	"sched_get_priority_min sched_rr_get_interval nanosleep mremap - - - query_module poll nfsservctl - - "
	"prctl rt_sigreturn rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo "
	"rt_sigsuspend pread64 pwrite64 - getcwd capget capset sigaltstack sendfile getpmsg putpmsg vfork "
	"getrlimit - - - - - - lchown getuid getgid geteuid getegid setreuid setregid getgroups setgroups "
	"fchown setresuid getresuid setresgid getresgid chown setuid setgid setfsuid setfsgid pivot_root "
	"mincore madvise getdents64 - readahead - setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr "
	"listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr gettid tkill futex "
	"sched_setaffinity sched_getaffinity tgkill - io_setup io_destroy io_getevents io_submit io_cancel "
	"exit_group epoll_create epoll_ctl epoll_wait set_tid_address fadvise64 timer_create timer_settime "
	"timer_gettime timer_getoverrun timer_delete clock_settime clock_gettime clock_getres clock_nanosleep "
	"- - statfs64 fstatfs64 remap_file_pages mbind get_mempolicy set_mempolicy mq_open mq_unlink "
	"mq_timedsend mq_timedreceive mq_notify mq_getsetattr kexec_load add_key request_key keyctl waitid "
	"ioprio_set ioprio_get inotify_init inotify_add_watch inotify_rm_watch migrate_pages openat mkdirat "
	"mknodat fchownat futimesat newfstatat unlinkat renameat linkat symlinkat readlinkat fchmodat "
	"faccessat pselect6 ppoll unshare set_robust_list get_robust_list splice sync_file_range tee vmsplice "
	"move_pages getcpu epoll_pwait utimes fallocate utimensat signalfd timerfd eventfd timerfd_create "
	"timerfd_settime timerfd_gettime signalfd4 eventfd2 inotify_init1 pipe2 dup3 epoll_create1 preadv "
	"pwritev rt_tgsigqueueinfo perf_event_open fanotify_init fanotify_mark prlimit64 name_to_handle_at "
	"open_by_handle_at clock_adjtime syncfs setns process_vm_readv process_vm_writev s390_runtime_instr "
	"kcmp finit_module sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create bpf "
	"s390_pci_mmio_write s390_pci_mmio_read execveat userfaultfd membarrier recvmmsg sendmmsg socket "
	"socketpair bind connect listen accept4 getsockopt setsockopt getsockname getpeername sendto sendmsg "
	"recvfrom recvmsg shutdown mlock2 copy_file_range preadv2 pwritev2 s390_guarded_storage statx "
	"s390_sthyi kexec_file_load io_pgetevents rseq pkey_mprotect pkey_alloc pkey_free - - - - - "
	"semtimedop semget semctl shmget shmctl shmat shmdt msgget msgsnd msgrcv msgctl";

const struct arch arch_s390x = {
	.machines = NAMES("s390x"),
	.elf_machine = EM_S390,
	.word = 8,
	.big_endian = true,
#ifdef __s390x__
	.native = true,
#endif
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
	.n_dwarf = ARRAY_SIZE(from_dwarf),
	.from_dwarf = from_dwarf,
	.ip = 33,
	.sp = 15,
	.fp = 11,
	.reloc_64 = R_390_64,
	.reloc_32 = { R_390_32 },
	.probe_regs = NAMES("%r0", "%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7", "%r8", "%r9", "%r10", "%r11",
			    "%r12", "%r13", "%r14", "%r15"),
	.probe_args = NAMES("%r2", "%r3", "%r4", "%r5", "%r6"),
	.syscalls = syscalls,
	.first_syscall = 1,
};
/* Addresses of 31 bits. */
const struct arch arch_s390 = { .machines = NAMES("s390"), .elf_machine = EM_S390, .word = 4, .big_endian = true };
