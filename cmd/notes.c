#include "cmd/commands.h"

#include "report/session.h"

int notes_say(const struct perfdata *pd, const struct format_notes *n)
{
	const char *path = pd->path;

	if (n->unclosed)
		say("WARNING: '%s' was not closed: its recorder ended before it could; what it wrote until then is read", path);
	if (n->cut)
		say("WARNING: '%s' ends in the middle of a record (%s) at offset 0x%llx: what lies before is read", path,
		    n->cut_type ? record_name(n->cut_type) : "its header", (unsigned long long)n->cut_offset);
	if (n->shrunk)
		say("WARNING: '%s' became shorter while it was read", path);
	if (n->skipped_bytes)
		say("WARNING: %llu bytes of '%s' make no records and were skipped", (unsigned long long)n->skipped_bytes, path);
	if (n->bad_records || n->bad_samples)
		say("WARNING: %llu records and %llu samples are malformed and were skipped", (unsigned long long)n->bad_records,
		    (unsigned long long)n->bad_samples);
	if (n->unknown_types)
		say("WARNING: %llu records of unknown types were skipped: a newer tool may know them", (unsigned long long)n->unknown_types);
	if (n->unknown_ids)
		say("WARNING: %llu samples are of no event the input tells of and were skipped", (unsigned long long)n->unknown_ids);
	if (n->bad_features)
		say("WARNING: %llu parts of the header are malformed and were skipped", (unsigned long long)n->bad_features);
	if (n->false_build_ids)
		say_verbose(1, "%llu maps are marked as having a build-id but have none: read as device and inode",
			    (unsigned long long)n->false_build_ids);
	if (n->unknown_features)
		say_verbose(1, "%llu parts of the header are unknown and were skipped", (unsigned long long)n->unknown_features);
	return (n->cut && !pd->pipe) || n->shrunk;
}

int session_notes_say(const struct session *s)
{
	const struct session_notes *n = &s->notes;
	int status = notes_say(s->pd, &n->format);

	if (n->lost)
		say("Warning: %llu events were lost while recording, in %llu places: a larger buffer (record -m) or a lower rate helps",
		    (unsigned long long)n->lost, (unsigned long long)n->lost_chunks);
	if (n->lost_samples)
		say("Warning: %llu samples were lost while recording", (unsigned long long)n->lost_samples);
	if (n->bad_sideband)
		say("Warning: %llu records about tasks and maps are malformed and were skipped", (unsigned long long)n->bad_sideband);
	if (n->proc_map_timeouts)
		say("Warning: the maps of %llu processes were not read in time while recording: some of their symbols are missing",
		    (unsigned long long)n->proc_map_timeouts);
	return status;
}
