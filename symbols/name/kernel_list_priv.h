#ifndef SYMBOLS_NAME_KERNEL_LIST_PRIV_H
#define SYMBOLS_NAME_KERNEL_LIST_PRIV_H

#include "symbols/name/kallsyms_index_priv.h"
#include "symbols/name/table.h"

/*
 * The kallsyms file of a session, kept small: the kernel's symbols go to the kernel's object, and
 * the names stay in the file if it can be mapped. struct kallsyms keeps the same facts in memory,
 * for readers that want the whole list.
 */
struct kernel_list;

/*
 * Open the file; regular files only. Never returns NULL: on failure kernel_list_problem() says why. The functions below
 * that need the whole list read it at their first call. Any thread may call them.
 */
struct kernel_list *kernel_list_open(const char *path);
/* For tests: parse it from memory. */
struct kernel_list *kernel_list_parse(const char *text, size_t len);
void kernel_list_free(struct kernel_list *k);

enum reason kernel_list_problem(struct kernel_list *k); /* why there are no symbols; reads the list */
const char *kernel_list_path(const struct kernel_list *k);
/* Find the listed address of a symbol of the kernel itself. Does not read the list. */
bool kernel_list_find(struct kernel_list *k, const char *name, uint64_t *address);
/*
 * Move the kernel's symbols into `t`, `delta` added to their addresses, and register their names with the object `d`.
 * Only one object can take them.
 */
void kernel_list_take(struct kernel_list *k, struct dso *d, uint64_t delta, struct symbol_table *t);
/*
 * Index the kernel's own symbols, without parsing the list. Return false if the list does not have the usual form, its
 * file has no size, or the whole list has been read: then take the whole list.
 */
bool kernel_list_index(struct kernel_list *k, struct kallsyms_index *x);
/*
 * Register the names of an indexed list with the object. Return the number of their string table, -1 if the object has
 * too many of these.
 */
int kernel_list_names(const struct kernel_list *k, struct dso *d);
/*
 * Fill the empty `t` with the kernel's own symbols of a block, `delta` added to their addresses. `strings`: number of
 * the string table with their names.
 */
void kernel_list_block(const struct kernel_list *k, const struct kallsyms_block *b, uint64_t delta, int strings,
		       struct symbol_table *t);
/* Copy the symbols of the module d->short_name that lie inside it into `t`, and register their names with it. */
void kernel_list_module(struct kernel_list *k, struct dso *d, struct symbol_table *t);
/* The caller has read a name or a block: release the pages after every few calls. Any thread may call it. */
void kernel_list_touched(struct kernel_list *k);
/* Release the pages of the file that names were read from; they fault in again on demand. Any thread may do so. */
void kernel_list_rest(const struct kernel_list *k);

#endif
