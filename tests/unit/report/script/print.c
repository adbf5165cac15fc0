#include "report/session/time_ranges.h"
#include "tests/unit/report/script/printed.h"

#define WHO    (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)
#define SECOND 1000000000ull

static void check(struct build *b, const char *fields, const char *want)
{
	assert_string_equal(printed(b, fields, NULL, 1), want);
	build_release(b);
}

static void the_usual_line(void **state)
{
	struct build b = build_start_as(FORM, WHO | SAMPLE_CPU | SAMPLE_PERIOD);

	build_comm(&b, .pid = 7, .tid = 7, .time = SECOND, .comm = "some name");
	build_sample(&b, .pid = 7, .tid = 8, .time = 2 * SECOND + 3000, .cpu = 12, .period = 250000,
		     .ip = 0xffffffff81000000, .misc = CPUMODE_KERNEL);
	build_sample(&b, .pid = 7, .tid = 7, .time = 12345678901234, .cpu = 3, .period = 1, .ip = 0x1234,
		     .misc = CPUMODE_USER);
	check(&b, NULL,
	      "              :8       8 [012]     2.000003:     250000 cpu-clock:  ffffffff81000000 [unknown] "
	      "([unknown])\n"
	      "       some name       7 [003] 12345.678901:          1 cpu-clock:              1234 [unknown] "
	      "([unknown])\n");
}

static void columns_of_the_head(void **state)
{
	struct build b = build_start_as(FORM, WHO | SAMPLE_CPU);

	build_sample(&b, .pid = 1234567, .tid = 12345678, .time = 5, .cpu = 1234, .misc = CPUMODE_GUEST_USER);
	check(&b, "pid,tid,cpu,misc,time", "1234567/12345678 [1234] g         0.000000: \n");
	b = build_start_as(FORM, WHO | SAMPLE_CPU);
	build_sample(&b, .pid = -1, .tid = 0, .time = 5, .cpu = ~0u);
	check(&b, "comm,pid,tid,cpu", "         swapper      -1/0       [-01] \n");
	b = build_start_as(FORM, WHO);
	build_sample(&b, .pid = 5, .tid = 6, .time = 1);
	check(&b, "pid,time", "      5     0.000000: \n");
}

static void chains_are_lines_of_their_own(void **state)
{
	static const uint64_t chain[] = { CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER, 0x401000, 0x402000 },
			      strange[] = { CHAIN_USER, 1, (uint64_t)-7, 2 };
	struct build b = build_start_as(FORM, WHO | SAMPLE_CALLCHAIN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "x");
	build_mmap(&b, .pid = 7, .tid = 7, .time = 2, .start = 0x401000, .len = 0x1000, .pgoff = 0x1000,
		   .filename = "/no/such");
	build_sample(&b, .pid = 7, .tid = 7, .time = 3, .ip = 0xffffffff81000001, .chain = chain, .n_chain = 5,
		     .misc = CPUMODE_KERNEL);
	build_sample(&b, .pid = 7, .tid = 7, .time = 4);
	build_sample(&b, .pid = 7, .tid = 7, .time = 5, .chain = strange, .n_chain = 4);
	assert_string_equal(printed(&b, "comm,ip,sym,dso,dsoff", NULL, 2),
			    "x \n"
			    "	ffffffff81000001 [unknown] ([unknown])\n"
			    "	          401000 [unknown] (/no/such+0x1000)\n"
			    "	          402000 [unknown] ([unknown])\n\n"
			    "x \n\nx \n\n");
	/* The marker does not occur. */
	assert_string_equal(printed(&b, "ip", &(struct print_opts){ .max_stack = 1 }, 1),
			    "\n	ffffffff81000001\n\n\n\n\n	               1\n\n");
	assert_string_equal(printed(&b, "comm,ip", &(struct print_opts){ .hide_chain = true }, 1),
			    "               x  ffffffff81000001\n               x                 0\n               x  "
			    "               0\n");
	build_release(&b);
}

