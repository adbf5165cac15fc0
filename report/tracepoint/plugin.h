#ifndef REPORT_TRACEPOINT_PLUGIN_H
#define REPORT_TRACEPOINT_PLUGIN_H

#include "report/session/session.h"

/*
 * Plugins of libtraceevent that print some tracepoints in their own way. They run inside our
 * process and read foreign bytes. Therefore we look only into the directory TRACEEVENT_PLUGIN_DIR,
 * and into the system's if session.trace_text says so. Tracepoints without a plugin never come
 * here. Not thread-safe.
 */
struct trace_plugins;

bool trace_plugins_wanted(const struct session *s);
/* Parse the words "kernel" and "plugins". The caller knows which option or setting has the word. */
int trace_text_by_parse(const char *word, enum trace_text_by *by, struct err *e);
/* -1 with `e` if the input has tracepoints, the user asked for plugins, and none is installed. */
int trace_plugins_check(const struct session *s, struct err *e);
/* NULL when no plugin is wanted, or none prints an event of this input. */
struct trace_plugins *trace_plugins_new(struct session *s);
void trace_plugins_free(struct trace_plugins *t);
/* false: no plugin prints this event; nothing was printed. */
bool trace_plugins_print(struct trace_plugins *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size,
			 struct out *o);

#endif
