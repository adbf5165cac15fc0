/* Print tracepoints with the plugins of libtraceevent. */
#include "report/tracepoint/plugin.h"

#include <dlfcn.h>
#include <event-parse.h>
#include <trace-seq.h>

#include "report/tracepoint/trace_format.h"

enum {
	FORMAT_MAX = 64 << 10, /* do not pass longer formats to the library */
	/* Offsets and lengths in payloads have 16 bits, so whatever they say is inside this memory. */
	PAYLOAD_ROOM = 4 * TRACE_PAYLOAD_MAX,
};

struct trace_plugins {
	struct tep_handle *tep;
	struct session *session;   /* names functions of the kernel */
	VEC(void *) libraries;     /* of dlopen */
	struct tep_event **events; /* by event of the input; NULL: no plugin prints it */
	size_t n_events;
	struct trace_seq text;
	uint8_t *payload; /* copy of the record's payload, followed by zeroes */
};

bool trace_plugins_wanted(const struct session *s)
{
	const char *dir = getenv("TRACEEVENT_PLUGIN_DIR");

	return s->trace_text == TRACE_TEXT_PLUGINS || (s->trace_text == TRACE_TEXT_USUAL && dir && *dir);
}

int trace_text_by_parse(const char *word, enum trace_text_by *by, struct err *e)
{
	if (!strcmp(word, "kernel"))
		*by = TRACE_TEXT_KERNEL;
	else if (!strcmp(word, "plugins"))
		*by = TRACE_TEXT_PLUGINS;
	else {
		err_set(e, "'%s' is neither kernel nor plugins", word);
		err_try(e, "kernel, for the text of the kernel's formats, or plugins, for that of libtraceevent");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

typedef void found_fn(struct tep_handle *tep, const char *dir, const char *name, void *ctx);

/*
 * Call `found` for each plugin in the directory of TRACEEVENT_PLUGIN_DIR and, with TRACE_TEXT_PLUGINS, in the system's
 * directory. The library also looks in the home directory; `found` must skip those (is_homely).
 */
static void find_plugins(struct tep_handle *tep, const struct session *s, found_fn *found, void *ctx)
{
	if (s->trace_text != TRACE_TEXT_PLUGINS)
		tep_set_flag(tep, TEP_DISABLE_SYS_PLUGINS);
	tep_load_plugins_hook(tep, ".so", found, ctx);
}

/* Is this the plugin directory in the home directory? We may run for another user, so do not run code from there. */
static bool is_homely(const char *dir)
{
	const char *home = getenv("HOME"), *named = getenv("TRACEEVENT_PLUGIN_DIR");
	size_t len = home ? strlen(home) : 0;

	return len && !strncmp(dir, home, len) && !strncmp(dir + len, "/.local/lib/traceevent/plugins", 30) &&
	       !(named && !strcmp(named, dir));
}

static void count_plugin(struct tep_handle *tep, const char *dir, const char *name, void *ctx)
{
	*(bool *)ctx |= !is_homely(dir);
}

int trace_plugins_check(const struct session *s, struct err *e)
{
	struct tep_handle *tep;
	bool any = false;

	if (s->trace_text != TRACE_TEXT_PLUGINS || !s->pd->features.tracing_data.size)
		return 0;
	tep = tep_alloc();
	find_plugins(tep, s, count_plugin, &any);
	tep_free(tep);
	if (any)
		return 0;
	err_set(e, "--trace-text=plugins: libtraceevent has no plugins here");
	return err_try(e, "install libtraceevent1-plugin, or name their directory in TRACEEVENT_PLUGIN_DIR");
}

/* Source: event-parse.h of libtraceevent, "tep_plugin_loader" and "tep_plugin_unloader". */
static void load_plugin(struct tep_handle *tep, const char *dir, const char *name, void *ctx)
{
	struct trace_plugins *t = ctx;
	autofree char *path = xasprintf("%s/%s", dir, name);
	tep_plugin_load_func load;
	void *library = is_homely(dir) ? NULL : dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (!library)
		return;
	load = (tep_plugin_load_func)dlsym(library, "tep_plugin_loader");
	if (!load || load(tep))
		dlclose(library);
	else
		vec_push(&t->libraries, library);
}

static void unload_plugin(struct tep_handle *tep, void *library)
{
	tep_plugin_unload_func unload = (tep_plugin_unload_func)dlsym(library, "tep_plugin_unloader");

	if (unload)
		unload(tep);
	dlclose(library);
}

/*
 * Find the kernel function at *address and set *address to its start. The library keeps the name
 * until the next call.
 */
static char *function_at(void *ctx, unsigned long long *address, char **module)
{
	struct symbols *s = ((struct trace_plugins *)ctx)->session->symbols;
	struct map_hit hit;
	uint32_t symbol = 0;

	*module = NULL;
	if (space_find(s, SPACE_KERNEL, UINT32_MAX, *address, &hit))
		symbol = dso_find(s, hit.dso, hit.dso_off);
	if (!symbol)
		return NULL;
	*address -= symbol_offset(s, hit.dso, symbol, hit.dso_off);
	if (dso_kind(s, hit.dso) == DSO_KIND_MODULE)
		*module = (char *)dso_short_name(s, hit.dso);
	return (char *)symbol_name(s, hit.dso, symbol);
}

static bool add_event(struct trace_plugins *t, const struct tracing_format *f, size_t i)
{
	struct tep_event *event = NULL;

	if (!f || f->len > FORMAT_MAX || tep_parse_format(t->tep, &event, f->text, f->len, f->system) || !event ||
	    !event->handler)
		return false;
	t->events[i] = event;
	return true;
}

struct trace_plugins *trace_plugins_new(struct session *s)
{
	const struct perfdata *pd = s->pd;
	const struct feature_raw *raw = &pd->features.tracing_data;
	struct trace_plugins *t;
	struct tracing_data td;
	bool any = false;

	if (!trace_plugins_wanted(s) || !raw->size || tracing_data_decode(&td, raw->data, raw->size, NULL) < 0)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->session = s;
	t->n_events = pd->n_events;
	t->events = xcalloc(pd->n_events, sizeof(*t->events));
	t->payload = xcalloc(1, PAYLOAD_ROOM);
	trace_seq_init(&t->text);
	t->tep = tep_alloc();
	find_plugins(t->tep, s, load_plugin, t);
	tep_set_function_resolver(t->tep, function_at, t);
	tep_set_file_bigendian(t->tep, td.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, td.long_size);
	tep_set_page_size(t->tep, (int)td.page_size);
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.type == ATTR_TYPE_TRACEPOINT)
			any |= add_event(t, tracing_data_find(&td, pd->events[i].attr.config), i);
	tracing_data_release(&td);
	if (any)
		return t;
	trace_plugins_free(t);
	return NULL;
}

void trace_plugins_free(struct trace_plugins *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->libraries.len; i++)
		unload_plugin(t->tep, t->libraries.items[i]);
	vec_free(&t->libraries);
	tep_reset_function_resolver(t->tep);
	tep_free(t->tep);
	trace_seq_destroy(&t->text);
	free(t->payload);
	free(t->events);
	free(t);
}

bool trace_plugins_print(struct trace_plugins *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size,
			 struct out *o)
{
	struct tep_record record = { .cpu = (int)cpu, .data = t->payload };

	if (!t->events[event])
		return false;
	size = MIN(size, (size_t)TRACE_PAYLOAD_MAX);
	memcpy(t->payload, raw, size);
	memset(t->payload + size, 0, TRACE_PAYLOAD_MAX - size);
	record.size = (int)size;
	trace_seq_reset(&t->text);
	tep_print_event(t->tep, &t->text, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&t->text);
	out_name_len(o, t->text.buffer, t->text.len);
	return true;
}
