/* From places and arguments to what the kernel is told; names; adding and taking back. */
#include <ctype.h>
#include <elf.h>
#include <fnmatch.h>
#include <sys/utsname.h>

#include "base/opt.h"
#include "probe/fetch.h"
#include "probe/prober_priv.h"
#include "probe/registers.h"
#include "probe/sdt.h"

enum { NOT_FOUND = 254, INVALID = 234, UNSUPPORTED = 161, EXISTS = 239, MAX_NAME = 63, MAX_COPIES = 1024 };

/* ---- arguments ---- */

struct building {
	struct prober *p;
	const struct probe_spec *spec;
	const struct probe_point *point;
	struct probe_events *out;
	struct fetch fetch;
	struct trace_probe *trace;
	uint8_t *found;		/* by argument: some place has it */
	bool several;		/* places */
	struct err *missing;	/* why the first place that lacks a variable does */
};

static bool is_group_of_variables(const char *raw)
{
	return raw && (!strcmp(raw, "$vars") || !strcmp(raw, "$params") || !strcmp(raw, "$args") || !strcmp(raw, "$arg*"));
}

bool spec_wants_variables(const struct probe_spec *spec)
{
	for (size_t i = 0; i < spec->args.len; i++)
		if (spec->args.items[i].variable || is_group_of_variables(spec->args.items[i].raw))
			return true;
	return false;
}

/* A user's address in terms of the probe's file offset: the kernel adds it to where that offset's page would begin. */
static uint64_t static_offset(const struct building *b, uint64_t address)
{
	uint64_t offset = 0;

	debug_file_offset(b->p->debug, b->point->address, &offset);
	return address - (b->point->address - offset);
}

