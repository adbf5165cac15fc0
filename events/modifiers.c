/* The letters behind an event or a group: "cycles:upp". Source: perf-list(1), "EVENT MODIFIERS". */
#include <ctype.h>

#include "events/events_priv.h"

/* To add a modifier: a row here, a member of struct modifiers, its effect in modifiers_apply. */
static const struct {
	char letter;
	size_t offset;
	const char *meaning;
} letters[] = {
	{ 'u', offsetof(struct modifiers, user), "user" },
	{ 'k', offsetof(struct modifiers, kernel), "kernel" },
	{ 'h', offsetof(struct modifiers, hypervisor), "hypervisor" },
	{ 'I', offsetof(struct modifiers, idle), "non-idle" },
	{ 'H', offsetof(struct modifiers, host), "host" },
	{ 'G', offsetof(struct modifiers, guest), "guest" },
	{ 'P', offsetof(struct modifiers, precise_max), "maximum precise" },
	{ 'S', offsetof(struct modifiers, sample_read), "sample read" },
	{ 'D', offsetof(struct modifiers, pinned), "pinned" },
	{ 'W', offsetof(struct modifiers, weak), "weak" },
	{ 'e', offsetof(struct modifiers, exclusive), "exclusive" },
	{ 'b', offsetof(struct modifiers, bpf), "bpf" },
	{ 'R', offsetof(struct modifiers, retire_latency), "retire latency" },
	{ 'X', offsetof(struct modifiers, no_regroup), "no regroup" },
};

bool modifiers_all(const char *word)
{
	for (; *word; word++) {
		size_t i = 0;

		while (i < ARRAY_SIZE(letters) && letters[i].letter != *word)
			i++;
		if (i == ARRAY_SIZE(letters) && *word != 'p')
			return false;
	}
	return true;
}

static int modifier_letter(struct parser *p, struct modifiers *m, bool of_group)
{
	if (*p->at == 'W' && !of_group)
		return syntax_error(p, p->at, "Weak modifier is for use with groups");
	if (*p->at == 'p') {
		if (++m->precise > 3)
			return syntax_error(p, p->at, "Maximum precise value is 3");
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		bool *set = (bool *)((char *)m + letters[i].offset);

		if (letters[i].letter != *p->at)
			continue;
		if (*set)
			return syntax_error(p, p->at, "Duplicate modifier '%c' (%s)", *p->at, letters[i].meaning);
		*set = true;
		return 0;
	}
	return syntax_error(p, p->at, "Unrecognized modifier");
}

int modifiers_parse(struct parser *p, struct modifiers *m, bool of_group)
{
	const char *start = p->at;

	if (ends_event(*p->at))
		return syntax_error(p, p->at, "expected a modifier");
	for (; !ends_event(*p->at) && !isblank((unsigned char)*p->at); p->at++)
		if (modifier_letter(p, m, of_group) < 0)
			return -1;
	m->text = arena_strndup(p->arena, start, (size_t)(p->at - start));
	return 0;
}

/* Write the modifiers that the attr has: "kuppp". */
static const char *attr_modifiers(struct arena *a, const struct perf_event_attr *attr)
{
	bool some = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;

	return arena_printf(a, "%s%s%s%.*s", some && !attr->exclude_kernel ? "k" : "",
			    some && !attr->exclude_user ? "u" : "", some && !attr->exclude_hv ? "h" : "",
			    (int)attr->precise_ip, "ppp");
}

void modifiers_apply(struct parser *p, struct event *event, const struct modifiers *m, bool of_group)
{
	struct perf_event_attr *attr = &event->attr;

	if (m->user || m->kernel || m->hypervisor) {
		/* A member counts its own levels in addition to those of its group. */
		bool add = of_group && event->user_modifiers;

		attr->exclude_user = !m->user && (!add || attr->exclude_user);
		attr->exclude_kernel = !m->kernel && (!add || attr->exclude_kernel);
		attr->exclude_hv = !m->hypervisor && (!add || attr->exclude_hv);
		event->user_modifiers = true;
	}
	if (m->host || m->guest) {
		bool add = of_group && (attr->exclude_host || attr->exclude_guest);

		attr->exclude_host = !m->host && (!add || attr->exclude_host);
		attr->exclude_guest = !m->guest && (!add || attr->exclude_guest);
	}
	attr->exclude_idle |= m->idle;
	if (m->precise)
		attr->precise_ip = m->precise & 3;
	if (m->precise_max) {
		attr->precise_ip = 3;
		event->precise_max = true;
	}
	attr->pinned |= m->pinned && event->n_members;
	attr->exclusive |= m->exclusive && event->n_members;
	event->sample_read |= m->sample_read;
	event->weak_group |= m->weak;
	event->bpf_counter |= m->bpf;
	event->retire_latency |= m->retire_latency;
	event->no_regroup |= m->no_regroup;
	event->modifiers = of_group ? attr_modifiers(p->arena, attr) : m->text;
}
