/* Print the sampled instruction and its source line: insn, insnlen, disasm, srccode. */
#include "report/script/insn_priv.h"

#include "symbols/code/disasm.h"

enum { FILES_MAX = 64 }; /* source files kept in memory */

/* ---- instructions ---- */

struct insn_cache {
	VEC(struct known_insn) insns;
	struct u64map index; /* hash -> index into insns + 1 */
	struct arena arena;
	struct disasm *disasm;
	struct disasm_target target; /* target of `disasm` */
};

static bool same_target(const struct disasm_target *a, const struct disasm_target *b)
{
	return a->machine == b->machine && a->is_64 == b->is_64 && a->big_endian == b->big_endian &&
	       a->thumb == b->thumb && a->syntax == b->syntax;
}

static void disassemble(struct insn_cache *c, const struct code *code, struct known_insn *k)
{
	struct code_cursor at = { code->bytes, code->len, code->address };
	struct insn insn;
	char text[sizeof(insn.mnemonic) + sizeof(insn.operands) + 16];

	if (!c->disasm || !same_target(&c->target, &code->target)) {
		disasm_close(c->disasm);
		c->disasm = disasm_open(&code->target, NULL);
		c->target = code->target;
	}
	if (!c->disasm || !disasm_next(c->disasm, &at, &insn) || insn.size > INSN_MAX)
		return;
	if (insn.bad && insn.size == 1) /* its length is unknown, too */
		return;
	k->size = insn.size;
	k->kind = insn.kind;
	memcpy(k->bytes, insn.bytes, insn.size);
	k->text = arena_strdup(&c->arena, insn_text(&insn, text, sizeof(text)));
}

const struct known_insn *insn_at(struct print_job *j, const struct address *a)
{
	struct symbols *s = j->p->session->symbols;
	struct known_insn k = { 0 };
	struct insn_cache *c;
	struct code code;
	uint32_t *slot;

	if (!j->w->insns)
		j->w->insns = xcalloc(1, sizeof(*j->w->insns));
	c = j->w->insns;
	k.dso = a->hit.dso;
	k.address = dso_address(s, a->hit.dso, a->hit.dso_off);
	slot = u64map_put(&c->index, hash_mix(k.dso, k.address), NULL);
	if (*slot && c->insns.items[*slot - 1].dso == k.dso && c->insns.items[*slot - 1].address == k.address)
		return &c->insns.items[*slot - 1];
	if (dso_code(s, k.dso, k.address, INSN_MAX, &code, NULL) == 0) {
		disassemble(c, &code, &k);
		code_release(&code);
	}
	vec_push(&c->insns, k);
	*slot = (uint32_t)c->insns.len;
	return &c->insns.items[c->insns.len - 1];
}

/* Return the instruction at the sampled address. */
static const struct known_insn *sampled_insn(struct print_job *j)
{
	static const struct known_insn none;
	struct address a;

	address_find(j, j->sample->misc & MISC_CPUMODE, j->sample->ip, &a);
	return a.hit.dso && j->sample->type & SAMPLE_IP ? insn_at(j, &a) : &none;
}

void insn_cache_free(struct insn_cache *c)
{
	if (!c)
		return;
	disasm_close(c->disasm);
	vec_free(&c->insns);
	u64map_free(&c->index);
	arena_release(&c->arena);
	free(c);
}

void print_insn(struct print_job *j)
{
	const struct known_insn *k = sampled_insn(j);

	if (!k->size)
		return;
	out_str(j->o, " insn:");
	for (unsigned i = 0; i < k->size; i++) {
		out_char(j->o, ' ');
		out_hex_pad(j->o, k->bytes[i], 2, '0');
	}
}

void print_insnlen(struct print_job *j)
{
	out_str(j->o, " ilen: ");
	out_u64(j->o, sampled_insn(j)->size);
}

void print_disasm(struct print_job *j)
{
	const struct known_insn *k = sampled_insn(j);

	if (!k->size)
		return;
	out_str(j->o, "\t\t");
	out_name(j->o, k->text);
}

