/* strobe test --hardware: the features, the verdicts, the result file. */
#include "cmd/test/hardware.h"

#include <sys/utsname.h>

#include "base/encode/json.h"
#include "base/encode/json_read.h"
#include "base/file.h"
#include "base/new_file.h"

enum { LOOPS = 20000000, FEW = 1000, RESULT_MAX = 1 << 20, LOOP_INSTRUCTIONS = 10 };

/*
 * One row per feature. Rows with `needs` are of one vendor's PMU and left out where sysfs has no such file.
 * The work of a row must end in less than a second.
 */
const struct hardware_feature hardware_features[] = {
	{ "page-faults", "minor-faults:u", "faults of fresh pages", HARDWARE_NEAR, NULL, hardware_pages, FEW, 1 },
	{ "breakpoint", NULL, "stores to a known address", HARDWARE_EXACT, NULL, hardware_stores, FEW, 1 },
	{ "instructions", "instructions:u", "instructions of a loop", HARDWARE_LOOP_KIND, NULL, hardware_loop, LOOPS,
	  LOOP_INSTRUCTIONS },
	{ "branches", "branches:u", "branches of a loop", HARDWARE_LOOP_KIND, NULL, hardware_loop, LOOPS, 1 },
	{ "cycles", "cycles:u", "cycles of a loop", HARDWARE_NONZERO, NULL, hardware_loop, LOOPS },
	{ "ref-cycles", "ref-cycles:u", "cycles of a constant clock", HARDWARE_NONZERO, NULL, hardware_loop, LOOPS },
	{ "cache-references", "cache-references:u", "accesses to a cache", HARDWARE_NONZERO, NULL, hardware_reads, 20 },
	{ "group", "{instructions:u,branches:u,cycles:u}", "three events at once", HARDWARE_NONZERO, NULL,
	  hardware_loop, LOOPS },
	{ "clock-samples", "cpu-clock:u", "samples of a clock", HARDWARE_SAMPLES, NULL, hardware_loop, LOOPS },
	{ "chain", "cpu-clock:u", "frames of three known calls", HARDWARE_SAMPLES, NULL, hardware_calls, LOOPS,
	  .chain = true },
	{ "cycles-samples", "cycles:u", "samples of cycles", HARDWARE_SAMPLES, NULL, hardware_loop, LOOPS },
	{ "precise-1", "cycles:up", "samples of constant skid", HARDWARE_SAMPLES, NULL, hardware_loop, LOOPS },
	{ "precise-2", "cycles:upp", "samples without skid", HARDWARE_SAMPLES, NULL, hardware_loop, LOOPS },
	{ "precise-3", "instructions:uppp", "samples of exact instructions", HARDWARE_SAMPLES, NULL, hardware_loop,
	  LOOPS },
	{ "branch-stack", "cycles:u", "the branch of a loop (LBR, BRBE)", HARDWARE_SAMPLES, NULL, hardware_loop, LOOPS,
	  .branches = true },
	{ "mem-loads", "cpu/mem-loads,ldlat=3/upp", "addresses of known loads", HARDWARE_SAMPLES,
	  "cpu/events/mem-loads", hardware_reads, 20, .address = true },
	{ "mem-loads-core", "cpu_core/mem-loads,ldlat=3/upp", "the same on large cores", HARDWARE_SAMPLES,
	  "cpu_core/events/mem-loads", hardware_reads, 20, .address = true },
	{ "ibs-op", "ibs_op//", "samples of AMD's operations", HARDWARE_SAMPLES, "ibs_op/type", hardware_loop, LOOPS },
	{ "ibs-fetch", "ibs_fetch//", "samples of AMD's fetches", HARDWARE_SAMPLES, "ibs_fetch/type", hardware_loop,
	  LOOPS },
	{ "intel-pt", "intel_pt//u", "a trace of a loop", HARDWARE_BYTES, "intel_pt/type", hardware_loop, LOOPS },
	{ "arm-spe", "arm_spe_0//u", "a trace of operations", HARDWARE_BYTES, "arm_spe_0/type", hardware_loop, LOOPS },
	{ "topdown", "{slots,topdown-retiring,topdown-bad-spec}:u", "slots of the pipeline", HARDWARE_NONZERO,
	  "cpu/events/slots", hardware_loop, LOOPS },
	{ "energy", "power/energy-pkg/", "energy of the packages", HARDWARE_NONZERO, "power/events/energy-pkg" },
	{ "memory-controller", "uncore_imc/cas_count_read/", "reads of the memory controllers", HARDWARE_NONZERO,
	  "uncore_imc_0/events/cas_count_read" },
	{ 0 },
};

/* ---- verdicts ---- */

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

