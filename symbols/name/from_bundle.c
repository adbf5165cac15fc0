/* Take an object's symbols, and what is kept of its file, from the bundle of the recording. */
#include "symbols/name/symbols_priv.h"

#include "symbols/name/demangle.h"
#include "symbols/name/sources.h"

static enum reason reason_of(const char *text)
{
	for (enum reason r = REASON_NONE; r < N_REASONS; r++)
		if (!strcmp(reasons[r].text, text))
			return r;
	return REASON_NONE;
}

static const char *shown_name(const struct symbols *s, struct dso *d, const char *linkage, const char *shown, bool raw)
{
	bool kernel = d->kind == DSO_KIND_KERNEL || d->kind == DSO_KIND_MODULE;

	if (s->opts.no_demangle)
		return linkage;
	if (raw && kernel && s->opts.demangle_kernel)
		return text_of_name(linkage, strlen(linkage), false, &d->arena);
	return s->opts.short_templates && !raw ? shorten_templates(shown, &d->arena) : shown;
}

static void take_symbols(const struct symbols *s, const struct bundle *b, const struct bundle_object *o, struct dso *d)
{
	struct bytes in = o->symbols;
	uint64_t last = 0;
	int strings = dso_add_strings(d, (const char *)b->strings.at, bytes_left(&b->strings));

	d->symbols = xcalloc(o->n_symbols + 1ull, sizeof(*d->symbols));
	d->names = xcalloc(o->n_symbols + 1ull, sizeof(*d->names));
	for (uint32_t i = 0; i < o->n_symbols; i++) {
		struct symbol *sym = &d->symbols[d->n_symbols];
		uint32_t shown;

		*sym = (struct symbol){ .start = bytes_u64(&in), .strings = (uint8_t)strings };
		sym->end = bytes_u64(&in);
		sym->name = bytes_u32(&in);
		shown = bytes_u32(&in);
		sym->binding = bytes_u8(&in);
		sym->type = bytes_u8(&in);
		sym->flags = bytes_u8(&in) & SYMBOL_RAW;
		bytes_take(&in, 5);
		if (sym->start < last) /* lookups need them sorted */
			continue;
		last = sym->start;
		atomic_init(&d->names[d->n_symbols], shown_name(s, d, bundle_text(b, sym->name), bundle_text(b, shown),
								sym->flags & SYMBOL_RAW));
		d->n_symbols++;
	}
}

static void take_image(const struct bundle_object *o, struct dso *d)
{
	struct bytes spans = o->spans, contents = o->contents;
	struct sparse_file f;

	if (!o->n_spans || sparse_file_begin(&f, o->file_len) < 0)
		return;
	for (uint32_t i = 0; i < o->n_spans; i++) {
		uint64_t offset = bytes_u64(&spans), len = bytes_u64(&spans);

		sparse_file_put(&f, offset, bytes_take(&contents, len), len);
	}
	d->image = xcalloc(1, sizeof(*d->image));
	if (image_open_sparse(d->image, &f, d->path, NULL) == 0)
		return;
	free(d->image);
	d->image = NULL;
}

static int take(struct symbols *s, struct dso *d)
{
	const struct bundle_object *o = d->bundled;

	if (!o)
		return 0;
	image_free(d->image);
	d->image = NULL;
	d->n_strings = 0;
	take_symbols(s, symbols_bundle(s), o, d);
	take_image(o, d);
	d->bias = o->bias;
	d->problem = reason_of(bundle_text(symbols_bundle(s), o->problem));
	d->from_bundle = true;
	return 1;
}

/*
 * Return whether a file or kernel on this machine can prove that it is the recorded one. Only such
 * a file is better than the bundle.
 */
static bool may_be_proven(struct symbols *s, const struct dso *d)
{
	switch (d->kind) {
	case DSO_KIND_KERNEL:
	case DSO_KIND_MODULE:
		return s->opts.kallsyms || s->opts.vmlinux || running_kernel_fits(s) == 1 || kernel_image_expected(s);
	case DSO_KIND_FILE:
	case DSO_KIND_VDSO: return d->id.size;
	default: return false;
	}
}

int from_bundle(struct symbols *s, struct dso *d)
{
	return s->opts.bundle_use >= BUNDLE_FIRST || !may_be_proven(s, d) ? take(s, d) : 0;
}

int from_bundle_last(struct symbols *s, struct dso *d) { return take(s, d); }
