/*
 * Print the instructions that ran between branches, and the cost of the branches: brstackinsn, brstackinsnlen,
 * brstackdisasm, brcntr. Branch records contain the latest branch first. The code from the target of one branch to the
 * source of the next one ran exactly once.
 */
#include "report/script/brinsn_priv.h"

#include "format/branch.h"
#include "report/script/insn_priv.h"
#include "symbols/code/disasm.h"

enum {
	INSN_COLUMNS = 24,            /* bytes of a branch */
	OVERHANG = 15,                /* decode a block this far beyond its end */
	BLOCK_MAX = 16384 - OVERHANG, /* no code runs longer without a branch: the records are damaged */
	LETTERS = 26,
};

/* The state for one sample. */
struct branch_walk {
	struct print_job *j;
	uint32_t dso, symbol; /* printed last */
	uint64_t cycles;      /* of all branches so far */
	struct address at;    /* address of insn */
	const struct known_insn *insn;
};

static const uint8_t *entry(const struct print_job *j, uint64_t i) { return branch_at(j->sample->branch.entries, i); }

/* Decode the instruction at an address. Return false if its code is not available. */
static bool look(struct branch_walk *w, uint64_t ip)
{
	address_find_anywhere(w->j, ip, &w->at);
	w->insn = w->at.hit.dso ? insn_at(w->j, &w->at) : NULL;
	return w->insn && w->insn->size;
}

static void print_line_of(struct branch_walk *w, bool or_place)
{
	struct print_job *j = w->j;
	struct symbols *s = j->p->session->symbols;
	struct source_line line = { 0 };
	const char *slash;

	if (dso_source_line(s, w->at.hit.dso, w->at.hit.dso_off, &line) && line.file) {
		slash = strrchr(line.file, '/');
		out_name(j->o, slash && !j->p->opts.full_source_path ? slash + 1 : line.file);
		out_char(j->o, ':');
		out_u64(j->o, line.line);
	} else if (or_place) {
		out_name(j->o, dso_short_name(s, w->at.hit.dso));
		out_char(j->o, '[');
		out_hex(j->o, dso_address(s, w->at.hit.dso, w->at.hit.dso_off));
		out_char(j->o, ']');
	}
}

/* Print " middle+28:" if the function is not that of the previous line. */
static void print_function(struct branch_walk *w)
{
	struct print_job *j = w->j;
	struct symbols *s = j->p->session->symbols;
	const struct address *a = &w->at;
	uint64_t offset;

	if (w->dso == a->hit.dso && w->symbol == a->symbol)
		return;
	w->dso = a->hit.dso;
	w->symbol = a->symbol;
	if (!a->symbol)
		return;
	out_char(j->o, '\t');
	out_name(j->o, symbol_name(s, a->hit.dso, a->symbol));
	offset = symbol_offset(s, a->hit.dso, a->symbol, a->hit.dso_off);
	if (offset) {
		out_char(j->o, '+');
		out_u64(j->o, offset);
	}
	out_char(j->o, ':');
	if (j->event->fields & BIT(SRCLINE)) {
		out_char(j->o, '\t');
		print_line_of(w, false);
	}
	out_char(j->o, '\n');
}

static void print_address(struct branch_walk *w, uint64_t ip)
{
	out_char(w->j->o, '\t');
	out_hex_pad(w->j->o, ip, 16, '0');
	out_char(w->j->o, '\t');
}

/* Print " 0000000000401622 insn: c3 ": text or bytes, and the length. */
static void print_code(struct branch_walk *w, uint64_t ip, int columns)
{
	struct print_job *j = w->j;
	int used = 3 * w->insn->size;

	print_address(w, ip);
	if (j->event->fields & BIT(BRSTACKDISASM)) {
		out_name(j->o, w->insn->text);
	} else {
		out_str(j->o, "insn: ");
		for (unsigned i = 0; i < w->insn->size; i++) {
			out_hex_pad(j->o, w->insn->bytes[i], 2, '0');
			out_char(j->o, ' ');
		}
		out_pad(j->o, ' ', columns - used);
	}
	if (j->event->fields & BIT(BRSTACKINSNLEN)) {
		out_str(j->o, "\tilen: ");
		out_u64(j->o, w->insn->size);
	}
}

/* Print the source line; also ends the output line. */
static void print_source(struct branch_walk *w)
{
	out_char(w->j->o, '\n');
	if (w->j->event->fields & BIT(SRCCODE))
		print_srccode_below(w->j, &w->at);
}

/* Print " br_cntr: AAB": one letter per event counted while this branch was the latest. */
static void print_counters(struct branch_walk *w, uint64_t counts)
{
	const struct printer *p = w->j->p;
	unsigned width = p->branch_counter_width;
	uint64_t most = (1ull << width) - 1;

	out_str(w->j->o, "\t# br_cntr: ");
	for (unsigned i = 0; i < p->n_branch_counters && i * width < 64; i++) {
		uint64_t n = counts >> (i * width) & most;

		out_pad(w->j->o, (char)('A' + i % LETTERS), (long)n);
		if (!n || n == most)
			out_char(w->j->o, n ? '+' : '-');
	}
	out_char(w->j->o, ' ');
}

