#ifndef RECORD_RINGS_RINGS_H
#define RECORD_RINGS_RINGS_H

#include <signal.h>
#include <sys/uio.h>

#include "base/err.h"
#include "events/events.h"
#include "format/record.h"

/*
 * The rings that the kernel writes records into: one per CPU, or per thread where events follow a
 * thread over all CPUs. A round looks at each ring once and collects what lies in it, in one or
 * two pieces per ring; nothing is copied or parsed.
 *
 *	rings_map -> (rings_wait -> (rings_collect -> write iov -> rings_advance)*)* -> rings_release
 *
 * Rings of events with write_backward are flight recorders: the kernel overwrites the oldest
 * records, and they are read by rings_dump alone.
 *
 * Source: perf_event_open(2), "MMAP layout"; linux/perf_event.h, struct perf_event_mmap_page.
 */
struct ring {
	void *control; /* the first page; data behind */
	const uint8_t *data;
	uint64_t size;       /* of data, a power of two */
	uint64_t tail, head; /* collected span; equal: nothing. Backward: tail is where the last dump began */
	bool backward;
	int fd;      /* of the event that owns it */
	int cpu;     /* -1 = any */
	int32_t tid; /* -1 = any; of the first event */
};

struct witness {
	int fd, cpu;
}; /* an event whose end is that of a task */

struct ring_patch {
	size_t iov;
	uint64_t header;
}; /* index of the piece that it is */

/* Samples of these events that are this process's doing are left out. */
struct ring_skip {
	uint32_t pid;
	int16_t pid_at, id_at; /* in bytes from the sample's header; id_at -1: there is one event only */
	VEC(uint64_t) ids;     /* of the events; in any order until ring_skip_sort */
};
void ring_skip_sort(struct ring_skip *s);
void ring_skip_release(struct ring_skip *s);

struct rings {
	VEC(struct ring) rings;
	VEC(struct iovec) iov; /* of the last rings_collect, in ring order */
	VEC(struct ring_patch)
	patches; /* headers that go out other than they lie in the ring, which the kernel does not let us change */
	VEC(struct id_index_entry) ids;
	uint64_t pages; /* data pages of each */
	int epoll;
	VEC(struct witness) witnesses;
	size_t n_alive;          /* of them: those whose task has not ended */
	size_t first, end, next; /* rings that were looked at, [first, end); the next one to look at */
	unsigned fullest;        /* share of the fullest ring of this round so far, in 256ths */
	int fullest_cpu;         /* and its CPU; -1 = any */
	bool one_by_one;         /* collect one ring at a time */
	bool count;              /* samples and lost: the records must be read for it, which else nobody looks at */
	bool traced;             /* count AUX records: the records must be read for it, too */
	bool no_build_ids;       /* none were asked for: take the flag back that some kernels set for another session */
	const struct ring_skip *skip; /* NULL: nothing is left out */
	uint64_t most_pages;          /* that are chosen where none are asked for; 0 = any */
	uint64_t aux, aux_lost, aux_gaps,
		aux_collisions; /* with traced: AUX records, and those that tell what is missing in the area */
	uint64_t samples, lost; /* with count: in all that was collected; lost: sum of LOST records */
};

/*
 * Map rings for all open descriptors of the list. `pages` 0: as many as one CPU's share of the locked-memory limit
 * allows, and if that fails fewer; *shrunk then tells that it is less. On failure nothing is mapped.
 */
int rings_map(struct rings *r, const struct event_list *l, const struct target *t, uint64_t pages, bool *shrunk,
	      struct err *e);
void rings_release(struct rings *r);

/*
 * Sleep until a ring is half full, a signal comes (`mask` is in force meanwhile), a task ends or
 * timeout_ms is over (-1 = never). Returns how many descriptors have data; those of ended tasks
 * are dropped from n_alive.
 */
int rings_wait(struct rings *r, int timeout_ms, const sigset_t *mask);
/* Let rings_wait end when this descriptor, which is none of an event, can be read. -1 with e. */
int rings_watch(struct rings *r, int fd, struct err *e);
void rings_unwatch(struct rings *r, int fd);
/*
 * An epoll descriptor of its own, the caller's, for another thread: what is ready there are descriptors of events
 * (data.fd). Of two that are called, the first that asks gets to know. -1 with errno.
 */
int rings_also_watch(const struct rings *r);
/*
 * What lies in the next rings now: iov. Rings with less than `least` bytes are left for later. It ends when there is
 * enough for a write, so that the kernel gets the room back soon, or with the last ring: the round is over then, the
 * next call begins another. With a limit, `room` less than UINT64_MAX, it looks at all rings at
 * once, and of more bytes each gives its share, so that all end at about the same time; *cut tells
 * then. Returns the sum of bytes.
 */
uint64_t rings_collect(struct rings *r, uint64_t least, uint64_t room, bool *cut);
/*
 * Behind a round: the CPU at which rings are written now, by who reads them at CPU `here`. Nobody else writes there
 * meanwhile, so it is the one whose ring has the most again, be it that a writer was moved there;
 * if none has, the one whose ring was the fullest. -1 = any.
 */
int rings_written_at(const struct rings *r, int here);
static inline bool rings_round_is_over(const struct rings *r) { return r->next == 0; }
/* `least` for those that want room rather than few writes: bytes of a quarter of a ring. */
static inline uint64_t rings_quarter(const struct rings *r) { return r->rings.len ? r->rings.items[0].size / 4 : 1; }
/* What was collected has been written: the kernel may use its place again. */
void rings_advance(struct rings *r);

/*
 * --threads: the rings of these CPUs are read, and the ends of tasks there are seen, through `to` from now on, which
 * the caller zeroed. They must be taken back before `from` is released; `to` is released by that.
 */
int rings_hand_over(struct rings *from, struct rings *to, const struct cpuset *cpus, struct err *e);
void rings_take_back(struct rings *from, struct rings *to);

struct out;
bool rings_any_backward(const struct rings *r);
/*
 * Append what ring number `i` recorded since its last dump and still holds, oldest first, if it is a backward one. It
 * stands still meanwhile: what would be written into it then is dropped. Source: perf_event_open(2),
 * PERF_EVENT_IOC_PAUSE_OUTPUT; write_backward.
 */
void rings_dump(struct rings *r, size_t i, struct out *o);

#endif
