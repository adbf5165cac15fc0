#include "format/attr.h"
#include "format/sample.h"

static const char *const hardware_names[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend",
	"stalled-cycles-backend", "ref-cycles",
};
static const char *const software_names[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};
static const char *const cache_names[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_ops[] = { "load", "store", "prefetch" };
static const char *const cache_ops_plural[] = { "loads", "stores", "prefetches" };

/* Letters of the levels and hosts that count, as an event string would spell them. */
static void name_modifiers(const struct attr *a, struct out *o)
{
	const uint64_t levels = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	unsigned precise = a->flags >> ATTR_PRECISE_SHIFT & 3;
	bool any_level = a->flags & levels, host = a->flags & ATTR_EXCLUDE_GUEST, guest = a->flags & ATTR_EXCLUDE_HOST;

	if (!any_level && !precise && !host && !guest)
		return;
	out_char(o, ':');
	if (any_level && !(a->flags & ATTR_EXCLUDE_KERNEL))
		out_char(o, 'k');
	if (any_level && !(a->flags & ATTR_EXCLUDE_USER))
		out_char(o, 'u');
	if (any_level && !(a->flags & ATTR_EXCLUDE_HV))
		out_char(o, 'h');
	out_pad(o, 'p', precise);
	if (host)
		out_char(o, 'H');
	if (guest)
		out_char(o, 'G');
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

void attr_name(const struct attr *a, struct out *o)
{
	uint32_t config = (uint32_t)a->config;	/* above it a PMU's type, on machines with several kinds of cores */

	switch (a->type) {
	case ATTR_TYPE_HARDWARE:
		out_str(o, config < ARRAY_SIZE(hardware_names) ? hardware_names[config] : "unknown-hardware");
		break;
	case ATTR_TYPE_SOFTWARE:
		out_str(o, config < ARRAY_SIZE(software_names) ? software_names[config] : "unknown-software");
		break;
	case ATTR_TYPE_TRACEPOINT:
		out_str(o, "unknown tracepoint");
		return;
	case ATTR_TYPE_HW_CACHE:
		name_cache(a->config, o);
		break;
	case ATTR_TYPE_RAW:
		out_fmt(o, "raw 0x%llx", (unsigned long long)a->config);
		break;
	case ATTR_TYPE_BREAKPOINT:
		name_breakpoint(a, o);
		break;
	default:
		out_fmt(o, "unknown attr type: %u", a->type);
		return;
	}
	name_modifiers(a, o);
}
