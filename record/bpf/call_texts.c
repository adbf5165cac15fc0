#include "record/bpf/call_texts.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "events/events.h"

/* Copies that nobody asks for are dropped when there are so many. */
enum { RING_SIZE = 8 << 20, WAITING_MOST = 1 << 16 };
/* Places on the stack. */
enum { ID = -4, WORD = -8 };
#define AT(member) ((int)offsetof(struct call_text_record, member))

/* As the program writes it; the last copy is cut to its length. */
struct call_text_record {
	uint64_t time;
	uint64_t args[6];
	int32_t tid;
	int32_t len[COPIES_MOST];
	char bytes[COPIES_MOST][COPY_SIZE];
};

/* Copies of one thread, by time. */
struct text_queue {
	VEC(struct call_text *);
	size_t first;
};

struct call_texts {
	struct bpf_threads threads;
	VEC(int) fds;
	int copies, scratch, ring;
	/* the ring: where we are, where the kernel is, its bytes (twice, one after the other) */
	uint64_t *consumer;
	const uint64_t *producer;
	const uint8_t *data;
	struct u64map queue_of; /* tid to index + 1 */
	VEC(struct text_queue) queues;
	size_t waiting;
	struct call_text found;
};

/* ---- the program; R6: the event, R7: the length of the last copy, R8: the record, R9: struct call_copies ---- */

/* R2 = bytes of the copy i, at most COPY_SIZE; R3 = the address. */
static void emit_sized(struct emit *c, int copy, int counted)
{
	int fits = emit_label(c), size = emit_label(c), known = emit_label(c);

	emit_load(c, BPF_H, R4, R9, copy + (int)offsetof(struct call_copy, most));
	emit_load(c, BPF_H, R2, R9, copy + (int)offsetof(struct call_copy, unit));
	emit_load(c, BPF_B, R5, R9, copy + (int)offsetof(struct call_copy, kind));
	emit_jump_if(c, BPF_JNE, R5, COPY_COUNTED, size);
	emit_load(c, BPF_DW, R5, R1, counted);
	emit_jump_if(c, BPF_JLE, R5, COPY_SIZE, known);
	emit_imm(c, BPF_MOV, R5, COPY_SIZE);
	emit_here(c, known);
	emit_reg(c, BPF_MUL, R2, R5);
	emit_here(c, size);
	emit_jump_reg(c, BPF_JLE, R2, R4, fits);
	emit_reg(c, BPF_MOV, R2, R4);
	emit_here(c, fits);
	fits = emit_label(c);
	emit_jump_if(c, BPF_JLE, R2, COPY_SIZE, fits);
	emit_imm(c, BPF_MOV, R2, COPY_SIZE);
	emit_here(c, fits);
}

/* Copy i, or jump to `send` with R3 = the size of the record. */
static void emit_copy(struct emit *c, int i, int send)
{
	int copy = i * (int)sizeof(struct call_copy), at = AT(bytes) + i * COPY_SIZE;
	int more = emit_label(c), text = emit_label(c), done = emit_label(c), failed = emit_label(c);

	emit_load(c, BPF_B, R1, R9, copy + (int)offsetof(struct call_copy, kind));
	emit_jump_if(c, BPF_JNE, R1, COPY_NONE, more);
	emit_imm(c, BPF_MOV, R3, at - (i ? COPY_SIZE : 0));
	emit_reg(c, BPF_ADD, R3, R7);
	emit_jump(c, send);
	emit_here(c, more);
	emit_reg(c, BPF_MOV, R5, R1);
	emit_load(c, BPF_B, R1, R9, copy + (int)offsetof(struct call_copy, argument));
	emit_imm(c, BPF_AND, R1, 7);
	emit_imm(c, BPF_LSH, R1, 3);
	emit_reg(c, BPF_ADD, R1, R8);
	emit_load(c, BPF_DW, R3, R1, AT(args));
	emit_jump_if(c, BPF_JEQ, R5, COPY_TEXT, text);
	emit_sized(c, copy, AT(args) + 8);
	emit_reg(c, BPF_MOV, R1, R8);
	emit_imm(c, BPF_ADD, R1, at);
	emit_reg(c, BPF_MOV, R7, R2);
	emit_call(c, BPF_FUNC_probe_read_user);
	emit_jump_if(c, BPF_JEQ, R0, 0, done);
	emit_jump(c, failed);
	emit_here(c, text);
	emit_reg(c, BPF_MOV, R1, R8);
	emit_imm(c, BPF_ADD, R1, at);
	emit_imm(c, BPF_MOV, R2, COPY_SIZE);
	emit_call(c, BPF_FUNC_probe_read_user_str);
	emit_reg(c, BPF_MOV, R7, R0);
	emit_jump_if(c, BPF_JLE, R7, COPY_SIZE, done);
	emit_here(c, failed);
	emit_imm(c, BPF_MOV, R7, 0);
	emit_store_imm(c, BPF_W, R8, AT(len) + 4 * i, -1);
	more = emit_label(c);
	emit_jump(c, more);
	emit_here(c, done);
	emit_store(c, BPF_W, R8, AT(len) + 4 * i, R7);
	emit_here(c, more);
}

