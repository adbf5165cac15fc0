/*
 * refresh [N]: how long a refresh takes with N (1,000,000) distinct chains, of which 20,000 came since the one before,
 * and at last without new ones: name what is new, fold it to rows, sort the rows, and let the sums fade. Chains have
 * 24 frames in libc. The first look names and folds all of them.
 */
#include <linux/perf_event.h>
#include <time.h>

#include "report/live/live.h"
#include "report/rows/fields.h"
#include "report/rows/view.h"

enum { FRAMES = 24, ROUND = 20000, PID = 77, BASE = 0x10000000 };

struct machine {
	struct out bytes;
	size_t at;
	uint64_t samples, most, time;
	uint32_t random;
	bool begun;
};

static uint32_t any(struct machine *m, uint32_t below)
{
	m->random = m->random * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)m->random * below >> 32);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- records ---- */

static void u16(struct out *o, uint16_t v) { out_mem(o, (const char *)&v, 2); }
static void u32(struct out *o, uint32_t v) { out_mem(o, (const char *)&v, 4); }
static void u64(struct out *o, uint64_t v) { out_mem(o, (const char *)&v, 8); }

static size_t begin(struct out *o, uint32_t type, uint16_t misc)
{
	size_t at = o->len;

	u32(o, type);
	u16(o, misc);
	u16(o, 0);
	return at;
}

static void end(struct out *o, size_t at)
{
	uint16_t size = (uint16_t)(o->len - at);

	memcpy(o->buf + at + 6, &size, 2);
}

static void put_header(struct out *o)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_freq = 999,
					.freq = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN };
	size_t at;

	out_mem(o, "PERFILE2", 8);
	u64(o, 16);
	at = begin(o, 64, 0);
	out_mem(o, (const char *)&attr, sizeof(attr));
	u64(o, 1);
	end(o, at);
}

static void put_map(struct machine *m, uint64_t start, uint64_t size, const char *name)
{
	struct out *o = &m->bytes;
	size_t at = begin(o, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER), len = strlen(name) + 1;

	u32(o, PID);
	u32(o, PID);
	u64(o, start);
	u64(o, size);
	u64(o, 0);
	out_mem(o, name, len);
	out_pad(o, '\0', (long)(ROUND_UP(len, (size_t)8) - len));
	end(o, at);
}

/* Outer frames take few of the addresses, as they do in programs. */
static uint64_t any_ip(struct machine *m, int depth)
{
	return BASE + 0x30000 + 0x1000 * (uint64_t)depth + any(m, depth < 8 ? 0x2000 : depth < 16 ? 0x200 : 0x40);
}

static void put_sample(struct machine *m)
{
	struct out *o = &m->bytes;
	size_t at = begin(o, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	uint64_t ip = any_ip(m, 0);

	u64(o, ip);
	u32(o, PID);
	u32(o, PID);
	u64(o, ++m->time);
	u64(o, 1001001);
	u64(o, FRAMES + 1);
	u64(o, PERF_CONTEXT_USER);
	u64(o, ip);
	for (int i = 1; i < FRAMES; i++)
		u64(o, any_ip(m, i));
	end(o, at);
	m->samples++;
}

static ssize_t read_machine(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct machine *m = of;
	size_t n;

	if (m->at == m->bytes.len) {
		m->at = m->bytes.len = 0;
		if (!m->begun) {
			put_header(&m->bytes);
			put_map(m, BASE, 0x200000, "/lib/x86_64-linux-gnu/libc.so.6");
		}
		m->begun = true;
		for (int i = 0; i < ROUND && m->samples < m->most; i++)
			put_sample(m);
		if (m->bytes.len)
			end(&m->bytes, begin(&m->bytes, 68, 0));
	}
	n = MIN(room, m->bytes.len - m->at);
	memcpy(to, m->bytes.buf + m->at, n);
	m->at += n;
	return (ssize_t)n;
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
	struct machine m = { .most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, .random = 1 };
	struct live_bytes source = { read_machine, &m };
	struct profile_filter filter = { 0 };
	struct looking k = { 0 };
	struct err e = { 0 };
	struct profile *p;
	struct live *l;
	double since;

	out_init_mem(&m.bytes);
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
	out_release(&m.bytes);
	return 0;
}
