#include "format/trace/dat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <zlib.h>

#include "base/out.h"

/* A file of version 6 with two CPUs, the second of which is empty. Source: trace-cmd.dat.v6(5). */
struct made {
	struct out o;
	bool big;
};
static void num(struct made *m, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		out_char(&m->o, (char)(v >> 8 * (m->big ? size - 1 - i : i)));
}
static void text(struct made *m, const char *s) { out_mem(&m->o, s, strlen(s) + 1); }

static void head(struct made *m, bool big)
{
	*m = (struct made){ .big = big };
	out_init_mem(&m->o);
	out_mem(&m->o, "\x17\x08\x44tracing", 10);
	text(m, "6");
	num(m, big, 1);
	num(m, 8, 1);
	num(m, 4096, 4);
	text(m, "header_page");
	num(m, 0, 8);
	text(m, "header_event");
	num(m, 0, 8);
	num(m, 0, 4); /* formats of ftrace */
	num(m, 0, 4); /* systems */
	num(m, 0, 4); /* kallsyms */
	num(m, 0, 4); /* printk_formats */
	num(m, 0, 8); /* names of tasks */
	num(m, 2, 4);
}

static void option(struct made *m, uint16_t id, const char *value)
{
	num(m, id, 2);
	num(m, strlen(value) + 1, 4);
	text(m, value);
}

/* The data of CPU 0 follows the table and the clock. */
static void cpus(struct made *m, const char *data, uint64_t size)
{
	uint64_t at;

	out_mem(&m->o, "flyrecord", 10);
	at = m->o.len + 4 * 8 + 8;
	num(m, at, 8);
	num(m, size, 8);
	num(m, at, 8);
	num(m, 0, 8);
	num(m, 0, 8); /* length of the clock's text */
	out_str(&m->o, data);
}

static int parse(struct trace_dat *d, const struct made *m, size_t len, struct err *e)
{
	*e = (struct err){ 0 };
	*d = (struct trace_dat){ 0 };
	return trace_dat_parse(d, (const uint8_t *)m->o.buf, len, e);
}

static void each_cpu_has_its_bytes_in_both_byte_orders(void **state)
{
	for (int big = 0; big < 2; big++) {
		struct trace_dat d;
		struct made m;
		struct err e;

		head(&m, big);
		out_mem(&m.o, "options  ", 10);
		option(&m, 4, "local [mono] global");
		option(&m, 3, "an instance");
		num(&m, 0, 2);
		cpus(&m, "entries", 7);
		assert_true(trace_dat_is((const uint8_t *)m.o.buf, m.o.len));
		if (parse(&d, &m, m.o.len, &e) < 0)
			fail_msg("%s", e.what);
		assert_int_equal(d.version, 6);
		assert_int_equal(d.page_size, 4096);
		assert_string_equal(d.clock, "mono");
		assert_int_equal(d.cpus.len, 1);
		assert_int_equal(d.cpus.items[0].cpu, 0);
		assert_int_equal(d.cpus.items[0].size, 7);
		assert_memory_equal(d.cpus.items[0].data, "entries", 7);
		trace_dat_close(&d);
		out_release(&m.o);
	}
}

static void data_that_was_cut_is_taken_as_far_as_it_goes(void **state)
{
	struct trace_dat d;
	struct made m;
	struct err e;

	head(&m, false);
	cpus(&m, "entries", 8192); /* the recorder was killed */
	assert_int_equal(parse(&d, &m, m.o.len, &e), 0);
	assert_int_equal(d.cpus.items[0].size, 7);
	trace_dat_close(&d);
	out_release(&m.o);
}

static void a_file_that_ends_in_its_tables_is_refused(void **state)
{
	struct made m;
	size_t tables;

	head(&m, false);
	tables = m.o.len;
	cpus(&m, "", 0);
	for (size_t len = tables; len < m.o.len - 8; len++) {
		struct trace_dat d;
		struct err e;

		assert_int_equal(parse(&d, &m, len, &e), -1);
		assert_non_null(strstr(e.what, "is cut or malformed"));
		trace_dat_close(&d);
	}
	out_release(&m.o);
}

static void text_of_a_latency_tracer_is_refused_with_advice(void **state)
{
	struct trace_dat d;
	struct made m;
	struct err e;

	head(&m, false);
	out_mem(&m.o, "latency  ", 10);
	assert_int_equal(parse(&d, &m, m.o.len, &e), -1);
	assert_string_equal(e.fix, "trace-cmd report");
	trace_dat_close(&d);
	out_release(&m.o);
}

