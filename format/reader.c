#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include "base/out.h"
#include "format/header_priv.h"
#include "format/reader_priv.h"

struct section {
	uint64_t offset, size;
};
struct header {
	uint64_t size, attr_size;
	struct section attrs, data;
	uint64_t records; /* offset of the records while the recording is not ended; 0 = ended */
};

static int refuse(struct err *e, const char *path, const char *why)
{
	err_set(e, "'%s' cannot be read as perf.data", path);
	err_try(e, "-i with a file that %s record wrote; 'file' and the name tell what this one is", tool_name());
	return err_why(e, "%s", why);
}

static int missing(struct err *e, const char *path)
{
	int sys = errno;

	err_sys(e, "failed to open %s: %s", path, strerror(sys));
	err_why(e, "%s", "");
	if (sys == ENOENT && !strcmp(path, "perf.data"))
		err_try(e, "'%s record' first", tool_name());
	return -1;
}

/*
 * Refuse files of other users, as perf does without force: such a file could show us anything in
 * its owner's interest.
 */
static int check_owner(const struct stream *s, const struct perfdata_opts *opts, struct err *e)
{
	if (!s->map.uid || s->map.uid == geteuid() || (opts && opts->force))
		return 0;
	err_set(e, "file %s not owned by current user or root", s->path);
	return err_try(e, "-f to read it nevertheless");
}

static int spool_input(struct stream *s, int fd, struct progress *progress, struct err *e)
{
	if (spool_read(&s->spool, fd, progress, e) < 0)
		return err_in(e, "'%s'", s->path);
	s->data = s->spool.data;
	s->size = s->spool.len;
	return 0;
}

static int open_stdin(struct stream *s, struct progress *progress, struct err *e)
{
	struct stat st;
	int fd;

	s->path = "-";
	if (fstat(STDIN_FILENO, &st) < 0)
		return err_sys(e, "cannot read standard input");
	if (!S_ISREG(st.st_mode))
		return spool_input(s, STDIN_FILENO, progress, e);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return err_sys(e, "cannot read standard input");
	if (file_map_fd(&s->map, fd, e) < 0) {
		close(fd);
		return -1;
	}
	s->data = s->map.data;
	s->size = s->map.len;
	return 0;
}

/* Open a file, or read a FIFO given by name (like the shell's <(...)). */
static int open_named(struct stream *s, const struct perfdata_opts *opts, struct err *e)
{
	struct stat st;

	if (stat(s->path, &st) < 0)
		return missing(e, s->path);
	if (S_ISFIFO(st.st_mode)) {
		autoclose int fd = open(s->path, O_RDONLY | O_CLOEXEC);

		return fd < 0 ? missing(e, s->path) : spool_input(s, fd, opts ? opts->progress : NULL, e);
	}
	if (file_map(&s->map, s->path, e) < 0)
		return e && e->sys ? (errno = e->sys, missing(e, s->path)) : -1;
	s->data = s->map.data;
	s->size = s->map.len;
	return check_owner(s, opts, e);
}

static bool is_entry_size(uint64_t n) { return n >= ATTR_SIZE_MIN && n <= 65536; }

static int find_byte_order(struct perfdata *pd, const uint8_t *p, uint64_t len, const char *path, struct err *e)
{
	uint64_t attr_size;

	if (!memcmp(p, "PERFILE2", 8) || !memcmp(p, "2ELIFREP", 8)) {
		/* The magic is a number: in the other byte order it is spelt backwards. */
		pd->header_version = 2;
		pd->swap = (p[0] == '2') != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		return 0;
	}
	if (!memcmp(p, "PERFFILE", 8)) {
		/* The first version's magic was text. Attr sizes show the byte order. */
		if (len < HEADER_OLD)
			return refuse(e, path, "it ends inside the header");
		attr_size = load_u64(p + 16);
		pd->header_version = 1;
		pd->swap = !is_entry_size(attr_size) && is_entry_size(__builtin_bswap64(attr_size));
		return 0;
	}
	return refuse(e, path, "it does not begin with PERFILE2");
}

static void read_header(const struct perfdata *pd, const uint8_t *p, struct header *h)
{
	struct bytes b = bytes_of(p + 8, HEADER_OLD - 8, pd->swap);
	uint64_t event_types;

	h->size = bytes_u64(&b);
	h->attr_size = bytes_u64(&b);
	h->attrs.offset = bytes_u64(&b);
	h->attrs.size = bytes_u64(&b);
	h->data.offset = bytes_u64(&b);
	h->data.size = bytes_u64(&b);
	event_types = bytes_u64(&b);
	h->records = bytes_u64(&b);
	if (event_types || h->size != HEADER_FILE)
		h->records = 0; /* old files have a section there */
}

