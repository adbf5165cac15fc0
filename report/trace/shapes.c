/* What the arguments of a call are called and what they are, from the kernel's formats of syscalls:sys_enter_NAME. */
#include "events/events.h"
#include "report/trace/trace_priv.h"

/* Calls whose events have another name. Source: include/linux/syscalls.h, SYSCALL_DEFINE. */
static const struct {
	const char *call, *event;
} other_names[] = {
	{ "stat", "newstat" },   { "fstat", "newfstat" },      { "lstat", "newlstat" }, { "uname", "newuname" },
	{ "umount2", "umount" }, { "sendfile", "sendfile64" }, { "_sysctl", "sysctl" }, { "fstatat", "newfstatat" },
};

const char *trace_call_event(const char *call)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_names); i++)
		if (!strcmp(call, other_names[i].call))
			return other_names[i].event;
	return call;
}

const char *trace_call_alias(const struct syscall_names *names, const char *name)
{
	for (size_t i = 0; syscall_number(names, name) < 0 && i < ARRAY_SIZE(other_names); i++) {
		if (!strcmp(name, other_names[i].event) && syscall_number(names, other_names[i].call) >= 0)
			return other_names[i].call;
		if (!strcmp(name, other_names[i].call) && syscall_number(names, other_names[i].event) >= 0)
			return other_names[i].event;
	}
	return name;
}

/* ---- the size of a type ---- */

static bool is_one_of(const char *type, const char *const *types, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static void set_type(struct shape_arg *a, const char *type)
{
	static const char *const signed_ints[] = { "int",       "pid_t",   "const int",    "mqd_t",          "key_t",
						   "clockid_t", "timer_t", "key_serial_t", "const clockid_t" };
	static const char *const unsigned_ints[] = { "unsigned int", "unsigned", "uid_t", "gid_t", "u32",
						     "__u32",        "umode_t",  "rwf_t", "qid_t", "uint32_t" };

	a->size = 8;
	a->is_signed = !strchr(type, '*') && strncmp(type, "unsigned", 8) && strcmp(type, "size_t");
	if (is_one_of(type, signed_ints, ARRAY_SIZE(signed_ints))) {
		a->size = 4;
	} else if (is_one_of(type, unsigned_ints, ARRAY_SIZE(unsigned_ints))) {
		a->size = 4;
		a->is_signed = false;
	}
}

/* ---- shapes ---- */

/* Data of the program that newer kernels add: it belongs to an argument, and is none. */
static bool is_user_data(const struct trace_field *f)
{
	size_t len = strlen(f->name);

	return (f->flags & TRACE_FIELD_DYNAMIC) && len > 6 && !strncmp(f->name, "__", 2) &&
	       !strcmp(f->name + len - 4, "_val");
}

static void add_argument(struct trace *t, struct call_shape *shape, const struct trace_field *f)
{
	struct shape_arg *a = &shape->args[shape->n_args++];
	const char *type = f->type;
	size_t len = strlen(type);

	while (len && type[len - 1] == ' ')
		len--;
	type = arena_strndup(&t->arena, type, len);
	a->name = arena_strdup(&t->arena, f->name);
	a->kind = argument_kind_of(shape->name, f->name, type);
	set_type(a, type);
}

static bool read_format(struct trace *t, struct call_shape *shape)
{
	char event[64];
	size_t len;
	struct trace_format f = { 0 };
	autofree char *text = NULL;
	bool found;

	snprintf(event, sizeof(event), "sys_enter_%s", trace_call_event(shape->name));
	text = tracepoint_format("syscalls", event, &len, NULL);
	found = text && trace_format_parse(&f, text, len, sizeof(long), NULL) == 0;
	for (size_t i = 0; found && i < f.fields.len && shape->n_args < ARGS_MOST; i++) {
		const struct trace_field *field = &f.fields.items[i];

		if (!(field->flags & TRACE_FIELD_COMMON) && strcmp(field->name, "__syscall_nr") &&
		    strcmp(field->name, "nr") && !is_user_data(field))
			add_argument(t, shape, field);
	}
	trace_format_release(&f);
	return found;
}

/* The kernel does not describe it: all six words may mean something. */
static void number_arguments(struct call_shape *shape)
{
	static const char *const names[ARGS_MOST] = { "arg0", "arg1", "arg2", "arg3", "arg4", "arg5" };

	shape->n_args = ARGS_MOST;
	for (unsigned i = 0; i < ARGS_MOST; i++)
		shape->args[i] = (struct shape_arg){ .name = names[i],
						     .kind = argument_kind_of(shape->name, names[i], "unsigned long"),
						     .size = 8 };
}

const struct call_shape *trace_shape(struct trace *t, int64_t number)
{
	struct call_shape *shape;
	const char *name = syscall_name(t->names, number);

	if (number < 0 || number >= SYSCALLS_MOST)
		number = SYSCALLS_MOST - 1;
	if (t->shapes[number])
		return t->shapes[number];
	shape = arena_alloc(&t->arena, sizeof(*shape));
	shape->name = name ? name : arena_printf(&t->arena, "syscall_%lld", (long long)number);
	if (!name || !read_format(t, shape))
		number_arguments(shape);
	return t->shapes[number] = shape;
}

unsigned trace_pointed_index(const struct call_shape *shape, unsigned index)
{
	unsigned n = 0;

	for (unsigned i = 0; i < index; i++)
		n += shape->args[i].kind->points_at != TRACE_POINTS_NOWHERE;
	return shape->args[index].kind->points_at ? MIN(n, (unsigned)POINTED_MOST) : POINTED_MOST;
}

unsigned trace_pointers(const struct syscall_names *names, int64_t number, struct trace_pointer *to, unsigned most)
{
	struct trace t = { .names = names };
	const struct call_shape *shape = trace_shape(&t, number);
	unsigned n = 0;

	for (unsigned i = 0; i < shape->n_args && n < most; i++) {
		const struct argument_kind *kind = shape->args[i].kind;

		if (kind->points_at)
			to[n++] = (struct trace_pointer){ (uint8_t)i, kind->points_at, kind->unit, kind->most };
	}
	arena_release(&t.arena);
	return n;
}
