/*
 * To add a key: write the functions it needs and a row of the table at the end. `--sort help` and the columns come from the row.
 */
#include "report/keys_priv.h"
#include "report/trace_text.h"

/* The symbol column of an address without a symbol: "[.] 0x" and 16 digits. */
enum { UNRESOLVED_DIGITS = 16, SYMBOL_HEAD = 4, OFFSET_DIGITS = sizeof("Symbol Offset") - 1 - SYMBOL_HEAD };

static struct symbols *symbols_of(const struct view *v)
{
	return v->fold->profile->session->symbols;
}

static uint64_t text_id(const char *s)
{
	return hash_bytes(s, strlen(s), 0);
}

/* ---- sums ---- */

static uint64_t sum_self(const struct row_sums *s) { return s->period; }
static uint64_t sum_children(const struct row_sums *s) { return s->children; }
static uint64_t sum_latency(const struct row_sums *s) { return s->latency; }
static uint64_t sum_latency_children(const struct row_sums *s) { return s->latency_children; }
static uint64_t sum_weight1(const struct row_sums *s) { return s->weights[0]; }
static uint64_t sum_weight2(const struct row_sums *s) { return s->weights[1]; }
static uint64_t sum_weight3(const struct row_sums *s) { return s->weights[2]; }
static uint64_t sum_system(const struct row_sums *s) { return s->by_level[LEVEL_SYSTEM]; }
static uint64_t sum_user(const struct row_sums *s) { return s->by_level[LEVEL_USER]; }
static uint64_t sum_guest_system(const struct row_sums *s) { return s->by_level[LEVEL_GUEST_SYSTEM]; }
static uint64_t sum_guest_user(const struct row_sums *s) { return s->by_level[LEVEL_GUEST_USER]; }
static uint64_t sum_samples(const struct row_sums *s) { return s->samples; }

/* ---- comm, pid, tgid ---- */

static uint64_t comm_value(const struct sample_context *c, const struct profile_opts *o) { return c->task->first_comm; }
static uint64_t pid_value(const struct sample_context *c, const struct profile_opts *o) { return (uint32_t)c->task->tid; }
static uint64_t tgid_value(const struct sample_context *c, const struct profile_opts *o) { return (uint32_t)c->task->pid; }

static const char *row_comm(const struct view *v, const struct row *r, char buf[16])
{
	return session_comm(v->fold->profile->session, (uint32_t)view_value(v, r, comm_value), buf);
}

static int comm_compare(const struct view *v, const struct row *a, const struct row *b)
{
	char x[16], y[16];

	return strcmp(row_comm(v, a, x), row_comm(v, b, y));
}

static void comm_text(const struct view *v, const struct row *r, struct out *o)
{
	char buf[16];

	out_name(o, row_comm(v, r, buf));
}

/* The column is as wide as the last names of the threads; what does not fit is cut, as perf does ("perf-ex"). */
static int comm_width(const struct view *v, const struct row *r)
{
	const struct session *s = v->fold->profile->session;
	char buf[16];

	if (!r->first_thread)
		return out_name_width(row_comm(v, r, buf));
	return out_name_width(session_comm(s, thread_last_comm(s, r->first_thread, 0), buf));
}

static int pid_compare(const struct view *v, const struct row *a, const struct row *b)
{
	int32_t x = (int32_t)view_value(v, a, pid_value), y = (int32_t)view_value(v, b, pid_value);

	return (x > y) - (x < y);
}

static int tgid_compare(const struct view *v, const struct row *a, const struct row *b)
{
	int32_t x = (int32_t)view_value(v, a, tgid_value), y = (int32_t)view_value(v, b, tgid_value);

	return (x > y) - (x < y);
}

/* With the last name of the row's thread. */
static void pid_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct session *s = v->fold->profile->session;
	int32_t tid = (int32_t)view_value(v, r, pid_value);
	char buf[16];

	out_fmt(o, "%7d:", tid);
	out_name(o, session_comm(s, thread_last_comm(s, r->first_thread, tid), buf));
}

static void tgid_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct session *s = v->fold->profile->session;
	int32_t pid = (int32_t)view_value(v, r, tgid_value);
	uint32_t leader = session_last_thread(s, pid);
	char buf[16];

	out_fmt(o, "%7d:", pid);
	if (leader)
		out_name(o, session_comm(s, thread_last_comm(s, leader, pid), buf));
}

static int pid_width(const struct view *v, const struct row *r)
{
	struct out o;
	int width;

	out_init_mem(&o);
	pid_text(v, r, &o);
	width = out_name_width(out_text(&o));
	out_release(&o);
	return width;
}

/* ---- texts made of samples ---- */

/* The name with every number in it as "<N>": one row for all workers of a pool. */
static uint64_t comm_nodigit_value(const struct sample_context *c, const struct profile_opts *o)
{
	char buf[16];
	const char *s = session_comm(c->session, c->task->first_comm, buf);

	c->scratch->len = 0;
	while (*s) {
		size_t digits = strspn(s, "0123456789");

		if (digits)
			out_str(c->scratch, "<N>");
		else
			out_char(c->scratch, *s);
		s += digits ? digits : 1;
	}
	return texts_number(c->texts, out_text(c->scratch));
}

static uint64_t trace_value(const struct sample_context *c, const struct profile_opts *o)
{
	c->scratch->len = 0;
	if (c->event->attr.type != ATTR_TYPE_TRACEPOINT ||
	    !trace_text_print(c->trace, c->event_number, c->sample->cpu, c->sample->raw, c->sample->raw_size, c->scratch))
		return texts_number(c->texts, "N/A");
	return texts_number(c->texts, out_text(c->scratch));
}

