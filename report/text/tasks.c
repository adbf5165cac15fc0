#include "report/text/tasks.h"

#include <sys/mman.h>

#include "base/search.h"

/* The last life of a thread id. `child` and `next` number nodes from 1. */
struct task_node {
	int32_t tid;
	uint32_t thread, level, child, next;
	bool printed;
};

struct tasks {
	const struct session *s;
	struct out *o;
	bool maps;
	VEC(struct task_node) nodes; /* sorted by tid */
};

/* The most levels. Parents are linked by thread id, so the links may form a circle. */
enum { LEVELS_MAX = 1000 };

static int node_compare(const void *a, const void *b)
{
	const struct task_node *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Return the level of a thread: one below its parent. A thread with an unknown parent is on level 1. */
static uint32_t level_of(const struct session *s, uint32_t thread)
{
	uint32_t level = 0;

	while (thread && level < LEVELS_MAX && s->threads.items[thread].tid > 0) {
		level++;
		thread = s->threads.items[thread].ppid > 0 ? session_last_thread(s, s->threads.items[thread].ppid) : 0;
	}
	return level;
}

static void collect(struct tasks *t)
{
	for (uint32_t i = 1; i < t->s->threads.len; i++) {
		int32_t tid = t->s->threads.items[i].tid;

		if (session_last_thread(t->s, tid) == i)
			vec_push(&t->nodes, (struct task_node){ .tid = tid, .thread = i, .level = level_of(t->s, i) });
	}
	if (t->nodes.len)
		qsort(t->nodes.items, t->nodes.len, sizeof(*t->nodes.items), node_compare);
	for (size_t i = t->nodes.len; i--;) { /* backwards, so that lists are ascending */
		struct task_node *n = &t->nodes.items[i], *maker = NULL;
		struct task_node key = { .tid = t->s->threads.items[n->thread].ppid };

		if (key.tid > 0 && n->tid > 0)
			maker = bsearch(&key, t->nodes.items, t->nodes.len, sizeof(key), node_compare);
		if (maker && maker != n) {
			n->next = maker->child;
			maker->child = (uint32_t)i + 1;
		}
	}
}

/* ---- maps ---- */

static int u64_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Find the map, among those in address order, that contains a place found at the end of the
 * recording.
 */
static const struct map_args *map_of(const struct map_args *maps, size_t n, const struct map_hit *hit)
{
	size_t low = search_count(i, n, maps[i].start < hit->start);

	for (; low < n && maps[low].start == hit->start; low++)
		if (maps[low].len == hit->len && maps[low].pgoff == hit->pgoff && maps[low].dso == hit->dso)
			return &maps[low];
	return NULL;
}

static void print_map(const struct tasks *t, uint32_t level, uint64_t from, uint64_t to, const struct map_hit *hit,
		      const struct map_args *m)
{
	const struct symbols *symbols = t->s->symbols;
	uint64_t inode = session_inode(t->s, m);
	enum dso_kind kind = dso_kind(symbols, hit->dso);
	char id[41];

	out_pad(t->o, ' ', 32 + (long)level);
	out_fmt(t->o, "%llx-%llx %c%c%c%c %08llx ", (unsigned long long)from, (unsigned long long)to,
		m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-', m->prot & PROT_EXEC ? 'x' : '-',
		m->flags & MAP_SHARED ? 's' : 'p', (unsigned long long)(hit->pgoff + (from - hit->start)));
	if (!inode && dso_build_id(symbols, hit->dso)->size) {
		build_id_format(dso_build_id(symbols, hit->dso), id);
		out_str(t->o, id);
	} else if (inode || kind == DSO_KIND_ANON ||
		   kind == DSO_KIND_JIT) { /* there is no offset in a file, or it is a different one */
		out_u64(t->o, inode);
	}
	out_char(t->o, ' ');
	out_name(t->o, dso_name(symbols, hit->dso));
	out_char(t->o, '\n');
}

/* Print what is mapped at the end. Look only at addresses where maps begin or end: nothing changes between them. */
static void print_maps(const struct tasks *t, const struct task_node *node)
{
	uint32_t space = t->s->threads.items[node->thread].space, moment = UINT32_MAX;
	size_t n = space_maps(t->s->symbols, space, &(struct map_args){ 0 }, 0);
	struct map_args *maps = xcalloc(n, sizeof(*maps));
	uint64_t *edges = xcalloc(2 * n, sizeof(*edges)), from = 0;
	struct map_hit last = { 0 }, hit;
	bool open = false;

	space_maps(t->s->symbols, space, maps, n);
	for (size_t i = 0; i < n; i++) {
		edges[2 * i] = maps[i].start;
		edges[2 * i + 1] = maps[i].start + maps[i].len;
	}
	if (n)
		qsort(edges, 2 * n, sizeof(*edges), u64_compare);
	for (size_t i = 0; i < 2 * n; i++) {
		bool found = space_find(t->s->symbols, space, moment, edges[i], &hit);
		const struct map_args *m;

		if (found && open && hit.start == last.start && hit.len == last.len && hit.dso == last.dso &&
		    hit.pgoff == last.pgoff)
			continue;
		m = open ? map_of(maps, n, &last) : NULL;
		if (m && edges[i] > from)
			print_map(t, node->level, from, edges[i], &last, m);
		open = found;
		from = edges[i];
		last = hit;
	}
	free(maps);
	free(edges);
}

/* ---- the tree ---- */

static void print_below(struct tasks *t, struct task_node *node, unsigned depth)
{
	const struct thread *th = &t->s->threads.items[node->thread];
	char buf[16];

	node->printed = true;
	out_fmt(t->o, "%10d %8d %8d |", th->pid, th->tid, th->ppid);
	out_pad(t->o, ' ', node->level);
	out_name(t->o, session_comm(t->s, thread_last_comm(t->s, node->thread, th->tid), buf));
	out_char(t->o, '\n');
	if (t->maps)
		print_maps(t, node);
	for (uint32_t i = node->child; i && depth < LEVELS_MAX; i = t->nodes.items[i - 1].next)
		if (!t->nodes.items[i - 1].printed)
			print_below(t, &t->nodes.items[i - 1], depth + 1);
}

void tasks_print(const struct session *s, bool maps, struct out *o)
{
	struct tasks t = { .s = s, .o = o, .maps = maps };

	collect(&t);
	out_fmt(o, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	for (size_t i = 0; i < t.nodes.len; i++) /* threads without a parent */
		if (t.nodes.items[i].level < 2 && !t.nodes.items[i].printed)
			print_below(&t, &t.nodes.items[i], 0);
	for (size_t i = 0; i < t.nodes.len; i++) /* threads that are each other's parents */
		if (!t.nodes.items[i].printed)
			print_below(&t, &t.nodes.items[i], 0);
	vec_free(&t.nodes);
}
