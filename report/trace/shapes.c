/* The names and kinds of a call's arguments, from the kernel's formats of syscalls:sys_enter_NAME. */
#include "events/events.h"
#include "report/trace/trace_priv.h"
#include "report/trace/types_priv.h"

struct call_shapes {
	const struct syscall_names *names; /* NULL: unknown */
	struct call_shape *all[SYSCALLS_MOST];
	struct arena arena;
	struct kernel_types *types;
	bool looked_for_types;
};

struct call_shapes *call_shapes_new(const struct syscall_names *names)
{
	struct call_shapes *shapes = xcalloc(1, sizeof(*shapes));

	shapes->names = names;
	return shapes;
}

void call_shapes_free(struct call_shapes *shapes)
{
	if (!shapes)
		return;
	kernel_types_close(shapes->types);
	arena_release(&shapes->arena);
	free(shapes);
}

struct kernel_types *call_shapes_types(struct call_shapes *shapes)
{
	if (!shapes->looked_for_types)
		shapes->types = kernel_types_open(NULL);
	shapes->looked_for_types = true;
	return shapes->types;
}

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

/* Is this field data of the program, which newer kernels add? It belongs to an argument, but is not one itself. */
bool trace_is_user_data(const struct trace_field *f)
{
	size_t len = strlen(f->name);

	return (f->flags & TRACE_FIELD_DYNAMIC) && len > 6 && !strncmp(f->name, "__", 2) &&
	       !strcmp(f->name + len - 4, "_val");
}

/* Structs that the kernel fills; all others are the program's. To add one: calls, argument, when. */
static const struct {
	const char *calls, *argument;
	enum read_when when;
} filled_structs[] = {
	{ "sysinfo", "info", READ_AT_EXIT },
	{ "times", "tbuf", READ_AT_EXIT },
	{ "adjtimex", "txc_p", READ_AT_BOTH },
	{ "clock_adjtime", "utx", READ_AT_BOTH },
	{ "sched_getattr", "uattr", READ_AT_EXIT },
	{ "mq_getsetattr", "u_omqstat", READ_AT_EXIT },
	{ "io_uring_setup", "params", READ_AT_BOTH },
	{ "cachestat", "cstat", READ_AT_EXIT },
	{ "statmount", "buf", READ_AT_EXIT },
	{ "file_getattr", "ufattr", READ_AT_EXIT },
	{ "ustat", "ubuf", READ_AT_EXIT },
};

static enum read_when when_read(const char *call, const char *argument)
{
	for (size_t i = 0; i < ARRAY_SIZE(filled_structs); i++)
		if (trace_has_word(filled_structs[i].calls, call) && !strcmp(filled_structs[i].argument, argument))
			return filled_structs[i].when;
	return READ_AT_ENTRY;
}

/* Find "struct X *", "union X *" or "enum X" in the kernel's types. Return NULL if it is not there. */
static const struct argument_kind *kind_by_type(struct call_shapes *shapes, const char *call, const char *name,
						const char *type)
{
	const char *word = strncmp(type, "const ", 6) ? type : type + 6, *star = strchr(word, '*');
	bool is_struct =
		(!strncmp(word, "struct ", 7) || !strncmp(word, "union ", 6)) && star && !strchr(star + 1, '*');
	bool is_enum = !strncmp(word, "enum ", 5) && !star;
	autofree char *plain = xstrndup(word, star ? (size_t)(star - word) : strlen(word));
	const struct kernel_types *types = is_struct || is_enum ? call_shapes_types(shapes) : NULL;
	struct argument_kind *kind;
	uint32_t size, id;

	for (size_t len = strlen(plain); len && plain[len - 1] == ' ';)
		plain[--len] = '\0';
	id = types ? kernel_type_find(types, plain, &size) : 0;
	if (!id || (is_struct && !size))
		return NULL;
	kind = arena_alloc(&shapes->arena, sizeof(*kind));
	*kind = argument_kind_typed(is_enum);
	kind->type = id;
	kind->when = is_struct ? when_read(call, name) : READ_AT_ENTRY;
	kind->unit = kind->most = (uint16_t)MIN(size, (uint32_t)TRACE_POINTED_SIZE);
	return kind;
}

