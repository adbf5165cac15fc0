#include "probe/sdt_priv.h"

#include <ctype.h>
#include <elf.h>

#include "base/bytes.h"
#include "probe/registers_priv.h"

enum { SDT_TYPE = 3, MAX_ARGS = 12 };

static uint64_t word(struct bytes *b, bool is_64) { return is_64 ? bytes_u64(b) : bytes_u32(b); }

static const char *text(struct bytes *b, struct arena *arena)
{
	const char *s = bytes_cstr(b);

	return s ? arena_strdup(arena, s) : "";
}

void sdt_parse(const uint8_t *notes, size_t len, bool swap, bool is_64, uint64_t base, struct sdt_markers *out,
	       struct arena *arena)
{
	struct bytes b = bytes_of(notes, len, swap);

	while (bytes_left(&b) >= 12) {
		uint32_t name_size = bytes_u32(&b), size = bytes_u32(&b), type = bytes_u32(&b);
		const uint8_t *name = bytes_take(&b, ROUND_UP((uint64_t)name_size, 4)),
			      *desc = bytes_take(&b, ROUND_UP((uint64_t)size, 4));
		struct sdt_marker m = { 0 };
		struct bytes note;
		uint64_t was;

		if (b.bad)
			return;
		if (type != SDT_TYPE || name_size != 8 || memcmp(name, "stapsdt", 8))
			continue;
		note = bytes_of(desc, size, swap);
		m.address = word(&note, is_64);
		was = word(&note, is_64);
		m.semaphore = word(&note, is_64);
		m.provider = text(&note, arena);
		m.name = text(&note, arena);
		m.args = text(&note, arena);
		if (note.bad || !*m.name)
			continue;
		/* moved since (prelink): by the same distance as the base section */
		if (base && was) {
			m.address += base - was;
			m.semaphore += m.semaphore ? base - was : 0;
		}
		vec_push(out, m);
	}
}

void sdt_read(struct debug *d, struct sdt_markers *out, struct arena *arena)
{
	uint64_t base = 0;
	size_t len, ignored;
	const uint8_t *notes = debug_section(d, ".note.stapsdt", &len, NULL);

	debug_section(d, ".stapsdt.base", &ignored, &base);
	if (notes)
		sdt_parse(notes, len, debug_swaps(d), debug_is_64(d), base, out, arena);
}

/*
 * Return the kernel's name for "%rdi", "%edi", "%dil", "%r8d"; NULL if it is no whole register of
 * x86.
 */
static const char *x86_register(const char *s, size_t len)
{
	static const struct {
		const char *ours, *names;
	} rows[] = {
		{ "%ax", " rax eax ax al " },       { "%bx", " rbx ebx bx bl " },
		{ "%cx", " rcx ecx cx cl " },       { "%dx", " rdx edx dx dl " },
		{ "%si", " rsi esi si sil " },      { "%di", " rdi edi di dil " },
		{ "%bp", " rbp ebp bp bpl " },      { "%sp", " rsp esp sp spl " },
		{ "%r8", " r8 r8d r8w r8b " },      { "%r9", " r9 r9d r9w r9b " },
		{ "%r10", " r10 r10d r10w r10b " }, { "%r11", " r11 r11d r11w r11b " },
		{ "%r12", " r12 r12d r12w r12b " }, { "%r13", " r13 r13d r13w r13b " },
		{ "%r14", " r14 r14d r14w r14b " }, { "%r15", " r15 r15d r15w r15b " },
	};
	char padded[16];

	if (len > 8 || snprintf(padded, sizeof(padded), " %.*s ", (int)len, s) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strstr(rows[i].names, padded))
			return rows[i].ours;
	return NULL;
}

