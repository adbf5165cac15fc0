/*
 * The table of all metrics. Among the rows with one name, we choose the first for which the machine
 * has all events. So order the rows of one name by preference. In an expression, counts are in
 * their event's unit (clocks in msec), and times that we measure in seconds. A row has a name, its
 * groups, the expression (see stat/expression_priv.h), the unit, the event that must lead the group, and
 * one line of description.
 *
 * Sources: generic events: perf_event_open(2). Intel: Software Developer's Manual volume 3,
 * "Performance Monitoring", and the events that the kernel shows in sysfs. Arm: Architecture
 * Reference Manual, "PMU events and event numbers", and Arm's Topdown methodology for Neoverse.
 * AMD: Processor Programming References of families 17h, 19h and 1Ah, "Core performance monitor counters".
 * For Zen 2 and 3 AMD defines no top-down, as their cores count no slots; Arm defines no second level
 * before Neoverse V3. Energy: Documentation/admin-guide/perf and sysfs of the kernel.
 */
#include "stat/metrics.h"

/*
 * Events by number, for events without a name in the kernel or in some libpfm4. Such a row needs
 * the CPUs for which the numbers are right (.cpus).
 */
#define EVENT(number)                 "cpu@event\\=" number "@"
#define EVENT_U(number, umask)        "cpu@event\\=" number "\\,umask\\=" umask "@"
#define EVENT_C(number, umask, cmask) "cpu@event\\=" number "\\,umask\\=" umask "\\,cmask\\=" cmask "@"

/* Rows in a unit, as a plain number, as a share, and as a share of the slots that Intel's cores count. */
#define ROW(name, groups, expression, unit, ...) \
	{ \
		name, groups, expression, unit, NULL, __VA_ARGS__ \
	}
#define RATIO(name, groups, expression, ...) ROW(name, groups, expression, NULL, __VA_ARGS__)
#define SHARE(name, groups, expression, ...) ROW(name, groups, expression, "100%", __VA_ARGS__)
#define OF_SLOTS(name, groups, expression, ...) \
	{ \
		name, groups, expression, "100%", "slots", __VA_ARGS__ \
	}

#define SKYLAKE         "GenuineIntel-6-(4E|5E|8E|9E|A5|A6|55)"    /* to Comet Lake and Cooper Lake */
#define ICE_LAKE        "GenuineIntel-6-(7D|7E|9D|A7|6A|6C|8C|8D)" /* to Rocket Lake and Tiger Lake */
#define SAPPHIRE_RAPIDS "GenuineIntel-6-(8F|CF)"                   /* and Emerald Rapids */
#define ALDER_LAKE      "GenuineIntel-6-(97|9A|B7|BA|BF)"          /* and Raptor Lake */
#define METEOR_LAKE     "GenuineIntel-6-(AA|AC)"
#define LUNAR_LAKE      "GenuineIntel-6-(BD|C5|C6)"     /* and Arrow Lake */
#define NEOVERSE_3      "0x00000000410fd8[3e4][0-9a-f]" /* V3AE, N3, V3 */
#define ZEN_2           "AuthenticAMD-23-(3[0-9A-F]|4[0-9A-F]|[6-9A][0-9A-F])"
#define ZEN_3           "AuthenticAMD-25-([245][0-9A-F]|[0-9A-F])"
#define ZEN_4           "AuthenticAMD-25-(1[0-9A-F]|[67A][0-9A-F])"
#define ZEN_5           "AuthenticAMD-26-([12467][0-9A-F]|[0-9A-F])"
#define ZENS            "(" ZEN_2 "|" ZEN_3 "|" ZEN_4 "|" ZEN_5 ")"

/*
 * Skylake and Ice Lake: how many of the stalled cycles waited for memory. `stores`: those with a full store buffer,
 * EXE_ACTIVITY.BOUND_ON_STORES, which differ by their cmask.
 */
#define SKL_STORES                "cpu@event\\=0xa6\\,umask\\=0x40@"
#define ICL_STORES                EVENT_C("0xa6", "0x40", "2")
#define STALLED_BY_MEMORY(stores) "(" EVENT_C("0xa3", "0x14", "20") " + " stores ")"
#define STALLED_OR_SLOW(retiring, stores) \
	"(" EVENT_C("0xa3", "0x4", "4") " + " EVENT_U("0xa6", "0x2") " + " retiring \
								     " * " EVENT_U("0xa6", "0x4") " + " stores ")"
#define OLD_RETIRING "(topdown\\-slots\\-retired / topdown\\-total\\-slots)"
#define OLD_BACKEND \
	"(1 - (topdown\\-fetch\\-bubbles + topdown\\-slots\\-issued + topdown\\-recovery\\-bubbles) / " \
	"topdown\\-total\\-slots)"
