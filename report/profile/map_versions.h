#ifndef REPORT_PROFILE_MAP_VERSIONS_H
#define REPORT_PROFILE_MAP_VERSIONS_H

#include "report/session/session.h"

/*
 * A worker's caches for addresses. Zeroed memory is empty, except for ip_table. An address is looked up in an address
 * space as it is at one time, with one cpumode. Each worker numbers the versions that it meets from 1.
 */
struct map_versions {
	struct u64map numbers;
	struct map_version_of {
		uint64_t key;
		uint32_t number;                       /* 0: none yet */
		uint32_t moment, space, space_version; /* of the task that asked */
	} last[8];                                     /* by cpumode */
	uint32_t kernel_version, kernel_moment;
	bool kernel_known;
};
/*
 * Return the worker's number for the maps that a sample of the task uses at a moment, in its cpumode. Two samples with
 * the same number see the same maps, so one address means the same in both.
 */
uint32_t map_versions_number_any(struct map_versions *v, const struct session *s, const struct task *t, uint32_t moment,
				 unsigned cpumode);
/* The same. First try the last sample of this cpumode: nearly always it has the same process and the same maps. */
static inline uint32_t map_versions_number(struct map_versions *v, const struct session *s, const struct task *t,
					   uint32_t moment, unsigned cpumode)
{
	const struct map_version_of *last = &v->last[cpumode];

	if (last->number && last->moment == moment && last->space == t->space &&
	    last->space_version == t->space_version)
		return last->number;
	return map_versions_number_any(v, s, t, moment, cpumode);
}
void map_versions_release(struct map_versions *v);

/*
 * The result of looking up an address in a numbered version. Few recordings have more addresses than fit; then
 * the table is emptied.
 */
struct ip_slot {
	uint64_t ip;
	uint32_t version, value;
};
struct ip_table {
	struct ip_slot *slots;
	unsigned bits;
	size_t len;
};
void ip_table_init(struct ip_table *t);
/* Add a slot that is not there yet. */
void ip_table_put(struct ip_table *t, struct ip_slot slot);
void ip_table_release(struct ip_table *t);
static inline size_t ip_table_begin(const struct ip_table *t, uint32_t version, uint64_t ip)
{
	return (ip + version * 0x9e3779b1ull) * 0x9e3779b97f4a7c15ull >> (64 - t->bits);
}
/* Prefetch the slot: we will look it up soon. */
static inline void ip_table_fetch(const struct ip_table *t, uint32_t version, uint64_t ip)
{
	__builtin_prefetch(&t->slots[ip_table_begin(t, version, ip)]);
}
/* Find a slot; its version is 0 if it is not there. */
static inline struct ip_slot *ip_table_slot(const struct ip_table *t, uint32_t version, uint64_t ip)
{
	size_t at = ip_table_begin(t, version, ip), last = ((size_t)1 << t->bits) - 1;

	while (t->slots[at].version && (t->slots[at].ip != ip || t->slots[at].version != version))
		at = (at + 1) & last;
	return &t->slots[at];
}

#endif
