#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include "symbols/arch/arch_priv.h"
#include "symbols/unwind/cfi_priv.h"

/* ---- objects built by the test: one section of CFI, byte by byte ---- */

struct object {
	uint8_t bytes[72 << 10];
	size_t len;
	bool big, is_64;
};

static void put(struct object *o, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		o->bytes[o->len++] = (uint8_t)(v >> 8 * (o->big ? size - 1 - i : i));
}

static void set(struct object *o, size_t at, uint64_t v, unsigned size)
{
	size_t len = o->len;

	o->len = at;
	put(o, v, size);
	o->len = len;
}

static void put_bytes(struct object *o, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o->bytes[o->len++] = bytes[i];
}

enum { CODE = 0x1000, CFI_AT = 0x40 };

/* Write the header last, when the lengths are known. The CFI lies at offset and address CFI_AT. */
static struct object begin(bool is_64, bool big)
{
	return (struct object){ .len = CFI_AT, .is_64 = is_64, .big = big };
}

static void end(struct object *o, uint16_t machine, const char *section)
{
	static const char names[] = "\0.shstrtab\0.eh_frame\0.debug_frame";
	size_t cfi_len = o->len - CFI_AT, names_at = o->len, shoff;
	unsigned word = o->is_64 ? 8 : 4;
	const uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F', o->is_64 ? 2 : 1, o->big ? 2 : 1, 1 };

	put_bytes(o, (const uint8_t *)names, sizeof(names));
	while (o->len % 8)
		put(o, 0, 1);
	shoff = o->len;
	for (int i = 0; i < 3; i++) {
		const uint64_t fields[3][4] = { { 0 },
						{ 1, SHT_STRTAB, names_at, sizeof(names) },
						{ !strcmp(section, ".eh_frame") ? 11 : 21, SHT_PROGBITS, CFI_AT,
						  cfi_len } };

		put(o, fields[i][0], 4);
		put(o, fields[i][1], 4);
		put(o, 0, word);
		put(o, i == 2 ? CFI_AT : 0, word);
		put(o, fields[i][2], word);
		put(o, fields[i][3], word);
		put(o, 0, 4);
		put(o, 0, 4);
		put(o, 1, word);
		put(o, 0, word);
	}
	memcpy(o->bytes, ident, sizeof(ident));
	set(o, 16, ET_DYN, 2);
	set(o, 18, machine, 2);
	set(o, 20, 1, 4);
	set(o, o->is_64 ? 40 : 32, shoff, word);
	set(o, o->is_64 ? 52 : 40, o->is_64 ? 64 : 52, 2);
	set(o, o->is_64 ? 58 : 46, o->is_64 ? 64 : 40, 2);
	set(o, o->is_64 ? 60 : 48, 3, 2);
	set(o, o->is_64 ? 62 : 50, 1, 2);
}

static size_t begin_entry(struct object *o, uint64_t id)
{
	put(o, 0, 4);
	put(o, id, 4);
	return o->len - 4;
}

static void end_entry(struct object *o, size_t at)
{
	while ((o->len - at) % 8)
		put(o, 0, 1);
	set(o, at - 4, o->len - at, 4);
}

static void put_cie(struct object *o, uint64_t id, const char *aug, uint8_t code_align, int8_t data_align, uint8_t ret,
		    const uint8_t *program, size_t n)
{
	size_t at = begin_entry(o, id);

	put(o, 1, 1);
	put_bytes(o, (const uint8_t *)aug, strlen(aug) + 1);
	put(o, code_align, 1);
	put(o, (uint8_t)data_align & 0x7f, 1);
	put(o, ret, 1);
	if (*aug == 'z') {
		put(o, 1, 1);
		put(o, 0, 1); /* R: absolute pointers */
	}
	put_bytes(o, program, n);
	end_entry(o, at);
}

