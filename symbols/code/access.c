/*
 * Find the type of the data that an instruction accesses. A register holds a pointer of known
 * type if a pointer variable lives in it there. Otherwise read the code backwards to the
 * instruction that wrote the register: it may copy another register, load a member of something
 * with a type, compute an address, or return a function's result.
 */
#include "symbols/code/access.h"

#include "base/hash.h"
#include "base/search.h"
#include "symbols/arch/arch.h"
#include "symbols/debug/data.h"
#include "symbols/code/disasm_data_priv.h"
#include "symbols/name/sources.h"

enum { MAX_STEPS = 2000, MAX_FOLLOWED = 12, MAX_FUNCTION = 1 << 20, CANARY = 0x28, FIELD_SIZE = 256 };

struct access_object {
	uint32_t dso;
	struct debug *debug;
};

struct jump {
	uint32_t to, from;
}; /* indexes of instructions */
struct insn_list {
	VEC(uint32_t);
};

struct access {
	struct symbols *symbols;
	struct strtab texts;
	VEC(struct access_object) objects;
	/* the function of the last question */
	uint32_t dso, symbol;
	bool ready;
	struct debug *debug;
	uint32_t object;         /* the object of `debug`, index in `objects` */
	uint64_t bias;           /* code address minus DWARF address */
	const struct arch *arch; /* of the function's code; the numbers of registers are those of DWARF */
	uint32_t function;       /* id of debug.h; it defines the frame base */
	VEC(struct insn_data) insns;
	VEC(struct jump) jumps; /* between instructions of the function, sorted by target */
	struct debug_places places;
	VEC(uint32_t) seen; /* by instruction: the last walk that visited it */
	uint32_t walks;
	unsigned steps; /* how many more instructions this question may visit */
};

/*
 * What a pointer points to, or where memory lies: `offset` bytes into something of the type (an
 * id of debug.h; 0 = unknown).
 */
struct pointee {
	uint32_t type;
	int64_t offset;
};

struct access *access_new(struct symbols *s)
{
	struct access *a = xcalloc(1, sizeof(*a));

	a->symbols = s;
	return a;
}

void access_free(struct access *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->objects.len; i++)
		debug_close(a->objects.items[i].debug);
	vec_free(&a->objects);
	vec_free(&a->insns);
	vec_free(&a->jumps);
	vec_free(&a->seen);
	vec_free(&a->places);
	strtab_free(&a->texts);
	free(a);
}

static struct debug *debug_of(struct access *a, uint32_t dso)
{
	const char *path = dso_file(a->symbols, dso);
	struct debug *d;

	for (size_t i = 0; i < a->objects.len; i++)
		if (a->objects.items[i].dso == dso) {
			a->object = (uint32_t)i;
			return a->objects.items[i].debug;
		}
	d = path ? debug_open(path, NULL, NULL) : NULL;
	/* Modules are loaded at other addresses than those in their DWARF. */
	if (d && (debug_is_relocatable(d) || !debug_has_dwarf(d))) {
		debug_close(d);
		d = NULL;
	}
	a->object = (uint32_t)a->objects.len;
	vec_push(&a->objects, (struct access_object){ dso, d });
	return d;
}

/* ---- the function around an instruction ---- */

static bool read_code(struct access *a, uint32_t dso, const struct symbol *sym)
{
	struct code code;
	struct disasm *disasm;
	struct code_cursor at;
	struct insn_data insn;

	if (sym->end <= sym->start || sym->end - sym->start > MAX_FUNCTION ||
	    dso_code(a->symbols, dso, sym->start, sym->end - sym->start, &code, NULL) < 0)
		return false;
	code.target.syntax = DISASM_INTEL;
	a->arch = arch_of_elf(code.target.machine);
	disasm = a->arch ? disasm_open(&code.target, NULL) : NULL;
	at = (struct code_cursor){ code.bytes, code.len, code.address };
	while (disasm && disasm_data(disasm, &at, &insn))
		vec_push(&a->insns, insn);
	disasm_close(disasm);
	code_release(&code);
	return a->insns.len;
}

/*
 * Return the index of the instruction at an address; the number of instructions if none begins
 * there.
 */
static size_t find_insn(const struct access *a, uint64_t address)
{
	size_t low = search_count(i, a->insns.len, a->insns.items[i].address < address);

	return low < a->insns.len && a->insns.items[low].address == address ? low : a->insns.len;
}

static int jump_order(const void *x, const void *y)
{
	const struct jump *a = x, *b = y;

	return a->to != b->to ? (a->to > b->to) - (a->to < b->to) : (a->from > b->from) - (a->from < b->from);
}

