/*
 * Keep what happened over time: threads, their names and spaces, kernel code. Apply one record at a time, in the order
 * of moments; lookups by moment are at the end of the file. Begin and end threads by the same rules as perf, so that a
 * sample gets the same comm and maps.
 */
#include "base/search.h"
#include "report/session/session_priv.h"

#include <sys/mman.h>

#include "base/bytes.h"

enum { NEVER = UINT32_MAX };
enum { KSYMBOL_UNREGISTER = 1 }; /* linux/perf_event.h, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */

static struct tid_lives *lives_of(const struct session *s, int32_t tid)
{
	const uint32_t *at = u64map_find(&s->priv->tids, (uint32_t)tid);

	return at ? &s->priv->lives.items[*at] : NULL;
}

static struct tid_lives *lives_make(struct session *s, int32_t tid)
{
	bool is_new;
	uint32_t *at = u64map_put(&s->priv->tids, (uint32_t)tid, &is_new);

	if (is_new) {
		*at = (uint32_t)s->priv->lives.len;
		vec_add(&s->priv->lives, 1);
	}
	return &s->priv->lives.items[*at];
}

/* Return the open life of a tid, 0 if none. */
static uint32_t living(const struct session *s, int32_t tid)
{
	const struct tid_lives *l = lives_of(s, tid);
	uint32_t id = l && l->threads.len ? l->threads.items[l->threads.len - 1] : 0;

	return id && s->threads.items[id].to == NEVER ? id : 0;
}

static bool is_subject(const struct session *s, int32_t tid) { return u64map_find(&s->priv->subjects, (uint32_t)tid); }

static void thread_end(struct session *s, uint32_t id, uint32_t moment)
{
	if (id)
		s->threads.items[id].to = moment;
}

/* Begin the life of a thread. The caller gives it a space. */
static uint32_t thread_begin(struct session *s, int32_t pid, int32_t tid, uint32_t from)
{
	struct session_priv *p = s->priv;
	uint32_t id = p->free_threads.len ? p->free_threads.items[--p->free_threads.len] : (uint32_t)s->threads.len;

	if (id == s->threads.len)
		vec_add(&s->threads, 1);
	s->threads.items[id] = (struct thread){
		.pid = pid, .tid = tid, .ppid = -1, .from = from, .to = NEVER, .about = is_subject(s, tid)
	};
	vec_push(&lives_make(s, tid)->threads, id);
	return id;
}

/*
 * Return the thread that a record is about. If no record announced it, assume that it has lived since the previous life
 * of the id ended. Threads share the maps of their process.
 */
static uint32_t thread_get(struct session *s, int32_t pid, int32_t tid, uint32_t moment)
{
	uint32_t id = living(s, tid), leader;
	const struct tid_lives *l;

	if (id) {
		struct thread *t = &s->threads.items[id];

		t->exited = false; /* a thread that executes a program takes over the id of its process */
		if (t->pid == -1 && pid != -1) {
			session_rewrite(s);
			t->pid = pid;
			if (pid != tid) {
				leader = thread_get(s, pid, pid, moment);
				s->threads.items[id].space = s->threads.items[leader].space;
			}
		}
		return id;
	}
	session_rewrite(s);
	leader = pid == tid || pid == -1 ? 0 : thread_get(s, pid, pid, moment);
	l = lives_of(s, tid);
	id = thread_begin(s, pid, tid,
			  l && l->threads.len ? s->threads.items[l->threads.items[l->threads.len - 1]].to : 0);
	s->threads.items[id].space =
		leader ? s->threads.items[leader].space : space_new(s->symbols, SPACE_NONE, moment);
	return id;
}

static const struct comm_change *comm_now(const struct thread *t)
{
	return t->comms.len ? &t->comms.items[t->comms.len - 1] : NULL;
}

