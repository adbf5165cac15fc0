/* Convert the arguments of a definition from names of variables to the kernel's fetch texts. */
#include <ctype.h>
#include <elf.h>
#include <sys/utsname.h>

#include "base/opt.h"
#include "probe/building_priv.h"
#include "probe/registers_priv.h"
#include "symbols/arch/arch.h"

bool is_group_of_variables(const char *raw)
{
	return raw &&
	       (!strcmp(raw, "$vars") || !strcmp(raw, "$params") || !strcmp(raw, "$args") || !strcmp(raw, "$arg*"));
}

bool spec_wants_variables(const struct probe_spec *spec)
{
	for (size_t i = 0; i < spec->args.len; i++)
		if (spec->args.items[i].variable || is_group_of_variables(spec->args.items[i].raw))
			return true;
	return false;
}

/*
 * Return a user's address relative to the probe's file offset: the kernel adds it to the start of
 * that offset's page.
 */
static uint64_t static_offset(const struct building *b, uint64_t address)
{
	uint64_t offset = 0;

	debug_file_offset(b->p->debug, b->point->address, &offset);
	return address - (b->point->address - offset);
}

static int to_place(const struct building *b, const char *name, const struct debug_location *l,
		    struct fetch_place *place, struct err *e)
{
	*place = (struct fetch_place){ 0 };
	switch (l->where) {
	case WHERE_REGISTER:
	case WHERE_MEMORY:
		place->base = FETCH_REGISTER;
		place->reg = register_of_dwarf(b->fetch.machine, l->reg);
		if (!place->reg) {
			err_set(e, "Sorry, we don't support this variable location yet.");
			err_why(e, "'%s' is in register %u, which the kernel cannot fetch (floating point, vector)",
				name, l->reg);
			return err_exit(e, EXIT_UNSUPPORTED);
		}
		for (unsigned i = 0; l->where == WHERE_MEMORY && i < l->n_offsets; i++)
			place->through[place->n++] = l->offsets[i];
		return 0;
	case WHERE_STATIC:
		place->base = FETCH_STATIC;
		if (b->p->user) {
			place->offset = static_offset(b, l->address);
			return 0;
		}
		place->symbol = name;
		return 0;
	case WHERE_CONSTANT:
		place->base = FETCH_CONSTANT;
		place->offset = l->address;
		if (trace_abilities()->immediate)
			return 0;
		err_set(e, "'%s' is the constant %lld here, which this kernel cannot show", name,
			(long long)l->address);
		return err_exit(e, EXIT_UNSUPPORTED);
	default: return -1;
	}
}

static bool can_be_had(const struct building *b, uint32_t variable, uint64_t address)
{
	struct debug_location l;

	debug_locate(b->p->debug, variable, b->point->scope, address, &l);
	return l.where != WHERE_NOWHERE && l.where != WHERE_UNSUPPORTED;
}

/*
 * Suggest where in the function the variable is available: the nearest address behind the requested
 * one, else before it.
 */
static void suggest_range(const struct building *b, uint32_t variable, struct err *e)
{
	struct debug_ranges ranges = { 0 };
	struct debug_line line, entry;
	uint64_t best = 0;

	debug_variable_ranges(b->p->debug, variable, b->point->scope, &ranges);
	for (size_t i = 0; i < ranges.len; i++) {
		uint64_t start = ranges.items[i].start;

		if (ranges.items[i].end != UINT64_MAX &&
		    (!best || (start >= b->point->address && (best < b->point->address || start < best))) &&
		    can_be_had(b, variable, start))
			best = start;
	}
	vec_free(&ranges);
	if (!best || !debug_line_at(b->p->debug, best, &line) || !line.line)
		return;
	if (debug_line_at(b->p->debug, b->point->base, &entry) && entry.file && line.file &&
	    !strcmp(entry.file, line.file) && entry.line && line.line >= entry.line)
		err_try(e, "%s:%u, where it has one", b->point->symbol, line.line - entry.line);
	else
		err_try(e, "%s+%llu, where it has one", b->point->symbol, (unsigned long long)(best - b->point->base));
}

static int no_variable(const struct building *b, const char *name, uint32_t id, const struct debug_location *l,
		       struct err *e)
{
	struct debug_variables all = { 0 };
	VEC(const char *) names = { 0 };
	const char *near;

