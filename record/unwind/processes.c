/* Keep the maps of all processes up to date, and open the objects in them. */
#include "record/unwind/processes_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/search.h"
#include "base/sort/sort.h"
#include "symbols/unwind/jit.h"

enum { MAPS_MAX = 1 << 16 }; /* of one process: no kernel allows more by default */

/* A root directory of processes. Number 0 is ours, and has no descriptor. */
struct seen_root {
	struct statx identity;
	int fd;
};

struct mapped_process {
	int32_t pid;
	struct live_maps *maps;
	uint32_t root;
	bool root_known; /* read since its fork or exec */
	uint8_t ended;   /* calls of processes_forget until it is forgotten; 0 = it runs */
};

/* The identity of a file in a record. */
struct file_identity {
	uint64_t ino, generation;
	uint32_t maj, min;
	struct build_id id;
};

struct mapped_file {
	struct file_identity identity;
	uint64_t hash;                /* in by_identity */
	uint64_t used;                /* number of its last map */
	uint32_t root;                /* where its debug file is, too */
	struct unwind_object *object; /* NULL: it does not exist, or is a different file */
};

/* The jitdump that a process has mapped, shared by all states of its maps. */
struct live_jit {
	struct unwind_jit *jit;
	uint64_t dev, ino;
	uint32_t users;
	struct live_jit *next, **link;
};

struct processes {
	VEC(struct mapped_process) processes;
	struct u64map by_pid; /* index + 1 */
	VEC(struct seen_root) roots;
	VEC(struct mapped_file) files;
	size_t files_most; /* look for unused files when there are this many */
	struct idtable by_identity;
	uint64_t n_maps; /* of files, so far */
	uint64_t n_rounds;
	struct live_maps *all;
	struct live_jit *jits;
	struct unwind_object *vdso;
	bool vdso_tried;
	uint32_t last_id;
	uint64_t missing;
};

/* In another mount namespace, the same directory has another mount id. Kernels before 5.8 do not tell it. */
static bool identify_root(int fd, const char *path, struct statx *identity)
{
	memset(identity, 0, sizeof(*identity));
	return statx(fd, path, AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, identity) == 0;
}

static bool is_same_root(const struct statx *a, const struct statx *b)
{
	return a->stx_ino == b->stx_ino && a->stx_dev_major == b->stx_dev_major &&
	       a->stx_dev_minor == b->stx_dev_minor && a->stx_mnt_id == b->stx_mnt_id;
}

struct processes *processes_new(void)
{
	struct processes *s = xcalloc(1, sizeof(*s));

	vec_push(&s->roots, (struct seen_root){ .fd = -1 });
	identify_root(AT_FDCWD, "/", &s->roots.items[0].identity);
	return s;
}

static void jit_drop(struct live_jit *j)
{
	if (!j || --j->users)
		return;
	*j->link = j->next;
	if (j->next)
		j->next->link = j->link;
	unwind_jit_free(j->jit);
	free(j);
}

void maps_drop(struct live_maps *m)
{
	if (!m || --m->users)
		return;
	*m->link = m->next;
	if (m->next)
		m->next->link = m->link;
	jit_drop(m->jit);
	free(m->items);
	free(m);
}

void processes_free(struct processes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->processes.len; i++)
		maps_drop(s->processes.items[i].maps);
	for (size_t i = 0; i < s->files.len; i++)
		unwind_object_free(s->files.items[i].object);
	for (size_t i = 0; i < s->roots.len; i++)
		if (s->roots.items[i].fd >= 0)
			close(s->roots.items[i].fd);
	unwind_object_free(s->vdso);
	vec_free(&s->processes);
	vec_free(&s->roots);
	vec_free(&s->files);
	u64map_free(&s->by_pid);
	idtable_free(&s->by_identity);
	free(s);
}

/* ---- processes ---- */

static struct mapped_process *find_process(struct processes *s, int32_t pid)
{
	const uint32_t *at = u64map_find(&s->by_pid, (uint32_t)pid);

	return at && *at ? &s->processes.items[*at - 1] : NULL;
}

static struct mapped_process *get_process(struct processes *s, int32_t pid)
{
	uint32_t *at = u64map_put(&s->by_pid, (uint32_t)pid, NULL);

