#include "base/file.h"
#include "base/signal.h"
#include "tests/lib/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

static char dir[64];

static const char *in_dir(const char *name)
{
	static char paths[4][PATH_MAX];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", dir, name);
	return paths[turn];
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) { return remove(path); }

static int setup(void **state)
{
	strcpy(dir, "/tmp/strobe-writer-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}

static void write_ok(const struct recording *r, const char *path)
{
	struct err e = { 0 };

	if (recording_write(r, path, &e))
		fail_msg("%s: %s", e.what, e.why);
}

static struct perfdata *open_ok(const char *path)
{
	struct err e = { 0 };
	struct perfdata *pd = perfdata_open(path, &(struct perfdata_opts){ 0 }, &e);

	if (!pd)
		fail_msg("%s: %s", e.what, e.why);
	return pd;
}

struct counts {
	long samples, rounds, comms, maps, other;
};

/* Count records and check that the samples are the written ones, in order. */
static struct counts count(const struct perfdata *pd)
{
	struct counts n = { 0 };
	struct chunk c;
	struct record r;
	struct sample s;

	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &r, NULL) > 0) {
		int event = perfdata_event_of(pd, &r);

		if (r.type == RECORD_SAMPLE) {
			assert_int_equal(event, n.samples % (long)pd->n_events);
			assert_int_equal(sample_decode(pd, &r, (uint32_t)event, &s, NULL), 0);
			assert_int_equal(s.time, 1000000000 + n.samples * 1000);
			n.samples++;
		} else if (r.type == RECORD_FINISHED_ROUND) {
			n.rounds++;
		} else if (r.type == RECORD_COMM) {
			n.comms++;
		} else if (r.type == RECORD_MMAP) {
			n.maps++;
		} else {
			n.other++;
		}
	}
	chunk_release(&c);
	return n;
}

static void check_records(const struct perfdata *pd)
{
	assert_false(pd->notes.cut);
	assert_int_equal(pd->notes.bad_features + pd->notes.unknown_features + pd->notes.bad_records, 0);
}

static void check_clean(const struct perfdata *pd)
{
	assert_false(pd->notes.unclosed);
	check_records(pd);
}

/* The recorder did not finish, but all written records are whole. */
static void check_unclosed(const struct perfdata *pd)
{
	assert_true(pd->notes.unclosed);
	check_records(pd);
}

/* Features known at the beginning are there; those of the end are not. */
static void check_early(const struct perfdata *pd)
{
	assert_string_equal(pd->features.hostname, "vm");
	assert_int_equal(pd->features.cpus_available, 2);
	assert_true(feature_has(&pd->features, FEATURE_EVENT_DESC));
	assert_false(feature_has(&pd->features, FEATURE_BUILD_ID));
	assert_int_equal(pd->notes.cut_features, 0);
}

static void check_header(const struct perfdata *pd)
{
	const struct features *f = &pd->features;

	assert_string_equal(f->hostname, "vm");
	assert_string_equal(f->cmdline.items[2], "prog");
	assert_int_equal(f->cpus_available, 2);
	assert_int_equal(f->cpus[1].core_id, 1);
	assert_string_equal(f->pmus[1].name, "breakpoint");
	assert_string_equal(pd->events[0].name, "cpu-clock");
	assert_int_equal(pd->events[0].attr.size, pd->pipe ? 128 : ATTR_SIZE_MIN);
	assert_int_equal(pd->events[0].n_ids, 2);
	assert_true(pd->events[0].has_stored_name);
}

