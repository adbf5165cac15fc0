/* Foreign profiles, as strobe import script reads them. */
#include "report/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import *im = import_new();
	struct import_notes notes = { 0 };
	struct err e = { 0 };

	if (!import_script(im, data, size, &e))
		import_write(im, "/dev/null", &notes, &e);
	import_free(im);
	return 0;
}
