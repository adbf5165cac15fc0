/* Export the tables of fleet.h as Apache Parquet, which ClickHouse, DuckDB, Spark and others read. */
#include <errno.h>
#include <sys/stat.h>

#include "base/encode/parquet.h"
#include "base/new_file.h"
#include "report/stacks/export_priv.h"
#include "report/stacks/fleet.h"

static int write_table(const struct data_table *t, const char *path, struct err *e)
{
	struct new_file file;

	if (new_file_open(&file, path, e) < 0)
		return -1;
	parquet_write(t, "strobe version " STROBE_VERSION, &file.out);
	return new_file_finish(&file, e);
}

int fleet_write_parquet(const struct fleet *f, const char *dir, struct err *e)
{
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return err_sys(e, "cannot make the directory '%s'", dir);
	for (size_t i = 0; i < FLEET_TABLES; i++) {
		autofree char *path =
			xasprintf("%s/%s-%016llx.parquet", dir, f->tables[i].name, (unsigned long long)f->run);

		if (write_table(&f->tables[i], path, e) < 0)
			return -1;
	}
	return 0;
}

int export_parquet(const struct stacks *st, const struct session *s, const char *service, const char *dir,
		   struct err *e)
{
	struct fleet *f = fleet_new(st, s, service);
	int rc = fleet_write_parquet(f, dir, e);

	fleet_free(f);
	return rc;
}
