#include "format/attr.h"
#include "format/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check(void (*print)(const struct attr *a, struct out *o), struct attr a, const char *expected)
{
	struct out o;

	out_init_mem(&o);
	print(&a, &o);
	assert_string_equal(out_text(&o), expected);
	out_release(&o);
}

/* perf 7.2 printed all expected texts of this file, for files with these attrs. */
static void events_are_named_by_type_and_config(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *name;
	} names[] = {
		{ 0, 0, "cycles" },
		{ 0, 4, "branches" },
		{ 0, 9, "ref-cycles" },
		{ 0, 10, "unknown-hardware" },
		{ 0, 0x400000001, "cpu/instructions/" },
		{ 1, 0, "cpu-clock" },
		{ 1, 9, "dummy" },
		{ 1, 12, "unknown-software" },
		{ 1, 0x100000001, "unknown-software" },
		{ 3, 0, "L1-dcache-loads" },
		{ 3, 0x10000, "L1-dcache-load-misses" },
		{ 3, 0x10201, "L1-icache-prefetch-misses" },
		{ 3, 0x101, "invalid-cache" },
		{ 3, 0x102, "LLC-stores" },
		{ 3, 0x10004, "iTLB-load-misses" },
		{ 3, 0x204, "invalid-cache" },
		{ 3, 7, "unknown-ext-hardware-cache-type" },
		{ 3, 0x300, "unknown-ext-hardware-cache-op" },
		{ 3, 0x20000, "unknown-ext-hardware-cache-result" },
		{ 2, 0x16b, "unknown tracepoint id=0x16b" },
		{ 4, 0x1a8, "raw 0x1a8" },
		{ 6, 5, "unknown event PMU=6 config=0x5" },
		{ 8, 0, "unknown event PMU=8 config=0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check(attr_name, (struct attr){ .type = names[i].type, .config = names[i].config }, names[i].name);
}

static void breakpoints_are_named_by_address_and_access(void **state)
{
	check(attr_name, (struct attr){ .type = ATTR_TYPE_BREAKPOINT, .config1 = 0x1000, .bp_type = 3 },
	      "mem:0x1000:rw");
	check(attr_name, (struct attr){ .type = ATTR_TYPE_BREAKPOINT, .config1 = 0x1000, .bp_type = 4 },
	      "mem:0x1000:x");
	check(attr_name, (struct attr){ .type = ATTR_TYPE_BREAKPOINT }, "mem:0x0:");
}

static void modifiers_follow_the_exclusions(void **state)
{
	const uint64_t u = ATTR_EXCLUDE_USER, k = ATTR_EXCLUDE_KERNEL, h = ATTR_EXCLUDE_HV, no_host = ATTR_EXCLUDE_HOST,
		       no_guest = ATTR_EXCLUDE_GUEST, pp = 2ull << ATTR_PRECISE_SHIFT;
	const struct {
		uint64_t flags;
		const char *name;
	} names[] = {
		{ k | h, "cpu-clock:u" },
		{ u, "cpu-clock:kh" },
		{ u | k | h, "cpu-clock" },
		{ u | k | h | pp, "cpu-clock:pp" },
		{ h, "cpu-clock:ku" },
		{ no_guest, "cpu-clock:H" },
		{ no_host, "cpu-clock:G" },
		{ no_host | no_guest, "cpu-clock" },
		{ k | h | pp | no_guest, "cpu-clock:uppH" },
		{ pp, "cpu-clock:pp" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check(attr_name, (struct attr){ .type = ATTR_TYPE_SOFTWARE, .flags = names[i].flags }, names[i].name);
	check(attr_name, (struct attr){ .type = ATTR_TYPE_RAW, .config = 1, .flags = k | h | no_guest }, "raw 0x1:uH");
	check(attr_name, (struct attr){ .type = 99, .config = 1, .flags = k | h }, "unknown event PMU=99 config=0x1");
}

static void print(const struct attr *a, struct out *o) { attr_print(a, NULL, o); }
static void print_header(const struct attr *a, struct out *o) { attr_print_header(a, NULL, o); }
static void print_switch(const struct attr *a, struct out *o) { attr_print(a, "sched:sched_switch", o); }

static void tracepoints_are_named_where_they_are_known(void **state)
{
	check(print, (struct attr){ .type = ATTR_TYPE_TRACEPOINT, .config = 0x174 },
	      "type: 2 (PERF_TYPE_TRACEPOINT), config: 0x174");
	check(print_switch, (struct attr){ .type = ATTR_TYPE_TRACEPOINT, .config = 0x174 },
	      "type: 2 (PERF_TYPE_TRACEPOINT), config: 0x174 (sched:sched_switch)");
	check(print_switch, (struct attr){ .type = ATTR_TYPE_RAW, .config = 0x174 },
	      "type: 4 (PERF_TYPE_RAW), config: 0x174");
}

static void fields_in_order_and_zeroes_left_out(void **state)
{
	check(print,
	      (struct attr){ .type = 1,
			     .size = 144,
			     .sample_period = 499,
			     .sample_type = 0x107,
			     .read_format = READ_ID | READ_LOST,
			     .flags = ATTR_DISABLED | ATTR_FREQ | ATTR_SAMPLE_ID_ALL },
	      "type: 1 (PERF_TYPE_SOFTWARE), size: 144, config: 0 (PERF_COUNT_SW_CPU_CLOCK), { sample_period, "
	      "sample_freq }: 499, "
	      "sample_type: IP|TID|TIME|PERIOD, read_format: ID|LOST, disabled: 1, freq: 1, sample_id_all: 1");
	check(print,
	      (struct attr){ .type = 5,
			     .size = 128,
			     .sample_type = 7,
			     .bp_type = 2,
			     .config1 = 0x404030,
			     .config2 = 4,
			     .wakeup_events = 300 },
	      "type: 5 (PERF_TYPE_BREAKPOINT), size: 128, config: 0, sample_type: IP|TID|TIME, { wakeup_events, "
	      "wakeup_watermark }: 300, "
	      "bp_type: 2, { bp_addr, config1 }: 0x404030, { bp_len, config2 }: 0x4");
	check(print, (struct attr){ .type = 3, .size = 64, .config = 0x10103 },
	      "type: 3 (PERF_TYPE_HW_CACHE), size: 64, "
	      "config: 0x10103 (PERF_COUNT_HW_CACHE_RESULT_MISS | PERF_COUNT_HW_CACHE_OP_WRITE | "
	      "PERF_COUNT_HW_CACHE_DTLB)");
	check(print,
	      (struct attr){ .type = 6,
			     .size = 144,
			     .config = 5,
			     .branch_sample_type = 0x9,
			     .sample_regs_user = 0xff0fff,
			     .sample_stack_user = 8192,
			     .clockid = -3,
			     .sample_regs_intr = 1,
			     .aux_watermark = 2,
			     .sample_max_stack = 3,
			     .aux_sample_size = 4,
			     .aux_action = 7,
			     .sig_data = 1ull << 40,
			     .flags = 3ull << ATTR_PRECISE_SHIFT | 1ull << 39 },
	      "type: 6, size: 144, config: 0x5, precise_ip: 3, defer_output: 1, branch_sample_type: USER|ANY, "
	      "sample_regs_user: 0xff0fff, "
	      "sample_stack_user: 8192, clockid: -3, sample_regs_intr: 0x1, aux_watermark: 2, sample_max_stack: 3, "
	      "aux_sample_size: 4, "
	      "aux_start_paused: 1, aux_pause: 1, aux_resume: 1, sig_data: 1099511627776");
}

static void sample_bits_in_the_order_of_the_list(void **state)
{
	check(print, (struct attr){ .type = 0, .size = 64, .sample_type = (1 << 25) - 1 },
	      "type: 0 (PERF_TYPE_HARDWARE), size: 64, config: 0 (PERF_COUNT_HW_CPU_CYCLES), sample_type: "
	      "IP|TID|TIME|ADDR|READ|CALLCHAIN|ID|CPU|PERIOD|STREAM_ID|RAW|BRANCH_STACK|REGS_USER|STACK_USER|"
	      "IDENTIFIER|REGS_INTR|DATA_SRC|"
	      "WEIGHT|PHYS_ADDR|AUX|CGROUP|DATA_PAGE_SIZE|CODE_PAGE_SIZE|WEIGHT_STRUCT");
}

/* perf shows the old contents of its buffer; we show the bits. */
static void only_unknown_bits_are_a_number(void **state)
{
	check(print, (struct attr){ .type = 1, .size = 64, .sample_type = 1ull << 40, .read_format = 1 << 6 },
	      "type: 1 (PERF_TYPE_SOFTWARE), size: 64, config: 0 (PERF_COUNT_SW_CPU_CLOCK), sample_type: "
	      "0x10000000000, read_format: 0x40");
}

static void header_spelling(void **state)
{
	check(print_header, (struct attr){ .type = 1, .size = 144, .config = 3, .flags = ATTR_INHERIT },
	      ", type = 1 (PERF_TYPE_SOFTWARE), size = 144, config = 0x3 (PERF_COUNT_SW_CONTEXT_SWITCHES), inherit = "
	      "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_named_by_type_and_config),
		cmocka_unit_test(breakpoints_are_named_by_address_and_access),
		cmocka_unit_test(modifiers_follow_the_exclusions),
		cmocka_unit_test(tracepoints_are_named_where_they_are_known),
		cmocka_unit_test(fields_in_order_and_zeroes_left_out),
		cmocka_unit_test(sample_bits_in_the_order_of_the_list),
		cmocka_unit_test(only_unknown_bits_are_a_number),
		cmocka_unit_test(header_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
