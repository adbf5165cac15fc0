/* Write records about the session, and about tasks that exist when the recording begins. */
#include "record/proc/synthesize.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "events/workload.h"
#include "format/record.h"
#include "format/sample.h"
#include "record/attr/attr_config.h"
#include "record/proc/proc_maps_priv.h"
#include "record/record.h"
#include "record/proc/synthesize_priv.h"

/* ---- building a record ---- */

void synth_begin(struct synth *s, uint32_t type, uint16_t misc)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
	} header = { type, misc, 0 };

	s->start = s->out.len;
	out_mem(&s->out, (const char *)&header, sizeof(header));
}

void synth_u32(struct synth *s, uint32_t v) { out_mem(&s->out, (const char *)&v, sizeof(v)); }
void synth_u64(struct synth *s, uint64_t v) { out_mem(&s->out, (const char *)&v, sizeof(v)); }

/* Append text, NUL-terminated and padded to 8; cut what does not fit into a record. */
void synth_text(struct synth *s, const char *text, size_t len)
{
	len = MIN(len, (size_t)4095);
	out_mem(&s->out, text, len);
	out_pad(&s->out, '\0', (long)(ROUND_UP(len + 1, 8) - len));
}

static void finish(struct synth *s, uint16_t trailer)
{
	uint16_t size;

	out_pad(&s->out, '\0', trailer);
	out_pad(&s->out, '\0', (long)(ROUND_UP(s->out.len - s->start, 8) - (s->out.len - s->start)));
	size = (uint16_t)(s->out.len - s->start);
	memcpy(s->out.buf + s->start + 6, &size, sizeof(size));
}

/* End a record of a kernel type: append the trailer, all zero. */
void synth_end(struct synth *s) { finish(s, s->trailer); }
/* End a record of a tool type, which has no trailer. */
static void end_tool(struct synth *s) { finish(s, 0); }

void synth_init(struct synth *s, const struct event *tracking)
{
	struct layout layout;
	struct attr attr;

	*s = (struct synth){ .what = SYNTH_ALL, .maps_timeout_ms = UINT64_MAX };
	out_init_mem(&s->out);
	attr_of_event(&attr, tracking);
	layout_init(&layout, &attr);
	s->trailer = layout.trailer_size;
}

void synth_release(struct synth *s)
{
	out_release(&s->out);
	arena_release(&s->arena);
	vec_free(&s->objects);
	idtable_free(&s->by_inode);
	vec_free(&s->hugetlbfs);
	vec_free(&s->hidden);
	u64map_free(&s->processes);
	free(s->text);
	s->text = NULL;
	s->text_size = 0;
}

/* ---- the session ---- */

void synth_time_conv(struct synth *s, const struct perf_event_mmap_page *page)
{
	uint64_t shift, mult, zero, cycles, mask;
	bool short_counter;
	uint32_t seq;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		shift = page->time_shift;
		mult = page->time_mult;
		zero = page->time_zero;
		cycles = page->time_cycles;
		mask = page->time_mask;
		short_counter = page->cap_user_time_short;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq != __atomic_load_n(&page->lock, __ATOMIC_RELAXED) || seq & 1);
	if (!page->cap_user_time_zero)
		return;
	synth_begin(s, RECORD_TIME_CONV, 0);
	synth_u64(s, shift);
	synth_u64(s, mult);
	synth_u64(s, zero);
	synth_u64(s, cycles);
	synth_u64(s, mask);
	out_char(&s->out, 1);
	out_char(&s->out, short_counter);
	end_tool(s);
}

void synth_id_index(struct synth *s, const struct id_index_entry *ids, size_t n)
{
	enum { PER_RECORD = (RECORD_SIZE_MAX - 16) / 32 };

	for (size_t from = 0; from < n; from += PER_RECORD) {
		size_t some = MIN(n - from, (size_t)PER_RECORD);

		synth_begin(s, RECORD_ID_INDEX, 0);
		synth_u64(s, some);
		for (size_t i = from; i < from + some; i++) {
			synth_u64(s, ids[i].id);
			synth_u64(s, ids[i].idx);
			synth_u64(s, (uint64_t)ids[i].cpu);
			synth_u64(s, (uint64_t)ids[i].tid);
		}
		end_tool(s);
	}
}

void synth_auxtrace_info(struct synth *s, uint32_t type, const uint64_t *words, size_t n)
{
	synth_begin(s, RECORD_AUXTRACE_INFO, 0);
	synth_u32(s, type);
	synth_u32(s, 0);
	out_mem(&s->out, (const char *)words, MIN(n, (size_t)(RECORD_SIZE_MAX - 16) / 8) * sizeof(*words));
	end_tool(s);
}

