/* Metric expressions: parse them, and compute them with all kinds of values. */
#include <math.h>

#include "stat/expression_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double kinds[] = { 0, 1, -1, 1e300, NAN, 12345678, 0.5 };
	autofree char *text = xstrndup((const char *)data, size);
	struct expression x = { 0 };
	struct err e = { 0 };

	if (expression_parse(&x, text, NULL, &e) < 0) {
		if (!e.what[0] || !e.why[0])
			abort();
	} else {
		autofree double *values = xcalloc(x.names.len + 1, sizeof(*values));

		for (size_t round = 0; round < ARRAY_SIZE(kinds); round++) {
			for (size_t i = 0; i < x.names.len; i++)
				values[i] = kinds[(round + i) % ARRAY_SIZE(kinds)];
			expression_value(&x, values);
		}
	}
	expression_release(&x);
	return 0;
}
