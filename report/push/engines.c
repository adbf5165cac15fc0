/* The table of engines, and the engines that take a profile as one request. */
#include <time.h>

#include "base/encode/gzip.h"
#include "base/encode/json.h"
#include "base/net/http.h"
#include "report/push/push_priv.h"

static const char *service_of(const struct push_run *r) { return *r->fleet->service ? r->fleet->service : "strobe"; }

/* Put one request with this body into the spool, and release the body. */
static int put_whole(const struct push_run *r, struct out *where, const char *type, struct out *body,
		     struct push_spool *to, struct err *e)
{
	int rc = push_put(
		to, r, 0,
		&(struct push_batch){
			.where = out_text(where), .type = type, .encoding = "", .body = body->buf, .len = body->len },
		e);

	out_release(where);
	out_release(body);
	return rc;
}

static void put_rest(const struct push_target *t, struct out *where, bool has_query)
{
	if (*t->query)
		out_fmt(where, "%c%s", has_query ? '&' : '?', t->query);
}

/* Return a time in seconds since 1970. If the recording has no wall-clock times, assume that it ended now. */
static uint64_t wall_seconds(const struct push_run *r, uint64_t time_ns)
{
	const struct fleet *f = r->fleet;
	uint64_t second = 1000000000;

	return f->wall_clock ? time_ns / second : (uint64_t)time(NULL) - (f->end_ns - time_ns) / second;
}

/* Source: https://grafana.com/docs/pyroscope/latest/reference-server-api/ */
static int pyroscope_fill(const struct push_target *t, const struct push_run *r, struct push_spool *to, struct err *e)
{
	struct out where, body;
	autofree char *name =
		*r->fleet->host ? xasprintf("%s{host=%s}", service_of(r), r->fleet->host) : xstrdup(service_of(r));

	out_init_mem(&where);
	out_init_mem(&body);
	out_fmt(&where, "%s/ingest?format=pprof&spyName=strobe&name=", t->path);
	out_query(&where, name);
	out_fmt(&where, "&from=%llu&until=%llu", (unsigned long long)wall_seconds(r, r->fleet->start_ns),
		(unsigned long long)wall_seconds(r, r->fleet->end_ns));
	put_rest(t, &where, true);
	exporter_find("pprof")->write(r->st, r->s, &body);
	return put_whole(r, &where, "application/octet-stream", &body, to, e);
}

static void put_label(struct json *j, const char *name, const char *value)
{
	json_object(j, NULL);
	json_text(j, "name", name);
	json_text(j, "value", value);
	json_end(j, "}");
}

/* Source: https://github.com/parca-dev/parca/blob/main/proto/parca/profilestore/v1alpha1/profilestore.proto */
static int parca_fill(const struct push_target *t, const struct push_run *r, struct push_spool *to, struct err *e)
{
	struct out where, body, profile;
	struct json j = json_compact(&body);

	out_init_mem(&where);
	out_init_mem(&body);
	out_init_mem(&profile);
	out_fmt(&where, "%s/profiles/writeraw", t->path);
	put_rest(t, &where, false);
	exporter_find("pprof")->write(r->st, r->s, &profile);
	json_object(&j, NULL);
	json_array(&j, "series");
	json_object(&j, NULL);
	json_object(&j, "labels");
	json_array(&j, "labels");
	put_label(&j, "__name__", "strobe");
	put_label(&j, "job", service_of(r));
	put_label(&j, "instance", r->fleet->host);
	json_end(&j, "]}");
	json_array(&j, "samples");
	json_object(&j, NULL);
	json_key(&j, "rawProfile");
	out_char(&body, '"');
	base64_to(&body, profile.buf, profile.len);
	out_char(&body, '"');
	json_end(&j, "}]}]}");
	out_release(&profile);
	return put_whole(r, &where, "application/json", &body, to, e);
}

/* The request has the fields of ProfilesData. Source: opentelemetry/proto/collector/profiles/v1development */
static int otlp_fill(const struct push_target *t, const struct push_run *r, struct push_spool *to, struct err *e)
{
	struct out where, body;

	out_init_mem(&where);
	out_init_mem(&body);
	out_fmt(&where, "%s/v1development/profiles", t->path);
	put_rest(t, &where, false);
	exporter_find("otlp")->write(r->st, r->s, &body);
	return put_whole(r, &where, "application/x-protobuf", &body, to, e);
}

/* To add an engine, write a row, its function here or in a new file, and a line in man/strobe-push.1. */
const struct push_engine push_engines[] = {
	{ "clickhouse", "tables of ClickHouse, over HTTP", 8123, .fill = clickhouse_fill, .init = clickhouse_init,
	  .query = clickhouse_query },
	{ "pyroscope", "Pyroscope: pprof to /ingest", 4040, .fill = pyroscope_fill },
	{ "parca", "Parca: pprof to /profiles/writeraw", 7070, .fill = parca_fill },
	{ "otlp", "an OpenTelemetry collector, over HTTP", 4318, .fill = otlp_fill },
	{ 0 },
};
