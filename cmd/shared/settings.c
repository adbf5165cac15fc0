#include "cmd/commands.h"

#include <errno.h>

#include "base/config.h"

/*
 * `named`: the user named this file. Otherwise a file that we may not read is ignored: under sudo
 * or setpriv the home directory may belong to someone else.
 */
static void read_one(struct config *c, const char *path, bool any_owner, bool named, bool quiet)
{
	struct err e = { 0 };
	struct out o;

	if (config_read(c, path, any_owner, &e) < 0 && !quiet && verbosity() >= 0 && (named || e.sys != EACCES)) {
		out_init_fd(&o, STDERR_FILENO);
		err_print(&o, tool_name(), &e);
		out_flush(&o);
		out_release(&o);
	}
}

char *settings_path(enum settings_file which)
{
	const char *home = getenv("HOME"), *xdg = getenv("XDG_CONFIG_HOME");

	if (which == SETTINGS_SYSTEM)
		return xstrdup("/etc/perfconfig");
	if (which == SETTINGS_OWN && xdg && *xdg == '/')
		return xasprintf("%s/strobe/config", xdg);
	if (!home || !*home)
		return NULL;
	return xasprintf(which == SETTINGS_USER ? "%s/.perfconfig" : "%s/.config/strobe/config", home);
}

static void read_all(struct config *c, bool quiet)
{
	const char *named = getenv("PERF_CONFIG");

	if (named) {
		if (*named)
			read_one(c, named, false, true, quiet);
		return;
	}
	for (enum settings_file which = SETTINGS_SYSTEM; which <= SETTINGS_OWN; which++) {
		autofree char *path = settings_path(which);

		if (path)
			read_one(c, path, which == SETTINGS_SYSTEM, false, quiet);
	}
}

void settings_load(struct config *c) { read_all(c, false); }

void settings_use_buildid_dir(void)
{
	struct config c = { 0 };
	const char *dir;

	if (getenv("PERF_BUILDID_DIR"))
		return;
	read_all(&c, true);
	dir = config_find(&c, "buildid.dir");
	if (dir && *dir)
		setenv("PERF_BUILDID_DIR", dir, 0);
	config_release(&c);
}
