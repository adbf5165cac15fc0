# shellcheck shell=bash
# Completion of strobe for bash. To load it: source <(strobe completion bash)
#
# strobe itself completes a word ("strobe completion --line"); see cmd/completion/line.c for its answer.

_strobe()
{
	local rest=${COMP_LINE:0:COMP_POINT} words=() word i
	# bash also splits words at ':' and '=': join the parts that no blank separates.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		((i == COMP_CWORD)) && word=${rest#"${rest%%[![:space:]]*}"}
		if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
			words+=("$word")
		else
			words[${#words[@]} - 1]+=$word
		fi
		rest=${rest#"${rest%%[![:space:]]*}"}
		rest=${rest#"$word"}
	done
	local current=${words[${#words[@]} - 1]} program=${words[0]/#\~\//$HOME/} answer line
	((COMP_CWORD > 0)) || return
	current=${current#[\'\"]}
	unset 'words[0]'
	words[COMP_CWORD < ${#words[@]} ? COMP_CWORD : ${#words[@]}]=$current
	COMPREPLY=()
	mapfile -t answer < <("$program" completion --line -- "${words[@]}" 2>/dev/null)
	if [[ -z ${answer[0]-} ]]; then	# perf is another program, or an alias
		mapfile -t answer < <(strobe completion --line -- "${words[@]}" 2>/dev/null)
	fi
	local kind=${answer[0]%%$'\t'*} prefix=${answer[0]#*$'\t'} part found=()
	part=${current#"$prefix"}
	for line in "${answer[@]:1}"; do found+=("${line%%$'\t'*}"); done
	case $kind in
	file) compopt -o filenames; mapfile -t -O "${#found[@]}" found < <(compgen -f -- "$part") ;;
	directory) compopt -o filenames; mapfile -t -O "${#found[@]}" found < <(compgen -d -- "$part") ;;
	program) mapfile -t -O "${#found[@]}" found < <(compgen -c -- "$part") ;;
	list) compopt -o nospace ;;
	words) ;;
	*) return ;;
	esac
	# readline replaces only what follows the last ':' or '='.
	local kept=$current
	kept=${kept%"${kept##*[:=]}"}
	for word in "${found[@]}"; do
		word=$prefix$word
		COMPREPLY+=("${word#"$kept"}")
	done
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace
	return 0
}
complete -F _strobe strobe
# An installed perf may have brought its own completion.
complete -p perf >/dev/null 2>&1 || complete -F _strobe perf
