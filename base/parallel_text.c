#include "base/clock.h"
#include "base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include "base/file.h"
#include "base/out.h"
#include "base/phases.h"

enum {
	PIECES_PER_THREAD = 4, /* finished pieces that may wait for an earlier one */
	PIECE_KEEP = 4 << 20,  /* do not keep buffers that grew larger than this */
	PIPE_USUAL = 64 << 10, /* what a pipe holds, see pipe(7) */
	PIPE_MOST = 1 << 20,   /* what an ordinary user may have: /proc/sys/fs/pipe-max-size */
	/* buffers kept per worker: while one thread stalls, another may need nearly all of them */
	SHELF_MOST = 2 * PIECES_PER_THREAD,
};

/*
 * Each has a condition of its own: a piece that is written makes room for one item, so only the
 * worker with this item needs to wake up. To wake all of many workers each time would cost more
 * than their work. A second worker may already wait while the first one wakes up.
 */
struct text_piece {
	struct out text;
	unsigned worker, waiting;
	bool done;
	pthread_cond_t written;
};

/*
 * Buffers of written pieces, reused by the worker that made them. The last one is still warm in its
 * CPU's cache.
 */
struct text_shelf {
	VEC(struct out) texts;
	size_t most; /* the longest piece so far */
};

struct press {
	pthread_mutex_t lock;
	struct text_piece *pieces;  /* item i waits in pieces[i % n_pieces] */
	size_t n_pieces, next;      /* items below `next` are written */
	struct text_shelf *shelves; /* indexed by worker */
	bool writing, failed;
	bool wide;                      /* widen_pipe was called */
	uint64_t waited_ns, written_ns; /* summed over all workers: the wait for room; the time in write() */
	struct out *to;                 /* only the current writer uses it */
	void (*fn)(void *ctx, size_t item, unsigned worker, struct out *o);
	void *ctx;
};

/*
 * Let a pipe hold more, as far as the system allows. Otherwise the writer sleeps after each 64 kB,
 * which can take longer than making the text. Do nothing for other files.
 */
static void widen_pipe(int fd)
{
	int room = fcntl(fd, F_GETPIPE_SZ);

	if (room >= 0 && room < PIPE_MOST)
		fcntl(fd, F_SETPIPE_SZ, PIPE_MOST);
}

/*
 * Return how many of at most `most` threads have work, after `used` of them took `took_ns`. A slow
 * reader shows in the times: several threads wait until finished text is written; a single thread
 * spends much of its time in write().
 */
static unsigned threads_with_work(const struct press *p, unsigned used, unsigned most, uint64_t took_ns)
{
	enum { LEAST_NS = 1000000 }; /* less than this says nothing */
	uint64_t idle;

	if (took_ns < LEAST_NS)
		return used;
	idle = (p->waited_ns + took_ns / 2) / took_ns;
	if (idle)
		return idle < used ? used - (unsigned)idle : 1;
	return p->written_ns < took_ns / 4 ? MIN(2 * used, most) : used;
}

/* Return how long it took. */
static uint64_t write_piece(struct out *to, const struct out *text)
{
	uint64_t start = phases_on() ? phases_thread_ns() : 0, from = now_ns();

	if (to->fd < 0) {
		out_mem(to, text->buf, text->len);
	} else if (out_flush(to) == 0 && write_all(to->fd, text->buf, text->len) < 0) {
		to->error = errno;
	}
	if (phases_on())
		phases_ordered(phases_thread_ns() - start);
	return now_ns() - from;
}

static struct out take_buffer(struct text_shelf *s)
{
	struct out fresh;

	if (s->texts.len)
		return s->texts.items[--s->texts.len];
	out_init_mem(&fresh);
	if (s->most) /* pieces are about equally long: do not grow it step by step */
		out_room(&fresh, s->most);
	return fresh;
}

static void put_buffer(struct press *p, struct text_piece *piece)
{
	struct text_shelf *s = &p->shelves[piece->worker];

	s->most = MIN(MAX(s->most, piece->text.len), (size_t)PIECE_KEEP);
	piece->text.len = 0;
	if (piece->text.cap > PIECE_KEEP || s->texts.len >= SHELF_MOST)
		out_release(&piece->text);
	else
		vec_push(&s->texts, piece->text);
}

