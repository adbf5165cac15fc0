/* Measure how long the host takes for what a guest cannot do: from an event of the thread to its next entry. */
#include <math.h>
#include <time.h>

#include "base/hash.h"
#include "base/sort/sort.h"
#include "report/presets/presets.h"
#include "report/waits/kvm_names.h"
#include "report/waits/open_pairs.h"

enum { ENTRY, EXIT, MMIO, PIO, MSR, KINDS };
enum { EXIT_REASON, EXIT_ISA, EXIT_RET, EXIT_CLASS };
static const struct trace_want wanted[KINDS] = {
	[ENTRY] = { "kvm:kvm_entry", { "vcpu_id" } },
	[EXIT] = { "kvm:kvm_exit", { "exit_reason", "isa", "ret", "esr_ec" } },
	[MMIO] = { "kvm:kvm_mmio", { "gpa", "type" } },
	[PIO] = { "kvm:kvm_pio", { "port", "rw" } },
	[MSR] = { "kvm:kvm_msr", { "ecx", "write" } },
};
/* Source: KVM_TRACE_MMIO_* in include/trace/events/kvm.h, KVM_PIO_OUT in arch/x86/kvm/trace.h. */
enum { MMIO_READ = 1, MMIO_WRITE = 2, PIO_OUT = 1, ARM_TRAP = 2 };

/* One row of the table: something that the host handles. Times are in ns. */
struct kvm_row {
	uint64_t key;
	uint32_t info; /* of an exit: enum kvm_isa; otherwise the direction of the data */
	uint64_t count, total, min, max;
	double mean, squares; /* Welford's algorithm; squares: sum of the squared distances from the mean */
};

struct kvm_state {
	const struct kvm_opts *opts;
	struct session *session;
	struct live_events events;
	struct out *out;
	struct open_pairs open; /* by thread; value: rows + 1, or 0 if only the end says which row */
	struct u64map vcpus;    /* thread -> number of its vcpu + 1; known after its first entry */
	struct u64map index;    /* what a row is for -> rows + 1 */
	VEC(struct kvm_row) rows;
};

/* ---- names ---- */

static const char *direction(const struct kvm_opts *k, uint32_t info)
{
	switch (k->event) {
	case KVM_MMIO: return info == MMIO_WRITE ? "W" : "R";
	case KVM_IOPORT: return info == PIO_OUT ? "POUT" : "PIN";
	default: return info ? "W" : "R";
	}
}

static void row_name(const struct kvm_opts *k, const struct kvm_row *r, char *buf, size_t size)
{
	if (k->event == KVM_VMEXIT)
		snprintf(buf, size, "%s", kvm_reason_name(r->info, r->key));
	else
		snprintf(buf, size, "%#llx:%s", (unsigned long long)r->key, direction(k, r->info));
}

/* ---- pairs ---- */

static uint32_t row_of(struct kvm_state *s, uint64_t key, uint32_t info)
{
	uint32_t *at = u64map_put(&s->index, hash_mix(key, info), NULL);

	if (!*at) {
		vec_push(&s->rows, (struct kvm_row){ .key = key, .info = info });
		*at = (uint32_t)s->rows.len;
	}
	return *at;
}

/* Return the row for the reason of an exit. On arm64, a trap also has a class. */
static uint32_t exit_row(struct kvm_state *s, const struct trace_event *t)
{
	if (!trace_event_has(t, EXIT_RET))
		return row_of(s, (uint32_t)trace_number(t, EXIT_REASON), (uint32_t)trace_number(t, EXIT_ISA));
	if ((uint32_t)trace_number(t, EXIT_RET) == ARM_TRAP)
		return row_of(s, (uint32_t)trace_number(t, EXIT_CLASS), KVM_ARM64_TRAP);
	return row_of(s, (uint32_t)trace_number(t, EXIT_RET), KVM_ARM64);
}

static void start(struct kvm_state *s, const struct trace_event *t, uint32_t row)
{
	open_pairs_start(&s->open, &(struct open_pair){ .key = (uint32_t)t->task.tid, .time = t->time, .value = row });
}

