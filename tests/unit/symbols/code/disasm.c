#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include "symbols/arch/arch.h"
#include "symbols/code/disasm_data_priv.h"
#include "tests/unit/symbols/self.h"

struct want {
	const char *bytes, *text;
	uint8_t size;
};
#define INSN(bytes, text) \
	{ \
		bytes, text, sizeof(bytes) - 1 \
	}

static void check(const struct disasm_target *t, const struct want *wants, size_t n)
{
	struct disasm *d = disasm_open(t, NULL);
	char text[300];

	assert_non_null(d);
	for (size_t i = 0; i < n; i++) {
		struct code_cursor at = { (const uint8_t *)wants[i].bytes, wants[i].size, 0x1000 };
		struct insn insn;

		assert_true(disasm_next(d, &at, &insn));
		assert_string_equal(insn_text(&insn, text, sizeof(text)), wants[i].text);
		assert_int_equal(insn.size, wants[i].size);
		assert_int_equal(insn.address, 0x1000);
		assert_false(disasm_next(d, &at, &insn));
	}
	disasm_close(d);
}

/* Expected texts are those of GNU objdump 2.40; a shift by one as from 2.41 on. */
static void x86_reads_as_objdump_writes_it(void **state)
{
	static const struct want wants[] = {
		INSN("\x48\x89\xc2", "mov    %rax,%rdx"),
		INSN("\xc7\x45\xfc\x00\x00\x00\x00", "movl   $0x0,-0x4(%rbp)"),
		INSN("\x48\xc7\x45\xfc\xff\xff\xff\xff", "movq   $0xffffffffffffffff,-0x4(%rbp)"),
		INSN("\x48\x83\xe4\xf0", "and    $0xfffffffffffffff0,%rsp"),
		INSN("\x83\xf8\xff", "cmp    $0xffffffff,%eax"),
		INSN("\xff\x35\x08\x00\x00\x00", "push   0x8(%rip)"),
		INSN("\xe8\xfb\xff\xff\xff", "call   1000"),
		INSN("\x75\x0e", "jne    1010"),
		INSN("\xf2\xe9\x0a\x00\x00\x00", "bnd jmp 1010"),
		INSN("\x3e\xff\xe0", "notrack jmp *%rax"),
		INSN("\xff\x64\x00\x08", "jmp    *0x8(%rax,%rax,1)"),
		INSN("\xf3\xc3", "repz ret"),
		INSN("\xf3\x48\xab", "rep stos %rax,%es:(%rdi)"),
		INSN("\xf3\xa4", "rep movsb %ds:(%rsi),%es:(%rdi)"),
		INSN("\xf2\xae", "repnz scas %es:(%rdi),%al"),
		INSN("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", "cs nopw 0x0(%rax,%rax,1)"),
		INSN("\x66\x90", "xchg   %ax,%ax"),
		INSN("\x0f\xb7\x4e\x06", "movzwl 0x6(%rsi),%ecx"),
		INSN("\x48\x63\xd0", "movslq %eax,%rdx"),
		INSN("\xd3\x27", "shll   %cl,(%rdi)"),
		INSN("\x48\xd1\xff", "sar    $1,%rdi"),
		INSN("\xf2\x0f\x2a\xc0", "cvtsi2sd %eax,%xmm0"),
		INSN("\xf2\x0f\x2a\x07", "cvtsi2sdl (%rdi),%xmm0"),
		INSN("\xd8\xc1", "fadd   %st(1),%st"),
		INSN("\xde\xc1", "faddp  %st,%st(1)"),
		INSN("\xf0\x48\x0f\xb1\x17", "lock cmpxchg %rdx,(%rdi)"),
		INSN("\x64\x48\x8b\x04\x25\x28\x00\x00\x00", "mov    %fs:0x28,%rax"),
		INSN("\x48\x8d\x0c\xc5\x00\x00\x00\x00", "lea    0x0(,%rax,8),%rcx"),
		INSN("\x66\x48\x0f\x7e\xc0", "movq   %xmm0,%rax"),
		INSN("\x88\x08", "mov    %cl,(%rax)"),
		INSN("\x0f\xba\x20\x03", "btl    $0x3,(%rax)"),
		INSN("\x48\x99", "cqto"),
		INSN("\xc9", "leave"),
		INSN("\xf3\x0f\x1e\xfa", "endbr64"),
	};

	check(&(struct disasm_target){ .machine = EM_X86_64, .is_64 = true }, wants, ARRAY_SIZE(wants));
}

