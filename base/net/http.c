#include "base/net/http.h"

#include <ctype.h>

#ifdef HAVE_LIBCURL
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/library.h"
#include "base/signal.h"

#define CURL_FUNCTIONS(F) \
	F(curl_easy_init) \
	F(curl_easy_setopt) \
	F(curl_easy_perform) \
	F(curl_easy_getinfo) F(curl_easy_cleanup) F(curl_easy_strerror) F(curl_slist_append) F(curl_slist_free_all)

static struct curl {
	CURL_FUNCTIONS(LIBRARY_MEMBER)
} table;
#define LIBRARY_TABLE table
static const struct library_function functions[] = { CURL_FUNCTIONS(LIBRARY_ROW){ 0 } };
static struct library library = { .file = CURL_SONAME, .package = CURL_PACKAGE, .functions = functions };

enum { CONNECT_SECONDS = 10, SILENT_SECONDS = 60 };

struct receiver {
	struct out *to;
	size_t most;
};

static size_t receive(char *bytes, size_t size, size_t n, void *ctx)
{
	struct receiver *r = ctx;

	out_mem(r->to, bytes, MIN(size * n, r->most - MIN(r->most, r->to->len)));
	return size * n;
}

/*
 * libcurl calls this about once a second and gives up when the result is not 0. So we do not wait for a silent server
 * when a signal has asked us to end.
 */
static int gives_up(void *ctx, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
	return stop_requested;
}

static struct curl_slist *headers(const struct http_request *r)
{
	const char *values[] = { r->type, r->encoding, "" },
		   *names[] = { "Content-Type", "Content-Encoding", "Expect" };
	struct curl_slist *list = NULL;

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		autofree char *line =
			values[i] ? xasprintf("%s:%s%s", names[i], *values[i] ? " " : "", values[i]) : NULL;
		struct curl_slist *more = line ? table.curl_slist_append(list, line) : list;

		if (line && !more)
			mem_exhausted(strlen(line));
		list = more;
	}
	return list;
}

int http_post(const struct http_request *r, struct http_answer *a, struct err *e)
{
	struct receiver to = { &a->body, r->most };
	const char *authorities = getenv("SSL_CERT_FILE"); /* as in OpenSSL; libcurl itself does not ask */
	char why[CURL_ERROR_SIZE] = "";
	struct curl_slist *list;
	CURLcode rc;
	CURL *c;

	out_init_mem(&a->body);
	if (library_open(&library, e) < 0)
		return -1;
	c = table.curl_easy_init();
	if (!c)
		mem_exhausted(0);
	list = headers(r);
	table.curl_easy_setopt(c, CURLOPT_URL, r->url);
	table.curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	table.curl_easy_setopt(c, CURLOPT_ERRORBUFFER, why);
	table.curl_easy_setopt(c, CURLOPT_HTTPHEADER, list);
	table.curl_easy_setopt(c, CURLOPT_USERAGENT, "strobe/" STROBE_VERSION);
	table.curl_easy_setopt(c, CURLOPT_POST, 1L);
	table.curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->len);
	table.curl_easy_setopt(c, CURLOPT_POSTFIELDS, r->len ? (const char *)r->body : "");
	if (authorities && *authorities)
		table.curl_easy_setopt(c, CURLOPT_CAINFO, authorities);
	table.curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	table.curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	table.curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)SILENT_SECONDS);
	table.curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	table.curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, gives_up);
	table.curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, receive);
	table.curl_easy_setopt(c, CURLOPT_WRITEDATA, (void *)&to);
	rc = table.curl_easy_perform(c);
	table.curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &a->status);
	table.curl_easy_cleanup(c);
	table.curl_slist_free_all(list);
	return rc == CURLE_OK ? 0 : err_set(e, "%s", *why ? why : table.curl_easy_strerror(rc));
}
#else
int http_post(const struct http_request *r, struct http_answer *a, struct err *e)
{
	out_init_mem(&a->body);
	return err_set(e, "this strobe was built without libcurl, so it cannot send");
}
#endif

void out_query(struct out *o, const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr("-_.~", *text))
			out_char(o, *text);
		else
			out_fmt(o, "%%%02X", (unsigned char)*text);
	}
}
