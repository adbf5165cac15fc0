/*
 * If PERF_TEST_ATTR names a directory, write a file event-TYPE-CONFIG-FD there for each opened
 * descriptor, with the attr given to the kernel as key=value lines. perf's tests/attr.py and our
 * own tests read them.
 *
 * To add a member of the attr: a row. Source of offsets and bits: perf_event_open(2);
 * linux/perf_event.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/out.h"
#include "events/events_priv.h"

/* A number in the attr: its offset and size in bytes. */
struct attr_word {
	unsigned at, size;
	const char *key;
};
static const struct attr_word words_before[] = {
	{ 0, 4, "type" },           { 4, 4, "size" },         { 8, 8, "config" },
	{ 16, 8, "sample_period" }, { 24, 8, "sample_type" }, { 32, 8, "read_format" },
};
enum { ATTR_FLAGS_AT = 40 };
static const struct attr_word words_after[] = {
	{ 48, 4, "wakeup_events" },
	{ 52, 4, "bp_type" },
	{ 56, 8, "config1" },
	{ 64, 8, "config2" },
	{ 72, 8, "branch_sample_type" },
	{ 80, 8, "sample_regs_user" },
	{ 88, 4, "sample_stack_user" },
	{ 92, 4, "clockid" },
	{ 96, 8, "sample_regs_intr" },
	{ 104, 4, "aux_watermark" },
	{ 108, 2, "sample_max_stack" },
	{ 112, 4, "aux_sample_size" },
	{ 120, 8, "sig_data" },
	{ 128, 8, "config3" },
	{ 136, 8, "config4" },
};

/*
 * A member of the flags word: its lowest bit, as perf_event_open(2) counts them, and its number of
 * bits.
 */
struct attr_flag {
	unsigned bit, width;
	const char *key;
};
static const struct attr_flag flags[] = {
	{ 0, 1, "disabled" },
	{ 1, 1, "inherit" },
	{ 2, 1, "pinned" },
	{ 3, 1, "exclusive" },
	{ 4, 1, "exclude_user" },
	{ 5, 1, "exclude_kernel" },
	{ 6, 1, "exclude_hv" },
	{ 7, 1, "exclude_idle" },
	{ 8, 1, "mmap" },
	{ 9, 1, "comm" },
	{ 10, 1, "freq" },
	{ 11, 1, "inherit_stat" },
	{ 12, 1, "enable_on_exec" },
	{ 13, 1, "task" },
	{ 14, 1, "watermark" },
	{ 15, 2, "precise_ip" },
	{ 17, 1, "mmap_data" },
	{ 18, 1, "sample_id_all" },
	{ 19, 1, "exclude_host" },
	{ 20, 1, "exclude_guest" },
	{ 21, 1, "exclude_callchain_kernel" },
	{ 22, 1, "exclude_callchain_user" },
	{ 23, 1, "mmap2" },
	{ 24, 1, "comm_exec" },
	{ 25, 1, "use_clockid" },
	{ 26, 1, "context_switch" },
	{ 27, 1, "write_backward" },
	{ 28, 1, "namespaces" },
	{ 29, 1, "ksymbol" },
	{ 30, 1, "bpf_event" },
	{ 31, 1, "aux_output" },
	{ 32, 1, "cgroup" },
	{ 33, 1, "text_poke" },
	{ 34, 1, "build_id" },
	{ 35, 1, "inherit_thread" },
	{ 36, 1, "remove_on_exec" },
	{ 37, 1, "sigtrap" },
	{ 38, 1, "defer_callchain" },
	{ 39, 1, "defer_output" },
};

static void write_words(struct out *o, const uint8_t *attr, const struct attr_word *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = 0;
		uint32_t v32;
		uint16_t v16;

		if (words[i].size == 8)
			memcpy(&value, attr + words[i].at, 8);
		else if (words[i].size == 4)
			value = (memcpy(&v32, attr + words[i].at, 4), v32);
		else
			value = (memcpy(&v16, attr + words[i].at, 2), v16);
		out_fmt(o, "%s=%llu\n", words[i].key, (unsigned long long)value);
	}
}

static void write_flags(struct out *o, const uint8_t *attr)
{
	uint64_t word;

	memcpy(&word, attr + ATTR_FLAGS_AT, sizeof(word));
	word = attr_flags(word);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		out_fmt(o, "%s=%u\n", flags[i].key, (unsigned)(word >> flags[i].bit & ((1u << flags[i].width) - 1)));
}

static int write_event(int dir, const struct opened *opened, struct err *e)
{
	uint8_t attr[ATTR_BYTES_MAX];
	char name[80];
	autoclose int fd = -1;
	struct out o;

	event_attr_bytes(opened->event, attr);
	snprintf(name, sizeof(name), "event-%u-%llu-%d", opened->event->attr.type,
		 (unsigned long long)opened->event->attr.config, opened->fd);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, "cannot write '%s' into the directory of PERF_TEST_ATTR", name);
	out_init_fd(&o, fd);
	out_fmt(&o, "[%s]\nfd=%d\ngroup_fd=%d\ncpu=%d\npid=%d\nflags=%lu\n", name, opened->fd, opened->group_fd,
		opened->cpu, opened->pid, opened->flags);
	write_words(&o, attr, words_before, ARRAY_SIZE(words_before));
	write_flags(&o, attr);
	write_words(&o, attr, words_after, ARRAY_SIZE(words_after));
	return out_finish(&o, e);
}

int open_log_begin(int *dir, struct err *e)
{
	const char *path = secure_getenv("PERF_TEST_ATTR");

	*dir = -1;
	if (!path || !*path)
		return 0;
	*dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*dir >= 0)
		return 0;
	err_sys(e, "cannot open '%s', which PERF_TEST_ATTR names", path);
	return err_try(e, "make it a directory, or unset PERF_TEST_ATTR");
}

int open_log(int dir, const struct opened *opened, struct err *e) { return dir < 0 ? 0 : write_event(dir, opened, e); }
