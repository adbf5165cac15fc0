/* List all events of this machine by name. */
#include <errno.h>

#include "events/event_files_priv.h"

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[KIND_COUNT] = {
		[KIND_HARDWARE] = "Hardware event",
		[KIND_SOFTWARE] = "Software event",
		[KIND_TOOL] = "Tool event",
		[KIND_CACHE] = "Hardware cache event",
		[KIND_PMU] = "Kernel PMU event",
		[KIND_VENDOR] = "Vendor PMU event",
		[KIND_RAW] = "Raw hardware event descriptor",
		[KIND_BREAKPOINT] = "Hardware breakpoint",
		[KIND_TRACEPOINT] = "Tracepoint event",
		[KIND_SDT] = "SDT event",
	};

	return names[kind];
}

static struct listed_event *add(struct event_catalogue *c, enum event_kind kind, const char *name)
{
	struct listed_event *event = vec_add(&c->events, 1);

	event->kind = kind;
	event->name = name;
	event->scale = 1;
	return event;
}

/*
 * Return true if a counter exists. If the user may not measure, the event is listed all the same.
 */
static bool answers(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type, .config = config };
	int fd;

	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return true;
}

static void read_hardware(struct event_catalogue *c)
{
	const char *name, *alias;

	for (size_t i = 0; (name = name_hardware(i, &alias)); i++) {
		struct listed_event *event;

		if (!answers(PERF_TYPE_HARDWARE, i))
			continue;
		event = add(c, KIND_HARDWARE, name);
		event->alias = alias;
		event->pmu = "cpu";
		event->encoding = arena_printf(&c->arena, "cpu/%s/", name);
		event->description = name_description(NAME_HARDWARE, i);
	}
}

static void read_software(struct event_catalogue *c)
{
	const char *name, *alias;

	for (size_t i = 0; (name = name_software(i, &alias)); i++) {
		struct listed_event *event = add(c, KIND_SOFTWARE, name);

		event->alias = alias;
		event->pmu = "software";
		event->encoding = arena_printf(&c->arena, "software/config=%#zx/", i);
		event->description = name_description(NAME_SOFTWARE, i);
	}
}

static void read_tool(struct event_catalogue *c)
{
	const char *name;

	for (size_t i = 0; (name = name_tool(i)); i++) {
		struct listed_event *event = add(c, KIND_TOOL, name);

		event->pmu = "tool";
		event->description = name_description(NAME_TOOL, i);
	}
}

static void read_cache(struct event_catalogue *c)
{
	const char *name;
	char buf[64];

	for (size_t i = 0; (name = name_cache(i, buf, sizeof(buf))); i++) {
		struct known_event known;
		struct listed_event *event;

		if (!*name || !name_find(name, &known) || !answers(PERF_TYPE_HW_CACHE, known.config))
			continue;
		event = add(c, KIND_CACHE, arena_strdup(&c->arena, name));
		event->pmu = "cpu";
		event->encoding = arena_printf(&c->arena, "cpu/%s/", name);
	}
}

static void read_extras(struct event_catalogue *c, const struct pmu *pmu, const char *name, struct listed_event *listed)
{
	struct event event = { .scale = 1 };

	pmu_alias_extras(pmu, name, &c->arena, &event);
	listed->unit = event.unit;
	listed->scale = event.scale;
}

static void read_pmus(struct event_catalogue *c)
{
	struct pmu_list pmus = { 0 };

	pmu_list_read(&pmus);
	for (size_t i = 0; i < pmus.pmus.len; i++) {
		const struct pmu *pmu = &pmus.pmus.items[i];
		struct names names = { 0 };

		pmu_names(pmu, "events", &c->arena, &names);
		for (size_t j = 0; j < names.len; j++) {
			autofree char *terms = pmu_alias(pmu, names.items[j], NULL);
			struct listed_event *event =
				add(c, KIND_PMU, arena_printf(&c->arena, "%s/%s/", pmu->name, names.items[j]));

			event->pmu = arena_strdup(&c->arena, pmu->name);
			event->encoding = terms ? arena_printf(&c->arena, "%s/%s/", pmu->name, terms) : NULL;
			event->on_core = pmu->is_core;
			read_extras(c, pmu, names.items[j], event);
		}
		vec_free(&names);
	}
	pmu_list_release(&pmus);
}