#define BY_TEXT(what) \
static const char *row_##what(const struct view *v, const struct row *r) { return texts_get(&v->fold->profile->texts, view_value(v, r, what##_value)); } \
static int what##_compare(const struct view *v, const struct row *a, const struct row *b) { return strcmp(row_##what(v, a), row_##what(v, b)); } \
static void what##_text(const struct view *v, const struct row *r, struct out *o) { out_name(o, row_##what(v, r)); }
BY_TEXT(comm_nodigit)
BY_TEXT(trace)

/* ---- numbers of samples ---- */

static uint64_t cpu_value(const struct sample_context *c, const struct profile_opts *o) { return c->sample->cpu; }
static uint64_t time_value(const struct sample_context *c, const struct profile_opts *o) { return c->sample->time / o->time_quantum * o->time_quantum; }
static uint64_t cgroup_value(const struct sample_context *c, const struct profile_opts *o) { return c->sample->cgroup; }

static uint64_t socket_value(const struct sample_context *c, const struct profile_opts *o)
{
	const struct features *f = &c->session->pd->features;

	return c->sample->cpu < f->n_cpus ? f->cpus[c->sample->cpu].socket_id : UINT32_MAX;
}

static uint64_t parallelism_value(const struct sample_context *c, const struct profile_opts *o) { return c->parallelism; }

/* "DEV INODE" in hex of even length, so that texts lie as the numbers do. */
static uint64_t cgroup_id_value(const struct sample_context *c, const struct profile_opts *o)
{
	const struct cgroup_change *now = session_cgroup_namespace(c->session, c->task->thread, c->moment);

	c->scratch->len = 0;
	out_fmt(c->scratch, "%016llx %016llx", now ? (unsigned long long)now->dev : 0, now ? (unsigned long long)now->ino : 0);
	return texts_number(c->texts, out_text(c->scratch));
}

static const char *row_cgroup_id(const struct view *v, const struct row *r)
{
	return texts_get(&v->fold->profile->texts, view_value(v, r, cgroup_id_value));
}

static int cgroup_id_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return strcmp(row_cgroup_id(v, a), row_cgroup_id(v, b));
}

static void cgroup_id_text(const struct view *v, const struct row *r, struct out *o)
{
	char *end;
	unsigned long long dev = strtoull(row_cgroup_id(v, r), &end, 16);

	out_fmt(o, "%llu/0x%llx", dev, strtoull(end, NULL, 16));
}

/* Vector units report through hardware traces only, which are not decoded. */
static uint64_t simd_value(const struct sample_context *c, const struct profile_opts *o) { return 0; }
static void simd_text(const struct view *v, const struct row *r, struct out *o) { }

static ASCENDING(cpu_compare, cpu_value)
static ASCENDING(parallelism_compare, parallelism_value)
static ASCENDING(socket_compare, socket_value)
static ASCENDING(time_compare, time_value)
static ASCENDING(cgroup_compare, cgroup_value)

static void cpu_text(const struct view *v, const struct row *r, struct out *o) { out_fmt(o, "%.3d", (int)view_value(v, r, cpu_value)); }
static void socket_text(const struct view *v, const struct row *r, struct out *o) { out_fmt(o, "%.3d", (int)view_value(v, r, socket_value)); }

static void parallelism_text(const struct view *v, const struct row *r, struct out *o) { out_u64(o, view_value(v, r, parallelism_value)); }

/* As wide as a machine up for less than a day needs: longer ones stand out, as with perf. */
static int time_width(const struct view *v, const struct row *r) { return v->opts->nanoseconds ? 16 : 12; }

static void time_text(const struct view *v, const struct row *r, struct out *o)
{
	uint64_t t = view_value(v, r, time_value);

	if (v->opts->nanoseconds)
		out_fmt(o, "%llu.%09llu", (unsigned long long)(t / 1000000000), (unsigned long long)(t % 1000000000));
	else
		out_fmt(o, "%llu.%06llu", (unsigned long long)(t / 1000000000), (unsigned long long)(t / 1000 % 1000000));
}

static void cgroup_text(const struct view *v, const struct row *r, struct out *o)
{
	const char *path = session_cgroup(v->fold->profile->session, view_value(v, r, cgroup_value));

	out_name(o, path ? path : view_value(v, r, cgroup_value) ? "unknown" : "N/A");
}

/* ---- objects and symbols ---- */

static const char *object_name(const struct view *v, const struct site *s)
{
	return v->opts->verbose ? dso_name(symbols_of(v), s->dso) : dso_short_name(symbols_of(v), s->dso);
}

static uint64_t object_id(const struct fold *f, const struct site *s)
{
	return text_id(dso_short_name(f->profile->session->symbols, s->dso));
}

/* Functions of equal names may lie at different places of an object, and in objects of equal names. */
static uint64_t symbol_id(const struct fold *f, const struct site *s)
{
	const struct symbol *sym = dso_symbol(f->profile->session->symbols, s->dso, s->symbol);

	if (!sym)
		return hash_mix(s->address, 1);
	return hash_mix(hash_mix(sym->start, sym->end), hash_mix(object_id(f, s), s->inlined ? text_id(s->inlined) : 0));
}

static uint64_t offset_id(const struct fold *f, const struct site *s)
{
	return s->symbol ? hash_mix(symbol_id(f, s), s->dso_off) : symbol_id(f, s);
}

static int object_compare(const struct view *v, const struct site *a, const struct site *b)
{
	if (!a->dso || !b->dso)
		return !a->dso - !b->dso;
	return strcmp(object_name(v, a), object_name(v, b));
}

static int symbol_compare(const struct view *v, const struct site *a, const struct site *b)
{
	if (!a->symbol || !b->symbol)
		return !a->symbol - !b->symbol;
	return strcmp(view_site_name(v, a), view_site_name(v, b));
}

static void object_text(const struct view *v, const struct site *s, struct out *o) { out_name(o, object_name(v, s)); }

