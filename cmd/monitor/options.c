/* The options of all monitors, and why some monitors refuse some of them. */
#include "cmd/monitor/monitor_priv.h"
#include "cmd/shared/options.h"

/* Turn call chains on: "-g", or "--call-graph live". */
static int set_chains(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct monitor_opts *o = opts;

	o->chains = !unset;
	o->chain_mode = value;
	return 0;
}

#define AT(member) offsetof(struct monitor_opts, member)
const struct opt monitor_options[] = {
	{ OPT_NO_LETTER, "input", OPT_INCLUDE, AT(input), NULL,
	  "watch this recording instead of the running system; '-' for a pipe", .rows = usual_options },
	{ 0, "record", OPT_STR, AT(record), "file", "also write a recording" },
	{ 0, "cpu", OPT_INCLUDE, AT(cpus), "list", "watch these CPUs (all)", .rows = target_options },
	{ 0, "pid", OPT_INCLUDE, AT(pids), "pid,...", "watch these processes", .rows = target_options },
	{ 0, "tid", OPT_INCLUDE, AT(tids), "tid,...", "watch these threads", .rows = target_options },
	{ 'i', "interval", OPT_U64, AT(interval_ms), "ms", "print the sums this often, and start again at zero" },
	{ 0, "mmap-pages", OPT_INCLUDE, AT(pages), .rows = target_options },
	{ 'g', "call-graph", OPT_CALL_LAST, 0, "mode", "show call chains: fp (default), live, dwarf, lbr",
	  .call = set_chains, .values = "fp live dwarf lbr" },
	{ 'e', "event", OPT_LIST, AT(events), "event", "events to watch" },
	{ 0, "filter", OPT_STR, AT(filter), "filter", "only events for which this is true" },
	{ 0, "alloc", OPT_STR, AT(alloc), "event", "event that allocates" },
	{ 0, "free", OPT_STR, AT(free), "event", "event that frees" },
	{ 'F', "freq", OPT_U64, AT(freq), "n", "samples a second (100); 0: none" },
	{ 'L', "latency", OPT_U64, AT(latency_us), "us", "report only times longer than this (20000)", .values = "" },
	{ 'T', "trigger", OPT_U64, AT(trigger), "n", "a sample every n events (1000); 0: none" },
	{ 'G', "guest", OPT_BOOL, AT(guest), NULL, "watch only guests" },
	{ 0, "exclude-guest", OPT_BOOL, AT(no_guest), NULL, "without guests" },
	{ 0, "exclude-kernel", OPT_BOOL, AT(no_kernel), NULL, "without the kernel" },
	{ 0, "exclude-user", OPT_BOOL, AT(no_user), NULL, "without programs" },
	{ 'S', "interruptible", OPT_BOOL, AT(asleep), NULL, "sleeps that signals end" },
	{ 'D', "uninterruptible", OPT_BOOL, AT(blocked), NULL, "sleeps that signals do not end" },
	{ 0, "than", OPT_STR, AT(than), "limit", "report only values greater than this", .values = "" },
	{ 0, "key", OPT_STR, AT(key), "field,...",
	  "events with the same value in this field belong together; "
	  "also cpu and tid",
	  .values = "" },
	{ 0, "percpu", OPT_BOOL, AT(percpu), NULL, "a table for each CPU" },
	{ 0, "precise", OPT_BOOL, AT(precise), NULL, "measure in finer steps, at a higher cost" },
	{ 0, "preempt", OPT_BOOL, AT(preempt), NULL, "also report where preemption is off" },
	{ 0, "syscalls", OPT_BOOL, AT(syscalls), NULL, "also count system calls" },
	{ 0, "test", OPT_BOOL, AT(test), NULL, "cause the event that the monitor looks for" },
	{ 0, "heatmap", OPT_BOOL, AT(heatmap), NULL,
	  "at the end, draw how often each length occurred in each interval" },
	{ 0, "histogram", OPT_BOOL, AT(histogram), NULL, "draw how often each length occurred" },
	{ 0, "html", OPT_STR, AT(html), "file", "at the end, write the sums, histogram and heat map as an HTML page",
	  .values = "@file" },
	{ 0, "json", OPT_INCLUDE, AT(json), .rows = usual_options },
	{ 0, "verbose", OPT_INCLUDE, AT(v), NULL, "print more messages about what strobe does", .rows = usual_options },
	{ 0 },
};
#undef AT

