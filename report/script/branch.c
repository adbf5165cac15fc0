/* Branch records, each as " FROM/TO/M/X/A/CYCLES/TYPE/SPEC ". */
#include "report/script/print_priv.h"

/* Bits of an entry's flags. Source: linux/perf_event.h, struct perf_branch_entry and its enums. */
enum {
	MISPREDICTED = 1,
	PREDICTED = 2,
	IN_TRANSACTION = 4,
	ABORT = 8,
	CYCLES_SHIFT = 4,
	TYPE_SHIFT = 20,
	SPEC_SHIFT = 24,
	NEW_TYPE_SHIFT = 26,
	TYPE_EXTENDED = 15,
};
static const char *const types[16] = { "",    "COND",    "UNCOND", "IND",       "CALL",     "IND_CALL",
				       "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET",
				       "IRQ", "SERROR",  "NO_TX",  "" };
static const char *const new_types[16] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
					   "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5" };
static const char *const specs[4] = { "-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH" };

static void print_flags(struct out *o, uint64_t flags)
{
	unsigned type = flags >> TYPE_SHIFT & 15, new_type = flags >> NEW_TYPE_SHIFT & 15;
	const char *name = type == TYPE_EXTENDED ? new_types[new_type] : types[type];

	out_char(o, '/');
	out_char(o, flags & MISPREDICTED ? 'M' : flags & PREDICTED ? 'P' : '-');
	out_str(o, flags & IN_TRANSACTION ? "/X" : "/-");
	out_str(o, flags & ABORT ? "/A/" : "/-/");
	out_u64(o, flags >> CYCLES_SHIFT & 0xffff);
	out_char(o, '/');
	out_str(o, name ? name : "");
	out_char(o, '/');
	out_str(o, specs[flags >> SPEC_SHIFT & 3]);
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
		const uint8_t *entry = j->sample->branch.entries + 24 * i;

		if (blank)
			out_char(j->o, ' ');
		print(j, load_u64(entry));
		out_char(j->o, '/');
		print(j, load_u64(entry + 8));
		print_flags(j->o, load_u64(entry + 16));
	}
}

void print_brstack(struct print_job *j) { print_entries(j, true, print_address); }

void print_brstacksym(struct print_job *j) { print_entries(j, false, print_symbol); }

void print_brstackoff(struct print_job *j) { print_entries(j, true, print_offset); }
