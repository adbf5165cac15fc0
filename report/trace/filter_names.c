/* Replace names in event filters: "flags == CLOEXEC" gets the number that the kernel needs. */
#include <ctype.h>
#include <fnmatch.h>

#include "report/trace/trace_priv.h"

/* Fields other than arguments of system calls. To add one, write events, field, and its names. */
static const struct {
	const char *events, *field;
	const struct values *values;
} named_fields[] = {
	{ "signal:*", "sig", &values_signal },
};

struct filter_naming {
	const struct syscall_names *calls;
	const char *event;
};

static const struct values *values_of(const struct filter_naming *n, const char *field)
{
	static const char enter[] = "syscalls:sys_enter_";
	size_t len = sizeof(enter) - 1;

	for (size_t i = 0; i < ARRAY_SIZE(named_fields); i++)
		if (!strcmp(named_fields[i].field, field) && !fnmatch(named_fields[i].events, n->event, 0))
			return named_fields[i].values;
	return strncmp(n->event, enter, len)
		       ? NULL
		       : argument_kind_of(trace_call_alias(n->calls, n->event + len), field, "int")->values;
}

static size_t word_length(const char *at)
{
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	return len;
}

static bool is_call_number(const char *event, const char *field)
{
	return !strcmp(field, "id") &&
	       (!strcmp(event, "raw_syscalls:sys_enter") || !strcmp(event, "raw_syscalls:sys_exit"));
}

static bool number_of_name(const struct filter_naming *n, const char *field, const char *name, uint64_t *number)
{
	int call = is_call_number(n->event, field) ? syscall_number(n->calls, trace_call_alias(n->calls, name)) : -1;

	*number = (uint64_t)call;
	return call >= 0 || (values_of(n, field) && values_number(values_of(n, field), name, number));
}

/* Convert the right side of a comparison: names joined by | become a number; everything else stays. */
static int put_value(const struct filter_naming *n, const char *field, const char **at, struct out *o, struct err *e)
{
	uint64_t sum = 0, number;

	if ((!isalpha((unsigned char)**at) && **at != '_') ||
	    (!values_of(n, field) && !is_call_number(n->event, field)))
		return 0; /* the kernel interprets it */
	for (;;) {
		size_t len = word_length(*at);
		autofree char *name = xstrndup(*at, len);

		if (!number_of_name(n, field, name, &number)) {
			err_set(e, "--filter: the field %s of %s has no value '%s'", field, n->event, name);
			err_try(e, "a number");
			return err_exit(e, EXIT_BAD_USAGE);
		}
		sum |= number;
		*at += len;
		if (**at != '|' || (*at)[1] == '|')
			break;
		++*at;
	}
	out_fmt(o, "0x%llx", (unsigned long long)sum);
	return 0;
}

static size_t quoted_length(const char *at)
{
	const char *end = strchr(at + 1, *at);

	return end ? (size_t)(end - at) + 1 : strlen(at);
}

static int translate(const struct filter_naming *n, const char *filter, struct out *o, struct err *e)
{
	char field[64] = "";

	for (const char *at = filter; *at;) {
		size_t len = word_length(at);

		if (len) {
			snprintf(field, sizeof(field), "%.*s", (int)MIN(len, sizeof(field) - 1), at);
		} else if (*at == '"' || *at == '\'') {
			len = quoted_length(at);
		} else if (strchr("=!<>&", *at) && strncmp(at, "&&", 2) && *field) {
			len = strspn(at, "=!<>&");
			len += strspn(at + len, " ");
			out_mem(o, at, len);
			at += len;
			if (put_value(n, field, &at, o, e) < 0)
				return -1;
			*field = '\0';
			continue;
		} else {
			len = !strncmp(at, "&&", 2) ? 2 : 1;
		}
		out_mem(o, at, len);
		at += len;
	}
	return 0;
}

char *trace_filter_numbers(const struct syscall_names *names, const char *event, const char *filter, struct err *e)
{
	const struct filter_naming n = { names, event };
	struct out o;
	char *text = NULL;

	out_init_mem(&o);
	if (translate(&n, filter, &o, e) == 0)
		text = xstrdup(out_text(&o));
	out_release(&o);
	return text;
}
