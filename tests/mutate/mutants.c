/*
 * mutants [OPTIONS] STROBE FILE...: run commands of the binary on damaged copies of the files and
 * judge how they end.
 *
 *	-s SEED -n MUTANTS	which mutants; -f NUMBER: the first one (0)
 *	-g			use each file once as it is, instead of mutants
 *	-t SECONDS		start no mutant after this time
 *	-j JOBS			run so many at once (number of CPUs)
 *	-k DIR			keep failing mutants here
 *	-a			the binary has sanitizers: more time, no memory limit
 *	-c "COMMAND"		instead of the default commands; may be repeated.
 *				"@" stands for the file, which is given with -i otherwise
 *	-e RECORDING=PATH	FILEs are ELF files that replace PATH under --symfs while
 *				RECORDING is read
 *
 * A run is a finding when a signal kills it, it takes more than 2 s of CPU time (10 with
 * sanitizers) or hangs, takes more than 64 MB + 8 times the file, writes without end, fails without
 * a message, prints nothing at all, or lets control bytes through. Each finding is one line with
 * all that is needed to repeat it. Exit status 1 if there were any.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "base/file.h"
#include "base/width.h"
#include "tests/mutate/mutate.h"

enum { MAX_COMMANDS = 32, MAX_WORDS = 24, MAX_SHOWN = 60 };

struct command {
	const char *text;
	char *words[MAX_WORDS];
	int n_words;
	bool may_be_silent;
};

/* Shared by the jobs. */
struct tally {
	unsigned mutants, runs, findings, ended_ok, refused;
	long max_kb;
	double max_cpu;
};

struct setup {
	const char *strobe, *keep, *recording, *symfs_path;
	uint64_t seed, first, count;
	double seconds;
	int jobs;
	bool sanitized, as_they_are;
	struct command commands[MAX_COMMANDS];
	int n_commands;
	char **files;
	int n_files;
	char dir[64];
	struct tally *tally;
	double start;
	struct arena arena;
};

struct job {
	const struct setup *s;
	char mutant[128], symfs[96];
	int out, err;
	uint64_t number;
	const char *file, *what;
	size_t len;
};

static const char *const usual[] = {
	"report --stdio", "report --stdio -g caller --children",
	"script",         "script -D",
	"evlist -v",      "report --header-only",
	"report --stats", "buildid-list",
};
static const char *const usual_elf[] = {
	"report --stdio",
	"script -F +srcline,+symoff",
	"report --stdio -s symbol,srcline",
	"script --no-inline",
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void add_command(struct setup *s, const char *text)
{
	struct command *c = &s->commands[s->n_commands];
	char *save = NULL, *copy = arena_strdup(&s->arena, text);

	if (s->n_commands == MAX_COMMANDS) {
		fprintf(stderr, "mutants: too many commands\n");
		exit(129);
	}
	s->n_commands++;
	c->text = text;
	for (char *w = strtok_r(copy, " ", &save); w && c->n_words < MAX_WORDS - 6; w = strtok_r(NULL, " ", &save))
		c->words[c->n_words++] = w;
	c->may_be_silent = c->n_words && (!strcmp(c->words[0], "buildid-list") || !strcmp(c->words[0], "inject") ||
					  !strcmp(c->words[0], "collapse"));
}

static void add_usual(struct setup *s)
{
	if (s->n_commands)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(usual) && !s->recording; i++)
		add_command(s, usual[i]);
	for (size_t i = 0; i < ARRAY_SIZE(usual_elf) && s->recording; i++)
		add_command(s, usual_elf[i]);
}

static void run_child(const struct job *j, const struct command *c)
{
	const char *argv[MAX_WORDS + 2] = { j->s->strobe }, *file = j->s->recording ? j->s->recording : j->mutant;
	struct rlimit as = { 8ull << 30, 8ull << 30 }, size = { 512u << 20, 512u << 20 }, core = { 0, 0 };
	int n = 1, null = open("/dev/null", O_RDONLY);
	bool named = false;

	for (int i = 0; i < c->n_words; i++) {
		bool here = !strcmp(c->words[i], "@");

		argv[n++] = here ? file : c->words[i];
		named |= here;
	}
	if (!named)
		argv[n++] = "-i", argv[n++] = file;
	if (j->s->recording)
		argv[n++] = "--symfs", argv[n++] = j->symfs;
	argv[n] = NULL;
	if (!j->s->sanitized)
		setrlimit(RLIMIT_AS, &as);
	setrlimit(RLIMIT_FSIZE, &size);
	setrlimit(RLIMIT_CORE, &core);
	dup2(null, 0);
	dup2(j->out, 1);
	dup2(j->err, 2);
	execv(j->s->strobe, (char **)argv);
	_exit(125);
}

