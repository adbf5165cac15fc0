#include "base/bytes.h"
#include "symbols/arch/arch_priv.h"

/* Register numbers: asm/perf_regs.h of x86. */
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8 = 16, R9, R10, R11, R12, R13, R14, R15 };

/*
 * Source: asm/perf_regs.h of x86. 32-bit programs use the first sixteen. Each XMM register has two numbers; both halves
 * have the same name.
 */
static const char *const regs[] = {
	"AX",    "BX",    "CX",    "DX",    "SI",          "DI",    "BP",    "SP",    "IP",    "FLAGS",
	"CS",    "SS",    "DS",    "ES",    "FS",          "GS",    "R8",    "R9",    "R10",   "R11",
	"R12",   "R13",   "R14",   "R15",   [32] = "XMM0", "XMM0",  "XMM1",  "XMM1",  "XMM2",  "XMM2",
	"XMM3",  "XMM3",  "XMM4",  "XMM4",  "XMM5",        "XMM5",  "XMM6",  "XMM6",  "XMM7",  "XMM7",
	"XMM8",  "XMM8",  "XMM9",  "XMM9",  "XMM10",       "XMM10", "XMM11", "XMM11", "XMM12", "XMM12",
	"XMM13", "XMM13", "XMM14", "XMM14", "XMM15",       "XMM15",
};
/* System V ABI, AMD64 supplement, "DWARF Register Number Mapping"; 16 is the return address. */
static const uint8_t from_dwarf[] = { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15, IP };

/* System V ABI, Intel386 supplement, "DWARF Register Number Mapping"; 8 is the return address. */
static const uint8_t from_dwarf_32[] = { AX, CX, DX, BX, SP, BP, SI, DI, IP };

/*
 * CALL rel32 (E8) and CALL r/m64 (FF /2) with each length that its operand can have. Source: Intel SDM, volume 2,
 * "CALL" and tables 2-2 and 2-3.
 */
static bool calls(const uint8_t *code, uint64_t ip, uint64_t *target)
{
	int32_t offset;

	if (code[3] == 0xe8) {
		memcpy(&offset, code + 4, sizeof(offset));
		*target = ip + (uint64_t)(int64_t)offset;
		return true;
	}
	for (unsigned len = 2; len <= 7; len++) {
		const uint8_t *at = code + 8 - len;
		uint8_t mod = at[1] >> 6, rm = at[1] & 7;
		bool has_sib = mod != 3 && rm == 4;
		uint8_t base = has_sib && len > 2 ? at[2] & 7 : 0;
		unsigned disp = mod == 1 ? 1 : mod == 2 || (!mod && (rm == 5 || (has_sib && base == 5))) ? 4 : 0;

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 && len == 2 + has_sib + disp)
			return true;
	}
	return false;
}

