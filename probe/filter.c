/*
 * Filter names by rules: globs joined with !, &, | and brackets. Source: perf-probe(1), "FILTER
 * PATTERN".
 */
#include <ctype.h>
#include <fnmatch.h>

#include "probe/probe.h"

enum { MAX_NODES = 4096, MAX_DEPTH = 100 };

/*
 * op: '!', '&', '|', or a glob: 'g' for any glob; and without fnmatch '=' for a whole name, '<' for
 * its start, '>' for its end
 */
struct filter_node {
	char op;
	uint32_t left, right;
	const char *glob;
	size_t len;
};
struct name_filter {
	VEC(struct filter_node) nodes;
	uint32_t top;
	struct arena arena;
};
struct filter_parser {
	struct name_filter *f;
	const char *at;
	unsigned depth;
	const char *problem;
};

static uint32_t add(struct filter_parser *p, struct filter_node n)
{
	if (p->f->nodes.len == MAX_NODES)
		p->problem = "it is too long";
	else
		vec_push(&p->f->nodes, n);
	return (uint32_t)p->f->nodes.len;
}

static struct filter_node glob_node(const char *glob)
{
	static const char special[] = "*?[\\";
	size_t len = strcspn(glob, special);

	if (!glob[len])
		return (struct filter_node){ .op = '=', .glob = glob };
	if (glob[len] == '*' && !glob[len + 1])
		return (struct filter_node){ .op = '<', .glob = glob, .len = len };
	if (*glob == '*' && !glob[1 + strcspn(glob + 1, special)])
		return (struct filter_node){ .op = '>', .glob = glob + 1, .len = strlen(glob + 1) };
	return (struct filter_node){ .op = 'g', .glob = glob };
}

static void skip(struct filter_parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static uint32_t parse_or(struct filter_parser *p);

static uint32_t parse_one(struct filter_parser *p)
{
	const char *start;
	uint32_t n = 0;

	skip(p);
	if (p->problem || ++p->depth > MAX_DEPTH) {
		p->problem = p->problem ? p->problem : "it nests too deep";
	} else if (*p->at == '!') {
		p->at++;
		n = parse_one(p);
		n = add(p, (struct filter_node){ .op = '!', .left = n });
	} else if (*p->at == '(') {
		p->at++;
		n = parse_or(p);
		skip(p);
		if (*p->at == ')')
			p->at++;
		else if (!p->problem)
			p->problem = "a ')' is missing";
	} else {
		for (start = p->at; *p->at && !strchr("!&|()", *p->at) && !isspace((unsigned char)*p->at); p->at++)
			if (*p->at == '\\' && p->at[1])
				p->at++;
		if (p->at == start)
			p->problem = "a name or glob is missing";
		else
			n = add(p, glob_node(arena_strndup(&p->f->arena, start, (size_t)(p->at - start))));
	}
	p->depth--;
	return n;
}

static uint32_t parse_and(struct filter_parser *p)
{
	uint32_t n = parse_one(p);

	for (skip(p); *p->at == '&' && !p->problem; skip(p)) {
		uint32_t right;

		p->at++;
		right = parse_one(p);
		n = add(p, (struct filter_node){ .op = '&', .left = n, .right = right });
	}
	return n;
}

static uint32_t parse_or(struct filter_parser *p)
{
	uint32_t n = parse_and(p);

	for (skip(p); *p->at == '|' && !p->problem; skip(p)) {
		uint32_t right;

		p->at++;
		right = parse_and(p);
		n = add(p, (struct filter_node){ .op = '|', .left = n, .right = right });
	}
	return n;
}

struct name_filter *name_filter_parse(const char *text, struct err *e)
{
	struct name_filter *f = xcalloc(1, sizeof(*f));
	struct filter_parser p = { .f = f, .at = text };

	f->top = parse_or(&p);
	if (!p.problem && *p.at)
		p.problem = "'&' or '|' is missing";
	if (!p.problem)
		return f;
	err_set(e, "Failed to parse the filter '%s'", text);
	err_why(e, "at character %d %s", (int)(p.at - text) + 1, p.problem);
	err_try(e, "globs with ! & | ( ), e.g. \"tcp_* & !*_sk\"");
	err_exit(e, EXIT_INVALID);
	name_filter_free(f);
	return NULL;
}

static bool ends_with(const char *name, const struct filter_node *x)
{
	size_t len = strlen(name);

	return len >= x->len && !memcmp(name + len - x->len, x->glob, x->len);
}

static bool match(const struct name_filter *f, uint32_t n, const char *name, unsigned depth)
{
	const struct filter_node *x = n && depth < 2 * MAX_NODES ? &f->nodes.items[n - 1] : NULL;

	if (!x)
		return false;
	switch (x->op) {
	case '=': return !strcmp(x->glob, name);
	case '<': return !strncmp(x->glob, name, x->len);
	case '>': return ends_with(name, x);
	case 'g': return fnmatch(x->glob, name, 0) == 0;
	case '!': return !match(f, x->left, name, depth + 1);
	case '&': return match(f, x->left, name, depth + 1) && match(f, x->right, name, depth + 1);
	default: return match(f, x->left, name, depth + 1) || match(f, x->right, name, depth + 1);
	}
}

bool name_filter_match(const struct name_filter *f, const char *name) { return !f || match(f, f->top, name, 0); }

void name_filter_free(struct name_filter *f)
{
	if (!f)
		return;
	vec_free(&f->nodes);
	arena_release(&f->arena);
	free(f);
}
