#!/bin/bash
# record: user, CPU affinity and more: --as-caller, --affinity, --latency, -z levels, and refusals
# with their reason.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
event=cpu-clock:u

# --- as the calling user
if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1; then
	uid=$(id -u nobody) gid=$(id -g nobody)
	as_sudo() { env SUDO_USER=nobody SUDO_UID="$uid" SUDO_GID="$gid" "$@"; }
	run as_sudo "$STROBE" record -q -N -e $event -o c.data --as-caller sh -c \
		'id -u
		id -g
		id -G
		echo "$USER"
		awk "/^Uid|^Gid/ { print \$2, \$3, \$4, \$5 } /^Cap(Prm|Eff|Amb)/ { print \$2 }" /proc/self/status
		i=0
		while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	check "--as-caller: $(head -1 err)" test $rc = 0
	check "the command has the caller's ids, four times each, and no capability" diff - out <<-END
		$uid
		$gid
		$(id -G nobody)
		nobody
		$uid $uid $uid $uid
		$gid $gid $gid $gid
		0000000000000000
		0000000000000000
		0000000000000000
	END
	check "the file is the caller's alone" test "$(stat -c '%u %g %a' c.data)" = "$uid $gid 600"
	chown 0 c.data	# reading files of others needs -f
	check "the recording has samples" at_least "$(samples c.data)" 1
	run as_sudo "$STROBE" record -q -N -e $event -o d.data --as-caller "$tmp/none/such"
	check "a command that the caller cannot run: 127 or 126, no file" \
		test \( $rc = 127 -o $rc = 126 \) -a ! -e d.data
	run "$STROBE" record -q -e $event -o d.data true
	check "without --as-caller the file belongs to root" test "$(stat -c %u d.data)" = 0
	# Some file systems have no owners, and a container may forbid to change them.
	keeps_owners() { as_sudo setpriv --bounding-set -chown --inh-caps -chown "$@"; }
	if command -v setpriv >/dev/null && ! keeps_owners chown nobody c.data 2>/dev/null; then
		run keeps_owners "$STROBE" record -q -e $event -o w.data --as-caller touch ran
		check "a file that cannot be given to the caller: an error before the command runs, no file" \
			test $rc != 0 -a ! -e ran -a ! -e w.data
		check "the cure" grep -q "try: -o - >'w.data'" err
		must "$STROBE" record -q -e $event --threads -o w.data true
		run keeps_owners "$STROBE" record -q -e $event --threads -o w.data --as-caller touch ran
		check "the same for a directory; the earlier recording keeps its name: $(head -1 err)" \
			test $rc != 0 -a ! -e ran -a -f w.data/data.0 -a ! -e w.data.old
		rm -r w.data
	else
		skip_part "no setpriv here that takes the right to change owners"
	fi
	run env SUDO_USER=nobody SUDO_UID=0 SUDO_GID=0 "$STROBE" record -o e.data --as-caller id
	check "a name and a number that differ are no caller" test $rc = 129 -a ! -s out -a ! -e e.data
	run env -u SUDO_USER -u SUDO_UID -u SUDO_GID "$STROBE" record -o e.data --as-caller true
	check "--as-caller without sudo says why and what to do" \
		sh -c "test $rc = 129 && grep -q 'why: SUDO_USER' err && grep -q 'try: sudo' err"
else
	run "$STROBE" record --as-caller true
	check "--as-caller needs root: $rc" sh -c "test $rc = 129 && grep -q 'only root' err"
fi

# --- the reader moves to the CPUs of the rings
cpus=$(getconf _NPROCESSORS_ONLN)
if [ "$cpus" -gt 1 ] && [ "$(nproc)" = "$cpus" ] && [ "$(id -u)" = 0 ]; then
	"$STROBE" record -q -N -B -a -e cpu-clock -F 1000 --affinity=cpu -o a.data sleep 20 2>/dev/null & recorder=$!
	later_kill $recorder
	one=
	for i in $(seq 50); do
		sleep 0.1
		grep -q '^Cpus_allowed_list:[[:space:]]*[0-9]*$' /proc/$recorder/status && one=yes && break
	done
	kill -INT $recorder; wait $recorder 2>/dev/null
	check "--affinity=cpu: the reader was on one CPU" test -n "$one"
	check "--affinity reads the rings of all CPUs" \
		at_least "$("$STROBE" script -F cpu -i a.data | sort -u | grep -c .)" 2
	run "$STROBE" record -q -N -B -a -e cpu-clock --affinity=node -o a.data sleep 0.1
	check "--affinity=node succeeds" test $rc = 0
else
	skip_part "--affinity: one CPU, some that are denied to us, or not root"