	if (!*at) {
		vec_push(&s->processes, (struct mapped_process){ .pid = pid });
		*at = (uint32_t)s->processes.len;
	}
	return &s->processes.items[*at - 1];
}

/* Mark objects that some maps still refer to, because the process runs or its samples wait for unwinding. */
static void mark_objects(const struct processes *s, struct u64map *used)
{
	for (const struct live_maps *m = s->all; m; m = m->next)
		for (size_t i = 0; i < m->view.n; i++)
			if (m->items[i].object)
				u64map_put(used, (uintptr_t)m->items[i].object, NULL);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Return the time of the last map of the oldest unmapped file that we keep. */
static uint64_t used_since(const struct processes *s, size_t keep)
{
	VEC(uint64_t) used = { 0 };
	uint64_t since;

	for (size_t i = 0; i < s->files.len; i++)
		vec_push(&used, s->files.items[i].used);
	vec_sort(&used, by_number);
	since = used.items[used.len - MIN(keep, used.len)];
	vec_free(&used);
	return since;
}

/*
 * Forget files that nothing maps: a recorder that runs for long sees more and more programs, and each needs a
 * descriptor and tables. Programs that start again and again are worth keeping, so do this only if there are twice as
 * many files as after the last time, and keep the most recently mapped ones.
 */
static void forget_files(struct processes *s)
{
	enum { LEAST = 128 };
	struct u64map used = { 0 };
	uint64_t since;
	size_t kept = 0;

	if (s->files.len < MAX(s->files_most, (size_t)LEAST))
		return;
	since = used_since(s, LEAST / 2);
	mark_objects(s, &used);
	idtable_free(&s->by_identity);
	for (size_t i = 0; i < s->files.len; i++) {
		struct mapped_file file = s->files.items[i];

		if (file.used < since && !u64map_find(&used, (uintptr_t)file.object)) {
			unwind_object_free(file.object);
			continue;
		}
		s->files.items[kept++] = file;
		idtable_add(&s->by_identity, file.hash, (uint32_t)kept);
	}
	s->files.len = kept;
	s->files_most = 2 * kept;
	u64map_free(&used);
}

/* Forget unused root directories of containers. */
static void forget_roots(struct processes *s)
{
	autofree bool *used = xcalloc(s->roots.len, sizeof(*used));

	for (size_t i = 0; i < s->processes.len; i++)
		used[s->processes.items[i].root] = true;
	for (size_t i = 0; i < s->files.len; i++)
		used[s->files.items[i].root] = true;
	for (size_t i = 1; i < s->roots.len; i++) {
		if (used[i] || s->roots.items[i].fd < 0)
			continue;
		close(s->roots.items[i].fd);
		s->roots.items[i] = (struct seen_root){ .fd = -1 };
	}
}

/* Keep the ids of roots, because processes refer to them. */
static uint32_t keep_root(struct processes *s, struct seen_root root)
{
	for (uint32_t i = 1; i < s->roots.len; i++) {
		if (s->roots.items[i].fd < 0) {
			s->roots.items[i] = root;
			return i;
		}
	}
	vec_push(&s->roots, root);
	return (uint32_t)s->roots.len - 1;
}

/* Other threads of a process may live longer than its first thread. */
static bool is_gone(int32_t pid) { return kill(pid, 0) < 0 && errno == ESRCH; }

/* Release pages only now and then: reading them again costs more than keeping them. */
static void rest_files(struct processes *s)
{
	enum { SELDOM = 64 };

	if (++s->n_rounds % SELDOM)
		return;
	for (size_t i = 0; i < s->files.len; i++)
		unwind_object_rest(s->files.items[i].object);
}

void processes_forget(struct processes *s)
{
	size_t kept = 0;

	rest_files(s);
	for (size_t i = 0; i < s->processes.len; i++) {
		struct mapped_process p = s->processes.items[i];

		p.ended -= p.ended > 1;
		if (p.ended == 1 && p.pid > 0 && is_gone(p.pid)) {
			maps_drop(p.maps);
			continue;
		}
		s->processes.items[kept++] = p;
	}
	if (kept == s->processes.len)
		return;
	s->processes.len = kept;
	u64map_free(&s->by_pid);
	for (size_t i = 0; i < kept; i++)
		*u64map_put(&s->by_pid, (uint32_t)s->processes.items[i].pid, NULL) = (uint32_t)i + 1;
	forget_files(s);
	forget_roots(s);
}

struct live_maps *processes_use(struct processes *s, int32_t pid)
{
	struct mapped_process *p = find_process(s, pid);

	if (!p || !p->maps)
		return NULL;
	p->maps->users++;
	return p->maps;
}

/* ---- maps ---- */

static void set_jit(struct live_maps *m, struct live_jit *j)
{
	if (j)
		j->users++;
	jit_drop(m->jit);
	m->jit = j;
	m->view.jit = j ? j->jit : NULL;
}

/* Make the process's maps its own, so that they can change. */
static struct live_maps *own_maps(struct processes *s, struct mapped_process *p)
{
	struct live_maps *old = p->maps, *m;

	if (!old || old->users > 1) {
		m = xcalloc(1, sizeof(*m));
		m->users = 1;
		m->next = s->all;
		m->link = &s->all;
		if (s->all)
			s->all->link = &m->next;
		s->all = m;
		if (old) {
			m->cap = old->view.n + 16;
			m->items = xcalloc(m->cap, sizeof(*m->items));
			if (old->view.n)
				memcpy(m->items, old->items, old->view.n * sizeof(*m->items));
			m->view.n = old->view.n;
			set_jit(m, old->jit);
			maps_drop(old);
		}
		p->maps = m;
	}
	m = p->maps;
	if (!++s->last_id) /* 0 names nothing */
		s->last_id = 1;
	m->view.id = s->last_id;
	m->view.items = m->items;
	return m;
}

static void insert(struct live_maps *m, size_t at, struct unwind_map map)
{
	if (m->view.n == m->cap) {
		m->cap = m->cap * 2 + 16;
		m->items = xrealloc(m->items, m->cap * sizeof(*m->items));
	}
	memmove(m->items + at + 1, m->items + at, (m->view.n - at) * sizeof(*m->items));
	m->items[at] = map;
	m->view.n++;
}

/* Add a map; it replaces older maps of the same addresses. */
static void cover(struct live_maps *m, const struct unwind_map *map)
{
	size_t at = search_count(i, m->view.n, m->items[i].end <= map->start), end;

	if (at < m->view.n && m->items[at].start < map->start) {
		struct unwind_map rest = m->items[at];

		m->items[at++].end = map->start;
		if (rest.end > map->end) {
			rest.pgoff += map->end - rest.start;
			rest.start = map->end;
			insert(m, at, rest);
		}
	}
	for (end = at; end < m->view.n && m->items[end].end <= map->end; end++)
		;
	if (end < m->view.n && m->items[end].start < map->end) {
		m->items[end].pgoff += map->end - m->items[end].start;
		m->items[end].start = map->end;
	}
	if (end > at) /* otherwise nothing moves, and there may be no items yet */
		memmove(m->items + at, m->items + end, (m->view.n - end) * sizeof(*m->items));
	m->view.n -= end - at;
	if (m->view.n < MAPS_MAX)
		insert(m, at, *map);
	m->view.items = m->items;
}

/* ---- objects ---- */

enum { NO_ROOT = UINT32_MAX };

static uint32_t find_root(const struct processes *s, const struct statx *identity)
{
	for (uint32_t i = 0; i < s->roots.len; i++)
		if ((!i || s->roots.items[i].fd >= 0) && is_same_root(&s->roots.items[i].identity, identity))
			return i;
	return NO_ROOT;
}

/* Open the root directory of the process; use ours if we cannot read it. */
static uint32_t root_of(struct processes *s, struct mapped_process *p)
{
	struct seen_root root;
	char path[48];

	if (p->root_known)
		return p->root;
	snprintf(path, sizeof(path), "/proc/%d/root", (int)p->pid);
	root.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root.fd < 0) /* the process has ended: use its parent's, from the fork */
		return p->root;
	p->root_known = true;
	if (identify_root(root.fd, "", &root.identity))
		p->root = find_root(s, &root.identity);
	if (p->root != NO_ROOT)
		close(root.fd);
	else
		p->root = keep_root(s, root);
	return p->root;
}

