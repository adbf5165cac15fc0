/* What SPE records become: which samples, and what these say of the access. */
#include "report/traces/spe_kinds.h"

#include "base/mem.h"
#include "format/data_src.h"

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

/* ---- data_src ---- */

#define PLACE(bits, number, snoop) \
	(DATA_SRC(DATA_SRC_LEVEL, bits) | DATA_SRC(DATA_SRC_NUMBER, number) | DATA_SRC(DATA_SRC_SNOOP, snoop))
#define NOWHERE PLACE(DATA_LEVEL_NA, DATA_NUMBER_NA, DATA_SNOOP_NA)
#define REMOTE  DATA_SRC(DATA_SRC_REMOTE, 1)
#define PEER    DATA_SRC(DATA_SRC_SNOOPX, DATA_SNOOPX_PEER)
enum {
	HIT_L1 = DATA_LEVEL_HIT | DATA_LEVEL_L1,
	HIT_L2 = DATA_LEVEL_HIT | DATA_LEVEL_L2,
	HIT_L3 = DATA_LEVEL_HIT | DATA_LEVEL_L3,
	HIT_RAM = DATA_LEVEL_HIT | DATA_LEVEL_RAM
};

/*
 * Data sources of Neoverse cores. Source: the technical reference manuals, "Statistical Profiling Extension, Data
 * Source packet".
 */
static const struct {
	uint8_t source;
	uint64_t place;
} neoverse_sources[] = {
	{ 0x0, PLACE(HIT_L1, DATA_NUMBER_L1, DATA_SNOOP_NONE) },      /* L1 */
	{ 0x8, PLACE(HIT_L2, DATA_NUMBER_L2, DATA_SNOOP_NONE) },      /* L2 */
	{ 0x9, PLACE(HIT_L2, DATA_NUMBER_L2, DATA_SNOOP_NA) | PEER }, /* another core of the cluster */
	{ 0xa, PLACE(HIT_L3, DATA_NUMBER_L3, DATA_SNOOP_NA) | PEER }, /* the cluster's cache */
	{ 0xb, PLACE(HIT_L3, DATA_NUMBER_L3, DATA_SNOOP_HIT) },       /* the system's cache */
	{ 0xc, PLACE(HIT_L3, DATA_NUMBER_L3, DATA_SNOOP_NA) | PEER }, /* another cluster */
	{ 0xd, NOWHERE | REMOTE | PEER },                             /* another chip */
	{ 0xe, PLACE(HIT_RAM, DATA_NUMBER_RAM, DATA_SNOOP_NONE) },    /* memory */
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
		return far |
		       PLACE(llc_miss(r) ? DATA_LEVEL_L3 | DATA_LEVEL_MISS : HIT_L3, DATA_NUMBER_L3, DATA_SNOOP_NA);
	if (first)
		return far | PLACE(first_hit ? HIT_L1 : DATA_LEVEL_L1 | DATA_LEVEL_MISS, DATA_NUMBER_L1, DATA_SNOOP_NA);
	return far | NOWHERE;
}

static uint64_t neoverse_place(const struct spe_record *r)
{
	if (r->op & SPE_STORE) /* they tell no source of stores */
		return NOWHERE;
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
		tlb = DATA_TLB_WALKER | (has_event(r, SPE_TLB_WALK) ? DATA_TLB_MISS : DATA_TLB_HIT);
	return (r->op & SPE_STORE ? DATA_OP_STORE : DATA_OP_LOAD) | DATA_SRC(DATA_SRC_TLB, tlb) |
	       (is_neoverse(midr) ? neoverse_place(r) : place_by_events(r));
}
