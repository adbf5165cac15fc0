/* Find the threads that a recording of the whole system is about. */
#include "record/session/recorder_priv.h"

int subjects_find(struct recorder *r, struct err *e)
{
	struct target t = { .pids = r->o.subject_pids, .tids = r->o.subject_tids };

	if (r->o.subject_is_command)
		t.workload = r->workload.pid;
	if (!t.pids && !t.tids && !t.workload)
		return 0;
	if (target_resolve(&t, e) < 0) {
		target_release(&t);
		return -1;
	}
	r->subjects = arena_memdup(&r->whole_run, t.threads.items, t.threads.len * sizeof(int32_t));
	r->n_subjects = (uint32_t)t.threads.len;
	target_release(&t);
	return 0;
}

void subjects_describe(struct recorder *r)
{
	if (!r->n_subjects)
		return;
	r->features.subjects = r->subjects;
	r->features.n_subjects = r->n_subjects;
	feature_set(&r->features, FEATURE_SUBJECTS);
}