#define OLD_BAD \
	"((topdown\\-slots\\-issued - topdown\\-slots\\-retired + topdown\\-recovery\\-bubbles) / " \
	"topdown\\-total\\-slots)"
#define OLD_MEMORY \
	"(" STALLED_BY_MEMORY(SKL_STORES) " / " STALLED_OR_SLOW(OLD_RETIRING, SKL_STORES) " * " OLD_BACKEND ")"
#define ICL_RETIRING "(topdown\\-retiring / slots)"
#define ICL_MEMORY \
	"(" STALLED_BY_MEMORY(ICL_STORES) " / " STALLED_OR_SLOW(ICL_RETIRING, \
								ICL_STORES) " * topdown\\-be\\-bound / slots)"
/* Intel: the share of wrong work that a mispredicted branch began, not a machine clear */
#define MISPREDICTED "(" EVENT("0xc5") " / (" EVENT("0xc5") " + cpu@event\\=0xc3\\,umask\\=1\\,cmask\\=1\\,edge\\=1@))"

/*
 * The small cores: slots by the events of the kernel, and level 2 by numbers. Source: Intel's published events and
 * metrics (github.com/intel/perfmon, ADL, MTL, LNL: gracemont, crestmont, skymont): TOPDOWN_FE_BOUND 0x71,
 * TOPDOWN_BAD_SPECULATION 0x73, TOPDOWN_BE_BOUND 0x74, UOPS_RETIRED.MS 0xc2.
 */
#define ATOM(event)            "cpu_atom@" event "@"
#define ATOM_U(number, umask)  "cpu_atom@event\\=" number "\\,umask\\=" umask "@"
#define OF_ATOM(slots, events) "(" events ") / (" slots " * " ATOM("cycles") ")"
#define ATOM_ROWS(id, slots) \
	SHARE("atom_retiring", "TopdownL1", OF_ATOM(slots, ATOM("topdown\\-retiring")), \
	      "small cores: slots whose work was of use", .cpus = id), \
		SHARE("atom_bad_speculation", "TopdownL1", OF_ATOM(slots, ATOM("topdown\\-bad\\-spec")), \
		      "small cores: slots whose work was thrown away", .cpus = id), \
		SHARE("atom_frontend_bound", "TopdownL1", OF_ATOM(slots, ATOM("topdown\\-fe\\-bound")), \
		      "small cores: slots that waited for instructions", .cpus = id), \
		SHARE("atom_backend_bound", "TopdownL1", OF_ATOM(slots, ATOM("topdown\\-be\\-bound")), \
		      "small cores: slots that waited for execution or memory", .cpus = id), \
		SHARE("atom_fetch_latency", "TopdownL2", OF_ATOM(slots, ATOM_U("0x71", "0x72")), \
		      "small cores: slots that waited for a fetch", .cpus = id), \
		SHARE("atom_fetch_bandwidth", "TopdownL2", OF_ATOM(slots, ATOM_U("0x71", "0x8d")), \
		      "small cores: slots of cycles in which less was decoded than fits", .cpus = id), \
		SHARE("atom_branch_mispredicts", "TopdownL2", OF_ATOM(slots, ATOM_U("0x73", "0x4")), \
		      "small cores: slots thrown away behind wrongly predicted branches", .cpus = id), \
		SHARE("atom_machine_clears", "TopdownL2", OF_ATOM(slots, ATOM_U("0x73", "0x3")), \
		      "small cores: slots thrown away for another reason than a branch", .cpus = id), \
		SHARE("atom_core_bound", "TopdownL2", OF_ATOM(slots, ATOM_U("0x74", "0x1")), \
		      "small cores: slots that the core's rules of allocation left empty", .cpus = id), \
		SHARE("atom_resource_bound", "TopdownL2", \
		      OF_ATOM(slots, ATOM("topdown\\-be\\-bound") " - " ATOM_U("0x74", "0x1")), \
		      "small cores: slots that waited for memory, or for room in a queue", .cpus = id), \
		SHARE("atom_base", "TopdownL2", \
		      OF_ATOM(slots, ATOM("topdown\\-retiring") " - " ATOM_U("0xc2", "0x1")), \
		      "small cores: slots whose work was of use, without microcode", .cpus = id), \
		SHARE("atom_microcode", "TopdownL2", OF_ATOM(slots, ATOM_U("0xc2", "0x1")), \
		      "small cores: slots whose work was of use, from microcode", .cpus = id)

