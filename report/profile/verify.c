/* Compare unwinders on the stacks of a recording. */
#include "report/profile/verify.h"

#include "base/sort/sort.h"
#include "report/profile/samples.h"
#include "report/session/chain.h"

struct verify_row {
	uint32_t dso; /* of the last frame on which both agree */
	unsigned peer;
	uint64_t stacks;
};

enum { DEPTH = 1024 };

struct verifier {
	struct session *s;
	struct verify *v;
	struct u64map seen; /* hashes of stacks already walked */
	uint64_t first[DEPTH], second[DEPTH];
};

static void add_row(struct verify *v, uint32_t dso, unsigned peer)
{
	for (size_t i = 0; i < v->rows.len; i++)
		if (v->rows.items[i].dso == dso && v->rows.items[i].peer == peer) {
			v->rows.items[i].stacks++;
			return;
		}
	vec_push(&v->rows, (struct verify_row){ dso, peer, 1 });
}

/* Compare one peer's frames with the first unwinder's. Return true if they are the same. */
static bool judge(struct verifier *k, const struct unwind_args *args, const struct task *task, unsigned peer, size_t n,
		  size_t n_its)
{
	struct verify_peer *p = &k->v->peers[peer];
	struct map_hit hit;
	size_t same = 0;

	p->walked++;
	while (same < n && same < n_its && k->first[same] == k->second[same])
		same++;
	if (same == n && same == n_its) {
		p->same++;
		return true;
	}
	if (same == n_its)
		p->shorter++;
	else if (same == n)
		p->longer++;
	else
		p->other++;
	add_row(k->v,
		session_find(k->s, task, (uint32_t)args->time_ns, CPUMODE_USER, k->first[same ? same - 1 : 0], &hit)
			? hit.dso
			: DSO_UNKNOWN,
		peer);
	return false;
}

static void walk_again(struct verifier *k, const struct arrival *a)
{
	struct unwind_args args;
	struct unwind_stop stop;
	bool fresh, confirmed = false;
	size_t n;

	if (!a->sample->stack_user.dyn_size || !a->sample->regs_user.values)
		return;
	args = sample_unwind_args(a->sample, &a->task, a->moment);
	n = unwind_user(k->s->symbols, &args, 0, k->first, DEPTH, &stop);
	if (!n)
		return;
	u64map_put(&k->seen, hash_bytes(k->first, n * sizeof(k->first[0]), a->task.space), &fresh);
	if (!fresh)
		return;
	k->v->stacks++;
	for (unsigned i = 0; i < k->v->n_peers; i++) {
		size_t its = unwind_user_by(k->s->symbols, &args, 0, i + 1, k->second, DEPTH, &stop);

		if (stop.end != UNWIND_UNSUPPORTED)
			confirmed |= judge(k, &args, &a->task, i, n, its);
	}
	k->v->confirmed += confirmed;
}

static int most_first(const void *a, const void *b)
{
	const struct verify_row *x = a, *y = b;

	if (x->stacks != y->stacks)
		return x->stacks > y->stacks ? -1 : 1;
	return x->peer != y->peer ? (x->peer > y->peer) - (x->peer < y->peer) : (x->dso > y->dso) - (x->dso < y->dso);
}

/* Walk the stacks of a chunk, until `most` distinct ones were walked. */
static void walk_chunk(struct verifier *k, struct samples *in, size_t chunk, uint64_t most)
{
	struct arrival a;
	size_t n;

	samples_open(in, chunk);
	while ((n = samples_ahead(in)))
		for (size_t i = 0; i < n && k->v->stacks < most; i++) {
			samples_take(in, &in->ahead[i]);
			if (samples_next(in, &a) && !a.outside)
				walk_again(k, &a);
		}
	samples_close(in);
}

void verify_stacks(const struct profile *p, uint64_t n, struct verify *v)
{
	struct verifier *k = xcalloc(1, sizeof(*k));
	struct samples in = { .whole = true };
	struct format_notes ignored = { 0 }; /* the profile has counted the damage */

	*v = (struct verify){ 0 };
	k->s = p->session;
	k->v = v;
	for (unsigned i = 1; unwinder_name(i) && i <= VERIFY_PEERS; i++)
		v->peers[v->n_peers++].name = unwinder_name(i);
	samples_init(&in, p->session, p->filter, &ignored);
	for (size_t i = 0; i < p->session->chunks.len && v->stacks < n; i++)
		walk_chunk(k, &in, i, n);
	samples_release(&in);
	vec_sort(&v->rows, most_first);
	u64map_free(&k->seen);
	free(k);
}

static double share(uint64_t part, uint64_t of) { return of ? 100.0 * (double)part / (double)of : 0; }

void verify_print(const struct session *s, const struct verify *v, struct out *out)
{
	if (!v->stacks) {
		out_str(out, "#\n# No stack was walked again: these samples have no copies of stacks\n");
		return;
	}
	out_fmt(out, "#\n# %.2f%% of %llu distinct stacks are confirmed by a second unwinder\n",
		share(v->confirmed, v->stacks), (unsigned long long)v->stacks);
	for (unsigned i = 0; i < v->n_peers; i++) {
		const struct verify_peer *p = &v->peers[i];

		if (p->walked)
			out_fmt(out,
				"#   %-10s %6.2f%% the same frames, %.2f%% the beginning of them, %.2f%% more, "
				"%.2f%% others\n",
				p->name, share(p->same, p->walked), share(p->shorter, p->walked),
				share(p->longer, p->walked), share(p->other, p->walked));
		else
			out_fmt(out, "#   %-10s cannot walk these stacks\n", p->name);
	}
	if (v->rows.len)
		out_fmt(out, "#\n# %6s  %10s  %-10s  %s\n", "Share", "Stacks", "Unwinder", "Differs behind");
	for (size_t i = 0; i < v->rows.len; i++) {
		const struct verify_row *row = &v->rows.items[i];

		out_fmt(out, "%7.2f%%  %10llu  %-10s  ", share(row->stacks, v->stacks), (unsigned long long)row->stacks,
			v->peers[row->peer].name);
		out_name(out, dso_name(s->symbols, row->dso));
		out_char(out, '\n');
	}
}

void verify_release(struct verify *v) { vec_free(&v->rows); }
