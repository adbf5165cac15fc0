#include "base/bytes.h"
#include "format/record.h"
#include "format/writer/writer_priv.h"

enum { SYNC_EVERY = 1 << 20, PENDING_MAX = COMPRESS_CHUNK };

static struct writer *writer_new(const struct writer_opts *opts)
{
	struct writer *w = xcalloc(1, sizeof(*w));

	if (opts)
		w->opts = *opts;
	w->attr_size = ATTR_SIZE_MIN;
	out_init_mem(&w->pending);
	out_init_mem(&w->front);
	return w;
}

static void writer_free(struct writer *w)
{
	output_close(&w->out, NULL);
	compressor_free(w->compressor);
	out_release(&w->pending);
	out_release(&w->front);
	out_release(&w->mark);
	free(w->cover.pads);
	vec_free(&w->events);
	vec_free(&w->pieces);
	vec_free(&w->slices);
	vec_free(&w->auxtraces);
	arena_release(&w->arena);
	free(w);
}

static struct writer *writer_ready(struct writer *w, struct err *e)
{
	w->pipe = w->opts.pipe || w->out.stream;
	if (!w->opts.zstd_level || (w->compressor = compressor_new(w->opts.zstd_level, e)))
		return w;
	writer_free(w);
	return NULL;
}

struct writer *writer_open(const char *path, const struct writer_opts *opts, struct err *e)
{
	struct writer *w = writer_new(opts);

	if (!output_init(&w->out, path, opts && opts->dir_later, e))
		return writer_ready(w, e);
	writer_free(w);
	return NULL;
}

struct writer *writer_open_sink(writer_put_fn *put, void *of, struct err *e)
{
	struct writer *w = writer_new(NULL);

	w->out = (struct output){
		.fd = -1, .older = -1, .path = xstrdup("-"), .stream = true, .put = put, .put_of = of
	};
	return writer_ready(w, e);
}

void writer_event(struct writer *w, const struct writer_event *event)
{
	struct writer_event copy = *event;

	copy.ids = event->n_ids ? arena_memdup(&w->arena, event->ids, event->n_ids * sizeof(*event->ids)) : NULL;
	copy.name = event->name ? arena_strdup(&w->arena, event->name) : NULL;
	copy.unit = event->unit ? arena_strdup(&w->arena, event->unit) : NULL;
	copy.group_name = event->group_name ? arena_strdup(&w->arena, event->group_name) : NULL;
	vec_push(&w->events, copy);
	w->attr_size = MAX(w->attr_size, attr_needed_size(&copy.attr));
}

int writer_begin(struct writer *w, const struct features *f, struct err *e)
{
	if (output_create(&w->out, e) < 0)
		return -1;
	if (w->opts.give && w->out.created && fchown(w->out.fd, w->opts.uid, w->opts.gid) < 0) {
		err_sys(e, "cannot give '%s' to user %u", w->out.path, (unsigned)w->opts.uid);
		err_try(e, "-o - >'%s', so that your shell makes the file", w->out.path);
		output_undo(&w->out);
		return -1;
	}
	w->begun = w->opts.records_only || !(w->pipe ? writer_begin_pipe(w, f, e) : writer_begin_file(w, f, e));
	if (w->begun && w->opts.async_bytes && !(w->async = async_start(w, w->opts.async_bytes, e)))
		w->begun = false;
	if (!w->begun)
		output_undo(&w->out);
	return w->begun ? 0 : -1;
}

void writer_free_older(struct writer *w) { output_free_older(&w->out, true); }
bool writer_is_pipe(const struct writer *w) { return w->pipe; }
int writer_fd(const struct writer *w) { return w->out.fd; }
const char *writer_path(const struct writer *w) { return w->out.path; }
uint64_t writer_bytes(const struct writer *w) { return w->position + w->pending.len; }
uint64_t writer_raw_bytes(const struct writer *w) { return w->raw_bytes; }
bool writer_full(const struct writer *w) { return w->opts.max_bytes && writer_bytes(w) >= w->opts.max_bytes; }