static void every_form_reads_back(void **state)
{
	for (int form = 0; form < 8; form++) {
		struct recording r = { .n_events = form & 1 ? 3 : 1,
				       .n_samples = 20000,
				       .newer = true,
				       .opts = { .pipe = form & 2, .zstd_level = form & 4 ? 1 : 0 } };
		struct perfdata *pd;
		struct counts n;

		write_ok(&r, in_dir("a"));
		pd = open_ok(in_dir("a"));
		check_clean(pd);
		check_header(pd);
		assert_int_equal(pd->pipe, r.opts.pipe);
		assert_int_equal(pd->n_events, r.n_events);
		assert_int_equal(pd->events[0].n_members, r.n_events);
		assert_int_equal(feature_has(&pd->features, FEATURE_GROUP_DESC), r.n_events > 1);
		assert_int_equal(feature_has(&pd->features, FEATURE_COMPRESSED), r.opts.zstd_level != 0);
		assert_int_equal(feature_has(&pd->features, FEATURE_BUILD_ID), !r.opts.pipe);
		assert_int_equal(feature_has(&pd->features, FEATURE_CLN_SIZE), !r.opts.pipe);
		n = count(pd);
		assert_int_equal(n.samples, 20000);
		assert_int_equal(n.comms, 1);
		assert_int_equal(n.maps, 2);
		assert_true(n.rounds > 1);
		perfdata_close(pd);
	}
}

static void compression_is_worth_it_and_stays_aligned(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 20000, .opts = { .zstd_level = 3 } };
	uint64_t data_offset, data_size, at;
	char *bytes;
	size_t len;

	write_ok(&r, in_dir("z"));
	bytes = file_read(in_dir("z"), 64 << 20, &len, NULL);
	data_offset = load_u64(bytes + 40);
	data_size = load_u64(bytes + 48);
	assert_true(data_size < 20000 * 48 / 4);
	for (at = data_offset; at < data_offset + data_size;) {
		uint32_t type = load_u32(bytes + at);
		uint16_t size;

		assert_true(type == RECORD_COMPRESSED || type == RECORD_FINISHED_INIT); /* the latter: a mark */
		memcpy(&size, bytes + at + 6, 2);
		assert_true(size >= 16 && size % 8 == 0);
		at += size;
	}
	assert_int_equal(at, data_offset + data_size);
	free(bytes);
}

/* Random bytes grow when compressed and must still fit their records. */
static void incompressible_data_fits(void **state)
{
	struct writer *w = writer_open(in_dir("r"), &(struct writer_opts){ .zstd_level = 1 }, NULL);
	struct recording r = { .n_events = 1 };
	struct perfdata *pd;
	struct record got;
	struct chunk c;
	struct err e = { 0 };
	uint32_t seed = 1;
	size_t n = 0;
	static uint8_t record[65528];

	recording_events(&r, w);
	assert_int_equal(writer_begin(w, NULL, &e), 0);
	for (size_t i = 8; i < sizeof(record); i++)
		record[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
	memcpy(record, "\x60\0\0\0\0\0\xf8\xff", 8); /* an unknown type */
	for (int i = 0; i < 20; i++)
		assert_int_equal(writer_record(w, record, sizeof(record), &e), 0);
	assert_int_equal(writer_finish(w, NULL, &e), 0);
	pd = open_ok(in_dir("r"));
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &got, NULL) > 0) {
		if (got.type == RECORD_COMPRESSED || got.type == RECORD_FINISHED_INIT)
			continue; /* a marker before its contents, or a mark */
		assert_int_equal(got.size, sizeof(record) - 8);
		assert_memory_equal(got.body, record + 8, got.size);
		n++;
	}
	assert_int_equal(n, 20);
	chunk_release(&c);
	perfdata_close(pd);
}

