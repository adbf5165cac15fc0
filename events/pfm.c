/*
 * Event names of libpfm4: its own ("INST_RETIRED:ANY_P") and those in vendors' manuals
 * ("inst_retired.any_p"), which differ only in the separators. Source:
 * pfm_get_os_event_encoding(3), pfm_get_event_info(3), pfm_get_event_attr_info(3).
 */
#include <ctype.h>

#include "events/events_priv.h"
#include "events/libpfm_priv.h"

static int add_pfm_event(struct event_list *l, const char *name, struct err *e)
{
	/* Room for a library that was built with a longer attr. */
	union {
		struct perf_event_attr attr;
		char room[256];
	} u = { .attr.size = sizeof(u.attr) };
	pfm_perf_encode_arg_t arg = { .attr = &u.attr, .size = sizeof(arg) };
	struct event *event;
	int result = libpfm()->pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);

	if (result != PFM_SUCCESS) {
		err_set(e, "failed to parse event %s : %s", name, libpfm()->pfm_strerror(result));
		err_try(e, "names of libpfm4, e.g. perf::cycles");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	event = event_list_add(l);
	event->attr = u.attr;
	event->attr.size = sizeof(event->attr);
	event->user_period = event->attr.sample_period != 0;
	event->name = arena_strdup(&l->arena, name);
	return 0;
}

/* Take the name at *at and move *at behind it. */
static const char *take_name(struct event_list *l, const char **at)
{
	size_t len = strcspn(*at, ",{}");
	const char *name = arena_strndup(&l->arena, *at, len);

	*at += len;
	return name;
}

static int bad_list(const char *text, const char *at, struct err *e)
{
	err_set(e, "bad list of events '%s'", text);
	err_why(e, "unexpected at character %zu", (size_t)(at - text) + 1);
	return err_exit(e, EXIT_BAD_USAGE);
}

static int parse_pfm(struct event_list *l, const char *text, struct err *e)
{
	bool in_group = false;
	size_t leader = 0;
	const char *at = text;

	for (;;) {
		if (*at == '{' && !in_group) {
			in_group = true;
			leader = l->events.len;
			at++;
		}
		if (strchr(",{}", *at)) /* also at the end: we expect a name here */
			return bad_list(text, at, e);
		if (add_pfm_event(l, take_name(l, &at), e) < 0)
			return -1;
		if (in_group && l->events.len - 1 > leader) {
			l->events.items[l->events.len - 1].leader = (uint32_t)leader;
			l->events.items[l->events.len - 1].n_members = 0;
			l->events.items[leader].n_members++;
		}
		if (*at == '}' && in_group) {
			in_group = false;
			at++;
		}
		if (!*at && !in_group)
			return 0;
		if (*at != ',')
			return bad_list(text, at, e);
		at++;
	}
}

int event_list_parse_pfm(struct event_list *l, const char *text, struct err *e)
{
	size_t first = l->events.len;

	if (libpfm_ready(e) < 0)
		return -1;
	if (parse_pfm(l, text, e) < 0) {
		event_list_truncate(l, first);
		return -1;
	}
	l->last_parsed = (uint32_t)first;
	return 0;
}

/* ---- names of the vendors ---- */

static bool is_core_pmu(pfm_pmu_t pmu)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };

	return libpfm()->pfm_get_pmu_info(pmu, &info) == PFM_SUCCESS && info.type == PFM_PMU_TYPE_CORE;
}

bool pfm_find(const char *name, struct perf_event_attr *attr)
{
	union {
		struct perf_event_attr attr;
		char room[256];
	} u = { .attr.size = sizeof(u.attr) };
	pfm_perf_encode_arg_t arg = { .attr = &u.attr, .size = sizeof(arg) };
	pfm_event_info_t info = { .size = sizeof(info) };
	autofree char *ours = xstrdup(name);

	if (!isalpha((unsigned char)*name) || strchr(name, ':') || libpfm_ready(NULL) < 0)
		return false;
	for (char *p = ours; *p; p++)
		if (*p == '.')
			*p = ':';
	if (libpfm()->pfm_get_os_event_encoding(ours, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) != PFM_SUCCESS ||
	    libpfm()->pfm_get_event_info(arg.idx, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS || !is_core_pmu(info.pmu))
		return false;
	*attr = (struct perf_event_attr){
		.type = u.attr.type, .config = u.attr.config, .config1 = u.attr.config1, .config2 = u.attr.config2
	};
	return true;
}

/* Return "inst_retired.any_p" in the arena. */
static const char *vendor_name(struct arena *a, const char *event, const char *umask)
{
	char *name = arena_printf(a, "%s%s%s", event, umask ? "." : "", umask ? umask : "");

	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return name;
}

static void list_event(int idx, struct arena *a, struct pfm_names *names)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	size_t before = names->len;

	if (libpfm()->pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS)
		return;
	for (int i = 0; i < info.nattrs; i++) {
		pfm_event_attr_info_t umask = { .size = sizeof(umask) };

		if (libpfm()->pfm_get_event_attr_info(idx, i, PFM_OS_PERF_EVENT, &umask) == PFM_SUCCESS &&
		    umask.type == PFM_ATTR_UMASK)
			vec_push(names, ((struct pfm_name){ vendor_name(a, info.name, umask.name),
							    arena_printf(a, "%s: %s", info.desc ? info.desc : "",
									 umask.desc ? umask.desc : "") }));
	}
	if (names->len == before)
		vec_push(names, ((struct pfm_name){ vendor_name(a, info.name, NULL),
						    arena_strdup(a, info.desc ? info.desc : "") }));
}

void pfm_list(struct arena *a, struct pfm_names *names)
{
	if (libpfm_ready(NULL) < 0)
		return;
	for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (libpfm()->pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS || !info.is_present ||
		    info.type != PFM_PMU_TYPE_CORE)
			continue;
		for (int i = info.first_event; i != -1; i = libpfm()->pfm_get_event_next(i))
			list_event(i, a, names);
	}
}