static int to_place(const struct building *b, const char *name, const struct debug_location *l, struct fetch_place *place, struct err *e)
{
	const struct debug_name *n;

	*place = (struct fetch_place){ 0 };
	switch (l->where) {
	case WHERE_REGISTER: case WHERE_MEMORY:
		place->base = FETCH_REGISTER;
		place->reg = register_of_dwarf(b->fetch.machine, l->reg);
		if (!place->reg) {
			err_set(e, "Sorry, we don't support this variable location yet.");
			err_why(e, "'%s' is in register %u, which the kernel cannot fetch (floating point, vector)", name, l->reg);
			return err_exit(e, UNSUPPORTED);
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
		n = debug_name_at(b->p->debug, l->address);
		place->symbol = name;
		place->offset = 0;
		(void)n;
		return 0;
	case WHERE_CONSTANT:
		place->base = FETCH_CONSTANT;
		place->offset = l->address;
		if (trace_abilities()->immediate)
			return 0;
		err_set(e, "'%s' is the constant %lld here, which this kernel cannot show", name, (long long)l->address);
		return err_exit(e, UNSUPPORTED);
	default:
		return -1;
	}
}

/* Where in the function the variable has a place: the nearest address behind the one asked for, else before. */
static void suggest_range(const struct building *b, uint32_t variable, struct err *e)
{
	struct debug_ranges ranges = { 0 };
	struct debug_line line, entry;
	uint64_t best = 0;

	debug_variable_ranges(b->p->debug, variable, b->point->scope, &ranges);
	for (size_t i = 0; i < ranges.len; i++) {
		uint64_t start = ranges.items[i].start;

		if (ranges.items[i].end != UINT64_MAX && (!best || (start >= b->point->address && (best < b->point->address || start < best))))
			best = start;
	}
	vec_free(&ranges);
	if (!best || !debug_line_at(b->p->debug, best, &line) || !line.line)
		return;
	if (debug_line_at(b->p->debug, b->point->base, &entry) && entry.file && line.file && !strcmp(entry.file, line.file) && entry.line && line.line >= entry.line)
		err_try(e, "%s:%u, where it has one", b->point->symbol, line.line - entry.line);
	else
		err_try(e, "%s+%llu, where it has one", b->point->symbol, (unsigned long long)(best - b->point->base));
}

static int no_variable(const struct building *b, const char *name, uint32_t id, const struct debug_location *l, struct err *e)
{
	struct debug_variables all = { 0 };
	VEC(const char *) names = { 0 };
	const char *near;

	if (id && l->where == WHERE_UNSUPPORTED) {
		err_set(e, "Sorry, we don't support this variable location yet.");
		err_why(e, "'%s': %s", name, l->why);
		suggest_range(b, id, e);
		return err_exit(e, UNSUPPORTED);
	}
	err_set(e, "Failed to find the location of the '%s' variable at this address.", name);
	if (id) {
		err_why(e, "Perhaps it has been optimized out.");
		suggest_range(b, id, e);
		if (!e->fix[0])
			err_try(e, "-V with --range shows where it lives");
		return err_exit(e, NOT_FOUND);
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
		err_try(e, "'%s probe -V %s' lists them", tool_name, b->spec->text);
	vec_free(&names);
	vec_free(&all);
	return err_exit(e, NOT_FOUND);
}

/* Of a kernel function without debug information: its parameters, where it begins. */
static int find_parameter(const struct building *b, const char *name, struct fetch_variable *v, struct err *e)
{
	struct btf_types *btf = prober_btf(b->p);
	const char *names[64], *why, *near, *function = b->point->symbol;
	unsigned n = 0;
	struct utsname u = { 0 };

	uname(&u);
	if (!btf || !function || !btf_has_function(btf, function) || !b->point->at_entry) {
		err_set(e, "Failed to find the location of the '%s' variable at this address.", name);
		err_why(e, "%s", !btf ? "the kernel has neither debug information nor BTF here" : b->point->at_entry ? "BTF does not know the function" :
			"without debug information only parameters are known, and only where the function begins");
		err_try(e, "%s%sinstall the debug package of the kernel (linux-image-%s-dbg, kernel-debuginfo), or give its image with -k",
			btf && function && !b->point->at_entry ? function : "", btf && function && !b->point->at_entry ? ", or " : "", u.release);
		return err_exit(e, NOT_FOUND);
	}
	for (; n < ARRAY_SIZE(names) - 1 && btf_parameter(btf, function, n, b->fetch.machine, v, &why); n++) {
		names[n] = v->name ? v->name : "";
		if (v->name && !strcmp(v->name, name)) {
			if (!why)
				return 0;
			err_set(e, "'%s' cannot be fetched", name);
			err_why(e, "%s", why);
			err_try(e, "install the debug package of the kernel (linux-image-%s-dbg, kernel-debuginfo)", u.release);
			return err_exit(e, UNSUPPORTED);
		}
	}
	names[n] = NULL;
	near = opt_nearest(name, names);
	err_set(e, "Failed to find the location of the '%s' variable at this address.", name);
	err_why(e, "'%s' has no such parameter; locals take debug information", function);
	if (near)
		err_try(e, "%s", near);
	else
		err_try(e, "'%s probe -V %s' lists them", tool_name, function);
	return err_exit(e, NOT_FOUND);
}

/* $params by BTF. */
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

		if (v.name && !why && fetch_is_plain(&b->fetch, v.type) && fetch_variable(&b->fetch, &arg, &v, &a, NULL) == 0)
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
		return err_exit(e, NOT_FOUND);
	}
	id = debug_find_variable(d, b->point->scope, b->point->address, name);
	if (id)
		debug_locate(d, id, b->point->scope, b->point->address, &l);
	if (!id || l.where == WHERE_NOWHERE || l.where == WHERE_UNSUPPORTED)
		return no_variable(b, name, id, &l, e);
	*v = (struct fetch_variable){ .name = name, .type = debug_variable_type(d, id) };
	return to_place(b, name, &l, &v->place, e);
}

/* Names of arguments must differ. */
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
		return err_exit(e, INVALID);
	}
	if (find_variable(b, arg->variable, &v, e) < 0) {
		if (!b->several || !trace_abilities()->immediate)
			return -1;
		/* another place may have it: what this one shows is the number by which perf marks what is not there */
		if (!b->missing->what[0])
			*b->missing = *e;
		err_clear(e);
		a = (struct trace_arg){ fetch_name(arg, &b->out->arena), arg->type && strstr(arg->type, "string") ? "\\\"?\":string" : "\\0xdeade12d:x32" };
	} else if (fetch_variable(&b->fetch, arg, &v, &a, e) < 0) {
		return -1;
	} else {
		b->found[arg - b->spec->args.items] = 1;
	}
	a.name = unique_arg(b, a.name);
	vec_push(&b->trace->args, a);
	return 0;
}

