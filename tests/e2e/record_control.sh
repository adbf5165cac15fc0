#!/bin/bash
# record under control: --control with each of its words, -D with spans, records made at the start
# and by how many threads.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
event=cpu-clock:u
mkfifo ctl ack
exec 8<>ctl 9<>ack
# order TEXT: send it and wait for the answer, which is in the file answer ("ack\n" and a NUL) or empty
order() { printf "$1" >&8; timeout "${2:-60}" head -c 5 <&9 >answer; }
# CPU time that spin has used, in ms
spun() {
	awk '{ sub(/.*\) /, ""); print int(($12 + $13) * 1000 / hz) }' hz="$(getconf CLK_TCK)" \
		"/proc/$(pgrep -P $recorder -x spin)/stat"
}
acked() { printf 'ack\n\0' | cmp -s - answer; }
start() {
	"$STROBE" record -N -o x.data "$@" >out 2>err </dev/null & recorder=$!
	later_kill $recorder
}

# --- a FIFO in each direction; the words in the order of a session
start -e $event,page-faults:u -D -1 --control fifo:ctl,ack ./spin 60
for word in 'ping\n' 'enable\n' "disable $event\\n" 'enable nosuch\n' 'evlist\n' 'evlist -v\n' \
	'evlist -g\n' 'evlist -F\n' 'evlist -x\n' 'disable\0'; do
	[ "$word" != 'enable\n' ] || from=$(date +%s%N)
	order "$word"
	[ "$word" != "disable $event\\n" ] || enabled=$(($(date +%s%N) - from))
	check "the command $word is acknowledged" acked
done
order 'bogus\n' 0.2
check "an unknown word: no answer" test ! -s answer
from=$(date +%s%N)
order "enable $event\\n"; used "$(pgrep -P $recorder -x spin)" $(($(spun) + 100)); order 'disable\n'
enabled=$((enabled + $(date +%s%N) - from))
order "$(head -c 100 /dev/zero | tr '\0' x)\\n" 0.2
check "a word that is too long: no answer" test ! -s answer
order 'pi'  0.1; order 'ng\n'
check "a word in two pieces" acked
order 'stop\n'
check "the command stop is acknowledged" acked
wait $recorder
check "after stop record succeeds" test $? = 0
n=$(samples x.data)
check "samples of 0.1 s and more, and none while disabled: $n" \
	test "$n" -gt 50 -a "$n" -le $((enabled / 250000 + 10))
cat >want <<END
Events disabled
Events enabled
Event $event disabled
failed: can't find 'nosuch' event
failed: wrong command
Events disabled
Event $event enabled
Events disabled
END
grep -E '^(Event|failed)' err >got
check "perf's words, one per order" diff want got
check "evlist prints the names of events" grep -qx page-faults:u err
check "evlist -v prints attrs" grep -q "^$event: type: 1 (PERF_TYPE_SOFTWARE).*sample_type: IP|TID" err
check "evlist -F prints rates" grep -qx "$event: sample_freq=4000" err
reads_cleanly x.data control script
# Two events of one name: an order is for both.
start -e $event -e $event -D -1 --control fifo:ctl,ack ./spin 60
order "enable $event\\n"; used "$(pgrep -P $recorder -x spin)" $(($(spun) + 100)); order 'stop\n'
wait $recorder
check "events of the same name are enabled together" \
	test "$("$STROBE" report --stdio -i x.data 2>/dev/null | grep -c '^# Samples: [1-9]')" = 2

# --- descriptors
start -e "{$event,page-faults:u}" --control fd:8,9 ./spin 20
order 'evlist -g\n'
check "commands over descriptors are acknowledged" acked
check "evlist -g prints groups" grep -qx "{$event,page-faults:u}" err
order 'stop\n'; wait $recorder
check "a stop over descriptors ends record" test $? = 0
run "$STROBE" record -q -N -e $event -o x.data --control fd:8,9 \
	sh -c '[ ! -e /proc/self/fd/8 ] && [ ! -e /proc/self/fd/9 ]'
check "the command does not get them" test $rc = 0
printf 'ping\nstop\n' | "$STROBE" record -q -N -e $event -o x.data --control fd:0 ./spin 20 2>err
check "a pipe that ends" test $? = 0
: | timeout 60 "$STROBE" record -q -N -e $event -o x.data --control fd:0 ./spin 0.2 2>err
check "a pipe that gives nothing costs nothing" test $? = 0
start -e $event --switch-output --control fifo:ctl,ack ./spin 20
order 'snapshot\n'; order 'stop\n'; wait $recorder
check "snapshot: a file of its own" test "$(ls x.data.2* | wc -l)" = 2
for bad in foo fd: fifo: fd:x fd:77 'fd:8,' fd:99999999999 fifo:nowhere fifo:x.data; do
	touch x.data
	run "$STROBE" record -e $event -o never.data --control $bad true
	check "--control $bad is refused" test $rc = 129 -a -s err -a ! -e never.data
done

# --- spans of -D
cp spin later
# later runs when the last span has ended: record prints a line at its start and for each switch
in_spans() {
	run "$STROBE" record -N -e $event -D 100-200,800-900 -o d.data sh -c \
		'./spin 1.5
		for i in $(seq 600); do [ $(grep -c ^Events err) -lt 5 ] || break; sleep 0.1; done
		exec ./later 0.1'
	check "-D with spans reports each switch" test "$(grep -c '^Events' err)" = 5
	"$STROBE" script -F comm,time -i d.data 2>/dev/null | tr -d : >'times'
	check "-D spans: no samples behind the last one" sh -c "! grep -q later 'times'"
}
gap() { awk 'NR > 1 && $2 - last > 0.05 { gaps++ } { last = $2 } END { exit !(NR > 5 && gaps) }' times; }
for i in 1 2 3 4 5; do	# a machine that stalls may miss a span of 100 ms
	in_spans
	gap && break
