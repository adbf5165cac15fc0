#ifndef REPORT_SCRIPT_PYTHON_H
#define REPORT_SCRIPT_PYTHON_H

#include "base/config.h"
#include "report/session/session.h"

/*
 * A Python interpreter inside this process, and the scripts that run in it. Its library is loaded
 * when the first script is opened, so that the binary neither needs nor links one; only functions
 * of the stable interface are used, so that any Python from 3.8 on will do. One interpreter at a
 * time, one thread.
 *
 *	python_open -> print_python_module -> python_run -> printing, python_call -> python_close
 *
 * Source: docs.python.org, "Python/C API Reference Manual", "C API Stability"; for what scripts are given
 * perf-script-python(1).
 */
struct python;

/*
 * Start an interpreter for a script. `args`: NULL-terminated, become sys.argv behind the path. `settings`, which live
 * longer: what perf_config_get finds, may be NULL. NULL with e when there is no library or no such file.
 */
struct python *python_open(const char *path, char *const *args, const struct config *settings, struct err *e);
/* Run the script's own statements in __main__. */
void python_run(struct python *p);
/* Call the script's function of that name without arguments, if it has one; not after a failure. */
void python_call(struct python *p, const char *name);
/* Has the script failed? What it raised has been printed; nothing is called any more. */
bool python_failed(const struct python *p);
/*
 * End the interpreter, which writes what is left of the script's output. -1 with e if the script failed or the output
 * could not be written; without text if its reader went away.
 */
int python_close(struct python *p, struct err *e);

/* A script to begin with: a handler for each tracepoint of the input and one for all other events. */
void python_scaffold(const struct perfdata *pd, struct out *o);

#endif
