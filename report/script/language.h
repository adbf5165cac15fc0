#ifndef REPORT_SCRIPT_LANGUAGE_H
#define REPORT_SCRIPT_LANGUAGE_H

#include "base/config.h"
#include "report/session/session.h"

/*
 * Languages of scripts. An interpreter runs inside this process; its library is loaded when the
 * first script is opened, so the binary does not link to it. One interpreter at a time, one thread.
 *
 *	open -> run -> call(trace_begin) -> printing -> call(trace_end) -> close
 *
 * Source: for the arguments of handlers perf-script-python(1) and perf-script-perl(1).
 */
struct script_language;
struct printer;
struct print_data_form;
struct record;

/* The first member of each language's own struct. */
struct interpreter {
	const struct script_language *language;
	bool failed; /* the script failed and its error has been printed: call no more functions */
	bool closed; /* the reader of the script's output went away */
	bool ended;  /* the script ended itself with `status` */
	int status;
};

/* To add a language: write its functions and a row in script/language.c. */
struct script_language {
	const char *name, *word; /* "Python", "py": as -s and -g name it */
	const char *suffix;      /* of its files */
	/*
	 * Start an interpreter for a script. `args`: NULL-terminated, the script's arguments.
	 * `settings`: for scripts that read them; must outlive the interpreter; may be NULL. NULL
	 * with e when the library or the file is missing.
	 */
	struct interpreter *(*open)(const char *path, char *const *args, const struct config *settings, struct err *e);
	/* Run the script's top-level statements. */
	void (*run)(struct interpreter *i);
	/* Call the script's function with this name, without arguments, if there is one. */
	void (*call)(struct interpreter *i, const char *name);
	/* The same with numbers as arguments; NULL: scripts of this language have no functions for counts. */
	void (*call_numbers)(struct interpreter *i, const char *name, const int64_t *numbers, size_t n);
	/*
	 * End the interpreter, which flushes the script's output. -1 with e if the script failed or
	 * its output could not be written; e has no text if the reader closed the pipe.
	 */
	int (*close)(struct interpreter *i, struct err *e);
	/* Print a starter script: a handler for each tracepoint of the input and one for other events. */
	void (*starter)(const struct perfdata *pd, struct out *o);

	/* The printer's side: pass samples to the script. */
	const struct print_data_form *form;
	void (*init)(struct printer *p);
	void (*free)(struct printer *p);
	/* Pass another record to the script if it has a function for it; may be NULL. */
	void (*sideband)(struct printer *p, const struct record *r);
};
extern const struct script_language python_language, perl_language;

/*
 * Find a language by its name or word, as in "Python:x" (`len`: of the name), or by a path's suffix.
 * NULL: none.
 */
const struct script_language *script_language_named(const char *name, size_t len);
const struct script_language *script_language_of(const char *path);
/* The language `n` of those we have, NULL at the end. */
const struct script_language *script_language_at(size_t n);

/* ---- loading a library ---- */

struct script_library {
	const char *language;
	const char *env;             /* variable that names the library; it replaces the search */
	const char *prefix, *suffix; /* around the minor version in the name of the library */
	unsigned newest, oldest, step;
	const char *const *elsewhere; /* patterns of paths where distributions hide it; NULL = none */
	const char *missing, *cure;
	const char *instead; /* what users of the static build can do */
};
/* dlopen with all symbols global, because modules written in C look them up there. NULL with e. */
void *script_library_load(const struct script_library *l, struct err *e);

/* ---- what samples have in common for all languages ---- */

struct trace_format;
struct trace_field;
struct trace_node;
/* The field with this name, NULL if there is none. */
const struct trace_field *script_field(const struct trace_format *f, const char *name);
/*
 * The field whose values a node of __print_flags or __print_symbolic names, as in
 * "prev_state & 0xff"; UINT32_MAX for other nodes.
 */
uint32_t script_named_field(const struct trace_format *f, const struct trace_node *n);
/* Call `each` for each tracepoint of the input, in the order of its events: for starter scripts. */
void script_formats(const struct perfdata *pd, struct out *o,
		    void (*each)(struct out *o, const char *system, const struct trace_format *f));

#endif