char key_level(unsigned cpumode)
{
	static const char levels[] = { 'H', 'k', '.', 'H', 'g', 'u', 'H', 'H' };

	return levels[cpumode & MISC_CPUMODE];
}

void key_put_address(uint64_t address, int digits, struct out *o)
{
	out_str(o, address ? "0x" : "");
	out_hex_pad(o, address, digits, '0');
}

/* A letter for where the object's symbols came from, as far as we keep it: -v shows it. */
static char origin(const struct view *v, const struct site *s)
{
	switch (dso_kind(symbols_of(v), s->dso)) {
	case DSO_KIND_KERNEL:	return 'k';
	case DSO_KIND_MODULE:	return 'K';
	case DSO_KIND_JIT:	return 'j';
	default:		return 'd';
	}
}

void key_put_symbol(const struct view *v, const struct site *s, char level, uint64_t address, struct out *o)
{
	const char *name = view_site_name(v, s);

	if (v->opts->verbose)
		out_fmt(o, "%-#18llx %c ", (unsigned long long)s->dso_off, name ? origin(v, s) : '!');
	out_fmt(o, "[%c] ", level);
	if (name)
		out_name(o, name);
	else
		key_put_address(address, UNRESOLVED_DIGITS, o);
	if (s->inlined)
		out_str(o, " (inlined)");
}

/* An end of a branch: without a symbol it shows where it lies in its object. */
static void symbol_text(const struct view *v, const struct site *s, struct out *o)
{
	key_put_symbol(v, s, key_level(s->mode), s->dso ? s->dso_off : s->address, o);
}

/* The mark of inlined calls is not counted. */
static int symbol_width(const struct view *v, const struct site *s)
{
	const char *name = view_site_name(v, s);
	int width = SYMBOL_HEAD + (name ? out_name_width(name) : UNRESOLVED_DIGITS + 2);

	return name && v->opts->verbose ? width + UNRESOLVED_DIGITS + 5 : width;
}

static void offset_text(const struct view *v, const struct site *s, struct out *o)
{
	const char *name = view_site_name(v, s);
	const struct symbol *sym = dso_symbol(symbols_of(v), s->dso, s->symbol);

	out_fmt(o, "[%c] ", key_level(s->mode));
	if (!name) {
		key_put_address(s->address, OFFSET_DIGITS, o);	/* as wide as the title leaves room for */
		return;
	}
	out_name(o, name);
	out_fmt(o, "+0x%llx", (unsigned long long)(dso_address(symbols_of(v), s->dso, s->dso_off) - sym->start));
}

static uint64_t symbol_size(const struct view *v, const struct site *s)
{
	const struct symbol *sym = dso_symbol(symbols_of(v), s->dso, s->symbol);

	return sym ? sym->end - sym->start : 0;
}

static uint64_t symbol_size_id(const struct fold *f, const struct site *s)
{
	const struct symbol *sym = dso_symbol(f->profile->session->symbols, s->dso, s->symbol);

	return sym ? sym->end - sym->start : 0;
}

/* ---- source lines ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint64_t line_id(const struct fold *f, const struct site *s)
{
	if (s->line_file)
		return hash_mix(text_id(s->line_file), s->line);
	return hash_mix(offset_id(f, s), 2);
}

static uint64_t file_id(const struct fold *f, const struct site *s)
{
	return s->line_file ? text_id(s->line_file) : 0;
}

/* What stands for an unknown line says at least where it would be. */
static void line_text(const struct view *v, const struct site *s, struct out *o)
{
	const struct symbol *sym = dso_symbol(symbols_of(v), s->dso, s->symbol);

	if (s->line_file) {
		out_name(o, v->opts->full_paths ? s->line_file : base_name(s->line_file));
		out_fmt(o, ":%u", s->line);
	} else if (sym) {
		out_name(o, view_site_name(v, s));
		out_fmt(o, "+%llu", (unsigned long long)(dso_address(symbols_of(v), s->dso, s->dso_off) - sym->start));
	} else if (s->dso) {
		out_name(o, dso_short_name(symbols_of(v), s->dso));
		out_fmt(o, "[%llx]", (unsigned long long)s->dso_off);
	} else {
		out_str(o, "??:0");
	}
}

static void file_text(const struct view *v, const struct site *s, struct out *o)
{
	if (s->line_file)
		out_name(o, v->opts->full_paths ? s->line_file : base_name(s->line_file));
}

static int line_compare(const struct view *v, const struct site *a, const struct site *b)
{
	struct out x, y;
	int order;

	out_init_mem(&x);
	out_init_mem(&y);
	line_text(v, a, &x);
	line_text(v, b, &y);
	order = strcmp(out_text(&x), out_text(&y));
	out_release(&x);
	out_release(&y);
	return order;
}

static int file_compare(const struct view *v, const struct site *a, const struct site *b)
{
	return strcmp(a->line_file ? a->line_file : "", b->line_file ? b->line_file : "");
}

/* ---- the sampled place, and where a branch came from ---- */

/* Ends of branches lie in the order of addresses where they have no name; objects the other way round, as perf has them. */
static int end_symbol_compare(const struct view *v, const struct site *a, const struct site *b)
{
	if (!a->symbol && !b->symbol && a->address != b->address)
		return (int64_t)a->address < (int64_t)b->address ? -1 : 1;
	return symbol_compare(v, a, b);
}

static int end_object_compare(const struct view *v, const struct site *a, const struct site *b)
{
	return object_compare(v, b, a);
}

#define END_OF_BRANCH(what) \
static int from_##what##_compare(const struct view *v, const struct row *a, const struct row *b) \
{ \
	return end_##what##_compare(v, fold_other(v->fold, a), fold_other(v->fold, b)); \
} \
static int to_##what##_compare(const struct view *v, const struct row *a, const struct row *b) \
{ \
	return end_##what##_compare(v, fold_site(v->fold, a), fold_site(v->fold, b)); \
}
END_OF_BRANCH(symbol)
END_OF_BRANCH(object)

