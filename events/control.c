#include "events/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/units.h"

/*
 * Open a FIFO for reading and writing: then the open does not wait for the other side, and reads
 * never see the end.
 */
static int open_fifo(const char *path, int *fd, struct err *e)
{
	struct stat st;

	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0) {
		bool missing = errno == ENOENT;

		err_sys(e, "failed to open '%s'", path);
		return missing ? err_try(e, "mkfifo '%s'", path) : -1;
	}
	if (!fstat(*fd, &st) && S_ISFIFO(st.st_mode))
		return 0;
	err_set(e, "'%s' is not a FIFO", path);
	return err_try(e, "one made by mkfifo, or fd: with an open descriptor");
}

static int take_fd(const char *text, int *fd, struct err *e)
{
	uint64_t n;

	if (parse_u64(text, &n, NULL) < 0 || n > INT_MAX)
		return err_set(e, "bad descriptor '%s'", text);
	if (fcntl((int)n, F_GETFD) < 0)
		return err_sys(e, "descriptor %s is not open", text);
	fcntl((int)n, F_SETFD, FD_CLOEXEC);
	*fd = (int)n;
	return 0;
}

static int open_both(struct control *c, const char *spec, struct err *e)
{
	int (*open_one)(const char *, int *, struct err *) = c->ours ? open_fifo : take_fd;
	autofree char *first = xstrdup(strchr(spec, ':') + 1);
	char *second = strchr(first, ',');

	if (second)
		*second++ = '\0';
	if (!*first || (second && !*second)) {
		err_set(e, "no name in '%s'", spec);
		return err_try(e, "fifo:CTL[,ACK] or fd:CTL[,ACK]");
	}
	if (open_one(first, &c->fd, e) < 0)
		return -1;
	return second ? open_one(second, &c->ack, e) : 0;
}

int control_open(struct control *c, const char *spec, struct err *e)
{
	*c = (struct control)CONTROL_NONE;
	c->ours = !strncmp(spec, "fifo:", 5);
	if (!c->ours && strncmp(spec, "fd:", 3)) {
		err_set(e, "bad control '%s'", spec);
		err_try(e, "fifo:CTL[,ACK] or fd:CTL[,ACK]");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!open_both(c, spec, e))
		return 0;
	control_close(c);
	return err_exit(e, EXIT_BAD_USAGE);
}

void control_close(struct control *c)
{
	if (c->ours && c->fd >= 0)
		close(c->fd);
	if (c->ours && c->ack >= 0)
		close(c->ack);
	c->fd = c->ack = -1;
}

/* Compare commands as perf does: only commands that take an argument look at the rest. */
static bool understand(const struct control *c, struct control_command *command)
{
	static const struct {
		const char *name;
		enum control_word word;
	} words[] = {
		{ "enable", CONTROL_ENABLE },     { "disable", CONTROL_DISABLE }, { "evlist", CONTROL_EVLIST },
		{ "snapshot", CONTROL_SNAPSHOT }, { "stop", CONTROL_STOP },       { "ping", CONTROL_PING },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t len = strlen(words[i].name);

		if (strncmp(c->text, words[i].name, len))
			continue;
		*command = (struct control_command){ words[i].word, c->text + len };
		return true;
	}
	return false;
}

static bool is_ready(int fd, short what)
{
	struct pollfd p = { .fd = fd, .events = what };

	return poll(&p, 1, 0) > 0;
}

/* Read byte by byte: what follows a command belongs to the next reader of the descriptor. */
int control_next(struct control *c, struct control_command *command)
{
	char byte;

	while (c->fd >= 0 && is_ready(c->fd, POLLIN)) {
		ssize_t n = read(c->fd, &byte, 1);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return 0;
		if (n <= 0)
			return -1;
		if (byte != '\n' && byte) {
			c->too_long |= c->len == sizeof(c->text) - 1;
			if (!c->too_long)
				c->text[c->len++] = byte;
			continue;
		}
		c->text[c->len] = '\0';
		n = !c->too_long && understand(c, command);
		c->len = 0;
		c->too_long = false;
		if (n)
			return 1;
	}
	return 0;
}

void control_ack(struct control *c)
{
	static const char ack[] = "ack\n"; /* sent with its NUL */

	if (c->ack >= 0 && is_ready(c->ack, POLLOUT) && write(c->ack, ack, sizeof(ack)) < 0)
		c->ack = c->ours ? c->ack : -1;
}
