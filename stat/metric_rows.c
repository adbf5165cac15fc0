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

	{ NULL, NULL, NULL, NULL, NULL, NULL },
};
