#ifndef SYMBOLS_UNWIND_JOINT_H
#define SYMBOLS_UNWIND_JOINT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Find the place where the unwound frames end in the `n` frames that the kernel found. There both agree, for as many
 * frames inward as at any other place (a recursion has the same address many times). Return 0 if there is no such
 * place. Unwound callers are return addresses less one.
 */
uint64_t unwind_joint(const uint8_t *kernels, uint64_t n, const uint64_t *unwound, uint64_t n_unwound);
enum { UNWIND_JOINT_MAX = 4096 }; /* pass no more of the kernel's frames: the search takes the square of it */

#endif
