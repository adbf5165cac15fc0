/*
 * Find the variables in scope and their places. Source: DWARF 5, 2.6 (locations), 3.5 (scopes),
 * 4.1 (variables).
 */
#include "symbols/debug/debug_priv.h"

static bool is_variable(int tag) { return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter; }

static bool declares_only(Dwarf_Die *die)
{
	return die_flag(die, DW_AT_declaration) && !dwarf_hasattr(die, DW_AT_location);
}

/*
 * The scopes with code at the address, from the function or copy inwards. Scopes from number
 * `own` on are inside copies inlined at this place.
 */
struct scopes {
	Dwarf_Die v[DEBUG_MAX_DEPTH];
	unsigned own, n;
};

static void find_scopes(struct debug *d, const Dwarf_Die *function, uint64_t address, struct scopes *s)
{
	bool deeper = true;

	s->v[0] = *function;
	s->n = s->own = 1;
	while (deeper && s->n < DEBUG_MAX_DEPTH) {
		Dwarf_Die die;

		deeper = false;
		if (dwarf_child(&s->v[s->n - 1], &die) != 0)
			return;
		do {
			int tag = dwarf_tag(&die);

			if (!debug_spend(d))
				return;
			if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
			    die_has(&die, address)) {
				s->v[s->n++] = die;
				s->own += s->own == s->n - 1 && tag == DW_TAG_lexical_block;
				deeper = true;
				break;
			}
		} while (dwarf_siblingof(&die, &die) == 0);
	}
}

static void add_children(struct debug *d, Dwarf_Die *scope, uint32_t unit, bool external, struct debug_variables *out)
{
	Dwarf_Die die;

	if (dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		const char *name;

		if (!debug_spend(d))
			return;
		if (external && tag == DW_TAG_namespace)
			add_children(d, &die, unit, true, out);
		if (!is_variable(tag) || declares_only(&die) || !(name = dwarf_diename(&die)))
			continue;
		vec_push(out, (struct debug_variable){ .id = debug_id(d, &die, unit),
						       .name = name,
						       .parameter = tag == DW_TAG_formal_parameter,
						       .external = external });
	} while (dwarf_siblingof(&die, &die) == 0);
}

/*
 * Return whether the variable is constant wherever it is in scope. perf does not list those
 * that are constant only at some addresses.
 */
static bool is_constant(struct debug *d, uint32_t variable)
{
	Dwarf_Die *die = debug_die(d, variable, NULL);

	return die && dwarf_hasattr(die, DW_AT_const_value);
}

void debug_find_variables(struct debug *d, uint32_t function, uint64_t address, bool externs,
			  struct debug_variables *out)
{
	uint32_t unit;
	Dwarf_Die *die = debug_die(d, function, &unit);
	struct scopes *s;
	size_t before = out->len;

	if (!die)
		return;
	s = xmalloc(sizeof(*s));
	find_scopes(d, die, address, s);
	for (unsigned i = s->n; i--;)
		add_children(d, &s->v[i], unit, false, out);
	free(s);
	if (externs)
		add_children(d, debug_unit_top(d, unit), unit, true, out);
	for (size_t i = before; i < out->len; i++) {
		struct debug_location l;

		debug_locate(d, out->items[i].id, function, address, &l);
		out->items[i].here = l.where == WHERE_REGISTER || l.where == WHERE_MEMORY || l.where == WHERE_STATIC ||
				     l.begins || is_constant(d, out->items[i].id);
	}
}

static uint32_t find_child(struct debug *d, Dwarf_Die *scope, uint32_t unit, const char *name, bool external)
{
	Dwarf_Die die;
	uint32_t inner;

	if (dwarf_child(scope, &die) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&die);
		const char *text;

		if (!debug_spend(d))
			return 0;
		if (external && tag == DW_TAG_namespace && (inner = find_child(d, &die, unit, name, true)))
			return inner;
		if (is_variable(tag) && !declares_only(&die) && (text = dwarf_diename(&die)) && !strcmp(text, name))
			return debug_id(d, &die, unit);
	} while (dwarf_siblingof(&die, &die) == 0);
	return 0;
}

