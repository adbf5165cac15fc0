#ifndef FORMAT_RECORD_H
#define FORMAT_RECORD_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/out.h"

struct perfdata;

/* Bytes of the largest record: its size has 16 bits, and is a multiple of 8. */
enum { RECORD_SIZE_MAX = 65528 };

/*
 * Record types. The kernel writes 1..22, tools write 64 and up. Source: linux/perf_event.h;
 * strobe.data(5).
 */
enum record_type {
	RECORD_MMAP = 1,
	RECORD_LOST,
	RECORD_COMM,
	RECORD_EXIT,
	RECORD_THROTTLE,
	RECORD_UNTHROTTLE,
	RECORD_FORK,
	RECORD_READ,
	RECORD_SAMPLE,
	RECORD_MMAP2,
	RECORD_AUX,
	RECORD_ITRACE_START,
	RECORD_LOST_SAMPLES,
	RECORD_SWITCH,
	RECORD_SWITCH_CPU_WIDE,
	RECORD_NAMESPACES,
	RECORD_KSYMBOL,
	RECORD_BPF_EVENT,
	RECORD_CGROUP,
	RECORD_TEXT_POKE,
	RECORD_AUX_OUTPUT_HW_ID,
	RECORD_CALLCHAIN_DEFERRED,
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE,
	RECORD_HEADER_TRACING_DATA,
	RECORD_HEADER_BUILD_ID,
	RECORD_FINISHED_ROUND,
	RECORD_ID_INDEX,
	RECORD_AUXTRACE_INFO,
	RECORD_AUXTRACE,
	RECORD_AUXTRACE_ERROR,
	RECORD_THREAD_MAP,
	RECORD_CPU_MAP,
	RECORD_STAT_CONFIG,
	RECORD_STAT,
	RECORD_STAT_ROUND,
	RECORD_EVENT_UPDATE,
	RECORD_TIME_CONV,
	RECORD_HEADER_FEATURE,
	RECORD_COMPRESSED,
	RECORD_FINISHED_INIT,
	RECORD_COMPRESSED2,
	RECORD_BPF_METADATA,
	RECORD_SCHEDSTAT_CPU,
	RECORD_SCHEDSTAT_DOMAIN,
	RECORD_TYPES /* one more than the largest known */
};

/* First words of the bodies of CPU_MAP (u16) and EVENT_UPDATE (u64). */
enum { CPU_MAP_CPUS, CPU_MAP_MASK, CPU_MAP_RANGE };
enum { EVENT_UPDATE_UNIT, EVENT_UPDATE_SCALE, EVENT_UPDATE_NAME, EVENT_UPDATE_CPUS };

/* Bits of record.misc. */
#define MISC_CPUMODE 7u /* mask: a CPUMODE_* value */
enum { CPUMODE_UNKNOWN, CPUMODE_KERNEL, CPUMODE_USER, CPUMODE_HYPERVISOR, CPUMODE_GUEST_KERNEL, CPUMODE_GUEST_USER };
#define MISC_PROC_MAP_TIMEOUT (1u << 12)
#define MISC_MMAP_DATA        (1u << 13) /* MMAP, MMAP2 */
#define MISC_COMM_EXEC        (1u << 13) /* COMM */
#define MISC_FORK_EXEC        (1u << 13) /* FORK */
#define MISC_SWITCH_OUT       (1u << 13) /* SWITCH, SWITCH_CPU_WIDE */
#define MISC_SWITCH_PREEMPT   (1u << 14)
#define MISC_EXACT_IP         (1u << 14) /* SAMPLE */
#define MISC_MMAP_BUILD_ID    (1u << 14) /* MMAP2 */
#define MISC_BUILD_ID_SIZE    (1u << 15) /* HEADER_BUILD_ID */

/*
 * The record that format/writer/mark.c writes before a table of sections: FINISHED_INIT with this misc and
 * size; its body is {u64 length of the table}.
 */
enum { MARK_MISC = 0x4d54, MARK_SIZE = 16 };

/*
 * One record in the input: a view, never a copy. `body` follows the 8-byte header, is in host byte
 * order and is valid as long as its chunk (for inputs of the other byte order: until the next
 * chunk_next on that chunk). `size` is the length of `body` in bytes, checked against the least
 * size of `type`. Records of unknown type are returned unchecked. `body` may be unaligned: read it
 * with load_u64 and its relatives. Source: perf_event_open(2), "MMAP layout"; linux/perf_event.h,
 * struct perf_event_header.
 */
