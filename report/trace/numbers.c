/* Join the names of an architecture's system calls with those that all architectures have. */
#include "report/trace/numbers.h"

#include <pthread.h>

#include "base/mem.h"
#include "symbols/arch/arch.h"

static const char common_names[] = /* from 424 */
	"pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen "
	"fsconfig fsmount fspick pidfd_open clone3 close_range openat2 pidfd_getfd faccessat2 process_madvise "
	"epoll_pwait2 mount_setattr quotactl_fd landlock_create_ruleset landlock_add_rule "
	"landlock_restrict_self memfd_secret process_mrelease futex_waitv set_mempolicy_home_node cachestat "
	"fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue statmount listmount lsm_get_self_attr "
	"lsm_set_self_attr lsm_list_modules mseal setxattrat getxattrat listxattrat removexattrat "
	"open_tree_attr file_getattr file_setattr";

enum { COMMON_FIRST = 424 }; /* new calls have the same number everywhere */

struct arch_syscalls {
	const struct arch *arch;
	struct syscall_names names;
};
static VEC(struct arch_syscalls) tables; /* of the architectures whose calls we know */
static const struct syscall_names none;
static struct arena memory;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(struct syscall_names *n, const char *names, int first)
{
	char *copy = arena_strdup(&memory, names), *rest = NULL;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest), first++)
		if (*word != '-')
			n->names[first] = word;
}

static void fill_all(void)
{
	const struct arch *a;

	for (size_t i = 0; (a = arch_at(i)); i++) {
		struct arch_syscalls t = { .arch = a };

		if (!a->syscalls)
			continue;
		fill(&t.names, a->syscalls, a->first_syscall);
		fill(&t.names, common_names, COMMON_FIRST);
		vec_push(&tables, t);
	}
}

const struct syscall_names *syscall_names_of(const char *machine)
{
	const struct arch *a = machine && *machine ? arch_find(machine) : NULL;

	pthread_once(&once, fill_all);
	for (size_t i = 0; i < tables.len; i++)
		if (tables.items[i].arch == a)
			return &tables.items[i].names;
	return &none;
}

const char *syscall_name(const struct syscall_names *n, int64_t number)
{
	return number >= 0 && number < SYSCALLS_MOST ? n->names[number] : NULL;
}

int syscall_number(const struct syscall_names *n, const char *name)
{
	for (int i = 0; i < SYSCALLS_MOST; i++)
		if (n->names[i] && !strcmp(n->names[i], name))
			return i;
	return -1;
}
