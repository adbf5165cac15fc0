#ifndef REPORT_TRACE_NUMBERS_H
#define REPORT_TRACE_NUMBERS_H

#include <stdint.h>

/*
 * Names of system calls by number. `machine` is uname's: x86_64, i686, aarch64, s390x; an unknown one has no names.
 *
 *	const struct syscall_names *names = syscall_names_of("x86_64");
 *	puts(syscall_name(names, 1));	write
 */
enum { SYSCALLS_MOST = 512 };
struct syscall_names {
	const char *names[SYSCALLS_MOST]; /* NULL: no such call */
};
/* Lives as long as the program. */
const struct syscall_names *syscall_names_of(const char *machine);
/* NULL: unknown. */
const char *syscall_name(const struct syscall_names *n, int64_t number);
/* -1: unknown. */
int syscall_number(const struct syscall_names *n, const char *name);

#endif
