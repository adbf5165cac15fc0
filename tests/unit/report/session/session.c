#include "report/session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/build.h"
#include "tests/lib/walked.h"

#define WHEN (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

/* Build, open and walk. */
static struct session *session_from(struct build *b)
{
	struct session *s = walked(b, &(struct session_opts){ 0 });

	build_release(b);
	return s;
}

/* The owner of a record with this time, placed after all others. */
static struct task task_at(const struct session *s, int32_t pid, int32_t tid, uint64_t time)
{
	struct lookup l = { 0 };
	struct task t;

	session_task(s, &l, pid, tid, session_moment(s, &l, time, session_pos(0, 1ull << 40)), &t);
	lookup_release(&l);
	return t;
}

static const char *comm_at(const struct session *s, int32_t tid, uint64_t time)
{
	static char buf[16];

	return session_comm(s, task_at(s, tid, tid, time).comm, buf);
}

/* The file mapped at addr; NULL if none. */
static const char *file_at(const struct session *s, int32_t pid, int32_t tid, uint64_t time, uint64_t addr)
{
	struct lookup l = { 0 };
	uint32_t moment = session_moment(s, &l, time, session_pos(0, 1ull << 40));
	struct task t;
	struct map_hit hit;

	session_task(s, &l, pid, tid, moment, &t);
	lookup_release(&l);
	return session_find(s, &t, moment, CPUMODE_USER, addr, &hit) ? dso_name(s->symbols, hit.dso) : NULL;
}

static void comm_from_exec_renames_only_from_then_on(void **state)
{
	struct build b = build_start(WHEN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "sh");
	build_comm(&b, .pid = 7, .tid = 7, .time = 20, .comm = "ls", .exec = true);
	struct session *s = session_from(&b);
	assert_string_equal(comm_at(s, 7, 15), "sh");
	assert_string_equal(comm_at(s, 7, 20), "ls");
	assert_string_equal(comm_at(s, 7, 99), "ls");
	session_close(s);
}

static void before_its_first_comm_a_thread_has_that_one_in_reports(void **state)
{
	struct build b = build_start(WHEN);
	char buf[16];

	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "late");
	struct session *s = session_from(&b);
	struct task t = task_at(s, 7, 7, 5);
	assert_string_equal(session_comm(s, t.comm, buf), ":7");
	assert_string_equal(session_comm(s, t.first_comm, buf), "late");
	session_close(s);
}

static void unnamed_threads_have_their_number_as_name(void **state)
{
	struct build b = build_start(WHEN);
	char buf[16];

	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "x");
	struct session *s = session_from(&b);
	assert_string_equal(comm_at(s, 1234, 50), ":1234");
	assert_string_equal(comm_at(s, 0, 50), "swapper");
	struct task t = task_at(s, -1, -1, 50);
	assert_string_equal(session_comm(s, t.first_comm, buf), ":-1");
	session_close(s);
}

static void sideband_is_applied_by_time_not_by_place(void **state)
{
	struct build b = build_start(WHEN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 20, .comm = "second");
	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "first");
	struct session *s = session_from(&b);
	assert_string_equal(comm_at(s, 7, 15), "first");
	assert_string_equal(comm_at(s, 7, 25), "second");
	session_close(s);
}

static void at_equal_times_the_position_decides(void **state)
{
	struct build b = build_start(WHEN);
	struct lookup l = { 0 };

	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "a");
	size_t between = b.records.len;
	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "b");
	struct session *s = session_from(&b);
	assert_int_equal(session_moment(s, &l, 10, session_pos(0, between)), 1);
	assert_int_equal(session_moment(s, &l, 10, session_pos(0, between + 1)), 2);
	assert_int_equal(session_moment(s, &l, 9, session_pos(0, between + 1)), 0);
	lookup_release(&l);
	session_close(s);
}

