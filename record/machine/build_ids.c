/* Find the objects with samples in a finished recording, and their build-ids. */
#include "record/machine/build_ids.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/search.h"
#include "format/format.h"
#include "record/machine/fetch.h"
#include "symbols/symbols.h"

struct object {
	const char *name;
	int32_t pid;              /* process that mapped it, for its view of the file system */
	uint64_t ino, generation; /* 0 = unknown */
	struct build_id id;       /* size 0 = unknown */
	bool kernel, hit;
};

struct map_span {
	uint64_t start, end;
	uint64_t last_end; /* the largest end up to here */
	uint32_t object;
};

/* A process's maps, without times: everything that was ever mapped. */
struct process {
	int32_t pid;
	uint32_t parent; /* index + 1 */
	bool touched;    /* it has a sample with a stack copy, whose callers only unwinding will show */
	VEC(struct map_span) spans;
};

enum { SEEN = 1 << 14, GENERATIONS = 64 };

struct pass {
	const struct perfdata *pd;
	struct arena *arena;
	VEC(struct object) objects;
	struct strtab names;
	struct u64map by_name;         /* name id and space -> index + 1 */
	VEC(struct process) processes; /* [0]: the kernel */
	struct u64map by_pid;
	uint64_t seen[SEEN]; /* pages with marked objects: most addresses lie in these */
	uint64_t first_ns, last_ns, samples;
	const struct build_ids_opts *opts;
	int32_t last_pid; /* argument of the last look_for() */
};

static struct process *get_process(struct pass *p, int32_t pid)
{
	bool is_new;
	uint32_t *index = u64map_put(&p->by_pid, (uint32_t)pid, &is_new);

	if (is_new) {
		vec_push(&p->processes, (struct process){ .pid = pid });
		*index = (uint32_t)p->processes.len - 1;
	}
	return &p->processes.items[*index];
}

/* Return the object's name; in "[kernel.kallsyms]_text" the suffix names a symbol. */
static const char *object_name(struct pass *p, const struct record_mmap *m, bool kernel)
{
	static const char kallsyms[] = "[kernel.kallsyms]";

	if (kernel && !strncmp(m->filename, kallsyms, sizeof(kallsyms) - 1))
		return kallsyms;
	return strtab_get(&p->names, strtab_intern(&p->names, m->filename));
}

static uint32_t get_object(struct pass *p, const struct record_mmap *m, bool kernel)
{
	const char *name = object_name(p, m, kernel);
	bool is_new;
	uint32_t *index = u64map_put(&p->by_name, (uint64_t)strtab_intern(&p->names, name) << 1 | kernel, &is_new);

	if (is_new) {
		struct object object = { .name = name, .pid = m->pid, .kernel = kernel };

		if (m->has_ino) {
			object.ino = m->ino;
			object.generation = m->ino_generation;
		}
		object.id.size = m->build_id_size;
		memcpy(object.id.bytes, m->build_id, sizeof(object.id.bytes));
		vec_push(&p->objects, object);
		*index = (uint32_t)p->objects.len - 1;
	}
	return *index;
}

/* Return whether the name can be that of a file. */
static bool has_file(const char *name)
{
	return (name[0] == '/' && strncmp(name, "//", 2) && strncmp(name, "/memfd:", 7) &&
		strncmp(name, "/dev/zero", 9) && strncmp(name, "/SYSV", 5)) ||
	       !strcmp(name, "[vdso]");
}

static void add_map(struct pass *p, const struct record *r)
{
	uint16_t mode = r->misc & MISC_CPUMODE;
	bool kernel = mode == CPUMODE_KERNEL;
	struct process *process;
	struct record_mmap m;
	struct map_span span;

	if (record_mmap(p->pd, r, &m) < 0)
		return;
	if ((mode != CPUMODE_USER && !kernel) || m.data || (!kernel && !has_file(m.filename)))
		return;
	span = (struct map_span){ .start = m.start,
				  .end = m.start + m.len < m.start ? UINT64_MAX : m.start + m.len,
				  .object = get_object(p, &m, kernel) };
	process = kernel ? &p->processes.items[0] : get_process(p, m.pid);
	vec_push(&process->spans, span);
}

