/* The store: options, and the objects, interned by their recorded names. */
#include "symbols/name/sources.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "symbols/file/decompress.h"
#include "symbols/name/symbols_priv.h"
#include "symbols/name/kallsyms.h"
#include "symbols/name/kernel_blocks_priv.h"

static const char *copy(struct symbols *s, const char *text) { return text ? arena_strdup(&s->arena, text) : NULL; }

static const char *cache_dir(struct symbols *s, const char *asked)
{
	autofree char *dir = build_id_cache_dir(asked);

	return copy(s, dir);
}

static bool is_map_file(const char *path, int32_t *pid)
{
	int used = 0;

	return sscanf(path, "/tmp/perf-%d.map%n", pid, &used) == 1 && used && !path[used];
}

/* Return the short name of a path: its last part. Map files show the thread they belong to. */
static const char *short_name(struct dso *d, const char *path)
{
	const char *base = strrchr(path, '/');
	int32_t pid;

	if (is_map_file(path, &pid))
		return arena_printf(&d->names_arena, "[JIT] tid %d", pid);
	return base ? base + 1 : path;
}

/*
 * Append an object. The names are copied; if `name` is NULL, the short name is made from the long
 * one. The caller adds it to the table of names.
 */
static uint32_t add_dso(struct symbols *s, enum dso_kind kind, const char *long_name, const char *name)
{
	struct dso *d = xcalloc(1, sizeof(*d));

	d->kind = kind;
	d->path = d->long_name = arena_strdup(&d->names_arena, long_name);
	d->short_name = name ? arena_strdup(&d->names_arena, name) : short_name(d, d->long_name);
	d->map_file = (struct file_map){ .fd = -1, .slot = -1 };
	pthread_mutex_init(&d->lock, NULL);
	if (s->free_dsos.len) {
		uint32_t id = s->free_dsos.items[--s->free_dsos.len];

		s->dsos.items[id] = d;
		return id;
	}
	vec_push(&s->dsos, d);
	return (uint32_t)s->dsos.len - 1;
}

/* Enter the object into the table of names. */
static void index_dso(struct symbols *s, uint64_t hash, uint32_t id)
{
	s->dsos.items[id]->name_hash = hash;
	idtable_add(&s->by_name, hash, id);
}

/* Return the comma before the layout in "DIR,LAYOUT", or the end. */
static const char *layout_in(const char *symfs)
{
	const char *comma = strrchr(symfs, ',');

	return comma ? comma : symfs + strlen(symfs);
}

/* Check the directory of --symfs: the first `len` bytes of `symfs`; an empty one is the root. */
static int symfs_check(const char *symfs, size_t len, struct err *e)
{
	autofree char *root = xstrndup(symfs, len);
	struct stat st;

	if (!*root || (!stat(root, &st) && S_ISDIR(st.st_mode)))
		return 0;
	if (stat(root, &st) < 0)
		err_sys(e, "--symfs: cannot use the directory '%s'", root);
	else
		err_set(e, "--symfs: '%s' is no directory", root);
	return err_try(e, "the directory below which the files lie as on the recorded system");
}

static bool is_kernel_image(const uint8_t *bytes, size_t len)
{
	return (len >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG)) || is_compressed(bytes, len);
}

static bool is_kernel_list(const uint8_t *bytes, size_t len)
{
	return !len || kallsyms_likely((const char *)bytes, len);
}

/* Check the first bytes of a file. Devices count as files, because /dev/null is an empty list. */
static int check_kind(const char *option, const char *path, bool is_kind(const uint8_t *bytes, size_t len),
		      const char *kind, struct err *e)
{
	uint8_t bytes[4096];
	autoclose int fd = -1;
	struct stat st;
	ssize_t got;

	if (stat(path, &st) < 0)
		return err_sys(e, "%s: cannot read '%s'", option, path);
	if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		return err_set(e, "%s: '%s' is no regular file", option, path);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	if (got < 0)
		return err_sys(e, "%s: cannot read '%s'", option, path);
	return is_kind(bytes, (size_t)got) ? 0 : err_set(e, "%s: '%s' is no %s", option, path, kind);
}

static int layout_check(const char *layout, struct err *e)
{
	if (!*layout || !strcmp(layout, ",flat") || !strcmp(layout, ",hierarchy"))
		return 0;
	err_set(e, "--symfs: unknown layout '%s'", layout + 1);
	err_try(e, "hierarchy (files lie where they were recorded, below the directory) or flat (all in it)");
	return err_exit(e, EXIT_BAD_USAGE);
}

