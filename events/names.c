/*
 * Names that need no PMU: hardware, software and tool events, and the triples of cache events.
 * Source: perf-list(1); perf_event_open(2), PERF_COUNT_*.
 *
 * To add an event: one row in the table of its kind. The index is the kernel's number, so keep the
 * kernel's order.
 */
#include <ctype.h>
#include <strings.h>

#include "base/opt.h"
#include "events/events_priv.h"

struct name_row {
	const char *name, *alias, *description;
};

static const struct name_row hardware[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { "cpu-cycles", "cycles",
				       "Cycles of the CPU's own clock, which follows its frequency" },
	[PERF_COUNT_HW_INSTRUCTIONS] = { "instructions", NULL, "Instructions that took effect" },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { "cache-references", NULL,
					     "Accesses to a cache, on most CPUs that of the last level" },
	[PERF_COUNT_HW_CACHE_MISSES] = { "cache-misses", NULL, "Accesses that this cache could not serve" },
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { "branch-instructions", "branches", "Branches that took effect" },
	[PERF_COUNT_HW_BRANCH_MISSES] = { "branch-misses", NULL, "Branches that went another way than predicted" },
	[PERF_COUNT_HW_BUS_CYCLES] = { "bus-cycles", NULL, "Cycles of the bus, at a fixed rate" },
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = { "stalled-cycles-frontend", "idle-cycles-frontend",
						    "Cycles in which no instruction came to be executed" },
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = { "stalled-cycles-backend", "idle-cycles-backend",
						   "Cycles in which instructions waited for memory or a unit of the "
						   "CPU" },
	[PERF_COUNT_HW_REF_CPU_CYCLES] = { "ref-cycles", NULL,
					   "Cycles of a clock that does not follow the CPU's frequency" },
};

static const struct name_row software[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = { "cpu-clock", NULL,
				      "Time of the CPU in nanoseconds, by a timer of high resolution" },
	[PERF_COUNT_SW_TASK_CLOCK] = { "task-clock", NULL,
				       "Time the task has run in nanoseconds, by a timer of high resolution" },
	[PERF_COUNT_SW_PAGE_FAULTS] = { "page-faults", "faults", "Page faults of all kinds" },
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = { "context-switches", "cs", "Switches from one task to another" },
	[PERF_COUNT_SW_CPU_MIGRATIONS] = { "cpu-migrations", "migrations", "Moves of a task to another CPU" },
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = { "minor-faults", NULL,
					    "Page faults that were served without reading from a disk" },
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = { "major-faults", NULL, "Page faults that had to wait for a disk" },
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = { "alignment-faults", NULL,
					     "Unaligned memory accesses that the kernel completed" },
	[PERF_COUNT_SW_EMULATION_FAULTS] = { "emulation-faults", NULL,
					     "Instructions that the kernel did in place of the CPU" },
	[PERF_COUNT_SW_DUMMY] = { "dummy", NULL, "Counts nothing; carries the records about tasks and maps" },
	[PERF_COUNT_SW_BPF_OUTPUT] = { "bpf-output", NULL, "Samples that BPF programs write" },
	[PERF_COUNT_SW_CGROUP_SWITCHES] = { "cgroup-switches", NULL, "Switches to a task of another control group" },
};

static const struct name_row tool[] = {
	[TOOL_NONE] = { "", NULL, NULL },
	[TOOL_DURATION_TIME] = { "duration_time", NULL, "Time passed, in nanoseconds" },
	[TOOL_USER_TIME] = { "user_time", NULL, "Time in user space, in nanoseconds" },
	[TOOL_SYSTEM_TIME] = { "system_time", NULL, "Time in the kernel, in nanoseconds" },
};

/*
 * Words for the parts of a cache event, the canonical one first; op words in plural and singular.
 * NULL ends a row.
 */
static const char *const caches[][6] = {
	{ "L1-dcache", "l1-d", "l1d", "L1-data" },
	{ "L1-icache", "l1-i", "l1i", "L1-instruction" },
	{ "LLC", "L2" },
	{ "dTLB", "d-tlb", "Data-TLB" },
	{ "iTLB", "i-tlb", "Instruction-TLB" },
	{ "branch", "branches", "bpu", "btb", "bpc" },
	{ "node" },
};
static const char *const ops[][5] = {
	{ "load", "loads", "read" },
	{ "store", "stores", "write" },
	{ "prefetch", "prefetches", "speculative-read", "speculative-load" },
};
static const char *const results[][5] = {
	{ "refs", "Reference", "ops", "access" },
	{ "misses", "miss" },
};
/* Valid ops of each cache: bit 0 read, 1 write, 2 prefetch. */
static const uint8_t valid_ops[] = { 7, 5, 7, 7, 1, 1, 7 };

static bool table_find(const struct name_row *rows, size_t n, const char *name, uint64_t *config)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].name[0] &&
		    (!strcasecmp(rows[i].name, name) || (rows[i].alias && !strcasecmp(rows[i].alias, name)))) {
			*config = i;
			return true;
		}
	}
	return false;
}

