/*
 * All names of an object with their addresses, aliases included, which tables for the other direction leave out.
 * Source: elf(5); "Symbol Versioning" in the Linux Standard Base for versions.
 */
#include "symbols/debug_priv.h"

#include "symbols/demangle.h"

enum { MAX_NAMES = 1 << 24 };

struct versions {
	Elf_Data *of;		/* .gnu.version */
	const char **names;	/* by number, NULL = none */
	size_t n;
};

static void read_definitions(struct versions *v, const struct image *im, Elf_Scn *scn, const GElf_Shdr *h, struct arena *arena)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0;

	for (size_t i = 0; data && i < h->sh_info && i < 4096; i++) {
		GElf_Verdef def;
		GElf_Verdaux aux;
		const char *name;

		if (!gelf_getverdef(data, (int)at, &def) || !gelf_getverdaux(data, (int)(at + def.vd_aux), &aux))
			return;
		name = elf_strptr(im->elf, h->sh_link, aux.vda_name);
		if (name && def.vd_ndx < v->n && !(def.vd_flags & VER_FLG_BASE))
			v->names[def.vd_ndx] = arena_strdup(arena, name);
		if (!def.vd_next)
			return;
		at += def.vd_next;
	}
}

static void read_versions(struct versions *v, const struct image *im, struct arena *arena)
{
	GElf_Shdr h;

	for (Elf_Scn *scn = elf_nextscn(im->elf, NULL); scn; scn = elf_nextscn(im->elf, scn)) {
		if (!gelf_getshdr(scn, &h))
			continue;
		if (h.sh_type == SHT_GNU_versym)
			v->of = elf_getdata(scn, NULL);
		if (h.sh_type == SHT_GNU_verdef && !v->names) {
			v->n = 4096;
			v->names = xcalloc(v->n, sizeof(*v->names));
			read_definitions(v, im, scn, &h, arena);
		}
	}
}

/* "malloc@@GLIBC_2.2.5" of a static table in two. */
static void split_version(struct debug_name *n, struct arena *arena)
{
	const char *mark = strchr(n->name, '@');

	if (!mark || mark == n->name)
		return;
	n->default_version = mark[1] == '@';
	n->version = mark + 1 + n->default_version;
	n->name = arena_strndup(arena, n->name, (size_t)(mark - n->name));
}

static bool take_symbol(struct debug *d, const struct image *im, const GElf_Shdr *table, GElf_Sym *sym, struct debug_name *n)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	Elf_Scn *scn;
	GElf_Shdr h;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT && type != STT_NOTYPE))
		return false;
	*n = (struct debug_name){ .address = sym->st_value, .size = sym->st_size, .global = GELF_ST_BIND(sym->st_info) != STB_LOCAL };
	n->kind = type == STT_GNU_IFUNC ? NAME_IFUNC : type == STT_OBJECT ? NAME_OBJECT : NAME_FUNCTION;
	if (type == STT_NOTYPE || im->type == ET_REL) {	/* labels written in assembler: of code */
		scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(im->elf, sym->st_shndx) : NULL;
		if (!scn || !gelf_getshdr(scn, &h) || !(h.sh_flags & SHF_ALLOC))
			return false;
		if (type == STT_NOTYPE && !(h.sh_flags & SHF_EXECINSTR))
			n->kind = NAME_OBJECT;
		n->address += im->type == ET_REL ? h.sh_addr : 0;
	}
	n->name = elf_strptr(im->elf, table->sh_link, sym->st_name);
	return n->name && *n->name && *n->name != '$' && strncmp(n->name, ".L", 2);
}

static void read_table(struct debug *d, const struct image *im, unsigned section_type)
{
	struct versions v = { 0 };
	GElf_Shdr h;

	if (section_type == SHT_DYNSYM)
		read_versions(&v, im, &d->arena);
	for (Elf_Scn *scn = elf_nextscn(im->elf, NULL); scn; scn = elf_nextscn(im->elf, scn)) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &h) || h.sh_type != section_type || !(data = elf_getdata(scn, NULL)) || !h.sh_entsize)
			continue;
		for (size_t i = 1; i < data->d_size / h.sh_entsize && d->names.len < MAX_NAMES; i++) {
			struct debug_name n;
			GElf_Versym version;
			GElf_Sym sym;

			if (!gelf_getsym(data, (int)i, &sym) || !take_symbol(d, im, &h, &sym, &n))
				continue;
			split_version(&n, &d->arena);
			if (v.of && gelf_getversym(v.of, (int)i, &version) && (version & 0x7fff) < v.n && v.names) {
				n.version = v.names[version & 0x7fff];
				n.default_version = !(version & 0x8000);
			}
			vec_push(&d->names, n);
		}
	}
	free(v.names);
}

