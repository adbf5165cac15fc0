#ifndef REPORT_TEXT_TEXT_TYPES_H
#define REPORT_TEXT_TEXT_TYPES_H

#include "report/annotate/annotate.h"
#include "symbols/code/access.h"

/*
 * The data that the samples of functions access, summed by type: annotate --data-type and
 * --type-stat.
 */
struct type_sums;
/* Sum over these functions of `h`, which must outlive the result. */
struct type_sums *type_sums_new(const struct hot *h, const uint32_t *functions, size_t n);
void type_sums_free(struct type_sums *t); /* NULL is allowed */

/*
 * Print how many of the sampled instructions access data of a known type, and why the others do
 * not.
 */
void text_type_stat(const struct type_sums *t, struct out *o);
/*
 * Print types with the shares of their members, most accessed first. `name`: only this type, with
 * or without "struct" or "union"; NULL = all. The columns are the n_events `events`, leader first.
 * Return the number of types.
 */
struct annotate_text;
size_t text_types(const struct type_sums *t, const struct annotate_text *how, const char *name, struct out *o);

#endif
