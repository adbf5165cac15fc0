#include "base/opt.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>

#include "base/out.h"
#include "base/units.h"

/* One use of an option on the command line: its row, its spelling, and its attached value. */
struct use {
	const struct opt *opt;
	char spelled[160];    /* "switch `x'" or "option `name'", for messages */
	const char *attached; /* value behind '=' or behind the letter, NULL = none */
	bool unset;
};

struct opt_parser {
	const struct opt *table;
	void *opts;
	char **argv;
	int argc, at; /* argv[at] is the current word; a value in the next word advances it */
	struct err *e;
};

struct opt_rows {
	VEC(struct opt);
};

static void expand(struct opt_rows *to, const struct opt *include);

/* Add a row of the group that `include` stands for. Groups may include groups. */
static void include_row(struct opt_rows *to, const struct opt *row, const struct opt *include)
{
	struct opt o = *row;

	o.offset += include->offset;
	o.flags |= include->flags;
	o.base = include->offset;
	if (include->short_name)
		o.short_name = include->short_name == OPT_NO_LETTER ? 0 : include->short_name;
	if (include->arg)
		o.arg = include->arg;
	if (include->help)
		o.help = include->help;
	if (o.kind == OPT_INCLUDE)
		expand(to, &o);
	else
		vec_push(to, o);
}

static const struct opt *find_row(const struct opt *rows, const char *name, size_t len)
{
	while (rows->kind && (!rows->name || strlen(rows->name) != len || strncmp(rows->name, name, len)))
		rows++;
	assert(rows->kind); /* a name that the group lacks is our mistake */
	return rows;
}

static void expand(struct opt_rows *to, const struct opt *include)
{
	if (!include->name)
		for (const struct opt *row = include->rows; row->kind; row++)
			include_row(to, row, include);
	for (const char *name = include->name; name && *name; name += strspn(name, " ")) {
		size_t len = strcspn(name, " ");

		include_row(to, find_row(include->rows, name, len), include);
		name += len;
	}
}

struct opt *opt_expand(const struct opt *table)
{
	struct opt_rows all = { 0 };

	expand(&all, &(struct opt){ .rows = table });
	vec_push(&all, (struct opt){ 0 });
	return all.items;
}

static bool is_option(const struct opt *o) { return o->kind != OPT_GROUP; }

bool opt_wants_value(enum opt_kind kind)
{
	switch (kind) {
	case OPT_INT:
	case OPT_U64:
	case OPT_DOUBLE:
	case OPT_SIZE:
	case OPT_STR:
	case OPT_LIST:
	case OPT_CALL: return true;
	default: return false;
	}
}

static bool may_have_value(enum opt_kind kind)
{
	return opt_wants_value(kind) || kind == OPT_STR_OPT || kind == OPT_CALL_OPT || kind == OPT_CALL_LAST;
}

/* Add to the error how the option is used: "-c, --count <n>: one sample every n events". */
static void try_form(struct err *e, const struct opt *o)
{
	char letter[3] = "";
	bool both = o->short_name && o->name;

	if (o->short_name)
		snprintf(letter, sizeof(letter), "-%c", o->short_name);
	err_try(e, "%s%s%s%s%s%s%s%s%s", letter, both ? ", " : "", o->name ? "--" : "", o->name ? o->name : "",
		o->arg ? " <" : "", o->arg ? o->arg : "", o->arg ? ">" : "", o->help ? ": " : "",
		o->help ? o->help : "");
}

static int bad_use(struct opt_parser *p, const struct use *u, const char *what)
{
	err_set(p->e, " Error: %s %s", u->spelled, what);
	try_form(p->e, u->opt);
	return err_exit(p->e, EXIT_BAD_USAGE);
}

/*
 * Get the value of a use: the attached value, or the next word if the option's kind allows it. NULL
 * = no value.
 */
static int fetch_value(struct opt_parser *p, const struct use *u, const char **value)
{
	const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;

	*value = u->attached;
	if (u->attached)
		return may_have_value(u->opt->kind) ? 0 : bad_use(p, u, "takes no value");
	if (u->opt->kind == OPT_CALL_LAST && next && next[0] == '-')
		next = NULL;
	if (!opt_wants_value(u->opt->kind) && u->opt->kind != OPT_CALL_LAST)
		return 0;
	if (!next)
		return u->opt->kind == OPT_CALL_LAST ? 0 : bad_use(p, u, "requires a value");
	*value = next;
	p->at++;
	return 0;
}

