/*
 * List all names of an object with their addresses. Include aliases, which the table for
 * address lookup drops. Source: elf(5); "Symbol Versioning" in the Linux Standard Base for
 * versions.
 */
#include "symbols/debug/debug_priv.h"

#include "base/search.h"
#include "symbols/name/demangle.h"

enum { MAX_NAMES = 1 << 24, MAX_SECTIONS = 1 << 16, MAX_SWEEPS = 16 };
#define AROUND UINT64_C(0x10000) /* bytes */

struct versions {
	Elf_Data *of;       /* contents of .gnu.version */
	const char **names; /* by number, NULL = none */
	size_t n;
};

static void read_definitions(struct versions *v, const struct image *im, Elf_Scn *scn, const GElf_Shdr *h,
			     struct arena *arena)
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

/* Split "malloc@@GLIBC_2.2.5", as in a static table, into name and version. */
static void split_version(struct debug_name *n, struct arena *arena)
{
	const char *mark = strchr(n->name, '@');

	if (!mark || mark == n->name)
		return;
	n->default_version = mark[1] == '@';
	n->version = mark + 1 + n->default_version;
	n->version_written = true;
	n->name = arena_strndup(arena, n->name, (size_t)(mark - n->name));
}

/* Wanted names: those with an address in [from, to]. */
struct wanted_range {
	uint64_t from, to;
};

/*
 * A symbol table and what its entries refer to. There can be hundreds of thousands of entries,
 * so look everything up once.
 */
struct name_reader {
	const struct image *im;
	Elf_Data *data;
	const uint8_t *plain; /* the entries, when they are Elf64_Sym */
	size_t n;
	const char *text;
	size_t text_len;
	GElf_Shdr *sections;
	size_t n_sections;
};

static bool open_table(struct name_reader *r, const struct image *im, Elf_Scn *scn, const GElf_Shdr *h)
{
	Elf_Scn *strings = elf_getscn(im->elf, h->sh_link);
	Elf_Data *text = strings ? elf_getdata(strings, NULL) : NULL;

	*r = (struct name_reader){ .im = im, .data = elf_getdata(scn, NULL) };
	if (!r->data || !text || !text->d_buf || !text->d_size || elf_getshdrnum(im->elf, &r->n_sections) != 0)
		return false;
	r->n = r->data->d_size / gelf_fsize(im->elf, ELF_T_SYM, 1, EV_CURRENT);
	r->plain = gelf_getclass(im->elf) == ELFCLASS64 ? r->data->d_buf : NULL;
	r->text = text->d_buf;
	r->text_len = text->d_size;
	while (r->text_len && r->text[r->text_len - 1]) /* the last name must end inside */
		r->text_len--;
	r->n_sections = MIN(r->n_sections, MAX_SECTIONS);
	r->sections = xcalloc(r->n_sections + 1, sizeof(*r->sections));
	for (size_t i = 0; i < r->n_sections; i++) {
		Elf_Scn *s = elf_getscn(im->elf, i);

		if (!s || !gelf_getshdr(s, &r->sections[i]))
			r->sections[i] = (GElf_Shdr){ 0 };
	}
	return true;
}

static bool read_entry(const struct name_reader *r, size_t i, GElf_Sym *sym)
{
	if (!r->plain)
		return gelf_getsym(r->data, (int)i, sym);
	memcpy(sym, r->plain + i * sizeof(*sym), sizeof(*sym));
	return true;
}

