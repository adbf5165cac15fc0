#include "format/branch.h"
#include "report/session/delivery.h"
#include "report/session/session_priv.h"

enum {
	REGISTERS_MAX = 1 << 10,
	DEPTH_MAX = 1 << 16, /* the longest chain */
};

/* The last stack of a thread, and the calls outside of it. */
struct last_stack {
	uint64_t latest; /* index of the register written last */
	uint32_t outer;
	VEC(uint8_t) branches; /* as they lie in the sample */
};

struct stitcher {
	const struct session *session;
	uint64_t registers;
	struct stitches *to;
	struct idtable index; /* of the calls */
	VEC(struct last_stack) threads;
	struct u64map thread_index;
	struct lookup lookup;
};

static uint32_t intern(struct stitcher *x, uint64_t from, uint32_t outer)
{
	uint64_t hash = hash_mix(from, outer);
	struct idtable_probe probe = idtable_probe(&x->index, hash);
	uint32_t id;

	while ((id = idtable_next(&x->index, &probe)))
		if (x->to->calls.items[id].from == from && x->to->calls.items[id].outer == outer)
			return id;
	id = (uint32_t)x->to->calls.len;
	vec_push(&x->to->calls,
		 (struct stitch){ .from = from, .outer = outer, .depth = x->to->calls.items[outer].depth + 1 });
	idtable_add(&x->index, hash, id);
	return id;
}

/*
 * Return the calls outside of the current stack, which it shares with the last one. The registers form a ring. Example
 * with eight registers, the latest branch on the right:
 *
 *	register   3 4 5 6 7 0 1 2
 *	last       a b c d e f g
 *	now              d e x y z w
 *
 * `at` counts the branches of the last stack that are newer than the outermost branch of the
 * current stack (d): here 3. Both stacks have d and e, so the current one continues outward with c,
 * b, a.
 */
static uint32_t join(struct stitcher *x, const struct last_stack *last, const struct sample *s)
{
	uint64_t n = s->branch.n, n_last = last->branches.len / BRANCH_BYTES, same = 0, at;
	uint32_t outer = last->outer;

	at = (last->latest + 2 * x->registers - 1 - (s->branch.hw_idx + x->registers - n) % x->registers) %
	     x->registers;
	if (at >= n_last)
		return 0;
	while (same < n && same <= at &&
	       !memcmp(branch_at(last->branches.items, at - same), branch_at(s->branch.entries, n - 1 - same),
		       BRANCH_BYTES))
		same++;
	if (!same)
		return 0;
	for (uint64_t i = n_last; i-- > at + 1 && x->to->calls.items[outer].depth < DEPTH_MAX;)
		outer = intern(x, branch_from(branch_at(last->branches.items, i)), outer);
	return outer;
}

static struct last_stack *last_stack(struct stitcher *x, const struct sample *s, uint64_t pos)
{
	uint32_t moment = session_moment(x->session, &x->lookup, s->time, pos), *at;
	struct task task;
	bool is_new;

	session_task(x->session, &x->lookup, (int32_t)s->pid, (int32_t)s->tid, moment, &task);
	at = u64map_put(&x->thread_index, task.thread ? task.thread : 1ull << 32 | s->tid, &is_new);
	if (is_new) {
		*at = (uint32_t)x->threads.len;
		vec_add(&x->threads, 1);
	}
	return &x->threads.items[*at];
}

/* Does the chain have a user part, which the register stack replaces? */
static bool has_user_part(const struct sample *s)
{
	for (uint64_t i = 0; i < s->n_chain; i++)
		if (load_u64(s->chain + 8 * i) == CHAIN_USER)
			return true;
	return false;
}

static void look_at(struct stitcher *x, const struct sample *s, uint64_t pos)
{
	struct last_stack *last;

	if (s->branch.n > x->registers || s->branch.hw_idx >= x->registers || !has_user_part(s))
		return;
	last = last_stack(x, s, pos);
	last->outer = join(x, last, s);
	last->latest = s->branch.hw_idx;
	vec_clear(&last->branches);
	vec_reserve(&last->branches, s->branch.n * BRANCH_BYTES);
	if (s->branch.n)
		memcpy(last->branches.items, s->branch.entries, s->branch.n * BRANCH_BYTES);
	last->branches.len = s->branch.n * BRANCH_BYTES;
	if (last->outer)
		*u64map_put(&x->to->by_pos, pos, NULL) = last->outer;
}

static void look_through(struct stitcher *x)
{
	const struct perfdata *pd = x->session->pd;
	struct delivered in;
	struct record r;

	delivered_init(&in, x->session);
	while (delivered_next(&in, &r)) {
		struct sample s;
		int event = r.type == RECORD_SAMPLE ? perfdata_event_of(pd, &r) : -1;

		if (event >= 0 && pd->events[event].attr.branch_sample_type & BRANCH_CALL_STACK &&
		    !sample_decode(pd, &r, (uint32_t)event, &s, NULL))
			look_at(x, &s, in.place->pos);
	}
	delivered_release(&in);
}

/* Return what is missing, NULL if nothing. */
static const char *lacks(const struct perfdata *pd, uint64_t registers)
{
	bool stacks = false, indexed = false;

	for (size_t i = 0; i < pd->n_events; i++) {
		uint64_t type = pd->events[i].attr.branch_sample_type;

		stacks |= (type & BRANCH_CALL_STACK) != 0;
		indexed |= type & BRANCH_CALL_STACK && type & BRANCH_HW_INDEX;
	}
	if (!stacks)
		return "it has no call stacks of branch records (record --call-graph lbr)";
	if (!indexed)
		return "its branch records do not tell which register was written last";
	return registers && registers <= REGISTERS_MAX
		       ? NULL
		       : "it does not tell how many registers the processor has for branches";
}

void session_stitch(struct session *s)
{
	struct stitcher x = { .session = s,
			      .registers = features_cap(&s->pd->features, "branches"),
			      .to = &s->priv->stitches };

	s->notes.not_stitched = lacks(s->pd, x.registers);
	if (s->notes.not_stitched)
		return;
	vec_add(&x.to->calls, 1);
	look_through(&x);
	for (size_t i = 0; i < x.threads.len; i++)
		vec_free(&x.threads.items[i].branches);
	vec_free(&x.threads);
	u64map_free(&x.thread_index);
	idtable_free(&x.index);
	lookup_release(&x.lookup);
}