static bool is_same_file(int fd, const struct file_identity *want)
{
	char path[32];
	struct build_id id;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (!want->id.size)
		/* devices differ where file systems are stacked */
		return !want->ino || (st.st_ino == want->ino && file_has_generation(fd, want->generation));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return build_id_of_file(path, &id, NULL) == 0 && id.size == want->id.size &&
	       !memcmp(id.bytes, want->id.bytes, id.size);
}

static int try_open(int dir, const char *path, const struct file_identity *want)
{
	int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && !is_same_file(fd, want)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Open the mapped file: below the process's root, below ours, or through the mapping itself (for that root only). */
static int open_mapped(struct processes *s, struct mapped_process *p, const struct record_mmap *m,
		       const struct file_identity *want)
{
	uint32_t root = root_of(s, p);
	char path[80];
	int fd = -1;

	if (*m->filename != '/')
		return -1;
	if (root)
		fd = try_open(s->roots.items[root].fd, m->filename + 1, want);
	if (fd < 0)
		fd = try_open(AT_FDCWD, m->filename, want);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)m->pid, (unsigned long long)m->start,
		 (unsigned long long)(m->start + m->len));
	return try_open(AT_FDCWD, path, want);
}

static struct unwind_object *object_of(struct processes *s, struct mapped_process *p, const struct record_mmap *m)
{
	struct file_identity want;
	uint64_t hash;
	struct idtable_probe probe;
	struct mapped_file file;
	uint32_t id;
	int fd;