static bool lists(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += len)
		if ((at == names || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* Refuse an option that only other monitors have: say why, and which monitors have it. */
static int refuse(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
#define ROW(id, name_, summary, takes_) { &monitor_##id, name_, takes_ },
	static const struct {
		const struct monitor *monitor;
		const char *name, *takes;
	} all[] = { MONITORS(ROW) };
#undef ROW
	const struct monitor_opts *o = opts;
	const char *own = "";
	struct out takers;

	out_init_mem(&takers);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].monitor == o->monitor)
			own = all[i].name;
		else if (lists(all[i].takes, opt->name))
			out_fmt(&takers, "%s%s", takers.len ? ", " : "", all[i].name);
	}
	err_set(e, "--%s is not for %s", opt->name, own);
	err_why(e, "%s", opt->help);
	err_try(e, "run it without this option; monitors that have it: %s", out_text(&takers));
	out_release(&takers);
	return err_exit(e, EXIT_BAD_USAGE);
}

/* To add a row, write an option that only some monitors have, and why the others cannot have it. */
#define REFUSE(letter, name, why) \
	{ \
		letter, name, OPT_CALL_FLAG, 0, NULL, why, OPT_ELSEWHERE, .call = refuse \
	}
const struct opt monitor_elsewhere[] = {
	REFUSE(0, "input", "it reads the present counters of the system; a recording does not have them"),
	REFUSE(0, "record", "it reads the present counters of the system; there are no events to keep"),
	REFUSE('p', "pid", "it watches CPUs, not threads"),
	REFUSE('t', "tid", "it watches CPUs, not threads"),
	REFUSE('i', "interval", "it prints each event when it comes, and has no sums"),
	REFUSE('m', "mmap-pages", "it reads counters, and has no rings"),
	REFUSE('g', "call-graph", "it reads counters, which have no call chains"),
	REFUSE('e', "event", "it uses fixed events"),
	REFUSE(0, "filter", "it must see all its events"),
	REFUSE(0, "alloc", "it does not look for memory"),
	REFUSE(0, "free", "it does not look for memory"),
	REFUSE('F', "freq", "it takes no samples at equal times"),
	REFUSE('L', "latency", "it does not look at interrupts; other limits are --than"),
	REFUSE('T', "trigger", "it reports each event, or only counts events"),
	REFUSE('G', "guest", "its events do not tell guests from their host"),
	REFUSE(0, "exclude-guest", "its events do not tell guests from their host"),
	REFUSE(0, "exclude-kernel", "its events do not tell programs from the kernel"),
	REFUSE(0, "exclude-user", "its events do not tell programs from the kernel"),
	REFUSE('S', "interruptible", "it does not look at sleeps"),
	REFUSE('D', "uninterruptible", "it does not look at sleeps"),
	REFUSE(0, "than", "its values have neither a length nor a share"),
	REFUSE(0, "key", "it does not look for events that belong together, or knows their key"),
	REFUSE(0, "percpu", "its lines have the CPU anyway"),
	REFUSE(0, "precise", "it has no clock whose steps could be finer"),
	REFUSE(0, "preempt", "it does not look at interrupts"),
	REFUSE(0, "syscalls", "it has no table of counts"),
	REFUSE(0, "test", "it cannot cause what it looks for"),
	REFUSE(0, "heatmap", "it does not measure pairs of events"),
	REFUSE(0, "histogram", "it does not measure pairs of events, or always draws one"),
	REFUSE(0, "html", "it does not measure pairs of events"),
	{ 0 },
};
#undef REFUSE
