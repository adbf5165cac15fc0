/*
 * Source: proc_kallsyms(5); Documentation/trace/kprobes.rst, "The kprobes debugfs interface" and
 * "Blacklist".
 */
#include "probe/kernel_priv.h"

#include <errno.h>
#include <fnmatch.h>

#include "base/file.h"
#include "base/opt.h"
#include "events/events.h"

enum { MAX_BLACKLIST = 4 << 20, MAX_NEAR = 200000 };

struct forbidden {
	uint64_t start, end;
	const char *why;
};
static const char in_blacklist[] =
	"the kernel allows no probes there (kprobes/blacklist): they would run inside of the "
	"handling of probes";
static const char init_code[] = "it was only needed while the kernel started, and is gone";

struct kernel {
	struct kallsyms *symbols;
	VEC(struct forbidden) forbidden;
	bool forbidden_read;
	struct arena arena;
};

struct kernel *kernel_new(void) { return xcalloc(1, sizeof(struct kernel)); }

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	kallsyms_free(k->symbols);
	vec_free(&k->forbidden);
	arena_release(&k->arena);
	free(k);
}

static int load(struct kernel *k, struct err *e)
{
	if (!k->symbols)
		k->symbols = kallsyms_read("/proc/kallsyms");
	if (k->symbols->hidden) {
		advice_kallsyms(k->symbols->symbols.len ? EPERM : ENOENT, e);
		return err_exit(e, EXIT_NOT_FOUND);
	}
	return 0;
}

static const char *name_of(const struct kernel *k, const struct kallsym *s) { return k->symbols->text.items + s->name; }

/* Return "ext4" for "[ext4]"; NULL for the kernel itself. */
static const char *module_of(struct kernel *k, const struct kallsym *s)
{
	const char *text = s->module ? k->symbols->text.items + k->symbols->modules.items[s->module] : NULL;
	size_t len = text ? strlen(text) : 0;

	if (!len)
		return NULL;
	return text[0] == '[' && text[len - 1] == ']' ? arena_strndup(&k->arena, text + 1, len - 2) : text;
}

static bool is_code(const struct kallsym *s) { return strchr("tTwW", s->type) != NULL; }

bool module_name_begins(const char *text, const char *name)
{
	for (; *name; text++, name++)
		if (*text != *name && !((*text == '-' || *text == '_') && (*name == '-' || *name == '_')))
			return false;
	return true;
}

static bool same_module(const char *a, const char *b) { return module_name_begins(a, b) && strlen(a) == strlen(b); }

/* Return true for a compiler's copy of a function that does not exist otherwise. */
static bool is_suffixed(const char *symbol, const char *name, size_t len)
{
	static const char *const suffixes[] = { ".isra.", ".constprop.", ".part.", ".llvm." };

	if (strncmp(symbol, name, len))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (!strncmp(symbol + len, suffixes[i], strlen(suffixes[i])) && !strstr(symbol, ".cold"))
			return true;
	return false;
}

static void add(struct kernel *k, const struct kallsym *s, struct kernel_symbols *out)
{
	vec_push(out,
		 (struct kernel_symbol){ .name = name_of(k, s), .module = module_of(k, s), .address = s->address });
}

enum name_match { MATCH_EXACT, MATCH_GLOB, MATCH_SUFFIX };

static void collect(struct kernel *k, const char *name, const char *module, enum name_match how, bool data,
		    struct kernel_symbols *out)
{
	size_t len = name ? strlen(name) : 0;

