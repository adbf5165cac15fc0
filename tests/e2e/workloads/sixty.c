/*
 * The commonest system calls with arguments that are worth reading, once each: what strace and strobe print of them is
 * compared. For tests/e2e/trace_calls.sh.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define call(...) (void)!(__VA_ARGS__)

static char buf[4096];
static int null, pair[2];

static void files(void)
{
	struct stat st;
	struct statfs fs;
	struct timespec times[2] = { { 1, 2 }, { 3, 4 } };
	struct iovec vec[2] = { { buf, 3 }, { buf + 100, 4 } };

	null = open("/dev/null", O_RDWR | O_CLOEXEC | O_APPEND);
	call(open("made.file", O_RDWR | O_CREAT | O_TRUNC, 0640));
	call(read(null, buf, 100));
	call(write(null, "some words", 10));
	call(pread(null, buf, 100, 4096));
	call(pwrite(null, "more", 4, 8192));
	call(readv(null, vec, 2));
	call(writev(null, vec, 2));
	call(syscall(SYS_access, "/etc/passwd", R_OK | W_OK));
	call(faccessat(AT_FDCWD, "/etc/group", X_OK, AT_EACCESS));
	call(syscall(SYS_newfstatat, AT_FDCWD, "/etc", &st, AT_SYMLINK_NOFOLLOW));
	call(syscall(SYS_fstat, null, &st));
	call(syscall(SYS_stat, "/etc/hosts", &st));
	call(syscall(SYS_lstat, "/etc/mtab", &st));
	call(syscall(SYS_statx, AT_FDCWD, "/etc", AT_STATX_DONT_SYNC, STATX_MODE | STATX_SIZE, buf));
	call(statfs("/", &fs));
	call(lseek(null, 77, SEEK_END));
	call(readlink("/proc/self/exe", buf, sizeof(buf)));
	call(getcwd(buf, sizeof(buf)));
	call(chdir("."));
	call(mkdir("made.dir", 0750));
	call(rename("made.dir", "made.dir2"));
	call(rmdir("made.dir2"));
	call(symlink("to", "made.link"));
	call(link("made.file", "made.hard"));
	call(unlink("made.link"));
	call(unlinkat(AT_FDCWD, "made.nothing", AT_REMOVEDIR));
	call(chmod("made.file", 0600));
	call(fchmod(null, 0666));
	call(chown("made.file", 0, 0));
	call(truncate("made.file", 100));
	call(ftruncate(null, 100));
	call(fallocate(null, FALLOC_FL_KEEP_SIZE, 0, 10));
	call(utimensat(AT_FDCWD, "made.file", times, 0));
	call(umask(022));
	call(dup(null));
	call(dup2(null, 40));
	call(dup3(null, 41, O_CLOEXEC));
	call(fcntl(null, F_GETFL));
	call(fcntl(null, F_SETFD, FD_CLOEXEC));
	call(fcntl(null, F_DUPFD_CLOEXEC, 50));
	call(flock(null, LOCK_EX | LOCK_NB));
	call(fsync(null));
	call(fdatasync(null));
	call(posix_fadvise(null, 0, 0, POSIX_FADV_SEQUENTIAL));
	call(sendfile(null, null, NULL, 10));
	call(syscall(SYS_getdents64, null, buf, 100));
	call(ioctl(null, TCGETS, buf));
	call(ioctl(null, FIONREAD, buf));
}

static void sockets(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(77), .sin_addr.s_addr = htonl(0x7f000009) };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/nonexist/sock" };
	struct pollfd fds[2] = { { 0, POLLIN, 0 }, { 1, POLLOUT | POLLPRI, 0 } };
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct timespec time = { 0, 1000 };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP), e, one = 1;
	socklen_t len = sizeof(one);

	call(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	call(getsockopt(s, SOL_SOCKET, SO_ERROR, &one, &len));
	call(connect(s, (struct sockaddr *)&in, sizeof(in)));
	call(bind(s, (struct sockaddr *)&in, sizeof(in)));
	call(sendto(s, "ping", 4, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&in, sizeof(in)));
	call(recvfrom(s, buf, 10, MSG_DONTWAIT, NULL, NULL));
	call(shutdown(s, SHUT_RDWR));
	call(listen(s, 5));
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	call(connect(s, (struct sockaddr *)&un, sizeof(un)));
	call(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	call(accept4(s, NULL, NULL, SOCK_CLOEXEC));
	call(pipe2(pair, O_CLOEXEC | O_NONBLOCK));
	call(poll(fds, 2, 0));
	call(ppoll(fds, 2, &time, NULL));
	e = epoll_create1(EPOLL_CLOEXEC);
	call(epoll_ctl(e, EPOLL_CTL_ADD, pair[0], &event));
	call(epoll_wait(e, &event, 1, 0));
	call(eventfd(3, EFD_CLOEXEC | EFD_NONBLOCK));
	call(inotify_init1(IN_CLOEXEC));
}

static void memory_and_time(void)
{
	struct rlimit limit = { 100, RLIM_INFINITY };
	struct itimerspec its = { { 1, 0 }, { 2, 5 } };
	struct itimerval itv = { { 0, 0 }, { 100, 0 } };
	struct timespec time = { 0, 1000 };
	char *p = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	call(mprotect(p, 4096, PROT_READ));
	call(madvise(p, 8192, MADV_DONTNEED));
	call(msync(p, 4096, MS_SYNC) == 0);
	p = mremap(p, 16384, 8192, MREMAP_MAYMOVE);
	call(munmap(p, 8192));
	call(timerfd_settime(fd, TFD_TIMER_ABSTIME, &its, NULL));
	call(setitimer(ITIMER_REAL, &itv, NULL));
	call(syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time));
	call(nanosleep(&(struct timespec){ 0, 1000 }, NULL));
	call(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){ 5, 0 }, NULL));
	call(setrlimit(RLIMIT_CORE, &limit));
	call(getrlimit(RLIMIT_NOFILE, &limit));
	call(syscall(SYS_getrusage, RUSAGE_CHILDREN, buf));
	call(getrandom(buf, 8, GRND_NONBLOCK));
	call(syscall(SYS_memfd_create, "some name", 1u));
}

static void tasks(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN, .sa_flags = SA_RESTART };
	struct sched_param param = { 0 };
	struct utsname name;
	sigset_t set;

	sigaction(SIGUSR1, &ignore, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigprocmask(SIG_SETMASK, NULL, &set);
	call(kill(getpid(), SIGUSR1));
	call(sched_setscheduler(0, SCHED_BATCH, &param));
	call(sched_yield());
	call(prctl(PR_SET_NAME, "sixty"));
	call(uname(&name));
	call(getuid());
	call(setsid());
	call(getpgid(0));
	call(wait4(-1, NULL, WNOHANG, NULL));
	call(syscall(SYS_futex, buf, 129, 1, NULL, NULL, 0));
	call(close(null));
	call(close(-7));
}

int main(void)
{
	files();
	sockets();
	memory_and_time();
	tasks();
	return 0;
}
