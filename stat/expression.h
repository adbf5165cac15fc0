#ifndef STAT_EXPRESSION_H
#define STAT_EXPRESSION_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Arithmetic over names, as metrics are written:
 *
 *	expression := choice
 *	choice     := either [ "if" either "else" choice ]
 *	either     := operands joined by | ^ & < > + - * / %, or unary -
 *	operand    := number | name | "(" choice ")" | "min(" choice "," choice ")"
 *	            | "max(...)" | "d_ratio(...)"
 *
 * Operators are listed with the lowest precedence first; all work from left to right. Names consist
 * of letters, digits and "_.:#@"; any other character needs a backslash. '@' stands for the '/' of
 * a PMU's events. A division by zero gives NaN, and so does every operation on NaN; d_ratio(a, b)
 * gives 0 then.
 */
struct expression_step;
struct expression {
	VEC(struct expression_step) steps; /* in the order of evaluation */
	VEC(const char *) names;           /* each once, without backslashes, '/' for '@' */
	struct arena arena;
};

/*
 * Parse an expression. On failure return -1 with e, which gives the column. Release x in every
 * case.
 */
int expression_parse(struct expression *x, const char *text, struct err *e);
/* Evaluate. `values`: values of the names, in their order. */
double expression_value(const struct expression *x, const double *values);
void expression_release(struct expression *x);

struct expression_step {
	enum {
		STEP_NUMBER,
		STEP_NAME,
		STEP_OR,
		STEP_XOR,
		STEP_AND,
		STEP_LESS,
		STEP_MORE,
		STEP_ADD,
		STEP_SUBTRACT,
		STEP_MULTIPLY,
		STEP_DIVIDE,
		STEP_MODULO,
		STEP_NEGATE,
		STEP_MIN,
		STEP_MAX,
		STEP_RATIO,
		STEP_CHOOSE
	} kind;
	double number;
	uint32_t name;
};

#endif
