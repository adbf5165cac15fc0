/* Find the addresses of a definition's place. */
#include <fnmatch.h>

#include "base/hash.h"
#include "base/opt.h"
#include "probe/resolve_priv.h"
#include "symbols/code/disasm.h"

enum { MAX_NEAR = 100000, MAX_DECODED = 1 << 20 };

bool name_is_glob(const char *s) { return strpbrk(s, "*?[") != NULL; }

void points_add(struct probe_points *out, const struct probe_point *point)
{
	for (size_t i = 0; i < out->len; i++)
		if (out->items[i].address == point->address)
			return;
	vec_push(out, *point);
}

int point_not_found(const struct probe_spec *spec, struct err *e)
{
	err_set(e, "Probe point '%s%s' not found.", spec->place == PLACE_SOURCE ? "@" : "", spec->text);
	return err_exit(e, EXIT_NOT_FOUND);
}

/* ---- names ---- */

static const char *text_of(struct debug *d, const struct debug_name *n)
{
	return n->kind == NAME_PLT ? n->name : debug_demangle(d, n->name);
}

/*
 * Compare a name as written, demangled, or demangled without parameters; "name@VERSION" means one
 * version.
 */
static bool name_is(struct debug *d, const struct debug_name *n, const char *wanted, const char *version)
{
	bool glob = name_is_glob(wanted);
	const char *text;

	if (version && (!n->version || strcmp(n->version, version)))
		return false;
	if (glob ? !fnmatch(wanted, n->name, 0) : !strcmp(wanted, n->name))
		return true;
	if (n->name[0] != '_' || (!glob && !strstr(wanted, "::") && !strchr(wanted, '(')))
		return false;
	text = text_of(d, n);
	if (text == n->name)
		return false;
	if (glob)
		return !fnmatch(wanted, text, 0) || !fnmatch(wanted, debug_plain_name(d, text), 0);
	return !strcmp(wanted, text) || !strcmp(wanted, debug_plain_name(d, text));
}

/* Make the point of a code address, by DWARF if there is any. */
static struct probe_point point_at(struct debug *d, uint64_t address, const char *function)
{
	const struct debug_name *n = debug_name_at(d, address);
	struct debug_function f;
	struct probe_point point = { .address = address, .base = address, .function = function };

	if (n) {
		point.symbol = n->name;
		point.base = n->address;
	}
	if (debug_function_at(d, address, &f)) {
		point.scope = f.id;
		if (!n || debug_has_name(d, f.outer_name, f.outer_entry)) {
			point.symbol = f.outer_name;
			point.base = f.outer_entry;
		}
	}
	point.at_entry = point.base == address;
	return point;
}

/*
 * Return the target of an indirect function; its symbol is the code that chooses the target. The
 * target is known if this process has loaded the same library.
 */
static uint64_t chosen_target(struct prober *p, const struct debug_name *n, bool *known)
{
	uint64_t address = ifunc_target(p->path, n->name, n->version, known);

	return *known ? address : n->address;
}

static void add_name(struct prober *p, const struct debug_name *n, const struct probe_spec *spec,
		     struct probe_points *out)
{
	struct probe_point point;
	uint64_t address = n->address;

	if (n->kind == NAME_IFUNC) {
		bool known;

		address = chosen_target(p, n, &known);
		point = point_at(p->debug, address, NULL);
		if (known)
			prober_note(p, "%s is chosen when a program starts; on this machine it is %s", n->name,
				    point.symbol ? point.symbol : "a function without a name");
		else
			prober_note(p,
				    "Warning: The probe function (%s) is a GNU indirect function.\n"
				    "Consider identifying the final function used at run time and set the probe "
				    "directly on that.",
				    n->name);
	}
	point = point_at(p->debug, address, spec->event || n->kind != NAME_PLT ? n->name : NULL);
	point.symbol = address == n->address ? n->name : point.symbol;
	point.base = address;
	point.address = address + (spec->has_offset ? spec->offset : 0);
	point.at_entry = !spec->has_offset || !spec->offset;
	points_add(out, &point);
}

/* Do not narrow if the name has several addresses, or if it is an indirect function: its target is elsewhere. */
bool prober_narrow(struct prober *p, const char *function)
{
	const struct debug_name *names, *one = NULL;
	size_t n = 0;

	names = p->debug ? debug_unsorted_names(p->debug, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i].name, function) || names[i].kind == NAME_PLT)
			continue;
		if (names[i].kind != NAME_FUNCTION || (one && one->address != names[i].address))
			return false;
		one = &names[i];
	}
	return one && debug_narrow(p->debug, one->address);
}

