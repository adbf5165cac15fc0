/*
 * The table of all metrics. Of the rows with one name, we choose the first for which the machine
 * has all events, so rows of one name are in order of preference. In an expression, counts are in
 * their event's unit (clocks in msec), and times that we measure in seconds. A row has a name, its
 * groups, the expression (see stat/expression.h), the unit, the event that must lead the group, and
 * one line of description.
 *
 * Sources: generic events: perf_event_open(2). Intel: Software Developer's Manual volume 3,
 * "Performance Monitoring", and the events that the kernel shows in sysfs. Arm: Architecture
 * Reference Manual, "PMU events and event numbers", and Arm's Topdown methodology for Neoverse.
 * AMD: Processor Programming References of family 19h, "Core performance monitor counters". Energy:
 * Documentation/admin-guide/perf and sysfs of the kernel.
 */
#include "stat/metrics.h"

/*
 * Events by their numbers, where neither the kernel nor every libpfm4 has a name. Such a row needs the
 * CPUs for which the numbers are true (.cpus).
 */
#define EVENT(number)                 "cpu@event\\=" number "@"
#define EVENT_U(number, umask)        "cpu@event\\=" number "\\,umask\\=" umask "@"
#define EVENT_C(number, umask, cmask) "cpu@event\\=" number "\\,umask\\=" umask "\\,cmask\\=" cmask "@"

#define SKYLAKE         "GenuineIntel-6-(4E|5E|8E|9E|A5|A6|55)"    /* to Comet Lake and Cooper Lake */
#define ICE_LAKE        "GenuineIntel-6-(7D|7E|9D|A7|6A|6C|8C|8D)" /* to Rocket Lake and Tiger Lake */
#define SAPPHIRE_RAPIDS "GenuineIntel-6-(8F|CF)"                   /* and Emerald Rapids */
#define ZEN_2           "AuthenticAMD-23-(3[0-9A-F]|4[0-9A-F]|[6-9A][0-9A-F])"
#define ZEN_3           "AuthenticAMD-25-([245][0-9A-F]|[0-9A-F])"
#define ZEN_4           "AuthenticAMD-25-(1[0-9A-F]|[67A][0-9A-F])"
#define ZEN_5           "AuthenticAMD-26-[0-9A-F]+"
#define ZENS            "(" ZEN_2 "|" ZEN_3 "|" ZEN_4 "|" ZEN_5 ")"

/* Skylake and Ice Lake: how many of the stalled cycles waited for memory */
#define STALLED_BY_MEMORY "(" EVENT_C("0xa3", "0x14", "20") " + " EVENT_U("0xa6", "0x40") ")"
#define STALLED_OR_SLOW(retiring) \
	"(" EVENT_C("0xa3", "0x4", "4") " + " EVENT_U("0xa6", "0x2") " + " retiring " * " EVENT_U( \
		"0xa6", "0x4") " + " EVENT_U("0xa6", "0x40") ")"
#define OLD_RETIRING "(topdown\\-slots\\-retired / topdown\\-total\\-slots)"
#define OLD_BACKEND \
	"(1 - (topdown\\-fetch\\-bubbles + topdown\\-slots\\-issued + topdown\\-recovery\\-bubbles) / " \
	"topdown\\-total\\-slots)"
#define OLD_BAD \
	"((topdown\\-slots\\-issued - topdown\\-slots\\-retired + topdown\\-recovery\\-bubbles) / " \
	"topdown\\-total\\-slots)"
#define OLD_MEMORY   "(" STALLED_BY_MEMORY " / " STALLED_OR_SLOW(OLD_RETIRING) " * " OLD_BACKEND ")"
#define ICL_RETIRING "(topdown\\-retiring / slots)"
#define ICL_MEMORY   "(" STALLED_BY_MEMORY " / " STALLED_OR_SLOW(ICL_RETIRING) " * topdown\\-be\\-bound / slots)"
/* Intel: the share of wrong work that a mispredicted branch began, not a machine clear */
#define MISPREDICTED "(" EVENT("0xc5") " / (" EVENT("0xc5") " + cpu@event\\=0xc3\\,umask\\=1\\,cmask\\=1\\,edge\\=1@))"

