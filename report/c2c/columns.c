/* The columns of the tables. Source: perf-c2c(1). */
#include "report/c2c/c2c_priv.h"

#include "base/units.h"
#include "report/rows/keys.h"

static double share(uint64_t part, uint64_t of) { return of ? 100.0 * (double)part / (double)of : 0; }

/* ---- sums ---- */

#define SUM(name, sum) \
	static void name##_text(const struct c2c_cell *x, struct out *o) { out_u64(o, x->row->sums.n[sum]); }
#define SHARE(name, sum) \
	static void name##_share(const struct c2c_cell *x, struct out *o) \
	{ \
		out_fmt(o, "%.2f%%", share(x->row->sums.n[sum], x->line->all.sums.n[sum])); \
	}
#define MEAN(name, which) \
	static void name##_text(const struct c2c_cell *x, struct out *o) \
	{ \
		out_fmt(o, "%.0f", x->row->means[which].mean); \
	}
SUM(hitm, C2C_TOTAL_HITM)
SUM(local_hitm, C2C_LOCAL_HITM)
SUM(remote_hitm, C2C_REMOTE_HITM)
SUM(peer, C2C_TOTAL_PEER)
SUM(local_peer, C2C_LOCAL_PEER)
SUM(remote_peer, C2C_REMOTE_PEER)
SUM(stores, C2C_STORES)
SUM(l1_stores, C2C_STORE_L1_HIT)
SUM(l1_missed, C2C_STORE_L1_MISS)
SUM(no_level, C2C_STORE_NO_LEVEL)
SUM(fill_buffer, C2C_FILL_BUFFER)
SUM(l1, C2C_L1)
SUM(l2, C2C_L2)
SUM(llc, C2C_LLC)
SUM(remote_hit, C2C_REMOTE_HIT)
SUM(local_ram, C2C_LOCAL_RAM)
SUM(remote_ram, C2C_REMOTE_RAM)
SHARE(remote_hitm, C2C_REMOTE_HITM)
SHARE(local_hitm, C2C_LOCAL_HITM)
SHARE(remote_peer, C2C_REMOTE_PEER)
SHARE(local_peer, C2C_LOCAL_PEER)
SHARE(l1_stores, C2C_STORE_L1_HIT)
SHARE(l1_missed, C2C_STORE_L1_MISS)
SHARE(no_level, C2C_STORE_NO_LEVEL)
MEAN(remote_hitm_cycles, C2C_MEAN_REMOTE_HITM)
MEAN(local_hitm_cycles, C2C_MEAN_LOCAL_HITM)
MEAN(remote_peer_cycles, C2C_MEAN_REMOTE_PEER)
MEAN(local_peer_cycles, C2C_MEAN_LOCAL_PEER)
MEAN(load_cycles, C2C_MEAN_LOAD)

/* Count loads by the level that answered. A load with two levels counts twice, as in perf. */
static uint64_t answered(const struct c2c_sums *s)
{
	static const enum c2c_sum parts[] = { C2C_FILL_BUFFER, C2C_L1,         C2C_L2,
					      C2C_LLC,         C2C_LOCAL_HITM, C2C_LOCAL_RAM,
					      C2C_REMOTE_RAM,  C2C_REMOTE_HIT, C2C_REMOTE_HITM };
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		sum += s->n[parts[i]];
	return sum;
}

static void loads_text(const struct c2c_cell *x, struct out *o) { out_u64(o, answered(&x->row->sums)); }

static void records_text(const struct c2c_cell *x, struct out *o)
{
	const uint64_t *n = x->row->sums.n;

	out_u64(o, answered(&x->row->sums) + n[C2C_STORE_L1_HIT] + n[C2C_STORE_L1_MISS] + n[C2C_STORE_NO_LEVEL]);
}

static void shown_share(const struct c2c_cell *x, struct out *o)
{
	enum c2c_sum sum = c2c_shown_sum(x->c);

	out_fmt(o, "%.2f%%", share(x->row->sums.n[sum], x->c->sums.n[sum]));
}

/* ---- the line, the place ---- */

static void put_hex(uint64_t value, struct out *o)
{
	out_str(o, "0x");
	out_hex(o, value);
}

static void number_text(const struct c2c_cell *x, struct out *o) { out_u64(o, x->number); }
static void line_text(const struct c2c_cell *x, struct out *o)
{
	put_hex(c2c_line_address(x->c, x->row->first.address), o);
}
static void offset_text(const struct c2c_cell *x, struct out *o)
{
	put_hex(c2c_offset(x->c, x->row->first.address), o);
}
static void phys_text(const struct c2c_cell *x, struct out *o) { out_u64(o, x->row->n_phys); }
static void code_text(const struct c2c_cell *x, struct out *o) { put_hex(x->row->first.ip, o); }
static void pid_text(const struct c2c_cell *x, struct out *o) { out_fmt(o, "%d", x->row->first.pid); }

