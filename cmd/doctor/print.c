/* Print the findings of strobe doctor, as text and as JSON. */
#include "cmd/doctor/doctor_priv.h"

#include <sys/utsname.h>

#include "base/encode/json.h"

/* ---- as text ---- */

static void facts_text(struct out *o, const struct facts *f)
{
	struct utsname u = { 0 };

	uname(&u);
	out_str(o, "Linux ");
	out_name(o, u.release);
	out_str(o, " on ");
	out_name(o, u.machine);
	out_fmt(o, "%s%s, user %u%s\n", f->virtual ? ", a virtual machine" : "",
		f->core_pmu ? "" : " without hardware counters", f->uid,
		f->user_namespace ? " of a user namespace" : "");
	out_fmt(o, "kernel.perf_event_paranoid %d, capabilities%s%s%s%s, ", f->level,
		f->caps >> FACT_CAP_PERFMON & 1 ? " perfmon" : "",
		f->caps >> FACT_CAP_SYS_ADMIN & 1 ? " sys_admin" : "",
		f->caps >> FACT_CAP_SYS_PTRACE & 1 ? " sys_ptrace" : "", f->caps ? "" : " none");
	out_fmt(o, "%s, %s%s\n", f->filter ? "a filter in front of the kernel" : "no filter",
		f->lockdown ? "locked down" : "no lockdown", f->selinux ? ", SELinux" : "");
	out_fmt(o, "limits: %llu of %llu descriptors, %llu KB per CPU and ", (unsigned long long)f->nofile,
		(unsigned long long)f->nofile_max, (unsigned long long)f->mlock_kb);
	if (f->memlock == UINT64_MAX)
		out_str(o, "any amount of locked memory\n\n");
	else
		out_fmt(o, "%llu KB of locked memory\n\n", (unsigned long long)f->memlock / 1024);
}

static void slots_text(struct out *o, const char *indent, const struct err *e)
{
	const char *names[] = { "what", "why", "try" }, *texts[] = { e->what, e->why, e->fix };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!texts[i][0])
			continue;
		out_fmt(o, "%s%s: ", indent, names[i]);
		out_name(o, texts[i] + strspn(texts[i], " \\_"));
		out_char(o, '\n');
	}
}

static void checks_text(struct out *o, const struct check_result *results)
{
	for (const struct check_result *r = results; r < results + DOCTOR_CHECKS; r++) {
		out_fmt(o, "%-3s  %-12s %s\n", r->ok ? "yes" : "no", r->name, r->what);
		if (!r->ok)
			slots_text(o, "                    ", &r->e);
	}
}

static void words_text(struct out *o, char *const words[], int n)
{
	for (int i = 0; i < n; i++) {
		out_str(o, i ? " " : "");
		out_name(o, words[i]);
	}
}

static void steps_text(struct out *o, const struct diagnosis *d)
{
	for (size_t i = 0; i < d->steps.len; i++)
		for (size_t j = 0; j < d->steps.items[i].grants.len; j++) {
			const struct grant *g = &d->steps.items[i].grants.items[j];
			bool grant = g->is_command || doctor_is_permission(d->steps.items[i].cause);

			out_fmt(o, "  %s: %s",
				j       ? "   or"
				: grant ? "grant"
					: "  try",
				g->is_command ? "as root: " : "");
			out_name(o, g->text);
			out_char(o, '\n');
		}
}

static void diagnosis_text(struct out *o, const struct diagnosis *d)
{
	out_fmt(o, "\n%s ", tool_name());
	words_text(o, d->words, d->n_words);
	out_str(o, d->ok ? ": can run\n" : ": cannot run\n");
	for (size_t i = 0; i < d->trial.notes.len; i++) {
		out_str(o, "  note: ");
		out_name(o, d->trial.notes.items[i]);
		out_char(o, '\n');
	}
	if (!d->ok) {
		struct err e = d->trial.e;

		e.fix[0] = '\0';
		slots_text(o, "  ", &e);
	}
	steps_text(o, d);
	if (d->instead)
		out_fmt(o, "  works now: with %s\n", d->instead);
	if (d->least) {
		out_str(o, *d->least ? "  least grant for a user, tried: " : "  a user needs no grant for it: tried");
		out_name(o, d->least);
		out_char(o, '\n');
	} else if (d->tested) {
		struct err e = d->least_error;

		snprintf(e.fix, sizeof(e.fix), "%s doctor as that user", tool_name()); /* grants are per user */
		out_str(o, "  a user needs more than capabilities for it: tried\n");
		slots_text(o, "    ", &e);
	}
}