/* Add a function of .eh_frame at [start, start + len); its CIE is the first entry. */
static void put_fde(struct object *o, uint64_t start, uint64_t len, const uint8_t *program, size_t n)
{
	size_t at = begin_entry(o, o->len + 4 - CFI_AT);
	unsigned word = o->is_64 ? 8 : 4;

	put(o, start, word);
	put(o, len, word);
	put(o, 0, 1);
	put_bytes(o, program, n);
	end_entry(o, at);
}

static const uint8_t x86_64_start[] = { 0x0c, 7, 8, 0x90, 1 }; /* CFA = rsp + 8, return address at CFA - 8 */
static const uint8_t push_rbp[] = {
	0x41, 0x0e, 16, 0x86, 2,    /* from +1: CFA = rsp + 16, rbp at CFA - 16 */
	0x43, 0x0d, 6,              /* from +4: CFA = rbp + 16 */
	0x0a,                       /* remember */
	0x4c, 0x0c, 7,  8,    0xc6, /* from +16: CFA = rsp + 8, rbp restored */
	0x41, 0x0b,                 /* from +17: as remembered */
};

static struct object x86_64_object(void)
{
	struct object o = begin(true, false);

	put_cie(&o, 0, "zR", 1, -8, 16, x86_64_start, sizeof(x86_64_start));
	put_fde(&o, CODE, 32, push_rbp, sizeof(push_rbp));
	put_fde(&o, CODE + 64, 16, NULL, 0);
	put(&o, 0, 4);
	end(&o, EM_X86_64, ".eh_frame");
	return o;
}

static const struct cfi_rule *rule_of(const struct cfi_row *row, unsigned reg)
{
	for (unsigned i = 0; i < row->n_rules; i++)
		if (row->rules[i].reg == reg)
			return &row->rules[i];
	return NULL;
}

static struct cfi *must_open(const struct object *o, const struct arch *a)
{
	struct err e = { 0 };
	struct cfi *c = cfi_open(o->bytes, o->len, NULL, 0, a, &e);

	if (!c)
		fail_msg("%s", e.what);
	return c;
}

/* ---- rows ---- */

enum { BP = 6, SP = 7, IP = 8 }; /* perf's numbers on x86 */

static void assert_cfa(const struct cfi_row *row, unsigned reg, int64_t offset)
{
	assert_non_null(row);
	assert_int_equal(row->cfa.how, CFI_REGISTER);
	assert_int_equal(row->cfa.reg, reg);
	assert_int_equal(row->cfa.offset, offset);
}

static void rows_follow_the_prologue(void **state)
{
	struct object o = x86_64_object();
	struct cfi *c = must_open(&o, &arch_x86_64);
	struct arena arena = { 0 };
	const struct cfi_row *row = cfi_row(c, CODE, &arena);

	assert_cfa(row, SP, 8);
	assert_int_equal(row->ret, IP);
	assert_int_equal(rule_of(row, IP)->offset, -8);
	assert_null(rule_of(row, BP));
	row = cfi_row(c, CODE + 1, &arena);
	assert_cfa(row, SP, 16);
	assert_int_equal(rule_of(row, BP)->how, CFI_OFFSET);
	assert_int_equal(rule_of(row, BP)->offset, -16);
	assert_cfa(cfi_row(c, CODE + 3, &arena), SP, 16);
	assert_cfa(cfi_row(c, CODE + 4, &arena), BP, 16);
	assert_cfa(cfi_row(c, CODE + 15, &arena), BP, 16);
	row = cfi_row(c, CODE + 16, &arena);
	assert_cfa(row, SP, 8);
	assert_null(rule_of(row, BP));
	row = cfi_row(c, CODE + 31, &arena);
	assert_cfa(row, BP, 16);
	assert_non_null(rule_of(row, BP));
	assert_cfa(cfi_row(c, CODE + 64 + 15, &arena), SP, 8);
	arena_release(&arena);
	cfi_close(c);
}