static void attrs_are_as_short_as_their_fields_allow(void **state)
{
	static const struct {
		struct attr attr;
		uint32_t size;
	} cases[] = {
		{ { .type = 1 }, 64 },
		{ { .type = 1, .sample_regs_user = 1, .sample_stack_user = 8 }, 96 },
		{ { .type = 1, .sample_max_stack = 5 }, 112 },
		{ { .type = 1, .sig_data = 5 }, 128 },
		{ { .type = 1, .config3 = 5 }, 136 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct writer *w = writer_open(in_dir("s"), &(struct writer_opts){ 0 }, NULL);
		uint64_t id = 1;
		struct perfdata *pd;

		writer_event(w, &(struct writer_event){ .attr = { .type = 1, .config = 1 }, .n_members = 1 });
		writer_event(w, &(struct writer_event){
					.attr = cases[i].attr, .ids = &id, .n_ids = 1, .leader = 1, .n_members = 1 });
		assert_int_equal(writer_begin(w, NULL, NULL), 0);
		assert_int_equal(writer_finish(w, NULL, NULL), 0);
		pd = open_ok(in_dir("s"));
		assert_int_equal(pd->n_events, 2);
		assert_int_equal(pd->events[0].attr.size, cases[i].size);
		assert_int_equal(pd->events[1].attr.sig_data, cases[i].attr.sig_data);
		assert_int_equal(pd->events[1].ids[0], 1);
		assert_string_equal(pd->events[0].name, "task-clock");
		perfdata_close(pd);
	}
}

static void units_and_names_travel_with_the_stream(void **state)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct writer *w = writer_open(in_dir("u"), &(struct writer_opts){ .pipe = pipe }, NULL);
		struct perfdata *pd;
		uint64_t id = 9;

		writer_event(w, &(struct writer_event){ .attr = { .type = 1, .sample_type = SAMPLE_ID },
							.ids = &id,
							.n_ids = 1,
							.name = "power/x/",
							.unit = "Joules",
							.scale = 0.5,
							.n_members = 1 });
		assert_int_equal(writer_begin(w, NULL, NULL), 0);
		assert_int_equal(writer_finish(w, NULL, NULL), 0);
		pd = open_ok(in_dir("u"));
		assert_string_equal(pd->events[0].name, "power/x/");
		assert_int_equal(pd->events[0].attr.size,
				 /* perf 6.1 would read ids as branch flags behind a shorter attr */
				 pipe ? 128 : 64);
		assert_string_equal(pd->events[0].unit, "Joules");
		assert_true(pd->events[0].scale == 0.5);
		perfdata_close(pd);
	}
}

static void stream_refuses_more_ids_than_a_record_holds(void **state)
{
	struct writer *w = writer_open(in_dir("i"), &(struct writer_opts){ .pipe = true }, NULL);
	uint64_t *ids = xcalloc(9000, 8);
	struct err e = { 0 };

	writer_event(w, &(struct writer_event){ .ids = ids, .n_ids = 9000, .name = "e", .n_members = 1 });
	assert_int_equal(writer_begin(w, NULL, &e), -1);
	assert_non_null(strstr(e.what, "9000 ids"));
	assert_true(*e.fix);
	writer_abandon(w, false);
	assert_int_equal(access(in_dir("i"), F_OK), -1);
	free(ids);
}

/* `synced`: updated before the kill; otherwise only the automatic updates happened. */
static void kill_recorder(const struct recording *r, const char *path, bool synced)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct writer *w = writer_open(path, &r->opts, NULL);
		struct arena a = { 0 };
		struct features f;

		recording_events(r, w);
		recording_features(&f, &a, r->newer);
		if (writer_begin(w, &f, NULL) || recording_records(r, w, NULL) || (synced && writer_sync(w, NULL)))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status));
}

static void killed_recording_has_all_that_was_synced(void **state)
{
	for (int level = 0; level < 4; level += 3) {
		struct recording r = { .n_events = 1, .n_samples = 50000, .opts = { .zstd_level = level } };
		struct perfdata *pd;

		kill_recorder(&r, in_dir("k"), true);
		pd = open_ok(in_dir("k"));
		check_unclosed(pd);
		check_early(pd);
		assert_int_equal(count(pd).samples, 50000);
		/* Without this feature perf does not expand records. */
		assert_int_equal(feature_has(&pd->features, FEATURE_COMPRESSED), level > 0);
		perfdata_close(pd);
	}
}

