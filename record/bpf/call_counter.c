#include "record/bpf/call_counter.h"

#include <unistd.h>

#include "record/bpf/threads_priv.h"
#include "symbols/arch/arch.h"

enum { SUMS_MOST = 65536, CODES_MOST = 65536 };
/* counters that the programs increment */
enum { NOTE_LOST, NOTE_SUMS, NOTE_CODES, NOTES };
/*
 * Places on the stack. The key of a sum is tid and number; the key of an error has its code behind
 * them.
 */
enum { ID = -4, CODE = -8, NUMBER = -12, KEY = -16, ONE = -24, WORD = -28, STATE = -56, VALUE = -56 - 192 };

struct sum_key {
	int32_t tid, number;
};
struct code_key {
	int32_t tid, number, code;
};
#define SUM(member)    ((int)offsetof(struct call_count, member))
#define THREAD(member) ((int)offsetof(struct bpf_thread, member))

struct call_counter {
	struct call_counter_opts opts;
	struct bpf_threads threads;
	int sums, codes, notes, calls, cpus, enter, leave;
	VEC(int) fds, links;
	uint32_t size; /* of a sum */
};

/* ---- pieces of code ---- */

/* notes[note]++ */
static void emit_note(struct emit *c, const struct call_counter *k, int note)
{
	int skip = emit_label(c);

	emit_store_imm(c, BPF_W, FP, WORD, note);
	emit_lookup(c, k->notes, WORD);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_imm(c, BPF_MOV, R1, 1);
	emit_add_to(c, R0, 0, R1, R2);
	emit_here(c, skip);
}

/* Jump to `skip` unless map[reg], of 4 bytes, is set. Without a map, everything counts. */
static void emit_only(struct emit *c, int map, int reg, int skip)
{
	if (map < 0)
		return;
	emit_store(c, BPF_W, FP, WORD, reg);
	emit_lookup(c, map, WORD);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_load(c, BPF_W, R0, R0, 0);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
}

/* Write the first word of a key: the thread or control group whose sum it is. */
static void emit_whose(struct emit *c, const struct call_counter *k)
{
	if (k->opts.by_cgroup) {
		emit_call(c, BPF_FUNC_get_current_cgroup_id);
		emit_store(c, BPF_W, FP, KEY, R0);
	} else {
		emit_load(c, BPF_W, R1, FP, ID);
		emit_store(c, BPF_W, FP, KEY, R1);
	}
}

/* R7 = the sum of the key at KEY. If it is new, it is all zero. */
static void emit_sum(struct emit *c, const struct call_counter *k, int skip)
{
	int found = emit_label(c), full = emit_label(c);

	emit_lookup(c, k->sums, KEY);
	emit_jump_if(c, BPF_JNE, R0, 0, found);
	for (uint32_t at = 0; at < k->size; at += 8)
		emit_store_imm(c, BPF_DW, FP, VALUE + (int)at, 0);
	emit_update(c, k->sums, KEY, VALUE);
	emit_jump_if(c, BPF_JNE, R0, 0, full);
	emit_note(c, k, NOTE_SUMS);
	emit_lookup(c, k->sums, KEY);
	emit_jump_if(c, BPF_JNE, R0, 0, found);
	emit_here(c, full);
	emit_note(c, k, NOTE_LOST);
	emit_jump(c, skip);
	emit_here(c, found);
	emit_reg(c, BPF_MOV, R7, R0);
}

/* Add the square of R8 to the 128 bits. Above 2^32 ns, the lowest 16 bits do not matter. */
static void emit_square(struct emit *c)
{
	int large = emit_label(c), add = emit_label(c), done = emit_label(c);

	emit_reg(c, BPF_MOV, R1, R8);
	emit_reg(c, BPF_MOV, R2, R8);
	emit_imm(c, BPF_RSH, R2, 32);
	emit_jump_if(c, BPF_JNE, R2, 0, large);
	emit_reg(c, BPF_MUL, R1, R1);
	emit_jump(c, add);
	emit_here(c, large);
	emit_imm(c, BPF_RSH, R1, 16);
	emit_reg(c, BPF_MUL, R1, R1);
	emit_reg(c, BPF_MOV, R2, R1);
	emit_imm(c, BPF_RSH, R2, 32);
	emit_imm(c, BPF_LSH, R1, 32);
	emit_here(c, add);
	emit_add_to(c, R7, SUM(squares_low), R1, R3);
	emit_jump_reg(c, BPF_JGE, R3, R1, done);
	emit_imm(c, BPF_ADD, R2, 1); /* carry */
	emit_here(c, done);
	emit_add_to(c, R7, SUM(squares_high), R2, R3);
}

