/*
 * The call frame information of an ELF object: each row, and its rules over registers and memory
 * made from the input. Seeds: see fuzz_dwarf.c, and some with -fno-asynchronous-unwind-tables,
 * which leaves only .debug_frame.
 */
#include "symbols/arch/arch_priv.h"
#include "symbols/unwind/cfi_priv.h"
#include "symbols/name/symbols_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
};

static bool load(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct input *in = ctx;

	*value = 0;
	if (in->size < 8)
		return false;
	memcpy(value, in->data + addr % (in->size - 7), size);
	return addr & 1;
}

static void evaluate(const struct cfi *c, const struct arch *a, const struct cfi_row *row, struct input *in)
{
	uint64_t regs[ARCH_MAX_REGS], cfa = 0x7000, value;
	const struct cfi_machine m = { .regs = regs, .known = UINT64_MAX, .load = load, .ctx = in };

	for (unsigned i = 0; i < ARCH_MAX_REGS; i++)
		load(in, i * 8, 8, &regs[i]);
	if (row->cfa.how == CFI_VAL_EXPR)
		cfi_eval(a, cfi_swapped(c), &row->cfa, NULL, &m, &cfa);
	if (row->ret >= ARCH_MAX_REGS || row->n_rules > ARCH_MAX_REGS)
		abort();
	for (unsigned i = 0; i < row->n_rules; i++) {
		if (row->rules[i].reg >= ARCH_MAX_REGS)
			abort();
		if (row->rules[i].how == CFI_EXPR || row->rules[i].how == CFI_VAL_EXPR)
			cfi_eval(a, cfi_swapped(c), &row->rules[i], &cfa, &m, &value);
	}
}

static void walk(const struct cfi *c, const struct arch *a, const struct image *im, struct input *in)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < im->n_segments && i < 8; i++)
		for (uint64_t off = 0; off < im->segments[i].file_size && off < 1024; off++) {
			const struct cfi_row *row = cfi_row(c, im->segments[i].address + off, &arena);

			if (row)
				evaluate(c, a, row, in);
		}
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct arch *const archs[] = { &arch_x86_64, &arch_x86, &arch_aarch64, &arch_s390x };
	struct input in = { data, size };
	struct image im;

	if (image_open_memory(&im, data, size, NULL, NULL) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
		struct cfi *c = cfi_open(data, size, data, size, archs[i], NULL);

		if (c)
			walk(c, archs[i], &im, &in);
		cfi_close(c);
	}
	image_close(&im);
	return 0;
}
