#ifndef CMD_SHARED_OPTIONS_H
#define CMD_SHARED_OPTIONS_H

#include "base/config.h"
#include "base/opt.h"
#include "report/annotate/annotate.h"
#include "report/session/filter.h"
#include "symbols/symbols.h"

/*
 * Groups of options that several commands share. Each group is a struct that a command embeds, and
 * a table whose rows the command includes (OPT_INCLUDE in base/opt.h): all rows, or those that it
 * names.
 */

/* Where objects lie, and how they are named. Defaults: OBJECT_DEFAULTS. */
struct object_opts {
	const char *vmlinux, *kallsyms, *symfs, *unwind_style, *debuginfod;
	bool ignore_vmlinux, modules, demangle, demangle_kernel, short_templates, bundle_first;
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
	const char *cpus, *comms;
};
extern const struct opt sample_options[]; /* letters that differ are in the commands' rows */
/* Add the lists to a filter. -1 with e: one is malformed. */
int sample_opts_filter(const struct sample_opts *o, struct sample_filter *f, struct err *e);

/* The same where each use adds to a struct sample_filter, which the command embeds. */
extern const struct opt filter_options[];

/* How to disassemble code, and where its source files are. */
struct code_opts {
	const char *style, *prefix, *objdump;
	uint64_t prefix_strip;
	enum percent_type percent;
};
extern const struct opt code_options[];
/* -1 with e if we are to disassemble and do not know the style. */
int code_style_check(const struct code_opts *o, struct err *e);
enum disasm_syntax code_syntax(const struct code_opts *o);

/*
 * Rows that stand alone: the row that includes one says where its member is, and in `help` what it
 * means for the command where that differs. input, itrace, time, output and field-separator: const char *;
 * verbose: int; trace-text: enum trace_text_by; others: bool.
 */
extern const struct opt usual_options[];
/* Which part of call chains to show. call-graph and stitch-lbr: bool; max-stack: uint64_t. */
extern const struct opt chain_options[];
/* For --target-ns: -1 with e if no process has this id: its files would only seem to be missing. 0: not given. */
int target_ns_check(int pid, struct err *e);
/* -v and -q that set `verbose` as soon as they are read; no member. */
extern const struct opt talk_options[];
/*
 * What to measure on the running system. pid, tid, cpu and mmap-pages: const char *; as-caller: struct caller; others:
 * bool.
 */
extern const struct opt target_options[];
/* Which events there are; the members are const char *. */
extern const struct opt event_file_options[];
/* Read these files, or NULL: those of the setting stat.event-files, if any (events/event_files.h). */
int event_files_use(const char *dir, const struct config *c, struct err *e);
/* What agents, and exports for the engines that they send to, say of the host. The members are const char *. */
extern const struct opt agent_options[];
/* -f: the member is a bool. */
extern const struct opt force_options[];
/* Options of perf that change nothing here. The member is a const char *, which is never read. */
extern const struct opt accepted_options[];

#endif
