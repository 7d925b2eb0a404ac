#!/bin/sh
# Check perf mem and perf c2c with sampled instructions of RISC-V
# SPDX-License-Identifier: GPL-2.0-only
#
# Loads and stores, which data they touch, where that is in memory, and which CPUs take
# it from each other.

dir=$(mktemp -d /tmp/__perf_test.riscv_pdis.XXXXX) || exit 1
data=$dir/perf.data
# shellcheck source=tools/perf/tests/shell/lib/riscv_pdis.sh
. "$(dirname "$0")/lib/riscv_pdis.sh"

program="perf test -w brstack 20000"

mem_record() {
	# shellcheck disable=SC2086
	perf mem record -q -B -N -o "$data" --all-user -c 97 "$@" -- $program
}

# same WHAT PATTERN - as many samples do that as there are records like this
same() {
	samples=$(grep -cF "|OP $1|" "$dir/samples")
	like=$(grep -cE "$2" "$dir/records")
	echo "$samples samples: $1, $like records: $2"
	[ "$samples" = "$like" ]
}

# only TYPE... - are there records of these types, each of them and no others? And what
# are their samples said to do? One that loads and stores is said to load, and one that
# was flushed has done nothing.
only() {
	records >"$dir/records"
	script data_src >"$dir/samples"
	cut -d' ' -f1 "$dir/records" | grep -vxF load+store | sort -u >"$dir/types"
	printf '%s\n' "$@" | sort | diff - "$dir/types" &&
		same N/A ' flushed ' &&
		sed -i '/ flushed /d' "$dir/records" &&
		same LOAD '^load' && same STORE '^store '
}

loads() { mem_record -t load && only load; }
stores() { mem_record -t store && only store; }
both() { mem_record && only load store; }
chosen_event() { mem_record -e pdis-store && only store; }

long_ones() {
	has_format latency || { skip "harts have no latency"; return; }
	mem_record -t load --ldlat 20 && only load || return 1
	script weight | awk '{ n++; if ($1 < 20) few++ }
		END { print n + 0, "loads,", few + 0, "that took less"; exit !n || few }'
}

reports() {
	perf mem report -i "$data" --stdio -q -s symbol,mem 2>/dev/null >"$dir/report"
	head -n 20 "$dir/report"
	for function in brstack brstack_bench brstack_foo brstack_bar; do
		grep -qE "%.*\\[\\.\\] $function .* (hit|miss)" "$dir/report" || return 1
	done
}

# Physical addresses are there only if they were asked for.
no_physical() {
	mem_record || return 1
	records >"$dir/records"
	perf evlist -v -i "$data" >"$dir/events"
	[ -s "$dir/records" ] && not grep -w physical "$dir/records" &&
		grep -w ADDR "$dir/events" && not grep PHYS_ADDR "$dir/events"
}

# and then they are as far into a page as the address is. There is none for what was not
# there yet.
physical() {
	mem_record --phys-data || return 1
	records | grep -v ' flushed' >"$dir/records"
	sed -nE 's/.* data (0x[0-9a-f]+) physical (0x[0-9a-f]+) .*/\1 \2/p' \
		"$dir/records" >"$dir/pairs"
	echo "$(wc -l <"$dir/pairs") pairs, $(wc -l <"$dir/records") records"
	[ -s "$dir/pairs" ] && counted "$(wc -l <"$dir/pairs")" "$(wc -l <"$dir/records")" &&
		! awk '{ print substr($1, length($1) - 2), substr($2, length($2) - 2) }' \
			"$dir/pairs" | awk '$1 != $2' | grep .
}
# perf's samples have the same.
physical_samples() {
	[ -s "$dir/pairs" ] || return 1
	script phys_addr --itrace=M | tr -d ' ' | grep -vx 0 | sort >"$dir/samples"
	sed 's/.* 0x//' "$dir/pairs" | sort | cmp - "$dir/samples"
}

# The program writes two fields of a variable, and reads them. Newer ones call it
# workload_datasym_buf1.
names_data() {
	perf mem record -q -B -N -o "$data" --all-user -c 997 -- \
		timeout -s INT 1 perf test -w datasym
	perf mem report -i "$data" --stdio -q -s symbol_daddr 2>/dev/null |
		sed -nE 's/^ *[0-9.]+% .*\[\.\] (workload_datasym_)?(buf1[^ ]*) .*/\2/p' | sort >"$dir/names"
	cat "$dir/names"
	printf 'buf1+0x0\nbuf1+0x38\n' | cmp - "$dir/names"
}

# sharing OPTION... - two processes, and what one writes the other reads, in the kernel
sharing() {
	# shellcheck disable=SC2016
	perf c2c record -q -B -N -o "$data" -c 997 "$@" -- sh -c '
		taskset -c "$1" head -c 4000000 /dev/zero | taskset -c "$2" cat >/dev/null' \
		sh "$first" "$second" || return 1
	perf c2c report -i "$data" --stdio >"$dir/c2c" 2>/dev/null
	sed -n '/Trace Event Information/,/Global Shared/p' "$dir/c2c"
	conflicts=$(awk '/(Load|Store) Conflicts \(estimated\) +:/ { n += $NF } END { print n }' "$dir/c2c")
	hitms=$(awk '/Load (Local|Remote) HITM +:/ { n += $NF } END { print n }' "$dir/c2c")
	echo "$conflicts conflicts, $hitms HITMs"
}
# The kernel's pipe is what they have in common: its code is to blame for some of it. If
# records tell of other caches nothing is estimated, if not it is.
two_cpus() {
	first=$(cpus | head -n 1)
	second=$(cpus | tail -n 1)
	[ "$first" != "$second" ] || { skip "one CPU only"; return; }
	sharing || return 1
	sed -n '/Line Distribution Pareto/,$p' "$dir/c2c" >"$dir/blamed"
	cat "$dir/blamed"
	[ $(((conflicts > 0) + (hitms > 0))) = 1 ] &&
		grep -qE '\[k\] [a-z_]*(pipe|copy|mutex|lock|wake)' "$dir/blamed"
}
# Of one CPU that is sampled nothing can be estimated, whatever others have done to it.
one_cpu() {
	second=$first
	sharing -C "$first" && [ "$conflicts" = 0 ] &&
		grep -qE 'Total records +: +[1-9]' "$dir/c2c"
}

check "loads" loads
check "stores" stores
check "loads and stores" both
check "perf mem report" reports
check "an event by its name" chosen_event
check "loads that take long" long_ones
check "no physical addresses if not asked for" no_physical
check "physical addresses" physical
check "physical addresses of samples" physical_samples
check "data by its name" names_data
check "CPUs that take lines from each other" two_cpus
check "one CPU has them all" one_cpu
passed
