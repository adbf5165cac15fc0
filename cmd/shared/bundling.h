#ifndef CMD_SHARED_BUNDLING_H
#define CMD_SHARED_BUNDLING_H

#include "cmd/shared/options.h"
#include "symbols/bundle/make.h"

/* What `strobe bundle` and `record --bundle` do. `symbols` says where files lie. */
struct bundling {
	const char *input, *output; /* may be the same: the file is then replaced as a whole */
	struct symbols_opts symbols;
	bool force;
	bool no_paths; /* leave directories, the command line and the host's name out of the output */
	struct bundle_want want;
};
/* Write the recording with a bundle, and say in one line what is in it. -1 with e: `output` is as before. */
int bundle_recording(const struct bundling *b, struct err *e);

#endif
