/*
 * unwinders FILE: user stacks of a recording made with --call-graph dwarf, walked by our own evaluator, by libdwfl and,
 * where it was there when this was built (x86-64), by libunwind: whether they tell the same callers and how long each
 * takes on one thread. All get the same stacks, maps and files, and keep what they decoded. Each process's maps are
 * taken as they are in the end: record a program that loads and unloads nothing.
 */
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#ifdef HAVE_LIBUNWIND
#include <libunwind-x86_64.h>
#endif

#include "base/file.h"
#include "report/session/session.h"
#include "symbols/unwind/arch_priv.h"

enum { DEPTH = 512, MAPS = 4096, NAMED = 5 };

/* A file that is mapped, by dso. */
struct object {
	struct file_map file;
	bool opened, ok;
};

struct bench {
	struct session *session;
	VEC(struct object) objects;
	const struct arch *arch;
	/* the sample at hand */
	struct unwind_args args;
	int32_t pid;
	uint64_t regs[ARCH_MAX_REGS];
	uint64_t ips[DEPTH];
	size_t n;
	/* libdwfl's and libunwind's */
	Dwfl *dwfl;
	int32_t dwfl_pid;
	void *space;
};

struct peer {
	const char *name;
	void (*walk)(struct bench *b);
	double seconds;
	uint64_t frames, same, shorter, longer, other;
};

static struct object *object_of(struct bench *b, uint32_t dso)
{
	struct object *o;

	while (b->objects.len <= dso)
		vec_push(&b->objects, (struct object){ 0 });
	o = &b->objects.items[dso];
	if (!o->opened) {
		const char *path = dso_file(b->session->symbols, dso);

		o->opened = true;
		o->ok = path && file_map(&o->file, path, NULL) == 0;
	}
	return o;
}

/* A word of the process: of its stack as it was copied, else of a mapped file. */
static bool read_word(struct bench *b, uint64_t addr, uint64_t *value)
{
	uint64_t off = addr - b->regs[b->arch->sp];
	struct map_hit hit;
	struct object *o;

	if (addr >= b->regs[b->arch->sp] && b->args.stack_size >= 8 && off <= b->args.stack_size - 8) {
		*value = load_u64(b->args.stack + off);
		return true;
	}
	if (!space_find(b->session->symbols, b->args.space, b->args.time_ns, addr, &hit))
		return false;
	o = object_of(b, hit.dso);
	if (!o->ok || o->file.len < 8 || hit.dso_off > o->file.len - 8)
		return false;
	*value = load_u64(o->file.data + hit.dso_off);
	return true;
}

/* ---- ours ---- */

static void walk_ours(struct bench *b)
{
	struct unwind_stop stop;

	b->n = unwind_user(b->session->symbols, &b->args, 0, b->ips, DEPTH, &stop);
}

/* ---- libdwfl ---- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	struct bench *b = arg;

	if (*thread)
		return 0;
	*thread = arg;
	return b->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	*thread = arg;
	return true;
}

static bool dwfl_word(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *value, void *arg) { return read_word(arg, addr, value); }

static bool first_registers(Dwfl_Thread *thread, void *arg)
{
	struct bench *b = arg;
	Dwarf_Word regs[17] = { 0 };
	unsigned n = MIN(b->arch->n_dwarf, ARRAY_SIZE(regs));

	for (unsigned i = 0; i < n; i++)
		if (b->arch->from_dwarf[i] != ARCH_NO_REG)
			regs[i] = b->regs[b->arch->from_dwarf[i]];
	dwfl_thread_state_register_pc(thread, b->regs[b->arch->ip]);
	return dwfl_thread_state_registers(thread, 0, n, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = dwfl_word,
	.set_initial_registers = first_registers,
};

static int no_debuginfo(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **path)
{
	return -1;
}

static const Dwfl_Callbacks dwfl_callbacks = { .find_elf = dwfl_build_id_find_elf,
					       .find_debuginfo = no_debuginfo,
					       .section_address = dwfl_offline_section_address };

/* The files whose code is mapped in the end. */
static void open_dwfl(struct bench *b)
{
	struct symbols *s = b->session->symbols;
	struct map_args *maps = xcalloc(MAPS, sizeof(*maps));
	size_t n = MIN(space_maps(s, b->args.space, maps, MAPS), (size_t)MAPS);

	dwfl_end(b->dwfl);
	b->dwfl = dwfl_begin(&dwfl_callbacks);
	b->dwfl_pid = b->pid;
	dwfl_report_begin(b->dwfl);
	for (size_t i = 0; i < n; i++) {
		struct map_hit hit;
		const char *path;

		if (!(maps[i].prot & PROT_EXEC) || !space_find(s, b->args.space, UINT32_MAX, maps[i].start, &hit) ||
		    hit.dso != maps[i].dso)
			continue;
		path = dso_file(s, hit.dso);
		if (path && *path == '/')
			dwfl_report_elf(b->dwfl, dso_short_name(s, hit.dso), path, -1,
					maps[i].start - dso_address(s, hit.dso, hit.dso_off), false);
	}
	dwfl_report_end(b->dwfl, NULL, NULL);
	dwfl_attach_state(b->dwfl, NULL, b->pid, &thread_callbacks, b);
	free(maps);
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct bench *b = arg;
	bool exact;
	Dwarf_Addr pc;

	if (b->n == DEPTH || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	b->ips[b->n++] = pc - !exact;
	return DWARF_CB_OK;
}

static void walk_dwfl(struct bench *b)
{
	b->n = 0;
	if (!b->dwfl || b->dwfl_pid != b->pid)
		open_dwfl(b);
	dwfl_getthread_frames(b->dwfl, b->pid, add_frame, b);
}

/* ---- libunwind ---- */

#ifdef HAVE_LIBUNWIND
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *, unw_proc_info_t *, int, void *);

