#!/bin/bash
# export parquet, and the queries of share/strobe/queries: DuckDB, ClickHouse (chdb) and hyparquet read what report
# says. scripts/readers fetches them; parts whose program is not there are skipped. ctest -L readers.
. "$(dirname "$0")/lib.sh"
need python3
need node
readers=$("$STROBE_SOURCE/scripts/readers" --where)
here=$STROBE_SOURCE/tests/e2e/readers
modules=$readers/node_modules
queries=$STROBE_SOURCE/share/strobe/queries
golden=$STROBE_SOURCE/tests/golden
engines=
for e in hyparquet:hyparquet-compressors duckdb:@duckdb/node-api clickhouse:chdb; do
	if [ -d "$modules/${e#*:}" ]; then engines="$engines ${e%%:*}"
	else skip_part "no ${e#*:} in $readers (scripts/readers)"; fi
done
[ -n "$engines" ] || skip "none of the engines is in $readers (scripts/readers)"
engine() { timeout 60 node "$here/engine.mjs" "$1" "$modules" "$tmp/$2" "${@:3}"; }

same_sums() {	# name, file: all engines say what report says
	"$STROBE" export parquet -i "$2" -o "$1.pq" --service web 2>/dev/null
	python3 "$here/sums.py" report "$STROBE" "$2" --inline >want
	check "$1: report has sums" test -s want
	for e in $engines; do
		engine "$e" "$1.pq" sums >"got.$e"
		check "$1: $e has the sums of report" python3 "$here/sums.py" compare want "got.$e"
	done
}
for f in dwarf group kernel perf-dwarf; do same_sums $f "$golden/$f.data"; done

# Names that are not harmless, and a long one.
long=$(head -c 64000 /dev/zero | tr '\0' x)
printf '%s\n' "main;a'b\"c\\d;ef 3" $'main;con\x01trol\x1b[2J;'"$long 4" "main;日本; spaces 5" >lines
must "$STROBE" import collapsed -i lines -o hostile.data
same_sums hostile hostile.data

if can sample && command -v cc >/dev/null; then
	workload threads
	must "$STROBE" record -q -k CLOCK_MONOTONIC -g -e cpu-clock:u -F 500 -o threads.data ./threads
	same_sums threads threads.data
	check "threads: functions are among what was compared" grep -q '|self|leaf|' want
	if [[ $engines = *click* ]]; then
		engine clickhouse threads.pq "$queries/clickhouse/flamegraph.sql" | tr '|' ' ' >got
		"$STROBE" collapse -i threads.data | sort >want
		check "threads: the flame graph of the query is that of collapse" diff want got
	fi
else skip_part "a recording of our own: no compiler, or this machine cannot: $why_not"; fi

# Two hosts' files beside each other; each query says the same in both dialects, also when all files are there twice.
mkdir -p two/copies
for f in dwarf group; do "$STROBE" export parquet -i "$golden/$f.data" --service $f -o two 2>/dev/null; done
if [[ $engines = *duckdb*clickhouse* ]]; then
	for q in "$queries"/duckdb/*.sql; do
		q=$(basename "$q")
		case $q in tables.sql | waits.sql) continue ;; esac	# waits: queries.sh
		for e in duckdb clickhouse; do engine $e two "$queries/$e/$q" >"$e.out"; done
		check "the query $q returns rows" test -s duckdb.out
		check "$q: both dialects say the same" diff duckdb.out clickhouse.out
		cp duckdb.out "$q.once"
	done
	for f in two/*-*.parquet; do cp "$f" "${f%.parquet}-again.parquet"; done
	for q in *.sql.once; do
		for e in duckdb clickhouse; do
			check "$q: $e says no more of files that are there twice" \
				diff "$q" <(engine $e two "$queries/$e/${q%.once}")
		done
	done
fi

# A million samples: how large the files are.
python3 - "$STROBE_SOURCE" <<'EOF'
import random, sys
sys.path.insert(0, sys.argv[1] + "/bench")
sys.dont_write_bytecode = True
import made
real, rng = made.struct.pack, random.Random(1)
class jittered:		# times that are not equally far apart, as a real clock has them
    unpack, time = made.struct.unpack, 0
    def pack(self, form, *v):
        if form == '<IIQQ':
            self.time += rng.randrange(900, 1100)
            v = (*v[:2], self.time, v[3])
        return real(form, *v)
made.struct = jittered()
made.recording("million.data", "./lib.so", 1000000, 2000, 50, 20, 5000)
EOF
must "$STROBE" export parquet -i million.data -o million
bytes=$(cat million/* | wc -c)
check "a sample takes at most 6 bytes ($bytes of a million)" test "$bytes" -le 6000000
finish