static int set_int(struct opt_parser *p, const struct use *u, const char *value, int *to)
{
	const char *digits = value + strspn(value, "+-");
	char *end;
	long v;

	errno = 0;
	v = strtol(value, &end, digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10);
	if (end == value || *end || isspace((unsigned char)*value) || errno || v != (int)v)
		return bad_use(p, u, "expects a numerical value");
	*to = (int)v;
	return 0;
}

static int set_double(struct opt_parser *p, const struct use *u, const char *value, double *to)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(value, &end);
	if (end == value || *end || isspace((unsigned char)*value) || errno)
		return bad_use(p, u, "expects a numerical value");
	*to = v;
	return 0;
}

/* Handle the --no- form. */
static int clear(struct opt_parser *p, const struct use *u, void *member)
{
	const struct opt *o = u->opt;

	if (u->attached)
		return bad_use(p, u, "takes no value");
	switch (o->kind) {
	case OPT_BOOL: *(bool *)member = false; return 0;
	case OPT_COUNT:
	case OPT_INT: *(int *)member = 0; return 0;
	case OPT_U64:
	case OPT_SIZE: *(uint64_t *)member = 0; return 0;
	case OPT_DOUBLE: *(double *)member = 0; return 0;
	case OPT_STR:
	case OPT_STR_OPT: *(const char **)member = NULL; return 0;
	case OPT_LIST: vec_clear((struct opt_list *)member); return 0;
	default: return o->call((char *)p->opts + o->base, o, NULL, true, p->e);
	}
}

static int set(struct opt_parser *p, const struct use *u, void *member, const char *value)
{
	const struct opt *o = u->opt;

	switch (o->kind) {
	case OPT_BOOL: *(bool *)member = true; return 0;
	case OPT_COUNT: ++*(int *)member; return 0;
	case OPT_INT: return set_int(p, u, value, member);
	case OPT_U64: return parse_u64(value, member, NULL) < 0 ? bad_use(p, u, "expects a numerical value") : 0;
	case OPT_DOUBLE: return set_double(p, u, value, member);
	case OPT_SIZE:
		return parse_size(value, member, NULL) < 0 ? bad_use(p, u, "expects a size like 64K, 16M or 1G") : 0;
	case OPT_STR: *(const char **)member = value; return 0;
	case OPT_STR_OPT: *(const char **)member = value ? value : ""; return 0;
	case OPT_LIST: vec_push((struct opt_list *)member, value); return 0;
	default: return o->call((char *)p->opts + o->base, o, value, false, p->e);
	}
}

static int apply(struct opt_parser *p, const struct use *u)
{
	const struct opt *o = u->opt;
	void *member = (char *)p->opts + o->offset;
	const char *value;
	int rc;

	if (o->flags & OPT_REFUSED && o->call)
		return o->call((char *)p->opts + o->base, o, NULL, false, p->e);
	if (o->flags & OPT_REFUSED) {
		err_set(p->e, "%s is known, but not supported", u->spelled);
		err_why(p->e, "%s", o->help);
		err_try(p->e, "the command without it");
		return err_exit(p->e, EXIT_BAD_USAGE);
	}
	if (o->flags & OPT_PLANNED) {
		err_set(p->e, "%s is planned, but not there yet", u->spelled);
		err_why(p->e, "it will %s", o->help);
		err_try(p->e, "the command without it");
		return err_exit(p->e, EXIT_BAD_USAGE);
	}
	if (u->unset) {
		if (o->flags & OPT_NONEG)
			return bad_use(p, u, "isn't available");
		rc = clear(p, u, member);
	} else {
		if (fetch_value(p, u, &value) < 0)
			return -1;
		rc = set(p, u, member, value);
	}
	if (rc < 0 && p->e && p->e->what[0] && !p->e->fix[0])
		try_form(p->e, o);
	if (rc < 0 && p->e && !p->e->exit_code)
		p->e->exit_code = EXIT_BAD_USAGE;
	return rc;
}

