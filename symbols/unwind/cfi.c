/* Read call frame information and compute the row for an address. */
#include "base/bytes.h"
#include "base/hash.h"
#include "base/search.h"
#include "symbols/unwind/cfi_object_priv.h"

/*
 * Pointer encodings of .eh_frame. Source: Linux Standard Base Core, "DWARF Exception Header
 * Encoding".
 */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
	PE_TEXTREL = 0x20,
	PE_DATAREL = 0x30,
	PE_FUNCREL = 0x40,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

enum { MAX_PROGRAM = 64 << 10, MAX_STATES = 16 };

struct cie {
	uint64_t off;
	uint64_t code_align;
	int64_t data_align;
	uint8_t fde_enc, word;
	uint32_t ret; /* DWARF number */
	bool is_signal, has_size;
	struct bytes program;
};

/* ---- entries ---- */

/*
 * One CIE or FDE; `body` follows the id field. entry_at() returns 1; 0 at the end of the
 * section; -1 at damage, where reading must stop.
 */
struct cfi_entry {
	size_t off, next;
	bool is_cie;
	uint64_t cie_off;
	struct bytes body;
};

static int entry_at(const struct cfi *c, const struct cfi_section *t, size_t off, struct cfi_entry *en)
{
	struct bytes b = bytes_of(t->data + off, t->len - off, c->swap);
	bool is_64 = false;
	uint64_t len, id;
	size_t id_at;

	if (bytes_left(&b) < 4)
		return 0;
	len = bytes_u32(&b);
	if (len == 0xffffffff) {
		is_64 = true;
		len = bytes_u64(&b);
	}
	if (len == 0) /* ends .eh_frame; .debug_frame may be padded */
		return t->is_eh ? 0 : -1;
	id_at = (size_t)(b.at - t->data);
	if (b.bad || len > bytes_left(&b) || len < 4)
		return -1;
	b.end = b.at + len;
	*en = (struct cfi_entry){ .off = off, .next = id_at + len };
	id = is_64 && !t->is_eh ? bytes_u64(&b) : bytes_u32(&b);
	if (t->is_eh) {
		en->is_cie = id == 0;
		if (!en->is_cie && id > id_at)
			return -1;
		en->cie_off = id_at - id;
	} else {
		en->is_cie = is_64 ? id == UINT64_MAX : id == UINT32_MAX;
		en->cie_off = id;
	}
	en->body = b;
	return b.bad ? -1 : 1;
}

/*
 * Read a pointer of .eh_frame. Supports the encodings that objects use: absolute and
 * pc-relative.
 */
static uint64_t read_pointer(const struct cfi *c, const struct cfi_section *t, struct bytes *b, uint8_t enc,
			     uint8_t word)
{
	uint64_t base = 0, v;

	if ((enc & 0x70) == PE_PCREL)
		base = t->addr + (uint64_t)(b->at - t->data);
	else if (enc & 0x70)
		b->bad = true;
	switch (enc & 0x0f) {
	case PE_ABSPTR: v = word == 8 ? bytes_u64(b) : bytes_u32(b); break;
	case PE_ULEB128: v = bytes_uleb(b); break;
	case PE_SLEB128: v = (uint64_t)bytes_sleb(b); break;
	case PE_UDATA2: v = bytes_u16(b); break;
	case PE_SDATA2: v = (uint64_t)(int16_t)bytes_u16(b); break;
	case PE_UDATA4: v = bytes_u32(b); break;
	case PE_SDATA4: v = (uint64_t)(int32_t)bytes_u32(b); break;
	case PE_UDATA8:
	case PE_SDATA8: v = bytes_u64(b); break;
	default: b->bad = true; return 0;
	}
	v += base;
	return word == 4 ? (uint32_t)v : v;
}

uint64_t cfi_pointer(const struct cfi *c, const struct cfi_section *t, struct bytes *b, uint8_t enc, uint8_t word)
{
	return read_pointer(c, t, b, enc, word);
}

