#include "cmd/report/completing_priv.h"

#include "cmd/commands.h"

#include <signal.h>

#include "base/file.h"

/* ---- what counts ---- */

/*
 * Return the period of the samples in each object; 1 if it has only callers. Servers are asked for
 * the hottest objects first.
 */
static uint64_t *object_weights(const struct run *r)
{
	const struct profile *p = r->profile;
	uint64_t *weights = xcalloc(symbols_n_dsos(r->session->symbols), sizeof(*weights));

	for (size_t i = 0; i < p->frames.len; i++)
		weights[p->frames.items[i].dso] = 1;
	for (unsigned k = 0; k < p->n_parts; k++)
		for (size_t i = 0; i < p->parts[k].entries.len; i++)
			weights[p->sites.items[p->parts[k].entries.items[i].self].dso] +=
				p->parts[k].entries.items[i].period;
	return weights;
}

static size_t want(struct fetched *f, const struct run *r)
{
	autofree uint64_t *weights = object_weights(r);

	return fetched_want(f, r->session->symbols, weights);
}

/* Print "2 of 5: libc.so.6, 1.2 of 3.4 MB". */
static void put_step(struct out *o, const struct fetch_step *s)
{
	const char *slash = strrchr(s->object, '/');

	out_fmt(o, "%zu of %zu: ", s->number, s->of);
	out_name(o, slash ? slash + 1 : s->object);
	if (s->bytes)
		out_fmt(o, ", %.1f", (double)s->bytes / 1e6);
	if (s->bytes && s->size)
		out_fmt(o, " of %.1f", (double)s->size / 1e6);
	if (s->bytes)
		out_str(o, " MB");
}

/* ---- text ---- */

static volatile sig_atomic_t given_up;

static void give_up(int sig) { given_up = sig; }

struct telling {
	bool terminal;
	size_t told; /* the last question */
};

/* Print progress: on a terminal, one line that changes; elsewhere, a line per question. */
static bool tell_text(void *ctx, const struct fetch_step *s)
{
	struct telling *t = ctx;
	struct out line;

	if (given_up)
		return false;
	out_init_mem(&line);
	out_str(&line, t->terminal ? "\r\033[Kdebuginfod: asking for " : "debuginfod: asking for ");
	put_step(&line, s);
	if (t->terminal)
		write_all(STDERR_FILENO, line.buf, line.len);
	else if (t->told != s->number)
		say("%s", out_text(&line));
	t->told = s->number;
	out_release(&line);
	return true;
}

bool complete_now(const struct run *r)
{
	struct fetched *f = r->o->fetched;
	struct telling t = { .terminal = isatty(STDERR_FILENO) };
	struct sigaction old, ours = { .sa_handler = give_up };
	unsigned came = 0;
	int status;

	if (!want(f, r))
		return false;
	given_up = 0;
	sigaction(SIGINT, &ours, &old);
	while ((status = fetched_ask(f, tell_text, &t)) >= 0 && !given_up)
		came += (unsigned)status;
	sigaction(SIGINT, &old, NULL);
	if (t.terminal)
		write_all(STDERR_FILENO, "\r\033[K", 4);
	say("debuginfod: %u file%s came%s", came, came == 1 ? "" : "s", given_up ? "; given up" : "");
	return came;
}

/* ---- a screen ---- */

static bool tell_screen(void *ctx, const struct fetch_step *s)
{
	struct completing *c = ctx;

	pthread_mutex_lock(&c->lock);
	c->asked.len = 0;
	put_step(&c->asked, s);
	pthread_mutex_unlock(&c->lock);
	tui_wake(c->tui);
	return !atomic_load(&c->stop);
}

static void *ask_all(void *ctx)
{
	struct completing *c = ctx;
	int status;

	while ((status = fetched_ask(c->fetched, tell_screen, c)) >= 0 && !atomic_load(&c->stop))
		atomic_fetch_add(status ? &c->came : &c->missed, 1);
	atomic_store(&c->ended, true);
	tui_wake(c->tui);
	return NULL;
}

void completing_init(struct completing *c, struct fetched *f, struct tui *t)
{
	*c = (struct completing){ .fetched = f, .tui = t };
	pthread_mutex_init(&c->lock, NULL);
	out_init_mem(&c->asked);
}

void completing_begin(struct completing *c, const struct run *r)
{
	if (!want(c->fetched, r) || (c->started && !atomic_load(&c->ended)))
		return;
	if (c->started)
		pthread_join(c->thread, NULL);
	atomic_store(&c->ended, false);
	c->started = !tui_thread(&c->thread, ask_all, c);
}

void completing_status(struct completing *c, struct out *o)
{
	unsigned came = atomic_load(&c->came), missed = atomic_load(&c->missed);

	if (c->started && !atomic_load(&c->ended)) {
		pthread_mutex_lock(&c->lock);
		out_fmt(o, "debuginfod: asking for %s", out_text(&c->asked));
		pthread_mutex_unlock(&c->lock);
	} else {
		out_fmt(o, "debuginfod: %u file%s came", came, came == 1 ? "" : "s");
	}
	if (missed)
		out_fmt(o, "; %u did not", missed);
}

void completing_end(struct completing *c)
{
	if (!c->fetched)
		return;
	atomic_store(&c->stop, true);
	if (c->started)
		pthread_join(c->thread, NULL);
	out_release(&c->asked);
	pthread_mutex_destroy(&c->lock);
}
