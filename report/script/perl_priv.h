#ifndef REPORT_SCRIPT_PERL_PRIV_H
#define REPORT_SCRIPT_PERL_PRIV_H

#include "base/out.h"
#include "report/script/language.h"

#include <sys/types.h>

/*
 * The functions of Perl's library that we use: result, name, arguments. To add one, write its row.
 * All are plain functions whose signatures are the same in every Perl with threads since 5.10. We do not use Perl's
 * macros, because they depend on the layout of one version's structs. Instead we pass values as packed bytes in the
 * scalar $Strobe::data, and perl_bridge.pl unpacks them.
 * Source: perlembed(1), perlapi(1), perlcall(1), perlguts(1).
 */
typedef struct perl_state perl_state; /* PerlInterpreter */
typedef struct perl_sv perl_sv;
typedef struct perl_cv perl_cv;
typedef void perl_xs(perl_state *perl, perl_cv *cv);
#define PERL_FUNCTIONS(X) \
	X(void, Perl_sys_init3, (int *argc, char ***argv, char ***env)) \
	X(void, Perl_sys_term, (void)) \
	X(perl_state *, perl_alloc, (void)) \
	X(void, perl_construct, (perl_state * perl)) \
	X(int, perl_parse, (perl_state * perl, void (*init)(perl_state * perl), int argc, char **argv, char **env)) \
	X(int, perl_run, (perl_state * perl)) \
	X(int, perl_destruct, (perl_state * perl)) \
	X(void, perl_free, (perl_state * perl)) \
	X(perl_sv *, Perl_get_sv, (perl_state * perl, const char *name, int32_t flags)) \
	X(perl_cv *, Perl_get_cv, (perl_state * perl, const char *name, int32_t flags)) \
	X(void, Perl_sv_setpvn, (perl_state * perl, perl_sv * sv, const char *s, size_t len)) \
	X(ssize_t, Perl_sv_2iv_flags, (perl_state * perl, perl_sv * sv, int32_t flags)) \
	X(int32_t, Perl_call_argv, (perl_state * perl, const char *name, int32_t flags, char **args)) \
	X(perl_cv *, Perl_newXS, (perl_state * perl, const char *name, perl_xs *function, const char *file))
enum { PERL_ADD = 1 }; /* GV_ADD */
/*
 * Discard the result. 6 means this in all versions: G_SCALAR | G_DISCARD today, G_DISCARD | G_EVAL before G_EVAL became
 * 8. The called functions catch exceptions.
 */
enum { PERL_CALL = 6 };

#define PERL_MEMBER(result, name, args) result(*name) args;
struct perl_api {
	PERL_FUNCTIONS(PERL_MEMBER)
	perl_xs *boot_DynaLoader;
};
#undef PERL_MEMBER

struct perl {
	struct interpreter base;
	struct perl_api api;
	perl_state *state;
	perl_sv *data, *script_state, *script_status, *wanted; /* variables of perl_bridge.pl */
	char **argv;
	struct out packed; /* the next contents of `data` */
};

/* Append a value, as the templates Q, q, C and L/a of pack read it. */
void perl_pack_number(struct out *o, uint64_t n);
void perl_pack_bytes(struct out *o, const void *bytes, size_t len);
void perl_pack_text(struct out *o, const char *s);
/* Call a function of the bridge with the packed values and one argument; forget the values. */
void perl_call_bridge(struct perl *p, const char *function, const char *arg);
/* Return whether the script defines a function of package main. */
bool perl_has(struct perl *p, const char *name);

/* perl_samples.c, perl_starter.c: members of perl_language */
extern const struct print_data_form perl_form;
void perl_printer_init(struct printer *p);
void perl_printer_free(struct printer *p);
void perl_starter(const struct perfdata *pd, struct out *o);

#endif
