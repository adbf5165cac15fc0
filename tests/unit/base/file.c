#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char dir[] = "/tmp/strobe-file-XXXXXX", path[64];
static struct sigaction ours; /* cmocka installs its own handler before each test */

static int setup(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/f", dir);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	return rmdir(dir);
}

static void make(size_t size, char byte)
{
	autoclose int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	autofree char *data = xmalloc(size);

	memset(data, byte, size);
	assert_int_equal(write_all(fd, data, size), 0);
}

static void maps_a_file_with_its_identity(void **state)
{
	struct file_map m;
	struct err e = { 0 };
	struct stat st;

	make(10000, 'x');
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(file_map(&m, path, &e), 0);
	assert_int_equal(m.len, 10000);
	assert_true(m.data[0] == 'x' && m.data[9999] == 'x');
	assert_int_equal(m.uid, st.st_uid);
	assert_int_equal(m.ino, st.st_ino);
	assert_int_equal(m.dev, st.st_dev);
	assert_int_equal(m.mtime_ns / 1000000000, st.st_mtime);
	assert_false(file_map_shrunk(&m));
	file_unmap(&m);
	assert_null(m.data);
	file_unmap(&m);
}

static void empty_files_have_no_data(void **state)
{
	struct file_map m;
	struct err e = { 0 };

	make(0, 0);
	assert_int_equal(file_map(&m, path, &e), 0);
	assert_null(m.data);
	assert_int_equal(m.len, 0);
	assert_false(file_map_shrunk(&m));
	file_unmap(&m);
}

static void only_regular_files_are_taken(void **state)
{
	struct file_map m;
	struct err e = { 0 };
	size_t len;

	assert_int_equal(file_map(&m, dir, &e), -1);
	assert_string_equal(e.why, "it is a directory, not a regular file");
	file_unmap(&m);
	assert_int_equal(file_map(&m, "/dev/null", &e), -1);
	assert_string_equal(e.why, "it is a device, not a regular file");
	unlink(path);
	assert_int_equal(file_map(&m, path, &e), -1);
	assert_string_equal(e.why, "No such file or directory");
	assert_int_equal(e.sys, ENOENT);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(file_map(&m, path, &e), -1); /* fails without waiting for a writer */
	assert_string_equal(e.why, "it is a pipe, not a regular file");
	assert_null(file_read(path, 100, &len, &e));
	assert_string_equal(e.why, "it is a pipe, not a regular file");
	unlink(path);
}

/* The part behind the new end reads as zeroes, the rest is unchanged, and no read kills us. */
static void shrunk_files_give_zeroes(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), sum = 0;
	struct file_map m, other;
	struct err e = { 0 };

	sigaction(SIGBUS, &ours, NULL);
	make(16 * page, 'x');
	assert_int_equal(file_map(&m, path, &e), 0);
	assert_int_equal(file_map(&other, path, &e), 0);
	assert_int_equal(truncate(path, (off_t)(3 * page + 10)), 0);
	assert_int_equal(m.data[9 * page], 0);
	assert_true(file_map_shrunk(&m));
	assert_true(file_map_shrunk(&other)); /* the length shows it, before any fault */
	for (size_t i = 0; i < m.len; i++)
		sum += m.data[i] == 'x';
	assert_int_equal(sum, 3 * page + 10);
	file_unmap(&m);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(other.data[0], 0);
	assert_int_equal(other.data[other.len - 1], 0);
	assert_true(file_map_shrunk(&other));
	file_unmap(&other);
}

/* A SIGBUS outside of our mappings still ends the program. */
static void foreign_faults_are_passed_on(void **state)
{
	struct file_map m;
	struct err e = { 0 };
	int status;
	pid_t pid;

	make(4096, 'x');
	assert_int_equal(file_map(&m, path, &e), 0);
	pid = fork();
	if (!pid) {
		int fd = open(path, O_RDWR);
		volatile char *p = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);

		sigaction(SIGBUS, &ours, NULL);
		prctl(PR_SET_DUMPABLE, 0); /* write no core file */
		alarm(20);
		(void)p[4096];
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* a sanitizer's handler ends with its own status */
	assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) != 0);
	file_unmap(&m);
}

