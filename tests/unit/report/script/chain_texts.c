#include "report/script/chain_texts_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hash.h"

/* Chain number i: one to five words; the first one is unaligned for a number. */
struct chain {
	uint8_t bytes[1 + 5 * 8];
	uint64_t words[5];
	struct chain_key key;
};

static void make_chain(struct chain *c, uint64_t i)
{
	*c = (struct chain){ .key = { .n = 1 + i % 5, .user_view = (uint32_t)(i / 3 % 2), .kernel_view = 7 } };
	for (uint64_t n = 0; n < 5; n++)
		c->words[n] = i / 6 + n;
	memcpy(c->bytes + 1, c->words, sizeof(c->words));
	c->key.words = c->bytes + 1;
}

/* Its text; some texts are long. */
static void make_text(struct out *o, const struct chain *c)
{
	o->len = 0;
	out_fmt(o, "%u:", c->key.user_view);
	for (uint64_t n = 0; n < c->key.n; n++)
		out_fmt(o, "%llu,", (unsigned long long)c->words[n]);
	out_pad(o, 'x', (long)(c->words[0] % 300));
}

static enum chain_texts_answer ask(struct chain_texts *t, uint64_t i, struct out *got, struct out *want)
{
	enum chain_texts_answer answer;
	struct chain c;

	make_chain(&c, i);
	make_text(want, &c);
	got->len = 0;
	out_str(got, "before");
	answer = chain_texts_print(t, &c.key, got);
	if (answer == CHAIN_TEXT_PRINTED) {
		assert_int_equal(got->len, 6 + want->len);
		assert_memory_equal(got->buf + 6, want->buf, want->len);
	} else {
		assert_int_equal(got->len, 6);
	}
	if (answer == CHAIN_TEXT_NEW)
		chain_texts_keep(t, &c.key, want->buf, want->len);
	return answer;
}

/* More chains than fit return again and again: each text found must be right. */
static void texts_are_those_of_their_chains(void **state)
{
	struct chain_texts t = { 0 };
	struct out got, want;
	size_t printed = 0;
	uint64_t at = 1;

	out_init_mem(&got);
	out_init_mem(&want);
	for (unsigned i = 0; i < 400000; i++) {
		at = hash_u64(at + i);
		/* Most chains are among a few common ones. */
		printed += ask(&t, at % 8 ? at / 8 % 500 : at / 8 % 100000, &got, &want) == CHAIN_TEXT_PRINTED;
	}
	assert_in_range(printed, 300000, 399000);
	assert_in_range(t.used, 1, (2 << 20) / 8);
	chain_texts_release(&t);
	out_release(&got);
	out_release(&want);
}

static void a_thread_with_new_chains_looks_up_few(void **state)
{
	struct chain_texts t = { 0 };
	size_t unknown = 0, printed = 0;
	struct out got, want;

	out_init_mem(&got);
	out_init_mem(&want);
	for (uint64_t i = 0; i < 100000; i++)
		unknown += ask(&t, i, &got, &want) == CHAIN_TEXT_UNKNOWN;
	assert_in_range(unknown, 90000, 99000);
	for (uint64_t i = 0; i < 100000; i++) /* and it starts again when chains repeat */
		printed += ask(&t, i % 10, &got, &want) == CHAIN_TEXT_PRINTED;
	assert_in_range(printed, 90000, 100000);
	chain_texts_release(&t);
	out_release(&got);
	out_release(&want);
}

static void long_ones_are_not_kept(void **state)
{
	uint64_t words[100] = { 1, 2, 3 };
	struct chain_key key = { .words = (const uint8_t *)words, .n = 100 };
	struct chain_texts t = { 0 };
	char text[5000] = "";
	struct out o;

	out_init_mem(&o);
	assert_int_equal(chain_texts_print(&t, &key, &o), CHAIN_TEXT_UNKNOWN);
	key.n = 3;
	assert_int_equal(chain_texts_print(&t, &key, &o), CHAIN_TEXT_NEW);
	chain_texts_keep(&t, &key, text, sizeof(text));
	assert_int_equal(chain_texts_print(&t, &key, &o), CHAIN_TEXT_NEW);
	chain_texts_keep(&t, &key, text, 0); /* an empty text is a text, too */
	assert_int_equal(chain_texts_print(&t, &key, &o), CHAIN_TEXT_PRINTED);
	assert_int_equal(o.len, 0);
	chain_texts_release(&t);
	out_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_those_of_their_chains),
		cmocka_unit_test(a_thread_with_new_chains_looks_up_few),
		cmocka_unit_test(long_ones_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
