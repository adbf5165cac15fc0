/* Map AUX areas and write their contents into the output. */
#include "record/rings/aux_priv.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "format/record.h"
#include "record/attr/aux_kind.h"

struct aux_tracer {
	int fd;
	uint32_t area;
};

enum { LEAST_PAGES = 2 };

/* Header of an AUXTRACE record. Source: strobe.data(5), AUXTRACE. */
struct auxtrace {
	uint32_t type;
	uint16_t misc, record_size;
	uint64_t size, offset, reference;
	uint32_t idx;
	int32_t tid, cpu;
	uint32_t pad;
};

/* ---- arithmetic ---- */

static bool any_bytes(const uint8_t *p, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++)
		if (p[i])
			return true;
	return false;
}

struct aux_span aux_span_snapshot(struct aux_area *a, uint64_t head, uint64_t search_bytes)
{
	uint64_t from = a->at & (a->size - 1), search;

	if (!search_bytes || head >= a->size)
		return (struct aux_span){ head - a->at > a->size ? head - a->size : a->at, head };
	search = MIN(search_bytes, a->size - head);
	a->wrapped = a->wrapped || any_bytes(a->data + a->size - search, search);
	if (a->wrapped)
		return (struct aux_span){ head, head + a->size };
	return (struct aux_span){ from, from > head ? head + a->size : head };
}

uint64_t aux_pieces(const struct aux_area *a, const struct aux_span *s, uint64_t most, unsigned alignment,
		    struct iovec pieces[2])
{
	uint64_t len = MIN(s->to - s->from, most), at = (s->to - len) & (a->size - 1), first = MIN(len, a->size - at),
		 rest = len - first;

	/*
	 * A tracer's records never wrap around the end of the area; the rest before the end
	 * holds no record.
	 */
	if (alignment)
		first -= first % alignment;
	pieces[0] = (struct iovec){ (void *)(uintptr_t)(a->data + at), first };
	pieces[1] = (struct iovec){ (void *)(uintptr_t)a->data, rest };
	return first + rest;
}

/* ---- mapping ---- */