static void put_cpus(const struct cpuset *set, struct out *o)
{
	char text[1024];

	out_str(o, cpuset_format(set, text, sizeof(text)));
}

/* Print the nodes whose memory contains the physical addresses of the row. */
static void memory_nodes_text(const struct c2c_cell *x, struct out *o)
{
	struct cpuset nodes = { 0 };

	for (size_t i = x->row->from; i < x->row->to; i++) {
		uint64_t phys = x->c->accesses.items[i].phys;
		int node = phys ? c2c_memory_node(x->c, phys) : -1;

		if (node >= 0)
			cpuset_add(&nodes, node);
	}
	if (nodes.len)
		put_cpus(&nodes, o);
	else
		out_str(o, "N/A");
	cpuset_free(&nodes);
}

static void tid_text(const struct c2c_cell *x, struct out *o)
{
	char buf[16];

	out_fmt(o, "%7d:", x->row->first.tid);
	out_name(o, session_comm(x->c->session, x->row->first.comm, buf));
}

static const struct site *site_of(const struct c2c_cell *x) { return &x->c->profile->sites.items[x->row->first.site]; }

static int text_width(const struct c2c_cell *x, void (*text)(const struct c2c_cell *x, struct out *o))
{
	struct out o;
	int width;

	out_init_mem(&o);
	text(x, &o);
	width = out_name_width(out_text(&o));
	out_release(&o);
	return width;
}

static int tid_width(const struct c2c_cell *x)
{
	enum { NUMBER_WIDTH = 8 };
	char buf[16];

	return NUMBER_WIDTH + out_name_width(session_comm(x->c->session, x->row->first.comm, buf));
}

static void symbol_text(const struct c2c_cell *x, struct out *o)
{
	const struct site *s = site_of(x);

	key_put_symbol(&x->c->view, s, key_level(x->row->first.mode), s->address, o);
}

static int symbol_width(const struct c2c_cell *x) { return text_width(x, symbol_text); }

static void object_text(const struct c2c_cell *x, struct out *o)
{
	out_name(o, dso_short_name(x->c->session->symbols, site_of(x)->dso));
}

/* Leave space for an address if there is no symbol. */
static int object_width(const struct c2c_cell *x)
{
	enum { ADDRESS_DIGITS = 16 };
	int width = site_of(x)->dso ? text_width(x, object_text) : 0;

	return site_of(x)->symbol ? width : MAX(width, (int)ADDRESS_DIGITS);
}

static void source_text(const struct c2c_cell *x, struct out *o) { key_put_line(&x->c->view, site_of(x), o); }
static int source_width(const struct c2c_cell *x) { return text_width(x, source_text); }

/* ---- CPUs and their nodes ---- */

static void cpus_of(const struct c2c_cell *x, int node, struct cpuset *to)
{
	for (size_t i = x->row->from; i < x->row->to; i++) {
		uint32_t cpu = x->c->accesses.items[i].cpu;

		if (cpu < x->c->nodes.n_cpus && (node < 0 || x->c->nodes.of_cpu[cpu] == node))
			cpuset_add(to, (int)cpu);
	}
}

static void n_cpus_text(const struct c2c_cell *x, struct out *o)
{
	struct cpuset cpus = { 0 };

	cpus_of(x, -1, &cpus);
	out_u64(o, cpus.len);
	cpuset_free(&cpus);
}

static struct c2c_sums sums_of_node(const struct c2c_cell *x, int node)
{
	struct c2c_sums sums = { 0 };

	for (size_t i = x->row->from; i < x->row->to; i++) {
		const struct c2c_access *a = &x->c->accesses.items[i];

		if (a->cpu < x->c->nodes.n_cpus && x->c->nodes.of_cpu[a->cpu] == node)
			c2c_count(&sums, a->data_src, a->address, true);
	}
	return sums;
}

static void put_node_share(const struct c2c_cell *x, const struct c2c_sums *node, enum c2c_sum sum, struct out *o)
{
	if (x->row->sums.n[sum])
		out_fmt(o, "%5.1f%%", share(node->n[sum], x->row->sums.n[sum]));
	else
		out_str(o, "   n/a");
}

static void put_node_shares(const struct c2c_cell *x, int node, size_t n_cpus, struct out *o)
{
	struct c2c_sums sums = sums_of_node(x, node);

	out_fmt(o, "%2d{%2zu ", node, n_cpus);
	put_node_share(x, &sums, c2c_shown_sum(x->c), o);
	out_char(o, ' ');
	put_node_share(x, &sums, C2C_STORES, o);
	out_char(o, '}');
}

