/* Print probes, functions, lines and variables for strobe probe. */
#include "cmd/probe/probe_priv.h"

#include "base/search.h"
#include "base/sort/texts.h"

/* ---- -F ---- */

static int print_sorted(const char **names, size_t n, struct err *e)
{
	struct out o;

	sort_texts(names, n);
	out_init_fd(&o, STDOUT_FILENO);
	for (size_t i = 0; i < n; i++) {
		if (i && !strcmp(names[i], names[i - 1]))
			continue;
		out_name(&o, names[i]);
		out_char(&o, '\n');
	}
	return out_finish(&o, e);
}

int probe_funcs(const struct probe_cmd *c, struct err *e)
{
	const char *text = c->filter ? c->filter : c->pattern ? c->pattern : "!_* & !*@plt";
	struct name_filter *filter = name_filter_parse(text, e);
	struct prober_opts opts = probe_prober_opts(c);
	struct prober *p = filter ? prober_open(&opts, e) : NULL;
	struct probe_list all = { 0 };
	VEC(const char *) found = { 0 };
	bool versions = (c->filter || c->pattern) && strchr(text, '@'); /* otherwise any version matches */
	int rc = p ? prober_names(p, c->exec ? c->demangle : c->demangle_kernel, &all, e) : -1;

	if (!rc && !all.len)
		rc = err_set(e, "Failed to load symbols in %s", c->exec ? c->exec : "the kernel");
	for (size_t i = 0; i < all.len && !rc; i++)
		if (name_filter_match(filter, versions ? all.items[i].text : all.items[i].plain))
			vec_push(&found, all.items[i].text);
	if (!rc && !found.len)
		say("No function matches '%s'", text);
	if (!rc)
		rc = print_sorted(found.items, found.len, e);
	vec_free(&all);
	vec_free(&found);
	prober_close(p);
	name_filter_free(filter);
	return rc ? probe_failed(e, "Failed to show functions.") : 0;
}

/* ---- -L ---- */

enum { LINES_MORE = 3 };

static bool is_probeable(const struct debug_lines *lines, uint32_t line)
{
	size_t at = search_count(i, lines->len, lines->items[i].line < line);

	return at < lines->len && lines->items[at].line == line;
}

/*
 * Print the lines of a range. `zero`: the line that counts as 0. Without an end, print three lines
 * more than the last line that can have a probe.
 */
static int print_lines(struct prober *p, const struct line_range *range, const struct debug_lines *lines,
		       const char *path, uint32_t zero, uint32_t id, struct err *e)
{
	struct source_text *s = source_open(p, path, debug_directory(prober_debug(p), id), e);
	uint32_t first = zero + range->first,
		 last = range->last ? zero + range->last : lines->items[lines->len - 1].line + LINES_MORE;
	struct out o;

	if (!s)
		return -1;
	first = MAX(first, 1U);
	out_init_fd(&o, STDOUT_FILENO);
	out_char(&o, '<');
	if (range->function)
		out_fmt(&o, "%s@", range->function);
	out_name(&o, s->path);
	out_fmt(&o, ":%u>\n", range->first);
	for (uint32_t l = first; l <= last && l <= s->lines.len; l++) {
		if (is_probeable(lines, l))
			out_fmt(&o, "%7u  ", l - zero);
		else
			out_pad(&o, ' ', 9);
		for (const char *c = s->lines.items[l - 1]; *c; c++) /* keep tabs */
			if (*c == '\t')
				out_char(&o, '\t');
			else
				out_name_len(&o, c, strcspn(c, "\t")), c += strcspn(c, "\t") - 1;
		out_char(&o, '\n');
	}
	source_close(s);
	return out_finish(&o, e);
}

static int no_lines(struct prober *p, struct err *e)
{
	if (!prober_debug(p) || !debug_has_dwarf(prober_debug(p))) {
		err_set(e, "Debuginfo is not found in '%s'", prober_path(p) ? prober_path(p) : "the kernel");
		if (!prober_debug(p)) {
			err_try(e, "install the debug package of the kernel, or give its image with -k");
			return err_exit(e, EXIT_NOT_FOUND);
		}
		err_try(e, "install its debug package (that brings %s), or compile with -g",
			debug_missing(prober_debug(p)));
	} else {
		err_set(e, "Specified source line is not found.");
		err_try(e, "a function that 'probe -F' lists, FUNCTION:LINES, or FILE:LINES");
	}
	return err_exit(e, EXIT_NOT_FOUND);
}

