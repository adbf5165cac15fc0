#ifndef CMD_SHARED_OPTIONS_H
#define CMD_SHARED_OPTIONS_H

#include "base/opt.h"
#include "report/annotate/annotate.h"
#include "symbols/symbols.h"

/*
 * Groups of options that several commands share. Each group is a struct that a command embeds, and
 * a table whose rows the command includes (OPT_INCLUDE in base/opt.h): all rows, or those that it
 * names.
 */

/* Where objects lie, and how they are named. Defaults: OBJECT_DEFAULTS. */
struct object_opts {
	const char *vmlinux, *kallsyms, *symfs, *unwind_style;
	bool ignore_vmlinux, modules, demangle, demangle_kernel, short_templates;
};
#define OBJECT_DEFAULTS \
	{ \
		.modules = true, .demangle = true \
	}
extern const struct opt object_options[];
/* Convert these options for symbols/. `force`: see force_options. */
struct symbols_opts object_symbols(const struct object_opts *o, bool force);

/* Lists that select samples. A NULL list passes all. */
struct sample_opts {
	const char *dsos, *symbols, *pids, *tids;
};
extern const struct opt sample_options[];

/* How to disassemble code, and where its source files are. */
struct code_opts {
	const char *style, *prefix, *objdump;
	uint64_t prefix_strip;
	enum percent_type percent;
};
extern const struct opt code_options[];

/* -f: the member is a bool. */
extern const struct opt force_options[];
/* Options of perf that change nothing here. The member is a const char * that nobody reads. */
extern const struct opt accepted_options[];

#endif
