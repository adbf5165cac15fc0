#include "format/features_priv.h"
#include "format/record.h"

/*
 * Check that n items of at least `least` bytes each can fit, before memory is allocated for them.
 */
static bool count_fits(struct bytes *b, uint64_t n, size_t least)
{
	if (n > bytes_left(b) / least)
		b->bad = true;
	return !b->bad;
}

const char *take_text(struct bytes *b, struct arena *a)
{
	uint32_t room = bytes_u32(b);
	const uint8_t *p = bytes_take(b, room);
	size_t len = p ? strnlen((const char *)p, room) : 0;

	return len ? arena_strndup(a, (const char *)p, len) : "";
}

void take_list(struct bytes *b, struct arena *a, struct str_list *list)
{
	uint32_t n = bytes_u32(b);

	*list = (struct str_list){ 0 };
	if (!count_fits(b, n, 4) || !n)
		return;
	list->items = arena_alloc(a, n * sizeof(*list->items));
	list->n = n;
	for (uint32_t i = 0; i < n; i++)
		list->items[i] = take_text(b, a);
}

/*
 * Return true if the entry has no pid before the id, as in the oldest files. If such an entry is
 * read with a pid, a kernel entry's name loses its first four letters.
 */
static bool without_pid(const uint8_t *entry, size_t size)
{
	return size >= 36 + 13 && !memcmp(entry + 36, "nel.kallsyms]", 13);
}

static void decode_build_id(struct features *f, struct bytes *b, struct feature_build_id *id, bool old)
{
	size_t head = old ? 24 : 28;
	uint16_t misc, size;
	const uint8_t *body;
	struct bytes in;

	bytes_take(b, 4); /* the record type: 0 or 67, depending on the writer */
	misc = bytes_u16(b);
	size = bytes_u16(b);
	body = size >= 8 ? bytes_take(b, size - 8u) : NULL;
	if (!body || size - 8u < head) {
		b->bad = true;
		return;
	}
	in = bytes_of(body, size - 8u, b->swap);
	id->pid = old ? -1 : (int32_t)bytes_u32(&in);
	id->misc = misc;
	memcpy(id->id, bytes_take(&in, 20), 20);
	id->size = bytes_u8(&in);
	if (!(misc & MISC_BUILD_ID_SIZE) || id->size > sizeof(id->id))
		id->size = sizeof(id->id);
	bytes_take(&in, 3);
	id->filename = arena_strndup(f->arena, (const char *)in.at, strnlen((const char *)in.at, bytes_left(&in)));
}

void decode_build_ids(struct features *f, struct bytes *b)
{
	struct bytes count = *b;
	bool old = false;
	uint32_t n = 0;

	while (!count.bad && bytes_left(&count) >= 8) {
		const uint8_t *entry = count.at;
		uint16_t size;

		bytes_take(&count, 6);
		size = bytes_u16(&count);
		old |= size <= bytes_left(&count) + 8 && without_pid(entry, size);
		bytes_take(&count, size >= 8 ? size - 8u : UINT64_MAX);
		n++;
	}
	b->bad = count.bad;
	f->build_ids = n && !b->bad ? arena_alloc(f->arena, n * sizeof(*f->build_ids)) : NULL;
	f->n_build_ids = n;
	for (uint32_t i = 0; i < n && !b->bad; i++)
		decode_build_id(f, b, &f->build_ids[i], old);
}

void decode_cpu_topology(struct features *f, struct bytes *b)
{
	take_list(b, f->arena, &f->packages);
	take_list(b, f->arena, &f->cores);
	f->dies = (struct str_list){ 0 };
	f->cpus = NULL;
	f->n_cpus = 0;
	f->has_dies = false;
	/* Files before perf 4.1 end here. Without NRCPUS we do not know how many pairs follow. */
	if (!f->cpus_available || bytes_left(b) < 8 || !count_fits(b, f->cpus_available, 8))
		return;
	f->cpus = arena_alloc(f->arena, f->cpus_available * sizeof(*f->cpus));
	f->n_cpus = f->cpus_available;
	for (uint32_t i = 0; i < f->n_cpus; i++) {
		f->cpus[i].core_id = bytes_u32(b);
		f->cpus[i].socket_id = bytes_u32(b);
	}
	if (bytes_left(b) < 8)
		return;
	take_list(b, f->arena, &f->dies);
	for (uint32_t i = 0; i < f->n_cpus; i++)
		f->cpus[i].die_id = bytes_u32(b);
	f->has_dies = true;
}

