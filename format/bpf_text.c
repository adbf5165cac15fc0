#include "base/bytes.h"
#include "base/hash.h"
#include "format/features_priv.h"
#include "format/reader.h"

/*
 * Print BPF programs and their BTF type tables from the feature sections. Both exist only in the
 * recorder's byte order. An entry of a program is {u32 info_len, u32 data_len, u64 arrays}, then
 * info_len bytes of the kernel's struct bpf_prog_info, then data_len bytes of the arrays that it
 * points at; its pointers are offsets into them. Sources: strobe.data(5), "Features"; linux/bpf.h,
 * struct bpf_prog_info; Documentation/bpf/btf.rst.
 */
enum { /* offsets in struct bpf_prog_info */
       INFO_ID = 4,
       INFO_NAME = 64,
       INFO_N_KSYMS = 104,
       INFO_N_FUNC_LENS = 108,
       INFO_KSYMS = 112,
       INFO_FUNC_LENS = 120,
       INFO_BTF_ID = 128,
       INFO_FUNC_INFO_SIZE = 132,
       INFO_FUNC_INFO = 136,
       INFO_N_FUNC_INFO = 144,
       INFO_N_TAGS = 180,
       INFO_TAGS = 184,
       INFO_LEAST = 192,
};
struct bpf_program {
	uint32_t id;
	const uint8_t *info, *data;
	uint32_t data_len;
};
struct programs {
	VEC(struct bpf_program);
};

static struct programs take_programs(const struct perfdata *pd)
{
	const struct feature_raw *raw = &pd->features.bpf_prog_info;
	struct bytes b = bytes_of(raw->data, pd->swap ? 0 : raw->size, false);
	uint32_t n = bytes_u32(&b);
	struct programs list = { 0 };

	for (uint32_t i = 0; i < n && !b.bad; i++) {
		uint32_t info_len = bytes_u32(&b);
		struct bpf_program p = { .data_len = bytes_u32(&b) };

		bytes_u64(&b); /* which arrays are present; an absent array has no entries */
		p.info = bytes_take(&b, info_len);
		p.data = bytes_take(&b, p.data_len);
		if (!p.data || info_len < INFO_LEAST)
			continue;
		p.id = load_u32(p.info + INFO_ID);
		vec_push(&list, p);
	}
	return list;
}

/*
 * Return entry i of an array with `size` bytes per entry; NULL when the program has no such entry.
 */
static const uint8_t *array_entry(const struct bpf_program *p, unsigned offset_at, unsigned count_at, uint32_t size,
				  uint32_t i)
{
	uint64_t offset = load_u64(p->info + offset_at), end = ((uint64_t)i + 1) * size;

	if (i >= load_u32(p->info + count_at) || offset > p->data_len || end > p->data_len - offset)
		return NULL;
	return p->data + offset + end - size;
}

/* Return the number of bytes behind the 12-byte head of a BTF type; -1 for unknown kinds. */
static int64_t btf_tail(uint32_t info)
{
	uint32_t kind = info >> 24 & 0x1f, n = info & 0xffff;

	switch (kind) {
	case 1:
	case 14:
	case 17: /* INT, VAR, DECL_TAG */ return 4;
	case 2:
	case 7:
	case 8:
	case 9:
	case 10:
	case 11:
	case 12:
	case 16:
	case 18: /* no tail */ return 0;
	case 3: /* ARRAY */ return 12;
	case 4:
	case 5:
	case 15:
	case 19: /* STRUCT, UNION, DATASEC, ENUM64 */ return 12 * (int64_t)n;
	case 6:
	case 13: /* ENUM, FUNC_PROTO */ return 8 * (int64_t)n;
	default: return -1;
	}
}

/*
 * One type table, parsed once: where the name of each type (numbered from 1) lies in its strings.
 */
struct btf {
	uint32_t id;
	struct bytes strings;
	VEC(uint32_t) names;
};
struct btfs {
	VEC(struct btf);
	struct u64map by_id;
};

static void btf_read(struct btf *t, struct bytes b)
{
	const uint8_t *start = b.at;
	uint32_t head_len, types_off, types_len, strings_off, strings_len;
	struct bytes types;

	bytes_take(&b, 4); /* magic, version, flags */
	head_len = bytes_u32(&b);
	types_off = bytes_u32(&b);
	types_len = bytes_u32(&b);
	strings_off = bytes_u32(&b);
	strings_len = bytes_u32(&b);
	types = t->strings = bytes_of(start, b.bad ? 0 : (size_t)(b.end - start), false);
	bytes_take(&types, (uint64_t)head_len + types_off);
	types.end = types.at + MIN(types_len, bytes_left(&types));
	bytes_take(&t->strings, (uint64_t)head_len + strings_off);
	t->strings.end = t->strings.at + MIN(strings_len, bytes_left(&t->strings));
	while (!types.bad && bytes_left(&types) >= 12) {
		uint32_t name = bytes_u32(&types);
		int64_t tail = btf_tail(bytes_u32(&types));

		bytes_take(&types, tail < 0 ? UINT64_MAX : (uint64_t)tail + 4);
		if (!types.bad)
			vec_push(&t->names, name);
	}
}

static struct btfs take_btfs(const struct perfdata *pd)
{
	const struct feature_raw *raw = &pd->features.bpf_btf;
	struct bytes b = bytes_of(raw->data, pd->swap ? 0 : raw->size, false);
	uint32_t n = bytes_u32(&b);
	struct btfs list = { 0 };

