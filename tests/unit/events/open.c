#include <sys/resource.h>

#include "tests/unit/events/fake.h"
#include <cmocka.h>

static struct event_list list;
static struct target target;
static struct open_notes notes;
static struct open_opts opts;
static struct err error;

static int begin(void **state)
{
	target = (struct target){ .workload = 500 };
	opts = (struct open_opts){ 0 };
	fake_judge = NULL;
	n_fake_calls = 0;
	return fake_begin(state);
}

static int end(void **state)
{
	event_list_release(&list);
	target_release(&target);
	vec_free(&notes.texts);
	return fake_end(state);
}

/* Make an empty list and drop the notes, which are in the old list's arena. */
static void renew(void)
{
	vec_clear(&notes.texts);
	event_list_release(&list);
}

/* Parse, and set attrs as record does. */
static void parse(const char *text)
{
	assert_int_equal(event_list_parse(&list, text, &error), 0);
	for (size_t i = 0; i < list.events.len; i++) {
		struct perf_event_attr *attr = &list.events.items[i].attr;

		attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID;
		attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
		attr->inherit = attr->sample_id_all = 1;
		attr->disabled = attr->enable_on_exec = list.events.items[i].leader == i;
		attr->mmap = attr->mmap2 = attr->comm = attr->task = i == 0;
		if (!attr->sample_period) {
			attr->freq = 1;
			attr->sample_freq = 4000;
		}
	}
}

static int open_list(void)
{
	if (!target.cpu_list.len)
		assert_int_equal(target_resolve(&target, &error), 0);
	return event_list_open(&list, &target, &opts, &notes, &error);
}

static bool noted(const char *text)
{
	for (size_t i = 0; i < notes.texts.len; i++)
		if (strstr(notes.texts.items[i], text))
			return true;
	return false;
}

static void events_are_opened_per_cpu_and_thread(void **state)
{
	const struct event *event;

	target = (struct target){ 0 };
	vec_push(&target.threads, 7);
	vec_push(&target.threads, 8);
	cpuset_add(&target.cpu_list, 0);
	cpuset_add(&target.cpu_list, 1);
	target.is_task = true;
	parse("{cs,faults}");
	assert_int_equal(open_list(), 0);
	event = &list.events.items[1];
	assert_int_equal(event->n_cpus, 2);
	assert_int_equal(event->n_threads, 2);
	assert_int_equal(n_fake_calls, 8);
	assert_int_equal(fake_calls[1].pid, 8);
	assert_int_equal(fake_calls[2].cpu, 1);
	assert_int_equal(fake_calls[0].group_fd, -1);
	for (size_t c = 0; c < 2; c++)
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(fake_calls[4 + c * 2 + i].group_fd, event_fd(&list.events.items[0], c, i));
	for (size_t i = 0; i < n_fake_calls; i++) {
		assert_int_equal(fake_calls[i].flags, PERF_FLAG_FD_CLOEXEC);
		assert_int_equal(fcntl(fake_calls[i].fd, F_GETFD), FD_CLOEXEC);
	}
	event_list_close(&list);
	assert_int_equal(fcntl(fake_calls[0].fd, F_GETFD), -1);
}

/* Open this event, or the default one (NULL), and compare its name. */
static void opens_as(const char *text, const char *name)
{
	renew();
	if (text)
		parse(text);
	else
		event_list_add_default(&list);
	assert_int_equal(open_list(), 0);
	assert_string_equal(list.events.items[0].name, name);
}

static int no_hardware(const struct fake_call *call) { return call->attr.type == PERF_TYPE_SOFTWARE ? 0 : ENOENT; }

static void cycles_become_a_clock(void **state)
{
	static const struct {
		const char *text, *name;
		unsigned precise;
	} cases[] = {
		{ NULL, "task-clock:ppp", 3 },
		{ "cycles", "task-clock", 0 },
		{ "cycles:k", "task-clock:k", 0 },
		{ "cpu-cycles:pp", "task-clock:pp", 2 },
		{ "cycles/period=1000/u", "task-clock:u", 0 },
		{ "cpu/cycles/u", "task-clock:u", 0 },
	};

	fake_judge = no_hardware;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		opens_as(cases[i].text, cases[i].name);
		assert_int_equal(list.events.items[0].attr.type, PERF_TYPE_SOFTWARE);
		assert_int_equal(list.events.items[0].attr.config, PERF_COUNT_SW_TASK_CLOCK);
		assert_int_equal(list.events.items[0].attr.precise_ip, cases[i].precise);
		assert_true(noted("sampling by task-clock instead"));
		assert_int_equal(notes.texts.len, 1);
	}
	renew();
	target_release(&target);
	target = (struct target){ .system_wide = true };
	event_list_add_default(&list);
	assert_int_equal(open_list(), 0);
	assert_string_equal(list.events.items[0].name, "cpu-clock:ppp");
	opts.no_fallback = true;
	renew();
	parse("cycles");
	assert_int_equal(open_list(), -1);
	assert_int_equal(error.sys, ENOENT);
}

