/*
 * Copy the vdso, the code that the kernel maps into every process. No file holds it, but it is
 * mapped into this process as well. Source: vdso(7).
 */
#include "symbols/file/vdso.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/*
 * Find the vdso at the address that the kernel gave us, and return its length: its section headers
 * come last. Return 0 if the address is not known.
 */
static size_t told(const void **start)
{
	const ElfW(Ehdr) *h = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	*start = h;
	return h && h->e_shoff ? ROUND_UP(h->e_shoff + (size_t)h->e_shnum * h->e_shentsize, page) : 0;
}

static void *copy_mapped(size_t *len)
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

void *vdso_copy(size_t *len)
{
	const void *start;

	*len = told(&start);
	return *len ? memcpy(xmalloc(*len), start, *len) : copy_mapped(len); /* emulators do not give the address */
}
