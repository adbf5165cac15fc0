/* Parse the values of the options for recording. */
#include "record/record.h"

#include <ctype.h>
#include <time.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/out.h"
#include "base/units.h"
#include "events/events.h"
#include "record/attr/attr_config.h"
#include "symbols/symbols.h"

const char record_is_filter[] = "--filter", record_is_pfm[] = "--pfm-events",
	   record_is_exclude_self[] = "--exclude-perf", record_is_cgroup[] = "--cgroup";

enum { DEPTH_MAX = 65535 };

static int bad_chain(const char *text, struct err *e)
{
	err_set(e, "unknown call-graph mode '%s'", text);
	err_try(e, "--call-graph fp[,DEPTH], dwarf[,BYTES], dwarf+fp[,BYTES], live[,BYTES] or lbr");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* perf 7 can ask the kernel (6.19 and later) to write the user part of a chain later, in a record of its own. */
static int no_deferring(struct err *e)
{
	err_set(e, "--call-graph: 'defer' is known, but not supported");
	err_why(e, "strobe does not record call chains whose user part the kernel writes later; it reads them");
	err_try(e, "--call-graph fp, or live, which records whole stacks");
	return err_exit(e, EXIT_BAD_USAGE);
}

int record_parse_chain(struct record_opts *o, const char *text, struct err *e)
{
	static const struct {
		const char *name;
		enum chain_mode mode;
		bool both;
	} modes[] = {
		{ "fp", CHAIN_MODE_FP, false },     { "dwarf", CHAIN_MODE_DWARF, false },
		{ "lbr", CHAIN_MODE_LBR, false },   { "dwarf+fp", CHAIN_MODE_DWARF, true },
		{ "live", CHAIN_MODE_LIVE, false },
	};
	size_t len = strcspn(text, ",");
	uint64_t n = 0;

	o->chain_default = false;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strlen(modes[i].name) != len || strncmp(modes[i].name, text, len))
			continue;
		o->chain = modes[i].mode;
		o->chain_both = modes[i].both;
		if (!text[len])
			return 0;
		if (o->chain == CHAIN_MODE_LBR)
			break;
		if (o->chain == CHAIN_MODE_FP && !strcmp(strrchr(text, ','), ",defer"))
			return no_deferring(e);
		if (parse_size(text + len + 1, &n, e) < 0)
			return err_exit(e, EXIT_BAD_USAGE);
		if (o->chain == CHAIN_MODE_FP) {
			if (!n || n > DEPTH_MAX)
				return err_exit(e, (err_set(e, "bad depth of call graphs '%s'", text + len + 1),
						    EXIT_BAD_USAGE));
			o->chain_depth = (uint32_t)n;
			return 0;
		}
		if (!n || n > STACK_WINDOW_MAX) {
			err_set(e, "bad size of stack copies '%s'", text + len + 1);
			err_why(e, "it is at least 8 and at most %d bytes", STACK_WINDOW_MAX);
			return err_exit(e, EXIT_BAD_USAGE);
		}
		o->stack_bytes = (uint32_t)ROUND_UP(n, 8);
		o->stack_bytes_given = true;
		return 0;
	}
	return bad_chain(text, e);
}

/* Write a size as perf does: "128K". */
static void format_size(uint64_t bytes, char *buf, size_t size)
{
	static const char units[] = "BKMGTPE";
	int unit = 0;

	while (bytes >= 1024 && !(bytes & 1023) && units[unit + 1]) {
		bytes >>= 10;
		unit++;
	}
	snprintf(buf, size, "%llu%c", (unsigned long long)bytes, units[unit]);
}

static int parse_pages(uint64_t *pages, const char *text, const struct teller *teller, struct err *e)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), n, rounded = 1;
	size_t len = strlen(text);
	bool bytes = len && strchr("BKMGbkmg", text[len - 1]);
	char size[32];

	if ((bytes ? parse_size(text, &n, e) : parse_u64(text, &n, e)) < 0 || !n || n > UINT64_MAX / 4 / page) {
		err_clear(e);
		err_set(e, "bad size of ring buffers '%s'", text);
		err_try(e, "a number of pages, or bytes with a suffix B, K, M or G");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (bytes)
		n = (n + page - 1) / page;
	while (rounded < n)
		rounded <<= 1;
	if (rounded != n) {
		format_size(rounded * page, size, sizeof(size));
		tell(teller, "rounding mmap pages size to %s (%llu pages)", size, (unsigned long long)rounded);
	}
	*pages = rounded;
	return 0;
}

