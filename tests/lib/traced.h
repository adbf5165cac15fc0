#ifndef TESTS_LIB_TRACED_H
#define TESTS_LIB_TRACED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "report/live/live.h"
#include "tests/lib/build.h"

/*
 * Build recordings of tracepoints whose fields a test names:
 *
 *	enum { WAKEUP };
 *	static const struct traced_event events[] = { [WAKEUP] = { "sched:sched_wakeup", { "pid", "comm" } } };
 *	struct traced t = traced_start(events, ARRAY_SIZE(events));
 *	traced_add(&t, WAKEUP, "pid=9 comm=cat", .time = 1000, .cpu = 1, .tid = 7);
 *	struct live *l = traced_open(&t);
 *	...
 *	live_close(l);
 *	traced_release(&t);
 *
 * A field "comm" or "..._comm" is a text of 16 bytes, any other a number of 8. Fields that a sample does not name are 0
 * or empty.
 */
enum { TRACED_FIELDS = 9, TRACED_COMMON = 8, TRACED_COMM = 16 };
struct traced_event {
	const char *name; /* "group:name" */
	const char *fields[TRACED_FIELDS];
};
struct traced {
	struct build b;
	const struct traced_event *events;
	size_t n;
};

static inline bool traced_is_text(const char *field)
{
	size_t len = strlen(field);

	return len >= 4 && !strcmp(field + len - 4, "comm");
}

static inline size_t traced_size(const char *field) { return traced_is_text(field) ? TRACED_COMM : 8; }

/* Write the format of an event. Source: the `format` files in tracefs. */
static inline void traced_format(const struct traced_event *event, size_t id, struct out *o)
{
	size_t offset = TRACED_COMMON;

	out_fmt(o, "name: %s\nID: %zu\nformat:\n", strchr(event->name, ':') + 1, id);
	out_str(o, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	for (size_t i = 0; i < TRACED_FIELDS && event->fields[i]; i++) {
		const char *name = event->fields[i];

		if (traced_is_text(name))
			out_fmt(o, "\tfield:char %s[%d];\toffset:%zu;\tsize:%d;\tsigned:0;\n", name, TRACED_COMM,
				offset, TRACED_COMM);
		else
			out_fmt(o, "\tfield:long %s;\toffset:%zu;\tsize:8;\tsigned:1;\n", name, offset);
		offset += traced_size(name);
	}
	out_str(o, "\nprint fmt: \"\"\n");
}

static inline void traced_number(struct out *o, uint64_t v, size_t size) { out_mem(o, (const char *)&v, size); }

/*
 * Write the tracing data; each event is in a system of its own. Source of the layout:
 * strobe.data(5), "TRACING_DATA".
 */
static inline void traced_data(struct traced *t)
{
	struct out o, text;

	out_init_mem(&o);
	out_init_mem(&text);
	out_mem(&o, "\x17\x08\x44tracing0.5\0\0\x8", 16);
	traced_number(&o, 4096, 4);
	out_mem(&o, "header_page\0\0\0\0\0\0\0\0\0header_event\0\0\0\0\0\0\0\0\0", 41);
	traced_number(&o, 0, 4);
	traced_number(&o, t->n, 4);
	for (size_t i = 0; i < t->n; i++) {
		text.len = 0;
		traced_format(&t->events[i], 100 + i, &text);
		out_mem(&o, t->events[i].name, strcspn(t->events[i].name, ":"));
		out_char(&o, '\0');
		traced_number(&o, 1, 4);
		traced_number(&o, text.len, 8);
		out_mem(&o, text.buf, text.len);
	}
	traced_number(&o, 0, 8); /* no addresses, no formats of printk */
	build_feature(&t->b, FEATURE_TRACING_DATA, o.buf, o.len);
	out_release(&o);
	out_release(&text);
}

static inline struct traced traced_start(const struct traced_event *events, size_t n)
{
	const uint64_t type = SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_RAW;
	struct traced t = { build_start(type), events, n };

	build_attr(&t.b, 0)->type = ATTR_TYPE_TRACEPOINT;
	for (size_t i = 0; i < n; i++) {
		size_t at = i ? build_event(&t.b, type, events[i].name) : 0;

		build_attr(&t.b, at)->config = 100 + i;
	}
	t.b.events.items[0].name = events[0].name;
	traced_data(&t);
	return t;
}

static inline void traced_release(struct traced *t) { build_release(&t->b); }

/* Put "name=value" into the payload. */
static inline void traced_put(const struct traced_event *event, uint8_t *raw, const char *word)
{
	size_t len = strcspn(word, "="), offset = TRACED_COMMON;
	int64_t number = strtoll(word + len + 1, NULL, 0);

	if (!strncmp(word, "common_flags=", len + 1)) {
		raw[2] = (uint8_t)number;
		return;
	}
	if (!strncmp(word, "common_preempt_count=", len + 1)) {
		raw[3] = (uint8_t)number;
		return;
	}
	for (size_t i = 0; i < TRACED_FIELDS && event->fields[i]; offset += traced_size(event->fields[i++])) {
		if (strncmp(event->fields[i], word, len) || event->fields[i][len])
			continue;
		if (traced_is_text(event->fields[i]))
			strncpy((char *)raw + offset, word + len + 1, TRACED_COMM);
		else
			memcpy(raw + offset, &number, 8);
		return;
	}
	fail_msg("%s has no field '%s'", event->name, word);
}

static inline void traced_add_(struct traced *t, size_t event, const char *values, struct build_sample s)
{
	uint8_t raw[TRACED_COMMON + TRACED_FIELDS * TRACED_COMM] = { 0 };
	autofree char *copy = xstrdup(values);
	char *rest = NULL;

	s.event = event;
	s.raw = raw;
	s.raw_size = TRACED_COMMON;
	for (size_t i = 0; i < TRACED_FIELDS && t->events[event].fields[i]; i++)
		s.raw_size += (uint32_t)traced_size(t->events[event].fields[i]);
	memcpy(raw + 4, &s.tid, 4);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		traced_put(&t->events[event], raw, word);
	build_sample_(&t->b, &s);
}
#define traced_add(t, event, values, ...) traced_add_((t), (event), (values), (struct build_sample){ __VA_ARGS__ })

static inline struct live *traced_open(struct traced *t)
{
	autofree char *path = build_file(&t->b);
	struct err e = { 0 };
	struct live *l = live_open_file(path, &(struct live_opts){ .session.force = true }, &e);

	unlink(path);
	if (!l)
		fail_msg("%s", e.what);
	return l;
}

#endif
