#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "base/opt.h"
#include "base/out.h"

/* Every subcommand, in the order in which help lists them; NULL at the end. */
extern const struct command *const commands[];
/* The options before the subcommand. */
extern const struct opt global_options[];

/* One line per file of cmd/ that holds a subcommand; a row in commands[] (cmd/main.c) makes it known. */
extern const struct command cmd_annotate;
extern const struct command cmd_buildid_cache;
extern const struct command cmd_buildid_list;
extern const struct command cmd_check;
extern const struct command cmd_collapse;
extern const struct command cmd_completion;
extern const struct command cmd_config;
extern const struct command cmd_data;
extern const struct command cmd_diff;
extern const struct command cmd_doctor;
extern const struct command cmd_evlist;
extern const struct command cmd_export;
extern const struct command cmd_flamegraph;
extern const struct command cmd_help;
extern const struct command cmd_inject;
extern const struct command cmd_kallsyms;
extern const struct command cmd_list;
extern const struct command cmd_probe;
extern const struct command cmd_record;
extern const struct command cmd_report;
extern const struct command cmd_sched;
extern const struct command cmd_script;
extern const struct command cmd_stat;
extern const struct command cmd_test;
extern const struct command cmd_version;

/* --- cmd/shared/help.c --- */
const struct command *command_find(const char *name); /* NULL if unknown */
/* "'foo' is not a strobe-command", and near names; returns -1 with exit status 1. */
int command_unknown(const char *name, struct err *e);
/* "\n Usage: strobe report [<options>]\n    or: ...\n" */
void command_usage(const struct command *c, struct out *o);
/* The usage and the options. */
void command_help(const struct command *c, struct out *o);
/* "usage: strobe ..." alone, and with the list of commands. */
void usage_line(struct out *o);
void usage_all(struct out *o);
/* Long names of the options that help shows, "--name\n" each. */
void list_options(const struct opt *table, struct out *o);
/* Every option with what the tables say of it, for the checks of man pages and docs: see cmd/shared/help.c. */
void dump_options(const struct opt *table, struct out *o);

/* --- cmd/shared/call.c --- */
/*
 * Run a command with argv, of which argv[0] is its name: defaults, settings, options, pager, run. -h prints its help.
 * Returns its exit status, or -1 with e.
 */
int command_call(const struct command *c, int argc, char **argv, struct err *e);
/* The one of c->subcommands that is called by this word; NULL if there is none. */
const struct command *command_find_word(const struct command *c, const char *word);
/* Has `sub` options of its own, and is it called as "NAME WORD"? (doctor names `record` to complete its options.) */
bool command_has_word(const struct command *c, const struct command *sub);
/* The same for the one of c->subcommands that argv[0] names. */
int command_call_word(const struct command *c, int argc, char **argv, struct err *e);

/* --- cmd/shared/pager.c --- */
/*
 * Send stdout (and stderr, if it is a terminal) through the pager: $PERF_PAGER, $PAGER or less, in this order. Does
 * nothing when stdout is no terminal, when that variable is empty or "cat", after pager_off(), or when it runs already.
 * Main calls it for commands with `pager` set; one that decides by its options calls it itself before it writes.
 */
void pager_start(void);
void pager_off(void);
/* Columns of the terminal where text on this descriptor is read, with or without the pager; 0: it goes into a file or
 * pipe. */
int shown_columns(int fd);

/* --- cmd/shared/fit.c --- */
/* The lines of a memory sink, those that are wider than so many columns shortened. The sink's text is spoilt. */
void fit_lines(struct out *to, struct out *text, int columns);

/* --- cmd/shared/settings.c --- */
struct config;
/*
 * The user's settings where perf has them, /etc/perfconfig and then ~/.perfconfig, and those of our own,
 * $XDG_CONFIG_HOME/strobe/config, which have the last word; or the one file that PERF_CONFIG names. What is broken is
 * said on stderr and left out. Source: perf-config(1).
 */
void settings_load(struct config *c);
/* Where they are; malloc'd, NULL without a home directory. */
enum settings_file { SETTINGS_SYSTEM, SETTINGS_USER, SETTINGS_OWN };
char *settings_path(enum settings_file which);
/* Names of the settings that commands heed (cmd/config.c); NULL at the end. */
extern const char *const setting_names[];

/* --- cmd/shared/notes.c --- */
struct perfdata;
struct format_notes;
struct session;
/*
 * Tell on stderr, once and at the end, what was damaged, lost or not understood in the input. Returns the exit status:
 * 0, or 1 when the answer is only a part of what was recorded (format_notes_damaged).
 */
int notes_say(const struct perfdata *pd, const struct format_notes *n);
int session_notes_say(const struct session *s);

/* --- cmd/shared/usual.c: what is meant when nothing is said --- */
/* "perf.data", or "-" when standard input is a pipe and there is no such file. */
const char *usual_input(void);
/* Frames: as deep as this kernel records chains, which is also how deep copied stacks are unwound. */
uint32_t usual_chain_depth(void);
/* End as the signal would have ended us, so that a shell sees it; without a core file of ours. */
void die_by(int sig);

/* --- cmd/shared/refused.c --- */
/* Fill what to try by the errno of an error that says nothing about it. */
void err_try_by_errno(struct err *e);

/* --- cmd/features.c --- */
/* What this binary was built with. Names and macros are those that perf's `version --build-options` prints. */
struct build_feature {
	const char *name, *macro;
	bool on;
};
extern const struct build_feature build_features[]; /* name NULL at the end */
void build_feature_print(struct out *o, const struct build_feature *f);

#endif
