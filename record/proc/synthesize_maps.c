/*
 * Write maps: files of processes, the kernel's text, its modules. Also write the control
 * groups, which need a walk, too.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "format/record.h"
#include "record/record.h"
#include "record/proc/synthesize_priv.h"

/* ---- processes ---- */

/*
 * Return the build-id of a mapped file, read once per file. NULL when it has none or another
 * file took its path.
 */
static const struct build_id *file_build_id(struct synth *s, const struct proc_map *map)
{
	uint64_t dev = makedev(map->maj, map->min), hash = hash_mix(dev, map->ino);
	struct idtable_probe p = idtable_probe(&s->by_inode, hash);
	struct synth_object object = { .dev = dev, .ino = map->ino };
	autofree char *path = NULL;
	struct stat st;
	uint32_t id;

	if (!map->ino || !map->path_len || map->path[0] != '/')
		return NULL;
	while ((id = idtable_next(&s->by_inode, &p))) {
		const struct synth_object *known = &s->objects.items[id - 1];

		if (known->dev == dev && known->ino == map->ino)
			return known->id.size ? &known->id : NULL;
	}
	path = xstrndup(map->path, map->path_len);
	if (stat(path, &st) == 0 && st.st_ino == map->ino && build_id_of_file(path, &object.id, NULL) < 0)
		object.id.size = 0;
	vec_push(&s->objects, object);
	idtable_add(&s->by_inode, hash, (uint32_t)s->objects.len);
	return object.id.size ? &s->objects.items[s->objects.len - 1].id : NULL;
}

static void put_build_id(struct synth *s, const struct build_id *id)
{
	synth_u32(s, id->size);
	out_mem(&s->out, (const char *)id->bytes, sizeof(id->bytes));
}

/*
 * Return whether the map is of a hugetlbfs: readers cannot open such files, so they count as
 * memory.
 */
static bool is_hugetlb(const struct synth *s, const struct proc_map *map)
{
	for (size_t i = 0; i < s->hugetlbfs.len; i++) {
		const char *mount = s->hugetlbfs.items[i];
		size_t len = strlen(mount);

		if (map->path_len > len && !memcmp(map->path, mount, len) && map->path[len] == '/')
			return true;
	}
	return false;
}

void synth_map(struct synth *s, int32_t pid, const struct proc_map *map)
{
	bool huge = is_hugetlb(s, map), named = map->path_len && !huge;
	const struct build_id *id = s->build_ids && named ? file_build_id(s, map) : NULL;

	synth_begin(s, RECORD_MMAP2,
		    (uint16_t)(CPUMODE_USER | (map->prot & PROT_EXEC ? 0 : MISC_MMAP_DATA) |
			       (id ? MISC_MMAP_BUILD_ID : 0)));
	synth_u32(s, (uint32_t)pid);
	synth_u32(s, (uint32_t)pid);
	synth_u64(s, map->start);
	synth_u64(s, map->end - map->start);
	synth_u64(s, map->offset);
	if (id) {
		put_build_id(s, id);
	} else {
		synth_u32(s, map->maj);
		synth_u32(s, map->min);
		synth_u64(s, map->ino);
		synth_u64(s, 0);
	}
	synth_u32(s, map->prot);
	synth_u32(s, map->flags | (huge ? MAP_HUGETLB : 0));
	if (named)
		synth_text(s, map->path, map->path_len);
	else
		synth_text(s, "//anon", 6);
	synth_end(s);
}

/* ---- the kernel ---- */

static void put_kernel_map(struct synth *s, uint64_t start, uint64_t len, uint64_t pgoff, const char *name,
			   const struct build_id *id)
{
	synth_begin(s, id ? RECORD_MMAP2 : RECORD_MMAP, (uint16_t)(CPUMODE_KERNEL | (id ? MISC_MMAP_BUILD_ID : 0)));
	synth_u32(s, UINT32_MAX);
	synth_u32(s, 0);
	synth_u64(s, start);
	synth_u64(s, len);
	synth_u64(s, pgoff);
	if (id) {
		put_build_id(s, id);
		synth_u32(s, 0); /* prot, flags */
		synth_u32(s, 0);
	}
	synth_text(s, name, strlen(name));
	synth_end(s);
}

/*
 * Return the size from _text to _etext, from the map of physical memory, which is fast to read.
 * 0: only root may see it, or the line has another name.
 */
static uint64_t kernel_text_size(void)
{
	autofree char *iomem = file_read("/proc/iomem", 1 << 20, NULL, NULL);
	const char *line = iomem ? strstr(iomem, " : Kernel code\n") : NULL;
	unsigned long long first, last;

	while (line && line > iomem && line[-1] != '\n')
		line--;
	if (!line || sscanf(line, " %llx-%llx", &first, &last) != 2 || last <= first)
		return 0;
	return last - first + 1;
}

struct kernel_text {
	uint64_t text, stext, etext;
	bool hidden;
};

/* Look at one line of kallsyms: "ffffffff81000000 T _text". */
static void look_at_symbol(const char *line, struct kernel_text *k)
{
	uint64_t addr = strtoull(line, NULL, 16);
	const char *name = strchr(line, ' ');

	if (!name || !name[1] || name[2] != ' ')
		return;
	name += 3;
	if (name[0] != '_')
		return;
	if (!strcmp(name, "_text"))
		k->text = addr, k->hidden = !addr;
	else if (!strcmp(name, "_stext"))
		k->stext = addr, k->hidden = !addr;
	else if (!strcmp(name, "_etext"))
		k->etext = addr;
}

/*
 * Find the kernel's place in /proc/kallsyms. The file is sorted by address and long (the kernel
 * needs 40 ms to print it), so stop at the start address if the size is known.
 */
