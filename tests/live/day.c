/*
 * day HOURS: make what the recorder of a busy machine would send, without waiting for it: 999 samples a second on each
 * of 2 CPUs, with stacks, and 100 processes a second that start, map files and end. Sum it up, name it and fold it to
 * rows every 2 seconds, let it fade as top does, and keep the last 30 seconds. Print the memory in use after each tenth
 * of the time, and at the end the most that was in use.
 */
#include "report/live/history.h"
#include "report/live/live.h"
#include "report/rows/fields.h"
#include "tests/lib/made.h"

#include <linux/perf_event.h>
#include <sys/resource.h>

enum { CPUS = 2, HZ = 999, FORKS = 100, MAPS = 12, FRAMES = 24, ROUND_MS = 100, FIRST_PID = 1000, PIDS = 400000 };

struct machine {
	struct made made;
	uint64_t now_ms, end_ms, samples, forks;
	bool begun;
};

/* ---- records ---- */

/* End a record with the trailer of sample_id_all. */
static void end(struct out *o, size_t at, uint32_t pid, uint64_t time)
{
	made_u32(o, pid);
	made_u32(o, pid);
	made_u64(o, time);
	made_u64(o, 0); /* CPU */
	made_end(o, at);
}

static void put_header(struct out *o)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.sample_freq = HZ,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
	};

	made_header(o, &attr, sizeof(attr));
}

static void put_task(struct out *o, uint32_t type, uint32_t pid, uint32_t parent, uint64_t time)
{
	size_t at = made_begin(o, type, 0);

	made_u32(o, pid);
	made_u32(o, parent);
	made_u32(o, pid);
	made_u32(o, parent);
	made_u64(o, time);
	end(o, at, pid, time);
}

