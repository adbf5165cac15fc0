#include "report/annotate/annotate_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"

/* The functions of these tests have 64 bytes at 0x1140. */
enum { START = 0x1140, LENGTH = 64 };

static char dir[64], program[128], arguments[128];

static int setup(void **state)
{
	strcpy(dir, "/tmp/strobe-objdump-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(program, sizeof(program), "%s/objdump", dir);
	snprintf(arguments, sizeof(arguments), "%s/arguments", dir);
	return 0;
}

static int teardown(void **state)
{
	unlink(program);
	unlink(arguments);
	return rmdir(dir);
}

/* A program that keeps its arguments, and then does this. */
static void put_program(const char *script)
{
	FILE *file = fopen(program, "w");

	assert_non_null(file);
	fprintf(file, "#!/bin/sh\nprintf '%%s\\n' \"$@\" >%s\n%s\n", arguments, script);
	fclose(file);
	assert_int_equal(chmod(program, 0700), 0);
}

/* A disassembled function. Its texts begin with a NUL, as offset 0 means: no text. */
struct told {
	struct annotator by;
	struct annotation a;
	struct err e;
	int rc;
};

static void run(struct told *t, const char *script, struct annotate_opts opts, struct code code)
{
	put_program(script);
	opts.objdump = program;
	*t = (struct told){ .by.opts = opts };
	t->a.by = &t->by;
	t->a.code = code;
	out_init_mem(&t->a.texts);
	out_char(&t->a.texts, '\0');
	t->rc = objdump_read(&t->a, &t->e);
}

static void release(struct told *t)
{
	vec_free(&t->a.insns);
	out_release(&t->a.texts);
}

static struct code in_file(void)
{
	return (struct code){ .len = LENGTH,
			      .address = 0x401140,
			      .file_address = START,
			      .in_file = true,
			      .target.machine = EM_X86_64,
			      .from = "/bin/it's a $file" };
}

/* "OFFSET+SIZE TEXT" of each instruction; releases `t`. */
static void check(struct told *t, const char *want)
{
	struct out o;

	if (t->rc)
		fail_msg("%s", t->e.what);
	out_init_mem(&o);
	for (size_t i = 0; i < t->a.insns.len; i++)
		out_fmt(&o, "%u+%u %s\n", t->a.insns.items[i].offset, t->a.insns.items[i].size,
			out_text(&t->a.texts) + t->a.insns.items[i].text);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
	release(t);
}

static void lines_become_instructions(void **state)
{
	struct told t;

	run(&t,
	    "cat <<'EOF'\n"
	    "\n/bin/x:     file format elf64-x86-64\n\n"
	    "0000000000001140 <f>:\n"
	    "    1140:\tpush   %rbp\n"
	    "    1141:\ttest\t%rdi,\t%rdi\n"
	    "    1144:\tcall   1030 <puts@plt>\n"
	    "    117f:\tret\n"
	    "\t...\nEOF",
	    (struct annotate_opts){ 0 }, in_file());
	check(&t, "0+1 push   %rbp\n1+3 test %rdi, %rdi\n4+59 call   1030 <puts@plt>\n63+1 ret\n");
}

static void the_program_gets_words_not_a_command_line(void **state)
{
	autofree char *text = NULL;
	struct err e = { 0 };
	struct told t;

	run(&t, "echo '    1140:\tret'", (struct annotate_opts){ .style = "intel" }, in_file());
	check(&t, "0+64 ret\n");
	text = file_read(arguments, 1 << 16, NULL, &e);
	assert_non_null(text);
	assert_string_equal(text, "-d\n-w\n-C\n--no-show-raw-insn\n--start-address=0x1140\n--stop-address=0x1180\n"
				  "-Mintel\n--\n/bin/it's a $file\n");
}

/* Code that is in no file: the program gets one with it. The function keeps its own address there. */
static void code_of_memory_becomes_a_file(void **state)
{
	static const uint8_t bytes[] = { 0x55, 0xc3 };
	struct code code = { .bytes = bytes,
			     .len = sizeof(bytes),
			     .address = 0x7f0000001000,
			     .file_address = 1,
			     .target = { .machine = EM_X86_64, .is_64 = true } };
	autofree char *text = NULL;
	struct err e = { 0 };
	struct told t;

	run(&t,
	    "eval file=\\${$#}\n"
	    "[ $(head -c 4 \"$file\" | od -An -c | tr -d ' ') = '177ELF' ] && echo '    7f0000001000:\tpush'\n"
	    "grep -q \"$(printf '\\125\\303')\" \"$file\" && echo '    7f0000001001:\tret'",
	    (struct annotate_opts){ 0 }, code);
	check(&t, "0+1 push\n1+1 ret\n");
	text = file_read(arguments, 1 << 16, NULL, &e);
	assert_non_null(strstr(text, "--start-address=0x7f0000001000\n--stop-address=0x7f0000001002\n--\n/proc/"));
}

/* Its output is foreign text: lines in other forms, of other places, twice, or without an end. */
static void other_lines_are_stepped_over(void **state)
{
	struct told t;

	run(&t,
	    "cat <<'EOF'\n"
	    "    113f:\tbefore\n"
	    "    1180:\tbehind\n"
	    "    ffffffffffffffff:\tbehind\n"
	    "    fffffffffffffffffffffffff1140:\thuge\n"
	    "    -1140:\tnegative\n"
	    "1140:\tno blank\n"
	    "    1140 \tno colon\n"
	    "    1140: no tab\n"
	    "    :\tnothing\n"
	    "    1142:\tfirst\n"
	    "    1142:\tagain\n"
	    "    1141:\tback\n"
	    "    1150:\t\n"
	    "EOF\n"
	    "printf '    1160:\\tcut'",
	    (struct annotate_opts){ 0 }, in_file());
	check(&t, "2+14 first\n16+16 \n32+32 cut\n");
}

static void long_lines_and_gaps(void **state)
{
	struct code code = in_file();
	struct told t;

	code.len = 1000;
	run(&t, "printf '    1140:\\t%05000d\\n    1141:\\tlast\\n' 0", (struct annotate_opts){ 0 }, code);
	assert_int_equal(t.rc, 0);
	assert_int_equal(t.a.insns.len, 2);
	assert_int_equal(strlen(out_text(&t.a.texts) + t.a.insns.items[0].text), 5000);
	assert_int_equal(t.a.insns.items[1].size, 255); /* no instruction is longer */
	release(&t);
}

static void check_error(const char *script, struct code code, const char *what, const char *why)
{
	struct told t;

	run(&t, script, (struct annotate_opts){ 0 }, code);
	assert_int_equal(t.rc, -1);
	if (!strstr(t.e.what, what) || !strstr(t.e.why, why))
		fail_msg("'%s', '%s' instead of '%s', '%s'", t.e.what, t.e.why, what, why);
	release(&t);
}

static void a_program_that_tells_nothing_is_named(void **state)
{
	struct code unknown = in_file();
	struct told t;

	check_error("exit 3", in_file(), "printed no instructions of '/bin/it's a $file'", "it ended with status 3");
	check_error("kill -9 $$", in_file(), "printed no instructions", "it was ended by signal 9");
	unknown.target.machine = EM_NONE;
	check_error("echo '    1140:\tret'", unknown, "objdump cannot read this code", "for what machine");
	assert_int_equal(access(arguments, F_OK), 0); /* from before */
	run(&t, "", (struct annotate_opts){ 0 }, in_file());
	release(&t);
	t = (struct told){ .by.opts.objdump = "/nowhere/objdump", .a = { .by = &t.by, .code = in_file() } };
	assert_int_equal(objdump_read(&t.a, &t.e), -1);
	assert_string_equal(t.e.what, "cannot start '/nowhere/objdump'");
}

/* A program that never ends, or that holds its output open, must not hold us. */
static void endless_output_has_a_limit(void **state)
{
	struct told t;

	run(&t, "echo '    1140:\tret'; exec yes 'a long line, so that it does not take so many of them'",
	    (struct annotate_opts){ 0 }, in_file());
	check(&t, "0+64 ret\n");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(lines_become_instructions),     T(the_program_gets_words_not_a_command_line),
		T(code_of_memory_becomes_a_file), T(other_lines_are_stepped_over),
		T(long_lines_and_gaps),           T(a_program_that_tells_nothing_is_named),
		T(endless_output_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
