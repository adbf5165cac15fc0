#include "symbols/name/debuginfod.h"

#include <time.h>

#include "base/library.h"
#include "base/signal.h"
#include "symbols/name/sources.h"

/* As elfutils/debuginfod.h declares them; the package with that header is not needed to build. */
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
/* A static program cannot load a library, and the network code of this one is not for linking statically. */
int debuginfod_ready(struct err *e)
{
	err_set(e, "cannot ask debuginfod servers");
	return err_why(e, "this is a static build");
}

static struct image *fetch(const struct build_id *id, enum debuginfod_kind kind, bool *slow) { return NULL; }
#else
static struct debuginfod {
	FUNCTIONS(LIBRARY_MEMBER)
} table;
#define LIBRARY_TABLE table
static const struct library_function functions[] = { FUNCTIONS(LIBRARY_ROW){ 0 } };
static struct library library = { .file = "libdebuginfod.so.1", .package = "libdebuginfod1", .functions = functions };

int debuginfod_ready(struct err *e) { return library_open(&library, e); }

static _Thread_local time_t deadline;

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* The client calls this about once a second, and gives up when the answer is not 0. */
static int is_over(debuginfod_client *c, long done, long all) { return seconds() >= deadline || stop_requested; }

static struct image *fetch(const struct build_id *id, enum debuginfod_kind kind, bool *slow)
{
	debuginfod_client *c = table.debuginfod_begin();
	enum reason ignored;
	char *path = NULL;
	struct image *im;
	int fd;

	if (!c)
		return NULL;
	deadline = seconds() + LIMIT_S;
	table.debuginfod_set_progressfn(c, is_over);
	fd = (kind == DEBUGINFOD_EXECUTABLE ? table.debuginfod_find_executable
					    : table.debuginfod_find_debuginfo)(c, id->bytes, id->size, &path);
	*slow = fd < 0 && is_over(c, 0, 0);
	table.debuginfod_end(c);
	im = fd >= 0 && path ? open_local(path, id, &ignored) : NULL;
	if (fd >= 0)
		close(fd);
	free(path);
	return im;
}
#endif

struct image *debuginfod_open(struct symbols *s, const struct dso *d, const struct build_id *id,
			      enum debuginfod_kind kind)
{
	struct image *im;
	bool slow = false;

	if (!s->opts.debuginfod || !id->size || stop_requested || atomic_load(&s->debuginfod_slow) ||
	    debuginfod_ready(NULL) < 0)
		return NULL;
	if (s->opts.fetching)
		s->opts.fetching(d->long_name);
	im = fetch(id, kind, &slow);
	if (slow)
		atomic_store(&s->debuginfod_slow, true);
	return im;
}
