#include "report/presets/presets.h"
#include "report/waits/kvm_names.h"
#include "tests/lib/traced.h"

/* All times follow from the events: the host works from an exit, or an access, to the next entry of the thread. */
enum { ENTRY, EXIT, MMIO, PIO, MSR, EVENTS };
static const struct traced_event events[EVENTS] = {
	[ENTRY] = { "kvm:kvm_entry", { "vcpu_id" } },   [EXIT] = { "kvm:kvm_exit", { "exit_reason", "isa" } },
	[MMIO] = { "kvm:kvm_mmio", { "type", "gpa" } }, [PIO] = { "kvm:kvm_pio", { "rw", "port" } },
	[MSR] = { "kvm:kvm_msr", { "write", "ecx" } },
};
#define BY(thread, us) .pid = 50, .tid = (thread), .time = (us)*1000ull
/* Source of the numbers: asm/vmx.h. */
#define CPUID          "isa=1 exit_reason=10"
#define HLT            "isa=1 exit_reason=12"

static const struct kvm_opts usual = { .vcpu = -1 };

static struct traced start(void)
{
	struct traced t = traced_start(events, EVENTS);

	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 1));
	traced_add(&t, ENTRY, "vcpu_id=1", BY(51, 1));
	return t;
}

static char *text_of(struct traced *t, const struct kvm_opts *opts)
{
	struct live *l = traced_open(t);
	struct err e = { 0 };
	struct out o;
	char *text;

	out_init_mem(&o);
	if (kvm_stat(l, opts ? opts : &usual, &o, &e) < 0)
		text = xasprintf("error: %s, try: %s", e.what, e.fix);
	else
		text = xstrdup(out_text(&o));
	out_release(&o);
	live_close(l);
	traced_release(t);
	return text;
}

/* Compare the rows and the sums, each run of blanks as one. */
static void check(struct traced *t, const struct kvm_opts *opts, const char *want)
{
	autofree char *text = text_of(t, opts);
	const char *at = strstr(text, "Avg time \n\n");
	struct out o;

	assert_non_null(at);
	out_init_mem(&o);
	for (at += 11; *at; at++)
		if (*at != ' ' || !strchr(" \n", at[-1]))
			out_char(&o, *at);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
}

#define TOTAL(n, us) "\nTotal Samples:" #n ", Total events handled time:" us "us.\n\n"

/* ---- exits ---- */

/* CPUID takes 2 and 4 us, HLT takes 10 us. */
static struct traced exits(void)
{
	struct traced t = start();

	traced_add(&t, EXIT, CPUID, BY(50, 10));
	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 12));
	traced_add(&t, EXIT, HLT, BY(51, 13));
	traced_add(&t, EXIT, CPUID, BY(50, 14));
	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 18));
	traced_add(&t, ENTRY, "vcpu_id=1", BY(51, 23));
	return t;
}

/* The error of the mean of 2 and 4 is 1, a third of the mean 3. */
static void exits_last_until_the_next_entry(void **state)
{
	struct kvm_opts opts = usual;
	struct traced t = exits();

	check(&t, NULL,
	      "CPUID 2 66.67% 37.50% 2.00us 4.00us 3.00us ( +- 33.33% )\n"
	      "HLT 1 33.33% 62.50% 10.00us 10.00us 10.00us ( +- 0.00% )\n" TOTAL(3, "16.00"));
	opts.by_time = true;
	t = exits();
	check(&t, &opts,
	      "HLT 1 33.33% 62.50% 10.00us 10.00us 10.00us ( +- 0.00% )\n"
	      "CPUID 2 66.67% 37.50% 2.00us 4.00us 3.00us ( +- 33.33% )\n" TOTAL(3, "16.00"));
	opts.vcpu = 1;
	t = exits();
	check(&t, &opts, "HLT 1 100.00% 100.00% 10.00us 10.00us 10.00us ( +- 0.00% )\n" TOTAL(1, "10.00"));
	opts.vcpu = 2;
	t = exits();
	check(&t, &opts, TOTAL(0, "0.00"));
}

