#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

/*
 * perf.data: bytes to records and back. strobe.data(5) describes the whole format.
 *
 *	file, pipe or directory --perfdata_open--> struct perfdata (events, features, streams)
 *	stream --perfdata_chunk--> struct chunk --chunk_next--> struct record
 *	record --sample_decode--> struct sample
 *	records, events, features --struct writer--> file or pipe
 *
 * Example: print the event and address of every sample.
 *
 *	struct err e = { 0 };
 *	struct perfdata *pd = perfdata_open("perf.data", NULL, &e);
 *	struct cursor c = { .pd = pd };
 *	struct record r;
 *	struct sample s;
 *
 *	while (pd && cursor_next(&c, &r)) {
 *		int event = r.type == RECORD_SAMPLE ? perfdata_event_of(pd, &r) : -1;
 *
 *		if (event >= 0 && sample_decode(pd, &r, (uint32_t)event, &s, NULL) == 0)
 *			printf("%s 0x%llx\n", pd->events[event].name, (unsigned long long)s.ip);
 *	}
 *	perfdata_close(pd);
 *
 * To print functions instead of addresses, see the examples of symbols/symbols.h (an address) and
 * report/profile/profile.h (the samples of a file).
 */
#include "format/attr.h"
#include "format/cursor.h"
#include "format/features.h"
#include "format/reader.h"
#include "format/record.h"
#include "format/sample.h"
#include "format/writer/writer.h"

#endif
