/* Sleeps of threads, from the records of two rings. The kernel and its rings are ours. */
#include "tests/unit/events/fake.h"
#include <cmocka.h>

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "format/reader.h"
#include "record/session/recorder_priv.h"

/* Our descriptors are those of files, which epoll refuses. */
int epoll_ctl(int epoll, int op, int fd, struct epoll_event *event) { return 0; }
int ioctl(int fd, unsigned long request, ...) { return 0; }

enum { RING_PAGES = 64, N_CPUS = 2, OWN_ID = 4711, STATE_AT = 24, PREEMPTED = 0, SLEEPS = 1, SLEEPS_DEEPLY = 2 };

static struct recorder recorder;
static struct err error;
static struct out output;
static struct perf_event_mmap_page *pages[N_CPUS];
static size_t page;

static int open_ring(const struct fake_call *call)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);
	size_t len = (1 + RING_PAGES) * page;

	if (fd < 0 || ftruncate(fd, (off_t)len) < 0)
		return -1;
	pages[call->cpu] = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return pages[call->cpu] == MAP_FAILED ? -1 : fd;
}

static int take(void *of, const struct iovec *iov, int n, struct err *e)
{
	for (int i = 0; i < n; i++)
		out_mem(&output, iov[i].iov_base, iov[i].iov_len);
	return 0;
}

static void fake_switch(const char *fields)
{
	autofree char *text = xasprintf("name: sched_switch\nID: 316\nformat:\n"
					"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n%s\n"
					"print fmt: \"x\"\n",
					fields);

	fake_file(FAKE_TRACING "sched/sched_switch/id", "316\n");
	fake_file(FAKE_TRACING "sched/sched_switch/format", text);
}

static int begin(void **state)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	recorder = (struct recorder){ .o = RECORD_DEFAULTS, .rings.epoll = -1 };
	recorder.o.ring_pages = RING_PAGES;
	error = (struct err){ 0 };
	out_init_mem(&output);
	fake_open = open_ring;
	n_fake_calls = 0;
	return fake_begin(state);
}

static int end(void **state)
{
	off_cpu_free(recorder.off_cpu);
	if (recorder.writer)
		writer_abandon(recorder.writer, true);
	if (recorder.events.events.len) {
		free(recorder.events.events.items[0].ids); /* ours: it was never opened */
		recorder.events.events.items[0].ids = NULL;
	}
	event_list_release(&recorder.events);
	target_release(&recorder.target);
	out_release(&output);
	for (size_t i = 0; i < N_CPUS; i++)
		if (pages[i])
			munmap(pages[i], (1 + RING_PAGES) * page);
	memset(pages, 0, sizeof(pages));
	return fake_end(state);
}

/* Record all CPUs; sleeps from `long_ns` on have samples of their own. */
static void open_rings(uint64_t long_ns)
{
	const struct features none = { 0 };
	struct event *own;

	fake_switch("\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		    "\tfield:long prev_state;\toffset:24;\tsize:8;\tsigned:1;\n");
	recorder.o.off_cpu_ns = long_ns;
	recorder.o.chain_depth = 127;
	recorder.target.system_wide = true;
	assert_int_equal(target_resolve(&recorder.target, &error), 0);
	assert_int_equal(off_cpu_add_event(&recorder, &error), 0);
	off_cpu_config_event(&recorder);
	own = &recorder.events.events.items[0];
	own->ids = xcalloc(1, sizeof(*own->ids));
	own->ids[0] = OWN_ID;
	if (recorder_open_off_cpu(&recorder, &error) < 0)
		fail_msg("%s", error.what);
	recorder.writer = writer_open_sink(take, NULL, &error);
	assert_non_null(recorder.writer);
	assert_int_equal(writer_begin(recorder.writer, &none, &error), 0);
	assert_int_equal(writer_flush(recorder.writer, &error), 0);
	output.len = 0;
}

/* ---- what the kernel writes ---- */

static void put(size_t cpu, const void *bytes, size_t len)
{
	uint8_t *data = (uint8_t *)pages[cpu] + page;

	for (size_t i = 0; i < len; i++)
		data[(pages[cpu]->data_head + i) % (RING_PAGES * page)] = ((const uint8_t *)bytes)[i];
	pages[cpu]->data_head += len;
}

static void put_u64(size_t cpu, uint64_t v) { put(cpu, &v, 8); }

static void put_header(size_t cpu, uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)size };

	assert_true(size <= UINT16_MAX);
	put(cpu, &h, sizeof(h));
}

