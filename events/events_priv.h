#ifndef EVENTS_EVENTS_PRIV_H
#define EVENTS_EVENTS_PRIV_H

#include "events/events.h"

/* ---- sys.c: access to the kernel; tests replace it ---- */

/*
 * perf_event_open(2). `attr` is the event's attr with its newer members, `size` bytes long. Return
 * -1 with errno.
 */
int sys_perf_event_open(const void *attr, int32_t pid, int cpu, int group_fd, unsigned long flags);
/* Return the prefix of every path in /sys and /proc: "" for the running system. */
const char *sys_root(void);
/* Return sys_root() followed by the formatted path; the caller frees it. */
char *sys_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Return the first number in a file below sys_root, or `otherwise`. */
int64_t sys_number(const char *path, int64_t otherwise);
/* Return true if this process may measure everything at any paranoid level. */
bool event_privileged(void);

/* ---- names.c ---- */

enum name_kind { NAME_HARDWARE, NAME_SOFTWARE, NAME_TOOL, NAME_CACHE };
struct known_event {
	enum name_kind kind;
	uint64_t config; /* attr.config, or enum tool_event */
};
/* Find a name of these kinds, in any case: "cycles", "cs", "L1-dcache-load-misses". */
bool name_find(const char *name, struct known_event *found);
/* Parse rHEX: r and 1 to 16 hex digits. */
bool name_is_raw(const char *name, uint64_t *config);
/*
 * Return the i-th event and its alias (NULL if none), for lists and for similar names; NULL behind
 * the last.
 */
const char *name_hardware(size_t i, const char **alias);
const char *name_software(size_t i, const char **alias);
const char *name_tool(size_t i);
/* Return what the event counts, in a few words. `kind` is one of the three above. */
const char *name_description(enum name_kind kind, size_t i);
/*
 * Return "L1-dcache-load-misses" for the i-th triple; "" for an invalid triple, NULL behind the
 * last.
 */
const char *name_cache(size_t i, char *buf, size_t size);
/*
 * Return the name nearest to a mistyped one, from these tables and `extra`; NULL if none is near.
 */
struct names {
	VEC(const char *);
};
const char *name_nearest(const char *word, const struct names *extra, struct arena *a);

/* ---- parse.c: the parser's position in the event string ---- */

struct parser {
	struct event_list *list;
	struct arena *arena;
	const char *text, *at;
	struct pmu_list pmus;
	bool pmus_read;
	/*
	 * Terms that the user did not type (from a sysfs event): errors about them name the terms.
	 * NULL: none.
	 */
	const char *within;
	struct err *e;
};
const struct pmu_list *parser_pmus(struct parser *p);
/*
 * Set perf's two error lines, with the caret under `where` (a pointer into p->text). fix names
 * `strobe list`.
 */
