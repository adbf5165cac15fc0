/* The sections of perf c2c report. */
#include "report/c2c/c2c_priv.h"

#include "base/width.h"

static const char RULE[] = "=================================================";
static const char LINE_RULE[] = "  ----------------------------------------------------------------------\n";

static void put_heading(const char *text, int before, int after, struct out *o)
{
	out_fmt(o, "%s\n%*s%s%*s\n%s\n", RULE, before, "", text, after, "", RULE);
}

/* ---- sums ---- */

struct sum_line {
	const char *text;
	enum c2c_sum sums[4]; /* add these; after the first one, C2C_ACCESSES (0) ends the list */
};

static uint64_t sum_of(const struct c2c_sums *s, const enum c2c_sum *which)
{
	uint64_t sum = s->n[which[0]];

	for (size_t i = 1; i < 4 && which[i] != C2C_ACCESSES; i++)
		sum += s->n[which[i]];
	return sum;
}

static void put_sum(const char *text, uint64_t value, struct out *o)
{
	out_fmt(o, "  %-34s: %10llu\n", text, (unsigned long long)value);
}

static void put_sums(const struct c2c_sums *s, const struct sum_line *lines, size_t n, struct out *o)
{
	for (size_t i = 0; i < n; i++)
		put_sum(lines[i].text, sum_of(s, lines[i].sums), o);
}

static const enum c2c_sum llc_misses[] = { C2C_LOCAL_RAM, C2C_REMOTE_RAM, C2C_REMOTE_HIT, C2C_REMOTE_HITM };

static void put_miss_share(const struct c2c_sums *s, const char *text, enum c2c_sum sum, struct out *o)
{
	uint64_t all = sum_of(s, llc_misses);

	out_fmt(o, "  %-34s: %10.1f%%\n", text, all ? 100.0 * (double)s->n[sum] / (double)all : 0.0);
}

static void put_trace_sums(const struct c2c *c, struct out *o)
{
	static const struct sum_line loads[] = {
		{ "Total records", { C2C_ACCESSES } },
		{ "Locked Load/Store Operations", { C2C_LOCKED } },
		{ "Load Operations", { C2C_LOADS } },
		{ "Loads - uncacheable", { C2C_LOAD_UNCACHED } },
		{ "Loads - IO", { C2C_LOAD_IO } },
		{ "Loads - Miss", { C2C_LOAD_MISS } },
		{ "Loads - no mapping", { C2C_LOAD_NO_ADDRESS } },
		{ "Load Fill Buffer Hit", { C2C_FILL_BUFFER } },
		{ "Load L1D hit", { C2C_L1 } },
		{ "Load L2D hit", { C2C_L2 } },
		{ "Load LLC hit", { C2C_LLC, C2C_LOCAL_HITM } },
		{ "Load Local HITM", { C2C_LOCAL_HITM } },
		{ "Load Remote HITM", { C2C_REMOTE_HITM } },
		{ "Load Remote HIT", { C2C_REMOTE_HIT } },
		{ "Load Local DRAM", { C2C_LOCAL_RAM } },
		{ "Load Remote DRAM", { C2C_REMOTE_RAM } },
		{ "Load MESI State Exclusive", { C2C_EXCLUSIVE } },
		{ "Load MESI State Shared", { C2C_SHARED } },
		{ "Load LLC Misses", { C2C_LOCAL_RAM, C2C_REMOTE_RAM, C2C_REMOTE_HIT, C2C_REMOTE_HITM } },
		{ "Load access blocked by data", { C2C_BLOCKED_BY_DATA } },
		{ "Load access blocked by address", { C2C_BLOCKED_BY_ADDRESS } },
		{ "Load HIT Local Peer", { C2C_LOCAL_PEER } },
		{ "Load HIT Remote Peer", { C2C_REMOTE_PEER } },
	};
	static const struct sum_line stores[] = {
		{ "Store Operations", { C2C_STORES } },
		{ "Store - uncacheable", { C2C_STORE_UNCACHED } },
		{ "Store - no mapping", { C2C_STORE_NO_ADDRESS } },
		{ "Store L1D Hit", { C2C_STORE_L1_HIT } },
		{ "Store L1D Miss", { C2C_STORE_L1_MISS } },
		{ "Store No available memory level", { C2C_STORE_NO_LEVEL } },
		{ "No Page Map Rejects", { C2C_NO_MAP } },
		{ "Unable to parse data source", { C2C_NO_OPERATION } },
	};

	put_heading("Trace Event Information", 12, 14, o);
	put_sums(&c->sums, loads, ARRAY_SIZE(loads), o);
	put_miss_share(&c->sums, "LLC Misses to Local DRAM", C2C_LOCAL_RAM, o);
	put_miss_share(&c->sums, "LLC Misses to Remote DRAM", C2C_REMOTE_RAM, o);
	put_miss_share(&c->sums, "LLC Misses to Remote cache (HIT)", C2C_REMOTE_HIT, o);
	put_miss_share(&c->sums, "LLC Misses to Remote cache (HITM)", C2C_REMOTE_HITM, o);
	put_sums(&c->sums, stores, ARRAY_SIZE(stores), o);
}

