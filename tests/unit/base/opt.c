#include "base/opt.h"

#include <math.h>

#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct opts {
	bool all, no_inherit, children;
	int verbose, number;
	uint64_t max_stack, size;
	double seconds;
	const char *input, *compress;
	struct opt_list events;
	const char *called, *called_with;
	bool called_unset;
};
#define AT(member) offsetof(struct opts, member)

static int called(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct opts *o = opts;

	if (value && !strcmp(value, "bad"))
		return err_set(e, "bad graph '%s'", value);
	o->called = opt->name;
	o->called_with = value;
	o->called_unset = unset;
	return 0;
}

static const struct opt table[] = {
	{ 0, NULL, OPT_GROUP, 0, NULL, "Main:" },
	{ 'a', "all-cpus", OPT_BOOL, AT(all), NULL, "all of them" },
	{ 'i', "input", OPT_STR, AT(input), "file", "read this" },
	{ 'z', "compress", OPT_STR_OPT, AT(compress), "n", "pack it" },
	{ 'v', "verbose", OPT_COUNT, AT(verbose), NULL, "say more" },
	{ 'n', "number", OPT_INT, AT(number), "n", "a number" },
	{ 0, "max-stack", OPT_U64, AT(max_stack), "n", "depth" },
	{ 's', NULL, OPT_SIZE, AT(size), "size", "bytes" },
	{ 0, "seconds", OPT_DOUBLE, AT(seconds), "s", "time" },
	{ 'e', "event", OPT_LIST, AT(events), "event", "measure this" },
	{ 0, "no-inherit", OPT_BOOL, AT(no_inherit), NULL, "not the children" },
	{ 0, "children", OPT_BOOL, AT(children), NULL, "callers too", OPT_OURS },
	{ 'g', "call-graph", OPT_CALL_LAST, 0, "mode", "chains", 0, called },
	{ 'j', "branch", OPT_CALL, 0, "f", "branches", OPT_NONEG, called },
	{ 'k', "clock", OPT_CALL_OPT, 0, "id", "clock", 0, called },
	{ 'f', "flag", OPT_CALL_FLAG, 0, NULL, "flag", 0, called },
	{ 0, "secret", OPT_BOOL, AT(all), NULL, "hidden", OPT_HIDDEN },
	{ 'G', "gtk", OPT_BOOL, AT(all), NULL, "there is no GTK screen", OPT_REFUSED },
	{ 'T', "trace", OPT_STR_OPT, AT(input), "opts", "decode traces", OPT_PLANNED },
	{ 0 },
};

static struct opts opts;
static struct err err;
static char **rest, *words[32];
static int n_rest;

static int run(bool stop_at_word, const char *line)
{
	static char copy[512];
	int argc = 0;

	vec_free(&opts.events);
	opts = (struct opts){ .children = true, .number = 7 };
	err_clear(&err);
	words[argc++] = "cmd";
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *save, *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		words[argc++] = strcmp(w, "''") ? w : "";
	words[argc] = NULL;
	return opt_parse(table, &opts, argc, words, stop_at_word, &rest, &n_rest, &err);
}

static void fails_with(const char *line, const char *what)
{
	assert_int_equal(run(false, line), -1);
	assert_string_equal(err.what, what);
	assert_int_equal(err.exit_code, 129);
}

static void values_of_every_kind(void **state)
{
	assert_int_equal(
		run(false, "-a -i f --number=-3 --max-stack 0x10 -s 4K --seconds 1.5 -vvv -e a --event b --event=c"),
		0);
	assert_true(opts.all);
	assert_string_equal(opts.input, "f");
	assert_int_equal(opts.number, -3);
	assert_int_equal(opts.max_stack, 16);
	assert_int_equal(opts.size, 4096);
	assert_true(fabs(opts.seconds - 1.5) < 1e-9);
	assert_int_equal(opts.verbose, 3);
	assert_int_equal(opts.events.len, 3);
	assert_string_equal(opts.events.items[2], "c");
	assert_int_equal(n_rest, 0);
}

static void values_may_look_like_options(void **state)
{
	assert_int_equal(run(false, "-n -1 -i - --input -x"), 0);
	assert_int_equal(opts.number, -1);
	assert_string_equal(opts.input, "-x");
	assert_int_equal(run(false, "--input= -i ''"), 0);
	assert_string_equal(opts.input, "");
}