static void a_child_process_starts_with_its_parents_maps_and_name(void **state)
{
	struct build b = build_start(WHEN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "sh");
	build_mmap(&b, .pid = 7, .tid = 7, .time = 11, .start = 0x1000, .len = 0x1000, .filename = "/bin/sh");
	build_fork(&b, .pid = 8, .tid = 8, .ppid = 7, .ptid = 7, .time = 20);
	build_mmap(&b, .pid = 7, .tid = 7, .time = 30, .start = 0x5000, .len = 0x1000, .filename = "/lib/later");
	build_mmap(&b, .pid = 8, .tid = 8, .time = 30, .start = 0x1000, .len = 0x1000, .filename = "/bin/ls");
	struct session *s = session_from(&b);
	assert_string_equal(comm_at(s, 8, 25), "sh");
	assert_string_equal(file_at(s, 8, 8, 25, 0x1800), "/bin/sh");
	assert_string_equal(file_at(s, 8, 8, 30, 0x1800), "/bin/ls");
	assert_string_equal(file_at(s, 7, 7, 30, 0x1800), "/bin/sh");
	assert_null(file_at(s, 8, 8, 40, 0x5800));
	session_close(s);
}

static void a_fork_told_from_proc_brings_no_maps(void **state)
{
	struct build b = build_start(WHEN);

	build_mmap(&b, .pid = 7, .tid = 7, .time = 1, .start = 0x1000, .len = 0x1000, .filename = "/bin/sh");
	build_fork(&b, .pid = 8, .tid = 8, .ppid = 7, .ptid = 7, .time = 2, .misc = MISC_FORK_EXEC);
	struct session *s = session_from(&b);
	assert_null(file_at(s, 8, 8, 9, 0x1800));
	session_close(s);
}

static void threads_share_the_maps_of_their_process(void **state)
{
	struct build b = build_start(WHEN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "main");
	build_fork(&b, .pid = 7, .tid = 9, .ppid = 7, .ptid = 7, .time = 20);
	build_mmap(&b, .pid = 7, .tid = 9, .time = 30, .start = 0x1000, .len = 0x1000, .filename = "/lib/x");
	struct session *s = session_from(&b);
	assert_string_equal(file_at(s, 7, 7, 30, 0x1800), "/lib/x");
	assert_string_equal(file_at(s, 7, 9, 30, 0x1800), "/lib/x");
	/* An unannounced thread finds them through its process, too. */
	assert_string_equal(file_at(s, 7, 55, 30, 0x1800), "/lib/x");
	assert_null(file_at(s, 7, 7, 29, 0x1800));
	session_close(s);
}

static void maps_of_processes_that_nobody_announced(void **state)
{
	struct build b = build_start(WHEN);

	for (int pid = 1; pid <= 1000; pid++)
		build_mmap(&b, .pid = pid, .tid = pid, .time = (uint64_t)pid, .start = 0x1000, .len = 0x1000,
			   .filename = "/bin/x");
	struct session *s = session_from(&b);
	for (int pid = 1; pid <= 1000; pid++)
		assert_string_equal(file_at(s, pid, pid, 2000, 0x1800), "/bin/x");
	session_close(s);
}

static void an_id_used_again_is_another_thread(void **state)
{
	struct build b = build_start(WHEN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "old");
	build_exit(&b, .pid = 7, .tid = 7, .ppid = 1, .ptid = 1, .time = 20);
	build_comm(&b, .pid = 1, .tid = 1, .time = 25, .comm = "init");
	build_fork(&b, .pid = 7, .tid = 7, .ppid = 1, .ptid = 1, .time = 30);
	build_comm(&b, .pid = 7, .tid = 7, .time = 40, .comm = "new");
	struct session *s = session_from(&b);
	assert_string_equal(comm_at(s, 7, 15), "old");
	assert_string_equal(comm_at(s, 7, 25), "old"); /* samples may follow the exit */
	assert_string_equal(comm_at(s, 7, 35), "init");
	assert_string_equal(comm_at(s, 7, 45), "new");
	assert_int_not_equal(task_at(s, 7, 7, 15).thread, task_at(s, 7, 7, 45).thread);
	session_close(s);
}

