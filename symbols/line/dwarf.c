#include "symbols/line/dwarf_priv.h"
#include "symbols/line/split.h"
#include "symbols/file/relocate.h"
#include "symbols/name/bundle.h"
#include "symbols/name/sources.h"
#include "symbols/name/symbols_priv.h"

/*
 * Answer questions about lines and inlined calls of a dso: find the file with its DWARF, open
 * it, convert addresses.
 */

struct dwarf_state {
	struct dwarf_info *info; /* opened for the first address that is not in `near` */
	struct dwarf_info *near; /* only one unit, see dso_expect_near; NULL = none */
	struct image *alt;       /* shared DWARF that .gnu_debugaltlink names (dwz); NULL = none */
	/*
	 * kernel modules: a copy whose sections have addresses of their own, as its DWARF
	 * needs; NULL = the object is linked
	 */
	struct image *relocated;
	uint64_t shift;      /* add to the object's own address to get the address in the DWARF */
	uint64_t near_shift; /* the same for `near` */
	bool opened;
};

static void free_state(void *p)
{
	struct dwarf_state *st = p;

	dwarf_info_free(st->near);
	dwarf_info_free(st->info);
	image_free(st->alt);
	image_free(st->relocated);
	free(st);
}

/*
 * Resolve a path written in an object, as seen from below --symfs: an absolute path, or one
 * beside the object. Return NULL if the object's place is unknown. The caller frees it.
 */
static char *path_beside(const struct symbols *s, const struct image *im, const char *path)
{
	const char *from = im->path, *slash;
	size_t root = s->opts.symfs ? strlen(s->opts.symfs) : 0;

	if (path[0] == '/')
		return xstrdup(path);
	if (from && root && !strncmp(from, s->opts.symfs, root))
		from += root;
	slash = from ? strrchr(from, '/') : NULL;
	return slash ? xasprintf("%.*s/%s", (int)(slash - from), from, path) : NULL;
}

/*
 * Open the file that .gnu_debugaltlink names: by build-id under /usr/lib/debug, else by path.
 * The section holds a path, a NUL and the build-id. A file with another build-id is not the
 * right one.
 */
struct image *dwarf_find_alt(struct symbols *s, const struct image *im)
{
	const char *text;
	enum reason ignored;
	struct build_id id = { 0 };
	struct image *alt;
	GElf_Shdr shdr;
	size_t len, text_len;

	if (!image_section(im, ".gnu_debugaltlink", &shdr) ||
	    !(text = (const char *)image_section_bytes(im, &shdr, &len)))
		return NULL;
	text_len = strnlen(text, len) + 1;
	if (text_len + 2 > len || len - text_len > sizeof(id.bytes))
		return NULL;
	id.size = (uint8_t)(len - text_len);
	memcpy(id.bytes, text + text_len, id.size);
	autofree char *by_id = build_id_debug_path(&id); /* it has at least 2 bytes */
	autofree char *by_path = path_beside(s, im, text);
	alt = open_object(s, by_id, &id, &ignored);
	return alt || !by_path ? alt : open_object(s, by_path, &id, &ignored);
}

static bool open_info(struct symbols *s, struct dwarf_state *st, const struct dso *d, const struct image *im)
{
	struct elf_bytes alt = { 0 };
	GElf_Shdr text;

	if (!im)
		return false;
	image_free(st->relocated);
	st->relocated = NULL;
	st->shift = d->kind == DSO_KIND_KERNEL ? 0 - d->bias : 0;
	if (im->type == ET_REL) {
		st->relocated = relocated_copy(im);
		if (!st->relocated || !image_section(st->relocated, ".text", &text))
			return false;
		im = st->relocated;
		st->shift = text.sh_addr;
	}
	image_free(st->alt);
	st->alt = dwarf_find_alt(s, im);
	image_will_read_much(im);
	if (st->alt) {
		image_will_read_much(st->alt);
		alt = (struct elf_bytes){ st->alt->data, st->alt->len };
	}
	st->info = dwarf_info_new((struct elf_bytes){ im->data, im->len }, alt, split_new(s, d->path),
				  s->opts.no_demangle, s->opts.short_templates);
	return st->info != NULL;
}

static struct dwarf_state *get_state(struct dso *d)
{
	if (!d->dwarf.free)
		d->dwarf = (struct attached){ xcalloc(1, sizeof(struct dwarf_state)), free_state };
	return d->dwarf.state;
}

/*
 * Return the DWARF of an object and the address in it; NULL if it has none. Opens the DWARF at
 * the first call.
 */
static struct dwarf_info *get_info(struct symbols *s, uint32_t dso, uint64_t dso_off, uint64_t *address)
{
	struct dso *d = dso_load(s, dso);
	uint64_t own = dso_address(s, dso, dso_off);
	struct dwarf_info *info;
	struct dwarf_state *st;

	pthread_mutex_lock(&d->lock);
	st = get_state(d);
	*address = own + st->near_shift;
	info = st->near && dwarf_info_has(st->near, *address) ? st->near : NULL;
	if (!info) {
		if (!st->opened && !open_info(s, st, d, debugfile_find(s, d)))
			open_info(s, st, d, module_image(s, d));
		st->opened = true;
		info = st->info;
		*address = own + st->shift;
	}
	pthread_mutex_unlock(&d->lock);
	return info;
}

