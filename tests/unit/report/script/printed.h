#ifndef TESTS_UNIT_REPORT_SCRIPT_PRINTED_H
#define TESTS_UNIT_REPORT_SCRIPT_PRINTED_H

#include "report/script/print.h"
#include "tests/lib/forms.h"

static uint64_t printed_samples; /* of the last call of printed() */

/*
 * The output of `script` for the recording: with these fields (NULL: default) and this number of
 * threads. The text lives until the next call.
 */
static inline const char *printed(struct build *b, const char *fields, const struct print_opts *opts, unsigned threads)
{
	static struct out text;
	struct print_opts o = opts ? *opts : (struct print_opts){ 0 };
	char *path = build_file(b);
	struct err e = { 0 };
	struct session *s = session_open(path, &(struct session_opts){ .force = true }, &e);
	struct print_fields f;
	struct out warnings;
	struct printer *p;

	out_release(&text);
	out_init_mem(&warnings);
	if (!s)
		fail_msg("%s", e.what);
	unlink(path);
	free(path);
	assert_int_equal(session_walk(s, &e), 0);
	print_fields_init(&f);
	if (fields)
		assert_int_equal(print_fields_parse(&f, fields, &warnings, &e), 0);
	if (!o.max_stack)
		o.max_stack = 127;
	p = printer_new(s, &f, &o, threads, &e);
	printed_samples = 0;
	if (p) {
		print_all(p, &text);
		printed_samples = printer_samples(p);
	} else {
		out_str(&text, e.what);
	}
	printer_free(p);
	session_close(s);
	out_release(&warnings);
	return out_text(&text);
}

#endif
