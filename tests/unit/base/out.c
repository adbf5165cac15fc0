#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "base/signal.h"

#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct out o;

static int setup(void **state)
{
	out_init_mem(&o);
	return 0;
}

static int teardown(void **state)
{
	out_release(&o);
	return 0;
}

static void expect(const char *text)
{
	assert_string_equal(out_text(&o), text);
	o.len = 0;
}

static void plain_text_and_formats(void **state)
{
	char longer[1000];

	out_str(&o, "a\n");
	out_char(&o, 'b');
	out_mem(&o, "cdef", 2);
	out_fmt(&o, " %d%%", 7);
	out_pad(&o, '.', 3);
	out_pad(&o, '.', -3);
	expect("a\nbcd 7%...");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	out_fmt(&o, "%s", longer);
	expect(longer);
}

static void numbers(void **state)
{
	static const uint64_t values[] = {
		0, 1, 9, 10, 11, 99, 100, 101, 12345, 999999, 1000000, UINT32_MAX, UINT64_MAX
	};
	char want[64];

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		unsigned long long v = values[i];

		out_u64(&o, v);
		out_char(&o, ' ');
		out_hex(&o, v);
		out_char(&o, ' ');
		out_i64(&o, (int64_t)v);
		snprintf(want, sizeof(want), "%llu %llx %lld", v, v, (long long)v);
		expect(want);
		out_u64_pad(&o, v, 8, '0');
		out_hex_pad(&o, v, 8, ' ');
		snprintf(want, sizeof(want), "%08llu%8llx", v, v);
		expect(want);
	}
	for (uint64_t v = 1, last = 0; v > last; last = v, v *= 10)
		for (uint64_t d = v - 1; d != v + 2; d++) {
			out_u64(&o, d);
			snprintf(want, sizeof(want), "%llu", (unsigned long long)d);
			expect(want);
		}
	for (unsigned n = 1; n < 10; n++) {
		out_digits(&o, 9876543210, n);
		out_digits(&o, 7, n);
		snprintf(want, sizeof(want), "%s%0*u", &"9876543210"[10 - n], (int)n, 7u);
		expect(want);
	}
	for (unsigned bit = 0; bit < 64; bit++) {
		out_hex(&o, UINT64_C(1) << bit);
		snprintf(want, sizeof(want), "%llx", 1ull << bit);
		expect(want);
	}
	out_i64(&o, INT64_MIN);
	expect("-9223372036854775808");
}

