#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "base/opt.h"
#include "base/say.h"
#include "base/tell.h"

/* All subcommands, in the order of help; NULL at the end. */
extern const struct command *const commands[];
/* The options before the subcommand. */
extern const struct opt global_options[];

/* One line per file of cmd/ with a subcommand. A row in commands[] (cmd/main.c) makes it known. */
extern const struct command cmd_annotate;
extern const struct command cmd_archive;
extern const struct command cmd_buildid_cache;
extern const struct command cmd_buildid_list;
extern const struct command cmd_bundle;
extern const struct command cmd_c2c;
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
extern const struct command cmd_ftrace;
extern const struct command cmd_help;
extern const struct command cmd_import;
extern const struct command cmd_inject;
extern const struct command cmd_kallsyms;
extern const struct command cmd_kmem;
extern const struct command cmd_kvm;
extern const struct command cmd_kwork;
extern const struct command cmd_list;
extern const struct command cmd_lock;
extern const struct command cmd_mem;
extern const struct command cmd_monitor;
extern const struct command cmd_probe;
extern const struct command cmd_push;
extern const struct command cmd_profile;
extern const struct command cmd_record;
extern const struct command cmd_report;
extern const struct command cmd_sched;
extern const struct command cmd_script;
extern const struct command cmd_stat;
extern const struct command cmd_test;
extern const struct command cmd_timechart;
extern const struct command cmd_top;
extern const struct command cmd_trace;
extern const struct command cmd_version;
extern const struct command cmd_waits;

/* --- cmd/shared/help.c --- */
const struct command *command_find(const char *name); /* NULL if unknown */
/* Set the error "'foo' is not a strobe-command" and near names. Return -1 with exit status 1. */
int command_unknown(const char *name, struct err *e);
/* Print "\n Usage: strobe report [<options>]\n    or: ...\n". */
void command_usage(const struct command *c, struct out *o);
/* Print the usage and the options. */
void command_help(const struct command *c, struct out *o);
/* Print "usage: strobe ..." alone, or with the list of commands. */
void usage_line(struct out *o);
void usage_all(struct out *o);
/* Print the long names of the options that help shows, as lines "--name". */
void list_options(const struct opt *table, struct out *o);
/*
 * Print all columns of an option table, for the checks of man pages and docs: see
 * cmd/shared/help.c.
 */
void dump_options(const struct opt *table, struct out *o);

/* --- cmd/shared/call.c --- */
/*
 * Run a command: set the defaults, read the settings, parse the options in argv[1..], start the pager, call `run`.
 * argv[0] is the command's name. -h prints the help. Return the exit status, or -1 with e.
 */
int command_call(const struct command *c, int argc, char **argv, struct err *e);
/* Ask a command whether it accepts these settings, without running it. -1 or an exit status, with e: it refuses one. */
int command_accepts(const struct command *c, const struct config *settings, struct err *e);
/* Run the subcommand of `c` that argv[0] names, like command_call(). */
int command_call_word(const struct command *c, int argc, char **argv, struct err *e);

/* --- cmd/shared/words.c --- */
/* Return the word that names a subcommand: "report" of "stat report". */
const char *command_word(const struct command *sub);
/* Find the subcommand of `c` with this name. NULL: there is none. */
const struct command *command_find_word(const struct command *c, const char *word);
/*
 * Return true if users call `sub` as "NAME WORD" and it has options of its own. (doctor lists `record` as a subcommand
 * only to complete its options.)
 */
bool command_has_word(const struct command *c, const struct command *sub);

/* --- cmd/shared/pager.c --- */
/*
 * Send stdout (and stderr, if it is a terminal) through the pager: $PERF_PAGER, $PAGER or less, in
 * this order. Do nothing when stdout is not a terminal, when that variable is empty or "cat", after
 * pager_off(), or when the pager already runs. main() calls it for commands with `pager` set; a
 * command that decides by its options calls it before it writes.
 */