static void intel_syntax_is_had_for_the_asking(void **state)
{
	static const struct want wants[] = {
		INSN("\x48\x89\xc2", "mov    rdx,rax"),
		INSN("\xc7\x45\xfc\x00\x00\x00\x00", "mov    DWORD PTR [rbp-0x4],0x0"),
		INSN("\x48\x8d\x44\x88\x10", "lea    rax,[rax+rcx*4+0x10]"),
		INSN("\x75\x0e", "jne    1010"),
		INSN("\x66\x0f\x1f\x44\x00\x00", "nop    WORD PTR [rax+rax*1+0x0]"),
		INSN("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", "cs nop WORD PTR [rax+rax*1+0x0]"),
		INSN("\x41\x0f\xb6\x14\x07", "movzx  edx,BYTE PTR [r15+rax*1]"),
		INSN("\x83\xf8\xff", "cmp    eax,0xffffffff"),
		INSN("\x48\x83\xf8\xff", "cmp    rax,0xffffffffffffffff"),
		INSN("\x64\x48\x2b\x04\x25\x28\x00\x00\x00", "sub    rax,QWORD PTR fs:0x28"),
		INSN("\xdb\x28", "fld    TBYTE PTR [rax]"),
		INSN("\xdb\xe8", "fucomi st,st(0)"),
		INSN("\xde\xc1", "faddp  st(1),st"),
		INSN("\x48\xa5", "movs   QWORD PTR es:[rdi],QWORD PTR ds:[rsi]"),
		INSN("\xf3\xaa", "rep stos BYTE PTR es:[rdi],al"),
		INSN("\x49\xd1\xec", "shr    r12,1"),
		INSN("\xf2\x0f\x10\x04\x25\x10\x00\x00\x00", "movsd  xmm0,QWORD PTR ds:0x10"),
	};

	check(&(struct disasm_target){ .machine = EM_X86_64, .is_64 = true, .syntax = DISASM_INTEL }, wants,
	      ARRAY_SIZE(wants));
}

static void arm64_reads_as_objdump_writes_it(void **state)
{
	static const struct want wants[] = {
		INSN("\x21\x00\x80\xd2", "mov    x1, #0x1"),
		INSN("\x00\x00\x80\x12", "mov    w0, #0xffffffff"),
		INSN("\x01\x00\xa0\xd2", "movz   x1, #0x0, lsl #16"),
		INSN("\x03\xf6\xb0\xf2", "movk   x3, #0x87b0, lsl #16"),
		INSN("\xe3\x7f\x40\xb2", "mov    x3, #0xffffffff"),
		INSN("\x82\x00\x00\x54", "b.cs   1010"),
		INSN("\xe0\x27\x9f\x1a", "cset   w0, cc"),
		INSN("\x5f\x24\x03\xd5", "bti    c"),
		INSN("\x3f\x23\x03\xd5", "paciasp"),
		INSN("\xff\x20\x03\xd5", "xpaclri"),
		INSN("\x1f\x20\x03\xd5", "nop"),
		INSN("\x17\x14\x40\xf9", "ldr    x23, [x0, #40]"),
		INSN("\xfd\x7b\xbe\xa9", "stp    x29, x30, [sp, #-32]!"),
		INSN("\xfd\x7b\xc2\xa8", "ldp    x29, x30, [sp], #32"),
		INSN("\xc9\x0a\x00\x91", "add    x9, x22, #0x2"),
		INSN("\x20\x04\x40\x91", "add    x0, x1, #0x1, lsl #12"),
		INSN("\x20\xcc\x22\x8b", "add    x0, x1, w2, sxtw #3"),
		INSN("\x20\xf0\x7d\xd3", "lsl    x0, x1, #3"),
		INSN("\x83\x00\x18\x37", "tbnz   w3, #3, 1010"),
		INSN("\x81\xc2\x40\xfa", "ccmp   x20, x0, #0x1, gt"),
		INSN("\x1f\x04\x00\x31", "cmn    w0, #0x1"),
		INSN("\x01\x00\x00\xd4", "svc    #0x0"),
		INSN("\xe0\x1e\x18\x4e", "mov    v0.d[1], x23"),
		INSN("\x00\x00\x00\xd0", "adrp   x0, 3000"),
	};

	check(&(struct disasm_target){ .machine = EM_AARCH64, .is_64 = true }, wants, ARRAY_SIZE(wants));
}