	if (id && l->where == WHERE_UNSUPPORTED) {
		err_set(e, "Sorry, we don't support this variable location yet.");
		err_why(e, "'%s': %s", name, l->why);
		suggest_range(b, id, e);
		return err_exit(e, EXIT_UNSUPPORTED);
	}
	err_set(e, "Failed to find the location of the '%s' variable at this address.", name);
	if (id) {
		err_why(e, "Perhaps it has been optimized out.");
		suggest_range(b, id, e);
		if (!e->fix[0])
			err_try(e, "-V with --range shows where it lives");
		return err_exit(e, EXIT_NOT_FOUND);
	}
	debug_find_variables(b->p->debug, b->point->scope, b->point->address, true, &all);
	for (size_t i = 0; i < all.len; i++)
		vec_push(&names, all.items[i].name);
	vec_push(&names, NULL);
	near = opt_nearest(name, names.items);
	err_why(e, "no variable of that name is in scope there");
	if (near)
		err_try(e, "%s", near);
	else
		err_try(e, "'%s probe %s%s%s-V %s' lists them", tool_name(), b->p->opts.exec ? "-x " : "",
			b->p->opts.exec ? b->p->opts.exec : "", b->p->opts.exec ? " " : "", b->spec->text);
	vec_free(&names);
	vec_free(&all);
	return err_exit(e, EXIT_NOT_FOUND);
}

/* Find a parameter of a kernel function without debug information, at the function's entry. */
static int find_parameter(const struct building *b, const char *name, struct fetch_variable *v, struct err *e)
{
	struct btf_types *btf = prober_btf(b->p);
	const char *names[64], *why, *near, *function = b->point->symbol;
	unsigned n = 0;
	struct utsname u = { 0 };

	uname(&u);
	if (!btf || !function || !btf_has_function(btf, function) || !b->point->at_entry) {
		err_set(e, "Failed to find the location of the '%s' variable at this address.", name);
		err_why(e, "%s",
			!btf                 ? "the kernel has neither debug information nor BTF here"
			: b->point->at_entry ? "BTF does not know the function"
					     : "without debug information only parameters are known, and only where "
					       "the function begins");
		err_try(e,
			"%s%sinstall the debug package of the kernel (linux-image-%s-dbg, kernel-debuginfo), or give "
			"its image with -k",
			btf && function && !b->point->at_entry ? function : "",
			btf && function && !b->point->at_entry ? ", or " : "", u.release);
		return err_exit(e, EXIT_NOT_FOUND);
	}
	for (; n < ARRAY_SIZE(names) - 1 && btf_parameter(btf, function, n, b->fetch.machine, v, &why); n++) {
		names[n] = v->name ? v->name : "";
		if (v->name && !strcmp(v->name, name)) {
			if (!why)
				return 0;
			err_set(e, "'%s' cannot be fetched", name);
			err_why(e, "%s", why);
			err_try(e, "install the debug package of the kernel (linux-image-%s-dbg, kernel-debuginfo)",
				u.release);
			return err_exit(e, EXIT_UNSUPPORTED);
		}
	}
	names[n] = NULL;
	near = opt_nearest(name, names);
	err_set(e, "Failed to find the location of the '%s' variable at this address.", name);
	err_why(e, "'%s' has no such parameter; locals take debug information", function);
	if (near)
		err_try(e, "%s", near);
	else
		err_try(e, "'%s probe -V %s' lists them", tool_name(), function);
	return err_exit(e, EXIT_NOT_FOUND);
}

/* Add $params from BTF. */
static int add_parameters(struct building *b, struct err *e)
{
	struct btf_types *btf = prober_btf(b->p);
	struct fetch_variable v;
	const char *why;

	if (!btf || !b->point->at_entry)
		return err_set(e, "there are no variables to show without debug information");
	for (unsigned i = 0; btf_parameter(btf, b->point->symbol, i, b->fetch.machine, &v, &why); i++) {
		struct probe_arg arg = { .text = v.name, .variable = v.name };
		struct trace_arg a;

		if (v.name && !why && fetch_is_plain(&b->fetch, v.type) &&
		    fetch_variable(&b->fetch, &arg, &v, &a, NULL) == 0)
			vec_push(&b->trace->args, a);
	}
	return 0;
}