static void put_ids(size_t cpu, uint32_t pid, uint32_t tid)
{
	put(cpu, &pid, 4);
	put(cpu, &tid, 4);
}

struct leave {
	size_t cpu;
	uint32_t tid;
	uint64_t time, state;
	const uint64_t *ips;
	size_t n;
};
enum { RAW = 36 }; /* with the padding: 4 + 36 is a multiple of 8 */

/* Thread `tid` of process 100 leaves the CPU, with the layout of our attr: perf_event_open(2), "PERF_RECORD_SAMPLE". */
static void leave(struct leave l)
{
	uint8_t raw[RAW] = { 0 };
	uint32_t raw_size = RAW;

	put_header(l.cpu, RECORD_SAMPLE, 1, 8 + 40 + 8 * l.n + 4 + RAW);
	put_u64(l.cpu, 0xffffffff81000000);
	put_ids(l.cpu, 100, l.tid);
	put_u64(l.cpu, l.time);
	put_u64(l.cpu, l.cpu);
	put_u64(l.cpu, l.n);
	put(l.cpu, l.ips, 8 * l.n);
	put(l.cpu, &raw_size, 4);
	memcpy(raw + STATE_AT, &l.state, 8);
	put(l.cpu, raw, RAW);
}

#define USER PERF_CONTEXT_USER
static const uint64_t stack_a[] = { USER, 0xaaa, 0xa00 }, stack_b[] = { USER, 0xbbb }, no_user[] = { USER };
#define LEAVE(cpu, tid, time, state, stack) leave((struct leave){ cpu, tid, time, state, stack, ARRAY_SIZE(stack) })

static void put_switch(size_t cpu, uint32_t tid, uint64_t time, bool wide, bool out)
{
	put_header(cpu, wide ? RECORD_SWITCH_CPU_WIDE : RECORD_SWITCH, out ? MISC_SWITCH_OUT : 0, wide ? 40 : 32);
	if (wide)
		put_ids(cpu, 999, 999); /* the other thread */
	put_ids(cpu, 100, tid);
	put_u64(cpu, time);
	put_u64(cpu, cpu);
}

static void come_back(size_t cpu, uint32_t tid, uint64_t time) { put_switch(cpu, tid, time, true, false); }

/* ---- what is written of it ---- */

static void sweep(void)
{
	assert_int_equal(recorder_sweep_off_cpu(&recorder, &error), 0);
	assert_int_equal(writer_flush(recorder.writer, &error), 0);
}

struct want {
	uint32_t tid;
	uint64_t woke, ns;
	const uint64_t *ips;
	size_t n;
};
#define WANT(tid, woke, ns, stack) \
	{ \
		tid, woke, ns, stack, ARRAY_SIZE(stack) \
	}

/* The samples since the last call. Source of the layout: perf_event_open(2), in the order of off-CPU samples. */
static void expect_samples(const struct want *want, size_t n)
{
	const char *at = output.buf;

	for (size_t i = 0; i < n; i++) {
		const struct want *w = &want[i];
		struct perf_event_header h;
		uint64_t words[7];
		uint32_t ids[2];

		assert_true((size_t)(output.buf + output.len - at) >= sizeof(h) + sizeof(words));
		memcpy(&h, at, sizeof(h));
		memcpy(words, at + sizeof(h), sizeof(words));
		memcpy(ids, &words[2], 8);
		assert_int_equal(h.type, RECORD_SAMPLE);
		assert_int_equal(h.misc, CPUMODE_USER);
		assert_int_equal(h.size, sizeof(h) + sizeof(words) + 8 * w->n);
		assert_int_equal(words[0], OWN_ID);
		assert_int_equal(words[1], w->ips[1]);
		assert_int_equal(ids[0], 100);
		assert_int_equal(ids[1], w->tid);
		assert_int_equal(words[3], w->woke);
		assert_int_equal(words[5], w->ns);
		assert_int_equal(words[6], w->n);
		assert_memory_equal(at + sizeof(h) + sizeof(words), w->ips, 8 * w->n);
		at += h.size;
	}
	assert_ptr_equal(at, output.buf + output.len);
	output.len = 0;
}
#define EXPECT(...) \
	expect_samples((const struct want[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct want[]){ __VA_ARGS__ })))

