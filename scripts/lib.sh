# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034,SC2154
#
# What every script here shares: where things are kept, how a step reports,
# how a result is keyed by what it was built from. To be sourced.

# The tree that the script lies in, or else the one from where it is called
tree_of() (
	CDPATH='' cd -- "$1" || exit
	while [ ! -e scripts/lib.sh ]; do
		[ "$PWD" != / ] || exit
		cd ..
	done
	pwd
)
TOP=$(tree_of "$(dirname -- "$0")")
[ -n "$TOP" ] || TOP=$(tree_of .)
CACHE=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
CACHE=${CACHE:+$CACHE/riscv-perf}
SUITE=trixie

# A root in which perf is built for people to use has these besides,
PERF_PACKAGES="libnuma-dev libnuma-dev:riscv64 libslang2-dev libslang2-dev:riscv64"
# and one with libFuzzer needs these.
FUZZER_PACKAGES="clang-19 libclang-rt-19-dev"
# And one that makes Debian packages, and a disk for a Debian to try them, these.
DEB_PACKAGES="debhelper dh-dkms dkms dosfstools e2fsprogs fdisk libslirp-dev lintian po-debconf
	u-boot-qemu libnuma1 libnuma1:riscv64 libslang2 libslang2:riscv64 libstdc++6:riscv64"

# Hooks of mmdebstrap: what one root has downloaded is there for all others. Each begins with
# links to that, and leaves links to what is new.
DEBS_IN="mkdir -p '$CACHE/deb' \"\$1/var/cache/apt/archives/partial\" &&
	find '$CACHE/deb' -name '*.deb' -exec ln -t \"\$1/var/cache/apt/archives\" {} +"
DEBS_OUT="find \"\$1/var/cache/apt/archives\" -maxdepth 1 -name '*.deb' -links 1 \
	-exec ln -f -t '$CACHE/deb' {} +"

# What the kernel prints when something is wrong with it.
COMPLAINT='Kernel panic|Oops|BUG:|WARNING:|INFO: rcu|rcu: INFO|self-detected stall'
COMPLAINT="$COMPLAINT|blocked for more than|possible recursive locking"
COMPLAINT="$COMPLAINT|possible circular locking|KASAN|UBSAN|Unable to handle kernel"

export LC_ALL=C
umask 022

say() { printf '%s\n' "$*" >&2; }

die() {
	say "$(basename "$0"): $*"
	exit 1
}

# Paths are in lists of words and of options, of many programs.
for path in "$TOP" "$CACHE"; do
	case $path in
	'') die "neither HOME nor XDG_CACHE_HOME says where things may be kept" ;;
	*[!A-Za-z0-9/._+@~-]*) die "this path has a character that is no letter, no digit, and none of ._+@~- : '$path'" ;;
	/*) ;;
	*) die "HOME or XDG_CACHE_HOME is no absolute path: '$path'" ;;
	esac
done

# sums_of FIND'S ARGUMENTS - checksums of files in the tree, but for what only people read
sums_of() (
	cd "$TOP" && find "$@" -type f ! -name '*.pyc' ! -name '*.md' -print0 |
		sort -z | xargs -0r sha256sum
)

# content_key FILE|DIR|=TEXT... - a short hash over contents and file names
content_key() {
	# In a pipeline it would be no error.
	for arg; do
		case $arg in
		=*) ;;
		*) [ -e "$arg" ] || die "no such input: $arg" ;;
		esac
	done
	for arg; do
		case $arg in
		=*) printf '%s\n' "$arg" ;;
		*)
			# Whatever folder it is called from
			arg=$(realpath -s -- "$arg")
			sums_of "${arg#"$TOP"/}"
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

# in_root CMD... - run in the toolchain root
in_root() {
	"$TOP/scripts/build/root" run "$@"
}

# suite_apt SUITE PROGRAM ARGUMENT... - the root's apt-get or apt-cache, for the suite that
# suite_update has read
suite_apt() {
	suite=$CACHE/apt-$1
	program=$2
	shift 2
	in_root "$program" -o Dir::Etc::SourceList="$suite/sources.list" \
		-o Dir::State::Lists="$suite/lists" -o Dir::Cache="$suite/cache" \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::Check-Valid-Until=false -o Acquire::Retries=3 "$@"
}

# suite_update SUITE LOG - read the index of another suite of the root's archive. If that does
# not fit what the archive has signed, as between two states of a mirror, it may do so under
# the suite's other name.
suite_update() {
	mkdir -p "$CACHE/apt-$1/lists/partial" "$CACHE/apt-$1/cache/archives/partial" "$(dirname "$2")"
	: >"$2"
	read_suite "$1" "$1" "$2" && return
	case $1 in
	sid) other=unstable ;;
	rc-buggy) other=experimental ;;
	*) other=stable${1#"$SUITE"} ;;
	esac
	say "the archive's $1 cannot be used (log: $2): trying its $other"
	read_suite "$1" "$other" "$2"
}

# read_suite SUITE NAME LOG - under this name; only backports need the root's own release as
# well. By default apt takes an old index without complaint. A mirror may be behind.
read_suite() {
	base=''
	case $1 in *-backports) base='&\n' ;; esac
	sed -n "s/^deb \(.*\) [a-z]* main$/${base}deb \1 $2 main/p" \
		"$("$TOP/scripts/build/root")/etc/apt/sources.list" >"$CACHE/apt-$1/sources.list"
	{
		suite_apt "$1" apt-get -o APT::Update::Error-Mode=any update && is_suite "$1" "$2"
	} >>"$3" 2>&1
}

# is_suite SUITE NAME - what has been read under this name is no other suite
is_suite() {
	cat "$CACHE/apt-$1/lists"/*_dists_"$2"_*Release | grep -qx "Codename: $1" && return
	echo "the archive's $2 is not $1"
	return 1
}

# unfit_index FILE - if apt has said there that the index is not the one that the archive has
# signed, what it said. That is so for some hours now and then, and no fault of ours.
unfit_index() {
	why=$(sed -nE 's/.*File has unexpected size \(([0-9]+) != ([0-9]+)\).*/it has \1 bytes, not \2/p' \
		"$1" | tail -n 1)
	[ -n "$why" ] || return
	signed=$(sed -nE 's/.*Release file created at: (.*)/the Release of \1/p' "$1" | tail -n 1)
	echo "the archive's index is not that of $signed: $why"
}