static bool take_symbol(const struct name_reader *r, const GElf_Sym *sym, const struct wanted_range *w,
			struct debug_name *n)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	const GElf_Shdr *h = sym->st_shndx < r->n_sections ? &r->sections[sym->st_shndx] : NULL;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || sym->st_name >= r->text_len ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT && type != STT_NOTYPE))
		return false;
	*n = (struct debug_name){ .address = sym->st_value,
				  .size = sym->st_size,
				  .global = GELF_ST_BIND(sym->st_info) != STB_LOCAL };
	n->kind = type == STT_GNU_IFUNC ? NAME_IFUNC : type == STT_OBJECT ? NAME_OBJECT : NAME_FUNCTION;
	/* assembler labels: only in loaded sections */
	if (type == STT_NOTYPE || r->im->type == ET_REL) {
		if (!h || !(h->sh_flags & SHF_ALLOC))
			return false;
		if (type == STT_NOTYPE && !(h->sh_flags & SHF_EXECINSTR))
			n->kind = NAME_OBJECT;
		n->address += r->im->type == ET_REL ? h->sh_addr : 0;
	}
	n->name = r->text + sym->st_name;
	return n->address >= w->from && n->address <= w->to && *n->name && *n->name != '$' && strncmp(n->name, ".L", 2);
}

static void read_table(struct debug *d, const struct image *im, unsigned section_type, const struct wanted_range *w,
		       struct debug_names *out)
{
	struct versions v = { 0 };
	GElf_Shdr h;

	if (section_type == SHT_DYNSYM)
		read_versions(&v, im, &d->arena);
	for (Elf_Scn *scn = elf_nextscn(im->elf, NULL); scn; scn = elf_nextscn(im->elf, scn)) {
		struct name_reader r;

		if (!gelf_getshdr(scn, &h) || h.sh_type != section_type || !open_table(&r, im, scn, &h))
			continue;
		for (size_t i = 1; i < r.n && out->len < MAX_NAMES; i++) {
			struct debug_name n;
			GElf_Versym version;
			GElf_Sym sym;

			if (!read_entry(&r, i, &sym) || !take_symbol(&r, &sym, w, &n))
				continue;
			split_version(&n, &d->arena);
			if (v.of && gelf_getversym(v.of, (int)i, &version) && (version & 0x7fff) < v.n && v.names) {
				n.version = v.names[version & 0x7fff];
				n.default_version = !(version & 0x8000);
			}
			vec_push(out, n);
		}
		free(r.sections);
	}
	free(v.names);
}

static void read_plt(struct debug *d, const struct wanted_range *w, struct debug_names *out)
{
	struct dso *o = d->object;
	struct symbol_table t = { 0 };

	elf_add_plt(o, &t);
	for (size_t i = 0; i < t.len; i++) {
		const struct symbol *s = &t.items[i];

		if (s->start >= w->from && s->start <= w->to)
			vec_push(out, (struct debug_name){ .name = symbol_text(o, s, false, &d->arena),
							   .address = s->start,
							   .size = s->end - s->start,
							   .kind = NAME_PLT });
	}
	vec_free(&t);
}

