#!/bin/bash
# Completion: the values of options in the tables, and bash, zsh and fish with the scripts that
# strobe prints.
. "$(dirname "$0")/lib.sh"

# --- every value has a kind
"$STROBE" --dump-cmds | while read -r command; do
	# shellcheck disable=SC2086
	"$STROBE" --dump-opts $command |
		awk -F '\t' -v c="$command" \
		'$3 != "-" && $4 !~ /refused|planned/ { print c "\t" ($2 == "-" ? "-" $1 : "--" $2) "\t" $3 "\t" $6 }'
done >values
check "the options have more than 150 values" test "$(wc -l <values)" -gt 150
while IFS=$'\t' read -r command option arg kind; do
	check "cmd/completion/values.c or .values says what '$arg' of $command $option may be" test "$kind" != '?'
done <values
check "the kinds that specs name are there" \
	sh -c 'cut -f4 values | tr ", " "\n\n" | sed -n "s/^@//p" | sort -u | while read -r kind; do
	"$STROBE" completion --values "$kind" >/dev/null || exit 1; done'

# --- the parser accepts the offered words: the error must be about the option after them
# There are a thousand: each check costs one process, that of strobe.
refused_the_next() { [[ $(<err) == *"unknown option "?no-such-option* ]]; }
while IFS=$'\t' read -r command option arg kind; do
	case $kind in -* | *@* | *:*) continue ;; esac
	[ "$option" != --per-cache ] || continue	# depends on this machine's caches
	for word in ${kind//[,|]/ }; do
		# shellcheck disable=SC2086
		case $option in
		--*) run "$STROBE" $command "$option=$word" --no-such-option ;;
		*) run "$STROBE" $command "$option$word" --no-such-option ;;
		esac
		check "$command $option takes '$word'" refused_the_next
	done
done <values

# --- the answers
answers() {	# KIND WORD WORDS...: the answer has this kind and contains this word
	local kind=$1 word=$2
	shift 2
	run "$STROBE" completion --line -- "$@"
	check "'$*': the kind is $kind" test "$(head -1 out | cut -f1)" = "$kind"
	[ -z "$word" ] ||
		check "'$*': '$word' is offered" sh -c 'tail -n +2 out | cut -f1 | grep -qxF -- "$1"' sh "$word"
}
lacks() { check "'$1' is not offered" sh -c '! tail -n +2 out | cut -f1 | grep -qxF -- "$1"' sh "$1"; }
answers words version vers
answers words report rep; lacks record
answers words --call-graph record --call
answers words dwarf record --call-graph ''
answers words dwarf record --call-graph=dw; lacks fp
answers words max record -F ''
answers words max record -Fm
answers list task-clock record -e task; lacks context-switches
answers list task-clock stat -e cs,task
answers list task-clock record -e '{task'
answers list dso report --sort comm,
lacks comm
answers list symbol report -s +
answers list overhead report -F ''
answers list comm script -F ''
answers list "$$" record -p ''
answers list 0 record -C ''
answers words root record -u ''
answers file '' report -i ''
answers file '' report -k ''
answers directory '' report --symfs=
answers program '' record ''
answers program report stat ''
answers file '' record -g cat ''
answers file '' record -g -- cat -
answers nothing '' report --title ''
answers nothing '' report ''
answers nothing '' record -c ''
answers nothing '' nosuchcommand -
answers words --input stat report --in
answers words --no-children report --no-ch
answers words completion help comp
answers words feature check ''
answers words record.aio config record.a
answers words hw list h
run "$STROBE" completion --values nosuch
check "an unknown kind ends with 129" test "$rc" = 129
check "an unknown kind is refused with a list of kinds" grep -q 'try: one of: .*sort-key' err
if [ -w /sys/kernel/tracing/uprobe_events ]; then
	alone_with_probes
	workload spin
	"$STROBE" probe -q -x ./spin completion_test=leaf >/dev/null 2>&1
	answers words probe_spin:completion_test probe -d ''
	answers words probe_spin:completion_test probe -d probe_sp
	answers list probe_spin:completion_test record -e probe_spin:
	"$STROBE" probe -q -d probe_spin:completion_test
	answers words '' probe -d ''; lacks probe_spin:completion_test
else
	skip_part "probes: tracefs is not writable"
fi

