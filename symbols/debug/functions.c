/* Find functions and their inlined copies by name or address. Source: DWARF 5, 3.3. */
#include "symbols/debug/debug_priv.h"

#include <fnmatch.h>

#include "symbols/name/demangle.h"

struct function_search {
	struct debug *d;
	const char *name, *file;
	bool across;       /* copies may refer to entries of other units */
	bool glob, scoped; /* scoped: the name has "::", so compare the demangled linkage name */
	uint32_t unit;
	VEC(const void *) abstract; /* addresses of matching entries that have inlined copies */
	struct debug_functions *out;
};

static bool text_matches(const struct function_search *s, const char *text)
{
	return text && (s->glob ? fnmatch(s->name, text, 0) == 0 : !strcmp(s->name, text));
}

static bool name_matches(const struct function_search *s, Dwarf_Die *die)
{
	const char *linkage;

	if (text_matches(s, dwarf_diename(die)))
		return true;
	linkage = die_string(die, DW_AT_linkage_name);
	if (!linkage)
		return false;
	if (text_matches(s, linkage))
		return true;
	if (s->scoped && linkage[0] == '_') {
		const char *text = debug_demangle(s->d, linkage);

		return text != linkage && (text_matches(s, text) || text_matches(s, debug_plain_name(s->d, text)));
	}
	return false;
}

static bool file_matches(const struct function_search *s, Dwarf_Die *die)
{
	uint32_t line;
	const char *file = s->file ? debug_decl(s->d, die, s->unit, &line) : NULL;

	return !s->file || (file && path_ends_with(file, s->file));
}

static void fill(struct debug *d, struct debug_function *f, Dwarf_Die *die, Dwarf_Die *outer, uint32_t unit)
{
	const char *linkage = die_string(outer, DW_AT_linkage_name);

	*f = (struct debug_function){ .inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine };
	f->id = debug_id(d, die, unit);
	f->outer = f->inlined ? debug_id(d, outer, unit) : f->id;
	f->name = dwarf_diename(die);
	f->outer_name = linkage ? linkage : dwarf_diename(outer);
	f->file = debug_decl(d, die, unit, &f->line);
	if (!f->name)
		f->name = "";
	if (!f->outer_name)
		f->outer_name = "";
	die_entry(die, &f->entry);
	die_entry(outer, &f->outer_entry);
}

static void add(struct function_search *s, Dwarf_Die *die, Dwarf_Die *outer)
{
	uint64_t entry;

	if (die_entry(die, &entry) && (entry || debug_is_relocatable(s->d)))
		fill(s->d, vec_add(s->out, 1), die, outer, s->unit);
}

/*
 * Return whether the entry may have copies. Link time optimisation writes entries before it
 * decides what to inline.
 */
static bool may_be_copied(const struct function_search *s, Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_inline) ||
	       (s->across && !dwarf_hasattr(die, DW_AT_declaration) && !dwarf_hasattr(die, DW_AT_low_pc) &&
		!dwarf_hasattr(die, DW_AT_abstract_origin));
}

