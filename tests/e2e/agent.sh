#!/bin/bash
# record --agent and push --agent: intervals as files and as rows, what is kept while the far side is down, restarts of
# either side, and how much memory it takes.
. "$(dirname "$0")/lib.sh"
need python3
need_can system
here=$STROBE_SOURCE/tests/e2e/readers
export XDG_STATE_HOME=$tmp/state
workload spin -O1 -fno-omit-frame-pointer
./spin 300 & later_kill $!

agent() {	# arguments...: in the background; $agent is its process
	"$STROBE" "$@" >agent.out 2>agent.err </dev/null &
	agent=$!
	later_kill $agent
}
until_there() { for _ in $(seq 1200); do "$@" && return 0; sleep 0.05; done; say "never: $*"; return 1; }
end() { kill "-${1:-TERM}" $agent; rc=0; wait $agent || rc=$?; }
runs() { [ "$(find "$1" -name 'runs-*.parquet' 2>/dev/null | wc -l)" -ge "$2" ]; }
far() {	# directory: start a stub; $at is its address
	mkdir -p "$1"
	python3 "$here/far_side.py" "$1" & far=$!
	later_kill $far
	until_there test -e "$1/port"
	at=127.0.0.1:$(cat "$1/port")
}
batches() { find state -name '*.batch' | wc -l; }
requests() { [ "$(grep -lr "INSERT%20INTO%20${3:-runs}" "$1" --include '*.json' | wc -l)" -ge "$2" ]; }

# Files.
must timeout 60 "$STROBE" record --agent -o first --every 1s -- sleep 1.2
agent record --agent -o files --every 1s --service shop
until_there runs files 2
# beside its rings, one for each CPU
kilobytes=$(awk '/^VmHWM:/ { n = $2 } /^RssShmem:/ { n -= $2 } END { print n }' /proc/$agent/status)
[ -n "${STROBE_SANITIZED:-}" ] || check "the agent needs less than 100 MB of memory" test "$kilobytes" -lt 100000
before=$(find files -name 'runs-*' | wc -l)
end
check "SIGTERM ends it well" test $rc = 0
check "at its end the agent writes the data that it has" test "$(find files -name 'runs-*' | wc -l)" -gt "$before"
check "four files for each interval, all of them whole" test "$(find files -name '*.parquet' | wc -l)" = \
	"$(($(find files -name 'runs-*.parquet' | wc -l) * 4))"
check "only Parquet files are in the directory" test "$(find files -type f ! -name '*.parquet' | wc -l)" = 0
check "the agent prints nothing but warnings" sh -c \
	'! grep -v -e WARNING: -e "  why:" -e "are longer than their copies" agent.err'