const char *hardware_judge(enum hardware_kind kind, const struct hardware_outcome *o, char how[200])
{
	unsigned long long expected = o->expected, got = o->got;
	bool works;

	if (o->sys) {
		snprintf(how, 200, "%s", o->why);
		return "refused";
	}
	switch (kind) {
	case HARDWARE_EXACT: works = got == expected; break;
	case HARDWARE_NEAR: works = distance(got, expected) <= expected / 50; break;
	case HARDWARE_SAMPLES: works = expected && got * 10 >= expected * 9; break;
	default: works = got > 0;
	}
	if (kind == HARDWARE_SAMPLES)
		snprintf(how, 200, "%llu of %llu samples are right", got, expected);
	else if (kind == HARDWARE_BYTES)
		snprintf(how, 200, "%llu bytes", got);
	else if (kind == HARDWARE_NONZERO)
		snprintf(how, 200, "%llu", got);
	else
		snprintf(how, 200, "%llu, the truth is %llu", got, expected);
	return works ? "works" : "differs";
}

static void show(struct out *o, const struct hardware_feature *f, const struct hardware_outcome *outcome)
{
	char how[200];
	const char *verdict = hardware_judge(f->kind, outcome, how);

	out_fmt(o, "%-18s %-8s %s: ", f->name, verdict, f->text);
	out_name(o, how);
	out_char(o, '\n');
}

/* ---- the result file ---- */

static void write_outcome(struct out *o, const struct hardware_feature *f, const struct hardware_outcome *outcome,
			  bool first)
{
	struct json j = { .o = o, .comma = ", ", .colon = ": " };
	char how[200];

	out_str(o, first ? "\n\t\t{ " : ",\n\t\t{ ");
	json_text(&j, "feature", f->name);
	json_text(&j, "verdict", hardware_judge(f->kind, outcome, how));
	json_unsigned(&j, "expected", outcome->expected);
	json_unsigned(&j, "got", outcome->got);
	json_unsigned(&j, "errno", (uint64_t)outcome->sys);
	json_text(&j, "why", outcome->why);
	json_unsigned(&j, "type", outcome->type);
	json_hex(&j, "config", outcome->config);
	json_hex(&j, "config1", outcome->config1);
	json_unsigned(&j, "precise", outcome->precise);
	out_str(o, " }");
}

/* The head: what a reader must know of the machine, and nothing that says whose it is. */
static void write_head(struct out *o)
{
	struct json j = { .o = o, .comma = ",\n", .before = "\t", .colon = ": " };
	struct utsname u;

	out_str(o, "{\n");
	json_text(&j, "strobe", STROBE_VERSION);
	if (uname(&u) == 0) {
		u.release[strspn(u.release, "0123456789.")] = '\0'; /* what follows may be the name of a build */
		json_text(&j, "machine", u.machine);
		json_text(&j, "kernel", u.release);
	}
	json_number(&j, "paranoid", paranoid_level());
	json_key(&j, "features");
	out_str(o, "[");
}

static bool is_here(const struct hardware_feature *f)
{
	autofree char *path = f->needs ? xasprintf("/sys/bus/event_source/devices/%s", f->needs) : NULL;

	return !path || access(path, F_OK) == 0;
}

static void measure_all(struct out *o, struct out *file)
{
	bool first = true;

	for (const struct hardware_feature *f = hardware_features; f->name; f++) {
		struct hardware_outcome outcome = { 0 };

		if (!is_here(f))
			continue;
		hardware_measure(f, &outcome);
		show(o, f, &outcome);
		out_flush(o);
		if (file)
			write_outcome(file, f, &outcome, first);
		first = false;
	}
}

/* ---- files of other machines ---- */

static const struct hardware_feature *find_feature(const char *name)
{
	for (const struct hardware_feature *f = hardware_features; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static uint64_t number(const struct json_document *d, const struct json_value *v, const char *key)
{
	return strtoull(json_member(d, v, key), NULL, 0);
}

static int judge_file(struct out *o, const char *path, struct err *e)
{
	struct json_document d = { 0 };
	size_t len;
	autofree char *text = file_read(path, RESULT_MAX, &len, e);
	const struct json_value *list;
	int result = 0;

	if (!text)
		return -1;
	if (json_read(&d, text, len, e) < 0) {
		json_release(&d);
		return err_in(e, "cannot read '%s'", path);
	}
	list = json_find(&d, json_root(&d), "features");
	if (!list || list->kind != JSON_ARRAY)
		result = err_set(e, "'%s' is no result of test --hardware", path);
	for (const struct json_value *v = json_first(&d, list); v && !result; v = json_next(&d, v)) {
		const struct hardware_feature *f = find_feature(json_member(&d, v, "feature"));
		struct hardware_outcome outcome = { .sys = (int)number(&d, v, "errno") };

		if (!f) {
			result =
				err_set(e, "'%s' has the unknown feature '%.40s'", path, json_member(&d, v, "feature"));
			break;
		}
		outcome.expected = number(&d, v, "expected");
		outcome.got = number(&d, v, "got");
		snprintf(outcome.why, sizeof(outcome.why), "%s", json_member(&d, v, "why"));
		show(o, f, &outcome);
	}
	json_release(&d);
	return result;
}

int hardware_test(const char *input, const char *output, struct err *e)
{
	struct new_file file;
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
		write_head(&file.out);
	measure_all(&o, output ? &file.out : NULL);
	if (output)
		out_str(&file.out, "\n\t]\n}\n");
	if (out_finish(&o, e) < 0)
		return -1;
	return output ? new_file_finish(&file, e) : 0;
}
