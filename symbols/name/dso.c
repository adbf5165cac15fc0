/* Load an object's symbols once, at the first lookup, and look addresses up in them. */
#include "symbols/name/symbols_priv.h"
#include "symbols/name/demangle.h"
#include "symbols/name/kernel_blocks_priv.h"
#include "symbols/name/sources.h"

static void find_in_bundle(struct symbols *s, struct dso *d)
{
	struct bundle *b = symbols_bundle(s);
	struct bundle_object *o = bundle_find(b, d);

	if (!o)
		return;
	pthread_mutex_lock(&s->bundle->lock); /* two objects may be the same one in the bundle */
	bundle_object_load(b, o, s->opts.short_templates);
	pthread_mutex_unlock(&s->bundle->lock);
	d->bundled = o;
}

static void load(struct symbols *s, struct dso *d)
{
	bool of_kernel = d->kind == DSO_KIND_KERNEL || d->kind == DSO_KIND_MODULE || d->kind == DSO_KIND_KSYMBOL;

	if (of_kernel && (s->opts.no_kernel || (s->opts.no_modules && d->kind == DSO_KIND_MODULE))) {
		d->problem = REASON_NOT_WANTED;
		return;
	}
	if (d->guest && d->kind != DSO_KIND_KERNEL) { /* a path in the guest is not a path here */
		d->problem = REASON_GUEST_FILE;
		return;
	}
	find_in_bundle(s, d);
	for (const struct source *source = sources; source->load; source++) {
		if (!(source->kinds & 1u << d->kind) || (s->opts.bundle_use == BUNDLE_ALONE && source->files))
			continue;
		if (source->load(s, d))
			break;
		d->n_strings = 0;
	}
	if (s->opts.demangle_kernel && (d->kind == DSO_KIND_KERNEL || d->kind == DSO_KIND_MODULE))
		for (uint32_t i = 0; i < d->n_symbols; i++)
			d->symbols[i].flags &= (uint8_t)~SYMBOL_RAW;
}

struct dso *dso_load(struct symbols *s, uint32_t dso)
{
	struct dso *d = symbols_get_dso(s, dso);

