#include "cmd/trace/selection_priv.h"

#include <fnmatch.h>
#include <regex.h>

#include "base/out.h"
#include "events/events.h"
#include "record/record.h"

const char selection_is_filter[] = "filter";

/* Groups of calls. To add one, write its name and globs of call names. */
static const struct call_group {
	const char *name, *globs;
} groups[] = {
	{ "file",
	  "access acct chdir chmod chown chroot creat execve* faccessat* fchmodat* fchownat fstatat* futimesat "
	  "getcwd getxattr* inotify_add_watch lchown lgetxattr link linkat listxattr* llistxattr lremovexattr "
	  "lsetxattr lstat mkdir mkdirat mknod mknodat mount name_to_handle_at newfstatat open openat openat2 "
	  "pivot_root quotactl readlink readlinkat removexattr* rename* rmdir setxattr* stat statfs statx swapoff "
	  "swapon symlink symlinkat truncate umount* unlink unlinkat uselib utime utimensat utimes" },
	{ "string",
	  "access chdir chmod chown chroot creat execve* faccessat* fchmodat* fchownat link linkat lstat mkdir "
	  "mkdirat mknod mknodat mount newfstatat open openat openat2 readlink readlinkat rename* rmdir stat "
	  "statfs statx symlink symlinkat truncate umount* unlink unlinkat utimensat" },
	{ "net",
	  "accept accept4 bind connect getpeername getsockname getsockopt listen recv* send sendmmsg sendmsg sendto "
	  "setsockopt shutdown socket socketpair" },
	{ "process",
	  "clone clone3 execve* exit exit_group fork kill pidfd_open pidfd_send_signal tgkill tkill unshare vfork "
	  "wait4 waitid waitpid" },
	{ "signal", "kill pause pidfd_send_signal rt_sig* rt_tgsigqueueinfo sigaltstack signalfd* tgkill tkill" },
	{ "memory", "brk madvise mlock* mmap mprotect mremap msync munlock* munmap pkey_*" },
};

static bool add_glob(struct selection *s, const char *glob, const struct syscall_names *names)
{
	bool found = false;

	for (int i = 0; i < SYSCALLS_MOST; i++)
		if (names->names[i] && !fnmatch(glob, names->names[i], 0))
			s->calls[i] = found = true;
	return found;
}

static bool add_group(struct selection *s, const char *name, const struct syscall_names *names)
{
	char *copy, *rest = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (strcmp(name, groups[i].name) != 0)
			continue;
		copy = arena_strdup(&s->arena, groups[i].globs);
		for (char *glob = strtok_r(copy, " ", &rest); glob; glob = strtok_r(NULL, " ", &rest))
			add_glob(s, glob, names);
		return true;
	}
	return false;
}

/*
 * Add the calls whose names match a regular expression in part. Return false if it is not valid, or
 * nothing matches.
 */
static bool add_matching(struct selection *s, const char *pattern, const struct syscall_names *names)
{
	bool found = false;
	regex_t regex;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return false;
	for (int i = 0; i < SYSCALLS_MOST; i++)
		if (names->names[i] && !regexec(&regex, names->names[i], 0, NULL, 0))
			s->calls[i] = found = true;
	regfree(&regex);
	return found;
}

/* Accept strace's words for groups (%file) and regular expressions (/^open). */
static bool add_call(struct selection *s, const char *word, const struct syscall_names *names)
{
	int number = syscall_number(names, trace_call_alias(names, word));

	if (number >= 0)
		return s->calls[number] = true;
	if (word[0] == '%')
		return add_group(s, word + 1, names);
	if (word[0] == '/')
		return add_matching(s, word + 1, names);
	if (strpbrk(word, "*?[") && !strchr(word, ':') && add_glob(s, word, names))
		return true;
	return add_group(s, word, names);
}

/* Find the end of a word. Commas inside of {} and // belong to an event; a leading / begins a regular expression. */
static size_t word_length(const char *at)
{
	int depth = 0;
	bool terms = false;
	size_t len;

	if (*at == '/')
		return strcspn(at, ",");
	for (len = 0; at[len] && (at[len] != ',' || depth || terms); len++) {
		depth += (at[len] == '{') - (at[len] == '}');
		terms ^= at[len] == '/';
	}
	return len;
}

