#include "report/trace/types_priv.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/bytes.h"
#include "base/mem.h"

/* Limits, because damaged types could contain themselves. */
enum { DEPTH_MOST = 16, ELEMENTS_MOST = 64 };

/* Members that the headers declare as numbers, but whose values are an enum's. To add one, write member and enum. */
static const struct {
	const char *member, *type;
} numbers_of_enums[] = {
	{ "map_type", "enum bpf_map_type" },
	{ "prog_type", "enum bpf_prog_type" },
	{ "attach_type", "enum bpf_attach_type" },
	{ "expected_attach_type", "enum bpf_attach_type" },
};

struct kernel_types {
	struct btf *btf;
	uint32_t enums[ARRAY_SIZE(numbers_of_enums)]; /* 0: not looked for yet, or there is none */
};

static int silent(enum libbpf_print_level level, const char *text, va_list ap) { return 0; }

struct kernel_types *kernel_types_open(const char *path)
{
	struct kernel_types *types;
	struct btf *btf;

	libbpf_set_print(silent);
	btf = btf__parse(path ? path : "/sys/kernel/btf/vmlinux", NULL);
	if (libbpf_get_error(btf))
		return NULL;
	types = xcalloc(1, sizeof(*types));
	types->btf = btf;
	return types;
}

void kernel_types_close(struct kernel_types *types)
{
	if (!types)
		return;
	btf__free(types->btf);
	free(types);
}

static bool is_enum(const struct btf_type *t) { return btf_is_enum(t) || btf_is_enum64(t); }

uint32_t kernel_type_find(const struct kernel_types *types, const char *name, uint32_t *size)
{
	bool of_struct = !strncmp(name, "struct ", 7), of_union = !strncmp(name, "union ", 6);
	__u32 n = btf__type_cnt(types->btf);

	name = strchr(name, ' ');
	for (__u32 id = 1; name && id < n; id++) {
		const struct btf_type *t = btf__type_by_id(types->btf, id);

		if (!(of_struct  ? btf_is_struct(t)
		      : of_union ? btf_is_union(t)
				 : is_enum(t)) ||
		    strcmp(btf__name_by_offset(types->btf, t->name_off), name + 1) != 0)
			continue;
		*size = t->size;
		return id;
	}
	return 0;
}

/* ---- printing ---- */

struct type_printing {
	struct kernel_types *types;
	const struct btf *btf;
	const uint8_t *bytes;
	size_t len;
	const char *of_union; /* choose the alternative with this member */
	bool zeros;
	struct out *out;
	unsigned depth;
};

/* Return a type without its typedefs and qualifiers. */
static const struct btf_type *plain(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	for (unsigned i = 0; t && i < DEPTH_MOST && (btf_is_mod(t) || btf_is_typedef(t)); i++)
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* Read bits from `bit` on; they lie in `size` bytes. */
static uint64_t number_at(const struct type_printing *p, uint64_t bit, unsigned size, unsigned bits)
{
	const uint8_t *at = p->bytes + bit / 8;
	uint64_t value = 0;

	if (bits) { /* a field of bits: it lies in the bytes around it */
		for (unsigned i = 0; i < bits; i++) {
			uint64_t from = bit + i;

			if (from / 8 < p->len)
				value |= (uint64_t)(p->bytes[from / 8] >> from % 8 & 1) << i;
		}
		return value;
	}
	switch (size) {
	case 1: return *at;
	case 2: return load_u16(at);
	case 4: return load_u32(at);
	case 8: return load_u64(at);
	default: return 0;
	}
}

static int64_t with_sign(uint64_t value, unsigned bits)
{
	return bits >= 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static void print_type(const struct type_printing *p, const struct btf_type *t, uint64_t bit, unsigned bits);

static bool is_zero(const struct type_printing *p, uint64_t bit, uint64_t size, unsigned bits)
{
	if (bits)
		return !number_at(p, bit, 0, bits);
	for (uint64_t at = bit / 8; at < bit / 8 + size && at < p->len; at++)
		if (p->bytes[at])
			return false;
	return true;
}

static uint64_t size_of(const struct btf *btf, __u32 id)
{
	long long size = btf__resolve_size(btf, id);

	return size > 0 ? (uint64_t)size : 0;
}

static const char *enum_name(const struct btf *btf, const struct btf_type *t, int64_t value)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		if (btf_is_enum64(t) ? (int64_t)btf_enum64_value(btf_enum64(t) + i) == value
				     : btf_enum(t)[i].val == (__s32)value)
			return btf__name_by_offset(btf, btf_is_enum64(t) ? btf_enum64(t)[i].name_off
									 : btf_enum(t)[i].name_off);
	}
	return NULL;
}

