#ifndef RECORD_PROC_PROC_MAPS_PRIV_H
#define RECORD_PROC_PROC_MAPS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One line of /proc/PID/maps. `path` points into the text and has `path_len` bytes; it is empty
 * for anonymous memory. Source: proc(5).
 */
struct proc_map {
	uint64_t start, end, offset, ino;
	uint32_t maj, min;
	uint32_t prot, flags; /* PROT_*, MAP_SHARED or MAP_PRIVATE */
	const char *path;
	size_t path_len;
};

/*
 * Parse the next well-formed line at *at and advance *at; stop at `end`. Skip malformed lines
 * and one that is cut at the end. Return false when no line is left.
 */
bool proc_maps_next(const char **at, const char *end, struct proc_map *map);

/*
 * The fields of /proc/PID/stat that synthesized records need. `comm` is NUL-terminated. Source:
 * proc_pid_stat(5).
 */
struct proc_stat {
	int32_t pid, ppid;
	char comm[16];
	uint32_t flags; /* PF_* of the kernel: PROC_KTHREAD */
	uint64_t n_threads;
};
enum { PROC_KTHREAD = 0x00200000 };
bool proc_stat_parse(const char *text, size_t len, struct proc_stat *stat);

#endif
