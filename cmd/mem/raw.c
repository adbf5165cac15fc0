/* Print a line for each access: mem report -D. */
#include "cmd/mem/mem_priv.h"

#include "cmd/commands.h"
#include "cmd/shared/rewritten.h"

#include "report/rows/memory_text.h"
#include "report/session/filter.h"

/* perf's text for samples without data_src: each part is not available. */
static const uint64_t NOT_RECORDED = 0x1e05080021;

struct raw {
	const struct raw_opts *opts;
	const char *separator;
	struct live *live;
	struct session *session;
	struct sample_filter filter;
	struct out *o;
};

static void put_head(const struct raw *r)
{
	out_str(r->o, "# PID, TID, IP, ADDR, ");
	out_str(r->o, r->opts->phys ? "PHYS ADDR, " : "");
	out_str(r->o, r->opts->page ? "DATA PAGE SIZE, " : "");
	out_str(r->o, "LOCAL WEIGHT, DSRC, SYMBOL\n");
}

static void put_hex(const struct raw *r, uint64_t value)
{
	out_str(r->o, r->separator);
	out_str(r->o, "0x");
	out_hex(r->o, value);
}

static void put_place(const struct raw *r, const struct map_hit *hit, uint32_t symbol)
{
	struct symbols *s = r->session->symbols;

	out_str(r->o, r->separator);
	out_name(r->o, hit->dso ? dso_name(s, hit->dso) : "???");
	out_char(r->o, ':');
	out_name(r->o, symbol ? symbol_name(s, hit->dso, symbol) : "???");
	out_char(r->o, '\n');
}

static void put_sample(const struct raw *r, const struct live_record *record, const struct task *task)
{
	const struct sample *s = &record->sample;
	struct map_hit hit = { 0 };
	uint32_t symbol = 0;

	if (!sample_filter_wants_cpu(&r->filter, s->cpu))
		return;
	if (session_find(r->session, task, record->moment, s->misc & MISC_CPUMODE, s->ip, &hit))
		symbol = dso_find(r->session->symbols, hit.dso, hit.dso_off);
	if (!symbol && r->opts->hide_unresolved)
		return;
	out_fmt(r->o, "%d%s%d", (int)s->pid, r->separator, (int)s->tid);
	put_hex(r, s->ip);
	put_hex(r, s->addr);
	if (r->opts->phys)
		out_fmt(r->o, "%s0x%016llx", r->separator, (unsigned long long)s->phys_addr);
	if (r->opts->page) {
		out_str(r->o, r->separator);
		page_size_text(s->data_page_size, r->o);
	}
	out_str(r->o, r->separator);
	out_u64(r->o, s->weight);
	put_hex(r, s->type & SAMPLE_DATA_SRC ? s->data_src : NOT_RECORDED);
	put_place(r, &hit, symbol);
}

static int put_all(struct raw *r, struct err *e)
{
	struct live_record record;
	struct task task;
	int what;

	if (sample_filter_check(&r->filter, r->session->pd, e) < 0)
		return -1;
	put_head(r);
	while ((what = live_next(r->live, e)) > 0)
		while (what == LIVE_ROUND && live_record(r->live, &record))
			if (record.record.type == RECORD_SAMPLE && live_sample(r->live, &record, &task))
				put_sample(r, &record, &task);
	return what;
}

int raw_accesses(const struct raw_opts *opts, struct err *e)
{
	static const struct object_opts objects = OBJECT_DEFAULTS;
	struct session_opts session = { .force = opts->force };
	const char *input = traced_input(opts->input ? opts->input : usual_input(), NULL, "M", &session, e);
	struct raw r = { .opts = opts, .separator = opts->separator ? opts->separator : " " };
	struct out o;
	int rc = -1;

	if (!input)
		return -1;
	if (opts->cpus && sample_filter_add(&r.filter, FILTER_CPUS, opts->cpus, e) < 0)
		return err_exit(e, EXIT_BAD_USAGE);
	r.live = analysis_open(&(struct analysis_opts){ .input = input, .force = opts->force }, &objects, e);
	if (r.live) {
		r.session = live_session(r.live);
		r.o = &o;
		out_init_fd(&o, STDOUT_FILENO);
		rc = analysis_finish(r.live, &o, put_all(&r, e), e);
		live_close(r.live);
	}
	sample_filter_free(&r.filter);
	return rc;
}
