#ifndef PROBE_SDT_H
#define PROBE_SDT_H

#include "probe/tracefs.h"
#include "symbols/debug/debug.h"

/*
 * Markers that programs carry for probes (DTRACE_PROBE, STAP_PROBE of <sys/sdt.h>): notes of the section .note.stapsdt.
 * Source: SystemTap wiki, "UserSpaceProbeImplementation", version 3 of the note.
 */
struct sdt_marker {
	const char *provider, *name, *args; /* in the arena; args as the assembler wrote them: "8@%rdi -4@-20(%rbp)" */
	uint64_t address, semaphore;        /* of the object; semaphore 0 = none */
};
struct sdt_markers {
	VEC(struct sdt_marker);
};
/* All of an object; none is no error. Notes that run over the section's end are left out. */
void sdt_read(struct debug *d, struct sdt_markers *out, struct arena *arena);
/* For tests: of the section's bytes. `base`: address of .stapsdt.base, 0 = none; the note says where it was when the
 * markers were written. */
void sdt_parse(const uint8_t *notes, size_t len, bool swap, bool is_64, uint64_t base, struct sdt_markers *out,
	       struct arena *arena);
/* Arguments in the kernel's words, "arg1=%di:u64"; what it cannot fetch is left out. Appends. */
void sdt_args(const struct sdt_marker *m, uint16_t machine, struct trace_probe *t, struct arena *arena);

/* How the kernel is told of a marker at `path`, which is set already. False when it stands at no address of the code.
 */
bool sdt_trace(const struct sdt_marker *m, struct debug *d, struct trace_probe *t, struct arena *arena);
/* What the kernel takes as a name; in the arena. */
char *probe_c_name(const char *s, struct arena *arena);

#endif
