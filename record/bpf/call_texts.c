#include "record/bpf/call_texts.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "events/events.h"
#include "record/bpf/threads_priv.h"

/* Drop old copies when so many (WAITING_MOST) wait without being asked for. */
enum { RING_SIZE = 8 << 20, WAITING_MOST = 1 << 16, OPEN_MOST = 16384 };
/* Count at most this many pointers. */
enum { NUMBER_MOST = 256 };
/* Places on the stack. */
enum { ID = -4, WORD = -8, POINTER = -16, LIST = -24, OPEN = -24 - 56 };
#define AT(member) ((int)offsetof(struct call_text_record, member))

/* The record as the program writes it; the last copy is cut to its length. */
struct call_text_record {
	uint64_t time;
	uint64_t args[6];
	int64_t result;
	int32_t tid;
	int32_t len[COPIES_MOST];
	char bytes[COPIES_MOST][COPY_SIZE];
};

/* A call whose copies are made when it returns; the key is the thread's id. */
struct open_call {
	uint64_t number, args[6];
};
#define OPEN_AT(member) (OPEN + (int)offsetof(struct open_call, member))

/* The copies of one thread in time order. */
struct text_queue {
	VEC(struct call_text *);
	size_t first;
};

struct call_texts {
	struct bpf_threads threads;
	VEC(int) fds;
	int entered, left, scratch, ring; /* maps of what to copy, at entries and at exits */
	int open;
	/*
	 * the ring: our position, the kernel's position, its bytes (mapped twice, one behind the
	 * other)
	 */
	uint64_t *consumer;
	const uint64_t *producer;
	const uint8_t *data;
	struct u64map queue_of; /* tid to index + 1 */
	VEC(struct text_queue) queues;
	size_t waiting;
	struct call_text found;
};

/* ---- programs ---- */

/* R6: the event; R7: the length of the last copy; R8: the record; R9: struct call_copies. */

/* R1 = the address of the argument in the record. */
static void emit_argument(struct emit *c, int copy)
{
	emit_load(c, BPF_B, R1, R9, copy + (int)offsetof(struct call_copy, argument));
	emit_imm(c, BPF_AND, R1, 7);
	emit_imm(c, BPF_LSH, R1, 3);
	emit_reg(c, BPF_ADD, R1, R8);
}

/* R5 = the number of items; jump to `sized` if no number is wanted. */
static void emit_count(struct emit *c, int copy, int sized, int failed)
{
	int counted = emit_label(c), result = emit_label(c), done = emit_label(c);

	emit_load(c, BPF_B, R5, R9, copy + (int)offsetof(struct call_copy, kind));
	emit_jump_if(c, BPF_JEQ, R5, COPY_SIZED, sized);
	emit_jump_if(c, BPF_JEQ, R5, COPY_RESULT, result);
	emit_argument(c, copy);
	emit_jump_if(c, BPF_JEQ, R5, COPY_COUNTED, counted);
	emit_load(c, BPF_DW, R3, R1, AT(args) + 8);
	emit_reg(c, BPF_MOV, R1, FP);
	emit_imm(c, BPF_ADD, R1, WORD);
	emit_imm(c, BPF_MOV, R2, 4);
	emit_call(c, BPF_FUNC_probe_read_user);
	emit_jump_if(c, BPF_JNE, R0, 0, failed);
	emit_load(c, BPF_W, R5, FP, WORD);
	emit_jump(c, done);
	emit_here(c, counted);
	emit_load(c, BPF_DW, R5, R1, AT(args) + 8);
	emit_jump(c, done);
	emit_here(c, result);
	emit_load(c, BPF_DW, R5, R8, AT(result));
	emit_here(c, done);
}

