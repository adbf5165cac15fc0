/* The kernel's symbol list of a session: names from the mapped file and from memory, modules, the reference symbol. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <time.h>

#include "tests/unit/symbols/fixture.h"
#include "symbols/name/kallsyms.h"
#include "symbols/name/kernel_list_priv.h"

static const char list[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000010 t local with space\n"
			   "ffffffff81000020 W weak\t\n"
			   "ffffffffc0000000 t mod_init\t[e1000]\n"
			   "ffffffffc0001000 T other\t[nvme]\n"
			   "ffffffffc0000100 T mod_two\t[e1000]\n"
			   "ffffffffc0002000 T outside\t[e1000]\n"
			   "ffffffff81000030 D last";

static const char *name_of(const struct dso *d, const struct symbol *s)
{
	static char text[64];
	size_t len;
	const char *name = dso_raw_name(d, s, &len);

	assert_true(len < sizeof(text));
	memcpy(text, name, len);
	text[len] = '\0';
	return text;
}

static void check_kernel(struct kernel_list *k)
{
	static const char *const names[] = { "_text", "local with space", "weak", "last" };
	static const uint8_t bindings[] = { STB_GLOBAL, STB_LOCAL, STB_WEAK, STB_GLOBAL };
	struct symbol_table t = { 0 };
	struct dso d = { 0 };

	assert_int_equal(kernel_list_problem(k), REASON_NONE);
	kernel_list_take(k, &d, 0x1000, &t);
	assert_int_equal(t.len, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_string_equal(name_of(&d, &t.items[i]), names[i]);
		assert_int_equal(t.items[i].start, 0xffffffff81001000 + i * 0x10);
		assert_int_equal(t.items[i].end, t.items[i].start);
		assert_int_equal(t.items[i].binding, bindings[i]);
		assert_int_equal(t.items[i].type, i == 3 ? STT_OBJECT : STT_FUNC);
		kernel_list_rest(k); /* names come back */
	}
	vec_free(&t);
}

static void check_module(struct kernel_list *k)
{
	struct dso d = { .short_name = "[e1000]", .start = 0xffffffffc0000000, .len = 0x1000 };
	struct symbol_table t = { 0 };

	kernel_list_module(k, &d, &t);
	assert_int_equal(t.len, 2);
	assert_string_equal(name_of(&d, &t.items[0]), "mod_init");
	assert_string_equal(name_of(&d, &t.items[1]), "mod_two");
	vec_clear(&t);
	d.short_name = "[e10001]";
	kernel_list_module(k, &d, &t);
	assert_int_equal(t.len, 0);
	vec_free(&t);
}

static void names_stay_in_the_file_or_in_memory(void **state)
{
	struct kernel_list *k;

	fixture_write("list", list);
	k = kernel_list_open(fixture_path("list"));
	check_module(k);
	check_kernel(k);
	check_module(k);
	kernel_list_free(k);
	k = kernel_list_parse(list, sizeof(list) - 1);
	check_module(k);
	check_kernel(k);
	kernel_list_free(k);
}

static void the_reference_symbol_is_found_before_and_after_the_kernel_took_its_symbols(void **state)
{
	struct symbol_table t = { 0 };
	struct dso d = { 0 };
	struct kernel_list *k;
	uint64_t address = 0;

	fixture_write("list", list);
	k = kernel_list_open(fixture_path("list"));
	for (int taken = 0; taken < 2; taken++) {
		assert_true(kernel_list_find(k, "last", &address));
		assert_int_equal(address, 0xffffffff81000030);
		assert_true(kernel_list_find(k, "_text", &address));
		assert_int_equal(address, 0xffffffff81000000);
		assert_false(kernel_list_find(k, "_tex", &address));
		assert_false(kernel_list_find(k, "mod_init", &address));
		if (!taken)
			kernel_list_take(k, &d, 0, &t);
	}
	vec_free(&t);
	kernel_list_free(k);
}

static void *read_it(void *of)
{
	kernel_list_problem(of);
	return NULL;
}

static bool kernel_shows_text(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address, text = 0;
	char name[512];

	while (f && !text && fscanf(f, "%llx %*c %511s%*[^\n]", &address, name) == 2)
		if (!strcmp(name, "_text"))
			text = address;
	if (f)
		fclose(f);
	return text;
}

/* /proc/kallsyms has no size, so its names are in memory, which moves while the list is read. */
static void the_reference_symbol_is_found_while_another_thread_reads_the_list(void **state)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const char *path = "/proc/kallsyms";

	if (!kernel_shows_text())
		skip(); /* the kernel hides its addresses */
	for (int i = 0; i < 5; i++) {
		struct kernel_list *k = kernel_list_open(path);
		uint64_t address;
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, read_it, k), 0);
		nanosleep(&pause, NULL);
		assert_true(kernel_list_find(k, "_text", &address));
		pthread_join(thread, NULL);
		kernel_list_free(k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_in_the_file_or_in_memory),
		cmocka_unit_test(the_reference_symbol_is_found_before_and_after_the_kernel_took_its_symbols),
		cmocka_unit_test(the_reference_symbol_is_found_while_another_thread_reads_the_list),
	};

	return cmocka_run_group_tests_name("kernel_list", tests, fixture_setup, fixture_teardown);
}