/*
 * Add the lines of the first function found and of its copies: a line without code in one may have
 * code in another.
 */
static void add_function_lines(struct debug *d, uint32_t scope, uint32_t *id, const char **path, uint32_t *zero,
			       struct debug_lines *lines)
{
	struct debug_function where;

	if (!scope || !debug_describe_function(d, scope, &where) ||
	    (*id && (where.line != *zero || !where.file || !*path || strcmp(where.file, *path))))
		return;
	if (!*id) {
		*id = scope;
		*path = where.file;
		*zero = where.line;
	}
	debug_function_lines(d, scope, false, lines);
}

/* The lines to print and where their numbers start. */
struct numbered {
	struct debug_lines lines;
	const char *path;
	uint32_t zero, id;
};

static void find_function_lines(struct prober *p, const struct line_range *range, struct numbered *n, struct err *e)
{
	struct probe_points points = { 0 };
	struct probe_spec spec = {
		.place = PLACE_FUNCTION, .text = range->function, .function = range->function, .file = range->file
	};

	if (prober_points(p, &spec, false, &points, e) == 0)
		for (size_t i = 0; i < points.len; i++)
			add_function_lines(prober_debug(p), points.items[i].scope, &n->id, &n->path, &n->zero,
					   &n->lines);
	vec_free(&points);
}

static void find_file_lines(struct prober *p, const struct line_range *range, struct numbered *n)
{
	struct debug *d = prober_debug(p);
	struct debug_function where;

	if (d)
		debug_file_lines(d, range->file, false, &n->lines, &n->path);
	if (n->lines.len && debug_function_at(d, n->lines.items[0].address, &where))
		n->id = where.id;
}

static int find_lines(struct prober *p, const struct line_range *range, struct err *e)
{
	struct numbered n = { 0 };
	int rc;

	if (!prober_is_user(p) && (!prober_debug(p) || !debug_has_dwarf(prober_debug(p))))
		return no_lines(p, e);
	if (!range->function) {
		find_file_lines(p, range, &n);
	} else if (!range->file && prober_narrow(p, range->function)) {
		find_function_lines(p, range, &n, e);
		if (!n.lines.len) {
			debug_widen(prober_debug(p));
			n = (struct numbered){ 0 };
		}
	}
	if (range->function && !n.lines.len)
		find_function_lines(p, range, &n, e);
	if (n.path && n.lines.len && n.lines.items[n.lines.len - 1].line >= n.zero + range->first) {
		err_clear(e);
		rc = print_lines(p, range, &n.lines, n.path, n.zero, n.id, e);
	} else {
		rc = no_lines(p, e);
	}
	vec_free(&n.lines);
	return rc;
}

int probe_lines(const struct probe_cmd *c, struct err *e)
{
	struct prober_opts opts = probe_prober_opts(c);
	struct arena arena = { 0 };
	struct line_range range;
	struct prober *p = line_range_parse(&range, c->pattern, &arena, e) < 0 ? NULL : prober_open(&opts, e);
	int rc = p ? find_lines(p, &range, e) : -1;

	prober_close(p);
	arena_release(&arena);
	return rc ? probe_failed(e, "Failed to show lines.") : 0;
}

/* ---- -V ---- */

/*
 * Count from the start of the function; leave out what the compiler moved before it. false when the
 * variable was optimised out.
 */
static bool add_ranges(struct out *o, struct debug *d, const struct probe_point *point, const struct debug_variable *v)
{
	struct debug_ranges ranges = { 0 };
	bool any = false;

	debug_variable_ranges(d, v->id, point->scope, &ranges);
	if (ranges.len ? ranges.items[0].end == UINT64_MAX : v->here) {
		vec_clear(&ranges);
		debug_scope_ranges(d, v->id, &ranges);
	}
	out_fmt(o, "\t@<%s+[", point->symbol ? point->symbol : "");
	for (size_t i = 0; i < ranges.len; i++) {
		const struct debug_range *r = &ranges.items[i];

		if (r->start < point->base)
			continue;
		out_fmt(o, "%s%llu-%llu", any ? "," : "", (unsigned long long)(r->start - point->base),
			(unsigned long long)(r->end - point->base));
		any = true;
	}
	out_str(o, "]>");
	vec_free(&ranges);
	return any;
}