static void negations(void **state)
{
	assert_int_equal(
		run(false,
		    "-a -i f -vv -e x --no-all-cpus --no-input --no-verbose --no-children --no-event --no-number"),
		0);
	assert_false(opts.all || opts.children);
	assert_null(opts.input);
	assert_int_equal(opts.verbose, 0);
	assert_int_equal(opts.number, 0);
	assert_int_equal(opts.events.len, 0);
	assert_int_equal(run(false, "--no-inherit"), 0);
	assert_true(opts.no_inherit);
	assert_int_equal(run(false, "--no-inherit --inherit"), 0);
	assert_false(opts.no_inherit);
	assert_int_equal(run(false, "--no-call-graph"), 0);
	assert_true(opts.called_unset);
	fails_with("--no-branch", " Error: option `no-branch' isn't available");
	fails_with("--no-input=x", " Error: option `no-input' takes no value");
}

static void prefixes_must_be_unique(void **state)
{
	assert_int_equal(run(false, "--max 3 --inp f --no-chi"), 0);
	assert_int_equal(opts.max_stack, 3);
	assert_string_equal(opts.input, "f");
	assert_false(opts.children);
	fails_with("--c", " Error: Ambiguous option: c (could be --compress or --children)");
	fails_with("--in", " Error: Ambiguous option: in (could be --input or --inherit)");
}

static void bundled_letters(void **state)
{
	assert_int_equal(run(false, "-avvn5 -vi file"), 0);
	assert_true(opts.all);
	assert_int_equal(opts.verbose, 3);
	assert_int_equal(opts.number, 5);
	assert_string_equal(opts.input, "file");
	assert_int_equal(run(false, "-ifile"), 0);
	assert_string_equal(opts.input, "file");
	fails_with("-aX", "  Error: unknown switch `X'");
}

static void optional_values_are_attached(void **state)
{
	assert_int_equal(run(false, "-z 3"), 0);
	assert_string_equal(opts.compress, "");
	assert_int_equal(n_rest, 1);
	assert_int_equal(run(false, "-z3"), 0);
	assert_string_equal(opts.compress, "3");
	assert_int_equal(run(false, "--compress=4"), 0);
	assert_string_equal(opts.compress, "4");
	assert_int_equal(run(false, "--clock mono"), 0);
	assert_string_equal(opts.called, "clock");
	assert_null(opts.called_with);
	assert_int_equal(run(false, "-kmono -f"), 0);
	assert_string_equal(opts.called, "flag");
}

static void last_kind_takes_the_next_word_that_is_no_option(void **state)
{
	assert_int_equal(run(false, "-g none"), 0);
	assert_string_equal(opts.called_with, "none");
	assert_int_equal(n_rest, 0);
	assert_int_equal(run(false, "-g -a"), 0);
	assert_null(opts.called_with);
	assert_true(opts.all);
	assert_int_equal(run(false, "-ag"), 0);
	assert_null(opts.called_with);
	assert_int_equal(run(false, "-gnone"), 0);
	assert_string_equal(opts.called_with, "none");
	assert_int_equal(run(false, "--call-graph=x"), 0);
	assert_string_equal(opts.called_with, "x");
}

static void words_mix_or_end_the_options(void **state)
{
	assert_int_equal(run(false, "one -a two - -- -v three"), 0);
	assert_int_equal(n_rest, 5);
	assert_string_equal(rest[0], "one");
	assert_string_equal(rest[2], "-");
	assert_string_equal(rest[3], "-v");
	assert_null(rest[5]);
	assert_int_equal(opts.verbose, 0);
	assert_int_equal(run(true, "-a ls -a -l"), 0);
	assert_int_equal(n_rest, 3);
	assert_string_equal(rest[0], "ls");
	assert_string_equal(rest[2], "-l");
	assert_int_equal(run(true, "-a -- -x"), 0);
	assert_int_equal(n_rest, 1);
	assert_string_equal(rest[0], "-x");
}

static void help_is_asked_for(void **state)
{
	assert_int_equal(run(false, "-h"), 1);
	assert_int_equal(run(false, "-avh"), 1);
	assert_int_equal(run(false, "--help"), 1);
	assert_int_equal(run(true, "ls -h"), 0);
}

