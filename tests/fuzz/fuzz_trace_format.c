/*
 * A tracepoint's format file, and a payload to print with it. The seeds are format files of Linux
 * 6.18, each followed by a zero byte and a payload, and formats that use every function of print
 * fmt.
 */
#include "report/tracepoint/trace_format.h"
#include "report/tracepoint/trace_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t len = nul ? (size_t)(nul - data) : size, rest = nul ? size - len - 1 : 0;
	uint8_t *payload = xmalloc(rest + 1); /* of exact size, so that the sanitizer sees reads beyond it */

	if (rest)
		memcpy(payload, nul + 1, rest);
	for (unsigned long_size = 4; long_size <= 8; long_size += 4) {
		struct trace_format f;
		struct out o;

		out_init_mem(&o);
		if (trace_format_parse(&f, (const char *)data, len, long_size, NULL) == 0) {
			trace_format_print(&f, NULL, false, payload, rest, &o);
			trace_format_print(&f, NULL, true, payload, rest, &o);
		}
		for (size_t i = 0; i < o.len; i++)
			if ((unsigned char)o.buf[i] < ' ' || o.buf[i] == 0x7f)
				abort();
		trace_format_release(&f);
		out_release(&o);
	}
	free(payload);
	return 0;
}
