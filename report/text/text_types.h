#ifndef REPORT_TEXT_TEXT_TYPES_H
#define REPORT_TEXT_TEXT_TYPES_H

#include "report/annotate/annotate.h"
#include "symbols/code/access.h"

/* What data the samples of functions access, summed up by type: annotate --data-type and --type-stat. */
struct type_sums;
/* Of these functions of `h`, which must outlive it. */
struct type_sums *type_sums_new(const struct hot *h, const uint32_t *functions, size_t n);
void type_sums_free(struct type_sums *t); /* NULL is fine */

/* How many of the sampled instructions access data of a known type, and why the others do not. */
void text_type_stat(const struct type_sums *t, struct out *o);
/*
 * Types with the shares of their members, most accessed first; `name`: only that type, with or without "struct" or
 * "union"; NULL = all. Columns are the n_events `events`, leader first. Returns how many there are.
 */
struct annotate_text;
size_t text_types(const struct type_sums *t, const struct annotate_text *how, const char *name, struct out *o);

#endif
