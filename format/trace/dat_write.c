#include "base/out.h"
#include "format/trace/dat.h"

/* Offsets in the file are those of the bytes written so far. */
struct trace_dat_writer {
	struct out *o;
	uint64_t written;
};

static void put(struct trace_dat_writer *w, const void *p, size_t len)
{
	out_mem(w->o, p, len);
	w->written += len;
}

static void put_u32(struct trace_dat_writer *w, uint32_t v) { put(w, &v, sizeof(v)); }
static void put_u64(struct trace_dat_writer *w, uint64_t v) { put(w, &v, sizeof(v)); }

static void put_option(struct trace_dat_writer *w, uint16_t id, const char *text)
{
	if (!text)
		return;
	put(w, &id, sizeof(id));
	put_u32(w, (uint32_t)strlen(text) + 1);
	put(w, text, strlen(text) + 1);
}

void trace_dat_write(struct out *o, const struct trace_dat_parts *p)
{
	enum { CPUSTAT = 2, TRACECLOCK = 4, UNAME = 5 };
	struct trace_dat_writer w = { .o = o };
	uint64_t clock_len = p->clock ? strlen(p->clock) : 0, at;
	uint16_t end = 0;
	uint64_t page = p->page_size;

	put(&w, p->head, p->head_len);
	put_u32(&w, (uint32_t)p->n_cpus);
	put(&w, "options  ", 10);
	for (size_t i = 0; i < p->n_cpus; i++)
		put_option(&w, CPUSTAT, p->cpus[i].stats);
	put_option(&w, TRACECLOCK, p->clock);
	put_option(&w, UNAME, p->uname);
	put(&w, &end, sizeof(end));
	put(&w, "flyrecord", 10);
	at = ROUND_UP(w.written + p->n_cpus * 16 + 8 + clock_len, page);
	for (size_t i = 0; i < p->n_cpus; i++) {
		put_u64(&w, at);
		put_u64(&w, p->cpus[i].size);
		at += ROUND_UP(p->cpus[i].size, page);
	}
	put_u64(&w, clock_len);
	put(&w, p->clock ? p->clock : "", clock_len);
	for (size_t i = 0; i < p->n_cpus; i++) {
		uint64_t pad = ROUND_UP(w.written, page) - w.written;

		out_pad(w.o, '\0', (long)pad);
		w.written += pad;
		put(&w, p->cpus[i].data, p->cpus[i].size);
	}
}