fi
run "$STROBE" record --affinity=somewhere true
check "--affinity: an unknown word" sh -c "test $rc = 129 && grep -q node err"

# --- latency
run "$STROBE" record -q -N -e $event --latency -o l.data sleep 0.01
check "--latency: context switches are recorded" sh -c '"$STROBE" evlist -v -i l.data | grep -q "context_switch: 1"'
run "$STROBE" record -q -e $event --latency -a -o m.data true
check "--latency is not for the whole system" test $rc = 234 -a ! -e m.data

# --- compression
for level in -z:1 -z9:9 -z22:22 --compression-level=3:3; do
	run "$STROBE" record -N -B -e $event -F 20000 -g "${level%:*}" -o z.data ./spin 0.3
	check "$level: record reports the ratio" grep -q ', compressed (original .* ratio is ' err
	check "$level: in the header" \
		sh -c "\"\$STROBE\" report --header-only -i z.data |
		grep -q '^# compressed : Zstd, level = ${level#*:},'"
	check "$level: the recording has samples" at_least "$(samples z.data)" 50
done
reads_cleanly z.data "compressed" "script"
run "$STROBE" record -z23 true
check "-z23 is too much" test $rc = 129

# --- build-ids known to a server
mkdir bin served
cat >bin/debuginfod-find <<'F'
#!/bin/sh
[ "$1" = --version ] && exit
echo "$DEBUGINFOD_URLS $1 $2" >>"$SERVED/asked"
[ -e "$SERVED/$1" ] || exit 1
echo "$SERVED/$1"
F
chmod +x bin/debuginfod-find
fetching() {
	run env SERVED="$tmp/served" PATH="$tmp/bin:$PATH" DEBUGINFOD_URLS="$urls" "$STROBE" record \
		-q -e $event -o f.data "$@"
}
urls=http://usual
fetching ./spin 0.1
check "no server is asked without a request" test $rc = 0 -a ! -e served/asked
rm -rf .debug; echo debug of spin >served/debuginfo
fetching --debuginfod=http://mine ./spin 0.1
id=$("$STROBE" buildid-list -i f.data | awk '/\/spin$/ { print $1 }')
check "--debuginfod: that server, by kind and id" grep -qx "http://mine debuginfo $id" served/asked
check "--debuginfod: kept in the cache" grep -qx 'debug of spin' ".debug/.build-id/${id:0:2}/${id:2}/debug"
rm served/asked; fetching --debuginfod ./spin 0.1
check "--debuginfod: what is there is not asked for again" sh -c "! grep -q $id served/asked 2>/dev/null"
if [ -n "$id" ] && cp spin gone && cp spin served/executable; then
	rm -rf .debug served/asked
	fetching --buildid-mmap --debuginfod sh -c './gone 0.1; rm gone'
	check "--debuginfod: what is gone comes from the server" \
		sh -c "grep -qx 'http://usual executable $id' served/asked &&
		cmp spin .debug/.build-id/${id:0:2}/${id:2}/elf"
fi
urls=; fetching --debuginfod true
check "--debuginfod without a server: why" sh -c "test $rc != 0 && grep -q 'why: DEBUGINFOD_URLS' err"
run env PATH=/nonexistent "$STROBE" record --debuginfod=x -e $event -o g.data /bin/true
check "--debuginfod without its program: what to install" \
	sh -c "test $rc != 0 -a ! -e g.data && grep -q 'try: install' err"

# --- a writer thread
threads_of() {
	for i in $(seq 100); do n=$(ls /proc/$1/task 2>/dev/null | wc -l); [ "$n" -gt 1 ] && return 0; sleep 0.02; done
	return 1
}
for options in --aio --aio=4 "--aio -z" "--aio -o -"; do
	run "$STROBE" record -N -e $event -F 20000 -g -o a.data $options ./spin 0.3
	if [ "$options" = "--aio -o -" ]; then cp out a.data; else reads_cleanly a.data "$options" script; fi
	check "$options: the recording has samples" at_least "$(samples a.data)" 20
done
run "$STROBE" record -N -e $event -F 20000 -g --aio -o a.data ./spin 0.3
check "--aio: counted, with features" \
	sh -c "grep -q '($(samples a.data) samples)' err && '$STROBE' report --header-only -i a.data |
	grep -q '# cmdline :'"
