#ifndef RECORD_RINGS_RINGS_H
#define RECORD_RINGS_RINGS_H

#include <signal.h>
#include <sys/uio.h>

#include "base/err.h"
#include "events/events.h"
#include "format/record.h"

/*
 * The rings into which the kernel writes records: one per CPU, or one per thread where events
 * follow a thread over all CPUs. A round looks at each ring once and collects its data, in one
 * or two pieces per ring. Nothing is copied or parsed.
 *
 *	rings_map -> (rings_wait -> (rings_collect -> write iov -> rings_advance)*)* -> rings_release
 *
 * Rings of events with write_backward are flight recorders: the kernel overwrites the oldest
 * records, and only rings_dump() reads them.
 *
 * Source: perf_event_open(2), "MMAP layout"; linux/perf_event.h, struct perf_event_mmap_page.
 */
struct ring {
	void *control; /* the first page; the data follows */
	const uint8_t *data;
	uint64_t size; /* size of data, a power of two */
	/* collected span, empty when equal. Backward: tail is where the last dump began */
	uint64_t tail, head;
	bool backward;
	int fd;      /* of the event that owns it */
	int cpu;     /* -1 = any */
	int32_t tid; /* -1 = any; the first event's */
};

struct witness;

struct ring_patch;

/* Skip the samples of these events that this process caused. */
struct ring_skip {
	uint32_t pid;
	int16_t pid_at, id_at; /* bytes from the sample's header; id_at -1: only one event */
	VEC(uint64_t) ids;     /* ids of the events; in any order until ring_skip_sort */
};
void ring_skip_sort(struct ring_skip *s);
void ring_skip_release(struct ring_skip *s);

struct rings {
	VEC(struct ring) rings;
	VEC(struct iovec) iov; /* result of the last rings_collect, in ring order */
	/* Changed headers to write instead of those in the ring, which we may not change. */
	VEC(struct ring_patch) patches;
	VEC(struct id_index_entry) ids;
	uint64_t pages; /* data pages per ring */
	int epoll;
	VEC(struct witness) witnesses;
	size_t n_alive; /* number of watched witnesses whose task has not ended */
	/* [first, end): rings of the last collect; next: where the next starts */
	size_t first, end, next;
	unsigned fullest; /* share of this round's fullest ring so far, in 256ths */
	int fullest_cpu;  /* its CPU; -1 = any */
	bool one_by_one;  /* collect one ring at a time */
	bool count;       /* count samples and lost; this needs a look at every record */
	bool traced;      /* count AUX records; this also reads every record */
	/* we requested none: clear the flag that some kernels set for another session */
	bool no_build_ids;
	/* in bytes, of records that are no samples; 0 = unknown. Some kernels give these a size that is too large. */
	unsigned trailer_size;
	const struct ring_skip *skip; /* NULL: skip nothing */
	uint64_t most_pages;          /* limit if the user gives no size; 0 = none */
	uint64_t usual_pages;         /* if the user gives no size; 0 = one CPU's share of what every user may lock */
	/* With traced: number of AUX records, and of those that report missing data. */
	uint64_t aux, aux_lost, aux_gaps, aux_collisions;
	uint64_t samples, lost; /* with count: of all collected records; lost: sum of LOST records */
};

/*
 * Map rings for all open descriptors of the list. `pages` 0: as many as one CPU's share of the
 * locked-memory limit allows, or fewer if that fails; then *shrunk is true. On failure nothing
 * is mapped.
 */
int rings_map(struct rings *r, const struct event_list *l, const struct target *t, uint64_t pages, bool *shrunk,
	      struct err *e);
void rings_release(struct rings *r);

/*
 * Sleep until a ring is half full, a signal comes (`mask` is in force meanwhile), a task ends,
 * or timeout_ms is over (-1 = never). Return how many descriptors have data. Ended tasks are
 * subtracted from n_alive.
 */
int rings_wait(struct rings *r, int timeout_ms, const sigset_t *mask);
/*
 * Also end rings_wait() when this descriptor, not one of an event, becomes readable. Return -1
 * with e on failure.
 */
int rings_watch(struct rings *r, int fd, struct err *e);
void rings_unwatch(struct rings *r, int fd);
/*
 * Return another epoll descriptor for the rings, for another thread; the caller closes it. Its
 * events carry the event's descriptor (data.fd). If two threads wait, only the first that asks
 * gets the report. Return -1 with errno on failure.
 */
int rings_also_watch(const struct rings *r);
/*
 * Collect the data of the next rings in iov. Skip rings with less than `least` bytes. Stop when
 * there is enough for one write, so that the kernel soon gets the space back, or at the last
 * ring: then the round is over, and the next call begins another. With a limit (`room` below
 * UINT64_MAX) look at all rings at once. If they hold more, take a share of each, so that all
 * end at about the same time, and set *cut. Return the sum of bytes.
 */
uint64_t rings_collect(struct rings *r, uint64_t least, uint64_t room, bool *cut);
/*
 * Return the CPU where rings are written now; call it behind a round, from CPU `here`. Nothing
 * else writes on our CPU meanwhile, so choose the ring that got the most new data, even if a
 * writer was just moved there. If none got any, choose the fullest of the round. -1 = any.
 */
int rings_written_at(const struct rings *r, int here);
static inline bool rings_round_is_over(const struct rings *r) { return r->next == 0; }
/* Return `least` for callers that want to free space early: a quarter of a ring, in bytes. */
static inline uint64_t rings_quarter(const struct rings *r) { return r->rings.len ? r->rings.items[0].size / 4 : 1; }
/* Release the collected data after it was written: the kernel may overwrite it. */
void rings_advance(struct rings *r);

/*
 * --threads: move the rings of these CPUs, and the witnesses there, to `to`, which the caller
 * zeroed. Take them back before releasing `from`; rings_take_back() adds the counts of `to` to
 * those of `from`, and releases `to`.
 */
int rings_hand_over(struct rings *from, struct rings *to, const struct cpuset *cpus, struct err *e);
void rings_take_back(struct rings *from, struct rings *to);

struct out;
bool rings_any_backward(const struct rings *r);
/*
 * Append what ring number `i` recorded since its last dump and still holds, oldest first, if it
 * is a backward ring. The ring is paused meanwhile, and drops new records. Source:
 * perf_event_open(2), PERF_EVENT_IOC_PAUSE_OUTPUT; write_backward.
 */
void rings_dump(struct rings *r, size_t i, struct out *o);

#endif
