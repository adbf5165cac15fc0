/*
 * Import a profile of pprof (profile.proto), compressed with gzip or not. Source of the field numbers:
 * https://github.com/google/pprof/blob/main/proto/profile.proto
 */
#include <limits.h>
#include <zlib.h>

#include "base/encode/protobuf.h"
#include "report/import/import_priv.h"

enum { UNPACKED_MAX = 1 << 30 };

struct bytes_view {
	const uint8_t *p;
	size_t len;
};
struct pprof_type {
	uint64_t name, unit; /* indices into strings */
};
struct pprof_place {
	size_t at; /* names[at .. at + n) */
	uint32_t n;
};
struct pprof_reader {
	struct import *im;
	VEC(struct bytes_view) strings;
	VEC(struct pprof_type) types;
	struct u64map functions, mappings; /* id -> its name in import.texts */
	struct u64map locations;           /* id -> index + 1 into places */
	VEC(struct pprof_place) places;
	VEC(uint32_t) names; /* of the functions at each place, innermost first */
	VEC(uint64_t) ids, values;
};

/* ---- bytes ---- */

static int unpack(const uint8_t *data, size_t len, struct out *to, struct err *e)
{
	enum { ROOM = 1 << 16, ANY_HEADER = 32 + MAX_WBITS };
	z_stream z = { .next_in = (uint8_t *)data };
	size_t left = len;
	int rc = inflateInit2(&z, ANY_HEADER);

	if (rc != Z_OK)
		mem_exhausted(sizeof(z));
	do {
		if (!z.avail_in) {
			z.avail_in = (uInt)MIN(left, (size_t)1 << 30);
			left -= z.avail_in;
		}
		z.next_out = (uint8_t *)out_room(to, ROOM);
		z.avail_out = ROOM;
		rc = inflate(&z, Z_NO_FLUSH);
		to->len += ROOM - z.avail_out;
	} while (rc == Z_OK && to->len < UNPACKED_MAX && (z.avail_in || left || !z.avail_out));
	inflateEnd(&z);
	if (rc == Z_STREAM_END)
		return 0;
	if (to->len >= UNPACKED_MAX)
		return err_set(e, "more than 1 GB when it is unpacked");
	return err_set(e, rc == Z_OK || rc == Z_BUF_ERROR ? "cut short: the packed data has no end"
							  : "damaged: it does not unpack");
}

static int bad_message(struct err *e, const char *what) { return err_set(e, "no pprof profile: %s", what); }

/* Append the numbers of a field: it contains one, or a packed list of them. */
static int take_numbers(const struct proto *field, uint64_t **items, size_t *n, size_t *cap)
{
	struct proto list = proto_of(field->bytes, field->len);
	uint64_t number = field->number;
	int got = 1;

	while (!field->bytes || (got = proto_item(&list, &number)) > 0) {
		if (*n == *cap)
			vec_grow_((void **)items, cap, sizeof(**items), *n + 1);
		(*items)[(*n)++] = number;
		if (!field->bytes)
			break;
	}
	return got < 0 ? -1 : 0;
}

static uint32_t text_of(struct pprof_reader *r, uint64_t string)
{
	if (string >= r->strings.len)
		return 0;
	return strtab_intern_len(&r->im->texts, (const char *)r->strings.items[string].p, r->strings.items[string].len);
}

/* ---- functions and places ---- */

/* Map the id in field 1 of a message to the text of its field `name`. */
static int read_named(struct pprof_reader *r, const struct proto *m, unsigned name, struct u64map *by_id)
{
	struct proto p = proto_of(m->bytes, m->len);
	uint64_t id = 0, string = 0;
	int got;

	while ((got = proto_next(&p)) > 0) {
		if (p.field == 1)
			id = p.number;
		else if (p.field == name)
			string = p.number;
	}
	*u64map_put(by_id, id, NULL) = text_of(r, string);
	return got;
}

