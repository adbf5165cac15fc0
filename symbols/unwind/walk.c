/* Step from frame to frame: registers, the copy of the stack, and rows of CFI. */
#include "base/bytes.h"
#include "symbols/unwind/walk_priv.h"

/* ---- memory and registers ---- */

/* An address this far behind the copy is not in the same stack. */
#define STACK_MAX (64u << 20)

static bool miss(const struct walk *k, uint64_t addr)
{
	struct walk *walk = (struct walk *)(uintptr_t)k;

	if (addr > k->sp && addr - k->sp < STACK_MAX) {
		walk->missed = true;
		walk->beyond |= !k->args->stack_ends;
	}
	return false;
}

/* Read memory behind the copy of the stack, if the process lets us. */
static bool read_behind(const struct walk *k, uint64_t addr, void *to, unsigned size)
{
	return k->args->memory && addr >= k->sp && addr - k->sp >= k->args->stack_size && addr - k->sp < STACK_MAX &&
	       k->args->memory(k->args->memory_ctx, addr, to, size);
}

static bool load(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct walk *k = ctx;
	uint64_t off = addr - k->sp, behind;
	struct bytes b;

	if (addr >= k->sp && off <= k->args->stack_size && size <= k->args->stack_size - off)
		b = bytes_of(k->args->stack + off, size, k->swap);
	else if (read_behind(k, addr, &behind, size))
		b = bytes_of(&behind, size, k->swap);
	else
		return miss(k, addr);
	switch (size) {
	case 1: *value = bytes_u8(&b); break;
	case 2: *value = bytes_u16(&b); break;
	case 4: *value = bytes_u32(&b); break;
	default: *value = bytes_u64(&b); break;
	}
	return true;
}

bool walk_load_word(const struct walk *k, uint64_t addr, uint64_t *value)
{
	uint64_t off = addr - k->sp;

	if (!k->native)
		return load((void *)(uintptr_t)k, addr, k->arch->word, value);
	if (addr < k->sp || k->args->stack_size < 8 || off > k->args->stack_size - 8)
		return read_behind(k, addr, value, 8) || miss(k, addr);
	*value = load_u64(k->args->stack + off);
	return true;
}

static uint64_t narrow(const struct walk *k, uint64_t v) { return k->arch->word == 4 ? (uint32_t)v : v; }

bool walk_start(struct walk *k)
{
	const uint8_t *at = k->args->regs;

	k->swap = k->arch->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	for (uint64_t left = k->args->regs_mask; left; left &= left - 1, at += 8)
		k->regs[__builtin_ctzll(left)] = narrow(k, load_u64(at));
	k->known = k->args->regs_mask;
	k->sp = k->regs[k->arch->sp];
	k->native = k->arch->word == 8 && !k->swap && k->sp <= UINT64_MAX - k->args->stack_size;
	return walk_has(k, k->arch->ip) && walk_has(k, k->arch->sp);
}

/* ---- one step to the caller ---- */

/* A signed return address has its signature above these. */
#define RETURN_BITS ((UINT64_C(1) << 48) - 1)

enum step { STEP_OK, STEP_END, STEP_CUT, STEP_BAD };

/* Compute one rule's value; return false if that is impossible. */
static bool rule_value(const struct walk *k, const struct cfi_rule *r, uint64_t cfa, uint64_t *value)
{
	struct cfi_machine m = { .regs = k->regs, .known = k->known, .load = load, .ctx = (void *)(uintptr_t)k };
	uint64_t addr;

	switch (r->how) {
	case CFI_OFFSET: return walk_load_word(k, narrow(k, cfa + (uint64_t)r->offset), value);
	case CFI_VAL_OFFSET: *value = narrow(k, cfa + (uint64_t)r->offset); return true;
	case CFI_REGISTER:
		if (r->offset >= ARCH_MAX_REGS || !walk_has(k, (unsigned)r->offset))
			return false;
		*value = k->regs[r->offset];
		return true;
	case CFI_EXPR: return cfi_eval(k->arch, k->swap, r, &cfa, &m, &addr) && walk_load_word(k, addr, value);
	case CFI_VAL_EXPR: return cfi_eval(k->arch, k->swap, r, &cfa, &m, value);
	default: return false;
	}
}

