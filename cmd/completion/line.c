/*
 * `strobe completion --line -- WORD...` completes the last word of a command line. The first line
 * of the answer is
 *
 *	KIND <tab> PREFIX
 *
 * KIND is nothing, words, list (of words: more may follow, so no blank after them), file, directory
 * or program. PREFIX is the part of the word that stays: "--sort=comm,". Each further line is a
 * word to append to PREFIX and, after a tab, its meaning. No word contains characters with a
 * meaning for the shell.
 */
#include "cmd/completion/completion.h"

#include <ctype.h>

/* Where in the command line the last word stands. */
struct command_line {
	const struct command *command; /* NULL: before the command */
	struct opt *options;           /* of `command`, expanded */
	const struct opt *wants;       /* the last word is this option's value */
	bool options_ended;            /* by "--" */
	bool in_program;               /* after the first word of the program to run */
	bool unknown;                  /* after an unknown command */
};

static bool takes_next_word(const struct opt *o)
{
	return o->kind == OPT_CALL_LAST || (opt_wants_value(o->kind) && !(o->flags & OPT_ABSENT));
}

static bool may_have_value(const struct opt *o)
{
	return takes_next_word(o) || o->kind == OPT_STR_OPT || o->kind == OPT_CALL_OPT;
}

static bool is_offered(const struct opt *o) { return o->kind != OPT_GROUP && !(o->flags & (OPT_HIDDEN | OPT_ABSENT)); }

/* Find the row of a long name or of a unique prefix. */
static const struct opt *find_long(const struct opt *table, const char *name, size_t len)
{
	const struct opt *found = NULL;
	int n = 0;

	for (const struct opt *o = table; o->kind; o++) {
		if (o->kind == OPT_GROUP || !o->name || strncmp(o->name, name, len))
			continue;
		if (strlen(o->name) == len)
			return o;
		found = o;
		n++;
	}
	return n == 1 ? found : NULL;
}

static const struct opt *find_short(const struct opt *table, char letter)
{
	for (const struct opt *o = table; o->kind; o++)
		if (o->kind != OPT_GROUP && o->short_name == letter)
			return o;
	return NULL;
}

/*
 * Find the option in `word`, which begins with '-', that can have a value. *value: the start of the
 * value in the word, NULL if it has none. Return NULL if no option in the word takes a value.
 */
static const struct opt *option_of(const struct command_line *l, const char *word, const char **value)
{
	const struct opt *o;

	*value = NULL;
	if (word[1] == '-') {
		size_t len = strcspn(word + 2, "=");

		o = find_long(l->options, word + 2, len);
		if (word[2 + len])
			*value = word + 2 + len + 1;
		return o && may_have_value(o) ? o : NULL;
	}
	for (const char *c = word + 1; *c; c++) {
		o = find_short(l->options, *c);
		if (o && may_have_value(o)) {
			*value = c[1] ? c + 1 : NULL;
			return o;
		}
	}
	return NULL;
}

static void enter_command(struct command_line *l, const struct command *c)
{
	static const struct opt none[] = { { 0 } };

	l->command = c;
	free(l->options);
	l->options = opt_expand(c->options ? c->options : none);
	l->options_ended = false;
}

/* Handle a word that is not an option. */
static void plain_word(struct command_line *l, const char *word)
{
	const struct command *sub = l->command ? command_find_word(l->command, word) : NULL;

	if (!l->command) {
		if (command_find(word))
			enter_command(l, command_find(word));
		else
			l->unknown = true;
		return;
	}
	if (sub)
		enter_command(l, sub);
	else
		l->in_program = l->command->stop_at_word;
}

/* Read a word before the last one. */
static void line_word(struct command_line *l, const char *word)
{
	const struct opt *waiting = l->wants;
	const char *value;

	l->wants = NULL;
	if (waiting && !(waiting->kind == OPT_CALL_LAST && word[0] == '-'))
		return;
	if (l->in_program || l->unknown)
		return;
	if (!strcmp(word, "--") && !l->options_ended) {
		l->options_ended = true;
	} else if (word[0] == '-' && word[1] && !l->options_ended) {
		const struct opt *o = option_of(l, word, &value);

		if (o && !value && takes_next_word(o))
			l->wants = o;
	} else {
		plain_word(l, word);
	}
}

