#include "symbols/arch/arch_priv.h"

/* Register numbers: asm/perf_regs.h of arm64. */
static const char *const regs[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",        "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",       "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",  [46] = "vg",
};
/*
 * DWARF for the Arm 64-bit Architecture, "DWARF register names": X0 to X30, SP, PC have the
 * kernel's numbers.
 */
static const uint8_t from_dwarf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};

static const char syscalls[] =
	"io_setup io_destroy io_submit io_cancel io_getevents setxattr lsetxattr fsetxattr getxattr lgetxattr "
	"fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr getcwd "
	"lookup_dcookie eventfd2 epoll_create1 epoll_ctl epoll_pwait dup dup3 fcntl inotify_init1 "
	"inotify_add_watch inotify_rm_watch ioctl ioprio_set ioprio_get flock mknodat mkdirat unlinkat "
	"symlinkat linkat renameat umount2 mount pivot_root nfsservctl statfs fstatfs truncate ftruncate "
	"fallocate faccessat chdir fchdir chroot fchmod fchmodat fchownat fchown openat close vhangup pipe2 "
	"quotactl getdents64 lseek read write readv writev pread64 pwrite64 preadv pwritev sendfile pselect6 "
	"ppoll signalfd4 vmsplice splice tee readlinkat newfstatat fstat sync fsync fdatasync "
	"sync_file_range2 timerfd_create timerfd_settime timerfd_gettime utimensat acct capget capset "
	"personality exit exit_group waitid set_tid_address unshare futex set_robust_list get_robust_list "
	"nanosleep getitimer setitimer kexec_load init_module delete_module timer_create timer_gettime "
	"timer_getoverrun timer_settime timer_delete clock_settime clock_gettime clock_getres clock_nanosleep "
	"syslog ptrace sched_setparam sched_setscheduler sched_getscheduler sched_getparam sched_setaffinity "
	"sched_getaffinity sched_yield sched_get_priority_max sched_get_priority_min sched_rr_get_interval "
	"restart_syscall kill tkill tgkill sigaltstack rt_sigsuspend rt_sigaction rt_sigprocmask "
	"rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigreturn setpriority getpriority reboot setregid "
	"setgid setreuid setuid setresuid getresuid setresgid getresgid setfsuid setfsgid times setpgid "
	"getpgid getsid setsid getgroups setgroups uname sethostname setdomainname getrlimit setrlimit "
	"getrusage umask prctl getcpu gettimeofday settimeofday adjtimex getpid getppid getuid geteuid getgid "
	"getegid gettid sysinfo mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr msgget "
	"msgctl msgrcv msgsnd semget semctl semtimedop semop shmget shmctl shmat shmdt socket socketpair bind "
	"listen accept connect getsockname getpeername sendto recvfrom setsockopt getsockopt shutdown sendmsg "
	"recvmsg readahead brk munmap mremap add_key request_key keyctl clone execve mmap fadvise64 swapon "
	"swapoff mprotect msync mlock munlock mlockall munlockall mincore madvise remap_file_pages mbind "
	"get_mempolicy set_mempolicy migrate_pages move_pages rt_tgsigqueueinfo perf_event_open accept4 "
	"recvmmsg - - - - - - - - - - - - - - - - wait4 prlimit64 fanotify_init fanotify_mark "
	"name_to_handle_at open_by_handle_at clock_adjtime syncfs setns sendmmsg process_vm_readv "
	"process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp getrandom "
	"memfd_create bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 "
	"pkey_mprotect pkey_alloc pkey_free statx io_pgetevents rseq kexec_file_load - - - - - - - - - - - - "
	"- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
	"- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
	"clock_gettime64 clock_settime64 clock_adjtime64 clock_getres_time64 clock_nanosleep_time64 "
	"timer_gettime64 timer_settime64 timerfd_gettime64 timerfd_settime64 utimensat_time64 pselect6_time64 "
	"ppoll_time64 - io_pgetevents_time64 recvmmsg_time64 mq_timedsend_time64 mq_timedreceive_time64 "
	"semtimedop_time64 rt_sigtimedwait_time64 futex_time64 sched_rr_get_interval_time64";

const struct arch arch_aarch64 = {
	.machines = NAMES("aarch64*", "arm64*"),
	.elf_machine = EM_AARCH64,
	.word = 8,
#ifdef __aarch64__
	.native = true,
#endif
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
	.user_regs = 0x1ffffffff, /* X0..X28, X29, LR, SP, PC */
	.n_dwarf = ARRAY_SIZE(from_dwarf),
	.from_dwarf = from_dwarf,
	.ip = 32,
	.sp = 31,
	.fp = 29,
	.link = 30,
	.sp_is_cfa = true,
	.fp_chain = true,
	.signs_return = true,
	/*
	 * mov x8, #139; svc #0. Behind 128 bytes of siginfo and 176 of ucontext, struct sigcontext begins with an
	 * address. Source: arch/arm64/kernel/vdso/sigreturn.S of the kernel; asm/ucontext.h, asm/sigcontext.h of arm64.
	 */
	.sigreturn = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 },
	.sigreturn_regs = 128 + 176 + 8,
	.reloc_64 = R_AARCH64_ABS64,
	.reloc_32 = { R_AARCH64_ABS32 },
	.mark_letters = "dx",
	.plt_stub_least = 16,
	.probe_regs = NAMES("%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7", "%x8", "%x9", "%x10", "%x11",
			    "%x12", "%x13", "%x14", "%x15", "%x16", "%x17", "%x18", "%x19", "%x20", "%x21", "%x22",
			    "%x23", "%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%x30", "%sp"),
	.probe_args = NAMES("%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7"),
	.args_on_stack = true,
	.syscalls = syscalls,
	.syscall_at = 280,
	.syscall_size = 4,
	.names_peers = true,
};
