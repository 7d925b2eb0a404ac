# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# What the tests of events by their names share. WORK is a folder of the test's own.

# open_names - let perf open each event of $WORK/names, and write down their codes
open_names() {
	perf stat -vv -e "$(paste -sd, "$WORK/names")" true >"$WORK/opened" 2>&1 || {
		tail -n 5 "$WORK/opened"
		return 1
	}
	sed -nE 's/^ +config +(0x[0-9a-f]+).*/\1/p' "$WORK/opened" |
		paste "$WORK/names" - >"$WORK/codes"
	[ "$(wc -l <"$WORK/names")" = "$(grep -c 0x "$WORK/codes")" ]
}

code_of() { awk -v name="$1" '$1 == name { print $2 }' "$WORK/codes"; }

# counted N FORMAT FILE - what perf stat says of the events of these lines, N at a time: the
# counts of those that had a counter all the time, and their names
counted() {
	cut -d' ' -f1 "$3" | xargs -n 1 printf "$2\n" | split -l "$1" - "$WORK/events."
	find "$WORK" -name 'events.*' | sort | while read -r part; do
		perf stat -x'	' -e "$(paste -sd, "$part")" "$HERE/each" 2>&1 </dev/null |
			awk -F '\t' -v OFS='\t' '{ print $5 == "100.00" ? $1 : "part of the time", $3 }'
	done
	find "$WORK" -name 'events.*' -delete
}

# is_counted FILE EVENT NUMBER
is_counted() {
	got=$(awk -F '\t' -v event="$2" '$2 == event { print $1 }' "$1")
	[ "$got" = "$3" ] || { echo "counted $got, not $3"; return 1; }
}

# loop_counts N LOOP - of each line of $WORK/todo, a code and a number, N at a time: is that
# what the loop makes of it?
loop_counts() {
	[ -s "$WORK/todo" ] || { echo "nothing to count"; return 1; }
	split -l "$1" "$WORK/todo" "$WORK/part."
	find "$WORK" -name 'part.*' | sort | while read -r part; do
		# shellcheck disable=SC2046
		"$HERE/accesses" "$2" $(cut -d' ' -f1 "$part") </dev/null | paste -d' ' - "$part"
	done >"$WORK/counted"
	find "$WORK" -name 'part.*' -delete
	[ "$(wc -l <"$WORK/counted")" = "$(wc -l <"$WORK/todo")" ] || {
		cat "$WORK/counted"
		return 1
	}
	! awk '$2 != $4 || $1 != $3' "$WORK/counted" | grep .
}

# interrupts_so_far - as the kernel has counted them
interrupts_so_far() {
	awk '{ for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' \
		/proc/interrupts
}

# wait_for_interrupts NUMBER - so many more: they come when they like
wait_for_interrupts() {
	end=$(($(interrupts_so_far) + $1))
	until [ "$(interrupts_so_far)" -ge "$end" ]; do :; done
}

# counts_interrupts EVENT - are there as many as the kernel has counted? Two that are found at
# once are one, and some come while the program that waits begins and ends: that lasts as
# long as the host likes, so it waits for ten times as many as came before.
counts_interrupts() {
	before=$(interrupts_so_far)
	perf stat -a -x, -e "$1" -o "$WORK/interrupts" sh -c ". $HERE/event_counts.sh
		first=\$(interrupts_so_far)
		wait_for_interrupts \$((500 + 10 * (first - $before)))
		echo \$first \$(interrupts_so_far)" >"$WORK/inside"
	after=$(interrupts_so_far)
	inside=$(awk '{ print $2 - $1 }' "$WORK/inside")
	counted=$(awk -F, '$1 ~ /^[0-9]+$/ { print $1 }' "$WORK/interrupts")
	echo "$counted: $inside inside, $((after - before)) outside"
	[ "$counted" -ge $((inside * 19 / 20)) ] && [ "$counted" -le $((after - before)) ] &&
		[ $((after - before)) -le $((inside * 5 / 4)) ]
}

# values_of WORD... - what perf stat says of metrics, so many in a line as are to be had at a
# time; the words are options and the program. No line takes longer than memory does, which are
# 100 cycles here, nor does a page walk, and no instruction is more than one operation. WIDTH is how
# many there can be in a cycle, 2 if the machine was not told otherwise.
values_of() {
	while read -r some; do
		perf stat -x, --metric-no-threshold -M "$(echo "$some" | tr ' ' ,)" \
			"$@" >"$WORK/metrics" 2>&1 </dev/null ||
			echo "nothing: it ended with status $?"
		for metric in $some; do
			grep -E "[ ,]$metric\$" "$WORK/metrics" || echo "nothing of $metric"
		done
	done >"$WORK/values"
	# the last two columns: a value, and a unit with the name
	awk -F, -v width="${WIDTH:-2}.01" '
		function most_of(metric) {
			if (metric ~ /^100?%|^%/)
				return 100.01
			if (metric ~ /PKI$|_m?pki$/)
				return 1000.01
			if (metric ~ /IPC$|frontend_bubbles$/)
				return width
			if (metric ~ /_latency$/)
				return 100.01
			return metric ~ /uops_per_instruction$/ ? 1.01 : ""
		}
		{
		value = $(NF - 1)
		most = most_of($NF)
		if ($0 ~ /^nothing/ || value !~ /^[0-9.]+$/ || most != "" && value > most) {
			print
			wrong = 1
		} }
		END { exit wrong }' "$WORK/values"
}

