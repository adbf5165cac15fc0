/* Keys of where a sample was taken or a branch ended: object, symbol, line, address. */
#include "report/rows/keys_priv.h"

/* The symbol column of an address without a symbol: "[.] 0x" and 16 digits. */
enum { UNRESOLVED_DIGITS = 16, SYMBOL_HEAD = 4, OFFSET_DIGITS = sizeof("Symbol Offset") - 1 - SYMBOL_HEAD };

static struct symbols *symbols_of(const struct view *v) { return v->fold->profile->session->symbols; }

static uint64_t text_id(const char *s) { return hash_bytes(s, strlen(s), 0); }

/* ---- objects and symbols ---- */

static const char *object_name(const struct view *v, const struct site *s)
{
	return v->opts->verbose ? dso_name(symbols_of(v), s->dso) : dso_short_name(symbols_of(v), s->dso);
}

static uint64_t object_id(const struct fold *f, const struct site *s)
{
	return text_id(dso_short_name(f->profile->session->symbols, s->dso));
}

/* Hash more than the names: several functions of an object may have one name, and so may several objects. */
static uint64_t symbol_id(const struct fold *f, const struct site *s)
{
	const struct symbol *sym = dso_symbol(f->profile->session->symbols, s->dso, s->symbol);

	if (!sym)
		return hash_mix(s->address, 1);
	return hash_mix(hash_mix(sym->start, sym->end),
			hash_mix(object_id(f, s), s->inlined ? text_id(s->inlined) : 0));
}

static uint64_t offset_id(const struct fold *f, const struct site *s)
{
	return s->symbol ? hash_mix(symbol_id(f, s), s->dso_off) : symbol_id(f, s);
}

static int object_compare(const struct view *v, const struct site *a, const struct site *b)
{
	if (a->dso == b->dso || !a->dso || !b->dso)
		return !a->dso - !b->dso;
	return strcmp(object_name(v, a), object_name(v, b));
}

static int symbol_compare(const struct view *v, const struct site *a, const struct site *b)
{
	if (!a->symbol || !b->symbol)
		return !a->symbol - !b->symbol;
	return strcmp(view_site_name(v, a), view_site_name(v, b));
}

static void object_text(const struct view *v, const struct site *s, struct out *o) { out_name(o, object_name(v, s)); }

char key_level(unsigned cpumode)
{
	static const char levels[] = { 'H', 'k', '.', 'H', 'g', 'u', 'H', 'H' };

	return levels[cpumode & MISC_CPUMODE];
}

void key_put_address(uint64_t address, int digits, struct out *o)
{
	out_str(o, address ? "0x" : "");
	out_hex_pad(o, address, digits, '0');
}

/* Return a letter for -v: where the object's symbols came from, as far as we know. */
static char origin(const struct view *v, const struct site *s)
{
	switch (dso_kind(symbols_of(v), s->dso)) {
	case DSO_KIND_KERNEL: return 'k';
	case DSO_KIND_MODULE: return 'K';
	case DSO_KIND_JIT: return 'j';
	default: return 'd';
	}
}

void key_put_symbol(const struct view *v, const struct site *s, char level, uint64_t address, struct out *o)
{
	const char *name = view_site_name(v, s);

	if (v->opts->verbose)
		out_fmt(o, "%-#18llx %c ", (unsigned long long)s->dso_off, name ? origin(v, s) : '!');
	out_fmt(o, "[%c] ", level);
	if (name)
		out_name(o, name);
	else
		key_put_address(address, UNRESOLVED_DIGITS, o);
	if (s->inlined)
		out_str(o, " (inlined)");
}

/* Print an end of a branch. Without a symbol, show its offset in the object. */
static void symbol_text(const struct view *v, const struct site *s, struct out *o)
{
	key_put_symbol(v, s, key_level(s->mode), s->dso ? s->dso_off : s->address, o);
}

/* Return the width, without the mark of inlined calls. */
static int symbol_width(const struct view *v, const struct site *s)
{
	const char *name = view_site_name(v, s);
	int width = SYMBOL_HEAD + (name ? out_name_width(name) : UNRESOLVED_DIGITS + 2);

	return name && v->opts->verbose ? width + UNRESOLVED_DIGITS + 5 : width;
}