/* R2 = bytes of the copy, at most COPY_SIZE. */
static void emit_size(struct emit *c, int copy, int failed)
{
	int fits = emit_label(c), sized = emit_label(c), known = emit_label(c);

	emit_count(c, copy, sized, failed);
	emit_load(c, BPF_H, R2, R9, copy + (int)offsetof(struct call_copy, unit));
	emit_jump_if(c, BPF_JLE, R5, COPY_SIZE, known);
	emit_imm(c, BPF_MOV, R5, COPY_SIZE);
	emit_here(c, known);
	emit_reg(c, BPF_MUL, R2, R5);
	known = emit_label(c);
	emit_jump(c, known);
	emit_here(c, sized);
	emit_load(c, BPF_H, R2, R9, copy + (int)offsetof(struct call_copy, unit));
	emit_here(c, known);
	emit_load(c, BPF_H, R4, R9, copy + (int)offsetof(struct call_copy, most));
	emit_jump_reg(c, BPF_JLE, R2, R4, fits);
	emit_reg(c, BPF_MOV, R2, R4);
	emit_here(c, fits);
	fits = emit_label(c);
	emit_jump_if(c, BPF_JLE, R2, COPY_SIZE, fits);
	emit_imm(c, BPF_MOV, R2, COPY_SIZE);
	emit_here(c, fits);
}

/*
 * R7 = the length of the copies of a list of pointers, which go to offset `at` of the record; 1
 * more at the end of the list.
 */
static void emit_texts(struct emit *c, int copy, int at, int room)
{
	int done = emit_label(c), all = emit_label(c);

	emit_argument(c, copy);
	emit_load(c, BPF_DW, R3, R1, AT(args));
	emit_store(c, BPF_DW, FP, LIST, R3);
	emit_imm(c, BPF_MOV, R7, 0);
	for (int i = 0; i < room / COPY_TEXT_SIZE; i++) {
		emit_reg(c, BPF_MOV, R1, FP);
		emit_imm(c, BPF_ADD, R1, POINTER);
		emit_imm(c, BPF_MOV, R2, 8);
		emit_load(c, BPF_DW, R3, FP, LIST);
		emit_imm(c, BPF_ADD, R3, 8 * i);
		emit_call(c, BPF_FUNC_probe_read_user);
		emit_jump_if(c, BPF_JNE, R0, 0, done);
		emit_load(c, BPF_DW, R3, FP, POINTER);
		emit_jump_if(c, BPF_JEQ, R3, 0, all);
		emit_reg(c, BPF_MOV, R1, R8);
		emit_imm(c, BPF_ADD, R1, at + i * COPY_TEXT_SIZE);
		emit_imm(c, BPF_MOV, R2, COPY_TEXT_SIZE);
		emit_call(c, BPF_FUNC_probe_read_user_str);
		emit_jump_if(c, BPF_JSLT, R0, 0, done);
		emit_imm(c, BPF_MOV, R7, (i + 1) * COPY_TEXT_SIZE);
	}
	emit_jump(c, done);
	emit_here(c, all);
	emit_imm(c, BPF_ADD, R7, 1);
	emit_here(c, done);
}

/* len[i] = the number of pointers of a list, up to NULL; -1: too many, or they cannot be read. Changes R7. */
static void emit_number(struct emit *c, int i)
{
	int next = emit_label(c), all = emit_label(c), failed = emit_label(c);

	emit_argument(c, i * (int)sizeof(struct call_copy));
	emit_load(c, BPF_DW, R3, R1, AT(args));
	emit_store(c, BPF_DW, FP, LIST, R3);
	emit_imm(c, BPF_MOV, R7, 0);
	emit_here(c, next);
	emit_reg(c, BPF_MOV, R1, FP);
	emit_imm(c, BPF_ADD, R1, POINTER);
	emit_imm(c, BPF_MOV, R2, 8);
	emit_load(c, BPF_DW, R3, FP, LIST);
	emit_call(c, BPF_FUNC_probe_read_user);
	emit_jump_if(c, BPF_JNE, R0, 0, failed);
	emit_load(c, BPF_DW, R3, FP, POINTER);
	emit_jump_if(c, BPF_JEQ, R3, 0, all);
	emit_load(c, BPF_DW, R3, FP, LIST);
	emit_imm(c, BPF_ADD, R3, 8);
	emit_store(c, BPF_DW, FP, LIST, R3);
	emit_imm(c, BPF_ADD, R7, 1);
	emit_jump_if(c, BPF_JLE, R7, NUMBER_MOST, next);
	emit_here(c, failed);
	emit_imm(c, BPF_MOV, R7, -1);
	emit_here(c, all);
	emit_store(c, BPF_W, R8, AT(len) + 4 * i, R7);
}

