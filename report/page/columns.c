#include "report/page/columns.h"

#include "base/encode/gzip.h"

void page_columns_init(struct page_columns *c)
{
	out_init_mem(&c->json);
	out_init_mem(&c->numbers);
	out_init_mem(&c->list);
}

void page_columns_begin(struct page_columns *c, const char *name, size_t n)
{
	out_fmt(&c->list, "%s[\"%s\",%zu]", c->list.len ? "," : "", name, n);
}

void page_columns_write(struct page_columns *c, struct out *o)
{
	struct out all, packed;

	out_init_mem(&all);
	out_init_mem(&packed);
	out_str(&all, "{\"version\":1");
	out_mem(&all, c->json.buf, c->json.len);
	out_str(&all, ",\"columns\":[");
	out_mem(&all, c->list.buf, c->list.len);
	out_str(&all, "]}");
	out_char(&all, 0);
	out_mem(&all, c->numbers.buf, c->numbers.len);
	gzip_to(&packed, all.buf, all.len);
	out_release(&all);
	base64_to(o, packed.buf, packed.len);
	out_release(&packed);
}

void page_columns_release(struct page_columns *c)
{
	out_release(&c->json);
	out_release(&c->numbers);
	out_release(&c->list);
}
