#!/bin/bash
# A kernel with scheduler statistics: inject -s beside perf's, by the command lines of its documentation, and snapshots
# of /proc/schedstat.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bookworm
static_strobe x86_64
cat >share/foo.c <<'EOF2'
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void nap(long ms) { nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL); }
int main(void)
{
	for (int i = 0; i < 5; i++)
		nap(30);
	if (!fork()) {
		nap(200);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
EOF2
cc -g -O1 -fno-omit-frame-pointer -static -o share/foo share/foo.c || exit 1

cat >share/guest.sh <<'G'
export HOME=/tmp
counting=/proc/sys/kernel/sched_schedstats
echo 1 >$counting
events="-e sched:sched_stat_sleep -e sched:sched_switch -e sched:sched_process_exit"
./strobe record $events -a -g -o ours.raw ./foo >>log 2>&1; echo "record $?" >>status
perf record $events -a -g -o theirs.raw ./foo >>log 2>&1
for raw in ours theirs; do
	./strobe inject -v -s -i $raw.raw -o $raw.strobe >>log 2>&1; echo "inject $raw $?" >>status
	perf inject -v -s -i $raw.raw -o $raw.perf >>log 2>&1
	for by in strobe perf; do
		perf script -F comm,tid,cpu,time,period,event,ip -i $raw.$by >$raw.$by.text 2>>log
		./strobe script -F comm,tid,cpu,time,period,event,ip -i $raw.$by >$raw.$by.own 2>>log
		./strobe report --stdio --show-total-period -i $raw.$by >$raw.$by.report 2>>log
	done
done
echo 0 >$counting
./strobe sched stats record -o stats.data sh -c "cat $counting; ./foo" >counted 2>>log; echo "stats $?" >>status
cat $counting >after
./strobe sched stats report -i stats.data >stats.report; echo "report $?" >>status
./strobe sched stats ./foo >stats.live; echo "live $?" >>status
cp /proc/schedstat schedstat
nproc >cpus
G
guest --cpus 2
cd share || exit 1
for name in record "inject ours" "inject theirs" stats report live; do check "$name: 0" grep -qx "$name 0" status; done
for raw in ours theirs; do
	n=$(grep -c sched_switch $raw.strobe.text)
	check "$raw: there are sleeps ($n)" test "$n" -ge 6
	check "$raw: samples and chains are those that perf writes" cmp $raw.perf.text $raw.strobe.text
	check "$raw: strobe reads both alike" cmp $raw.perf.own $raw.strobe.own
	naps=$(awk '$1 == "foo" && /sched_switch/ {
		for (i = 2; i <= NF; i++)
			n += $i ~ /^[0-9]+$/ && $i > 25e6 && $i < 60e9
	} END { print n + 0 }' $raw.strobe.text)
	check "$raw: five naps, the child's, and the wait for it: $naps" test "$naps" -ge 7
	check "$raw: the report shows where they slept" grep -q 'do_nanosleep\|hrtimer_nanosleep' $raw.strobe.report
done
check "the kernel counted meanwhile, and no longer" test "$(cat counted) $(cat after)" = "1 0"
value() { awk -v name="$1" '$1 == name { print $3; exit }' "$2"; }
for text in stats.report stats.live; do
	check "$text: time slices: $(value pcount $text)" test "$(value pcount $text)" -gt 5
	check "$text: wakeups: $(value ttwu_count $text)" test "$(value ttwu_count $text)" -gt 3
	check "$text: each CPU" test "$(grep -c '^CPU: [0-9]*$' $text)" = "$(cat cpus)"
done
domains=$(grep -c '^domain' schedstat)
check "each CPU's domains: $domains" test "$(grep -c '^CPU: [0-9].*DOMAIN_CPUS' stats.report)" = "$domains"
if [ -n "${STROBE_PERF72:-}" ]; then
	"$STROBE_PERF72" sched stats report -i stats.data 2>&1 |
		sed 's/^\*newidle_lb_avg_count /*newidle_lb_avg_pulled/' >theirs
	check "the text is that of perf 7.2" diff theirs stats.report
else
	skip_part "text beside perf 7.2: STROBE_PERF72 is not set"
fi
finish
