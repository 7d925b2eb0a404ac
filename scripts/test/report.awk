# SPDX-License-Identifier: GPL-2.0-only
#
# Reads what a boot of scripts/selftest has printed: one line per result, and for
# those that failed what the test said about it. Then compares their numbers with the
# boot's row of boots.tsv, and what is skipped with skips.tsv.
#
# Variables: boot, its name; seconds, busy, how long it took, and the processor; cores,
# how many it is said to keep busy; code, its exit status; expected_passed and
# expected_skipped, by test; accept, these are not compared; verbose; skips, the file;
# names, a file: what was there when last all was as expected; results_to, a file for the
# numbers.

BEGIN {
	tests = 0
	row_kind[0] = "none"
	while ((getline line <skips) > 0) {
		if (line ~ /^#/ || split(line, part, "\t") != 5 || part[1] == "boots")
			continue
		if (boot ~ "^(" part[1] ")$")
			add_rows(part)
	}
	planned = split(expected_passed, want_passed, " ")
	split(expected_skipped, want_skipped, " ")
	print "# boot " boot
}

# Each alternative is a row: one of them that nothing needs is told as well.
function add_rows(part, name, last, i) {
	last = alternatives(part[3], name)
	for (i = 1; i <= last; i++) {
		rows++
		row_test[rows] = part[2]
		row_name[rows] = name[i]
		row_kind[rows] = part[4]
		row_why[rows] = part[5]
	}
}

# The row of skips.tsv that is about a result, or 0
function row_of(name, i) {
	for (i = 1; i <= rows; i++)
		if (row_test[i] == test && name ~ row_name[i])
			return i
	return 0
}

# How a result is to be taken: "ok", "not ok", or "skip", and then why
function judge(failed, skips_itself, name, row) {
	row = row_of(name)
	why = row ? row_why[row] : ""
	if (row_kind[row] == (skips_itself ? "skips" : failed ? "fails" : "")) {
		used[row] = 1
		return "skip"
	}
	if (skips_itself)
		said = said "#   it skips itself: skips.tsv does not say why\n"
	return failed || skips_itself ? "not ok" : "ok"
}

function result(verdict, name) {
	n[verdict, tests]++
	seen[tests] = seen[tests] " " name
	if (verdict == "not ok" || verbose)
		printf "%s", said
	said = ""
	# Those that failed as well: what they name does not hold, whoever else says so.
	print (verdict == "not ok" ? verdict : "ok") " - " boot ": " test " " name \
		(holds ? " [" holds "]" : "") (verdict == "skip" ? " # SKIP " why : "")
	holds = ""
	gsub(/[[:space:]]+/, "_", name)
	all[++results] = tests " " test " " name
	# In place of one that is missing the numbers would not tell.
	if (all[results] in here)
		fail("test " tests ", " test ": twice: " name)
	here[all[results]]
}

{ sub(/\r$/, "") }

/^# test / {
	test = $3
	sub(/.*\//, "", test)
	title[++tests] = test
	# Of a machine that does not do what it should, all that has been said may be why.
	if (test != "machine")
		said = ""
	holds = ""
	next
}

/^# holds / {
	sub(/^# holds /, "")
	holds = holds (holds ? " " : "") $0
	next
}

/^# took [0-9]+ s$/ { took = took " " test " " $3; next }

/^(not )?ok / {
	failed = $1 == "not"
	name = $0
	sub(/^(not )?ok [0-9]+ (- )?/, "", name)
	skips_itself = sub(/ *# SKIP.*/, "", name)
	result(judge(failed, skips_itself, name), name)
	next
}

/^(TAP version|KTAP version|1\.\.)/ { next }
/^# (Starting|FAILED|PASSED|Totals)/ { next }
/^#  (RUN|     ) / { if (!/FAIL/) next }

{
	line = $0
	sub(/^# */, "", line)
	said = said "#   " line "\n"
}

function fail(what) { print "not ok - " boot ": " what }

# A result as it is compared with those of before: what a name says in numbers may be
# what was measured. The number of its test stays.
function without_numbers(line, place) {
	match(line, /^[0-9]+ [^ ]* /)
	place = substr(line, 1, RLENGTH)
	line = substr(line, RLENGTH + 1)
	gsub(/[0-9]+/, "#", line)
	return place line
}

# What has come, or gone, since all was as expected; else all that there is. Those that
# are the same to the letter are left out first.
function difference(i, was, same, left, line, known) {
	while ((getline line <names) > 0) {
		was[line]++
		known = 1
	}
	for (i = 1; i <= results; i++) {
		if (!known)
			print "#   seen: " all[i]
		same[i] = was[all[i]] > 0
		was[all[i]] -= same[i]
	}
	for (line in was)
		left[without_numbers(line)] += was[line]
	for (i = 1; i <= results && known; i++)
		if (!same[i] && left[without_numbers(all[i])]-- <= 0)
			print "#   new: " all[i]
	for (line in was)
		for (; was[line] > 0 && left[without_numbers(line)]-- > 0; was[line]--)
			print "#   missing: " line
}

function compare(i, last, p, s, f, wrong) {
	if (expected_passed == "-") {
		fail("boots.tsv has no numbers yet: see --accept")
		return 1
	}
	last = tests > planned ? tests : planned
	if (0 in seen) {
		wrong++
		fail("results of no test:" seen[0])
	}
	for (i = 1; i <= last; i++) {
		p = n["ok", i] + 0
		s = n["skip", i] + 0
		f = n["not ok", i] + 0
		if (p + s + f == want_passed[i] + want_skipped[i] &&
		    (f || s == want_skipped[i] + 0))
			continue
		wrong++
		fail("test " i ", " (i <= tests ? title[i] : "which has not begun") ": " \
			p + f " results and " s " skipped, not " \
			want_passed[i] + 0 " and " want_skipped[i] + 0)
	}
	if (wrong)
		difference()
	return wrong
}

function save(i, file, p, s) {
	for (i = 1; i <= results; i++)
		print all[i] >names
	close(names)
	for (i = 1; i <= tests; i++) {
		p = p (i > 1 ? " " : "") n["ok", i] + 0
		s = s (i > 1 ? " " : "") n["skip", i] + 0
	}
	print seconds "\t" p "\t" s >results_to
}

END {
	if (verbose || code)
		printf "%s", said
	for (i = 1; i <= rows; i++)
		if (!used[i])
			fail("skips.tsv has a row for " row_test[i] " " row_name[i] \
				", which nothing here needs")
	# By its row others are started beside it. What is short is not measured well.
	if (seconds >= 10 && busy / seconds > cores + 0.5)
		fail(sprintf("keeps %.1f cores busy, not %d", busy / seconds, cores))
	if (accept || !compare())
		save()
	printf "# boot %s: %d s, %.1f cores;%s\n", boot, seconds,
		busy / (seconds ? seconds : 1), took
}
