#include "format/attr.h"
#include "format/sample.h"

static const char *const hardware_names[] = {
	"cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
	"branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software_names[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};
static const char *const cache_names[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_ops[] = { "load", "store", "prefetch" };
static const char *const cache_ops_plural[] = { "loads", "stores", "prefetches" };

/* Write the modifier letters of the levels and hosts that are counted, as in an event string. */
static void name_modifiers(const struct attr *a, struct out *o)
{
	const uint64_t levels = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	bool no_host = a->flags & ATTR_EXCLUDE_HOST, no_guest = a->flags & ATTR_EXCLUDE_GUEST;
	char letters[16] = ":";
	size_t n = 1;

	if (a->flags & levels) {
		if (!(a->flags & ATTR_EXCLUDE_KERNEL))
			letters[n++] = 'k';
		if (!(a->flags & ATTR_EXCLUDE_USER))
			letters[n++] = 'u';
		if (!(a->flags & ATTR_EXCLUDE_HV))
			letters[n++] = 'h';
	}
	for (unsigned precise = a->flags >> ATTR_PRECISE_SHIFT & 3; precise; precise--)
		letters[n++] = 'p';
	if (no_host != no_guest)
		letters[n++] = no_guest ? 'H' : 'G';
	if (n > 1)
		out_mem(o, letters, n);
}

static bool cache_has_op(unsigned cache, unsigned op)
{
	switch (cache) {
	case 1: return op != 1; /* instructions cannot be stored to */
	case 4:
	case 5: return op == 0;
	default: return true;
	}
}

static void name_cache(uint64_t config, struct out *o)
{
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= ARRAY_SIZE(cache_names))
		out_str(o, "unknown-ext-hardware-cache-type");
	else if (op >= ARRAY_SIZE(cache_ops))
		out_str(o, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		out_str(o, "unknown-ext-hardware-cache-result");
	else if (!cache_has_op(cache, op))
		out_str(o, "invalid-cache");
	else if (result)
		out_fmt(o, "%s-%s-misses", cache_names[cache], cache_ops[op]);
	else
		out_fmt(o, "%s-%s", cache_names[cache], cache_ops_plural[op]);
}

static void name_breakpoint(const struct attr *a, struct out *o)
{
	out_fmt(o, "mem:0x%llx:", (unsigned long long)a->config1);
	if (a->bp_type & 1)
		out_char(o, 'r');
	if (a->bp_type & 2)
		out_char(o, 'w');
	if (a->bp_type & 4)
		out_char(o, 'x');
}

/*
 * Write the name of a hardware event. On machines with several kinds of cores, the bits above the
 * low 32 hold a PMU's type, which only that machine can name.
 */
static void name_hardware(uint64_t config, struct out *o)
{
	uint32_t id = (uint32_t)config;
	const char *name = id < ARRAY_SIZE(hardware_names) ? hardware_names[id] : "unknown-hardware";

	out_fmt(o, config >> 32 ? "cpu/%s/" : "%s", name);
}

void attr_name(const struct attr *a, struct out *o)
{
	switch (a->type) {
	case ATTR_TYPE_HARDWARE: name_hardware(a->config, o); break;
	case ATTR_TYPE_SOFTWARE:
		out_str(o, a->config < ARRAY_SIZE(software_names) ? software_names[a->config] : "unknown-software");
		break;
	case ATTR_TYPE_TRACEPOINT: out_fmt(o, "unknown tracepoint id=0x%llx", (unsigned long long)a->config); return;
	case ATTR_TYPE_HW_CACHE: name_cache(a->config, o); break;
	case ATTR_TYPE_RAW: out_fmt(o, "raw 0x%llx", (unsigned long long)a->config); break;
	case ATTR_TYPE_BREAKPOINT: name_breakpoint(a, o); break;
	default:
		out_fmt(o, a->config ? "unknown event PMU=%u config=0x%llx" : "unknown event PMU=%u config=%llx",
			a->type, (unsigned long long)a->config);
		return;
	}
	name_modifiers(a, o);
}

static const char *const type_names[] = {
	"PERF_TYPE_HARDWARE", "PERF_TYPE_SOFTWARE", "PERF_TYPE_TRACEPOINT",
	"PERF_TYPE_HW_CACHE", "PERF_TYPE_RAW",      "PERF_TYPE_BREAKPOINT",
};
static const char *const hardware_ids[] = {
	"CPU_CYCLES",    "INSTRUCTIONS", "CACHE_REFERENCES",        "CACHE_MISSES",           "BRANCH_INSTRUCTIONS",
	"BRANCH_MISSES", "BUS_CYCLES",   "STALLED_CYCLES_FRONTEND", "STALLED_CYCLES_BACKEND", "REF_CPU_CYCLES",
};
static const char *const software_ids[] = {
	"CPU_CLOCK",        "TASK_CLOCK",      "PAGE_FAULTS",     "CONTEXT_SWITCHES",
	"CPU_MIGRATIONS",   "PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS",
	"EMULATION_FAULTS", "DUMMY",           "BPF_OUTPUT",      "CGROUP_SWITCHES",
};
static const char *const cache_ids[] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
static const char *const cache_op_ids[] = { "READ", "WRITE", "PREFETCH" };
static const char *const cache_result_ids[] = { "ACCESS", "MISS" };

struct bit_name {
	unsigned bit;
	const char *name;
};
/* In the order of evlist. TRANSACTION has no name there. */
static const struct bit_name sample_bits[] = {
	{ 0, "IP" },
	{ 1, "TID" },
	{ 2, "TIME" },
	{ 3, "ADDR" },
	{ 4, "READ" },
	{ 5, "CALLCHAIN" },
	{ 6, "ID" },
	{ 7, "CPU" },
	{ 8, "PERIOD" },
	{ 9, "STREAM_ID" },
	{ 10, "RAW" },
	{ 11, "BRANCH_STACK" },
	{ 12, "REGS_USER" },
	{ 13, "STACK_USER" },
	{ 16, "IDENTIFIER" },
	{ 18, "REGS_INTR" },
	{ 15, "DATA_SRC" },
	{ 14, "WEIGHT" },
	{ 19, "PHYS_ADDR" },
	{ 20, "AUX" },
	{ 21, "CGROUP" },
	{ 22, "DATA_PAGE_SIZE" },
	{ 23, "CODE_PAGE_SIZE" },
	{ 24, "WEIGHT_STRUCT" },
	{ 0, NULL },
};
static const struct bit_name read_bits[] = {
	{ 0, "TOTAL_TIME_ENABLED" },
	{ 1, "TOTAL_TIME_RUNNING" },
	{ 2, "ID" },
	{ 3, "GROUP" },
	{ 4, "LOST" },
	{ 0, NULL },
};
static const struct bit_name branch_bits[] = {
	{ 0, "USER" },       { 1, "KERNEL" },      { 2, "HV" },        { 3, "ANY" },        { 4, "ANY_CALL" },
	{ 5, "ANY_RETURN" }, { 6, "IND_CALL" },    { 7, "ABORT_TX" },  { 8, "IN_TX" },      { 9, "NO_TX" },
	{ 10, "COND" },      { 11, "CALL_STACK" }, { 12, "IND_JUMP" }, { 13, "CALL" },      { 14, "NO_FLAGS" },
	{ 15, "NO_CYCLES" }, { 16, "TYPE_SAVE" },  { 17, "HW_INDEX" }, { 18, "PRIV_SAVE" }, { 19, "COUNTERS" },
	{ 0, NULL },
};
static const struct bit_name flag_bits[] = {
	{ 0, "disabled" },
	{ 1, "inherit" },
	{ 2, "pinned" },
	{ 3, "exclusive" },
	{ 4, "exclude_user" },
	{ 5, "exclude_kernel" },
	{ 6, "exclude_hv" },
	{ 7, "exclude_idle" },
	{ 8, "mmap" },
	{ 9, "comm" },
	{ 10, "freq" },
	{ 11, "inherit_stat" },
	{ 12, "enable_on_exec" },
	{ 13, "task" },
	{ 14, "watermark" },
	{ ATTR_PRECISE_SHIFT, "precise_ip" },
	{ 17, "mmap_data" },
	{ 18, "sample_id_all" },
	{ 19, "exclude_host" },
	{ 20, "exclude_guest" },
	{ 21, "exclude_callchain_kernel" },
	{ 22, "exclude_callchain_user" },
	{ 23, "mmap2" },
	{ 24, "comm_exec" },
	{ 25, "use_clockid" },
	{ 26, "context_switch" },
	{ 27, "write_backward" },
	{ 28, "namespaces" },
	{ 29, "ksymbol" },
	{ 30, "bpf_event" },
	{ 31, "aux_output" },
	{ 32, "cgroup" },
	{ 33, "text_poke" },
	{ 34, "build_id" },
	{ 35, "inherit_thread" },
	{ 36, "remove_on_exec" },
	{ 37, "sigtrap" },
	{ 38, "defer_callchain" },
	{ 39, "defer_output" },
	{ 0, NULL },
};
static const struct bit_name aux_action_bits[] = {
	{ 0, "aux_start_paused" }, { 1, "aux_pause" }, { 2, "aux_resume" }, { 0, NULL }
};

/*
 * The form of a listing of fields: "a: 1, b: 2" or ", a = 1, b = 2". Names are padded to `width`.
 */
struct spelling {
	struct out *o;
	const char *between, *is;
	bool begun;
	int width;
};

static void field(struct spelling *s, const char *name)
{
	if (s->begun)
		out_str(s->o, s->between);
	s->begun = true;
	out_fmt(s->o, "%-*s", s->width, name);
	out_str(s->o, s->is);
}

static void field_dec(struct spelling *s, const char *name, uint64_t v)
{
	if (!v)
		return;
	field(s, name);
	out_u64(s->o, v);
}

static void hex(struct out *o, uint64_t v)
{
	if (v)
		out_str(o, "0x");
	out_hex(o, v);
}

static void field_hex(struct spelling *s, const char *name, uint64_t v)
{
	if (!v)
		return;
	field(s, name);
	hex(s->o, v);
}

static void field_bits(struct spelling *s, const char *name, uint64_t v, const struct bit_name *bits)
{
	uint64_t unknown = v;
	const char *between = "";

	if (!v)
		return;
	field(s, name);
	for (; bits->name; bits++) {
		unknown &= ~(1ull << bits->bit);
		if (!(v >> bits->bit & 1))
			continue;
		out_str(s->o, between);
		out_str(s->o, bits->name);
		between = "|";
	}
	if (unknown == v)
		hex(s->o, v);
}

static void field_flags(struct spelling *s, uint64_t flags, const struct bit_name *bits)
{
	for (; bits->name; bits++)
		field_dec(s, bits->name, flags >> bits->bit & (bits->bit == ATTR_PRECISE_SHIFT ? 3 : 1));
}

static void config_meaning(const struct attr *a, const char *tracepoint, struct out *o)
{
	uint32_t id = (uint32_t)a->config;
	unsigned cache = id & 0xff, op = id >> 8 & 0xff, result = id >> 16 & 0xff;

	if (a->type == ATTR_TYPE_HARDWARE && id < ARRAY_SIZE(hardware_ids))
		out_fmt(o, " (PERF_COUNT_HW_%s)", hardware_ids[id]);
	else if (a->type == ATTR_TYPE_SOFTWARE && a->config < ARRAY_SIZE(software_ids))
		out_fmt(o, " (PERF_COUNT_SW_%s)", software_ids[id]);
	else if (a->type == ATTR_TYPE_HW_CACHE && cache < ARRAY_SIZE(cache_ids) && op < ARRAY_SIZE(cache_op_ids) &&
		 result < ARRAY_SIZE(cache_result_ids))
		out_fmt(o, " (PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s)",
			cache_result_ids[result], cache_op_ids[op], cache_ids[cache]);
	if (a->type == ATTR_TYPE_TRACEPOINT && tracepoint) {
		out_str(o, " (");
		out_name(o, tracepoint);
		out_char(o, ')');
	}
}

/*
 * Print the fields up to the flags. Do not guess types or configs whose meaning only the recording
 * machine knows (its PMUs).
 */
static void print_head(struct spelling *s, const struct attr *a, const char *tracepoint)
{
	field(s, "type");
	out_u64(s->o, a->type);
	if (a->type < ARRAY_SIZE(type_names))
		out_fmt(s->o, " (%s)", type_names[a->type]);
	field_dec(s, "size", a->size);
	field(s, "config");
	hex(s->o, a->config);
	config_meaning(a, tracepoint, s->o);
	field_dec(s, "{ sample_period, sample_freq }", a->sample_period);
	field_bits(s, "sample_type", a->sample_type, sample_bits);
	field_bits(s, "read_format", a->read_format, read_bits);
}

static void print_all(struct spelling *s, const struct attr *a, const char *tracepoint)
{
	print_head(s, a, tracepoint);
	field_flags(s, a->flags, flag_bits);
	field_dec(s, "{ wakeup_events, wakeup_watermark }", a->wakeup_events);
	field_dec(s, "bp_type", a->bp_type);
	field_hex(s, "{ bp_addr, config1 }", a->config1);
	field_hex(s, "{ bp_len, config2 }", a->config2);
	field_bits(s, "branch_sample_type", a->branch_sample_type, branch_bits);
	field_hex(s, "sample_regs_user", a->sample_regs_user);
	field_dec(s, "sample_stack_user", a->sample_stack_user);
	if (a->clockid) {
		field(s, "clockid");
		out_i64(s->o, a->clockid);
	}
	field_hex(s, "sample_regs_intr", a->sample_regs_intr);
	field_dec(s, "aux_watermark", a->aux_watermark);
	field_dec(s, "sample_max_stack", a->sample_max_stack);
	field_dec(s, "aux_sample_size", a->aux_sample_size);
	field_flags(s, a->aux_action, aux_action_bits);
	field_dec(s, "sig_data", a->sig_data);
}

void attr_print(const struct attr *a, const char *tracepoint, struct out *o)
{
	struct spelling s = { o, ", ", ": " };

	print_all(&s, a, tracepoint);
}

void attr_print_header(const struct attr *a, const char *tracepoint, struct out *o)
{
	struct spelling s = { o, ", ", " = ", .begun = true };

	print_all(&s, a, tracepoint);
}

void attr_print_lines(const struct attr *a, const char *tracepoint, struct out *o)
{
	static const char line[] = "------------------------------------------------------------\n";
	struct spelling s = { o, "\n  ", " ", .width = 32 };

	out_fmt(o, "%sperf_event_attr:\n  ", line);
	print_all(&s, a, tracepoint);
	out_fmt(o, "\n%s", line);
}