void synth_thread_map(struct synth *s, const int32_t *tids, size_t n)
{
	enum { MOST = (RECORD_SIZE_MAX - 16) / 24 }; /* one record must hold all: readers keep only the last */

	if (n > MOST)
		return;
	synth_begin(s, RECORD_THREAD_MAP, 0);
	synth_u64(s, n);
	for (size_t i = 0; i < n; i++) {
		char comm[16] = "", path[64];

		if (tids[i] >= 0 && n > 1) {
			snprintf(path, sizeof(path), "/proc/%d/comm", tids[i]);
			file_read_line(path, comm, sizeof(comm));
		}
		synth_u64(s, (uint64_t)(int64_t)tids[i]);
		out_mem(&s->out, comm, sizeof(comm));
	}
	end_tool(s);
}

void synth_cpu_map(struct synth *s, const struct cpuset *cpus)
{
	uint16_t n = (uint16_t)MIN(cpus->len, (size_t)32000), type = 0;

	synth_begin(s, RECORD_CPU_MAP, 0);
	out_mem(&s->out, (const char *)&type, 2);
	out_mem(&s->out, (const char *)&n, 2);
	for (uint16_t i = 0; i < n; i++) {
		uint16_t cpu = (uint16_t)cpus->items[i]; /* -1 becomes 0xffff: any */

		out_mem(&s->out, (const char *)&cpu, 2);
	}
	end_tool(s);
}

void synth_finished_init(struct synth *s)
{
	synth_begin(s, RECORD_FINISHED_INIT, 0);
	end_tool(s);
}

void synth_lost_samples(struct synth *s, const struct event *tracking, uint64_t id, uint64_t lost)
{
	struct layout layout;
	struct attr attr;
	char *end;

	attr_of_event(&attr, tracking);
	layout_init(&layout, &attr);
	synth_begin(s, RECORD_LOST_SAMPLES, 0);
	synth_u64(s, lost);
	synth_end(s);
	end = s->out.buf + s->out.len;
	if (layout.trailer_id > 0)
		memcpy(end - layout.trailer_id, &id, sizeof(id));
}

/* ---- tasks ---- */

static void put_fork(struct synth *s, int32_t pid, int32_t ppid, int32_t tid, int32_t ptid)
{
	synth_begin(s, RECORD_FORK, MISC_FORK_EXEC);
	synth_u32(s, (uint32_t)pid);
	synth_u32(s, (uint32_t)ppid);
	synth_u32(s, (uint32_t)tid);
	synth_u32(s, (uint32_t)ptid);
	synth_u64(s, 0);
	synth_end(s);
}

static void put_comm(struct synth *s, int32_t pid, int32_t tid, const char *comm)
{
	synth_begin(s, RECORD_COMM, 0);
	synth_u32(s, (uint32_t)pid);
	synth_u32(s, (uint32_t)tid);
	synth_text(s, comm, strnlen(comm, 15));
	synth_end(s);
}

static void put_namespaces(struct synth *s, int proc, const char *dir, int32_t pid, int32_t tid)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	char path[64];

	if (!s->namespaces)
		return;
	synth_begin(s, RECORD_NAMESPACES, 0);
	synth_u32(s, (uint32_t)pid);
	synth_u32(s, (uint32_t)tid);
	synth_u64(s, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct stat st = { 0 };

		snprintf(path, sizeof(path), "%s/ns/%s", dir, names[i]);
		if (fstatat(proc, path, &st, 0) < 0)
			st = (struct stat){ 0 };
		synth_u64(s, st.st_dev);
		synth_u64(s, st.st_ino);
	}
	synth_end(s);
}

/*
 * Read a whole procfs file into s->text. When the time is over, set s->timed_out and keep only
 * whole lines. Return -1 when the file cannot be read.
 */
static ssize_t read_text_within(struct synth *s, int dir, const char *path, uint64_t timeout_ms)
{
	autoclose int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	uint64_t from = timeout_ms == UINT64_MAX ? 0 : now_ms();
	size_t len = 0;
	ssize_t n;

	s->timed_out = false;
	if (fd < 0)
		return -1;
	do {
		if (s->text_size - len < 4096) {
			s->text_size = MAX(s->text_size * 2, (size_t)64 * 1024);
			s->text = xrealloc(s->text, s->text_size);
		}
		n = read(fd, s->text + len, s->text_size - len);
		if (n > 0)
			len += (size_t)n;
		s->timed_out = timeout_ms != UINT64_MAX && now_ms() - from > timeout_ms;
	} while (!s->timed_out && (n > 0 || (n < 0 && errno == EINTR)));
	while (s->timed_out && len && s->text[len - 1] != '\n')
		len--;
	return n < 0 && !len ? -1 : (ssize_t)len;
}

