/* Map the kernel's rings, wait for data, collect it and release it. */
#include "record/rings/rings.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/out.h"
#include "format/record.h"

/* A replaced header, and the index of its piece. */
struct ring_patch {
	size_t iov;
	uint64_t header;
};

/* An event that ends with its task. */
struct witness {
	int fd, cpu;
};

enum { WORTH_A_WRITE = 128 << 10 }; /* enough bytes to make the cost of the system call small */

/* The position while mapping a list: one CPU or thread of an event. */
struct ring_place {
	struct rings *r;
	const struct event *event;
	size_t cpu, thread;
	bool count; /* only count the rings, do not map them */
};

static size_t page_size(void)
{
	static size_t size;

	if (!size)
		size = (size_t)sysconf(_SC_PAGESIZE);
	return size;
}

static int map_ring(struct ring_place *p, int fd, int32_t tid)
{
	struct rings *r = p->r;
	size_t len = (size_t)(1 + r->pages) * page_size();
	bool backward = p->event->attr.write_backward;
	/*
	 * A read-only mapping cannot tell the kernel what we have read, so the kernel
	 * overwrites it.
	 */
	void *control =
		p->count ? NULL : mmap(NULL, len, backward ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (control == MAP_FAILED)
		return -1;
	vec_push(&r->rings, (struct ring){
				    .control = control,
				    .data = control ? (const uint8_t *)control + page_size() : NULL,
				    .size = r->pages * page_size(),
				    .fd = fd,
				    .cpu = p->event->open_cpus[p->cpu],
				    .tid = tid,
				    .backward = backward,
			    });
	return 0;
}

/* Return the index of the ring for this CPU or thread, -1 when there is none yet. */
static long find_ring(const struct ring_place *p, int32_t tid)
{
	int cpu = p->event->open_cpus[p->cpu];

	for (size_t i = 0; i < p->r->rings.len; i++) {
		const struct ring *ring = &p->r->rings.items[i];

		if (ring->cpu == cpu && (cpu >= 0 || ring->tid == tid) &&
		    ring->backward == p->event->attr.write_backward)
			return (long)i;
	}
	return -1;
}

/*
 * Flags in the data of an epoll event, above the descriptor. NO_EVENT: not a descriptor of an
 * event. WITNESS: its end means the end of a task.
 */
#define NO_EVENT (1ull << 32)
#define WITNESS  (1ull << 33)

static int watch(struct rings *r, int fd, uint64_t flag, uint32_t events, struct err *e)
{
	struct epoll_event want = { .events = events, .data.u64 = flag | (uint32_t)fd };

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &want) < 0 ? err_sys(e, "cannot watch descriptor %d", fd) : 0;
}

int rings_watch(struct rings *r, int fd, struct err *e) { return watch(r, fd, NO_EVENT, EPOLLIN, e); }

void rings_unwatch(struct rings *r, int fd) { epoll_ctl(r->epoll, EPOLL_CTL_DEL, fd, NULL); }

/* Add a descriptor to a ring; map a new ring if needed. Return -1 with errno when that fails. */
static int add_fd(struct ring_place *p, int fd, int32_t tid)
{
	struct rings *r = p->r;
	long ring = find_ring(p, tid);

	/* Some kernels do not let events of tasks and of whole CPUs share a ring. */
	if (ring < 0 || (!p->count && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->rings.items[ring].fd) < 0)) {
		if (map_ring(p, fd, tid) < 0)
			return -1;
		ring = (long)r->rings.len - 1;
	}
	vec_push(&r->ids, (struct id_index_entry){
				  .id = p->event->ids[p->cpu * p->event->n_threads + p->thread],
				  .idx = (uint64_t)ring,
				  .cpu = p->event->open_cpus[p->cpu],
				  .tid = tid,
			  });
	return 0;
}

