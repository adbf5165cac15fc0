#ifndef REPORT_ROWS_KEYS_PRIV_H
#define REPORT_ROWS_KEYS_PRIV_H

#include "report/rows/keys.h"
#include "report/rows/view.h"

/* What several files of keys share. */

static inline int order_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* Orders of keys that are numbers of samples. */
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

/* Addresses, the kernel's first. */
#define BY_ADDRESS(name, value) \
	static int name(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		int64_t x = (int64_t)view_value(v, a, value), y = (int64_t)view_value(v, b, value); \
\
		return (x > y) - (x < y); \
	}

/* One table a kind, name NULL at the end. A new one is listed in keys.c. */
extern const struct key keys_branch[], keys_memory[], keys_place[], keys_sample[], keys_stack[], keys_sum[],
	keys_type[];

/* --- keys_place.c --- */
/* "[.] main", or the address where there is no symbol. */
void key_put_symbol(const struct view *v, const struct site *s, char level, uint64_t address, struct out *o);
char key_level(unsigned cpumode);

/* An address that has no name: 0 is written without 0x, as %#llx does. */
void key_put_address(uint64_t address, int digits, struct out *o);

#endif
