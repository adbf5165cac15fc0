#ifndef CMD_PROBE_PROBE_PRIV_H
#define CMD_PROBE_PROBE_PRIV_H

#include "cmd/commands.h"
#include "probe/probe.h"

enum probe_action { PROBE_ADD, PROBE_LIST, PROBE_FUNCS, PROBE_LINES, PROBE_VARS, PROBE_DEFINITION, PROBE_PRUNE };
struct probe_cmd {
	enum probe_action action;
	const char *pattern; /* argument of the action: a range, a place, a filter */
	struct opt_list defs, dels;
	char *words; /* a definition made from the words that are not options */
	const char *exec, *module, *vmlinux, *source, *filter, *symfs;
	bool force, dry_run, quiet, externs, range, no_inlines, demangle, demangle_kernel, bootconfig, cache;
	int verbose, target_ns;
	uint64_t max_probes;
};
struct prober_opts probe_prober_opts(const struct probe_cmd *c);
bool probe_name_matches(const struct trace_probe *p, const char *pattern);

/* --- cmd/probe/print.c --- */
int probe_list(const struct probe_cmd *c, struct err *e);
int probe_funcs(const struct probe_cmd *c, struct err *e);
int probe_lines(const struct probe_cmd *c, struct err *e);
int probe_vars(const struct probe_cmd *c, struct err *e);

/* --- cmd/probe/cache.c --- */
int probe_cached_list(const struct probe_cmd *c, struct err *e);
int probe_cached_delete(const struct probe_cmd *c, struct err *e);
/* Append the cached events of a definition; *known is false when the cache has none. */
int probe_cached_find(const struct probe_cmd *c, const char *def, struct probe_events *events, bool *known,
		      struct err *e);
/* Put the events from .. to of a definition into the cache. */
int probe_cached_keep(const struct probe_cmd *c, const char *def, const struct probe_events *events, size_t from,
		      size_t to, struct err *e);

/* Turn definitions into events and print the notes. The events own their texts. */
int probe_find_all(const struct prober_opts *opts, const char *const *defs, size_t n, struct probe_events *events,
		   struct err *e);
int probe_failed(struct err *e, const char *what);

#endif