/*
 * Find the row with the longest word at the start of `text`, ended by '-' or the end. Return the
 * word's length, 0 if none.
 */
static size_t part_find(const char *const *words, size_t per_row, size_t n_rows, const char *text, unsigned *row)
{
	size_t best = 0;

	for (size_t i = 0; i < n_rows; i++) {
		for (size_t j = 0; j < per_row && words[i * per_row + j]; j++) {
			const char *word = words[i * per_row + j];
			size_t len = strlen(word);

			if (len > best && !strncasecmp(word, text, len) && (!text[len] || text[len] == '-')) {
				best = len;
				*row = (unsigned)i;
			}
		}
	}
	return best;
}
#define PART_FIND(table, text, row) part_find(&(table)[0][0], ARRAY_SIZE((table)[0]), ARRAY_SIZE(table), text, row)

/* Parse CACHE, then op and result in any order, each at most once. */
static bool cache_find(const char *name, uint64_t *config)
{
	unsigned cache, op = 0, result = 0, row;
	bool has_op = false, has_result = false;
	size_t len = PART_FIND(caches, name, &cache);
	const char *p = name + len;

	if (!len)
		return false;
	while (*p) {
		p++; /* the '-' */
		if (!has_op && (len = PART_FIND(ops, p, &row))) {
			has_op = true;
			op = row;
		} else if (!has_result && (len = PART_FIND(results, p, &row))) {
			has_result = true;
			result = row;
		} else {
			return false;
		}
		p += len;
	}
	if (!(valid_ops[cache] >> op & 1))
		return false;
	*config = cache | op << 8 | result << 16;
	return true;
}

bool name_find(const char *name, struct known_event *found)
{
	if (table_find(hardware, ARRAY_SIZE(hardware), name, &found->config)) {
		found->kind = NAME_HARDWARE;
		return true;
	}
	if (table_find(software, ARRAY_SIZE(software), name, &found->config)) {
		found->kind = NAME_SOFTWARE;
		return true;
	}
	if (table_find(tool, ARRAY_SIZE(tool), name, &found->config)) {
		found->kind = NAME_TOOL;
		return true;
	}
	found->kind = NAME_CACHE;
	return cache_find(name, &found->config);
}

bool name_is_raw(const char *name, uint64_t *config)
{
	size_t len = strlen(name);
	char *end;

	if (name[0] != 'r' || len < 2 || len > 17 || !isxdigit((unsigned char)name[1]))
		return false;
	*config = strtoull(name + 1, &end, 16);
	return !*end && name[2] != 'x' && name[2] != 'X'; /* strtoull would accept 0x */
}

const char *name_hardware(size_t i, const char **alias)
{
	*alias = i < ARRAY_SIZE(hardware) ? hardware[i].alias : NULL;
	return i < ARRAY_SIZE(hardware) ? hardware[i].name : NULL;
}

const char *name_software(size_t i, const char **alias)
{
	*alias = i < ARRAY_SIZE(software) ? software[i].alias : NULL;
	return i < ARRAY_SIZE(software) ? software[i].name : NULL;
}

const char *name_tool(size_t i) { return i + 1 < ARRAY_SIZE(tool) ? tool[i + 1].name : NULL; }

const char *name_description(enum name_kind kind, size_t i)
{
	switch (kind) {
	case NAME_HARDWARE: return i < ARRAY_SIZE(hardware) ? hardware[i].description : NULL;
	case NAME_SOFTWARE: return i < ARRAY_SIZE(software) ? software[i].description : NULL;
	case NAME_TOOL: return i + 1 < ARRAY_SIZE(tool) ? tool[i + 1].description : NULL;
	default: return NULL;
	}
}

const char *name_cache(size_t i, char *buf, size_t size)
{
	size_t cache = i / 6, op = i / 2 % 3;

	if (cache >= ARRAY_SIZE(caches))
		return NULL;
	if (!(valid_ops[cache] >> op & 1))
		return "";
	/* An access uses the plural of its op, a miss the singular. */
	snprintf(buf, size, "%s-%s%s", caches[cache][0], ops[op][i % 2 ? 0 : 1], i % 2 ? "-misses" : "");
	return buf;
}

const char *name_nearest(const char *word, const struct names *extra, struct arena *a)
{
	VEC(const char *) names = { 0 };
	const char *name, *alias, *nearest;
	char buf[64];

	for (size_t i = 0; (name = name_hardware(i, &alias)); i++) {
		if (alias)
			vec_push(&names, alias);
		vec_push(&names, name);
	}
	for (size_t i = 0; (name = name_software(i, &alias)); i++) {
		if (alias)
			vec_push(&names, alias);
		vec_push(&names, name);
	}
	for (size_t i = 0; (name = name_tool(i)); i++)
		vec_push(&names, name);
	for (size_t i = 0; (name = name_cache(i, buf, sizeof(buf))); i++)
		if (*name)
			vec_push(&names, arena_strdup(a, name));
	for (size_t i = 0; i < extra->len; i++)
		vec_push(&names, extra->items[i]);
	vec_push(&names, NULL);
	nearest = opt_nearest(word, names.items);
	vec_free(&names);
	return nearest;
}
