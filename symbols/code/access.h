#ifndef SYMBOLS_CODE_ACCESS_H
#define SYMBOLS_CODE_ACCESS_H

#include "symbols/symbols.h"

/*
 * Find what data an instruction reads or writes, as a type of the source. It follows the memory
 * operand back through the code to a variable that DWARF describes. x86 only.
 */
struct access;

enum access_kind { ACCESS_UNKNOWN, ACCESS_STACK, ACCESS_CANARY, ACCESS_TYPE };
/* Why the type is unknown, named like perf's statistics. */
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
	/*
	 * "struct node", "(unknown)", "(stack operation)", "(stack canary)". Lives as long as
	 * the struct access. Foreign text.
	 */
	const char *name;
	const char *field;     /* the accessed member, "in.a"; NULL = none */
	uint64_t offset;       /* bytes from the type's start */
	enum access_gap gap;   /* why the type is unknown */
	uint32_t object, type; /* for access_members */
};

/* Use it on one thread. */
struct access *access_new(struct symbols *s);
void access_free(struct access *a); /* NULL is fine */
/*
 * Return the type that the instruction at dso_off accesses, for a sample there. Fastest in
 * ascending order of addresses.
 */
struct access_type access_at(struct access *a, uint32_t dso, uint64_t dso_off);
/*
 * The same for exactly this instruction. access_at() may answer for the previous one instead,
 * if both were fused.
 */
struct access_type access_of(struct access *a, uint32_t dso, uint64_t dso_off);

/*
 * A line of a type's definition: the type itself, then its members. The members of a member
 * follow it, one level deeper.
 */
struct access_member {
	/* "struct inner", "in"; live as long as the struct access. Foreign text */
	const char *type, *name;
	uint64_t offset, size; /* bytes; offset from the start of the outermost type */
	unsigned depth;        /* 0 = the type itself */
	bool opens;            /* members follow */
};
struct access_members {
	VEC(struct access_member);
};
void access_members(struct access *a, const struct access_type *t, struct access_members *out);

#endif
