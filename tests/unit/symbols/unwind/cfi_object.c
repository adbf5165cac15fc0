#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <zlib.h>
#include "symbols/arch/arch_priv.h"
#include "symbols/unwind/cfi_priv.h"

/*
 * Objects of 64 bits in the byte order of x86-64: the header, room for segments, then data and the headers of sections.
 * Segments map the file to BASE. Each section of CFI describes one function of 16 bytes, in which the CFA is rsp plus
 * an offset; this offset shows which section a row is from.
 */
enum { BASE = 0x100000, FUNCTION = 0x1000, OTHER = 0x2000, SEGMENTS = 4, SECTIONS = 6 };

struct object {
	uint8_t bytes[4096];
	size_t len;
	Elf64_Phdr segments[SEGMENTS];
	Elf64_Shdr sections[SECTIONS];
	uint16_t n_segments, n_sections;
	char names[128];
	size_t names_len;
	uint16_t machine;
};

static struct object begin(void)
{
	return (struct object){ .len = sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr),
				.n_sections = 1,
				.names_len = 1,
				.machine = EM_X86_64 };
}

static size_t place(struct object *o, const void *data, size_t len)
{
	size_t at = o->len = ROUND_UP(o->len, (size_t)8);

	assert_true(at + len <= sizeof(o->bytes));
	memcpy(o->bytes + at, data, len);
	o->len += len;
	return at;
}

static Elf64_Shdr *section(struct object *o, const char *name, uint32_t type, size_t at, size_t len)
{
	Elf64_Shdr *s = &o->sections[o->n_sections++];

	assert_true(o->n_sections <= SECTIONS && o->names_len + strlen(name) < sizeof(o->names));
	*s = (Elf64_Shdr){ .sh_name = (uint32_t)o->names_len,
			   .sh_type = type,
			   .sh_offset = at,
			   .sh_size = len,
			   .sh_addr = BASE + at };
	strcpy(o->names + o->names_len, name);
	o->names_len += strlen(name) + 1;
	return s;
}

static void segment(struct object *o, uint32_t type, size_t at, size_t len)
{
	o->segments[o->n_segments++] =
		(Elf64_Phdr){ .p_type = type, .p_offset = at, .p_filesz = len, .p_memsz = len, .p_vaddr = BASE + at };
}

static void end(struct object *o)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = o->machine,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_phoff = sizeof(Elf64_Ehdr),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = o->n_segments,
			 .e_shentsize = sizeof(Elf64_Shdr) };

	if (o->n_sections > 1) {
		section(o, ".shstrtab", SHT_STRTAB, 0, 0);
		o->sections[o->n_sections - 1].sh_offset = place(o, o->names, o->names_len);
		o->sections[o->n_sections - 1].sh_size = o->names_len;
		h.e_shoff = place(o, o->sections, o->n_sections * sizeof(Elf64_Shdr));
		h.e_shnum = o->n_sections;
		h.e_shstrndx = o->n_sections - 1;
	}
	memcpy(o->bytes, &h, sizeof(h));
	memcpy(o->bytes + sizeof(h), o->segments, sizeof(o->segments));
}

/* A CIE with absolute pointers, the entry of one function, and the zero that ends .eh_frame. */
struct frames {
	uint8_t bytes[64];
};

static struct frames frames_of(bool is_eh, uint64_t function, uint8_t offset)
{
	/* DW_CFA_def_cfa 7 (rsp) `offset`, DW_CFA_offset 16 (return address) 1; the rest is DW_CFA_nop */
	const uint8_t eh[] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x0c, 7, offset, 0x90, 1 };
	const uint8_t debug[] = { 20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, 0x0c, 7, offset, 0x90, 1 };
	/* the CIE: bytes back from here, or its place in the section; behind the range, .eh_frame has a length of 0 */
	const uint32_t head[] = { is_eh ? 24 : 20, is_eh ? 28 : 0 };
	const uint64_t range[] = { function, 16 };
	struct frames f = { { 0 } };

	memcpy(f.bytes, is_eh ? eh : debug, is_eh ? sizeof(eh) : sizeof(debug));
	memcpy(f.bytes + 24, head, sizeof(head));
	memcpy(f.bytes + 32, range, sizeof(range));
	return f;
}

