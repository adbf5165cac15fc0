/* Name the frames in stacks: find the names of an address, and clean up the text. */
#include "report/stacks/stacks_priv.h"

#include "base/sort/radix.h"

enum { INLINES_MAX = 128 };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Return the length of "foo" in "foo(int)". Keep Go's methods, "net/http.(*Client).Do", and unnamed namespaces. */
static size_t without_parameters(const char *name, size_t len)
{
	static const char unnamed[] = "(anonymous namespace)";
	const char *open = memmem(name, len, ".(", 2);

	if (open && memmem(open, len - (size_t)(open - name), ").", 2))
		return len;
	for (size_t i = 0; i < len; i++)
		if (name[i] == '(' && (len - i < sizeof(unnamed) - 1 || memcmp(name + i, unnamed, sizeof(unnamed) - 1)))
			return i;
	return len;
}

/* Add text for a line of frames: without ';' and quotes. */
static void add_plain(struct out *to, const char *name, size_t len)
{
	for (const char *from = name; from < name + len; from++)
		if (*from == ';')
			out_char(to, ':');
		else if (*from != '"' && *from != '\'')
			out_char(to, *from);
}

/* Add a function name without its parameters. */
static void tidy(struct out *to, const char *name, size_t len) { add_plain(to, name, without_parameters(name, len)); }

void stack_function_name(struct out *to, const char *symbol, const char *mark)
{
	const char *end = strstr(symbol, "->");
	struct out text;

	out_init_mem(&text);
	tidy(&text, symbol, end ? (size_t)(end - symbol) : strlen(symbol));
	out_str(&text, mark);
	out_name(to, out_text(&text));
	out_release(&text);
}

/* One frame of a place: a function, an inlined call, or an address without a symbol. */
struct frame_text {
	const struct map_hit *hit;
	uint32_t symbol;
	bool inlined;
	struct source_line line;
};

static enum stack_kind kind_of(struct symbols *s, const struct frame_text *f)
{
	const char *object = dso_name(s, f->hit->dso), *base = base_name(object);
	size_t len = strlen(object);

	if (f->hit->dso == DSO_UNKNOWN)
		return STACK_UNKNOWN;
	if (f->inlined)
		return STACK_INLINED;
	if (*object == '[' || (len >= 7 && !strcmp(object + len - 7, "vmlinux")))
		return STACK_KERNEL;
	if (dso_kind(s, f->hit->dso) == DSO_KIND_JIT || !strncmp(base, "jitted-", 7))
		return STACK_JIT;
	return f->symbol ? STACK_USER : STACK_UNKNOWN;
}

static const char *mark_of(const struct stacks_opts *o, enum stack_kind kind)
{
	return o->mark_kernel && kind == STACK_KERNEL ? "_[k]" : o->mark_jit && kind == STACK_JIT ? "_[j]" : "";
}

/* Queue the complete name in r->text. */
static void push_name(struct placer *r, const char *mark, enum stack_kind kind)
{
	size_t at = r->escaped.len;

	out_str(&r->text, mark);
	out_name(&r->escaped, out_text(&r->text));
	if (r->escaped.len > at)
		vec_push(&r->pending, (struct pending_name){ .at = at,
							     .len = r->escaped.len - at,
							     .kind = kind,
							     .order = (uint16_t)r->pending.len });
}

/*
 * stackcollapse-perf.pl reads "[unknown] (/tmp/x (deleted))" wrongly: it takes the last parenthesis
 * as the object and cuts the name "[unknown] (/tmp/x" at its parenthesis. as_script follows it
 * here. (The script would also keep offsets in function names, "f+0x10 "; we print plain names.)
 */
static bool splits(const char *object) { return strstr(object, " (") != NULL; }

static void name_unknown(struct placer *r, const struct frame_text *f, uint64_t address)
{
	enum stack_kind kind = kind_of(r->places->session->symbols, f);
	const char *object = base_name(dso_name(r->places->session->symbols, f->hit->dso));

	r->text.len = 0;
	if (r->places->opts->as_script && splits(dso_name(r->places->session->symbols, f->hit->dso))) {
		out_str(&r->text, "[unknown] ");
		push_name(r, "", kind);
		return;
	}
	out_char(&r->text, '[');
	if (f->hit->dso == DSO_UNKNOWN)
		out_str(&r->text, "unknown");
	else /* no function: parentheses in an object's name belong to the file */
		add_plain(&r->text, object, strlen(object));
	if (r->places->opts->addresses)
		out_fmt(&r->text, " <%llx>", (unsigned long long)address);
	out_char(&r->text, ']');
	push_name(r, mark_of(r->places->opts, kind), kind);
}

