#include "probe/registers_priv.h"

#include "symbols/arch/arch.h"

static const char *nth(const char *const *names, uint32_t n)
{
	for (uint32_t i = 0; names && names[i]; i++)
		if (i == n)
			return names[i];
	return NULL;
}

const char *const *register_names(uint16_t machine)
{
	const struct arch *a = arch_of_elf(machine);

	return a ? a->probe_regs : NULL;
}

const char *register_of_dwarf(uint16_t machine, uint32_t number) { return nth(register_names(machine), number); }

const char *register_of_argument(uint16_t machine, unsigned n)
{
	const struct arch *a = arch_of_elf(machine);

	return a ? nth(a->probe_args, n) : NULL;
}
