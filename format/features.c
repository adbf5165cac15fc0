#include "format/features_priv.h"

/* How a section is stored. The simple shapes need no code of their own. */
enum shape {
	SHAPE_NONE, /* no known section has that bit */
	SHAPE_FLAG, /* empty: the bit is the information */
	SHAPE_TEXT, /* one counted text */
	SHAPE_LIST, /* counted texts */
	SHAPE_U32,  /* n words, consecutive members of struct features */
	SHAPE_U64,
	SHAPE_RAW, /* kept undecoded */
	SHAPE_OWN, /* has its own decode and encode */
};

struct feature_row {
	const char *name;
	enum shape shape;
	size_t at;  /* offset of the (first) member in struct features */
	unsigned n; /* number of words, for SHAPE_U32 and SHAPE_U64 */
	feature_decoder *decode;
	feature_encoder *encode;
};
#define AT(member) offsetof(struct features, member)

/*
 * All sections of the format. To add one: its bit in enum feature, a member of struct features, and
 * a row here. A shape of its own also needs a codec in features_decode.c and features_encode.c.
 * Text needs a row in header_text.c, and strobe.data(5) a paragraph.
 */
static const struct feature_row rows[FEATURES] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", SHAPE_RAW, AT(tracing_data) },
	[FEATURE_BUILD_ID] = { "BUILD_ID", SHAPE_OWN, .decode = decode_build_ids, .encode = encode_build_ids },
	[FEATURE_HOSTNAME] = { "HOSTNAME", SHAPE_TEXT, AT(hostname) },
	[FEATURE_OSRELEASE] = { "OSRELEASE", SHAPE_TEXT, AT(osrelease) },
	[FEATURE_VERSION] = { "VERSION", SHAPE_TEXT, AT(version) },
	[FEATURE_ARCH] = { "ARCH", SHAPE_TEXT, AT(arch) },
	[FEATURE_NRCPUS] = { "NRCPUS", SHAPE_U32, AT(cpus_available), 2 },
	[FEATURE_CPUDESC] = { "CPUDESC", SHAPE_TEXT, AT(cpudesc) },
	[FEATURE_CPUID] = { "CPUID", SHAPE_TEXT, AT(cpuid) },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", SHAPE_U64, AT(total_mem_kb), 1 },
	[FEATURE_CMDLINE] = { "CMDLINE", SHAPE_LIST, AT(cmdline) },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC" }, /* about events: reader and writer handle it */
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", SHAPE_OWN, .decode = decode_cpu_topology,
				   .encode = encode_cpu_topology },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", SHAPE_OWN, .decode = decode_numa_topology,
				    .encode = encode_numa_topology },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", SHAPE_FLAG },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", SHAPE_OWN, .decode = decode_pmu_mappings,
				   .encode = encode_pmu_mappings },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", SHAPE_OWN, .decode = decode_group_desc, .encode = encode_group_desc },
	[FEATURE_AUXTRACE] = { "AUXTRACE", SHAPE_RAW, AT(auxtrace) },
	[FEATURE_STAT] = { "STAT", SHAPE_FLAG },
	[FEATURE_CACHE] = { "CACHE", SHAPE_OWN, .decode = decode_caches, .encode = encode_caches },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", SHAPE_U64, AT(first_sample_ns), 2 },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", SHAPE_OWN, .decode = decode_mem_topology,
				   .encode = encode_mem_topology },
	[FEATURE_CLOCKID] = { "CLOCKID", SHAPE_U64, AT(clockid_res_ns), 1 },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", SHAPE_U64, AT(dir_version), 1 },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", SHAPE_RAW, AT(bpf_prog_info) },
	[FEATURE_BPF_BTF] = { "BPF_BTF", SHAPE_RAW, AT(bpf_btf) },
	[FEATURE_COMPRESSED] = { "COMPRESSED", SHAPE_U32, AT(compressed_version), 5 },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", SHAPE_OWN, .decode = decode_cpu_pmu_caps,
				   .encode = encode_cpu_pmu_caps },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", SHAPE_OWN, .decode = decode_clock_data, .encode = encode_clock_data },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", SHAPE_OWN, .decode = decode_hybrid_topology,
				      .encode = encode_hybrid_topology },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", SHAPE_OWN, .decode = decode_pmu_caps, .encode = encode_pmu_caps },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", SHAPE_OWN, .decode = decode_cpu_domains,
				      .encode = encode_cpu_domains },
	[FEATURE_E_MACHINE] = { "E_MACHINE", SHAPE_U32, AT(e_machine), 2 },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", SHAPE_U32, AT(cache_line_size), 1 },
	[FEATURE_BUNDLE] = { "BUNDLE", SHAPE_RAW, AT(bundle) },
	[FEATURE_SUBJECTS] = { "SUBJECTS", SHAPE_OWN, .decode = decode_subjects, .encode = encode_subjects },
	[FEATURE_UNWOUND] = { "UNWOUND", SHAPE_OWN, .decode = decode_unwound, .encode = encode_unwound },
};