/* Wait for the child and return its status; -1 if it did not end in time and was killed. */
static int wait_child(pid_t pid, int limit_ms, struct rusage *usage)
{
	int status, fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool late = fd >= 0 && poll(&p, 1, limit_ms) == 0;

	if (late)
		kill(pid, SIGKILL);
	while (wait4(pid, &status, 0, usage) < 0 && errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
	return late ? -1 : status;
}

static bool clean_text(const char *p, size_t len)
{
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)p[i];
		uint32_t code;
		size_t n;

		if (c < 0x80) {
			if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
				return false;
			i++;
			continue;
		}
		n = utf8_decode(p + i, len - i, &code);
		if (!n || (code >= 0x80 && code < 0xa0))
			return false;
		i += n;
	}
	return true;
}

/* Return NULL, or what is wrong with the text. */
static const char *judge_text(int fd, size_t len)
{
	static const char *const bad[] = { "ERROR: AddressSanitizer", "runtime error:", "ERROR: LeakSanitizer",
					   "stack smashing",          "malloc(): ",     "free(): " };
	const char *p, *found = NULL;

	if (!len)
		return NULL;
	p = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return "output that cannot be read";
	for (size_t i = 0; i < ARRAY_SIZE(bad) && !found; i++)
		if (memmem(p, least(len, (size_t)65536), bad[i], strlen(bad[i])))
			found = bad[i];
	if (!found && !clean_text(p, len))
		found = "control bytes or invalid UTF-8 in its output";
	munmap((void *)p, len);
	return found;
}

static size_t written(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? 0 : (size_t)st.st_size;
}

