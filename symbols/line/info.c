/* Read lines, functions and inlined calls from the DWARF of one object, on demand. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/search.h"
#include "symbols/name/demangle.h"
#include "symbols/line/near.h"
#include "symbols/line/object.h"
#include "symbols/line/dwarf_priv.h"
#include "symbols/line/intervals_priv.h"
#include "symbols/line/split.h"

enum { MAX_DEPTH = 200, MAX_SHARDS = 8 };

/*
 * An inlined call. `parent` is the call that contains it: one more than its index in calls, 0 =
 * the function itself.
 */
struct inline_call {
	Dwarf_Die die;
	uint32_t parent, line, file;
	const char *name;
};

struct function {
	Dwarf_Die die;
	struct intervals calls;
	bool calls_read;
	const char *name;
};

/*
 * `top` holds the functions: it is `die` itself, or the split-off unit once we have looked for
 * that.
 */
struct unit {
	Dwarf_Die die, top;
	Dwarf_Half version;
	uint32_t split;
	struct intervals functions;
	bool read, read_deep;
};

struct answer {
	struct source_line line, outer;
	uint32_t first, n;  /* inlined calls, in `frames` */
	uint32_t innermost; /* of them: its number in `calls` plus one; 0 = nothing is inlined */
	bool has_line, has_inlines, has_places;
	const char *function;
};

/*
 * libdw allows one thread at a time per handle. For more threads, divide the units into shards,
 * each with its own handle over the same bytes: shard n % n_shards reads unit n. The first
 * shard, which knows the code of all units, owns the others.
 */
struct dwarf_info {
	pthread_mutex_t lock;
	unsigned n_shards;
	_Atomic(struct dwarf_info *) shards[MAX_SHARDS]; /* opened at the first use */
	struct elf_bytes bytes;
	struct dwarf_object object, alt;
	struct dwarf_split *split; /* NULL = the object's place is unknown */
	bool no_demangle, short_templates;
	uint64_t budget;       /* how many more entries may be visited */
	struct intervals code; /* id: index in units */
	VEC(struct unit) units;
	VEC(struct function) functions;
	VEC(struct inline_call) calls;
	VEC(struct inline_frame) frames;
	VEC(struct answer) answers;
	struct u64map by_addr; /* address to index of answer + 1 */
	struct arena arena;    /* names */
};

/* ---- code ranges ---- */

/* Add the code ranges that an entry states. */
static void add_ranges(struct dwarf_info *w, struct intervals *t, Dwarf_Die *die, uint32_t id, uint32_t depth)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	/*
	 * Look into the abbreviation first: most entries have no code, and dwarf_ranges needs
	 * several lookups to see that.
	 */
	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
		return;
	while (w->budget && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		w->budget--;
		intervals_add(t, start, end, id, depth);
	}
}

/* ---- functions of a unit ---- */

static bool holds_functions(int tag, bool deep)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module: return true;
	/* Classes mostly contain only declarations, and make up most of a C++ unit. */
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine: return deep;
	default: return false;
	}
}

/* Collect the functions of a unit. deep: also those defined inside classes and functions. */
static void walk_functions(struct dwarf_info *w, struct unit *u, Dwarf_Die *parent, uint32_t depth, bool deep)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (!w->budget)
			return;
		w->budget--;
		if (tag == DW_TAG_subprogram) {
			size_t before = u->functions.v.len;

			add_ranges(w, &u->functions, &die, (uint32_t)w->functions.len, depth);
			if (u->functions.v.len > before)
				vec_push(&w->functions, (struct function){ .die = die });
		}
		if (holds_functions(tag, deep))
			walk_functions(w, u, &die, depth + 1, deep);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void read_unit(struct dwarf_info *w, struct unit *u, bool deep)
{
	vec_clear(&u->functions.v);
	if (u->split && !u->read && !split_unit(w->split, u->split, &u->top))
		u->top = u->die;
	walk_functions(w, u, &u->top, 0, deep);
	intervals_nest(&u->functions);
	u->read = true;
	u->read_deep = deep;
}