static void put_shared_sums(const struct c2c *c, struct out *o)
{
	static const struct sum_line lines[] = {
		{ "Load HITs on shared lines", { C2C_LOADS } },
		{ "Fill Buffer Hits on shared lines", { C2C_FILL_BUFFER } },
		{ "L1D hits on shared lines", { C2C_L1 } },
		{ "L2D hits on shared lines", { C2C_L2 } },
		{ "LLC hits on shared lines", { C2C_LLC, C2C_LOCAL_HITM } },
		{ "Load hits on peer cache or nodes", { C2C_TOTAL_PEER } },
		{ "Locked Access on shared lines", { C2C_LOCKED } },
		{ "Blocked Access on shared lines", { C2C_BLOCKED_BY_DATA, C2C_BLOCKED_BY_ADDRESS } },
		{ "Store HITs on shared lines", { C2C_STORES } },
		{ "Store L1D hits on shared lines", { C2C_STORE_L1_HIT } },
		{ "Store No available memory level", { C2C_STORE_NO_LEVEL } },
		{ "Total Merged records", { C2C_TOTAL_HITM, C2C_STORES } },
	};

	out_char(o, '\n');
	put_heading("Global Shared Cache Line Event Information", 4, 3, o);
	put_sum("Total Shared Cache Lines", c->n_shared, o);
	put_sums(&c->shared, lines, ARRAY_SIZE(lines), o);
}

static void put_details(const struct c2c *c, struct out *o)
{
	static const char *const displays[] = {
		[C2C_TOTAL] = "Total HITMs",
		[C2C_LOCAL] = "Local HITMs",
		[C2C_REMOTE] = "Remote HITMs",
		[C2C_PEER] = "Peer Snoop",
	};
	const struct perfdata *pd = c->session->pd;

	out_char(o, '\n');
	put_heading("c2c details", 17, 21, o);
	for (size_t i = 0; i < pd->n_events; i++) {
		out_fmt(o, "%-36s: ", i ? "" : "  Events");
		out_name(o, pd->events[i].name);
		out_char(o, '\n');
	}
	out_fmt(o, "  Cachelines sort on                : %s\n", displays[c->opts->display]);
	out_fmt(o, "  Cacheline data grouping           : offset,%s\n", c->opts->grouping);
}

/* ---- tables ---- */

static void put_padded(const char *text, int width, bool left, struct out *o)
{
	int used = out_name_width(text);

	out_pad(o, ' ', left ? 0 : width - used);
	out_mem(o, text, strlen(text));
	out_pad(o, ' ', left ? width - used : 0);
}

static void put_groups(const struct c2c_columns *columns, struct out *o)
{
	out_char(o, '#');
	for (size_t i = 0; i < columns->n; i++) {
		const struct c2c_column *k = &columns->items[i];

		if (!k->span)
			continue;
		out_str(o, i ? "  " : " ");
		put_padded(k->group ? k->group : "", k->width, false, o);
	}
	out_char(o, '\n');
}

static void put_titles(const struct c2c_columns *columns, struct out *o)
{
	out_str(o, "#");
	for (size_t i = 0; i < columns->n; i++) {
		out_str(o, i ? "  " : " ");
		put_padded(columns->items[i].title, columns->items[i].width, false, o);
	}
	out_char(o, '\n');
}

static void put_dots(const struct c2c_columns *columns, struct out *o)
{
	out_str(o, "#");
	for (size_t i = 0; i < columns->n; i++) {
		out_str(o, i ? "  " : " ");
		out_pad(o, '.', columns->items[i].width);
	}
	out_str(o, "\n#\n");
}

static void put_head(const struct c2c_columns *columns, struct out *o)
{
	put_groups(columns, o);
	put_titles(columns, o);
	put_dots(columns, o);
}

/* Cut a text after this many columns. */
static void cut(struct out *cell, int most)
{
	size_t at = 0;
	int used = 0;

	while (at < cell->len) {
		uint32_t code;
		size_t n = utf8_decode(cell->buf + at, cell->len - at, &code);

		used += code_width(code);
		if (used > most)
			break;
		at += n ? n : 1;
	}
	cell->len = at;
}