/* The start of the usual line is made as a whole, from texts that are kept by thread, CPU, second and period. */
static void usual_lines_of_many(void **state)
{
	static const struct {
		int tid;
		unsigned cpu;
		uint64_t time, period;
		const char *line;
	} samples[] = {
		{ 7, 3, 5 * SECOND - 1, 1, "              :7       7 [003]     4.999999999:          1 cpu-clock: \n" },
		{ 71, 19, 5 * SECOND, 1, "             :71      71 [019]     5.000000000:          1 cpu-clock: \n" },
		{ 7, 1234, 5 * SECOND + 1, 2,
		  "              :7       7 [1234]     5.000000001:          2 cpu-clock: \n" },
		{ 71, 3, 6 * SECOND + 123456789, 12345678901234567890u,
		  "             :71      71 [003]     6.123456789: 12345678901234567890 cpu-clock: \n" },
		{ 7, ~0u, 18446744073 * SECOND, 0,
		  "              :7       7 [-01] 18446744073.000000000:          0 cpu-clock: \n" },
	};
	struct build b = build_start_as(FORM, WHO | SAMPLE_CPU | SAMPLE_PERIOD);
	struct out want;

	out_init_mem(&want);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		build_sample(&b, .pid = samples[i].tid, .tid = samples[i].tid, .cpu = samples[i].cpu,
			     .time = samples[i].time, .period = samples[i].period);
		out_str(&want, samples[i].line);
	}
	assert_string_equal(printed(&b, "comm,tid,cpu,time,period,event", &(struct print_opts){ .ns = true }, 1),
			    out_text(&want));
	out_release(&want);
	build_release(&b);
}

/* Lines are copied some at a time, and at each address that is new. */
static void long_chains(void **state)
{
	enum { LEN = 120, SAMPLES = 35 };
	struct build b = build_start_as(FORM, WHO | SAMPLE_CALLCHAIN);
	uint64_t chain[LEN] = { CHAIN_USER };
	struct out want;

	out_init_mem(&want);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		out_char(&want, '\n');
		for (uint64_t n = 1; n < LEN; n++) {
			chain[n] = 0x1000 + n + (n == i * 4 ? i << 36 : 0);
			out_fmt(&want, "\t%16llx\n", (unsigned long long)chain[n]);
		}
		out_char(&want, '\n');
		build_sample(&b, .pid = 7, .tid = 7, .time = SECOND + i, .chain = chain, .n_chain = LEN);
	}
	chain[LEN - 1] = (uint64_t)-7; /* the marker is unknown: no line of the chain counts */
	out_str(&want, "\n\n");
	build_sample(&b, .pid = 7, .tid = 7, .time = SECOND + SAMPLES, .chain = chain, .n_chain = LEN);
	assert_string_equal(printed(&b, "ip", NULL, 1), out_text(&want));
	assert_string_equal(printed(&b, "ip", NULL, 3), out_text(&want));
	out_release(&want);
	build_release(&b);
}

/*
 * Texts of chains and line starts are cached; they must not be used for another process, time, name
 * or field.
 */
static void chains_that_look_alike_are_distinguished(void **state)
{
	static const uint64_t chain[] = { CHAIN_USER, 0x401000 };
	struct build b = build_start_as(FORM, WHO | SAMPLE_CALLCHAIN | SAMPLE_PERIOD);
	struct out want;

	out_init_mem(&want);
	for (int pid = 7; pid < 9; pid++) {
		build_comm(&b, .pid = pid, .tid = pid, .time = 1, .comm = pid == 7 ? "a" : "b");
		build_mmap(&b, .pid = pid, .tid = pid, .time = 2, .start = 0x401000, .len = 0x1000,
			   .filename = pid == 7 ? "/no/seven" : "/no/eight");
	}
	for (unsigned i = 0; i < 40; i++) {
		unsigned pid = i % 4 == 3 ? 8 : 7, period = i % 8 < 4 ? 1 : 2;

		if (i == 20) { /* another program from here on */
			build_mmap(&b, .pid = 7, .tid = 7, .time = SECOND + i - 1, .start = 0x401000, .len = 0x1000,
				   .filename = "/no/later");
			build_comm(&b, .pid = 7, .tid = 7, .time = SECOND + i - 1, .comm = "c");
		}
		build_sample(&b, .pid = (int)pid, .tid = (int)pid, .time = SECOND + i, .period = period, .chain = chain,
			     .n_chain = 2);
		out_fmt(&want, "%s %7u     1.000000%03u: %10u \n\t          401000 (/no/%s)\n\n",
			pid == 8 ? "b"
			: i < 20 ? "a"
				 : "c",
			pid, i, period,
			pid == 8 ? "eight"
			: i < 20 ? "seven"
				 : "later");
	}
	assert_string_equal(printed(&b, "comm,tid,time,period,ip,dso", &(struct print_opts){ .ns = true }, 1),
			    out_text(&want));
	assert_string_equal(printed(&b, "comm,tid,time,period,ip,dso", &(struct print_opts){ .ns = true }, 3),
			    out_text(&want));
	out_release(&want);
	build_release(&b);
}