/* Zen 4 and 5: slots that were not used, by reason, and the slots of a cycle */
#define NO_DISPATCH(umask)        EVENT_U("0x1a0", umask)
#define ZEN_BAD                   "(" EVENT_U("0xaa", "0x7") " - " EVENT("0xc1") ")"
#define MICROCODE                 EVENT("0x1c2")
#define ZEN_4_RESYNCS             EVENT("0x96")
#define ZEN_5_RESYNCS             EVENT_U("0x9f", "0x1")
#define ZEN_MISPREDICTED(resyncs) "(" EVENT("0xc3") " / (" EVENT("0xc3") " + " resyncs "))"
#define ZEN_WAITS_FOR_LOAD        "(" EVENT_U("0xd6", "0xa2") " / " EVENT_U("0xd6", "0x2") ")"
#define OF_ZEN(width, slots)      slots " / (" width " * " EVENT("0x76") ")"
#define ZEN_ROWS(id, width, resyncs) \
	SHARE("frontend_bound", "TopdownL1", OF_ZEN(width, NO_DISPATCH("0x1")), "slots that waited for instructions", \
	      .cpus = id), \
		SHARE("backend_bound", "TopdownL1", OF_ZEN(width, NO_DISPATCH("0x1e")), \
		      "slots that waited for execution or memory", .cpus = id), \
		SHARE("smt_contention", "TopdownL1", OF_ZEN(width, NO_DISPATCH("0x60")), \
		      "slots that the other thread of the core got", .cpus = id), \
		SHARE("bad_speculation", "TopdownL1", OF_ZEN(width, ZEN_BAD), "slots whose work was thrown away", \
		      .cpus = id), \
		SHARE("retiring", "TopdownL1", OF_ZEN(width, EVENT("0xc1")), "slots whose work was of use", \
		      .cpus = id), \
		SHARE("frontend_bound_latency", "TopdownL2", EVENT_C("0x1a0", "0x1", width) " / " EVENT("0x76"), \
		      "slots of cycles in which nothing came", .cpus = id), \
		SHARE("frontend_bound_bandwidth", "TopdownL2", \
		      OF_ZEN(width, NO_DISPATCH("0x1")) " - " EVENT_C("0x1a0", "0x1", width) " / " EVENT("0x76"), \
		      "slots of cycles in which less came than could be dispatched", .cpus = id), \
		SHARE("branch_mispredicts", "TopdownL2", OF_ZEN(width, ZEN_BAD) " * " ZEN_MISPREDICTED(resyncs), \
		      "slots thrown away behind wrongly predicted branches", .cpus = id), \
		SHARE("pipeline_restarts", "TopdownL2", \
		      OF_ZEN(width, ZEN_BAD) " * (1 - " ZEN_MISPREDICTED(resyncs) ")", \
		      "slots thrown away for another reason", .cpus = id), \
		SHARE("memory_bound", "TopdownL2", OF_ZEN(width, NO_DISPATCH("0x1e")) " * " ZEN_WAITS_FOR_LOAD, \
		      "slots that waited for memory", .cpus = id), \
		SHARE("core_bound", "TopdownL2", OF_ZEN(width, NO_DISPATCH("0x1e")) " * (1 - " ZEN_WAITS_FOR_LOAD ")", \
		      "slots that waited for a unit of the core", .cpus = id), \
		SHARE("microcode_retiring", "TopdownL2", OF_ZEN(width, MICROCODE), \
		      "slots whose work was of use, from microcode", .cpus = id), \
		SHARE("fastpath_retiring", "TopdownL2", OF_ZEN(width, "(" EVENT("0xc1") " - " MICROCODE ")"), \
		      "slots whose work was of use, without microcode", .cpus = id)

#define DRAM(channel) "amd_df@event\\=" channel "\\,umask\\=0x38@"

/*
 * Neoverse V3 and N3: level 2, and cycles lost after a flush, which count as bad speculation.
 * Source: Arm Architecture Reference Manual, "Common event numbers": STALL_FRONTEND_MEMBOUND
 * 0x8158, _CPUBOUND 0x8160, _FLUSH 0x8162, STALL_BACKEND_MEMBOUND 0x8164, _CPUBOUND 0x816a; Arm's
 * published metrics for Neoverse V3.
 */
#define AFTER_FLUSH "r8162 / cpu_cycles"

