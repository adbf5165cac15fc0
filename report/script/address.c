/*
 * Addresses as text: " main+0x1f (/usr/bin/x)", call chains, inlined calls, source lines. Each
 * thread formats an address once and keeps the text, so printing a chain is mostly copying.
 */
#include "report/script/print_priv.h"

enum {
	INLINES_MAX = 64, /* calls inlined into each other at one address */
	CACHE_SLOTS_MIN = 4096,
	CACHE_BYTES_MAX = 32 << 20, /* text per thread; when full, forget all of it */
	TEXT_BLOCK = 64,            /* a text is copied in blocks, and there is room for whole ones */
};
#define STYLE_FIELDS (BIT(SYM) | BIT(SYMOFF) | BIT(DSO) | BIT(DSOFF) | BIT(SRCLINE))
#define STYLE_CHAIN  (1ull << 63)

void address_find(struct print_job *j, unsigned cpumode, uint64_t ip, struct address *a)
{
	*a = (struct address){ .ip = ip };
	if (session_find(j->p->session, &j->task, j->moment, cpumode, ip, &a->hit))
		a->symbol = dso_find(j->p->session->symbols, a->hit.dso, a->hit.dso_off);
}

void address_find_anywhere(struct print_job *j, uint64_t ip, struct address *a)
{
	static const uint8_t modes[] = { CPUMODE_USER, CPUMODE_KERNEL, CPUMODE_GUEST_USER, CPUMODE_GUEST_KERNEL };
	unsigned own = j->sample->misc & MISC_CPUMODE;

	address_find(j, own, ip, a);
	for (size_t i = 0; !a->hit.dso && i < ARRAY_SIZE(modes); i++)
		if (modes[i] != own)
			address_find(j, modes[i], ip, a);
}

static uint64_t offset_in_symbol(struct print_job *j, const struct address *a)
{
	struct symbols *s = j->p->session->symbols;

	return symbol_offset(s, a->hit.dso, a->symbol, a->hit.dso_off);
}

void address_print_symbol(struct print_job *j, const struct address *a, bool with_offset)
{
	if (!a->symbol) {
		out_str(j->o, "[unknown]");
		return;
	}
	out_name(j->o, symbol_name(j->p->session->symbols, a->hit.dso, a->symbol));
	if (with_offset) {
		out_str(j->o, "+0x");
		out_hex(j->o, offset_in_symbol(j, a));
	}
}

/*
 * Is the code in a memory file of a JIT? Its symbols are looked up by address, but DSOFF shows the offset in the file.
 */
static bool is_memory_file(struct print_job *j, const struct address *a)
{
	return dso_kind(j->p->session->symbols, a->hit.dso) == DSO_KIND_JIT &&
	       !strncmp(dso_name(j->p->session->symbols, a->hit.dso), "/memfd:", 7);
}

void address_print_dso(struct print_job *j, const struct address *a)
{
	struct symbols *s = j->p->session->symbols;
	enum dso_kind kind = dso_kind(s, a->hit.dso);
	const char *name = NULL;

	if (kind == DSO_KIND_KERNEL && j->p->opts.kernel_path)
		name = dso_file(s, a->hit.dso);
	else if (kind == DSO_KIND_MODULE && (j->p->opts.kernel_path || j->event->fields & BIT(DSOFF)))
		name = dso_path(s, a->hit.dso);
	else if (kind == DSO_KIND_MODULE && !u64map_find(&j->p->named_modules, a->hit.dso))
		name = dso_short_name(s, a->hit.dso);
	out_str(j->o, " (");
	out_name(j->o, name ? name : dso_name(s, a->hit.dso));
	if (j->event->fields & BIT(DSOFF) && a->hit.dso && (kind != DSO_KIND_KERNEL || !a->symbol)) {
		out_str(j->o, "+0x");
		out_hex(j->o, kind == DSO_KIND_KERNEL ? a->ip
			      : is_memory_file(j, a)  ? a->ip - a->hit.start + a->hit.pgoff
						      : a->hit.dso_off);
	}
	out_char(j->o, ')');
}

void address_print(struct print_job *j, const struct address *a)
{
	if (j->event->fields & BIT(SYM)) {
		out_char(j->o, ' ');
		address_print_symbol(j, a, j->event->fields & BIT(SYMOFF));
	}
	if (j->event->fields & BIT(DSO))
		address_print_dso(j, a);
}

