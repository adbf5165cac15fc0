/* Advice for a refusal by the system when the error itself has none. */
#include "cmd/commands.h"

#include <errno.h>

void err_try_by_errno(struct err *e)
{
	static const struct {
		int sys;
		const char *fix;
	} fixes[] = {
		{ ENOENT, "check the name, with ls" },
		{ ENOTDIR, "check the name, with ls: a part of it is no directory" },
		{ EACCES, "as the owner, whom ls -l shows, or as root" },
		{ EPERM, "as root" },
		{ EISDIR, "the name of a file" },
		{ EROFS, "another place: this one is mounted read-only" },
		{ ENOSPC, "another place, or free some space: df -h shows how much there is" },
		{ EDQUOT, "another place, or free some space: your quota is used up" },
		{ EMFILE, "ulimit -n with more" },
		{ ENXIO, "another file: nobody listens at the other end of this one" },
		{ ELOOP, "the file itself: these symbolic links go in a circle" },
		{ ENAMETOOLONG, "a shorter name" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fixes) && e->sys && !e->fix[0]; i++)
		if (fixes[i].sys == e->sys)
			err_try(e, "%s", fixes[i].fix);
}
