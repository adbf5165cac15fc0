#include "probe/fetch_priv.h"

#include <ctype.h>

#include "base/opt.h"
#include "base/out.h"
#include "probe/registers_priv.h"

enum { MAX_ARRAY = 64 };

static void debug_describe(void *of, uint32_t type, struct type_info *t) { debug_type(of, type, t); }
static bool debug_find_member(void *of, uint32_t type, const char *name, struct type_member *m)
{
	return debug_member(of, type, name, m);
}
static size_t debug_list_members(void *of, uint32_t type, const char **names, size_t max)
{
	return debug_member_names(of, type, names, max);
}
static uint32_t debug_find_type(void *of, uint32_t function, const char *name)
{
	return debug_named_type(of, function, name);
}

struct type_source types_of_debug(struct debug *d)
{
	return (struct type_source){ d, debug_describe, debug_find_member, debug_list_members, debug_find_type };
}

/* The value of an argument while members and indexes are applied. */
struct fetch_value {
	struct fetch_place place;
	uint32_t type;
	struct type_info info;
	struct type_member bits; /* bit_size 0 = no bitfield */
};

static void set_type(const struct fetch *f, struct fetch_value *v, uint32_t type)
{
	v->type = type;
	f->types.describe(f->types.of, type, &v->info);
}

static bool in_memory(const struct fetch_value *v) { return v->place.n || v->place.base == FETCH_STATIC; }

static void move(struct fetch_value *v, int64_t by)
{
	if (v->place.n)
		v->place.through[v->place.n - 1] = (int64_t)((uint64_t)v->place.through[v->place.n - 1] + (uint64_t)by);
	else
		v->place.offset += (uint64_t)by;
}

static int follow(struct fetch_value *v, int64_t offset, const struct probe_arg *arg, struct err *e)
{
	if (v->place.n == ARRAY_SIZE(v->place.through)) {
		err_set(e, "'%s' goes through too many pointers", arg->text);
		return err_exit(e, EXIT_INVALID);
	}
	v->place.through[v->place.n++] = offset;
	return 0;
}

static int no_member(const struct fetch *f, const struct fetch_value *v, const char *holder, uint32_t type,
		     const char *name, struct err *e)
{
	const char *names[257], *near;
	size_t n = f->types.member_names(f->types.of, type, names, 256);
	struct out o;

	names[n] = NULL;
	err_set(e, "%s(type:%s) has no member %s.", holder, v->info.name ? v->info.name : "struct", name);
	near = opt_nearest(name, names);
	out_init_mem(&o);
	for (size_t i = 0; i < MIN(n, (size_t)12); i++)
		out_fmt(&o, "%s%s", i ? ", " : "", names[i]);
	if (near)
		err_try(e, "%s", near);
	else if (n)
		err_try(e, "one of: %s%s", out_text(&o), n > 12 ? " ..." : "");
	out_release(&o);
	return err_exit(e, EXIT_NOT_FOUND);
}

static int apply_member(const struct fetch *f, struct fetch_value *v, const struct probe_arg *arg,
			const struct probe_field *field, struct err *e)
{
	struct type_member m;
	uint32_t holder = v->type;

	if (v->info.kind == TYPE_POINTER) {
		if (!field->through) {
			err_set(e, "Semantic error: %s must be referred by '->'", field->name);
			return err_exit(e, EXIT_INVALID);
		}
		holder = v->info.target;
		if (follow(v, 0, arg, e) < 0)
			return -1;
		f->types.describe(f->types.of, holder, &v->info);
	} else if (field->through && v->info.kind != TYPE_ARRAY) {
		err_set(e, "Semantic error: %s must be referred by '.'", field->name);
		return err_exit(e, EXIT_INVALID);
	}
	if (v->info.kind != TYPE_STRUCT && v->info.kind != TYPE_UNION) {
		err_set(e, "'%s' is no struct, so it has no member '%s'", arg->variable, field->name);
		return err_exit(e, EXIT_INVALID);
	}
	if (!f->types.member(f->types.of, holder, field->name, &m))
		return no_member(f, v, field > arg->fields.items && field[-1].name ? field[-1].name : arg->variable,
				 holder, field->name, e);
	if (!in_memory(v)) {
		if (m.offset || m.bit_size) {
			err_set(e, "'%s' is a struct kept in a register: only its first member can be fetched",
				arg->variable);
			return err_exit(e, EXIT_UNSUPPORTED);
		}
	} else {
		move(v, (int64_t)m.offset);
	}
	v->bits = m;
	set_type(f, v, m.type);
	return 0;
}

