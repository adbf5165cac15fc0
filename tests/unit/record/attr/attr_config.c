#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "format/sample.h"
#include "record/attr/attr_config.h"
#include "tests/unit/record/attr/user_regs.h"

#define BASE (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

/* Configure a list for a target; the caller releases it. */
struct fixture {
	struct event_list l;
	struct target t;
	struct record_opts o;
};

static struct fixture own_task(void)
{
	return (struct fixture){ .o = RECORD_DEFAULTS, .t = { .workload = 1, .is_task = true } };
}

static struct fixture whole_system(void)
{
	return (struct fixture){ .o = RECORD_DEFAULTS, .t = { .system_wide = true } };
}

static struct perf_event_attr *configure(struct fixture *f, const char *events)
{
	struct err e = { 0 };

	assert_int_equal(event_list_parse(&f->l, events, &e), 0);
	assert_int_equal(attr_config(&f->l, &f->o, &f->t, false, NULL, &e), 0);
	return &f->l.events.items[0].attr;
}

static struct perf_event_attr *nth(struct fixture *f, size_t n)
{
	assert_true(n < f->l.events.len);
	return &f->l.events.items[n].attr;
}

static void one_event_on_a_command(void **state)
{
	struct fixture f = own_task();
	const struct perf_event_attr *a = configure(&f, "cpu-clock");

	assert_int_equal(f.l.events.len, 1);
	assert_int_equal(a->sample_type, BASE | SAMPLE_PERIOD);
	assert_int_equal(a->read_format, READ_ID | READ_LOST);
	assert_int_equal(a->sample_freq, 4000);
	assert_true(a->freq && a->disabled && a->inherit && a->enable_on_exec && a->sample_id_all);
	assert_true(a->mmap && a->mmap2 && a->comm && a->comm_exec && a->task && a->ksymbol && a->bpf_event);
	assert_false(a->build_id || a->mmap_data || a->exclude_guest);
	event_list_release(&f.l);
}

static void system_wide_adds_a_dummy_for_sideband(void **state)
{
	struct fixture f = whole_system();
	const struct perf_event_attr *a = configure(&f, "cpu-clock"), *dummy = nth(&f, 1);

	assert_int_equal(a->sample_type, BASE | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_IDENTIFIER);
	assert_true(a->disabled && !a->inherit && !a->enable_on_exec && !a->mmap && !a->task);
	assert_int_equal(dummy->sample_type, BASE | SAMPLE_CPU | SAMPLE_IDENTIFIER);
	assert_true(dummy->mmap && dummy->task && !dummy->disabled && dummy->sample_period == 1 && !dummy->freq);
	assert_int_equal(attr_tracking(&f.l), 1);
	event_list_release(&f.l);
}

static void a_dummy_that_was_asked_for_carries_it(void **state)
{
	struct fixture f = whole_system();
	const struct perf_event_attr *a = configure(&f, "dummy,cpu-clock");

	assert_int_equal(f.l.events.len, 2);
	assert_true(a->mmap && !a->disabled);
	event_list_release(&f.l);
}

static void several_events_need_ids(void **state)
{
	struct fixture f = own_task();

	configure(&f, "cpu-clock,page-faults");
	assert_int_equal(nth(&f, 0)->sample_type, BASE | SAMPLE_PERIOD | SAMPLE_ID);
	assert_int_equal(nth(&f, 1)->sample_type, BASE | SAMPLE_PERIOD | SAMPLE_ID);
	assert_true(nth(&f, 1)->disabled && nth(&f, 1)->enable_on_exec && !nth(&f, 1)->mmap);
	event_list_release(&f.l);
}

static void samples_of_several_shapes_need_an_identifier(void **state)
{
	struct fixture f = own_task();

	configure(&f, "cpu-clock/period=1000/,page-faults");
	assert_int_equal(nth(&f, 0)->sample_type, BASE | SAMPLE_IDENTIFIER);
	assert_int_equal(nth(&f, 1)->sample_type, BASE | SAMPLE_PERIOD | SAMPLE_IDENTIFIER);
	assert_int_equal(nth(&f, 0)->sample_period, 1000);
	assert_false(nth(&f, 0)->freq);
	event_list_release(&f.l);
}

static void a_stream_needs_ids_always(void **state)
{
	struct fixture f = own_task();
	struct err e = { 0 };

	assert_int_equal(event_list_parse(&f.l, "cpu-clock", &e), 0);
	assert_int_equal(attr_config(&f.l, &f.o, &f.t, true, NULL, &e), 0);
	assert_int_equal(nth(&f, 0)->sample_type, BASE | SAMPLE_PERIOD | SAMPLE_ID);
	event_list_release(&f.l);
}

static void a_group_starts_and_reads_by_its_leader(void **state)
{
	struct fixture f = own_task();
	const struct perf_event_attr *a = configure(&f, "{cpu-clock,page-faults}:S"), *member = nth(&f, 1);

	assert_int_equal(a->sample_type, BASE | SAMPLE_READ | SAMPLE_PERIOD | SAMPLE_ID);
	assert_int_equal(a->read_format, READ_ID | READ_LOST | READ_GROUP);
	assert_true(a->disabled && a->enable_on_exec && a->freq);
	assert_false(member->disabled || member->enable_on_exec || member->freq);
	assert_int_equal(member->sample_period, 0);
	event_list_release(&f.l);
}

static void period_instead_of_frequency(void **state)
{
	struct fixture f = own_task();
	const struct perf_event_attr *a;

	f.o.period = 10000;
	a = configure(&f, "cpu-clock");
	assert_int_equal(a->sample_period, 10000);
	assert_false(a->freq);
	assert_int_equal(a->sample_type, BASE);
	event_list_release(&f.l);
}

