#ifndef SYMBOLS_UNWIND_CFI_PRIV_H
#define SYMBOLS_UNWIND_CFI_PRIV_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "symbols/unwind/arch_priv.h"

/*
 * Call frame information (.eh_frame, .debug_frame) of one object: for an address of the object, the row that tells how
 * to find the caller's registers. Reads both byte orders and word sizes, so recordings of other architectures unwind
 * here. Source: DWARF 5, 6.4 and 7.24; Linux Standard Base Core, "Exception Frames".
 */
struct cfi;

/* How a register of the caller is found. Absent from a row: it has the same value. */
enum cfi_how {
	CFI_SAME,
	CFI_UNDEFINED,  /* lost; for the return address: there is no caller */
	CFI_OFFSET,     /* in memory at CFA + offset */
	CFI_VAL_OFFSET, /* is CFA + offset */
	CFI_REGISTER,   /* in register `offset` */
	CFI_EXPR,       /* in memory at the result of the expression, which starts from the CFA */
	CFI_VAL_EXPR,   /* is the result of the expression */
};

struct cfi_rule {
	uint8_t reg; /* register numbers are those of struct arch */
	uint8_t how; /* enum cfi_how; of the CFA: CFI_REGISTER (value of `reg` + offset) or CFI_VAL_EXPR */
	uint32_t expr_len;
	int64_t offset;
	const uint8_t *expr; /* lives as long as the struct cfi */
};

struct cfi_row {
	struct cfi_rule cfa;
	uint8_t ret;     /* register that holds the return address after the rules were applied */
	bool is_signal;  /* the frame of a signal trampoline: its caller was interrupted, not called */
	bool ret_signed; /* the return address carries a pointer authentication code here */
	uint8_t n_rules;
	struct cfi_rule rules[];
};

/*
 * The CFI of the ELF object `data`, with .debug_frame from `debug` (may be NULL) if the object itself has none. Both
 * must outlive the struct. NULL with `e` set when it is no ELF object of the architecture. One without CFI opens and
 * has no rows.
 */
struct cfi *cfi_open(const void *data, size_t len, const void *debug, size_t debug_len, const struct arch *a,
		     struct err *e);
/* The same of an .eh_frame alone, as it would lie at `addr`. */
struct cfi *cfi_open_frames(const void *data, size_t len, uint64_t addr, const struct arch *a);
void cfi_close(struct cfi *c);

/* The row for that address of the object, allocated in `arena`; NULL if there is none or it is malformed. Thread-safe.
 */
const struct cfi_row *cfi_row(const struct cfi *c, uint64_t addr, struct arena *arena);
bool cfi_swapped(const struct cfi *c); /* the object is of the other byte order */

/*
 * Evaluates a rule's expression, which starts from the CFA unless `cfa` is NULL. `regs` by our numbers, `known` has a
 * bit for each that has a value. False when it is malformed, needs what is not known, or does not end.
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
