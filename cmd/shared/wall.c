#include "cmd/shared/wall.h"

#include "base/say.h"
#include "cmd/shared/rewritten.h"

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

struct wall_rewrite {
	const char *input;
	const struct wall_opts *opts;
};

static int write_wall(void *of, const char *path, struct err *e)
{
	const struct wall_rewrite *w = of;

	return wall_to_file(w->input, w->opts, path, e);
}

const char *wall_input(const char *input, const struct wall_opts *opts, struct err *e)
{
	return rewritten_input("wall", write_wall, &(struct wall_rewrite){ input, opts }, e);
}
