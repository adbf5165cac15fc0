#ifndef RECORD_MACHINE_KCORE_H
#define RECORD_MACHINE_KCORE_H

#include "base/err.h"
#include "events/caller.h"

/*
 * --kcore: keep the running kernel's code and names beside a recording, in DIR/kcore_dir: kcore
 * (an ELF core with only the code of the kernel and its modules), kallsyms and modules. `proc`
 * is /proc. Source: strobe.data(5), "THE DIRECTORY FORM"; proc(5); elf(5).
 */

/* Check that it can be copied. Return -1 with e set to what is missing and what to do. */
int kcore_check(const char *proc, struct err *e);
/*
 * Copy it into the existing directory `path`. Everything belongs to `owner`, if one is given.
 * On failure, files written so far stay.
 */
int kcore_copy(const char *proc, const char *path, const struct caller *owner, struct err *e);
/* Copy the same three files directly into the directory `dir`. */
int kcore_copy_to(const char *proc, const char *dir, const struct caller *owner, struct err *e);

#endif
