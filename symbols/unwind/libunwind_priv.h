#ifndef SYMBOLS_UNWIND_LIBUNWIND_PRIV_H
#define SYMBOLS_UNWIND_LIBUNWIND_PRIV_H

#include <libunwind-x86_64.h>

#include "base/library.h"

/*
 * The functions of libunwind's library for x86-64 as the target; usable after the library is open.
 * This is not the libunwind of C++ runtimes: it has no functions _Unwind_*. To use another
 * function, add it here.
 */
/* clang-format off */
#define LIBUNWIND_FUNCTIONS(F) \
	F(_Ux86_64_create_addr_space) F(_Ux86_64_destroy_addr_space) F(_Ux86_64_set_caching_policy) \
	F(_Ux86_64_flush_cache) F(_Ux86_64_init_remote) F(_Ux86_64_step) F(_Ux86_64_get_reg) \
	F(_Ux86_64_dwarf_search_unwind_table)
/* clang-format on */

/* libunwind's own header for this is not installed. */
int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *table, unw_proc_info_t *info,
				       int need_unwind_info, void *arg);

struct libunwind {
	LIBUNWIND_FUNCTIONS(LIBRARY_MEMBER)
};

#endif
