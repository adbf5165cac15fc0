/*
 * Copies of what arguments point at. The kernel is a small one of this file: maps, a ring, and an interpreter that runs
 * the programs. What the real one accepts is looked at in tests/e2e/trace.sh. Sources: linux/bpf.h, "BPF ring buffer
 * constants"; Documentation/bpf/ringbuf.rst; bpf-helpers(7).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/bpf/call_texts.h"
#include "record/bpf/kernel_priv.h"

/* ---- the kernel ---- */

enum { SLOTS = 8, OBJECTS = 16, RECORD_ID = 8, RECORD_MORE = 16 };

static struct kernel {
	struct map {
		enum bpf_map_type type;
		int fd;
		uint32_t key, value, entries;
		uint32_t keys[SLOTS]; /* of a hash; 0: free */
		uint8_t *values;
	} maps[OBJECTS];
	unsigned n_maps;
	struct program {
		int fd;
		const char *event; /* where it is attached */
		struct emit code;
	} programs[OBJECTS];
	unsigned n_programs;
	uint8_t *ring; /* the positions of consumer and producer, a page each, and the data */
	size_t page;
	uint32_t tid;
	uint64_t time;
	char user[4096]; /* memory that programs may read */
} kernel;

static int new_fd(void)
{
	int fd = memfd_create("kernel", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

int bpf_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries, struct err *e)
{
	struct map *m = &kernel.maps[kernel.n_maps++];
	bool hash = type == BPF_MAP_TYPE_HASH || type == BPF_MAP_TYPE_LRU_HASH;

	assert_true(kernel.n_maps <= OBJECTS);
	*m = (struct map){ type, new_fd(), key, value, hash ? SLOTS : entries, { 0 }, NULL };
	if (type != BPF_MAP_TYPE_RINGBUF) {
		m->values = xcalloc(m->entries, value);
		return m->fd;
	}
	kernel.page = (size_t)sysconf(_SC_PAGESIZE);
	assert_int_equal(ftruncate(m->fd, (off_t)(2 * kernel.page + 2 * (size_t)entries)), 0);
	kernel.ring = mmap(NULL, 2 * kernel.page + 2 * (size_t)entries, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	assert_true(kernel.ring != MAP_FAILED);
	return m->fd;
}

int bpf_load(enum bpf_prog_type type, const char *name, struct emit *code, struct err *e)
{
	struct program *p = &kernel.programs[kernel.n_programs++];

	assert_true(kernel.n_programs <= OBJECTS);
	emit_finish(code);
	*p = (struct program){ .fd = new_fd() };
	vec_append(&p->code, code->items, code->len);
	return p->fd;
}

int bpf_attach(int program, const char *system, const char *name, struct err *e)
{
	for (unsigned i = 0; i < kernel.n_programs; i++)
		if (kernel.programs[i].fd == program)
			kernel.programs[i].event = name;
	return new_fd();
}

int bpf_field_at(const char *system, const char *name, const char *field, struct err *e)
{
	return strcmp(field, "id") ? RECORD_MORE : RECORD_ID;
}

static struct map *map_of(int fd)
{
	for (unsigned i = 0; i < kernel.n_maps; i++)
		if (kernel.maps[i].fd == fd)
			return &kernel.maps[i];
	fail_msg("no map %d", fd);
	return NULL;
}

static void *look_up(struct map *m, const void *key, bool make)
{
	uint32_t k = load_u32(key);

	if (m->type == BPF_MAP_TYPE_ARRAY || m->type == BPF_MAP_TYPE_PERCPU_ARRAY)
		return k < m->entries ? m->values + (size_t)k * m->value : NULL;
	for (unsigned i = 0; i < SLOTS; i++)
		if (m->keys[i] == k || (make && !m->keys[i])) {
			m->keys[i] = k;
			return m->values + (size_t)i * m->value;
		}
	return NULL;
}

int bpf_put(int map, const void *key, const void *value)
{
	struct map *m = map_of(map);

	memcpy(look_up(m, key, true), value, m->value);
	return 0;
}

int bpf_get(int map, const void *key, void *value) { return look_up(map_of(map), key, false) ? 0 : -1; }

static void stop_kernel(void)
{
	for (unsigned i = 0; i < kernel.n_maps; i++) {
		if (kernel.maps[i].type == BPF_MAP_TYPE_RINGBUF)
			munmap(kernel.ring, 2 * kernel.page + 2 * (size_t)kernel.maps[i].entries);
		free(kernel.maps[i].values);
	}
	for (unsigned i = 0; i < kernel.n_programs; i++)
		emit_release(&kernel.programs[i].code);
	kernel = (struct kernel){ 0 };
}

/* ---- its ring ---- */

static uint64_t *producer(void) { return (uint64_t *)(void *)(kernel.ring + kernel.page); }

static uint8_t *ring_at(uint64_t position, uint32_t size) { return kernel.ring + 2 * kernel.page + position % size; }

static void send(const struct map *ring, const void *bytes, uint32_t len)
{
	uint8_t *head = ring_at(*producer(), ring->entries);

	assert_true(*producer() - *(uint64_t *)(void *)kernel.ring + len + 8 <= ring->entries);
	memcpy(head, &len, sizeof(len));
	memcpy(head + 8, bytes, len);
	*producer() += (len + 8 + 7u) & ~7u;
}

/* ---- its interpreter ---- */

static bool is_user(uint64_t from, uint64_t len)
{
	uint64_t at = from - (uintptr_t)kernel.user;

	return at < sizeof(kernel.user) && len <= sizeof(kernel.user) - at;
}

static uint64_t read_user(void *to, uint64_t len, uint64_t from)
{
	memset(to, 0, len);
	if (!is_user(from, len))
		return (uint64_t)-EFAULT;
	memcpy(to, (const void *)(uintptr_t)from, len);
	return 0;
}

static uint64_t read_user_text(char *to, uint64_t len, uint64_t from)
{
	if (!is_user(from, 1))
		return (uint64_t)-EFAULT;
	return (uint64_t)snprintf(to, len, "%s", (const char *)(uintptr_t)from) >= len ? len : strlen(to) + 1;
}

static uint64_t call(int helper, const uint64_t *r)
{
	struct map *m;

	switch (helper) {
	case BPF_FUNC_map_lookup_elem:
		return (uintptr_t)look_up(map_of((int)r[1]), (const void *)(uintptr_t)r[2], false);
	case BPF_FUNC_map_update_elem:
		return (uint64_t)bpf_put((int)r[1], (void *)(uintptr_t)r[2], (void *)(uintptr_t)r[3]);
	case BPF_FUNC_get_current_pid_tgid: return (uint64_t)1 << 32 | kernel.tid;
	case BPF_FUNC_ktime_get_ns: return kernel.time;
	case BPF_FUNC_probe_read_user: return read_user((void *)(uintptr_t)r[1], r[2], r[3]);
	case BPF_FUNC_probe_read_user_str: return read_user_text((void *)(uintptr_t)r[1], r[2], r[3]);
	case BPF_FUNC_ringbuf_output:
		m = map_of((int)r[1]);
		send(m, (const void *)(uintptr_t)r[2], (uint32_t)r[3]);
		return 0;
	}
	fail_msg("helper %d", helper);
	return 0;
}

static uint64_t calculate(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_MOV: return b;
	case BPF_ADD: return a + b;
	case BPF_MUL: return a * b;
	case BPF_AND: return a & b;
	case BPF_LSH: return a << b;
	case BPF_RSH: return a >> b;
	}
	fail_msg("operation %#x", op);
	return 0;
}

static bool jumps(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_JA: return true;
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JLE: return a <= b;
	case BPF_JSLT: return (int64_t)a < (int64_t)b;
	}
	fail_msg("jump %#x", op);
	return false;
}