static void find_jumps(struct access *a)
{
	for (size_t i = 0; i < a->insns.len; i++) {
		const struct insn_data *from = &a->insns.items[i];
		size_t to = (from->kind == INSN_JUMP || from->kind == INSN_JUMP_IF) && from->has_target
				    ? find_insn(a, from->target)
				    : a->insns.len;

		if (to < a->insns.len)
			vec_push(&a->jumps, (struct jump){ (uint32_t)to, (uint32_t)i });
	}
	if (a->jumps.len)
		qsort(a->jumps.items, a->jumps.len, sizeof(*a->jumps.items), jump_order);
	a->seen.len = 0;
	vec_add(&a->seen, a->insns.len);
}

static void open_function(struct access *a, uint32_t dso, uint32_t symbol)
{
	const struct symbol *sym = dso_symbol(a->symbols, dso, symbol);
	struct debug_function f;

	if (a->dso == dso && a->symbol == symbol)
		return;
	a->dso = dso;
	a->symbol = symbol;
	a->insns.len = a->jumps.len = a->places.len = 0;
	a->ready = sym && read_code(a, dso, sym);
	if (!a->ready)
		return;
	find_jumps(a);
	a->debug = debug_of(a, dso);
	a->bias = dso_bias(a->symbols, dso);
	if (a->debug && debug_function_at(a->debug, sym->start - a->bias, &f)) {
		a->function = f.id;
		debug_function_places(a->debug, f.id, &a->places);
	}
}

/* ---- variables ---- */

static uint64_t pc_of(const struct access *a, size_t insn) { return a->insns.items[insn].address - a->bias; }

/* Return what a value of this type points to. */
static struct pointee pointee_of(struct access *a, uint32_t type)
{
	struct type_info t;

	debug_type(a->debug, type, &t);
	return (struct pointee){ t.kind == TYPE_POINTER ? debug_plain_type(a->debug, t.target, false) : 0, 0 };
}

/* Find a pointer variable that lives in the register. */
static struct pointee pointer_variable(struct access *a, size_t insn, int reg)
{
	uint64_t pc = pc_of(a, insn);

	for (size_t i = a->places.len; i--;) {
		const struct debug_place *p = &a->places.items[i];
		struct debug_location l;
		struct pointee to;

		if (pc < p->start || pc >= p->end)
			continue;
		debug_locate(a->debug, p->variable, a->function, pc, &l);
		if (l.where != WHERE_REGISTER || (int)l.reg != reg)
			continue;
		to = pointee_of(a, debug_variable_type(a->debug, p->variable));
		if (to.type)
			return to;
	}
	return (struct pointee){ 0 };
}

/* Return whether the register is the stack pointer or the frame pointer. */
static bool leads_to_stack(const struct access *a, int reg)
{
	unsigned ours = (unsigned)reg < a->arch->n_dwarf ? a->arch->from_dwarf[reg] : ARCH_NO_REG;

	return ours == a->arch->sp || ours == a->arch->fp;
}

/*
 * Find a variable on the stack at `offset` from the register. With other registers, a
 * variable's place is just another name for a member of something.
 */
static struct pointee memory_variable(struct access *a, size_t insn, int reg, int64_t offset)
{
	uint64_t pc = pc_of(a, insn);

	for (size_t i = leads_to_stack(a, reg) ? a->places.len : 0; i--;) {
		const struct debug_place *p = &a->places.items[i];
		struct debug_location l;
		uint32_t type;

		if (pc < p->start || pc >= p->end)
			continue;
		debug_locate(a->debug, p->variable, a->function, pc, &l);
		if (l.where != WHERE_MEMORY || (int)l.reg != reg || l.n_offsets != 1 || offset < l.offsets[0])
			continue;
		type = debug_plain_type(a->debug, debug_variable_type(a->debug, p->variable), false);
		if ((uint64_t)(offset - l.offsets[0]) < debug_type_size(a->debug, type))
			return (struct pointee){ type, offset - l.offsets[0] };
	}
	return (struct pointee){ 0 };
}

/* ---- following pointers ---- */

static struct pointee pointer_in(struct access *a, size_t insn, int reg, unsigned depth);

/*
 * Replace an array by its element. All elements have the same type, so use the offset inside
 * one element.
 */
static struct pointee in_element(struct access *a, struct pointee p)
{
	struct type_info t, element;

	debug_type(a->debug, p.type, &t);
	while (p.type && t.kind == TYPE_ARRAY) {
		p.type = debug_plain_type(a->debug, t.target, false);
		debug_type(a->debug, p.type, &element);
		if (p.offset < 0 || !element.size)
			return (struct pointee){ 0 };
		p.offset %= (int64_t)element.size;
		t = element;
	}
	return p;
}

/*
 * Check that the offset lies inside the type. A pointer to plain values may walk through an
 * array of them, but an offset outside a struct does not belong to it.
 */
