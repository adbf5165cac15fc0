/* Run a query on an engine, and turn its rows into stacks. */
#include "report/push/push_priv.h"

#include <ctype.h>
#include <strings.h>

#include "base/file.h"
#include "base/net/http.h"

#include "flamegraph_sql.h"

/* ---- the query ---- */

/* Decode %XX and '+' of URLs in place; keep a '%' without two hex digits. Return -1 with e if there is a NUL. */
static int decode(char *s, struct err *e)
{
	char *to = s;

	for (const char *from = s; *from; from++) {
		if (*from == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2])) {
			const char hex[] = { from[1], from[2], 0 };

			*to++ = (char)strtoul(hex, NULL, 16);
			from += 2;
			if (!to[-1])
				return err_set(e, "a query has no zero bytes");
		} else {
			*to++ = *from == '+' ? ' ' : *from;
		}
	}
	*to = 0;
	return 0;
}

/* Is the text "SELECT ..." or "WITH ..."? The blank may be encoded as in URLs. */
static bool is_sql(const char *text)
{
	size_t word = !strncasecmp(text, "select", 6) ? 6 : !strncasecmp(text, "with", 4) ? 4 : 0;

	return word && strchr(" \t\n+%(", text[word]) && text[word];
}

static void put_string(struct out *o, const char *value)
{
	out_char(o, '\'');
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			out_char(o, '\\');
		out_char(o, *value);
	}
	out_char(o, '\'');
}

/* Set a parameter: "host=web1" turns each "host LIKE '%'" of the query into "host LIKE 'web1'". */
static int set_parameter(char **sql, const char *name, const char *value, struct err *e)
{
	autofree char *any = xasprintf("%s LIKE '%%'", name);
	const char *at, *from = *sql;
	struct out o;

	out_init_mem(&o);
	while ((at = strstr(from, any))) {
		out_mem(&o, from, (size_t)(at - from) + strlen(name) + strlen(" LIKE "));
		put_string(&o, value);
		from = at + strlen(any);
	}
	out_str(&o, from);
	if (from == *sql) {
		out_release(&o);
		err_set(e, "the query has no parameter '%s'", name);
		return err_try(e, "host, service, event or comm; or a query of your own that says %s LIKE '%%'", name);
	}
	free(*sql);
	*sql = xstrdup(out_text(&o));
	out_release(&o);
	return 0;
}

static int set_parameters(char **sql, char *pairs, struct err *e)
{
	char *pair;

	while ((pair = strsep(&pairs, "&"))) {
		char *equals = strchr(pair, '=');

		if (!equals) {
			err_set(e, "'%s' is neither a query nor NAME=VALUE", pair);
			return err_try(e, "clickhouse://HOST/DATABASE?host=web1, or ?SELECT ...");
		}
		*equals = 0;
		if (decode(equals + 1, e) < 0 || set_parameter(sql, pair, equals + 1, e) < 0)
			return -1;
	}
	return 0;
}

char *push_query_text(const char *asked, const char *file, struct err *e)
{
	enum { FILE_MOST = 1 << 20 };
	bool named = !strncmp(asked, "query=", 6);
	char *sql;

	if (!file && (named || is_sql(asked))) {
		sql = xstrdup(named ? asked + 6 : asked);
		if (decode(sql, e) == 0)
			return sql;
	} else {
		autofree char *pairs = xstrdup(asked);

		sql = file ? file_read(file, FILE_MOST, NULL, e) : xstrdup(flamegraph_sql);
		if (sql && (!*pairs || set_parameters(&sql, pairs, e) == 0))
			return sql;
	}
	free(sql);
	return NULL;
}

/* ---- the answer ---- */

/* Add a name of a collapsed line. The mark at its end tells its kind. */
static uint32_t name_of(struct stacks *st, const char *text)
{
	static const struct {
		const char *mark;
		enum stack_kind kind;
	} marks[] = { { "_[k]", STACK_KERNEL }, { "_[j]", STACK_JIT }, { "_[i]", STACK_INLINED } };
	size_t len = strlen(text);

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (len > 4 && !strcmp(text + len - 4, marks[i].mark))
			return stacks_name(st, text, marks[i].kind, "");
	return stacks_name(st, text, STACK_USER, "");
}

/* Decode the escapes of TabSeparated in place. */
static void unescape(char *s)
{
	static const char from[] = "tnrbf0", to[] = "\t\n\r\b\f";
	char *end = s;

	for (; *s; s++) {
		const char *known = *s == '\\' && s[1] ? strchr(from, s[1]) : NULL;

		if (*s == '\\' && s[1])
			s++;
		*end++ = known ? (known - from < 5 ? to[known - from] : '?') : *s;
	}
	*end = 0;
}

static int add_line(struct stacks *st, char *line, struct err *e)
{
	char *tab = strrchr(line, '\t'), *end, *name;
	VEC(uint32_t) names = { 0 };
	unsigned long long weight;
	struct out safe;

	weight = tab ? strtoull(tab + 1, &end, 10) : 0;
	if (!tab || !isdigit((unsigned char)tab[1]) || *end) {
		line[strcspn(line, "\n")] = 0;
		err_set(e, "the answer has a row that is not a stack with a weight: '%.200s'", line);
		return err_try(e, "a query whose rows have two columns: a;b;c and a number");
	}
	*tab = 0;
	unescape(line);
	out_init_mem(&safe);
	while ((name = strsep(&line, ";"))) {
		safe.len = 0;
		out_name(&safe, name);
		vec_push(&names, name_of(st, out_text(&safe)));
	}
	if (weight)
		stacks_put(st, names.items, names.len, weight, 1);
	out_release(&safe);
	vec_free(&names);
	return 0;
}

static int add_lines(struct stacks *st, char *text, struct err *e)
{
	char *line;

	while ((line = strsep(&text, "\n")))
		if (*line && add_line(st, line, e) < 0)
			return -1;
	return 0;
}

int clickhouse_query(const struct push_target *t, const char *sql, struct stacks *st, struct err *e)
{
	enum { ANSWER_MOST = 1 << 30 };
	struct http_answer a = { 0 };
	struct out url;
	int rc;

	out_init_mem(&url);
	out_fmt(&url, "%s/?default_format=TabSeparated", t->base);
	if (*t->path) {
		out_str(&url, "&database=");
		out_query(&url, t->path + 1);
	}
	rc = http_post(&(struct http_request){ .url = out_text(&url),
					       .type = "text/plain",
					       .body = sql,
					       .len = strlen(sql),
					       .most = ANSWER_MOST },
		       &a, e);
	if (rc < 0) {
		err_in(e, "%s", t->shown);
	} else if (a.status != 200) {
		char *text = (char *)out_text(&a.body);

		text[strcspn(text, "\r\n")] = 0;
		rc = err_set(e, "%s answers %ld%s%.300s", t->shown, a.status, *text ? ": " : "", text);
	} else if (a.body.len >= ANSWER_MOST) {
		rc = err_set(e, "%s answers more than 1 GB", t->shown);
	} else if (memchr(out_text(&a.body), 0, a.body.len)) {
		rc = err_set(e, "the answer of %s has zero bytes", t->shown);
	} else {
		rc = add_lines(st, (char *)out_text(&a.body), e);
	}
	out_release(&a.body);
	out_release(&url);
	return rc;
}
