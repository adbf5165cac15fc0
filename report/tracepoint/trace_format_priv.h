#ifndef REPORT_TRACEPOINT_TRACE_FORMAT_PRIV_H
#define REPORT_TRACEPOINT_TRACE_FORMAT_PRIV_H

#include <ctype.h>

#include "report/tracepoint/trace_format.h"

/*
 * The steps of reading print fmt:
 *
 *	tokens.c      splits the text into tokens
 *	expression.c  makes nodes from tokens
 *	nodes.c       knows the types of nodes
 *	string.c      makes pieces from the format string and its arguments
 *
 * A step that fails sets `failed` in the parser; then all functions return at once.
 */
enum {
	TRACE_NODES_MAX = 4096,
	TRACE_DEPTH_MAX = 256, /* nesting of expressions; a parenthesis counts as three levels */
};

struct trace_type {
	uint8_t size;
	bool is_signed;
};

enum trace_token { TOKEN_END, TOKEN_IDENT, TOKEN_NUMBER, TOKEN_STRING, TOKEN_OP, TOKEN_BAD };

/* The state of reading print fmt token by token, with one token of look-ahead. */
struct trace_parser {
	struct trace_format *f;
	const char *at, *end;
	enum trace_token kind;
	const char *start; /* start of the token */
	size_t len;
	uint64_t number;
	struct trace_type number_type;
	uint8_t op;
	char *string; /* text of a string token, in the format's arena */
	unsigned depth;
	bool failed;
};

/* --- tracepoint/tokens.c --- */

/* Read the next token; TOKEN_BAD if it is invalid. */
void trace_next(struct trace_parser *p);
uint32_t trace_fail(struct trace_parser *p); /* returns 0 */
bool trace_is_op(const struct trace_parser *p, uint8_t op);
bool trace_is_word(const struct trace_parser *p, const char *word);
/* Step over this operator, or fail. */
void trace_expect(struct trace_parser *p, uint8_t op);

static inline bool trace_is_ident(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* --- tracepoint/nodes.c --- */

/* The kernel's types with one-word names; size 0 means long. A NULL name ends the list. */
extern const struct trace_type_name {
	const char *name;
	uint8_t size;
	bool is_signed;
} trace_type_names[];

/* Add a node and derive its type from its operands. Return its number. */
uint32_t trace_add_node(struct trace_parser *p, struct trace_node n);
/* Compute the value of an expression that consists of numbers only. Return false for others. */
bool trace_constant(const struct trace_format *f, uint32_t node, uint64_t *v);

/* --- tracepoint/expression.c --- */

/* Read the expression that begins here; return its node. */
uint32_t trace_expression(struct trace_parser *p);
/* Join adjacent string literals, in the format's arena. */
char *trace_strings(struct trace_parser *p);

/* --- tracepoint/string.c --- */

/* Parse the text of "print fmt" into the pieces of `f`, and set `understood` on success. */
void trace_print_format(struct trace_format *f, const char *text);

#endif
