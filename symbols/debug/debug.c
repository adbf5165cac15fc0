/* Open an object for questions about its source, and open its DWARF. */
#include "symbols/debug/debug_priv.h"

#include "symbols/name/reasons.h"
#include "symbols/file/relocate.h"

struct debug *debug_open(const char *path, const struct debug_opts *opts, struct err *e)
{
	struct debug *d = xcalloc(1, sizeof(*d));
	struct symbols_opts so = { .symfs = opts ? opts->symfs : NULL };
	enum reason problem = REASON_NONE;

	d->symbols = symbols_new(&so);
	d->path = xstrdup(path);
	if (opts)
		d->opts.no_inlines = opts->no_inlines;
	d->dso = symbols_dso(d->symbols, &(struct dso_args){ .filename = path, .exec = true });
	/* only open the file: we do not need its table of symbols */
	d->object = symbols_get_dso(d->symbols, d->dso);
	d->object->image = open_object(d->symbols, path, NULL, &problem);
	if (!d->object->image) {
		err_set(e, "cannot read '%s'", path);
		err_why(e, "%s", problem ? reasons[problem].text : "it is no object file");
		debug_close(d);
		return NULL;
	}
	return d;
}

void debug_close(struct debug *d)
{
	if (!d)
		return;
	debug_close_dwarf(d);
	symbols_free(d->symbols);
	vec_free(&d->units);
	vec_free(&d->code);
	vec_free(&d->dies);
	vec_free(&d->names);
	vec_free(&d->around);
	arena_release(&d->arena);
	free(d->path);
	free(d);
}

uint16_t debug_machine(const struct debug *d) { return d->object->image->machine; }

bool debug_file_offset(const struct debug *d, uint64_t address, uint64_t *offset)
{
	return image_offset(d->object->image, address, offset);
}

uint64_t debug_address_of_offset(const struct debug *d, uint64_t offset)
{
	return image_address(d->object->image, offset);
}

void debug_build_id(const struct debug *d, char text[41]) { build_id_format(&d->object->image->id, text); }

const uint8_t *debug_section(const struct debug *d, const char *name, size_t *len, uint64_t *address)
{
	GElf_Shdr h;

	*len = 0;
	if (!image_section(d->object->image, name, &h))
		return NULL;
	if (address)
		*address = h.sh_addr;
	return image_section_bytes(d->object->image, &h, len);
}

const uint8_t *debug_code(const struct debug *d, uint64_t address, size_t *len)
{
	const struct image *im = d->object->image;
	uint64_t offset;

	if (!image_offset(im, address, &offset) || offset >= im->len)
		return NULL;
	*len = MIN(*len, im->len - offset);
	return im->data + offset;
}

/* ---- the DWARF ---- */

static bool has_dwarf_sections(const struct image *im)
{
	GElf_Shdr h;

	return image_section(im, ".debug_info", &h) || image_section(im, ".zdebug_info", &h);
}

bool debug_open_dwarf(struct debug *d, bool lazy)
{
	struct elf_bytes alt = { 0 };
	struct image *im = d->object->image;

	if (!has_dwarf_sections(im)) {
		pthread_mutex_lock(&d->object->lock);
		im = debugfile_find(d->symbols, d->object);
		pthread_mutex_unlock(&d->object->lock);
	}
	if (!im || !has_dwarf_sections(im))
		return false;
	image_will_read_much(im);
	if (im->type == ET_REL) { /* also get names from it */
		d->relocated = relocated_copy(im);
		im = d->relocated;
		if (!im)
			return false;
	}
	d->from = im;
	if (!(lazy ? dwarf_object_open_lazy : dwarf_object_open)(&d->dwarf, (struct elf_bytes){ im->data, im->len }))
		return false;
	d->alt = dwarf_find_alt(d->symbols, im);
	if (d->alt) {
		image_will_read_much(d->alt);
		alt = (struct elf_bytes){ d->alt->data, d->alt->len };
	}
	dwarf_object_set_alt(&d->dwarf, &d->alt_dwarf, alt);
	d->split = split_new(d->symbols, d->path);
	d->budget = 1000000 + 32 * (uint64_t)im->len;
	return true;
}

static void statics_free(struct debug *d)
{
	for (size_t i = 0; i < d->statics.len; i++) {
		vec_free(&d->statics.items[i]->placed);
		vec_free(&d->statics.items[i]->declared);
		free(d->statics.items[i]);
	}
	vec_free(&d->statics);
}

void debug_close_dwarf(struct debug *d)
{
	dwarf_cfi_end(d->eh_frame); /* debug_frame belongs to the DWARF */
	d->eh_frame = d->debug_frame = NULL;
	d->cfi_tried = false;
	statics_free(d);
	split_free(d->split);
	dwarf_object_close(&d->dwarf);
	dwarf_object_close(&d->alt_dwarf);
	image_free(d->alt);
	image_free(d->relocated);
	d->split = NULL;
	d->alt = d->relocated = d->from = NULL;
	vec_clear(&d->units);
	vec_clear(&d->code);
	vec_clear(&d->dies);
	d->dwarf_tried = d->code_complete = d->across_asked = false;
}

bool debug_dwarf(struct debug *d)
{
	if (d->dwarf_tried)
		return d->dwarf.dwarf;
	d->dwarf_tried = true;
	if (!debug_open_dwarf(d, false))
		return false;
	debug_read_units(d);
	return true;
}

bool debug_has_dwarf(struct debug *d) { return debug_dwarf(d) && d->units.len; }

bool debug_swaps(const struct debug *d) { return d->object->image->swap; }

bool debug_is_64(const struct debug *d) { return gelf_getclass(d->object->image->elf) == ELFCLASS64; }
