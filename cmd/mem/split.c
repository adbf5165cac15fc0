/* Split a command line with options of two commands, and pass words from one command to the other. */
#include "cmd/commands.h"
#include "cmd/mem/mem_priv.h"

/*
 * The words of a command line: `own` options with their values (after the command's name), and all others. Both arrays
 * are in one block; options_split_release frees it.
 */
struct options_split {
	char **own, **other;
	int n_own, n_other;
};

struct splitter {
	struct opt *own, *other;
	int argc, at;
	char **argv;
};

static const struct opt *find_letter(const struct opt *table, char letter)
{
	for (const struct opt *o = table; o->kind; o++)
		if (o->kind != OPT_GROUP && o->short_name == letter)
			return o;
	return NULL;
}

/* Find an option by name. Users may shorten names: "--sym" is --symfs. `whole`: only full names. */
static const struct opt *find_name(const struct opt *table, const char *word, bool whole)
{
	size_t len = strcspn(word, "=");

	for (const struct opt *o = table; o->kind; o++)
		if (o->kind != OPT_GROUP && o->name && !strncmp(o->name, word, len) && (!whole || !o->name[len]))
			return o;
	return NULL;
}

static const struct opt *find(const struct opt *table, const char *arg, bool whole)
{
	if (arg[1] != '-')
		return find_letter(table, arg[1]);
	return find_name(table, arg + (!strncmp(arg, "--no-", 5) ? 5 : 2), whole);
}

/* Return the option of argv[at], and whether it is ours. Our parser also reports options that neither table has. */
static const struct opt *whose(const struct splitter *s, bool *ours)
{
	const char *arg = s->argv[s->at];
	const struct opt *own = find(s->own, arg, true), *other = own ? NULL : find(s->other, arg, false);

	*ours = !other;
	return other ? other : own ? own : find(s->own, arg, false);
}

/* Return how many words the option takes: its name, and its value if that is the next word. */
static int n_words(const struct splitter *s, const struct opt *o)
{
	const char *arg = s->argv[s->at];
	bool attached = arg[1] == '-' ? strchr(arg, '=') || !strncmp(arg, "--no-", 5) : arg[2] != '\0';

	return o && opt_wants_value(o->kind) && !attached && s->at + 1 < s->argc ? 2 : 1;
}

/*
 * Split the words. argv[0] is the command's name. `own` and `other` are option tables; unknown options go to `own`,
 * whose parser reports them. `stop_at_word`: the first word that is not an option begins a command line, which goes
 * unchanged to `other`. So do all words after "--".
 */
static void options_split(const struct opt *own, const struct opt *other, bool stop_at_word, int argc, char **argv,
			  struct options_split *to)
{
	struct splitter s = { opt_expand(own), opt_expand(other), argc, 1, argv };

	*to = (struct options_split){ .own = xcalloc(2 * (size_t)argc + 2, sizeof(*argv)) };
	to->other = to->own + argc + 1;
	if (argc)
		to->own[to->n_own++] = argv[0];
	while (s.at < argc) {
		const char *arg = argv[s.at];
		const struct opt *o;
		bool is_option = arg[0] == '-' && arg[1], ours = false;
		int n;

		if (stop_at_word && !is_option)
			break;
		/* then follow options of the other command and its words: c2c record -- -a ./server */
		if (stop_at_word && !strcmp(arg, "--")) {
			s.at++;
			break;
		}
		o = is_option ? whose(&s, &ours) : NULL;
		n = is_option ? n_words(&s, o) : 1;
		while (n--)
			*(ours ? &to->own[to->n_own++] : &to->other[to->n_other++]) = argv[s.at++];
	}
	while (s.at < argc)
		to->other[to->n_other++] = argv[s.at++];
	free(s.own);
	free(s.other);
}

static void options_split_release(struct options_split *s) { free(s->own); }

int call_preset(const struct command *sub, const void *opts, const struct opt *other, int argc, char **argv,
		struct err *e)
{
	struct command word = *sub;
	struct options_split s;
	char **all;
	int n, rc;

	options_split(sub->options, other, sub->stop_at_word, argc, argv, &s);
	all = xcalloc((size_t)(s.n_own + s.n_other) + 2, sizeof(*all));
	n = s.n_own;
	memcpy(all, s.own, (size_t)n * sizeof(*all));
	all[n++] = (char *)"--";
	memcpy(all + n, s.other, (size_t)s.n_other * sizeof(*all));
	word.defaults = opts;
	rc = command_call(&word, n + s.n_other, all, e);
	free(all);
	options_split_release(&s);
	return rc;
}

void preset_add(struct preset_words *w, const char *option, const char *value)
{
	vec_push(w, option);
	if (value)
		vec_push(w, value);
}

int preset_call(const struct command *c, struct preset_words *w, int argc, char **argv, struct err *e)
{
	int n;

	for (int i = 0; i < argc; i++)
		vec_push(w, argv[i]);
	n = (int)w->len;
	vec_push(w, NULL);
	return command_call(c, n, (char **)w->items, e);
}
