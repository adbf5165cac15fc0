/* Join the parts of the page in this folder, and the data for its scripts. */
#include "report/stacks/data.h"
#include "report/page/page.h"

#include "base/encode/protobuf.h"
#include "report/page/columns_priv.h"

#include "code_js.h"
#include "data_js.h"
#include "graph_js.h"
#include "heat_js.h"
#include "help_js.h"
#include "look_js.h"
#include "main_js.h"
#include "page_css.h"
#include "page_html.h"
#include "table_js.h"
#include "threads_js.h"
#include "time_js.h"
#include "trees_js.h"

/* Sorted so that each part comes after the parts that it needs. */
static const char *const scripts[] = { data_js, trees_js,   look_js, graph_js, table_js, time_js,
				       heat_js, threads_js, code_js, help_js,  main_js };

/* ---- names ---- */

/* Escape foreign text: control bytes first, then as JSON. */
static void print_text(struct json *j, const char *key, const char *text)
{
	struct out escaped;

	out_init_mem(&escaped);
	out_name(&escaped, text);
	json_text(j, key, out_text(&escaped));
	out_release(&escaped);
}

/* Print "schedule_[k]" as schedule, because the page shows kinds by colour. */
static void print_name(struct json *j, const struct stack_name *n)
{
	bool marked =
		n->len > 4 && n->text[n->len - 4] == '_' && n->text[n->len - 3] == '[' && n->text[n->len - 1] == ']';
	autofree char *name = xstrndup(n->text, marked ? n->len - 4 : n->len);

	json_text(j, NULL, name);
}

/* Write names with their kinds (enum stack_kind) and objects (numbers of a list). */
static void put_names(const struct stacks *st, struct page_columns *c)
{
	struct strtab objects = { 0 };
	uint32_t n = 0;

	json_newline(&c->json);
	json_array(&c->json, "names");
	json_text(&c->json, NULL, "all");
	for (size_t i = 1; i < st->names.len; i++)
		print_name(&c->json, &st->names.items[i]);
	json_end(&c->json, "]");
	page_columns_begin(c, "kind", st->names.len);
	for (size_t i = 0; i < st->names.len; i++)
		proto_varint(&c->numbers, i ? st->names.items[i].kind : STACK_TASK);
	page_columns_begin(c, "object", st->names.len);
	json_newline(&c->json);
	json_array(&c->json, "objects");
	json_text(&c->json, NULL, "");
	for (size_t i = 0; i < st->names.len; i++) {
		const char *object = i ? st->names.items[i].object : "";
		uint32_t id = strtab_intern(&objects, object);

		if (id > n) {
			n = id;
			json_text(&c->json, NULL, object);
		}
		proto_varint(&c->numbers, id);
	}
	json_end(&c->json, "]");
	strtab_free(&objects);
}

/* ---- boxes and samples ---- */

static void put_boxes(const struct flame *f, const struct page_opts *opts, struct page_columns *c)
{
	size_t n = f->boxes.len;
	autofree uint64_t *old = xcalloc(n + 1, sizeof(*old));

	page_columns_begin(c, "depth", n);
	for (size_t i = 0; i < n; i++)
		proto_varint(&c->numbers, f->boxes.items[i].depth);
	page_columns_begin(c, "name", n);
	for (size_t i = 0; i < n; i++)
		proto_varint(&c->numbers, f->boxes.items[i].name);
	if (opts->lanes) {
		page_columns_begin(c, "wait", n);
		for (size_t i = 0; i < n; i++)
			proto_varint(&c->numbers, f->boxes.items[i].wait);
	}
	if (!opts->compared)
		return;
	for (size_t i = 0; i < f->stacks->stacks.len; i++)
		old[f->leaf_of[i]] += f->stacks->stacks.items[i].weight[1];
	page_columns_begin(c, "old", n);
	for (size_t i = 0; i < n; i++)
		proto_varint(&c->numbers, old[i]);
}

enum slice_column { SLICE_BOX, SLICE_SLOT, SLICE_THREAD, SLICE_WEIGHT, SLICE_COLUMNS };

