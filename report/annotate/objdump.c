/*
 * Disassemble with another program, for CPUs and extensions that ours does not know. We start it
 * without a shell and put "--" before the file name. Its output is foreign text.
 */
#include "report/annotate/annotate_priv.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "symbols/file/elf_make.h"

enum { MAX_OUTPUT = 256 << 20, MADE_FD = 3 };
static const char made_path[] = "/proc/self/fd/3";

/*
 * Make an object file in memory that contains only this code. Some code is in no file, or in one that other programs
 * cannot read. Return its descriptor; -1 on failure.
 */
static int make_file(struct annotation *a)
{
	const struct code *c = &a->code;
	struct elf_part text = { .name = ".text",
				 .type = SHT_PROGBITS,
				 .flags = SHF_ALLOC | SHF_EXECINSTR,
				 .address = c->address,
				 .align = 1,
				 .data = c->bytes,
				 .len = c->len };
	int fd = memfd_create("code", MFD_CLOEXEC);
	size_t len, done = 0;
	autofree char *bytes = elf_make(ET_DYN, c->target.machine, &text, 1, &len);

	while (fd >= 0 && done < len) {
		ssize_t n = write(fd, bytes + done, len - done);

		if (n <= 0 && errno != EINTR) {
			close(fd);
			return -1;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	a->code.file_address = c->address;
	return fd;
}

static void start_args(const struct annotation *a, const char *from, char *texts[4], const char *argv[12])
{
	const struct annotate_opts *o = &a->by->opts;
	size_t n = 0;

	texts[0] = xasprintf("--start-address=0x%llx", (unsigned long long)a->code.file_address);
	texts[1] = xasprintf("--stop-address=0x%llx", (unsigned long long)(a->code.file_address + a->code.len));
	texts[2] = o->style ? xasprintf("-M%s", o->style) : NULL;
	argv[n++] = o->objdump;
	argv[n++] = "-d";
	argv[n++] = "-w";
	argv[n++] = "-C";
	argv[n++] = "--no-show-raw-insn";
	argv[n++] = texts[0];
	argv[n++] = texts[1];
	if (texts[2])
		argv[n++] = texts[2];
	argv[n++] = "--";
	argv[n++] = from;
	argv[n] = NULL;
}

/* Return the program's standard output as a stream; its error messages go to our standard error. */
static FILE *start(struct annotation *a, pid_t *pid, struct err *e)
{
	autoclose int made = a->code.in_file ? -1 : make_file(a);
	extern char **environ;
	posix_spawn_file_actions_t actions;
	char *texts[4];
	const char *argv[12];
	int fds[2], rc;

	if (!a->code.in_file && made < 0) {
		err_sys(e, "cannot make a file of this code");
		return NULL;
	}
	if (pipe2(fds, O_CLOEXEC) < 0) {
		err_sys(e, "cannot start '%s'", a->by->opts.objdump);
		return NULL;
	}
	start_args(a, made < 0 ? a->code.from : made_path, texts, argv);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	if (made >= 0)
		posix_spawn_file_actions_adddup2(&actions, made, MADE_FD);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	rc = posix_spawnp(pid, a->by->opts.objdump, &actions, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	for (size_t i = 0; i < 3; i++)
		free(texts[i]);
	if (rc) {
		close(fds[0]);
		errno = rc;
		err_sys(e, "cannot start '%s'", a->by->opts.objdump);
		err_try(e, "without --objdump: the disassembler in this program");
		return NULL;
	}
	return fdopen(fds[0], "r");
}

/* Parse "  1149:\ttest   %rdi,%rdi": an address in the function and a text. */
static void take_line(struct annotation *a, char *line)
{
	char *end, *text;
	uint64_t offset = strtoull(line, &end, 16) - a->code.file_address;

	if (*line != ' ' || *end != ':' || end[1] != '\t' || offset >= a->code.len)
		return;
	text = end + 2;
	text[strcspn(text, "\n")] = 0;
	for (char *tab = text; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	if (a->insns.len && a->insns.items[a->insns.len - 1].offset >= offset)
		return;
	vec_push(&a->insns, (struct annot_insn){
				    .offset = (uint32_t)offset, .target = NO_TARGET, .text = (uint32_t)a->texts.len });
	out_mem(&a->texts, text, strlen(text) + 1);
}

static void finish_insns(struct annotation *a)
{
	for (size_t i = 0; i < a->insns.len; i++) {
		uint64_t end = i + 1 < a->insns.len ? a->insns.items[i + 1].offset : a->code.len;

		a->insns.items[i].size = (uint8_t)MIN(end - a->insns.items[i].offset, 255);
	}
}

int objdump_read(struct annotation *a, struct err *e)
{
	autofree char *line = NULL;
	size_t cap = 0, total = 0;
	ssize_t got;
	pid_t pid;
	FILE *f;
	int status;

	if (!a->code.target.machine) {
		err_set(e, "objdump cannot read this code");
		return err_why(e, "the recording does not say for what machine it is");
	}
	f = start(a, &pid, e);
	if (!f)
		return -1;
	while ((got = getline(&line, &cap, f)) > 0 && (total += (size_t)got) < MAX_OUTPUT)
		take_line(a, line);
	if (total >= MAX_OUTPUT)
		kill(pid, SIGKILL);
	fclose(f);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!a->insns.len) {
		err_set(e, "'%s' printed no instructions of '%s'", a->by->opts.objdump,
			a->code.from ? a->code.from : hot_name(a->hot, a->function));
		err_why(e, WIFEXITED(status) ? "it ended with status %d" : "it was ended by signal %d",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		return err_try(e, "without --objdump: the disassembler in this program");
	}
	finish_insns(a);
	return 0;
}