static bool find_cfa(const struct walk *k, const struct cfi_rule *r, uint64_t *cfa)
{
	struct cfi_machine m;

	if (r->how == CFI_REGISTER) {
		*cfa = narrow(k, k->regs[r->reg] + (uint64_t)r->offset);
		return walk_has(k, r->reg);
	}
	m = (struct cfi_machine){ .regs = k->regs, .known = k->known, .load = load, .ctx = (void *)(uintptr_t)k };
	return cfi_eval(k->arch, k->swap, r, NULL, &m, cfa);
}

static void set(struct walk *k, unsigned reg, bool known, uint64_t value)
{
	uint64_t bit = UINT64_C(1) << reg;

	k->regs[reg] = value;
	k->known = known ? k->known | bit : k->known & ~bit;
}

void walk_set(struct walk *k, unsigned reg, uint64_t value) { set(k, reg, true, value); }

/* Apply the rules of a row. All values are computed from the registers as they were before. */
static void apply_rules(struct walk *k, const struct cfi_row *row, uint64_t cfa)
{
	uint64_t values[ARCH_MAX_REGS], good = 0;
	bool sp_ruled = false;

	for (unsigned i = 0; i < row->n_rules; i++) {
		if (rule_value(k, &row->rules[i], cfa, &values[i]))
			good |= UINT64_C(1) << i;
		sp_ruled |= row->rules[i].reg == k->arch->sp;
	}
	for (unsigned i = 0; i < row->n_rules; i++)
		set(k, row->rules[i].reg, good >> i & 1, values[i]);
	if (k->arch->sp_is_cfa && !sp_ruled)
		set(k, k->arch->sp, true, cfa);
}

/* Do the same for a usual row whose saved registers are all in the copy. Return false for others. */
static bool apply_plain(struct walk *k, const struct cfi_row *row, uint64_t cfa)
{
	uint64_t off = cfa + (uint64_t)(int64_t)row->low - k->sp, size = (uint64_t)((int64_t)row->high - row->low) + 8;
	const uint8_t *at;

	if (!row->is_plain || !k->native || off > k->args->stack_size || size > k->args->stack_size - off)
		return false;
	at = k->args->stack + off;
	for (unsigned i = 0; i < row->n_rules; i++) {
		k->regs[row->rules[i].reg] = load_u64(at + (row->rules[i].offset - row->low));
		k->known |= UINT64_C(1) << row->rules[i].reg;
	}
	if (k->arch->sp_is_cfa)
		set(k, k->arch->sp, true, cfa);
	return true;
}

static bool ret_is_undefined(const struct cfi_row *row)
{
	for (unsigned i = 0; i < row->n_rules; i++)
		if (row->rules[i].reg == row->ret && row->rules[i].how == CFI_UNDEFINED)
			return true;
	return false;
}

static enum step step_by_row(struct walk *k, const struct cfi_row *row)
{
	uint64_t cfa, ret;

	if (!find_cfa(k, &row->cfa, &cfa))
		return STEP_CUT;
	if (!apply_plain(k, row, cfa)) {
		apply_rules(k, row, cfa);
		if (ret_is_undefined(row))
			return STEP_END;
	}
	if (!walk_has(k, row->ret))
		return STEP_CUT;
	ret = k->regs[row->ret];
	if (row->ret_signed)
		ret &= RETURN_BITS;
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

	if (!k->arch->fp_chain || !walk_has(k, k->arch->fp))
		return STEP_BAD;
	fp = k->regs[k->arch->fp];
	if (fp < k->regs[k->arch->sp] || !walk_load_word(k, fp, &next) || !walk_load_word(k, fp + word, &ret))
		return STEP_BAD;
	set(k, k->arch->fp, true, next);
	set(k, k->arch->sp, true, fp + 2 * word);
	set(k, k->arch->ip, true, k->arch->signs_return ? ret & RETURN_BITS : ret);
	return STEP_OK;
}

/* Return whether the code at `ip`, which has no CFI, returns from a signal handler. */
static bool is_sigreturn(struct walk *k, uint64_t ip)
{
	uint8_t code[WALK_CODE];

	_Static_assert(sizeof(code) == sizeof(k->arch->sigreturn), "code is compared whole");
	return k->arch->sigreturn_regs && k->code_before(k, ip + sizeof(code), code) &&
	       !memcmp(code, k->arch->sigreturn, sizeof(code));
}

/* Step to the interrupted code, with the registers that the kernel saved on the stack. */
static enum step step_by_sigreturn(struct walk *k)
{
	uint64_t at = k->regs[k->arch->sp] + k->arch->sigreturn_regs;

