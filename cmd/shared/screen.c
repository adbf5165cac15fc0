#include "cmd/shared/screen.h"

#include "cmd/commands.h"

struct tui *screen_open(const struct screen_wish *w, const struct tui_colors *colors)
{
	bool in = isatty(STDIN_FILENO), out = isatty(STDOUT_FILENO), told = w->tui;
	struct err why = { 0 };
	struct terminal *terminal = NULL;

	if (w->text) {
		err_set(&why, "%s", w->text);
	} else if (!out) {
		err_set(&why, "no screens here: the output is not a terminal");
	} else if (!in && !w->tui && !w->watched) {
		err_set(&why, "no screens here: standard input is not a terminal (--tui has one nevertheless)");
		told = strcmp(w->input, "-");
	} else {
		terminal = tui_terminal_open(colors, &why);
		told = true;
	}
	if (!terminal && told && !w->quiet)
		say("%s %s: %s; text follows", tool_name(), w->command, why.what);
	return terminal ? tui_new(terminal) : NULL;
}

struct tui_runner screen_runner(const struct object_opts *o)
{
	return (struct tui_runner){
		.program = "/proc/self/exe", .symfs = o->symfs, .vmlinux = o->vmlinux, .kallsyms = o->kallsyms
	};
}
