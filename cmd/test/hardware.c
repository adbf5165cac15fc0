/* strobe test --hardware: the features and the verdicts. */
#include "cmd/test/hardware_priv.h"

#include "base/encode/json.h"
#include "base/encode/json_read.h"
#include "base/new_file.h"

enum { LOOPS = 20000000, LONG_LOOPS = 100000000, FEW = 1000, READS = 20, LOOP_INSTRUCTIONS = 10 };

#define PAIR       "{instructions:u,cycles:u}"
#define FOUR(text) text "," text "," text "," text
#define LOOP(...)  NULL, hardware_loop, LOOPS, __VA_ARGS__

/*
 * One row per feature: name, event, text, kind, what it needs, the work, how much, and counts of one piece.
 * Rows with `needs` are of one vendor's PMU and left out where sysfs has no such file. The work of a row must
 * end in less than a second.
 */
static const struct hardware_feature hardware_features[] = {
	{ "page-faults", "minor-faults:u", "faults of fresh pages", HARDWARE_NEAR, NULL, hardware_pages, FEW, 1 },
	{ "breakpoint", NULL, "stores to a known address", HARDWARE_EXACT, NULL, hardware_stores, FEW, 1 },
	{ "instructions", "instructions:u", "instructions of a loop", HARDWARE_LOOP_KIND, LOOP(LOOP_INSTRUCTIONS) },
	{ "branches", "branches:u", "branches of a loop", HARDWARE_LOOP_KIND, LOOP(1) },
	{ "cycles", "cycles:u", "cycles of a loop", HARDWARE_NONZERO, LOOP() },
	{ "ref-cycles", "ref-cycles:u", "cycles of a constant clock", HARDWARE_NONZERO, LOOP() },
	{ "cache-references", "cache-references:u", "accesses to a cache", HARDWARE_NONZERO, NULL, hardware_reads,
	  READS },
	{ "group", PAIR, "two events at once", HARDWARE_LOOP_KIND, LOOP(LOOP_INSTRUCTIONS) },
	{ "multiplexed", FOUR(FOUR(PAIR)), "groups that share the counters", HARDWARE_SHARED_KIND, NULL, hardware_loop,
	  LONG_LOOPS, LOOP_INSTRUCTIONS, .lacks = "cpu_core/type" },
	{ "clock-samples", "cpu-clock:u", "samples of a clock", HARDWARE_SAMPLES, LOOP() },
	{ "chain", "cpu-clock:u", "frames of three known calls", HARDWARE_SAMPLES, NULL, hardware_calls, LOOPS,
	  .sample = HARDWARE_CHAIN },
	{ "cycles-samples", "cycles:u", "samples of cycles", HARDWARE_SAMPLES, LOOP() },
	{ "precise-1", "cycles:up", "samples of constant skid", HARDWARE_SAMPLES, LOOP() },
	{ "precise-2", "cycles:upp", "samples without skid", HARDWARE_SAMPLES, LOOP() },
	{ "precise-3", "instructions:uppp", "samples of exact instructions", HARDWARE_SAMPLES, LOOP() },
	{ "precise-most", "cycles:uP", "as precise as it gets", HARDWARE_SAMPLES, LOOP() },
	{ "branch-stack", "cycles:u", "a known sequence of branches (LBR, BRBE)", HARDWARE_SAMPLES, NULL,
	  hardware_branches, LOOPS, .sample = HARDWARE_BRANCH },
	{ "call-stack", "cycles:u", "three known calls in branch records", HARDWARE_SAMPLES, NULL, hardware_calls,
	  LOOPS, .sample = HARDWARE_CALL_STACK },
	/* Kinds of cores. */
	{ "core-cores", "cpu_core/instructions/u", "instructions on the large cores", HARDWARE_LOOP_KIND,
	  "cpu_core/type", hardware_loop, LOOPS, LOOP_INSTRUCTIONS, .on = "cpu_core" },
	{ "atom-cores", "cpu_atom/instructions/u", "instructions on the small cores", HARDWARE_LOOP_KIND,
	  "cpu_atom/type", hardware_loop, LOOPS, LOOP_INSTRUCTIONS, .on = "cpu_atom" },
	/*
	 * Accesses to memory. If there is an event mem-loads-aux, loads count only together with
	 * it.
	 */
	{ "mem-loads", "cpu/mem-loads,ldlat=3/upp", "addresses of known loads", HARDWARE_SAMPLES,
	  "cpu/events/mem-loads", hardware_reads, READS, .sample = HARDWARE_ADDRESS,
	  .lacks = "cpu/events/mem-loads-aux" },
	{ "mem-loads-aux", "{cpu/mem-loads-aux/u,cpu/mem-loads,ldlat=3/upp}", "addresses of known loads",
	  HARDWARE_SAMPLES, "cpu/events/mem-loads-aux", hardware_reads, READS, .sample = HARDWARE_ADDRESS },
	{ "mem-stores", "cpu/mem-stores/upp", "addresses of known stores", HARDWARE_SAMPLES, "cpu/events/mem-stores",
	  hardware_stores, LOOPS, .sample = HARDWARE_ADDRESS },
	{ "mem-loads-core", "{cpu_core/mem-loads-aux/u,cpu_core/mem-loads,ldlat=3/upp}", "loads on the large cores",
	  HARDWARE_SAMPLES, "cpu_core/events/mem-loads-aux", hardware_reads, READS, .sample = HARDWARE_ADDRESS,
	  .on = "cpu_core" },
	{ "mem-loads-atom", "cpu_atom/mem-loads,ldlat=3/upp", "loads on the small cores", HARDWARE_SAMPLES,
	  "cpu_atom/events/mem-loads", hardware_reads, READS, .sample = HARDWARE_ADDRESS, .on = "cpu_atom" },
	{ "ibs-op", "ibs_op//", "samples of AMD's operations", HARDWARE_SAMPLES, "ibs_op/type", hardware_loop, LOOPS },
	{ "ibs-memory", "ibs_op//", "addresses of known loads", HARDWARE_SAMPLES, "ibs_op/type", hardware_reads, READS,
	  .sample = HARDWARE_SOME_ADDRESS },
	{ "ibs-fetch", "ibs_fetch//", "samples of AMD's fetches", HARDWARE_SAMPLES, "ibs_fetch/type", hardware_loop,
	  LOOPS },
	/* Traces into an AUX area. */
	{ "intel-pt", "intel_pt//u", "a trace of a loop", HARDWARE_BYTES, "intel_pt/type", hardware_loop, LOOPS },
	{ "intel-bts", "intel_bts//u", "a trace of branches", HARDWARE_BYTES, "intel_bts/type", hardware_loop, LOOPS },
	{ "arm-spe", "arm_spe_0//u", "a trace of operations", HARDWARE_BYTES, "arm_spe_0/type", hardware_loop, LOOPS },
	{ "spe-memory", "arm_spe_0/load_filter=1/u", "addresses of known loads in the trace", HARDWARE_SAMPLES,
	  "arm_spe_0/format/load_filter", hardware_reads, READS, .sample = HARDWARE_TRACED },
	{ "coresight", "cs_etm//u", "a trace of a loop", HARDWARE_BYTES, "cs_etm/type", hardware_loop, LOOPS },
	{ "topdown", "{slots,topdown-retiring,topdown-bad-spec}:u", "slots of the pipeline", HARDWARE_NONZERO,
	  "cpu/events/slots", hardware_loop, LOOPS },
	/* Counters of packages, memory and clocks. */
	{ "time-stamp", "msr/tsc/", "the time stamp counter", HARDWARE_NONZERO, "msr/events/tsc", hardware_loop,
	  LOOPS },
	{ "energy", "power/energy-pkg/", "energy of the packages", HARDWARE_NONZERO, "power/events/energy-pkg" },
	{ "core-sleep", "cstate_core/c6-residency/", "time that cores slept", HARDWARE_NONZERO,
	  "cstate_core/events/c6-residency" },
	{ "memory-controller", "uncore_imc/cas_count_read/", "reads of the memory controllers", HARDWARE_NONZERO,
	  "uncore_imc_0/events/cas_count_read" },
	{ "memory-free-running", "uncore_imc_free_running/data_read/", "reads of the memory controllers",
	  HARDWARE_NONZERO, "uncore_imc_free_running_0/events/data_read" },
	{ "uncore-clock", "uncore_cbox/clockticks/", "clocks of the shared cache", HARDWARE_NONZERO,
	  "uncore_cbox_0/events/clockticks" },
	{ "amd-cache", "amd_l3/event=0x4,umask=0xff/", "requests to the shared cache", HARDWARE_NONZERO,
	  "amd_l3/type" },
	{ "amd-fabric", "amd_df/event=0x7,umask=0x38/", "accesses through the data fabric", HARDWARE_NONZERO,
	  "amd_df/type" },
	{ "arm-cache", "arm_dsu_0/cycles/", "clocks of the shared cache", HARDWARE_NONZERO, "arm_dsu_0/events/cycles" },
	{ "arm-mesh", "arm_cmn_0/dtc_cycles/", "clocks of the mesh", HARDWARE_NONZERO, "arm_cmn_0/events/dtc_cycles" },
	{ 0 },
};

