/*
 * script-branches FILE: make a recording with branch records for tests/e2e/script_branch.sh.
 * Standard input describes it in lines; numbers are in hex:
 *
 *	arch NAME                             the machine, as in uname
 *	filter MASK                           branch_sample_type, before any sample; default 8 (any)
 *	caps NUMBER WIDTH                     number of branch counters of the PMU, and their bits
 *	stacks NUMBER                         the branches are call stacks, in a ring of so many
 *	                                      registers; then the first word of a sample is
 *	                                      TID/REGISTER/IP
 *	round                                 a record of stat record, which does not belong there
 *	mmap START LEN PGOFF PATH             a map of process 7, whose name is "branchy"
 *	sample IP FROM,TO,FLAGS[,COUNTERS]... the latest branch first
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/build.h"

enum {
	LINE_MAX_BYTES = 65536,
	BRANCHES_MAX = 256,
	ANY = 8,
	USER = 1,
	CALL_STACK = 1 << 11,
	HW_INDEX = 1 << 17,
	COUNTERS = 1 << 19,
	FEATURE_BIT_ARCH = 6,
	FEATURE_BIT_CPU_PMU_CAPS = 28
};

static void add_sample(struct build *b, char *text, uint64_t time)
{
	struct build_branch branches[BRANCHES_MAX];
	uint64_t counters[BRANCHES_MAX] = { 0 }, type = build_attr(b, 0)->branch_sample_type, tid = 7, latest = 0, ip,
		 chain[] = { CHAIN_USER, 0 };
	size_t n = 0;

	if (type & HW_INDEX) {
		tid = strtoull(text, &text, 10);
		latest = strtoull(text + 1, &text, 10);
		text++;
	}
	ip = chain[1] = strtoull(text, &text, 16);
	while (n < BRANCHES_MAX && *(text += strspn(text, " \n"))) {
		branches[n].from = strtoull(text, &text, 16);
		branches[n].to = strtoull(text + 1, &text, 16);
		branches[n].flags = strtoull(text + 1, &text, 16);
		if (*text == ',')
			counters[n] = strtoull(text + 1, &text, 16);
		n++;
	}
	build_sample(b, .pid = 7, .tid = (int32_t)tid, .time = time, .misc = CPUMODE_USER, .ip = ip, .period = 1000,
		     .branches = branches, .n_branches = n, .hw_idx = latest, .chain = chain, .n_chain = 2,
		     .counters = type & COUNTERS ? counters : NULL);
}

static void add_mmap(struct build *b, char *text)
{
	uint64_t start = strtoull(text, &text, 16), len = strtoull(text, &text, 16), pgoff = strtoull(text, &text, 16);

	text[strcspn(text, "\n")] = '\0';
	build_mmap(b, .pid = 7, .tid = 7, .time = 2, .start = start, .len = len, .pgoff = pgoff, .filename = text + 1);
}

/* u32 number of capabilities; for each a name and a value: u32 length and the bytes. */
static void set_caps(struct build *b, const char (*words)[32], uint32_t n)
{
	uint8_t bytes[4 + 4 * (4 + sizeof(*words))] = { (uint8_t)n };

	for (size_t i = 0; i < 2 * n; i++) {
		uint8_t *at = bytes + 4 + i * (4 + sizeof(*words));

		at[0] = sizeof(*words);
		memcpy(at + 4, words[i], sizeof(*words));
	}
	build_feature(b, FEATURE_BIT_CPU_PMU_CAPS, bytes, 4 + 2 * n * (4 + sizeof(*words)));
}

static void add_caps(struct build *b, const char *text)
{
	char words[4][32] = { "branch_counter_nr", "", "branch_counter_width", "" };

	if (sscanf(text, "%31s %31s", words[1], words[3]) != 2)
		exit(2);
	set_caps(b, words, 2);
}

static void set_stacks(struct build *b, const char *text)
{
	char words[2][32] = { "branches", "" };

	if (sscanf(text, "%31s", words[1]) != 1)
		exit(2);
	set_caps(b, words, 1);
	build_attr(b, 0)->branch_sample_type = USER | CALL_STACK | HW_INDEX;
	build_attr(b, 0)->sample_type |= SAMPLE_CALLCHAIN;
}

int main(int argc, char **argv)
{
	struct build b = build_start(SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU |
				     SAMPLE_PERIOD | SAMPLE_BRANCH_STACK);
	static char line[LINE_MAX_BYTES];
	const uint8_t *bytes;
	uint64_t time = 1000;
	size_t len;
	FILE *f;

	if (argc != 2)
		return 2;
	build_attr(&b, 0)->branch_sample_type = ANY;
	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "branchy");
	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "arch ", 5)) {
			line[strcspn(line, "\n")] = '\0';
			build_feature_text(&b, FEATURE_BIT_ARCH, line + 5);
		} else if (!strncmp(line, "filter ", 7)) {
			build_attr(&b, 0)->branch_sample_type = strtoull(line + 7, NULL, 16);
		} else if (!strncmp(line, "caps ", 5)) {
			add_caps(&b, line + 5);
		} else if (!strcmp(line, "round\n")) {
			build_record(&b, RECORD_STAT_ROUND, 0, (const uint64_t[]){ 1, 2 }, 16, "88");
		} else if (!strcmp(line, "round\n")) {
			build_record(&b, RECORD_STAT_ROUND, 0, (const uint64_t[]){ 1, 2 }, 16, "88");
		} else if (!strncmp(line, "stacks ", 7)) {
			set_stacks(&b, line + 7);
		} else if (!strncmp(line, "mmap ", 5)) {
			add_mmap(&b, line + 5);
		} else if (!strncmp(line, "sample ", 7)) {
			add_sample(&b, line + 7, time += 1000);
		}
	}
	bytes = build_bytes(&b, &len);
	f = fopen(argv[1], "wb");
	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f))
		return 1;
	build_release(&b);
	return 0;
}