#define AT_SITE(what) \
static int self_##what##_compare(const struct view *v, const struct row *a, const struct row *b) \
{ \
	return what##_compare(v, fold_site(v->fold, a), fold_site(v->fold, b)); \
} \
static void self_##what##_text(const struct view *v, const struct row *r, struct out *o) { what##_text(v, fold_site(v->fold, r), o); } \
static void other_##what##_text(const struct view *v, const struct row *r, struct out *o) { what##_text(v, fold_other(v->fold, r), o); }
#define OTHER_ORDER(what) \
static int other_##what##_compare(const struct view *v, const struct row *a, const struct row *b) \
{ \
	return what##_compare(v, fold_other(v->fold, a), fold_other(v->fold, b)); \
}
OTHER_ORDER(object)
OTHER_ORDER(line)
AT_SITE(object)
AT_SITE(symbol)
AT_SITE(line)

/* Where branches are counted, the level is still that of the sample. */
static void row_symbol_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct site *s = fold_site(v->fold, r);

	key_put_symbol(v, s, key_level(v->fold->profile->opts.kind == PROFILE_BRANCHES ? r->first_mode : s->mode), s->address, o);
}

static int self_symbol_width(const struct view *v, const struct row *r) { return symbol_width(v, fold_site(v->fold, r)); }
static int other_symbol_width(const struct view *v, const struct row *r) { return symbol_width(v, fold_other(v->fold, r)); }

/* A row without a name makes the column of objects wide enough for an address, too. */
static int self_object_width(const struct view *v, const struct row *r)
{
	const struct site *s = fold_site(v->fold, r);
	int width = s->dso ? out_name_width(object_name(v, s)) : 0;

	return s->symbol || v->opts->separated ? width : MAX(width, (int)UNRESOLVED_DIGITS);
}

static int other_object_width(const struct view *v, const struct row *r)
{
	const struct site *s = fold_other(v->fold, r);
	int width = s->dso ? out_name_width(object_name(v, s)) : 0;

	return s->symbol || v->opts->separated ? width : MAX(width, (int)UNRESOLVED_DIGITS);
}

/* The names of objects count only where the branch's end has a name, too; others are cut. */
static int end_object_width(const struct view *v, const struct site *s)
{
	return s->symbol ? out_name_width(object_name(v, s)) : UNRESOLVED_DIGITS;
}

static int from_object_width(const struct view *v, const struct row *r) { return end_object_width(v, fold_other(v->fold, r)); }
static int to_object_width(const struct view *v, const struct row *r) { return end_object_width(v, fold_site(v->fold, r)); }

static void self_offset_text(const struct view *v, const struct row *r, struct out *o) { offset_text(v, fold_site(v->fold, r), o); }
static void self_file_text(const struct view *v, const struct row *r, struct out *o) { file_text(v, fold_site(v->fold, r), o); }

static void self_size_text(const struct view *v, const struct row *r, struct out *o)
{
	if (fold_site(v->fold, r)->symbol)
		out_u64(o, symbol_size(v, fold_site(v->fold, r)));
	else
		out_str(o, "unknown");
}

static int self_file_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return file_compare(v, fold_site(v->fold, a), fold_site(v->fold, b));
}

static int self_size_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return order_u64(symbol_size(v, fold_site(v->fold, a)), symbol_size(v, fold_site(v->fold, b)));
}

static int self_offset_compare(const struct view *v, const struct row *a, const struct row *b)
{
	const struct site *x = fold_site(v->fold, a), *y = fold_site(v->fold, b);
	int order = symbol_compare(v, x, y);

	return order ? order : order_u64(y->dso_off, x->dso_off);
}

/* By name, unmapped places last. */
static int self_object_identity(const struct view *v, const struct row *a, const struct row *b)
{
	const struct site *x = fold_site(v->fold, a), *y = fold_site(v->fold, b);

	return x->dso && y->dso ? strcmp(object_name(v, x), object_name(v, y)) : !x->dso - !y->dso;
}

/* What has a name first, then by address, as a signed number; functions of different objects by these. */
static int self_symbol_identity(const struct view *v, const struct row *a, const struct row *b)
{
	const struct site *x = fold_site(v->fold, a), *y = fold_site(v->fold, b);
	const struct symbol *s = dso_symbol(symbols_of(v), x->dso, x->symbol), *t = dso_symbol(symbols_of(v), y->dso, y->symbol);
	uint64_t at_x = s ? s->start : x->address, at_y = t ? t->start : y->address;
	int order = s || t ? self_object_identity(v, a, b) : 0;

	if (order)
		return order;
	if (!s != !t)
		return s ? -1 : 1;
	if (at_x != at_y)
		return (int64_t)(at_x - at_y) < 0 ? -1 : 1;
	return x->inlined && y->inlined ? strcmp(x->inlined, y->inlined) : !!x->inlined - !!y->inlined;
}

static uint64_t object_size_id(const struct fold *f, const struct site *s) { return s->map_size; }

static int self_object_size_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return order_u64(fold_site(v->fold, a)->map_size, fold_site(v->fold, b)->map_size);
}

static void self_object_size_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct site *s = fold_site(v->fold, r);

	if (s->dso)
		out_u64(o, s->map_size);
	else
		out_str(o, "unknown");
}

/* Sampled instructions, one row each; of memory accesses. */
static void code_address_text(const struct view *v, const struct row *r, struct out *o)
{
	key_put_symbol(v, fold_site(v->fold, r), key_level(r->first_mode), view_value(v, r, ip_value), o);
}

/* ---- ends of branches as addresses ---- */

