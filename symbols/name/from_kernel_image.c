/*
 * Read vmlinux and module files: for what kallsyms lacks (DWARF, code bytes), and for kernels
 * that do not run here.
 */
#include "symbols/file/vmlinux.h"
#include "symbols/name/sources.h"

#include <sys/utsname.h>

/*
 * Move the symbols collected so far from the kernel's linked addresses to the recorded ones, by
 * the reference symbol. Return false if that symbol is missing.
 */
static bool kernel_relocate(struct dso *d, struct symbol_table *t)
{
	bool found = false;

	d->bias = 0;
	if (!d->ref_name || !d->start)
		return true;
	for (size_t i = 0; i < t->len && !found; i++) {
		found = dso_name_is(d, &t->items[i], d->ref_name);
		if (found)
			d->bias = d->start - t->items[i].start;
	}
	for (size_t i = 0; i < t->len && found; i++) {
		t->items[i].start += d->bias;
		t->items[i].end += d->bias;
	}
	return found;
}

static int give(struct dso *d, struct image *im)
{
	struct symbol_table t = { 0 };

	if (elf_add_symbols(d, im, SHT_SYMTAB, &t) && kernel_relocate(d, &t)) {
		for (size_t i = 0; i < t.len; i++)
			t.items[i].flags |= SYMBOL_RAW;
		d->image = im;
		d->problem = REASON_NONE;
		table_finish(&t, d, TABLE_ELF);
		return 1;
	}
	d->problem = t.len ? REASON_IMAGE_NO_REFERENCE : REASON_IMAGE_STRIPPED;
	d->n_strings = 0;
	vec_free(&t);
	image_free(im);
	return 0;
}

static const char *const cached[] = { "/elf", "/vmlinux" };

static struct image *find_image(struct symbols *s, const struct build_id *id, const char *release)
{
	enum reason ignored;
	struct image *im = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(cached) && !im; i++)
		im = open_cached(s, id, cached[i]);
	for (size_t i = 0; i < VMLINUX_PLACES && !im; i++) {
		autofree char *path = vmlinux_path(i, release);

		if (path)
			im = open_object(s, path, id, &ignored);
	}
	return im;
}

/*
 * Return the build-id that the image must have, since only that proves an image: the recorded
 * one, or that of the running kernel if this is the recorded kernel.
 */
static bool wanted_id(struct symbols *s, const struct dso *d, struct build_id *id)
{
	*id = d->id;
	return id->size || (running_kernel_fits(s) == 1 && build_id_of_kernel(id, NULL) >= 0);
}

static const char *wanted_release(const struct symbols *s, struct utsname *u)
{
	return s->opts.osrelease ? s->opts.osrelease : !s->opts.foreign && !uname(u) ? u->release : NULL;
}

bool kernel_image_expected(struct symbols *s)
{
	struct utsname u;
	struct build_id id;
	bool found = s->opts.vmlinux;

	if (found || s->opts.no_kernel_image || !wanted_id(s, symbols_get_dso(s, DSO_KERNEL), &id))
		return found;
	for (size_t i = 0; i < ARRAY_SIZE(cached) && !found; i++) {
		autofree char *path = cache_path(s, &id, cached[i]);

		found = path && !access(path, R_OK);
	}
	for (size_t i = 0; i < VMLINUX_PLACES && !found; i++) {
		autofree char *path = vmlinux_path(i, wanted_release(s, &u));

		found = path && !access(path, R_OK);
	}
	return found;
}

int from_kernel_image(struct symbols *s, struct dso *d)
{
	struct build_id id = d->id;
	struct utsname u;
	struct image *im;
	enum reason problem = REASON_NONE;

	if (d->guest || s->opts.kallsyms)
		return 0;
	if (s->opts.vmlinux) {
		im = s->opts.symfs && s->opts.vmlinux[0] == '/' ? open_object(s, s->opts.vmlinux, &id, &problem)
								: open_local(s->opts.vmlinux, &id, &problem);
		if (im && give(d, im))
			return 1;
		if (problem)
			d->problem = problem;
		return 0;
	}
	if (s->opts.no_kernel_image || !wanted_id(s, d, &id))
		return 0;
	im = find_image(s, &id, wanted_release(s, &u));
	return im ? give(d, im) : 0;
}

