#include "probe/tracefs.h"

#include <errno.h>
#include <fcntl.h>

#include "base/file.h"
#include "base/units.h"
#include "events/events.h"

enum { MAX_LIST = 16 << 20, MAX_LOG = 1 << 20 };

/* ---- lines ---- */

static int bad_line(struct err *e, const char *line) { return err_set(e, "no probe definition: '%s'", line); }

/* Parse "[0x]HEX(0xREF)" behind the file's name. */
static int parse_user_offset(struct trace_probe *p, const char *s)
{
	char *end;

	errno = 0;
	p->offset = strtoull(s, &end, 0);
	if (end == s || errno)
		return -1;
	if (*end == '(') {
		p->reference = strtoull(end + 1, &end, 0);
		if (*end != ')' || errno)
			return -1;
		end++;
	}
	if (!strcmp(end, "%return")) {
		p->is_return = true;
		end += 7;
	}
	return *end ? -1 : 0;
}

/* Parse "[MODULE:]SYMBOL[+OFFSET|-OFFSET][%return]" or an address. */
static int parse_kernel_place(struct trace_probe *p, char *s)
{
	char *mark = strstr(s, "%return"), *end;

	if (mark && !mark[7]) {
		*mark = 0;
		p->is_return = true;
	}
	if (!*s)
		return -1;
	errno = 0;
	if (s[0] == '0' && s[1] == 'x') {
		p->offset = strtoull(s, &end, 16);
		return *end || errno ? -1 : 0;
	}
	mark = strchr(s, ':');
	if (mark) {
		*mark = 0;
		p->module = s;
		s = mark + 1;
	}
	mark = strrchr(s, '+');
	if (mark) {
		*mark = 0;
		p->offset = strtoull(mark + 1, &end, 0);
		if (end == mark + 1 || *end || errno)
			return -1;
	}
	p->symbol = s;
	return *s ? 0 : -1;
}

static int parse_head(struct trace_probe *p, char *head)
{
	char *colon = strchr(head, ':'), *slash;

	if ((*head != 'p' && *head != 'r') || !colon)
		return -1;
	p->is_return = *head == 'r';
	for (const char *c = head + 1; c < colon; c++)
		if (*c < '0' || *c > '9') /* r may have a number */
			return -1;
	slash = strpbrk(colon + 1, "/.");
	if (!slash)
		return -1;
	*slash = 0;
	p->group = colon + 1;
	p->event = slash + 1;
	return *p->group && *p->event ? 0 : -1;
}

static void parse_arg(struct trace_probe *p, char *word)
{
	char *mark = strchr(word, '='), *quote = strchr(word, '"');

	if (mark && (!quote || mark < quote)) {
		*mark = 0;
		vec_push(&p->args, (struct trace_arg){ .name = word, .fetch = mark + 1 });
	} else {
		vec_push(&p->args, (struct trace_arg){ .name = "", .fetch = word });
	}
}

/*
 * Return the colon between a file's name and the offset. The name may contain blanks, and ":0x" as well; but only the
 * offset ends with its digits, a '(' or a '%'.
 */
static char *offset_mark(char *place)
{
	char *mark = place;

	while ((mark = strstr(mark, ":0x"))) {
		size_t digits = strspn(mark + 3, "0123456789abcdefABCDEF");

		if (digits && strchr(" \t(%", mark[3 + digits]))
			return mark;
		mark += 3;
	}
	return NULL;
}

int trace_probe_parse(struct trace_probe *p, const char *line, bool user, struct arena *arena, struct err *e)
{
	char *s = arena_strdup(arena, line), *save = NULL, *word = strtok_r(s, " \t\n", &save), *place, *colon;
	int rc;

	*p = (struct trace_probe){ 0 };
	if (!word || parse_head(p, word) < 0)
		return bad_line(e, line);
	place = strtok_r(NULL, user ? "\n" : " \t\n", &save);
	if (!place)
		return bad_line(e, line);
	if (user) {
		colon = offset_mark(place);
		if (!colon)
			return bad_line(e, line);
		p->path = place;
		*colon = 0;
		save = NULL;
		rc = parse_user_offset(p, (word = strtok_r(colon + 1, " \t\n", &save)) ? word : "");
	} else {
		rc = parse_kernel_place(p, place);
	}
	if (rc < 0)
		return bad_line(e, line);
	while ((word = strtok_r(NULL, " \t\n", &save)))
		parse_arg(p, word);
	return 0;
}

