/*
 * Features that older kernels lack. A kernel answers EINVAL to any unknown bit and does not say
 * which. So try each feature alone, on a harmless event of our own.
 *
 * To add a feature: a row, newest first. Source: perf_event_open(2), the "since Linux" notes.
 */
#include <errno.h>
#include <fcntl.h>

#include "events/events_priv.h"

/*
 * Bits in the word of one-bit members, counted as in perf_event_open(2): bit 0 is `disabled` on
 * every host.
 */
#define FLAG(n) (1ull << (n))
enum {
	FLAG_INHERIT = 1,
	FLAG_MMAP2 = 23,
	FLAG_COMM_EXEC = 24,
	FLAG_CLOCKID = 25,
	FLAG_SWITCH = 26,
	FLAG_BACKWARD = 27,
	FLAG_NAMESPACES = 28,
	FLAG_KSYMBOL = 29,
	FLAG_BPF = 30,
	FLAG_CGROUP = 32,
	FLAG_TEXT_POKE = 33,
	FLAG_BUILD_ID = 34,
	FLAG_SAMPLE_ID_ALL = 18,
};

struct attr_feature {
	const char *name;
	/* The event uses the feature when all of these bits are set. */
	uint64_t sample_type, read_format, flags;
	/* Bits to clear without the feature; `instead` is then set in sample_type. */
	uint64_t drop_sample_type, drop_read_format, drop_flags, instead;
	const char *fatal; /* the user asked for it with this option: fail without the feature */
};

static const struct attr_feature features[] = {
	{ "inherited group reads", .sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID, .flags = FLAG(FLAG_INHERIT),
	  .drop_flags = FLAG(FLAG_INHERIT) },
	{ "counts of lost samples", .read_format = PERF_FORMAT_LOST, .drop_read_format = PERF_FORMAT_LOST },
	{ "build-ids in mmap records", .flags = FLAG(FLAG_BUILD_ID), .drop_flags = FLAG(FLAG_BUILD_ID) },
	{ "structured weights", .sample_type = PERF_SAMPLE_WEIGHT_STRUCT, .drop_sample_type = PERF_SAMPLE_WEIGHT_STRUCT,
	  .instead = PERF_SAMPLE_WEIGHT },
	{ "code page sizes", .sample_type = PERF_SAMPLE_CODE_PAGE_SIZE, .fatal = "--code-page-size" },
	{ "data page sizes", .sample_type = PERF_SAMPLE_DATA_PAGE_SIZE, .fatal = "--data-page-size" },
	{ "text poke records", .flags = FLAG(FLAG_TEXT_POKE), .drop_flags = FLAG(FLAG_TEXT_POKE) },
	{ "cgroup records", .flags = FLAG(FLAG_CGROUP), .drop_flags = FLAG(FLAG_CGROUP),
	  .drop_sample_type = PERF_SAMPLE_CGROUP },
	{ "BPF records", .flags = FLAG(FLAG_BPF), .drop_flags = FLAG(FLAG_BPF) },
	{ "kernel symbol records", .flags = FLAG(FLAG_KSYMBOL), .drop_flags = FLAG(FLAG_KSYMBOL) },
	{ "physical addresses", .sample_type = PERF_SAMPLE_PHYS_ADDR, .fatal = "--phys-data" },
	{ "namespaces records", .flags = FLAG(FLAG_NAMESPACES), .fatal = "--namespaces" },
	{ "backward writing", .flags = FLAG(FLAG_BACKWARD), .fatal = "--overwrite" },
	{ "context switch records", .flags = FLAG(FLAG_SWITCH), .fatal = "--switch-events" },
	{ "a choice of clocks", .flags = FLAG(FLAG_CLOCKID), .fatal = "--clockid" },
	{ "registers at the interrupt", .sample_type = PERF_SAMPLE_REGS_INTR, .fatal = "--intr-regs" },
	{ "exec marks", .flags = FLAG(FLAG_COMM_EXEC), .drop_flags = FLAG(FLAG_COMM_EXEC) },
	{ "mmap2 records", .flags = FLAG(FLAG_MMAP2), .drop_flags = FLAG(FLAG_MMAP2) | FLAG(FLAG_BUILD_ID) },
	{ "ids in all records", .flags = FLAG(FLAG_SAMPLE_ID_ALL), .drop_flags = FLAG(FLAG_SAMPLE_ID_ALL) },
	{ "inherited groups", .read_format = PERF_FORMAT_GROUP, .flags = FLAG(FLAG_INHERIT),
	  .drop_read_format = PERF_FORMAT_GROUP },
};
_Static_assert(ARRAY_SIZE(features) <= 32, "struct kernel_facts has 32 bits");