/* Zen 4 and 5: slots that were not used, by reason, and the slots of a cycle */
#define NO_DISPATCH(umask) EVENT_U("0x1a0", umask)
#define ZEN_BAD            "(" EVENT_U("0xaa", "0x7") " - " EVENT("0xc1") ")"
#define ZEN_MISPREDICTED   "(" EVENT("0xc3") " / (" EVENT("0xc3") " + " EVENT("0x96") "))"
#define ZEN_WAITS_FOR_LOAD "(" EVENT_U("0xd6", "0xa2") " / " EVENT_U("0xd6", "0x2") ")"
#define ZEN_ROWS(id, width) \
	{ "frontend_bound_latency", \
	  "TopdownL2", \
	  EVENT_C("0x1a0", "0x1", width) " / " EVENT("0x76"), \
	  "100%", \
	  NULL, \
	  "slots of cycles in which nothing came", \
	  .cpus = id }, \
		{ "frontend_bound_bandwidth", \
		  "TopdownL2", \
		  NO_DISPATCH("0x1") " / (" width \
				     " * " EVENT("0x76") ") - " EVENT_C("0x1a0", "0x1", width) " / " EVENT("0x76"), \
		  "100%", \
		  NULL, \
		  "slots of cycles in which less came than could be dispatched", \
		  .cpus = id }, \
		{ "frontend_bound", "TopdownL1", NO_DISPATCH("0x1") " / (" width " * " EVENT("0x76") ")", \
		  "100%",           NULL,        "slots that waited for instructions", \
		  .cpus = id }, \
		{ "backend_bound", "TopdownL1", NO_DISPATCH("0x1e") " / (" width " * " EVENT("0x76") ")", \
		  "100%",          NULL,        "slots that waited for execution or memory", \
		  .cpus = id }, \
		{ "smt_contention", "TopdownL1", NO_DISPATCH("0x60") " / (" width " * " EVENT("0x76") ")", \
		  "100%",           NULL,        "slots that the other thread of the core got", \
		  .cpus = id }, \
		{ "bad_speculation", \
		  "TopdownL1", \
		  ZEN_BAD " / (" width " * " EVENT("0x76") ")", \
		  "100%", \
		  NULL, \
		  "slots whose work was thrown away", \
		  .cpus = id }, \
		{ "retiring", "TopdownL1", EVENT("0xc1") " / (" width " * " EVENT("0x76") ")", \
		  "100%",     NULL,        "slots whose work was of use", \
		  .cpus = id }, \
		{ "branch_mispredicts", \
		  "TopdownL2", \
		  ZEN_BAD " / (" width " * " EVENT("0x76") ") * " ZEN_MISPREDICTED, \
		  "100%", \
		  NULL, \
		  "slots thrown away behind wrongly predicted branches", \
		  .cpus = id }, \
		{ "pipeline_restarts", \
		  "TopdownL2", \
		  ZEN_BAD " / (" width " * " EVENT("0x76") ") * (1 - " ZEN_MISPREDICTED ")", \
		  "100%", \
		  NULL, \
		  "slots thrown away for another reason", \
		  .cpus = id }, \
		{ "memory_bound", \
		  "TopdownL2", \
		  NO_DISPATCH("0x1e") " / (" width " * " EVENT("0x76") ") * " ZEN_WAITS_FOR_LOAD, \
		  "100%", \
		  NULL, \
		  "slots that waited for memory", \
		  .cpus = id }, \
		{ "core_bound", \
		  "TopdownL2", \
		  NO_DISPATCH("0x1e") " / (" width " * " EVENT("0x76") ") * (1 - " ZEN_WAITS_FOR_LOAD ")", \
		  "100%", \
		  NULL, \
		  "slots that waited for a unit of the core", \
		  .cpus = id }, \
	{ \
		"microcode_retiring", "TopdownL2", EVENT("0x1c1") " / (" width " * " EVENT("0x76") ")", "100%", NULL, \
			"slots whose work was of use, from microcode", .cpus = id \
	}