/* buckets[bits of R8 / 1000]++ */
static void emit_bucket(struct emit *c)
{
	int zero = emit_label(c), fits = emit_label(c);

	emit_reg(c, BPF_MOV, R1, R8);
	emit_imm(c, BPF_DIV, R1, 1000);
	emit_imm(c, BPF_MOV, R2, 0);
	emit_jump_if(c, BPF_JEQ, R1, 0, zero);
	for (int bits = 32; bits; bits /= 2) {
		int less = emit_label(c);

		emit_reg(c, BPF_MOV, R3, R1);
		emit_imm(c, BPF_RSH, R3, bits);
		emit_jump_if(c, BPF_JEQ, R3, 0, less);
		emit_imm(c, BPF_ADD, R2, bits);
		emit_reg(c, BPF_MOV, R1, R3);
		emit_here(c, less);
	}
	emit_imm(c, BPF_ADD, R2, 1);
	emit_here(c, zero);
	emit_jump_if(c, BPF_JLT, R2, CALL_BUCKETS, fits);
	emit_imm(c, BPF_MOV, R2, CALL_BUCKETS - 1);
	emit_here(c, fits);
	emit_imm(c, BPF_LSH, R2, 2);
	emit_reg(c, BPF_ADD, R2, R7);
	emit_load(c, BPF_W, R1, R2, SUM(buckets));
	emit_imm(c, BPF_ADD, R1, 1);
	emit_store(c, BPF_W, R2, SUM(buckets), R1);
}

/* Count the result in R9 if it is an error. */
static void emit_error(struct emit *c, const struct call_counter *k)
{
	int skip = emit_label(c), found = emit_label(c), full = emit_label(c);

	emit_jump_if(c, BPF_JSGE, R9, 0, skip);
	emit_jump_if(c, BPF_JSLT, R9, -4095, skip);
	emit_imm(c, BPF_MOV, R1, 1);
	emit_add_to(c, R7, SUM(errors), R1, R2);
	if (k->codes >= 0) {
		emit_imm(c, BPF_NEG, R9, 0);
		emit_store(c, BPF_W, FP, CODE, R9);
		emit_lookup(c, k->codes, KEY);
		emit_jump_if(c, BPF_JNE, R0, 0, found);
		emit_store_imm(c, BPF_DW, FP, ONE, 1);
		emit_update(c, k->codes, KEY, ONE);
		emit_jump_if(c, BPF_JNE, R0, 0, full);
		emit_note(c, k, NOTE_CODES);
		emit_jump(c, skip);
		emit_here(c, full);
		emit_note(c, k, NOTE_LOST);
		emit_jump(c, skip);
		emit_here(c, found);
		emit_imm(c, BPF_MOV, R1, 1);
		emit_add_to(c, R0, 0, R1, R2);
	}
	emit_here(c, skip);
}

/* ---- programs ---- */

/* Arguments of the tracepoint: registers, number. */
static void emit_enter(struct emit *c, const struct call_counter *k)
{
	int skip = emit_label(c), create = emit_label(c);

	emit_load(c, BPF_DW, R7, R1, 8);
	emit_only(c, k->calls, R7, skip);
	emit_thread_id(c, &k->threads, skip);
	emit_thread(c, &k->threads, skip);
	if (k->opts.threads.everyone)
		emit_jump_if(c, BPF_JEQ, R0, 0, create);
	emit_reg(c, BPF_MOV, R8, R0);
	emit_call(c, BPF_FUNC_ktime_get_ns);
	emit_store(c, BPF_DW, R8, THREAD(entered), R0);
	emit_store(c, BPF_DW, R8, THREAD(number), R7);
	emit_here(c, skip);
	emit_return(c, 0);
	if (!k->opts.threads.everyone)
		return;
	emit_here(c, create);
	emit_call(c, BPF_FUNC_ktime_get_ns);
	emit_store(c, BPF_DW, FP, STATE + THREAD(entered), R0);
	emit_store(c, BPF_DW, FP, STATE + THREAD(number), R7);
	emit_store_imm(c, BPF_DW, FP, STATE + THREAD(kind), THREAD_WATCHED);
	emit_update(c, k->threads.map, ID, STATE);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_note(c, k, NOTE_LOST);
	emit_return(c, 0);
}

