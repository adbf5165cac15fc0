/*
 * Feature sections. The first byte is the feature, with the byte order in its highest bit; the
 * second byte is the number of CPUs from NRCPUS; the rest is the section. What decodes is also
 * printed and encoded, and must then decode again.
 */
#include "format/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct features *f, bool swap)
{
	struct file_event event = { .name = "event", .n_members = 1 };
	struct perfdata pd = { .features = *f, .swap = swap, .events = &event, .n_events = 1 };
	struct out o;

	out_init_mem(&o);
	header_print(&pd, true, &o);
	out_release(&o);
}

static void encode_again(struct features *f, unsigned bit)
{
	struct features again = { .arena = f->arena, .cpus_available = f->cpus_available };
	struct out o;

	out_init_mem(&o);
	if (feature_encode(f, bit, &o) && feature_decode(&again, bit, (const uint8_t *)o.buf, o.len, false, NULL) < 0)
		abort();
	out_release(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct features f = { .arena = &a };
	struct err e = { 0 };
	unsigned bit;
	bool swap;

	if (size < 2)
		return 0;
	bit = data[0] & 0x7f;
	swap = data[0] >> 7;
	f.cpus_available = data[1];
	if (!feature_decode(&f, bit, data + 2, size - 2, swap, &e)) {
		print(&f, swap);
		encode_again(&f, bit);
	} else if (!e.what[0] || feature_has(&f, bit)) {
		abort();
	}
	if (a.total > 64 * size + 65536)
		abort();
	arena_release(&a);
	return 0;
}