/* Queue the frames of a symbol. Some writers of map files print "a->b" for b inlined into a. */
static void name_known(struct placer *r, const struct frame_text *f, const char *name)
{
	const struct stacks_opts *o = r->places->opts;
	enum stack_kind kind = kind_of(r->places->session->symbols, f);
	const char *mark = mark_of(o, kind);

	if (*name == '(' && o->as_script)
		return;
	for (const char *end; *name; name = end) {
		end = strstr(name, "->");
		r->text.len = 0;
		tidy(&r->text, name, end ? (size_t)(end - name) : strlen(name));
		if (o->lines && f->line.file)
			out_fmt(&r->text, ":%s:%u", base_name(f->line.file), f->line.line);
		push_name(r, mark, kind);
		mark = "_[i]";
		kind = STACK_INLINED;
		end = end ? end + 2 : name + strlen(name);
	}
}

static void reverse(struct pending_name *names, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct pending_name name = names[i];

		names[i] = names[n - 1 - i];
		names[n - 1 - i] = name;
	}
}

static void push_frame(struct placer *r, const struct frame_text *f, const char *name)
{
	r->text.len = 0;
	out_str(&r->text, name);
	push_name(r, "", kind_of(r->places->session->symbols, f));
	if (r->pending.len)
		r->pending.items[r->pending.len - 1].line = f->line;
}

/* Queue the frames of an address for exports: the whole name of the function, then the inlined calls. */
static void describe_frames(struct placer *r, const struct map_hit *hit, uint32_t symbol)
{
	struct symbols *s = r->places->session->symbols;
	struct frame_text f = { .hit = hit, .symbol = symbol };
	struct inline_frame frames[INLINES_MAX];
	char address[24];
	size_t n = 0;

	vec_clear(&r->pending);
	r->escaped.len = 0;
	if (symbol && r->places->opts->inlines)
		n = dso_inlines(s, hit->dso, hit->dso_off, frames, INLINES_MAX, &f.line);
	else if (symbol && !r->places->opts->no_lines)
		dso_source_line(s, hit->dso, hit->dso_off, &f.line);
	snprintf(address, sizeof(address), "%#llx", (unsigned long long)hit->dso_off);
	push_frame(r, &f, symbol ? symbol_name(s, hit->dso, symbol) : address);
	if (!symbol)
		r->pending.items[0].kind = STACK_UNKNOWN;
	f.inlined = true;
	while (n-- > 0) {
		f.line = frames[n].at;
		push_frame(r, &f, frames[n].name ? frames[n].name : "[unknown]");
	}
}

/* Queue all frames of an address in r->pending, outermost first. */
static void describe(struct placer *r, const struct map_hit *hit, uint32_t symbol, uint64_t ip, bool itself)
{
	struct symbols *s = r->places->session->symbols;
	const struct stacks_opts *o = r->places->opts;
	struct frame_text real = { .hit = hit, .symbol = symbol };
	struct inline_frame frames[INLINES_MAX];
	size_t n = 0;

	vec_clear(&r->pending);
	r->escaped.len = 0;
	if (symbol && o->inlines)
		n = dso_inlines(s, hit->dso, hit->dso_off, frames, INLINES_MAX, o->lines ? &real.line : NULL);
	if (symbol && !n && o->lines)
		dso_source_line(s, hit->dso, hit->dso_off, &real.line);
	if (itself && n) { /* the sampled address has the line of the innermost inlined call */
		real.line = frames[0].at;
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		size_t from = r->pending.len;

		name_known(r,
			   &(struct frame_text){
				   .hit = hit, .symbol = symbol, .inlined = frames[i].name, .line = frames[i].at },
			   frames[i].name ? frames[i].name : symbol_name(s, hit->dso, symbol));
		reverse(r->pending.items + from, r->pending.len - from);
	}
	n = r->pending.len;
	if (symbol)
		name_known(r, &real, symbol_name(s, hit->dso, symbol));
	else
		name_unknown(r, &real, itself ? hit->dso_off : ip);
	reverse(r->pending.items + n, r->pending.len - n);
	reverse(r->pending.items, r->pending.len);
}

static bool same_place(const struct places *p, const struct named_place *a, uint32_t dso,
		       const struct place_name *names, size_t n)
{
	const struct place_name *others = p->names.items + a->first;

	if (a->dso != dso || a->n != n || p->opts->frames) /* with frames, no two places are the same */
		return false;
	for (size_t i = 0; i < n; i++)
		if (others[i].text != names[i].text || others[i].kind != names[i].kind ||
		    others[i].order != names[i].order)
			return false;
	return true;
}

