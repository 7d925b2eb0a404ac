#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module comes and goes: many times, not while it is in use, and not while
# others are busy with it. CYCLES in the environment says how many times.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

CYCLES=${CYCLES:-4}
RACES=$((CYCLES / 2))
BUSY=$((8 * ${TIMES:-1}))
# What keeps a machine busy while the module is asked to go. It says that it has begun, for
# it may be over before anybody looks, and does not end before the module has been asked.
if [ "${1-}" = busy ]; then
	: >/tmp/busy
	for _ in $(seq "$BUSY"); do "$HERE/exact"; done
	for _ in $(seq 100); do
		[ ! -e /tmp/asked ] || break
		"$HERE/exact"
	done
	exit
fi
ACCESS=/proc/sys/kernel/perf_user_access

ktap_print_header
if [ -e "$PMU" ] && ! grep -q "^$MODULE " /proc/modules; then
	ktap_skip_all "the built-in driver cannot be unloaded"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 8

cycles() {
	i=0
	while [ "$i" -lt "$CYCLES" ]; do
		i=$((i + 1))
		load || return 1
		# Now and then see that it also works.
		if [ $((i % 10)) = 1 ]; then
			counts_exactly || return 1
		fi
		unload || return 1
		[ ! -e "$PMU" ] || return 1
	done
}

users() { cat "/sys/module/$MODULE/refcnt"; }

# Is perf done with opening events, some of which it only tries, and runs the program?
runs() { pgrep -x -P "$1" "$2" >/dev/null; }

# The module is refused leave, with the error for it, and stays as it was.
refused_while_open() {
	perf stat -x, -o /tmp/open -e "instructions$USER" "$@" sleep 1000 &
	holder=$!
	until runs "$holder" sleep; do sleep 0.1; done
	unload 2>/tmp/rmmod
	status=$?
	until pkill -P "$holder"; do sleep 0.1; done
	wait "$holder"
	cat /tmp/rmmod
	[ "$status" != 0 ] && grep -q 'in use' /tmp/rmmod &&
		[ "$(users)" = 0 ] && counts_exactly
}

# A program counts, and either all of it or, without the driver, not at all.
open_and_count() {
	cd "$HERE" || exit
	while [ ! -e /tmp/enough ]; do
		if ./tasks -t exec_exact >/tmp/once 2>&1; then
			echo counted
		elif grep -qE 'perf_event_open: No such (file|device)' /tmp/once; then
			echo refused
		else
			echo "wrong: $(tr '\n' ' ' </tmp/once)"
		fi >>/tmp/counted
	done
}

told() { grep -c "$1" /tmp/counted; }

# Each of the two has to get on: unloading while events come and go, and these.
race() {
	rm -f /tmp/enough
	: >/tmp/counted
	open_and_count &
	user=$!
	removed=0 end=$(($(date +%s) + 60 + CYCLES * 10))
	while [ "$removed" -lt "$RACES" ] || [ "$(told counted)" -lt "$RACES" ]; do
		[ "$(date +%s)" -lt "$end" ] || break
		if unload 2>/dev/null; then
			removed=$((removed + 1))
			load || break
		fi
	done
	touch /tmp/enough
	wait "$user"
	echo "unloaded $removed times, $(told counted) times counted, $(told refused) refused"
	grep wrong /tmp/counted && return 1
	[ "$removed" -ge "$RACES" ] && [ "$(told counted)" -ge "$RACES" ] &&
		counts_exactly
}

# The counter of cycles may not interrupt; others that have the event by its number do.
SAMPLED=cycles
[ -z "${SILENT_FIXED-}" ] || SAMPLED=r1

# Sampling goes on on every CPU while the module is asked to go, which it refuses.
sampled_while_asked() {
	rm -f /tmp/busy /tmp/asked
	perf record -q -a -o /tmp/perf.data -e "$SAMPLED" -c 100000 "$0" busy &
	recorder=$!
	until [ -e /tmp/busy ]; do sleep 0.1; done
	refused=0
	while kill -0 "$recorder" 2>/dev/null; do
		unload 2>/tmp/rmmod || ! grep -q 'in use' /tmp/rmmod ||
			refused=$((refused + 1))
		[ "$refused" = 0 ] || : >/tmp/asked
	done
	wait "$recorder" || return 1
	# Of two million instructions each time.
	seen=$(perf script -i /tmp/perf.data --comm exact -F ip 2>/dev/null | wc -l)
	echo "refused $refused times; $seen samples"
	[ "$refused" -gt 0 ] && [ "$seen" -ge $((20 * BUSY)) ]
}

grep -q "^$MODULE " /proc/modules && unload
expect "loads, counts, unloads, $CYCLES times" cycles
expect "leaves no sysctl behind" not test -e "$ACCESS"
expect "leaves no interrupt behind" not grep -q "$MODULE" /proc/interrupts
load
mark_messages
expect "stays while a task's event is open" refused_while_open
expect "stays while a CPU's event is open" refused_while_open -a
expect "comes and goes while events do" race
load
if [ "${NO_INTERRUPT-}" ]; then
	ktap_test_skip "samples while it is asked to go" "no counter of this machine interrupts"
else
	expect "samples while it is asked to go" sampled_while_asked
fi
load
expect "counts in the end" counts_exactly
ktap_finished
