/*
 * Read the text of perf script: a head line, "comm 12/13 [001] 4.567890: 1000 cycles:u:", then a line per frame,
 * "ffff1234 name+0x10 (object)", innermost first, then an empty line. Without call chains, the frame is on the head
 * line.
 */
#include "report/import/import_priv.h"

#include <limits.h>

struct script_text {
	const char *p, *end;
};

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

static void skip_blanks(struct script_text *t)
{
	while (t->p < t->end && is_blank(*t->p))
		t->p++;
}

/* Take the next word: the text up to the next blank. */
static struct script_text word(struct script_text *t)
{
	struct script_text w;

	skip_blanks(t);
	w.p = t->p;
	while (t->p < t->end && !is_blank(*t->p))
		t->p++;
	w.end = t->p;
	return w;
}

/* Read a word that consists of decimal digits only. */
static bool whole_number(struct script_text w, uint64_t *v)
{
	*v = 0;
	if (w.p == w.end)
		return false;
	for (; w.p < w.end; w.p++)
		if (!is_digit(*w.p) || __builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*w.p - '0'), v))
			return false;
	return true;
}

/* Read "12" or "12/13". */
static bool read_ids(struct script_text w, int32_t *pid, int32_t *tid)
{
	const char *slash = memchr(w.p, '/', (size_t)(w.end - w.p));
	uint64_t a, b;

	if (!whole_number((struct script_text){ w.p, slash ? slash : w.end }, &a) || a > INT32_MAX)
		return false;
	b = a;
	if (slash && (!whole_number((struct script_text){ slash + 1, w.end }, &b) || b > INT32_MAX))
		return false;
	*pid = (int32_t)a;
	*tid = (int32_t)b;
	return true;
}

/* Read "[001]". */
static bool read_cpu(struct script_text w, uint32_t *cpu)
{
	uint64_t v;

	if (w.end - w.p < 3 || *w.p != '[' || w.end[-1] != ']' ||
	    !whole_number((struct script_text){ w.p + 1, w.end - 1 }, &v) || v >= UINT32_MAX)
		return false;
	*cpu = (uint32_t)v;
	return true;
}

/* Read seconds, "4.567890:", with one to nine digits after the point. */
static bool read_time(struct script_text w, uint64_t *ns)
{
	const char *dot = memchr(w.p, '.', (size_t)(w.end - w.p));
	uint64_t s, part;
	long digits = dot ? w.end - 1 - (dot + 1) : 0;

	if (!dot || w.end[-1] != ':' || digits < 1 || digits > 9 ||
	    !whole_number((struct script_text){ w.p, dot }, &s) ||
	    !whole_number((struct script_text){ dot + 1, w.end - 1 }, &part) || s > UINT32_MAX)
		return false;
	for (; digits < 9; digits++)
		part *= 10;
	*ns = s * 1000000000 + part;
	return true;
}

/* Read the text after the ids: "[001] 4.5: 1000 cycles:". Only the name is required. */
static bool read_rest(struct import *im, struct script_text *t, struct import_sample *s)
{
	struct script_text w = word(t);
	size_t len;

	if (read_cpu(w, &s->cpu))
		w = word(t);
	if (w.p < w.end && read_time(w, &s->time_ns))
		w = word(t);
	if (whole_number(w, &s->weight))
		w = word(t);
	else
		s->weight = 1; /* without a period each sample counts once */
	len = (size_t)(w.end - w.p);
	if (len < 2 || w.end[-1] != ':')
		return false;
	s->event = import_event(im, w.p, len - 1,
				len > 9 && (!memcmp(w.p, "cpu-clock", 9) || !memcmp(w.p, "task-cloc", 9)));
	return true;
}

/* Read a head line. A thread's name may have blanks and digits, so it ends where ids and a valid rest follow. */
static bool read_head(struct import *im, struct script_text line, struct import_sample *s, struct script_text *rest)
{
	struct script_text at = line;

	for (word(&at); at.p < at.end;) {
		const char *comm_end = at.p;
		struct script_text ids = word(&at), after = at;
		int32_t pid, tid;

		if (ids.p == ids.end || !read_ids(ids, &pid, &tid) || !read_rest(im, &after, s))
			continue;
		while (comm_end > line.p && is_blank(comm_end[-1]))
			comm_end--;
		s->task = import_task(im, strtab_intern_len(&im->texts, line.p, (size_t)(comm_end - line.p)), pid, tid);
		*rest = after;
		return true;
	}
	return false;
}

