/* Where the image of a kernel is installed. */
#include "symbols/file/vmlinux.h"

#include "base/mem.h"

/* Source: the packages' file lists; Documentation/admin-guide of the kernel tree. */
static const char *const places[VMLINUX_PLACES] = {
	"/boot/vmlinux-%s",
	"/usr/lib/debug/boot/vmlinux-%s",
	"/lib/modules/%s/build/vmlinux",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/boot/vmlinux-%s.debug",
};

char *vmlinux_path(size_t place, const char *release)
{
	const char *mark = strchr(places[place], '%');

	return !release || strchr(release, '/')
		       ? NULL
		       : xasprintf("%.*s%s%s", (int)(mark - places[place]), places[place], release, mark + 2);
}
