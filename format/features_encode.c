#include "format/features_priv.h"
#include "format/record.h"

void put_u32(struct out *o, uint32_t v) { out_mem(o, (const char *)&v, sizeof(v)); }
void put_u64(struct out *o, uint64_t v) { out_mem(o, (const char *)&v, sizeof(v)); }

/* Write a text. All writers of the format round its room, including the NUL, up to 64 bytes. */
void put_text(struct out *o, const char *s)
{
	size_t len = s ? strlen(s) : 0, room = ROUND_UP(len + 1, 64);

	put_u32(o, (uint32_t)room);
	out_mem(o, s ? s : "", len);
	out_pad(o, '\0', (long)(room - len));
}

void put_list(struct out *o, const struct str_list *list)
{
	put_u32(o, list->n);
	for (uint32_t i = 0; i < list->n; i++)
		put_text(o, list->items[i]);
}

void encode_build_ids(const struct features *f, struct out *o)
{
	for (uint32_t i = 0; i < f->n_build_ids; i++) {
		const struct feature_build_id *id = &f->build_ids[i];
		size_t len = strnlen(id->filename, 4096), room = ROUND_UP(len + 1, 8);
		uint16_t misc = id->misc | MISC_BUILD_ID_SIZE, size = (uint16_t)(36 + room);

		/* 36 is not a multiple of 8: pad so that the whole entry is one. */
		room += (8 - size % 8) % 8;
		size = (uint16_t)(36 + room);
		put_u32(o, 0);
		out_mem(o, (const char *)&misc, 2);
		out_mem(o, (const char *)&size, 2);
		put_u32(o, (uint32_t)id->pid);
		out_mem(o, (const char *)id->id, sizeof(id->id));
		out_char(o, (char)id->size);
		out_pad(o, '\0', 3);
		out_mem(o, id->filename, len);
		out_pad(o, '\0', (long)(room - len));
	}
}

void encode_cpu_topology(const struct features *f, struct out *o)
{
	put_list(o, &f->packages);
	put_list(o, &f->cores);
	for (uint32_t i = 0; i < f->n_cpus; i++) {
		put_u32(o, f->cpus[i].core_id);
		put_u32(o, f->cpus[i].socket_id);
	}
	if (!f->has_dies)
		return;
	put_list(o, &f->dies);
	for (uint32_t i = 0; i < f->n_cpus; i++)
		put_u32(o, f->cpus[i].die_id);
}

void encode_numa_topology(const struct features *f, struct out *o)
{
	put_u32(o, f->n_nodes);
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		put_u32(o, f->nodes[i].node);
		put_u64(o, f->nodes[i].total_kb);
		put_u64(o, f->nodes[i].free_kb);
		put_text(o, f->nodes[i].cpus);
	}
}

void encode_pmu_mappings(const struct features *f, struct out *o)
{
	put_u32(o, f->n_pmus);
	for (uint32_t i = 0; i < f->n_pmus; i++) {
		put_u32(o, f->pmus[i].type);
		put_text(o, f->pmus[i].name);
	}
}

void encode_group_desc(const struct features *f, struct out *o)
{
	put_u32(o, f->n_groups);
	for (uint32_t i = 0; i < f->n_groups; i++) {
		put_text(o, f->groups[i].name);
		put_u32(o, f->groups[i].leader);
		put_u32(o, f->groups[i].n_members);
	}
}

void encode_caches(const struct features *f, struct out *o)
{
	put_u32(o, 1); /* version */
	put_u32(o, f->n_caches);
	for (uint32_t i = 0; i < f->n_caches; i++) {
		const struct feature_cache *c = &f->caches[i];

		put_u32(o, c->level);
		put_u32(o, c->line_size);
		put_u32(o, c->sets);
		put_u32(o, c->ways);
		put_text(o, c->type);
		put_text(o, c->size);
		put_text(o, c->cpus);
	}
}

void encode_mem_topology(const struct features *f, struct out *o)
{
	put_u64(o, 1); /* version */
	put_u64(o, f->mem_block_size);
	put_u64(o, f->n_mem_nodes);
	for (uint64_t i = 0; i < f->n_mem_nodes; i++) {
		const struct feature_mem_node *m = &f->mem_nodes[i];

		put_u64(o, m->node);
		put_u64(o, m->size);
		put_u64(o, m->n_bits);
		out_mem(o, (const char *)m->words, ROUND_UP(m->n_bits, 64) / 8);
	}
}

void encode_clock_data(const struct features *f, struct out *o)
{
	put_u32(o, 1); /* version */
	put_u32(o, f->clockid);
	put_u64(o, f->clock_tod_ns);
	put_u64(o, f->clock_ns);
}

static void encode_caps(const struct feature_cap *caps, uint32_t n, struct out *o)
{
	put_u32(o, n);
	for (uint32_t i = 0; i < n; i++) {
		put_text(o, caps[i].name);
		put_text(o, caps[i].value);
	}
}

void encode_cpu_pmu_caps(const struct features *f, struct out *o) { encode_caps(f->cpu_caps, f->n_cpu_caps, o); }

void encode_hybrid_topology(const struct features *f, struct out *o)
{
	put_u32(o, f->n_hybrids);
	for (uint32_t i = 0; i < f->n_hybrids; i++) {
		put_text(o, f->hybrids[i].pmu);
		put_text(o, f->hybrids[i].cpus);
	}
}

void encode_pmu_caps(const struct features *f, struct out *o)
{
	put_u32(o, f->n_pmu_caps);
	for (uint32_t i = 0; i < f->n_pmu_caps; i++) {
		encode_caps(f->pmu_caps[i].caps, f->pmu_caps[i].n, o);
		put_text(o, f->pmu_caps[i].pmu);
	}
}

void encode_cpu_domains(const struct features *f, struct out *o)
{
	put_u32(o, f->schedstat_version);
	put_u32(o, f->max_domains);
	for (uint32_t i = 0; i < f->n_cpu_domains; i++) {
		const struct feature_cpu_domains *cpu = &f->cpu_domains[i];

		put_u32(o, cpu->cpu);
		put_u32(o, cpu->n);
		for (uint32_t k = 0; k < cpu->n; k++) {
			put_u32(o, cpu->domains[k].domain);
			if (f->schedstat_version >= 17)
				put_text(o, cpu->domains[k].name);
			put_text(o, cpu->domains[k].mask);
			put_text(o, cpu->domains[k].cpus);
		}
	}
}

void encode_unwound(const struct features *f, struct out *o)
{
	put_u32(o, 1);
	put_u32(o, f->unwound_window);
	put_u32(o, f->n_unwound_events);
	for (uint32_t i = 0; i < f->n_unwound_events; i++)
		put_u32(o, f->unwound_events[i]);
	put_u32(o, f->n_unwound_ends);
	for (uint32_t i = 0; i < f->n_unwound_ends; i++) {
		put_text(o, f->unwound_ends[i].code);
		put_u64(o, f->unwound_ends[i].samples);
	}
}

void encode_subjects(const struct features *f, struct out *o)
{
	put_u32(o, f->n_subjects);
	for (uint32_t i = 0; i < f->n_subjects; i++)
		put_u32(o, (uint32_t)f->subjects[i]);
}
