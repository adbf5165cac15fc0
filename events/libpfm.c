/*
 * Load libpfm4 on first use: its tables of events need 41,000 relocations, more than a millisecond
 * at each start.
 */
#include "events/libpfm_priv.h"

#ifdef STROBE_STATIC
static struct libpfm table = { LIBPFM_FUNCTIONS(LIBRARY_ADDRESS) };

static int load(struct err *e) { return 0; }
#else
#define LIBRARY_TABLE table
static struct libpfm table;
static const struct library_function functions[] = { LIBPFM_FUNCTIONS(LIBRARY_ROW){ 0 } };
static struct library library = { .file = PFM_SONAME, .package = PFM_PACKAGE, .functions = functions };

static int load(struct err *e) { return library_open(&library, e); }
#endif

const struct libpfm *libpfm(void) { return &table; }

/* Initialise the library only once per process. */
int libpfm_ready(struct err *e)
{
	int result;

	if (load(e) < 0)
		return -1;
	result = table.pfm_initialize();
	if (result == PFM_SUCCESS)
		return 0;
	err_set(e, "libpfm4 does not start");
	err_why(e, "%s", table.pfm_strerror(result));
	return err_exit(e, EXIT_BAD_USAGE);
}
