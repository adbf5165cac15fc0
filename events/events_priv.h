#ifndef EVENTS_EVENTS_PRIV_H
#define EVENTS_EVENTS_PRIV_H

#include "events/events.h"

/* ---- sys.c: the kernel as seen from here; tests put their own in its place ---- */

/* perf_event_open(2): `attr` is the event's attr with its newer members, `size` bytes long. -1 with errno. */
int sys_perf_event_open(const void *attr, int32_t pid, int cpu, int group_fd, unsigned long flags);
/* Put before every path of /sys and /proc: "" for the running system. */
const char *sys_root(void);
/* sys_root() and the rest, malloc'd. */
char *sys_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* First number of a file below sys_root, or `otherwise`. */
int64_t sys_number(const char *path, int64_t otherwise);
/* May this process measure everything, whatever the level says? */
bool event_privileged(void);

/* ---- names.c ---- */

enum name_kind { NAME_HARDWARE, NAME_SOFTWARE, NAME_TOOL, NAME_CACHE };
struct known_event {
	enum name_kind kind;
	uint64_t config; /* attr.config, or enum tool_event */
};
/* Resolves a name of these kinds, of any case: "cycles", "cs", "L1-dcache-load-misses". */
bool name_find(const char *name, struct known_event *found);
/* rHEX: r and 1 to 16 hex digits. */
bool name_is_raw(const char *name, uint64_t *config);
/* Tables for list and for near names: the i-th event and its alias (NULL if none); NULL behind the last. */
const char *name_hardware(size_t i, const char **alias);
const char *name_software(size_t i, const char **alias);
const char *name_tool(size_t i);
/* What the event counts, in a few words. `kind` is one of the three above. */
const char *name_description(enum name_kind kind, size_t i);
/* "L1-dcache-load-misses" of the i-th valid triple; NULL behind the last, "" for an invalid one. */
const char *name_cache(size_t i, char *buf, size_t size);
/* The name nearest to a mistyped one, of these tables and `extra`; NULL if none is near. */
struct names {
	VEC(const char *);
};
const char *name_nearest(const char *word, const struct names *extra, struct arena *a);

/* ---- parse.c: a word of the string that is being parsed, and where it is ---- */