/* Write the pieces. If only a part was written, cut the file behind its last whole record. */
int writer_put(struct writer *w, const struct iovec *iov, int n, struct err *e)
{
	uint64_t written;

	if (w->opts.records_only || w->out.fifo) {
		w->failed |= (w->out.fifo ? fifo_put(w, iov, n, e) : cover_put(w, iov, n, e)) < 0;
		return w->failed ? -1 : 0;
	}
	if (!output_writev(&w->out, iov, n, &written, e)) {
		w->on_file += written;
		return 0;
	}
	w->failed = true;
	if (writer_has_marks(w))
		writer_salvage(w, w->on_file + written);
	return -1;
}

/* Write directly or through the thread. `mark_at`: position of the mark at the end; 0 = none. */
static int append(struct writer *w, const struct iovec *iov, int n, uint64_t mark_at, struct err *e)
{
	int result;

	if (w->async) {
		result = async_put(w->async, iov, n, mark_at, e);
		for (int i = 0; !result && i < n; i++)
			w->position += iov[i].iov_len;
		return result;
	}
	result = writer_put(w, iov, n, e);
	if (!result && mark_at)
		result = writer_state(w, mark_at, e);
	w->position = w->on_file;
	return result;
}

/*
 * Write the buffered records and then these at once. `mark`: add a mark, unless nothing was written
 * since the last one.
 */
static int flush(struct writer *w, const struct iovec *iov, int n, bool mark, struct err *e)
{
	uint64_t end = writer_bytes(w), mark_at = 0;
	int ret = 0;

	vec_clear(&w->pieces);
	if (w->pending.len)
		vec_push(&w->pieces, (struct iovec){ w->pending.buf, w->pending.len });
	for (int i = 0; i < n; end += iov[i++].iov_len)
		vec_push(&w->pieces, iov[i]);
	if (writer_has_marks(w) && end > w->marked && (mark || end - w->marked >= SYNC_EVERY)) {
		mark_at = end;
		w->marked = end + w->mark.len;
		vec_push(&w->pieces, (struct iovec){ w->mark.buf, w->mark.len });
	}
	if (w->pieces.len)
		ret = append(w, w->pieces.items, (int)w->pieces.len, mark_at, e);
	w->pending.len = 0;
	return ret;
}

/* Compress the pending records. Keep a rest that is too short to be worth it yet (unless `all`). */
static int flush_compressed(struct writer *w, bool all, struct err *e)
{
	struct out packed;
	size_t at = 0;
	int ret = 0;

	out_init_mem(&packed);
	while (!ret && at < w->pending.len && (all || w->pending.len - at >= COMPRESS_CHUNK)) {
		size_t some = MIN(w->pending.len - at, (size_t)COMPRESS_CHUNK);
		struct iovec iov;

		packed.len = 0;
		ret = compressor_put(w->compressor, w->pending.buf + at, some, &packed, e);
		iov = (struct iovec){ packed.buf, packed.len };
		if (!ret)
			ret = append(w, &iov, 1, 0, e);
		at += some;
	}
	w->failed |= ret < 0 && !w->async;
	w->pending.len -= at;
	if (w->pending.len)
		memmove(w->pending.buf, w->pending.buf + at, w->pending.len);
	out_release(&packed);
	return ret;
}

/*
 * Write the whole buffer and a mark. Only here does the compressed output end with a whole record.
 */
static int flush_pending(struct writer *w, struct err *e)
{
	if (w->compressor && flush_compressed(w, true, e) < 0)
		return -1;
	return flush(w, NULL, 0, true, e);
}

static int flush_full(struct writer *w, struct err *e)
{
	if (!w->compressor)
		return flush(w, NULL, 0, false, e);
	if (w->position - w->marked < SYNC_EVERY || !writer_has_marks(w))
		return flush_compressed(w, false, e);
	return flush_pending(w, e);
}