/* Convert one x86 operand: "-20(%rbp)", "%rdi", "$5". NULL if the kernel cannot fetch it. */
static const char *x86_operand(const char *op, struct arena *arena)
{
	const char *percent = strchr(op, '%'), *reg, *bracket = strchr(op, '(');
	char *end;
	long long offset;

	if (*op == '$') {
		strtoll(op + 1, &end, 0);
		return *end ? NULL : arena_printf(arena, "\\%s", op + 1);
	}
	if (!percent || strchr(percent + 1, '%') || strchr(op, ','))
		return NULL;
	reg = x86_register(percent + 1, strcspn(percent + 1, ")"));
	if (!reg)
		return NULL;
	if (!bracket)
		return percent == op ? reg : NULL;
	offset = strtoll(op, &end, 0);
	return end == bracket ? arena_printf(arena, "%+lld(%s)", offset, reg) : NULL;
}

/* Convert one operand: "x0", "[sp, 16]", "5". */
static const char *aarch64_operand(const char *op, struct arena *arena)
{
	long long offset = 0;
	char *end;
	int n;

	if ((op[0] == 'x' || op[0] == 'w') && isdigit((unsigned char)op[1]) && (n = atoi(op + 1)) < 31)
		return arena_printf(arena, "%%x%d", n);
	if (op[0] == '[') {
		const char *comma = strchr(op, ',');
		size_t len = strcspn(op + 1, ",]");

		if (comma) {
			offset = strtoll(comma + 1 + strspn(comma + 1, " #"), &end, 0);
			if (*end != ']')
				return NULL;
		}
		if ((len == 2 && !strncmp(op + 1, "sp", 2)) || (op[1] == 'x' && len <= 3))
			return arena_printf(arena, "%+lld(%%%.*s)", offset, (int)len, op + 1);
		return NULL;
	}
	strtoll(op, &end, 0);
	return end != op && !*end ? arena_printf(arena, "\\%s", op) : NULL;
}

/*
 * The syntax of markers' operands: that of the machine's assembler. To add an architecture, write a function that
 * converts one operand to the kernel's syntax, or returns NULL if the kernel cannot fetch it. Without a row, markers
 * have no arguments.
 */
static const struct {
	uint16_t machine;
	const char *(*convert)(const char *op, struct arena *arena);
} operands[] = { { EM_X86_64, x86_operand }, { EM_386, x86_operand }, { EM_AARCH64, aarch64_operand } };

static const char *operand(uint16_t machine, const char *op, struct arena *arena)
{
	for (size_t i = 0; i < ARRAY_SIZE(operands); i++)
		if (operands[i].machine == machine)
			return operands[i].convert(op, arena);
	return NULL;
}

bool sdt_trace(const struct sdt_marker *m, struct debug *d, struct trace_probe *t, struct arena *arena)
{
	uint64_t reference;

	if (!debug_file_offset(d, m->address, &t->offset))
		return false;
	if (m->semaphore && debug_file_offset(d, m->semaphore, &reference))
		t->reference = reference;
	t->group = arena_printf(arena, "sdt_%.58s", probe_c_name(m->provider, arena));
	t->event = arena_printf(arena, "%.60s", probe_c_name(m->name, arena));
	sdt_args(m, debug_machine(d), t, arena);
	return true;
}

void sdt_args(const struct sdt_marker *m, uint16_t machine, struct trace_probe *t, struct arena *arena)
{
	char *all = arena_strdup(arena, m->args), *word, *rest = all;

	for (unsigned n = 1; n <= MAX_ARGS && (word = strsep(&rest, " ")); n++) {
		char *at = strchr(word, '@'), *close;
		long size = at ? strtol(word, NULL, 10) : 8, bytes = size < 0 && size >= -8 ? -size : size;
		const char *op = at ? at + 1 : word, *fetch;

		if (!*word) {
			n--;
			continue;
		}
		/* has a blank inside */
		if (*op == '[' && !strchr(op, ']') && rest && (close = strchr(rest, ']'))) {
			rest[-1] = ' ';
			rest = close[1] ? close + 2 : NULL;
			close[1] = 0;
		}
		fetch = operand(machine, op, arena);
		if (!fetch || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
			continue;
		vec_push(&t->args, (struct trace_arg){ .name = arena_printf(arena, "arg%u", n),
						       .fetch = arena_printf(arena, "%s:%c%ld", fetch,
									     size < 0 ? 's' : 'u', 8 * bytes) });
	}
}