static void put_row(const struct c2c_columns *columns, const struct c2c_cell *x, struct out *o)
{
	struct out cell;

	out_init_mem(&cell);
	for (size_t i = 0; i < columns->n; i++) {
		const struct c2c_column *k = &columns->items[i];

		cell.len = 0;
		if (k->text)
			k->text(x, &cell);
		if (k->most)
			cut(&cell, k->most);
		out_str(o, "  ");
		put_padded(out_text(&cell), i + 1 < columns->n || !k->left ? k->width : 0, k->left, o);
	}
	out_char(o, '\n');
	out_release(&cell);
}

size_t c2c_n_lines(const struct c2c *c) { return c->lines.len; }

void c2c_put_titles(const struct c2c *c, struct out *o)
{
	struct c2c_columns columns = { .n = 0 };

	c2c_line_columns(c, &columns);
	put_groups(&columns, o);
	put_titles(&columns, o);
}

void c2c_put_line(const struct c2c *c, size_t line, struct out *o)
{
	struct c2c_columns columns = { .n = 0 };

	c2c_line_columns(c, &columns);
	put_row(&columns, &(struct c2c_cell){ c, &c->lines.items[line], &c->lines.items[line].all, line }, o);
}

static void put_lines(const struct c2c *c, struct out *o)
{
	struct c2c_columns columns = { .n = 0 };

	out_char(o, '\n');
	put_heading("Shared Data Cache Line Table", 11, 10, o);
	c2c_line_columns(c, &columns);
	out_str(o, "#\n");
	put_head(&columns, o);
	for (size_t i = 0; i < c->lines.len; i++)
		c2c_put_line(c, i, o);
}

/* ---- places ---- */

static void put_graph(const struct c2c *c, const struct c2c_line *line, const struct c2c_row *place, struct out *o)
{
	struct text_opts text = *c->opts->text;
	VEC(struct graph_stretch) stretches = { 0 };
	uint64_t period = 0;
	struct graph g;

	for (size_t i = place->from; i < place->to; i++) {
		const struct c2c_access *a = &c->accesses.items[i];
		const struct part *part = &c->profile->parts[a->part];
		const struct chain *chain = &part->chains.items[a->chain];

		period += a->period;
		if (chain->n)
			vec_push(&stretches,
				 (struct graph_stretch){ part->words.items + chain->at, chain->n, a->period, 1 });
	}
	text.graph.total = line->period;
	if (stretches.len) {
		g = graph_new(&c->fold, stretches.items, stretches.len, &text.graph);
		text_graph_alone(&c->view, &text, &g, period, o);
	}
	vec_free(&stretches);
}

/* As in perf, the titles stand above the first line and have its widths. */
static void put_places_of(const struct c2c *c, size_t number, bool titles, struct out *o, struct c2c_starts *starts)
{
	const struct c2c_line *line = &c->lines.items[number];
	struct c2c_columns head = { .n = 0 }, columns = { .n = 0 };

	c2c_head_columns(c, &head);
	c2c_place_columns(c, line, &columns);
	if (titles)
		put_head(&columns, o);
	out_str(o, LINE_RULE);
	put_row(&head, &(struct c2c_cell){ c, line, &line->all, number }, o);
	out_str(o, LINE_RULE);
	for (size_t k = line->from; k < line->to; k++) {
		if (starts)
			vec_push(starts, o->len);
		put_row(&columns, &(struct c2c_cell){ c, line, &c->places.items[k], number }, o);
		if (c->opts->chains)
			put_graph(c, line, &c->places.items[k], o);
	}
}

void c2c_put_places(const struct c2c *c, size_t line, struct out *o, struct c2c_starts *starts)
{
	put_places_of(c, line, true, o, starts);
}

bool c2c_place_function(const struct c2c *c, size_t line, size_t place, uint32_t *dso, uint32_t *symbol)
{
	const struct c2c_row *row = &c->places.items[c->lines.items[line].from + place];
	const struct site *code = &c->profile->sites.items[row->first.site];

	*dso = code->dso;
	*symbol = code->symbol;
	return code->symbol;
}

static void put_places(const struct c2c *c, struct out *o)
{
	out_char(o, '\n');
	put_heading("Shared Cache Line Distribution Pareto", 6, 6, o);
	out_str(o, "#\n");
	for (size_t i = 0; i < c->lines.len; i++) {
		out_str(o, i ? "\n" : "");
		put_places_of(c, i, !i, o, NULL);
	}
}

void c2c_put_sums(const struct c2c *c, struct out *o)
{
	put_trace_sums(c, o);
	put_shared_sums(c, o);
	put_details(c, o);
}

void c2c_print(struct c2c *c, struct out *o)
{
	c2c_put_sums(c, o);
	if (c->opts->stats_only)
		return;
	put_lines(c, o);
	put_places(c, o);
}
