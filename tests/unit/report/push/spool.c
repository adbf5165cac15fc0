/* The spool: what is put comes back, equal names replace each other, the limit holds. */
#include "report/push/spool_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct push_batch batch = {
	.where = "/x?y", .type = "text/plain", .encoding = "", .body = "line\nline\0end", .len = 13
};

/* Count the directories that are synced, in place of the libc's fsync(). */
static unsigned n_synced_dirs;

int fsync(int fd)
{
	struct stat st;

	n_synced_dirs += fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	return 0;
}

static void put_and_get(void **state)
{
	struct push_spool s, again;
	struct spool_names names;
	struct push_batch back;
	struct err e = { 0 };
	char dir[] = "/tmp/spool-unit-XXXXXX", *bytes;
	autofree char *base = xasprintf("%s/a/b", mkdtemp(dir));
	uint64_t one;

	assert_int_equal(spool_open(&s, base, "url", 100, &e), 0);
	assert_int_equal(s.bytes, 0);
	assert_int_equal(spool_put(&s, "2", &batch, &e), 0);
	assert_int_equal(n_synced_dirs, 1); /* without it, a crash may take the new name away */
	one = s.bytes;
	assert_true(one > batch.len);
	assert_int_equal(spool_put(&s, "2", &batch, &e), 0);
	assert_int_equal(s.bytes, one);
	assert_int_equal(spool_put(&s, "1", &batch, &e), 0);
	assert_int_equal(spool_put(&s, "3", &batch, &e), 0);
	while (spool_put(&s, "4", &batch, &e) == 0) /* until it is full */
		s.limit--;
	assert_non_null(strstr(e.what, "is full"));
	spool_close(&s);

	assert_int_equal(spool_open(&again, base, "url", 1000, &e), 0);
	assert_int_equal(spool_list(&again, &names, &e), 0);
	assert_true(names.len >= 3);
	assert_string_equal(names.items[0], "1");
	assert_string_equal(names.items[1], "2");
	spool_names_free(&names);
	assert_int_equal(spool_get(&again, "2", &back, &bytes, &e), 0);
	assert_string_equal(back.where, batch.where);
	assert_string_equal(back.type, batch.type);
	assert_string_equal(back.encoding, "");
	assert_int_equal(back.len, batch.len);
	assert_memory_equal(back.body, batch.body, batch.len);
	free(bytes);
	spool_remove_all(&again, "");
	assert_int_equal(again.bytes, 0);
	assert_int_equal(spool_get(&again, "2", &back, &bytes, &e), -1);
	bytes = xasprintf("rm -r %s", dir);
	spool_close(&again);
	assert_int_equal(system(bytes), 0);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(put_and_get) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
