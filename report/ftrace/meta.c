#include "report/ftrace/meta.h"

#include "base/file.h"

/* ---- formats ---- */

static struct ftrace_field field_of(const struct trace_format *f, const char *name)
{
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct trace_field *field = &f->fields.items[i];

		if (!strcmp(field->name, name) && field->offset <= UINT16_MAX &&
		    (field->size <= 8 || field->flags & TRACE_FIELD_ARRAY))
			return (struct ftrace_field){ (uint16_t)field->offset,
						      (uint8_t)(field->flags & TRACE_FIELD_ARRAY ? field->element_size
												 : field->size),
						      field->flags & TRACE_FIELD_SIGNED };
	}
	return (struct ftrace_field){ 0 };
}

static enum ftrace_kind kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum ftrace_kind kind;
	} kinds[] = {
		{ "function", FTRACE_FUNCTION },
		{ "funcgraph_entry", FTRACE_ENTRY },
		{ "fgraph_retaddr_entry", FTRACE_ENTRY },
		{ "funcgraph_exit", FTRACE_EXIT },
		{ "kernel_stack", FTRACE_KERNEL_STACK },
		{ "user_stack", FTRACE_USER_STACK },
		{ "print", FTRACE_PRINT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	return FTRACE_OTHER;
}

static void find_fields(struct ftrace_format *f)
{
	bool graph = f->kind == FTRACE_ENTRY || f->kind == FTRACE_EXIT;

	f->ip = field_of(&f->text, graph ? "func" : "ip");
	f->parent = field_of(&f->text, graph ? "retaddr" : "parent_ip");
	f->depth = field_of(&f->text, "depth");
	f->calltime = field_of(&f->text, "calltime");
	f->rettime = field_of(&f->text, "rettime");
	f->overrun = field_of(&f->text, "overrun");
	f->retval = field_of(&f->text, "retval");
	f->args = field_of(&f->text, f->kind == FTRACE_KERNEL_STACK || f->kind == FTRACE_USER_STACK ? "caller"
				     : f->kind == FTRACE_PRINT                                      ? "buf"
												    : "args");
}

static void add_format(struct ftrace_meta *m, const struct tracing_format *text)
{
	struct ftrace_format *f = xcalloc(1, sizeof(*f));

	if (trace_format_parse(&f->text, text->text, text->len, m->long_size, NULL) < 0 || f->text.id > UINT16_MAX ||
	    m->by_id[f->text.id] || m->formats.len > UINT16_MAX - 1) {
		trace_format_release(&f->text);
		free(f);
		return;
	}
	f->text.system = arena_strdup(&f->text.arena, text->system);
	if (!strcmp(text->system, "ftrace"))
		f->kind = kind_of(f->text.name);
	find_fields(f);
	m->by_id[f->text.id] = (uint16_t)m->formats.len;
	vec_push(&m->formats, f);
	if (!m->pid.size) {
		m->id = field_of(&f->text, "common_type");
		m->flags = field_of(&f->text, "common_flags");
		m->preempt = field_of(&f->text, "common_preempt_count");
		m->pid = field_of(&f->text, "common_pid");
	}
}

/* ---- the names of tasks ---- */

static void ftrace_meta_comm(struct ftrace_meta *m, int32_t pid, const char *comm)
{
	*u64map_put(&m->comm_of, (uint32_t)pid, NULL) = strtab_intern(&m->comms, comm);
}

/* Parse lines "PID NAME"; a name may have blanks. Source: Documentation/trace/ftrace.rst, "saved_cmdlines". */
void ftrace_meta_comms(struct ftrace_meta *m, const char *text, size_t len)
{
	const char *end = text + len, *next;

	for (const char *line = text; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
		int64_t pid = 0;

		next = newline ? newline + 1 : end;
		while (line < stop && *line == ' ')
			line++;
		while (line < stop && *line >= '0' && *line <= '9' && pid < INT32_MAX)
			pid = pid * 10 + (*line++ - '0');
		if (line < stop && *line == ' ' && pid && pid <= INT32_MAX) {
			autofree char *comm = xstrndup(line + 1, (size_t)(stop - line - 1));

			ftrace_meta_comm(m, (int32_t)pid, comm);
		}
	}
}

/* Read the name of a running task. Also remember when a task has no name, until the kernel's list has the pid. */
static const char *ask_task(struct ftrace_meta *m, int32_t pid)
{
	autofree char *path = xasprintf("/proc/%d/comm", pid);
	char comm[32] = "";

	if (m->is_live)
		file_read_line(path, comm, sizeof(comm));
	ftrace_meta_comm(m, pid, comm);
	return ftrace_meta_find_comm(m, pid);
}

const char *ftrace_meta_find_comm(struct ftrace_meta *m, int32_t pid)
{
	const uint32_t *id = u64map_find(&m->comm_of, (uint32_t)pid);

	if (!pid)
		return "<idle>";
	if (!id)
		return ask_task(m, pid);
	return *id ? strtab_get(&m->comms, *id) : NULL;
}

/* ---- opening and closing ---- */

struct ftrace_meta *ftrace_meta_new(const struct tracing_data *td, uint32_t page_size, struct ftrace_names *names,
				    struct err *e)
{
	struct ftrace_meta *m = xcalloc(1, sizeof(*m));

	if (trace_layout_parse(&m->layout, td->header_page, td->header_page_len, page_size, td->big_endian, e) < 0) {
		ftrace_names_free(names);
		free(m);
		return NULL;
	}
	m->swap = m->layout.swap;
	m->long_size = td->long_size;
	vec_push(&m->formats, NULL);
	for (size_t i = 0; i < td->n_formats; i++)
		add_format(m, &td->formats[i]);
	m->names = names ? names
			 : ftrace_names_new(kallsyms_parse(td->kallsyms ? td->kallsyms : "", td->kallsyms_len), NULL);
	trace_strings_read(&m->strings, td->printk, td->printk_len);
	ftrace_meta_comms(m, td->cmdlines, td->cmdlines_len);
	return m;
}

void ftrace_meta_free(struct ftrace_meta *m)
{
	if (!m)
		return;
	for (size_t i = 1; i < m->formats.len; i++) {
		trace_format_release(&m->formats.items[i]->text);
		free(m->formats.items[i]);
	}
	vec_free(&m->formats);
	ftrace_names_free(m->names);
	trace_strings_release(&m->strings);
	strtab_free(&m->comms);
	u64map_free(&m->comm_of);
	free(m);
}

/* ---- entries ---- */

static uint64_t load(const struct ftrace_meta *m, const uint8_t *data, uint32_t size, const struct ftrace_field *f)
{
	const uint8_t *at = data + f->offset;
	uint64_t v;

	if (!f->size || (uint32_t)f->offset + f->size > size)
		return 0;
	switch (f->size) {
	case 1: v = *at; break;
	case 2: v = m->swap ? __builtin_bswap16(load_u16(at)) : load_u16(at); break;
	case 4: v = m->swap ? __builtin_bswap32(load_u32(at)) : load_u32(at); break;
	case 8: return m->swap ? __builtin_bswap64(load_u64(at)) : load_u64(at);
	default: return 0;
	}
	return trace_cast(v, f->size, f->is_signed);
}

uint64_t ftrace_event_field(const struct ftrace_meta *m, const struct ftrace_event *ev,
			    const struct ftrace_field *field)
{
	return load(m, ev->data, ev->size, field);
}

void ftrace_event_decode(const struct ftrace_meta *m, struct ftrace_event *ev, const uint8_t *data, uint32_t size)
{
	uint16_t index = m->by_id[load(m, data, size, &m->id) & UINT16_MAX];

	ev->data = data;
	ev->size = size;
	ev->format = index ? m->formats.items[index] : NULL;
	ev->flags = (uint8_t)load(m, data, size, &m->flags);
	ev->preempt = (uint8_t)load(m, data, size, &m->preempt);
	ev->pid = (int32_t)load(m, data, size, &m->pid);
}
