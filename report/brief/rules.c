/* Make the findings about a recording. Each rule looks at sums, and writes a sentence with their values. */
#include "report/brief/brief_priv.h"

struct brief_rule {
	const char *name;
	double least; /* percent of the time, or of what the rule looks at */
	/* Return the share, 0 = no finding; write the sentence, and *cure if there is one. */
	double (*find)(const struct brief *b, struct out *text, const char **cure);
};

static double few_samples(const struct brief *b, struct out *text, const char **cure)
{
	enum { ENOUGH = 200 };

	if (b->samples >= ENOUGH)
		return 0;
	out_fmt(text, "only %llu samples: shares below %.0f %% may be chance", (unsigned long long)b->samples,
		b->samples ? MIN(100.0, 300.0 / (double)b->samples) : 100);
	*cure = "record for longer, or with a higher -F";
	return 100;
}

static double lost_samples(const struct brief *b, struct out *text, const char **cure)
{
	const struct session_notes *n = &b->session->notes;
	uint64_t lost = MAX(n->lost, n->lost_samples);
	double share = brief_percent(lost, b->samples + lost);

	out_fmt(text, "%llu samples were lost, %.1f %% of them", (unsigned long long)lost, share);
	*cure = "a larger buffer (record -m), or a lower rate";
	return share;
}

/* Report how many samples lack one part of the quality, and the main reason. */
static double lacking(const struct brief *b, enum quality_part part, const char *what, struct out *text,
		      const char **cure)
{
	const struct quality *q = &b->profile->quality;
	double share = brief_percent(q->of[part] - q->good[part], q->of[part]);

	for (size_t i = 0; i < q->rows.len; i++) {
		const struct quality_row *r = &q->rows.items[i];

		if (r->part != part)
			continue;
		out_fmt(text, "%.1f %% of the samples have no %s, mostly (%.1f %%) because %s: ", share, what,
			brief_percent(r->samples, q->of[part]), reasons[r->why].text);
		out_name(text, dso_short_name(b->session->symbols, r->dso));
		*cure = reasons[r->why].cure;
		return share;
	}
	return 0;
}

static double broken_stacks(const struct brief *b, struct out *text, const char **cure)
{
	return lacking(b, QUALITY_STACK, "whole stack", text, cure);
}

static double no_names(const struct brief *b, struct out *text, const char **cure)
{
	return lacking(b, QUALITY_SYMBOL, "function name", text, cure);
}

/*
 * gcc writes its options into the unit's producer line: no -O there means no optimisation. For other compilers, look
 * at the instructions.
 */
static bool is_unoptimised(const char *producer)
{
	const char *at = producer && !strncmp(producer, "GNU ", 4) ? strstr(producer, " -O") : NULL;

	for (const char *next = at; next; next = strstr(next + 3, " -O"))
		at = next; /* the last one counts */
	return producer && !strncmp(producer, "GNU ", 4) && strncmp(producer, "GNU AS", 6) && (!at || at[3] == '0');
}

/*
 * Return the evidence that the function was compiled without optimisation: its producer or its code; NULL: there is
 * none.
 */
static const char *unoptimised_by(const struct brief *b, const struct brief_function *f, char *room, size_t size)
{
	enum { MOST_IN_MEMORY = 45 };
	const char *producer =
		f->sampled && brief_share(b, f->self) >= 1
			? dso_producer(b->session->symbols, b->profile->sites.items[f->site].dso, f->dso_off)
			: NULL;

	if (is_unoptimised(producer))
		return producer;
	if ((producer && !strncmp(producer, "GNU ", 4)) || f->in_memory < MOST_IN_MEMORY)
		return NULL;
	snprintf(room, size, "%.0f %% of its instructions access variables on the stack", f->in_memory);
	return room;
}

static double debug_build(const struct brief *b, struct out *text, const char **cure)
{
	const struct brief_function *most = NULL;
	char room[80], said[400] = "";
	uint64_t sum = 0;

	for (size_t i = 0; i < b->functions.len; i++) {
		const struct brief_function *f = &b->functions.items[i];
		const char *by = unoptimised_by(b, f, room, sizeof(room));

		if (!by)
			continue;
		sum += f->self;
		if (!most || f->self > most->self) {
			most = f;
			snprintf(said, sizeof(said), "%s", by);
		}
	}
	if (!most)
		return 0;
	out_fmt(text, "%.1f %% of the time is in code compiled without optimisation, most of it in ",
		brief_share(b, sum));
	out_name(text, most->name);
	out_str(text, " (");
	out_name(text, said);
	out_char(text, ')');
	*cure = "compile with -O2 -g before you measure";
	return brief_share(b, sum);
}

