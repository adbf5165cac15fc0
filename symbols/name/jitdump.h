#ifndef SYMBOLS_NAME_JITDUMP_H
#define SYMBOLS_NAME_JITDUMP_H

#include "base/mem.h"
#include "base/out.h"
#include "symbols/name/reasons.h"

/* Record ids. Source: tools/perf/Documentation/jitdump-specification.txt of the kernel tree. */
enum { JITDUMP_LOAD, JITDUMP_MOVE, JITDUMP_DEBUG, JITDUMP_CLOSE, JITDUMP_UNWIND };

/* A piece of code, with what was told of it before. Views into the file. */
struct jitdump_code {
	uint64_t time_ns, start, len, index;
	const char *name;
	const uint8_t *bytes, *lines, *unwind; /* lines, unwind: bodies of their records, NULL = none */
	size_t lines_len, unwind_len;
	bool moved;
};

struct jitdump {
	uint32_t machine;               /* EM_ */
	int32_t pid;                    /* as the process itself saw it */
	bool swap, arch_time;           /* arch_time: times are the CPU's counter, else CLOCK_MONOTONIC */
	VEC(struct jitdump_code) codes; /* in file order */
};

/* `j` zeroed. A file that ends in the middle of a record is one still being written. -1 with *problem set when it is
 * none. */
int jitdump_parse(struct jitdump *j, const uint8_t *data, size_t len, enum reason *problem);

/*
 * How the code is unwound, if the JIT told: the bytes of an .eh_frame, and of the .eh_frame_hdr behind it. Their
 * references count as if they lay behind the code, from the next multiple of eight on. Without it both are empty.
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

/* The lines of a piece of code as sections of DWARF, for an object in which the code lies at `address`. */
struct jit_dwarf {
	struct out line, info, abbrev;
};
void jit_dwarf_init(struct jit_dwarf *d, const struct jitdump *j, const struct jitdump_code *code, uint64_t address);
void jit_dwarf_release(struct jit_dwarf *d);

#endif