/*
 * The user part comes in a later record of the same thread, with the cookie at the end of the
 * sample's chain.
 */
static void offsets_without_a_file(void **state)
{
	struct build b = build_start_as(FORM, WHO);

	build_mmap(&b, .pid = 7, .tid = 7, .time = 2, .start = 0x401000, .len = 0x1000, .pgoff = 0x3000,
		   .filename = "/memfd:jit (deleted)");
	build_sample(&b, .pid = 7, .tid = 7, .time = 3, .ip = 0x401234, .misc = CPUMODE_USER);
	build_mmap(&b, .pid = -1, .tid = 0, .time = 2, .start = 0xffff800000000000, .len = 0x1000000,
		   .pgoff = 0xffff800000000000, .filename = "[kernel.kallsyms]_text", .misc = CPUMODE_KERNEL);
	build_sample(&b, .pid = 7, .tid = 7, .time = 4, .ip = 0xffff800000000123,
		     .misc = CPUMODE_KERNEL); /* no kernel has symbols there */
	check(&b, "ip,dso,dsoff",
	      "           401234 (/memfd:jit (deleted)+0x3234)\n ffff800000000123 "
	      "([kernel.kallsyms]+0xffff800000000123)\n");
}

static void user_parts_that_come_later_complete_chains(void **state)
{
	static const uint64_t first[] = { CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER_DEFERRED, 77 };
	static const uint64_t other[] = { CHAIN_KERNEL, 0xffffffff81000002, CHAIN_USER_DEFERRED, 78 };
	struct {
		uint64_t cookie, nr, ips[3];
		uint32_t pid, tid;
		uint64_t time;
	} later = { 77, 3, { CHAIN_USER, 0x1234, 0x5678 }, 7, 7, 5 };
	struct {
		uint64_t cookie, nr;
		uint32_t pid, tid;
		uint64_t time;
	} cut = { 78, UINT64_MAX, 7, 7, 6 };
	struct build b = build_start_as(FORM, WHO | SAMPLE_CALLCHAIN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "a");
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = 0xffffffff81000001, .chain = first, .n_chain = 4,
		     .misc = CPUMODE_KERNEL);
	build_sample(&b, .pid = 7, .tid = 7, .time = 3, .ip = 0xffffffff81000002, .chain = other, .n_chain = 4,
		     .misc = CPUMODE_KERNEL);
	build_sample(&b, .pid = 8, .tid = 8, .time = 4, .ip = 0xffffffff81000001, .chain = first, .n_chain = 4,
		     .misc = CPUMODE_KERNEL);
	build_record(&b, RECORD_CALLCHAIN_DEFERRED, CPUMODE_USER, &later, sizeof(later), "88888448");
	build_record(&b, RECORD_CALLCHAIN_DEFERRED, CPUMODE_USER, &cut, sizeof(cut), "88448");
	check(&b, "tid,ip",
	      "      7 \n\tffffffff81000001\n\t            1234\n\t            5678\n\n"
	      "      7 \n\tffffffff81000002\n\n"
	      "      8 \n\tffffffff81000001\n\n");
}

