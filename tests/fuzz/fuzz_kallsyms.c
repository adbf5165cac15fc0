/*
 * Kernel symbol lists, and the symbols made from them for the kernel and its modules. What a first lookup of many
 * addresses finds in a part of the list is what the whole list says.
 */
#include <sys/mman.h>

#include "symbols/name/kernel_list_priv.h"
#include "symbols/name/sources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load(struct symbols *s, struct dso *d)
{
	from_kallsyms_option(s, d);
	atomic_store(&d->loaded, true);
}

static struct symbols *kernel_of(const char *path)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ .kallsyms = path, .foreign = true });

	symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_text", .kernel = true });
	return s;
}

static void compare(const uint8_t *data, size_t size)
{
	enum { N = 64 };
	autoclose int fd = memfd_create("list", MFD_CLOEXEC);
	autofree char *path = xasprintf("/proc/self/fd/%d", fd);
	struct symbols *near = kernel_of(path), *whole = kernel_of(path);
	uint64_t asked[N];
	uint32_t found[N];

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	for (unsigned i = 0; i < N; i++)
		asked[i] = 0xffffffff81000000 + 7 * i;
	dso_find_sorted(near, DSO_KERNEL, asked, found, N);
	for (unsigned i = 0; i < N; i++) {
		uint32_t number = dso_find(whole, DSO_KERNEL, asked[i]);
		const struct symbol *a = dso_symbol(near, DSO_KERNEL, found[i]),
				    *b = dso_symbol(whole, DSO_KERNEL, number);

		if (!a != !b ||
		    (a && (a->start != b->start || a->end != b->end ||
			   strcmp(symbol_name(near, DSO_KERNEL, found[i]), symbol_name(whole, DSO_KERNEL, number)))))
			abort();
	}
	symbols_free(near);
	symbols_free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbols_opts opts = { .kallsyms = "/nonexistent", .foreign = true };
	struct symbols *s = symbols_new(&opts);
	autofree char *text = xmalloc(MAX(size, 1));
	uint32_t module = symbols_dso(s, &(struct dso_args){ .filename = "[mm]", .kernel = true });
	struct map_hit hit;

	memcpy(text, data, size);
	s->kallsyms = kernel_list_parse(text, size);
	symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_text", .kernel = true });
	space_map(
		s, SPACE_KERNEL,
		&(struct map_args){
			.start = 0xffffffff81000000, .len = 0x100000, .pgoff = 0xffffffff81000000, .dso = DSO_KERNEL });
	space_map(s, SPACE_KERNEL, &(struct map_args){ .start = 0xffffffffa0000000, .len = 0x1000, .dso = module });
	load(s, symbols_get_dso(s, DSO_KERNEL));
	load(s, symbols_get_dso(s, module));
	for (uint64_t addr = 0xffffffff81000000 - 64; addr < 0xffffffff81000200; addr += 7)
		if (space_find(s, SPACE_KERNEL, 0, addr, &hit))
			symbol_name(s, hit.dso, dso_find(s, hit.dso, hit.dso_off));
	for (uint64_t addr = 0xffffffffa0000000; addr < 0xffffffffa0001000; addr += 97)
		if (space_find(s, SPACE_KERNEL, 0, addr, &hit))
			symbol_name(s, hit.dso, dso_find(s, hit.dso, hit.dso_off));
	symbols_free(s);
	compare(data, size);
	return 0;
}