static void slips_are_named_as_perf_names_them(void **state)
{
	fails_with("-X", "  Error: unknown switch `X'");
	fails_with("--nosuch", "  Error: unknown option `nosuch'");
	assert_string_equal(err.fix, "");
	fails_with("--imput=x", "  Error: unknown option `imput'");
	assert_string_equal(err.fix, "--input");
	fails_with("--no-cihldren", "  Error: unknown option `no-cihldren'");
	assert_string_equal(err.fix, "--no-children");
	fails_with("-i", " Error: switch `i' requires a value");
	assert_memory_equal(err.fix, "-i, --input <", 13);
	fails_with("--input", " Error: option `input' requires a value");
	fails_with("--children=yes", " Error: option `children' takes no value");
	fails_with("--number x", " Error: option `number' expects a numerical value");
	fails_with("--number 99999999999", " Error: option `number' expects a numerical value");
	fails_with("--max-stack=-1", " Error: option `max-stack' expects a numerical value");
	fails_with("--max-stack ''", " Error: option `max-stack' expects a numerical value");
	fails_with("--seconds 1x", " Error: option `seconds' expects a numerical value");
	fails_with("-s 1x", " Error: switch `s' expects a size like 64K, 16M or 1G");
	fails_with("-j bad", "bad graph 'bad'");
}

static void refused_options_say_why(void **state)
{
	fails_with("--gtk", "option `gtk' is known, but not supported");
	assert_string_equal(err.why, "there is no GTK screen");
	fails_with("-Gx", "switch `G' is known, but not supported");
}

static void planned_options_say_so(void **state)
{
	const char *const lines[] = { "--trace", "--trace=x", "--no-trace" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char want[64];

		snprintf(want, sizeof(want), "option `%strace' is planned, but not there yet", i == 2 ? "no-" : "");
		fails_with(lines[i], want);
		assert_string_equal(err.why, "it will decode traces");
	}
	fails_with("-Tx", "switch `T' is planned, but not there yet");
	fails_with("--trac", "option `trace' is planned, but not there yet");
}

static void overlong_names_do_no_harm(void **state)
{
	static char line[500] = "--";

	memset(line + 2, 'x', sizeof(line) - 3);
	assert_int_equal(run(false, line), -1);
	assert_int_equal(err.exit_code, 129);
}

static void help_is_laid_out_as_perfs(void **state)
{
	struct out o;

	out_init_mem(&o);
	opt_help(table, &o);
	assert_string_equal(out_text(&o), "Main:\n"
					  "    -a, --all-cpus        all of them\n"
					  "    -i, --input <file>    read this\n"
					  "    -z, --compress[=<n>]  pack it\n"
					  "    -v, --verbose         say more\n"
					  "    -n, --number <n>      a number\n"
					  "        --max-stack <n>   depth\n"
					  "    -s <size>             bytes\n"
					  "        --seconds <s>     time\n"
					  "    -e, --event <event>   measure this\n"
					  "        --no-inherit      not the children\n"
					  "        --children        callers too (not in perf)\n"
					  "    -g, --call-graph[=<mode>]\n"
					  "                          chains\n"
					  "    -j, --branch <f>      branches\n"
					  "    -k, --clock[=<id>]    clock\n"
					  "    -f, --flag            flag\n");
	out_release(&o);
}

static void near_names(void **state)
{
	static const char *const names[] = { "record", "report", "script", "stat", "top", "mem", NULL };

	assert_string_equal(opt_nearest("recrod", names), "record");
	assert_string_equal(opt_nearest("recor", names), "record");
	assert_string_equal(opt_nearest("reprt", names), "report");
	assert_string_equal(opt_nearest("stats", names), "stat");
	assert_string_equal(opt_nearest("scr", names), "script");
	assert_null(opt_nearest("foo", names));
	assert_null(opt_nearest("x", names));
	assert_null(opt_nearest("", names));
	assert_null(opt_nearest("a-very-long-name-that-is-longer-than-anything-in-the-table-of-options", names));
}

struct shared {
	const char *root;
	bool quick;
	const char *by_call;
};
struct including {
	int first;
	struct shared shared;
	struct opt_list after;
};

static int store(void *group, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct shared *)group)->by_call = value;
	return 0;
}

static const struct opt shared_rows[] = {
	{ 'r', "root", OPT_STR, offsetof(struct shared, root), "dir", "look here" },
	{ 'q', "quick", OPT_BOOL, offsetof(struct shared, quick), NULL, "be quick" },
	{ 0, "by-call", OPT_CALL, 0, "x", "call", OPT_NONEG, store },
	{ 0 },
};
static const struct opt including_all[] = {
	{ 0, "first", OPT_INT, offsetof(struct including, first), "n", "before them" },
	{ 0, NULL, OPT_INCLUDE, offsetof(struct including, shared), .flags = OPT_OURS, .rows = shared_rows },
	{ 0, "after", OPT_LIST, offsetof(struct including, after), "n", "after them" },
	{ 0 },
};
static const struct opt including_some[] = {
	{ 0, "by-call root", OPT_INCLUDE, offsetof(struct including, shared), .rows = shared_rows },
	{ 0 },
};
static const struct opt including_one[] = {
	{ 'x', "root", OPT_INCLUDE, offsetof(struct including, shared), NULL, "look there", .rows = shared_rows },
	{ 0 },
};

