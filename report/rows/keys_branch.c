/* Keys of branches: what the hardware recorded about a branch, and sums over the branches on a row's chains. */
#include "format/branch.h"
#include "report/rows/keys_priv.h"

/* ---- branches ---- */

static uint64_t flags_of(const struct sample_context *c) { return c->branch ? branch_flags(c->branch) : 0; }
static uint64_t mispredict_value(const struct sample_context *c, const struct profile_opts *o)
{
	return flags_of(c) & (BRANCH_MISPREDICTED | BRANCH_PREDICTED);
}
static uint64_t in_tx_value(const struct sample_context *c, const struct profile_opts *o)
{
	return !!(flags_of(c) & BRANCH_IN_TX);
}
static uint64_t abort_value(const struct sample_context *c, const struct profile_opts *o)
{
	return !!(flags_of(c) & BRANCH_ABORTED);
}
static uint64_t cycles_value(const struct sample_context *c, const struct profile_opts *o)
{
	return branch_cycles(flags_of(c));
}
ASCENDING(mispredict_compare, mispredict_value)
ASCENDING(in_tx_compare, in_tx_value)
ASCENDING(abort_compare, abort_value)

static int cycles_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return order_u64(view_value(v, b, cycles_value), view_value(v, a, cycles_value));
}

static void mispredict_text(const struct view *v, const struct row *r, struct out *o)
{
	uint64_t flags = view_value(v, r, mispredict_value);

	out_str(o, flags & BRANCH_MISPREDICTED ? "Y" : flags & BRANCH_PREDICTED ? "N" : "N/A");
}

static void in_tx_text(const struct view *v, const struct row *r, struct out *o)
{
	out_str(o, view_value(v, r, in_tx_value) ? "T" : ".");
}
static void abort_text(const struct view *v, const struct row *r, struct out *o)
{
	out_str(o, view_value(v, r, abort_value) ? "A" : ".");
}

static void cycles_text(const struct view *v, const struct row *r, struct out *o)
{
	uint64_t cycles = view_value(v, r, cycles_value);

	if (cycles)
		out_u64(o, cycles);
	else
		out_char(o, '-');
}

static void branch_ipc_text(const struct view *v, const struct row *r, struct out *o) { out_char(o, '-'); }
static void ipc_text(const struct view *v, const struct row *r, struct out *o) { out_str(o, "-      -"); }

/* ---- branches on the chains of a row ---- */

static const struct branch_sums *row_branches(const struct view *v, const struct row *r)
{
	static const struct branch_sums none;

	return v->fold->branches ? &v->fold->branches[r - v->fold->rows.items] : &none;
}

static double row_predicted(const struct view *v, const struct row *r)
{
	const struct branch_sums *b = row_branches(v, r);

	return b->to + b->from ? 100.0 * (double)b->predicted / (double)(b->to + b->from) : 0;
}

static uint64_t row_cycles(const struct view *v, const struct row *r)
{
	const struct branch_sums *b = row_branches(v, r);

	return b->to + b->from ? b->cycles / (b->to + b->from) : 0;
}

static void history_predicted_text(const struct view *v, const struct row *r, struct out *o)
{
	out_fmt(o, "%.1f%%", row_predicted(v, r));
}
static void history_abort_text(const struct view *v, const struct row *r, struct out *o)
{
	out_u64(o, row_branches(v, r)->aborted);
}
static void history_cycles_text(const struct view *v, const struct row *r, struct out *o)
{
	out_u64(o, row_cycles(v, r));
}

/* ---- the table ---- */

const struct key keys_branch[] = { { .name = "ipc_null",
				     .title = "IPC   [IPC Coverage]",
				     .from = KEY_CHAIN,
				     .rank = 46,
				     .width = 20,
				     .text = ipc_text },
				   { .name = "ipc_lbr",
				     .title = "IPC   [IPC Coverage]",
				     .from = KEY_CHAIN,
				     .rank = 47,
				     .width = 20,
				     .text = branch_ipc_text,
				     .needs = NEEDS_BRANCH },
				   { .name = "callchain_branch_predicted",
				     .title = "Predicted",
				     .from = KEY_CHAIN,
				     .rank = 56,
				     .width = 9,
				     .text = history_predicted_text },
				   { .name = "callchain_branch_abort",
				     .title = "Abort",
				     .from = KEY_CHAIN,
				     .rank = 57,
				     .width = 5,
				     .text = history_abort_text },
				   { .name = "callchain_branch_cycles",
				     .title = "Cycles",
				     .from = KEY_CHAIN,
				     .rank = 58,
				     .width = 6,
				     .text = history_cycles_text },
				   { .name = "mispredict",
				     .title = "Branch Mispredicted",
				     .from = KEY_SAMPLE,
				     .rank = 59,
				     .sample = { mispredict_value },
				     .compare = mispredict_compare,
				     .text = mispredict_text,
				     .needs = NEEDS_BRANCH },
				   { .name = "in_tx",
				     .title = "Branch in transaction",
				     .from = KEY_SAMPLE,
				     .rank = 60,
				     .sample = { in_tx_value },
				     .compare = in_tx_compare,
				     .text = in_tx_text,
				     .needs = NEEDS_BRANCH },
				   { .name = "abort",
				     .title = "Transaction abort",
				     .from = KEY_SAMPLE,
				     .rank = 61,
				     .sample = { abort_value },
				     .compare = abort_compare,
				     .text = abort_text,
				     .needs = NEEDS_BRANCH },
				   { .name = "cycles",
				     .title = "Basic Block Cycles",
				     .from = KEY_SAMPLE,
				     .rank = 62,
				     .sample = { cycles_value },
				     .compare = cycles_compare,
				     .text = cycles_text,
				     .needs = NEEDS_BRANCH },
				   { 0 } };
