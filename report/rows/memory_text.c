#include "report/rows/memory_text.h"

#include "base/mem.h"

/*
 * Bits of a sample's data_src. Source: perf_event_open(2), PERF_SAMPLE_DATA_SRC;
 * linux/perf_event.h, union perf_mem_data_src and PERF_MEM_*.
 */
enum {
	OP_SHIFT = 0,
	LVL_SHIFT = 5,
	SNOOP_SHIFT = 19,
	LOCK_SHIFT = 24,
	TLB_SHIFT = 26,
	LVL_NUM_SHIFT = 33,
	REMOTE_SHIFT = 37,
	SNOOPX_SHIFT = 38,
	BLK_SHIFT = 40,
	HOPS_SHIFT = 43,
	LVL_NUM_NA = 15,
};

static unsigned part(uint64_t data_src, unsigned shift, unsigned bits)
{
	return (unsigned)(data_src >> shift) & ((1u << bits) - 1);
}

/* Print the names of the set bits, "A or B". false: no bit was set. */
static bool print_bits(struct out *o, unsigned bits, const char *const *names, size_t n, bool any)
{
	for (size_t i = 0; i < n; i++) {
		if (!(bits >> i & 1) || !names[i])
			continue;
		if (any)
			out_str(o, " or ");
		out_str(o, names[i]);
		any = true;
	}
	return any;
}

static void op_text(struct out *o, unsigned op)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (op >> i & 1) {
			out_str(o, names[i]);
			return;
		}
	out_str(o, "No");
}

static void level_text(struct out *o, uint64_t data_src)
{
	enum { HIT = 2, MISS = 4 };
	static const char *const levels[] = { NULL,
					      NULL,
					      NULL,
					      "L1",
					      "LFB/MAB",
					      "L2",
					      "L3",
					      "Local RAM",
					      "Remote RAM (1 hop)",
					      "Remote RAM (2 hops)",
					      "Remote Cache (1 hop)",
					      "Remote Cache (2 hops)",
					      "I/O",
					      "Uncached" };
	static const char *const numbers[LVL_NUM_NA] = {
		NULL,  "L1",  "L2",        "L3",      "L4",  "L2 MHB", "Memory-side Cache", NULL, "Uncached",
		"CXL", "I/O", "Any cache", "LFB/MAB", "RAM", "PMEM"
	};
	static const char *const hops[8] = { NULL, "core, same node", "node, same socket", "socket, same board",
					     "board" };
	unsigned lvl = part(data_src, LVL_SHIFT, 14), number = part(data_src, LVL_NUM_SHIFT, 4),
		 hop = part(data_src, HOPS_SHIFT, 3);

	if (number && number != LVL_NUM_NA) {
		if (part(data_src, REMOTE_SHIFT, 1)) {
			out_str(o, "Remote ");
			if (hops[hop])
				out_fmt(o, "%s ", hops[hop]);
		}
		if (numbers[number])
			out_str(o, numbers[number]);
		else
			out_fmt(o, "Unknown level %u", number);
	} else if (!print_bits(o, lvl, levels, ARRAY_SIZE(levels), false)) {
		out_str(o, "N/A");
		return;
	}
	out_str(o, lvl & HIT ? " hit" : lvl & MISS ? " miss" : " ");
}

static void snoop_text(struct out *o, uint64_t data_src)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" }, *const more[] = { "Fwd", "Peer" };
	bool any;

	any = print_bits(o, part(data_src, SNOOP_SHIFT, 5), names, ARRAY_SIZE(names), false);
	if (!print_bits(o, part(data_src, SNOOPX_SHIFT, 2), more, ARRAY_SIZE(more), any))
		out_str(o, "N/A");
}

static void tlb_text(struct out *o, unsigned tlb)
{
	enum { HIT = 2, MISS = 4 };
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };

	if (!print_bits(o, tlb, names, ARRAY_SIZE(names), false))
		out_str(o, "N/A");
	if (tlb & HIT)
		out_str(o, " hit");
	if (tlb & MISS)
		out_str(o, " miss");
}

static void lock_text(struct out *o, unsigned lock)
{
	enum { NOT_KNOWN = 1, LOCKED = 2 };

	out_str(o, lock & NOT_KNOWN ? "N/A" : lock & LOCKED ? "Yes" : "No");
}

static void block_text(struct out *o, unsigned block)
{
	enum { NOT_KNOWN = 1, DATA = 2, ADDR = 4 };

	if (!block || block & NOT_KNOWN) {
		out_str(o, " N/A");
		return;
	}
	if (block & DATA)
		out_str(o, " Data");
	if (block & ADDR)
		out_str(o, " Addr");
}

void memory_text(uint64_t data_src, enum memory_part what, struct out *o)
{
	switch (what) {
	case MEMORY_OP: op_text(o, part(data_src, OP_SHIFT, 5)); break;
	case MEMORY_LEVEL: level_text(o, data_src); break;
	case MEMORY_SNOOP: snoop_text(o, data_src); break;
	case MEMORY_LOCK: lock_text(o, part(data_src, LOCK_SHIFT, 2)); break;
	case MEMORY_TLB: tlb_text(o, part(data_src, TLB_SHIFT, 7)); break;
	case MEMORY_BLOCK: block_text(o, part(data_src, BLK_SHIFT, 3)); break;
	}
}

static uint64_t mask(unsigned shift, unsigned bits) { return ((1ull << bits) - 1) << shift; }

uint64_t memory_only(uint64_t data_src, enum memory_part what)
{
	switch (what) {
	case MEMORY_OP: return data_src & mask(OP_SHIFT, 5);
	case MEMORY_LEVEL:
		return data_src &
		       (mask(LVL_SHIFT, 14) | mask(LVL_NUM_SHIFT, 4) | mask(REMOTE_SHIFT, 1) | mask(HOPS_SHIFT, 3));
	case MEMORY_SNOOP: return data_src & (mask(SNOOP_SHIFT, 5) | mask(SNOOPX_SHIFT, 2));
	case MEMORY_LOCK: return data_src & mask(LOCK_SHIFT, 2);
	case MEMORY_TLB: return data_src & mask(TLB_SHIFT, 7);
	case MEMORY_BLOCK: return data_src & mask(BLK_SHIFT, 3);
	}
	return 0;
}

uint64_t memory_bits(uint64_t data_src, enum memory_part what)
{
	switch (what) {
	case MEMORY_OP: return part(data_src, OP_SHIFT, 5);
	case MEMORY_LEVEL:
		return (uint64_t)part(data_src, LVL_SHIFT, 14) << 8 | part(data_src, LVL_NUM_SHIFT, 4) << 4 |
		       part(data_src, HOPS_SHIFT, 3) << 1 | part(data_src, REMOTE_SHIFT, 1);
	case MEMORY_SNOOP: return (uint64_t)part(data_src, SNOOP_SHIFT, 5) << 2 | part(data_src, SNOOPX_SHIFT, 2);
	case MEMORY_LOCK: return part(data_src, LOCK_SHIFT, 2);
	case MEMORY_TLB: return part(data_src, TLB_SHIFT, 7);
	case MEMORY_BLOCK: return part(data_src, BLK_SHIFT, 3);
	}
	return 0;
}

void page_size_text(uint64_t size, struct out *o)
{
	static const char units[] = "BKMGTPE";
	unsigned unit = 0;

	if (!size) {
		out_str(o, "N/A");
		return;
	}
	while (!(size & 1023) && units[unit + 1]) {
		size >>= 10;
		unit++;
	}
	out_u64(o, size);
	out_char(o, units[unit]);
}
