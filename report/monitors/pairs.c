/* Measure the time from one event to the next with the same key: from issue to completion, from allocation to free. */
#include "report/monitors/delays_priv.h"

/* Parse "FIELD", or "FIELD,FIELD" if it has other names in other events. The last one is for all remaining events. */
static int use_fields(struct monitor_run *run, const char *key, struct err *e)
{
	for (size_t i = 0; i < run->wants.len; i++) {
		size_t len = strcspn(key, ",");

		run->wants.items[i].fields[0] = arena_strndup(&run->arena, key, len);
		if (!key[len])
			continue;
		key += len + 1;
		if (i + 1 == run->wants.len) {
			err_set(e, "--key has more fields than there are events");
			return err_exit(e, EXIT_BAD_USAGE);
		}
	}
	return 0;
}

static int events(struct monitor_run *run, struct err *e)
{
	struct delays *s = run->state;
	const char *key = run->opts->key;

	s->key = !key || !strcmp(key, "tid") ? DELAY_BY_TID : !strcmp(key, "cpu") ? DELAY_BY_CPU : DELAY_BY_FIELD;
	if (delays_events(run, e) < 0)
		return -1;
	return s->key == DELAY_BY_FIELD ? use_fields(run, key, e) : 0;
}

const struct monitor monitor_pairs = { .events = events, .by_field = true, .ring_pages = 128, DELAYS_MONITOR };
