#ifndef PROBE_REGISTERS_PRIV_H
#define PROBE_REGISTERS_PRIV_H

#include <stddef.h>
#include <stdint.h>

/*
 * Register names in the kernel's fetch arguments, like "%di", from the table of architectures (symbols/arch/arch.h).
 * The numbers are DWARF's, from the psABI of each architecture.
 */
const char *register_of_dwarf(uint16_t machine, uint32_t number); /* NULL: the kernel cannot fetch it */
/*
 * Return the register of the n-th integer argument (from 0) at a function's entry; NULL if it is on
 * the stack or the machine is unknown.
 */
const char *register_of_argument(uint16_t machine, unsigned n);
/* Return all names, for suggestions (NULL-terminated); NULL for an unknown machine. */
const char *const *register_names(uint16_t machine);

#endif
