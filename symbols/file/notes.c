/* Find the build-id in ELF notes. */
#include "symbols/file/notes_priv.h"

#include <elf.h>

#include "base/bytes.h"

bool notes_build_id(const void *notes, size_t len, uint64_t align, bool swap, struct build_id *id)
{
	struct bytes b = bytes_of(notes, len, swap);
	uint64_t to = align == 8 ? 8 : 4;

	while (bytes_left(&b) >= 12) {
		uint32_t name_len = bytes_u32(&b), desc_len = bytes_u32(&b), type = bytes_u32(&b);
		const uint8_t *name = bytes_take(&b, name_len), *desc;

		/* The last note may lack its padding. */
		bytes_take(&b, MIN(ROUND_UP((uint64_t)name_len + 12, to) - 12 - name_len, bytes_left(&b)));
		desc = bytes_take(&b, desc_len);
		if (b.bad)
			return false;
		if (type == NT_GNU_BUILD_ID && name_len == 4 && !memcmp(name, "GNU", 4) && desc_len) {
			id->size = (uint8_t)MIN(desc_len, sizeof(id->bytes));
			memcpy(id->bytes, desc, id->size);
			return true;
		}
		bytes_take(&b, MIN(ROUND_UP((uint64_t)desc_len, to) - desc_len, bytes_left(&b)));
	}
	return false;
}
