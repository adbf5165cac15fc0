#include "format/branch.h"
#include "format/records_priv.h"

static const char *marker_name(uint64_t ip)
{
	switch (ip) {
	case CHAIN_HV: return "PERF_CONTEXT_HV";
	case CHAIN_KERNEL: return "PERF_CONTEXT_KERNEL";
	case CHAIN_USER: return "PERF_CONTEXT_USER";
	case CHAIN_USER_DEFERRED: return "PERF_CONTEXT_USER_DEFERRED";
	case CHAIN_GUEST: return "PERF_CONTEXT_GUEST";
	case CHAIN_GUEST_KERNEL: return "PERF_CONTEXT_GUEST_KERNEL";
	case CHAIN_GUEST_USER: return "PERF_CONTEXT_GUEST_USER";
	default: return NULL;
	}
}

static void print_entry(struct out *o, uint64_t i, uint64_t ip)
{
	out_str(o, "..... ");
	out_u64_pad(o, i, 2, ' ');
	out_str(o, ": ");
	out_hex_pad(o, ip, 16, '0');
}

static uint64_t chain_at(const struct sample *s, uint64_t i) { return load_u64(s->chain + 8 * i); }

/*
 * Print a call stack from branch records: first the kernel's part of the chain, then the sources of
 * the branches.
 */
static void print_lbr_chain(const struct sample *s, struct out *o)
{
	uint64_t kernel = 0;

	while (kernel < s->n_chain && chain_at(s, kernel) != CHAIN_USER)
		kernel++;
	if (kernel == s->n_chain || !s->branch.n)
		return;
	out_fmt(o, "... LBR call chain: nr:%llu\n", (unsigned long long)(kernel + 1 + s->branch.n + 1));
	for (uint64_t i = 0; i <= kernel; i++) {
		print_entry(o, i, chain_at(s, i));
		out_char(o, '\n');
	}
	print_entry(o, kernel + 1, branch_to(branch_at(s->branch.entries, 0)));
	out_char(o, '\n');
	for (uint64_t i = 0; i < s->branch.n; i++) {
		print_entry(o, kernel + 2 + i, branch_from(branch_at(s->branch.entries, i)));
		out_char(o, '\n');
	}
}

static void print_chain(const struct sample *s, bool callstack, struct out *o)
{
	if (callstack)
		print_lbr_chain(s, o);
	out_fmt(o, "... FP chain: nr:%llu\n", (unsigned long long)s->n_chain);
	for (uint64_t i = 0; i < s->n_chain; i++) {
		uint64_t ip = chain_at(s, i);
		const char *name = ip >= CHAIN_MARKER_MIN ? marker_name(ip) : NULL;

		print_entry(o, i, ip);
		if (name)
			out_fmt(o, " (%s)", name);
		out_char(o, '\n');
	}
}

static void print_branch(const struct sample *s, uint64_t i, struct out *o)
{
	const uint8_t *branch = branch_at(s->branch.entries, i);
	uint64_t flags = branch_flags(branch);

	print_entry(o, i, branch_from(branch));
	out_str(o, " -> ");
	out_hex_pad(o, branch_to(branch), 16, '0');
	out_fmt(o, " %u cycles %s%s%s%s %x %s %s\n", (unsigned)branch_cycles(flags),
		flags & BRANCH_MISPREDICTED ? "M" : " ", flags & BRANCH_PREDICTED ? "P" : " ",
		flags & BRANCH_ABORTED ? "A" : " ", flags & BRANCH_IN_TX ? "T" : " ", branch_reserved(flags),
		branch_type_name(flags), branch_speculation_name(flags));
}

static void print_branches(const struct sample *s, bool callstack, struct out *o)
{
	if (callstack) {
		out_fmt(o, "... branch callstack: nr:%llu\n", (unsigned long long)s->branch.n + 1);
		for (uint64_t i = 0; i < s->branch.n; i++) {
			if (!i) {
				print_entry(o, 0, branch_to(branch_at(s->branch.entries, 0)));
				out_char(o, '\n');
			}
			print_entry(o, i + 1, branch_from(branch_at(s->branch.entries, i)));
			out_char(o, '\n');
		}
		return;
	}
	out_fmt(o, "... branch stack: nr:%llu\n", (unsigned long long)s->branch.n);
	for (uint64_t i = 0; i < s->branch.n; i++)
		print_branch(s, i, o);
	for (uint64_t i = 0; s->branch.counters && i < s->branch.n; i++) {
		print_entry(o, i, load_u64(s->branch.counters + 8 * i));
		out_char(o, '\n');
	}
}

