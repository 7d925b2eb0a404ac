#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module refuses to load where it cannot work, with one line that says why
# (DEL-044, DEL-045, DEL-050), and does no harm then. The arguments are a
# part of the line that is expected on this machine, or "loads", and then a part of
# what it says.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

reason=$*
builtin=
[ ! -e "$PMU" ] || builtin=yes

KVM='KVM guests have no counters'

one_message() {
	messages
	[ "$(messages | grep -cv "$KVM")" = 1 ]
}

# Where there can be guests: it is a module, and the kernel's own driver is not there for them.
says_kvm() {
	if grep -aq '^isa.*: rv[0-9]*[a-z]*h' /proc/cpuinfo; then
		says_once "$KVM"
	else
		not says "$KVM"
	fi
}

described() {
	for field in description author license; do
		modinfo -F "$field" "$MODULE" | grep -q . || return 1
	done
}

# Do harts have counters for the kernel, and are these expected to be used?
delegates() {
	grep -aq smcdeleg "/proc/device-tree/cpus/cpu@0/riscv,isa-extensions" &&
		! echo "$reason" | grep -q 'by firmware:'
}
# If firmware has not set them up the driver loads as well, and uses firmware.
through_firmware() { [ "$status" = 0 ] && messages | grep 'by firmware'; }
directly() { [ "$status" = 0 ] && ! messages | grep 'by firmware'; }

ktap_print_header
mark_messages
modprobe "$MODULE" 2>/tmp/modprobe
status=$?

if [ "$1" = loads ]; then
	ktap_set_plan 10
	if delegates; then
		expect "the module loads, on what firmware has delegated [DEL-050]" directly
	else
		expect "the module loads, and uses firmware [DEL-044]" through_firmware
	fi
	expect "it says one line" one_message
	expect "it says: ${reason#loads }" says "${reason#loads }"
	expect "it says that guests have no counters, where there can be guests" says_kvm
	expect "the PMU is there" test -e "$PMU/type"
	expect "its raw events are perf's" grep -qx 4 "$PMU/type"
	expect "it says what its configuration means" grep -qx 'config:0-55' \
		"$PMU/format/event"
	expect "it says on which CPUs it is" test -s "$PMU/cpus"
	expect "it is described" described
	expect "it counts" counts_exactly
else
	ktap_set_plan 5
	case $reason in
	'no CPU samples instructions') rules=' [PDIS-SE-011]' ;;
	*) rules='' ;;
	esac
	expect "the module does not load$rules" test "$status" != 0
	expect "it says one line" one_message
	expect "it says: $reason" says "$reason"
	case $reason in
	*initcall_blacklist=*) error='Device or resource busy' ;;
	*) error='Operation not supported' ;;
	esac
	expect "the error is: $error" grep -qF "$error" /tmp/modprobe
	if [ -n "$builtin" ]; then
		expect "the built-in driver counts on" counts_exactly
	else
		expect "it leaves nothing behind" not test -e "$PMU"
	fi
fi
ktap_finished