static uint64_t offset_in(const struct view *v, const struct site *s)
{
	return symbol_offset(symbols_of(v), s->dso, s->symbol, s->dso_off);
}

static void offset_text(const struct view *v, const struct site *s, struct out *o)
{
	const char *name = view_site_name(v, s);

	out_fmt(o, "[%c] ", key_level(s->mode));
	if (!name) {
		key_put_address(s->address, OFFSET_DIGITS, o); /* as wide as the title */
		return;
	}
	out_name(o, name);
	out_fmt(o, "+0x%llx", (unsigned long long)offset_in(v, s));
}

static uint64_t symbol_size_id(const struct fold *f, const struct site *s)
{
	const struct symbol *sym = dso_symbol(f->profile->session->symbols, s->dso, s->symbol);

	return sym ? sym->end - sym->start : 0;
}

/* ---- source lines ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint64_t line_id(const struct fold *f, const struct site *s)
{
	if (s->line_file)
		return hash_mix(text_id(s->line_file), s->line);
	return hash_mix(offset_id(f, s), 2);
}

static uint64_t file_id(const struct fold *f, const struct site *s) { return s->line_file ? text_id(s->line_file) : 0; }

/* Print the line; if it is unknown, at least the address. */
void key_put_line(const struct view *v, const struct site *s, struct out *o)
{
	if (s->line_file) {
		out_name(o, v->opts->full_paths ? s->line_file : base_name(s->line_file));
		out_fmt(o, ":%u", s->line);
	} else if (s->symbol) {
		out_name(o, view_site_name(v, s));
		out_fmt(o, "+%llu", (unsigned long long)offset_in(v, s));
	} else if (s->dso) {
		out_name(o, dso_short_name(symbols_of(v), s->dso));
		out_fmt(o, "[%llx]", (unsigned long long)s->dso_off);
	} else {
		out_str(o, "??:0");
	}
}

static void file_text(const struct view *v, const struct site *s, struct out *o)
{
	if (s->line_file)
		out_name(o, v->opts->full_paths ? s->line_file : base_name(s->line_file));
}

static int line_compare(const struct view *v, const struct site *a, const struct site *b)
{
	struct out x, y;
	int order;

	out_init_mem(&x);
	out_init_mem(&y);
	key_put_line(v, a, &x);
	key_put_line(v, b, &y);
	order = strcmp(out_text(&x), out_text(&y));
	out_release(&x);
	out_release(&y);
	return order;
}

static int file_compare(const struct view *v, const struct site *a, const struct site *b)
{
	return strcmp(a->line_file ? a->line_file : "", b->line_file ? b->line_file : "");
}

/* ---- the sampled place, and where a branch came from ---- */

/* Compare branch ends as perf does: those without a name by address, and objects in the reverse order. */
static int end_symbol_compare(const struct view *v, const struct site *a, const struct site *b)
{
	if (!a->symbol && !b->symbol && a->address != b->address)
		return (int64_t)a->address < (int64_t)b->address ? -1 : 1;
	return symbol_compare(v, a, b);
}

static int end_object_compare(const struct view *v, const struct site *a, const struct site *b)
{
	return object_compare(v, b, a);
}

#define END_OF_BRANCH(what) \
	static int from_##what##_compare(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return end_##what##_compare(v, fold_other(v->fold, a), fold_other(v->fold, b)); \
	} \
	static int to_##what##_compare(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return end_##what##_compare(v, fold_site(v->fold, a), fold_site(v->fold, b)); \
	}
END_OF_BRANCH(symbol)
END_OF_BRANCH(object)

#define AT_SITE(what) \
	static int self_##what##_compare(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return what##_compare(v, fold_site(v->fold, a), fold_site(v->fold, b)); \
	} \
	static void self_##what##_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		what##_text(v, fold_site(v->fold, r), o); \
	} \
	static void other_##what##_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		what##_text(v, fold_other(v->fold, r), o); \
	}