/* 1, 2 and 6: the squared distances from 3 are 4, 1 and 9; sqrt(14 / 2 / 3) / 3 is 0.5092. */
static void the_error_of_the_mean(void **state)
{
	static const unsigned us[] = { 1, 2, 6 };
	struct traced t = start();

	for (unsigned i = 0; i < 3; i++) {
		traced_add(&t, EXIT, CPUID, BY(50, 10 * (i + 1)));
		traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 10 * (i + 1) + us[i]));
	}
	check(&t, NULL, "CPUID 3 100.00% 100.00% 1.00us 6.00us 3.00us ( +- 50.92% )\n" TOTAL(3, "9.00"));
}

static void the_table_is_that_of_perf(void **state)
{
	const struct kvm_opts opts = { .vcpu = 1, .vm = "50,60" };
	struct traced t = exits();
	autofree char *text = text_of(&t, &opts), *all = NULL;

	assert_string_equal(text,
			    "\n\nAnalyze events for pid(s) 50,60, VCPU 1:\n\n"
			    "             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         "
			    "Avg time \n\n"
			    "                 HLT          1   100.00%   100.00%     10.00us     10.00us     10.00us "
			    "( +-   0.00% )\n\n"
			    "Total Samples:1, Total events handled time:10.00us.\n\n");
	t = exits();
	all = text_of(&t, NULL);
	assert_ptr_equal(strstr(all, "\n\nAnalyze events for all VMs, all VCPUs:\n\n"), all);
}

/* An exit of a thread that has not entered yet, an exit or an entry without the other: none of them is counted. */
static void missing_events_leave_nothing(void **state)
{
	struct traced t = start();

	traced_add(&t, EXIT, CPUID, BY(52, 2));
	traced_add(&t, ENTRY, "vcpu_id=2", BY(52, 3));
	traced_add(&t, ENTRY, "vcpu_id=2", BY(52, 5));
	traced_add(&t, EXIT, HLT, BY(50, 10)); /* the entry was lost */
	traced_add(&t, EXIT, CPUID, BY(50, 20));
	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 21));
	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 22));
	traced_add(&t, EXIT, CPUID, BY(50, 30)); /* never enters */
	check(&t, NULL, "CPUID 1 100.00% 100.00% 1.00us 1.00us 1.00us ( +- 0.00% )\n" TOTAL(1, "1.00"));
	t = start();
	traced_add(&t, EXIT, CPUID, BY(50, 30));
	check(&t, NULL, TOTAL(0, "0.00"));
}

/* An idle guest waits for long: that is not slow. */
static void slow_events_have_a_line(void **state)
{
	const struct kvm_opts opts = { .vcpu = -1, .slow_ns = 4000 };
	struct traced t = exits();
	autofree char *text = text_of(&t, &opts);

	assert_ptr_equal(strstr(text, "0.000018 VM 50, vcpu 0: CPUID event took 4usec\n\n\nAnalyze"), text);
}