static void open_near(const struct symbols *s, struct dwarf_state *st, const struct dso *d, const struct image *im,
		      uint64_t address)
{
	uint64_t shift = d->kind == DSO_KIND_KERNEL ? 0 - d->bias : 0;

	if (!im || im->type == ET_REL)
		return;
	st->near = dwarf_info_new_near((struct elf_bytes){ im->data, im->len }, address + shift, s->opts.no_demangle,
				       s->opts.short_templates);
	st->near_shift = shift;
}

void dso_expect_near(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	struct dso *d = dso_load(s, dso);
	uint64_t address = dso_address(s, dso, dso_off);
	struct dwarf_state *st;

	pthread_mutex_lock(&d->lock);
	st = get_state(d);
	if (!st->opened && !st->near && !d->from_bundle) {
		const struct image *im = debugfile_find(s, d);

		open_near(s, st, d, im ? im : module_image(s, d), address);
	}
	pthread_mutex_unlock(&d->lock);
}

/* ---- what the recording's bundle knows ---- */

static struct source_line bundled_line(const struct symbols *s, uint32_t file, uint32_t line)
{
	return (struct source_line){ file ? bundle_text(symbols_bundle(s), file) : NULL, line };
}

/*
 * Return what the bundle says about a place, or NULL with the DWARF to ask. The bundle answers if
 * the object's names come from it, or if there is no DWARF.
 */
static const struct bundle_place *place_or_info(struct symbols *s, uint32_t dso, uint64_t dso_off,
						struct dwarf_info **info, uint64_t *address)
{
	const struct dso *d = dso_load(s, dso);
	const struct bundle_place *place = bundle_place_at(d, dso_off);

	*info = NULL;
	if (place && d->from_bundle)
		return place;
	*info = get_info(s, dso, dso_off, address);
	return *info ? NULL : place;
}

static size_t bundled_inlines(const struct symbols *s, const struct dso *d, const struct bundle_place *place,
			      struct inline_frame *frames, size_t max)
{
	const struct bundle_inline *rows = d->bundled->inline_rows + place->first_inline;
	size_t n = MIN(place->n_inlines, max);

	for (size_t i = 0; i < n; i++)
		frames[i] = (struct inline_frame){ rows[i].name, bundled_line(s, rows[i].file, rows[i].line) };
	return n;
}

bool dso_source_line(struct symbols *s, uint32_t dso, uint64_t dso_off, struct source_line *l)
{
	const struct bundle_place *place;
	struct dwarf_info *info;
	uint64_t address;

	*l = (struct source_line){ 0 };
	if (dso_kind(s, dso) == DSO_KIND_JIT_CODE)
		return jit_source_line(symbols_get_dso(s, dso), dso_off, l);
	place = place_or_info(s, dso, dso_off, &info, &address);
	if (place)
		*l = bundled_line(s, place->file, place->line);
	if (place)
		return l->file;
	return info && dwarf_info_line(info, address, l);
}

bool dso_has_lines(struct symbols *s, uint32_t dso)
{
	static const char *const names[] = { ".debug_line", ".zdebug_line" };
	struct dso *d = dso_load(s, dso);
	const struct image *of[2] = { NULL };
	bool found = d->lines_len || (d->bundled && d->bundled->flags & BUNDLE_OBJECT_LINES);
	GElf_Shdr h;

	pthread_mutex_lock(&d->lock);
	of[0] = module_image(s, d);
	of[1] = of[0] && !found ? debugfile_find(s, d) : NULL;
	for (size_t i = 0; i < 4 && !found; i++)
		found = of[i / 2] && image_section(of[i / 2], names[i % 2], &h) && h.sh_type != SHT_NOBITS;
	pthread_mutex_unlock(&d->lock);
	return found;
}

size_t dso_inlines(struct symbols *s, uint32_t dso, uint64_t dso_off, struct inline_frame *frames, size_t max,
		   struct source_line *outer)
{
	struct dwarf_info *info;
	uint64_t address;
	const struct bundle_place *place = place_or_info(s, dso, dso_off, &info, &address);

	if (outer)
		*outer = (struct source_line){ 0 };
	if (outer && dso_kind(s, dso) == DSO_KIND_JIT_CODE)
		jit_source_line(symbols_get_dso(s, dso), dso_off, outer);
	if (place) {
		if (outer)
			*outer = bundled_line(s, place->outer_file, place->outer_line);
		return bundled_inlines(s, symbols_get_dso(s, dso), place, frames, max);
	}
	return info ? dwarf_info_inlines(info, address, frames, max, outer) : 0;
}

const char *dso_producer(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	uint64_t address;
	struct dwarf_info *info = get_info(s, dso, dso_off, &address);

	return info ? dwarf_info_producer(info, address) : NULL;
}

const char *dso_function(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	struct dwarf_info *info;
	uint64_t address;
	const struct bundle_place *place = place_or_info(s, dso, dso_off, &info, &address);

	if (place)
		return place->function ? bundle_text(symbols_bundle(s), place->function) : NULL;
	return info ? dwarf_info_function(info, address) : NULL;
}