static void times_count_from_the_first_or_the_last(void **state)
{
	struct build b = build_start_as(FORM, WHO);

	for (unsigned i = 0; i < 4; i++)
		build_sample(&b, .pid = 7, .tid = 7, .time = 10 * (uint64_t)SECOND + i * i * 1001);
	assert_string_equal(printed(&b, "time", &(struct print_opts){ .ns = true }, 1),
			    "   10.000000000: \n   10.000001001: \n   10.000004004: \n   10.000009009: \n");
	assert_string_equal(printed(&b, "time", &(struct print_opts){ .ns = true, .reltime = true }, 2),
			    "    0.000000000: \n    0.000001001: \n    0.000004004: \n    0.000009009: \n");
	assert_string_equal(printed(&b, "time", &(struct print_opts){ .ns = true, .deltatime = true }, 2),
			    "    0.000000000: \n    0.000001001: \n    0.000003003: \n    0.000005005: \n");
	build_release(&b);
}

/* Thousands of records from several rings: order and bytes do not depend on the number of threads. */
static void any_number_of_threads_prints_the_same(void **state)
{
	struct build b = build_start_as(FORM, WHO | SAMPLE_CPU);
	char *one;

	for (unsigned round = 0; round < 20; round++) {
		for (unsigned cpu = 0; cpu < 3; cpu++)
			for (unsigned i = 0; i < 40; i++)
				build_sample(&b, .pid = 7, .tid = 50 + (int32_t)i,
					     .time = 1 + round * 1000 + i * 7 + cpu, .cpu = cpu, .ip = i);
		build_round(&b);
	}
	one = xstrdup(printed(&b, NULL, NULL, 1));
	assert_string_equal(printed(&b, NULL, NULL, 7), one);
	assert_int_equal(strncmp(one, "             :50      50 [000]     0.000000: ", 42), 0);
	free(one);
	build_release(&b);
}

static void names_cannot_write_to_the_terminal(void **state)
{
	struct build b = build_start_as(FORM, WHO);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "\x1b[2J\nx");
	build_sample(&b, .pid = 7, .tid = 7, .time = 2);
	check(&b, "comm", "    \\x1b[2J\\x0ax \n");
}

static void what_the_samples_lack(void **state)
{
	struct build b = build_start_as(FORM, WHO);

	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .ip = 1);
	assert_string_equal(printed(&b, "comm,cpu", NULL, 1),
			    "Samples for 'cpu-clock' event do not have CPU attribute set. Cannot print 'cpu' field.");
	assert_string_equal(printed(&b, "sw:tid,cpu", NULL, 1), "      7 \n");
	assert_string_equal(printed(&b, "ip,symoff", NULL, 1),
			    "Display of offsets requested but symbol is not selected.");
	assert_string_equal(printed(&b, "tod", NULL, 1), "Can't provide 'tod' time, missing clock data.");
	assert_string_equal(printed(&b, "sym", NULL, 1), "\n");
	build_release(&b);
}

static void memory_fields(void **state)
{
	struct build b = build_start_as(FORM, WHO | SAMPLE_ADDR | SAMPLE_DATA_SRC | SAMPLE_WEIGHT_STRUCT |
						      SAMPLE_PHYS_ADDR | SAMPLE_DATA_PAGE_SIZE);

	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .addr = 0xbeef, .data_src = 0x68100142,
		     .weight = 9 | 8ull << 32 | 7ull << 48, .phys_addr = 0x123000, .data_page_size = 2 << 20);
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .data_src = 0x2600000082);
	check(&b, "addr,data_src,weight,ins_lat,retire_lat,phys_addr,data_page_size",
	      "            beef        68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A"
	      "               9               8               7          123000 2M\n"
	      "               0      2600000082 |OP LOAD|LVL Remote L3 miss|SNP N/A|TLB N/A|LCK No|BLK  N/A  "
	      "               0               0               0               0 N/A\n");
}

static void branch_records(void **state)
{
	/* mispredicted, in a transaction, 5 cycles, a conditional call, on the correct path */
	static const struct build_branch branches[] = { { 0x10, 0x20, 1 | 4 | 5 << 4 | 9 << 20 | 3 << 24 },
							{ 0x30, 0x40, 2 | 8 },
							{ 0, 0, 0 } };
	struct build b = build_start_as(FORM, WHO | SAMPLE_BRANCH_STACK);

	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .branches = branches, .n_branches = 3);
	check(&b, "brstack",
	      " 0x10/0x20/M/X/-/5/COND_CALL/SPEC_CORRECT_PATH  0x30/0x40/P/-/A/0//-  0x0/0x0/-/-/-/0//- \n");
}