static void add_fork(struct pass *p, const struct record *r)
{
	struct record_task t;
	uint32_t parent;

	if (record_task(r, &t) < 0 || t.pid == t.ppid)
		return;
	parent = (uint32_t)(get_process(p, t.ppid) - p->processes.items);
	get_process(p, t.pid)->parent = parent + 1;
}

static int by_start(const void *a, const void *b)
{
	const struct map_span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void sort_maps(struct pass *p)
{
	for (size_t i = 0; i < p->processes.len; i++) {
		struct process *process = &p->processes.items[i];
		uint64_t last = 0;

		if (process->spans.len)
			qsort(process->spans.items, process->spans.len, sizeof(*process->spans.items), by_start);
		for (size_t j = 0; j < process->spans.len; j++) {
			struct map_span *span = &process->spans.items[j];

			last = span->last_end = MAX(last, span->end);
		}
	}
}

/* Mark all objects that a process ever mapped at addr. */
static bool mark_in(struct pass *p, const struct process *process, uint64_t addr)
{
	size_t low = search_count(i, process->spans.len, process->spans.items[i].start <= addr);
	bool found = false;

	while (low-- && process->spans.items[low].last_end > addr) {
		if (process->spans.items[low].end <= addr)
			continue;
		p->objects.items[process->spans.items[low].object].hit = true;
		found = true;
	}
	return found;
}

static void mark(struct pass *p, int32_t pid, bool kernel, uint64_t addr)
{
	uint64_t page = addr >> 12 | (uint64_t)kernel << 63, key = hash_mix(page, (uint32_t)(kernel ? 0 : pid)) | 1;
	uint64_t *seen = &p->seen[key / 2 % SEEN];
	uint32_t *index, at;

	if (*seen == key)
		return;
	*seen = key;
	if (kernel) {
		mark_in(p, &p->processes.items[0], addr);
		return;
	}
	index = u64map_find(&p->by_pid, (uint32_t)pid);
	at = index ? *index + 1 : 0;
	/*
	 * A child inherits maps from before the fork, so look into its parents. Reused pids may
	 * form a loop: limit the count.
	 */
	for (int i = 0; at && i < GENERATIONS; i++) {
		const struct process *process = &p->processes.items[at - 1];

		if (mark_in(p, process, addr))
			return;
		at = process->parent;
	}
}

static void mark_chain(struct pass *p, const struct sample *s)
{
	enum { NOWHERE, USER, KERNEL } mode = NOWHERE;

	for (uint64_t i = 0; i < s->n_chain; i++) {
		uint64_t ip = load_u64(s->chain + i * 8);

		if (ip >= CHAIN_MARKER_MIN)
			mode = ip == CHAIN_USER ? USER : ip == CHAIN_KERNEL ? KERNEL : NOWHERE;
		else if (mode != NOWHERE)
			mark(p, (int32_t)s->pid, mode == KERNEL, ip);
	}
}

/* Return whether the process ever mapped code of a file there. */
static bool is_code(struct pass *p, int32_t pid, uint64_t addr)
{
	uint32_t *index = u64map_find(&p->by_pid, (uint32_t)pid), at = index ? *index + 1 : 0;

	for (int i = 0; at && i < GENERATIONS; i++) {
		const struct process *process = &p->processes.items[at - 1];
		size_t low = search_count(k, process->spans.len, process->spans.items[k].start <= addr);

		while (low-- && process->spans.items[low].last_end > addr)
			if (process->spans.items[low].end > addr)
				return true;
		at = process->parent;
	}
	return false;
}

/*
 * Count a chain that the kernel found by frame pointers. It is broken if it has only the sampled
 * function, or leads to a place without code. (Others may be broken too, but only symbols could
 * tell.)
 */
static void count_chain(struct pass *p, const struct sample *s)
{
	uint64_t n = 0, outermost = 0, at = 0;

	while (at < s->n_chain && load_u64(s->chain + at * 8) != CHAIN_USER)
		at++;
	for (at++; at < s->n_chain && load_u64(s->chain + at * 8) < CHAIN_MARKER_MIN; at++, n++)
		outermost = load_u64(s->chain + at * 8);
	if (!n)
		return;
	++*p->opts->chains;
	*p->opts->broken += n == 1 || !is_code(p, (int32_t)s->pid, outermost);
}

static void look_for(struct pass *p, int32_t pid)
{
	if (pid == p->last_pid)
		return;
	p->last_pid = pid;
	for (size_t i = 0; i < p->opts->n_pids; i++)
		p->opts->seen[i] |= p->opts->pids[i] == pid;
}

static void take_sample(struct pass *p, const struct record *r, bool times_only)
{
	int event = perfdata_event_of(p->pd, r);
	uint16_t mode = r->misc & MISC_CPUMODE;
	struct sample s;

	if (event < 0 || sample_decode(p->pd, r, (uint32_t)event, &s, NULL) < 0)
		return;
	p->samples++;
	if (s.type & SAMPLE_TIME) {
		p->first_ns = MIN(p->first_ns, s.time);
		p->last_ns = MAX(p->last_ns, s.time);
	}
	if (mode == CPUMODE_USER)
		look_for(p, (int32_t)s.pid);
	if (times_only)
		return;
	if (mode == CPUMODE_USER || mode == CPUMODE_KERNEL)
		mark(p, (int32_t)s.pid, mode == CPUMODE_KERNEL, s.ip);
	mark_chain(p, &s);
	if (p->opts->chains && !s.stack_user.size)
		count_chain(p, &s);
	if (s.stack_user.size)
		get_process(p, (int32_t)s.pid)->touched = true;
}

enum pass_kind { MAPS, SAMPLES, TIMES };

static int walk(struct pass *p, enum pass_kind what, struct err *e)
{
	/* release the pages after this many bytes; they fault in again on demand */
	enum { REST_SIZE = 16 << 20 };

	for (size_t i = 0; i < p->pd->n_streams; i++) {
		struct format_notes notes = { 0 };
		struct chunk c;
		struct record r;
		uint64_t rested = 0;
		int got;

		perfdata_chunk(p->pd, i, 0, stream_size(p->pd, i), &notes, &c);
		while ((got = chunk_next(&c, &r, e)) > 0) {
			if (what != MAPS && r.type == RECORD_SAMPLE)
				take_sample(p, &r, what == TIMES);
			else if (what == MAPS && (r.type == RECORD_MMAP || r.type == RECORD_MMAP2))
				add_map(p, &r);
			else if (what == MAPS && r.type == RECORD_FORK)
				add_fork(p, &r);
			if (r.pos - rested > REST_SIZE) {
				stream_rest(p->pd, i, rested, r.pos);
				rested = r.pos;
			}
		}
		chunk_release(&c);
		if (got < 0)
			return -1;
	}
	return 0;
}

/* Mark all objects of processes with stack copies: unwinding may meet any of them. */
static void mark_touched(struct pass *p)
{
	for (size_t i = 0; i < p->processes.len; i++) {
		const struct process *process = &p->processes.items[i];

		for (size_t j = 0; process->touched && j < process->spans.len; j++)
			p->objects.items[process->spans.items[j].object].hit = true;
	}
}

static bool is_mapped_file(const char *path, const struct object *object)
{
	autoclose int fd = -1;
	struct stat st;

	if (stat(path, &st) < 0 || (object->ino && st.st_ino != object->ino))
		return false;
	if (object->generation && S_ISREG(st.st_mode))
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 || file_has_generation(fd, object->generation);
}

/*
 * Return the path of the mapped file, for us or through its process's root; NULL when another
 * file has its place. The caller frees it.
 */
static char *file_of(const struct object *object)
{
	char *path = xstrdup(object->name);

	if (is_mapped_file(path, object))
		return path;
	free(path);
	path = xasprintf("/proc/%d/root%s", object->pid, object->name);
	if (object->ino && is_mapped_file(path, object))
		return path;
	free(path);
	return NULL;
}

static bool read_id(struct object *object, const char *file)
{
	char name[128];
	size_t len;

	if (object->id.size)
		return true;
	if (!strcmp(object->name, "[kernel.kallsyms]"))
		return build_id_of_kernel(&object->id, NULL) == 0;
	if (!strcmp(object->name, "[vdso]"))
		return build_id_of_vdso(&object->id, NULL) == 0;
	if (!object->kernel)
		return file && build_id_of_file(file, &object->id, NULL) == 0;
	/* a module: "[e1000]" or ".../e1000.ko.xz" */
	if (object->name[0] == '[')
		snprintf(name, sizeof(name), "%s", object->name + 1);
	else
		snprintf(name, sizeof(name), "%s",
			 strrchr(object->name, '/') ? strrchr(object->name, '/') + 1 : object->name);
	len = object->name[0] == '[' ? strcspn(name, "]")
				     : (size_t)(strstr(name, ".ko") ? strstr(name, ".ko") - name : 0);
	name[len] = '\0';
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return build_id_of_module(name, &object->id, NULL) == 0;
}

/*
 * Fetch the object if its file is gone, and its debug information. Return true when the user
 * stopped the search.
 */
static bool fetch(const struct object *object, const char *file, const struct teller *teller)
{
	autofree char *debug = NULL, *own = NULL;
	bool stopped = false;

	if (object->name[0] != '/' || object->kernel)
		return false;
	if (!file && (own = fetch_file("executable", &object->id, teller, &stopped)))
		build_id_cache_add_as(NULL, own, object->name, &object->id, NULL);
	if (!stopped && !build_id_cache_has_debug(NULL, &object->id) &&
	    (debug = fetch_file("debuginfo", &object->id, teller, &stopped)))
		build_id_cache_add_debug(NULL, debug, object->name, &object->id, NULL);
	return stopped;
}

static void store(struct pass *p, struct features *f, const struct build_ids_opts *opts)
{
	VEC(struct feature_build_id) ids = { 0 };
	bool stopped = false;

	for (size_t i = 0; i < p->objects.len; i++) {
		struct object *object = &p->objects.items[i];
		autofree char *file = NULL;
		struct feature_build_id id = { .pid = -1, .misc = MISC_BUILD_ID_SIZE };

		if (!object->hit && !opts->all)
			continue;
		if (object->name[0] == '/')
			file = file_of(object);
		if (!read_id(object, file))
			continue;
		id.misc |= object->kernel ? CPUMODE_KERNEL : CPUMODE_USER;
		id.size = object->id.size;
		memcpy(id.id, object->id.bytes, sizeof(id.id));
		id.filename = arena_strdup(f->arena, object->name);
		vec_push(&ids, id);
		if (opts->cache && (file || object->name[0] == '['))
			build_id_cache_add(NULL, file ? file : object->name, &object->id, NULL);
		if (opts->cache && opts->fetch && !stopped)
			stopped = fetch(object, file, &opts->tell);
	}
	if (ids.len) {
		f->n_build_ids = (uint32_t)ids.len;
		f->build_ids = vec_to_arena(&ids, f->arena);
		feature_set(f, FEATURE_BUILD_ID);
	}
	vec_free(&ids);
}

static void pass_free(struct pass *p)
{
	for (size_t i = 0; i < p->processes.len; i++)
		vec_free(&p->processes.items[i].spans);
	vec_free(&p->processes);
	vec_free(&p->objects);
	strtab_free(&p->names);
	u64map_free(&p->by_name);
	u64map_free(&p->by_pid);
	free(p);
}

int build_ids_collect(struct features *f, const char *path, const struct build_ids_opts *opts, uint64_t *samples,
		      struct err *e)
{
	struct perfdata *pd = perfdata_open(path, &(struct perfdata_opts){ .force = true }, e);
	struct pass *p;
	int result;

	if (!pd)
		return -1;
	p = xcalloc(1, sizeof(*p));
	p->pd = pd;
	p->opts = opts;
	p->last_pid = -1;
	p->first_ns = UINT64_MAX;
	vec_push(&p->processes, (struct process){ .pid = -1 });
	result = opts->no_ids ? walk(p, TIMES, e) : walk(p, MAPS, e);
	if (!opts->no_ids && !result) {
		sort_maps(p);
		result = walk(p, SAMPLES, e);
		mark_touched(p);
		store(p, f, opts);
	}
	feature_set(f, FEATURE_SAMPLE_TIME);
	f->first_sample_ns = p->last_ns ? p->first_ns : 0;
	f->last_sample_ns = p->last_ns;
	*samples = p->samples;
	pass_free(p);
	perfdata_close(pd);
	return result;
}
