#include "tests/lib/forms.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

static uint64_t count(const struct perfdata *pd, uint32_t type, struct format_notes *notes)
{
	uint64_t n = 0;

	for (size_t i = 0; i < pd->n_streams; i++) {
		struct chunk c;
		struct record r;
		int got;

		perfdata_chunk(pd, i, 0, stream_size(pd, i), notes, &c);
		while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c)))
			n += got > 0 && r.type == type;
		chunk_release(&c);
	}
	return n;
}

static struct build three_samples(enum build_form form)
{
	struct build b = build_start_as(form, SAMPLE_IP | SAMPLE_TIME);

	for (uint64_t i = 1; i <= 3; i++)
		build_sample(&b, .ip = i, .time = i);
	return b;
}

static void form_is_recognised(void **state)
{
	struct build b = three_samples(FORM);
	struct perfdata *pd = build_open(&b);

	assert_int_equal(pd->pipe, FORM == BUILD_PIPE || FORM == BUILD_PIPE_SWAPPED);
	assert_int_equal(pd->swap, FORM == BUILD_FILE_SWAPPED || FORM == BUILD_PIPE_SWAPPED);
	assert_int_equal(pd->header_version, 2);
	assert_int_equal(pd->n_events, 1);
	assert_string_equal(pd->events[0].name, "cpu-clock");
	assert_true(pd->events[0].has_stored_name);
	assert_int_equal(pd->events[0].n_ids, 1);
	assert_int_equal(pd->events[0].ids[0], 1);
	assert_int_equal(count(pd, RECORD_SAMPLE, NULL), 3);
	assert_false(pd->notes.cut);
	perfdata_close(pd);
	build_release(&b);
}

static void attrs_are_read_whole(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 160 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct build b = three_samples(FORM);
		struct attr want = { .type = ATTR_TYPE_RAW,
				     .size = sizes[i],
				     .config = 0x1234567890,
				     .sample_period = 4000,
				     .sample_type = SAMPLE_IP | SAMPLE_TIME,
				     .read_format = READ_ID,
				     .flags = ATTR_FREQ | ATTR_SAMPLE_ID_ALL | 1ull << ATTR_PRECISE_SHIFT |
					      ATTR_BUILD_ID | ATTR_DISABLED,
				     .wakeup_events = 3,
				     .bp_type = 1,
				     .config1 = 0xaabb };
		struct perfdata *pd;

		if (sizes[i] >= 72)
			want.config2 = 0x77;
		if (sizes[i] >= 96)
			want.branch_sample_type = 9, want.sample_regs_user = 10, want.sample_stack_user = 8192,
			want.clockid = -5;
		if (sizes[i] >= 120)
			want.aux_watermark = 1, want.sample_max_stack = 64, want.aux_sample_size = 12,
			want.aux_action = 2;
		if (sizes[i] >= 144)
			want.sig_data = 5, want.config3 = 6, want.config4 = 7;
		b.attr_size = sizes[i];
		*build_attr(&b, 0) = want;
		pd = build_open(&b);
		assert_memory_equal(&pd->events[0].attr, &want, sizeof(want));
		assert_false(pd->notes.attr_unknown_tail);
		perfdata_close(pd);
		build_release(&b);
	}
}

static void attrs_survive_encoding(void **state)
{
	struct attr a = { .type = 1, .size = 144, .sample_type = 7, .sig_data = 3 }, back;
	uint8_t bytes[200];
	bool tail;

	assert_int_equal(attr_needed_size(&a), 128);
	attr_encode(&a, 128, bytes);
	assert_int_equal(attr_decode(&back, bytes, 128, false, &tail, NULL), 0);
	assert_int_equal(back.size, 128);
	assert_int_equal(back.sig_data, 3);
	a.sig_data = 0;
	assert_int_equal(attr_needed_size(&a), 64);
	a.config4 = 1;
	assert_int_equal(attr_needed_size(&a), 144);
	attr_encode(&a, 200, bytes);
	bytes[199] = 1;
	assert_int_equal(attr_decode(&back, bytes, 200, false, &tail, NULL), 0);
	assert_true(tail);
	assert_int_equal(attr_decode(&back, bytes, 199, false, &tail, NULL), -1);
	assert_int_equal(attr_decode(&back, bytes, 63, false, &tail, NULL), -1);
}