# --- bash, by its function
mkdir bin && ln -s "$STROBE" bin/strobe && PATH=$tmp/bin:$PATH
for shell in bash zsh fish; do "$STROBE" completion "$shell" >"script.$shell"; done
mkdir dir && touch file.data 'dir/in side'
bash_gives() {	# LINE WANT...: TAB at the end of the line must offer these
	local line=$1 want got
	shift
	want=$(printf '%s\n' "$@")
	got=$(bash --norc -c '. ./script.bash
		COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=() rest=$1
		while [[ $rest =~ ^([[:space:]]*)([:=]+|[^[:space:]:=]+)(.*)$ ]]; do
			COMP_WORDS+=("${BASH_REMATCH[2]}")
			rest=${BASH_REMATCH[3]}
		done
		case $1 in *[[:space:]]) COMP_WORDS+=("") ;; esac
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		compopt() { :; }
		_strobe; printf "%s\n" "${COMPREPLY[@]}"' bash "$line" | sort)
	check "bash: '$line' gives '$want', not '$got'" test "$got" = "$want"
}
bash_gives 'strobe vers' version
bash_gives 'strobe version --b' --build-options
bash_gives 'strobe --buildid-dir help version --b' --build-options
bash_gives 'strobe help comp' completion
bash_gives 'strobe version x' ''
bash_gives 'strobe record --call-graph d' dwarf dwarf+fp
bash_gives 'strobe record --call-graph=lb' lbr
bash_gives 'strobe record -e task-c' task-clock
bash_gives 'strobe record -e cs,task-c' cs,task-clock
bash_gives 'strobe report --sort=comm,dso_d' comm,dso_daddr
bash_gives 'strobe report -i fil' file.data
bash_gives 'strobe report --symfs d' dir
bash_gives 'strobe report --sort fil' ''
bash_gives 'bin/strobe record -F m' max
if [ -r /sys/kernel/tracing/events/sched/sched_switch/format ]; then
	bash_gives 'strobe record -e sched:sched_switc' sched_switch
	bash_gives 'strobe record -e cs,sched:sched_switc' sched_switch
else
	skip_part "events with colons: tracefs is not readable"
fi
if command -v shellcheck >/dev/null; then
	check "the script passes shellcheck" shellcheck script.bash
else
	skip_part "no shellcheck here"
fi

# --- fish prints by itself what TAB would offer
fish_gives() {	# LINE WANT...
	local line=$1 want got
	shift
	want=$(printf '%s\n' "$@")
	got=$(fish --no-config -c 'source script.fish; complete -C "$argv[1]"' -- "$line" 2>&1 | cut -f1 | sort)
	check "fish: '$line' gives '$want', not '$got'" test "$got" = "$want"
}
if command -v fish >/dev/null; then
	fish_gives 'strobe vers' version
	fish_gives 'strobe record --call-graph d' dwarf dwarf+fp
	fish_gives 'strobe record --call-graph=lb' --call-graph=lbr
	fish_gives 'strobe record -e cs,task-c' cs,task-clock
	fish_gives 'strobe report --sort comm,dso_d' comm,dso_daddr
	fish_gives 'strobe version --build-o' --build-options
	fish_gives 'strobe report -i fil' file.data
	fish_gives 'strobe report --symfs d' dir/
	fish_gives 'strobe report --sort fil' ''
	fish_gives 'strobe report -i dir/i' 'dir/in side'
else
	skip_part "no fish here"
fi

# --- a terminal, a shell, and the TAB key
if command -v tmux >/dev/null; then
	. "$STROBE_SOURCE/tests/e2e/lib_tui.sh"
	types() {	# SHELL PROMPT-SETUP: type each line with TAB at its end
		tui_start 100 30 PATH="$PATH"
		tui_type "$1" Enter
		tui_see 'ready>'
		tui_type 'strobe record --call-graph lb' Tab; tui_see '--call-graph lbr'; tui_type C-u
		tui_type 'strobe report --sort comm,dso_da' Tab; tui_see 'comm,dso_daddr'; tui_type C-u
		tui_type 'strobe evl' Tab
		tui_see 'strobe evlist'
		tui_type -- '-i fil' Tab
		tui_see 'evlist -i file.data'
		tui_type C-u
		tui_stop
	}
	cat script.bash - >bashrc <<<'PS1="ready> "'
	types 'bash --rcfile bashrc'
	if command -v zsh >/dev/null; then
		mkdir z &&
			{
				echo 'autoload -U compinit && compinit -u -D'; cat script.zsh; echo 'PS1="ready> "'
			} >z/.zshrc
		types 'ZDOTDIR=$PWD/z zsh -d'
		# Installed as cmake does: the shell finds it by its name.
		mkdir functions && cp script.zsh functions/_strobe
		{
			echo 'fpath=($PWD/functions $fpath)'
			echo 'autoload -U compinit && compinit -u -D'
			echo 'PS1="ready> "'
		} >z/.zshrc
		types 'ZDOTDIR=$PWD/z zsh -d'
	else
		skip_part "no zsh here"
	fi
else
	skip_part "no tmux here: zsh is not tried"
fi
finish