static bool has_default(const struct debug_name *names, const struct idtable *defaults, const char *name, uint64_t hash)
{
	struct idtable_probe probe = idtable_probe(defaults, hash);
	uint32_t id;

	while ((id = idtable_next(defaults, &probe)))
		if (!strcmp(names[id - 1].name, name))
			return true;
	return false;
}

/* Index the names that have a default version, each once. */
static struct idtable index_defaults(const struct debug_name *names, size_t n)
{
	struct idtable defaults = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t hash;

		if (!names[i].default_version || !names[i].version)
			continue;
		hash = hash_bytes(names[i].name, strlen(names[i].name), 0);
		if (!has_default(names, &defaults, names[i].name, hash))
			idtable_add(&defaults, hash, (uint32_t)i + 1);
	}
	return defaults;
}

/*
 * Return true for an old version of a name that has a default version: programs linked today never
 * use it.
 */
static bool is_superseded(const struct debug_name *names, const struct idtable *defaults, const struct debug_name *x)
{
	return x->version && !x->default_version &&
	       has_default(names, defaults, x->name, hash_bytes(x->name, strlen(x->name), 0));
}

/* Find points by symbol. Symbols include aliases, code without DWARF and stubs. */
static void by_symbol(struct prober *p, const struct probe_spec *spec, struct probe_points *out)
{
	size_t n;
	const struct debug_name *names = debug_unsorted_names(p->debug, &n);
	const char *version = spec->file && spec->file[0] != '/' ? spec->file + (spec->file[0] == '@') : NULL;
	struct debug_names found = { 0 };
	struct idtable defaults = index_defaults(names, version ? 0 : n);

	for (size_t i = 0; i < n; i++)
		if (names[i].kind != NAME_OBJECT && (names[i].kind != NAME_PLT || strstr(spec->function, "@plt")) &&
		    name_is(p->debug, &names[i], spec->function, version) &&
		    (version || !is_superseded(names, &defaults, &names[i])))
			vec_push(&found, names[i]);
	idtable_free(&defaults);
	/* sort only these few, because all names may be hundreds of thousands */
	debug_sort_names(&found);
	for (size_t i = 0; i < found.len; i++)
		add_name(p, &found.items[i], spec, out);
	vec_free(&found);
}

/* ---- functions by DWARF ---- */

uint32_t points_nearest_line(const struct debug_lines *lines, uint32_t wanted)
{
	uint32_t best = 0;

	for (size_t i = 0; i < lines->len; i++) {
		uint32_t l = lines->items[i].line, distance = l > wanted ? l - wanted : wanted - l;

		if (!best || distance < (best > wanted ? best - wanted : wanted - best))
			best = l;
	}
	return best;
}

static void at_line(struct prober *p, const struct debug_function *f, const struct probe_point *like, uint32_t line,
		    struct debug_lines *all, struct probe_points *out)
{
	debug_function_lines(p->debug, f->id, false, all);
	for (size_t i = 0; i < all->len; i++) {
		struct probe_point point = *like;

		if (all->items[i].line != line)
			continue;
		point.address = all->items[i].address;
		point.at_entry = point.address == point.base;
		points_add(out, &point);
	}
}

static int offset_fits(struct prober *p, const struct debug_function *f, const struct probe_spec *spec, struct err *e)
{
	if (!spec->has_offset || debug_function_has(p->debug, f->id, f->entry + spec->offset))
		return 0;
	err_set(e, "Offset %llu is bigger than the size of %s", (unsigned long long)spec->offset, f->name);
	return err_exit(e, EXIT_NOT_FOUND);
}

