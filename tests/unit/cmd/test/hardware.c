/*
 * The results of other machines (tests/golden/hardware/NAME.json), replayed: their PMUs become a tree of files in
 * place of sysfs, and a faked kernel refuses what theirs refused, and gives the counts and samples that theirs gave.
 * Measuring on it must open the same attrs and come to the same outcome and verdict.
 */
#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/encode/json_read.h"
#include "cmd/test/hardware_priv.h"
#include "tests/unit/events/fake.h"
#include <cmocka.h>

/* What hardware_measure.c maps: a ring and, for traces, an AUX area behind it. */
enum { RING_PAGES = 64, AUX_PAGES = 64, SAMPLE_WORDS = 64, BRANCHES = 8 };

static const char *folder;
static const struct hardware_feature *feature; /* which is measured now */
static struct hardware_outcome recorded;       /* what it was on that machine */

extern const char hardware_loop_begin[];

/* ---- the faked kernel ---- */

/* Enabling, disabling and ids: the counts are there from the beginning. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;

	va_start(args, request);
	if (request == PERF_EVENT_IOC_ID)
		*va_arg(args, uint64_t *) = (uint64_t)fd;
	va_end(args);
	return 0;
}

static int judge(const struct fake_call *call)
{
	if (recorded.sys)
		return recorded.sys;
	return call->attr.precise_ip > recorded.attr.precise ? EOPNOTSUPP : 0;
}

/* The body of a sample that is right, or of one that is not. Return its number of words. */
static size_t put_sample(uint64_t *w, bool right)
{
	bool stores = feature->work == hardware_stores;

	w[0] = right ? (uintptr_t)hardware_loop_begin : 1;
	w[1] = 0;
	switch (feature->sample) {
	case HARDWARE_IP:
	case HARDWARE_TRACED: return 1;
	case HARDWARE_CHAIN:
	case HARDWARE_CALL_STACK:
		w[1] = right ? HARDWARE_CALLS : 0;
		for (unsigned i = 0; i < w[1]; i++)
			w[2 + i * (feature->sample == HARDWARE_CHAIN ? 1 : 3)] = hardware_call(i) + 4;
		return 2 + w[1] * (feature->sample == HARDWARE_CHAIN ? 1 : 3);
	case HARDWARE_BRANCH:
		w[1] = right ? BRANCHES : 0;
		for (unsigned i = 0; i < w[1]; i++)
			hardware_branch(i, &w[2 + 3 * i], &w[3 + 3 * i]);
		return 2 + 3 * w[1];
	default: w[1] = !right ? 1 : stores ? (uintptr_t)hardware_word() : (uintptr_t)hardware_buffer() + 64; return 2;
	}
}

static void put_samples(uint8_t *data, size_t room, struct perf_event_mmap_page *head)
{
	for (uint64_t i = 0; i < recorded.expected; i++) {
		uint64_t words[SAMPLE_WORDS] = { 0 };
		size_t n = put_sample(words, i < recorded.got);
		struct perf_event_header h = { .type = PERF_RECORD_SAMPLE, .size = (uint16_t)(sizeof(h) + 8 * n) };

		assert_true(head->data_head + h.size <= room);
		memcpy(data + head->data_head, &h, sizeof(h));
		memcpy(data + head->data_head + sizeof(h), words, 8 * n);
		head->data_head += h.size;
	}
}

/* Records of SPE: the address of an access, then the end packet. Return their length. */
static size_t put_trace(uint8_t *aux, size_t room)
{
	enum { ADDRESS_PACKET = 0xb2, END_PACKET = 0x01, RECORD = 10 };
	size_t at = 0;

	for (uint64_t i = 0; i < recorded.expected; i++, at += RECORD) {
		uint64_t address = i < recorded.got ? (uintptr_t)hardware_buffer() + 64 : 1;

		assert_true(at + RECORD <= room);
		aux[at] = ADDRESS_PACKET;
		memcpy(aux + at + 1, &address, sizeof(address));
		aux[at + RECORD - 1] = END_PACKET;
	}
	return at;
}

/* Only the event that was described counts, and on one CPU, so that the sum is what was counted. */
static bool counts(const struct fake_call *call)
{
	return call->attr.type == recorded.attr.type && call->attr.config == recorded.attr.config && call->cpu <= 0;
}