static void put_map(struct out *o, uint32_t pid, uint64_t time, uint64_t start, const char *name)
{
	size_t at = made_begin(o, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	made_u32(o, pid);
	made_u32(o, pid);
	made_u64(o, start);
	made_u64(o, 0x100000);
	made_u64(o, 0);
	made_text(o, name);
	end(o, at, pid, time);
}

static void put_process(struct machine *m, uint64_t time)
{
	static const char *const files[] = { "/usr/bin/env", "/bin/sh", "/lib/x86_64-linux-gnu/libc.so.6" };
	uint32_t pid = FIRST_PID + (uint32_t)(m->forks % PIDS), before;
	struct out *o = &m->made.bytes;
	char name[24];
	size_t at;

	put_task(o, PERF_RECORD_FORK, pid, 1, time);
	snprintf(name, sizeof(name), "job-%u", (unsigned)m->forks);
	at = made_begin(o, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	made_u32(o, pid);
	made_u32(o, pid);
	made_text(o, name);
	end(o, at, pid, time);
	for (uint64_t i = 0; i < MAPS; i++)
		put_map(o, pid, time, 0x10000000 * (i + 1) + made_any(&m->made, 4096) * 0x1000ull,
			i == MAPS - 1 && m->forks % 10 == 0 ? "//anon" : files[i % ARRAY_SIZE(files)]);
	if (m->forks >= 20) { /* each lives for a fifth of a second */
		before = FIRST_PID + (uint32_t)((m->forks - 20) % PIDS);
		put_task(o, PERF_RECORD_EXIT, before, 1, time);
	}
	m->forks++;
}

static void put_sample(struct machine *m, uint64_t time, uint32_t cpu)
{
	uint32_t pid = FIRST_PID + (uint32_t)((m->forks - 1 - made_any(&m->made, 20)) % PIDS);
	struct out *o = &m->made.bytes;
	size_t at = made_begin(o, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	uint64_t ip = 0x10000000ull * (1 + made_any(&m->made, MAPS)) + made_any(&m->made, 0x100000);

	made_u64(o, ip);
	made_u32(o, pid);
	made_u32(o, pid);
	made_u64(o, time);
	made_u32(o, cpu);
	made_u32(o, 0);
	made_u64(o, 1001001);
	made_u64(o, FRAMES + 1);
	made_u64(o, PERF_CONTEXT_USER);
	made_u64(o, ip);
	for (int i = 1; i < FRAMES; i++) /* the outer frames are often the same */
		made_u64(o, 0x10000000ull * (1 + (uint64_t)i % MAPS) + made_any(&m->made, i < 4 ? 0x1000 : 4) * 64);
	made_end(o, at);
	m->samples++;
}

static void put_round(struct machine *m)
{
	uint64_t from = (m->now_ms + 1) * 1000000;
	unsigned n = HZ * ROUND_MS / 1000;

	for (unsigned i = 0; i < FORKS * ROUND_MS / 1000; i++)
		put_process(m, from + i * 1000);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		for (unsigned i = 0; i < n; i++)
			put_sample(m, from + (i + 1) * 1000000ull * ROUND_MS / (n + 1), cpu);
	made_round(&m->made.bytes);
	m->now_ms += ROUND_MS;
}

static ssize_t read_machine(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct machine *m = of;

	if (made_empty(&m->made)) {
		if (!m->begun)
			put_header(&m->made.bytes);
		m->begun = true;
		if (m->now_ms < m->end_ms)
			put_round(m);
	}
	return made_take(&m->made, to, room);
}

/* ---- the loop of top ---- */

static unsigned resident_kb(void)
{
	unsigned long size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu %lu", &size, &resident) != 2)
		exit(1);
	fclose(f);
	return (unsigned)(resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024);
}

static unsigned peak_kb(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		exit(1);
	return (unsigned)usage.ru_maxrss;
}

struct watcher {
	struct machine m;
	struct fields fields;
	VEC(const struct sample_key *) keys;
	VEC(const struct key *) sites;
	struct live_bytes source;
	struct live *live;
	struct live_history *history;
	struct profile *sums, *shown;
	struct fold *fold;
	uint64_t shown_ms, told_ms;
};

static int open_watcher(struct watcher *w, const struct profile_filter *filter, struct err *e)
{
	static const struct live_opts opts = { .sums = true, .session.force = true };

	w->source = (struct live_bytes){ read_machine, &w->m };
	out_init_mem(&w->m.made.bytes);
	w->history = history_new(30000000000, 64 << 20);
	w->live = live_open_source("machine", &w->source, &opts, e);
	if (!w->live || fields_parse(&w->fields, &(struct fields_opts){ .sort = "comm,dso,sym" }, e) < 0)
		return -1;
	for (size_t i = 0; i < w->fields.sort.len; i++) {
		if (w->fields.sort.items[i]->from == KEY_SAMPLE)
			vec_push(&w->keys, &w->fields.sort.items[i]->sample);
		else if (w->fields.sort.items[i]->site)
			vec_push(&w->sites, w->fields.sort.items[i]);
	}
	w->sums = profile_new(live_session(w->live),
			      &(struct profile_opts){ .keys = w->keys.items,
						      .n_keys = w->keys.len,
						      .chains = true,
						      .max_stack = 127,
						      .threads = 1,
						      .time_quantum = 1,
						      .no_quality = true },
			      filter);
	return 0;
}

/* Name what is new, fold it, and let the sums fade. */
static void refresh(struct watcher *w)
{
	if (w->shown && profile_follow(w->shown, w->sums)) {
		fold_follow(w->fold);
	} else {
		fold_free(w->fold);
		profile_free(w->shown);
		w->shown = profile_new_follower(w->sums);
		w->fold = fold_new(
			w->shown,
			&(struct fold_opts){ .keys = w->sites.items, .n_keys = w->sites.len, .children = true });
	}
	profile_fade(w->sums);
	live_tidy(w->live, &w->sums, 1, (const struct profile *const[]){ w->shown }, 1);
}

static void tell(const struct watcher *w)
{
	const struct session *s = live_session(w->live);

	printf("%.2f hours: %u KB, %zu threads, %zu spaces, %zu objects, %zu names, %zu entries\n",
	       (double)w->m.now_ms / 3600000, resident_kb(), s->threads.len, symbols_n_spaces(s->symbols),
	       symbols_n_dsos(s->symbols), s->strings.texts.len, w->sums->parts[0].found.len);
	fflush(stdout);
}

static void watch(struct watcher *w, struct err *e)
{
	struct machine *m = &w->m;

	while (live_next(w->live, e) > LIVE_END) {
		live_sum(w->live, &w->sums, 1);
		history_take(w->history, live_session(w->live), m->now_ms * 1000000);
		if (m->now_ms - w->shown_ms < 2000)
			continue;
		w->shown_ms = m->now_ms;
		refresh(w);
		if ((m->now_ms - w->told_ms) * 10 < m->end_ms)
			continue;
		w->told_ms = m->now_ms;
		tell(w);
	}
}

static void close_watcher(struct watcher *w)
{
	fold_free(w->fold);
	profile_free(w->shown);
	profile_free(w->sums);
	history_free(w->history);
	live_close(w->live);
	fields_free(&w->fields);
	vec_free(&w->keys);
	vec_free(&w->sites);
	out_release(&w->m.made.bytes);
}

int main(int argc, char **argv)
{
	double hours = argc > 1 ? atof(argv[1]) : 1;
	struct watcher w = { .m = { .made.random = 1, .end_ms = (uint64_t)(hours * 3600000) } };
	struct profile_filter filter = { 0 };
	struct err e = { 0 };

	if (open_watcher(&w, &filter, &e) < 0)
		return fprintf(stderr, "day: %s\n", e.what), 1;
	watch(&w, &e);
	printf("%llu samples, %llu processes, at most %u KB\n", (unsigned long long)w.m.samples,
	       (unsigned long long)w.m.forks, peak_kb());
	close_watcher(&w);
	return 0;
}