static bool read_augmentation(const struct cfi *c, const struct cfi_section *t, struct cie *cie, struct bytes *b,
			      const char *aug)
{
	uint64_t len = bytes_uleb(b);
	struct bytes data = *b;

	if (!bytes_take(b, len))
		return false;
	data.end = b->at;
	for (; *aug; aug++) {
		switch (*aug) {
		case 'R': cie->fde_enc = bytes_u8(&data); break;
		case 'P': {
			uint8_t enc = bytes_u8(&data);

			if (enc != PE_OMIT)
				read_pointer(c, t, &data, enc & 0x0f, cie->word);
			break;
		}
		case 'L': bytes_u8(&data); break;
		case 'S': cie->is_signal = true; break;
		case 'B': /* arm64: return addresses are signed with the B key */
		case 'G': /* arm64: memory tagging */ break;
		/* a newer letter: the length gives the end, and known letters come first */
		default: return !data.bad;
		}
	}
	return !data.bad;
}

static bool read_cie(const struct cfi *c, const struct cfi_section *t, uint64_t off, struct cie *cie)
{
	struct cfi_entry en;
	struct bytes *b = &en.body;
	const char *aug;
	uint8_t version;

	if (off >= t->len || entry_at(c, t, off, &en) != 1 || !en.is_cie)
		return false;
	*cie = (struct cie){ .off = off, .word = c->word };
	version = bytes_u8(b);
	aug = bytes_cstr(b);
	if (!aug || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4) {
		cie->word = bytes_u8(b);
		if (bytes_u8(b) != 0) /* no segments */
			return false;
	}
	if (cie->word != 4 && cie->word != 8)
		return false;
	cie->code_align = bytes_uleb(b);
	cie->data_align = bytes_sleb(b);
	cie->ret = version == 1 ? bytes_u8(b) : (uint32_t)bytes_uleb(b);
	if (*aug == 'z') {
		cie->has_size = true;
		if (!read_augmentation(c, t, cie, b, aug + 1))
			return false;
	} else if (*aug) {
		return false;
	}
	cie->program = *b;
	return !b->bad;
}

static bool read_fde(const struct cfi *c, const struct cfi_section *t, const struct cie *cie, struct cfi_entry *en,
		     uint64_t *start, uint64_t *len)
{
	struct bytes *b = &en->body;

	*start = read_pointer(c, t, b, cie->fde_enc, cie->word);
	*len = read_pointer(c, t, b, cie->fde_enc & 0x0f, cie->word);
	if (cie->has_size)
		bytes_take(b, bytes_uleb(b));
	return !b->bad;
}

/* ---- the table of functions ---- */

