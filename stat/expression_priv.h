#ifndef STAT_EXPRESSION_PRIV_H
#define STAT_EXPRESSION_PRIV_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Arithmetic over names, as metrics are written:
 *
 *	expression := choice
 *	choice     := either [ "if" either "else" choice ]
 *	either     := operands joined by | ^ & < > + - * / %, or unary -
 *	operand    := number | name | "(" choice ")" | "min(" choice "," choice ")"
 *	            | "max(...)" | "d_ratio(...)" | "has_event(" name ")" and similar
 *
 * Operators are listed with the lowest precedence first; all work from left to right. Names consist
 * of letters, digits and "_.:#@"; any other character needs a backslash. '@' stands for the '/' of
 * a PMU's events. A division by zero gives NaN, and so does every operation on NaN; d_ratio(a, b)
 * gives 0 then. If the condition of a choice is known while parsing, the other branch is dropped,
 * with its names.
 */
struct expression_step;
struct expression {
	VEC(struct expression_step) steps; /* in the order of evaluation */
	VEC(const char *) names;           /* each once, without backslashes, '/' for '@' */
	unsigned n_expanded;               /* how often a name was replaced by its expression */
	struct arena arena;
};

/* A second source of names, behind the reader of values. All members may be NULL. */
struct expression_lookup {
	/* Return an expression that stands for the name, NULL if there is none. */
	const char *(*expand)(const char *name, void *ctx);
	/* Compute function(name), as in "has_event(slots)". Return false if there is no such function. */
	bool (*call)(const char *function, const char *name, double *value, void *ctx);
	void *ctx;
};
/*
 * Parse an expression. `lookup` may be NULL. On failure return -1 with e, which gives the column. Release x in every
 * case.
 */
int expression_parse(struct expression *x, const char *text, const struct expression_lookup *lookup, struct err *e);
/* Evaluate. `values`: values of the names, in their order. */
double expression_value(const struct expression *x, const double *values);
void expression_release(struct expression *x);

#endif
