#include "record/machine/schedstat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "format/record.h"

static char root[64];

static void put_file(const char *path, const char *text)
{
	char whole[256];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int setup(void **state)
{
	char path[256];

	strcpy(root, "/tmp/strobe-schedstat-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(path, sizeof(path), "%s/proc", root);
	return mkdir(path, 0700);
}

static int teardown(void **state)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/proc/schedstat", root);
	unlink(path);
	snprintf(path, sizeof(path), "%s/proc", root);
	rmdir(path);
	return rmdir(root);
}

static int read_counters(struct schedstat_reader *r, const char *text)
{
	struct err e = { 0 };

	*r = (struct schedstat_reader){ .root = root };
	put_file("/proc/schedstat", text);
	return schedstat_read(r, &e);
}

#define CPU0     "cpu0 1 2 3 4 5 6 7000000007 8 9\n"
#define TEN      "1 2 3 4 5 6 7 8 9 10 "
#define DOMAIN16 TEN TEN TEN "31 32 33 34 35 36\n"
#define DOMAIN17 TEN TEN TEN TEN "41 42 43 44 45\n"

static void cpus_and_domains_become_records(void **state)
{
	struct schedstat_reader r;
	struct bytes b;

	assert_int_equal(read_counters(&r, "version 17\ntimestamp 77\n" CPU0 "domain0 MC 00000001,00000003 " DOMAIN17),
			 0);
	assert_int_equal(r.records.len, 8 + 16 + 24 + 24 + 8 + 16 + 4 * 45 + 4);
	b = bytes_of((const uint8_t *)r.records.buf, r.records.len, false);
	assert_int_equal(bytes_u32(&b), RECORD_SCHEDSTAT_CPU);
	bytes_u16(&b);
	assert_int_equal(bytes_u16(&b), 72);
	assert_int_equal(bytes_u64(&b), 77);
	assert_int_equal(bytes_u32(&b), 0);
	assert_int_equal(bytes_u16(&b), 17);
	bytes_u16(&b);
	for (uint32_t i = 1; i <= 6; i++)
		assert_int_equal(bytes_u32(&b), i);
	assert_int_equal(bytes_u64(&b), 7000000007);
	assert_int_equal(r.max_domains, 1);
	assert_string_equal(r.domains.items[0].domains[0].name, "MC");
	assert_string_equal(r.domains.items[0].domains[0].cpus, "0-1,32");
	schedstat_release(&r);
}

static void domains_of_older_versions_have_no_name(void **state)
{
	struct schedstat_reader r;

	assert_int_equal(read_counters(&r, "version 16\ntimestamp 77\n" CPU0 "domain0 3 " DOMAIN16), 0);
	assert_string_equal(r.domains.items[0].domains[0].name, "");
	assert_string_equal(r.domains.items[0].domains[0].mask, "3");
	schedstat_release(&r);
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"version 18\ntimestamp 77\n" CPU0,
		"version 14\ntimestamp 77\n" CPU0,
		CPU0,
		"version 17\ntimestamp 77\n",
		"version 17\ntimestamp 77\ncpu0 1 2 3\n",
		"version 17\ntimestamp 77\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
		"version 17\ntimestamp 77\ncpux 1 2 3 4 5 6 7 8 9\n",
		"version 17\ntimestamp 77\n" CPU0 "domain0 MC 3 1 2 3\n",
		"version 17\ntimestamp 77\n" CPU0 "domain0 MC 3 " DOMAIN16,
		"",
	};
	struct schedstat_reader r;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(read_counters(&r, texts[i]), -1);
		schedstat_release(&r);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(cpus_and_domains_become_records),
		T(domains_of_older_versions_have_no_name),
		T(other_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
