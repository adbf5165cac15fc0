#ifndef REPORT_PAGE_COLUMNS_PRIV_H
#define REPORT_PAGE_COLUMNS_PRIV_H

#include "base/encode/json.h"

/*
 * The data of a page: a JSON object, a NUL, and columns of numbers, one after the other. A number has seven bits per
 * byte, lowest first, and the high bit in all bytes except the last; differences are zigzag. The object's last member
 * lists the columns: "columns":[["name",length],...]. All of it is compressed (gzip) and written in base64, so it has
 * no byte with a meaning in HTML, for any names.
 *
 *	page_columns_init -> members into `json`, page_columns_begin and numbers into `numbers`
 *	-> page_columns_write -> page_columns_release
 */
struct page_columns {
	struct json json;   /* members of the object; its writer refers to this struct */
	struct out text;    /* of json */
	struct out numbers; /* of all columns so far; write them with proto_varint, proto_zigzag */
	struct json list;
	struct out list_text;
};
void page_columns_init(struct page_columns *c);
void page_columns_begin(struct page_columns *c, const char *name, size_t n);
void page_columns_write(struct page_columns *c, struct out *o);
void page_columns_release(struct page_columns *c);

#endif