/* Print "  file.c:12" on a line of its own. */
static void print_line(struct print_job *j, const struct source_line *l)
{
	const char *slash;

	if (!l->file)
		return;
	slash = strrchr(l->file, '/');
	out_str(j->o, "\n  ");
	out_name(j->o, slash && !j->p->opts.full_source_path ? slash + 1 : l->file);
	out_char(j->o, ':');
	out_u64(j->o, l->line);
}

/*
 * Print the source line. If it is unknown, print "  ??:0" if the object has lines for other addresses, otherwise the
 * offset: "  object[1ab0]".
 */
static void print_line_or_place(struct print_job *j, const struct address *a, const struct source_line *l)
{
	struct symbols *s = j->p->session->symbols;

	if (l->file || !a->hit.dso) {
		print_line(j, l);
		return;
	}
	out_str(j->o, "\n  ");
	if (dso_has_lines(s, a->hit.dso)) {
		out_str(j->o, "??:0");
		return;
	}
	out_name(j->o, dso_short_name(s, a->hit.dso));
	out_char(j->o, '[');
	out_hex(j->o, dso_address(s, a->hit.dso, a->hit.dso_off));
	out_char(j->o, ']');
}

static void print_inlined(struct print_job *j, const struct address *a, const struct inline_frame *frame)
{
	out_char(j->o, '\t');
	out_hex_pad(j->o, a->ip, 16, ' ');
	if (j->event->fields & BIT(SYM)) {
		out_char(j->o, ' ');
		out_name(j->o, frame->name);
		if (j->event->fields & BIT(SYMOFF) && a->symbol) {
			out_str(j->o, "+0x");
			out_hex(j->o, offset_in_symbol(j, a));
		}
	}
	if (j->event->fields & BIT(SRCLINE))
		print_line(j, &frame->at);
	out_str(j->o, " (inlined)\n");
}

static void print_real(struct print_job *j, const struct address *a, const struct source_line *line)
{
	out_char(j->o, '\t');
	out_hex_pad(j->o, a->ip, 16, ' ');
	address_print(j, a);
	if (j->event->fields & BIT(SRCLINE))
		print_line_or_place(j, a, line);
	out_char(j->o, '\n');
}

static void print_one_frame(struct print_job *j, const struct address *a, const struct inline_frame *f, bool inlined)
{
	if (j->p->form)
		j->p->form->frame(j, a, f, inlined);
	else if (inlined)
		print_inlined(j, a, f);
	else
		print_real(j, a, &f->at);
}

/*
 * Print all lines of one address in a chain: the calls inlined there, then the function itself. As in perf, show an
 * inlined call with the name of the symbol as the symbol (split functions have such calls). Do the same for a function
 * that only DWARF knows as inlined.
 */
static void print_frame(struct print_job *j, const struct address *a)
{
	struct symbols *s = j->p->session->symbols;
	const char *symbol = a->symbol ? symbol_name(s, a->hit.dso, a->symbol) : NULL;
	struct inline_frame frames[INLINES_MAX + 1];
	struct source_line line = { 0 };
	bool lines = j->event->fields & BIT(SRCLINE);
	size_t n = 0;

	if (j->p->opts.inlines && a->hit.dso)
		n = dso_inlines(s, a->hit.dso, a->hit.dso_off, frames, INLINES_MAX, lines ? &line : NULL);
	if (j->p->form && j->p->form->address) {
		j->p->form->address(j, a,
				    symbol ? symbol
				    : n    ? dso_function(s, a->hit.dso, a->hit.dso_off)
					   : NULL,
				    frames, n);
		return;
	}
	if (!n) {
		if (lines && a->hit.dso)
			dso_source_line(s, a->hit.dso, a->hit.dso_off, &line);
		print_one_frame(j, a, &(struct inline_frame){ .at = line }, false);
		return;
	}
	frames[n++] = (struct inline_frame){ .name = symbol ? symbol : dso_function(s, a->hit.dso, a->hit.dso_off),
					     .at = line };
	for (size_t i = 0; i < n; i++) {
		print_one_frame(j, a, &frames[i], frames[i].name && (!symbol || strcmp(frames[i].name, symbol)));
	}
}

