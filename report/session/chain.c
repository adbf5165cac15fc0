#include "report/session/chain.h"

#include "format/branch.h"
#include "report/session/session_priv.h"
#include "symbols/unwind/joint.h"

/* The longest chain. A hostile record can claim more branches; we drop the rest. */
enum { CHAIN_MAX = 1 << 16 };

int chain_marker_mode(uint64_t marker)
{
	switch (marker) {
	case CHAIN_HV: return CPUMODE_HYPERVISOR;
	case CHAIN_KERNEL: return CPUMODE_KERNEL;
	case CHAIN_USER: return CPUMODE_USER;
	case CHAIN_GUEST_KERNEL: return CPUMODE_GUEST_KERNEL;
	case CHAIN_GUEST_USER: return CPUMODE_GUEST_USER;
	}
	return -1;
}

/* Copy the first n words of the sample's own chain. */
static void keep(struct chain_buffer *b, const struct sample *sample, uint64_t n, uint64_t room)
{
	vec_clear(b);
	vec_reserve(b, n + room);
	if (n)
		memcpy(b->items, sample->chain, n * 8);
	b->len = n;
}

static void use_branches(const struct session *s, const struct chain_place *p, struct chain_buffer *b,
			 struct chain_words *c)
{
	const struct stitch *call = stitches_of(&s->priv->stitches, p->pos);
	const struct sample *sample = p->sample;
	uint64_t user = 0, n = MIN(sample->branch.n, (uint64_t)CHAIN_MAX);

	while (user < sample->n_chain && load_u64(sample->chain + 8 * user) != CHAIN_USER)
		user++;
	if (user == sample->n_chain)
		return;
	keep(b, sample, user + 1, n + 1);
	vec_push(b, sample->ip);
	for (uint64_t i = 0; i < n; i++)
		vec_push(b, branch_from(branch_at(sample->branch.entries, i)));
	for (; call && b->len - user - 1 < p->max; call = stitch_outer(&s->priv->stitches, call))
		vec_push(b, call->from);
	*c = (struct chain_words){ .words = (const uint8_t *)b->items, .n = b->len, .unwound = b->len };
}

/*
 * Did the recorder sample only the link register? Frame pointers miss the caller of a leaf function that sets up no
 * frame. If the link register contains this caller (aarch64), recorders sample this one register. The unwind tables say
 * whether the leaf had a frame: they can step back once without the stack.
 */
static bool has_link_register(const struct session *s, const struct sample *sample)
{
	const struct arch *a = s->priv->arch;

	return a && a->link && sample->regs_user.mask == 1ull << a->link && sample->regs_user.values;
}

static void add_leaf_caller(const struct session *s, const struct chain_place *p, struct chain_buffer *b,
			    struct chain_words *c)
{
	const struct sample *sample = p->sample;
	const struct arch *a = s->priv->arch;
	uint64_t user = 0, ips[2], next;
	struct unwind_stop stop;

	while (user < sample->n_chain && load_u64(sample->chain + 8 * user) != CHAIN_USER)
		user++;
	if (user + 1 < sample->n_chain) {
		/* the registers in the order of their numbers: link, sp, ip */
		const uint64_t regs[] = { load_u64(sample->regs_user.values), 0,
					  load_u64(sample->chain + 8 * (user + 1)) };
		const struct unwind_args args = {
			.space = p->task->space,
			.time_ns = p->moment,
			.regs = (const uint8_t *)regs,
			.abi = sample->regs_user.abi,
			.regs_mask = 1ull << a->link | 1ull << a->sp | 1ull << a->ip,
		};

		if (unwind_user(s->symbols, &args, p->worker, ips, 2, &stop) < 2)
			return;
		next = user + 2 < sample->n_chain ? load_u64(sample->chain + 8 * (user + 2)) : 0;
		if (next == ips[1] || next == ips[1] + 1)
			return;
		keep(b, sample, user + 2, sample->n_chain);
		vec_push(b, ips[1]);
		for (uint64_t i = user + 2; i < sample->n_chain; i++)
			vec_push(b, load_u64(sample->chain + 8 * i));
		*c = (struct chain_words){ .words = (const uint8_t *)b->items, .n = b->len, .unwound = b->len };
	}
}

/*
 * Append the kernel's frames that the copy of the stack does not reach, if the recording has both. They must join the
 * unwound frames.
 */