static void nodes_text(const struct c2c_cell *x, struct out *o)
{
	enum { SHARES_WIDTH = 21 };
	bool any = false;

	for (uint32_t node = 0; node < x->c->nodes.n; node++) {
		struct cpuset cpus = { 0 };

		cpus_of(x, (int)node, &cpus);
		if (!cpus.len) {
			out_pad(o, ' ', x->c->opts->node_info == 1 ? SHARES_WIDTH : 0);
			continue;
		}
		out_str(o, any ? " " : "");
		any = true;
		if (x->c->opts->node_info == 1) {
			put_node_shares(x, (int)node, cpus.len, o);
		} else {
			out_fmt(o, "%2d", (int)node);
			if (x->c->opts->node_info) {
				out_char(o, '{');
				put_cpus(&cpus, o);
				out_char(o, '}');
			}
		}
		cpuset_free(&cpus);
	}
}

/* ---- tables ---- */

static void add(struct c2c_columns *to, struct c2c_column column) { to->items[to->n++] = column; }

static void add_all(struct c2c_columns *to, const struct c2c_column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(to, columns[i]);
}

void c2c_line_columns(const struct c2c *c, struct c2c_columns *to)
{
	static const struct c2c_column begin[] = {
		{ NULL, "Index", 5, number_text, 1 },
		{ "----------- Cacheline ----------", "Address", 18, line_text, 3 },
		{ NULL, "Node", 4, memory_nodes_text },
		{ NULL, "PA cnt", 6, phys_text },
	};
	static const struct c2c_column shares[] = {
		[C2C_TOTAL] = { "Tot", "Hitm", 7, shown_share, 1 },
		[C2C_LOCAL] = { "Lcl", "Hitm", 7, shown_share, 1 },
		[C2C_REMOTE] = { "Rmt", "Hitm", 7, shown_share, 1 },
		[C2C_PEER] = { "Peer", "Snoop", 7, shown_share, 1 },
	};
	static const struct c2c_column modified[] = {
		{ "------- Load Hitm -------", "Total", 7, hitm_text, 3 },
		{ NULL, "LclHitm", 7, local_hitm_text },
		{ NULL, "RmtHitm", 7, remote_hitm_text },
	};
	static const struct c2c_column peers[] = {
		{ "------- Load Peer -------", "Total", 7, peer_text, 3 },
		{ NULL, "Local", 7, local_peer_text },
		{ NULL, "Remote", 7, remote_peer_text },
	};
	static const struct c2c_column end[] = {
		{ "Total", "records", 7, records_text, 1 },
		{ "Total", "Loads", 7, loads_text, 1 },
		{ "Total", "Stores", 7, stores_text, 1 },
		{ "--------- Stores --------", "L1Hit", 7, l1_stores_text, 3 },
		{ NULL, "L1Miss", 7, l1_missed_text },
		{ NULL, "N/A", 7, no_level_text },
		{ "----- Core Load Hit -----", "FB", 7, fill_buffer_text, 3 },
		{ NULL, "L1", 7, l1_text },
		{ NULL, "L2", 7, l2_text },
		{ "- LLC Load Hit --", "LclHit", 8, llc_text, 2 },
		{ NULL, "LclHitm", 7, local_hitm_text },
		{ "- RMT Load Hit --", "RmtHit", 8, remote_hit_text, 2 },
		{ NULL, "RmtHitm", 7, remote_hitm_text },
		{ "--- Load Dram ----", "Lcl", 8, local_ram_text, 2 },
		{ NULL, "Rmt", 8, remote_ram_text },
	};
	bool peer = c->opts->display == C2C_PEER;

	add_all(to, begin, ARRAY_SIZE(begin));
	if (c->opts->double_line)
		to->items[1].group = "------- Double-Cacheline -------";
	add(to, shares[c->opts->display]);
	add_all(to, peer ? peers : modified, ARRAY_SIZE(peers));
	add_all(to, end, ARRAY_SIZE(end));
}

void c2c_head_columns(const struct c2c *c, struct c2c_columns *to)
{
	static const struct c2c_column columns[] = {
		{ NULL, "", 5, number_text, 1 },     { NULL, "", 7, remote_hitm_text, 1 },
		{ NULL, "", 7, local_hitm_text, 1 }, { NULL, "", 7, l1_stores_text, 1 },
		{ NULL, "", 7, l1_missed_text, 1 },  { NULL, "", 7, no_level_text, 1 },
		{ NULL, "", 18, line_text, 1 },
	};

	add_all(to, columns, ARRAY_SIZE(columns));
	if (c->opts->display == C2C_PEER) {
		to->items[1].text = remote_peer_text;
		to->items[2].text = local_peer_text;
	}
}

