/*
 * day HOURS: what the recorder of a busy machine would send, without waiting for it: 999 samples a second
 * on each of 2 CPUs, with stacks, and 100 processes a second that are forked, named, mapped and end. It is
 * summed up, named and folded to rows every 2 seconds, and fades, as top does, and the last 30 seconds are
 * kept. Each tenth of the time a line tells the memory in use,
 * and the last line the most that ever was.
 */
#include "report/live/history.h"
#include "report/live/live.h"
#include "report/rows/fields.h"

#include <linux/perf_event.h>
#include <sys/resource.h>

enum { CPUS = 2, HZ = 999, FORKS = 100, MAPS = 12, FRAMES = 24, ROUND_MS = 100, FIRST_PID = 1000, PIDS = 400000 };

struct machine {
	struct out bytes;
	size_t at;
	uint64_t now_ms, end_ms, samples, forks;
	uint32_t random;
	bool begun;
};

static uint32_t any(struct machine *m, uint32_t below)
{
	m->random = m->random * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)m->random * below >> 32);
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

/* The trailer of sample_id_all, and the size. */
static void end(struct out *o, size_t at, uint32_t pid, uint64_t time)
{
	uint16_t size;

	if (pid) {
		u32(o, pid);
		u32(o, pid);
		u64(o, time);
		u64(o, 0); /* CPU */
	}
	size = (uint16_t)(o->len - at);
	memcpy(o->buf + at + 6, &size, 2);
}

static void text(struct out *o, const char *s)
{
	size_t len = strlen(s) + 1;

	out_mem(o, s, len);
	out_pad(o, '\0', (long)(ROUND_UP(len, (size_t)8) - len));
}

static void put_header(struct out *o)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.sample_freq = HZ,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
	};
	size_t at;

	out_mem(o, "PERFILE2", 8);
	u64(o, 16);
	at = begin(o, 64, 0);
	out_mem(o, (const char *)&attr, sizeof(attr));
	u64(o, 1);
	end(o, at, 0, 0);
}

static void put_task(struct out *o, uint32_t type, uint32_t pid, uint32_t parent, uint64_t time)
{
	size_t at = begin(o, type, 0);

	u32(o, pid);
	u32(o, parent);
	u32(o, pid);
	u32(o, parent);
	u64(o, time);
	end(o, at, pid, time);
}