/*
 * The first bits of an instruction give its length, even if capstone does not know it: the next
 * one is read from its start.
 */
static void unknown_instructions_of_s390x_have_their_length(void **state)
{
	static const struct want wants[] = {
		INSN("\x0a\xee", ".short 0x0aee"),
		INSN("\xb9\xff\x00\x01", ".inst  0xb9ff0001"),
		INSN("\xe3\x10\x20\x00\x0f\xff", ".insn  0xe31020000fff"),
	};

	check(&(struct disasm_target){ .machine = EM_S390, .is_64 = true, .big_endian = true }, wants,
	      ARRAY_SIZE(wants));
}

struct branch_want {
	uint16_t machine;
	bool is_64, big_endian, thumb;
	const char *bytes;
	uint8_t size, kind;
	uint64_t target;
};

/* Encodings are from the architectures' manuals; addresses start at 0x1000. */
static void branches_tell_where_they_go(void **state)
{
	static const struct branch_want wants[] = {
		{ EM_X86_64, true, false, false, "\xe8\x0b\x00\x00\x00", 5, INSN_CALL, 0x1010 },
		{ EM_X86_64, true, false, false, "\xeb\xfe", 2, INSN_JUMP, 0x1000 },
		{ EM_X86_64, true, false, false, "\x0f\x84\x0a\x00\x00\x00", 6, INSN_JUMP_IF, 0x1010 },
		{ EM_X86_64, true, false, false, "\xff\xe0", 2, INSN_JUMP, 0 },
		{ EM_X86_64, true, false, false, "\xc3", 1, INSN_RETURN, 0 },
		{ EM_X86_64, true, false, false, "\x90", 1, INSN_PLAIN, 0 },
		{ EM_386, false, false, false, "\xe8\xfb\xef\xff\xff", 5, INSN_CALL, 0 },
		{ EM_386, false, false, false, "\x74\x0e", 2, INSN_JUMP_IF, 0x1010 },
		{ EM_AARCH64, true, false, false, "\x04\x00\x00\x94", 4, INSN_CALL, 0x1010 },    /* bl */
		{ EM_AARCH64, true, false, false, "\x04\x00\x00\x14", 4, INSN_JUMP, 0x1010 },    /* b */
		{ EM_AARCH64, true, false, false, "\x80\x00\x00\x54", 4, INSN_JUMP_IF, 0x1010 }, /* b.eq */
		{ EM_AARCH64, true, false, false, "\x81\x00\x00\xb4", 4, INSN_JUMP_IF, 0x1010 }, /* cbz */
		{ EM_AARCH64, true, false, false, "\x83\x00\x18\x37", 4, INSN_JUMP_IF, 0x1010 }, /* tbnz */
		{ EM_AARCH64, true, false, false, "\xc0\x03\x5f\xd6", 4, INSN_RETURN, 0 },
		{ EM_AARCH64, true, false, false, "\x00\x00\x1f\xd6", 4, INSN_JUMP, 0 },      /* br x0 */
		{ EM_ARM, false, false, false, "\x02\x00\x00\xeb", 4, INSN_CALL, 0x1010 },    /* bl */
		{ EM_ARM, false, false, false, "\x02\x00\x00\x0a", 4, INSN_JUMP_IF, 0x1010 }, /* beq */
		{ EM_ARM, false, false, false, "\x02\x00\x00\xea", 4, INSN_JUMP, 0x1010 },
		{ EM_ARM, false, false, false, "\x1e\xff\x2f\xe1", 4, INSN_RETURN, 0 },           /* bx lr */
		{ EM_ARM, false, false, true, "\x06\xd0", 2, INSN_JUMP_IF, 0x1010 },              /* beq.n */
		{ EM_S390, true, true, false, "\xc0\xe5\x00\x00\x00\x08", 6, INSN_CALL, 0x1010 }, /* brasl */
		{ EM_S390, true, true, false, "\xa7\x84\x00\x08", 4, INSN_JUMP_IF, 0x1010 },      /* je */
		{ EM_S390, true, true, false, "\xa7\xf4\x00\x08", 4, INSN_JUMP, 0x1010 },
		{ EM_S390, true, true, false, "\x07\xfe", 2, INSN_RETURN, 0 },                /* br %r14 */
		{ EM_PPC64, true, true, false, "\x48\x00\x00\x11", 4, INSN_CALL, 0x1010 },    /* bl */
		{ EM_PPC64, true, false, false, "\x10\x00\x00\x48", 4, INSN_JUMP, 0x1010 },   /* b, little-endian */
		{ EM_PPC64, true, true, false, "\x41\x82\x00\x10", 4, INSN_JUMP_IF, 0x1010 }, /* beq */
		{ EM_PPC64, true, true, false, "\x4e\x80\x00\x20", 4, INSN_RETURN, 0 },       /* blr */
		{ EM_MIPS, false, true, false, "\x10\x40\x00\x03", 4, INSN_JUMP_IF, 0x1010 }, /* beqz */
	};

	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		const struct branch_want *w = &wants[i];
		struct disasm *d = disasm_open(&(struct disasm_target){ .machine = w->machine,
									.is_64 = w->is_64,
									.big_endian = w->big_endian,
									.thumb = w->thumb },
					       NULL);
		struct code_cursor at = { (const uint8_t *)w->bytes, w->size, 0x1000 };
		struct insn insn;

		assert_non_null(d);
		assert_true(disasm_next(d, &at, &insn));
		if (insn.kind != w->kind || insn.size != w->size || insn.target != w->target)
			print_message("case %zu: %s %s\n", i, insn.mnemonic, insn.operands);
		assert_int_equal(insn.kind, w->kind);
		assert_int_equal(insn.size, w->size);
		assert_int_equal(insn.target, w->target);
		assert_int_equal(at.left, 0);
		disasm_close(d);
	}
}

