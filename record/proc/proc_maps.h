#ifndef RECORD_PROC_PROC_MAPS_H
#define RECORD_PROC_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line of /proc/PID/maps. `path` is a view on the text, `path_len` bytes; empty for anonymous memory. Source:
 * proc(5). */
struct proc_map {
	uint64_t start, end, offset, ino;
	uint32_t maj, min;
	uint32_t prot, flags; /* PROT_*, MAP_SHARED or MAP_PRIVATE */
	const char *path;
	size_t path_len;
};

/*
 * Take the next well-formed line off *at (which stops at `end`); malformed ones, and one that was cut at the end, are
 * passed over. false: no line left.
 */
bool proc_maps_next(const char **at, const char *end, struct proc_map *map);

/* What a synthesised record needs of /proc/PID/stat. `comm` is NUL-terminated. Source: proc_pid_stat(5). */
struct proc_stat {
	int32_t pid, ppid;
	char comm[16];
	uint32_t flags; /* PF_* of the kernel: PROC_KTHREAD */
	uint64_t n_threads;
};
enum { PROC_KTHREAD = 0x00200000 };
bool proc_stat_parse(const char *text, size_t len, struct proc_stat *stat);

#endif
