/*
 * Name the stubs of the procedure linkage table after the functions they jump to. If the
 * architecture's row has plt_slot, decode the stub's jump, so that the order of the relocations does not
 * matter; otherwise stub n belongs to relocation n. Source: the ELF psABI supplements, "Procedure Linkage Table".
 */
#include "symbols/name/sources.h"

#include "base/bytes.h"
#include "symbols/arch/arch.h"

enum { MAX_RELOCATIONS = 1 << 22 };

/*
 * The memory slots from which stubs load their targets. Read them when the first stub needs a
 * name: most stubs are never seen.
 */
struct slot {
	uint64_t address, resolver;
	uint32_t symbol; /* its number; 0 = only the resolver's address is known */
};
struct slots {
	VEC(struct slot); /* by address if stubs are decoded, else in the order of the relocations */
	Elf_Data *symbols;
	struct strings names;
};

static void free_slots(void *state)
{
	struct slots *p = state;

	vec_free(p);
	free(p);
}

/* ---- what the stubs jump to ---- */

/*
 * Open the symbols that a relocation section refers to. All our sections refer to the dynamic
 * ones.
 */
static void open_names(struct slots *p, const struct image *im, const GElf_Shdr *relocations)
{
	Elf_Scn *symbols = elf_getscn(im->elf, relocations->sh_link), *strings;
	GElf_Shdr h, strtab;

	if (p->symbols || !symbols || !gelf_getshdr(symbols, &h) ||
	    (h.sh_type != SHT_DYNSYM && h.sh_type != SHT_SYMTAB))
		return;
	strings = elf_getscn(im->elf, h.sh_link);
	if (!strings || !gelf_getshdr(strings, &strtab) || strtab.sh_type != SHT_STRTAB)
		return;
	p->names.text = (const char *)image_section_bytes(im, &strtab, &p->names.len);
	p->symbols = p->names.text ? elf_getdata(symbols, NULL) : NULL;
}

/*
 * Add the slots of a relocation section. `all`: it also relocates other things, so take only
 * entries with a symbol.
 */
