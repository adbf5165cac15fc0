/* Make samples from SPE records, and describe their memory access. */
#include "report/traces/spe_kinds_priv.h"

#include "base/mem.h"
#include "format/branch.h"
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

/* Sorted in the order in which perf emits the samples of one record. */
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

struct source_row {
	uint8_t source;
	uint64_t place;
};
#define L1                 PLACE(HIT_L1, DATA_NUMBER_L1, DATA_SNOOP_NONE)
#define L2                 PLACE(HIT_L2, DATA_NUMBER_L2, DATA_SNOOP_NONE)
#define OTHER_CORE         (PLACE(HIT_L2, DATA_NUMBER_L2, DATA_SNOOP_NA) | PEER)
#define SYSTEM             PLACE(HIT_L3, DATA_NUMBER_L3, DATA_SNOOP_HIT)
#define OTHER_CHIP         (NOWHERE | REMOTE | PEER)
#define MEMORY             PLACE(HIT_RAM, DATA_NUMBER_RAM, DATA_SNOOP_NONE)
#define MODIFIED           DATA_SRC(DATA_SRC_SNOOP, DATA_SNOOP_MODIFIED)
#define BARE(bits, number) (DATA_SRC(DATA_SRC_LEVEL, bits) | DATA_SRC(DATA_SRC_NUMBER, number))
#define FAR_CACHE_1        1024
#define FAR_CACHE_2        2048
#define FAR_RAM_1          256

/* Arm's Neoverse and larger Cortex cores. Source: their technical reference manuals, "SPE Data Source packet". */
static const struct source_row arm_sources[] = {
	{ 0x0, L1 },
	{ 0x8, L2 },
	{ 0x9, OTHER_CORE },                                          /* of the cluster */
	{ 0xa, PLACE(HIT_L3, DATA_NUMBER_L3, DATA_SNOOP_NA) | PEER }, /* the cluster's cache */
	{ 0xb, SYSTEM },
	{ 0xc, PLACE(HIT_L3, DATA_NUMBER_L3, DATA_SNOOP_NA) | PEER }, /* another cluster */
	{ 0xd, OTHER_CHIP },
	{ 0xe, MEMORY },
};
/* AmpereOne. Source: its core's manual, "SPE data source encoding"; perf 7.2 shows the same. */
static const struct source_row ampere_sources[] = {
	{ 0x0, OTHER_CORE }, { 0x3, SYSTEM }, { 0x5, OTHER_CHIP }, { 0x7, MEMORY }, { 0x8, L1 }, { 0x9, L2 },
};
/* HiSilicon HIP12, which also reports that another CPU had modified the line. Source: the output of perf 7.2. */
static const struct source_row hisilicon_sources[] = {
	{ 0x0, OTHER_CORE },
	{ 0x1, BARE(HIT_L2, DATA_NUMBER_L2) | MODIFIED | PEER },
	{ 0x2, SYSTEM },
	{ 0x3, BARE(HIT_L3, DATA_NUMBER_L3) | MODIFIED },
	{ 0x4, PLACE(DATA_LEVEL_HIT | FAR_CACHE_1, DATA_NUMBER_L3, DATA_SNOOP_NA) | PEER }, /* another cluster */
	{ 0x5, BARE(DATA_LEVEL_HIT | FAR_CACHE_1, DATA_NUMBER_L3) | MODIFIED | PEER },
	{ 0x6, PLACE(FAR_CACHE_2, DATA_NUMBER_ANY_CACHE, DATA_SNOOP_NA) | REMOTE | PEER }, /* another socket */
	{ 0x7, BARE(FAR_CACHE_2, DATA_NUMBER_ANY_CACHE) | MODIFIED | REMOTE | PEER },
	{ 0x8, MEMORY },
	{ 0x9, PLACE(DATA_LEVEL_HIT | FAR_RAM_1, DATA_NUMBER_RAM, DATA_SNOOP_NA) | REMOTE },
	{ 0xd, PLACE(DATA_LEVEL_HIT | DATA_LEVEL_IO, DATA_NUMBER_IO, DATA_SNOOP_NONE) },
	{ 0x10, L2 },
	{ 0x11, BARE(HIT_L2, DATA_NUMBER_L2) | MODIFIED },
	{ 0x12, L1 },
};

/* Cores by implementer and part number, bits 31:24 and 15:4 of their identification register. */
#define CORE(implementer, part) ((implementer) << 12 | (part))
static const uint32_t arm_cores[] = {
	CORE(0x41, 0xd0c), CORE(0x41, 0xd49), CORE(0x41, 0xd8e), /* Neoverse N1, N2, N3 */
	CORE(0x41, 0xd40), CORE(0x41, 0xd4f), CORE(0x41, 0xd84), /* Neoverse V1, V2, V3 */
	CORE(0x41, 0xd4b), CORE(0x41, 0xd4d), CORE(0x41, 0xd81), /* Cortex-A78C, A715, A720 */
	CORE(0x41, 0xd87), CORE(0x41, 0xd89), CORE(0x41, 0xd4c), /* Cortex-A725, A720AE, X1C */
	CORE(0x41, 0xd4e), CORE(0x41, 0xd82), CORE(0x41, 0xd85), /* Cortex-X3, X4, X925 */
	CORE(0x4e, 0x010),                                       /* NVIDIA Olympus */
};
static const uint32_t ampere_cores[] = { CORE(0xc0, 0xac4) };
static const uint32_t hisilicon_cores[] = { CORE(0x48, 0xd06) };

