#include "tests/lib/forms.h"

/* Events, their ids, names and groups: what damaged and hostile inputs say about them. reader.c reads sound ones. */

static struct perfdata *opened(const uint8_t *bytes, size_t len)
{
	struct err e = { 0 };
	struct perfdata *pd = perfdata_open_memory("built", bytes, len, &e);

	if (!pd)
		fail_msg("%s: %s", e.what, e.why);
	return pd;
}

static bool is_pipe(enum build_form form) { return form == BUILD_PIPE || form == BUILD_PIPE_SWAPPED; }

static void set_ids(struct build *b, size_t event, size_t n, const uint64_t *ids)
{
	memcpy(b->events.items[event].ids, ids, n * sizeof(*ids));
	b->events.items[event].n_ids = n;
}

/* Four events that share a sample_type with an id. */
static struct build four_events(enum build_form form)
{
	struct build b = build_start_as(form, SAMPLE_IP | SAMPLE_ID);

	build_event(&b, SAMPLE_IP | SAMPLE_ID, "two");
	build_event(&b, SAMPLE_IP | SAMPLE_ID, "three");
	build_event(&b, SAMPLE_IP | SAMPLE_ID, "four");
	return b;
}

/* ---- ids ---- */

static void ids_are_those_of_their_event(struct build *b, size_t n, const uint64_t *ids, const int *events)
{
	struct perfdata *pd = build_open(b);

	for (size_t i = 0; i < n; i++)
		assert_int_equal(perfdata_event_by_id(pd, ids[i]), events[i]);
	perfdata_close(pd);
	build_release(b);
}

static void ids_far_apart_are_found(void **state)
{
	static const uint64_t ids[] = { 1, 2, 1ull << 40, UINT64_MAX, 3, 1ull << 63, 0 };
	static const int events[] = { 0, 0, 1, 3, -1, -1, 0 };
	struct build b = four_events(FORM);

	set_ids(&b, 0, 2, ids);
	set_ids(&b, 1, 1, ids + 2);
	set_ids(&b, 2, 0, ids);
	set_ids(&b, 3, 1, ids + 3);
	ids_are_those_of_their_event(&b, ARRAY_SIZE(ids), ids, events);
}

static void ids_with_gaps_are_found(void **state)
{
	static const uint64_t ids[] = { 100, 109, 150, 151, 99, 152, 101, UINT64_MAX, 1 };
	static const int events[] = { 0, 1, 2, 3, -1, -1, -1, -1, -1 };
	struct build b = four_events(FORM);

	for (size_t i = 0; i < 4; i++)
		set_ids(&b, i, 1, ids + i);
	ids_are_those_of_their_event(&b, ARRAY_SIZE(ids), ids, events);
}

static void the_first_of_two_events_keeps_an_id(void **state)
{
	static const uint64_t ids[] = { 5, 6, 5, 7 };
	static const int events[] = { 0, 0, 0, 1 };
	struct build b = four_events(FORM);

	set_ids(&b, 0, 2, ids);
	set_ids(&b, 1, 2, ids + 2);
	ids_are_those_of_their_event(&b, ARRAY_SIZE(ids), ids, events);
}

static void id_0_is_that_of_the_first_event(void **state)
{
	static const uint64_t ids[] = { 0, 1, 2 };
	static const int events[] = { 0, 2, -1 };
	struct build b = four_events(FORM);

	for (size_t i = 0; i < 4; i++)
		set_ids(&b, i, i == 1 || i == 2, ids + (i == 2));
	ids_are_those_of_their_event(&b, ARRAY_SIZE(ids), ids, events);
}

/*
 * The header has the size of an entry at 16, and the place of the entries at 24. An entry is an attr, then the place
 * and the size of its ids.
 */
static uint8_t *ids_of_entry(uint8_t *file, size_t event)
{
	uint64_t size, at;

	memcpy(&size, file + 16, 8);
	memcpy(&at, file + 24, 8);
	return file + at + (event + 1) * size - 16;
}

