#include "report/page/columns_priv.h"

#include "base/encode/gzip.h"

void page_columns_init(struct page_columns *c)
{
	out_init_mem(&c->text);
	out_init_mem(&c->numbers);
	out_init_mem(&c->list_text);
	c->json = json_compact(&c->text);
	c->list = json_compact(&c->list_text);
	json_object(&c->json, NULL);
	json_unsigned(&c->json, "version", 1);
}

void page_columns_begin(struct page_columns *c, const char *name, size_t n)
{
	json_array(&c->list, NULL);
	json_text(&c->list, NULL, name);
	json_unsigned(&c->list, NULL, n);
	json_end(&c->list, "]");
}

void page_columns_write(struct page_columns *c, struct out *o)
{
	struct out all, packed;

	out_init_mem(&all);
	out_init_mem(&packed);
	json_array(&c->json, "columns");
	json_members(&c->json, &c->list_text);
	json_end(&c->json, "]}");
	out_mem(&all, c->text.buf, c->text.len);
	out_char(&all, 0);
	out_mem(&all, c->numbers.buf, c->numbers.len);
	gzip_to(&packed, all.buf, all.len);
	out_release(&all);
	base64_to(o, packed.buf, packed.len);
	out_release(&packed);
}

void page_columns_release(struct page_columns *c)
{
	out_release(&c->text);
	out_release(&c->numbers);
	out_release(&c->list_text);
}