/* Records that the header does not count yet are read too. */
static void killed_recording_has_all_that_was_written(void **state)
{
	for (int level = 0; level < 4; level += 3) {
		struct recording r = { .n_events = 1, .n_samples = 50000, .opts = { .zstd_level = level } };
		struct perfdata *pd;

		kill_recorder(&r, in_dir("k"), false);
		pd = open_ok(in_dir("k"));
		assert_true(pd->notes.unclosed);
		check_early(pd);
		/* A compressed chunk may end inside a record. */
		assert_false(pd->notes.cut && !level);
		assert_in_range(count(pd).samples, 45000, 50000);
		perfdata_close(pd);
	}
}

/* Write parts of the directory form until killed: records of all lengths, many at a time. */
static void write_parts(const char *path)
{
	struct writer *w = writer_open(path, &(struct writer_opts){ .records_only = true }, NULL);
	static uint8_t records[400000];
	uint32_t seed = (uint32_t)getpid();

	if (writer_begin(w, NULL, NULL))
		_exit(1);
	for (;;) {
		struct iovec iov[2];
		size_t len = 0, cut;

		while (len < sizeof(records) - 65536) {
			uint32_t type = RECORD_SAMPLE;
			uint16_t size;

			seed = seed * 1664525 + 1013904223;
			size = (uint16_t)((seed >> 16) % (seed % 50 ? 400 : 65500));
			size = (uint16_t)(8 + size / 8 * 8);
			memset(records + len, 0xee, size);
			memcpy(records + len, &type, 4);
			memcpy(records + len + 6, &size, 2);
			len += size;
		}
		cut = len / 3 / 8 * 8;
		iov[0] = (struct iovec){ records, cut };
		iov[1] = (struct iovec){ records + cut, len - cut };
		if (writer_write(w, iov, 2, NULL))
			_exit(1);
	}
}

static void wait_for_bytes(const char *path)
{
	struct stat st;

	for (int i = 0; i < 10000 && (stat(path, &st) < 0 || !st.st_size); i++)
		usleep(1000);
}

/* Readers of parts crash on a partial record at the end. */
static void killed_parts_end_with_a_whole_record(void **state)
{
	for (int i = 0; i < 40; i++) {
		pid_t child = fork();
		char *bytes;
		size_t len, at = 0;
		int status;

		if (!child)
			write_parts(in_dir("part"));
		wait_for_bytes(in_dir("part"));
		usleep(500 + (useconds_t)i * 397);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		assert_true(WIFSIGNALED(status));
		bytes = file_read(in_dir("part"), 1 << 30, &len, NULL);
		assert_non_null(bytes);
		while (at + 8 <= len) {
			uint32_t type = load_u32(bytes + at);
			uint16_t size;

			memcpy(&size, bytes + at + 6, 2);
			assert_true(size >= 8);
			assert_true(type == RECORD_SAMPLE || type == RECORD_FINISHED_INIT);
			at += size;
		}
		assert_int_equal(at, len);
		free(bytes);
		unlink(in_dir("part"));
	}
}

static void parts_hold_what_was_written(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 30000, .opts = { .records_only = true } };
	struct writer *w = writer_open(in_dir("whole"), &r.opts, NULL);
	uint64_t raw;
	struct stat st;

	assert_int_equal(writer_begin(w, NULL, NULL), 0);
	assert_int_equal(recording_records(&r, w, NULL), 0);
	assert_int_equal(writer_sync(w, NULL), 0);
	raw = writer_raw_bytes(w);
	assert_int_equal(writer_bytes(w), raw);
	assert_int_equal(writer_finish(w, NULL, NULL), 0);
	assert_int_equal(stat(in_dir("whole"), &st), 0);
	assert_int_equal(st.st_size, raw);
}