/* Two readings of a group with two counters. */
static struct build group_of_counters(void **state)
{
	static const uint64_t first[] = { 2, 100, 1, 7, 2 }, second[] = { 2, 150, 1, 7, 2 };
	struct build b = build_start_as(FORM, WHO | SAMPLE_READ | SAMPLE_IDENTIFIER);

	build_attr(&b, 0)->read_format = READ_GROUP | READ_ID;
	build_event(&b, WHO | SAMPLE_READ | SAMPLE_IDENTIFIER, "two");
	build_attr(&b, 1)->read_format = READ_GROUP | READ_ID;
	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .read = first, .n_read = 5);
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .read = second, .n_read = 5);
	return b;
}

/*
 * A group read: each counter is a sample; its period is how much it advanced since the thread's
 * last one.
 */
static void counters_become_samples(void **state)
{
	struct build b = group_of_counters(state);

	check(&b, "period,event", "       100 cpu-clock: \n         7       two: \n        50 cpu-clock: \n");
}

static void sum_of_counts(void *of, const struct print_count *counts, size_t n, struct out *lines)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (counts[i].event + 1) * counts[i].value;
	out_fmt(lines, "%llu %s\n", (unsigned long long)sum, (const char *)of);
	if (sum > 100)
		out_str(lines, "much\n");
}

/* After the samples of a group's counters, even those that did not advance. */
static void metrics_of_a_group(void **state)
{
	char unit[] = "in all";
	struct print_opts o = { .metrics = sum_of_counts, .metrics_of = unit };
	struct build b = group_of_counters(state);

	assert_string_equal(printed(&b, "tid,period,metric", &o, 3),
			    "      7        100 \n      7          7 \n      7 \tmetric: 114 in all\n      7 \tmetric: "
			    "much\n      7         50 \n      7 \tmetric: 50 in all\n");
	o.form = PRINT_CSV;
	assert_string_equal(printed(&b, "tid,period,metric", &o, 1), "field 'metric' is printed as text only");
	build_release(&b);
	b = build_start_as(FORM, WHO);
	build_sample(&b, .pid = 7, .tid = 7, .time = 1);
	o.form = PRINT_TEXT;
	assert_string_equal(printed(&b, "tid,metric", &o, 1), "      7 \n");
	build_release(&b);
}

static void only_samples_that_are_wanted(void **state)
{
	struct build b = build_start_as(FORM, WHO | SAMPLE_CPU);
	struct sample_filter filter = { 0 };
	struct time_span span = { 2, 3 };
	struct time_ranges times = { .items = &span, .len = 1 };

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "x");
	for (unsigned i = 1; i < 5; i++)
		build_sample(&b, .pid = 7, .tid = 6 + (int32_t)i, .time = i, .cpu = i, .ip = i);
	assert_string_equal(printed(&b, "tid", &(struct print_opts){ .times = &times }, 1), "      8 \n      9 \n");
	assert_int_equal(sample_filter_add(&filter, FILTER_TIDS, "8,10", NULL), 0);
	assert_int_equal(sample_filter_add(&filter, FILTER_CPUS, "0-2", NULL), 0);
	assert_string_equal(printed(&b, "tid", &(struct print_opts){ .filter = &filter }, 1), "      8 \n");
	sample_filter_free(&filter);
	filter = (struct sample_filter){ 0 };
	assert_int_equal(sample_filter_add(&filter, FILTER_COMMS, "x,y", NULL), 0);
	assert_string_equal(printed(&b, "tid", &(struct print_opts){ .filter = &filter }, 1), "      7 \n");
	sample_filter_free(&filter);
	filter = (struct sample_filter){ .address_range = 1 };
	assert_int_equal(sample_filter_add(&filter, FILTER_SYMBOLS, "0x2", NULL), 0);
	assert_string_equal(printed(&b, "tid", &(struct print_opts){ .filter = &filter }, 1), "      8 \n      9 \n");
	sample_filter_free(&filter);
	build_release(&b);
}