/* The text of the clock may be the last bytes of the file. Behind them, here, nothing can be read. */
static void a_clock_at_the_end_is_not_read_beyond_it(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *start;
	struct trace_dat d;
	struct made m;
	struct err e;

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
	head(&m, false);
	out_mem(&m.o, "flyrecord", 10);
	for (int i = 0; i < 4; i++)
		num(&m, 0, 8);
	num(&m, 6, 8);
	out_str(&m.o, "global");
	start = pages + page - m.o.len;
	memcpy(start, m.o.buf, m.o.len);
	assert_int_equal(trace_dat_parse(&d, start, m.o.len, &e), 0);
	assert_string_equal(d.clock, "global");
	trace_dat_close(&d);
	munmap(pages, 2 * page);
	out_release(&m.o);
}

static void section(struct made *m, uint16_t id, bool packed, uint64_t size)
{
	num(m, id, 2);
	num(m, packed, 2);
	num(m, 0, 4);
	num(m, size, 8);
}

/* A file of version 7 whose CPUs all have the same region of one piece: 64 KB of zeroes. */
static void shared_region(struct made *m, uint32_t n_cpus, bool packed)
{
	static const uint8_t zeroes[1 << 16];
	uint8_t piece[1 << 12];
	uLongf size = sizeof(piece);
	uint64_t at, info;

	assert_int_equal(compress(piece, &size, zeroes, sizeof(zeroes)), Z_OK);
	*m = (struct made){ 0 };
	out_init_mem(&m->o);
	out_mem(&m->o, "\x17\x08\x44tracing", 10);
	text(m, "7");
	num(m, 0, 1);
	num(m, 8, 1);
	num(m, 4096, 4);
	text(m, "zlib");
	text(m, "1");
	info = m->o.len + 8;
	at = info + 16 + 41 + 16;
	num(m, at + 12 + size, 8); /* where the options are */
	section(m, 16, 0, 41);
	text(m, "header_page");
	num(m, 0, 8);
	text(m, "header_event");
	num(m, 0, 8);
	section(m, 3, packed, 12 + size); /* the buffer */
	num(m, 1, 4);                     /* a piece */
	num(m, size, 4);
	num(m, sizeof(zeroes), 4);
	out_mem(&m->o, (const char *)piece, size);
	section(m, 0, 0, 14 + 6 + 18 + 20 * n_cpus + 14); /* the options */
	num(m, 16, 2);
	num(m, 8, 4);
	num(m, info, 8);
	num(m, 3, 2);
	num(m, 18 + 20 * n_cpus, 4);
	num(m, at - 16, 8);
	text(m, "");
	text(m, "");
	num(m, 4096, 4);
	num(m, n_cpus, 4);
	for (uint32_t i = 0; i < n_cpus; i++) {
		num(m, i, 4);
		num(m, at, 8);
		num(m, 8 + size, 8);
	}
	num(m, 0, 2);
	num(m, 8, 4);
	num(m, 0, 8);
}

static void no_two_cpus_share_data(void **state)
{
	for (int packed = 0; packed < 2; packed++) {
		struct trace_dat d;
		struct made m;
		struct err e;

		shared_region(&m, 1, packed);
		if (parse(&d, &m, m.o.len, &e) < 0)
			fail_msg("%s", e.what);
		assert_int_equal(d.cpus.len, 1);
		if (packed)
			assert_int_equal(d.cpus.items[0].size, 1 << 16);
		trace_dat_close(&d);
		out_release(&m.o);

		shared_region(&m, 64, packed);
		assert_int_equal(parse(&d, &m, m.o.len, &e), -1);
		assert_non_null(strstr(e.what, "gives its CPUs more data than that"));
		trace_dat_close(&d);
		out_release(&m.o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpu_has_its_bytes_in_both_byte_orders),
		cmocka_unit_test(data_that_was_cut_is_taken_as_far_as_it_goes),
		cmocka_unit_test(a_file_that_ends_in_its_tables_is_refused),
		cmocka_unit_test(a_clock_at_the_end_is_not_read_beyond_it),
		cmocka_unit_test(no_two_cpus_share_data),
		cmocka_unit_test(text_of_a_latency_tracer_is_refused_with_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