/* Equal rows are in the order of their numbers. Source: asm/vmx.h, asm/svm.h; kvm_arm.h and esr.h of arm64. */
static void reasons_have_names(void **state)
{
	static const struct {
		uint32_t isa, number;
		const char *name;
		bool halt;
	} cases[] = {
		{ KVM_VMX, 0, "EXCEPTION_NMI" },
		{ KVM_VMX, 10, "CPUID" },
		{ KVM_VMX, 12, "HLT", true },
		{ KVM_VMX, 5, "UNKNOWN" },
		{ KVM_VMX, UINT32_MAX, "UNKNOWN" },
		{ KVM_SVM, 0x72, "cpuid" },
		{ KVM_SVM, 0x78, "hlt", true },
		{ KVM_ARM64, 0, "IRQ" },
		{ KVM_ARM64_TRAP, 0x24, "DABT_LOW" },
		{ KVM_ARM64_TRAP, 1, "WFx", true },
		{ 0, 10, "UNKNOWN" },
		{ 99, 10, "UNKNOWN" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(kvm_reason_name(cases[i].isa, cases[i].number), cases[i].name);
		assert_int_equal(kvm_is_halt(cases[i].name), cases[i].halt);
	}
}

/* On arm64 an exit has no reason but a result, and traps have a class. */
static void exits_of_arm64(void **state)
{
	static const struct traced_event arm[] = { { "kvm:kvm_entry", { "vcpu_pc" } },
						   { "kvm:kvm_exit", { "ret", "esr_ec" } } };
	static const char *const values[] = { "ret=2 esr_ec=36", "ret=2 esr_ec=1", "ret=0 esr_ec=36",
					      "ret=2 esr_ec=36" };
	struct traced t = traced_start(arm, 2);

	traced_add(&t, ENTRY, "", BY(7, 1));
	for (unsigned i = 0; i < 4; i++) {
		traced_add(&t, EXIT, values[i], BY(7, 10 * (i + 1)));
		traced_add(&t, ENTRY, "", BY(7, 10 * (i + 1) + 1));
	}
	check(&t, NULL,
	      "DABT_LOW 2 50.00% 50.00% 1.00us 1.00us 1.00us ( +- 0.00% )\n"
	      "IRQ 1 25.00% 25.00% 1.00us 1.00us 1.00us ( +- 0.00% )\n"
	      "WFx 1 25.00% 25.00% 1.00us 1.00us 1.00us ( +- 0.00% )\n" TOTAL(4, "4.00"));
}

/* ---- accesses ---- */

/* Type 0 is a read that the host cannot satisfy: KVM_TRACE_MMIO_READ_UNSATISFIED in trace/events/kvm.h. */
static void memory_is_read_from_the_exit_and_written_to_the_entry(void **state)
{
	struct kvm_opts opts = { .event = KVM_MMIO, .vcpu = -1 };
	struct traced t = start();

	traced_add(&t, EXIT, CPUID, BY(50, 10));
	traced_add(&t, MMIO, "type=1 gpa=0xfee00010", BY(50, 12)); /* 2 us */
	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 20));
	traced_add(&t, EXIT, CPUID, BY(50, 30));
	traced_add(&t, MMIO, "type=2 gpa=0xfee00010", BY(50, 32)); /* 6 us */
	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 38));
	traced_add(&t, EXIT, CPUID, BY(50, 40)); /* no access */
	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 48));
	traced_add(&t, MMIO, "type=1 gpa=0x77", BY(50, 49)); /* no exit */
	traced_add(&t, EXIT, CPUID, BY(50, 50));
	traced_add(&t, MMIO, "type=0 gpa=0xfee00010", BY(50, 51));
	traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 52));
	traced_add(&t, EXIT, CPUID, BY(50, 60));
	traced_add(&t, MMIO, "type=0 gpa=0xfee00010", BY(50, 61));
	traced_add(&t, MMIO, "type=1 gpa=0xfee00010", BY(50, 62)); /* 2 us */
	traced_add(&t, MMIO, "type=2 gpa=0xfee00010", BY(50, 70)); /* 6 us, though the entry was lost */
	traced_add(&t, MMIO, "type=1 gpa=0xfee00010", BY(50, 76));
	check(&t, &opts,
	      "0xfee00010:R 2 50.00% 25.00% 2.00us 2.00us 2.00us ( +- 0.00% )\n"
	      "0xfee00010:W 2 50.00% 75.00% 6.00us 6.00us 6.00us ( +- 0.00% )\n" TOTAL(4, "16.00"));
}

