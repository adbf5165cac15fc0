/* Spins some tens of milliseconds in functions that call each other. */
#include <string.h>
#include <unistd.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i ^ n;
}
__attribute__((noinline)) static void middle(unsigned long n)
{
	leaf(n);
	sum++;
}
__attribute__((noinline)) static void top(unsigned long n)
{
	middle(n);
	if (n & 1)
		leaf(n / 2);
	sum++;
}
int main(void)
{
	for (int i = 0; i < 300; i++) {
		top(50000 + (unsigned long)i);
		if (i % 50 == 0)
			sum += (unsigned long)write(-1, "x", 1);
	}
	return 0;
}
