/*
 * Ways to allow measuring, smallest grant first: capabilities of this program's file, then a sysctl
 * for all programs of all users. Source: capabilities(7), "File capabilities";
 * Documentation/admin-guide/perf-security.rst of the kernel.
 */
#include "base/out.h"
#include "events/events_priv.h"

enum { LEVEL_ANY_TRACE = -1, LEVEL_SYSTEM = 0, LEVEL_KERNEL = 1, LEVEL_USER = 2 };

/* Return the highest level of perf_event_paranoid that allows it. */
static int level_needed(const struct permission *want)
{
	return want->trace ? LEVEL_ANY_TRACE : want->system ? LEVEL_SYSTEM : want->kernel ? LEVEL_KERNEL : LEVEL_USER;
}

/*
 * Return true if capabilities of the program's file work. They have no effect in a user namespace,
 * with no_new_privs, or outside the bounding set.
 */
static bool file_caps_work(const struct facts *f, uint64_t caps)
{
	return !f->user_namespace && !f->no_new_privs && (f->caps_allowed & caps) == caps;
}

static char *program(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path));

	return len > 0 ? xstrndup(path, (size_t)len) : xstrdup(tool_name());
}

/*
 * Return true if capabilities may not help. Levels above 2 are the distribution's own, and where
 * they refuse everything CAP_PERFMON does not always help, so we do not offer it.
 */
static bool beyond_capabilities(const struct facts *f) { return f->level > LEVEL_USER && !f->own_events; }

static struct grant command(char *text) { return (struct grant){ .text = text, .is_command = true }; }

static struct grant words(const char *text) { return (struct grant){ .text = xstrdup(text) }; }

struct grant capability_grant(const struct facts *f, const char *names, uint64_t caps)
{
	autofree char *path = program();

	if (file_caps_work(f, caps))
		return command(xasprintf("setcap %s+ep %s", names, path));
	return words(f->user_namespace ? "as root outside of the user namespace"
		     : f->container    ? "start the container with --cap-add PERFMON"
				       : "as root");
}

static struct grant for_program(const struct facts *f, const struct permission *want)
{
	uint64_t caps = 1ull << (f->has_cap_perfmon ? FACT_CAP_PERFMON : FACT_CAP_SYS_ADMIN);
	autofree char *names = xasprintf("%s%s", f->has_cap_perfmon ? "cap_perfmon" : "cap_sys_admin",
					 /* we also read their maps */
					 want->others ? ",cap_sys_ptrace" : "");

	return capability_grant(f, names, caps | (want->others ? 1ull << FACT_CAP_SYS_PTRACE : 0));
}

struct grant permission_grant(const struct facts *f, const struct permission *want, unsigned i)
{
	struct grant first = for_program(f, want);
	int level = level_needed(want);
	/* Suggest "as root" only if there is no other way. */
	bool offered = want->needs_capability ||
		       (!beyond_capabilities(f) && (first.is_command || (f->container && !f->user_namespace)));

	if (!i && offered)
		return first;
	free(first.text);
	if (i + !offered > 1 || want->needs_capability)
		return (struct grant){ 0 };
	if (f->user_namespace || f->container)
		return (struct grant){
			.text = xasprintf("as root %s: sysctl kernel.perf_event_paranoid=%d",
					  f->user_namespace ? "outside of the user namespace" : "on the host", level)
		};
	return command(xasprintf("sysctl kernel.perf_event_paranoid=%d", level));
}