const struct hardware_feature *hardware_find(const char *name)
{
	for (const struct hardware_feature *f = hardware_features; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* `path`: PMU/FILE */
static bool have(const char *path)
{
	const char *slash = strchr(path, '/');
	autofree char *pmu = xstrndup(path, (size_t)(slash - path)), *text = pmu_text(pmu, slash + 1);

	return text;
}

bool hardware_is_here(const struct hardware_feature *f)
{
	return (!f->needs || have(f->needs)) && !(f->lacks && have(f->lacks));
}

/* ---- verdicts ---- */

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

/* Compare only with the truth. */
static bool is_true(enum hardware_kind kind, uint64_t expected, uint64_t got)
{
	switch (kind) {
	case HARDWARE_EXACT: return got == expected;
	case HARDWARE_NEAR: return distance(got, expected) <= expected / 50;
	case HARDWARE_SCALED: return distance(got, expected) <= expected / 4;
	case HARDWARE_SAMPLES: return expected && got * 10 >= expected * 9;
	default: return got > 0;
	}
}

/*
 * Write what perf did differently; "" if nothing. Counts that change from run to run, such as
 * cycles, are not compared, only those of known truth. A number of samples may differ by a quarter.
 * A clock also samples the start of the program, so its number of samples is not compared.
 */
static void compare(enum hardware_kind kind, const struct hardware_outcome *o, char text[120])
{
	const struct hardware_attr *a = &o->attr, *b = &o->peer.attr;
	bool counted = kind == HARDWARE_NEAR || kind == HARDWARE_EXACT;
	uint64_t slack = kind == HARDWARE_SAMPLES ? o->expected / 4 + 4 : o->expected / 50;

	*text = '\0';
	if (o->peer.did == HARDWARE_PEER_REFUSED)
		snprintf(text, 120, "perf is refused");
	else if (a->type != b->type || a->config != b->config || (b->config1 && a->config1 != b->config1))
		snprintf(text, 120, "perf opens type %u config %#llx,%#llx instead of %u %#llx,%#llx", b->type,
			 (unsigned long long)b->config, (unsigned long long)b->config1, a->type,
			 (unsigned long long)a->config, (unsigned long long)a->config1);
	else if (a->precise != b->precise)
		snprintf(text, 120, "perf opens it with precise %u instead of %u", b->precise, a->precise);
	else if ((counted || (kind == HARDWARE_SAMPLES && a->type != PERF_TYPE_SOFTWARE)) &&
		 distance(o->peer.got, o->expected) > slack)
		snprintf(text, 120, "perf has %llu", (unsigned long long)o->peer.got);
}

const char *hardware_judge(enum hardware_kind kind, const struct hardware_outcome *o, char how[HARDWARE_HOW])
{
	unsigned long long expected = o->expected, got = o->got;
	bool works = is_true(kind, expected, got);
	char peer[120] = "";
	size_t len;

	if (o->sys) {
		snprintf(how, HARDWARE_HOW, "%s%s", o->why,
			 o->peer.did == HARDWARE_PEER_DID       ? "; perf opens it"
			 : o->peer.did == HARDWARE_PEER_REFUSED ? "; perf is refused, too"
								: "");
		return o->peer.did == HARDWARE_PEER_DID ? "differs" : "refused";
	}
	if (kind == HARDWARE_SAMPLES)
		snprintf(how, HARDWARE_HOW, "%llu of %llu samples are right", got, expected);
	else if (kind == HARDWARE_BYTES)
		snprintf(how, HARDWARE_HOW, "%llu bytes", got);
	else if (kind == HARDWARE_NONZERO)
		snprintf(how, HARDWARE_HOW, "%llu", got);
	else
		snprintf(how, HARDWARE_HOW, "%llu, the truth is %llu", got, expected);
	if (o->peer.did != HARDWARE_NO_PEER) {
		compare(kind, o, peer);
		len = strlen(how);
		snprintf(how + len, HARDWARE_HOW - len, "; %s", *peer ? peer : "perf has the same");
	}
	return works && !*peer ? "works" : "differs";
}

/* ---- the test ---- */

static void show(struct out *o, const struct hardware_feature *f, const struct hardware_outcome *outcome)
{
	char how[HARDWARE_HOW];
	const char *verdict = hardware_judge(f->kind, outcome, how);

	out_fmt(o, "%-19s %-8s %s: ", f->name, verdict, f->text);
	out_name(o, how);
	out_char(o, '\n');
}

static void measure_all(struct out *o, struct json *file)
{
	autofree char *perf = hardware_find_perf();

	for (const struct hardware_feature *f = hardware_features; f->name; f++) {
		struct hardware_outcome outcome = { 0 };

		if (!hardware_is_here(f))
			continue;
		hardware_measure(f, &outcome);
		if (perf)
			hardware_measure_peer(f, perf, &outcome.attr, &outcome.peer);
		show(o, f, &outcome);
		out_flush(o);
		if (file)
			hardware_write_outcome(file, f, &outcome);
	}
}

static int judge_file(struct out *o, const char *path, struct err *e)
{
	struct json_document d = { 0 };
	const struct json_value *list = hardware_read(&d, path, e);
	int result = list ? 0 : -1;

	for (const struct json_value *v = json_first(&d, list); v && !result; v = json_next(&d, v)) {
		struct hardware_outcome outcome;
		const struct hardware_feature *f = hardware_read_outcome(&d, v, &outcome, e);

		if (f)
			show(o, f, &outcome);
		else
			result = err_in(e, "'%s'", path);
	}
	json_release(&d);
	return result;
}

int hardware_test(const char *input, const char *output, struct err *e)
{
	struct new_file file;
	struct json j;
	struct out o;
	int result;

	out_init_fd(&o, STDOUT_FILENO);
	if (input) {
		result = judge_file(&o, input, e);
		return out_finish(&o, result < 0 ? NULL : e) < 0 ? -1 : result;
	}
	if (output && new_file_open(&file, output, e) < 0)
		return -1;
	if (output)
		j = hardware_write_head(&file.out);
	measure_all(&o, output ? &j : NULL);
	if (output)
		hardware_write_tail(&j);
	if (out_finish(&o, e) < 0)
		return -1;
	return output ? new_file_finish(&file, e) : 0;
}