static void read_feature_bits(const struct perfdata *pd, const uint8_t *p, uint64_t bits[4])
{
	const uint64_t hostname = 1ull << FEATURE_HOSTNAME;

	memcpy(bits, p + HEADER_AT_FEATURES, 32);
	if (!pd->swap)
		return;
	for (int i = 0; i < 4; i++)
		bits[i] = __builtin_bswap64(bits[i]);
	if (bits[0] & hostname)
		return;
	/* Writers with 32-bit longs stored the words in halves. */
	for (int i = 0; i < 4; i++)
		bits[i] = bits[i] >> 32 | bits[i] << 32;
	if (bits[0] & hostname)
		return;
	memset(bits, 0, 32);
	bits[0] = 1ull << FEATURE_BUILD_ID;
}

static void read_feature(struct perfdata *pd, unsigned bit, const uint8_t *p, size_t size)
{
	if (bit == FEATURE_EVENT_DESC) {
		events_from_desc(pd, p, size);
	} else if (!feature_name(bit)) {
		pd->notes.unknown_features++;
		feature_set(&pd->features, bit);
	} else if (feature_decode(&pd->features, bit, p, size, pd->swap, NULL) < 0) {
		pd->notes.bad_features++;
	}
}

/*
 * Read the offset and size of a section from the table behind the data, which has a pair for each
 * set bit.
 */
static bool table_entry(const struct perfdata *pd, const uint8_t *data, uint64_t len, uint64_t at, struct section *s)
{
	struct bytes b;

	if (at > len || len - at < SECTION_ENTRY)
		return false;
	b = bytes_of(data + at, SECTION_ENTRY, pd->swap);
	s->offset = bytes_u64(&b);
	s->size = bytes_u64(&b);
	return s->offset <= len && s->size <= len - s->offset;
}

/* Step `bit` to the first set bit from there on. Returns false behind the last one. */
static bool next_feature(const uint64_t bits[4], unsigned *bit)
{
	while (*bit < FEATURE_BITS && !(bits[*bit / 64] >> *bit % 64 & 1))
		(*bit)++;
	return *bit < FEATURE_BITS;
}

static void read_features(struct perfdata *pd, const uint8_t *data, uint64_t len)
{
	uint64_t bits[4], at = pd->feature_offset;
	struct section s;

	read_feature_bits(pd, data, bits);
	for (unsigned bit = 0; next_feature(bits, &bit); bit++, at += SECTION_ENTRY) {
		if (table_entry(pd, data, len, at, &s))
			read_feature(pd, bit, data + s.offset, (size_t)s.size);
		else
			pd->notes.cut_features++;
	}
}

/*
 * Return true if a table of sections lies where the data would begin. An ended file without data
 * has one there; a recorder that died left records there. It is a table if all of it makes sense.
 */
static bool has_features_alone(const struct perfdata *pd, const uint8_t *data, uint64_t len)
{
	uint64_t bits[4], at = pd->feature_offset;
	struct section s;

	read_feature_bits(pd, data, bits);
	for (unsigned bit = 0; next_feature(bits, &bit); bit++, at += SECTION_ENTRY)
		if (!table_entry(pd, data, len, at, &s) || s.offset < at + SECTION_ENTRY)
			return false;
	return at > pd->feature_offset;
}

static int check_header(const struct header *h, uint64_t len, const char *path, struct err *e)
{
	if (h->size == HEADER_OLD || (h->size == HEADER_FILE && len >= HEADER_FILE)) {
		if (h->data.offset >= h->size && h->attrs.offset >= h->size &&
		    h->data.offset <= UINT64_MAX - h->data.size)
			return 0;
		err_set(e, "'%s' has a damaged header", path);
		return err_why(e, "data of %llu bytes at offset 0x%llx, events at 0x%llx",
			       (unsigned long long)h->data.size, (unsigned long long)h->data.offset,
			       (unsigned long long)h->attrs.offset);
	}
	if (h->size == HEADER_FILE)
		return refuse(e, path, "it ends inside the header");
	err_set(e, "'%s' has a header that is not known", path);
	return err_why(e, "it says that it has %llu bytes (known: %d, %d and %d)", (unsigned long long)h->size,
		       HEADER_PIPE, HEADER_OLD, HEADER_FILE);
}

/*
 * Return true if the recorder did not end the file. Recorders write the features of machine and run
 * at the end, but some write the compression feature from the start. Files of the first version
 * never have features.
 */
