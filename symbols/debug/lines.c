/*
 * Convert lines to addresses. A probe for a line may stand at an address when a statement of
 * that line begins there, and when the address maps back to the line. If several lines share an
 * address, it maps to the first; the entry of a function maps to the line of its declaration.
 * Source: DWARF 5, 6.2; how perf 6.1 numbers lines (-L).
 */
#include "base/search.h"
#include "symbols/debug/debug_priv.h"

enum { MAX_ROWS = 1 << 22 };

/*
 * Return the row that counts at the address of row i: the first that begins a statement,
 * otherwise the first one.
 */
static size_t first_at(Dwarf_Lines *lines, size_t i, size_t n)
{
	Dwarf_Addr at, other;
	size_t first = i;
	bool flag = false;

	dwarf_lineaddr(dwarf_onesrcline(lines, i), &at);
	while (first && dwarf_lineaddr(dwarf_onesrcline(lines, first - 1), &other) == 0 && other == at) {
		flag = false;
		dwarf_lineendsequence(dwarf_onesrcline(lines, first - 1), &flag);
		if (flag)
			break;
		first--;
	}
	for (size_t k = first; k < n && dwarf_lineaddr(dwarf_onesrcline(lines, k), &other) == 0 && other == at; k++)
		if (dwarf_linebeginstatement(dwarf_onesrcline(lines, k), &flag) == 0 && flag)
			return k;
	return first;
}

/*
 * Return whether a row begins a statement. Without `hidden`, no row of another line may come
 * first at its address.
 */
static bool usable(Dwarf_Lines *lines, size_t i, size_t n, bool hidden, Dwarf_Addr *address, int *line)
{
	Dwarf_Line *row = dwarf_onesrcline(lines, i), *first;
	bool statement = false, ends = false;
	int first_line = 0;

	if (!row || dwarf_lineaddr(row, address) != 0 || dwarf_lineno(row, line) != 0 || *line <= 0 ||
	    dwarf_linebeginstatement(row, &statement) != 0 || dwarf_lineendsequence(row, &ends) != 0 || !statement ||
	    ends)
		return false;
	if (hidden)
		return true;
	first = dwarf_onesrcline(lines, first_at(lines, i, n));
	return dwarf_lineno(first, &first_line) == 0 && first_line == *line;
}

static int line_order(const void *a, const void *b)
{
	const struct debug_line *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* Sort the lines and remove duplicates. */
static void finish(struct debug_lines *out)
{
	size_t to = 0;

	if (out->len)
		qsort(out->items, out->len, sizeof(out->items[0]), line_order);
	for (size_t i = 0; i < out->len; i++)
		if (!to || line_order(&out->items[to - 1], &out->items[i]))
			out->items[to++] = out->items[i];
	out->len = to;
}

static uint32_t attr_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	return dwarf_attr(die, name, &attr) && dwarf_formudata(&attr, &v) == 0 && v <= INT32_MAX ? (uint32_t)v : 0;
}

/*
 * Return whether a row inside an inlined copy counts for the function: only if it is the line
 * of the call.
 */
static bool is_call(struct debug *d, uint32_t unit, Dwarf_Die *copy, const char *file, int line)
{
	const char *call_file = debug_unit_file(d, unit, attr_number(copy, DW_AT_call_file));

	return call_file && file && !strcmp(call_file, file) && attr_number(copy, DW_AT_call_line) == (uint32_t)line;
}

/*
 * Return whether the code is of the function itself, or of its own rest that the compiler split
 * off and inlined back.
 */
static bool is_of(struct debug *d, uint32_t unit, Dwarf_Die *inner, Dwarf_Die *self, const char *file, uint32_t line)
{
	const char *declared;
	uint32_t at;

	if (dwarf_dieoffset(inner) == dwarf_dieoffset(self))
		return true;
	declared = debug_decl(d, inner, unit, &at);
	return at == line && declared && file && !strcmp(declared, file);
}

static uint64_t row_address(Dwarf_Lines *lines, size_t row)
{
	Dwarf_Addr at = 0;

	dwarf_lineaddr(dwarf_onesrcline(lines, row), &at);
	return at;
}

/* Count the rows that begin at or before the address. */
static size_t rows_up_to(Dwarf_Lines *lines, size_t n, uint64_t address)
{
	return search_count(i, n, row_address(lines, i) <= address);
}

/* Find the line of the row that covers the address. */
static bool row_at(Dwarf_Lines *lines, size_t n, uint64_t address, struct debug_line *l)
{
	size_t lo = rows_up_to(lines, n, address);
	int line = 0;

	if (!lo)
		return false;
	lo = first_at(lines, lo - 1, n);
	l->file = dwarf_linesrc(dwarf_onesrcline(lines, lo), NULL, NULL);
	if (dwarf_lineno(dwarf_onesrcline(lines, lo), &line) == 0 && line > 0)
		l->line = (uint32_t)line;
	return l->file != NULL;
}

