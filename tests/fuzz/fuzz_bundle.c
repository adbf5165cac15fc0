/* The expanded bytes of a bundle, and each object in it: names, lines, inlined calls, code. Seeds: bundle_index(). */
#include "symbols/code/disasm.h"
#include "symbols/name/symbols_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	struct inline_frame frames[8];
	struct source_line line;
	struct code c;

	symbol_name(s, dso, dso_find(s, dso, dso_off));
	dso_find_after(s, dso, dso_off);
	dso_source_line(s, dso, dso_off, &line);
	dso_inlines(s, dso, dso_off, frames, 8, &line);
	dso_function(s, dso, dso_off);
	unwind_skips_caller(s, dso, dso_off);
	if (dso_code(s, dso, dso_address(s, dso, dso_off), 64, &c, NULL) == 0)
		code_release(&c);
}

static void ask_all(struct symbols *s, const struct bundle *b, const struct bundle_object *o)
{
	struct dso_args args = { .filename = bundle_text(b, o->name),
				 .pid = o->pid,
				 .exec = true,
				 .kernel = o->kind == DSO_KIND_KERNEL || o->kind == DSO_KIND_MODULE };
	uint32_t dso = symbols_dso(s, &args);

	for (uint64_t off = 0; off < 64; off += 3)
		ask(s, dso, off);
	for (uint32_t i = 0; i < MIN(o->n_places, 64) && o->place_rows; i++)
		ask(s, dso, o->place_rows[i].dso_off);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbols_opts opts = { .bundle = data, .bundle_len = size, .bundle_use = BUNDLE_ALONE, .foreign = true };
	struct symbols *s = symbols_new(&opts);
	struct bundle *b = symbols_bundle(s);
	size_t len;

	if (!b) {
		uint8_t *copy = xmalloc(size + 1);

		memcpy(copy, data, size);
		b = s->bundle->bundle = bundle_index(copy, size);
	}
	for (size_t i = 0; b && i < MIN(b->objects.len, 32); i++)
		ask_all(s, b, &b->objects.items[i]);
	symbols_bundled_source(s, "/a.c", &len);
	symbols_free(s);
	return 0;
}
