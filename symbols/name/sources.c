#include "symbols/name/sources.h"

#define KIND(k) (1u << DSO_KIND_##k)

/*
 * The sources of symbols, in order of trust: an object takes the first one that has symbols for
 * it. To add a source: write from_NAME.c with a function as described at struct source, and add
 * a row here with the kinds of object it knows.
 */
const struct source sources[] = {
	{ "bundle", KIND(FILE) | KIND(KERNEL) | KIND(MODULE) | KIND(VDSO) | KIND(JIT), false, from_bundle },
	{ "generated code", KIND(KSYMBOL) | KIND(JIT_CODE), false, from_one_symbol },
	{ "perf-PID.map", KIND(JIT), true, from_perfmap },
	{ "vdso", KIND(VDSO), true, from_vdso },
	{ "ELF file", KIND(FILE), true, from_elf },
	{ "kallsyms file given", KIND(KERNEL) | KIND(MODULE), true, from_kallsyms_option },
	{ "kernel image", KIND(KERNEL), true, from_kernel_image },
	{ "kallsyms", KIND(KERNEL) | KIND(MODULE), true, from_kallsyms },
	{ "module file", KIND(MODULE), true, from_module_file },
	{ "bundle", KIND(FILE) | KIND(KERNEL) | KIND(MODULE) | KIND(VDSO) | KIND(JIT), false, from_bundle_last },
	{ NULL, 0, false, NULL },
};
