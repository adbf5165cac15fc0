#include "base/file.h"
#include "tests/lib/recording.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

/*
 * The installed perf and STROBE_PERF72 read our output without messages on standard error, and our
 * header text equals the newer one's.
 */
static char dir[64];
static const char *perfs[2];
static int n_perfs;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) { return remove(path); }

/* Run "PERF ARGS" in the directory, with standard output in "out" and standard error in "err". */
static int run(const char *perf, const char *args)
{
	autofree char *command = xasprintf("cd %s && TZ=UTC LC_ALL=C PERF_CONFIG=/dev/null %s %s >out 2>err </dev/null",
					   dir, perf, args);
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static char *text_of(const char *name)
{
	autofree char *path = xasprintf("%s/%s", dir, name);
	char *text = file_read(path, 64 << 20, NULL, NULL);

	return text ? text : xstrdup("");
}

static void accepts(const char *perf, const char *args)
{
	int status = run(perf, args);
	autofree char *err = text_of("err");

	if (status || *err)
		fail_msg("%s %s: status %d, says: %s", perf, args, status, err);
}

static long lines(const char *text)
{
	long n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

static void samples_arrive(const char *perf, long expected)
{
	autofree char *out = NULL;

	accepts(perf, "script -i x.data");
	out = text_of("out");
	assert_int_equal(lines(out), expected);
}

static const struct recording forms[] = {
	{ .n_events = 1, .n_samples = 1000 },
	{ .n_events = 3, .n_samples = 1000 },
	{ .n_events = 3, .n_samples = 30000, .opts = { .zstd_level = 1 } },
	{ .n_events = 1, .n_samples = 1000, .opts = { .zstd_level = 19 } },
	{ .n_events = 1, .n_samples = 1000, .newer = true },
	{ .n_events = 1, .n_samples = 1000, .opts = { .pipe = true } },
	{ .n_events = 3, .n_samples = 1000, .opts = { .pipe = true } },
	{ .n_events = 3, .n_samples = 30000, .opts = { .pipe = true, .zstd_level = 1 } },
};

static void write_form(const struct recording *r)
{
	autofree char *path = xasprintf("%s/x.data", dir);
	struct err e = { 0 };

	if (recording_write(r, path, &e))
		fail_msg("%s: %s", e.what, e.why);
}

static void every_form_is_read_without_a_warning(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		write_form(&forms[i]);
		for (int p = 0; p < n_perfs; p++) {
			accepts(perfs[p], "report --header-only -I -i x.data");
			accepts(perfs[p], "evlist -v -i x.data");
			accepts(perfs[p], "report --stdio -i x.data");
			samples_arrive(perfs[p], forms[i].n_samples);
			if (!forms[i].opts.pipe)
				accepts(perfs[p], "buildid-list -i x.data");
		}
	}
}

/* inject of perf 6.1 can copy neither newer features nor streams, not even its own. */
static void injected_recordings_keep_their_samples(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (forms[i].opts.pipe || forms[i].newer)
			continue;
		write_form(&forms[i]);
		for (int p = 0; p < n_perfs; p++) {
			autofree char *out = NULL;

			accepts(perfs[p], "inject -b -i x.data -o y.data");
			run(perfs[p], "script -i y.data");
			out = text_of("out");
			assert_int_equal(lines(out), forms[i].n_samples);
		}
	}
}

static bool is_new(const char *perf)
{
	autofree char *out = NULL;

	run(perf, "version");
	out = text_of("out");
	return strncmp(out, "perf version ", 13) == 0 && atoi(out + 13) >= 7;
}

static void header_text_is_that_of_perf_7(void **state)
{
	autofree char *path = NULL;

	if (!is_new(perfs[n_perfs - 1])) {
		print_message("skip: no perf 7 (STROBE_PERF72)\n");
		skip();
	}
	path = xasprintf("%s/x.data", dir);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		autofree char *out = NULL;
		struct perfdata *pd;
		struct out o;

		write_form(&forms[i]);
		pd = perfdata_open(path, &(struct perfdata_opts){ 0 }, NULL);
		assert_non_null(pd);
		out_init_mem(&o);
		header_print(pd, true, &o);
		accepts(perfs[n_perfs - 1], "report --header-only -I -i x.data");
		out = text_of("out");
		assert_string_equal(out_text(&o), out);
		out_release(&o);
		perfdata_close(pd);
	}
}

/* All readers open the file and find that many samples. */
static void opens(uint64_t samples, const char *when)
{
	for (int p = 0; p < n_perfs; p++) {
		autofree char *out = NULL, *err = NULL;
		int rc = run(perfs[p], "script -i x.data");

		out = text_of("out");
		err = text_of("err");
		if (rc || *err || (uint64_t)lines(out) != samples)
			fail_msg("%s, %s: exit status %d, %d samples: %s", perfs[p], when, rc, lines(out), err);
	}
}

static void patch(const char *path, uint64_t offset, const void *p, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_int_equal(pwrite(fd, p, len, (off_t)offset), len);
	close(fd);
}

/*
 * Test files of killed recorders, also between the steps from one mark to the next (see
 * mark.c).
 */
static void killed_recording_opens(void **state)
{
	autofree char *path = xasprintf("%s/x.data", dir);
	struct recording r = { .n_events = 1, .n_samples = 5000 };
	struct writer *w = writer_open(path, &r.opts, NULL);
	struct arena a = { 0 };
	uint64_t header[13], records, mark_at, table, empty[2];
	struct features f;
	uint16_t whole;
	int fd;

	recording_events(&r, w);
	recording_features(&f, &a, false);
	assert_int_equal(writer_begin(w, &f, NULL), 0);
	opens(0, "before the first record");
	assert_int_equal(recording_records(&r, w, NULL), 0);
	writer_abandon(w, false);
	opens(5000, "killed");

	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, header, sizeof(header), 0), sizeof(header));
	records = header[8];
	assert_int_equal(header[5], records);
	mark_at = header[5] + header[6] - 16;
	assert_int_equal(pread(fd, &table, 8, (off_t)mark_at + 8), 8);
	close(fd);
	empty[0] = records - 16 - table;
	empty[1] = 16;
	patch(path, 40, empty, sizeof(empty));
	opens(0, "after the first step");
	whole = (uint16_t)(16 + table);
	patch(path, mark_at + 6, &whole, sizeof(whole));
	opens(0, "after the second step");
	arena_release(&a);
}

static int setup(void **state)
{
	strcpy(dir, "/tmp/strobe-perf-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}

static void add_perf(const char *perf)
{
	autofree char *command = xasprintf("%s version >/dev/null 2>&1", perf ? perf : "false");

	if (!system(command))
		perfs[n_perfs++] = perf;
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_form_is_read_without_a_warning),
		T(injected_recordings_keep_their_samples),
		T(header_text_is_that_of_perf_7),
		T(killed_recording_opens),
	};

	setenv("TZ", "UTC", 1);
	add_perf("perf");
	add_perf(getenv("STROBE_PERF72"));
	if (!n_perfs) {
		puts("skip: no perf is installed");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