	for (uint32_t i = 0; i < n && !b.bad; i++) {
		struct btf t = { .id = bytes_u32(&b) };
		uint32_t size = bytes_u32(&b);
		const uint8_t *data = bytes_take(&b, size);

		if (!data)
			break;
		btf_read(&t, bytes_of(data, size, false));
		vec_push(&list, t);
		*u64map_put(&list.by_id, t.id, NULL) = (uint32_t)list.len;
	}
	return list;
}

static void release_btfs(struct btfs *list)
{
	for (size_t i = 0; i < list->len; i++)
		vec_free(&list->items[i].names);
	u64map_free(&list->by_id);
	vec_free(list);
}

/*
 * Return the name as a view of at most *len bytes, maybe without a NUL; NULL if the type has no
 * name.
 */
static const char *btf_name(const struct btfs *list, uint32_t id, uint32_t type, size_t *len)
{
	const uint32_t *at = u64map_find(&list->by_id, id);
	const struct btf *t = at ? &list->items[*at - 1] : NULL;
	struct bytes name;

	if (!t || !type || type > t->names.len)
		return NULL;
	name = t->strings;
	if (!t->names.items[type - 1] || !bytes_take(&name, t->names.items[type - 1]))
		return NULL;
	*len = bytes_left(&name);
	return (const char *)name.at;
}

enum { NAME_MAX_LEN = 255, FUNCTIONS_MAX = 256 /* the kernel's limit for one program */ };

static void print_function_name(const struct btfs *btfs, const struct bpf_program *p, uint32_t i, uint32_t n,
				struct out *o)
{
	uint32_t size = load_u32(p->info + INFO_FUNC_INFO_SIZE);
	const uint8_t *info = size >= 8 ? array_entry(p, INFO_FUNC_INFO, INFO_N_FUNC_INFO, size, i) : NULL;
	const char *stored = (const char *)p->info + INFO_NAME;
	size_t len;
	const char *name = info ? btf_name(btfs, load_u32(p->info + INFO_BTF_ID), load_u32(info + 4), &len) : NULL;

	if (name)
		out_name_len(o, name, MIN(len, NAME_MAX_LEN));
	else if (n == 1 && *stored)
		out_name_len(o, stored, 16);
	else
		out_char(o, 'F');
}

/* Print "bpf_prog_TAG_name addr 0x... size N": the name is the kernel's symbol of the function. */
static void print_function(const struct btfs *btfs, const struct bpf_program *p, uint32_t i, uint32_t n, struct out *o)
{
	const uint8_t *tag = array_entry(p, INFO_TAGS, INFO_N_TAGS, 8, i);
	const uint8_t *address = array_entry(p, INFO_KSYMS, INFO_N_KSYMS, 8, i);
	const uint8_t *size = array_entry(p, INFO_FUNC_LENS, INFO_N_FUNC_LENS, 4, i);

	out_str(o, "bpf_prog_");
	for (int k = 0; tag && k < 8; k++)
		out_hex_pad(o, tag[k], 2, '0');
	out_char(o, '_');
	print_function_name(btfs, p, i, n, o);
	out_fmt(o, " addr 0x%llx size %u\n", address ? (unsigned long long)load_u64(address) : 0,
		size ? load_u32(size) : 0);
}

static void print_program(const struct btfs *btfs, const struct bpf_program *p, struct out *o)
{
	uint32_t n = load_u32(p->info + INFO_N_KSYMS);

	if (!n || n > FUNCTIONS_MAX || n != load_u32(p->info + INFO_N_FUNC_LENS) ||
	    n != load_u32(p->info + INFO_N_TAGS))
		return;
	out_fmt(o, "# bpf_prog_info %u:%s", p->id, n == 1 ? " " : "\n");
	for (uint32_t i = 0; i < n; i++) {
		if (n > 1)
			out_fmt(o, "# \tsub_prog %u: ", i);
		print_function(btfs, p, i, n, o);
	}
}

static int program_order(const void *a, const void *b)
{
	uint32_t x = ((const struct bpf_program *)a)->id, y = ((const struct bpf_program *)b)->id;

	return (x > y) - (x < y);
}

void bpf_print_programs(const struct perfdata *pd, struct out *o)
{
	struct programs list = take_programs(pd);
	struct btfs btfs = take_btfs(pd);

	if (!list.len)
		out_str(o, "# bpf_prog_info empty\n");
	else
		qsort(list.items, list.len, sizeof(*list.items), program_order);
	for (size_t i = 0; i < list.len; i++)
		print_program(&btfs, &list.items[i], o);
	release_btfs(&btfs);
	vec_free(&list);
}

static int id_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void bpf_print_btfs(const struct perfdata *pd, struct out *o)
{
	const struct feature_raw *raw = &pd->features.bpf_btf;
	struct bytes b = bytes_of(raw->data, pd->swap ? 0 : raw->size, false);
	uint32_t n = bytes_u32(&b);
	VEC(uint32_t) ids = { 0 };

	for (uint32_t i = 0; i < n && !b.bad; i++) {
		uint32_t id = bytes_u32(&b), size = bytes_u32(&b);

		if (bytes_take(&b, size))
			vec_push(&ids, id);
	}
	if (!ids.len)
		out_str(o, "# btf info empty\n");
	else
		qsort(ids.items, ids.len, sizeof(*ids.items), id_order);
	for (size_t i = 0; i < ids.len; i++)
		out_fmt(o, "# btf info of id %u\n", ids.items[i]);
	vec_free(&ids);
}
