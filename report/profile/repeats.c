#include "report/profile/repeats.h"

enum { BITS_MIN = 10, BITS_MAX = 16 }; /* numbers of lines */

static void lines_new(struct repeats *r, unsigned bits)
{
	r->lines = xtable((size_t)1 << bits, sizeof(*r->lines));
	r->bits = bits;
	r->forgotten = 0;
}

void repeats_init(struct repeats *r) { lines_new(r, BITS_MIN); }

/* Find the slot of this hash, otherwise a free one; NULL: the line is full. */
static struct repeat *slot_of(const struct repeats *r, uint64_t hash)
{
	struct repeat *line = repeats_line(r, hash);

	for (size_t i = 0; i < REPEATS_ABREAST; i++)
		if (!line[i].to || line[i].hash == hash)
			return &line[i];
	return NULL;
}

static void grow(struct repeats *r)
{
	struct repeats old = *r;

	lines_new(r, old.bits + 1);
	for (size_t i = 0; i < (size_t)1 << old.bits; i++)
		for (size_t k = 0; k < REPEATS_ABREAST && old.lines[i][k].to; k++)
			*slot_of(r, old.lines[i][k].hash) =
				old.lines[i][k]; /* one line is split into two, so there is room */
	free(old.lines);
}

void repeats_keep(struct repeats *r, struct repeat repeat)
{
	struct repeat *slot = slot_of(r, repeat.hash);

	if (!slot && r->bits < BITS_MAX && ++r->forgotten > (size_t)1 << r->bits >> 2) {
		grow(r);
		slot = slot_of(r, repeat.hash);
	}
	if (!slot)
		slot = &repeats_line(r, repeat.hash)[repeat.hash >> 1 & (REPEATS_ABREAST - 1)];
	*slot = repeat;
}

void repeats_release(struct repeats *r)
{
	free(r->lines);
	*r = (struct repeats){ 0 };
}
