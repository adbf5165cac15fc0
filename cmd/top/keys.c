/* Handle the keys of top as text. Some keys ask for a value; the terminal then shows a line of input. */
#include "cmd/commands.h"
#include "cmd/top/top_priv.h"

#include <poll.h>
#include <termios.h>

#include "base/clock.h"
#include "base/signal.h"

enum { CTRL_C = 3, ESCAPE = 27, LIST_MS = 10000 };

/* ---- the terminal ---- */

void top_raw_keys(struct top *t)
{
	struct termios raw;

	tcgetattr(STDIN_FILENO, &t->cooked);
	raw = t->cooked;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void top_usual_keys(const struct top *t) { tcsetattr(STDIN_FILENO, TCSANOW, &t->cooked); }

/* Read one key. false: the input has ended, or a signal came. */
static bool read_key(char *key) { return read(STDIN_FILENO, key, 1) == 1; }

/* Wait for a key for at most this time. */
static bool is_typed(int timeout_ms)
{
	return poll(&(struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN }, 1, timeout_ms) > 0;
}

/* Return the line that the user types; NULL: an empty line, or none. The caller frees it. */
static char *ask(struct top *t, const char *what)
{
	struct out line;
	char key, *text = NULL;

	printf("\n%s: ", what);
	fflush(stdout);
	top_usual_keys(t);
	out_init_mem(&line);
	while ((t->keys = read_key(&key)) && key != '\n')
		out_char(&line, key);
	top_raw_keys(t);
	if (line.len && t->keys)
		text = xstrdup(out_text(&line));
	out_release(&line);
	return text;
}

static void note(struct top *t, char *text)
{
	free(t->note);
	t->note = text;
	t->note_ns = now_ns();
}

static bool ask_number(struct top *t, const char *what, double *value)
{
	autofree char *text = ask(t, what);
	char *end;
	double v = text ? strtod(text, &end) : 0;

	if (!text)
		return false;
	if (end == text || *end || !(v >= 0) || v > 1e9) {
		note(t, xasprintf("'%s' is not a number", text));
		return false;
	}
	*value = v;
	return true;
}

/* ---- what keys do ---- */

static void type_delay(struct top *t)
{
	autofree char *text = ask(t, "Seconds between pages");
	struct err e = { 0 };
	double seconds;

	if (text && top_parse_delay(text, &seconds, &e) < 0)
		note(t, xstrdup(e.what));
	else if (text)
		t->delay_ms = (unsigned)(seconds * 1000);
}

static void type_entries(struct top *t)
{
	double n;

	if (ask_number(t, "Number of rows (0: as many as fit)", &n))
		t->entries = (uint64_t)n;
}

static void type_least(struct top *t)
{
	double n;

	if (ask_number(t, "Least number of samples of a row", &n))
		t->least = (uint64_t)n;
}

static void type_code_percent(struct top *t)
{
	double percent;

	if (ask_number(t, "Least percentage of an instruction", &percent))
		t->code_percent = MIN(percent, 100.0);
}

static void type_event(struct top *t)
{
	const struct perfdata *pd = live_session(t->rows.live)->pd;
	double n;

	if (top_next_event(t, t->event) == t->event) {
		note(t, xstrdup("there is only one event"));
		return;
	}
	for (uint32_t i = 0; i < pd->n_events; i++)
		if (!attr_is_dummy(&pd->events[i].attr))
			printf("\n  %u  %s", (unsigned)i, pd->events[i].name);
	if (!ask_number(t, "Number of the event", &n))
		return;
	if (n < (double)pd->n_events && !attr_is_dummy(&pd->events[(uint32_t)n].attr))
		t->event = (uint32_t)n;
	else
		note(t, xasprintf("there is no event %g", n));
}

static void type_symbol(struct top *t)
{
	char *text = ask(t, "Function whose code is shown");

	if (!text)
		return;
	free(t->symbol);
	t->symbol = text;
}

static void leave_code(struct top *t)
{
	free(t->symbol);
	t->symbol = NULL;
}

static void hide(struct top *t, bool *what)
{
	*what = !*what;
	top_clear(t); /* hidden samples were not summed up, so their rows would be wrong */
}

static void hide_kernel(struct top *t) { hide(t, &t->rows.now->run.filter.hide_kernel); }
static void hide_user(struct top *t) { hide(t, &t->rows.now->run.filter.hide_user); }
static void turn_zero(struct top *t) { t->zero = !t->zero; }
static void freeze(struct top *t) { t->frozen = !t->frozen; }
static void save(struct top *t) { note(t, top_save_here(t)); }

static void say_delay(const struct top *t, struct out *o) { out_fmt(o, "%g", t->delay_ms / 1000.0); }
static void say_entries(const struct top *t, struct out *o) { out_fmt(o, "%llu", (unsigned long long)t->entries); }
static void say_least(const struct top *t, struct out *o) { out_fmt(o, "%llu", (unsigned long long)t->least); }
static void say_percent(const struct top *t, struct out *o) { out_fmt(o, "%g%%", t->code_percent); }
static void say_symbol(const struct top *t, struct out *o) { out_name(o, t->symbol ? t->symbol : "none"); }
static void say_bool(bool is, struct out *o) { out_str(o, is ? "yes" : "no"); }
static void say_zero(const struct top *t, struct out *o) { say_bool(t->zero, o); }
static void say_frozen(const struct top *t, struct out *o) { say_bool(t->frozen, o); }
static void say_kernel(const struct top *t, struct out *o) { say_bool(t->rows.now->run.filter.hide_kernel, o); }
static void say_user(const struct top *t, struct out *o) { say_bool(t->rows.now->run.filter.hide_user, o); }
static void say_event(const struct top *t, struct out *o)
{
	out_name(o, live_session(t->rows.live)->pd->events[t->event].name);
}

/* One row per key, except `q`, which only ends the program. */
static const struct {
	char key;
	void (*act)(struct top *t);
	const char *help;
	void (*say)(const struct top *t, struct out *o); /* print the current value; NULL: there is none */
} keys[] = {
	{ 'd', type_delay, "seconds between pages", say_delay },
	{ 'e', type_entries, "number of rows (0: as many as fit)", say_entries },
	{ 'E', type_event, "the event that is shown", say_event },
	{ 'f', type_least, "least number of samples of a row", say_least },
	{ 'F', type_code_percent, "least percentage of an instruction in code", say_percent },
	{ 's', type_symbol, "show the code of a function", say_symbol },
	{ 'S', leave_code, "show rows again, not code", NULL },
	{ 'K', hide_kernel, "hide rows of the kernel", say_kernel },
	{ 'U', hide_user, "hide rows of user space", say_user },
	{ 'z', turn_zero, "each page starts again at zero", say_zero },
	{ 'p', freeze, "the page is frozen", say_frozen },
	{ 'R', save, "save the last seconds (--history) as a recording", NULL },
};

static void show_keys(const struct top *t)
{
	struct out o;

	out_init_fd(&o, STDOUT_FILENO);
	out_str(&o, "\nKeys:\n");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		out_fmt(&o, "  %c  %s", keys[i].key, keys[i].help);
		if (keys[i].say) {
			out_str(&o, ": ");
			keys[i].say(t, &o);
		}
		out_char(&o, '\n');
	}
	out_str(&o, "  q  end\nPress one of these keys, or any other key to continue.\n");
	out_finish(&o, NULL);
}

/* Skip the rest of an arrow key or another unknown key: the bytes that follow ESCAPE. */
static void skip_sequence(void)
{
	char c;

	while (is_typed(0) && read_key(&c) && strchr("[O;0123456789", c))
		;
}

/* Handle a key. false: the key is unknown. *leave: it ends the program. */
static bool obey(struct top *t, char key, bool *leave)
{
	if (key == ' ')
		key = 'p';
	*leave = key == 'q' || key == 'Q' || key == CTRL_C;
	if (key == ESCAPE)
		skip_sequence();
	if ((unsigned char)key < ' ')
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (keys[i].key != key)
			continue;
		keys[i].act(t);
		return true;
	}
	return *leave;
}

bool top_read_keys(struct top *t)
{
	bool leave;
	char key;

	while (t->keys && is_typed(0)) {
		t->keys = read_key(&key); /* the input has ended: continue without keys */
		if (!t->keys)
			break;
		if (!obey(t, key, &leave)) {
			show_keys(t);
			if (is_typed(LIST_MS) && (t->keys = read_key(&key)))
				obey(t, key, &leave);
		}
		t->due = true;
		if (leave || stop_requested)
			return false;
	}
	return true;
}
