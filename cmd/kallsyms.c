/* strobe kallsyms NAME...: print the addresses of these symbols in the running kernel. */
#include "cmd/commands.h"
#include "cmd/shared/options.h"

#include <errno.h>

#include "events/events.h"
#include "symbols/name/kallsyms.h"

static const struct opt kallsyms_options[] = {
	{ 0, "verbose", OPT_INCLUDE, 0, .rows = talk_options },
	{ 0 },
};

static const char *name_of(const struct kallsyms *k, const struct kallsym *s) { return k->text.items + s->name; }

/*
 * A symbol reaches to the next address with a symbol. The last symbol of the kernel or of a module
 * ends with the following page, as in perf.
 */
static uint64_t end_of(const struct kallsyms *k, const struct kallsym *s)
{
	uint64_t end = ((s->address + 4095) & ~4095ull) + 4096;
	bool found = false;

	for (size_t i = 0; i < k->symbols.len; i++) {
		const struct kallsym *next = &k->symbols.items[i];

		if (next->module == s->module && next->address > s->address && (!found || next->address < end)) {
			end = next->address;
			found = true;
		}
	}
	return end;
}

/*
 * Return the start address of a module, "[e1000]"; 0 if unknown: then its addresses count from 0.
 * Source: proc_modules(5).
 */
static uint64_t module_start(const char *module)
{
	autofclose FILE *f = fopen("/proc/modules", "re");
	size_t len = strlen(module);
	char line[4096];

	while (f && len > 2 && fgets(line, sizeof(line), f)) {
		/* The start of the address; the flags after it are upper-case letters. */
		const char *at = strrchr(line, 'x');

		if (!strncmp(line, module + 1, len - 2) && line[len - 2] == ' ' && at)
			return strtoull(at + 1, NULL, 16);
	}
	return 0;
}

static void print_symbol(const struct kallsyms *k, const struct kallsym *s, struct out *o)
{
	const char *object = s->module ? k->text.items + k->modules.items[s->module] : "[kernel]";
	uint64_t start = s->address, end = end_of(k, s), base = s->module ? module_start(object) : 0;

	out_name(o, name_of(k, s));
	out_str(o, ": ");
	out_name(o, object);
	out_char(o, ' ');
	out_name(o, s->module ? object : "[kernel.kallsyms]");
	out_fmt(o, " 0x%llx-0x%llx (0x%llx-0x%llx)\n", (unsigned long long)start, (unsigned long long)end,
		(unsigned long long)(start - base), (unsigned long long)(end - base));
}

/* Print all symbols with this name; false if there are none. */
static bool print_named(const struct kallsyms *k, const char *name, struct out *o)
{
	bool found = false;

	for (size_t i = 0; i < k->symbols.len; i++) {
		if (strcmp(name_of(k, &k->symbols.items[i]), name))
			continue;
		print_symbol(k, &k->symbols.items[i], o);
		found = true;
	}
	if (!found) {
		out_name(o, name);
		out_str(o, ": not found\n");
	}
	return found;
}

static int kallsyms_run(void *opts, int argc, char **argv, struct err *e)
{
	struct kallsyms *k;
	struct out o;
	int status = 0;

	if (!argc) {
		err_set(e, "no symbol is named");
		err_try(e, "%s kallsyms vfs_read", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	k = kallsyms_read("/proc/kallsyms");
	if (k->hidden || !k->symbols.len) {
		advice_kallsyms(k->symbols.len || !access("/proc/kallsyms", F_OK) ? EACCES : ENOENT, e);
		kallsyms_free(k);
		return -1;
	}
	out_init_fd(&o, STDOUT_FILENO);
	for (int i = 0; i < argc; i++)
		if (!print_named(k, argv[i], &o))
			status = 1;
	kallsyms_free(k);
	return out_finish(&o, e) < 0 ? -1 : status;
}

const struct command cmd_kallsyms = {
	.name = "kallsyms",
	.summary = "show the address of a symbol in the running kernel",
	.run = kallsyms_run,
	.usage = (const char *const[]){ "[<options>] symbol_name...", NULL },
	.options = kallsyms_options,
};