/* Add the columns for the fields that distinguish the places in a line. */
static void add_fields(const struct c2c *c, unsigned fields, struct c2c_columns *to)
{
	if (fields & C2C_PID)
		add(to, (struct c2c_column){ NULL, "Pid", 7, pid_text, 1 });
	if (fields & C2C_TID)
		add(to, (struct c2c_column){ NULL, "Tid", 0, tid_text, 1, .left = true, .needs = tid_width });
	if (fields & C2C_CODE)
		add(to, (struct c2c_column){ NULL, "Code address", 18, code_text, 1 });
}

static void add_code(const struct c2c *c, unsigned fields, struct c2c_columns *to)
{
	enum { NAME_MOST = 30 };
	static const char *const nodes[] = { "Node", "Node{cpus %hitms %stores}", "Node{cpu list}" };
	bool peer = c->opts->display == C2C_PEER;

	if (fields & C2C_CODE)
		add(to, (struct c2c_column){ NULL, "Symbol", 0, symbol_text, 1, .left = true, .needs = symbol_width,
					     .most = c->opts->full_symbols ? 0 : NAME_MOST });
	if (fields & (C2C_CODE | C2C_OBJECT))
		add(to,
		    (struct c2c_column){ "Shared", "Object", 0, object_text, 1, .left = true, .needs = object_width });
	if (fields & C2C_CODE && !c->opts->no_lines)
		add(to, (struct c2c_column){ NULL, "Source:Line", 11, source_text, 1, .left = true,
					     .needs = source_width });
	add(to, (struct c2c_column){ NULL,
				     peer && c->opts->node_info == 1 ? "Node{cpus %peers %stores}"
								     : nodes[MIN(c->opts->node_info, 2ull)],
				     4, nodes_text, 1, .left = true });
}

static void widen(const struct c2c *c, const struct c2c_line *line, struct c2c_column *column)
{
	for (size_t i = line->from; i < line->end && column->needs; i++)
		column->width =
			MAX(column->width, column->needs(&(struct c2c_cell){ c, line, &c->places.items[i], 0 }));
	if (column->most)
		column->width = MIN(column->width, column->most);
}

void c2c_place_columns(const struct c2c *c, const struct c2c_line *line, struct c2c_columns *to)
{
	static const struct c2c_column modified[] = {
		{ "----- HITM -----", "RmtHitm", 7, remote_hitm_share, 2 },
		{ NULL, "LclHitm", 7, local_hitm_share },
	};
	static const struct c2c_column peers[] = {
		{ "-- Peer Snoop --", "Rmt", 7, remote_peer_share, 2 },
		{ NULL, "Lcl", 7, local_peer_share },
	};
	static const struct c2c_column stores[] = {
		{ "------- Store Refs ------", "L1 Hit", 7, l1_stores_share, 3 },
		{ NULL, "L1 Miss", 7, l1_missed_share },
		{ NULL, "N/A", 7, no_level_share },
		{ "--------- Data address ---------", "Offset", 18, offset_text, 3 },
		{ NULL, "Node", 4, memory_nodes_text },
		{ NULL, "PA cnt", 6, phys_text },
	};
	static const struct c2c_column modified_cycles[] = {
		{ "---------- cycles ----------", "rmt hitm", 8, remote_hitm_cycles_text, 3 },
		{ NULL, "lcl hitm", 8, local_hitm_cycles_text },
	};
	static const struct c2c_column peer_cycles[] = {
		{ "---------- cycles ----------", "rmt peer", 8, remote_peer_cycles_text, 3 },
		{ NULL, "lcl peer", 8, local_peer_cycles_text },
	};
	static const struct c2c_column end[] = {
		{ NULL, "load", 8, load_cycles_text },
		{ "Total", "records", 7, records_text, 1 },
		{ "cpu", "cnt", 8, n_cpus_text, 1 },
	};
	bool peer = c->opts->display == C2C_PEER;
	unsigned fields = 0;

	for (size_t i = 0; i < c->opts->n_fields; i++)
		fields |= c->opts->fields[i];
	add(to, (struct c2c_column){ NULL, "Num", 5, NULL, 1 });
	add_all(to, peer ? peers : modified, ARRAY_SIZE(peers));
	add_all(to, stores, ARRAY_SIZE(stores));
	add_fields(c, fields, to);
	add_all(to, peer ? peer_cycles : modified_cycles, ARRAY_SIZE(peer_cycles));
	add_all(to, end, ARRAY_SIZE(end));
	add_code(c, fields, to);
	for (size_t i = 0; i < to->n; i++)
		widen(c, line, &to->items[i]);
}