static void slots_are_reused_and_run_out_politely(void **state)
{
	static struct file_map maps[4200];
	struct err e = { 0 };
	size_t n = 0;

	make(100, 'x');
	for (int i = 0; i < 3000; i++) {
		assert_int_equal(file_map(&maps[0], path, &e), 0);
		file_unmap(&maps[0]);
	}
	while (n < ARRAY_SIZE(maps) && !file_map(&maps[n], path, &e))
		n++;
	assert_true(n > 200 && n < ARRAY_SIZE(maps)); /* ends when descriptors or slots run out */
	assert_true(e.what[0]);
	while (n)
		file_unmap(&maps[--n]);
}

static void descriptors_are_taken_on_success_only(void **state)
{
	int fd, pipe_fds[2];
	struct file_map m;
	struct err e = { 0 };

	make(100, 'x');
	fd = open(path, O_RDONLY);
	assert_int_equal(file_map_fd(&m, fd, &e), 0);
	file_unmap(&m);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(file_map_fd(&m, pipe_fds[0], &e), -1);
	file_unmap(&m);
	assert_int_equal(fcntl(pipe_fds[0], F_GETFD), 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void small_files_are_read_whole(void **state)
{
	struct err e = { 0 };
	size_t len = 0;
	char line[8];
	char *text;

	make(20000, 'y');
	text = file_read(path, 20000, &len, &e);
	assert_non_null(text);
	assert_int_equal(len, 20000);
	assert_int_equal(strlen(text), 20000);
	free(text);
	assert_null(file_read(path, 19999, &len, &e));
	assert_non_null(strstr(e.what, "more than 19999 bytes"));
	assert_int_equal(file_read_line(path, line, sizeof(line)), 7);
	assert_string_equal(line, "yyyyyyy");
	make(0, 0);
	text = file_read(path, 10, NULL, &e);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(file_read_line(path, line, sizeof(line)), 0);
	assert_string_equal(line, "");
	text = file_read("/proc/self/maps", 1 << 24, &len, &e);
	assert_true(text && len > 100);
	free(text);
	unlink(path);
	assert_int_equal(file_read_line(path, line, sizeof(line)), -1);
	assert_int_equal(file_read_line("/proc/self/stat", line, sizeof(line)), 7);
}

static void another_file_of_an_inode_has_another_generation(void **state)
{
	uint32_t generation[sizeof(long) / sizeof(uint32_t)];
	autoclose int fd = -1;

	make(1, 'x');
	fd = open(path, O_RDONLY);
	assert_true(file_has_generation(fd, 0)); /* not recorded */
	if (ioctl(fd, FS_IOC_GETVERSION, generation) < 0) {
		assert_true(file_has_generation(fd, 1));
		print_message("skipped: the file system does not tell generations\n");
		skip();
	}
	assert_true(!generation[0] || file_has_generation(fd, generation[0]));
	assert_false(file_has_generation(fd, (uint64_t)generation[0] + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_a_file_with_its_identity),
		cmocka_unit_test(empty_files_have_no_data),
		cmocka_unit_test(only_regular_files_are_taken),
		cmocka_unit_test(shrunk_files_give_zeroes),
		cmocka_unit_test(foreign_faults_are_passed_on),
		cmocka_unit_test(slots_are_reused_and_run_out_politely),
		cmocka_unit_test(descriptors_are_taken_on_success_only),
		cmocka_unit_test(small_files_are_read_whole),
		cmocka_unit_test(another_file_of_an_inode_has_another_generation),
	};
	struct file_map m;

	if (file_map(&m, "/proc/self/exe", NULL) < 0)
		return 1;
	file_unmap(&m);
	sigaction(SIGBUS, NULL, &ours);
	return cmocka_run_group_tests(tests, setup, teardown);
}
