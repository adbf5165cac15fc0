/*
 * Read symbols from ELF files: the file itself, its separate debug file, its embedded debug
 * data. Source: elf(5); System V gABI, chapter 4.
 */
#include "symbols/name/debuginfod_priv.h"
#include "symbols/name/sources.h"

#include "symbols/arch/arch.h"
#include "symbols/file/decompress.h"

enum { MAX_SYMBOLS = 1 << 27, MAX_SECTIONS = 1 << 16 };

/* Properties of the section a symbol lies in. */
enum { SECTION_LABELS = 1, SECTION_TEXT = 2, SECTION_NOT_LOADED = 4 };

/* Return the properties by section index, NULL when there are no sections. The caller frees it. */
static uint8_t *classify_sections(const struct image *im, size_t *n)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	uint8_t *of;

	if (elf_getshdrnum(im->elf, n) || !*n)
		return NULL;
	*n = MIN(*n, MAX_SECTIONS);
	of = xcalloc(*n, 1);
	while ((scn = elf_nextscn(im->elf, scn))) {
		size_t i = elf_ndxscn(scn);
		const char *name;

		if (i >= *n || !gelf_getshdr(scn, &h))
			continue;
		name = image_section_name(im, &h);
		of[i] = (strstr(name, "text") || strstr(name, "data") ? SECTION_LABELS : 0) |
			(!strcmp(name, ".text") ? SECTION_TEXT : 0) | (h.sh_flags & SHF_ALLOC ? 0 : SECTION_NOT_LOADED);
	}
	return of;
}

/* Return whether this is a mark of the assembler or linker, not a name. */
static bool is_mark(const struct arch *a, const char *name)
{
	if (a->label_prefix && !strncmp(name, a->label_prefix, strlen(a->label_prefix)))
		return true;
	return a->mark_letters && name[0] == '$' && name[1] && strchr(a->mark_letters, name[1]) &&
	       (a->mark_has_text || !name[2] || name[2] == '.');
}

struct symtab_reader {
	const struct image *im;
	const struct arch *arch; /* NULL: this architecture has no marks */
	const uint8_t *sections;
	size_t n_sections;
	const char *text;
	size_t text_len;
	uint8_t strings;
};

/*
 * Return whether a symbol names code or data. Accept assembler labels only in code and data
 * sections.
 */
static bool is_wanted(const struct symtab_reader *r, const GElf_Sym *sym)
{
	uint8_t section = sym->st_shndx < r->n_sections ? r->sections[sym->st_shndx] : 0;
	uint8_t visibility = GELF_ST_VISIBILITY(sym->st_other);

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || !sym->st_name || sym->st_name >= r->text_len ||
	    !r->text[sym->st_name])
		return false;
	if (section & SECTION_NOT_LOADED || (r->im->type == ET_REL && !(section & SECTION_TEXT)))
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT: break;
	case STT_NOTYPE:
		if (!(section & SECTION_LABELS) || visibility == STV_HIDDEN || visibility == STV_INTERNAL)
			return false;
		break;
	default: return false;
	}
	return !r->arch || r->text_len - sym->st_name < 4 || !is_mark(r->arch, r->text + sym->st_name);
}

static bool open_strings(struct dso *d, const struct image *im, const GElf_Shdr *symtab, struct symtab_reader *r)
{
	Elf_Scn *scn = elf_getscn(im->elf, symtab->sh_link);
	GElf_Shdr h;
	int strings;

	if (!scn || !gelf_getshdr(scn, &h) || h.sh_type != SHT_STRTAB || h.sh_flags & SHF_COMPRESSED)
		return false;
	r->text = (const char *)image_section_bytes(im, &h, &r->text_len);
	if (!r->text)
		return false;
	image_will_read(im, &h);
	strings = dso_add_strings(d, r->text, r->text_len);
	r->strings = (uint8_t)strings;
	return strings >= 0;
}

