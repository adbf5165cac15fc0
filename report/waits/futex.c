/* Find waits for words of memory, and the threads that ended them. */
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>

#include "base/vec_edit.h"
#include "report/waits/futex_priv.h"

enum {
	ENTER,
	ENTER_WAIT,
	ENTER_WAKE,
	ENTER_WAITV,
	ENTER_REQUEUE,
	EXIT,
	EXIT_WAIT,
	EXIT_WAKE,
	EXIT_WAITV,
	EXIT_REQUEUE,
	KINDS
};
enum { WORD, OP, VALUE, MOST_MOVED, WORD_2 };
/* Fields of all rows have the same numbers. The last field of an exit is its result. */
static const struct trace_want wanted[KINDS] = {
	[ENTER] = { "syscalls:sys_enter_futex", { "uaddr", "op", "val", "utime", "uaddr2" } },
	[ENTER_WAIT] = { "syscalls:sys_enter_futex_wait", { "uaddr", "flags", "val" } },
	[ENTER_WAKE] = { "syscalls:sys_enter_futex_wake", { "uaddr", "flags", "nr" } },
	/* The words of these calls are in the memory of the program, at `waiters`. */
	[ENTER_WAITV] = { "syscalls:sys_enter_futex_waitv", { "waiters", "flags", "nr_futexes" } },
	[ENTER_REQUEUE] = { "syscalls:sys_enter_futex_requeue", { "waiters", "flags", "nr_wake", "nr_requeue" } },
	[EXIT] = { "syscalls:sys_exit_futex", { "ret" } },
	[EXIT_WAIT] = { "syscalls:sys_exit_futex_wait", { "ret" } },
	[EXIT_WAKE] = { "syscalls:sys_exit_futex_wake", { "ret" } },
	[EXIT_WAITV] = { "syscalls:sys_exit_futex_waitv", { "ret" } },
	[EXIT_REQUEUE] = { "syscalls:sys_exit_futex_requeue", { "ret" } },
};

/* What each operation does. The index in this table is the kernel's number of the operation. */
enum { WAITS = 1, WAKES = 2, MOVES = 4, WAKES_ONE = 8, WAKES_BOTH = 16, PI = 32, ANYWHERE = 64 };
static const uint8_t operations[] = {
	[FUTEX_WAIT] = WAITS,
	[FUTEX_WAKE] = WAKES,
	[FUTEX_REQUEUE] = WAKES | MOVES,
	[FUTEX_CMP_REQUEUE] = WAKES | MOVES,
	[FUTEX_WAKE_OP] = WAKES | WAKES_BOTH,
	[FUTEX_LOCK_PI] = WAITS | PI,
	[FUTEX_UNLOCK_PI] = WAKES | WAKES_ONE | PI,
	[FUTEX_WAIT_BITSET] = WAITS,
	[FUTEX_WAKE_BITSET] = WAKES,
	[FUTEX_WAIT_REQUEUE_PI] = WAITS,
	[FUTEX_CMP_REQUEUE_PI] = WAKES | MOVES | WAKES_ONE,
	[FUTEX_LOCK_PI2] = WAITS | PI,
};
/* The value of a mutex for which a thread waits, in the C library and others. */
enum { MUTEX_CONTENDED = 2 };

struct futexes *futexes_new(struct live *live, const struct futex_opts *opts)
{
	struct futexes *f = xcalloc(1, sizeof(*f));

	f->opts = opts;
	f->session = live_session(live);
	f->events = (struct live_events){ .live = live, .rows = wanted, .n_rows = KINDS, .ticks = true };
	sched_names_init(&f->names, f->session);
	return f;
}

void futexes_free(struct futexes *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->locks.len; i++)
		vec_free(&f->locks.items[i].wakes);
	live_events_release(&f->events);
	calls_release(&f->calls);
	strtab_free(&f->texts);
	sched_names_release(&f->names);
	u64map_free(&f->lock_index);
	u64map_free(&f->call_index);
	u64map_free(&f->sum_index);
	vec_free(&f->locks);
	vec_free(&f->in_calls);
	vec_free(&f->sums);
	free(f);
}

/* ---- locks and their names ---- */