const struct metric_row metric_rows[] = {
	/* any machine */
	RATIO("IPC", "Summary", "instructions / cycles", "instructions per cycle"),
	RATIO("CPI", "Summary", "cycles / instructions", "cycles per instruction"),
	RATIO("insn_per_cycle", "Default", "instructions / cycles", "instructions per cycle"),
	ROW("cycles_frequency", "Default;Summary", "cycles / (task\\-clock * 1000000)", "GHz",
	    "cycles per second of CPU time"),
	ROW("CPUs_utilized", "Default;Summary", "task\\-clock / (duration_time * 1000)", "CPUs", "CPU time per second"),
	ROW("cs_per_second", "Default", "context\\-switches * 1000 / task\\-clock", "cs/sec",
	    "context switches per second of CPU time"),
	ROW("migrations_per_second", "Default", "cpu\\-migrations * 1000 / task\\-clock", "migrations/sec",
	    "moves to another CPU per second of CPU time"),
	ROW("page_faults_per_second", "Default", "page\\-faults * 1000 / task\\-clock", "faults/sec",
	    "page faults per second of CPU time"),
	SHARE("branch_miss_rate", "Branches;Summary", "branch\\-misses / branches",
	      "share of branches that were predicted wrong"),
	RATIO("branch_mpki", "Branches", "1000 * branch\\-misses / instructions",
	      "mispredicted branches per 1000 instructions"),
	SHARE("cache_miss_rate", "Caches", "cache\\-misses / cache\\-references",
	      "share of last-level cache accesses that miss"),
	RATIO("cache_mpki", "Caches", "1000 * cache\\-misses / instructions",
	      "last-level cache misses per 1000 instructions"),
	SHARE("l1d_miss_rate", "Caches", "L1\\-dcache\\-load\\-misses / L1\\-dcache\\-loads",
	      "share of loads that miss the first-level cache"),
	RATIO("l1d_mpki", "Caches", "1000 * L1\\-dcache\\-load\\-misses / instructions",
	      "first-level data cache misses per 1000 instructions"),
	SHARE("llc_miss_rate", "Caches", "LLC\\-load\\-misses / LLC\\-loads",
	      "share of last-level cache loads that miss"),
	SHARE("dtlb_miss_rate", "TLB", "dTLB\\-load\\-misses / dTLB\\-loads",
	      "share of loads whose address is not in the TLB"),
	SHARE("itlb_miss_rate", "TLB", "iTLB\\-load\\-misses / iTLB\\-loads",
	      "share of fetches whose address is not in the TLB"),
	SHARE("frontend_idle", "Stalls", "stalled\\-cycles\\-frontend / cycles", "cycles in which nothing was fetched"),
	SHARE("backend_idle", "Stalls", "stalled\\-cycles\\-backend / cycles",
	      "cycles in which nothing could be executed"),

	/* energy of the whole package: needs -a */
	ROW("power_pkg", "Power", "power@energy\\-pkg@ / duration_time", "Watts", "power of the packages"),
	ROW("power_cores", "Power", "power@energy\\-cores@ / duration_time", "Watts", "power of the cores"),
	ROW("power_ram", "Power", "power@energy\\-ram@ / duration_time", "Watts", "power of the memory"),

	ROW("power_gpu", "Power", "power@energy\\-gpu@ / duration_time", "Watts", "power of the graphics unit"),
	ROW("power_system", "Power", "power@energy\\-psys@ / duration_time", "Watts", "power of the whole board"),
	SHARE("core_c6_residency", "Power", "cstate_core@c6\\-residency@ / msr@tsc@",
	      "share of the time that cores slept in C6"),
	SHARE("core_c7_residency", "Power", "cstate_core@c7\\-residency@ / msr@tsc@",
	      "share of the time that cores slept in C7"),
	SHARE("package_c2_residency", "Power", "cstate_pkg@c2\\-residency@ / msr@tsc@",
	      "share of the time that packages slept in C2"),
	SHARE("package_c6_residency", "Power", "cstate_pkg@c6\\-residency@ / msr@tsc@",
	      "share of the time that packages slept in C6"),

	/* memory: counters of the controllers, which the kernel gives in MiB; need -a */
	ROW("memory_read_bandwidth", "Memory", "uncore_imc@cas_count_read@ / duration_time", "MiB/s",
	    "read from memory per second"),
	ROW("memory_write_bandwidth", "Memory", "uncore_imc@cas_count_write@ / duration_time", "MiB/s",
	    "written to memory per second"),
	ROW("memory_read_bandwidth", "Memory", "uncore_imc_free_running@data_read@ / duration_time", "MiB/s",
	    "read from memory per second"),
	ROW("memory_write_bandwidth", "Memory", "uncore_imc_free_running@data_write@ / duration_time", "MiB/s",
	    "written to memory per second"),
	ROW("memory_read_bandwidth", "Memory", "uncore_imc@data_reads@ / duration_time", "MiB/s",
	    "read from memory per second"),
	ROW("memory_write_bandwidth", "Memory", "uncore_imc@data_writes@ / duration_time", "MiB/s",
	    "written to memory per second"),
	ROW("memory_read_bandwidth", "Memory",
	    "amd_umc@event\\=0xa\\,rdwrmask\\=1@ * 64 / (1024 * 1024 * duration_time)", "MiB/s",
	    "read from memory per second", .cpus = "(" ZEN_4 "|" ZEN_5 ")"),
	ROW("memory_write_bandwidth", "Memory",
	    "amd_umc@event\\=0xa\\,rdwrmask\\=2@ * 64 / (1024 * 1024 * duration_time)", "MiB/s",
	    "written to memory per second", .cpus = "(" ZEN_4 "|" ZEN_5 ")"),

	/* Zen 2 and 3: both directions together, of eight channels. Source: AMD's PPR, "DF performance monitor". */
	ROW("memory_bandwidth", "Memory",
	    "(" DRAM("0x7") " + " DRAM("0x47") " + " DRAM("0x87") " + " DRAM("0xc7") " + " DRAM("0x107") " + " DRAM(
		    "0x147") " + " DRAM("0x187") " + " DRAM("0x1c7") ") * 64 / (1024 * 1024 * duration_time)",
	    "MiB/s", "moved to and from memory per second", .cpus = "(" ZEN_2 "|" ZEN_3 ")"),

	/* Intel since Ice Lake: the core counts slots, and the kernel shows how they were used */
	OF_SLOTS("retiring", "TopdownL1", "topdown\\-retiring / slots", "slots whose work was of use"),
	OF_SLOTS("bad_speculation", "TopdownL1", "topdown\\-bad\\-spec / slots", "slots whose work was thrown away"),
	OF_SLOTS("frontend_bound", "TopdownL1", "topdown\\-fe\\-bound / slots", "slots that waited for instructions"),
	OF_SLOTS("backend_bound", "TopdownL1", "topdown\\-be\\-bound / slots",
		 "slots that waited for execution or memory"),
	OF_SLOTS("heavy_operations", "TopdownL2", "topdown\\-heavy\\-ops / slots",
		 "slots of instructions that take many steps"),
	OF_SLOTS("branch_mispredicts", "TopdownL2", "topdown\\-br\\-mispredict / slots",
		 "slots thrown away behind wrongly predicted branches"),
	OF_SLOTS("fetch_latency", "TopdownL2", "topdown\\-fetch\\-lat / slots", "slots that waited for a fetch"),
	OF_SLOTS("memory_bound", "TopdownL2", "topdown\\-mem\\-bound / slots", "slots that waited for memory"),

	/* the rest of level 2, where the core shows all of it: since Sapphire Rapids and Alder Lake */
	OF_SLOTS("light_operations", "TopdownL2", "(topdown\\-retiring - topdown\\-heavy\\-ops) / slots",
		 "slots of instructions of one or two steps"),
	OF_SLOTS("machine_clears", "TopdownL2", "(topdown\\-bad\\-spec - topdown\\-br\\-mispredict) / slots",
		 "slots thrown away for another reason than a branch"),
	OF_SLOTS("fetch_bandwidth", "TopdownL2", "(topdown\\-fe\\-bound - topdown\\-fetch\\-lat) / slots",
		 "slots of cycles in which less was fetched than fits"),
	OF_SLOTS("core_bound", "TopdownL2", "(topdown\\-be\\-bound - topdown\\-mem\\-bound) / slots",
		 "slots that waited for a unit of the core"),
	/* Ice Lake shows level 1 only */
	OF_SLOTS("fetch_latency", "TopdownL2",
		 "(5 * " EVENT_C("0x9c", "0x1", "5") " - " EVENT_U("0xd", "0x10") ") / slots",
		 "slots that waited for a fetch", .cpus = ICE_LAKE),
	OF_SLOTS("branch_mispredicts", "TopdownL2", "topdown\\-bad\\-spec / slots * " MISPREDICTED,
		 "slots thrown away behind wrongly predicted branches", .cpus = ICE_LAKE),
	OF_SLOTS("machine_clears", "TopdownL2", "topdown\\-bad\\-spec / slots * (1 - " MISPREDICTED ")",
		 "slots thrown away for another reason than a branch", .cpus = ICE_LAKE),
	OF_SLOTS("memory_bound", "TopdownL2", ICL_MEMORY, "slots that waited for memory", .cpus = ICE_LAKE),
	OF_SLOTS("core_bound", "TopdownL2", "topdown\\-be\\-bound / slots - " ICL_MEMORY,
		 "slots that waited for a unit of the core", .cpus = ICE_LAKE),
	/* the small cores of hybrids */
	ATOM_ROWS(ALDER_LAKE, "5"),
	ATOM_ROWS(METEOR_LAKE, "6"),
	ATOM_ROWS(LUNAR_LAKE, "8"),

	/* older Intel: four events replace those */
	SHARE("retiring", "TopdownL1", "topdown\\-slots\\-retired / topdown\\-total\\-slots",
	      "slots whose work was of use"),
	SHARE("bad_speculation", "TopdownL1",
	      "(topdown\\-slots\\-issued - topdown\\-slots\\-retired + topdown\\-recovery\\-bubbles) / "
	      "topdown\\-total\\-slots",
	      "slots whose work was thrown away"),
	SHARE("frontend_bound", "TopdownL1", "topdown\\-fetch\\-bubbles / topdown\\-total\\-slots",
	      "slots that waited for instructions"),
	SHARE("backend_bound", "TopdownL1",
	      "1 - (topdown\\-fetch\\-bubbles + topdown\\-slots\\-issued + topdown\\-recovery\\-bubbles) / "
	      "topdown\\-total\\-slots",
	      "slots that waited for execution or memory"),

	SHARE("fetch_latency", "TopdownL2", "4 * " EVENT_C("0x9c", "0x1", "4") " / topdown\\-total\\-slots",
	      "slots that waited for a fetch", .cpus = SKYLAKE),
	SHARE("fetch_bandwidth", "TopdownL2",
	      "(topdown\\-fetch\\-bubbles - 4 * " EVENT_C("0x9c", "0x1", "4") ") / topdown\\-total\\-slots",
	      "slots of cycles in which less was fetched than fits", .cpus = SKYLAKE),
	SHARE("branch_mispredicts", "TopdownL2", OLD_BAD " * " MISPREDICTED,
	      "slots thrown away behind wrongly predicted branches", .cpus = SKYLAKE),
	SHARE("machine_clears", "TopdownL2", OLD_BAD " * (1 - " MISPREDICTED ")",
	      "slots thrown away for another reason than a branch", .cpus = SKYLAKE),
	SHARE("memory_bound", "TopdownL2", OLD_MEMORY, "slots that waited for memory", .cpus = SKYLAKE),
	SHARE("core_bound", "TopdownL2", OLD_BACKEND " - " OLD_MEMORY, "slots that waited for a unit of the core",
	      .cpus = SKYLAKE),

	/* page tables: cycles of walks, of two units, since Sapphire Rapids of four */
	SHARE("page_walk_share", "TLB",
	      "(" EVENT_U("0x8", "0x10") " + " EVENT_U("0x49", "0x10") " + " EVENT_U("0x85", "0x10") ") / (2 * cycles)",
	      "share of the time that page tables were walked", .cpus = "(" SKYLAKE "|" ICE_LAKE ")"),
	SHARE("page_walk_share", "TLB",
	      "(" EVENT_U("0x12", "0x10") " + " EVENT_U("0x13", "0x10") " + " EVENT_U("0x11",
										      "0x10") ") / (4 * cycles)",
	      "share of the time that page tables were walked", .cpus = SAPPHIRE_RAPIDS),

	SHARE("frontend_bound", "TopdownL1", "stall_slot_frontend / (#slots * cpu_cycles) - " AFTER_FLUSH,
	      "slots that waited for instructions", .cpus = NEOVERSE_3),
	SHARE("bad_speculation", "TopdownL1",
	      "(1 - op_retired / op_spec) * (1 - stall_slot / (#slots * cpu_cycles)) + " AFTER_FLUSH,
	      "slots whose work was thrown away", .cpus = NEOVERSE_3),
	SHARE("frontend_mem_bound", "TopdownL2", "r8158 / stall_frontend",
	      "share of the cycles that waited for instructions: for memory", .cpus = NEOVERSE_3),
	SHARE("frontend_core_bound", "TopdownL2", "r8160 / stall_frontend",
	      "share of the cycles that waited for instructions: for the core", .cpus = NEOVERSE_3),
	SHARE("backend_mem_bound", "TopdownL2", "r8164 / stall_backend",
	      "share of the cycles that waited for execution: for memory", .cpus = NEOVERSE_3),
	SHARE("backend_core_bound", "TopdownL2", "r816a / stall_backend",
	      "share of the cycles that waited for execution: for the core", .cpus = NEOVERSE_3),
	/* Arm: slots since Neoverse N2 and Cortex-A710; before that cycles */
	SHARE("retiring", "TopdownL1", "op_retired / op_spec * (1 - stall_slot / (#slots * cpu_cycles))",
	      "slots whose work was of use"),
	SHARE("bad_speculation", "TopdownL1", "(1 - op_retired / op_spec) * (1 - stall_slot / (#slots * cpu_cycles))",
	      "slots whose work was thrown away"),
	SHARE("frontend_bound", "TopdownL1", "stall_slot_frontend / (#slots * cpu_cycles)",
	      "slots that waited for instructions"),
	SHARE("backend_bound", "TopdownL1", "stall_slot_backend / (#slots * cpu_cycles)",
	      "slots that waited for execution or memory"),
	SHARE("frontend_stalled_cycles", "Stalls;TopdownL1", "stall_frontend / cpu_cycles",
	      "cycles that waited for instructions"),
	SHARE("backend_stalled_cycles", "Stalls;TopdownL1", "stall_backend / cpu_cycles",
	      "cycles that waited for execution or memory"),
	SHARE("branch_misprediction_ratio", "Branches", "br_mis_pred_retired / br_retired",
	      "share of branches that were predicted wrong"),
	SHARE("branch_misprediction_ratio", "Branches", "br_mis_pred / br_pred",
	      "share of branches that were predicted wrong"),
	SHARE("l1d_cache_miss_ratio", "Caches", "l1d_cache_refill / l1d_cache",
	      "share of accesses that miss the first-level data cache"),
	SHARE("l1i_cache_miss_ratio", "Caches", "l1i_cache_refill / l1i_cache",
	      "share of fetches that miss the first-level instruction cache"),
	SHARE("l2_cache_miss_ratio", "Caches", "l2d_cache_refill / l2d_cache",
	      "share of accesses that miss the second-level cache"),
	RATIO("l1d_cache_mpki", "Caches", "1000 * l1d_cache_refill / inst_retired",
	      "first-level data cache misses per 1000 instructions"),
	RATIO("l1i_cache_mpki", "Caches", "1000 * l1i_cache_refill / inst_retired",
	      "first-level instruction cache misses per 1000 instructions"),
	RATIO("l2_cache_mpki", "Caches", "1000 * l2d_cache_refill / inst_retired",
	      "second-level cache misses per 1000 instructions"),
	RATIO("branch_mispredicts_mpki", "Branches", "1000 * br_mis_pred_retired / inst_retired",
	      "mispredicted branches per 1000 instructions"),
	SHARE("ll_cache_read_miss_ratio", "Caches", "ll_cache_miss_rd / ll_cache_rd",
	      "share of reads that miss the last-level cache"),
	RATIO("ll_cache_read_mpki", "Caches", "1000 * ll_cache_miss_rd / inst_retired",
	      "reads that miss the last-level cache per 1000 instructions"),
	SHARE("l2_tlb_miss_ratio", "TLB", "l2d_tlb_refill / l2d_tlb",
	      "share of accesses that miss the second-level TLB"),
	RATIO("dtlb_mpki", "TLB", "1000 * dtlb_walk / inst_retired",
	      "walks of page tables for data per 1000 instructions"),
	RATIO("itlb_mpki", "TLB", "1000 * itlb_walk / inst_retired",
	      "walks of page tables for fetches per 1000 instructions"),
	ROW("memory_access_bandwidth", "Memory", "bus_access * 64 / (1024 * 1024 * duration_time)", "MiB/s",
	    "moved between the core and what is outside per second, by lines of 64 bytes"),
	SHARE("dtlb_walk_ratio", "TLB", "dtlb_walk / l1d_tlb", "share of data accesses whose page tables were walked"),
	SHARE("itlb_walk_ratio", "TLB", "itlb_walk / l1i_tlb", "share of fetches whose page tables were walked"),

	/*
	 * Intel, by the names in its manuals: Skylake and later, then Haswell and Broadwell where
	 * they differ
	 */
	SHARE("branch_misprediction_ratio", "Branches", "br_misp_retired.all_branches / br_inst_retired.all_branches",
	      "share of branches that were predicted wrong"),
	RATIO("instructions_per_branch", "Branches", "inst_retired.any_p / br_inst_retired.all_branches",
	      "instructions between two branches"),
	RATIO("L1MPKI", "Caches", "1000 * mem_load_retired.l1_miss / inst_retired.any_p",
	      "loads that miss the first-level cache per 1000 instructions"),
	RATIO("L2MPKI", "Caches", "1000 * mem_load_retired.l2_miss / inst_retired.any_p",
	      "loads that miss the second-level cache per 1000 instructions"),
	RATIO("L3MPKI", "Caches", "1000 * mem_load_retired.l3_miss / inst_retired.any_p",
	      "loads that miss the third-level cache per 1000 instructions"),
	RATIO("L1MPKI", "Caches", "1000 * mem_load_uops_retired.l1_miss / inst_retired.any_p",
	      "loads that miss the first-level cache per 1000 instructions"),
	RATIO("L2MPKI", "Caches", "1000 * mem_load_uops_retired.l2_miss / inst_retired.any_p",
	      "loads that miss the second-level cache per 1000 instructions"),
	RATIO("L3MPKI", "Caches", "1000 * mem_load_uops_retired.l3_miss / inst_retired.any_p",
	      "loads that miss the third-level cache per 1000 instructions"),
	SHARE("l2_demand_miss_ratio", "Caches", "l2_rqsts.all_demand_miss / l2_rqsts.all_demand_references",
	      "share of demanded lines that miss the second-level cache"),
	RATIO("dtlb_walk_mpki", "TLB", "1000 * dtlb_load_misses.walk_completed / inst_retired.any_p",
	      "walks of page tables for loads per 1000 instructions"),

	/* AMD Zen, by the names in its manuals; slots are counted since Zen 4, six per cycle */
	SHARE("branch_misprediction_ratio", "Branches",
	      "retired_branch_instructions_mispredicted / retired_branch_instructions",
	      "share of branches that were predicted wrong"),
	RATIO("ops_per_instruction", "Summary", "retired_ops / retired_instructions",
	      "macro operations per instruction"),
	RATIO("ops_per_instruction", "Summary", "retired_uops / retired_instructions", "operations per instruction"),
	SHARE("op_cache_fetch_miss_ratio", "Caches", "op_cache_hit_miss.oc_miss / op_cache_hit_miss.all_oc_access",
	      "share of fetches that miss the cache of operations"),
	RATIO("l2_data_mpki", "Caches",
	      "1000 * core_to_l2_cacheable_request_access_status.ls_rd_blk_c / retired_instructions",
	      "data requests that miss the second-level cache per 1000 instructions"),
	/* (the last term limits it to cores with slots: Zen 3 does not dispatch six) */
	SHARE("retiring", "TopdownL1", "retired_ops / (6 * cycles_not_in_halt) + 0 * dispatch_stalls_1.be_stalls",
	      "slots whose work was of use"),
	SHARE("bad_speculation", "TopdownL1",
	      "(ops_source_dispatched_from_decoder.decoder + ops_source_dispatched_from_decoder.opcache + "
	      "ops_source_dispatched_from_decoder.loop_buffer - retired_ops) / (6 * cycles_not_in_halt)",
	      "slots whose work was thrown away"),
	SHARE("frontend_bound", "TopdownL1", "dispatch_stalls_1.fe_no_ops / (6 * cycles_not_in_halt)",
	      "slots that waited for instructions"),
	SHARE("backend_bound", "TopdownL1", "dispatch_stalls_1.be_stalls / (6 * cycles_not_in_halt)",
	      "slots that waited for execution or memory"),

	/* AMD Zen by numbers: six slots a cycle in Zen 4, eight in Zen 5 */
	ZEN_ROWS(ZEN_4, "6", ZEN_4_RESYNCS),
	ZEN_ROWS(ZEN_5, "8", ZEN_5_RESYNCS),
	SHARE("l2_miss_ratio", "Caches", EVENT_U("0x64", "0x9") " / " EVENT_U("0x60", "0xf1"),
	      "share of requests of the first-level caches that miss the second-level cache", .cpus = ZEN_5),
	SHARE("l2_miss_ratio", "Caches", EVENT_U("0x64", "0x9") " / " EVENT_U("0x60", "0xf9"),
	      "share of requests of the first-level caches that miss the second-level cache",
	      .cpus = "(" ZEN_2 "|" ZEN_3 "|" ZEN_4 ")"),
	RATIO("l2_mpki", "Caches", "1000 * " EVENT_U("0x64", "0x9") " / instructions",
	      "requests that miss the second-level cache per 1000 instructions", .cpus = ZENS),
	SHARE("l3_miss_ratio", "Caches", "amd_l3@event\\=0x4\\,umask\\=0x1@ / amd_l3@event\\=0x4\\,umask\\=0xff@",
	      "share of lookups that miss the third-level cache", .cpus = ZENS),
	RATIO("dtlb_l1_mpki", "TLB", "1000 * " EVENT_U("0x45", "0xff") " / instructions",
	      "data accesses that miss the first-level TLB per 1000 instructions", .cpus = ZENS),
	RATIO("dtlb_l2_mpki", "TLB", "1000 * " EVENT_U("0x45", "0xf0") " / instructions",
	      "data accesses that miss both TLBs per 1000 instructions", .cpus = ZENS),

	{ NULL, NULL, NULL, NULL, NULL, NULL },
};