struct record {
	/*
	 * Offset of the header in the input, for messages. For a record from a COMPRESSED record:
	 * the offset of that one.
	 */
	uint64_t offset;
	/* Position of the header in its stream, in file order. All chunks of a stream share it. */
	uint64_t pos;
	const uint8_t *body;
	uint32_t type; /* RECORD_* */
	uint16_t misc;
	uint16_t size;
	uint32_t stream; /* index of its stream */
	/* Bytes that follow the record (AUXTRACE, HEADER_TRACING_DATA), NULL if none. */
	const uint8_t *payload;
	/*
	 * If payload is NULL: bytes of a COMPRESSED record, which were expanded into the records
	 * behind it.
	 */
	uint64_t payload_size;
};

/*
 * An entry of ID_INDEX: an event's id and the ring that its records go to. cpu or tid -1: any.
 * Source: strobe.data(5).
 */
struct id_index_entry {
	uint64_t id, idx;
	int64_t cpu, tid;
};

bool record_known(uint32_t type);
/* Does it change what existed (threads, names, maps) rather than count? */
bool record_is_sideband(uint32_t type);
const char *record_name(uint32_t type); /* "MMAP2"; "UNKNOWN" for unknown types */

/*
 * Decoded bodies of the records that several folders use. When the body is malformed (too short, no
 * NUL, count too large), the functions below return -1 and leave *out unchanged; the caller counts
 * it (session notes) and goes on. Strings are views that are valid as long as the record; they are
 * foreign text.
 */
struct record_mmap {
	int32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: none; the body then holds maj .. ino_generation */
	/* flagged as build-id, but its size byte is impossible: read as maj .. ino */
	bool false_build_id;
	bool has_ino;         /* MMAP2 without build-id */
	bool data;            /* not executable */
	uint32_t prot, flags; /* PROT_*, MAP_*; for MMAP: PROT_EXEC unless data */
	const char *filename;
};
struct record_comm {
	int32_t pid, tid;
	bool exec;
	const char *comm;
};
/* FORK and EXIT */
struct record_task {
	int32_t pid, ppid, tid, ptid;
	uint64_t time;
};
struct record_lost {
	uint64_t id, lost;
};
struct record_namespaces {
	int32_t pid, tid;
	uint64_t n;
	const uint8_t *entries; /* n x {u64 dev, u64 ino} */
};
struct record_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
	const char *name;
};
struct record_cgroup {
	uint64_t id;
	const char *path;
};
struct record_build_id {
	int32_t pid;
	uint8_t build_id[20];
	uint8_t size;
	uint16_t misc;
	const char *filename;
};
struct record_text_poke {
	uint64_t addr;
	uint16_t old_len, new_len;
	const uint8_t *bytes;
};

/* MMAP and MMAP2 */
int record_mmap(const struct perfdata *pd, const struct record *r, struct record_mmap *out);
int record_comm(const struct perfdata *pd, const struct record *r, struct record_comm *out);
int record_task(const struct record *r, struct record_task *out);
int record_lost(const struct record *r,
		struct record_lost *out); /* LOST; for LOST_SAMPLES id stays 0 (it is in the trailer) */
int record_namespaces(const struct record *r, struct record_namespaces *out);
int record_ksymbol(const struct perfdata *pd, const struct record *r, struct record_ksymbol *out);
int record_cgroup(const struct perfdata *pd, const struct record *r, struct record_cgroup *out);
int record_build_id(const struct record *r, struct record_build_id *out);
int record_text_poke(const struct record *r, struct record_text_poke *out);

/*
 * Write the raw form of `-D`: "0xOFFSET@FILE [0xSIZE]: event: N" and the hex lines. record_print
 * then writes the line "CPU TIME 0xOFFSET [0xSIZE]: PERF_RECORD_NAME..." with the fields of the
 * record's table row (also for samples).
 */
void record_dump(const struct perfdata *pd, const struct record *r, struct out *o);
void record_print(const struct perfdata *pd, const struct record *r, struct out *o);
/*
 * Write the text behind "PERF_RECORD_NAME" in script's --show-*-events lines and in dumps: "
 * 123/123: [0x...". No newline.
 */
void record_print_fields(const struct perfdata *pd, const struct record *r, struct out *o);

#endif
