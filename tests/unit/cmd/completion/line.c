/* What completes a command line, for commands and kinds of values of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cmd/completion/completion.h"

/* ---- commands ---- */

static int answer(void *opts, const struct opt *o, const char *value, bool unset, struct err *e) { return 0; }

/* Values that a shell or a terminal would act on. */
static const struct opt hostile_options[] = {
	{ 'x', "x", OPT_STR, 0, "x", "odd",
	  .values = "good $(reboot) a;b a'b a\"b `id` \033[2J ~root a\nb g\303\266\303\266d a*" },
	{ 0 },
};
static const struct command cmd_hostile = { .name = "hostile", .options = hostile_options };

static const struct opt shared_rows[] = {
	{ 'k', "kernel", OPT_STR, 0, "file", "the kernel", .values = "@file" },
	{ 0 },
};

static const struct opt take_options[] = {
	{ 0, NULL, OPT_GROUP, .help = "The usual ones" },
	{ 'e', "event", OPT_LIST, 0, "event", "what to count", .values = ",cycles cycle-x cs" },
	{ 'v', "verbose", OPT_COUNT, 0, NULL, "say more" },
	{ 'a', "all", OPT_BOOL, 0, NULL, "everybody" },
	{ 'b', "no-buffer", OPT_BOOL, 0, NULL, "write at once" },
	{ 'o', "output", OPT_STR, 0, "file", "where to", .values = "@file" },
	{ 'n', "number", OPT_U64, 0, "n", "how many", .flags = OPT_NONEG },
	{ 'w', "when", OPT_STR_OPT, 0, "when", "how often", .values = "always never" },
	{ 'c', "call", OPT_CALL_LAST, 0, "mode", "chains", .call = answer, .values = "fp dwarf" },
	{ 0, "call-depth", OPT_U64, 0, "n", "frames" },
	{ 0, "dir", OPT_STR, 0, "dir", "below this", .values = "@directory" },
	{ 0, "hidden", OPT_STR, 0, "x", "an option that help does not show", .flags = OPT_HIDDEN, .values = "secret" },
	{ 0, "refused", OPT_STR, 0, "x", "perf's", .flags = OPT_REFUSED, .values = "never" },
	{ .name = "kernel", OPT_INCLUDE, .rows = shared_rows },
	{ 0 },
};