static int in_function(struct prober *p, const struct debug_function *f, const struct probe_spec *spec,
		       bool wants_variables, struct debug_lines *lines, struct probe_points *out, struct err *e)
{
	struct probe_point point = { .address = f->entry,
				     .base = f->outer_entry,
				     .symbol = f->outer_name,
				     .function = f->name,
				     .scope = f->id,
				     .at_entry = f->entry == f->outer_entry };

	if (spec->has_line) {
		if (!f->line)
			return 0;
		at_line(p, f, &point, f->line + spec->line, lines, out);
		return 0;
	}
	if (spec->pattern)
		return points_at_pattern(p, f, &point, spec->pattern, out, e);
	if (offset_fits(p, f, spec, e) < 0)
		return -1;
	if (spec->has_offset) {
		point.address += spec->offset;
		point.at_entry = point.at_entry && !spec->offset;
	} else if (wants_variables && p->user && !f->inlined && debug_is_unoptimised(p->debug, f->id)) {
		point.address = debug_skip_prologue(p->debug, f->id);
		prober_note(p,
			    "Target program is compiled without optimization. Skipping prologue.\nProbe on address "
			    "0x%llx to force probing at the function entry.\n",
			    (unsigned long long)f->entry);
		point.at_entry = false;
	}
	points_add(out, &point);
	return 0;
}

static int shares_address(const char *where, uint32_t line, struct err *e)
{
	err_set(e, "This line is sharing the address with other lines.\nPlease try to probe at %s:%u instead.", where,
		line);
	return err_exit(e, EXIT_NOT_FOUND);
}

static int no_line(struct prober *p, const struct probe_spec *spec, const struct debug_functions *functions,
		   const struct debug_lines *lines, struct err *e)
{
	const struct debug_function *f = &functions->items[0];
	uint32_t line = f->line + spec->line, instead = debug_line_instead(p->debug, f->id, line),
		 near = points_nearest_line(lines, line);

	if (instead && instead != line && instead >= f->line)
		return shares_address(spec->function, instead - f->line, e);
	point_not_found(spec, e);
	if (near >= f->line && near) {
		err_why(e, "no statement begins in that line");
		err_try(e, "%s:%u", spec->function, near - f->line);
	}
	return -1;
}

int points_by_dwarf(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		    struct err *e)
{
	struct debug_functions functions = { 0 };
	struct debug_lines lines = { 0 };
	size_t inlined = 0;
	int rc = 0;

	debug_find_functions(p->debug, spec->function, spec->file, &functions);
	for (size_t i = 0; i < functions.len && !rc; i++) {
		const struct debug_function *f = &functions.items[i];

		inlined += f->inlined;
		if (spec->is_return && f->inlined)
			continue;
		rc = in_function(p, f, spec, wants_variables, &lines, out, e);
	}
	if (!rc && !out->len && functions.len) {
		if (spec->has_line) {
			rc = no_line(p, spec, &functions, &lines, e);
		} else if (spec->is_return && inlined) {
			err_set(e, "Failed to find symbol %s in %s", spec->function, p->path ? p->path : "kernel");
			err_why(e, "all its calls were inlined: nothing returns there");
			err_try(e, "a probe where it begins: %s", spec->function);
			rc = err_exit(e, EXIT_NOT_FOUND);
		} else if (spec->pattern) {
			rc = pattern_not_in_function(p, &functions.items[0], spec, e);
		} else {
			rc = point_not_found(spec, e);
		}
	}
	vec_free(&functions);
	vec_free(&lines);
	return rc;
}

/*
 * Find points by the DWARF of the function at the symbol's address: aliases have no DWARF entry of
 * their own.
 */
int points_by_alias(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		    struct err *e)
{
	struct probe_points places = { 0 };
	struct debug_lines lines = { 0 };
	int rc = 0;

	by_symbol(p, spec, &places);
	for (size_t i = 0; i < places.len && !rc; i++) {
		struct probe_point *point = &places.items[i];
		struct debug_function f;

		if (point->scope && debug_function_at(p->debug, point->base, &f) && f.entry == point->base) {
			size_t before = out->len;

			rc = in_function(p, &f, spec, wants_variables, &lines, out, e);
			for (size_t j = before; j < out->len; j++) {
				out->items[j].function = point->function;
				out->items[j].symbol = point->symbol;
			}
		} else if (!spec->has_line && !spec->pattern) {
			points_add(out, point);
		}
	}
	vec_free(&lines);
	vec_free(&places);
	return rc;
}

/* ---- files ---- */

/*
 * Return the line with the first statement in the code of this file's line; number 0 if the line
 * has no code.
 */
static struct debug_line file_line_instead(struct prober *p, const char *file, uint32_t wanted)
{
	struct debug_line shown = { 0 };
	struct debug_lines lines = { 0 };
	const char *path;

	debug_file_lines(p->debug, file, true, &lines, &path);
	for (size_t i = 0; i < lines.len && !shown.line; i++)
		if (lines.items[i].line == wanted)
			debug_line_at(p->debug, lines.items[i].address, &shown);
	vec_free(&lines);
	if (shown.line == wanted)
		shown.line = 0;
	return shown;
}