static int user_space_only(const struct fake_call *call)
{
	return !call->attr.exclude_kernel || call->pid == -1 ? EACCES : no_hardware(call);
}

static void kernel_is_left_out_where_the_level_demands_it(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{ NULL, "task-clock:uppp" },
		{ "cs", "cs:u" },
		{ "cs:H", "cs:Hu" },
		{ "cpu-clock/period=5/", "cpu-clock/period=5/u" },
		{ "cycles:pp", "task-clock:ppu" },
		{ "{cycles,cs}:S", "task-clock:u" },
		{ "cs:u", "cs:u" },
	};

	fake_judge = user_space_only;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		opens_as(cases[i].text, cases[i].name);
		assert_true(list.events.items[0].attr.exclude_kernel && list.events.items[0].attr.exclude_hv);
	}
	renew();
	parse("cs:k");
	assert_int_equal(open_list(), -1);
	assert_string_equal(error.what, "cannot open event 'cs:k': kernel profiling is not allowed for this user");
	assert_string_equal(error.why, "perf_event_paranoid is 2, which leaves user space only");
	assert_memory_equal(error.fix, "-e cs:u, or as root: setcap ", 28);
	assert_non_null(strstr(error.fix, ", or: sysctl kernel.perf_event_paranoid=1"));
	assert_int_equal(list.events.items[0].n_cpus, 0);
}

/* A kernel like 3.10, without these features. */
static int old_kernel(const struct fake_call *call)
{
	const struct perf_event_attr *attr = &call->attr;

	if (attr->read_format & PERF_FORMAT_LOST || attr->ksymbol || attr->bpf_event || attr->build_id || attr->mmap2 ||
	    attr->comm_exec || attr->use_clockid || attr->sample_type >= PERF_SAMPLE_WEIGHT_STRUCT || attr->cgroup ||
	    call->flags & PERF_FLAG_FD_CLOEXEC)
		return EINVAL;
	if (attr->inherit && attr->sample_type & PERF_SAMPLE_READ)
		return EINVAL;
	return 0;
}

static void features_of_newer_kernels_are_given_up(void **state)
{
	struct perf_event_attr *attr;

	fake_judge = old_kernel;
	parse("cs");
	attr = &list.events.items[0].attr;
	attr->ksymbol = attr->bpf_event = attr->build_id = attr->comm_exec = attr->cgroup = 1;
	attr->sample_type |= PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_CGROUP | PERF_SAMPLE_READ;
	assert_int_equal(open_list(), 0);
	assert_false(attr->ksymbol || attr->bpf_event || attr->build_id || attr->comm_exec || attr->cgroup ||
		     attr->mmap2 || attr->inherit);
	assert_int_equal(attr->read_format, PERF_FORMAT_ID);
	assert_int_equal(attr->sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_READ);
	assert_true(attr->sample_id_all && attr->mmap && attr->comm && attr->task);
	/* noted, newest first */
	assert_true(notes.texts.len >= 3);
	assert_string_equal(notes.texts.items[0], "this kernel does not know inherited group reads: recorded without");
	assert_string_equal(notes.texts.items[1], "this kernel does not know counts of lost samples: recorded without");
	assert_string_equal(notes.texts.items[2],
			    "this kernel does not know build-ids in mmap records: recorded without");
	assert_int_equal(fcntl(event_fd(&list.events.items[0], 0, 0), F_GETFD), FD_CLOEXEC);
}

static void requested_features_are_not_dropped(void **state)
{
	fake_judge = old_kernel;
	parse("cs");
	list.events.items[0].attr.use_clockid = 1;
	assert_int_equal(open_list(), -1);
	assert_string_equal(error.what, "cannot open event 'cs': this kernel does not know --clockid");
}

static int only_two_precise(const struct fake_call *call) { return call->attr.precise_ip > 2 ? EOPNOTSUPP : 0; }

static void precision_is_lowered_only_for_P(void **state)
{
	fake_judge = only_two_precise;
	parse("instructions:P");
	assert_int_equal(open_list(), 0);
	assert_int_equal(list.events.items[0].attr.precise_ip, 2);
	renew();
	parse("instructions:ppp");
	assert_int_equal(open_list(), -1);
	assert_non_null(strstr(error.what, "precise"));
	assert_string_equal(error.fix, "-e instructions without the modifier p");
}