static void updates_and_features_reach_events(void **state)
{
	struct build b = three_samples(FORM);
	struct perfdata *pd;
	size_t from = b.records.len;

	build_update(&b, 0, EVENT_UPDATE_UNIT, "msec");
	build_update(&b, 0, EVENT_UPDATE_NAME, "renamed");
	/* Put them before the first sample. */
	uint8_t *early = xmalloc(b.records.len);

	memcpy(early, b.records.items + from, b.records.len - from);
	memcpy(early + b.records.len - from, b.records.items, from);
	memcpy(b.records.items, early, b.records.len);
	free(early);
	build_feature_text(&b, FEATURE_ARCH, "x86_64");
	pd = build_open(&b);
	assert_string_equal(pd->events[0].unit, "msec");
	assert_string_equal(pd->events[0].name, "renamed");
	assert_string_equal(pd->features.arch, "x86_64");
	perfdata_close(pd);
	build_release(&b);
}

static void unknown_features_are_skipped(void **state)
{
	struct build b = three_samples(FORM);
	struct perfdata *pd;

	build_feature(&b, 200, "whatever", 8);
	build_feature(&b, FEATURE_CPUDESC, "\377\377\377\377", 4); /* a text longer than its section */
	pd = build_open(&b);
	assert_int_equal(pd->notes.unknown_features, 1);
	assert_int_equal(pd->notes.bad_features, 1);
	assert_false(feature_has(&pd->features, FEATURE_CPUDESC));
	assert_int_equal(count(pd, RECORD_SAMPLE, NULL), 3);
	perfdata_close(pd);
	build_release(&b);
}

static void groups_are_printed(void **state)
{
	/* one group of two, led by event 1 */
	const uint32_t words[] = { 1, 8, 0, 0, 1, 2 };
	struct build b = build_start(SAMPLE_IP | SAMPLE_ID);
	struct perfdata *pd;
	uint8_t section[24];

	memcpy(section, words, sizeof(words));
	memcpy(section + 8, "{g}\0\0\0\0\0", 8);
	build_event(&b, SAMPLE_IP | SAMPLE_ID, "two");
	build_event(&b, SAMPLE_IP | SAMPLE_ID, "three");
	build_feature(&b, FEATURE_GROUP_DESC, section, sizeof(section));
	pd = build_open(&b);
	assert_int_equal(pd->events[0].n_members, 1);
	assert_int_equal(pd->events[1].n_members, 2);
	assert_int_equal(pd->events[2].n_members, 0);
	assert_int_equal(pd->events[2].leader, 1);
	assert_string_equal(pd->events[1].group_name, "{g}");
	perfdata_close(pd);
	build_release(&b);
}

/* Open a recording of five events with two groups: "g", then "h". */
static struct perfdata *with_two_groups(struct build *b, const uint32_t words[11])
{
	uint8_t section[11 * 4];

	*b = build_start(SAMPLE_IP | SAMPLE_ID);
	memcpy(section, words, sizeof(section));
	memcpy(section + 8, "{g}", 4);
	memcpy(section + 28, "{h}", 4);
	build_event(b, SAMPLE_IP | SAMPLE_ID, "two");
	build_event(b, SAMPLE_IP | SAMPLE_ID, "three");
	build_event(b, SAMPLE_IP | SAMPLE_ID, "four");
	build_event(b, SAMPLE_IP | SAMPLE_ID, "five");
	build_feature(b, FEATURE_GROUP_DESC, section, sizeof(section));
	return build_open(b);
}