	if (atomic_load_explicit(&d->loaded, memory_order_acquire))
		return d;
	pthread_mutex_lock(&d->lock);
	if (!atomic_load_explicit(&d->loaded, memory_order_relaxed)) {
		load(s, d);
		atomic_store_explicit(&d->loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
	return d;
}

/* Convert a file offset to the object's own address; they differ in ELF objects only. */
static uint64_t to_address(const struct dso *d, uint64_t dso_off)
{
	switch (d->kind) {
	case DSO_KIND_FILE:
	case DSO_KIND_VDSO: return d->image ? image_address(d->image, dso_off) : dso_off;
	default: return dso_off;
	}
}

uint64_t dso_address(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	return to_address(dso_load(s, dso), dso_off);
}

uint64_t dso_bias(struct symbols *s, uint32_t dso) { return dso_load(s, dso)->bias; }

uint64_t dso_offset(struct symbols *s, uint32_t dso, uint64_t address)
{
	const struct dso *d = dso_load(s, dso);
	uint64_t offset = address;

	if ((d->kind == DSO_KIND_FILE || d->kind == DSO_KIND_VDSO) && d->image)
		image_offset(d->image, address, &offset);
	return offset;
}

static uint32_t find(const struct dso *d, uint64_t address)
{
	return d->blocks ? kernel_blocks_find(d->blocks, address) : table_find(d, address);
}

uint32_t dso_find(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	const struct dso *d = dso_load(s, dso);

	return find(d, to_address(d, dso_off));
}

uint32_t dso_find_address(struct symbols *s, uint32_t dso, uint64_t address) { return find(dso_load(s, dso), address); }

uint32_t dso_find_after(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	const struct dso *d = dso_load(s, dso);
	uint64_t address = to_address(d, dso_off);

	return d->blocks ? kernel_blocks_find_after(d->blocks, address) : table_find_after(d, address);
}

void dso_find_sorted(struct symbols *s, uint32_t dso, const uint64_t *offs, uint32_t *syms, size_t n)
{
	enum { BATCH = 1024 };
	uint64_t addresses[BATCH];
	const struct dso *d = dso_load(s, dso);

	for (size_t i = 0; d->blocks && i < n; i++)
		syms[i] = kernel_blocks_find(d->blocks, to_address(d, offs[i]));
	for (size_t done = 0, batch; !d->blocks && done < n; done += batch) {
		batch = MIN(n - done, BATCH);
		for (size_t i = 0; i < batch; i++)
			addresses[i] = to_address(d, offs[done + i]);
		table_find_sorted(d, addresses, syms + done, batch);
	}
}

bool dso_span(struct symbols *s, uint32_t dso, uint64_t *start, uint64_t *end)
{
	const struct dso *d = dso_load(s, dso);

	if (d->blocks) {
		kernel_blocks_span(d->blocks, start, end);
	} else if (d->n_symbols) {
		*start = d->symbols[0].start;
		*end = d->symbols[d->n_symbols - 1].end;
	}
	return d->blocks || d->n_symbols;
}

const struct symbol *dso_symbol(const struct symbols *s, uint32_t dso, uint32_t symbol)
{
	const struct dso *d = symbols_get_dso(s, dso);

	if (d->blocks)
		return symbol ? kernel_blocks_symbol(d->blocks, symbol) : NULL;
	return symbol && symbol <= d->n_symbols ? &d->symbols[symbol - 1] : NULL;
}

uint64_t symbol_offset(struct symbols *s, uint32_t dso, uint32_t symbol, uint64_t dso_off)
{
	return dso_address(s, dso, dso_off) - dso_symbol(s, dso, symbol)->start;
}

/* Return the slot that keeps the name of a symbol once it is known. */
static _Atomic(const char *) *name_slot(const struct dso *d, uint32_t symbol)
{
	return d->blocks ? kernel_blocks_name(d->blocks, symbol) : &d->names[symbol - 1];
}

const char *symbol_name(struct symbols *s, uint32_t dso, uint32_t symbol)
{
	struct dso *d = symbols_get_dso(s, dso);
	const struct symbol *sym = dso_symbol(s, dso, symbol);
	_Atomic(const char *) *slot;
	const char *name;

	if (!sym)
		return "[unknown]";
	slot = name_slot(d, symbol);
	name = atomic_load_explicit(slot, memory_order_acquire);
	if (name)
		return name;
	pthread_mutex_lock(&d->lock);
	name = atomic_load_explicit(slot, memory_order_relaxed);
	if (!name) {
		name = table_best_text(d, sym, s->opts.no_demangle, &d->arena);
		if (d->list)
			kernel_list_touched(d->list);
		if (s->opts.short_templates && !(sym->flags & SYMBOL_RAW))
			name = shorten_templates(name, &d->arena);
		atomic_store_explicit(slot, name, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
	return name;
}

const char *dso_problem(const struct symbols *s, uint32_t dso)
{
	const struct dso *d = symbols_get_dso(s, dso);

	return atomic_load_explicit(&d->loaded, memory_order_acquire) && d->problem ? reasons[d->problem].text : NULL;
}

enum reason dso_reason(struct symbols *s, uint32_t dso) { return dso_load(s, dso)->problem; }

enum reason dso_why_unnamed(struct symbols *s, uint32_t dso)
{
	const struct dso *d = dso_load(s, dso);

	if (d->kind == DSO_KIND_ANON)
		return REASON_NOT_CODE;
	if (d->problem)
		return d->problem;
	return d->kind == DSO_KIND_JIT ? REASON_NOT_IN_MAP : REASON_NO_SYMBOL;
}

bool dso_is_bundled(const struct symbols *s, uint32_t dso)
{
	const struct dso *d = symbols_get_dso(s, dso);

	return atomic_load_explicit(&d->loaded, memory_order_acquire) && d->from_bundle;
}

const char *dso_file(struct symbols *s, uint32_t dso)
{
	const struct dso *d = dso_load(s, dso);

	return d->image ? d->image->path : NULL;
}
