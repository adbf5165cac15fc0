/* Event names of libpfm4. Source: pfm_get_os_event_encoding(3). */
#include "events/events_priv.h"
/* Its own copy of the kernel's header clashes with the kernel's; struct perf_event_attr is the same by ABI. */
#define __PERFMON_PERF_EVENT_H__
#include <perfmon/pfmlib_perf_event.h>

#define BAD_USAGE 129

/* The library is initialised once per process and never again. */
static int pfm_ready(struct err *e)
{
	int result = pfm_initialize();

	if (result == PFM_SUCCESS)
		return 0;
	err_set(e, "libpfm4 does not start");
	err_why(e, "%s", pfm_strerror(result));
	return err_exit(e, BAD_USAGE);
}

static int add_pfm_event(struct event_list *l, const char *name, struct err *e)
{
	/* Room for a library built with a longer attr than ours. */
	union { struct perf_event_attr attr; char room[256]; } u = { .attr.size = sizeof(u.attr) };
	pfm_perf_encode_arg_t arg = { .attr = &u.attr, .size = sizeof(arg) };
	struct event *event;
	int result = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);

	if (result != PFM_SUCCESS) {
		err_set(e, "failed to parse event %s : %s", name, pfm_strerror(result));
		err_try(e, "names of libpfm4, e.g. perf::cycles");
		return err_exit(e, BAD_USAGE);
	}
	event = event_list_add(l);
	event->attr = u.attr;
	event->attr.size = sizeof(event->attr);
	event->user_period = event->attr.sample_period != 0;
	event->name = arena_strdup(&l->arena, name);
	return 0;
}

/* The name at *at, which moves behind it. */
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
	return err_exit(e, BAD_USAGE);
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
		if (strchr(",{}", *at))	/* also the end: a name is due */
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

	if (pfm_ready(e) < 0)
		return -1;
	if (parse_pfm(l, text, e) < 0) {
		event_list_truncate(l, first);
		return -1;
	}
	l->last_parsed = (uint32_t)first;
	return 0;
}