static void move(void *to, const void *from, unsigned code)
{
	unsigned size = BPF_SIZE(code);

	memcpy(to, from, size == BPF_DW ? 8 : size == BPF_W ? 4 : size == BPF_H ? 2 : 1);
}

static void run(const struct emit *c, const void *record)
{
	uint8_t stack[512];
	uint64_t r[11] = { [R1] = (uintptr_t)record, [FP] = (uintptr_t)stack + sizeof(stack) };

	for (const struct bpf_insn *i = c->items; i->code != (BPF_JMP | BPF_EXIT); i++) {
		uint64_t operand = BPF_SRC(i->code) == BPF_X ? r[i->src_reg] : (uint64_t)(int64_t)i->imm;

		assert_true(i < c->items + c->len);
		switch (BPF_CLASS(i->code)) {
		case BPF_ALU64: r[i->dst_reg] = calculate(BPF_OP(i->code), r[i->dst_reg], operand); break;
		case BPF_LD: /* the upper half of the number follows */
			r[i->dst_reg] = (uint64_t)i->imm;
			i++;
			break;
		case BPF_LDX:
			operand = r[i->src_reg] + (uint64_t)(int64_t)i->off;
			r[i->dst_reg] = 0;
			move(&r[i->dst_reg], (const void *)(uintptr_t)operand, i->code);
			break;
		case BPF_ST:
			operand = (uint64_t)(int64_t)i->imm;
			move((void *)(uintptr_t)(r[i->dst_reg] + (uint64_t)(int64_t)i->off), &operand, i->code);
			break;
		case BPF_STX:
			move((void *)(uintptr_t)(r[i->dst_reg] + (uint64_t)(int64_t)i->off), &r[i->src_reg], i->code);
			break;
		default:
			if (BPF_OP(i->code) == BPF_CALL)
				r[R0] = call(i->imm, r);
			else if (jumps(BPF_OP(i->code), r[i->dst_reg], operand))
				i += i->off;
		}
	}
	assert_int_equal(r[R0], 1); /* other users of the event get it, too */
}

