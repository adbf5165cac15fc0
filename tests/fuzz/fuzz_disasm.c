/* Machine code of each CPU. The first byte selects CPU and syntax; the rest is the code. */
#include <elf.h>

#include "symbols/code/disasm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386,   EM_AARCH64, EM_ARM,    EM_S390,
					     EM_PPC,    EM_PPC64, EM_MIPS,    EM_SPARCV9 };
	struct disasm_target t = { .is_64 = true };
	struct code_cursor at;
	struct insn insn;
	struct disasm *d;
	size_t sum = 0;
	char text[64];

	if (!size)
		return 0;
	t.machine = machines[(data[0] & 15) % ARRAY_SIZE(machines)];
	t.big_endian = data[0] & 16;
	t.thumb = data[0] & 32;
	t.syntax = data[0] & 64 ? DISASM_INTEL : DISASM_ATT;
	d = disasm_open(&t, NULL);
	at = (struct code_cursor){ data + 1, size - 1, 0x1000 };
	while (disasm_next(d, &at, &insn)) {
		sum += insn.size;
		if (strlen(insn_text(&insn, text, sizeof(text))) >= sizeof(text) || !insn.size)
			abort();
	}
	if (sum != size - 1)
		abort();
	disasm_close(d);
	return 0;
}
