/*
 * Lines and inlined calls of an ELF object. The seeds are tests/fuzz/tiny.c, built with -g -O1 -static -nostdlib
 * -fno-stack-protector by gcc (x86-64; -gdwarf-2 -gstrict-dwarf, -gdwarf-4, -gdwarf-5, -gz) and by clang with
 * --target=aarch64-linux-gnu and i386-linux-gnu, and LTO.
 */
#include "symbols/line/dwarf_priv.h"
#include "symbols/name/symbols_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct dwarf_info *w, uint64_t addr)
{
	struct inline_frame frames[16];
	struct source_line l, outer;
	size_t n = dwarf_info_inlines(w, addr, frames, 16, &outer);

	for (size_t i = 0; i < n; i++)
		if (!frames[i].name || strlen(frames[i].name) == SIZE_MAX)
			abort();
	if (dwarf_info_line(w, addr, &l) && strlen(l.file) == SIZE_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_info *w = dwarf_info_new((struct elf_bytes){ data, size }, (struct elf_bytes){ 0 }, NULL, false,
					      false),
			  *near;
	struct image im;

	if (!w)
		return 0;
	ask(w, 0);
	if (image_open_memory(&im, data, size, NULL, NULL) == 0) {
		for (size_t i = 0; i < im.n_segments && i < 8; i++)
			for (uint64_t off = 0; off < im.segments[i].file_size && off < 1024; off += 5)
				ask(w, im.segments[i].address + off);
		for (size_t i = 0; i < im.n_segments && i < 8;
		     i++) /* use the first unit there that is different from the others */
			for (uint64_t off = 0; off < im.segments[i].file_size && off < 1024; off += 97) {
				near = dwarf_info_new_near((struct elf_bytes){ data, size },
							   im.segments[i].address + off, false, false);
				for (uint64_t to = off; near && to < off + 256; to += 5)
					ask(near, im.segments[i].address + to);
				if (near)
					off = 1024;
				dwarf_info_free(near);
			}
		image_close(&im);
	}
	dwarf_info_free(w);
	return 0;
}
