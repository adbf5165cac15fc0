/* For probes: parameters, locals, members, bitfields, inlined copies whose values are known. Prints what it did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct inner { int a; unsigned bits : 3; int more : 5; unsigned long long big : 33; char name[16]; };
struct node {
	struct node *next;
	long value;
	const char *text;
	struct inner in;
	int numbers[4];
	unsigned char small;
	short shorter;
	enum { RED, GREEN } color;
	union { int u; };
};
int counter = 5;
static long offset_by = 7;

__attribute__((noinline)) int leaf(int n)
{
	int r = n * 3;
	counter += r;
	return r + (int)offset_by;
}

static inline __attribute__((always_inline)) int twice(int x, int y)
{
	int z = x * y;
	z += counter;
	return z;
}

__attribute__((noinline)) int middle(struct node *p, const char *s, unsigned u)
{
	int local = p->numbers[2];
	char buffer[32];
	snprintf(buffer, sizeof(buffer), "%s", s);
	for (int i = 0; i < 3; i++)
		local += leaf(i + (int)u);
	local += twice(local, (int)u);
	return local + (int)strlen(buffer);
}

__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	return a + b + c + d + e + f + twice(g, h);
}

extern int other_name(int n) __attribute__((alias("leaf")));

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3, total = 0;
	struct node q = { .value = 42, .text = "hello", .in = { 1, 5, 3, 12345, "inner" }, .numbers = { 1, 2, 3, 4 },
			  .small = 200, .shorter = -2, .color = GREEN, .u = 77 };

	q.next = &q;
	for (int i = 0; i < n; i++) {
		q.value = 100 + i;
		total += middle(&q, "world", (unsigned)i);
	}
	total += many(1, 2, 3, 4, 5, 6, 7, 8);
	printf("%d\n", total);
	return 0;
}