/*
 * For an exit whose entry we did not see: R7 = the number of the call, from the registers at R6; R8 = 0; R6 = 1.
 */
static void emit_unentered(struct emit *c, const struct call_counter *k, int skip)
{
	const struct arch *here = arch_native();

	if (!here || !here->syscall_size) {
		emit_jump(c, skip);
		return;
	}
	emit_reg(c, BPF_MOV, R1, FP);
	emit_imm(c, BPF_ADD, R1, ONE);
	emit_imm(c, BPF_MOV, R2, here->syscall_size);
	emit_load(c, BPF_DW, R3, R6, 0);
	emit_imm(c, BPF_ADD, R3, here->syscall_at);
	emit_call(c, BPF_FUNC_probe_read_kernel);
	emit_jump_if(c, BPF_JNE, R0, 0, skip);
	emit_load(c, here->syscall_size == 4 ? BPF_W : BPF_DW, R7, FP, ONE);
	emit_imm(c, BPF_LSH, R7, 32);
	emit_imm(c, BPF_ARSH, R7, 32);
	emit_jump_if(c, BPF_JSLT, R7, 0, skip);
	emit_only(c, k->calls, R7, skip);
	emit_imm(c, BPF_MOV, R8, 0);
	emit_imm(c, BPF_MOV, R6, 1);
}

/* R7: the sum; R8: the time in ns; R6: 1 if the entry was not seen. */
static void emit_add_call(struct emit *c, const struct call_counter *k)
{
	int least = emit_label(c), no_least = emit_label(c), no_most = emit_label(c);

	emit_load(c, BPF_DW, R1, R7, SUM(n));
	emit_jump_if(c, BPF_JEQ, R1, 0, least);
	emit_load(c, BPF_DW, R2, R7, SUM(min_ns));
	emit_jump_reg(c, BPF_JGE, R8, R2, no_least);
	emit_here(c, least);
	emit_store(c, BPF_DW, R7, SUM(min_ns), R8);
	emit_here(c, no_least);
	emit_imm(c, BPF_ADD, R1, 1);
	emit_store(c, BPF_DW, R7, SUM(n), R1);
	emit_add_to(c, R7, SUM(unentered), R6, R1);
	emit_add_to(c, R7, SUM(total_ns), R8, R1);
	emit_load(c, BPF_DW, R1, R7, SUM(max_ns));
	emit_jump_reg(c, BPF_JLE, R8, R1, no_most);
	emit_store(c, BPF_DW, R7, SUM(max_ns), R8);
	emit_here(c, no_most);
	emit_square(c);
	if (k->opts.histogram)
		emit_bucket(c);
	emit_error(c, k);
}

/* Arguments of the tracepoint: registers, result. */
static void emit_leave(struct emit *c, const struct call_counter *k)
{
	int skip = emit_label(c), unentered = emit_label(c), known = emit_label(c);

	emit_reg(c, BPF_MOV, R6, R1);
	emit_load(c, BPF_DW, R9, R1, 8);
	emit_thread_id(c, &k->threads, skip);
	emit_thread(c, &k->threads, skip);
	emit_jump_if(c, BPF_JEQ, R0, 0, unentered);
	emit_load(c, BPF_DW, R8, R0, THREAD(entered));
	emit_load(c, BPF_DW, R7, R0, THREAD(number));
	emit_store_imm(c, BPF_DW, R0, THREAD(entered), 0);
	emit_jump_if(c, BPF_JEQ, R8, 0, unentered);
	emit_call(c, BPF_FUNC_ktime_get_ns);
	emit_reg(c, BPF_SUB, R0, R8);
	emit_reg(c, BPF_MOV, R8, R0);
	emit_imm(c, BPF_MOV, R6, 0);
	emit_jump(c, known);
	emit_here(c, unentered);
	emit_unentered(c, k, skip);
	emit_here(c, known);
	if (k->cpus >= 0)
		emit_call(c, BPF_FUNC_get_smp_processor_id);
	emit_only(c, k->cpus, R0, skip);
	emit_whose(c, k);
	emit_store(c, BPF_W, FP, NUMBER, R7);
	emit_sum(c, k, skip);
	emit_add_call(c, k);
	emit_here(c, skip);
	emit_return(c, 0);
}

