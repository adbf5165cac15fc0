#ifndef SYMBOLS_DEBUG_SCAN_H
#define SYMBOLS_DEBUG_SCAN_H

#include "base/mem.h"

/*
 * A quick look through the entries of a unit: does it have a function of that name, or only uses one? Most units that
 * know a name merely declare it. Reads plain bytes, so that many threads may look at once, which libdw does not allow.
 */
struct scan {
	const uint8_t *info, *abbrev; /* .debug_info, .debug_abbrev */
	size_t info_len, abbrev_len;
	bool swap;
	const uint32_t *wanted; /* offsets into .debug_str that are the name; in host byte order */
	size_t n_wanted;
	const char *name;
};

/* `header`: offset of the unit's header. True also when the look did not tell. */
bool scan_defines(const struct scan *s, uint64_t header);

#endif
