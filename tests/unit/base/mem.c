#include "base/mem.h"
#include "base/vec_edit.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <cmocka.h>

static void strings_are_copied(void **state)
{
	autofree char *a = xstrdup("abc"), *b = xstrndup("abcdef", 2), *c = xstrndup("ab", 99),
		      *d = xasprintf("%d-%s", 7, "x");

	assert_string_equal(a, "abc");
	assert_string_equal(b, "ab");
	assert_string_equal(c, "ab");
	assert_string_equal(d, "7-x");
}

static void arena_memory_is_zeroed_aligned_and_apart(void **state)
{
	struct arena a = { 0 };
	uint64_t *kept[500];

	for (unsigned i = 0; i < 500; i++) {
		size_t words = 1 + i * 7 % 300;

		arena_strdup(&a, "odd");
		kept[i] = arena_alloc(&a, words * 8);
		assert_int_equal((uintptr_t)kept[i] % 16, 0);
		for (size_t w = 0; w < words; w++)
			assert_int_equal(kept[i][w], 0);
		for (size_t w = 0; w < words; w++)
			kept[i][w] = i;
	}
	for (unsigned i = 0; i < 500; i++)
		for (size_t w = 0; w < 1 + i * 7 % 300; w++)
			assert_int_equal(kept[i][w], i);
	assert_true(a.total >= 500 * 4);
	arena_release(&a);
	assert_int_equal(a.total, 0);
	assert_string_equal(arena_strdup(&a, "again"), "again");
	arena_release(&a);
}

static void arena_takes_any_size(void **state)
{
	struct arena a = { 0 };
	char *small = arena_strdup(&a, "small"), *big = arena_alloc(&a, 5 << 20), *none = arena_alloc(&a, 0);

	big[(5 << 20) - 1] = 1;
	assert_non_null(none);
	assert_string_equal(small, "small");
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(&a, "ab", 30), "ab");
	assert_string_equal(arena_printf(&a, "%s=%d", "x", 5), "x=5");
	assert_memory_equal(arena_memdup(&a, "\1\2\3", 3), "\1\2\3", 3);
	assert_non_null(arena_memdup(&a, NULL, 0));
	arena_release(&a);
}

struct pair {
	int a, b;
};

static void vec_grows_and_keeps(void **state)
{
	VEC(struct pair) v = { 0 };
	size_t before;

	vec_add(&v, 0);
	assert_int_equal(v.len, 0);
	for (int i = 0; i < 1000; i++)
		vec_push(&v, (struct pair){ i, -i });
	assert_int_equal(v.len, 1000);
	for (int i = 0; i < 1000; i++)
		assert_true(v.items[i].a == i && v.items[i].b == -i);
	vec_add(&v, 5)->a = 42;
	assert_int_equal(v.len, 1005);
	assert_int_equal(v.items[1000].a, 42);
	assert_int_equal(v.items[1004].a, 0);
	vec_reserve(&v, 5000);
	before = v.cap;
	assert_true(before >= 5000);
	vec_clear(&v);
	assert_int_equal(v.len, 0);
	assert_int_equal(v.cap, before);
	vec_free(&v);
	assert_null(v.items);
}

static void vec_inserts_and_removes(void **state)
{
	VEC(int) v = { 0 };

	vec_remove(&v, 0, 0);
	for (int i = 0; i < 3; i++)
		vec_insert(&v, 0, i); /* 2 1 0 */
	vec_insert(&v, v.len, 3);
	vec_insert(&v, 1, v.items[3] + 4);
	assert_memory_equal(v.items, ((int[]){ 2, 7, 1, 0, 3 }), 5 * sizeof(int));
	vec_remove(&v, 1, 2);
	assert_memory_equal(v.items, ((int[]){ 2, 0, 3 }), 3 * sizeof(int));
	vec_remove(&v, 2, 1);
	vec_remove(&v, 0, 0);
	assert_memory_equal(v.items, ((int[]){ 2, 0 }), 2 * sizeof(int));
	vec_remove(&v, 0, 2);
	assert_int_equal(v.len, 0);
	vec_free(&v);
}

static void vec_moves_its_items(void **state)
{
	VEC(int) from = { 0 }, to = { 0 };
	struct arena a = { 0 };
	int *kept;

	vec_push(&to, 1);
	vec_push(&from, 2);
	vec_push(&from, 3);
	vec_move(&to, &from);
	assert_int_equal(to.len, 2);
	assert_int_equal(to.items[1], 3);
	assert_true(to.cap >= 2);
	assert_null(from.items);
	assert_int_equal(from.len + from.cap, 0);
	assert_null(vec_to_arena(&from, &a));
	kept = vec_to_arena(&to, &a);
	assert_int_equal(kept[0], 2);
	assert_int_equal(kept[1], 3);
	assert_null(to.items);
	assert_int_equal(to.len, 0);
	arena_release(&a);
}

/* ---- the heap ---- */

enum { LARGE = 3 << 20 };

/* Does the memory at p have large pages where the kernel has some? Source: proc(5), /proc/PID/smaps, "hg". */
static bool has_large_pages(const void *p)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long long from, to, at = (uintptr_t)p;
	bool inside = false, found = false;
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
			inside = at >= from && at < to;
		else if (inside && !strncmp(line, "VmFlags:", 8))
			found = strstr(line, " hg") != NULL;
	}
	if (f)
		fclose(f);
	return found;
}

static bool malloc_gives_large_pages(void)
{
	char *p = xmalloc(LARGE);
	bool large = has_large_pages(p + LARGE - LARGE / 6); /* where the next large page has begun */

	free(p);
	return large;
}

static int in_child(void (*prepare)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		prepare();
		_exit(malloc_gives_large_pages());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void fill(void)
{
	heap_fill(16 * LARGE);
	heap_fill(1); /* only the first call counts */
}

static void keep_no_holes_then_fill(void)
{
	heap_keep_no_holes(1 << 20);
	fill();
}

/* Where there are no addresses, nothing fails. */
static void fill_without_room(void)
{
	struct rlimit all, none;

	getrlimit(RLIMIT_DATA, &all);
	none = (struct rlimit){ 0, all.rlim_max };
	setrlimit(RLIMIT_DATA, &none);
	fill();
	setrlimit(RLIMIT_DATA, &all);
}

static void *in_thread(void *large)
{
	*(bool *)large = malloc_gives_large_pages();
	return NULL;
}

static void fill_in_thread(void)
{
	bool large = false;
	pthread_t thread;

	fill();
	if (!pthread_create(&thread, NULL, in_thread, &large))
		pthread_join(thread, NULL);
	_exit(large);
}

static void needs_large_pages(void)
{
#ifdef __SANITIZE_ADDRESS__
	print_message("skipped: the sanitizer's heap is another one\n");
	skip();
#endif
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK)) {
		print_message("skipped: the kernel has no large pages\n");
		skip();
	}
}

static void only_a_heap_that_fills_has_large_pages(void **state)
{
	needs_large_pages();
	assert_int_equal(in_child(heap_trim), 0);
	assert_int_equal(in_child(fill), 1);
	assert_int_equal(in_child(fill_in_thread), 1);
	assert_int_equal(in_child(keep_no_holes_then_fill), 0);
	assert_int_equal(in_child(fill_without_room), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_copied),
		cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
		cmocka_unit_test(arena_takes_any_size),
		cmocka_unit_test(vec_grows_and_keeps),
		cmocka_unit_test(vec_moves_its_items),
		cmocka_unit_test(vec_inserts_and_removes),
		cmocka_unit_test(only_a_heap_that_fills_has_large_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
