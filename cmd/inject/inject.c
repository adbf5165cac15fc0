/*
 * inject: write a recording again with additions. Records are copied in the order of the input; an
 * addition comes directly before the record that caused it.
 */
#include "cmd/shared/rewritten.h"
#include "cmd/commands.h"
#include "cmd/shared/options.h"
#include "cmd/inject/inject_priv.h"
#include "report/session/delivery.h"
#include "cmd/shared/wall.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>

static const struct opt inject_options[] = {
	{ 'b', "build-ids", OPT_BOOL, AT(hit_ids), NULL, "add the build-ids of the objects that samples fell into" },
	{ 0, "buildid-all", OPT_BOOL, AT(all_ids), NULL, "add the build-ids of all objects that were mapped" },
	{ 'B', "mmap2-buildids", OPT_BOOL, AT(hit_maps), NULL,
	  "put build-ids into the map records of the objects that samples fell into" },
	{ 0, "mmap2-buildid-all", OPT_BOOL, AT(all_maps), NULL, "put build-ids into all map records" },
	{ 'j', "jit", OPT_BOOL, AT(jit), NULL,
	  "write the code of jitdump files to ELF files, and add their map records" },
	{ 0, "convert-callchain", OPT_BOOL, AT(chains), NULL,
	  "replace copied stacks and registers by the call chains they hold (record --call-graph dwarf)" },
	{ 0, "aslr", OPT_BOOL, AT(aslr), NULL, "move addresses, so that they do not reveal where code was loaded" },
	{ 0, "wall", OPT_BOOL, AT(wall), NULL,
	  "write a profile of wall-clock time instead: samples of the CPU and waits, in ns (record --waits)",
	  OPT_OURS },
	{ 0, "compat", OPT_STR, AT(compat), "version", "leave out what readers of that version do not know (6.1)",
	  OPT_OURS, .values = "6.1" },
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read this recording; '-' for a pipe, which is the default",
	  .rows = usual_options },
	{ 'o', "output", OPT_STR, AT(output), "file", "write to this file; '-' for a pipe, which is the default" },
	{ 'k', "vmlinux", OPT_STR, AT(objects.vmlinux), "file", "image of the recorded kernel: use its build-id" },
	{ 0, "kallsyms ignore-vmlinux", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), NULL, "say what is added", .rows = usual_options },
	{ 's', "sched-stat", OPT_BOOL, AT(sched_stat), NULL,
	  "merge the time that threads slept into samples of sched_switch" },
	{ 0, "known-build-ids", OPT_STR, 0, "list", "take these build-ids for these paths", OPT_PLANNED },
	{ 0, "itrace", OPT_INCLUDE, AT(itrace), NULL,
	  "samples instead of an Arm SPE trace: b branches, M accesses, f and m first and last level of caches, t "
	  "TLB, "
	  "a remote accesses, i1i all operations, i100i each hundredth; l with branch stacks (default: all kinds)",
	  .rows = usual_options },
	{ 0, "strip", OPT_BOOL, 0, NULL, "leave out the data that was decoded", OPT_PLANNED },
	{ 0, "vm-time-correlation", OPT_STR_OPT, 0, "opts", "relate a guest's clock to the host's", OPT_PLANNED },
	{ 0, "guest-data", OPT_STR_OPT, 0, "spec", "add the samples recorded in a guest", OPT_PLANNED },
	{ 0, "guestmount", OPT_STR, 0, "dir", "look for files of guests below this directory", OPT_PLANNED },
	{ 0, "unwind-style", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0 },
};
static const struct inject_opts inject_defaults = { .input = "-", .output = "-" };

/* ---- objects with samples ---- */

static void mark(void *n, uint32_t dso) { ((struct inject *)n)->dsos[dso].hit = true; }

static void inject_mark_sample(struct inject *n, const struct record *r) { sample_objects(n->s, &n->hits, r, mark, n); }

/*
 * Return the build-id of an object: the recorded one, or that of the file if it is the recorded
 * file as far as we can tell. NULL = none.
 */