static struct pointee checked(struct access *a, struct pointee p)
{
	uint64_t size = p.type ? debug_type_size(a->debug, p.type) : 0;
	struct type_info t;

	if (!size)
		return (struct pointee){ 0 };
	if (p.offset >= 0 && (uint64_t)p.offset < size)
		return p;
	debug_type(a->debug, p.type, &t);
	if (t.kind == TYPE_STRUCT || t.kind == TYPE_UNION || p.offset % (int64_t)size)
		return (struct pointee){ 0 };
	p.offset = 0;
	return p;
}

/* Find what lies at the memory operand of an instruction. */
static struct pointee memory_at(struct access *a, size_t insn, const struct memory_operand *m, unsigned depth)
{
	struct pointee p = { 0 };
	uint64_t offset = 0;

	if (m->segment)
		return p;
	if (m->is_static) {
		p.type = debug_static_at(a->debug, pc_of(a, insn), m->address - a->bias, &offset);
		p.offset = (int64_t)offset;
		return m->index == NO_REGISTER ? p : in_element(a, p);
	}
	p = memory_variable(a, insn, m->base, m->offset);
	if (p.type)
		return m->index == NO_REGISTER ? p : in_element(a, p);
	p = pointer_in(a, insn, m->base, depth);
	if (!p.type && m->index != NO_REGISTER)
		p = pointer_in(a, insn, m->index, depth);
	if (!p.type)
		return p;
	p.offset += m->offset;
	return checked(a, in_element(a, p));
}

/* Find the pointer that lies in memory. */
static struct pointee load(struct access *a, size_t insn, const struct memory_operand *m, unsigned depth)
{
	struct pointee at = memory_at(a, insn, m, depth);
	char path[FIELD_SIZE];
	uint64_t rest;
	uint32_t member;

	if (!at.type)
		return at;
	member = debug_member_at(a->debug, at.type, (uint64_t)at.offset, path, sizeof(path), &rest);
	at = in_element(a, (struct pointee){ member ? member : at.type, (int64_t)rest });
	return at.type && !at.offset ? pointee_of(a, at.type) : (struct pointee){ 0 };
}

static struct pointee result_of_call(struct access *a, const struct insn_data *call)
{
	struct debug_function f;
	uint64_t target = call->target - a->bias;

	if (!call->has_target || !debug_function_at(a->debug, target, &f) || f.entry != target)
		return (struct pointee){ 0 };
	return pointee_of(a, debug_return_type(a->debug, f.id));
}

/* Return whether a called function may change the register. */
static bool lost_by_call(const struct access *a, int reg) { return a->arch->call_loses >> reg & 1; }

/* Find what the instruction that wrote the register left in it. */
static struct pointee written(struct access *a, size_t insn, int reg, unsigned depth)
{
	const struct insn_data *i = &a->insns.items[insn];
	struct pointee p = { 0 };

	if (i->kind == INSN_CALL)
		return !reg ? result_of_call(a, i) : p;
	if (i->to != reg)
		return p;
	switch (i->flow) {
	case FLOW_COPY: return pointer_in(a, insn, i->from, depth);
	case FLOW_LOAD: return load(a, insn, &i->memory, depth);
	case FLOW_ADDRESS: return memory_at(a, insn, &i->memory, depth);
	case FLOW_ADD:
		p = pointer_in(a, insn, reg, depth);
		if (!p.type && i->from != NO_REGISTER)
			p = pointer_in(a, insn, i->from, depth);
		p.offset += i->add;
		return p;
	default: return p;
	}
}

/*
 * Add the instructions that may have run just before this one: the previous one, if it falls
 * through, and jumps to here.
 */
static void push_before(struct access *a, size_t insn, struct insn_list *ways)
{
	uint32_t to = (uint32_t)insn;
	size_t jump = search_count(i, a->jumps.len, a->jumps.items[i].to < to);

	for (; jump < a->jumps.len && a->jumps.items[jump].to == to; jump++)
		vec_push(ways, a->jumps.items[jump].from);
	if (insn && a->insns.items[insn - 1].kind != INSN_JUMP && a->insns.items[insn - 1].kind != INSN_RETURN)
		vec_push(ways, to - 1); /* last in, so taken first */
}

/*
 * Walk backwards from the instruction on every path, to where the register holds a variable or
 * was written.
 */
static struct pointee pointer_in(struct access *a, size_t insn, int reg, unsigned depth)
{
	struct insn_list ways = { 0 };
	struct pointee p = { 0 };
	uint32_t mark = ++a->walks;

