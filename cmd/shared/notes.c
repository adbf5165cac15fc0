#include "cmd/commands.h"

#include "format/format.h"
#include "report/session/session.h"

int notes_say(const struct perfdata *pd, const struct format_notes *n)
{
	format_notes_tell(n, pd, say);
	if (n->false_build_ids)
		say_verbose(1, "%llu maps are marked as having a build-id but have none: read as device and inode",
			    (unsigned long long)n->false_build_ids);
	return format_notes_damaged(n, pd);
}

int header_notes_say(const struct perfdata *pd)
{
	struct format_notes notes = pd->notes;
	struct cursor c = { .pd = pd, .notes = &notes };
	struct record r;

	while (pd->pipe && cursor_next(&c, &r))
		;
	notes_say(pd, &notes);
	return format_notes_damaged(&pd->notes, pd);
}

/*
 * LOST records count what did not fit into the rings. LOST_SAMPLES records come from the events'
 * counters: they count the same losses again, and those at the end.
 */
static void say_lost(const struct session_notes *n)
{
	static const char cure[] = "a larger buffer (record -m) or a lower rate helps";

	if (n->lost_samples >= n->lost && n->lost_chunks)
		say("Warning: %llu samples were lost while recording, in %llu places: %s",
		    (unsigned long long)n->lost_samples, (unsigned long long)n->lost_chunks, cure);
	else if (n->lost)
		say("Warning: %llu events were lost while recording, in %llu places: %s", (unsigned long long)n->lost,
		    (unsigned long long)n->lost_chunks, cure);
	else if (n->lost_samples)
		say("Warning: %llu samples were lost while recording: %s", (unsigned long long)n->lost_samples, cure);
}

/* Say where names came from, if not only from files of this machine. */
static void say_bundled(const struct symbols *s)
{
	unsigned n = 0;

	for (uint32_t i = 1; i < symbols_n_dsos(s); i++)
		n += dso_is_bundled(s, i);
	if (n)
		say("the names of %u objects come from the recording's bundle", n);
}

static bool said;

void session_notes_said(void) { said = true; }

int session_notes_say(const struct session *s)
{
	const struct session_notes *n = &s->notes;
	int status = said ? format_notes_damaged(&n->format, s->pd) : notes_say(s->pd, &n->format);

	if (said)
		return status;
	say_lost(n);
	if (n->out_of_order)
		say("Warning: %llu out of order events recorded: their times are before those of events already read",
		    (unsigned long long)n->out_of_order);
	if (symbols_bundle_damaged(s->symbols))
		say("Warning: the recording's bundle is damaged and was not used: 'strobe bundle' makes it again");
	say_bundled(s->symbols);
	if (n->aux_lost)
		say("Warning: AUX data lost %llu times out of %llu: a larger AUX area (record -m ,N) or less to trace "
		    "helps",
		    (unsigned long long)n->aux_lost, (unsigned long long)n->aux);
	if (n->bad_sideband)
		say("Warning: %llu records about tasks and maps are malformed and were skipped",
		    (unsigned long long)n->bad_sideband);
	if (n->proc_map_timeouts)
		say("Warning: the maps of %llu processes were not read in time while recording: some of their symbols "
		    "are missing",
		    (unsigned long long)n->proc_map_timeouts);
	if (n->not_stitched)
		say("Warning: --stitch-lbr joined no call stacks of this recording: %s", n->not_stitched);
	return status;
}