total=$(cat files/*.parquet | wc -c)
run timeout 60 "$STROBE" record --agent -o files --every 1s --max-size 1B -- sleep 2.5
check "record --agent ends when its command ends" test $rc = 0
check "files of the newest interval alone stay in a directory that is full" test "$(ls files | wc -l)" = 4
check "which is less than before" test "$(cat files/*.parquet | wc -c)" -lt "$total"

# Rows, to a far side that is down at times. Each interval is a run that names how many samples it has.
far up
agent push "clickhouse://$at/profiles" --agent --init --every 1s --service shop
skip_if=$(sleep 0.5; grep -sE 'without libcurl|libcurl.* cannot' agent.err)
[ -z "$skip_if" ] || skip "$skip_if"
until_there requests up 2
check "--init made the tables" test "$(grep -l 'CREATE%20TABLE' up/*.json | wc -l)" = 4
kill $far; wait $far 2>/dev/null
until_there sh -c 'test $(find state -name "*.batch" | wc -l) -ge 8'
check "a server that is down is reported, but not every time" \
	test "$(grep -c "push: clickhouse://$at/profiles: " agent.err)" -le "$(($(batches) / 4))"
check "the message says why the server was not reached" grep -q "push: clickhouse://$at/profiles: .*onnect" agent.err
end KILL
check "after SIGKILL the batches are still in the spool" test "$(batches)" -ge 8
agent push "clickhouse://$at/profiles" --agent --every 1s --service shop
until_there sh -c 'test $(find state -name "*.batch" | wc -l) -ge 16'
mkdir again; cp up/port again/again
far again
until_there sh -c 'test $(find state -name "*.batch" | wc -l) -le 4'
until_there requests again 5
check "a server that is back is reported" until_there grep -q 'that works again' agent.err
end
check "SIGTERM ends it well" test $rc = 0
check "at its end the agent sends all batches" test "$(batches)" = 0
cat >rows.py <<'EOF'
import glob, json, os, urllib.parse
rows = {}
for d in ("up", "again"):
    for name in sorted(glob.glob(d + "/*.json")):
        path = urllib.parse.unquote(json.load(open(name))["path"])
        table = path.split("INSERT INTO ")[1].split()[0] if "INSERT" in path else None
        for line in open(name[:-4] + "body") if table else ():
            row = json.loads(line)
            key = {"samples": lambda: (row["run"], row["sample"]), "runs": lambda: row["run"],
                   "stacks": lambda: row["stack"], "frames": lambda: row["frame"]}[table]()
            rows.setdefault(table, {})[key] = row
runs, samples = rows["runs"].values(), rows["samples"].values()
count = {}
for s in samples:
    count[s["run"]] = count.get(s["run"], 0) + 1
assert len(runs) >= 6 and count == {r["run"]: int(r["samples"]) for r in runs}, "samples of runs"
assert all(r["service"] == "shop" and r["wall_clock"] and r["freq"] in (19, "19") for r in runs), "what runs say"
assert all(int(r["lost"]) >= 0 for r in runs), "lost"	# how much depends on who else wants the CPUs
assert all(s["pid"] for s in samples), "idle"
spans = sorted((int(r["start_ns"]), int(r["end_ns"])) for r in runs)
assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), "intervals overlap"
names = {k: f["function"] for k, f in rows["frames"].items()}
spin = [[names[f] for f in rows["stacks"][s["stack"]]["frames"]] for s in samples if s["comm"] == "spin"]
whole = [s for s in spin if s[:4] == ["leaf", "middle", "outer", "main"] and s[-1].startswith("_start")]
assert len(whole) > len(spin) / 4 > 1, (len(whole), len(spin), spin[:3])
own = [f for f in rows["frames"].values() if f["function"] == "leaf" and f["object"] == os.getcwd() + "/spin"]
assert own and all(len(f["build_id"]) == 40 for f in own), own
EOF
check "all rows are there, with stacks, names and build-ids" python3 rows.py

far short
run timeout 60 "$STROBE" record --agent="pyroscope://$at" --service web --every 1s -- sleep 1.5
check "record --agent=URL sends batches" test "$rc.$(ls short/*.json | wc -l)" != 0.0
check "a profile for each interval" grep -q 'ingest?format=pprof.*name=web%7Bhost' short/000.json
agent push "otlp://127.0.0.1:1" --agent --every 1s --spool small --spool-size 10B
until_there grep -q "the spool '.*' is full" agent.err
end INT
check "a full spool is reported once while it runs" test "$(grep -c "push: the spool '.*' is full" agent.err)" -le 2
check "the exit status tells that the spool was full" test $rc = 255

# Bad usage.
usage() {
	run timeout 120 "$STROBE" "$@"
	check "strobe $* is refused in one message" test "$rc.$(grep -c "^strobe" err)" = 129.1
}
usage record --agent --every soon
usage record --agent --every 1ms
usage record --agent --overwrite
usage record --agent -z
usage record --agent --switch-output=10s
usage record --agent=http://x
usage record --agent=otlp://127.0.0.1:1 -o files
usage record --every 1s true
usage push otlp://127.0.0.1:1 --agent -i x
usage push otlp://127.0.0.1:1 --every 1s
touch file
run timeout 120 "$STROBE" record --agent -o file/x
check "a directory that cannot be made is reported" test "$rc.$(grep -c 'strobe record: cannot make' err)" = 255.1
finish
