#include "stat/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>

#include "tests/lib/build.h"

enum { CYCLES, INSTRUCTIONS, CLOCK, FAULTS };

static struct perfdata *recording(struct build *b)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *name;
	} events[] = {
		[CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles" },
		[INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions" },
		[CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock" },
		[FAULTS] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults" },
	};

	*b = build_start(SAMPLE_IP | SAMPLE_IDENTIFIER);
	for (size_t i = 0; i < 4; i++) {
		size_t event = i ? build_event(b, SAMPLE_IP | SAMPLE_IDENTIFIER, events[i].name) : 0;

		build_attr(b, event)->type = events[i].type;
		build_attr(b, event)->config = events[i].config;
	}
	return build_open(b);
}

static void expect(struct sampled *s, const struct sampled_count *counts, size_t n, const char *want)
{
	struct out o;

	out_init_mem(&o);
	sampled_metrics(s, counts, n, &o);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
}

static void counts_of_a_group_together(void **state)
{
	struct build b;
	struct perfdata *pd = recording(&b);
	struct sampled *s = sampled_new(pd);

	expect(s, (struct sampled_count[]){ { CYCLES, 1000 }, { INSTRUCTIONS, 2500 } }, 2, "   2.50  insn per cycle\n");
	expect(s, (struct sampled_count[]){ { CYCLES, 1000 }, { INSTRUCTIONS, 500 } }, 2, "   0.50  insn per cycle\n");
	expect(s, (struct sampled_count[]){ { CYCLES, 0 }, { INSTRUCTIONS, 500 } }, 2, "");
	/* another group, then the first again */
	expect(s, (struct sampled_count[]){ { CLOCK, 2000000 }, { FAULTS, 30 }, { CYCLES, 5000000 } }, 3,
	       "  15.000 K/sec\n   2.500 GHz\n");
	expect(s, (struct sampled_count[]){ { CYCLES, 1000 }, { INSTRUCTIONS, 500 } }, 2, "   0.50  insn per cycle\n");
	expect(s, NULL, 0, "");
	sampled_free(s);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_a_group_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
