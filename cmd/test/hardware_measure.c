/* Measure one feature: open its event on this process, run the work, and read count, samples or trace. */
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "cmd/test/hardware.h"

enum { RING_PAGES = 64, AUX_PAGES = 64, CHAIN_MAX = 127, BRANCHES_MAX = 64, PERIOD = 20011, CLOCK_PERIOD_NS = 250000 };

struct hardware_ring {
	struct perf_event_mmap_page *head;
	size_t size;
	void *aux;
	size_t aux_size;
};

static void refuse(struct hardware_outcome *o, const struct err *e, int otherwise)
{
	o->sys = e->sys ? e->sys : otherwise;
	snprintf(o->why, sizeof(o->why), "%.*s", (int)sizeof(o->why) - 1, e->why[0] ? e->why : e->what);
}

static bool is_sampled(const struct hardware_feature *f) { return f->kind == HARDWARE_SAMPLES; }

static void ask(const struct hardware_feature *f, struct perf_event_attr *attr)
{
	attr->disabled = 1;
	if (!is_sampled(f))
		return;
	attr->sample_type = PERF_SAMPLE_IP;
	attr->sample_period = attr->type == PERF_TYPE_SOFTWARE ? CLOCK_PERIOD_NS : PERIOD;
	if (f->address)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (f->chain) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->exclude_callchain_kernel = 1;
	}
	if (f->branches) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	}
}

static int map_ring(struct hardware_ring *r, int fd, bool aux)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	r->size = (1 + RING_PAGES) * page;
	r->head = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->head == MAP_FAILED)
		return -1;
	if (!aux)
		return 0;
	r->aux_size = AUX_PAGES * page;
	r->head->aux_offset = r->size;
	r->head->aux_size = r->aux_size;
	r->aux = mmap(NULL, r->aux_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)r->size);
	return r->aux == MAP_FAILED ? -1 : 0;
}

static void unmap_ring(struct hardware_ring *r)
{
	if (r->aux && r->aux != MAP_FAILED)
		munmap(r->aux, r->aux_size);
	if (r->head && r->head != MAP_FAILED)
		munmap(r->head, r->size);
}

/* Return true if a branch of the sample leads from the loop's end to its begin. */
static bool has_loop_branch(const uint64_t *p, uint64_t n)
{
	for (uint64_t i = 0; i < MIN(n, (uint64_t)BRANCHES_MAX); i++)
		if (hardware_in_loop(p[3 * i]) && hardware_in_loop(p[3 * i + 1]))
			return true;
	return false;
}

/*
 * Is the sample what the work makes? `p`: IP, then address, chain and branches as the feature asks for
 * them. Source: perf_event_open(2), "PERF_RECORD_SAMPLE".
 */
static bool is_right(const struct hardware_feature *f, const uint64_t *p)
{
	uint64_t ip = *p++;

	if (f->address)
		return *p >= (uintptr_t)hardware_buffer && *p < (uintptr_t)hardware_buffer + hardware_buffer_size;
	if (f->chain)
		return *p <= CHAIN_MAX + 2 && hardware_chain(p + 1, *p) == 3;
	if (f->branches)
		return has_loop_branch(p + 1, *p);
	return hardware_in_loop(ip);
}

/* Count the samples in the ring, and those that are right. */
static void read_samples(const struct hardware_feature *f, const struct hardware_ring *r, struct hardware_outcome *o)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = RING_PAGES * page;
	const uint8_t *data = (const uint8_t *)r->head + page;
	uint64_t head = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE);
	static uint64_t copy[8192]; /* a record has less than 64 KiB */

	for (uint64_t at = r->head->data_tail; at + sizeof(struct perf_event_header) <= head;) {
		struct perf_event_header h;
		uint8_t *to = (uint8_t *)copy;

		for (size_t i = 0; i < sizeof(h); i++)
			((uint8_t *)&h)[i] = data[(at + i) % len];
		if (h.size < sizeof(h) || at + h.size > head)
			break;
		memset(copy, 0, sizeof(uint64_t) * 8);
		for (size_t i = sizeof(h); i < h.size; i++)
			*to++ = data[(at + i) % len];
		at += h.size;
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		o->expected++;
		o->got += is_right(f, copy);
	}
}

/* Read the count of the first event of each kind of cores: only one of them ran the work. */
static uint64_t read_counts(const struct event_list *l)
{
	uint64_t sum = 0, count;

	for (size_t i = 0; i < l->events.len; i++)
		for (size_t c = 0; c < l->events.items[i].n_cpus; c++)
			if (read(event_fd(&l->events.items[i], c, 0), &count, sizeof(count)) == sizeof(count))
				sum += count;
	return sum;
}

static void run(const struct hardware_feature *f, struct event_list *l, struct hardware_outcome *o)
{
	const struct event *event = &l->events.items[0];
	bool mapped = is_sampled(f) || f->kind == HARDWARE_BYTES;
	struct hardware_ring ring = { 0 };
	struct err e = { 0 };

	if (mapped && map_ring(&ring, event_fd(event, 0, 0), f->kind == HARDWARE_BYTES) < 0) {
		err_sys(&e, "its ring cannot be mapped");
		refuse(o, &e, errno);
		unmap_ring(&ring);
		return;
	}
	if (f->work == hardware_reads)
		hardware_reads(1); /* the buffer must be there */
	if (event_list_enable(l, &e) < 0) {
		refuse(o, &e, EINVAL);
	} else {
		if (f->work)
			f->work(f->n);
		event_list_disable(l, NULL);
		if (is_sampled(f))
			read_samples(f, &ring, o);
		else
			o->got = f->kind == HARDWARE_BYTES ? ring.head->aux_head : read_counts(l);
	}
	unmap_ring(&ring);
}

void hardware_measure(const struct hardware_feature *f, struct hardware_outcome *o)
{
	struct event_list l = { 0 };
	char pid[16];
	struct target target = { .pids = pid, .per_thread = true }; /* one ring, whatever CPU it runs on */
	struct open_opts opts = { .no_fallback = true };
	struct open_notes notes = { 0 };
	autofree char *event = f->work == hardware_stores
				       ? xasprintf("mem:%#llx/4:w:u", (unsigned long long)(uintptr_t)&hardware_word)
				       : xstrdup(f->event);
	struct err e = { 0 };

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (f->kind == HARDWARE_NONZERO && !f->work)
		target = (struct target){ .system_wide = true };
	if (event_list_parse(&l, event, &e) < 0 || target_resolve(&target, &e) < 0) {
		refuse(o, &e, ENOENT);
	} else {
		for (size_t i = 0; i < l.events.len; i++)
			ask(f, &l.events.items[i].attr);
		if (event_list_open(&l, &target, &opts, &notes, &e) < 0)
			refuse(o, &e, EINVAL);
		else
			run(f, &l, o);
		o->type = l.events.items[0].attr.type;
		o->config = l.events.items[0].attr.config;
		o->config1 = f->work == hardware_stores ? 0 : l.events.items[0].attr.config1; /* no address */
		o->precise = l.events.items[0].attr.precise_ip;
	}
	if (!o->sys && !is_sampled(f))
		o->expected = f->n * f->per_n;
	vec_free(&notes.texts);
	event_list_release(&l);
	target_release(&target);
}
