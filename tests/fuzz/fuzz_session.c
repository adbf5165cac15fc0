/*
 * A whole input through report and script: the timeline, samples decoded and summed by each key,
 * call graphs, and each sample printed with each field. No object file is read. Seeds: those of
 * fuzz_reader, and small recordings of other kinds.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "report/profile/blocks.h"
#include "report/rows/fields.h"
#include "report/script/print.h"
#include "report/text/tasks.h"
#include "report/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct session *open_input(const uint8_t *data, size_t size, struct err *e)
{
	static int fd = -1;
	const struct session_opts opts = {
		.force = true, .inodes = true, .parallelism = true, .symbols = { .foreign = true, .symfs = "/nowhere" }
	};
	char path[32];

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0 || write_all(fd, data, size) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return session_open(path, &opts, e);
}

static void print_profile(struct profile *p, const struct fields *f, const struct fold_opts *fold_opts, bool chains,
			  struct out *o)
{
	struct fold *fold;

	profile_decode(p);
	profile_name(p);
	fold = fold_new(p, fold_opts);
	for (uint32_t i = 0; i < p->session->pd->n_events; i++) {
		const struct view_opts view_opts = { .fields = f->columns.items,
						     .n_fields = f->columns.len,
						     .sort = f->sort.items,
						     .n_sort = f->sort.len,
						     .children = fold_opts->children,
						     .chains = chains };
		const struct text_opts text = {
			.headings = true, .graph = { .form = chains ? GRAPH_ABSOLUTE : GRAPH_NONE, .min_percent = 0.5 }
		};
		struct view *v = view_new(fold, &view_opts, &i, 1);

		o->len = 0;
		text_view(v, &text, o);
		view_free(v);
	}
	fold_free(fold);
}

/* What samples count as: themselves, their branches, or a chain made from the branches. */
enum look { LOOK_SAMPLES, LOOK_BRANCHES, LOOK_HISTORY };

static void print_blocks(struct profile *p, size_t n_events, struct out *o)
{
	for (uint32_t i = 0; i < n_events; i++) {
		struct blocks *b = blocks_new(p, i);

		o->len = 0;
		blocks_print(b, 0, true, false, o);
		blocks_free(b);
	}
}

/* First the keys of samples, then those of branches if there are any. */
static void report(struct session *s, enum look look, struct out *o)
{
	bool branches = look == LOOK_BRANCHES;
	autofree const struct key **keys = keys_all();
	const char *name = s->pd->n_events ? s->pd->events[0].name : NULL;
	VEC(const struct sample_key *) of_samples = { 0 };
	VEC(const struct key *) of_sites = { 0 };
	struct profile_filter filter = { 0 };
	struct fields f = { 0 };
	struct profile *p;

	for (size_t i = 0; keys[i]; i++) {
		const struct key *k = keys[i];

		if (!branches && k->needs & NEEDS_BRANCH)
			continue;
		vec_push(&f.columns, k);
		vec_push(&f.sort, k);
		if (k->from == KEY_SAMPLE)
			vec_push(&of_samples, &k->sample);
		else if (k->site)
			vec_push(&of_sites, k);
	}
	if (trace_keys_find(&f.own, s, "trace_fields", 12, look == LOOK_HISTORY))
		for (size_t i = 0; i < f.own.len; i++) {
			vec_push(&f.columns, f.own.items[i]);
			vec_push(&f.sort, f.own.items[i]);
			vec_push(&of_samples, &f.own.items[i]->sample);
		}
	if (look == LOOK_HISTORY)
		windows_find(&filter.windows, s, name, name, true, NULL);
	p = profile_new(s,
			&(struct profile_opts){ .kind = branches ? PROFILE_BRANCHES : PROFILE_SAMPLES,
						.keys = of_samples.items,
						.n_keys = of_samples.len,
						.chains = !branches,
						.max_stack = 127,
						.inlines = true,
						.by_address = true,
						.want_trace = true,
						.want_measures = true,
						.branch_history = look == LOOK_HISTORY,
						.threads = 1,
						.time_quantum = 1000000 },
			&filter);
	print_profile(
		p, &f,
		&(struct fold_opts){
			.keys = of_sites.items, .n_keys = of_sites.len, .children = !branches, .stacks = !branches },
		!branches, o);
	if (branches)
		print_blocks(p, s->pd->n_events, o);
	profile_free(p);
	vec_free(&of_samples);
	vec_free(&of_sites);
	windows_free(&filter.windows);
	fields_free(&f);
}

/*
 * Print the default fields, or all: skip fields that events lack, as if the user had not named
 * them.
 */
static void print(struct session *s, bool all, struct out *o)
{
	struct print_opts opts = { .max_stack = 127, .inlines = true, .sideband = UINT64_MAX };
	struct err e = { 0 };
	struct print_fields f;
	struct out names;
	struct printer *p;

	out_init_mem(&names);
	print_fields_names(&names);
	print_fields_init(&f);
	if (all && print_fields_parse(&f, out_text(&names), o, &e) < 0)
		abort();
	memset(f.asked, 0, sizeof(f.asked));
	p = printer_new(s, &f, &opts, 1, &e);
	o->len = 0;
	if (p)
		print_all(p, o);
	else if (!e.what[0])
		abort();
	printer_free(p);
	out_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int look_at = 0; look_at < 2; look_at++) {
		struct err e = { 0 };
		struct session *s = open_input(data, size, &e);
		struct out o;

		if (!s && !e.what[0])
			abort(); /* a refusal must say why */
		out_init_mem(&o);
		if (s && session_walk(s, &e) == 0) {
			if (look_at) {
				print(s, false, &o);
				print(s, true, &o);
				print_stat(s->pd, &o);
			} else {
				tasks_print(s, true, &o);
				for (enum look look = LOOK_SAMPLES; look <= LOOK_HISTORY; look++)
					report(s, look, &o);
			}
		}
		out_release(&o);
		session_close(s);
	}
	return 0;
}
