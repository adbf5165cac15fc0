/*
 * Stubs of the procedure linkage table under the names of what they jump to. On x86-64 each stub's jump is decoded, so its place among the
 * relocations does not matter; elsewhere stub n belongs to relocation n. Source: the ELF psABI supplements, "Procedure Linkage Table".
 */
#include "symbols/sources.h"

#include "base/bytes.h"

enum { MAX_RELOCATIONS = 1 << 22 };

struct slot { uint64_t address, resolver; uint32_t name; bool named; };	/* `name` in the dynamic string table */

struct plt {
	struct dso *d;
	const struct image *im;
	struct table *t;
	VEC(struct slot) slots;		/* where stubs find their target, in the order of the relocations */
	struct slot *by_address;
	struct u64map resolvers;	/* address of an indirect function's resolver -> index + 1 of its symbol in t */
	VEC(char) texts;		/* names we make up */
	int names;			/* string tables: of the dynamic symbols, ours */
	uint8_t ours;
};

static uint32_t make_text(struct plt *p, const char *text)
{
	size_t at = p->texts.len, len = strlen(text) + 1;

	memcpy(vec_add(&p->texts, len), text, len);
	return (uint32_t)at;
}

static void add(struct plt *p, uint64_t start, uint64_t len, uint8_t strings, uint32_t name, uint8_t flags)
{
	vec_push(p->t, (struct symbol){ start, start + len, name, strings, STB_GLOBAL, STT_FUNC, flags });
}

/* The string table behind the symbols that a relocation section refers to; they are the dynamic ones in both cases. */
static Elf_Data *open_names(struct plt *p, const GElf_Shdr *relocations)
{
	Elf_Scn *symbols = elf_getscn(p->im->elf, relocations->sh_link), *strings;
	GElf_Shdr h, strtab;
	size_t len;
	const uint8_t *text;

	if (!symbols || !gelf_getshdr(symbols, &h) || (h.sh_type != SHT_DYNSYM && h.sh_type != SHT_SYMTAB))
		return NULL;
	strings = elf_getscn(p->im->elf, h.sh_link);
	if (!strings || !gelf_getshdr(strings, &strtab) || strtab.sh_type != SHT_STRTAB)
		return NULL;
	text = image_section_bytes(p->im, &strtab, &len);
	if (p->names < 0 && text)
		p->names = dso_add_strings(p->d, (const char *)text, len);
	return p->names >= 0 ? elf_getdata(symbols, NULL) : NULL;
}