static void untimed_sideband_takes_effect_where_it_is_met(void **state)
{
	struct build b = build_start(WHEN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 0, .comm = "start");
	build_sample(&b, .pid = 7, .tid = 7, .time = 100);
	build_round(&b);
	build_sample(&b, .pid = 7, .tid = 7, .time = 200);
	build_round(&b);
	/* delivered so far: up to 100 */
	build_comm(&b, .pid = 7, .tid = 7, .time = 0, .comm = "late");
	build_sample(&b, .pid = 7, .tid = 7, .time = 300);
	struct session *s = session_from(&b);
	assert_string_equal(comm_at(s, 7, 1), "start");
	assert_string_equal(comm_at(s, 7, 99), "start");
	assert_string_equal(comm_at(s, 7, 101), "late");
	assert_int_equal(s->first_time, 100);
	assert_int_equal(s->last_time, 300);
	session_close(s);
}

static void without_times_the_place_is_the_time(void **state)
{
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID);
	struct lookup l = { 0 };
	struct task t;
	char buf[16];

	build_comm(&b, .pid = 7, .tid = 7, .comm = "a");
	size_t between = b.records.len;
	build_sample(&b, .pid = 7, .tid = 7);
	build_comm(&b, .pid = 7, .tid = 7, .comm = "b");
	struct session *s = session_from(&b);
	assert_false(s->sorted);
	session_task(s, &l, 7, 7, session_moment(s, &l, UINT64_MAX, session_pos(0, between)), &t);
	assert_string_equal(session_comm(s, t.comm, buf), "a");
	session_task(s, &l, 7, 7, session_moment(s, &l, UINT64_MAX, session_pos(0, 1ull << 40)), &t);
	assert_string_equal(session_comm(s, t.comm, buf), "b");
	lookup_release(&l);
	session_close(s);
}

static void kernel_code_has_a_space_of_its_own(void **state)
{
	struct build b = build_start(WHEN);
	struct lookup l = { 0 };
	struct map_hit hit;
	struct task t;

	build_mmap(&b, .pid = -1, .tid = 0, .time = 0, .start = 0xffffffff81000000, .len = 0x1000000,
		   .pgoff = 0xffffffff81000000, .filename = "[kernel.kallsyms]_text", .misc = CPUMODE_KERNEL);
	build_ksymbol(&b, .pid = -1, .tid = 0, .time = 10, .addr = 0xffffffffc0001000, .len = 0x100,
		      .name = "bpf_prog_1");
	struct session *s = session_from(&b);
	assert_true(s->has_kernel_map);
	t = task_at(s, 7, 7, 20);
	assert_true(session_find(s, &t, 2, CPUMODE_KERNEL, 0xffffffff81000010, &hit));
	assert_int_equal(hit.dso, DSO_KERNEL);
	assert_true(session_find(s, &t, 2, CPUMODE_KERNEL, 0xffffffffc0001010, &hit));
	assert_string_equal(dso_name(s->symbols, hit.dso), "bpf_prog_1");
	assert_false(session_find(s, &t, 1, CPUMODE_KERNEL, 0xffffffffc0001010, &hit));
	assert_int_equal(hit.dso, DSO_UNKNOWN);
	assert_false(session_find(s, &t, 2, CPUMODE_USER, 0xffffffff81000010, &hit));
	assert_false(session_find(s, &t, 2, CPUMODE_HYPERVISOR, 0xffffffff81000010, &hit));
	lookup_release(&l);
	session_close(s);
}

static void lost_events_and_cgroups_are_printed(void **state)
{
	struct build b = build_start(WHEN);

	build_lost(&b, .id = 1, .lost = 5);
	build_lost(&b, .id = 1, .lost = 2);
	build_cgroup(&b, .id = 42, .path = "/user.slice");
	struct session *s = session_from(&b);
	assert_int_equal(s->notes.lost, 7);
	assert_int_equal(s->notes.lost_chunks, 2);
	assert_int_equal(s->events[0].lost, 7);
	assert_string_equal(session_cgroup(s, 42), "/user.slice");
	assert_null(session_cgroup(s, 43));
	session_close(s);
}

