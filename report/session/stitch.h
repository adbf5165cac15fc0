#ifndef REPORT_SESSION_STITCH_H
#define REPORT_SESSION_STITCH_H

#include "report/session/session.h"

/*
 * Some processors keep the call stack in branch registers (attr.branch_sample_type has CALL_STACK).
 * A stack deeper than the number of registers loses its outer calls, but an earlier sample of the
 * thread may have seen them. We continue with the earlier stack if the outermost register of this
 * sample holds the same call in both, and so do its neighbours up to the last register that both
 * use, or to the first one written again.
 *
 * The recording must have the index of the register written last (BRANCH_HW_INDEX) and the number
 * of registers (the processor's capability "branches"). The result is a guess: a program that
 * leaves functions without returning may get joined stacks that never existed.
 */
/*
 * After session_walk: join the stacks. If the recording lacks something, join none, and name it in
 * notes.not_stitched.
 */
void session_stitch(struct session *s);

#endif
