#!/bin/bash
# Every script that perf's package ships, in Python and in Perl: over the same recordings strobe prints
# what perf prints, or both fail. Where perf itself dies of a signal, strobe must still end well.
. "$(dirname "$0")/lib.sh"
unset PERF_EXEC_PATH STROBE_LIBPERL STROBE_LIBPYTHON PERL5LIB PERL5OPT
perf=$(command -v perf) || skip "no perf here"
scripts=
for dir in /usr/lib/perf-core /usr/libexec/perf-core /usr/share/perf-core; do
	[ -n "$scripts" ] || [ ! -d "$dir/scripts" ] || scripts=$dir/scripts
done
[ -n "$scripts" ] || skip "perf has no scripts here"
"$perf" version --build-options 2>/dev/null >built
for library in libpython libperl; do
	grep -q "$library.*on" built || skip "this perf has no $library"
done
ldd "$STROBE" >/dev/null 2>&1 || skip "the static build has no interpreters"
: >none.py && : >none.pl
for file in none.py none.pl; do
	must "$STROBE" script -i "$STROBE_SOURCE/tests/golden/fp.data" -s "$file"
done
# Hashes in one order; names of system calls for perf's own modules, as strobe's have them.
export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 PYTHONHASHSEED=0
mkdir modules
cat >modules/audit.py <<'EOS'
import re
names = {}
for path in ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm-generic/unistd.h"):
    try:
        with open(path) as header:
            names.update((int(n), s) for s, n in re.findall(r"#define __NR_(\w+)\s+(\d+)", header.read()))
        break
    except OSError:
        pass
def __getattr__(name):
    if name.startswith("MACH_"):
        return 0
    raise AttributeError(name)
def audit_syscall_to_name(number, machine):
    return names.get(number, str(number))
EOS
export PYTHONPATH=$tmp/modules

golden=$STROBE_SOURCE/tests/golden
recordings="$golden/perf-tracepoint.data $golden/perf-fp.data $golden/perf-group.data"
workload spin
if can system sched:sched_switch raw_syscalls:sys_enter; then
	# The few events of each script, for a recording of its own: perf's Perl dies of many fields.
	for events in 'raw_syscalls:sys_*' 'syscalls:sys_*_read,syscalls:sys_*_write' \
		'sched:sched_switch,sched:sched_wakeup' 'irq:softirq_*,kmem:kmalloc' 'syscalls:sys_*_futex' \
		'net:*,skb:kfree_skb,skb:consume_skb'; do
		name=$(echo "$events" | tr -c 'a-z_\n' -)
		run taskset -c $one_cpu "$perf" record -q -C $one_cpu -e "$events" -o "$name.data" -- \
			sh -c 'cat /etc/passwd /none; sleep 0.1'
		if [ $rc = 0 ] || [ -s "$name.data" ]; then recordings="$recordings $tmp/$name.data"; fi
	done
else
	skip_part "recordings of this machine: it cannot: $why_not"
fi

run "$perf" stat record -e task-clock,page-faults -I 20 -o stat.data -- sh -c 'cat /etc/passwd; sleep 0.1'
if [ -s stat.data ]; then recordings="$recordings $tmp/stat.data"; fi

# Arguments without which a script only prints its usage.
arguments() {
	case $1 in
	rw-by-file.pl) echo sh ;;
	export-to-sqlite.py) echo out.db ;;
	esac
}

# What two runs of perf itself print differently: addresses of Perl's own scalars (%p); a negative
# 32-bit field, see docs/compat.md; names of threads that have ended, by their number in newer versions.
same_lines() {
	sed -E 's/call_site=[0-9a-f]+, ptr=[0-9a-f]+//; s/=(-[0-9]{1,3}|42949[0-9]{5})\b/=/g
		s/common_comm=.* common_cpu/common_cpu/; s/COMM: .*//
		s/(\.[0-9]{9} +[0-9]+) .* (common_preempt_count)/\1 \2/' "$1"
}

given() {
	local of=$1 who=$2
	mkdir -p "$who"
	# shellcheck disable=SC2046
	(cd "$who" && rm -f /dev/shm/perf.db && timeout 300 "${@:3}" script -i "$recording" -s "$of" \
		$(arguments "${of##*/}") >out 2>err </dev/null; echo $? >rc) 2>/dev/null
}

# rwtop prints after each second by the clock and then counts anew: this copy sets no alarm.
mkdir still
sed 's/alarm [^;]*;/alarm 0;/' "$scripts/perl/rwtop.pl" >still/rwtop.pl
listed=0
for recording in $recordings; do
	for file in "$scripts"/perl/*.pl "$scripts"/python/*.py; do
		case ${file##*/} in
		exported-sql-viewer.py | libxed.py) continue ;; # programs and modules, no scripts for perf
		sctop.py) continue ;; # prints by the clock, from a thread that the end interrupts
		rwtop.pl) file=$tmp/still/rwtop.pl ;;
		esac
		rm -rf theirs ours
		given "$file" theirs "$perf"
		given "$file" ours "$STROBE"
		status=$(cat theirs/rc) ours=$(cat ours/rc)
		what="${recording##*/}: ${file##*/} (perf $status, strobe $ours)"
		listed=$((listed + 1))
		if [ "$status" = 0 ]; then
			check "$what: the same text" sh -c "$(declare -f same_lines)
				same_lines theirs/out >want; same_lines ours/out >got; diff want got"
			check "$what: a good end" test "$ours" = 0
		elif [ "$status" -gt 128 ] && [ "$status" -lt 255 ] || grep -q 'Bizarre copy' theirs/err; then
			check "$what: strobe does not end by a signal" test "$ours" = 0 -o "$ours" = 255 -o "$ours" = 1
		else
			check "$what: an error, too" test "$ours" != 0 -a "$ours" -lt 256 -a -s ours/err
			check "$what: the same text" cmp theirs/out ours/out
		fi
	done
done
say "$listed pairs of a script and a recording"
rm -f /dev/shm/perf.db
finish