/* Get a range of .debug_aranges, and the offset of its unit's first entry. Return false if it has no code. */
static bool listed_range(Dwarf_Aranges *table, size_t i, uint64_t *start, uint64_t *end, uint64_t *unit)
{
	Dwarf_Addr from;
	Dwarf_Word len;
	Dwarf_Off offset;

	if (dwarf_getarangeinfo(dwarf_onearange(table, i), &from, &len, &offset) != 0)
		return false;
	*start = from;
	*end = from + len;
	*unit = offset;
	return from && *end > from;
}

/*
 * Read .debug_aranges, in which compilers list the code of each unit: most of a large object's units are never asked
 * for, and their entries need not be read. Put the offsets of their first entries into `listed`. Return how many ranges
 * there are.
 */
static size_t read_list(struct dwarf_info *w, Dwarf_Aranges **table, struct u64map *listed)
{
	enum {
		LARGEST = 16 << 20
	}; /* of a million functions, each in a section of its own; libdw needs seven times that */
	uint64_t start, end, unit;
	GElf_Ehdr h;
	size_t n;

	dwarf_object_section(&w->object, ".debug_aranges", &n);
	/* the addresses of an object that is not linked need relocation */
	if (n > LARGEST || !gelf_getehdr(w->object.elf, &h) || h.e_type == ET_REL ||
	    dwarf_getaranges(w->object.dwarf, table, &n) != 0)
		return 0;
	for (size_t i = 0; i < n && w->budget; i++, w->budget--)
		if (listed_range(*table, i, &start, &end, &unit))
			u64map_put(listed, unit, NULL);
	return n;
}

/* Add the ranges of listed units; `listed`: offset of the unit's first entry -> number of the unit + 1. */
static void add_listed(struct dwarf_info *w, Dwarf_Aranges *table, size_t n, const struct u64map *listed)
{
	uint64_t start, end, unit;

	for (size_t i = 0; i < n; i++) {
		const uint32_t *number = listed_range(table, i, &start, &end, &unit) ? u64map_find(listed, unit) : NULL;

		if (number && *number)
			intervals_add(&w->code, start, end, *number - 1, 0);
	}
}

/* Add the code ranges that a unit states; if it states none, those of its functions. */
static void add_unit_ranges(struct dwarf_info *w, struct unit *u)
{
	size_t before = w->code.v.len;
	uint32_t id = (uint32_t)w->units.len;

	add_ranges(w, &w->code, &u->die, id, 0);
	if (w->code.v.len > before || u->split)
		return;
	read_unit(w, u, false);
	for (size_t i = 0; i < u->functions.v.len; i++)
		intervals_add(&w->code, u->functions.v.items[i].start, u->functions.v.items[i].end, id, 0);
}

static void read_units(struct dwarf_info *w)
{
	struct u64map listed = { 0 };
	Dwarf_Aranges *table;
	size_t n = read_list(w, &table, &listed);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	Dwarf_Half version;
	uint8_t type;

	while (w->budget && dwarf_get_units(w->object.dwarf, cu, &cu, &version, &type, &die, NULL) == 0) {
		struct unit u = { .die = die, .top = die, .version = version };
		uint32_t *in_list = u64map_find(&listed, dwarf_dieoffset(&die));

		w->budget--;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (type == DW_UT_skeleton && w->split)
			u.split = split_add(w->split, w->object.dwarf, &die);
		if (!in_list)
			add_unit_ranges(w, &u);
		vec_push(&w->units, u);
		if (in_list)
			*in_list = (uint32_t)w->units.len;
	}
	add_listed(w, table, n, &listed);
	u64map_free(&listed);
	intervals_nest(&w->code);
}

static struct unit *find_unit(struct dwarf_info *w, uint64_t addr)
{
	const struct interval *i = intervals_find(&w->code, addr);

	return i ? &w->units.items[i->id] : NULL;
}

static struct function *find_function(struct dwarf_info *w, struct unit *u, uint64_t addr)
{
	const struct interval *i;

	if (!u->read)
		read_unit(w, u, false);
	i = intervals_find(&u->functions, addr);
	if (!i && !u->read_deep) {
		read_unit(w, u, true);
		i = intervals_find(&u->functions, addr);
	}
	return i ? &w->functions.items[i->id] : NULL;
}

