/* Choose which unwinders walk a stack and in which order, and count what each of them added. */
#include "base/bytes.h"
#include "symbols/unwind/unwinder_priv.h"

/* The unwinders; the default asks the first N_DEFAULT of them, in this order. */
static const struct unwinder *const unwinders[] = { &unwinder_cfi, &unwinder_libunwind, &unwinder_libdw };
enum { N_UNWINDERS = ARRAY_SIZE(unwinders), N_DEFAULT = 2 };

struct unwind {
	const struct arch *arch;
	uint8_t order[N_UNWINDERS], n_order;
	struct unwind_worker {
		void *states[N_UNWINDERS];
		struct unwind_count counts[N_UNWINDERS];
	} workers[UNWIND_WORKERS];
};

static void unwind_free(void *state)
{
	struct unwind *u = state;

	for (size_t i = 0; i < UNWIND_WORKERS; i++)
		for (size_t j = 0; j < N_UNWINDERS; j++)
			if (u->workers[i].states[j])
				unwinders[j]->free(u->workers[i].states[j]);
	free(u);
}

static struct unwind *get_unwind(struct symbols *s)
{
	struct unwind *u = __atomic_load_n((struct unwind **)&s->unwind.state, __ATOMIC_ACQUIRE), *mine;

	if (u)
		return u;
	mine = xcalloc(1, sizeof(*mine));
	mine->arch = arch_find(s->opts.arch);
	while (mine->n_order < N_DEFAULT) {
		mine->order[mine->n_order] = mine->n_order;
		mine->n_order++;
	}
	__atomic_store_n(&s->unwind.free, unwind_free, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n((struct unwind **)&s->unwind.state, &u, mine, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	free(mine);
	return u;
}

const struct arch *unwind_arch(struct symbols *s) { return get_unwind(s)->arch; }

/* ---- the list ---- */

static int unknown_style(const char *name, size_t len, struct err *e)
{
	err_set(e, "unknown unwinder '%.*s'", (int)len, name);
	err_try(e, "cfi, libunwind or libdw, or several of them with commas");
	return err_exit(e, EXIT_BAD_USAGE);
}

int symbols_set_unwinders(struct symbols *s, const char *list, struct err *e)
{
	struct unwind *u = get_unwind(s);
	uint8_t n = 0, order[N_UNWINDERS];

	for (const char *at = list; *at; at += *at == ',') {
		size_t len = strcspn(at, ","), i = 0;
		bool again = false;

		while (i < N_UNWINDERS && (strlen(unwinders[i]->name) != len || memcmp(unwinders[i]->name, at, len)))
			i++;
		if (i == N_UNWINDERS)
			return unknown_style(at, len, e);
		if (u->arch && unwinders[i]->supports(u->arch, e) < 0)
			return -1;
		for (uint8_t j = 0; j < n; j++)
			again |= order[j] == i;
		if (!again)
			order[n++] = (uint8_t)i;
		at += len;
	}
	if (!n)
		return unknown_style("", 0, e);
	memcpy(u->order, order, n);
	u->n_order = n;
	return 0;
}

const char *unwinder_name(unsigned i) { return i < N_UNWINDERS ? unwinders[i]->name : NULL; }

struct unwind_count symbols_unwind_count(struct symbols *s, unsigned i)
{
	const struct unwind *u = get_unwind(s);
	struct unwind_count sum = { 0 };

	for (size_t w = 0; w < UNWIND_WORKERS && i < N_UNWINDERS; w++) {
		sum.asked += u->workers[w].counts[i].asked;
		sum.added += u->workers[w].counts[i].added;
	}
	return sum;
}

/* ---- one walk ---- */

bool unwinding_word(const struct unwinding *u, uint64_t addr, uint64_t *value)
{
	uint64_t sp = u->regs[u->arch->sp], off = addr - sp;
	struct map_hit hit;
	struct dso *d;

	if (addr >= sp && u->args->stack_size >= 8 && off <= u->args->stack_size - 8) {
		*value = load_u64(u->args->stack + off);
		return true;
	}
	if (!space_find(u->s, u->args->space, u->args->time_ns, addr, &hit))
		return false;
	d = dso_load(u->s, hit.dso);
	if (!d->image || d->image->len < 8 || hit.dso_off > d->image->len - 8)
		return false;
	*value = load_u64(d->image->data + hit.dso_off);
	return true;
}

static bool start(struct unwinding *u)
{
	uint64_t mask = u->args->regs_mask;
	const uint8_t *at = u->args->regs;

	if (!u->arch || !at || !(mask >> u->arch->ip & 1) || !(mask >> u->arch->sp & 1))
		return false;
	for (; mask; mask &= mask - 1, at += 8)
		u->regs[__builtin_ctzll(mask)] = load_u64(at);
	return true;
}

/* Return whether another unwinder may get further: not where the copy or the files end. */
static bool may_go_on(const struct unwind_stop *stop)
{
	return stop->end == UNWIND_NO_CFI || stop->end == UNWIND_BAD || stop->end == UNWIND_UNSUPPORTED;
}

/* Walk by one unwinder. Return 0 entries with UNWIND_UNSUPPORTED if it cannot. */
static size_t walk_by(struct unwinding *u, struct unwind_worker *w, uint8_t by, uint64_t *ips, size_t max,
		      struct unwind_stop *stop)
{
	*stop = (struct unwind_stop){ .end = UNWIND_UNSUPPORTED };
	if (unwinders[by]->supports(u->arch, NULL) < 0)
		return 0;
	u->state = &w->states[by];
	w->counts[by].asked++;
	return unwinders[by]->walk(u, ips, max, stop);
}

/*
 * Ask the next unwinder. Its answer counts if it reached the root of the stack, because behind the
 * last table it can only guess; or if the unwinder before had no answer. Return the number of
 * entries that are valid now.
 */
static size_t go_on(struct unwinding *u, struct unwind_worker *w, uint8_t by, uint64_t *ips, size_t n, size_t max,
		    struct unwind_stop *stop)
{
	autofree uint64_t *more = xcalloc(max, sizeof(*more));
	bool none = stop->end == UNWIND_UNSUPPORTED;
	struct unwind_stop its;
	size_t got = walk_by(u, w, by, more, max, &its);

	if (!got || (!none && (its.end != UNWIND_DONE || got <= n)))
		return n;
	w->counts[by].added++;
	memcpy(ips, more, got * sizeof(*ips));
	its.guessed |= !none;
	if (!none)
		its.ip = stop->ip;
	*stop = its;
	return got;
}

size_t unwind_user_by(struct symbols *s, const struct unwind_args *args, unsigned worker, unsigned by, uint64_t *ips,
		      size_t max, struct unwind_stop *stop)
{
	struct unwind *state = get_unwind(s);
	struct unwinding u = { .s = s, .args = args, .arch = arch_of_abi(state->arch, args->abi) };

	*stop = (struct unwind_stop){ .end = UNWIND_UNSUPPORTED };
	if (by >= N_UNWINDERS || !start(&u))
		return 0;
	u.version = space_version(s, args->space, args->time_ns);
	return walk_by(&u, &state->workers[worker % UNWIND_WORKERS], (uint8_t)by, ips, max, stop);
}

size_t unwind_user(struct symbols *s, const struct unwind_args *args, unsigned worker, uint64_t *ips, size_t max,
		   struct unwind_stop *stop)
{
	struct unwind *state = get_unwind(s);
	struct unwind_worker *w = &state->workers[worker % UNWIND_WORKERS];
	struct unwinding u = { .s = s, .args = args, .arch = arch_of_abi(state->arch, args->abi) };
	size_t n;

	*stop = (struct unwind_stop){ .end = UNWIND_UNSUPPORTED };
	if (!start(&u))
		return 0;
	u.version = space_version(s, args->space, args->time_ns);
	n = walk_by(&u, w, state->order[0], ips, max, stop);
	for (uint8_t i = 1; i < state->n_order && may_go_on(stop); i++)
		n = go_on(&u, w, state->order[i], ips, n, max, stop);
	/* Nothing is mapped there, and the walk cannot go on: perf also reports nothing then. */
	return n == 1 && stop->end == UNWIND_NO_MAP ? 0 : n;
}
