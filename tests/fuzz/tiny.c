/* The program behind the seeds of fuzz_dwarf and fuzz_unwind: functions that were put into others, a frame of variable
 * size, calls. */
volatile unsigned long out;

static inline __attribute__((always_inline)) unsigned long mix(unsigned long n) { return n ^ (n >> 3); }

static inline __attribute__((always_inline)) void add(unsigned long n)
{
	{
		unsigned long m = mix(n);

		out += m;
	}
}

__attribute__((noinline)) void hot(unsigned long n)
{
	while (n--)
		add(n);
}

__attribute__((noinline)) unsigned long wide(unsigned long n)
{
	volatile char *a = __builtin_alloca(n);

	a[n / 2] = (char)n;
	hot(n);
	return (unsigned long)a[0] + mix(n);
}

__attribute__((noreturn)) void _start(void)
{
	for (;;)
		out += wide(out & 0xff);
}
