#include "stat/expression_priv.h"

#include "base/vec_edit.h"

#include <ctype.h>
#include <math.h>

struct expression_step {
	enum {
		STEP_NUMBER,
		STEP_NAME,
		STEP_OR,
		STEP_XOR,
		STEP_AND,
		STEP_LESS,
		STEP_MORE,
		STEP_ADD,
		STEP_SUBTRACT,
		STEP_MULTIPLY,
		STEP_DIVIDE,
		STEP_MODULO,
		STEP_NEGATE,
		STEP_MIN,
		STEP_MAX,
		STEP_RATIO,
		STEP_CHOOSE
	} kind;
	double number;
	uint32_t name;
};

enum { DEEPEST = 64, STEPS_MAX = 4096, TEXT_MAX = 1 << 16 };

struct expression_parser {
	struct expression *x;
	const char *text, *at;
	const struct expression_lookup *lookup;
	unsigned depth;
	struct err *e;
};

static int complain(struct expression_parser *p, const char *what)
{
	err_set(p->e, "bad expression '%s'", p->text);
	return err_why(p->e, "%s at column %zu", what, (size_t)(p->at - p->text) + 1);
}

static void skip(struct expression_parser *p) { p->at += strspn(p->at, " \t\n"); }

static int step(struct expression_parser *p, int kind, double number, uint32_t name)
{
	if (p->x->steps.len == STEPS_MAX)
		return complain(p, "too long");
	vec_push(&p->x->steps, (struct expression_step){ .kind = kind, .number = number, .name = name });
	return 0;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || (c && strchr("_.:#@", c)); }

/* Take a word at p->at, into the arena; NULL if there is none. */
static const char *take_name(struct expression_parser *p)
{
	char *name = arena_alloc(&p->x->arena, strlen(p->at) + 1);
	size_t n = 0;

	while (in_name(*p->at) || (*p->at == '\\' && p->at[1])) {
		char c = *p->at == '\\' ? *++p->at : *p->at == '@' ? '/' : *p->at;

		name[n++] = c;
		p->at++;
	}
	return n ? name : NULL;
}

static int choice(struct expression_parser *p);

/* Take the word if it comes next. */
static bool word(struct expression_parser *p, const char *w)
{
	size_t len = strlen(w);

	skip(p);
	if (strncmp(p->at, w, len) || in_name(p->at[len]) || p->at[len] == '\\')
		return false;
	p->at += len;
	return true;
}

static int expect(struct expression_parser *p, char c)
{
	char text[] = "'x' is missing";

	skip(p);
	text[1] = c;
	if (*p->at != c)
		return complain(p, text);
	p->at++;
	return 0;
}

/* Parse "(a, b)". */
static int two(struct expression_parser *p, int kind)
{
	if (expect(p, '(') < 0 || choice(p) < 0 || expect(p, ',') < 0 || choice(p) < 0 || expect(p, ')') < 0)
		return -1;
	return step(p, kind, 0, 0);
}

static bool is_sign(char c) { return c == '+' || c == '-'; }

/* Parse by hand: strtod depends on the user's locale, and accepts hexadecimal and "inf". */
static double take_number(struct expression_parser *p)
{
	double v = 0, place = 1;
	int exponent = 0, sign = 1;

	for (; isdigit((unsigned char)*p->at); p->at++)
		v = v * 10 + (*p->at - '0');
	if (*p->at == '.')
		for (p->at++; isdigit((unsigned char)*p->at); p->at++)
			v += (*p->at - '0') * (place /= 10);
	if ((*p->at == 'e' || *p->at == 'E') &&
	    (isdigit((unsigned char)p->at[1]) || (is_sign(p->at[1]) && isdigit((unsigned char)p->at[2])))) {
		p->at++;
		if (is_sign(*p->at))
			sign = *p->at++ == '-' ? -1 : 1;
		for (; isdigit((unsigned char)*p->at); p->at++)
			exponent = MIN(exponent * 10 + (*p->at - '0'), 400);
	}
	return v * pow(10, sign * exponent);
}