static void expect_nothing(void)
{
	sweep();
	assert_int_equal(output.len, 0);
}

/* ---- sleeps ---- */

static void a_long_sleep_is_a_sample(void **state)
{
	open_rings(4000);
	LEAVE(0, 7, 1000, SLEEPS, stack_a);
	come_back(0, 7, 5000); /* exactly as long as a sleep must be */
	LEAVE(0, 7, 10000, SLEEPS_DEEPLY, stack_b);
	put_switch(0, 7, 20000, false, false);
	sweep();
	EXPECT(WANT(7, 5000, 4000, stack_a), WANT(7, 20000, 10000, stack_b));
	expect_nothing();
}

static void short_sleeps_are_summed_by_thread_and_stack(void **state)
{
	open_rings(4000);
	for (uint64_t t = 1000; t <= 3000; t += 1000) {
		LEAVE(0, 7, t, SLEEPS, stack_a);
		come_back(0, 7, t + 10);
	}
	LEAVE(1, 8, 1500, SLEEPS, stack_a);
	come_back(1, 8, 1503);
	LEAVE(0, 7, 4000, SLEEPS, stack_b);
	come_back(0, 7, 4005);
	sweep();
	EXPECT(WANT(7, 3010, 30, stack_a), WANT(8, 1503, 3, stack_a), WANT(7, 4005, 5, stack_b));
	/* the next sweep has its own sums */
	LEAVE(0, 7, 5000, SLEEPS, stack_a);
	come_back(0, 7, 5001);
	sweep();
	EXPECT(WANT(7, 5001, 1, stack_a));
}

static void stacks_that_begin_alike_are_not_the_same(void **state)
{
	static const uint64_t shorter[] = { USER, 0xaaa };

	open_rings(4000);
	LEAVE(0, 7, 1000, SLEEPS, stack_a);
	come_back(0, 7, 1010);
	LEAVE(0, 7, 2000, SLEEPS, shorter);
	come_back(0, 7, 2010);
	sweep();
	EXPECT(WANT(7, 1010, 10, stack_a), WANT(7, 2010, 10, shorter));
}

static void who_only_waits_for_a_cpu_does_not_sleep(void **state)
{
	open_rings(1);
	LEAVE(0, 7, 1000, PREEMPTED, stack_a);
	come_back(0, 7, 5000);
	LEAVE(0, 8, 1000, 4, stack_a); /* stopped */
	come_back(0, 8, 5000);
	LEAVE(0, 9, 1000, SLEEPS, no_user); /* a thread of the kernel */
	come_back(0, 9, 5000);
	LEAVE(0, 0, 1000, SLEEPS, stack_a); /* nobody */
	come_back(0, 0, 5000);
	expect_nothing();
	/* a preemption ends what was begun */
	LEAVE(0, 7, 6000, SLEEPS, stack_a);
	LEAVE(0, 7, 7000, PREEMPTED, stack_a);
	come_back(0, 7, 8000);
	expect_nothing();
}

static void leaving_is_reported_by_samples_only(void **state)
{
	open_rings(1);
	LEAVE(0, 7, 1000, SLEEPS, stack_a);
	put_switch(0, 7, 1001, true, true);
	put_switch(0, 7, 1002, false, true);
	come_back(0, 7, 1500);
	come_back(0, 7, 1600); /* once more, from nowhere */
	sweep();
	EXPECT(WANT(7, 1500, 500, stack_a));
}

/* ---- two rings ---- */

static void threads_return_on_other_cpus(void **state)
{
	open_rings(1);
	come_back(0, 7, 5000); /* this ring is read first */
	LEAVE(1, 7, 1000, SLEEPS, stack_a);
	LEAVE(0, 7, 6000, SLEEPS, stack_b);
	come_back(1, 7, 9000);
	sweep();
	EXPECT(WANT(7, 5000, 4000, stack_a), WANT(7, 9000, 3000, stack_b));
}

static void a_sleep_may_last_several_sweeps(void **state)
{
	open_rings(1);
	LEAVE(0, 7, 1000, SLEEPS, stack_a);
	expect_nothing();
	expect_nothing();
	come_back(1, 7, 9000);
	sweep();
	EXPECT(WANT(7, 9000, 8000, stack_a));
}