static size_t place_frames(struct object *o, bool is_eh, uint64_t function, uint8_t offset)
{
	struct frames f = frames_of(is_eh, function, offset);

	return place(o, &f, sizeof(f));
}

static void add_frames(struct object *o, const char *name, uint64_t function, uint8_t offset)
{
	size_t at = place_frames(o, !strcmp(name, ".eh_frame"), function, offset);

	section(o, name, SHT_PROGBITS, at, sizeof(struct frames));
}

static struct cfi *opened(const struct object *o)
{
	struct err e = { 0 };
	struct cfi *c = cfi_open(o->bytes, o->len, NULL, 0, &arch_x86_64, &e);

	if (!c)
		fail_msg("%s", e.what);
	return c;
}

/* The CFA's offset at an address; 0: there is no row. */
static int64_t offset_at(const struct cfi *c, uint64_t address)
{
	union cfi_row_room room;
	const struct cfi_row *row = cfi_row_at(c, address, &room);

	return row ? row->cfa.offset : 0;
}

static void object_has(const struct object *o, uint64_t address, int64_t offset)
{
	struct cfi *c = opened(o);

	assert_int_equal(offset_at(c, address), offset);
	cfi_close(c);
}

/* ---- sections ---- */

static void eh_frame_is_asked_before_debug_frame(void **state)
{
	struct object o = begin();
	struct cfi *c;

	add_frames(&o, ".debug_frame", FUNCTION, 32);
	add_frames(&o, ".eh_frame", FUNCTION, 16);
	end(&o);
	c = opened(&o);
	assert_int_equal(offset_at(c, FUNCTION), 16);
	assert_int_equal(offset_at(c, FUNCTION + 15), 16);
	assert_int_equal(offset_at(c, FUNCTION + 16), 0);
	assert_int_equal(offset_at(c, FUNCTION - 1), 0);
	assert_true(cfi_has_more(c));
	cfi_close(c);
}

static void debug_frame_supplies_what_eh_frame_leaves_out(void **state)
{
	struct object o = begin();
	struct cfi *c;

	add_frames(&o, ".eh_frame", FUNCTION, 16);
	add_frames(&o, ".debug_frame", OTHER, 32);
	end(&o);
	c = opened(&o);
	assert_int_equal(offset_at(c, FUNCTION), 16);
	assert_int_equal(offset_at(c, OTHER), 32);
	cfi_close(c);
}

static void of_two_sections_of_one_name_the_first_counts(void **state)
{
	struct object o = begin();

	add_frames(&o, ".eh_frame", FUNCTION, 16);
	add_frames(&o, ".eh_frame", OTHER, 32);
	end(&o);
	object_has(&o, FUNCTION, 16);
	object_has(&o, OTHER, 0);
}

static void an_object_without_frames_opens(void **state)
{
	struct object o = begin();

	section(&o, ".text", SHT_PROGBITS, 0, 8);
	end(&o);
	object_has(&o, FUNCTION, 0);
	o = begin();
	end(&o); /* no sections and no segments */
	object_has(&o, FUNCTION, 0);
}

