/*
 * Open, duplicate and close files under the same numbers, so that a name that is looked up late is a wrong one; then
 * change a path after the call that used it. For tests/e2e/trace_calls.sh.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	char path[] = "/etc/passwd";
	char byte;
	int fd, copy;

	fd = open("/etc/passwd", O_RDONLY);
	copy = dup(fd);
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	read(fd, &byte, 1);
	read(copy, &byte, 1);
	close(copy);
	close(fd);
	fd = open("/dev/zero", O_RDWR);
	read(fd, &byte, 1);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	lseek(-1, 7, SEEK_END);
	access(path, R_OK);
	strcpy(path, "/etc/wrong!");
	usleep(300000); /* until the event was read */
	return 0;
}
