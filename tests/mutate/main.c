/*
 * mutate SEED NUMBER IN OUT: make one damaged copy, the same as the runner `mutants` makes. Print
 * the changes.
 */
#include "base/file.h"
#include "tests/mutate/mutate.h"

int main(int argc, char **argv)
{
	struct file_map in;
	struct err e = { 0 };
	struct mutant m;
	autofclose FILE *out = NULL;

	if (argc != 5) {
		fprintf(stderr, "usage: %s SEED NUMBER IN OUT\n", argv[0]);
		return 129;
	}
	if (file_map(&in, argv[3], &e) < 0) {
		fprintf(stderr, "%s: %s\n", e.what, e.why);
		return 1;
	}
	mutant_make(&m, in.data, in.len, strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0));
	out = fopen(argv[4], "w");
	if (!out || fwrite(m.bytes, 1, m.len, out) != m.len || fflush(out)) {
		perror(argv[4]);
		return 1;
	}
	printf("%zu bytes: %s\n", m.len, m.what);
	mutant_release(&m);
	file_unmap(&in);
	return 0;
}
