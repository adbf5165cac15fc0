/* Keys of memory accesses and other measures of an instruction. */
#include "report/rows/keys_priv.h"

#include <elf.h>

#include "report/rows/memory_text.h"

enum { ADDRESS_DIGITS = 16 };

/* ---- weights, latencies: of one sample, or summed over the row ---- */

/* The weight of a branch is the number of cycles before it. */
static uint64_t weight_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->branch ? branch_cost(c->branch) : c->sample->weight;
}
static uint64_t ins_lat_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->ins_lat;
}
static uint64_t retire_lat_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->retire_lat;
}
DESCENDING(weight_compare, weight_value)
DESCENDING(ins_lat_compare, ins_lat_value)
DESCENDING(retire_lat_compare, retire_lat_value)

#define NUMBER_TEXT(what) \
	static void what##_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		out_u64(o, view_value(v, r, what##_value)); \
	} \
	static void what##_sum_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		out_u64(o, view_value(v, r, what##_value) * r->sums.samples); \
	}
NUMBER_TEXT(weight)
NUMBER_TEXT(ins_lat)
NUMBER_TEXT(retire_lat)

/* ---- transactions: linux/perf_event.h, PERF_TXN_* ---- */

enum { TXN_SYNC = 4, TXN_ASYNC = 8, TXN_ABORT_SHIFT = 32 };

static uint64_t transaction_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->transaction;
}
DESCENDING(transaction_compare, transaction_value)

static void transaction_text(const struct view *v, const struct row *r, struct out *o)
{
	static const char *const names[] = { "EL ",    "TX ",  "SYNC ",      "ASYNC ",
					     "RETRY ", "CON ", "CAP-WRITE ", "CAP-READ " };
	uint64_t t = view_value(v, r, transaction_value);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (t >> i & 1)
			out_str(o, names[i]);
	if (t && !(t & (TXN_SYNC | TXN_ASYNC)))
		out_str(o, "NEITHER ");
	if (t >> TXN_ABORT_SHIFT) {
		out_char(o, ':');
		out_hex(o, t >> TXN_ABORT_SHIFT);
	}
}

/* ---- pages ---- */

static uint64_t code_page_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->code_page_size;
}
static uint64_t data_page_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->data_page_size;
}
ASCENDING(code_page_compare, code_page_value)
ASCENDING(data_page_compare, data_page_value)
static void code_page_text(const struct view *v, const struct row *r, struct out *o)
{
	page_size_text(view_value(v, r, code_page_value), o);
}
static void data_page_text(const struct view *v, const struct row *r, struct out *o)
{
	page_size_text(view_value(v, r, data_page_value), o);
}

/* ---- what the access was ---- */

static uint64_t data_src(const struct sample *s)
{
	if (!(s->type & SAMPLE_DATA_SRC))
		return MEMORY_NOT_AVAILABLE;
	return s->data_src ? s->data_src : 1;
}

#define MEMORY_KEY(what, part) \
	static uint64_t what##_value(const struct sample_context *c, const struct profile_opts *o) \
	{ \
		return memory_only(data_src(c->sample), part); \
	} \
	static int what##_compare(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return order_u64(memory_bits(view_value(v, a, what##_value), part), \
				 memory_bits(view_value(v, b, what##_value), part)); \
	} \
	static void what##_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		memory_text(view_value(v, r, what##_value), part, o); \
	}
MEMORY_KEY(level, MEMORY_LEVEL)
MEMORY_KEY(snoop, MEMORY_SNOOP)
MEMORY_KEY(lock, MEMORY_LOCK)
MEMORY_KEY(tlb, MEMORY_TLB)
MEMORY_KEY(block, MEMORY_BLOCK)

/* ---- addresses ---- */

static uint64_t ip_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->branch ? load_u64(c->branch + 8) : c->sample->ip;
}
static uint64_t data_address_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->addr;
}
static uint64_t phys_address_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->phys_addr;
}

/* Put the CPU mode into the low bits, which are 0 in addresses of lines, so that kernel accesses are separate rows. */
static uint64_t cacheline_value(const struct sample_context *c, const struct profile_opts *o)
{
	return (c->sample->addr & ~(uint64_t)(CACHE_LINE - 1)) | (c->sample->misc & MISC_CPUMODE);
}

BY_ADDRESS(ip_compare, ip_value)
BY_ADDRESS(data_address_compare, data_address_value)
BY_ADDRESS(phys_address_compare, phys_address_value)
BY_ADDRESS(cacheline_compare, cacheline_value)

