#include "report/traces/spe_kinds_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define N2  0x410fd490
#define A53 0x410fd030

static unsigned wanted(const struct spe_record *r)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < n_spe_kinds; i++)
		kinds |= (unsigned)spe_kinds[i].wants(r) << i;
	return kinds;
}

static void a_record_becomes_samples_of_its_kinds(void **state)
{
	struct spe_record r = { .class = SPE_MEMORY, .events = 1 << SPE_L1D_ACCESS | 1 << SPE_L1D_MISS };

	assert_int_equal(wanted(&r), 1 << 0 | 1 << 1 | 1 << 8 | 1 << 9);
	r = (struct spe_record){ .class = SPE_BRANCH, .events = 1 << SPE_MISPREDICTED };
	assert_int_equal(wanted(&r), 1 << 6 | 1 << 9);
	r = (struct spe_record){ .class = SPE_OTHER };
	assert_int_equal(wanted(&r), 1 << 9);
	assert_int_equal(spe_data_src(&r, N2), 0);
}

/* The numbers are those that perf 7.2 prints. */
static void cores_name_the_source_in_their_ways(void **state)
{
	static const struct {
		uint8_t op;
		uint64_t events, source, midr, data_src;
	} cases[] = {
		{ 0, 1 << SPE_TLB_ACCESS, 0, N2, 0x288100142 },
		{ 0, 0, 8, N2, 0x400100442 },
		{ 0, 0, 9, N2, 0x8400080442 },
		{ 0, 0, 0xb, N2, 0x600200842 },
		{ 0, 0, 0xc, N2, 0x8600080842 },
		{ 0, 0, 0xd, N2, 0xbe00080022 },
		{ 0, 1 << SPE_TLB_ACCESS | 1 << SPE_TLB_WALK, 0xe, N2, 0x1a90101042 },
		{ SPE_STORE, 1 << SPE_L1D_ACCESS, 9, N2, 0x1e00080024 },
		{ 0, 1 << SPE_L1D_ACCESS | 1 << SPE_LLC_ACCESS, 9, A53, 0x200080142 },
		{ 0, 1 << SPE_L1D_MISS | 1 << SPE_LLC_ACCESS, 9, A53, 0x600080842 },
		{ SPE_STORE, 1 << SPE_L1D_MISS, 0, 0, 0x200080184 },
		{ 0, 0, 0, 0, 0x1e00080022 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct spe_record r = {
			.class = SPE_MEMORY, .op = cases[i].op, .events = cases[i].events, .source = cases[i].source
		};

		assert_int_equal(spe_data_src(&r, cases[i].midr), cases[i].data_src);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_becomes_samples_of_its_kinds),
		cmocka_unit_test(cores_name_the_source_in_their_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