struct parser {
	struct event_list *list;
	struct arena *arena;
	const char *text, *at;
	struct pmu_list pmus;
	bool pmus_read;
	const char *within; /* terms that the user did not type: said behind what is wrong with them. NULL: none */
	struct err *e;
};
const struct pmu_list *parser_pmus(struct parser *p);
/* Raise perf's two lines with the caret under `where` (a pointer into p->text); fix names `strobe list`. */
int syntax_error(struct parser *p, const char *where, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same of a file that could not be read: `why` says what of, and why. */
int syntax_error_in(struct parser *p, const char *where, const struct err *why);

/* What may stand behind an event: the end, ',' or '}'. */
static inline bool ends_event(char c) { return c == '\0' || c == ',' || c == '}'; }

/* ---- modifiers.c ---- */

struct modifiers {
	bool user, kernel, hypervisor, idle, host, guest, precise_max, sample_read, pinned, weak, exclusive, bpf,
		retire_latency, no_regroup;
	unsigned precise;
	const char *text; /* in the arena */
};
/* Is every letter of the word a modifier? */
bool modifiers_all(const char *word);
/* The letters at p->at, which moves behind them: at least one. `of_group`: those that only groups have are welcome. */
int modifiers_parse(struct parser *p, struct modifiers *m, bool of_group);
/* What the modifiers of an event, or those of its group on top, make of it. */
void modifiers_apply(struct parser *p, struct event *event, const struct modifiers *m, bool of_group);

/* ---- terms.c ---- */

struct term {
	const char *key, *value;       /* in the arena; value NULL when there is none */
	const char *key_at, *value_at; /* in the text, for carets */
};
struct terms {
	VEC(struct term);
};
/* Parse "key=value,...": p->at behind the opening slash, afterwards behind the closing one. */
int terms_parse(struct parser *p, struct terms *terms);
/* The terms an event without a PMU of its own knows: name=, period=, call-graph= ... */
int terms_apply_generic(struct parser *p, struct event *event, const struct terms *terms);
/* Those, and the formats and events of a PMU. */
int terms_apply_pmu(struct parser *p, struct event *event, const struct pmu *pmu, const struct terms *terms);
uint64_t event_config(const struct event *event, unsigned word);          /* below CONFIG_WORDS */
int event_set_config(struct event *event, unsigned word, uint64_t value); /* 0 */
/* config= and the like. False when the key is no such word. *bad tells that its value was refused (error raised). */
bool term_generic(struct parser *p, struct event *event, const struct term *term, bool *bad);

/* ---- pmu.c ---- */

enum { PMU_NAME_MAX = 128 };
/* A format: which bits of which config word its value goes to, lowest bit first. */
struct pmu_format {
	unsigned word; /* 0 config, 1 config1 ... 4 config4 */
	uint64_t bits;
};
/* 1 when found, 0 when the PMU has none of that name, -1 with e when its text cannot be read or is not understood. */
int pmu_format_find(const struct pmu *pmu, const char *name, struct pmu_format *format, struct err *e);
/* Spread value over the format's bits. False when it does not fit; *max is then the largest that does. */
bool pmu_format_store(const struct pmu_format *format, uint64_t value, uint64_t *word, uint64_t *max);
/* Text of events/NAME, malloc'd, any case; NULL if there is none, or with e if it cannot be read. */
char *pmu_alias(const struct pmu *pmu, const char *name, struct err *e);
/* unit, scale, per-pkg, snapshot of events/NAME. */
void pmu_alias_extras(const struct pmu *pmu, const char *name, struct arena *a, struct event *event);
/* Names in the PMU's directory `what` ("events", "format"), sorted, without .scale and the like, in the arena. */
void pmu_names(const struct pmu *pmu, const char *what, struct arena *a, struct names *names);
/* Does a PMU name as typed mean this PMU? Exact, glob, without "uncore_", or without "_0". */
bool pmu_matches(const struct pmu *pmu, const char *typed);
/* Add the CPUs its events must be opened on, none when it does not say. -1 with e when what it says cannot be read or
 * is not understood. */
int pmu_cpus(const struct pmu *pmu, struct cpuset *cpus, struct err *e);
bool pmu_has_address_filters(const char *name);

/* ---- tracer.c ---- */
/* What the config words of a tracer's event are before its terms are applied. */
void tracer_defaults(const struct pmu *pmu, struct event *event);

/* ---- pfm.c ---- */

/*
 * An event of this machine's cores by the name in its vendor's manual, of any case: "inst_retired.any_p". Only type and
 * config words of *attr are then set. False when libpfm4 knows none.
 */
bool pfm_find(const char *name, struct perf_event_attr *attr);
struct pfm_name {
	const char *name, *desc;
};
struct pfm_names {
	VEC(struct pfm_name);
};
/* All of them, in the arena. */
void pfm_list(struct arena *a, struct pfm_names *names);

/* ---- tracepoint.c ---- */

struct tracepoint {
	const char *system, *name;
	uint64_t id;
};
struct tracepoints {
	VEC(struct tracepoint);
};
/* All that match, globs * and ? allowed on both sides, in directory order, names in the arena. -1 with e when there is
 * none. */
int tracepoint_find(const char *system, const char *name, struct arena *a, struct tracepoints *found, struct err *e);
/* The systems, and the tracepoints of one, in directory order, in the arena. -1 with e when tracefs cannot be read. */
int tracepoint_systems(struct arena *a, struct names *systems, struct err *e);
void tracepoint_names(const char *system, struct arena *a, struct names *names);
bool tracepoint_system_exists(const char *system);
/* "sched:sched_switch" for "sched_switch"; NULL if there is no such tracepoint. In the arena. */
const char *tracepoint_of_name(const char *name, struct arena *a);
/* Which tracepoint has this id; false, and both untouched, when none is readable. In the arena. */
bool tracepoint_of_id(uint64_t id, struct arena *a, const char **system, const char **name);
/* "sched:sched_switch" for a name mistyped on either side; NULL if none is near. In the arena. */
const char *tracepoint_nearest(const char *system, const char *name, struct arena *a);
/* A group of probes, whose events are there once they are defined. */
bool tracepoint_is_probe(const char *system);
/* "prev_comm, prev_pid, ..." : fields that a filter may name; malloc'd, NULL if unknown. */
char *tracepoint_fields(const char *system, const char *name);

/* ---- filter.c ---- */

/* Set the event's filter on one descriptor. The error has perf's first line and, under the right column, what the
 * kernel dislikes. */
int filter_set(const struct event *event, int fd, struct err *e);
/* What is wrong with a filter, told by the kernel's own words ("Field not found") or by ours, and where: offset of a
 * byte. */
struct filter_complaint {
	char text[128]; /* "" when nobody can tell */
	size_t at;
	char word[64]; /* the field that is unknown; "" if it is something else */
};
/* Read the text that tracefs shows behind a filter that was refused: the filter, a line with '^', "parse_error: ...".
 */
bool filter_complaint_read(const char *filter, const char *shown, struct filter_complaint *c);
/* Look for a field that is none of `fields` ("a, b, c"). */
bool filter_complaint_find(const char *filter, const char *fields, struct filter_complaint *c);

/* ---- groups.c ---- */

/* Make the events from index `first` on a group, or one per PMU when several are meant (they are then put together). */
void groups_form(struct event_list *l, size_t first);

/* ---- cgroup.c ---- */

/* A descriptor of the control group's directory. -1 with e. */
int cgroup_open(const char *name, struct err *e);

/* ---- target.c ---- */

void cpus_online(struct cpuset *cpus);

/* ---- list.c ---- */

/* A new event at the list's end, alone in its group. Pointers to events die with the next. */
struct event *event_list_add(struct event_list *l);
/* Drop the events from index `from` on: a parse failed. */
void event_list_truncate(struct event_list *l, size_t from);

/* ---- open: open.c, open_log.c, missing.c, fallback.c ---- */

enum { ATTR_BYTES_MAX = 144 };
/*
 * The attr with config3 and config4 as the kernel takes it. Returns its size: 136 bytes at least, as perf says. A
 * kernel that knows fewer takes them as long as the rest is 0.
 */
uint32_t event_attr_bytes(const struct event *event, uint8_t bytes[ATTR_BYTES_MAX]);

/* The attr's word of one-bit members, bit 0 `disabled` on every host; its own inverse. */
uint64_t attr_flags(uint64_t word);

/* One descriptor that was opened, and how. */
struct opened {
	const struct event *event;
	int fd, group_fd, cpu;
	int32_t pid;
	unsigned long flags;
};
/* Opens the directory that PERF_TEST_ATTR names; *dir is -1 without one. */
int open_log_begin(int *dir, struct err *e);
/* Writes the descriptor's file there; nothing when `dir` is -1. */
int open_log(int dir, const struct opened *opened, struct err *e);

/* What is known of the running kernel: one bit per row of missing.c's table. */
struct kernel_facts {
	uint32_t tried, known;
};
/*
 * After EINVAL: take the newest feature out of the event that this kernel does not know. True with its name in
 * *dropped: open again. False with *fatal set (an option's name) when the user asked for the feature.
 */
bool missing_strip(struct kernel_facts *facts, struct event *event, const char **dropped, const char **fatal);
/* Does the kernel know PERF_FLAG_FD_CLOEXEC (3.14)? */
bool missing_knows_cloexec(void);
/* Sideband and start bits go from an event that is left out to another. */
void duties_move(struct event *from, struct event *to);
/* Replace the event by one that the kernel may accept, after `sys` refused it; `counting`: by no clock. True with a
 * note: open again. */
bool fallback_apply(struct event_list *l, struct event *event, const struct target *t, int sys, bool counting,
		    struct open_notes *notes);
/* Add a note unless it was said before. */
void open_note(struct event_list *l, struct open_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- grants.c ---- */

/* Give these capabilities (names and bits) to this program. */
struct grant capability_grant(const struct facts *f, const char *names, uint64_t caps);

/* ---- advice.c ---- */

/* What was refused, and all that tells why. */
struct refusal {
	enum refused_call {
		REFUSED_OPEN,     /* perf_event_open */
		REFUSED_RING,     /* mmap of a ring */
		REFUSED_TRACEFS,  /* a file of tracefs; ENOENT: it is not mounted */
		REFUSED_PROBES,   /* writing a file of tracefs that defines probes */
		REFUSED_KALLSYMS, /* addresses in /proc/kallsyms; EACCES: they read as zero */
		REFUSED_BPF,      /* loading a BPF program */
		REFUSED_MAPS,     /* /proc/PID/maps */
	} call;
	int sys; /* errno */
	const struct facts *facts;
	/* of an event */
	const struct event *event;
	bool is_task; /* the target is one */
	int cpu;
	int32_t pid;
	bool foreign;       /* `pid` is not ours to trace: another user's, or it hides from its own */
	size_t descriptors; /* that the whole list wants */
	/* of a ring */
	uint64_t ring_bytes;
	size_t rings_mapped, rings_wanted;
	/* of tracefs */
	const char *path;
};

/* Only the privileged may set these, and :u makes nothing of them. */
bool event_is_kernel_breakpoint(const struct perf_event_attr *attr);
/* The row of the table that fits; NULL if none. Rows are told apart by address, advice_row(i) is the i-th, NULL behind
 * the last. */
struct advice;
const struct advice *advice_find(const struct refusal *r);
const struct advice *advice_row(size_t i);
const char *advice_text(const struct advice *a); /* its `what`, for tests to name it */
/* Fill e with what failed, why, what to do and the cause. Returns -1. */
int advice_raise(const struct refusal *r, struct err *e);

/* The same for an event of a list, after reading the facts. */
int advice_open(const struct event_list *l, const struct event *event, const struct target *t, int cpu, int32_t pid,
		int sys, struct err *e);
/* For a file of tracefs. */
int advice_tracefs(const char *path, int sys, struct err *e);

#endif
