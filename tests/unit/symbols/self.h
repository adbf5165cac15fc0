#ifndef TESTS_SYMBOLS_SELF_H
#define TESTS_SYMBOLS_SELF_H

#include <stdio.h>
#include <sys/mman.h>
#include "symbols/symbols.h"

/*
 * Make a space with the maps of this process, as a recording would describe them. Files whose
 * name contains `hide` get a name that does not exist.
 */
static inline uint32_t space_of_self(struct symbols *s, const char *hide)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint32_t space = space_new(s, 0, 0);
	char line[4096 + 100];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long start, end, off;
		char perms[8], name[4096] = "//anon";
		bool exec;

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &start, &end, perms, &off, name) < 4)
			continue;
		exec = perms[2] == 'x';
		if (hide && strstr(name, hide))
			strcpy(name, "/nonexistent/file");
		space_map(s, space,
			  &(struct map_args){
				  .start = start,
				  .len = end - start,
				  .pgoff = off,
				  .prot = PROT_READ | (exec ? PROT_EXEC : 0u),
				  .dso = symbols_dso(
					  s, &(struct dso_args){ .filename = name, .pid = getpid(), .exec = exec }),
			  });
	}
	if (f)
		fclose(f);
	symbols_freeze(s);
	return space;
}

#endif
