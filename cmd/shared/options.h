#ifndef CMD_SHARED_OPTIONS_H
#define CMD_SHARED_OPTIONS_H

#include "base/opt.h"
#include "report/annotate/annotate.h"
#include "symbols/symbols.h"

/*
 * Options that several commands have, in groups. Each group is a struct that a command embeds and a
 * table whose rows the command includes (OPT_INCLUDE in base/opt.h): all of them, or those it names.
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
/* What these options mean for symbols. `force`: see force_options. */
struct symbols_opts object_symbols(const struct object_opts *o, bool force);

/* Which samples, where the values are lists. A NULL list passes all. */
struct sample_opts {
	const char *dsos, *symbols, *pids, *tids;
};
extern const struct opt sample_options[];

/* How code is disassembled, and where its source lies. */
struct code_opts {
	const char *style, *prefix, *objdump;
	uint64_t prefix_strip;
	enum percent_type percent;
};
extern const struct opt code_options[];

/* -f: the member is a bool. */
extern const struct opt force_options[];
/* Options of perf that change nothing here; the member is a const char * that nobody reads. */
extern const struct opt accepted_options[];

#endif
