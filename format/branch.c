/* Names of branch types and speculation outcomes. Source: linux/perf_event.h, PERF_BR_* and PERF_BR_SPEC_*. */
#include "format/branch.h"

#include "base/mem.h"

const char *branch_type_name(uint64_t flags)
{
	static const char *const types[] = { "",         "COND", "UNCOND",  "IND",    "CALL",
					     "IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
					     "COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX" };
	static const char *const more[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
					    "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5" };
	unsigned type = flags >> 20 & 15, extended = flags >> 26 & 15;

	return type < ARRAY_SIZE(types) ? types[type] : extended < ARRAY_SIZE(more) ? more[extended] : "";
}

const char *branch_speculation_name(uint64_t flags)
{
	static const char *const names[] = { "", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH" };

	return names[branch_speculation(flags)];
}