/* Debug files have .eh_frame as SHT_NOBITS: its offset is that of other bytes. */
static void sections_that_are_not_in_the_file_do_not_count(void **state)
{
	static const struct {
		uint32_t type;
		int64_t offset; /* from the frames */
		uint64_t len;
		int64_t found;
	} cases[] = {
		{ SHT_PROGBITS, 0, sizeof(struct frames), 16 },
		{ SHT_NOBITS, 0, sizeof(struct frames), 0 },
		{ SHT_PROGBITS, 0, 0, 0 },
		{ SHT_PROGBITS, 0, 1 << 20, 0 },
		{ SHT_PROGBITS, 0, UINT64_MAX, 0 },
		{ SHT_PROGBITS, 1 << 20, sizeof(struct frames), 0 },
		{ SHT_PROGBITS, -4096, UINT64_MAX, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct object o = begin();
		size_t at = place_frames(&o, true, FUNCTION, 16);

		section(&o, ".eh_frame", cases[i].type, at + (size_t)cases[i].offset, cases[i].len);
		end(&o);
		object_has(&o, FUNCTION, cases[i].found);
	}
}

static void a_section_may_reach_to_the_last_byte(void **state)
{
	for (size_t len = sizeof(struct frames) - 1; len <= sizeof(struct frames); len++) {
		struct object o = begin();
		struct frames f = frames_of(true, FUNCTION, 16);
		Elf64_Shdr *s = section(&o, ".eh_frame", SHT_PROGBITS, 0, sizeof(f));
		Elf64_Ehdr h;

		end(&o);
		s->sh_offset = place(&o, &f, len); /* behind the headers */
		memcpy(&h, o.bytes, sizeof(h));
		memcpy(o.bytes + h.e_shoff, o.sections, sizeof(o.sections[0]) * o.n_sections);
		object_has(&o, FUNCTION, len == sizeof(f) ? 16 : 0);
	}
}

/* ---- compressed sections: elf(5), SHF_COMPRESSED ---- */

static struct object compressed(const char *name, uint32_t type, uint64_t stated_len)
{
	struct frames f = frames_of(!strcmp(name, ".eh_frame"), FUNCTION, 32);
	struct {
		Elf64_Chdr head;
		uint8_t bytes[256];
	} s = { .head = { .ch_type = type, .ch_size = stated_len, .ch_addralign = 1 } };
	uLongf len = sizeof(s.bytes);
	struct object o = begin();

	assert_int_equal(compress(s.bytes, &len, f.bytes, sizeof(f)), Z_OK);
	section(&o, name, SHT_PROGBITS, place(&o, &s, sizeof(s.head) + len), sizeof(s.head) + len)->sh_flags =
		SHF_COMPRESSED;
	end(&o);
	return o;
}

static void a_compressed_debug_frame_is_inflated(void **state)
{
	struct object o = compressed(".debug_frame", ELFCOMPRESS_ZLIB, sizeof(struct frames));

	object_has(&o, FUNCTION, 32);
	o = compressed(".eh_frame", ELFCOMPRESS_ZLIB, sizeof(struct frames)); /* it is loaded, so no linker does this */
	object_has(&o, FUNCTION, 0);
}

static void wrong_lengths_of_compressed_sections_do_no_harm(void **state)
{
	static const uint64_t lengths[] = { 0, 1, sizeof(struct frames) + 1, (512 << 20) + 1, UINT64_MAX };
	struct object o;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		o = compressed(".debug_frame", ELFCOMPRESS_ZLIB, lengths[i]);
		object_has(&o, FUNCTION, 0);
	}
	o = compressed(".debug_frame", 77, sizeof(struct frames)); /* no such kind of compression */
	object_has(&o, FUNCTION, 0);
}

/* ---- without sections: LSB Core, "The .eh_frame_hdr section" ---- */

enum { PCREL_SDATA4 = 0x1b, OMIT = 0xff };

/*
 * The function's start counts from its own place, as compilers write it, and the table of functions is left out.
 * `off_by` moves the address of .eh_frame.
 */
static struct object stripped(uint8_t version, uint8_t encoding, int32_t off_by)
{
	struct object o = begin();
	size_t frames = place_frames(&o, true, FUNCTION, 16), at;
	uint8_t hdr[8] = { version, encoding, OMIT, OMIT };
	uint64_t start = FUNCTION - (BASE + frames + 32);
	int32_t distance;

	o.bytes[frames + 16] = 0x10; /* DW_EH_PE_pcrel */
	memcpy(o.bytes + frames + 32, &start, sizeof(start));
	at = place(&o, hdr, sizeof(hdr));
	distance = (int32_t)(frames - at) - 4 + off_by;
	memcpy(o.bytes + at + 4, &distance, 4);
	segment(&o, PT_LOAD, 0, o.len);
	segment(&o, PT_GNU_EH_FRAME, at, sizeof(hdr));
	end(&o);
	return o;
}