static void tell_slow(struct kvm_state *s, const struct trace_event *t, const struct kvm_row *r, uint64_t vcpu,
		      uint64_t ns)
{
	char name[64];

	row_name(s->opts, r, name, sizeof(name));
	if (!s->opts->slow_ns || ns < s->opts->slow_ns || kvm_is_halt(name))
		return;
	out_fmt(s->out, "%llu.%06llu VM %d, vcpu %llu: %s event took %lluusec\n",
		(unsigned long long)(t->time / 1000000000), (unsigned long long)(t->time / 1000 % 1000000), t->task.pid,
		(unsigned long long)vcpu, name, (unsigned long long)(ns / 1000));
}

static void add(struct kvm_row *r, uint64_t ns)
{
	double delta = (double)ns - r->mean;

	r->min = r->count && r->min < ns ? r->min : ns;
	r->max = MAX(r->max, ns);
	r->total += ns;
	r->count++;
	r->mean += delta / (double)r->count;
	r->squares += delta * ((double)ns - r->mean);
}

/* End what the thread began. `row`: what the host handled, if the start did not say it. */
static void end(struct kvm_state *s, const struct trace_event *t, uint32_t row)
{
	const uint32_t *vcpu = u64map_find(&s->vcpus, (uint32_t)t->task.tid);
	struct open_pair p;
	uint64_t ns;

	if (!open_pairs_end(&s->open, (uint32_t)t->task.tid, &p))
		return;
	row = p.value ? (uint32_t)p.value : row;
	if (!row || !vcpu || t->time < p.time || (s->opts->vcpu >= 0 && *vcpu != (uint32_t)s->opts->vcpu + 1))
		return;
	ns = t->time - p.time;
	add(&s->rows.items[row - 1], ns);
	tell_slow(s, t, &s->rows.items[row - 1], *vcpu - 1, ns);
}

/* Take an MMIO event. A write begins with it and ends with the entry; a read begins with the exit and ends with it. */
static void mmio(struct kvm_state *s, const struct trace_event *t)
{
	uint32_t type = (uint32_t)trace_number(t, 1);
	uint32_t row = type == MMIO_READ || type == MMIO_WRITE ? row_of(s, trace_number(t, 0), type) : 0;

	if (type == MMIO_WRITE)
		start(s, t, row);
	else if (type == MMIO_READ)
		end(s, t, row);
}

/* Take an event. We do not know a thread's vcpu before its first entry; like perf, ignore what it does until then. */
static void event(struct kvm_state *s, const struct trace_event *t)
{
	static const uint32_t events[] = {
		[KVM_VMEXIT] = EXIT, [KVM_MMIO] = MMIO, [KVM_IOPORT] = PIO, [KVM_MSR] = MSR
	};
	const struct kvm_opts *k = s->opts;

	if (k->pids && !sample_filter_wants_task(k->pids, s->session, &t->task))
		return;
	if (t->want == ENTRY) {
		*u64map_put(&s->vcpus, (uint32_t)t->task.tid, NULL) = (uint32_t)trace_number(t, 0) + 1;
		end(s, t, 0);
		return;
	}
	if (!u64map_find(&s->vcpus, (uint32_t)t->task.tid))
		return;
	if (k->event == KVM_MMIO && t->want == EXIT)
		start(s, t, 0);
	else if (k->event == KVM_MMIO && t->want == MMIO)
		mmio(s, t);
	else if (t->want == events[k->event])
		start(s, t,
		      t->want == EXIT ? exit_row(s, t) : row_of(s, trace_number(t, 0), (uint32_t)trace_number(t, 1)));
}

/* ---- the table ---- */

static int compare(const void *a, const void *b, void *ctx)
{
	const struct kvm_row *x = a, *y = b;
	const struct kvm_opts *k = ctx;

	if (k->by_time && x->mean != y->mean)
		return x->mean > y->mean ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->info > y->info) - (x->info < y->info);
}

static double share(uint64_t part, uint64_t all) { return all ? 100.0 * (double)part / (double)all : 0; }

/* Return the standard error of the mean, in percent of the mean. */
static double doubt(const struct kvm_row *r)
{
	double variance = r->count > 1 ? r->squares / (double)(r->count - 1) : 0;

	return r->mean > 0 ? 100.0 * sqrt(variance / (double)r->count) / r->mean : 0;
}

