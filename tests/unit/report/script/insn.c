#include "report/script/insn_priv.h"

#include "tests/unit/report/script/code.h"

#define WHO (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

static struct build at(uint64_t ip, char **path)
{
	struct build b = build_start(WHO);

	*path = code_map(&b);
	build_sample(&b, .pid = 7, .tid = 7, .time = 3, .ip = ip, .misc = CPUMODE_USER);
	return b;
}

static void the_bytes_and_the_length_of_the_sampled_instruction_are_printed(void **state)
{
	char *path;
	struct build b = at(CODE_START + 1, &path);

	code_check(&b, path, "insn,insnlen", " ilen: 3 insn: 48 89 e5\n");
}

static void a_jump_is_printed_with_its_target_as_an_address_of_the_object(void **state)
{
	char *path;
	struct build b = at(CODE_START + 6, &path);

	code_check(&b, path, "disasm", "\t\tjne    8a\n");
}

static void an_instruction_that_is_sampled_twice_prints_the_same_text(void **state)
{
	char *path;
	struct build b = at(CODE_START, &path);

	build_sample(&b, .pid = 7, .tid = 7, .time = 4, .ip = CODE_START + 11, .misc = CPUMODE_USER);
	build_sample(&b, .pid = 7, .tid = 7, .time = 5, .ip = CODE_START, .misc = CPUMODE_USER);
	code_check(&b, path, "insn", " insn: 55\n insn: c3\n insn: 55\n");
}

static void an_address_outside_the_code_has_length_0_and_no_bytes(void **state)
{
	char *path;
	struct build b = at(CODE_MAP + 0x100000, &path);

	code_check(&b, path, "insn,insnlen", " ilen: 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bytes_and_the_length_of_the_sampled_instruction_are_printed),
		cmocka_unit_test(a_jump_is_printed_with_its_target_as_an_address_of_the_object),
		cmocka_unit_test(an_instruction_that_is_sampled_twice_prints_the_same_text),
		cmocka_unit_test(an_address_outside_the_code_has_length_0_and_no_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
