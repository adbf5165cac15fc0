/* Draw a flame graph of the last seconds: save them as a recording, and let another process of strobe draw it. */
#include "cmd/commands.h"
#include "cmd/top/top_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

/* Start a program without a terminal. */
static pid_t start(char *const argv[])
{
	pid_t pid = fork();
	int none;

	if (pid)
		return pid;
	setsid(); /* so that keys and ^C do not reach it */
	none = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(none, fd);
	execvp(argv[0], argv);
	_exit(127);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Open the page if there is a desktop. */
static bool open_page(const char *path)
{
	const char *browser = getenv("BROWSER");
	char *const argv[] = { "sh", "-c", "${BROWSER:-xdg-open} \"$1\" &", "sh", (char *)path, NULL };

	if (!browser && !getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
		return false;
	return !wait_for(start(argv));
}

static int draw(const char *recording, const char *page)
{
	char *const argv[] = { "/proc/self/exe",  "flamegraph", "--html",     "-i",
			       (char *)recording, "-o",         (char *)page, NULL };

	return wait_for(start(argv));
}

char *top_flame_page(struct top *t)
{
	autofree char *page = top_free_name("html");
	char recording[] = "/tmp/top.XXXXXX";
	struct err e = { 0 };
	char *said;
	int fd;

	if (!t->history)
		return xstrdup("there is no history: --history sets how many seconds to keep");
	fd = mkstemp(recording);
	if (fd < 0)
		return xasprintf("no file in /tmp: %s", strerror(errno));
	close(fd);
	if (history_save(t->history, live_session(t->rows.live), recording, &e) < 0)
		said = xasprintf("not saved: %s", e.what);
	else if (draw(recording, page))
		said = xasprintf("no page: '%s flamegraph' found nothing to draw", tool_name());
	else
		said = xasprintf("the page is '%s'%s", page, open_page(page) ? "; a browser opens it" : "");
	unlink(recording);
	return said;
}
