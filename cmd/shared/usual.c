#include "cmd/commands.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/units.h"

/* Print line by line: say() escapes foreign characters in a line, newlines too. */
static void print_told(void *of, int level, const char *text)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		say_verbose(level, "%.*s", (int)len, text);
	}
}

struct teller usual_teller(void) { return (struct teller){ print_told, NULL, verbosity() }; }

const char *usual_input(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) && access("perf.data", R_OK) ? "-" : "perf.data";
}

uint32_t usual_chain_depth(void)
{
	enum { KERNEL_DEFAULT = 127, MOST = 1 << 20 };
	char text[32];
	uint64_t n;

	if (file_read_line("/proc/sys/kernel/perf_event_max_stack", text, sizeof(text)) < 0 ||
	    parse_u64(text, &n, NULL) < 0 || !n)
		return KERNEL_DEFAULT;
	return (uint32_t)MIN(n, MOST);
}

void die_by(int sig)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	sigaction(sig, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}