static const struct opt *find_short(const struct opt *table, char c)
{
	for (const struct opt *o = table; o->kind; o++)
		if (is_option(o) && o->short_name == c)
			return o;
	return NULL;
}

enum { SUGGESTED_MAX = 3 };

/* Return true if one of the parts of `name` begins with `word`: "graph" in "call-graph". */
static bool has_part(const char *name, const char *word)
{
	const char *at = strstr(name, word);

	return strlen(word) > 3 && at && (at == name || at[-1] == '-');
}

static bool is_among(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

#define NEAR_MAX 63 /* longer words are not compared */

/*
 * Count the letters to insert, drop, replace or swap with a neighbour to turn one word into the
 * other.
 */
static unsigned distance(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b);
	unsigned rows[3][NEAR_MAX + 1], *above2 = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned *spare = above2;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = MIN(above[j - 1] + (a[i - 1] != b[j - 1]), MIN(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = MIN(row[j], above2[j - 2] + 1);
		}
		above2 = above;
		above = row;
		row = spare;
	}
	return above[b_len];
}

/*
 * Find names in `names` (NULL-terminated) that are one or two typing errors away from `word`. Put
 * at most `max` (up to 8) of them into `best`, nearest first. Return how many.
 */
static size_t opt_near(const char *word, const char *const *names, const char **best, size_t max)
{
	unsigned distances[8];
	size_t len = strlen(word), n = 0;
	/*
	 * Allow one typing error in a short word and two in a longer one. With more, unrelated
	 * names match.
	 */
	unsigned least = len < 3 ? 1 : len < 6 ? 2 : 3;

	max = MIN(max, ARRAY_SIZE(distances));
	if (len > NEAR_MAX)
		return 0;
	for (; *names; names++) {
		size_t name_len = strlen(*names), at = n;
		unsigned d;

		if (name_len > NEAR_MAX)
			continue;
		d = distance(word, *names);
		/* A name that begins with the word counts as one error away. */
		if (len >= 3 && !strncmp(word, *names, len))
			d = MIN(d, 1u);
		if (d >= least)
			continue;
		while (at && distances[at - 1] > d)
			at--;
		if (at == max)
			continue;
		n = MIN(n + 1, max);
		memmove(distances + at + 1, distances + at, (n - at - 1) * sizeof(*distances));
		memmove(best + at + 1, best + at, (n - at - 1) * sizeof(*best));
		distances[at] = d;
		best[at] = *names;
	}
	return n;
}

/*
 * Suggest long options for an unknown one: first names with typing errors, then names that contain
 * the word.
 */
static bool suggest(struct opt_parser *p, const char *word)
{
	VEC(const char *) names = { 0 };
	const char *best[SUGGESTED_MAX], *no = "";
	struct out text;
	size_t n;

	for (const struct opt *o = p->table; o->kind; o++)
		if (is_option(o) && o->name && !(o->flags & (OPT_HIDDEN | OPT_ABSENT)))
			vec_push(&names, o->name);
	vec_push(&names, NULL);
	n = opt_near(word, names.items, best, SUGGESTED_MAX);
	if (!n && !strncmp(word, "no-", 3) && (n = opt_near(word + 3, names.items, best, SUGGESTED_MAX)))
		no = "no-";
	for (size_t i = 0; !*no && names.items[i] && n < SUGGESTED_MAX; i++)
		if (has_part(names.items[i], word) && !is_among(names.items[i], best, n))
			best[n++] = names.items[i];
	out_init_mem(&text);
	for (size_t i = 0; i < n; i++)
		out_fmt(&text, "%s--%s%s", i ? ", " : "", no, best[i]);
	if (n)
		err_try(p->e, "%s", out_text(&text));
	out_release(&text);
	vec_free(&names);
	return n;
}

/*
 * Suggest options for an unknown letter: a long name typed with one dash, or the letter in the
 * other case.
 */
static void suggest_for_letter(struct opt_parser *p, char letter)
{
	const char *word = p->argv[p->at] + 1;
	char other = isupper((unsigned char)letter) ? (char)tolower((unsigned char)letter)
						    : (char)toupper((unsigned char)letter);
	const struct opt *o = find_short(p->table, other);

	if (strlen(word) > 2 && suggest(p, word))
		return;
	if (o && other != letter && !(o->flags & (OPT_HIDDEN | OPT_ABSENT)))
		try_form(p->e, o);
}

