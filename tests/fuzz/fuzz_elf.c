/* Symbol tables, linkage stubs, notes and embedded debug data of an object file, and its names. */
#include "symbols/name/sources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(struct symbols *s, uint32_t dso, const struct dso *d)
{
	uint64_t offs[256];
	uint32_t found[256];

	for (uint32_t i = 0; i < d->n_symbols; i += 1 + d->n_symbols / 500) {
		const struct symbol *symbol = dso_symbol(s, dso, i + 1);

		if (!symbol || (i && d->symbols[i - 1].start > symbol->start) || !symbol_name(s, dso, i + 1))
			abort();
	}
	for (uint64_t i = 0; i < ARRAY_SIZE(offs); i++)
		offs[i] = i * 97;
	dso_find_sorted(s, dso, offs, found, ARRAY_SIZE(offs));
	for (size_t i = 0; i < ARRAY_SIZE(offs); i++) {
		const struct symbol *symbol = dso_symbol(s, dso, found[i]);
		uint64_t address = dso_address(s, dso, offs[i]);

		if (symbol && (address < symbol->start || address >= symbol->end))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Look for no files: nothing exists below this root. */
	struct symbols_opts opts = { .symfs = "/nonexistent", .buildid_dir = "/dev/null", .foreign = true };
	struct symbols *s = symbols_new(&opts);
	uint32_t dso = symbols_dso(s, &(struct dso_args){ .filename = "/x", .exec = true });
	struct dso *d = symbols_get_dso(s, dso);
	struct image *im = xcalloc(1, sizeof(*im));
	/* A copy of exact size, so that the sanitizer sees reads beyond its end. */
	uint8_t *copy = xmalloc(MAX(size, 1));

	memcpy(copy, data, size);
	if (image_open_memory(im, copy, size, copy, NULL) < 0) {
		free(im);
	} else {
		d->image = im;
		elf_load(s, d);
		atomic_store(&d->loaded, true);
		look(s, dso, d);
	}
	symbols_free(s);
	return 0;
}