static void read_plt(struct debug *d)
{
	struct dso *o = d->object;
	struct table t = { 0 };

	elf_add_plt(o, &t);
	for (size_t i = 0; i < t.len; i++) {
		const struct symbol *s = &t.items[i];

		vec_push(&d->names, (struct debug_name){ .name = symbol_text(o, s, false, &d->arena), .address = s->start, .size = s->end - s->start, .kind = NAME_PLT });
	}
	vec_free(&t);
}

static int name_order(const void *a, const void *b)
{
	const struct debug_name *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->name != y->name) {
		int c = strcmp(x->name, y->name);

		if (c)
			return c;
	}
	return !x->version - !y->version;	/* one with a version first */
}

const struct debug_name *debug_names(struct debug *d, size_t *n)
{
	if (!d->names_read) {
		struct dso *o = d->object;
		struct image *images[] = { NULL, o->image };
		size_t to = 0;

		pthread_mutex_lock(&o->lock);
		images[0] = debugfile_find(d->symbols, o);
		pthread_mutex_unlock(&o->lock);
		if (debug_is_relocatable(d) && debug_dwarf(d)) {	/* one layout for addresses of all kinds */
			images[0] = d->relocated;
			images[1] = NULL;
		}

		d->names_read = true;
		for (size_t i = 0; i < ARRAY_SIZE(images); i++)
			if (images[i])
				read_table(d, images[i], SHT_SYMTAB);
		if (!d->names.len && !o->mini && (o->mini = elf_debugdata(o->image)))	/* some distributions embed what they strip */
			read_table(d, o->mini, SHT_SYMTAB);
		if (!debug_is_relocatable(d)) {
			read_table(d, o->image, SHT_DYNSYM);
			read_plt(d);
		}
		if (d->names.len)
			qsort(d->names.items, d->names.len, sizeof(d->names.items[0]), name_order);
		for (size_t i = 0; i < d->names.len; i++) {
			const struct debug_name *last = to ? &d->names.items[to - 1] : NULL, *x = &d->names.items[i];

			if (!last || last->address != x->address || strcmp(last->name, x->name))
				d->names.items[to++] = *x;
		}
		d->names.len = to;
	}
	*n = d->names.len;
	return d->names.items;
}

const struct debug_name *debug_name_at(struct debug *d, uint64_t address)
{
	size_t n, lo = 0, hi;
	const struct debug_name *names = debug_names(d, &n), *best = NULL;

	hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (names[mid].address <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t tries = 0; lo && tries < 64; lo--, tries++) {
		const struct debug_name *x = &names[lo - 1];

		if (x->kind == NAME_OBJECT || (best && x->address != best->address))
			continue;
		if (address - x->address >= MAX(x->size, (uint64_t)1) && !(best == NULL && x->size == 0))
			continue;
		/* of several: the shortest without leading underscores, global first */
		if (!best || (x->global && !best->global) || (x->global == best->global && strspn(x->name, "_") < strspn(best->name, "_")))
			best = x;
	}
	return best;
}

bool debug_has_name(struct debug *d, const char *name, uint64_t address)
{
	size_t n, lo = 0, hi;
	const struct debug_name *names = debug_names(d, &n);

	hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (names[mid].address < address)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && names[lo].address == address; lo++)
		if (!strcmp(names[lo].name, name))
			return true;
	return false;
}

const char *debug_demangle(struct debug *d, const char *name)
{
	const char *text = name[0] == '_' ? demangle(name, &d->arena) : NULL;

	return text ? text : name;
}

/* Templates come with the type that they return in front: behind it. */
static const char *skip_return_type(const char *text)
{
	const char *name = text;
	int depth = 0;

	if (strstr(text, "operator"))	/* has blanks of its own */
		return text;
	for (const char *s = text; *s && !(*s == '(' && !depth && s[1] != 'a'); s++) {
		depth += *s == '<' || *s == '(' ? 1 : (*s == '>' || *s == ')') && depth ? -1 : 0;
		if (*s == ' ' && !depth)
			name = s + 1;
	}
	return name;
}

const char *debug_plain_name(struct debug *d, const char *text)
{
	int depth = 0;

	text = skip_return_type(text);
	for (const char *s = text; *s; s++) {
		if (!strncmp(s, "(anonymous namespace)", 21)) {
			s += 20;
			continue;
		}
		if (!strncmp(s, "operator()", 10)) {
			s += 9;
			continue;
		}
		if (!strncmp(s, "operator", 8)) {	/* its name has brackets of its own */
			s += 8;
			s += strspn(s, "<>=-+!&|^*/%~,");
			s--;
			continue;
		}
		depth += *s == '<' ? 1 : *s == '>' && depth ? -1 : 0;
		if (*s == '(' && !depth)
			return arena_strndup(&d->arena, text, (size_t)(s - text));
	}
	return text;
}

const char *debug_missing(struct debug *d)
{
	char hex[41];

	build_id_format(&d->object->image->id, hex);
	return hex[0] ? arena_printf(&d->arena, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2) : "";
}
