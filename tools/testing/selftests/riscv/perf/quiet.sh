#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The drivers are a part of this kernel, which runs on machines without what they are for as
# well: there they say nothing that looks like a fault. The argument is what this machine
# lacks: an extension, or with "common" anything by which all of its harts can give samples of
# instructions one at a time. As modules each of these drivers would say so in a line.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

lacking=$1

# said LEVELS - what they have said with these levels, as in printk()
said() { dmesg -r | grep -E "^<[$1]>.*\] riscv_(pmu|pdis)"; }

no_module() { ! grep -q '^riscv_p' /proc/modules; }
has() { grep -aq "$1" "/proc/device-tree/cpus/cpu@0/riscv,isa-extensions"; }
# Which driver does not find what it is for shows by its PMU, which is not there.
lacks() {
	case $lacking in
	sspdis) ! has sspdis && has smcdeleg && ! there_is riscv_pdis ;;
	smcdeleg) has sspdis && ! has smcdeleg && there_is riscv_pdis ;;
	common) has sspdis && has smcdeleg && there_is cpu ;;
	esac && ! there_is riscv_pdis_sample
}

ktap_print_header
ktap_set_plan 4
expect "the drivers are a part of the kernel" no_module
expect "the machine lacks what one is for: $lacking" lacks
expect "what there is they say, as information" said 6
expect "they say nothing worse" not said 0-5
ktap_finished