static int check(struct writer *w, struct err *e)
{
	/*
	 * With a writing thread, `failed` belongs to the thread; it reports the error at the next
	 * write.
	 */
	return !w->async && w->failed ? err_set(e, "writing '%s' failed before", w->out.path) : 0;
}

/* atomic: the writing thread reads it for the compression ratio */
static void count_raw(struct writer *w, uint64_t bytes) { __atomic_fetch_add(&w->raw_bytes, bytes, __ATOMIC_RELAXED); }

int writer_record(struct writer *w, const void *record, size_t size, struct err *e)
{
	if (check(w, e) < 0)
		return -1;
	out_mem(&w->pending, record, size);
	count_raw(w, size);
	if (w->pending.len < PENDING_MAX)
		return 0;
	return flush_full(w, e);
}

int writer_write(struct writer *w, const struct iovec *iov, int n, struct err *e)
{
	if (check(w, e) < 0)
		return -1;
	for (int i = 0; i < n; i++)
		count_raw(w, iov[i].iov_len);
	if (!w->compressor)
		return flush(w, iov, n, false, e);
	for (int i = 0; i < n; i++) {
		for (size_t at = 0; at < iov[i].iov_len;) {
			size_t some = MIN(iov[i].iov_len - at, (size_t)COMPRESS_CHUNK);

			out_mem(&w->pending, (const char *)iov[i].iov_base + at, some);
			at += some;
			if (w->pending.len >= COMPRESS_CHUNK && flush_compressed(w, false, e) < 0)
				return -1;
		}
	}
	/* The records so far are whole, so a mark can follow. */
	return writer_has_marks(w) && w->position - w->marked >= SYNC_EVERY ? flush_pending(w, e) : 0;
}

int writer_auxtrace(struct writer *w, const struct iovec *iov, int n, struct err *e)
{
	uint16_t size = 0;

	if (check(w, e) < 0 || (w->compressor && flush_pending(w, e) < 0))
		return -1;
	for (int i = 0; i < n; i++)
		count_raw(w, iov[i].iov_len);
	memcpy(&size, (const char *)iov[0].iov_base + 6, sizeof(size));
	vec_push(&w->auxtraces, writer_bytes(w));
	vec_push(&w->auxtraces, size);
	return flush(w, iov, n, false, e);
}

int writer_flush(struct writer *w, struct err *e)
{
	if (check(w, e) < 0)
		return -1;
	return w->compressor ? flush_compressed(w, true, e) : flush(w, NULL, 0, false, e);
}

int writer_sync(struct writer *w, struct err *e) { return check(w, e) < 0 || flush_pending(w, e) < 0 ? -1 : 0; }

/* Wait until the thread has written everything; later writes are our own. */
static int stop_async(struct writer *w, struct err *e)
{
	struct async *a = w->async;

	w->async = NULL;
	return async_stop(a, e);
}

int writer_settle(struct writer *w, struct err *e) { return stop_async(w, e) < 0 ? -1 : writer_sync(w, e); }

int writer_finish(struct writer *w, const struct features *f, struct err *e)
{
	int ret = stop_async(w, e) < 0 ? -1 : check(w, e);

	/*
	 * A file without data looks like that of a killed recorder, and readers would ignore its
	 * features.
	 */
	if (!ret && !w->raw_bytes && !w->opts.records_only)
		put_record(&w->pending, RECORD_FINISHED_ROUND, NULL, 0);
	if (!ret)
		ret = flush_pending(w, e);
	if (!ret && writer_has_marks(w))
		ret = writer_finish_file(w, f, e);
	cover_end(w);
	if (output_close(&w->out, ret ? NULL : e) < 0)
		ret = -1;
	writer_free(w);
	return ret;
}

void writer_abandon(struct writer *w, bool remove_file)
{
	if (!w)
		return;
	stop_async(w, NULL);
	if (w->begun && !w->failed)
		flush_pending(w, NULL);
	cover_end(w);
	if (remove_file && w->begun)
		output_undo(&w->out);
	writer_free(w);
}