#define OTHER_ORDER(what) \
	static int other_##what##_compare(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return what##_compare(v, fold_other(v->fold, a), fold_other(v->fold, b)); \
	}
OTHER_ORDER(object)
OTHER_ORDER(line)
AT_SITE(object)
AT_SITE(symbol)
static void line_text(const struct view *v, const struct site *s, struct out *o) { key_put_line(v, s, o); }
AT_SITE(line)

/* Print the sampled symbol. In rows of branches, the level is still that of the sample. */
static void row_symbol_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct site *s = fold_site(v->fold, r);

	key_put_symbol(v, s, key_level(v->fold->profile->opts.kind == PROFILE_BRANCHES ? r->first_mode : s->mode),
		       s->address, o);
}

static int self_symbol_width(const struct view *v, const struct row *r)
{
	return symbol_width(v, fold_site(v->fold, r));
}
static int other_symbol_width(const struct view *v, const struct row *r)
{
	return symbol_width(v, fold_other(v->fold, r));
}

/* Return the width of the object. A row without a symbol makes the column wide enough for an address. */
static int self_object_width(const struct view *v, const struct row *r)
{
	const struct site *s = fold_site(v->fold, r);
	int width = s->dso ? out_name_width(object_name(v, s)) : 0;

	return s->symbol || v->opts->separated ? width : MAX(width, (int)UNRESOLVED_DIGITS);
}

static int other_object_width(const struct view *v, const struct row *r)
{
	const struct site *s = fold_other(v->fold, r);
	int width = s->dso ? out_name_width(object_name(v, s)) : 0;

	return s->dso || v->opts->separated ? width : MAX(width, (int)UNRESOLVED_DIGITS);
}

/* Return the width of the object, but only if the branch end has a symbol. Names of other objects may be cut. */
static int end_object_width(const struct view *v, const struct site *s)
{
	return s->symbol ? out_name_width(object_name(v, s)) : UNRESOLVED_DIGITS;
}

static int from_object_width(const struct view *v, const struct row *r)
{
	return end_object_width(v, fold_other(v->fold, r));
}
static int to_object_width(const struct view *v, const struct row *r)
{
	return end_object_width(v, fold_site(v->fold, r));
}

static void self_offset_text(const struct view *v, const struct row *r, struct out *o)
{
	offset_text(v, fold_site(v->fold, r), o);
}
static void self_file_text(const struct view *v, const struct row *r, struct out *o)
{
	file_text(v, fold_site(v->fold, r), o);
}

static void self_size_text(const struct view *v, const struct row *r, struct out *o)
{
	if (fold_site(v->fold, r)->symbol)
		out_u64(o, symbol_size_id(v->fold, fold_site(v->fold, r)));
	else
		out_str(o, "unknown");
}

static int self_file_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return file_compare(v, fold_site(v->fold, a), fold_site(v->fold, b));
}

static int self_size_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return order_u64(symbol_size_id(v->fold, fold_site(v->fold, a)),
			 symbol_size_id(v->fold, fold_site(v->fold, b)));
}

static int self_offset_compare(const struct view *v, const struct row *a, const struct row *b)
{
	const struct site *x = fold_site(v->fold, a), *y = fold_site(v->fold, b);
	int order = symbol_compare(v, x, y);

	return order ? order : order_u64(y->dso_off, x->dso_off);
}

/* Compare by name; unmapped addresses come last. */
static int self_object_identity(const struct view *v, const struct row *a, const struct row *b)
{
	const struct site *x = fold_site(v->fold, a), *y = fold_site(v->fold, b);

	if (x->dso == y->dso)
		return 0;
	return x->dso && y->dso ? strcmp(object_name(v, x), object_name(v, y)) : !x->dso - !y->dso;
}

