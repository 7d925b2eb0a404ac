#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf's own tests, one result for each, or for each of its parts. The arguments
# say which, as regular expressions with _ for any character; all without any. A test
# that does not end is a test that failed.
#
# What perf printed is kept in the folder RESULTS, in a file for each test. A
# test whose file is there is not run again, so on a machine that is started
# anew after a crash the others follow; NUMBER.hung says which did not survive.
#
# A test that fails now and then, whichever the driver is, is run up to TRIES times; one
# that never passes has failed.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

LIMIT=${LIMIT:-300}
RESULTS=${RESULTS:-/tmp/perf-test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# perf gives up after 1000 tries that do not wait, 5 runs in 40 with the built-in driver:
# four in a row happen once in 4,000.
UNSTEADY='^Number of exit events'
TRIES=4

# number and name, of parts too: 4:1 is the first of test 4, which newer ones call 4.1
list() {
	perf test list 2>&1 | sed -nE 's/^ *([0-9]+)[.]([0-9]+): /\1:\2: /; s/^ *([0-9:]+): (.*)$/\1 \2/p'
}

tests() {
	list | grep -vE '^[0-9]+:' | grep -E "$(echo "${*:-.}" | tr ' _' '|.')"
}

# parts NUMBER - those of a test, or the test itself if it has none
parts() {
	list >"$work/list"
	grep "^$1:" "$work/list" || grep "^$1 " "$work/list"
}

measure() {
	echo "<5>perf test $1" >/dev/kmsg
	start=$(cut -d. -f1 /proc/uptime)
	timeout -k 5 "$LIMIT" perf test -v "$1" >"$work/perf-test" 2>&1 </dev/null
	code=$?
	seconds=$(($(cut -d. -f1 /proc/uptime) - start))
	echo "exit status $code, $seconds s" >>"$work/perf-test"
	# Whole or not at all.
	cp "$work/perf-test" "$RESULTS/part"
	mv "$RESULTS/part" "$RESULTS/$1"
}

# result NUMBER[:PART] NAME - as perf's output tells it
result() {
	output=$RESULTS/${1%:*}
	line=" *$(echo "$1" | tr : .): .*: *"
	if [ -e "$output.hung" ]; then
		ktap_test_fail "$2"
		echo "# the machine did not survive"
	elif grep -qE "^${line}FAILED!" "$output"; then
		ktap_test_fail "$2"
		tail -n 40 "$output" | sed 's/^/#  /'
	elif grep -qE "^${line}Ok" "$output"; then
		ktap_test_pass "$2"
	elif grep -qE "^${line}Skip" "$output"; then
		why=$(sed -nE "s/^${line}Skip( \((.*)\))?.*/\2/p" "$output")
		ktap_test_skip "$2" "${why:-perf does not say why}"
	else
		ktap_test_fail "$2"
		echo "# no result: $(tail -n 1 "$output")"
	fi
}

# once_or_more NUMBER NAME
once_or_more() {
	tries=1
	! echo "$2" | grep -qE "$UNSTEADY" || tries=$TRIES
	for try in $(seq "$tries"); do
		measure "$1"
		grep -q 'FAILED!' "$RESULTS/$1" || break
		[ "$tries" = 1 ] || echo "# $2: failed, try $try of $tries"
	done
}

mkdir -p "$RESULTS"
ktap_print_header
tests "$@" >"$work/tests"
while read -r number name; do
	[ -e "$RESULTS/$number.hung" ] || [ -e "$RESULTS/$number" ] ||
		once_or_more "$number" "$name" >&3
	parts "$number" | while read -r part part_name; do
		case $part in *:*) part_name="$name: $part_name" ;; esac
		echo "$part $part_name"
	done
done 3>&1 <"$work/tests" >"$work/results"
ktap_set_plan "$(wc -l <"$work/results")"
while read -r part name; do
	result "$part" "$name"
done <"$work/results"
ktap_finished
