#ifndef REPORT_PROFILE_VIEWS_H
#define REPORT_PROFILE_VIEWS_H

#include "report/session/session.h"

/*
 * A worker's caches for addresses. Zeroed memory is empty, except for ip_table. A view is what
 * addresses are looked up in: a space at one of its versions. Each worker numbers its own views
 * from 1.
 */
struct views {
	struct u64map numbers;
	struct view_of {
		uint64_t key;
		uint32_t number;
	} last[8]; /* by cpumode */
	uint32_t kernel_version, kernel_moment;
	bool kernel_known;
};
uint32_t views_number(struct views *v, const struct session *s, const struct task *t, uint32_t moment,
		      unsigned cpumode);
void views_release(struct views *v);

/*
 * The result of looking up an address in a view. Few recordings have more addresses than fit; then
 * the table is emptied.
 */
struct ip_slot {
	uint64_t ip;
	uint32_t view, value;
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
static inline size_t ip_table_begin(const struct ip_table *t, uint32_t view, uint64_t ip)
{
	return (ip + view * 0x9e3779b1ull) * 0x9e3779b97f4a7c15ull >> (64 - t->bits);
}
/* Prefetch the slot: we will look it up soon. */
static inline void ip_table_fetch(const struct ip_table *t, uint32_t view, uint64_t ip)
{
	__builtin_prefetch(&t->slots[ip_table_begin(t, view, ip)]);
}
/* Find a slot; its view is 0 if it is not there. */
static inline struct ip_slot *ip_table_slot(const struct ip_table *t, uint32_t view, uint64_t ip)
{
	size_t at = ip_table_begin(t, view, ip), last = ((size_t)1 << t->bits) - 1;

	while (t->slots[at].view && (t->slots[at].ip != ip || t->slots[at].view != view))
		at = (at + 1) & last;
	return &t->slots[at];
}

#endif