/* Print what the member's type does not show: a pointer that a union keeps as a number, or the name of a number. */
static bool print_by_name(const struct type_printing *p, const char *name, __u32 id, uint64_t bit)
{
	const char *value = NULL;
	uint32_t size;

	if (p->of_union && size_of(p->btf, id) == 8 && number_at(p, bit, 8, 0) > UINT32_MAX) {
		out_fmt(p->out, "%#llx", (unsigned long long)number_at(p, bit, 8, 0));
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers_of_enums) && !value; i++) {
		uint32_t *type = &p->types->enums[i];

		if (strcmp(name, numbers_of_enums[i].member) || size_of(p->btf, id) != 4)
			continue;
		if (!*type)
			*type = kernel_type_find(p->types, numbers_of_enums[i].type, &size);
		value = *type ? kernel_enum_name(p->types, *type, (int64_t)number_at(p, bit, 4, 0)) : NULL;
	}
	if (value)
		out_name(p->out, value);
	return value;
}

/* Return true if the type has this member, also within structs and unions without a name. */
static bool has_member(const struct btf *btf, const struct btf_type *t, const char *name, unsigned depth)
{
	for (unsigned i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *own = btf__name_by_offset(btf, m->name_off);

		if (!strcmp(own, name) || (!*own && depth && has_member(btf, plain(btf, m->type), name, depth - 1)))
			return true;
	}
	return false;
}

/* Is this an alternative of a union that we do not print? We print the wanted one, or, if there is none, the first. */
static bool is_other_alternative(const struct type_printing *p, const struct btf_type *t, unsigned i)
{
	const char *name = btf__name_by_offset(p->btf, btf_members(t)[i].name_off);

	if (!p->of_union || !btf_is_union(t))
		return false;
	return has_member(p->btf, t, p->of_union, 0) ? strcmp(name, p->of_union) != 0 : i > 0;
}

/* Print members of anonymous structs and unions as members of the enclosing type. */
static void print_members(const struct type_printing *p, const struct btf_type *t, uint64_t bit, bool *more)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const struct btf_type *type = plain(p->btf, m->type);
		const char *name = btf__name_by_offset(p->btf, m->name_off);
		uint64_t at = bit + btf_member_bit_offset(t, i), size = size_of(p->btf, m->type);
		unsigned bits = btf_member_bitfield_size(t, i);
		struct type_printing inner = *p;

		if (is_other_alternative(p, t, i))
			continue;
		if (!type || (at + (bits ? bits : 8 * size) + 7) / 8 > p->len || ++inner.depth > DEPTH_MOST)
			continue;
		if (!*name && btf_is_composite(type)) {
			print_members(&inner, type, at, more);
			continue;
		}
		if (!*name || !size || (!p->zeros && is_zero(p, at, size, bits)))
			continue;
		out_str(p->out, *more ? ", ." : ".");
		*more = true;
		out_name(p->out, name);
		out_str(p->out, ": ");
		if (bits || !print_by_name(p, name, m->type, at))
			print_type(&inner, type, at, bits);
	}
}