/* Map all rings with r->pages each. Return 0, or the errno of the first failure. */
static int map_all(struct rings *r, const struct event_list *l, const struct target *t, bool only_count)
{
	for (size_t i = 0; i < l->events.len; i++) {
		struct ring_place p = { .r = r, .event = &l->events.items[i], .count = only_count };

		for (p.cpu = 0; p.cpu < p.event->n_cpus; p.cpu++) {
			for (p.thread = 0; p.thread < p.event->n_threads; p.thread++) {
				int fd = event_fd(p.event, p.cpu, p.thread);
				bool all = !t->is_task || p.event->system_wide;

				if (fd >= 0 && add_fd(&p, fd, all ? -1 : t->threads.items[p.thread]) < 0)
					return errno;
			}
		}
	}
	return 0;
}

static void unmap_all(struct rings *r)
{
	for (size_t i = 0; i < r->rings.len; i++)
		if (r->rings.items[i].control)
			munmap(r->rings.items[i].control, (size_t)r->rings.items[i].size + page_size());
	vec_clear(&r->rings);
	vec_clear(&r->ids);
}

/*
 * Return the data pages, a power of two, that the kernel lets every user lock per CPU. One more
 * page is the control page.
 */
static uint64_t default_pages(void)
{
	uint64_t room = mlock_limit_kb() * 1024 / page_size(), pages = 1;

	while (pages * 2 + 1 <= room && pages < (1u << 20))
		pages *= 2;
	return pages;
}

/* A backward ring has no data before it is dumped. */
static uint32_t wanted(bool backward) { return backward ? 0 : EPOLLIN; }

static int watch_tasks(struct rings *r, const struct event *event, struct err *e)
{
	for (size_t j = 0; j < event->n_cpus * event->n_threads; j++) {
		if (event->fds[j] < 0)
			continue;
		if (watch(r, event->fds[j], WITNESS, wanted(event->attr.write_backward), e) < 0)
			return -1;
		vec_push(&r->witnesses, (struct witness){ event->fds[j], event->open_cpus[j / event->n_threads] });
		r->n_alive++;
	}
	return 0;
}

static int watch_ring(struct rings *r, const struct ring *ring, struct err *e)
{
	struct epoll_event data = { .events = wanted(ring->backward), .data.u64 = (uint32_t)ring->fd };

	/* It may be there already, as a witness. */
	if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, ring->fd, &data) < 0 && errno != EEXIST)
		return err_sys(e, "cannot watch descriptor %d", ring->fd);
	return 0;
}

/*
 * Watch the rings and the ends of tasks. A ring wakes all events that write to it, so watching
 * its owner is enough: with hundreds of events, asking each one costs more than writing the
 * data. Any event bound to a task shows that the task ended. The kernel reports "half full"
 * only to the first descriptor that is asked, and that may be a witness: so take data events
 * from witnesses, too.
 */
static int watch_all(struct rings *r, const struct event_list *l, const struct target *t, struct err *e)
{
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0)
		return err_sys(e, "cannot watch events");
	for (size_t i = 0; t->is_task && i < l->events.len; i++) {
		const struct event *event = &l->events.items[i];

		if (event->system_wide || !event->fds)
			continue;
		if (watch_tasks(r, event, e) < 0)
			return -1;
		break;
	}
	for (size_t i = 0; i < r->rings.len; i++)
		if (watch_ring(r, &r->rings.items[i], e) < 0)
			return -1;
	return 0;
}

int rings_also_watch(const struct rings *r)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN };

	for (size_t i = 0; i < r->witnesses.len && epoll >= 0; i++) {
		event.data.fd = r->witnesses.items[i].fd;
		epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
	}
	for (size_t i = 0; i < r->rings.len && epoll >= 0; i++) {
		event.data.fd = r->rings.items[i].fd;
		if (!r->rings.items[i].backward)
			epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
	}
	return epoll;
}