int symbols_opts_check(const struct symbols_opts *opts, struct err *e)
{
	const char *layout = opts->symfs ? layout_in(opts->symfs) : "";
	const char *image = opts->symfs ? NULL : opts->vmlinux, *list = opts->kallsyms;

	if (layout_check(layout, e) < 0)
		return -1;
	if (opts->symfs && symfs_check(opts->symfs, (size_t)(layout - opts->symfs), e) < 0)
		return -1;
	if (image && *image &&
	    check_kind("--vmlinux", image, is_kernel_image, "kernel image (an ELF file, also compressed)", e) < 0)
		return -1;
	return list && *list ? check_kind("--kallsyms", list, is_kernel_list,
					  "list of kernel symbols (lines 'ADDRESS TYPE NAME')", e)
			     : 0;
}

static void set_root(struct symbols *s, const char *symfs)
{
	const char *layout = symfs ? layout_in(symfs) : "";
	char *root = symfs ? arena_printf(&s->arena, "%.*s", (int)(layout - symfs), symfs) : NULL;

	s->flat = !strcmp(layout, ",flat");
	s->opts.symfs = root && *root && (strcmp(root, "/") || s->flat) ? root : NULL;
}

const char *symbols_root(const struct symbols *s) { return s->opts.symfs; }

struct symbols *symbols_new(const struct symbols_opts *opts)
{
	struct symbols *s = xcalloc(1, sizeof(*s));

	s->opts = *opts;
	set_root(s, opts->symfs);
	s->opts.kallsyms = copy(s, opts->kallsyms);
	s->opts.vmlinux = copy(s, opts->vmlinux);
	s->opts.kcore_dir = copy(s, opts->kcore_dir);
	s->kcore = opts->kcore_dir ? arena_printf(&s->arena, "%s/kcore", opts->kcore_dir) : NULL;
	/*
	 * Symbols and memory were copied at the same moment, so treat the copy like a list that
	 * the user gave. But an image that the user gave goes first.
	 */
	if (opts->kcore_dir && !opts->kallsyms && !opts->vmlinux)
		s->opts.kallsyms = arena_printf(&s->arena, "%s/kallsyms", opts->kcore_dir);
	s->opts.guest_kallsyms = copy(s, opts->guest_kallsyms);
	s->opts.osrelease = copy(s, opts->osrelease);
	s->opts.arch = copy(s, opts->arch);
	s->opts.buildid_dir = cache_dir(s, opts->buildid_dir);
	pthread_mutex_init(&s->kallsyms_lock, NULL);
	s->bundle = xcalloc(1, sizeof(*s->bundle));
	pthread_mutex_init(&s->bundle->lock, NULL);
	add_dso(s, DSO_KIND_UNKNOWN, "[unknown]", "[unknown]");
	add_dso(s, DSO_KIND_KERNEL, "[kernel.kallsyms]", "[kernel.kallsyms]");
	add_dso(s, DSO_KIND_KERNEL, "[guest.kernel.kallsyms]", "[guest.kernel.kallsyms]");
	s->dsos.items[DSO_GUEST_KERNEL]->guest = true;
	for (uint32_t space = SPACE_NONE; space <= SPACE_GUEST_KERNEL; space++)
		space_new(s, SPACE_NONE, 0);
	return s;
}

void dso_free(struct dso *d)
{
	if (!d)
		return;
	if (d->plt.free)
		d->plt.free(d->plt.state);
	if (d->unwind.free)
		d->unwind.free(d->unwind.state);
	if (d->dwarf.free)
		d->dwarf.free(d->dwarf.state);
	image_free(d->image);
	image_free(d->debug);
	image_free(d->mini);
	image_free(d->module_file);
	file_unmap(&d->map_file);
	free(d->symbols);
	free(d->names);
	kernel_blocks_free(d->blocks);
	arena_release(&d->arena);
	arena_release(&d->names_arena);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	if (s->unwind.free)
		s->unwind.free(s->unwind.state);
	for (size_t i = 0; i < s->dsos.len; i++)
		dso_free(s->dsos.items[i]);
	vec_free(&s->dsos);
	vec_free(&s->free_dsos);
	spaces_free(s);
	vec_free(&s->free_spaces);
	vec_free(&s->changed_spaces);
	idtable_free(&s->by_name);
	kernel_list_free(kallsyms_read_ahead(s, ""));
	u64map_free(&s->jits);
	kernel_list_free(s->kallsyms);
	free(s->cached_kcore);
	bundle_free(s->bundle->bundle);
	pthread_mutex_destroy(&s->bundle->lock);
	free(s->bundle);
	kernel_list_free(s->guest_kallsyms);
	pthread_mutex_destroy(&s->kallsyms_lock);
	arena_release(&s->arena);
	free(s);
}

