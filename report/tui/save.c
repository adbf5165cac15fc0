/* Save the lines of screens, and run other commands on their samples. */
#include "report/tui/tui.h"

#include "base/new_file.h"

static int write_lines(const char *path, size_t lines, int width, void (*draw)(void *ctx, struct pen pen, size_t line),
		       void *ctx, struct err *e)
{
	struct new_file f;
	struct grid g;

	if (new_file_open(&f, path, e) < 0)
		return -1;
	grid_init(&g, width, 1);
	for (size_t line = 0; line < lines; line++) {
		grid_clear(&g);
		draw(ctx, grid_pen(&g, 0, 0, g.width, INK_NORMAL), line);
		grid_line_text(&g, 0, &f.out);
		out_char(&f.out, '\n');
	}
	grid_release(&g);
	return new_file_finish(&f, e);
}

char *tui_save(struct tui *t, const char *name, size_t lines, int width,
	       void (*draw)(void *ctx, struct pen pen, size_t line), void *ctx)
{
	char *path = tui_input(t, "Save what is seen to:", name, NULL, NULL);
	struct err e = { 0 };

	if (path && *path && write_lines(path, lines, width, draw, ctx, &e) == 0)
		return path;
	if (path && *path)
		tui_error(t, &e);
	free(path);
	return NULL;
}

/* Show the output of another command on the recording; NULL ends both lists. */
static void run_command(struct tui *t, const struct tui_runner *runner, const char *input, const char *title,
			const char *const *command, const char *const *args)
{
	const char *argv[24];
	const struct {
		const char *option, *value;
	} where[] = { { "--symfs", runner->symfs },
		      { "--vmlinux", runner->vmlinux },
		      { "--kallsyms", runner->kallsyms } };
	struct err e = { 0 };
	size_t n = 0;

	argv[n++] = runner->program;
	while (*command)
		argv[n++] = *command++;
	argv[n++] = "-i";
	argv[n++] = input;
	for (size_t i = 0; i < ARRAY_SIZE(where); i++)
		if (where[i].value) {
			argv[n++] = where[i].option;
			argv[n++] = where[i].value;
		}
	while (*args && n + 1 < ARRAY_SIZE(argv))
		argv[n++] = *args++;
	argv[n] = NULL;
	if (tui_run_text(t, title, (char *const *)argv, &e) < 0)
		tui_error(t, &e);
}

void tui_script(struct tui *t, const struct tui_runner *runner, const char *input, const char *title,
		const char *const *args)
{
	run_command(t, runner, input, title, (const char *const[]){ "script", NULL }, args);
}

void tui_scripts(struct tui *t, const struct tui_runner *runner, const char *input, const char *whose,
		 const char *const *filters)
{
	static const struct {
		const char *line, *args[3];
		bool filters;
	} scripts[] = {
		{ "script: each sample of", { "script" }, true },
		{ "script: each sample of the recording", { "script" }, false },
		{ "collapse: the stacks, one a line", { "collapse" }, false },
		{ "report --stdio: this profile as text", { "report", "--stdio" }, false },
		{ "report --stats: what records there are", { "report", "--stats" }, false },
	};
	autofree char *first = xasprintf("%s %s", scripts[0].line, whose);
	const char *lines[ARRAY_SIZE(scripts)] = { first };
	int chosen;

	for (size_t i = 1; i < ARRAY_SIZE(scripts); i++)
		lines[i] = scripts[i].line;
	chosen = tui_menu(t, "Run", lines, ARRAY_SIZE(scripts), 0);
	if (chosen < 0)
		return;
	run_command(t, runner, input, lines[chosen], scripts[chosen].args,
		    scripts[chosen].filters ? filters : (const char *const[]){ NULL });
}
