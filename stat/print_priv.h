#ifndef STAT_PRINT_PRIV_H
#define STAT_PRINT_PRIV_H

#include <locale.h>
#include "base/encode/json.h"
#include "stat/print_table_priv.h"

struct stat_printer {
	const struct table *t;
	const struct metric_list *metrics;
	const struct stat_print_opts *o;
	struct print_frame *f;
	struct out *out;
	locale_t locale; /* for numbers in text */
	int unit_width;
	bool has_cgroups;
};

/* One event at one place, with its derived values. */
struct line {
	const struct counter *counter;
	const struct stat_place *place;
	const struct stat_cell *cell;
	const char *label; /* of the place */
	const struct derived *derived;
	size_t n_derived;
};

/* The three forms: print_text.c, print_csv.c, print_json.c. */
void text_head(const struct stat_printer *p);
void text_line(const struct stat_printer *p, const struct line *l);
void text_foot(const struct stat_printer *p);
void csv_line(const struct stat_printer *p, const struct line *l);
void json_line(const struct stat_printer *p, const struct line *l);

/* Print only derived values, one line per place: print_metrics.c. */
void print_metric_lines(const struct stat_printer *p);

enum { LINE_DERIVED_MAX = 64 };
/* Fill `d` with a cell's derived values and metrics, LINE_DERIVED_MAX at most. Return their number. */
size_t line_derived(const struct stat_printer *p, size_t counter, size_t place, struct derived *d);

/* Print "     0.100168829", the interval's end. */
void text_time(const struct stat_printer *p);
/* Print a place at the start of a line: label and number of CPUs, padded. */
void text_place(const struct stat_printer *p, const char *label, uint32_t n_cpus);
int text_place_width(const struct stat_printer *p);
/*
 * Format a number as in text, without blanks around it, for machine-readable output. `buf` has at
 * least 64 bytes.
 */
const char *bare_number(const struct derived *d, char *buf, size_t size);
/* Print the fields before the value: time or "summary", the place's label, its number of CPUs. */
void csv_start(const struct stat_printer *p, const char *label, uint32_t n_cpus);
/* Print foreign text as one field, quoted if needed. */
void csv_field(const struct stat_printer *p, const char *text);
/* Open a JSON object with the interval and the place, if there are any. The caller adds members and closes it. */
struct json json_start(const struct stat_printer *p, const char *label, uint32_t n_cpus);

#endif
