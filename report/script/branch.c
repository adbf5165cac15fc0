/* Print branch records, each as " FROM/TO/M/X/A/CYCLES/TYPE/SPEC ". */
#include "format/branch.h"
#include "report/script/print_priv.h"

static void print_flags(struct out *o, uint64_t flags)
{
	out_char(o, '/');
	out_char(o, flags & BRANCH_MISPREDICTED ? 'M' : flags & BRANCH_PREDICTED ? 'P' : '-');
	out_str(o, flags & BRANCH_NOT_TAKEN ? "N" : "");
	out_str(o, flags & BRANCH_IN_TX ? "/X" : "/-");
	out_str(o, flags & BRANCH_ABORTED ? "/A/" : "/-/");
	out_u64(o, branch_cycles(flags));
	out_char(o, '/');
	out_str(o, branch_type_name(flags));
	out_char(o, '/');
	out_str(o, branch_speculation(flags) ? branch_speculation_name(flags) : "-");
	out_char(o, ' ');
}

static void print_address(struct print_job *j, uint64_t ip)
{
	struct address a;

	out_str(j->o, "0x");
	out_hex(j->o, ip);
	if (j->event->fields & BIT(DSO)) {
		address_find_anywhere(j, ip, &a);
		address_print_dso(j, &a);
	}
}

static void print_symbol(struct print_job *j, uint64_t ip)
{
	struct address a;

	address_find_anywhere(j, ip, &a);
	address_print_symbol(j, &a, j->event->fields & BIT(SYMOFF));
	if (j->event->fields & BIT(DSO))
		address_print_dso(j, &a);
}

static void print_offset(struct print_job *j, uint64_t ip)
{
	struct address a;

	address_find_anywhere(j, ip, &a);
	out_str(j->o, "0x");
	out_hex(j->o, dso_kind(j->p->session->symbols, a.hit.dso) == DSO_KIND_KERNEL ? ip - a.hit.start
		      : a.hit.dso                                                    ? a.hit.dso_off
										     : ip);
	if (j->event->fields & BIT(DSO))
		address_print_dso(j, &a);
}

static void print_entries(struct print_job *j, bool blank, void (*print)(struct print_job *j, uint64_t ip))
{
	for (uint64_t i = 0; i < j->sample->branch.n; i++) {
		const uint8_t *branch = branch_at(j->sample->branch.entries, i);

		if (blank)
			out_char(j->o, ' ');
		print(j, branch_from(branch));
		out_char(j->o, '/');
		print(j, branch_to(branch));
		print_flags(j->o, branch_flags(branch));
	}
}

void print_brstack(struct print_job *j) { print_entries(j, true, print_address); }

void print_brstacksym(struct print_job *j) { print_entries(j, false, print_symbol); }

void print_brstackoff(struct print_job *j) { print_entries(j, true, print_offset); }
