# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the tests that are scripts share.

HERE=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC1091
. "$HERE/../../kselftest/ktap_helpers.sh"

MODULE=${MODULE:-riscv_pmu}
PMU=/sys/bus/event_source/devices/${PMU:-cpu}

# Those of the kernel do not say why.
ktap_test_skip() {
	__ktap_test ok "$1" "SKIP $2"
	KTAP_CNT_SKIP=$((KTAP_CNT_SKIP + 1))
}

# expect DESCRIPTION CMD... - one result: does CMD succeed?
expect() {
	description=$1
	shift
	if output=$("$@" 2>&1); then
		ktap_test_pass "$description"
	else
		# What led to a result is before it, as in tests that are programs.
		echo "# $*" | head -n 1
		echo "$output" | sed 's/^/# /'
		ktap_test_fail "$description"
	fi
}

not() { ! "$@"; }

# there_is PMU
there_is() { [ -e "/sys/bus/event_source/devices/$1" ]; }

# The kernel's messages since $mark; those from the module, without those that any module from
# outside the kernel's tree gives rise to.
all_messages() { dmesg | tail -n "+$((mark + 1))"; }
messages() {
	all_messages | grep "$MODULE: " |
		grep -vE 'taints kernel|tainting kernel'
}
mark_messages() { mark=$(dmesg | wc -l); }
# says TEXT - one of them has it
says() { messages | grep -qF "$1" || { messages; return 1; }; }
says_once() { [ "$(messages | grep -cF "$1")" = 1 ] || { messages; return 1; }; }

load() { modprobe "$MODULE"; }
unload() { rmmod "$MODULE"; }

# passes N PROGRAM [ARG]... - so many of a program's tests pass, and none is skipped
passes() {
	wanted=$1
	shift
	"$@" >/tmp/passes 2>&1
	status=$?
	cat /tmp/passes
	[ "$status" = 0 ] &&
		grep -q "^# Totals: pass:$wanted fail:0 xfail:0 xpass:0 skip:0 " /tmp/passes
}

# refused_by_perf CMD... - it fails, as perf says in many words, for want of support
refused_by_perf() {
	! "$@" 2>/tmp/refused || return 1
	cat /tmp/refused
	grep -qE "n.t support|Invalid argument" /tmp/refused
}

# With MODES=all counters count in all modes, and user space alone is refused.
USER=:u
[ "${MODES-}" != all ] || USER=

# What the program exact executes is known; see exact.S. With several kinds of cores perf
# counts on each, and says so line by line.
counts_exactly() { counts_exactly_on ''; }
# counts_exactly_on CPU - there alone
counts_exactly_on() {
	[ "$USER" ] || { counts_enough "$1"; return; }
	count_exact "$1"
	[ "$counted" = 2000004 ] || { echo "counted $counted"; return 1; }
}

count_exact() {
	counted=$(${1:+taskset -c "$1"} perf stat -x, -e "instructions$USER" "$HERE/exact" 2>&1 |
		awk -F, '{ sum += $1 } END { print sum }')
}

# In all modes the kernel adds what it takes to begin a program and to end it: never less,
# and not each time as much as when firmware has to wait for another CPU.
counts_enough() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		count_exact "$1"
		echo "counted $counted"
		[ "$counted" -gt 2000004 ] || return 1
		[ "$counted" -ge 4000000 ] || return 0
	done
	return 1
}

# event EVENT - what perf stat says of it, of the same program
event() { perf stat -x, -e "$1" "$HERE/exact" 2>&1 | cut -d, -f1; }

# count_in FILE - its samples: their number is in $found
count_in() {
	found=$(perf script -i "$1" -F event 2>/dev/null | grep -c .)
	echo "found $found"
}

# count_samples EVENT PERIOD [CPU] - of the same program: their number is in $found. perf looks for
# programs of BPF among the kernel's symbols, and reads build ids, if it is not told otherwise.
count_samples() {
	timeout -k 5 60 ${3:+taskset -c "$3"} perf record -q -B --no-bpf-event \
		-o /tmp/counted.data -c "$2" -e "$1" "$HERE/exact" || return 1
	count_in /tmp/counted.data
}

# hart NUMBER - the CPU that it is
hart() {
	awk -v hart="$1" '$1 == "processor" { cpu = $3 }
		$1 == "hart" && $2 == ":" && $3 == hart { print cpu }' /proc/cpuinfo
}

# Each CPU with the PMU of its kind, if harts differ: the first CPU's is cpu.
kinds() {
	awk '$1 == "processor" { cpu = $3 }
		$1 == "marchid" {
			if (!seen[$3]++)
				name[$3] = n++ ? "cpu_kind" n : "cpu"
			print cpu, name[$3]
		}' /proc/cpuinfo
}

# pmu_of CPU
pmu_of() { kinds | awk -v cpu="$1" '$1 == cpu { print $2 }'; }

# online CPU 0|1 - firmware does not start a hart that it is still stopping, which the kernel
# does not wait for
online() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		echo "$2" >"/sys/devices/system/cpu/cpu$1/online" && return
		[ "$2" = 1 ] || break
		sleep 0.1
	done
	return 1
}

# load_without CPU... - load the module anew while these CPUs are off
load_without() {
	! grep -q "^$MODULE " /proc/modules || modprobe -r "$MODULE" || return 1
	mark_messages
	for cpu; do online "$cpu" 0 || return 1; done
	modprobe "$MODULE" || return 1
	for cpu; do online "$cpu" 1 || return 1; done
}
