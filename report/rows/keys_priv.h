#ifndef REPORT_ROWS_KEYS_PRIV_H
#define REPORT_ROWS_KEYS_PRIV_H

#include "report/rows/keys.h"
#include "report/rows/view.h"

/* What the keys_*.c files share. */

enum { CACHE_LINE = 64 }; /* bytes, as in perf on every machine */

static inline int order_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* Compare keys that are numbers of samples. */
#define ASCENDING(name, value) \
	static int name(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return order_u64(view_value(v, a, value), view_value(v, b, value)); \
	}
#define DESCENDING(name, value) \
	static int name(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return order_u64(view_value(v, b, value), view_value(v, a, value)); \
	}

/* Compare addresses, the kernel's first. */
#define BY_ADDRESS(name, value) \
	static int name(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		int64_t x = (int64_t)view_value(v, a, value), y = (int64_t)view_value(v, b, value); \
\
		return (x > y) - (x < y); \
	}

/* One table per kind; name NULL ends it. List a new table in keys.c. */
extern const struct key keys_branch[], keys_memory[], keys_place[], keys_sample[], keys_stack[], keys_sum[],
	keys_type[];

/* --- keys_place.c --- */
/* Print an address without a name: 0 has no 0x, as with %#llx. */
void key_put_address(uint64_t address, int digits, struct out *o);

#endif
