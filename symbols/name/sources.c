#include "symbols/name/sources.h"

#define KIND(k) (1u << DSO_KIND_##k)

/*
 * The sources of symbols, in order of trust: an object takes the first one that has symbols for
 * it. To add a source: write from_NAME.c with a function as described at struct source, and add
 * a row here with the kinds of object it knows.
 */
const struct source sources[] = {
	{ "generated code", KIND(KSYMBOL) | KIND(JIT_CODE), from_one_symbol },
	{ "perf-PID.map", KIND(JIT), from_perfmap },
	{ "vdso", KIND(VDSO), from_vdso },
	{ "ELF file", KIND(FILE), from_elf },
	{ "kallsyms file given", KIND(KERNEL) | KIND(MODULE), from_kallsyms_option },
	{ "kernel image", KIND(KERNEL), from_kernel_image },
	{ "kallsyms", KIND(KERNEL) | KIND(MODULE), from_kallsyms },
	{ "module file", KIND(MODULE), from_module_file },
	{ NULL, 0, NULL },
};