/* Compare by object if there is a symbol, rows with a symbol first, then by signed address. */
static int self_symbol_identity(const struct view *v, const struct row *a, const struct row *b)
{
	const struct site *x = fold_site(v->fold, a), *y = fold_site(v->fold, b);
	const struct symbol *s = dso_symbol(symbols_of(v), x->dso, x->symbol),
			    *t = dso_symbol(symbols_of(v), y->dso, y->symbol);
	uint64_t at_x = s ? s->start : x->address, at_y = t ? t->start : y->address;
	int order = s || t ? self_object_identity(v, a, b) : 0;

	if (order)
		return order;
	if (!s != !t)
		return s ? -1 : 1;
	if (at_x != at_y)
		return (int64_t)(at_x - at_y) < 0 ? -1 : 1;
	return x->inlined && y->inlined ? strcmp(x->inlined, y->inlined) : !!x->inlined - !!y->inlined;
}

static int place_object_identity(const struct view_place *a, const struct view_place *b)
{
	return (a->object > b->object) - (a->object < b->object);
}

static int place_symbol_identity(const struct view_place *a, const struct view_place *b)
{
	if ((a->named || b->named) && a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->named != b->named)
		return a->named ? -1 : 1;
	if (a->at != b->at)
		return (int64_t)(a->at - b->at) < 0 ? -1 : 1;
	return a->inlined && b->inlined ? strcmp(a->inlined, b->inlined) : !!a->inlined - !!b->inlined;
}

static uint64_t object_size_id(const struct fold *f, const struct site *s) { return s->map_size; }

static int self_object_size_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return order_u64(fold_site(v->fold, a)->map_size, fold_site(v->fold, b)->map_size);
}

static void self_object_size_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct site *s = fold_site(v->fold, r);

	if (s->dso)
		out_u64(o, s->map_size);
	else
		out_str(o, "unknown");
}

/* ---- ends of branches as addresses ---- */

static uint64_t end_address(const struct site *s) { return s->dso ? s->dso_off : s->address; }
static uint64_t end_address_id(const struct fold *f, const struct site *s) { return hash_mix(s->ip, s->dso); }

static int end_address_compare(const struct site *a, const struct site *b) { return order_u64(a->ip, b->ip); }

static int from_address_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return end_address_compare(fold_other(v->fold, a), fold_other(v->fold, b));
}

static int to_address_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return end_address_compare(fold_site(v->fold, a), fold_site(v->fold, b));
}

static void end_address_text(const struct row *r, const struct site *s, struct out *o)
{
	out_fmt(o, "[%c] ", key_level(r->first_mode));
	key_put_address(end_address(s), UNRESOLVED_DIGITS, o);
}

static void from_address_text(const struct view *v, const struct row *r, struct out *o)
{
	end_address_text(r, fold_other(v->fold, r), o);
}
static void to_address_text(const struct view *v, const struct row *r, struct out *o)
{
	end_address_text(r, fold_site(v->fold, r), o);
}

/* ---- the table ---- */

