/*
 * The options that several commands share. To add one: a row here, its member in the group's
 * struct, and its name in the OPT_INCLUDE rows of commands that list names.
 */
#include "cmd/shared/options.h"

#define AT(member) offsetof(struct object_opts, member)
const struct opt object_options[] = {
	{ 'k', "vmlinux", OPT_STR, AT(vmlinux), "file", "take the kernel's symbols and code from this image" },
	{ 0, "ignore-vmlinux", OPT_BOOL, AT(ignore_vmlinux), NULL, "do not look for an image of the kernel" },
	{ 0, "kallsyms", OPT_STR, AT(kallsyms), "file", "take the kernel's symbols from this list" },
	{ 0, "symfs", OPT_STR, AT(symfs), "dir[,layout]",
	  "look for objects below this directory, by path (hierarchy) or by name alone (flat)" },
	{ 'm', "modules", OPT_BOOL, AT(modules), NULL, "use the symbols of the kernel's modules (default)" },
	{ 0, "demangle", OPT_BOOL, AT(demangle), NULL, "show names as in the source (default)" },
	{ 0, "demangle-kernel", OPT_BOOL, AT(demangle_kernel), NULL, "demangle names of the kernel, too" },
	{ 0, "unwind-style", OPT_STR, AT(unwind_style), "list",
	  "who unwinds copied stacks: cfi (ours), libunwind, libdw; of several, the next continues where one stops", 0,
	  .values = ",cfi libunwind libdw" },
	{ 0, "short-templates", OPT_BOOL, AT(short_templates), NULL, "show template arguments as <...>", OPT_OURS },
	{ 0 },
};
#undef AT

struct symbols_opts object_symbols(const struct object_opts *o, bool force)
{
	return (struct symbols_opts){
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
		.symfs = o->symfs,
		.no_kernel_image = o->ignore_vmlinux,
		.no_modules = !o->modules,
		.no_demangle = !o->demangle,
		.demangle_kernel = o->demangle_kernel,
		.short_templates = o->short_templates,
		.force = force,
		.unwind_style = o->unwind_style,
	};
}

#define AT(member) offsetof(struct sample_opts, member)
const struct opt sample_options[] = {
	{ 'd', "dsos", OPT_STR, AT(dsos), "object,...", "only samples in these objects" },
	{ 'S', "symbols", OPT_STR, AT(symbols), "name,...", "only samples in these functions" },
	{ 0, "pid", OPT_STR, AT(pids), "pid,...", "only samples of these processes" },
	{ 0, "tid", OPT_STR, AT(tids), "tid,...", "only samples of these threads" },
	{ 0 },
};
#undef AT

static int set_percent_type(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return percent_type_parse(value, &((struct code_opts *)opts)->percent, e);
}

#define AT(member) offsetof(struct code_opts, member)
const struct opt code_options[] = {
	{ 'M', "disassembler-style", OPT_STR, AT(style), "style",
	  "att or intel; with --objdump a style of that program", .values = "att intel" },
	{ 0, "prefix", OPT_STR, AT(prefix), "prefix", "put this before paths of source files" },
	{ 0, "prefix-strip", OPT_U64, AT(prefix_strip), "n", "first drop that many leading directories" },
	{ 0, "objdump", OPT_STR, AT(objdump), "path", "disassemble with this program" },
	{ 0, "percent-type", OPT_CALL, 0, "type",
	  "shares of instructions: local (of the function) or global (of all samples), -period or -hits (default: "
	  "local-period)",
	  OPT_NONEG, set_percent_type, .values = "local-period local-hits global-period global-hits" },
	{ 0 },
};
#undef AT

const struct opt force_options[] = {
	{ 'f', "force", OPT_BOOL, 0, NULL, "read files of other users" },
	{ 0 },
};

const struct opt accepted_options[] = {
	{ 0, "addr2line", OPT_STR, 0, "path", "program that reads lines; accepted: strobe reads them itself" },
	{ 0, "addr2line-style", OPT_STR, 0, "list", "how to read lines; accepted: libdw reads them in any case" },
	{ 0 },
};
