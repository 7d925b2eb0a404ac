# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the tests of sampled instructions share. Who reads this file has made a folder
# $dir, which goes when the test ends, and a name $data in it; its last command is passed.

PDIS=/sys/bus/event_source/devices/riscv_pdis

running=''
failures=0
skipped=0

clean_up() {
	# shellcheck disable=SC2086
	[ -z "$running" ] || kill $running 2>/dev/null
	rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

[ -d "$PDIS" ] || { echo "there is no riscv_pdis"; exit 2; }
[ "$(id -u)" = 0 ] || { echo "takes root"; exit 2; }

# shellcheck disable=SC1091
. "$(dirname "$0")/lib/perf_has_symbol.sh"
skip_test_missing_symbol brstack_bench

# check WHAT COMMAND... - one result: does the command succeed? If it has called skip,
# there was nothing to look at.
check() {
	what=$1
	shift
	rm -f "$dir/why"
	if "$@" >"$dir/said" 2>&1; then
		echo "$what: PASS"
	elif [ -e "$dir/why" ]; then
		echo "$what: SKIP: $(cat "$dir/why")"
		skipped=$((skipped + 1))
	else
		echo "$what: FAIL"
		tail -n 40 "$dir/said"
		failures=$((failures + 1))
	fi
}

# skip WHY - to be the last that a command of check does
skip() {
	echo "$*" >"$dir/why"
	return 1
}

# What is not looked at is no success: the status is perf's for a test that is skipped.
passed() {
	[ "$failures" = 0 ] || return 1
	[ "$skipped" = 0 ] || return 2
}

not() { ! "$@"; }

cpus() { awk '/^processor/ { print $3 }' /proc/cpuinfo; }

has_format() { [ -e "$PDIS/format/$1" ]; }

# record OPTION... - samples of a program, or of what else the options say. Programs stay
# where they are: to look for their build ids takes as long as all the rest.
record() { perf record -q -B -N --no-bpf-event -o "$data" "$@"; }

# The records of a file, one per line, as perf prints them without making samples
records() {
	perf script -D -i "$data" --symfs="$dir" --kallsyms=/dev/null 2>/dev/null |
		sed -nE 's/^\.  [0-9a-f]{8}: //p'
}

# all_like PATTERN - are all records in $dir/records like that, and are there any?
all_like() { [ -s "$dir/records" ] && ! grep -vE "$1" "$dir/records"; }

# script FIELDS [OPTION...] - the samples of a file. Names are looked for only if they
# are asked for, and not in the kernel, as that takes long.
script() {
	fields=$1
	shift
	case $fields in
	*sym*) perf script -i "$data" --kallsyms=/dev/null -F "$fields" "$@" ;;
	*) perf script -i "$data" --kallsyms=/dev/null --symfs="$dir" -F "$fields" "$@" ;;
	esac 2>/dev/null
}

# counted NUMBER EXPECTED - are they the same, but for a tenth?
counted() {
	echo "$1 are counted, $2 are expected"
	# The shell would end, as if this were skipped.
	[ -n "$2" ] || return 1
	[ "$1" -gt $(($2 - $2 / 10)) ] && [ "$1" -lt $(($2 + $2 / 10)) ]
}

# Waits for something to be so, for a minute: machines that are emulated may be slow.
wait_until() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || { echo "not in a minute: $*"; return 1; }
		sleep 0.1
	done
}

# begin OPTION... - recording that goes on until it is told to end
begin() {
	perf record -vvv -B -N --no-bpf-event -o "$data" "$@" >"$dir/log" 2>&1 &
	recorder=$!
	running="$running $recorder"
	wait_until grep -q 'perf record has started' "$dir/log"
}

# With -S, what is in the buffer now is kept.
keep_now() { kill -USR2 "$recorder"; }

end() {
	kill -INT "$recorder"
	# It ends as the signal would have ended it.
	wait "$recorder" || :
}
