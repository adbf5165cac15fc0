#ifndef RECORD_BPF_KERNEL_PRIV_H
#define RECORD_BPF_KERNEL_PRIV_H

/*
 * What programs of emit_priv.h need from the kernel: maps, loading, attaching. Source: bpf(2),
 * perf_event_open(2).
 */
#include "base/err.h"
#include "record/bpf/emit_priv.h"

/*
 * Make a map. Return a descriptor, or -1 with e; the same holds below. Closing the descriptor ends
 * the object.
 */
int bpf_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries, struct err *e);
/* Finish the code and load it. */
int bpf_load(enum bpf_prog_type type, const char *name, struct emit *code, struct err *e);
/*
 * Attach a program of type RAW_TRACEPOINT. Its context is the tracepoint's arguments, 8 bytes each.
 */
int bpf_attach_raw(int program, const char *tracepoint, struct err *e);
/*
 * Attach a program of type TRACEPOINT. Its context is the tracepoint's record. It runs on all CPUs,
 * for all threads. If it returns 0, no user of the event gets it.
 */
int bpf_attach(int program, const char *system, const char *name, struct err *e);

/* Return the offset of a field in a tracepoint's record; -1 with e if there is none. */
int bpf_field_at(const char *system, const char *name, const char *field, struct err *e);

/* Return the length of a tracepoint's record, up to its last field; -1 with e. */
int bpf_record_size(const char *system, const char *name, struct err *e);

/* Return 0; -1 if there is no such key, or (put) no room. */
int bpf_get(int map, const void *key, void *value);
int bpf_put(int map, const void *key, const void *value);
int bpf_drop(int map, const void *key);
/* Get the key behind `key`, or the first for NULL. Return -1 if there is none. */
int bpf_next(int map, const void *key, void *next);

/*
 * Return how often the kernel skipped the program because it was already running; 0 if the kernel
 * does not count that.
 */
uint64_t bpf_misses(int program);

#endif
