#ifndef SYMBOLS_UNWIND_CFI_PRIV_H
#define SYMBOLS_UNWIND_CFI_PRIV_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "symbols/arch/arch.h"

/*
 * Call frame information (.eh_frame, .debug_frame) of one object: for each address, a row that
 * says how to find the caller's registers. It reads both byte orders and word sizes, so it also
 * unwinds recordings of other architectures. Source: DWARF 5, 6.4 and 7.24; Linux Standard Base
 * Core, "Exception Frames".
 */
struct cfi;

/* How to find a register of the caller. A register without a rule keeps its value. */
enum cfi_how {
	CFI_SAME,
	CFI_UNDEFINED,  /* lost; for the return address: there is no caller */
	CFI_OFFSET,     /* value is in memory at CFA + offset */
	CFI_VAL_OFFSET, /* value is CFA + offset */
	CFI_REGISTER,   /* value is in register `offset` */
	CFI_EXPR,       /* value is in memory at the expression's result */
	CFI_VAL_EXPR,   /* value is the expression's result */
};

struct cfi_rule {
	uint8_t reg; /* numbers are those of struct arch */
	/* enum cfi_how; for the CFA: CFI_REGISTER (value of `reg` + offset) or CFI_VAL_EXPR */
	uint8_t how;
	uint32_t expr_len;
	int64_t offset;
	const uint8_t *expr; /* lives as long as the struct cfi */
};

struct cfi_row {
	struct cfi_rule cfa;
	uint8_t ret;     /* holds the return address after applying the rules */
	bool is_signal;  /* frame of a signal trampoline: its caller was interrupted, it did not call */
	bool ret_signed; /* the return address carries a pointer authentication code here */
	/*
	 * The usual row: the CFA is a register plus an offset, and all rules are CFI_OFFSET, with offsets from `low` to
	 * `high`; none is of the stack pointer.
	 */
	bool is_plain;
	uint8_t n_rules;
	int32_t low, high;
	struct cfi_rule rules[];
};

/* Memory for a row with any number of rules. */
union cfi_row_room {
	struct cfi_row row;
	char bytes[sizeof(struct cfi_row) + ARCH_MAX_REGS * sizeof(struct cfi_rule)];
};

/*
 * Open the CFI of the ELF object `data`, with .debug_frame from `debug` (may be NULL) if the object
 * has none. Both must outlive the struct. Return NULL with `e` set when the data are no ELF object
 * of this architecture. An object without CFI opens and has no rows.
 */
struct cfi *cfi_open(const void *data, size_t len, const void *debug, size_t debug_len, const struct arch *a,
		     struct err *e);
/* Take .debug_frame from an object's debug file, unless the object has one; the bytes must outlive the struct. */
void cfi_add_debug(struct cfi *c, const void *debug, size_t debug_len);
/* As cfi_open, for the bytes of an .eh_frame that belongs at address `addr`. */
struct cfi *cfi_open_frames(const void *data, size_t len, uint64_t addr, const struct arch *a);
void cfi_close(struct cfi *c);

/*
 * Return the row for an address of the object, which lies in `room`; NULL if there is none or it is malformed.
 * Thread-safe.
 */
const struct cfi_row *cfi_row_at(const struct cfi *c, uint64_t addr, union cfi_row_room *room);
/* The same, allocated in `arena`. */
const struct cfi_row *cfi_row(const struct cfi *c, uint64_t addr, struct arena *arena);
/*
 * Report the rows of all addresses from `from` up to, but not including, `to`, in ascending order.
 * Each row holds from `start` up to `end`, and lives until the next call of `fn`. Addresses without
 * a row are left out. The rows are those of cfi_row, except that the second section is not asked:
 * see cfi_has_more.
 */
typedef void cfi_each_row(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row);
void cfi_rows(const struct cfi *c, uint64_t from, uint64_t to, cfi_each_row *fn, void *ctx);
/* Return whether a second section may describe what the first leaves out. */
bool cfi_has_more(const struct cfi *c);
/* Get the address range of all functions of the first section; false if there are none. */
bool cfi_range(const struct cfi *c, uint64_t *from, uint64_t *to);
/*
 * List the functions that .eh_frame describes, by address, and where their entries are; return 0
 * without .eh_frame.
 */
struct cfi_function {
	uint64_t start, entry;
};
size_t cfi_functions(const struct cfi *c);
struct cfi_function cfi_function(const struct cfi *c, size_t i);
bool cfi_swapped(const struct cfi *c); /* for tests and fuzzers: the object's byte order is not the host's */

/*
 * Evaluate a rule's expression. The CFA is on the stack at the start unless `cfa` is NULL.
 * `regs` are indexed by our numbers; `known` has a bit for each register with a value. Return
 * false when the expression is malformed, needs an unknown value, or does not end.
 */
struct cfi_machine {
	const uint64_t *regs;
	uint64_t known;
	bool (*load)(void *ctx, uint64_t addr, unsigned size, uint64_t *value);
	void *ctx;
};
bool cfi_eval(const struct arch *a, bool swap, const struct cfi_rule *r, const uint64_t *cfa,
	      const struct cfi_machine *m, uint64_t *value);

#endif