static int apply_index(const struct fetch *f, struct fetch_value *v, const struct probe_arg *arg, int64_t index,
		       struct err *e)
{
	struct type_info element;
	bool pointer = v->info.kind == TYPE_POINTER;
	uint32_t target = v->info.target;
	int64_t offset;

	if (!pointer && v->info.kind != TYPE_ARRAY) {
		err_set(e, "'%s' is no array or pointer: it has no [%lld]", arg->variable, (long long)index);
		return err_exit(e, EXIT_INVALID);
	}
	if (!pointer && v->info.length && (index < 0 || (uint64_t)index >= v->info.length)) {
		err_set(e, "[%lld] lies outside of '%s', which has %llu elements", (long long)index, arg->text,
			(unsigned long long)v->info.length);
		return err_exit(e, EXIT_INVALID);
	}
	f->types.describe(f->types.of, target, &element);
	if (__builtin_mul_overflow(index, (int64_t)element.size, &offset) || !element.size) {
		err_set(e, "the elements of '%s' have no known size", arg->text);
		return err_exit(e, EXIT_INVALID);
	}
	if (pointer) {
		if (follow(v, offset, arg, e) < 0)
			return -1;
	} else if (in_memory(v)) {
		move(v, offset);
	} else {
		err_set(e, "'%s' is kept in registers and cannot be indexed", arg->variable);
		return err_exit(e, EXIT_UNSUPPORTED);
	}
	v->bits.bit_size = 0;
	set_type(f, v, target);
	return 0;
}

/* ---- text ---- */

static char *place_text(const struct fetch *f, const struct probe_arg *arg, const struct fetch_place *p)
{
	const char *user = arg->user ? "u" : "";
	struct out o;
	char *text;

	out_init_mem(&o);
	for (unsigned i = p->n; i--;) {
		uint64_t offset = (uint64_t)p->through[i];
		bool negative = p->through[i] < 0;

		out_fmt(&o, "%c%s%llu(", negative ? '-' : '+', user,
			(unsigned long long)(negative ? 0 - offset : offset));
	}
	switch (p->base) {
	case FETCH_REGISTER: out_str(&o, p->reg); break;
	case FETCH_CONSTANT: out_fmt(&o, "\\%lld", (long long)p->offset); break;
	case FETCH_RETURN: out_str(&o, "$retval"); break;
	case FETCH_STATIC:
		if (p->symbol)
			out_fmt(&o, "@%s+%lld", p->symbol, (long long)p->offset);
		else
			out_fmt(&o, "@%s0x%llx", f->user ? "+" : "", (unsigned long long)p->offset);
	}
	out_pad(&o, ')', p->n);
	text = arena_strdup(f->arena, out_text(&o));
	out_release(&o);
	return text;
}

/* Return "s32" for a number of that many bytes; NULL when the kernel has no such type. */
static const char *number_type(const struct fetch *f, uint64_t size, char letter)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return NULL;
	return arena_printf(f->arena, "%c%llu", letter, (unsigned long long)size * 8);
}

static char sign_letter(const struct type_info *t) { return t->is_signed ? 's' : trace_abilities()->hex ? 'x' : 'u'; }

static bool is_text(const struct fetch *f, uint32_t type)
{
	struct type_info t;

	f->types.describe(f->types.of, type, &t);
	return t.kind == TYPE_CHAR || (t.size == 1 && (t.kind == TYPE_SIGNED || t.kind == TYPE_UNSIGNED));
}

/*
 * Return the type of an array without index: a text if its items are characters, else its numbers.
 */
static const char *array_type(const struct fetch *f, const struct fetch_value *v)
{
	struct type_info element;
	const char *one;

	if (is_text(f, v->info.target))
		return "string";
	f->types.describe(f->types.of, v->info.target, &element);
	one = element.kind == TYPE_STRUCT || element.kind == TYPE_UNION || element.kind == TYPE_ARRAY
		      ? NULL
		      : number_type(f, element.size, sign_letter(&element));
	if (!one || !v->info.length)
		return NULL;
	return arena_printf(f->arena, "%s[%llu]", one, (unsigned long long)MIN(v->info.length, (uint64_t)MAX_ARRAY));
}

/* Choose the type of a value when the definition gives none. */
static int natural_type(const struct fetch *f, const struct probe_arg *arg, struct fetch_value *v, const char **type,
			struct err *e)
{
	const char *names[8];
	size_t n;

