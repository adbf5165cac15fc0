#include "format/trace/dat.h"

#include <zlib.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/out.h"

enum {
	TAG = 10,               /* bytes of "options  ", "flyrecord", "latency  " with their NUL */
	SECTIONS_MAX = 1 << 12, /* no chain of options is longer */
	CPUS_MAX = 1 << 16,
	EXPANDED_MAX = 256 << 20, /* of one compressed piece of a CPU; of all other sections together */
};
/* Sections and options of version 7; options 1 to 15 are those of version 6, too. */
enum {
	OPTION_DONE = 0,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	SECTION_HEADER_INFO = 16,
	SECTION_CMDLINES = 21,
	SECTION_HEADER = 16, /* bytes in front of a section's body */
	FLAG_COMPRESSED = 1,
};
static const char magic[10] = "\x17\x08\x44tracing";

bool trace_dat_is(const uint8_t *bytes, size_t len)
{
	return len > sizeof(magic) && !memcmp(bytes, magic, sizeof(magic)) && bytes[sizeof(magic)] >= '1' &&
	       bytes[sizeof(magic)] <= '9';
}

struct dat_parser {
	struct trace_dat *d;
	const uint8_t *bytes;
	size_t len;
	bool swap, zstd, zlib;
	/* version 7: bodies of the sections that make the tracing data, by id - 16 */
	struct bytes parts[SECTION_CMDLINES - SECTION_HEADER_INFO + 1];
	struct bytes head; /* up to the page size */
	uint64_t stored;   /* bytes of all CPUs' data in the file */
	uint64_t expanded; /* bytes of other sections that were compressed */
};

static int cut(const struct dat_parser *p, struct err *e)
{
	return err_set(e, "trace.dat of %zu bytes is cut or malformed", p->len);
}

/* Return the bytes of the file from this offset on. */
static struct bytes at_offset(const struct dat_parser *p, uint64_t offset)
{
	struct bytes b = bytes_of(p->bytes, p->len, p->swap);

	bytes_take(&b, offset);
	return b;
}

/* ---- the clock: "[local] global counter" or "local" ---- */

/* `text` has len bytes and no NUL among them; there may be none behind them. */
static void set_clock(struct trace_dat *d, const char *text, size_t len)
{
	const char *open = memchr(text, '[', len),
		   *close = open ? memchr(open, ']', len - (size_t)(open - text)) : NULL;

	if (d->clock)
		return;
	if (close) {
		d->clock = xstrndup(open + 1, (size_t)(close - open - 1));
	} else {
		d->clock = xstrndup(text, len);
		d->clock[strcspn(d->clock, " \n")] = '\0';
	}
}

/* ---- data of a CPU ---- */

/* No two CPUs share data. Otherwise we would read, or expand, the same bytes for each of many CPUs. */
static int count_stored(struct dat_parser *p, uint64_t size, struct err *e)
{
	p->stored += size;
	if (p->stored <= p->len)
		return 0;
	return err_set(e, "trace.dat of %zu bytes gives its CPUs more data than that", p->len);
}

static int add_cpu(struct dat_parser *p, uint32_t cpu, uint64_t offset, uint64_t size, struct err *e)
{
	struct bytes b = at_offset(p, offset);
	const uint8_t *data;

	if (!size)
		return 0;
	/* a killed recorder has not written all sizes: take the bytes that exist */
	if (!b.bad && size > bytes_left(&b))
		size = bytes_left(&b);
	data = bytes_take(&b, size);
	if (!data || cpu >= CPUS_MAX)
		return cut(p, e);
	if (count_stored(p, size, e) < 0)
		return -1;
	vec_push(&p->d->cpus, (struct trace_dat_cpu){ cpu, data, size });
	return 0;
}

/* ---- version 6 ---- */