static const struct build_id *id_of(struct inject *n, uint32_t dso)
{
	struct dso_state *d = &n->dsos[dso];

	if (!d->searched) {
		d->searched = true;
		d->id = *dso_build_id(n->s->symbols, dso);
		if (!d->id.size && !dso_find_build_id(n->s->symbols, dso, &d->id))
			d->id.size = 0;
	}
	return d->id.size ? &d->id : NULL;
}

/* ---- new records ---- */

/*
 * Layout: pid, 20 bytes of id, its size, padding to 24, the name. Source: strobe.data(5),
 * "BUILD_ID".
 */
static int add_build_id(struct inject *n, uint32_t dso, struct err *e)
{
	const struct build_id *id = id_of(n, dso);
	const char *name = dso == DSO_KERNEL && n->kernel_image ? n->kernel_image : dso_name(n->s->symbols, dso);
	enum dso_kind kind = dso_kind(n->s->symbols, dso);
	bool kernel = kind == DSO_KIND_KERNEL || kind == DSO_KIND_MODULE;
	size_t name_len = strnlen(name, 4096), size = ROUND_UP(36 + name_len + 1, 8);
	autofree uint8_t *bytes = xcalloc(1, size);
	struct {
		uint32_t type;
		uint16_t misc, size;
		int32_t pid;
	} head = { RECORD_HEADER_BUILD_ID, (uint16_t)(MISC_BUILD_ID_SIZE | (kernel ? CPUMODE_KERNEL : CPUMODE_USER)),
		   (uint16_t)size, -1 };

	n->dsos[dso].told = true;
	if (!id || dso == DSO_UNKNOWN)
		return 0;
	memcpy(bytes, &head, 12);
	memcpy(bytes + 12, id->bytes, id->size);
	bytes[32] = id->size;
	memcpy(bytes + 36, name, name_len);
	vec_push(&n->ids,
		 (struct feature_build_id){ .pid = -1, .misc = head.misc, .size = id->size, .filename = name });
	memcpy(n->ids.items[n->ids.len - 1].id, id->bytes, sizeof(id->bytes));
	say_verbose(1, "build-id of %s", name);
	return writer_record(n->writer, bytes, size, e);
}

/* Add the records that are due. */
static int add_build_ids(struct inject *n, struct err *e)
{
	for (uint32_t i = 1; i < n->n_dsos; i++) {
		struct dso_state *d = &n->dsos[i];

		if (d->hit && !d->told && add_build_id(n, i, e) < 0)
			return -1;
	}
	return 0;
}

uint32_t inject_dso_of_map(struct inject *n, const struct record_mmap *m, unsigned mode)
{
	struct build_id id = { .size = m->build_id_size };

	memcpy(id.bytes, m->build_id, sizeof(id.bytes));
	return symbols_dso(n->s->symbols,
			   &(struct dso_args){ .filename = m->filename,
					       .id = id.size ? &id : NULL,
					       .pid = m->pid,
					       .flags = m->flags,
					       .exec = m->prot & PROT_EXEC,
					       .kernel = mode == CPUMODE_KERNEL || mode == CPUMODE_GUEST_KERNEL,
					       .guest = mode == CPUMODE_GUEST_KERNEL || mode == CPUMODE_GUEST_USER });
}

/*
 * An MMAP2 record has room for device and inode or for a build-id: 24 bytes after pid, tid, start,
 * length and offset. Source: perf_event_open(2), PERF_RECORD_MMAP2.
 */
static void put_id_into(struct inject *n, uint32_t dso, uint8_t *record)
{
	const struct build_id *id = id_of(n, dso);
	uint16_t misc;

	if (!id || (!n->opts->all_maps && !n->dsos[dso].hit))
		return;
	memcpy(&misc, record + 4, 2);
	misc |= MISC_MMAP_BUILD_ID;
	memcpy(record + 4, &misc, 2);
	memset(record + 40, 0, 24);
	record[40] = id->size;
	memcpy(record + 44, id->bytes, id->size);
}

/* ---- copying ---- */