static uint64_t end_address(const struct site *s) { return s->dso ? s->dso_off : s->address; }
static uint64_t end_address_id(const struct fold *f, const struct site *s) { return hash_mix(s->ip, s->dso); }

static int end_address_compare(const struct site *a, const struct site *b)
{
	return order_u64(a->ip, b->ip);
}

static int from_address_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return end_address_compare(fold_other(v->fold, a), fold_other(v->fold, b));
}

static int to_address_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return end_address_compare(fold_site(v->fold, a), fold_site(v->fold, b));
}

static void end_address_text(const struct row *r, const struct site *s, struct out *o)
{
	out_fmt(o, "[%c] ", key_level(r->first_mode));
	key_put_address(end_address(s), UNRESOLVED_DIGITS, o);
}

static void from_address_text(const struct view *v, const struct row *r, struct out *o) { end_address_text(r, fold_other(v->fold, r), o); }
static void to_address_text(const struct view *v, const struct row *r, struct out *o) { end_address_text(r, fold_site(v->fold, r), o); }

/* ---- parent ---- */

static const char *parent_name(const struct view *v, const struct row *r)
{
	return r->parent ? view_site_name(v, &v->fold->profile->sites.items[r->parent]) : NULL;
}

static void parent_text(const struct view *v, const struct row *r, struct out *o)
{
	if (r->parent)
		out_name(o, parent_name(v, r));
	else
		out_str(o, "[other]");
}

static int parent_compare(const struct view *v, const struct row *a, const struct row *b)
{
	if (!a->parent || !b->parent)
		return !a->parent - !b->parent;
	return strcmp(parent_name(v, a), parent_name(v, b));
}

/* ---- whole stacks ---- */

/* A frame without a name: where in its file it is, which another run shares; a bare address it does not. */
static void put_nameless(const struct profile *p, const struct site *s, struct out *o)
{
	struct symbols *names = p->session->symbols;

	if (s->dso == DSO_UNKNOWN || dso_kind(names, s->dso) != DSO_KIND_FILE) {
		key_put_address(s->ip, 0, o);
		return;
	}
	out_char(o, '[');
	out_name(o, dso_short_name(names, s->dso));
	out_fmt(o, "+0x%llx]", (unsigned long long)s->dso_off);
}

/* Outermost first, as collapse writes them. */
static void stack_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct profile *p = v->fold->profile;
	size_t n;
	const uint32_t *sites = fold_stack_sites(v->fold, r, &n);

	for (size_t i = 0; i < n; i++) {
		const struct site *s = &p->sites.items[sites[p->opts.caller_first ? i : n - 1 - i]];
		const char *name = view_site_name(v, s);

		if (i)
			out_char(o, ';');
		if (name)
			out_name(o, name);
		else
			put_nameless(p, s, o);
	}
	if (!n)
		out_str(o, "[no stack]");
}

static int stack_compare(const struct view *v, const struct row *a, const struct row *b)
{
	struct out x, y;
	int order;

	if (a->stack == b->stack)
		return 0;
	out_init_mem(&x);
	out_init_mem(&y);
	stack_text(v, a, &x);
	stack_text(v, b, &y);
	order = strcmp(out_text(&x), out_text(&y));
	out_release(&x);
	out_release(&y);
	return order;
}

/* ---- branches: bits of the flags word, linux/perf_event.h, struct perf_branch_entry ---- */

static uint64_t branch_flags(const struct sample_context *c) { return c->branch ? load_u64(c->branch + 16) : 0; }
static uint64_t mispredict_value(const struct sample_context *c, const struct profile_opts *o) { return branch_flags(c) & 3; }
static uint64_t in_tx_value(const struct sample_context *c, const struct profile_opts *o) { return branch_flags(c) >> 2 & 1; }
static uint64_t abort_value(const struct sample_context *c, const struct profile_opts *o) { return branch_flags(c) >> 3 & 1; }
static uint64_t cycles_value(const struct sample_context *c, const struct profile_opts *o) { return branch_flags(c) >> 4 & 0xffff; }
static ASCENDING(mispredict_compare, mispredict_value)
static ASCENDING(in_tx_compare, in_tx_value)
static ASCENDING(abort_compare, abort_value)

static int cycles_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return order_u64(view_value(v, b, cycles_value), view_value(v, a, cycles_value));
}

static void mispredict_text(const struct view *v, const struct row *r, struct out *o)
{
	uint64_t flags = view_value(v, r, mispredict_value);

	out_str(o, flags & 1 ? "Y" : flags & 2 ? "N" : "N/A");
}

static void in_tx_text(const struct view *v, const struct row *r, struct out *o) { out_str(o, view_value(v, r, in_tx_value) ? "T" : "."); }
static void abort_text(const struct view *v, const struct row *r, struct out *o) { out_str(o, view_value(v, r, abort_value) ? "A" : "."); }

static void cycles_text(const struct view *v, const struct row *r, struct out *o)
{
	uint64_t cycles = view_value(v, r, cycles_value);

	if (cycles)
		out_u64(o, cycles);
	else
		out_char(o, '-');
}

static void branch_ipc_text(const struct view *v, const struct row *r, struct out *o) { out_char(o, '-'); }
static void ipc_text(const struct view *v, const struct row *r, struct out *o) { out_str(o, "-      -"); }

/* ---- branches on the chains of a row ---- */

static const struct branch_sums *row_branches(const struct view *v, const struct row *r)
{
	static const struct branch_sums none;

	return v->fold->branches ? &v->fold->branches[r - v->fold->rows.items] : &none;
}

static double row_predicted(const struct view *v, const struct row *r)
{
	const struct branch_sums *b = row_branches(v, r);

	return b->to + b->from ? 100.0 * (double)b->predicted / (double)(b->to + b->from) : 0;
}