int rings_map(struct rings *r, const struct event_list *l, const struct target *t, uint64_t pages, bool *shrunk,
	      struct err *e)
{
	uint64_t usual = r->usual_pages ? r->usual_pages : default_pages();
	int sys;
	size_t mapped;

	*r = (struct rings){
		.epoll = -1,
		.count = r->count,
		.traced = r->traced,
		.no_build_ids = r->no_build_ids,
		.trailer_size = r->trailer_size,
		.skip = r->skip,
		.most_pages = r->most_pages,
		.pages = pages ? pages : MIN(usual, r->most_pages ? r->most_pages : UINT64_MAX),
	};
	*shrunk = false;
	while ((sys = map_all(r, l, t, false))) {
		mapped = r->rings.len;
		unmap_all(r);
		if (pages || sys != EPERM || r->pages == 1) {
			map_all(r, l, t, true);
			advice_ring((1 + r->pages) * page_size(), mapped, r->rings.len, sys, e);
			rings_release(r);
			return -1;
		}
		r->pages /= 2;
		*shrunk = true;
	}
	if (watch_all(r, l, t, e) < 0) {
		rings_release(r);
		return -1;
	}
	return 0;
}

void rings_release(struct rings *r)
{
	unmap_all(r);
	vec_free(&r->rings);
	vec_free(&r->iov);
	vec_free(&r->patches);
	vec_free(&r->ids);
	vec_free(&r->witnesses);
	if (r->epoll >= 0)
		close(r->epoll);
	r->epoll = -1;
}

int rings_wait(struct rings *r, int timeout_ms, const sigset_t *mask)
{
	struct epoll_event got[64];
	int n = epoll_pwait(r->epoll, got, ARRAY_SIZE(got), timeout_ms, mask), ready = 0;

	for (int i = 0; i < n; i++) {
		if (got[i].data.u64 & NO_EVENT)
			continue;
		ready += !!(got[i].events & EPOLLIN);
		if (!(got[i].events & (EPOLLHUP | EPOLLERR)))
			continue;
		rings_unwatch(r, (int)(uint32_t)got[i].data.u64);
		r->n_alive -= !!(got[i].data.u64 & WITNESS);
	}
	return ready;
}

/*
 * Return the word at position `at` of the ring. Records lie at multiples of 8, so headers and
 * words are never split.
 */
static uint64_t word_at(const struct ring *ring, uint64_t at)
{
	return *(const uint64_t *)(const void *)(ring->data + (at & (ring->size - 1)));
}

struct ring_header {
	uint32_t type;
	uint16_t misc, size;
};

static struct ring_header header_at(const struct ring *ring, uint64_t at)
{
	uint64_t word = word_at(ring, at);
	struct ring_header h;

	memcpy(&h, &word, sizeof(h));
	return h;
}

/*
 * Return the size of what the kernel really wrote of a record about a kernel symbol or a BPF
 * program. If several sessions want such records, some kernels add the trailer's size to the record
 * for each session, but write the trailer once. Behind it are old bytes of the ring. Readers look
 * for the trailer at the end, and perf refuses the whole file. Source: strobe.data(5), KSYMBOL.
 */
static uint16_t written_size(const struct rings *r, const struct ring *ring, uint64_t at, const struct ring_header *h)
{
	uint64_t word = 0, size = 24; /* header, address or id, length or tag; then the symbol's name */

	if (!r->trailer_size || (h->type != RECORD_KSYMBOL && h->type != RECORD_BPF_EVENT))
		return h->size;
	if (h->type == RECORD_KSYMBOL)
		do {
			word = word_at(ring, at + size);
			size += sizeof(word);
		} while (size < h->size && !memchr(&word, 0, sizeof(word)));
	return (uint16_t)MIN(size + r->trailer_size, h->size);
}

/*
 * Return the header to write for a record with the header `h`. Map records may claim a build-id
 * that we did not request: some kernels do this when another session requested it. perf 6.1 aborts
 * on such records, so clear the flag. Source: strobe.data(5), map records.
 */