/* Decode "jmp *disp32(%rip)", with optional endbr64 and bnd prefix. */
static bool plt_slot(const uint8_t *code, size_t len, uint64_t address, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;

	if (len >= 4 && !memcmp(code, endbr64, 4))
		at = 4;
	if (at < len && code[at] == 0xf2)
		at++;
	if (len - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*slot = address + at + 6 + (uint64_t)(int64_t)(int32_t)load_u32(code + at + 2);
	return true;
}

static const char x86_64_syscalls[] =
	"read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction "
	"rt_sigprocmask rt_sigreturn ioctl pread64 pwrite64 readv writev access pipe select sched_yield "
	"mremap msync mincore madvise shmget shmat shmctl dup dup2 pause nanosleep getitimer alarm setitimer "
	"getpid sendfile socket connect accept sendto recvfrom sendmsg recvmsg shutdown bind listen "
	"getsockname getpeername socketpair setsockopt getsockopt clone fork vfork execve exit wait4 kill "
	"uname semget semop semctl shmdt msgget msgsnd msgrcv msgctl fcntl flock fsync fdatasync truncate "
	"ftruncate getdents getcwd chdir fchdir rename mkdir rmdir creat link unlink symlink readlink chmod "
	"fchmod chown fchown lchown umask gettimeofday getrlimit getrusage sysinfo times ptrace getuid syslog "
	"getgid setuid setgid geteuid getegid setpgid getppid getpgrp setsid setreuid setregid getgroups "
	"setgroups setresuid getresuid setresgid getresgid getpgid setfsuid setfsgid getsid capget capset "
	"rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack utime mknod uselib "
	"personality ustat statfs fstatfs sysfs getpriority setpriority sched_setparam sched_getparam "
	"sched_setscheduler sched_getscheduler sched_get_priority_max sched_get_priority_min "
	"sched_rr_get_interval mlock munlock mlockall munlockall vhangup modify_ldt pivot_root _sysctl prctl "
	"arch_prctl adjtimex setrlimit chroot sync acct settimeofday mount umount2 swapon swapoff reboot "
	"sethostname setdomainname iopl ioperm create_module init_module delete_module get_kernel_syms "
	"query_module quotactl nfsservctl getpmsg putpmsg afs_syscall tuxcall security gettid readahead "
	"setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr "
	"removexattr lremovexattr fremovexattr tkill time futex sched_setaffinity sched_getaffinity "
	"set_thread_area io_setup io_destroy io_getevents io_submit io_cancel get_thread_area lookup_dcookie "
	"epoll_create epoll_ctl_old epoll_wait_old remap_file_pages getdents64 set_tid_address "
	"restart_syscall semtimedop fadvise64 timer_create timer_settime timer_gettime timer_getoverrun "
	"timer_delete clock_settime clock_gettime clock_getres clock_nanosleep exit_group epoll_wait "
	"epoll_ctl tgkill utimes vserver mbind set_mempolicy get_mempolicy mq_open mq_unlink mq_timedsend "
	"mq_timedreceive mq_notify mq_getsetattr kexec_load waitid add_key request_key keyctl ioprio_set "
	"ioprio_get inotify_init inotify_add_watch inotify_rm_watch migrate_pages openat mkdirat mknodat "
	"fchownat futimesat newfstatat unlinkat renameat linkat symlinkat readlinkat fchmodat faccessat "
	"pselect6 ppoll unshare set_robust_list get_robust_list splice tee sync_file_range vmsplice "
	"move_pages utimensat epoll_pwait signalfd timerfd_create eventfd fallocate timerfd_settime "
	"timerfd_gettime accept4 signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev "
	"rt_tgsigqueueinfo perf_event_open recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at "
	"open_by_handle_at clock_adjtime syncfs sendmmsg setns getcpu process_vm_readv process_vm_writev kcmp "
	"finit_module sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create kexec_file_load "
	"bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc "
	"pkey_free statx io_pgetevents rseq uretprobe uprobe";

static const char i386_syscalls[] =
	"restart_syscall exit fork read write open close waitpid creat link unlink execve chdir time mknod "
	"chmod lchown break oldstat lseek getpid mount umount setuid getuid stime ptrace alarm oldfstat pause "
	"utime stty gtty access nice ftime sync kill rename mkdir rmdir dup pipe times prof brk setgid getgid "
	"signal geteuid getegid acct umount2 lock ioctl fcntl mpx setpgid ulimit oldolduname umask chroot "
	"ustat dup2 getppid getpgrp setsid sigaction sgetmask ssetmask setreuid setregid sigsuspend "
	"sigpending sethostname setrlimit getrlimit getrusage gettimeofday settimeofday getgroups setgroups "
	"select symlink oldlstat readlink uselib swapon reboot readdir mmap munmap truncate ftruncate fchmod "
	"fchown getpriority setpriority profil statfs fstatfs ioperm socketcall syslog setitimer getitimer "
	"stat lstat fstat olduname iopl vhangup idle vm86old wait4 swapoff sysinfo ipc fsync sigreturn clone "
	"setdomainname uname modify_ldt adjtimex mprotect sigprocmask create_module init_module delete_module "
	"get_kernel_syms quotactl getpgid fchdir bdflush sysfs personality afs_syscall setfsuid setfsgid "
	"_llseek getdents _newselect flock msync readv writev getsid fdatasync _sysctl mlock munlock mlockall "
	"munlockall sched_setparam sched_getparam sched_setscheduler sched_getscheduler sched_yield "
	"sched_get_priority_max sched_get_priority_min sched_rr_get_interval nanosleep mremap setresuid "
	"getresuid vm86 query_module poll nfsservctl setresgid getresgid prctl rt_sigreturn rt_sigaction "
	"rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend pread64 pwrite64 chown "
	"getcwd capget capset sigaltstack sendfile getpmsg putpmsg vfork ugetrlimit mmap2 truncate64 "
	"ftruncate64 stat64 lstat64 fstat64 lchown32 getuid32 getgid32 geteuid32 getegid32 setreuid32 "
	"setregid32 getgroups32 setgroups32 fchown32 setresuid32 getresuid32 setresgid32 getresgid32 chown32 "
	"setuid32 setgid32 setfsuid32 setfsgid32 pivot_root mincore madvise getdents64 fcntl64 - - gettid "
	"readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr "
	"removexattr lremovexattr fremovexattr tkill sendfile64 futex sched_setaffinity sched_getaffinity "
	"set_thread_area get_thread_area io_setup io_destroy io_getevents io_submit io_cancel fadvise64 - "
	"exit_group lookup_dcookie epoll_create epoll_ctl epoll_wait remap_file_pages set_tid_address "
	"timer_create timer_settime timer_gettime timer_getoverrun timer_delete clock_settime clock_gettime "
	"clock_getres clock_nanosleep statfs64 fstatfs64 tgkill utimes fadvise64_64 vserver mbind "
	"get_mempolicy set_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr "
	"kexec_load waitid - add_key request_key keyctl ioprio_set ioprio_get inotify_init inotify_add_watch "
	"inotify_rm_watch migrate_pages openat mkdirat mknodat fchownat futimesat fstatat64 unlinkat renameat "
	"linkat symlinkat readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list "
	"get_robust_list splice sync_file_range tee vmsplice move_pages getcpu epoll_pwait utimensat signalfd "
	"timerfd_create eventfd fallocate timerfd_settime timerfd_gettime signalfd4 eventfd2 epoll_create1 "
	"dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo perf_event_open recvmmsg fanotify_init "
	"fanotify_mark prlimit64 name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg setns "
	"process_vm_readv process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp "
	"getrandom memfd_create bpf execveat socket socketpair bind connect listen accept4 getsockopt "
	"setsockopt getsockname getpeername sendto sendmsg recvfrom recvmsg shutdown userfaultfd membarrier "
	"mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx arch_prctl "
	"io_pgetevents rseq - - - - - - semget semctl shmget shmctl shmat shmdt msgget msgsnd msgrcv msgctl "
	"clock_gettime64 clock_settime64 clock_adjtime64 clock_getres_time64 clock_nanosleep_time64 "
	"timer_gettime64 timer_settime64 timerfd_gettime64 timerfd_settime64 utimensat_time64 pselect6_time64 "
	"ppoll_time64 - io_pgetevents_time64 recvmmsg_time64 mq_timedsend_time64 mq_timedreceive_time64 "
	"semtimedop_time64 rt_sigtimedwait_time64 futex_time64 sched_rr_get_interval_time64";

/* What 32 and 64 bits have in common. */
#define X86 \
	.regs = regs, .n_regs = ARRAY_SIZE(regs), .ip = IP, .sp = SP, .fp = BP, .sp_is_cfa = true, .fp_chain = true, \
	.stage_cycles = true

const struct arch arch_x86 = {
	.machines = NAMES("i386", "i486", "i586", "i686", "x86"),
	.elf_machine = EM_386,
	.word = 4,
#ifdef __i386__
	.native = true,
#endif
	.user_regs = 0xfff,
	.n_dwarf = ARRAY_SIZE(from_dwarf_32),
	.from_dwarf = from_dwarf_32,
	.ret_at_cfa = -4,
	.probe_regs = NAMES("%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di"),
	.probe_args = NAMES("%ax", "%dx", "%cx"),
	.syscalls = i386_syscalls,
	.call_loses = 7, /* 0 to 2: System V ABI, Intel386 supplement, table 2.3 */
	X86,
};
const struct arch arch_x86_64 = {
	.machines = NAMES("x86_64", "amd64"),
	.elf_machine = EM_X86_64,
	.word = 8,
#ifdef __x86_64__
	.native = true,
#endif
	.user_regs = 0xff0fff, /* AX..SS without DS ES FS GS, R8..R15 */
	.n_dwarf = ARRAY_SIZE(from_dwarf),
	.from_dwarf = from_dwarf,
	.ret_at_cfa = -8,
	.calls = calls,
	.reloc_64 = R_X86_64_64,
	.reloc_32 = { R_X86_64_32, R_X86_64_32S },
	.probe_regs = NAMES("%ax", "%dx", "%cx", "%bx", "%si", "%di", "%bp", "%sp", "%r8", "%r9", "%r10", "%r11",
			    "%r12", "%r13", "%r14", "%r15"),
	.probe_args = NAMES("%di", "%si", "%dx", "%cx", "%r8", "%r9"),
	.probe_more = NAMES("%ip", "%flags", "%cs", "%ss", "%orig_ax"),
	.probe_hint = "the kernel calls them %ax %bx %cx %dx %si %di %bp %sp %r8 to %r15",
	.args_on_stack = true,
	.syscalls = x86_64_syscalls,
	.syscall_at = 120,
	.syscall_size = 8,
	.plt_slot = plt_slot,
	.abi_32 = &arch_x86,
	.call_loses = 0xf37, /* 0 to 2, 4, 5, 8 to 11: System V ABI, figure 3.4 */
	X86,
};