static double copying(const struct brief *b, struct out *text, const char **cure)
{
	for (size_t i = 0; i < MIN(b->functions.len, SHOWN_FUNCTIONS); i++) {
		const struct brief_function *f = &b->functions.items[b->by_self[i]], *path[PATH_MAX_FRAMES];

		if (!f->copies || f->kernel || brief_path(b, f, path, 2) < 2)
			continue;
		out_fmt(text, "%.1f %% of the time copies memory in ", brief_share(b, f->self));
		out_name(text, f->name);
		out_str(text, ", nearly all of it called by ");
		if (f->hides_caller)
			out_str(text, "a function that the stacks leave out, below ");
		out_name(text, path[1]->name);
		*cure = "copy less there: pass pointers, grow buffers less often, or reuse them";
		return brief_share(b, f->self);
	}
	return 0;
}

static const struct brief_function *named(const struct brief *b, const char *const *names, size_t n)
{
	const struct brief_function *best = NULL;

	for (size_t i = 0; i < b->functions.len; i++)
		for (size_t k = 0; k < n; k++)
			if (b->functions.items[i].kernel && !strcmp(b->functions.items[i].name, names[k]) &&
			    (!best || b->functions.items[i].total > best->total))
				best = &b->functions.items[i];
	return best;
}

/* Return how much of the time below `f` passed in the first fifth of the recording. */
static double early_share(const struct brief *b, const struct brief_function *f)
{
	const struct session *s = b->session;
	struct profile_filter early = *b->filter;
	struct time_ranges first = { 0 };
	struct profile *p;
	uint64_t sum;

	if (b->filter->times.len || s->last_time <= s->first_time)
		return 0;
	vec_push(&first, (struct time_span){ s->first_time, s->first_time + (s->last_time - s->first_time) / 5 });
	early.times = first;
	p = brief_profile(b, &early, true);
	sum = brief_period_below(b, p, f);
	profile_free(p);
	vec_free(&first);
	return brief_percent(sum, f->total);
}

/* Return the function of the kernel that has all page faults below it, or NULL. */
static const struct brief_function *fault_handler(const struct brief *b)
{
	static const char *const names[] = { "asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault",
					     "handle_mm_fault", "do_page_fault" };

	return named(b, names, ARRAY_SIZE(names));
}

static double page_faults(const struct brief *b, struct out *text, const char **cure)
{
	const struct brief_function *f = fault_handler(b);
	double early;

	if (!f)
		return 0;
	early = early_share(b, f);
	out_fmt(text, "%.1f %% of the time is in page faults", brief_share(b, f->total));
	if (early >= 50)
		out_fmt(text, ", %.0f %% of it in the first fifth of the recording", early);
	*cure = early >= 50 ? "start: touch less memory at first, or prefault it (MAP_POPULATE, madvise, huge pages)"
			    : "keep and reuse memory instead of giving it back; huge pages";
	return brief_share(b, f->total);
}

static double spinning(const struct brief *b, struct out *text, const char **cure)
{
	static const char *const names[] = { "native_queued_spin_lock_slowpath", "queued_spin_lock_slowpath",
					     "osq_lock", "rwsem_spin_on_owner", "mutex_spin_on_owner" };
	const struct brief_function *f = named(b, names, ARRAY_SIZE(names));

	*cure = "hold the lock for a shorter time, or divide what it protects";
	if (f && f->self) {
		out_fmt(text, "%.1f %% of the time spins for a lock of the kernel, in ", brief_share(b, f->self));
		out_name(text, f->name);
		return brief_share(b, f->self);
	}
	for (size_t i = 0; i < b->loops.len; i++) {
		const struct brief_loop *l = &b->loops.items[i];

		if (!l->waits)
			continue;
		out_fmt(text, "%.1f %% of the time is in a loop of ", brief_share(b, l->period));
		out_name(text, l->function);
		out_fmt(text, " that waits with a pause instruction%s", l->locks ? " and takes a lock" : "");
		return brief_share(b, l->period);
	}
	return 0;
}