static void memory_next_to_the_code_has_its_name(void **state)
{
	struct disasm *d = disasm_open(&(struct disasm_target){ .machine = EM_X86_64, .is_64 = true }, NULL);
	struct code_cursor at = { (const uint8_t *)"\x48\x8b\x05\x08\x00\x00\x00", 7, 0x1000 };
	struct insn insn;

	assert_true(disasm_next(d, &at, &insn));
	assert_true(insn.has_data);
	assert_int_equal(insn.data, 0x100f);
	disasm_close(d);
}

/*
 * vpcmpeqb into a mask register: older disassemblers do not know this encoding. In any case the
 * ret behind it must be read.
 */
static void check_data(const struct insn_data *got, const struct insn_data *is)
{
	assert_int_equal(got->flow, is->flow);
	if (is->flow) {
		assert_int_equal(got->to, is->to);
		assert_int_equal(got->from, is->from);
	}
	assert_int_equal(got->add, is->add);
	assert_int_equal(got->writes, is->writes);
	assert_int_equal(got->on_stack, is->on_stack);
	assert_int_equal(got->fuses, is->fuses);
	assert_int_equal(got->memory.there, is->memory.there);
	if (!is->memory.there && got->flow != FLOW_ADDRESS)
		return;
	assert_int_equal(got->memory.is_static, is->memory.is_static);
	assert_int_equal(got->memory.segment, is->memory.segment);
	assert_int_equal(got->memory.base, is->memory.base);
	assert_int_equal(got->memory.index, is->memory.index);
	assert_int_equal(got->memory.offset, is->memory.offset);
	assert_int_equal(got->memory.address, is->memory.address);
}