/* Parse a word of bundled letters. Only the last may take a value, attached or as the next word. */
static int short_options(struct opt_parser *p)
{
	for (const char *c = p->argv[p->at] + 1; *c; c++) {
		struct use u = { .opt = find_short(p->table, *c) };

		if (!u.opt && *c == 'h')
			return 1;
		snprintf(u.spelled, sizeof(u.spelled), "switch `%c'", *c);
		if (!u.opt) {
			err_set(p->e, "  Error: unknown %s", u.spelled);
			suggest_for_letter(p, *c);
			return err_exit(p->e, EXIT_BAD_USAGE);
		}
		if (c[1] && may_have_value(u.opt->kind) && !(u.opt->flags & OPT_ABSENT))
			u.attached = c + 1;
		if (apply(p, &u) < 0)
			return -1;
		if (u.attached)
			break;
	}
	return 0;
}

/* Write the long name of `o`, with its negation if `unset`. */
static void long_name(const struct opt *o, bool unset, char *name, size_t size)
{
	if (!unset)
		snprintf(name, size, "%s", o->name);
	else if (!strncmp(o->name, "no-", 3))
		snprintf(name, size, "%s", o->name + 3);
	else
		snprintf(name, size, "no-%s", o->name);
}

struct match {
	const struct opt *opt;
	bool unset;
};

/*
 * Find the rows whose name, or its negation, begins with the len bytes at `word`. Note at most two,
 * which is enough to distinguish "one" from "several". A full name wins over all prefixes. Return
 * how many were found.
 */
static int find_long(const struct opt *table, const char *word, size_t len, struct match found[2])
{
	int n = 0;

	for (int unset = 0; unset < 2; unset++) {
		for (const struct opt *o = table; o->kind; o++) {
			char name[128];

			if (!is_option(o) || !o->name)
				continue;
			long_name(o, unset, name, sizeof(name));
			/*
			 * The negation of --no-X is --X, and also --no-no-X as perf's pages write
			 * it.
			 */
			if (unset && !strncmp(o->name, "no-", 3) && len > 6 && !strncmp(word, "no-no-", 6) &&
			    !strncmp(name, word + 6, len - 6) && !name[len - 6]) {
				found[0] = (struct match){ o, unset };
				return 1;
			}
			if (strncmp(name, word, len))
				continue;
			if (name[len] == '\0') {
				found[0] = (struct match){ o, unset };
				return 1;
			}
			if ((unset && o->flags & OPT_NONEG) || (o->flags & OPT_ELSEWHERE) == OPT_ELSEWHERE)
				continue;
			if (n < 2)
				found[n++] = (struct match){ o, unset };
		}
	}
	return n;
}

static int long_option(struct opt_parser *p)
{
	const char *word = p->argv[p->at] + 2, *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	struct use u = { .attached = equals ? equals + 1 : NULL };
	char names[2][128];
	struct match found[2];
	int n = find_long(p->table, word, len, found);

	if (n == 1) {
		u.opt = found[0].opt;
		u.unset = found[0].unset;
		long_name(u.opt, u.unset, names[0], sizeof(names[0]));
		snprintf(u.spelled, sizeof(u.spelled), "option `%s'", names[0]);
		return apply(p, &u);
	}
	if (len == 4 && !memcmp(word, "help", 4))
		return 1;
	if (n == 0) {
		autofree char *name = xstrndup(word, len);

		err_set(p->e, "  Error: unknown option `%s'", name);
		suggest(p, name);
		return err_exit(p->e, EXIT_BAD_USAGE);
	}
	for (int i = 0; i < 2; i++)
		long_name(found[i].opt, found[i].unset, names[i], sizeof(names[i]));
	err_set(p->e, " Error: Ambiguous option: %.*s (could be --%s or --%s)", (int)MIN(len, (size_t)256), word,
		names[0], names[1]);
	err_try(p->e, "the whole name, as --%s", names[0]);
	return err_exit(p->e, EXIT_BAD_USAGE);
}

