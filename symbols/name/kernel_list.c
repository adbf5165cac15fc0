/* Read the kernel's symbol list for the objects of a session. */
#include "symbols/name/kernel_list_priv.h"

#include <errno.h>
#include <sys/mman.h>

#include "symbols/name/sources.h"

enum { BUFFER = 256 << 10, USUAL_LINE = 40 };
#define MAX_TEXT (UINT32_MAX - 2 * BUFFER) /* names have 32-bit offsets */

struct kernel_list {
	struct symbol_table kernel; /* in file order, until kernel_list_take() */
	bool taken, read;
	pthread_mutex_t lock; /* guards these, `text` and the position of `fd` */
	VEC(struct module_symbol {
		struct symbol symbol;
		uint32_t module; /* index in `modules` */
	})
	of_modules;
	VEC(const char *) modules; /* "[e1000]", in `arena`; 0 is unused */
	struct idtable by_name;    /* finds modules by name */
	struct arena arena;
	int fd;
	struct file_map map; /* of the file, which holds the names */
	VEC(char) text;      /* the names, a line each, if the file has no size: /proc/kallsyms */
	enum reason problem;
	char *path;
	bool hidden;         /* all addresses were 0 */
	atomic_uint touched; /* how often names or blocks were read */
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

/* Return the offset of the name in names_of(). `pos` is its offset in the file. */
static uint32_t keep_name(struct kernel_list *k, const struct kallsyms_line *l, uint64_t pos)
{
	size_t at = k->text.len;

	if (k->map.len)
		return (uint32_t)pos;
	vec_append(&k->text, l->name, l->name_len);
	vec_push(&k->text, '\n');
	return (uint32_t)at;
}

/*
 * Parse a line and keep its symbol. `tab` as for kallsyms_line(); `pos` is the line's offset in the
 * file.
 */
static void take_line(struct kernel_list *k, const char *line, const char *end, const char *tab, uint64_t pos)
{
	struct kallsyms_line l;
	uint32_t name;

	if (k->kernel.len + k->of_modules.len >= MAX_KALLSYMS || k->text.len > MAX_TEXT ||
	    !kallsyms_line(line, end, tab, &l))
		return;
	name = keep_name(k, &l, pos + (uint64_t)(l.name - line));
	if (l.module)
		vec_push(&k->of_modules,
			 (struct module_symbol){ to_symbol(&l, name), module_number(k, l.module, l.module_len) });
	else
		vec_push(&k->kernel, to_symbol(&l, name));
	if (l.address)
		k->hidden = false;
}

/*
 * Return the next tab, or `end`. Only modules have tabs: one search serves all lines before them.
 */
static const char *next_tab(const char *text, const char *end)
{
	const char *tab = memchr(text, '\t', (size_t)(end - text));

	return tab ? tab : end;
}

/*
 * Take all whole lines of the text, which is at offset `pos` of the file. Return the length of
 * these lines.
 */
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
	k->fd = -1;
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
	k->read = true;
	return finish(k);
}

struct kernel_list *kernel_list_open(const char *path)
{
	struct kernel_list *k = start();

	k->path = xstrdup(path);
	k->fd = open_regular(path);
	if (k->fd < 0)
		k->problem = errno == ENOENT ? REASON_KALLSYMS_MISSING : REASON_KALLSYMS_UNREADABLE;
	else
		file_map_fd(&k->map, k->fd, NULL);
	k->read = k->fd < 0;
	return k;
}

/* Read more bytes behind the first `len`. Return the new length; 0 at the end of the file. */
static size_t read_more(const struct kernel_list *k, char *buffer, size_t len)
{
	ssize_t got;

	do
		got = read(k->fd, buffer + len, BUFFER - len);
	while (got < 0 && errno == EINTR);
	return got > 0 ? len + (size_t)got : 0;
}

static void read_lines(struct kernel_list *k)
{
	autofree char *buffer = xmalloc(BUFFER);
	uint64_t pos = 0; /* offset of the buffer in the file */
	size_t len = 0, more, done;

	while (pos < MAX_TEXT && (more = read_more(k, buffer, len))) {
		len = more;
		done = take_lines(k, buffer, len, pos);
		if (len - done >= MAX_LINE) /* no symbol is that long: drop this part of it */
			done = len;
		memmove(buffer, buffer + done, len - done);
		pos += done;
		len -= done;
	}
	take_rest(k, buffer, len, pos);
}

/* Read the whole list, at the first call. */
static void read_all(struct kernel_list *k)
{
	pthread_mutex_lock(&k->lock);
	if (!k->read && !lseek(k->fd, 0, SEEK_SET)) {
		if (k->map.len)
			vec_reserve(&k->kernel, MIN(k->map.len / USUAL_LINE, (size_t)MAX_KALLSYMS));
		read_lines(k);
	}
	if (!k->read)
		finish(k);
	k->read = true;
	pthread_mutex_unlock(&k->lock);
}

