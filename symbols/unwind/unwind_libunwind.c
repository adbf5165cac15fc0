/*
 * Unwind x86-64 stacks with libunwind, which asks us for registers, memory and the tables of mapped
 * files.
 */
#include "symbols/unwind/unwinder_priv.h"

#ifdef HAVE_LIBUNWIND
#include "base/bytes.h"
#include "symbols/unwind/cfi_priv.h"
#include "symbols/unwind/libunwind_priv.h"

#ifdef STROBE_STATIC
static struct libunwind libunwind = { LIBUNWIND_FUNCTIONS(LIBRARY_ADDRESS) };

static int libunwind_ready(struct err *e) { return 0; }

/*
 * The static libunwind-x86_64 takes this function from libunwind.a. It is for continuing in a frame
 * of this process, which nobody does here.
 */
int _Ux86_64_setcontext(const void *context);
int _Ux86_64_setcontext(const void *context) { abort(); }
#else
#define LIBRARY_TABLE libunwind
static struct libunwind libunwind;
static const struct library_function functions[] = { LIBUNWIND_FUNCTIONS(LIBRARY_ROW){ 0 } };
static struct library library = { .file = LIBUNWIND_SONAME, .package = LIBUNWIND_PACKAGE, .functions = functions };

static int libunwind_ready(struct err *e) { return library_open(&library, e); }
#endif

/*
 * The binary search table of an object: its place in the object, or the table that we make if the
 * object has none. libunwind reads the latter at TABLES + dso * TABLE_ROOM, where no process has
 * memory.
 */
struct eh_table {
	uint64_t addr; /* the base of the table's offsets */
	uint32_t n;
	bool searched;
	int32_t *made; /* n pairs */
};
#define TABLES     0xffff000000000000ull
#define TABLE_ROOM (1ull << 28)

/* An object and where it lies in memory. */
struct seen_image {
	const struct image *image;
	uint64_t bias;
};

/* A worker's state. */
struct libunwind_state {
	struct unwinding *u; /* the current walk */
	unw_addr_space_t space;
	uint32_t last_space, last_version; /* the cache belongs to these maps */
	VEC(struct seen_image) images;     /* of objects that were unwound with these maps */
	VEC(struct eh_table) hdrs;         /* by dso */
};

/*
 * Find the sorted table of .eh_frame_hdr in the form that linkers write. Source: Linux Standard Base Core, "The
 * .eh_frame_hdr section".
 */
static struct eh_table find_hdr(const struct image *im)
{
	static const uint8_t usual[] = { 1, 0x1b, 0x03, 0x3b };
	Elf *elf = elf_memory((char *)(uintptr_t)im->data, im->len);
	struct eh_table hdr = { .searched = true };
	GElf_Phdr ph = { 0 };
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *at = im->data + (gelf_getphdr(elf, (int)i, &ph) ? ph.p_offset : 0);

		if (ph.p_type != PT_GNU_EH_FRAME || ph.p_filesz < 12 || ph.p_offset > im->len ||
		    ph.p_filesz > im->len - ph.p_offset || memcmp(at, usual, sizeof(usual)))
			continue;
		hdr.addr = ph.p_vaddr;
		hdr.n = (uint32_t)MIN(load_u32(at + 8), (ph.p_filesz - 12) / 8);
	}
	elf_end(elf);
	return hdr;
}

/* Make the table: pairs of a function's start and its entry, relative to the first function. */
static void make_table(struct libunwind_state *st, struct dso *d, struct eh_table *hdr)
{
	const struct cfi *c = d->image ? unwind_cfi(st->u->s, d, st->u->arch) : NULL;
	size_t n = c ? MIN(cfi_functions(c), (size_t)(TABLE_ROOM / 8)) : 0;

	if (!n)
		return;
	hdr->addr = cfi_function(c, 0).start;
	hdr->made = xcalloc(n, 2 * sizeof(int32_t));
	for (size_t i = 0; i < n; i++) {
		struct cfi_function f = cfi_function(c, i);

		hdr->made[2 * i] = (int32_t)(f.start - hdr->addr);
		hdr->made[2 * i + 1] = (int32_t)(f.entry - hdr->addr);
	}
	hdr->n = (uint32_t)n;
}

