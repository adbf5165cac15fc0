#include "symbols/arch/arch_priv.h"

/* Register numbers: see arch_x86_regs. */
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, FLAGS, R8 = 16, R9, R10, R11, R12, R13, R14, R15, NONE = ARCH_NO_REG };

/* System V ABI, AMD64 supplement, "DWARF Register Number Mapping"; 16 is the return address. */
static const uint8_t from_dwarf[] = { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15, IP };

/*
 * CALL rel32 (E8) and CALL r/m64 (FF /2) with each length that its operand can have. Source: Intel SDM, volume 2,
 * "CALL" and tables 2-2 and 2-3.
 */
static bool calls(const uint8_t *code, uint64_t ip, uint64_t *target)
{
	int32_t offset;

	if (code[3] == 0xe8) {
		memcpy(&offset, code + 4, sizeof(offset));
		*target = ip + (uint64_t)(int64_t)offset;
		return true;
	}
	for (unsigned len = 2; len <= 7; len++) {
		const uint8_t *at = code + 8 - len;
		uint8_t mod = at[1] >> 6, rm = at[1] & 7;
		bool has_sib = mod != 3 && rm == 4;
		uint8_t base = has_sib && len > 2 ? at[2] & 7 : 0;
		unsigned disp = mod == 1 ? 1 : mod == 2 || (!mod && (rm == 5 || (has_sib && base == 5))) ? 4 : 0;

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 && len == 2 + has_sib + disp)
			return true;
	}
	return false;
}

const struct arch arch_x86_64 = {
	.machines = NAMES("x86_64", "amd64"),
	.elf_machine = EM_X86_64,
	.word = 8,
#ifdef __x86_64__
	.native = true,
#endif
	.regs = arch_x86_regs,
	.n_regs = ARCH_X86_REGS,
	.user_regs = 0xff0fff, /* AX..SS without DS ES FS GS, R8..R15 */
	.n_dwarf = ARRAY_SIZE(from_dwarf),
	.from_dwarf = from_dwarf,
	.ip = IP,
	.sp = SP,
	.fp = BP,
	.sp_is_cfa = true,
	.fp_chain = true,
	.ret_at_cfa = -8,
	.calls = calls,
	.reloc_64 = R_X86_64_64,
	.reloc_32 = { R_X86_64_32, R_X86_64_32S },
	.probe_regs = NAMES("%ax", "%dx", "%cx", "%bx", "%si", "%di", "%bp", "%sp", "%r8", "%r9", "%r10", "%r11",
			    "%r12", "%r13", "%r14", "%r15"),
	.probe_args = NAMES("%di", "%si", "%dx", "%cx", "%r8", "%r9"),
	.probe_more = NAMES("%ip", "%flags", "%cs", "%ss", "%orig_ax"),
	.probe_hint = "the kernel calls them %ax %bx %cx %dx %si %di %bp %sp %r8 to %r15",
	.args_on_stack = true,
};