static void print_single(struct print_job *j, const struct address *a)
{
	struct symbols *s = j->p->session->symbols;
	struct source_line line = { 0 };

	out_char(j->o, ' ');
	out_hex_pad(j->o, a->ip, 16, ' ');
	address_print(j, a);
	if (!(j->event->fields & BIT(SRCLINE)) || !a->hit.dso)
		return;
	dso_source_line(s, a->hit.dso, a->hit.dso_off, &line);
	print_line_or_place(j, a, &line);
}

/* ---- cached texts ---- */

void address_cache_release(struct address_cache *c)
{
	free(c->slots);
	arena_release(&c->arena);
	vec_free(&c->views);
	idtable_free(&c->view_index);
	*c = (struct address_cache){ 0 };
}

static void cache_clear(struct address_cache *c)
{
	memset(c->slots, 0, c->cap * sizeof(*c->slots));
	arena_release(&c->arena);
	c->len = 0;
}

static inline uint64_t view_seed(uint32_t view) { return view * 0x9e3779b97f4a7c15ull; }

static inline size_t slot_of(uint64_t ip, uint64_t seed, size_t cap)
{
	return (ip + seed) * 0x9e3779b97f4a7c15ull >> 20 & (cap - 1);
}

static void cache_grow(struct address_cache *c)
{
	struct address_text *old = c->slots;
	size_t cap = c->cap;

	c->cap = cap ? cap * 2 : CACHE_SLOTS_MIN;
	c->slots = xcalloc(c->cap, sizeof(*c->slots));
	for (size_t i = 0; i < cap; i++) {
		size_t at = slot_of(old[i].ip, view_seed(old[i].view), c->cap);

		if (!old[i].view)
			continue;
		while (c->slots[at].view)
			at = (at + 1) & (c->cap - 1);
		c->slots[at] = old[i];
	}
	free(old);
}

/* Return the number of the view: this space at this version, printed in this style. */
static uint32_t view_of(struct address_cache *c, uint64_t space_version, uint64_t style)
{
	struct last_view *last = &c->last[space_version >> 32 == SPACE_KERNEL];
	uint64_t hash = hash_mix(space_version, style);
	struct idtable_probe probe;
	uint32_t id;

	if (last->number && last->space_version == space_version && last->style == style)
		return last->number;
	probe = idtable_probe(&c->view_index, hash);
	while ((id = idtable_next(&c->view_index, &probe)))
		if (c->views.items[id - 1].space_version == space_version && c->views.items[id - 1].style == style)
			break;
	if (!id) {
		vec_push(&c->views, (struct address_view){ space_version, style });
		id = (uint32_t)c->views.len;
		idtable_add(&c->view_index, hash, id);
	}
	*last = (struct last_view){ space_version, style, id };
	return id;
}

static uint32_t kernel_version(struct print_job *j)
{
	struct print_worker *w = j->w;

	if (!w->kernel_known || w->kernel_moment != j->moment) {
		w->kernel_version = space_version(j->p->session->symbols, SPACE_KERNEL, j->moment);
		w->kernel_moment = j->moment;
		w->kernel_known = true;
	}
	return w->kernel_version;
}

static uint32_t job_view(struct print_job *j, unsigned cpumode, uint64_t style)
{
	uint32_t space = task_space(&j->task, cpumode), version = 0;

	if (space == SPACE_KERNEL)
		version = kernel_version(j);
	else if (space == j->task.space)
		version = j->task.space_version;
	else if (space)
		version = space_version(j->p->session->symbols, space, j->moment);
	return view_of(&j->w->addresses, (uint64_t)space << 32 | version, style | (j->event->fields & STYLE_FIELDS));
}

/* Cache the views by space, because few tasks alternate. */
const struct chain_views *address_chain_views(struct print_job *j)
{
	uint64_t fields = j->event->fields & STYLE_FIELDS;
	struct chain_views *v = &j->w->addresses.chain_views[j->task.space % ADDRESS_CHAIN_VIEWS];

	if (!v->user || v->space != j->task.space || v->space_version != j->task.space_version ||
	    v->moment != j->moment || v->fields != fields)
		*v = (struct chain_views){
			.fields = fields,
			.space = j->task.space,
			.space_version = j->task.space_version,
			.moment = j->moment,
			.user = job_view(j, CPUMODE_USER, STYLE_CHAIN),
			.kernel = job_view(j, CPUMODE_KERNEL, STYLE_CHAIN),
		};
	return v;
}