static void ports_and_registers_last_until_the_entry(void **state)
{
	static const struct {
		enum kvm_event kind;
		size_t event;
		const char *in, *out, *in_name, *out_name, *title;
	} cases[] = {
		{ KVM_IOPORT, PIO, "rw=0 port=0x3f8", "rw=1 port=0x3f8", "0x3f8:PIN", "0x3f8:POUT", "IO Port Access" },
		{ KVM_MSR, MSR, "write=0 ecx=0x10", "write=1 ecx=0x10", "0x10:R", "0x10:W", "MSR Access" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kvm_opts opts = { .event = cases[i].kind, .vcpu = -1 };
		autofree char *want =
			xasprintf("%s 2 66.67%% 57.14%% 1.00us 3.00us 2.00us ( +- 50.00%% )\n"
				  "%s 1 33.33%% 42.86%% 3.00us 3.00us 3.00us ( +- 0.00%% )\n" TOTAL(3, "7.00"),
				  cases[i].out_name, cases[i].in_name);
		autofree char *text = NULL;

		for (int twice = 0; twice < 2; twice++) {
			struct traced t = start();

			traced_add(&t, EXIT, CPUID, BY(50, 9));
			traced_add(&t, cases[i].event, cases[i].out, BY(50, 10));
			traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 11));
			traced_add(&t, cases[i].event, cases[i].in, BY(50, 20));
			traced_add(&t, ENTRY, "vcpu_id=0", BY(50, 23));
			traced_add(&t, cases[i].event, cases[i].out, BY(51, 20));
			traced_add(&t, ENTRY, "vcpu_id=1", BY(51, 23));
			if (twice)
				text = text_of(&t, &opts);
			else
				check(&t, &opts, want);
		}
		assert_non_null(strstr(text, cases[i].title));
	}
}

/* ---- input ---- */

static void hostile_numbers(void **state)
{
	struct kvm_opts opts = { .event = KVM_MMIO, .vcpu = 0, .slow_ns = 1 };
	struct traced t = start();

	traced_add(&t, ENTRY, "vcpu_id=-1", .pid = -1, .tid = -1, .time = 2000);
	traced_add(&t, MMIO, "type=2 gpa=-1", .pid = -1, .tid = -1, .time = 3000);
	traced_add(&t, ENTRY, "vcpu_id=-1", .pid = -1, .tid = -1, .time = 9000000000000003000);
	check(&t, &opts, TOTAL(0, "0.00")); /* that number is not 0 */
	opts.vcpu = -1;
	opts.slow_ns = 0;
	t = start();
	traced_add(&t, ENTRY, "vcpu_id=-1", .pid = -1, .tid = -1, .time = 2000);
	traced_add(&t, MMIO, "type=2 gpa=-1", .pid = -1, .tid = -1, .time = 3000);
	traced_add(&t, ENTRY, "vcpu_id=-1", .pid = -1, .tid = -1, .time = 9000000000000003000);
	check(&t, &opts,
	      "0xffffffffffffffff:W 1 100.00% 100.00% 9000000000000000.00us 9000000000000000.00us "
	      "9000000000000000.00us ( +- 0.00% )\n" TOTAL(1, "9000000000000000.00"));
}

/* A live table may be empty: no guest runs yet. Each one begins with the time. */
static void only_live_tables_may_be_empty(void **state)
{
	static const struct traced_event others[] = { { "sched:sched_wakeup", { "pid" } } };
	const struct kvm_opts live = { .vcpu = -1, .live = true };

	for (int is_live = 0; is_live < 2; is_live++) {
		struct traced t = traced_start(others, 1);
		autofree char *text = NULL;

		traced_add(&t, 0, "pid=1", BY(50, 1));
		text = text_of(&t, is_live ? &live : NULL);
		if (is_live) {
			assert_int_equal(strspn(text, "0123456789:."), strlen("12:34:56.789012"));
			assert_non_null(strstr(text, "Total Samples:0,"));
		} else if (strncmp(text, "error: ", 7) || !strstr(text, "has no events of KVM guests") ||
			   !strstr(text, "kvm stat record")) {
			fail_msg("%s", text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits_last_until_the_next_entry),
		cmocka_unit_test(the_error_of_the_mean),
		cmocka_unit_test(the_table_is_that_of_perf),
		cmocka_unit_test(missing_events_leave_nothing),
		cmocka_unit_test(slow_events_have_a_line),
		cmocka_unit_test(reasons_have_names),
		cmocka_unit_test(exits_of_arm64),
		cmocka_unit_test(memory_is_read_from_the_exit_and_written_to_the_entry),
		cmocka_unit_test(ports_and_registers_last_until_the_entry),
		cmocka_unit_test(hostile_numbers),
		cmocka_unit_test(only_live_tables_may_be_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
