#include "tests/unit/events/fake.h"
#include <cmocka.h>

#include "tests/unit/events/vendor.h"

static struct event_list list;
static struct err error;

static int begin(void **state)
{
	if (fake_begin(state) < 0)
		return -1;
	fake_pmus();
	fake_tracepoints();
	return 0;
}

static int end(void **state)
{
	event_list_release(&list);
	return fake_end(state);
}

static void parse(const char *text)
{
	event_list_release(&list);
	if (event_list_parse(&list, text, &error) < 0)
		fail_msg("'%s': %s %s", text, error.what, error.why);
}

/* Check that the text is refused with the message and the caret under character `at`. */
static void refuse(const char *text, size_t at, const char *message)
{
	static const char before[] = "event syntax error: '";
	size_t len = list.events.len, caret;

	if (event_list_parse(&list, text, &error) == 0)
		fail_msg("'%s' is taken", text);
	assert_int_equal(error.exit_code, 129);
	assert_int_equal(list.events.len, len);
	caret = strspn(error.why, " ");
	if (strncmp(error.what, before, strlen(before)) || strncmp(error.why + caret, "\\___ ", 5))
		fail_msg("'%s': %s / %s", text, error.what, error.why);
	if (caret != strlen(before) + at || strncmp(error.why + caret + 5, message, strlen(message)))
		fail_msg("'%s': caret at %zu: %s", text, caret - strlen(before), error.why + caret);
}

static const struct event *one(const char *text)
{
	parse(text);
	assert_int_equal(list.events.len, 1);
	return &list.events.items[0];
}

static void kinds_of_events(void **state)
{
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t config;
	} cases[] = {
		{ "cycles", 0, 0 },
		{ "instructions", 0, 1 },
		{ "cpu-clock", 1, 0 },
		{ "Page-Faults", 1, 2 },
		{ "LLC-load-misses", 3, 0x10002 },
		{ "r1a8", 4, 0x1a8 },
		{ "read", 4, 0xead },
		{ "1:2", 1, 2 },
		{ "0x4:0x1f", 4, 0x1f },
		{ "sched:sched_switch", 2, 316 },
		{ "2:316", 2, 316 },
		{ "cpu/event=0x3c,umask=0x1/", 4, 0x13c },
		{ "cpu/event=0x3c,inv/u", 4, 0x80003c },
		{ "cpu/config=0x77/", 4, 0x77 },
		{ "cpu/r1a8/", 4, 0x1a8 },
		{ "cpu/cycles/", 0, 0 },
		{ "cpu/L1-dcache-loads/", 3, 0 },
		{ "cpu/mem-loads/", 4, 0x1cd },
		{ "mem-loads", 4, 0x1cd },
		{ "software/cpu-clock/", 1, 0 },
		{ "software/config=3/", 1, 3 },
		{ "cpu//", 4, 0 },
		{ "cpu/wide=0xff/", 4, 0xf000000f00000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct event *event;

		event = one(cases[i].text);
		if (event->attr.type != cases[i].type || event->attr.config != cases[i].config)
			fail_msg("%s: type %u config %llx", cases[i].text, event->attr.type,
				 (unsigned long long)event->attr.config);
		assert_string_equal(event->name, cases[i].text);
		assert_int_equal(event->leader, 0);
		assert_int_equal(event->n_members, 1);
		assert_int_equal(event->attr.size, sizeof(event->attr));
	}
}