static int find_variable(const struct building *b, const char *name, struct fetch_variable *v, struct err *e)
{
	struct debug *d = b->p->debug;
	struct debug_location l = { 0 };
	uint32_t id;

	if (!b->point->scope && !b->p->user)
		return find_parameter(b, name, v, e);
	if (!b->point->scope) {
		err_set(e, "'%s' cannot be looked up: there is no debug information for this place", name);
		err_try(e, "registers (%%di), or install the debug package (that brings %s)", debug_missing(d));
		return err_exit(e, EXIT_NOT_FOUND);
	}
	id = debug_find_variable(d, b->point->scope, b->point->address, name);
	if (id)
		debug_locate(d, id, b->point->scope, b->point->address, &l);
	if (!id || l.where == WHERE_NOWHERE || l.where == WHERE_UNSUPPORTED)
		return no_variable(b, name, id, &l, e);
	*v = (struct fetch_variable){ .name = name, .type = debug_variable_type(d, id) };
	return to_place(b, name, &l, &v->place, e);
}

/* Return a unique name for an argument. */
static const char *unique_arg(const struct building *b, const char *name)
{
	for (unsigned n = 0; n < 200; n++) {
		const char *text = n ? arena_printf(&b->out->arena, "%s_%u", name, n) : name;
		bool taken = false;

		for (size_t i = 0; i < b->trace->args.len; i++)
			taken |= !strcmp(b->trace->args.items[i].name, text);
		if (!taken)
			return text;
	}
	return name;
}

static int add_variable(struct building *b, const struct probe_arg *arg, struct err *e)
{
	struct fetch_variable v;
	struct trace_arg a;

	if (b->spec->is_return) {
		err_set(e, "Semantic error :You can't specify local variable for kretprobe.");
		err_try(e, "$retval");
		return err_exit(e, EXIT_INVALID);
	}
	if (find_variable(b, arg->variable, &v, e) < 0) {
		if (!b->several || !trace_abilities()->immediate)
			return -1;
		/*
		 * another place may have the variable: here show the number with which perf marks a
		 * missing one
		 */
		if (!b->missing->what[0])
			*b->missing = *e;
		err_clear(e);
		a = (struct trace_arg){ fetch_name(arg, &b->out->arena), arg->type && strstr(arg->type, "string")
										 ? "\\\"?\":string"
										 : "\\0xdeade12d:x32" };
	} else if (fetch_variable(&b->fetch, arg, &v, &a, e) < 0) {
		return -1;
	} else {
		b->found[arg - b->spec->args.items] = 1;
	}
	a.name = unique_arg(b, a.name);
	vec_push(&b->trace->args, a);
	return 0;
}

/* Add $vars or $params: all printable variables in scope. Skip others, as perf does. */
static int add_all(struct building *b, bool only_parameters, struct err *e)
{
	struct debug_variables all = { 0 };
	size_t before = b->trace->args.len;

	if (!b->spec->is_return && !b->point->scope && !b->p->user)
		return add_parameters(b, e);
	if (b->spec->is_return || !b->point->scope) {
		err_set(e, "there are no variables to show %s",
			b->spec->is_return ? "where a function returns" : "without debug information");
		return err_exit(e, EXIT_INVALID);
	}
	debug_find_variables(b->p->debug, b->point->scope, b->point->address, false, &all);
	for (size_t i = 0; i < all.len; i++) {
		struct probe_arg arg = { .text = all.items[i].name, .variable = all.items[i].name };
		struct fetch_variable v = { .name = arg.variable,
					    .type = debug_variable_type(b->p->debug, all.items[i].id) };
		struct debug_location l;
		struct trace_arg a;
		bool known = false;

		for (size_t j = before; j < b->trace->args.len; j++) /* hidden by an inner variable */
			known |= !strcmp(b->trace->args.items[j].name, arg.variable);
		debug_locate(b->p->debug, all.items[i].id, b->point->scope, b->point->address, &l);
		if (known || (only_parameters && !all.items[i].parameter) || l.where == WHERE_NOWHERE ||
		    l.where == WHERE_UNSUPPORTED || l.where == WHERE_CONSTANT || !fetch_is_plain(&b->fetch, v.type) ||
		    to_place(b, arg.variable, &l, &v.place, NULL) < 0)
			continue;
		if (fetch_variable(&b->fetch, &arg, &v, &a, NULL) == 0)
			vec_push(&b->trace->args, a);
	}
	vec_free(&all);
	return 0;
}

