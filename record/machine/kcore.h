#ifndef RECORD_MACHINE_KCORE_H
#define RECORD_MACHINE_KCORE_H

#include "base/err.h"
#include "events/caller.h"

/*
 * --kcore: the running kernel's code and names, kept beside a recording: DIR/kcore_dir/kcore (an ELF core with the code
 * of the kernel and of its modules alone), kallsyms and modules. `proc` is /proc. Source: strobe.data(5), "THE
 * DIRECTORY FORM"; proc(5); elf(5).
 */

/* Can it be copied? -1 with e: what is missing, and what to do. */
int kcore_check(const char *proc, struct err *e);
/* Into the directory `path`, which exists; what was written stays there on failure. All of it belongs to `owner`, if
 * one is given. */
int kcore_copy(const char *proc, const char *path, const struct caller *owner, struct err *e);
/* The same three files right into the directory `dir`. */
int kcore_copy_to(const char *proc, const char *dir, const struct caller *owner, struct err *e);

#endif
