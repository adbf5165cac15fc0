/*
 * The types of a kernel or a module, read from a file as libbpf does; "f" and "s" are the names of
 * function and struct in the corpus.
 */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "probe/kernel_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct btf_types *b, uint32_t type, unsigned depth)
{
	struct type_source s = types_of_btf(b);
	autofree char *name = btf_type_name(b, type);
	const char *names[16];
	struct type_member m;
	struct type_info t;

	s.describe(s.of, type, &t);
	for (size_t i = 0, n = s.member_names(s.of, type, names, ARRAY_SIZE(names)); i < n; i++)
		if (s.member(s.of, type, names[i], &m) && depth < 2)
			walk(b, m.type, depth + 1);
	s.member(s.of, type, "nothing", &m);
	if (t.target && depth < 2)
		walk(b, t.target, depth + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);
	autofree char *path = xasprintf("/proc/self/fd/%d", fd);
	struct btf_types *b = NULL;
	struct fetch_variable v;
	const char *why;

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		b = btf_types_open(NULL, path, NULL);
	if (b) {
		struct type_source s = types_of_btf(b);

		for (unsigned i = 0; i < 16 && btf_parameter(b, "f", i, i % 2 ? EM_X86_64 : EM_AARCH64, &v, &why); i++)
			walk(b, v.type, 0);
		walk(b, s.named(s.of, 0, "s"), 0);
		for (uint32_t id = 0; id < 12; id++)
			walk(b, id, 0);
	}
	btf_types_close(b);
	close(fd);
	return 0;
}
