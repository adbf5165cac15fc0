#include "symbols/name/debuginfod_priv.h"

#include "base/clock.h"
#include "base/library.h"
#include "base/signal.h"
#include "symbols/name/sources.h"

/* Declared here as in elfutils/debuginfod.h, so that its package is not needed to build. */
typedef struct debuginfod_client debuginfod_client;
debuginfod_client *debuginfod_begin(void);
void debuginfod_end(debuginfod_client *c);
void debuginfod_set_progressfn(debuginfod_client *c, int (*fn)(debuginfod_client *, long, long));
int debuginfod_find_debuginfo(debuginfod_client *c, const unsigned char *id, int len, char **path);
int debuginfod_find_executable(debuginfod_client *c, const unsigned char *id, int len, char **path);

#define FUNCTIONS(F) \
	F(debuginfod_begin) \
	F(debuginfod_end) F(debuginfod_set_progressfn) F(debuginfod_find_debuginfo) F(debuginfod_find_executable)

enum { LIMIT_S = 5 };

#ifdef STROBE_STATIC
/*
 * A static program cannot load a library, and libdebuginfod's network code cannot be linked
 * statically.
 */
int debuginfod_ready(struct err *e)
{
	err_set(e, "cannot ask debuginfod servers");
	return err_why(e, "this is a static build");
}

void debuginfod_ask(struct debuginfod_question *q) {}
#else
static struct debuginfod {
	FUNCTIONS(LIBRARY_MEMBER)
} table;
#define LIBRARY_TABLE table
static const struct library_function functions[] = { FUNCTIONS(LIBRARY_ROW){ 0 } };
static struct library library = { .file = "libdebuginfod.so.1", .package = "libdebuginfod1", .functions = functions };

int debuginfod_ready(struct err *e) { return library_open(&library, e); }

/* The question of this thread, its deadline, and how many bytes have arrived. */
static _Thread_local struct debuginfod_question *asking;
static _Thread_local uint64_t deadline_ms;
static _Thread_local long came;

/* The client calls this about once a second, and gives up when the result is not 0. */
static int is_over(debuginfod_client *c, long done, long all)
{
	came = all > 0 ? MAX(done, 0) : 0; /* without a size, the client counts calls */
	asking->step.bytes = (uint64_t)came;
	asking->step.size = (uint64_t)MAX(all, 0);
	return now_ms() >= deadline_ms || stop_requested || (asking->tell && !asking->tell(asking->ctx, &asking->step));
}

void debuginfod_ask(struct debuginfod_question *q)
{
	debuginfod_client *c = table.debuginfod_begin();
	int fd;

	if (!c)
		return;
	asking = q;
	came = 0;
	deadline_ms = now_ms() + LIMIT_S * 1000ull;
	table.debuginfod_set_progressfn(c, is_over);
	fd = (q->kind == DEBUGINFOD_EXECUTABLE ? table.debuginfod_find_executable
					       : table.debuginfod_find_debuginfo)(c, q->id.bytes, q->id.size, &q->path);
	q->silent = fd < 0 && !came && now_ms() >= deadline_ms;
	table.debuginfod_end(c);
	if (fd >= 0)
		close(fd);
}
#endif

struct image *debuginfod_open(struct symbols *s, const struct dso *d, const struct build_id *id,
			      enum debuginfod_kind kind)
{
	struct debuginfod_question q = { .id = *id, .kind = kind };
	enum reason ignored;
	struct image *im;

	if (id->size && s->opts.fetched)
		return fetched_open(s->opts.fetched, d, id, kind);
	if (!s->opts.debuginfod || !id->size || stop_requested || atomic_load(&s->debuginfod_slow) ||
	    debuginfod_ready(NULL) < 0)
		return NULL;
	if (s->opts.fetching)
		s->opts.fetching(d->long_name);
	debuginfod_ask(&q);
	if (q.silent)
		atomic_store(&s->debuginfod_slow, true);
	im = q.path ? open_local(q.path, id, &ignored) : NULL;
	free(q.path);
	return im;
}
