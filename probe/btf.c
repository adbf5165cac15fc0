/*
 * Types of the running kernel, for use without debug information. Source: Documentation/bpf/btf.rst
 * of the kernel; the psABI of each machine for the places of parameters.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "base/out.h"
#include "probe/kernel_priv.h"
#include "probe/registers_priv.h"
#include "symbols/arch/arch.h"

/*
 * Limits for one name, because damaged structs could contain themselves: no kernel struct has so
 * many members.
 */
enum { MAX_STEPS = 64, MAX_MEMBERS = 1 << 14 };

struct btf_types {
	struct btf *base, *own;
};

static int silent(enum libbpf_print_level level, const char *text, va_list ap) { return 0; }

struct btf_types *btf_types_open(const char *module, const char *path, struct err *e)
{
	struct btf_types *b = xcalloc(1, sizeof(*b));
	long bad;

	libbpf_set_print(silent);
	b->base = path ? btf__parse(path, NULL) : btf__parse("/sys/kernel/btf/vmlinux", NULL);
	bad = libbpf_get_error(b->base);
	if (!bad && module) {
		autofree char *file = xasprintf("/sys/kernel/btf/%s", module);

		b->own = btf__parse_split(file, b->base);
		bad = libbpf_get_error(b->own);
		if (bad)
			b->own = NULL;
	} else if (bad) {
		b->base = NULL;
	}
	if (!bad)
		return b;
	btf_types_close(b);
	err_set(e, "the types of %s%s are not known", module ? "module " : "the kernel", module ? module : "");
	err_why(e, "%s", bad == -ENOENT ? "it has no BTF" : strerror((int)-bad));
	err_exit(e, EXIT_NOT_FOUND);
	return NULL;
}

void btf_types_close(struct btf_types *b)
{
	if (!b)
		return;
	btf__free(b->own);
	btf__free(b->base);
	free(b);
}

static const struct btf *all_of(const struct btf_types *b) { return b->own ? b->own : b->base; }

/* Skip typedefs and qualifiers; 0 at void. */
static uint32_t strip(const struct btf_types *b, uint32_t id, bool typedefs)
{
	for (unsigned i = 0; id && i < MAX_STEPS; i++) {
		const struct btf_type *t = btf__type_by_id(all_of(b), id);

		if (!t)
			return 0;
		if (!btf_is_mod(t) && !(typedefs && btf_is_typedef(t)) && btf_kind(t) != BTF_KIND_TYPE_TAG)
			return id;
		id = t->type;
	}
	return 0;
}

static const char *text_of(const struct btf_types *b, uint32_t offset)
{
	const char *text = offset ? btf__name_by_offset(all_of(b), offset) : NULL;

	return text && *text ? text : NULL;
}

static void describe_int(const struct btf_type *t, struct type_info *info)
{
	uint32_t encoding = btf_int_encoding(t);

	info->kind = encoding & BTF_INT_BOOL     ? TYPE_BOOL
		     : encoding & BTF_INT_CHAR   ? TYPE_CHAR
		     : encoding & BTF_INT_SIGNED ? TYPE_SIGNED
						 : TYPE_UNSIGNED;
	info->is_signed = encoding & BTF_INT_SIGNED;
	info->size = t->size;
}

static void describe(void *of, uint32_t id, struct type_info *info)
{
	const struct btf_types *b = of;
	const struct btf_type *t = btf__type_by_id(all_of(b), strip(b, id, true));

	*info = (struct type_info){ 0 };
	if (!t || !strip(b, id, true))
		return;
	info->name = text_of(b, t->name_off);
	switch (btf_kind(t)) {
	case BTF_KIND_INT: describe_int(t, info); return;
	case BTF_KIND_PTR:
		*info = (struct type_info){ .kind = TYPE_POINTER,
					    .size = btf__pointer_size(all_of(b)) ? btf__pointer_size(all_of(b)) : 8,
					    .target = t->type };
		return;
	case BTF_KIND_ARRAY:
		info->kind = TYPE_ARRAY;
		info->target = btf_array(t)->type;
		info->length = btf_array(t)->nelems;
		return;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		info->kind = btf_is_struct(t) ? TYPE_STRUCT : TYPE_UNION;
		info->size = t->size;
		return;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		info->kind = TYPE_ENUM;
		info->size = t->size;
		info->is_signed = btf_kflag(t);
		return;
	case BTF_KIND_FLOAT:
		info->kind = TYPE_FLOAT;
		info->size = t->size;
		return;
	case BTF_KIND_FUNC_PROTO: info->kind = TYPE_FUNCTION;
	}
}

static bool find_member(const struct btf_types *b, uint32_t id, const char *name, unsigned depth, unsigned *left,
			uint64_t base_bits, struct type_member *m)
{
	const struct btf_type *t = btf__type_by_id(all_of(b), strip(b, id, true));

	if (!t || depth == MAX_STEPS || !btf_is_composite(t))
		return false;
	for (uint16_t i = 0; i < btf_vlen(t) && *left; i++) {
		const struct btf_member *member = btf_members(t) + i;
		const char *text = text_of(b, member->name_off);
		uint64_t bits = base_bits + btf_member_bit_offset(t, i);
		uint32_t width = btf_member_bitfield_size(t, i);
		struct type_info info;

		--*left;
		if (!text) {
			if (find_member(b, member->type, name, depth + 1, left, bits, m))
				return true;
			continue;
		}
		if (strcmp(text, name))
			continue;
		describe((void *)b, member->type, &info);
		*m = (struct type_member){ .type = member->type, .offset = bits / 8 };
		if (width && width <= 64) {
			uint32_t container = info.size && info.size <= 8 ? (uint32_t)info.size : 8;

			m->bit_size = width;
			m->container = container;
			m->offset = bits / (8 * container) * container;
			m->bit_offset = (uint32_t)(bits - m->offset * 8);
		}
		return true;
	}
	return false;
}

