#ifndef REPORT_PRESETS_KWORK_PRIV_H
#define REPORT_PRESETS_KWORK_PRIV_H

#include "base/hash.h"
#include "report/presets/presets.h"
#include "report/waits/calls.h"
#include "report/waits/open_pairs.h"

enum kwork_class { KWORK_IRQ, KWORK_SOFTIRQ, KWORK_WORKQUEUE, KWORK_SCHED, KWORK_N_CLASSES };

/* One kind of work on one CPU. Times in ns. */
struct kwork_item {
	uint64_t id;   /* number of the interrupt or vector, address of the work item, thread */
	uint32_t name; /* texts; 0 = unknown */
	uint32_t cpu;
	uint32_t class;
	uint64_t count, total, max, max_start, max_end;
};

struct kwork {
	const struct kwork_opts *opts;
	enum kwork_view view;
	struct out *out;
	struct session *session;
	struct live_events events;
	struct calls calls;
	struct strtab texts;
	struct u64map index; /* what an item is for -> items + 1 */
	VEC(struct kwork_item) items;
	struct open_pairs raised, entered; /* by item; `value` of entered: time of the raise, 0 = unknown */
	uint64_t n, first, last;           /* number of events; times of the first and the last */
	bool classes[KWORK_N_CLASSES];
};

/* Store which classes are in the list; NULL: the first three. Return -1 with e if a word is unknown. */
int kwork_classes(bool classes[KWORK_N_CLASSES], const char *list, struct err *e);

void kwork_print_head(enum kwork_view view, struct out *o);
/* Print a line of KWORK_TIMEHIST: work of item `i` from `start` to the event `t`. */
void kwork_print_line(struct kwork *w, const struct kwork_item *i, const struct open_pair *start,
		      const struct trace_event *t);
/* Print the rows in the order of the option, and the sums. */
void kwork_print_rows(struct kwork *w, struct out *o);

#endif