/* Return true for records that the writer makes itself, and for records that are no longer true. */
static bool is_left_out(const struct inject *n, const struct record *r)
{
	switch (r->type) {
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_FEATURE:
	case RECORD_EVENT_UPDATE:
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2: return true;
	case RECORD_FINISHED_ROUND: /* in a directory, this marks the end of a round of one file only */
		return n->s->pd->n_streams > 1;
	default: return false;
	}
}

static int copy(struct inject *n, const struct record *r, uint32_t map_dso, struct err *e)
{
	size_t size = 8 + (size_t)r->size;
	struct {
		uint32_t type;
		uint16_t misc, size;
	} head = { r->type, inject_compat_misc(n, r), (uint16_t)size };
	struct iovec iov[2] = { { n->buffer, size }, { (void *)r->payload, r->payload_size } };

	if (size % 8 || size > UINT16_MAX) /* neither the kernel nor a recorder writes such a record */
		return 0;
	memcpy(n->buffer, &head, 8);
	memcpy(n->buffer + 8, r->body, r->size);
	if (r->type == RECORD_MMAP2 && map_dso != DSO_UNKNOWN)
		put_id_into(n, map_dso, n->buffer);
	if (r->type == RECORD_AUXTRACE)
		return writer_auxtrace(n->writer, iov, 2, e);
	return r->payload && r->payload_size ? writer_write(n->writer, iov, 2, e)
					     : writer_record(n->writer, n->buffer, size, e);
}

static int see_map(struct inject *n, const struct record *r, uint32_t *dso, struct err *e)
{
	unsigned mode = r->misc & MISC_CPUMODE;
	struct record_mmap m;
	uint32_t id;

	if (record_mmap(n->s->pd, r, &m) < 0)
		return 0;
	if (n->opts->jit && is_jitdump(m.filename) && m.prot & PROT_EXEC)
		return inject_jit(n, r, &m, e) < 0 ? -1 : 1;
	if (!(m.prot & PROT_EXEC) && mode == CPUMODE_USER)
		return 0;
	id = inject_dso_of_map(n, &m, mode);
	if (id >= n->n_dsos) /* the walk did not see it */
		return 0;
	if (n->opts->hit_maps || n->opts->all_maps)
		*dso = id;
	return n->opts->all_ids && !n->dsos[id].told ? add_build_id(n, id, e) : 0;
}

static int take(struct inject *n, const struct record *r, struct err *e)
{
	uint32_t map_dso = DSO_UNKNOWN;
	int seen;

	if (is_left_out(n, r))
		return 0;
	if (r->type == RECORD_SAMPLE && perfdata_event_of(n->s->pd, r) < 0) {
		n->s->notes.format.unknown_ids++; /* nobody can read it there either */
		return 0;
	}
	if (r->type == RECORD_MMAP || r->type == RECORD_MMAP2) {
		seen = see_map(n, r, &map_dso, e);
		if (seen)
			return seen < 0 ? -1 : 0;
	} else if (r->type == RECORD_SAMPLE && n->opts->hit_ids) {
		inject_mark_sample(n, r);
		if (add_build_ids(n, e) < 0)
			return -1;
	}
	if (n->aslr && (seen = inject_moved(n, r, e)))
		return MIN(seen, 0);
	if (n->sched && r->type == RECORD_SAMPLE && (seen = inject_slept(n, r, e)))
		return MIN(seen, 0);
	if (n->opts->compat && (seen = inject_compat(n, r, e)))
		return MIN(seen, 0);
	if (r->type == RECORD_SAMPLE && n->opts->chains && (seen = inject_converted(n, r, e)))
		return MIN(seen, 0);
	return copy(n, r, map_dso, e);
}

static int walk(struct inject *n, int (*each)(struct inject *, const struct record *, struct err *), struct err *e)
{
	struct cursor c = { .pd = n->s->pd };
	struct record r;
	int status = 0;

	while (!status && cursor_next(&c, &r))
		status = each(n, &r, e);
	cursor_release(&c);
	return status;
}

static int walk_in_order(struct inject *n, int (*each)(struct inject *, const struct record *, struct err *),
			 struct err *e)
{
	struct delivered in;
	struct record r;
	int status = 0;