struct call_search {
	struct debug *d;
	uint32_t unit, id;
	const char *file;
	Dwarf_Lines *lines;
	size_t n;
	uint64_t entry; /* of the function: it maps to the line of the declaration */
	bool deep;      /* also calls inside inlined copies */
	bool hidden;    /* also addresses that map back to another line */
};

/*
 * Return whether the address maps back to the line, or to no line because no statement begins
 * there.
 */
static bool leads_back(const struct call_search *c, uint64_t address, uint32_t line)
{
	size_t row = rows_up_to(c->lines, c->n, address);
	struct debug_line back = { 0 };
	bool statement = false;

	if (!row || c->hidden)
		return true;
	row = first_at(c->lines, row - 1, c->n);
	dwarf_linebeginstatement(dwarf_onesrcline(c->lines, row), &statement);
	return !statement ||
	       (row_at(c->lines, c->n, address, &back) && back.line == line && !strcmp(back.file, c->file));
}

/*
 * Add the start of each inlined call as a place for the calling line, unless the address maps
 * back to another line. A row of the table need not begin there. Source: what perf 6.1 numbers
 * (-L).
 */
static void add_calls(const struct call_search *c, Dwarf_Die *parent, unsigned depth, struct debug_lines *out)
{
	Dwarf_Die die;

	if (depth == DEBUG_MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		uint32_t line = tag == DW_TAG_inlined_subroutine ? attr_number(&die, DW_AT_call_line) : 0;
		uint64_t entry;

		if (!debug_spend(c->d))
			return;
		if (line && is_call(c->d, c->unit, &die, c->file, (int)line) && die_entry(&die, &entry) &&
		    entry != c->entry && leads_back(c, entry, line))
			vec_push(out, (struct debug_line){
					      .address = entry, .file = c->file, .line = line, .function = c->id });
		if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block ||
		    (c->deep && tag == DW_TAG_inlined_subroutine))
			add_calls(c, &die, depth + 1, out);
	} while (dwarf_siblingof(&die, &die) == 0);
}

void debug_function_lines(struct debug *d, uint32_t id, bool hidden, struct debug_lines *out)
{
	uint32_t unit, decl_line;
	Dwarf_Die *die = debug_die(d, id, &unit), inner, self;
	Dwarf_Lines *lines;
	const char *file;
	uint64_t entry = 0;
	size_t n;

	if (!die || dwarf_getsrclines(&d->units.items[unit].die, &lines, &n) != 0)
		return;
	self = *die;
	file = debug_decl(d, &self, unit, &decl_line);
	die_entry(&self, &entry);
	if (decl_line && dwarf_tag(&self) == DW_TAG_subprogram)
		vec_push(out, (struct debug_line){ .address = entry, .file = file, .line = decl_line, .function = id });
	add_calls(&(struct call_search){ .d = d,
					 .unit = unit,
					 .id = id,
					 .file = file,
					 .lines = lines,
					 .n = n,
					 .entry = entry,
					 .hidden = hidden },
		  &self, 0, out);
	for (size_t i = 0; i < MIN(n, (size_t)MAX_ROWS); i++) {
		Dwarf_Addr address;
		const char *row_file;
		int line;

		if (!usable(lines, i, n, hidden, &address, &line) || !die_has(&self, address))
			continue;
		if (!hidden && address == entry && dwarf_tag(&self) == DW_TAG_subprogram)
			continue;
		row_file = dwarf_linesrc(dwarf_onesrcline(lines, i), NULL, NULL);
		if (!row_file || !file || strcmp(row_file, file))
			continue;
		debug_innermost(d, &self, address, &inner);
		if (!is_of(d, unit, &inner, &self, file, decl_line) && !is_call(d, unit, &inner, file, line))
			continue;
		vec_push(out, (struct debug_line){
				      .address = address, .file = file, .line = (uint32_t)line, .function = id });
	}
	finish(out);
}

uint32_t debug_line_instead(struct debug *d, uint32_t id, uint32_t line)
{
	uint32_t unit;
	Dwarf_Die *known = debug_die(d, id, &unit), die;
	Dwarf_Lines *lines;
	size_t n;

	if (!known || dwarf_getsrclines(&d->units.items[unit].die, &lines, &n) != 0)
		return 0;
	die = *known;
	for (size_t i = 0; i < MIN(n, (size_t)MAX_ROWS); i++) {
		struct debug_line shown;
		Dwarf_Addr address;
		int number;

		if (dwarf_lineno(dwarf_onesrcline(lines, i), &number) == 0 && number == (int)line &&
		    dwarf_lineaddr(dwarf_onesrcline(lines, i), &address) == 0 && die_has(&die, address) &&
		    debug_line_at(d, address, &shown))
			return shown.line;
	}
	return 0;
}