static void an_event_is_in_one_group(void **state)
{
	/* events 0 to 2, and again 1 and 2; in the other order; the words after 8 are the text */
	static const uint32_t first[11] = { 2, 8, 0, 0, 0, 3, 8, 0, 0, 1, 2 };
	static const uint32_t last[11] = { 2, 8, 0, 0, 1, 2, 8, 0, 0, 0, 3 };
	struct build b;
	struct perfdata *pd = with_two_groups(&b, first);

	assert_int_equal(pd->events[0].n_members, 3);
	assert_int_equal(pd->events[1].n_members, 0);
	assert_int_equal(pd->events[2].leader, 0);
	assert_null(pd->events[1].group_name);
	perfdata_close(pd);
	build_release(&b);

	pd = with_two_groups(&b, last);
	assert_int_equal(pd->events[0].n_members, 1);
	assert_int_equal(pd->events[1].n_members, 2);
	assert_int_equal(pd->events[2].leader, 1);
	assert_null(pd->events[0].group_name);
	perfdata_close(pd);
	build_release(&b);
}

static void old_headers_are_read(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct build b = three_samples(swapped ? BUILD_FILE_SWAPPED : BUILD_FILE);
		struct perfdata *pd;

		b.v1 = true;
		pd = build_open(&b);
		assert_int_equal(pd->header_version, 1);
		assert_int_equal(pd->swap, swapped);
		assert_int_equal(count(pd, RECORD_SAMPLE, NULL), 3);
		perfdata_close(pd);
		b.v1 = false;
		for (size_t i = 0; i < b.features.len; i++)
			free(b.features.items[i].data);
		vec_clear(&b.features);
		b.header_size = 72;
		pd = build_open(&b);
		assert_false(pd->events[0].has_stored_name);
		assert_int_equal(count(pd, RECORD_SAMPLE, NULL), 3);
		perfdata_close(pd);
		build_release(&b);
	}
}

static void a_recorder_that_died_is_noted(void **state)
{
	struct build b = three_samples(FORM);
	struct perfdata *pd;

	b.unclosed = true;
	b.events.items[0].name = NULL;
	pd = build_open(&b);
	if (!pd->pipe) {
		assert_true(pd->notes.unclosed);
		assert_int_equal(pd->features.present[0], 0);
	}
	assert_int_equal(count(pd, RECORD_SAMPLE, NULL), 3);
	perfdata_close(pd);
	build_release(&b);
}

/* Wherever an input is cut, every whole record before the cut is read. */
static void cuts_lose_only_what_is_behind_them(void **state)
{
	struct build b = three_samples(FORM);
	struct perfdata *whole = build_open(&b);
	uint64_t from = FORM == BUILD_PIPE || FORM == BUILD_PIPE_SWAPPED ? 16 : whole->data_offset,
		 size = stream_size(whole, 0);
	size_t len;
	const uint8_t *p = build_bytes(&b, &len);
	uint64_t samples_from = from + size - 3 * 24;

	perfdata_close(whole);
	for (size_t cut = 0; cut < len; cut++) {
		uint8_t *part = xmalloc(cut + 1);
		struct err e = { 0 };
		struct format_notes notes;
		struct perfdata *pd;

		memcpy(part, p, cut);
		pd = perfdata_open_memory("part", part, cut, &e);
		if (!pd) {
			assert_true(e.what[0] != 0);
			assert_true(cut < samples_from || (FORM < BUILD_PIPE && cut < from));
		} else if (cut >= samples_from) {
			notes = pd->notes;
			assert_int_equal(count(pd, RECORD_SAMPLE, &notes), MIN((cut - samples_from) / 24, 3));
			if (cut < samples_from + 3 * 24 && (cut - samples_from) % 24) {
				assert_true(notes.cut);
				assert_true(notes.cut_offset <= cut);
			}
			if (FORM < BUILD_PIPE)
				assert_true(format_notes_damaged(&notes, pd));
		}
		perfdata_close(pd);
		free(part);
	}
	build_release(&b);
}

static void refused(const void *bytes, size_t len, const char *text)
{
	struct err e = { 0 };

	assert_null(perfdata_open_memory("the-file", bytes, len, &e));
	if (!strstr(e.what, "the-file") || (!strstr(e.what, text) && !strstr(e.why, text)))
		fail_msg("expected '%s', got '%s' / '%s'", text, e.what, e.why);
}