/* The header is updated automatically, so that even a recorder that never syncs loses little. */
static void header_follows_every_megabyte(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 100000 };
	struct writer *w = writer_open(in_dir("h"), &r.opts, NULL);
	uint64_t stated;
	int fd;

	recording_events(&r, w);
	assert_int_equal(writer_begin(w, NULL, NULL), 0);
	assert_int_equal(recording_records(&r, w, NULL), 0);
	fd = open(in_dir("h"), O_RDONLY);
	assert_int_equal(pread(fd, &stated, 8, 48), 8);
	close(fd);
	assert_true(stated + (2 << 20) > writer_bytes(w));
	writer_abandon(w, false);
}

/* Run `in_child` with a limit for the size of files; return its exit status. */
static int limited(long bytes, const struct recording *r, const char *path)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct rlimit limit = { (rlim_t)bytes, (rlim_t)bytes };
		struct err e = { 0 };

		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(!recording_write(r, path, &e) ? 0 : strstr(e.what, path) && e.sys == EFBIG ? 2 : 3);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void full_disk_leaves_whole_records(void **state)
{
	for (long bytes = 1000000; bytes < 1000100; bytes += 13) {
		struct recording r = { .n_events = 1, .n_samples = 50000 };
		struct perfdata *pd;
		struct counts n;

		assert_int_equal(limited(bytes, &r, in_dir("l")), 2);
		pd = open_ok(in_dir("l"));
		check_unclosed(pd);
		n = count(pd);
		assert_in_range(n.samples, (bytes - 4000) / 48, bytes / 48);
		perfdata_close(pd);
	}
}

static void full_disk_leaves_what_was_compressed(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 50000, .opts = { .zstd_level = 3 } };
	struct perfdata *pd;

	assert_int_equal(limited(100000, &r, in_dir("lz")), 2);
	pd = open_ok(in_dir("lz"));
	assert_true(pd->notes.unclosed);
	assert_int_equal(pd->notes.cut_features, 0);
	assert_true(feature_has(&pd->features, FEATURE_COMPRESSED));
	assert_true(count(pd).samples > 20000);
	perfdata_close(pd);
}

static void full_disk_at_the_features_keeps_the_records(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 1000 };
	struct perfdata *pd;
	struct stat st;
	uint64_t data_end;

	write_ok(&r, in_dir("whole"));
	pd = open_ok(in_dir("whole"));
	data_end = pd->data_offset + pd->data_size;
	perfdata_close(pd);
	assert_int_equal(limited((long)data_end + 100, &r, in_dir("cut")), 2);
	pd = open_ok(in_dir("cut"));
	check_unclosed(pd);
	assert_int_equal(count(pd).samples, 1000);
	check_early(pd);
	perfdata_close(pd);
	assert_int_equal(stat(in_dir("cut"), &st), 0);
	assert_int_equal(st.st_size, data_end);
}

static void no_room_at_all_leaves_nothing(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 10 }, old = { .n_events = 1, .n_samples = 5 };
	struct perfdata *pd;

	assert_int_equal(limited(0, &r, in_dir("n")), 2);
	assert_int_equal(access(in_dir("n"), F_OK), -1);
	write_ok(&old, in_dir("n"));
	assert_int_equal(limited(0, &r, in_dir("n")), 2);
	assert_int_equal(access(in_dir("n.old"), F_OK), -1);
	pd = open_ok(in_dir("n"));
	assert_int_equal(count(pd).samples, 5);
	perfdata_close(pd);
}

static struct stat stat_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st;
}

static void earlier_recording_becomes_old(void **state)
{
	struct recording one = { .n_events = 1, .n_samples = 1 }, two = { .n_events = 1, .n_samples = 2 };
	struct perfdata *pd;

	write_ok(&one, in_dir("p"));
	assert_int_equal(stat_of(in_dir("p")).st_mode & 07777, 0600);
	write_ok(&two, in_dir("p"));
	pd = open_ok(in_dir("p.old"));
	assert_int_equal(count(pd).samples, 1);
	perfdata_close(pd);
	pd = open_ok(in_dir("p"));
	assert_int_equal(count(pd).samples, 2);
	perfdata_close(pd);
}