	delivered_init(&in, n->s);
	while (!status && delivered_next(&in, &r))
		status = each(n, &r, e);
	delivered_release(&in);
	return status;
}

static int mark_only(struct inject *n, const struct record *r, struct err *e)
{
	if (r->type == RECORD_SAMPLE)
		inject_mark_sample(n, r);
	return 0;
}

/* ---- the output ---- */

static void describe_events(struct inject *n)
{
	const struct perfdata *pd = n->s->pd;

	for (size_t i = 0; i < pd->n_events; i++) {
		const struct file_event *f = &pd->events[i];
		struct attr attr = f->attr;
		/* The number of a tracepoint means another one elsewhere, so its name goes with it. */
		bool named = f->has_stored_name || f->attr.type == ATTR_TYPE_TRACEPOINT;

		if (n->opts->compat)
			inject_compat_attr(n, &attr);
		if (n->opts->chains)
			inject_convert_attr(&attr);
		if (n->aslr)
			inject_aslr_attr(&attr);
		writer_event(n->writer, &(struct writer_event){ .attr = attr,
								.ids = f->ids,
								.n_ids = f->n_ids,
								.name = named ? f->name : NULL,
								.unit = f->unit,
								.scale = f->scale,
								.leader = f->leader,
								.n_members = f->n_members,
								.group_name = f->group_name });
	}
}

/* Return the features of the input, except those about positions in it. */
static struct features features_of(struct inject *n)
{
	struct features f = n->s->pd->features;

	if (f.tracing_data.size) /* a record of its own in a pipe */
		feature_set(&f, FEATURE_TRACING_DATA);
	f.auxtrace = (struct feature_raw){ 0 }; /* the writer knows the new positions */
	feature_clear(&f, FEATURE_COMPRESSED);
	feature_clear(&f, FEATURE_DIR_FORMAT);
	if (n->opts->compat)
		inject_compat_features(n, &f);
	inject_chain_features(n, &f);
	return f;
}

static void add_feature(struct inject *n, struct features *f)
{
	for (uint32_t i = 0; i < f->n_build_ids; i++) {
		bool again = false;

		for (size_t k = 0; k < n->ids.len && !again; k++)
			again = !strcmp(n->ids.items[k].filename, f->build_ids[i].filename);
		if (!again)
			vec_push(&n->ids, f->build_ids[i]);
	}
	if (!n->ids.len)
		return;
	f->build_ids = n->ids.items;
	f->n_build_ids = (uint32_t)n->ids.len;
	feature_set(f, FEATURE_BUILD_ID);
}

static int rewrite(struct inject *n, struct err *e)
{
	struct features f = features_of(n);
	int status;

	n->writer = writer_open(n->opts->output, &(struct writer_opts){ 0 }, e);
	if (!n->writer)
		return -1;
	describe_events(n);
	if (writer_begin(n->writer, &f, e) < 0) {
		writer_abandon(n->writer, false);
		return -1;
	}
	status = n->opts->hit_maps ? walk(n, mark_only, e) : 0;
	if (!status)
		status = (n->sched ? walk_in_order : walk)(n, take, e);
	if (status < 0) {
		writer_abandon(n->writer, false);
		return -1;
	}
	add_feature(n, &f);
	return writer_finish(n->writer, &f, e);
}

/*
 * The named image gives the kernel's build-id. If a build-id was recorded, the image must have the
 * same. With --ignore-vmlinux the image is ignored, as in perf.
 */
static int take_kernel_image(struct inject *n, struct err *e)
{
	const char *path = n->opts->objects.ignore_vmlinux ? NULL : n->opts->objects.vmlinux;
	const struct build_id *recorded = dso_build_id(n->s->symbols, DSO_KERNEL);
	struct dso_state *d = &n->dsos[DSO_KERNEL];

	if (!path || build_id_of_file(path, &d->id, e) < 0)
		return path ? -1 : 0;
	if (recorded->size && (recorded->size != d->id.size || memcmp(recorded->bytes, d->id.bytes, d->id.size))) {
		err_set(e, "'%s' is not the recorded kernel", path);
		return err_why(e, "its build-id is another one");
	}
	d->searched = true;
	n->kernel_image = path;
	return 0;
}

