#include "base/signal.h"

#include <stddef.h>

volatile sig_atomic_t stop_requested;

static void stop(int sig) { stop_requested = sig; }

static void nothing(int sig) {}

static bool ignored(int sig)
{
	struct sigaction now;

	return !sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN;
}

void ignore_sigpipe(void)
{
	struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_RESTART };

	if (!ignored(SIGPIPE))
		sigaction(SIGPIPE, &action, NULL);
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

void stop_on_signals(void)
{
	struct sigaction action = { .sa_handler = stop }; /* no SA_RESTART: poll and read must return */

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		/*
		 * nohup means: keep running. An ignored SIGINT only means that a script runs us in
		 * the background.
		 */
		if (signals[i] != SIGHUP || !ignored(SIGHUP))
			sigaction(signals[i], &action, NULL);
	ignore_sigpipe();
}

void stop_on_signals_while_waiting(int more, sigset_t *before)
{
	struct sigaction wake = { .sa_handler = nothing };
	sigset_t ours;

	stop_on_signals();
	sigaction(SIGCHLD, &wake, NULL);
	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&ours, signals[i]);
	sigaddset(&ours, SIGCHLD);
	if (more)
		sigaddset(&ours, more);
	sigprocmask(SIG_BLOCK, &ours, before);
}
