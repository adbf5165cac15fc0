#ifndef SYMBOLS_CODE_ACCESS_H
#define SYMBOLS_CODE_ACCESS_H

#include "symbols/symbols.h"

/*
 * What data an instruction reads or writes, as a type of the source: its memory operand is followed back, through the
 * code before it, to a variable that DWARF knows. x86 only.
 */
struct access;

enum access_kind { ACCESS_UNKNOWN, ACCESS_STACK, ACCESS_CANARY, ACCESS_TYPE };
/* Named as perf's statistics name them. */
enum access_gap {
	ACCESS_KNOWN,
	ACCESS_NO_SYMBOL,
	ACCESS_NO_CODE,
	ACCESS_NO_DEBUG_INFO,
	ACCESS_NO_MEMORY,
	ACCESS_NO_TYPE,
	ACCESS_GAPS
};
struct access_type {
	enum access_kind kind;
	const char *name;    /* "struct node", "(unknown)", "(stack operation)", "(stack canary)". Lives as long as the
				access. Foreign text */
	const char *field;   /* the member that is accessed, "in.a"; NULL = it has none */
	uint64_t offset;     /* bytes from the type's start */
	enum access_gap gap; /* why it is not known */
	uint32_t object, type; /* for access_members */
};

/* One thread. */
struct access *access_new(struct symbols *s);
void access_free(struct access *a); /* NULL is fine */
/* The instruction at dso_off. Fastest in the order of addresses. */
struct access_type access_at(struct access *a, uint32_t dso, uint64_t dso_off);
/* The same of that instruction alone: one that accesses nothing does not stand for its neighbour, as in samples. */
struct access_type access_of(struct access *a, uint32_t dso, uint64_t dso_off);

/* A line of a type's definition: the type itself, then its members, those of a member directly behind it and one
 * deeper. */
struct access_member {
	const char *type, *name; /* "struct inner", "in"; live as long as the access. Foreign text */
	uint64_t offset, size;   /* bytes, from the start of the whole */
	unsigned depth;          /* 0 = the type itself */
	bool opens;              /* members follow */
};
struct access_members {
	VEC(struct access_member);
};
void access_members(struct access *a, const struct access_type *t, struct access_members *out);

#endif