static void print_regs(const struct perfdata *pd, const struct sample_regs *regs, const char *which, struct out *o)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	const uint8_t *p = regs->values;

	if (!p)
		return;
	out_fmt(o, "... %s regs: mask 0x%llx ABI %s\n", which, (unsigned long long)regs->mask,
		regs->abi < ARRAY_SIZE(abis) ? abis[regs->abi] : "unknown");
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = "unknown";

		if (!(regs->mask >> bit & 1))
			continue;
		if (pd->reg_name && pd->reg_name(pd->features.arch, bit))
			name = pd->reg_name(pd->features.arch, bit);
		out_fmt(o, ".... %-5s 0x%016llx\n", name, (unsigned long long)load_u64(p));
		p += 8;
	}
}

static void print_page_size(const char *what, uint64_t size, struct out *o)
{
	unsigned unit = 0;

	out_fmt(o, " .. %s page size: ", what);
	for (; size >= 1024 && unit < 6; size /= 1024)
		unit++;
	if (size)
		out_fmt(o, "%llu%c\n", (unsigned long long)size, "BKMGTPE"[unit]);
	else
		out_str(o, "N/A\n");
}

static void print_values(const struct sample *s, struct out *o)
{
	bool group = s->read.format & READ_GROUP;

	out_str(o, "... sample_read:\n");
	if (s->read.format & READ_TIME_ENABLED)
		out_fmt(o, "...... time enabled %016llx\n", (unsigned long long)s->read.enabled);
	if (s->read.format & READ_TIME_RUNNING)
		out_fmt(o, "...... time running %016llx\n", (unsigned long long)s->read.running);
	if (group)
		out_fmt(o, ".... group nr %llu\n", (unsigned long long)s->read.n);
	for (uint64_t i = 0; i < s->read.n; i++) {
		uint64_t value, id, lost;

		sample_read_value(s, i, &value, &id, &lost);
		out_fmt(o, "..... id %016llx, value %016llx", (unsigned long long)id, (unsigned long long)value);
		if (s->read.format & READ_LOST)
			out_fmt(o, ", lost %llu", (unsigned long long)lost);
		out_char(o, '\n');
	}
}

static void print_memory(const struct sample *s, struct out *o)
{
	if (s->type & SAMPLE_WEIGHT_STRUCT)
		out_fmt(o, "... weight: %llu,0x%x,0x%x\n", (unsigned long long)s->weight, s->ins_lat, s->retire_lat);
	else if (s->type & SAMPLE_WEIGHT)
		out_fmt(o, "... weight: %llu\n", (unsigned long long)s->weight);
	if (s->type & SAMPLE_DATA_SRC)
		out_fmt(o, " . data_src: 0x%llx\n", (unsigned long long)s->data_src);
	if (s->type & SAMPLE_PHYS_ADDR)
		out_fmt(o, " .. phys_addr: 0x%llx\n", (unsigned long long)s->phys_addr);
	if (s->type & SAMPLE_DATA_PAGE_SIZE)
		print_page_size("data", s->data_page_size, o);
	if (s->type & SAMPLE_CODE_PAGE_SIZE)
		print_page_size("code", s->code_page_size, o);
	if (s->type & SAMPLE_TRANSACTION)
		out_fmt(o, "... transaction: %llx\n", (unsigned long long)s->transaction);
}

void print_sample(const struct perfdata *pd, const struct record *r, struct out *o)
{
	int event = perfdata_event_of(pd, r);
	bool callstack;
	struct sample s;

	if (event < 0 || sample_decode(pd, r, (uint32_t)event, &s, NULL) < 0) {
		out_fmt(o, "(IP, 0x%x): not decodable\n", r->misc);
		return;
	}
	callstack = pd->events[event].attr.branch_sample_type & BRANCH_CALL_STACK;
	out_fmt(o, "(IP, 0x%x): %d/%d: %#llx period: %llu addr: %#llx\n", s.misc, (int)s.pid, (int)s.tid,
		(unsigned long long)s.ip, (unsigned long long)s.period, (unsigned long long)s.addr);
	if (s.type & SAMPLE_CALLCHAIN)
		print_chain(&s, callstack, o);
	if (s.type & SAMPLE_BRANCH_STACK)
		print_branches(&s, callstack, o);
	print_regs(pd, &s.regs_user, "user", o);
	print_regs(pd, &s.regs_intr, "intr", o);
	if (s.type & SAMPLE_STACK_USER)
		out_fmt(o, "... ustack: size %llu, offset 0x%x\n", (unsigned long long)s.stack_user.dyn_size,
			(unsigned)(s.stack_user.data - r->body));
	print_memory(&s, o);
	if (s.type & SAMPLE_READ)
		print_values(&s, o);
}
