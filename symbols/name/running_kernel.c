/* Find out whether this machine runs the recorded kernel, and where it lies in memory now. */
#include "symbols/name/kallsyms.h"

#include <sys/utsname.h>

#include "symbols/name/sources.h"

int running_kernel_fits(struct symbols *s)
{
	const struct dso *kernel = symbols_get_dso(s, DSO_KERNEL);
	struct build_id here;
	struct utsname u;

	if (s->opts.foreign)
		return 0;
	if (kernel->id.size && !build_id_of_kernel(&here, NULL))
		return build_id_equal(&here, &kernel->id);
	if (s->opts.osrelease && !uname(&u))
		return !strcmp(u.release, s->opts.osrelease);
	return -1;
}

bool running_kernel_moved(struct symbols *s, uint64_t *delta)
{
	const struct dso *kernel = symbols_get_dso(s, DSO_KERNEL);
	uint64_t now;

	if (s->opts.symfs || running_kernel_fits(s) != 1 || !kernel->ref_name || !kernel->start)
		return false;
	now = kallsyms_address("/proc/kallsyms", kernel->ref_name);
	*delta = kernel->start - now;
	return now;
}