/* `all`: the section also relocates other things; only what has a symbol counts. */
static void read_relocations(struct plt *p, const char *rela, const char *rel, bool all)
{
	GElf_Shdr h;
	Elf_Scn *scn = image_section(p->im, rela, &h);
	Elf_Data *data, *symbols;
	size_t n, unused;

	if (!scn)
		scn = image_section(p->im, rel, &h);
	if (!scn || (h.sh_type != SHT_RELA && h.sh_type != SHT_REL) || !image_section_bytes(p->im, &h, &unused))
		return;
	symbols = open_names(p, &h);
	data = elf_getdata(scn, NULL);
	n = data ? data->d_size / gelf_fsize(p->im->elf, h.sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT) : 0;
	for (size_t i = 0; i < MIN(n, MAX_RELOCATIONS); i++) {
		GElf_Rela r = { 0 };
		GElf_Rel short_r;
		GElf_Sym sym;
		struct slot slot;

		if (h.sh_type == SHT_RELA ? !gelf_getrela(data, (int)i, &r) : !gelf_getrel(data, (int)i, &short_r))
			break;
		if (h.sh_type == SHT_REL)
			r = (GElf_Rela){ .r_offset = short_r.r_offset, .r_info = short_r.r_info };
		slot = (struct slot){ .address = r.r_offset };
		if (!GELF_R_SYM(r.r_info))
			slot.resolver = (uint64_t)r.r_addend;
		else if (symbols && gelf_getsym(symbols, (int)GELF_R_SYM(r.r_info), &sym) && sym.st_name)
			slot.name = sym.st_name, slot.named = true;
		if (slot.named || !all)
			vec_push(&p->slots, slot);
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static const struct slot *find_slot(const struct plt *p, uint64_t address)
{
	struct slot key = { .address = address };

	return p->slots.len ? bsearch(&key, p->by_address, p->slots.len, sizeof(key), compare_slots) : NULL;
}

/* Stubs of indirect functions have no symbol in their relocation, only the address of the resolver, which has one. */
static void find_resolvers(struct plt *p)
{
	size_t budget = 16 << 20;	/* bytes of names */
	bool any = false;

	for (size_t i = 0; i < p->slots.len; i++)
		if (!p->slots.items[i].named) {
			*u64map_put(&p->resolvers, p->slots.items[i].resolver, NULL) = 0;
			any = true;
		}
	for (size_t i = 0; any && i < p->t->len; i++) {
		const struct symbol *s = &p->t->items[i];
		uint32_t *best = u64map_find(&p->resolvers, s->start);

		if (best && (!*best || table_prefers(p->d, &p->t->items[*best - 1], s, &budget)))
			*best = (uint32_t)i + 1;
	}
}

static void add_stub(struct plt *p, uint64_t start, uint64_t len, uint64_t offset, const struct slot *slot)
{
	uint32_t *resolver = slot && !slot->named ? u64map_find(&p->resolvers, slot->resolver) : NULL;
	char text[64];

	if (slot && slot->named) {
		add(p, start, len, (uint8_t)p->names, slot->name, SYMBOL_PLT);
	} else if (resolver && *resolver) {
		struct symbol s = p->t->items[*resolver - 1];

		add(p, start, len, s.strings, s.name, SYMBOL_PLT);
	} else {
		if (slot)
			snprintf(text, sizeof(text), "*ABS*+0x%llx@plt", (unsigned long long)slot->resolver);
		else
			snprintf(text, sizeof(text), "offset_0x%llx@plt", (unsigned long long)offset);
		add(p, start, len, p->ours, make_text(p, text), SYMBOL_RAW);
	}
}

/* jmp *disp32(%rip), after endbr64 and a bnd prefix where there are: the address it loads its target from. */
static bool decode_x86_64(const uint8_t *code, size_t len, uint64_t address, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;

	if (len >= 4 && !memcmp(code, endbr64, 4))
		at = 4;
	if (at < len && code[at] == 0xf2)
		at++;
	if (len - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*slot = address + at + 6 + (uint64_t)(int64_t)(int32_t)load_u32(code + at + 2);
	return true;
}

static void add_x86_64(struct plt *p, const char *name, bool has_second)
{
	GElf_Shdr h;
	size_t len;
	const uint8_t *code = image_section(p->im, name, &h) ? image_section_bytes(p->im, &h, &len) : NULL;
	uint64_t size = 16, at = 0, slot;
	bool first = !strcmp(name, ".plt");

	if (!code || len > (64 << 20))
		return;
	if (first && has_second) {	/* here are only the halves that ask the dynamic linker */
		add(p, h.sh_addr, len, p->ours, make_text(p, ".plt"), SYMBOL_RAW);
		return;
	}
	if (h.sh_entsize == 8 || (!h.sh_entsize && !decode_x86_64(code, MIN(len, 16), 0, &slot)) ||
	    (!h.sh_entsize && len >= 16 && decode_x86_64(code + 8, 8, 0, &slot)))
		size = 8;
	if (first && size == 16 && len >= 16 && !decode_x86_64(code, 16, 0, &slot)) {
		add(p, h.sh_addr, 16, p->ours, make_text(p, ".plt"), SYMBOL_RAW);
		at = 16;
	}
	for (; len - at >= size; at += size) {
		const struct slot *found = NULL;

		if (decode_x86_64(code + at, size, h.sh_addr + at, &slot))
			found = find_slot(p, slot);
		add_stub(p, h.sh_addr + at, size, h.sh_offset + at, found);
	}
}

static void add_by_order(struct plt *p)
{
	GElf_Shdr h;
	uint64_t size, head, n = p->slots.len;

	if (!image_section(p->im, ".plt", &h) || !n)
		return;
	size = h.sh_entsize >= 4 && h.sh_entsize <= 64 ? h.sh_entsize : 16;
	if (p->im->machine == EM_ARM)
		size = 12;
	if (p->im->machine == EM_AARCH64 && size < 16)
		size = 16;
	if (n > h.sh_size / size || h.sh_size - n * size > 64)	/* not laid out as we think */
		return;
	head = h.sh_size - n * size;
	if (head)
		add(p, h.sh_addr, head, p->ours, make_text(p, ".plt"), SYMBOL_RAW);
	for (uint64_t i = 0; i < n; i++)
		add_stub(p, h.sh_addr + head + i * size, size, h.sh_offset + head + i * size, &p->slots.items[i]);
}

size_t elf_add_plt(struct dso *d, const struct image *im, struct table *t)
{
	struct plt p = { .d = d, .im = im, .t = t, .names = -1 };
	size_t before = t->len;
	bool got = false, second = false;
	GElf_Shdr h;
	int ours;

	if (im->type == ET_REL)
		return 0;
	if (im->machine == EM_X86_64) {
		got = image_section(im, ".plt.got", &h);
		second = image_section(im, ".plt.sec", &h);
	}
	ours = dso_add_strings(d, "", 0);
	if (ours < 0)
		return 0;
	p.ours = (uint8_t)ours;
	read_relocations(&p, ".rela.plt", ".rel.plt", false);
	find_resolvers(&p);
	if (im->machine == EM_X86_64) {
		if (got)
			read_relocations(&p, ".rela.dyn", ".rel.dyn", true);
		if (p.slots.len) {
			p.by_address = xmalloc(p.slots.len * sizeof(*p.by_address));
			memcpy(p.by_address, p.slots.items, p.slots.len * sizeof(*p.by_address));
			qsort(p.by_address, p.slots.len, sizeof(*p.by_address), compare_slots);
		}
		add_x86_64(&p, ".plt", second);
		add_x86_64(&p, ".plt.got", second);
		add_x86_64(&p, ".plt.sec", second);
	} else {
		add_by_order(&p);
	}
	d->strings[p.ours] = (struct strings){ arena_memdup(&d->arena, p.texts.items, p.texts.len), p.texts.len };
	vec_free(&p.texts);
	vec_free(&p.slots);
	free(p.by_address);
	u64map_free(&p.resolvers);
	return t->len - before;
}