/* $vars, $params: what can be shown of what is in scope; the rest is left out as perf does. */
static int add_all(struct building *b, bool only_parameters, struct err *e)
{
	struct debug_variables all = { 0 };
	size_t before = b->trace->args.len;

	if (!b->spec->is_return && !b->point->scope && !b->p->user)
		return add_parameters(b, e);
	if (b->spec->is_return || !b->point->scope) {
		err_set(e, "there are no variables to show %s", b->spec->is_return ? "where a function returns" : "without debug information");
		return err_exit(e, INVALID);
	}
	debug_find_variables(b->p->debug, b->point->scope, b->point->address, false, &all);
	for (size_t i = 0; i < all.len; i++) {
		struct probe_arg arg = { .text = all.items[i].name, .variable = all.items[i].name };
		struct fetch_variable v = { .name = arg.variable, .type = debug_variable_type(b->p->debug, all.items[i].id) };
		struct debug_location l;
		struct trace_arg a;
		bool known = false;

		for (size_t j = before; j < b->trace->args.len; j++)	/* hidden by an inner one */
			known |= !strcmp(b->trace->args.items[j].name, arg.variable);
		debug_locate(b->p->debug, all.items[i].id, b->point->scope, b->point->address, &l);
		if (known || (only_parameters && !all.items[i].parameter) || l.where == WHERE_NOWHERE || l.where == WHERE_UNSUPPORTED || l.where == WHERE_CONSTANT ||
		    !fetch_is_plain(&b->fetch, v.type) || to_place(b, arg.variable, &l, &v.place, NULL) < 0)
			continue;
		if (fetch_variable(&b->fetch, &arg, &v, &a, NULL) == 0)
			vec_push(&b->trace->args, a);
	}
	vec_free(&all);
	return 0;
}

/* "$arg2" where the kernel has it only for its own functions. */
static const char *user_argument(const struct building *b, const char *raw)
{
	char *end;
	unsigned long n;

	if (strncmp(raw, "$arg", 4) || !isdigit((unsigned char)raw[4]) || !b->point->at_entry || b->spec->is_return)
		return raw;
	n = strtoul(raw + 4, &end, 10);
	return n && !*end && register_of_argument(b->fetch.machine, (unsigned)(n - 1)) ? register_of_argument(b->fetch.machine, (unsigned)(n - 1)) : raw;
}

/* "@symbol" of a program: the kernel wants its place in the file. */
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
				(unsigned long long)static_offset(b, names[i].address + (uint64_t)more), end);
			return 0;
		}
	err_set(e, "there is no symbol '%s' in '%s'", name, b->p->path);
	return err_exit(e, NOT_FOUND);
}

