#ifndef REPORT_PAGE_CODE_H
#define REPORT_PAGE_CODE_H

#include "report/annotate/annotate.h"
#include "report/stacks/stacks.h"

/*
 * The code of the hottest functions: instructions with the weights of their samples, and the source lines they are
 * from. Functions without code here are left out.
 */
struct page_code_opts {
	bool code, source; /* of files on this machine; else only what the recording's bundle has */
	bool count_samples;
	const struct profile_filter *filter;
};
struct page_code;
/* The session has been walked, and `st` holds its stacks; NULL: they are from elsewhere. Returns NULL for none. */
struct page_code *page_code_new(struct session *s, const struct stacks *st, const struct page_code_opts *opts);
void page_code_free(struct page_code *c);
/* Members of a JSON object: "code":[...],"files":[...]; see code.js. */
const char *page_code_json(const struct page_code *c, size_t *len);

#endif
