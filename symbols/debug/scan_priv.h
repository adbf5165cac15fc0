#ifndef SYMBOLS_DEBUG_SCAN_PRIV_H
#define SYMBOLS_DEBUG_SCAN_PRIV_H

#include "base/mem.h"

/*
 * Scan the entries of a unit quickly: does it define a function of that name, or only use one?
 * Most units that contain a name only declare it. This reads plain bytes, so many threads may
 * scan at once, which libdw does not allow.
 */
struct scan {
	const uint8_t *info, *abbrev; /* .debug_info, .debug_abbrev */
	size_t info_len, abbrev_len;
	bool swap;
	const uint32_t *wanted; /* offsets of the name in .debug_str, in host byte order */
	size_t n_wanted;
	const char *name;
};

/*
 * Return whether the unit defines it. `header` is the offset of the unit's header. Return true
 * also when the scan could not tell.
 */
bool scan_defines(const struct scan *s, uint64_t header);

#endif
