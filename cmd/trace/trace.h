#ifndef CMD_TRACE_TRACE_H
#define CMD_TRACE_TRACE_H

#include "base/opt.h"

/* The command line of record that opens what this command line of trace opens, for doctor. -1 with e: it is none. */
int trace_record_words(int argc, char **argv, struct opt_list *words, struct err *e);

#endif
