#include "events/caller.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/units.h"

static int not_through_sudo(const char *why, struct err *e)
{
	err_set(e, "--as-caller: no calling user is known");
	err_why(e, "%s", why);
	err_try(e, "sudo %s record (or stat) --as-caller ... COMMAND", tool_name());
	return err_exit(e, EXIT_BAD_USAGE);
}

static bool number_of(const char *variable, uint64_t *n)
{
	const char *text = getenv(variable);

	return text && !parse_u64(text, n, NULL) && *n < UINT32_MAX;
}

int caller_find(struct caller *c, struct err *e)
{
	const char *name = getenv("SUDO_USER");
	uint64_t uid, gid;
	struct passwd *user;

	if (geteuid())
		return not_through_sudo("only root can run a command as another user", e);
	if (!name || !number_of("SUDO_UID", &uid) || !number_of("SUDO_GID", &gid))
		return not_through_sudo("SUDO_USER, SUDO_UID and SUDO_GID are not all set, as sudo sets them", e);
	user = getpwnam(name);
	if (!user || user->pw_uid != uid || strlen(name) >= sizeof(c->name))
		return not_through_sudo("SUDO_USER and SUDO_UID name no user, or not the same one", e);
	*c = (struct caller){ .given = true, .uid = (uid_t)uid, .gid = (gid_t)gid };
	strcpy(c->name, name);
	snprintf(c->home, sizeof(c->home), "%s", user->pw_dir);
	snprintf(c->shell, sizeof(c->shell), "%s", user->pw_shell);
	return 0;
}

/* Check all three ids: nothing of root may be left. */
static bool is_caller(const struct caller *c)
{
	uid_t uid[3];
	gid_t gid[3];

	if (getresuid(&uid[0], &uid[1], &uid[2]) < 0 || getresgid(&gid[0], &gid[1], &gid[2]) < 0)
		return false;
	for (int i = 0; i < 3; i++)
		if (uid[i] != c->uid || gid[i] != c->gid)
			return false;
	return !c->uid || (setuid(0) < 0 && seteuid(0) < 0);
}

int caller_become(const struct caller *c)
{
	/* Set the user last: without root's rights we could not change the groups. */
	if (initgroups(c->name, c->gid) < 0 || setresgid(c->gid, c->gid, c->gid) < 0 ||
	    setresuid(c->uid, c->uid, c->uid) < 0)
		return -1;
	if (!is_caller(c)) {
		errno = EPERM;
		return -1;
	}
	return setenv("HOME", c->home, 1) | setenv("SHELL", c->shell, 1) | setenv("USER", c->name, 1) |
	       setenv("LOGNAME", c->name, 1);
}