/* Copy bytes or one text: R7 = its length; jump to `failed` if it cannot be read. */
static void emit_one(struct emit *c, int copy, int at, int failed)
{
	int text = emit_label(c), done = emit_label(c);

	emit_load(c, BPF_B, R1, R9, copy + (int)offsetof(struct call_copy, kind));
	emit_jump_if(c, BPF_JEQ, R1, COPY_TEXT, text);
	emit_size(c, copy, failed);
	emit_reg(c, BPF_MOV, R7, R2);
	emit_argument(c, copy);
	emit_load(c, BPF_DW, R3, R1, AT(args));
	emit_reg(c, BPF_MOV, R1, R8);
	emit_imm(c, BPF_ADD, R1, at);
	emit_reg(c, BPF_MOV, R2, R7);
	emit_call(c, BPF_FUNC_probe_read_user);
	emit_jump_if(c, BPF_JEQ, R0, 0, done);
	emit_jump(c, failed);
	emit_here(c, text);
	emit_argument(c, copy);
	emit_load(c, BPF_DW, R3, R1, AT(args));
	emit_reg(c, BPF_MOV, R1, R8);
	emit_imm(c, BPF_ADD, R1, at);
	emit_imm(c, BPF_MOV, R2, COPY_SIZE);
	emit_call(c, BPF_FUNC_probe_read_user_str);
	emit_reg(c, BPF_MOV, R7, R0);
	emit_jump_if(c, BPF_JGT, R7, COPY_SIZE, failed);
	emit_here(c, done);
}

/*
 * If copy i is a list of pointers, copy it and jump to `send`. The length of a second list may be
 * wanted too.
 */
static void emit_list(struct emit *c, int i, int send)
{
	int copy = i * (int)sizeof(struct call_copy), at = AT(bytes) + i * COPY_SIZE;
	int room = (COPIES_MOST - i) * COPY_SIZE, last = emit_label(c);

	emit_texts(c, copy, at, room);
	emit_store(c, BPF_W, R8, AT(len) + 4 * i, R7);
	if (i + 1 < COPIES_MOST) {
		emit_load(c, BPF_B, R1, R9, copy + (int)(sizeof(struct call_copy) + offsetof(struct call_copy, kind)));
		emit_jump_if(c, BPF_JNE, R1, COPY_NUMBER, last);
		emit_number(c, i + 1);
	}
	emit_here(c, last);
	emit_imm(c, BPF_MOV, R3, at + room);
	emit_jump(c, send);
}

/* Make copy i, or jump to `send` with R3 = the size of the record if there is none. */
static void emit_copy(struct emit *c, int i, bool lists, int send)
{
	int copy = i * (int)sizeof(struct call_copy), at = AT(bytes) + i * COPY_SIZE;
	int more = emit_label(c), failed = emit_label(c), one = emit_label(c);

	emit_load(c, BPF_B, R1, R9, copy + (int)offsetof(struct call_copy, kind));
	emit_jump_if(c, BPF_JNE, R1, COPY_NONE, more);
	emit_imm(c, BPF_MOV, R3, at - (i ? COPY_SIZE : 0));
	emit_reg(c, BPF_ADD, R3, R7);
	emit_jump(c, send);
	emit_here(c, more);
	if (lists) {
		emit_jump_if(c, BPF_JNE, R1, COPY_TEXTS, one);
		emit_list(c, i, send);
	}
	emit_here(c, one);
	emit_one(c, copy, at, failed);
	emit_store(c, BPF_W, R8, AT(len) + 4 * i, R7);
	more = emit_label(c);
	emit_jump(c, more);
	emit_here(c, failed);
	emit_imm(c, BPF_MOV, R7, 0);
	emit_store_imm(c, BPF_W, R8, AT(len) + 4 * i, -1);
	emit_here(c, more);
}