static void other_files_are_refused(void **state)
{
	struct build b = three_samples(BUILD_FILE);
	size_t len;
	uint8_t *p = (uint8_t *)build_bytes(&b, &len);
	uint64_t huge = INT64_MAX;

	refused("", 0, "empty");
	refused("#!/bin/sh", 9, "ends inside the header");
	refused("#!/bin/sh\nexit 1\n", 17, "PERFILE2");
	refused("PERFFILE\1\2\3\4\5\6\7\10", 16, "ends inside the header");
	refused("PERFILE2\1\2\3\4\5\6\7\10", 16, "ends inside the header");
	memcpy(p + 24, &huge, 8); /* attrs.offset */
	refused(p, len, "not in the file");
	p[24] = 0;
	p = (uint8_t *)build_bytes(&b, &len);
	memcpy(p + 40, &huge, 8); /* data.offset */
	memcpy(p + 48, "\377\377\377\377\377\377\377\377", 8);
	refused(p, len, "damaged");
	p = (uint8_t *)build_bytes(&b, &len);
	memcpy(p + 16, "\0\0\0\0\0\0\0\0", 8); /* attr_size */
	refused(p, len, "0 bytes");
	p = (uint8_t *)build_bytes(&b, &len);
	memcpy(p + 8, "\150\1\0\0\0\0\0\0", 8); /* size */
	refused(p, len, "not known");
	build_release(&b);
}

static void names_that_cannot_be_opened(void **state)
{
	struct err e = { 0 };
	char dir[] = "/tmp/strobe-reader-XXXXXX";

	assert_null(perfdata_open("/nonexistent/perf.data", NULL, &e));
	assert_string_equal(e.what, "failed to open /nonexistent/perf.data: No such file or directory");
	assert_null(perfdata_open("/dev/null", NULL, &e));
	assert_non_null(strstr(e.why, "a device"));
	assert_non_null(mkdtemp(dir));
	assert_null(perfdata_open(dir, NULL, &e));
	assert_non_null(strstr(e.why, "directory"));
	rmdir(dir);
}

static void files_of_others_need_force(void **state)
{
	struct build b = three_samples(BUILD_FILE);
	char *path = build_file(&b);
	struct perfdata_opts force = { .force = true };
	struct err e = { 0 };
	struct perfdata *pd;

	if (geteuid() || chown(path, 1, 1) < 0) {
		print_message("skipped: needs root to give a file away\n");
		unlink(path);
		free(path);
		build_release(&b);
		skip();
	}
	assert_null(perfdata_open(path, NULL, &e));
	assert_non_null(strstr(e.what, "not owned"));
	pd = perfdata_open(path, &force, &e);
	assert_non_null(pd);
	perfdata_close(pd);
	unlink(path);
	free(path);
	build_release(&b);
}

struct feed {
	int fd;
	const uint8_t *p;
	size_t len;
};
static void *feed_run(void *arg)
{
	struct feed *f = arg;

	for (size_t at = 0; at < f->len; at += 7)
		if (write(f->fd, f->p + at, MIN(7, f->len - at)) < 0)
			break;
	close(f->fd);
	return NULL;
}

/* Read both forms through a pipe, in small pieces. */
static void standard_input(void **state)
{
	struct build b = three_samples(FORM);
	int ends[2], saved = dup(STDIN_FILENO);
	struct feed f;
	struct perfdata *pd;
	struct err e = { 0 };
	pthread_t thread;

	f.p = build_bytes(&b, &f.len);
	assert_int_equal(pipe(ends), 0);
	f.fd = ends[1];
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(pthread_create(&thread, NULL, feed_run, &f), 0);
	pd = perfdata_open("-", NULL, &e);
	pthread_join(thread, NULL);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	if (!pd)
		fail_msg("%s %s", e.what, e.why);
	assert_int_equal(count(pd, RECORD_SAMPLE, NULL), 3);
	assert_int_equal(pd->input_size, f.len);
	perfdata_close(pd);
	build_release(&b);
}

static void write_file(const char *path, const void *p, size_t len)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, len), len);
	close(fd);
}