/* R8 = the record, with what is known of the call. */
static void emit_head(struct emit *c, const struct call_texts *t, int args, int skip)
{
	emit_store_imm(c, BPF_W, FP, WORD, 0);
	emit_lookup(c, t->scratch, WORD);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_reg(c, BPF_MOV, R8, R0);
	for (int i = 0; i < 6; i++) {
		emit_load(c, BPF_DW, R1, R6, args + 8 * i);
		emit_store(c, BPF_DW, R8, AT(args) + 8 * i, R1);
	}
	emit_load(c, BPF_W, R1, FP, ID);
	emit_store(c, BPF_W, R8, AT(tid), R1);
	for (int i = 0; i < COPIES_MOST; i++)
		emit_store_imm(c, BPF_W, R8, AT(len) + 4 * i, -1);
	emit_call(c, BPF_FUNC_ktime_get_ns);
	emit_store(c, BPF_DW, R8, AT(time), R0);
}

/* `number`, `args`: offsets in the tracepoint's record. It returns 1: other users of the event get it, too. */
static void emit_program(struct emit *c, const struct call_texts *t, int number, int args)
{
	int skip = emit_label(c), send = emit_label(c);

	emit_reg(c, BPF_MOV, R6, R1);
	emit_load(c, BPF_DW, R1, R6, number);
	emit_store(c, BPF_W, FP, WORD, R1);
	emit_lookup(c, t->copies, WORD);
	emit_jump_if(c, BPF_JEQ, R0, 0, skip);
	emit_reg(c, BPF_MOV, R9, R0);
	emit_load(c, BPF_B, R1, R9, (int)offsetof(struct call_copy, kind));
	emit_jump_if(c, BPF_JEQ, R1, COPY_NONE, skip);
	emit_thread_id(c, &t->threads, skip);
	emit_thread(c, &t->threads, skip);
	emit_head(c, t, args, skip);
	emit_imm(c, BPF_MOV, R7, 0);
	for (int i = 0; i < COPIES_MOST; i++)
		emit_copy(c, i, send);
	emit_imm(c, BPF_MOV, R3, AT(bytes) + (COPIES_MOST - 1) * COPY_SIZE);
	emit_reg(c, BPF_ADD, R3, R7);
	emit_here(c, send);
	emit_map(c, R1, t->ring);
	emit_reg(c, BPF_MOV, R2, R8);
	emit_imm(c, BPF_MOV, R4, 0);
	emit_call(c, BPF_FUNC_ringbuf_output);
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

static int load(struct call_texts *t, struct err *e)
{
	int number = bpf_field_at("raw_syscalls", "sys_enter", "id", e);
	int args = number < 0 ? -1 : bpf_field_at("raw_syscalls", "sys_enter", "args[6]", e);
	struct emit c = { 0 };
	int program;

	if (args < 0)
		return -1;
	emit_program(&c, t, number, args);
	program = keep(t, bpf_load(BPF_PROG_TYPE_TRACEPOINT, "call_texts", &c, e));
	emit_release(&c);
	return program < 0 ? -1 : keep(t, bpf_attach(program, "raw_syscalls", "sys_enter", e));
}

struct call_texts *call_texts_open(const struct bpf_threads_opts *threads, const struct call_copies *copies,
				   unsigned n_calls, struct err *e)
{
	struct call_texts *t = xcalloc(1, sizeof(*t));
	bool ok = (t->copies = keep(t, bpf_map(BPF_MAP_TYPE_ARRAY, "copies", 4, sizeof(*copies), n_calls, e))) >= 0 &&
		  (t->scratch = keep(t, bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY, "scratch", 4,
						sizeof(struct call_text_record), 1, e))) >= 0 &&
		  (t->ring = keep(t, bpf_map(BPF_MAP_TYPE_RINGBUF, "texts", 0, 0, RING_SIZE, e))) >= 0 &&
		  map_ring(t, e) == 0;

	for (uint32_t i = 0; ok && i < n_calls; i++)
		if (copies[i].args[0].kind != COPY_NONE && bpf_put(t->copies, &i, &copies[i]) < 0)
			ok = false;
	if (ok && bpf_threads_open(&t->threads, threads, e) == 0 && load(t, e) >= 0)
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
	if (++t->waiting > WAITING_MOST || t->queues.len > WAITING_MOST)
		clear_queues(t);
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