static int apply_comm(struct session *s, const struct record *r, uint32_t moment)
{
	struct record_comm c;
	uint32_t id;

	if (record_comm(s->pd, r, &c) < 0)
		return -1;
	id = thread_get(s, c.pid, c.tid, moment);
	if (!s->threads.items[id].comms.len) /* earlier samples get this name, too */
		session_rewrite(s);
	vec_push(&s->threads.items[id].comms,
		 (struct comm_change){ .moment = moment, .comm = strtab_intern(&s->strings, c.comm), .exec = c.exec });
	return 0;
}

/*
 * Begin a thread or a process. A process starts with its parent's maps, unless the recorder made the record from /proc:
 * then map records follow.
 */
static int apply_fork(struct session *s, const struct record *r, uint32_t moment)
{
	struct record_task f;
	struct thread *child, *parent;
	const struct comm_change *comm;
	uint32_t id, parent_id;

	if (record_task(r, &f) < 0)
		return -1;
	parent_id = thread_get(s, f.ppid, f.ptid, moment);
	if (s->threads.items[parent_id].pid != f.ppid) {
		thread_end(s, parent_id, moment);
		parent_id = thread_get(s, f.ppid, f.ptid, moment);
	}
	thread_end(s, living(s, f.tid), moment);
	id = thread_begin(s, f.pid, f.tid, moment);
	if (f.pid != f.tid) {
		uint32_t leader = f.pid == -1 ? 0 : thread_get(s, f.pid, f.pid, moment);

		s->threads.items[id].space = leader ? s->threads.items[leader].space : SPACE_NONE;
	}
	child = &s->threads.items[id];
	parent = &s->threads.items[parent_id];
	child->ppid = f.ppid;
	child->parent = parent_id;
	child->about |= parent->about;
	comm = comm_now(parent);
	if (comm)
		vec_push(&child->comms, (struct comm_change){ .moment = moment, .comm = comm->comm });
	/*
	 * Only processes outside of the recorder's pid namespace are their own parents; they all have pid 0. We cannot
	 * know whose maps they have.
	 */
	if (!child->space)
		child->space = space_new(
			s->symbols, r->misc & MISC_FORK_EXEC || f.pid == f.ppid ? SPACE_NONE : parent->space, moment);
	return 0;
}

static int apply_exit(struct session *s, const struct record *r, uint32_t moment)
{
	struct record_task x;
	uint32_t id;

	if (record_task(r, &x) < 0)
		return s->priv->opts.forget_exited ? -1 : 0;
	id = living(s, x.tid);
	if (s->priv->opts.forget_exited)
		thread_end(s, id, moment);
	if (id) { /* for session_sweep */
		s->threads.items[id].exited = true;
		if (!s->sorted || !record_time(s->pd, r, &s->threads.items[id].exit_time))
			s->threads.items[id].exit_time = 0;
	}
	return 0;
}

static uint64_t map_hash(const struct map_args *m)
{
	return hash_mix(hash_mix(m->start, m->len), hash_mix(m->pgoff, m->dso));
}

/* Index of an entry. Source: linux/perf_event.h, PERF_RECORD_NAMESPACES. */
enum { NAMESPACE_MOUNT = 5 };

/* Note processes that see other files than we do. */
static void see_root(struct session *s, const struct record_namespaces *n)
{
	if (s->priv->our_root && n->n > NAMESPACE_MOUNT)
		*u64map_put(&s->priv->private_roots, (uint32_t)n->pid, NULL) =
			load_u64(n->entries + 16 * NAMESPACE_MOUNT + 8) != s->priv->our_root;
}

static bool has_private_root(const struct session *s, int32_t pid)
{
	const uint32_t *own = u64map_find(&s->priv->private_roots, (uint32_t)pid);

	return own && *own;
}