/* Find the object whose code is nearest below an address: the variables of an object come after its code. */
static bool object_below(const struct futexes *f, const struct trace_event *t, uint64_t address, struct map_args *best)
{
	const struct symbols *s = f->session->symbols;
	size_t n = t->task.space ? space_maps(s, t->task.space, NULL, 0) : 0;
	autofree struct map_args *maps = xcalloc(n + 1, sizeof(*maps));
	bool found = false;

	n = MIN(n, space_maps(s, t->task.space, maps, n));
	for (size_t i = 0; i < n; i++)
		if (maps[i].start <= address && (!found || maps[i].start > best->start) &&
		    (!maps[i].prot || maps[i].prot & PROT_EXEC) && dso_kind(s, maps[i].dso) == DSO_KIND_FILE) {
			*best = maps[i];
			found = true;
		}
	return found;
}

/*
 * Print the variable at an address. The recorded maps are those of code, and seldom contain variables. But variables
 * are at a fixed distance from the code.
 */
static bool variable_text(const struct futexes *f, const struct trace_event *t, uint64_t address, struct out *o)
{
	struct symbols *s = f->session->symbols;
	const struct symbol *sym;
	struct map_args map = { 0 };
	uint64_t own;
	uint32_t id;

	if (!object_below(f, t, address, &map))
		return false;
	own = address - map.start + dso_address(s, map.dso, map.pgoff);
	id = dso_find_address(s, map.dso, own);
	sym = dso_symbol(s, map.dso, id);
	/* symbol_offset() takes an offset in the file, which variables that start as zero do not have */
	if (!sym || own < sym->start || own >= sym->end)
		return false;
	out_name(o, symbol_name(s, map.dso, id));
	if (own > sym->start)
		out_fmt(o, "+0x%llx", (unsigned long long)(own - sym->start));
	return true;
}

static uint32_t lock_name(struct futexes *f, const struct trace_event *t, uint64_t address)
{
	struct out o;
	uint32_t id;

	out_init_mem(&o);
	if (!variable_text(f, t, address, &o))
		out_fmt(&o, "0x%llx", (unsigned long long)address);
	id = strtab_intern(&f->texts, out_text(&o));
	out_release(&o);
	return id;
}

/* Return the number of the lock that stands for all words of a process that are not in the arguments. */
static uint32_t lock_anywhere(struct futexes *f, const struct trace_event *t)
{
	bool is_new;
	uint32_t *at = u64map_put(&f->lock_index, hash_mix(UINT64_MAX, (uint32_t)t->task.pid), &is_new);

	if (is_new) {
		struct futex_lock lock = { .pid = t->task.pid, .name = strtab_intern(&f->texts, "(several words)") };

		vec_push(&f->locks, lock);
		*at = (uint32_t)f->locks.len;
	}
	return *at;
}

/* Return the number of a lock, plus 1. We assume that processes map shared memory at the same address. */
static uint32_t lock_of(struct futexes *f, const struct trace_event *t, uint64_t address, uint64_t op)
{
	int32_t pid = op & FUTEX_PRIVATE_FLAG ? t->task.pid : 0;
	bool is_new;
	uint32_t *at = u64map_put(&f->lock_index, hash_mix(address, (uint32_t)pid), &is_new);

	if (is_new) {
		struct futex_lock lock = { .address = address, .pid = t->task.pid, .name = lock_name(f, t, address) };

		vec_push(&f->locks, lock);
		*at = (uint32_t)f->locks.len;
	}
	return *at;
}

/* ---- sums ---- */

static uint32_t stack_of(struct futexes *f, const struct trace_event *t)
{
	struct out o;
	uint32_t id;

	if (!f->opts->lock.stacks || !calls_of(&f->calls, f->session, t, SIZE_MAX, false))
		return 0;
	out_init_mem(&o);
	calls_text(&f->calls, false, &o);
	id = strtab_intern(&f->texts, out_text(&o));
	out_release(&o);
	return id;
}

