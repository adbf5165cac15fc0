#ifndef REPORT_STACKS_FLEET_H
#define REPORT_STACKS_FLEET_H

#include "base/encode/table.h"
#include "report/stacks/export.h"

/*
 * A recording as four tables for engines that hold those of many machines. Keys are hashes of a row's content, so
 * rows of many hosts and days join without coordination, and a recording that is sent twice has the same rows again.
 *
 *	runs     one row: the recording
 *	samples  a row per sample; its key is (run, sample)
 *	stacks   a row per distinct stack: the keys of its frames, leaf first
 *	frames   a row per distinct function, call inlined into another, or address
 */
enum fleet_table { FLEET_FRAMES, FLEET_STACKS, FLEET_SAMPLES, FLEET_RUNS, FLEET_TABLES };
struct fleet {
	struct data_table
		tables[FLEET_TABLES]; /* in the order in which to write them: first the tables that others refer to */
	uint64_t run;                 /* its key */
	uint64_t start_ns, end_ns;    /* of the wall clock if the recording tells it */
	bool wall_clock;
	const char *host, *service; /* escaped, "" = unknown */
	/* The rest is the writer's. */
	const struct stacks *st;
	const struct session *s;
	struct out cmdline, host_text, service_text;
	uint64_t *frame_of;          /* key by name */
	uint64_t *stack_of;          /* key by node */
	VEC(uint32_t) frames, nodes; /* rows: a name each, a node each */
	VEC(uint64_t) list;
	uint64_t weight;
};

/*
 * Make the tables of stacks that have `frames` and `each`; both arguments must outlive them. `service`: what the host
 * runs, for queries to select by; NULL = "".
 */
struct fleet *fleet_new(const struct stacks *st, const struct session *s, const char *service);
void fleet_free(struct fleet *f);
/*
 * Write the tables as Parquet files NAME-RUN.parquet into a directory, which is made if it is missing; runs comes last.
 * Files of the same recording are replaced. Return -1 with e when one cannot be written.
 */
int fleet_write_parquet(const struct fleet *f, const char *dir, struct err *e);

#endif
