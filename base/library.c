#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct library *failed; /* global, because a process loads a library once for all threads */

static int bind(const struct library *l, void *handle, struct err *e)
{
	for (const struct library_function *f = l->functions; f->name; f++) {
		*f->to = dlsym(handle, f->name);
		if (!*f->to) {
			err_set(e, "cannot use the library %s", l->file);
			return err_why(e, "it has no '%s'", f->name);
		}
	}
	return 0;
}

static int load(struct library *l, struct err *e)
{
	void *handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);

	if (handle)
		return bind(l, handle, e);
	err_set(e, "cannot load the library %s", l->file);
	err_why(e, "%s", dlerror());
	return err_try(e, "install the package that has it%s%s", *l->package ? ": " : "", l->package);
}

int library_open(struct library *l, struct err *e)
{
	int rc;

	pthread_mutex_lock(&lock);
	if (!l->tried) {
		l->tried = true;
		l->failed = load(l, &l->failure) < 0;
		if (l->failed) {
			l->next = failed;
			failed = l;
		}
	}
	rc = l->failed ? -1 : 0;
	if (rc < 0 && e) {
		*e = l->failure;
		l->told = true;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

bool library_untold(struct err *e)
{
	struct library *l;

	pthread_mutex_lock(&lock);
	for (l = failed; l && l->told; l = l->next)
		;
	if (l) {
		*e = l->failure;
		l->told = true;
	}
	pthread_mutex_unlock(&lock);
	return l != NULL;
}