static uint32_t chain_view(struct print_job *j, const struct chain_views *v, unsigned mode)
{
	return mode == CPUMODE_USER ? v->user : mode == CPUMODE_KERNEL ? v->kernel : job_view(j, mode, STYLE_CHAIN);
}

/* Do chains end at this function? */
static bool stops(struct print_job *j, const struct address *a)
{
	const char *name;

	if (!j->p->n_stop_at || !a->symbol)
		return false;
	name = symbol_name(j->p->session->symbols, a->hit.dso, a->symbol);
	for (size_t i = 0; i < j->p->n_stop_at; i++)
		if (!strcmp(j->p->stop_at[i], name))
			return true;
	return false;
}

/* Is this a function of --graph-function, or is one inlined at the address? */
static bool is_wanted(struct print_job *j, const struct address *a)
{
	const struct sample_filter *f = j->p->opts.filter;
	struct symbols *s = j->p->session->symbols;
	struct inline_frame frames[INLINES_MAX];
	size_t n = 0;

	if (!f || !sample_filter_by_caller(f))
		return false;
	if (a->symbol && sample_filter_has_caller(f, symbol_name(s, a->hit.dso, a->symbol)))
		return true;
	if (j->p->opts.inlines && a->hit.dso)
		n = dso_inlines(s, a->hit.dso, a->hit.dso_off, frames, INLINES_MAX, NULL);
	for (size_t i = 0; i < n; i++)
		if (frames[i].name && sample_filter_has_caller(f, frames[i].name))
			return true;
	return false;
}

static void make_text(struct print_job *j, unsigned cpumode, uint64_t style, struct address_text *t)
{
	struct out *o = j->o, *text = &j->w->text;
	struct address a;
	size_t room;
	char *copy;

	address_find(j, cpumode, t->ip, &a);
	text->len = 0;
	j->o = text;
	if (style & STYLE_CHAIN)
		print_frame(j, &a);
	else
		print_single(j, &a);
	j->o = o;
	t->stop = stops(j, &a);
	t->wanted = is_wanted(j, &a);
	t->len = (uint32_t)text->len;
	room = (text->len + TEXT_BLOCK - 1) / TEXT_BLOCK * TEXT_BLOCK;
	copy = arena_alloc(&j->w->addresses.arena, room);
	if (text->len)
		memcpy(copy, text->buf, text->len);
	t->text = copy;
}

/* Add an address that is not in the cache. */
static __attribute__((noinline)) const struct address_text *add_text(struct print_job *j, unsigned cpumode,
								     uint64_t style, uint32_t view, uint64_t ip)
{
	struct address_cache *c = &j->w->addresses;
	struct address_text *t;
	size_t at;

	if (c->len * 2 >= c->cap)
		cache_grow(c);
	if (c->arena.total > CACHE_BYTES_MAX)
		cache_clear(c);
	at = slot_of(ip, view_seed(view), c->cap);
	while (c->slots[at].view)
		at = (at + 1) & (c->cap - 1);
	t = &c->slots[at];
	*t = (struct address_text){ .ip = ip, .view = view };
	c->len++;
	make_text(j, cpumode, style, t);
	return t;
}

/* Return the text of an address; NULL: it is not in the cache. `seed`: view_seed(view). */
static inline const struct address_text *find_text(const struct address_cache *c, uint32_t view, uint64_t seed,
						   uint64_t ip)
{
	if (!c->cap)
		return NULL;
	for (size_t at = slot_of(ip, seed, c->cap);; at = (at + 1) & (c->cap - 1)) {
		const struct address_text *t = &c->slots[at];

		if (t->ip == ip && t->view == view)
			return t;
		if (!t->view)
			return NULL;
	}
}

static const struct address_text *address_text(struct print_job *j, unsigned cpumode, uint64_t style, uint32_t view,
					       uint64_t ip)
{
	const struct address_text *t = find_text(&j->w->addresses, view, view_seed(view), ip);

	return t ? t : add_text(j, cpumode, style, view, ip);
}

/* ---- the field ---- */

static bool job_chain(struct print_job *j, struct chain_words *c)
{
	const struct chain_place place = { .sample = j->sample,
					   .task = &j->task,
					   .pos = j->pos,
					   .moment = j->moment,
					   .worker = j->w->number,
					   .max = j->p->opts.max_stack };

	return chain_of_sample(j->p->session, &place, &j->w->chain, c);
}

