/*
 * The frames of addresses, and the chains of samples. A chain is hashed as it lies in the input. Only a new one is
 * split into frames.
 */
#include "report/profile/decode_priv.h"

uint32_t frame_new(struct decoder *d, const struct arrival *a, unsigned mode, uint32_t version, uint64_t ip)
{
	struct frame f = { .ip = ip, .mode = (uint8_t)mode };
	struct map_hit hit;
	uint32_t number;

	session_find(d->profile->session, &a->task, a->moment, mode, ip, &hit);
	f.dso = hit.dso;
	f.dso_off = hit.dso_off;
	f.map_size = hit.len;
	number = part_frame(d->part, &f);
	ip_table_put(&d->frames, (struct ip_slot){ .ip = ip, .version = version, .value = number });
	return number;
}

uint32_t frame_anywhere(struct decoder *d, const struct arrival *a, uint64_t ip)
{
	static const uint8_t modes[] = { CPUMODE_USER, CPUMODE_KERNEL };
	struct map_hit hit;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (session_find(d->profile->session, &a->task, a->moment, modes[i], ip, &hit))
			return frame_number(d, a, modes[i], version_number(d, a, modes[i]), ip);
	return frame_number(d, a, CPUMODE_HYPERVISOR, version_number(d, a, CPUMODE_HYPERVISOR), ip);
}

/* Return the outer end of a new chain: where unwinding stopped, and why. */
static struct chain_end chain_end(struct decoder *d, const struct arrival *a, const struct chain_words *c)
{
	static const uint8_t whys[] = {
		[UNWIND_STACK_CUT] = REASON_WINDOW_FULL, [UNWIND_NO_CFI] = REASON_NO_UNWIND_INFO,
		[UNWIND_NO_MAP] = REASON_NOT_MAPPED,     [UNWIND_BAD] = REASON_STACK_BROKEN,
		[UNWIND_LIMIT] = REASON_DEPTH_LIMIT,     [UNWIND_UNSUPPORTED] = REASON_UNSUPPORTED,
	};
	struct chain_end end = { .unwound = (c->unwound < c->n || c->stop.end) && !c->continued };
	struct map_hit hit;

	if (!end.unwound || (c->stop.end == UNWIND_DONE && !c->stop.guessed))
		return end;
	end.why = c->stop.guessed                 ? REASON_GUESSED_BY_POINTER
		  : c->stop.end == UNWIND_NO_FILE ? REASON_NO_FILE
						  : whys[c->stop.end];
	end.dso = session_find(d->profile->session, &a->task, a->moment, CPUMODE_USER, c->stop.ip, &hit) ? hit.dso
													 : DSO_UNKNOWN;
	return end;
}

/* Count the outer frames that a chain shares with the one before: most chains differ only in their inner frames. */
static size_t common_callers(const struct split_chain *last, const struct chain_words *c)
{
	const uint8_t *a = c->words + 8 * c->n, *b = last->words ? last->words + 8 * last->n : NULL;
	size_t n = 0, most = MIN(last->n, c->n);

	if (!last->version)
		return 0;
	while (n < most) {
		uint64_t ip = load_u64(a -= 8);

		if (ip != load_u64(b -= 8) || ip >= CHAIN_MARKER_MIN)
			break;
		n++;
	}
	return n;
}

/* Remember a split chain for common_callers(). `version`: of its outermost frames, which are the part's last words. */
static void remember_split(struct decoder *d, const struct arrival *a, const struct chain_words *c, uint32_t version)
{
	struct split_chain *split = &d->split;

	split->n = c->n;
	split->end = d->part->words.len;
	split->version = version;
	split->words = c->words;
	if (c->words == a->sample->chain && !d->profile->session->pd->swap)
		return; /* the record lives as long as the chunk */
	vec_clear(&split->ips);
	memcpy(vec_add(&split->ips, c->n), c->words, c->n * 8);
	split->words = (const uint8_t *)split->ips.items;
}

/* How far a chain is split. */
struct splitting {
	uint64_t at; /* the next word */
	int mode;    /* of addresses from here on, with its version */
	uint32_t version;
	bool cut; /* its user part is missing */
};

/*
 * Append the frames of the chain's words before word `until`, at most `room`; there is memory for them. Return false if
 * a marker is unknown.
 */
static bool add_frames(struct decoder *d, const struct arrival *a, const struct chain_words *c, uint64_t until,
		       uint64_t room, struct splitting *s)
{
	uint32_t *from = d->part->words.items + d->part->words.len, *to = from, *end = from + MIN(room, until - s->at);

	for (; s->at < until && to < end && !s->cut; s->at++) {
		uint64_t ip = load_u64(c->words + 8 * s->at);

		if (ip < CHAIN_MARKER_MIN) {
			*to++ = frame_number(d, a, (unsigned)s->mode, s->version, ip);
		} else if (ip == CHAIN_USER_DEFERRED) {
			s->cut = true;
		} else {
			s->mode = chain_marker_mode(ip);
			if (s->mode < 0)
				return false;
			s->version = version_number(d, a, (unsigned)s->mode);
		}
	}
	d->part->words.len += (size_t)(to - from);
	return true;
}

