#ifndef REPORT_MONITORS_DELAYS_PRIV_H
#define REPORT_MONITORS_DELAYS_PRIV_H

#include "report/monitors/heat_priv.h"
#include "report/monitors/monitor.h"
#include "report/waits/open_pairs.h"

/*
 * The engine of the monitors pairs and mpdelay: measure the time from each event of a row to the next one with the same
 * key. If an event is not the next one of the row, it makes no pair, and the row starts again at this event.
 */
enum delay_key { DELAY_BY_FIELD, DELAY_BY_CPU, DELAY_BY_TID };

struct delay_cell;

struct delay_place;

struct delays {
	struct open_pairs open; /* the last event with each key; value: its position in the row */
	enum delay_key key;
	size_t n_cells;
	struct delay_cell *cells;
	struct u64map place_index; /* id -> places + 1 */
	VEC(struct delay_place) places;
	uint64_t than_ns, n_lost;
	bool by_thread; /* places are threads */
};

/* The members that these monitors have in common. Their `events` sets `key` and calls delays_events. */
#define DELAYS_MONITOR \
	.sample = delays_sample, .lost = delays_lost, .tick = delays_tick, .skip = delays_skip, \
	.finish = delays_finish, .release = delays_release, .state_size = sizeof(struct delays)

int delays_events(struct monitor_run *run, struct err *e);
void delays_sample(struct monitor_run *run, const struct trace_event *t);
void delays_lost(struct monitor_run *run);
void delays_tick(struct monitor_run *run);
void delays_skip(struct monitor_run *run, uint64_t n);
void delays_finish(struct monitor_run *run);
void delays_release(struct monitor_run *run);

#endif
