#ifndef FORMAT_FEATURES_PRIV_H
#define FORMAT_FEATURES_PRIV_H

#include "base/bytes.h"
#include "format/features.h"

/*
 * Codecs of the sections that hold more than one value. The table in features.c points at them. A
 * decoder reads from `b` into `f` and leaves b->bad set when the bytes do not fit. It checks sizes
 * against the remaining bytes before it allocates; memory comes from f->arena. An encoder appends
 * in host byte order. Layouts: strobe.data(5), "Features".
 */
typedef void feature_decoder(struct features *f, struct bytes *b);
typedef void feature_encoder(const struct features *f, struct out *o);

feature_decoder decode_build_ids, decode_cpu_topology, decode_numa_topology, decode_pmu_mappings, decode_group_desc,
	decode_caches, decode_mem_topology, decode_clock_data, decode_cpu_pmu_caps, decode_hybrid_topology,
	decode_pmu_caps, decode_cpu_domains, decode_unwound, decode_subjects;
feature_encoder encode_build_ids, encode_cpu_topology, encode_numa_topology, encode_pmu_mappings, encode_group_desc,
	encode_caches, encode_mem_topology, encode_clock_data, encode_cpu_pmu_caps, encode_hybrid_topology,
	encode_pmu_caps, encode_cpu_domains, encode_unwound, encode_subjects;

/*
 * Read a counted text {u32 len, len bytes padded with zeroes} or a list {u32 n, n texts}. Never
 * NULL.
 */
const char *take_text(struct bytes *b, struct arena *a);
void take_list(struct bytes *b, struct arena *a, struct str_list *list);
void put_u32(struct out *o, uint32_t v);
void put_u64(struct out *o, uint64_t v);
void put_text(struct out *o, const char *s);
void put_list(struct out *o, const struct str_list *list);

/* Write the header text's lines about BPF programs and type tables. */
void bpf_print_programs(const struct perfdata *pd, struct out *o);
void bpf_print_btfs(const struct perfdata *pd, struct out *o);

#endif
