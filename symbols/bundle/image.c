/*
 * Keep the parts of an object's file that names and stacks need: its headers and, on request, its
 * unwind tables and some code. Sections that are left out are marked as having no bytes, as in a
 * separate debug file.
 */
#include "base/search.h"
#include "symbols/bundle/make_priv.h"

struct part_list {
	VEC(struct code_span);
};

static void add(struct part_list *l, const struct image *im, uint64_t from, uint64_t len)
{
	if (len && from <= im->len && len <= im->len - from && image_kept(im, from) >= len)
		vec_push(l, (struct code_span){ from, len });
}

static int by_start(const void *a, const void *b)
{
	const struct code_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Sort the parts and join those that touch. */
static void join(struct part_list *l)
{
	size_t n = 0;

	if (l->len)
		qsort(l->items, l->len, sizeof(*l->items), by_start);
	for (size_t i = 0; i < l->len; i++) {
		struct code_span *last = n ? &l->items[n - 1] : NULL;

		if (last && l->items[i].from <= last->from + last->len)
			last->len = MAX(last->len, l->items[i].from + l->items[i].len - last->from);
		else
			l->items[n++] = l->items[i];
	}
	l->len = n;
}

static bool is_unwind_table(const char *name)
{
	static const char *const names[] = { ".eh_frame", ".eh_frame_hdr", ".debug_frame", ".ARM.exidx", ".ARM.extab" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void add_headers(struct part_list *l, const struct image *im)
{
	GElf_Ehdr h;
	size_t n = 0, names = 0;
	GElf_Shdr shdr;
	Elf_Scn *scn;

	if (!gelf_getehdr(im->elf, &h))
		return;
	add(l, im, 0, h.e_ehsize);
	if (!elf_getphdrnum(im->elf, &n))
		add(l, im, h.e_phoff, (uint64_t)n * h.e_phentsize);
	if (!elf_getshdrnum(im->elf, &n))
		add(l, im, h.e_shoff, (uint64_t)n * h.e_shentsize);
	scn = elf_getshdrstrndx(im->elf, &names) ? NULL : elf_getscn(im->elf, names);
	if (scn && gelf_getshdr(scn, &shdr))
		add(l, im, shdr.sh_offset, shdr.sh_size);
}

static void add_sections(struct part_list *l, const struct image *im, bool unwind)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;

	while ((scn = elf_nextscn(im->elf, scn)))
		if (gelf_getshdr(scn, &h) && h.sh_type != SHT_NOBITS &&
		    (!strcmp(image_section_name(im, &h), ".note.gnu.build-id") ||
		     (unwind && is_unwind_table(image_section_name(im, &h)))))
			add(l, im, h.sh_offset, h.sh_size);
}

static bool touches(const struct part_list *joined, const GElf_Shdr *h)
{
	size_t at = search_count(i, joined->len, joined->items[i].from + joined->items[i].len <= h->sh_offset);

	return at < joined->len && joined->items[at].from < h->sh_offset + h->sh_size;
}

/* Give sections that are left out the type "no bytes". sh_type follows the 4 bytes of the name. */
static void mark_sections(const struct part_list *l, const struct image *im, uint8_t *copy)
{
	uint32_t nobits = im->swap ? __builtin_bswap32(SHT_NOBITS) : SHT_NOBITS;
	Elf_Scn *scn = NULL;
	GElf_Ehdr e;
	GElf_Shdr h;

	if (!gelf_getehdr(im->elf, &e))
		return;
	while ((scn = elf_nextscn(im->elf, scn))) {
		uint64_t at = e.e_shoff + (uint64_t)elf_ndxscn(scn) * e.e_shentsize;

		if (gelf_getshdr(scn, &h) && h.sh_type != SHT_NULL && !touches(l, &h) && at + 8 <= im->len)
			memcpy(copy + at + 4, &nobits, 4);
	}
}

static void put_parts(struct maker *m, const struct image *im, const struct part_list *l)
{
	uint8_t *copy = xmalloc(im->len + 1);

	for (size_t i = 0; i < l->len; i++)
		memcpy(copy + l->items[i].from, im->data + l->items[i].from, l->items[i].len);
	mark_sections(l, im, copy);
	bundle_u64(&m->objects, im->len);
	bundle_u32(&m->objects, (uint32_t)l->len);
	for (size_t i = 0; i < l->len; i++) {
		bundle_u64(&m->objects, l->items[i].from);
		bundle_u64(&m->objects, l->items[i].len);
	}
	for (size_t i = 0; i < l->len; i++)
		out_mem(&m->objects, (const char *)copy + l->items[i].from, l->items[i].len);
	free(copy);
}

void maker_put_image(struct maker *m, struct dso *d, struct code_spans *code)
{
	const struct image *im = d->kind == DSO_KIND_FILE || d->kind == DSO_KIND_VDSO || code->len ? d->image : NULL;
	struct part_list parts = { 0 };

	if (!im || im->len > BUNDLE_FILE_MAX) {
		bundle_u64(&m->objects, 0);
		bundle_u32(&m->objects, 0);
		return;
	}
	pthread_mutex_lock(&d->lock);
	add_headers(&parts, im);
	add_sections(&parts, im, m->want->unwind);
	for (size_t i = 0; i < code->len; i++)
		add(&parts, im, code->items[i].from, code->items[i].len);
	join(&parts);
	put_parts(m, im, &parts);
	pthread_mutex_unlock(&d->lock);
	vec_free(&parts);
}
