/* Print a brief as text and as JSON. */
#include "base/encode/json.h"
#include "report/brief/brief_priv.h"

static double kernel_share(const struct brief *b)
{
	uint64_t all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(b->modes); i++)
		all += b->modes[i];
	return all ? 100.0 * (double)b->modes[CPUMODE_KERNEL] / (double)all : 0;
}

/* ---- text ---- */

/* Shorten a name to fit into its line: templates may take kilobytes. */
static void put_name(struct out *o, const char *name)
{
	enum { MOST = 80 };

	if (strlen(name) <= MOST) {
		out_name(o, name);
		return;
	}
	out_name_len(o, name, MOST - 3);
	out_str(o, "...");
}

/* Return the event's name; "" if the recording describes no event. */
static const char *event_name(const struct brief *b)
{
	const struct perfdata *pd = b->session->pd;

	return pd->n_events ? pd->events[b->event].name : "";
}

static void print_data(const struct brief *b, struct out *o)
{
	const struct quality *q = &b->profile->quality;

	out_fmt(o, "%llu samples of ", (unsigned long long)b->samples);
	out_name(o, *event_name(b) ? event_name(b) : "no event");
	out_fmt(o, " in %.2f s; %.1f %% of them in the kernel", b->seconds, kernel_share(b));
	if (q->of[QUALITY_SYMBOL])
		out_fmt(o, "; named: %.1f %%", 100.0 * (double)q->good[QUALITY_SYMBOL] / (double)q->of[QUALITY_SYMBOL]);
	if (q->of[QUALITY_STACK])
		out_fmt(o, "; whole stacks: %.1f %%",
			100.0 * (double)q->good[QUALITY_STACK] / (double)q->of[QUALITY_STACK]);
	out_char(o, '\n');
}

static void print_path(const struct brief *b, const struct brief_function *f, struct out *o)
{
	const struct brief_function *path[PATH_MAX_FRAMES];
	size_t n = brief_path(b, f, path, PATH_MAX_FRAMES);

	for (size_t i = 1; i < n; i++) {
		out_str(o, i == 1 && f->hides_caller ? " < ? < " : " < ");
		put_name(o, path[i]->name);
	}
}

