/*
 * Copy the vdso, the code that the kernel maps into every process. No file holds it, but it is
 * mapped into this process as well. Source: vdso(7).
 */
#include "symbols/file/vdso.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

void *vdso_copy(size_t *len)
{
	autofree char *maps = file_read("/proc/self/maps", 64 << 20, NULL, NULL);
	unsigned long start, end;

	for (char *line = maps, *next; line; line = next) {
		size_t n = strcspn(line, "\n");

		next = line[n] ? line + n + 1 : NULL;
		line[n] = 0;
		if (n < 6 || strcmp(line + n - 6, "[vdso]") || sscanf(line, "%lx-%lx", &start, &end) != 2 ||
		    end <= start || end - start > (1 << 20))
			continue;
		*len = end - start;
		return memcpy(xmalloc(*len), (const void *)start, *len);
	}
	return NULL;
}