/*
 * Data for following pointers. Registers have DWARF numbers (rax 0, rdx 1, rcx 2, rdi 5, rsp 7,
 * r8 8).
 */
static void operands_are_distinguished(void **state)
{
	static const struct {
		const char *bytes;
		uint8_t size;
		struct insn_data is;
	} wants[] = {
		{ "\x48\x89\xc2", 3, { .flow = FLOW_COPY, .to = 1, .from = 0, .writes = 2 } },
		{ "\x48\x8b\x47\x10",
		  4,
		  { .flow = FLOW_LOAD, .to = 0, .from = -1, .writes = 1, .memory = { true, false, 0, 5, -1, 16, 0 } } },
		{ "\x8b\x47\x10",
		  3,
		  { .to = -1,
		    .from = -1,
		    .writes = 1,
		    .memory = { true, false, 0, 5, -1, 16, 0 } } }, /* too narrow for a pointer */
		{ "\x4c\x8d\x44\x24\x08",
		  5,
		  { .flow = FLOW_ADDRESS,
		    .to = 8,
		    .from = -1,
		    .writes = 0x100,
		    .memory = { false, false, 0, 7, -1, 8, 0 } } },
		{ "\x48\x83\xe9\x08",
		  4,
		  { .flow = FLOW_ADD, .to = 2, .from = -1, .add = -8, .writes = 4, .fuses = true } },
		{ "\x48\x01\x05\x00\x01\x00\x00",
		  7,
		  { .to = -1, .from = -1, .memory = { true, true, 0, -1, -1, 256, 0x1107 }, .fuses = true } },
		{ "\x64\x48\x8b\x04\x25\x28\x00\x00\x00",
		  9,
		  { .flow = FLOW_LOAD,
		    .to = 0,
		    .from = -1,
		    .writes = 1,
		    .memory = { true, true, 'f', -1, -1, 40, 40 } } },
		{ "\x55", 1, { .to = -1, .from = -1, .writes = 0x80, .on_stack = true } },
	};
	struct disasm *d = disasm_open(
		&(struct disasm_target){ .machine = EM_X86_64, .is_64 = true, .syntax = DISASM_INTEL }, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		struct code_cursor at = { (const uint8_t *)wants[i].bytes, wants[i].size, 0x1000 };
		struct insn_data got;

		assert_true(disasm_data(d, &at, &got));
		assert_int_equal(at.left, 0);
		check_data(&got, &wants[i].is);
	}
	disasm_close(d);
}

static void unknown_instructions_have_their_length(void **state)
{
	struct disasm *d = disasm_open(&(struct disasm_target){ .machine = EM_X86_64, .is_64 = true }, NULL);
	struct code_cursor at = { (const uint8_t *)"\x62\xf1\x75\x20\x74\x87\x10\x00\x00\x00\xc3", 11, 0 };
	struct insn insn;

	assert_true(disasm_next(d, &at, &insn));
	assert_int_equal(insn.size, 10);
	assert_true(disasm_next(d, &at, &insn));
	assert_int_equal(insn.kind, INSN_RETURN);
	disasm_close(d);
}

