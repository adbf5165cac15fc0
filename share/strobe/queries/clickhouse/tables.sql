-- The tables that `strobe push --init` makes. Rows with equal keys replace each other. Queries say FINAL, or wait
-- until ClickHouse has merged its parts.
CREATE TABLE IF NOT EXISTS runs (run UInt64, host String, service String, start_ns Int64, end_ns Int64,
	wall_clock UInt8, freq Int64, cpus Int32, cmdline String, samples Int64, weight Int64, lost Int64)
	ENGINE = ReplacingMergeTree ORDER BY run;
CREATE TABLE IF NOT EXISTS samples (run UInt64, sample UInt64, host String, service String, time_ns Int64, cpu Int32,
	pid Int32, tid Int32, comm String, cgroup String, event String, weight Int64, stack UInt64)
	ENGINE = ReplacingMergeTree ORDER BY (run, sample);
CREATE TABLE IF NOT EXISTS stacks (stack UInt64, frames Array(UInt64)) ENGINE = ReplacingMergeTree ORDER BY stack;
CREATE TABLE IF NOT EXISTS frames (frame UInt64, function String, file String, line Int32, object String,
	build_id String, offset UInt64, inlined UInt8, kind String) ENGINE = ReplacingMergeTree ORDER BY frame;
