#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

/*
 * perf.data: bytes to records and back. The whole format is described in strobe.data(5).
 *
 *	file, pipe or directory --perfdata_open--> struct perfdata (events, features, streams of records)
 *	stream --perfdata_chunk--> struct chunk --chunk_next--> struct record --sample_decode--> struct sample
 *	records, events, features --struct writer--> file or pipe
 */
#include "format/attr.h"
#include "format/cursor.h"
#include "format/features.h"
#include "format/reader.h"
#include "format/record.h"
#include "format/sample.h"
#include "format/writer.h"

#endif
