#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "format/format.h"
#include "report/import/import_priv.h"

/*
 * Recordings that import_write() makes, read by the reader of format/. A name of a sample is that of the KSYMBOL record
 * whose range contains the address, as for any reader of the file.
 */
enum { NO_CPU = UINT32_MAX, NAMES_MOST = 9000 };
#define NO_TIME UINT64_MAX

static char path[64];

static int begin(void **state)
{
	int fd;

	strcpy(path, "/tmp/strobe-import-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

/* A test that writes twice leaves the first recording with the suffix ".old". */
static int end(void **state)
{
	char old[sizeof(path) + 4];

	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	return unlink(path);
}

static uint32_t name(struct import *im, const char *text) { return strtab_intern(&im->texts, text); }

/* Add a sample of "comm" pid/tid whose frames are the letters of `chain`, innermost first. */
static struct import_sample *add(struct import *im, const char *comm, int32_t pid, int32_t tid, uint64_t weight,
				 const char *chain)
{
	struct import_sample s = { .weight = weight,
				   .time_ns = NO_TIME,
				   .cpu = NO_CPU,
				   .at = im->frames.len,
				   .n = (uint32_t)strlen(chain),
				   .event = import_event(im, "samples", 7, false) };

	s.task = import_task(im, name(im, comm), pid, tid);
	for (; *chain; chain++)
		vec_push(&im->frames, name(im, (char[]){ *chain, '\0' }));
	vec_push(&im->samples, s);
	return &im->samples.items[im->samples.len - 1];
}

static struct import_notes written(struct import *im)
{
	struct import_notes notes = { 0 };
	struct err e = { 0 };

	if (import_write(im, path, &notes, &e) < 0)
		fail_msg("%s: %s", e.what, e.why);
	return notes;
}

static struct perfdata *opened(void)
{
	struct err e = { 0 };
	struct perfdata *pd = perfdata_open(path, &(struct perfdata_opts){ .force = true }, &e);

	if (!pd)
		fail_msg("%s: %s", e.what, e.why);
	return pd;
}

/* ---- the records as text ---- */

struct printed {
	const struct perfdata *pd;
	struct out o;
	struct record_ksymbol names[NAMES_MOST];
	size_t n_names;
};

static void put_place(struct printed *p, uint64_t address)
{
	for (size_t i = 0; i < p->n_names; i++) {
		if (address - p->names[i].addr < p->names[i].len) {
			out_str(&p->o, p->names[i].name);
			return;
		}
	}
	out_fmt(&p->o, "%#llx", (unsigned long long)address);
}

static void put_sample(struct printed *p, const struct record *r)
{
	int event = perfdata_event_of(p->pd, r);
	struct sample s = { 0 };
	struct err e = { 0 };

	assert_true(event >= 0);
	assert_int_equal(r->misc, CPUMODE_KERNEL);
	if (sample_decode(p->pd, r, (uint32_t)event, &s, &e) < 0)
		fail_msg("%s", e.what);
	out_fmt(&p->o, "%d/%d %s %llu", (int)s.pid, (int)s.tid, p->pd->events[event].name,
		(unsigned long long)s.period);
	if (s.type & SAMPLE_TIME)
		out_fmt(&p->o, " @%llu", (unsigned long long)s.time);
	if (s.type & SAMPLE_CPU)
		out_fmt(&p->o, " [%u]", s.cpu);
	out_str(&p->o, " at ");
	put_place(p, s.ip);
	out_char(&p->o, ':');
	for (uint64_t i = 0; i < s.n_chain; i++) {
		uint64_t address = load_u64(s.chain + 8 * i);

		assert_true((i == 0) == (address == CHAIN_KERNEL));
		if (i) {
			out_char(&p->o, ' ');
			put_place(p, address);
		}
	}
	out_char(&p->o, '\n');
}

static void put_comm(struct printed *p, const struct record *r)
{
	struct record_comm c;
	struct trailer t;

	assert_int_equal(record_comm(p->pd, r, &c), 0);
	assert_true(record_trailer(p->pd, r, &t));
	assert_int_equal(t.pid, c.pid);
	assert_int_equal(t.tid, c.tid);
	out_fmt(&p->o, "comm %d/%d %s", c.pid, c.tid, c.comm);
	if (t.time != UINT64_MAX)
		out_fmt(&p->o, " @%llu", (unsigned long long)t.time);
	if (t.cpu != UINT32_MAX)
		out_fmt(&p->o, " [%u]", t.cpu);
	out_char(&p->o, '\n');
}

static void put_ksymbol(struct printed *p, const struct record *r)
{
	struct record_ksymbol *k = &p->names[p->n_names++];
	struct trailer t;

	assert_true(p->n_names <= NAMES_MOST);
	assert_int_equal(record_ksymbol(p->pd, r, k), 0);
	assert_true(record_trailer(p->pd, r, &t));
	assert_true(k->addr >= 1ull << 63); /* the kernel's half */
	for (size_t i = 0; i + 1 < p->n_names; i++)
		assert_true(k->addr + k->len <= p->names[i].addr || p->names[i].addr + p->names[i].len <= k->addr);
	out_fmt(&p->o, "name %.20s", k->name);
	if (t.time != UINT64_MAX)
		out_fmt(&p->o, " @%llu", (unsigned long long)t.time);
	out_char(&p->o, '\n');
}

static void recording_is(const char *wanted)
{
	struct format_notes notes = { 0 };
	struct printed *p = xcalloc(1, sizeof(*p));
	struct perfdata *pd = opened();
	struct chunk c;
	struct record r;
	int got;

	p->pd = pd;
	out_init_mem(&p->o);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), &notes, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0) {
		assert_int_equal((r.size + 8) % 8, 0);
		switch (r.type) {
		case RECORD_SAMPLE: put_sample(p, &r); break;
		case RECORD_COMM: put_comm(p, &r); break;
		case RECORD_KSYMBOL: put_ksymbol(p, &r); break;
		default: break; /* what the writer adds */
		}
	}
	assert_int_equal(got, 0);
	assert_int_equal(notes.bad_records + notes.unknown_ids, 0);
	assert_false(pd->notes.unclosed || pd->notes.cut);
	assert_string_equal(out_text(&p->o), wanted);
	chunk_release(&c);
	out_release(&p->o);
	perfdata_close(pd);
	free(p);
}