static uint64_t row_cycles(const struct view *v, const struct row *r)
{
	const struct branch_sums *b = row_branches(v, r);

	return b->to + b->from ? b->cycles / (b->to + b->from) : 0;
}

static void history_predicted_text(const struct view *v, const struct row *r, struct out *o) { out_fmt(o, "%.1f%%", row_predicted(v, r)); }
static void history_abort_text(const struct view *v, const struct row *r, struct out *o) { out_u64(o, row_branches(v, r)->aborted); }
static void history_cycles_text(const struct view *v, const struct row *r, struct out *o) { out_u64(o, row_cycles(v, r)); }

/* ---- the table ---- */

const struct key keys[] = {
	{ .name = "overhead_children", .title = "Children", .from = KEY_SUM, .width = 8, .sum = sum_children, .percent = true,
	  .of_children = true },
	{ .name = "overhead", .title = "Overhead", .from = KEY_SUM, .width = 8, .sum = sum_self, .percent = true },
	{ .name = "latency", .title = "Latency", .from = KEY_SUM, .width = 8, .sum = sum_latency, .percent = true, .of_latency = true,
	  .needs = NEEDS_PARALLELISM | NEEDS_MEASURES },
	{ .name = "overhead_sys", .title = "sys", .from = KEY_SUM, .width = 8, .sum = sum_system, .percent = true },
	{ .name = "overhead_us", .title = "usr", .from = KEY_SUM, .width = 8, .sum = sum_user, .percent = true },
	{ .name = "overhead_guest_sys", .title = "guest sys", .from = KEY_SUM, .width = 9, .sum = sum_guest_system, .percent = true },
	{ .name = "overhead_guest_us", .title = "guest usr", .from = KEY_SUM, .width = 9, .sum = sum_guest_user, .percent = true },
	{ .name = "latency_children", .title = "Latency", .from = KEY_SUM, .width = 7, .sum = sum_latency_children, .percent = true, .of_latency = true,
	  .of_children = true, .needs = NEEDS_PARALLELISM | NEEDS_MEASURES },
	{ .name = "sample", .title = "Samples", .from = KEY_SUM, .width = 12, .sum = sum_samples },
	{ .name = "period", .title = "Period", .from = KEY_SUM, .width = 12, .sum = sum_self },
	{ .name = "weight1", .title = "Weight1", .from = KEY_SUM, .width = 8, .sum = sum_weight1, .mean = true, .needs = NEEDS_MEASURES },
	{ .name = "weight2", .title = "Weight2", .from = KEY_SUM, .width = 8, .sum = sum_weight2, .mean = true, .needs = NEEDS_MEASURES },
	{ .name = "weight3", .title = "Weight3", .from = KEY_SUM, .width = 8, .sum = sum_weight3, .mean = true, .needs = NEEDS_MEASURES },
	{ .name = "pid", .title = "    Pid:Command", .from = KEY_SAMPLE, .of_task = true, .sample = pid_value, .compare = pid_compare, .text = pid_text,
	  .text_width = pid_width },
	{ .name = "tgid", .title = "   Tgid:Command", .from = KEY_SAMPLE, .of_task = true, .sample = tgid_value, .compare = tgid_compare, .text = tgid_text,
	  .fixed = true, .cut = true },
	{ .name = "comm", .title = "Command", .from = KEY_SAMPLE, .regrouped = true, .of_task = true, .sample = comm_value, .compare = comm_compare, .text = comm_text,
	  .text_width = comm_width, .cut = true },
	{ .name = "dso", .title = "Shared Object", .from = KEY_SITE, .site = object_id, .compare = self_object_compare, .text = self_object_text,
	  .text_width = self_object_width, .identity = self_object_identity },
	{ .name = "symbol", .title = "Symbol", .from = KEY_SITE, .site = symbol_id, .compare = self_symbol_compare, .text = row_symbol_text,
	  .text_width = self_symbol_width, .ragged = true, .identity = self_symbol_identity, .needs = NEEDS_NAMES },
	{ .name = "symoff", .title = "Symbol Offset", .from = KEY_SITE, .site = offset_id, .compare = self_offset_compare, .text = self_offset_text,
	  .needs = NEEDS_ADDRESS, .ragged = true, .fixed = true },
	{ .name = "parent", .title = "Parent symbol", .from = KEY_CHAIN, .compare = parent_compare, .text = parent_text },
	{ .name = "stack", .title = "Stack", .from = KEY_CHAIN, .compare = stack_compare, .text = stack_text, .needs = NEEDS_STACKS, .ragged = true },
	{ .name = "cpu", .title = "CPU", .from = KEY_SAMPLE, .width = 3, .sample = cpu_value, .compare = cpu_compare, .text = cpu_text, .right = true,
	  .fixed = true },
	{ .name = "socket", .title = "Socket", .from = KEY_SAMPLE, .width = 6, .sample = socket_value, .compare = socket_compare, .text = socket_text,
	  .right = true, .fixed = true },
	{ .name = "parallelism", .title = "Parallelism", .from = KEY_SAMPLE, .width = 11, .sample = parallelism_value, .compare = parallelism_compare,
	  .text = parallelism_text, .right = true, .needs = NEEDS_PARALLELISM },
	{ .name = "srcline", .title = "Source:Line", .from = KEY_SITE, .regrouped = true, .site = line_id, .compare = self_line_compare, .text = self_line_text,
	  .needs = NEEDS_LINE | NEEDS_LINES_APART, .ragged = true },
	{ .name = "srcfile", .title = "Source File", .from = KEY_SITE, .regrouped = true, .site = file_id, .compare = self_file_compare, .text = self_file_text,
	  .needs = NEEDS_LINE | NEEDS_LINES_APART, .ragged = true },
	{ .name = "local_weight", .title = "Local Weight", .from = KEY_SAMPLE, .width = 12, .sample = weight_value, .compare = weight_compare,
	  .text = weight_text },
	{ .name = "weight", .title = "Weight", .from = KEY_SAMPLE, .width = 12, .sample = weight_value, .compare = weight_compare,
	  .text = weight_sum_text },
	{ .name = "local_ins_lat", .title = "Local INSTR Latency", .from = KEY_SAMPLE, .width = 0, .sample = ins_lat_value, .compare = ins_lat_compare,
	  .text = ins_lat_text },
	{ .name = "ins_lat", .title = "INSTR Latency", .from = KEY_SAMPLE, .width = 0, .sample = ins_lat_value, .compare = ins_lat_compare,
	  .text = ins_lat_sum_text },
	{ .name = "local_p_stage_cyc", .title = "Local Retire Latency", .from = KEY_SAMPLE, .width = 0, .sample = retire_lat_value, .compare = retire_lat_compare,
	  .text = retire_lat_text },
	{ .name = "p_stage_cyc", .title = "Retire Latency", .from = KEY_SAMPLE, .width = 0, .sample = retire_lat_value, .compare = retire_lat_compare,
	  .text = retire_lat_sum_text },
	{ .name = "local_retire_lat", .title = "Local Pipeline Stage Cycle", .from = KEY_SAMPLE, .width = 0, .sample = retire_lat_value, .compare = retire_lat_compare,
	  .text = retire_lat_text },
	{ .name = "retire_lat", .title = "Pipeline Stage Cycle", .from = KEY_SAMPLE, .width = 0, .sample = retire_lat_value, .compare = retire_lat_compare,
	  .text = retire_lat_sum_text },
	{ .name = "transaction", .title = "Transaction", .from = KEY_SAMPLE, .width = 27, .sample = transaction_value, .compare = transaction_compare,
	  .text = transaction_text },
	{ .name = "code_page_size", .title = "Code Page Size", .from = KEY_SAMPLE, .width = 0, .sample = code_page_value, .compare = code_page_compare,
	  .text = code_page_text },
	{ .name = "addr", .title = "Address", .from = KEY_SAMPLE, .width = 18, .sample = ip_value, .compare = ip_compare,
	  .text = ip_text },
	{ .name = "time", .title = "Time", .from = KEY_SAMPLE, .width = 12, .sample = time_value, .compare = time_compare, .text = time_text,
	  .text_width = time_width, .ragged = true },
	{ .name = "comm_nodigit", .title = "CommandNoDigit", .from = KEY_SAMPLE, .regrouped = true, .of_task = true, .sample = comm_nodigit_value,
	  .compare = comm_nodigit_compare, .text = comm_nodigit_text },
	{ .name = "trace", .title = "Trace output", .from = KEY_SAMPLE, .sample = trace_value, .compare = trace_compare, .text = trace_text,
	  .needs = NEEDS_TRACE, .ragged = true },
	{ .name = "cgroup", .title = "Cgroup", .from = KEY_SAMPLE, .width = 6, .sample = cgroup_value, .compare = cgroup_compare, .text = cgroup_text,
	  .ragged = true },
	{ .name = "cgroup_id", .title = "cgroup id (dev/inode)", .from = KEY_SAMPLE, .width = 20, .sample = cgroup_id_value, .compare = cgroup_id_compare,
	  .text = cgroup_id_text, .ragged = true },
	{ .name = "dso_size", .title = "DSO size", .from = KEY_SITE, .width = 8, .site = object_size_id, .compare = self_object_size_compare,
	  .text = self_object_size_text, .right = true },
	{ .name = "simd", .title = "Simd", .from = KEY_SAMPLE, .width = 7, .sample = simd_value, .text = simd_text, .ragged = true },
	{ .name = "symbol_size", .title = "Symbol size", .from = KEY_SITE, .site = symbol_size_id, .compare = self_size_compare, .text = self_size_text,
	  .right = true },
	{ .name = "ipc_null", .title = "IPC   [IPC Coverage]", .from = KEY_CHAIN, .width = 20, .text = ipc_text },
	{ .name = "ipc_lbr", .title = "IPC   [IPC Coverage]", .from = KEY_CHAIN, .width = 20, .text = branch_ipc_text, .needs = NEEDS_BRANCH },
	{ .name = "dso_from", .title = "Source Shared Object", .from = KEY_OTHER, .site = object_id, .compare = from_object_compare,
	  .text = other_object_text, .text_width = from_object_width, .cut = true, .needs = NEEDS_BRANCH },
	{ .name = "dso_to", .title = "Target Shared Object", .from = KEY_SITE, .site = object_id, .compare = to_object_compare,
	  .text = self_object_text, .text_width = to_object_width, .cut = true, .needs = NEEDS_BRANCH },
	{ .name = "symbol_from", .alias = "sym_from", .title = "Source Symbol", .from = KEY_OTHER, .site = symbol_id, .compare = from_symbol_compare,
	  .text = other_symbol_text, .text_width = other_symbol_width, .needs = NEEDS_BRANCH, .ragged = true },
	{ .name = "symbol_to", .alias = "sym_to", .title = "Target Symbol", .from = KEY_SITE, .site = symbol_id, .compare = to_symbol_compare,
	  .text = self_symbol_text, .text_width = self_symbol_width, .needs = NEEDS_BRANCH, .ragged = true },
	{ .name = "srcline_from", .title = "From Source:Line", .from = KEY_OTHER, .regrouped = true, .site = line_id, .compare = other_line_compare,
	  .text = other_line_text, .needs = NEEDS_BRANCH | NEEDS_LINE | NEEDS_LINES_APART },
	{ .name = "srcline_to", .title = "To Source:Line", .from = KEY_SITE, .regrouped = true, .site = line_id, .compare = self_line_compare, .text = self_line_text,
	  .needs = NEEDS_BRANCH | NEEDS_LINE | NEEDS_LINES_APART },
	{ .name = "addr_from", .title = "Source Address", .from = KEY_OTHER, .width = 22, .site = end_address_id, .compare = from_address_compare,
	  .text = from_address_text, .needs = NEEDS_BRANCH | NEEDS_ADDRESS, .ragged = true },
	{ .name = "addr_to", .title = "Target Address", .from = KEY_SITE, .width = 22, .site = end_address_id, .compare = to_address_compare,
	  .text = to_address_text, .needs = NEEDS_BRANCH | NEEDS_ADDRESS, .ragged = true },
	{ .name = "callchain_branch_predicted", .title = "Predicted", .from = KEY_CHAIN, .width = 9, .text = history_predicted_text },
	{ .name = "callchain_branch_abort", .title = "Abort", .from = KEY_CHAIN, .width = 5, .text = history_abort_text },
	{ .name = "callchain_branch_cycles", .title = "Cycles", .from = KEY_CHAIN, .width = 6, .text = history_cycles_text },
	{ .name = "mispredict", .title = "Branch Mispredicted", .from = KEY_SAMPLE, .sample = mispredict_value, .compare = mispredict_compare,
	  .text = mispredict_text, .needs = NEEDS_BRANCH },
	{ .name = "in_tx", .title = "Branch in transaction", .from = KEY_SAMPLE, .sample = in_tx_value, .compare = in_tx_compare, .text = in_tx_text,
	  .needs = NEEDS_BRANCH },
	{ .name = "abort", .title = "Transaction abort", .from = KEY_SAMPLE, .sample = abort_value, .compare = abort_compare, .text = abort_text,
	  .needs = NEEDS_BRANCH },
	{ .name = "cycles", .title = "Basic Block Cycles", .from = KEY_SAMPLE, .sample = cycles_value, .compare = cycles_compare, .text = cycles_text,
	  .needs = NEEDS_BRANCH },
	{ .name = "symbol_daddr", .title = "Data Symbol", .from = KEY_SAMPLE, .width = 22, .sample = data_address_value, .compare = data_address_compare,
	  .text = data_address_text, .text_width = data_address_width, .needs = NEEDS_MEMORY | NEEDS_ADDRESS },
	{ .name = "dso_daddr", .title = "Data Object", .from = KEY_OTHER, .width = 16, .site = object_id, .compare = other_object_compare,
	  .text = other_object_text, .text_width = other_object_width, .needs = NEEDS_MEMORY },
	{ .name = "mem", .title = "Memory access", .from = KEY_SAMPLE, .width = 39, .sample = level_value, .compare = level_compare,
	  .text = level_text, .needs = NEEDS_MEMORY },
	{ .name = "snoop", .title = "Snoop", .from = KEY_SAMPLE, .width = 12, .sample = snoop_value, .compare = snoop_compare,
	  .text = snoop_text, .needs = NEEDS_MEMORY },
	{ .name = "tlb", .title = "TLB access", .from = KEY_SAMPLE, .width = 22, .sample = tlb_value, .compare = tlb_compare,
	  .text = tlb_text, .needs = NEEDS_MEMORY },
	{ .name = "locked", .title = "Locked", .from = KEY_SAMPLE, .width = 6, .sample = lock_value, .compare = lock_compare,
	  .text = lock_text, .ragged = true, .needs = NEEDS_MEMORY },
	{ .name = "blocked", .title = "Blocked", .from = KEY_SAMPLE, .width = 10, .sample = block_value, .compare = block_compare,
	  .text = block_text, .ragged = true, .needs = NEEDS_MEMORY },
	{ .name = "dcacheline", .title = "Data Cacheline", .from = KEY_SAMPLE, .width = 22, .sample = cacheline_value, .compare = cacheline_compare,
	  .text = cacheline_text, .text_width = cacheline_width, .ragged = true, .needs = NEEDS_MEMORY | NEEDS_ADDRESS },
	{ .name = "symbol_iaddr", .title = "Code Symbol", .from = KEY_SAMPLE, .width = 22, .sample = ip_value, .compare = ip_compare,
	  .text = code_address_text, .needs = NEEDS_MEMORY },
	{ .name = "phys_daddr", .title = "Data Physical Address", .from = KEY_SAMPLE, .width = 22, .sample = phys_address_value, .compare = phys_address_compare,
	  .text = phys_address_text, .needs = NEEDS_MEMORY },
	{ .name = "data_page_size", .title = "Data Page Size", .from = KEY_SAMPLE, .width = 22, .sample = data_page_value, .compare = data_page_compare,
	  .text = data_page_text, .needs = NEEDS_MEMORY },
	{ .name = "type", .title = "Data Type", .from = KEY_SITE, .site = type_id, .compare = type_compare, .text = type_text,
	  .needs = NEEDS_ADDRESS | NEEDS_TYPE, .fixed = true },
	{ .name = "typeoff", .title = "Data Type Offset", .from = KEY_SITE, .site = type_offset_id, .compare = type_offset_compare, .text = type_offset_text,
	  .needs = NEEDS_ADDRESS | NEEDS_TYPE, .fixed = true, .ragged = true },
	{ .name = "typecln", .title = "Data Type Cacheline", .from = KEY_SITE, .site = type_line_id, .compare = type_line_compare, .text = type_line_text,
	  .needs = NEEDS_ADDRESS | NEEDS_TYPE, .fixed = true, .ragged = true },
	{ 0 }
};

const struct key *key_find(const char *name, size_t len)
{
	for (const struct key *k = keys; k->name; k++)
		if ((!strncasecmp(k->name, name, len) && !k->name[len]) || (k->alias && !strncasecmp(k->alias, name, len) && !k->alias[len]))
			return k;
	for (const struct key *k = keys; k->name && len; k++)
		if (!strncasecmp(k->name, name, len))
			return k;
	return NULL;
}