/* Append the frames of a chain to the words of the part. Return false if an unknown marker makes the chain useless. */
static bool split_chain(struct decoder *d, const struct arrival *a, const struct chain_words *c)
{
	const struct profile_opts *o = &d->profile->opts;
	struct splitting s = { .mode = CPUMODE_USER, .version = version_number(d, a, CPUMODE_USER) };
	bool short_enough = c->n <= o->max_stack;
	size_t known = short_enough ? common_callers(&d->split, c) : 0;
	uint64_t room = o->caller_first ? c->n : o->max_stack;
	struct part *part = d->part;

	vec_reserve(&part->words, part->words.len + c->n);
	if (!add_frames(d, a, c, c->n - known, room, &s))
		return false;
	if (known && !s.cut && s.version == d->split.version) {
		memcpy(part->words.items + part->words.len, part->words.items + d->split.end - known,
		       known * sizeof(*part->words.items));
		part->words.len += known;
	} else if (known) {
		add_frames(d, a, c, c->n, room, &s);
	}
	remember_split(d, a, c, short_enough && !s.cut ? s.version : 0);
	return true;
}

/* Split a new chain into frames. Drop the whole chain if it has an unknown marker, as perf does. */
static uint32_t chain_add(struct decoder *d, const struct arrival *a, const struct chain_words *c)
{
	struct part *part = d->part;
	size_t from = part->words.len, most = d->profile->opts.max_stack, count;

	if (!split_chain(d, a, c)) {
		part->words.len = from;
		return 0;
	}
	count = part->words.len - from;
	if (count > most) {
		memmove(part->words.items + from, part->words.items + part->words.len - most, most * sizeof(uint32_t));
		count = most;
		part->words.len = from + count;
	}
	if (!count)
		return 0;
	vec_push(&part->chains, (struct chain){ .at = from, .n = (uint32_t)count });
	vec_push(&part->chain_ends, chain_end(d, a, c));
	return (uint32_t)part->chains.len - 1;
}

static uint64_t chain_key(struct decoder *d, const struct arrival *a, const struct chain_words *c)
{
	bool own = c->words == a->sample->chain && c->n == a->sample->n_chain;
	uint64_t hash = own && a->ahead->chain_hashed ? a->ahead->chain_hash : chain_hash(c->words, c->n);

	d->last_versions = (uint64_t)version_number(d, a, CPUMODE_USER) << 32 | version_number(d, a, CPUMODE_KERNEL);
	return hash_mix(hash, d->last_versions);
}

/*
 * Prefetch for all samples at once, because the tables are larger than the cache. Guess that the map versions are those
 * of the last chain; a wrong guess only costs time.
 */
void fetch_chains(struct decoder *d)
{
	const struct part *part = d->part;
	const struct samples *in = &d->samples;
	uint32_t chains[SAMPLES_AHEAD];
	uint64_t hashes[SAMPLES_AHEAD];
	size_t n = 0;

	for (size_t i = 0; i < in->n_fresh; i++) {
		const struct sample_ahead *a = &in->ahead[in->fresh[i]];

		if (!a->chain_hashed)
			continue;
		hashes[n] = hash_mix(a->chain_hash, d->last_versions);
		idtable_fetch(&part->chain_index, hashes[n++]);
	}
	for (size_t i = 0; i < n; i++) {
		struct idtable_probe probe = idtable_probe(&part->chain_index, hashes[i]);

		chains[i] = idtable_next(&part->chain_index, &probe);
		if (chains[i] && chains[i] - 1 < part->chain_entries.len)
			__builtin_prefetch(&part->chain_entries.items[chains[i] - 1]);
		else
			chains[i] = 0;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t entry = chains[i] ? part->chain_entries.items[chains[i] - 1] : 0;

		if (entry)
			__builtin_prefetch(&part->found.items[entry - 1], 1);
	}
}

uint32_t chain_number(struct decoder *d, const struct arrival *a)
{
	const struct chain_place place = { .sample = a->sample,
					   .task = &a->task,
					   .pos = a->pos,
					   .moment = a->moment,
					   .worker = d->number,
					   .max = d->profile->opts.max_stack };
	struct chain_words c;
	struct idtable_probe probe;
	uint64_t hash;
	uint32_t id;

	if (!chain_of_sample(d->profile->session, &place, &d->joined, &c))
		d->part->unwind_failed++;
	if (d->profile->opts.reference_graphs && c.n)
		reference_keep(&d->reference, a->sample->tid, &c);
	else if (d->profile->opts.reference_graphs && !(a->sample->type & SAMPLE_CALLCHAIN))
		reference_borrow(&d->reference, a->sample->tid, a->sample->ip, a->sample->misc & MISC_CPUMODE, &c);
	if (!c.n)
		return 0;
	hash = chain_key(d, a, &c);
	probe = idtable_probe(&d->part->chain_index, hash);
	id = idtable_next(&d->part->chain_index, &probe);
	if (id)
		return id - 1;
	id = chain_add(d, a, &c);
	idtable_add(&d->part->chain_index, hash, id + 1);
	return id;
}
