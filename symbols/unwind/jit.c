/* Follow a jitdump, and find the unwind information of the code in it. */
#include "symbols/unwind/jit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "symbols/name/jitdump.h"
#include "symbols/unwind/rules_priv.h"

/*
 * Limits, so that no JIT can fill our memory: pieces of code, pages of one piece, links of pages,
 * bytes of unwind information. Nor can it slow the recorder down: a lookup looks at so many pieces of a page.
 */
enum { PAGE_BITS = 12, PIECES_MAX = 1 << 18, PAGES_EACH_MAX = 1 << 12, LINKS_MAX = 1 << 21, BYTES_MAX = 64 << 20 };
enum { LOOKS_MAX = 1 << PAGE_BITS };

/* A piece of code in the list of a page, newest first. */
struct piece_link {
	uint32_t piece, next; /* numbers; 0 = none */
};

struct unwind_jit {
	int fd;
	bool timed, full;
	size_t at;           /* everything before this offset is known */
	size_t seen;         /* how long the file was */
	struct jitdump dump; /* its codes keep only places, times and, in `arena`, `unwind` */
	struct arena arena;
	uint64_t bytes;
	VEC(struct piece_link) links;
	struct u64map by_page; /* index of the newest link */

	pthread_mutex_t lock;     /* guards from here on */
	VEC(struct cfi *) frames; /* per piece, opened when first needed */
	struct rule_set rules;
};

struct unwind_jit *unwind_jit_open(int fd, bool timed)
{
	struct unwind_jit *j;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	j = xcalloc(1, sizeof(*j));
	j->fd = fd;
	j->timed = timed;
	vec_add(&j->links, 1);
	pthread_mutex_init(&j->lock, NULL);
	return j;
}

void unwind_jit_free(struct unwind_jit *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->frames.len; i++)
		cfi_close(j->frames.items[i]);
	vec_free(&j->frames);
	rule_set_release(&j->rules);
	vec_free(&j->dump.codes);
	vec_free(&j->links);
	u64map_free(&j->by_page);
	arena_release(&j->arena);
	pthread_mutex_destroy(&j->lock);
	close(j->fd);
	free(j);
}

/*
 * Keep the parts of a piece that must outlive the mapped file, and add it to the lists of its
 * pages.
 */
static void add_piece(struct unwind_jit *j, size_t i, const struct file_map *m)
{
	struct jitdump_code *code = &j->dump.codes.items[i];
	uint64_t from = code->start >> PAGE_BITS, to = (code->start + code->len - 1) >> PAGE_BITS;

	/* a moved piece may have unwind information that we copied already */
	if (code->unwind >= m->data && code->unwind < m->data + m->len) {
		j->bytes += code->unwind_len;
		code->unwind = arena_memdup(&j->arena, code->unwind, code->unwind_len);
	}
	code->bytes = code->lines = NULL;
	code->name = NULL;
	for (uint64_t page = from; page <= to && to - from < PAGES_EACH_MAX; page++) {
		uint32_t *last = u64map_put(&j->by_page, page, NULL);

		vec_push(&j->links, (struct piece_link){ (uint32_t)i + 1, *last });
		*last = (uint32_t)j->links.len - 1;
	}
	j->full = j->links.len > LINKS_MAX || j->bytes > BYTES_MAX || j->dump.codes.len >= PIECES_MAX;
}

static void read_records(struct unwind_jit *j, const struct file_map *m)
{
	size_t known = j->dump.codes.len;
	enum reason ignored;

	if (!j->at && jitdump_begin(&j->dump, m->data, m->len, &j->at, &ignored) < 0) {
		j->full = j->full || m->len >= JITDUMP_HEADER; /* another kind of file */
		j->at = 0;
		return;
	}
	j->timed &= !j->dump.arch_time;
	j->at = jitdump_continue(&j->dump, m->data, m->len, j->at);
	for (size_t i = known; i < j->dump.codes.len && !j->full; i++)
		add_piece(j, i, m);
}

void unwind_jit_read(struct unwind_jit *j)
{
	struct file_map m;
	struct stat st;
	int fd;

	if (j->full || fstat(j->fd, &st) < 0 || (size_t)st.st_size == j->seen)
		return;
	fd = fcntl(j->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (file_map_fd(&m, fd, NULL) < 0) {
		close(fd);
		return;
	}
	j->seen = m.len;
	if (m.len > j->at)
		read_records(j, &m);
	file_unmap(&m);
}

uint32_t unwind_jit_find(const struct unwind_jit *j, uint64_t addr, uint64_t time_ns)
{
	const uint32_t *at = u64map_find(&j->by_page, addr >> PAGE_BITS);
	uint32_t found = 0, passed = 0;

	for (uint32_t i = at ? *at : 0; i; i = j->links.items[i].next) {
		uint32_t piece = j->links.items[i].piece;
		const struct jitdump_code *code = &j->dump.codes.items[piece - 1];

		if (++passed > LOOKS_MAX)
			return 0;
		if (addr - code->start >= code->len || (j->timed && code->time_ns > time_ns))
			continue;
		if (found)
			return 0;
		found = piece;
		if (j->timed)
			break;
	}
	return found;
}

static struct cfi *frames_of(struct unwind_jit *j, uint32_t piece, const struct arch *a)
{
	const struct jitdump_code *code = &j->dump.codes.items[piece - 1];
	struct jit_span frames;
	struct cfi **c;

	if (j->frames.len < piece)
		vec_add(&j->frames, piece - j->frames.len);
	c = &j->frames.items[piece - 1];
	frames = jit_unwind_of(&j->dump, code).frames;
	if (!*c && frames.len)
		*c = cfi_open_frames(frames.data, frames.len, jit_unwind_at(code->start, code->len), a);
	return *c;
}

const struct cfi_row *unwind_jit_row(struct unwind_jit *j, uint32_t piece, uint64_t addr, const struct arch *a)
{
	const struct cfi_row *row = NULL;
	union cfi_row_room room;
	struct cfi *c;

	if (!j->dump.codes.items[piece - 1].unwind_len)
		return NULL;
	pthread_mutex_lock(&j->lock);
	c = frames_of(j, piece, a);
	row = c ? cfi_row_at(c, addr, &room) : NULL;
	if (row) {
		uint16_t rule = rule_set_put(&j->rules, row);

		row = rule == RULE_ASK ? NULL : rule_set_at(&j->rules, rule);
	}
	pthread_mutex_unlock(&j->lock);
	return row;
}
