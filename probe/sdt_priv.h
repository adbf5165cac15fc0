#ifndef PROBE_SDT_PRIV_H
#define PROBE_SDT_PRIV_H

#include "probe/tracefs.h"
#include "symbols/debug/debug.h"

/*
 * Markers that programs contain for probes (DTRACE_PROBE, STAP_PROBE of <sys/sdt.h>): notes in the
 * section .note.stapsdt. Source: SystemTap wiki, "UserSpaceProbeImplementation", version 3 of the
 * note.
 */
struct sdt_marker {
	/* in the arena; args in assembler syntax: "8@%rdi -4@-20(%rbp)" */
	const char *provider, *name, *args;
	uint64_t address, semaphore; /* in the object; semaphore 0 = none */
};
struct sdt_markers {
	VEC(struct sdt_marker);
};
/* Read all markers of an object; none is no error. Skip notes that exceed the section's end. */
void sdt_read(struct debug *d, struct sdt_markers *out, struct arena *arena);
/*
 * For tests: parse the section's bytes. `base`: address of .stapsdt.base, 0 = none; each note
 * stores the base's address at link time.
 */
void sdt_parse(const uint8_t *notes, size_t len, bool swap, bool is_64, uint64_t base, struct sdt_markers *out,
	       struct arena *arena);
/*
 * Append the arguments in the kernel's syntax, "arg1=%di:u64". Leave out arguments that it cannot
 * fetch.
 */
void sdt_args(const struct sdt_marker *m, uint16_t machine, struct trace_probe *t, struct arena *arena);

/*
 * Make the kernel's definition of a marker in the file t->path, which is already set. Return false
 * if the marker's address is not in code.
 */
bool sdt_trace(const struct sdt_marker *m, struct debug *d, struct trace_probe *t, struct arena *arena);
/* Convert a text into a name that the kernel accepts; in the arena. */
char *probe_c_name(const char *s, struct arena *arena);

#endif