/* Return the slices of a stack. A stack of stacks_put has only a weight, which becomes a slice in `room`. */
static const struct stack_slice *slices_of(const struct stacks *st, const struct stack *s, struct stack_slice *room,
					   uint32_t *n)
{
	*room = (struct stack_slice){ .weight = s->weight[0] };
	*n = s->n_slices ? s->n_slices : s->weight[0] > 0;
	return s->n_slices ? &st->slices.items[s->slices] : room;
}

/* Write slices and boxes in the order of the stacks, so that neighbours differ by little. */
static void put_slices(const struct flame *f, struct page_columns *c)
{
	static const char *const names[SLICE_COLUMNS] = { "box", "slot", "thread", "weight" };
	const struct stacks *st = f->stacks;
	const struct stack_slice *s;
	struct stack_slice room;
	size_t all = 0;
	uint32_t n;

	for (size_t i = 0; i < st->stacks.len; i++) {
		slices_of(st, &st->stacks.items[i], &room, &n);
		all += n;
	}
	for (unsigned column = 0; column < SLICE_COLUMNS; column++) {
		uint64_t last = 0;

		page_columns_begin(c, names[column], all);
		for (size_t i = 0; i < st->stacks.len; i++) {
			s = slices_of(st, &st->stacks.items[i], &room, &n);
			for (; n; n--, s++) {
				uint64_t v = column == SLICE_BOX      ? f->leaf_of[i]
					     : column == SLICE_SLOT   ? s->slot
					     : column == SLICE_THREAD ? s->track
								      : s->weight;

				proto_zigzag(&c->numbers, (int64_t)(v - last));
				last = v;
			}
		}
	}
}

/* ---- threads ---- */

static void print_thread(struct json *j, const char *comm, int32_t pid, int32_t tid)
{
	json_array(j, NULL);
	json_text(j, NULL, comm);
	json_number(j, NULL, pid);
	json_number(j, NULL, tid);
	json_end(j, "]");
}

/* List all sampled threads, then threads that only have a track. Store their numbers in `numbers`, by tid. */
static void put_threads(const struct stacks *st, const struct lanes *lanes, struct u64map *numbers,
			struct page_columns *c)
{
	size_t n = MAX(st->tracks.len, (size_t)1), n_lanes = 0;
	const struct thread_lane *lane = lanes ? lanes_all(lanes, &n_lanes) : NULL;

	json_newline(&c->json);
	json_array(&c->json, "threads");
	print_thread(&c->json, "other threads", 0, 0);
	for (size_t i = 1; i < st->tracks.len; i++) {
		const struct stack_track *t = &st->tracks.items[i];

		json_newline(&c->json);
		print_thread(&c->json, t->comm, t->pid, t->tid);
		*u64map_put(numbers, (uint32_t)t->tid, NULL) = (uint32_t)i;
	}
	for (size_t i = 0; i < n_lanes; i++) {
		bool is_new;
		uint32_t *number;
		struct out name;

		if (!lane[i].pieces.len)
			continue;
		number = u64map_put(numbers, (uint32_t)lane[i].tid, &is_new);
		if (!is_new)
			continue;
		*number = (uint32_t)n++;
		out_init_mem(&name);
		out_name(&name, lane[i].comm);
		json_newline(&c->json);
		print_thread(&c->json, out_text(&name), lane[i].pid, lane[i].tid);
		out_release(&name);
	}
	json_end(&c->json, "]");
}

enum piece_column { PIECE_FROM, PIECE_LENGTH, PIECE_WHAT, PIECE_RAN, PIECE_WAKER, PIECE_COLUMNS };