/*
 * A thread ends during a call: in exit, or in the call in which it slept when its process was
 * killed.
 */
static void emit_at_end(struct emit *c, void *of)
{
	const struct call_counter *k = of;
	int skip = emit_label(c);

	emit_load(c, BPF_DW, R1, R8, THREAD(entered));
	emit_jump_if(c, BPF_JEQ, R1, 0, skip);
	emit_whose(c, k);
	emit_store_imm(c, BPF_W, FP, NUMBER, CALL_NEVER_RETURNED);
	emit_sum(c, k, skip);
	emit_imm(c, BPF_MOV, R1, 1);
	emit_add_to(c, R7, SUM(n), R1, R2);
	emit_here(c, skip);
}

/* ---- opening ---- */

static int keep(struct call_counter *k, int fd)
{
	if (fd >= 0)
		vec_push(&k->fds, fd);
	return fd;
}

/* Make a map of truth values. Set *map to -1 if it is not needed. */
static int map_of(struct call_counter *k, const char *name, const bool *set, unsigned n, int *map, struct err *e)
{
	*map = -1;
	if (!set)
		return 0;
	*map = keep(k, bpf_map(BPF_MAP_TYPE_ARRAY, name, 4, 4, n, e));
	for (uint32_t i = 0; *map >= 0 && i < n; i++) {
		uint32_t yes = set[i];

		if (yes && bpf_put(*map, &i, &yes) < 0)
			return err_sys(e, "cannot fill a BPF map");
	}
	return MIN(*map, 0);
}

static int attach(struct call_counter *k, const char *tracepoint,
		  void (*emit)(struct emit *, const struct call_counter *), int *program, struct err *e)
{
	struct emit c = { 0 };
	int link;

	emit(&c, k);
	*program = keep(k, bpf_load(BPF_PROG_TYPE_RAW_TRACEPOINT, tracepoint, &c, e));
	emit_release(&c);
	if (*program < 0)
		return -1;
	link = bpf_attach_raw(*program, tracepoint, e);
	if (link >= 0)
		vec_push(&k->links, link);
	return link;
}

struct call_counter *call_counter_open(const struct call_counter_opts *opts, struct err *e)
{
	struct call_counter *k = xcalloc(1, sizeof(*k));
	struct bpf_threads_opts threads = opts->threads;

	k->opts = *opts;
	k->size = opts->histogram ? sizeof(struct call_count) : offsetof(struct call_count, buckets);
	k->codes = -1;
	threads.at_end = emit_at_end;
	threads.of = k;
	if ((k->notes = keep(k, bpf_map(BPF_MAP_TYPE_ARRAY, "notes", 4, 8, NOTES, e))) < 0 ||
	    (k->sums = keep(k, bpf_map(BPF_MAP_TYPE_HASH, "sums", sizeof(struct sum_key), k->size, SUMS_MOST, e))) <
		    0 ||
	    (opts->codes && (k->codes = keep(k, bpf_map(BPF_MAP_TYPE_HASH, "codes", sizeof(struct code_key), 8,
							CODES_MOST, e))) < 0) ||
	    map_of(k, "calls", opts->calls, opts->n_calls, &k->calls, e) < 0 ||
	    map_of(k, "cpus", opts->cpus, opts->n_cpus, &k->cpus, e) < 0 ||
	    bpf_threads_open(&k->threads, &threads, e) < 0 || attach(k, "sys_exit", emit_leave, &k->leave, e) < 0 ||
	    attach(k, "sys_enter", emit_enter, &k->enter, e) < 0) {
		call_counter_close(k);
		return NULL;
	}
	return k;
}

