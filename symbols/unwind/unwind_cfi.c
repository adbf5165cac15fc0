#include "base/bytes.h"
#include "symbols/name/bundle.h"
#include "symbols/name/jitdump.h"
#include "symbols/name/sources.h"
#include "symbols/unwind/unwinder_priv.h"
#include "symbols/unwind/walk_priv.h"

/*
 * Unwind user stacks from sampled registers and a copy of the stack. Decode each CFI row once
 * per address and worker; then a step to the caller is just a few loads from the copy.
 */

enum { PLACES = 1 << 13 };

/* The row of one address of one object. */
struct known {
	uint64_t addr;
	uint32_t dso;
	bool used;
	const struct cfi_row *row;
};

struct cfi_worker {
	struct arena arena; /* holds the rows */
	struct place *places;
	struct known *known; /* open addressing; cap is a power of two */
	size_t n_known, cap_known;
};

/* A walk through the objects of a session. */
struct tour {
	struct walk walk; /* first, so that its address is ours */
	struct symbols *s;
	struct cfi_worker *worker;
	uint32_t version;
};

/* ---- state ---- */

static void free_worker(void *state)
{
	struct cfi_worker *w = state;

	arena_release(&w->arena);
	free(w->places);
	free(w->known);
	free(w);
}

static void free_cfi(void *state) { cfi_close(state); }

static void read_ahead(const struct image *im, const char *section)
{
	GElf_Shdr h;

	if (im && image_section(im, section, &h))
		image_will_read(im, &h);
}

struct cfi *unwind_cfi(struct symbols *s, struct dso *d, const struct arch *a)
{
	const struct image *debug;
	struct cfi *c;

	pthread_mutex_lock(&d->lock);
	if (!d->unwind.free && !d->image) {
		d->unwind.free = free_cfi;
		d->unwind.state =
			cfi_open_frames(d->unwind_info, d->unwind_info_len, jit_unwind_at(d->start, d->len), a);
	}
	if (!d->unwind.free) {
		d->unwind.free = free_cfi;
		debug = debugfile_find(s, d);
		read_ahead(d->image, ".eh_frame");
		read_ahead(d->image, ".debug_frame");
		read_ahead(debug, ".debug_frame");
		d->unwind.state = cfi_open(d->image->data, d->image->len, debug ? debug->data : NULL,
					   debug ? debug->len : 0, a, NULL);
	}
	c = d->unwind.state;
	pthread_mutex_unlock(&d->lock);
	return c;
}

static void grow_known(struct cfi_worker *w)
{
	struct known *old = w->known;
	size_t n = w->cap_known;

	w->cap_known = n ? n * 2 : 1024;
	w->known = xtable(w->cap_known, sizeof(*w->known));
	for (size_t i = 0; i < n; i++) {
		size_t at;

		if (!old[i].used)
			continue;
		at = hash_mix(old[i].addr, old[i].dso) & (w->cap_known - 1);
		while (w->known[at].used)
			at = (at + 1) & (w->cap_known - 1);
		w->known[at] = old[i];
	}
	free(old);
}

/* Return the row for an address of an object. */
static const struct cfi_row *find_row(struct tour *k, struct dso *d, uint32_t dso, uint64_t addr)
{
	struct cfi_worker *w = k->worker;
	struct cfi *c;
	size_t at;

	if (w->n_known * 2 >= w->cap_known)
		grow_known(w);
	for (at = hash_mix(addr, dso) & (w->cap_known - 1); w->known[at].used; at = (at + 1) & (w->cap_known - 1))
		if (w->known[at].addr == addr && w->known[at].dso == dso)
			return w->known[at].row;
	c = unwind_cfi(k->s, d, k->walk.arch);
	w->known[at] =
		(struct known){ .addr = addr, .dso = dso, .used = true, .row = c ? cfi_row(c, addr, &w->arena) : NULL };
	w->n_known++;
	return w->known[at].row;
}

