#include "record/bpf/kernel_priv.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "events/events.h"

static int bpf(int command, union bpf_attr *attr) { return (int)syscall(SYS_bpf, command, attr, sizeof(*attr)); }

/* Until Linux 5.11, maps and programs count as locked memory. */
static void allow_memory(void)
{
	static bool done;
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	if (!done)
		setrlimit(RLIMIT_MEMLOCK, &all); /* if this is refused, making a map reports the error */
	done = true;
}

int bpf_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries, struct err *e)
{
	union bpf_attr attr = { .map_type = type, .key_size = key, .value_size = value, .max_entries = entries };
	int fd;

	allow_memory();
	snprintf(attr.map_name, sizeof(attr.map_name), "%s", name);
	fd = bpf(BPF_MAP_CREATE, &attr);
	return fd >= 0 ? fd : advice_bpf(errno, e);
}

int bpf_load(enum bpf_prog_type type, const char *name, struct emit *code, struct err *e)
{
	static char log[4096]; /* the end of the verifier's messages; for developers, not for users */
	union bpf_attr attr = { .prog_type = type,
				.insns = (uintptr_t)code->items,
				.license = (uintptr_t) "Dual MIT/GPL" };
	int fd, error;

	emit_finish(code);
	attr.insn_cnt = (uint32_t)code->len;
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd >= 0 || errno == EPERM || errno == ENOSYS)
		return fd >= 0 ? fd : advice_bpf(errno, e);
	error = errno;
	attr.log_buf = (uintptr_t)log;
	attr.log_size = sizeof(log);
	attr.log_level = 1;
	bpf(BPF_PROG_LOAD, &attr);
	errno = error;
	err_sys(e, "the kernel refuses the BPF program %s", name);
	return err_why(e, "%s", log);
}

int bpf_attach_raw(int program, const char *tracepoint, struct err *e)
{
	union bpf_attr attr = { .raw_tracepoint = { .name = (uintptr_t)tracepoint, .prog_fd = (uint32_t)program } };
	int fd = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);

	return fd >= 0 ? fd : err_sys(e, "cannot attach a BPF program to %s", tracepoint);
}

int bpf_attach(int program, const char *system, const char *name, struct err *e)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1 };
	uint64_t id;
	int fd;

	if (tracepoint_id(system, name, &id, e) < 0)
		return -1;
	attr.config = id;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) == 0)
		return fd;
	err_sys(e, "cannot attach a BPF program to %s:%s", system, name);
	if (fd >= 0)
		close(fd);
	return -1;
}

int bpf_field_at(const char *system, const char *name, const char *field, struct err *e)
{
	size_t len;
	autofree char *format = tracepoint_format(system, name, &len, e), *word = xasprintf(" %s;\toffset:", field);
	const char *at = format ? strstr(format, word) : NULL;

	if (!format)
		return -1;
	return at ? atoi(at + strlen(word)) : err_set(e, "the format of %s:%s has no field %s", system, name, field);
}

int bpf_record_size(const char *system, const char *name, struct err *e)
{
	size_t len;
	autofree char *format = tracepoint_format(system, name, &len, e);
	int most = 0, offset, size;

	if (!format)
		return -1;
	for (const char *at = format; (at = strstr(at, "offset:")); at++)
		if (sscanf(at, "offset:%d;\tsize:%d;", &offset, &size) == 2)
			most = MAX(most, offset + size);
	return most;
}

static int on_element(int command, int map, const void *key, const void *value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)map, .key = (uintptr_t)key, .value = (uintptr_t)value };

	return bpf(command, &attr);
}

int bpf_get(int map, const void *key, void *value) { return on_element(BPF_MAP_LOOKUP_ELEM, map, key, value); }
int bpf_put(int map, const void *key, const void *value) { return on_element(BPF_MAP_UPDATE_ELEM, map, key, value); }
int bpf_drop(int map, const void *key) { return on_element(BPF_MAP_DELETE_ELEM, map, key, NULL); }
int bpf_next(int map, const void *key, void *next) { return on_element(BPF_MAP_GET_NEXT_KEY, map, key, next); }

uint64_t bpf_misses(int program)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = {
		.info = { .bpf_fd = (uint32_t)program, .info_len = sizeof(info), .info = (uintptr_t)&info }
	};

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0 ? info.recursion_misses : 0;
}