static int parse_v6_options(struct dat_parser *p, struct bytes *b)
{
	for (;;) {
		uint16_t id = bytes_u16(b);
		uint32_t size = id ? bytes_u32(b) : 0;
		const uint8_t *data = id ? bytes_take(b, size) : NULL;

		if (b->bad || !id)
			return b->bad ? -1 : 0;
		if (id == OPTION_BUFFER)
			p->d->n_buffers++;
		else if (id == OPTION_TRACECLOCK && size)
			set_clock(p->d, (const char *)data, strnlen((const char *)data, size));
	}
}

static int parse_v6(struct dat_parser *p, struct err *e)
{
	struct bytes b;
	const char *tag, *clock;
	uint32_t n;
	uint64_t len;

	if (tracing_data_decode(&p->d->meta, p->bytes, p->len, e) < 0)
		return -1;
	p->d->page_size = p->d->meta.page_size;
	b = at_offset(p, p->d->meta.size);
	n = bytes_u32(&b);
	tag = (const char *)bytes_take(&b, TAG);
	if (tag && !memcmp(tag, "options  ", TAG)) {
		if (parse_v6_options(p, &b) < 0)
			return cut(p, e);
		tag = (const char *)bytes_take(&b, TAG);
	}
	if (!tag || n > CPUS_MAX)
		return cut(p, e);
	if (!memcmp(tag, "latency  ", TAG)) {
		err_set(e, "this trace.dat holds the text of a latency tracer");
		return err_try(e, "trace-cmd report");
	}
	if (memcmp(tag, "flyrecord", TAG))
		return err_set(e, "trace.dat has an unknown part '%.9s'", tag);
	for (uint32_t cpu = 0; cpu < n; cpu++) {
		uint64_t offset = bytes_u64(&b), size = bytes_u64(&b);

		if (b.bad)
			return cut(p, e);
		if (add_cpu(p, cpu, offset, size, e) < 0)
			return -1;
	}
	len = bytes_u64(&b);
	clock = (const char *)bytes_take(&b, len);
	if (clock && len)
		set_clock(p->d, clock, strnlen(clock, len));
	return 0;
}

/* ---- version 7 ---- */

/* Expand one compressed piece. p->d owns the result. */
static const uint8_t *expand(struct dat_parser *p, const uint8_t *data, uint32_t size, uint32_t expanded)
{
	uint8_t *to;
	uLongf got = expanded;
	bool ok;

	if (expanded > EXPANDED_MAX || !expanded)
		return NULL;
	to = xmalloc(expanded);
	ok = p->zstd   ? ZSTD_decompress(to, expanded, data, size) == expanded
	     : p->zlib ? uncompress(to, &got, data, size) == Z_OK && got == expanded
		       : false;
	if (!ok) {
		free(to);
		return NULL;
	}
	vec_push(&p->d->expanded, to);
	return to;
}

/*
 * Find the body and the flags of the section at an offset. `whole`: expand it if it is compressed
 * as a whole.
 */
static int section_at(struct dat_parser *p, uint64_t offset, bool whole, uint16_t *flags, struct bytes *body,
		      struct err *e)
{
	struct bytes b = at_offset(p, offset);
	const uint8_t *data;
	uint64_t size;

	bytes_u16(&b);
	*flags = bytes_u16(&b);
	bytes_u32(&b);
	size = bytes_u64(&b);
	data = bytes_take(&b, size);
	if (!data)
		return cut(p, e);
	*body = bytes_of(data, size, p->swap);
	if (whole && *flags & FLAG_COMPRESSED) {
		uint32_t packed = bytes_u32(body), expanded = bytes_u32(body);

		data = bytes_take(body, packed);
		p->expanded += expanded;
		data = data && p->expanded <= EXPANDED_MAX ? expand(p, data, packed, expanded) : NULL;
		if (!data)
			return err_at(e, offset, "cannot decompress a section");
		*body = bytes_of(data, expanded, p->swap);
	}
	return 0;
}

/*
 * Add a CPU's data that is stored in separately compressed pieces, and join them. `size` does not
 * count the number of pieces, which comes first.
 */
