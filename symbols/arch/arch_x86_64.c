#include "base/bytes.h"
#include "symbols/arch/arch_priv.h"

/* Register numbers: see arch_x86_regs. */
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, FLAGS, R8 = 16, R9, R10, R11, R12, R13, R14, R15, NONE = ARCH_NO_REG };

/* System V ABI, AMD64 supplement, "DWARF Register Number Mapping"; 16 is the return address. */
static const uint8_t from_dwarf[] = { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15, IP };

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

static const char syscalls[] =
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

const struct arch arch_x86_64 = {
	.machines = NAMES("x86_64", "amd64"),
	.elf_machine = EM_X86_64,
	.word = 8,
#ifdef __x86_64__
	.native = true,
#endif
	.regs = arch_x86_regs,
	.n_regs = ARCH_X86_REGS,
	.user_regs = 0xff0fff, /* AX..SS without DS ES FS GS, R8..R15 */
	.n_dwarf = ARRAY_SIZE(from_dwarf),
	.from_dwarf = from_dwarf,
	.ip = IP,
	.sp = SP,
	.fp = BP,
	.sp_is_cfa = true,
	.fp_chain = true,
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
	.syscalls = syscalls,
	.syscall_at = 120,
	.syscall_size = 8,
	.plt_slot = plt_slot,
	.abi_32 = &arch_x86,
	.call_loses = 0xf37, /* 0 to 2, 4, 5, 8 to 11: System V ABI, figure 3.4 */
	.stage_cycles = true,
};