static void modifiers_exclude_the_rest(void **state)
{
	static const struct {
		const char *text;
		bool user, kernel, hv, host, guest;
		unsigned precise;
	} cases[] = {
		{ "cs", 0, 0, 0, 0, 0, 0 },
		{ "cs:u", 0, 1, 1, 0, 0, 0 },
		{ "cs:k", 1, 0, 1, 0, 0, 0 },
		{ "cs:uk", 0, 0, 1, 0, 0, 0 },
		{ "cs:h", 1, 1, 0, 0, 0, 0 },
		{ "cs:H", 0, 0, 0, 0, 1, 0 },
		{ "cs:G", 0, 0, 0, 1, 0, 0 },
		{ "cs:HG", 0, 0, 0, 0, 0, 0 },
		{ "cycles:upp", 0, 1, 1, 0, 0, 2 },
		{ "cycles:ppp", 0, 0, 0, 0, 0, 3 },
		{ "cycles:P", 0, 0, 0, 0, 0, 3 },
		{ "cpu/cycles/pk", 1, 0, 1, 0, 0, 1 },
		{ "cpu/cycles/:k", 1, 0, 1, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct perf_event_attr *attr = &one(cases[i].text)->attr;

		if (attr->exclude_user != cases[i].user || attr->exclude_kernel != cases[i].kernel ||
		    attr->exclude_hv != cases[i].hv || attr->exclude_host != cases[i].host ||
		    attr->exclude_guest != cases[i].guest || attr->precise_ip != cases[i].precise)
			fail_msg("%s", cases[i].text);
	}
	assert_true(one("cycles:P")->precise_max);
	assert_true(one("cs:D")->attr.pinned);
	assert_true(one("cs:e")->attr.exclusive);
	assert_true(one("cs:I")->attr.exclude_idle);
	assert_true(one("cs:S")->sample_read);
	assert_true(one("{cs}:W")->weak_group);
	assert_true(one("cs:b")->bpf_counter);
	assert_true(one("cs:R")->retire_latency);
	assert_true(one("cs:X")->no_regroup);
	assert_true(one("cs:u")->user_modifiers);
	assert_false(one("cs:P")->user_modifiers);
	assert_string_equal(one("cycles:ppu")->modifiers, "ppu");
}

static void terms_set_what_they_name(void **state)
{
	const struct event *event =
		one("cycles/period=1000,name=foo,call-graph=dwarf,stack-size=4096,max-stack=5,time=0,no-inherit/u");

	assert_int_equal(event->attr.sample_period, 1000);
	assert_false(event->attr.freq);
	assert_true(event->user_period);
	assert_string_equal(event->name, "foo");
	assert_string_equal(event->term_callgraph, "dwarf");
	assert_int_equal(event->term_stack_size, 4096);
	assert_int_equal(event->term_max_stack, 5);
	assert_int_equal(event->term_time, 0);
	assert_int_equal(event->term_inherit, 0);
	assert_int_equal(event->term_overwrite, TERM_DEFAULT);
	assert_true(event->attr.exclude_kernel);
	event = one("cpu-clock/freq=0x63/");
	assert_int_equal(event->attr.sample_freq, 99);
	assert_true(event->attr.freq);
	event = one("cpu/event=1,ldlat=30,deep=7,config2=9,cpu=1-2/");
	assert_int_equal(event->attr.config1, 30);
	assert_int_equal(event->attr.config2, 9);
	assert_int_equal(event->config3, 7);
	assert_int_equal(event->cpus.len, 2);
	assert_int_equal(one("cs/inherit=0/")->term_inherit, 0);
	assert_int_equal(one("cs/no-inherit=0/")->term_inherit, 1);
	assert_int_equal(one("cs/overwrite/")->term_overwrite, 1);
	assert_false(one("cs/percore=0/")->percore);
	assert_int_equal(one("cs/period/")->attr.sample_period, 1);
	assert_string_equal(one("cs/name='a, b/c {d}'/")->name, "a, b/c {d}");
	assert_string_equal(one("cs/name=a,name=b/")->name, "a");
	assert_string_equal(one("cpu/event=1,name='x/'/u")->name, "x/");
	parse("imc/event=1,name=both/u");
	assert_string_equal(list.events.items[1].name, "both");
	assert_string_equal(one("cs/name=\"it's\"/")->name, "it's");
	assert_string_equal(one("cpu/event=1,@sink=x/")->term_driver_config, "sink=x");
	assert_string_equal(one("sched:sched_switch/call-graph=fp/")->term_callgraph, "fp");
	assert_int_equal(one("cpu/mem-loads,ldlat=9/")->attr.config1, 9);
	assert_int_equal(one("cpu/param,umask=5/")->attr.config, 0x510);
}

static void tracepoints_carry_their_period_and_sample(void **state)
{
	const struct event *event = one("sched:sched_switch");

	assert_string_equal(event->system, "sched");
	assert_string_equal(event->tp_name, "sched_switch");
	assert_int_equal(event->attr.sample_period, 1);
	assert_int_equal(event->attr.sample_type,
			 PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
	parse("s*:s*:k,cs");
	assert_int_equal(list.events.len, 5);
	for (size_t i = 0; i < 4; i++) {
		autofree char *name = xasprintf("%s:%s", list.events.items[i].system, list.events.items[i].tp_name);

		assert_string_equal(list.events.items[i].name, name);
		assert_true(list.events.items[i].attr.exclude_user);
	}
	/* perf's names for them: the attr has the modifiers. */
	assert_string_equal(one("sched:sched_switch:k")->name, "sched:sched_switch");
	assert_string_equal(one("sched:sched_switch/call-graph=fp/u")->name, "sched:sched_switch");
	assert_string_equal(one("sched:sched_switch/name=x/u")->name, "x");
	/* By its number: readers need the format in this case too. */
	event = one("2:318:u");
	assert_string_equal(event->name, "2:318:u");
	assert_string_equal(event->system, "sched");
	assert_string_equal(event->tp_name, "sched_wakeup");
	assert_int_equal(event->attr.sample_type, 0);
	assert_null(one("2:999")->system);
	/* A system whose name and events look like modifiers. */
	assert_int_equal(one("u:only")->attr.config, 400);
}

static void breakpoints(void **state)
{
	static const struct {
		const char *text;
		uint64_t addr, len;
		uint32_t type;
	} cases[] = {
		{ "mem:0x1000", 0x1000, 4, 3 },
		{ "mem:4096:r", 4096, 4, 1 },
		{ "mem:0x10:w", 0x10, 4, 2 },
		{ "mem:0x10:rw", 0x10, 4, 3 },
		{ "mem:0x10:x", 0x10, sizeof(long), 4 },
		{ "mem:0x10/8:w", 0x10, 8, 2 },
		{ "mem:0x10/1", 0x10, 1, 3 },
		{ "mem:0x10:u", 0x10, 4, 3 },
		{ "mem:0x10/2:r:k", 0x10, 2, 1 },
		{ "mem:0x10:rw/name=x/u", 0x10, 4, 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct perf_event_attr *attr = &one(cases[i].text)->attr;

		assert_int_equal(attr->type, PERF_TYPE_BREAKPOINT);
		if (attr->bp_addr != cases[i].addr || attr->bp_len != cases[i].len || attr->bp_type != cases[i].type)
			fail_msg("%s", cases[i].text);
		assert_int_equal(attr->sample_period, 1);
	}
	assert_true(one("mem:0x10:u")->attr.exclude_kernel);
}

static void groups_have_a_leader(void **state)
{
	const struct event *events;

	parse("cs");
	assert_int_equal(event_list_parse(&list, "g{cycles:u,cs,r1:D}:kS,faults", &error), 0);
	events = list.events.items;
	assert_int_equal(list.events.len, 5);
	assert_int_equal(list.last_parsed, 1);
	assert_int_equal(events[1].n_members, 3);
	assert_string_equal(events[1].group_name, "g");
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(events[i].leader, 1);
		assert_true(events[i].sample_read);
	}
	assert_int_equal(events[2].n_members, 0);
	assert_int_equal(events[4].leader, 4);
	assert_int_equal(events[4].n_members, 1);
	/* The group's k is added to the member's own u; the other members have only k. */
	assert_false(events[1].attr.exclude_user || events[1].attr.exclude_kernel);
	assert_string_equal(events[1].modifiers, "ku");
	assert_true(events[2].attr.exclude_user);
	assert_string_equal(events[1].name, "cycles:u");
	assert_string_equal(events[2].name, "cs");
	assert_false(events[3].attr.pinned);
	parse(" cs , g{ cs:u , faults/period=1/ }:S , r1 ");
	assert_int_equal(list.events.len, 4);
	assert_string_equal(list.events.items[0].name, "cs");
	assert_string_equal(list.events.items[1].name, "cs:u");
	assert_string_equal(list.events.items[2].name, "faults/period=1/");
	assert_string_equal(list.events.items[3].name, "r1");
	assert_int_equal(list.events.items[1].n_members, 2);
	parse("{sched:*}");
	assert_int_equal(list.events.items[0].n_members, 2);
	assert_null(list.events.items[0].group_name);
}

static void uncore_pmus_are_found_by_their_kind(void **state)
{
	const struct event *events;

	parse("imc/cas_count_read/");
	events = list.events.items;
	assert_int_equal(list.events.len, 2);
	assert_string_equal(events[1].pmu, "uncore_imc_1");
	assert_string_equal(events[1].name, "uncore_imc_1/cas_count_read/");
	assert_string_equal(events[1].shared_name, "imc/cas_count_read/");
	assert_string_equal(events[1].unit, "MiB");
	assert_int_equal(events[1].attr.type, 21);
	assert_int_equal(events[1].attr.config, 4);
	assert_int_equal(events[1].cpus.len, 1);
	parse("uncore_imc_0/event=3/u");
	assert_string_equal(list.events.items[0].name, "uncore_imc_0/event=3/u");
	assert_null(list.events.items[0].shared_name);
	parse("imc/event=3/u,imc/event=3,name=x/u");
	assert_string_equal(list.events.items[0].shared_name, "imc/event=3/u");
	assert_string_equal(list.events.items[2].shared_name, "x");
	/* A glob means the PMUs that have the event; a PMU named in full must have it. */
	assert_int_equal(one("*/mem-loads/")->attr.config, 0x1cd);
	parse("*imc*/event=5/");
	assert_int_equal(list.events.len, 2);
	refuse("*/nosuch/", 2, "unknown term 'nosuch'");
	refuse("imc/nosuch/", 4, "unknown term 'nosuch'");
	parse("{imc/cas_count_read/,cs,imc/event=1/}");
	events = list.events.items;
	assert_int_equal(list.events.len, 5);
	assert_int_equal(events[0].n_members, 2);
	assert_string_equal(events[1].name, "uncore_imc_0/event=1/");
	assert_int_equal(events[2].n_members, 3);
	assert_string_equal(events[3].name, "cs");
	assert_int_equal(events[4].leader, 2);
	parse("{cpu/cycles/,r1,L1-dcache-loads,cs,mem:0x10}");
	assert_int_equal(list.events.items[0].n_members, 5);
	parse("cas_count_read:u");
	assert_int_equal(list.events.len, 2);
	assert_string_equal(list.events.items[0].name, "uncore_imc_0/cas_count_read/u");
	assert_string_equal(list.events.items[0].shared_name, "cas_count_read:u");
}

static void hybrid_machines_have_each_event_twice(void **state)
{
	event_list_release(&list);
	fake_end(state);
	fake_begin(state);
	fake_hybrid();
	parse("cycles:u");
	assert_int_equal(list.events.len, 2);
	assert_string_equal(list.events.items[0].name, "cpu_atom/cycles/u");
	assert_int_equal(list.events.items[0].attr.config, 10ull << 32);
	assert_int_equal(list.events.items[0].cpus.items[0], 1);
	assert_int_equal(list.events.items[1].attr.config, 4ull << 32);
	parse("r1a8");
	assert_int_equal(list.events.items[0].attr.type, 10);
	assert_string_equal(list.events.items[0].name, "cpu_atom/r1a8/");
	parse("cpu_core/cycles/");
	assert_int_equal(list.events.len, 1);
	assert_int_equal(list.events.items[0].attr.config, 4ull << 32);
	/*
	 * Counters of two kinds of cores cannot be in one group; software events join the group of
	 * the event before them.
	 */
	parse("g{cycles,cs,instructions:D}:D");
	assert_int_equal(list.events.len, 5);
	for (size_t i = 0; i < 5; i++) {
		static const char *const names[] = { "cpu_atom/cycles/", "cpu_atom/instructions/D", "cpu_core/cycles/",
						     "cs", "cpu_core/instructions/D" };
		const struct event *event = &list.events.items[i];

		assert_string_equal(event->name, names[i]);
		assert_int_equal(event->leader, i < 2 ? 0 : 2);
		assert_int_equal(event->n_members, i == 0 ? 2 : i == 2 ? 3 : 0);
		assert_int_equal(event->attr.pinned, i == 0 || i == 2);
		assert_int_equal(event->group_name != NULL, i == 0 || i == 2);
	}
	parse("{cycles,cs}:X");
	assert_int_equal(list.events.items[0].n_members, 3);
	/* --cputype: a word for both kinds means one; a name of a kind keeps its meaning. */
	list.only_pmu = "cpu_core";
	assert_string_equal(one("cycles")->name, "cpu_core/cycles/");
	assert_string_equal(one("r1a8")->name, "cpu_core/r1a8/");
	assert_string_equal(one("cpu_atom/cycles/")->name, "cpu_atom/cycles/");
	assert_string_equal(one("cs")->name, "cs");
	event_list_release(&list);
	list.only_pmu = NULL;
	event_list_add_default(&list);
	assert_int_equal(list.events.len, 2);
	assert_string_equal(list.events.items[1].name, "cpu_core/cycles/P");
}

/* Errors name the sysfs file that is broken, and the reason. */
static void broken_pmu_files_are_reported(void **state)
{
	static const char *const masks[] = { "banana\n", "1-0\n", "0 1\n", "0-99999999999\n", "-1\n", "4294967296\n" };
	autofree char *mask = NULL;

	fake_file(FAKE_PMU "cpu/events/big", "event=0x1ff\n");
	fake_file(FAKE_PMU "cpu/events/word", "event=banana\n");
	fake_file(FAKE_PMU "cpu/events/self", "self\n");
	fake_file(FAKE_PMU "cpu/events/slash", "event=1/,umask=2\n");
	fake_file(FAKE_PMU "cpu/events/dir/x", "");
	fake_file(FAKE_PMU "cpu/format/dir2/x", "");
	fake_file(FAKE_PMU "uncore_imc_0/events/large", "event=1\n");
	fake_file(FAKE_PMU "uncore_imc_0/events/large.scale", "1e400\n");
	refuse("cpu/big/", 4,
	       "value too big for format (event), maximum is 255, in event 'big' of pmu 'cpu': 'event=0x1ff'");
	refuse("cpu/word/", 4, "expected numeric value, in event 'word' of pmu 'cpu': 'event=banana'");
	refuse("cpu/self/", 4, "unknown term 'self' for pmu 'cpu', in event 'self'");
	refuse("cpu/slash/", 4, "Unrecognized input, in event 'slash' of pmu 'cpu': 'event=1/,umask=2'");
	refuse("cpu/big/,cpu/event=x/", 4, "value too big for format (event)");
	refuse("cpu/event=x/", 10, "expected numeric value");
	assert_null(strstr(error.why, ", in "));
	refuse("cpu/dir/", 4, "");
	assert_non_null(strstr(error.why, "/cpu/events/dir': it is "));
	refuse("cpu/dir2=1/", 4, "");
	assert_non_null(strstr(error.why, "/cpu/format/dir2': it is "));
	refuse("*/nosuch/", 2, "unknown term 'nosuch'");
	assert_true(one("uncore_imc_0/large/")->scale == 1);
	mask = xasprintf("%s" FAKE_PMU "uncore_imc_0/cpumask", fake_root);
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		fake_file(FAKE_PMU "uncore_imc_0/cpumask", masks[i]);
		refuse("uncore_imc_0/event=1/", 0, "the CPUs of PMU 'uncore_imc_0' are not known: ");
		refuse("cs/cpu=uncore_imc_0/", 7, "");
		assert_non_null(strstr(error.why, "cpumask: bad list of CPUs '"));
	}
	event_list_release(&list);
	unlink(mask);
	mkdir(mask, 0755);
	refuse("cs,{cs,uncore_imc_0/event=1/}", 7, "the CPUs of PMU 'uncore_imc_0' are not known: ");
	rmdir(mask);
	fake_file(FAKE_PMU "uncore_imc_0/cpumask", "\n");
	assert_int_equal(one("uncore_imc_0/event=1/")->cpus.len, 0);
}

static void without_a_pmu_generic_names_still_parse(void **state)
{
	event_list_release(&list);
	fake_end(state);
	fake_begin(state);
	assert_int_equal(one("cpu/cycles/u")->attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(one("cycles")->attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(one("r1")->attr.type, PERF_TYPE_RAW);
	refuse("cpu/event=1/", 4, "no such PMU here: this machine shows no hardware counters (PMU 'cpu')");
	assert_non_null(strstr(error.fix, "cpu-clock"));
	refuse("cpu/mem-loads/", 4, "no such PMU here");
	refuse("cpu/period=x/", 11, "expected numeric value");
	event_list_release(&list);
	event_list_add_default(&list);
	assert_string_equal(list.events.items[0].name, "cycles:P");
	assert_true(list.events.items[0].is_default);
	assert_int_equal(list.events.items[0].attr.precise_ip, 3);
}

/* sysfs has no such name, but the vendor's manual has. */
static void vendor_names_are_taken(void **state)
{
	const struct event *event;

	need_vendor_events();
	event = one("inst_retired.any_p:u");
	assert_int_equal(event->attr.type, PERF_TYPE_RAW);
	assert_int_equal(event->attr.config, 0xc0);
	assert_string_equal(event->name, "inst_retired.any_p:u");
	assert_true(event->attr.exclude_kernel);
	event = one("cpu/inst_retired.any_p,period=5/");
	assert_int_equal(event->attr.config, 0xc0);
	assert_int_equal(event->attr.sample_period, 5);
	refuse("inst_retired.any_q", 0, "Bad event name");
	assert_non_null(strstr(error.fix, "did you mean inst_retired.any_p?"));
}

static void errors_point_at_their_place(void **state)
{
	event_list_release(&list);
	refuse("", 0, "Unrecognized input");
	refuse(",", 0, "Unrecognized input");
	refuse("foo", 0, "Bad event name");
	refuse("cpu-clock,foo,cs", 10, "Bad event name");
	refuse("cs,,cs", 3, "Unrecognized input");
	refuse("cs,", 3, "Unrecognized input");
	refuse("cs cs", 3, "Unrecognized input");
	refuse("cycles:uu", 8, "Duplicate modifier 'u' (user)");
	refuse("cycles:PP", 8, "Duplicate modifier 'P'");
	refuse("cpu-clock:pppp", 13, "Maximum precise value is 3");
	refuse("cycles:", 7, "expected a modifier");
	refuse("cycles:ux", 8, "Unrecognized modifier");
	refuse("cpu/cycles/ux", 12, "Unrecognized modifier");
	refuse("{cycles", 0, "this '{' is not closed");
	refuse("{}", 1, "Unrecognized input");
	refuse("{cs,{cs}}", 4, "Unrecognized input");
	refuse("cs}", 2, "Unrecognized input");
	refuse("{cs}x", 4, "Unrecognized input");
	refuse("{cs}:", 5, "expected a modifier");
	refuse("{cs,foo}", 4, "Bad event name");
	refuse("nopmu/event=1/", 0, "Bad event or PMU");
	assert_non_null(strstr(error.fix, "the PMUs of this machine are cpu, "));
	refuse("probe:foo", 0, "unknown tracepoint");
	assert_non_null(strstr(error.fix, "define it first: strobe probe foo"));
	refuse("probe:X", 0, "unknown tracepoint"); /* no modifier */
	assert_non_null(strstr(error.fix, "define it first: strobe probe X"));
	refuse("probe_ls:foo", 0, "unknown tracepoint");
	assert_non_null(strstr(error.fix, "define it first: strobe probe -x PROGRAM foo"));
	refuse("sdt_libc:foo", 0, "unknown tracepoint");
	assert_non_null(strstr(error.fix, "strobe buildid-cache -a PROGRAM; strobe probe sdt_libc:foo"));
	refuse("probe*:foo", 0, "unknown tracepoint");
}

static void errors_in_terms_point_at_their_place(void **state)
{
	event_list_release(&list);
	refuse("cpu/event=1", 3, "this '/' is not closed");
	refuse("cpu/foo/", 4, "unknown term 'foo' for pmu 'cpu'");
	assert_non_null(strstr(error.fix, "valid terms: deep,event,inv,ldlat,odd,umask,wide,config,"));
	refuse("cpu/event=1,foo=2/", 12, "unknown term 'foo'");
	refuse("cpu/event=0x1ff/", 10, "value too big for format (event), maximum is 255");
	refuse("cpu/event=x/", 10, "expected numeric value");
	refuse("cpu/odd/", 4, "format 'odd' of PMU 'cpu' is not understood");
	refuse("cpu/param/", 4, "event 'param' needs a value for 'umask'");
	refuse("cpu/broken/", 4, "unknown term 'nosuch'");
	refuse("cpu/mem-loads=1/", 4, "unknown term 'mem-loads'");
	refuse("cpu/=1/", 4, "expected a term");
	refuse("cpu/name/", 4, "'name' needs a value");
	refuse("cpu/name='x/", 9, "the quote is not closed");
	refuse("cpu/inherit=2/", 12, "'inherit' is 0 or 1");
	refuse("cs:W", 3, "Weak modifier is for use with groups");
	refuse("{cs:uW,cs}", 5, "Weak modifier is for use with groups");
	refuse("{cs :u}", 4, "Unrecognized input");
	refuse("cpu/period=18446744073709551615/", 11, "the value is too big");
	refuse("cs/time=2/", 8, "value too big for time, maximum is 1");
	refuse("cs/stack-size=65536/", 14, "value too big for stack-size, maximum is 65528");
	refuse("cpu/cpu=x/", 8, "expected a list of CPUs");
	refuse("cs/event=1/", 3, "unknown term 'event'");
	refuse("cpu-clock/period=x/", 17, "expected numeric value");
	refuse("sched:nope", 0, "unknown tracepoint");
	refuse("sched:", 6, "Unrecognized input");
	refuse("nope:", 0, "Bad event name");
	refuse("nope:*", 0, "unknown tracepoint");
	refuse("1:", 2, "expected numeric value");
	refuse("1:x", 2, "expected numeric value");
	refuse("mem:", 4, "expected an address");
	refuse("mem:x", 4, "expected an address");
	refuse("mem:0:z", 6, "expected an access");
	refuse("mem:0/9", 6, "expected a length");
	refuse("/", 0, "Unrecognized input");
	refuse(":", 0, "Unrecognized input");
}

static void a_failed_parse_appends_nothing(void **state)
{
	parse("cs,faults");
	refuse("{cpu/event=1,cpu=0-7/,cs},foo", 26, "Bad event name");
	assert_int_equal(list.events.len, 2);
}

static void slips_are_guessed(void **state)
{
	refuse("cyclse", 0, "Bad event name");
	assert_non_null(strstr(error.fix, "did you mean cycles?"));
	refuse("sched:sched_swich", 0, "unknown tracepoint");
	assert_non_null(strstr(error.fix, "did you mean sched:sched_switch?"));
	refuse("sched_switch", 0, "Bad event name");
	assert_non_null(strstr(error.fix, "did you mean sched:sched_switch?"));
	refuse("mem-lods", 0, "Bad event name");
	assert_non_null(strstr(error.fix, "did you mean mem-loads?"));
}

static void long_strings_are_cut_around_the_error(void **state)
{
	char text[400];

	memset(text, 0, sizeof(text));
	for (int i = 0; i < 60; i++)
		strcat(text, "cs,");
	strcat(text, "foo,");
	for (int i = 0; i < 20; i++)
		strcat(text, "cs,");
	assert_int_equal(event_list_parse(&list, text, &error), -1);
	assert_true(strlen(error.what) < 90);
	assert_memory_equal(error.what, "event syntax error: '..", 23);
	assert_memory_equal(error.what + strspn(error.why, " "), "foo", 3);
	assert_string_equal(error.what + strlen(error.what) - 3, "..'");
}

/* Hostile or broken input gives an error, no crash, and no excessive memory. */
static void monsters_are_refused(void **state)
{
	static const char *const pieces[] = { "{",  "}", ",", ":", "/",    "a", "cs:",  "cpu/", "cpu/event=1,",
					      "*:", "'", "@", "r", "mem:", "=", "\xff", "\x01" };

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		size_t len = strlen(pieces[i]), n = 60000 / len;
		autofree char *text = xcalloc(n * len + 1, 1);

		for (size_t j = 0; j < n; j++)
			memcpy(text + j * len, pieces[i], len);
		event_list_release(&list);
		assert_int_equal(event_list_parse(&list, text, &error), -1);
		assert_int_equal(error.exit_code, 129);
		assert_true(list.arena.total < 64 << 20);
	}
}

static void filters_go_to_the_last_argument(void **state)
{
	parse("sched:sched_wakeup");
	assert_int_equal(event_list_parse(&list, "sched:sched_switch,syscalls:*", &error), 0);
	assert_int_equal(event_list_filter(&list, "a == 1", &error), 0);
	assert_null(list.events.items[0].filter);
	assert_string_equal(list.events.items[1].filter, "a == 1");
	assert_string_equal(list.events.items[3].filter, "a == 1");
	assert_int_equal(event_list_filter(&list, "b == 2", &error), 0);
	assert_string_equal(list.events.items[2].filter, "(a == 1) && (b == 2)");
	parse("cs");
	assert_int_equal(event_list_filter(&list, "a == 1", &error), -1);
	assert_string_equal(error.what, "--filter option should follow a -e tracepoint or HW tracer option");
	event_list_release(&list);
	assert_int_equal(event_list_filter(&list, "a == 1", &error), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kinds_of_events, begin, end),
		cmocka_unit_test_setup_teardown(modifiers_exclude_the_rest, begin, end),
		cmocka_unit_test_setup_teardown(terms_set_what_they_name, begin, end),
		cmocka_unit_test_setup_teardown(tracepoints_carry_their_period_and_sample, begin, end),
		cmocka_unit_test_setup_teardown(breakpoints, begin, end),
		cmocka_unit_test_setup_teardown(groups_have_a_leader, begin, end),
		cmocka_unit_test_setup_teardown(uncore_pmus_are_found_by_their_kind, begin, end),
		cmocka_unit_test_setup_teardown(hybrid_machines_have_each_event_twice, begin, end),
		cmocka_unit_test_setup_teardown(without_a_pmu_generic_names_still_parse, begin, end),
		cmocka_unit_test_setup_teardown(vendor_names_are_taken, begin, end),
		cmocka_unit_test_setup_teardown(errors_point_at_their_place, begin, end),
		cmocka_unit_test_setup_teardown(errors_in_terms_point_at_their_place, begin, end),
		cmocka_unit_test_setup_teardown(broken_pmu_files_are_reported, begin, end),
		cmocka_unit_test_setup_teardown(a_failed_parse_appends_nothing, begin, end),
		cmocka_unit_test_setup_teardown(slips_are_guessed, begin, end),
		cmocka_unit_test_setup_teardown(long_strings_are_cut_around_the_error, begin, end),
		cmocka_unit_test_setup_teardown(monsters_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(filters_go_to_the_last_argument, begin, end),
	};

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