static bool has_table(const struct image *im)
{
	GElf_Shdr h;

	for (Elf_Scn *scn = im ? elf_nextscn(im->elf, NULL) : NULL; scn; scn = elf_nextscn(im->elf, scn))
		if (gelf_getshdr(scn, &h) && h.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

/* Read the names of all tables, in their order. */
static void read_names(struct debug *d, const struct wanted_range *w, struct debug_names *out)
{
	struct dso *o = d->object;
	struct image *images[] = { NULL, o->image };

	pthread_mutex_lock(&o->lock);
	images[0] = debugfile_find(d->symbols, o);
	pthread_mutex_unlock(&o->lock);
	if (debug_is_relocatable(d) && debug_dwarf(d)) { /* use one layout for all addresses */
		images[0] = d->relocated;
		images[1] = NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		if (images[i])
			read_table(d, images[i], SHT_SYMTAB, w, out);
	/* some distributions embed the symbols they strip */
	if (!o->mini && !has_table(images[0]) && !has_table(images[1]))
		o->mini = elf_debugdata(o->image);
	if (o->mini)
		read_table(d, o->mini, SHT_SYMTAB, w, out);
	if (!debug_is_relocatable(d)) {
		read_table(d, o->image, SHT_DYNSYM, w, out);
		read_plt(d, w, out);
	}
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
	return !x->version - !y->version; /* the one with a version first */
}

void debug_sort_names(struct debug_names *l)
{
	size_t to = 0;

	if (l->len)
		qsort(l->items, l->len, sizeof(l->items[0]), name_order);
	for (size_t i = 0; i < l->len; i++) {
		const struct debug_name *last = to ? &l->items[to - 1] : NULL, *x = &l->items[i];

		if (!last || last->address != x->address || strcmp(last->name, x->name))
			l->items[to++] = *x;
	}
	l->len = to;
}

const struct debug_name *debug_unsorted_names(struct debug *d, size_t *n)
{
	const struct wanted_range all = { 0, UINT64_MAX };

	if (!d->names_read) {
		d->names_read = true;
		read_names(d, &all, &d->names);
	}
	*n = d->names.len;
	return d->names.items;
}

const struct debug_name *debug_names(struct debug *d, size_t *n)
{
	debug_unsorted_names(d, n);
	if (!d->names_sorted) {
		d->names_sorted = true;
		debug_sort_names(&d->names);
	}
	*n = d->names.len;
	return d->names.items;
}

/*
 * Return the sorted names from AROUND bytes before the address up to it. Sorting all names is
 * not worthwhile for a few addresses, so scan the tables for names near the address.
 */
static const struct debug_names *names_around(struct debug *d, uint64_t address, bool all)
{
	struct wanted_range w = { address - MIN(address, AROUND), address };
	size_t n;

	if (all || d->names_sorted || d->sweeps == MAX_SWEEPS) {
		debug_names(d, &n);
		return &d->names;
	}
	if (d->around.len && d->around_address == address)
		return &d->around;
	d->sweeps++;
	d->around_address = address;
	vec_clear(&d->around);
	if (!d->names_read)
		read_names(d, &w, &d->around);
	for (size_t i = 0; d->names_read && i < d->names.len; i++)
		if (d->names.items[i].address >= w.from && d->names.items[i].address <= w.to)
			vec_push(&d->around, d->names.items[i]);
	debug_sort_names(&d->around);
	return &d->around;
}

static const struct debug_name *best_at(const struct debug_names *l, uint64_t address)
{
	const struct debug_name *best = NULL;

	for (size_t at = vec_count_up_to(l, address, address), tries = 0; at && tries < 64; at--, tries++) {
		const struct debug_name *x = &l->items[at - 1];

		if (x->kind == NAME_OBJECT || (best && x->address != best->address))
			continue;
		if (address - x->address >= MAX(x->size, (uint64_t)1) && !(best == NULL && x->size == 0))
			continue;
		/* prefer global names, then fewer leading underscores */
		if (!best || (x->global && !best->global) ||
		    (x->global == best->global && strspn(x->name, "_") < strspn(best->name, "_")))
			best = x;
	}
	return best;
}

const struct debug_name *debug_name_at(struct debug *d, uint64_t address)
{
	const struct debug_name *best = best_at(names_around(d, address, false), address);

	if (!best) /* the function may begin before the scanned range */
		best = best_at(names_around(d, address, true), address);
	return best ? arena_memdup(&d->arena, best, sizeof(*best)) : NULL;
}

bool debug_has_name(struct debug *d, const char *name, uint64_t address)
{
	const struct debug_names *l = names_around(d, address, false);

	for (size_t at = vec_count_up_to(l, address, address); at && l->items[at - 1].address == address; at--)
		if (!strcmp(l->items[at - 1].name, name))
			return true;
	return false;
}

const char *debug_demangle(struct debug *d, const char *name)
{
	const char *text = name[0] == '_' ? demangle(name, &d->arena) : NULL;

	return text ? text : name;
}

/* Skip the return type that precedes the name of a template instance. */
static const char *skip_return_type(const char *text)
{
	const char *name = text;
	int depth = 0;

	if (strstr(text, "operator")) /* operator names contain blanks */
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
		if (!strncmp(s, "operator", 8)) { /* operator names contain brackets */
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
	autofree char *path = build_id_debug_path(&d->object->image->id);

	return path ? arena_strdup(&d->arena, path) : "";
}