static void chunks_cover_everything_once(void **state)
{
	struct build b = build_start(WHEN);
	struct records_copy copy = { 0 };
	uint64_t samples = 0;
	char *path;

	for (uint64_t i = 0; i < 1000; i++)
		build_sample(&b, .pid = 7, .tid = 7, .time = i + 1);
	path = build_file(&b);
	struct session *s = session_open(path, &(struct session_opts){ .force = true, .chunk_size = 512 }, NULL);
	unlink(path);
	free(path);
	assert_non_null(s);
	assert_int_equal(session_walk(s, NULL), 0);
	assert_true(s->chunks.len > 10);
	for (size_t i = 0; i < s->chunks.len; i++) {
		struct chunk c;
		struct record r;

		session_chunk_open(s, i, &copy, &c);
		while (chunk_next(&c, &r, NULL) > 0)
			samples += r.type == RECORD_SAMPLE;
		chunk_release(&c);
	}
	assert_int_equal(samples, 1000);
	free(copy.room);
	session_close(s);
	build_release(&b);
}

static struct session *walked_with(struct build *b, const char *threads)
{
	char *path = build_file(b);
	struct session *s;

	setenv("STROBE_THREADS", threads, 1);
	s = session_open(path, &(struct session_opts){ .force = true }, NULL);
	unlink(path);
	free(path);
	assert_non_null(s);
	assert_int_equal(session_walk(s, NULL), 0);
	unsetenv("STROBE_THREADS");
	return s;
}

/* Bodies of records look like samples, rounds end, times go back. */
static void threads_that_run_ahead_change_nothing(void **state)
{
	enum { SAMPLES = 300000 };
	struct build b = build_start(WHEN), fake = build_start(WHEN);
	struct session *alone, *several;
	uint64_t records[2] = { 0 };

	for (uint64_t i = 0; i < 1000; i++)
		build_sample(&fake, .pid = 9, .tid = 9, .time = 5000000 + i);
	for (uint64_t i = 1; i <= SAMPLES; i++) {
		build_sample(&b, .pid = 7, .tid = 7, .time = i % 1000 ? 1000 + i : i / 2 + 1,
			     .misc = i > SAMPLES / 2 ? MISC_CPUMODE & 1 : 2);
		if (i % 7000 == 0)
			build_record(&b, 200, 0, fake.records.items, fake.records.len / 2 / 8 * 8, "s");
		if (i % 50000 == 0)
			build_round(&b);
		if (i % 90000 == 0)
			build_comm(&b, .pid = 7, .tid = 7, .time = 1000 + i, .comm = "later");
	}
	assert_true(b.records.len > 8 << 20);
	alone = walked_with(&b, "1");
	several = walked_with(&b, "5");
	assert_int_equal(alone->types[RECORD_SAMPLE], SAMPLES);
	assert_memory_equal(alone->types, several->types, sizeof(alone->types));
	assert_memory_equal(&alone->notes, &several->notes, sizeof(alone->notes));
	assert_true(alone->notes.out_of_order > 0);
	assert_int_equal(alone->first_time, several->first_time);
	assert_int_equal(alone->last_time, several->last_time);
	assert_string_equal(comm_at(several, 7, 1000 + 270001), "later");
	for (int k = 0; k < 2; k++) {
		const struct session *s = k ? several : alone;

		for (size_t i = 0; i < s->chunks.len; i++) {
			assert_int_equal(s->chunks.items[i].from, i ? s->chunks.items[i - 1].to : 0);
			records[k] += s->chunks.items[i].records;
		}
	}
	assert_int_equal(records[0], records[1]);
	session_close(alone);
	session_close(several);
	build_release(&b);
	build_release(&fake);
}