static int apply_mmap(struct session *s, const struct record *r, uint32_t moment)
{
	unsigned mode = r->misc & MISC_CPUMODE;
	bool guest = mode == CPUMODE_GUEST_KERNEL || mode == CPUMODE_GUEST_USER;
	struct record_mmap m;
	struct build_id id;
	struct map_args map;
	uint32_t dso, space;

	if (record_mmap(s->pd, r, &m) < 0)
		return -1;
	id.size = MIN(m.build_id_size, sizeof(id.bytes));
	memcpy(id.bytes, m.build_id, sizeof(id.bytes));
	s->notes.format.false_build_ids += m.false_build_id;
	if (mode == CPUMODE_KERNEL || mode == CPUMODE_GUEST_KERNEL) {
		space = guest ? SPACE_GUEST_KERNEL : SPACE_KERNEL;
		session_rewrite(s);
		s->has_kernel_map |= !guest;
	} else {
		uint32_t thread = thread_get(s, m.pid, m.tid, moment); /* may move the items */

		space = s->threads.items[thread].space;
	}
	dso = symbols_dso(s->symbols,
			  &(struct dso_args){ .filename = m.filename,
					      .id = id.size ? &id : NULL,
					      .pid = m.pid,
					      .ino = m.has_ino ? m.ino : 0,
					      .generation = m.has_ino ? m.ino_generation : 0,
					      .flags = m.flags,
					      .exec = m.prot & PROT_EXEC,
					      .private_root = has_private_root(s, m.pid),
					      .kernel = space == SPACE_KERNEL || space == SPACE_GUEST_KERNEL,
					      .guest = guest });
	if (space == SPACE_KERNEL && !m.start && dso_kind(s->symbols, dso) == DSO_KIND_MODULE)
		return 0; /* the recorder had no right to see the address */
	map = (struct map_args){ .time_ns = moment,
				 .start = m.start,
				 .len = m.len,
				 .pgoff = m.pgoff,
				 .dso = dso,
				 .prot = m.prot,
				 .flags = m.flags };
	space_map(s->symbols, space, &map);
	if (s->priv->untimed_codes.len && space != SPACE_KERNEL)
		timeline_untimed_jit(s, m.pid, space, &map);
	if (s->priv->opts.inodes && m.has_ino) {
		*u64map_put(&s->priv->maps, map_hash(&map), NULL) = (uint32_t)s->priv->inodes.len;
		vec_push(&s->priv->inodes, m.ino);
	}
	return 0;
}

void timeline_map_jit(struct session *s, const struct jit_map *j, uint32_t moment)
{
	uint32_t thread = thread_get(s, j->pid, j->tid, moment);

	space_map(s->symbols, s->threads.items[thread].space,
		  &(struct map_args){ .time_ns = moment,
				      .start = j->code.start,
				      .len = j->code.len,
				      .dso = j->code.dso,
				      .prot = PROT_READ | PROT_EXEC });
}

/* Map code that the kernel generated. Keep code that is removed: newer code at the address hides it. */
static int apply_ksymbol(struct session *s, const struct record *r, uint32_t moment)
{
	struct record_ksymbol k;

	if (record_ksymbol(s->pd, r, &k) < 0)
		return -1;
	if (!(k.flags & KSYMBOL_UNREGISTER))
		space_map(s->symbols, SPACE_KERNEL,
			  &(struct map_args){ .time_ns = moment,
					      .start = k.addr,
					      .len = k.len,
					      .dso = symbols_ksymbol(s->symbols, k.name, k.addr, k.len),
					      .prot = PROT_READ | PROT_EXEC });
	return 0;
}

static int apply_cgroup(struct session *s, const struct record *r)
{
	struct record_cgroup c;

	if (record_cgroup(s->pd, r, &c) < 0)
		return -1;
	*u64map_put(&s->priv->cgroups, c.id, NULL) = strtab_intern(&s->strings, c.path);
	return 0;
}

/* Index of an entry in the record. Source: linux/perf_event.h, PERF_RECORD_NAMESPACES. */
enum { NAMESPACE_CGROUP = 6 };