/* A walk takes its short way by these columns: see apply_plain() in walk.c. */
static void usual_rows_are_marked(void **state)
{
	static const uint8_t body[] = {
		0x41, 0x86, 2,                                  /* from +1: rbp at CFA - 16 */
		0x41, 0x87, 3,                                  /* from +2: rsp at CFA - 24 */
		0x41, 0xc7, 0x07, 6,                            /* from +3: rsp follows the CFA again, rbp is lost */
		0x41, 0x05, 6,    0x80, 0x80, 0x80, 0x80, 0x02, /* from +4: rbp at CFA - 2^32 */
		0x41, 0x86, 2,    0x0f, 3,    0x77, 8,    0x06, /* from +5: the CFA is in memory */
	};
	static const bool plain[] = { true, true, false, false, false, false };
	struct object o = begin(true, false);
	struct arena arena = { 0 };
	struct cfi *c;

	put_cie(&o, 0, "zR", 1, -8, 16, x86_64_start, sizeof(x86_64_start));
	put_fde(&o, CODE, 32, body, sizeof(body));
	end(&o, EM_X86_64, ".eh_frame");
	c = must_open(&o, &arch_x86_64);
	for (size_t i = 0; i < sizeof(plain); i++)
		assert_int_equal(cfi_row(c, CODE + i, &arena)->is_plain, plain[i]);
	assert_int_equal(cfi_row(c, CODE, &arena)->low, -8);
	assert_int_equal(cfi_row(c, CODE, &arena)->high, -8);
	assert_int_equal(cfi_row(c, CODE + 1, &arena)->low, -16);
	assert_int_equal(cfi_row(c, CODE + 1, &arena)->high, -8);
	arena_release(&arena);
	cfi_close(c);
}

static void addresses_outside_of_functions_have_no_row(void **state)
{
	struct object o = x86_64_object();
	struct cfi *c = must_open(&o, &arch_x86_64);
	struct arena arena = { 0 };

	assert_null(cfi_row(c, 0, &arena));
	assert_null(cfi_row(c, CODE - 1, &arena));
	assert_null(cfi_row(c, CODE + 32, &arena));
	assert_null(cfi_row(c, CODE + 64 + 16, &arena));
	assert_null(cfi_row(c, UINT64_MAX, &arena));
	arena_release(&arena);
	cfi_close(c);
}

static void objects_of_another_machine_are_refused(void **state)
{
	struct object o = x86_64_object();
	struct err e = { 0 };

	assert_null(cfi_open(o.bytes, o.len, NULL, 0, &arch_aarch64, &e));
	assert_null(cfi_open(o.bytes, o.len, NULL, 0, &arch_x86, &e));
	assert_null(cfi_open("", 0, NULL, 0, &arch_x86_64, &e));
}

static void a_debug_frame_of_the_debug_file_serves(void **state)
{
	struct object o = begin(true, false), main_object = x86_64_object();
	struct arena arena = { 0 };
	struct cfi *c;
	size_t at;

	put_cie(&o, UINT32_MAX, "", 1, -8, 16, x86_64_start, sizeof(x86_64_start));
	at = begin_entry(&o, 0);
	put(&o, 0x5000, 8);
	put(&o, 32, 8);
	put_bytes(&o, push_rbp, sizeof(push_rbp));
	end_entry(&o, at);
	end(&o, EM_X86_64, ".debug_frame");
	c = cfi_open(main_object.bytes, main_object.len, o.bytes, o.len, &arch_x86_64, NULL);
	assert_non_null(c);
	assert_cfa(cfi_row(c, 0x5004, &arena), BP, 16);
	assert_cfa(cfi_row(c, CODE + 4, &arena), BP, 16);
	arena_release(&arena);
	cfi_close(c);
}

