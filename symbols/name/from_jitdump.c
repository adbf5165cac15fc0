/*
 * Read jit-PID.dump, in which a JIT records the code it generates. The JIT maps the file
 * executable, so that a map record announces it. Each piece of code becomes an object with one
 * symbol, named like the file that `inject --jit` would write. Source:
 * tools/perf/Documentation/jitdump-specification.txt of the kernel tree.
 */
#include "symbols/name/jitdump.h"

#include <ctype.h>

#include "base/bytes.h"
#include "symbols/name/bundle.h"
#include "symbols/name/sources.h"

enum { MAGIC = 0x4a695444, SWAPPED = 0x4454694a, RECORD = 16, MAX_CODES = 1 << 22 };

bool is_jitdump(const char *path)
{
	const char *base = strrchr(path, '/'), *p;

	base = base ? base + 1 : path;
	if (strncmp(base, "jit-", 4) || !isdigit((unsigned char)base[4]))
		return false;
	for (p = base + 4; isdigit((unsigned char)*p); p++)
		;
	return !strcmp(p, ".dump");
}

static bool take_load(struct bytes b, struct jitdump_code *code)
{
	bytes_take(&b, 16); /* pid, tid, vma */
	code->start = bytes_u64(&b);
	code->len = bytes_u64(&b);
	code->index = bytes_u64(&b);
	code->name = bytes_cstr(&b);
	code->bytes = bytes_take(&b, code->len);
	return !b.bad && code->len && code->start <= UINT64_MAX - code->len;
}

/* Take a move record: a piece of code that exists already gets another place. */
static bool take_move(const struct jitdump *j, struct bytes b, struct jitdump_code *code)
{
	uint64_t time = code->time_ns, to, len, index;

	bytes_take(&b, 24); /* pid, tid, vma, old address */
	to = bytes_u64(&b);
	len = bytes_u64(&b);
	index = bytes_u64(&b);
	/* JITs move young code, so a short search backwards finds it */
	for (size_t i = j->codes.len; !b.bad && i-- > 0 && j->codes.len - i < 1000;) {
		if (j->codes.items[i].index != index)
			continue;
		*code = j->codes.items[i];
		code->time_ns = time;
		code->start = to;
		code->len = MIN(len, code->len);
		code->moved = true;
		return code->len && to <= UINT64_MAX - code->len;
	}
	return false;
}

int jitdump_begin(struct jitdump *j, const uint8_t *data, size_t len, size_t *at, enum reason *problem)
{
	struct bytes b = bytes_of(data, len, false);
	uint32_t magic = bytes_u32(&b), version, header;

	*problem = REASON_NOT_JITDUMP;
	b.swap = magic == SWAPPED;
	version = bytes_u32(&b);
	header = bytes_u32(&b);
	j->machine = bytes_u32(&b);
	bytes_u32(&b);
	j->pid = (int32_t)bytes_u32(&b);
	bytes_u64(&b);
	j->arch_time = bytes_u64(&b) & 1;
	if (header > JITDUMP_HEADER) /* a later version with more fields */
		bytes_take(&b, header - JITDUMP_HEADER);
	if (b.bad || (magic != MAGIC && magic != SWAPPED) || version != 1 || header < JITDUMP_HEADER)
		return -1;
	j->swap = b.swap;
	*at = (size_t)(b.at - data);
	*problem = REASON_NONE;
	return 0;
}

size_t jitdump_continue(struct jitdump *j, const uint8_t *data, size_t len, size_t at)
{
	struct bytes b = bytes_of(data + at, len - at, j->swap);
	struct jitdump_code next = { 0 };

	while (bytes_left(&b) >= RECORD && j->codes.len < MAX_CODES) {
		uint32_t id = bytes_u32(&b), size = bytes_u32(&b);
		uint64_t time = bytes_u64(&b);
		const uint8_t *body = size < RECORD ? NULL : bytes_take(&b, size - RECORD);
		struct bytes r = bytes_of(body, size - RECORD, b.swap);

		if (!body && size != RECORD) /* the JIT is still writing it, or it is damaged */
			break;
		next.time_ns = time;
		if (id == JITDUMP_DEBUG) {
			next.lines = body;
			next.lines_len = size - RECORD;
		} else if (id == JITDUMP_UNWIND) {
			next.unwind = body;
			next.unwind_len = size - RECORD;
		} else if (id == JITDUMP_LOAD || id == JITDUMP_MOVE) {
			if (id == JITDUMP_LOAD ? take_load(r, &next) : take_move(j, r, &next))
				vec_push(&j->codes, next);
			next = (struct jitdump_code){ 0 };
			at = (size_t)(b.at - data);
		}
	}
	return at;
}

