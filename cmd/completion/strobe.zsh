#compdef strobe
# Completion of strobe for zsh. To load it, after compinit: source <(strobe completion zsh)
#
# strobe itself completes a word ("strobe completion --line"); see cmd/completion/line.c for its answer.

_strobe()
{
	local program=${(Q)words[1]} kind prefix line
	local -a answer before described
	program=${program/#\~\//$HOME/}
	before=("${(@Q)words[2,CURRENT-1]}")
	(( CURRENT > 1 )) || return 1
	answer=("${(@f)$("$program" completion --line -- "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
	[[ -n ${answer[1]} ]] ||
		answer=("${(@f)$(strobe completion --line -- "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
	kind=${answer[1]%%$'\t'*}
	prefix=${answer[1]#*$'\t'}
	[[ -z $prefix ]] || compset -P "${(b)prefix}"
	for line in "${(@)answer[2,-1]}"; do
		# _describe separates a word from its text by ':'.
		if [[ $line == *$'\t'* ]]; then described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
		elif [[ -n $line ]]; then described+=("${line//:/\\:}")
		fi
	done
	local result=1
	if (( ${#described} )); then
		if [[ $kind == list ]]; then _describe -t values value described -S '' && result=0
		else _describe -t values value described && result=0
		fi
	fi
	case $kind in
	file) _files && result=0 ;;
	directory) _directories && result=0 ;;
	program) _command_names -e && result=0; _files && result=0 ;;
	esac
	return result
}
if [[ ${funcstack[1]} == _strobe ]]; then
	_strobe "$@"
else
	compdef _strobe strobe
	(( ${+_comps[perf]} )) || compdef _strobe perf
fi
