/* Output of foreign text: the result of out_name and out_json is printable and as wide as reported. */
#include "base/out.h"
#include "base/width.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_clean(const struct out *o, bool json)
{
	for (size_t i = 0, n; i < o->len; i += n) {
		uint32_t code;

		n = utf8_decode(o->buf + i, o->len - i, &code);
		if (!n || code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
		    (code >= 0x2066 && code <= 0x2069) || (json && code == '<'))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = xstrndup((const char *)data, size);
	struct out o;
	size_t len;

	out_init_mem(&o);
	out_name(&o, text);
	must_be_clean(&o, false);
	len = o.len;
	out_name_len(&o, text, strlen(text));
	if (o.len != 2 * len || (len && memcmp(o.buf, o.buf + len, len)))
		abort();
	o.len = 0;
	out_name_pad(&o, text, 40);
	if (out_name_width(out_text(&o)) != MAX(40, out_name_width(text)))
		abort();
	o.len = 0;
	out_json(&o, text);
	must_be_clean(&o, true);
	out_release(&o);
	return 0;
}
