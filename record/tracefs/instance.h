#ifndef RECORD_TRACEFS_INSTANCE_H
#define RECORD_TRACEFS_INSTANCE_H

#include "base/err.h"
#include "base/keeper.h"
#include "base/mem.h"

/*
 * Where a run of ftrace works: a new instance of tracefs, which is removed at the end; or the top instance, if this
 * kernel runs the tracer only there. The files of the top instance get their old content back. Both happen even if
 * this process is killed (base/keeper.h). Source: Documentation/trace/ftrace.rst, "Instances".
 *
 * Files are named relative to the instance: "tracing_on", "options/function-fork".
 */
struct instance {
	char *dir;     /* the directory */
	char *tracefs; /* of the top instance */
	bool is_top;
	struct keeper *keeper;
	VEC(char *) saved; /* files of the top instance that the keeper holds; malloc'd */
	uint64_t dropped;  /* entries that the top instance's own buffers held: they are lost */
};

/*
 * Open an instance that can run this tracer, with the stack of each call or without. Tracing is off, and no tracer
 * runs. -1 with e on failure; `in` is then closed.
 */
int instance_open(struct instance *in, const char *tracer, bool stacks, struct err *e);
/* Close whatever is open in it first. Waits until all is as it was. A zeroed struct is allowed. */
void instance_close(struct instance *in);

bool instance_has(const struct instance *in, const char *file);
/* Write a value to a file. On failure of this or of the next functions, -1 with e; e->sys is the errno. */
int instance_set(struct instance *in, const char *file, const char *value, struct err *e);
/* Empty a file that is a list, like set_ftrace_pid; add a word to it. */
int instance_clear(struct instance *in, const char *file, struct err *e);
int instance_add(struct instance *in, const char *file, const char *word, struct err *e);
/* The text of a file, at most 64 MB; the caller frees it. NULL with e on failure. */
char *instance_read(const struct instance *in, const char *file, struct err *e);
/* Restore this file of the top instance at the end. Do nothing if there is no such file. */
int instance_save_top(struct instance *in, const char *file, struct err *e);
/*
 * Do the same for files that may exist only in the top instance, because the kernel shares them among all instances:
 * the functions at which the graph tracer starts, its depth, the threshold. If this instance has no such file, save
 * the file of the top instance, then change it.
 */
int instance_set_shared(struct instance *in, const char *file, const char *value, struct err *e);
int instance_clear_shared(struct instance *in, const char *file, struct err *e);
int instance_add_shared(struct instance *in, const char *file, const char *word, struct err *e);

/*
 * Restore what killed runs left behind, also when their keeper was killed. Returns -1 with e if
 * some of it could not be restored.
 */
int instance_prune(struct err *e);

/* ---- tracefs/restore.c: what the keeper does ---- */

/*
 * The lines of the keeper: "i DIR" removes an instance, "w DIR/FILE TEXT" writes back what was read
 * from it, with \n for newlines. restore_all() executes them from the last to the first.
 * restore_line() makes such a "w" line; the caller frees it.
 */
char *restore_line(const char *path, const char *text);
bool restore_all(struct keeper_lines *lines);
/* What to write to a scalar so that it reads as `text` again; the caller frees it. */
char *restore_value(const char *path, const char *text);

#endif
