/* Step out of code that no unwind information describes: look for the return address on the stack. */
#include "base/bytes.h"
#include "symbols/unwind/walk_priv.h"

enum {
	SCAN_WORDS = 1024, /* frames of hand-written code are small */
	TRIES = 8,
};

/* Return whether a jump begins there, as in a stub that leads to another object. */
static bool is_stub(struct walk *k, uint64_t addr)
{
	static const uint8_t landing[] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* endbr64 */
	uint8_t code[WALK_CODE];
	const uint8_t *at = code;

	if (!k->code_before(k, addr + WALK_CODE, code))
		return false;
	if (!memcmp(at, landing, sizeof(landing)))
		at += sizeof(landing);
	return (at[0] == 0xff && at[1] == 0x25) || (at[0] == 0xf2 && at[1] == 0xff && at[2] == 0x25);
}

/*
 * Return whether the word may be the return address of code without unwind information: it must be
 * behind a call, but not behind a call of code that has such information.
 */
static bool returns_there(struct walk *k, uint64_t word)
{
	uint8_t code[WALK_CODE];
	uint64_t target = 0;
	uint8_t state;

	if (!k->code_before(k, word, code) || !k->arch->calls(code, word, &target))
		return false;
	if (target && k->place_of(k, target)->state == PLACE_ROW && !is_stub(k, target))
		return false;
	state = k->place_of(k, word - 1)->state;
	return state == PLACE_ROW || state == PLACE_NO_CFI;
}

/* Find a return address in the copy, from `addr` on. Return where it lies, 0 if none does. */
static uint64_t find_return(struct walk *k, uint64_t addr, uint64_t end)
{
	uint64_t value;

	for (; addr < end && walk_load_word(k, addr, &value); addr += k->arch->word)
		if (returns_there(k, value))
			return addr;
	return 0;
}

/*
 * Follow the frame pointer. Return where the return address lies, 0 if the pointer leads nowhere.
 */
static uint64_t by_frame_pointer(struct walk *k)
{
	uint64_t fp = k->regs[k->arch->fp], word = k->arch->word, ret;
	const struct place *p;

	if (!k->arch->fp_chain || !walk_has(k, k->arch->fp) || fp < k->regs[k->arch->sp] || fp % word ||
	    !walk_load_word(k, fp + word, &ret))
		return 0;
	p = k->place_of(k, ret - 1);
	return p->state == PLACE_GENERATED || returns_there(k, ret) ? fp + word : 0;
}

static bool return_by(struct walk *k, uint64_t at)
{
	uint64_t ret, fp;

	if (!walk_load_word(k, at, &ret))
		return false;
	if (at == k->regs[k->arch->fp] + k->arch->word && walk_load_word(k, at - k->arch->word, &fp))
		walk_set(k, k->arch->fp, fp);
	walk_set(k, k->arch->sp, at + k->arch->word);
	walk_set(k, k->arch->ip, ret);
	return true;
}

enum guess walk_guess(struct walk *k, struct walk_retry *again)
{
	uint64_t sp = k->regs[k->arch->sp], frame = by_frame_pointer(k), at;
	uint64_t end = MIN(sp + SCAN_WORDS * k->arch->word, frame ? frame : UINT64_MAX);
	bool beyond = k->beyond, missed = k->missed;

	at = find_return(k, sp, end);
	k->beyond = beyond; /* only the read through the frame pointer may report a miss, not the search */
	k->missed = missed;
	if (!at) {
		again->tries = 0;
		/* Any caller between would have left its return address below the frame pointer. */
		return frame && return_by(k, frame)
			       ? frame - sp <= SCAN_WORDS * k->arch->word ? GUESS_SURE : GUESS_CALLER
			       : GUESS_NONE;
	}
	memcpy(again->regs, k->regs, sizeof(again->regs));
	again->known = k->known;
	again->next = at + k->arch->word;
	again->tries = TRIES;
	return return_by(k, at) ? GUESS_CALLER : GUESS_NONE;
}

bool walk_guess_again(struct walk *k, struct walk_retry *again)
{
	uint64_t at = 0;

	if (!again->tries)
		return false;
	again->tries--;
	memcpy(k->regs, again->regs, sizeof(k->regs));
	k->known = again->known;
	at = find_return(k, again->next, k->regs[k->arch->sp] + SCAN_WORDS * k->arch->word);
	again->next = at + k->arch->word;
	return at && return_by(k, at);
}