/* Return "[libc.so.6]": `collapse` prints this text for addresses without a name. */
static uint32_t name_of_mapping(struct pprof_reader *r, uint64_t mapping)
{
	const uint32_t *file = u64map_find(&r->mappings, mapping);
	const char *path = file ? strtab_get(&r->im->texts, *file) : "", *slash = strrchr(path, '/');
	autofree char *name = NULL;

	name = xasprintf("[%s]", !*path ? "unknown" : slash ? slash + 1 : path);
	return strtab_intern(&r->im->texts, name);
}

static int read_line_of(struct pprof_reader *r, const struct proto *m)
{
	struct proto p = proto_of(m->bytes, m->len);
	const uint32_t *name;
	uint64_t function = 0;
	int got;

	while ((got = proto_next(&p)) > 0)
		if (p.field == 1)
			function = p.number;
	name = u64map_find(&r->functions, function);
	vec_push(&r->names, name && *name ? *name : strtab_intern(&r->im->texts, "[unknown]"));
	return got;
}

static int read_location(struct pprof_reader *r, const struct proto *m)
{
	struct proto p = proto_of(m->bytes, m->len);
	struct pprof_place place = { .at = r->names.len };
	uint64_t id = 0, mapping = 0;
	int got;

	while ((got = proto_next(&p)) > 0) {
		if (p.field == 1)
			id = p.number;
		else if (p.field == 2)
			mapping = p.number;
		else if (p.field == 4 && read_line_of(r, &p) < 0)
			return -1;
	}
	if (r->names.len == place.at)
		vec_push(&r->names, name_of_mapping(r, mapping));
	place.n = (uint32_t)(r->names.len - place.at);
	vec_push(&r->places, place);
	*u64map_put(&r->locations, id, NULL) = (uint32_t)r->places.len;
	return got;
}

static int read_type(struct pprof_reader *r, const struct proto *m)
{
	struct proto p = proto_of(m->bytes, m->len);
	struct pprof_type type = { 0 };
	int got;

	while ((got = proto_next(&p)) > 0) {
		if (p.field == 1)
			type.name = p.number;
		else if (p.field == 2)
			type.unit = p.number;
	}
	vec_push(&r->types, type);
	return got;
}

/* ---- samples ---- */

struct pprof_labels {
	uint32_t comm;
	int32_t pid, tid; /* -1 = unknown */
};

static int32_t id_of(struct pprof_reader *r, uint64_t number, uint32_t text)
{
	uint64_t id = text ? strtoull(strtab_get(&r->im->texts, text), NULL, 10) : number;

	return id > INT32_MAX ? -1 : (int32_t)id;
}

static int read_label(struct pprof_reader *r, const struct proto *m, struct pprof_labels *l)
{
	struct proto p = proto_of(m->bytes, m->len);
	uint64_t key = 0, string = 0, number = 0;
	const char *name;
	int got;

	while ((got = proto_next(&p)) > 0) {
		if (p.field == 1)
			key = p.number;
		else if (p.field == 2)
			string = p.number;
		else if (p.field == 3)
			number = p.number;
	}
	name = strtab_get(&r->im->texts, text_of(r, key));
	if (!strcmp(name, "comm") || !strcmp(name, "thread") || !strcmp(name, "thread_name") ||
	    !strcmp(name, "thread_comm"))
		l->comm = text_of(r, string);
	else if (!strcmp(name, "pid"))
		l->pid = id_of(r, number, text_of(r, string));
	else if (!strcmp(name, "tid") || !strcmp(name, "thread_id"))
		l->tid = id_of(r, number, text_of(r, string));
	return got;
}