	switch (v->info.kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		n = f->types.member_names(f->types.of, v->type, names, ARRAY_SIZE(names));
		err_set(e, "'%s' is a struct: it has no single value", arg->text);
		err_try(e, "name a member%s%s%s%s", n ? ", e.g. " : "", n ? arg->text : "", n ? "." : "",
			n ? names[0] : "");
		return err_exit(e, EXIT_INVALID);
	case TYPE_NONE:
	case TYPE_FUNCTION: *type = NULL; return 0;
	case TYPE_ARRAY: *type = in_memory(v) ? array_type(f, v) : NULL; return 0;
	default:
		if (v->bits.bit_size)
			*type = arena_printf(f->arena, "b%u@%u/%u", v->bits.bit_size, v->bits.bit_offset,
					     v->bits.container * 8);
		else
			*type = number_type(f, v->info.size,
					    v->info.kind == TYPE_POINTER ? (trace_abilities()->hex ? 'x' : 'u')
									 : sign_letter(&v->info));
		if (!*type) {
			err_set(e, "'%s' has %llu bytes, which the kernel cannot fetch as a number", arg->text,
				(unsigned long long)v->info.size);
			err_try(e, "%s:x64 for the first eight", arg->text);
			return err_exit(e, EXIT_UNSUPPORTED);
		}
		return 0;
	}
}

static bool is_string_type(const char *t) { return !strcmp(t, "string") || !strcmp(t, "ustring"); }

static int given_type(const struct fetch *f, const struct probe_arg *arg, struct fetch_value *v, const char **type,
		      struct err *e)
{
	const char *t = arg->type;

	if (is_string_type(t)) {
		if (v->info.kind == TYPE_POINTER)
			return follow(v, 0, arg, e);
		if (v->info.kind == TYPE_ARRAY && in_memory(v))
			return 0;
		err_set(e, "'%s' is no text: %s needs a pointer or an array of characters", arg->variable, t);
		return err_exit(e, EXIT_INVALID);
	}
	if (!t[1] && strchr("sux", *t)) { /* the variable gives the size */
		*type = number_type(f, v->info.size, *t);
		if (*type)
			return 0;
		err_set(e, "'%s' has %llu bytes, which is no size of a number", arg->text,
			(unsigned long long)v->info.size);
		return err_exit(e, EXIT_INVALID);
	}
	return 0;
}

const char *fetch_name(const struct probe_arg *arg, struct arena *arena)
{
	const char *last = NULL;
	char *name;

	if (arg->name)
		return arg->name;
	if (!arg->variable)
		return NULL;
	for (size_t i = 0; i < arg->fields.len; i++)
		if (arg->fields.items[i].name)
			last = arg->fields.items[i].name;
	if (last)
		return last;
	if (arg->fields.len || !arg->type)
		return arg->variable;
	/* perf's form of the name: "filename:string" */
	name = arena_printf(arena, "%s_%s", arg->variable, arg->type);
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return name;
}

bool fetch_is_plain(const struct fetch *f, uint32_t type)
{
	struct type_info t;

	f->types.describe(f->types.of, type, &t);
	return t.kind != TYPE_STRUCT && t.kind != TYPE_UNION && t.kind != TYPE_NONE && t.kind != TYPE_FUNCTION &&
	       (t.kind == TYPE_ARRAY || t.size <= 8);
}

int fetch_variable(const struct fetch *f, const struct probe_arg *arg, const struct fetch_variable *var,
		   struct trace_arg *a, struct err *e)
{
	struct fetch_value v = { .place = var->place };
	const char *type = arg->type;
	uint32_t start = var->type;

	set_type(f, &v, start);
	if (arg->cast) {
		uint32_t named = f->types.named ? f->types.named(f->types.of, f->function, arg->cast) : 0;

		if (!named) {
			err_set(e, "there is no struct '%s' to cast '%s' to", arg->cast, arg->variable);
			return err_exit(e, EXIT_NOT_FOUND);
		}
		v.info = (struct type_info){ .kind = TYPE_POINTER, .size = 8, .target = named };
	}
	for (size_t i = 0; i < arg->fields.len; i++) {
		const struct probe_field *field = &arg->fields.items[i];

		if (v.place.base == FETCH_CONSTANT) {
			err_set(e, "'%s' is a constant here: it has no members", arg->variable);
			return err_exit(e, EXIT_UNSUPPORTED);
		}
		if (field->name ? apply_member(f, &v, arg, field, e) < 0 : apply_index(f, &v, arg, field->index, e) < 0)
			return -1;
	}
	if (type ? given_type(f, arg, &v, &type, e) < 0 : natural_type(f, arg, &v, &type, e) < 0)
		return -1;
	a->name = fetch_name(arg, f->arena);
	a->fetch = place_text(f, arg, &v.place);
	if (type)
		a->fetch = arena_printf(f->arena, "%s:%s", a->fetch, type);
	return 0;
}