static void nothing_changes_before_begin_nor_after_a_removal(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 1 };
	struct writer *w;
	ino_t before;

	write_ok(&r, in_dir("b"));
	before = stat_of(in_dir("b")).st_ino;
	w = writer_open(in_dir("b"), &r.opts, NULL);
	assert_int_equal(access(in_dir("b.old"), F_OK), -1);
	writer_abandon(w, true);
	assert_true(stat_of(in_dir("b")).st_ino == before);
	w = writer_open(in_dir("b"), &r.opts, NULL);
	recording_events(&r, w);
	assert_int_equal(writer_begin(w, NULL, NULL), 0);
	assert_true(stat_of(in_dir("b.old")).st_ino == before);
	writer_abandon(w, true);
	assert_true(stat_of(in_dir("b")).st_ino == before);
	assert_int_equal(access(in_dir("b.old"), F_OK), -1);
}

static void links_are_replaced_and_their_targets_left_alone(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 1 };
	int fd = open(in_dir("empty"), O_CREAT | O_WRONLY, 0644);

	close(fd);
	fd = open(in_dir("full"), O_CREAT | O_WRONLY, 0644);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_int_equal(symlink("missing", in_dir("to-missing")) | symlink("empty", in_dir("to-empty")) |
				 symlink("full", in_dir("to-full")),
			 0);
	write_ok(&r, in_dir("to-missing"));
	write_ok(&r, in_dir("to-empty"));
	write_ok(&r, in_dir("to-full"));
	assert_true(S_ISREG(stat_of(in_dir("to-missing")).st_mode) && S_ISREG(stat_of(in_dir("to-empty")).st_mode));
	assert_true(S_ISREG(stat_of(in_dir("to-full")).st_mode) && S_ISLNK(stat_of(in_dir("to-full.old")).st_mode));
	assert_int_equal(access(in_dir("missing"), F_OK), -1);
	assert_int_equal(stat_of(in_dir("empty")).st_size, 0);
	assert_int_equal(stat_of(in_dir("full")).st_size, 1);
	assert_int_equal(access(in_dir("to-empty.old"), F_OK), -1);
}

static void own_empty_file_is_kept_with_its_place(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 1 };
	int fd = open(in_dir("m"), O_CREAT | O_WRONLY, 0644);
	ino_t before = stat_of(in_dir("m")).st_ino;

	close(fd);
	write_ok(&r, in_dir("m"));
	assert_true(stat_of(in_dir("m")).st_ino == before);
	assert_int_equal(stat_of(in_dir("m")).st_mode & 07777, 0600);
	assert_int_equal(link(in_dir("m"), in_dir("m2")) | truncate(in_dir("m"), 0), 0);
	write_ok(&r, in_dir("m"));
	assert_true(stat_of(in_dir("m")).st_ino != before);
	assert_int_equal(stat_of(in_dir("m2")).st_size, 0);
}

static void refuse(const char *path, const char *because)
{
	struct err e = { 0 };

	assert_null(writer_open(path, &(struct writer_opts){ 0 }, &e));
	assert_non_null(strstr(e.what, because));
	assert_true(*e.fix);
}

static void other_than_regular_files_are_refused(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 1 };
	struct err e = { 0 };

	mkdir(in_dir("d"), 0700);
	refuse(in_dir("d"), "is a directory");
	refuse("/dev/zero", "is a device");
	assert_int_equal(recording_write(&r, in_dir("no/such"), &e), -1);
	assert_non_null(strstr(e.what, "no/such"));
	assert_int_equal(e.sys, ENOENT);
	mkdir(in_dir("q.old"), 0700);
	write_ok(&r, in_dir("q"));
	assert_int_equal(recording_write(&r, in_dir("q"), &e), -1);
	assert_non_null(strstr(e.what, "q.old"));
}

