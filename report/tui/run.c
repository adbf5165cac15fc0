/* Show the output of another program on a screen. */
#include "report/tui/tui.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

/* Cut longer output: nobody reads so much. */
enum { OUTPUT_MAX = 64 << 20 };

static pid_t start(char *const argv[], int out)
{
	pid_t pid = fork();
	struct out o;
	int none;

	if (pid)
		return pid;
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	none = open("/dev/null", O_RDONLY);
	dup2(none, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	out_init_fd(&o, out);
	execvp(argv[0], argv);
	out_fmt(&o, "cannot start '%s': %s\n", argv[0], strerror(errno));
	out_flush(&o);
	_exit(127);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tui_run_text(struct tui *t, const char *title, char *const argv[], struct err *e)
{
	struct out raw, shown;
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "cannot start '%s'", argv[0]);
	pid = start(argv, fds[1]);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return err_sys(e, "cannot start '%s'", argv[0]);
	}
	out_init_mem(&raw);
	out_init_mem(&shown);
	while (raw.len < OUTPUT_MAX &&
	       ((n = read(fds[0], out_room(&raw, 1 << 16), 1 << 16)) > 0 || (n < 0 && errno == EINTR)))
		raw.len += n > 0 ? (size_t)n : 0;
	if (raw.len >= OUTPUT_MAX)
		kill(pid, SIGTERM);
	close(fds[0]);
	status = wait_for(pid);
	out_text(&raw);
	for (char *line = raw.buf, *end; (size_t)(line - raw.buf) < raw.len; line = end + 1) {
		end = strchrnul(line, '\n');
		for (const char *tab; line < end;
		     line = (char *)tab + (tab < end)) { /* keep columns made with tabs apart */
			tab = memchr(line, '\t', (size_t)(end - line));
			if (!tab)
				tab = end;
			out_name_len(&shown, line, (size_t)(tab - line));
			out_str(&shown, tab < end ? "    " : "");
		}
		out_char(&shown, '\n');
	}
	out_release(&raw);
	tui_text(t, title, out_text(&shown));
	out_release(&shown);
	return status;
}