	memset(&want, 0, sizeof(want)); /* padding, too: it is hashed */
	want.id.size = MIN(m->build_id_size, (uint8_t)sizeof(want.id.bytes));
	memcpy(want.id.bytes, m->build_id, want.id.size);
	if (m->has_ino) {
		want.ino = m->ino;
		want.generation = m->ino_generation;
		want.maj = m->maj;
		want.min = m->min;
	}
	hash = hash_bytes(&want, sizeof(want),
			  want.ino || want.id.size ? 0 : hash_bytes(m->filename, strlen(m->filename), 1));
	probe = idtable_probe(&s->by_identity, hash);
	while ((id = idtable_next(&s->by_identity, &probe)))
		if (!memcmp(&s->files.items[id - 1].identity, &want, sizeof(want)) &&
		    (want.ino || want.id.size || s->files.items[id - 1].object)) {
			s->files.items[id - 1].used = ++s->n_maps;
			return s->files.items[id - 1].object;
		}
	memset(&file, 0, sizeof(file));
	memcpy(&file.identity, &want, sizeof(want));
	file.hash = hash;
	file.used = ++s->n_maps;
	fd = open_mapped(s, p, m, &want);
	file.root = root_of(s, p);
	if (fd >= 0)
		file.object = unwind_object_open(fd, s->roots.items[file.root].fd, m->filename, NULL);
	s->missing += !file.object;
	if (!file.object) /* another process may see the file */
		return NULL;
	vec_push(&s->files, file);
	idtable_add(&s->by_identity, hash, (uint32_t)s->files.len);
	return file.object;
}

static bool starts(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Return true if samples use the clock of jitdumps. */
static bool is_jit_clock(const struct perfdata *pd)
{
	const struct attr *a = &pd->events[0].attr;

	return a->flags & ATTR_USE_CLOCKID && a->clockid == CLOCK_MONOTONIC;
}

/*
 * Return true if the owner is root, ourselves or the owner of the process: anybody may put a file
 * there.
 */
static bool is_trusted(const struct stat *file, int32_t pid)
{
	struct stat process;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !file->st_uid || file->st_uid == geteuid() ||
	       (stat(path, &process) == 0 && process.st_uid == file->st_uid);
}

/* Follow a jitdump. A JIT announces it by mapping it. */
static void take_jitdump(struct processes *s, struct mapped_process *p, const struct record_mmap *m, bool timed)
{
	struct file_identity want = { .ino = m->has_ino ? m->ino : 0,
				      .generation = m->has_ino ? m->ino_generation : 0 };
	int fd = open_mapped(s, p, m, &want);
	struct live_maps *maps = p->maps;
	struct live_jit *j;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) < 0 || !is_trusted(&st, m->pid) ||
	    (maps && maps->jit && maps->jit->ino == st.st_ino && maps->jit->dev == st.st_dev)) {
		close(fd);
		return;
	}
	j = xcalloc(1, sizeof(*j));
	j->jit = unwind_jit_open(fd, timed);
	if (!j->jit) {
		free(j);
		return;
	}
	j->dev = st.st_dev;
	j->ino = st.st_ino;
	j->next = s->jits;
	j->link = &s->jits;
	if (s->jits)
		s->jits->link = &j->next;
	s->jits = j;
	set_jit(own_maps(s, p), j);
}