static int add_packed_cpu(struct dat_parser *p, uint32_t cpu, uint64_t offset, uint64_t size, struct err *e)
{
	struct bytes b = at_offset(p, offset), all;
	const uint8_t *region = size < p->len ? bytes_take(&b, size + 4) : NULL;
	uint64_t total = 0;
	uint8_t *to;
	uint32_t n;

	if (!size)
		return 0;
	if (!region || cpu >= CPUS_MAX)
		return cut(p, e);
	if (count_stored(p, size, e) < 0)
		return -1;
	b = bytes_of(region, size + 4, p->swap);
	n = bytes_u32(&b);
	all = b;
	for (uint32_t i = 0; i < n && !b.bad; i++) {
		uint32_t packed = bytes_u32(&b), expanded = bytes_u32(&b);

		bytes_take(&b, packed);
		total += expanded;
	}
	/*
	 * zlib and zstd shrink zeroes by a factor of 1000 and more, traces by less: above this, it
	 * is damage
	 */
	if (b.bad || !total || total > (uint64_t)size * 4096)
		return cut(p, e);
	to = xmalloc(total);
	vec_push(&p->d->expanded, to);
	vec_push(&p->d->cpus, (struct trace_dat_cpu){ cpu, to, total });
	for (uint32_t i = 0; i < n; i++) {
		uint32_t packed = bytes_u32(&all), expanded = bytes_u32(&all);
		const uint8_t *data = expand(p, bytes_take(&all, packed), packed, expanded);

		if (!data)
			return err_at(e, offset, "cannot decompress the data of CPU %u", cpu);
		memcpy(to, data, expanded);
		to += expanded;
		free(p->d->expanded.items[--p->d->expanded.len]);
	}
	return 0;
}

/* Option 3: {offset of the section, name, clock, page size, CPUs, each {cpu, offset, size}} */
static int parse_buffer(struct dat_parser *p, struct bytes *b, struct err *e)
{
	uint64_t section = bytes_u64(b);
	const char *name = bytes_cstr(b), *clock = bytes_cstr(b);
	uint32_t page_size = bytes_u32(b), n = bytes_u32(b);
	struct bytes body;
	uint16_t flags;

	p->d->n_buffers++;
	if (!name || !clock || section_at(p, section, false, &flags, &body, e) < 0)
		return cut(p, e);
	if (p->d->cpus.len)
		return 0; /* the buffer of an instance: read only the first buffer */
	set_clock(p->d, clock, strlen(clock));
	p->d->page_size = page_size;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cpu = bytes_u32(b);
		uint64_t offset = bytes_u64(b), size = bytes_u64(b);

		if (b->bad)
			return cut(p, e);
		if ((flags & FLAG_COMPRESSED ? add_packed_cpu : add_cpu)(p, cpu, offset, size, e) < 0)
			return -1;
	}
	return 0;
}

static int parse_option(struct dat_parser *p, uint16_t id, struct bytes b, struct err *e)
{
	uint16_t flags;

	if (id == OPTION_BUFFER)
		return parse_buffer(p, &b, e);
	if (id == OPTION_TRACECLOCK && bytes_left(&b))
		set_clock(p->d, (const char *)b.at, strnlen((const char *)b.at, bytes_left(&b)));
	if (id >= SECTION_HEADER_INFO && id <= SECTION_CMDLINES)
		return section_at(p, bytes_u64(&b), true, &flags, &p->parts[id - SECTION_HEADER_INFO], e);
	return 0;
}

/* Follow the chain of options. */
static int parse_sections(struct dat_parser *p, uint64_t offset, struct err *e)
{
	for (unsigned n = 0; offset && n < SECTIONS_MAX; n++) {
		struct bytes b;
		uint16_t flags, id;

		if (section_at(p, offset, true, &flags, &b, e) < 0)
			return -1;
		offset = 0;
		do {
			uint32_t size;
			const uint8_t *data;

			id = bytes_u16(&b);
			size = bytes_u32(&b);
			data = bytes_take(&b, size);
			if (!data)
				return cut(p, e);
			if (id == OPTION_DONE) {
				struct bytes next = bytes_of(data, size, p->swap);

				offset = bytes_u64(&next);
			} else if (parse_option(p, id, bytes_of(data, size, p->swap), e) < 0) {
				return -1;
			}
		} while (id != OPTION_DONE && bytes_left(&b) >= 6);
	}
	return offset ? cut(p, e) : 0;
}

