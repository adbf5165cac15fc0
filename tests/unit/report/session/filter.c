/* Which samples pass the lists of --pid, --comms, --dsos, --symbols and --cpu. */
#include "report/session/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/lib/build.h"
#include "tests/lib/walked.h"

static void add(struct sample_filter *f, enum sample_filter_kind kind, const char *list)
{
	struct err e = { 0 };

	if (sample_filter_add(f, kind, list, &e) < 0)
		fail_msg("%s: %s", list, e.what);
}

/* A session with one process 7, named "prog", that maps /bin/prog. */
static struct session *session_of_prog(void)
{
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME);
	struct session *s;

	build_comm(&b, .pid = 7, .tid = 8, .time = 10, .comm = "prog");
	build_mmap(&b, .pid = 7, .tid = 7, .time = 11, .start = 0x1000, .len = 0x1000, .filename = "/bin/prog");
	s = walked(&b, &(struct session_opts){ 0 });
	build_release(&b);
	return s;
}

static struct task task_of(struct session *s, int32_t pid, int32_t tid)
{
	struct lookup l = { 0 };
	struct task t;

	session_task(s, &l, pid, tid, session_moment(s, &l, 20, session_pos(0, 1ull << 40)), &t);
	lookup_release(&l);
	return t;
}

static void an_empty_filter_wants_all(void **state)
{
	struct session *s = session_of_prog();
	struct sample_filter f = { 0 };
	struct task t = task_of(s, 7, 8);

	assert_true(sample_filter_wants_task(&f, s, &t));
	assert_true(sample_filter_wants_cpu(&f, 5));
	assert_true(sample_filter_wants_place(&f, s->symbols, 0x1000, 0, 0));
	assert_false(sample_filter_by_place(&f));
	assert_false(sample_filter_by_caller(&f));
	session_close(s);
}

static void tasks_by_id_and_name(void **state)
{
	static const struct {
		enum sample_filter_kind kind;
		const char *list;
		bool wanted;
	} cases[] = {
		{ FILTER_PIDS, "6,7", true },      { FILTER_PIDS, "8", false },      { FILTER_TIDS, "8", true },
		{ FILTER_TIDS, "7", false },       { FILTER_COMMS, "x,prog", true }, { FILTER_COMMS, "pro", false },
		{ FILTER_COMMS, ",,prog,", true },
	};
	struct session *s = session_of_prog();
	struct task t = task_of(s, 7, 8);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample_filter f = { 0 };

		add(&f, cases[i].kind, cases[i].list);
		if (sample_filter_wants_task(&f, s, &t) != cases[i].wanted)
			fail_msg("case %zu: '%s'", i, cases[i].list);
		sample_filter_free(&f);
	}
	session_close(s);
}

static void lists_are_joined_by_and(void **state)
{
	struct session *s = session_of_prog();
	struct sample_filter f = { 0 };
	struct task t = task_of(s, 7, 8);

	add(&f, FILTER_PIDS, "7");
	assert_true(sample_filter_wants_task(&f, s, &t));
	add(&f, FILTER_COMMS, "other");
	assert_false(sample_filter_wants_task(&f, s, &t));
	sample_filter_free(&f);
	session_close(s);
}

static void ids_must_be_numbers(void **state)
{
	static const char *const bad[] = { "x", "7,x", "-1", "2147483648", "7 8" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct sample_filter f = { 0 };
		struct err e = { 0 };

		assert_int_equal(sample_filter_add(&f, FILTER_PIDS, bad[i], &e), -1);
		assert_non_null(strstr(e.what, "is not a process id"));
		sample_filter_free(&f);
	}
}

static void cpus_may_be_ranges(void **state)
{
	struct sample_filter f = { 0 };

	add(&f, FILTER_CPUS, "1,3-4");
	for (uint32_t cpu = 0; cpu < 6; cpu++)
		assert_int_equal(sample_filter_wants_cpu(&f, cpu), cpu == 1 || cpu == 3 || cpu == 4);
	assert_false(sample_filter_wants_cpu(&f, UINT32_MAX));
	sample_filter_free(&f);
}

