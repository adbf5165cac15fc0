/* ftrace record: write unchanged pages into a trace.dat. */
#include <sys/utsname.h>

#include "base/new_file.h"
#include "base/say.h"
#include "cmd/ftrace/ftrace_priv.h"
#include "format/spool.h"
#include "format/trace/dat.h"

/* Keep a CPU's pages in an unlinked file, because in a trace.dat they must be together. */
enum { TOGETHER = 1 << 18 }; /* bytes per write to it */
struct ftrace_recording {
	const char *path;
	VEC(struct cpu_pages {
		struct spool spool;
		uint8_t *last; /* TOGETHER bytes; NULL: none yet */
		size_t n_last;
	})
	cpus; /* by number */
	uint32_t page_size;
};

static int write_last(struct cpu_pages *c, int cpu, struct err *e)
{
	if (c->n_last && !spool_add(&c->spool, c->last, c->n_last)) {
		err_set(e, "no space for the rest of the trace after %zu MB of CPU %d", c->spool.len >> 20, cpu);
		return err_try(e, "choose another directory with TMPDIR=..., or trace less");
	}
	c->n_last = 0;
	return 0;
}

static int take_page(void *ctx, int cpu, const uint8_t *page, size_t size, struct err *e)
{
	struct ftrace_recording *r = ctx;
	struct cpu_pages *c;

	while (r->cpus.len <= (size_t)cpu)
		vec_push(&r->cpus, (struct cpu_pages){ 0 });
	c = &r->cpus.items[cpu];
	if (c->n_last + size > TOGETHER && write_last(c, cpu, e) < 0)
		return -1;
	if (!c->last)
		c->last = xmalloc(MAX(size, (size_t)TOGETHER));
	memcpy(c->last + c->n_last, page, size);
	c->n_last += size;
	r->page_size = (uint32_t)size;
	return 0;
}

static int write_file(struct ftrace_recording *r, const struct trace_dat_parts *parts, struct err *e)
{
	struct new_file f;

	if (new_file_open_private(&f, r->path, e) < 0)
		return -1;
	trace_dat_write(&f.out, parts);
	return new_file_finish(&f, e);
}

static void describe(const struct instance *in, struct trace_dat_parts *parts, struct trace_dat_cpu_part *cpus,
		     const struct ftrace_recording *r, struct arena *arena)
{
	autofree char *clock = instance_read(in, "trace_clock", NULL);
	struct utsname u;

	parts->clock = clock ? arena_strdup(arena, clock) : NULL;
	if (uname(&u) == 0)
		parts->uname = arena_printf(arena, "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	for (size_t i = 0; i < r->cpus.len; i++) {
		autofree char *file = xasprintf("per_cpu/cpu%zu/stats", i), *stats = instance_read(in, file, NULL);

		cpus[i] = (struct trace_dat_cpu_part){ .data = r->cpus.items[i].spool.data,
						       .size = r->cpus.items[i].spool.len };
		if (stats)
			cpus[i].stats = arena_printf(arena, "CPU: %zu\n%s", i, stats);
	}
}

static int write_recording(struct ftrace_recording *r, const struct instance *in, struct err *e)
{
	autofree struct trace_dat_cpu_part *cpus = xcalloc(r->cpus.len + 1, sizeof(*cpus));
	struct trace_dat_parts parts = { .cpus = cpus, .n_cpus = r->cpus.len, .page_size = r->page_size };
	struct arena arena = { 0 };
	uint64_t bytes = 0;
	struct out head;
	int rc;

	if (!parts.page_size)
		parts.page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	out_init_mem(&head);
	rc = ftrace_live_head(in, true, &head, e);
	parts.head = head.buf;
	parts.head_len = head.len;
	describe(in, &parts, cpus, r, &arena);
	if (rc == 0)
		rc = write_file(r, &parts, e);
	for (size_t i = 0; i < r->cpus.len; i++)
		bytes += r->cpus.items[i].spool.len;
	if (rc == 0 && strcmp(r->path, "-"))
		say("[ %s ftrace record: wrote '%s', %.3f MB of trace ]", tool_name(), r->path, (double)bytes / 1e6);
	out_release(&head);
	arena_release(&arena);
	return rc;
}

/* The file also lists CPUs without entries. */
static void add_empty_cpus(struct ftrace_recording *r, const struct instance *in)
{
	for (;;) {
		autofree char *dir = xasprintf("per_cpu/cpu%zu", r->cpus.len);

		if (!instance_has(in, dir))
			return;
		vec_push(&r->cpus, (struct cpu_pages){ 0 });
	}
}

static int finish(void *ctx, const struct instance *in, struct err *e)
{
	struct ftrace_recording *r = ctx;

	for (size_t i = 0; i < r->cpus.len; i++)
		if (write_last(&r->cpus.items[i], (int)i, e) < 0)
			return -1;
	add_empty_cpus(r, in);
	return write_recording(r, in, e);
}

static void cpu_pages_release(struct cpu_pages *c)
{
	spool_release(&c->spool);
	free(c->last);
}

int ftrace_record(struct ftrace_opts *o, int argc, char **argv, struct err *e)
{
	struct ftrace_recording r = { .path = o->output ? o->output : "trace.dat" };
	struct ftrace_sink sink = { .ctx = &r, .page = take_page, .finish = finish };
	int rc;

	if (o->input) {
		err_set(e, "record writes a trace.dat; -i reads one");
		err_try(e, "%s ftrace trace -i %s", tool_name(), o->input);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (new_file_check(r.path, e) < 0) /* before the command runs, not after it */
		return -1;
	rc = ftrace_run(o, argc, argv, &sink, e);
	for (size_t i = 0; i < r.cpus.len; i++)
		cpu_pages_release(&r.cpus.items[i]);
	vec_free(&r.cpus);
	return rc;
}