static int check_register(const struct building *b, const char *raw, struct err *e)
{
	const char *const *names = register_names(b->fetch.machine);
	const char *percent = strchr(raw, '%');
	autofree char *reg = percent ? xstrndup(percent, 1 + strcspn(percent + 1, "):+-")) : NULL;

	if (!reg || !names || !strcmp(reg, "%pd") || !strcmp(reg, "%pD"))
		return 0;
	for (const char *const *n = names; *n; n++)
		if (!strcmp(*n, reg))
			return 0;
	/* the others that the kernel has besides those with DWARF numbers */
	if (b->fetch.machine != EM_X86_64 || (strcmp(reg, "%ip") && strcmp(reg, "%flags") && strcmp(reg, "%cs") && strcmp(reg, "%ss") && strcmp(reg, "%orig_ax"))) {
		const char *near = opt_nearest(reg, names);

		if (b->fetch.machine != EM_X86_64)
			return 0;
		err_set(e, "there is no register '%s'", reg);
		err_why(e, "the kernel calls them %%ax %%bx %%cx %%dx %%si %%di %%bp %%sp %%r8 to %%r15");
		if (reg[1] == 'r' || reg[1] == 'e')
			err_try(e, "%%%s", reg + 2);
		else if (near)
			err_try(e, "%s", near);
		return err_exit(e, INVALID);
	}
	return 0;
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
		return err_exit(e, INVALID);
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

static int add_args(struct building *b, struct err *e)
{
	for (size_t i = 0; i < b->spec->args.len; i++) {
		const struct probe_arg *arg = &b->spec->args.items[i];

		if (arg->variable ? add_variable(b, arg, e) < 0 : add_raw(b, arg, e) < 0)
			return -1;
	}
	return 0;
}

/* ---- what is shown ---- */

static char *shown_text(const struct building *b)
{
	const struct probe_spec *s = b->spec;
	struct out o;
	char *text;

	out_init_mem(&o);
	out_str(&o, s->text);
	if (b->p->user || b->p->module)
		out_fmt(&o, " in %s", b->p->user ? b->p->shown_path : b->p->module);
	for (size_t i = 0; i < s->args.len; i++) {
		const struct probe_arg *arg = &s->args.items[i];
		const char *name = arg->name ? arg->name : arg->fields.len ? fetch_name(arg, &b->out->arena) : NULL;

		out_str(&o, i ? " " : " with ");
		if (is_group_of_variables(arg->raw)) {
			for (size_t j = 0; j < b->trace->args.len; j++)
				out_fmt(&o, "%s%s", j ? " " : "", b->trace->args.items[j].name);
			continue;
		}
		out_fmt(&o, "%s%s%s", name ? name : "", name ? "=" : "", arg->text);
	}
	text = arena_strdup(&b->out->arena, out_text(&o));
	out_release(&o);
	return text;
}

/* ---- names ---- */

/* What the kernel takes as a name: other characters become '_', the part behind a '.' (".constprop.0") is left out. */
static char *c_name(const char *s, struct arena *arena)
{
	char *name = arena_strdup(arena, s), *to = name;

	for (const char *from = name; *from && *from != '.' && *from != '@'; from++) {
		if (isalnum((unsigned char)*from) || *from == '_')
			*to++ = *from;
		else if (*from == '(')
			break;
		else if (to > name && to[-1] != '_')
			*to++ = '_';
	}
	while (to > name + 1 && to[-1] == '_' && strpbrk(s, "<>: ~"))
		to--;
	*to = 0;
	if (!*name)
		return arena_strdup(arena, "probe");
	return isdigit((unsigned char)*name) ? arena_printf(arena, "_%s", name) : name;
}

char *probe_group_of(const char *path, struct arena *arena)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *base = slash ? slash + 1 : path;
	char *group;
	size_t len;

	if (!path)
		return arena_strdup(arena, "probe");
	len = strspn(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	group = arena_printf(arena, "probe_%.*s", (int)MIN(len, (size_t)(MAX_NAME - 6)), base);
	return group;
}

static const char *event_name(const struct building *b)
{
	const struct probe_spec *s = b->spec;
	struct arena *arena = &b->out->arena;
	const char *base;

	if (s->event)
		return s->event;
	if (s->place == PLACE_ADDRESS)
		base = arena_printf(arena, "abs_%llx", (unsigned long long)s->offset);
	else if (s->function && !strpbrk(s->function, "*?[") && s->place == PLACE_FUNCTION)
		base = c_name(s->function, arena);
	else if (!b->p->user)
		base = c_name(b->point->function ? b->point->function : b->point->symbol ? b->point->symbol : "probe", arena);
	else
		base = c_name(debug_plain_name(b->p->debug, debug_demangle(b->p->debug, b->point->function ? b->point->function : b->point->symbol ? b->point->symbol : "probe")), arena);
	if (s->has_line && s->place == PLACE_FUNCTION)
		base = arena_printf(arena, "%.48s_L%u", base, s->line);
	return base;
}

/* "[MODULE:]SYMBOL+OFFSET"; where names are not unique the distance from _text, which the kernel also takes; else the address. */
static void make_kernel_place(struct building *b)
{
	struct trace_probe *t = b->trace;
	const struct probe_point *point = b->point;
	uint64_t text = 0;

	t->offset = point->address;
	if (!point->symbol)
		return;
	t->module = point->module ? arena_strdup(&b->out->arena, point->module) : NULL;
	t->symbol = arena_strdup(&b->out->arena, point->symbol);
	t->offset = point->address - point->base;
	if (!point->by_text || point->module)
		return;
	if (point->live ? !kernel_address_of(b->p->kernel, "_text", &text) : !prober_image_text(b->p, &text))
		return;
	t->symbol = "_text";
	t->offset = point->address - text;
}

static int make_event(struct building *b, struct err *e)
{
	struct trace_probe *t = b->trace;
	struct arena *arena = &b->out->arena;
	const char *name = event_name(b);
	uint64_t offset;

	t->is_return = b->spec->is_return;
	t->group = b->spec->group ? b->spec->group : probe_group_of(b->p->user ? b->p->shown_path : NULL, arena);
	t->event = arena_printf(arena, "%.*s%s", b->spec->is_return ? MAX_NAME - 8 : MAX_NAME, name, b->spec->is_return && !strstr(name, "__return") ? "__return" : "");
	if (!b->p->user) {
		make_kernel_place(b);
		return add_args(b, e);
	}
	if (!debug_file_offset(b->p->debug, b->point->address, &offset)) {
		err_set(e, "0x%llx is no address of code in '%s'", (unsigned long long)b->point->address, b->p->path);
		return err_exit(e, NOT_FOUND);
	}
	t->path = arena_strdup(arena, b->p->shown_path);
	t->offset = offset;
	return add_args(b, e);
}

/* ---- markers ---- */

static int no_marker(struct prober *p, const struct probe_spec *spec, const struct sdt_markers *all, struct err *e)
{
	VEC(const char *) names = { 0 };
	const char *near;

	err_set(e, "'%s' has no marker '%s'", p->user ? p->path : "the kernel", spec->function);
	for (size_t i = 0; i < all->len; i++)
		vec_push(&names, all->items[i].name);
	vec_push(&names, NULL);
	near = opt_nearest(spec->function, names.items);
	if (!all->len)
		err_why(e, "%s", p->user ? "it was built without any (<sys/sdt.h>)" : "markers are in programs and libraries: name one with -x");
	else if (near)
		err_try(e, "%%%s", near);
	vec_free(&names);
	return err_exit(e, NOT_FOUND);
}

/* "sdt_libc" or "libc"; NULL = any provider. */
static bool is_marker(const struct sdt_marker *m, const struct probe_spec *spec)
{
	const char *provider = spec->provider && !strncmp(spec->provider, "sdt_", 4) ? spec->provider + 4 : spec->provider;

	return (!provider || !fnmatch(provider, m->provider, 0)) && !fnmatch(spec->function, m->name, 0);
}

static int make_marker(struct prober *p, const struct probe_spec *spec, const struct sdt_marker *m, struct probe_events *out, struct err *e)
{
	struct probe_event event = { .fixed_name = spec->event != NULL };
	struct trace_probe *t = &event.trace;
	uint64_t reference;

	if (!debug_file_offset(p->debug, m->address, &t->offset)) {
		err_set(e, "the marker '%s' of '%s' stands at no address of its code", m->name, p->path);
		return err_exit(e, NOT_FOUND);
	}
	if (m->semaphore && debug_file_offset(p->debug, m->semaphore, &reference))
		t->reference = reference;
	t->path = arena_strdup(&out->arena, p->shown_path);
	t->group = spec->group ? spec->group : arena_printf(&out->arena, "sdt_%.58s", c_name(m->provider, &out->arena));
	t->event = spec->event ? spec->event : arena_printf(&out->arena, "%.60s", c_name(m->name, &out->arena));
	sdt_args(m, debug_machine(p->debug), t, &out->arena);
	event.shown = arena_printf(&out->arena, "%%%s in %s", m->name, p->shown_path);
	for (size_t i = 0; i < t->args.len; i++)
		event.shown = arena_printf(&out->arena, "%s %s%s", event.shown, i ? "" : "with ", t->args.items[i].name);
	vec_push(&out->v, event);
	return 0;
}

static int find_markers(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e)
{
	struct sdt_markers all = { 0 };
	size_t before = out->v.len;
	int rc = 0;

	if (p->user)
		sdt_read(p->debug, &all, &p->arena);
	for (size_t i = 0; i < all.len && !rc; i++)
		if (is_marker(&all.items[i], spec))
			rc = make_marker(p, spec, &all.items[i], out, e);
	if (!rc && out->v.len == before)
		rc = no_marker(p, spec, &all, e);
	vec_free(&all);
	return rc;
}

int prober_find(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e)
{
	struct probe_points points = { 0 };
	size_t before = out->v.len;
	autofree uint8_t *found = xcalloc(spec->args.len + 1, 1);
	struct err missing = { 0 };
	int rc;

	vec_clear(&p->notes);
	if (spec->place == PLACE_MARKER)
		return find_markers(p, spec, out, e);
	rc = prober_points(p, spec, spec_wants_variables(spec), &points, e);
	for (size_t i = 0; i < points.len && !rc; i++) {
		struct probe_event event = { .fixed_name = spec->event != NULL };
		struct building b = { .p = p, .spec = spec, .point = &points.items[i], .out = out, .trace = &event.trace, .found = found,
				      .several = points.len > 1, .missing = &missing };

		b.fetch = (struct fetch){ .types = b.point->scope || p->user || !prober_btf(p) ? types_of_debug(p->debug) : types_of_btf(prober_btf(p)),
					  .function = b.point->scope, .machine = p->debug ? debug_machine(p->debug) : native_machine(), .user = p->user, .arena = &out->arena };
		rc = make_event(&b, e);
		if (!rc)
			event.shown = shown_text(&b);
		vec_push(&out->v, event);
	}
	vec_free(&points);
	for (size_t i = 0; i < spec->args.len && !rc && missing.what[0]; i++)
		if (spec->args.items[i].variable && !found[i]) {
			if (e)
				*e = missing;
			rc = -1;
		}
	if (!rc && missing.what[0])
		prober_note(p, "not every place has all arguments: what one lacks is shown there as 0xdeade12d");
	for (size_t i = 0; i < p->notes.len; i++)
		vec_push(&out->notes, arena_strdup(&out->arena, p->notes.items[i]));
	while (rc && out->v.len > before)
		trace_probe_release(&out->v.items[--out->v.len].trace);
	return rc;
}

void probe_events_release(struct probe_events *l)
{
	for (size_t i = 0; i < l->v.len; i++)
		trace_probe_release(&l->v.items[i].trace);
	vec_free(&l->v);
	vec_free(&l->notes);
	arena_release(&l->arena);
}

/* ---- unique names ---- */

static bool is_taken(const struct probe_events *l, size_t n, const struct trace_probes *taken, const char *group, const char *event)
{
	if (taken && trace_probes_find(taken, group, event))
		return true;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(l->v.items[i].trace.group, group) && !strcmp(l->v.items[i].trace.event, event))
			return true;
	return false;
}

