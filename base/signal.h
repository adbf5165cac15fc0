#ifndef BASE_SIGNAL_H
#define BASE_SIGNAL_H

#include <signal.h>

/* The stop flag: number of the signal that asked us to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), 0 while none did. */
extern volatile sig_atomic_t stop_requested;
/* Catch those signals into the flag; SIGPIPE is ignored (writes then fail with EPIPE). */
void stop_on_signals(void);

#endif