/* The binary search table of .eh_frame_hdr as linkers write it. Source: Linux Standard Base Core, "The .eh_frame_hdr
 * section". */
static bool find_table(const struct object *o, uint64_t *vaddr, uint32_t *count)
{
	Elf *elf = elf_memory((char *)(uintptr_t)o->file.data, o->file.len);
	static const uint8_t usual[] = { 1, 0x1b, 0x03, 0x3b };
	GElf_Phdr ph;
	size_t n = 0;
	bool found = false;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && !found; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_GNU_EH_FRAME && ph.p_filesz >= 12 &&
		    ph.p_offset < o->file.len - 12) {
			found = !memcmp(o->file.data + ph.p_offset, usual, sizeof(usual));
			*vaddr = ph.p_vaddr;
			*count = load_u32(o->file.data + ph.p_offset + 8);
		}
	elf_end(elf);
	return found;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info, int need, void *arg)
{
	struct bench *b = arg;
	unw_dyn_info_t d = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	uint64_t vaddr, bias;
	struct map_hit hit;
	struct object *o;
	uint32_t count;

	if (!space_find(b->session->symbols, b->args.space, b->args.time_ns, ip, &hit) ||
	    !(o = object_of(b, hit.dso))->ok || !find_table(o, &vaddr, &count))
		return -UNW_ENOINFO;
	bias = ip - dso_address(b->session->symbols, hit.dso, hit.dso_off);
	d.start_ip = hit.start;
	d.end_ip = hit.start + hit.len;
	d.u.rti.segbase = bias + vaddr;
	d.u.rti.table_data = bias + vaddr + 12;
	d.u.rti.table_len = count; /* entries of 8 bytes, in words */
	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &d, info, need, arg);
}

static void put_info(unw_addr_space_t as, unw_proc_info_t *info, void *arg) {}
static int no_list(unw_addr_space_t as, unw_word_t *list, void *arg) { return -UNW_ENOINFO; }
static int no_float(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	return -UNW_EINVAL;
}
static int no_resume(unw_addr_space_t as, unw_cursor_t *c, void *arg) { return -UNW_EINVAL; }

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	return !write && read_word(arg, addr, value) ? 0 : -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	struct bench *b = arg;

	if (write || reg < 0 || (unsigned)reg >= b->arch->n_dwarf || b->arch->from_dwarf[reg] == ARCH_NO_REG)
		return -UNW_EBADREG;
	*value = b->regs[b->arch->from_dwarf[reg]];
	return 0;
}

static void walk_libunwind(struct bench *b)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_info,
		.get_dyn_info_list_addr = no_list,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = no_float,
		.resume = no_resume,
	};
	unw_cursor_t c;
	unw_word_t ip;

	if (!b->space) {
		b->space = unw_create_addr_space(&accessors, 0);
		unw_set_caching_policy(b->space, UNW_CACHE_GLOBAL);
	}
	b->n = 0;
	if (unw_init_remote(&c, b->space, b))
		return;
	do {
		if (unw_get_reg(&c, UNW_REG_IP, &ip) || !ip)
			break;
		b->ips[b->n] = b->n && unw_is_signal_frame(&c) <= 0 ? ip - 1 : ip;
	} while (++b->n < DEPTH && unw_step(&c) > 0);
}
#endif

/* ---- the comparison ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Signal frames are told with or without one subtracted. */
static bool is_same(uint64_t a, uint64_t b) { return a == b || a == b + 1 || b == a + 1; }

