#ifndef CMD_TRACE_TRACE_H
#define CMD_TRACE_TRACE_H

#include "base/opt.h"

/* Make the command line of record that opens the same events as this one of trace, for doctor. -1 with e: not valid. */
int trace_record_words(int argc, char **argv, struct opt_list *words, struct err *e);

#endif