/*
 * If the next piece is done, write it and all done pieces behind it. Release the lock while
 * writing.
 */
static void write_done(struct press *p)
{
	uint64_t took_ns;

	if (p->writing)
		return;
	p->writing = true;
	while (p->pieces[p->next % p->n_pieces].done) {
		struct text_piece *piece = &p->pieces[p->next % p->n_pieces];

		pthread_mutex_unlock(&p->lock);
		if (!p->wide && piece->text.len > PIPE_USUAL) {
			widen_pipe(p->to->fd);
			p->wide = true;
		}
		took_ns = write_piece(p->to, &piece->text);
		pthread_mutex_lock(&p->lock);
		p->written_ns += took_ns;
		p->failed = p->to->error;
		put_buffer(p, piece);
		piece->done = false;
		p->next++;
		if (piece->waiting)
			pthread_cond_broadcast(&piece->written);
	}
	p->writing = false;
}

/* The lock is held. */
static void wait_for_room(struct press *p, struct text_piece *piece, size_t item)
{
	uint64_t start = now_ns();

	piece->waiting++;
	while (item >= p->next + p->n_pieces)
		pthread_cond_wait(&piece->written, &p->lock);
	piece->waiting--;
	p->waited_ns += now_ns() - start;
}

static void print_piece(void *ctx, size_t item, unsigned worker)
{
	struct press *p = ctx;
	struct text_piece *piece = &p->pieces[item % p->n_pieces];
	bool failed;

	pthread_mutex_lock(&p->lock);
	/*
	 * Items are handed out in order, so some worker is always busy with the item that the
	 * others wait for.
	 */
	if (item >= p->next + p->n_pieces)
		wait_for_room(p, piece, item);
	failed = p->failed;
	piece->worker = worker;
	piece->text = take_buffer(&p->shelves[worker]);
	pthread_mutex_unlock(&p->lock);
	if (!failed)
		p->fn(p->ctx, item, worker, &piece->text);
	pthread_mutex_lock(&p->lock);
	piece->done = true;
	write_done(p);
	pthread_mutex_unlock(&p->lock);
}

void text_buffers_free(struct text_buffers *b)
{
	for (unsigned i = 0; i < b->n_shelves; i++) {
		for (size_t n = 0; n < b->shelves[i].texts.len; n++)
			out_release(&b->shelves[i].texts.items[n]);
		vec_free(&b->shelves[i].texts);
	}
	free(b->shelves);
	*b = (struct text_buffers){ 0 };
}

static void add_shelves(struct text_buffers *b, unsigned workers)
{
	if (workers <= b->n_shelves)
		return;
	b->shelves = xrealloc(b->shelves, workers * sizeof(*b->shelves));
	memset(b->shelves + b->n_shelves, 0, (workers - b->n_shelves) * sizeof(*b->shelves));
	b->n_shelves = workers;
}

void parallel_text(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker, struct out *o),
		   void *ctx, struct text_buffers *buffers, struct out *to)
{
	unsigned used = buffers && buffers->threads ? MIN(buffers->threads, threads) : threads;
	struct press p = {
		.n_pieces = used > 1 ? used * (size_t)PIECES_PER_THREAD : 1, .to = to, .fn = fn, .ctx = ctx
	};
	struct text_buffers own = { 0 };
	uint64_t start = now_ns();

	if (!buffers)
		buffers = &own;
	add_shelves(buffers, MAX(threads, 1u));
	p.shelves = buffers->shelves;
	pthread_mutex_init(&p.lock, NULL);
	p.pieces = xcalloc(p.n_pieces, sizeof(*p.pieces));
	for (size_t i = 0; i < p.n_pieces; i++)
		pthread_cond_init(&p.pieces[i].written, NULL);
	parallel_for(n, used, print_piece, &p);
	if (threads > 1)
		buffers->threads = threads_with_work(&p, used, threads, now_ns() - start);
	for (size_t i = 0; i < p.n_pieces; i++)
		pthread_cond_destroy(&p.pieces[i].written);
	free(p.pieces);
	pthread_mutex_destroy(&p.lock);
	text_buffers_free(&own);
}