/* The ring with the return is read, then both records arrive, then the other ring is read in the next sweep. */
static void the_return_may_be_seen_first(void **state)
{
	open_rings(1);
	come_back(0, 7, 5000);
	expect_nothing();
	LEAVE(1, 7, 1000, SLEEPS, stack_a);
	sweep();
	EXPECT(WANT(7, 5000, 4000, stack_a));
	/* but a return from an earlier sleep ends no later one */
	come_back(0, 7, 6000);
	LEAVE(1, 7, 7000, SLEEPS, stack_a);
	expect_nothing();
	come_back(0, 7, 7001);
	sweep();
	EXPECT(WANT(7, 7001, 1, stack_a));
}

/* ---- records that are not as they should be ---- */

/* Thread 7 leaves the CPU at 1000 with two frames; `n` is their stated number, `raw_size` the stated size of `rest`. */
static void put_damaged(uint64_t n, uint32_t raw_size, size_t rest)
{
	uint8_t raw[64] = { 0 };

	raw[STATE_AT] = SLEEPS;
	put_header(0, RECORD_SAMPLE, 1, 8 + 40 + 16 + 4 + rest);
	put_u64(0, 0);
	put_ids(0, 100, 7);
	put_u64(0, 1000);
	put_u64(0, 0);
	put_u64(0, n);
	put_u64(0, USER);
	put_u64(0, 0xaaa);
	put(0, &raw_size, 4);
	put(0, raw, rest);
}

/* A record of another type. What reads it as the end of the one before finds a sleep in it. */
static void put_other(void)
{
	put_header(0, 100, 0, 8 + 80);
	for (int i = 0; i < 10; i++)
		put_u64(0, 0x0101010101010101);
}

static void damaged_samples_are_no_sleeps(void **state)
{
	static const struct {
		uint64_t n;
		uint32_t raw_size;
		size_t rest;
	} wrong[] = {
		{ UINT64_MAX, RAW, RAW }, { 1ull << 61, RAW, RAW }, { 1000, RAW, RAW },
		{ 7, RAW, RAW },                                                              /* one more than fits */
		{ 2, UINT32_MAX, RAW },   { 2, RAW + 1, RAW },      { 2, STATE_AT + 7, RAW }, /* the state is cut */
	};

	open_rings(1);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		put_damaged(wrong[i].n, wrong[i].raw_size, wrong[i].rest);
		put_other();
		come_back(0, 7, 5000);
		expect_nothing();
	}
	put_damaged(2, RAW, RAW); /* the undamaged one */
	come_back(0, 7, 5000);
	sweep();
	EXPECT({ 7, 5000, 4000, stack_a, 2 });
}

static void records_may_be_too_short(void **state)
{
	enum { TID_OF_HEADER = 24 << 16 }; /* misc and size of a record of 24 bytes, read as a tid */

	open_rings(1);
	put_header(0, RECORD_SAMPLE, 1, 8 + 40); /* ends with the number of frames */
	put_u64(0, 0);
	put_ids(0, 100, 7);
	put_u64(0, 1000);
	put_u64(0, 0);
	put_u64(0, 2);
	put_other();
	come_back(0, 7, 5000);
	LEAVE(0, TID_OF_HEADER, 1000, SLEEPS, stack_a);
	put_header(0, RECORD_SWITCH, 0, 8 + 16);
	put_u64(0, 5000);
	put_u64(0, 5000);
	put_header(0, RECORD_SWITCH, MISC_SWITCH_OUT, 8); /* as from kernels without ids in all records */
	expect_nothing();
	LEAVE(0, 7, 6000, SLEEPS, stack_a); /* all is read on behind them */
	come_back(0, 7, 7000);
	sweep();
	EXPECT(WANT(7, 7000, 1000, stack_a));
	put_header(0, RECORD_SWITCH, 0, 0); /* a size of 0: where the next record begins is unknown */
	LEAVE(0, 7, 8000, SLEEPS, stack_a);
	come_back(0, 7, 9000);
	expect_nothing();
}

