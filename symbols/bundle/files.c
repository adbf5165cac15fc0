/* Keep whole files that names come from (jitdumps), and parts of source files. */
#include "symbols/bundle/make_priv.h"

#include "symbols/name/sources.h"

enum { MAX_JITDUMP = 256 << 20, MAX_SOURCE = 16 << 20, AROUND = 7 };

static void put_file(struct maker *m, uint32_t name, enum bundle_file_kind kind, int32_t pid, const void *data,
		     size_t len)
{
	bundle_u32(&m->files, name);
	bundle_u32(&m->files, kind);
	bundle_u32(&m->files, (uint32_t)pid);
	bundle_u64(&m->files, len);
	out_mem(&m->files, data, len);
	m->n_files++;
}

/* Add an object to `seen` if no object of its jitdump is there. */
static bool is_first(const struct maker *m, struct idtable *seen, uint32_t id)
{
	const struct dso *d = symbols_get_dso(m->s, id);
	uint64_t hash = hash_bytes(d->jit_path, strlen(d->jit_path), (uint32_t)d->pid);
	struct idtable_probe p = idtable_probe(seen, hash);
	uint32_t at;

	while ((at = idtable_next(seen, &p))) {
		const struct dso *other = symbols_get_dso(m->s, at);

		if (other->pid == d->pid && !strcmp(other->jit_path, d->jit_path))
			return false;
	}
	idtable_add(seen, hash, id);
	return true;
}

/* Add the jitdumps whose code the recording mapped: readers make objects from them. */
void maker_put_jitdumps(struct maker *m)
{
	struct idtable seen = { 0 };

	for (uint32_t i = 1; i < symbols_n_dsos(m->s); i++) {
		const struct dso *d = symbols_get_dso(m->s, i);
		enum reason problem;
		struct file_map map;

		if (!d->jit_path || !is_first(m, &seen, i) ||
		    private_file(m->s, d->jit_path, d->jit_path, d->pid, d->jit_ino, &map, &problem) < 0)
			continue;
		if (map.len <= MAX_JITDUMP)
			put_file(m, maker_path(m, d->jit_path), BUNDLE_JITDUMP, d->pid, map.data, map.len);
		file_unmap(&map);
	}
	idtable_free(&seen);
}

/* ---- source ---- */

static int by_line(const void *a, const void *b)
{
	const struct source_hit *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Copy the lines near hits [0, n), and only the newlines of all other lines. */
static void put_source(struct maker *m, const struct source_hit *hits, size_t n)
{
	autofree char *name = xstrdup(m->strings.buf + hits->file);
	size_t len = 0, next = 0;
	autofree char *text = name[0] == '/' ? file_read(name, MAX_SOURCE, &len, NULL) : NULL;
	uint32_t line = 1;
	struct out kept;

	if (!text)
		return;
	out_init_mem(&kept);
	for (char *at = text, *end; at < text + len && next < n; at = end + 1, line++) {
		end = memchr(at, '\n', (size_t)(text + len - at));
		end = end ? end : text + len;
		while (next < n && hits[next].line + AROUND < line)
			next++;
		if (next < n && hits[next].line <= line + AROUND)
			out_mem(&kept, at, (size_t)(end - at));
		out_char(&kept, '\n');
	}
	put_file(m, maker_text(m, name), BUNDLE_SOURCE, 0, kept.buf, kept.len);
	out_release(&kept);
}

void maker_put_sources(struct maker *m)
{
	if (m->lines.len)
		qsort(m->lines.items, m->lines.len, sizeof(*m->lines.items), by_line);
	for (size_t i = 0, end; i < m->lines.len; i = end) {
		for (end = i; end < m->lines.len && m->lines.items[end].file == m->lines.items[i].file; end++)
			;
		put_source(m, m->lines.items + i, end - i);
	}
}