static ssize_t read_text(struct synth *s, int dir, const char *path)
{
	return read_text_within(s, dir, path, UINT64_MAX);
}

static bool read_stat(struct synth *s, int dir, const char *path, struct proc_stat *stat)
{
	ssize_t len = read_text(s, dir, path);

	return len > 0 && proc_stat_parse(s->text, (size_t)len, stat);
}

typedef VEC(int32_t) numbers;

/* List all names in a directory that are numbers. */
static void list_numbers(int at, const char *path, numbers *found)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			vec_push(found, atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

static void put_maps(struct synth *s, int proc, const char *dir, int32_t pid)
{
	char path[64];
	struct proc_map map;
	const char *at;
	ssize_t len;

	if (!(s->what & SYNTH_MMAP))
		return;
	if (!s->knows_hugetlbfs)
		synth_find_hugetlbfs(s);
	snprintf(path, sizeof(path), "%s/maps", dir);
	len = read_text_within(s, proc, path, s->maps_timeout_ms);
	if (len < 0 && errno == EACCES)
		vec_push(&s->hidden, pid);
	if (s->timed_out)
		tell(&s->tell,
		     "Reading /proc/%d/maps time out. You may want to increase the time limit by --proc-map-timeout",
		     pid);
	at = s->text;
	while (len > 0 && proc_maps_next(&at, s->text + len, &map))
		if (map.prot & PROT_EXEC || s->data)
			synth_map(s, pid, &map);
}

/* Write the other threads of a process whose numbers are larger than `above`. */
static void put_threads(struct synth *s, int proc, int32_t pid, int32_t above)
{
	numbers tids = { 0 };
	struct proc_stat stat;
	char dir[64], path[80];

	snprintf(dir, sizeof(dir), "%d/task", pid);
	list_numbers(proc, dir, &tids);
	for (size_t i = 0; i < tids.len; i++) {
		int32_t tid = tids.items[i];

		snprintf(dir, sizeof(dir), "%d/task/%d", pid, tid);
		snprintf(path, sizeof(path), "%s/stat", dir);
		if (tid == pid || tid <= above || !read_stat(s, proc, path, &stat))
			continue;
		put_fork(s, pid, pid, tid, pid);
		put_namespaces(s, proc, dir, pid, tid);
		put_comm(s, pid, tid, stat.comm);
	}
	vec_free(&tids);
}

static void put_process(struct synth *s, int proc, int32_t pid)
{
	char dir[32], path[64];
	struct proc_stat stat;

	snprintf(dir, sizeof(dir), "%d", pid);
	snprintf(path, sizeof(path), "%d/stat", pid);
	if (!read_stat(s, proc, path, &stat))
		return;
	put_fork(s, pid, stat.ppid, pid, stat.ppid);
	put_namespaces(s, proc, dir, pid, pid);
	put_comm(s, pid, pid, stat.comm);
	if (!(stat.flags & PROC_KTHREAD))
		put_maps(s, proc, dir, pid);
	if (stat.n_threads > 1)
		put_threads(s, proc, pid, 0);
}

/* A walk of several threads over all processes; each thread has its own buffers and tables. */
struct process_walk {
	const int32_t *pids;
	int proc;
	struct synth *workers;
};

static void walk_process(void *ctx, size_t item, unsigned worker, struct out *o)
{
	struct process_walk *w = ctx;
	struct synth *s = &w->workers[worker];

	s->out = *o;
	put_process(s, w->proc, w->pids[item]);
	*o = s->out;
}

static void walk_all(struct synth *s, int proc, const numbers *pids, unsigned threads)
{
	struct process_walk w = { .pids = pids->items, .proc = proc, .workers = xcalloc(threads, sizeof(*w.workers)) };

	for (unsigned i = 0; i < threads; i++)
		w.workers[i] = (struct synth){
			.trailer = s->trailer,
			.what = s->what,
			.data = s->data,
			.build_ids = s->build_ids,
			.namespaces = s->namespaces,
			.maps_timeout_ms = s->maps_timeout_ms,
			.tell = s->tell,
		};
	parallel_text(pids->len, threads, walk_process, &w, NULL, &s->out);
	for (unsigned i = 0; i < threads; i++) {
		for (size_t j = 0; j < w.workers[i].hidden.len; j++)
			vec_push(&s->hidden, w.workers[i].hidden.items[j]);
		w.workers[i].out = (struct out){ .fd = -1 }; /* the workers do not own it */
		synth_release(&w.workers[i]);
	}
	free(w.workers);
}

void synth_system(struct synth *s)
{
	autoclose int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned threads = MIN(s->threads, parallel_threads());
	numbers pids = { 0 };

	if (proc < 0 || !(s->what & SYNTH_TASK))
		return;
	list_numbers(proc, ".", &pids);
	if (threads > 1)
		walk_all(s, proc, &pids, threads);
	for (size_t i = 0; i < pids.len && threads < 2; i++)
		put_process(s, proc, pids.items[i]);
	vec_free(&pids);
}

/* Return the process of a thread; 0 when it has ended. */
static int32_t process_of(struct synth *s, int proc, int32_t tid)
{
	static const char key[] = "\nTgid:";
	const char *at;
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "%d/status", tid);
	len = read_text(s, proc, path);
	at = len > 0 ? memmem(s->text, (size_t)len, key, sizeof(key) - 1) : NULL;
	return at ? atoi(at + sizeof(key) - 1) : 0;
}

