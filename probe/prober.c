/* Opening what is probed. */
#include "probe/prober_priv.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>

void prober_note(struct prober *p, const char *fmt, ...)
{
	va_list ap;
	struct out o;

	out_init_mem(&o);
	va_start(ap, fmt);
	out_vfmt(&o, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < p->notes.len; i++)
		if (!strcmp(p->notes.items[i], out_text(&o))) {
			out_release(&o);
			return;
		}
	vec_push(&p->notes, arena_strdup(&p->arena, out_text(&o)));
	out_release(&o);
}

static int open_program(struct prober *p, struct err *e)
{
	char real[PATH_MAX];
	struct debug_opts opts = { .symfs = p->opts.symfs, .no_inlines = p->opts.no_inlines };
	autofree char *below = p->opts.target_ns ? xasprintf("/proc/%d/root/%s", p->opts.target_ns, p->opts.exec) :
		p->opts.symfs ? xasprintf("%s/%s", p->opts.symfs, p->opts.exec) : xstrdup(p->opts.exec);
	struct stat st;

	p->user = true;
	if (!realpath(below, real)) {
		int sys = errno;

		err_set(e, "Failed to get the absolute path of %s: %s", p->opts.exec, strerror(sys));
		return err_exit(e, 129);
	}
	/* the link that leads into another mount name space must stay in the path */
	p->path = p->opts.target_ns ? xasprintf("/proc/%d/root%s%s", p->opts.target_ns, p->opts.exec[0] == '/' ? "" : "/", p->opts.exec) : xstrdup(real);
	if (stat(p->path, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(e, "'%s' is no program or library", p->opts.exec);
		return err_exit(e, 234);
	}
	p->shown_path = xstrdup(p->path);
	if (p->opts.symfs && !strncmp(real, p->opts.symfs, strlen(p->opts.symfs)) && real[strlen(p->opts.symfs)] == '/') {
		free(p->shown_path);
		p->shown_path = xstrdup(real + strlen(p->opts.symfs));
		opts.symfs = NULL;
	}
	p->debug = debug_open(p->path, &opts, e);
	return p->debug ? 0 : -1;
}

struct prober *prober_open(const struct prober_opts *opts, struct err *e)
{
	struct prober *p = xcalloc(1, sizeof(*p));
	int rc;

	p->opts = *opts;
	if (!p->opts.max_probes)
		p->opts.max_probes = 128;
	rc = opts->exec ? open_program(p, e) : err_set(e, "kernel probes are not there yet");
	if (rc < 0) {
		prober_close(p);
		return NULL;
	}
	return p;
}

void prober_close(struct prober *p)
{
	if (!p)
		return;
	debug_close(p->debug);
	free(p->path);
	free(p->shown_path);
	vec_free(&p->notes);
	arena_release(&p->arena);
	free(p);
}

struct debug *prober_debug(struct prober *p)
{
	return p->debug;
}

const char *prober_path(const struct prober *p)
{
	return p->path;
}
