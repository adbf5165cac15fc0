#include "report/rows/memory_text.h"

#include "base/mem.h"
#include "format/data_src.h"

/* Print the names of the set bits, "A or B". Return false if none was set. */
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
	static const char *const numbers[DATA_NUMBER_NA] = {
		NULL,  "L1",  "L2",        "L3",      "L4",  "L2 MHB", "Memory-side Cache", NULL, "Uncached",
		"CXL", "I/O", "Any cache", "LFB/MAB", "RAM", "PMEM"
	};
	static const char *const hops[8] = { NULL, "core, same node", "node, same socket", "socket, same board",
					     "board" };
	unsigned lvl = data_src_get(data_src, DATA_SRC_LEVEL), number = data_src_get(data_src, DATA_SRC_NUMBER),
		 hop = data_src_get(data_src, DATA_SRC_HOPS);

	if (number && number != DATA_NUMBER_NA) {
		if (data_src_get(data_src, DATA_SRC_REMOTE)) {
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
	out_str(o, lvl & DATA_LEVEL_HIT ? " hit" : lvl & DATA_LEVEL_MISS ? " miss" : " ");
}

static void snoop_text(struct out *o, uint64_t data_src)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" }, *const more[] = { "Fwd", "Peer" };
	bool any;

	any = print_bits(o, data_src_get(data_src, DATA_SRC_SNOOP), names, ARRAY_SIZE(names), false);
	if (!print_bits(o, data_src_get(data_src, DATA_SRC_SNOOPX), more, ARRAY_SIZE(more), any))
		out_str(o, "N/A");
}

static void tlb_text(struct out *o, unsigned tlb)
{
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };

	if (!print_bits(o, tlb, names, ARRAY_SIZE(names), false))
		out_str(o, "N/A");
	if (tlb & DATA_TLB_HIT)
		out_str(o, " hit");
	if (tlb & DATA_TLB_MISS)
		out_str(o, " miss");
}

static void lock_text(struct out *o, unsigned lock)
{
	out_str(o, lock & DATA_LOCK_NA ? "N/A" : lock & DATA_LOCKED ? "Yes" : "No");
}

static void block_text(struct out *o, unsigned block)
{
	if (!block || block & DATA_BLOCK_NA) {
		out_str(o, " N/A");
		return;
	}
	if (block & DATA_BLOCKED_BY_DATA)
		out_str(o, " Data");
	if (block & DATA_BLOCKED_BY_ADDRESS)
		out_str(o, " Addr");
}

void memory_text(uint64_t data_src, enum memory_part what, struct out *o)
{
	switch (what) {
	case MEMORY_OP: op_text(o, data_src_get(data_src, DATA_SRC_OP)); break;
	case MEMORY_LEVEL: level_text(o, data_src); break;
	case MEMORY_SNOOP: snoop_text(o, data_src); break;
	case MEMORY_LOCK: lock_text(o, data_src_get(data_src, DATA_SRC_LOCK)); break;
	case MEMORY_TLB: tlb_text(o, data_src_get(data_src, DATA_SRC_TLB)); break;
	case MEMORY_BLOCK: block_text(o, data_src_get(data_src, DATA_SRC_BLOCK)); break;
	}
}

uint64_t memory_only(uint64_t data_src, enum memory_part what)
{
	switch (what) {
	case MEMORY_OP: return data_src & data_src_mask(DATA_SRC_OP);
	case MEMORY_LEVEL:
		return data_src & (data_src_mask(DATA_SRC_LEVEL) | data_src_mask(DATA_SRC_NUMBER) |
				   data_src_mask(DATA_SRC_REMOTE) | data_src_mask(DATA_SRC_HOPS));
	case MEMORY_SNOOP: return data_src & (data_src_mask(DATA_SRC_SNOOP) | data_src_mask(DATA_SRC_SNOOPX));
	case MEMORY_LOCK: return data_src & data_src_mask(DATA_SRC_LOCK);
	case MEMORY_TLB: return data_src & data_src_mask(DATA_SRC_TLB);
	case MEMORY_BLOCK: return data_src & data_src_mask(DATA_SRC_BLOCK);
	}
	return 0;
}

uint64_t memory_bits(uint64_t data_src, enum memory_part what)
{
	switch (what) {
	case MEMORY_OP: return data_src_get(data_src, DATA_SRC_OP);
	case MEMORY_LEVEL:
		return (uint64_t)data_src_get(data_src, DATA_SRC_LEVEL) << 8 |
		       data_src_get(data_src, DATA_SRC_NUMBER) << 4 | data_src_get(data_src, DATA_SRC_HOPS) << 1 |
		       data_src_get(data_src, DATA_SRC_REMOTE);
	case MEMORY_SNOOP:
		return (uint64_t)data_src_get(data_src, DATA_SRC_SNOOP) << 2 | data_src_get(data_src, DATA_SRC_SNOOPX);
	case MEMORY_LOCK: return data_src_get(data_src, DATA_SRC_LOCK);
	case MEMORY_TLB: return data_src_get(data_src, DATA_SRC_TLB);
	case MEMORY_BLOCK: return data_src_get(data_src, DATA_SRC_BLOCK);
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
