/* Print the data that arguments point to. */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "report/trace/pointed_priv.h"
#include "report/trace/types_priv.h"

static const struct argument_kind *kind_of(const struct argument *a) { return a->shape->args[a->index].kind; }

/* Return the data. If it has less than `least` bytes, print the address and return NULL. */
static const struct known_text *pointed(const struct argument *a, uint32_t least)
{
	const struct known_text *text = &a->call->pointed[a->index];

	if (text->trust && text->len >= least)
		return text;
	argument_hex(a);
	return NULL;
}

static void end(const struct argument *a, const struct known_text *text)
{
	if (text->trust == TRUST_LATE)
		out_char(a->out, '?');
}

/* Print bytes in quotes. A 0 is an ordinary byte; a byte that would end the text gets a backslash. */
static void put_quoted(const char *bytes, size_t len, bool cut, struct out *o)
{
	out_char(o, '"');
	for (size_t at = 0; at < len; at++) {
		size_t plain = 0;

		while (at + plain < len && bytes[at + plain] && bytes[at + plain] != '"' && bytes[at + plain] != '\\')
			plain++;
		out_name_len(o, bytes + at, plain);
		at += plain;
		if (at < len)
			out_str(o, bytes[at] == '"' ? "\\\"" : bytes[at] ? "\\\\" : "\\x00");
	}
	out_str(o, cut ? "\"..." : "\"");
}

void pointed_text(const struct argument *a)
{
	const struct known_text *text = pointed(a, 0);

	if (!text)
		return;
	put_quoted(text->text, strnlen(text->text, sizeof(text->text)), text->cut, a->out);
	end(a, text);
}

void pointed_texts(const struct argument *a)
{
	const struct known_text *list = pointed(a, 0);
	uint32_t n = list ? list->len / TRACE_TEXT_SIZE : 0;

	if (!list)
		return;
	out_char(a->out, '[');
	for (uint32_t i = 0; i < n; i++) {
		const char *text = list->text + (size_t)i * TRACE_TEXT_SIZE;
		size_t len = strnlen(text, TRACE_TEXT_SIZE);

		out_str(a->out, i ? ", " : "");
		put_quoted(text, len, len >= TRACE_TEXT_SIZE - 1, a->out);
	}
	if (list->cut)
		out_str(a->out, n ? ", ..." : "...");
	out_char(a->out, ']');
	end(a, list);
}

/* Print the number of environment variables, like strace. */
void pointed_number(const struct argument *a)
{
	const struct known_text *list = &a->call->pointed[a->index];

	argument_hex(a);
	if (list->trust)
		out_fmt(a->out, list->len == 1 ? " /* %u var */" : " /* %u vars */", list->len);
}

/* Print written or read bytes: the next argument or the result is their number. */
void pointed_buffer(const struct argument *a)
{
	const struct known_text *bytes = pointed(a, 0);
	uint64_t all;

	if (!bytes)
		return;
	all = kind_of(a)->points_at == TRACE_POINTS_RESULT ? a->call->result : a->call->args[a->index + 1];
	put_quoted(bytes->text, bytes->len, all > bytes->len, a->out);
	end(a, bytes);
}

void pointed_struct(const struct argument *a)
{
	const struct argument_kind *kind = kind_of(a);
	const struct known_text *bytes = pointed(a, kind->layout->is_array ? 0 : kind->layout->size);

	if (!bytes)
		return;
	layout_print(bytes->filled && kind->filled ? kind->filled : kind->layout, (const uint8_t *)bytes->text,
		     bytes->len, a->trace->opts->prefix, a->out);
	end(a, bytes);
}

/* Return a member of the part of union bpf_attr that a command uses. Source: linux/bpf.h */
static const char *bpf_part(uint64_t command)
{
	static const char *const parts[] = {
		[BPF_MAP_CREATE] = "map_type",
		[BPF_MAP_LOOKUP_ELEM] = "value",
		[BPF_MAP_UPDATE_ELEM] = "value",
		[BPF_MAP_DELETE_ELEM] = "value",
		[BPF_MAP_GET_NEXT_KEY] = "next_key",
		[BPF_PROG_LOAD] = "prog_type",
		[BPF_OBJ_PIN] = "pathname",
		[BPF_OBJ_GET] = "pathname",
		[BPF_PROG_ATTACH] = "attach_bpf_fd",
		[BPF_PROG_DETACH] = "attach_bpf_fd",
		[BPF_PROG_TEST_RUN] = "test",
		[BPF_PROG_GET_NEXT_ID] = "start_id",
		[BPF_MAP_GET_NEXT_ID] = "start_id",
		[BPF_PROG_GET_FD_BY_ID] = "prog_id",
		[BPF_MAP_GET_FD_BY_ID] = "map_id",
		[BPF_OBJ_GET_INFO_BY_FD] = "info",
		[BPF_PROG_QUERY] = "query",
		[BPF_RAW_TRACEPOINT_OPEN] = "raw_tracepoint",
		[BPF_BTF_LOAD] = "btf_size",
		[BPF_BTF_GET_FD_BY_ID] = "btf_id",
		[BPF_TASK_FD_QUERY] = "task_fd_query",
		[BPF_MAP_LOOKUP_AND_DELETE_ELEM] = "value",
		[BPF_MAP_FREEZE] = "value",
		[BPF_BTF_GET_NEXT_ID] = "start_id",
		[BPF_MAP_LOOKUP_BATCH] = "batch",
		[BPF_MAP_LOOKUP_AND_DELETE_BATCH] = "batch",
		[BPF_MAP_UPDATE_BATCH] = "batch",
		[BPF_MAP_DELETE_BATCH] = "batch",
		[BPF_LINK_CREATE] = "link_create",
		[BPF_LINK_UPDATE] = "link_update",
		[BPF_LINK_GET_FD_BY_ID] = "link_id",
		[BPF_LINK_GET_NEXT_ID] = "start_id",
		[BPF_ENABLE_STATS] = "enable_stats",
		[BPF_ITER_CREATE] = "iter_create",
		[BPF_LINK_DETACH] = "link_detach",
		[BPF_PROG_BIND_MAP] = "prog_bind_map",
	};

	return command < ARRAY_SIZE(parts) ? parts[command] : NULL;
}

