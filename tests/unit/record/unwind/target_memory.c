#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "record/unwind/target_memory_priv.h"

static void memory_is_read_once_and_only_where_it_is(void **state)
{
	static struct target_memory m;
	uint8_t *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char got[16];

	assert_true(p != MAP_FAILED);
	munmap(p + 8192, 4096);
	memcpy(p + 4090, "over a border", 14);
	m.pid = getpid();
	if (!target_memory_read(&m, (uintptr_t)p, got, 1) && m.refused)
		skip(); /* in a sandbox */
	assert_true(target_memory_read(&m, (uintptr_t)p + 4090, got, 14));
	assert_string_equal(got, "over a border");
	assert_int_equal(m.n, 2);
	p[4090] = 'x'; /* what was read stays */
	assert_true(target_memory_read(&m, (uintptr_t)p + 4090, got, 1));
	assert_int_equal(got[0], 'o');
	assert_false(target_memory_read(&m, (uintptr_t)p + 8190, got, 4));
	assert_false(target_memory_read(&m, (uintptr_t)p + 8192, got, 4));
	assert_false(m.refused);
	munmap(p, 8192);
}

enum { PAGES = 100 };

static void room_is_bounded(void **state)
{
	static struct target_memory m;
	uint8_t *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned n = 0;
	char got;

	assert_true(p != MAP_FAILED);
	m.pid = getpid();
	for (unsigned i = 0; i < PAGES; i++)
		n += target_memory_read(&m, (uintptr_t)p + i * 4096, &got, 1);
	assert_true(n == m.n && n < PAGES);
	munmap(p, PAGES * 4096);
}

static void pages_that_were_never_written_can_be_touched(void **state)
{
	static struct target_memory m;
	uint8_t *p = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t now[4];
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	assert_true(p != MAP_FAILED && fd >= 0);
	m.pid = getpid();
	target_memory_touch(&m, (uintptr_t)p + 1, (uintptr_t)p + 2 * 4096 + 1);
	if (m.refused)
		skip();
	assert_int_equal(pread(fd, now, sizeof(now), (off_t)((uintptr_t)p / 4096 * 8)), sizeof(now));
	assert_int_equal(now[0] >> 63, 0);
	assert_int_equal(now[1] >> 63, 1);
	assert_int_equal(now[2] >> 63, 1);
	assert_int_equal(now[3] >> 63, 0);
	close(fd);
	munmap(p, 4 * 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_read_once_and_only_where_it_is),
		cmocka_unit_test(room_is_bounded),
		cmocka_unit_test(pages_that_were_never_written_can_be_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
