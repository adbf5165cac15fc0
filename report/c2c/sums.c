/* Classify each access. Source: perf-c2c(1); linux/perf_event.h, union perf_mem_data_src. */
#include "report/c2c/c2c_priv.h"
#include "format/data_src.h"

struct c2c_decoding {
	struct c2c_sums *s;
	unsigned level, snoop, snoopx;
	bool remote;
};

static void add(struct c2c_decoding *c, enum c2c_sum sum, bool if_so) { c->s->n[sum] += if_so; }

static void add_modified(struct c2c_decoding *c, enum c2c_sum sum)
{
	c->s->n[sum]++;
	c->s->n[C2C_TOTAL_HITM]++;
}

static void add_peer(struct c2c_decoding *c, enum c2c_sum sum)
{
	c->s->n[sum]++;
	c->s->n[C2C_TOTAL_PEER]++;
}

static void count_ram(struct c2c_decoding *c, enum c2c_sum sum)
{
	c->s->n[sum]++;
	c->s->n[c->snoop & DATA_SNOOP_HIT ? C2C_SHARED : C2C_EXCLUSIVE]++;
}

/* Count a load from a cache that cores may share: the line may come from another core. */
static void count_cache(struct c2c_decoding *c, enum c2c_sum own)
{
	if (c->snoop & DATA_SNOOP_MODIFIED)
		add_modified(c, C2C_LOCAL_HITM);
	else
		c->s->n[own]++;
	if (c->snoopx & DATA_SNOOPX_PEER)
		add_peer(c, C2C_LOCAL_PEER);
}

/* Count a load that one of the levels answered. */
static void count_hit(struct c2c_decoding *c)
{
	add(c, C2C_LOAD_UNCACHED, c->level & DATA_LEVEL_UNCACHED);
	add(c, C2C_LOAD_IO, c->level & DATA_LEVEL_IO);
	add(c, C2C_FILL_BUFFER, c->level & DATA_LEVEL_FILL_BUFFER);
	add(c, C2C_L1, c->level & DATA_LEVEL_L1);
	if (c->level & DATA_LEVEL_L2)
		count_cache(c, C2C_L2);
	if (c->level & DATA_LEVEL_L3)
		count_cache(c, C2C_LLC);
	if (c->level & DATA_LEVEL_RAM)
		count_ram(c, C2C_LOCAL_RAM);
	if (c->level & DATA_LEVEL_FAR_RAM || c->remote)
		count_ram(c, C2C_REMOTE_RAM);
}

static void count_load(struct c2c_decoding *c)
{
	if (c->level & DATA_LEVEL_HIT)
		count_hit(c);
	if (c->level & DATA_LEVEL_FAR_CACHE || c->remote) {
		if (c->snoop & DATA_SNOOP_HIT) {
			c->s->n[C2C_REMOTE_HIT]++;
		} else if (c->snoop & DATA_SNOOP_MODIFIED) {
			add_modified(c, C2C_REMOTE_HITM);
		} else if (c->snoopx & DATA_SNOOPX_PEER) {
			c->s->n[C2C_REMOTE_HIT]++;
			add_peer(c, C2C_REMOTE_PEER);
		}
	}
	add(c, C2C_LOAD_MISS, c->level & DATA_LEVEL_MISS);
}

static void count_store(struct c2c_decoding *c)
{
	bool hit = c->level & DATA_LEVEL_HIT, miss = c->level & DATA_LEVEL_MISS;

	add(c, C2C_STORE_UNCACHED, hit && c->level & DATA_LEVEL_UNCACHED);
	add(c, C2C_STORE_L1_HIT, hit && c->level & DATA_LEVEL_L1);
	add(c, C2C_STORE_L1_MISS, miss && c->level & DATA_LEVEL_L1);
	add(c, C2C_STORE_NO_LEVEL, c->level & DATA_LEVEL_NA);
}

void c2c_count(struct c2c_sums *s, uint64_t data_src, bool has_address, bool is_mapped)
{
	/*
	 * If the sample has a number of hops, as on POWER, "remote" may be in this node. So perf counts it neither as a
	 * remote cache nor as remote memory.
	 */
	struct c2c_decoding c = { s, data_src_get(data_src, DATA_SRC_LEVEL), data_src_get(data_src, DATA_SRC_SNOOP),
				  data_src_get(data_src, DATA_SRC_SNOOPX),
				  data_src_get(data_src, DATA_SRC_REMOTE) && !data_src_get(data_src, DATA_SRC_HOPS) };
	unsigned op = data_src_get(data_src, DATA_SRC_OP), block = data_src_get(data_src, DATA_SRC_BLOCK);
	bool load = op & DATA_OP_LOAD, store = !load && op & DATA_OP_STORE;

	s->n[C2C_ACCESSES]++;
	add(&c, C2C_LOCKED, data_src_get(data_src, DATA_SRC_LOCK) & DATA_LOCKED);
	add(&c, C2C_BLOCKED_BY_DATA, block & DATA_BLOCKED_BY_DATA);
	add(&c, C2C_BLOCKED_BY_ADDRESS, block & DATA_BLOCKED_BY_ADDRESS);
	add(&c, C2C_LOADS, load);
	add(&c, C2C_STORES, store);
	add(&c, C2C_NO_OPERATION, !load && !store);
	if (!load && !store)
		return;
	if (!has_address) {
		s->n[load ? C2C_LOAD_NO_ADDRESS : C2C_STORE_NO_ADDRESS]++;
		return;
	}
	if (load)
		count_load(&c);
	else
		count_store(&c);
	add(&c, C2C_NO_MAP, !is_mapped);
}

void c2c_sums_add(struct c2c_sums *to, const struct c2c_sums *s)
{
	for (size_t i = 0; i < C2C_SUMS; i++)
		to->n[i] += s->n[i];
}