static void find_kernel_text(struct kernel_text *k)
{
	uint64_t size = kernel_text_size();
	autofclose FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f) && !k->etext && !k->hidden) {
		line[strcspn(line, "\t\n")] = '\0';
		if (k->text && size) /* _stext at the same address would follow; we do not need it */
			k->etext = k->text + size;
		else
			look_at_symbol(line, k);
	}
}

/*
 * Return whether the path names this module: "kernel/drivers/net/e1000.ko.xz" is e1000. Dashes
 * in file names are underscores in module names.
 */
static bool names_module(const char *path, size_t len, const char *module)
{
	const char *end = path + len, *at = memrchr(path, '/', len);

	for (at = at ? at + 1 : path; at < end && *module; at++, module++)
		if (*at != *module && !(*at == '-' && *module == '_'))
			return false;
	return !*module && end - at >= 3 && !memcmp(at, ".ko", 3);
}

/* Return the path of a module's file from modules.dep, otherwise "[name]". The caller frees it. */
static char *module_file(const char *dir, const char *dep, const char *module)
{
	for (const char *line = dep; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		size_t len = strcspn(line, ":\n");

		if (len && names_module(line, len, module))
			return line[0] == '/' ? xstrndup(line, len) : xasprintf("%s/%.*s", dir, (int)len, line);
	}
	return xasprintf("[%s]", module);
}

static void put_modules(struct synth *s)
{
	autofclose FILE *f = fopen("/proc/modules", "re");
	autofree char *dir = NULL, *dep_path = NULL, *dep = NULL;
	char line[4096], name[128];
	unsigned long long size, addr;
	struct utsname uts;

	if (!f || uname(&uts) < 0)
		return;
	dir = xasprintf("/lib/modules/%s", uts.release);
	dep_path = xasprintf("%s/modules.dep", dir);
	dep = file_read(dep_path, 16 << 20, NULL, NULL);
	while (fgets(line, sizeof(line), f)) {
		/* the x of the address; flags behind it are capital letters */
		const char *at = strrchr(line, 'x');
		struct build_id id = { .size = 0 };
		autofree char *file = NULL;

		if (sscanf(line, "%127s %llu", name, &size) != 2 || !at || at[-1] != '0' ||
		    sscanf(at + 1, "%llx", &addr) != 1 || !addr)
			continue;
		file = module_file(dir, dep, name);
		if (s->build_ids && build_id_of_module(name, &id, NULL) < 0)
			id.size = 0;
		put_kernel_map(s, addr, size, 0, file, id.size ? &id : NULL);
	}
}

bool synth_kernel(struct synth *s)
{
	struct kernel_text k = { 0 };
	struct build_id id = { .size = 0 };
	uint64_t start;

	find_kernel_text(&k);
	start = k.text ? k.text : k.stext;
	if (!start)
		return false;
	if (s->build_ids && build_id_of_kernel(&id, NULL) < 0)
		id.size = 0;
	/*
	 * pgoff holds the run-time address of the symbol in the name: readers compare it with
	 * their own symbol table to compute the relocation.
	 */
	put_kernel_map(s, start, k.etext > start ? k.etext - start : 0, start,
		       k.text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext", id.size ? &id : NULL);
	put_modules(s);
	return true;
}

/* ---- mounts, control groups ---- */

/* Collect the mount points of a file system type, in the arena. */
static void find_mounts(struct synth *s, const char *type, struct synth_paths *found)
{
	autofree char *mounts = file_read("/proc/self/mounts", 16 << 20, NULL, NULL);
	char *rest = NULL;

	for (char *line = mounts ? strtok_r(mounts, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		char *dir = strchr(line, ' '), *kind = dir ? strchr(dir + 1, ' ') : NULL,
		     *end = kind ? strchr(kind + 1, ' ') : NULL;

		if (!end)
			continue;
		*kind = *end = '\0';
		if (!strcmp(kind + 1, type))
			vec_push(found, arena_strdup(&s->arena, dir + 1));
	}
}

void synth_find_hugetlbfs(struct synth *s)
{
	find_mounts(s, "hugetlbfs", &s->hugetlbfs);
	s->knows_hugetlbfs = true;
}

/*
 * Return the id that samples carry: the kernfs id, which the file handle contains. Source:
 * name_to_handle_at(2).
 */
static bool cgroup_id(const char *path, uint64_t *id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} h = {
		.handle.handle_bytes = sizeof(uint64_t),
	};
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &h.handle, &mount, 0) < 0 || h.handle.handle_bytes != sizeof(uint64_t))
		return false;
	memcpy(id, h.handle.f_handle, sizeof(*id));
	return true;
}

enum { CGROUP_DEPTH = 64 };

static void put_cgroup(struct synth *s, const char *path, size_t mount_len, unsigned depth)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	const char *name = path[mount_len] ? path + mount_len : "/";
	uint64_t id;

	if (dir && cgroup_id(path, &id)) {
		synth_begin(s, RECORD_CGROUP, 0);
		synth_u64(s, id);
		synth_text(s, name, strlen(name));
		synth_end(s);
	}
	while (dir && depth < CGROUP_DEPTH && (entry = readdir(dir))) {
		autofree char *below = NULL;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		put_cgroup(s, below, mount_len, depth + 1);
	}
	if (dir)
		closedir(dir);
}

void synth_cgroups(struct synth *s)
{
	struct synth_paths mounts = { 0 };

	if (s->what & SYNTH_CGROUP)
		find_mounts(s, "cgroup2", &mounts);
	if (mounts.len)
		put_cgroup(s, mounts.items[0], strlen(mounts.items[0]), 0);
	vec_free(&mounts);
}
