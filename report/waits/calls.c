#include "report/waits/calls.h"

enum { INLINES_MAX = 64 }; /* inlined calls at one address */

static void add_inlined(struct calls *f, struct session *s, const struct map_hit *hit, uint64_t address, bool kernel,
			size_t max)
{
	struct inline_frame inlined[INLINES_MAX];
	size_t n = dso_inlines(s->symbols, hit->dso, hit->dso_off, inlined, INLINES_MAX, NULL);

	for (size_t i = 0; i < n && f->len < max; i++)
		vec_push(f, (struct call){ .name = inlined[i].name,
					   .address = address,
					   .dso = hit->dso,
					   .kernel = kernel,
					   .inlined = true });
}

/* Add the frames of an address. `back`: 1 for a return address, which may be after the end of the calling function. */
static void add(struct calls *f, struct session *s, const struct trace_event *t, unsigned mode, uint64_t address,
		uint64_t back, bool inlines, size_t max)
{
	bool kernel = mode == CPUMODE_KERNEL || mode == CPUMODE_GUEST_KERNEL;
	struct call frame = { .address = address, .kernel = kernel };
	struct map_hit hit;
	uint32_t symbol = 0;

	if (session_find(s, &t->task, t->moment, mode, address - back, &hit)) {
		frame.dso = hit.dso;
		symbol = dso_find(s->symbols, hit.dso, hit.dso_off);
	}
	if (inlines && frame.dso && !kernel)
		add_inlined(f, s, &hit, address, kernel, max);
	if (symbol) {
		frame.name = symbol_name(s->symbols, hit.dso, symbol);
		frame.offset = dso_address(s->symbols, hit.dso, hit.dso_off) + back -
			       dso_symbol(s->symbols, hit.dso, symbol)->start;
	}
	if (f->len < max)
		vec_push(f, frame);
}

bool calls_has_chain(const struct sample *sample) { return sample->n_chain || sample->stack_user.dyn_size; }

size_t calls_of(struct calls *f, struct session *s, const struct trace_event *t, size_t max, bool inlines)
{
	struct chain_place place = {
		.sample = &t->sample, .task = &t->task, .pos = t->pos, .moment = t->moment, .max = max
	};
	struct chain_words chain = { 0 };
	unsigned mode = CPUMODE_USER;
	bool first = true;

	vec_clear(f);
	if (!calls_has_chain(&t->sample) || !chain_of_sample(s, &place, &f->buffer, &chain))
		return 0;
	for (uint64_t i = 0; i < chain.n && f->len < max; i++) {
		uint64_t word = load_u64(chain.words + 8 * i);
		int marked;

		if (word < CHAIN_MARKER_MIN) {
			add(f, s, t, mode, word, first ? 0 : 1, inlines, max);
			first = false;
			continue;
		}
		marked = chain_marker_mode(word);
		if (marked < 0)
			break;
		mode = (unsigned)marked;
		first = true;
	}
	return f->len;
}

void call_text(const struct call *c, struct out *o)
{
	if (!c->name) {
		out_str(o, "0x");
		out_hex(o, c->address);
		return;
	}
	out_name(o, c->name);
	if (c->offset) {
		out_str(o, "+0x");
		out_hex(o, c->offset);
	}
}

void calls_text(const struct calls *f, bool kernel, struct out *o)
{
	for (size_t i = 0; i < f->len; i++) {
		const struct call *c = &f->items[i];

		if (c->kernel && !kernel)
			continue;
		out_fmt(o, "\t\t\t0x%llx  ", (unsigned long long)c->address);
		if (c->name)
			call_text(c, o);
		out_char(o, '\n');
	}
}

void calls_release(struct calls *f)
{
	vec_free(f);
	vec_free(&f->buffer);
}