static const struct source_table {
	const uint32_t *cores;
	size_t n_cores;
	const struct source_row *rows;
	size_t n_rows;
} source_tables[] = {
	{ arm_cores, ARRAY_SIZE(arm_cores), arm_sources, ARRAY_SIZE(arm_sources) },
	{ ampere_cores, ARRAY_SIZE(ampere_cores), ampere_sources, ARRAY_SIZE(ampere_sources) },
	{ hisilicon_cores, ARRAY_SIZE(hisilicon_cores), hisilicon_sources, ARRAY_SIZE(hisilicon_sources) },
};

static const struct source_table *find_table(uint64_t midr)
{
	uint32_t core = CORE((uint32_t)(midr >> 24 & 0xff), (uint32_t)(midr >> 4 & 0xfff));

	for (size_t i = 0; i < ARRAY_SIZE(source_tables); i++)
		for (size_t k = 0; k < source_tables[i].n_cores; k++)
			if (source_tables[i].cores[k] == core)
				return &source_tables[i];
	return NULL;
}

/* Return the place by the record's events, the same on all cores. If a load hit the first level, ignore the last. */
static uint64_t place_by_events(const struct spe_record *r)
{
	uint64_t far = has_event(r, SPE_REMOTE) ? REMOTE : 0;
	bool first = has_event(r, SPE_L1D_ACCESS) || has_event(r, SPE_L1D_MISS), first_hit = first && !l1d_miss(r);

	if ((!first_hit || r->op & SPE_STORE) && (llc_access(r) || llc_miss(r)))
		return far |
		       PLACE(llc_miss(r) ? DATA_LEVEL_L3 | DATA_LEVEL_MISS : HIT_L3, DATA_NUMBER_L3, DATA_SNOOP_NA);
	if (first)
		return far | PLACE(first_hit ? HIT_L1 : DATA_LEVEL_L1 | DATA_LEVEL_MISS, DATA_NUMBER_L1, DATA_SNOOP_NA);
	return far | NOWHERE;
}

/* Return the place of an access. A core's data sources are more exact than events, but only loads have them. */
static uint64_t place_of(const struct spe_record *r, uint64_t midr)
{
	const struct source_table *t = find_table(midr);
	uint64_t far = has_event(r, SPE_REMOTE) ? REMOTE : 0;
	bool store = r->op & SPE_STORE;

	if (store && t && t->rows != ampere_sources)
		return far | NOWHERE;
	for (size_t i = 0; t && i < t->n_rows; i++)
		if (t->rows[i].source == r->source)
			return far | (store ? NOWHERE : t->rows[i].place);
	return place_by_events(r);
}

uint64_t spe_data_src(const struct spe_record *r, uint64_t midr)
{
	uint64_t tlb = 0;

	if (r->class != SPE_MEMORY)
		return 0;
	if (has_event(r, SPE_TLB_ACCESS) || has_event(r, SPE_TLB_WALK))
		tlb = DATA_TLB_WALKER | (has_event(r, SPE_TLB_WALK) ? DATA_TLB_MISS : DATA_TLB_HIT);
	return (r->op & SPE_STORE ? DATA_OP_STORE : DATA_OP_LOAD) | DATA_SRC(DATA_SRC_TLB, tlb) | place_of(r, midr);
}

/* ---- branches ---- */

static enum branch_type type_of(const struct spe_record *r)
{
	unsigned calls = r->op & SPE_CALLS;
	bool call = calls == SPE_CALL, back = calls == SPE_RETURN || (!call && r->op & SPE_INDIRECT);

	if (r->op & SPE_CONDITIONAL)
		return call   ? BRANCH_TYPE_CONDITIONAL_CALL
		       : back ? BRANCH_TYPE_CONDITIONAL_RETURN
			      : BRANCH_TYPE_CONDITIONAL;
	return call                ? BRANCH_TYPE_CALL
	       : back              ? BRANCH_TYPE_RETURN
	       : calls == SPE_JUMP ? BRANCH_TYPE_UNCONDITIONAL
				   : BRANCH_TYPE_UNKNOWN;
}

size_t spe_branches(const struct spe_record *r, uint64_t entries[SPE_BRANCHES_MOST][3])
{
	size_t n = 0;

	if (r->class == SPE_BRANCH) {
		uint64_t flags = branch_flags_of(type_of(r), (uint16_t)r->latency);

		flags |= has_event(r, SPE_MISPREDICTED) ? BRANCH_MISPREDICTED : BRANCH_PREDICTED;
		flags |= has_event(r, SPE_NOT_TAKEN) ? BRANCH_NOT_TAKEN : 0;
		memcpy(entries[n++], (const uint64_t[]){ r->pc, r->target, flags }, sizeof(entries[0]));
	}
	if (r->has & SPE_HAS_PREVIOUS)
		memcpy(entries[n++], (const uint64_t[]){ 0, r->previous, 0 }, sizeof(entries[0]));
	return n;
}
