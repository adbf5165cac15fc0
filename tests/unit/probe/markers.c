/* Markers of this program, which has some of its own. */
#include "tests/unit/probe/self.h"

/* A marker as <sys/sdt.h> makes it: a nop, and a note that tells its place. */
#define MARKER(label, provider, name, args) \
	__asm__ volatile(".globl " label "\n" label ":\tnop\n" \
			 "\t.pushsection .note.stapsdt, \"\", \"note\"\n" \
			 "\t.balign 4\n" \
			 "\t.4byte 992f - 991f, 994f - 993f, 3\n" \
			 "991:\t.asciz \"stapsdt\"\n" \
			 "992:\t.balign 4\n" \
			 "993:\t.8byte " label ", 0, 0\n" \
			 "\t.asciz \"" provider "\"\n\t.asciz \"" name "\"\n\t.asciz \"" args "\"\n" \
			 "994:\t.balign 4\n" \
			 "\t.popsection\n")
extern const char marker_begin_at[], marker_end_at[], marker_other_at[];

void with_markers(void);
__attribute__((noinline, noclone)) void with_markers(void)
{
	MARKER("marker_begin_at", "shop", "begin", "-4@%edi 8@%rsi");
	MARKER("marker_end_at", "shop", "end", "");
	MARKER("marker_other_at", "other", "begin", "");
}

static void markers_are_found_by_name(void **state)
{
	struct prober *p = self_open();
	struct probe_events events;
	struct err e = { 0 };
	const struct trace_probe *t;

	assert_int_equal(self_find(p, "%end", &events, &e), 0);
	assert_int_equal(events.v.len, 1);
	t = &events.v.items[0].trace;
	assert_string_equal(t->group, "sdt_shop");
	assert_string_equal(t->event, "end");
	assert_string_equal(t->path, self_path());
	assert_int_equal(t->offset, self_place(marker_end_at).offset);
	assert_int_equal(t->args.len, 0);
	probe_events_release(&events);
	prober_close(p);
}

static void a_provider_chooses_among_equal_names(void **state)
{
	struct prober *p = self_open();
	struct probe_events both, one;
	struct err e = { 0 };

	assert_int_equal(self_find(p, "%begin", &both, &e), 0);
	assert_int_equal(both.v.len, 2);
	assert_int_equal(self_find(p, "sdt_other:begin", &one, &e), 0);
	assert_int_equal(one.v.len, 1);
	assert_int_equal(one.v.items[0].trace.offset, self_place(marker_other_at).offset);
	probe_events_release(&both);
	probe_events_release(&one);
	prober_close(p);
}

static void arguments_and_names_come_along(void **state)
{
	struct prober *p = self_open();
	struct probe_events events;
	struct err e = { 0 };
	const struct trace_probe *t;

	assert_int_equal(self_find(p, "mine:started=%sdt_shop:begin", &events, &e), 0);
	assert_int_equal(events.v.len, 1);
	t = &events.v.items[0].trace;
	assert_string_equal(t->group, "mine");
	assert_string_equal(t->event, "started");
	assert_true(events.v.items[0].fixed_name);
	assert_int_equal(t->offset, self_place(marker_begin_at).offset);
#ifdef __x86_64__
	assert_int_equal(t->args.len, 2);
	assert_string_equal(t->args.items[0].fetch, "%di:s32");
	assert_string_equal(t->args.items[1].fetch, "%si:u64");
#endif
	probe_events_release(&events);
	prober_close(p);
}

static void an_unknown_marker_is_refused_with_the_nearest(void **state)
{
	struct prober *p = self_open();
	struct probe_events events;
	struct err e = { 0 };

	assert_int_equal(self_find(p, "%begni", &events, &e), -1);
	assert_int_equal(e.exit_code, EXIT_NOT_FOUND);
	assert_string_equal(e.fix, "%begin");
	probe_events_release(&events);
	prober_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markers_are_found_by_name),
		cmocka_unit_test(a_provider_chooses_among_equal_names),
		cmocka_unit_test(arguments_and_names_come_along),
		cmocka_unit_test(an_unknown_marker_is_refused_with_the_nearest),
	};

	with_markers();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
