#ifndef SYMBOLS_NAME_JITDUMP_H
#define SYMBOLS_NAME_JITDUMP_H

#include "base/mem.h"
#include "symbols/name/reasons.h"

/* Record ids. Source: tools/perf/Documentation/jitdump-specification.txt of the kernel tree. */
enum { JITDUMP_LOAD, JITDUMP_MOVE, JITDUMP_DEBUG, JITDUMP_CLOSE, JITDUMP_UNWIND };

/*
 * A piece of code, with the debug and unwind records that preceded it. The pointers are views
 * into the file.
 */
struct jitdump_code {
	uint64_t time_ns, start, len, index;
	const char *name;
	const uint8_t *bytes, *lines, *unwind; /* lines, unwind: bodies of their records, NULL = none */
	size_t lines_len, unwind_len;
	bool moved;
};

struct jitdump {
	uint32_t machine; /* EM_ */
	int32_t pid;      /* as the process itself saw it */
	/* arch_time: times count CPU ticks, otherwise CLOCK_MONOTONIC */
	bool swap, arch_time;
	VEC(struct jitdump_code) codes; /* in file order */
};

/*
 * Parse a jitdump into `j`, which must be zeroed. A file that ends inside a record is still
 * being written; that is no error. Return -1 with *problem set when it is no jitdump.
 */
int jitdump_parse(struct jitdump *j, const uint8_t *data, size_t len, enum reason *problem);
/*
 * The same in parts, for a file that grows. Begin with its header: *at is where records begin. Then take the records
 * from there on, as often as there are more. Return the end of the last one that completes a piece of code. Pointers of
 * codes are views into the `data` of their call.
 */
enum { JITDUMP_HEADER = 40 };
int jitdump_begin(struct jitdump *j, const uint8_t *data, size_t len, size_t *at, enum reason *problem);
size_t jitdump_continue(struct jitdump *j, const uint8_t *data, size_t len, size_t at);

/*
 * Return the unwind information of a piece of code: the bytes of an .eh_frame, and of the
 * .eh_frame_hdr behind it. Both are empty if the JIT gave none. Their relative addresses assume
 * that they lie behind the code, at jit_unwind_at(): the next multiple of eight.
 */
struct jit_span {
	const uint8_t *data;
	size_t len;
};
struct jit_unwind {
	struct jit_span frames, header;
};
struct jit_unwind jit_unwind_of(const struct jitdump *j, const struct jitdump_code *code);
uint64_t jit_unwind_at(uint64_t code_start, uint64_t code_len);

#endif
