/* Keep the stacks of threads as trees. */
#include "record/unwind/known_stacks_priv.h"

#include "base/hash.h"
#include "base/mem.h"

enum { FRAMES_MAX = 1 << 16, LIVES_MAX = 1 << 16 }; /* some 5 MB with the indexes */

struct known_stacks {
	VEC(struct known_frame) frames; /* number 0 is none */
	struct idtable by_caller;       /* a frame by thread, caller, address and stack pointer */
	struct u64map latest;           /* hash of thread, address and stack pointer -> frame */
	struct u64map lives;            /* thread -> number of its life; changes when a thread with its id ends */
	uint32_t life, first_life;      /* the latest number; that of threads not in the map */
};

struct known_stacks *known_stacks_new(void)
{
	struct known_stacks *s = xcalloc(1, sizeof(*s));

	vec_push(&s->frames, (struct known_frame){ 0 });
	return s;
}

static void clear(struct known_stacks *s)
{
	s->frames.len = 1;
	idtable_free(&s->by_caller);
	u64map_free(&s->latest);
	u64map_free(&s->lives);
	s->first_life = ++s->life; /* old numbers then find nothing */
}

void known_stacks_free(struct known_stacks *s)
{
	if (!s)
		return;
	clear(s);
	vec_free(&s->frames);
	free(s);
}

uint64_t known_stacks_thread(const struct known_stacks *s, int32_t tid)
{
	const uint32_t *life = u64map_find(&s->lives, (uint32_t)tid);

	return (uint64_t)(life ? *life : s->first_life) << 32 | (uint32_t)tid;
}

static uint64_t hash_frame(uint64_t thread, uint64_t ip, uint64_t sp) { return hash_mix(hash_mix(thread, ip), sp); }

static uint32_t add_frame(struct known_stacks *s, uint64_t hash, const struct known_frame *f)
{
	uint64_t key = hash_mix(hash, f->caller);
	struct idtable_probe p = idtable_probe(&s->by_caller, key);
	uint32_t id;

	while ((id = idtable_next(&s->by_caller, &p))) {
		const struct known_frame *old = &s->frames.items[id];

		if (old->ip == f->ip && old->sp == f->sp && old->caller == f->caller && old->end == f->end)
			break;
	}
	if (!id) {
		id = (uint32_t)s->frames.len;
		vec_push(&s->frames, *f);
		idtable_add(&s->by_caller, key, id);
	}
	*u64map_put(&s->latest, hash, NULL) = id;
	return id;
}

void known_stacks_add(struct known_stacks *s, uint64_t thread, const uint64_t *ips, const uint64_t *sps, size_t n,
		      uint8_t end)
{
	struct known_frame f = { .end = end };

	if (s->frames.len + n > FRAMES_MAX)
		clear(s);
	/* Skip the innermost frame: it was interrupted at any address, so no other stack begins with it. */
	for (size_t i = n; i-- > 1;) {
		f.ip = ips[i];
		f.sp = sps[i];
		f.caller = add_frame(s, hash_frame(thread, f.ip, f.sp), &f);
		f.end = 0;
	}
}

void known_stacks_forget(struct known_stacks *s, int32_t tid)
{
	if (s->lives.len >= LIVES_MAX)
		clear(s);
	*u64map_put(&s->lives, (uint32_t)tid, NULL) = ++s->life;
}

uint32_t known_stacks_find(const struct known_stacks *s, uint64_t thread, uint64_t ip, uint64_t sp)
{
	const uint32_t *at = u64map_find(&s->latest, hash_frame(thread, ip, sp));

	return at && s->frames.items[*at].ip == ip && s->frames.items[*at].sp == sp ? *at : 0;
}

const struct known_frame *known_stacks_frame(const struct known_stacks *s, uint32_t frame)
{
	return &s->frames.items[frame];
}