void symbols_freeze(struct symbols *s) { spaces_freeze(s); }

/* ---- meaning of names ---- */

static bool starts(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/*
 * Return whether this is memory without a file. If executable, it holds code that the program
 * generated. Source: mm/mmap and fs/proc/task_mmu of Linux use these names.
 */
static bool is_anonymous(const char *name, uint32_t flags)
{
	return !strcmp(name, "//anon") || starts(name, "/dev/zero") || starts(name, "/anon_hugepage") ||
	       starts(name, "[stack") || starts(name, "/SYSV") || starts(name, "[heap]") || flags & MAP_HUGETLB;
}

/*
 * Turn "/lib/modules/R/kernel/a-b.ko.xz" into "[a_b]", as lsmod calls it; NULL when the path is
 * no module's.
 */
static char *module_name(const char *path)
{
	static const char *const ends[] = { ".ko", ".ko.gz", ".ko.xz", ".ko.zst" };
	const char *base = strrchr(path, '/');
	size_t len;
	char *name;

	base = base ? base + 1 : path;
	len = strlen(base);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t end = strlen(ends[i]);

		if (len <= end || strcmp(base + len - end, ends[i]))
			continue;
		name = xasprintf("[%.*s]", (int)MIN(len - end, 4096), base);
		for (char *c = name; *c; c++)
			if (*c == '-')
				*c = '_';
		return name;
	}
	return NULL;
}

/*
 * Return the kernel itself and take over what the name says. In "[kernel.kallsyms]_text" the
 * second part names the symbol whose recorded address is the map's pgoff. A build-id record may
 * give the path of an image, which then becomes the name.
 */
static uint32_t kernel_dso(struct symbols *s, const struct dso_args *args, const char *name)
{
	uint32_t id = args->guest || starts(name, "[guest.kernel") ? DSO_GUEST_KERNEL : DSO_KERNEL;
	struct dso *d = s->dsos.items[id];
	const char *end = strchr(name, ']');

	if (end && end[1] && !d->ref_name)
		d->ref_name = copy(s, end + 1);
	if (name[0] != '[' && d->long_name[0] == '[') {
		d->long_name = copy(s, name);
		d->short_name = id == DSO_KERNEL ? "[kernel.vmlinux]" : "[guest.kernel.vmlinux]";
	}
	if (args->id && args->id->size && !d->id.size)
		d->id = *args->id;
	return id;
}

static bool is_kernel(const char *name, bool kernel_mode)
{
	if (starts(name, "[kernel.kallsyms]") || starts(name, "[guest.kernel.kallsyms"))
		return true;
	return kernel_mode && (strstr(name, "vmlinux") || !strcmp(name, "[kernel]"));
}

static enum dso_kind user_kind(const char *name, const struct dso_args *args)
{
	if (!strcmp(name, "[vdso]") || !strcmp(name, "[vdso32]") || !strcmp(name, "[vdsox32]"))
		return DSO_KIND_VDSO;
	if (!strcmp(name, "[vsyscall]"))
		return DSO_KIND_VSYSCALL;
	/*
	 * Programs that never make memory both writable and executable keep their code in a
	 * memfd.
	 */
	if (is_anonymous(name, args->flags) || (starts(name, "/memfd:") && args->exec))
		return args->exec ? DSO_KIND_JIT : DSO_KIND_ANON;
	return DSO_KIND_FILE;
}

static bool has_id(const struct build_id *id) { return id && id->size; }

static bool is_other_file(const struct dso *a, const struct dso *b)
{
	return (a->ino && b->ino && a->ino != b->ino) ||
	       (a->generation && b->generation && a->generation != b->generation);
}

