/* Lists of kernel symbols, read from memory and from files. */
#include "symbols/name/kallsyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char list[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000010 t static_one\n"
			   "ffffffff82000000 D data\n"
			   "ffffffffc0000000 t mod_init\t[e1000]\n"
			   "ffffffffc0000100 T mod_two\t[e1000]\n"
			   "ffffffffc0001000 T other\t[nvme]\n";

static const char *name_of(const struct kallsyms *k, const struct kallsym *s) { return k->text.items + s->name; }

static void symbols_have_address_type_name_and_module(void **state)
{
	struct kallsyms *k = kallsyms_parse(list, sizeof(list) - 1);

	assert_int_equal(k->symbols.len, 6);
	assert_int_equal(k->symbols.items[1].address, 0xffffffff81000010);
	assert_int_equal(k->symbols.items[1].type, 't');
	assert_string_equal(name_of(k, &k->symbols.items[1]), "static_one");
	assert_int_equal(k->symbols.items[1].module, 0);
	assert_int_equal(k->symbols.items[3].module, k->symbols.items[4].module);
	assert_int_not_equal(k->symbols.items[3].module, k->symbols.items[5].module);
	assert_string_equal(k->text.items + k->modules.items[k->symbols.items[5].module], "[nvme]");
	assert_false(k->hidden);
	kallsyms_free(k);
}

static void a_list_of_zeroes_is_hidden(void **state)
{
	static const char zeroes[] = "0000000000000000 T _text\n0000000000000000 t f\n";
	struct kallsyms *k = kallsyms_parse(zeroes, sizeof(zeroes) - 1);

	assert_true(k->hidden);
	assert_int_equal(k->problem, REASON_KALLSYMS_HIDDEN);
	kallsyms_free(k);
}

static void nonsense_is_left_out(void **state)
{
	static const char text[] = "no line\nffffffff81000000\nffffffff81000000 T\n\n"
				   "ffffffff81000020 T good\nxyz T bad\n";
	struct kallsyms *k = kallsyms_parse(text, sizeof(text) - 1);

	assert_int_equal(k->symbols.len, 1);
	assert_string_equal(name_of(k, &k->symbols.items[0]), "good");
	kallsyms_free(k);
	k = kallsyms_parse("", 0);
	assert_int_equal(k->symbols.len, 0);
	assert_int_equal(k->problem, REASON_KALLSYMS_EMPTY);
	kallsyms_free(k);
}

/* The list in a new file. */
static char *file(char *path)
{
	int fd = mkstemp(path);

	assert_int_equal(write(fd, list, sizeof(list) - 1), sizeof(list) - 1);
	close(fd);
	return path;
}

static void one_address_is_found_in_a_file(void **state)
{
	char path[] = "/tmp/strobe-kallsyms.XXXXXX";

	file(path);
	assert_int_equal(kallsyms_address(path, "static_one"), 0xffffffff81000010);
	assert_int_equal(kallsyms_address(path, "static"), 0);
	assert_int_equal(kallsyms_address(path, "mod_two"), 0); /* a module's */
	unlink(path);
	assert_int_equal(kallsyms_address(path, "_text"), 0);
}

static void a_file_lacks_what_no_line_ends_in(void **state)
{
	char path[] = "/tmp/strobe-kallsyms.XXXXXX";

	file(path);
	assert_true(kallsyms_lacks(path, (const char *const[]){ "nosuch", "one", NULL }));
	assert_false(kallsyms_lacks(path, (const char *const[]){ "nosuch", "static_one", NULL }));
	assert_false(kallsyms_lacks(path, (const char *const[]){ "mod_two", NULL }));
	unlink(path);
	assert_false(kallsyms_lacks(path, (const char *const[]){ "nosuch", NULL })); /* not known */
}

static void only_regular_files_are_read(void **state)
{
	struct kallsyms *k = kallsyms_read("/dev/zero");

	assert_int_equal(k->symbols.len, 0);
	assert_int_not_equal(k->problem, REASON_NONE);
	kallsyms_free(k);
	k = kallsyms_read("/nonexistent/kallsyms");
	assert_int_equal(k->problem, REASON_KALLSYMS_MISSING);
	kallsyms_free(k);
}

/* Addresses of 16 digits take a shortcut: every byte there must be a digit, in lower case or not. */
static void each_byte_of_an_address_is_a_digit(void **state)
{
	for (int at = 0; at < 16; at++)
		for (int byte = 1; byte < 256; byte++) {
			char line[] = "0123456789abcdef T name";
			struct kallsyms_line l;
			const char *end = line + sizeof(line) - 1;
			bool is_digit = byte < 0x80 && isxdigit(byte), parsed;

			line[at] = (char)byte;
			parsed = kallsyms_line(line, end, end, &l);
			if (is_digit) {
				assert_true(parsed);
				assert_int_equal(l.address, strtoull(line, NULL, 16));
				assert_int_equal(l.name_len, 4);
				assert_null(l.module);
			} else {
				assert_false(parsed);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_of_an_address_is_a_digit),
		cmocka_unit_test(symbols_have_address_type_name_and_module),
		cmocka_unit_test(a_list_of_zeroes_is_hidden),
		cmocka_unit_test(nonsense_is_left_out),
		cmocka_unit_test(one_address_is_found_in_a_file),
		cmocka_unit_test(a_file_lacks_what_no_line_ends_in),
		cmocka_unit_test(only_regular_files_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