"$STROBE" record -q -N -B -e $event -F 2000 --aio -o a.data ./spin 20 2>/dev/null & recorder=$!; later_kill $recorder
check "--aio: there is a second thread" threads_of $recorder
used "$(pgrep -P $recorder -x spin)" 100
until_true eval '[ "$(samples a.data)" -ge 20 ]'; kill -9 $recorder; wait $recorder 2>/dev/null
check "--aio: a killed recording keeps what was written" at_least "$(samples a.data)" 20
for reader in $readers; do check "--aio, killed: ${reader##*/} reads it" quietly $reader script -i a.data; done
( ulimit -f 60; run "$STROBE" record -q -N -e $event -F 20000 -g --aio -o u.data ./spin 20; echo $rc >rc; cp err u.err )
check "--aio: no room: an error that names the path" sh -c '[ $(cat rc) = 255 ] && grep -q "u.data" u.err'
check "--aio: no room: what fitted can be read" at_least "$(samples u.data)" 20
for bad in --aio=0 --aio=5 --aio=x "--aio --threads"; do
	run "$STROBE" record -e $event $bad -o bad.data true
	check "$bad is refused" test $rc != 0 -a ! -e bad.data
done
printf '[record]\naio = 2\n' >config; PERF_CONFIG=$PWD/config run "$STROBE" record -q -N -e $event -o a.data ./spin 0.05
check "the setting record.aio is taken" test $rc = 0
printf '[record]\naio = x\n' >config; PERF_CONFIG=$PWD/config run "$STROBE" record -q -N -e $event -o a.data true
check "record.aio: a bad one is refused" test $rc = 129

# --- refusals with their reason
refused() { grep -q "$2" err && grep -q '^  why: ' err && test $rc = "$1" -a ! -e r.data -a ! -e ran; }
while IFS='|' read -r status options words; do
	run "$STROBE" record $options -o r.data touch ran
	check "$options is refused, with perf's status: $(head -1 err)" refused $status "$words"
done <<'END'
129|--setup-filter=pin|not supported
234|-S|No AUX area tracing to snapshot
234|--snapshot=e|No AUX area tracing to snapshot
234|--aux-sample|No AUX area event to sample
END
# A hardware tracer in a fake sysfs, unknown to the kernel: conflicts are found before it is opened.
# Words and status equal perf's.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	while IFS='|' read -r status options words; do
		run unshare \
			-m sh -c "mount -t tmpfs tmpfs /sys/bus/event_source/devices &&
			cd /sys/bus/event_source/devices &&
			mkdir -p intel_pt/format intel_bts intel_pt/caps &&
			echo 99 >intel_pt/type && echo 98 >intel_bts/type &&
			echo config:24-27 >intel_pt/format/psb_period &&
			echo 3f >intel_pt/caps/psb_periods && cd '$PWD' &&
			exec '$STROBE' record -e intel_pt//u $options -o r.data touch ran"
		check "a tracer, $options: $(head -1 err)" refused $status "$words"
	done <<'END'
255||cannot open event 'intel_pt//u'
255|-Sx|bad snapshot 'x'
234|-S0x100000 -m ,16|Snapshot size 1048576 must not be greater than AUX area tracing mmap size 65536
234|-m ,1|Invalid mmap size for Intel Processor Trace: must be at least 8KiB and a power of 2
255|-S -m ,1|cannot open event 'intel_pt//u'
234|-k mono|Cannot use clockid (-k option) with intel_pt
234|-e intel_pt//k|There may be only one intel_pt event
234|-e intel_bts//k|intel_pt and intel_bts may not be used together
234|-e intel_pt/psb_period=9/|There may be only one intel_pt event
234|--aux-sample|AUX area sampling requires an AUX area event group leader plus other events to which to add samples
234|--aux-sample -e cpu-clock|AUX area sampling requires an AUX area event group leader plus other events
234|--aux-sample=x -e cpu-clock|Bad AUX area sampling option: 'x'
234|-e cpu-clock/aux-sample-size=65000/|AUX area sample size 65000 too big, max. 61440
234|-S -e cpu-clock/aux-sample-size=4096/|Snapshot mode (intel_pt PMU) and sample trace cannot be used together
255|--threads|Parallel trace streaming is not available in AUX area tracing mode
234|--overwrite|does not go with a hardware tracer
END
else
	skip_part "a hardware tracer: needs root and mount namespaces"
fi

# --- --vmlinux: only checks the file
run "$STROBE" record -q -N -e $event --vmlinux "$STROBE" -o v.data ./spin 0.05
check "--vmlinux: a file that can be read is taken" test $rc = 0 -a "$(samples v.data)" -gt 0
for bad in nosuch . ''; do
	run "$STROBE" record -e $event --vmlinux "$bad" -o r.data true
	check "--vmlinux: '$bad' is refused with perf's exit status" \
		sh -c "test $rc = 234 -a ! -e r.data && grep -q \"invalid file: '$bad'\" err"
done
finish