static const struct eh_table *hdr_of(struct libunwind_state *st, uint32_t dso)
{
	struct dso *d = dso_load(st->u->s, dso);
	struct eh_table *hdr;

	while (st->hdrs.len <= dso)
		vec_push(&st->hdrs, (struct eh_table){ 0 });
	hdr = &st->hdrs.items[dso];
	if (!hdr->searched) {
		*hdr = d->image ? find_hdr(d->image) : (struct eh_table){ .searched = true };
		if (!hdr->n)
			make_table(st, d, hdr);
	}
	return hdr;
}

static void see_image(struct libunwind_state *st, const struct image *image, uint64_t bias)
{
	for (size_t i = 0; i < st->images.len; i++)
		if (st->images.items[i].image == image && st->images.items[i].bias == bias)
			return;
	vec_push(&st->images, (struct seen_image){ image, bias });
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info, int need, void *arg)
{
	struct libunwind_state *st = arg;
	const struct unwind_args *args = st->u->args;
	unw_dyn_info_t d = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	const struct eh_table *hdr;
	struct map_hit hit;
	uint64_t bias;

	if (!space_find(st->u->s, args->space, args->time_ns, ip, &hit) || !(hdr = hdr_of(st, hit.dso))->n)
		return -UNW_ENOINFO;
	bias = ip - image_address(dso_load(st->u->s, hit.dso)->image, hit.dso_off);
	see_image(st, dso_load(st->u->s, hit.dso)->image, bias);
	d.start_ip = hit.start;
	d.end_ip = hit.start + hit.len;
	d.u.rti.segbase = bias + hdr->addr;
	d.u.rti.table_data = hdr->made ? TABLES + hit.dso * TABLE_ROOM : bias + hdr->addr + 12;
	d.u.rti.table_len = hdr->n; /* entries of 8 bytes, counted in words of 8 bytes */
	return libunwind._Ux86_64_dwarf_search_unwind_table(as, ip, &d, info, need, arg);
}

static void put_info(unw_addr_space_t as, unw_proc_info_t *info, void *arg) {}
static int no_list(unw_addr_space_t as, unw_word_t *list, void *arg) { return -UNW_ENOINFO; }
static int no_float(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	return -UNW_EINVAL;
}
static int no_resume(unw_addr_space_t as, unw_cursor_t *c, void *arg) { return -UNW_EINVAL; }
static int no_name(unw_addr_space_t as, unw_word_t ip, char *buf, size_t len, unw_word_t *off, void *arg)
{
	return -UNW_ENOINFO;
}

static bool read_made(const struct libunwind_state *st, uint64_t addr, uint64_t *value)
{
	uint64_t dso = (addr - TABLES) / TABLE_ROOM, at = (addr - TABLES) % TABLE_ROOM;
	const struct eh_table *hdr = dso < st->hdrs.len ? &st->hdrs.items[dso] : NULL;

	if (!hdr || !hdr->made || at > 8 * (uint64_t)hdr->n - 8)
		return false;
	*value = load_u64((const uint8_t *)hdr->made + at);
	return true;
}

/*
 * Read a word from an object's file: its tables lie in mappings without code, which recordings may
 * leave out. libunwind also reads expressions there that its cache remembers, from any object.
 */
static bool read_object(const struct libunwind_state *st, uint64_t addr, uint64_t *value)
{
	for (size_t i = 0; i < st->images.len; i++) {
		const struct image *im = st->images.items[i].image;
		uint64_t off;

		if (!image_offset(im, addr - st->images.items[i].bias, &off) || im->len < 8 || off > im->len - 8)
			continue;
		*value = load_u64(im->data + off);
		return true;
	}
	return false;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	const struct libunwind_state *st = arg;

	if (write)
		return -UNW_EINVAL;
	if (addr >= TABLES)
		return read_made(st, addr, value) ? 0 : -UNW_EINVAL;
	if (!unwinding_word(st->u, addr, value) && !read_object(st, addr, value))
		return -UNW_EINVAL;
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	const struct unwinding *u = ((const struct libunwind_state *)arg)->u;
	uint8_t ours;

	if (write || reg < 0 || (unsigned)reg >= u->arch->n_dwarf)
		return -UNW_EBADREG;
	ours = u->arch->from_dwarf[reg];
	if (ours == ARCH_NO_REG || !(u->args->regs_mask >> ours & 1))
		return -UNW_EBADREG;
	*value = u->regs[ours];
	return 0;
}

