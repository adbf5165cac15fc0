/* Measure one feature: open its event on this process, run the work, and read count, samples or trace. */
#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/units.h"
#include "cmd/test/hardware_priv.h"
#include "format/spe.h"

enum { RING_PAGES = 64, AUX_PAGES = 64, CHAIN_MAX = 127, BRANCHES_MAX = 64 };
/* Operations between two that SPE records; other tracers ignore it. */
enum { TRACE_INTERVAL = 4096 };

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

/*
 * Return the event to measure. In a group for samples it is the last, which needs the others beside
 * it. On machines with two kinds of cores, each event exists once per kind; the last is that of the
 * large cores, where the work runs.
 */
static struct event *measured(const struct hardware_feature *f, struct event_list *l)
{
	return &l->events.items[is_sampled(f) ? l->events.len - 1 : 0];
}

/* Return true if it writes into an AUX area. */
static bool is_traced(const struct hardware_feature *f)
{
	return f->kind == HARDWARE_BYTES || (is_sampled(f) && f->sample == HARDWARE_TRACED);
}

static void ask_samples(const struct hardware_feature *f, struct perf_event_attr *attr)
{
	attr->sample_type = PERF_SAMPLE_IP;
	attr->sample_period = attr->type == PERF_TYPE_SOFTWARE ? HARDWARE_CLOCK_PERIOD : HARDWARE_PERIOD;
	switch (f->sample) {
	case HARDWARE_IP:
	case HARDWARE_TRACED: break;
	case HARDWARE_ADDRESS:
	case HARDWARE_SOME_ADDRESS: attr->sample_type |= PERF_SAMPLE_ADDR; break;
	case HARDWARE_CHAIN:
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->exclude_callchain_kernel = 1;
		break;
	case HARDWARE_BRANCH:
	case HARDWARE_CALL_STACK:
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type =
			PERF_SAMPLE_BRANCH_USER |
			(f->sample == HARDWARE_BRANCH ? PERF_SAMPLE_BRANCH_ANY : PERF_SAMPLE_BRANCH_CALL_STACK);
	}
}

static void ask(const struct hardware_feature *f, struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++) {
		struct event *event = &l->events.items[i];

		event->attr.disabled = event->leader == i;
		if (f->kind == HARDWARE_SCALED)
			event->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		if (is_sampled(f) && event == measured(f, l))
			ask_samples(f, &event->attr);
		if (is_traced(f))
			event->attr.sample_period = TRACE_INTERVAL;
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

static bool is_known_address(const struct hardware_feature *f, uint64_t address)
{
	if (f->work == hardware_stores)
		return address == (uintptr_t)hardware_word();
	return hardware_in_buffer(address);
}

/*
 * Return true if the work produced this sample. `p`: IP, then address, chain and branches as the
 * feature requests them. Source: perf_event_open(2), "PERF_RECORD_SAMPLE".
 */
static bool is_right(const struct hardware_feature *f, const uint64_t *p)
{
	uint64_t ip = p[0], n = p[1];

	switch (f->sample) {
	case HARDWARE_IP: return hardware_in_loop(ip);
	case HARDWARE_CHAIN: return n <= CHAIN_MAX + 2 && hardware_chain(p + 2, n, 1);
	case HARDWARE_BRANCH: return n <= BRANCHES_MAX && hardware_sequence(p + 2, n);
	case HARDWARE_CALL_STACK: return n <= BRANCHES_MAX && hardware_chain(p + 2, n, 3);
	default: return is_known_address(f, n);
	}
}

/* Count the operations in the trace that have an address, and those that are right. */
static void read_trace(const struct hardware_feature *f, const struct hardware_ring *r, struct hardware_outcome *o)
{
	uint64_t head = __atomic_load_n(&r->head->aux_head, __ATOMIC_ACQUIRE);
	struct spe_cursor c = { .at = r->aux, .end = (const uint8_t *)r->aux + MIN(head, (uint64_t)r->aux_size) };
	struct spe_record record;

	while (spe_next(&c, &record)) {
		if (!(record.has & SPE_HAS_ADDRESS))
			continue;
		o->expected++;
		o->got += is_known_address(f, record.address);
	}
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
		if (f->sample == HARDWARE_SOME_ADDRESS && !copy[1])
			continue;
		o->expected++;
		o->got += is_right(f, copy);
	}
}

/* Sum the counts of the groups' leaders: on machines with two kinds of cores only one of them ran the work. */
static uint64_t read_counts(const struct event_list *l)
{
	uint64_t sum = 0, count;

	for (size_t i = 0; i < l->events.len; i++)
		for (size_t c = 0; l->events.items[i].leader == i && c < l->events.items[i].n_cpus; c++)
			if (read(event_fd(&l->events.items[i], c, 0), &count, sizeof(count)) == sizeof(count))
				sum += count;
	return sum;
}

