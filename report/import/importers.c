#include "report/import/import_priv.h"

const struct importer importers[] = {
	{ "collapsed", "a line per stack", import_collapsed },
	{ "pprof", "pprof: profile.proto, gzip'd or not", import_pprof },
	{ "script", "the text of perf script", import_script },
	{ 0 },
};

const struct importer *importer_find(const char *name)
{
	for (const struct importer *i = importers; i->name; i++)
		if (!strcmp(i->name, name))
			return i;
	return NULL;
}

struct import *import_new(void) { return xcalloc(1, sizeof(struct import)); }

size_t import_n_samples(const struct import *im) { return im->samples.len; }

uint32_t import_task(struct import *im, uint32_t comm, int32_t pid, int32_t tid)
{
	uint64_t hash = hash_mix(comm, (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid);
	struct idtable_probe probe = idtable_probe(&im->by_task, hash);
	uint32_t id;

	while ((id = idtable_next(&im->by_task, &probe))) {
		const struct import_task *t = &im->tasks.items[id - 1];

		if (t->comm == comm && t->pid == pid && t->tid == tid)
			return id - 1;
	}
	vec_push(&im->tasks, (struct import_task){ .comm = comm, .pid = pid, .tid = tid });
	idtable_add(&im->by_task, hash, (uint32_t)im->tasks.len);
	return (uint32_t)im->tasks.len - 1;
}

uint32_t import_event(struct import *im, const char *name, size_t len, bool time)
{
	const char *text = strtab_get(&im->texts, strtab_intern_len(&im->texts, name, len));

	for (uint32_t i = 0; i < im->events.len; i++)
		if (im->events.items[i].name == text && im->events.items[i].time == time)
			return i;
	vec_push(&im->events, (struct import_event){ .name = text, .time = time });
	return (uint32_t)im->events.len - 1;
}

void import_free(struct import *im)
{
	strtab_free(&im->texts);
	vec_free(&im->events);
	vec_free(&im->tasks);
	vec_free(&im->frames);
	vec_free(&im->samples);
	idtable_free(&im->by_task);
	free(im);
}
