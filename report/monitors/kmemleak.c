/*
 * Find memory that is not freed until the end: take the pointers of an allocating event, and remove those that a
 * freeing event frees.
 */
#include "base/sort/sort.h"
#include "report/monitors/monitor.h"
#include "report/waits/open_pairs.h"
#include "report/waits/sched.h"

enum { ALLOC, FREE };
enum { PTR, BYTES, BYTES_ALLOC, SIZE };

struct leaks {
	struct open_pairs open;
	struct sched_names names; /* a live session forgets threads that end */
	uint64_t n_alloc, n_free, than_ns;
	bool lost;
};

static int events(struct monitor_run *run, struct err *e)
{
	const struct monitor_opts *o = run->opts;
	struct leaks *s = run->state;

	if (!o->alloc || !o->free) {
		err_set(e, "this monitor needs an event that allocates and an event that frees");
		err_try(e,
			"--alloc kmem:kmalloc --free kmem:kfree, or percpu:percpu_alloc_percpu and percpu_free_percpu");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	run->open = &s->open;
	if (o->than && monitor_parse_time(&s->than_ns, o->than, 1000000, e) < 0)
		return -1;
	if (monitor_want(run, &(struct trace_want){ o->alloc, { "ptr", "bytes", "bytes_alloc", "size" } }, NULL, e) < 0)
		return -1;
	return monitor_want(run, &(struct trace_want){ o->free, { "ptr" } }, NULL, e);
}

static uint64_t size_of(const struct trace_event *t)
{
	for (unsigned field = BYTES; field <= SIZE; field++)
		if (trace_event_has(t, field) && field != BYTES)
			return trace_number(t, field);
	return trace_number(t, BYTES);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct leaks *s = run->state;
	uint64_t ptr = trace_number(t, PTR);
	struct open_pair start;
	char comm[SCHED_COMM];

	if (!ptr) /* an allocation that failed */
		return;
	if (t->want == FREE) {
		s->n_free++;
		open_pairs_end(&s->open, ptr, &start);
		return;
	}
	s->n_alloc++;
	if (t->task.comm)
		sched_names_tell(&s->names, t->task.tid, session_comm(run->session, t->task.comm, comm));
	monitor_start(run, t, ptr, size_of(t));
}

/* Note that events were lost: if one of them was a free, its memory looks like a leak. */
static void lost(struct monitor_run *run) { ((struct leaks *)run->state)->lost = true; }

/* Group the remaining allocations by stack, largest first. */
static int by_stack(const void *a, const void *b)
{
	const struct open_pair *x = a, *y = b;

	if (x->open != y->open)
		return x->open ? -1 : 1;
	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

struct leak {
	const struct open_pair *first;
	uint64_t bytes, objects;
};

static int by_bytes(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->first->time > y->first->time) - (x->first->time < y->first->time);
}

static void print_leak(struct monitor_run *run, const struct leak *l)
{
	const struct leaks *s = run->state;
	char comm[SCHED_COMM];
	struct json j;

	if (monitor_json(run, &j, "leak", run->now)) {
		json_unsigned(&j, "bytes", l->bytes);
		json_unsigned(&j, "objects", l->objects);
		json_text(&j, "comm", sched_names_last(&s->names, l->first->tid, comm));
		json_number(&j, "tid", l->first->tid);
		monitor_json_stack(run, &j, l->first->stack);
		monitor_json_end(&j);
		return;
	}
	out_fmt(run->out, "Leak of %llu bytes in %llu objects, the first one in ", (unsigned long long)l->bytes,
		(unsigned long long)l->objects);
	out_name(run->out, sched_names_last(&s->names, l->first->tid, comm));
	out_fmt(run->out, "[%d], allocated from:\n", l->first->tid);
	if (l->first->stack)
		monitor_print_stack(run, l->first->stack);
	else
		out_str(run->out, "    (no call chain: -g records it)\n");
}

static void finish(struct monitor_run *run)
{
	struct leaks *s = run->state;
	VEC(struct leak) leaks = { 0 };
	uint64_t objects = 0;
	struct json j;

	s->names.session = run->session;
	vec_sort(&s->open, by_stack);
	for (size_t i = 0; i < s->open.len && s->open.items[i].open; i++) {
		const struct open_pair *p = &s->open.items[i];

		if (s->than_ns && run->now < p->time + s->than_ns)
			continue;
		if (!leaks.len || leaks.items[leaks.len - 1].first->stack != p->stack)
			vec_push(&leaks, (struct leak){ .first = p });
		leaks.items[leaks.len - 1].bytes += p->value;
		leaks.items[leaks.len - 1].objects++;
		objects++;
	}
	vec_sort(&leaks, by_bytes);
	out_fmt(run->out, "KMEMLEAK REPORT: %llu\n", (unsigned long long)objects);
	for (size_t i = 0; i < leaks.len; i++)
		print_leak(run, &leaks.items[i]);
	if (monitor_json(run, &j, "total", run->now)) {
		json_unsigned(&j, "leaked", objects);
		json_unsigned(&j, "alloc", s->n_alloc);
		json_unsigned(&j, "free", s->n_free);
		json_unsigned(&j, "dropped", s->open.dropped);
		json_unsigned(&j, "replaced", s->open.replaced);
		json_bool(&j, "lost", s->lost);
		monitor_json_end(&j);
	}
	out_fmt(run->out, "TOTAL alloc %llu free %llu\n", (unsigned long long)s->n_alloc,
		(unsigned long long)s->n_free);
	if (s->open.dropped || s->open.replaced)
		out_fmt(run->out, "# allocations dropped %llu, replaced by a later one at their address %llu\n",
			(unsigned long long)s->open.dropped, (unsigned long long)s->open.replaced);
	if (s->lost)
		out_str(run->out, "# events were lost: some of these may have been freed\n");
	vec_free(&leaks);
}

static void release(struct monitor_run *run)
{
	struct leaks *s = run->state;

	open_pairs_free(&s->open);
	sched_names_release(&s->names);
}

const struct monitor monitor_kmemleak = { .events = events,
					  .sample = sample,
					  .by_field = true,
					  .lost = lost,
					  .finish = finish,
					  .release = release,
					  .ring_pages = 64,
					  .state_size = sizeof(struct leaks) };
