#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>
#include "record/unwind/processes_priv.h"

static struct file_event event;
static const struct perfdata pd = { .events = &event, .n_events = 1 };

static void apply(struct processes *s, uint32_t type, uint16_t misc, const void *body, size_t size)
{
	const struct record r = { .type = type, .misc = misc, .body = body, .size = (uint16_t)size };

	processes_apply(s, &pd, &r);
}

static void map(struct processes *s, int32_t pid, uint64_t start, uint64_t len, uint64_t pgoff, uint64_t ino,
		const char *name)
{
	uint8_t body[512] = { 0 };
	const uint64_t where[] = { start, len, pgoff };
	const uint32_t ids[] = { (uint32_t)pid, (uint32_t)pid }, prot[] = { 5, 2 };
	size_t size = 64 + (strlen(name) + 8) / 8 * 8;

	memcpy(body, ids, 8);
	memcpy(body + 8, where, 24);
	memcpy(body + 40, &ino, 8);
	memcpy(body + 56, prot, 8);
	memcpy(body + 64, name, strlen(name));
	apply(s, RECORD_MMAP2, CPUMODE_USER, body, size);
}

static void task(struct processes *s, uint32_t type, uint32_t pid, uint32_t ppid)
{
	const uint32_t body[] = { pid, ppid, pid, ppid, 0, 0 };

	apply(s, type, 0, body, sizeof(body));
}

static void exec(struct processes *s, uint32_t pid)
{
	const uint32_t body[] = { pid, pid, 0x6f, 0 };

	apply(s, RECORD_COMM, MISC_COMM_EXEC, body, sizeof(body));
}

static void a_new_map_covers_older_ones(void **state)
{
	struct processes *s = processes_new();
	struct live_maps *m;

	map(s, 7, 0x1000, 0x8000, 0x100000, 0, "//anon");
	map(s, 7, 0x3000, 0x2000, 0, 0, "//anon");
	m = processes_use(s, 7);
	assert_int_equal(m->view.n, 3);
	assert_int_equal(m->view.items[0].end, 0x3000);
	assert_int_equal(m->view.items[1].start, 0x3000);
	assert_int_equal(m->view.items[2].start, 0x5000);
	assert_int_equal(m->view.items[2].end, 0x9000);
	assert_int_equal(m->view.items[2].pgoff, 0x104000);
	maps_drop(m);
	map(s, 7, 0, 0x10000, 0, 0, "//anon");
	m = processes_use(s, 7);
	assert_int_equal(m->view.n, 1);
	maps_drop(m);
	processes_free(s);
}

static void the_rest_of_a_covered_map_keeps_its_place_in_the_file(void **state)
{
	struct processes *s = processes_new();
	struct live_maps *m;

	map(s, 7, 0x1000, 0x4000, 0x100000, 0, "//anon");
	map(s, 7, 0, 0x2000, 0, 0, "//anon");
	m = processes_use(s, 7);
	assert_int_equal(m->view.n, 2);
	assert_int_equal(m->view.items[1].start, 0x2000);
	assert_int_equal(m->view.items[1].end, 0x5000);
	assert_int_equal(m->view.items[1].pgoff, 0x101000);
	maps_drop(m);
	processes_free(s);
}

static void a_fork_shares_maps_until_one_side_changes(void **state)
{
	struct processes *s = processes_new();
	struct live_maps *parent, *child, *changed;

	map(s, 7, 0x1000, 0x1000, 0, 0, "//anon");
	task(s, RECORD_FORK, 8, 7);
	parent = processes_use(s, 7);
	child = processes_use(s, 8);
	assert_ptr_equal(parent, child);
	map(s, 8, 0x4000, 0x1000, 0, 0, "//anon");
	changed = processes_use(s, 8);
	assert_int_equal(changed->view.n, 2);
	assert_int_equal(parent->view.n, 1); /* a sample that waits has the maps of its time */
	assert_int_not_equal(changed->view.id, parent->view.id);
	exec(s, 8);
	assert_null(processes_use(s, 8));
	assert_int_equal(changed->view.n, 2);
	maps_drop(parent);
	maps_drop(child);
	maps_drop(changed);
	processes_free(s);
}

static void a_file_is_the_mapped_one_or_none(void **state)
{
	struct processes *s = processes_new();
	char path[512] = { 0 };
	struct live_maps *m;
	struct stat st;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(stat(path, &st), 0);
	if (strlen(path) > 400)
		skip();
	map(s, (int32_t)getpid(), 0x1000, 0x1000, 0, st.st_ino, path);
	map(s, (int32_t)getpid(), 0x4000, 0x1000, 0, st.st_ino + 1, path);
	m = processes_use(s, (int32_t)getpid());
	assert_int_equal(m->view.n, 2);
	assert_non_null(m->view.items[0].object);
	assert_null(m->view.items[1].object);
	assert_int_equal(processes_count(s).missing, 1);
	maps_drop(m);
	processes_free(s);
}

static void ended_processes_are_forgotten(void **state)
{
	struct processes *s = processes_new();

	map(s, 0x7ffffff0, 0x1000, 0x1000, 0, 0, "//anon"); /* no process has this number */
	task(s, RECORD_EXIT, 0x7ffffff0, 1);
	processes_forget(s);
	assert_int_equal(processes_count(s).processes, 1); /* its last samples may still wait */
	processes_forget(s);
	processes_forget(s);
	assert_int_equal(processes_count(s).processes, 0);
	processes_free(s);
}

/* A process maps many files and ends; another one goes on with the first of them. Some stay: they may come again. */
static void files_that_nothing_maps_are_forgotten(void **state)
{
	enum { FILES = 200, STAY = 64, GONE = 0x7ffffff0, LIVES = 0x7ffffff1 };
	struct processes *s = processes_new();
	char dir[] = "/tmp/processes.XXXXXX", path[64];
	struct live_maps *m;

	assert_non_null(mkdtemp(dir));
	for (unsigned i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%u", dir, i);
		assert_int_equal(symlink("/proc/self/exe", path), 0);
		map(s, GONE, 0x1000 * (i + 1), 0x1000, 0, 0, path);
		if (!i)
			map(s, LIVES, 0x1000, 0x1000, 0, 0, path);
		unlink(path);
	}
	rmdir(dir);
	assert_int_equal(processes_count(s).objects, FILES);
	m = processes_use(s, LIVES); /* as a sample does that waits to be unwound */
	task(s, RECORD_EXIT, GONE, 1);
	task(s, RECORD_EXIT, LIVES, 1);
	for (unsigned i = 0; i < 3; i++)
		processes_forget(s);
	assert_int_equal(processes_count(s).processes, 0);
	assert_int_equal(processes_count(s).objects, 1 + STAY);
	assert_non_null(m->view.items[0].object);
	map(s, LIVES, 0x3000, 0x1000, 0, 0, path); /* the last one is known, though it has no name any more */
	assert_int_equal(processes_count(s).missing, 0);
	maps_drop(m);
	processes_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_map_covers_older_ones),
		cmocka_unit_test(the_rest_of_a_covered_map_keeps_its_place_in_the_file),
		cmocka_unit_test(a_fork_shares_maps_until_one_side_changes),
		cmocka_unit_test(a_file_is_the_mapped_one_or_none),
		cmocka_unit_test(ended_processes_are_forgotten),
		cmocka_unit_test(files_that_nothing_maps_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
