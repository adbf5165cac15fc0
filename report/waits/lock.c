/* Join begins and ends of waits for locks into rows. */
#include "base/units.h"
#include "report/waits/lock_priv.h"

enum { BEGIN, END, KINDS };
static const struct trace_want wanted[KINDS] = {
	[BEGIN] = { "lock:contention_begin", { "lock_addr", "flags" } },
	[END] = { "lock:contention_end", { "lock_addr", "ret" } },
};

enum { SPIN = 1, READ = 2, WRITE = 4, RT = 8, PERCPU = 16, MUTEX = 32 };
const struct lock_kind lock_kinds[] = {
	{ 0, "semaphore", "semaphore" },
	{ SPIN, "spinlock", "spinlock" },
	{ SPIN | READ, "rwlock:R", "rwlock" },
	{ SPIN | WRITE, "rwlock:W", "rwlock" },
	{ READ, "rwsem:R", "rwsem" },
	{ WRITE, "rwsem:W", "rwsem" },
	{ RT, "rt-mutex", "rt-mutex" },
	{ RT | READ, "rwlock-rt:R", "rwlock-rt" },
	{ RT | WRITE, "rwlock-rt:W", "rwlock-rt" },
	{ PERCPU | READ, "pcpu-sem:R", "pcpu-sem" },
	{ PERCPU | WRITE, "pcpu-sem:W", "pcpu-sem" },
	{ MUTEX, "mutex", "mutex" },
	{ MUTEX | SPIN, "mutex", "mutex" }, /* a wait that spins first */
	{ UINT32_MAX, "unknown", "unknown" },
};
enum { N_LOCK_KINDS = ARRAY_SIZE(lock_kinds) };

static uint32_t kind_of(uint32_t flags)
{
	uint32_t kind = 0;

	while (kind + 1 < N_LOCK_KINDS && lock_kinds[kind].flags != flags)
		kind++;
	return kind;
}

/* ---- the caller of a lock ---- */

/*
 * Functions that wait for locks, or report the wait: their caller took the lock. The kernel marks them by their
 * sections, but recordings have only names. A star matches any text.
 */
static const char *const lock_functions[] = {
	"_raw_read_*",
	"_raw_spin_*",
	"_raw_write_*",
	"__pv_queued_*",
	"native_queued_*",
	"queued_*",
	"__mutex_*",
	"mutex_*",
	"ww_mutex_*",
	"__ww_mutex_*",
	"rt_mutex_*",
	"__rt_mutex_*",
	"rt_spin_*",
	"rt_read_*",
	"rt_write_*",
	"rwsem_*",
	"__down*",
	"down",
	"down_*",
	"__percpu_*",
	"percpu_*",
	"osq_lock",
	"__schedule",
	"schedule*",
	"preempt_schedule*",
	"__traceiter_contention_begin",
	"trace_contention_begin*",
};

static bool is_lock_function(const struct call *c)
{
	if (!c->kernel || !c->name)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(lock_functions); i++) {
		const char *f = lock_functions[i];
		size_t len = strcspn(f, "*");

		if (!strncmp(c->name, f, len) && (f[len] == '*' || !c->name[len]))
			return true;
	}
	return false;
}

/* Find the first frame outside the functions of locks; NULL if no such frame has a name. */
static const struct call *caller_of(const struct lock_waits *w)
{
	for (size_t i = w->opts->skip; i < w->calls.len; i++)
		if (w->calls.items[i].name && !is_lock_function(&w->calls.items[i]))
			return &w->calls.items[i];
	return NULL;
}

static uint32_t intern(struct lock_waits *w, void (*print)(const struct lock_waits *w, struct out *o))
{
	struct out o;
	uint32_t id;

	out_init_mem(&o);
	print(w, &o);
	id = strtab_intern(&w->texts, out_text(&o));
	out_release(&o);
	return id;
}

static void print_caller(const struct lock_waits *w, struct out *o)
{
	const struct call *c = caller_of(w);

	if (c)
		call_text(c, o);
	else
		out_str(o, "Unknown");
}

static void print_stack(const struct lock_waits *w, struct out *o) { calls_text(&w->calls, true, o); }

/* Hash the frames that identify a caller of the lock. */
static uint64_t stack_hash(const struct lock_waits *w)
{
	uint64_t hash = 0;

	for (size_t i = w->opts->skip; i < w->calls.len; i++)
		if (!is_lock_function(&w->calls.items[i]))
			hash = hash_mix(hash, w->calls.items[i].address);
	return hash;
}