static void sinks_take_everything_or_nothing(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 100000 };
	struct err e = { 0 };

	write_ok(&r, "/dev/null");
	assert_int_equal(recording_write(&r, "/dev/full", &e), -1);
	assert_int_equal(e.sys, ENOSPC);
	assert_non_null(strstr(e.what, "/dev/full"));
}

static void *drain(void *path)
{
	int from = open(path, O_RDONLY), to = open(in_dir("drained"), O_CREAT | O_WRONLY, 0600);
	char buf[4096];
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, (size_t)n) != n)
			break;
	close(from);
	close(to);
	return NULL;
}

static void fifo_gets_the_pipe_form(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 10000 };
	char *path = xstrdup(in_dir("fifo"));
	struct perfdata *pd;
	pthread_t thread;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, drain, path), 0);
	write_ok(&r, path);
	pthread_join(thread, NULL);
	pd = open_ok(in_dir("drained"));
	assert_true(pd->pipe);
	check_header(pd);
	assert_int_equal(count(pd).samples, 10000);
	perfdata_close(pd);
	free(path);
}

/* The signal came before the FIFO was opened, and must still end the wait. */
static void wait_for_a_reader_ends_when_stopped(void **state)
{
	const char *path = in_dir("unread");
	struct recording r = { .n_events = 1 };
	struct err e = { 0 };
	struct writer *w;

	assert_int_equal(mkfifo(path, 0600), 0);
	w = writer_open(path, &r.opts, &e);
	assert_non_null(w);
	recording_events(&r, w);
	stop_requested = SIGINT;
	alarm(20); /* end a test that waits forever */
	assert_int_equal(writer_begin(w, NULL, &e), -1);
	alarm(0);
	stop_requested = 0;
	assert_non_null(strstr(e.what, "stopped"));
	writer_abandon(w, true);
}

static void reader_that_went_away_is_an_error(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 100000 };
	struct err e = { 0 };
	struct writer *w;
	char path[64];
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
	w = writer_open(path, &r.opts, &e);
	assert_true(writer_is_pipe(w));
	close(fds[0]);
	recording_events(&r, w);
	assert_int_equal(writer_begin(w, NULL, &e), -1);
	assert_int_equal(e.sys, EPIPE);
	writer_abandon(w, true);
}

static void descriptor_of_a_file_gets_the_file_form(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 10 };
	int fd = open(in_dir("fd"), O_CREAT | O_RDWR, 0600);
	char path[64];
	struct perfdata *pd;

	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	write_ok(&r, path);
	pd = open_ok(in_dir("fd"));
	assert_false(pd->pipe);
	assert_int_equal(count(pd).samples, 10);
	perfdata_close(pd);
	assert_int_equal(lseek(fd, 0, SEEK_END) > 0, 1);
	write_ok(&r, path); /* the descriptor is not at the start: only a stream can go there */
	close(fd);
}

static void size_limit_is_reported(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 1000, .opts = { .max_bytes = 40000 } };
	struct writer *w = writer_open(in_dir("x"), &r.opts, NULL);

	recording_events(&r, w);
	assert_int_equal(writer_begin(w, NULL, NULL), 0);
	assert_false(writer_full(w));
	assert_int_equal(recording_records(&r, w, NULL), 0);
	assert_true(writer_full(w));
	assert_int_equal(writer_sync(w, NULL), 0);
	assert_in_range(writer_bytes(w), writer_raw_bytes(w), writer_raw_bytes(w) + 2000); /* a header and a mark */
	assert_string_equal(writer_path(w), in_dir("x"));
	assert_int_equal(writer_finish(w, NULL, NULL), 0);
}

