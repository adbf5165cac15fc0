/* /proc/PID/maps and /proc/PID/stat: programs choose the names of files and threads in them. */
#include "base/mem.h"
#include "record/proc/proc_maps_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = xmalloc(MAX(size, 1));
	const char *at = text, *end = text + size, *before = text;
	struct proc_map map;
	struct proc_stat stat;

	if (size)
		memcpy(text, data, size);
	while (proc_maps_next(&at, end, &map)) {
		if (at <= before || at > end || map.path < text || map.path_len > (size_t)(end - map.path) ||
		    memchr(map.path, '\n', map.path_len))
			abort();
		before = at;
	}
	if (proc_stat_parse(text, size, &stat) && strnlen(stat.comm, sizeof(stat.comm)) == sizeof(stat.comm))
		abort();
	return 0;
}