size_t elf_add_symbols(struct dso *d, const struct image *im, uint32_t section_type, struct symbol_table *t)
{
	const struct arch *arch = arch_of_elf(im->machine);
	bool marked = arch && (arch->mark_letters || arch->label_prefix);
	struct symtab_reader r = { .im = im, .arch = marked ? arch : NULL };
	size_t before = t->len, n;
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	Elf_Data *data;
	bool is_64 = gelf_getclass(im->elf) == ELFCLASS64;

	while ((scn = elf_nextscn(im->elf, scn)))
		if (gelf_getshdr(scn, &h) && h.sh_type == section_type)
			break;
	if (!scn || h.sh_flags & SHF_COMPRESSED || !image_section_bytes(im, &h, &n) || !open_strings(d, im, &h, &r))
		return 0;
	image_will_read(im, &h);
	data = elf_getdata(scn, NULL);
	n = data ? data->d_size / gelf_fsize(im->elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
	n = MIN(n, MAX_SYMBOLS);
	autofree uint8_t *sections = classify_sections(im, &r.n_sections);
	r.sections = sections;
	if (!sections)
		r.n_sections = 0;
	vec_reserve(t, t->len + n);
	for (size_t i = 1; i < n; i++) {
		GElf_Sym sym;

		if (is_64) /* GElf_Sym is the same struct; gelf_getsym() would take as long as all the rest */
			memcpy(&sym, (const Elf64_Sym *)data->d_buf + i, sizeof(sym));
		else if (!gelf_getsym(data, (int)i, &sym))
			continue;
		if (!is_wanted(&r, &sym))
			continue;
		if (arch && arch->thumb_bit && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			sym.st_value &= ~UINT64_C(1);
		vec_push(t, (struct symbol){
				    .start = sym.st_value,
				    .end = sym.st_size > UINT64_MAX - sym.st_value ? sym.st_value
										   : sym.st_value + sym.st_size,
				    .name = sym.st_name,
				    .strings = r.strings,
				    .binding = GELF_ST_BIND(sym.st_info),
				    .type = GELF_ST_TYPE(sym.st_info),
			    });
	}
	return t->len - before;
}

struct image *elf_debugdata(const struct image *im)
{
	GElf_Shdr h;
	size_t len = 0, text_len = 0;
	const uint8_t *bytes = image_section(im, ".gnu_debugdata", &h) ? image_section_bytes(im, &h, &len) : NULL;
	uint8_t *text = bytes && len < (16 << 20) ? decompress(bytes, len, &text_len) : NULL;
	struct image *mini;

	if (!text)
		return NULL;
	mini = xcalloc(1, sizeof(*mini));
	if (image_open_memory(mini, text, text_len, text, NULL) < 0) {
		free(mini);
		return NULL;
	}
	return mini;
}

/*
 * Add the full symbol table, of the file itself or of its debug file. If there is none, add the
 * dynamic symbols and the embedded table, which omits those. A debug file without the object does
 * not help: it does not say where in the object the code lay.
 */
static void add_all(struct symbols *s, struct dso *d, struct symbol_table *t)
{
	enum reason stripped = REASON_NONE;
	struct image *debug;

	if (elf_add_symbols(d, d->image, SHT_SYMTAB, t))
		return;
	debug = debugfile_find(s, d);
	if (debug && elf_add_symbols(d, debug, SHT_SYMTAB, t))
		return;
	d->mini = elf_debugdata(d->image);
	if (!elf_add_symbols(d, d->image, SHT_DYNSYM, t) && !d->mini)
		stripped = REASON_STRIPPED;
	else if (!d->mini)
		stripped = REASON_ONLY_DYNAMIC;
	if (!d->problem) /* a doubt about the file matters more */
		d->problem = stripped && is_c_library(d) ? REASON_LIBC_STRIPPED : stripped;
	if (d->mini)
		elf_add_symbols(d, d->mini, SHT_SYMTAB, t);
}

int elf_load(struct symbols *s, struct dso *d)
{
	struct symbol_table t = { 0 };

	add_all(s, d, &t);
	elf_add_plt(d, &t);
	if (!t.len) {
		vec_free(&t);
		return 0;
	}
	table_finish(&t, d, TABLE_ELF);
	return 1;
}

/*
 * Return whether the path was deleted or never existed. Source: d_path of Linux, as in
 * /proc/PID/maps; memfd_create(2).
 */
static bool is_transient(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path);

	return !strncmp(path, "/memfd:", 7) ||
	       (len > sizeof(deleted) && !strcmp(path + len - sizeof(deleted) + 1, deleted));
}

/*
 * Return why the file may not be the one that was mapped. A recorded build-id settles it, and
 * opening has compared that. Otherwise compare the inode, and whether the file was written
 * after the recording. On other machines and in copies, inodes and times prove nothing.
 */
static enum reason doubt(const struct symbols *s, const struct dso *d, const struct image *im)
{
	if (d->id.size || s->opts.foreign || s->opts.symfs || !im->mapped)
		return REASON_NONE;
	if (d->ino && im->map.ino != d->ino)
		return REASON_OTHER_INODE;
	if (!file_has_generation(im->map.fd, d->generation))
		return REASON_REPLACED;
	return s->opts.recorded_ns && im->map.mtime_ns > s->opts.recorded_ns ? REASON_CHANGED : REASON_NONE;
}

/*
 * Open the file here, or as its process sees it, or as its process has mapped it. Use a
 * doubtful file only if there is no better one, and then set the problem.
 */
static struct image *open_recorded(struct symbols *s, struct dso *d)
{
	enum { HERE, BELOW_ITS_ROOT, MAPPED, N_WAYS };
	struct image *kept = NULL;
	enum reason why = REASON_NO_FILE, first = REASON_NONE, kept_doubt = REASON_NONE;

	for (int way = HERE; way < N_WAYS; way++) {
		struct image *im = way == HERE             ? open_object(s, d->path, &d->id, &why)
				   : way == BELOW_ITS_ROOT ? open_in_process(s, d->mapper, d->path, &d->id, &why)
							   : open_mapped(s, d->mapper, d->path, d->ino, &d->id, &why);
		enum reason unsure = im ? doubt(s, d, im) : REASON_NONE;

		if (im && !unsure) {
			image_free(kept);
			d->is_below_root = way == BELOW_ITS_ROOT;
			return im;
		}
		if (way == HERE || (!im && way == MAPPED && why == REASON_NOT_PERMITTED))
			first = why;
		if (im && !kept) {
			kept = im;
			kept_doubt = unsure;
		} else {
			image_free(im);
		}
	}
	d->problem = kept ? kept_doubt : first;
	if (d->problem == REASON_NO_FILE && (d->private_root || is_transient(d->path)) && !process_lives(s, d->mapper))
		d->problem = REASON_PROCESS_GONE;
	return kept;
}

int from_elf(struct symbols *s, struct dso *d)
{
	d->image = open_cached(s, &d->id, "/elf");
	if (!d->image)
		d->image = open_recorded(s, d);
	if (!d->image) {
		d->image = debuginfod_open(s, d, &d->id, DEBUGINFOD_EXECUTABLE);
		d->problem = d->image ? REASON_NONE : d->problem;
	}
	return d->image ? elf_load(s, d) : 0;
}
