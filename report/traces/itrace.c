/* Parse the options of --itrace. Source: perf-report(1), "--itrace"; perf-arm-spe(1). */
#include "report/traces/itrace_priv.h"

#include "base/err.h"

/* Letters before a number: perf refuses a number after other letters. */
static const char WITH_NUMBER[] = "gGlLs";

struct itrace_parser {
	struct itrace *to;
	const char *at, *text;
	struct err *e;
};

static int bad(struct itrace_parser *p, const char *what)
{
	err_set(p->e, "--itrace=%s: %s", p->text, what);
	err_try(p->e,
		"of Arm SPE: b branches (l: with branch stacks), M accesses, f first level, m last level, t TLB, a "
		"remote, i1i all operations, i100i each hundredth");
	return err_exit(p->e, EXIT_BAD_USAGE);
}

static uint64_t number(struct itrace_parser *p)
{
	uint64_t n = 0;

	for (; *p->at >= '0' && *p->at <= '9'; p->at++)
		n = MIN(n * 10 + (uint64_t)(*p->at - '0'), (uint64_t)UINT32_MAX);
	return n;
}

/* Parse the number of i1i, i100i. The processor chose the operations, so there is no other unit. */
static int parse_instructions(struct itrace_parser *p)
{
	bool given = *p->at >= '0' && *p->at <= '9';
	uint64_t n = given ? number(p) : 1;

	if (given && *p->at != 'i')
		return bad(p, "the period of operations of Arm SPE is a number of them, like i100i");
	p->at += given;
	p->to->every = MAX(n, (uint64_t)1);
	p->to->kinds[p->to->n_kinds++] = 'i';
	return 0;
}

static int parse_letter(struct itrace_parser *p)
{
	char c = *p->at++;

	switch (c) {
	case 'i': return parse_instructions(p);
	case 'l': p->to->stacks = true; break;
	case 'b':
	case 'c':
	case 'r': p->to->kinds[p->to->n_kinds++] = 'b'; break; /* as in perf: all branches, not only these */
	case 'M':
	case 'f':
	case 'm':
	case 't':
	case 'a': p->to->kinds[p->to->n_kinds++] = c; break;
	case 'e':
	case ',':
	case ' ': break; /* strobe always reports bytes that are not packets */
	case 'x': return bad(p, "Arm SPE has no samples of transactions (x)");
	case 'w': return bad(p, "Arm SPE has no samples of PTWRITE (w)");
	case 'p': return bad(p, "Arm SPE has no samples of power events (p)");
	case 'o': return bad(p, "Arm SPE has no samples of PEBS (o)");
	case 'I': return bad(p, "Arm SPE has no samples of interrupts (I)");
	case 'y': return bad(p, "Arm SPE has no samples by cycles (y)");
	case 'g':
	case 'G': return bad(p, "Arm SPE does not record calls, so there are no call chains (g, G)");
	case 'L': return bad(p, "other events get no branches of an Arm SPE trace (L)");
	default: return bad(p, "there is no such option for Arm SPE");
	}
	if (strchr(WITH_NUMBER, c))
		number(p);
	return 0;
}

int itrace_parse(const char *text, struct itrace *to, struct err *e)
{
	struct itrace_parser p = { to, text, text, e };

	*to = (struct itrace){ .every = 1 };
	while (*p.at) {
		if (to->n_kinds == ITRACE_KINDS_MOST)
			return bad(&p, "too many letters");
		if (parse_letter(&p) < 0)
			return -1;
	}
	return 0;
}

bool itrace_wants(const struct itrace *what, char kind)
{
	return !what->n_kinds || memchr(what->kinds, kind, what->n_kinds);
}