void pager_start(void);
void pager_off(void);
/*
 * Columns of the terminal on which the text of this descriptor is read, with or without the pager;
 * 0: it goes to a file or a pipe.
 */
int shown_columns(int fd);
/* Return true if we run under the name `perf`. Scripts rely on perf's output and exit status, so we add nothing. */
bool called_as_perf(void);
/*
 * Return true if, in addition, standard error is no terminal: a program may take each line on it for an error.
 */
bool only_perfs_words(void);

/* --- cmd/shared/fit.c --- */
/*
 * Copy the lines of a memory sink and shorten those wider than `columns`. The text of the sink is
 * modified.
 */
void fit_lines(struct out *to, struct out *text, int columns);

/* --- cmd/shared/settings.c --- */
struct config;
/*
 * Read the user's settings: those of perf, /etc/perfconfig and then ~/.perfconfig, then our own,
 * $XDG_CONFIG_HOME/strobe/config, which override the others; or only the file that PERF_CONFIG
 * names. Report bad settings on stderr and skip them. Source: perf-config(1).
 */
void settings_load(struct config *c);
/*
 * Let all code that looks up files use the directory that the setting buildid.dir names, as with --buildid-dir, unless
 * PERF_BUILDID_DIR is set. Print nothing about bad settings: only some commands use others.
 */
void settings_use_buildid_dir(void);
/* Path of a settings file; the caller frees it; NULL without a home directory. */
enum settings_file { SETTINGS_SYSTEM, SETTINGS_USER, SETTINGS_OWN };
char *settings_path(enum settings_file which);
/* Names of the settings that commands use (cmd/config.c); NULL at the end. */
extern const char *const setting_names[];

/* --- cmd/shared/notes.c --- */
struct perfdata;
struct format_notes;
struct session;
/*
 * Print on stderr, once and at the end, what was damaged, lost or not understood in the input.
 * Return the exit status: 0, or 1 when the answer covers only a part of the recording
 * (format_notes_damaged).
 */
int notes_say(const struct perfdata *pd, const struct format_notes *n);
int session_notes_say(const struct session *s);
/* Print no more notes of sessions: an earlier command in this process has printed those of the same recording. */
void session_notes_said(void);
/*
 * For commands that show only the header. They read a pipe to its end, so they also report damaged records. These do
 * not make the answer incomplete, so the exit status is 0.
 */
int header_notes_say(const struct perfdata *pd);

/* --- cmd/shared/usual.c: defaults --- */
/* A teller that prints on stderr what -v and -q let pass. */
struct teller usual_teller(void);
/* "perf.data", or "-" when standard input is a pipe and there is no such file. */
const char *usual_input(void);
/*
 * Maximum number of frames: as many as this kernel records, and as many as we unwind from copied
 * stacks.
 */
uint32_t usual_chain_depth(void);
/*
 * End the process as the signal would have done, so that the shell sees it, but without a core
 * file.
 */
void die_by(int sig);

/* --- cmd/data.c --- */
/*
 * Do what `data convert` does: `form` is "json" or "ctf". `times`: as its option, may be NULL. Returns the exit
 * status, or -1 with e.
 */
int data_export(const char *form, const char *input, const char *output, const char *times, bool force, struct err *e);

/* --- cmd/shared/refused.c --- */
/* Fill in what to try from the errno, for an error that does not say it. */
void err_try_by_errno(struct err *e);

/* --- cmd/features.c --- */
/*
 * What this binary was built with. Names and macros equal those of perf's `version
 * --build-options`.
 */
struct build_feature {
	const char *name, *macro;
	bool on;
};
extern const struct build_feature build_features[]; /* name NULL at the end */
void build_feature_print(struct out *o, const struct build_feature *f);

/* --- cmd/ftrace/lines.c --- */
/* Return true if the file is a trace.dat of trace-cmd or ftrace record. Print such a file, one entry per line. */
bool is_trace_dat(const char *path);
int script_trace_dat(const char *path, struct err *e);

#endif
