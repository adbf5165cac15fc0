/*
 * Write a recording of the imported data. It has no objects and no maps, so we describe each function as code that the
 * kernel generated: the KSYMBOL records of such code contain names, and perf reads them, too.
 */
#include "format/format.h"
#include "format/writer/writer.h"
#include "report/import/import_priv.h"

/* Each name gets sixteen bytes in the kernel's half of the address space. */
#define CODE_START 0xffff900000000000ull
enum { CODE_SIZE = 16, INSIDE = 8, FRAMES_MAX = 8000, TRAILER_MAX = 32 };
enum { SOFTWARE_CPU_CLOCK = 0, SOFTWARE_DUMMY = 9, KSYMBOL_OUT_OF_LINE = 2 };

struct import_writer {
	const struct import *im;
	struct import_notes *notes;
	struct writer *to;
	struct err *e;
	bool times, cpus;
	uint64_t first_ns;
	struct out record;
	struct u64map comms; /* tid -> its last comm + 1 */
	uint8_t *named;      /* by text: it has a KSYMBOL record */
};

static void put(struct import_writer *w, const void *bytes, size_t n) { out_mem(&w->record, bytes, n); }
static void put_u64(struct import_writer *w, uint64_t v) { put(w, &v, 8); }
static void put_u32(struct import_writer *w, uint32_t v) { put(w, &v, 4); }

static void begin(struct import_writer *w, uint32_t type, uint16_t misc)
{
	w->record.len = 0;
	put_u32(w, type);
	put(w, &misc, 2);
	put(w, &(uint16_t){ 0 }, 2); /* the size; filled in later */
}

static int finish(struct import_writer *w)
{
	uint16_t size = (uint16_t)w->record.len;

	memcpy(w->record.buf + 6, &size, 2);
	return writer_record(w->to, w->record.buf, w->record.len, w->e);
}

/* Put text with its NUL, padded to 8 bytes; cut it if the record is full. */
static void put_text(struct import_writer *w, const char *text)
{
	size_t len = strlen(text), most = RECORD_SIZE_MAX - TRAILER_MAX - 8 - w->record.len;

	if (len > most) {
		len = most;
		w->notes->cut_names++;
	}
	put(w, text, len);
	do
		out_char(&w->record, 0);
	while (w->record.len % 8);
}

/* Put the fields of sample_id_all for the attr's sample_type. */
static void put_trailer(struct import_writer *w, const struct import_task *t, uint64_t time_ns, uint32_t cpu)
{
	put_u32(w, (uint32_t)t->pid);
	put_u32(w, (uint32_t)t->tid);
	if (w->times)
		put_u64(w, time_ns);
	if (w->cpus) {
		put_u32(w, cpu);
		put_u32(w, 0);
	}
	put_u64(w, 1); /* id */
}

static int write_name(struct import_writer *w, uint32_t name)
{
	if (w->named[name])
		return 0;
	w->named[name] = 1;
	begin(w, RECORD_KSYMBOL, CPUMODE_KERNEL);
	put_u64(w, CODE_START + (uint64_t)name * CODE_SIZE);
	put_u32(w, CODE_SIZE);
	put(w, &(uint16_t){ KSYMBOL_OUT_OF_LINE }, 2);
	put(w, &(uint16_t){ 0 }, 2);
	put_text(w, strtab_get(&w->im->texts, name));
	put_trailer(w, &(struct import_task){ 0 }, w->first_ns, 0);
	return finish(w);
}

/* Put the thread's name if it is new. */
static int write_comm(struct import_writer *w, const struct import_task *t, const struct import_sample *s)
{
	uint32_t *comm = u64map_put(&w->comms, (uint32_t)t->tid, NULL);

	if (*comm == t->comm + 1)
		return 0;
	*comm = t->comm + 1;
	begin(w, RECORD_COMM, 0);
	put_u32(w, (uint32_t)t->pid);
	put_u32(w, (uint32_t)t->tid);
	put_text(w, strtab_get(&w->im->texts, t->comm));
	put_trailer(w, t, s->time_ns, s->cpu);
	return finish(w);
}

