/*
 * To add a key: write the functions it needs in the keys_*.c of its kind, declare them in keys_priv.h, and add a row to the table here.
 * `--sort help` and the columns come from the row.
 */
#include "report/rows/keys_priv.h"

/* ---- sums ---- */

static uint64_t sum_self(const struct row_sums *s) { return s->period; }
static uint64_t sum_children(const struct row_sums *s) { return s->children; }
static uint64_t sum_latency(const struct row_sums *s) { return s->latency; }
static uint64_t sum_latency_children(const struct row_sums *s) { return s->latency_children; }
static uint64_t sum_weight1(const struct row_sums *s) { return s->weights[0]; }
static uint64_t sum_weight2(const struct row_sums *s) { return s->weights[1]; }
static uint64_t sum_weight3(const struct row_sums *s) { return s->weights[2]; }
static uint64_t sum_system(const struct row_sums *s) { return s->by_level[LEVEL_SYSTEM]; }
static uint64_t sum_user(const struct row_sums *s) { return s->by_level[LEVEL_USER]; }
static uint64_t sum_guest_system(const struct row_sums *s) { return s->by_level[LEVEL_GUEST_SYSTEM]; }
static uint64_t sum_guest_user(const struct row_sums *s) { return s->by_level[LEVEL_GUEST_USER]; }
static uint64_t sum_samples(const struct row_sums *s) { return s->samples; }

/* ---- the table ---- */

