/* Event strings and CPU lists, on an invented machine with PMUs and tracepoints. */
#include "tests/unit/events/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_machine(void) { fake_end(NULL); }

static void check(const struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++) {
		const struct event *event = &l->events.items[i];

		if (event->leader > i || !l->events.items[event->leader].n_members || !event->name[0] ||
		    !event->modifiers)
			abort();
	}
}

/* Check filters: the kernel's answer and our findings must point into the text. */
static void check_filter(const char *text)
{
	struct filter_complaint c;

	if (filter_complaint_read(text, text, &c) && c.at > strlen(text))
		abort();
	if (filter_complaint_find(text, "prev_pid, a", &c) && (c.at >= strlen(text) || !c.word[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_list l = { 0 };
	struct cpuset cpus = { 0 };
	struct err e = { 0 };
	autofree char *text = NULL;

	if (!fake_root[0]) {
		if (fake_begin(NULL) < 0)
			abort();
		fake_pmus();
		fake_tracepoints();
		atexit(remove_machine);
	}
	text = xstrndup((const char *)data, size);
	if (event_list_parse(&l, text, &e) == 0) {
		check(&l);
		event_list_filter(&l, text, &e);
	} else if (e.exit_code != 129 || !e.what[0] || !e.why[0] || l.events.len) {
		abort();
	}
	check_filter(text);
	cpuset_parse(&cpus, text, NULL);
	cpuset_free(&cpus);
	event_list_release(&l);
	return 0;
}