static void put_map(struct out *o, uint32_t pid, uint64_t time, uint64_t start, const char *name)
{
	size_t at = begin(o, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	u32(o, pid);
	u32(o, pid);
	u64(o, start);
	u64(o, 0x100000);
	u64(o, 0);
	text(o, name);
	end(o, at, pid, time);
}

static void put_process(struct machine *m, uint64_t time)
{
	static const char *const files[] = { "/usr/bin/env", "/bin/sh", "/lib/x86_64-linux-gnu/libc.so.6" };
	uint32_t pid = FIRST_PID + (uint32_t)(m->forks % PIDS), before;
	struct out *o = &m->bytes;
	char name[24];
	size_t at;

	put_task(o, PERF_RECORD_FORK, pid, 1, time);
	snprintf(name, sizeof(name), "job-%u", (unsigned)m->forks);
	at = begin(o, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	u32(o, pid);
	u32(o, pid);
	text(o, name);
	end(o, at, pid, time);
	for (uint64_t i = 0; i < MAPS; i++)
		put_map(o, pid, time, 0x10000000 * (i + 1) + any(m, 4096) * 0x1000ull,
			i == MAPS - 1 && m->forks % 10 == 0 ? "//anon" : files[i % ARRAY_SIZE(files)]);
	if (m->forks >= 20) { /* each lives for a fifth of a second */
		before = FIRST_PID + (uint32_t)((m->forks - 20) % PIDS);
		put_task(o, PERF_RECORD_EXIT, before, 1, time);
	}
	m->forks++;
}

static void put_sample(struct machine *m, uint64_t time, uint32_t cpu)
{
	uint32_t pid = FIRST_PID + (uint32_t)((m->forks - 1 - any(m, 20)) % PIDS);
	struct out *o = &m->bytes;
	size_t at = begin(o, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	uint64_t ip = 0x10000000ull * (1 + any(m, MAPS)) + any(m, 0x100000);

	u64(o, ip);
	u32(o, pid);
	u32(o, pid);
	u64(o, time);
	u32(o, cpu);
	u32(o, 0);
	u64(o, 1001001);
	u64(o, FRAMES + 1);
	u64(o, PERF_CONTEXT_USER);
	u64(o, ip);
	for (int i = 1; i < FRAMES; i++) /* the outer frames are often the same */
		u64(o, 0x10000000ull * (1 + (uint64_t)i % MAPS) + any(m, i < 4 ? 0x1000 : 4) * 64);
	end(o, at, 0, 0);
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
	end(&m->bytes, begin(&m->bytes, 68, 0), 0, 0);
	m->now_ms += ROUND_MS;
}

static ssize_t read_machine(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct machine *m = of;
	size_t n;

	if (m->at == m->bytes.len) {
		m->at = m->bytes.len = 0;
		if (!m->begun)
			put_header(&m->bytes);
		m->begun = true;
		if (m->now_ms < m->end_ms)
			put_round(m);
	}
	n = MIN(room, m->bytes.len - m->at);
	memcpy(to, m->bytes.buf + m->at, n);
	m->at += n;
	return (ssize_t)n;
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

int main(int argc, char **argv)
{
	double hours = argc > 1 ? atof(argv[1]) : 1;
	struct machine m = { .end_ms = (uint64_t)(hours * 3600000), .random = 1 };
	struct live_bytes source = { read_machine, &m };
	struct profile_filter filter = { 0 };
	struct fields fields = { 0 };
	VEC(const struct sample_key *) keys = { 0 };
	VEC(const struct key *) sites = { 0 };
	uint64_t shown_ms = 0, told_ms = 0;
	struct err e = { 0 };
	struct live_history *history = history_new(30000000000, 64 << 20);
	struct profile *p, *shown = NULL;
	struct fold *fold = NULL;
	struct live *l;

	out_init_mem(&m.bytes);
	l = live_open_source("machine", &source, &(struct live_opts){ .sums = true, .session.force = true }, &e);
	if (!l || fields_parse(&fields, &(struct fields_opts){ .sort = "comm,dso,sym" }, &e) < 0)
		return fprintf(stderr, "day: %s\n", e.what), 1;
	for (size_t i = 0; i < fields.sort.len; i++) {
		if (fields.sort.items[i]->from == KEY_SAMPLE)
			vec_push(&keys, &fields.sort.items[i]->sample);
		else if (fields.sort.items[i]->site)
			vec_push(&sites, fields.sort.items[i]);
	}
	p = profile_new(live_session(l),
			&(struct profile_opts){ .keys = keys.items,
						.n_keys = keys.len,
						.chains = true,
						.max_stack = 127,
						.threads = 1,
						.time_quantum = 1,
						.no_quality = true },
			&filter);
	while (live_next(l, &e) > LIVE_END) {
		live_sum(l, &p, 1);
		history_take(history, live_session(l), m.now_ms * 1000000);
		if (m.now_ms - shown_ms < 2000)
			continue;
		shown_ms = m.now_ms;
		if (shown && profile_follow(shown, p)) {
			fold_follow(fold);
		} else {
			fold_free(fold);
			profile_free(shown);
			shown = profile_new_follower(p);
			fold = fold_new(shown, &(struct fold_opts){
						       .keys = sites.items, .n_keys = sites.len, .children = true });
		}
		profile_fade(p);
		live_tidy(l, &p, 1, (const struct profile *const[]){ shown }, 1);
		if ((m.now_ms - told_ms) * 10 < m.end_ms)
			continue;
		told_ms = m.now_ms;
		printf("%.2f hours: %u KB, %zu threads, %zu spaces, %zu objects, %zu names, %zu entries\n",
		       (double)m.now_ms / 3600000, resident_kb(), live_session(l)->threads.len,
		       symbols_n_spaces(live_session(l)->symbols), symbols_n_dsos(live_session(l)->symbols),
		       live_session(l)->strings.texts.len, p->parts[0].found.len);
		fflush(stdout);
	}
	printf("%llu samples, %llu processes, at most %u KB\n", (unsigned long long)m.samples,
	       (unsigned long long)m.forks, peak_kb());
	fold_free(fold);
	profile_free(shown);
	profile_free(p);
	history_free(history);
	live_close(l);
	fields_free(&fields);
	vec_free(&keys);
	vec_free(&sites);
	out_release(&m.bytes);
	return 0;
}
