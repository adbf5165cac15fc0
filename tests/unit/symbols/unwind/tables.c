#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include "base/file.h"
#include "symbols/arch/arch_priv.h"
#include "symbols/unwind/cfi_priv.h"
#include "symbols/unwind/tables.h"

/* All rows that cfi_rows() tells are the ones that cfi_row() gives for each address. */

struct compared {
	const struct cfi *cfi;
	uint64_t end;
	size_t rows, unlike;
};

static bool same_rule(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->reg == b->reg && a->how == b->how && a->offset == b->offset && a->expr == b->expr;
}

static bool same_row(const struct cfi_row *a, const struct cfi_row *b)
{
	if (!b || a->n_rules != b->n_rules || a->ret != b->ret || a->is_signal != b->is_signal ||
	    !same_rule(&a->cfa, &b->cfa))
		return false;
	for (unsigned i = 0; i < a->n_rules; i++)
		if (!same_rule(&a->rules[i], &b->rules[i]))
			return false;
	return true;
}

static void compare_row(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct compared *c = ctx;
	struct arena arena = { 0 };

	assert_true(start < end);
	if (start > c->end) /* a gap */
		assert_null(cfi_row(c->cfi, start - 1, &arena));
	c->unlike += !same_row(row, cfi_row(c->cfi, start, &arena)) || !same_row(row, cfi_row(c->cfi, end - 1, &arena));
	c->rows++;
	c->end = end;
	arena_release(&arena);
}

static int compare_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct arch *a = arch_find(NULL);
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	struct compared *c = arg;
	uint64_t from, to;
	struct file_map map;

	if (file_map(&map, path, NULL) < 0) /* the vdso */
		return 0;
	c->cfi = cfi_open(map.data, map.len, NULL, 0, a, NULL);
	if (c->cfi && cfi_range(c->cfi, &from, &to)) {
		c->end = from;
		cfi_rows(c->cfi, from, to, compare_row, c);
	}
	cfi_close((struct cfi *)(uintptr_t)c->cfi);
	file_unmap(&map);
	return 0;
}

static void rows_of_a_range_are_those_of_each_address(void **state)
{
	struct compared c = { 0 };

	if (!arch_find(NULL) || !arch_find(NULL)->n_dwarf)
		skip();
	dl_iterate_phdr(compare_object, &c);
	assert_int_equal(c.unlike, 0);
	assert_true(c.rows > 1000);
}

/* ---- walks ---- */

/* The registers and the stack of a sample on x86_64. */
static struct unwind_args x86_args(const uint64_t *regs, const uint64_t *stack, uint32_t stack_size)
{
	return (struct unwind_args){ .regs_mask = 0xff0fff,
				     .regs = (const uint8_t *)regs,
				     .abi = 2,
				     .stack = (const uint8_t *)stack,
				     .stack_size = stack_size };
}

/* A stack of one frame that lies in no object: the walk says so, and does not read behind the copy. */
static void code_without_a_file_is_told(void **state)
{
	struct unwind_cache *cache = unwind_cache_new();
	const struct unwind_map map = { .start = 0x1000, .end = 0x2000 };
	const struct unwind_maps maps = { &map, 1, 1 }, none = { .id = 2 };
	uint64_t regs[24] = { 0 }, ips[4], sps[4], stack[2] = { 0 };
	struct unwind_args args = x86_args(regs, stack, sizeof(stack));
	struct unwind_stop stop;

#ifndef __x86_64__
	skip();
#endif
	regs[7] = 0x7000;
	regs[8] = 0x1800;
	assert_int_equal(unwind_by_tables(cache, &maps, &args, ips, sps, 4, &stop), 0);
	assert_int_equal(stop.end, UNWIND_NO_FILE);
	assert_int_equal(unwind_by_tables(cache, &none, &args, ips, sps, 4, &stop), 1);
	assert_int_equal(stop.end, UNWIND_NO_MAP);
	assert_int_equal(ips[0], 0x1800);
	assert_int_equal(sps[0], 0x7000);
	unwind_cache_free(cache);
}

/* Generated code keeps frame pointers: {caller's frame pointer, return address}. */
static void generated_code_is_crossed_by_its_frame_pointer(void **state)
{
	struct unwind_cache *cache = unwind_cache_new();
	const struct unwind_map map = { .start = 0x1000, .end = 0x2000, .kind = UNWIND_CODE_NONE };
	const struct unwind_maps maps = { &map, 1, 1 };
	uint64_t regs[24] = { 0 }, ips[4], sps[4], stack[] = { 0x7020, 0x1900, 0, 0, 0, 0 };
	struct unwind_args args = x86_args(regs, stack, sizeof(stack));
	struct unwind_stop stop;

#ifndef __x86_64__
	skip();
#endif
	regs[6] = regs[7] = 0x7000;
	regs[8] = 0x1800;
	assert_int_equal(unwind_by_tables(cache, &maps, &args, ips, sps, 4, &stop), 2);
	assert_int_equal(ips[1], 0x18ff);
	assert_int_equal(sps[1], 0x7010);
	assert_int_equal(stop.end, UNWIND_DONE);
	unwind_cache_free(cache);
}

enum { STEP = 512, MOST = 1 << 20 };

/* Walk from every STEP bytes of the object's code, and sum up how many frames there were and how each walk ended. */
static uint64_t walk_everywhere(struct unwind_object *o, uint64_t len)
{
	struct unwind_cache *cache = unwind_cache_new();
	const struct unwind_map map = { .end = MOST, .object = o };
	const struct unwind_maps maps = { &map, 1, 1 };
	uint64_t regs[24] = { 0 }, ips[4], sps[4], stack[64] = { 0 }, sum = 0;
	struct unwind_args args = x86_args(regs, stack, sizeof(stack));
	struct unwind_stop stop;

	regs[6] = regs[7] = 0x7000;
	for (regs[8] = 0; regs[8] < len; regs[8] += STEP) {
		sum = sum * 31 + unwind_by_tables(cache, &maps, &args, ips, sps, 4, &stop);
		sum = sum * 31 + stop.end;
	}
	unwind_cache_free(cache);
	return sum;
}

/* A table costs more than a few questions. Its answers are the same. */
static void code_gets_its_table_when_it_is_asked_often(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct unwind_object *o;
	struct stat st;
	uint64_t first;

#ifndef __x86_64__
	skip();
#endif
	assert_int_equal(fstat(fd, &st), 0);
	o = unwind_object_open(fd, -1, "/proc/self/exe", NULL);
	assert_non_null(o);
	first = walk_everywhere(o, MIN((uint64_t)st.st_size, (uint64_t)MOST));
	assert_int_equal(unwind_object_size(o).rows, 0);
	unwind_object_rest(o);
	for (int i = 0; i < 3; i++)
		assert_int_equal(walk_everywhere(o, MIN((uint64_t)st.st_size, (uint64_t)MOST)), first);
	assert_true(unwind_object_size(o).rows > 10);
	unwind_object_free(o);
}

static void what_is_no_object_has_no_tables(void **state)
{
	assert_null(unwind_object_open(open("/dev/null", O_RDONLY | O_CLOEXEC), -1, "/dev/null", NULL));
	unwind_object_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_range_are_those_of_each_address),
		cmocka_unit_test(code_without_a_file_is_told),
		cmocka_unit_test(generated_code_is_crossed_by_its_frame_pointer),
		cmocka_unit_test(code_gets_its_table_when_it_is_asked_often),
		cmocka_unit_test(what_is_no_object_has_no_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
