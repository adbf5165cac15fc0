/*
 * A recording in pipe form that arrives in pieces: split into records, walked round by round,
 * summed up. The first byte selects order and piece sizes.
 */
#include "report/live/live.h"
#include "tests/lib/pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pieces p = { data + 1, size - 1, 0 };
	struct live_bytes source = { read_piece, &p };
	struct live_opts opts = { .session = { .force = true, .symbols = { .foreign = true } } };
	struct profile_filter filter = { 0 };
	struct profile *profile, *copy;
	struct live_record r;
	struct task task;
	struct err e = { 0 };
	struct live *l;

	if (!size)
		return 0;
	p.piece = 1 + (data[0] & 0x7f) * 7;
	opts.sums = data[0] & 0x80;
	l = live_open_source("input", &source, &opts, &e);
	if (!l) {
		if (!e.what[0])
			abort(); /* a refusal must say why */
		return 0;
	}
	profile = profile_new(live_session(l), &(struct profile_opts){ .chains = true, .max_stack = 127, .threads = 1 },
			      &filter);
	while (live_next(l, &e) > LIVE_END) {
		if (opts.sums) {
			live_sum(l, &profile, 1);
			profile_fade(profile);
			live_tidy_now(l, &profile, 1, NULL, 0);
		}
		while (!opts.sums && live_record(l, &r))
			live_sample(l, &r, &task);
	}
	copy = profile_copy(profile);
	profile_name(copy);
	profile_free(copy);
	profile_free(profile);
	live_close(l);
	return 0;
}
