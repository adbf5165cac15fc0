#ifndef RECORD_PROC_SYNTHESIZE_PRIV_H
#define RECORD_PROC_SYNTHESIZE_PRIV_H

#include "record/proc/proc_maps_priv.h"
#include "record/proc/synthesize.h"

/* A mapped file, by device and inode. */
struct synth_object {
	uint64_t dev, ino;
	struct build_id id;
};

/* A living process; wanted: the target's process or a descendant of it. */
struct synth_process {
	int32_t pid, ppid;
	bool wanted, visited;
};
struct synth_processes {
	VEC(struct synth_process);
};

void synth_begin(struct synth *s, uint32_t type, uint16_t misc);
void synth_u32(struct synth *s, uint32_t v);
void synth_u64(struct synth *s, uint64_t v);
void synth_text(struct synth *s, const char *text, size_t len);
void synth_end(struct synth *s);

/* Write a process's map as MMAP2. (synthesize_maps.c) */
void synth_find_hugetlbfs(struct synth *s);
void synth_map(struct synth *s, int32_t pid, const struct proc_map *map);

/* Want all descendants of the wanted processes, in whatever order these are. (families.c) */
void synth_want_descendants(struct synth_processes *all);

/*
 * Return the name of a BTF type, NULL if it has none or the bytes are damaged. It lives as long
 * as the bytes. (synthesize_bpf.c)
 */
const char *bpf_type_name(const uint8_t *btf, size_t len, uint32_t wanted);

#endif