uint32_t debug_find_variable(struct debug *d, uint32_t function, uint64_t address, const char *name)
{
	uint32_t unit, id = 0;
	Dwarf_Die *die = debug_die(d, function, &unit);
	struct scopes *s;

	if (!die)
		return 0;
	s = xmalloc(sizeof(*s));
	find_scopes(d, die, address, s);
	for (unsigned i = s->own; i-- && !id;)
		id = find_child(d, &s->v[i], unit, name, false);
	for (unsigned i = s->own; i < s->n && !id; i++)
		id = find_child(d, &s->v[i], unit, name, false);
	free(s);
	return id ? id : find_child(d, debug_unit_top(d, unit), unit, name, true);
}

uint32_t debug_variable_type(struct debug *d, uint32_t variable)
{
	uint32_t unit;
	Dwarf_Die *die = debug_die(d, variable, &unit), type;
	Dwarf_Attribute attr;

	if (!die || !dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &type))
		return 0;
	return debug_id(d, &type, unit);
}

/* ---- locations ---- */

static void nowhere(struct debug_location *l, enum debug_where where, const char *why)
{
	*l = (struct debug_location){ .where = where, .why = why };
}

/*
 * Compute where the caller's frame begins, as register and offset, from the call frame
 * information.
 */
static bool frame_address(struct debug *d, uint64_t address, uint32_t *reg, int64_t *offset)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t n;
	bool ok = false;

	if (!d->cfi_tried) {
		d->cfi_tried = true;
		dwarf_object_need_locations(&d->dwarf);
		d->debug_frame = dwarf_getcfi(d->dwarf.dwarf);
		d->eh_frame = dwarf_getcfi_elf(d->object->image->elf);
	}
	if ((!d->eh_frame || dwarf_cfi_addrframe(d->eh_frame, address, &frame) != 0) &&
	    (!d->debug_frame || dwarf_cfi_addrframe(d->debug_frame, address, &frame) != 0))
		return false;
	if (dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1) {
		if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
			*reg = ops[0].atom - DW_OP_breg0;
			*offset = (int64_t)ops[0].number;
			ok = true;
		} else if (ops[0].atom == DW_OP_bregx) {
			*reg = (uint32_t)ops[0].number;
			*offset = (int64_t)ops[0].number2;
			ok = ops[0].number < 1024;
		}
	}
	free(frame);
	return ok;
}

/* Find the real function around a copy. */
static bool real_function(struct debug *d, uint32_t function, uint64_t address, Dwarf_Die *die)
{
	Dwarf_Die *known = debug_die(d, function, NULL);
	struct debug_function f;

	if (!known)
		return false;
	*die = *known;
	if (dwarf_tag(die) == DW_TAG_subprogram)
		return true;
	if (!debug_function_at(d, address, &f) || !(known = debug_die(d, f.id, NULL)))
		return false;
	*die = *known;
	return true;
}

struct evaluation {
	struct debug *d;
	uint32_t function;
	uint64_t address;
	struct debug_location *l;
	const Dwarf_Attribute *attr; /* attribute that contains the expression */
	bool started, value;         /* value: the result is the variable's value, not its address */
	unsigned depth;
};

static bool evaluate(struct evaluation *ev, const Dwarf_Op *ops, size_t n);
static bool add_offset(struct evaluation *ev, int64_t offset);

static bool start_memory(struct evaluation *ev, uint32_t reg, int64_t offset)
{
	if (ev->started)
		return false;
	ev->started = true;
	ev->l->where = WHERE_MEMORY;
	ev->l->reg = reg;
	ev->l->offsets[0] = offset;
	ev->l->n_offsets = 1;
	return true;
}

/* Start relative to the frame base of the function, which is an expression too. */
static bool start_frame(struct evaluation *ev, int64_t offset)
{
	const Dwarf_Attribute *outer;
	Dwarf_Attribute attr;
	Dwarf_Die die;
	Dwarf_Op *ops;
	size_t n;

	if (ev->depth || ev->started || !real_function(ev->d, ev->function, ev->address, &die))
		return false;
	if (!dwarf_attr_integrate(&die, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, ev->address, &ops, &n, 1) != 1)
		return false;
	ev->depth++;
	outer = ev->attr;
	ev->attr = &attr;
	if (!evaluate(ev, ops, n))
		return false;
	ev->attr = outer;
	ev->depth--;
	if (ev->l->where == WHERE_REGISTER) { /* the register holds the base */
		ev->l->where = WHERE_MEMORY;
		ev->l->offsets[0] = 0;
		ev->l->n_offsets = 1;
	}
	return ev->l->where == WHERE_MEMORY && add_offset(ev, offset);
}

