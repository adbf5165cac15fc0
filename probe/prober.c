/* Open the object to probe. */
#include "probe/prober_priv.h"
#include "probe/registers_priv.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "symbols/file/vmlinux.h"
#include "symbols/name/demangle.h"
#include "symbols/symbols.h"

void prober_note(struct prober *p, const char *fmt, ...)
{
	autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < p->notes.len; i++)
		if (!strcmp(p->notes.items[i], text))
			return;
	vec_push(&p->notes, arena_strdup(&p->arena, text));
}

static int open_program(struct prober *p, struct err *e)
{
	char real[PATH_MAX];
	struct debug_opts opts = { .symfs = p->opts.symfs, .no_inlines = p->opts.no_inlines };
	autofree char *below = p->opts.target_ns ? xasprintf("/proc/%d/root/%s", p->opts.target_ns, p->opts.exec)
			       : p->opts.symfs   ? xasprintf("%s/%s", p->opts.symfs, p->opts.exec)
						 : xstrdup(p->opts.exec);
	struct stat st;

	p->user = true;
	if (!realpath(below, real)) {
		int sys = errno;

		err_set(e, "Failed to get the absolute path of %s: %s", p->opts.exec, strerror(sys));
		err_try(e, "check the name, with ls; a program in PATH needs its path: $(which NAME)");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	/* keep the link into the other mount namespace in the path */
	p->path = p->opts.target_ns ? xasprintf("/proc/%d/root%s%s", p->opts.target_ns,
						p->opts.exec[0] == '/' ? "" : "/", p->opts.exec)
				    : xstrdup(real);
	if (stat(p->path, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(e, "'%s' is no program or library", p->opts.exec);
		err_try(e, "-x with an ELF file; 'file NAME' shows what a file is");
		return err_exit(e, EXIT_INVALID);
	}
	p->shown_path = xstrdup(p->path);
	if (p->opts.symfs && !strncmp(real, p->opts.symfs, strlen(p->opts.symfs)) &&
	    real[strlen(p->opts.symfs)] == '/') {
		free(p->shown_path);
		p->shown_path = xstrdup(real + strlen(p->opts.symfs));
		opts.symfs = NULL;
	}
	p->debug = debug_open(p->path, &opts, e);
	return p->debug ? 0 : -1;
}

/* ---- the kernel ---- */

static struct debug *open_image(struct prober *p, const char *path, struct err *e)
{
	struct debug_opts opts = { .symfs = p->opts.symfs, .no_inlines = p->opts.no_inlines };
	char real[PATH_MAX];

	if (!realpath(path, real)) {
		err_sys(e, "cannot open '%s'", path);
		err_exit(e, EXIT_NOT_FOUND);
		return NULL;
	}
	return debug_open(real, &opts, e);
}

/* Return true if the image is that of the running kernel. */
static bool is_running(struct debug *d, const char *module)
{
	struct build_id id = { 0 };
	char own[41], running[41];

	debug_build_id(d, own);
	if ((module ? build_id_of_module(module, &id, NULL) : build_id_of_kernel(&id, NULL)) < 0)
		return false;
	build_id_format(&id, running);
	return own[0] && !strcmp(own, running);
}

static struct debug *find_image(struct prober *p)
{
	struct utsname u;

	for (size_t i = 0; i < VMLINUX_PLACES && !uname(&u) && !p->opts.symfs; i++) {
		/* place 0 last: its image seldom has DWARF */
		autofree char *path = vmlinux_path((i + 1) % VMLINUX_PLACES, u.release);
		struct debug *d = path && access(path, R_OK) == 0 ? open_image(p, path, NULL) : NULL;

		if (d && is_running(d, NULL)) {
			p->path = xstrdup(path);
			return d;
		}
		debug_close(d);
	}
	return NULL;
}

/* Find a module's file by name below a directory of modules; the caller frees the path. */
static char *find_module_below(const char *dir, const char *name)
{
	char *paths[] = { (char *)dir, NULL }, *found = NULL;
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	size_t len = strlen(name);

	for (FTSENT *f; fts && !found && (f = fts_read(fts));) {
		if (f->fts_info == FTS_F && module_name_begins(f->fts_name, name) &&
		    !strncmp(f->fts_name + len, ".ko", 3))
			found = xstrdup(f->fts_path);
	}
	if (fts)
		fts_close(fts);
	return found;
}

/* Find a module; prefer the file with debug information. */
static char *find_module(const char *name)
{
	static const char *const dirs[] = { "/usr/lib/debug/lib/modules", "/lib/modules" };
	struct utsname u;
	char *path = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !path && !uname(&u); i++) {
		autofree char *dir = xasprintf("%s/%s", dirs[i], u.release);

		path = find_module_below(dir, name);
	}
	return path;
}

/* Return the module's name: "nf-nat.ko.xz" is nf_nat. */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *end = strstr(base, ".ko");
	char *name = end ? xstrndup(base, (size_t)(end - base)) : xstrdup(base);

	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static bool is_loaded(const char *module)
{
	autofree char *path = xasprintf("/sys/module/%s", module);

	return access(path, F_OK) == 0;
}

static int open_module(struct prober *p, struct err *e)
{
	bool is_path = strchr(p->opts.module, '/') || strstr(p->opts.module, ".ko");

	p->module = module_name(p->opts.module);
	p->path = is_path ? xstrdup(p->opts.module) : find_module(p->module);
	if (p->path)
		p->debug = open_image(p, p->path, is_path ? e : NULL);
	if (is_path && !p->debug)
		return -1;
	if (!p->path && !is_loaded(p->module)) {
		err_set(e, "Failed to find module '%s'", p->module);
		err_why(e, "it is neither loaded nor below /lib/modules of this kernel");
		err_try(e, "-m with the path of its file");
		return err_exit(e, EXIT_NOT_FOUND);
	}
	if (is_path && !is_running(p->debug, p->module))
		return 0; /* another kernel's, or not loaded: only for showing */
	p->kernel = kernel_new();
	return 0;
}

static int open_kernel(struct prober *p, struct err *e)
{
	if (p->opts.module)
		return open_module(p, e);
	if (p->opts.vmlinux) {
		p->debug = open_image(p, p->opts.vmlinux, e);
		if (!p->debug)
			return -1;
		p->path = xstrdup(p->opts.vmlinux);
		if (!is_running(p->debug, NULL)) {
			if (p->opts.show_only)
				return 0;
			err_set(e, "'%s' is not the image of the running kernel", p->opts.vmlinux);
			err_why(e, "their build-ids differ");
			err_try(e, "-D shows the definition for that kernel; without -k the running kernel's own types "
				   "are used");
			return err_exit(e, EXIT_NOT_FOUND);
		}
	} else {
		p->debug = find_image(p);
	}
	p->kernel = kernel_new();
	return 0;
}

struct btf_types *prober_btf(struct prober *p)
{
	if (!p->btf_tried && p->kernel) {
		p->btf_tried = true;
		p->btf = btf_types_open(p->module, NULL, NULL);
	}
	return p->btf;
}

struct prober *prober_open(const struct prober_opts *opts, struct err *e)
{
	struct prober *p = xcalloc(1, sizeof(*p));
	int rc;

	p->opts = *opts;
	if (!p->opts.max_probes)
		p->opts.max_probes = 128;
	rc = opts->exec ? open_program(p, e) : open_kernel(p, e);
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
	kernel_free(p->kernel);
	btf_types_close(p->btf);
	free(p->module);
	free(p->path);
	free(p->shown_path);
	vec_free(&p->notes);
	arena_release(&p->arena);
	free(p);
}

struct debug *prober_debug(struct prober *p) { return p->debug; }

const char *prober_path(const struct prober *p) { return p->path; }

bool prober_is_user(const struct prober *p) { return p->user; }

static const char *plain_text(struct prober *p, const char *name)
{
	const char *text = name[0] == '_' ? demangle(name, &p->arena) : NULL;

	return text ? text : name;
}

static int list_kernel(struct prober *p, bool demangled, struct probe_list *out, struct err *e)
{
	struct kernel_symbols all = { 0 };
	int rc = kernel_names(p->kernel, p->module, &all, e);

	for (size_t i = 0; i < all.len && !rc; i++) {
		const char *text = demangled ? plain_text(p, all.items[i].name) : all.items[i].name;

		vec_push(out, (struct probe_listed){ text, text });
	}
	vec_free(&all);
	return rc;
}

static const char *add_version(struct prober *p, const struct debug_name *n, const char *text)
{
	size_t len = strlen(text), more = strlen(n->version);
	char *to = arena_alloc(&p->arena, len + more + 3);

	memcpy(to, text, len);
	memcpy(to + len, n->default_version ? "@@" : "@", 2);
	strcpy(to + len + 1 + n->default_version, n->version);
	return to;
}

static uint64_t version_hash(const struct debug_name *n)
{
	return hash_mix(hash_bytes(n->name, strlen(n->name), 0), hash_bytes(n->version, strlen(n->version), 0));
}

int prober_names(struct prober *p, bool demangled, struct probe_list *out, struct err *e)
{
	const struct debug_name *names;
	struct u64map written = { 0 }; /* versions as written in static tables */
	size_t n;

	if (p->kernel && (!p->opts.vmlinux || !p->debug)) {
		int rc = list_kernel(p, demangled, out, e);

		if (rc || out->len || !p->debug)
			return rc; /* the file of a module that is not loaded */
	}
	names = debug_unsorted_names(p->debug, &n);
	for (size_t i = 0; i < n; i++)
		if (names[i].version_written)
			*u64map_put(&written, version_hash(&names[i]), NULL) = 1;
	vec_reserve(out, n);
	for (size_t i = 0; i < n; i++) {
		const char *plain = demangled ? debug_demangle(p->debug, names[i].name) : names[i].name;
		bool shown = names[i].version &&
			     (!names[i].default_version || u64map_find(&written, version_hash(&names[i])));

		vec_push(out, (struct probe_listed){ shown ? add_version(p, &names[i], plain) : plain, plain });
	}
	u64map_free(&written);
	return 0;
}

int prober_parameters(struct prober *p, const struct probe_point *point, struct probe_names *out, struct err *e)
{
	struct btf_types *b = prober_btf(p);
	struct fetch_variable v;
	const char *why;

	if (!b || !point->symbol || !btf_has_function(b, point->symbol)) {
		struct utsname u = { 0 };

		uname(&u);
		err_set(e, "the parameters of '%s' are not known", point->symbol ? point->symbol : "it");
		err_why(e, "there is neither debug information nor BTF for it");
		err_try(e,
			"install the debug package of the kernel (linux-image-%s-dbg, kernel-debuginfo), or give its "
			"image with -k",
			u.release);
		return err_exit(e, EXIT_NOT_FOUND);
	}
	for (unsigned i = 0; btf_parameter(b, point->symbol, i, elf_native_machine(), &v, &why); i++)
		if (v.name && !why) {
			autofree char *type = btf_type_name(b, v.type);

			vec_push(out, xasprintf("%s\t%s", type, v.name));
		}
	return 0;
}
