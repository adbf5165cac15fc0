#include "record/bpf/picks.h"

#include <unistd.h>

#include "events/events.h"
#include "record/bpf/threads_priv.h"

/* Places on the stack: the id to look up, and the copy of the record. */
enum { ID = -4, RECORD = -136, RECORD_MOST = 128 };
/* A record begins with these. Source: linux/trace_events.h, struct trace_entry. */
enum { TYPE = 0, FLAGS = 2, PREEMPT_COUNT = 3, PID = 4, FIELDS = 8 };

static int keep(struct picks *p, int fd)
{
	if (fd >= 0)
		vec_push(&p->fds, fd);
	return fd;
}

int picks_open(struct picks *p, const char *pids, const char *tids, bool no_inherit, struct err *e)
{
	*p = (struct picks){ .threads.map = -1 };
	return bpf_threads_open(
		&p->threads,
		&(struct bpf_threads_opts){ .pids = pids, .tids = tids, .no_inherit = no_inherit, .until_freed = true },
		e);
}

void picks_release(struct picks *p)
{
	for (size_t i = p->fds.len; i-- > 0;)
		close(p->fds.items[i]);
	vec_free(&p->fds);
	bpf_threads_release(&p->threads);
}

/* Jump to `wanted` if the set has the thread in this field. R6 has the context. */
static void emit_look(struct emit *c, const struct picks *p, int field, int wanted)
{
	emit_load(c, BPF_W, R1, R6, field);
	emit_store(c, BPF_W, FP, ID, R1);
	emit_lookup(c, p->threads.map, ID);
	emit_jump_if(c, BPF_JNE, R0, 0, wanted);
}

/* Write the first fields of the record: programs find a pointer in their place. */
static void emit_head(struct emit *c, uint64_t id)
{
	emit_store_imm(c, BPF_H, FP, RECORD + TYPE, (int32_t)id);
	emit_store_imm(c, BPF_B, FP, RECORD + FLAGS, 0);
	emit_store_imm(c, BPF_B, FP, RECORD + PREEMPT_COUNT, PICKED_PREEMPT_COUNT);
	emit_call(c, BPF_FUNC_get_current_pid_tgid);
	emit_store(c, BPF_W, FP, RECORD + PID, R0);
}

static void emit_copy(struct emit *c, int size)
{
	int at = FIELDS;

	for (; at + 8 <= size; at += 8) {
		emit_load(c, BPF_DW, R1, R6, at);
		emit_store(c, BPF_DW, FP, RECORD + at, R1);
	}
	for (; at + 4 <= size; at += 4) {
		emit_load(c, BPF_W, R1, R6, at);
		emit_store(c, BPF_W, FP, RECORD + at, R1);
	}
}

/* bpf_perf_event_output(context, map, BPF_F_CURRENT_CPU, record, size) */
static void emit_output(struct emit *c, int map, int size)
{
	emit_reg(c, BPF_MOV, R1, R6);
	emit_map(c, R2, map);
	emit_imm(c, BPF_MOV, R3, -1);
	emit_imm(c, BPF_RSH, R3, 32);
	emit_reg(c, BPF_MOV, R4, FP);
	emit_imm(c, BPF_ADD, R4, RECORD);
	emit_imm(c, BPF_MOV, R5, size);
	emit_call(c, BPF_FUNC_perf_event_output);
}

static int map_of(struct picks *p, const struct pick_output *o, struct err *e)
{
	uint32_t most = 0;
	int map;

	for (size_t i = 0; i < o->n; i++)
		most = MAX(most, (uint32_t)o->cpus[i]);
	map = keep(p, bpf_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "events", 4, 4, most + 1, e));
	for (size_t i = 0; map >= 0 && i < o->n; i++) {
		uint32_t cpu = (uint32_t)o->cpus[i], fd = (uint32_t)o->fds[i];

		if (o->fds[i] >= 0 && bpf_put(map, &cpu, &fd) < 0)
			return err_sys(e, "BPF does not take the events of %s:%s", o->system, o->name);
	}
	return map;
}

int picks_add(struct picks *p, const struct pick_output *o, struct err *e)
{
	int size = bpf_record_size(o->system, o->name, e), map = size < 0 ? -1 : map_of(p, o, e), fd;
	struct emit c = { 0 };
	int wanted = emit_label(&c);

	if (map >= 0 && (size % 4 || size > RECORD_MOST))
		map = err_set(e, "the record of %s:%s is unusual", o->system, o->name);
	emit_reg(&c, BPF_MOV, R6, R1);
	for (int i = 0; map >= 0 && i < 2 && o->fields[i]; i++) {
		int at = bpf_field_at(o->system, o->name, o->fields[i], e);

		if (at < 0)
			map = -1;
		else
			emit_look(&c, p, at, wanted);
	}
	emit_return(&c, 1);
	emit_here(&c, wanted);
	emit_head(&c, o->id);
	emit_copy(&c, size);
	emit_output(&c, map, size);
	emit_return(&c, 1);
	fd = map < 0 ? -1 : keep(p, bpf_load(BPF_PROG_TYPE_TRACEPOINT, o->name, &c, e));
	emit_release(&c);
	return fd < 0 || keep(p, bpf_attach(fd, o->system, o->name, e)) < 0 ? -1 : 0;
}