const struct metric_row metric_rows[] = {
	/* any machine */
	{ "IPC", "Summary", "instructions / cycles", NULL, NULL, "instructions per cycle" },
	{ "CPI", "Summary", "cycles / instructions", NULL, NULL, "cycles per instruction" },
	{ "insn_per_cycle", "Default", "instructions / cycles", NULL, NULL, "instructions per cycle" },
	{ "cycles_frequency", "Default;Summary", "cycles / (task\\-clock * 1000000)", "GHz", NULL,
	  "cycles per second of CPU time" },
	{ "CPUs_utilized", "Default;Summary", "task\\-clock / (duration_time * 1000)", "CPUs", NULL,
	  "CPU time per second" },
	{ "cs_per_second", "Default", "context\\-switches * 1000 / task\\-clock", "cs/sec", NULL,
	  "context switches per second of CPU time" },
	{ "migrations_per_second", "Default", "cpu\\-migrations * 1000 / task\\-clock", "migrations/sec", NULL,
	  "moves to another CPU per second of CPU time" },
	{ "page_faults_per_second", "Default", "page\\-faults * 1000 / task\\-clock", "faults/sec", NULL,
	  "page faults per second of CPU time" },
	{ "branch_miss_rate", "Branches;Summary", "branch\\-misses / branches", "100%", NULL,
	  "share of branches that were predicted wrong" },
	{ "branch_mpki", "Branches", "1000 * branch\\-misses / instructions", NULL, NULL,
	  "mispredicted branches per 1000 instructions" },
	{ "cache_miss_rate", "Caches", "cache\\-misses / cache\\-references", "100%", NULL,
	  "share of last-level cache accesses that miss" },
	{ "cache_mpki", "Caches", "1000 * cache\\-misses / instructions", NULL, NULL,
	  "last-level cache misses per 1000 instructions" },
	{ "l1d_miss_rate", "Caches", "L1\\-dcache\\-load\\-misses / L1\\-dcache\\-loads", "100%", NULL,
	  "share of loads that miss the first-level cache" },
	{ "l1d_mpki", "Caches", "1000 * L1\\-dcache\\-load\\-misses / instructions", NULL, NULL,
	  "first-level data cache misses per 1000 instructions" },
	{ "llc_miss_rate", "Caches", "LLC\\-load\\-misses / LLC\\-loads", "100%", NULL,
	  "share of last-level cache loads that miss" },
	{ "dtlb_miss_rate", "TLB", "dTLB\\-load\\-misses / dTLB\\-loads", "100%", NULL,
	  "share of loads whose address is not in the TLB" },
	{ "itlb_miss_rate", "TLB", "iTLB\\-load\\-misses / iTLB\\-loads", "100%", NULL,
	  "share of fetches whose address is not in the TLB" },
	{ "frontend_idle", "Stalls", "stalled\\-cycles\\-frontend / cycles", "100%", NULL,
	  "cycles in which nothing was fetched" },
	{ "backend_idle", "Stalls", "stalled\\-cycles\\-backend / cycles", "100%", NULL,
	  "cycles in which nothing could be executed" },

	/* energy of the whole package: needs -a */
	{ "power_pkg", "Power", "power@energy\\-pkg@ / duration_time", "Watts", NULL, "power of the packages" },
	{ "power_cores", "Power", "power@energy\\-cores@ / duration_time", "Watts", NULL, "power of the cores" },
	{ "power_ram", "Power", "power@energy\\-ram@ / duration_time", "Watts", NULL, "power of the memory" },

	{ "power_gpu", "Power", "power@energy\\-gpu@ / duration_time", "Watts", NULL, "power of the graphics unit" },
	{ "power_system", "Power", "power@energy\\-psys@ / duration_time", "Watts", NULL, "power of the whole board" },
	{ "core_c6_residency", "Power", "cstate_core@c6\\-residency@ / msr@tsc@", "100%", NULL,
	  "share of the time that cores slept in C6" },
	{ "core_c7_residency", "Power", "cstate_core@c7\\-residency@ / msr@tsc@", "100%", NULL,
	  "share of the time that cores slept in C7" },
	{ "package_c2_residency", "Power", "cstate_pkg@c2\\-residency@ / msr@tsc@", "100%", NULL,
	  "share of the time that packages slept in C2" },
	{ "package_c6_residency", "Power", "cstate_pkg@c6\\-residency@ / msr@tsc@", "100%", NULL,
	  "share of the time that packages slept in C6" },

	/* memory: counters of the controllers, which the kernel gives in MiB; need -a */
	{ "memory_read_bandwidth", "Memory", "uncore_imc@cas_count_read@ / duration_time", "MiB/s", NULL,
	  "read from memory per second" },
	{ "memory_write_bandwidth", "Memory", "uncore_imc@cas_count_write@ / duration_time", "MiB/s", NULL,
	  "written to memory per second" },
	{ "memory_read_bandwidth", "Memory", "uncore_imc_free_running@data_read@ / duration_time", "MiB/s", NULL,
	  "read from memory per second" },
	{ "memory_write_bandwidth", "Memory", "uncore_imc_free_running@data_write@ / duration_time", "MiB/s", NULL,
	  "written to memory per second" },
	{ "memory_read_bandwidth", "Memory", "uncore_imc@data_reads@ / duration_time", "MiB/s", NULL,
	  "read from memory per second" },
	{ "memory_write_bandwidth", "Memory", "uncore_imc@data_writes@ / duration_time", "MiB/s", NULL,
	  "written to memory per second" },
	{ "memory_read_bandwidth", "Memory", "amd_umc@event\\=0xa\\,rdwrmask\\=1@ * 64 / (1024 * 1024 * duration_time)",
	  "MiB/s", NULL, "read from memory per second", .cpus = "(" ZEN_4 "|" ZEN_5 ")" },
	{ "memory_write_bandwidth", "Memory",
	  "amd_umc@event\\=0xa\\,rdwrmask\\=2@ * 64 / (1024 * 1024 * duration_time)", "MiB/s", NULL,
	  "written to memory per second", .cpus = "(" ZEN_4 "|" ZEN_5 ")" },

	/* Intel since Ice Lake: the core counts slots, and the kernel shows how they were used */
	{ "retiring", "TopdownL1", "topdown\\-retiring / slots", "100%", "slots", "slots whose work was of use" },
	{ "bad_speculation", "TopdownL1", "topdown\\-bad\\-spec / slots", "100%", "slots",
	  "slots whose work was thrown away" },
	{ "frontend_bound", "TopdownL1", "topdown\\-fe\\-bound / slots", "100%", "slots",
	  "slots that waited for instructions" },
	{ "backend_bound", "TopdownL1", "topdown\\-be\\-bound / slots", "100%", "slots",
	  "slots that waited for execution or memory" },
	{ "heavy_operations", "TopdownL2", "topdown\\-heavy\\-ops / slots", "100%", "slots",
	  "slots of instructions that take many steps" },
	{ "branch_mispredicts", "TopdownL2", "topdown\\-br\\-mispredict / slots", "100%", "slots",
	  "slots thrown away behind wrongly predicted branches" },
	{ "fetch_latency", "TopdownL2", "topdown\\-fetch\\-lat / slots", "100%", "slots",
	  "slots that waited for a fetch" },
	{ "memory_bound", "TopdownL2", "topdown\\-mem\\-bound / slots", "100%", "slots",
	  "slots that waited for memory" },

	/* the rest of level 2, where the core shows all of it: since Sapphire Rapids and Alder Lake */
	{ "light_operations", "TopdownL2", "(topdown\\-retiring - topdown\\-heavy\\-ops) / slots", "100%", "slots",
	  "slots of instructions of one or two steps" },
	{ "machine_clears", "TopdownL2", "(topdown\\-bad\\-spec - topdown\\-br\\-mispredict) / slots", "100%", "slots",
	  "slots thrown away for another reason than a branch" },
	{ "fetch_bandwidth", "TopdownL2", "(topdown\\-fe\\-bound - topdown\\-fetch\\-lat) / slots", "100%", "slots",
	  "slots of cycles in which less was fetched than fits" },
	{ "core_bound", "TopdownL2", "(topdown\\-be\\-bound - topdown\\-mem\\-bound) / slots", "100%", "slots",
	  "slots that waited for a unit of the core" },
	/* Ice Lake shows level 1 only */
	{ "fetch_latency", "TopdownL2", "(5 * " EVENT_C("0x9c", "0x1", "5") " - " EVENT_U("0xd", "0x10") ") / slots",
	  "100%", "slots", "slots that waited for a fetch", .cpus = ICE_LAKE },
	{ "branch_mispredicts", "TopdownL2", "topdown\\-bad\\-spec / slots * " MISPREDICTED, "100%", "slots",
	  "slots thrown away behind wrongly predicted branches", .cpus = ICE_LAKE },
	{ "machine_clears", "TopdownL2", "topdown\\-bad\\-spec / slots * (1 - " MISPREDICTED ")", "100%", "slots",
	  "slots thrown away for another reason than a branch", .cpus = ICE_LAKE },
	{ "memory_bound", "TopdownL2", ICL_MEMORY, "100%", "slots", "slots that waited for memory", .cpus = ICE_LAKE },
	{ "core_bound", "TopdownL2", "topdown\\-be\\-bound / slots - " ICL_MEMORY, "100%", "slots",
	  "slots that waited for a unit of the core", .cpus = ICE_LAKE },
	/* the small cores of hybrids have five slots */
	{ "atom_retiring", "TopdownL1", "cpu_atom@topdown\\-retiring@ / (5 * cpu_atom@cycles@)", "100%", NULL,
	  "small cores: slots whose work was of use" },
	{ "atom_bad_speculation", "TopdownL1", "cpu_atom@topdown\\-bad\\-spec@ / (5 * cpu_atom@cycles@)", "100%", NULL,
	  "small cores: slots whose work was thrown away" },
	{ "atom_frontend_bound", "TopdownL1", "cpu_atom@topdown\\-fe\\-bound@ / (5 * cpu_atom@cycles@)", "100%", NULL,
	  "small cores: slots that waited for instructions" },
	{ "atom_backend_bound", "TopdownL1", "cpu_atom@topdown\\-be\\-bound@ / (5 * cpu_atom@cycles@)", "100%", NULL,
	  "small cores: slots that waited for execution or memory" },

	/* older Intel: four events replace those */
	{ "retiring", "TopdownL1", "topdown\\-slots\\-retired / topdown\\-total\\-slots", "100%", NULL,
	  "slots whose work was of use" },
	{ "bad_speculation", "TopdownL1",
	  "(topdown\\-slots\\-issued - topdown\\-slots\\-retired + topdown\\-recovery\\-bubbles) / "
	  "topdown\\-total\\-slots",
	  "100%", NULL, "slots whose work was thrown away" },
	{ "frontend_bound", "TopdownL1", "topdown\\-fetch\\-bubbles / topdown\\-total\\-slots", "100%", NULL,
	  "slots that waited for instructions" },
	{ "backend_bound", "TopdownL1",
	  "1 - (topdown\\-fetch\\-bubbles + topdown\\-slots\\-issued + topdown\\-recovery\\-bubbles) / "
	  "topdown\\-total\\-slots",
	  "100%", NULL, "slots that waited for execution or memory" },

	{ "fetch_latency", "TopdownL2", "4 * " EVENT_C("0x9c", "0x1", "4") " / topdown\\-total\\-slots", "100%", NULL,
	  "slots that waited for a fetch", .cpus = SKYLAKE },
	{ "fetch_bandwidth", "TopdownL2",
	  "(topdown\\-fetch\\-bubbles - 4 * " EVENT_C("0x9c", "0x1", "4") ") / topdown\\-total\\-slots", "100%", NULL,
	  "slots of cycles in which less was fetched than fits", .cpus = SKYLAKE },
	{ "branch_mispredicts", "TopdownL2", OLD_BAD " * " MISPREDICTED, "100%", NULL,
	  "slots thrown away behind wrongly predicted branches", .cpus = SKYLAKE },
	{ "machine_clears", "TopdownL2", OLD_BAD " * (1 - " MISPREDICTED ")", "100%", NULL,
	  "slots thrown away for another reason than a branch", .cpus = SKYLAKE },
	{ "memory_bound", "TopdownL2", OLD_MEMORY, "100%", NULL, "slots that waited for memory", .cpus = SKYLAKE },
	{ "core_bound", "TopdownL2", OLD_BACKEND " - " OLD_MEMORY, "100%", NULL,
	  "slots that waited for a unit of the core", .cpus = SKYLAKE },

	/* page tables: cycles of walks, of two units, since Sapphire Rapids of four */
	{ "page_walk_share", "TLB",
	  "(" EVENT_U("0x8", "0x10") " + " EVENT_U("0x49", "0x10") " + " EVENT_U("0x85", "0x10") ") / (2 * cycles)",
	  "100%", NULL, "share of the time that page tables were walked", .cpus = "(" SKYLAKE "|" ICE_LAKE ")" },
	{ "page_walk_share", "TLB",
	  "(" EVENT_U("0x12", "0x10") " + " EVENT_U("0x13", "0x10") " + " EVENT_U("0x11", "0x10") ") / (4 * cycles)",
	  "100%", NULL, "share of the time that page tables were walked", .cpus = SAPPHIRE_RAPIDS },

	/* Arm: slots since Neoverse N2 and Cortex-A710; before that cycles */
	{ "retiring", "TopdownL1", "op_retired / op_spec * (1 - stall_slot / (#slots * cpu_cycles))", "100%", NULL,
	  "slots whose work was of use" },
	{ "bad_speculation", "TopdownL1", "(1 - op_retired / op_spec) * (1 - stall_slot / (#slots * cpu_cycles))",
	  "100%", NULL, "slots whose work was thrown away" },
	{ "frontend_bound", "TopdownL1", "stall_slot_frontend / (#slots * cpu_cycles)", "100%", NULL,
	  "slots that waited for instructions" },
	{ "backend_bound", "TopdownL1", "stall_slot_backend / (#slots * cpu_cycles)", "100%", NULL,
	  "slots that waited for execution or memory" },
	{ "frontend_stalled_cycles", "Stalls;TopdownL1", "stall_frontend / cpu_cycles", "100%", NULL,
	  "cycles that waited for instructions" },
	{ "backend_stalled_cycles", "Stalls;TopdownL1", "stall_backend / cpu_cycles", "100%", NULL,
	  "cycles that waited for execution or memory" },
	{ "branch_misprediction_ratio", "Branches", "br_mis_pred_retired / br_retired", "100%", NULL,
	  "share of branches that were predicted wrong" },
	{ "branch_misprediction_ratio", "Branches", "br_mis_pred / br_pred", "100%", NULL,
	  "share of branches that were predicted wrong" },
	{ "l1d_cache_miss_ratio", "Caches", "l1d_cache_refill / l1d_cache", "100%", NULL,
	  "share of accesses that miss the first-level data cache" },
	{ "l1i_cache_miss_ratio", "Caches", "l1i_cache_refill / l1i_cache", "100%", NULL,
	  "share of fetches that miss the first-level instruction cache" },
	{ "l2_cache_miss_ratio", "Caches", "l2d_cache_refill / l2d_cache", "100%", NULL,
	  "share of accesses that miss the second-level cache" },
	{ "l1d_cache_mpki", "Caches", "1000 * l1d_cache_refill / inst_retired", NULL, NULL,
	  "first-level data cache misses per 1000 instructions" },
	{ "l1i_cache_mpki", "Caches", "1000 * l1i_cache_refill / inst_retired", NULL, NULL,
	  "first-level instruction cache misses per 1000 instructions" },
	{ "l2_cache_mpki", "Caches", "1000 * l2d_cache_refill / inst_retired", NULL, NULL,
	  "second-level cache misses per 1000 instructions" },
	{ "branch_mispredicts_mpki", "Branches", "1000 * br_mis_pred_retired / inst_retired", NULL, NULL,
	  "mispredicted branches per 1000 instructions" },
	{ "ll_cache_read_miss_ratio", "Caches", "ll_cache_miss_rd / ll_cache_rd", "100%", NULL,
	  "share of reads that miss the last-level cache" },
	{ "ll_cache_read_mpki", "Caches", "1000 * ll_cache_miss_rd / inst_retired", NULL, NULL,
	  "reads that miss the last-level cache per 1000 instructions" },
	{ "l2_tlb_miss_ratio", "TLB", "l2d_tlb_refill / l2d_tlb", "100%", NULL,
	  "share of accesses that miss the second-level TLB" },
	{ "dtlb_mpki", "TLB", "1000 * dtlb_walk / inst_retired", NULL, NULL,
	  "walks of page tables for data per 1000 instructions" },
	{ "itlb_mpki", "TLB", "1000 * itlb_walk / inst_retired", NULL, NULL,
	  "walks of page tables for fetches per 1000 instructions" },
	{ "memory_access_bandwidth", "Memory", "bus_access * 64 / (1024 * 1024 * duration_time)", "MiB/s", NULL,
	  "moved between the core and what is outside per second, by lines of 64 bytes" },
	{ "dtlb_walk_ratio", "TLB", "dtlb_walk / l1d_tlb", "100%", NULL,
	  "share of data accesses whose page tables were walked" },
	{ "itlb_walk_ratio", "TLB", "itlb_walk / l1i_tlb", "100%", NULL,
	  "share of fetches whose page tables were walked" },

	/*
	 * Intel, by the names in its manuals: Skylake and later, then Haswell and Broadwell where
	 * they differ
	 */
	{ "branch_misprediction_ratio", "Branches", "br_misp_retired.all_branches / br_inst_retired.all_branches",
	  "100%", NULL, "share of branches that were predicted wrong" },
	{ "instructions_per_branch", "Branches", "inst_retired.any_p / br_inst_retired.all_branches", NULL, NULL,
	  "instructions between two branches" },
	{ "L1MPKI", "Caches", "1000 * mem_load_retired.l1_miss / inst_retired.any_p", NULL, NULL,
	  "loads that miss the first-level cache per 1000 instructions" },
	{ "L2MPKI", "Caches", "1000 * mem_load_retired.l2_miss / inst_retired.any_p", NULL, NULL,
	  "loads that miss the second-level cache per 1000 instructions" },
	{ "L3MPKI", "Caches", "1000 * mem_load_retired.l3_miss / inst_retired.any_p", NULL, NULL,
	  "loads that miss the third-level cache per 1000 instructions" },
	{ "L1MPKI", "Caches", "1000 * mem_load_uops_retired.l1_miss / inst_retired.any_p", NULL, NULL,
	  "loads that miss the first-level cache per 1000 instructions" },
	{ "L2MPKI", "Caches", "1000 * mem_load_uops_retired.l2_miss / inst_retired.any_p", NULL, NULL,
	  "loads that miss the second-level cache per 1000 instructions" },
	{ "L3MPKI", "Caches", "1000 * mem_load_uops_retired.l3_miss / inst_retired.any_p", NULL, NULL,
	  "loads that miss the third-level cache per 1000 instructions" },
	{ "l2_demand_miss_ratio", "Caches", "l2_rqsts.all_demand_miss / l2_rqsts.all_demand_references", "100%", NULL,
	  "share of demanded lines that miss the second-level cache" },
	{ "dtlb_walk_mpki", "TLB", "1000 * dtlb_load_misses.walk_completed / inst_retired.any_p", NULL, NULL,
	  "walks of page tables for loads per 1000 instructions" },

	/* AMD Zen, by the names in its manuals; slots are counted since Zen 4, six per cycle */
	{ "branch_misprediction_ratio", "Branches",
	  "retired_branch_instructions_mispredicted / retired_branch_instructions", "100%", NULL,
	  "share of branches that were predicted wrong" },
	{ "ops_per_instruction", "Summary", "retired_ops / retired_instructions", NULL, NULL,
	  "macro operations per instruction" },
	{ "ops_per_instruction", "Summary", "retired_uops / retired_instructions", NULL, NULL,
	  "operations per instruction" },
	{ "op_cache_fetch_miss_ratio", "Caches", "op_cache_hit_miss.oc_miss / op_cache_hit_miss.all_oc_access", "100%",
	  NULL, "share of fetches that miss the cache of operations" },
	{ "l2_data_mpki", "Caches",
	  "1000 * core_to_l2_cacheable_request_access_status.ls_rd_blk_c / retired_instructions", NULL, NULL,
	  "data requests that miss the second-level cache per 1000 instructions" },
	/* (the last term limits it to cores with slots: Zen 3 does not dispatch six) */
	{ "retiring", "TopdownL1", "retired_ops / (6 * cycles_not_in_halt) + 0 * dispatch_stalls_1.be_stalls", "100%",
	  NULL, "slots whose work was of use" },
	{ "bad_speculation", "TopdownL1",
	  "(ops_source_dispatched_from_decoder.decoder + ops_source_dispatched_from_decoder.opcache + "
	  "ops_source_dispatched_from_decoder.loop_buffer - retired_ops) / (6 * cycles_not_in_halt)",
	  "100%", NULL, "slots whose work was thrown away" },
	{ "frontend_bound", "TopdownL1", "dispatch_stalls_1.fe_no_ops / (6 * cycles_not_in_halt)", "100%", NULL,
	  "slots that waited for instructions" },
	{ "backend_bound", "TopdownL1", "dispatch_stalls_1.be_stalls / (6 * cycles_not_in_halt)", "100%", NULL,
	  "slots that waited for execution or memory" },

	/* AMD Zen by numbers: six slots a cycle in Zen 4, eight in Zen 5 */
	ZEN_ROWS(ZEN_4, "6"),
	ZEN_ROWS(ZEN_5, "8"),
	{ "l2_miss_ratio", "Caches", EVENT_U("0x64", "0x9") " / " EVENT_U("0x60", "0xf9"), "100%", NULL,
	  "share of requests of the first-level caches that miss the second-level cache", .cpus = ZENS },
	{ "l2_mpki", "Caches", "1000 * " EVENT_U("0x64", "0x9") " / instructions", NULL, NULL,
	  "requests that miss the second-level cache per 1000 instructions", .cpus = ZENS },
	{ "l3_miss_ratio", "Caches", "amd_l3@event\\=0x4\\,umask\\=0x1@ / amd_l3@event\\=0x4\\,umask\\=0xff@", "100%",
	  NULL, "share of lookups that miss the third-level cache", .cpus = ZENS },
	{ "dtlb_l1_mpki", "TLB", "1000 * " EVENT_U("0x45", "0xff") " / instructions", NULL, NULL,
	  "data accesses that miss the first-level TLB per 1000 instructions", .cpus = ZENS },
	{ "dtlb_l2_mpki", "TLB", "1000 * " EVENT_U("0x45", "0xf0") " / instructions", NULL, NULL,
	  "data accesses that miss both TLBs per 1000 instructions", .cpus = ZENS },

	{ NULL, NULL, NULL, NULL, NULL, NULL },
};
