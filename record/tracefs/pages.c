#include "record/tracefs/pages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>

#include "base/file.h"

static int by_cpu(const void *a, const void *b)
{
	const struct trace_ring *x = a, *y = b;

	return x->cpu - y->cpu;
}

/*
 * Return the size of the kernel's sub-buffers: one page, unless buffer_subbuf_size_kb (since 6.8)
 * says otherwise.
 */
static size_t page_size_of(const struct instance *in)
{
	autofree char *path = xasprintf("%s/buffer_subbuf_size_kb", in->dir);
	char text[32];
	size_t kb = file_read_line(path, text, sizeof(text)) > 0 ? strtoul(text, NULL, 10) : 0;

	return kb && kb <= 1024 ? kb << 10 : (size_t)sysconf(_SC_PAGESIZE);
}

int trace_reader_open(struct trace_reader *r, const struct instance *in, const struct cpuset *cpus, struct err *e)
{
	autofree char *path = xasprintf("%s/per_cpu", in->dir);
	DIR *dir = opendir(path);

	*r = (struct trace_reader){ .page_size = page_size_of(in) };
	if (!dir)
		return err_sys(e, "cannot read '%s'", path);
	for (struct dirent *d; (d = readdir(dir));) {
		autofree char *file = xasprintf("%s/%s/trace_pipe_raw", path, d->d_name);
		int cpu = strncmp(d->d_name, "cpu", 3) ? -1 : atoi(d->d_name + 3), fd;

		if (cpu < 0 || (cpus && !cpuset_has(cpus, cpu)))
			continue;
		fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0) {
			err_sys(e, "cannot read '%s'", file);
			closedir(dir);
			trace_reader_close(r);
			return -1;
		}
		vec_push(&r->rings, (struct trace_ring){ .cpu = cpu, .fd = fd });
	}
	closedir(dir);
	qsort(r->rings.items, r->rings.len, sizeof(*r->rings.items), by_cpu);
	r->page = xmalloc(r->page_size);
	return 0;
}

void trace_reader_close(struct trace_reader *r)
{
	for (size_t i = 0; i < r->rings.len; i++)
		close(r->rings.items[i].fd);
	vec_free(&r->rings);
	free(r->page);
	*r = (struct trace_reader){ 0 };
}

void trace_reader_wait(struct trace_reader *r, int timeout_ms)
{
	autofree struct pollfd *fds = xcalloc(r->rings.len + 1, sizeof(*fds));

	for (size_t i = 0; i < r->rings.len; i++) {
		if (r->rings.items[i].more)
			return;
		fds[i] = (struct pollfd){ .fd = r->rings.items[i].fd, .events = POLLIN };
	}
	poll(fds, r->rings.len, timeout_ms);
}

int trace_ring_read(struct trace_reader *r, struct trace_ring *ring, struct err *e)
{
	ssize_t got;

	do
		got = read(ring->fd, r->page, r->page_size);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno != EAGAIN)
		return err_sys(e, "cannot read the trace of CPU %d", ring->cpu);
	/* a shorter page would come from a kernel that we do not know */
	return got == (ssize_t)r->page_size;
}

void trace_losses_read(const struct instance *in, struct trace_losses *sum)
{
	autofree char *path = xasprintf("%s/per_cpu", in->dir);
	DIR *dir = opendir(path);

	*sum = (struct trace_losses){ 0 };
	for (struct dirent *d; dir && (d = readdir(dir));) {
		autofree char *stats = xasprintf("%s/%s/stats", path, d->d_name), *text = NULL;
		const char *at;

		if (strncmp(d->d_name, "cpu", 3) || !(text = file_read(stats, 4096, NULL, NULL)))
			continue;
		if ((at = strstr(text, "\noverrun: ")))
			sum->overrun += strtoull(at + 10, NULL, 10);
		if ((at = strstr(text, "\ndropped events: ")))
			sum->dropped += strtoull(at + 17, NULL, 10);
	}
	if (dir)
		closedir(dir);
}