bool print_wanted_caller(struct print_job *j)
{
	unsigned mode = CPUMODE_USER;
	struct chain_words c;

	j->event = &j->p->events[j->sample->event];
	job_chain(j, &c);
	for (uint64_t i = 0; i < c.n; i++) {
		uint64_t ip = load_u64(c.words + 8 * i);

		if (ip < CHAIN_MARKER_MIN) {
			if (address_text(j, mode, STYLE_CHAIN, job_view(j, mode, STYLE_CHAIN), ip)->wanted)
				return true;
		} else if (ip == CHAIN_USER_DEFERRED || chain_marker_mode(ip) < 0) {
			return false;
		} else {
			mode = (unsigned)chain_marker_mode(ip);
		}
	}
	mode = j->sample->misc & MISC_CPUMODE;
	return address_text(j, mode, STYLE_CHAIN, job_view(j, mode, STYLE_CHAIN), j->sample->ip)->wanted;
}

/*
 * Lines of a chain that were found, but not copied yet. So the CPU can look up several addresses while it waits for the
 * memory of one, and we check only once whether there is room for the copies.
 */
struct found_lines {
	size_t n, bytes;
	struct {
		const char *text;
		size_t len;
	} at[64];
};

static inline void found_lines_add(struct found_lines *l, const struct address_text *t)
{
	l->at[l->n].text = t->text;
	l->at[l->n++].len = t->len;
	l->bytes += t->len;
}

static void found_lines_copy(struct found_lines *l, struct out *o)
{
	char *to = out_room(o, l->bytes + TEXT_BLOCK);

	for (size_t i = 0; i < l->n; i++) {
		const char *from = l->at[i].text, *end = from + l->at[i].len;
		char *at = to;

		for (to += l->at[i].len; from < end; from += TEXT_BLOCK, at += TEXT_BLOCK)
			memcpy(at, from, TEXT_BLOCK);
	}
	o->len += l->bytes;
	l->n = l->bytes = 0;
}

static __attribute__((noinline)) const struct address_text *add_line(struct print_job *j, struct found_lines *l,
								     unsigned mode, uint32_t view, uint64_t ip)
{
	found_lines_copy(l, j->o); /* copy them now: if the cache is full, it forgets all texts */
	return add_text(j, mode, STYLE_CHAIN, view, ip);
}

void address_print_chain(struct print_job *j, const struct chain_words *c, const struct chain_views *views)
{
	uint64_t left = j->p->opts.max_stack, seed = view_seed(views->user);
	unsigned mode = CPUMODE_USER;
	uint32_t view = views->user;
	size_t from = j->o->len;
	struct found_lines lines;

	lines.n = lines.bytes = 0;
	for (uint64_t i = 0; i < c->n; i++) {
		uint64_t ip = load_u64(c->words + 8 * i);
		const struct address_text *t;

		if (ip >= CHAIN_MARKER_MIN) {
			int next = chain_marker_mode(ip);

			if (ip == CHAIN_USER_DEFERRED)
				break; /* its user part comes in a record of its own */
			if (next < 0) {
				if (!left)
					break;
				j->o->len = from; /* the marker is unknown */
				return;
			}
			mode = (unsigned)next;
			view = chain_view(j, views, mode);
			seed = view_seed(view);
			continue;
		}
		if (i == c->unwound)
			left = j->p->opts.max_stack;
		if (!left)
			continue;
		left--;
		t = find_text(&j->w->addresses, view, seed, ip);
		if (!t)
			t = add_line(j, &lines, mode, view, ip);
		found_lines_add(&lines, t);
		if (t->stop)
			break;
		if (lines.n == ARRAY_SIZE(lines.at))
			found_lines_copy(&lines, j->o);
	}
	found_lines_copy(&lines, j->o);
}

void print_chain(struct print_job *j)
{
	const struct chain_views *views = address_chain_views(j);
	struct chain_words c;

	if (!job_chain(j, &c))
		j->w->unwind_failed++;
	address_print_chain(j, &c, views);
}

void print_ip(struct print_job *j)
{
	const struct address_text *t;
	unsigned mode;

	if (j->event->chain) {
		out_char(j->o, '\n');
		print_chain(j);
		return;
	}
	mode = j->sample->misc & MISC_CPUMODE;
	t = address_text(j, mode, 0, job_view(j, mode, 0), j->sample->ip);
	out_mem(j->o, t->text, t->len);
}
