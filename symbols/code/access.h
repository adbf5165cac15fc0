#ifndef SYMBOLS_CODE_ACCESS_H
#define SYMBOLS_CODE_ACCESS_H

#include "symbols/symbols.h"

/*
 * What data an instruction reads or writes, as a type of the source: its memory operand is followed back, through the
 * code before it, to a variable that DWARF knows. x86 only.
 */
struct access;

enum access_kind { ACCESS_UNKNOWN, ACCESS_STACK, ACCESS_CANARY, ACCESS_TYPE };
struct access_type {
	enum access_kind kind;
	const char *name;  /* "struct node", "(unknown)", "(stack operation)", "(stack canary)". Lives as long as the
			      access. Foreign text */
	const char *field; /* the member that is accessed, "in.a"; NULL = it has none */
	uint64_t offset;   /* bytes from the type's start */
};

/* One thread. */
struct access *access_new(struct symbols *s);
void access_free(struct access *a); /* NULL is fine */
/* The instruction at dso_off. Fastest in the order of addresses. */
struct access_type access_at(struct access *a, uint32_t dso, uint64_t dso_off);

#endif