/* ---- inlined calls of a function ---- */

static uint32_t attr_u32(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &v) != 0 || v > INT32_MAX)
		return 0;
	return (uint32_t)v;
}

static bool holds_calls(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

static void walk_calls(struct dwarf_info *w, struct intervals *t, Dwarf_Die *from, uint32_t parent, uint32_t depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(from, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		uint32_t inner = parent;

		if (!w->budget)
			return;
		w->budget--;
		if (!holds_calls(tag))
			continue;
		if (tag == DW_TAG_inlined_subroutine) {
			add_ranges(w, t, &die, (uint32_t)w->calls.len, depth);
			vec_push(&w->calls, (struct inline_call){ .die = die,
								  .parent = parent,
								  .line = attr_u32(&die, DW_AT_call_line),
								  .file = attr_u32(&die, DW_AT_call_file) });
			inner = (uint32_t)w->calls.len;
		}
		walk_calls(w, t, &die, inner, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/*
 * Return the name that perf shows: the demangled linkage name if there is one, otherwise the
 * plain name. Keep it in *known.
 */
static const char *function_name(struct dwarf_info *w, Dwarf_Die *die, const char **known)
{
	Dwarf_Attribute attr;
	const char *name, *text;

	if (*known)
		return *known;
	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	text = name && !w->no_demangle ? demangle(name, &w->arena) : NULL;
	if (text)
		name = text;
	else if (!name)
		name = dwarf_diename(die);
	*known = !name ? "??" : w->short_templates ? shorten_templates(name, &w->arena) : name;
	return *known;
}

static struct source_line call_place(struct unit *u, const struct inline_call *c)
{
	struct source_line l = { .line = c->line };
	Dwarf_Files *files;
	size_t n;

	/* before DWARF 5, file number 0 meant none */
	if ((!c->file && u->version < 5) || !c->line)
		return l;
	/* A split-off unit may have its own file table; otherwise it uses the skeleton's. */
	if ((dwarf_getsrcfiles(&u->top, &files, &n) == 0 || dwarf_getsrcfiles(&u->die, &files, &n) == 0) && c->file < n)
		l.file = dwarf_filesrc(files, c->file, NULL, NULL);
	return l;
}

static void find_inlines(struct dwarf_info *w, uint64_t addr, struct answer *a)
{
	struct unit *u = find_unit(w, addr);
	struct function *f = u ? find_function(w, u, addr) : NULL;
	const struct interval *i;

	a->first = (uint32_t)w->frames.len;
	if (!f)
		return;
	a->function = function_name(w, &f->die, &f->name);
	if (!f->calls_read) {
		f->calls_read = true;
		walk_calls(w, &f->calls, &f->die, 0, 0);
		intervals_nest(&f->calls);
	}
	i = intervals_find(&f->calls, addr);
	a->innermost = i ? i->id + 1 : 0;
	for (uint32_t id = a->innermost; id; id = w->calls.items[id - 1].parent) {
		struct inline_call *c = &w->calls.items[id - 1];

		vec_push(&w->frames, (struct inline_frame){ .name = function_name(w, &c->die, &c->name) });
		a->n++;
	}
}

/* ---- lines ---- */

/* libdw reads all lines of a unit for its first one: look up none before somebody asks. */
static void find_line(struct dwarf_info *w, uint64_t addr, struct answer *a)
{
	struct unit *u = find_unit(w, addr);
	Dwarf_Line *line = u ? dwarf_getsrc_die(&u->die, addr) : NULL;
	int number = 0;

	a->has_line = true;
	if (!line)
		return;
	a->line.file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &number) == 0 && number > 0)
		a->line.line = (uint32_t)number;
}

/* Find the places of the inlined calls: the line of the address, then where each of them was called. */
static void find_places(struct dwarf_info *w, uint64_t addr, struct answer *a)
{
	struct unit *u = find_unit(w, addr);
	uint32_t frame = a->first;

	if (!a->has_line)
		find_line(w, addr, a);
	a->has_places = true;
	a->outer = a->line;
	for (uint32_t id = a->innermost; id; id = w->calls.items[id - 1].parent) {
		w->frames.items[frame++].at = a->outer;
		a->outer = call_place(u, &w->calls.items[id - 1]);
	}
}

static struct answer *find_answer(struct dwarf_info *w, uint64_t addr)
{
	bool is_new;
	uint32_t *slot = u64map_put(&w->by_addr, addr, &is_new);

	if (is_new) {
		vec_push(&w->answers, (struct answer){ 0 });
		*slot = (uint32_t)w->answers.len;
	}
	return &w->answers.items[*slot - 1];
}

static struct dwarf_info *new_shard(const struct dwarf_info *w);

/*
 * Return the shard that answers for an address. `code` never changes after it is read, so this
 * needs no lock.
 */
static struct dwarf_info *shard_of(struct dwarf_info *w, uint64_t addr)
{
	const struct interval *i = w->n_shards > 1 ? intervals_find(&w->code, addr) : NULL;
	unsigned n = i ? i->id % w->n_shards : 0;
	struct dwarf_info *shard = n ? atomic_load_explicit(&w->shards[n], memory_order_acquire) : w;

	if (shard)
		return shard;
	pthread_mutex_lock(&w->lock);
	shard = atomic_load_explicit(&w->shards[n], memory_order_relaxed);
	if (!shard) {
		shard = new_shard(w);
		atomic_store_explicit(&w->shards[n], shard, memory_order_release);
	}
	pthread_mutex_unlock(&w->lock);
	return shard;
}

bool dwarf_info_line(struct dwarf_info *w, uint64_t addr, struct source_line *l)
{
	struct answer *a;

	w = shard_of(w, addr);
	pthread_mutex_lock(&w->lock);
	a = find_answer(w, addr);
	if (!a->has_line)
		find_line(w, addr, a);
	*l = a->line;
	pthread_mutex_unlock(&w->lock);
	return l->file != NULL;
}

static struct answer *find_inline_answer(struct dwarf_info *w, uint64_t addr)
{
	struct answer *a = find_answer(w, addr);

	if (!a->has_inlines) {
		a->has_inlines = true;
		find_inlines(w, addr, a);
	}
	return a;
}

const char *dwarf_info_producer(struct dwarf_info *w, uint64_t addr)
{
	const char *text = NULL;
	Dwarf_Attribute attr;
	struct unit *u;

	w = shard_of(w, addr);
	pthread_mutex_lock(&w->lock);
	u = find_unit(w, addr);
	if (u)
		text = dwarf_formstring(dwarf_attr_integrate(&u->die, DW_AT_producer, &attr));
	pthread_mutex_unlock(&w->lock);
	return text;
}

const char *dwarf_info_function(struct dwarf_info *w, uint64_t addr)
{
	const char *name;

	w = shard_of(w, addr);
	pthread_mutex_lock(&w->lock);
	name = find_inline_answer(w, addr)->function;
	pthread_mutex_unlock(&w->lock);
	return name;
}

size_t dwarf_info_inlines(struct dwarf_info *w, uint64_t addr, struct inline_frame *frames, size_t max,
			  struct source_line *outer)
{
	struct answer *a;
	size_t n;

	w = shard_of(w, addr);
	pthread_mutex_lock(&w->lock);
	a = find_inline_answer(w, addr);
	if (outer && !a->has_places)
		find_places(w, addr, a);
	n = MIN(a->n, max);
	if (n)
		memcpy(frames, w->frames.items + a->first, n * sizeof(*frames));
	if (outer)
		*outer = a->outer;
	pthread_mutex_unlock(&w->lock);
	return n;
}

/* ---- the whole ---- */

static bool has_split(const struct dwarf_info *w)
{
	for (size_t i = 0; i < w->units.len; i++)
		if (w->units.items[i].split)
			return true;
	return false;
}

static struct dwarf_info *open_info(struct elf_bytes object,
				    bool (*open)(struct dwarf_object *o, struct elf_bytes bytes))
{
	struct dwarf_info *w;
	struct dwarf_object o = { 0 };

	if (!open(&o, object))
		return NULL;
	w = xcalloc(1, sizeof(*w));
	pthread_mutex_init(&w->lock, NULL);
	w->object = o;
	w->bytes = object;
	/*
	 * Visiting an entry costs at least a byte of data, and there are three passes.
	 * Compressed sections may hold up to a thousand times their size.
	 */
	w->budget = 100000 + 8 * (uint64_t)object.len;
	return w;
}

/* Open another handle. Opening succeeded once, so fall back to the first handle if it fails now. */
static struct dwarf_info *new_shard(const struct dwarf_info *of)
{
	struct dwarf_info *w = open_info(of->bytes, dwarf_object_open);

	if (!w)
		return (struct dwarf_info *)of;
	w->no_demangle = of->no_demangle;
	w->short_templates = of->short_templates;
	read_units(w);
	return w;
}

/*
 * libdw and libelf do not always check for failed allocations, and crash. Under an address
 * space limit (ulimit -v), first allocate what they may need with our allocator, which ends the
 * program with a message.
 */
static void want_memory(size_t file_len)
{
	enum { LEAST = 32 << 20 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		free(xmalloc(LEAST + file_len / 4));
}

struct dwarf_info *dwarf_info_new(struct elf_bytes object, struct elf_bytes alt, struct dwarf_split *split,
				  bool no_demangle, bool short_templates)
{
	struct dwarf_info *w;

	want_memory(object.len);
	w = open_info(object, dwarf_object_open);
	if (!w) {
		split_free(split);
		return NULL;
	}
	w->split = split;
	w->no_demangle = no_demangle;
	w->short_templates = short_templates;
	dwarf_object_set_alt(&w->object, &w->alt, alt);
	read_units(w);
	/*
	 * Inflated sections would take memory in every shard, and every shard would open the
	 * other files again. Small objects gain nothing from shards.
	 */
	if (!w->object.inflated && !w->alt.dwarf && !has_split(w) && w->units.len >= 16)
		w->n_shards = MIN(parallel_threads(), MAX_SHARDS);
	return w;
}

/* Read only the unit with code at the address. */
static bool read_near(struct dwarf_info *w, uint64_t addr)
{
	struct near_unit u;
	const char *name;
	const void *id;

	if (dwelf_dwarf_gnu_debugaltlink(w->object.dwarf, &name, &id) > 0 || !dwarf_near_unit(&w->object, addr, &u) ||
	    (dwarf_near_refers_across(&w->object, &u) && !dwarf_object_need_all_info(&w->object)))
		return false;
	add_ranges(w, &w->code, &u.die, 0, 0);
	intervals_nest(&w->code);
	vec_push(&w->units, (struct unit){ .die = u.die, .top = u.die, .version = u.version });
	return intervals_find(&w->code, addr);
}

struct dwarf_info *dwarf_info_new_near(struct elf_bytes object, uint64_t addr, bool no_demangle, bool short_templates)
{
	struct dwarf_info *w;

	want_memory(object.len);
	w = open_info(object, dwarf_object_open_lazy);
	if (w && !read_near(w, addr)) {
		dwarf_info_free(w);
		return NULL;
	}
	if (w) {
		w->no_demangle = no_demangle;
		w->short_templates = short_templates;
	}
	return w;
}

bool dwarf_info_has(const struct dwarf_info *w, uint64_t addr) { return intervals_find(&w->code, addr); }

void dwarf_info_free(struct dwarf_info *w)
{
	if (!w)
		return;
	for (unsigned i = 1; i < w->n_shards; i++)
		if (w->shards[i] != w)
			dwarf_info_free(w->shards[i]);
	split_free(w->split);
	dwarf_object_close(&w->object);
	dwarf_object_close(&w->alt);
	for (size_t i = 0; i < w->units.len; i++)
		vec_free(&w->units.items[i].functions.v);
	for (size_t i = 0; i < w->functions.len; i++)
		vec_free(&w->functions.items[i].calls.v);
	vec_free(&w->code.v);
	vec_free(&w->units);
	vec_free(&w->functions);
	vec_free(&w->calls);
	vec_free(&w->frames);
	vec_free(&w->answers);
	u64map_free(&w->by_addr);
	arena_release(&w->arena);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