/* The word behind read_format; big-endian hosts allocate its bit-fields from the other end. */
#define FLAGS_AT (offsetof(struct perf_event_attr, read_format) + 8)

uint64_t attr_flags(uint64_t flags)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	uint64_t reversed = 0;

	for (int i = 0; i < 64; i++)
		reversed |= (flags >> i & 1) << (63 - i);
	return reversed;
#else
	return flags;
#endif
}

static uint64_t get_flags(const struct perf_event_attr *attr)
{
	uint64_t word;

	memcpy(&word, (const char *)attr + FLAGS_AT, sizeof(word));
	return attr_flags(word);
}

static void set_flags(struct perf_event_attr *attr, uint64_t flags)
{
	uint64_t word = attr_flags(flags);

	memcpy((char *)attr + FLAGS_AT, &word, sizeof(word));
}

static bool uses(const struct perf_event_attr *attr, const struct attr_feature *f)
{
	return (attr->sample_type & f->sample_type) == f->sample_type &&
	       (attr->read_format & f->read_format) == f->read_format && (get_flags(attr) & f->flags) == f->flags;
}

/* Open an event with only this feature. Any answer but EINVAL says that the kernel has it. */
static bool kernel_knows(const struct attr_feature *f)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int fd;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = f->sample_type;
	attr.read_format = f->read_format;
	set_flags(&attr, f->flags);
	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	if (attr.use_clockid)
		attr.clockid = 1; /* CLOCK_MONOTONIC */
	fd = sys_perf_event_open(&attr, 0, -1, -1, 0);
	if (fd < 0)
		return errno != EINVAL;
	close(fd);
	return true;
}

bool missing_knows_cloexec(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY };
	int fd;

	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno != EINVAL;
	close(fd);
	return true;
}

bool missing_strip(struct kernel_facts *facts, struct event *event, const char **dropped, const char **fatal)
{
	struct perf_event_attr *attr = &event->attr;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct attr_feature *f = &features[i];

		if (!uses(attr, f))
			continue;
		if (!(facts->tried >> i & 1)) {
			facts->tried |= 1u << i;
			facts->known |= (uint32_t)kernel_knows(f) << i;
		}
		if (facts->known >> i & 1)
			continue;
		if (f->fatal) {
			*fatal = f->fatal;
			return false;
		}
		*dropped = f->name;
		attr->sample_type = (attr->sample_type & ~f->drop_sample_type) | f->instead;
		attr->read_format &= ~f->drop_read_format;
		set_flags(attr, get_flags(attr) & ~f->drop_flags);
		return true;
	}
	return false;
}

/*
 * Bits that one event of a list carries for all: sideband, and when to start. Members of a group
 * have none of them.
 */
#define DUTIES \
	(FLAG(0) | FLAG(8) | FLAG(9) | FLAG(12) | FLAG(13) | FLAG(17) | FLAG(FLAG_MMAP2) | FLAG(FLAG_COMM_EXEC) | \
	 FLAG(FLAG_SWITCH) | FLAG(FLAG_NAMESPACES) | FLAG(FLAG_KSYMBOL) | FLAG(FLAG_BPF) | FLAG(FLAG_CGROUP) | \
	 FLAG(FLAG_TEXT_POKE) | FLAG(FLAG_BUILD_ID))

void duties_move(struct event *from, struct event *to)
{
	set_flags(&to->attr, get_flags(&to->attr) | (get_flags(&from->attr) & DUTIES));
	set_flags(&from->attr, get_flags(&from->attr) & ~DUTIES);
}