# What the archive cannot give is skipped for so long, and no longer: a skip that nobody misses
# would hide everything that it skips.
DAYS=30

# note_success FILE RELEASE WHEN - of what the archive had: what was tested, and in seconds when
note_success() { printf '%s\t%s\n' "$2" "$3" >"$1"; }

# begin_tries FILE - where nothing has ever been tested, this is since when it is tried
begin_tries() { [ -s "$1" ] || note_success "$1" none "$(date +%s)"; }

# last_success FILE - in words; in $release and $when as well. Release "none" is from
# begin_tries().
last_success() {
	release='' when=0
	[ ! -s "$1" ] || read -r release when <"$1"
	case $release in
	'') echo "last tested with: none" ;;
	none) echo "last tested with: none since $(date -d "@$when" +%Y-%m-%d)" ;;
	*) echo "last tested with: $release, of $(date -d "@$when" +%Y-%m-%d)" ;;
	esac
}

# lately FILE - that was in the last DAYS days
lately() {
	last_success "$1"
	[ -n "$release" ] && [ $(($(date +%s) - when)) -le $((DAYS * 24 * 60 * 60)) ]
}

# index_day - the day of the index that names the newest kernel: an old one is taken where
# there is no other
index_day() { date -r "$CACHE/kernel-newest-state/known" +%s; }

# package_of WORD - the linux-source package that it is, or that "newest" or "candidate" stands for
package_of() {
	case $1 in
	newest) "$TOP/scripts/build/kernel-newest" --source ;;
	candidate) "$TOP/scripts/build/kernel-newest" --candidate ;;
	*) echo "$1" ;;
	esac
}

# tree_key - tells this checkout from others that share the cache
tree_key() {
	printf '%s' "$TOP" | sha256sum | cut -c1-8
}

# with_lock FILE - hold an exclusive lock until this script ends. Who has it has FILE.holder
# as descriptor 7, and so has all that it starts; its number is in there.
with_lock() {
	exec 9>>"$1"
	flock -n 9 || wait_for_lock "$1"
	exec 7>"$1.holder"
	read -r holder _ </proc/self/stat
	echo "$holder" >&7
}

# wait_for_lock FILE - say for whom. If that was killed, what it has started would have the
# lock for as long as it likes, and go on with files that are now somebody else's.
wait_for_lock() {
	said='' round=0
	while :; do
		# In this order: those that are ended are of who is told, or of one before.
		left=$(holders "$1.holder")
		holder=$(cat "$1.holder" 2>/dev/null) || holder=''
		if [ -z "$holder" ]; then
			left='' text="waits for another, which has $1"
		elif holders "$1.holder" | grep -qx "$holder"; then
			left='' text="waits for $holder ($(command_of "$holder")), which has $1"
		else
			text=${left:+"ends what $holder has left, which had $1"}
		fi
		[ "${text:-$said}" = "$said" ] || say "$(basename "$0"): $text"
		said=${text:-$said}
		# shellcheck disable=SC2086
		end_them "$round" $left
		! flock -w 1 9 || return 0
		[ -z "$left" ] || round=$((round + 1))
	done
}