static bool stands_for_same(const struct probe_events *l, size_t n, const char *group, const char *event)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(l->v.items[i].trace.group, group) && !strcmp(l->v.items[i].trace.event, event))
			return true;
	return false;
}

int probe_events_name(struct probe_events *l, const struct trace_probes *taken, bool force, struct err *e)
{
	for (size_t i = 0; i < l->v.len; i++) {
		struct trace_probe *t = &l->v.items[i].trace;
		const char *base = t->event;

		if (!is_taken(l, i, taken, t->group, base))
			continue;
		/* copies of one definition count on; what was there before is a clash */
		if (!force && !stands_for_same(l, i, t->group, base)) {
			err_set(e, "Error: event \"%s\" already exists.", base);
			err_why(e, "Hint: Remove existing event by '%s probe -d'\n       or force duplicates by '%s probe -f'", tool_name, tool_name);
			err_try(e, "-d %s:%s, or -f", t->group, base);
			return err_exit(e, EXISTS);
		}
		for (unsigned n = 1; is_taken(l, i, taken, t->group, t->event); n++) {
			if (n == MAX_COPIES) {
				err_set(e, "Too many events are on the same function.");
				return err_exit(e, 249);
			}
			t->event = arena_printf(&l->arena, "%.58s_%u", base, n);
		}
	}
	return 0;
}

int probe_events_add(struct probe_events *l, struct err *e)
{
	for (size_t i = 0; i < l->v.len; i++) {
		struct probe_event *event = &l->v.items[i];

		if (trace_probe_add(&event->trace, e) == 0) {
			event->added = true;
			continue;
		}
		for (size_t j = i; j--;) {	/* what was added by this command, and nothing else */
			const struct trace_probe *t = &l->v.items[j].trace;

			trace_probe_remove(t->group, t->event, t->path != NULL, NULL);
			l->v.items[j].added = false;
		}
		return -1;
	}
	return 0;
}