static bool add_offset(struct evaluation *ev, int64_t offset)
{
	struct debug_location *l = ev->l;

	if (!ev->started)
		return false;
	/* The numbers are foreign: sums may wrap around. */
	if (l->where == WHERE_MEMORY)
		l->offsets[l->n_offsets - 1] = (int64_t)((uint64_t)l->offsets[l->n_offsets - 1] + (uint64_t)offset);
	else
		l->address += (uint64_t)offset;
	return l->where == WHERE_MEMORY || l->where == WHERE_STATIC || l->where == WHERE_CONSTANT;
}

static bool dereference(struct evaluation *ev)
{
	struct debug_location *l = ev->l;

	if (l->where != WHERE_MEMORY || l->n_offsets == ARRAY_SIZE(l->offsets))
		return false;
	l->offsets[l->n_offsets++] = 0;
	return true;
}

static bool constant(struct evaluation *ev, uint64_t value)
{
	if (ev->started)
		return false;
	ev->started = true;
	ev->l->where = WHERE_CONSTANT;
	ev->l->address = value;
	return true;
}

/* Read an address from the table in .debug_addr. */
static bool indexed_address(const struct evaluation *ev, const Dwarf_Op *op, uint64_t *address)
{
	Dwarf_Attribute attr = *ev->attr, entry;

	return dwarf_getlocation_attr(&attr, op, &entry) == 0 && dwarf_formaddr(&entry, address) == 0;
}

static bool step(struct evaluation *ev, const Dwarf_Op *op)
{
	struct debug_location *l = ev->l;
	int64_t offset;
	uint32_t reg;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return start_memory(ev, op->atom - DW_OP_breg0, (int64_t)op->number);
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return constant(ev, op->atom - DW_OP_lit0);
	if ((op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) || op->atom == DW_OP_regx) {
		if (ev->started || (op->atom == DW_OP_regx && op->number > 1023))
			return false;
		ev->started = true;
		l->where = WHERE_REGISTER;
		l->reg = op->atom == DW_OP_regx ? (uint32_t)op->number : (uint32_t)op->atom - DW_OP_reg0;
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx: return op->number <= 1023 && start_memory(ev, (uint32_t)op->number, (int64_t)op->number2);
	case DW_OP_fbreg: return start_frame(ev, (int64_t)op->number);
	case DW_OP_call_frame_cfa:
		return frame_address(ev->d, ev->address, &reg, &offset) && start_memory(ev, reg, offset);
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (ev->started)
			return false;
		ev->started = true;
		l->where = WHERE_STATIC;
		l->address = op->number;
		return op->atom == DW_OP_addr || indexed_address(ev, op, &l->address);
	case DW_OP_plus_uconst: return add_offset(ev, (int64_t)op->number);
	case DW_OP_deref: return dereference(ev);
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_constu:
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
	case DW_OP_consts: return constant(ev, op->number);
	case DW_OP_nop: return true;
	case DW_OP_stack_value: ev->value = true; return ev->started;
	default: return false;
	}
}

/* Explain why the kernel's fetch arguments cannot express this location. */
static const char *reason(const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (ops[i].atom) {
		case DW_OP_piece:
		case DW_OP_bit_piece: return "it lies in several pieces";
		case DW_OP_form_tls_address:
		case DW_OP_GNU_push_tls_address: return "each thread has its own";
		case DW_OP_entry_value:
		case DW_OP_GNU_entry_value: return "only its value at the entry of the function is known";
		case DW_OP_implicit_pointer:
		case DW_OP_GNU_implicit_pointer:
		case DW_OP_implicit_value: return "it has no place, only a value in the debug information";
		case DW_OP_stack_value: return "its value has to be computed";
		}
	return "its place has to be computed";
}