/* A file that has the ring and the AUX area to map, and then the count to read. */
static int open_counter(const struct fake_call *call)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), ring = (1 + RING_PAGES) * page, size = ring + AUX_PAGES * page;
	uint64_t values[3] = { counts(call) ? recorded.got : 0, 1, 1 };
	int fd = memfd_create("counter", MFD_CLOEXEC);
	struct perf_event_mmap_page *head;

	assert_true(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(head != MAP_FAILED);
	head->aux_head = feature->kind == HARDWARE_BYTES ? recorded.got : 0;
	if (feature->sample == HARDWARE_TRACED)
		head->aux_head = put_trace((uint8_t *)head + ring, size - ring);
	else if (feature->kind == HARDWARE_SAMPLES && call->attr.sample_period)
		put_samples((uint8_t *)head + page, ring - page, head);
	munmap(head, size);
	assert_int_equal(pwrite(fd, values, sizeof(values), (off_t)size), sizeof(values));
	lseek(fd, (off_t)size, SEEK_SET);
	return fd;
}

/* ---- the faked sysfs ---- */

/* Members of a PMU are its name and the texts of its files. */
static void make_pmus(const struct json_document *d)
{
	const struct json_value *list = json_find(d, json_root(d), "pmus");

	for (const struct json_value *pmu = json_first(d, list); pmu; pmu = json_next(d, pmu))
		for (const struct json_value *file = json_first(d, pmu); file; file = json_next(d, file)) {
			autofree char *path = xasprintf(FAKE_PMU "%s/%s", json_member(d, pmu, "pmu"), file->key);
			autofree char *text = xasprintf("%s\n", file->text);

			if (strcmp(file->key, "pmu"))
				fake_file(path, text);
		}
}

static void make_process(void)
{
	autofree char *path = xasprintf("/proc/%d/task/%d/comm", (int)getpid(), (int)getpid());

	fake_file(path, "test\n");
}

/* ---- the test ---- */

static void measure_again(const char *name)
{
	char how[HARDWARE_HOW], again[HARDWARE_HOW];
	struct hardware_outcome o = { 0 };
	const char *verdict;

	hardware_measure(feature, &o);
	o.peer = recorded.peer; /* perf is not there to be asked again */
	verdict = hardware_judge(feature->kind, &o, again);
	if (o.attr.type != recorded.attr.type || o.attr.config != recorded.attr.config ||
	    o.attr.config1 != recorded.attr.config1 || o.attr.precise != recorded.attr.precise)
		fail_msg("%s: %s opens type %u config %#llx,%#llx precise %u", name, feature->name, o.attr.type,
			 (unsigned long long)o.attr.config, (unsigned long long)o.attr.config1, o.attr.precise);
	if (o.sys != recorded.sys || o.expected != recorded.expected || o.got != recorded.got ||
	    strcmp(verdict, hardware_judge(feature->kind, &recorded, how)))
		fail_msg("%s: %s %s: errno %d, %s (recorded: errno %d, %s)", name, feature->name, verdict, o.sys, again,
			 recorded.sys, how);
}

static void replay(const char *name)
{
	autofree char *path = xasprintf("%s/%s", folder, name);
	struct json_document d = { 0 };
	const struct json_value *list;
	struct err e = { 0 };

	list = hardware_read(&d, path, &e);
	if (!list)
		fail_msg("%s: %s", name, e.what);
	assert_int_equal(fake_begin(NULL), 0);
	make_pmus(&d);
	make_process();
	for (const struct json_value *v = json_first(&d, list); v; v = json_next(&d, v)) {
		feature = hardware_read_outcome(&d, v, &recorded, &e);
		if (!feature)
			fail_msg("%s: %s", name, e.what);
		assert_string_equal(hardware_judge(feature->kind, &recorded, (char[HARDWARE_HOW]){ 0 }),
				    json_member(&d, v, "verdict"));
		if (json_find(&d, json_root(&d), "pmus")) {
			if (!hardware_is_here(feature))
				fail_msg("%s: this machine has no %s", name, feature->name);
			measure_again(name);
		}
	}
	fake_end(NULL);
	json_release(&d);
}

static void results_of_other_machines_come_out_again(void **state)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	unsigned n = 0;

	assert_non_null(dir);
	fake_judge = judge;
	fake_open = open_counter;
	hardware_reads(1); /* samples are made before the work, and have addresses of its buffer */
	while ((d = readdir(dir))) {
		if (!strstr(d->d_name, ".json"))
			continue;
		replay(d->d_name);
		n++;
	}
	closedir(dir);
	assert_true(n >= 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(results_of_other_machines_come_out_again) };

	if (argc != 2)
		return 2;
	folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