static void directories_have_a_stream_per_file(void **state)
{
	struct build b = three_samples(BUILD_FILE);
	uint64_t version = 1;
	char dir[] = "/tmp/strobe-reader-XXXXXX", *data, *part[2];
	struct err e = { 0 };
	struct perfdata *pd;
	size_t len;
	const uint8_t *p;

	build_feature(&b, FEATURE_DIR_FORMAT, &version, 8);
	p = build_bytes(&b, &len);
	assert_non_null(mkdtemp(dir));
	data = xasprintf("%s/data", dir);
	write_file(data, p, len);
	for (int i = 0; i < 2; i++) {
		part[i] = xasprintf("%s/data.%d", dir, i);
		write_file(part[i], b.records.items, b.records.len - 24 * (size_t)i);
	}
	pd = perfdata_open(dir, NULL, &e);
	if (!pd)
		fail_msg("%s %s", e.what, e.why);
	assert_true(pd->dir);
	assert_int_equal(pd->n_streams, 3);
	assert_int_equal(count(pd, RECORD_SAMPLE, NULL), 3 + 3 + 2);
	perfdata_close(pd);
	for (int i = 0; i < 2; i++) {
		unlink(part[i]);
		free(part[i]);
	}
	unlink(data);
	free(data);
	rmdir(dir);
	build_release(&b);
}

/* A 32-bit writer of the other byte order exchanges the halves of the feature words. */
static void feature_bits_of_32_bit_writers(void **state)
{
	struct build b = three_samples(BUILD_FILE_SWAPPED);
	size_t len;
	uint8_t *p = (uint8_t *)build_bytes(&b, &len), half[4];
	struct perfdata *pd;

	memcpy(half, p + 72, 4);
	memcpy(p + 72, p + 76, 4);
	memcpy(p + 76, half, 4);
	pd = perfdata_open_memory("halves", p, len, NULL);
	assert_non_null(pd);
	assert_string_equal(pd->features.hostname, "host");
	perfdata_close(pd);
	build_release(&b);
}

static void pipes_may_end_before_their_first_event(void **state)
{
	struct err e = { 0 };
	struct perfdata *pd = perfdata_open_memory("short", "PERFILE2\20\0\0\0\0\0\0\0\104\0\0\0\0\0\10\0", 24, &e);
	struct format_notes notes;

	assert_non_null(pd);
	notes = pd->notes;
	assert_int_equal(pd->n_events, 0);
	assert_true(notes.no_events);
	assert_int_equal(pd->events[0].layout.trailer_id, -1);
	assert_int_equal(count(pd, RECORD_FINISHED_ROUND, &notes), 1);
	perfdata_close(pd);
}

static int told;
static void tell(const char *fmt, ...) { told++; }

static void notes_are_told_once_each(void **state)
{
	struct build b = three_samples(BUILD_FILE);
	struct perfdata *pd = build_open(&b);
	struct format_notes n = { 0 };

	format_notes_tell(&n, pd, tell);
	assert_int_equal(told, 0);
	n = (struct format_notes){ .cut = true,
				   .cut_type = RECORD_SAMPLE,
				   .bad_records = 2,
				   .unknown_types = 1,
				   .skipped_bytes = 9,
				   .unclosed = true };
	format_notes_tell(&n, pd, tell);
	assert_int_equal(told, 5);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(form_is_recognised),
		FORMS(attrs_are_read_whole),
		cmocka_unit_test(attrs_survive_encoding),
		FORMS(updates_and_features_reach_events),
		FORMS(unknown_features_are_skipped),
		cmocka_unit_test(groups_are_printed),
		cmocka_unit_test(an_event_is_in_one_group),
		cmocka_unit_test(old_headers_are_read),
		FORMS(a_recorder_that_died_is_noted),
		FORMS(cuts_lose_only_what_is_behind_them),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(names_that_cannot_be_opened),
		cmocka_unit_test(files_of_others_need_force),
		FORMS(standard_input),
		cmocka_unit_test(directories_have_a_stream_per_file),
		cmocka_unit_test(feature_bits_of_32_bit_writers),
		cmocka_unit_test(pipes_may_end_before_their_first_event),
		cmocka_unit_test(notes_are_told_once_each),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