static void go_on_by_pointers(const uint8_t *kernels, uint64_t n, uint64_t max, struct chain_buffer *b,
			      struct chain_words *c)
{
	uint64_t n_unwound = b->len - c->unwound, at;

	n = MIN(n, (uint64_t)UNWIND_JOINT_MAX);
	if (c->stop.end == UNWIND_DONE || c->stop.end == UNWIND_LIMIT || n_unwound < 2 || n_unwound > n)
		return;
	at = unwind_joint(kernels, n, b->items + c->unwound, n_unwound);
	c->continued = at && at + 1 < n;
	for (at++; c->continued && at < n && b->len - c->unwound < max; at++) {
		uint64_t ip = load_u64(kernels + 8 * at);

		if (ip >= CHAIN_MARKER_MIN)
			break;
		vec_push(b, ip - 1);
	}
}

/*
 * Keep the user part of chains whose samples came before. Layout: u64 cookie, u64 nr, u64 ips[nr]. The sample's chain
 * has the cookie after CHAIN_USER_DEFERRED. Source: linux/perf_event.h, PERF_RECORD_CALLCHAIN_DEFERRED.
 */
void chain_defer(struct session *s, const struct record *r)
{
	struct session_priv *p = s->priv;
	struct deferred_chain d = { .at = p->deferred_words.len };
	struct trailer t;

	if (p->opts.split_chains || r->size < 16 || !record_trailer(s->pd, r, &t))
		return;
	d.cookie = load_u64(r->body);
	d.tid = t.tid;
	d.n = load_u64(r->body + 8);
	if (d.n > (r->size - 16u) / 8u) {
		s->notes.bad_sideband++;
		return;
	}
	for (uint64_t i = 0; i < d.n; i++)
		vec_push(&p->deferred_words, load_u64(r->body + 16 + 8 * i));
	vec_push(&p->deferred, d);
	*u64map_put(&p->deferred_index, hash_mix(d.cookie, d.tid), NULL) = (uint32_t)p->deferred.len;
}

static void add_deferred(const struct session *s, const struct sample *sample, struct chain_buffer *b,
			 struct chain_words *c)
{
	const struct session_priv *p = s->priv;
	const struct deferred_chain *d;
	const uint32_t *known;
	uint64_t cookie;

	if (sample->n_chain < 2 || load_u64(sample->chain + 8 * (sample->n_chain - 2)) != CHAIN_USER_DEFERRED)
		return;
	cookie = load_u64(sample->chain + 8 * (sample->n_chain - 1));
	known = u64map_find(&p->deferred_index, hash_mix(cookie, sample->tid));
	d = known ? &p->deferred.items[*known - 1] : NULL;
	if (!d || d->cookie != cookie || d->tid != sample->tid)
		return;
	keep(b, sample, sample->n_chain - 2, d->n + 1);
	vec_push(b, CHAIN_USER);
	for (uint64_t i = 0; i < d->n; i++)
		vec_push(b, p->deferred_words.items[d->at + i]);
	*c = (struct chain_words){ .words = (const uint8_t *)b->items, .n = b->len, .unwound = b->len };
}

struct unwind_args sample_unwind_args(const struct sample *sample, const struct task *task, uint32_t moment)
{
	return (struct unwind_args){
		.space = task->space,
		.time_ns = moment,
		.regs_mask = sample->regs_user.mask,
		.regs = sample->regs_user.values,
		.abi = sample->regs_user.abi,
		.stack = sample->stack_user.data,
		.stack_size = sample->stack_user.dyn_size,
		.stack_ends = sample->stack_user.dyn_size + 8 <= sample->stack_user.size,
	};
}

static bool unwind(const struct session *s, const struct chain_place *p, struct chain_buffer *b, struct chain_words *c)
{
	const struct sample *sample = p->sample;
	const struct unwind_args args = sample_unwind_args(sample, p->task, p->moment);
	/* user: where the user frames that the kernel recorded begin, if there are any */
	uint64_t user = 0, max = MIN(p->max, (uint64_t)CHAIN_MAX);

	while (user < sample->n_chain && load_u64(sample->chain + 8 * user) != CHAIN_USER)
		user++;
	keep(b, sample, user, max + 1);
	vec_push(b, CHAIN_USER);
	c->unwound = b->len;
	b->len += unwind_user(s->symbols, &args, p->worker, b->items + b->len, max, &c->stop);
	while (b->len > c->unwound && !b->items[b->len - 1])
		b->len--; /* registers of a thread that was never in user space lead to 0 */
	if (b->len == c->unwound && c->stop.end != UNWIND_NO_MAP && c->stop.end != UNWIND_UNSUPPORTED)
		c->stop.end = UNWIND_DONE;
	if (user < sample->n_chain)
		go_on_by_pointers(sample->chain + 8 * (user + 1), sample->n_chain - user - 1, max, b, c);
	c->words = (const uint8_t *)b->items;
	c->n = b->len;
	return c->stop.end != UNWIND_UNSUPPORTED && c->stop.end != UNWIND_NO_CFI;
}