/* A writing thread writes the same bytes. */
static void a_thread_that_writes_changes_nothing(void **state)
{
	static const struct writer_opts forms[] = { { 0 }, { .zstd_level = 1 }, { .pipe = true } };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct recording r = { .n_events = 2, .n_samples = 50000, .opts = forms[i] };
		autofree char *bytes = NULL, *own = NULL;
		size_t len, own_len;

		write_ok(&r, in_dir("own"));
		r.opts.async_bytes = 100000; /* small, so that the writer waits for room */
		write_ok(&r, in_dir("thread"));
		own = file_read(in_dir("own"), 64 << 20, &own_len, NULL);
		bytes = file_read(in_dir("thread"), 64 << 20, &len, NULL);
		assert_int_equal(len, own_len);
		assert_memory_equal(bytes, own, len);
	}
}

static void a_thread_on_a_full_disk_leaves_whole_records(void **state)
{
	for (int level = 0; level < 2; level++) {
		struct recording r = { .n_events = 1,
				       .n_samples = 50000,
				       .opts = { .zstd_level = level, .async_bytes = 1 << 20 } };
		struct perfdata *pd;

		assert_int_equal(limited(100000, &r, in_dir("la")), 2);
		pd = open_ok(in_dir("la"));
		assert_true(pd->notes.unclosed);
		assert_true(count(pd).samples > 1500);
		perfdata_close(pd);
	}
}

static void settled_bytes_are_in_the_file(void **state)
{
	struct recording r = { .n_events = 1, .n_samples = 50000, .opts = { .async_bytes = 32 << 20 } };
	struct writer *w = writer_open(in_dir("s"), &r.opts, NULL);

	recording_events(&r, w);
	assert_int_equal(writer_begin(w, NULL, NULL), 0);
	assert_int_equal(recording_records(&r, w, NULL), 0);
	assert_int_equal(writer_settle(w, NULL), 0);
	assert_int_equal(stat_of(in_dir("s")).st_size, writer_bytes(w));
	assert_int_equal(writer_finish(w, NULL, NULL), 0);
}

static void an_empty_recording_is_not_a_killed_one(void **state)
{
	struct recording r = { .n_events = 1 };
	struct writer *w = writer_open(in_dir("e"), &r.opts, NULL);
	struct perfdata *pd;

	recording_events(&r, w);
	assert_int_equal(writer_begin(w, NULL, NULL), 0);
	assert_int_equal(writer_finish(w, NULL, NULL), 0);
	pd = open_ok(in_dir("e"));
	check_clean(pd);
	perfdata_close(pd);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_form_reads_back),
		T(compression_is_worth_it_and_stays_aligned),
		T(incompressible_data_fits),
		T(attrs_are_as_short_as_their_fields_allow),
		T(units_and_names_travel_with_the_stream),
		T(stream_refuses_more_ids_than_a_record_holds),
		T(killed_recording_has_all_that_was_synced),
		T(killed_recording_has_all_that_was_written),
		T(killed_parts_end_with_a_whole_record),
		T(parts_hold_what_was_written),
		T(header_follows_every_megabyte),
		T(full_disk_leaves_whole_records),
		T(full_disk_leaves_what_was_compressed),
		T(full_disk_at_the_features_keeps_the_records),
		T(no_room_at_all_leaves_nothing),
		T(earlier_recording_becomes_old),
		T(nothing_changes_before_begin_nor_after_a_removal),
		T(links_are_replaced_and_their_targets_left_alone),
		T(own_empty_file_is_kept_with_its_place),
		T(other_than_regular_files_are_refused),
		T(a_thread_that_writes_changes_nothing),
		T(a_thread_on_a_full_disk_leaves_whole_records),
		T(settled_bytes_are_in_the_file),
		T(sinks_take_everything_or_nothing),
		T(fifo_gets_the_pipe_form),
		T(wait_for_a_reader_ends_when_stopped),
		T(reader_that_went_away_is_an_error),
		T(descriptor_of_a_file_gets_the_file_form),
		T(size_limit_is_reported),
		T(an_empty_recording_is_not_a_killed_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