void doctor_text(struct out *o, const struct facts *f, const struct check_result results[DOCTOR_CHECKS],
		 const struct diagnosis *d)
{
	facts_text(o, f);
	checks_text(o, results);
	diagnosis_text(o, d);
}

/* ---- as JSON ---- */

/* Print each object on one line, except the outermost. */
static void begin_object(struct json *j, const char *key)
{
	json_object(j, key);
	j->before = " ";
}
static void end_object(struct json *j) { json_end_spaced(j, " ", "}"); }

static void json_error(struct json *j, const struct err *e)
{
	json_text(j, "cause", e->cause ? e->cause : "other");
	json_text(j, "what", e->what);
	json_text(j, "why", e->why + strspn(e->why, " \\_"));
	json_text(j, "try", e->fix);
}

static void facts_json(struct json *j, const struct facts *f)
{
	const struct {
		const char *name;
		int64_t value;
	} numbers[] = {
		{ "uid", f->uid },
		{ "paranoid", f->level },
		{ "kptr_restrict", f->kptr_restrict },
		{ "mlock_kb", (int64_t)f->mlock_kb },
		{ "nofile", (int64_t)f->nofile },
		{ "memlock", (int64_t)f->memlock },
	};
	const struct {
		const char *name;
		bool value;
	} flags[] = {
		{ "perfmon", facts_privileged(f) },
		{ "filter", f->filter },
		{ "lockdown", f->lockdown },
		{ "container", f->container },
		{ "user_namespace", f->user_namespace },
		{ "virtual", f->virtual },
		{ "core_pmu", f->core_pmu },
	};

	j->before = "\n  ";
	begin_object(j, "facts");
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		json_number(j, numbers[i].name, numbers[i].value);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		json_bool(j, flags[i].name, flags[i].value);
	end_object(j);
}

static void checks_json(struct json *j, const struct check_result *results)
{
	j->before = "\n  ";
	json_array(j, "checks");
	for (const struct check_result *r = results; r < results + DOCTOR_CHECKS; r++) {
		j->before = "\n    ";
		begin_object(j, NULL);
		json_text(j, "name", r->name);
		json_bool(j, "ok", r->ok);
		if (!r->ok)
			json_error(j, &r->e);
		end_object(j);
	}
	json_end_spaced(j, "\n  ", "]");
}

static void strings_json(struct json *j, const char *name, char *const *texts, size_t n)
{
	const char *before = j->before;

	json_array(j, name);
	for (size_t i = 0; i < n; i++) {
		j->before = i ? " " : NULL;
		json_text(j, NULL, texts[i]);
	}
	json_end(j, "]");
	j->before = before;
}

static void grants_json(struct json *j, const struct doctor_step *step)
{
	json_array(j, "grants");
	for (size_t i = 0; i < step->grants.len; i++) {
		begin_object(j, NULL);
		json_bool(j, "command", step->grants.items[i].is_command);
		json_text(j, "text", step->grants.items[i].text);
		end_object(j);
	}
	json_end_spaced(j, step->grants.len ? " " : "", "]");
}

static void needs_json(struct json *j, const struct diagnosis *d)
{
	json_array(j, "needs");
	j->before = " ";
	for (size_t i = 0; i < d->steps.len; i++) {
		begin_object(j, NULL);
		json_text(j, "cause", d->steps.items[i].cause);
		grants_json(j, &d->steps.items[i]);
		end_object(j);
	}
	json_end_spaced(j, d->steps.len ? " " : "", "]");
}

static void diagnosis_json(struct json *j, const struct diagnosis *d)
{
	j->before = "\n  ";
	begin_object(j, "command");
	strings_json(j, "words", d->words, (size_t)d->n_words);
	json_bool(j, "ok", d->ok);
	if (!d->ok)
		json_error(j, &d->trial.e);
	j->before = "\n    ";
	strings_json(j, "notes", d->trial.notes.items, d->trial.notes.len);
	needs_json(j, d);
	j->before = "\n    ";
	if (d->instead)
		json_text(j, "works_with", d->instead);
	if (d->least)
		json_text(j, "least_grant", d->least);
	end_object(j);
}

void doctor_json(struct out *o, const struct facts *f, const struct check_result results[DOCTOR_CHECKS],
		 const struct diagnosis *d)
{
	struct json j = { .o = o, .comma = ",", .colon = ": " };

	json_object(&j, NULL);
	facts_json(&j, f);
	checks_json(&j, results);
	diagnosis_json(&j, d);
	json_end_spaced(&j, "\n", "}");
	out_char(o, '\n');
}