static void without_sections_the_segment_shows_the_frames(void **state)
{
	struct object o = stripped(1, PCREL_SDATA4, 0);

	object_has(&o, FUNCTION, 16);
}

static void what_the_segment_shows_may_be_wrong(void **state)
{
	struct object o = stripped(2, PCREL_SDATA4, 0);

	object_has(&o, FUNCTION, 0);
	o = stripped(1, OMIT, 0);
	object_has(&o, FUNCTION, 0);
	o = stripped(1, PCREL_SDATA4, 1 << 16); /* behind the loaded segment */
	object_has(&o, FUNCTION, 0);
	o = stripped(1, PCREL_SDATA4, -(1 << 16)); /* before it */
	object_has(&o, FUNCTION, 0);
}

static void segment_is_ignored(unsigned i, uint64_t off, uint64_t len, uint64_t address)
{
	struct object o = stripped(1, PCREL_SDATA4, 0);

	o.segments[i].p_offset += off;
	o.segments[i].p_filesz += len;
	o.segments[i].p_vaddr += address;
	memcpy(o.bytes + sizeof(Elf64_Ehdr), o.segments, sizeof(o.segments));
	object_has(&o, FUNCTION, 0);
}

/* 0 is the loaded segment, 1 that of .eh_frame_hdr. The addresses stay those of the same bytes. */
static void segments_that_are_not_in_the_file_do_not_count(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		segment_is_ignored(i, 0, 1 << 20, 0);
		segment_is_ignored(i, 1 << 20, 0, 1 << 20);
	}
	segment_is_ignored(1, 0, UINT64_MAX - 8, 0);             /* the end wraps around */
	segment_is_ignored(0, (uint64_t)-64, 64, (uint64_t)-64); /* begins before the file */
}

static void an_empty_section_leaves_it_to_the_segment(void **state)
{
	struct object o = stripped(1, PCREL_SDATA4, 0), stays = o;

	section(&o, ".eh_frame", SHT_PROGBITS, 0, 0);
	end(&o);
	object_has(&o, FUNCTION, 16);
	section(&stays, ".eh_frame", SHT_PROGBITS, 0, 8); /* the header: no frames */
	end(&stays);
	object_has(&stays, FUNCTION, 0);
}

static void sections_win_over_the_segment(void **state)
{
	struct object o = begin();
	uint8_t hdr[8] = { 1, PCREL_SDATA4, OMIT, OMIT };
	size_t frames = place_frames(&o, true, OTHER, 32), at;
	int32_t distance;

	add_frames(&o, ".eh_frame", FUNCTION, 16);
	at = place(&o, hdr, sizeof(hdr));
	distance = (int32_t)(frames - at) - 4;
	memcpy(o.bytes + at + 4, &distance, 4);
	segment(&o, PT_LOAD, 0, o.len);
	segment(&o, PT_GNU_EH_FRAME, at, sizeof(hdr));
	end(&o);
	object_has(&o, FUNCTION, 16);
	object_has(&o, OTHER, 0);
}

/* ---- debug files ---- */

static void only_an_object_without_debug_frame_takes_another(void **state)
{
	struct object o = begin(), debug = begin(), whole = begin();
	struct cfi *c;

	add_frames(&o, ".eh_frame", FUNCTION, 16);
	end(&o);
	add_frames(&debug, ".eh_frame", OTHER, 24); /* not this one: it may be of another build */
	add_frames(&debug, ".debug_frame", OTHER, 32);
	end(&debug);
	add_frames(&whole, ".debug_frame", FUNCTION, 40);
	end(&whole);
	c = opened(&o);
	cfi_add_debug(c, debug.bytes, debug.len);
	assert_int_equal(offset_at(c, FUNCTION), 16);
	assert_int_equal(offset_at(c, OTHER), 32);
	cfi_add_debug(c, whole.bytes, whole.len); /* it has one now */
	assert_int_equal(offset_at(c, FUNCTION), 16);
	cfi_close(c);
	c = opened(&whole);
	cfi_add_debug(c, debug.bytes, debug.len);
	assert_int_equal(offset_at(c, FUNCTION), 40);
	assert_int_equal(offset_at(c, OTHER), 0);
	cfi_close(c);
}