/* A thread enters or leaves a call: run the programs there. */
static void happen(const char *event, uint32_t tid, uint64_t time, uint64_t number, const uint64_t *more, size_t n)
{
	uint64_t record[RECORD_MORE / 8 + 6] = { [RECORD_ID / 8] = number };

	memcpy(record + RECORD_MORE / 8, more, n * sizeof(*more));
	kernel.tid = tid;
	kernel.time = time;
	for (unsigned i = 0; i < kernel.n_programs; i++)
		if (!strcmp(kernel.programs[i].event, event))
			run(&kernel.programs[i].code, record);
}

/* ---- the recorder ---- */

enum { THREAD = 5, OTHER_THREAD, CALLS = 2, CALL = 1 };
enum { LONGEST_RECORD = 8 + 6 * 8 + 8 + 4 + COPIES_MOST * (4 + COPY_SIZE) };

/* Copy at the entries and the exits of call number CALL. */
static struct call_texts *open_texts(const struct call_copies *entered, const struct call_copies *left)
{
	static const struct call_copies none[CALLS];
	struct call_copies in[CALLS] = { none[0], *(entered ? entered : none) };
	struct call_copies out[CALLS] = { none[0], *(left ? left : none) };
	struct call_texts *t;

	stop_kernel(); /* a test that failed has left it */
	t = call_texts_open(&(struct bpf_threads_opts){ .everyone = true }, in, out, CALLS, NULL);
	assert_non_null(t);
	return t;
}

static void close_texts(struct call_texts *t)
{
	call_texts_close(t);
	stop_kernel();
}

static void enter(uint32_t tid, uint64_t time, uint64_t number, const uint64_t args[6])
{
	happen("sys_enter", tid, time, number, args, 6);
}

static void leave(uint32_t tid, uint64_t time, uint64_t number, int64_t result)
{
	happen("sys_exit", tid, time, number, (uint64_t *)&result, 1);
}

/* Put bytes where programs may read them; return their address. Zeros follow. */
static uint64_t user(size_t at, const void *bytes, size_t len)
{
	assert_true(at + len < sizeof(kernel.user));
	memcpy(kernel.user + at, bytes, len);
	return (uintptr_t)kernel.user + at;
}

static const struct call_copies one_text = { { { 0, COPY_TEXT, 0, 0 } } };

/* A call at this time, whose only argument is a text. */
static void enter_with(uint32_t tid, uint64_t time, const char *text)
{
	enter(tid, time, CALL, (const uint64_t[6]){ user(0, text, strlen(text) + 1) });
}

