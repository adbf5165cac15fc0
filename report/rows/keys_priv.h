#ifndef REPORT_ROWS_KEYS_PRIV_H
#define REPORT_ROWS_KEYS_PRIV_H

#include "report/rows/keys.h"
#include "report/rows/view.h"

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

typedef uint64_t key_site(const struct fold *f, const struct site *s);
typedef int key_width(const struct view *v, const struct row *r);
typedef int key_compare(const struct view *v, const struct row *a, const struct row *b);
typedef void key_text(const struct view *v, const struct row *r, struct out *o);

/* --- keys_place.c --- */
/* "[.] main", or the address where there is no symbol. */
void key_put_symbol(const struct view *v, const struct site *s, char level, uint64_t address, struct out *o);
char key_level(unsigned cpumode);

/* An address that has no name: 0 is written without 0x, as %#llx does. */
void key_put_address(uint64_t address, int digits, struct out *o);

key_site end_address_id, file_id, line_id, object_id, object_size_id, offset_id, symbol_id, symbol_size_id;
key_compare from_address_compare, from_object_compare, from_symbol_compare, other_line_compare, other_object_compare,
	self_file_compare;
key_compare self_line_compare, self_object_compare, self_object_identity, self_object_size_compare, self_offset_compare,
	self_size_compare;
key_compare self_symbol_compare, self_symbol_identity, to_address_compare, to_object_compare, to_symbol_compare;
key_text code_address_text, from_address_text, other_line_text, other_object_text, other_symbol_text, row_symbol_text,
	self_file_text, self_line_text;
key_text self_object_size_text, self_object_text, self_offset_text, self_size_text, self_symbol_text, to_address_text;
key_width from_object_width, other_object_width, other_symbol_width, self_object_width, self_symbol_width,
	to_object_width;

/* --- keys_sample.c --- */
sample_value cgroup_id_value, cgroup_value, comm_nodigit_value, comm_value, cpu_value, parallelism_value, pid_value,
	simd_value, socket_value;
sample_value tgid_value, time_value, trace_value;
key_compare cgroup_compare, cgroup_id_compare, comm_compare, comm_nodigit_compare, cpu_compare, parallelism_compare,
	pid_compare, socket_compare;
key_compare tgid_compare, time_compare, trace_compare;
key_text cgroup_id_text, cgroup_text, comm_nodigit_text, comm_text, cpu_text, parallelism_text, pid_text, simd_text,
	socket_text, tgid_text, time_text;
key_text trace_text;
key_width comm_width, pid_width, time_width;

/* --- keys_stack.c --- */
key_compare parent_compare, stack_compare;
key_text parent_text, stack_text;

/* --- keys_branch.c --- */
sample_value abort_value, cycles_value, in_tx_value, mispredict_value;
key_compare abort_compare, cycles_compare, in_tx_compare, mispredict_compare;
key_text abort_text, branch_ipc_text, cycles_text, history_abort_text, history_cycles_text, history_predicted_text,
	in_tx_text, ipc_text;
key_text mispredict_text;

/* --- keys_memory.c --- */
sample_value weight_value, ins_lat_value, retire_lat_value, transaction_value, code_page_value, data_page_value,
	ip_value;
sample_value level_value, snoop_value, lock_value, tlb_value, block_value, data_address_value, phys_address_value,
	cacheline_value;
key_compare weight_compare, ins_lat_compare, retire_lat_compare, transaction_compare, code_page_compare,
	data_page_compare, ip_compare;
key_compare level_compare, snoop_compare, lock_compare, tlb_compare, block_compare, data_address_compare,
	phys_address_compare, cacheline_compare;
key_text weight_text, weight_sum_text, ins_lat_text, ins_lat_sum_text, retire_lat_text, retire_lat_sum_text,
	transaction_text, code_page_text;
key_text data_page_text, ip_text, level_text, snoop_text, lock_text, tlb_text, block_text, data_address_text,
	phys_address_text, cacheline_text;
key_width data_address_width, cacheline_width;

/* --- keys_type.c --- */
key_site type_id, type_offset_id, type_line_id;
key_compare type_compare, type_offset_compare, type_line_compare;
key_text type_text, type_offset_text, type_line_text;

#endif