static bool is_size(const char *name)
{
	return !strcmp(name, "size") || !strcmp(name, "usize") || !strcmp(name, "bufsize");
}

static void add_argument(struct call_shapes *shapes, struct call_shape *shape, const struct trace_field *f)
{
	struct shape_arg *a = &shape->args[shape->n_args], *before = shape->n_args ? a - 1 : NULL;
	const struct argument_kind *typed;
	struct argument_kind *sized;
	const char *type = f->type;
	size_t len = strlen(type);

	if (shape->n_args++ == ARGS_MOST) {
		shape->n_args = ARGS_MOST;
		return;
	}
	while (len && type[len - 1] == ' ')
		len--;
	type = arena_strndup(&shapes->arena, type, len);
	a->name = arena_strdup(&shapes->arena, f->name);
	a->kind = argument_kind_of(shape->name, f->name, type);
	typed = argument_is_unknown(a->kind) ? kind_by_type(shapes, shape->name, f->name, type) : NULL;
	a->kind = typed ? typed : a->kind;
	set_type(a, type);
	/* Programs may have a shorter version of the struct, and pass its size. */
	if (before && before->kind->type && before->kind->points_at && is_size(a->name)) {
		sized = arena_alloc(&shapes->arena, sizeof(*sized));
		*sized = *before->kind;
		sized->points_at = TRACE_POINTS_COUNTED;
		sized->unit = 1;
		before->kind = sized;
	}
}

static bool read_format(struct call_shapes *shapes, struct call_shape *shape)
{
	char event[64];
	size_t len;
	struct trace_format f = { 0 };
	autofree char *text = NULL;
	bool found;

	snprintf(event, sizeof(event), "sys_enter_%s", trace_call_event(shape->name));
	text = tracepoint_format("syscalls", event, &len, NULL);
	found = text && trace_format_parse(&f, text, len, sizeof(long), NULL) == 0;
	for (size_t i = 0; found && i < f.fields.len; i++) {
		const struct trace_field *field = &f.fields.items[i];

		if (trace_is_user_data(field))
			shape->has_text = true;
		else if (!(field->flags & TRACE_FIELD_COMMON) && strcmp(field->name, "__syscall_nr") &&
			 strcmp(field->name, "nr"))
			add_argument(shapes, shape, field);
	}
	trace_format_release(&f);
	return found;
}

/* Make a shape for a call that the kernel does not describe: all six words may be arguments. */
static void number_arguments(struct call_shape *shape)
{
	static const char *const names[ARGS_MOST] = { "arg0", "arg1", "arg2", "arg3", "arg4", "arg5" };

	shape->n_args = ARGS_MOST;
	for (unsigned i = 0; i < ARGS_MOST; i++)
		shape->args[i] = (struct shape_arg){ .name = names[i],
						     .kind = argument_kind_of(shape->name, names[i], "unsigned long"),
						     .size = 8 };
}

const struct call_shape *call_shape(struct call_shapes *shapes, int64_t number)
{
	const char *name = syscall_name(shapes->names, number);
	struct call_shape *shape;

	if (number < 0 || number >= SYSCALLS_MOST)
		number = SYSCALLS_MOST - 1;
	if (shapes->all[number])
		return shapes->all[number];
	shape = arena_alloc(&shapes->arena, sizeof(*shape));
	shape->name = name ? name : arena_printf(&shapes->arena, "syscall_%lld", (long long)number);
	if (!name || !read_format(shapes, shape))
		number_arguments(shape);
	return shapes->all[number] = shape;
}

bool call_has_text(struct call_shapes *shapes, int64_t number) { return call_shape(shapes, number)->has_text; }

unsigned trace_pointers(struct call_shapes *shapes, int64_t number, bool at_exit, struct trace_pointer *to,
			unsigned most)
{
	const struct call_shape *shape = call_shape(shapes, number);
	unsigned n = 0;

	for (unsigned i = 0; i < shape->n_args && n < most; i++) {
		const struct argument_kind *kind = shape->args[i].kind;

		if (is_read_at(kind, at_exit))
			to[n++] = (struct trace_pointer){ (uint8_t)i, kind->points_at, kind->unit, kind->most };
	}
	return n;
}