static void ip_text(const struct view *v, const struct row *r, struct out *o)
{
	key_put_address(view_value(v, r, ip_value), 1, o);
}

/* Print the address of the sampled instruction: each has its own row. */
static void code_address_text(const struct view *v, const struct row *r, struct out *o)
{
	key_put_symbol(v, fold_site(v->fold, r), key_level(r->first_mode), view_value(v, r, ip_value), o);
}

/* Print the offset of an address in its variable; nothing for functions. */
static void put_variable_offset(const struct view *v, const struct site *s, uint64_t dso_off, struct out *o)
{
	struct symbols *symbols = v->fold->profile->session->symbols;
	const struct symbol *sym = dso_symbol(symbols, s->dso, s->symbol);

	if (sym && sym->type == STT_OBJECT)
		out_fmt(o, "+0x%llx", (unsigned long long)symbol_offset(symbols, s->dso, s->symbol, dso_off));
}

static void data_address_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct site *s = fold_other(v->fold, r);

	key_put_symbol(v, s, key_level(r->first_mode), view_value(v, r, data_address_value), o);
	put_variable_offset(v, s, s->dso_off, o);
}

/* Return the width of a name, plus that of an address after it. */
static int data_address_width(const struct view *v, const struct row *r)
{
	const char *name = view_site_name(v, fold_other(v->fold, r));

	return 4 + (name ? out_name_width(name) : 0) + ADDRESS_DIGITS + 2;
}

static int cacheline_width(const struct view *v, const struct row *r)
{
	return data_address_width(v, r) + (view_site_name(v, fold_other(v->fold, r)) != NULL);
}

static void phys_address_text(const struct view *v, const struct row *r, struct out *o)
{
	out_fmt(o, "[%c] ", key_level(r->first_mode));
	key_put_address(view_value(v, r, phys_address_value), ADDRESS_DIGITS, o);
}

/* Print the line's place in its object. If nothing is mapped there, print the address with the level X. */
static void cacheline_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct site *s = fold_other(v->fold, r);
	uint64_t at = s->dso ? s->dso_off : view_value(v, r, cacheline_value);

	key_put_symbol(v, s, s->dso ? key_level(r->first_mode) : 'X', at & ~(uint64_t)(CACHE_LINE - 1), o);
	put_variable_offset(v, s, s->dso_off & ~(uint64_t)(CACHE_LINE - 1), o);
}

/* ---- the table ---- */