	for (unsigned i = 0; i < k->arch->n_dwarf; i++) {
		uint64_t value;

		if (!walk_load_word(k, at + (uint64_t)i * k->arch->word, &value))
			return STEP_CUT;
		set(k, i, true, value);
	}
	return STEP_OK;
}

static enum unwind_end end_of(const struct walk *k, const struct place *p, enum step step)
{
	switch (step) {
	case STEP_END: return UNWIND_DONE;
	case STEP_CUT: return k->beyond ? UNWIND_STACK_CUT : UNWIND_BAD;
	default:
		return p->state == PLACE_NO_MAP                   ? UNWIND_NO_MAP
		       : p->state == PLACE_GENERATED && k->beyond ? UNWIND_STACK_CUT
								  : UNWIND_NO_CFI;
	}
}

/* The last guess of a walk, and what is needed to undo it. */
struct guessed {
	struct walk_retry again;
	size_t n;     /* entries up to the code without unwind information */
	bool is_open; /* the walk has not shown that the guess was wrong */
	bool before;  /* other guesses came before */
};

static enum step step_from(struct walk *k, const struct place *p, struct guessed *g, struct unwind_stop *stop, size_t n)
{
	uint8_t state = p->state;
	enum guess guess;
	enum step step;

	if (state == PLACE_START)
		return STEP_END;
	if (state == PLACE_ROW)
		return step_by_row(k, p->row);
	if (state != PLACE_NO_CFI || !k->arch->calls) {
		step = step_by_frame_pointer(k);
		stop->guessed |= step == STEP_OK && state == PLACE_NO_CFI;
		return step;
	}
	guess = walk_guess(k, &g->again);
	if (guess == GUESS_NONE)
		return STEP_BAD;
	if (guess == GUESS_CALLER) {
		g->before = stop->guessed;
		g->is_open = stop->guessed = true;
		g->n = n;
	}
	return STEP_OK;
}

/*
 * The walk from a guess ended badly: try the next guess. If there is none, end the stack where the
 * guess began.
 */
static bool guess_again(struct walk *k, struct guessed *g, struct unwind_stop *stop, size_t *n)
{
	if (!g->is_open)
		return false;
	*n = g->n;
	if (walk_guess_again(k, &g->again))
		return true;
	g->is_open = false;
	stop->guessed = g->before;
	stop->end = UNWIND_NO_CFI;
	return false;
}

/*
 * Walk from the sampled registers outward. A return address belongs to the call before it, so
 * look up and report the byte before it. Two addresses are exact instead: the code interrupted
 * by a signal, and the signal trampoline itself, which nothing called.
 */
size_t walk_stack(struct walk *k, uint64_t *ips, size_t max, struct unwind_stop *stop)
{
	struct guessed g = { .is_open = false };
	bool exact = true; /* ip is an executed instruction, not a return address */
	size_t n = 0;

	*stop = (struct unwind_stop){ .end = UNWIND_LIMIT };
	while (n < max) {
		uint64_t ip = k->regs[k->arch->ip], at = exact ? ip : ip - 1, sp = k->regs[k->arch->sp];
		const struct place *p = k->place_of(k, at);
		bool saved = p->state == PLACE_NO_CFI && is_sigreturn(k, ip);
		bool is_signal = saved || (p->state == PLACE_ROW && p->row->is_signal);
		enum unwind_end end = UNWIND_LIMIT;
		enum step step;

		if (!stop->guessed)
			stop->ip = at;
		k->beyond = k->missed = false;
		/* data calls nothing */
		if (p->state == PLACE_NO_FILE || (p->state == PLACE_DATA && n)) {
			end = UNWIND_NO_FILE;
		} else {
			struct place here = *p; /* steps look at other places */

			if (k->sps)
				k->sps[n] = sp;
			ips[n++] = is_signal ? ip : at;
			step = saved ? step_by_sigreturn(k) : step_from(k, &here, &g, stop, n);
			if (step == STEP_OK && !k->regs[k->arch->ip])
				step = STEP_END;
			if (step != STEP_OK)
				end = end_of(k, &here, step);
			else if (k->regs[k->arch->ip] == ip && k->regs[k->arch->sp] == sp)
				end = UNWIND_BAD; /* the same place again: the walk would never end */
		}
		exact = is_signal;
		if (end == UNWIND_LIMIT)
			continue;
		stop->end = end;
		if (end == UNWIND_DONE || end == UNWIND_STACK_CUT || k->missed || !guess_again(k, &g, stop, &n))
			break;
		exact = false;
	}
	return n;
}
