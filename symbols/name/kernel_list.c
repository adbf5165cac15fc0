/* Read the kernel's symbol list for the objects of a session. */
#include "symbols/name/kernel_list_priv.h"

#include <errno.h>
#include <sys/mman.h>

#include "symbols/name/kallsyms.h"
#include "symbols/name/sources.h"

enum { BUFFER = 256 << 10, USUAL_LINE = 40 };
#define MAX_TEXT (UINT32_MAX - 2 * BUFFER) /* names have 32-bit offsets */

struct kernel_list {
	struct symbol_table kernel; /* in file order, until kernel_list_take() */
	bool taken;
	pthread_mutex_t lock; /* guards both */
	VEC(struct module_symbol {
		struct symbol symbol;
		uint32_t module; /* index in `modules` */
	})
	of_modules;
	VEC(const char *) modules; /* "[e1000]", in `arena`; 0 is unused */
	struct idtable by_name;    /* finds modules by name */
	struct arena arena;
	struct file_map map; /* of the file, which holds the names */
	VEC(char) text;      /* the names, a line each, if the file has no size: /proc/kallsyms */
	enum reason problem;
	char *path;
	bool hidden; /* all addresses were 0 */
};

static struct strings names_of(const struct kernel_list *k)
{
	return k->map.len ? (struct strings){ (const char *)k->map.data, k->map.len }
			  : (struct strings){ k->text.items, k->text.len };
}

/* Return the number of a module; create it if it is new. */
static uint32_t module_number(struct kernel_list *k, const char *name, size_t len)
{
	struct idtable_probe p;
	uint64_t hash;
	uint32_t id = (uint32_t)k->modules.len - 1;
	const char *last = k->modules.items[id];

	len = strnlen(name, len);
	if (id && !strncmp(last, name, len) && !last[len]) /* the kernel writes module by module */
		return id;
	hash = hash_bytes(name, len, 0);
	p = idtable_probe(&k->by_name, hash);
	while ((id = idtable_next(&k->by_name, &p)))
		if (!strncmp(k->modules.items[id], name, len) && !k->modules.items[id][len])
			return id;
	vec_push(&k->modules, arena_strndup(&k->arena, name, len));
	idtable_add(&k->by_name, hash, (uint32_t)k->modules.len - 1);
	return (uint32_t)k->modules.len - 1;
}

static struct symbol to_symbol(const struct kallsyms_line *l, uint32_t name)
{
	char type = l->type | 0x20;

	return (struct symbol){
		.start = l->address,
		.end = l->address,
		.name = name,
		.flags = SYMBOL_RAW | SYMBOL_LINE | SYMBOL_TAB,
		.binding = type == 'w'       ? STB_WEAK
			   : l->type == type ? STB_LOCAL
					     : STB_GLOBAL,
		.type = type == 't' || type == 'w' ? STT_FUNC : STT_OBJECT,
	};
}

/* `tab` as for kallsyms_line(). `pos` is where the line lies in the file. */
static void take_line(struct kernel_list *k, const char *line, const char *end, const char *tab, uint64_t pos)
{
	struct kallsyms_line l;
	uint32_t name;

	if (k->kernel.len + k->of_modules.len >= MAX_KALLSYMS || k->text.len > MAX_TEXT ||
	    !kallsyms_line(line, end, tab, &l))
		return;
	name = (uint32_t)(k->map.len ? pos + (uint64_t)(l.name - line) : k->text.len);
	if (!k->map.len) {
		vec_append(&k->text, l.name, l.name_len);
		vec_push(&k->text, '\n');
	}
	if (l.module)
		vec_push(&k->of_modules,
			 (struct module_symbol){ to_symbol(&l, name), module_number(k, l.module, l.module_len) });
	else
		vec_push(&k->kernel, to_symbol(&l, name));
	if (l.address)
		k->hidden = false;
}

/* Only modules have tabs: one search serves all lines before them. */
static const char *next_tab(const char *text, const char *end)
{
	const char *tab = memchr(text, '\t', (size_t)(end - text));

	return tab ? tab : end;
}

/* Take all whole lines of the text, which lies at `pos` in the file. Return how many bytes that were. */
static size_t take_lines(struct kernel_list *k, const char *text, size_t len, uint64_t pos)
{
	const char *p = text, *end = text + len, *newline, *tab = next_tab(p, end);

	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		if (tab < p)
			tab = next_tab(p, end);
		if (newline - p < MAX_LINE)
			take_line(k, p, newline, tab, pos + (uint64_t)(p - text));
		p = newline + 1;
	}
	return (size_t)(p - text);
}

/* Take the last line, which may lack its newline. */
static void take_rest(struct kernel_list *k, const char *text, size_t len, uint64_t pos)
{
	size_t done = take_lines(k, text, len, pos);

	if (len - done < MAX_LINE)
		take_line(k, text + done, text + len, next_tab(text + done, text + len), pos + done);
}

static struct kernel_list *start(void)
{
	struct kernel_list *k = xcalloc(1, sizeof(*k));

