#ifndef REPORT_SCRIPT_PYTHON_H
#define REPORT_SCRIPT_PYTHON_H

#include "base/config.h"
#include "report/session/session.h"

/*
 * A Python interpreter inside this process, and the scripts that run in it. The library is loaded
 * when the first script is opened, so the binary does not link to it. We use only functions of the
 * stable interface; any Python from 3.8 on works. One interpreter at a time, one thread.
 *
 *	python_open -> print_python_module -> python_run -> printing, python_call -> python_close
 *
 * Source: docs.python.org, "Python/C API Reference Manual", "C API Stability"; for the arguments of
 * handlers perf-script-python(1).
 */
struct python;

/*
 * Start an interpreter for a script. `args`: NULL-terminated; becomes sys.argv after the path.
 * `settings`: what perf_config_get reads; must outlive the interpreter; may be NULL. NULL with e
 * when the library or the file is missing.
 */
struct python *python_open(const char *path, char *const *args, const struct config *settings, struct err *e);
/* Run the top-level statements of the script in __main__. */
void python_run(struct python *p);
/*
 * Call the script's function with this name, without arguments, if there is one. Do nothing after a
 * failure.
 */
void python_call(struct python *p, const char *name);
/* Tell whether the script failed. Its exception has been printed; no function is called any more. */
bool python_failed(const struct python *p);
/*
 * End the interpreter, which flushes the script's output. -1 with e if the script failed or its
 * output could not be written; e has no text if the reader closed the pipe.
 */
int python_close(struct python *p, struct err *e);

/* Print a starter script: a handler for each tracepoint of the input and one for all other events. */
void python_scaffold(const struct perfdata *pd, struct out *o);

#endif