static uint32_t unnamed(struct import *im, struct script_text object)
{
	const char *slash = memrchr(object.p, '/', (size_t)(object.end - object.p));
	autofree char *name = NULL;

	if (slash)
		object.p = slash + 1;
	if (object.end - object.p == 9 && !memcmp(object.p, "[unknown]", 9))
		return strtab_intern_len(&im->texts, object.p, (size_t)(object.end - object.p));
	name = xasprintf("[%.*s]", (int)MIN(object.end - object.p, (long)INT_MAX), object.p);
	return strtab_intern(&im->texts, name);
}

/* Read a frame: "ffff1234 name+0x10 (object)" or "... name (inlined)". */
static bool read_frame(struct import *im, struct script_text t)
{
	struct script_text address = word(&t), object = { 0 };
	const char *plus;

	for (const char *p = address.p; p < address.end; p++)
		if (!is_hex(*p))
			return false;
	skip_blanks(&t);
	if (address.p == address.end || t.p == t.end)
		return false;
	if (t.end[-1] == ')') {
		const char *open = memrchr(t.p, '(', (size_t)(t.end - t.p));

		/* The object may have parentheses of its own: "(/tmp/x (deleted))". */
		if (open && open - t.p > 1 && t.end - open == 10 && !memcmp(open, "(deleted))", 10))
			open = memrchr(t.p, '(', (size_t)(open - t.p));
		if (open && open > t.p && is_blank(open[-1])) {
			object = (struct script_text){ open + 1, t.end - 1 };
			for (t.end = open; t.end > t.p && is_blank(t.end[-1]);)
				t.end--;
		}
	}
	plus = memrchr(t.p, '+', (size_t)(t.end - t.p));
	if (plus && t.end - plus > 3 && plus[1] == '0' && plus[2] == 'x') {
		const char *p = plus + 3;

		while (p < t.end && is_hex(*p))
			p++;
		if (p == t.end)
			t.end = plus;
	}
	if (t.end - t.p == 9 && !memcmp(t.p, "[unknown]", 9) && object.p)
		vec_push(&im->frames, unnamed(im, object));
	else
		vec_push(&im->frames, strtab_intern_len(&im->texts, t.p, (size_t)(t.end - t.p)));
	return true;
}

static void end_sample(struct import *im, struct import_sample *s, bool *open)
{
	if (*open) {
		s->n = (uint32_t)MIN(im->frames.len - s->at, (size_t)UINT32_MAX);
		vec_push(&im->samples, *s);
	}
	*open = false;
}

static int bad_head(struct err *e, uint64_t number)
{
	err_set(e, "line %llu is neither the head of a sample nor a frame", (unsigned long long)number);
	return err_try(
		e, "the text of 'perf script' or 'strobe script' with comm, pid or tid, and event among its fields");
}

int import_script(struct import *im, const uint8_t *data, size_t len, struct err *e)
{
	struct script_text all = { (const char *)data, (const char *)data + len }, rest = { 0 };
	struct import_sample s = { 0 };
	bool open = false;

	for (uint64_t number = 1; all.p < all.end; number++) {
		const char *next = memchr(all.p, '\n', (size_t)(all.end - all.p));
		struct script_text line = { all.p, next ? next : all.end };

		all.p = next ? next + 1 : all.end;
		while (line.end > line.p && (is_blank(line.end[-1]) || line.end[-1] == '\r'))
			line.end--;
		if (line.p == line.end) {
			end_sample(im, &s, &open);
		} else if (*line.p == '#') {
			continue;
		} else if (is_blank(*line.p) && open && read_frame(im, line)) {
			continue;
		} else {
			end_sample(im, &s, &open);
			s = (struct import_sample){ .time_ns = UINT64_MAX, .cpu = UINT32_MAX, .at = im->frames.len };
			skip_blanks(&line);
			if (!read_head(im, line, &s, &rest))
				return bad_head(e, number);
			open = true;
			if (read_frame(im, rest)) /* no call chain: the frame is here */
				end_sample(im, &s, &open);
		}
	}
	end_sample(im, &s, &open);
	return 0;
}
