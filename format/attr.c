#include "format/attr.h"

#include <linux/perf_event.h>

#include "base/bytes.h"

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

_Static_assert(sizeof(struct attr) == 144 && offsetof(struct attr, flags) == 40 &&
		       offsetof(struct attr, sig_data) == 120,
	       "struct attr is the kernel's layout");

/*
 * Mirror the flags word. A big-endian machine allocates bit-fields from the most significant bit,
 * so its word is the mirror image of ours. precise_ip, the only field of two bits, then has its
 * bits exchanged.
 */
static uint64_t mirror_flags(uint64_t v)
{
	uint64_t out = 0;

	for (int i = 0; i < 64; i++)
		out |= (v >> i & 1) << (63 - i);
	return (out & ~(3ull << ATTR_PRECISE_SHIFT)) | (out >> 1 & 1ull << ATTR_PRECISE_SHIFT) |
	       (out & 1ull << ATTR_PRECISE_SHIFT) << 1;
}

static void swap_fields(struct attr *a)
{
#define SWAP32(member) (a->member = (__typeof__(a->member))__builtin_bswap32((uint32_t)a->member))
#define SWAP64(member) (a->member = __builtin_bswap64(a->member))
	SWAP32(type), SWAP32(size), SWAP64(config), SWAP64(sample_period), SWAP64(sample_type), SWAP64(read_format),
		SWAP64(flags);
	SWAP32(wakeup_events), SWAP32(bp_type), SWAP64(config1), SWAP64(config2), SWAP64(branch_sample_type),
		SWAP64(sample_regs_user);
	SWAP32(sample_stack_user), SWAP32(clockid), SWAP64(sample_regs_intr), SWAP32(aux_watermark);
	a->sample_max_stack = __builtin_bswap16(a->sample_max_stack);
	a->reserved_2 = __builtin_bswap16(a->reserved_2);
	SWAP32(aux_sample_size), SWAP32(aux_action), SWAP64(sig_data), SWAP64(config3), SWAP64(config4);
#undef SWAP32
#undef SWAP64
}

int attr_decode(struct attr *a, const uint8_t *p, size_t avail, bool swap, bool *unknown_tail, struct err *e)
{
	struct attr made = { 0 };
	uint32_t size;
	bool tail = false;

	if (avail < ATTR_SIZE_MIN)
		return err_set(e, "attr of %zu bytes is shorter than the shortest known (%d)", avail, ATTR_SIZE_MIN);
	size = load_u32(p + 4);
	if (swap)
		size = __builtin_bswap32(size);
	if (!size)
		size = ATTR_SIZE_MIN;
	if (size < ATTR_SIZE_MIN || size > avail)
		return err_set(e, "attr says it has %u bytes, but there are %zu", size, avail);
	for (uint32_t i = ATTR_SIZE_MAX; i < size; i++)
		tail |= p[i] != 0;
	memcpy(&made, p, MIN(size, (uint32_t)ATTR_SIZE_MAX));
	if (swap)
		swap_fields(&made);
	if (swap != HOST_BIG_ENDIAN)
		made.flags = mirror_flags(made.flags);
	made.size = size;
	*a = made;
	if (unknown_tail)
		*unknown_tail = tail;
	return 0;
}

uint32_t attr_needed_size(const struct attr *a)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144 };
	const uint8_t *p = (const uint8_t *)a;
	uint32_t last = ATTR_SIZE_MAX;
	size_t i = 0;

	while (last > ATTR_SIZE_MIN && !p[last - 1])
		last--;
	while (sizes[i] < last)
		i++;
	return sizes[i];
}

void attr_encode(const struct attr *a, uint32_t size, uint8_t *p)
{
	struct attr made = *a;

	made.size = size;
	if (HOST_BIG_ENDIAN)
		made.flags = mirror_flags(made.flags);
	memset(p, 0, size);
	memcpy(p, &made, MIN(size, (uint32_t)ATTR_SIZE_MAX));
}

void attr_of_kernel(struct attr *a, const struct perf_event_attr *from)
{
	struct perf_event_attr sized = *from;
	struct err ignored = { 0 };
	bool tail;

	sized.size = sizeof(sized);
	attr_decode(a, (const uint8_t *)&sized, sizeof(sized), false, &tail, &ignored);
}
