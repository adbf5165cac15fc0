#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>

#include "report/trace/trace_priv.h"

enum { PID = 7, FD = 5 };

static const struct trace_opts opts = { 0 };

struct following {
	struct trace trace;
	struct traced_thread thread;
};

static void begin(struct following *f)
{
	struct process_files *p = xcalloc(1, sizeof(*p));

	*f = (struct following){ .trace = { .opts = &opts }, .thread = { .pid = PID } };
	p->pid = PID;
	vec_push(&f->trace.processes, p);
	*u64map_put(&f->trace.process_of, PID, NULL) = 1;
}

/* Follow a call with its first three arguments. */
static void call(struct following *f, const char *name, uint64_t a, uint64_t b, uint64_t c, int64_t result)
{
	struct call_state *state = &f->thread.call;
	struct trace_sample s = { .thread = &f->thread };

	call_begin(state, 0);
	state->args[0] = a;
	state->args[1] = b;
	state->args[2] = c;
	trace_files_follow(&f->trace, &s, state, name, result);
}

static const char *name_of(struct following *f, int fd)
{
	bool late;

	return trace_file_name(&f->trace, PID, fd, &late);
}

static void closed_files_have_no_name(void **state)
{
	struct following f;

	begin(&f);
	call(&f, "eventfd2", 0, 0, 0, FD);
	call(&f, "epoll_create1", O_CLOEXEC, 0, 0, FD + 1);
	call(&f, "socket", 0, 0, 0, FD + 2);
	call(&f, "dup2", FD, FD + 3, 0, FD + 3);
	assert_string_equal(name_of(&f, FD), "eventfd");
	assert_string_equal(name_of(&f, FD + 1), "epoll");
	assert_string_equal(name_of(&f, FD + 3), "eventfd");
	call(&f, "close", FD, 0, 0, 0);
	assert_null(name_of(&f, FD));
	call(&f, "dup2", FD, FD + 3, 0, FD + 3);
	assert_null(name_of(&f, FD + 3));
	call(&f, "execve", 0, 0, 0, 0);
	assert_null(name_of(&f, FD + 1));
	assert_string_equal(name_of(&f, FD + 2), "socket");
	call(&f, "close_range", 0, UINT32_MAX, 0, 0);
	assert_null(name_of(&f, FD + 2));
	trace_files_release(&f.trace);
}

/* A trace may last for days, and a server opens a descriptor for each request. */
static void numbers_that_come_again_need_no_more_memory(void **state)
{
	struct following f;

	begin(&f);
	for (int i = 0; i < 1000; i++) {
		call(&f, "socket", 0, O_CLOEXEC, 0, FD);
		assert_string_equal(name_of(&f, FD), "socket");
		call(&f, i % 3 == 0 ? "close" : i % 3 == 1 ? "close_range" : "execve", FD, FD, 0, 0);
		assert_null(name_of(&f, FD));
	}
	assert_int_equal(f.trace.processes.items[0]->files.len, 1);
	trace_files_release(&f.trace);
}

/* A run of days sees any number of names and processes. */
static void what_is_closed_or_ended_is_forgotten(void **state)
{
	enum { MANY = 100000 };
	struct following f;
	char name[32];

	begin(&f);
	call(&f, "eventfd2", 0, 0, 0, FD);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "/tmp/%d", i);
		strtab_intern(&f.trace.strings, name);
		trace_files_tidy(&f.trace);
	}
	assert_in_range(f.trace.strings.texts.len, 1, MANY / 2);
	assert_string_equal(name_of(&f, FD), "eventfd");
	for (int32_t pid = PID + 1; pid < PID + 3; pid++) {
		struct process_files *p = xcalloc(1, sizeof(*p));

		p->pid = pid;
		vec_push(&f.trace.processes, p);
		*u64map_put(&f.trace.process_of, (uint64_t)pid, NULL) = (uint32_t)f.trace.processes.len;
	}
	trace_files_forget(&f.trace, PID + 1);
	trace_files_forget(&f.trace, PID + 1);
	assert_int_equal(f.trace.processes.len, 2);
	trace_files_forget(&f.trace, PID + 2);
	assert_int_equal(f.trace.processes.len, 1);
	assert_string_equal(name_of(&f, FD), "eventfd");
	trace_files_release(&f.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_closed_or_ended_is_forgotten),
		cmocka_unit_test(closed_files_have_no_name),
		cmocka_unit_test(numbers_that_come_again_need_no_more_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
