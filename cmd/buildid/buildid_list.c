#include "cmd/commands.h"
#include "cmd/shared/options.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "report/session/hits.h"

struct buildid_list_opts {
	const char *input;
	bool hits, kernel, maps, force;
	int verbose;
};
#define AT(member) offsetof(struct buildid_list_opts, member)

static const struct opt buildid_list_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "a recording, '-' for a pipe, or an ELF file (default: perf.data)",
	  .rows = usual_options },
	{ 'H', "with-hits", OPT_BOOL, AT(hits), NULL, "only the objects that samples fell into" },
	{ 'k', "kernel", OPT_BOOL, AT(kernel), NULL, "the running kernel's build-id" },
	{ 'm', "kernel-maps", OPT_BOOL, AT(maps), NULL,
	  "build-ids and addresses of the running kernel and its modules" },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), .rows = usual_options },
	{ 0 },
};
static const struct buildid_list_opts buildid_list_defaults = { .input = "perf.data" };

struct listed_object {
	struct build_id id;
	const char *name;
};
struct objects {
	VEC(struct listed_object);
};

static int by_name(const void *a, const void *b)
{
	const struct listed_object *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : memcmp(x->id.bytes, y->id.bytes, sizeof(x->id.bytes));
}

static void print_objects(struct objects *list, struct out *o)
{
	char text[41];

	if (list->len)
		qsort(list->items, list->len, sizeof(*list->items), by_name);
	for (size_t i = 0; i < list->len; i++) {
		if (i && !by_name(&list->items[i - 1], &list->items[i]))
			continue;
		build_id_format(&list->items[i].id, text);
		out_fmt(o, "%-40s ", text);
		out_name(o, list->items[i].name);
		out_char(o, '\n');
	}
}

/*
 * List the objects that the recorder stored: in the feature section, or in the records of a pipe.
 */
static void stored_objects(const struct perfdata *pd, struct objects *list)
{
	for (uint32_t i = 0; i < pd->features.n_build_ids; i++) {
		const struct feature_build_id *b = &pd->features.build_ids[i];
		struct listed_object made = { .name = b->filename };

		made.id.size = MIN(b->size, (uint8_t)sizeof(made.id.bytes));
		memcpy(made.id.bytes, b->id, made.id.size);
		vec_push(list, made);
	}
}

static void mark(void *hit, uint32_t dso) { ((bool *)hit)[dso] = true; }

/*
 * Return the recorded id. If there is none, with `files`, return the id of the file, if it is the
 * recorded file as far as we can tell.
 */
static struct build_id id_of(struct session *s, uint32_t dso, bool files)
{
	struct build_id id = *dso_build_id(s->symbols, dso);

	if (!id.size && (!files || !dso_find_build_id(s->symbols, dso, &id)))
		id.size = 0;
	return id;
}

/* List the objects of samples and their callers. */
static void hit_objects(struct session *s, bool files, struct objects *list)
{
	size_t n = symbols_n_dsos(s->symbols);
	autofree bool *hit = xcalloc(n + 1, sizeof(*hit));
	struct hits hits = { .notes = &s->notes.format };
	struct cursor c = { .pd = s->pd };
	struct record r;

	while (cursor_next(&c, &r))
		if (r.type == RECORD_SAMPLE)
			sample_objects(s, &hits, &r, mark, hit);
	hits_release(&hits);
	for (size_t i = 0; i < n; i++)
		if (hit[i])
			vec_push(list, (struct listed_object){ id_of(s, (uint32_t)i, files),
							       dso_name(s->symbols, (uint32_t)i) });
}

static int list_recording(const struct buildid_list_opts *opts, struct out *o, struct err *e)
{
	struct session_opts how = { .force = opts->force };
	struct session *s = session_open(opts->input, &how, e);
	struct objects list = { 0 };
	int status = 0;

	if (!s)
		return -1;
	/* Hardware traces can lead anywhere; without decoding we do not know their objects. */
	if (s->pd->features.n_build_ids && (!opts->hits || feature_has(&s->pd->features, FEATURE_AUXTRACE))) {
		/* Opening has checked the table of a header; the records of a pipe must be walked. */
		status = s->pd->pipe ? session_walk(s, e) : 0;
		if (!status)
			stored_objects(s->pd, &list);
	} else {
		status = session_walk(s, e);
		if (!status)
			hit_objects(s, opts->hits, &list);
	}
	print_objects(&list, o);
	vec_free(&list);
	if (!status)
		status = notes_say(s->pd, &s->notes.format);
	session_close(s);
	return status;
}

