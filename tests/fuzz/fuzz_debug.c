/* An ELF object with DWARF, and all queries of probes. */
#include <sys/mman.h>

#include "base/out.h"
#include "symbols/debug/debug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void types(struct debug *d, uint32_t type)
{
	for (unsigned depth = 0; type && depth < 4; depth++) {
		const char *names[8];
		struct type_info t;
		struct type_member m;
		size_t n = debug_member_names(d, type, names, 8);

		free(debug_type_name(d, type));
		debug_type(d, type, &t);
		for (size_t i = 0; i < n; i++)
			debug_member(d, type, names[i], &m);
		type = t.target;
	}
}

static void function(struct debug *d, const struct debug_function *f)
{
	struct debug_variables vars = { 0 };
	struct debug_lines lines = { 0 };
	struct debug_location l;

	debug_function_lines(d, f->id, true, &lines);
	debug_skip_prologue(d, f->id);
	debug_is_unoptimised(d, f->id);
	debug_line_instead(d, f->id, f->line + 1);
	types(d, debug_return_type(d, f->id));
	for (uint64_t at = f->entry; at < f->entry + 40; at += 13) {
		vec_clear(&vars);
		debug_find_variables(d, f->id, at, true, &vars);
		for (size_t i = 0; i < vars.len && i < 32; i++) {
			struct debug_ranges ranges = { 0 };

			debug_locate(d, vars.items[i].id, f->id, at, &l);
			debug_variable_ranges(d, vars.items[i].id, f->id, &ranges);
			types(d, debug_variable_type(d, vars.items[i].id));
			vec_free(&ranges);
		}
	}
	vec_free(&vars);
	vec_free(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("object", MFD_CLOEXEC);
	autofree char *path = xasprintf("/proc/self/fd/%d", fd);
	struct debug_functions f = { 0 };
	struct debug_lines lines = { 0 };
	struct debug_line l;
	const char *file;
	struct debug *d;
	size_t n;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	d = debug_open(path, NULL, NULL);
	if (d) {
		const struct debug_name *names = debug_names(d, &n);

		if (n && debug_narrow(d, names[n / 2].address))
			debug_find_functions(d, names[n / 2].name, NULL, &f);
		debug_widen(d);
		vec_clear(&f);
		for (size_t i = 0; i < n && i < 64; i++) {
			debug_plain_name(d, debug_demangle(d, names[i].name));
			debug_name_at(d, names[i].address);
			debug_line_at(d, names[i].address, &l);
		}
		debug_find_functions(d, "*", NULL, &f);
		debug_find_functions(d, "leaf", NULL, &f);
		for (size_t i = 0; i < f.len && i < 32; i++)
			function(d, &f.items[i]);
		debug_file_lines(d, "p.c", true, &lines, &file);
	}
	debug_close(d);
	vec_free(&f);
	vec_free(&lines);
	close(fd);
	return 0;
}