static bool member(void *of, uint32_t type, const char *name, struct type_member *m)
{
	unsigned left = MAX_MEMBERS;

	return find_member(of, type, name, 0, &left, 0, m);
}

static size_t member_names(void *of, uint32_t type, const char **names, size_t max)
{
	const struct btf_types *b = of;
	const struct btf_type *t = btf__type_by_id(all_of(b), strip(b, type, true));
	size_t n = 0;

	for (uint16_t i = 0; t && btf_is_composite(t) && i < btf_vlen(t) && n < max; i++) {
		const char *text = text_of(b, btf_members(t)[i].name_off);

		if (text)
			names[n++] = text;
	}
	return n;
}

static uint32_t named(void *of, uint32_t function, const char *name)
{
	const struct btf_types *b = of;
	int id = btf__find_by_name_kind(all_of(b), name, BTF_KIND_STRUCT);

	if (id < 0)
		id = btf__find_by_name_kind(all_of(b), name, BTF_KIND_UNION);
	if (id < 0)
		id = btf__find_by_name_kind(all_of(b), name, BTF_KIND_TYPEDEF);
	return id > 0 ? (uint32_t)id : 0;
}

struct type_source types_of_btf(struct btf_types *b)
{
	return (struct type_source){ b, describe, member, member_names, named };
}

static const struct btf_type *prototype(const struct btf_types *b, const char *function)
{
	size_t len = strcspn(function, "."); /* "f.isra.0" */
	autofree char *name = xstrndup(function, len);
	int id = btf__find_by_name_kind(all_of(b), name, BTF_KIND_FUNC);
	const struct btf_type *t = id > 0 ? btf__type_by_id(all_of(b), (uint32_t)id) : NULL;

	t = t ? btf__type_by_id(all_of(b), t->type) : NULL;
	return t && btf_is_func_proto(t) ? t : NULL;
}

bool btf_has_function(struct btf_types *b, const char *function) { return prototype(b, function) != NULL; }

/*
 * Find a parameter behind those in registers: it is a word on the stack, behind the return
 * address if that is there.
 */
static bool on_stack(uint16_t machine, unsigned n, struct fetch_place *place)
{
	const struct arch *a = arch_of_elf(machine);
	unsigned registers = 0;

	if (!a || !a->args_on_stack)
		return false;
	while (register_of_argument(machine, registers))
		registers++;
	*place = (struct fetch_place){ .base = FETCH_REGISTER, .reg = "%sp", .n = 1 };
	place->through[0] = 8 * (int64_t)(n - registers) - a->ret_at_cfa;
	return true;
}

bool btf_parameter(struct btf_types *b, const char *function, unsigned n, uint16_t machine, struct fetch_variable *v,
		   const char **why)
{
	const struct btf_type *proto = prototype(b, function);

	*why = NULL;
	if (!proto || n >= btf_vlen(proto) || !btf_params(proto)[n].type)
		return false;
	for (unsigned i = 0; i <= n; i++) {
		struct type_info t;

		describe(b, btf_params(proto)[i].type, &t);
		if (t.size > 8 || t.kind == TYPE_STRUCT || t.kind == TYPE_UNION || t.kind == TYPE_FLOAT) {
			*why = "it, or a parameter before it, is neither a plain number nor a pointer: without "
			       "debug information its place is unknown";
			break;
		}
	}
	*v = (struct fetch_variable){ .name = text_of(b, btf_params(proto)[n].name_off),
				      .type = btf_params(proto)[n].type };
	v->place = (struct fetch_place){ .base = FETCH_REGISTER, .reg = register_of_argument(machine, n) };
	if (!v->place.reg && !*why && !on_stack(machine, n, &v->place))
		*why = "it lies on the stack";
	if (strchr(function, '.') && !*why)
		*why = "the compiler changed the parameters of this function";
	return true;
}

static void name_type(const struct btf_types *b, uint32_t id, struct out *o, unsigned depth)
{
	const struct btf_type *t = btf__type_by_id(all_of(b), strip(b, id, false));
	const char *text;

	if (!t || !strip(b, id, false) || depth == MAX_STEPS) {
		out_str(o, "void");
		return;
	}
	text = text_of(b, t->name_off);
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		name_type(b, t->type, o, depth + 1);
		out_char(o, '*');
		return;
	case BTF_KIND_ARRAY:
		name_type(b, btf_array(t)->type, o, depth + 1);
		out_char(o, '*');
		return;
	case BTF_KIND_FUNC_PROTO: out_str(o, "(function_type)"); return;
	case BTF_KIND_STRUCT:
	case BTF_KIND_FWD: out_str(o, "struct "); break;
	case BTF_KIND_UNION: out_str(o, "union "); break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: out_str(o, "enum ");
	}
	out_name(o, text ? text : "(unknown)");
}

char *btf_type_name(struct btf_types *b, uint32_t type)
{
	struct out o;
	char *text;

	out_init_mem(&o);
	name_type(b, type, &o, 0);
	text = xstrdup(out_text(&o));
	out_release(&o);
	return text;
}