static struct ring_header true_header(const struct rings *r, const struct ring *ring, uint64_t at, struct ring_header h)
{
	if (r->no_build_ids && h.type == RECORD_MMAP2)
		h.misc &= (uint16_t)~MISC_MMAP_BUILD_ID;
	h.size = written_size(r, ring, at, &h);
	return h;
}

static uint64_t word_of(struct ring_header h)
{
	uint64_t word;

	memcpy(&word, &h, sizeof(word));
	return word;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_skipped(const struct rings *r, const struct ring *ring, uint64_t at, const struct ring_header *h)
{
	const struct ring_skip *s = r->skip;
	uint64_t word;
	uint32_t pid;

	if (!s || h->type != RECORD_SAMPLE)
		return false;
	word = word_at(ring, at + (uint64_t)s->pid_at);
	memcpy(&pid, &word, sizeof(pid));
	if (pid != s->pid || s->id_at < 0)
		return pid == s->pid;
	word = word_at(ring, at + (uint64_t)s->id_at);
	return bsearch(&word, s->ids.items, s->ids.len, sizeof(word), by_number);
}

void ring_skip_sort(struct ring_skip *s) { qsort(s->ids.items, s->ids.len, sizeof(*s->ids.items), by_number); }
void ring_skip_release(struct ring_skip *s) { vec_free(&s->ids); }

/* Source: perf_event_open(2), PERF_RECORD_AUX. */
static void count_aux(struct rings *r, uint64_t flags)
{
	r->aux++;
	r->aux_lost += !!(flags & PERF_AUX_FLAG_TRUNCATED);
	r->aux_gaps += !!(flags & PERF_AUX_FLAG_PARTIAL);
	r->aux_collisions += !!(flags & PERF_AUX_FLAG_COLLISION);
}

static void count(struct rings *r, const struct ring *ring, uint64_t at, const struct ring_header *h)
{
	if (h->type == RECORD_AUX)
		count_aux(r, word_at(ring, at + 24));
	r->samples += h->type == RECORD_SAMPLE;
	if (h->type == RECORD_LOST)
		r->lost += word_at(ring, at + 16);
}

/* Add the pieces of [from, to) of the ring to iov. */
static void push_span(struct rings *r, const struct ring *ring, uint64_t from, uint64_t to)
{
	uint64_t offset = from & (ring->size - 1), len = to - from, first = MIN(len, ring->size - offset);

	if (first)
		vec_push(&r->iov, (struct iovec){ (void *)(uintptr_t)(ring->data + offset), first });
	if (first < len)
		vec_push(&r->iov, (struct iovec){ (void *)(uintptr_t)ring->data, len - first });
}

/* Walk over the record headers of the collected span, and skip, count or change records. */
static void collect_by_record(struct rings *r, const struct ring *ring)
{
	uint64_t start = ring->tail;

	for (uint64_t at = ring->tail; at < ring->head;) {
		struct ring_header h = header_at(ring, at), wanted;

		if (h.size < 8)
			break; /* damaged: the reader of the file will report it */
		if (is_skipped(r, ring, at, &h)) {
			push_span(r, ring, start, at);
			start = at + h.size;
			at = start;
			continue;
		}
		count(r, ring, at, &h);
		wanted = true_header(r, ring, at, h);
		if (word_of(wanted) != word_of(h)) {
			push_span(r, ring, start, at);
			vec_push(&r->patches, (struct ring_patch){ r->iov.len, word_of(wanted) });
			vec_push(&r->iov, (struct iovec){ NULL, sizeof(h) });
			start = at + sizeof(h);
		}
		if (wanted.size < h.size) {
			push_span(r, ring, start, at + wanted.size);
			start = at + h.size;
		}
		at += h.size;
	}
	push_span(r, ring, start, ring->head);
}

static void collect(struct rings *r, const struct ring *ring)
{
	if (r->count || r->traced || r->no_build_ids || r->trailer_size || r->skip)
		collect_by_record(r, ring);
	else
		push_span(r, ring, ring->tail, ring->head);
}

/*
 * Cut the collected data to `room` bytes: each ring keeps its share, in whole records. Return
 * the new sum.
 */
static uint64_t cut_all(struct rings *r, uint64_t sum, uint64_t room)
{
	uint64_t rest = 0;

	for (size_t i = r->first; i < r->end; i++) {
		struct ring *ring = &r->rings.items[i];
		uint64_t len = ring->head - ring->tail, share = (uint64_t)((double)room * (double)len / (double)sum),
			 at = ring->tail;

		if (ring->backward)
			continue;
		while (at < ring->head) {
			struct ring_header h = header_at(ring, at);

			if (h.size < 8 || at + h.size - ring->tail > share)
				break;
			at += h.size;
		}
		ring->head = at;
		rest += at - ring->tail;
	}
	return rest;
}

static void note_share(struct rings *r, const struct ring *ring)
{
	unsigned share = (unsigned)((ring->head - ring->tail) * 256 / ring->size);

	if (share <= r->fullest)
		return;
	r->fullest = share;
	r->fullest_cpu = ring->cpu;
}

uint64_t rings_collect(struct rings *r, uint64_t least, uint64_t room, bool *cut)
{
	uint64_t sum = 0;

	vec_clear(&r->iov);
	vec_clear(&r->patches);
	r->first = r->next;
	if (!r->first)
		r->fullest = 0;
	while (r->next < r->rings.len && (sum < (r->one_by_one ? 1 : WORTH_A_WRITE) || room < UINT64_MAX)) {
		struct ring *ring = &r->rings.items[r->next++];
		struct perf_event_mmap_page *page = ring->control;
		/* acquire: makes the records before the head visible */
		uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

		if (ring->backward || head == ring->tail || head - ring->tail < least)
			continue;
		ring->head = head;
		sum += head - ring->tail;
		note_share(r, ring);
	}
	r->end = r->next;
	if (r->next == r->rings.len)
		r->next = 0;
	*cut = sum > room;
	if (*cut)
		sum = cut_all(r, sum, room);
	for (size_t i = r->first; i < r->end; i++)
		if (!r->rings.items[i].backward)
			collect(r, &r->rings.items[i]);
	for (size_t i = 0; i < r->patches.len; i++) /* only now: `patches` no longer moves */
		r->iov.items[r->patches.items[i].iov].iov_base = &r->patches.items[i].header;
	return sum;
}

int rings_written_at(const struct rings *r, int here)
{
	uint64_t most = 0;
	int cpu = r->fullest_cpu;

	for (size_t i = 0; i < r->rings.len; i++) {
		const struct ring *ring = &r->rings.items[i];
		const struct perf_event_mmap_page *page = ring->control;
		uint64_t again = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED) - ring->tail;

		/* Ignore a few records. */
		if (ring->backward || ring->cpu == here || again <= most || again < ring->size / 256)
			continue;
		most = again;
		cpu = ring->cpu;
	}
	return cpu;
}

