/*
 * The checks of `strobe test` in the installed program. The test suite of the sources is much
 * larger.
 */
#include "cmd/test/workloads_priv.h"

#include <limits.h>

#include "base/say.h"
#include "events/events.h"
#include "symbols/symbols.h"

/* Find the line of /proc/self/maps with this address: its file and its offset there. */
static bool find_map(uintptr_t address, uint64_t *offset, char path[PATH_MAX])
{
	FILE *maps = fopen("/proc/self/maps", "re");
	autofree char *line = NULL;
	size_t cap = 0;
	bool found = false;

	while (maps && !found && getline(&line, &cap, maps) > 0) {
		unsigned long long start, end, at;
		int name = 0;

		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &start, &end, &at, &name) < 3 || !name)
			continue;
		if (address < start || address >= end)
			continue;
		*offset = address - start + at;
		snprintf(path, PATH_MAX, "%.*s", (int)strcspn(line + name, "\n"), line + name);
		found = true;
	}
	if (maps)
		fclose(maps);
	return found;
}

static int find_name(struct symbols *s, const struct workload_symbol *w, struct err *e)
{
	struct dso_args object = { .exec = true };
	char path[PATH_MAX];
	uint64_t offset;
	const char *name;
	uint32_t dso, symbol;

	if (!find_map((uintptr_t)w->address, &offset, path))
		return err_set(e, "address %p of '%s' is in none of our maps", w->address, w->name);
	object.filename = path;
	dso = symbols_dso(s, &object);
	symbol = dso_find(s, dso, offset);
	name = symbol ? symbol_name(s, dso, symbol) : NULL;
	if (verbosity())
		say("  %#llx %s", (unsigned long long)offset, name ? name : dso_problem(s, dso));
	if (name && !strcmp(name, w->name))
		return 0;
	err_set(e, "the name of '%s' at %#llx in '%s' is '%s'", w->name, (unsigned long long)offset, path,
		name ? name : "[unknown]");
	return err_why(e, "%s", dso_problem(s, dso) ? dso_problem(s, dso) : "another symbol lies there");
}

/* Addresses of this program must get the names that the compiler gave them. */
static int test_symbols(struct err *e)
{
	const struct symbols_opts opts = { .buildid_dir = "/dev/null" };
	struct symbols *s = symbols_new(&opts);
	int result = 0;

	for (const struct workload_symbol *w = workload_symbols; w->name && !result; w++)
		result = find_name(s, w, e);
	symbols_free(s);
	return result;
}

const struct self_test self_tests[] = {
	{ "Symbols", "functions and data of this program are found by their addresses", test_symbols },
	{ 0 },
};