/* Parse the expression that stands for a name in its place. */
static int expanded(struct expression_parser *p, const char *text)
{
	struct expression_parser inner = { .x = p->x, .text = text, .at = text, .lookup = p->lookup, .e = p->e };

	inner.depth = p->depth + 1;
	if (p->x->n_expanded++ == STEPS_MAX)
		return complain(p, "too long");
	if (choice(&inner) < 0)
		return -1;
	skip(&inner);
	return *inner.at ? complain(&inner, "nothing more is expected") : 0;
}

/* Parse "function(name)". */
static int called(struct expression_parser *p, const char *function)
{
	const char *name;
	double value;

	p->at++;
	skip(p);
	if (!(name = take_name(p)))
		return complain(p, "a name is expected");
	if (!p->lookup || !p->lookup->call || !p->lookup->call(function, name, &value, p->lookup->ctx))
		return complain(p, "an unknown function stands before the name");
	return expect(p, ')') < 0 ? -1 : step(p, STEP_NUMBER, value, 0);
}

static int named(struct expression_parser *p)
{
	const char *name = take_name(p), *text;

	if (!name)
		return complain(p, *p->at ? "a number or a name is expected" : "something is missing");
	if (*p->at == '(')
		return called(p, name);
	text = p->lookup && p->lookup->expand ? p->lookup->expand(name, p->lookup->ctx) : NULL;
	if (text)
		return expanded(p, text);
	for (uint32_t i = 0; i < p->x->names.len; i++)
		if (!strcmp(p->x->names.items[i], name))
			return step(p, STEP_NAME, 0, i);
	vec_push(&p->x->names, name);
	return step(p, STEP_NAME, 0, (uint32_t)p->x->names.len - 1);
}

static int operand(struct expression_parser *p)
{
	skip(p);
	if (*p->at == '(') {
		p->at++;
		return choice(p) < 0 ? -1 : expect(p, ')');
	}
	if (*p->at == '-') {
		int result;

		p->at++;
		if (++p->depth > DEEPEST)
			return complain(p, "nested too deep");
		result = operand(p);
		p->depth--;
		return result < 0 ? -1 : step(p, STEP_NEGATE, 0, 0);
	}
	if (word(p, "min"))
		return two(p, STEP_MIN);
	if (word(p, "max"))
		return two(p, STEP_MAX);
	if (word(p, "d_ratio"))
		return two(p, STEP_RATIO);
	if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
		return step(p, STEP_NUMBER, take_number(p), 0);
	return named(p);
}

/* Operators, lowest precedence first. */
static const struct {
	const char *signs;
	int kinds[3];
} levels[] = {
	{ "|", { STEP_OR } },
	{ "^", { STEP_XOR } },
	{ "&", { STEP_AND } },
	{ "<>", { STEP_LESS, STEP_MORE } },
	{ "+-", { STEP_ADD, STEP_SUBTRACT } },
	{ "*/%", { STEP_MULTIPLY, STEP_DIVIDE, STEP_MODULO } },
};

static int joined(struct expression_parser *p, size_t level)
{
	if (level == ARRAY_SIZE(levels))
		return operand(p);
	if (joined(p, level + 1) < 0)
		return -1;
	for (;;) {
		const char *sign;

		skip(p);
		sign = *p->at ? strchr(levels[level].signs, *p->at) : NULL;
		if (!sign)
			return 0;
		p->at++;
		if (joined(p, level + 1) < 0 || step(p, levels[level].kinds[sign - levels[level].signs], 0, 0) < 0)
			return -1;
	}
}

/* Parse the rest of "value if condition else otherwise". The steps of value begin at `first`. */
static int chosen(struct expression_parser *p, size_t first)
{
	struct expression *x = p->x;
	size_t condition = x->steps.len, otherwise;
	bool constant, yes;

	if (joined(p, 0) < 0)
		return -1;
	if (!word(p, "else"))
		return complain(p, "'else' is missing");
	otherwise = x->steps.len;
	if (choice(p) < 0)
		return -1;
	constant = otherwise == condition + 1 && x->steps.items[condition].kind == STEP_NUMBER;
	if (!constant)
		return step(p, STEP_CHOOSE, 0, 0);
	yes = x->steps.items[condition].number != 0;
	if (yes)
		x->steps.len = condition;
	else
		vec_remove(&x->steps, first, otherwise - first);
	return 0;
}