void trace_probe_release(struct trace_probe *p) { vec_free(&p->args); }

char *trace_probe_format(const struct trace_probe *p)
{
	char *place, *text, *more;

	if (p->path && p->reference)
		place = xasprintf("%s:0x%llx(0x%llx)", p->path, (unsigned long long)p->offset,
				  (unsigned long long)p->reference);
	else if (p->path)
		place = xasprintf("%s:0x%llx", p->path, (unsigned long long)p->offset);
	else if (p->symbol)
		place = xasprintf("%s%s%s+%llu", p->module ? p->module : "", p->module ? ":" : "", p->symbol,
				  (unsigned long long)p->offset);
	else
		place = xasprintf("0x%llx", (unsigned long long)p->offset);
	text = xasprintf("%c:%s/%s %s", p->is_return ? 'r' : 'p', p->group, p->event, place);
	free(place);
	for (size_t i = 0; i < p->args.len; i++) {
		const struct trace_arg *a = &p->args.items[i];

		more = xasprintf("%s %s%s%s", text, a->name, *a->name ? "=" : "", a->fetch);
		free(text);
		text = more;
	}
	return text;
}

/* ---- lists ---- */

static char *list_path(bool user, struct err *e)
{
	const char *tracefs = tracefs_path(e);

	return tracefs ? xasprintf("%s/%s_events", tracefs, user ? "uprobe" : "kprobe") : NULL;
}

/* Return 1 if this kernel has such probes, else 0. */
static int read_list(struct trace_probes *l, bool user, struct err *e)
{
	autofree char *path = list_path(user, e), *text = NULL;
	char *save = NULL;
	struct err why = { 0 };

	if (!path)
		return -1;
	text = file_read(path, MAX_LIST, NULL, &why);
	if (!text)
		return why.sys == ENOENT ? 0 : advice_probes(path, why.sys ? why.sys : EIO, e);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct trace_probe p;

		if (trace_probe_parse(&p, line, user, &l->arena, NULL) == 0)
			vec_push(&l->v, p);
		else /* a kind that we do not know: skip it */
			trace_probe_release(&p);
	}
	return 1;
}

int trace_probes_read(struct trace_probes *l, struct err *e)
{
	int kernel = read_list(l, false, e), user = kernel < 0 ? -1 : read_list(l, true, e);

	if (kernel < 0 || user < 0)
		return -1;
	if (!kernel && !user) {
		autofree char *path = list_path(true, e);

		return path ? advice_probes(path, ENOENT, e) : -1;
	}
	return 0;
}

void trace_probes_release(struct trace_probes *l)
{
	for (size_t i = 0; i < l->v.len; i++)
		trace_probe_release(&l->v.items[i]);
	vec_free(&l->v);
	arena_release(&l->arena);
}

const struct trace_probe *trace_probes_find(const struct trace_probes *l, const char *group, const char *event)
{
	for (size_t i = 0; i < l->v.len; i++)
		if (!strcmp(l->v.items[i].group, group) && !strcmp(l->v.items[i].event, event))
			return &l->v.items[i];
	return NULL;
}

/* ---- writing ---- */

/*
 * Copy the kernel's last message about this command in error_log into `why`, with the command and
 * caret on lines of their own:
 *	[ 1378.7] trace_uprobe: error: Invalid register name
 *	  Command: p:g/e /bin/x:0x10 %foo
 *	                             ^
 */