/* Return true if the options change the recording itself. */
static bool inject_adds(const struct inject_opts *o)
{
	return o->hit_ids || o->all_ids || o->hit_maps || o->all_maps || o->jit || o->chains || o->aslr ||
	       o->sched_stat;
}

static int check_opts(const struct inject_opts *opts, int argc, char **argv, struct err *e)
{
	if (argc) {
		err_set(e, "it takes no words but options");
		err_try(e, "-i '%s' to read that file", argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!strcmp(opts->output, "-") && isatty(STDOUT_FILENO)) {
		err_set(e, "a recording is nothing for a terminal");
		return err_try(e, "-o FILE");
	}
	if (opts->objects.kallsyms && access(opts->objects.kallsyms, R_OK) < 0)
		return err_sys(e, "cannot read '%s'", opts->objects.kallsyms);
	if (opts->wall && inject_adds(opts)) {
		err_set(e, "--wall writes another recording: it does not go with what changes this one");
		err_try(e, "%s inject twice", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

/* Read the recording once for what the options need to know, then write it again. */
static int inject_session(struct inject *n, struct err *e)
{
	const struct inject_opts *o = n->opts;

	if (n->s->pd->swap) {
		err_set(e, "cannot rewrite '%s': it comes from a machine with the other byte order", o->input);
		return err_why(e, "the data of tracepoints has no known layout to convert");
	}
	if (session_walk(n->s, e) < 0)
		return -1;
	n->n_dsos = symbols_n_dsos(n->s->symbols);
	n->dsos = xcalloc(n->n_dsos + 1, sizeof(*n->dsos));
	n->buffer = xmalloc(1 << 16);
	if (inject_compat_check(n, e) < 0 || take_kernel_image(n, e) < 0 ||
	    (o->chains && inject_check_chains(n, e) < 0) || (o->aslr && inject_aslr_begin(n, e) < 0) ||
	    (o->sched_stat && inject_sched_begin(n, e) < 0) || rewrite(n, e) < 0) {
		if (e->sys != EPIPE)
			return -1;
		err_clear(e); /* the reader closed the pipe: end as by SIGPIPE */
		return err_exit(e, EXIT_PIPE_CLOSED);
	}
	inject_compat_say(n);
	if (n->not_unwound)
		say("stacks that could not be unwound, whose samples have no callers now: %llu",
		    (unsigned long long)n->not_unwound);
	return notes_say(n->s->pd, &n->s->notes.format);
}

static int inject_run(void *options, int argc, char **argv, struct err *e)
{
	const struct inject_opts *opts = options;
	struct session_opts how = { .force = opts->force,
				    .symbols = { .vmlinux = opts->objects.ignore_vmlinux ? NULL : opts->objects.vmlinux,
						 .kallsyms = opts->objects.kallsyms,
						 .no_kernel_image = opts->objects.ignore_vmlinux,
						 .unwind_style = opts->objects.unwind_style } };
	struct inject n = { .opts = opts };
	const char *input;
	int status;

	raise_verbosity(opts->verbose);
	if (check_opts(opts, argc, argv, e) < 0)
		return -1;
	if (opts->wall)
		return wall_to_file(opts->input, &(struct wall_opts){ .session = how }, opts->output, e);
	input = opts->itrace ? traced_input(opts->input, opts->itrace, "", &how, e) : opts->input;
	n.s = input ? session_open(input, &how, e) : NULL;
	if (!n.s)
		return -1;
	status = inject_session(&n, e);
	hits_release(&n.hits);
	inject_aslr_free(n.aslr);
	inject_sched_free(n.sched);
	vec_free(&n.ids);
	free(n.buffer);
	free(n.dsos);
	session_close(n.s);
	return status;
}

const struct command cmd_inject = {
	.name = "inject",
	.summary = "copy a recording and add build-ids or JIT code to it",
	.run = inject_run,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = inject_options,
	.defaults = &inject_defaults,
	.opts_size = sizeof(struct inject_opts),
};
