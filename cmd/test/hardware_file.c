/*
 * The result file of test --hardware: JSON, with what a reader must know about the machine, and
 * without anything that identifies it: no name of the machine or of a user, no path.
 */
#include <ctype.h>
#include <sys/utsname.h>

#include "base/encode/json.h"
#include "base/encode/json_read.h"
#include "base/file.h"
#include "cmd/test/hardware_priv.h"

enum { RESULT_MAX = 4 << 20 };

/* ---- writing ---- */

/* Members stand on lines of their own, features on one line each. */
static const char *const member_line = "\n\t", *const element_line = "\n\t\t", *const same_line = " ";

struct json hardware_write_head(struct out *o)
{
	struct json j = { .o = o, .comma = ",", .colon = ": " };
	struct utsname u;

	json_object(&j, NULL);
	j.before = member_line;
	json_text(&j, "strobe", STROBE_VERSION);
	if (uname(&u) == 0) {
		u.release[strspn(u.release, "0123456789.")] = '\0'; /* what follows may be the name of a build */
		json_text(&j, "machine", u.machine);
		json_text(&j, "kernel", u.release);
	}
	json_number(&j, "paranoid", paranoid_level());
	json_array(&j, "features");
	return j;
}

static void write_attr(struct json *j, const struct hardware_attr *a, bool peer)
{
	json_unsigned(j, peer ? "perf_type" : "type", a->type);
	json_hex(j, peer ? "perf_config" : "config", a->config);
	json_hex(j, peer ? "perf_config1" : "config1", a->config1);
	json_unsigned(j, peer ? "perf_precise" : "precise", a->precise);
}

void hardware_write_outcome(struct json *j, const struct hardware_feature *f, const struct hardware_outcome *outcome)
{
	char how[HARDWARE_HOW];

	j->before = element_line;
	json_object(j, NULL);
	j->before = same_line;
	json_text(j, "feature", f->name);
	json_text(j, "verdict", hardware_judge(f->kind, outcome, how));
	json_unsigned(j, "expected", outcome->expected);
	json_unsigned(j, "got", outcome->got);
	json_unsigned(j, "errno", (uint64_t)outcome->sys);
	json_text(j, "why", outcome->why);
	write_attr(j, &outcome->attr, false);
	if (outcome->peer.did != HARDWARE_NO_PEER)
		json_text(j, "perf", outcome->peer.did == HARDWARE_PEER_DID ? "measured" : "refused");
	if (outcome->peer.did == HARDWARE_PEER_DID) {
		json_unsigned(j, "perf_got", outcome->peer.got);
		write_attr(j, &outcome->peer.attr, true);
	}
	json_end_spaced(j, " ", "}");
}

/*
 * Write the text of a file without its end of line. A text of several lines does not describe an
 * event.
 */
static void write_file(struct json *j, const char *pmu, const char *dir, const char *name)
{
	autofree char *file = *dir ? xasprintf("%s/%s", dir, name) : xstrdup(name), *text = pmu_text(pmu, file);

	if (!text)
		return;
	text[strcspn(text, "\n")] = '\0';
	json_text(j, file, text);
}

/* Return true for a PMU like one in the list: "uncore_imc_3" is like "uncore_imc_0". */
static bool is_another(const struct pmu_list *l, const char *name)
{
	const char *end = name + strlen(name);
	autofree char *zero = NULL;

	while (end > name && isdigit((unsigned char)end[-1]))
		end--;
	if (!*end || !strcmp(end, "0") || end == name || end[-1] != '_')
		return false;
	zero = xasprintf("%.*s0", (int)(end - name), name);
	for (size_t i = 0; i < l->pmus.len; i++)
		if (!strcmp(l->pmus.items[i].name, zero))
			return true;
	return false;
}

static void write_pmu(struct json *j, const char *pmu)
{
	static const char *const alone[] = { "type", "cpus", "cpumask", "nr_addr_filters" };
	static const char *const dirs[] = { "caps", "format", "events" };

	j->before = element_line;
	json_object(j, NULL);
	j->before = same_line;
	json_text(j, "pmu", pmu);
	j->before = "\n\t\t\t";
	for (size_t i = 0; i < ARRAY_SIZE(alone); i++)
		write_file(j, pmu, "", alone[i]);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		struct pmu_files files = { 0 };

		pmu_files_read(&files, pmu, dirs[i]);
		for (size_t k = 0; k < files.names.len; k++)
			write_file(j, pmu, dirs[i], files.names.items[k]);
		pmu_files_release(&files);
	}
	json_end_spaced(j, " ", "}");
}

/* Write the PMUs of sysfs, from which the features' events were made. */
void hardware_write_tail(struct json *j)
{
	struct pmu_list l = { 0 };

	json_end_spaced(j, "\n\t", "]");
	j->before = member_line;
	json_array(j, "pmus");
	pmu_list_read(&l);
	for (size_t i = 0; i < l.pmus.len; i++)
		if (!is_another(&l, l.pmus.items[i].name))
			write_pmu(j, l.pmus.items[i].name);
	pmu_list_release(&l);
	json_end_spaced(j, "\n\t", "]");
	json_end_spaced(j, "\n", "}");
	out_char(j->o, '\n');
}

/* ---- reading ---- */

const struct json_value *hardware_read(struct json_document *d, const char *path, struct err *e)
{
	size_t len;
	autofree char *text = file_read(path, RESULT_MAX, &len, e);
	const struct json_value *list;

	if (!text)
		return NULL;
	if (json_read(d, text, len, e) < 0) {
		err_in(e, "cannot read '%s'", path);
		return NULL;
	}
	list = json_find(d, json_root(d), "features");
	if (list && list->kind == JSON_ARRAY)
		return list;
	err_set(e, "'%s' is no result of test --hardware", path);
	return NULL;
}

static uint64_t number(const struct json_document *d, const struct json_value *v, const char *key)
{
	return strtoull(json_member(d, v, key), NULL, 0);
}

static void read_attr(const struct json_document *d, const struct json_value *v, struct hardware_attr *a, bool peer)
{
	a->type = (uint32_t)number(d, v, peer ? "perf_type" : "type");
	a->config = number(d, v, peer ? "perf_config" : "config");
	a->config1 = number(d, v, peer ? "perf_config1" : "config1");
	a->precise = (unsigned)number(d, v, peer ? "perf_precise" : "precise");
}

const struct hardware_feature *hardware_read_outcome(const struct json_document *d, const struct json_value *v,
						     struct hardware_outcome *o, struct err *e)
{
	const struct hardware_feature *f = hardware_find(json_member(d, v, "feature"));
	const char *perf = json_member(d, v, "perf");

	if (!f) {
		err_set(e, "it has the unknown feature '%.40s'", json_member(d, v, "feature"));
		return NULL;
	}
	*o = (struct hardware_outcome){ .sys = (int)number(d, v, "errno") };
	o->expected = number(d, v, "expected");
	o->got = number(d, v, "got");
	snprintf(o->why, sizeof(o->why), "%s", json_member(d, v, "why"));
	read_attr(d, v, &o->attr, false);
	o->peer.did = !strcmp(perf, "measured")  ? HARDWARE_PEER_DID
		      : !strcmp(perf, "refused") ? HARDWARE_PEER_REFUSED
						 : HARDWARE_NO_PEER;
	o->peer.got = number(d, v, "perf_got");
	read_attr(d, v, &o->peer.attr, true);
	return f;
}