void rings_advance(struct rings *r)
{
	for (size_t i = r->first; i < r->end; i++) {
		struct ring *ring = &r->rings.items[i];
		struct perf_event_mmap_page *page = ring->control;

		if (ring->backward || ring->head == ring->tail)
			continue;
		ring->tail = ring->head;
		/* Finish all reads of the data before the kernel may write there again. */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n(&page->data_tail, ring->tail, __ATOMIC_RELEASE);
	}
}

/* ---- flight recorders ---- */

bool rings_any_backward(const struct rings *r)
{
	for (size_t i = 0; i < r->rings.len; i++)
		if (r->rings.items[i].backward)
			return true;
	return false;
}

/* Append bytes [at, at + len) of the ring, which may wrap around. */
static void copy_out(const struct ring *ring, uint64_t at, uint64_t len, struct out *o)
{
	uint64_t from = at & (ring->size - 1), first = MIN(len, ring->size - from);

	out_mem(o, (const char *)ring->data + from, first);
	out_mem(o, (const char *)ring->data, len - first);
}

static void copy_record(const struct rings *r, const struct ring *ring, uint64_t at, struct out *o)
{
	struct ring_header h = true_header(r, ring, at, header_at(ring, at));
	size_t start = o->len;

	copy_out(ring, at, h.size, o);
	memcpy(o->buf + start, &h, sizeof(h));
}

