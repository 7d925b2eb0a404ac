# SPDX-License-Identifier: GPL-2.0-only
#
# The only entry a user needs: each target calls one script.


.PHONY: help demo series patches pgo test test-long vm docs modules intree perf emulator firmware conformance \
	selftest rules deb fuzz-perf fuzz-decoder bench lint clean distclean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

demo: ## set everything up, boot, profile a real program
	@scripts/demo

pgo: ## optimize a program with branches that perf recorded
	@scripts/pgo

test: ## all tests that must pass: about an hour on two cores
	@scripts/test/all

test-long: ## tests that take hours: more data, more kernels, long fuzzing; ends with a table
	@scripts/test/long

conformance: ## bare-metal tests of the hardware rules on the emulator
	@scripts/test/conformance

selftest: ## driver tests in the VM
	@scripts/selftest

rules: ## say which rules the last test run proved, and why not the others
	@scripts/test/rules

fuzz-perf: ## give corrupted files to the perf tool, with sanitizers
	@scripts/test/fuzz-perf

fuzz-decoder: ## give random bytes to the decoder of sampled instructions, with libFuzzer
	@scripts/test/fuzz-decoder

bench: ## measure what the drivers and the emulator cost
	@scripts/bench

vm: ## a shell in the guest
	@scripts/vm shell --perf

docs: ## HTML and man pages of Documentation/, by Sphinx
	@scripts/build/docs

modules: ## build the drivers
	@scripts/build/modules

intree: ## build the drivers as a part of the kernel's own tree
	@scripts/build/intree

series: ## write patches for a kernel tree: KSRC=, its unpacked source; OUT=, the folder for them; SOB=, who signs
	@test -n "$(KSRC)" && test -n "$(OUT)" || { echo "make series KSRC=DIR OUT=DIR SOB='NAME <ADDRESS>'"; exit 1; }
	@scripts/build/series "$(KSRC)" "$(OUT)"

patches: ## write the patches for QEMU and OpenSBI: OUT=, the folder for them; SOB=, who signs
	@test -n "$(OUT)" || { echo "make patches OUT=DIR SOB='NAME <ADDRESS>'"; exit 1; }
	@scripts/build/patches "$(OUT)"

perf: ## build the perf tool, for the guest and for this machine
	@scripts/build/perf guest
	@scripts/build/perf host

deb: ## build Debian packages; print where they are
	@scripts/build/deb

emulator: ## build QEMU with the model
	@scripts/build/emulator

firmware: ## build OpenSBI
	@scripts/build/firmware

lint: ## style and static checks
	@scripts/lint

clean: ## remove results and this checkout's builds; keep downloads and toolchain
	rm -rf out
	rm -rf "$$(scripts/path build)"

distclean: clean ## remove the whole cache as well
	rm -rf "$$(scripts/path cache)"