static void debug_files_that_do_not_fit_are_ignored(void **state)
{
	for (int i = 0; i < 3; i++) {
		struct object o = begin(), debug = begin();
		struct cfi *c;

		add_frames(&o, ".eh_frame", FUNCTION, 16);
		end(&o);
		debug.machine = i == 0 ? EM_AARCH64 : EM_X86_64;
		add_frames(&debug, ".debug_frame", OTHER, 32);
		end(&debug);
		if (i == 1)
			debug.bytes[EI_CLASS] = ELFCLASS32;
		c = cfi_open(o.bytes, o.len, debug.bytes, i == 2 ? EI_NIDENT - 1 : debug.len, &arch_x86_64, NULL);
		assert_non_null(c);
		assert_int_equal(offset_at(c, FUNCTION), 16);
		assert_int_equal(offset_at(c, OTHER), 0);
		cfi_close(c);
	}
}

/* ---- anything ---- */

static void frames_alone_belong_at_their_address(void **state)
{
	struct frames f = frames_of(true, FUNCTION, 16);
	struct cfi *c;

	f.bytes[16] = 0x10; /* DW_EH_PE_pcrel: the field of the function's start is at 32 */
	memcpy(f.bytes + 32, &(uint64_t){ FUNCTION - (BASE + 32) }, 8);
	c = cfi_open_frames(f.bytes, sizeof(f), BASE, &arch_x86_64);
	assert_int_equal(offset_at(c, FUNCTION), 16);
	assert_int_equal(offset_at(c, FUNCTION + BASE), 0);
	cfi_close(c);
	cfi_close(NULL);
}

static void no_cut_and_no_changed_byte_does_harm(void **state)
{
	struct object forms[] = { stripped(1, PCREL_SDATA4, 0),
				  compressed(".debug_frame", ELFCOMPRESS_ZLIB, sizeof(struct frames)) };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		for (size_t len = 0; len < 2 * forms[i].len; len++) {
			size_t n = MIN(len, forms[i].len);
			uint8_t *exact = xmalloc(n + !n);
			struct cfi *c;

			memcpy(exact, forms[i].bytes, n);
			if (len >= forms[i].len)
				exact[len - forms[i].len] ^= 0xff;
			c = cfi_open(exact, n, NULL, 0, &arch_x86_64, NULL);
			if (c)
				(void)offset_at(c, FUNCTION);
			cfi_close(c);
			free(exact);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eh_frame_is_asked_before_debug_frame),
		cmocka_unit_test(debug_frame_supplies_what_eh_frame_leaves_out),
		cmocka_unit_test(of_two_sections_of_one_name_the_first_counts),
		cmocka_unit_test(an_object_without_frames_opens),
		cmocka_unit_test(sections_that_are_not_in_the_file_do_not_count),
		cmocka_unit_test(a_section_may_reach_to_the_last_byte),
		cmocka_unit_test(a_compressed_debug_frame_is_inflated),
		cmocka_unit_test(wrong_lengths_of_compressed_sections_do_no_harm),
		cmocka_unit_test(without_sections_the_segment_shows_the_frames),
		cmocka_unit_test(what_the_segment_shows_may_be_wrong),
		cmocka_unit_test(segments_that_are_not_in_the_file_do_not_count),
		cmocka_unit_test(an_empty_section_leaves_it_to_the_segment),
		cmocka_unit_test(sections_win_over_the_segment),
		cmocka_unit_test(only_an_object_without_debug_frame_takes_another),
		cmocka_unit_test(debug_files_that_do_not_fit_are_ignored),
		cmocka_unit_test(frames_alone_belong_at_their_address),
		cmocka_unit_test(no_cut_and_no_changed_byte_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
