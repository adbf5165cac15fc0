/* Write the tracing_data blob: formats of tracepoints and of the kernel's ring buffer. */
#include <dirent.h>

#include "base/file.h"
#include "events/events.h"
#include "record/machine/collect.h"

enum { TRACEFS_TEXT_MAX = 64 << 20 };

static void put(struct out *o, const void *p, size_t len) { out_mem(o, p, len); }
static void put_u32(struct out *o, uint32_t v) { put(o, &v, sizeof(v)); }
static void put_u64(struct out *o, uint64_t v) { put(o, &v, sizeof(v)); }

static char *tracefs_read(const char *dir, const char *name, size_t *len, struct err *e)
{
	autofree char *path = xasprintf("%s/%s", dir, name);

	return file_read(path, TRACEFS_TEXT_MAX, len, e);
}

/* Append a name with its NUL, then the file of that name below events/, preceded by its length. */
static int put_events_file(struct out *o, const char *dir, const char *name, struct err *e)
{
	autofree char *path = xasprintf("events/%s", name);
	size_t len;
	autofree char *text = tracefs_read(dir, path, &len, e);

	if (!text)
		return -1;
	put(o, name, strlen(name) + 1);
	put_u64(o, len);
	put(o, text, len);
	return 0;
}

/* Readers want the formats of one system together. */
static int point_order(const void *a, const void *b)
{
	const struct collect_tracepoint *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

static size_t sort_unique(struct collect_tracepoint *points, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(points, n, sizeof(*points), point_order);
	for (size_t i = 0; i < n; i++)
		if (!kept || point_order(&points[kept - 1], &points[i]))
			points[kept++] = points[i];
	return kept;
}

static size_t same_system(const struct collect_tracepoint *points, size_t n)
{
	size_t same = 1;

	while (same < n && !strcmp(points[same].system, points->system))
		same++;
	return same;
}

static int put_system(struct out *o, const struct collect_tracepoint *points, size_t n, struct err *e)
{
	put(o, points->system, strlen(points->system) + 1);
	put_u32(o, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		size_t len;
		autofree char *text = tracepoint_format(points[i].system, points[i].name, &len, e);

		if (!text)
			return -1;
		put_u64(o, len);
		put(o, text, len);
	}
	return 0;
}

static int put_systems(struct out *o, const struct collect_tracepoint *points, size_t n, struct err *e)
{
	uint32_t systems = 0;

	for (size_t i = 0; i < n; i += same_system(points + i, n - i))
		systems++;
	put_u32(o, systems);
	for (size_t i = 0, some; i < n; i += some) {
		some = same_system(points + i, n - i);
		if (put_system(o, points + i, some, e) < 0)
			return -1;
	}
	return 0;
}

/* Append a file that only improves readers' output: record without it if the kernel lacks it. */
static void put_optional(struct out *o, const char *dir, const char *name, bool wide)
{
	size_t len = 0;
	autofree char *text = tracefs_read(dir, name, &len, NULL);

	if (wide)
		put_u64(o, text ? len : 0);
	else
		put_u32(o, text ? (uint32_t)len : 0);
	if (text)
		put(o, text, len);
}

static int any_name(const struct dirent *d) { return d->d_name[0] != '.'; }

/* Append the formats of the tracers' own events. */
static int put_own_formats(struct out *o, const char *dir, struct err *e)
{
	autofree char *path = xasprintf("%s/events/ftrace", dir);
	struct dirent **names;
	int n = scandir(path, &names, any_name, alphasort);
	size_t count_at = o->len;
	uint32_t count = 0;

	if (n < 0)
		return err_sys(e, "cannot read '%s'", path);
	put_u32(o, 0);
	for (int i = 0; i < n; i++) {
		autofree char *file = xasprintf("events/ftrace/%s/format", names[i]->d_name);
		size_t len;
		autofree char *text = tracefs_read(dir, file, &len, NULL);

		free(names[i]);
		if (!text)
			continue;
		put_u64(o, len);
		put(o, text, len);
		count++;
	}
	free(names);
	memcpy(o->buf + count_at, &count, sizeof(count));
	return 0;
}

static int put_blob(struct out *o, const char *dir, const struct collect_tracepoint *points, size_t n,
		    const struct tracing_parts *parts, struct err *e)
{
	const uint16_t one = 1;

	put(o, "\x17\x08\x44tracing", 10);
	put(o, parts->version, strlen(parts->version) + 1);
	out_char(o, !*(const uint8_t *)&one); /* 1 = big endian */
	out_char(o, sizeof(long));
	put_u32(o, (uint32_t)sysconf(_SC_PAGESIZE));
	if (put_events_file(o, dir, "header_page", e) < 0 || put_events_file(o, dir, "header_event", e) < 0)
		return -1;
	if (!parts->own_formats)
		put_u32(o, 0);
	else if (put_own_formats(o, dir, e) < 0)
		return -1;
	if (put_systems(o, points, n, e) < 0)
		return -1;
	if (parts->kallsyms)
		put_optional(o, "/proc", "kallsyms", false);
	else
		put_u32(o, 0); /* readers get it elsewhere */
	put_optional(o, dir, "printk_formats", false);
	put_optional(o, dir, "saved_cmdlines", true);
	return 0;
}

int tracing_data_encode_parts(struct out *o, const struct collect_tracepoint *points, size_t n,
			      const struct tracing_parts *parts, struct err *e)
{
	const char *dir = tracefs_path(e);
	VEC(struct collect_tracepoint) sorted = { 0 };
	size_t before = o->len;
	int ret;

	if (!dir)
		return -1;
	for (size_t i = 0; i < n; i++)
		vec_push(&sorted, points[i]);
	n = sort_unique(sorted.items, n);
	ret = put_blob(o, dir, sorted.items, n, parts, e);
	if (ret < 0)
		o->len = before;
	vec_free(&sorted);
	return ret;
}

int tracing_data_encode(struct out *o, const struct collect_tracepoint *points, size_t n, struct err *e)
{
	return tracing_data_encode_parts(o, points, n, &(struct tracing_parts){ .version = "0.6" }, e);
}
