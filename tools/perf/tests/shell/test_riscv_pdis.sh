#!/bin/sh
# Check sampled instructions of RISC-V (riscv_pdis)
# SPDX-License-Identifier: GPL-2.0-only
#
# Samples a program that is part of perf, and of which it is known who calls whom, and
# looks at what perf says of it: the types of instructions, filters, the letters of
# --itrace, files that were injected, files through pipes.

dir=$(mktemp -d /tmp/__perf_test.riscv_pdis.XXXXX) || exit 1
data=$dir/perf.data
# shellcheck source=tools/perf/tests/shell/lib/riscv_pdis.sh
. "$(dirname "$0")/lib/riscv_pdis.sh"

program='perf test -w brstack 60000'
CALLED='brstack brstack_bench
brstack_bench brstack_bar
brstack_bench brstack_foo
brstack_foo brstack_bar'

sample() {
	event=$1
	shift
	# shellcheck disable=SC2086
	record -e "riscv_pdis/$event/u" "$@" -- $program
}

# All instructions

shows_functions() {
	script ip,sym | awk '{ print $2 }' | sort | uniq -c | sort -rn | head -n 20 >"$dir/functions"
	cat "$dir/functions"
	for function in brstack brstack_bench brstack_foo brstack_bar; do
		grep -qw "$function" "$dir/functions" || return 1
	done
	perf report -i "$data" --stdio -q -s sym 2>/dev/null >"$dir/report"
	grep -qE '%.*\[\.\] brstack_bench$' "$dir/report"
}

# What the kernel says it has written, what perf finds in it, and the samples of it
adds_up() {
	script ip >"$dir/samples"
	records >"$dir/records"
	perf script -D -i "$data" 2>/dev/null | grep -w PERF_RECORD_AUX >"$dir/aux"
	cat "$dir/aux"
	written=0
	sed -nE 's/.* size: (0x[0-9a-f]+) .*/\1/p' "$dir/aux" >"$dir/sizes"
	while read -r size; do
		written=$((written + size))
	done <"$dir/sizes"
	echo "$written bytes, $(wc -l <"$dir/records") records, $(wc -l <"$dir/samples") samples"
	[ "$written" -gt 0 ] && not grep -w 'bytes of a record' "$dir/records" &&
		[ "$written" = $(($(wc -l <"$dir/records") * 64)) ] &&
		[ "$(wc -l <"$dir/records")" = "$(wc -l <"$dir/samples")" ]
}

# Of no buffer the kernel says that it was full, or that something is missing.
never_full() {
	cat "$dir/aux"
	[ -s "$dir/aux" ] && not grep -vE ' flags: 0 ' "$dir/aux" &&
		! script event --itrace=e 2>&1 | grep -i error
}

ACCESS='(load|store|load\+store)'
TRANSFER='(trap_return|not_taken|taken|(ind|dir)_(call|l?jump)|swap|return|transfer)'
well_formed() {
	all_like "^(other|$ACCESS|$TRANSFER) pc 0x[0-9a-f]+ .*total [0-9]+.* time [0-9]+\$"
}

# counts EVENT - samples stand for what was decoded: that is what a counter has, and little
# more, which was flushed.
counts() {
	sampled=$(script period | awk '{ n += $1 } END { print n }')
	# shellcheck disable=SC2086
	executed=$(perf stat -x, -e "$1:u" $program 2>&1 | cut -d, -f1)
	case $executed in
	'<not '*) skip "no counter of $1" ;;
	*) counted "$sampled" "$executed" ;;
	esac
}

# letter LETTERS PATTERN - as many samples of these as there are records like that, but
# for those of instructions that were flushed
letter() {
	samples=$(script event --itrace="$1" | wc -l)
	like=$(grep -cE "$2" "$dir/retired")
	echo "$samples samples with $1, $like records: $2"
	[ "$samples" -gt 0 ] && [ "$samples" = "$like" ]
}
letters() {
	grep -v ' flushed' "$dir/records" >"$dir/retired"
	letter M "^$ACCESS " && letter b "^$TRANSFER " && letter bM "^($ACCESS|$TRANSFER) " &&
		letter c '^(ind|dir)_call ' && letter r '^return ' && letter i1i .
}
skips() {
	[ "$(script ip --itrace=Ms100 | wc -l)" = $(($(script ip --itrace=M | wc -l) - 100)) ]
}

# misses EVENT LETTER WORD
misses() {
	missed=$(script event --itrace="$2" | grep -c "$1-miss")
	accessed=$(script event --itrace="$2" | grep -c "$1-access")
	words=$(grep -cE "^$ACCESS .* $3 " "$dir/retired")
	all=$(grep -cE "^$ACCESS " "$dir/retired")
	echo "$1: $missed misses, $words records that say so; $accessed accesses, $all records"
	[ "$missed" -gt 0 ] && [ "$missed" = "$words" ] && [ "$accessed" = "$all" ]
}
all_misses() { misses l1d f l1_miss && misses tlb t l1_tlb_miss; }

