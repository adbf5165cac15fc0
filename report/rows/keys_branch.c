/* Keys of branches: what the hardware says of one, and sums over those on the chains of a row. */
#include "report/rows/keys_priv.h"

/* ---- branches: bits of the flags word, linux/perf_event.h, struct perf_branch_entry ---- */

static uint64_t branch_flags(const struct sample_context *c) { return c->branch ? load_u64(c->branch + 16) : 0; }
uint64_t mispredict_value(const struct sample_context *c, const struct profile_opts *o) { return branch_flags(c) & 3; }
uint64_t in_tx_value(const struct sample_context *c, const struct profile_opts *o) { return branch_flags(c) >> 2 & 1; }
uint64_t abort_value(const struct sample_context *c, const struct profile_opts *o) { return branch_flags(c) >> 3 & 1; }
uint64_t cycles_value(const struct sample_context *c, const struct profile_opts *o)
{
	return branch_flags(c) >> 4 & 0xffff;
}
ASCENDING(mispredict_compare, mispredict_value)
ASCENDING(in_tx_compare, in_tx_value)
ASCENDING(abort_compare, abort_value)

int cycles_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return order_u64(view_value(v, b, cycles_value), view_value(v, a, cycles_value));
}

void mispredict_text(const struct view *v, const struct row *r, struct out *o)
{
	uint64_t flags = view_value(v, r, mispredict_value);

	out_str(o, flags & 1 ? "Y" : flags & 2 ? "N" : "N/A");
}

void in_tx_text(const struct view *v, const struct row *r, struct out *o)
{
	out_str(o, view_value(v, r, in_tx_value) ? "T" : ".");
}
void abort_text(const struct view *v, const struct row *r, struct out *o)
{
	out_str(o, view_value(v, r, abort_value) ? "A" : ".");
}

void cycles_text(const struct view *v, const struct row *r, struct out *o)
{
	uint64_t cycles = view_value(v, r, cycles_value);

	if (cycles)
		out_u64(o, cycles);
	else
		out_char(o, '-');
}

void branch_ipc_text(const struct view *v, const struct row *r, struct out *o) { out_char(o, '-'); }
void ipc_text(const struct view *v, const struct row *r, struct out *o) { out_str(o, "-      -"); }

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

void history_predicted_text(const struct view *v, const struct row *r, struct out *o)
{
	out_fmt(o, "%.1f%%", row_predicted(v, r));
}
void history_abort_text(const struct view *v, const struct row *r, struct out *o)
{
	out_u64(o, row_branches(v, r)->aborted);
}
void history_cycles_text(const struct view *v, const struct row *r, struct out *o) { out_u64(o, row_cycles(v, r)); }
