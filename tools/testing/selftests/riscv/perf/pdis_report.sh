#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
#   pdis_report.sh DATA OUT [option...]
#
# What perf says of a recording of pdis_perf.sh, in files that begin with OUT: on the
# machine that has recorded, or on any other. The options tell perf report where programs
# are.

set -eu

data=$1 out=$2
shift 2

fields=time,cpu,period,event,ip,addr,phys_addr,weight,ins_lat,data_src
fields=$fields,dispatch_lat,issue_lat,exec_lat,retire_lat,oldest_lat
case $data in
*single*) ;;
*) fields=$fields,flags,brstack ;;
esac

script() {
	perf script -i "$data" --kallsyms=/dev/null --ns "$@"
}

# Names are not what the first two are about: looking for them takes long.
script -F "$fields" >"$out.script"
script -F tid,ip >"$out.threads"
perf script -i "$data" -D >"$out.dump" 2>/dev/null
perf report -i "$data" --stats >"$out.stats"
perf report -i "$data" --kallsyms=/dev/null --stdio -q -s pid,sym "$@" >"$out.report"
case $data in
*/memory.data)
	perf mem report -i "$data" --itrace=M --kallsyms=/dev/null --stdio -q -s mem >"$out.mem"
	;;
*/transfers.data) script -F ip,brstack --itrace=bl >"$out.pieces" ;;
*/profile.data)
	perf inject --itrace=bl --strip -i "$data" -o "$out.injected"
	perf script -i "$out.injected" --kallsyms=/dev/null -F ip,brstack >"$out.pieces"
	;;
esac