/* Do not offer foreign names with characters that act on a shell or a terminal. */
static bool is_harmless(const char *word)
{
	for (const char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.,:/@%+=^", *c))
			return false;
	return *word;
}

static bool is_among(const char *word, const char *list, size_t len)
{
	size_t n = strlen(word);

	for (const char *p = list; p < list + len; p += strcspn(p, ",") + 1)
		if (strcspn(p, ",") == n && !strncmp(p, word, n))
			return true;
	return false;
}

static void print_kind(struct out *o, const char *kind, const char *word, size_t prefix)
{
	out_fmt(o, "%s\t%.*s\n", kind, (int)prefix, word);
}

/* Print the words of `c` that begin with `part` and are not yet in the list before it. */
static void print_words(struct out *o, const struct candidates *c, const char *part, const char *before,
			size_t n_before)
{
	for (size_t i = 0; i < c->v.len; i++) {
		const struct candidate *k = &c->v.items[i];

		if (strncmp(k->word, part, strlen(part)) || !is_harmless(k->word) ||
		    is_among(k->word, before, n_before))
			continue;
		out_str(o, k->word);
		if (k->about) {
			out_char(o, '\t');
			out_name(o, k->about);
		}
		out_char(o, '\n');
	}
}

/* Complete `value`, which lies in `word`, as `spec` says. */
static void complete_value(const char *spec, const char *word, const char *value, struct out *o)
{
	static const char *const kinds[] = { "nothing", "words", "file", "directory", "program" };
	struct candidates c = { 0 };
	enum complete kind;
	const char *part = value;
	bool list;

	if (!spec) {
		print_kind(o, "nothing", word, 0);
		return;
	}
	list = values_are_list(spec);
	if (list && strrchr(value, ','))
		part = strrchr(value, ',') + 1;
	if (list)
		part += strspn(part, "+{"); /* as in "--sort +comm", "-e {cycles" */
	kind = values_find(spec, &c);
	print_kind(o, kind == COMPLETE_WORDS && list ? "list" : kinds[kind], word, (size_t)(part - word));
	print_words(o, &c, part, value, (size_t)(part - value));
	vec_free(&c.v);
	arena_release(&c.arena);
}

static void complete_option(const struct command_line *l, const char *word, struct out *o)
{
	bool negated = !strncmp(word, "--no-", 5);
	struct candidates c = { 0 };

	for (const struct opt *row = l->options; row->kind; row++) {
		if (!is_offered(row))
			continue;
		if (row->name)
			candidate_add(&c, arena_printf(&c.arena, "--%s", row->name), row->help);
		if (row->name && negated && !(row->flags & OPT_NONEG) && strncmp(row->name, "no-", 3))
			candidate_add(&c, arena_printf(&c.arena, "--no-%s", row->name), row->help);
		if (row->short_name)
			candidate_add(&c, arena_printf(&c.arena, "-%c", row->short_name), row->help);
	}
	candidate_add(&c, "--help", "show the options");
	print_kind(o, "words", word, 0);
	print_words(o, &c, word, NULL, 0);
	vec_free(&c.v);
	arena_release(&c.arena);
}

static void complete_plain(const struct command_line *l, const char *word, struct out *o)
{
	if (l->in_program)
		complete_value("@file", word, word, o);
	else if (!l->command)
		complete_value("@command", word, word, o);
	else
		complete_value(l->command->words, word, word, o);
}

void complete_line(char **words, int n, struct out *o)
{
	struct command_line l = { .options = opt_expand(global_options) };
	const char *word = n ? words[n - 1] : "", *value;
	const struct opt *option;

	for (int i = 0; i < n - 1; i++)
		line_word(&l, words[i]);
	if (l.unknown) {
		print_kind(o, "nothing", word, 0);
	} else if (l.wants && !(l.wants->kind == OPT_CALL_LAST && word[0] == '-')) {
		complete_value(option_values(l.wants), word, word, o);
	} else if (word[0] == '-' && !l.options_ended && !l.in_program) {
		option = option_of(&l, word, &value);
		if (option && value)
			complete_value(option_values(option), word, value, o);
		else
			complete_option(&l, word, o);
	} else {
		complete_plain(&l, word, o);
	}
	free(l.options);
}