static int eighth_is_gone(const struct fake_call *call) { return call->pid == 8 ? ESRCH : 0; }

static void ended_threads_are_skipped(void **state)
{
	fake_judge = eighth_is_gone;
	target = (struct target){ .is_task = true };
	vec_push(&target.threads, 7);
	vec_push(&target.threads, 8);
	cpuset_add(&target.cpu_list, 0);
	parse("cs,faults");
	assert_int_equal(open_list(), 0);
	assert_int_equal(n_fake_calls, 3);
	assert_int_equal(event_fd(&list.events.items[0], 0, 1), -1);
	assert_true(event_fd(&list.events.items[1], 0, 0) >= 0);
	assert_true(noted("Ignored open failure for pid 8"));
	renew();
	target.threads.items[0] = 8;
	target.threads.len = 1;
	parse("cs");
	assert_int_equal(open_list(), -1);
	assert_string_equal(error.what, "cannot open event 'cs': process 8 has ended");
}

static int full_pmu(const struct fake_call *call)
{
	return call->group_fd >= 0 && call->attr.config == PERF_COUNT_SW_PAGE_FAULTS ? EINVAL : 0;
}

static void weak_groups_dissolve(void **state)
{
	fake_judge = full_pmu;
	parse("cpu-clock,{cs,faults,migrations}:W");
	assert_int_equal(open_list(), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(list.events.items[i].leader, i);
		assert_int_equal(list.events.items[i].n_members, 1);
		assert_true(event_fd(&list.events.items[i], 1, 0) >= 0);
		assert_true(list.events.items[i].attr.disabled);
	}
	renew();
	parse("{cs,faults}");
	assert_int_equal(open_list(), -1);
	assert_non_null(strstr(error.fix, "modifier W"));
}

static void unsupported_events_are_left_out_on_demand(void **state)
{
	const struct event *events;

	fake_judge = no_hardware;
	opts.keep_going = true;
	parse("{instructions,cs,faults}:S,branches");
	assert_int_equal(open_list(), 0);
	events = list.events.items;
	assert_true(events[0].open_failed && events[3].open_failed);
	assert_int_equal(event_fd(&events[0], 0, 0), -1);
	assert_int_equal(events[0].n_cpus, 0);
	assert_int_equal(events[1].leader, 1);
	assert_int_equal(events[1].n_members, 2);
	assert_int_equal(events[2].leader, 1);
	/* One event must record the mmaps and start at exec. */
	assert_true(events[1].attr.mmap && events[1].attr.comm && events[1].attr.disabled &&
		    events[1].attr.enable_on_exec);
	assert_true(noted("'instructions'"));
	event_list_drop_failed(&list);
	assert_int_equal(list.events.len, 2);
	assert_string_equal(list.events.items[0].name, "cs");
	assert_int_equal(list.events.items[1].leader, 0);
	renew();
	parse("instructions");
	event_list_add_dummy(&list);
	assert_int_equal(open_list(), -1);
	assert_non_null(strstr(error.what, "'instructions': the event is not supported"));
}

static struct rlimit before;
static int few_descriptors(const struct fake_call *call)
{
	struct rlimit now;

	getrlimit(RLIMIT_NOFILE, &now);
	return now.rlim_cur > before.rlim_cur ? 0 : EMFILE;
}

