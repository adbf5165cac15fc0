/* Execute the commands of --control. The messages are perf's, because scripts wait for them. */
#include "base/out.h"
#include "format/attr.h"
#include "record/attr/attr_config.h"
#include "record/session/recorder_priv.h"

/* Enable or disable all events of this name: on processors with several kinds of cores, each kind has its own. */
static int enable_named(struct recorder *r, const char *name, bool on, struct err *e)
{
	bool found = false;

	for (size_t i = 0; i < r->events.events.len; i++) {
		struct event *event = &r->events.events.items[i];

		if (strcmp(event->name, name))
			continue;
		if (!found)
			tell(&r->o.tell, "Event %s %s", name, on ? "enabled" : "disabled");
		found = true;
		if (event_is_aux(event))
			r->aux.on = on;
		if (event_enable(event, on, e) < 0)
			return -1;
	}
	if (!found)
		tell(&r->o.tell, "failed: can't find '%s' event", name);
	return 0;
}

static int enable(struct recorder *r, const char *rest, bool on, struct err *e)
{
	if (*rest == ' ')
		return enable_named(r, rest + 1, on, e);
	if (*rest) {
		tell(&r->o.tell, "failed: wrong command");
		return 0;
	}
	if (recorder_enable(r, on, e) < 0)
		return -1;
	tell(&r->o.tell, "Events %s", on ? "enabled" : "disabled");
	return 0;
}

static void print_event(const struct event *event, char form, struct out *o)
{
	struct attr attr;

	out_name(o, event->name);
	if (form == 'v') {
		attr_of_event(&attr, event);
		out_str(o, ": ");
		attr_print(&attr, event->system ? event->name : NULL, o);
	} else if (form == 'F') {
		out_fmt(o, ": sample_%s=%llu", event->attr.freq ? "freq" : "period",
			(unsigned long long)event->attr.sample_period);
	}
	out_char(o, '\n');
}

/* Print "{a,b}", or an event alone without braces. */
static void print_group(const struct event_list *l, uint32_t leader, struct out *o)
{
	const struct event *first = &l->events.items[leader];
	const char *between = "";

	if (first->n_members > 1)
		out_fmt(o, "%s{", first->group_name ? first->group_name : "");
	for (size_t i = leader; i < l->events.len; i++) {
		if (l->events.items[i].leader != leader)
			continue;
		out_str(o, between);
		out_name(o, l->events.items[i].name);
		between = ",";
	}
	out_str(o, first->n_members > 1 ? "}\n" : "\n");
}

static void tell_events(const struct recorder *r, const char *rest)
{
	static const char *const forms[] = { "", " ", " -v", " -g", " -F" };
	const struct event_list *l = &r->events;
	struct out o;
	size_t form = 0;

	while (form < ARRAY_SIZE(forms) && strcmp(rest, forms[form]))
		form++;
	if (form == ARRAY_SIZE(forms)) {
		tell(&r->o.tell, "failed: wrong command");
		return;
	}
	out_init_mem(&o);
	for (uint32_t i = 0; i < l->events.len; i++) {
		if (strcmp(forms[form], " -g"))
			print_event(&l->events.items[i], form > 1 ? forms[form][2] : ' ', &o);
		else if (l->events.items[i].leader == i)
			print_group(l, i, &o);
	}
	if (o.len)
		tell(&r->o.tell, "%.*s", (int)o.len - 1, o.buf);
	out_release(&o);
}

static int obey(struct recorder *r, const struct control_command *c, struct err *e)
{
	switch (c->word) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE: return enable(r, c->rest, c->word == CONTROL_ENABLE, e);
	case CONTROL_EVLIST: tell_events(r, c->rest); return 0;
	case CONTROL_SNAPSHOT: /* without AUX areas, a snapshot switches the output file */
		if (r->aux.plan.mode == AUX_SNAPSHOT)
			return recorder_snapshot(r, false, e);
		return r->o.rotate.mode == ROTATE_SIGNAL ? recorder_rotate(r, e) : 0;
	case CONTROL_STOP: r->stop = true; return 0;
	case CONTROL_PING: return 0;
	}
	return 0;
}

int recorder_obey(struct recorder *r, struct err *e)
{
	struct control_command command;
	int got = 0;

	while (!r->stop && r->control.fd >= 0 && (got = control_next(&r->control, &command)) > 0) {
		if (obey(r, &command, e) < 0)
			return -1;
		control_ack(&r->control);
	}
	if (got < 0) {
		rings_unwatch(&r->rings, r->control.fd);
		control_close(&r->control);
	}
	return 0;
}