/* Return the place with these frames. The caller holds the lock. */
static uint32_t intern(struct placer *r, uint32_t dso)
{
	struct places *p = r->places;
	size_t first = p->names.len, n = r->pending.len;
	uint64_t hash = dso;
	struct idtable_probe probe;
	uint32_t id;

	for (size_t i = 0; i < n; i++) {
		const struct pending_name *name = &r->pending.items[i];

		vec_push(&p->names, (struct place_name){
					    .text = strtab_intern_len(&p->texts, r->escaped.buf + name->at, name->len),
					    .kind = name->kind,
					    .order = name->order,
					    .file = strtab_intern(&p->texts, name->line.file ? name->line.file : ""),
					    .line = name->line.line });
		hash = hash_mix(hash, (uint64_t)p->names.items[first + i].text << 32 | name->kind);
	}
	probe = idtable_probe(&p->index, hash);
	while ((id = idtable_next(&p->index, &probe))) {
		if (same_place(p, &p->items.items[id], dso, p->names.items + first, n)) {
			p->names.len = first;
			return id;
		}
	}
	vec_push(&p->items, (struct named_place){ .first = (uint32_t)first, .n = (uint32_t)n, .dso = dso });
	id = (uint32_t)p->items.len - 1;
	idtable_add(&p->index, hash, id);
	return id;
}

static void meet(struct place_met *to, const struct place_met *m)
{
	if (!to->least || m->start < to->start || (m->start == to->start && m->length < to->length)) {
		to->start = m->start;
		to->length = m->length;
		to->pgoff = m->pgoff;
	}
	if (!to->least || m->least < to->least)
		to->least = m->least;
}

static uint32_t met(struct placer *r, uint32_t place, const struct map_hit *hit)
{
	if (r->met.len <= place)
		vec_add(&r->met, place + 1 - r->met.len);
	meet(&r->met.items[place],
	     &(struct place_met){
		     .least = hit->dso_off + 1, .start = hit->start, .length = hit->len, .pgoff = hit->pgoff });
	return place;
}

/*
 * Find the place of an address that does not share the place of its function: it has inlined calls or a line, or no
 * symbol. Describe it only once for all workers.
 */
static uint32_t find_by_offset(struct placer *r, const struct map_hit *hit, uint64_t ip, bool itself)
{
	struct places *p = r->places;
	uint64_t hash =
		hash_mix(hash_mix(hit->dso, hit->dso_off), (hit->dso && !p->opts->addresses ? 0 : ip) << 1 | itself);
	struct idtable_probe probe;
	uint32_t id, symbol;

	pthread_mutex_lock(&p->lock);
	probe = idtable_probe(&p->by_offset, hash);
	id = idtable_next(&p->by_offset, &probe);
	pthread_mutex_unlock(&p->lock);
	if (id)
		return id;
	symbol = hit->dso ? dso_find(p->session->symbols, hit->dso, hit->dso_off) : 0;
	if (p->opts->frames)
		describe_frames(r, hit, symbol);
	else
		describe(r, hit, symbol, ip, itself);
	pthread_mutex_lock(&p->lock);
	probe = idtable_probe(&p->by_offset, hash);
	id = idtable_next(&p->by_offset, &probe);
	if (!id) { /* no other worker has described it meanwhile */
		id = intern(r, hit->dso);
		idtable_add(&p->by_offset, hash, id);
	}
	pthread_mutex_unlock(&p->lock);
	return id;
}

static uint32_t find_by_symbol(struct placer *r, const struct map_hit *hit, uint64_t ip, bool itself)
{
	struct places *p = r->places;
	uint32_t symbol = hit->dso ? dso_find(p->session->symbols, hit->dso, hit->dso_off) : 0, *known, id;

	if (!symbol && p->opts->addresses)
		return find_by_offset(r, hit, ip, itself);
	known = u64map_put(&r->by_symbol, (uint64_t)hit->dso << 32 | symbol, NULL);
	if (*known)
		return *known - 1;
	describe(r, hit, symbol, ip, itself);
	pthread_mutex_lock(&p->lock);
	id = intern(r, hit->dso);
	pthread_mutex_unlock(&p->lock);
	*known = id + 1;
	return id;
}

