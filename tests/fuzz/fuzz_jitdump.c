/* A jitdump file and the lines of its code. tests/e2e/workloads/jitter.c wrote the seed. */
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "symbols/name/jitdump.h"
#include "symbols/name/symbols_priv.h"
#include "symbols/unwind/jit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A recorder reads it in two parts, and asks for the rows of the first pieces. */
static void follow(const uint8_t *data, size_t size, const struct jitdump *whole)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), theirs = fd < 0 ? -1 : dup(fd);
	struct unwind_jit *j = theirs < 0 ? NULL : unwind_jit_open(fd, true);

	for (unsigned part = 0; j && part < 2; part++) {
		size_t from = part ? size / 2 : 0, to = part ? size : size / 2;

		if (write_all(theirs, data + from, to - from) == 0)
			unwind_jit_read(j);
		for (size_t i = 0; i < whole->codes.len && i < 64; i++) {
			const struct jitdump_code *code = &whole->codes.items[i];
			uint32_t piece = unwind_jit_find(j, code->start + code->len / 2, code->time_ns);

			if (piece)
				unwind_jit_row(j, piece, code->start + code->len / 2, arch_find("x86_64"));
		}
	}
	unwind_jit_free(j);
	if (theirs >= 0)
		close(theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump j = { 0 };
	enum reason problem;

	if (jitdump_parse(&j, data, size, &problem) < 0 && !problem)
		abort();
	for (size_t i = 0; i < j.codes.len; i++) {
		const struct jitdump_code *code = &j.codes.items[i];
		struct dso d = { .lines = code->lines, .lines_len = code->lines_len, .lines_swapped = j.swap };
		struct source_line l;

		if (strlen(code->name) >= size || code->bytes < data || code->bytes + code->len > data + size)
			abort();
		if (d.lines && jit_source_line(&d, code->start, &l) && strlen(l.file) >= size)
			abort();
	}
	follow(data, size, &j);
	vec_free(&j.codes);
	return 0;
}
