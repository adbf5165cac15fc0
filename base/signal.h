#ifndef BASE_SIGNAL_H
#define BASE_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* The stop flag: number of the signal that asked us to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), 0 while none did. */
extern volatile sig_atomic_t stop_requested;
/*
 * Catch those signals into the flag; blocking calls then return EINTR. SIGHUP stays ignored if it was (nohup). Calls
 * ignore_sigpipe() too. All of it is undone by exec.
 */
void stop_on_signals(void);
/*
 * Writes to a closed pipe fail with EPIPE instead of killing us. Done with a handler that does nothing rather than
 * SIG_IGN, which programs that we start would inherit.
 */
void ignore_sigpipe(void);

#endif
