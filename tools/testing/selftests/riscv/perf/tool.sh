#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf's own tests, one result for each. The arguments say which, as regular
# expressions with _ for a space; all without any. A test that does not end is
# a test that failed.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

LIMIT=${LIMIT:-300}
line='^ *[0-9]+(\.[0-9]+)?: .*: *'

# number and name; the parts of a test run with it
tests() {
	perf test list 2>&1 | sed -nE 's/^ *([0-9]+): (.*)$/\1 \2/p' |
		grep -E "$(echo "${*:-.}" | tr ' _' '| ')"
}

ktap_print_header
tests "$@" >/tmp/tests
ktap_set_plan "$(wc -l </tmp/tests)"
while read -r number name; do
	# Its events are too frequent for who does not throttle.
	if [ "$name" = "Setup struct perf_event_attr" ] && [ ! -e "$PMU/caps" ]; then
		ktap_test_skip "$name" "the machine hangs with the built-in driver"
		continue
	fi
	timeout -k 5 "$LIMIT" perf test -v "$number" >/tmp/perf-test 2>&1 </dev/null
	if [ $? -ge 124 ]; then
		ktap_test_fail "$name"
		echo "# not done in $LIMIT s"
	elif grep -qE "${line}FAILED!" /tmp/perf-test; then
		ktap_test_fail "$name"
		tail -n 40 /tmp/perf-test | sed 's/^/# /'
	elif grep -qE "${line}Ok" /tmp/perf-test; then
		ktap_test_pass "$name"
	else
		why=$(sed -nE "s/${line}Skip( \((.*)\))?.*/\3/p" /tmp/perf-test)
		ktap_test_skip "$name" "${why:-perf does not say why}"
	fi
done </tmp/tests
ktap_finished
