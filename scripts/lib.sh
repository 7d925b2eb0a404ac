# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What every script here shares: where things are kept, how a step reports,
# how a result is keyed by what it was built from. To be sourced.

TOP=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/riscv-perf
SUITE=trixie

export LC_ALL=C
umask 022

say() { printf '%s\n' "$*" >&2; }

die() {
	say "$(basename "$0"): $*"
	exit 1
}

# content_key FILE|DIR|=TEXT... - a short hash over contents and file names
content_key() {
	for arg; do
		case $arg in
		=*) printf '%s\n' "$arg" ;;
		*)
			[ -e "$arg" ] || die "no such input: $arg"
			(cd "$TOP" && find "${arg#"$TOP"/}" -type f ! -name '*.pyc' -print0 |
				sort -z | xargs -0 sha256sum)
			;;
		esac
	done | sha256sum | cut -c1-16
}

# logged LOG CMD... - run quietly; on failure show the end of the log
logged() {
	log=$1
	shift
	mkdir -p "$(dirname "$log")"
	if ! "$@" >"$log" 2>&1; then
		tail -n 30 "$log" >&2
		die "failed: $* (whole log: $log)"
	fi
}
