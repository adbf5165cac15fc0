#ifndef SYMBOLS_FILE_IMAGE_H
#define SYMBOLS_FILE_IMAGE_H

#include <gelf.h>

#include "base/file.h"
#include "symbols/symbols.h"

/*
 * An opened ELF object. Treat everything read from it as hostile: libelf checks its indexes
 * against the file, we check the rest (section sizes, name offsets, link indexes). Only one
 * thread at a time may use `elf`. Other threads make their own with elf_memory(data, len),
 * which is cheap.
 */
struct image {
	struct file_map map; /* valid when `mapped` */
	const uint8_t *data;
	size_t len;
	void *heap; /* the bytes, when we made them (by decompression) */
	Elf *elf;
	char *path; /* NULL when it has none */
	struct build_id id;
	uint16_t type, machine; /* ET_, EM_ */
	uint64_t entry;         /* address where a program begins; 0: none */
	bool mapped, sparse;
	bool swap; /* its byte order is not the host's */
	/* A sparse copy has only these spans of bytes, ascending; the others read as zeros. */
	struct image_span {
		uint64_t offset, len;
	} * kept;
	size_t n_kept;
	struct image_segment {
		uint64_t offset, file_size, address;
		bool exec;
	} * segments; /* PT_LOAD, in file order; without these, code sections */
	size_t n_segments;
};

/*
 * Open the regular file `path`. Return -1 with e set when it is no regular file or no ELF
 * object.
 */
int image_open(struct image *im, const char *path, struct err *e);
/*
 * Open a file that is mapped already. The image takes over the mapping and releases it on
 * failure, too. `path` is kept for dso_file().
 */
int image_open_map(struct image *im, const struct file_map *map, const char *path, struct err *e);
/* Open bytes in memory. `heap` (may be NULL) is freed with the image, or at once on failure. */
int image_open_memory(struct image *im, const void *data, size_t len, void *heap, struct err *e);
/*
 * A file of which only parts are kept. Begin with its length, put the parts in ascending order, then open it; the
 * image takes the file over, also on failure.
 */
struct sparse_file {
	uint8_t *data;
	size_t len;
	VEC(struct image_span) kept;
};
int sparse_file_begin(struct sparse_file *f, uint64_t len);
void sparse_file_put(struct sparse_file *f, uint64_t offset, const void *bytes, uint64_t len);
int image_open_sparse(struct image *im, struct sparse_file *f, const char *path, struct err *e);
/* Return how many bytes from `offset` on are there, without a gap. */
uint64_t image_kept(const struct image *im, uint64_t offset);
void image_close(struct image *im);
/*
 * Return the section with this name, or NULL. Fill *shdr. The section may lie outside the file:
 * see image_section_bytes().
 */
Elf_Scn *image_section(const struct image *im, const char *name, GElf_Shdr *shdr);
/* Return a section's name, "" if it has none. The name ends inside the file. */
const char *image_section_name(const struct image *im, const GElf_Shdr *shdr);
/*
 * Return the section's bytes as they are in the file (not decompressed), or NULL with *len 0
 * when it has none or they lie outside the file.
 */
const uint8_t *image_section_bytes(const struct image *im, const GElf_Shdr *shdr, size_t *len);
/*
 * Announce that a section, or the whole image, will be read. The kernel then fetches its pages
 * ahead; otherwise it does not.
 */
void image_will_read(const struct image *im, const GElf_Shdr *section);
void image_will_read_much(const struct image *im);
/* Release the pages of a mapped file; they fault in again on demand. */
void image_release_pages(const struct image *im);
/*
 * Return the virtual address of a file offset, or the offset itself when no segment covers it.
 * Thread-safe.
 */
uint64_t image_address(const struct image *im, uint64_t offset);
/*
 * Find the file offset of a virtual address; return false when the file has no bytes for it.
 * Thread-safe.
 */
bool image_offset(const struct image *im, uint64_t address, uint64_t *offset);
void image_free(struct image *im); /* close it and free the struct; NULL is fine */

/*
 * Open a regular file for reading. Return -1 with errno set on failure. Refuse devices: opening
 * a device can change it.
 */
int open_regular(const char *path);
/* Return whether a part of the path is "..", which may lead out of the directory that the path lies in. */
bool has_dotdot(const char *path);

#endif