static unw_accessors_t accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_info,
	.get_dyn_info_list_addr = no_list,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = no_float,
	.resume = no_resume,
	.get_proc_name = no_name,
};

static struct libunwind_state *get_state(struct unwinding *u)
{
	struct libunwind_state *st = *u->state;

	if (!st) {
		*u->state = st = xcalloc(1, sizeof(*st));
		st->space = libunwind._Ux86_64_create_addr_space(&accessors, 0);
		if (!st->space)
			return NULL;
		libunwind._Ux86_64_set_caching_policy(st->space, UNW_CACHE_GLOBAL);
	} else if (st->space && (st->last_space != u->args->space || st->last_version != u->version)) {
		libunwind._Ux86_64_flush_cache(st->space, 0, 0);
		vec_clear(&st->images);
	}
	st->last_space = u->args->space;
	st->last_version = u->version;
	st->u = u;
	return st->space ? st : NULL;
}

static bool begins_trampoline(const struct unwinding *u, uint64_t ip)
{
	uint64_t first, second;

	return unwinding_word(u, ip, &first) && unwinding_word(u, ip + 8, &second) && first == 0x0f0000000fc0c748 &&
	       (second & 0xff) == 0x05;
}

/*
 * Return whether a signal handler returns to this place. libunwind's own answer depends on the
 * state of its cache. The code is "mov $15, %rax; syscall": rt_sigreturn(2). Handlers return to the
 * first instruction, and a sample may be at either.
 */
static bool is_trampoline(const struct unwinding *u, uint64_t ip)
{
	enum { MOV = 7 };

	return begins_trampoline(u, ip) || begins_trampoline(u, ip - MOV);
}

static size_t walk_libunwind(struct unwinding *u, uint64_t *ips, size_t max, struct unwind_stop *stop)
{
	struct libunwind_state *st = get_state(u);
	bool signal = false; /* the previous frame is a signal trampoline: this code was interrupted, it did not call */
	bool exact;          /* the address is that of a running instruction, not a return address */
	unw_cursor_t c;
	unw_word_t ip;
	size_t n = 0;
	int more = 1;

	*stop = (struct unwind_stop){ .end = UNWIND_LIMIT, .ip = u->regs[u->arch->ip] };
	if (!st || libunwind._Ux86_64_init_remote(&c, st->space, st))
		return 0;
	while (n < max) {
		if (libunwind._Ux86_64_get_reg(&c, UNW_REG_IP, &ip) || !ip) {
			stop->end = UNWIND_DONE;
			break;
		}
		exact = !n || signal;
		signal = is_trampoline(u, ip);
		exact |= signal;
		stop->ip = ips[n++] = exact ? ip : ip - 1;
		more = libunwind._Ux86_64_step(&c);
		if (more <= 0) {
			stop->end = more ? UNWIND_NO_CFI : UNWIND_DONE;
			break;
		}
	}
	return n;
}

static void free_state(void *state)
{
	struct libunwind_state *st = state;

	if (st->space)
		libunwind._Ux86_64_destroy_addr_space(st->space);
	for (size_t i = 0; i < st->hdrs.len; i++)
		free(st->hdrs.items[i].made);
	vec_free(&st->hdrs);
	vec_free(&st->images);
	free(st);
}
#else
static size_t walk_libunwind(struct unwinding *u, uint64_t *ips, size_t max, struct unwind_stop *stop) { return 0; }
static void free_state(void *state) {}
#endif

static int supports_x86_64(const struct arch *a, struct err *e)
{
	if (a->elf_machine != EM_X86_64) {
		err_set(e, "libunwind cannot unwind this recording: it is used for stacks of x86-64 only");
		err_try(e, "--unwind-style cfi");
		return err_exit(e, EXIT_BAD_USAGE);
	}
#ifdef HAVE_LIBUNWIND
	return libunwind_ready(e);
#else
	err_set(e, "this strobe was built without libunwind");
	err_try(e, "--unwind-style cfi, or build with libunwind-dev installed");
	return err_exit(e, EXIT_BAD_USAGE);
#endif
}

const struct unwinder unwinder_libunwind = { "libunwind", supports_x86_64, walk_libunwind, free_state };
