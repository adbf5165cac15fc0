#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <gelf.h>
#include <zlib.h>
#include "base/mem.h"
#include "symbols/line/inflate.h"
#include "symbols/file/elf_make.h"

/*
 * Compress a section as compilers do: a header with the length, then a zlib stream. `claimed`:
 * the length to state, 0 = the right one.
 */
static struct elf_part deflated_by(int level, const char *name, const uint8_t *text, size_t len, uint64_t claimed)
{
	uLongf room = compressBound(len);
	uint8_t *bytes = xcalloc(1, sizeof(Elf64_Chdr) + room);

	*(Elf64_Chdr *)bytes =
		(Elf64_Chdr){ .ch_type = ELFCOMPRESS_ZLIB, .ch_size = claimed ? claimed : len, .ch_addralign = 1 };
	assert_int_equal(compress2(bytes + sizeof(Elf64_Chdr), &room, text, len, level), Z_OK);
	return (struct elf_part){ .name = name,
				  .type = SHT_PROGBITS,
				  .flags = SHF_COMPRESSED,
				  .align = 8,
				  .data = bytes,
				  .len = sizeof(Elf64_Chdr) + room };
}

static struct elf_part deflated(const char *name, const uint8_t *text, size_t len, uint64_t claimed)
{
	return deflated_by(9, name, text, len, claimed);
}

static struct inflated *inflate_parts(struct elf_part *parts, size_t n, struct elf_bytes *object)
{
	object->data = elf_make(ET_DYN, EM_X86_64, parts, n, &object->len);
	for (size_t i = 0; i < n; i++)
		if (parts[i].flags & SHF_COMPRESSED)
			free((void *)(uintptr_t)parts[i].data);
	return inflated_new(*object);
}

/* Return a section of the new object; NULL when it has none of that name. */
static const uint8_t *section(const struct inflated *x, const char *name, size_t *len)
{
	struct elf_bytes b = inflated_bytes(x);
	Elf *elf = elf_memory((char *)(uintptr_t)b.data, b.len);
	const uint8_t *found = NULL;
	size_t names;
	GElf_Shdr h;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn))
		if (gelf_getshdr(scn, &h) && !strcmp(elf_strptr(elf, names, h.sh_name), name)) {
			assert_true(h.sh_offset <= b.len && h.sh_size <= b.len - h.sh_offset);
			found = (const uint8_t *)b.data + h.sh_offset;
			*len = h.sh_size;
		}
	elf_end(elf);
	return found;
}

static void compressed_data_is_inflated_and_the_rest_stays(void **state)
{
	static const uint8_t info[] = "entries", lines[] = "lines lines lines", places[] = "places places";
	struct elf_part parts[] = {
		{ .name = ".debug_info", .type = SHT_PROGBITS, .align = 1, .data = info, .len = sizeof(info) },
		deflated(".debug_line", lines, sizeof(lines), 0),
		deflated(".debug_loclists", places, sizeof(places), 0),
		deflated(".debug_macro", lines, sizeof(lines), 0),
	};
	struct elf_bytes object;
	struct inflated *x = inflate_parts(parts, ARRAY_SIZE(parts), &object);
	const uint8_t *found;
	size_t len;

	assert_non_null(x);
	found = section(x, ".debug_info", &len);
	assert_true(found && len == sizeof(info) && !memcmp(found, info, len));
	found = section(x, ".debug_line", &len);
	assert_true(found && len == sizeof(lines) && !memcmp(found, lines, len));
	found = section(x, ".debug_loclists", &len);
	assert_true(found && len == sizeof(places) && !found[0]);
	inflated_add_locations(x);
	assert_memory_equal(found, places, sizeof(places));
	assert_null(section(x, ".debug_macro", &len));
	inflated_free(x);
	free((void *)(uintptr_t)object.data);
}

/*
 * Only the requested beginning of .debug_info is inflated, and all of it in the end; the other
 * sections are complete with its first byte.
 */
static void entries_come_as_far_as_they_are_wanted(void **state)
{
	enum { LEN = 3 << 20 };
	autofree uint8_t *info = xmalloc(LEN), *lines = xmalloc(LEN);
	static const uint8_t ranges[] = "ranges ranges ranges";
	const size_t wanted[] = { 1, 4095, 4096, LEN / 3, LEN / 3, LEN - 300, LEN - 1, LEN, 5 };
	struct elf_bytes object;
	const uint8_t *found, *others;
	uint32_t seed = 1;
	size_t len;

	for (size_t i = 0; i < LEN; i++) { /* long copies, short ones and single bytes */
		seed = seed * 1664525 + 1013904223;
		info[i] = seed >> 30 && i > 600 ? info[i - 600 + i / 1000 % 300] : (uint8_t)(seed >> 24);
		lines[i] = (uint8_t)(i / 3);
	}
	for (size_t from = 0; from < ARRAY_SIZE(wanted); from++) {
		struct elf_part parts[] = { deflated(".debug_info", info, LEN, 0),
					    deflated(".debug_line", lines, LEN, 0),
					    deflated(".debug_aranges", ranges, sizeof(ranges), 0) };
		struct inflated *x;

		inflated_free(inflate_parts(parts, ARRAY_SIZE(parts), &object));
		x = inflated_new_lazy(object);
		assert_non_null(x);
		found = section(x, ".debug_aranges", &len);
		assert_memory_equal(found, ranges, sizeof(ranges));
		found = section(x, ".debug_info", &len);
		others = section(x, ".debug_line", &len);
		assert_true(!found[0] && !found[LEN / 2] && !others[LEN / 2]);
		for (size_t i = from; i < ARRAY_SIZE(wanted); i++) {
			assert_true(inflated_info(x, wanted[i]));
			assert_memory_equal(found, info, wanted[i]);
			assert_memory_equal(others, lines, LEN);
			if (i == from && wanted[i] <= LEN / 3)
				assert_true(!found[LEN / 2] && !found[LEN - 1]);
		}
		if (wanted[from] == 5)
			assert_false(inflated_info(x, LEN + 1));
		inflated_free(x);
		free((void *)(uintptr_t)object.data);
	}
}