/* A NAMESPACES record of thread 7 whose cgroup namespace has this inode. */
static void build_namespaces(struct build *b, uint64_t time, uint64_t inode)
{
	struct {
		uint32_t pid, tid;
		uint64_t nr, entries[7][2];
		uint32_t who[2];
		uint64_t time;
	} body = { 7, 7, 7, { [6] = { 4, inode } }, { 7, 7 }, time };

	build_record(b, RECORD_NAMESPACES, 0, &body, sizeof(body),
		     "448"
		     "88888888888888"
		     "448");
}

static void namespaces_are_found_by_moment(void **state)
{
	enum { CHANGES = 1000 };
	struct build b = build_start(WHEN);
	struct session *s;
	struct task t;

	for (uint64_t i = 0; i < CHANGES; i++)
		build_namespaces(&b, 10 + i, 1000 + i);
	s = session_from(&b);
	t = task_at(s, 7, 7, 10);
	assert_null(session_cgroup_namespace(s, t.thread, 0));
	assert_int_equal(session_cgroup_namespace(s, t.thread, 1)->ino, 1000);
	assert_int_equal(session_cgroup_namespace(s, t.thread, CHANGES / 2)->ino, 1000 + CHANGES / 2 - 1);
	assert_int_equal(session_cgroup_namespace(s, t.thread, CHANGES)->ino, 1000 + CHANGES - 1);
	session_close(s);
}

static bool is_about(const struct session *s, int32_t tid)
{
	return session_is_about(s, session_last_thread(s, tid), tid);
}

static void what_a_subject_starts_is_meant_as_well(void **state)
{
	const uint32_t subjects[] = { 2, 7, 30 };
	struct build b = build_start(WHEN);
	struct session_roots *roots;
	struct session *s;

	build_feature(&b, FEATURE_SUBJECTS, subjects, sizeof(subjects));
	build_fork(&b, .pid = 7, .tid = 7, .ppid = 1, .ptid = 1, .time = 10);
	build_fork(&b, .pid = 8, .tid = 8, .ppid = 7, .ptid = 7, .time = 20);
	build_fork(&b, .pid = 9, .tid = 9, .ppid = 8, .ptid = 8, .time = 30);
	build_fork(&b, .pid = 21, .tid = 21, .ppid = 1, .ptid = 1, .time = 40);
	s = session_from(&b);
	for (int swept = 0; swept < 2; swept++) {
		assert_true(is_about(s, 7) && is_about(s, 8) && is_about(s, 9));
		assert_true(is_about(s, 30)); /* no record mentions it */
		assert_false(is_about(s, 1) || is_about(s, 21) || is_about(s, 31));
		roots = session_roots_new(s);
		session_sweep(s, roots);
		session_roots_free(roots);
	}
	session_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_run_ahead_change_nothing),
		cmocka_unit_test(comm_from_exec_renames_only_from_then_on),
		cmocka_unit_test(before_its_first_comm_a_thread_has_that_one_in_reports),
		cmocka_unit_test(unnamed_threads_have_their_number_as_name),
		cmocka_unit_test(sideband_is_applied_by_time_not_by_place),
		cmocka_unit_test(at_equal_times_the_position_decides),
		cmocka_unit_test(a_child_process_starts_with_its_parents_maps_and_name),
		cmocka_unit_test(a_fork_told_from_proc_brings_no_maps),
		cmocka_unit_test(threads_share_the_maps_of_their_process),
		cmocka_unit_test(maps_of_processes_that_nobody_announced),
		cmocka_unit_test(an_id_used_again_is_another_thread),
		cmocka_unit_test(untimed_sideband_takes_effect_where_it_is_met),
		cmocka_unit_test(without_times_the_place_is_the_time),
		cmocka_unit_test(kernel_code_has_a_space_of_its_own),
		cmocka_unit_test(lost_events_and_cgroups_are_printed),
		cmocka_unit_test(what_a_subject_starts_is_meant_as_well),
		cmocka_unit_test(namespaces_are_found_by_moment),
		cmocka_unit_test(chunks_cover_everything_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
