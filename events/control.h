#ifndef EVENTS_CONTROL_H
#define EVENTS_CONTROL_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Commands from outside while events count: --control. A command ends with a newline or a NUL; each one we know is
 * answered with "ack", a newline and a NUL, when a second descriptor is given. What we do not know is skipped. Source:
 * perf-record(1), --control.
 */
enum control_word { CONTROL_ENABLE, CONTROL_DISABLE, CONTROL_EVLIST, CONTROL_SNAPSHOT, CONTROL_STOP, CONTROL_PING };

struct control {
	int fd, ack;   /* -1 = none */
	bool ours;     /* opened by us, not handed to us */
	char text[64]; /* the command that is being read */
	size_t len;
	bool too_long; /* the rest of it is skipped */
};
#define CONTROL_NONE \
	{ \
		.fd = -1, .ack = -1 \
	}

struct control_command {
	enum control_word word;
	const char *rest; /* what stands behind the word, "" if nothing; lives until the next control_next */
};

/* "fifo:PATH[,PATH]" or "fd:N[,N]". Descriptors that were handed to us are not passed on to the workload. -1 and e,
 * exit_code 129. */
int control_open(struct control *c, const char *spec, struct err *e);
/* The next command that has arrived: 1, 0 when there is none now, -1 when none can come any more. Does not wait. */
int control_next(struct control *c, struct control_command *command);
void control_ack(struct control *c); /* does not wait either */
void control_close(struct control *c);

#endif
