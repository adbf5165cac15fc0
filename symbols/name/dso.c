/* Load an object's symbols once, at the first lookup, and look addresses up in them. */
#include "base/search.h"
#include "symbols/name/bundle.h"
#include "symbols/name/demangle.h"
#include "symbols/name/kernel_list_priv.h"
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

/* The same; `asked` are the addresses that will be looked up first, ascending. */
static struct dso *load_for(struct symbols *s, uint32_t dso, const uint64_t *asked, size_t n)
{
	struct dso *d = symbols_get_dso(s, dso);

	if (atomic_load_explicit(&d->loaded, memory_order_acquire))
		return d;
	pthread_mutex_lock(&d->lock);
	if (!atomic_load_explicit(&d->loaded, memory_order_relaxed)) {
		d->asked = asked;
		d->n_asked = n;
		load(s, d);
		d->n_asked = 0;
		atomic_store_explicit(&d->loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
	return d;
}

struct dso *dso_load(struct symbols *s, uint32_t dso) { return load_for(s, dso, NULL, 0); }

/* Read the rest of the symbols behind the near ones. */
static void complete(struct dso *d)
{
	if (!d->near.n || atomic_load_explicit(&d->complete, memory_order_acquire))
		return;
	pthread_mutex_lock(&d->lock);
	if (!atomic_load_explicit(&d->complete, memory_order_relaxed)) {
		from_kallsyms_rest(d);
		atomic_store_explicit(&d->complete, true, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
}

struct dso *dso_load_all(struct symbols *s, uint32_t dso)
{
	struct dso *d = dso_load(s, dso);

	complete(d);
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

/*
 * Return the number of the near symbol that covers the address, 0 = none. Near symbols do not
 * overlap: each ends where the next one of the list begins. Among several at one address, only the
 * last has a size. So no symbol has a second name.
 */
static uint32_t find_near(const struct dso *d, uint64_t address)
{
	const struct symbol *symbols = d->near.symbols;
	uint32_t at = (uint32_t)search_count(i, d->near.n, symbols[i].start <= address);

	return at && address < symbols[at - 1].end ? at : 0;
}

static uint32_t find(struct dso *d, uint64_t address)
{
	uint32_t found = find_near(d, address);

	if (found)
		return found;
	complete(d);
	found = table_find(d, address);
	return found ? found + d->near.n : 0;
}

uint32_t dso_find(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	struct dso *d = dso_load(s, dso);

	return find(d, to_address(d, dso_off));
}

uint32_t dso_find_address(struct symbols *s, uint32_t dso, uint64_t address) { return find(dso_load(s, dso), address); }

uint32_t dso_find_after(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	struct dso *d = dso_load_all(s, dso);
	uint32_t found = table_find_after(d, to_address(d, dso_off));

	return found ? found + d->near.n : 0;
}

void dso_find_sorted(struct symbols *s, uint32_t dso, const uint64_t *offs, uint32_t *syms, size_t n)
{
	enum { BATCH = 1024 };
	uint64_t addresses[BATCH];
	struct dso *d = load_for(s, dso, offs, n);

	for (size_t i = 0; d->near.n && i < n; i++)
		syms[i] = find(d, to_address(d, offs[i]));
	for (size_t done = 0, batch; !d->near.n && done < n; done += batch) {
		batch = MIN(n - done, BATCH);
		for (size_t i = 0; i < batch; i++)
			addresses[i] = to_address(d, offs[done + i]);
		table_find_sorted(d, addresses, syms + done, batch);
	}
}

const struct symbol *dso_symbol(const struct symbols *s, uint32_t dso, uint32_t symbol)
{
	const struct dso *d = symbols_get_dso(s, dso);

	if (symbol && symbol <= d->near.n)
		return &d->near.symbols[symbol - 1];
	symbol -= d->near.n;
	return symbol && symbol <= d->n_symbols ? &d->symbols[symbol - 1] : NULL;
}

uint64_t symbol_offset(struct symbols *s, uint32_t dso, uint32_t symbol, uint64_t dso_off)
{
	return dso_address(s, dso, dso_off) - dso_symbol(s, dso, symbol)->start;
}

/*
 * Reading a name of the kernel's list loads up to 64 kB of the file: release the pages after this
 * many names.
 */
enum { NAMES_RESTED = 16 };

/* Return the slot that keeps the name of a symbol once it is known. */
static _Atomic(const char *) *name_slot(const struct dso *d, uint32_t symbol)
{
	return symbol <= d->near.n ? &d->near.names[symbol - 1] : &d->names[symbol - d->near.n - 1];
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
		if (d->list && !(++d->n_listed % NAMES_RESTED))
			kernel_list_rest(d->list);
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