const struct key keys_memory[] = { { .name = "local_weight",
				     .title = "Local Weight",
				     .from = KEY_SAMPLE,
				     .rank = 27,
				     .width = 12,
				     .sample = { weight_value },
				     .compare = weight_compare,
				     .text = weight_text },
				   { .name = "weight",
				     .title = "Weight",
				     .from = KEY_SAMPLE,
				     .rank = 28,
				     .width = 12,
				     .sample = { weight_value },
				     .compare = weight_compare,
				     .text = weight_sum_text },
				   { .name = "local_ins_lat",
				     .title = "Local INSTR Latency",
				     .from = KEY_SAMPLE,
				     .rank = 29,
				     .width = 0,
				     .sample = { ins_lat_value },
				     .compare = ins_lat_compare,
				     .text = ins_lat_text },
				   { .name = "ins_lat",
				     .title = "INSTR Latency",
				     .from = KEY_SAMPLE,
				     .rank = 30,
				     .width = 0,
				     .sample = { ins_lat_value },
				     .compare = ins_lat_compare,
				     .text = ins_lat_sum_text },
				   { .name = "local_p_stage_cyc",
				     .title = "Local Retire Latency",
				     .from = KEY_SAMPLE,
				     .rank = 31,
				     .width = 0,
				     .sample = { retire_lat_value },
				     .compare = retire_lat_compare,
				     .text = retire_lat_text },
				   { .name = "p_stage_cyc",
				     .title = "Retire Latency",
				     .from = KEY_SAMPLE,
				     .rank = 32,
				     .width = 0,
				     .sample = { retire_lat_value },
				     .compare = retire_lat_compare,
				     .text = retire_lat_sum_text },
				   { .name = "local_retire_lat",
				     .title = "Local Pipeline Stage Cycle",
				     .from = KEY_SAMPLE,
				     .rank = 33,
				     .width = 0,
				     .sample = { retire_lat_value },
				     .compare = retire_lat_compare,
				     .text = retire_lat_text },
				   { .name = "retire_lat",
				     .title = "Pipeline Stage Cycle",
				     .from = KEY_SAMPLE,
				     .rank = 34,
				     .width = 0,
				     .sample = { retire_lat_value },
				     .compare = retire_lat_compare,
				     .text = retire_lat_sum_text },
				   { .name = "transaction",
				     .title = "Transaction",
				     .from = KEY_SAMPLE,
				     .rank = 35,
				     .width = 27,
				     .sample = { transaction_value },
				     .compare = transaction_compare,
				     .text = transaction_text },
				   { .name = "code_page_size",
				     .title = "Code Page Size",
				     .from = KEY_SAMPLE,
				     .rank = 36,
				     .width = 0,
				     .sample = { code_page_value },
				     .compare = code_page_compare,
				     .text = code_page_text },
				   { .name = "addr",
				     .title = "Address",
				     .from = KEY_SAMPLE,
				     .rank = 37,
				     .width = 18,
				     .sample = { ip_value },
				     .compare = ip_compare,
				     .text = ip_text },
				   { .name = "symbol_daddr",
				     .title = "Data Symbol",
				     .from = KEY_SAMPLE,
				     .rank = 63,
				     .width = 22,
				     .sample = { data_address_value },
				     .compare = data_address_compare,
				     .text = data_address_text,
				     .text_width = data_address_width,
				     .needs = NEEDS_MEMORY | NEEDS_ADDRESS },
				   { .name = "mem",
				     .title = "Memory access",
				     .from = KEY_SAMPLE,
				     .rank = 65,
				     .width = 39,
				     .sample = { level_value },
				     .compare = level_compare,
				     .text = level_text,
				     .needs = NEEDS_MEMORY },
				   { .name = "snoop",
				     .title = "Snoop",
				     .from = KEY_SAMPLE,
				     .rank = 66,
				     .width = 12,
				     .sample = { snoop_value },
				     .compare = snoop_compare,
				     .text = snoop_text,
				     .needs = NEEDS_MEMORY },
				   { .name = "tlb",
				     .title = "TLB access",
				     .from = KEY_SAMPLE,
				     .rank = 67,
				     .width = 22,
				     .sample = { tlb_value },
				     .compare = tlb_compare,
				     .text = tlb_text,
				     .needs = NEEDS_MEMORY },
				   { .name = "locked",
				     .title = "Locked",
				     .from = KEY_SAMPLE,
				     .rank = 68,
				     .width = 6,
				     .sample = { lock_value },
				     .compare = lock_compare,
				     .text = lock_text,
				     .ragged = true,
				     .needs = NEEDS_MEMORY },
				   { .name = "blocked",
				     .title = "Blocked",
				     .from = KEY_SAMPLE,
				     .rank = 69,
				     .width = 10,
				     .sample = { block_value },
				     .compare = block_compare,
				     .text = block_text,
				     .ragged = true,
				     .needs = NEEDS_MEMORY },
				   { .name = "dcacheline",
				     .title = "Data Cacheline",
				     .from = KEY_SAMPLE,
				     .rank = 70,
				     .width = 22,
				     .sample = { cacheline_value },
				     .compare = cacheline_compare,
				     .text = cacheline_text,
				     .text_width = cacheline_width,
				     .ragged = true,
				     .needs = NEEDS_MEMORY | NEEDS_ADDRESS },
				   { .name = "symbol_iaddr",
				     .title = "Code Symbol",
				     .from = KEY_SAMPLE,
				     .rank = 71,
				     .width = 22,
				     .sample = { ip_value },
				     .compare = ip_compare,
				     .text = code_address_text,
				     .needs = NEEDS_MEMORY },
				   { .name = "phys_daddr",
				     .title = "Data Physical Address",
				     .from = KEY_SAMPLE,
				     .rank = 72,
				     .width = 22,
				     .sample = { phys_address_value },
				     .compare = phys_address_compare,
				     .text = phys_address_text,
				     .needs = NEEDS_MEMORY },
				   { .name = "data_page_size",
				     .title = "Data Page Size",
				     .from = KEY_SAMPLE,
				     .rank = 73,
				     .width = 22,
				     .sample = { data_page_value },
				     .compare = data_page_compare,
				     .text = data_page_text,
				     .needs = NEEDS_MEMORY },
				   { 0 } };
