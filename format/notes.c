#include "format/reader_priv.h"

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* Return true if the file shrank while we opened it, or at any time since. */
static bool shrunk(const struct format_notes *n, const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_streams; i++)
		if (file_map_shrunk(&pd->streams[i].map))
			return true;
	return n->shrunk;
}

/* Report why reading stopped at a limit, and what helps. */
static void tell_stop(const struct format_notes *n, const struct perfdata *pd, void (*tell)(const char *fmt, ...))
{
	unsigned long long mb = n->stop_size >> 20, at = n->stop_offset;

	switch (n->stop) {
	case STOP_NONE: break;
	case STOP_PIPE:
		tell("WARNING: '%s': only its first %llu MB were read, there is no room for more in %s (TMPDIR=DIR "
		     "names another place)",
		     pd->path, mb, spool_place());
		break;
	case STOP_ROOM:
		tell("WARNING: '%s': everything before the record at offset 0x%llx was read; it expands to more than "
		     "%llu MB and there is no room for more in %s "
		     "(TMPDIR=DIR names another place)",
		     pd->path, at, mb, spool_place());
		break;
	case STOP_TOTAL:
		tell("WARNING: '%s': everything before the COMPRESSED record at offset 0x%llx was read; with it the "
		     "file expands to more than %llu MB: is it damaged?",
		     pd->path, at, mb);
		break;
	case STOP_OTHERS:
		tell("WARNING: '%s': everything before the COMPRESSED record at offset 0x%llx was read; with it the "
		     "file expands to too many records about tasks and "
		     "maps (%llu MB in all): is it damaged?",
		     pd->path, at, mb);
		break;
	}
}

static void tell_end(const struct format_notes *n, const struct perfdata *pd, void (*tell)(const char *fmt, ...))
{
	tell_stop(n, pd, tell);
	if (n->unclosed)
		tell("WARNING: '%s': its recording was not ended in order: read up to the last whole record, without "
		     "what is collected at the end",
		     pd->path);
	if (n->stop)
		; /* the rest was not read */
	else if (n->cut && n->cut_type)
		tell("WARNING: '%s' is cut short: the %s record at offset 0x%llx is not whole; everything before it "
		     "was read",
		     pd->path, record_name(n->cut_type), (unsigned long long)n->cut_offset);
	else if (n->cut)
		tell("WARNING: '%s' is cut short at offset 0x%llx; everything before was read", pd->path,
		     (unsigned long long)n->cut_offset);
	if (n->cut_features)
		tell("WARNING: '%s' is cut short: %llu section%s of its header lie%s behind the end", pd->path,
		     (unsigned long long)n->cut_features, plural(n->cut_features), n->cut_features == 1 ? "s" : "");
	if (shrunk(n, pd))
		tell("WARNING: '%s' was cut while it was read; what was lost reads as zeroes", pd->path);
	if (n->no_records)
		tell("WARNING: '%s' holds no records", pd->path);
	else if (n->no_events)
		tell("WARNING: '%s' describes no event, so there is nothing to show", pd->path);
}

void format_notes_tell(const struct format_notes *n, const struct perfdata *pd, void (*tell)(const char *fmt, ...))
{
	tell_end(n, pd, tell);
	if (n->skipped_bytes && n->skipped_type)
		tell("WARNING: '%s': %llu bytes make no record and were skipped, first a %s record at offset 0x%llx",
		     pd->path, (unsigned long long)n->skipped_bytes, record_name(n->skipped_type),
		     (unsigned long long)n->skipped_offset);
	else if (n->skipped_bytes)
		tell("WARNING: '%s': %llu bytes make no record and were skipped, first at offset 0x%llx", pd->path,
		     (unsigned long long)n->skipped_bytes, (unsigned long long)n->skipped_offset);
	if (n->bad_records)
		tell("WARNING: '%s': %llu malformed record%s skipped, first at offset 0x%llx: %s (%u)", pd->path,
		     (unsigned long long)n->bad_records, plural(n->bad_records), (unsigned long long)n->bad_offset,
		     record_name(n->bad_type), (unsigned)n->bad_type);
	if (n->bad_samples)
		tell("WARNING: '%s': %llu malformed sample%s skipped", pd->path, (unsigned long long)n->bad_samples,
		     plural(n->bad_samples));
	if (n->unknown_ids)
		tell("WARNING: '%s': %llu sample%s of events that the header does not name skipped", pd->path,
		     (unsigned long long)n->unknown_ids, plural(n->unknown_ids));
	if (n->unknown_types)
		tell("WARNING: '%s': %llu record%s of types we do not know skipped: recorded by a newer kernel or "
		     "tool?",
		     pd->path, (unsigned long long)n->unknown_types, plural(n->unknown_types));
	if (n->bad_features)
		tell("WARNING: '%s': %llu section%s of its header could not be read", pd->path,
		     (unsigned long long)n->bad_features, plural(n->bad_features));
	if (n->unknown_features)
		tell("WARNING: '%s': skipped %llu unknown section%s of its header", pd->path,
		     (unsigned long long)n->unknown_features, plural(n->unknown_features));
	if (n->attr_unknown_tail)
		tell("WARNING: '%s': its events have unknown settings", pd->path);
}

bool format_notes_damaged(const struct format_notes *n, const struct perfdata *pd)
{
	bool cut = n->unclosed || n->stop || n->cut_features || shrunk(n, pd) || (n->cut && !pd->pipe);

	return cut || n->bad_records || n->bad_samples || n->unknown_ids || n->bad_features || n->skipped_bytes;
}