static void expect_text(struct call_texts *t, uint32_t tid, uint64_t since, uint64_t time, const char *text)
{
	const struct call_text *found = call_texts_find(t, (int32_t)tid, since, time);

	if (!text) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(found->tid, tid);
	assert_int_equal(found->len[0], strlen(text) + 1);
	assert_string_equal(found->bytes[0], text);
}

/* ---- copies by thread and time ---- */

static void the_copy_is_the_last_one_of_its_time(void **state)
{
	struct call_texts *t = open_texts(&one_text, NULL);

	enter_with(THREAD, 10, "a");
	enter_with(THREAD, 20, "b");
	enter_with(OTHER_THREAD, 21, "x");
	enter_with(THREAD, 30, "c");
	enter_with(THREAD, 40, "d");
	expect_text(t, THREAD, 0, 9, NULL);
	expect_text(t, THREAD, 0, 20, "b");
	expect_text(t, THREAD, 0, 20, NULL);  /* older ones are forgotten */
	expect_text(t, THREAD, 30, 39, NULL); /* not after `since` */
	expect_text(t, THREAD, 39, 40, "d");
	expect_text(t, OTHER_THREAD, 20, 21, "x");
	expect_text(t, 7, 0, UINT64_MAX, NULL);
	close_texts(t);
}

/* A recording may never ask for the copies of some threads. */
static void copies_that_nobody_asks_for_are_dropped(void **state)
{
	enum { MOST = 1 << 16 };

	for (unsigned more = 0; more < 2; more++) {
		struct call_texts *t = open_texts(&one_text, NULL);

		enter_with(THREAD, 10, "first");
		for (unsigned i = 1; i < MOST + more; i++) {
			enter_with(THREAD, 20, "a");
			if (i % 1024 == 0) /* so that the ring is not full */
				expect_text(t, OTHER_THREAD, 0, 20, NULL);
		}
		expect_text(t, THREAD, 0, 10, more ? NULL : "first");
		expect_text(t, THREAD, 0, 20, "a");
		close_texts(t);
	}
}

static void copies_that_were_asked_for_do_not_wait(void **state)
{
	struct call_texts *t = open_texts(&one_text, NULL);

	enter_with(THREAD, 10, "first");
	for (unsigned i = 0; i < 1 << 16; i++) {
		enter_with(OTHER_THREAD, 20, "a");
		expect_text(t, OTHER_THREAD, 0, 20, "a");
	}
	expect_text(t, THREAD, 0, 10, "first");
	close_texts(t);
}

/* ---- the ring ---- */

static void the_ring_is_read_round_and_round(void **state)
{
	struct call_texts *t = open_texts(&one_text, NULL);
	char text[COPY_SIZE];

	for (unsigned i = 0; i < 100000; i++) { /* more than the ring has room for */
		snprintf(text, sizeof(text), "%0*u", (int)(i % 200 + 5), i);
		enter_with(THREAD, i + 1, text);
		if (i % 3 == 0)
			expect_text(t, THREAD, i, i + 1, text);
	}
	assert_true(*producer() > kernel.maps[4].entries);
	assert_int_equal(*(uint64_t *)(void *)kernel.ring, *producer());
	close_texts(t);
}

/* Change the length of the record that begins at this position of the ring. */
static void set_length(uint64_t position, uint32_t len)
{
	memcpy(ring_at(position, kernel.maps[4].entries), &len, sizeof(len));
}

static void records_may_be_busy_or_discarded(void **state)
{
	struct call_texts *t = open_texts(&one_text, NULL);
	uint64_t second;
	uint32_t len;

	enter_with(THREAD, 10, "a");
	second = *producer();
	enter_with(THREAD, 20, "b");
	len = load_u32(ring_at(second, kernel.maps[4].entries));
	enter_with(THREAD, 30, "c");
	set_length(second, len | BPF_RINGBUF_BUSY_BIT);
	expect_text(t, THREAD, 0, 30, "a");
	assert_int_equal(*(uint64_t *)(void *)kernel.ring, second);
	set_length(second, len | BPF_RINGBUF_DISCARD_BIT);
	expect_text(t, THREAD, 0, 20, NULL);
	expect_text(t, THREAD, 0, 30, "c");
	close_texts(t);
}