/* What the recorder's unwinding ends mean; see struct feature_unwound_end. */
static const struct {
	enum unwind_end end;
	bool guessed, continued;
} ends[N_UNWOUND_ENDS] = {
	[UNWOUND_NONE] = { UNWIND_DONE },
	[UNWOUND_WHOLE] = { UNWIND_DONE },
	[UNWOUND_JOINED] = { UNWIND_DONE },
	[UNWOUND_CONTINUED] = { UNWIND_STACK_CUT, .continued = true },
	[UNWOUND_WINDOW_FULL] = { UNWIND_STACK_CUT },
	[UNWOUND_NO_INFO] = { UNWIND_NO_CFI },
	[UNWOUND_GUESSED] = { UNWIND_DONE, .guessed = true },
	[UNWOUND_NOT_MAPPED] = { UNWIND_NO_MAP },
	[UNWOUND_NO_FILE] = { UNWIND_NO_FILE },
	[UNWOUND_BROKEN] = { UNWIND_BAD },
	[UNWOUND_DEPTH_LIMIT] = { UNWIND_LIMIT },
	[UNWOUND_UNSUPPORTED] = { UNWIND_UNSUPPORTED },
};

enum unwound_end chain_unwound_end(const struct chain_words *c)
{
	for (enum unwound_end i = UNWOUND_WHOLE; i < N_UNWOUND_ENDS; i++)
		if (c->continued
			    ? ends[i].continued
			    : ends[i].end == c->stop.end && ends[i].guessed == c->stop.guessed && !ends[i].continued)
			return i;
	return UNWOUND_UNSUPPORTED;
}

/* Did the recorder unwind this sample's user stack? Then also store how it ended. */
static bool was_unwound(const struct session *s, const struct sample *sample, enum unwound_end *end)
{
	const struct features *f = &s->pd->features;
	unsigned number = sample->misc >> UNWOUND_SHIFT & UNWOUND_MASK;

	if (!number || number >= f->n_unwound_ends || !s->pd->events[sample->event].unwound)
		return false;
	*end = unwound_end_of(f->unwound_ends[number].code);
	return true;
}

static void take_unwound(const struct sample *sample, enum unwound_end end, struct chain_words *c)
{
	c->unwound = 0;
	while (c->unwound < c->n && load_u64(c->words + 8 * c->unwound) != CHAIN_USER)
		c->unwound++;
	c->unwound += c->unwound < c->n;
	c->continued = ends[end].continued;
	c->stop = (struct unwind_stop){
		.end = ends[end].end,
		.guessed = ends[end].guessed,
		.ip = c->unwound < c->n ? load_u64(c->words + 8 * (c->n - 1)) : sample->ip,
	};
}

bool chain_of_sample(const struct session *s, const struct chain_place *p, struct chain_buffer *buffer,
		     struct chain_words *c)
{
	const struct sample *sample = p->sample;
	enum unwound_end end;

	*c = (struct chain_words){ .words = sample->chain, .n = sample->n_chain, .unwound = sample->n_chain };
	if (sample->type & SAMPLE_BRANCH_STACK &&
	    s->pd->events[sample->event].attr.branch_sample_type & BRANCH_CALL_STACK)
		use_branches(s, p, buffer, c);
	if (s->priv->deferred.len)
		add_deferred(s, sample, buffer, c);
	if (has_link_register(s, sample))
		add_leaf_caller(s, p, buffer, c);
	/* With --keep-stacks the copy is there, too. If the user chose an unwinder, show its frames instead. */
	if (s->pd->features.n_unwound_events && was_unwound(s, sample, &end) && !s->priv->opts.symbols.unwind_style) {
		take_unwound(sample, end, c);
		return true;
	}
	if (sample->stack_user.dyn_size && sample->regs_user.values)
		return unwind(s, p, buffer, c);
	return true;
}