static void foreign_bytes_are_escaped(void **state)
{
	static const struct {
		const char *name, *shown;
	} cases[] = {
		{ "", "" },
		{ "plain ~name", "plain ~name" },
		{ "a\nb\tc\x1b[2J\x7f", "a\\x0ab\\x09c\\x1b[2J\\x7f" },
		{ "gr\xc3\xbc\xc3\x9f \xe4\xb8\xad \xf0\x9f\x90\xa7",
		  "gr\xc3\xbc\xc3\x9f \xe4\xb8\xad \xf0\x9f\x90\xa7" },
		{ "\xc2\x9b"
		  "31m",
		  "\\xc2\\x9b31m" }, /* C1: CSI */
		{ "\xc2\xa0", "\xc2\xa0" },
		{ "\xff\x80", "\\xff\\x80" },
		{ "\xc3", "\\xc3" }, /* cut */
		{ "\xe4\xb8", "\\xe4\\xb8" },
		{ "\xe4\xb8"
		  "a",
		  "\\xe4\\xb8a" },
		{ "\xc0\x8a", "\\xc0\\x8a" }, /* overlong newline */
		{ "\xe0\x80\x8a", "\\xe0\\x80\\x8a" },
		{ "\xf0\x80\x80\x8a", "\\xf0\\x80\\x80\\x8a" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },          /* surrogate */
		{ "\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd" },     /* U+10FFFD */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* U+110000 */
		{ "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
		{ "a\xe2\x80\xa8"
		  "b\xe2\x80\xa9",
		  "a\\xe2\\x80\\xa8b\\xe2\\x80\\xa9" }, /* line and paragraph ends */
		{ "\xe2\x80\xae"
		  "exe",
		  "\\xe2\\x80\\xaeexe" }, /* right-to-left override */
		{ "\xe2\x81\xa6", "\\xe2\\x81\\xa6" },
		{ "\xe2\x81\xa5\xe2\x81\xaa", "\xe2\x81\xa5\xe2\x81\xaa" }, /* their neighbours */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		out_name(&o, cases[i].name);
		expect(cases[i].shown);
	}
	out_name_len(&o, "ab\0cd", 5);
	expect("ab");
	out_name_len(&o, "\xc3\xbc", 1);
	expect("\\xc3");
	out_name_len(&o, NULL, 0);
	expect("");
}

/* Test every byte at every position of a long name, because plain bytes are skipped in words. */
static void position_does_not_matter(void **state)
{
	char foreign[24], want[32];

	for (unsigned byte = 1; byte < 256; byte++)
		for (size_t at = 0; at < 20; at++) {
			memset(foreign, ' ', sizeof(foreign));
			foreign[20] = '\0';
			foreign[at] = (char)byte;
			if (byte >= 0x20 && byte < 0x7f)
				snprintf(want, sizeof(want), "%s", foreign);
			else
				snprintf(want, sizeof(want), "%.*s\\x%02x%s", (int)at, foreign, byte, foreign + at + 1);
			out_name(&o, foreign);
			expect(want);
		}
}

/* out_name never prints a control byte or invalid UTF-8, whatever its input. */
static void no_two_bytes_get_through_raw(void **state)
{
	for (unsigned a = 1; a < 256; a++)
		for (unsigned b = 1; b < 256; b++) {
			char name[3] = { (char)a, (char)b, '\0' };
			const char *text;

			out_name(&o, name);
			text = out_text(&o);
			for (const unsigned char *p = (const unsigned char *)text; *p; p++)
				assert_true(*p >= 0x20 && *p != 0x7f);
			if (strpbrk(text, "\\") == NULL && (a >= 0x80 || b >= 0x80))
				assert_true(a >= 0xc2 && a <= 0xdf && b >= 0x80 && b <= 0xbf);
			o.len = 0;
		}
}

static void names_are_padded_by_columns(void **state)
{
	assert_int_equal(out_name_width("abc"), 3);
	assert_int_equal(out_name_width("\n\xff"), 8);
	assert_int_equal(out_name_width("\xc3\xbc"), 1);
	assert_int_equal(out_name_width("\xe4\xb8\xad\xe6\x96\x87"), 4);
	assert_int_equal(out_name_width("e\xcc\x81"), 1); /* combining acute */
	out_name_pad(&o, "ab", 5);
	out_name_pad(&o, "ab", -5);
	out_char(&o, '|');
	expect("   abab   |");
	out_name_pad(&o, "\xe4\xb8\xad", -4);
	out_name_pad(&o, "\t", 6);
	out_name_pad(&o, "toolong", 3);
	out_name_pad(&o, "", 0);
	expect("\xe4\xb8\xad    \\x09toolong");
}

static void xml_texts(void **state)
{
	out_xml(&o, "a<b> & \"c\" 'd'\n\xff\xc3\xbc");
	expect("a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\\x0a\\xff\xc3\xbc");
}

static void json_strings(void **state)
{
	out_json(&o, "a\"b\\c\n<script>\x7f\x1f \xc3\xbc\xff\xe2\x80\xa8\xf0\x9f\x90\xa7");
	expect("a\\\"b\\\\c\\u000a\\u003cscript>\\u007f\\u001f \xc3\xbc\xef\xbf\xbd\\u2028\xf0\x9f\x90\xa7");
}

static void descriptor_gets_all_in_order(void **state)
{
	struct out file;
	char name[] = "/tmp/strobe-out-XXXXXX";
	autoclose int fd = mkstemp(name);
	struct err e = { 0 };
	size_t size = 0;
	char byte;

	assert_true(fd >= 0);
	unlink(name);
	out_init_fd(&file, fd);
	for (unsigned i = 0; i < 50000; i++) {
		out_u64_pad(&file, i, 7, '0');
		size += 7;
	}
	out_pad(&file, 'x', 200000); /* more than the buffer */
	memset(out_room(&file, 300000), 'y', 300000);
	file.len += 300000;
	size += 500000;
	assert_int_equal(out_finish(&file, &e), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), size);
	assert_int_equal(pread(fd, &byte, 1, 7 * 49999 + 6), 1);
	assert_int_equal(byte, '9');
	assert_int_equal(pread(fd, &byte, 1, 7 * 50000), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(pread(fd, &byte, 1, (off_t)size - 1), 1);
	assert_int_equal(byte, 'y');
}

static void write_errors_are_remembered(void **state)
{
	autoclose int full = open("/dev/full", O_WRONLY);
	struct err e = { 0 };
	struct out file;

	if (full < 0)
		skip();
	out_init_fd(&file, full);
	out_pad(&file, 'x', 1 << 20);
	assert_int_equal(file.error, ENOSPC);
	assert_int_equal(out_flush(&file), -1);
	assert_int_equal(out_finish(&file, &e), -1);
	assert_int_equal(e.sys, ENOSPC);
	assert_string_equal(e.what, "cannot write the output");
}

static void closed_pipe_is_silent(void **state)
{
	struct err e = { 0 };
	struct out pipe_out;
	int fds[2];

	ignore_sigpipe();
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	out_init_fd(&pipe_out, fds[1]);
	out_str(&pipe_out, "nobody reads this");
	assert_int_equal(out_finish(&pipe_out, &e), -1);
	assert_string_equal(e.what, "");
	assert_int_equal(e.exit_code, 128 + SIGPIPE);
	close(fds[1]);
}

/* As printf, also where a decimal lies in the middle, and for numbers that are rare. */
static void fixed_numbers_are_those_of_printf(void **state)
{
	static const double values[] = {
		0,     0.005, 0.015, 0.025, 0.125, 0.375,    2.5, 3.5,  9.995,    99.995,
		100,   0.5,   1.5,   1e-9,  -1,    -0.0,     1e6, 1e15, 999999.9, 12.3456789,
		1.005, 8.345, 5e-4,  5e-3,  1e300, INFINITY, NAN, 0.1,  0.05,     0.0499999999
	};
	char want[400];

	for (unsigned decimals = 0; decimals <= 3; decimals++) {
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			out_fixed(&o, values[i], decimals, 9);
			snprintf(want, sizeof(want), "%*.*f", 9, (int)decimals, values[i]);
			expect(want);
		}
		for (unsigned i = 1; i < 60000; i += 7) {
			double v = 100.0 * i / 60000;

			out_fixed(&o, v, decimals, 0);
			snprintf(want, sizeof(want), "%.*f", (int)decimals, v);
			expect(want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(plain_text_and_formats, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(foreign_bytes_are_escaped, setup, teardown),
		cmocka_unit_test_setup_teardown(position_does_not_matter, setup, teardown),
		cmocka_unit_test_setup_teardown(no_two_bytes_get_through_raw, setup, teardown),
		cmocka_unit_test_setup_teardown(names_are_padded_by_columns, setup, teardown),
		cmocka_unit_test_setup_teardown(xml_texts, setup, teardown),
		cmocka_unit_test_setup_teardown(json_strings, setup, teardown),
		cmocka_unit_test(fixed_numbers_are_those_of_printf),
		cmocka_unit_test(descriptor_gets_all_in_order),
		cmocka_unit_test(write_errors_are_remembered),
		cmocka_unit_test(closed_pipe_is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