int jitdump_parse(struct jitdump *j, const uint8_t *data, size_t len, enum reason *problem)
{
	size_t at;

	if (jitdump_begin(j, data, len, &at, problem) < 0)
		return -1;
	jitdump_continue(j, data, len, at);
	return 0;
}

/*
 * The record holds: size of both parts, size of the header, size mapped by the process; then
 * the bytes.
 */
struct jit_unwind jit_unwind_of(const struct jitdump *j, const struct jitdump_code *code)
{
	struct bytes b = bytes_of(code->unwind, code->unwind_len, j->swap);
	uint64_t size = bytes_u64(&b), header = bytes_u64(&b);
	struct jit_unwind u = { 0 };

	bytes_u64(&b);
	if (header > size)
		return u;
	u.frames = (struct jit_span){ bytes_take(&b, size - header), size - header };
	u.header = (struct jit_span){ bytes_take(&b, header), header };
	return b.bad ? (struct jit_unwind){ 0 } : u;
}

uint64_t jit_unwind_at(uint64_t code_start, uint64_t code_len) { return code_start + ROUND_UP(code_len, (uint64_t)8); }

/* ---- objects ---- */

static uint32_t add_code(struct symbols *s, const char *path, int32_t pid, uint64_t ino, const struct jitdump *j,
			 const struct jitdump_code *code)
{
	const char *slash = strrchr(path, '/');
	autofree char *name = xasprintf("%.*sjitted-%d-%llu.so", slash ? (int)(slash - path) + 1 : 0, path, j->pid,
					(unsigned long long)code->index);
	uint32_t id = symbols_code(s, DSO_KIND_JIT_CODE, name, code->name, code->start, code->len);
	struct dso *d = symbols_get_dso(s, id);

	d->pid = pid;
	d->jit_path = path;
	d->jit_ino = ino;
	if (code->lines_len && !d->lines) {
		d->lines = arena_memdup(&s->arena, code->lines, code->lines_len);
		d->lines_len = code->lines_len;
		d->lines_swapped = j->swap;
	}
	if (code->unwind_len && !d->unwind_info) {
		struct jit_span frames = jit_unwind_of(j, code).frames;

		d->unwind_info = frames.len ? arena_memdup(&s->arena, frames.data, frames.len) : NULL;
		d->unwind_info_len = frames.len;
	}
	return id;
}

size_t symbols_jitdump(struct symbols *s, const char *path, int32_t pid, uint64_t ino, struct jit_code **codes,
		       bool *timed, enum reason *problem)
{
	struct jitdump j = { 0 };
	struct file_map m;
	const char *kept;
	size_t n;

	*codes = NULL;
	*problem = REASON_JITDUMP_SYMFS;
	if ((s->opts.symfs && !bundle_file_of(s, path, pid)) ||
	    private_file(s, path, path, pid, ino, &m, problem) < 0) {
		*u64map_put(&s->jits, (uint32_t)pid, NULL) = *problem;
		return 0;
	}
	if (jitdump_parse(&j, m.data, m.len, problem) < 0) {
		*u64map_put(&s->jits, (uint32_t)pid, NULL) = *problem;
		file_unmap(&m);
		return 0;
	}
	*u64map_put(&s->jits, (uint32_t)pid, NULL) = REASON_NOT_IN_MAP;
	n = j.codes.len;
	*timed = !j.arch_time;
	kept = arena_strdup(&s->arena, path);
	*codes = xcalloc(n + 1, sizeof(**codes));
	for (size_t i = 0; i < n; i++) {
		const struct jitdump_code *code = &j.codes.items[i];

		(*codes)[i] = (struct jit_code){ .time_ns = code->time_ns,
						 .start = code->start,
						 .len = code->len,
						 .dso = add_code(s, kept, pid, ino, &j, code) };
	}
	vec_free(&j.codes);
	file_unmap(&m);
	return n;
}
