#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/out.h"
#include "format/record.h"
#include "record/rings/rings.h"

enum { SIZE = 65536, N = 3 };

/* Rings of CPUs 0, 1 and 2, written by the test instead of the kernel. */
struct fake {
	struct perf_event_mmap_page pages[N];
	uint8_t data[N][SIZE];
	struct rings rings;
};

static int set_up(void **state)
{
	struct fake *f = xcalloc(1, sizeof(*f));

	f->rings.epoll = -1;
	for (int i = 0; i < N; i++)
		vec_push(&f->rings.rings,
			 (struct ring){
				 .control = &f->pages[i], .data = f->data[i], .size = SIZE, .cpu = i, .tid = -1 });
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fake *f = *state;

	vec_free(&f->rings.rings);
	vec_free(&f->rings.iov);
	vec_free(&f->rings.patches);
	free(f);
	return 0;
}

static void look(struct fake *f)
{
	bool cut;

	rings_collect(&f->rings, 1, UINT64_MAX, &cut);
	rings_advance(&f->rings);
}

static void the_fullest_ring_of_a_round_is_known(void **state)
{
	struct fake *f = *state;

	f->pages[0].data_head = SIZE / 4;
	f->pages[1].data_head = SIZE / 2;
	f->pages[2].data_head = 8;
	look(f);
	assert_true(rings_round_is_over(&f->rings));
	assert_int_equal(f->rings.fullest, 128);
	assert_int_equal(f->rings.fullest_cpu, 1);
	assert_int_equal(f->pages[1].data_tail, SIZE / 2);
	assert_int_equal(rings_written_at(&f->rings, 0), 1);
	assert_int_equal(rings_written_at(&f->rings, 1), 1);
}

static void a_writer_that_was_moved_is_followed(void **state)
{
	struct fake *f = *state;

	f->pages[1].data_head = SIZE / 2;
	look(f);
	f->pages[0].data_head += 64; /* somebody's single record */
	assert_int_equal(rings_written_at(&f->rings, 1), 1);
	f->pages[2].data_head += 4096;
	assert_int_equal(rings_written_at(&f->rings, 1), 2);
}

/* Recording all CPUs also records what the reader does. */
static void samples_of_the_reader_do_not_keep_it_busy(void **state)
{
	struct fake *f = *state;

	f->pages[1].data_head = SIZE / 2;
	look(f);
	f->pages[0].data_head += 8192;
	f->pages[1].data_head += 4096;
	assert_int_equal(rings_written_at(&f->rings, 0), 1);
}

static void flight_recorders_are_not_read_and_draw_nobody(void **state)
{
	struct fake *f = *state;

	f->rings.rings.items[2].backward = true;
	f->pages[1].data_head = SIZE / 2;
	f->pages[2].data_head = (uint64_t)-8192;
	look(f);
	assert_int_equal(f->rings.fullest_cpu, 1);
	assert_int_equal(rings_written_at(&f->rings, 0), 1);
}

/* ---- records that are written changed ---- */

/*
 * Append a record of the words {header, number, pid and tid, time} to ring 0; it may wrap
 * around.
 */
static void put(struct fake *f, uint32_t type, uint16_t misc, uint64_t number, uint32_t pid)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t number;
		uint32_t pid, tid;
		uint64_t time;
	} record = { type, misc, sizeof(record), number, pid, 0, 0 };
	uint64_t at = f->pages[0].data_head;

	for (size_t i = 0; i < sizeof(record); i += 8)
		memcpy(f->data[0] + ((at + i) & (SIZE - 1)), (const char *)&record + i, 8);
	f->pages[0].data_head = at + sizeof(record);
}

/*
 * Return the numbers of the collected records, ended by 0, and their headers' misc or-ed
 * together.
 */