	for (size_t i = 0; i < k->symbols->symbols.len; i++) {
		const struct kallsym *s = &k->symbols->symbols.items[i];
		const char *text = name_of(k, s);

		if (!data && !is_code(s))
			continue;
		if (name && (how == MATCH_EXACT  ? strcmp(text, name)
			     : how == MATCH_GLOB ? fnmatch(name, text, 0)
						 : !is_suffixed(text, name, len)))
			continue;
		if (module && (!s->module || !same_module(module_of(k, s), module)))
			continue;
		add(k, s, out);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/*
 * Count how often each name occurs and find the start of the symbol behind each, in one pass over
 * all symbols.
 */
static void complete(struct kernel *k, struct kernel_symbols *out)
{
	if (out->len)
		qsort(out->items, out->len, sizeof(out->items[0]), by_address);
	for (size_t i = 0; i < k->symbols->symbols.len && out->len <= 1024; i++) {
		const struct kallsym *s = &k->symbols->symbols.items[i];

		for (size_t j = 0; j < out->len; j++) {
			struct kernel_symbol *x = &out->items[j];

			if (s->address > x->address && (!x->end || s->address < x->end) && is_code(s))
				x->end = s->address;
			if (s->address != x->address && is_code(s) && !strcmp(name_of(k, s), x->name) &&
			    !s->module == !x->module)
				x->ambiguous = true;
		}
	}
}

int kernel_find(struct kernel *k, const char *name, const char *module, struct kernel_symbols *out, struct err *e)
{
	if (load(k, e) < 0)
		return -1;
	collect(k, name, module, strpbrk(name, "*?[") ? MATCH_GLOB : MATCH_EXACT, false, out);
	if (!out->len)
		collect(k, name, module, MATCH_SUFFIX, false, out);
	complete(k, out);
	return 0;
}

int kernel_names(struct kernel *k, const char *module, struct kernel_symbols *out, struct err *e)
{
	if (load(k, e) < 0)
		return -1;
	collect(k, NULL, module, MATCH_GLOB, true, out);
	return 0;
}

const char *kernel_near(struct kernel *k, const char *name)
{
	VEC(const char *) names = { 0 };
	size_t len = strlen(name);
	const char *near;

	if (load(k, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < k->symbols->symbols.len && names.len < MAX_NEAR; i++) {
		const struct kallsym *s = &k->symbols->symbols.items[i];
		size_t l = strlen(name_of(k, s));

		if (is_code(s) && l + 3 > len && l < len + 3)
			vec_push(&names, name_of(k, s));
	}
	vec_push(&names, NULL);
	near = opt_nearest(name, names.items);
	vec_free(&names);
	return near;
}

bool kernel_address_of(struct kernel *k, const char *name, uint64_t *address)
{
	if (load(k, NULL) < 0)
		return false;
	for (size_t i = 0; i < k->symbols->symbols.len; i++)
		if (!strcmp(name_of(k, &k->symbols->symbols.items[i]), name)) {
			*address = k->symbols->symbols.items[i].address;
			return true;
		}
	return false;
}

/* ---- where probes are forbidden ---- */

static void parse_blacklist(struct kernel *k, const char *text)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		char *end;
		uint64_t start = strtoull(line, &end, 16), stop;

		if (*end != '-')
			continue;
		stop = strtoull(end + 1, &end, 16);
		if (start && start <= stop) /* hidden addresses are 0 */
			vec_push(&k->forbidden, (struct forbidden){ start, MAX(stop, start + 1), in_blacklist });
	}
}

static void add_section(struct kernel *k, const char *from, const char *to, const char *why)
{
	uint64_t start, end;

	if (kernel_address_of(k, from, &start) && kernel_address_of(k, to, &end) && start < end)
		vec_push(&k->forbidden, (struct forbidden){ start, end, why });
}

/* Look up the sections once: each takes a search through all symbols, and a glob may stand for thousands of places. */
static void add_sections(struct kernel *k)
{
	add_section(k, "__kprobes_text_start", "__kprobes_text_end", in_blacklist);
	add_section(k, "__entry_text_start", "__entry_text_end", in_blacklist);
	add_section(k, "__noinstr_text_start", "__noinstr_text_end", in_blacklist);
	add_section(k, "_sinittext", "_einittext", init_code);
}

void kernel_set(struct kernel *k, struct kallsyms *symbols, const char *blacklist)
{
	k->symbols = symbols;
	k->forbidden_read = true;
	parse_blacklist(k, blacklist);
	add_sections(k);
}

const char *kernel_forbids(struct kernel *k, uint64_t address)
{
	if (!k->forbidden_read) {
		autofree char *text = file_read("/sys/kernel/debug/kprobes/blacklist", MAX_BLACKLIST, NULL, NULL);

		k->forbidden_read = true;
		if (text)
			parse_blacklist(k, text);
		add_sections(k);
	}
	for (size_t i = 0; i < k->forbidden.len; i++)
		if (address >= k->forbidden.items[i].start && address < k->forbidden.items[i].end)
			return k->forbidden.items[i].why;
	return NULL;
}
