/* What SPE records become: which samples, and what these say of the access. */
#include "report/traces/spe_kinds.h"

#include "base/mem.h"

static bool has_event(const struct spe_record *r, enum spe_event event) { return r->events >> event & 1; }

#define WANTS(name, event) \
	static bool name(const struct spe_record *r) { return has_event(r, event); }
WANTS(l1d_miss, SPE_L1D_MISS)
WANTS(l1d_access, SPE_L1D_ACCESS)
WANTS(llc_miss, SPE_LLC_MISS)
WANTS(llc_access, SPE_LLC_ACCESS)
WANTS(tlb_miss, SPE_TLB_WALK)
WANTS(tlb_access, SPE_TLB_ACCESS)
WANTS(remote, SPE_REMOTE)
static bool branch(const struct spe_record *r) { return r->class == SPE_BRANCH; }
static bool memory(const struct spe_record *r) { return r->class == SPE_MEMORY; }
static bool any(const struct spe_record *r) { return true; }

/* In the order in which perf emits the samples of one record. */
const struct spe_kind spe_kinds[] = {
	{ "l1d-miss", 'f', l1d_miss, .is_access = true }, { "l1d-access", 'f', l1d_access, .is_access = true },
	{ "llc-miss", 'm', llc_miss, .is_access = true }, { "llc-access", 'm', llc_access, .is_access = true },
	{ "tlb-miss", 't', tlb_miss, .is_access = true }, { "tlb-access", 't', tlb_access, .is_access = true },
	{ "branch", 'b', branch, .is_branch = true },     { "remote-access", 'a', remote, .is_access = true },
	{ "memory", 'M', memory, .is_access = true },     { "instructions", 'i', any, .is_branch = true },
};
const size_t n_spe_kinds = ARRAY_SIZE(spe_kinds);

/* ---- data_src. Source: linux/perf_event.h, union perf_mem_data_src ---- */

enum { SNOOP_SHIFT = 19, TLB_SHIFT = 26, LEVEL_SHIFT = 33, REMOTE_SHIFT = 37, SNOOPX_SHIFT = 38 };
enum { OP_LOAD = 2, OP_STORE = 4 };
enum {
	LVL_NA = 1 << 5,
	LVL_HIT = 2 << 5,
	LVL_MISS = 4 << 5,
	LVL_L1 = 8 << 5,
	LVL_L2 = 32 << 5,
	LVL_L3 = 64 << 5,
	LVL_RAM = 128 << 5
};
enum { SNOOP_NA = 1, SNOOP_NONE = 2, SNOOP_HIT = 4, SNOOPX_PEER = 2 };
enum { NUM_L1 = 1, NUM_L2 = 2, NUM_L3 = 3, NUM_RAM = 13, NUM_NA = 15 };
enum { TLB_HIT = 2, TLB_MISS = 4, TLB_WALKER = 32 };

#define PLACE(lvl, num, snoop) ((uint64_t)(lvl) | (uint64_t)(num) << LEVEL_SHIFT | (uint64_t)(snoop) << SNOOP_SHIFT)
#define REMOTE                 (1ull << REMOTE_SHIFT)
#define PEER                   ((uint64_t)SNOOPX_PEER << SNOOPX_SHIFT)

/*
 * Data sources of Neoverse cores. Source: the technical reference manuals, "Statistical Profiling Extension, Data
 * Source packet".
 */
static const struct {
	uint8_t source;
	uint64_t place;
} neoverse_sources[] = {
	{ 0x0, PLACE(LVL_L1 | LVL_HIT, NUM_L1, SNOOP_NONE) },      /* L1 */
	{ 0x8, PLACE(LVL_L2 | LVL_HIT, NUM_L2, SNOOP_NONE) },      /* L2 */
	{ 0x9, PLACE(LVL_L2 | LVL_HIT, NUM_L2, SNOOP_NA) | PEER }, /* another core of the cluster */
	{ 0xa, PLACE(LVL_L3 | LVL_HIT, NUM_L3, SNOOP_NA) | PEER }, /* the cluster's cache */
	{ 0xb, PLACE(LVL_L3 | LVL_HIT, NUM_L3, SNOOP_HIT) },       /* the system's cache */
	{ 0xc, PLACE(LVL_L3 | LVL_HIT, NUM_L3, SNOOP_NA) | PEER }, /* another cluster */
	{ 0xd, PLACE(LVL_NA, NUM_NA, SNOOP_NA) | REMOTE | PEER },  /* another chip */
	{ 0xe, PLACE(LVL_RAM | LVL_HIT, NUM_RAM, SNOOP_NONE) },    /* memory */
};

/* Implementer 0x41 and part number: N1, N2, N3, V1, V2, V3. */
static bool is_neoverse(uint64_t midr)
{
	static const uint16_t parts[] = { 0xd0c, 0xd49, 0xd8e, 0xd40, 0xd4f, 0xd84 };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if ((midr >> 24 & 0xff) == 0x41 && (midr >> 4 & 0xfff) == parts[i])
			return true;
	return false;
}

/* Events mean the same on all cores. The last level does not matter where the first one hit. */
static uint64_t place_by_events(const struct spe_record *r)
{
	uint64_t far = has_event(r, SPE_REMOTE) ? REMOTE : 0;
	bool first = has_event(r, SPE_L1D_ACCESS) || has_event(r, SPE_L1D_MISS), first_hit = first && !l1d_miss(r);

	if (!first_hit && (llc_access(r) || llc_miss(r)))
		return far | PLACE(LVL_L3 | (llc_miss(r) ? LVL_MISS : LVL_HIT), NUM_L3, SNOOP_NA);
	if (first)
		return far | PLACE(LVL_L1 | (first_hit ? LVL_HIT : LVL_MISS), NUM_L1, SNOOP_NA);
	return far | PLACE(LVL_NA, NUM_NA, SNOOP_NA);
}

static uint64_t neoverse_place(const struct spe_record *r)
{
	if (r->op & SPE_STORE) /* they tell no source of stores */
		return PLACE(LVL_NA, NUM_NA, SNOOP_NA);
	for (size_t i = 0; i < ARRAY_SIZE(neoverse_sources); i++)
		if (neoverse_sources[i].source == r->source)
			return neoverse_sources[i].place;
	return place_by_events(r);
}

uint64_t spe_data_src(const struct spe_record *r, uint64_t midr)
{
	uint64_t tlb = 0;

	if (r->class != SPE_MEMORY)
		return 0;
	if (has_event(r, SPE_TLB_ACCESS) || has_event(r, SPE_TLB_WALK))
		tlb = TLB_WALKER | (has_event(r, SPE_TLB_WALK) ? TLB_MISS : TLB_HIT);
	return (r->op & SPE_STORE ? OP_STORE : OP_LOAD) | tlb << TLB_SHIFT |
	       (is_neoverse(midr) ? neoverse_place(r) : place_by_events(r));
}