static void add(struct futexes *f, const struct futex_call *call, int32_t owner, uint32_t owner_stack, uint64_t now)
{
	uint64_t key = hash_mix(hash_mix(call->lock, (uint32_t)call->tid), (uint32_t)owner);
	uint64_t ns = now - MIN(now, call->since);
	bool is_new;
	uint32_t *at = u64map_put(&f->sum_index, hash_mix(hash_mix(key, call->stack), owner_stack), &is_new);
	struct lock_row *sums;

	if (is_new) {
		struct futex_sum sum = { .lock = call->lock - 1,
					 .waiter = call->tid,
					 .owner = owner,
					 .stack = call->stack,
					 .owner_stack = owner_stack };

		vec_push(&f->sums, sum);
		*at = (uint32_t)f->sums.len;
	}
	sums = &f->sums.items[*at - 1].sums;
	sums->min = sums->ended && sums->min < ns ? sums->min : ns;
	sums->max = MAX(sums->max, ns);
	sums->total += ns;
	sums->contended++;
	sums->ended++;
}

/* ---- events ---- */

static struct futex_call *call_of(struct futexes *f, int32_t tid)
{
	bool is_new;
	uint32_t *at = u64map_put(&f->call_index, (uint32_t)tid, &is_new);

	if (is_new) {
		vec_push(&f->in_calls, (struct futex_call){ .tid = tid });
		*at = (uint32_t)f->in_calls.len;
	}
	return &f->in_calls.items[*at - 1];
}

static void count_open(struct futexes *f, uint32_t lock, int by)
{
	struct futex_lock *l = lock ? &f->locks.items[lock - 1] : NULL;

	if (!l)
		return;
	l->n_open += (uint32_t)by;
	if (!l->n_open && !f->n_anywhere && !f->moved_until)
		vec_clear(&l->wakes);
}

static void stop_waiting(struct futexes *f, struct futex_call *call)
{
	count_open(f, call->lock, -1);
	count_open(f, call->moved_to, -1);
	f->n_waiting -= call->since != 0;
	f->n_anywhere -= call->anywhere;
	if (!f->n_waiting)
		f->moved_until = 0;
	call->anywhere = false;
	call->since = 0;
	call->lock = call->moved_to = 0;
}

static bool wants_waiter(const struct futexes *f, const struct trace_event *t)
{
	return !f->opts->filter || sample_filter_wants_task(f->opts->filter, f->session, &t->task);
}

/* Remember a name for the end: a live session forgets threads that end. */
static void tell_name(struct futexes *f, int32_t tid, uint32_t comm)
{
	char buf[SCHED_COMM];

	if (comm)
		sched_names_tell(&f->names, tid, session_comm(f->session, comm, buf));
}

/* Does the call join a thread? It then waits for a word with the thread's id, which the kernel clears at its end. */
static bool joins(const struct futexes *f, const struct trace_event *t)
{
	uint32_t tid = (uint32_t)trace_number(t, VALUE);

	return !(trace_number(t, OP) & FUTEX_PRIVATE_FLAG) && tid > 1 && tid <= INT32_MAX &&
	       (int32_t)tid != t->task.tid && session_last_thread(f->session, (int32_t)tid);
}

static void start_wait(struct futexes *f, const struct trace_event *t, struct futex_call *call, unsigned what)
{
	struct futex_lock *l;

	if (!wants_waiter(f, t))
		return;
	call->anywhere = what & ANYWHERE;
	f->n_waiting++;
	f->n_anywhere += call->anywhere;
	call->lock = call->anywhere ? lock_anywhere(f, t) : lock_of(f, t, trace_number(t, WORD), trace_number(t, OP));
	call->since = t->time;
	call->stack = stack_of(f, t);
	call->joins = !call->anywhere && joins(f, t) ? (int32_t)trace_number(t, VALUE) : 0;
	if (call->joins)
		tell_name(f, call->joins,
			  thread_last_comm(f->session, session_last_thread(f->session, call->joins), call->joins));
	l = &f->locks.items[call->lock - 1];
	if (what & PI)
		l->type = FUTEX_TYPE_PI;
	else if (call->joins)
		l->type = FUTEX_TYPE_JOIN;
	else if (!call->anywhere && l->type == FUTEX_TYPE_OTHER && (uint32_t)trace_number(t, VALUE) == MUTEX_CONTENDED)
		l->type = FUTEX_TYPE_MUTEX;
	count_open(f, call->lock, 1);
}