void pointed_type(const struct argument *a)
{
	struct kernel_types *types = call_shapes_types(a->trace->shapes);
	const struct known_text *bytes = pointed(a, 1);

	if (!bytes)
		return;
	kernel_type_print(types, kind_of(a)->type, (const uint8_t *)bytes->text, bytes->len,
			  strcmp(a->shape->name, "bpf") ? NULL : bpf_part(a->call->args[0]), a->trace->opts->zeros,
			  a->out);
	end(a, bytes);
}

void pointed_sockaddr(const struct argument *a)
{
	const struct known_text *address = pointed(a, 2);
	const uint8_t *bytes = address ? (const uint8_t *)address->text : NULL;
	struct out *o = a->out;
	char text[INET6_ADDRSTRLEN];
	uint16_t family;
	size_t len;

	if (!address)
		return;
	len = address->len;
	family = load_u16(bytes);
	out_str(o, "{ .family: ");
	values_print(&values_family, family, a->trace->opts->prefix, o);
	if (family == AF_UNIX && len > 2) {
		bool named = bytes[2];
		const char *path = (const char *)bytes + (named ? 2 : 3);

		out_str(o, ", path: ");
		out_name_len(o, path, named ? strnlen(path, len - 2) : len - 3);
	} else if (family == AF_INET && len >= sizeof(struct sockaddr_in)) {
		out_fmt(o, ", port: %u, addr: %s", ntohs(load_u16(bytes + 2)),
			inet_ntop(AF_INET, bytes + 4, text, sizeof(text)));
	} else if (family == AF_INET6 && len >= sizeof(struct sockaddr_in6)) {
		out_fmt(o, ", port: %u, addr: %s", ntohs(load_u16(bytes + 2)),
			inet_ntop(AF_INET6, bytes + 8, text, sizeof(text)));
	}
	out_str(o, " }");
	end(a, address);
}

void pointed_ints(const struct argument *a)
{
	const struct known_text *numbers = pointed(a, 4);

	if (!numbers)
		return;
	out_char(a->out, '[');
	for (uint32_t at = 0; at + 4 <= numbers->len; at += 4)
		out_fmt(a->out, at ? ", %d" : "%d", (int32_t)load_u32((const uint8_t *)numbers->text + at));
	out_char(a->out, ']');
	end(a, numbers);
}

/* Print an option of a socket, if it is one int, like most. We have no layout for the others. */
void pointed_option(const struct argument *a)
{
	if (a->call->pointed[a->index].len == 4)
		pointed_ints(a);
	else
		argument_hex(a);
}

void pointed_status(const struct argument *a)
{
	const struct known_text *bytes = pointed(a, 4);
	int status = bytes ? (int32_t)load_u32((const uint8_t *)bytes->text) : 0;
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

	if (!bytes)
		return;
	if (WIFEXITED(status))
		out_fmt(a->out, "{ .exited: %d }", WEXITSTATUS(status));
	else if (!signal)
		out_str(a->out, "{ .continued }");
	else {
		out_str(a->out, WIFSIGNALED(status) ? "{ .signaled: " : "{ .stopped: ");
		values_print(&values_signal, (uint64_t)signal, a->trace->opts->prefix, a->out);
		out_str(a->out, WIFSIGNALED(status) && WCOREDUMP(status) ? ", core }" : " }");
	}
	end(a, bytes);
}

void pointed_fds(const struct argument *a)
{
	const struct known_text *set = pointed(a, 1);
	bool more = false;

	if (!set)
		return;
	out_char(a->out, '[');
	for (uint64_t fd = 0; fd < a->call->args[0] && fd / 8 < set->len; fd++)
		if (set->text[fd / 8] >> fd % 8 & 1) {
			out_fmt(a->out, more ? " %d" : "%d", (int)fd);
			more = true;
		}
	out_char(a->out, ']');
	end(a, set);
}
