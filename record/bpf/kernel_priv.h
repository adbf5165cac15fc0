#ifndef RECORD_BPF_KERNEL_PRIV_H
#define RECORD_BPF_KERNEL_PRIV_H

/* What a program of emit_priv.h needs of the kernel: maps, loading, attaching. Source: bpf(2), perf_event_open(2). */
#include "base/err.h"
#include "record/bpf/emit_priv.h"

/* A descriptor, or -1 with e. All end when their descriptors are closed. */
int bpf_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries, struct err *e);
/* Finishes the code. */
int bpf_load(enum bpf_prog_type type, const char *name, struct emit *code, struct err *e);
/* A program of type RAW_TRACEPOINT; its context is the tracepoint's arguments, 8 bytes each. */
int bpf_attach_raw(int program, const char *tracepoint, struct err *e);
/* A program of type TRACEPOINT; its context is the tracepoint's record. It runs on all CPUs, for all threads;
 * where it returns 0, no user of the event gets it. */
int bpf_attach(int program, const char *system, const char *name, struct err *e);

/* Where a field lies in a tracepoint's record; -1 with e: not there. */
int bpf_field_at(const char *system, const char *name, const char *field, struct err *e);

/* The bytes of a tracepoint's record, up to its last field; -1 with e. */
int bpf_record_size(const char *system, const char *name, struct err *e);

/* 0, or -1: there is no such key, or (put) no room. */
int bpf_get(int map, const void *key, void *value);
int bpf_put(int map, const void *key, const void *value);
int bpf_drop(int map, const void *key);
/* The key behind `key`, or the first for NULL; -1: there is none. */
int bpf_next(int map, const void *key, void *next);

/* How often the kernel did not run the program because it ran already; 0 where it does not tell. */
uint64_t bpf_misses(int program);

#endif