static const char *judge(const struct job *j, const struct command *c, int status, const struct rusage *u, char *buf,
			 size_t size)
{
	double cpu = (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
		     (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
	size_t out = written(j->out), err = written(j->err);
	const char *text = judge_text(j->err, err);
	long limit_kb = 65536 + (long)(8 * j->len / 1024);

	if (u->ru_maxrss > j->s->tally->max_kb)
		j->s->tally->max_kb = u->ru_maxrss;
	if (cpu > j->s->tally->max_cpu)
		j->s->tally->max_cpu = cpu;
	if (status == -1)
		return "hangs";
	if (WIFSIGNALED(status)) {
		snprintf(buf, size, "killed by signal %d", WTERMSIG(status));
		return buf;
	}
	__atomic_add_fetch(WEXITSTATUS(status) ? &j->s->tally->refused : &j->s->tally->ended_ok, 1, __ATOMIC_RELAXED);
	if (text || (text = judge_text(j->out, out)))
		return text;
	if (WEXITSTATUS(status) == 125)
		return "cannot be started";
	if (cpu > (j->s->sanitized ? 10 : 2)) {
		snprintf(buf, size, "takes %.1f s", cpu);
		return buf;
	}
	if (!j->s->sanitized && u->ru_maxrss > limit_kb) {
		snprintf(buf, size, "takes %ld MB of memory for a file of %zu KB", u->ru_maxrss >> 10, j->len >> 10);
		return buf;
	}
	if (out > (64u << 20) + 400 * j->len || err > 1u << 20)
		return "writes without end";
	if (WEXITSTATUS(status) && !err)
		return "fails without a message";
	if (!WEXITSTATUS(status) && !out && !err && !c->may_be_silent)
		return "prints nothing and says nothing";
	return NULL;
}

static void keep(const struct job *j)
{
	autofree char *to =
		xasprintf("%s/%llu-%llu-%s", j->s->keep, (unsigned long long)j->s->seed, (unsigned long long)j->number,
			  strrchr(j->file, '/') ? strrchr(j->file, '/') + 1 : j->file);
	autofree char *from = xstrdup(j->mutant);

	if (link(from, to) < 0 && errno == EXDEV)
		fprintf(stderr, "mutants: %s is on another file system than %s\n", j->s->keep, j->s->dir);
}

static void run_command(struct job *j, const struct command *c)
{
	char buf[128];
	struct rusage usage = { 0 };
	const char *bad;
	pid_t pid;
	int status;

	if (ftruncate(j->out, 0) < 0 || ftruncate(j->err, 0) < 0)
		return;
	lseek(j->out, 0, SEEK_SET);
	lseek(j->err, 0, SEEK_SET);
	pid = fork();
	if (pid == 0)
		run_child(j, c);
	if (pid < 0) {
		perror("mutants: fork");
		exit(1);
	}
	status = wait_child(pid, j->s->sanitized ? 120000 : 30000, &usage);
	__atomic_add_fetch(&j->s->tally->runs, 1, __ATOMIC_RELAXED);
	bad = judge(j, c, status, &usage, buf, sizeof(buf));
	if (!bad)
		return;
	if (__atomic_add_fetch(&j->s->tally->findings, 1, __ATOMIC_RELAXED) <= MAX_SHOWN)
		printf("FOUND: 'strobe %s' %s: mutate %llu %llu %s OUT  (%s)\n", c->text, bad,
		       (unsigned long long)j->s->seed, (unsigned long long)j->number, j->file,
		       *j->what ? j->what : "as it is");
	fflush(stdout);
	if (j->s->keep)
		keep(j);
}

static void make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
}

/* Use a new file each time, because someone may keep the old one. */
static void write_mutant(const struct job *j, const struct mutant *m)
{
	int fd;

	unlink(j->mutant);
	fd = open(j->mutant, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write_all(fd, m->bytes, m->len) < 0) {
		perror(j->mutant);
		exit(1);
	}
	close(fd);
}

static void run_mutant(struct job *j)
{
	const struct setup *s = j->s;
	struct file_map in;
	struct mutant m;
	struct err e = { 0 };
	char what[sizeof(m.what)];

	j->file = s->files[j->number % (uint64_t)s->n_files];
	if (file_map(&in, j->file, &e) < 0) {
		fprintf(stderr, "mutants: %s: %s\n", e.what, e.why);
		exit(1);
	}
	if (s->as_they_are)
		mutant_start(&m, in.data, in.len, 0);
	else
		mutant_make(&m, in.data, in.len, s->seed, j->number);
	file_unmap(&in);
	write_mutant(j, &m);
	memcpy(what, m.what, sizeof(what));
	j->what = what;
	j->len = m.len;
	mutant_release(&m); /* before the commands: a child starts with our size */
	for (int i = 0; i < s->n_commands; i++)
		run_command(j, &s->commands[i]);
	__atomic_add_fetch(&s->tally->mutants, 1, __ATOMIC_RELAXED);
}

static void run_job(const struct setup *s, int index)
{
	struct job j = { .s = s };

	j.out = memfd_create("out", MFD_CLOEXEC);
	j.err = memfd_create("err", MFD_CLOEXEC);
	if (s->recording) {
		snprintf(j.symfs, sizeof(j.symfs), "%s/symfs.%d", s->dir, index);
		snprintf(j.mutant, sizeof(j.mutant), "%.60s/%.60s", j.symfs, s->symfs_path);
		make_parents(j.mutant);
	} else {
		snprintf(j.mutant, sizeof(j.mutant), "%s/mutant.%d", s->dir, index);
	}
	for (uint64_t n = (uint64_t)index; n < s->count; n += (uint64_t)s->jobs) {
		if (s->seconds > 0 && now() - s->start > s->seconds)
			break;
		j.number = s->first + n;
		run_mutant(&j);
	}
	exit(0);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where) { return remove(path); }

static int read_options(struct setup *s, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "s:n:f:t:j:k:agc:e:")) >= 0) {
		switch (opt) {
		case 's': s->seed = strtoull(optarg, NULL, 0); break;
		case 'n': s->count = strtoull(optarg, NULL, 0); break;
		case 'f': s->first = strtoull(optarg, NULL, 0); break;
		case 't': s->seconds = atof(optarg); break;
		case 'j': s->jobs = MAX(1, atoi(optarg)); break;
		case 'k': s->keep = optarg; break;
		case 'a': s->sanitized = true; break;
		case 'g': s->as_they_are = true; break;
		case 'c': add_command(s, optarg); break;
		case 'e':
			s->recording = optarg;
			if (!strchr(optarg, '='))
				return -1;
			s->symfs_path = strchr(optarg, '=') + 1;
			*strchr(optarg, '=') = 0;
			break;
		default: return -1;
		}
	}
	return argc - optind < 2 ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct setup s = { .seed = 1, .count = 200, .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN), .start = now() };
	const char *tmp = getenv("TMPDIR");
	struct tally *t;
	int status, lost = 0;

	if (read_options(&s, argc, argv) < 0) {
		fprintf(stderr,
			"usage: %s [-s SEED] [-n MUTANTS] [-f FIRST] [-t SECONDS] [-j JOBS] [-k DIR] [-a] [-g] [-c "
			"COMMAND]... [-e RECORDING=PATH] STROBE FILE...\n",
			argv[0]);
		return 129;
	}
	s.strobe = argv[optind];
	s.files = argv + optind + 1;
	s.n_files = argc - optind - 1;
	if (s.as_they_are)
		s.count = (uint64_t)s.n_files;
	add_usual(&s);
	t = s.tally = mmap(NULL, sizeof(*s.tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(s.dir, sizeof(s.dir), "%.40s/mutants.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(s.dir)) {
		perror(s.dir);
		return 1;
	}
	fflush(stdout);
	for (int i = 0; i < s.jobs; i++)
		if (fork() == 0)
			run_job(&s, i);
	while (wait(&status) > 0)
		lost += status != 0;
	nftw(s.dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	printf("%u mutants, %u runs, %u findings; %u ended well, %u with an error; most cpu time %.2f s, most memory "
	       "%ld MB\n",
	       t->mutants, t->runs, t->findings, t->ended_ok, t->refused, t->max_cpu, t->max_kb >> 10);
	if (lost)
		printf("%d jobs of the runner itself failed\n", lost);
	arena_release(&s.arena);
	return t->findings || !t->runs || lost;
}