void decode_numa_topology(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	f->n_nodes = 0;
	if (!count_fits(b, n, 24))
		return;
	f->nodes = arena_alloc(f->arena, n * sizeof(*f->nodes));
	f->n_nodes = n;
	for (uint32_t i = 0; i < n; i++) {
		struct feature_node *node = &f->nodes[i];

		node->node = bytes_u32(b);
		node->total_kb = bytes_u64(b);
		node->free_kb = bytes_u64(b);
		node->cpus = take_text(b, f->arena);
	}
}

void decode_pmu_mappings(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	f->n_pmus = 0;
	if (!count_fits(b, n, 8))
		return;
	f->pmus = arena_alloc(f->arena, n * sizeof(*f->pmus));
	f->n_pmus = n;
	for (uint32_t i = 0; i < n; i++) {
		f->pmus[i].type = bytes_u32(b);
		f->pmus[i].name = take_text(b, f->arena);
	}
}

void decode_group_desc(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	f->n_groups = 0;
	if (!count_fits(b, n, 12))
		return;
	f->groups = arena_alloc(f->arena, n * sizeof(*f->groups));
	f->n_groups = n;
	for (uint32_t i = 0; i < n; i++) {
		f->groups[i].name = take_text(b, f->arena);
		f->groups[i].leader = bytes_u32(b);
		f->groups[i].n_members = bytes_u32(b);
	}
}

void decode_caches(struct features *f, struct bytes *b)
{
	uint32_t version = bytes_u32(b), n = bytes_u32(b);

	f->n_caches = 0;
	if (version != 1)
		b->bad = true;
	if (!count_fits(b, n, 28))
		return;
	f->caches = arena_alloc(f->arena, n * sizeof(*f->caches));
	f->n_caches = n;
	for (uint32_t i = 0; i < n; i++) {
		struct feature_cache *c = &f->caches[i];

		c->level = bytes_u32(b);
		c->line_size = bytes_u32(b);
		c->sets = bytes_u32(b);
		c->ways = bytes_u32(b);
		c->type = take_text(b, f->arena);
		c->size = take_text(b, f->arena);
		c->cpus = take_text(b, f->arena);
	}
}

static void decode_mem_node(struct features *f, struct bytes *b, struct feature_mem_node *m)
{
	uint64_t n;

	m->node = bytes_u64(b);
	m->size = bytes_u64(b);
	m->n_bits = bytes_u64(b);
	n = m->n_bits / 64 + (m->n_bits % 64 != 0);
	if (!count_fits(b, n, 8))
		return;
	m->words = arena_alloc(f->arena, n * sizeof(*m->words));
	for (uint64_t i = 0; i < n; i++)
		m->words[i] = bytes_u64(b);
}

void decode_mem_topology(struct features *f, struct bytes *b)
{
	uint64_t version = bytes_u64(b), n;

	f->mem_block_size = bytes_u64(b);
	n = bytes_u64(b);
	f->n_mem_nodes = 0;
	if (version != 1)
		b->bad = true;
	if (!count_fits(b, n, 24))
		return;
	f->mem_nodes = arena_alloc(f->arena, n * sizeof(*f->mem_nodes));
	f->n_mem_nodes = n;
	for (uint64_t i = 0; i < n && !b->bad; i++)
		decode_mem_node(f, b, &f->mem_nodes[i]);
}

void decode_clock_data(struct features *f, struct bytes *b)
{
	if (bytes_u32(b) != 1) /* version */
		b->bad = true;
	f->clockid = bytes_u32(b);
	f->clock_tod_ns = bytes_u64(b);
	f->clock_ns = bytes_u64(b);
}