static void the_descriptor_limit_is_raised(void **state)
{
	struct rlimit low;

	getrlimit(RLIMIT_NOFILE, &before);
	low = before;
	low.rlim_cur = MIN(64u, before.rlim_max - 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	before = low;
	fake_judge = few_descriptors;
	parse("cs");
	assert_int_equal(open_list(), 0);
	assert_int_equal(n_fake_calls, 3);
}

static void masks_of_a_pmu_limit_its_cpus(void **state)
{
	fake_pmus();
	target = (struct target){ .system_wide = true };
	parse("uncore_imc_0/event=1/");
	assert_int_equal(open_list(), 0);
	assert_int_equal(n_fake_calls, 1);
	assert_int_equal(fake_calls[0].cpu, 0);
	assert_int_equal(event_fd(&list.events.items[0], 1, 0), -1);
	target_release(&target);
	target = (struct target){ .cpus = "1" };
	event_list_close(&list);
	assert_int_equal(open_list(), -1);
	assert_string_equal(error.what, "cannot open event 'uncore_imc_0/event=1/': it cannot be measured on CPU 1");
}

static void system_wide_events_go_with_tasks(void **state)
{
	uint32_t dummy;

	parse("cs");
	dummy = event_list_add_dummy(&list);
	list.events.items[dummy].system_wide = true;
	target.per_thread = true;
	assert_int_equal(open_list(), 0);
	assert_int_equal(list.events.items[0].n_cpus, 1);
	assert_int_equal(fake_calls[0].cpu, -1);
	assert_int_equal(list.events.items[dummy].n_cpus, 2);
	assert_int_equal(list.events.items[dummy].n_threads, 1);
	assert_int_equal(fake_calls[1].pid, -1);
	assert_int_equal(fake_calls[2].cpu, 1);
}

static void tool_events_are_only_counted(void **state)
{
	parse("duration_time");
	assert_int_equal(open_list(), -1);
	assert_string_equal(error.fix, "strobe stat -e duration_time");
	opts.counting = true;
	assert_int_equal(open_list(), 0);
	assert_int_equal(n_fake_calls, 0);
}

static void newer_config_words_reach_the_kernel(void **state)
{
	struct event event = { .config3 = 3 };
	uint8_t bytes[ATTR_BYTES_MAX];
	uint64_t word;

	assert_int_equal(event_attr_bytes(&event, bytes), 136);
	memcpy(&word, bytes + 128, 8);
	assert_int_equal(word, 3);
	event.config4 = 4;
	assert_int_equal(event_attr_bytes(&event, bytes), 144);
	assert_int_equal(((struct perf_event_attr *)bytes)->size, 144);
}

/*
 * Uncore PMUs count per package: open only on the CPU in their mask, with one group per instance.
 */
static void pmus_are_opened_on_their_cpus(void **state)
{
	target = (struct target){ .system_wide = true };
	fake_pmus();
	parse("{imc/event=1/,imc/event=2/}");
	assert_int_equal(target_resolve(&target, &error), 0);
	assert_int_equal(event_list_open(&list, &target, &opts, &notes, &error), 0);
	assert_int_equal(n_fake_calls, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(fake_calls[i].cpu, 0);
		assert_int_equal(fake_calls[i].attr.type, i < 2 ? 20 : 21);
		assert_int_equal(fake_calls[i].group_fd, i % 2 ? fake_calls[i - 1].fd : -1);
	}
}

static void each_kind_of_core_gets_its_own(void **state)
{
	target = (struct target){ .system_wide = true };
	fake_hybrid();
	parse("{cycles,instructions}");
	assert_int_equal(target_resolve(&target, &error), 0);
	assert_int_equal(event_list_open(&list, &target, &opts, &notes, &error), 0);
	assert_int_equal(n_fake_calls, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(fake_calls[i].cpu, i < 2 ? 1 : 0); /* cpu_atom first, by name */
		assert_int_equal(fake_calls[i].attr.config >> 32, i < 2 ? 10 : 4);
		assert_int_equal(fake_calls[i].group_fd, i % 2 ? fake_calls[i - 1].fd : -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_are_opened_per_cpu_and_thread, begin, end),
		cmocka_unit_test_setup_teardown(cycles_become_a_clock, begin, end),
		cmocka_unit_test_setup_teardown(kernel_is_left_out_where_the_level_demands_it, begin, end),
		cmocka_unit_test_setup_teardown(features_of_newer_kernels_are_given_up, begin, end),
		cmocka_unit_test_setup_teardown(requested_features_are_not_dropped, begin, end),
		cmocka_unit_test_setup_teardown(precision_is_lowered_only_for_P, begin, end),
		cmocka_unit_test_setup_teardown(ended_threads_are_skipped, begin, end),
		cmocka_unit_test_setup_teardown(weak_groups_dissolve, begin, end),
		cmocka_unit_test_setup_teardown(unsupported_events_are_left_out_on_demand, begin, end),
		cmocka_unit_test_setup_teardown(the_descriptor_limit_is_raised, begin, end),
		cmocka_unit_test_setup_teardown(masks_of_a_pmu_limit_its_cpus, begin, end),
		cmocka_unit_test_setup_teardown(system_wide_events_go_with_tasks, begin, end),
		cmocka_unit_test_setup_teardown(tool_events_are_only_counted, begin, end),
		cmocka_unit_test_setup_teardown(newer_config_words_reach_the_kernel, begin, end),
		cmocka_unit_test_setup_teardown(pmus_are_opened_on_their_cpus, begin, end),
		cmocka_unit_test_setup_teardown(each_kind_of_core_gets_its_own, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