static bool has_no_end(const struct perfdata *pd, const uint8_t *data, const struct header *h)
{
	uint64_t bits[4];

	if (h->records || (!h->data.size && !pd->features.present[0]))
		return true; /* the latter is perf's, which sets the size at the end */
	if (h->size != HEADER_FILE)
		return false;
	read_feature_bits(pd, data, bits);
	return !(bits[0] & ~(1ull << FEATURE_COMPRESSED)) && !bits[1] && !bits[2] && !bits[3];
}

/*
 * Return true if the file ends with that one section. Otherwise records may follow that the header
 * does not count yet.
 */
static bool ends_with_compression(const struct perfdata *pd, const uint8_t *data, uint64_t len)
{
	struct section s;

	return feature_has(&pd->features, FEATURE_COMPRESSED) && table_entry(pd, data, len, pd->feature_offset, &s) &&
	       s.offset == pd->feature_offset + SECTION_ENTRY && s.offset + s.size == len;
}

/* Narrow the stream from the whole file to its records. */
static void enter_data(struct perfdata *pd, struct stream *s, const struct header *h)
{
	uint64_t len = s->size, offset = MIN(h->records ? h->records : h->data.offset, len),
		 size = h->records ? 0 : h->data.size;

	pd->notes.unclosed = has_no_end(pd, s->data, h);
	if (size > len - offset) {
		pd->notes.cut = true;
		pd->notes.cut_offset = len;
		s->open_ended = true;
		size = len - offset;
	} else if (pd->notes.unclosed && (h->records || !ends_with_compression(pd, s->data, len))) {
		s->open_ended = true;
		size = len - offset;
	}
	s->data += offset;
	s->size = size;
	s->offset = offset;
}

static int read_file(struct perfdata *pd, struct stream *s, struct err *e)
{
	const uint8_t *data = s->data;
	uint64_t len = s->size;
	struct header h;

	if (len < HEADER_OLD)
		return refuse(e, s->path, "it ends inside the header");
	read_header(pd, data, &h);
	if (check_header(&h, len, s->path, e) < 0)
		return -1;
	pd->data_offset = h.data.offset;
	pd->data_size = h.data.size;
	pd->feature_offset = h.data.offset + h.data.size;
	if (events_from_table(pd, data, len, h.attrs.offset, h.attrs.size, h.attr_size, e) < 0)
		return err_in(e, "'%s'", s->path);
	if (h.size == HEADER_FILE && (h.data.size || has_features_alone(pd, data, len)))
		read_features(pd, data, len);
	enter_data(pd, s, &h);
	return 0;
}

static void read_pipe(struct perfdata *pd, struct stream *s)
{
	pd->pipe = true;
	s->data += HEADER_PIPE;
	s->size -= HEADER_PIPE;
	s->offset = 0; /* perf also counts from behind the header */
	s->open_ended = true;
}

static int empty(struct err *e, const char *path)
{
	err_set(e, "'%s' is empty", path);
	err_why(e, "zero-sized data, nothing to do");
	return err_try(e, "to record it again: its recorder was killed, or the disk was full");
}

static int read_any(struct perfdata *pd, struct stream *s, struct err *e)
{
	uint64_t size;

	if (!s->size)
		return empty(e, s->path);
	if (s->spool.full) {
		pd->notes.stop = STOP_PIPE;
		pd->notes.stop_offset = pd->notes.stop_size = s->size;
	}
	if (s->size < HEADER_PIPE)
		return refuse(e, s->path, "it ends inside the header");
	if (find_byte_order(pd, s->data, s->size, s->path, e) < 0)
		return -1;
	pd->input_size = s->size;
	pd->mtime_ns = s->map.mtime_ns;
	size = load_u64(s->data + 8);
	if ((pd->swap ? __builtin_bswap64(size) : size) != HEADER_PIPE)
		return read_file(pd, s, e);
	read_pipe(pd, s);
	return 0;
}

struct stream *perfdata_add_stream(struct perfdata *pd, const char *path)
{
	struct stream *s = vec_add(&pd->priv->streams, 1);

	s->path = path;
	s->map = (struct file_map){ .fd = -1, .slot = -1 };
	pd->streams = pd->priv->streams.items;
	pd->n_streams = pd->priv->streams.len;
	return s;
}

/* Open the files data.0, data.1 ... of a directory, which hold only records. */
static int open_parts(struct perfdata *pd, const char *dir, const struct perfdata_opts *opts, struct err *e)
{
	for (unsigned i = 0;; i++) {
		const char *path = arena_printf(&pd->priv->arena, "%s/data.%u", dir, i);
		struct stream *s;

		if (access(path, F_OK) < 0)
			return 0;
		s = perfdata_add_stream(pd, path);
		if (open_named(s, opts, e) < 0)
			return -1;
		s->open_ended = true;
		pd->input_size += s->size;
	}
}