static void big_endian_objects_are_read(void **state)
{
	/* CFA = r15 + 160; from +6: r14 at CFA - 48, r15 at CFA - 40; from +12: CFA = r15 + 320; r11 in f0 */
	static const uint8_t start[] = { 0x0c, 15, 0xa0, 1 },
			     body[] = { 0x43, 0x8e, 6, 0x8f, 5, 0x43, 0x0e, 0xc0, 2, 0x09, 11, 16 };
	struct object o = begin(true, true);
	struct arena arena = { 0 };
	const struct cfi_row *row;
	struct cfi *c;

	put_cie(&o, 0, "zR", 2, -8, 14, start, sizeof(start));
	put_fde(&o, CODE, 32, body, sizeof(body));
	end(&o, EM_S390, ".eh_frame");
	c = must_open(&o, &arch_s390x);
	assert_true(cfi_swapped(c) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
	assert_cfa(cfi_row(c, CODE, &arena), 15, 160);
	row = cfi_row(c, CODE + 20, &arena);
	assert_cfa(row, 15, 320);
	assert_int_equal(row->ret, 14);
	assert_int_equal(rule_of(row, 14)->offset, -48);
	assert_int_equal(rule_of(row, 15)->offset, -40);
	assert_int_equal(rule_of(row, 11)->how, CFI_REGISTER);
	assert_int_equal(rule_of(row, 11)->offset, 16);
	arena_release(&arena);
	cfi_close(c);
}

static void objects_of_32_bit_are_read(void **state)
{
	static const uint8_t start[] = { 0x0c, 4, 4, 0x88, 1 }, body[] = { 0x41, 0x0e, 8, 0x85, 2 };
	struct object o = begin(false, false);
	struct arena arena = { 0 };
	const struct cfi_row *row;
	struct cfi *c;

	put_cie(&o, 0, "zR", 1, -4, 8, start, sizeof(start));
	put_fde(&o, CODE, 32, body, sizeof(body));
	end(&o, EM_386, ".eh_frame");
	c = must_open(&o, &arch_x86);
	row = cfi_row(c, CODE + 1, &arena);
	assert_cfa(row, SP, 8);
	assert_int_equal(rule_of(row, BP)->offset, -8);
	assert_int_equal(rule_of(row, IP)->offset, -4);
	arena_release(&arena);
	cfi_close(c);
}

static void trampolines_and_signed_returns_are_recognised(void **state)
{
	static const uint8_t start[] = { 0x0c, 31, 0 }, body[] = { 0x41, 0x2d, 0x41, 0x2d };
	struct object o = begin(true, false);
	struct arena arena = { 0 };
	struct cfi *c;

	put_cie(&o, 0, "zRSB", 4, -8, 30, start, sizeof(start));
	put_fde(&o, CODE, 32, body, sizeof(body));
	end(&o, EM_AARCH64, ".eh_frame");
	c = must_open(&o, &arch_aarch64);
	assert_true(cfi_row(c, CODE, &arena)->is_signal);
	assert_false(cfi_row(c, CODE, &arena)->ret_signed);
	assert_true(cfi_row(c, CODE + 4, &arena)->ret_signed);
	assert_false(cfi_row(c, CODE + 8, &arena)->ret_signed);
	arena_release(&arena);
	cfi_close(c);
}

/* ---- damage ---- */

static void malformed_programs_have_no_row(void **state)
{
	static const uint8_t unknown[] = { 0x3f }, cut[] = { 0x0f, 100 }, pop[] = { 0x0b }, no_cfa[] = { 0x0d, 60 };
	static const struct {
		const uint8_t *program;
		size_t n;
	} bad[] = {
		{ unknown, sizeof(unknown) },
		{ cut, sizeof(cut) },
		{ pop, sizeof(pop) },
		{ no_cfa, sizeof(no_cfa) },
	};
	uint8_t pushes[40];

	memset(pushes, 0x0a, sizeof(pushes));
	for (size_t i = 0; i <= ARRAY_SIZE(bad); i++) {
		struct object o = begin(true, false);
		struct arena arena = { 0 };
		struct cfi *c;

		put_cie(&o, 0, "zR", 1, -8, 16, x86_64_start, sizeof(x86_64_start));
		if (i < ARRAY_SIZE(bad))
			put_fde(&o, CODE, 32, bad[i].program, bad[i].n);
		else
			put_fde(&o, CODE, 32, pushes, sizeof(pushes));
		end(&o, EM_X86_64, ".eh_frame");
		c = must_open(&o, &arch_x86_64);
		assert_null(cfi_row(c, CODE, &arena));
		arena_release(&arena);
		cfi_close(c);
	}
}

/*
 * Of a program longer than any compiler's, only the beginning is read: rows there are right,
 * later ones do not exist.
 */
static void a_program_without_end_has_only_the_rows_of_its_beginning(void **state)
{
	static uint8_t program[66 << 10] = { 0x44, 0x0e, 16 }; /* from +4: CFA = rsp + 16; then nothing for long */
	struct object o = begin(true, false);
	struct arena arena = { 0 };
	struct cfi *c;

	memcpy(program + sizeof(program) - 3, (const uint8_t[]){ 0x44, 0x0e, 24 }, 3);
	put_cie(&o, 0, "zR", 1, -8, 16, x86_64_start, sizeof(x86_64_start));
	put_fde(&o, CODE, 32, program, sizeof(program));
	end(&o, EM_X86_64, ".eh_frame");
	c = must_open(&o, &arch_x86_64);
	assert_cfa(cfi_row(c, CODE, &arena), SP, 8);
	assert_null(cfi_row(c, CODE + 5, &arena));
	arena_release(&arena);
	cfi_close(c);
}

static void no_changed_byte_does_harm(void **state)
{
	const struct object good = x86_64_object();

	for (size_t i = 0; i < good.len; i++)
		for (unsigned v = 0; v < 4; v++) {
			struct object o = good;
			struct arena arena = { 0 };
			struct cfi *c;

			o.bytes[i] = (uint8_t[]){ 0, 0xff, 0x80, (uint8_t)(o.bytes[i] + 1) }[v];
			c = cfi_open(o.bytes, o.len, o.bytes, o.len, &arch_x86_64, NULL);
			for (uint64_t a = CODE - 8; c && a < CODE + 100; a++)
				cfi_row(c, a, &arena);
			arena_release(&arena);
			cfi_close(c);
		}
}

static void no_cut_does_harm(void **state)
{
	const struct object good = x86_64_object();

	for (size_t len = 0; len < good.len; len++) {
		autofree uint8_t *cut = xmalloc(len + 1);
		struct arena arena = { 0 };
		struct cfi *c;

		memcpy(cut, good.bytes, len);
		c = cfi_open(cut, len, NULL, 0, &arch_x86_64, NULL);
		if (c)
			cfi_row(c, CODE, &arena);
		arena_release(&arena);
		cfi_close(c);
	}
}

/* ---- expressions ---- */

static bool load_sum(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	*value = addr + size;
	return addr < 0x10000;
}

static bool eval(const uint8_t *bytes, size_t n, uint64_t *value)
{
	static const uint64_t regs[ARCH_MAX_REGS] = { [SP] = 0x700, [BP] = 0x600 };
	const struct cfi_machine m = { .regs = regs, .known = 1 << SP | 1 << BP, .load = load_sum };
	const struct cfi_rule r = { .how = CFI_VAL_EXPR, .expr = bytes, .expr_len = (uint32_t)n };
	const uint64_t cfa = 0x1000;

	return cfi_eval(&arch_x86_64, false, &r, &cfa, &m, value);
}

static void expressions_have_their_value(void **state)
{
	static const struct {
		uint8_t n, bytes[16];
		uint64_t value;
	} good[] = {
		{ 0, { 0 }, 0x1000 },                         /* starts from the CFA */
		{ 1, { 0x06 }, 0x1008 },                      /* deref */
		{ 2, { 0x94, 2 }, 0x1002 },                   /* deref_size */
		{ 2, { 0x77, 0x10 }, 0x710 },                 /* breg7 16 */
		{ 3, { 0x92, 6, 0x70 }, 0x5f0 },              /* bregx 6, -16 */
		{ 3, { 0x77, 8, 0x06 }, 0x710 },              /* breg7 8; deref */
		{ 2, { 0x34, 0x22 }, 0x1004 },                /* lit4; plus */
		{ 3, { 0x34, 0x35, 0x1c }, UINT64_MAX },      /* 4 - 5 */
		{ 4, { 0x08, 200, 0x09, 0xff }, UINT64_MAX }, /* const1u, const1s */
		{ 3, { 0x23, 0x80, 1 }, 0x1080 },             /* plus_uconst 128 */
		{ 5, { 0x32, 0x33, 0x34, 0x17, 0x12 }, 3 },   /* 2 3 4 rot -> 4 2 3; dup */
		{ 4, { 0x32, 0x33, 0x16, 0x1c }, 1 },         /* swap: 3 - 2 */
		{ 4, { 0x32, 0x33, 0x14, 0x13 }, 3 },         /* over; drop */
		{ 4, { 0x32, 0x33, 0x15, 1 }, 2 },            /* pick 1 */
		{ 5, { 0x31, 0x28, 1, 0, 0x13 }, 0x1000 },    /* bra taken over the drop */
		{ 4, { 0x2f, 1, 0, 0x13 }, 0x1000 },          /* skip */
		{ 3, { 0x31, 0x32, 0x2d }, 1 },               /* lt */
		{ 3, { 0x31, 0x1f, 0x19 }, 1 },               /* neg; abs */
		{ 3, { 0x31, 0x08, 64 }, 64 },
		{ 4, { 0x31, 0x08, 64, 0x24 }, 0 }, /* shl by the width */
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		uint64_t v = 0;

		assert_true(eval(good[i].bytes, good[i].n, &v));
		assert_int_equal(v, good[i].value);
	}
}

static void bad_expressions_have_none(void **state)
{
	static const struct {
		uint8_t n, bytes[16];
	} bad[] = {
		{ 1, { 0x13 } }, /* drop: nothing is left */
		{ 2, { 0x13, 0x13 } },
		{ 1, { 0xff } },    /* no such operation */
		{ 2, { 0x70, 0 } }, /* a register that is not known */
		{ 2, { 0x92, 60 } },
		{ 2, { 0x94, 3 } },          /* of three bytes */
		{ 3, { 0x2f, 0xfd, 0xff } }, /* for ever */
		{ 3, { 0x2f, 0x7f, 0x7f } }, /* out of it */
		{ 3, { 0x2f, 0, 0x80 } },
		{ 3, { 0x31, 0x30, 0x1b } }, /* by zero */
		{ 3, { 0x31, 0x30, 0x1d } },
		{ 4, { 0x0b, 0, 0, 0 } },                /* cut */
		{ 6, { 0x0c, 0, 0, 0xff, 0x7f, 0x06 } }, /* memory that is not there */
	};
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(eval(bad[i].bytes, bad[i].n, &v));
}

static void leb128_keeps_64_bits(void **state)
{
	static const uint8_t big[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
			     minus[] = { 0x80, 0x7f };
	struct bytes b = bytes_of(big, sizeof(big), false);

	assert_true(bytes_uleb(&b) == UINT64_MAX && !b.bad);
	b = bytes_of(big, sizeof(big), false);
	assert_true(bytes_sleb(&b) == -1 && !b.bad);
	b = bytes_of(minus, sizeof(minus), false);
	assert_true(bytes_sleb(&b) == -128);
	b = bytes_of(big, 5, false);
	bytes_uleb(&b);
	assert_true(b.bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_follow_the_prologue),
		cmocka_unit_test(usual_rows_are_marked),
		cmocka_unit_test(addresses_outside_of_functions_have_no_row),
		cmocka_unit_test(objects_of_another_machine_are_refused),
		cmocka_unit_test(a_debug_frame_of_the_debug_file_serves),
		cmocka_unit_test(big_endian_objects_are_read),
		cmocka_unit_test(objects_of_32_bit_are_read),
		cmocka_unit_test(trampolines_and_signed_returns_are_recognised),
		cmocka_unit_test(malformed_programs_have_no_row),
		cmocka_unit_test(a_program_without_end_has_only_the_rows_of_its_beginning),
		cmocka_unit_test(no_changed_byte_does_harm),
		cmocka_unit_test(no_cut_does_harm),
		cmocka_unit_test(expressions_have_their_value),
		cmocka_unit_test(bad_expressions_have_none),
		cmocka_unit_test(leb128_keeps_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
