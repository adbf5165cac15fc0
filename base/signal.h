#ifndef BASE_SIGNAL_H
#define BASE_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* The stop flag: the signal that asked us to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), or 0. */
extern volatile sig_atomic_t stop_requested;
/*
 * Catch these signals and set the flag; blocking calls then return EINTR. SIGHUP stays ignored if
 * it was ignored (nohup). Also calls ignore_sigpipe(). exec undoes all of this.
 */
void stop_on_signals(void);
/*
 * Call stop_on_signals(). Then block its signals, SIGCHLD and `more` (0 = none): they arrive only where the caller
 * waits with *before as its mask, so none is missed between a check of the flag and the sleep. SIGCHLD ends that sleep.
 */
void stop_on_signals_while_waiting(int more, sigset_t *before);
/*
 * Make writes to a closed pipe fail with EPIPE instead of killing us. This uses a handler that does
 * nothing instead of SIG_IGN, because programs that we start would inherit SIG_IGN.
 */
void ignore_sigpipe(void);

#endif