/* List the events of a vendor's files that a PMU of this machine can count. */
static void read_files(struct event_catalogue *c)
{
	const struct event_files *files = event_files();
	struct pmu_list pmus = { 0 };

	pmu_list_read(&pmus);
	for (size_t i = 0; i < files->events.len; i++) {
		const struct vendor_event *vendor = &files->events.items[i];

		for (size_t j = 0; j < pmus.pmus.len; j++) {
			const struct pmu *pmu = &pmus.pmus.items[j];
			struct listed_event *event;

			if (event_files_find(pmu, vendor->name) != vendor)
				continue;
			event = add(c, KIND_VENDOR, vendor->name);
			event->pmu = arena_strdup(&c->arena, pmu->name);
			event->encoding = arena_printf(&c->arena, "%s/%s/", pmu->name, vendor->terms);
			event->description = vendor->description;
			event->unit = vendor->unit;
			event->scale = vendor->scale;
			event->on_core = pmu->is_core;
			break; /* more PMUs that match are devices of the same kind */
		}
	}
	pmu_list_release(&pmus);
}

/* List the events in the vendor's manual. Without a PMU in the kernel they cannot be counted. */
static void read_vendor(struct event_catalogue *c)
{
	struct pmu_list pmus = { 0 };
	struct pfm_names names = { 0 };

	read_files(c);
	pmu_list_read(&pmus);
	if (pmus.pmus.len && pmus.pmus.items[0].is_core && !event_files()->events.len)
		pfm_list(&c->arena, &names);
	for (size_t i = 0; i < names.len; i++) {
		struct listed_event *event = add(c, KIND_VENDOR, names.items[i].name);
		struct perf_event_attr attr;

		event->pmu = arena_strdup(&c->arena, pmus.pmus.items[0].name);
		event->description = names.items[i].desc;
		if (pfm_find(event->name, &attr))
			event->encoding = arena_printf(&c->arena, "%s/config=0x%llx/", event->pmu,
						       (unsigned long long)attr.config);
		else
			c->events.len--; /* it cannot be used without further options */
	}
	vec_free(&names);
	pmu_list_release(&pmus);
}

static void read_patterns(struct event_catalogue *c)
{
	add(c, KIND_RAW, "rNNN");
	add(c, KIND_RAW, "cpu/t1=v1[,t2=v2,t3 ...]/modifier");
}

static void read_breakpoint(struct event_catalogue *c) { add(c, KIND_BREAKPOINT, "mem:<addr>[/len][:access]"); }

static int read_tracepoints(struct event_catalogue *c, struct err *e)
{
	struct names systems = { 0 };
	int result = tracepoint_systems(&c->arena, &systems, e);

	for (size_t i = 0; i < systems.len; i++) {
		struct names names = { 0 };

		tracepoint_names(systems.items[i], &c->arena, &names);
		for (size_t j = 0; j < names.len; j++) {
			struct listed_event *event = add(
				c, KIND_TRACEPOINT, arena_printf(&c->arena, "%s:%s", systems.items[i], names.items[j]));

			event->pmu = "tracepoint";
			event->system = systems.items[i];
			event->tp_name = names.items[j];
		}
		vec_free(&names);
	}
	vec_free(&systems);
	return result;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct listed_event *)a)->name, ((const struct listed_event *)b)->name);
}

static void sort_from(struct event_catalogue *c, size_t first)
{
	if (c->events.len > first)
		qsort(c->events.items + first, c->events.len - first, sizeof(*c->events.items), compare);
}

int event_catalogue_read(struct event_catalogue *c, unsigned kinds, struct err *e)
{
	static const struct {
		enum event_kind kind;
		void (*read)(struct event_catalogue *c);
		bool sorted;
	} sections[] = {
		{ KIND_HARDWARE, read_hardware, true }, { KIND_SOFTWARE, read_software, true },
		{ KIND_TOOL, read_tool, false },        { KIND_CACHE, read_cache, true },
		{ KIND_PMU, read_pmus, false },         { KIND_VENDOR, read_vendor, true },
		{ KIND_RAW, read_patterns, false },     { KIND_BREAKPOINT, read_breakpoint, false },
	};
	int result = 0;
	size_t first;

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		first = c->events.len;
		if (kinds >> sections[i].kind & 1)
			sections[i].read(c);
		if (sections[i].sorted)
			sort_from(c, first);
	}
	first = c->events.len;
	if (kinds >> KIND_TRACEPOINT & 1)
		result = read_tracepoints(c, e);
	sort_from(c, first);
	return result;
}

void event_catalogue_release(struct event_catalogue *c)
{
	vec_free(&c->events);
	arena_release(&c->arena);
}
