/* Keys of sums. They are columns only and do not group rows. */
#include "report/rows/keys_priv.h"

static uint64_t sum_self(const struct row_sums *s) { return s->period; }
static uint64_t sum_children(const struct row_sums *s) { return s->children; }
static uint64_t sum_latency(const struct row_sums *s) { return s->latency; }
static uint64_t sum_latency_children(const struct row_sums *s) { return s->latency_children; }
static uint64_t sum_weight1(const struct row_sums *s) { return s->weights[0]; }
static uint64_t sum_weight2(const struct row_sums *s) { return s->weights[1]; }
static uint64_t sum_weight3(const struct row_sums *s) { return s->weights[2]; }
static uint64_t sum_system(const struct row_sums *s) { return s->by_level[LEVEL_SYSTEM]; }
static uint64_t sum_user(const struct row_sums *s) { return s->by_level[LEVEL_USER]; }
static uint64_t sum_guest_system(const struct row_sums *s) { return s->by_level[LEVEL_GUEST_SYSTEM]; }
static uint64_t sum_guest_user(const struct row_sums *s) { return s->by_level[LEVEL_GUEST_USER]; }
static uint64_t sum_samples(const struct row_sums *s) { return s->samples; }

/* ---- the table ---- */

const struct key keys_sum[] = {
	{ .name = "overhead_children",
	  .title = "Children",
	  .from = KEY_SUM,
	  .rank = 1,
	  .width = 8,
	  .sum = sum_children,
	  .percent = true,
	  .of_children = true },
	{ .name = "overhead",
	  .title = "Overhead",
	  .from = KEY_SUM,
	  .rank = 2,
	  .width = 8,
	  .sum = sum_self,
	  .percent = true },
	{ .name = "latency",
	  .title = "Latency",
	  .from = KEY_SUM,
	  .rank = 3,
	  .width = 8,
	  .sum = sum_latency,
	  .percent = true,
	  .of_latency = true,
	  .needs = NEEDS_PARALLELISM | NEEDS_MEASURES },
	{ .name = "overhead_sys",
	  .title = "sys",
	  .from = KEY_SUM,
	  .rank = 4,
	  .width = 8,
	  .sum = sum_system,
	  .percent = true },
	{ .name = "overhead_us",
	  .title = "usr",
	  .from = KEY_SUM,
	  .rank = 5,
	  .width = 8,
	  .sum = sum_user,
	  .percent = true },
	{ .name = "overhead_guest_sys",
	  .title = "guest sys",
	  .from = KEY_SUM,
	  .rank = 6,
	  .width = 9,
	  .sum = sum_guest_system,
	  .percent = true },
	{ .name = "overhead_guest_us",
	  .title = "guest usr",
	  .from = KEY_SUM,
	  .rank = 7,
	  .width = 9,
	  .sum = sum_guest_user,
	  .percent = true },
	{ .name = "latency_children",
	  .title = "Latency",
	  .from = KEY_SUM,
	  .rank = 8,
	  .width = 7,
	  .sum = sum_latency_children,
	  .percent = true,
	  .of_latency = true,
	  .of_children = true,
	  .needs = NEEDS_PARALLELISM | NEEDS_MEASURES },
	{ .name = "sample", .title = "Samples", .from = KEY_SUM, .rank = 9, .width = 12, .sum = sum_samples },
	{ .name = "period", .title = "Period", .from = KEY_SUM, .rank = 10, .width = 12, .sum = sum_self },
	{ .name = "weight1",
	  .title = "Weight1",
	  .from = KEY_SUM,
	  .rank = 11,
	  .width = 8,
	  .sum = sum_weight1,
	  .mean = true,
	  .needs = NEEDS_MEASURES },
	{ .name = "weight2",
	  .title = "Weight2",
	  .from = KEY_SUM,
	  .rank = 12,
	  .width = 8,
	  .sum = sum_weight2,
	  .mean = true,
	  .needs = NEEDS_MEASURES },
	{ .name = "weight3",
	  .title = "Weight3",
	  .from = KEY_SUM,
	  .rank = 13,
	  .width = 8,
	  .sum = sum_weight3,
	  .mean = true,
	  .needs = NEEDS_MEASURES },
	{ 0 }
};