static void print_map(const struct build_id *id, uint64_t start, uint64_t end, const char *name, struct out *o)
{
	char text[41];

	build_id_format(id, text);
	out_fmt(o, "%-40s %16llx %16llx ", text, (unsigned long long)start, (unsigned long long)end);
	out_name(o, name);
	out_char(o, '\n');
}

/* Return the value of a symbol in /proc/kallsyms; 0 if it is missing or hidden from us. */
static uint64_t kernel_symbol(FILE *kallsyms, const char *wanted)
{
	char line[512], name[256], type;
	unsigned long long value;

	rewind(kallsyms);
	while (fgets(line, sizeof(line), kallsyms))
		if (sscanf(line, "%llx %c %255s", &value, &type, name) == 3 && !strcmp(name, wanted))
			return value;
	return 0;
}

static int print_kernel_map(struct out *o, struct err *e)
{
	autofclose FILE *f = fopen("/proc/kallsyms", "re");
	struct build_id id = { 0 };
	uint64_t start, end;

	if (!f)
		return err_sys(e, "cannot open '/proc/kallsyms'");
	start = kernel_symbol(f, "_stext");
	end = kernel_symbol(f, "_etext");
	if (!start) {
		err_set(e, "cannot tell where the kernel lies");
		err_why(e, "/proc/kallsyms hides its addresses");
		return err_try(e, "as root, or: sysctl kernel.kptr_restrict=0");
	}
	if (build_id_of_kernel(&id, e) < 0)
		return -1;
	print_map(&id, start, end, "[kernel.kallsyms]", o);
	return 0;
}

/* Lines have the form "name size refs users state address". */
static void print_module_maps(struct out *o)
{
	autofclose FILE *f = fopen("/proc/modules", "re");
	char line[1024], name[128], title[132];
	unsigned long long size, start;

	while (f && fgets(line, sizeof(line), f)) {
		struct build_id id = { 0 };

		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &start) != 3 ||
		    build_id_of_module(name, &id, NULL) < 0)
			continue;
		snprintf(title, sizeof(title), "[%s]", name);
		print_map(&id, start, start + size, title, o);
	}
}

static bool is_elf(const char *path)
{
	struct stat st;
	char magic[SELFMAG];
	autoclose int fd = -1;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) /* reading would take bytes from a pipe */
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

static int print_ids(const struct buildid_list_opts *opts, struct out *o, struct err *e)
{
	struct build_id id;
	char text[41];

	if (opts->kernel) {
		if (build_id_of_kernel(&id, e) < 0)
			return -1;
		build_id_format(&id, text);
		out_fmt(o, "%s\n", text);
		return 0;
	}
	if (opts->maps) {
		if (print_kernel_map(o, e) < 0)
			return -1;
		print_module_maps(o);
		return 0;
	}
	if (build_id_of_file(opts->input, &id, e) == 0) {
		build_id_format(&id, text);
		out_fmt(o, "%s\n", text);
		return 0;
	}
	if (is_elf(opts->input))
		return e->fix[0] ? -1 : err_try(e, "link it with -Wl,--build-id");
	*e = (struct err){ 0 };
	return list_recording(opts, o, e);
}

static int buildid_list_run(void *options, int argc, char **argv, struct err *e)
{
	const struct buildid_list_opts *opts = options;
	struct out o;
	int status;

	if (argc) {
		err_set(e, "buildid-list takes no arguments: '%s'", argv[0]);
		err_try(e, "-i '%s' to read that file", argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	raise_verbosity(opts->verbose);
	out_init_fd(&o, STDOUT_FILENO);
	status = print_ids(opts, &o, e);
	if (out_finish(&o, status < 0 ? NULL : e) < 0)
		status = -1;
	return status;
}

const struct command cmd_buildid_list = {
	.name = "buildid-list",
	.summary = "list the build-ids of the objects in a recording",
	.run = buildid_list_run,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = buildid_list_options,
	.defaults = &buildid_list_defaults,
	.opts_size = sizeof(struct buildid_list_opts),
};