/*
 * Collect the entries of the unit's functions: their rows count for the declaration. Also add
 * the functions' calls.
 */
static void add_entries(struct debug *d, uint32_t unit, Dwarf_Die *parent, const char *path, unsigned depth,
			struct debug_lines *out, struct u64map *entries, struct call_search *calls)
{
	Dwarf_Die die;

	if (depth == DEBUG_MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		uint64_t entry;

		if (!debug_spend(d))
			return;
		if (tag == DW_TAG_subprogram &&
		    (dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges)) &&
		    die_entry(&die, &entry)) {
			uint32_t line;
			const char *file = debug_decl(d, &die, unit, &line);
			bool is_new;

			*u64map_put(entries, entry, &is_new) = line;
			if (file && line && !strcmp(file, path))
				vec_push(out, (struct debug_line){ .address = entry, .file = path, .line = line });
			calls->entry = entry;
			add_calls(calls, &die, 0, out);
		} else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
			   tag == DW_TAG_module) {
			add_entries(d, unit, &die, path, depth + 1, out, entries, calls);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Return the file in the unit's table whose path ends like this. */
static const char *find_file(Dwarf_Files *files, size_t n, const char *tail)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		if (name && path_ends_with(name, tail))
			return name;
	}
	return NULL;
}

static void unit_lines(struct debug *d, uint32_t unit, const char *path, bool hidden, struct debug_lines *out)
{
	struct u64map entries = { 0 };
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(&d->units.items[unit].die, &lines, &n) != 0)
		return;
	add_entries(
		d, unit, debug_unit_top(d, unit), path, 0, out, &entries,
		&(struct call_search){
			.d = d, .unit = unit, .file = path, .lines = lines, .n = n, .deep = true, .hidden = hidden });
	for (size_t i = 0; i < MIN(n, (size_t)MAX_ROWS); i++) {
		Dwarf_Addr address;
		const char *row_file = dwarf_linesrc(dwarf_onesrcline(lines, i), NULL, NULL);
		int line;

		if (row_file && !strcmp(row_file, path) && usable(lines, i, n, hidden, &address, &line) &&
		    (hidden || !u64map_find(&entries, address)))
			vec_push(out, (struct debug_line){ .address = address, .file = path, .line = (uint32_t)line });
	}
	u64map_free(&entries);
}

void debug_file_lines(struct debug *d, const char *file, bool hidden, struct debug_lines *out, const char **path)
{
	autofree uint8_t *marks = NULL;

	*path = NULL;
	if (!debug_has_dwarf(d))
		return;
	marks = xcalloc(d->units.len, 1);
	debug_units_with_file(d, file, marks);
	for (uint32_t i = 0; i < d->units.len; i++) {
		Dwarf_Files *files;
		size_t n;
		const char *name = marks[i] && dwarf_getsrcfiles(&d->units.items[i].die, &files, &n) == 0
					   ? find_file(files, n, file)
					   : NULL;

		/* skip another file of the same name elsewhere */
		if (!name || (*path && strcmp(*path, name)))
			continue;
		*path = name;
		unit_lines(d, i, name, hidden, out);
	}
	finish(out);
}

bool debug_line_at(struct debug *d, uint64_t address, struct debug_line *l)
{
	uint32_t unit = debug_dwarf(d) ? debug_unit_at(d, address) : 0;
	struct debug_function f;
	Dwarf_Lines *lines;
	size_t n;

	*l = (struct debug_line){ .address = address };
	if (!unit)
		return false;
	if (debug_function_at(d, address, &f)) {
		l->function = f.id;
		if (f.entry == address && f.line) {
			l->line = f.line;
			l->file = f.file;
			return true;
		}
	}
	if (dwarf_getsrclines(&d->units.items[unit - 1].die, &lines, &n) != 0)
		return false;
	return row_at(lines, n, address, l);
}

uint64_t debug_skip_prologue(struct debug *d, uint32_t id)
{
	uint32_t unit;
	Dwarf_Die *die = debug_die(d, id, &unit);
	Dwarf_Lines *lines;
	uint64_t entry = 0;
	size_t n;

	if (!die || !die_entry(die, &entry) || dwarf_getsrclines(&d->units.items[unit].die, &lines, &n) != 0)
		return entry;
	/* the body begins at the second address that has a row */
	for (size_t i = 0; i < n; i++) {
		Dwarf_Addr at;
		bool ends = false;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, i), &at) != 0 || at <= entry)
			continue;
		dwarf_lineendsequence(dwarf_onesrcline(lines, i), &ends);
		return ends || !die_has(die, at) ? entry : at;
	}
	return entry;
}
