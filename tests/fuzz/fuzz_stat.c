/* Recordings of counts: print them in each form, aggregate them in each way. */
#include "format/format.h"
#include "stat/stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfdata *pd = perfdata_open_memory("input", data, size, NULL);

	for (int per = -1; pd && per < AGGREGATIONS; per++) {
		for (int form = STAT_TEXT; form <= STAT_JSON; form++) {
			struct stat_report_opts o = { .input = "input",
						      .table.per_given = per >= 0,
						      .table.per = per < 0 ? PER_ALL : (enum aggregation)per,
						      .print = { .form = (enum stat_form)form,
								 .separator = ",",
								 .metric_only = per == PER_SOCKET } };
			struct err e = { 0 };
			struct out out;

			out_init_mem(&out);
			if (stat_report_data(&o, pd, &out, &e) < 0 && !e.what[0])
				abort();
			out_release(&out);
		}
	}
	perfdata_close(pd);
	return 0;
}
