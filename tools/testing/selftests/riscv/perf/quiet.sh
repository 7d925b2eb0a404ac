#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The drivers are a part of this kernel, which runs on machines without what they are for as
# well: there they say nothing that looks like a fault. This machine has counters, but its
# harts cannot sample instructions.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

# said LEVELS - what they have said with these levels, as in printk()
said() { dmesg -r | grep -E "^<[$1]>.*\] riscv_(pmu|pdis)"; }

no_module() { ! grep -q '^riscv_p' /proc/modules; }
cannot_sample() { ! grep -aq sspdis "/proc/device-tree/cpus/cpu@0/riscv,isa-extensions"; }

ktap_print_header
ktap_set_plan 4
expect "the drivers are a part of the kernel" no_module
expect "the hart cannot sample instructions" cannot_sample
expect "what there is they say, as information" said 6
expect "they say nothing worse" not said 0-5
ktap_finished