/* Return the text of a variable; NULL if it has no place. */
static char *variable_text(struct debug *d, const struct probe_cmd *c, const struct probe_point *point,
			   const struct debug_variable *v)
{
	autofree char *type = debug_type_name(d, debug_variable_type(d, v->id));
	struct out o;
	char *text = NULL;

	out_init_mem(&o);
	if (c->range)
		out_fmt(&o, "[%s]\t", v->external ? "EXT" : v->here ? "VAL" : "INV");
	out_fmt(&o, "%s\t%s", type, v->name);
	if (!c->range || v->external || add_ranges(&o, d, point, v))
		text = xstrdup(out_text(&o));
	out_release(&o);
	return text;
}

static int show_point(struct prober *p, const struct probe_cmd *c, const struct name_filter *filter,
		      const struct probe_point *point, struct out *o, struct err *e)
{
	struct debug *d = prober_debug(p);
	struct debug_variables all = { 0 };
	VEC(char *) lines = { 0 };

	out_str(o, "\t@<");
	out_name(o, point->symbol ? point->symbol : "unknown");
	out_fmt(o, "+%llu>\n", (unsigned long long)(point->address - point->base));
	if (!point->scope && !prober_is_user(p)) {
		struct probe_names parameters = { 0 };

		if (prober_parameters(p, point, &parameters, e) < 0)
			return -1;
		for (size_t i = 0; i < parameters.len; i++)
			vec_push(&lines, (char *)parameters.items[i]);
		vec_free(&parameters);
	} else {
		debug_find_variables(d, point->scope, point->address, c->externs, &all);
	}
	for (size_t i = 0; i < all.len; i++) {
		const struct debug_variable *v = &all.items[i];

		char *text = (v->here || c->range) && name_filter_match(filter, v->name) ? variable_text(d, c, point, v)
											 : NULL;

		if (text)
			vec_push(&lines, text);
	}
	sort_texts((const char **)lines.items, lines.len);
	for (size_t i = 0; i < lines.len; i++) {
		bool again = i && !strcmp(lines.items[i], lines.items[i - 1]);

		if (!again) {
			out_str(o, "\t\t");
			for (char *field = lines.items[i], *next; field; field = next) {
				next = strchr(field, '\t');
				out_name_len(o, field, next ? (size_t)(next - field) : strlen(field));
				if (next)
					out_char(o, '\t'), next++;
			}
			out_char(o, '\n');
		}
	}
	if (!lines.len)
		out_str(o, "\t\t(No matched variables)\n");
	for (size_t i = 0; i < lines.len; i++)
		free(lines.items[i]);
	vec_free(&lines);
	vec_free(&all);
	return 0;
}

static int show_variables(struct prober *p, const struct probe_cmd *c, const struct probe_spec *spec, struct err *e)
{
	struct name_filter *filter = name_filter_parse(c->filter ? c->filter : "!__k???tab_* & !__crc_*", e);
	struct probe_points points = { 0 };
	struct out o;
	int rc = filter ? prober_points(p, spec, false, &points, e) : -1;

	if (!rc && prober_is_user(p) && !debug_has_dwarf(prober_debug(p))) {
		err_set(e, "Debuginfo is not found in '%s'", prober_path(p));
		err_try(e, "install its debug package (that brings %s), or compile with -g",
			debug_missing(prober_debug(p)));
		rc = err_exit(e, EXIT_NOT_FOUND);
	}
	out_init_fd(&o, STDOUT_FILENO);
	if (!rc)
		out_fmt(&o, "Available variables at %s%s\n", spec->place == PLACE_SOURCE ? "@" : "", spec->text);
	for (size_t i = 0; i < points.len && !rc; i++)
		rc = show_point(p, c, filter, &points.items[i], &o, e);
	name_filter_free(filter);
	vec_free(&points);
	if (rc) {
		out_release(&o);
		return rc;
	}
	return out_finish(&o, e);
}

int probe_vars(const struct probe_cmd *c, struct err *e)
{
	struct prober_opts opts = probe_prober_opts(c);
	struct arena arena = { 0 };
	struct probe_spec spec;
	int rc = probe_spec_parse(&spec, c->pattern, &arena, e);
	struct prober *p = rc ? NULL : prober_open(&opts, e);

	rc = p ? show_variables(p, c, &spec, e) : -1;
	prober_close(p);
	probe_spec_release(&spec);
	arena_release(&arena);
	return rc ? probe_failed(e, "Failed to show vars.") : 0;
}

