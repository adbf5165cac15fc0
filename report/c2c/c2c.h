#ifndef REPORT_C2C_C2C_H
#define REPORT_C2C_C2C_H

#include "report/text/text.h"

/*
 * Find cache lines that CPUs take from each other: sum sampled accesses by line, and within a line by place, and print
 * the text of perf c2c report.
 *
 *	session_open -> session_walk -> c2c_new -> c2c_print -> c2c_free
 *
 * Example: print the lines of a recording, and for each line the instructions that accessed it.
 *
 *	enum c2c_field by = C2C_CODE;
 *	struct text_opts text = { 0 };
 *	struct c2c_opts opts = { .fields = &by, .n_fields = 1, .grouping = "iaddr", .text = &text };
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct out o;
 *
 *	if (!s || session_walk(s, NULL) < 0)
 *		return 1;
 *	opts.display = c2c_usual_display(s);
 *	out_init_fd(&o, STDOUT_FILENO);
 *	c2c_print(c2c_new(s, &opts), &o);
 *	out_flush(&o);
 */
enum c2c_display {
	C2C_TOTAL,  /* loads of lines that another CPU modified */
	C2C_LOCAL,  /* ... in this node */
	C2C_REMOTE, /* ... in another node */
	C2C_PEER    /* loads that another CPU's cache answered */
};
/* Fields that separate accesses to one offset of a line into rows. */
enum c2c_field { C2C_PID = 1, C2C_TID = 2, C2C_CODE = 4, C2C_OBJECT = 8 };

struct c2c_opts {
	enum c2c_display display;
	const enum c2c_field *fields; /* in the order in which rows are compared */
	size_t n_fields;
	const char *grouping; /* the fields as the user wrote them */
	uint64_t node_info;   /* the last column: 0 nodes, 1 with shares, 2 with CPUs */
	bool double_line;     /* two adjacent lines as one */
	bool show_all;        /* also lines with hardly any sharing */
	bool stats_only;
	bool full_symbols;
	bool no_lines; /* no column of source lines */
	bool chains, caller_first;
	uint32_t max_stack;
	enum graph_by graph_by;
	const struct text_opts *text; /* format of call graphs */
};

struct c2c;
/* Sum up a walked session. The session and the options must outlive the result. */
struct c2c *c2c_new(struct session *s, const struct c2c_opts *opts);
void c2c_print(struct c2c *c, struct out *o);
void c2c_free(struct c2c *c);
/* The starts of the text of each place in a line. */
struct c2c_starts {
	VEC(size_t);
};
/*
 * The parts, for screens: sums; the table of lines, below two lines of titles; the places of a line. `starts`: gets
 * the length that `o` had before each place; may be NULL.
 */
size_t c2c_n_lines(const struct c2c *c);
void c2c_put_sums(const struct c2c *c, struct out *o);
void c2c_put_titles(const struct c2c *c, struct out *o);
void c2c_put_line(const struct c2c *c, size_t line, struct out *o);
void c2c_put_places(const struct c2c *c, size_t line, struct out *o, struct c2c_starts *starts);
/* Return the function of the place's first access, for hot_function_of. false: the address is in no function. */
bool c2c_place_function(const struct c2c *c, size_t line, size_t place, uint32_t *dso, uint32_t *symbol);
/* Return perf's default display for recordings of this architecture. */
enum c2c_display c2c_usual_display(const struct session *s);

#endif