static void decode_caps(struct features *f, struct bytes *b, struct feature_cap **caps, uint32_t *n_caps)
{
	uint32_t n = bytes_u32(b);

	*n_caps = 0;
	if (!count_fits(b, n, 8))
		return;
	*caps = arena_alloc(f->arena, n * sizeof(**caps));
	*n_caps = n;
	for (uint32_t i = 0; i < n; i++) {
		(*caps)[i].name = take_text(b, f->arena);
		(*caps)[i].value = take_text(b, f->arena);
	}
}

void decode_cpu_pmu_caps(struct features *f, struct bytes *b) { decode_caps(f, b, &f->cpu_caps, &f->n_cpu_caps); }

void decode_hybrid_topology(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	f->n_hybrids = 0;
	if (!count_fits(b, n, 8))
		return;
	f->hybrids = arena_alloc(f->arena, n * sizeof(*f->hybrids));
	f->n_hybrids = n;
	for (uint32_t i = 0; i < n; i++) {
		f->hybrids[i].pmu = take_text(b, f->arena);
		f->hybrids[i].cpus = take_text(b, f->arena);
	}
}

void decode_pmu_caps(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	f->n_pmu_caps = 0;
	if (!count_fits(b, n, 8))
		return;
	f->pmu_caps = arena_alloc(f->arena, n * sizeof(*f->pmu_caps));
	f->n_pmu_caps = n;
	for (uint32_t i = 0; i < n && !b->bad; i++) {
		decode_caps(f, b, &f->pmu_caps[i].caps, &f->pmu_caps[i].n);
		f->pmu_caps[i].pmu = take_text(b, f->arena);
	}
}

static void decode_domains(struct features *f, struct bytes *b, struct feature_cpu_domains *cpu)
{
	uint32_t n;

	cpu->cpu = bytes_u32(b);
	n = bytes_u32(b);
	if (!count_fits(b, n, 12))
		return;
	cpu->domains = arena_alloc(f->arena, n * sizeof(*cpu->domains));
	cpu->n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct feature_domain *d = &cpu->domains[i];

		d->domain = bytes_u32(b);
		d->name = f->schedstat_version >= 17 ? take_text(b, f->arena) : "";
		d->mask = take_text(b, f->arena);
		d->cpus = take_text(b, f->arena);
	}
}

void decode_cpu_domains(struct features *f, struct bytes *b)
{
	VEC(struct feature_cpu_domains) cpus = { 0 };

	f->schedstat_version = bytes_u32(b);
	f->max_domains = bytes_u32(b);
	while (!b->bad && bytes_left(b) >= 8)
		decode_domains(f, b, vec_add(&cpus, 1));
	f->n_cpu_domains = (uint32_t)cpus.len;
	f->cpu_domains = vec_to_arena(&cpus, f->arena);
}

void decode_unwound(struct features *f, struct bytes *b)
{
	uint32_t version = bytes_u32(b), n;

	f->unwound_window = bytes_u32(b);
	n = bytes_u32(b);
	b->bad |= version != 1 || n > bytes_left(b) / 4;
	if (b->bad)
		return;
	f->unwound_events = n ? arena_alloc(f->arena, n * sizeof(uint32_t)) : NULL;
	for (f->n_unwound_events = 0; f->n_unwound_events < n; f->n_unwound_events++)
		f->unwound_events[f->n_unwound_events] = bytes_u32(b);
	n = bytes_u32(b);
	b->bad |= n > bytes_left(b) / 12;
	if (b->bad)
		return;
	f->unwound_ends = n ? arena_alloc(f->arena, n * sizeof(*f->unwound_ends)) : NULL;
	for (f->n_unwound_ends = 0; f->n_unwound_ends < n && !b->bad; f->n_unwound_ends++) {
		struct feature_unwound_end *end = &f->unwound_ends[f->n_unwound_ends];

		end->code = take_text(b, f->arena);
		end->samples = bytes_u64(b);
	}
}

void decode_subjects(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	b->bad |= n > bytes_left(b) / 4;
	if (b->bad)
		return;
	f->subjects = n ? arena_alloc(f->arena, n * sizeof(*f->subjects)) : NULL;
	for (f->n_subjects = 0; f->n_subjects < n; f->n_subjects++)
		f->subjects[f->n_subjects] = (int32_t)bytes_u32(b);
}
