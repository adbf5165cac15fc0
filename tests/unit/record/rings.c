#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "record/rings.h"

enum { SIZE = 65536, N = 3 };

/* Rings of CPUs 0, 1 and 2 that the test writes in place of the kernel. */
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
		vec_push(&f->rings.rings, (struct ring){ .control = &f->pages[i], .data = f->data[i], .size = SIZE, .cpu = i, .tid = -1 });
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fake *f = *state;

	vec_free(&f->rings.rings);
	vec_free(&f->rings.iov);
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
	f->pages[0].data_head += 64;	/* somebody's single record */
	assert_int_equal(rings_written_at(&f->rings, 1), 1);
	f->pages[2].data_head += 4096;
	assert_int_equal(rings_written_at(&f->rings, 1), 2);
}

/* What the reader itself does is recorded as well when all CPUs are. */
static void what_the_reader_writes_does_not_hold_it(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_fullest_ring_of_a_round_is_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_writer_that_was_moved_is_followed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_the_reader_writes_does_not_hold_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(flight_recorders_are_not_read_and_draw_nobody, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