/* For any bytes, the instructions follow each other without a gap, up to the end. */
static void any_bytes_are_walked_to_their_end(void **state)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386,   EM_AARCH64, EM_ARM,   EM_S390,
					     EM_PPC,    EM_PPC64, EM_MIPS,    EM_SPARC, EM_SPARCV9 };
	uint8_t bytes[4099];
	uint64_t random = 1;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (uint8_t)(random >> 56);
	}
	for (size_t m = 0; m < 4 * ARRAY_SIZE(machines); m++) {
		struct disasm_target t = {
			.machine = machines[m / 4], .is_64 = m & 1, .big_endian = m & 2, .syntax = m & 1, .thumb = m & 1
		};
		struct disasm *d = disasm_open(&t, NULL);
		struct code_cursor at = { bytes, sizeof(bytes), UINT64_MAX - 2000 }; /* addresses wrap */
		struct insn insn;
		size_t sum = 0;
		char text[20];

		assert_non_null(d);
		while (disasm_next(d, &at, &insn)) {
			assert_ptr_equal(insn.bytes, bytes + sum);
			assert_true(insn.size > 0 && insn.mnemonic[0]);
			insn_text(&insn, text, sizeof(text));
			sum += insn.size;
		}
		assert_int_equal(sum, sizeof(bytes));
		disasm_close(d);
	}
}

/*
 * Parse "  26c10:\tf3 0f 1e fa          \tendbr64" into bytes, address and text without symbols
 * and comments; return false for other lines.
 */
static bool objdump_line(char *line, uint64_t *address, uint8_t bytes[32], size_t *n, char **text)
{
	char *end, *p, *cut;
	unsigned byte;
	int used;

	*address = strtoull(line, &end, 16);
	if (*line != ' ' || end[0] != ':' || end[1] != '\t' || !(*text = strchr(end + 2, '\t')))
		return false;
	*(*text)++ = 0;
	*n = 0;
	for (p = end + 2; *n < 32 && sscanf(p, "%x%n", &byte, &used) == 1; p += used)
		bytes[(*n)++] = (uint8_t)byte;
	for (const char *const *mark = (const char *const[]){ "        #", " <", "\n", NULL }; *mark; mark++)
		if ((cut = strstr(*text, *mark)))
			*cut = 0;
	for (cut = *text + strlen(*text); cut > *text && cut[-1] == ' ';)
		*--cut = 0;
	return *n > 0;
}

/* Return the number at the end of a direct jump's or call's text. */
static uint64_t told_target(const char *text)
{
	const char *blank = strrchr(text, ' ');

	return blank ? strtoull(blank + 1, NULL, 16) : 0;
}

/* Compare the first code of a library with another disassembler. */
static void a_library_reads_as_objdump_reads_it(void **state)
{
	enum { INSTRUCTIONS = 40000 };
	FILE *f = popen("objdump -d -w \"$(ldconfig -p 2>/dev/null | awk '/libc.so.6 .*x86-64/ { print $NF; exit }')\" "
			"2>/dev/null",
			"r");
	struct disasm *d = disasm_open(&(struct disasm_target){ .machine = EM_X86_64, .is_64 = true }, NULL);
	size_t n = 0, same = 0, known = 0, targets = 0, cap = 0;
	char *line = NULL, *text, ours[300];

	while (f && n < INSTRUCTIONS && getline(&line, &cap, f) > 0) {
		struct code_cursor at;
		uint8_t bytes[32];
		struct insn insn;

		if (!objdump_line(line, &at.address, bytes, &at.left, &text))
			continue;
		at.bytes = bytes;
		n++;
		assert_true(disasm_next(d, &at, &insn));
		if (insn.bad)
			continue;
		known++;
		same += !strcmp(insn_text(&insn, ours, sizeof(ours)), text);
		if (insn.has_target) {
			targets++;
			assert_int_equal(insn.target, told_target(text));
		}
	}
	free(line);
	if (f)
		pclose(f);
	disasm_close(d);
	if (!n) {
		print_message("skipped: no objdump and x86-64 libc here\n");
		skip();
	}
	print_message("%zu instructions, %zu known, %zu of equal text, %zu targets\n", n, known, same, targets);
	assert_true(targets > n / 20);
	assert_true(known > n * 98 / 100);
	assert_true(same > known * 99 / 100);
}