static uint16_t collected(struct fake *f, uint64_t numbers[])
{
	uint64_t words[64];
	uint8_t *to = (uint8_t *)words;
	struct {
		uint32_t type;
		uint16_t misc, size;
	} h;
	uint16_t misc = 0;
	bool cut;
	size_t n = 0;

	rings_collect(&f->rings, 1, UINT64_MAX, &cut);
	for (size_t i = 0; i < f->rings.iov.len; i++) {
		const struct iovec *iov = &f->rings.iov.items[i];

		assert_true(to + iov->iov_len <= (uint8_t *)(words + 64));
		memcpy(to, iov->iov_base, iov->iov_len);
		to += iov->iov_len;
	}
	assert_int_equal((to - (uint8_t *)words) % 32, 0);
	for (size_t i = 0; words + i < (uint64_t *)(void *)to; i += 4) {
		memcpy(&h, &words[i], sizeof(h));
		misc |= h.misc;
		numbers[n++] = words[i + 1];
	}
	numbers[n] = 0;
	rings_advance(&f->rings);
	return misc;
}

static void start_near_the_end(struct fake *f)
{
	/* the second record wraps around */
	f->pages[0].data_head = f->rings.rings.items[0].tail = SIZE - 32 - 8;
}

static void own_samples_of_chosen_events_are_left_out(void **state)
{
	struct fake *f = *state;
	struct ring_skip skip = { .pid = 7, .id_at = 8, .pid_at = 16 };
	uint64_t got[9];

	vec_push(&skip.ids, 30);
	vec_push(&skip.ids, 10);
	ring_skip_sort(&skip);
	f->rings.skip = &skip;
	start_near_the_end(f);
	put(f, RECORD_SAMPLE, 0, 30, 7);
	put(f, RECORD_SAMPLE, 0, 10, 7);
	put(f, RECORD_SAMPLE, 0, 10, 8); /* another process */
	put(f, RECORD_SAMPLE, 0, 20, 7); /* another event */
	put(f, RECORD_SAMPLE, 0, 30, 7);
	put(f, RECORD_COMM, 0, 10, 7); /* no sample */
	put(f, RECORD_SAMPLE, 0, 10, 7);
	collected(f, got);
	assert_int_equal(got[0], 10);
	assert_int_equal(got[1], 20);
	assert_int_equal(got[2], 10);
	assert_int_equal(got[3], 0);
	put(f, RECORD_SAMPLE, 0, 30, 7);
	collected(f, got);
	assert_int_equal(got[0], 0);
	assert_int_equal(f->pages[0].data_tail, f->pages[0].data_head); /* their space is free again */
	skip.id_at = -1;                                                /* a single event */
	put(f, RECORD_SAMPLE, 0, 99, 7);
	put(f, RECORD_SAMPLE, 0, 98, 8);
	collected(f, got);
	assert_int_equal(got[0], 98);
	assert_int_equal(got[1], 0);
	ring_skip_release(&skip);
}

static void false_build_id_flags_are_taken_back(void **state)
{
	struct fake *f = *state;
	uint64_t got[9];

	start_near_the_end(f);
	put(f, RECORD_MMAP2, MISC_MMAP_BUILD_ID | 2, 1, 7);
	put(f, RECORD_MMAP2, MISC_MMAP_BUILD_ID | 2, 2, 7);
	put(f, RECORD_SAMPLE, 2, 3, 7);
	f->rings.no_build_ids = true;
	assert_int_equal(collected(f, got), 2);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[1], 2);
	assert_int_equal(got[2], 3);
	assert_int_equal(got[3], 0);
	put(f, RECORD_MMAP2, MISC_MMAP_BUILD_ID | 2, 4, 7);
	f->rings.no_build_ids = false; /* we requested it: then it is true */
	assert_int_equal(collected(f, got), MISC_MMAP_BUILD_ID | 2);
}

/* Two sessions want records of symbols, and the trailer has 16 bytes. */
static void sizes_that_are_too_large_are_corrected(void **state)
{
	struct fake *f = *state;
	static const char name[16] = "bpf_prog_count";
	uint64_t record[9] = { 0, 0x1000, 64, 0, 0, 7, 8, 0xbad, 0xbad }, words[16];
	const uint64_t event[3] = { (uint64_t)24 << 48 | RECORD_EXIT, 9, 9 };
	const struct iovec *iov;
	size_t n = 0;
	bool cut;

	record[0] = (uint64_t)sizeof(record) << 48 | RECORD_KSYMBOL;
	memcpy(&record[3], name, sizeof(name));
	f->rings.trailer_size = 16;
	memcpy(f->data[0], record, sizeof(record));
	memcpy(f->data[0] + sizeof(record), event, sizeof(event));
	f->pages[0].data_head = sizeof(record) + sizeof(event);
	rings_collect(&f->rings, 1, UINT64_MAX, &cut);
	for (size_t i = 0; i < f->rings.iov.len; i++) {
		iov = &f->rings.iov.items[i];
		memcpy((char *)words + n, iov->iov_base, iov->iov_len);
		n += iov->iov_len;
	}
	rings_advance(&f->rings);
	assert_int_equal(n, 56 + sizeof(event));
	assert_int_equal(words[0] >> 48, 56);
	assert_memory_equal(&words[1], &record[1], 48);
	assert_memory_equal(&words[7], event, sizeof(event));
	assert_int_equal(f->pages[0].data_tail, f->pages[0].data_head);
}

