/* The interpreter: its library, the script and the bridge that calls the script's functions. */
#include "report/script/perl_priv.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "perl_bridge_pl.h"

/* ---- the library ---- */

static const char *const elsewhere[] = {
	"/usr/lib/perl5/core_perl/CORE/libperl.so",
	"/usr/lib/perl5/5.*/core_perl/CORE/libperl.so",
	"/usr/lib/perl5/5.*/*/CORE/libperl.so",
	"/usr/lib64/perl5/CORE/libperl.so",
	NULL,
};

static const struct script_library library = {
	.language = "Perl",
	.env = "STROBE_LIBPERL",
	.prefix = "libperl.so.5.",
	.suffix = "",
	.newest = 60,
	.oldest = 10,
	.step = 2,
	.elsewhere = elsewhere,
	.missing = "there is no library of Perl 5.10 or newer: libperl.so.5.N",
	.cure = "install it (Debian, Ubuntu: apt-get install perl)",
	.instead = "perl SCRIPT, which reads the text",
};

static int bind_api(struct perl_api *api, void *lib, struct err *e)
{
	const char *missing = NULL;

#define BIND(result, name, args) \
	api->name = (result(*) args)dlsym(lib, #name); \
	if (!api->name) \
		missing = #name;
	PERL_FUNCTIONS(BIND)
#undef BIND
	api->boot_DynaLoader = (perl_xs *)dlsym(lib, "boot_DynaLoader");
	if (!missing && !api->boot_DynaLoader)
		missing = "boot_DynaLoader";
	/* If Perl was built without threads, its functions do not take the interpreter as an argument. */
	if (!missing && dlsym(lib, "PL_thr_key"))
		return 0;
	err_set(e, "cannot run Perl scripts");
	if (missing)
		return err_why(e, "its library has no '%s'", missing);
	err_why(e, "its library was built without threads (usethreads)");
	return err_try(e, "name one with threads in %s, as distributions build it", library.env);
}

/* ---- values and calls ---- */

void perl_pack_number(struct out *o, uint64_t n) { out_mem(o, (const char *)&n, sizeof(n)); }

void perl_pack_bytes(struct out *o, const void *bytes, size_t len)
{
	uint32_t count = (uint32_t)len;

	out_mem(o, (const char *)&count, sizeof(count));
	out_mem(o, bytes, count);
}

void perl_pack_text(struct out *o, const char *s) { perl_pack_bytes(o, s, strlen(s)); }

/* Read the state that the bridge stored: does the script run, did it fail, or has it ended? */
static void read_state(struct perl *p)
{
	enum { RUNS, FAILED, CLOSED, ENDED };
	ssize_t state = p->api.Perl_sv_2iv_flags(p->state, p->script_state, 0);

	if (state == RUNS)
		return;
	p->base.failed = true;
	p->base.closed = state == CLOSED;
	p->base.ended = state == ENDED;
	p->base.status = (int)p->api.Perl_sv_2iv_flags(p->state, p->script_status, 0) & 0xff;
}

void perl_call_bridge(struct perl *p, const char *function, const char *arg)
{
	char *args[] = { (char *)arg, NULL };

	p->api.Perl_sv_setpvn(p->state, p->data, p->packed.buf ? p->packed.buf : "", p->packed.len);
	p->packed.len = 0;
	p->api.Perl_call_argv(p->state, function, PERL_CALL, args);
	read_state(p);
}

bool perl_has(struct perl *p, const char *name)
{
	autofree char *full = xasprintf("main::%s", name);

	return p->api.Perl_get_cv(p->state, full, 0);
}

static void perl_call(struct interpreter *i, const char *name)
{
	perl_call_bridge((struct perl *)i, "Strobe::function", name);
}

/* ---- start ---- */

/* For init_modules(), because perl_parse() passes it no pointer of ours. */
static struct perl *starting;

/* Let scripts load modules that are written in C. */
static void init_modules(perl_state *state)
{
	starting->api.Perl_newXS(state, "DynaLoader::boot_DynaLoader", starting->api.boot_DynaLoader, __FILE__);
}

/*
 * Return an option -M with the bridge: Perl runs its text before it compiles the script. So the script is an ordinary
 * program with its own lines, switches and __DATA__.
 */
static char *bridge_option(void)
{
	struct out o;
	char *option;

	out_init_mem(&o);
	out_str(&o, "-Mlib; BEGIN{eval(\"#line 1 \\\"Strobe\\\"\\n\" . pack(q(H*), q(");
	for (size_t i = 0; i < sizeof(perl_bridge_pl) - 1; i++)
		out_fmt(&o, "%02x", (unsigned char)perl_bridge_pl[i]);
	out_str(&o, "))) or die $@}");
	option = xstrdup(out_text(&o));
	out_release(&o);
	return option;
}

static void set_arguments(struct perl *p, const char *path, char *const *args)
{
	size_t n = 0, at = 0;

	while (args[n])
		n++;
	p->argv = xcalloc(n + 5, sizeof(*p->argv));
	p->argv[at++] = xstrdup(tool_name());
	p->argv[at++] = bridge_option();
	p->argv[at++] = xstrdup("--");
	p->argv[at++] = xstrdup(path);
	for (size_t i = 0; i < n; i++)
		p->argv[at++] = xstrdup(args[i]);
}

/* Compile the script. Return -1 if Perl refused it; Perl has printed why. */
static int parse(struct perl *p)
{
	int argc = 0;

	while (p->argv[argc])
		argc++;
	p->api.Perl_sys_init3(&argc, &p->argv, &environ);
	p->state = p->api.perl_alloc();
	p->api.perl_construct(p->state);
	starting = p;
	if (p->api.perl_parse(p->state, init_modules, argc, p->argv, NULL))
		return -1;
	p->data = p->api.Perl_get_sv(p->state, "Strobe::data", PERL_ADD);
	p->script_state = p->api.Perl_get_sv(p->state, "Strobe::state", PERL_ADD);
	p->script_status = p->api.Perl_get_sv(p->state, "Strobe::status", PERL_ADD);
	p->wanted = p->api.Perl_get_sv(p->state, "Strobe::wanted", PERL_ADD);
	return 0;
}

static struct interpreter *perl_open(const char *path, char *const *args, const struct config *settings, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct perl *p;
	void *lib;

	if (fd < 0) {
		err_sys(e, "cannot open '%s'", path);
		return NULL;
	}
	close(fd); /* Perl opens it again; we only check it, so that our own message appears */
	lib = script_library_load(&library, e);
	p = xcalloc(1, sizeof(*p));
	p->base.language = &perl_language;
	if (!lib || bind_api(&p->api, lib, e) < 0) {
		free(p);
		return NULL;
	}
	out_init_mem(&p->packed);
	set_arguments(p, path, args);
	p->base.failed = parse(p) < 0;
	return &p->base;
}

static void perl_run(struct interpreter *i)
{
	struct perl *p = (struct perl *)i;

	if (p->base.failed)
		return;
	if (p->api.perl_run(p->state))
		p->base.failed = true;
	read_state(p);
}

/* ---- the end ---- */

static void perl_release(struct perl *p)
{
	p->api.perl_destruct(p->state);
	p->api.perl_free(p->state);
	p->api.Perl_sys_term();
	for (char **arg = p->argv; *arg; arg++)
		free(*arg);
	free(p->argv);
	out_release(&p->packed);
	free(p);
}

static int perl_close(struct interpreter *i, struct err *e)
{
	enum { UNWRITTEN = 4 };
	struct perl *p = (struct perl *)i;
	struct interpreter end;
	ssize_t state = 0;

	if (p->data) {
		char *none[] = { NULL };

		p->api.Perl_call_argv(p->state, "Strobe::finish", PERL_CALL, none);
		state = p->api.Perl_sv_2iv_flags(p->state, p->script_state, 0);
		if (state != UNWRITTEN)
			read_state(p);
	}
	end = p->base;
	perl_release(p);
	if (end.closed)
		return err_exit(e, EXIT_PIPE_CLOSED);
	if (state == UNWRITTEN)
		return err_set(e, "cannot write the script's output");
	if (end.ended && end.status)
		return err_exit(e, end.status);
	return end.failed && !end.ended ? err_set(e, "the script failed") : 0;
}

const struct script_language perl_language = {
	.name = "Perl",
	.word = "pl",
	.suffix = ".pl",
	.open = perl_open,
	.run = perl_run,
	.call = perl_call,
	.close = perl_close,
	.starter = perl_starter,
	.form = &perl_form,
	.init = perl_printer_init,
	.free = perl_printer_free,
};