/* R8 = the record, with the thread at FP + ID and the current time. */
static void emit_head(struct emit *c, const struct call_texts *t, int skip)
{
	emit_store_imm(c, BPF_W, FP, WORD, 0);
	emit_lookup(c, t->scratch, WORD);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_reg(c, BPF_MOV, R8, R0);
	emit_load(c, BPF_W, R1, FP, ID);
	emit_store(c, BPF_W, R8, AT(tid), R1);
	for (int i = 0; i < COPIES_MOST; i++)
		emit_store_imm(c, BPF_W, R8, AT(len) + 4 * i, -1);
	emit_call(c, BPF_FUNC_ktime_get_ns);
	emit_store(c, BPF_DW, R8, AT(time), R0);
}

/*
 * Copy what R9 says, and send the record. Lists of pointers take long to verify: include that code
 * only if needed.
 */
static void emit_copies(struct emit *c, const struct call_texts *t, bool lists)
{
	int send = emit_label(c);

	emit_imm(c, BPF_MOV, R7, 0);
	for (int i = 0; i < COPIES_MOST; i++)
		emit_copy(c, i, lists, send);
	emit_imm(c, BPF_MOV, R3, AT(bytes) + (COPIES_MOST - 1) * COPY_SIZE);
	emit_reg(c, BPF_ADD, R3, R7);
	emit_here(c, send);
	emit_map(c, R1, t->ring);
	emit_reg(c, BPF_MOV, R2, R8);
	emit_imm(c, BPF_MOV, R4, 0);
	emit_call(c, BPF_FUNC_ringbuf_output);
}

/*
 * R9 = what to copy of the call with the number at FP + WORD; jump to `skip` if there is nothing.
 */
static void emit_find(struct emit *c, int map, int skip)
{
	emit_lookup(c, map, WORD);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_reg(c, BPF_MOV, R9, R0);
	emit_load(c, BPF_B, R1, R9, (int)offsetof(struct call_copy, kind));
	emit_jump_if(c, BPF_JEQ, R1, COPY_NONE, skip);
}

/* Offsets of fields in the records of both tracepoints. */
struct field_places {
	int number, args, left_number, result;
};

/* Programs of tracepoints return 1, so that other users of the event get it too. */
static void emit_entry(struct emit *c, const struct call_texts *t, const struct field_places *p)
{
	int skip = emit_label(c);

	emit_reg(c, BPF_MOV, R6, R1);
	emit_load(c, BPF_DW, R1, R6, p->number);
	emit_store(c, BPF_W, FP, WORD, R1);
	emit_find(c, t->entered, skip);
	emit_thread_id(c, &t->threads, skip);
	emit_thread(c, &t->threads, skip);
	emit_head(c, t, skip);
	for (int i = 0; i < 6; i++) {
		emit_load(c, BPF_DW, R1, R6, p->args + 8 * i);
		emit_store(c, BPF_DW, R8, AT(args) + 8 * i, R1);
	}
	emit_copies(c, t, true);
	emit_here(c, skip);
	emit_return(c, 1);
}

/* Keep the arguments until the exit, whose event does not have them. */
static void emit_keep(struct emit *c, const struct call_texts *t, const struct field_places *p)
{
	int skip = emit_label(c);

	emit_reg(c, BPF_MOV, R6, R1);
	emit_load(c, BPF_DW, R7, R6, p->number);
	emit_store(c, BPF_W, FP, WORD, R7);
	emit_find(c, t->left, skip);
	emit_thread_id(c, &t->threads, skip);
	emit_thread(c, &t->threads, skip);
	emit_store(c, BPF_DW, FP, OPEN_AT(number), R7);
	for (int i = 0; i < 6; i++) {
		emit_load(c, BPF_DW, R1, R6, p->args + 8 * i);
		emit_store(c, BPF_DW, FP, OPEN_AT(args) + 8 * i, R1);
	}
	emit_update(c, t->open, ID, OPEN);
	emit_here(c, skip);
	emit_return(c, 1);
}