/* Return the register for "$arg2", which the kernel supports only for its own functions. */
static const char *user_argument(const struct building *b, const char *raw)
{
	char *end;
	unsigned long n;

	if (strncmp(raw, "$arg", 4) || !isdigit((unsigned char)raw[4]) || !b->point->at_entry || b->spec->is_return)
		return raw;
	n = strtoul(raw + 4, &end, 10);
	return n && !*end && register_of_argument(b->fetch.machine, (unsigned)(n - 1))
		       ? register_of_argument(b->fetch.machine, (unsigned)(n - 1))
		       : raw;
}

/* Convert "@symbol" of a program into its place in the file, which the kernel needs. */
static int user_symbol(const struct building *b, const char *raw, const char **text, struct err *e)
{
	const char *at = strchr(raw, '@'), *end;
	size_t n, len;
	const struct debug_name *names;
	int64_t more = 0;
	char *name;

	*text = raw;
	if (!at || (!isalpha((unsigned char)at[1]) && at[1] != '_'))
		return 0;
	len = strcspn(at + 1, "+-)");
	name = arena_strndup(&b->out->arena, at + 1, len);
	end = at + 1 + len;
	if (*end == '+' || *end == '-')
		more = strtoll(end, (char **)&end, 0);
	names = debug_names(b->p->debug, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i].name, name)) {
			*text = arena_printf(&b->out->arena, "%.*s@+0x%llx%s", (int)(at - raw), raw,
					     (unsigned long long)static_offset(b, names[i].address + (uint64_t)more),
					     end);
			return 0;
		}
	err_set(e, "there is no symbol '%s' in '%s'", name, b->p->path);
	return err_exit(e, EXIT_NOT_FOUND);
}

static bool is_one_of(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* Refuse a register that the kernel does not have, where we know all of them. */
static int check_register(const struct building *b, const char *raw, struct err *e)
{
	const struct arch *a = arch_of_elf(b->fetch.machine);
	const char *percent = strchr(raw, '%'), *near;
	autofree char *reg = percent ? xstrndup(percent, 1 + strcspn(percent + 1, "):+-")) : NULL;

	if (!reg || !a || !a->probe_more || !strcmp(reg, "%pd") || !strcmp(reg, "%pD") ||
	    is_one_of(a->probe_regs, reg) || is_one_of(a->probe_more, reg))
		return 0;
	near = opt_nearest(reg, a->probe_regs);
	err_set(e, "there is no register '%s'", reg);
	err_why(e, "%s", a->probe_hint);
	if (reg[1] == 'r' || reg[1] == 'e')
		err_try(e, "%%%s", reg + 2);
	else if (near)
		err_try(e, "%s", near);
	return err_exit(e, EXIT_INVALID);
}

static int add_raw(struct building *b, const struct probe_arg *arg, struct err *e)
{
	const char *text = arg->raw;

	if (!strcmp(text, "$vars"))
		return add_all(b, false, e);
	if (is_group_of_variables(text))
		return add_all(b, true, e);
	if (!strncmp(text, "$retval", 7) && !b->spec->is_return) {
		err_set(e, "$retval is there only where a function returns");
		err_try(e, "%s%%return $retval", b->spec->function ? b->spec->function : "FUNC");
		return err_exit(e, EXIT_INVALID);
	}
	if (check_register(b, text, e) < 0)
		return -1;
	if (b->p->user) {
		text = user_argument(b, text);
		if (user_symbol(b, text, &text, e) < 0)
			return -1;
	}
	if (arg->type)
		text = arena_printf(&b->out->arena, "%s:%s", text, arg->type);
	vec_push(&b->trace->args, (struct trace_arg){ .name = arg->name ? arg->name : "", .fetch = text });
	return 0;
}

int building_add_args(struct building *b, struct err *e)
{
	for (size_t i = 0; i < b->spec->args.len; i++) {
		const struct probe_arg *arg = &b->spec->args.items[i];

		if (arg->variable ? add_variable(b, arg, e) < 0 : add_raw(b, arg, e) < 0)
			return -1;
	}
	return 0;
}
