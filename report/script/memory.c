/* Print the fields of samples of memory accesses. */
#include "report/rows/memory_text.h"
#include "report/script/print_priv.h"

void memory_parts_print(uint64_t data_src, struct out *o)
{
	static const struct {
		const char *label;
		enum memory_part part;
	} parts[] = {
		{ "|OP ", MEMORY_OP },   { "|LVL ", MEMORY_LEVEL }, { "|SNP ", MEMORY_SNOOP },
		{ "|TLB ", MEMORY_TLB }, { "|LCK ", MEMORY_LOCK },  { "|BLK ", MEMORY_BLOCK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		out_str(o, parts[i].label);
		memory_text(data_src, parts[i].part, o);
	}
}

/* Print the data source, padded to the width of the widest one printed so far. */
void print_data_src(struct print_job *j)
{
	size_t from = j->o->len, width;

	out_hex_pad(j->o, j->sample->data_src, 16, ' ');
	out_char(j->o, ' ');
	memory_parts_print(j->sample->data_src, j->o);
	width = j->o->len - from;
	if (width > j->p->widest_data_src)
		j->p->widest_data_src = width;
	out_pad(j->o, ' ', (long)(j->p->widest_data_src - width));
}

void print_data_page_size(struct print_job *j)
{
	out_char(j->o, ' ');
	page_size_text(j->sample->data_page_size, j->o);
}

void print_code_page_size(struct print_job *j)
{
	out_char(j->o, ' ');
	page_size_text(j->sample->code_page_size, j->o);
}