static void look_up(struct tour *k, uint64_t ip, struct place *p)
{
	struct map_hit hit;
	struct dso *d;
	uint64_t addr;

	*p = (struct place){ .ip = ip, .space = k->walk.args->space, .version = k->version, .state = PLACE_NO_MAP };
	if (!space_find(k->s, k->walk.args->space, k->walk.args->time_ns, ip, &hit))
		return;
	d = dso_load(k->s, hit.dso);
	if (!d->image) {
		/*
		 * Generated code has no file, but its JIT may have supplied unwind information.
		 * Otherwise it may keep frame pointers.
		 */
		p->row = d->unwind_info_len ? find_row(k, d, hit.dso, ip) : NULL;
		p->state = p->row                                                    ? PLACE_ROW
			   : d->kind == DSO_KIND_JIT || d->kind == DSO_KIND_JIT_CODE ? PLACE_GENERATED
			   : d->kind == DSO_KIND_ANON                                ? PLACE_DATA
										     : PLACE_NO_FILE;
		return;
	}
	addr = image_address(d->image, hit.dso_off);
	p->row = find_row(k, d, hit.dso, addr);
	p->state = p->row ? PLACE_ROW : walk_is_start(d->image, addr) ? PLACE_START : PLACE_NO_CFI;
}

static bool code_before(struct walk *walk, uint64_t ip, uint8_t *code)
{
	const struct tour *k = (const struct tour *)walk;
	struct map_hit hit;
	struct dso *d;

	if (!space_find(k->s, walk->args->space, walk->args->time_ns, ip - 1, &hit))
		return false;
	d = dso_load(k->s, hit.dso);
	return d->image && walk_copy_code(d->image, hit.dso_off + 1, code);
}

static const struct place *place_of(struct walk *walk, uint64_t ip)
{
	struct tour *k = (struct tour *)walk;
	struct cfi_worker *w = k->worker;
	struct place *p;

	if (!w->places)
		w->places = xtable(PLACES, sizeof(*w->places));
	p = &w->places[hash_mix(ip, k->walk.args->space) & (PLACES - 1)];
	if (p->state == PLACE_EMPTY || p->ip != ip || p->space != k->walk.args->space || p->version != k->version)
		look_up(k, ip, p);
	return p;
}

static size_t walk_cfi(struct unwinding *u, uint64_t *ips, size_t max, struct unwind_stop *stop)
{
	struct tour k = {
		.walk = { .args = u->args, .arch = u->arch, .place_of = place_of, .code_before = code_before },
		.s = u->s,
		.version = u->version
	};

	if (!*u->state)
		*u->state = xcalloc(1, sizeof(struct cfi_worker));
	k.worker = *u->state;
	return walk_start(&k.walk) ? walk_stack(&k.walk, ips, max, stop) : 0;
}

static int supports_all(const struct arch *a, struct err *e)
{
	if (a->n_dwarf)
		return 0;
	err_set(e, "the unwinder cfi does not know this architecture");
	return err_exit(e, EXIT_BAD_USAGE);
}

const struct unwinder unwinder_cfi = { "cfi", supports_all, walk_cfi, free_worker };

bool unwind_skips_caller(struct symbols *s, uint32_t dso, uint64_t dso_off)
{
	const struct arch *a = unwind_arch(s);
	struct dso *d = dso_load(s, dso);
	union cfi_row_room room;
	const struct cfi_row *row;
	const struct bundle_place *kept = d->from_bundle ? bundle_place_at(d, dso_off) : NULL,
				  *behind = d->from_bundle ? bundle_place_at(d, dso_off + 1) : NULL;
	const struct cfi *c;

	if (kept)
		return kept->flags & BUNDLE_SKIPS_CALLER;
	if (behind)
		return behind->flags & BUNDLE_SKIPS_BEFORE;

	/*
	 * Where calls keep the return address in a register, compilers describe frames relative
	 * to the stack pointer even when there is a frame record.
	 */
	if (!a || !a->fp_chain || !a->ret_at_cfa || !d->image)
		return false;
	c = unwind_cfi(s, d, a);
	row = c ? cfi_row_at(c, image_address(d->image, dso_off), &room) : NULL;
	return row && !row->is_signal && row->cfa.how == CFI_REGISTER && row->cfa.reg == a->sp;
}
