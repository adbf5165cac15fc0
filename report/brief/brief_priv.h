#ifndef REPORT_BRIEF_BRIEF_PRIV_H
#define REPORT_BRIEF_BRIEF_PRIV_H

#include "report/annotate/annotate.h"
#include "report/brief/brief.h"

enum { SHOWN_FUNCTIONS = 8, SHOWN_LINES = 5, SHOWN_LOOPS = 4, SHOWN_CHANGES = 6, PATH_MAX_FRAMES = 8 };

/* A function, with the periods of samples in it and in its callees. */
struct brief_function {
	uint32_t site; /* one of its sites */
	const char *name, *object;
	uint64_t self, total;
	uint64_t dso_off; /* a sampled place in it; `sampled` says whether there is one */
	bool sampled, copies, kernel;
	bool starts;       /* it only starts threads, or has no name: its total says nothing */
	bool hides_caller; /* frame pointers leave out its caller */
	double in_memory;  /* percent of its instructions that access variables on the stack; 0 = not checked */
	size_t stamp;      /* number of the last entry that counted it */
};

/* A source line with samples, and a loop in the code of a function. */
struct brief_line {
	const char *file;
	uint32_t line;
	uint64_t period;
};
struct brief_loop {
	const char *function;
	struct source_line from, to; /* of its first and last instruction; file NULL: unknown */
	uint64_t start, end, period;
	bool waits; /* it has an instruction for waiting: pause, yield */
	bool locks; /* it has an atomic instruction */
};

struct brief_change {
	const char *name;
	double before, after; /* shares in percent */
};

struct finding {
	const char *rule;
	char *text, *cure; /* cure NULL: none */
	double share;      /* in percent; the text says of what */
};

struct brief {
	struct session *session;
	struct profile *profile;
	struct brief_waits waits;
	const struct profile_filter *filter;
	struct profile_opts opts, again; /* again: for each further profile of the session */
	uint32_t event;
	uint64_t samples, period; /* of the event */
	uint64_t modes[8];        /* samples of the event by mode */
	double seconds;
	VEC(struct brief_function) functions;
	uint32_t *of_site; /* site -> function + 1 */
	uint32_t *by_self, *by_total;
	VEC(struct brief_line) lines; /* largest first */
	VEC(struct brief_loop) loops; /* largest first */
	VEC(struct brief_change) changes;
	VEC(struct finding) findings;
	bool compared;
	struct arena arena;
};

static inline double brief_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static inline double brief_share(const struct brief *b, uint64_t period)
{
	return b->period ? 100.0 * (double)period / (double)b->period : 0;
}

/* The smallest share for a row: 1 %, and at least three samples. */
static inline double brief_least(const struct brief *b)
{
	return b->samples ? MAX(1.0, MIN(100.0, 300.0 / (double)b->samples)) : 1;
}

static inline uint64_t brief_wall(const struct brief *b)
{
	return b->waits.running + b->waits.runnable + b->waits.blocked;
}

/* --- brief.c --- */
/* Make a decoded and named profile of these samples. The caller frees it. `again`: the session had a profile before. */
struct profile *brief_profile(const struct brief *b, const struct profile_filter *filter, bool again);

/* --- functions.c --- */
/* Return the period of the samples in another profile of the session that are in the function or its callees. */
uint64_t brief_period_below(const struct brief *b, const struct profile *p, const struct brief_function *f);
void brief_sum_functions(struct brief *b);
/*
 * Return the path of callers of `f`, from `f` outwards: each caller has at least 90 % of the self samples of `f`.
 * Returns their number, at most `max`.
 */
size_t brief_path(const struct brief *b, const struct brief_function *f, const struct brief_function **path,
		  size_t max);

/* --- places.c --- */
void brief_sum_lines(struct brief *b);
void brief_find_loops(struct brief *b);

/* --- rules.c --- */
void brief_apply_rules(struct brief *b);

#endif