static void print_head(const struct kvm_state *s)
{
	static const char *const titles[] = { [KVM_VMEXIT] = "VM-EXIT",
					      [KVM_MMIO] = "MMIO Access",
					      [KVM_IOPORT] = "IO Port Access",
					      [KVM_MSR] = "MSR Access" };
	struct out *o = s->out;

	out_str(o, "\n\nAnalyze events for ");
	if (s->opts->vm)
		out_fmt(o, "pid(s) %s, ", s->opts->vm);
	else
		out_str(o, "all VMs, ");
	if (s->opts->vcpu >= 0)
		out_fmt(o, "VCPU %d:\n\n", s->opts->vcpu);
	else
		out_str(o, "all VCPUs:\n\n");
	out_fmt(o, "%20s %10s %9s %9s %11s %11s %16s \n\n", titles[s->opts->event], "Samples", "Samples%", "Time%",
		"Min Time", "Max Time", "Avg time");
}

static void print_table(struct kvm_state *s)
{
	uint64_t count = 0, total = 0;
	struct out *o = s->out;
	char name[64];

	for (size_t i = 0; i < s->rows.len; i++) {
		count += s->rows.items[i].count;
		total += s->rows.items[i].total;
	}
	print_head(s);
	for (size_t i = 0; i < s->rows.len; i++) {
		const struct kvm_row *r = &s->rows.items[i];

		if (!r->count)
			continue;
		row_name(s->opts, r, name, sizeof(name));
		out_fmt(o, "%20s %10llu %8.2f%% %8.2f%% %9.2fus %9.2fus %9.2fus ( +-%7.2f%% )\n", name,
			(unsigned long long)r->count, share(r->count, count), share(r->total, total),
			(double)r->min / 1e3, (double)r->max / 1e3, r->mean / 1e3, doubt(r));
	}
	out_fmt(o, "\nTotal Samples:%llu, Total events handled time:%.2fus.\n\n", (unsigned long long)count,
		(double)total / 1e3);
}

/* Print an interval of a running system. Sort a copy of the rows, because open starts refer to rows by index. */
static void print_interval(struct kvm_state *s)
{
	struct kvm_state sorted = *s;
	struct timespec now;
	struct tm tm;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	out_fmt(s->out, "%s.%06ld", text, now.tv_nsec / 1000);
	sorted.rows.items = xcalloc(s->rows.len + 1, sizeof(*s->rows.items));
	for (size_t i = 0; i < s->rows.len; i++)
		sorted.rows.items[i] = s->rows.items[i];
	vec_sort_r(&sorted.rows, compare, (void *)(uintptr_t)s->opts);
	print_table(&sorted);
	free(sorted.rows.items);
	out_flush(s->out);
	for (size_t i = 0; i < s->rows.len; i++)
		s->rows.items[i] = (struct kvm_row){ .key = s->rows.items[i].key, .info = s->rows.items[i].info };
}

static int check_events(const struct kvm_state *s, struct err *e)
{
	if (s->opts->live || (s->events.wants && trace_wants_has(s->events.wants, EXIT)))
		return 0;
	return presets_need(&s->events, "KVM guests", "kvm stat record", e);
}

int kvm_stat(struct live *l, const struct kvm_opts *k, struct out *o, struct err *e)
{
	struct kvm_state s = { .opts = k, .session = live_session(l), .out = o };
	struct trace_event t;
	int what, rc;

	s.events = (struct live_events){ .live = l, .rows = wanted, .n_rows = KINDS };
	while ((what = live_events_next(&s.events, &t, e)) > LIVE_END)
		if (what == LIVE_EVENT) {
			event(&s, &t);
		} else {
			print_interval(&s);
			live_events_tidy(&s.events);
		}
	rc = what < 0 ? -1 : check_events(&s, e);
	if (rc == 0 && k->live) {
		print_interval(&s);
	} else if (rc == 0) {
		vec_sort_r(&s.rows, compare, (void *)(uintptr_t)k);
		print_table(&s);
	}
	live_events_release(&s.events);
	open_pairs_free(&s.open);
	u64map_free(&s.vcpus);
	u64map_free(&s.index);
	vec_free(&s.rows);
	return rc;
}