static void put_piece(struct out *o, const struct lane_piece *p, enum piece_column column, uint64_t last,
		      const struct u64map *numbers)
{
	const uint32_t *waker = p->waker_tid > 0 ? u64map_find(numbers, (uint32_t)p->waker_tid) : NULL;

	switch (column) {
	case PIECE_FROM: proto_zigzag(o, (int64_t)(p->from - last)); break;
	case PIECE_LENGTH: proto_varint(o, p->to - p->from); break;
	case PIECE_WHAT: proto_varint(o, p->what); break;
	case PIECE_RAN: proto_varint(o, p->to > p->from ? 100 * p->ran / (p->to - p->from) : 0); break;
	default: proto_varint(o, waker ? *waker : 0);
	}
}

/* Write the tracks of threads: a lane's pieces in order; `from` counts from the end of the previous piece. */
static void put_lanes(const struct stacks *st, const struct lanes *lanes, const struct u64map *numbers,
		      struct page_columns *c)
{
	static const char *const names[PIECE_COLUMNS] = { "piece_from", "piece_length", "piece_what", "piece_ran",
							  "piece_waker" };
	size_t n;
	const struct thread_lane *lane = lanes_all(lanes, &n);

	page_columns_begin(c, "lane_thread", n);
	for (size_t i = 0; i < n; i++)
		proto_varint(&c->numbers, lane[i].pieces.len ? *u64map_find(numbers, (uint32_t)lane[i].tid) : 0);
	page_columns_begin(c, "lane_pieces", n);
	for (size_t i = 0; i < n; i++)
		proto_varint(&c->numbers, lane[i].pieces.len);
	for (unsigned column = 0; column < PIECE_COLUMNS; column++) {
		page_columns_begin(c, names[column], lanes_pieces(lanes));
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < lane[i].pieces.len; k++)
				put_piece(&c->numbers, &lane[i].pieces.items[k], column,
					  k ? lane[i].pieces.items[k - 1].to : st->first_ns, numbers);
	}
}

/* Write the kinds of waits, and their colours, for wall-clock time. */
static void print_waits(struct json *j)
{
	json_newline(j);
	json_array(j, "waits");
	for (unsigned i = 0; i < n_flame_waits; i++) {
		const struct flame_wait *wait = &flame_waits[i];

		json_object(j, NULL);
		json_text(j, "label", wait->label);
		json_key(j, "color");
		out_fmt(j->o, "\"rgb(%u,%u,%u)\"", wait->rgb[0], wait->rgb[1], wait->rgb[2]);
		json_end(j, "}");
	}
	json_end(j, "]");
}

/* ---- the whole page ---- */

static void write_data(const struct flame *f, const struct page_opts *opts, struct out *o)
{
	const struct stacks *st = f->stacks;
	struct u64map numbers = { 0 };
	struct page_columns c;

	page_columns_init(&c);
	json_unsigned(&c.json, "slots", MAX(st->n_slots, 1u));
	json_unsigned(&c.json, "slot_ns", st->slot_ns);
	json_unsigned(&c.json, "samples", opts->samples);
	json_bool(&c.json, "compared", opts->compared);
	print_text(&c.json, "title", opts->title ? opts->title : "Profile");
	print_text(&c.json, "unit", opts->unit);
	put_names(st, &c);
	put_boxes(f, opts, &c);
	put_slices(f, &c);
	put_threads(st, opts->lanes, &numbers, &c);
	if (opts->lanes) {
		print_waits(&c.json);
		put_lanes(st, opts->lanes, &numbers, &c);
	}
	if (opts->code)
		page_code_write(opts->code, &c.json);
	page_columns_write(&c, o);
	page_columns_release(&c);
	u64map_free(&numbers);
}

/* Write the page's text up to a mark. Return what follows the mark. */
static const char *up_to(const char *text, const char *mark, struct out *o)
{
	const char *end = strstr(text, mark);

	out_mem(o, text, (size_t)(end - text));
	return end + strlen(mark);
}

void page_write(const struct flame *f, const struct page_opts *opts, struct out *o)
{
	const char *rest = up_to(page_html, "@STYLE@", o);

	out_str(o, page_css);
	rest = up_to(rest, "@DATA@", o);
	write_data(f, opts, o);
	rest = up_to(rest, "@SCRIPT@", o);
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		out_str(o, scripts[i]);
	out_str(o, rest);
}
