#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a guest of KVM's firmware is KVM, whose counters are events of the host's perf. They
# are read-only while they have no event, and change when they are read. The driver counts
# exactly with them all the same.
#
# If the host has AIA's way to interrupt guests (AIA in the environment), KVM interrupts
# them when a counter overflows, and the driver samples as many as there are periods, whether
# tasks are switched meanwhile or not.
#
# What the host's perf counts of a guest (modifier G) is what the guest counts itself. The
# guest executes a known number of co-routine swaps, which no compiler makes. It is another
# guest: the first one needs all counters that there are.
#
# Takes the second disk with a VMM, and this kernel with its initrd in /host/vmm.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

VMM=/vmm
SHARE=$VMM/tmp/share

# What the guest's process 1 expects: see guest-init.
prepare() {
	[ -e /dev/kvm ] || insmod "$HERE/kvm.ko" || return 1
	mkdir -p "$VMM" && mount -t squashfs -o ro /dev/vdb "$VMM" &&
		mount --rbind /dev "$VMM/dev" && mount -t proc proc "$VMM/proc" &&
		mount -t tmpfs tmp "$VMM/tmp" &&
		mkdir -p "$SHARE/.vm" "$SHARE/riscv/perf" "$VMM/tmp/modules" &&
		cp /host/vmm/* "$VMM/tmp/" && cp /modules/*.ko "$SHARE/" &&
		for program in exact accesses counting unfiltered tasks delivered; do
			cp "$HERE/$program" "$SHARE/riscv/perf/" || return 1
		done &&
		cp -r /host/kselftest "$SHARE/"
}

# guest CMD - its output is in $SHARE/output, and the kernel's messages in $SHARE/messages.
# The host's command WATCH, if set, runs the VMM.
guest() {
	rm -rf "$SHARE/output" "$SHARE/.vm/status"
	cat >"$SHARE/.vm/command" <<-EOF
		exec >/host/output 2>&1
		cd /host/riscv/perf
		# Until there is a driver who has opened the time to user space, programs that
		# look at it die: depmod does.
		insmod /host/riscv_perf_isa.ko
		$1
		dmesg >/host/messages
	EOF
	# shellcheck disable=SC2086
	timeout "$((${TEST_TIMEOUT:-500} - 100))" ${WATCH-} chroot "$VMM" \
		qemu-system-riscv64 -machine virt -accel kvm -cpu host \
		-m 512M -kernel /tmp/vmlinuz -initrd /tmp/initrd \
		-append "console=ttyS0 panic=-1 cryptomgr.notests $BLACKLIST" \
		-drive file=/dev/vda,format=raw,if=none,id=root,readonly=on \
		-device virtio-blk-pci,drive=root \
		-fsdev local,id=host,path=/tmp/share,security_model=none \
		-device virtio-9p-pci,fsdev=host,mount_tag=host \
		-fsdev local,id=modules,path=/tmp/modules,security_model=none,readonly=on \
		-device virtio-9p-pci,fsdev=modules,mount_tag=modules \
		-device virtio-serial-pci -chardev stdio,id=out,signal=off \
		-device virtconsole,chardev=out -serial file:/tmp/console \
		-display none -no-reboot -nodefaults </dev/null
	cat "$SHARE/output"
	[ "$(cat "$SHARE/.vm/status")" = 0 ] || { tail -n 50 "$VMM/tmp/console"; return 1; }
}
BLACKLIST=initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit

driver_says() { grep -qF "$1" "$SHARE/messages"; }
# counted EVENT TIMES
counted() { [ "$(grep -cx "$1" "$SHARE/output")" = "$2" ] || { cat "$SHARE/output"; false; }; }
# passed N PROGRAM - so many of its tests have, and none was skipped
passed() {
	grep -q "^$2: # Totals: pass:$1 fail:0 xfail:0 xpass:0 skip:0 " "$SHARE/output" ||
		{ cat "$SHARE/output"; false; }
}

SWAP=r30
TURNS=300007
OWN=20011
# host_counted N MODIFIERS - in the guest's time
host_counted() {
	cat /tmp/watched
	[ "$(awk -F, -v event="$SWAP:$2" '$3 == event { print $1 }' /tmp/watched)" = "$1" ]
}
# What the guest executes besides, nobody knows.
host_counted_more() {
	cat /tmp/watched
	awk -F, -v least="$1" '$3 == "instructions:uG" && $1 + 0 > least { more = 1 }
		END { exit !more }' /tmp/watched
}

# Many that share the CPU, each with an event of its own, of which half are sampled
switched='-t one_of_two -t threads_exact'
[ -z "$AIA" ] || switched="$switched -t exec_samples_exact -t many_exact"

ktap_print_header
ktap_set_plan $((16 + ${AIA:-0}))
expect 'there is a VMM' prepare
# shellcheck disable=SC2016
expect 'the guest runs to its end' guest "SWITCHED='$switched' AIA=$AIA"'
	insmod /host/riscv_pmu.ko
	for i in 1 2 3; do
		perf stat -x, -e instructions:u,branches:u,r11:u ./exact 2>&1 |
			cut -d, -f1,3
	done
	export FIRMWARE=1 ONLY_FIXED=1
	[ "$AIA" ] || export NO_INTERRUPT=1
	echo "counting: $(./counting -T counters_asked_for | grep "Expected\|Totals")"
	echo "not_meanwhile: $(./unfiltered -t not_meanwhile | grep "Expected\|Totals")"
	echo "tasks: $(./tasks $SWITCHED | grep "Expected\|Totals")"
	[ -z "$AIA" ] ||
		echo "delivered: $(./delivered -v period -v period_of_user_space |
			grep "Expected\|Totals")"
	rmmod riscv_pmu && insmod /host/riscv_pmu.ko
	perf stat -x, -e instructions:u ./exact 2>&1 | cut -d, -f1,3
	if perf record -q -o /host/samples -c 30000 -e "{instructions:u,branches:u}" ./exact
	then
		perf script -i /host/samples -F event | sort | uniq -c | tr -s " "
	else
		echo no samples
	fi
	'
expect 'the driver has all that KVM has' driver_says \
	"riscv_pmu: 16 programmable counters, 2 fixed$([ "$AIA" ] || echo ', no overflow interrupt'); by"
expect 'instructions are counted, again after it has been loaded anew' \
	counted '2000004,instructions:u' 4
expect 'branches' counted '1000000,branches:u' 3
expect 'what does not happen' counted '0,r11:u' 3
if [ "$AIA" ]; then
	expect 'there is a sample of each period' counted ' 66 instructions:u: ' 1
	expect 'of each of two events' counted ' 33 branches:u: ' 1
else
	expect 'there are no samples' counted 'no samples' 1
	expect 'of no event' not grep -E '^ *[0-9]+ .*:u: ' "$SHARE/output"
fi
expect 'all that programs do is counted exactly' passed 37 counting
expect 'and only while an event runs' passed 1 not_meanwhile
expect 'each task has its own count, whoever runs between' passed $((AIA ? 4 : 2)) tasks
[ -z "$AIA" ] ||
	expect 'each period has its sample, whenever the task goes' passed 2 delivered

cat >/tmp/watch <<-EOF
	TURNS=$OWN "$HERE/accesses" swaps
	exec "\$@"
EOF
WATCH="perf stat -x, -o /tmp/watched -e $SWAP:uG,$SWAP:uH,instructions:uG sh /tmp/watch"
# shellcheck disable=SC2016
expect 'a guest that is counted runs to its end' guest "TURNS=$TURNS SWAP=$SWAP"'
	export TURNS
	insmod /host/riscv_pmu.ko
	for i in 1 2 3; do
		perf stat -x, -e "$SWAP:u" ./accesses swaps 2>&1 | cut -d, -f1,3
	done
	./accesses swaps
	'
expect 'it counts what it does' counted "$TURNS,$SWAP:u" 3
expect 'the host counts the same of it, and what it does not count itself' \
	host_counted $((4 * TURNS)) uG
expect 'and of its own what it does itself' host_counted $OWN uH
expect 'what the guest does besides is counted as well' host_counted_more $((4 * 3 * TURNS))
ktap_finished