/* System calls are the cure's subject: page faults, which have a rule of their own, do not count here. */
static double in_kernel(const struct brief *b, struct out *text, const char **cure)
{
	uint64_t all = b->modes[CPUMODE_KERNEL] + b->modes[CPUMODE_USER];
	const struct brief_function *faults = fault_handler(b);
	double share = brief_percent(b->modes[CPUMODE_KERNEL], all) - (faults ? brief_share(b, faults->total) : 0);

	for (size_t i = 0; i < b->functions.len; i++) {
		const struct brief_function *f = &b->functions.items[b->by_total[i]];

		if (strncmp(f->name, "__x64_sys_", 10) && strncmp(f->name, "__arm64_sys_", 12) &&
		    strncmp(f->name, "__s390x_sys_", 12) && strncmp(f->name, "ksys_", 5))
			continue;
		out_fmt(text, "%.1f %% of the samples are in the kernel%s; of its calls, ", share,
			faults ? ", but not in page faults" : "");
		out_name(text, f->name);
		out_fmt(text, " has the most: %.1f %%", brief_share(b, f->total));
		*cure = "strobe trace -s counts and times the calls";
		return share;
	}
	return 0;
}

static double waiting(const struct brief *b, struct out *text, const char **cure)
{
	const struct brief_wait *most = NULL;
	uint64_t wall = brief_wall(b);

	for (const struct brief_wait *w = b->waits.kinds; w->name; w++)
		if (!most || w->avoidable_ns > most->avoidable_ns)
			most = w;
	if (!most || !most->avoidable_ns)
		return 0;
	out_fmt(text, "threads waited %.1f %% of their time (%.2f of %.2f s) for: %s; of that %.1f %% in ",
		brief_percent(most->avoidable_ns, wall), (double)most->avoidable_ns / 1e9, (double)wall / 1e9,
		most->name, brief_percent(most->most_ns, most->avoidable_ns));
	out_name(text, most->most_comm);
	out_fmt(text, "/%d", most->most_tid);
	*cure = "strobe waits shows which threads made others wait, and where; strobe flamegraph --wall draws it";
	return brief_percent(most->avoidable_ns, wall);
}

static double no_cpu(const struct brief *b, struct out *text, const char **cure)
{
	uint64_t wall = brief_wall(b);
	double share = brief_percent(b->waits.runnable, wall);

	out_fmt(text, "threads could run but had no CPU for %.1f %% of their time (%.2f of %.2f s)", share,
		(double)b->waits.runnable / 1e9, (double)wall / 1e9);
	*cure = "run fewer busy threads than CPUs, or remove the CPU limit; strobe sched latency shows who waits";
	return share;
}

static double one_loop(const struct brief *b, struct out *text, const char **cure)
{
	const struct brief_loop *l = b->loops.len ? &b->loops.items[0] : NULL;

	if (!l || l->waits)
		return 0;
	out_fmt(text, "%.1f %% of the time is in one loop of ", brief_share(b, l->period));
	out_name(text, l->function);
	*cure = "strobe annotate shows its instructions";
	return brief_share(b, l->period);
}

/*
 * To add a rule, write a function as above, a row here, its name in strobe-report(1), and two programs in
 * tests/e2e/brief.sh: one that triggers the rule and one that does not.
 */
static const struct brief_rule rules[] = {
	{ "few-samples", 1, few_samples },
	{ "lost-samples", 1, lost_samples },
	{ "broken-stacks", 10, broken_stacks },
	{ "no-names", 10, no_names },
	{ "debug-build", 20, debug_build },
	{ "copying", 30, copying },
	{ "page-faults", 10, page_faults },
	{ "spinning", 10, spinning },
	{ "kernel", 40, in_kernel },
	{ "waiting", 20, waiting },
	{ "no-cpu", 25, no_cpu },
	{ "one-loop", 50, one_loop },
};

void brief_apply_rules(struct brief *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const char *cure = NULL;
		struct out text;
		double share;

		out_init_mem(&text);
		share = rules[i].find(b, &text, &cure);
		if (share >= rules[i].least)
			vec_push(&b->findings, (struct finding){ .rule = rules[i].name,
								 .text = arena_strdup(&b->arena, out_text(&text)),
								 .cure = cure ? arena_strdup(&b->arena, cure) : NULL,
								 .share = share });
		out_release(&text);
	}
}
