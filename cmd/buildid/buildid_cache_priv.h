#ifndef CMD_BUILDID_BUILDID_CACHE_PRIV_H
#define CMD_BUILDID_BUILDID_CACHE_PRIV_H

#include "symbols/symbols.h"

/*
 * Keep the kernel whose memory `word` (ROOT/proc/kcore) is, under CACHE/[kernel.kcore]/BUILD-ID/TIME, unless that was
 * done in this boot. -1 with e, and nothing is left behind.
 */
int buildid_cache_kcore(const char *cache, const char *word, struct err *e);

#endif
