/* Find the event of another recording to compare an event with. */
#include "report/rows/event_pair.h"

enum match_grade { MATCH_NONE, MATCH_NUMBER, MATCH_PLAIN_NAME, MATCH_NAME };

/* Return the length of the name without ":u", "/u" or other modifiers. A tracepoint's name has one colon of its own. */
static size_t plain_length(const struct file_event *event)
{
	const char *name = event->name, *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	const char *end = colon > slash ? colon : slash;
	size_t len = strlen(name);

	if (!end || end == name || strspn(end + 1, "ukhGHpPSDIWebR") != strlen(end + 1))
		return len;
	if (*end == '/')
		return (size_t)(end - name) + 1;
	if (event->attr.type == ATTR_TYPE_TRACEPOINT && memchr(name, ':', (size_t)(end - name)) == NULL)
		return len;
	return (size_t)(end - name);
}

static bool same_plain_name(const struct file_event *a, const struct file_event *b)
{
	size_t len = plain_length(a);

	return len == plain_length(b) && !memcmp(a->name, b->name, len);
}

/* Compare by number, but only types whose config means the same on every machine of an architecture. */
static bool same_number(const struct attr *a, const struct attr *b)
{
	bool fixed = a->type == ATTR_TYPE_HARDWARE || a->type == ATTR_TYPE_SOFTWARE || a->type == ATTR_TYPE_HW_CACHE ||
		     a->type == ATTR_TYPE_RAW;

	return fixed && a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2;
}

/* Can both events have samples at the same place? Of each pair of bits, an event excludes one side, but never both. */
static bool overlap(const struct attr *a, const struct attr *b)
{
	uint64_t out = a->flags | b->flags;
	uint64_t levels = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL, machines = ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST;

	return (out & levels) != levels && (out & machines) != machines;
}

static enum match_grade match(const struct file_event *a, const struct file_event *b)
{
	if (!strcmp(a->name, b->name))
		return MATCH_NAME;
	if (!overlap(&a->attr, &b->attr))
		return MATCH_NONE;
	return same_plain_name(a, b) ? MATCH_PLAIN_NAME : same_number(&a->attr, &b->attr) ? MATCH_NUMBER : MATCH_NONE;
}

size_t event_pair(const struct perfdata *pd, const struct file_event *event)
{
	size_t best = pd->n_events;
	enum match_grade best_match = MATCH_NONE;

	for (size_t i = 0; i < pd->n_events; i++) {
		enum match_grade m = match(event, &pd->events[i]);

		if (m > best_match) {
			best_match = m;
			best = i;
		}
	}
	return best;
}

bool event_pair_uneven(const struct file_event *a, const struct file_event *b)
{
	return (a->attr.flags ^ b->attr.flags) & (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL);
}
