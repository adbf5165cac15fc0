#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include "probe/prober_priv.h"

#ifdef STROBE_STATIC
uint64_t ifunc_target(const char *path, const char *name, const char *version, bool *known)
{
	*known = false;
	return 0;
}
#else
struct wanted_object {
	struct stat st;
	uint64_t base;
	bool found;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct wanted_object *w = data;
	struct stat st;

	if (info->dlpi_name && info->dlpi_name[0] && stat(info->dlpi_name, &st) == 0 && st.st_ino == w->st.st_ino &&
	    st.st_dev == w->st.st_dev) {
		w->base = info->dlpi_addr;
		w->found = true;
	}
	return w->found;
}

uint64_t ifunc_target(const char *path, const char *name, const char *version, bool *known)
{
	struct wanted_object w = { 0 };
	Dl_info where;
	void *address;

	*known = false;
	if (!path || stat(path, &w.st) < 0 || !dl_iterate_phdr(look, &w))
		return 0;
	address = version ? dlvsym(RTLD_DEFAULT, name, version) : dlsym(RTLD_DEFAULT, name);
	if (!address || !dladdr(address, &where) || (uint64_t)(uintptr_t)where.dli_fbase != w.base)
		return 0;
	*known = true;
	return (uint64_t)(uintptr_t)address - w.base;
}
#endif