static void print_array(const struct type_printing *p, const struct btf_type *t, uint64_t bit)
{
	const struct btf_array *array = btf_array(t);
	const struct btf_type *type = plain(p->btf, array->type);
	uint64_t size = size_of(p->btf, array->type);
	struct type_printing inner = *p;

	if (!type || !size || ++inner.depth > DEPTH_MOST)
		return;
	if (btf_is_int(type) && size == 1) {
		const char *text = (const char *)p->bytes + bit / 8;

		out_char(p->out, '"');
		out_name_len(p->out, text, strnlen(text, array->nelems));
		out_char(p->out, '"');
		return;
	}
	out_char(p->out, '[');
	for (uint32_t i = 0; i < array->nelems && i < ELEMENTS_MOST; i++) {
		out_str(p->out, i ? ", " : "");
		print_type(&inner, type, bit + 8 * i * size, 0);
	}
	out_str(p->out, array->nelems > ELEMENTS_MOST ? ", ...]" : "]");
}

static void print_number(const struct type_printing *p, const struct btf_type *t, uint64_t bit, unsigned bits)
{
	uint64_t value = number_at(p, bit, t->size, bits);
	bool sign = btf_is_int(t) ? btf_int_encoding(t) & BTF_INT_SIGNED : btf_kflag(t);
	int64_t number = with_sign(value, bits ? bits : 8 * t->size);
	const char *name = is_enum(t) ? enum_name(p->btf, t, sign ? number : (int64_t)value) : NULL;

	if (name)
		out_name(p->out, name);
	else if (sign)
		out_i64(p->out, number);
	else
		out_u64(p->out, value);
}

static void print_type(const struct type_printing *p, const struct btf_type *t, uint64_t bit, unsigned bits)
{
	bool more = false;

	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		out_str(p->out, "{ ");
		print_members(p, t, bit, &more);
		out_str(p->out, more ? " }" : "}");
		return;
	case BTF_KIND_ARRAY: print_array(p, t, bit); return;
	case BTF_KIND_PTR: out_fmt(p->out, "%#llx", (unsigned long long)number_at(p, bit, 8, 0)); return;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: print_number(p, t, bit, bits); return;
	default: out_char(p->out, '?');
	}
}

/* Return the length from a first or second member called size: structs that grow with kernel versions have one. */
static size_t told_length(const struct type_printing *p, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t) && i < 2; i++) {
		const struct btf_member *m = btf_members(t) + i;
		const struct btf_type *type = plain(p->btf, m->type);
		uint64_t bit = btf_member_bit_offset(t, i);

		if (!strcmp(btf__name_by_offset(p->btf, m->name_off), "size") && type && btf_is_int(type) &&
		    type->size == 4 && bit / 8 + 4 <= p->len) {
			uint64_t told = number_at(p, bit, 4, 0);

			return told ? MIN(told, p->len) : p->len;
		}
	}
	return p->len;
}

/* Find the alternative of a union with this member: a struct of this name, or an unnamed one that contains it. */
static const struct btf_type *part_of_union(const struct btf *btf, const struct btf_type *t, const char *member)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const struct btf_type *part = plain(btf, m->type);
		const char *name = btf__name_by_offset(btf, m->name_off);

		if (!part || !btf_is_composite(part))
			continue;
		if (!strcmp(name, member) || (!*name && has_member(btf, part, member, DEPTH_MOST)))
			return part;
	}
	return NULL;
}

void kernel_type_print(struct kernel_types *types, uint32_t id, const uint8_t *bytes, size_t len, const char *of_union,
		       bool zeros, struct out *o)
{
	struct type_printing p = { types, types->btf, bytes, len, NULL, zeros, o, 0 };
	const struct btf_type *t = btf__type_by_id(types->btf, id), *part = NULL;
	bool more = false;

	if (of_union && btf_is_union(t))
		part = part_of_union(types->btf, t, of_union);
	if (part) {
		p.of_union = of_union;
		t = part;
	}
	p.len = told_length(&p, t);
	out_str(o, "{ ");
	print_members(&p, t, 0, &more);
	if (p.len < t->size && len < t->size)
		out_str(o, more ? ", ..." : "...");
	out_str(o, more || (p.len < t->size && len < t->size) ? " }" : "}");
}

const char *kernel_enum_name(const struct kernel_types *types, uint32_t id, int64_t value)
{
	const struct btf_type *t = btf__type_by_id(types->btf, id);

	return t && is_enum(t) ? enum_name(types->btf, t, value) : NULL;
}