static void the_state_may_be_the_last_of_the_data(void **state)
{
	static const uint64_t two[] = { USER, 0x1234 };

	open_rings(1);
	put_header(0, RECORD_SAMPLE, 1, 8 + 40 + 16 + 4 + STATE_AT + 8 + 4);
	put_u64(0, 0);
	put_ids(0, 100, 7);
	put_u64(0, 1000);
	put_u64(0, 0);
	put_u64(0, 2);
	put(0, two, 16);
	put(0, &(uint32_t){ STATE_AT + 8 }, 4);
	put(0, (const char[STATE_AT]){ 0 }, STATE_AT);
	put_u64(0, SLEEPS);
	put(0, "pad", 4);
	come_back(0, 7, 1001);
	sweep();
	EXPECT(WANT(7, 1001, 1, two));
}

/* A stack must fit into one record of 64 KB, together with the other fields. */
static void the_deepest_stacks_still_fit(void **state)
{
	enum { MOST = 8000 };
	autofree uint64_t *ips = xcalloc(MOST + 1, sizeof(*ips));

	for (size_t i = 0; i <= MOST; i++)
		ips[i] = i ? 0x1000 + i : USER;
	open_rings(1);
	leave((struct leave){ 0, 7, 1000, SLEEPS, ips, MOST });
	leave((struct leave){ 1, 8, 1000, SLEEPS, ips, MOST + 1 });
	come_back(0, 7, 2000);
	come_back(0, 8, 2000);
	sweep();
	EXPECT({ 7, 2000, 1000, ips, MOST });
}

/* ---- opening ---- */

static void expect_no_state(const char *fields, const char *what)
{
	fake_switch(fields);
	assert_int_equal(recorder_open_off_cpu(&recorder, &error), -1);
	assert_string_equal(error.what, what);
	off_cpu_free(recorder.off_cpu);
	recorder.off_cpu = NULL;
	error = (struct err){ 0 };
}

static void the_kernel_must_tell_the_state(void **state)
{
	static const char what[] = "--off-cpu: the format of sched:sched_switch has no field prev_state";

	recorder.target.system_wide = true;
	assert_int_equal(target_resolve(&recorder.target, &error), 0);
	assert_int_equal(off_cpu_add_event(&recorder, &error), 0);
	expect_no_state("\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n", what);
	expect_no_state("\tfield:long prev_state;\n", what);
	expect_no_state("\tfield:long prev_state;\toffset:-3;\n", what);
	expect_no_state("\tfield:long no_prev_state_at_all;\toffset:3;\n", what);
}

/* The samples of the event come from us: perf-record(1), --off-cpu. The kernel must open it nevertheless. */
static void its_event_has_the_fields_of_our_samples(void **state)
{
	const struct perf_event_attr *attr;

	open_rings(1);
	attr = &recorder.events.events.items[0].attr;
	assert_int_equal(attr->type, PERF_TYPE_SOFTWARE);
	assert_int_equal(attr->config, PERF_COUNT_SW_BPF_OUTPUT);
	assert_string_equal(recorder.events.events.items[0].name, "offcpu-time");
	assert_int_equal(attr->sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						    PERF_SAMPLE_CALLCHAIN);
	assert_true(recorder.o.identifier);
	assert_int_equal(n_fake_calls, 2);
	for (size_t i = 0; i < 2; i++) {
		attr = &fake_calls[i].attr;
		assert_int_equal(attr->config, 316);
		assert_int_equal(attr->sample_period, 1);
		assert_int_equal(attr->sample_max_stack, 127);
		assert_true(attr->context_switch && attr->sample_id_all && attr->disabled);
		assert_true(attr->exclude_callchain_kernel);
		assert_false(attr->enable_on_exec);
	}
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_long_sleep_is_a_sample),
		T(short_sleeps_are_summed_by_thread_and_stack),
		T(stacks_that_begin_alike_are_not_the_same),
		T(who_only_waits_for_a_cpu_does_not_sleep),
		T(leaving_is_reported_by_samples_only),
		T(threads_return_on_other_cpus),
		T(a_sleep_may_last_several_sweeps),
		T(the_return_may_be_seen_first),
		T(damaged_samples_are_no_sleeps),
		T(records_may_be_too_short),
		T(the_state_may_be_the_last_of_the_data),
		T(the_deepest_stacks_still_fit),
		T(the_kernel_must_tell_the_state),
		T(its_event_has_the_fields_of_our_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
