#ifndef REPORT_ROWS_MEMORY_TEXT_H
#define REPORT_ROWS_MEMORY_TEXT_H

#include "base/out.h"

/*
 * Parts of a sample's data_src as text. Source: perf_event_open(2), PERF_SAMPLE_DATA_SRC;
 * linux/perf_event.h, union perf_mem_data_src and PERF_MEM_*.
 */
enum memory_part { MEMORY_OP, MEMORY_LEVEL, MEMORY_SNOOP, MEMORY_LOCK, MEMORY_TLB, MEMORY_BLOCK };

/* The value of a sample without data_src: "not available" in each part. */
enum { MEMORY_NOT_AVAILABLE = 0x5080021 };
/* Print "L1 hit", "None", "L1 or L2 hit", "No" ... */
void memory_text(uint64_t data_src, enum memory_part part, struct out *o);
/* data_src without the bits of other parts; equal if and only if the texts are. */
uint64_t memory_only(uint64_t data_src, enum memory_part part);
/* The bits that determine the text, as a number to sort by. */
uint64_t memory_bits(uint64_t data_src, enum memory_part part);
/* Print "4K", "2M"; "N/A" for 0. */
void page_size_text(uint64_t size, struct out *o);

#endif
