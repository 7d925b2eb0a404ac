# SPDX-License-Identifier: GPL-2.0-only
#
# For skips.awk and report.awk.

# Splits a regular expression at each "|" that is in no parentheses: how many there are.
function alternatives(pattern, list, last, depth, i, c) {
	split("", list)
	last = 1
	for (i = 1; i <= length(pattern); i++) {
		c = substr(pattern, i, 1)
		depth += (c == "(") - (c == ")")
		if (c == "|" && !depth)
			last++
		else
			list[last] = list[last] c
	}
	return last
}
