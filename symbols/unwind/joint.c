/* Join an unwound chain with the chain that the kernel found by frame pointers. */
#include "symbols/unwind/joint.h"

#include "base/bytes.h"

uint64_t unwind_joint(const uint8_t *kernels, uint64_t n, const uint64_t *unwound, uint64_t n_unwound)
{
	uint64_t best = 0, best_run = 0;

	for (uint64_t at = 1; at < n; at++) {
		uint64_t run = 0;

		while (run < at && run + 1 < n_unwound &&
		       load_u64(kernels + 8 * (at - run)) == unwound[n_unwound - 1 - run] + 1)
			run++;
		if (run && run >= best_run) {
			best = at;
			best_run = run;
		}
	}
	return best;
}