int syntax_error(struct parser *p, const char *where, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same for a file that could not be read: `why` names the file and the reason. */
int syntax_error_in(struct parser *p, const char *where, const struct err *why);

/* Return true for what may follow an event: the end, ',' or '}'. */
static inline bool ends_event(char c) { return c == '\0' || c == ',' || c == '}'; }

/* ---- modifiers.c ---- */

struct modifiers {
	bool user, kernel, hypervisor, idle, host, guest, precise_max, sample_read, pinned, weak, exclusive, bpf,
		retire_latency, no_regroup;
	unsigned precise;
	const char *text; /* in the arena */
};
/* Return true if every letter of the word is a modifier. */
bool modifiers_all(const char *word);
/*
 * Parse the letters at p->at, at least one, and move p->at behind them. `of_group`: allow modifiers
 * that only groups have.
 */
int modifiers_parse(struct parser *p, struct modifiers *m, bool of_group);
/* Apply the modifiers to an event: its own, or those of its group on top. */
void modifiers_apply(struct parser *p, struct event *event, const struct modifiers *m, bool of_group);

/* ---- terms.c ---- */

struct term {
	const char *key, *value;       /* in the arena; value NULL if absent */
	const char *key_at, *value_at; /* in the string, for carets */
};
struct terms {
	VEC(struct term);
};
/*
 * Parse "key=value,...". p->at is behind the opening slash before, and behind the closing slash
 * afterwards.
 */
int terms_parse(struct parser *p, struct terms *terms);
/* Apply the terms of events without a PMU of their own: name=, period=, call-graph= ... */
int terms_apply_generic(struct parser *p, struct event *event, const struct terms *terms);
/* Apply these terms, and the formats and events of a PMU. */
int terms_apply_pmu(struct parser *p, struct event *event, const struct pmu *pmu, const struct terms *terms);
uint64_t event_config(const struct event *event, unsigned word);          /* below CONFIG_WORDS */
int event_set_config(struct event *event, unsigned word, uint64_t value); /* 0 */

/* ---- pmu.c ---- */

enum { PMU_NAME_MAX = 128 };
/* A format: the bits of a config word that its value goes to, lowest bit first. */
struct pmu_format {
	unsigned word; /* 0 config, 1 config1 ... 4 config4 */
	uint64_t bits;
};
/*
 * Return 1 when found, 0 when the PMU has no such format, -1 with e when the file cannot be read or
 * parsed.
 */
int pmu_format_find(const struct pmu *pmu, const char *name, struct pmu_format *format, struct err *e);
/*
 * Spread value over the format's bits. Return false when it does not fit, and set *max to the
 * largest that does.
 */
bool pmu_format_store(const struct pmu_format *format, uint64_t value, uint64_t *word, uint64_t *max);
/*
 * Return the text of events/NAME (in any case), or of an event of that name in a vendor's files; the caller frees
 * it. NULL if there is none, or with e if it cannot be read.
 */
char *pmu_alias(const struct pmu *pmu, const char *name, struct err *e);
/* Read unit, scale, per-pkg and snapshot of events/NAME. */
void pmu_alias_extras(const struct pmu *pmu, const char *name, struct arena *a, struct event *event);
/*
 * List the names in the PMU's directory `what` ("events", "format"), sorted, without .scale and
 * similar files, in the arena.
 */
void pmu_names(const struct pmu *pmu, const char *what, struct arena *a, struct names *names);
/*
 * Return true if a typed PMU name means this PMU: exactly, as a glob, without "uncore_", or without
 * "_0".
 */
bool pmu_matches(const struct pmu *pmu, const char *typed);
/*
 * Add the CPUs on which its events must be opened; none if the PMU does not say. Return -1 with e
 * when its file cannot be read or parsed.
 */
int pmu_cpus(const struct pmu *pmu, struct cpuset *cpus, struct err *e);
bool pmu_has_address_filters(const char *name);

/* ---- tracer.c ---- */
/* Set the default config words of a tracer's event, before its terms are applied. */
void tracer_defaults(const struct pmu *pmu, struct event *event);

/* ---- pfm.c ---- */

/*
 * Find an event of this machine's cores by its name in the vendor's manual, in any case:
 * "inst_retired.any_p". Set only type and config words of *attr. Return false if libpfm4 does not
 * know it.
 */
bool pfm_find(const char *name, struct perf_event_attr *attr);
struct pfm_name {
	const char *name, *desc;
};
struct pfm_names {
	VEC(struct pfm_name);
};
/* List all of them, in the arena. */
void pfm_list(struct arena *a, struct pfm_names *names);

/* ---- tracepoint.c ---- */

struct tracepoint {
	const char *system, *name;
	uint64_t id;
};
struct tracepoints {
	VEC(struct tracepoint);
};
/*
 * Find all tracepoints that match (globs * and ? on both sides), in directory order, with names in
 * the arena. Return -1 with e when there is none.
 */
int tracepoint_find(const char *system, const char *name, struct arena *a, struct tracepoints *found, struct err *e);
/*
 * List the systems, or the tracepoints of one system, in directory order, in the arena. Return -1
 * with e when tracefs cannot be read.
 */
int tracepoint_systems(struct arena *a, struct names *systems, struct err *e);
void tracepoint_names(const char *system, struct arena *a, struct names *names);
bool tracepoint_system_exists(const char *system);
/*
 * Return "sched:sched_switch" for "sched_switch", in the arena; NULL if there is no such
 * tracepoint.
 */
const char *tracepoint_of_name(const char *name, struct arena *a);
/*
 * Find the tracepoint with this id; names in the arena. Return false and set nothing when none is
 * readable.
 */
bool tracepoint_of_id(uint64_t id, struct arena *a, const char **system, const char **name);
/*
 * Return "sched:sched_switch" for a name mistyped on either side, in the arena; NULL if none is
 * near.
 */
const char *tracepoint_nearest(const char *system, const char *name, struct arena *a);
/* Return true for a group of probes, whose events exist once they are defined. */
bool tracepoint_is_probe(const char *system);
/*
 * Return "prev_comm, prev_pid, ...": the fields that a filter may use; the caller frees it. NULL if
 * unknown.
 */
char *tracepoint_fields(const char *system, const char *name);

/* ---- filter.c ---- */

/*
 * Set the event's filter on one descriptor. The error has perf's first line, and the kernel's
 * complaint under the bad column.
 */
int filter_set(const struct event *event, int fd, struct err *e);
/*
 * What is wrong with a filter, in the kernel's words ("Field not found") or ours, and where: the
 * offset of a byte.
 */
struct filter_complaint {
	char text[128]; /* "" if unknown */
	size_t at;
	char word[64]; /* the unknown field; "" for other problems */
};
/*
 * Read the text that tracefs shows after it refused a filter: the filter, a line with '^',
 * "parse_error: ...".
 */
bool filter_complaint_read(const char *filter, const char *shown, struct filter_complaint *c);
/* Look for a field that is none of `fields` ("a, b, c"). */
bool filter_complaint_find(const char *filter, const char *fields, struct filter_complaint *c);

/* ---- groups.c ---- */

/*
 * Make the events from index `first` on a group, or one group per PMU (sorted together) if they are
 * of several PMUs.
 */
void groups_form(struct event_list *l, size_t first);

/* ---- target.c ---- */

void cpus_online(struct cpuset *cpus);

/* ---- list.c ---- */

/* Append a new event in a group of its own. This makes pointers to events invalid. */
struct event *event_list_add(struct event_list *l);
/* Remove the events from index `from` on, after a parse error. */
void event_list_truncate(struct event_list *l, size_t from);

/* ---- open: open.c, open_log.c, missing.c, fallback.c ---- */

enum { ATTR_BYTES_MAX = 144 };
/*
 * Encode the attr, with config3 and config4, for the kernel. Return its size: at least 136 bytes,
 * as in perf. An older kernel accepts the longer attr while the rest is 0.
 */
uint32_t event_attr_bytes(const struct event *event, uint8_t bytes[ATTR_BYTES_MAX]);

/*
 * Convert the attr's word of one-bit members so that bit 0 is `disabled` on every host; it is its
 * own inverse.
 */
uint64_t attr_flags(uint64_t word);

/* One opened descriptor and its parameters. */
struct opened {
	const struct event *event;
	int fd, group_fd, cpu;
	int32_t pid;
	unsigned long flags;
};
/* Open the directory in PERF_TEST_ATTR; *dir is -1 without one. */
int open_log_begin(int *dir, struct err *e);
/* Write the descriptor's file there; do nothing when `dir` is -1. */
int open_log(int dir, const struct opened *opened, struct err *e);

/* What we know of the running kernel: one bit per row of missing.c's table. */
struct kernel_facts {
	uint32_t tried, known;
};
/*
 * After EINVAL: strip from the event the newest feature that this kernel lacks. Return true with
 * its name in *dropped: open again. Return false with *fatal set (an option's name) when the user
 * asked for the feature.
 */
bool missing_strip(struct kernel_facts *facts, struct event *event, const char **dropped, const char **fatal);
/* Return true if the kernel has PERF_FLAG_FD_CLOEXEC (3.14). */
bool missing_knows_cloexec(void);
/* Move sideband and start bits from an event that is left out to another. */
void duties_move(struct event *from, struct event *to);
/*
 * Replace the event by one that the kernel may accept, after `sys` refused it; with `counting`, not
 * by a clock. Return true with a note: open again.
 */
bool fallback_apply(struct event_list *l, struct event *event, const struct target *t, int sys, bool counting,
		    struct open_notes *notes);
/* Add a note unless it is already there. */
void open_note(struct event_list *l, struct open_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- grants.c ---- */

/* Return the grant that gives this program these capabilities (names and bits). */
struct grant capability_grant(const struct facts *f, const char *names, uint64_t caps);

/* ---- advice.c ---- */

/* What was refused, and all facts that explain why. */
struct refusal {
	enum refused_call {
		REFUSED_OPEN,     /* perf_event_open */
		REFUSED_RING,     /* mmap of a ring */
		REFUSED_TRACEFS,  /* a file of tracefs; ENOENT: not mounted */
		REFUSED_PROBES,   /* writing a file of tracefs that defines probes */
		REFUSED_KALLSYMS, /* addresses in /proc/kallsyms; EACCES: they read as zero */
		REFUSED_BPF,      /* loading a BPF program */
		REFUSED_MAPS,     /* /proc/PID/maps */
	} call;
	int sys; /* errno */
	const struct facts *facts;
	/* for an event */
	const struct event *event;
	bool is_task; /* the target is a task */
	int cpu;
	int32_t pid;
	bool foreign;       /* we may not trace `pid`: another user's, or not dumpable */
	size_t descriptors; /* needed by the whole list */
	/* for a ring */
	uint64_t ring_bytes;
	size_t rings_mapped, rings_wanted;
	/* for tracefs */
	const char *path;
};

/*
 * Return true for kernel breakpoints: only privileged users may set them, and :u makes them
 * useless.
 */
bool event_is_kernel_breakpoint(const struct perf_event_attr *attr);
/* Return the table's row that fits; NULL if none. */
struct advice;
const struct advice *advice_find(const struct refusal *r);
/* For tests: the i-th row, NULL behind the last, to compare it by address; and its `what`, to name it. */
const struct advice *advice_row(size_t i);
const char *advice_text(const struct advice *a);
/* Fill e with what failed, why, the remedy and the cause. Return -1. */
int advice_raise(const struct refusal *r, struct err *e);

/* The same for an event of a list, after reading the facts. */
int advice_open(const struct event_list *l, const struct event *event, const struct target *t, int cpu, int32_t pid,
		int sys, struct err *e);
/* The same for a file of tracefs. */
int advice_tracefs(const char *path, int sys, struct err *e);

#endif