/* Forget calls that woke as many threads as they could; if that frees nothing, forget the older half of all calls. */
enum { WAKES_MOST = 1024 };
static void make_room(struct futex_lock *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->wakes.len; i++)
		if (l->wakes.items[i].left)
			l->wakes.items[n++] = l->wakes.items[i];
	l->wakes.len = n;
	if (n >= WAKES_MOST)
		vec_remove(&l->wakes, 0, n / 2);
}

/* Keep a call that may wake threads, unless no thread can wait for this word. Threads that wait anywhere may do so. */
static void start_wake(struct futexes *f, const struct trace_event *t, uint32_t lock, uint32_t most)
{
	struct futex_wake wake = { .time = t->time, .tid = t->task.tid, .left = most };

	if (!f->locks.items[lock - 1].n_open && !f->n_anywhere && !f->moved_until)
		return;
	if (f->locks.items[lock - 1].wakes.len >= WAKES_MOST)
		make_room(&f->locks.items[lock - 1]);
	wake.stack = stack_of(f, t);
	vec_push(&f->locks.items[lock - 1].wakes, wake);
}

/* Move the threads that wait for the first word to the second word, unless the call wakes them. */
static void move(struct futexes *f, const struct trace_event *t, uint32_t from)
{
	uint32_t to = lock_of(f, t, trace_number(t, WORD_2), trace_number(t, OP));

	for (size_t i = 0; i < f->in_calls.len; i++)
		if (f->in_calls.items[i].lock == from && f->in_calls.items[i].since && !f->in_calls.items[i].moved_to) {
			f->in_calls.items[i].moved_to = to;
			count_open(f, to, 1);
		}
}

static void enter(struct futexes *f, const struct trace_event *t)
{
	uint64_t op = trace_number(t, OP);
	uint64_t number = op & (uint64_t)FUTEX_CMD_MASK;
	unsigned what = t->want == ENTER_WAIT             ? WAITS
			: t->want == ENTER_WAKE           ? WAKES
			: t->want == ENTER_WAITV          ? WAITS | ANYWHERE
			: t->want == ENTER_REQUEUE        ? WAKES | ANYWHERE
			: number < ARRAY_SIZE(operations) ? operations[number]
							  : 0;
	struct futex_call *call = call_of(f, t->task.tid);
	uint32_t most = what & WAKES_ONE ? 1 : (uint32_t)trace_number(t, VALUE);

	tell_name(f, t->task.tid, t->task.comm);
	stop_waiting(f, call); /* the end of its last call was lost */
	call->wakes = 0;
	if (what & WAITS)
		start_wait(f, t, call, what);
	if (!(what & WAKES))
		return;
	if (what & ANYWHERE)
		f->moved_until = t->time;
	call->wakes = what & ANYWHERE ? lock_anywhere(f, t) : lock_of(f, t, trace_number(t, WORD), op);
	call->woke_at = t->time;
	start_wake(f, t, call->wakes, most);
	if (what & WAKES_BOTH)
		start_wake(f, t, lock_of(f, t, trace_number(t, WORD_2), op), (uint32_t)trace_number(t, MOST_MOVED));
	if (what & MOVES)
		move(f, t, call->wakes);
}

static bool may_wake(const struct futex_wake *wake, const struct futex_call *call)
{
	return wake->time >= call->since && wake->left && wake->tid != call->tid;
}

/* Find the oldest call that may have ended this wait: the kernel wakes threads in the order in which they came. */
static const struct futex_wake *waker_of(struct futexes *f, const struct futex_call *call, uint32_t lock)
{
	struct futex_lock *l = lock ? &f->locks.items[lock - 1] : NULL;

	for (size_t i = 0; l && i < l->wakes.len; i++) {
		struct futex_wake *wake = &l->wakes.items[i];

		if (!may_wake(wake, call))
			continue;
		wake->left--;
		wake->taken++;
		return wake;
	}
	return NULL;
}

/*
 * Find the newest call on any word that woke more threads than we know to wait for that word. If a thread waits for
 * words that are not in the arguments, we assume that this word is one of them.
 */
