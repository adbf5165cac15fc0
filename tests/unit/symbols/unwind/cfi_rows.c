#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <link.h>
#include "base/file.h"
#include "symbols/arch/arch_priv.h"
#include "symbols/unwind/cfi_priv.h"

/*
 * Compare every row of the unwind tables of all objects of this process with libdw's: two
 * readers of one format that share no code. Expressions are compared only by kind; cfi.c tests
 * their results.
 */

struct peer {
	Dwarf_CFI *cfi;
	const struct arch *arch;
	const struct cfi *ours;
	const char *path;
	size_t rows, rules, unlike;
};

static const char *const kinds[] = { "same",       "undefined",          "offset", "value", "register",
				     "expression", "value of expression" };

struct told {
	enum cfi_how how;
	int64_t offset;
};

/* A rule in libdw's form: the operations that compute the register's value. */
static struct told told_by(const Dwarf_Op *ops, size_t n, const Dwarf_Op *room)
{
	bool by_value = n > 1 && ops[n - 1].atom == DW_OP_stack_value,
	     by_cfa = n && ops[0].atom == DW_OP_call_frame_cfa;
	size_t steps = n - by_value;

	if (!ops)
		return (struct told){ CFI_SAME, 0 };
	if (!n)
		return (struct told){ CFI_UNDEFINED, 0 };
	if (ops[0].atom == DW_OP_regx && n == 1)
		return (struct told){ CFI_REGISTER, (int64_t)ops[0].number };
	if (ops == room && by_cfa && (steps == 1 || (steps == 2 && ops[1].atom == DW_OP_plus_uconst)))
		return (struct told){ by_value ? CFI_VAL_OFFSET : CFI_OFFSET, steps == 2 ? (int64_t)ops[1].number : 0 };
	return (struct told){ by_value ? CFI_VAL_EXPR : CFI_EXPR, 0 };
}

static struct told told_by_us(const struct cfi_row *row, unsigned reg)
{
	for (unsigned i = 0; i < row->n_rules; i++)
		if (row->rules[i].reg == reg)
			return (struct told){ row->rules[i].how,
					      row->rules[i].how == CFI_EXPR || row->rules[i].how == CFI_VAL_EXPR
						      ? 0
						      : row->rules[i].offset };
	return (struct told){ CFI_SAME, 0 };
}

static void complain(struct peer *p, uint64_t addr, const char *what, struct told ours, struct told theirs)
{
	if (p->unlike++ < 10)
		print_error("%s: %#llx: %s: we %s %+lld, libdw %s %+lld\n", p->path, (unsigned long long)addr, what,
			    kinds[ours.how], (long long)ours.offset, kinds[theirs.how], (long long)theirs.offset);
}

static void compare_cfa(struct peer *p, uint64_t addr, Dwarf_Frame *frame, const struct cfi_row *row)
{
	struct told ours = { row->cfa.how, row->cfa.how == CFI_REGISTER ? row->cfa.offset : 0 },
		    theirs = { CFI_VAL_EXPR, 0 };
	uint64_t reg = ARCH_NO_REG;
	Dwarf_Op *ops;
	size_t n;

	assert_int_equal(dwarf_frame_cfa(frame, &ops, &n), 0);
	if (n == 1 && ops[0].atom == DW_OP_bregx) {
		reg = ops[0].number;
		theirs = (struct told){ CFI_REGISTER, (int64_t)ops[0].number2 };
	} else if (n == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		reg = ops[0].atom - DW_OP_breg0;
		theirs = (struct told){ CFI_REGISTER, (int64_t)ops[0].number };
	}
	if (ours.how != theirs.how || ours.offset != theirs.offset ||
	    (ours.how == CFI_REGISTER && row->cfa.reg != p->arch->from_dwarf[reg]))
		complain(p, addr, "CFA", ours, theirs);
}

/* A register without a rule: libdw assumes what the ABI says, for the stack pointer the CFA. */
static bool is_by_abi(const struct peer *p, unsigned reg, struct told ours, struct told theirs)
{
	return ours.how == CFI_SAME &&
	       (theirs.how == CFI_UNDEFINED || (reg == p->arch->sp && theirs.how == CFI_VAL_OFFSET && !theirs.offset));
}

