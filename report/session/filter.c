#include "report/session/filter.h"

#include "base/file.h"
#include "base/out.h"

enum { LIST_FILE_MAX = 1 << 20 };

static const char from_file[] = "file://";

static int add_number(struct sample_filter *f, enum sample_filter_kind kind, const char *word, struct err *e)
{
	uint64_t n;

	if (parse_u64(word, &n, NULL) < 0 || n > INT32_MAX) {
		err_set(e, "'%s' is not a %s", word, kind == FILTER_PIDS ? "process id" : "thread id");
		return err_try(e, "a comma-separated list of numbers");
	}
	if (kind == FILTER_PIDS)
		vec_push(&f->pids, (int32_t)n);
	else
		vec_push(&f->tids, (int32_t)n);
	return 0;
}

static int add_symbol(struct sample_filter *f, const char *word)
{
	char *end;
	uint64_t address = strtoull(word, &end, 16);

	strtab_intern(&f->symbols, word);
	if (!strncmp(word, "0x", 2) && end > word + 2 && !*end)
		vec_push(&f->addresses, address);
	return 0;
}

static int add_word(struct sample_filter *f, enum sample_filter_kind kind, const char *word, struct err *e)
{
	switch (kind) {
	case FILTER_PIDS:
	case FILTER_TIDS: return add_number(f, kind, word, e);
	case FILTER_COMMS: strtab_intern(&f->comms, word); return 0;
	case FILTER_DSOS: strtab_intern(&f->dsos, word); return 0;
	case FILTER_SYMBOLS: return add_symbol(f, word);
	case FILTER_CALLERS: strtab_intern(&f->callers, word); return 0;
	case FILTER_CPUS: return cpuset_parse(&f->cpus, word, e);
	}
	return 0;
}

/*
 * End the first word of a list in place. A backslash before a separator makes the separator part of
 * the word. Return the start of the next word, NULL after the last one.
 */
static char *end_word(char *word, char separator)
{
	char *to = word;

	for (char *from = word; *from; from++) {
		if (*from == separator) {
			*to = '\0';
			return from + 1;
		}
		from += *from == '\\' && from[1] == separator;
		*to++ = *from;
	}
	*to = '\0';
	return NULL;
}

/* Add the words of a list, which this function changes. Return their number, -1 with e set on failure. */
static int add_words(struct sample_filter *f, enum sample_filter_kind kind, char *list, char separator, struct err *e)
{
	int n = 0;

	for (char *word = list, *next; word; word = next) {
		next = end_word(word, separator);
		if (*word && add_word(f, kind, word, e) < 0)
			return -1;
		n += *word != '\0';
	}
	return n;
}

char *sample_filter_quote(const char *name)
{
	struct out o;

	out_init_mem(&o);
	out_str(&o, strncmp(name, from_file, strlen(from_file)) ? "" : ","); /* an empty word first: it is no file */
	for (; *name; name++) {
		out_str(&o, *name == ',' ? "\\" : "");
		out_char(&o, *name);
	}
	out_text(&o);
	return o.buf;
}

int sample_filter_add(struct sample_filter *f, enum sample_filter_kind kind, const char *list, struct err *e)
{
	bool in_file = !strncmp(list, from_file, strlen(from_file));
	autofree char *copy = in_file ? file_read(list + strlen(from_file), LIST_FILE_MAX, NULL, e) : xstrdup(list);
	int n = copy ? add_words(f, kind, copy, in_file ? '\n' : ',', e) : -1;

	/* A filter without words would keep all samples. */
	return n ? MIN(n, 0) : err_set(e, "the list '%s' is empty", list);
}

int sample_filter_check(const struct sample_filter *f, const struct perfdata *pd, struct err *e)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_CPU)
			return 0;
	if (!f->cpus.len || !pd->n_events)
		return 0;
	err_set(e, "the samples of '%s' do not say on which CPU they were taken", pd->path);
	return err_try(e, "record --sample-cpu, or no --cpu here");
}

void sample_filter_free(struct sample_filter *f)
{
	vec_free(&f->pids);
	vec_free(&f->tids);
	vec_free(&f->addresses);
	strtab_free(&f->comms);
	strtab_free(&f->dsos);
	strtab_free(&f->symbols);
	strtab_free(&f->callers);
	cpuset_free(&f->cpus);
}

static bool any(const struct strtab *t) { return t->texts.len > 1; /* the first text is the empty string */ }

static bool has(const int32_t *items, size_t n, int32_t v)
{
	for (size_t i = 0; i < n; i++)
		if (items[i] == v)
			return true;
	return !n;
}

bool sample_filter_by_place(const struct sample_filter *f) { return any(&f->dsos) || any(&f->symbols); }

bool sample_filter_by_caller(const struct sample_filter *f) { return any(&f->callers); }

bool sample_filter_has_caller(const struct sample_filter *f, const char *name)
{
	return strtab_find(&f->callers, name);
}

bool sample_filter_wants_cpu(const struct sample_filter *f, uint32_t cpu)
{
	return !f->cpus.len || (cpu <= INT32_MAX && cpuset_has(&f->cpus, (int)cpu));
}

bool sample_filter_by_task(const struct sample_filter *f)
{
	return f->pids.len || f->tids.len || f->subjects || any(&f->comms);
}

bool sample_filter_wants_all(const struct sample_filter *f)
{
	return !f->cpus.len && !sample_filter_by_task(f) && !sample_filter_by_place(f) && !sample_filter_by_caller(f);
}

bool sample_filter_wants_task(const struct sample_filter *f, const struct session *s, const struct task *t)
{
	char buf[16];

	return has(f->pids.items, f->pids.len, t->pid) && has(f->tids.items, f->tids.len, t->tid) &&
	       (!f->subjects || session_is_about(s, t->thread, t->tid)) &&
	       (!any(&f->comms) || strtab_find(&f->comms, session_comm(s, t->comm, buf)));
}

static bool wants_symbol(const struct sample_filter *f, struct symbols *s, uint64_t ip, uint32_t dso, uint32_t symbol)
{
	if (symbol && strtab_find(&f->symbols, symbol_name(s, dso, symbol)))
		return true;
	for (size_t i = 0; i < f->addresses.len; i++)
		if (ip >= f->addresses.items[i] && ip - f->addresses.items[i] <= f->address_range)
			return true;
	return false;
}

bool sample_filter_wants_place(const struct sample_filter *f, struct symbols *s, uint64_t ip, uint32_t dso,
			       uint32_t symbol)
{
	if (any(&f->dsos) && !strtab_find(&f->dsos, dso_short_name(s, dso)) && !strtab_find(&f->dsos, dso_name(s, dso)))
		return false;
	return !any(&f->symbols) || wants_symbol(f, s, ip, dso, symbol);
}
