#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void numbers(void **state)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "-1", "+1", "0x", "0xg", "1x", "18446744073709551616", "0x10000000000000000"
	};
	struct err e = { 0 };
	uint64_t v = 5;

	assert_int_equal(parse_u64("0", &v, &e), 0);
	assert_int_equal(v, 0);
	assert_int_equal(parse_u64("18446744073709551615", &v, &e), 0);
	assert_int_equal(v, UINT64_MAX);
	assert_int_equal(parse_u64("0xFfffFFFFffffffff", &v, &e), 0);
	assert_int_equal(v, UINT64_MAX);
	assert_int_equal(parse_u64("010", &v, &e), 0);
	assert_int_equal(v, 10);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse_u64(bad[i], &v, &e), -1);
	assert_int_equal(v, 10);
	parse_u64("3X", &v, &e);
	assert_string_equal(e.what, "bad number '3X'");
}

static void sizes(void **state)
{
	static const char *const bad[] = { "", "K", "1T", "1KB", "1k", "-1K", "1 K", "1.5M", "17179869184G" };
	struct err e = { 0 };
	uint64_t v;

	assert_int_equal(parse_size("77", &v, &e), 0);
	assert_int_equal(v, 77);
	assert_int_equal(parse_size("3B", &v, &e), 0);
	assert_int_equal(v, 3);
	assert_int_equal(parse_size("3K", &v, &e), 0);
	assert_int_equal(v, 3072);
	assert_int_equal(parse_size("3M", &v, &e), 0);
	assert_int_equal(v, 3 << 20);
	assert_int_equal(parse_size("17179869183G", &v, &e), 0);
	assert_int_equal(v, UINT64_C(17179869183) << 30);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse_size(bad[i], &v, &e), -1);
	assert_string_equal(e.what, "bad size '17179869184G'");
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 },
		{ "2", 2000000000 },
		{ "1.5", 1500000000 },
		{ "3s", 3000000000 },
		{ "2m", 120000000000 },
		{ "1h", 3600000000000 },
		{ "1d", 86400000000000 },
		{ "10ms", 10000000 },
		{ "10us", 10000 },
		{ "10ns", 10 },
		{ "0.5ms", 500000 },
		{ "0.000000001", 1 },
		{ "0.0000000019999999999999999999", 1 },
		{ "1.50000000000000000000000000000000000000000000", 1500000000 },
		{ "18446744073.709551615", UINT64_MAX },
	};
	static const char *const bad[] = {
		"", "s", "1.", ".5", "-1", "1x", "1 s", "1ks", "18446744073.709551616", "213504d", "1e3"
	};
	struct err e = { 0 };
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(parse_duration(good[i].text, &v, &e), 0);
		assert_int_equal(v, good[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse_duration(bad[i], &v, &e), -1);
	assert_string_equal(e.what, "bad duration '1e3'");
}

static void cpu_lists_come_out_sorted(void **state)
{
	static const char *const bad[] = {
		"", ",", "1,", ",1", "a", "1-", "-1", "3-1", "65536", "1-65536", "1 2", "1--2", "99999999999999999999"
	};
	struct cpuset c = { 0 };
	struct err e = { 0 };
	char text[64], tiny[5];

	assert_string_equal(cpuset_format(&c, text, sizeof(text)), "");
	assert_int_equal(cpuset_parse(&c, "8,0-3,2-5,7", &e), 0);
	assert_string_equal(cpuset_format(&c, text, sizeof(text)), "0-5,7-8");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(cpuset_parse(&c, bad[i], &e), -1);
	assert_int_equal(cpuset_parse(&c, "20,30,x", &e), -1);
	assert_string_equal(e.what, "bad list of CPUs '20,30,x'");
	assert_int_equal(c.len, 8);
	assert_true(cpuset_has(&c, 0) && cpuset_has(&c, 8) && cpuset_has(&c, 5));
	assert_false(cpuset_has(&c, 6) || cpuset_has(&c, 9) || cpuset_has(&c, -1));
	cpuset_add(&c, 6);
	cpuset_add(&c, 6);
	assert_string_equal(cpuset_format(&c, text, sizeof(text)), "0-8");
	cpuset_add(&c, 65535);
	assert_string_equal(cpuset_format(&c, tiny, sizeof(tiny)), "0-8,");
	cpuset_free(&c);
}

static void cpu_lists_are_read_from_files(void **state)
{
	char name[] = "/tmp/strobe-cpus-XXXXXX";
	autoclose int fd = mkstemp(name);
	struct cpuset c = { 0 };
	struct err e = { 0 };

	assert_int_equal(write(fd, "\n", 1), 1);
	assert_int_equal(cpuset_read(&c, name, &e), 0);
	assert_int_equal(c.len, 0);
	assert_int_equal(pwrite(fd, "0-1,4\n", 6, 0), 6);
	assert_int_equal(cpuset_read(&c, name, &e), 0);
	assert_int_equal(c.len, 3);
	assert_int_equal(pwrite(fd, "0-x,4\n", 6, 0), 6);
	assert_int_equal(cpuset_read(&c, name, &e), -1);
	assert_non_null(strstr(e.what, "bad list of CPUs '0-x,4'"));
	unlink(name);
	assert_int_equal(cpuset_read(&c, name, &e), -1);
	cpuset_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(sizes),
		cmocka_unit_test(durations),
		cmocka_unit_test(cpu_lists_come_out_sorted),
		cmocka_unit_test(cpu_lists_are_read_from_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