static void compare_row(struct peer *p, uint64_t addr, Dwarf_Frame *frame, const struct cfi_row *row)
{
	compare_cfa(p, addr, frame, row);
	for (unsigned i = 0; i < p->arch->n_dwarf; i++) {
		uint8_t reg = p->arch->from_dwarf[i];
		struct told ours, theirs;
		Dwarf_Op room[3], *ops;
		size_t n;

		if (reg == ARCH_NO_REG || dwarf_frame_register(frame, (int)i, room, &ops, &n))
			continue;
		ours = told_by_us(row, reg);
		theirs = told_by(ops, n, room);
		if (theirs.how == CFI_REGISTER)
			theirs.offset = p->arch->from_dwarf[theirs.offset];
		p->rules++;
		if ((ours.how != theirs.how || ours.offset != theirs.offset) && !is_by_abi(p, reg, ours, theirs))
			complain(p, addr, p->arch->regs[reg], ours, theirs);
	}
}

/* Step from row to row: libdw tells where each ends. Where it has none, try the next address. */
static void compare_range(struct peer *p, uint64_t addr, uint64_t end)
{
	struct arena arena = { 0 };

	while (addr < end) {
		const struct cfi_row *row;
		Dwarf_Addr start, next = addr + 1;
		Dwarf_Frame *frame;
		bool is_signal = false;

		row = cfi_row(p->ours, addr, &arena);
		if (dwarf_cfi_addrframe(p->cfi, addr, &frame)) {
			if (row)
				complain(p, addr, "a row where libdw has none", (struct told){ 0 }, (struct told){ 0 });
		} else {
			assert_true(dwarf_frame_info(frame, &start, &next, &is_signal) >= 0);
			if (!row || row->is_signal != is_signal)
				complain(p, addr, "the row", (struct told){ 0 }, (struct told){ 0 });
			else
				compare_row(p, addr, frame, row);
			free(frame);
			p->rows++;
		}
		arena_release(&arena);
		addr = next > addr ? next : addr + 1;
	}
}

static const struct arch *arch_of_object(Elf *elf)
{
	static const struct arch *const all[] = { &arch_x86_64, &arch_x86, &arch_aarch64, &arch_s390x };
	GElf_Ehdr h;

	for (size_t i = 0; gelf_getehdr(elf, &h) && i < ARRAY_SIZE(all); i++)
		if (h.e_machine == all[i]->elf_machine)
			return all[i];
	return NULL;
}

static void compare_code(struct peer *p, Elf *elf)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			compare_range(p, ph.p_vaddr, ph.p_vaddr + ph.p_memsz);
}

static void compare_file(const char *path, struct peer *sum)
{
	struct peer p = { .path = path };
	struct file_map m;
	struct cfi *ours;
	Elf *elf;

	if (file_map(&m, path, NULL) < 0) /* the vdso */
		return;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)m.data, m.len);
	p.arch = arch_of_object(elf);
	p.cfi = p.arch ? dwarf_getcfi_elf(elf) : NULL;
	p.ours = ours = p.arch ? cfi_open(m.data, m.len, NULL, 0, p.arch, NULL) : NULL;
	if (p.cfi && ours)
		compare_code(&p, elf);
	sum->rows += p.rows;
	sum->rules += p.rules;
	sum->unlike += p.unlike;
	dwarf_cfi_end(p.cfi);
	cfi_close(ours);
	elf_end(elf);
	file_unmap(&m);
}

static int compare_loaded(struct dl_phdr_info *info, size_t size, void *sum)
{
	compare_file(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", sum);
	return 0;
}

static void every_row_is_the_one_libdw_has(void **state)
{
	struct peer sum = { 0 };
	const struct arch *here = arch_find(NULL);

	if (!here || !here->n_dwarf) {
		print_message("skipped: stacks of this machine are not unwound\n");
		skip();
	}
	dl_iterate_phdr(compare_loaded, &sum);
	print_message("%zu rows, %zu rules, %zu unlike\n", sum.rows, sum.rules, sum.unlike);
	assert_true(sum.rows > 1000);
	assert_int_equal(sum.unlike, 0);
}

/* To run by hand on other objects, of any supported machine. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_row_is_the_one_libdw_has) };
	struct peer sum = { 0 };

	if (argc < 2)
		return cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 1; i < argc; i++)
		compare_file(argv[i], &sum);
	printf("%zu rows, %zu rules, %zu unlike\n", sum.rows, sum.rules, sum.unlike);
	return sum.unlike > 0;
}