static int no_file_line(struct prober *p, const struct probe_spec *spec, const char *path,
			const struct debug_lines *lines, struct err *e)
{
	uint32_t near = points_nearest_line(lines, spec->line);
	struct debug_line instead = { 0 };

	if (path && spec->has_line)
		instead = file_line_instead(p, spec->file, spec->line);
	if (instead.line && instead.file)
		return shares_address(instead.file, instead.line, e);
	point_not_found(spec, e);
	if (!path)
		err_why(e, "no unit of '%s' was compiled from such a file", p->path);
	else if (near && spec->has_line)
		err_try(e, "%s:%u", spec->file, near);
	return -1;
}

int points_by_source(struct prober *p, const struct probe_spec *spec, struct probe_points *out, struct err *e)
{
	struct debug_lines lines = { 0 };
	struct source_text *source = NULL;
	const char *path;
	int rc = 0;

	debug_file_lines(p->debug, spec->file, spec->pattern, &lines, &path);
	if (spec->pattern && lines.len) {
		source = source_open(
			p, path, debug_directory(p->debug, point_at(p->debug, lines.items[0].address, NULL).scope), e);
		rc = source ? 0 : -1;
	}
	for (size_t i = 0; i < lines.len && !rc; i++) {
		uint32_t l = lines.items[i].line;
		struct probe_point point;

		if (spec->pattern ? l > source->lines.len || !lazy_match(source->lines.items[l - 1], spec->pattern)
				  : l != spec->line)
			continue;
		point = point_at(p->debug, lines.items[i].address, NULL);
		point.function = point.symbol;
		points_add(out, &point);
	}
	if (!rc && !out->len && source)
		rc = pattern_not_found(p, spec, source, &lines, e);
	else if (!rc && !out->len)
		rc = no_file_line(p, spec, path, &lines, e);
	source_close(source);
	vec_free(&lines);
	return rc;
}

/* ---- nothing found ---- */

static const char *nearest_name(struct prober *p, const char *name)
{
	VEC(const char *) names = { 0 };
	size_t n, len = strlen(name);
	const struct debug_name *all = debug_names(p->debug, &n);
	const char *near;

	for (size_t i = 0; i < n && names.len < MAX_NEAR; i++) {
		size_t l = strlen(all[i].name);

		if (all[i].kind != NAME_OBJECT && l + 3 > len && l < len + 5)
			vec_push(&names, all[i].name);
	}
	for (size_t i = 0; i < names.len && !strstr(name, "@plt"); i++)
		if (!strncmp(names.items[i], name, len) && !strcmp(names.items[i] + len, "@plt")) {
			near = names.items[i];
			vec_free(&names);
			return near;
		}
	vec_push(&names, NULL);
	near = opt_nearest(name, names.items);
	vec_free(&names);
	return near;
}

/* Return true if the object has functions of its own, besides stubs for those in libraries. */
static bool has_functions(struct prober *p)
{
	size_t n;
	const struct debug_name *all = debug_names(p->debug, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i].kind == NAME_FUNCTION || all[i].kind == NAME_IFUNC)
			return true;
	return false;
}

static bool is_known(struct prober *p, const char *function)
{
	struct debug_functions functions = { 0 };
	bool found;

	debug_find_functions(p->debug, function, NULL, &functions);
	found = functions.len;
	vec_free(&functions);
	return found;
}

int points_explain_none(struct prober *p, const struct probe_spec *spec, struct err *e)
{
	const char *near;

	point_not_found(spec, e);
	if (spec->file || spec->has_line || spec->pattern) {
		if (!debug_has_dwarf(p->debug)) {
			err_why(e, "'%s' has no debug information, which lines and files need", p->path);
			err_try(e, "install its debug package (that brings %s), or compile with -g",
				debug_missing(p->debug));
		}
		near = debug_has_dwarf(p->debug) && spec->function && !name_is_glob(spec->function) &&
				       !is_known(p, spec->function)
			       ? nearest_name(p, spec->function)
			       : NULL;
		if (near)
			err_try(e, "%s", near);
		return -1;
	}
	near = name_is_glob(spec->function) ? NULL : nearest_name(p, spec->function);
	if (near && !strncmp(near, spec->function, strlen(spec->function)) &&
	    !strcmp(near + strlen(spec->function), "@plt"))
		err_try(e, "%s for the calls from this file, or -x with the library that has it", near);
	else if (near)
		err_try(e, "%s", near);
	else if (has_functions(p))
		err_try(e, "'%s probe %s%s%s-F' lists what there is", tool_name(), p->opts.exec ? "-x " : "",
			p->opts.exec ? p->opts.exec : "", p->opts.exec ? " " : "");
	else
		err_try(e, "install its debug package (that brings %s), or build it without strip",
			debug_missing(p->debug));
	if (!near && !has_functions(p))
		err_why(e, "'%s' was stripped of the names of its functions", p->path);
	return -1;
}