static void ids_outside_of_the_file_are_refused(void **state)
{
	static const struct {
		uint64_t from_end, size;
		bool good;
	} cases[] = {
		{ 8, 8, true },   { 0, 0, true },           { 0, 8, false },          { 8, 16, false },
		{ 16, 4, false }, { 16, 12, false },        { UINT64_MAX, 0, false }, { 8, UINT64_MAX - 7, false },
		{ 64, 0, true },  { 1ull << 40, 8, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct build b = build_start(SAMPLE_IP | SAMPLE_ID);
		size_t len;
		uint8_t *p = (uint8_t *)build_bytes(&b, &len), *exact = xmalloc(len);
		uint64_t place[2] = { len - cases[i].from_end, cases[i].size };
		struct perfdata *pd;
		struct err e = { 0 };

		memcpy(exact, p, len);
		memcpy(ids_of_entry(exact, 0), place, sizeof(place));
		pd = perfdata_open_memory("built", exact, len, &e);
		assert_int_equal(pd != NULL, cases[i].good);
		if (pd)
			perfdata_close(pd);
		else
			assert_non_null(strstr(e.what, "which are not in the file"));
		free(exact);
		build_release(&b);
	}
}

/* Many events must not have all bytes of the file as their ids. */
static void all_ids_together_fit_into_the_file(void **state)
{
	struct build b = four_events(BUILD_FILE);
	size_t len;
	uint8_t *p = (uint8_t *)build_bytes(&b, &len);
	uint64_t place[2] = { 0, len / 8 / 4 * 8 };
	struct err e = { 0 };

	for (size_t i = 0; i < 4; i++)
		memcpy(ids_of_entry(p, i), place, sizeof(place));
	perfdata_close(opened(p, len));
	place[1] = (len / 8 / 4 + 1) * 8;
	for (size_t i = 0; i < 4; i++)
		memcpy(ids_of_entry(p, i), place, sizeof(place));
	assert_null(perfdata_open_memory("built", p, len, &e));
	build_release(&b);
}

/* ---- records that describe events ---- */

static void update(struct build *b, uint64_t type, uint64_t id, const void *bytes, size_t len)
{
	uint8_t body[256] = { 0 };

	memcpy(body, &type, 8);
	memcpy(body + 8, &id, 8);
	memcpy(body + 16, bytes, len);
	build_record(b, RECORD_EVENT_UPDATE, 0, body, 16 + len, type == EVENT_UPDATE_SCALE && len == 8 ? "888" : "88s");
}

static void updates_change_the_event_of_their_id(void **state)
{
	struct build b = four_events(FORM);
	struct perfdata *pd;

	update(&b, EVENT_UPDATE_UNIT, 2, "ms\0\0\0\0\0", 8);
	update(&b, EVENT_UPDATE_NAME, 2, "renamed", 8);
	update(&b, EVENT_UPDATE_SCALE, 2, &(double){ 0.5 }, 8);
	update(&b, EVENT_UPDATE_NAME, 3, "eight ch", 8);       /* no NUL */
	update(&b, EVENT_UPDATE_NAME, 4, "\0\0\0\0\0\0\0", 8); /* no name */
	update(&b, EVENT_UPDATE_SCALE, 4, "", 0);              /* no scale */
	update(&b, EVENT_UPDATE_NAME, 77, "nobody\0", 8);
	update(&b, 99, 1, "unknown", 8);
	pd = build_open(&b);
	assert_string_equal(pd->events[0].name, "cpu-clock");
	assert_null(pd->events[0].unit);
	assert_true(pd->events[0].scale == 1);
	assert_string_equal(pd->events[1].name, "renamed");
	assert_string_equal(pd->events[1].unit, "ms");
	assert_true(pd->events[1].scale == 0.5);
	assert_string_equal(pd->events[2].name, "eight ch");
	assert_string_equal(pd->events[3].name, "four");
	assert_true(pd->events[3].scale == 1);
	perfdata_close(pd);
	build_release(&b);
}

/* Old pipes name tracepoints by { u64 number, char name[64] }. */
static void type(struct build *b, uint64_t number, const char *name, size_t len)
{
	uint8_t body[72] = { 0 };

	memcpy(body, &number, 8);
	memcpy(body + 8, name, strnlen(name, len));
	build_record(b, RECORD_HEADER_EVENT_TYPE, 0, body, 8 + len, "8s");
}

static void old_pipes_name_tracepoints_by_number(void **state)
{
	char longest[65] = "";
	struct build b = four_events(FORM);
	struct perfdata *pd;

	memset(longest, 'x', 64);
	for (size_t i = 0; i < 4; i++) {
		b.events.items[i].name = NULL;
		build_attr(&b, i)->type = i == 2 ? ATTR_TYPE_RAW : ATTR_TYPE_TRACEPOINT;
		build_attr(&b, i)->config = 40 + i;
	}
	build_feature(&b, FEATURE_EVENT_DESC, "\0\0\0\0\0\0\0\0", 8); /* stores no names */
	type(&b, 40, "sched:first", 16);
	type(&b, 40, "sched:second", 16);
	type(&b, 41, longest, 64); /* no NUL */
	type(&b, 42, "no:tracepoint", 16);
	pd = build_open(&b);
	if (is_pipe(FORM)) {
		assert_string_equal(pd->events[0].name, "sched:first");
		assert_true(pd->events[0].has_stored_name);
		assert_string_equal(pd->events[1].name, longest);
	}
	assert_string_not_equal(pd->events[2].name, "no:tracepoint");
	assert_false(pd->events[2].has_stored_name);
	assert_false(pd->events[3].has_stored_name);
	perfdata_close(pd);
	build_release(&b);
}

/* EVENT_DESC: u32 count, u32 size of attrs, then { attr, u32 number of ids, text, ids } for each event. */
static void names_are_read_until_their_section_ends(void **state)
{
	struct {
		uint32_t n, attr_size;
		struct {
			uint32_t attr[2], n_ids, name_len;
			char name[8];
			uint32_t id[2];
		} events[2];
	} section = { 3, 8, { { { 0 }, 1, 8, "first", { 0 } }, { { 0 }, 1, 8, "second", { 0 } } } };
	struct build b;
	struct perfdata *pd;

	for (size_t cut = 8; cut <= sizeof(section); cut++) {
		b = four_events(BUILD_PIPE);
		build_feature(&b, FEATURE_EVENT_DESC, &section, cut);
		pd = build_open(&b);
		assert_int_equal(pd->n_events, 4);
		assert_int_equal(pd->events[0].has_stored_name, cut >= 32);
		assert_int_equal(pd->events[1].has_stored_name, cut >= 64);
		assert_string_equal(pd->events[0].name, cut >= 32 ? "first" : "cpu-clock");
		assert_int_equal(pd->notes.bad_features, 1); /* it says 3, but there are 2 */
		perfdata_close(pd);
		build_release(&b);
	}
	section.n = 1;
	b = four_events(BUILD_PIPE);
	build_feature(&b, FEATURE_EVENT_DESC, &section, sizeof(section));
	pd = build_open(&b);
	assert_string_equal(pd->events[0].name, "first");
	assert_false(pd->events[1].has_stored_name);
	assert_int_equal(pd->notes.bad_features, 0);
	perfdata_close(pd);
	build_release(&b);
}

/* ---- groups ---- */

static void groups_of_events_that_do_not_exist_are_ignored(void **state)
{
	static const struct {
		uint32_t leader, members;
		bool good;
	} cases[] = {
		{ 0, 4, true },  { 1, 3, true },  { 3, 1, true },           { 0, 5, false },          { 3, 2, false },
		{ 4, 1, false }, { 1, 0, false }, { 2, UINT32_MAX, false }, { UINT32_MAX, 2, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t section[] = { 1, 4, 0, cases[i].leader, cases[i].members };
		struct build b = four_events(BUILD_FILE);
		struct perfdata *pd;

		memcpy(&section[2], "{g}", 4);
		build_feature(&b, FEATURE_GROUP_DESC, section, sizeof(section));
		pd = build_open(&b);
		for (uint32_t k = 0; k < 4; k++) {
			bool in = cases[i].good && k >= cases[i].leader && k - cases[i].leader < cases[i].members;
			bool leads = in && k == cases[i].leader;

			assert_int_equal(pd->events[k].leader, in ? cases[i].leader : k);
			assert_int_equal(pd->events[k].n_members, leads ? cases[i].members : !in);
			assert_int_equal(pd->events[k].group_name != NULL, leads);
		}
		perfdata_close(pd);
		build_release(&b);
	}
}

static void an_anonymous_group_has_no_name(void **state)
{
	uint32_t section[] = { 1, 16, 0, 0, 0, 0, 1, 2 };
	struct build b = four_events(BUILD_FILE);
	struct perfdata *pd;

	memcpy(&section[2], "{anon_group}", 13);
	build_feature(&b, FEATURE_GROUP_DESC, section, sizeof(section));
	pd = build_open(&b);
	assert_int_equal(pd->events[1].n_members, 2);
	assert_null(pd->events[1].group_name);
	perfdata_close(pd);
	build_release(&b);
}

/* ---- features in records ---- */

static void features_of_pipes_may_be_unknown_or_bad(void **state)
{
	struct build b = build_start_as(is_pipe(FORM) ? FORM : BUILD_PIPE, SAMPLE_IP);
	struct perfdata *pd;

	build_feature(&b, 200, "12345678", 8);
	build_feature(&b, FEATURE_HOSTNAME, "\377\377\377\377", 4);
	build_feature_text(&b, FEATURE_ARCH, "riscv64");
	build_feature(&b, FEATURE_NRCPUS, "", 0); /* ends the list */
	pd = build_open(&b);
	assert_int_equal(pd->notes.unknown_features, 1);
	assert_int_equal(pd->notes.bad_features, 1);
	assert_string_equal(pd->features.arch, "riscv64");
	assert_false(feature_has(&pd->features, FEATURE_NRCPUS));
	perfdata_close(pd);
	build_release(&b);
}

/* Each sample asks for this, so the answer must not depend on how many events the feature names. */
static void unwound_events_are_marked(void **state)
{
	const uint32_t section[] = { 1, 4096, 4, 1, 1, 3, 4, 0 }; /* version, window, four events, no ends */
	struct build b = four_events(BUILD_FILE);
	struct perfdata *pd;

	build_feature(&b, FEATURE_UNWOUND, section, sizeof(section));
	pd = build_open(&b);
	assert_int_equal(pd->features.n_unwound_events, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pd->events[i].unwound, i == 1 || i == 3);
	perfdata_close(pd);
	build_release(&b);
}

static void times_of_samples_lie_at_one_place_or_at_several(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TIME);
	struct perfdata *pd;

	build_event(&b, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TIME, "same");
	pd = build_open(&b);
	assert_int_equal(pd->sample_time, 16);
	perfdata_close(pd);
	build_event(&b, SAMPLE_IDENTIFIER | SAMPLE_TIME, "other");
	pd = build_open(&b);
	assert_int_equal(pd->sample_time, -2);
	perfdata_close(pd);
	build_release(&b);
	b = build_start_as(FORM, SAMPLE_IP);
	pd = build_open(&b);
	assert_int_equal(pd->sample_time, -1);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(ids_far_apart_are_found),
		FORMS(ids_with_gaps_are_found),
		FORMS(the_first_of_two_events_keeps_an_id),
		FORMS(id_0_is_that_of_the_first_event),
		cmocka_unit_test(ids_outside_of_the_file_are_refused),
		cmocka_unit_test(all_ids_together_fit_into_the_file),
		FORMS(updates_change_the_event_of_their_id),
		FORMS(old_pipes_name_tracepoints_by_number),
		cmocka_unit_test(names_are_read_until_their_section_ends),
		cmocka_unit_test(groups_of_events_that_do_not_exist_are_ignored),
		cmocka_unit_test(an_anonymous_group_has_no_name),
		FORMS(features_of_pipes_may_be_unknown_or_bad),
		cmocka_unit_test(unwound_events_are_marked),
		FORMS(times_of_samples_lie_at_one_place_or_at_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
