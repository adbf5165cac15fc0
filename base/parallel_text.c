#include "base/parallel.h"

#include <errno.h>
#include <pthread.h>

#include "base/file.h"
#include "base/out.h"

enum {
	PIECES_PER_THREAD = 4,	/* that wait for an earlier one to be written, at most */
	PIECE_KEEP = 4 << 20,	/* buffers that grew larger are not kept for the next piece */
};

struct piece { struct out text; bool done; };

struct press {
	pthread_mutex_t lock;
	pthread_cond_t written;
	struct piece *pieces;	/* item i waits in pieces[i % n_pieces] */
	size_t n_pieces, next;	/* items below `next` are written */
	bool writing, failed;
	struct out *to;	/* touched by the writer alone */
	void (*fn)(void *ctx, size_t item, unsigned worker, struct out *o);
	void *ctx;
};

static void write_piece(struct out *to, struct out *text)
{
	if (to->fd < 0) {
		out_mem(to, text->buf, text->len);
	} else if (out_flush(to) == 0 && write_all(to->fd, text->buf, text->len) < 0) {
		to->error = errno;
	}
	text->len = 0;
	if (text->cap > PIECE_KEEP)
		out_release(text);
}

/* Whoever finds the next piece done writes it and those that are done behind it; the lock is open while bytes go out. */
static void write_done(struct press *p)
{
	if (p->writing)
		return;
	p->writing = true;
	while (p->pieces[p->next % p->n_pieces].done) {
		struct piece *piece = &p->pieces[p->next % p->n_pieces];

		pthread_mutex_unlock(&p->lock);
		write_piece(p->to, &piece->text);
		pthread_mutex_lock(&p->lock);
		p->failed = p->to->error;
		piece->done = false;
		p->next++;
		pthread_cond_broadcast(&p->written);
	}
	p->writing = false;
}

static void print_piece(void *ctx, size_t item, unsigned worker)
{
	struct press *p = ctx;
	struct piece *piece = &p->pieces[item % p->n_pieces];
	bool failed;

	pthread_mutex_lock(&p->lock);
	/* Items are handed out in order, so the one that is waited for is always being worked on. */
	while (item >= p->next + p->n_pieces)
		pthread_cond_wait(&p->written, &p->lock);
	failed = p->failed;
	pthread_mutex_unlock(&p->lock);
	if (!failed)
		p->fn(p->ctx, item, worker, &piece->text);
	pthread_mutex_lock(&p->lock);
	piece->done = true;
	write_done(p);
	pthread_mutex_unlock(&p->lock);
}

void parallel_text(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker, struct out *o), void *ctx, struct out *to)
{
	struct press p = { .n_pieces = threads > 1 ? threads * (size_t)PIECES_PER_THREAD : 1, .to = to, .fn = fn, .ctx = ctx };

	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.written, NULL);
	p.pieces = xcalloc(p.n_pieces, sizeof(*p.pieces));
	for (size_t i = 0; i < p.n_pieces; i++)
		out_init_mem(&p.pieces[i].text);
	parallel_for(n, threads, print_piece, &p);
	for (size_t i = 0; i < p.n_pieces; i++)
		out_release(&p.pieces[i].text);
	free(p.pieces);
	pthread_cond_destroy(&p.written);
	pthread_mutex_destroy(&p.lock);
}
