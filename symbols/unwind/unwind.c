#include "base/bytes.h"
#include "symbols/unwind/cfi_priv.h"
#include "symbols/name/jitdump.h"
#include "symbols/name/sources.h"
#include "symbols/name/symbols_priv.h"

/*
 * Unwind user stacks from sampled registers and a copy of the stack. Decode each CFI row once
 * per address and worker; then a step to the caller is just a few loads from the copy.
 */

enum { MAX_WORKERS = 72, PLACES = 1 << 13 };

/* The row of one address of one object. */
struct known {
	uint64_t addr;
	uint32_t dso;
	bool used;
	const struct cfi_row *row;
};

/*
 * What lies at an address of a process: a cache of the last answers, indexed by a hash of the
 * address.
 */
struct place {
	uint64_t ip;
	uint32_t space, version;
	const struct cfi_row *row;
	uint8_t state;
};
enum { PLACE_EMPTY, PLACE_ROW, PLACE_NO_CFI, PLACE_GENERATED, PLACE_DATA, PLACE_NO_MAP, PLACE_NO_FILE };

struct worker {
	struct arena arena; /* holds the rows */
	struct place *places;
	struct known *known; /* open addressing; cap is a power of two */
	size_t n_known, cap_known;
};

struct unwind {
	const struct arch *arch;
	struct worker workers[MAX_WORKERS];
};

struct walk {
	struct symbols *s;
	struct worker *worker;
	const struct unwind_args *args;
	const struct arch *arch;
	uint32_t version;
	bool swap; /* the stack's byte order is not ours */
	uint64_t regs[ARCH_MAX_REGS];
	uint64_t known; /* a bit per register that has a value */
	uint64_t sp;    /* where the copy begins */
	bool *beyond;   /* set when a load missed behind the end of the copy */
};

/* ---- state ---- */

static void unwind_free(void *state)
{
	struct unwind *u = state;

	for (size_t i = 0; i < MAX_WORKERS; i++) {
		arena_release(&u->workers[i].arena);
		free(u->workers[i].places);
		free(u->workers[i].known);
	}
	free(u);
}

static struct unwind *get_unwind(struct symbols *s)
{
	struct unwind *u = __atomic_load_n((struct unwind **)&s->unwind.state, __ATOMIC_ACQUIRE), *mine;

