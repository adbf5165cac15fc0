/*
 * Write records about BPF programs that were loaded before the recording began, and their
 * compiled code. Asking needs privileges; without them nothing is written. Programs that the
 * kernel interprets have no code. Source: bpf(2); linux/bpf.h, struct bpf_prog_info;
 * linux/btf.h; strobe.data(5), "KSYMBOL", "BPF_EVENT".
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "format/record.h"
#include "record/proc/synthesize_priv.h"

enum {
	MAX_PROGRAMS = 1 << 16,
	MAX_PARTS = 1 << 12,
	MAX_BTF = 64 << 20,
	KSYMBOL_BPF = 1,
	PROG_LOAD = 1,
	TAG = BPF_TAG_SIZE
};

/* One program as one system call describes it: with as many parts (functions) as fit. */
struct loaded_program {
	struct bpf_prog_info info;
	uint64_t starts[MAX_PARTS];
	uint32_t lens[MAX_PARTS];
	uint8_t tags[MAX_PARTS][TAG];
	struct bpf_func_info functions[MAX_PARTS];
	/* BTF types, which hold the functions' names. */
	uint32_t types_id; /* 0 = none read */
	uint8_t *types;
	size_t types_len;
};

static int bpf(int command, union bpf_attr *attr) { return (int)syscall(SYS_bpf, command, attr, sizeof(*attr)); }

/* Open a program or a BTF object; the id is at the same place in both. */
static int open_by_id(int command, uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	return bpf(command, &attr);
}

static bool get_info(int fd, void *info, uint32_t len)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = len;
	attr.info.info = (uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

static bool read_program(int fd, struct loaded_program *p)
{
	memset(p->tags, 0, sizeof(p->tags));
	p->info = (struct bpf_prog_info){
		.jited_ksyms = (uintptr_t)p->starts,
		.nr_jited_ksyms = MAX_PARTS,
		.jited_func_lens = (uintptr_t)p->lens,
		.nr_jited_func_lens = MAX_PARTS,
		.prog_tags = (uintptr_t)p->tags,
		.nr_prog_tags = MAX_PARTS,
		.func_info = (uintptr_t)p->functions,
		.nr_func_info = MAX_PARTS,
		.func_info_rec_size = sizeof(p->functions[0]),
	};
	return get_info(fd, &p->info, sizeof(p->info));
}

/* ---- names of functions ---- */

static void read_types(struct loaded_program *p, uint32_t id)
{
	struct bpf_btf_info info = { 0 };
	autoclose int fd = -1;

	if (p->types_id == id)
		return;
	free(p->types);
	p->types = NULL;
	p->types_len = 0;
	p->types_id = id;
	fd = open_by_id(BPF_BTF_GET_FD_BY_ID, id);
	if (fd < 0 || !get_info(fd, &info, sizeof(info)) || info.btf_size > MAX_BTF)
		return;
	p->types = xmalloc(info.btf_size);
	info = (struct bpf_btf_info){ .btf = (uintptr_t)p->types, .btf_size = info.btf_size };
	if (get_info(fd, &info, sizeof(info)))
		p->types_len = info.btf_size;
}

/* Return how many bytes follow the header of a type. */
static uint64_t rest_of_type(uint32_t info)
{
	uint64_t n = BTF_INFO_VLEN(info);

	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17: return 4; /* 17: DECL_TAG */
	case BTF_KIND_ARRAY: return 12;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case 19: return 12 * n; /* 19: ENUM64 */
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO: return 8 * n;
	default: return 0;
	}
}