static void any_name_can_be_asked_for(void **state)
{
	static const char *const names[] = { "pair<int, long>", "a\\,b\\", "\\", "file:///etc/x", ",", "plain" };
	struct sample_filter all = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct build b = build_start_as(FORM, WHO);
		struct sample_filter filter = { 0 };
		autofree char *list = sample_filter_quote(names[i]), *longer = xasprintf("%s,more", list);

		build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = names[i]);
		build_comm(&b, .pid = 7, .tid = 8, .time = 1, .comm = "other");
		build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = 1);
		build_sample(&b, .pid = 7, .tid = 8, .time = 3, .ip = 1);
		assert_int_equal(sample_filter_add(&filter, FILTER_COMMS, list, NULL), 0);
		assert_string_equal(printed(&b, "tid", &(struct print_opts){ .filter = &filter }, 1), "      7 \n");
		if (strcmp(names[i], "a\\,b\\") &&
		    strcmp(names[i], "\\")) /* a backslash at the end would escape the comma in a longer list */
			assert_int_equal(sample_filter_add(&all, FILTER_COMMS, longer, NULL), 0);
		sample_filter_free(&filter);
		build_release(&b);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(strtab_find(&all.comms, names[i]) != 0,
				 strcmp(names[i], "a\\,b\\") && strcmp(names[i], "\\"));
	sample_filter_free(&all);
}

static void other_records_as_lines(void **state)
{
	struct print_opts o = { .sideband = 1ull << RECORD_COMM | 1ull << RECORD_FORK | 1ull << RECORD_EXIT |
					    1ull << RECORD_LOST | 1ull << RECORD_SWITCH_CPU_WIDE };
	const struct {
		uint32_t next_pid, next_tid, pid, tid;
		uint64_t time;
	} dead = { 7, 8, UINT32_MAX, UINT32_MAX, 5000 }, idle = { 7, 8, 0, 0, 6000 };
	struct build b = build_start_as(FORM, WHO);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1000, .comm = "x", .exec = true);
	build_fork(&b, .pid = 7, .tid = 8, .ppid = 7, .ptid = 7, .time = 2000);
	build_lost(&b, .pid = 7, .tid = 7, .time = 3000, .lost = 12);
	build_exit(&b, .pid = 7, .tid = 8, .ppid = 7, .ptid = 7, .time = 4000);
	build_record(&b, RECORD_SWITCH_CPU_WIDE, 0, &dead, sizeof(dead), "44448");
	build_record(&b, RECORD_SWITCH_CPU_WIDE, 0, &idle, sizeof(idle), "44448");
	assert_string_equal(
		printed(&b, "comm,time", &o, 1),
		"               x     0.000001: PERF_RECORD_COMM exec: x:7/7\n"
		"               x     0.000002: PERF_RECORD_FORK(7:8):(7:7)\n"
		"               x     0.000003: PERF_RECORD_LOST lost 12\n"
		"               x     0.000004: PERF_RECORD_EXIT(7:8):(7:7)\n"
		"             :-1     0.000005: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     7/8    \n"
		"         swapper     0.000006: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     7/8    \n");
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(the_usual_line),
		FORMS(columns_of_the_head),
		FORMS(chains_are_lines_of_their_own),
		FORMS(usual_lines_of_many),
		FORMS(long_chains),
		FORMS(chains_that_look_alike_are_distinguished),
		FORMS(offsets_without_a_file),
		FORMS(user_parts_that_come_later_complete_chains),
		FORMS(times_count_from_the_first_or_the_last),
		FORMS(any_number_of_threads_prints_the_same),
		FORMS(names_cannot_write_to_the_terminal),
		FORMS(what_the_samples_lack),
		FORMS(memory_fields),
		FORMS(branch_records),
		FORMS(counters_become_samples),
		FORMS(metrics_of_a_group),
		FORMS(only_samples_that_are_wanted),
		FORMS(any_name_can_be_asked_for),
		FORMS(other_records_as_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
