/* A profile's life, and its steps: decode, merge, name, make sites, sum. */
#include "report/profile/profile_priv.h"

#include "base/phases.h"
#include "report/session/advance.h"
#include "report/tracepoint/plugin.h"

struct profile *profile_new(struct session *s, const struct profile_opts *opts, const struct profile_filter *filter)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	size_t n_chunks = opts->steps ? session_n_steps(s) : s->chunks.len;

	p->session = s;
	p->opts = *opts;
	p->filter = filter;
	p->n_parts = advance_needed(s->pd) || (opts->want_trace && trace_plugins_wanted(s))
			     ? 1
			     : (unsigned)MAX(MIN(opts->threads, n_chunks), (size_t)1);
	p->parts = xcalloc(p->n_parts, sizeof(*p->parts));
	for (unsigned i = 0; i < p->n_parts; i++)
		part_init(&p->parts[i], s->pd->n_events);
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->n_parts; i++)
		part_release(&p->parts[i]);
	free(p->parts);
	decoder_free(p->decoder);
	vec_free(&p->faded);
	free(p->lost);
	vec_free(&p->frames);
	vec_free(&p->outers);
	vec_free(&p->sites);
	vec_free(&p->leaf_sites);
	vec_free(&p->chain_sites);
	vec_free(&p->chain_first);
	idtable_free(&p->site_index);
	idtable_free(&p->graph_index);
	follower_free(p->follower);
	vec_free(&p->quality.rows);
	strtab_free(&p->names);
	access_free(p->access);
	free(p->types);
	texts_free(&p->texts);
	free(p);
}

bool profile_is_alone(const struct profile *p)
{
	uint64_t alone = 0, all = 0;

	for (unsigned i = 0; i < p->n_parts; i++) {
		alone += p->parts[i].n_alone;
		for (size_t k = 0; k < p->session->pd->n_events; k++)
			all += p->parts[i].n_samples[k];
	}
	return 100 * alone / MAX(all, (uint64_t)1) >= 99;
}

bool profile_decode(struct profile *p)
{
	phase("decode");
	if (!p->opts.steps)
		decode_run(p);
	else if (!decode_steps(p))
		return false;
	for (unsigned i = 0; !p->opts.no_notes && i < p->n_parts; i++) {
		p->session->notes.format.unknown_ids += p->parts[i].notes.unknown_ids;
		p->session->notes.format.bad_samples += p->parts[i].notes.bad_samples;
	}
	return true;
}

void profile_name(struct profile *p)
{
	struct naming n = { .p = p };

	phase("merge");
	merge_parts(&n);
	phase("name");
	name_frames(&n);
	phase("sites");
	make_sites(&n);
	if (p->opts.want_types)
		profile_find_types(p);
	phase("quality");
	if (p->opts.kind != PROFILE_BRANCHES && !p->opts.no_quality)
		quality_sum(p, &(struct quality_input){
				       .maps = n.frame_maps, .n_frames = n.n_frames, .symbols = n.symbols });
	phase("sum");
	sum_sites(&n);
	for (unsigned i = 0; i < p->n_parts; i++) {
		free(n.frame_maps[i]);
		free(n.outer_maps[i]);
	}
	free(n.frame_maps);
	free(n.n_frames);
	free(n.outer_maps);
	naming_release(&n);
	idtable_free(&p->site_index);
	idtable_free(&p->graph_index);
}