static int choice(struct expression_parser *p)
{
	size_t first = p->x->steps.len;
	int result = 0;

	if (++p->depth > DEEPEST)
		return complain(p, "nested too deep");
	if (joined(p, 0) < 0)
		return -1;
	if (word(p, "if"))
		result = chosen(p, first);
	p->depth--;
	return result;
}

/* Leave out the names that only dropped branches used. */
static void drop_names(struct expression *x)
{
	autofree uint32_t *place = xcalloc(x->names.len + 1, sizeof(*place));
	size_t n = 0;

	for (size_t i = 0; i < x->steps.len; i++)
		if (x->steps.items[i].kind == STEP_NAME)
			place[x->steps.items[i].name] = 1;
	for (size_t i = 0; i < x->names.len; i++) {
		bool used = place[i];

		place[i] = (uint32_t)n;
		if (used)
			x->names.items[n++] = x->names.items[i];
	}
	x->names.len = n;
	for (size_t i = 0; i < x->steps.len; i++)
		if (x->steps.items[i].kind == STEP_NAME)
			x->steps.items[i].name = place[x->steps.items[i].name];
}

int expression_parse(struct expression *x, const char *text, const struct expression_lookup *lookup, struct err *e)
{
	struct err own = { 0 };
	struct expression_parser p = { .x = x, .text = text, .at = text, .lookup = lookup, .e = e ? e : &own };

	if (strlen(text) > TEXT_MAX)
		return err_set(p.e, "an expression of %zu bytes is too long", strlen(text));
	if (choice(&p) < 0)
		return -1;
	skip(&p);
	if (*p.at)
		return complain(&p, "nothing more is expected");
	drop_names(x);
	return 0;
}

static double combine(int kind, double a, double b)
{
	switch (kind) {
	case STEP_OR: return (double)((int64_t)a | (int64_t)b);
	case STEP_XOR: return (double)((int64_t)a ^ (int64_t)b);
	case STEP_AND: return (double)((int64_t)a & (int64_t)b);
	case STEP_LESS: return a < b;
	case STEP_MORE: return a > b;
	case STEP_ADD: return a + b;
	case STEP_SUBTRACT: return a - b;
	case STEP_MULTIPLY: return a * b;
	case STEP_DIVIDE: return b == 0 ? NAN : a / b;
	case STEP_MODULO: return b == 0 ? NAN : fmod(a, b);
	case STEP_MIN: return a < b ? a : b;
	case STEP_MAX: return a > b ? a : b;
	case STEP_RATIO: return b == 0 ? 0 : a / b;
	default: return NAN;
	}
}

/* A number that does not fit in 64 bits has no bit operations. */
static bool is_number(double v) { return isfinite(v) && fabs(v) < 9e18; }

double expression_value(const struct expression *x, const double *values)
{
	autofree double *stack = xcalloc(x->steps.len + 1, sizeof(*stack));
	size_t n = 0;

	for (size_t i = 0; i < x->steps.len; i++) {
		const struct expression_step *s = &x->steps.items[i];

		if (s->kind == STEP_NUMBER || s->kind == STEP_NAME) {
			stack[n++] = s->kind == STEP_NUMBER ? s->number : values[s->name];
		} else if (s->kind == STEP_NEGATE) {
			stack[n - 1] = -stack[n - 1];
		} else if (s->kind == STEP_CHOOSE) { /* operands: value, condition, otherwise */
			n -= 2;
			stack[n - 1] = isnan(stack[n]) ? NAN : stack[n] != 0 ? stack[n - 1] : stack[n + 1];
		} else {
			bool bits = s->kind <= STEP_AND;

			n--;
			if (isnan(stack[n - 1]) || isnan(stack[n]) ||
			    (bits && !(is_number(stack[n - 1]) && is_number(stack[n]))))
				stack[n - 1] = NAN;
			else
				stack[n - 1] = combine(s->kind, stack[n - 1], stack[n]);
		}
	}
	return n ? stack[n - 1] : NAN;
}

void expression_release(struct expression *x)
{
	vec_free(&x->steps);
	vec_free(&x->names);
	arena_release(&x->arena);
}
