#include "tests/lib/keys.h"

#include "report/text/text_annotate.h"
#include "report/tui/tui_annotate.h"
#include "tests/lib/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/*
 * A function with known instructions, at the offsets 0 test, 3 je, 5 add, 9 dec, c jne, e call, 13
 * ret.
 */
#if defined(__x86_64__)
__asm__(".text\n.globl known\n.type known, @function\nknown:\n\ttest %rdi,%rdi\n\tje 1f\n2:\tadd $1,%rax\n\tdec "
	"%rdi\n\tjne 2b\n1:\tcall callee\n\tret\n.size known, . - known\n"
	".globl callee\n.type callee, @function\ncallee:\n\tret\n.size callee, . - callee\n");
#endif
void known(void);
void callee(void);

struct fixture {
	struct session *session;
	struct profile_filter filter;
	struct profile *profile;
	struct hot *hot;
	struct annotator by;
	size_t function;
};

/* This program with its own maps, as in a recording. */
static void add_maps(struct build *b)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4096 + 100];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long start, end, off;
		char perms[8], name[4096];

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &start, &end, perms, &off, name) == 5 &&
		    perms[2] == 'x' && name[0] == '/')
			build_mmap(b, .pid = 7, .tid = 7, .time = 1, .start = start, .len = end - start, .pgoff = off,
				   .filename = name);
	}
	if (f)
		fclose(f);
}

static void start(struct fixture *f, const uint64_t (*samples)[2], size_t n)
{
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_CALLCHAIN);
	char *path;

	*f = (struct fixture){ 0 };
	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "x");
	add_maps(&b);
	for (size_t i = 0; i < n; i++) {
		uint64_t ip = (uintptr_t)known + samples[i][0];
		uint64_t chain[] = { CHAIN_USER, ip, (uintptr_t)callee };

		build_sample(&b, .pid = 7, .tid = 7, .time = 2 + i, .misc = CPUMODE_USER, .ip = ip,
			     .period = samples[i][1], .chain = chain, .n_chain = 3);
	}
	path = build_file(&b);
	f->session = session_open(
		path, &(struct session_opts){ .force = true, .symbols = { .buildid_dir = "/dev/null" } }, NULL);
	assert_non_null(f->session);
	unlink(path);
	free(path);
	build_release(&b);
	assert_int_equal(session_walk(f->session, NULL), 0);
	f->profile = profile_new(
		f->session,
		&(struct profile_opts){
			.keep_places = true, .chains = true, .max_stack = 127, .threads = 1, .time_quantum = 1 },
		&f->filter);
	profile_decode(f->profile);
	profile_name(f->profile);
	f->hot = hot_new(f->profile);
	f->by.hot = f->hot;
	for (f->function = 0; f->function < f->hot->functions.len && strcmp(hot_name(f->hot, f->function), "known");
	     f->function++)
		;
	assert_true(f->function < f->hot->functions.len);
}

static void end(struct fixture *f)
{
	annotator_release(&f->by);
	hot_free(f->hot);
	profile_free(f->profile);
	session_close(f->session);
}

static const uint64_t samples[][2] = { { 5, 10 }, { 5, 20 }, { 9, 50 }, { 0xa, 10 }, { 0x13, 10 } };

static void need_x86(void)
{
#if !defined(__x86_64__)
	skip();
#endif
}

static void every_sample_is_at_an_instruction(void **state)
{
	struct fixture f;
	struct annotation *a;
	double sum = 0;

	need_x86();
	start(&f, samples, ARRAY_SIZE(samples));
	a = annotation_new(&f.by, f.function, NULL);
	assert_non_null(a);
	assert_int_equal(a->insns.len, 7);
	for (uint32_t i = 0; i < a->insns.len; i++)
		sum += annotation_percent(a, PERCENT_LOCAL_PERIOD, 0, annotation_sum(a, i, 0));
	assert_true(sum > 99.999 && sum < 100.001);
	assert_int_equal(annotation_sum(a, 2, 0)->period, 30);
	assert_int_equal(annotation_sum(a, 2, 0)->samples, 2);
	assert_int_equal(annotation_sum(a, 3, 0)->period, 60); /* including the hit in the middle of it */
	assert_int_equal(a->outside[0].samples, 0);
	annotation_free(a);
	end(&f);
}

static void jumps_and_calls_lead_where_they_should(void **state)
{
	struct fixture f;
	struct annotation *a;
	uint32_t symbol;

	need_x86();
	start(&f, samples, ARRAY_SIZE(samples));
	a = annotation_new(&f.by, f.function, NULL);
	assert_int_equal(a->insns.items[1].target, 5);
	assert_int_equal(a->insns.items[4].target, 2);
	assert_int_equal(a->n_targets, 2);
	assert_true(a->insns.items[2].is_target && a->insns.items[5].is_target && !a->insns.items[3].is_target);
	assert_true(annotation_callee(a, 5, &symbol));
	assert_string_equal(symbol_name(f.session->symbols, f.hot->functions.items[f.function].dso, symbol), "callee");
	assert_false(annotation_callee(a, 4, &symbol));
	annotation_free(a);
	end(&f);
}