static void cpus_need_samples_that_tell_them(void **state)
{
	struct session *s = session_of_prog();
	struct sample_filter f = { 0 };
	struct err e = { 0 };

	assert_int_equal(sample_filter_check(&f, s->pd, &e), 0);
	add(&f, FILTER_CPUS, "0");
	assert_int_equal(sample_filter_check(&f, s->pd, &e), -1);
	assert_non_null(strstr(e.what, "do not say on which CPU"));
	sample_filter_free(&f);
	session_close(s);
}

static void addresses_stand_for_symbols_and_what_follows_them(void **state)
{
	struct session *s = session_of_prog();
	struct sample_filter f = { .address_range = 4 };

	add(&f, FILTER_SYMBOLS, "0x1000,main");
	assert_true(sample_filter_by_place(&f));
	assert_false(sample_filter_wants_place(&f, s->symbols, 0xfff, 0, 0));
	assert_true(sample_filter_wants_place(&f, s->symbols, 0x1000, 0, 0));
	assert_true(sample_filter_wants_place(&f, s->symbols, 0x1004, 0, 0));
	assert_false(sample_filter_wants_place(&f, s->symbols, 0x1005, 0, 0));
	sample_filter_free(&f);
	session_close(s);
}

static void callers_are_found_by_name(void **state)
{
	struct sample_filter f = { 0 };

	add(&f, FILTER_CALLERS, "main,outer");
	assert_true(sample_filter_by_caller(&f));
	assert_true(sample_filter_has_caller(&f, "outer"));
	assert_false(sample_filter_has_caller(&f, "out"));
	sample_filter_free(&f);
}

/* A quoted name, whatever it contains, selects only itself. */
static void a_quoted_name_is_that_name(void **state)
{
	static const char *const names[] = { "plain", "a,b", "a\\,b", "file:///etc/passwd", "\\" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct sample_filter f = { 0 };
		char *list = sample_filter_quote(names[i]);

		add(&f, FILTER_CALLERS, list);
		if (!sample_filter_has_caller(&f, names[i]) || f.callers.texts.len != 2)
			fail_msg("'%s' became '%s'", names[i], list);
		sample_filter_free(&f);
		free(list);
	}
}

static void names_come_from_a_file_of_lines(void **state)
{
	char path[] = "/tmp/strobe-filter.XXXXXX", list[64];
	struct sample_filter f = { 0 };
	int fd = mkstemp(path);

	assert_int_equal(write(fd, "main\na,b\n", 9), 9);
	close(fd);
	snprintf(list, sizeof(list), "file://%s", path);
	add(&f, FILTER_CALLERS, list);
	unlink(path);
	assert_true(sample_filter_has_caller(&f, "main"));
	assert_true(sample_filter_has_caller(&f, "a,b"));
	assert_false(sample_filter_has_caller(&f, "a"));
	assert_int_equal(sample_filter_add(&f, FILTER_CALLERS, list, NULL), -1);
	sample_filter_free(&f);
}

static void subjects_and_what_they_start(void **state)
{
	const uint32_t subjects[] = { 1, 7 };
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME);
	struct sample_filter f = { .subjects = true };
	struct session *s;

	build_feature(&b, FEATURE_SUBJECTS, subjects, sizeof(subjects));
	build_fork(&b, .pid = 8, .tid = 8, .ppid = 7, .ptid = 7, .time = 10);
	build_fork(&b, .pid = 9, .tid = 9, .ppid = 1, .ptid = 1, .time = 11);
	s = walked(&b, &(struct session_opts){ 0 });
	for (int32_t tid = 7; tid <= 9; tid++) {
		struct task t = task_of(s, tid, tid);

		assert_int_equal(sample_filter_wants_task(&f, s, &t), tid != 9);
	}
	assert_true(sample_filter_by_task(&f));
	assert_false(sample_filter_wants_all(&f));
	session_close(s);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_filter_wants_all),
		cmocka_unit_test(tasks_by_id_and_name),
		cmocka_unit_test(subjects_and_what_they_start),
		cmocka_unit_test(lists_are_joined_by_and),
		cmocka_unit_test(ids_must_be_numbers),
		cmocka_unit_test(cpus_may_be_ranges),
		cmocka_unit_test(cpus_need_samples_that_tell_them),
		cmocka_unit_test(addresses_stand_for_symbols_and_what_follows_them),
		cmocka_unit_test(callers_are_found_by_name),
		cmocka_unit_test(a_quoted_name_is_that_name),
		cmocka_unit_test(names_come_from_a_file_of_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
