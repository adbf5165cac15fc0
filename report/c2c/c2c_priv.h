#ifndef REPORT_C2C_C2C_PRIV_H
#define REPORT_C2C_C2C_PRIV_H

#include "report/c2c/c2c.h"

/* ---- sums.c ---- */

/* The counts of accesses. */
enum c2c_sum {
	C2C_ACCESSES,
	C2C_LOCKED,
	C2C_LOADS,
	C2C_LOAD_UNCACHED,
	C2C_LOAD_IO,
	C2C_LOAD_MISS,
	C2C_LOAD_NO_ADDRESS,
	C2C_FILL_BUFFER,
	C2C_L1,
	C2C_L2,
	C2C_LLC,
	C2C_LOCAL_HITM, /* a load of a line that another CPU has modified */
	C2C_REMOTE_HITM,
	C2C_TOTAL_HITM,
	C2C_REMOTE_HIT,
	C2C_LOCAL_RAM,
	C2C_REMOTE_RAM,
	C2C_EXCLUSIVE,
	C2C_SHARED,
	C2C_BLOCKED_BY_DATA,
	C2C_BLOCKED_BY_ADDRESS,
	C2C_LOCAL_PEER, /* a load that another CPU's cache answered */
	C2C_REMOTE_PEER,
	C2C_TOTAL_PEER,
	C2C_STORES,
	C2C_STORE_UNCACHED,
	C2C_STORE_NO_ADDRESS,
	C2C_STORE_L1_HIT,
	C2C_STORE_L1_MISS,
	C2C_STORE_NO_LEVEL,
	C2C_NO_MAP,
	C2C_NO_OPERATION,
	C2C_SUMS
};
struct c2c_sums {
	uint64_t n[C2C_SUMS];
};
/* Count one access. `is_mapped`: the recording maps both the address and that of the code. */
void c2c_count(struct c2c_sums *s, uint64_t data_src, bool has_address, bool is_mapped);
void c2c_sums_add(struct c2c_sums *to, const struct c2c_sums *s);

/* ---- c2c.c ---- */

/* A sample. */
struct c2c_access {
	uint64_t time, address, ip, data_src, phys, weight, period;
	uint64_t line; /* start of the line: in the object, or in memory if the process owns it */
	uint64_t ino;  /* of the object; 0: the memory is the process's own */
	int32_t pid, tid;
	uint32_t cpu;
	uint32_t site; /* of the code */
	uint32_t comm;
	uint32_t part, chain; /* of the profile */
	uint8_t mode;
	bool is_mapped; /* the address */
};

struct c2c_mean {
	double mean;
	uint64_t n;
};
enum c2c_means {
	C2C_MEAN_REMOTE_HITM,
	C2C_MEAN_LOCAL_HITM,
	C2C_MEAN_REMOTE_PEER,
	C2C_MEAN_LOCAL_PEER,
	C2C_MEAN_LOAD,
	C2C_MEANS
};

/* A row: a line, or a place in a line. Its accesses are those from `from` up to `to`. */
struct c2c_row {
	size_t from, to;
	struct c2c_access first; /* in time */
	struct c2c_sums sums;
	struct c2c_mean means[C2C_MEANS]; /* cycles of loads */
	uint64_t n_phys;                  /* how often the physical address changed */
};
struct c2c_line {
	struct c2c_row all;
	size_t from, to, end; /* its places: those shown up to `to` */
	uint64_t period;
};

/* The node of each CPU, as an index into the recording's list of nodes; -1 = none. */
struct c2c_nodes {
	uint32_t n, n_cpus;
	int32_t *of_cpu;
};

struct c2c {
	const struct c2c_opts *opts;
	struct session *session;
	struct profile_filter filter;
	struct profile_opts profile_opts;
	struct profile *profile;
	struct fold fold; /* of the profile; without rows */
	struct view_opts view_opts;
	struct view view; /* names of sites */
	struct c2c_nodes nodes;
	VEC(struct c2c_access) accesses;
	VEC(struct c2c_line) lines;
	VEC(struct c2c_row) places;
	struct c2c_sums sums;   /* of all accesses */
	struct c2c_sums shared; /* of shared lines */
	uint64_t n_shared;
};
/* Return which count the display option chose for the order of rows. */
enum c2c_sum c2c_shown_sum(const struct c2c *c);
/* Return the offset of an address in its line. */
uint64_t c2c_offset(const struct c2c *c, uint64_t address);
/* Return the address of the line that contains an address. */
uint64_t c2c_line_address(const struct c2c *c, uint64_t address);
/* Return the number that the machine gives to the node with this physical address; -1: unknown. */
int c2c_memory_node(const struct c2c *c, uint64_t phys);

/* ---- columns.c ---- */

enum { C2C_COLUMNS_MAX = 32 };
struct c2c_cell {
	const struct c2c *c;
	const struct c2c_line *line;
	const struct c2c_row *row;
	size_t number; /* of the line */
};
struct c2c_column {
	const char *group, *title; /* the title above one or more columns; the column's own title */
	int width;
	void (*text)(const struct c2c_cell *x, struct out *o); /* NULL: an empty column */
	uint8_t span; /* number of columns below `group`; 0: an earlier column's group includes this one */
	bool left;
	int (*needs)(const struct c2c_cell *x); /* the width that this cell needs; NULL: the column never grows */
	int most;                               /* cut wider texts; 0 = never */
};
struct c2c_columns {
	struct c2c_column items[C2C_COLUMNS_MAX];
	size_t n;
};
void c2c_line_columns(const struct c2c *c, struct c2c_columns *to);
void c2c_head_columns(const struct c2c *c, struct c2c_columns *to);
/* Return the columns for the places in a line, wide enough for them. */
void c2c_place_columns(const struct c2c *c, const struct c2c_line *line, struct c2c_columns *to);

#endif
