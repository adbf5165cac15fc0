#include "report/monitors/heat_priv.h"

#include "base/out.h"

bool slots_range(const struct heat_slots *s, int *first, int *last, uint64_t *most)
{
	*first = *last = -1;
	*most = 0;
	for (int i = 0; i < SLOTS; i++) {
		if (!s->counts[i])
			continue;
		*first = *first < 0 ? i : *first;
		*last = i;
		*most = MAX(*most, s->counts[i]);
	}
	return *last >= 0;
}

static void print_slot(uint64_t from, int slot, uint64_t n, uint64_t most, bool wide, struct out *o)
{
	int bar = wide ? 20 : 40, stars = (int)((double)n / (double)most * bar), digits = wide ? 20 : 10;

	out_u64_pad(o, from, digits, ' ');
	out_fmt(o, " -> %-*llu : %-8llu |", digits, (2ull << slot) - 1, (unsigned long long)n);
	out_pad(o, '*', stars);
	out_pad(o, ' ', bar - stars);
	out_str(o, "|\n");
}

void slots_print(const struct heat_slots *s, const char *title, struct out *o)
{
	int first, last;
	uint64_t most;
	bool wide;

	if (!slots_range(s, &first, &last, &most))
		return;
	wide = last > 32;
	out_fmt(o, "%*s : count    distribution\n", wide ? 45 : 25, title);
	if (first)
		print_slot(0, first - 1, 0, most, wide, o);
	for (int i = first; i <= last; i++)
		print_slot(slot_begins(i), i, s->counts[i], most, wide, o);
}

void heat_init(struct heat *h)
{
	vec_push(&h->columns, (struct heat_slots){ 0 });
	h->span = 1;
}

void heat_release(struct heat *h)
{
	vec_free(&h->columns);
	durations_free(&h->all);
}

void heat_add(struct heat *h, uint64_t ns)
{
	slots_add(&h->columns.items[h->columns.len - 1], ns);
	durations_add(&h->all, ns);
}

static void halve(struct heat *h)
{
	for (size_t i = 0; i < h->columns.len; i++) {
		struct heat_slots *to = &h->columns.items[i / 2];

		for (int slot = 0; slot < SLOTS; slot++)
			to->counts[slot] = h->columns.items[i].counts[slot] + (i % 2 ? to->counts[slot] : 0);
	}
	h->columns.len = (h->columns.len + 1) / 2;
}

void heat_tick(struct heat *h)
{
	if (++h->ticks < h->span)
		return;
	h->ticks = 0;
	if (h->columns.len == HEAT_COLUMNS) {
		halve(h);
		h->span *= 2;
	}
	vec_push(&h->columns, (struct heat_slots){ 0 });
}

void heat_skip(struct heat *h, uint64_t n)
{
	while (n && heat_is_on(h)) {
		uint64_t left = h->span - h->ticks;

		if (n < left) {
			h->ticks += n;
			return;
		}
		h->ticks = h->span - 1;
		heat_tick(h);
		n -= left;
	}
}

void heat_sum(const struct heat *h, struct heat_slots *sum)
{
	*sum = (struct heat_slots){ 0 };
	for (size_t i = 0; i < h->columns.len; i++)
		for (int slot = 0; slot < SLOTS; slot++)
			sum->counts[slot] += h->columns.items[i].counts[slot];
}

uint64_t heat_most(const struct heat *h)
{
	uint64_t most = 0;

	for (size_t i = 0; i < h->columns.len; i++)
		for (int slot = 0; slot < SLOTS; slot++)
			most = MAX(most, h->columns.items[i].counts[slot]);
	return most;
}

unsigned heat_shade(uint64_t n, uint64_t most, unsigned steps)
{
	if (!n || n == most)
		return n ? steps : 0;
	return 1 + (unsigned)((double)(n - 1) / (double)(most - 1) * (steps - 1));
}

void heat_print(const struct heat *h, struct out *o)
{
	static const char shades[] = " .:-=+*#%@";
	uint64_t fullest, most = heat_most(h);
	struct heat_slots sum;
	int first, last;

	heat_sum(h, &sum);
	if (!slots_range(&sum, &first, &last, &fullest))
		return;
	for (int slot = last; slot >= first; slot--) {
		out_fmt(o, "%14.3f us |", (double)slot_begins(slot) / 1e3);
		for (size_t i = 0; i < h->columns.len; i++)
			out_char(o, shades[heat_shade(h->columns.items[i].counts[slot], most, sizeof(shades) - 2)]);
		out_fmt(o, "| %llu\n", (unsigned long long)sum.counts[slot]);
	}
}
