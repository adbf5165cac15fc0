/* Name the frames of a profile: find symbols, and with DWARF lines and inlined calls. */
#include "report/profile/profile_priv.h"

#include "base/parallel.h"

enum { INLINES_MAX = 128 };

/* Read so many objects at a time: most of the work is waiting for the disk. */
enum { FILES_PER_CPU = 4 };

/* The frames of one object. */
struct dso_run {
	uint32_t from, to;
};
struct runs {
	struct naming *n;
	VEC(struct dso_run);
};

static void name_run(void *ctx, size_t item, unsigned worker)
{
	const struct runs *runs = ctx;
	const struct dso_run *run = &runs->items[item];
	struct naming *n = runs->n;
	const struct frame *frames = n->p->frames.items + run->from;
	size_t count = run->to - run->from;
	uint32_t *symbols = n->symbols + run->from - n->from;
	uint64_t *offs;

	if (frames->dso == DSO_UNKNOWN || (frames->dso == DSO_KERNEL && n->p->opts.no_kernel_names) ||
	    progress_stopped(n->p->opts.progress))
		return;
	offs = xmalloc(count * sizeof(*offs));
	for (size_t i = 0; i < count; i++)
		offs[i] = frames[i].dso_off;
	dso_find_sorted(n->p->session->symbols, frames->dso, offs, symbols, count);
	for (size_t i = 0; n->p->opts.want_names && i < count; i++)
		if (symbols[i] && (!i || symbols[i] != symbols[i - 1]))
			symbol_name(n->p->session->symbols, frames->dso, symbols[i]);
	progress_add(n->p->opts.progress, count);
	free(offs);
}

static void find_runs(struct runs *runs)
{
	const struct profile *p = runs->n->p;
	const struct frame *frames = p->frames.items;

	uint32_t first = MAX(runs->n->from, 1u);

	for (uint32_t i = first; i < p->frames.len; i++) {
		if (i == first || frames[i].dso != frames[i - 1].dso)
			vec_push(runs, (struct dso_run){ .from = i });
		runs->items[runs->len - 1].to = i + 1;
	}
}

/* Read DWARF in batches of frames, so that one big object keeps all workers busy. */
enum { DWARF_BATCH = 64 };

static void name_by_dwarf(void *ctx, size_t item, unsigned worker)
{
	struct naming *n = ctx;
	struct profile *p = n->p;
	struct symbols *s = p->session->symbols;
	size_t begin = n->from + item * DWARF_BATCH;
	size_t end = progress_stopped(p->opts.progress) ? 0 : MIN(begin + DWARF_BATCH, p->frames.len);
	bool lines = p->opts.want_lines || p->opts.by_line;

	for (size_t i = MAX(begin, (size_t)1); i < end; i++) {
		const struct frame *f = &p->frames.items[i];
		struct frame_names *names = &n->dwarf[i - n->from];
		struct inline_frame found[INLINES_MAX];
		struct source_line outer = { 0 };
		size_t count;

		if (!n->symbols[i - n->from])
			continue;
		count = p->opts.inlines ? dso_inlines(s, f->dso, f->dso_off, found, INLINES_MAX, lines ? &outer : NULL)
					: 0;
		if (count) {
			names->inlined = xmalloc(count * sizeof(*found));
			memcpy(names->inlined, found, count * sizeof(*found));
			names->n_inlined = (uint32_t)count;
			names->line = outer;
		} else if (lines) {
			dso_source_line(s, f->dso, f->dso_off, &names->line);
		}
	}
	progress_add(p->opts.progress, DWARF_BATCH);
}

void name_frames(struct naming *n)
{
	struct profile *p = n->p;
	struct runs runs = { .n = n };
	size_t count = p->frames.len - n->from;

	n->symbols = xcalloc(count, sizeof(*n->symbols));
	find_runs(&runs);
	progress_begin(p->opts.progress, "reading symbols", count);
	parallel_for(runs.len, p->opts.threads > 1 ? FILES_PER_CPU * p->opts.threads : 1, name_run, &runs);
	vec_free(&runs);
	if (!p->opts.inlines && !p->opts.want_lines && !p->opts.by_line)
		return;
	n->dwarf = xcalloc(count, sizeof(*n->dwarf));
	progress_begin(p->opts.progress, "reading debug information", count);
	parallel_for((count + DWARF_BATCH - 1) / DWARF_BATCH, p->opts.threads, name_by_dwarf, n);
}

void naming_release(struct naming *n)
{
	size_t count = n->p->frames.len - n->from;

	for (size_t i = 0; n->dwarf && i < count; i++)
		free(n->dwarf[i].inlined);
	free(n->dwarf);
	free(n->symbols);
}