static const struct opt including_other_value[] = {
	{ 0, "root", OPT_INCLUDE, offsetof(struct including, shared), "dir,...", .rows = shared_rows },
	{ 0 },
};

static const struct opt including_without_letter[] = {
	{ OPT_NO_LETTER, "root", OPT_INCLUDE, offsetof(struct including, shared), .rows = shared_rows },
	{ 'r', "first", OPT_INT, offsetof(struct including, first), "n", "has the letter" },
	{ 0 },
};

static void an_include_may_leave_the_letter_of_its_row_to_another(void **state)
{
	char *argv[] = { "cmd", "-r", "7", "--root", "/x", NULL };
	struct including got = { 0 };

	assert_int_equal(opt_parse(including_without_letter, &got, 5, argv, false, &rest, &n_rest, &err), 0);
	assert_int_equal(got.first, 7);
	assert_string_equal(got.shared.root, "/x");
}

static void an_include_of_one_row_may_have_a_letter_and_help_of_its_own(void **state)
{
	autofree struct opt *one = opt_expand(including_one);

	assert_int_equal(one[0].short_name, 'x');
	assert_string_equal(one[0].name, "root");
	assert_string_equal(one[0].help, "look there");
	assert_string_equal(one[0].arg, "dir");
	assert_int_equal(one[1].kind, OPT_END);
}

static void an_include_of_one_row_may_name_its_value_otherwise(void **state)
{
	autofree struct opt *one = opt_expand(including_other_value);

	assert_string_equal(one[0].arg, "dir,...");
	assert_string_equal(one[0].help, "look here");
}

static void included_rows_write_into_the_embedded_struct(void **state)
{
	char *argv[] = { "cmd", "--first=3", "-r", "/x", "--quick", "--by-call", "value", "--after", "4", NULL };
	struct including got = { 0 };

	assert_int_equal(opt_parse(including_all, &got, 9, argv, false, &rest, &n_rest, &err), 0);
	assert_int_equal(got.first, 3);
	assert_string_equal(got.shared.root, "/x");
	assert_true(got.shared.quick);
	assert_string_equal(got.shared.by_call, "value");
	assert_string_equal(got.after.items[0], "4");
	vec_free(&got.after);
}

static void an_include_takes_the_rows_it_names_in_their_order(void **state)
{
	autofree struct opt *some = opt_expand(including_some), *all = opt_expand(including_all);

	assert_string_equal(some[0].name, "by-call");
	assert_string_equal(some[1].name, "root");
	assert_int_equal(some[2].kind, OPT_END);
	assert_int_equal(some[0].flags, OPT_NONEG);
	assert_int_equal(all[3].flags, OPT_NONEG | OPT_OURS);
	assert_string_equal(all[4].name, "after");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(included_rows_write_into_the_embedded_struct),
		cmocka_unit_test(an_include_takes_the_rows_it_names_in_their_order),
		cmocka_unit_test(an_include_may_leave_the_letter_of_its_row_to_another),
		cmocka_unit_test(an_include_of_one_row_may_have_a_letter_and_help_of_its_own),
		cmocka_unit_test(an_include_of_one_row_may_name_its_value_otherwise),
		cmocka_unit_test(values_of_every_kind),
		cmocka_unit_test(values_may_look_like_options),
		cmocka_unit_test(negations),
		cmocka_unit_test(prefixes_must_be_unique),
		cmocka_unit_test(bundled_letters),
		cmocka_unit_test(optional_values_are_attached),
		cmocka_unit_test(last_kind_takes_the_next_word_that_is_no_option),
		cmocka_unit_test(words_mix_or_end_the_options),
		cmocka_unit_test(help_is_asked_for),
		cmocka_unit_test(slips_are_named_as_perf_names_them),
		cmocka_unit_test(refused_options_say_why),
		cmocka_unit_test(planned_options_say_so),
		cmocka_unit_test(overlong_names_do_no_harm),
		cmocka_unit_test(help_is_laid_out_as_perfs),
		cmocka_unit_test(near_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
