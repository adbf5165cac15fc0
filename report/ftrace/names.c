#include "report/ftrace/names.h"

#include "base/search.h"

enum { GAP_MAX = 1 << 20, CACHE_MAX = 1 << 20 };

struct span {
	uint64_t start, end;
};

struct ftrace_names {
	struct kallsyms *k;
	uint32_t *order; /* indices of functions in k->symbols, by address */
	size_t n;
	VEC(struct span) modules; /* by address; empty if they are unknown */
	struct u64map cache;      /* address -> index in order + 1, 0 = none */
	struct strtab ids;
};

static const struct kallsyms *sorting; /* an argument for the comparison of qsort; used during one call */

static int by_address(const void *a, const void *b)
{
	const struct kallsym *x = &sorting->symbols.items[*(const uint32_t *)a];
	const struct kallsym *y = &sorting->symbols.items[*(const uint32_t *)b];

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Parse lines "ext4 983040 1 - Live 0xffffffffc0400000". Source: proc_modules(5). */
static void read_modules(struct ftrace_names *n, const char *text)
{
	for (const char *line = text, *next; line && *line; line = next) {
		unsigned long long size, at;

		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		if (sscanf(line, "%*s %llu %*s %*s %*s 0x%llx", &size, &at) == 2 && at)
			vec_push(&n->modules, (struct span){ at, at + size });
	}
	if (n->modules.len)
		qsort(n->modules.items, n->modules.len, sizeof(*n->modules.items), by_start);
}

struct ftrace_names *ftrace_names_new(struct kallsyms *k, const char *modules)
{
	struct ftrace_names *n = xcalloc(1, sizeof(*n));

	n->k = k;
	n->order = xcalloc(k->symbols.len + 1, sizeof(*n->order));
	for (size_t i = 0; i < k->symbols.len; i++) {
		char type = k->symbols.items[i].type | 0x20;

		if ((type == 't' || type == 'w') && k->symbols.items[i].address)
			n->order[n->n++] = (uint32_t)i;
	}
	sorting = k;
	qsort(n->order, n->n, sizeof(*n->order), by_address);
	if (modules)
		read_modules(n, modules);
	return n;
}

void ftrace_names_free(struct ftrace_names *n)
{
	if (!n)
		return;
	kallsyms_free(n->k);
	free(n->order);
	vec_free(&n->modules);
	u64map_free(&n->cache);
	strtab_free(&n->ids);
	free(n);
}

static const struct kallsym *symbol_at(const struct ftrace_names *n, size_t i)
{
	return &n->k->symbols.items[n->order[i]];
}

static const char *module_of(const struct ftrace_names *n, const struct kallsym *s)
{
	return s->module ? n->k->text.items + n->k->modules.items[s->module] : NULL;
}

/* Does the module of this symbol reach as far as the address? */
static bool reaches(const struct ftrace_names *n, const struct kallsym *s, uint64_t address)
{
	if (!s->module || !n->modules.len)
		return address - s->address < GAP_MAX;
	for (size_t i = n->modules.len; i-- > 0;)
		if (n->modules.items[i].start <= s->address)
			return address < n->modules.items[i].end;
	return true;
}

/*
 * Return the symbol that contains this address: its index + 1, 0 = none. If several symbols have the same address,
 * return the first, as the kernel does.
 */
static uint32_t search(const struct ftrace_names *n, uint64_t address, bool all)
{
	size_t low = search_count(i, n->n, symbol_at(n, i)->address <= address);
	const char *module;

	if (!low)
		return 0;
	low--;
	while (low && symbol_at(n, low - 1)->address == symbol_at(n, low)->address)
		low--;
	/* the kernel's own output does not use the names of code that the kernel makes at run time */
	module = module_of(n, symbol_at(n, low));
	if ((!all && module && !strncmp(module, "[__builtin__", 12)) || !reaches(n, symbol_at(n, low), address))
		return 0;
	return (uint32_t)low + 1;
}

static uint32_t find(struct ftrace_names *n, uint64_t address)
{
	uint32_t *slot;
	bool is_new;

	if (!n)
		return 0;
	if (n->cache.len >= CACHE_MAX)
		u64map_free(&n->cache);
	slot = u64map_put(&n->cache, address, &is_new);
	if (is_new)
		*slot = search(n, address, false);
	return *slot;
}

/* Fill `found` for the symbol with the index `at` - 1; at = 0: there is none. */
static bool take(const struct ftrace_names *n, uint32_t at, uint64_t address, struct ftrace_name *found)
{
	const struct kallsym *s;

	if (!at)
		return false;
	s = symbol_at(n, at - 1);
	*found = (struct ftrace_name){ n->k->text.items + s->name, module_of(n, s), address - s->address };
	return true;
}

bool ftrace_names_find(struct ftrace_names *n, uint64_t address, struct ftrace_name *found)
{
	return take(n, find(n, address), address, found);
}

bool ftrace_names_find_all(const struct ftrace_names *n, uint64_t address, struct ftrace_name *found)
{
	return n && take(n, search(n, address, true), address, found);
}

void ftrace_names_print(struct ftrace_names *n, uint64_t address, bool with_module, struct out *o)
{
	struct ftrace_name name;

	if (!ftrace_names_find(n, address, &name)) {
		out_str(o, "0x");
		out_hex_pad(o, address, 8, '0');
		return;
	}
	out_name(o, name.name);
	if (with_module && name.module) {
		out_char(o, ' ');
		out_name(o, name.module);
	}
}

uint64_t ftrace_names_address(const struct ftrace_names *n, const char *name)
{
	for (size_t i = 0; n && i < n->k->symbols.len; i++)
		if (!n->k->symbols.items[i].module && !strcmp(n->k->text.items + n->k->symbols.items[i].name, name))
			return n->k->symbols.items[i].address;
	return 0;
}

uint32_t ftrace_names_id(struct ftrace_names *n, uint64_t address)
{
	struct ftrace_name name;
	char text[32];

	if (ftrace_names_find(n, address, &name))
		return strtab_intern(&n->ids, name.name);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	return strtab_intern(&n->ids, text);
}

const char *ftrace_names_text(const struct ftrace_names *n, uint32_t id) { return strtab_get(&n->ids, id); }