/* ---- filters ---- */

/* Is the text a word of this list? With `part`: does it contain a word of the list? */
static bool list_has(const char *list, const char *text, bool part)
{
	autofree char *copy = xstrdup(list);
	char *rest = NULL;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		if (part ? !!strstr(text, word) : !strcmp(text, word))
			return true;
	return false;
}

/* perf's name for both kinds of pcpu-sem. */
#define PERCPU_ALIAS "percpu-rwsem"

static bool is_type(const char *word)
{
	for (size_t i = 0; i < N_LOCK_KINDS; i++)
		if (!strcmp(word, lock_kinds[i].name) || !strcmp(word, lock_kinds[i].family))
			return true;
	return !strcmp(word, PERCPU_ALIAS);
}

static int unknown_type(const char *word, struct err *e)
{
	struct out names;

	out_init_mem(&names);
	for (size_t i = 0; lock_kinds[i].flags != UINT32_MAX; i++)
		if (!i || strcmp(lock_kinds[i].family, lock_kinds[i - 1].family))
			out_fmt(&names, "%s%s", i ? ", " : "", lock_kinds[i].family);
	err_set(e, "--type-filter does not know '%s'", word);
	err_try(e, "%s; only readers: rwsem:R, only writers: rwsem:W", out_text(&names));
	out_release(&names);
	return err_exit(e, EXIT_BAD_USAGE);
}

int lock_types_check(const char *types, struct err *e)
{
	autofree char *copy = xstrdup(types);
	char *rest = NULL;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		if (!is_type(word))
			return unknown_type(word, e);
	return 0;
}

static bool wants_kind(const struct lock_waits *w, uint32_t kind)
{
	const char *types = w->opts->types;

	return !types || list_has(types, lock_kinds[kind].name, false) ||
	       list_has(types, lock_kinds[kind].family, false) ||
	       (!strcmp(lock_kinds[kind].family, "pcpu-sem") && list_has(types, PERCPU_ALIAS, false));
}

static bool wants_address(const struct lock_waits *w, uint64_t address)
{
	for (size_t i = 0; i < w->addresses.len; i++)
		if (w->addresses.items[i] == address)
			return true;
	return !w->opts->addresses;
}

static bool wants_stack(const struct lock_waits *w)
{
	for (size_t i = 0; w->opts->callers && i < w->calls.len; i++)
		if (w->calls.items[i].name && list_has(w->opts->callers, w->calls.items[i].name, true))
			return true;
	return !w->opts->callers;
}

/* Does the user want the cgroup? The path may have a slash at its start or not. */
static bool wants_cgroup(const struct lock_waits *w, const struct trace_event *t)
{
	const char *path = w->opts->cgroups ? session_cgroup(w->session, t->sample.cgroup) : NULL;

	if (!path)
		return !w->opts->cgroups;
	return list_has(w->opts->cgroups, path, false) || (*path == '/' && list_has(w->opts->cgroups, path + 1, false));
}

static int parse_addresses(struct lock_waits *w, const char *list, struct err *e)
{
	autofree char *copy = xstrdup(list);
	char *rest = NULL, *end;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		uint64_t address = strtoull(word, &end, 16);

		if (*end || end == word) {
			err_set(e, "'%s' is not the address of a lock", word);
			err_try(e, "hexadecimal numbers, as contention -l shows them");
			return err_exit(e, EXIT_BAD_USAGE);
		}
		vec_push(&w->addresses, address);
	}
	return 0;
}

/* ---- events ---- */

static uint64_t wait_key(const struct trace_event *t, uint64_t address)
{
	return hash_mix(address, (uint32_t)t->task.tid);
}

static uint64_t row_key(const struct lock_waits *w, const struct trace_event *t, uint64_t address)
{
	switch (w->opts->by) {
	case LOCK_BY_CALLER: return stack_hash(w);
	case LOCK_BY_ADDRESS: return address;
	case LOCK_BY_THREAD: return (uint32_t)t->task.tid;
	case LOCK_BY_CGROUP: return t->sample.cgroup;
	case LOCK_BY_LOCK_AND_THREAD: return wait_key(t, address);
	case LOCK_BY_ALL: break;
	}
	return 0;
}

