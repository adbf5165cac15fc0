/* Keys of memory accesses and of what the hardware measured of an instruction. */
#include "report/rows/keys_priv.h"

#include <elf.h>

#include "report/rows/memory_text.h"

enum { ADDRESS_DIGITS = 16, CACHE_LINE = 64 };

/* ---- weights, latencies: of one sample, or summed over the row ---- */

/* What a branch cost are the cycles before it. */
uint64_t weight_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->branch ? branch_cost(c->branch) : c->sample->weight;
}
uint64_t ins_lat_value(const struct sample_context *c, const struct profile_opts *o) { return c->sample->ins_lat; }
uint64_t retire_lat_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->retire_lat;
}
DESCENDING(weight_compare, weight_value)
DESCENDING(ins_lat_compare, ins_lat_value)
DESCENDING(retire_lat_compare, retire_lat_value)

#define NUMBER_TEXT(what) \
	void what##_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		out_u64(o, view_value(v, r, what##_value)); \
	} \
	void what##_sum_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		out_u64(o, view_value(v, r, what##_value) * r->sums.samples); \
	}
NUMBER_TEXT(weight)
NUMBER_TEXT(ins_lat)
NUMBER_TEXT(retire_lat)

/* ---- transactions: linux/perf_event.h, PERF_TXN_* ---- */

enum { TXN_SYNC = 4, TXN_ASYNC = 8, TXN_ABORT_SHIFT = 32 };

uint64_t transaction_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->transaction;
}
DESCENDING(transaction_compare, transaction_value)

void transaction_text(const struct view *v, const struct row *r, struct out *o)
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

uint64_t code_page_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->code_page_size;
}
uint64_t data_page_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->data_page_size;
}
ASCENDING(code_page_compare, code_page_value)
ASCENDING(data_page_compare, data_page_value)
void code_page_text(const struct view *v, const struct row *r, struct out *o)
{
	page_size_text(view_value(v, r, code_page_value), o);
}
void data_page_text(const struct view *v, const struct row *r, struct out *o)
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
	uint64_t what##_value(const struct sample_context *c, const struct profile_opts *o) \
	{ \
		return memory_only(data_src(c->sample), part); \
	} \
	int what##_compare(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return order_u64(memory_bits(view_value(v, a, what##_value), part), \
				 memory_bits(view_value(v, b, what##_value), part)); \
	} \
	void what##_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		memory_text(view_value(v, r, what##_value), part, o); \
	}
MEMORY_KEY(level, MEMORY_LEVEL)
MEMORY_KEY(snoop, MEMORY_SNOOP)
MEMORY_KEY(lock, MEMORY_LOCK)
MEMORY_KEY(tlb, MEMORY_TLB)
MEMORY_KEY(block, MEMORY_BLOCK)

/* ---- addresses ---- */

uint64_t ip_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->branch ? load_u64(c->branch + 8) : c->sample->ip;
}
uint64_t data_address_value(const struct sample_context *c, const struct profile_opts *o) { return c->sample->addr; }
uint64_t phys_address_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->phys_addr;
}

/* With the mode in bits that no line has: the kernel's accesses count apart. */
uint64_t cacheline_value(const struct sample_context *c, const struct profile_opts *o)
{
	return (c->sample->addr & ~(uint64_t)(CACHE_LINE - 1)) | (c->sample->misc & MISC_CPUMODE);
}

BY_ADDRESS(ip_compare, ip_value)
BY_ADDRESS(data_address_compare, data_address_value)
BY_ADDRESS(phys_address_compare, phys_address_value)
BY_ADDRESS(cacheline_compare, cacheline_value)

void ip_text(const struct view *v, const struct row *r, struct out *o)
{
	key_put_address(view_value(v, r, ip_value), 1, o);
}

/* Where in a variable the object's offset is; of functions it is not told. */
static void put_variable_offset(const struct view *v, const struct site *s, uint64_t dso_off, struct out *o)
{
	struct symbols *symbols = v->fold->profile->session->symbols;
	const struct symbol *sym = dso_symbol(symbols, s->dso, s->symbol);

	if (sym && sym->type == STT_OBJECT)
		out_fmt(o, "+0x%llx", (unsigned long long)(dso_address(symbols, s->dso, dso_off) - sym->start));
}

void data_address_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct site *s = fold_other(v->fold, r);

	key_put_symbol(v, s, key_level(r->first_mode), view_value(v, r, data_address_value), o);
	put_variable_offset(v, s, s->dso_off, o);
}

/* A name gets the room that an address behind it would take. */
int data_address_width(const struct view *v, const struct row *r)
{
	const char *name = view_site_name(v, fold_other(v->fold, r));

	return 4 + (name ? out_name_width(name) : 0) + ADDRESS_DIGITS + 2;
}

int cacheline_width(const struct view *v, const struct row *r)
{
	return data_address_width(v, r) + (view_site_name(v, fold_other(v->fold, r)) != NULL);
}

static void put_address(uint64_t address, struct out *o)
{
	out_str(o, address ? "0x" : "");
	out_hex_pad(o, address, ADDRESS_DIGITS, '0');
}

void phys_address_text(const struct view *v, const struct row *r, struct out *o)
{
	out_fmt(o, "[%c] ", key_level(r->first_mode));
	put_address(view_value(v, r, phys_address_value), o);
}

/* X: nothing is mapped there; else the line is where it lies in its object. */
void cacheline_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct site *s = fold_other(v->fold, r);
	uint64_t at = s->dso ? s->dso_off : view_value(v, r, cacheline_value);

	key_put_symbol(v, s, s->dso ? key_level(r->first_mode) : 'X', at & ~(uint64_t)(CACHE_LINE - 1), o);
	put_variable_offset(v, s, s->dso_off & ~(uint64_t)(CACHE_LINE - 1), o);
}