static int write_sample(struct import_writer *w, const struct import_sample *s)
{
	const struct import_task *t = &w->im->tasks.items[s->task];
	uint32_t n = MIN(s->n, (uint32_t)FRAMES_MAX);
	const uint32_t *frames = n ? w->im->frames.items + s->at : NULL;

	for (uint32_t i = 0; i < n; i++)
		if (write_name(w, frames[i]) < 0)
			return -1;
	if (write_comm(w, t, s) < 0)
		return -1;
	w->notes->cut_stacks += n < s->n;
	begin(w, RECORD_SAMPLE, CPUMODE_KERNEL);
	put_u64(w, s->event + 1ull);
	put_u64(w, n ? CODE_START + (uint64_t)frames[0] * CODE_SIZE + INSIDE : 0);
	put_u32(w, (uint32_t)t->pid);
	put_u32(w, (uint32_t)t->tid);
	if (w->times)
		put_u64(w, s->time_ns);
	if (w->cpus) {
		put_u32(w, s->cpu);
		put_u32(w, 0);
	}
	put_u64(w, s->weight);
	put_u64(w, n ? n + 1ull : 0);
	if (n)
		put_u64(w, CHAIN_KERNEL);
	for (uint32_t i = 0; i < n; i++)
		put_u64(w, CODE_START + (uint64_t)frames[i] * CODE_SIZE + INSIDE);
	return finish(w);
}

/* Record times and CPUs only if all samples have them. */
static void survey(struct import_writer *w)
{
	w->times = w->cpus = w->im->samples.len;
	w->first_ns = UINT64_MAX;
	for (size_t i = 0; i < w->im->samples.len; i++) {
		const struct import_sample *s = &w->im->samples.items[i];

		w->times &= s->time_ns != UINT64_MAX;
		w->cpus &= s->cpu != UINT32_MAX;
		w->first_ns = MIN(w->first_ns, s->time_ns);
	}
}

static void add_events(struct import_writer *w)
{
	for (size_t i = 0; i < w->im->events.len; i++) {
		const struct import_event *ev = &w->im->events.items[i];
		uint64_t id = i + 1;

		writer_event(w->to, &(struct writer_event){
					    .attr = { .type = ATTR_TYPE_SOFTWARE,
						      .size = sizeof(struct attr),
						      .config = ev->time ? SOFTWARE_CPU_CLOCK : SOFTWARE_DUMMY,
						      .sample_period = 1,
						      .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID |
								     (w->times ? SAMPLE_TIME : 0) |
								     (w->cpus ? SAMPLE_CPU : 0) | SAMPLE_PERIOD |
								     SAMPLE_CALLCHAIN,
						      .flags = ATTR_SAMPLE_ID_ALL | ATTR_COMM | ATTR_KSYMBOL },
					    .ids = &id,
					    .n_ids = 1,
					    .name = ev->name,
					    .leader = (uint32_t)i,
					    .n_members = 1 });
	}
}

static int write_all_samples(struct import_writer *w)
{
	for (size_t i = 0; i < w->im->samples.len; i++)
		if (write_sample(w, &w->im->samples.items[i]) < 0)
			return -1;
	return 0;
}

int import_write(const struct import *im, const char *path, struct import_notes *notes, struct err *e)
{
	struct import_writer w = { .im = im, .notes = notes, .e = e };
	struct features f = { 0 };
	int rc;

	survey(&w);
	w.to = writer_open(path, &(struct writer_opts){ 0 }, e);
	if (!w.to)
		return -1;
	add_events(&w);
	rc = writer_begin(w.to, &f, e);
	if (rc < 0) {
		writer_abandon(w.to, false);
		return -1;
	}
	out_init_mem(&w.record);
	w.named = xcalloc(im->texts.texts.len + 1, 1);
	rc = write_all_samples(&w);
	if (rc < 0)
		writer_abandon(w.to, true);
	else
		rc = writer_finish(w.to, &f, e);
	free(w.named);
	u64map_free(&w.comms);
	out_release(&w.record);
	return rc;
}