/*
 * Return whether the module file was built for this release: ".modinfo" is a list of strings,
 * one of them "vermagic=6.1.0-9-amd64 SMP ...". Source: linux/vermagic.h.
 */
static bool is_of_release(const struct image *im, const char *release)
{
	static const char key[] = "vermagic=";
	GElf_Shdr h;
	size_t len = 0, key_len = sizeof(key) - 1, release_len = release ? strlen(release) : 0;
	const char *at = release_len && image_section(im, ".modinfo", &h)
				 ? (const char *)image_section_bytes(im, &h, &len)
				 : NULL;

	for (const char *end = at + len, *next; at && at < end; at = next) {
		size_t n = strnlen(at, (size_t)(end - at));

		next = at + n + (n < (size_t)(end - at));
		if (n > key_len + release_len && !memcmp(at, key, key_len) &&
		    !memcmp(at + key_len, release, release_len) && at[key_len + release_len] == ' ')
			return true;
	}
	return false;
}

/*
 * Open the module's file. If a build-id was recorded, opening compares it. Otherwise accept the
 * file at that path if the recorded kernel runs here, if the file was built for that kernel's
 * release, or if the user gave --symfs.
 */
static struct image *open_module(struct symbols *s, const struct dso *d, enum reason *problem)
{
	struct image *im = d->path[0] == '/' ? open_object(s, d->path, &d->id, problem) : NULL;

	if (!im || d->id.size || s->opts.symfs || running_kernel_fits(s) == 1 || is_of_release(im, s->opts.osrelease))
		return im;
	image_free(im);
	*problem = REASON_MODULE_UNPROVEN;
	return NULL;
}

/*
 * Load the symbols of the module's code section; the recording does not say where other
 * sections were loaded.
 */
int from_module_file(struct symbols *s, struct dso *d)
{
	struct symbol_table t = { 0 };
	enum reason problem = REASON_NONE;
	struct image *im;

	if (d->path[0] != '/')
		return 0;
	im = open_module(s, d, &problem);
	if (!im) {
		d->problem = problem;
		return 0;
	}
	d->image = im;
	if (!elf_add_symbols(d, im, SHT_SYMTAB, &t)) {
		d->problem = REASON_MODULE_STRIPPED;
		vec_free(&t);
		return 0;
	}
	for (size_t i = 0; i < t.len; i++)
		t.items[i].flags |= SYMBOL_RAW;
	d->problem = REASON_NONE;
	table_finish(&t, d, TABLE_ELF);
	return 1;
}

/*
 * Return whether most functions of the file begin where functions of the loaded module do. Then
 * it is the same build, and its code section was loaded first.
 */
static bool lies_as_loaded(struct dso *d, const struct image *im)
{
	uint8_t n_strings = d->n_strings;
	struct symbol_table t = { 0 };
	size_t same = 0, n = elf_add_symbols(d, im, SHT_SYMTAB, &t);

	for (size_t i = 0; i < n; i++) {
		uint32_t found = table_find(d, t.items[i].start);

		same += found && d->symbols[found - 1].start == t.items[i].start;
	}
	vec_free(&t);
	d->n_strings = n_strings;
	return same && same >= n / 2;
}

const struct image *module_image(struct symbols *s, struct dso *d)
{
	enum reason ignored;

	if (d->image || d->kind != DSO_KIND_MODULE || d->guest)
		return d->image;
	if (d->module_searched)
		return d->module_file;
	d->module_searched = true;
	d->module_file = open_module(s, d, &ignored);
	if (d->module_file && !lies_as_loaded(d, d->module_file)) {
		image_free(d->module_file);
		d->module_file = NULL;
	}
	return d->module_file;
}
