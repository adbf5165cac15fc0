/* The languages of scripts, and what their interpreters share. */
#include "report/script/language.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <strings.h>

#include "report/tracepoint/trace_format.h"

static const struct script_language *const languages[] = { &python_language, &perl_language };

const struct script_language *script_language_named(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++) {
		const struct script_language *l = languages[i];

		if ((len == strlen(l->name) && !strncasecmp(name, l->name, len)) ||
		    (len == strlen(l->word) && !strncasecmp(name, l->word, len)))
			return l;
	}
	return NULL;
}

const struct script_language *script_language_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(languages); i++)
		if (!strcmp(dot, languages[i]->suffix))
			return languages[i];
	return NULL;
}

const struct script_language *script_language_at(size_t n) { return n < ARRAY_SIZE(languages) ? languages[n] : NULL; }

/* ---- loading a library ---- */

#ifdef STROBE_STATIC
void *script_library_load(const struct script_library *l, struct err *e)
{
	err_set(e, "cannot run %s scripts", l->language);
	err_why(e, "this is the static build, which cannot load %s's library", l->language);
	err_try(e, "the usual build, or: %s script | %s", tool_name(), l->instead);
	return NULL;
}
#else
static void *load(const char *path) { return dlopen(path, RTLD_NOW | RTLD_GLOBAL); }

/* Load the newest version from the directories that the loader does not search. */
static void *load_elsewhere(const char *const *patterns)
{
	void *lib = NULL;

	for (; patterns && *patterns && !lib; patterns++) {
		glob_t found = { 0 };

		if (!glob(*patterns, 0, NULL, &found))
			for (size_t i = found.gl_pathc; i && !lib; i--)
				lib = load(found.gl_pathv[i - 1]);
		globfree(&found);
	}
	return lib;
}

void *script_library_load(const struct script_library *l, struct err *e)
{
	const char *asked = getenv(l->env);
	void *lib = NULL;

	if (asked && *asked) {
		lib = load(asked);
		if (!lib) {
			err_set(e, "cannot load '%s', which %s names", asked, l->env);
			err_why(e, "%s", dlerror());
		}
		return lib;
	}
	for (unsigned minor = l->newest; !lib && minor >= l->oldest; minor -= l->step) {
		char name[40];

		snprintf(name, sizeof(name), "%s%u%s", l->prefix, minor, l->suffix);
		lib = load(name);
	}
	if (!lib)
		lib = load_elsewhere(l->elsewhere);
	if (!lib) {
		err_set(e, "cannot run %s scripts", l->language);
		err_why(e, "%s", l->missing);
		err_try(e, "%s, or name it in %s", l->cure, l->env);
	}
	return lib;
}
#endif

/* ---- fields of tracepoints ---- */

const struct trace_field *script_field(const struct trace_format *f, const char *name)
{
	for (size_t i = 0; i < f->fields.len; i++)
		if (!strcmp(f->fields.items[i].name, name))
			return &f->fields.items[i];
	return NULL;
}

/* Find the first field in an expression, as in "prev_state & 0xff". */
static uint32_t field_in(const struct trace_format *f, uint32_t node)
{
	const struct trace_node *n = &f->nodes.items[node];
	uint32_t found;

	switch (n->kind) {
	case TRACE_FIELD: return n->a;
	case TRACE_CAST:
	case TRACE_UNARY: return field_in(f, n->a);
	case TRACE_BINARY: found = field_in(f, n->a); return found != UINT32_MAX ? found : field_in(f, n->b);
	}
	return UINT32_MAX;
}

uint32_t script_named_field(const struct trace_format *f, const struct trace_node *n)
{
	return n->kind == TRACE_FLAGS || n->kind == TRACE_SYMBOLIC ? field_in(f, n->a) : UINT32_MAX;
}

void script_formats(const struct perfdata *pd, struct out *o,
		    void (*each)(struct out *o, const char *system, const struct trace_format *f))
{
	const struct feature_raw *raw = &pd->features.tracing_data;
	struct tracing_data td;

	if (!raw->size || tracing_data_decode(&td, raw->data, raw->size, NULL) < 0)
		return;
	for (size_t i = 0; i < pd->n_events; i++) {
		const struct attr *attr = &pd->events[i].attr;
		const struct tracing_format *text =
			attr->type == ATTR_TYPE_TRACEPOINT ? tracing_data_find(&td, attr->config) : NULL;
		struct trace_format f = { 0 };

		if (text && trace_format_parse(&f, text->text, text->len, td.long_size, NULL) == 0)
			each(o, text->system, &f);
		trace_format_release(&f);
	}
	tracing_data_release(&td);
}
