#ifndef SYMBOLS_FILE_IMAGE_H
#define SYMBOLS_FILE_IMAGE_H

#include <gelf.h>

#include "base/file.h"
#include "symbols/symbols.h"

/*
 * An ELF object that was opened. All that is read from it is hostile: libelf checks its indexes against the file, we
 * check what it does not (section sizes, name offsets, link indexes). One thread at a time may use `elf`; who needs it
 * elsewhere makes his own with elf_memory(data, len), which is cheap.
 */
struct image {
	struct file_map map; /* when `mapped` */
	const uint8_t *data;
	size_t len;
	void *heap; /* the bytes, when we made them (decompressed) */
	Elf *elf;
	char *path; /* NULL when there is none */
	struct build_id id;
	uint16_t type, machine; /* ET_, EM_ */
	bool mapped;
	bool swap; /* of the other byte order */
	struct segment {
		uint64_t offset, file_size, address;
		bool exec;
	} * segments; /* PT_LOAD, in file order; else code sections */
	size_t n_segments;
};

/* Opens the regular file `path`. -1 with e set when it is none or no ELF object. */
int image_open(struct image *im, const char *path, struct err *e);
/* The same of a file mapped already; the mapping is taken, on failure released. `path` is kept for dso_file. */
int image_open_map(struct image *im, const struct file_map *map, const char *path, struct err *e);
/* Of bytes in memory; `heap` (may be NULL) is freed with the image, on failure at once. */
int image_open_memory(struct image *im, const void *data, size_t len, void *heap, struct err *e);
void image_close(struct image *im);
/* The section of that name, or NULL. *shdr is filled; a section with contents lies inside the file. */
Elf_Scn *image_section(const struct image *im, const char *name, GElf_Shdr *shdr);
/* A section's name, "" if it has none; bounded by the file. */
const char *image_section_name(const struct image *im, const GElf_Shdr *shdr);
/* Its bytes as they are in the file (not decompressed), or NULL with *len 0. */
const uint8_t *image_section_bytes(const struct image *im, const GElf_Shdr *shdr, size_t *len);
/* A section, or all and everything, is about to be read: pages are fetched ahead from now on, which they are not
 * otherwise. */
void image_will_read(const struct image *im, const GElf_Shdr *section);
void image_will_read_much(const struct image *im);
/* File offset to virtual address; the offset itself where nothing tells. Both may run on many threads. */
uint64_t image_address(const struct image *im, uint64_t offset);
/* The other way; false when no file bytes lie at that address. */
bool image_offset(const struct image *im, uint64_t address, uint64_t *offset);
void image_free(struct image *im); /* close and free the struct as well; NULL is fine */

/* Open a regular file for reading. -1 with errno. Devices are not opened: to open some of them changes them. */
int open_regular(const char *path);

#endif