void rings_dump(struct rings *r, size_t i, struct out *o)
{
	struct ring *ring = &r->rings.items[i];
	struct perf_event_mmap_page *page = ring->control;
	VEC(uint64_t) records = { 0 };
	uint64_t head, at, end;

	if (!ring->backward)
		return;
	ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	/*
	 * The head moves down with each record; the newest record lies at the head. The oldest
	 * may be partly overwritten.
	 */
	head = at = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	end = head + MIN(ring->tail - head, ring->size);
	while (at != end) {
		struct ring_header h = header_at(ring, at);

		if (h.size < 8 || h.size > end - at)
			break;
		if (!is_skipped(r, ring, at, &h)) {
			vec_push(&records, at);
			count(r, ring, at, &h);
		}
		at += h.size;
	}
	for (size_t n = records.len; n--;)
		copy_record(r, ring, records.items[n], o);
	ring->tail = head;
	ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	vec_free(&records);
}

/* ---- several threads ---- */

/*
 * Move the witnesses together with the rings: the kernel reports data only to the first that
 * asks.
 */
static int move_witnesses(struct rings *from, struct rings *to, const struct cpuset *cpus, struct err *e)
{
	size_t kept = 0;
	int result = 0;

	for (size_t i = 0; i < from->witnesses.len; i++) {
		struct witness w = from->witnesses.items[i];

		if (result < 0 || !cpuset_has(cpus, w.cpu)) {
			from->witnesses.items[kept++] = w;
			continue;
		}
		rings_unwatch(from, w.fd);
		from->n_alive--;
		vec_push(&to->witnesses, w);
		to->n_alive++;
		result = watch(to, w.fd, WITNESS, EPOLLIN, e);
	}
	from->witnesses.len = kept;
	return result;
}

int rings_hand_over(struct rings *from, struct rings *to, const struct cpuset *cpus, struct err *e)
{
	size_t kept = 0;
	int result;

	*to = (struct rings){ .pages = from->pages,
			      .count = from->count,
			      .traced = from->traced,
			      .no_build_ids = from->no_build_ids,
			      .trailer_size = from->trailer_size,
			      .skip = from->skip,
			      .epoll = epoll_create1(EPOLL_CLOEXEC) };
	if (to->epoll < 0)
		return err_sys(e, "cannot watch events");
	for (size_t i = 0; i < from->rings.len; i++) {
		struct ring ring = from->rings.items[i];

		if (!cpuset_has(cpus, ring.cpu)) {
			from->rings.items[kept++] = ring;
			continue;
		}
		rings_unwatch(from, ring.fd);
		vec_push(&to->rings, ring);
	}
	from->rings.len = kept;
	result = move_witnesses(from, to, cpus, e);
	for (size_t i = 0; i < to->rings.len && !result; i++)
		result = watch_ring(to, &to->rings.items[i], e);
	return result;
}

void rings_take_back(struct rings *from, struct rings *to)
{
	for (size_t i = 0; i < to->rings.len; i++)
		vec_push(&from->rings, to->rings.items[i]);
	from->samples += to->samples;
	from->lost += to->lost;
	from->aux += to->aux;
	from->aux_lost += to->aux_lost;
	from->aux_gaps += to->aux_gaps;
	from->aux_collisions += to->aux_collisions;
	vec_clear(&to->rings); /* `from` unmaps them now */
	rings_release(to);
}