static const struct futex_wake *waker_anywhere(struct futexes *f, struct futex_call *call)
{
	struct futex_wake *best = NULL;
	uint32_t lock = 0;

	for (size_t n = 0; n < f->locks.len; n++)
		for (size_t i = f->locks.items[n].wakes.len; i-- > 0;) {
			struct futex_wake *wake = &f->locks.items[n].wakes.items[i];

			if (!may_wake(wake, call) || (best && wake->time <= best->time))
				continue;
			best = wake;
			lock = (uint32_t)n + 1;
		}
	if (!best)
		return NULL;
	best->left--;
	best->taken++;
	if (call->anywhere) {
		count_open(f, lock, 1);
		count_open(f, call->lock, -1);
		call->lock = lock;
	}
	return best;
}

static void end_wait(struct futexes *f, const struct trace_event *t, struct futex_call *call, int64_t result)
{
	/* The last four are ERESTART* of the kernel's include/linux/errno.h: programs never get them. */
	static const struct {
		int64_t result;
		int32_t owner;
	} ends[] = { { -ETIMEDOUT, OWNER_TIMEOUT }, { -EINTR, OWNER_SIGNAL }, { -512, OWNER_SIGNAL },
		     { -513, OWNER_SIGNAL },        { -514, OWNER_SIGNAL },   { -516, OWNER_SIGNAL } };
	const struct futex_wake *wake = NULL;
	int32_t owner = OWNER_UNKNOWN;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends[i].result == result)
			owner = ends[i].owner;
	if (result >= 0) {
		owner = call->joins ? call->joins : owner;
		wake = waker_of(f, call, call->lock);
		wake = wake ? wake : waker_of(f, call, call->moved_to);
		if (!wake && (call->anywhere || call->since < f->moved_until))
			wake = waker_anywhere(f, call);
	}
	/* Other failures mean that the thread did not wait, for example because the word had changed. */
	if (result >= 0 || owner != OWNER_UNKNOWN)
		add(f, call, wake ? wake->tid : owner, wake ? wake->stack : 0, t->time);
	stop_waiting(f, call);
}

/* Store how many threads the call woke or moved. Some of them may have run before this event. */
static void end_wake(struct futexes *f, struct futex_call *call, int64_t result)
{
	struct futex_lock *l = &f->locks.items[call->wakes - 1];

	for (size_t i = 0; i < l->wakes.len; i++) {
		struct futex_wake *wake = &l->wakes.items[i];

		if (wake->tid == call->tid && wake->time == call->woke_at && l->type != FUTEX_TYPE_PI)
			wake->left = result > wake->taken ? MIN(wake->left, (uint32_t)result - wake->taken) : 0;
	}
	call->wakes = 0;
}

static void leave(struct futexes *f, const struct trace_event *t)
{
	struct futex_call *call = call_of(f, t->task.tid);

	if (call->since)
		end_wait(f, t, call, (int64_t)trace_number(t, 0));
	if (call->wakes)
		end_wake(f, call, (int64_t)trace_number(t, 0));
}

static int check_events(const struct futexes *f, struct err *e)
{
	if (f->events.wants &&
	    (trace_wants_has(f->events.wants, ENTER) || trace_wants_has(f->events.wants, ENTER_WAIT)))
		return 0;
	err_set(e, "'%s' has no samples of syscalls:sys_enter_futex", f->session->pd->path);
	err_try(e, "%s lock user record, and then this again", tool_name());
	return trace_wants_say_cut(f->session, e);
}

int futexes_read(struct futexes *f, struct err *e)
{
	struct trace_event t;
	int what;

	while ((what = live_events_next(&f->events, &t, e)) > LIVE_END) {
		if (what == LIVE_TICK)
			live_events_tidy(&f->events);
		if (what != LIVE_EVENT)
			continue;
		f->last_time = MAX(f->last_time, t.time);
		if (t.want < EXIT)
			enter(f, &t);
		else
			leave(f, &t);
	}
	if (what < 0 || check_events(f, e) < 0)
		return -1;
	for (size_t i = 0; i < f->in_calls.len; i++)
		if (f->in_calls.items[i].since) {
			add(f, &f->in_calls.items[i], OWNER_NONE, 0, f->last_time);
			f->unfinished++;
		}
	return 0;
}