static uint32_t row_of(struct lock_waits *w, const struct trace_event *t, uint64_t address, uint32_t kind)
{
	bool is_new;
	uint32_t *at = u64map_put(&w->index, row_key(w, t, address), &is_new);

	if (!is_new)
		return *at - 1;
	vec_push(&w->rows,
		 (struct lock_row){ .address = address, .tid = t->task.tid, .cgroup = t->sample.cgroup, .kind = kind });
	*at = (uint32_t)w->rows.len;
	w->rows.items[w->rows.len - 1].caller = intern(w, print_caller);
	if (w->opts->stacks)
		w->rows.items[w->rows.len - 1].stack = intern(w, print_stack);
	return (uint32_t)w->rows.len - 1;
}

static bool is_open(const struct lock_waits *w, uint64_t key)
{
	const uint32_t *at = u64map_find(&w->open.index, key);

	return at && *at;
}

/* Begin a wait. The wait for a mutex that spins begins twice; the first time counts. */
static void begin(struct lock_waits *w, const struct trace_event *t)
{
	uint64_t address = trace_number(t, 0), key = wait_key(t, address);
	uint32_t kind = kind_of((uint32_t)trace_number(t, 1)), row;
	char comm[SCHED_COMM];

	if (!wants_kind(w, kind) || !wants_address(w, address) || !wants_cgroup(w, t))
		return;
	calls_of(&w->calls, w->session, t, w->opts->max_stack, false);
	if (!wants_stack(w) || is_open(w, key))
		return;
	if (t->task.comm)
		sched_names_tell(&w->names, t->task.tid, session_comm(w->session, t->task.comm, comm));
	row = row_of(w, t, address, kind);
	open_pairs_start(&w->open, &(struct open_pair){ .key = key, .time = t->time, .value = row });
	w->rows.items[row].contended++;
}

static void end(struct lock_waits *w, const struct trace_event *t)
{
	struct open_pair wait;
	struct lock_row *row;
	uint64_t ns;

	if (!open_pairs_end(&w->open, wait_key(t, trace_number(t, 0)), &wait))
		return;
	w->n++;
	row = &w->rows.items[wait.value];
	w->bad += t->time < wait.time;
	ns = t->time < wait.time ? 0 : t->time - wait.time;
	row->total += ns;
	row->max = MAX(row->max, ns);
	row->min = row->ended && row->min < ns ? row->min : ns;
	row->ended++;
}

static bool has_cgroups(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_CGROUP)
			return true;
	return false;
}

static int check_events(const struct lock_waits *w, struct err *e)
{
	bool wants_cgroups = w->opts->by == LOCK_BY_CGROUP || w->opts->cgroups;

	if (w->events.wants && trace_wants_has(w->events.wants, BEGIN)) {
		if (!wants_cgroups || has_cgroups(w->session->pd))
			return 0;
		err_set(e, "the samples of '%s' do not contain cgroups", w->session->pd->path);
		return err_try(e, "%s lock record --all-cgroups, and then this again", tool_name());
	}
	err_set(e, "'%s' has no samples of lock:contention_begin", w->session->pd->path);
	err_try(e, "%s lock record, and then this again", tool_name());
	return trace_wants_say_cut(w->session, e);
}

int lock_waits_read(struct lock_waits *w, struct live *l, const struct lock_opts *o, struct err *e)
{
	struct trace_event t;
	int what;

	w->opts = o;
	w->session = live_session(l);
	w->events = (struct live_events){ .live = l, .rows = wanted, .n_rows = KINDS };
	sched_names_init(&w->names, w->session);
	if (o->addresses && parse_addresses(w, o->addresses, e) < 0)
		return -1;
	while ((what = live_events_next(&w->events, &t, e)) > LIVE_END) {
		if (what != LIVE_EVENT)
			live_events_tidy(&w->events);
		else if (t.want == BEGIN)
			begin(w, &t);
		else
			end(w, &t);
	}
	return what < 0 ? -1 : check_events(w, e);
}

void lock_waits_release(struct lock_waits *w)
{
	live_events_release(&w->events);
	calls_release(&w->calls);
	strtab_free(&w->texts);
	u64map_free(&w->index);
	open_pairs_free(&w->open);
	sched_names_release(&w->names);
	vec_free(&w->rows);
	vec_free(&w->addresses);
}
