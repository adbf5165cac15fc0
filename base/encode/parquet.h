#ifndef BASE_ENCODE_PARQUET_H
#define BASE_ENCODE_PARQUET_H

#include "base/encode/table.h"

/*
 * Write a table as an Apache Parquet file: required columns and lists, row groups of at most a million rows,
 * dictionary, RLE and delta encodings, zstd pages, statistics. Debian has no C library for it. Source:
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
void parquet_write(const struct data_table *t, const char *created_by, struct out *o);

#endif