/* Remember the matching entries of the unit that others may be copies of. */
static void find_definitions(struct function_search *s, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth == DEBUG_MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (!debug_spend(s->d))
			return;
		if (tag == DW_TAG_subprogram && may_be_copied(s, &die)) {
			if (name_matches(s, &die) && file_matches(s, &die))
				vec_push(&s->abstract, die.addr);
		}
		switch (tag) {
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type: find_definitions(s, &die, depth + 1);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static bool is_copy(const struct function_search *s, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!s->abstract.len || !dwarf_attr(die, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return false;
	for (size_t i = 0; i < s->abstract.len; i++)
		if (s->abstract.items[i] == origin.addr)
			return true;
	return false;
}

/*
 * Return whether a "call" is in truth the rest of a function that the compiler split and then
 * inlined back. It calls from its own first line. Leave it out, as perf does: entering the
 * function was counted already.
 */
static bool is_own_rest(Dwarf_Die *copy)
{
	return die_number(copy, DW_AT_call_line, 0) == die_number(copy, DW_AT_decl_line, 0) &&
	       die_number(copy, DW_AT_call_file, 0) == die_number(copy, DW_AT_decl_file, 0);
}

/* Return whether entries below may have code. */
static bool may_hold(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_subprogram:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_try_block:
	case DW_TAG_catch_block: return true;
	default: return false;
	}
}

/*
 * Collect matching functions and copies with code. Enter functions only if there may be copies
 * in them.
 */
static void find_code(struct function_search *s, Dwarf_Die *parent, Dwarf_Die *outer, unsigned depth)
{
	Dwarf_Die die;

	if (depth == DEBUG_MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		bool has_code = tag == DW_TAG_subprogram &&
				(dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges));

		if (!debug_spend(s->d))
			return;
		if (has_code && (is_copy(s, &die) || (name_matches(s, &die) && file_matches(s, &die))))
			add(s, &die, &die);
		if (tag == DW_TAG_inlined_subroutine && outer && !s->d->opts.no_inlines && is_copy(s, &die) &&
		    !is_own_rest(&die))
			add(s, &die, outer);
		if (!may_hold(tag))
			continue;
		/* below a function there are only copies to find */
		if (has_code && !(s->abstract.len && !s->d->opts.no_inlines))
			continue;
		if (tag == DW_TAG_subprogram && !has_code)
			continue;
		find_code(s, &die, has_code ? &die : outer, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/*
 * Remember the matching entries of all units, and those that dwz moved to a file shared with
 * others. Functions and copies of any unit may refer to them.
 */
static void find_shared_definitions(struct function_search *s)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die top;

	for (s->unit = 0; s->unit < s->d->units.len; s->unit++)
		find_definitions(s, debug_unit_top(s->d, s->unit), 0);
	s->unit = 0;
	while (s->d->alt_dwarf.dwarf && dwarf_get_units(s->d->alt_dwarf.dwarf, cu, &cu, NULL, NULL, &top, NULL) == 0 &&
	       debug_spend(s->d))
		find_definitions(s, &top, 0);
}

bool debug_find_functions(struct debug *d, const char *name, const char *file, struct debug_functions *out)
{
	struct function_search s = { .d = d, .name = name, .file = file, .out = out };
	autofree uint8_t *marks = NULL;

	if (!debug_has_dwarf(d))
		return false;
	s.glob = strpbrk(name, "*?[") != NULL;
	s.scoped = strstr(name, "::") || strchr(name, '(') || s.glob;
	marks = xcalloc(d->units.len, 1);
	s.across = debug_refers_across(d);
	debug_units_with_name(d, name, s.glob || s.scoped || s.across, marks);
	if (s.across)
		find_shared_definitions(&s);
	for (s.unit = 0; s.unit < d->units.len; s.unit++) {
		Dwarf_Die *top = marks[s.unit] ? debug_unit_top(d, s.unit) : NULL;

		if (!top)
			continue;
		if (!s.across) {
			vec_clear(&s.abstract);
			find_definitions(&s, top, 0);
		}
		find_code(&s, top, NULL, 0);
	}
	vec_free(&s.abstract);
	return true;
}

/* ---- by address ---- */

static bool find_function_at(struct debug *d, Dwarf_Die *parent, uint64_t address, unsigned depth, Dwarf_Die *found)
{
	Dwarf_Die die;

	if (depth == DEBUG_MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (!debug_spend(d))
			return false;
		if (tag == DW_TAG_subprogram &&
		    (dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges)) &&
		    die_has(&die, address)) {
			*found = die;
			return true;
		}
		if ((tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
		     tag == DW_TAG_structure_type) &&
		    find_function_at(d, &die, address, depth + 1, found))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool debug_function_at(struct debug *d, uint64_t address, struct debug_function *f)
{
	uint32_t unit = debug_dwarf(d) ? debug_unit_at(d, address) : 0;
	Dwarf_Die die;

	if (!unit || !find_function_at(d, debug_unit_top(d, unit - 1), address, 0, &die))
		return false;
	fill(d, f, &die, &die, unit - 1);
	return true;
}

bool debug_function_has(struct debug *d, uint32_t id, uint64_t address)
{
	Dwarf_Die *die = debug_die(d, id, NULL);

	return die && die_has(die, address);
}

void debug_innermost(struct debug *d, Dwarf_Die *from, uint64_t address, Dwarf_Die *found)
{
	Dwarf_Die parent = *from, die;
	bool deeper = true;

	*found = *from;
	for (unsigned depth = 0; deeper && depth < DEBUG_MAX_DEPTH; depth++) {
		deeper = false;
		if (dwarf_child(&parent, &die) != 0)
			return;
		do {
			int tag = dwarf_tag(&die);

			if (!debug_spend(d))
				return;
			if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
			    die_has(&die, address)) {
				if (tag == DW_TAG_inlined_subroutine)
					*found = die;
				parent = die;
				deeper = true;
				break;
			}
		} while (dwarf_siblingof(&die, &die) == 0);
	}
}

bool debug_is_unoptimised(struct debug *d, uint32_t id)
{
	uint32_t unit;
	const char *producer, *level = NULL;

	if (!debug_die(d, id, &unit))
		return false;
	producer = die_string(debug_unit_top(d, unit), DW_AT_producer);
	if (!producer || !strstr(producer, "GNU")) /* gcc records its options, clang does not */
		return false;
	for (const char *at = producer; (at = strstr(at, " -O")); at += 3) /* the last option counts */
		level = at + 3;
	return !level || *level == '0';
}

uint32_t debug_return_type(struct debug *d, uint32_t id)
{
	uint32_t unit;
	Dwarf_Die *die = debug_die(d, id, &unit), type;
	Dwarf_Attribute attr;

	if (!die || !dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &type))
		return 0;
	return debug_id(d, &type, unit);
}

bool debug_describe_function(struct debug *d, uint32_t id, struct debug_function *f)
{
	uint32_t unit;
	Dwarf_Die *die = debug_die(d, id, &unit), copy;

	if (!die)
		return false;
	copy = *die;
	fill(d, f, &copy, &copy, unit);
	return true;
}