/*
 * Check that an instruction begins at the point. A probe replaces the first byte of an instruction;
 * in the middle of one it would change the program. Decode from the function's start, where an
 * instruction certainly begins. Leave code that we cannot decode to the kernel.
 */
static int check_boundary(struct prober *p, const struct probe_spec *spec, const struct probe_point *point,
			  struct err *e)
{
	struct disasm_target target = { .machine = debug_machine(p->debug), .is_64 = true };
	size_t len = point->address - point->base + 16;
	const uint8_t *code =
		point->address > point->base && len < MAX_DECODED ? debug_code(p->debug, point->base, &len) : NULL;
	struct disasm *d = code ? disasm_open(&target, NULL) : NULL;
	struct code_cursor at = { .bytes = code, .left = len, .address = point->base };
	uint64_t before = point->base;
	struct insn insn;

	while (d && at.address < point->address) {
		before = at.address;
		if (!disasm_next(d, &at, &insn) || insn.bad)
			break;
	}
	disasm_close(d);
	if (!d || at.address <= point->address)
		return 0;
	err_set(e, "'%s' is in the middle of an instruction", spec->text);
	err_why(e, "one begins at %s+%llu and takes %llu bytes", point->symbol ? point->symbol : "it",
		(unsigned long long)(before - point->base), (unsigned long long)(at.address - before));
	if (spec->place == PLACE_FUNCTION)
		err_try(e, "%s+%llu or %s+%llu", spec->function, (unsigned long long)(before - point->base),
			spec->function, (unsigned long long)(at.address - point->base));
	else
		err_try(e, "0x%llx or 0x%llx", (unsigned long long)before, (unsigned long long)at.address);
	return err_exit(e, EXIT_INVALID);
}

int points_check_boundaries(struct prober *p, const struct probe_spec *spec, const struct probe_points *points,
			    struct err *e)
{
	for (size_t i = 0;
	     i < points->len && (spec->has_offset || spec->place == PLACE_ADDRESS) && !debug_is_relocatable(p->debug);
	     i++)
		if (!points->items[i].live && check_boundary(p, spec, &points->items[i], e) < 0)
			return -1;
	return 0;
}

int points_check_count(struct prober *p, const struct probe_spec *spec, size_t n, struct err *e)
{
	if (n <= p->opts.max_probes)
		return 0;
	err_set(e, "Too many( > %u) probe point found.", p->opts.max_probes);
	err_why(e, "'%s' stands for %zu places", spec->text, n);
	err_try(e, "--max-probes=%zu", n);
	return err_exit(e, EXIT_TOO_MANY);
}

int prober_points(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		  struct err *e)
{
	int rc = 0;

	if (spec->place == PLACE_MARKER)
		return point_not_found(spec, e);
	if (!p->user)
		return points_in_kernel(p, spec, wants_variables, out, e);
	if (spec->place == PLACE_ADDRESS) {
		struct probe_point point = point_at(p->debug, spec->offset, NULL);

		points_add(out, &point);
		return points_check_boundaries(p, spec, out, e);
	}
	if (spec->place == PLACE_SOURCE) {
		rc = points_by_source(p, spec, out, e);
	} else {
		bool version = spec->file && (spec->file[0] == '@' || !strchr(spec->file, '.'));

		if (!version)
			rc = points_by_dwarf(p, spec, wants_variables, out, e);
		if (!rc && (!out->len || name_is_glob(spec->function)) &&
		    (!spec->file || version || strstr(spec->file, "GLIBC")))
			rc = points_by_alias(p, spec, wants_variables, out, e);
	}
	if (!rc && !out->len)
		rc = points_explain_none(p, spec, e);
	if (!rc)
		rc = points_check_boundaries(p, spec, out, e);
	return rc ? rc : points_check_count(p, spec, out->len, e);
}