enum reason kernel_list_problem(struct kernel_list *k)
{
	read_all(k);
	return k->problem;
}

const char *kernel_list_path(const struct kernel_list *k) { return k->path; }

static bool is_named(const struct strings *names, uint32_t at, const char *name)
{
	size_t len = strlen(name);

	return at < names->len && names->len - at >= len && !memcmp(names->text + at, name, len) &&
	       (at + len == names->len || strchr("\n\t", names->text[at + len]));
}

bool kernel_list_find(struct kernel_list *k, const char *name, uint64_t *address)
{
	bool found = false, here;
	struct strings names;

	pthread_mutex_lock(&k->lock);
	names = names_of(k); /* under the lock: another thread may be reading the list */
	for (size_t i = 0; i < k->kernel.len && !found; i++)
		if ((found = is_named(&names, k->kernel.items[i].name, name)))
			*address = k->kernel.items[i].start;
	here = k->read && !k->taken;
	pthread_mutex_unlock(&k->lock);
	if (!here && k->path)
		found = (*address = kallsyms_address(k->path, name));
	return found;
}

int kernel_list_names(const struct kernel_list *k, struct dso *d)
{
	struct strings names = names_of(k);

	return dso_add_strings(d, names.text, names.len);
}

/* Add `delta` to the addresses of the symbols. Their names are in this string table of their object. */
static void place(struct symbol_table *t, uint64_t delta, int strings)
{
	for (size_t i = 0; i < t->len; i++) {
		t->items[i].start = t->items[i].end += delta;
		t->items[i].strings = (uint8_t)strings;
	}
}

/* Look at all lines of the file. Return false if the list does not have the usual form. */
static bool pass_lines(const struct kernel_list *k, struct kallsyms_index *x)
{
	autofree char *buffer = xmalloc(BUFFER);
	uint64_t pos = 0; /* offset of the buffer in the file */
	size_t len = 0, more, done;

	if (lseek(k->fd, 0, SEEK_SET))
		return false;
	while ((more = read_more(k, buffer, len))) {
		len = more;
		done = kallsyms_index_lines(x, buffer, len, pos);
		if (x->gave_up || pos > MAX_TEXT || len - done > BUFFER / 2)
			return false;
		memmove(buffer, buffer + done, len - done);
		pos += done;
		len -= done;
	}
	return kallsyms_index_end(x, buffer, len, pos);
}

bool kernel_list_index(struct kernel_list *k, struct kallsyms_index *x)
{
	bool usual;

	pthread_mutex_lock(&k->lock);
	usual = k->map.len && !k->read && pass_lines(k, x);
	pthread_mutex_unlock(&k->lock);
	return usual;
}

void kernel_list_block(const struct kernel_list *k, const struct kallsyms_block *b, uint64_t delta, int strings,
		       struct symbol_table *t)
{
	const char *text = (const char *)k->map.data, *p = text + MIN(b->pos, k->map.len), *end, *newline, *tab;
	struct kallsyms_line l;

	end = p + MIN(b->len, k->map.len - (size_t)(p - text));
	tab = next_tab(p, end);
	for (; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		newline = newline ? newline : end;
		if (tab < p)
			tab = next_tab(p, end);
		if (kallsyms_line(p, newline, tab, &l) && !l.module)
			vec_push(t, to_symbol(&l, (uint32_t)(l.name - text)));
	}
	place(t, delta, strings);
}

void kernel_list_take(struct kernel_list *k, struct dso *d, uint64_t delta, struct symbol_table *t)
{
	int strings;

	read_all(k);
	pthread_mutex_lock(&k->lock);
	vec_move(t, &k->kernel);
	k->taken = true;
	pthread_mutex_unlock(&k->lock);
	strings = kernel_list_names(k, d);
	if (strings < 0)
		vec_free(t);
	else
		place(t, delta, strings);
}

void kernel_list_module(struct kernel_list *k, struct dso *d, struct symbol_table *t)
{
	struct strings names;
	uint32_t module = 1;
	int strings;

	read_all(k);
	names = names_of(k);
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

void kernel_list_touched(struct kernel_list *k)
{
	enum { MOST = 16 }; /* each may load up to 64 kB of the file */

	if (!(++k->touched % MOST))
		kernel_list_rest(k);
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
	if (k->map.fd != k->fd && k->fd >= 0)
		close(k->fd);
	file_unmap(&k->map);
	pthread_mutex_destroy(&k->lock);
	free(k->path);
	free(k);
}