	pthread_mutex_init(&k->lock, NULL);
	k->hidden = true;
	vec_push(&k->modules, "");
	return k;
}

static struct kernel_list *finish(struct kernel_list *k)
{
	if (!k->problem && !k->kernel.len && !k->of_modules.len)
		k->problem = REASON_KALLSYMS_EMPTY;
	else if (!k->problem && k->hidden)
		k->problem = REASON_KALLSYMS_HIDDEN;
	return k;
}

struct kernel_list *kernel_list_parse(const char *text, size_t len)
{
	struct kernel_list *k = start();

	take_rest(k, text, MIN(len, (size_t)MAX_TEXT), 0);
	return finish(k);
}

static void read_lines(struct kernel_list *k, int fd)
{
	autofree char *buffer = xmalloc(BUFFER);
	uint64_t pos = 0; /* of the buffer in the file */
	size_t len = 0, done;
	ssize_t got;

	while (pos < MAX_TEXT) {
		got = read(fd, buffer + len, BUFFER - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		len += (size_t)got;
		done = take_lines(k, buffer, len, pos);
		if (len - done >= MAX_LINE) /* no symbol is that long: drop this part of it */
			done = len;
		memmove(buffer, buffer + done, len - done);
		pos += done;
		len -= done;
	}
	take_rest(k, buffer, len, pos);
}

struct kernel_list *kernel_list_read(const char *path)
{
	struct kernel_list *k = start();
	int fd = open_regular(path);

	k->path = xstrdup(path);
	if (fd < 0) {
		k->problem = errno == ENOENT ? REASON_KALLSYMS_MISSING : REASON_KALLSYMS_UNREADABLE;
		return finish(k);
	}
	if (!file_map_fd(&k->map, fd, NULL))
		vec_reserve(&k->kernel, MIN(k->map.len / USUAL_LINE, (size_t)MAX_KALLSYMS));
	read_lines(k, fd);
	if (k->map.fd != fd)
		close(fd);
	return finish(k);
}

enum reason kernel_list_problem(const struct kernel_list *k) { return k->problem; }
const char *kernel_list_path(const struct kernel_list *k) { return k->path; }

static bool is_named(const struct strings *names, uint32_t at, const char *name)
{
	size_t len = strlen(name);

	return at < names->len && names->len - at >= len && !memcmp(names->text + at, name, len) &&
	       (at + len == names->len || strchr("\n\t", names->text[at + len]));
}

bool kernel_list_find(struct kernel_list *k, const char *name, uint64_t *address)
{
	struct strings names = names_of(k);
	bool found = false, taken;

	pthread_mutex_lock(&k->lock);
	for (size_t i = 0; i < k->kernel.len && !found; i++)
		if ((found = is_named(&names, k->kernel.items[i].name, name)))
			*address = k->kernel.items[i].start;
	taken = k->taken;
	pthread_mutex_unlock(&k->lock);
	if (taken && k->path)
		found = (*address = kallsyms_address(k->path, name));
	return found;
}

void kernel_list_take(struct kernel_list *k, struct dso *d, uint64_t delta, struct symbol_table *t)
{
	struct strings names = names_of(k);
	int strings = dso_add_strings(d, names.text, names.len);

	if (strings < 0)
		return;
	pthread_mutex_lock(&k->lock);
	vec_move(t, &k->kernel);
	k->taken = true;
	pthread_mutex_unlock(&k->lock);
	for (size_t i = 0; i < t->len; i++) {
		t->items[i].start = t->items[i].end += delta;
		t->items[i].strings = (uint8_t)strings;
	}
}

void kernel_list_module(const struct kernel_list *k, struct dso *d, struct symbol_table *t)
{
	struct strings names = names_of(k);
	uint32_t module = 1;
	int strings;

	while (module < k->modules.len && strcmp(k->modules.items[module], d->short_name))
		module++;
	for (size_t i = 0; i < k->of_modules.len && module < k->modules.len; i++) {
		struct symbol sym = k->of_modules.items[i].symbol;

		if (k->of_modules.items[i].module != module || sym.start < d->start || sym.start - d->start >= d->len)
			continue;
		strings = t->len ? t->items[0].strings : dso_add_strings(d, names.text, names.len);
		if (strings < 0)
			break;
		sym.strings = (uint8_t)strings;
		vec_push(t, sym);
	}
}

void kernel_list_rest(const struct kernel_list *k)
{
	if (k->map.len)
		madvise((void *)k->map.data, k->map.len, MADV_DONTNEED);
}

void kernel_list_free(struct kernel_list *k)
{
	if (!k)
		return;
	vec_free(&k->kernel);
	vec_free(&k->of_modules);
	vec_free(&k->modules);
	vec_free(&k->text);
	idtable_free(&k->by_name);
	arena_release(&k->arena);
	file_unmap(&k->map);
	pthread_mutex_destroy(&k->lock);
	free(k->path);
	free(k);
}