int record_parse_pages(uint64_t *pages, uint64_t *aux_pages, const char *text, const struct teller *teller,
		       struct err *e)
{
	const char *comma = strchr(text, ',');
	autofree char *first = comma ? xstrndup(text, (size_t)(comma - text)) : xstrdup(text);

	/* The part behind the comma is the size of AUX areas. Source: perf-record(1). */
	if (comma && parse_pages(aux_pages, comma + 1, teller, e) < 0)
		return -1;
	return comma && !*first ? 0 : parse_pages(pages, first, teller, e);
}

int record_parse_clock(int *clockid, const char *text, struct err *e)
{
	static const struct {
		const char *name;
		int id;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
		{ "mono", CLOCK_MONOTONIC },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "real", CLOCK_REALTIME },
		{ "boot", CLOCK_BOOTTIME },
	};
	const char *name = strncasecmp(text, "CLOCK_", 6) ? text : text + 6;
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcasecmp(name, clocks[i].name)) {
			*clockid = clocks[i].id;
			return 0;
		}
	}
	if (!parse_u64(text, &n, NULL) && n <= CLOCK_TAI) {
		*clockid = (int)n;
		return 0;
	}
	err_set(e, "unknown clock '%s'", text);
	err_try(e, "mono, mono_raw, boot, real or tai");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int parse_span(const char *text, size_t len, struct delay_span *span, struct err *e)
{
	autofree char *copy = xstrndup(text, len), *dash = NULL;
	char *minus = strchr(copy, '-');
	uint64_t from, to = 0;

	if (minus) {
		dash = xstrdup(minus + 1);
		*minus = '\0';
	}
	if (parse_u64(copy, &from, NULL) < 0 || from > UINT32_MAX ||
	    (dash && (parse_u64(dash, &to, NULL) < 0 || to > UINT32_MAX || to <= from))) {
		err_set(e, "bad delay '%.*s'", (int)MIN(len, (size_t)64), text);
		err_try(e, "milliseconds, -1 to stay disabled, or ranges as 10-20,30-40");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	*span = (struct delay_span){ (uint32_t)from, (uint32_t)to };
	return 0;
}

int record_parse_delay(struct record_opts *o, const char *text, struct err *e)
{
	o->n_delays = 0;
	o->stay_disabled = !strcmp(text, "-1");
	while (!o->stay_disabled) {
		size_t len = strcspn(text, ",");
		struct delay_span span;

		if (parse_span(text, len, &span, e) < 0)
			return -1;
		if (o->n_delays == DELAY_SPANS ||
		    (o->n_delays &&
		     (!o->delays[o->n_delays - 1].end_ms || o->delays[o->n_delays - 1].end_ms >= span.start_ms))) {
			err_set(e, "bad delay '%s': at most %d ranges, each behind the one before", text, DELAY_SPANS);
			return err_exit(e, EXIT_BAD_USAGE);
		}
		if (span.start_ms || span.end_ms)
			o->delays[o->n_delays++] = span;
		if (!text[len])
			break;
		text += len + 1;
	}
	return 0;
}

struct known_word {
	const char *name;
	uint64_t bits;
};

/* Join the bits of the words in a list; `*bad` points to the first unknown word. */
static bool parse_words(const char *text, const struct known_word *words, size_t n, uint64_t *bits, const char **bad)
{
	for (;; text++) {
		size_t len = strcspn(text, ","), i;

		for (i = 0; i < n; i++)
			if (strlen(words[i].name) == len && !strncmp(words[i].name, text, len))
				break;
		if (i == n) {
			*bad = text;
			return false;
		}
		*bits |= words[i].bits;
		text += len;
		if (!*text)
			return true;
	}
}

int record_parse_synth(unsigned *what, const char *text, struct err *e)
{
	static const struct known_word words[] = {
		{ "all", SYNTH_ALL },
		{ "task", SYNTH_TASK },
		{ "mmap", SYNTH_TASK | SYNTH_MMAP },
		{ "cgroup", SYNTH_CGROUP },
	};
	uint64_t sum = 0;
	const char *bad;

	if (strcmp(text, "no") && strcmp(text, "none") && !parse_words(text, words, ARRAY_SIZE(words), &sum, &bad)) {
		err_set(e, "unknown kind of synthesised records '%.*s'", (int)strcspn(bad, ","), bad);
		err_try(e, "no, all, or a list of task, mmap and cgroup");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	*what = (unsigned)sum;
	return 0;
}

int record_parse_branches(uint64_t *mask, const char *text, struct err *e)
{
	static const struct known_word words[] = {
		{ "u", PERF_SAMPLE_BRANCH_USER },
		{ "k", PERF_SAMPLE_BRANCH_KERNEL },
		{ "hv", PERF_SAMPLE_BRANCH_HV },
		{ "any", PERF_SAMPLE_BRANCH_ANY },
		{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
		{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
		{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
		{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
		{ "call", PERF_SAMPLE_BRANCH_CALL },
		{ "cond", PERF_SAMPLE_BRANCH_COND },
		{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
		{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
		{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
		{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
		{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
		{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
		{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
		{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
		{ "priv", 1u << 18 },
		{ "counter", 1u << 19 },
	};
	const uint64_t levels = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	const char *bad;

	*mask = 0;
	if (!parse_words(text, words, ARRAY_SIZE(words), mask, &bad)) {
		err_set(e, "unknown branch filter '%.*s'", (int)strcspn(bad, ","), bad);
		err_try(e,
			"any, any_call, any_ret, ind_call, ind_jmp, call, cond, in_tx, no_tx, abort_tx, u, k, hv, ...");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!(*mask & ~levels))
		*mask |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

/* Answer -I?: list the general registers, which the kernel always supports. */
static int list_regs(const char *machine, struct err *e)
{
	struct out o;

	out_init_mem(&o);
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = attr_user_regs() >> bit & 1 ? arch_reg_name(machine, bit) : NULL;

		if (name)
			out_char(&o, ' ');
		for (; name && *name; name++)
			out_char(&o, (char)toupper((unsigned char)*name));
	}
	err_set(e, "available registers:%s", out_text(&o));
	out_release(&o);
	return err_exit(e, EXIT_BAD_USAGE);
}

int record_parse_regs(uint64_t *mask, const char *text, struct err *e)
{
	struct utsname uts;

	*mask = 0;
	uname(&uts);
	if (!text) {
		*mask = attr_user_regs();
		return *mask ? 0 : err_set(e, "registers are not known for this processor architecture");
	}
	if (!strcmp(text, "?"))
		return list_regs(uts.machine, e);
	for (;; text++) {
		size_t len = strcspn(text, ",");
		unsigned bit;

		for (bit = 0; bit < 64; bit++) {
			const char *name = arch_reg_name(uts.machine, bit);

			if (name && strlen(name) == len && !strncasecmp(name, text, len))
				break;
		}
		if (bit == 64) {
			err_set(e, "unknown register '%.*s'", (int)MIN(len, (size_t)64), text);
			return err_exit(e, EXIT_BAD_USAGE);
		}
		*mask |= 1ull << bit;
		text += len;
		if (!*text)
			return 0;
	}
}

/* ---- sizes and times of files ---- */

/* A number with one of these letters behind it. As in perf, sizes need capital letters. */
struct tag {
	char letter;
	uint64_t factor;
};

static bool tagged(const char *text, const struct tag *tags, uint64_t *value)
{
	size_t len = strlen(text);
	autofree char *number = len ? xstrndup(text, len - 1) : NULL;

	for (; number && tags->letter; tags++)
		if (text[len - 1] == tags->letter)
			return !parse_u64(number, value, NULL) && *value &&
			       !__builtin_mul_overflow(*value, tags->factor, value);
	return false;
}

static const struct tag size_tags[] = { { 'B', 1 }, { 'K', 1 << 10 }, { 'M', 1 << 20 }, { 'G', 1 << 30 }, { 0, 0 } };

int record_parse_max_size(uint64_t *bytes, const char *text, struct err *e)
{
	if (tagged(text, size_tags, bytes))
		return 0;
	err_set(e, "bad size '%s'", text);
	err_try(e, "a number with a suffix B, K, M or G: 100M");
	return err_exit(e, EXIT_BAD_USAGE);
}

int record_parse_rotation(struct rotate_opts *o, const char *text, struct err *e)
{
	static const struct tag times[] = {
		{ 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 }, { 0, 0 }
	};

	if (!text || !strcmp(text, "signal")) {
		o->mode = ROTATE_SIGNAL;
		return 0;
	}
	if (tagged(text, size_tags, &o->limit) || tagged(text, times, &o->limit)) {
		o->mode = strchr("BKMG", text[strlen(text) - 1]) ? ROTATE_SIZE : ROTATE_TIME;
		return 0;
	}
	err_set(e, "bad threshold '%s' for switching the output", text);
	err_try(e, "--switch-output=signal, a size with B, K, M or G, or a time with s, m, h or d");
	return err_exit(e, EXIT_INVALID);
}
