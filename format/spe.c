#include "format/spe.h"

#include "base/mem.h"

enum { HEADER_PAD = 0x00, HEADER_END = 0x01, HEADER_TIME = 0x71, HEADER_EXTENDED = 0x20 };

struct packet {
	unsigned index; /* of an address, a counter; the class of an operation */
	uint64_t payload;
};

/*
 * Return the full address. Bits 55 to 0 are the address; above them is a tag or the exception
 * level.
 */
static uint64_t canonical(uint64_t payload)
{
	uint64_t address = payload & UINT64_MAX >> 8;

	return address >> 55 ? address | 0xffull << 56 : address;
}

static void take_address(struct spe_record *r, const struct packet *p)
{
	enum { PC, TARGET, DATA, PHYSICAL, PREVIOUS };

	switch (p->index) {
	case PC: r->pc = canonical(p->payload); break;
	case TARGET: r->target = canonical(p->payload); break;
	case DATA: r->address = canonical(p->payload); break;
	case PHYSICAL: r->physical = p->payload & UINT64_MAX >> 8; break;
	case PREVIOUS: r->previous = canonical(p->payload); break;
	default: return;
	}
	r->has |= p->index == PREVIOUS ? SPE_HAS_PREVIOUS : (unsigned)SPE_HAS_PC << p->index;
}

static void take_counter(struct spe_record *r, const struct packet *p)
{
	if (!p->index) /* index 0 is the total latency, the others are parts of it */
		r->latency = (uint32_t)p->payload;
}

static void take_events(struct spe_record *r, const struct packet *p) { r->events = p->payload; }

static void take_source(struct spe_record *r, const struct packet *p)
{
	r->source = p->payload;
	r->has |= SPE_HAS_SOURCE;
}

static void take_context(struct spe_record *r, const struct packet *p)
{
	r->context = (uint32_t)p->payload;
	r->has |= SPE_HAS_CONTEXT;
}

static void take_operation(struct spe_record *r, const struct packet *p)
{
	if (p->index > SPE_BRANCH)
		return;
	r->class = (enum spe_class)p->index;
	r->op = (uint8_t)p->payload;
	r->has |= SPE_HAS_CLASS;
}

/* Header bits that are not in `mask` are the size of the payload, or the packet's index. */
static const struct packet_kind {
	uint8_t mask, header, index;
	void (*take)(struct spe_record *r, const struct packet *p);
} kinds[] = {
	{ 0xcf, 0x42, 0, take_events },    { 0xcf, 0x43, 0, take_source },  { 0xfc, 0x64, 3, take_context },
	{ 0xfc, 0x48, 3, take_operation }, { 0xf8, 0xb0, 7, take_address }, { 0xf8, 0x98, 7, take_counter },
};

static const struct packet_kind *find_kind(uint8_t header)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((header & kinds[i].mask) == kinds[i].header)
			return &kinds[i];
	return NULL;
}

/* Bits 5:4 of a header mean 1, 2, 4 or 8 bytes. */
static size_t payload_size(uint8_t header) { return (size_t)1 << (header >> 4 & 3); }

static uint64_t payload(const uint8_t *from, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

/*
 * Take one packet that is neither padding nor an end. Return its length; 0: it is no packet. The
 * end of the trace may cut the packet off. An extended header comes before a second header, which
 * has the size. Before a padding byte it only aligns the trace.
 */
static size_t take_packet(struct spe_record *r, const uint8_t *at, size_t left)
{
	bool extended = (*at & 0xfc) == HEADER_EXTENDED;
	uint8_t header = extended && left > 1 ? at[1] : *at;
	const struct packet_kind *kind = find_kind(header);
	size_t before = extended ? 2 : 1, size = payload_size(header);
	struct packet p;

	if (extended && left > 1 && header == HEADER_PAD)
		return before;
	if (!kind)
		return 0;
	if (left < before + size)
		return left;
	p.index = (header & kind->index) | (extended ? (unsigned)(*at & 3) << 3 : 0);
	p.payload = payload(at + before, size);
	kind->take(r, &p);
	return before + size;
}

bool spe_next(struct spe_cursor *c, struct spe_record *r)
{
	bool any = false;

	*r = (struct spe_record){ 0 };
	while (c->at < c->end) {
		size_t left = (size_t)(c->end - c->at), n;

		if (*c->at == HEADER_PAD || *c->at == HEADER_END) {
			if (*c->at++ == HEADER_END && any)
				return true;
			continue;
		}
		if (*c->at == HEADER_TIME && left > 8) {
			r->time = payload(c->at + 1, 8);
			r->has |= SPE_HAS_TIME;
			c->at += 9;
			return true;
		}
		n = take_packet(r, c->at, left);
		any |= n > 0;
		c->bad += !n;
		c->at += n ? n : 1;
	}
	return false;
}
