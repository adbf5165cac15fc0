/*
 * refresh [N]: measure how long a refresh takes with N (1,000,000) distinct chains. Each refresh has
 * 20,000 new chains, the last one has none. A refresh names what is new, folds it to rows, sorts the
 * rows, and lets the sums fade. Chains have 24 frames in libc. The first refresh names and folds all
 * of them.
 */
#include <linux/perf_event.h>
#include <time.h>

#include "report/live/live.h"
#include "report/rows/fields.h"
#include "report/rows/view.h"
#include "tests/lib/made.h"

enum { FRAMES = 24, ROUND = 20000, PID = 77, BASE = 0x10000000 };

struct machine {
	struct made made;
	uint64_t samples, most, time;
	bool begun;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- records ---- */

static void put_map(struct machine *m, uint64_t start, uint64_t size, const char *name)
{
	struct out *o = &m->made.bytes;
	size_t at = made_begin(o, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	made_u32(o, PID);
	made_u32(o, PID);
	made_u64(o, start);
	made_u64(o, size);
	made_u64(o, 0);
	made_text(o, name);
	made_end(o, at);
}

/* Outer frames have few distinct addresses, as in programs. */
static uint64_t any_ip(struct machine *m, int depth)
{
	return BASE + 0x30000 + 0x1000 * (uint64_t)depth +
	       made_any(&m->made, depth < 8    ? 0x2000
				  : depth < 16 ? 0x200
					       : 0x40);
}

static void put_sample(struct machine *m)
{
	struct out *o = &m->made.bytes;
	size_t at = made_begin(o, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	uint64_t ip = any_ip(m, 0);

	made_u64(o, ip);
	made_u32(o, PID);
	made_u32(o, PID);
	made_u64(o, ++m->time);
	made_u64(o, 1001001);
	made_u64(o, FRAMES + 1);
	made_u64(o, PERF_CONTEXT_USER);
	made_u64(o, ip);
	for (int i = 1; i < FRAMES; i++)
		made_u64(o, any_ip(m, i));
	made_end(o, at);
	m->samples++;
}

static ssize_t read_machine(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct machine *m = of;
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .sample_freq = 999,
					      .freq = 1,
					      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							     PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN };

	if (made_empty(&m->made)) {
		if (!m->begun) {
			made_header(&m->made.bytes, &attr, sizeof(attr));
			put_map(m, BASE, 0x200000, "/lib/x86_64-linux-gnu/libc.so.6");
		}
		m->begun = true;
		for (int i = 0; i < ROUND && m->samples < m->most; i++)
			put_sample(m);
		if (m->made.bytes.len)
			made_round(&m->made.bytes);
	}
	return made_take(&m->made, to, room);
}

/* ---- refreshes ---- */

static double step(const char *what, double *since, bool tell)
{
	double ms = now_ms() - *since;

	if (tell)
		printf("  %-8s %8.1f ms\n", what, ms);
	*since = now_ms();
	return ms;
}

struct looking {
	struct fields fields;
	VEC(const struct key *) keys;
	struct profile *shown;
	struct fold *fold;
};

static void refresh(struct looking *k, struct profile *p, bool tell)
{
	double since = now_ms(), sum = 0;
	uint32_t event = 0;
	struct view_opts opts = { .fields = k->fields.columns.items,
				  .n_fields = k->fields.columns.len,
				  .sort = k->fields.sort.items,
				  .n_sort = k->fields.sort.len,
				  .children = true,
				  .own_order = true,
				  .chains = true };
	struct view *view;
	bool first = !k->shown;

	if (first)
		k->shown = profile_new_follower(p);
	else if (!profile_follow(k->shown, p))
		abort();
	if (tell)
		printf("%zu entries, %zu chains\n", p->parts[0].found.len, p->parts[0].chains.len);
	sum += step("name", &since, tell);
	if (first)
		k->fold =
			fold_new(k->shown,
				 &(struct fold_opts){ .keys = k->keys.items, .n_keys = k->keys.len, .children = true });
	else
		fold_follow(k->fold);
	sum += step("fold", &since, tell);
	view = view_new(k->fold, &opts, &event, 1);
	view_free(view);
	sum += step("sort", &since, tell);
	profile_fade(p);
	sum += step("fade", &since, tell);
	if (tell)
		printf("  %-8s %8.1f ms\n", "all", sum);
}

int main(int argc, char **argv)
{
	struct machine m = { .most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, .made.random = 1 };
	struct live_bytes source = { read_machine, &m };
	struct profile_filter filter = { 0 };
	struct looking k = { 0 };
	struct err e = { 0 };
	struct profile *p;
	struct live *l;
	double since;

	out_init_mem(&m.made.bytes);
	l = live_open_source("machine", &source, &(struct live_opts){ .sums = true, .session.force = true }, &e);
	if (!l || fields_parse(&k.fields, &(struct fields_opts){ .sort = "dso,sym", .children = true }, &e) < 0)
		return fprintf(stderr, "refresh: %s\n", e.what), 1;
	for (size_t i = 0; i < k.fields.sort.len; i++)
		if (k.fields.sort.items[i]->site)
			vec_push(&k.keys, k.fields.sort.items[i]);
	p = profile_new(live_session(l),
			&(struct profile_opts){
				.chains = true, .max_stack = 127, .threads = 1, .time_quantum = 1, .no_quality = true },
			&filter);
	since = now_ms();
	while (live_next(l, &e) > LIVE_END) {
		live_sum(l, &p, 1);
		if (p->parts[0].found.len)
			refresh(&k, p, m.samples + 2 * ROUND >= m.most);
	}
	step("in all", &since, true);
	refresh(&k, p, true);
	fold_free(k.fold);
	profile_free(k.shown);
	since = now_ms();
	k.shown = NULL;
	printf("the first look:\n");
	refresh(&k, p, true);
	since = now_ms();
	live_tidy_now(l, &p, 1, (const struct profile *const *)&k.shown, 1);
	step("tidy", &since, true);
	fold_free(k.fold);
	profile_free(k.shown);
	profile_free(p);
	live_close(l);
	fields_free(&k.fields);
	vec_free(&k.keys);
	out_release(&m.made.bytes);
	return 0;
}