static int fde_order(const void *a, const void *b)
{
	const struct fde *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

static uint64_t sorted_address(const struct cfi *c, const struct cfi_section *t, size_t i, unsigned which)
{
	uint32_t word = load_u32(t->sorted + 8 * i + 4 * which);
	uint64_t addr = c->hdr.addr + (uint64_t)(int32_t)(c->swap ? __builtin_bswap32(word) : word);

	return c->word == 4 ? (uint32_t)addr : addr;
}

static uint64_t start_of(const struct cfi *c, const struct cfi_section *t, size_t i)
{
	return t->sorted ? sorted_address(c, t, i, 0) : t->fdes.items[i].start;
}

static uint64_t entry_of(const struct cfi *c, const struct cfi_section *t, size_t i)
{
	return t->sorted ? sorted_address(c, t, i, 1) - t->addr : t->fdes.items[i].off;
}

/* Return whether the table is sorted and points into the section. */
static bool is_sorted(const struct cfi *c, const struct cfi_section *t)
{
	uint64_t before = 0;

	for (size_t i = 0; i < t->n; i++) {
		uint64_t start = start_of(c, t, i);

		if (entry_of(c, t, i) >= t->len || (i && start <= before))
			return false;
		before = start;
	}
	return true;
}

/*
 * Use the linker's table, in the form that all linkers write. Source: Linux Standard Base Core, "The .eh_frame_hdr
 * section".
 */
static bool take_sorted(const struct cfi *c, struct cfi_section *t)
{
	const struct cfi_section hdr = { .data = c->hdr.data, .len = c->hdr.len, .addr = c->hdr.addr };
	struct bytes b = bytes_of(hdr.data, hdr.len, c->swap);
	uint8_t version = bytes_u8(&b), pointer = bytes_u8(&b), count = bytes_u8(&b), table = bytes_u8(&b);

	if (version != 1 || count != PE_UDATA4 || table != (PE_DATAREL | PE_SDATA4) ||
	    read_pointer(c, &hdr, &b, pointer, c->word) != t->addr)
		return false;
	t->n = bytes_u32(&b);
	if (b.bad || !t->n || t->n > bytes_left(&b) / 8)
		return false;
	t->sorted = b.at;
	if (is_sorted(c, t))
		return true;
	t->sorted = NULL;
	return false;
}

/* List all functions of a section. Damage ends the list; entries before it stay valid. */
static void list_functions(const struct cfi *c, struct cfi_section *t)
{
	struct cie cie = { .off = UINT64_MAX };
	bool cie_ok = false, sorted = true;
	size_t off = 0;
	struct cfi_entry en;

	while (off < t->len && off < UINT32_MAX && entry_at(c, t, off, &en) == 1) {
		uint64_t start, len;

		if (!en.is_cie) {
			if (en.cie_off != cie.off) {
				cie_ok = read_cie(c, t, en.cie_off, &cie);
				cie.off = en.cie_off;
			}
			/* functions that the linker dropped stay at address 0 */
			if (cie_ok && read_fde(c, t, &cie, &en, &start, &len) && len && start) {
				if (t->fdes.len && t->fdes.items[t->fdes.len - 1].start > start)
					sorted = false;
				vec_push(&t->fdes, (struct fde){ start, (uint32_t)off });
			}
		}
		off = en.next;
	}
	if (!sorted)
		qsort(t->fdes.items, t->fdes.len, sizeof(struct fde), fde_order);
	t->n = t->fdes.len;
}

void cfi_index(const struct cfi *c, struct cfi_section *t)
{
	if (!t->is_eh || !c->hdr.data || !take_sorted(c, t))
		list_functions(c, t);
}

/* Count the functions that begin at an address or before. */
static size_t count_up_to(const struct cfi *c, const struct cfi_section *t, uint64_t addr)
{
	return search_count(i, t->n, start_of(c, t, i) <= addr);
}

/* ---- the program that computes a row ---- */

struct state {
	struct cfi_rule cfa, rules[ARCH_MAX_REGS];
	uint64_t ruled; /* a bit per register with another rule than CFI_SAME; only these are in `rules` */
	bool ret_signed;
};

struct each {
	cfi_each_row *fn;
	void *ctx;
	uint64_t from, to;
	union cfi_row_room room; /* holds the current row */
};

struct program {
	const struct cfi *cfi;
	const struct cie *cie;
	uint64_t loc, target;
	struct state now, initial;
	struct state *saved; /* room for MAX_STATES, which is too much to clear for every row */
	unsigned n_saved;
	bool done;         /* the row of `target` is complete */
	struct each *each; /* NULL, or the receiver of all rows */
	bool bad;
};

static uint8_t our_reg(const struct cfi *c, uint64_t dwarf_reg)
{
	return dwarf_reg < c->arch->n_dwarf ? c->arch->from_dwarf[dwarf_reg] : ARCH_NO_REG;
}

static void put_rule(struct state *s, struct cfi_rule rule)
{
	uint64_t bit = UINT64_C(1) << rule.reg;

	s->rules[rule.reg] = rule;
	s->ruled = rule.how == CFI_SAME ? s->ruled & ~bit : s->ruled | bit;
}

static void set_rule(struct program *p, uint64_t dwarf_reg, struct cfi_rule rule)
{
	uint8_t reg = our_reg(p->cfi, dwarf_reg);

	if (reg == ARCH_NO_REG) /* for example vector registers: not sampled and not needed */
		return;
	rule.reg = reg;
	put_rule(&p->now, rule);
}

static void set_offset(struct program *p, uint64_t dwarf_reg, enum cfi_how how, int64_t factored)
{
	int64_t offset = (int64_t)((uint64_t)factored * (uint64_t)p->cie->data_align);

	set_rule(p, dwarf_reg, (struct cfi_rule){ .how = how, .offset = offset });
}

static void set_expr(struct program *p, uint64_t dwarf_reg, enum cfi_how how, struct bytes *b)
{
	uint64_t len = bytes_uleb(b);
	const uint8_t *expr = bytes_take(b, len);

	if (expr && len <= MAX_PROGRAM)
		set_rule(p, dwarf_reg, (struct cfi_rule){ .how = how, .expr = expr, .expr_len = (uint32_t)len });
	else
		p->bad = true;
}

static void set_cfa(struct program *p, uint64_t dwarf_reg, int64_t offset)
{
	p->now.cfa = (struct cfi_rule){ .how = CFI_REGISTER, .reg = our_reg(p->cfi, dwarf_reg), .offset = offset };
}

static void set_cfa_expr(struct program *p, struct bytes *b)
{
	uint64_t len = bytes_uleb(b);
	const uint8_t *expr = bytes_take(b, len);

	if (expr && len <= MAX_PROGRAM)
		p->now.cfa = (struct cfi_rule){ .how = CFI_VAL_EXPR, .expr = expr, .expr_len = (uint32_t)len };
	else
		p->bad = true;
}

static void restore(struct program *p, uint64_t dwarf_reg)
{
	uint8_t reg = our_reg(p->cfi, dwarf_reg);
	uint64_t bit;

	if (reg == ARCH_NO_REG)
		return;
	bit = UINT64_C(1) << reg;
	p->now.ruled &= ~bit;
	if (p->initial.ruled & bit)
		put_rule(&p->now, p->initial.rules[reg]);
}

static const struct cfi_row *pack_row(const struct program *p, union cfi_row_room *room);

/* Report the row that holds from p->loc up to `to`. */
static void tell_row(const struct program *p, uint64_t to)
{
	struct each *each = p->each;
	uint64_t start = MAX(p->loc, each->from), end = MIN(to, each->to);
	const struct cfi_row *row = start < end ? pack_row(p, &each->room) : NULL;

	if (row)
		each->fn(each->ctx, start, end, row);
}

static void advance(struct program *p, uint64_t to)
{
	if (p->each && to > p->loc)
		tell_row(p, to);
	if (to > p->target)
		p->done = true;
	else
		p->loc = to;
}

static void remember(struct program *p)
{
	if (p->n_saved < MAX_STATES)
		p->saved[p->n_saved++] = p->now;
	else
		p->bad = true;
}

/* Restore the remembered state, including the CFA, as compilers expect. */
static void recall(struct program *p)
{
	if (p->n_saved)
		p->now = p->saved[--p->n_saved];
	else
		p->bad = true;
}

/* DW_CFA_* (DWARF 5, 7.24), and the GNU and vendor opcodes that binutils documents. */
enum {
	OP_NOP = 0x00,
	OP_SET_LOC,
	OP_ADVANCE1,
	OP_ADVANCE2,
	OP_ADVANCE4,
	OP_OFFSET_EXT,
	OP_RESTORE_EXT,
	OP_UNDEFINED,
	OP_SAME,
	OP_REGISTER,
	OP_REMEMBER,
	OP_RECALL,
	OP_DEF_CFA,
	OP_DEF_CFA_REG,
	OP_DEF_CFA_OFFSET,
	OP_DEF_CFA_EXPR,
	OP_EXPR,
	OP_OFFSET_EXT_SF,
	OP_DEF_CFA_SF,
	OP_DEF_CFA_OFFSET_SF,
	OP_VAL_OFFSET,
	OP_VAL_OFFSET_SF,
	OP_VAL_EXPR,
	OP_NEGATE_RA_STATE = 0x2d,
	OP_ARGS_SIZE = 0x2e,
	OP_NEGATIVE_OFFSET = 0x2f,
};

static void run_cfa(struct program *p, uint8_t op, struct bytes *b)
{
	int64_t scale = p->cie->data_align;
	uint64_t reg;

	switch (op) {
	case OP_DEF_CFA:
		reg = bytes_uleb(b);
		set_cfa(p, reg, (int64_t)bytes_uleb(b));
		break;
	case OP_DEF_CFA_SF:
		reg = bytes_uleb(b);
		set_cfa(p, reg, (int64_t)((uint64_t)bytes_sleb(b) * (uint64_t)scale));
		break;
	case OP_DEF_CFA_REG:
		p->now.cfa.reg = our_reg(p->cfi, bytes_uleb(b));
		p->now.cfa.how = CFI_REGISTER;
		break;
	case OP_DEF_CFA_OFFSET: p->now.cfa.offset = (int64_t)bytes_uleb(b); break;
	case OP_DEF_CFA_OFFSET_SF: p->now.cfa.offset = (int64_t)((uint64_t)bytes_sleb(b) * (uint64_t)scale); break;
	case OP_DEF_CFA_EXPR: set_cfa_expr(p, b); break;
	}
}

static void run_rule(struct program *p, uint8_t op, struct bytes *b)
{
	uint64_t reg = bytes_uleb(b);

	switch (op) {
	case OP_OFFSET_EXT: set_offset(p, reg, CFI_OFFSET, (int64_t)bytes_uleb(b)); break;
	case OP_OFFSET_EXT_SF: set_offset(p, reg, CFI_OFFSET, bytes_sleb(b)); break;
	case OP_NEGATIVE_OFFSET: set_offset(p, reg, CFI_OFFSET, -(int64_t)bytes_uleb(b)); break;
	case OP_VAL_OFFSET: set_offset(p, reg, CFI_VAL_OFFSET, (int64_t)bytes_uleb(b)); break;
	case OP_VAL_OFFSET_SF: set_offset(p, reg, CFI_VAL_OFFSET, bytes_sleb(b)); break;
	case OP_RESTORE_EXT: restore(p, reg); break;
	case OP_UNDEFINED: set_rule(p, reg, (struct cfi_rule){ .how = CFI_UNDEFINED }); break;
	case OP_SAME: set_rule(p, reg, (struct cfi_rule){ .how = CFI_SAME }); break;
	case OP_REGISTER:
		set_rule(p, reg, (struct cfi_rule){ .how = CFI_REGISTER, .offset = our_reg(p->cfi, bytes_uleb(b)) });
		break;
	case OP_EXPR: set_expr(p, reg, CFI_EXPR, b); break;
	case OP_VAL_EXPR: set_expr(p, reg, CFI_VAL_EXPR, b); break;
	}
}

static void run_op(struct program *p, uint8_t op, struct bytes *b)
{
	uint64_t code = p->cie->code_align;

	switch (op) {
	case OP_NOP: break;
	case OP_SET_LOC: advance(p, p->cie->word == 8 ? bytes_u64(b) : bytes_u32(b)); break;
	case OP_ADVANCE1: advance(p, p->loc + bytes_u8(b) * code); break;
	case OP_ADVANCE2: advance(p, p->loc + bytes_u16(b) * code); break;
	case OP_ADVANCE4: advance(p, p->loc + bytes_u32(b) * code); break;
	case OP_REMEMBER: remember(p); break;
	case OP_RECALL: recall(p); break;
	case OP_ARGS_SIZE: bytes_uleb(b); break;
	case OP_NEGATE_RA_STATE: /* this number has another meaning on SPARC */
		p->now.ret_signed = p->cfi->arch->signs_return && !p->now.ret_signed;
		break;
	case OP_DEF_CFA:
	case OP_DEF_CFA_REG:
	case OP_DEF_CFA_OFFSET:
	case OP_DEF_CFA_EXPR:
	case OP_DEF_CFA_SF:
	case OP_DEF_CFA_OFFSET_SF: run_cfa(p, op, b); break;
	case OP_OFFSET_EXT:
	case OP_RESTORE_EXT:
	case OP_UNDEFINED:
	case OP_SAME:
	case OP_REGISTER:
	case OP_EXPR:
	case OP_OFFSET_EXT_SF:
	case OP_VAL_OFFSET:
	case OP_VAL_OFFSET_SF:
	case OP_VAL_EXPR:
	case OP_NEGATIVE_OFFSET: run_rule(p, op, b); break;
	default: p->bad = true;
	}
}

static void run(struct program *p, struct bytes b)
{
	bool is_cut = bytes_left(&b) > MAX_PROGRAM;

	if (is_cut)
		b.end = b.at + MAX_PROGRAM;
	while (b.at < b.end && !b.bad && !p->done && !p->bad) {
		uint8_t op = bytes_u8(&b);

		switch (op >> 6) {
		case 0: run_op(p, op, &b); break;
		case 1: advance(p, p->loc + (op & 0x3f) * p->cie->code_align); break;
		case 2: set_offset(p, op & 0x3f, CFI_OFFSET, (int64_t)bytes_uleb(&b)); break;
		case 3: restore(p, op & 0x3f); break;
		}
	}
	p->bad |= b.bad || (is_cut && !p->done); /* the part cut off might have changed the row */
}

/* Note whether the row is of the usual kind, which steps have a short way for. */
static void find_plain(struct cfi_row *row, uint8_t sp)
{
	row->is_plain = row->cfa.how == CFI_REGISTER && row->n_rules;
	row->low = INT32_MAX;
	row->high = INT32_MIN;
	for (unsigned i = 0; i < row->n_rules; i++) {
		const struct cfi_rule *r = &row->rules[i];

		row->is_plain &= r->how == CFI_OFFSET && r->reg != sp && r->offset == (int32_t)r->offset;
		row->low = MIN(row->low, (int32_t)r->offset);
		row->high = MAX(row->high, (int32_t)r->offset);
	}
}

static const struct cfi_row *pack_row(const struct program *p, union cfi_row_room *room)
{
	struct cfi_row *row = &room->row;
	uint8_t ret = our_reg(p->cfi, p->cie->ret);

	if (ret == ARCH_NO_REG || p->now.cfa.how == CFI_SAME ||
	    (p->now.cfa.how == CFI_REGISTER && p->now.cfa.reg == ARCH_NO_REG))
		return NULL;
	*row = (struct cfi_row){
		.cfa = p->now.cfa, .ret = ret, .is_signal = p->cie->is_signal, .ret_signed = p->now.ret_signed
	};
	for (uint64_t left = p->now.ruled; left; left &= left - 1)
		row->rules[row->n_rules++] = p->now.rules[__builtin_ctzll(left)];
	find_plain(row, p->cfi->arch->sp);
	return row;
}

/* The entry of a function. */
struct cfi_program {
	uint64_t start, len;
	struct cie cie;
	struct bytes program;
};

static bool read_function(const struct cfi *c, const struct cfi_section *t, size_t i, struct cfi_program *f)
{
	struct cfi_entry en;

	if (entry_at(c, t, entry_of(c, t, i), &en) != 1 || en.is_cie || !read_cie(c, t, en.cie_off, &f->cie) ||
	    !read_fde(c, t, &f->cie, &en, &f->start, &f->len) || f->start != start_of(c, t, i))
		return false;
	f->program = en.body;
	return true;
}

/*
 * Run the part that is common to all entries of a CIE. `p` is uninitialized: clearing all rules takes longer than most
 * programs.
 */
static void begin(struct program *p, const struct cfi *c, const struct cfi_program *f, struct state *saved,
		  struct each *each)
{
	p->cfi = c;
	p->saved = saved;
	p->done = p->bad = false;
	p->now.cfa = (struct cfi_rule){ .how = CFI_SAME };
	p->now.ruled = p->initial.ruled = 0;
	p->now.ret_signed = false;
	p->cie = &f->cie;
	p->loc = f->start;
	/* initial state of the psABIs: the return address is where calls push it */
	if (c->arch->ret_at_cfa)
		put_rule(&p->now,
			 (struct cfi_rule){ .reg = c->arch->ip, .how = CFI_OFFSET, .offset = c->arch->ret_at_cfa });
	p->target = UINT64_MAX;
	p->each = NULL;
	p->n_saved = 0;
	run(p, f->cie.program);
	p->each = each;
	p->initial = p->now;
	p->n_saved = 0;
}

static const struct cfi_row *row_in(const struct cfi *c, const struct cfi_section *t, uint64_t addr,
				    union cfi_row_room *room)
{
	size_t n = count_up_to(c, t, addr);
	struct state saved[MAX_STATES];
	struct cfi_program f;
	struct program p;

	if (!n || !read_function(c, t, n - 1, &f) || addr - f.start >= f.len)
		return NULL;
	begin(&p, c, &f, saved, NULL);
	p.target = addr;
	run(&p, f.program);
	return p.bad ? NULL : pack_row(&p, room);
}

/* Report the rows of function number `i`, at most up to where the next function begins. */
static void rows_of(const struct cfi *c, const struct cfi_section *t, size_t i, struct each *each)
{
	struct state saved[MAX_STATES];
	uint64_t to = each->to, end;
	struct cfi_program f;
	struct program p;

	if (!read_function(c, t, i, &f) || f.len > UINT64_MAX - f.start)
		return;
	end = f.start + f.len;
	if (i + 1 < t->n)
		end = MIN(end, start_of(c, t, i + 1));
	begin(&p, c, &f, saved, each);
	each->to = MIN(to, end);
	p.target = each->to - 1;
	run(&p, f.program);
	/* Damage makes all later rows useless; the rows before it were reported. */
	if (!p.bad && !p.done)
		tell_row(&p, end);
	each->to = to;
}

void cfi_rows(const struct cfi *c, uint64_t from, uint64_t to, cfi_each_row *fn, void *ctx)
{
	const struct cfi_section *t = &c->tables[0];
	struct each each = { .fn = fn, .ctx = ctx, .from = from, .to = to };
	size_t i;

	if (!c->n_tables || from >= to)
		return;
	i = count_up_to(c, t, from);
	for (i -= i > 0; i < t->n && start_of(c, t, i) < to; i++)
		rows_of(c, t, i, &each);
}

bool cfi_has_more(const struct cfi *c) { return c->n_tables > 1; }

bool cfi_range(const struct cfi *c, uint64_t *from, uint64_t *to)
{
	const struct cfi_section *t = &c->tables[0];
	struct cfi_program last;

	if (!c->n_tables || !t->n || !read_function(c, t, t->n - 1, &last))
		return false;
	*from = start_of(c, t, 0);
	*to = last.start + last.len;
	return *to > *from;
}

const struct cfi_row *cfi_row_at(const struct cfi *c, uint64_t addr, union cfi_row_room *room)
{
	for (unsigned i = 0; i < c->n_tables; i++) {
		const struct cfi_row *row = row_in(c, &c->tables[i], addr, room);

		if (row)
			return row;
	}
	return NULL;
}

const struct cfi_row *cfi_row(const struct cfi *c, uint64_t addr, struct arena *arena)
{
	union cfi_row_room room;
	const struct cfi_row *row = cfi_row_at(c, addr, &room);

	return row ? arena_memdup(arena, row, sizeof(*row) + row->n_rules * sizeof(row->rules[0])) : NULL;
}

bool cfi_swapped(const struct cfi *c) { return c->swap; }

size_t cfi_functions(const struct cfi *c) { return c->n_tables && c->tables[0].is_eh ? c->tables[0].n : 0; }

struct cfi_function cfi_function(const struct cfi *c, size_t i)
{
	const struct cfi_section *t = &c->tables[0];

	return (struct cfi_function){ start_of(c, t, i), t->addr + entry_of(c, t, i) };
}