injected() {
	fields=pid,tid,cpu,time,period,ip,addr,weight,data_src,ins_lat
	script "$fields" --ns --itrace=i1iM >"$dir/before"
	perf inject -i "$data" --itrace=i1iM -o "$dir/injected" || return 1
	perf script -i "$dir/injected" --symfs="$dir" --ns -F "$fields" >"$dir/after" || return 1
	[ -s "$dir/after" ] && diff "$dir/before" "$dir/after" | head &&
		cmp "$dir/before" "$dir/after" &&
		! perf script -D -i "$dir/injected" 2>/dev/null | grep -w PERF_RECORD_AUXTRACE
}

# What perf archive asks for has the program, though no buffer is looked at.
archives() {
	# shellcheck disable=SC2086
	perf record -q --buildid-mmap --no-bpf-event -e riscv_pdis/period=997/u -o "$data" -- $program &&
		perf buildid-list -i "$data" --with-hits >"$dir/ids"
	cat "$dir/ids"
	grep -q "^$(perf buildid-list -i "$(command -v perf)") " "$dir/ids"
}

# Transfers of control. A period that is in step with a loop shows always the same of them.
# Here it is another one whenever the buffer has been read, which is small; but one that is
# full loses what was to be counted.
sample_transfers() {
	for pages in 2 8 32 128; do
		sample select=4,period=97,jitter -m,"$pages" || return 1
		perf script -D -i "$data" 2>/dev/null | grep -w PERF_RECORD_AUX >"$dir/aux"
		[ -s "$dir/aux" ] || return 1
		grep -vE ' flags: 0 ' "$dir/aux" || return 0
	done
	return 1
}

# calls LETTER CALLER CALLED - of samples with this letter, in these columns: they are
# those of the source.
calls() {
	script ip,sym,addr --itrace="$1" | awk -v caller="$2" -v called="$3" '
		$2 ~ /^brstack/ && $4 ~ /^brstack/ { print $caller, $called }' |
		sort -u >"$dir/calls"
	diff "$dir/calls" - <<-END
	$CALLED
	END
}
transfers_only() {
	records >"$dir/records"
	all_like "^$TRANSFER "
}
has_targets() {
	script addr,ip,flags --itrace=cr >"$dir/targets"
	[ -s "$dir/targets" ] && not grep -E '(^| )0 ' "$dir/targets"
}

# Filters: each record is as was asked for.
#   filter TERMS PATTERN - what all records are like
filter() {
	has_format "${1%%[=,]*}" || { skip "harts have no ${1%%[=,]*}"; return; }
	sample "period=${3-97},$1" && records >"$dir/records" || return 1
	echo "$1: $(wc -l <"$dir/records") records, those that are not like $2:"
	all_like "$2"
}

# refuses WORDS OPTION... - what cannot be is refused with these: the kernel would not say why
refuses() {
	words=$1
	shift
	said=$(perf record -e riscv_pdis/period=997/u -o "$data" "$@" -- true 2>&1) && return 1
	echo "$said"
	echo "$said" | grep -qE "$words"
}

# Without times there are samples as well.
timeless() {
	sample period=997,ts_enable=0 && shows_functions && records >"$dir/records" &&
		[ -s "$dir/records" ] && not grep -w time "$dir/records"
}

# Pipes

reports_pipe() {
	# shellcheck disable=SC2086
	perf record -q -B -N --no-bpf-event -e riscv_pdis/period=997/u -o - -- $program 2>/dev/null |
		perf report -i - --stdio -q -s sym 2>/dev/null >"$dir/report"
	cat "$dir/report"
	grep -qE '%.*\[\.\] brstack_bench$' "$dir/report"
}
keeps_pipe() {
	# shellcheck disable=SC2086
	perf record -q -B -N --no-bpf-event -e riscv_pdis/period=997/u -o - -- $program >"$data" || return 1
	shows_functions && adds_up &&
		[ "$(perf script -i - -F ip <"$data" 2>/dev/null | wc -l)" = "$(wc -l <"$dir/records")" ]
}

check "samples a program" sample period=997
check "shows its functions" shows_functions
check "buffers, records and samples add up" adds_up
check "no buffer was full" never_full
check "each record can be read" well_formed
check "samples are as many as instructions" counts instructions
check "the letters of --itrace choose among the records" letters
check "some are skipped" skips
check "misses and accesses" all_misses
check "injected samples are the same" injected
check "an archive has the program" archives

check "samples transfers of control" sample_transfers
check "nothing else is sampled" transfers_only
check "who calls whom" calls c 4 2
check "where to functions return" calls r 2 4
check "samples are as many as transfers" counts branches
check "transfers have targets" has_targets

check "loads only" filter select=1 '^(load|load\+store) '
check "stores only" filter select=2 '^(store|load\+store) '
check "misses only" filter l1_miss ' l1_miss '
check "mispredicted only" filter mispredicted ' mispredicted '
check "no returns, no branches" filter no_return,no_taken,no_not_taken,no_flushed,select=4 \
	'^((ind|dir)_(call|l?jump)|swap) '
check "what takes long" filter latency=20 ' total ([2-9][0-9]|[1-9][0-9]{2,}) '

check "no frequencies" refuses 'has periods .* no frequencies' -F 1000
check "no branch stacks besides" refuses 'cannot record branches besides' -b
check "no two at a time" refuses 'only one event of riscv_pdis' \
	-e riscv_pdis/period=99/u
check "no tiny buffers" refuses 'has a power of two of pages, two at least' -m,1

check "without times" timeless
check "through a pipe" reports_pipe
check "from a pipe to a file" keeps_pipe
passed