static int bad_word(const char *word, struct err *e)
{
	if (word[0] != '!')
		return 0;
	err_set(e, "'!' before '%s': it negates a whole list, so put it before the first word", word + 1);
	err_try(e, "-e '!mmap,close'");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Treat a word that is not a call as an event; the kernel or the event parser checks it. */
static int add_event(struct selection *s, const char *word, struct err *e)
{
	struct event_list list = { 0 };
	int rc = event_list_parse(&list, word, e);

	for (size_t i = 0; rc == 0 && i < list.events.len; i++) {
		const struct event *event = &list.events.items[i];
		const char *name = event->system ? arena_printf(&s->arena, "%s:%s", event->system, event->tp_name)
						 : arena_strdup(&s->arena, event->name);

		if (event->term_nr > 0)
			vec_push(&s->limits, (struct trace_limit){ name, (uint64_t)event->term_nr });
	}
	event_list_release(&list);
	if (rc < 0)
		return -1;
	vec_push(&s->events, word);
	return 0;
}

static int add_list(struct selection *s, const char *list, const struct syscall_names *names, struct err *e)
{
	const char *words = list + (strncmp(list, "trace=", 6) ? 0 : 6);
	bool not = *words == '!', any = false;
	struct selection own = { 0 };
	int rc = 0;

	for (const char *at = words + not ; rc == 0 && *at;) {
		size_t len = word_length(at);
		char *word = arena_strndup(&s->arena, at, len);

		at += len + (at[len] == ',');
		if (bad_word(word, e) < 0)
			rc = -1;
		else if (add_call(&own, word, names))
			any = true;
		else
			rc = add_event(s, word, e);
	}
	for (int i = 0; any && i < SYSCALLS_MOST; i++)
		s->calls[i] |= not ? names->names[i] && !own.calls[i] : own.calls[i];
	s->any |= any;
	arena_release(&own.arena);
	return rc;
}

/* Return the event that a filter is for: the last word, before other filters; NULL: there is none. */
static const char *filtered_event(const struct selection *s)
{
	size_t n = s->events.len;
	const char *comma;

	while (n >= 2 && s->events.items[n - 2] == record_is_filter)
		n -= 2;
	if (!n)
		return NULL;
	comma = strrchr(s->events.items[n - 1], ',');
	return comma ? comma + 1 : s->events.items[n - 1];
}

static int add_filter(struct selection *s, const char *filter, const struct syscall_names *names, struct err *e)
{
	const char *event = filtered_event(s);
	autofree char *numbers = NULL;

	if (!event) {
		err_set(e, "--filter option should follow a -e tracepoint or HW tracer option");
		err_try(e, "-e sched:sched_switch --filter 'prev_pid > 0'");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	numbers = trace_filter_numbers(names, event, filter, e);
	if (!numbers)
		return -1;
	vec_push(&s->events, record_is_filter);
	vec_push(&s->events, arena_strdup(&s->arena, numbers));
	return 0;
}

int selection_make(struct selection *s, const struct opt_list *words, const struct syscall_names *names, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < words->len; i++)
		rc = words->items[i] == selection_is_filter && i + 1 < words->len
			     ? add_filter(s, words->items[++i], names, e)
			     : add_list(s, words->items[i], names, e);
	return rc;
}

const char *selection_kernel_filter(struct selection *s, const struct syscall_names *names)
{
	struct out text;
	const char *filter;
	size_t chosen = 0, known = 0;
	bool not ;

	if (!s->any)
		return NULL;
	for (int i = 0; i < SYSCALLS_MOST; i++) {
		known += names->names[i] != NULL;
		chosen += s->calls[i];
	}
	not = chosen * 2 > known;
	out_init_mem(&text);
	for (int i = 0; i < SYSCALLS_MOST; i++)
		if (not ? names->names[i] && !s->calls[i] : s->calls[i])
			out_fmt(&text, not ? "%sid != %d" : "%sid == %d", text.len ? (not ? " && " : " || ") : "", i);
	filter = text.len ? arena_strdup(&s->arena, out_text(&text)) : NULL;
	out_release(&text);
	return filter;
}

void selection_release(struct selection *s)
{
	vec_free(&s->events);
	vec_free(&s->limits);
	arena_release(&s->arena);
}
