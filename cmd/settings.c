#include "cmd/commands.h"

#include "base/config.h"

static void read_one(struct config *c, const char *path, bool any_owner)
{
	struct err e = { 0 };
	struct out o;

	if (config_read(c, path, any_owner, &e) < 0 && verbose >= 0) {
		out_init_fd(&o, STDERR_FILENO);
		err_print(&o, tool_name, &e);
		out_flush(&o);
		out_release(&o);
	}
}

void settings_load(struct config *c)
{
	const char *named = getenv("PERF_CONFIG"), *home = getenv("HOME");
	autofree char *own = home && *home ? xasprintf("%s/.perfconfig", home) : NULL;

	if (named) {
		if (*named)
			read_one(c, named, false);
		return;
	}
	read_one(c, "/etc/perfconfig", true);
	if (own)
		read_one(c, own, false);
}
