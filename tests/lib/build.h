#ifndef TESTS_LIB_BUILD_H
#define TESTS_LIB_BUILD_H

#include "format/format.h"

/*
 * Build tiny perf.data inputs for tests, in each form that a reader must know:
 *
 *	struct build b = build_start(SAMPLE_TIME | SAMPLE_TID);
 *	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "sh");
 *	build_sample(&b, .pid = 7, .tid = 7, .time = 20, .ip = 0x1000);
 *	struct perfdata *pd = build_open(&b);
 *	...
 *	perfdata_close(pd);
 *	build_release(&b);
 *
 * Members left out are 0. A field without its bit in the event's sample_type is not written. This
 * code shares nothing with format/: it has its own tables, offsets and byte order.
 */
enum build_form { BUILD_FILE, BUILD_FILE_SWAPPED, BUILD_PIPE, BUILD_PIPE_SWAPPED, BUILD_FORMS };
const char *build_form_name(enum build_form form);

struct build_event {
	struct attr attr;
	const char *name;
	uint64_t ids[4];
	size_t n_ids;
};
struct build_feature {
	unsigned bit;
	uint8_t *data;
	size_t size;
};
struct build {
	enum build_form form;
	VEC(struct build_event) events;
	VEC(struct build_feature) features;
	VEC(uint8_t) records;
	VEC(uint8_t) bytes;   /* the result of build_bytes */
	uint32_t attr_size;   /* size of the written attrs; 0 = 128 */
	uint32_t header_size; /* 0 = 104; 72 = without feature bits */
	bool unclosed;        /* data size 0 in the header */
	bool v1;              /* PERFFILE */
};

/* Start with one event "cpu-clock" of this sample_type, with sample_id_all and the id 1. */
struct build build_start(uint64_t sample_type);
struct build build_start_as(enum build_form form, uint64_t sample_type);
/* Return the event's attr; change it before building records. */
struct attr *build_attr(struct build *b, size_t event);
/*
 * Add an event like the first one except for sample_type and name; its id is its index + 1. Return
 * the index.
 */
size_t build_event(struct build *b, uint64_t sample_type, const char *name);
void build_release(struct build *b);

/*
 * Return the finished input. b owns it; it is valid until the next call of build_bytes, build_open
 * or build_release.
 */
const uint8_t *build_bytes(struct build *b, size_t *len);
/* Open it from memory; end the program if that fails. */
struct perfdata *build_open(struct build *b);
/* Write it to a new file and return the path. The caller unlinks and frees it. */
char *build_file(struct build *b);

/* Add a feature section: raw bytes, or a text. */
void build_feature(struct build *b, unsigned bit, const void *data, size_t size);
void build_feature_text(struct build *b, unsigned bit, const char *text);

/*
 * Add any record. `shape` gives the widths of the words of `body`, which are in host order: "448" =
 * two u32 and a u64; 's' takes the rest as bytes.
 */
void build_record(struct build *b, uint32_t type, uint16_t misc, const void *body, size_t size, const char *shape);
/* Add the raw bytes of a record, header included, in the input's byte order. */
void build_raw(struct build *b, const void *bytes, size_t size);

/*
 * Owner and time, for the trailer. `event`: index of the event whose id goes into trailers and
 * samples.
 */
#define BUILD_WHO \
	int32_t pid, tid; \
	uint64_t time; \
	uint32_t cpu; \
	size_t event; \
	uint16_t misc
struct build_comm {
	BUILD_WHO;
	const char *comm;
	bool exec;
};
struct build_task {
	BUILD_WHO;
	int32_t ppid, ptid;
};
struct build_mmap {
	BUILD_WHO;
	uint64_t start, len, pgoff, ino, generation;
	uint32_t maj, min, prot, flags; /* prot 0: read and execute; flags 0: private */
	const char *filename;
	const uint8_t *build_id;
	uint8_t build_id_size;
	bool old; /* MMAP instead of MMAP2 */
};
struct build_lost {
	BUILD_WHO;
	uint64_t id, lost;
};
struct build_path {
	BUILD_WHO;
	uint64_t id;
	const char *path;
};
struct build_ksymbol {
	BUILD_WHO;
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
	const char *name;
	unsigned excess; /* words behind the trailer, as older kernels write them */
};
struct build_branch {
	uint64_t from, to, flags;
};
struct build_sample {
	BUILD_WHO;
	uint64_t ip, addr, stream_id, period, weight, data_src, transaction, phys_addr, cgroup, data_page_size,
		code_page_size;
	const uint64_t *read;
	size_t n_read; /* raw words */
	const uint64_t *chain;
	size_t n_chain;
	const void *raw;
	uint32_t raw_size;
	const struct build_branch *branches;
	size_t n_branches;
	uint64_t hw_idx;
	const uint64_t *counters;
	uint64_t user_abi, intr_abi;
	const uint64_t *user_regs, *intr_regs; /* as many as the masks have bits */
	const void *stack;
	uint64_t stack_size, stack_dyn;
	const void *aux;
	uint64_t aux_size;
};
#define build_comm(b, ...)    build_comm_((b), &(struct build_comm){ __VA_ARGS__ })
#define build_fork(b, ...)    build_task_((b), RECORD_FORK, &(struct build_task){ __VA_ARGS__ })
#define build_exit(b, ...)    build_task_((b), RECORD_EXIT, &(struct build_task){ __VA_ARGS__ })
#define build_mmap(b, ...)    build_mmap_((b), &(struct build_mmap){ __VA_ARGS__ })
#define build_lost(b, ...)    build_lost_((b), &(struct build_lost){ __VA_ARGS__ })
#define build_cgroup(b, ...)  build_cgroup_((b), &(struct build_path){ __VA_ARGS__ })
#define build_ksymbol(b, ...) build_ksymbol_((b), &(struct build_ksymbol){ __VA_ARGS__ })
#define build_sample(b, ...)  build_sample_((b), &(struct build_sample){ __VA_ARGS__ })
void build_comm_(struct build *b, const struct build_comm *c);
void build_task_(struct build *b, uint32_t type, const struct build_task *t);
void build_mmap_(struct build *b, const struct build_mmap *m);
void build_lost_(struct build *b, const struct build_lost *l);
void build_cgroup_(struct build *b, const struct build_path *p);
void build_ksymbol_(struct build *b, const struct build_ksymbol *k);
void build_sample_(struct build *b, const struct build_sample *s);
void build_round(struct build *b);
/* Add an EVENT_UPDATE: a name or unit for an event. */
void build_update(struct build *b, size_t event, uint64_t type, const char *text);
/*
 * Put everything built since `from` (the value of b->records.len then) into one COMPRESSED2 record
 * with its own zstd frame.
 */
void build_compress(struct build *b, size_t from);

#endif