	if (u)
		return u;
	mine = xcalloc(1, sizeof(*mine));
	mine->arch = arch_find(s->opts.arch);
	__atomic_store_n(&s->unwind.free, unwind_free, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n((struct unwind **)&s->unwind.state, &u, mine, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	free(mine);
	return u;
}

static void free_cfi(void *state) { cfi_close(state); }

static void read_ahead(const struct image *im, const char *section)
{
	GElf_Shdr h;

	if (im && image_section(im, section, &h))
		image_will_read(im, &h);
}

/* Return the CFI of an object, opened at the first call; NULL: none, or of another architecture. */
static struct cfi *get_cfi(struct symbols *s, struct dso *d, const struct arch *a)
{
	const struct image *debug;
	struct cfi *c;

	pthread_mutex_lock(&d->lock);
	if (!d->unwind.free && !d->image) {
		d->unwind.free = free_cfi;
		d->unwind.state =
			cfi_open_frames(d->unwind_info, d->unwind_info_len, jit_unwind_at(d->start, d->len), a);
	}
	if (!d->unwind.free) {
		d->unwind.free = free_cfi;
		debug = debugfile_find(s, d);
		read_ahead(d->image, ".eh_frame");
		read_ahead(d->image, ".debug_frame");
		read_ahead(debug, ".debug_frame");
		d->unwind.state = cfi_open(d->image->data, d->image->len, debug ? debug->data : NULL,
					   debug ? debug->len : 0, a, NULL);
	}
	c = d->unwind.state;
	pthread_mutex_unlock(&d->lock);
	return c;
}

static void grow_known(struct worker *w)
{
	struct known *old = w->known;
	size_t n = w->cap_known;

	w->cap_known = n ? n * 2 : 1024;
	w->known = xtable(w->cap_known, sizeof(*w->known));
	for (size_t i = 0; i < n; i++) {
		size_t at;

		if (!old[i].used)
			continue;
		at = hash_mix(old[i].addr, old[i].dso) & (w->cap_known - 1);
		while (w->known[at].used)
			at = (at + 1) & (w->cap_known - 1);
		w->known[at] = old[i];
	}
	free(old);
}

/* Return the row for an address of an object. */
static const struct cfi_row *find_row(struct walk *k, struct dso *d, uint32_t dso, uint64_t addr)
{
	struct worker *w = k->worker;
	struct cfi *c;
	size_t at;

	if (w->n_known * 2 >= w->cap_known)
		grow_known(w);
	for (at = hash_mix(addr, dso) & (w->cap_known - 1); w->known[at].used; at = (at + 1) & (w->cap_known - 1))
		if (w->known[at].addr == addr && w->known[at].dso == dso)
			return w->known[at].row;
	c = get_cfi(k->s, d, k->arch);
	w->known[at] =
		(struct known){ .addr = addr, .dso = dso, .used = true, .row = c ? cfi_row(c, addr, &w->arena) : NULL };
	w->n_known++;
	return w->known[at].row;
}

static void look_up(struct walk *k, uint64_t ip, struct place *p)
{
	struct map_hit hit;
	struct dso *d;

	*p = (struct place){ .ip = ip, .space = k->args->space, .version = k->version, .state = PLACE_NO_MAP };
	if (!space_find(k->s, k->args->space, k->args->time_ns, ip, &hit))
		return;
	d = dso_load(k->s, hit.dso);
	if (!d->image) {
		/*
		 * Generated code has no file, but its JIT may have supplied unwind information.
		 * Otherwise it may keep frame pointers.
		 */
		p->row = d->unwind_info_len ? find_row(k, d, hit.dso, ip) : NULL;
		p->state = p->row                                                    ? PLACE_ROW
			   : d->kind == DSO_KIND_JIT || d->kind == DSO_KIND_JIT_CODE ? PLACE_GENERATED
			   : d->kind == DSO_KIND_ANON                                ? PLACE_DATA
										     : PLACE_NO_FILE;
		return;
	}
	p->row = find_row(k, d, hit.dso, image_address(d->image, hit.dso_off));
	p->state = p->row ? PLACE_ROW : PLACE_NO_CFI;
}

static const struct place *place_of(struct walk *k, uint64_t ip)
{
	struct worker *w = k->worker;
	struct place *p;

	if (!w->places)
		w->places = xtable(PLACES, sizeof(*w->places));
	p = &w->places[hash_mix(ip, k->args->space) & (PLACES - 1)];
	if (p->state == PLACE_EMPTY || p->ip != ip || p->space != k->args->space || p->version != k->version)
		look_up(k, ip, p);
	return p;
}

/* ---- memory and registers ---- */

/* An address this far behind the copy is not in the same stack. */
#define STACK_MAX (64u << 20)

static bool miss(const struct walk *k, uint64_t addr)
{
	if (!k->args->stack_ends && addr > k->sp && addr - k->sp < STACK_MAX)
		*k->beyond = true;
	return false;
}

static bool load(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct walk *k = ctx;
	uint64_t off = addr - k->sp;
	struct bytes b;

	if (addr < k->sp || off > k->args->stack_size || size > k->args->stack_size - off)
		return miss(k, addr);
	b = bytes_of(k->args->stack + off, size, k->swap);
	switch (size) {
	case 1: *value = bytes_u8(&b); break;
	case 2: *value = bytes_u16(&b); break;
	case 4: *value = bytes_u32(&b); break;
	default: *value = bytes_u64(&b); break;
	}
	return true;
}

static bool load_word(const struct walk *k, uint64_t addr, uint64_t *value)
{
	uint64_t off = addr - k->sp;

	/* fast path for most loads: eight bytes in our byte order */
	if (k->arch->word != 8 || k->swap)
		return load((void *)(uintptr_t)k, addr, k->arch->word, value);
	if (addr < k->sp || k->args->stack_size < 8 || off > k->args->stack_size - 8)
		return miss(k, addr);
	*value = load_u64(k->args->stack + off);
	return true;
}

static bool has(const struct walk *k, unsigned reg) { return k->known >> reg & 1; }

static uint64_t narrow(const struct walk *k, uint64_t v) { return k->arch->word == 4 ? (uint32_t)v : v; }

static bool take_registers(struct walk *k)
{
	const uint8_t *at = k->args->regs;

	for (unsigned i = 0; i < ARCH_MAX_REGS; i++)
		if (k->args->regs_mask >> i & 1) {
			k->regs[i] = narrow(k, load_u64(at));
			at += 8;
		}
	k->known = k->args->regs_mask;
	return has(k, k->arch->ip) && has(k, k->arch->sp);
}

/* ---- one step to the caller ---- */

enum step { STEP_OK, STEP_END, STEP_CUT, STEP_BAD };

/* Compute one rule's value; return false if that is impossible. */
static bool rule_value(const struct walk *k, const struct cfi_rule *r, uint64_t cfa, uint64_t *value)
{
	struct cfi_machine m = { .regs = k->regs, .known = k->known, .load = load, .ctx = (void *)(uintptr_t)k };
	uint64_t addr;

	switch (r->how) {
	case CFI_OFFSET: return load_word(k, narrow(k, cfa + (uint64_t)r->offset), value);
	case CFI_VAL_OFFSET: *value = narrow(k, cfa + (uint64_t)r->offset); return true;
	case CFI_REGISTER:
		if (r->offset >= ARCH_MAX_REGS || !has(k, (unsigned)r->offset))
			return false;
		*value = k->regs[r->offset];
		return true;
	case CFI_EXPR: return cfi_eval(k->arch, k->swap, r, &cfa, &m, &addr) && load_word(k, addr, value);
	case CFI_VAL_EXPR: return cfi_eval(k->arch, k->swap, r, &cfa, &m, value);
	default: return false;
	}
}

static bool find_cfa(const struct walk *k, const struct cfi_rule *r, uint64_t *cfa)
{
	struct cfi_machine m = { .regs = k->regs, .known = k->known, .load = load, .ctx = (void *)(uintptr_t)k };

	if (r->how != CFI_REGISTER)
		return cfi_eval(k->arch, k->swap, r, NULL, &m, cfa);
	if (!has(k, r->reg))
		return false;
	*cfa = narrow(k, k->regs[r->reg] + (uint64_t)r->offset);
	return true;
}

static void set(struct walk *k, unsigned reg, bool known, uint64_t value)
{
	uint64_t bit = UINT64_C(1) << reg;

	k->regs[reg] = value;
	k->known = known ? k->known | bit : k->known & ~bit;
}

static enum step step_by_row(struct walk *k, const struct cfi_row *row)
{
	uint64_t values[ARCH_MAX_REGS], cfa, ret;
	uint64_t good = 0;
	bool ret_undefined = false, sp_ruled = false;

	if (!find_cfa(k, &row->cfa, &cfa))
		return STEP_CUT;
	for (unsigned i = 0; i < row->n_rules; i++) {
		if (rule_value(k, &row->rules[i], cfa, &values[i]))
			good |= UINT64_C(1) << i;
		if (row->rules[i].reg == row->ret && row->rules[i].how == CFI_UNDEFINED)
			ret_undefined = true;
		sp_ruled |= row->rules[i].reg == k->arch->sp;
	}
	for (unsigned i = 0; i < row->n_rules; i++)
		set(k, row->rules[i].reg, good >> i & 1, values[i]);
	if (k->arch->sp_is_cfa && !sp_ruled)
		set(k, k->arch->sp, true, cfa);
	if (ret_undefined)
		return STEP_END;
	if (!has(k, row->ret))
		return STEP_CUT;
	ret = k->regs[row->ret];
	if (row->ret_signed)
		ret &= (UINT64_C(1) << 48) - 1;
	set(k, k->arch->ip, true, ret);
	return STEP_OK;
}

/*
 * Step without CFI: use the frame record {caller's frame pointer, return address}, if the frame
 * pointer leads up the stack.
 */
static enum step step_by_frame_pointer(struct walk *k)
{
	uint64_t fp, word = k->arch->word, next, ret;

	if (!k->arch->fp_chain || !has(k, k->arch->fp))
		return STEP_BAD;
	fp = k->regs[k->arch->fp];
	if (fp < k->regs[k->arch->sp] || !load_word(k, fp, &next) || !load_word(k, fp + word, &ret))
		return STEP_BAD;
	set(k, k->arch->fp, true, next);
	set(k, k->arch->sp, true, fp + 2 * word);
	set(k, k->arch->ip, true, ret);
	return STEP_OK;
}

static enum unwind_end end_of(const struct walk *k, const struct place *p, enum step step)
{
	switch (step) {
	case STEP_END: return UNWIND_DONE;
	case STEP_CUT: return *k->beyond ? UNWIND_STACK_CUT : UNWIND_BAD;
	default:
		return p->state == PLACE_NO_MAP                    ? UNWIND_NO_MAP
		       : p->state == PLACE_GENERATED && *k->beyond ? UNWIND_STACK_CUT
								   : UNWIND_NO_CFI;
	}
}

/*
 * Walk from the sampled registers outward. A return address belongs to the call before it, so
 * look up and report the byte before it. Two addresses are exact instead: the code interrupted
 * by a signal, and the signal trampoline itself, which nothing called.
 */
static size_t walk(struct walk *k, uint64_t *ips, size_t max, struct unwind_stop *stop)
{
	bool exact = true; /* ip is an executed instruction, not a return address */
	size_t n = 0;

	*stop = (struct unwind_stop){ .end = UNWIND_LIMIT };
	while (n < max) {
		uint64_t ip = k->regs[k->arch->ip], at = exact ? ip : ip - 1, sp = k->regs[k->arch->sp];
		const struct place *p = place_of(k, at);
		bool is_signal = p->state == PLACE_ROW && p->row->is_signal;
		enum step step;

		if (!stop->guessed)
			stop->ip = at;
		*k->beyond = false;
		/* data calls nothing */
		if (p->state == PLACE_NO_FILE || (p->state == PLACE_DATA && n)) {
			stop->end = UNWIND_NO_FILE;
			break;
		}
		ips[n++] = is_signal ? ip : at;
		step = p->state == PLACE_ROW ? step_by_row(k, p->row) : step_by_frame_pointer(k);
		if (step == STEP_OK && !k->regs[k->arch->ip])
			step = STEP_END;
		if (step != STEP_OK) {
			stop->end = end_of(k, p, step);
			break;
		}
		if (k->regs[k->arch->ip] == ip && k->regs[k->arch->sp] == sp) {
			stop->end = UNWIND_BAD; /* it would loop forever */
			break;
		}
		stop->guessed |= p->state == PLACE_NO_CFI;
		exact = is_signal;
	}
	return n;
}

size_t unwind_user(struct symbols *s, const struct unwind_args *args, unsigned worker, uint64_t *ips, size_t max,
		   struct unwind_stop *stop)
{
	struct unwind *u = get_unwind(s);
	struct walk k = { .s = s,
			  .worker = &u->workers[worker % MAX_WORKERS],
			  .args = args,
			  .arch = arch_of_abi(u->arch, args->abi) };
	bool beyond = false;
	size_t n;

	*stop = (struct unwind_stop){ .end = UNWIND_UNSUPPORTED };
	if (!k.arch || !args->regs || !take_registers(&k))
		return 0;
	k.swap = k.arch->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	k.sp = k.regs[k.arch->sp];
	k.version = space_version(s, args->space, args->time_ns);
	k.beyond = &beyond;
	n = walk(&k, ips, max, stop);
	/* Nothing is mapped there, and there is no way on: perf reports nothing, either. */
	return n == 1 && stop->end == UNWIND_NO_MAP ? 0 : n;
}

bool unwind_skips_caller(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	const struct arch *a = get_unwind(s)->arch;
	struct dso *d = dso_load(s, dso);
	struct arena arena = { 0 };
	const struct cfi_row *row;
	const struct cfi *c;
	bool skips;

	/*
	 * Where calls keep the return address in a register, compilers describe frames relative
	 * to the stack pointer even when there is a frame record.
	 */
	if (!a || !a->fp_chain || !a->ret_at_cfa || !d->image)
		return false;
	c = get_cfi(s, d, a);
	row = c ? cfi_row(c, image_address(d->image, dso_off), &arena) : NULL;
	skips = row && !row->is_signal && row->cfa.how == CFI_REGISTER && row->cfa.reg == a->sp;
	arena_release(&arena);
	return skips;
}