# end_started FILE - end all that has it as descriptor 7, but for this script
end_started() {
	for round in 0 1 2 3 4 5 6 7; do
		left=$(exec 7>&- && holders "$1" | grep -vx $$) || return 0
		# shellcheck disable=SC2086
		end_them "$round" $left
		sleep 0.5
	done
}

# holders FILE - the processes that have it as descriptor 7
holders() {
	find -L /proc/[0-9]*/fd/7 -maxdepth 0 -samefile "$1" 2>/dev/null | cut -d / -f 3
}

# end_them ROUND PID... - those that do not end when they are told to are killed
end_them() {
	signal=TERM
	[ "$1" -lt 5 ] || signal=KILL
	shift
	[ $# = 0 ] || kill -s "$signal" "$@" 2>/dev/null || :
}

# command_of PID - it may have ended
command_of() { tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | sed 's/ $//'; }

# our_version - of the drivers, and of all that is made here
our_version() {
	sed -n 's/^MODULE_VERSION("\(.*\)");$/\1/p' "$TOP/drivers/perf/riscv/compat/version.h"
}

# fetch_source PACKAGE [OPTION] - download a Debian source package to $SOURCE
fetch_source() {
	SOURCE=$CACHE/source/$1
	[ ! -d "$SOURCE" ] || return 0
	rm -rf "$SOURCE.part"
	mkdir -p "$SOURCE.part"
	(cd "$SOURCE.part" && logged "$CACHE/log/source-$1.log" \
		in_root apt-get -o APT::Sandbox::User=root source \
		--download-only ${2+"$2"} "$1")
	mv "$SOURCE.part" "$SOURCE"
}

# apply_series DIR TREE - apply the patches DIR/series names to TREE
apply_series() {
	while read -r patch; do
		case $patch in '' | '#'*) continue ;; esac
		logged "$CACHE/log/patch.log" patch -d "$2" -p1 -F0 \
			--no-backup-if-mismatch -i "$1/$patch"
	done <"$1/series"
}

# add_model TREE - our patches and files, to the source of QEMU
add_model() {
	apply_series "$TOP/emulator/qemu/patches" "$1"
	for dir in hw include target; do
		[ ! -d "$TOP/emulator/qemu/$dir" ] || cp -R "$TOP/emulator/qemu/$dir/." "$1/$dir/"
	done
}

# step TEXT CMD... - run one of $total steps and say how long it took; what it
# prints is in $result
step() {
	step=$((${step-0} + 1))
	text=$1
	shift
	printf '[%*d/%d] %-58s' "${#total}" "$step" "$total" "$text"
	begin=$(date +%s)
	if ! result=$("$@" 2>"$CACHE/log/step.err"); then
		echo failed
		cat "$CACHE/log/step.err" >&2
		say "What is built stays. When the cause is gone, go on with: make $(basename "$0")"
		exit 1
	fi
	printf '%4d s\n' $(($(date +%s) - begin))
}

# vm_steps - the six steps to a machine that runs what is in this tree
vm_steps() {
	mkdir -p "$CACHE/log"
	step "Debian toolchain root" "$TOP/scripts/build/root"
	step "emulator: QEMU with the performance-monitor model" "$TOP/scripts/build/emulator"
	step "firmware: OpenSBI" "$TOP/scripts/build/firmware"
	step "Debian's riscv64 kernel and its headers" "$TOP/scripts/build/kernel"
	step "drivers" "$TOP/scripts/build/modules"
	step "guest root file system" "$TOP/scripts/build/guest"
}

# check NAME CMD... - one test; if it fails, show what it printed
check() {
	check_name="$(basename "$0"): $1"
	shift
	check_output=$(mktemp)
	check_begin=$(date +%s)
	if "$@" >"$check_output" 2>&1; then
		passed=$((${passed-0} + 1))
		echo "ok - $check_name"
	else
		failed=$((${failed-0} + 1))
		echo "not ok - $check_name"
		cat "$check_output"
	fi
	check_took=$(($(date +%s) - check_begin))
	[ $check_took -lt 10 ] || echo "# that took $check_took s"
	rm -f "$check_output"
}

# skip NAME REASON - a test that cannot be had here
skip() {
	skipped=$((${skipped-0} + 1))
	echo "ok - $(basename "$0"): $1 # SKIP $2"
}

# checked - how many passed; whether all did
checked() {
	echo "${passed-0} passed, ${failed-0} failed, ${skipped-0} skipped"
	[ "${failed-0}" = 0 ]
}