static int open_directory(struct perfdata *pd, const char *dir, const struct perfdata_opts *opts, struct err *e)
{
	struct stream *s = perfdata_add_stream(pd, arena_printf(&pd->priv->arena, "%s/data", dir));

	pd->dir = true;
	if (access(s->path, F_OK) < 0) {
		err_set(e, "'%s' cannot be read as perf.data", dir);
		err_why(e, "it is a directory without a file named data");
		return err_try(e, "-i with the file itself, or a directory that record --threads made");
	}
	if (open_named(s, opts, e) < 0 || read_any(pd, s, e) < 0)
		return -1;
	/*
	 * Open the parts even when the recorder had no time to write the feature that announces
	 * them.
	 */
	return open_parts(pd, dir, opts, e);
}

static int expand_streams(struct perfdata *pd, struct err *e)
{
	for (size_t i = 0; i < pd->n_streams; i++)
		if (stream_expand(pd, &pd->streams[i], e) < 0)
			return err_in(e, "'%s'", pd->streams[i].path);
	return 0;
}

/* Finish opening: the streams are known, the events maybe not yet. */
static int finish(struct perfdata *pd, struct err *e)
{
	bool expand = pd->pipe || feature_has(&pd->features, FEATURE_COMPRESSED);

	if (expand && expand_streams(pd, e) < 0)
		return -1;
	events_from_records(pd, &pd->streams[0]);
	if (pd->priv->saw_compressed && !pd->compressed) {
		if (expand_streams(pd, e) < 0)
			return -1;
		events_from_records(pd, &pd->streams[0]);
	}
	if (!pd->n_events && !pd->pipe)
		return refuse(e, pd->path, "it describes no event");
	if (!pd->n_events) {
		pd->notes.no_events = true;
		pd->events = arena_alloc(&pd->priv->arena, sizeof(*pd->events));
	}
	events_finish(pd);
	for (size_t i = 0; i < pd->n_streams; i++)
		pd->notes.shrunk |= file_map_shrunk(&pd->streams[i].map);
	return 0;
}

struct perfdata *perfdata_new(const char *path)
{
	struct perfdata *pd = xcalloc(1, sizeof(*pd));

	pd->priv = xcalloc(1, sizeof(*pd->priv));
	pd->path = arena_strdup(&pd->priv->arena, path);
	pd->features.arena = &pd->priv->arena;
	pd->sample_time = -1;
	return pd;
}

struct perfdata *perfdata_open(const char *path, const struct perfdata_opts *opts, struct err *e)
{
	struct perfdata *pd = perfdata_new(path);
	struct stat st;
	int bad;

	pd->reg_name = opts ? opts->reg_name : NULL;
	pd->priv->progress = opts ? opts->progress : NULL;
	pd->priv->expand_max = opts ? opts->expand_max : 0;
	if (!strcmp(path, "-")) {
		struct stream *s = perfdata_add_stream(pd, pd->path);

		bad = open_stdin(s, pd->priv->progress, e) < 0 || read_any(pd, s, e) < 0;
	} else if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		bad = open_directory(pd, pd->path, opts, e) < 0;
	} else {
		struct stream *s = perfdata_add_stream(pd, pd->path);

		bad = open_named(s, opts, e) < 0 || read_any(pd, s, e) < 0;
	}
	if (bad || finish(pd, e) < 0) {
		perfdata_close(pd);
		return NULL;
	}
	pd->priv->progress = NULL;
	return pd;
}

int perfdata_read(struct perfdata *pd, struct err *e)
{
	return read_any(pd, &pd->streams[0], e) < 0 || finish(pd, e) < 0 ? -1 : 0;
}

struct perfdata *perfdata_open_memory(const char *name, const void *p, size_t len, struct err *e)
{
	struct perfdata *pd = perfdata_new(name);
	struct stream *s = perfdata_add_stream(pd, pd->path);

	s->data = p;
	s->size = len;
	if (perfdata_read(pd, e) < 0) {
		perfdata_close(pd);
		return NULL;
	}
	return pd;
}

void perfdata_close(struct perfdata *pd)
{
	struct perfdata_priv *v;

	if (!pd)
		return;
	v = pd->priv;
	live_free(v->live);
	for (size_t i = 0; i < v->streams.len; i++) {
		file_unmap(&v->streams.items[i].map);
		spool_release(&v->streams.items[i].spool);
		free(v->streams.items[i].segments);
	}
	vec_free(&v->streams);
	vec_free(&v->events);
	vec_free(&v->build_ids);
	u64map_free(&v->ids);
	u64map_free(&v->type_names);
	u64map_free(&v->tracepoints);
	vec_free(&v->names);
	arena_release(&v->arena);
	free(v);
	free(pd);
}
