/*
 * Write the code in a jitdump as ELF files: jitted-PID-INDEX.so beside it, each with one
 * function. Never follow links at these names, and never overwrite files of others.
 */
#include "symbols/file/elf_make.h"
#include "symbols/name/symbols_priv.h"
#include "symbols/name/sources.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* perf puts it there: behind the file header and one segment header, rounded up */
enum { MAX_PARTS = 9, TEXT_AT = 0x80 };

/*
 * Make a build-id from the contents, to tell apart two files of one name. Note: name size, id
 * size, type, "GNU".
 */
static void make_id(const struct jitdump_code *code, uint32_t note[9])
{
	const uint32_t head[4] = { 4, 20, NT_GNU_BUILD_ID, 0 };

	memcpy(note, head, sizeof(head));
	memcpy(&note[3], "GNU", 4);
	for (unsigned i = 0; i < 5; i++)
		note[4 + i] = (uint32_t)hash_mix(hash_bytes(code->bytes, code->len, i),
						 hash_bytes(code->name, strlen(code->name), i));
}

static struct elf_part dwarf_part(const char *name, const struct out *o)
{
	return (struct elf_part){ .name = name, .type = SHT_PROGBITS, .align = 1, .data = o->buf, .len = o->len };
}

/*
 * Make the sections with the code's unwind information, if the program supplied it. Return how
 * many.
 */
static size_t unwind_parts(struct elf_part parts[2], const struct jitdump *j, const struct jitdump_code *code)
{
	const struct jit_unwind unwind = jit_unwind_of(j, code);
	const uint64_t frames_at = jit_unwind_at(TEXT_AT, code->len);

	if (!unwind.frames.len)
		return 0;
	parts[0] = (struct elf_part){ .name = ".eh_frame",
				      .type = SHT_PROGBITS,
				      .flags = SHF_ALLOC,
				      .address = frames_at,
				      .align = 8,
				      .data = unwind.frames.data,
				      .len = unwind.frames.len };
	parts[1] = (struct elf_part){ .name = ".eh_frame_hdr",
				      .type = SHT_PROGBITS,
				      .flags = SHF_ALLOC,
				      .address = frames_at + unwind.frames.len,
				      .align = 1,
				      .data = unwind.header.data,
				      .len = unwind.header.len };
	return 2;
}

static void *make_elf(const struct jitdump *j, const struct jitdump_code *code, size_t *len)
{
	size_t name_len = strlen(code->name);
	autofree char *strings = xcalloc(1, name_len + 2);
	Elf64_Sym symbols[2] = { [1] = { .st_name = 1,
					 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					 .st_shndx = 1,
					 .st_value = TEXT_AT,
					 .st_size = code->len } };
	uint32_t note[9];
	struct jit_dwarf dwarf;
	struct elf_part parts[MAX_PARTS] = {
		{ .name = ".text",
		  .type = SHT_PROGBITS,
		  .flags = SHF_ALLOC | SHF_EXECINSTR,
		  .address = TEXT_AT,
		  .align = TEXT_AT,
		  .data = code->bytes,
		  .len = code->len },
		{ .name = ".symtab",
		  .type = SHT_SYMTAB,
		  .align = 8,
		  .entry_size = sizeof(*symbols),
		  .link = 3,
		  .info = 1,
		  .data = symbols,
		  .len = sizeof(symbols) },
		{ .name = ".strtab", .type = SHT_STRTAB, .align = 1, .data = strings, .len = name_len + 2 },
		{ .name = ".note.gnu.build-id",
		  .type = SHT_NOTE,
		  .flags = SHF_ALLOC,
		  .align = 4,
		  .data = note,
		  .len = sizeof(note) },
	};
	size_t n = 4;
	void *bytes;

	memcpy(strings + 1, code->name, name_len);
	make_id(code, note);
	n += unwind_parts(&parts[n], j, code);
	jit_dwarf_init(&dwarf, j, code, TEXT_AT);
	if (code->lines_len) {
		parts[n++] = dwarf_part(".debug_line", &dwarf.line);
		parts[n++] = dwarf_part(".debug_info", &dwarf.info);
		parts[n++] = dwarf_part(".debug_abbrev", &dwarf.abbrev);
	}
	bytes = elf_make(ET_DYN, (uint16_t)j->machine, parts, n, len);
	jit_dwarf_release(&dwarf);
	return bytes;
}

/*
 * Write a file under a temporary name and rename it, so that readers never see half of it. This
 * replaces our own file from an earlier run.
 */
static int write_file(const char *path, const void *bytes, size_t len, uint64_t *ino, struct err *e)
{
	autofree char *part = xasprintf("%s.%d", path, (int)getpid());
	autoclose int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	struct stat st;

	if (fd < 0)
		return err_sys(e, "cannot write '%s'", part);
	if (lstat(path, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
		unlink(part);
		return err_set(e, "'%s' is there already and is not ours", path);
	}
	if (write_all(fd, bytes, len) < 0 || fstat(fd, &st) < 0 || rename(part, path) < 0) {
		err_sys(e, "cannot write '%s'", path);
		unlink(part);
		return -1;
	}
	*ino = st.st_ino;
	return 0;
}

static int write_code(const struct jitdump *j, const char *dump, const struct jitdump_code *code, struct jit_file *file,
		      struct err *e)
{
	const char *slash = strrchr(dump, '/');
	autofree void *bytes = NULL;
	size_t len;

	*file = (struct jit_file){ .time_ns = code->time_ns, .start = code->start, .len = code->len, .pgoff = TEXT_AT };
	file->path = xasprintf("%.*sjitted-%d-%llu.so", slash ? (int)(slash - dump) + 1 : 0, dump, j->pid,
			       (unsigned long long)code->index);
	if (code->moved) /* it was written when it was first loaded */
		return 0;
	bytes = make_elf(j, code, &len);
	return write_file(file->path, bytes, len, &file->ino, e);
}

void jit_files_free(struct jit_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(files[i].path);
	free(files);
}

int jit_files_write(struct symbols *s, const char *dump, int32_t pid, uint64_t ino, struct jit_file **files, size_t *n,
		    struct err *e)
{
	struct jitdump j = { 0 };
	struct file_map m;
	enum reason problem;
	int status = 0;

	*files = NULL;
	*n = 0;
	if (private_file(s, dump, dump, pid, ino, &m, &problem) < 0) {
		err_set(e, "cannot use the jitdump '%s'", dump);
		return err_why(e, "%s", reasons[problem].text);
	}
	if (jitdump_parse(&j, m.data, m.len, &problem) < 0) {
		file_unmap(&m);
		err_set(e, "cannot use the jitdump '%s'", dump);
		return err_why(e, "%s", reasons[problem].text);
	}
	*files = xcalloc(j.codes.len + 1, sizeof(**files));
	for (size_t i = 0; i < j.codes.len && !status; i++)
		status = write_code(&j, dump, &j.codes.items[i], &(*files)[(*n)++], e);
	vec_free(&j.codes);
	file_unmap(&m);
	if (status < 0) {
		jit_files_free(*files, *n);
		*files = NULL;
		*n = 0;
	}
	return status;
}
