/* Push to ClickHouse over HTTP: each batch inserts rows of one table as JSONEachRow. */
#include "base/encode/gzip.h"
#include "base/net/http.h"
#include "report/push/push_priv.h"

#include "tables_sql.h"

/* Write path and query of a request. The target's path is the database; without a path, the server uses its default. */
static void put_where(const struct push_target *t, const char *sql, bool with_database, struct out *where)
{
	out_str(where, "/?query=");
	out_query(where, sql);
	if (with_database && *t->path) {
		out_str(where, "&database=");
		out_query(where, t->path + 1);
	}
	if (*t->query)
		out_fmt(where, "&%s", t->query);
}

static int put_rows(const struct push_target *t, const struct push_run *r, const struct data_table *table,
		    struct out *rows, unsigned number, struct push_spool *to, struct err *e)
{
	autofree char *sql = xasprintf("INSERT INTO %s FORMAT JSONEachRow", table->name);
	struct out where, packed;
	int rc;

	out_init_mem(&where);
	out_init_mem(&packed);
	put_where(t, sql, true, &where);
	gzip_to(&packed, rows->buf, rows->len);
	rc = push_put(to, r, number,
		      &(struct push_batch){ .where = out_text(&where),
					    .type = "application/x-ndjson",
					    .encoding = "gzip",
					    .body = packed.buf,
					    .len = packed.len },
		      e);
	rows->len = 0;
	out_release(&where);
	out_release(&packed);
	return rc;
}

int clickhouse_fill(const struct push_target *t, const struct push_run *r, struct push_spool *to, struct err *e)
{
	enum { BATCH = 32 << 20 }; /* a server parses this in a second; compressed, it is about a megabyte */
	unsigned number = 0;
	struct out rows;
	int rc = 0;

	out_init_mem(&rows);
	for (size_t i = 0; i < FLEET_TABLES && rc == 0; i++) {
		const struct data_table *table = &r->fleet->tables[i];

		for (size_t row = 0; row < table->rows && rc == 0; row++) {
			table_json_row(table, row, &rows);
			if (rows.len >= BATCH || row + 1 == table->rows)
				rc = put_rows(t, r, table, &rows, number++, to, e);
		}
	}
	out_release(&rows);
	return rc;
}

static int run_statement(const struct push_target *t, const char *sql, bool with_database, struct err *e)
{
	struct push_batch b = { .type = "", .encoding = "", .body = "" };
	struct out where;
	bool may_pass;
	int rc;

	out_init_mem(&where);
	put_where(t, sql, with_database, &where);
	b.where = out_text(&where);
	rc = push_post(t, &b, &may_pass, e);
	out_release(&where);
	return rc;
}

/* Accept only names of databases that need no quotes, because they come from a URL. */
static bool is_name(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

int clickhouse_init(const struct push_target *t, struct err *e)
{
	autofree char *text = xstrdup(tables_sql);
	char *rest = text, *sql;

	if (*t->path) {
		autofree char *create = xasprintf("CREATE DATABASE IF NOT EXISTS %s", t->path + 1);

		if (!is_name(t->path + 1))
			return err_set(e, "'%s' is not the name of a database", t->path + 1);
		if (run_statement(t, create, false, e) < 0)
			return -1;
	}
	while ((sql = strsep(&rest, ";")))
		if (strstr(sql, "CREATE") && run_statement(t, strstr(sql, "CREATE"), true, e) < 0)
			return -1;
	return 0;
}
