#ifndef CMD_BUILDID_BUILDID_CACHE_PRIV_H
#define CMD_BUILDID_BUILDID_CACHE_PRIV_H

#include "symbols/symbols.h"

/*
 * Copy the kernel whose memory is `word` (ROOT/proc/kcore) to CACHE/[kernel.kcore]/BUILD-ID/TIME,
 * unless this boot's kernel is already there. -1 with e; then nothing is left behind.
 */
int buildid_cache_kcore(const char *cache, const char *word, struct err *e);

#endif
