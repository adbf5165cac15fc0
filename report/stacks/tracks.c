/* Keep when and in which thread stacks were sampled: slots of time, tracks of threads, slices of stacks. */
#include "base/sort/radix.h"
#include "report/stacks/stacks_priv.h"

/*
 * Choose the length of slots. Shorter slots show more, but then each sample of a long recording is a slice of its own.
 * Slots are 1, 2 or 5 times a power of ten, so that a second is a multiple of a slot, or a slot is whole seconds.
 */
void choose_slots(struct stacks *st, const struct session *s)
{
	enum { FEW_SAMPLES = 2000000, SLOTS_OF_MANY = 400 };
	uint64_t span = s->last_time - s->first_time, most = STACK_SLOTS, slot = 100000;

	if (s->types[RECORD_SAMPLE] > FEW_SAMPLES)
		most = SLOTS_OF_MANY;
	for (unsigned step = 0; span / slot >= most; step++)
		slot = step % 3 == 1 ? slot / 2 * 5 : slot * 2;
	st->slot_ns = slot;
	st->first_ns = s->first_time;
	st->n_slots = (uint32_t)(span / slot) + 1;
}

static uint64_t key_of(const struct stack_task_id *id) { return (uint64_t)(uint32_t)id->pid << 32 | (uint32_t)id->tid; }

static int by_id(const void *a, const void *b)
{
	uint64_t x = key_of(a), y = key_of(b);

	return x < y ? -1 : x > y;
}

static void add_track(struct stacks *st, const struct session *s, const struct stack_task_id *id)
{
	char buf[16];
	const char *comm = session_comm(s, thread_last_comm(s, session_last_thread(s, id->tid), id->tid), buf);
	struct out escaped;

	out_init_mem(&escaped);
	out_name(&escaped, comm);
	comm = strtab_get(&st->comms, strtab_intern(&st->comms, out_text(&escaped)));
	vec_push(&st->tracks, (struct stack_track){ id->pid, id->tid, comm });
	out_release(&escaped);
}

uint16_t *number_tracks(struct stacks *st, const struct session *s, const struct stack_part *parts, unsigned n)
{
	VEC(struct stack_task_id) sorted = { 0 };
	struct u64map numbers = { 0 };
	uint16_t *tracks;
	size_t at = 0;

	for (unsigned i = 0; i < n; i++)
		for (size_t k = 0; k < parts[i].threads.len; k++)
			vec_push(&sorted, parts[i].threads.items[k]);
	if (sorted.len)
		qsort(sorted.items, sorted.len, sizeof(*sorted.items), by_id);
	vec_push(&st->tracks, (struct stack_track){ .comm = "other threads" });
	for (size_t i = 0; i < sorted.len && st->tracks.len <= STACK_TRACKS; i++) {
		if (i && key_of(&sorted.items[i]) == key_of(&sorted.items[i - 1]))
			continue;
		*u64map_put(&numbers, key_of(&sorted.items[i]), NULL) = (uint32_t)st->tracks.len;
		add_track(st, s, &sorted.items[i]);
	}
	tracks = xcalloc(sorted.len + 1, sizeof(*tracks));
	for (unsigned i = 0; i < n; i++)
		for (size_t k = 0; k < parts[i].threads.len; k++) {
			const uint32_t *number = u64map_find(&numbers, key_of(&parts[i].threads.items[k]));

			tracks[at++] = number ? (uint16_t)*number : 0;
		}
	u64map_free(&numbers);
	vec_free(&sorted);
	return tracks;
}

static bool same_slice(const struct stack_slice *a, const struct stack_slice *b)
{
	return a->stack == b->stack && a->slot == b->slot && a->track == b->track;
}

void sort_slices(struct stacks *st)
{
	size_t n = st->slices.len, kept = 0;
	autofree struct radix_item *items = xmalloc((n + 1) * sizeof(*items)),
				   *spare = xmalloc((n + 1) * sizeof(*spare));
	struct stack_slice *sorted = xcalloc(n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++) {
		const struct stack_slice *s = &st->slices.items[i];

		items[i] = (struct radix_item){ .key = (uint64_t)s->stack << 32 | (uint32_t)s->slot << 16 | s->track,
						.value = i };
	}
	radix_sort(items, spare, n);
	for (size_t i = 0; i < n; i++) {
		const struct stack_slice *s = &st->slices.items[items[i].value];
		struct stack *stack = &st->stacks.items[s->stack];

		if (kept && same_slice(&sorted[kept - 1], s)) {
			sorted[kept - 1].weight += s->weight;
			continue;
		}
		if (!stack->n_slices++)
			stack->slices = kept;
		sorted[kept++] = *s;
	}
	vec_free(&st->slices);
	st->slices.items = sorted;
	st->slices.len = kept;
	st->slices.cap = n + 1;
}
