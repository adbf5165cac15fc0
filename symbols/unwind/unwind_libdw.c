/*
 * Unwind stacks of this machine's architecture with elfutils' libdwfl. It knows one set of maps at
 * a time.
 */
#include <elfutils/libdwfl.h>
#include <sys/mman.h>

#include "symbols/unwind/unwinder_priv.h"

enum { MAX_MAPS = 1 << 16, MAX_REGS = 40 };

/* A worker's state: the modules of one version of one space. */
struct libdw_state {
	Dwfl *dwfl;
	uint32_t space, version;
	struct unwinding *u; /* the current walk */
	uint64_t *ips;
	size_t n, max;
};

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	if (*thread)
		return 0;
	*thread = arg;
	return 1; /* one process with one thread: that of this sample */
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	*thread = arg;
	return true;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *value, void *arg)
{
	return unwinding_word(((const struct libdw_state *)arg)->u, addr, value);
}

static bool first_registers(Dwfl_Thread *thread, void *arg)
{
	const struct unwinding *u = ((const struct libdw_state *)arg)->u;
	Dwarf_Word regs[MAX_REGS] = { 0 };
	unsigned n = MIN(u->arch->n_dwarf, MAX_REGS);

	for (unsigned i = 0; i < n; i++)
		if (u->arch->from_dwarf[i] != ARCH_NO_REG)
			regs[i] = u->regs[u->arch->from_dwarf[i]];
	dwfl_thread_state_register_pc(thread, u->regs[u->arch->ip]);
	return dwfl_thread_state_registers(thread, 0, n, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_word,
	.set_initial_registers = first_registers,
};

static int no_debuginfo(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **path)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_build_id_find_elf,
					  .find_debuginfo = no_debuginfo,
					  .section_address = dwfl_offline_section_address };

/* Report the files whose code is mapped at the sample's time. */
static void open_modules(struct libdw_state *st)
{
	const struct unwinding *u = st->u;
	struct map_args *maps = xcalloc(MAX_MAPS, sizeof(*maps));
	size_t n = MIN(space_maps(u->s, u->args->space, maps, MAX_MAPS), (size_t)MAX_MAPS);

	dwfl_end(st->dwfl);
	st->dwfl = dwfl_begin(&callbacks);
	st->space = u->args->space;
	st->version = u->version;
	dwfl_report_begin(st->dwfl);
	for (size_t i = 0; i < n; i++) {
		struct map_hit hit;
		const char *path;

		if (!(maps[i].prot & PROT_EXEC) ||
		    !space_find(u->s, u->args->space, u->args->time_ns, maps[i].start, &hit) || hit.dso != maps[i].dso)
			continue;
		path = dso_file(u->s, hit.dso);
		if (path && *path == '/')
			dwfl_report_elf(st->dwfl, dso_short_name(u->s, hit.dso), path, -1,
					maps[i].start - dso_address(u->s, hit.dso, hit.dso_off), false);
	}
	dwfl_report_end(st->dwfl, NULL, NULL);
	dwfl_attach_state(st->dwfl, NULL, 1, &thread_callbacks, st);
	free(maps);
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct libdw_state *st = arg;
	bool exact;
	Dwarf_Addr pc;

	if (st->n == st->max || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	st->ips[st->n++] = pc - !exact;
	return DWARF_CB_OK;
}

static size_t walk_libdw(struct unwinding *u, uint64_t *ips, size_t max, struct unwind_stop *stop)
{
	struct libdw_state *st = *u->state;
	int result;

	if (!st)
		*u->state = st = xcalloc(1, sizeof(*st));
	st->u = u;
	if (!st->dwfl || st->space != u->args->space || st->version != u->version)
		open_modules(st);
	st->ips = ips;
	st->n = 0;
	st->max = max;
	result = dwfl_getthread_frames(st->dwfl, 1, add_frame, st);
	*stop = (struct unwind_stop){ .end = st->n == max ? UNWIND_LIMIT
					     : result     ? UNWIND_NO_CFI
							  : UNWIND_DONE,
				      .ip = st->n ? ips[st->n - 1] : u->regs[u->arch->ip] };
	return st->n;
}

static void free_state(void *state)
{
	struct libdw_state *st = state;

	dwfl_end(st->dwfl);
	free(st);
}

static int supports_native(const struct arch *a, struct err *e)
{
	if (a == arch_find(NULL) && a->n_dwarf <= MAX_REGS && a->n_dwarf)
		return 0;
	err_set(e, "libdw unwinds stacks of this machine's architecture only");
	err_try(e, "--unwind-style cfi");
	return err_exit(e, EXIT_BAD_USAGE);
}

const struct unwinder unwinder_libdw = { "libdw", supports_native, walk_libdw, free_state };