const char *bpf_type_name(const uint8_t *btf, size_t len, uint32_t wanted)
{
	struct bytes b = bytes_of(btf, len, false), types, strings;
	uint32_t header, types_at, types_len, strings_at, strings_len, name = 0;

	if (bytes_u16(&b) != BTF_MAGIC)
		return NULL;
	bytes_u16(&b); /* version and flags */
	header = bytes_u32(&b);
	types_at = bytes_u32(&b);
	types_len = bytes_u32(&b);
	strings_at = bytes_u32(&b);
	strings_len = bytes_u32(&b);
	types = strings = bytes_of(btf, len, false);
	bytes_take(&types, (uint64_t)header + types_at);
	bytes_take(&strings, (uint64_t)header + strings_at);
	if (b.bad || types.bad || strings.bad || types_len > bytes_left(&types) || strings_len > bytes_left(&strings))
		return NULL;
	types.end = types.at + types_len;
	strings.end = strings.at + strings_len;
	for (uint32_t id = 1; id <= wanted && !types.bad; id++) {
		uint32_t info;

		name = bytes_u32(&types);
		info = bytes_u32(&types);
		bytes_take(&types, 4 + rest_of_type(info));
	}
	bytes_take(&strings, name);
	return types.bad || strings.bad || !wanted || !memchr(strings.at, 0, bytes_left(&strings)) || !*strings.at
		       ? NULL
		       : (const char *)strings.at;
}

/*
 * Return "bpf_prog_TAG_NAME", as in kallsyms. NAME comes from the function's type, otherwise
 * from the program's name, which the kernel cuts to 15 characters.
 */
static char *name_of(struct loaded_program *p, uint32_t part)
{
	const uint8_t *tag = part < p->info.nr_prog_tags && part < MAX_PARTS ? p->tags[part] : p->info.tag;
	const char *name = NULL;
	char hex[2 * TAG + 1];

	for (unsigned i = 0; i < TAG; i++)
		snprintf(hex + 2 * i, 3, "%02x", tag[i]);
	if (p->info.btf_id && part < p->info.nr_func_info && part < MAX_PARTS) {
		read_types(p, p->info.btf_id);
		name = bpf_type_name(p->types, p->types_len, p->functions[part].type_id);
	}
	if (!name)
		name = p->info.nr_jited_ksyms > 1 ? "F" : p->info.name;
	return xasprintf("bpf_prog_%s%s%.*s", hex, *name ? "_" : "",
			 name == p->info.name ? (int)sizeof(p->info.name) : 511, name);
}

/* ---- records ---- */

static void put_ksymbol(struct synth *s, uint64_t start, uint32_t len, const char *name)
{
	synth_begin(s, RECORD_KSYMBOL, 0);
	synth_u64(s, start);
	synth_u32(s, len);
	synth_u32(s, KSYMBOL_BPF); /* no flags */
	synth_text(s, name, strlen(name));
	synth_end(s);
}

static void put_program(struct synth *s, struct loaded_program *p)
{
	uint32_t n = MIN(p->info.nr_jited_ksyms, p->info.nr_jited_func_lens);

	for (uint32_t i = 0; i < MIN(n, (uint32_t)MAX_PARTS); i++) {
		autofree char *name = NULL;

		if (!p->starts[i] || !p->lens[i]) /* hidden from us (kptr_restrict) */
			continue;
		name = name_of(p, i);
		put_ksymbol(s, p->starts[i], p->lens[i], name);
	}
	synth_begin(s, RECORD_BPF_EVENT, 0);
	synth_u32(s, PROG_LOAD); /* no flags */
	synth_u32(s, p->info.id);
	out_mem(&s->out, (const char *)p->info.tag, TAG);
	synth_end(s);
}

void synth_bpf(struct synth *s)
{
	struct loaded_program *p = NULL;
	union bpf_attr next;

	memset(&next, 0, sizeof(next));
	for (unsigned n = 0; n < MAX_PROGRAMS && bpf(BPF_PROG_GET_NEXT_ID, &next) == 0; n++) {
		autoclose int fd = open_by_id(BPF_PROG_GET_FD_BY_ID, next.next_id);

		if (!p)
			p = xcalloc(1, sizeof(*p));
		if (fd >= 0 && read_program(fd, p))
			put_program(s, p);
		next.start_id = next.next_id;
	}
	if (p)
		free(p->types);
	free(p);
}
