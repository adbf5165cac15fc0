/*
 * Load the symbols of the vdso, the code that the kernel maps into every process. No file holds
 * it, but it is mapped into this process as well. Source: vdso(7).
 */
#include "symbols/name/sources.h"

#include "symbols/file/vdso.h"

int from_vdso(struct symbols *s, struct dso *d)
{
	struct symbol_table t = { 0 };
	size_t len;
	void *bytes;
	struct image *im;

	if (strcmp(d->long_name, "[vdso]")) {
		d->problem = REASON_VDSO_32;
		return 0;
	}
	d->image = open_cached(s, &d->id, "/vdso");
	if (!d->image) {
		bytes = s->opts.foreign || s->opts.symfs ? NULL : vdso_copy(&len);
		im = xcalloc(1, sizeof(*im));
		if (!bytes || image_open_memory(im, bytes, len, bytes, NULL) < 0) {
			free(im);
			d->problem = REASON_VDSO_FOREIGN;
			return 0;
		}
		/* Without an id compare the kernel: the vdso is part of it. */
		if (d->id.size ? !build_id_equal(&d->id, &im->id) : !running_kernel_fits(s)) {
			image_free(im);
			d->problem = REASON_VDSO_OTHER;
			return 0;
		}
		d->image = im;
	}
	if (!elf_add_symbols(d, d->image, SHT_SYMTAB, &t))
		elf_add_symbols(d, d->image, SHT_DYNSYM, &t);
	table_finish(&t, d, TABLE_ELF);
	return 1;
}
