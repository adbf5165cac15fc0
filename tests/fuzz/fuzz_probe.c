/* Texts of probes, and texts from tracefs: the first byte selects the kind, the rest is the text. */
#include "base/out.h"
#include "probe/kernel_priv.h"
#include "probe/probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A definition that parses must be the same after printing and parsing again. */
static void definition(const char *text, struct arena *arena)
{
	struct probe_spec p;
	struct err e = { 0 };
	int rc = probe_spec_parse(&p, text, arena, &e);

	if (rc < 0 && !e.what[0])
		abort();
	for (size_t i = 0; !rc && i < p.args.len; i++)
		if (!p.args.items[i].variable == !p.args.items[i].raw)
			abort();
	probe_spec_release(&p);
}

static void listed(const char *text, bool user, struct arena *arena)
{
	struct trace_probe p, again;

	if (trace_probe_parse(&p, text, user, arena, NULL) == 0) {
		autofree char *line = trace_probe_format(&p);

		/* the second parse may differ only where the file name contains blanks */
		if (trace_probe_parse(&again, line, user, arena, NULL) == 0 && again.offset != p.offset)
			abort();
		trace_probe_release(&again);
	}
	trace_probe_release(&p);
}

static void pattern(const char *text, struct arena *arena)
{
	const char *bar = strchr(text, '|');

	if (bar)
		lazy_match(arena_strndup(arena, text, (size_t)(bar - text)), bar + 1);
}

static void kernel(const char *text, size_t len)
{
	struct kernel *k = kernel_new();
	const char *split = strstr(text, "\n\n");
	struct kernel_symbols found = { 0 };

	kernel_set(k, kallsyms_parse(text, split ? (size_t)(split - text) : len), split ? split + 2 : "");
	kernel_find(k, "f*", NULL, &found, NULL);
	kernel_find(k, "foo", "mod", &found, NULL);
	kernel_forbids(k, 0xffffffff81000010);
	kernel_near(k, "fop");
	vec_free(&found);
	kernel_free(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = size ? xstrndup((const char *)data + 1, size - 1) : NULL;
	struct arena arena = { 0 };
	struct trace_abilities a;
	struct name_filter *f;
	struct line_range r;

	if (!size)
		return 0;
	switch (data[0] % 8) {
	case 0: definition(text, &arena); break;
	case 1: listed(text, true, &arena); break;
	case 2: listed(text, false, &arena); break;
	case 3: line_range_parse(&r, text, &arena, NULL); break;
	case 4: pattern(text, &arena); break;
	case 5:
		f = name_filter_parse(text, NULL);
		if (f)
			name_filter_match(f, "tcp_sendmsg");
		name_filter_free(f);
		break;
	case 6: trace_abilities_parse(&a, text); break;
	default: kernel(text, strlen(text));
	}
	arena_release(&arena);
	return 0;
}