static void judge(struct peer *p, const struct bench *b, const uint64_t *ours, size_t n_ours)
{
	size_t same = 0;

	p->frames += b->n;
	while (same < n_ours && same < b->n && is_same(ours[same], b->ips[same]))
		same++;
	if (same == n_ours && same == b->n)
		p->same++;
	else if (same == b->n)
		p->shorter++;
	else if (same == n_ours)
		p->longer++;
	else
		p->other++;
	if ((same < b->n || same < n_ours) && p->shorter + p->longer + p->other <= NAMED) {
		const uint64_t *next = same < n_ours ? &ours[same] : NULL;

		printf("  %s: %zu frames of our %zu; after %zu we have %#llx, it has %#llx\n", p->name, b->n, n_ours,
		       same, next ? (unsigned long long)*next : 0, same < b->n ? (unsigned long long)b->ips[same] : 0);
	}
}

static void walk_all(struct bench *b, struct peer *peers, size_t n_peers)
{
	uint64_t ours[DEPTH];
	size_t n_ours = 0;

	for (size_t i = 0; i < n_peers; i++) {
		double start = now();

		peers[i].walk(b);
		peers[i].seconds += now() - start;
		if (!i) {
			memcpy(ours, b->ips, b->n * sizeof(*ours));
			n_ours = b->n;
		}
		judge(&peers[i], b, ours, n_ours);
	}
}

static bool take(struct bench *b, const struct sample *sample, uint64_t pos, struct lookup *l)
{
	uint32_t moment = session_moment(b->session, l, sample->time, pos);
	struct task t;
	unsigned n = 0;

	if (!sample->stack_user.dyn_size || !sample->regs_user.values || sample->regs_user.abi != 2)
		return false;
	session_task(b->session, l, sample->pid, sample->tid, moment, &t);
	b->pid = sample->pid;
	b->args = (struct unwind_args){
		.space = t.space,
		.time_ns = moment,
		.regs_mask = sample->regs_user.mask,
		.regs = sample->regs_user.values,
		.abi = sample->regs_user.abi,
		.stack = sample->stack_user.data,
		.stack_size = sample->stack_user.dyn_size,
	};
	for (unsigned i = 0; i < ARCH_MAX_REGS; i++)
		if (sample->regs_user.mask >> i & 1)
			b->regs[i] = load_u64(sample->regs_user.values + 8 * n++);
	return true;
}

static uint64_t run(struct bench *b, struct peer *peers, size_t n_peers)
{
	struct session *s = b->session;
	struct lookup l = { 0 };
	uint64_t samples = 0;

	for (size_t i = 0; i < s->chunks.len; i++) {
		struct chunk c;
		struct record r;
		struct sample sample;

		session_chunk_open(s, i, NULL, &c);
		while (chunk_next(&c, &r, NULL) > 0) {
			int event = r.type == RECORD_SAMPLE ? perfdata_event_of(s->pd, &r) : -1;

			if (event < 0 || sample_decode(s->pd, &r, (uint32_t)event, &sample, NULL) < 0 ||
			    !take(b, &sample, session_pos(r.stream, r.pos), &l))
				continue;
			walk_all(b, peers, n_peers);
			samples++;
		}
		chunk_release(&c);
	}
	lookup_release(&l);
	return samples;
}

int main(int argc, char **argv)
{
	struct peer peers[] = {
		{ .name = "ours", .walk = walk_ours },
		{ .name = "libdwfl", .walk = walk_dwfl },
#ifdef HAVE_LIBUNWIND
		{ .name = "libunwind", .walk = walk_libunwind },
#endif
	};
	struct bench b = { .arch = arch_find(NULL) };
	struct session_opts opts = { .force = true };
	struct err e = { 0 };
	uint64_t samples;

	elf_version(EV_CURRENT);
	b.session = argc == 2 ? session_open(argv[1], &opts, &e) : NULL;
	if (!b.session || session_walk(b.session, &e) < 0) {
		fprintf(stderr, "unwinders: %s\n", argc == 2 ? e.what : "usage: unwinders FILE");
		return 1;
	}
	symbols_freeze(b.session->symbols);
	samples = run(&b, peers, ARRAY_SIZE(peers));
	printf("%llu samples\n", (unsigned long long)samples);
	for (size_t i = 0; i < ARRAY_SIZE(peers) && samples; i++)
		printf("%-10s %8.2f us a sample, %6.1f frames; same as ours %llu, a beginning of ours %llu, longer "
		       "%llu, another %llu\n",
		       peers[i].name, 1e6 * peers[i].seconds / (double)samples,
		       (double)peers[i].frames / (double)samples, (unsigned long long)peers[i].same,
		       (unsigned long long)peers[i].shorter, (unsigned long long)peers[i].longer,
		       (unsigned long long)peers[i].other);
	dwfl_end(b.dwfl);
	session_close(b.session);
	return 0;
}
