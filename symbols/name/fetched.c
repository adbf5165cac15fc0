/*
 * Files from debuginfod servers, shared by consecutive sessions of one recording: the first session
 * notes which files it lacks and shows its result without them; the next one has them.
 */
#include "symbols/name/debuginfod_priv.h"

#include "symbols/name/sources.h"

enum wish_state { WISHED, WANTED, GOT, MISSED }; /* WANTED: a view shows the object, so ask for its file */

struct wish {
	struct build_id id;
	enum debuginfod_kind kind;
	enum wish_state state;
	uint64_t weight;
	char *name, *path; /* the name of the object; the path of the answer */
};

struct fetched {
	pthread_mutex_t lock;
	VEC(struct wish) wishes;
	size_t asked, wanted; /* how many were asked for; how many were or will be */
	bool silent;          /* a server sent no byte in time: ask no more */
};

struct fetched *fetched_new(void)
{
	struct fetched *f = xcalloc(1, sizeof(*f));

	pthread_mutex_init(&f->lock, NULL);
	return f;
}

void fetched_free(struct fetched *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->wishes.len; i++) {
		free(f->wishes.items[i].name);
		free(f->wishes.items[i].path);
	}
	vec_free(&f->wishes);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

/* Find the wish for this file or add it. The caller holds the lock. */
static struct wish *wish_for(struct fetched *f, const struct dso *d, const struct build_id *id,
			     enum debuginfod_kind kind)
{
	struct wish *w;

	for (size_t i = 0; i < f->wishes.len; i++)
		if (f->wishes.items[i].kind == kind && build_id_equal(&f->wishes.items[i].id, id))
			return &f->wishes.items[i];
	w = vec_add(&f->wishes, 1);
	*w = (struct wish){ .id = *id, .kind = kind, .name = xstrdup(d->long_name) };
	return w;
}

struct image *fetched_open(struct fetched *f, const struct dso *d, const struct build_id *id, enum debuginfod_kind kind)
{
	autofree char *path = NULL;
	enum reason ignored;
	struct wish *w;

	pthread_mutex_lock(&f->lock);
	w = wish_for(f, d, id, kind);
	path = w->path ? xstrdup(w->path) : NULL;
	if (kind == DEBUGINFOD_EXECUTABLE) /* most servers have the names of a program in a separate file */
		wish_for(f, d, id, DEBUGINFOD_DEBUGINFO);
	pthread_mutex_unlock(&f->lock);
	return path ? open_local(path, id, &ignored) : NULL;
}

/* Sum the weights of all objects of this name. */
static uint64_t weight_of(const struct symbols *s, const uint64_t *weights, const char *name)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < s->dsos.len; i++)
		if (weights[i] && s->dsos.items[i] && !strcmp(s->dsos.items[i]->long_name, name))
			sum += weights[i];
	return sum;
}

size_t fetched_want(struct fetched *f, const struct symbols *s, const uint64_t *weights)
{
	size_t left;

	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < f->wishes.len; i++) {
		struct wish *w = &f->wishes.items[i];

		w->weight = w->state == WISHED ? weight_of(s, weights, w->name) : w->weight;
		if (w->state != WISHED || !w->weight)
			continue;
		w->state = WANTED;
		f->wanted++;
	}
	left = f->silent ? 0 : f->wanted - f->asked;
	pthread_mutex_unlock(&f->lock);
	return left;
}

/* Take the heaviest wanted file. Return its index, or the number of wishes if there is none. */
static size_t next_wish(struct fetched *f, struct fetch_step *step, struct build_id *id, enum debuginfod_kind *kind)
{
	size_t best = f->wishes.len;

	for (size_t i = 0; i < f->wishes.len; i++) {
		const struct wish *w = &f->wishes.items[i];

		if (w->state == WANTED && (best == f->wishes.len || w->weight > f->wishes.items[best].weight))
			best = i;
	}
	if (best == f->wishes.len || f->silent)
		return f->wishes.len;
	*id = f->wishes.items[best].id;
	*kind = f->wishes.items[best].kind;
	*step = (struct fetch_step){ f->wishes.items[best].name, ++f->asked, f->wanted, 0, 0 };
	return best;
}

int fetched_ask(struct fetched *f, bool (*tell)(void *ctx, const struct fetch_step *step), void *ctx)
{
	struct debuginfod_question q = { .tell = tell, .ctx = ctx };
	struct fetch_step step;
	size_t at, n;

	pthread_mutex_lock(&f->lock);
	at = next_wish(f, &step, &q.id, &q.kind);
	n = f->wishes.len;
	pthread_mutex_unlock(&f->lock);
	if (at == n || !tell(ctx, &step))
		return -1;
	q.step = step;
	debuginfod_ask(&q);
	pthread_mutex_lock(&f->lock);
	f->wishes.items[at].path = q.path;
	f->wishes.items[at].state = q.path ? GOT : MISSED;
	f->silent |= q.silent;
	pthread_mutex_unlock(&f->lock);
	return q.path != NULL;
}