/* ---- source lines ---- */

struct insn_source {
	const char *name;
	struct file_map map;
	VEC(uint32_t) lines;
}; /* lines: offsets of their starts */

struct source_cache {
	VEC(struct insn_source) files;
	struct source_line last; /* printed last */
};

static void split_lines(struct insn_source *f)
{
	const uint8_t *at = f->map.data, *end = at + f->map.len;

	if (f->map.len > UINT32_MAX)
		return;
	while (at && at < end) {
		vec_push(&f->lines, (uint32_t)(at - f->map.data));
		at = memchr(at, '\n', (size_t)(end - at));
		if (at)
			at++;
	}
}

static void release_files(struct source_cache *c)
{
	for (size_t i = 0; i < c->files.len; i++) {
		file_unmap(&c->files.items[i].map);
		vec_free(&c->files.items[i].lines);
	}
	c->files.len = 0;
}

/*
 * Return a source file from the cache; read it first if needed. Names of files are interned, so the pointer identifies
 * the file. Keep a missing file as an empty one.
 */
static struct insn_source *source_file(struct source_cache *c, const char *name)
{
	struct insn_source f = { .name = name };

	for (size_t i = 0; i < c->files.len; i++)
		if (c->files.items[i].name == name)
			return &c->files.items[i];
	if (c->files.len == FILES_MAX)
		release_files(c);
	if (file_map(&f.map, name, NULL) == 0)
		split_lines(&f);
	else
		f.map = (struct file_map){ .fd = -1, .slot = -1 };
	vec_push(&c->files, f);
	return &c->files.items[c->files.len - 1];
}

void source_cache_free(struct source_cache *c)
{
	if (!c)
		return;
	release_files(c);
	vec_free(&c->files);
	free(c);
}

/* Print foreign text, but keep its tabs. */
static void print_source(const char *s, size_t len, struct out *o)
{
	const char *end = s + len, *tab;

	for (; (tab = memchr(s, '\t', (size_t)(end - s))); s = tab + 1) {
		out_name_len(o, s, (size_t)(tab - s));
		out_char(o, '\t');
	}
	out_name_len(o, s, (size_t)(end - s));
}

const char *source_text(struct print_job *j, const struct source_line *line, size_t *len)
{
	struct insn_source *f;
	size_t from, to;

	if (!line->file || !line->line)
		return NULL;
	if (!j->w->sources)
		j->w->sources = xcalloc(1, sizeof(*j->w->sources));
	f = source_file(j->w->sources, line->file);
	if (line->line > f->lines.len)
		return NULL;
	from = f->lines.items[line->line - 1];
	to = line->line < f->lines.len ? f->lines.items[line->line] : f->map.len;
	while (to > from && (f->map.data[to - 1] == '\n' || f->map.data[to - 1] == '\r'))
		to--;
	*len = to - from;
	return (const char *)f->map.data + from;
}

/* Print "|12       return x;" between these two texts, unless that line was printed last. */
static void print_new_source(struct print_job *j, const struct address *a, const char *before, const char *behind)
{
	struct source_line line = { 0 };
	struct source_line *last;
	const char *text;
	size_t len;

	if (!a->hit.dso || !dso_source_line(j->p->session->symbols, a->hit.dso, a->hit.dso_off, &line) || !line.file ||
	    !line.line)
		return;
	if (!j->w->sources)
		j->w->sources = xcalloc(1, sizeof(*j->w->sources));
	last = &j->w->sources->last;
	if ((last->file == line.file && last->line == line.line) || !(text = source_text(j, &line, &len)))
		return;
	*last = line;
	out_fmt(j->o, "%s|%-8u ", before, line.line);
	print_source(text, len, j->o);
	out_str(j->o, behind);
}

void print_srccode(struct print_job *j)
{
	struct address a;

	address_find(j, j->sample->misc & MISC_CPUMODE, j->sample->ip, &a);
	print_new_source(j, &a, "\n", "");
}

void print_srccode_below(struct print_job *j, const struct address *a) { print_new_source(j, a, "", "\n"); }