void processes_read_jits(struct processes *s)
{
	for (struct live_jit *j = s->jits; j; j = j->next)
		unwind_jit_read(j->jit);
}

static void apply_mmap(struct processes *s, const struct record_mmap *m, bool jit_clock)
{
	struct unwind_map map = { .start = m->start, .end = m->start + m->len, .pgoff = m->pgoff };
	struct mapped_process *p;

	if (m->pid < 0 || map.end <= map.start || !(m->prot & 4 /* PROT_EXEC */))
		return;
	p = get_process(s, m->pid);
	if (is_jitdump(m->filename)) {
		take_jitdump(s, p, m, jit_clock);
		return;
	}
	if (!strcmp(m->filename, "[vdso]")) {
		if (!s->vdso_tried)
			s->vdso = unwind_object_vdso();
		s->vdso_tried = true;
		map.object = s->vdso;
		map.pgoff = 0;
	} else if (starts(m->filename, "//anon") || *m->filename != '/' || starts(m->filename, "/dev/zero") ||
		   starts(m->filename, "/SYSV") || starts(m->filename, "/memfd:")) {
		map.kind = UNWIND_CODE_NONE;
	} else {
		map.object = object_of(s, p, m);
	}
	cover(own_maps(s, p), &map);
}

static void apply_fork(struct processes *s, const struct record_task *t)
{
	struct mapped_process *parent, *child;

	if (t->pid == t->ppid || t->pid < 0) /* a thread */
		return;
	get_process(s, t->pid); /* first, because it may move other processes */
	parent = find_process(s, t->ppid);
	child = find_process(s, t->pid);
	maps_drop(child->maps);
	*child = (struct mapped_process){ .pid = t->pid };
	if (!parent)
		return;
	child->root = parent->root;
	child->maps = parent->maps;
	if (child->maps)
		child->maps->users++;
}

static void apply_exec(struct processes *s, int32_t pid)
{
	struct mapped_process *p = get_process(s, pid);

	maps_drop(p->maps);
	p->maps = NULL;
	p->root_known = false;
	p->ended = 0;
}

void processes_apply(struct processes *s, const struct perfdata *pd, const struct record *r)
{
	struct record_mmap m;
	struct record_comm c;
	struct record_task t;
	struct mapped_process *p;

	switch (r->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		if ((r->misc & MISC_CPUMODE) == CPUMODE_USER && record_mmap(pd, r, &m) == 0)
			apply_mmap(s, &m, is_jit_clock(pd));
		break;
	case RECORD_COMM:
		if (record_comm(pd, r, &c) == 0 && c.exec)
			apply_exec(s, c.pid);
		break;
	case RECORD_FORK:
		if (record_task(r, &t) == 0)
			apply_fork(s, &t);
		break;
	case RECORD_EXIT:
		if (record_task(r, &t) == 0 && t.pid == t.tid && (p = find_process(s, t.pid)))
			p->ended = 3;
		break;
	}
}

struct processes_count processes_count(const struct processes *s)
{
	struct processes_count c = { .processes = s->processes.len, .objects = s->files.len, .missing = s->missing };

	for (size_t i = 0; i < s->files.len; i++) {
		struct unwind_object_size size = unwind_object_size(s->files.items[i].object);

		c.tables.bytes += size.bytes;
		c.tables.rows += size.rows;
		c.tables.rules += size.rules;
	}
	return c;
}
