#include "record/bpf/threads_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

#include "base/units.h"
#include "events/events.h"

#define AT(member) offsetof(struct bpf_thread, member)
enum { THREADS_MOST = 32768, ID = -4, OTHER_ID = -8, STATE = -40 }; /* places on the stack */

/* ---- code ---- */

void emit_thread_id(struct emit *c, const struct bpf_threads *t, int skip)
{
	emit_call(c, BPF_FUNC_get_current_pid_tgid);
	emit_store(c, BPF_W, FP, ID, R0);
	if (!t->everyone)
		return;
	emit_imm(c, BPF_RSH, R0, 32);
	emit_jump_if(c, BPF_JEQ, R0, getpid(), skip);
	if (t->groups >= 0) {
		emit_map(c, R1, t->groups);
		emit_imm(c, BPF_MOV, R2, 0);
		emit_call(c, BPF_FUNC_current_task_under_cgroup);
		emit_jump_if(c, BPF_JNE, R0, 1, skip);
	}
}

void emit_thread(struct emit *c, const struct bpf_threads *t, int skip)
{
	int missing = emit_label(c);

	emit_lookup(c, t->map, ID);
	emit_jump_if(c, BPF_JEQ, R0, 0, t->everyone ? missing : skip);
	emit_load(c, BPF_DW, R1, R0, AT(kind));
	emit_jump_if(c, BPF_JNE, R1, THREAD_WATCHED, skip);
	emit_here(c, missing);
}

/* Add the thread whose id is at FP + OTHER_ID to the set, with the kind in R7. */
static void emit_join(struct emit *c, const struct bpf_threads *t)
{
	emit_store_imm(c, BPF_DW, FP, STATE + (int)AT(entered), 0);
	emit_store_imm(c, BPF_DW, FP, STATE + (int)AT(number), 0);
	emit_store(c, BPF_DW, FP, STATE + (int)AT(kind), R7);
	emit_update(c, t->map, OTHER_ID, STATE);
}

/* Remove the thread whose id is at FP + ID from the set. */
static void emit_leave(struct emit *c, const struct bpf_threads *t)
{
	emit_map(c, R1, t->map);
	emit_reg(c, BPF_MOV, R2, FP);
	emit_imm(c, BPF_ADD, R2, ID);
	emit_call(c, BPF_FUNC_map_delete_elem);
}

/* ---- the lives of threads ---- */

/*
 * R6 and FP + OTHER_ID = the thread id in the event's field at `heir`; R8 and FP + ID = the one at
 * `known`. Jump to `skip` if the set lacks the latter. Otherwise R0 is the address of its state,
 * and R7 its kind.
 */
static void emit_heir(struct emit *c, const struct bpf_threads *t, int heir, int known, int skip)
{
	emit_load(c, BPF_W, R6, R1, heir);
	emit_load(c, BPF_W, R8, R1, known);
	emit_store(c, BPF_W, FP, OTHER_ID, R6);
	emit_store(c, BPF_W, FP, ID, R8);
	emit_lookup(c, t->map, ID);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_load(c, BPF_DW, R7, R0, AT(kind));
}

static int attach(struct bpf_threads *t, const char *name, struct emit *c, struct err *e)
{
	int fd = bpf_load(BPF_PROG_TYPE_TRACEPOINT, name, c, e);

	if (fd < 0)
		return -1;
	vec_push(&t->fds, fd);
	fd = bpf_attach(fd, "sched", name, e);
	if (fd < 0)
		return -1;
	vec_push(&t->fds, fd);
	return 0;
}

/*
 * A child joins its parent's set. Without inheritance, only a child that waits for its program
 * does.
 */
static int watch_forks(struct bpf_threads *t, bool no_inherit, struct err *e)
{
	int parent = bpf_field_at("sched", "sched_process_fork", "parent_pid", e);
	int child = parent < 0 ? -1 : bpf_field_at("sched", "sched_process_fork", "child_pid", e);
	struct emit c = { 0 };
	int skip = emit_label(&c), rc;

	if (child < 0)
		return -1;
	emit_heir(&c, t, child, parent, skip);
	emit_imm(&c, BPF_AND, R7, THREAD_WATCHED);
	if (no_inherit)
		emit_jump_if(&c, BPF_JNE, R7, THREAD_WAITING, skip);
	emit_join(&c, t);
	emit_here(&c, skip);
	emit_return(&c, 1);
	rc = attach(t, "sched_process_fork", &c, e);
	emit_release(&c);
	return rc;
}

/* Watch processes from the exec that they waited for. */
static int watch_execs(struct bpf_threads *t, struct err *e)
{
	int now = bpf_field_at("sched", "sched_process_exec", "pid", e);
	int old = now < 0 ? -1 : bpf_field_at("sched", "sched_process_exec", "old_pid", e);
	struct emit c = { 0 };
	int skip = emit_label(&c), moved = emit_label(&c), rc;

	if (old < 0)
		return -1;
	emit_heir(&c, t, now, old, skip);
	emit_imm(&c, BPF_OR, R7, THREAD_WATCHED);
	emit_store(&c, BPF_DW, R0, AT(kind), R7);
	emit_jump_reg(&c, BPF_JNE, R6, R8, moved);
	emit_jump(&c, skip);
	emit_here(&c, moved);
	emit_join(&c, t);
	emit_leave(&c, t);
	emit_here(&c, skip);
	emit_return(&c, 1);
	rc = attach(t, "sched_process_exec", &c, e);
	emit_release(&c);
	return rc;
}