static void see_cgroup(struct session *s, const struct record_namespaces *n, uint32_t moment)
{
	const uint8_t *entry = n->entries + 16 * NAMESPACE_CGROUP;
	uint32_t thread = thread_get(s, n->pid, n->tid, moment); /* may move the items */

	if (n->n > NAMESPACE_CGROUP)
		vec_push(
			&s->threads.items[thread].cgroups,
			(struct cgroup_change){ .moment = moment, .dev = load_u64(entry), .ino = load_u64(entry + 8) });
}

int timeline_apply(struct session *s, const struct record *r, uint32_t moment)
{
	struct record_namespaces n;

	switch (r->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2: return apply_mmap(s, r, moment);
	case RECORD_COMM: return apply_comm(s, r, moment);
	case RECORD_FORK: return apply_fork(s, r, moment);
	case RECORD_EXIT: return apply_exit(s, r, moment);
	case RECORD_KSYMBOL: return apply_ksymbol(s, r, moment);
	case RECORD_CGROUP: return apply_cgroup(s, r);
	case RECORD_NAMESPACES:
		if (record_namespaces(r, &n) < 0)
			return -1;
		see_cgroup(s, &n, moment);
		see_root(s, &n);
		return 0;
	}
	return 0;
}

void timeline_init(struct session *s)
{
	uint32_t idle;

	for (uint32_t i = 0; i < s->pd->features.n_subjects; i++)
		u64map_put(&s->priv->subjects, (uint32_t)s->pd->features.subjects[i], NULL);
	vec_add(&s->threads, 1); /* [0] is no thread */
	idle = thread_begin(s, 0, 0, 0);
	s->threads.items[idle].space = space_new(s->symbols, SPACE_NONE, 0);
	vec_push(&s->threads.items[idle].comms, (struct comm_change){ .comm = strtab_intern(&s->strings, "swapper") });
}

void timeline_release(struct session *s)
{
	for (size_t i = 0; i < s->threads.len; i++) {
		vec_free(&s->threads.items[i].comms);
		vec_free(&s->threads.items[i].cgroups);
	}
	for (size_t i = 0; i < s->priv->lives.len; i++)
		vec_free(&s->priv->lives.items[i].threads);
	vec_free(&s->priv->lives);
	u64map_free(&s->priv->tids);
	u64map_free(&s->priv->subjects);
	u64map_free(&s->priv->private_roots);
	u64map_free(&s->priv->cgroups);
	u64map_free(&s->priv->maps);
	vec_free(&s->priv->inodes);
	vec_free(&s->priv->free_threads);
	vec_free(&s->threads);
}

/* ---- lookups ---- */

/* Return the thread that had this tid at this moment, 0 if none. */
static uint32_t thread_at(const struct session *s, int32_t tid, uint32_t moment)
{
	const struct tid_lives *l = lives_of(s, tid);
	size_t low = search_count(i, l ? l->threads.len : 0, s->threads.items[l->threads.items[i]].from <= moment);
	uint32_t id;

	if (!low)
		return 0;
	id = l->threads.items[low - 1];
	return moment < s->threads.items[id].to ? id : 0;
}

/* Return the last name given up to this moment; NULL if none. */
static const struct comm_change *comm_at(const struct thread *t, uint32_t moment)
{
	size_t low = search_count(i, t->comms.len, t->comms.items[i].moment <= moment);

	return low ? &t->comms.items[low - 1] : NULL;
}

static uint32_t comm_of_tid(int32_t tid) { return COMM_OF_TID | ((uint32_t)tid & ~COMM_OF_TID); }

