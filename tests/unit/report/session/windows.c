/* Windows of time between samples of two events. */
#include "report/session/windows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/lib/build.h"
#include "tests/lib/walked.h"

#define WHEN (SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

/* Events "cpu-clock", "on" and "off"; each letter of `plan` is a sample: at 1, 2, 3 ... ns. */
static struct session *session_of(const char *plan)
{
	struct build b = build_start(WHEN);
	struct session *s;
	uint64_t time = 0;

	build_event(&b, WHEN, "on");
	build_event(&b, WHEN, "off");
	for (const char *c = plan; *c; c++)
		build_sample(&b, .pid = 7, .tid = 7, .time = ++time, .event = *c == '(' ? 1 : *c == ')' ? 2 : 0);
	s = walked(&b, &(struct session_opts){ 0 });
	build_release(&b);
	return s;
}

/* `wanted`: '+' for each sample of the plan that counts, '-' for the others. */
static void counts(const char *plan, const char *on, const char *off, bool with_ends, const char *wanted)
{
	struct session *s = session_of(plan);
	struct cursor c = { .pd = s->pd };
	struct windows w = { 0 };
	struct record r;
	char got[32] = "";
	struct err e = { 0 };
	uint64_t time;

	if (windows_find(&w, s, on, off, with_ends, &e) < 0)
		fail_msg("%s", e.what);
	while (cursor_next(&c, &r))
		if (r.type == RECORD_SAMPLE && record_time(s->pd, &r, &time))
			strcat(got, windows_have(&w, s, time, session_pos(r.stream, r.pos)) ? "+" : "-");
	assert_string_equal(got, wanted);
	windows_free(&w);
	session_close(s);
}

static void without_events_all_count(void **state) { counts("x(x)x", NULL, NULL, false, "+++++"); }

static void from_the_first_on(void **state)
{
	counts("x(x(x", "on", NULL, false, "--+++");
	/* The samples at the ends are excluded, but an event that opens nothing is inside. */
	counts("x(xx", "on", NULL, true, "-+++");
}

static void until_the_first_off(void **state)
{
	counts("x)x)x", NULL, "off", false, "+----");
	counts("x)x", NULL, "off", true, "++-");
}

static void windows_open_and_close_in_turn(void **state)
{
	counts("x(x)x(x)x", "on", "off", false, "--+---+--");
	counts("x(x)x(x)x", "on", "off", true, "-+++-+++-");
	counts(")x((x))x", "on", "off", false, "---++---");
}

static void one_event_may_do_both(void **state) { counts("x(x(x(x", "on", "on", false, "--+---+"); }

static void a_missing_event_is_reported(void **state)
{
	struct session *s = session_of("x");
	struct windows w = { 0 };
	struct err e = { 0 };

	assert_int_equal(windows_find(&w, s, "onn", NULL, false, &e), -1);
	assert_non_null(strstr(e.what, "switch-on event not found (onn)"));
	assert_int_equal(windows_find(&w, s, NULL, "nosuch", false, &e), -1);
	assert_non_null(strstr(e.what, "switch-off event not found (nosuch)"));
	session_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_events_all_count), cmocka_unit_test(from_the_first_on),
		cmocka_unit_test(until_the_first_off),      cmocka_unit_test(windows_open_and_close_in_turn),
		cmocka_unit_test(one_event_may_do_both),    cmocka_unit_test(a_missing_event_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
