#ifndef CMD_SCRIPT_SCRIPTS_PRIV_H
#define CMD_SCRIPT_SCRIPTS_PRIV_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Pairs of shell scripts NAME-record and NAME-report in DIR/scripts/LANGUAGE/bin: one records, the
 * other evaluates with `script -s`. DIR is $PERF_EXEC_PATH, else where perf installs its own.
 * `perf` in them means this program.
 */

/* DIR; never NULL. */
const char *scripts_dir(void);
/* Print their names, arguments and descriptions. Return the exit status, or -1 with e. */
int scripts_list(struct err *e);
/*
 * Run "record NAME ...", "report NAME ...", or "NAME ...", which connects both by a pipe. `input`:
 * of -i, NULL = none; `all_cpus`: record system-wide. Return the exit status, or -1 with e.
 */
int scripts_run(int argc, char **argv, const char *input, bool all_cpus, struct err *e);

#endif
