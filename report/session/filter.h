#ifndef REPORT_SESSION_FILTER_H
#define REPORT_SESSION_FILTER_H

#include "base/units.h"
#include "report/session/session.h"

/*
 * Which samples are wanted, by who took them and where: the lists of --pid, --tid, --comms, --dsos, --symbols,
 * --graph-function and --cpu. An empty list wants all.
 */
struct sample_filter {
	VEC(int32_t) pids, tids;
	struct strtab comms, dsos, symbols, callers; /* names wanted; id 0 is nobody */
	VEC(uint64_t) addresses;                     /* of --symbols: numbers */
	uint64_t address_range;                      /* bytes from each address that count as well */
	struct cpuset cpus;
};

enum sample_filter_kind {
	FILTER_PIDS,
	FILTER_TIDS,
	FILTER_COMMS,
	FILTER_DSOS,
	FILTER_SYMBOLS,
	FILTER_CPUS,
	FILTER_CALLERS
};

/*
 * Add a comma-separated list; names may come from a file of lines ("file:///path"), and commas in them have a backslash
 * before. -1 and e when malformed or not readable.
 */
int sample_filter_add(struct sample_filter *f, enum sample_filter_kind kind, const char *list, struct err *e);
/* A foreign name as a list of that one. malloc'd. */
char *sample_filter_quote(const char *name);
/* Can it be asked of these samples? -1 and e if they do not tell what it wants to know. */
int sample_filter_check(const struct sample_filter *f, const struct perfdata *pd, struct err *e);
void sample_filter_free(struct sample_filter *f);
/* The filter wants samples by the object or function they lie in: these must be found out before sample_filter_wants
 * can tell. */
bool sample_filter_by_place(const struct sample_filter *f);
/* The filter wants samples by the functions of their call chains: of --graph-function. */
bool sample_filter_by_caller(const struct sample_filter *f);
/* Is this one of them? */
bool sample_filter_has_caller(const struct sample_filter *f, const char *name);
bool sample_filter_wants_cpu(const struct sample_filter *f, uint32_t cpu);
bool sample_filter_wants_task(const struct sample_filter *f, const struct session *s, const struct task *t);
/* `dso`, `symbol`: where the sampled address lies, as symbols/ numbers them. */
bool sample_filter_wants_place(const struct sample_filter *f, struct symbols *s, uint64_t ip, uint32_t dso,
			       uint32_t symbol);

#endif
