/* Rewrite samples, with a chain instead of the copies. */
#include "record/unwind/rewriter_priv.h"

#include "base/bytes.h"
#include "symbols/unwind/joint.h"

struct frame_list {
	VEC(uint64_t) ips, sps;
};

/* Continue a cut stack with the kernel's frame pointers. */
static void join_kernels(struct round_entry *entry, const struct record *rec, struct frame_list *f)
{
	const struct sample_shape *sh = &entry->shape;
	size_t n = f->ips.len;
	const uint8_t *kernels = rec->body + sh->user + 8;
	uint64_t n_kernels = sh->user < sh->chain_end ? (sh->chain_end - sh->user) / 8 - 1 : 0, joint;

	n_kernels = MIN(n_kernels, (uint64_t)UNWIND_JOINT_MAX);
	joint = n >= 2 && n <= n_kernels ? unwind_joint(kernels, n_kernels, f->ips.items, n) : 0;
	if (!joint || joint + 1 >= n_kernels)
		return;
	for (joint++; joint < n_kernels && load_u64(kernels + 8 * joint) < CHAIN_MARKER_MIN; joint++)
		vec_push(&f->ips, load_u64(kernels + 8 * joint) - 1);
	entry->result.end = UNWOUND_CONTINUED;
}

/* Use the kernel's frame-pointer chain, at least the sampled address, if the code is unknown. */
static void take_kernels(const struct round_entry *entry, const struct record *rec, struct frame_list *f)
{
	for (uint32_t at = entry->shape.user + 8; at < entry->shape.chain_end; at += 8) {
		uint64_t ip = load_u64(rec->body + at);
		bool called = f->ips.len > 0;

		if (ip >= CHAIN_MARKER_MIN)
			break;
		vec_push(&f->ips, ip - called);
	}
}

static void put_u64(struct out *o, uint64_t v) { out_mem(o, (const char *)&v, sizeof(v)); }

/* Write one sample with its chain. */
static void rewrite(struct rewriter *l, struct round_entry *entry, const struct record *rec, struct frame_list *f,
		    struct out *o)
{
	const struct sample_shape *sh = &entry->shape;
	bool user = entry->result.end != UNWOUND_NONE;
	/* Put the kernel part; without user registers, put the kernel's whole chain. */
	uint32_t kept_end = user ? sh->user : sh->chain_end, copies_end = sh->copies_end;
	const char *body = (const char *)rec->body;
	uint64_t n, room;
	uint16_t misc = rec->misc, size;

	if (l->opts.keep_stacks)
		copies_end = sh->copies;
	room = RECORD_SIZE_MAX - 8 - (rec->size - (sh->chain_end - kept_end) - (copies_end - sh->copies));
	n = user ? f->ips.len + 1 : 0;
	if (n * 8 > room) {
		n = room / 8;
		entry->result.end = UNWOUND_DEPTH_LIMIT;
	}
	size = (uint16_t)(8 + rec->size - (sh->chain_end - kept_end) - (copies_end - sh->copies) + n * 8);
	misc = (uint16_t)((misc & ~(UNWOUND_MASK << UNWOUND_SHIFT)) | entry->result.end << UNWOUND_SHIFT);
	out_mem(o, (const char *)&rec->type, 4);
	out_mem(o, (const char *)&misc, 2);
	out_mem(o, (const char *)&size, 2);
	out_mem(o, body, sh->chain);
	put_u64(o, (kept_end - sh->chain) / 8 - 1 + n);
	out_mem(o, body + sh->chain + 8, kept_end - sh->chain - 8);
	if (n) {
		put_u64(o, CHAIN_USER);
		out_mem(o, (const char *)f->ips.items, (n - 1) * 8);
	}
	out_mem(o, body + sh->chain_end, sh->copies - sh->chain_end);
	out_mem(o, body + copies_end, rec->size - copies_end);
}

static void emit_sample(struct rewriter *l, struct unwind_round *r, struct round_entry *entry, const struct record *rec,
			struct frame_list *f)
{
	const struct unwound_stack *res = &entry->result;

	vec_clear(&f->ips);
	vec_clear(&f->sps);
	if (!res->n && res->end != UNWOUND_NONE && res->stop != UNWIND_DONE)
		take_kernels(entry, rec, f);
	if (res->n) {
		const uint64_t *words = words_of(r, res);

		vec_append(&f->ips, words, res->n);
		vec_append(&f->sps, words + res->n, res->n);
		if (res->stop == UNWIND_STACK_CUT)
			join_kernels(entry, rec, f);
	}
	rewrite(l, entry, rec, f, &r->done);
	l->count.ends[res->end]++;
	if (res->end != UNWOUND_NONE) {
		l->count.samples++;
		l->count.frames += f->ips.len;
	}
}

void rewriter_emit(struct rewriter *l, struct unwind_round *r)
{
	struct frame_list f = { 0 };

	for (size_t i = 0; i < r->entries.len; i++) {
		struct round_entry *entry = &r->entries.items[i];
		struct record rec;

		rewriter_record_at(r, entry->at, &rec);
		if (entry->unwinds)
			emit_sample(l, r, entry, &rec, &f);
		else
			out_mem(&r->done, (const char *)r->raw + entry->at, 8 + (size_t)rec.size);
		maps_drop(entry->maps);
		entry->maps = NULL;
	}
	vec_free(&f.ips);
	vec_free(&f.sps);
}