static void emit_exit(struct emit *c, const struct call_texts *t, const struct field_places *p)
{
	int skip = emit_label(c);

	emit_reg(c, BPF_MOV, R6, R1);
	emit_call(c, BPF_FUNC_get_current_pid_tgid);
	emit_store(c, BPF_W, FP, ID, R0);
	emit_lookup(c, t->open, ID);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_reg(c, BPF_MOV, R7, R0);
	emit_load(c, BPF_DW, R1, R6, p->result);
	emit_jump_if(c, BPF_JSLT, R1, 0, skip);
	emit_load(c, BPF_DW, R1, R7, (int)offsetof(struct open_call, number));
	emit_load(c, BPF_DW, R2, R6, p->left_number);
	emit_jump_reg(c, BPF_JNE, R1, R2, skip);
	emit_store(c, BPF_W, FP, WORD, R1);
	emit_find(c, t->left, skip);
	emit_head(c, t, skip);
	for (int i = 0; i < 6; i++) {
		emit_load(c, BPF_DW, R1, R7, (int)offsetof(struct open_call, args) + 8 * i);
		emit_store(c, BPF_DW, R8, AT(args) + 8 * i, R1);
	}
	emit_store_imm(c, BPF_DW, R7, (int)offsetof(struct open_call, number), -1); /* taken */
	emit_load(c, BPF_DW, R1, R6, p->result);
	emit_store(c, BPF_DW, R8, AT(result), R1);
	emit_copies(c, t, false);
	emit_here(c, skip);
	emit_return(c, 1);
}

/* ---- opening ---- */

static int keep(struct call_texts *t, int fd)
{
	if (fd >= 0)
		vec_push(&t->fds, fd);
	return fd;
}

static int map_ring(struct call_texts *t, struct err *e)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mine = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, t->ring, 0), *theirs;

	if (mine == MAP_FAILED)
		return err_sys(e, "cannot map a ring of BPF");
	t->consumer = mine;
	theirs = mmap(NULL, page + 2 * RING_SIZE, PROT_READ, MAP_SHARED, t->ring, (off_t)page);
	if (theirs == MAP_FAILED)
		return err_sys(e, "cannot map a ring of BPF");
	t->producer = theirs;
	t->data = (const uint8_t *)theirs + page;
	return 0;
}

static int load(struct call_texts *t, const char *event, const struct field_places *p,
		void (*emit)(struct emit *, const struct call_texts *, const struct field_places *), struct err *e)
{
	struct emit c = { 0 };
	int program;

	emit(&c, t, p);
	program = keep(t, bpf_load(BPF_PROG_TYPE_TRACEPOINT, "call_texts", &c, e));
	emit_release(&c);
	return program < 0 ? -1 : keep(t, bpf_attach(program, "raw_syscalls", event, e));
}

static int load_all(struct call_texts *t, struct err *e)
{
	struct field_places p;

	if ((p.number = bpf_field_at("raw_syscalls", "sys_enter", "id", e)) < 0 ||
	    (p.args = bpf_field_at("raw_syscalls", "sys_enter", "args[6]", e)) < 0 ||
	    (p.left_number = bpf_field_at("raw_syscalls", "sys_exit", "id", e)) < 0 ||
	    (p.result = bpf_field_at("raw_syscalls", "sys_exit", "ret", e)) < 0)
		return -1;
	return load(t, "sys_exit", &p, emit_exit, e) < 0 || load(t, "sys_enter", &p, emit_keep, e) < 0 ||
			       load(t, "sys_enter", &p, emit_entry, e) < 0
		       ? -1
		       : 0;
}

/* Make a map that says what to copy, by number of the call. */
static int copies_map(struct call_texts *t, const char *name, const struct call_copies *copies, unsigned n,
		      struct err *e)
{
	int map = keep(t, bpf_map(BPF_MAP_TYPE_ARRAY, name, 4, sizeof(*copies), n, e));

	for (uint32_t i = 0; map >= 0 && i < n; i++)
		if (copies[i].args[0].kind != COPY_NONE && bpf_put(map, &i, &copies[i]) < 0)
			return err_sys(e, "cannot fill a BPF map");
	return map;
}