static void push_samples(struct pprof_reader *r, const struct pprof_labels *l)
{
	struct import *im = r->im;
	uint32_t comm = l->comm ? l->comm : strtab_intern(&im->texts, "profile");
	int32_t pid = l->pid >= 0 ? l->pid : l->tid >= 0 ? l->tid : (int32_t)MIN(comm, (uint32_t)INT32_MAX);
	struct import_sample s = { .time_ns = UINT64_MAX,
				   .cpu = UINT32_MAX,
				   .at = im->frames.len,
				   .task = import_task(im, comm, pid, l->tid >= 0 ? l->tid : pid) };

	for (size_t i = 0; i < r->ids.len; i++) {
		const uint32_t *known = u64map_find(&r->locations, r->ids.items[i]);
		const struct pprof_place *place = known ? &r->places.items[*known - 1] : NULL;

		for (uint32_t k = 0; place && k < place->n; k++)
			vec_push(&im->frames, r->names.items[place->at + k]);
	}
	s.n = (uint32_t)MIN(im->frames.len - s.at, (size_t)UINT32_MAX);
	for (uint32_t i = 0; i < MIN(r->values.len, r->types.len); i++) {
		uint64_t name = r->types.items[i].name, unit = r->types.items[i].unit;
		const char *units = strtab_get(&im->texts, text_of(r, unit)), *text;

		if (!r->values.items[i])
			continue;
		text = strtab_get(&im->texts, text_of(r, name));
		s.weight = r->values.items[i];
		s.event = import_event(im, *text ? text : "samples", *text ? strlen(text) : 7,
				       !strcmp(units, "nanoseconds"));
		vec_push(&im->samples, s);
	}
}

static int read_sample(struct pprof_reader *r, const struct proto *m)
{
	struct proto p = proto_of(m->bytes, m->len);
	struct pprof_labels labels = { .pid = -1, .tid = -1 };
	int got;

	vec_clear(&r->ids);
	vec_clear(&r->values);
	while ((got = proto_next(&p)) > 0) {
		if (p.field == 1)
			got = take_numbers(&p, &r->ids.items, &r->ids.len, &r->ids.cap);
		else if (p.field == 2)
			got = take_numbers(&p, &r->values.items, &r->values.len, &r->values.cap);
		else if (p.field == 3)
			got = read_label(r, &p, &labels);
		if (got < 0)
			return -1;
	}
	if (!got)
		push_samples(r, &labels);
	return got;
}

/* ---- the message ---- */

/* Read the fields of one pass. We make several passes, because a field may need others that come later. */
static int read_turn(struct pprof_reader *r, const uint8_t *data, size_t len, int turn, struct err *e)
{
	struct proto p = proto_of(data, len);
	int got, rc = 0;

	while (rc >= 0 && (got = proto_next(&p)) > 0) {
		if (!p.bytes) /* all of these are messages or texts */
			continue;
		if (turn == 0 && p.field == 6)
			vec_push(&r->strings, (struct bytes_view){ p.bytes, p.len });
		else if (turn == 1 && p.field == 5)
			rc = read_named(r, &p, 2, &r->functions);
		else if (turn == 1 && p.field == 3)
			rc = read_named(r, &p, 5, &r->mappings);
		else if (turn == 1 && p.field == 1)
			rc = read_type(r, &p);
		else if (turn == 2 && p.field == 4)
			rc = read_location(r, &p);
		else if (turn == 3 && p.field == 2)
			rc = read_sample(r, &p);
	}
	return rc < 0 || got < 0 ? bad_message(e, "its bytes make no messages") : 0;
}

int import_pprof(struct import *im, const uint8_t *data, size_t len, struct err *e)
{
	struct pprof_reader r = { .im = im };
	bool packed = len > 1 && data[0] == 0x1f && data[1] == 0x8b;
	struct out unpacked;
	int rc = 0;

	out_init_mem(&unpacked);
	if (packed)
		rc = unpack(data, len, &unpacked, e);
	for (int turn = 0; !rc && turn < 4; turn++)
		rc = packed ? read_turn(&r, (const uint8_t *)unpacked.buf, unpacked.len, turn, e)
			    : read_turn(&r, data, len, turn, e);
	if (!rc && !r.types.len)
		rc = bad_message(e, "it names no type of samples");
	vec_free(&r.strings);
	vec_free(&r.types);
	vec_free(&r.places);
	vec_free(&r.names);
	vec_free(&r.ids);
	vec_free(&r.values);
	u64map_free(&r.functions);
	u64map_free(&r.mappings);
	u64map_free(&r.locations);
	out_release(&unpacked);
	return rc;
}
