/*
 * Read the source lines that a JIT reports for generated code, and convert them to DWARF 4 for
 * its ELF files. Source: tools/perf/Documentation/jitdump-specification.txt of the kernel tree
 * (JIT_CODE_DEBUG_INFO); DWARF 4, 6.2.4 and 7.5.
 */
#include "symbols/name/symbols_priv.h"

#include <dwarf.h>
#include <string.h>

#include "base/bytes.h"

/*
 * The record: code address, count, then entries of address, line, discriminator, file. The file
 * "\xff" repeats the previous one.
 */
struct entries {
	struct bytes b;
	uint64_t left;
	uint64_t address;
	uint32_t line;
	const char *file;
};

static struct entries entries_of(const uint8_t *lines, size_t len, bool swapped)
{
	struct entries e = { .b = bytes_of(lines, len, swapped) };

	bytes_u64(&e.b);
	e.left = bytes_u64(&e.b);
	return e;
}

static bool next_entry(struct entries *e)
{
	const char *name;

	if (!e->left)
		return false;
	e->left--;
	e->address = bytes_u64(&e->b);
	e->line = bytes_u32(&e->b);
	bytes_u32(&e->b);
	name = bytes_cstr(&e->b);
	if (e->b.bad)
		return false;
	if (strcmp(name, "\xff"))
		e->file = name;
	return true;
}

bool jit_source_line(const struct dso *d, uint64_t address, struct source_line *l)
{
	struct entries e = entries_of(d->lines, d->lines_len, d->lines_swapped);

	*l = (struct source_line){ 0 };
	while (next_entry(&e) && e.address <= address)
		*l = (struct source_line){ e.file, e.line };
	return l->file != NULL;
}

/* ---- as DWARF ---- */

static void put(struct out *o, uint64_t v, size_t size)
{
	const uint32_t v4 = (uint32_t)v;
	const uint16_t v2 = (uint16_t)v;
	const uint8_t v1 = (uint8_t)v;

	out_mem(o,
		size == 8   ? (const char *)&v
		: size == 4 ? (const char *)&v4
		: size == 2 ? (const char *)&v2
			    : (const char *)&v1,
		size);
}

static void put_uleb(struct out *o, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		out_char(o, (char)(v | 0x80));
	out_char(o, (char)v);
}

static void put_sleb(struct out *o, int64_t v)
{
	for (; v < -64 || v > 63; v >>= 7)
		out_char(o, (char)((v & 0x7f) | 0x80));
	out_char(o, (char)(v & 0x7f));
}

/* Begin a part whose length end() fills in. */
static size_t begin(struct out *o)
{
	put(o, 0, 4);
	return o->len;
}

static void end(struct out *o, size_t at)
{
	uint32_t len = (uint32_t)(o->len - at);

	memcpy(o->buf + at - 4, &len, 4);
}

/*
 * Numbers of files, from 1. The header names a file again for each run of lines in it, so that
 * no search is needed.
 */
struct files {
	uint32_t n;
	const char *last;
};

static bool is_new_file(struct files *f, const char *file)
{
	bool is_new = !f->last || strcmp(f->last, file);

	f->last = file;
	f->n += is_new;
	return is_new;
}

static bool is_inside(const struct jitdump_code *code, const struct entries *e)
{
	return e->file && e->address >= code->start && e->address - code->start < code->len;
}

static void put_files(struct out *o, const struct jitdump_code *code, struct entries e)
{
	struct files files = { 0 };

	while (next_entry(&e))
		if (is_inside(code, &e) && is_new_file(&files, e.file)) {
			out_mem(o, e.file, strlen(e.file) + 1);
			put(o, 0, 2); /* no directory, no time */
			put(o, 0, 1); /* no length */
		}
	put(o, 0, 1);
}

static void put_header(struct out *o, const struct jitdump_code *code, const struct entries *e)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t header;

	put(o, 4, 2);
	header = begin(o);
	put(o, 1, 1);           /* minimum instruction length */
	put(o, 1, 1);           /* operations per instruction */
	put(o, 1, 1);           /* rows begin statements */
	put(o, (uint8_t)-5, 1); /* line_base and line_range: we use no special opcodes */
	put(o, 14, 1);
	put(o, sizeof(operands) + 1, 1);
	out_mem(o, (const char *)operands, sizeof(operands));
	put(o, 0, 1); /* no directories */
	put_files(o, code, *e);
	end(o, header);
}

static void advance(struct out *o, uint64_t by)
{
	put(o, DW_LNS_advance_pc, 1);
	put_uleb(o, by);
}

/* Write the rows. Skip entries outside the code and entries that go backwards. */
static void put_rows(struct out *o, const struct jitdump_code *code, struct entries e, uint64_t address)
{
	struct files files = { 0 };
	uint64_t at = code->start;
	uint32_t line = 1;

	put(o, 0, 1);
	put_uleb(o, 9);
	put(o, DW_LNE_set_address, 1);
	put(o, address, 8);
	while (next_entry(&e)) {
		if (!is_inside(code, &e))
			continue;
		if (is_new_file(&files, e.file)) {
			put(o, DW_LNS_set_file, 1);
			put_uleb(o, files.n);
		}
		if (e.address < at)
			continue;
		advance(o, e.address - at);
		put(o, DW_LNS_advance_line, 1);
		put_sleb(o, (int64_t)e.line - (int64_t)line);
		put(o, DW_LNS_copy, 1);
		at = e.address;
		line = e.line;
	}
	advance(o, code->start + code->len - at);
	put(o, 0, 1);
	put_uleb(o, 1);
	put(o, DW_LNE_end_sequence, 1);
}

static void put_unit(struct jit_dwarf *d, const struct jitdump_code *code, uint64_t address)
{
	static const uint8_t abbrev[] = {
		1,
		DW_TAG_compile_unit,
		DW_CHILDREN_no,
		DW_AT_stmt_list,
		DW_FORM_sec_offset,
		DW_AT_low_pc,
		DW_FORM_addr,
		DW_AT_high_pc,
		DW_FORM_data8,
		DW_AT_name,
		DW_FORM_string,
		0,
		0,
		0,
	};
	size_t unit = begin(&d->info);

	put(&d->info, 4, 2);
	put(&d->info, 0, 4);
	put(&d->info, 8, 1);
	put(&d->info, 1, 1);
	put(&d->info, 0, 4);
	put(&d->info, address, 8);
	put(&d->info, code->len, 8);
	out_mem(&d->info, code->name, strlen(code->name) + 1);
	end(&d->info, unit);
	out_mem(&d->abbrev, (const char *)abbrev, sizeof(abbrev));
}

void jit_dwarf_init(struct jit_dwarf *d, const struct jitdump *j, const struct jitdump_code *code, uint64_t address)
{
	struct entries e = entries_of(code->lines, code->lines_len, j->swap);
	size_t table;

	out_init_mem(&d->line);
	out_init_mem(&d->info);
	out_init_mem(&d->abbrev);
	table = begin(&d->line);
	put_header(&d->line, code, &e);
	put_rows(&d->line, code, e, address);
	end(&d->line, table);
	put_unit(d, code, address);
}

void jit_dwarf_release(struct jit_dwarf *d)
{
	out_release(&d->line);
	out_release(&d->info);
	out_release(&d->abbrev);
}
