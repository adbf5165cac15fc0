#ifndef BASE_ENCODE_THRIFT_PRIV_H
#define BASE_ENCODE_THRIFT_PRIV_H

#include "base/out.h"

/*
 * Write structs in Thrift's compact protocol. Fields of a struct come in the order of their numbers. Source:
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BYTES = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };
enum { THRIFT_DEPTH = 8 };
struct thrift {
	struct out *o;
	unsigned depth, last[THRIFT_DEPTH]; /* the last field of each open struct */
};

/* Begin the outermost struct. thrift_end ends it. */
static inline struct thrift thrift_to(struct out *o) { return (struct thrift){ .o = o }; }
void thrift_i32(struct thrift *t, unsigned field, int32_t v);
void thrift_i64(struct thrift *t, unsigned field, int64_t v);
void thrift_bytes(struct thrift *t, unsigned field, const void *bytes, size_t len);
void thrift_text(struct thrift *t, unsigned field, const char *text);
void thrift_struct(struct thrift *t, unsigned field); /* begin a struct in it; thrift_end ends it */
void thrift_end(struct thrift *t);
/* Begin a list of n items. They follow as items of the type; structs as thrift_item_struct ... thrift_end. */
void thrift_list(struct thrift *t, unsigned field, enum thrift_type of, size_t n);
void thrift_item_i32(struct thrift *t, int32_t v);
void thrift_item_text(struct thrift *t, const char *text);
void thrift_item_struct(struct thrift *t);

#endif