int opt_parse(const struct opt *table, void *opts, int argc, char **argv, bool stop_at_word, char ***rest, int *n_rest,
	      struct err *e)
{
	autofree struct opt *rows = opt_expand(table);
	struct opt_parser p = { .table = rows, .opts = opts, .argv = argv, .argc = argc, .at = 1, .e = e };
	int words = 1; /* argv[1..words) holds the words found so far */

	for (; p.at < argc; p.at++) {
		const char *arg = argv[p.at];
		int rc;

		if (arg[0] != '-' || !arg[1]) {
			if (stop_at_word)
				break;
			argv[words++] = argv[p.at];
			continue;
		}
		if (!strcmp(arg, "--")) {
			p.at++;
			break;
		}
		rc = arg[1] == '-' ? long_option(&p) : short_options(&p);
		if (rc)
			return rc;
	}
	while (p.at < argc)
		argv[words++] = argv[p.at++];
	argv[words] = NULL;
	*rest = argv + 1;
	*n_rest = words - 1;
	return 0;
}

enum { HELP_INDENT = 4, HELP_COLUMN = 26 };

static void help_row(const struct opt *opt, bool tell_ours, struct out *o)
{
	struct out left;
	bool optional = opt->kind == OPT_STR_OPT || opt->kind == OPT_CALL_OPT || opt->kind == OPT_CALL_LAST;

	out_init_mem(&left);
	out_pad(&left, ' ', HELP_INDENT);
	if (opt->short_name)
		out_fmt(&left, "-%c%s", opt->short_name, opt->name ? ", " : "");
	else
		out_pad(&left, ' ', 4);
	if (opt->name)
		out_fmt(&left, "--%s", opt->name);
	if (opt->arg)
		out_fmt(&left, optional ? opt->name ? "[=<%s>]" : "[<%s>]" : " <%s>", opt->arg);
	out_mem(o, left.buf, left.len);
	if (left.len > HELP_COLUMN - 2) {
		out_char(o, '\n');
		out_pad(o, ' ', HELP_COLUMN);
	} else {
		out_pad(o, ' ', HELP_COLUMN - (long)left.len);
	}
	out_str(o, opt->help ? opt->help : "");
	out_str(o, tell_ours && opt->flags & OPT_OURS ? " (not in perf)\n" : "\n");
	out_release(&left);
}

/*
 * Return true if the table has an option that perf has too. If it has none, perf lacks the whole
 * command, and help need not mark each option.
 */
static bool some_are_of_perf(const struct opt *table)
{
	for (const struct opt *opt = table; opt->kind; opt++)
		if (opt->kind != OPT_GROUP && !(opt->flags & OPT_OURS))
			return true;
	return false;
}

void opt_help(const struct opt *table, struct out *o)
{
	autofree struct opt *rows = opt_expand(table);
	bool tell_ours = some_are_of_perf(rows);

	for (const struct opt *opt = rows; opt->kind; opt++) {
		if (opt->flags & (OPT_HIDDEN | OPT_ABSENT))
			continue;
		if (opt->kind == OPT_GROUP)
			out_fmt(o, "%s%s\n", opt == rows ? "" : "\n", opt->help);
		else
			help_row(opt, tell_ours, o);
	}
}

const char *opt_nearest(const char *word, const char *const *names)
{
	const char *best;

	return opt_near(word, names, &best, 1) ? best : NULL;
}

int opt_try_near(struct err *e, const char *word, const char *const *names, const char *listing)
{
	const char *near = opt_nearest(word, names);
	struct out all;

	if (listing)
		return near ? err_try(e, "'%s'; '%s %s' lists all", near, tool_name(), listing)
			    : err_try(e, "one of those that '%s %s' lists", tool_name(), listing);
	out_init_mem(&all);
	for (size_t i = 0; names[i]; i++)
		out_fmt(&all, "%s%s", i ? ", " : "", names[i]);
	if (near)
		err_try(e, "'%s', of %s", near, out_text(&all));
	else
		err_try(e, "%s", out_text(&all));
	out_release(&all);
	return -1;
}

int opt_word(const char *option, const char *value, const char *const *words, struct err *e)
{
	for (size_t i = 0; words[i]; i++)
		if (!strcmp(words[i], value))
			return 0;
	err_set(e, "%s does not know '%s'", option, value);
	opt_try_near(e, value, words, NULL);
	return err_exit(e, EXIT_BAD_USAGE);
}