/* Find an object with that name and id. One whose id is still unknown takes the given id. */
static uint32_t find(struct symbols *s, uint64_t hash, const struct dso *like, const struct build_id *id)
{
	struct idtable_probe p = idtable_probe(&s->by_name, hash);
	uint32_t at;

	while ((at = idtable_next(&s->by_name, &p))) {
		struct dso *d = s->dsos.items[at];
		const char *key = d->kind == DSO_KIND_MODULE ? d->short_name : d->long_name;

		if (d->kind != like->kind || d->pid != like->pid || d->guest != like->guest ||
		    strcmp(key, like->long_name))
			continue;
		if (has_id(id) && d->id.size ? !build_id_equal(id, &d->id) : is_other_file(like, d))
			continue;
		if (has_id(id))
			d->id = *id;
		if (!d->ino)
			d->ino = like->ino;
		if (!d->generation)
			d->generation = like->generation;
		if (!d->mapper)
			d->mapper = like->mapper;
		if (d->path[0] != '/') /* known only by its name so far */
			d->path = like->path ? arena_strdup(&d->names_arena, like->path) : d->path;
		return at;
	}
	return 0;
}

uint32_t symbols_dso(struct symbols *s, const struct dso_args *args)
{
	const char *name = args->filename ? args->filename : "", *module = NULL;
	autofree char *made = NULL;
	struct dso like = { .kind = DSO_KIND_FILE, .guest = args->guest };
	char map_name[32];
	int32_t pid;
	uint64_t hash;
	uint32_t id;
	struct dso *d;

	if (is_kernel(name, args->kernel))
		return kernel_dso(s, args, name);
	if (args->kernel && name[0] == '[')
		module = name;
	else if (args->kernel)
		module = made = module_name(name);
	like.kind = module ? DSO_KIND_MODULE : user_kind(name, args);
	like.long_name = module ? module : name;
	like.path = module && name[0] == '/' ? name : NULL;
	if (like.kind == DSO_KIND_JIT) {
		like.pid = args->pid;
		snprintf(map_name, sizeof(map_name), "/tmp/perf-%d.map", args->pid);
		if (!starts(name, "/memfd:"))
			like.long_name = map_name;
	} else if (like.kind == DSO_KIND_FILE && is_map_file(name, &pid)) {
		like.kind = DSO_KIND_JIT; /* the recorder renamed it */
		like.pid = pid;
	}
	if (like.kind == DSO_KIND_FILE) {
		like.ino = args->ino;
		like.generation = args->generation;
		like.mapper = args->pid;
	}
	hash = hash_bytes(like.long_name, strlen(like.long_name), 0);
	id = find(s, hash, &like, args->id);
	if (id)
		return id;
	id = add_dso(s, like.kind, module && args->by_id ? name : like.long_name, module);
	d = s->dsos.items[id];
	if (like.path)
		d->path = arena_strdup(&d->names_arena, like.path);
	d->pid = like.pid;
	d->ino = like.ino;
	d->generation = like.generation;
	d->mapper = like.mapper;
	d->private_root = args->private_root;
	d->guest = like.guest;
	if (has_id(args->id))
		d->id = *args->id;
	index_dso(s, hash, id);
	return id;
}

uint32_t symbols_code(struct symbols *s, enum dso_kind kind, const char *name, const char *symbol, uint64_t start,
		      uint64_t len)
{
	uint64_t hash = hash_mix(hash_bytes(name, strlen(name), 1), start ^ len);
	struct idtable_probe p = idtable_probe(&s->by_name, hash);
	struct dso *d;
	uint32_t id;

	while ((id = idtable_next(&s->by_name, &p))) {
		d = s->dsos.items[id];
		if (d->kind == kind && d->start == start && d->len == len && !strcmp(d->long_name, name) &&
		    !strcmp(d->ref_name, symbol))
			return id;
	}
	id = add_dso(s, kind, name, kind == DSO_KIND_KSYMBOL ? name : NULL);
	d = s->dsos.items[id];
	d->ref_name = arena_strdup(&d->names_arena, symbol);
	d->start = start;
	d->len = MIN(len, UINT64_MAX - start);
	index_dso(s, hash, id);
	return id;
}

uint32_t symbols_ksymbol(struct symbols *s, const char *name, uint64_t start, uint64_t len)
{
	return symbols_code(s, DSO_KIND_KSYMBOL, name, name, start, len);
}