void call_counter_stop(struct call_counter *k)
{
	for (size_t i = 0; i < k->links.len; i++)
		close(k->links.items[i]);
	vec_clear(&k->links);
}

void call_counter_close(struct call_counter *k)
{
	if (!k)
		return;
	call_counter_stop(k);
	bpf_threads_release(&k->threads);
	for (size_t i = 0; i < k->fds.len; i++)
		close(k->fds.items[i]);
	vec_free(&k->links);
	vec_free(&k->fds);
	free(k);
}

/* ---- reading ---- */

static uint64_t note(const struct call_counter *k, uint32_t which)
{
	uint64_t value = 0;

	bpf_get(k->notes, &which, &value);
	return value;
}

uint64_t call_counter_lost(const struct call_counter *k)
{
	return note(k, NOTE_LOST) + bpf_misses(k->enter) + bpf_misses(k->leave);
}

static void forget_note(struct call_counter *k, uint32_t which, uint64_t n)
{
	uint64_t value = note(k, which);

	value -= MIN(value, n);
	bpf_put(k->notes, &which, &value);
}

/*
 * Walk a map whose keys begin with the tid. Hand on and remove the entries of ended threads, or
 * all.
 */
static void walk(struct call_counter *k, int map, uint32_t which, bool all, void (*give)(void *walker, const void *key),
		 void *walker)
{
	struct code_key key, next;
	struct bpf_thread alive;
	uint64_t n = 0;
	bool more = bpf_next(map, NULL, &key) == 0;

	while (more) {
		more = bpf_next(map, &key, &next) == 0;
		if (all || bpf_get(k->threads.map, &key.tid, &alive) < 0) {
			give(walker, &key);
			bpf_drop(map, &key);
			n++;
		}
		key = next;
	}
	forget_note(k, which, n);
}

struct giver {
	const struct call_counter *counter;
	void (*each)(void *of, int32_t tid, int32_t number, const struct call_count *count);
	void (*each_error)(void *of, int32_t tid, int32_t number, int32_t code, uint64_t n);
	void *of;
};

static void give_sum(void *of, const void *key)
{
	const struct giver *g = of;
	const struct sum_key *sum = key;
	struct call_count count = { 0 };

	if (bpf_get(g->counter->sums, key, &count) == 0)
		g->each(g->of, sum->tid, sum->number, &count);
}

static void give_code(void *of, const void *key)
{
	const struct giver *g = of;
	const struct code_key *code = key;
	uint64_t n;

	if (bpf_get(g->counter->codes, key, &n) == 0)
		g->each_error(g->of, code->tid, code->number, code->code, n);
}

/* Hand on the threads that are in a call now. */
static void give_open(const struct giver *g)
{
	const struct call_count one = { .n = 1 };
	struct bpf_thread thread;
	int32_t tid, next;
	bool more = bpf_next(g->counter->threads.map, NULL, &tid) == 0;

	for (; more; tid = next) {
		more = bpf_next(g->counter->threads.map, &tid, &next) == 0;
		if (bpf_get(g->counter->threads.map, &tid, &thread) == 0 && thread.entered &&
		    thread.kind == THREAD_WATCHED)
			g->each(g->of, tid, CALL_NEVER_RETURNED, &one);
	}
}

void call_counter_take(struct call_counter *k, bool all,
		       void (*each)(void *of, int32_t tid, int32_t number, const struct call_count *count),
		       void (*each_error)(void *of, int32_t tid, int32_t number, int32_t code, uint64_t n), void *of)
{
	struct giver g = { k, each, each_error, of };

	if (k->opts.by_cgroup && !all)
		return; /* control groups do not end */
	if (all || note(k, NOTE_SUMS) > SUMS_MOST / 4)
		walk(k, k->sums, NOTE_SUMS, all, give_sum, &g);
	if (k->codes >= 0 && (all || note(k, NOTE_CODES) > CODES_MOST / 4))
		walk(k, k->codes, NOTE_CODES, all, give_code, &g);
	if (all && !k->opts.by_cgroup)
		give_open(&g);
}