/* As with --max-size. */
static void a_limit_keeps_whole_records(void **state)
{
	struct fake *f = *state;
	bool cut;

	for (unsigned i = 0; i < 4; i++)
		put(f, RECORD_SAMPLE, 0, i, 7);
	assert_int_equal(rings_collect(&f->rings, 1, 70, &cut), 64);
	assert_true(cut);
	assert_int_equal(f->rings.iov.len, 1);
	assert_int_equal(f->rings.iov.items[0].iov_len, 64);
	rings_advance(&f->rings);
	assert_int_equal(f->pages[0].data_tail, 64);
	assert_int_equal(rings_collect(&f->rings, 1, 70, &cut), 64); /* the rest */
	assert_false(cut);
}

static void a_flight_recorder_is_dumped_oldest_record_first(void **state)
{
	struct fake *f = *state;
	struct ring *ring = &f->rings.rings.items[0];
	uint64_t words[12];
	struct out o;

	ring->backward = true;
	ring->fd = -1;
	f->pages[0].data_head = (uint64_t)-64;
	put(f, RECORD_SAMPLE, 0, 2, 7); /* the kernel writes the newest record at the head, below the older ones */
	put(f, RECORD_SAMPLE, 0, 1, 7);
	f->pages[0].data_head = (uint64_t)-64;
	out_init_mem(&o);
	rings_dump(&f->rings, 0, &o);
	assert_int_equal(o.len, 64);
	memcpy(words, o.buf, 64);
	assert_int_equal(words[1], 1);
	assert_int_equal(words[5], 2);
	rings_dump(&f->rings, 0, &o); /* nothing is new */
	assert_int_equal(o.len, 64);
	out_release(&o);
}

/* As with --threads, where another thread reads the ring. */
static void counts_of_rings_that_were_handed_over_come_back(void **state)
{
	struct fake *f = *state;
	struct cpuset first = { 0 };
	struct rings theirs = { 0 };
	struct err e = { 0 };
	int fds[2];
	bool cut;

	assert_int_equal(pipe(fds), 0);
	f->rings.rings.items[0].fd = fds[0];
	f->rings.traced = true; /* tracers make readers look at every record */
	cpuset_add(&first, 0);
	assert_int_equal(rings_hand_over(&f->rings, &theirs, &first, &e), 0);
	assert_int_equal(theirs.rings.len, 1);
	put(f, RECORD_SAMPLE, 0, 1, 7);
	put(f, RECORD_AUX, 0, 2, 7);
	put(f, RECORD_LOST, 0, 3, 7); /* the number of lost records is where a sample has its pid */
	rings_collect(&theirs, 1, UINT64_MAX, &cut);
	rings_advance(&theirs);
	rings_take_back(&f->rings, &theirs);
	assert_int_equal(f->rings.rings.len, N);
	assert_int_equal(f->rings.samples, 1);
	assert_int_equal(f->rings.aux, 1);
	assert_int_equal(f->rings.lost, 7);
	cpuset_free(&first);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_fullest_ring_of_a_round_is_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_writer_that_was_moved_is_followed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(samples_of_the_reader_do_not_keep_it_busy, set_up, tear_down),
		cmocka_unit_test_setup_teardown(flight_recorders_are_not_read_and_draw_nobody, set_up, tear_down),
		cmocka_unit_test_setup_teardown(own_samples_of_chosen_events_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(false_build_id_flags_are_taken_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sizes_that_are_too_large_are_corrected, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_limit_keeps_whole_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_flight_recorder_is_dumped_oldest_record_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counts_of_rings_that_were_handed_over_come_back, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