static void text_shows_shares_and_places(void **state)
{
	static const uint32_t events[] = { 0 };
	struct fixture f;
	struct annotation *a;
	struct out o;

	need_x86();
	start(&f, samples, ARRAY_SIZE(samples));
	a = annotation_new(&f.by, f.function, NULL);
	out_init_mem(&o);
	text_annotate_short(a, &(struct annotate_text){ .events = events, .n_events = 1, .event_name = "e\033v" }, &o);
	assert_non_null(strstr(out_text(&o), "e\\x1bv"));
	assert_non_null(strstr(out_text(&o), "\n           ↓ je     e\n"));
	assert_non_null(strstr(out_text(&o), "\n 30.00  5:   add    $0x1,%rax\n"));
	assert_non_null(strstr(out_text(&o), "\n 60.00       dec    %rdi\n"));
	assert_non_null(strstr(out_text(&o), "→ call   callee\n"));
	out_release(&o);
	annotation_free(a);
	end(&f);
}

/* ---- on a screen ---- */

static struct keys_terminal terminal;
#define KEYS(...) ((const uint32_t[]){ __VA_ARGS__, 0 })

static const char *screen_after(struct fixture *f, const uint32_t *pressed)
{
	static const uint32_t events[] = { 0 };
	struct tui *t = keys_tui(&terminal, 90, 14, pressed);

	tui_annotate(t, f->hot, f->profile->filter, events, 1, f->function,
		     &(struct tui_annotate_opts){ .code = { .source = true } });
	keys_tui_free(t);
	return out_text(&terminal.screen);
}

static bool shows(struct fixture *f, const uint32_t *pressed, const char *text)
{
	const char *screen = screen_after(f, pressed);
	bool found = strstr(screen, text);

	if (!found)
		print_message("not on the screen: %s\n%s", text, screen);
	keys_close(&terminal.terminal);
	return found;
}

static void the_screen_begins_at_the_hottest_and_follows(void **state)
{
	struct fixture f;

	need_x86();
	start(&f, samples, ARRAY_SIZE(samples));
	assert_true(shows(&f, KEYS('j', 'j'), "known "));
	assert_true(shows(&f, KEYS('j', 'j'), "  60.00"));
	assert_true(shows(&f, KEYS('t', 't'), "      2 ")); /* periods, then samples */
	assert_true(shows(&f, KEYS(TUI_TAB, TUI_TAB), "3 of 3 instructions"));
	assert_true(shows(&f, KEYS(TUI_TAB, TUI_TAB, TUI_UP, TUI_ENTER), "callee ")); /* the call before the ret */
	assert_true(shows(&f, KEYS(TUI_TAB, TUI_TAB, TUI_UP, TUI_ENTER, TUI_BACKSPACE), "known "));
	assert_true(shows(&f, KEYS(TUI_DOWN), "┌")); /* the path of the backward jump */
	assert_true(shows(&f, KEYS('R'), "48 ff cf"));
	assert_true(shows(&f, KEYS('c'), "100.00%  callee"));
	assert_true(shows(&f, KEYS('/', 'q', 'q', TUI_ENTER), "'qq' is not here"));
	assert_true(shows(&f, KEYS(TUI_HOME, TUI_ENTER), "Enter follows"));
	end(&f);
}

/* ---- names of percent types ---- */

static void percent_types_are_read(void **state)
{
	enum percent_type t;
	struct err e = { 0 };

	assert_int_equal(percent_type_parse("global-hits", &t, NULL), 0);
	assert_int_equal(t, PERCENT_GLOBAL_HITS);
	assert_int_equal(percent_type_parse("period-local", &t, NULL), 0);
	assert_int_equal(t, PERCENT_LOCAL_PERIOD);
	assert_int_equal(percent_type_parse("local", &t, &e), -1);
	assert_int_equal(e.exit_code, 129);
	assert_int_equal(percent_type_parse("", &t, NULL), -1);
	assert_int_equal(percent_type_parse("local-periodx", &t, NULL), -1);
}

/* ---- source files ---- */

static void lines_are_counted_from_one(void **state)
{
	char path[] = "/tmp/strobe-source-XXXXXX";
	int fd = mkstemp(path);
	struct sources s = { 0 };
	struct source_file *f;
	size_t len;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "one\ntwo\r\n\nlast", 14), 14);
	close(fd);
	f = sources_get(&s, path);
	assert_null(f->problem);
	assert_ptr_equal(sources_get(&s, path), f);
	assert_int_equal(source_lines(f), 4);
	assert_memory_equal(source_line(f, 2, &len), "two", 3);
	assert_int_equal(len, 3);
	assert_non_null(source_line(f, 3, &len));
	assert_int_equal(len, 0);
	assert_memory_equal(source_line(f, 4, &len), "last", 4);
	assert_int_equal(len, 4);
	assert_null(source_line(f, 5, &len));
	assert_null(source_line(f, 0, &len));
	assert_string_equal(sources_get(&s, "/nonexistent/x.c")->problem, "no such file");
	assert_non_null(sources_get(&s, "x.c")->problem);
	assert_non_null(sources_get(&s, "/dev/zero")->problem);
	sources_release(&s);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_is_at_an_instruction),
		cmocka_unit_test(jumps_and_calls_lead_where_they_should),
		cmocka_unit_test(text_shows_shares_and_places),
		cmocka_unit_test(the_screen_begins_at_the_hottest_and_follows),
		cmocka_unit_test(percent_types_are_read),
		cmocka_unit_test(lines_are_counted_from_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
