#ifndef REPORT_SESSION_HITS_H
#define REPORT_SESSION_HITS_H

#include "report/session/session.h"

/*
 * Call hit(ctx, dso) for each object that the sample's address or one of the callers recorded with it lies in; for one
 * that is hit again, again. Stacks that were copied are not unwound: build-ids are wanted of what the recorder saw. A
 * record that cannot be decoded hits nothing.
 */
void sample_objects(const struct session *s, struct lookup *l, const struct record *r,
		    void (*hit)(void *ctx, uint32_t dso), void *ctx);

#endif
