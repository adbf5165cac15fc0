#include "cmd/shared/screen_settings.h"

#include "base/out.h"

static int read_bool(const struct config *c, const char *key, bool *value, struct err *e)
{
	const char *text = config_find(c, key);

	return !text || config_bool(text, value) ? 0
						 : err_set(e, "the setting %s is true or false, not '%s'", key, text);
}

static int read_colors(struct tui_colors *colors, const struct config *c, struct err *e)
{
	static const struct {
		const char *key;
		enum ink inks[2];
	} rows[] = {
		{ "colors.top", { INK_TOP, INK_TOP } },           { "colors.medium", { INK_MEDIUM, INK_MEDIUM } },
		{ "colors.normal", { INK_NORMAL, INK_CODE } },    { "colors.selected", { INK_CURSOR, INK_BOX_CURSOR } },
		{ "colors.jump_arrows", { INK_MARK, INK_MARK } }, { "colors.addr", { INK_ADDRESS, INK_ADDRESS } },
		{ "colors.root", { INK_TITLE, INK_HELP } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text = config_find(c, rows[i].key);

		for (size_t k = 0; text && k < ARRAY_SIZE(rows[i].inks); k++)
			if (tui_color_parse(text, &colors->inks[rows[i].inks[k]], e) < 0)
				return err_in(e, "the setting %s", rows[i].key);
	}
	return 0;
}

/* Our disassembler corresponds to perf's capstone and llvm: the first word of the list decides. */
static bool prefers_objdump(const char *list)
{
	size_t len = strcspn(list, ", ");

	return len == strlen("objdump") && !strncmp(list, "objdump", len);
}

int screen_configure(struct screen_settings *s, const char *command, const struct config *c, struct err *e)
{
	autofree char *tui = xasprintf("tui.%s", command);
	bool wanted = true, headings = true, offsets = true, arrows = true, samples = false, periods = false,
	     demangle = true;
	const struct {
		const char *key;
		bool *value;
	} rows[] = {
		{ tui, &wanted },
		{ "ui.show-headers", &headings },
		{ "annotate.hide_src_code", &s->no_source },
		{ "annotate.use_offset", &offsets },
		{ "annotate.jump_arrows", &arrows },
		{ "annotate.show_linenr", &s->code.line_numbers },
		{ "annotate.show_nr_jumps", &s->code.jumps_here },
		{ "annotate.show_nr_samples", &samples },
		{ "annotate.show_total_period", &periods },
		{ "annotate.demangle", &demangle },
		{ "annotate.demangle_kernel", &s->demangle_kernel },
	};

	*s = (struct screen_settings){ .objdump = config_find(c, "annotate.objdump"),
				       .style = config_find(c, "annotate.disassembler_style") };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (read_bool(c, rows[i].key, rows[i].value, e) < 0)
			return -1;
	s->text = !wanted;
	s->no_headings = !headings;
	s->no_demangle = !demangle;
	if (!s->objdump && config_find(c, "annotate.disassemblers") &&
	    prefers_objdump(config_find(c, "annotate.disassemblers")))
		s->objdump = "objdump";
	s->code.addresses = !offsets;
	s->code.no_arrows = !arrows;
	s->code.column = samples ? COLUMN_SAMPLES : periods ? COLUMN_PERIOD : COLUMN_PERCENT;
	return read_colors(&s->colors, c, e);
}
