#include "report/push/push_priv.h"

#include <ctype.h>
#include <time.h>

#include "base/clock.h"
#include "base/net/http.h"
#include "base/signal.h"

/* ---- URLs ---- */

static const struct push_engine *find_engine(const char *scheme, size_t len)
{
	for (const struct push_engine *x = push_engines; x->scheme; x++)
		if (strlen(x->scheme) == len && !strncmp(x->scheme, scheme, len))
			return x;
	return NULL;
}

static int bad_url(const char *url, struct err *e)
{
	struct out names;

	if (strchr(url, '@')) /* the text before it may be a password */
		err_set(e, "cannot use the URL '%.*s...@...'", (int)strcspn(url, ":@"), url);
	else
		err_set(e, "cannot use the URL '%.*s'", (int)strcspn(url, "?"), url);
	out_init_mem(&names);
	for (const struct push_engine *x = push_engines; x->scheme; x++)
		out_fmt(&names, "%s%s://HOST", x == push_engines ? "" : ", ", x->scheme);
	err_try(e, "%s; with +tls before the colon for TLS", out_text(&names));
	out_release(&names);
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Return the colon before the port of "host:1" or "[::1]:1", NULL if there is no port. */
static const char *port_in(const char *host, const char *end)
{
	const char *bracket = memchr(host, ']', (size_t)(end - host)), *from = bracket ? bracket : host;

	return memchr(from, ':', (size_t)(end - from));
}

/* Tell whether the text is a port number that TCP has. */
static bool is_port(const char *at, const char *end)
{
	unsigned long port = 0;

	while (at < end && isdigit((unsigned char)*at) && port <= UINT16_MAX)
		port = 10 * port + (unsigned long)(*at++ - '0');
	return at == end && port && port <= UINT16_MAX;
}

int push_no_init(const struct push_target *t, struct err *e)
{
	err_set(e, "%s needs no --init", t->engine->scheme);
	err_why(e, "only clickhouse has tables to create");
	err_try(e, "the command without it");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Refuse control bytes and blanks: they would become part of the request. */
static bool is_plain(const char *url)
{
	for (; *url; url++)
		if (!isgraph((unsigned char)*url))
			return false;
	return true;
}

int push_target_parse(struct push_target *t, const char *url, struct err *e)
{
	const char *colon = strstr(url, "://"), *host, *at, *end, *query, *port;
	size_t scheme = colon ? (size_t)(colon - url) : 0, authority;
	bool tls = scheme > 4 && !strncmp(colon - 4, "+tls", 4);
	char usual[8] = "";

	*t = (struct push_target){ .engine = find_engine(url, tls ? scheme - 4 : scheme) };
	if (!colon || !t->engine || !is_plain(url))
		return bad_url(url, e);
	host = colon + 3;
	authority = strcspn(host, "/?");
	end = host + authority;
	at = memrchr(host, '@', authority);
	query = strchr(end, '?');
	if (at ? at + 1 == end : !authority)
		return bad_url(url, e);
	at = at ? at + 1 : host;
	port = port_in(at, end);
	if (port && !is_port(port + 1, end)) {
		err_set(e, "bad port in the URL"); /* without the URL, which may contain a password */
		err_try(e, "a number from 1 to 65535 after the host, or no port for the usual one");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!port)
		snprintf(usual, sizeof(usual), ":%u", t->engine->port);
	t->base = xasprintf("http%s://%.*s%s", tls ? "s" : "", (int)authority, host, usual);
	t->path = query ? xstrndup(end, (size_t)(query - end)) : xstrdup(end);
	while (*t->path && t->path[strlen(t->path) - 1] == '/')
		t->path[strlen(t->path) - 1] = 0;
	t->query = xstrdup(query ? query + 1 : "");
	t->shown = xasprintf("%.*s://%.*s%s%s", (int)scheme, url, (int)(end - at), at, usual, t->path);
	return 0;
}

void push_target_free(struct push_target *t)
{
	free(t->base);
	free(t->path);
	free(t->query);
	free(t->shown);
}

/* ---- sending ---- */

/* May another try help? These answers are about the present state of the server, not about an error of the request. */
static bool status_may_pass(long status) { return status == 408 || status == 425 || status == 429 || status >= 500; }

int push_post(const struct push_target *t, const struct push_batch *b, bool *may_pass, struct err *e)
{
	enum { MESSAGE = 300 };
	autofree char *url = xasprintf("%s%s", t->base, b->where);
	struct http_request r = { .url = url,
				  .type = *b->type ? b->type : NULL,
				  .encoding = *b->encoding ? b->encoding : NULL,
				  .body = b->body,
				  .len = b->len,
				  .most = MESSAGE };
	struct http_answer a = { 0 };
	int rc = http_post(&r, &a, e);

	*may_pass = rc < 0;
	if (rc < 0) {
		err_in(e, "%s", t->shown);
	} else if (a.status < 200 || a.status > 299) {
		char *text = (char *)out_text(&a.body);

		text[strcspn(text, "\r\n")] = 0;
		*may_pass = status_may_pass(a.status);
		rc = err_set(e, "%s answers %ld%s%s", t->shown, a.status, *text ? ": " : "", text);
	}
	out_release(&a.body);
	return rc;
}

/* Try until the server accepts the batch, the time is over, or another try cannot help. */
static int send_one(const struct push_target *t, const struct push_batch *b, uint64_t patience_ns, bool *may_pass,
		    struct err *e)
{
	const uint64_t longest = 8000000000;
	uint64_t wait = 250000000, end = now_ns() + patience_ns;

	while (push_post(t, b, may_pass, e) < 0) {
		struct timespec pause = { (time_t)(wait / 1000000000), (long)(wait % 1000000000) };

		if (!*may_pass || stop_requested || now_ns() + wait > end)
			return -1;
		nanosleep(&pause, NULL);
		wait = MIN(wait * 2, longest);
		err_clear(e);
	}
	return 0;
}

/* Send one batch of the spool. */
static int drain_one(const struct push_target *t, struct push_spool *from, const char *name, uint64_t patience_ns,
		     bool *may_pass, struct err *e)
{
	struct push_batch b;
	char *bytes;
	int rc;

	*may_pass = false;
	if (spool_get(from, name, &b, &bytes, e) < 0)
		return -1;
	rc = send_one(t, &b, patience_ns, may_pass, e);
	free(bytes);
	if (rc == 0)
		spool_remove(from, name);
	return rc;
}

/* Send all batches. If the server refuses one, still send the others; if it does not answer, stop. */
int push_drain(const struct push_target *t, struct push_spool *from, uint64_t patience_ns, uint64_t *sent,
	       struct err *e)
{
	struct spool_names names;
	struct err unused, *to = e;
	bool may_pass = false;
	int rc = 0;

	*sent = 0;
	if (spool_list(from, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.len && !may_pass && !stop_requested; i++) {
		if (drain_one(t, from, names.items[i], patience_ns, &may_pass, to) == 0) {
			++*sent;
			continue;
		}
		rc = -1;
		to = &unused; /* report only the first failure */
		err_clear(to);
	}
	if (rc == 0 && *sent < names.len)
		rc = err_set(e, "interrupted");
	spool_names_free(&names);
	return rc;
}

int push_fill(const struct push_target *t, const struct stacks *st, const struct session *s, const char *service,
	      struct push_spool *to, struct err *e)
{
	struct push_run r = { .st = st, .s = s, .fleet = fleet_new(st, s, service) };
	int rc = t->engine->fill(t, &r, to, e);
	char prefix[24];

	if (rc < 0) {
		snprintf(prefix, sizeof(prefix), "%016llx-", (unsigned long long)r.fleet->run);
		spool_remove_all(to, prefix);
	}
	fleet_free(r.fleet);
	return rc;
}

int push_put(struct push_spool *to, const struct push_run *r, unsigned number, const struct push_batch *b,
	     struct err *e)
{
	char name[32];

	snprintf(name, sizeof(name), "%016llx-%06u", (unsigned long long)r->fleet->run, number);
	return spool_put(to, name, b, e);
}