/* ---- cases ---- */

static void names_and_comms_come_once_before_their_first_sample(void **state)
{
	struct import *im = import_new();
	struct import_notes notes;

	add(im, "sh", 12, 13, 5, "ab");
	add(im, "sh", 12, 13, 6, "ba");
	add(im, "ls", 12, 12, UINT64_MAX, "ca");
	notes = written(im);
	assert_int_equal(notes.cut_names + notes.cut_stacks, 0);
	recording_is("name a\nname b\ncomm 12/13 sh\n12/13 samples 5 at a: a b\n"
		     "12/13 samples 6 at b: b a\n"
		     "name c\ncomm 12/12 ls\n12/12 samples 18446744073709551615 at c: c a\n");
	import_free(im);
}

static void a_thread_that_changes_its_name_has_a_comm_for_each(void **state)
{
	struct import *im = import_new();

	add(im, "sh", 7, 7, 1, "");
	add(im, "ls", 7, 7, 2, "");
	add(im, "sh", 7, 7, 3, "");
	written(im);
	recording_is("comm 7/7 sh\n7/7 samples 1 at 0:\ncomm 7/7 ls\n7/7 samples 2 at 0:\n"
		     "comm 7/7 sh\n7/7 samples 3 at 0:\n");
	import_free(im);
}

static void a_function_that_calls_itself_is_in_the_chain_twice(void **state)
{
	struct import *im = import_new();

	add(im, "sh", 7, 7, 1, "aab");
	written(im);
	recording_is("name a\nname b\ncomm 7/7 sh\n7/7 samples 1 at a: a a b\n");
	import_free(im);
}

static void times_and_cpus_are_there_if_every_sample_has_them(void **state)
{
	struct import *im = import_new();
	struct import_sample *s;

	s = add(im, "sh", 7, 7, 1, "a");
	s->time_ns = 100, s->cpu = 3;
	s = add(im, "sh", 7, 7, 2, "b");
	s->time_ns = 90, s->cpu = 0;
	s = add(im, "sh", 7, 7, 3, "b");
	s->time_ns = 95, s->cpu = 1;
	written(im);
	/* Names are valid from the first time on, wherever that sample is. */
	recording_is("name a @90\ncomm 7/7 sh @100 [3]\n7/7 samples 1 @100 [3] at a: a\n"
		     "name b @90\n7/7 samples 2 @90 [0] at b: b\n7/7 samples 3 @95 [1] at b: b\n");
	im->samples.items[1].time_ns = NO_TIME;
	written(im);
	recording_is("name a\ncomm 7/7 sh [3]\n7/7 samples 1 [3] at a: a\nname b\n7/7 samples 2 [0] at b: b\n"
		     "7/7 samples 3 [1] at b: b\n");
	im->samples.items[1].time_ns = 0;
	im->samples.items[0].cpu = NO_CPU;
	written(im);
	recording_is("name a @0\ncomm 7/7 sh @100\n7/7 samples 1 @100 at a: a\nname b @0\n7/7 samples 2 @0 at b: b\n"
		     "7/7 samples 3 @95 at b: b\n");
	import_free(im);
}

