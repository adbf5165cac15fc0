/*
 * inject --jit: write the code of a JIT to ELF files next to its jitdump, and add map records at
 * the times when the code was made.
 */
#include "cmd/commands.h"
#include "cmd/inject/inject_priv.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

static int check_clock(const struct inject *n, struct err *e)
{
	const struct attr *a = &n->s->pd->events[0].attr;

	if (a->flags & ATTR_USE_CLOCKID && a->clockid == CLOCK_MONOTONIC)
		return 0;
	err_set(e, "the times of this recording and of jitdump files are of different clocks");
	return err_try(e, "record with -k mono; or report without inject, which looks into jitdump files itself");
}

/*
 * Append the trailer that the first event's layout requires to a record of `size` bytes. Return the
 * new size.
 */
static size_t put_trailer(const struct inject *n, uint8_t *record, size_t size, const struct record_mmap *m,
			  uint64_t time)
{
	const struct file_event *event = &n->s->pd->events[0];
	const struct layout *l = &event->layout;
	uint8_t *end = record + size + l->trailer_size;
	uint64_t id = event->n_ids ? event->ids[0] : 0;
	int32_t who[2] = { m->pid, m->tid };

	memset(record + size, 0, l->trailer_size);
	if (l->trailer_tid >= 0)
		memcpy(end - l->trailer_tid, who, 8);
	if (l->trailer_time >= 0)
		memcpy(end - l->trailer_time, &time, 8);
	if (l->trailer_id >= 0)
		memcpy(end - l->trailer_id, &id, 8);
	if (event->attr.sample_type & SAMPLE_IDENTIFIER) /* once more, as the last value */
		memcpy(end - 8, &id, 8);
	return size + l->trailer_size;
}

/* Source: perf_event_open(2), PERF_RECORD_MMAP2. */
static int add_map(struct inject *n, const struct record_mmap *m, const struct jit_file *file, struct err *e)
{
	size_t name_len = strlen(file->path) + 1, size = ROUND_UP(72 + name_len, 8);
	struct {
		uint32_t type;
		uint16_t misc, size;
		int32_t pid, tid;
		uint64_t start, len, pgoff;
		uint32_t maj, min;
		uint64_t ino, generation;
		uint32_t prot, flags;
	} head = { .type = RECORD_MMAP2,
		   .misc = CPUMODE_USER,
		   .pid = m->pid,
		   .tid = m->tid,
		   .start = file->start,
		   .len = file->len,
		   .pgoff = file->pgoff,
		   .ino = file->ino,
		   .generation = 1,
		   .prot = PROT_READ | PROT_EXEC,
		   .flags = MAP_SHARED };

	if (size > 8192)
		return 0;
	memset(n->buffer, 0, size);
	memcpy(n->buffer + 72, file->path, name_len);
	size = put_trailer(n, n->buffer, size, m, file->time_ns);
	head.size = (uint16_t)size;
	memcpy(n->buffer, &head, sizeof(head));
	return writer_record(n->writer, n->buffer, size, e);
}

int inject_jit(struct inject *n, const struct record *r, const struct record_mmap *m, struct err *e)
{
	struct jit_file *files;
	size_t n_files;
	int status = check_clock(n, e);

	if (status < 0 ||
	    jit_files_write(n->s->symbols, m->filename, m->pid, m->has_ino ? m->ino : 0, &files, &n_files, e) < 0)
		return -1;
	for (size_t i = 0; i < n_files && !status; i++) {
		say_verbose(1, "%s", files[i].path);
		status = add_map(n, m, &files[i], e);
	}
	jit_files_free(files, n_files);
	return status;
}
