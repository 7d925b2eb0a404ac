# SPDX-License-Identifier: GPL-2.0-only
#
# Reads boots.tsv, then skips.tsv: says which rows of the latter are none, or name a boot
# that is not in the former.

function wrong(what) {
	print FILENAME ":" FNR ": " what
	spoiled = 1
}

function is_boot(pattern, boot) {
	for (boot in boots)
		if (boot ~ "^(" pattern ")$")
			return 1
	return 0
}

/^#/ || $1 == "name" || $1 == "boots" { next }
FNR == NR { boots[$1]; next }

NF != 5 || $4 !~ /^(skips|fails)$/ { wrong("not boots, test, result, skips or fails, why") }

{
	last = alternatives($1, name)
	for (i = 1; i <= last; i++)
		if (!is_boot(name[i]))
			wrong("no boot is called " name[i])
}

END { exit spoiled }
