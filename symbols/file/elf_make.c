/* Build small ELF objects in memory. */
#include "symbols/file/elf_make.h"

#include <elf.h>

#include "base/mem.h"
#include "symbols/symbols.h"

static size_t aligned(size_t at, const struct elf_part *p) { return p->align > 1 ? ROUND_UP(at, p->align) : at; }

void *elf_make(uint16_t type, uint16_t machine, const struct elf_part *parts, size_t n, size_t *len)
{
	size_t names_len = 1 + sizeof(".shstrtab"), at = sizeof(Elf64_Ehdr), names_at, name = 1;
	Elf64_Ehdr *h;
	Elf64_Shdr *s;
	uint8_t *bytes;

	for (size_t i = 0; i < n; i++) {
		names_len += strlen(parts[i].name) + 1;
		at = aligned(at, &parts[i]) + parts[i].len;
	}
	names_at = at;
	at = ROUND_UP(at + names_len, 8);
	*len = at + (n + 2) * sizeof(*s);
	bytes = xcalloc(1, *len);
	h = (Elf64_Ehdr *)bytes;
	*h = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
		.e_type = type,
		.e_machine = machine ? machine : elf_native_machine(),
		.e_version = EV_CURRENT,
		.e_shoff = at,
		.e_ehsize = sizeof(*h),
		.e_shentsize = sizeof(*s),
		.e_shnum = (uint16_t)(n + 2),
		.e_shstrndx = (uint16_t)(n + 1),
	};
	s = (Elf64_Shdr *)(bytes + at);
	at = sizeof(*h);
	for (size_t i = 0; i < n; i++) {
		const struct elf_part *p = &parts[i];

		at = aligned(at, p);
		s[i + 1] = (Elf64_Shdr){ .sh_name = (uint32_t)name,
					 .sh_type = p->type,
					 .sh_flags = p->flags,
					 .sh_addr = p->address,
					 .sh_offset = at,
					 .sh_size = p->len,
					 .sh_link = p->link,
					 .sh_info = p->info,
					 .sh_addralign = p->align,
					 .sh_entsize = p->entry_size };
		if (p->len)
			memcpy(bytes + at, p->data, p->len);
		strcpy((char *)bytes + names_at + name, p->name);
		name += strlen(p->name) + 1;
		at += p->len;
	}
	s[n + 1] = (Elf64_Shdr){ .sh_name = (uint32_t)name,
				 .sh_type = SHT_STRTAB,
				 .sh_offset = names_at,
				 .sh_size = names_len,
				 .sh_addralign = 1 };
	strcpy((char *)bytes + names_at + name, ".shstrtab");
	return bytes;
}