void synth_threads(struct synth *s, const int32_t *tids, size_t n)
{
	autoclose int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < n && proc >= 0 && s->what & SYNTH_TASK; i++) {
		int32_t pid = process_of(s, proc, tids[i]);
		char dir[64], path[80];
		struct proc_stat stat;
		bool is_new;

		snprintf(dir, sizeof(dir), "%d/task/%d", pid, tids[i]);
		snprintf(path, sizeof(path), "%s/stat", dir);
		if (!pid || !read_stat(s, proc, path, &stat))
			continue;
		put_namespaces(s, proc, dir, pid, tids[i]);
		put_comm(s, pid, tids[i], stat.comm);
		u64map_put(&s->processes, (uint64_t)pid, &is_new);
		/* Threads share their maps. Use any thread: the first may have ended. */
		if (is_new && !(stat.flags & PROC_KTHREAD))
			put_maps(s, proc, dir, pid);
	}
}

/* Source: proc_loadavg(5), the fifth field. Threads and processes share one sequence of numbers. */
int32_t synth_last_created(void)
{
	size_t len = 0;
	autofree char *text = file_read("/proc/loadavg", 256, &len, NULL);
	const char *last = text ? strrchr(text, ' ') : NULL;

	return last ? atoi(last + 1) : INT32_MAX;
}

static bool has_parent_in(struct synth *s, int proc, int32_t pid)
{
	struct proc_stat stat;
	char path[32];

	snprintf(path, sizeof(path), "%d/stat", pid);
	return read_stat(s, proc, path, &stat) && u64map_find(&s->processes, (uint64_t)stat.ppid);
}

/*
 * The recorded program runs meanwhile: read nothing of processes that are older, which may be many. /proc lists
 * children after their parents. If the numbers start again from the first, newcomers are missed.
 */
void synth_newcomers(struct synth *s, int32_t last)
{
	autoclose int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	numbers pids = { 0 };
	bool is_new;

	if (proc < 0 || !(s->what & SYNTH_TASK))
		return;
	list_numbers(proc, ".", &pids);
	for (size_t i = 0; i < pids.len; i++) {
		int32_t pid = pids.items[i];

		if (u64map_find(&s->processes, (uint64_t)pid)) {
			put_threads(s, proc, pid, last);
		} else if (pid > last && has_parent_in(s, proc, pid)) {
			put_process(s, proc, pid);
			u64map_put(&s->processes, (uint64_t)pid, &is_new);
		}
	}
	vec_free(&pids);
}

/* If a child's parent ended, the child has another parent now; /proc does not tell the old one. */
void synth_families(struct synth *s, const int32_t *tids, size_t n)
{
	autoclose int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct synth_processes all = { 0 };
	struct u64map roots = { 0 };
	numbers pids = { 0 };

	if (proc < 0 || !(s->what & SYNTH_TASK))
		return;
	list_numbers(proc, ".", &pids);
	for (size_t i = 0; i < n; i++)
		u64map_put(&roots, (uint64_t)process_of(s, proc, tids[i]), NULL);
	for (size_t i = 0; i < pids.len; i++) {
		int32_t pid = pids.items[i];
		struct proc_stat stat;
		char path[64];

		snprintf(path, sizeof(path), "%d/stat", pid);
		if (read_stat(s, proc, path, &stat))
			vec_push(&all, (struct synth_process){ .pid = pid,
							       .ppid = stat.ppid,
							       .wanted = u64map_find(&roots, (uint64_t)pid) != NULL });
	}
	synth_want_descendants(&all);
	for (size_t i = 0; i < all.len; i++)
		if (all.items[i].wanted)
			put_process(s, proc, all.items[i].pid);
	u64map_free(&roots);
	vec_free(&pids);
	vec_free(&all);
}

void synth_workload(struct synth *s, int32_t pid)
{
	autoclose int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char dir[32];

	if (!(s->what & SYNTH_TASK))
		return;
	snprintf(dir, sizeof(dir), "%d", pid);
	put_namespaces(s, proc, dir, pid, pid);
	put_comm(s, pid, pid, WORKLOAD_COMM);
}
