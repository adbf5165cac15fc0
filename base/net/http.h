#ifndef BASE_NET_HTTP_H
#define BASE_NET_HTTP_H

#include "base/out.h"

/*
 * Requests over HTTP and HTTPS, by libcurl, which is loaded when it is first needed. Redirects are answers like others.
 * Certificates are checked, against the authorities in $SSL_CERT_FILE if that is set.
 */
struct http_request {
	const char *url;             /* may hold "user:password@" */
	const char *type, *encoding; /* Content-Type and -Encoding; NULL: none */
	const void *body;
	size_t len;
	size_t most; /* of the answer's body to keep; the rest is read and dropped */
};
struct http_answer {
	long status;
	struct out body; /* the caller releases it */
};
/* POST and wait for the whole answer, whatever its status. Return -1 with e when none came, or a part of it. */
int http_post(const struct http_request *r, struct http_answer *a, struct err *e);
/* Append text as part of a query, with %XX for all that is special there. */
void out_query(struct out *o, const char *text);

#endif
