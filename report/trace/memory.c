/*
 * Read strings and bytes that arguments point to. The event has only the address. If the text is in a read-only part of
 * a file, we read it from the file: this is the text that the kernel saw. We read all other text from the program. The
 * program has run on meanwhile, so we mark this text.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "report/trace/trace_priv.h"

enum { SEGMENTS_MOST = 16, OBJECTS_MOST = 64 };
/* The read-only parts of an object file. */
struct target_object {
	int fd; /* -1: cannot be read */
	uint64_t inode;
	size_t n;
	struct file_span {
		uint64_t from, to; /* offsets in the file */
	} spans[SEGMENTS_MOST];
};

static void read_segments(struct target_object *o)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (pread(o->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(segment))
		return;
	for (unsigned i = 0; i < header.e_phnum && o->n < SEGMENTS_MOST; i++) {
		if (pread(o->fd, &segment, sizeof(segment), (off_t)(header.e_phoff + i * sizeof(segment))) !=
		    (ssize_t)sizeof(segment))
			return;
		if (segment.p_type == PT_LOAD && !(segment.p_flags & PF_W) &&
		    segment.p_offset + segment.p_filesz > segment.p_offset)
			o->spans[o->n++] = (struct file_span){ segment.p_offset, segment.p_offset + segment.p_filesz };
	}
}

static const struct target_object *object(struct trace *t, uint32_t dso)
{
	uint32_t *at = u64map_put(&t->object_of, dso, NULL);
	struct target_object *o;
	struct stat st;

	if (*at)
		return t->objects.items[*at - 1];
	o = xcalloc(1, sizeof(*o));
	o->fd = t->objects.len < OBJECTS_MOST && dso_path(t->session->symbols, dso)[0] == '/'
			? open(dso_path(t->session->symbols, dso), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
			: -1;
	if (o->fd >= 0 && fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode)) {
		o->inode = st.st_ino;
		read_segments(o);
	}
	vec_push(&t->objects, o);
	*at = (uint32_t)t->objects.len;
	return o;
}

void trace_memory_release(struct trace *t)
{
	for (size_t i = 0; i < t->objects.len; i++) {
		if (t->objects.items[i]->fd >= 0)
			close(t->objects.items[i]->fd);
		free(t->objects.items[i]);
	}
	vec_free(&t->objects);
	u64map_free(&t->object_of); /* it is now empty, and may be filled again */
}

/*
 * Is the file with the name of a mapped file still the mapped one? It may have been replaced, or belong to a
 * container.
 */
static bool is_same_file(const struct trace *t, const struct map_hit *hit, const struct target_object *o)
{
	struct map_args m = { .start = hit->start, .len = hit->len, .pgoff = hit->pgoff, .dso = hit->dso };

	return t->opts->inodes && o->inode && session_inode(t->session, &m) == o->inode;
}

static size_t read_from_file(struct trace *t, const struct trace_sample *s, uint64_t address, void *to, size_t n)
{
	struct map_hit hit;
	const struct target_object *o;
	ssize_t got;

	if (!session_find(t->session, &s->task, s->record.moment, CPUMODE_USER, address, &hit) || !hit.dso)
		return 0;
	o = object(t, hit.dso);
	if (!is_same_file(t, &hit, o))
		return 0;
	for (size_t i = 0; i < o->n; i++) {
		if (hit.dso_off < o->spans[i].from || hit.dso_off >= o->spans[i].to)
			continue;
		n = MIN(n, o->spans[i].to - hit.dso_off);
		got = pread(o->fd, to, n, (off_t)hit.dso_off);
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* Has the process started another program since then? Then the old address is not valid. */
static bool ran_another(const struct trace *t, const struct trace_sample *s)
{
	const struct thread *thread = &t->session->threads.items[s->task.thread];

	for (size_t i = thread->comms.len; i-- > 0 && thread->comms.items[i].moment > s->record.moment;)
		if (thread->comms.items[i].exec)
			return true;
	return false;
}

/* Read up to the end of a page, because the next page may not exist. */
static size_t read_from_program(int32_t pid, uint64_t address, void *to, size_t n)
{
	enum { PAGE = 4096 };
	size_t first = MIN(n, PAGE - address % PAGE);
	struct iovec local = { to, n };
	struct iovec remote[2] = { { (void *)(uintptr_t)address, first },
				   { (void *)(uintptr_t)(address + first), n - first } };
	ssize_t got = process_vm_readv(pid, &local, 1, remote, n > first ? 2 : 1, 0);

	return got > 0 ? (size_t)got : 0;
}

static size_t read_any(struct trace *t, const struct trace_sample *s, uint64_t address, void *to, size_t n,
		       enum trust *trust)
{
	size_t got = 0;

	*trust = TRUST_NONE;
	if (!t->opts->memory || !address)
		return 0;
	got = read_from_file(t, s, address, to, n);
	*trust = got ? TRUST_FULL : TRUST_NONE;
	if (!got && !ran_another(t, s)) {
		got = read_from_program(s->task.pid, address, to, n);
		*trust = got ? TRUST_LATE : TRUST_NONE;
	}
	return got;
}

void trace_read_text(struct trace *t, const struct trace_sample *s, uint64_t address, struct known_text *text)
{
	size_t n = read_any(t, s, address, text->text, sizeof(text->text) - 1, &text->trust);

	text->text[n] = '\0';
	text->cut = text->trust && strlen(text->text) == n && n == sizeof(text->text) - 1;
	if (text->trust && strlen(text->text) == n && !text->cut)
		text->trust = TRUST_NONE; /* there is no NUL at its end */
}

void trace_read_bytes(struct trace *t, const struct trace_sample *s, uint64_t address, struct known_text *text,
		      size_t n)
{
	text->len = (uint32_t)read_any(t, s, address, text->text, MIN(n, sizeof(text->text)), &text->trust);
	if (text->len < n)
		text->trust = TRUST_NONE;
}
