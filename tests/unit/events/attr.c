/*
 * Compare our parser's attrs with those of the installed perf (and of perf 7.2, if present) for the
 * same strings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events/events_priv.h"

/* The fields that a string sets; record sets the others. */
struct fields {
	uint64_t type, config, config1, config2, period, exclude_user, exclude_kernel, exclude_hv, exclude_idle,
		exclude_host, exclude_guest;
	uint64_t precise_ip, pinned, exclusive, bp_type;
};
#define FIELD(name, member) \
	{ \
		name, offsetof(struct fields, member) \
	}
static const struct {
	const char *name;
	size_t offset;
} names[] = {
	FIELD("type", type),
	FIELD("config", config),
	FIELD("{ bp_addr, config1 }", config1),
	FIELD("{ bp_len, config2 }", config2),
	FIELD("{ sample_period, sample_freq }", period),
	FIELD("exclude_user", exclude_user),
	FIELD("exclude_kernel", exclude_kernel),
	FIELD("exclude_hv", exclude_hv),
	FIELD("exclude_idle", exclude_idle),
	FIELD("exclude_host", exclude_host),
	FIELD("exclude_guest", exclude_guest),
	FIELD("precise_ip", precise_ip),
	FIELD("pinned", pinned),
	FIELD("exclusive", exclusive),
	FIELD("bp_type", bp_type),
};

/* Read the next "perf_event_attr:" block of perf's -vv. Return false when there is none. */
static bool next_block(FILE *f, struct fields *fields)
{
	char line[1024];
	bool inside = false;

	*fields = (struct fields){ 0 };
	while (fgets(line, sizeof(line), f)) {
		char *p = line + strspn(line, " ");

		if (!strncmp(line, "perf_event_attr:", 16)) {
			inside = true;
			continue;
		}
		if (inside && line[0] == '-')
			return true;
		for (size_t i = 0; inside && i < ARRAY_SIZE(names); i++) {
			size_t len = strlen(names[i].name);

			if (!strncmp(p, names[i].name, len) && p[len] == ' ')
				*(uint64_t *)((char *)fields + names[i].offset) = strtoull(p + len, NULL, 0);
		}
	}
	return false;
}

static struct fields our_fields(const struct event *event)
{
	const struct perf_event_attr *a = &event->attr;
	struct fields f = { a->type,          a->config,         a->config1,    a->config2,      a->sample_period,
			    a->exclude_user,  a->exclude_kernel, a->exclude_hv, a->exclude_idle, a->exclude_host,
			    a->exclude_guest, a->precise_ip,     a->pinned,     a->exclusive,    a->bp_type };

	return f;
}

static const char *const strings[] = {
	"cycles",
	"cpu-cycles:u",
	"instructions:k",
	"branches:uk",
	"cache-misses:upp",
	"ref-cycles:h",
	"bus-cycles:I",
	"cycles:HG",
	"cycles:G",
	"cycles:H",
	"branch-misses:D",
	"cycles:e",
	"cycles:ppp",
	"cpu-clock",
	"task-clock:u",
	"faults",
	"cs",
	"migrations:k",
	"minor-faults",
	"major-faults",
	"alignment-faults",
	"emulation-faults",
	"dummy",
	"bpf-output",
	"cgroup-switches",
	"L1-dcache-loads",
	"L1-dcache-load-misses:u",
	"L1-icache-load-misses",
	"LLC-stores",
	"LLC-prefetch-misses",
	"dTLB-store-misses",
	"iTLB-loads",
	"branch-loads",
	"node-load-misses",
	"r1a8",
	"r1a8:u",
	"rffff",
	"1:0",
	"1:2:u",
	"4:0x1f",
	"mem:0x1000",
	"mem:0x1000:r",
	"mem:0x1000:w:u",
	"mem:0x1000/8:rw",
	"mem:0x1000:x",
	"cpu-clock/period=1000/",
	"cpu-clock/freq=100/u",
	"cycles/period=77,name=x/k",
	"msr/tsc/",
	"msr/event=1/",
	"software/config=3/",
	"{cycles,cs}",
	"{cs:u,branches}:k",
	"{instructions,cycles}:u",
	"sched:sched_switch",
	"sched:sched_w*:k",
};

/* perf before 7 measures only the host by default. */
static void compare(const char *perf, bool host_only, const char *text)
{
	/* stat is faster, but has no periods. */
	bool record = strstr(text, "period=") || strstr(text, "freq=");
	autofree char *command =
		xasprintf("%s %s -vv -e '%s' true 2>&1", perf, record ? "record -o /dev/null" : "stat", text);
	FILE *f;
	struct event_list l = { 0 };
	struct err e = { 0 };

	if (event_list_parse(&l, text, &e) < 0) {
		if (strchr(text, '*') || !strncmp(text, "sched:", 6)) {
			print_message("not compared: %s: %s\n", text, e.why + strspn(e.why, " "));
			return;
		}
		fail_msg("%s: %s %s", text, e.what, e.why);
	}
	f = popen(command, "r");
	assert_non_null(f);
	for (size_t i = 0; i < l.events.len; i++) {
		struct fields theirs, ours = our_fields(&l.events.items[i]);

		/* perf stops at a hardware leader that cannot be opened. */
		if (!next_block(f, &theirs)) {
			if (i == 0)
				fail_msg("%s: %s shows no attr", text, perf);
			break;
		}
		/* If a leader was refused, perf's next tries come before the next member. */
		if (i > 0 && (l.events.items[0].attr.type != PERF_TYPE_SOFTWARE || geteuid()))
			break;
		if (!record)
			theirs.period = ours.period;
		if (host_only)
			theirs.exclude_guest = ours.exclude_guest;
		for (size_t j = 0; j < ARRAY_SIZE(names); j++) {
			uint64_t a = *(uint64_t *)((char *)&ours + names[j].offset),
				 b = *(uint64_t *)((char *)&theirs + names[j].offset);

			if (a != b)
				fail_msg("%s, event %zu: %s is %llx, with %s %llx", text, i, names[j].name,
					 (unsigned long long)a, perf, (unsigned long long)b);
		}
	}
	while (next_block(f, &(struct fields){ 0 }))
		;
	pclose(f);
	event_list_release(&l);
}

static bool runs(const char *perf)
{
	autofree char *command = xasprintf("%s --version >/dev/null 2>&1", perf);

	return system(command) == 0;
}

static void same_as_the_installed_perf(void **state)
{
	char version[64] = "";
	FILE *f;

	if (!runs("perf")) {
		print_message("skipped: no perf is installed\n");
		skip();
	}
	f = popen("perf --version", "r");
	assert_non_null(f);
	if (!fgets(version, sizeof(version), f))
		version[0] = '\0';
	pclose(f);
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		compare("perf", strtol(version + strcspn(version, "0123456789"), NULL, 10) < 7, strings[i]);
}

static void same_as_perf_7_2(void **state)
{
	const char *perf = getenv("STROBE_PERF72");

	if (!perf || !runs(perf)) {
		print_message("skipped: STROBE_PERF72 names no perf 7.2\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		compare(perf, false, strings[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_the_installed_perf),
		cmocka_unit_test(same_as_perf_7_2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