static void task_find(const struct session *s, int32_t pid, int32_t tid, uint32_t moment, struct task *t)
{
	uint32_t id = thread_at(s, tid, moment);

	*t = (struct task){
		.thread = id, .pid = pid, .tid = tid, .comm = comm_of_tid(tid), .first_comm = comm_of_tid(tid)
	};
	if (id) {
		const struct thread *th = &s->threads.items[id];
		const struct comm_change *c = comm_at(th, moment);

		if (th->pid != -1)
			t->pid = th->pid;
		t->space = th->space;
		if (c)
			t->comm = t->first_comm = c->comm;
		else if (th->comms.len)
			t->first_comm = th->comms.items[0].comm;
	} else if (pid != tid && pid != -1) {
		uint32_t leader = thread_at(s, pid, moment);

		t->space = leader ? s->threads.items[leader].space : SPACE_NONE;
	}
	t->space_version = t->space ? space_version(s->symbols, t->space, moment) : 0;
}

void session_task(const struct session *s, struct lookup *l, int32_t pid, int32_t tid, uint32_t moment, struct task *t)
{
	struct task_slot *slot;

	if (!l->slots)
		l->slots = xcalloc(LOOKUP_SLOTS, sizeof(*l->slots));
	slot = &l->slots[(uint32_t)tid % LOOKUP_SLOTS];
	if (!slot->used || slot->tid != tid || slot->pid != pid || slot->moment != moment) {
		*slot = (struct task_slot){ .pid = pid, .tid = tid, .moment = moment, .used = 1 };
		task_find(s, pid, tid, moment, &slot->task);
	}
	*t = slot->task;
}

void lookup_release(struct lookup *l)
{
	free(l->slots);
	*l = (struct lookup){ 0 };
}

const char *session_comm(const struct session *s, uint32_t comm, char buf[16])
{
	int32_t tid;

	if (!(comm & COMM_OF_TID))
		return strtab_get(&s->strings, comm);
	tid = (int32_t)(comm << 1) >> 1; /* bit 30 is the sign */
	snprintf(buf, 16, ":%d", tid);
	return buf;
}

uint32_t thread_last_comm(const struct session *s, uint32_t thread, int32_t tid)
{
	const struct comm_change *c = thread < s->threads.len ? comm_now(&s->threads.items[thread]) : NULL;

	return c ? c->comm : comm_of_tid(tid);
}

bool session_is_about(const struct session *s, uint32_t thread, int32_t tid)
{
	return !feature_has(&s->pd->features, FEATURE_SUBJECTS) || s->threads.items[thread].about || is_subject(s, tid);
}

uint32_t session_last_thread(const struct session *s, int32_t tid)
{
	const struct tid_lives *l = lives_of(s, tid);

	return l && l->threads.len ? l->threads.items[l->threads.len - 1] : 0;
}

const struct cgroup_change *session_cgroup_namespace(const struct session *s, uint32_t thread, uint32_t moment)
{
	const struct thread *t = &s->threads.items[thread];
	size_t n = search_count(i, t->cgroups.len, t->cgroups.items[i].moment <= moment);

	return n ? &t->cgroups.items[n - 1] : NULL;
}

const char *session_cgroup(const struct session *s, uint64_t id)
{
	const uint32_t *path = u64map_find(&s->priv->cgroups, id);

	return path ? strtab_get(&s->strings, *path) : NULL;
}

uint64_t session_inode(const struct session *s, const struct map_args *m)
{
	const uint32_t *at = u64map_find(&s->priv->maps, map_hash(m));

	return at ? s->priv->inodes.items[*at] : 0;
}

uint32_t task_space(const struct task *t, unsigned cpumode)
{
	switch (cpumode) {
	case CPUMODE_KERNEL: return SPACE_KERNEL;
	case CPUMODE_USER: return t->space;
	case CPUMODE_GUEST_KERNEL: return SPACE_GUEST_KERNEL;
	default: return SPACE_NONE;
	}
}

bool session_find(const struct session *s, const struct task *t, uint32_t moment, unsigned cpumode, uint64_t addr,
		  struct map_hit *hit)
{
	uint32_t space = task_space(t, cpumode);

	if (space && space_find(s->symbols, space, moment, addr, hit))
		return true;
	*hit = (struct map_hit){ .dso = DSO_UNKNOWN, .dso_off = addr };
	return false;
}