const char *const unwound_ends[N_UNWOUND_ENDS] = {
	[UNWOUND_NONE] = "none",
	[UNWOUND_WHOLE] = "whole",
	[UNWOUND_JOINED] = "joined",
	[UNWOUND_CONTINUED] = "continued",
	[UNWOUND_WINDOW_FULL] = "window-full",
	[UNWOUND_NO_INFO] = "no-unwind-info",
	[UNWOUND_GUESSED] = "guessed",
	[UNWOUND_NOT_MAPPED] = "not-mapped",
	[UNWOUND_NO_FILE] = "no-file",
	[UNWOUND_BROKEN] = "stack-broken",
	[UNWOUND_DEPTH_LIMIT] = "depth-limit",
	[UNWOUND_UNSUPPORTED] = "unsupported",
};

enum unwound_end unwound_end_of(const char *code)
{
	for (enum unwound_end i = 0; i < N_UNWOUND_ENDS; i++)
		if (!strcmp(code, unwound_ends[i]))
			return i;
	return UNWOUND_UNSUPPORTED;
}

static const struct feature_row *row_of(unsigned bit) { return bit < FEATURES && rows[bit].name ? &rows[bit] : NULL; }

const char *feature_name(unsigned bit)
{
	const struct feature_row *row = row_of(bit);

	return row ? row->name : NULL;
}

static void decode_shape(const struct feature_row *row, struct features *f, struct bytes *b)
{
	void *member = (char *)f + row->at;

	switch (row->shape) {
	case SHAPE_TEXT: *(const char **)member = take_text(b, f->arena); break;
	case SHAPE_LIST: take_list(b, f->arena, member); break;
	case SHAPE_U32:
		for (unsigned i = 0; i < row->n; i++)
			((uint32_t *)member)[i] = bytes_u32(b);
		break;
	case SHAPE_U64:
		for (unsigned i = 0; i < row->n; i++)
			((uint64_t *)member)[i] = bytes_u64(b);
		break;
	case SHAPE_RAW: *(struct feature_raw *)member = (struct feature_raw){ b->at, bytes_left(b) }; break;
	case SHAPE_OWN: row->decode(f, b); break;
	case SHAPE_NONE:
	case SHAPE_FLAG: break;
	}
}

int feature_decode(struct features *f, unsigned bit, const uint8_t *p, size_t len, bool swap, struct err *e)
{
	const struct feature_row *row = row_of(bit);
	struct bytes b = bytes_of(p, len, swap);
	struct features made = *f; /* a copy, so that a malformed section leaves no trace */

	if (!row)
		return err_set(e, "feature %u is not known", bit);
	decode_shape(row, &made, &b);
	if (b.bad)
		return err_set(e, "feature %s: its section of %zu bytes is malformed", row->name, len);
	made.raw[bit] = (struct feature_raw){ p, len };
	feature_set(&made, bit);
	*f = made;
	return 0;
}

static void encode_raw(const struct feature_raw *raw, struct out *o)
{
	if (raw->size)
		out_mem(o, (const char *)raw->data, raw->size);
}

bool feature_encode(const struct features *f, unsigned bit, struct out *o)
{
	const struct feature_row *row = row_of(bit);
	const void *member;

	if (!row || row->shape == SHAPE_NONE || !feature_has(f, bit))
		return false;
	member = (const char *)f + row->at;
	switch (row->shape) {
	case SHAPE_TEXT: put_text(o, *(const char *const *)member); break;
	case SHAPE_LIST: put_list(o, member); break;
	case SHAPE_U32: out_mem(o, member, row->n * sizeof(uint32_t)); break;
	case SHAPE_U64: out_mem(o, member, row->n * sizeof(uint64_t)); break;
	case SHAPE_RAW: encode_raw(member, o); break;
	case SHAPE_OWN: row->encode(f, o); break;
	case SHAPE_NONE:
	case SHAPE_FLAG: break;
	}
	return true;
}

static unsigned cap_number(const struct feature_cap *caps, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (caps[i].name && caps[i].value && !strcmp(caps[i].name, name))
			return (unsigned)strtoul(caps[i].value, NULL, 10);
	return 0;
}

unsigned features_cap(const struct features *f, const char *name)
{
	unsigned number = cap_number(f->cpu_caps, f->n_cpu_caps, name);

	for (uint32_t i = 0; i < f->n_pmu_caps && !number; i++)
		number = cap_number(f->pmu_caps[i].caps, f->pmu_caps[i].n, name);
	return number;
}