done
check "-D spans: samples, a gap (600 ms, or less on a busy machine), samples again" gap
for bad in 20-10 10-20,15-30 x -5 '10-20,' 10-; do
	run "$STROBE" record -N -e $event -D $bad -o never.data true
	check "-D $bad is refused" test $rc = 129 -a ! -e never.data
done

# --- records for running tasks
run "$STROBE" record -q -N -e dummy:u -p $$ --synth task -o s.data sleep 0.05
"$STROBE" report --stats -i s.data >stats
check "--synth task: names and no maps" sh -c 'grep -q "COMM events" stats && ! grep -q "MMAP2 events" stats'
run "$STROBE" record -q -N -e dummy:u -p $$ --synth no -o s.data sleep 0.05
check "--synth no writes no COMM and no MMAP2" \
	sh -c '! "$STROBE" report --stats -i s.data | grep -Eq "COMM events|MMAP2 events"'
for options in "" "--num-thread-synthesize 2"; do
	can system || { skip_part "the whole system: this machine cannot: $why_not"; break; }
	must "$STROBE" record -q -N -e $event $options -a -o s.data sleep 0.05
	"$STROBE" report --mmaps -i s.data 2>/dev/null >mmaps
	check "${options:-one thread}: this shell and its maps" grep -q 'lib.*bash\|/bin/bash\|libc' mmaps
	check "${options:-one thread}: all processes" \
		at_least \
		"$("$STROBE" report --stats -i s.data | awk '/FORK events/ { print $3; exit }')" \
		"$(ls -d /proc/[0-9]* | wc -l | awk '{ print int($1 / 2) }')"
done
run "$STROBE" record -N -e dummy:u -p $$ --proc-map-timeout 20000 -o s.data sleep 0.01
check "--proc-map-timeout of 20 s is enough" test $rc = 0 -a -z "$(grep 'time out' err)"
for bad in "--proc-map-timeout x" "--num-thread-synthesize x"; do
	run "$STROBE" record -e $event $bad -o never.data true
	check "$bad is refused" test $rc = 129 -a -s err -a ! -e never.data
done

# --- settings of the user
settings() {
	printf "$1" >config; shift; PERF_CONFIG=$PWD/config run "$STROBE" record -q -e $event -o c.data "$@" ./spin 0.1
}
hit() { "$STROBE" buildid-list -i c.data | grep -c '^[0-9a-f]\{40\}'; }
settings '[call-graph]\n\trecord-mode = dwarf\n\tdump-size = 4096\n[record]\nbuild-id = skip\n' -g
check "call-graph.*: the mode of -g" sh -c '"$STROBE" evlist -v -i c.data | grep -q "sample_stack_user: 4096"'
check "record.build-id skip writes no build-ids" no_build_ids c.data
settings '[call-graph]\nrecord-mode = dwarf\n' --call-graph fp
check "the option --call-graph wins over the setting" sh -c '! "$STROBE" evlist -v -i c.data | grep -q STACK_USER'
settings '[buildid]\ndir = cache.dir\n'
check "buildid.dir names the cache" test -d cache.dir/.build-id -a "$(hit)" -gt 0
rm -rf cache.dir .debug
settings '[buildid]\ndir = cache.dir\n[record]\nbuild-id = no-cache\n'
check "record.build-id no-cache writes build-ids, but no cache" test ! -e cache.dir -a ! -e .debug -a "$(hit)" -gt 0
settings '[record]\nbuild-id = mmap\n' -N
check "record.build-id mmap asks for build-ids of mappings" \
	sh -c '"$STROBE" evlist -v -i c.data | grep -q "build_id: 1"'
settings '[record]\nbuild-id = foo\n'
check "record.build-id foo is refused" test $rc != 0 -a -s err
printf '[record]\nfoo\n = 1\n' >config
PERF_CONFIG=config run "$STROBE" record -N -e $event -o c.data true
check "a broken line gives a message and does no harm" \
	sh -c "test $rc = 0 && grep -q 'bad config file line 3 in config' err"

# --- more words
run "$STROBE" record -v -N -e $event,page-faults:u -o v.data true
check "-v: sizes and numbers" \
	sh -c 'grep -q "^mmap size [0-9]*B$" err && grep -q "^2 events, [0-9]* descriptors, [0-9]* rings$" err'
run "$STROBE" record -vv -N -e $event,page-faults:u -o v.data true
check "-vv prints the attr of each event" test "$(grep -c '^perf_event_attr:$' err)" = 2
check "-vv prints fields of attrs in columns" grep -qx '  sample_type                      IP|TID|TIME|ID|PERIOD' err
check "-vv prints the calls of perf_event_open" \
	grep -q '^sys_perf_event_open: pid [0-9]*  cpu [0-9]*  group_fd -1  flags 0x8 = [0-9]*$' err

# --- the target when several are given
sleep 20 & target=$!; later_kill $target
while read -r words options; do
	run "$STROBE" record -N -e dummy:u $options -o w.data true
	check "$options: record warns '${words//_/ }'" grep -q "^warning: ${words//_/ }\$" err
done <<END
PID/TID_switch_overriding_CPU -p $target -C 0
PID/TID_switch_overriding_UID -p $target -u $(id -u)
UID_switch_overriding_CPU -u $(id -u) -C 0
PID/TID_switch_overriding_SYSTEM -t $target -a
END
finish
