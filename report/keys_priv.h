#ifndef REPORT_KEYS_PRIV_H
#define REPORT_KEYS_PRIV_H

#include "report/keys.h"
#include "report/view.h"

/* What several files of keys share, and the functions that rows of the table in keys.c name. */

static inline int order_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* Orders of keys that are numbers of samples. */
#define ASCENDING(name, value) \
int name(const struct view *v, const struct row *a, const struct row *b) \
{ \
	return order_u64(view_value(v, a, value), view_value(v, b, value)); \
}
#define DESCENDING(name, value) \
int name(const struct view *v, const struct row *a, const struct row *b) \
{ \
	return order_u64(view_value(v, b, value), view_value(v, a, value)); \
}

/* Addresses, the kernel's first. */
#define BY_ADDRESS(name, value) \
int name(const struct view *v, const struct row *a, const struct row *b) \
{ \
	int64_t x = (int64_t)view_value(v, a, value), y = (int64_t)view_value(v, b, value); \
\
	return (x > y) - (x < y); \
}

typedef int key_compare(const struct view *v, const struct row *a, const struct row *b);
typedef void key_text(const struct view *v, const struct row *r, struct out *o);

/* --- keys.c --- */
/* "[.] main", or the address where there is no symbol. */
void key_put_symbol(const struct view *v, const struct site *s, char level, uint64_t address, struct out *o);
char key_level(unsigned cpumode);

/* An address that has no name: 0 is written without 0x, as %#llx does. */
void key_put_address(uint64_t address, int digits, struct out *o);

/* --- keys_memory.c --- */
key_sample weight_value, ins_lat_value, retire_lat_value, transaction_value, code_page_value, data_page_value, ip_value;
key_sample level_value, snoop_value, lock_value, tlb_value, block_value, data_address_value, phys_address_value, cacheline_value;
key_compare weight_compare, ins_lat_compare, retire_lat_compare, transaction_compare, code_page_compare, data_page_compare, ip_compare;
key_compare level_compare, snoop_compare, lock_compare, tlb_compare, block_compare, data_address_compare, phys_address_compare, cacheline_compare;
key_text weight_text, weight_sum_text, ins_lat_text, ins_lat_sum_text, retire_lat_text, retire_lat_sum_text, transaction_text, code_page_text;
key_text data_page_text, ip_text, level_text, snoop_text, lock_text, tlb_text, block_text, data_address_text, phys_address_text, cacheline_text;

/* --- keys_type.c --- */
typedef uint64_t key_site(const struct fold *f, const struct site *s);
key_site type_id, type_offset_id, type_line_id;
key_compare type_compare, type_offset_compare, type_line_compare;
key_text type_text, type_offset_text, type_line_text;

typedef int key_width(const struct view *v, const struct row *r);
key_width data_address_width, cacheline_width;

#endif