/* Among the leaders of all groups, find the scaled count that is farthest from the truth. */
static uint64_t read_scaled(const struct event_list *l, uint64_t truth)
{
	uint64_t worst = truth, most = 0;

	for (size_t i = 0; i < l->events.len; i++) {
		uint64_t values[3] = { 0 }, scaled = 0, away; /* count, time enabled, time running */

		if (l->events.items[i].leader != i)
			continue;
		if (read(event_fd(&l->events.items[i], 0, 0), values, sizeof(values)) == sizeof(values) && values[2])
			scaled = (uint64_t)((double)values[0] * (double)values[1] / (double)values[2]);
		away = scaled > truth ? scaled - truth : truth - scaled;
		if (away > most || (!most && i == 0)) {
			most = away;
			worst = scaled;
		}
	}
	return worst;
}

/*
 * Run only on the CPUs of the feature's PMU, else on the large cores. Return false if there is only
 * one kind.
 */
static bool stay_on(const struct hardware_feature *f, cpu_set_t *before)
{
	autofree char *cpus = pmu_text(f->on ? f->on : "cpu_core", "cpus");
	struct cpuset list = { 0 };
	cpu_set_t set;
	bool done;

	CPU_ZERO(&set);
	if (cpus)
		cpus[strcspn(cpus, "\n")] = '\0';
	if (!cpus || cpuset_parse(&list, cpus, NULL) < 0 || sched_getaffinity(0, sizeof(*before), before) < 0)
		return false;
	for (size_t i = 0; i < list.len; i++)
		if (list.items[i] < CPU_SETSIZE)
			CPU_SET((size_t)list.items[i], &set);
	done = sched_setaffinity(0, sizeof(set), &set) == 0;
	cpuset_free(&list);
	return done;
}

static void do_work(const struct hardware_feature *f)
{
	cpu_set_t before;
	bool moved = stay_on(f, &before);

	if (f->work)
		f->work(f->n);
	if (moved)
		sched_setaffinity(0, sizeof(before), &before);
}

static void run(const struct hardware_feature *f, struct event_list *l, struct hardware_outcome *o)
{
	const struct event *event = measured(f, l);
	bool mapped = is_sampled(f) || is_traced(f);
	struct hardware_ring ring = { 0 };
	struct err e = { 0 };

	if (mapped && map_ring(&ring, event_fd(event, 0, 0), is_traced(f)) < 0) {
		err_sys(&e, "its ring cannot be mapped");
		refuse(o, &e, errno);
		unmap_ring(&ring);
		return;
	}
	if (f->work == hardware_reads)
		hardware_reads(1); /* make the buffer now */
	if (event_list_enable(l, &e) < 0) {
		refuse(o, &e, EINVAL);
	} else {
		do_work(f);
		event_list_disable(l, NULL);
		if (is_sampled(f) && is_traced(f))
			read_trace(f, &ring, o);
		else if (is_sampled(f))
			read_samples(f, &ring, o);
		else
			o->got = f->kind == HARDWARE_BYTES    ? ring.head->aux_head
				 : f->kind == HARDWARE_SCALED ? read_scaled(l, f->n * f->per_n)
							      : read_counts(l);
	}
	unmap_ring(&ring);
}

static void describe(const struct hardware_feature *f, const struct perf_event_attr *from, struct hardware_attr *a)
{
	a->type = from->type;
	a->config = from->config;
	a->config1 = f->kind == HARDWARE_EXACT ? 0 : from->config1; /* not a breakpoint's address */
	a->precise = from->precise_ip;
}

void hardware_measure(const struct hardware_feature *f, struct hardware_outcome *o)
{
	struct event_list l = { 0 };
	char pid[16];
	struct target target = { .pids = pid, .per_thread = true }; /* one ring, whatever CPU it runs on */
	struct open_opts opts = { .no_fallback = true };
	struct open_notes notes = { 0 };
	autofree char *event = !f->event ? xasprintf("mem:%#llx/4:w:u", (unsigned long long)(uintptr_t)hardware_word())
					 : xstrdup(f->event);
	struct err e = { 0 };

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (f->kind == HARDWARE_NONZERO && !f->work)
		target = (struct target){ .system_wide = true };
	if (event_list_parse(&l, event, &e) < 0 || target_resolve(&target, &e) < 0) {
		refuse(o, &e, ENOENT);
	} else {
		ask(f, &l);
		if (event_list_open(&l, &target, &opts, &notes, &e) < 0)
			refuse(o, &e, EINVAL);
		else
			run(f, &l, o);
		describe(f, &measured(f, &l)->attr, &o->attr);
	}
	if (!o->sys && !is_sampled(f))
		o->expected = f->n * f->per_n;
	vec_free(&notes.texts);
	event_list_release(&l);
	target_release(&target);
}
