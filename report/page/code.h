#ifndef REPORT_PAGE_CODE_H
#define REPORT_PAGE_CODE_H

#include "base/encode/json.h"
#include "report/annotate/annotate.h"
#include "report/stacks/stacks.h"

/*
 * The code of the hottest functions: instructions with the weights of their samples, and their source lines. It leaves
 * out functions whose code is not available.
 */
struct page_code_opts {
	bool code, source; /* use files on this machine; otherwise only the recording's bundle */
	bool count_samples;
	const struct profile_filter *filter;
};
struct page_code;
/* The session must be walked, and `st` must have its stacks; NULL: the stacks have no session. NULL: no code. */
struct page_code *page_code_new(struct session *s, const struct stacks *st, const struct page_code_opts *opts);
void page_code_free(struct page_code *c);
/* Write members of a JSON object: "code":[...],"files":[...]; see code.js. */
void page_code_write(const struct page_code *c, struct json *to);

#endif