static void chains_by_dwarf(void **state)
{
	struct fixture f = own_task();
	const struct perf_event_attr *a;

	need_user_regs();
	f.o.chain = CHAIN_MODE_DWARF;
	f.o.stack_bytes = 4096;
	a = configure(&f, "cpu-clock");
	assert_int_equal(a->sample_type,
			 BASE | SAMPLE_PERIOD | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER);
	assert_int_equal(a->sample_stack_user, 4096);
	assert_int_equal(a->sample_regs_user, attr_user_regs());
	assert_true(a->exclude_callchain_user && a->mmap_data);
	event_list_release(&f.l);
}

static void an_event_can_want_another_chain(void **state)
{
	struct fixture f = own_task();

	f.o.chain = CHAIN_MODE_FP;
	f.o.chain_depth = 20;
	configure(&f, "cpu-clock,page-faults/call-graph=no/");
	assert_true(nth(&f, 0)->sample_type & SAMPLE_CALLCHAIN);
	assert_int_equal(nth(&f, 0)->sample_max_stack, 20);
	assert_false(nth(&f, 1)->sample_type & SAMPLE_CALLCHAIN);
	event_list_release(&f.l);
}

static void a_delay_keeps_sideband_flowing(void **state)
{
	struct fixture f = own_task();
	const struct perf_event_attr *a, *dummy;

	f.o.delays[0] = (struct delay_span){ .start_ms = 10 };
	f.o.n_delays = 1;
	a = configure(&f, "cpu-clock");
	dummy = nth(&f, 1);
	assert_true(a->disabled && !a->enable_on_exec && !a->mmap);
	assert_true(dummy->disabled && dummy->enable_on_exec && dummy->mmap);
	event_list_release(&f.l);
}

static void a_command_with_a_pid_starts_nothing(void **state)
{
	struct fixture f = own_task();
	const struct perf_event_attr *a;

	f.t.pids = "1";
	a = configure(&f, "cpu-clock");
	assert_true(a->disabled && !a->enable_on_exec && a->inherit);
	event_list_release(&f.l);
}

static void threads_have_no_heirs(void **state)
{
	struct fixture f = own_task();

	f.t.tids = "1";
	assert_false(configure(&f, "cpu-clock")->inherit);
	event_list_release(&f.l);
}

/* Switches that only add bits: to the event, and to the dummy of a system-wide recording. */
static void switches_that_add_bits(void **state)
{
	static const struct {
		size_t option;
		uint64_t event, dummy;
	} rows[] = {
#define AT(member) offsetof(struct record_opts, member)
		{ AT(data), SAMPLE_ADDR | SAMPLE_DATA_SRC, SAMPLE_ADDR | SAMPLE_DATA_SRC },
		{ AT(weight), SAMPLE_WEIGHT_STRUCT, SAMPLE_WEIGHT_STRUCT },
		{ AT(raw), SAMPLE_RAW, 0 },
		{ AT(phys_data), SAMPLE_PHYS_ADDR, SAMPLE_PHYS_ADDR },
		{ AT(cgroups), SAMPLE_CGROUP, SAMPLE_CGROUP },
		{ AT(transaction), SAMPLE_TRANSACTION, SAMPLE_TRANSACTION },
		{ AT(code_page_size), SAMPLE_CODE_PAGE_SIZE, SAMPLE_CODE_PAGE_SIZE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture f = whole_system();

		*(bool *)((char *)&f.o + rows[i].option) = true;
		configure(&f, "cpu-clock");
		assert_int_equal(nth(&f, 0)->sample_type,
				 BASE | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_IDENTIFIER | rows[i].event);
		assert_int_equal(nth(&f, 1)->sample_type, BASE | SAMPLE_CPU | SAMPLE_IDENTIFIER | rows[i].dummy);
		event_list_release(&f.l);
	}
}

static void times_by_another_clock(void **state)
{
	struct fixture f = own_task();
	const struct perf_event_attr *a;

	f.o.use_clockid = true;
	f.o.clockid = CLOCK_MONOTONIC;
	a = configure(&f, "cpu-clock");
	assert_true(a->use_clockid);
	assert_int_equal(a->clockid, CLOCK_MONOTONIC);
	event_list_release(&f.l);
}

static void stored_attrs_hold_the_flags(void **state)
{
	struct fixture f = own_task();
	struct attr a;

	configure(&f, "cpu-clock:u");
	attr_of_event(&a, &f.l.events.items[0]);
	assert_int_equal(
		a.flags & (ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_MMAP2 | ATTR_EXCLUDE_USER),
		ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_MMAP2);
	assert_int_equal(a.sample_period, 4000);
	event_list_release(&f.l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_event_on_a_command),
		cmocka_unit_test(system_wide_adds_a_dummy_for_sideband),
		cmocka_unit_test(a_dummy_that_was_asked_for_carries_it),
		cmocka_unit_test(several_events_need_ids),
		cmocka_unit_test(samples_of_several_shapes_need_an_identifier),
		cmocka_unit_test(a_stream_needs_ids_always),
		cmocka_unit_test(a_group_starts_and_reads_by_its_leader),
		cmocka_unit_test(period_instead_of_frequency),
		cmocka_unit_test(chains_by_dwarf),
		cmocka_unit_test(an_event_can_want_another_chain),
		cmocka_unit_test(a_delay_keeps_sideband_flowing),
		cmocka_unit_test(a_command_with_a_pid_starts_nothing),
		cmocka_unit_test(threads_have_no_heirs),
		cmocka_unit_test(switches_that_add_bits),
		cmocka_unit_test(times_by_another_clock),
		cmocka_unit_test(stored_attrs_hold_the_flags),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
