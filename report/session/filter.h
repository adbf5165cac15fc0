#ifndef REPORT_SESSION_FILTER_H
#define REPORT_SESSION_FILTER_H

#include "base/units.h"
#include "report/session/session.h"

/*
 * Which samples are wanted, by thread and place: the lists of --pid, --tid, --comms, --dsos, --symbols,
 * --graph-function and --cpu. An empty list wants all.
 */
struct sample_filter {
	VEC(int32_t) pids, tids;
	bool subjects;                               /* only threads that the recording is about (session_is_about) */
	struct strtab comms, dsos, symbols, callers; /* wanted names; id 0 is no thread */
	VEC(uint64_t) addresses;                     /* numbers in --symbols */
	uint64_t address_range;                      /* an address in this many bytes from a wanted one counts too */
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
 * Add a comma-separated list. Names may come from a file with one name per line ("file:///path"). A
 * backslash comes before each comma that is part of a name. -1 and e when the list is malformed or
 * not readable.
 */
int sample_filter_add(struct sample_filter *f, enum sample_filter_kind kind, const char *list, struct err *e);
/* Return a foreign name as a list of this one name. The caller frees it. */
char *sample_filter_quote(const char *name);
/* Check that these samples have the data the filter needs. -1 and e if not. */
int sample_filter_check(const struct sample_filter *f, const struct perfdata *pd, struct err *e);
void sample_filter_free(struct sample_filter *f);
/*
 * The filter selects samples by object or function. The caller must look these up before
 * sample_filter_wants can decide.
 */
bool sample_filter_by_place(const struct sample_filter *f);
/* The filter selects samples by the functions of their call chains (--graph-function). */
bool sample_filter_by_caller(const struct sample_filter *f);
/* Return whether this function is wanted as a caller. */
bool sample_filter_has_caller(const struct sample_filter *f, const char *name);
bool sample_filter_wants_cpu(const struct sample_filter *f, uint32_t cpu);
/* The filter selects threads, by number or name. */
bool sample_filter_by_task(const struct sample_filter *f);
/* Return true if the filter is empty and passes every sample. */
bool sample_filter_wants_all(const struct sample_filter *f);
bool sample_filter_wants_task(const struct sample_filter *f, const struct session *s, const struct task *t);
/* `dso` and `symbol` tell where the sampled address lies, as ids of symbols/. */
bool sample_filter_wants_place(const struct sample_filter *f, struct symbols *s, uint64_t ip, uint32_t dso,
			       uint32_t symbol);

#endif
