/* Keys of the data that the sampled instructions access, as types of the source code. */
#include "report/rows/keys_priv.h"

static const struct access_type *type_of(const struct profile *p, const struct site *s)
{
	static const struct access_type unknown = { .name = "(unknown)" };
	const struct access_type *t = p->types ? &p->types[s - p->sites.items] : &unknown;

	return t->name ? t : &unknown;
}

static const struct access_type *row_type(const struct view *v, const struct row *r)
{
	return type_of(v->fold->profile, fold_site(v->fold, r));
}

static uint64_t type_id(const struct fold *f, const struct site *s)
{
	const char *name = type_of(f->profile, s)->name;

	return hash_bytes(name, strlen(name), 0);
}

static uint64_t type_offset_id(const struct fold *f, const struct site *s)
{
	return hash_mix(type_id(f, s), type_of(f->profile, s)->offset);
}
static uint64_t type_line_id(const struct fold *f, const struct site *s)
{
	return hash_mix(type_id(f, s), type_of(f->profile, s)->offset / CACHE_LINE);
}

static int type_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return strcmp(row_type(v, a)->name, row_type(v, b)->name);
}

static int type_offset_compare(const struct view *v, const struct row *a, const struct row *b)
{
	int order = type_compare(v, a, b);

	return order ? order : order_u64(row_type(v, a)->offset, row_type(v, b)->offset);
}

static int type_line_compare(const struct view *v, const struct row *a, const struct row *b)
{
	int order = type_compare(v, a, b);

	return order ? order : order_u64(row_type(v, a)->offset / CACHE_LINE, row_type(v, b)->offset / CACHE_LINE);
}

static void type_text(const struct view *v, const struct row *r, struct out *o) { out_name(o, row_type(v, r)->name); }

/* Print the offset in hex; 0 without 0x, as perf does. */
static void type_offset_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct access_type *t = row_type(v, r);

	out_name(o, t->name);
	if (t->kind != ACCESS_TYPE)
		return;
	out_fmt(o, " +%#llx (", (unsigned long long)t->offset);
	out_name(o, t->field ? t->field : "no field");
	out_char(o, ')');
}

static void type_line_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct access_type *t = row_type(v, r);

	out_name(o, t->name);
	out_fmt(o, ": cache-line %llu", (unsigned long long)(t->offset / CACHE_LINE));
}

/* ---- the table ---- */

const struct key keys_type[] = { { .name = "type",
				   .title = "Data Type",
				   .from = KEY_SITE,
				   .rank = 74,
				   .site = type_id,
				   .compare = type_compare,
				   .text = type_text,
				   .needs = NEEDS_ADDRESS | NEEDS_TYPE,
				   .fixed = true },
				 { .name = "typeoff",
				   .title = "Data Type Offset",
				   .from = KEY_SITE,
				   .rank = 75,
				   .site = type_offset_id,
				   .compare = type_offset_compare,
				   .text = type_offset_text,
				   .needs = NEEDS_ADDRESS | NEEDS_TYPE,
				   .fixed = true,
				   .ragged = true },
				 { .name = "typecln",
				   .title = "Data Type Cacheline",
				   .from = KEY_SITE,
				   .rank = 76,
				   .site = type_line_id,
				   .compare = type_line_compare,
				   .text = type_line_text,
				   .needs = NEEDS_ADDRESS | NEEDS_TYPE,
				   .fixed = true,
				   .ragged = true },
				 { 0 } };
