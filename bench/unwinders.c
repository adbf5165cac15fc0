/*
 * unwinders FILE: measure how long each unwinder (strobe report --unwind-style) takes per stack of
 * a recording made with --call-graph dwarf, on one thread, and whether it finds the same frames as
 * ours. Each unwinder keeps what it decoded.
 */
#include <stdio.h>
#include <time.h>

#include "report/session/chain.h"
#include "report/session/session.h"

enum { DEPTH = 512, PEERS = 8 };

struct peer {
	double seconds;
	uint64_t walked, frames, same;
};

struct bench {
	struct session *session;
	struct unwind_args args;
	uint64_t first[DEPTH], ips[DEPTH];
	struct peer peers[PEERS];
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void walk_all(struct bench *b)
{
	struct unwind_stop stop;
	size_t n_first = 0;

	for (unsigned i = 0; unwinder_name(i) && i < PEERS; i++) {
		struct peer *p = &b->peers[i];
		double start = now();
		size_t n = unwind_user_by(b->session->symbols, &b->args, 0, i, b->ips, DEPTH, &stop);

		if (stop.end == UNWIND_UNSUPPORTED)
			continue;
		p->seconds += now() - start;
		p->walked++;
		p->frames += n;
		if (!i) {
			memcpy(b->first, b->ips, n * sizeof(b->ips[0]));
			n_first = n;
		}
		p->same += n == n_first && !memcmp(b->first, b->ips, n * sizeof(b->ips[0]));
	}
}

static bool take(struct bench *b, const struct sample *sample, uint64_t pos, struct lookup *l)
{
	uint32_t moment = session_moment(b->session, l, sample->time, pos);
	struct task t;

	if (!sample->stack_user.dyn_size || !sample->regs_user.values)
		return false;
	session_task(b->session, l, (int32_t)sample->pid, (int32_t)sample->tid, moment, &t);
	b->args = sample_unwind_args(sample, &t, moment);
	return true;
}

static void run(struct bench *b)
{
	struct session *s = b->session;
	struct lookup l = { 0 };
	struct records_copy copy = { 0 };

	for (size_t i = 0; i < s->chunks.len; i++) {
		struct chunk c;
		struct record r;
		struct sample sample;

		session_chunk_open(s, i, &copy, &c);
		while (chunk_next(&c, &r, NULL) > 0) {
			int event = r.type == RECORD_SAMPLE ? perfdata_event_of(s->pd, &r) : -1;

			if (event >= 0 && sample_decode(s->pd, &r, (uint32_t)event, &sample, NULL) == 0 &&
			    take(b, &sample, session_pos(r.stream, r.pos), &l))
				walk_all(b);
		}
		chunk_release(&c);
	}
	free(copy.room);
	lookup_release(&l);
}

int main(int argc, char **argv)
{
	struct session_opts opts = { .force = true };
	struct bench *b = xcalloc(1, sizeof(*b));
	struct err e = { 0 };

	b->session = argc == 2 ? session_open(argv[1], &opts, &e) : NULL;
	if (!b->session || session_walk(b->session, &e) < 0) {
		fprintf(stderr, "unwinders: %s\n", argc == 2 ? e.what : "usage: unwinders FILE");
		return 1;
	}
	symbols_freeze(b->session->symbols);
	run(b);
	for (unsigned i = 0; unwinder_name(i) && i < PEERS; i++) {
		const struct peer *p = &b->peers[i];

		if (p->walked)
			printf("%-10s %llu stacks, %8.2f us a stack, %6.1f frames; same as ours %llu\n",
			       unwinder_name(i), (unsigned long long)p->walked, 1e6 * p->seconds / (double)p->walked,
			       (double)p->frames / (double)p->walked, (unsigned long long)p->same);
	}
	session_close(b->session);
	free(b);
	return 0;
}