uint32_t placer_find(struct placer *r, const struct map_hit *hit, uint64_t ip, bool itself)
{
	const struct stacks_opts *o = r->places->opts;

	itself &= !o->frames;
	return met(r, (o->inlines || o->lines || o->frames ? find_by_offset : find_by_symbol)(r, hit, ip, itself), hit);
}

/* ---- life ---- */

void places_init(struct places *p, struct session *s, const struct stacks_opts *opts)
{
	*p = (struct places){ .session = s, .opts = opts };
	pthread_mutex_init(&p->lock, NULL);
	vec_add(&p->items, 1);
}

void places_release(struct places *p)
{
	pthread_mutex_destroy(&p->lock);
	strtab_free(&p->texts);
	vec_free(&p->names);
	vec_free(&p->items);
	idtable_free(&p->index);
	idtable_free(&p->by_offset);
}

void placer_init(struct placer *r, struct places *p)
{
	*r = (struct placer){ .places = p };
	out_init_mem(&r->text);
	out_init_mem(&r->escaped);
}

void placer_release(struct placer *r)
{
	u64map_free(&r->by_symbol);
	vec_free(&r->met);
	vec_free(&r->pending);
	out_release(&r->text);
	out_release(&r->escaped);
}

/* ---- numbers of names ---- */

uint32_t stacks_name(struct stacks *st, const char *text, enum stack_kind kind, const char *object)
{
	uint32_t id = strtab_intern(&st->texts, text);

	if (id && id >= st->names.len) {
		vec_add(&st->names, id + 1 - st->names.len);
		st->names.items[id] =
			(struct stack_name){ .text = strtab_get(&st->texts, id),
					     .len = (uint32_t)strlen(text),
					     .kind = kind,
					     .object = strtab_get(&st->objects, strtab_intern(&st->objects, object)) };
	}
	return id;
}

struct place_met place_met(uint32_t place, struct placer *const *placers, size_t n)
{
	struct place_met all = { 0 };

	for (size_t i = 0; i < n; i++)
		if (place < placers[i]->met.len && placers[i]->met.items[place].least)
			meet(&all, &placers[i]->met.items[place]);
	return all;
}

/* Sort the names by object, offset and order; the radix sort starts with the last of these. */
void places_sort(const struct places *p, struct placer *const *placers, size_t n_placers, struct radix_item *items)
{
	autofree struct radix_item *spare = xmalloc(p->names.len * sizeof(*spare) + 1);
	autofree uint32_t *place_of = xmalloc(p->names.len * sizeof(*place_of) + 1);
	autofree uint64_t *least = xmalloc(p->items.len * sizeof(*least));

	for (uint32_t i = 1; i < p->items.len; i++) {
		least[i] = place_met(i, placers, n_placers).least;
		for (uint32_t k = 0; k < p->items.items[i].n; k++)
			place_of[p->items.items[i].first + k] = i;
	}
	for (uint32_t i = 0; i < p->names.len; i++)
		items[i] = (struct radix_item){ .key = p->names.items[i].order, .value = i };
	radix_sort(items, spare, p->names.len);
	for (size_t i = 0; i < p->names.len; i++)
		items[i].key = least[place_of[items[i].value]];
	radix_sort(items, spare, p->names.len);
	for (size_t i = 0; i < p->names.len; i++)
		items[i].key = p->items.items[place_of[items[i].value]].dso;
	radix_sort(items, spare, p->names.len);
}

uint32_t *places_number(const struct places *p, struct placer *const *placers, size_t n, struct stacks *st)
{
	autofree struct radix_item *items = xmalloc(p->names.len * sizeof(*items) + 1);
	uint32_t *numbers = xcalloc(p->names.len + 1, sizeof(*numbers));

	places_sort(p, placers, n, items);
	for (size_t i = 0; i < p->names.len; i++) {
		const struct place_name *name = &p->names.items[items[i].value];

		numbers[items[i].value] = stacks_name(st, strtab_get(&p->texts, name->text), name->kind,
						      base_name(dso_name(p->session->symbols, (uint32_t)items[i].key)));
	}
	return numbers;
}

void task_name(const struct session *s, const struct stacks_opts *o, uint32_t comm, int32_t pid, int32_t tid,
	       struct out *to)
{
	char buf[16];

	to->len = 0;
	out_name(to, session_comm(s, comm, buf));
	for (size_t i = 0; i < to->len; i++)
		to->buf[i] = to->buf[i] == ' ' ? '_' : to->buf[i] == ';' ? ':' : to->buf[i];
	if (o->pid || o->tid)
		out_fmt(to, "-%d", pid);
	if (o->tid)
		out_fmt(to, "/%d", tid);
}