const struct key keys_place[] = { { .name = "dso",
				    .title = "Shared Object",
				    .from = KEY_SITE,
				    .rank = 17,
				    .site = object_id,
				    .compare = self_object_compare,
				    .text = self_object_text,
				    .text_width = self_object_width,
				    .identity = self_object_identity,
				    .identity_at = place_object_identity },
				  { .name = "symbol",
				    .title = "Symbol",
				    .from = KEY_SITE,
				    .rank = 18,
				    .site = symbol_id,
				    .compare = self_symbol_compare,
				    .text = row_symbol_text,
				    .text_width = self_symbol_width,
				    .ragged = true,
				    .identity = self_symbol_identity,
				    .identity_at = place_symbol_identity,
				    .needs = NEEDS_NAMES },
				  { .name = "symoff",
				    .title = "Symbol Offset",
				    .from = KEY_SITE,
				    .rank = 19,
				    .site = offset_id,
				    .compare = self_offset_compare,
				    .text = self_offset_text,
				    .needs = NEEDS_ADDRESS,
				    .ragged = true,
				    .fixed = true },
				  { .name = "srcline",
				    .title = "Source:Line",
				    .from = KEY_SITE,
				    .rank = 25,
				    .regrouped = true,
				    .site = line_id,
				    .compare = self_line_compare,
				    .by_text = true,
				    .text = self_line_text,
				    .needs = NEEDS_LINE | NEEDS_LINES_APART,
				    .ragged = true },
				  { .name = "srcfile",
				    .title = "Source File",
				    .from = KEY_SITE,
				    .rank = 26,
				    .regrouped = true,
				    .site = file_id,
				    .compare = self_file_compare,
				    .text = self_file_text,
				    .needs = NEEDS_LINE | NEEDS_LINES_APART,
				    .ragged = true },
				  { .name = "dso_size",
				    .title = "DSO size",
				    .from = KEY_SITE,
				    .rank = 43,
				    .width = 8,
				    .site = object_size_id,
				    .compare = self_object_size_compare,
				    .text = self_object_size_text,
				    .right = true },
				  { .name = "symbol_size",
				    .title = "Symbol size",
				    .from = KEY_SITE,
				    .rank = 45,
				    .site = symbol_size_id,
				    .compare = self_size_compare,
				    .text = self_size_text,
				    .right = true },
				  { .name = "dso_from",
				    .title = "Source Shared Object",
				    .from = KEY_OTHER,
				    .rank = 48,
				    .site = object_id,
				    .compare = from_object_compare,
				    .text = other_object_text,
				    .text_width = from_object_width,
				    .cut = true,
				    .needs = NEEDS_BRANCH },
				  { .name = "dso_to",
				    .title = "Target Shared Object",
				    .from = KEY_SITE,
				    .rank = 49,
				    .site = object_id,
				    .compare = to_object_compare,
				    .text = self_object_text,
				    .text_width = to_object_width,
				    .cut = true,
				    .needs = NEEDS_BRANCH },
				  { .name = "symbol_from",
				    .alias = "sym_from",
				    .title = "Source Symbol",
				    .from = KEY_OTHER,
				    .rank = 50,
				    .site = symbol_id,
				    .compare = from_symbol_compare,
				    .text = other_symbol_text,
				    .text_width = other_symbol_width,
				    .needs = NEEDS_BRANCH,
				    .ragged = true },
				  { .name = "symbol_to",
				    .alias = "sym_to",
				    .title = "Target Symbol",
				    .from = KEY_SITE,
				    .rank = 51,
				    .site = symbol_id,
				    .compare = to_symbol_compare,
				    .text = self_symbol_text,
				    .text_width = self_symbol_width,
				    .needs = NEEDS_BRANCH,
				    .ragged = true },
				  { .name = "srcline_from",
				    .title = "From Source:Line",
				    .from = KEY_OTHER,
				    .rank = 52,
				    .regrouped = true,
				    .site = line_id,
				    .compare = other_line_compare,
				    .by_text = true,
				    .text = other_line_text,
				    .needs = NEEDS_BRANCH | NEEDS_LINE | NEEDS_LINES_APART },
				  { .name = "srcline_to",
				    .title = "To Source:Line",
				    .from = KEY_SITE,
				    .rank = 53,
				    .regrouped = true,
				    .site = line_id,
				    .compare = self_line_compare,
				    .by_text = true,
				    .text = self_line_text,
				    .needs = NEEDS_BRANCH | NEEDS_LINE | NEEDS_LINES_APART },
				  { .name = "addr_from",
				    .title = "Source Address",
				    .from = KEY_OTHER,
				    .rank = 54,
				    .width = 22,
				    .site = end_address_id,
				    .compare = from_address_compare,
				    .text = from_address_text,
				    .needs = NEEDS_BRANCH | NEEDS_ADDRESS,
				    .ragged = true },
				  { .name = "addr_to",
				    .title = "Target Address",
				    .from = KEY_SITE,
				    .rank = 55,
				    .width = 22,
				    .site = end_address_id,
				    .compare = to_address_compare,
				    .text = to_address_text,
				    .needs = NEEDS_BRANCH | NEEDS_ADDRESS,
				    .ragged = true },
				  { .name = "dso_daddr",
				    .title = "Data Object",
				    .from = KEY_OTHER,
				    .rank = 64,
				    .width = 0,
				    .site = object_id,
				    .compare = other_object_compare,
				    .text = other_object_text,
				    .text_width = other_object_width,
				    .needs = NEEDS_MEMORY },
				  { 0 } };