static void nothing_deflated_needs_no_other_object(void **state)
{
	struct elf_part parts[] = {
		{ .name = ".debug_info", .type = SHT_PROGBITS, .align = 1, .data = "x", .len = 1 }
	};
	struct elf_bytes object;

	assert_null(inflate_parts(parts, 1, &object));
	free((void *)(uintptr_t)object.data);
	assert_null(inflated_new((struct elf_bytes){ "", 0 }));
	assert_null(inflated_new((struct elf_bytes){ "\x7f"
						     "ELF",
						     4 }));
}

/* Ten sections of a few KB each that expand to 30 MB of zeros. */
static void no_object_grows_beyond_measure(void **state)
{
	enum { N = 10, LEN = 30 << 20 };
	static const char *const names[N] = { ".debug_info",   ".debug_abbrev",   ".debug_line",     ".debug_str",
					      ".debug_ranges", ".debug_rnglists", ".debug_line_str", ".debug_addr",
					      ".debug_types",  ".debug_x" };
	autofree uint8_t *zeros = xcalloc(1, LEN);
	struct elf_part parts[N];
	struct elf_bytes object;
	struct inflated *x;
	size_t len;

	for (size_t i = 0; i < N; i++)
		parts[i] = deflated(names[i], zeros, LEN, 0);
	x = inflate_parts(parts, N, &object);
	assert_non_null(x);
	assert_true(inflated_bytes(x).len <= (64 << 20) + 16 * object.len + 4096);
	assert_true(section(x, ".debug_info", &len) && len == LEN);
	assert_null(section(x, ".debug_x", &len));
	inflated_free(x);
	free((void *)(uintptr_t)object.data);
}

static void lengths_that_are_wrong_come_out_empty_or_not_at_all(void **state)
{
	enum { LEN = 5 << 20 };
	autofree uint8_t *noise = xmalloc(LEN);
	struct elf_bytes object;
	struct inflated *x;
	const uint8_t *found;
	size_t len;

	memset(noise, 0x5a, LEN);
	for (size_t i = 0; i < 3; i++) {
		const uint64_t claims[] = { LEN + 1, UINT64_MAX, LEN - 1 };
		struct elf_part parts[] = { deflated(".debug_info", noise, LEN, claims[i]) };

		x = inflate_parts(parts, 1, &object);
		assert_non_null(x);
		found = section(x, ".debug_info", &len);
		assert_int_equal(found != NULL, i != 1);
		for (size_t at = 0; found && at < len; at++)
			if (found[at])
				fail_msg("byte %zu is not zero", at);
		inflated_free(x);
		free((void *)(uintptr_t)object.data);
	}
}

/* "Compressed" by method 0, which is our own word for what is not: nothing may be copied from behind its end. */
static void a_section_without_method_does_not_exist(void **state)
{
	enum { LEN = 4 << 20 };
	autofree uint8_t *text = xcalloc(1, LEN);
	struct elf_part parts[] = { deflated(".debug_info", text, LEN, 0) };
	struct elf_bytes object;
	struct inflated *x;
	size_t len;

	((Elf64_Chdr *)(uintptr_t)parts[0].data)->ch_type = 0;
	x = inflate_parts(parts, 1, &object);
	assert_non_null(x);
	assert_null(section(x, ".debug_info", &len));
	inflated_free(x);
	free((void *)(uintptr_t)object.data);
}

/* Stored blocks of 64 KB end where no copy does. */
static void entries_that_could_not_be_packed_come_as_far_as_they_are_wanted(void **state)
{
	enum { LEN = 1 << 20 };
	static const uint64_t wanted[] = { 100, 65535, 65536, 300000, LEN - 70000, LEN - 1, LEN };
	autofree uint8_t *text = xmalloc(LEN);

	for (uint32_t i = 0; i < LEN; i++)
		text[i] = (uint8_t)(1 + (i * i >> 9 ^ i >> 3) % 251);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct elf_part part = deflated_by(0, ".debug_info", text, LEN, 0);
		struct elf_bytes object = { .data = elf_make(ET_DYN, EM_X86_64, &part, 1, &object.len) };
		struct inflated *x = inflated_new_lazy(object);
		size_t len;

		assert_non_null(x);
		assert_false(inflated_info(x, LEN + 1));
		assert_true(inflated_info(x, wanted[i]));
		assert_memory_equal(section(x, ".debug_info", &len), text, wanted[i]);
		assert_int_equal(len, LEN);
		inflated_free(x);
		free((void *)(uintptr_t)part.data);
		free((void *)(uintptr_t)object.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_data_is_inflated_and_the_rest_stays),
		cmocka_unit_test(entries_come_as_far_as_they_are_wanted),
		cmocka_unit_test(entries_that_could_not_be_packed_come_as_far_as_they_are_wanted),
		cmocka_unit_test(nothing_deflated_needs_no_other_object),
		cmocka_unit_test(no_object_grows_beyond_measure),
		cmocka_unit_test(lengths_that_are_wrong_come_out_empty_or_not_at_all),
		cmocka_unit_test(a_section_without_method_does_not_exist),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