struct call_texts *call_texts_open(const struct bpf_threads_opts *threads, const struct call_copies *entered,
				   const struct call_copies *left, unsigned n_calls, struct err *e)
{
	struct call_texts *t = xcalloc(1, sizeof(*t));

	if ((t->entered = copies_map(t, "entered", entered, n_calls, e)) >= 0 &&
	    (t->left = copies_map(t, "left", left, n_calls, e)) >= 0 &&
	    (t->open = keep(t, bpf_map(BPF_MAP_TYPE_LRU_HASH, "open", 4, sizeof(struct open_call), OPEN_MOST, e))) >=
		    0 &&
	    (t->scratch = keep(t, bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY, "scratch", 4, sizeof(struct call_text_record), 1,
					  e))) >= 0 &&
	    (t->ring = keep(t, bpf_map(BPF_MAP_TYPE_RINGBUF, "texts", 0, 0, RING_SIZE, e))) >= 0 &&
	    map_ring(t, e) == 0 && bpf_threads_open(&t->threads, threads, e) == 0 && load_all(t, e) >= 0)
		return t;
	call_texts_close(t);
	return NULL;
}

static void clear_queues(struct call_texts *t)
{
	for (size_t i = 0; i < t->queues.len; i++) {
		struct text_queue *q = &t->queues.items[i];

		for (size_t k = q->first; k < q->len; k++)
			free(q->items[k]);
		vec_free(q);
	}
	vec_free(&t->queues);
	u64map_free(&t->queue_of);
	t->waiting = 0;
}

void call_texts_close(struct call_texts *t)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!t)
		return;
	for (size_t i = t->fds.len; i-- > 0;)
		close(t->fds.items[i]);
	bpf_threads_release(&t->threads);
	if (t->consumer)
		munmap(t->consumer, page);
	if (t->producer)
		munmap((void *)(uintptr_t)t->producer, page + 2 * RING_SIZE);
	clear_queues(t);
	vec_free(&t->fds);
	free(t);
}

/* ---- reading ---- */

static struct text_queue *queue_of(struct call_texts *t, int32_t tid)
{
	uint32_t *at = u64map_put(&t->queue_of, (uint32_t)tid, NULL);

	if (!*at) {
		vec_push(&t->queues, (struct text_queue){ 0 });
		*at = (uint32_t)t->queues.len;
	}
	return &t->queues.items[*at - 1];
}

static void take(struct call_texts *t, const uint8_t *record, size_t len)
{
	struct call_text_record r;
	struct call_text *text;

	if (len < (size_t)AT(bytes) || len > sizeof(r))
		return;
	if (t->waiting >= WAITING_MOST || t->queues.len > WAITING_MOST)
		clear_queues(t);
	t->waiting++; /* only now: clear_queues() sets it to 0 */
	memcpy(&r, record, len);
	text = xmalloc(sizeof(*text));
	text->time = r.time;
	text->tid = r.tid;
	memcpy(text->len, r.len, sizeof(r.len));
	memcpy(text->bytes, r.bytes, len - (size_t)AT(bytes));
	vec_push(queue_of(t, r.tid), text);
}

/* Source: linux/bpf.h, "BPF ring buffer constants"; Documentation/bpf/ringbuf.rst. */
static void drain(struct call_texts *t)
{
	uint64_t at = *t->consumer, end = __atomic_load_n(t->producer, __ATOMIC_ACQUIRE);

	while (at < end) {
		const uint8_t *head = t->data + (at & (RING_SIZE - 1));
		uint32_t len = __atomic_load_n((const uint32_t *)(const void *)head, __ATOMIC_ACQUIRE);

		if (len & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(len & BPF_RINGBUF_DISCARD_BIT))
			take(t, head + BPF_RINGBUF_HDR_SZ, len);
		len &= ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		at += (BPF_RINGBUF_HDR_SZ + len + 7u) & ~7u;
		__atomic_store_n(t->consumer, at, __ATOMIC_RELEASE);
	}
}

const struct call_text *call_texts_find(struct call_texts *t, int32_t tid, uint64_t since, uint64_t time)
{
	struct text_queue *q;
	bool found = false;

	drain(t);
	q = queue_of(t, tid);
	while (q->first < q->len && q->items[q->first]->time <= time) {
		struct call_text *text = q->items[q->first++];

		if (text->time > since) {
			t->found = *text;
			found = true;
		}
		free(text);
		t->waiting--;
	}
	if (q->first == q->len) {
		vec_clear(q);
		q->first = 0;
	}
	return found ? &t->found : NULL;
}