const struct key keys[] = {
	{ .name = "overhead_children", .title = "Children", .from = KEY_SUM, .width = 8, .sum = sum_children, .percent = true,
	  .of_children = true },
	{ .name = "overhead", .title = "Overhead", .from = KEY_SUM, .width = 8, .sum = sum_self, .percent = true },
	{ .name = "latency", .title = "Latency", .from = KEY_SUM, .width = 8, .sum = sum_latency, .percent = true, .of_latency = true,
	  .needs = NEEDS_PARALLELISM | NEEDS_MEASURES },
	{ .name = "overhead_sys", .title = "sys", .from = KEY_SUM, .width = 8, .sum = sum_system, .percent = true },
	{ .name = "overhead_us", .title = "usr", .from = KEY_SUM, .width = 8, .sum = sum_user, .percent = true },
	{ .name = "overhead_guest_sys", .title = "guest sys", .from = KEY_SUM, .width = 9, .sum = sum_guest_system, .percent = true },
	{ .name = "overhead_guest_us", .title = "guest usr", .from = KEY_SUM, .width = 9, .sum = sum_guest_user, .percent = true },
	{ .name = "latency_children", .title = "Latency", .from = KEY_SUM, .width = 7, .sum = sum_latency_children, .percent = true, .of_latency = true,
	  .of_children = true, .needs = NEEDS_PARALLELISM | NEEDS_MEASURES },
	{ .name = "sample", .title = "Samples", .from = KEY_SUM, .width = 12, .sum = sum_samples },
	{ .name = "period", .title = "Period", .from = KEY_SUM, .width = 12, .sum = sum_self },
	{ .name = "weight1", .title = "Weight1", .from = KEY_SUM, .width = 8, .sum = sum_weight1, .mean = true, .needs = NEEDS_MEASURES },
	{ .name = "weight2", .title = "Weight2", .from = KEY_SUM, .width = 8, .sum = sum_weight2, .mean = true, .needs = NEEDS_MEASURES },
	{ .name = "weight3", .title = "Weight3", .from = KEY_SUM, .width = 8, .sum = sum_weight3, .mean = true, .needs = NEEDS_MEASURES },
	{ .name = "pid", .title = "    Pid:Command", .from = KEY_SAMPLE, .sample = { pid_value, .of_task = true }, .compare = pid_compare, .text = pid_text,
	  .text_width = pid_width },
	{ .name = "tgid", .title = "   Tgid:Command", .from = KEY_SAMPLE, .sample = { tgid_value, .of_task = true }, .compare = tgid_compare, .text = tgid_text,
	  .fixed = true, .cut = true },
	{ .name = "comm", .title = "Command", .from = KEY_SAMPLE, .regrouped = true, .sample = { comm_value, .of_task = true }, .compare = comm_compare, .text = comm_text,
	  .text_width = comm_width, .cut = true },
	{ .name = "dso", .title = "Shared Object", .from = KEY_SITE, .site = object_id, .compare = self_object_compare, .text = self_object_text,
	  .text_width = self_object_width, .identity = self_object_identity },
	{ .name = "symbol", .title = "Symbol", .from = KEY_SITE, .site = symbol_id, .compare = self_symbol_compare, .text = row_symbol_text,
	  .text_width = self_symbol_width, .ragged = true, .identity = self_symbol_identity, .needs = NEEDS_NAMES },
	{ .name = "symoff", .title = "Symbol Offset", .from = KEY_SITE, .site = offset_id, .compare = self_offset_compare, .text = self_offset_text,
	  .needs = NEEDS_ADDRESS, .ragged = true, .fixed = true },
	{ .name = "parent", .title = "Parent symbol", .from = KEY_CHAIN, .compare = parent_compare, .text = parent_text },
	{ .name = "stack", .title = "Stack", .from = KEY_CHAIN, .compare = stack_compare, .text = stack_text, .needs = NEEDS_STACKS, .ragged = true },
	{ .name = "cpu", .title = "CPU", .from = KEY_SAMPLE, .width = 3, .sample = { cpu_value }, .compare = cpu_compare, .text = cpu_text, .right = true,
	  .fixed = true },
	{ .name = "socket", .title = "Socket", .from = KEY_SAMPLE, .width = 6, .sample = { socket_value }, .compare = socket_compare, .text = socket_text,
	  .right = true, .fixed = true },
	{ .name = "parallelism", .title = "Parallelism", .from = KEY_SAMPLE, .width = 11, .sample = { parallelism_value }, .compare = parallelism_compare,
	  .text = parallelism_text, .right = true, .needs = NEEDS_PARALLELISM },
	{ .name = "srcline", .title = "Source:Line", .from = KEY_SITE, .regrouped = true, .site = line_id, .compare = self_line_compare, .text = self_line_text,
	  .needs = NEEDS_LINE | NEEDS_LINES_APART, .ragged = true },
	{ .name = "srcfile", .title = "Source File", .from = KEY_SITE, .regrouped = true, .site = file_id, .compare = self_file_compare, .text = self_file_text,
	  .needs = NEEDS_LINE | NEEDS_LINES_APART, .ragged = true },
	{ .name = "local_weight", .title = "Local Weight", .from = KEY_SAMPLE, .width = 12, .sample = { weight_value }, .compare = weight_compare,
	  .text = weight_text },
	{ .name = "weight", .title = "Weight", .from = KEY_SAMPLE, .width = 12, .sample = { weight_value }, .compare = weight_compare,
	  .text = weight_sum_text },
	{ .name = "local_ins_lat", .title = "Local INSTR Latency", .from = KEY_SAMPLE, .width = 0, .sample = { ins_lat_value }, .compare = ins_lat_compare,
	  .text = ins_lat_text },
	{ .name = "ins_lat", .title = "INSTR Latency", .from = KEY_SAMPLE, .width = 0, .sample = { ins_lat_value }, .compare = ins_lat_compare,
	  .text = ins_lat_sum_text },
	{ .name = "local_p_stage_cyc", .title = "Local Retire Latency", .from = KEY_SAMPLE, .width = 0, .sample = { retire_lat_value }, .compare = retire_lat_compare,
	  .text = retire_lat_text },
	{ .name = "p_stage_cyc", .title = "Retire Latency", .from = KEY_SAMPLE, .width = 0, .sample = { retire_lat_value }, .compare = retire_lat_compare,
	  .text = retire_lat_sum_text },
	{ .name = "local_retire_lat", .title = "Local Pipeline Stage Cycle", .from = KEY_SAMPLE, .width = 0, .sample = { retire_lat_value }, .compare = retire_lat_compare,
	  .text = retire_lat_text },
	{ .name = "retire_lat", .title = "Pipeline Stage Cycle", .from = KEY_SAMPLE, .width = 0, .sample = { retire_lat_value }, .compare = retire_lat_compare,
	  .text = retire_lat_sum_text },
	{ .name = "transaction", .title = "Transaction", .from = KEY_SAMPLE, .width = 27, .sample = { transaction_value }, .compare = transaction_compare,
	  .text = transaction_text },
	{ .name = "code_page_size", .title = "Code Page Size", .from = KEY_SAMPLE, .width = 0, .sample = { code_page_value }, .compare = code_page_compare,
	  .text = code_page_text },
	{ .name = "addr", .title = "Address", .from = KEY_SAMPLE, .width = 18, .sample = { ip_value }, .compare = ip_compare,
	  .text = ip_text },
	{ .name = "time", .title = "Time", .from = KEY_SAMPLE, .width = 12, .sample = { time_value }, .compare = time_compare, .text = time_text,
	  .text_width = time_width, .ragged = true },
	{ .name = "comm_nodigit", .title = "CommandNoDigit", .from = KEY_SAMPLE, .regrouped = true, .sample = { comm_nodigit_value, .of_task = true },
	  .compare = comm_nodigit_compare, .text = comm_nodigit_text },
	{ .name = "trace", .title = "Trace output", .from = KEY_SAMPLE, .sample = { trace_value }, .compare = trace_compare, .text = trace_text,
	  .needs = NEEDS_TRACE, .ragged = true },
	{ .name = "cgroup", .title = "Cgroup", .from = KEY_SAMPLE, .width = 6, .sample = { cgroup_value }, .compare = cgroup_compare, .text = cgroup_text,
	  .ragged = true },
	{ .name = "cgroup_id", .title = "cgroup id (dev/inode)", .from = KEY_SAMPLE, .width = 20, .sample = { cgroup_id_value }, .compare = cgroup_id_compare,
	  .text = cgroup_id_text, .ragged = true },
	{ .name = "dso_size", .title = "DSO size", .from = KEY_SITE, .width = 8, .site = object_size_id, .compare = self_object_size_compare,
	  .text = self_object_size_text, .right = true },
	{ .name = "simd", .title = "Simd", .from = KEY_SAMPLE, .width = 7, .sample = { simd_value }, .text = simd_text, .ragged = true },
	{ .name = "symbol_size", .title = "Symbol size", .from = KEY_SITE, .site = symbol_size_id, .compare = self_size_compare, .text = self_size_text,
	  .right = true },
	{ .name = "ipc_null", .title = "IPC   [IPC Coverage]", .from = KEY_CHAIN, .width = 20, .text = ipc_text },
	{ .name = "ipc_lbr", .title = "IPC   [IPC Coverage]", .from = KEY_CHAIN, .width = 20, .text = branch_ipc_text, .needs = NEEDS_BRANCH },
	{ .name = "dso_from", .title = "Source Shared Object", .from = KEY_OTHER, .site = object_id, .compare = from_object_compare,
	  .text = other_object_text, .text_width = from_object_width, .cut = true, .needs = NEEDS_BRANCH },
	{ .name = "dso_to", .title = "Target Shared Object", .from = KEY_SITE, .site = object_id, .compare = to_object_compare,
	  .text = self_object_text, .text_width = to_object_width, .cut = true, .needs = NEEDS_BRANCH },
	{ .name = "symbol_from", .alias = "sym_from", .title = "Source Symbol", .from = KEY_OTHER, .site = symbol_id, .compare = from_symbol_compare,
	  .text = other_symbol_text, .text_width = other_symbol_width, .needs = NEEDS_BRANCH, .ragged = true },
	{ .name = "symbol_to", .alias = "sym_to", .title = "Target Symbol", .from = KEY_SITE, .site = symbol_id, .compare = to_symbol_compare,
	  .text = self_symbol_text, .text_width = self_symbol_width, .needs = NEEDS_BRANCH, .ragged = true },
	{ .name = "srcline_from", .title = "From Source:Line", .from = KEY_OTHER, .regrouped = true, .site = line_id, .compare = other_line_compare,
	  .text = other_line_text, .needs = NEEDS_BRANCH | NEEDS_LINE | NEEDS_LINES_APART },
	{ .name = "srcline_to", .title = "To Source:Line", .from = KEY_SITE, .regrouped = true, .site = line_id, .compare = self_line_compare, .text = self_line_text,
	  .needs = NEEDS_BRANCH | NEEDS_LINE | NEEDS_LINES_APART },
	{ .name = "addr_from", .title = "Source Address", .from = KEY_OTHER, .width = 22, .site = end_address_id, .compare = from_address_compare,
	  .text = from_address_text, .needs = NEEDS_BRANCH | NEEDS_ADDRESS, .ragged = true },
	{ .name = "addr_to", .title = "Target Address", .from = KEY_SITE, .width = 22, .site = end_address_id, .compare = to_address_compare,
	  .text = to_address_text, .needs = NEEDS_BRANCH | NEEDS_ADDRESS, .ragged = true },
	{ .name = "callchain_branch_predicted", .title = "Predicted", .from = KEY_CHAIN, .width = 9, .text = history_predicted_text },
	{ .name = "callchain_branch_abort", .title = "Abort", .from = KEY_CHAIN, .width = 5, .text = history_abort_text },
	{ .name = "callchain_branch_cycles", .title = "Cycles", .from = KEY_CHAIN, .width = 6, .text = history_cycles_text },
	{ .name = "mispredict", .title = "Branch Mispredicted", .from = KEY_SAMPLE, .sample = { mispredict_value }, .compare = mispredict_compare,
	  .text = mispredict_text, .needs = NEEDS_BRANCH },
	{ .name = "in_tx", .title = "Branch in transaction", .from = KEY_SAMPLE, .sample = { in_tx_value }, .compare = in_tx_compare, .text = in_tx_text,
	  .needs = NEEDS_BRANCH },
	{ .name = "abort", .title = "Transaction abort", .from = KEY_SAMPLE, .sample = { abort_value }, .compare = abort_compare, .text = abort_text,
	  .needs = NEEDS_BRANCH },
	{ .name = "cycles", .title = "Basic Block Cycles", .from = KEY_SAMPLE, .sample = { cycles_value }, .compare = cycles_compare, .text = cycles_text,
	  .needs = NEEDS_BRANCH },
	{ .name = "symbol_daddr", .title = "Data Symbol", .from = KEY_SAMPLE, .width = 22, .sample = { data_address_value }, .compare = data_address_compare,
	  .text = data_address_text, .text_width = data_address_width, .needs = NEEDS_MEMORY | NEEDS_ADDRESS },
	{ .name = "dso_daddr", .title = "Data Object", .from = KEY_OTHER, .width = 16, .site = object_id, .compare = other_object_compare,
	  .text = other_object_text, .text_width = other_object_width, .needs = NEEDS_MEMORY },
	{ .name = "mem", .title = "Memory access", .from = KEY_SAMPLE, .width = 39, .sample = { level_value }, .compare = level_compare,
	  .text = level_text, .needs = NEEDS_MEMORY },
	{ .name = "snoop", .title = "Snoop", .from = KEY_SAMPLE, .width = 12, .sample = { snoop_value }, .compare = snoop_compare,
	  .text = snoop_text, .needs = NEEDS_MEMORY },
	{ .name = "tlb", .title = "TLB access", .from = KEY_SAMPLE, .width = 22, .sample = { tlb_value }, .compare = tlb_compare,
	  .text = tlb_text, .needs = NEEDS_MEMORY },
	{ .name = "locked", .title = "Locked", .from = KEY_SAMPLE, .width = 6, .sample = { lock_value }, .compare = lock_compare,
	  .text = lock_text, .ragged = true, .needs = NEEDS_MEMORY },
	{ .name = "blocked", .title = "Blocked", .from = KEY_SAMPLE, .width = 10, .sample = { block_value }, .compare = block_compare,
	  .text = block_text, .ragged = true, .needs = NEEDS_MEMORY },
	{ .name = "dcacheline", .title = "Data Cacheline", .from = KEY_SAMPLE, .width = 22, .sample = { cacheline_value }, .compare = cacheline_compare,
	  .text = cacheline_text, .text_width = cacheline_width, .ragged = true, .needs = NEEDS_MEMORY | NEEDS_ADDRESS },
	{ .name = "symbol_iaddr", .title = "Code Symbol", .from = KEY_SAMPLE, .width = 22, .sample = { ip_value }, .compare = ip_compare,
	  .text = code_address_text, .needs = NEEDS_MEMORY },
	{ .name = "phys_daddr", .title = "Data Physical Address", .from = KEY_SAMPLE, .width = 22, .sample = { phys_address_value }, .compare = phys_address_compare,
	  .text = phys_address_text, .needs = NEEDS_MEMORY },
	{ .name = "data_page_size", .title = "Data Page Size", .from = KEY_SAMPLE, .width = 22, .sample = { data_page_value }, .compare = data_page_compare,
	  .text = data_page_text, .needs = NEEDS_MEMORY },
	{ .name = "type", .title = "Data Type", .from = KEY_SITE, .site = type_id, .compare = type_compare, .text = type_text,
	  .needs = NEEDS_ADDRESS | NEEDS_TYPE, .fixed = true },
	{ .name = "typeoff", .title = "Data Type Offset", .from = KEY_SITE, .site = type_offset_id, .compare = type_offset_compare, .text = type_offset_text,
	  .needs = NEEDS_ADDRESS | NEEDS_TYPE, .fixed = true, .ragged = true },
	{ .name = "typecln", .title = "Data Type Cacheline", .from = KEY_SITE, .site = type_line_id, .compare = type_line_compare, .text = type_line_text,
	  .needs = NEEDS_ADDRESS | NEEDS_TYPE, .fixed = true, .ragged = true },
	{ 0 }
};

const struct key *key_find(const char *name, size_t len)
{
	for (const struct key *k = keys; k->name; k++)
		if ((!strncasecmp(k->name, name, len) && !k->name[len]) || (k->alias && !strncasecmp(k->alias, name, len) && !k->alias[len]))
			return k;
	for (const struct key *k = keys; k->name && len; k++)
		if (!strncasecmp(k->name, name, len))
			return k;
	return NULL;
}
