/* strobe mem: record accesses to memory with the processor, and show their cost. */
#include "cmd/commands.h"
#include "cmd/mem/mem_priv.h"
#include "cmd/record_options.h"
#include "cmd/report/report_priv.h"

/* The options of both subcommands; one struct, because they may also come before the subcommand. */
struct mem_opts {
	struct access_opts access;
	const char *cpus, *input, *sort, *separator;
	bool force, phys, page, list;
	bool raw, types, hide_unresolved;
	int v;
};
#define MEM(member) offsetof(struct mem_opts, member)

static int set_type(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return access_parse(value, &((struct mem_opts *)opts)->access.kinds, e);
}

static const struct opt common_options[] = {
	{ 't', "type", OPT_CALL, 0, "type", "accesses of these types: load, store (default: both)", OPT_NONEG, set_type,
	  .values = ",load store" },
	{ 'p', "phys-data", OPT_BOOL, MEM(phys), NULL, "also physical addresses" },
	{ 0, "data-page-size", OPT_BOOL, MEM(page), NULL, "also the sizes of pages" },
	{ 'C', "cpu", OPT_STR, MEM(cpus), "list", "only these CPUs", .values = ",@cpu" },
	{ 0, NULL, OPT_INCLUDE, MEM(force), .rows = force_options },
	{ 0, "verbose", OPT_INCLUDE, MEM(v), .rows = usual_options },
	{ 0 },
};

static const struct opt record_access_options[] = {
	{ 0, NULL, OPT_INCLUDE, MEM(access), .rows = access_options },
	{ 0, NULL, OPT_INCLUDE, 0, .rows = common_options },
	{ 0 },
};

static const struct opt report_access_options[] = {
	{ 0, "input", OPT_INCLUDE, MEM(input), .rows = usual_options },
	{ 's', "sort", OPT_STR, MEM(sort), "key,...", "group accesses by these keys, as report does" },
	{ 'T', "type-profile", OPT_BOOL, MEM(types), NULL, "show the types of the data, from debug information" },
	{ 'D', "dump-raw-samples", OPT_BOOL, MEM(raw), NULL, "show a line for each access" },
	{ 0, "hide-unresolved", OPT_INCLUDE, MEM(hide_unresolved), .rows = usual_options },
	{ 'x', "field-separator", OPT_INCLUDE, MEM(separator), .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, 0, .rows = common_options },
	{ 0 },
};
#undef MEM

static const struct mem_opts mem_defaults = { .access = { .kinds = ACCESS_LOAD | ACCESS_STORE, .latency = 30 } };

static int record_accesses(void *opts, int argc, char **argv, struct err *e)
{
	const struct mem_opts *m = opts;
	struct preset_words w = { 0 };
	int rc;

	raise_verbosity(m->v);
	preset_add(&w, "-d", m->phys ? "--phys-data" : NULL);
	if (m->page)
		preset_add(&w, "--data-page-size", NULL);
	if (m->cpus)
		preset_add(&w, "-C", m->cpus);
	rc = access_record(&m->access, &w, argc, argv, e);
	vec_free(&w);
	return rc;
}

/* Return the sort keys; NULL: the default. Stores have no weight. The caller frees them. Source: perf-mem(1). */
static char *sort_keys(const struct mem_opts *m)
{
	static const char *const stores = "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked";
	static const char *const loads = "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked";
	const char *keys = m->sort                            ? m->sort
			   : m->types                         ? "mem,snoop,tlb,type"
			   : !(m->access.kinds & ACCESS_LOAD) ? stores
			   : m->phys || m->page               ? loads
							      : NULL;

	return keys ? xasprintf("%s%s%s", keys, m->phys ? ",phys_daddr" : "", m->page ? ",data_page_size" : "") : NULL;
}

static int report_accesses(void *opts, int argc, char **argv, struct err *e)
{
	const struct mem_opts *m = opts;
	autofree char *sort = sort_keys(m);
	struct preset_words w = { 0 };
	int rc;

	raise_verbosity(m->v);
	if (m->raw) {
		if (analysis_no_words(argc, argv, e) < 0)
			return -1;
		return raw_accesses(&(struct raw_opts){ m->input, m->separator, m->cpus, m->force, m->phys, m->page,
							m->hide_unresolved },
				    e);
	}
	preset_add(&w, "report", "--mem-mode");
	preset_add(&w, "-n", m->force ? "-f" : NULL);
	if (m->hide_unresolved)
		preset_add(&w, "-U", NULL);
	if (sort)
		preset_add(&w, "--sort", sort);
	if (m->input)
		preset_add(&w, "-i", m->input);
	if (m->input && !strcmp(m->input, "-"))
		preset_add(&w, "--itrace=", NULL); /* report decodes a trace from a pipe only with this option */
	if (m->cpus)
		preset_add(&w, "-C", m->cpus);
	if (m->separator)
		preset_add(&w, "-t", m->separator);
	rc = preset_call(&cmd_report, &w, argc, argv, e);
	vec_free(&w);
	return rc;
}

static const struct command record_command = {
	.name = "mem record",
	.summary = "record accesses to memory",
	.run = record_accesses,
	.usage = (const char *const[]){ "[<options>] [<record options>] [<command>]", NULL },
	.options = record_access_options,
	.opts_size = sizeof(struct mem_opts),
	.defaults = &mem_defaults,
	.stop_at_word = true,
	.words = "@program",
};

static const struct command report_command = {
	.name = "mem report",
	.summary = "show recorded accesses with their cost",
	.run = report_accesses,
	.usage = (const char *const[]){ "[<options>] [<report options>]", NULL },
	.options = report_access_options,
	.opts_size = sizeof(struct mem_opts),
	.defaults = &mem_defaults,
};

static int mem_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct command *sub = argc ? command_find_word(&cmd_mem, argv[0]) : NULL;

	if (!sub)
		return command_call_word(&cmd_mem, argc, argv, e);
	return call_preset(sub, opts, sub == &record_command ? record_options : report_options, argc, argv, e);
}

const struct command cmd_mem = {
	.name = "mem",
	.summary = "record accesses to memory, and show their cost",
	.run = mem_run,
	.usage = (const char *const[]){ "[<options>] record|report [<options>]", NULL },
	.options = common_options,
	.opts_size = sizeof(struct mem_opts),
	.defaults = &mem_defaults,
	.stop_at_word = true,
	.words = "record report",
	.subcommands = (const struct command *const[]){ &record_command, &report_command, NULL },
};