static void read_relocations(struct slots *p, const struct image *im, const char *rela, const char *rel, bool all)
{
	GElf_Shdr h;
	Elf_Scn *scn = image_section(im, rela, &h);
	Elf_Data *data;
	size_t n, unused;

	if (!scn)
		scn = image_section(im, rel, &h);
	if (!scn || (h.sh_type != SHT_RELA && h.sh_type != SHT_REL) || !image_section_bytes(im, &h, &unused))
		return;
	image_will_read(im, &h);
	open_names(p, im, &h);
	data = elf_getdata(scn, NULL);
	n = data ? data->d_size / gelf_fsize(im->elf, h.sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT)
		 : 0;
	for (size_t i = 0; i < MIN(n, MAX_RELOCATIONS); i++) {
		GElf_Rela r = { 0 };
		GElf_Rel short_r;

		if (h.sh_type == SHT_RELA ? !gelf_getrela(data, (int)i, &r) : !gelf_getrel(data, (int)i, &short_r))
			break;
		if (h.sh_type == SHT_REL)
			r = (GElf_Rela){ .r_offset = short_r.r_offset, .r_info = short_r.r_info };
		if (GELF_R_SYM(r.r_info) || !all)
			vec_push(p, (struct slot){ .address = r.r_offset,
						   .resolver = (uint64_t)r.r_addend,
						   .symbol = (uint32_t)GELF_R_SYM(r.r_info) });
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Return the function that decodes a stub of this object, NULL if there is none. */
static plt_slot_fn *plt_slot_of(const struct image *im)
{
	const struct arch *a = arch_of_elf(im->machine);

	return a ? a->plt_slot : NULL;
}

static const struct slots *get_slots(struct dso *d)
{
	struct slots *p = d->plt.state;
	GElf_Shdr h;

	if (p)
		return p;
	p = xcalloc(1, sizeof(*p));
	d->plt = (struct attached){ p, free_slots };
	read_relocations(p, d->image, ".rela.plt", ".rel.plt", false);
	if (!plt_slot_of(d->image))
		return p;
	if (image_section(d->image, ".plt.got", &h))
		read_relocations(p, d->image, ".rela.dyn", ".rel.dyn", true);
	if (p->len)
		qsort(p->items, p->len, sizeof(*p->items), compare_slots);
	return p;
}

static const struct slot *slot_of(const struct slots *p, const struct image *im, const struct symbol *stub,
				  uint64_t offset)
{
	plt_slot_fn *decode = plt_slot_of(im);
	struct slot key = { 0 };

	if (!decode)
		return stub->name < p->len ? &p->items[stub->name] : NULL;
	if (!p->len || offset >= im->len ||
	    !decode(im->data + offset, MIN(stub->end - stub->start, im->len - offset), stub->start, &key.address))
		return NULL;
	return bsearch(&key, p->items, p->len, sizeof(key), compare_slots);
}

/*
 * Return the name of the resolver at this address. Relocations of indirect functions have no
 * symbol, only the address of the resolver, which has one.
 */
static const char *resolver_text(const struct dso *d, uint64_t resolver, bool raw, struct arena *arena)
{
	uint32_t at = table_find(d, resolver);
	const struct symbol *s = at ? &d->symbols[at - 1] : NULL;

	return s && s->start == resolver && !(s->flags & SYMBOL_STUB) ? table_best_text(d, s, raw, arena) : NULL;
}

const char *plt_stub_text(const struct dso *d, const struct symbol *stub, bool raw, struct arena *arena)
{
	/* loaded late, but the result does not depend on who asks first */
	const struct slots *p = get_slots((struct dso *)d);
	uint64_t offset = 0;
	const struct slot *slot;
	const char *text;
	size_t len;

	image_offset(d->image, stub->start, &offset);
	slot = slot_of(p, d->image, stub, offset);
	if (!slot)
		return arena_printf(arena, "offset_0x%llx@plt", (unsigned long long)offset);
	if (slot->symbol) {
		GElf_Sym sym = { 0 };

		if (p->symbols)
			gelf_getsym(p->symbols, (int)slot->symbol, &sym);
		text = raw_text(&p->names, sym.st_name, &len);
		return arena_printf(arena, "%s@plt", text_of_name(text, len, raw, arena));
	}
	text = resolver_text(d, slot->resolver, raw, arena);
	return text ? arena_printf(arena, "%s@plt", text)
		    : arena_printf(arena, "*ABS*+0x%llx@plt", (unsigned long long)slot->resolver);
}

/* ---- where the stubs lie ---- */

static void add(struct symbol_table *t, uint64_t start, uint64_t len, uint8_t strings, uint32_t name, uint8_t flags)
{
	vec_push(t, (struct symbol){ start, start + len, name, strings, STB_GLOBAL, STT_FUNC, flags });
}

static void add_stubs(struct symbol_table *t, uint64_t start, uint64_t size, uint64_t n, uint8_t strings)
{
	for (uint64_t i = 0; i < n; i++)
		add(t, start + i * size, size, strings, (uint32_t)i, SYMBOL_STUB);
}

static void add_by_code(const struct image *im, const char *name, bool has_second, uint8_t strings,
			struct symbol_table *t)
{
	GElf_Shdr h;
	size_t len;
	const uint8_t *code = image_section(im, name, &h) ? image_section_bytes(im, &h, &len) : NULL;
	plt_slot_fn *decode = plt_slot_of(im);
	uint64_t size = 16, head = 0, slot;
	bool first = !strcmp(name, ".plt");

	if (!code || len > (64 << 20))
		return;
	if (first && has_second) { /* here .plt holds only the halves that call the dynamic linker */
		add(t, h.sh_addr, len, strings, 0, SYMBOL_RAW);
		return;
	}
	if (h.sh_entsize == 8 || (!h.sh_entsize && !decode(code, MIN(len, 16), 0, &slot)) ||
	    (!h.sh_entsize && len >= 16 && decode(code + 8, 8, 0, &slot)))
		size = 8;
	if (first && size == 16 && len >= 16 && !decode(code, 16, 0, &slot)) {
		add(t, h.sh_addr, 16, strings, 0, SYMBOL_RAW);
		head = 16;
	}
	add_stubs(t, h.sh_addr + head, size, (len - head) / size, strings);
}

/* Return the number of relocations for stubs: one per stub. */
static uint64_t count_relocations(const struct image *im)
{
	GElf_Shdr h;
	size_t unused;

	if ((!image_section(im, ".rela.plt", &h) && !image_section(im, ".rel.plt", &h)) ||
	    (h.sh_type != SHT_RELA && h.sh_type != SHT_REL) || !image_section_bytes(im, &h, &unused))
		return 0;
	return MIN(h.sh_size / gelf_fsize(im->elf, h.sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT),
		   MAX_RELOCATIONS);
}

static void add_by_order(const struct image *im, uint8_t strings, struct symbol_table *t)
{
	const struct arch *a = arch_of_elf(im->machine);
	GElf_Shdr h;
	uint64_t size, head, n = count_relocations(im);

	if (!n || !image_section(im, ".plt", &h))
		return;
	size = h.sh_entsize >= 4 && h.sh_entsize <= 64 ? h.sh_entsize : 16;
	if (a && a->plt_stub)
		size = a->plt_stub;
	if (a && size < a->plt_stub_least)
		size = a->plt_stub_least;
	if (n > h.sh_size / size || h.sh_size - n * size > 64) /* an unknown layout */
		return;
	head = h.sh_size - n * size;
	if (head)
		add(t, h.sh_addr, head, strings, 0, SYMBOL_RAW);
	add_stubs(t, h.sh_addr + head, size, n, strings);
}

void elf_add_plt(struct dso *d, struct symbol_table *t)
{
	static const char header[] = ".plt";
	const struct image *im = d->image;
	int strings = im->type == ET_REL ? -1 : dso_add_strings(d, header, sizeof(header));
	GElf_Shdr h;
	bool second;

	if (strings < 0)
		return;
	if (!plt_slot_of(im)) {
		add_by_order(im, (uint8_t)strings, t);
		return;
	}
	second = image_section(im, ".plt.sec", &h);
	add_by_code(im, ".plt", second, (uint8_t)strings, t);
	add_by_code(im, ".plt.got", second, (uint8_t)strings, t);
	add_by_code(im, ".plt.sec", second, (uint8_t)strings, t);
}
