#include "probe/temporary.h"

#include <errno.h>

#include "base/keeper.h"

static const char kind[] = "probes", what[] = "the probes";

struct temporary {
	struct keeper *keeper;
};

/*
 * A line of the keeper: "u GROUP EVENT PLACE", "k GROUP EVENT PLACE". The place
 * distinguishes the probe from a later one of the same name. For a user probe it is "0xOFFSET
 * PATH", for a kernel probe "OFFSET MODULE:SYMBOL" or the known part of it.
 */
struct held_probe {
	char kind;
	char group[80], event[80];
	char *place;
};

static char *place_of(const struct trace_probe *p)
{
	if (p->path)
		return xasprintf("0x%llx %s", (unsigned long long)p->offset, p->path);
	return xasprintf("%llu %s:%s", (unsigned long long)p->offset, p->module ? p->module : "",
			 p->symbol ? p->symbol : "");
}

static bool parse_held(char *line, struct held_probe *h)
{
	int end = 0;

	if (sscanf(line, "%c %79s %79s%n", &h->kind, h->group, h->event, &end) != 3 ||
	    (h->kind != 'u' && h->kind != 'k') || line[end] != ' ')
		return false;
	h->place = line + end + 1;
	return true;
}

static bool still_there(const struct held_probe *h, const struct trace_probes *existing)
{
	const struct trace_probe *p = trace_probes_find(existing, h->group, h->event);
	autofree char *place = p && !p->path == (h->kind == 'k') ? place_of(p) : NULL;

	return place && !strcmp(place, h->place);
}

/* Remove a probe. The kernel answers EBUSY until the recording's descriptors are closed. */
static bool remove_held(const struct held_probe *h)
{
	for (int i = 0; i < KEEPER_TRIES; i++) {
		struct err e = { 0 };

		if (trace_probe_remove(h->group, h->event, h->kind == 'u', &e) == 0 || e.sys == ENOENT)
			return true;
		if (e.sys != EBUSY)
			return false;
		keeper_pause(i);
	}
	return false;
}

static bool remove_all(struct keeper_lines *lines)
{
	bool done = true;

	for (size_t i = 0; i < lines->len; i++) {
		struct held_probe h;

		if (parse_held(lines->items[i], &h))
			done &= remove_held(&h);
	}
	return done;
}

struct temporary *temporary_start(struct err *e)
{
	struct keeper *keeper = keeper_start(kind, what, remove_all, e);
	struct temporary *t;

	if (!keeper)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->keeper = keeper;
	return t;
}

int temporary_hold(struct temporary *t, const struct trace_probe *p, struct err *e)
{
	autofree char *place = place_of(p),
		      *line = xasprintf("%c %s %s %s", p->path ? 'u' : 'k', p->group, p->event, place);

	return keeper_hold(t->keeper, line, e);
}

void temporary_end(struct temporary *t)
{
	if (!t)
		return;
	keeper_end(t->keeper);
	free(t);
}

/* ---- leftovers ---- */

struct pruning {
	struct trace_probes existing;
	bool only_list;
	struct leftovers *found;
	struct arena *arena;
};

/* Remove the probes of one keeper. If one cannot be removed, report it in `e` and remove the others. */
static int prune(void *ctx, struct keeper_lines *lines, struct err *e)
{
	struct pruning *p = ctx;
	int rc = p->only_list ? 0 : 1;

	for (size_t i = 0; i < lines->len; i++) {
		struct held_probe h;

		if (!parse_held(lines->items[i], &h) || !still_there(&h, &p->existing))
			continue;
		if (!p->only_list && trace_probe_remove(h.group, h.event, h.kind == 'u', e) < 0)
			rc = -1;
		else
			vec_push(p->found, arena_printf(p->arena, "%s:%s", h.group, h.event));
	}
	return rc;
}

/*
 * Read the existing probes again for each file. Without a file, read none: that needs privileges.
 */
static int prune_file(void *ctx, struct keeper_lines *lines, struct err *e)
{
	struct pruning *p = ctx;

	trace_probes_release(&p->existing);
	if (trace_probes_read(&p->existing, e) < 0)
		return -1;
	return prune(ctx, lines, e);
}

int temporary_prune(bool only_list, struct leftovers *found, struct arena *arena, struct err *e)
{
	struct pruning p = { .only_list = only_list, .found = found, .arena = arena };
	int rc = keeper_leftovers(kind, what, prune_file, &p, e);

	trace_probes_release(&p.existing);
	return rc;
}
