/* Read another process's memory, page by page. */
#include "record/unwind/target_memory_priv.h"

#include <errno.h>
#include <sys/uio.h>

#include "base/mem.h"

enum { PAGE = sizeof(((struct target_memory *)0)->pages[0].bytes) };

static const uint8_t *page_at(struct target_memory *m, uint64_t addr)
{
	unsigned i = 0;

	while (i < m->n && m->pages[i].addr != addr)
		i++;
	if (i < m->n)
		return m->pages[i].bytes;
	if (m->refused || i == ARRAY_SIZE(m->pages))
		return NULL;
	if (process_vm_readv(m->pid, &(struct iovec){ m->pages[i].bytes, PAGE }, 1,
			     &(struct iovec){ (void *)(uintptr_t)addr, PAGE }, 1, 0) != PAGE) {
		m->refused = errno == EPERM || errno == ENOSYS;
		return NULL;
	}
	m->pages[i].addr = addr;
	m->n++;
	return m->pages[i].bytes;
}

void target_memory_touch(struct target_memory *m, uint64_t from, uint64_t to)
{
	struct iovec pages[16];
	uint8_t bytes[ARRAY_SIZE(pages)] = { 0 };
	size_t n = 0;

	for (uint64_t at = (from + PAGE - 1) / PAGE * PAGE; at < to && n < ARRAY_SIZE(pages) && !m->refused; at += PAGE)
		pages[n++] = (struct iovec){ (void *)(uintptr_t)at, 1 };
	if (n && process_vm_readv(m->pid, &(struct iovec){ bytes, n }, 1, pages, n, 0) < 0)
		m->refused = errno == EPERM || errno == ENOSYS;
}

bool target_memory_read(void *ctx, uint64_t addr, void *to, size_t len)
{
	struct target_memory *m = ctx;
	uint8_t *at = to;

	while (len) {
		size_t off = addr % PAGE, n = MIN(len, PAGE - off);
		const uint8_t *page = page_at(m, addr - off);

		if (!page)
			return false;
		memcpy(at, page + off, n);
		at += n;
		addr += n;
		len -= n;
	}
	return true;
}