static void print_functions(const struct brief *b, struct out *o)
{
	out_str(o, "\nOwn time, and from where nearly all (90 %) of it was called\n");
	for (size_t i = 0; i < MIN(b->functions.len, SHOWN_FUNCTIONS); i++) {
		const struct brief_function *f = &b->functions.items[b->by_self[i]];

		if (brief_share(b, f->self) < brief_least(b))
			break;
		out_fmt(o, "  %5.1f %%  ", brief_share(b, f->self));
		put_name(o, f->name);
		print_path(b, f, o);
		out_str(o, "  (");
		out_name(o, f->object);
		out_str(o, ")\n");
	}
	out_str(o, "\nTime with all that is called\n");
	for (size_t i = 0; i < MIN(b->functions.len, SHOWN_FUNCTIONS); i++) {
		const struct brief_function *f = &b->functions.items[b->by_total[i]];

		if (f->starts || brief_share(b, f->total) < brief_least(b))
			break;
		out_fmt(o, "  %5.1f %%  ", brief_share(b, f->total));
		put_name(o, f->name);
		out_char(o, '\n');
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_places(const struct brief *b, struct out *o)
{
	for (size_t i = 0; i < MIN(b->lines.len, SHOWN_LINES); i++) {
		if (brief_share(b, b->lines.items[i].period) < brief_least(b))
			break;
		out_str(o, i ? "" : "\nLines\n");
		out_fmt(o, "  %5.1f %%  ", brief_share(b, b->lines.items[i].period));
		out_name(o, base_name(b->lines.items[i].file));
		out_fmt(o, ":%u\n", b->lines.items[i].line);
	}
	if (b->loops.len)
		out_str(o, "\nLoops\n");
	for (size_t i = 0; i < MIN(b->loops.len, SHOWN_LOOPS); i++) {
		const struct brief_loop *l = &b->loops.items[i];

		out_fmt(o, "  %5.1f %%  ", brief_share(b, l->period));
		put_name(o, l->function);
		out_fmt(o, " 0x%llx-0x%llx", (unsigned long long)l->start, (unsigned long long)l->end);
		if (l->from.file) {
			out_str(o, "  ");
			out_name(o, base_name(l->from.file));
			out_fmt(o, ":%u", l->from.line);
		}
		out_char(o, '\n');
	}
}

/* Print the kinds of waits, longest first, down to 1 %. */
static void print_waits(const struct brief *b, struct out *o)
{
	uint64_t wall = brief_wall(b);
	const char *before = ": ";

	if (!wall)
		return;
	out_fmt(o, "\nWaits of %.2f s on the wall clock, all threads together\n", (double)wall / 1e9);
	out_fmt(o, "  running %.1f %%, runnable %.1f %%, blocked %.1f %%", brief_percent(b->waits.running, wall),
		brief_percent(b->waits.runnable, wall), brief_percent(b->waits.blocked, wall));
	for (const struct brief_wait *w = b->waits.kinds; w->name; w++) {
		if (brief_percent(w->ns, wall) < 1)
			continue;
		out_fmt(o, "%s%s %.1f %%", before, w->name, brief_percent(w->ns, wall));
		before = ", ";
	}
	out_char(o, '\n');
}

static void print_changes(const struct brief *b, struct out *o)
{
	if (!b->compared)
		return;
	out_str(o, b->changes.len ? "\nChanges of own time by 1 % and more\n" : "\nNo own time changed by 1 %\n");
	for (size_t i = 0; i < MIN(b->changes.len, SHOWN_CHANGES); i++) {
		const struct brief_change *c = &b->changes.items[i];

		out_fmt(o, "  %+6.1f   %5.1f %% -> %5.1f %%  ", c->after - c->before, c->before, c->after);
		put_name(o, c->name);
		out_char(o, '\n');
	}
}

void brief_print(const struct brief *b, struct out *o)
{
	print_data(b, o);
	if (!b->samples)
		return;
	print_functions(b, o);
	print_places(b, o);
	print_waits(b, o);
	print_changes(b, o);
	out_str(o, b->findings.len ? "\nFindings\n" : "\nNo finding\n");
	for (size_t i = 0; i < b->findings.len; i++) {
		const struct finding *f = &b->findings.items[i];

		out_fmt(o, "  %s: %s\n", f->rule, f->text);
		if (f->cure)
			out_fmt(o, "    try: %s\n", f->cure);
	}
}

/* ---- JSON ---- */

static void share(struct json *j, const char *key, double percent)
{
	json_key(j, key);
	out_fmt(j->o, "%.2f", percent);
}

static void json_functions(const struct brief *b, const char *key, const uint32_t *order, bool by_self, struct json *j)
{
	json_array(j, key);
	for (size_t i = 0; i < MIN(b->functions.len, SHOWN_FUNCTIONS); i++) {
		const struct brief_function *f = &b->functions.items[order[i]], *path[PATH_MAX_FRAMES];
		size_t n = by_self ? brief_path(b, f, path, PATH_MAX_FRAMES) : 0;

		if (!by_self && f->starts)
			break;
		json_object(j, NULL);
		json_text(j, "function", f->name);
		json_text(j, "object", f->object);
		share(j, "self", brief_share(b, f->self));
		share(j, "total", brief_share(b, f->total));
		if (by_self) {
			json_array(j, "callers");
			for (size_t k = 1; k < n; k++)
				json_text(j, NULL, path[k]->name);
			json_end(j, "]");
		}
		json_end(j, "}");
	}
	json_end(j, "]");
}

static void json_places(const struct brief *b, struct json *j)
{
	json_array(j, "lines");
	for (size_t i = 0; i < MIN(b->lines.len, SHOWN_LINES); i++) {
		json_object(j, NULL);
		json_text(j, "file", b->lines.items[i].file);
		json_unsigned(j, "line", b->lines.items[i].line);
		share(j, "self", brief_share(b, b->lines.items[i].period));
		json_end(j, "}");
	}
	json_end(j, "]");
	json_array(j, "loops");
	for (size_t i = 0; i < MIN(b->loops.len, SHOWN_LOOPS); i++) {
		const struct brief_loop *l = &b->loops.items[i];

		json_object(j, NULL);
		json_text(j, "function", l->function);
		json_hex(j, "start", l->start);
		json_hex(j, "end", l->end);
		share(j, "self", brief_share(b, l->period));
		if (l->from.file) {
			json_text(j, "file", l->from.file);
			json_unsigned(j, "line", l->from.line);
		}
		json_end(j, "}");
	}
	json_end(j, "]");
}

static void json_waits(const struct brief *b, struct json *j)
{
	uint64_t wall = brief_wall(b);

	json_object(j, "waits");
	share(j, "seconds", (double)wall / 1e9);
	share(j, "running", brief_percent(b->waits.running, wall));
	share(j, "runnable", brief_percent(b->waits.runnable, wall));
	share(j, "blocked", brief_percent(b->waits.blocked, wall));
	json_object(j, "kinds");
	for (const struct brief_wait *w = b->waits.kinds; w->name; w++)
		share(j, w->name, brief_percent(w->ns, wall));
	json_end(j, "}}");
}

static void json_changes(const struct brief *b, struct json *j)
{
	if (!b->compared)
		return;
	json_array(j, "changes");
	for (size_t i = 0; i < MIN(b->changes.len, SHOWN_CHANGES); i++) {
		json_object(j, NULL);
		json_text(j, "function", b->changes.items[i].name);
		share(j, "before", b->changes.items[i].before);
		share(j, "after", b->changes.items[i].after);
		json_end(j, "}");
	}
	json_end(j, "]");
}

static void json_findings(const struct brief *b, struct json *j)
{
	json_array(j, "findings");
	for (size_t i = 0; i < b->findings.len; i++) {
		const struct finding *f = &b->findings.items[i];

		json_object(j, NULL);
		json_text(j, "rule", f->rule);
		share(j, "share", f->share);
		json_text(j, "text", f->text);
		if (f->cure)
			json_text(j, "try", f->cure);
		json_end(j, "}");
	}
	json_end(j, "]");
}

void brief_json(const struct brief *b, struct out *o)
{
	const struct quality *q = &b->profile->quality;
	struct json j = json_compact(o);

	json_object(&j, NULL);
	json_unsigned(&j, "version", 1);
	json_text(&j, "event", event_name(b));
	json_unsigned(&j, "samples", b->samples);
	json_unsigned(&j, "lost", MAX(b->session->notes.lost, b->session->notes.lost_samples));
	share(&j, "seconds", b->seconds);
	share(&j, "kernel", kernel_share(b));
	if (q->of[QUALITY_SYMBOL])
		share(&j, "named", 100.0 * (double)q->good[QUALITY_SYMBOL] / (double)q->of[QUALITY_SYMBOL]);
	if (q->of[QUALITY_STACK])
		share(&j, "whole_stacks", 100.0 * (double)q->good[QUALITY_STACK] / (double)q->of[QUALITY_STACK]);
	if (brief_wall(b))
		json_waits(b, &j);
	json_functions(b, "self", b->by_self, true, &j);
	json_functions(b, "total", b->by_total, false, &j);
	json_places(b, &j);
	json_changes(b, &j);
	json_findings(b, &j);
	json_end(&j, "}");
	out_char(o, '\n');
}