static int watch_ends(struct bpf_threads *t, const struct bpf_threads_opts *opts, struct err *e)
{
	struct emit c = { 0 };
	int skip = emit_label(&c), rc;

	emit_call(&c, BPF_FUNC_get_current_pid_tgid);
	emit_store(&c, BPF_W, FP, ID, R0);
	emit_lookup(&c, t->map, ID);
	emit_jump_if(&c, BPF_JEQ, R0, 0, skip);
	emit_reg(&c, BPF_MOV, R8, R0);
	if (opts->at_end)
		opts->at_end(&c, opts->of);
	emit_leave(&c, t);
	emit_here(&c, skip);
	emit_return(&c, 1);
	rc = attach(t, "sched_process_exit", &c, e);
	emit_release(&c);
	return rc;
}

/*
 * Remove a thread only when it is freed: it leaves its CPU for the last time after
 * sched_process_exit.
 */
static int watch_frees(struct bpf_threads *t, struct err *e)
{
	int pid = bpf_field_at("sched", "sched_process_free", "pid", e), rc;
	struct emit c = { 0 };

	if (pid < 0)
		return -1;
	emit_load(&c, BPF_W, R1, R1, pid);
	emit_store(&c, BPF_W, FP, ID, R1);
	emit_leave(&c, t);
	emit_return(&c, 1);
	rc = attach(t, "sched_process_free", &c, e);
	emit_release(&c);
	return rc;
}

/* ---- the first threads ---- */

static int add(struct bpf_threads *t, uint32_t tid, enum bpf_thread_kind kind, bool *is_new, struct err *e)
{
	struct bpf_thread state = { .kind = kind }, known;

	if (bpf_get(t->map, &tid, &known) == 0)
		return 0;
	*is_new = true;
	return bpf_put(t->map, &tid, &state) == 0 ? 0 : err_sys(e, "cannot watch thread %u", tid);
}

/*
 * Repeat until no thread is new: a thread that was created meanwhile had a parent that was not in
 * the set yet.
 */
static int add_process(struct bpf_threads *t, uint32_t pid, struct err *e)
{
	autofree char *path = xasprintf("/proc/%u/task", pid);
	bool is_new = true;
	int rc = 0;

	while (is_new && rc == 0) {
		DIR *tasks = opendir(path);

		is_new = false;
		for (const struct dirent *d; tasks && rc == 0 && (d = readdir(tasks));)
			if (isdigit((unsigned char)d->d_name[0]))
				rc = add(t, (uint32_t)atoi(d->d_name), THREAD_WATCHED, &is_new, e);
		if (tasks)
			closedir(tasks);
	}
	return rc;
}

static int add_list(struct bpf_threads *t, const char *list, enum bpf_thread_kind kind, bool processes, struct err *e)
{
	autofree char *copy = xstrdup(list ? list : "");
	char *rest = NULL;
	int rc = 0;

	for (char *word = strtok_r(copy, ",", &rest); word && rc == 0; word = strtok_r(NULL, ",", &rest)) {
		bool is_new;
		uint64_t id;

		if (parse_u64(word, &id, e) < 0)
			return -1;
		rc = processes ? add_process(t, (uint32_t)id, e) : add(t, (uint32_t)id, kind, &is_new, e);
	}
	return rc;
}

/* Make a map for BPF_FUNC_current_task_under_cgroup. It takes no groups of version 1. */
static int add_group(struct bpf_threads *t, int cgroup, struct err *e)
{
	const uint32_t zero = 0, fd = (uint32_t)cgroup;

	t->groups = bpf_map(BPF_MAP_TYPE_CGROUP_ARRAY, "groups", 4, 4, 1, e);
	if (t->groups < 0)
		return -1;
	vec_push(&t->fds, t->groups);
	return bpf_put(t->groups, &zero, &fd) == 0 ? 0 : err_sys(e, "BPF cannot tell who is in that control group");
}

int bpf_threads_open(struct bpf_threads *t, const struct bpf_threads_opts *opts, struct err *e)
{
	bool is_new;

	t->everyone = opts->everyone;
	t->groups = -1;
	if (opts->cgroup && add_group(t, opts->cgroup, e) < 0)
		return -1;
	t->map = bpf_map(BPF_MAP_TYPE_HASH, "threads", sizeof(uint32_t), sizeof(struct bpf_thread), THREADS_MOST, e);
	if (t->map < 0)
		return -1;
	vec_push(&t->fds, t->map);
	if (add_list(t, opts->not_tids, THREAD_HIDDEN, false, e) < 0 ||
	    (opts->until_freed ? watch_frees(t, e) : watch_ends(t, opts, e)) < 0 ||
	    (!t->everyone && watch_execs(t, e) < 0) ||
	    ((opts->command || (!t->everyone && !opts->no_inherit)) && watch_forks(t, opts->no_inherit, e) < 0))
		return -1;
	if (opts->command && add(t, (uint32_t)gettid(), THREAD_WAITING, &is_new, e) < 0)
		return -1;
	return add_list(t, opts->pids, THREAD_WATCHED, true, e) < 0 ||
			       add_list(t, opts->tids, THREAD_WATCHED, false, e) < 0
		       ? -1
		       : 0;
}

void bpf_threads_release(struct bpf_threads *t)
{
	for (size_t i = t->fds.len; i-- > 0;)
		close(t->fds.items[i]);
	vec_free(&t->fds);
	t->map = -1;
}