static const struct opt sub_options[] = { { 'd', "deep", OPT_BOOL, 0, NULL, "all of it" }, { 0 } };
static const struct command cmd_sub = { .name = "show sub", .options = sub_options, .words = "first second" };
static const struct command *const subs[] = { &cmd_sub, NULL };
static const struct command cmd_take = {
	.name = "take", .options = take_options, .words = "@program", .stop_at_word = true
};
static const struct command cmd_show = {
	.name = "show", .options = sub_options, .words = "sub @file", .subcommands = subs
};
static const struct command cmd_bare = { .name = "bare" };
const struct command *const commands[] = { &cmd_take, &cmd_show, &cmd_bare, &cmd_hostile, NULL };
const struct opt global_options[] = {
	{ 0, "dir", OPT_STR, 0, "dir", "the cache", .values = "@directory" },
	{ 0, "version", OPT_BOOL, 0, NULL, "print it" },
	{ 0 },
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* ---- values: the words of a spec, or a kind; one word has an odd meaning ---- */

void candidate_add(struct candidates *c, const char *word, const char *about)
{
	vec_push(&c->v,
		 ((struct candidate){ arena_strdup(&c->arena, word), about ? arena_strdup(&c->arena, about) : NULL }));
}

const char *option_values(const struct opt *o) { return o->values; }
bool values_are_list(const char *spec) { return spec[0] == ','; }

enum complete values_find(const char *spec, struct candidates *c)
{
	autofree char *copy = xstrdup(spec + (spec[0] == ','));
	char *rest = NULL;
	enum complete kind = COMPLETE_WORDS;

	if (!strcmp(spec, "@command"))
		for (const struct command *const *k = commands; *k; k++)
			candidate_add(c, (*k)->name, "a\033[2Jcommand");
	else if (!strcmp(spec, "@program"))
		kind = COMPLETE_PROGRAM;
	else if (!strcmp(spec, "@directory"))
		kind = COMPLETE_DIRECTORY;
	else
		for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			if (!strcmp(word, "@file"))
				kind = COMPLETE_FILE;
			else
				candidate_add(c, word, NULL);
	return kind;
}

/* ---- lines ---- */

static void expect_answer(char **words, int n, const char *want)
{
	struct out o;

	out_init_mem(&o);
	complete_line(words, n, &o);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
}
/* The answer for these words. */
#define EXPECT(want, ...) expect_answer((char *[]){ __VA_ARGS__ }, (int)ARRAY_SIZE(((char *[]){ __VA_ARGS__ })), want)

static const char take_all[] = "words\t\n--event\twhat to count\n-e\twhat to count\n--verbose\tsay more\n-v\tsay more\n"
			       "--all\teverybody\n-a\teverybody\n--no-buffer\twrite at once\n-b\twrite at once\n"
			       "--output\twhere to\n-o\twhere to\n--number\thow many\n-n\thow many\n--when\thow often\n"
			       "-w\thow often\n--call\tchains\n-c\tchains\n--call-depth\tframes\n--dir\tbelow this\n"
			       "--kernel\tthe kernel\n-k\tthe kernel\n--help\tshow the options\n";

static void the_first_word_is_a_command(void **state)
{
	expect_answer(NULL, 0,
		      "words\t\ntake\ta\\x1b[2Jcommand\nshow\ta\\x1b[2Jcommand\nbare\ta\\x1b[2Jcommand\n"
		      "hostile\ta\\x1b[2Jcommand\n");
	EXPECT("words\t\nshow\ta\\x1b[2Jcommand\n", "sh");
	EXPECT("words\t\nshow\ta\\x1b[2Jcommand\n", "show"); /* it may be finished already */
	EXPECT("words\t\n", "shows");
	EXPECT("words\t\n--version\tprint it\n", "--v");
	EXPECT("directory\t\n", "--dir", "x");
	EXPECT("words\t\nshow\ta\\x1b[2Jcommand\n", "--dir", "take", "s"); /* "take" is the directory */
	EXPECT("words\t\n--help\tshow the options\n", "bare", "-");
	EXPECT("nothing\t\n", "bare", "");
}

static void behind_an_unknown_command_there_is_nothing(void **state)
{
	EXPECT("nothing\t\n", "steal", "");
	EXPECT("nothing\t\n", "steal", "-");
	EXPECT("nothing\t\n", "steal", "take", "-");
}

static void options_are_offered_but_for_hidden_and_absent_ones(void **state)
{
	EXPECT(take_all, "take", "-");
	EXPECT("words\t\n--call\tchains\n--call-depth\tframes\n", "take", "--ca");
	EXPECT("words\t\n", "take", "--hid");
	EXPECT("words\t\n-v\tsay more\n", "take", "-v");
	EXPECT("words\t\n", "take", "-av");
}

/* For "no-X" the negation is "--X": base/opt.h. */
static void options_are_negated_once_the_user_begins_to(void **state)
{
	EXPECT("words\t\n--no-event\twhat to count\n--no-verbose\tsay more\n--no-all\teverybody\n"
	       "--no-buffer\twrite at once\n--no-output\twhere to\n--no-when\thow often\n--no-call\tchains\n"
	       "--no-call-depth\tframes\n--no-dir\tbelow this\n--no-kernel\tthe kernel\n",
	       "take", "--no-");
	EXPECT("words\t\n--no-buffer\twrite at once\n--number\thow many\n", "take", "--n");
}

static void a_value_is_the_next_word_or_a_part_of_this_one(void **state)
{
	EXPECT("file\t\n", "take", "-o", "");
	EXPECT("file\t\n", "take", "--output", "-"); /* even if it looks like an option */
	EXPECT("file\t--output=\n", "take", "--output=");
	EXPECT("file\t--output=\n", "take", "--output=a=b");
	EXPECT("file\t-o\n", "take", "-ofile");
	EXPECT("file\t-vao\n", "take", "-vaofile"); /* the last of several letters */
	EXPECT("file\t\n", "take", "-vao", "x");
	EXPECT("file\t--out=\n", "take", "--out=x"); /* a unique prefix */
	EXPECT("directory\t\n", "take", "--di", "x");
	EXPECT("file\t\n", "take", "-k", "x"); /* from the shared rows */
	EXPECT("nothing\t\n", "take", "-n", "x");
	EXPECT("program\t\n", "take", "-v", "x");  /* takes none */
	EXPECT("program\t\n", "take", "-oe", "x"); /* has one: "e" */
	EXPECT("program\t\n", "take", "--output=e", "x");
	EXPECT("words\t\n-o\twhere to\n", "take", "-v", "-o"); /* the option itself, without a value yet */
}

/* "--call" is an option, and the beginning of "--call-depth". */
static void a_whole_name_is_not_taken_for_a_prefix(void **state)
{
	EXPECT("words\t--call=\nfp\n", "take", "--call=f");
	EXPECT("nothing\t\n", "take", "--call-d", "x");
	EXPECT("words\t\n", "take", "--o=x", "--n="); /* "number" or "no-buffer" */
	EXPECT("program\t\n", "take", "--n", "x");
	EXPECT("words\t\n", "take", "--unknown=");
	EXPECT("program\t\n", "take", "--unknown", "x");
}

static void optional_values_are_never_the_next_word(void **state)
{
	EXPECT("words\t--when=\nalways\n", "take", "--when=a");
	EXPECT("words\t-w\nnever\n", "take", "-wn");
	EXPECT("program\t\n", "take", "--when", "a");
	EXPECT("program\t\n", "take", "-w", "a");
	/* this kind takes the next word unless it is an option */
	EXPECT("words\t\nfp\ndwarf\n", "take", "-c", "");
	EXPECT("words\t\n--all\teverybody\n", "take", "-c", "--al");
	EXPECT("file\t\n", "take", "-c", "-o", "x");
	EXPECT("program\t\n", "take", "-c", "fp", "x");
}

static void refused_options_have_no_value(void **state)
{
	EXPECT("program\t\n", "take", "--refused", "x");
	EXPECT("words\t\n", "take", "--refused=");
	EXPECT("words\t\nsecret\n", "take", "--hidden", "");
}

static void lists_offer_what_they_lack(void **state)
{
	EXPECT("list\t\ncycles\ncycle-x\ncs\n", "take", "-e", "");
	EXPECT("list\t-e\ncycles\ncycle-x\n", "take", "-ecy");
	EXPECT("list\tcs,\ncycles\ncycle-x\n", "take", "-e", "cs,");
	EXPECT("list\t--event=cycles,\ncycle-x\n", "take", "--event=cycles,cy");
	EXPECT("list\tcycles,cycle-x,\ncs\n", "take", "-e", "cycles,cycle-x,");
	EXPECT("list\tc,\ncycles\ncycle-x\ncs\n", "take", "-e", "c,"); /* a part of a word is not the word */
	EXPECT("list\tcyclesx,\ncycles\ncycle-x\n", "take", "-e", "cyclesx,cy");
	EXPECT("list\t{\ncs\n", "take", "-e", "{cs");
	EXPECT("list\t+\ncs\n", "take", "-e", "+cs");
	EXPECT("list\tcs,{\ncycles\ncycle-x\n", "take", "-e", "cs,{cy");
	/* no list: commas have no meaning */
	EXPECT("words\t--when=\n", "take", "--when=always,");
}

static void words_that_a_shell_would_act_on_are_not_offered(void **state)
{
	EXPECT("words\t\ngood\n", "hostile", "-x", "");
	EXPECT("words\t\n", "hostile", "-x", "$");
	/* what the user has typed stays as it is */
	EXPECT("words\t-x\n", "hostile", "-x$(id),");
}

static void a_program_has_words_of_its_own(void **state)
{
	EXPECT("program\t\n", "take", "");
	EXPECT("file\t\n", "take", "ls", "");
	EXPECT("file\t\n", "take", "ls", "-o");
	EXPECT("file\t\n", "take", "ls", "-o", "--");
	EXPECT("file\t\n", "take", "ls", "-n", "x");
	EXPECT("file\t\n", "take", "--", "--", "x"); /* the second one is the program */
	EXPECT("program\t\n", "take", "--", "");
	EXPECT("program\t\n", "take", "--", "-o"); /* no option any more */
	EXPECT("file\t\n", "take", "--", "-o", "x");
	EXPECT("file\t\n", "take", "-", "x"); /* "-" is a word, too */
}

static void subcommands_have_options_and_words_of_their_own(void **state)
{
	EXPECT("file\t\nsub\n", "show", "");
	EXPECT("words\t\nfirst\nsecond\n", "show", "sub", "");
	EXPECT("words\t\n--deep\tall of it\n", "show", "sub", "--d");
	EXPECT("words\t\nsecond\n", "show", "sub", "first", "se");
	EXPECT("file\t\nsub\n", "show", "other", "s"); /* words may mix with options */
	EXPECT("words\t\n-d\tall of it\n", "show", "other", "-d");
	EXPECT("words\t\n--deep\tall of it\n", "show", "--", "sub", "--de"); /* "--" ended those of show only */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_word_is_a_command),
		cmocka_unit_test(behind_an_unknown_command_there_is_nothing),
		cmocka_unit_test(options_are_offered_but_for_hidden_and_absent_ones),
		cmocka_unit_test(options_are_negated_once_the_user_begins_to),
		cmocka_unit_test(a_value_is_the_next_word_or_a_part_of_this_one),
		cmocka_unit_test(a_whole_name_is_not_taken_for_a_prefix),
		cmocka_unit_test(optional_values_are_never_the_next_word),
		cmocka_unit_test(refused_options_have_no_value),
		cmocka_unit_test(lists_offer_what_they_lack),
		cmocka_unit_test(words_that_a_shell_would_act_on_are_not_offered),
		cmocka_unit_test(a_program_has_words_of_its_own),
		cmocka_unit_test(subcommands_have_options_and_words_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