/* ---- -l ---- */

/* Print "mid:2@/src/w.c", the place of a probe in a program, from the file's debug information. */
static void name_place(const struct trace_probe *t, struct debug *d, struct out *o)
{
	const struct debug_name *n;
	struct debug_function f;
	struct debug_line line;
	uint64_t address;

	if (!d) {
		out_fmt(o, "0x%llx", (unsigned long long)t->offset);
		return;
	}
	address = debug_address_of_offset(d, t->offset);
	n = debug_name_at(d, address);
	if (debug_function_at(d, address, &f)) {
		bool known = debug_line_at(d, address, &line) && line.file && f.file && !strcmp(line.file, f.file) &&
			     line.line >= f.line;

		out_name(o, f.name);
		if (t->is_return)
			out_str(o, "%return");
		else if (known && line.line > f.line)
			out_fmt(o, ":%u", line.line - f.line);
		else if (address != f.entry)
			out_fmt(o, "+%llu", (unsigned long long)(address - f.entry));
		if (f.file) {
			out_char(o, '@');
			out_name(o, f.file);
		}
		return;
	}
	if (n) {
		out_name(o, n->name);
		if (address != n->address)
			out_fmt(o, "+%llu", (unsigned long long)(address - n->address));
	} else {
		out_fmt(o, "0x%llx", (unsigned long long)t->offset);
	}
	if (t->is_return)
		out_str(o, "%return");
}

static void show_probe(const struct trace_probe *t, struct debug *d, struct out *o)
{
	autofree char *name = xasprintf("%s:%s", t->group, t->event);

	out_str(o, "  ");
	out_name_pad(o, name, -20);
	out_str(o, " (on ");
	if (t->path) {
		name_place(t, d, o);
		out_str(o, " in ");
		out_name(o, t->path);
	} else if (t->symbol) {
		out_name(o, t->symbol);
		if (t->offset)
			out_fmt(o, "+%llu", (unsigned long long)t->offset);
		if (t->is_return)
			out_str(o, "%return");
		if (t->module) {
			out_str(o, " in ");
			out_name(o, t->module);
		}
	} else {
		out_fmt(o, "0x%llx%s", (unsigned long long)t->offset, t->is_return ? "%return" : "");
	}
	for (size_t i = 0; i < t->args.len; i++) {
		out_str(o, i ? " " : " with ");
		if (*t->args.items[i].name)
			out_name(o, t->args.items[i].name);
		else
			out_fmt(o, "arg%zu", i + 1);
	}
	out_str(o, ")\n");
}

/* perf's order: the kernel's first, returns after entries. */
static int probe_order(const void *a, const void *b)
{
	const struct trace_probe *x = a, *y = b;
	int c;

	if (!x->path != !y->path)
		return x->path ? 1 : -1;
	if (x->is_return != y->is_return)
		return x->is_return ? 1 : -1;
	c = strcmp(x->group, y->group);
	c = c ? c : strcmp(x->event, y->event);
	return c ? c : x->offset < y->offset ? -1 : x->offset > y->offset;
}

int probe_list(const struct probe_cmd *c, struct err *e)
{
	struct trace_probes l = { 0 };
	struct debug *d = NULL;
	const char *opened = NULL;
	struct out o;

	if (trace_probes_read(&l, e) < 0) {
		trace_probes_release(&l);
		return probe_failed(e, "Failed to show event list.");
	}
	if (l.v.len)
		qsort(l.v.items, l.v.len, sizeof(l.v.items[0]), probe_order);
	out_init_fd(&o, STDOUT_FILENO);
	for (size_t i = 0; i < l.v.len; i++) {
		const struct trace_probe *t = &l.v.items[i];

		if (c->pattern && !probe_name_matches(t, c->pattern))
			continue;
		if (t->path && (!opened || strcmp(opened, t->path))) {
			debug_close(d);
			d = debug_open(t->path, NULL, NULL);
			opened = t->path;
		}
		show_probe(t, d, &o);
	}
	debug_close(d);
	trace_probes_release(&l);
	return out_finish(&o, e);
}
