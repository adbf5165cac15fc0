#include "cmd/shared/wall.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/out.h"

int wall_to_file(const char *input, const struct wall_opts *opts, const char *output, struct err *e)
{
	struct wall_notes notes;

	if (wall_write(input, opts, output, &notes, e) < 0)
		return -1;
	if (notes.unplaced)
		say("WARNING: %llu samples of a CPU are left out: no switch tells how long their threads ran",
		    (unsigned long long)notes.unplaced);
	return 0;
}

const char *wall_input(const char *input, const struct wall_opts *opts, struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	char *name;
	int fd;

	snprintf(path, sizeof(path), "%s/strobe-wall-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		err_sys(e, "cannot create '%s'", path);
		return NULL;
	}
	close(fd);
	if (wall_to_file(input, opts, path, e) < 0) {
		unlink(path);
		return NULL;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path); /* whatever happens, nothing is left behind */
	if (fd < 0) {
		err_sys(e, "cannot open '%s'", path);
		return NULL;
	}
	name = xmalloc(32);
	snprintf(name, 32, "/proc/self/fd/%d", fd);
	return name;
}