/* Print the branch of entry i, `n` instructions after the previous branch. */
static void print_branch(struct branch_walk *w, uint64_t i, uint64_t n)
{
	struct print_job *j = w->j;
	const uint8_t *branch = entry(j, i);
	uint64_t flags = branch_flags(branch), cycles = branch_cycles(flags);

	print_code(w, branch_from(branch), INSN_COLUMNS);
	if (j->event->fields & BIT(SRCLINE)) {
		out_str(j->o, "\t srcline: ");
		print_line_of(w, true);
	}
	out_char(j->o, '\t');
	if (j->event->fields & BIT(BRCNTR) && j->sample->branch.counters)
		print_counters(w, load_u64(j->sample->branch.counters + 8 * i));
	else
		out_char(j->o, '#');
	out_str(j->o, flags & BRANCH_PREDICTED ? " PRED" : "");
	out_str(j->o, flags & BRANCH_MISPREDICTED ? " MISPRED" : "");
	out_str(j->o, flags & BRANCH_IN_TX ? " INTX" : "");
	out_str(j->o, flags & BRANCH_ABORTED ? " ABORT" : "");
	if (cycles) {
		w->cycles += cycles;
		out_fmt(j->o, " %llu cycles [%llu]", (unsigned long long)cycles, (unsigned long long)w->cycles);
		if (n)
			out_fmt(j->o, " %.2f IPC", (double)n / (double)cycles);
	}
	print_source(w);
}

/* Can code run from `start` to `end` without a branch? */
static bool is_block(struct branch_walk *w, uint64_t start, uint64_t end)
{
	bool in_kernel[2];
	uint64_t ends[2] = { start, end };

	if (start > end || end - start > BLOCK_MAX)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (!look(w, ends[i]) && i == 0)
			return false;
		in_kernel[i] = dso_kind(w->j->p->session->symbols, w->at.hit.dso) == DSO_KIND_KERNEL;
	}
	return in_kernel[0] == in_kernel[1];
}

/* Print the code from a branch target to the next branch, that of entry i. */
static void print_block(struct branch_walk *w, uint64_t start, uint64_t i)
{
	uint64_t end = branch_from(entry(w->j, i)), known = end + OVERHANG, n = 0;

	if (!is_block(w, start, end))
		return;
	for (uint64_t ip = start; ip < known; ip += w->insn->size) {
		bool there = look(w, ip);

		print_function(w);
		if (!there || ip + w->insn->size > known) {
			print_address(w, ip);
			out_str(w->j->o, "<bad>\n");
			break;
		}
		n++;
		if (ip == end) {
			print_branch(w, i, n);
			return;
		}
		print_code(w, ip, 0);
		print_source(w);
	}
	out_str(w->j->o, "\tmismatch of LBR data and executable\n");
}

static bool leaves(const struct known_insn *insn)
{
	return insn->kind == INSN_JUMP || insn->kind == INSN_CALL || insn->kind == INSN_RETURN;
}

/* Print the code from the target of the latest branch to the sample. */
static void print_tail(struct branch_walk *w, uint64_t start)
{
	uint64_t end = w->j->sample->ip;

	/* Show at least the sampled instruction. */
	if (!look(w, start) || (start <= end && end - start > BLOCK_MAX)) {
		if (look(w, end)) {
			print_code(w, end, 0);
			print_source(w);
		}
		return;
	}
	for (uint64_t ip = start; ip - start <= (end < start ? BLOCK_MAX : end - start) && look(w, ip);
	     ip += w->insn->size) {
		print_function(w);
		print_code(w, ip, 0);
		print_source(w);
		if (ip != end && leaves(w->insn)) {
			out_str(w->j->o, "\t... not reaching sample ...\n");
			return;
		}
	}
}

void print_brstackinsn(struct print_job *j)
{
	struct branch_walk w = { .j = j };
	uint64_t n = j->sample->branch.n;

	if (j->p->opts.max_blocks)
		n = MIN(n, j->p->opts.max_blocks + 1);
	if (!n)
		return;
	out_char(j->o, '\n');
	look(&w, branch_from(entry(j, n - 1)));
	print_function(&w);
	if (w.insn && w.insn->size)
		print_branch(&w, n - 1, 0);
	for (uint64_t i = n - 1; i-- > 0;)
		print_block(&w, branch_to(entry(j, i + 1)), i);
	if (!(branch_flags(entry(j, 0)) & BRANCH_ABORTED))
		print_tail(&w, branch_to(entry(j, 0)));
}

/* ---- counters ---- */

int branch_counters_init(struct printer *p, struct err *e)
{
	unsigned width = features_cap(&p->session->pd->features, "branch_counter_width");

	for (size_t i = 0; i < p->session->pd->n_events; i++)
		p->n_branch_counters += (p->session->pd->events[i].attr.branch_sample_type & BRANCH_COUNTERS) != 0;
	if (width && width < 32) {
		p->branch_counter_width = width;
		return 0;
	}
	err_set(e, "field 'brcntr': the recording does not say how wide the branch counters are");
	return err_why(e, "it lacks the PMU's capability branch_counter_width");
}

void branch_counters_head(const struct printer *p, struct out *o)
{
	const struct perfdata *pd = p->session->pd;
	unsigned n = 0;

	if (!p->branch_counter_width)
		return;
	out_str(o, "# Branch counter abbr list:\n");
	for (size_t i = 0; i < pd->n_events; i++) {
		if (!(pd->events[i].attr.branch_sample_type & BRANCH_COUNTERS))
			continue;
		out_str(o, "# ");
		out_name(o, pd->events[i].name);
		out_fmt(o, " = %c\n", 'A' + (int)(n++ % LETTERS));
	}
	out_str(o, "# '-' No event occurs\n# '+' Event occurrences may be lost due to branch counter saturated\n");
}
