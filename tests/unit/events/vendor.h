#ifndef TESTS_UNIT_EVENTS_VENDOR_H
#define TESTS_UNIT_EVENTS_VENDOR_H

/* Include after cmocka.h. */
#include <dlfcn.h>

/* Skip unless libpfm4, asked directly, knows the events of the CPU in LIBPFM_FORCE_PMU. */
static inline void need_vendor_events(void)
{
	void *library = dlopen("libpfm.so.4", RTLD_NOW);
	int (*start)(void) = library ? (int (*)(void))dlsym(library, "pfm_initialize") : NULL;
	int (*find)(const char *) = library ? (int (*)(const char *))dlsym(library, "pfm_find_event") : NULL;

	if (start && find && start() == 0 && find("INST_RETIRED:ANY_P") >= 0)
		return;
	print_message("skipped: this libpfm4 does not know the CPU that the test wants\n");
	skip();
}

#endif