/*
 * The bodies of the sections are the parts of version 6's head: join them. A missing part becomes
 * an empty one.
 */
static int parse_parts(struct dat_parser *p, struct err *e)
{
	struct out o;
	uint8_t *copy;
	size_t len;

	out_init_mem(&o);
	out_mem(&o, magic, sizeof(magic));
	out_mem(&o, "6", 2);
	out_mem(&o, (const char *)p->head.at, bytes_left(&p->head));
	for (size_t i = 0; i < ARRAY_SIZE(p->parts); i++) {
		if (p->parts[i].at)
			out_mem(&o, (const char *)p->parts[i].at, bytes_left(&p->parts[i]));
		else
			out_mem(&o, "\0\0\0\0\0\0\0", i + 1 == ARRAY_SIZE(p->parts) ? 8 : 4);
	}
	len = o.len;
	copy = xmalloc(len);
	memcpy(copy, o.buf, len);
	out_release(&o);
	vec_push(&p->d->expanded, copy);
	return tracing_data_decode(&p->d->meta, copy, len, e);
}

static int parse_v7(struct dat_parser *p, struct bytes *b, struct err *e)
{
	const char *compression = bytes_cstr(b), *version = bytes_cstr(b);
	uint64_t options = bytes_u64(b);

	if (b->bad || !version)
		return cut(p, e);
	p->zstd = !strcmp(compression, "zstd");
	p->zlib = !strcmp(compression, "zlib");
	if (!p->zstd && !p->zlib && strcmp(compression, "none"))
		return err_set(e, "trace.dat is compressed by '%.32s', which is not known", compression);
	if (parse_sections(p, options, e) < 0)
		return -1;
	return parse_parts(p, e);
}

/* ---- the door ---- */

int trace_dat_parse(struct trace_dat *d, const uint8_t *bytes, size_t len, struct err *e)
{
	struct dat_parser p = { .d = d, .bytes = bytes, .len = len };
	struct bytes b = bytes_of(bytes, len, false);
	const char *version;
	uint8_t big_endian;
	int rc;

	*d = (struct trace_dat){ 0 };
	if (!trace_dat_is(bytes, len)) {
		err_set(e, "this is not a trace.dat");
		return err_try(e, "-i with a file that ftrace record or trace-cmd record wrote");
	}
	bytes_take(&b, sizeof(magic));
	version = bytes_cstr(&b);
	d->version = version ? (unsigned)strtoul(version, NULL, 10) : 0;
	p.head = b;
	big_endian = bytes_u8(&b);
	bytes_u8(&b);
	p.swap = b.swap = (big_endian != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	d->page_size = bytes_u32(&b);
	p.head.end = b.at;
	if (b.bad)
		return cut(&p, e);
	if (d->version == 6)
		rc = parse_v6(&p, e);
	else if (d->version == 7)
		rc = parse_v7(&p, &b, e);
	else
		rc = err_set(e, "trace.dat is of version %u; 6 and 7 are known", d->version);
	if (rc < 0)
		trace_dat_close(d);
	return rc;
}

int trace_dat_open(struct trace_dat *d, const char *path, struct err *e)
{
	struct file_map map;

	if (file_map(&map, path, e) < 0)
		return -1;
	if (trace_dat_parse(d, map.data, map.len, e) < 0) {
		file_unmap(&map);
		return err_in(e, "'%s'", path);
	}
	d->map = map;
	return 0;
}

void trace_dat_close(struct trace_dat *d)
{
	tracing_data_release(&d->meta);
	vec_free(&d->cpus);
	for (size_t i = 0; i < d->expanded.len; i++)
		free(d->expanded.items[i]);
	vec_free(&d->expanded);
	free(d->clock);
	if (d->map.data)
		file_unmap(&d->map);
	*d = (struct trace_dat){ 0 };
}