static void an_unknown_machine_is_refused_with_advice(void **state)
{
	struct err e = { 0 };

	assert_null(disasm_open(&(struct disasm_target){ .machine = 0xfff0 }, &e));
	assert_non_null(strstr(e.what, "65520"));
	assert_true(e.fix[0]);
}

static __attribute__((noinline)) uint64_t some_function(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 77;
}

static void code_is_what_runs(void **state)
{
	struct symbols_opts opts = { .foreign = true, .buildid_dir = "/dev/null" };
	struct symbols *s = symbols_new(&opts);
	uint32_t space = space_of_self(s, NULL);
	struct map_hit hit;
	struct code c;

	assert_true(space_find(s, space, 1, (uintptr_t)some_function, &hit));
	assert_int_equal(dso_code(s, hit.dso, dso_address(s, hit.dso, hit.dso_off), 16, &c, NULL), 0);
	assert_int_equal(c.len, 16);
	assert_memory_equal(c.bytes, (const void *)(uintptr_t)some_function, 16);
	assert_int_equal(c.target.machine, disasm_target_here().machine);
	assert_non_null(strstr(c.from, "disasm"));
	code_release(&c);
	symbols_free(s);
}

static void code_that_is_not_here_says_how_to_get_it(void **state)
{
	struct symbols_opts opts = { .foreign = true, .buildid_dir = "/dev/null" };
	struct symbols *s = symbols_new(&opts);
	uint32_t dsos[] = {
		symbols_dso(s, &(struct dso_args){ .filename = "/nonexistent", .exec = true }),
		symbols_dso(s, &(struct dso_args){ .filename = "//anon", .exec = true, .pid = 7 }),
		DSO_KERNEL,
		symbols_ksymbol(s, "bpf_prog", 0x1000, 64),
	};

	for (size_t i = 0; i < ARRAY_SIZE(dsos); i++) {
		struct err e = { 0 };
		struct code c;

		assert_int_equal(dso_code(s, dsos[i], 0x1000, 16, &c, &e), -1);
		assert_true(e.what[0] && e.why[0] && e.fix[0]);
	}
	symbols_free(s);
}

/* To add an architecture, add its row to disasm.c; list it here only if capstone cannot disassemble it. */
static void each_architecture_has_a_row(void **state)
{
	static const char *const without[] = { "csky*", "loongarch*", "riscv64*", "riscv*" };
	const struct arch *a;

	for (size_t i = 0; (a = arch_at(i)); i++) {
		struct disasm_target t = { .machine = a->elf_machine,
					   .is_64 = a->word == 8,
					   .big_endian = a->big_endian };
		struct disasm *d = disasm_open(&t, NULL);
		bool listed = false;

		for (size_t k = 0; k < ARRAY_SIZE(without); k++)
			listed |= !strcmp(a->machines[0], without[k]);
		/* capstone knows RISC-V from version 5 on */
		if (d ? listed && a->elf_machine != EM_RISCV : !listed)
			fail_msg("%s: %s", a->machines[0], d ? "has a row: do not list it" : "has no row in disasm.c");
		disasm_close(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_reads_as_objdump_writes_it),
		cmocka_unit_test(each_architecture_has_a_row),
		cmocka_unit_test(intel_syntax_is_had_for_the_asking),
		cmocka_unit_test(arm64_reads_as_objdump_writes_it),
		cmocka_unit_test(unknown_instructions_of_s390x_have_their_length),
		cmocka_unit_test(branches_tell_where_they_go),
		cmocka_unit_test(memory_next_to_the_code_has_its_name),
		cmocka_unit_test(operands_are_distinguished),
		cmocka_unit_test(unknown_instructions_have_their_length),
		cmocka_unit_test(any_bytes_are_walked_to_their_end),
		cmocka_unit_test(a_library_reads_as_objdump_reads_it),
		cmocka_unit_test(an_unknown_machine_is_refused_with_advice),
		cmocka_unit_test(code_is_what_runs),
		cmocka_unit_test(code_that_is_not_here_says_how_to_get_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