static bool evaluate(struct evaluation *ev, const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!step(ev, &ops[i]))
			return false;
	return ev->started;
}

/*
 * Turn a computed value into something to fetch: the last step must have read it from memory,
 * or it is a constant. An address in the object does not qualify: it moves when the object is
 * loaded.
 */
static bool take_value(struct debug_location *l)
{
	if (l->where == WHERE_CONSTANT)
		return true;
	if (l->where != WHERE_MEMORY || l->offsets[l->n_offsets - 1])
		return false;
	l->n_offsets--;
	if (!l->n_offsets)
		l->where = WHERE_REGISTER;
	return true;
}

/*
 * Return whether the expression begins with a place. perf lists such variables, whatever the
 * rest computes.
 */
static bool begins_with_place(unsigned op)
{
	return (op >= DW_OP_breg0 && op <= DW_OP_breg31) || (op >= DW_OP_reg0 && op <= DW_OP_reg31) ||
	       op == DW_OP_bregx || op == DW_OP_regx || op == DW_OP_fbreg || op == DW_OP_addr;
}

void debug_locate(struct debug *d, uint32_t variable, uint32_t function, uint64_t address, struct debug_location *l)
{
	uint32_t unit;
	Dwarf_Die *known = debug_die(d, variable, &unit), die;
	struct evaluation ev = { .d = d, .function = function, .address = address, .l = l };
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Op *ops;
	size_t n;

	nowhere(l, WHERE_NOWHERE, "it was optimised out");
	if (!known)
		return;
	die = *known;
	dwarf_object_need_locations(&d->dwarf);
	if (!dwarf_attr_integrate(&die, DW_AT_location, &attr)) {
		Dwarf_Sword s;

		if (!dwarf_attr_integrate(&die, DW_AT_const_value, &attr))
			return;
		if (dwarf_formsdata(&attr, &s) == 0)
			*l = (struct debug_location){ .where = WHERE_CONSTANT, .address = (uint64_t)s };
		else if (dwarf_formudata(&attr, &value) == 0)
			*l = (struct debug_location){ .where = WHERE_CONSTANT, .address = value };
		else
			nowhere(l, WHERE_UNSUPPORTED, "it is a constant that fits no register");
		return;
	}
	if (dwarf_getlocation_addr(&attr, address, &ops, &n, 1) != 1 || !n)
		return;
	*l = (struct debug_location){ 0 };
	ev.attr = &attr;
	if (!evaluate(&ev, ops, n) || (ev.value && !take_value(l)))
		*l = (struct debug_location){ .where = WHERE_UNSUPPORTED,
					      .why = reason(ops, n),
					      .begins = begins_with_place(ops[0].atom) };
	else if (l->where == WHERE_CONSTANT && !ev.value)
		l->where = WHERE_STATIC; /* a number without stack_value is an address */
}

void debug_variable_ranges(struct debug *d, uint32_t variable, uint32_t function, struct debug_ranges *out)
{
	Dwarf_Die *known = debug_die(d, variable, NULL), die;
	Dwarf_Addr base, start, end;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t n;

	if (!known)
		return;
	die = *known;
	dwarf_object_need_locations(&d->dwarf);
	if (!dwarf_attr_integrate(&die, DW_AT_location, &attr))
		return;
	if (dwarf_getlocation(&attr, &ops, &n) == 0) { /* no list: the same everywhere */
		vec_push(out, (struct debug_range){ 0, UINT64_MAX });
		return;
	}
	while (debug_spend(d) && (at = dwarf_getlocations(&attr, at, &base, &start, &end, &ops, &n)) > 0)
		vec_push(out, (struct debug_range){ start, end });
}

void debug_scope_ranges(struct debug *d, uint32_t variable, struct debug_ranges *out)
{
	Dwarf_Die *die = debug_die(d, variable, NULL);
	autofree Dwarf_Die *scopes = NULL;
	int n = die ? dwarf_getscopes_die(die, &scopes) : 0;

	for (int i = 1; i < n && !out->len; i++) {
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		while (debug_spend(d) && (at = dwarf_ranges(&scopes[i], at, &base, &start, &end)) > 0)
			vec_push(out, (struct debug_range){ start, end });
	}
}