static void each_event_has_an_id_and_its_own_samples(void **state)
{
	struct import *im = import_new();
	struct perfdata *pd;

	add(im, "sh", 7, 7, 1, "a");
	add(im, "sh", 7, 7, 2, "a")->event = import_event(im, "cpu", 3, true);
	written(im);
	recording_is("name a\ncomm 7/7 sh\n7/7 samples 1 at a: a\n7/7 cpu 2 at a: a\n");
	pd = opened();
	assert_int_equal(pd->n_events, 2);
	assert_int_equal(pd->events[1].n_ids, 1);
	assert_int_equal(pd->events[1].leader, 1);
	/* PERF_COUNT_SW_DUMMY is 9. PERF_COUNT_SW_CPU_CLOCK is 0; its periods are nanoseconds. */
	assert_int_equal(pd->events[0].attr.type, ATTR_TYPE_SOFTWARE);
	assert_int_equal(pd->events[0].attr.config, 9);
	assert_int_equal(pd->events[1].attr.type, ATTR_TYPE_SOFTWARE);
	assert_int_equal(pd->events[1].attr.config, 0);
	perfdata_close(pd);
	import_free(im);
}

/* The largest record has 65528 bytes. All of a KSYMBOL except for the name and the trailer are 24 bytes. */
static void a_name_that_fills_its_record_is_cut_and_counted(void **state)
{
	static const struct {
		size_t len, kept, n_cut;
	} cases[] = { { 65528 - 24 - 32 - 8, 65528 - 24 - 32 - 8, 0 },
		      { 65528 - 24 - 32 - 7, 65528 - 24 - 32 - 8, 1 },
		      { 70000, 65528 - 24 - 32 - 8, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct import *im = import_new();
		autofree char *text = xcalloc(1, cases[i].len + 1);
		struct format_notes notes = { 0 };
		struct perfdata *pd;
		struct import_sample *s = add(im, "sh", 7, 7, 1, "x");
		struct record_ksymbol k = { 0 };
		struct record r;
		struct chunk c;

		memset(text, 'n', cases[i].len);
		s->time_ns = s->cpu = 1; /* the longest trailer */
		im->frames.items[0] = name(im, text);
		assert_int_equal(written(im).cut_names, cases[i].n_cut);
		pd = opened();
		perfdata_chunk(pd, 0, 0, stream_size(pd, 0), &notes, &c);
		while (chunk_next(&c, &r, NULL) > 0 && r.type != RECORD_KSYMBOL)
			;
		assert_int_equal(record_ksymbol(pd, &r, &k), 0);
		assert_int_equal(strlen(k.name), cases[i].kept);
		chunk_release(&c);
		perfdata_close(pd);
		import_free(im);
	}
}

static void a_stack_of_more_than_8000_frames_loses_its_outermost_ones(void **state)
{
	for (uint32_t n = 7999; n <= 8001; n++) {
		struct import *im = import_new();
		struct import_sample *s = add(im, "sh", 7, 7, 1, "a");
		struct perfdata *pd;
		struct sample decoded = { 0 };
		struct record r;
		struct chunk c;

		s->n = n;
		s->time_ns = s->cpu = 1;
		for (uint32_t i = 1; i < n; i++)
			vec_push(&im->frames, name(im, "b"));
		assert_int_equal(written(im).cut_stacks, n > 8000);
		pd = opened();
		perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
		while (chunk_next(&c, &r, NULL) > 0 && r.type != RECORD_SAMPLE)
			;
		assert_int_equal(sample_decode(pd, &r, 0, &decoded, NULL), 0);
		assert_int_equal(decoded.n_chain, 1 + MIN(n, 8000u));
		assert_true(load_u64(decoded.chain + 8) == decoded.ip);
		chunk_release(&c);
		perfdata_close(pd);
		import_free(im);
	}
}

static void a_profile_without_samples_makes_a_recording_that_opens(void **state)
{
	struct import *im = import_new();

	import_event(im, "samples", 7, false);
	written(im);
	recording_is("");
	import_free(im);
}

static void a_path_that_cannot_be_written_is_an_error(void **state)
{
	struct import *im = import_new();
	struct import_notes notes = { 0 };
	struct err e = { 0 };

	add(im, "sh", 7, 7, 1, "a");
	assert_int_equal(import_write(im, "/proc/none/perf.data", &notes, &e), -1);
	assert_non_null(strstr(e.what, "/proc/none/perf.data"));
	import_free(im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_and_comms_come_once_before_their_first_sample, begin, end),
		cmocka_unit_test_setup_teardown(a_thread_that_changes_its_name_has_a_comm_for_each, begin, end),
		cmocka_unit_test_setup_teardown(a_function_that_calls_itself_is_in_the_chain_twice, begin, end),
		cmocka_unit_test_setup_teardown(times_and_cpus_are_there_if_every_sample_has_them, begin, end),
		cmocka_unit_test_setup_teardown(each_event_has_an_id_and_its_own_samples, begin, end),
		cmocka_unit_test_setup_teardown(a_name_that_fills_its_record_is_cut_and_counted, begin, end),
		cmocka_unit_test_setup_teardown(a_stack_of_more_than_8000_frames_loses_its_outermost_ones, begin, end),
		cmocka_unit_test_setup_teardown(a_profile_without_samples_makes_a_recording_that_opens, begin, end),
		cmocka_unit_test(a_path_that_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
