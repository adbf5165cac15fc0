/*
 * Remove the past from the timeline of a live input. Records that are not decoded yet take effect after all applied
 * ones, so nobody will look up anything but the present state. It becomes the state at all times, and moments count
 * from 0 again. Threads and other things that stay keep their ids.
 */
#include "report/session/session_priv.h"

/*
 * Is the thread gone? We keep an ended thread a little longer, because there may be samples of its end. But not for
 * long: if hundreds of processes start each second, most threads in a sweep would be ended ones. The first thread of a
 * process stays as long as others of the process live, because it has their maps.
 */
static bool is_gone(const struct session *s, const struct thread *t, const struct u64map *processes)
{
	const uint64_t later_ns = 2000000000;

	if (t->to != UINT32_MAX)
		return true;
	if (!t->exited || (t->pid == t->tid && u64map_find(processes, (uint32_t)t->pid)))
		return false;
	return s->priv->flushed >= t->exit_time + later_ns;
}

/* Find the processes that have a living thread besides the first one. */
static void find_processes(const struct session *s, struct u64map *processes)
{
	for (uint32_t id = 1; id < s->threads.len; id++) {
		const struct thread *t = &s->threads.items[id];

		if (!t->swept && t->to == UINT32_MAX && !t->exited && t->pid != t->tid)
			*u64map_put(processes, (uint32_t)t->pid, NULL) = 1;
	}
}

static void forget_thread(struct session *s, uint32_t id)
{
	struct thread *t = &s->threads.items[id];

	vec_free(&t->comms);
	vec_free(&t->cgroups);
	*t = (struct thread){ .pid = -1, .tid = -1, .ppid = -1 };
	vec_push(&s->priv->free_threads, id);
}

/* Act as if the thread always had its present name and cgroup namespace. */
static void forget_past(struct thread *t)
{
	if (t->comms.len > 1)
		t->comms.items[0] = t->comms.items[t->comms.len - 1];
	t->comms.len = MIN(t->comms.len, (size_t)1);
	if (t->comms.len)
		t->comms.items[0].moment = 0;
	if (t->cgroups.len > 1)
		t->cgroups.items[0] = t->cgroups.items[t->cgroups.len - 1];
	t->cgroups.len = MIN(t->cgroups.len, (size_t)1);
	if (t->cgroups.len)
		t->cgroups.items[0].moment = 0;
	t->from = 0;
}

static void clear_lives(struct session_priv *p)
{
	for (size_t i = 0; i < p->lives.len; i++)
		vec_free(&p->lives.items[i].threads);
	vec_clear(&p->lives);
	u64map_free(&p->tids);
}

static void keep_life(struct session *s, uint32_t id)
{
	struct session_priv *p = s->priv;
	bool is_new;
	uint32_t *at = u64map_put(&p->tids, (uint32_t)s->threads.items[id].tid, &is_new);

	if (is_new) {
		*at = (uint32_t)p->lives.len;
		vec_add(&p->lives, 1);
	}
	vec_push(&p->lives.items[*at].threads, id);
}

static void sweep_threads(struct session *s, const struct session_roots *roots, bool *spaces)
{
	struct u64map processes = { 0 };

	find_processes(s, &processes);
	clear_lives(s->priv);
	for (uint32_t id = 1; id < s->threads.len; id++) {
		struct thread *t = &s->threads.items[id];

		if (t->swept)
			continue;
		t->parent = 0; /* no row shows it */
		forget_past(t);
		if (!is_gone(s, t, &processes)) {
			keep_life(s, id);
			spaces[t->space] = true;
		} else if (roots->threads[id]) {
			t->to = 0; /* it has a row, but no more samples */
			t->space = SPACE_NONE;
		} else {
			forget_thread(s, id);
			s->threads.items[id].swept = true;
		}
	}
	u64map_free(&processes);
}

/* Mark the objects of jitted code that waits for its moment. */
static void mark_jitted(const struct session_priv *p, bool *dsos)
{
	for (size_t i = 0; i < p->jit_codes.len; i++)
		dsos[p->jit_codes.items[i].code.dso] = true;
	for (size_t i = 0; i < p->untimed_codes.len; i++)
		for (size_t k = 0; k < p->untimed_codes.items[i].n; k++)
			dsos[p->untimed_codes.items[i].items[k].dso] = true;
}

static void sweep_strings(struct session *s, const struct session_roots *roots)
{
	bool *keep = roots->strings;

	for (uint32_t id = 1; id < s->threads.len; id++)
		if (s->threads.items[id].comms.len)
			keep[s->threads.items[id].comms.items[0].comm] = true;
	for (size_t i = 0; i < s->priv->cgroups.cap; i++)
		if (s->priv->cgroups.slots[i].used)
			keep[s->priv->cgroups.slots[i].value] = true;
	strtab_sweep(&s->strings, keep);
}

static void sweep_roots_of_processes(struct session *s)
{
	struct u64map kept = { 0 };
	const struct u64map *all = &s->priv->private_roots;

	for (size_t i = 0; i < all->cap; i++)
		if (all->slots[i].used && u64map_find(&s->priv->tids, all->slots[i].key))
			*u64map_put(&kept, all->slots[i].key, NULL) = all->slots[i].value;
	u64map_free(&s->priv->private_roots);
	s->priv->private_roots = kept;
}

/* Drop the deferred parts of chains if there are many: their samples were decoded long ago. */
static void sweep_deferred(struct session_priv *p)
{
	enum { MOST = 1 << 16 };

	if (p->deferred.len < MOST)
		return;
	vec_clear(&p->deferred);
	vec_clear(&p->deferred_words);
	u64map_free(&p->deferred_index);
}

struct session_roots *session_roots_new(const struct session *s)
{
	struct session_roots *r = xcalloc(1, sizeof(*r));

	r->threads = xcalloc(s->threads.len + 1, sizeof(*r->threads));
	r->dsos = xcalloc(symbols_n_dsos(s->symbols) + 1, sizeof(*r->dsos));
	r->strings = xcalloc(s->strings.texts.len + 1, sizeof(*r->strings));
	return r;
}

void session_roots_free(struct session_roots *r)
{
	free(r->threads);
	free(r->dsos);
	free(r->strings);
	free(r);
}

size_t session_changes(const struct session *s) { return s->priv->moments.len; }

bool session_has_grown(const struct session *s)
{
	enum { LEAST = 1 << 14 };

	return s->priv->moments.len > MAX((size_t)LEAST, 4 * s->priv->lives.len);
}

void session_sweep(struct session *s, const struct session_roots *roots)
{
	struct session_priv *p = s->priv;
	autofree bool *spaces = xcalloc(symbols_n_spaces(s->symbols), sizeof(*spaces));

	sweep_threads(s, roots, spaces);
	mark_jitted(p, roots->dsos);
	symbols_sweep(s->symbols, spaces, roots->dsos);
	sweep_strings(s, roots);
	sweep_roots_of_processes(s);
	sweep_deferred(p);
	vec_free(&p->moments);
	symbols_freeze(s->symbols);
}