# values_of_nothing NUMBER METRIC... - metrics of a program that does nothing are numbers, too,
# and so many of them, these among them, are 0
values_of_nothing() {
	least=$1
	shift
	values_of --all-user "$HERE/nothing" || return 1
	awk -F, '$(NF - 1) == 0 { n = split($NF, word, " "); print word[n] }' "$WORK/values" |
		sort -u >"$WORK/zeros"
	[ "$(wc -l <"$WORK/zeros")" -ge "$least" ] || { wc -l "$WORK/zeros"; return 1; }
	printf '%s\n' "$@" | sort | comm -23 - "$WORK/zeros" | grep . && return 1
	return 0
}

# metrics_of_user METRIC,... COMMAND... - in user space: a line with name and value for each
metrics_of_user() {
	metrics=$1
	shift
	perf stat -x, --all-user --metric-no-threshold -M "$metrics" -- "$@" 2>&1 </dev/null |
		awk -F, 'NF > 6 && $(NF - 1) != "" { n = split($NF, word, " ")
			print word[n], $(NF - 1) }'
}

# metrics_in_json - of what perf stat -j prints: a line with name and value for each, with all digits
metrics_in_json() {
	sed -nE 's/.*"metric-value" : "([0-9.]+)", "metric-unit" : "([^"]* )?([A-Za-z][^" ]*)".*/\3 \1/p'
}

# digits_of METRIC COMMAND... - its value in user space
digits_of() {
	metric=$1
	shift
	perf stat -j --all-user -M "$metric" -- "$@" 2>&1 </dev/null | tee /dev/stderr |
		metrics_in_json | awk -v name="$metric" '$1 == name { print $2 }'
}

# metric_within LOOP TURNS METRIC LEAST MOST
metric_within() {
	rate=$(TURNS=$2 digits_of "$3" "$HERE/accesses" "$1")
	echo "$rate"
	awk -v rate="$rate" -v least="$4" -v most="$5" \
		'BEGIN { exit !(rate != "" && rate >= least + 0 && rate <= most + 0) }'
}

# check_rates FILE - of each line a loop, its turns, a metric, the least and the most that it may be
check_rates() {
	while read -r loop turns metric least most; do
		expect "$loop: $metric is $least to $most" \
			metric_within "$loop" "$turns" "$metric" "$least" "$most"
	done <"$1"
}

# is_metric METRIC VALUE - is it that, in "each"?
is_metric() {
	got=$(metrics_of_user "$1" "$HERE/each" | awk -v name="$1" '$1 == name { print $2 }')
	echo "$got"
	awk -v got="$got" -v want="$2" 'BEGIN {
		exit !(got != "" && got - want < 0.06 && want - got < 0.06) }'
}

# classified LOOP TURNS SHARE NAME... - each of these is no less than that, and the first one,
# which is of level 1, is the largest of its level
classified() {
	loop=$1 turns=$2 least=$3
	shift 3
	TURNS=$turns metrics_of_user "$(printf '%s\n' RETIRING FRONTEND_BOUND BAD_SPECULATION \
		BACKEND_BOUND "$@" | sort -u | sed 's/.*/TOPDOWN.&.RATE/' | paste -sd,)" \
		"$HERE/accesses" "$loop" >"$WORK/classified"
	cat "$WORK/classified"
	awk -v least="$least" -v names="$*" '
		{ share[$1] = $2 }
		$1 ~ /^TOPDOWN\.[A-Z_]*\.RATE$/ { level1++; if ($2 > most) { most = $2; largest = $1 } }
		END {
			n = split(names, name, " ")
			for (i = 1; i <= n; i++) {
				one = "TOPDOWN." name[i] ".RATE"
				few += !(one in share) || share[one] < least
			}
			exit few || level1 != 4 || largest != "TOPDOWN." name[1] ".RATE"
		}' "$WORK/classified"
}

# topdown_table LEVEL NUMBER - what perf stat --topdown shows of a level: so many shares, which on
# the first one are all
topdown_table() {
	perf stat --topdown --td-level "$1" "$HERE/each" 2>&1 </dev/null |
		sed 's/\x1b\[[0-9;]*m//g' >"$WORK/table"
	cat "$WORK/table"
	awk -v level="$1" -v number="$2" '
		/TOPDOWN/ {
			for (i = 1; i <= NF; i++)
				names += $i ~ /^TOPDOWN\..*\.RATE$/ && split($i, part, ".") == level + 2
			values = NR + 1
		}
		NR == values { n = NF; for (i = 1; i <= NF; i++) { sum += $i; wrong += $i !~ /^[0-9.]+$/ } }
		END {
			exit !(names == number && n == number && !wrong && sum < 101 &&
				sum > (level == 1 ? 99 : 0))
		}' "$WORK/table"
}

# default_shows_topdown - so does perf stat that is told nothing
default_shows_topdown() {
	perf stat "$HERE/each" >"$WORK/default" 2>&1
	cat "$WORK/default"
	for what in RETIRING FRONTEND_BOUND BAD_SPECULATION BACKEND_BOUND; do
		grep -q "[0-9] *%.*TOPDOWN.$what.RATE" "$WORK/default" || return 1
	done
}
