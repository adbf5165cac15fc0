#include "report/profile/map_versions.h"

enum { BITS_MIN = 12, BITS_MAX = 20 };

static uint32_t kernel_version(struct map_versions *v, const struct session *s, uint32_t moment)
{
	if (!v->kernel_known || v->kernel_moment != moment) {
		v->kernel_version = space_version(s->symbols, SPACE_KERNEL, moment);
		v->kernel_moment = moment;
		v->kernel_known = true;
	}
	return v->kernel_version;
}

uint32_t map_versions_number_any(struct map_versions *v, const struct session *s, const struct task *t, uint32_t moment,
				 unsigned cpumode)
{
	uint32_t space = task_space(t, cpumode), version = 0;
	struct map_version_of *last = &v->last[cpumode];
	uint64_t key;

	if (space == SPACE_KERNEL)
		version = kernel_version(v, s, moment);
	else if (space == t->space)
		version = t->space_version;
	else if (space)
		version = space_version(s->symbols, space, moment);
	key = ((uint64_t)space << 3 | cpumode) << 32 | version;
	if (!last->number || last->key != key) {
		bool is_new;
		uint32_t *number = u64map_put(&v->numbers, key, &is_new);

		if (is_new)
			*number = (uint32_t)v->numbers.len;
		last->number = *number;
	}
	last->key = key;
	last->moment = moment;
	last->space = t->space;
	last->space_version = t->space_version;
	return last->number;
}

void map_versions_release(struct map_versions *v) { u64map_free(&v->numbers); }

void ip_table_init(struct ip_table *t)
{
	*t = (struct ip_table){ .slots = xtable((size_t)1 << BITS_MIN, sizeof(*t->slots)), .bits = BITS_MIN };
}

static void grow(struct ip_table *t)
{
	struct ip_table bigger = { .slots = xtable((size_t)2 << t->bits, sizeof(*bigger.slots)),
				   .bits = t->bits + 1,
				   .len = t->len };

	for (size_t i = 0; i < (size_t)1 << t->bits; i++)
		if (t->slots[i].version)
			*ip_table_slot(&bigger, t->slots[i].version, t->slots[i].ip) = t->slots[i];
	free(t->slots);
	*t = bigger;
}

void ip_table_put(struct ip_table *t, struct ip_slot slot)
{
	if (t->len >= (size_t)1 << t->bits >> 1) {
		if (t->bits < BITS_MAX) {
			grow(t);
		} else {
			memset(t->slots, 0, sizeof(*t->slots) << t->bits);
			t->len = 0;
		}
	}
	*ip_table_slot(t, slot.version, slot.ip) = slot;
	t->len++;
}

void ip_table_release(struct ip_table *t)
{
	free(t->slots);
	*t = (struct ip_table){ 0 };
}