static void records_of_other_sizes_are_ignored(void **state)
{
	enum { SHORTEST = LONGEST_RECORD - COPIES_MOST * COPY_SIZE };
	static const uint32_t sizes[] = { 0, SHORTEST - 1, SHORTEST, LONGEST_RECORD, LONGEST_RECORD + 8 };
	struct call_texts *t = open_texts(&one_text, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t at = *producer();

		enter_with(THREAD, 10, "a");
		set_length(at, sizes[i]);
		*producer() = at + ((sizes[i] + 8 + 7u) & ~7u);
		assert_int_equal(call_texts_find(t, THREAD, 0, 10) != NULL,
				 sizes[i] >= SHORTEST && sizes[i] <= LONGEST_RECORD);
	}
	close_texts(t);
}

/* ---- what is copied ---- */

enum { MORE = 2048 }; /* where the second argument points, if it points anywhere */

static void bytes_are_copied_up_to_their_limits(void **state)
{
	static const uint64_t nowhere = 8, all = UINT64_MAX;
	const uint64_t number = (uintptr_t)kernel.user + MORE;
	const struct {
		struct call_copy copy;
		uint64_t first, second; /* arguments; first 0: readable memory */
		int32_t number;         /* what the second one points at */
		int64_t result;
		int32_t len;
	} rows[] = {
		{ { 0, COPY_SIZED, 16, 256 }, .len = 16 },
		{ { 0, COPY_SIZED, 16, 8 }, .len = 8 },
		{ { 0, COPY_SIZED, 300, 1000 }, .len = COPY_SIZE },
		{ { 0, COPY_SIZED, 16, 256 }, nowhere, .len = -1 },
		{ { 0, COPY_COUNTED, 8, 256 }, .second = 3, .len = 24 },
		{ { 0, COPY_COUNTED, 8, 256 }, .second = 0, .len = 0 },
		{ { 0, COPY_COUNTED, 1, 64 }, .second = 65, .len = 64 },
		{ { 0, COPY_COUNTED, 1, 256 }, .second = all, .len = COPY_SIZE },
		{ { 0, COPY_COUNTED, 0xffff, 0xffff }, .second = all, .len = COPY_SIZE },
		{ { 0, COPY_COUNTED, 8, 256 }, .second = (uint64_t)5 << 61, .len = COPY_SIZE }, /* 8 times that is 0 */
		{ { 0, COPY_LENGTH, 1, 128 }, .second = number, .number = 28, .len = 28 },
		{ { 0, COPY_LENGTH, 1, 128 }, .second = number, .number = -1, .len = 128 },
		{ { 0, COPY_LENGTH, 1, 128 }, .second = number, .number = 0x10001, .len = 128 },
		{ { 0, COPY_LENGTH, 1, 128 }, .second = nowhere, .len = -1 },
		{ { 0, COPY_RESULT, 1, 256 }, .result = 9, .len = 9 },
		{ { 0, COPY_RESULT, 8, 256 }, .result = (int64_t)1 << 32, .len = COPY_SIZE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct call_copies copies = { { rows[i].copy } };
		struct call_texts *t = open_texts(NULL, &copies);
		const struct call_text *found;
		char bytes[COPY_SIZE];

		memset(bytes, 'x', sizeof(bytes));
		user(0, bytes, sizeof(bytes));
		user(MORE, &rows[i].number, sizeof(rows[i].number));
		enter(THREAD, 10, CALL,
		      (const uint64_t[6]){ rows[i].first ? rows[i].first : (uintptr_t)kernel.user, rows[i].second });
		leave(THREAD, 20, CALL, rows[i].result);
		found = call_texts_find(t, THREAD, 0, 20);
		assert_non_null(found);
		assert_int_equal(found->len[0], rows[i].len);
		assert_memory_equal(found->bytes[0], bytes, (size_t)MAX(rows[i].len, 0));
		close_texts(t);
	}
}

static void long_texts_are_cut(void **state)
{
	struct call_texts *t = open_texts(&one_text, NULL);
	char text[COPY_SIZE + 10] = "";

	memset(text, 'x', sizeof(text) - 1);
	enter_with(THREAD, 10, text);
	text[COPY_SIZE - 1] = 0;
	expect_text(t, THREAD, 0, 10, text);
	enter_with(THREAD, 20, "");
	expect_text(t, THREAD, 0, 20, "");
	enter(THREAD, 30, CALL, (const uint64_t[6]){ 8 });
	assert_int_equal(call_texts_find(t, THREAD, 0, 30)->len[0], -1);
	close_texts(t);
}

/* One copy that fails does not prevent the next one. The record ends with the last. */
static void arguments_are_copied_one_by_one(void **state)
{
	static const struct call_copies copies = { { { 1, COPY_TEXT, 0, 0 }, { 5, COPY_TEXT, 0, 0 } } };
	struct call_texts *t = open_texts(&copies, NULL);
	const struct call_text *found;

	enter(THREAD, 10, CALL, (const uint64_t[6]){ 0, 8, 0, 0, 0, user(0, "fifth", 6) });
	assert_int_equal(load_u32(ring_at(0, kernel.maps[4].entries)), LONGEST_RECORD - 2 * COPY_SIZE + 6);
	found = call_texts_find(t, THREAD, 0, 10);
	assert_non_null(found);
	assert_int_equal(found->len[0], -1);
	assert_int_equal(found->len[1], 6);
	assert_int_equal(found->len[2], -1);
	assert_string_equal(found->bytes[1], "fifth");
	close_texts(t);
}

static void other_calls_are_not_copied(void **state)
{
	struct call_texts *t = open_texts(&one_text, NULL);

	enter(THREAD, 10, 0, (const uint64_t[6]){ user(0, "a", 2) });
	enter(THREAD, 20, CALLS, (const uint64_t[6]){ user(0, "a", 2) });
	leave(THREAD, 30, CALL, 0);
	assert_int_equal(*producer(), 0);
	close_texts(t);
}

/* ---- lists of pointers ---- */

/* Make a list of n pointers to texts, and NULL. */
static uint64_t list_of(unsigned n, const char *text)
{
	uint64_t pointers[300] = { 0 }, at = user(0, text, strlen(text) + 1);

	for (unsigned i = 0; i < n; i++)
		pointers[i] = at;
	return user(512, pointers, (n + 1) * sizeof(*pointers));
}

static void lists_are_copied_up_to_their_end(void **state)
{
	enum { ROOM = COPIES_MOST * COPY_SIZE / COPY_TEXT_SIZE, ROOM_BEHIND = ROOM - COPY_SIZE / COPY_TEXT_SIZE };
	static const struct {
		unsigned place, n;
		int32_t len;
	} rows[] = {
		{ 0, 0, 1 },
		{ 0, 2, 2 * COPY_TEXT_SIZE + 1 },
		{ 0, ROOM - 1, (ROOM - 1) * COPY_TEXT_SIZE + 1 },
		{ 0, ROOM, ROOM * COPY_TEXT_SIZE }, /* no room to see the end */
		{ 0, ROOM + 1, ROOM * COPY_TEXT_SIZE },
		{ 1, 2, 2 * COPY_TEXT_SIZE + 1 },
		{ 1, ROOM_BEHIND, ROOM_BEHIND * COPY_TEXT_SIZE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct call_copies copies = { { { 1, COPY_SIZED, 1, 1 } } };
		struct call_texts *t;
		const struct call_text *found;

		copies.args[rows[i].place] = (struct call_copy){ 0, COPY_TEXTS, 0, 0 };
		t = open_texts(&copies, NULL);
		enter(THREAD, 10, CALL,
		      (const uint64_t[6]){ list_of(rows[i].n, "a text that is longer than 32 bytes") });
		found = call_texts_find(t, THREAD, 0, 10);
		assert_non_null(found);
		assert_int_equal(found->len[rows[i].place], rows[i].len);
		for (unsigned k = 0; k < (unsigned)rows[i].len / COPY_TEXT_SIZE; k++)
			assert_string_equal(found->bytes[rows[i].place] + k * COPY_TEXT_SIZE,
					    "a text that is longer than 32 b");
		close_texts(t);
	}
}

static void a_list_ends_where_it_cannot_be_read(void **state)
{
	static const struct call_copies copies = { { { 0, COPY_TEXTS, 0, 0 }, { 1, COPY_NUMBER, 0, 0 } } };
	struct call_texts *t = open_texts(&copies, NULL);
	uint64_t pointers[] = { user(0, "a", 2), 8, user(0, "a", 2), 0 };
	const struct call_text *found;

	enter(THREAD, 10, CALL, (const uint64_t[6]){ user(512, pointers, sizeof(pointers)), 8 });
	found = call_texts_find(t, THREAD, 0, 10);
	assert_non_null(found);
	assert_int_equal(found->len[0], COPY_TEXT_SIZE);
	assert_int_equal(found->len[1], -1);
	close_texts(t);
}

static void pointers_are_counted_up_to_a_limit(void **state)
{
	static const struct call_copies copies = { { { 1, COPY_TEXTS, 0, 0 }, { 0, COPY_NUMBER, 0, 0 } } };
	static const struct {
		unsigned n;
		int32_t len;
	} rows[] = { { 0, 0 }, { 3, 3 }, { 256, 256 }, { 257, -1 } };
	struct call_texts *t = open_texts(&copies, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct call_text *found;

		enter(THREAD, 10, CALL, (const uint64_t[6]){ list_of(rows[i].n, ""), 8 });
		found = call_texts_find(t, THREAD, 0, 10);
		assert_non_null(found);
		assert_int_equal(found->len[1], rows[i].len);
	}
	close_texts(t);
}

/* ---- exits ---- */

static void exits_have_the_arguments_of_their_entry(void **state)
{
	struct call_texts *t = open_texts(NULL, &one_text);
	const uint64_t a[6] = { user(0, "a", 2) }, b[6] = { user(8, "b", 2) };

	enter(THREAD, 10, CALL, a);
	enter(OTHER_THREAD, 11, CALL, b);
	expect_text(t, THREAD, 0, 11, NULL);
	leave(THREAD, 20, CALL, 0);
	leave(OTHER_THREAD, 21, CALL, 5);
	expect_text(t, THREAD, 0, 21, "a");
	expect_text(t, OTHER_THREAD, 0, 21, "b");
	leave(THREAD, 30, CALL, 0); /* an exit without an entry: its call began before the recording */
	expect_text(t, THREAD, 0, 30, NULL);
	enter(THREAD, 40, CALL, a);
	leave(THREAD, 50, 0, 0); /* of another call: ours ended unseen */
	expect_text(t, THREAD, 0, 50, NULL);
	close_texts(t);
}

static void failed_calls_have_filled_nothing(void **state)
{
	struct call_texts *t = open_texts(NULL, &one_text);

	enter(THREAD, 10, CALL, (const uint64_t[6]){ user(0, "a", 2) });
	leave(THREAD, 20, CALL, -EINTR);
	expect_text(t, THREAD, 0, 20, NULL);
	close_texts(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_copy_is_the_last_one_of_its_time),
		cmocka_unit_test(copies_that_nobody_asks_for_are_dropped),
		cmocka_unit_test(copies_that_were_asked_for_do_not_wait),
		cmocka_unit_test(the_ring_is_read_round_and_round),
		cmocka_unit_test(records_may_be_busy_or_discarded),
		cmocka_unit_test(records_of_other_sizes_are_ignored),
		cmocka_unit_test(bytes_are_copied_up_to_their_limits),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(arguments_are_copied_one_by_one),
		cmocka_unit_test(other_calls_are_not_copied),
		cmocka_unit_test(lists_are_copied_up_to_their_end),
		cmocka_unit_test(a_list_ends_where_it_cannot_be_read),
		cmocka_unit_test(pointers_are_counted_up_to_a_limit),
		cmocka_unit_test(exits_have_the_arguments_of_their_entry),
		cmocka_unit_test(failed_calls_have_filled_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