	if (reg == NO_REGISTER || depth >= MAX_FOLLOWED)
		return p;
	p = pointer_variable(a, insn, reg);
	push_before(a, insn, &ways);
	while (!p.type && ways.len && a->steps) {
		size_t at = ways.items[--ways.len];
		const struct insn_data *i = &a->insns.items[at];

		if (a->seen.items[at] == mark)
			continue;
		a->seen.items[at] = mark;
		a->steps--;
		if (i->writes >> reg & 1 || (i->kind == INSN_CALL && lost_by_call(a, reg))) {
			p = written(a, at, reg, depth + 1);
			continue;
		}
		p = pointer_variable(a, at, reg);
		push_before(a, at, &ways);
	}
	vec_free(&ways);
	return p;
}

/* ---- the answer ---- */

static const char *keep(struct access *a, const char *text)
{
	return strtab_get(&a->texts, strtab_intern(&a->texts, text));
}

static struct access_type describe(struct access *a, struct pointee p)
{
	struct access_type t = {
		.kind = ACCESS_TYPE, .offset = (uint64_t)p.offset, .type = p.type, .object = a->object
	};
	autofree char *name = debug_type_text(a->debug, p.type);
	char path[FIELD_SIZE];
	uint64_t rest;

	t.name = keep(a, name);
	if (debug_member_at(a->debug, p.type, t.offset, path, sizeof(path), &rest) && *path)
		t.field = keep(a, path);
	return t;
}

static struct access_type unknown(enum access_gap gap)
{
	return (struct access_type){ .name = "(unknown)", .gap = gap };
}

static struct access_type of_insn(struct access *a, size_t at)
{
	const struct insn_data *insn = &a->insns.items[at];
	struct pointee p;

	if (insn->on_stack)
		return (struct access_type){ .kind = ACCESS_STACK, .name = "(stack operation)" };
	if (insn->memory.there && insn->memory.segment && insn->memory.is_static && insn->memory.address == CANARY)
		return (struct access_type){ .kind = ACCESS_CANARY, .name = "(stack canary)" };
	if (!insn->memory.there)
		return unknown(ACCESS_NO_MEMORY);
	if (!a->debug)
		return unknown(ACCESS_NO_DEBUG_INFO);
	a->steps = MAX_STEPS;
	p = memory_at(a, at, &insn->memory, 0);
	return p.type ? describe(a, p) : unknown(ACCESS_NO_TYPE);
}

/*
 * An instruction without memory access may have been sampled in place of one that the CPU fused
 * with it: return that one.
 */
static size_t sampled_for(const struct access *a, size_t at)
{
	while (at && !a->insns.items[at].memory.there && !a->insns.items[at].on_stack &&
	       a->insns.items[at].kind != INSN_JUMP && a->insns.items[at - 1].fuses)
		at--;
	return at;
}

static struct access_type find(struct access *a, uint32_t dso, uint64_t dso_off, bool exact)
{
	uint32_t symbol = dso_find(a->symbols, dso, dso_off);
	size_t at;

	if (!symbol)
		return unknown(ACCESS_NO_SYMBOL);
	open_function(a, dso, symbol);
	at = a->ready ? find_insn(a, dso_address(a->symbols, dso, dso_off)) : a->insns.len;
	return at < a->insns.len ? of_insn(a, exact ? at : sampled_for(a, at)) : unknown(ACCESS_NO_CODE);
}

struct access_type access_at(struct access *a, uint32_t dso, uint64_t dso_off) { return find(a, dso, dso_off, false); }

struct access_type access_of(struct access *a, uint32_t dso, uint64_t dso_off) { return find(a, dso, dso_off, true); }

/* ---- definitions ---- */

enum { MAX_MEMBERS = 4096, MAX_DEPTH = 8 };

static void add_member(struct access *a, struct debug *d, const struct debug_field *f, unsigned depth,
		       struct access_members *out)
{
	autofree char *text = debug_type_text(d, f->type);
	struct debug_fields fields = { 0 };
	struct access_member m = { .type = keep(a, text),
				   .name = keep(a, f->name ? f->name : ""),
				   .offset = f->offset,
				   .size = debug_type_size(d, f->type),
				   .depth = depth };
	struct type_info t;

	debug_type(d, f->type, &t);
	if ((t.kind == TYPE_STRUCT || t.kind == TYPE_UNION) && depth < MAX_DEPTH)
		debug_fields_of(d, f->type, &fields);
	m.opens = fields.len;
	vec_push(out, m);
	for (size_t i = 0; i < fields.len && out->len < MAX_MEMBERS; i++) {
		fields.items[i].offset += f->offset;
		add_member(a, d, &fields.items[i], depth + 1, out);
	}
	vec_free(&fields);
}

void access_members(struct access *a, const struct access_type *t, struct access_members *out)
{
	struct debug *d = t->kind == ACCESS_TYPE ? a->objects.items[t->object].debug : NULL;

	if (d)
		add_member(a, d, &(struct debug_field){ .type = t->type }, 0, out);
}