static void take_error_log(const char *command, struct err *e)
{
	static const char intro[] = "  Command: ";
	const char *tracefs = tracefs_path(NULL), *reason = NULL, *caret = NULL;
	autofree char *path = tracefs ? xasprintf("%s/error_log", tracefs) : NULL,
		      *text = path ? file_read(path, MAX_LOG, NULL, NULL) : NULL;
	char *save = NULL, *last = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, intro, sizeof(intro) - 1) && !strcmp(line + sizeof(intro) - 1, command)) {
			char *next = strtok_r(NULL, "\n", &save), *colon = last ? strstr(last, "error: ") : NULL;

			reason = colon ? colon + 7 : NULL;
			caret = next;
			line = next;
			if (!line)
				break;
		}
		last = line;
	}
	if (!reason)
		return;
	/* the caret's column counts from behind "  Command: " */
	if (caret && strspn(caret, " ") >= sizeof(intro) - 1 && strlen(command) < 200)
		err_why(e, "%s\n  %s\n  %s", reason, command, caret + sizeof(intro) - 1);
	else
		err_why(e, "%s", reason);
}

/* Write a command. On failure, e->sys is the kernel's answer, and exit_code is perf's. */
static int write_line(const char *line, bool user, struct err *e)
{
	autofree char *path = list_path(user, e), *with_newline = xasprintf("%s\n", line);
	autoclose int fd = -1;
	struct err unasked = { 0 };

	e = e ? e : &unasked;
	if (!path)
		return -1;
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0) {
		int sys = errno;

		advice_probes(path, sys, e);
		e->sys = sys;
		return err_exit(e, 256 - MIN(sys, 255));
	}
	if (write_all(fd, with_newline, strlen(with_newline)) < 0) {
		err_sys(e, "Failed to write event: %s", strerror(errno));
		e->why[0] = 0;
		return err_exit(e, 256 - MIN(e->sys, 255));
	}
	return 0;
}

int trace_probe_add(const struct trace_probe *p, struct err *e)
{
	autofree char *line = trace_probe_format(p);

	if (write_line(line, p->path != NULL, e) == 0)
		return 0;
	if (e && !e->why[0])
		take_error_log(line, e);
	if (e && !p->path && strstr(e->why, "Failed to register probe event"))
		err_try(e, "another function: a probe cannot be in a function of tracing itself (notrace), or "
			   "inside an instruction");
	return -1;
}

int trace_probe_remove(const char *group, const char *event, bool user, struct err *e)
{
	autofree char *line = xasprintf("-:%s/%s", group, event);

	if (write_line(line, user, e) == 0)
		return 0;
	if (e && (e->sys == EBUSY || e->sys == ENOENT)) {
		int sys = e->sys;

		err_set(e, "Failed to delete event '%s:%s': %s", group, event, strerror(sys));
		err_why(e, "%s", sys == EBUSY ? "something still records it" : "it is gone already");
		if (sys == EBUSY)
			err_try(e, "end the recording (or 'echo 0' into its enable file), then delete again");
		e->sys = sys;
	}
	return -1;
}

/* ---- abilities ---- */

void trace_abilities_parse(struct trace_abilities *a, const char *readme)
{
	*a = (struct trace_abilities){
		.ustring = strstr(readme, "ustring"),
		.hex = strstr(readme, "x8/16/32/64"),
		.immediate = strstr(readme, "\\imm-value"),
		.symstr = strstr(readme, "symstr"),
		.user_memory = strstr(readme, "+|-[u]"),
		.btf = strstr(readme, "<argname>"),
		.reference = strstr(readme, "ref_ctr_offset"),
	};
}

const struct trace_abilities *trace_abilities(void)
{
	static struct trace_abilities known;
	static bool read; /* a fact of the running system */

	if (!read) {
		const char *tracefs = tracefs_path(NULL);
		autofree char *path = tracefs ? xasprintf("%s/README", tracefs) : NULL,
			      *text = path ? file_read(path, 1 << 20, NULL, NULL) : NULL;

		read = true;
		if (text)
			trace_abilities_parse(&known, text);
		else /* as today's kernels: definitions can also be printed for another kernel */
			known = (struct trace_abilities){
				.ustring = true, .hex = true, .user_memory = true, .immediate = true
			};
	}
	return &known;
}
