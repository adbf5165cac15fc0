#include "report/repeats.h"

enum { BITS_MIN = 12, BITS_MAX = 17 };

void repeats_init(struct repeats *r)
{
	*r = (struct repeats){ .slots = xtable((size_t)1 << BITS_MIN, sizeof(*r->slots)), .bits = BITS_MIN };
}

void repeats_keep(struct repeats *r, struct repeat repeat)
{
	struct repeat *slot = repeats_slot(r, repeat.hash);

	if (slot->to && slot->hash != repeat.hash && ++r->forgotten > (size_t)1 << r->bits >> 2 && r->bits < BITS_MAX) {
		struct repeats bigger = { .slots = xtable((size_t)2 << r->bits, sizeof(*bigger.slots)), .bits = r->bits + 1 };

		for (size_t i = 0; i < (size_t)1 << r->bits; i++)
			if (r->slots[i].to)
				*repeats_slot(&bigger, r->slots[i].hash) = r->slots[i];
		free(r->slots);
		*r = bigger;
		slot = repeats_slot(r, repeat.hash);
	}
	*slot = repeat;
}

void repeats_release(struct repeats *r)
{
	free(r->slots);
	*r = (struct repeats){ 0 };
}
