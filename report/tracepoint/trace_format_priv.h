#ifndef REPORT_TRACEPOINT_TRACE_FORMAT_PRIV_H
#define REPORT_TRACEPOINT_TRACE_FORMAT_PRIV_H

#include <ctype.h>

#include "report/tracepoint/trace_format.h"

/*
 * print fmt, read in steps: tracepoint/tokens.c takes the text apart, tracepoint/expression.c makes nodes of it, whose
 * types tracepoint/nodes.c knows, and tracepoint/string.c makes pieces of the string that they are arguments of. Who
 * fails says so in the parser, and everybody then returns at once.
 */
enum {
	TRACE_NODES_MAX = 4096,
	TRACE_DEPTH_MAX = 256, /* of expressions inside each other; a parenthesis counts as three */
};

struct trace_type {
	uint8_t size;
	bool is_signed;
};

enum trace_token { TOKEN_END, TOKEN_IDENT, TOKEN_NUMBER, TOKEN_STRING, TOKEN_OP, TOKEN_BAD };

/* Reads print fmt token by token, one ahead. */
struct trace_parser {
	struct trace_format *f;
	const char *at, *end;
	enum trace_token kind;
	const char *start; /* of the token */
	size_t len;
	uint64_t number;
	struct trace_type number_type;
	uint8_t op;
	char *string; /* of the format's arena */
	unsigned depth;
	bool failed;
};

/* --- tracepoint/tokens.c --- */

/* The next token, which is TOKEN_BAD when it is none. */
void trace_next(struct trace_parser *p);
uint32_t trace_fail(struct trace_parser *p); /* 0 */
bool trace_is_op(const struct trace_parser *p, uint8_t op);
bool trace_is_word(const struct trace_parser *p, const char *word);
/* Passes this operator, or fails. */
void trace_expect(struct trace_parser *p, uint8_t op);

static inline bool trace_is_ident(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* --- tracepoint/nodes.c --- */

/* Types of the kernel by one word; size 0 is that of a long. Ends with a NULL. */
extern const struct trace_type_name {
	const char *name;
	uint8_t size;
	bool is_signed;
} trace_type_names[];

/* Its number; its type follows from those of its operands. */
uint32_t trace_add_node(struct trace_parser *p, struct trace_node n);
/* Value of an expression made of numbers only; false for others. */
bool trace_constant(const struct trace_format *f, uint32_t node, uint64_t *v);

/* --- tracepoint/expression.c --- */

/* The node of the expression that begins here. */
uint32_t trace_expression(struct trace_parser *p);
/* One or more string literals next to each other, which are one; of the format's arena. */
char *trace_strings(struct trace_parser *p);

/* --- tracepoint/string.c --- */

/* "print fmt" behind its name: the pieces of `f`, which is understood then. */
void trace_print_format(struct trace_format *f, const char *text);

#endif
