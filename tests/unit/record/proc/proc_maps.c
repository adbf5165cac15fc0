#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "record/proc/proc_maps_priv.h"

static size_t count(const char *text, struct proc_map *maps, size_t max)
{
	const char *at = text, *end = text + strlen(text);
	size_t n = 0;

	while (n < max && proc_maps_next(&at, end, &maps[n]))
		n++;
	return n;
}

static void lines_of_every_kind(void **state)
{
	static const char text[] =
		"55d0c8a1b000-55d0c8a1d000 r--p 00000000 fe:00 247101                     /usr/bin/bash\n"
		"55d0c8a1d000-55d0c8ade000 r-xp 0002f000 fe:10 247101                     /usr/bin/with a blank "
		"(deleted)\n"
		"7f0000000000-7f0000001000 rw-s 00001000 00:01 1024                       /memfd:x (deleted)\n"
		"7fff00000000-7fff00021000 rw-p 00000000 00:00 0 \n"
		"7fff00021000-7fff00023000 r-xp 00000000 00:00 0                          [vdso]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";
	struct proc_map m[8];

	assert_int_equal(count(text, m, 8), 6);
	assert_int_equal(m[0].start, 0x55d0c8a1b000);
	assert_int_equal(m[0].end, 0x55d0c8a1d000);
	assert_int_equal(m[0].prot, PROT_READ);
	assert_int_equal(m[0].flags, MAP_PRIVATE);
	assert_int_equal(m[0].maj, 0xfe);
	assert_int_equal(m[0].ino, 247101);
	assert_int_equal(m[0].path_len, strlen("/usr/bin/bash"));
	assert_memory_equal(m[0].path, "/usr/bin/bash", m[0].path_len);
	assert_int_equal(m[1].prot, PROT_READ | PROT_EXEC);
	assert_int_equal(m[1].offset, 0x2f000);
	assert_int_equal(m[1].min, 0x10);
	assert_memory_equal(m[1].path, "/usr/bin/with a blank (deleted)", m[1].path_len);
	assert_int_equal(m[2].flags, MAP_SHARED);
	assert_int_equal(m[2].prot, PROT_READ | PROT_WRITE);
	assert_int_equal(m[3].path_len, 0);
	assert_memory_equal(m[4].path, "[vdso]", m[4].path_len);
	assert_int_equal(m[5].start, 0xffffffffff600000);
	assert_int_equal(m[5].prot, PROT_EXEC);
}

static void malformed_lines_are_passed_over(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"\n\n\n",
		"x\n",
		"1000\n",
		"1000-\n",
		"1000-2000\n",
		"1000-2000 r-xp\n",
		"1000-2000 r-xq 0 0:0 0 /x\n",
		"2000-1000 r-xp 0 00:00 0 /x\n",
		"1000-1000 r-xp 0 00:00 0 /x\n",
		"1000-2000 r-xp 0 00:00 /x\n",
		"-2000 r-xp 0 00:00 0 /x\n",
		"1000-2000 r-xp 0 00:00 0 /cut",
	};
	struct proc_map m[4];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(count(bad[i], m, 4), 0);
	assert_int_equal(count("x\n1000-2000 r-xp 0 00:00 0 /x\nz\n3000-4000 r-xp 0 00:00 0 /y\n", m, 4), 2);
	assert_int_equal(m[1].start, 0x3000);
}

static void stat_of_a_thread_with_an_awkward_name(void **state)
{
	static const char text[] =
		"4711 (a) b (c) R 17 4711 4700 0 -1 4194304 120 0 0 0 1 2 0 0 20 0 3 0 1000 4096 100";
	struct proc_stat s;

	assert_true(proc_stat_parse(text, sizeof(text) - 1, &s));
	assert_int_equal(s.pid, 4711);
	assert_string_equal(s.comm, "a) b (c");
	assert_int_equal(s.ppid, 17);
	assert_int_equal(s.flags, 4194304);
	assert_int_equal(s.n_threads, 3);
}

static void stat_of_a_kernel_thread(void **state)
{
	static const char text[] = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 3 0 0";
	struct proc_stat s;

	assert_true(proc_stat_parse(text, sizeof(text) - 1, &s));
	assert_int_equal(s.ppid, 0);
	assert_true(s.flags & PROC_KTHREAD);
}

static void a_long_name_is_cut(void **state)
{
	static const char text[] =
		"1 (kworker/u8:0-events_unbound) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 3 0 0";
	struct proc_stat s;

	assert_true(proc_stat_parse(text, sizeof(text) - 1, &s));
	assert_string_equal(s.comm, "kworker/u8:0-ev");
}

static void stats_that_are_none(void **state)
{
	static const char *const bad[] = {
		"", "1", "1 (x", "1 x)", ")1 (", "1 (x)", "1 (x) S", "1 (x) S 1 2 3", "x (x) S 1 2 3 4 5 6"
	};
	struct proc_stat s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(proc_stat_parse(bad[i], strlen(bad[i]), &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_every_kind),
		cmocka_unit_test(malformed_lines_are_passed_over),
		cmocka_unit_test(stat_of_a_thread_with_an_awkward_name),
		cmocka_unit_test(stat_of_a_kernel_thread),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(stats_that_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
