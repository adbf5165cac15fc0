/* strobe kvm: what guests of KVM cannot do themselves, and how long the host takes for it. */
#include "cmd/commands.h"
#include "cmd/shared/analysis.h"
#include "cmd/shared/live_input.h"
#include "report/presets/presets.h"

struct kvm_command_opts {
	struct analysis_opts in;
	struct kvm_opts kvm;
	const char *output, *key, *event, *pids, *pages, *none;
	bool host, guest, all;
	uint64_t display_s, slow_us;
};
#define AT(member) offsetof(struct kvm_command_opts, member)
static const char no_symbols[] = "the tables of 'kvm stat' need no symbols of a guest";

static const struct opt kvm_options[] = {
	{ 'o', "output", OPT_STR, AT(output), "file", "the recording to write" },
	{ 0, "guest", OPT_BOOL, AT(guest), NULL, "the file is perf.data.guest (default)" },
	{ 0, "host", OPT_BOOL, AT(host), NULL, "the file is perf.data.host; with --guest perf.data.kvm" },
	{ 0, "guestmount", OPT_STR, AT(none), "dir", no_symbols, OPT_REFUSED },
	{ 0, "guestvmlinux", OPT_STR, AT(none), "file", no_symbols, OPT_REFUSED },
	{ 0, "guestkallsyms", OPT_STR, AT(none), "file", no_symbols, OPT_REFUSED },
	{ 0, "guestmodules", OPT_STR, AT(none), "file", no_symbols, OPT_REFUSED },
	{ 0, "guest-code", OPT_BOOL, AT(none), NULL, no_symbols, OPT_REFUSED },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
/* Of both tables of exits. */
static const struct opt exit_options[] = {
	{ 0, "event", OPT_STR, AT(event), "kind", "what to look at: vmexit, mmio, ioport or msr",
	  .values = "vmexit mmio ioport msr" },
	{ 'k', "key", OPT_STR, AT(key), "column", "sort by sample (how often) or time (how long on average)",
	  .values = "sample time" },
	{ 0, "vcpu", OPT_INT, AT(kvm.vcpu), "n", "only the virtual CPU of this number" },
	{ 0, "pid", OPT_INCLUDE, AT(pids), "pid,...", "only guests of these processes", .rows = target_options },
	{ 0 },
};
static const struct opt report_options[] = {
	{ .kind = OPT_INCLUDE, .rows = exit_options },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
static const struct opt live_options[] = {
	{ .kind = OPT_INCLUDE, .rows = exit_options },
	{ 0, "all-cpus", OPT_INCLUDE, AT(all), NULL, "all guests (default)", .rows = target_options },
	{ 'd', "display", OPT_U64, AT(display_s), "seconds", "time between two tables (1)" },
	{ 0, "mmap-pages", OPT_INCLUDE, AT(pages), .rows = target_options },
	{ 0, "duration", OPT_U64, AT(slow_us), "n", "a line for each event that takes at least n us" },
	{ 0, "proc-map-timeout", OPT_STR, AT(none), "ms", "maps of processes are not read here", OPT_REFUSED },
	{ 0, "verbose", OPT_INCLUDE, AT(in.v), NULL, "say more about what is done", .rows = usual_options },
	{ 0 },
};
#undef AT
static const struct kvm_command_opts kvm_defaults = { .kvm.vcpu = -1, .display_s = 1 };

static const char *file_of(const struct kvm_command_opts *c)
{
	return !c->host ? "perf.data.guest" : c->guest ? "perf.data.kvm" : "perf.data.host";
}

static int parse(struct kvm_command_opts *c, struct sample_filter *filter, struct err *e)
{
	static const char *const events[] = { "vmexit", "mmio", "ioport", "msr", NULL };
	static const char *const keys[] = { "sample", "time", NULL };

	if ((c->event && opt_word("--event", c->event, events, e) < 0) ||
	    (c->key && opt_word("--key", c->key, keys, e) < 0) ||
	    (c->pids && sample_filter_add(filter, FILTER_PIDS, c->pids, e) < 0))
		return -1;
	for (size_t i = 0; c->event && events[i]; i++)
		if (!strcmp(c->event, events[i]))
			c->kvm.event = (enum kvm_event)i;
	c->kvm.by_time = c->key && !strcmp(c->key, "time");
	c->kvm.pids = c->pids ? filter : NULL;
	c->kvm.vm = c->pids;
	c->kvm.slow_ns = c->slow_us * 1000;
	return 0;
}

/* Refuse an option before a word that has no use for it. */
static int unused(const char *option, const char *word, struct err *e)
{
	err_set(e, "kvm stat %s has no use for %s", word, option);
	return err_exit(e, EXIT_BAD_USAGE);
}

static int print(struct kvm_command_opts *c, struct err *e)
{
	struct live *live = analysis_open(&c->in, NULL, e);
	struct out o;
	int status;

	if (!live)
		return -1;
	out_init_fd(&o, STDOUT_FILENO);
	status = analysis_finish(live, &o, kvm_stat(live, &c->kvm, &o, e), e);
	live_close(live);
	return status;
}

static int report_run(void *opts, int argc, char **argv, struct err *e)
{
	struct kvm_command_opts *c = opts;
	struct sample_filter filter = { 0 };
	int status = -1;

	if (c->output)
		return unused("--output", "report", e);
	c->in.input = c->in.input ? c->in.input : file_of(c);
	if (analysis_no_words(argc, argv, e) == 0 && parse(c, &filter, e) == 0)
		status = c->in.dump ? analysis_dump(&c->in, e) : print(c, e);
	sample_filter_free(&filter);
	return status;
}

/* ---- live ---- */

static int record_options(const struct kvm_command_opts *c, struct record_opts *o, struct err *e)
{
	static const char *const events[] = { "kvm:kvm_entry", "kvm:kvm_exit", "kvm:kvm_mmio", "kvm:kvm_pio",
					      "kvm:kvm_msr" };
	struct teller teller = usual_teller();

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (i < 2 || analysis_has_event(events[i]))
			vec_push(&o->events, events[i]);
	o->pids = c->pids;
	o->system_wide = !c->pids;
	o->period = 1;
	o->raw = o->sample_cpu = true;
	o->timestamp = TRI_ON;
	o->synth = SYNTH_TASK;
	return c->pages ? record_parse_pages(&o->ring_pages, &o->aux_pages, c->pages, &teller, e) : 0;
}

static int watch(struct kvm_command_opts *c, struct err *e)
{
	struct live_opts opts = { .tick_ms = (unsigned)c->display_s * 1000 };
	struct record_opts record = RECORD_DEFAULTS;
	struct live_input in = { 0 };
	struct out o;
	int rc = -1;

	if (record_options(c, &record, e) == 0 && live_input_open(&in, NULL, &record, &opts, e) == 0) {
		out_init_fd(&o, STDOUT_FILENO);
		rc = analysis_finish(in.live, &o, kvm_stat(in.live, &c->kvm, &o, e), e);
	}
	live_input_close(&in);
	vec_free(&record.events);
	return rc;
}

static int live_run(void *opts, int argc, char **argv, struct err *e)
{
	struct kvm_command_opts *c = opts;
	struct sample_filter filter = { 0 };
	int status = -1;

	if (c->output || c->in.input || c->in.dump)
		return unused("a recording", "live", e);
	raise_verbosity(c->in.v);
	c->kvm.live = true;
	if (analysis_no_words(argc, argv, e) == 0 && parse(c, &filter, e) == 0) {
		if (c->display_s && c->display_s <= 3600)
			status = watch(c, e);
		else
			err_set(e, "--display is 1 to 3600 seconds");
	}
	sample_filter_free(&filter);
	return status;
}

#define KVM_COMMAND(word, text) \
	static const struct command word##_command = { \
		.name = "kvm stat " #word, \
		.summary = text, \
		.run = word##_run, \
		.usage = (const char *const[]){ "[<options>]", NULL }, \
		.options = word##_options, \
		.defaults = &kvm_defaults, \
		.opts_size = sizeof(struct kvm_command_opts), \
	}
KVM_COMMAND(report, "what a recording says about guests");
KVM_COMMAND(live, "the same of the running system, each second");

static int record(const struct kvm_command_opts *c, int argc, char **argv, struct err *e)
{
	const char *const words[] = { "-R", "-m", "1024", "-c", "1", "-o", c->output ? c->output : file_of(c) };
	static const struct analysis_event events[] = { { "kvm:kvm_entry" }, /* the first one must exist */
							{ "kvm:kvm_exit" },
							{ "kvm:kvm_mmio" },
							{ "kvm:kvm_pio" },
							{ "kvm:kvm_msr" } };

	return analysis_record(words, ARRAY_SIZE(words), events, ARRAY_SIZE(events), argc, argv, e);
}

static int kvm_run(void *opts, int argc, char **argv, struct err *e)
{
	if (!argc || strcmp(argv[0], "stat")) {
		err_set(e, argc ? "'%s' is no word of kvm" : "kvm needs a word that says what to do",
			argc ? argv[0] : "");
		err_try(e, "kvm stat record, report or live");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (argc > 1 && !strcmp(argv[1], "record"))
		return record(opts, argc - 2, argv + 2, e);
	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		return command_call(&cmd_kvm, argc, argv, e);
	if (argc < 2 || !command_find_word(&cmd_kvm, argv[1])) {
		err_set(e, argc < 2 ? "kvm stat needs a word that says what to do" : "'%s' is no word of kvm stat",
			argc < 2 ? "" : argv[1]);
		err_try(e, "record, report, live");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return analysis_call_shared(&cmd_kvm, opts, argc - 1, argv + 1, e);
}

const struct command cmd_kvm = {
	.name = "kvm",
	.summary = "show what guests of KVM wait for",
	.run = kvm_run,
	.usage = (const char *const[]){ "[<options>] stat record|report|live [<options>]", NULL },
	.options = kvm_options,
	.defaults = &kvm_defaults,
	.opts_size = sizeof(struct kvm_command_opts),
	.stop_at_word = true,
	.words = "stat",
	.subcommands = (const struct command *const[]){ &report_command, &live_command, NULL },
};
