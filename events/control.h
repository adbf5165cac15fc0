#ifndef EVENTS_CONTROL_H
#define EVENTS_CONTROL_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Commands from outside while events count: --control. A command ends with a newline or a NUL. If
 * there is a second descriptor, each known command is answered with "ack", a newline and a NUL.
 * Unknown commands are skipped. Source: perf-record(1), --control.
 */
enum control_word { CONTROL_ENABLE, CONTROL_DISABLE, CONTROL_EVLIST, CONTROL_SNAPSHOT, CONTROL_STOP, CONTROL_PING };

struct control {
	int fd, ack;   /* -1 = none */
	bool ours;     /* we opened it, so we close it */
	char text[64]; /* the command being read */
	size_t len;
	bool too_long; /* skip the rest of the command */
};
#define CONTROL_NONE \
	{ \
		.fd = -1, .ack = -1 \
	}

struct control_command {
	enum control_word word;
	const char *rest; /* text behind the word, "" if none; valid until the next control_next */
};

/*
 * Open "fifo:PATH[,PATH]" or "fd:N[,N]". The workload does not inherit the descriptors. Return -1
 * with e, exit_code 129.
 */
int control_open(struct control *c, const char *spec, struct err *e);
/*
 * Get the next command without waiting: 1 = a command arrived, 0 = none now, -1 = no more can come.
 */
int control_next(struct control *c, struct control_command *command);
void control_ack(struct control *c); /* does not wait either */
void control_close(struct control *c);

#endif