static uint64_t page_size(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

static void unmap_all(struct aux *a)
{
	for (size_t i = 0; i < a->areas.len; i++)
		munmap((void *)(uintptr_t)a->areas.items[i].data, a->areas.items[i].size);
	vec_clear(&a->areas);
	vec_clear(&a->tracers);
}

static const struct ring *ring_of(const struct rings *r, uint64_t id, uint32_t *idx)
{
	for (size_t i = 0; i < r->ids.len; i++) {
		if (r->ids.items[i].id != id)
			continue;
		*idx = (uint32_t)r->ids.items[i].idx;
		return &r->rings.items[*idx];
	}
	return NULL;
}

/* Map an area. Return 0, or the errno. */
static int map_area(struct aux *a, const struct ring *ring, uint32_t idx, int fd, int32_t tid)
{
	struct perf_event_mmap_page *page = ring->control;
	uint64_t size = a->plan.pages * page_size(), offset = page_size() + ring->size;
	void *data;

	page->aux_offset = offset;
	page->aux_size = size;
	data = mmap(NULL, size, a->plan.mode == AUX_FULL ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd,
		    (off_t)offset);
	if (data == MAP_FAILED)
		return errno;
	vec_push(&a->areas,
		 (struct aux_area){
			 .control = page, .data = data, .size = size, .idx = idx, .cpu = ring->cpu, .tid = tid });
	return 0;
}

static int add_tracer(struct aux *a, const struct rings *r, int fd, uint64_t id, int32_t tid)
{
	uint32_t idx, area = 0;
	const struct ring *ring = ring_of(r, id, &idx);
	int sys;

	if (!ring)
		return 0;
	while (area < a->areas.len && a->areas.items[area].idx != idx)
		area++;
	if (area == a->areas.len && (sys = map_area(a, ring, idx, fd, tid)))
		return sys;
	vec_push(&a->tracers, (struct aux_tracer){ fd, area });
	return 0;
}

/* Map all areas. Return 0, or the errno of the first failure. */
static int map_all(struct aux *a, const struct event_list *l, const struct rings *r, const struct target *t)
{
	for (size_t i = 0; i < l->events.len; i++) {
		const struct event *event = &l->events.items[i];

		for (size_t j = 0; event_is_aux(event) && event->fds && j < event->n_cpus * event->n_threads; j++) {
			size_t thread = j % event->n_threads;
			/* A CPU's area serves all threads; readers expect the first. */
			int32_t tid =
				!t->is_task ? -1
					    : t->threads.items[event->open_cpus[j / event->n_threads] < 0 ? thread : 0];
			int sys = event->fds[j] < 0 ? 0 : add_tracer(a, r, event->fds[j], event->ids[j], tid);

			if (sys)
				return sys;
		}
	}
	return 0;
}

static int refuse_map(const struct aux *a, size_t mapped, int sys, struct err *e)
{
	errno = sys;
	err_sys(e, "cannot map an AUX area of %llu KB", (unsigned long long)(a->plan.pages * page_size() / 1024));
	if (sys == EPERM) {
		err_why(e,
			"it is more than the limit of locked memory (ulimit -l, perf_event_mlock_kb) leaves beside the "
			"ring buffers; %zu are mapped",
			mapped);
		err_try(e, "-m with smaller sizes: -m 64,%llu",
			(unsigned long long)MAX(a->plan.pages / 2, (uint64_t)LEAST_PAGES));
	} else if (sys == ENOMEM) {
		err_why(e, "the kernel has no memory for it");
		err_try(e, "a smaller one: -m ,%llu",
			(unsigned long long)MAX(a->plan.pages / 2, (uint64_t)LEAST_PAGES));
	} else if (sys == EOPNOTSUPP || sys == EINVAL) {
		err_why(e, "the tracer does not take one of this size or kind");
		err_try(e, "another size: -m ,1024");
	}
	return -1;
}

int aux_map(struct aux *a, const struct event_list *l, const struct rings *r, const struct target *t, bool fixed,
	    struct err *e)
{
	int sys;

	while ((sys = map_all(a, l, r, t))) {
		size_t mapped = a->areas.len;

		unmap_all(a);
		if (fixed || sys != EPERM || a->plan.pages <= LEAST_PAGES)
			return refuse_map(a, mapped, sys, e);
		a->plan.pages /= 2;
	}
	return 0;
}

void aux_release(struct aux *a)
{
	unmap_all(a);
	vec_free(&a->areas);
	vec_free(&a->tracers);
}

/* ---- reading ---- */

static int put(struct aux *a, const struct aux_area *area, uint64_t offset, struct iovec pieces[2], uint64_t len,
	       struct writer *w, struct err *e)
{
	static const uint64_t zero;
	uint64_t padding = ROUND_UP(len, 8) - len;
	struct auxtrace head = {
		.type = RECORD_AUXTRACE,
		.record_size = sizeof(head),
		.size = len + padding,
		.offset = offset,
		.reference = aux_reference(a->plan.kind),
		.idx = area->idx,
		.tid = area->tid,
		.cpu = area->cpu,
	};
	struct iovec iov[] = { { &head, sizeof(head) }, pieces[0], pieces[1], { (void *)(uintptr_t)&zero, padding } };

	return writer_auxtrace(w, iov, ARRAY_SIZE(iov), e);
}

static uint64_t head_of(const struct aux_area *area)
{
	/* acquire: makes the data before the head visible */
	return __atomic_load_n(&((struct perf_event_mmap_page *)area->control)->aux_head, __ATOMIC_ACQUIRE);
}

static void advance(struct aux_area *area, uint64_t to)
{
	struct perf_event_mmap_page *page = area->control;

	area->at = to;
	/* Finish all reads of the data before the kernel may write there again. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&page->aux_tail, to, __ATOMIC_RELEASE);
}

/*
 * Enable the tracers of an area again: the kernel disabled those without room, and does not say
 * which.
 */
static void switch_on(const struct aux *a, uint32_t area)
{
	for (size_t i = 0; a->on && i < a->tracers.len; i++)
		if (a->tracers.items[i].area == area)
			ioctl(a->tracers.items[i].fd, PERF_EVENT_IOC_ENABLE, 0); /* fails if its task ended */
}

int aux_read(struct aux *a, struct writer *w, uint64_t room, bool *full, struct err *e)
{
	for (uint32_t i = 0; a->plan.mode == AUX_FULL && i < a->areas.len; i++) {
		struct aux_area *area = &a->areas.items[i];
		struct aux_span span = { area->at, head_of(area) };
		uint64_t left = room > sizeof(struct auxtrace) ? (room - sizeof(struct auxtrace)) & ~7ull : 0, len;
		struct iovec pieces[2];

		if (span.from == span.to)
			continue;
		if (span.to - span.from > left) {
			*full = true;
			if (!left)
				return 0;
			span.to = span.from + left;
		}
		len = aux_pieces(area, &span, UINT64_MAX, a->plan.kind->alignment, pieces);
		if (len && put(a, area, span.from, pieces, len, w, e) < 0)
			return -1;
		room -= room == UINT64_MAX ? 0 : sizeof(struct auxtrace) + ROUND_UP(len, 8);
		advance(area, span.to);
		if (*full)
			return 0;
		switch_on(a, i);
	}
	return 0;
}

int aux_snapshot(struct aux *a, struct writer *w, struct err *e)
{
	for (size_t i = 0; a->plan.mode == AUX_SNAPSHOT && i < a->areas.len; i++) {
		struct aux_area *area = &a->areas.items[i];
		struct aux_span span = aux_span_snapshot(area, head_of(area), a->plan.kind->search_bytes);
		struct iovec pieces[2];
		uint64_t len = aux_pieces(area, &span, a->plan.snapshot_bytes, a->plan.kind->alignment, pieces);

		if (len &&
		    put(a, area, span.to - MIN(span.to - span.from, a->plan.snapshot_bytes), pieces, len, w, e) < 0)
			return -1;
		area->at = span.to;
	}
	return 0;
}
