#!/bin/bash
# waits: a reader of a slow file system. Who serves it made the reader wait, and followed, the place where that slept.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_waking
need python3 taskset umount
[ -w /dev/fuse ] || skip "/dev/fuse cannot be opened: no file system of our own"
cat >slowfs.c <<'EOF2'
/* A file system with one file, "file", whose every read takes 300 ms: it speaks the kernel's protocol itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define OWN __attribute__((noinline))
enum { ROOT = 1, FILE_ID = 2, SIZE = 4096 };
static int device;

OWN static void answer(uint64_t unique, int error, const void *data, size_t len)
{
	char buf[8192];
	struct fuse_out_header h = { .len = (uint32_t)(sizeof(h) + len), .error = error, .unique = unique };

	memcpy(buf, &h, sizeof(h));
	if (len)
		memcpy(buf + sizeof(h), data, len);
	if (write(device, buf, h.len) < 0)
		perror("write");
}

static struct fuse_attr attr_of(uint64_t node)
{
	return (struct fuse_attr){ .ino = node, .size = node == ROOT ? 0 : SIZE, .nlink = 1,
				   .mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0644 };
}

OWN void slow_read(uint64_t unique)
{
	static char data[SIZE];

	nanosleep(&(struct timespec){ 0, 300000000 }, NULL);
	answer(unique, 0, data, sizeof(data));
	__asm__ volatile("");
}

static void serve(const struct fuse_in_header *h)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
	struct fuse_entry_out entry = {
		.nodeid = FILE_ID, .entry_valid = 99, .attr_valid = 99, .attr = attr_of(FILE_ID)
	};
	struct fuse_attr_out attr = { .attr_valid = 99, .attr = attr_of(h->nodeid) };
	struct fuse_open_out opened = { .open_flags = FOPEN_DIRECT_IO };

	switch (h->opcode) {
	case FUSE_INIT: answer(h->unique, 0, &init, sizeof(init)); break;
	case FUSE_LOOKUP: answer(h->unique, 0, &entry, sizeof(entry)); break;
	case FUSE_GETATTR: answer(h->unique, 0, &attr, sizeof(attr)); break;
	case FUSE_OPEN: answer(h->unique, 0, &opened, sizeof(opened)); break;
	case FUSE_READ: slow_read(h->unique); break;
	case FUSE_RELEASE:
	case FUSE_FLUSH: answer(h->unique, 0, NULL, 0); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	default: answer(h->unique, -ENOSYS, NULL, 0); break;
	}
}

int main(int argc, char **argv)
{
	static char buf[1 << 17];
	char opts[100];

	device = open("/dev/fuse", O_RDWR);
	snprintf(opts, sizeof(opts), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (device < 0 || mount("slowfs", argv[1], "fuse", MS_NOSUID | MS_NODEV, opts) < 0) {
		perror("mount");
		return 77;
	}
	prctl(PR_SET_NAME, "server");
	for (;;) {
		ssize_t got = read(device, buf, sizeof(buf));

		if (got < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT)
			return 0; /* unmounted */
		if (got >= (ssize_t)sizeof(struct fuse_in_header))
			serve((const void *)buf);
	}
}
EOF2
cat >reader.c <<'EOF2'
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void read_file(const char *path)
{
	char buf[4096];
	int fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, buf, sizeof(buf)) < 0) perror(path);
	close(fd);
	__asm__ volatile("");
}
int main(int argc, char **argv) { read_file(argv[1]); return 0; }
EOF2
for program in slowfs reader; do
	cc -O1 -Wall -fno-omit-frame-pointer -fno-optimize-sibling-calls -o $program $program.c || exit 1
done
mkdir mnt
taskset -c $one_cpu ./slowfs "$PWD/mnt" 2>slowfs.err & server=$!
for _ in $(seq 100); do	# until it is mounted, or says why not
	grep -q " $PWD/mnt fuse " /proc/mounts && break
	kill -0 $server 2>/dev/null || break
	sleep 0.05
done
grep -q " $PWD/mnt fuse " /proc/mounts || skip "FUSE cannot be mounted: $(cat slowfs.err)"
"$STROBE" record --waits --stack-rate=0 -q -o w.data taskset -c $one_cpu ./reader mnt/file 2>err
rc=$?
umount mnt
wait $server
check "the recording was made: $(cat err)" test $rc = 0
"$STROBE" waits -j -E 0 -i w.data >direct
"$STROBE" waits -j -E 0 --chain -i w.data >chain
cat >ask.py <<'EOF2'
import json, sys
rows = [o for o in map(json.loads, open(sys.argv[1])) if o.get("victim") == "reader" and o["kind"] == "I/O"]
def due(waker, function):
    return sum(o["ns"] for o in rows if o["waker"] == waker and function in o["waker_stack"])
total = sum(o["ns"] for o in rows)
print(total, due("server", sys.argv[2]))
least = 0.95 * (int(sys.argv[3]) if len(sys.argv) > 3 else total)
sys.exit(not (total >= 300e6 and due("server", sys.argv[2]) >= least))
EOF2
check "I/O, ended by the server's answer: $(python3 ask.py direct fuse_dev_do_write)" \
	python3 ask.py direct fuse_dev_do_write
# on a busy machine the server waits for a CPU, too: after its 300 ms
check "followed: the server slept, in its read: $(python3 ask.py chain do_nanosleep)" \
	python3 ask.py chain do_nanosleep 300000000
finish
