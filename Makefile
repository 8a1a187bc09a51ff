# SPDX-License-Identifier: BSD-2-Clause
# Thin front: each target is one script, callable alone.

.PHONY: help host setup engine kernel provider qemu image all demo test check bench bench-check soak shell install format clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

# With nothing installed but make and git, all else begins here.
host:
	@scripts/host-tools

setup: host ## make the build root (a Debian 13 system outside the clone)
	@scripts/build-root

engine: host ## build the card and its tests (build/engine)
	@scripts/build-engine plain

kernel: host ## build tern.ko and tern_ib.ko for the guest's kernel (build/kernel)
	@scripts/build-kernel

provider: host ## build the provider inside rdma-core (build/provider)
	@scripts/build-rdma-core > /dev/null

qemu: host ## build a QEMU that has the card
	@scripts/build-qemu

image: host ## make what a VM boots: kernel, image and initial RAM disk
	@scripts/build-image
	@scripts/build-initrd

all: engine kernel provider qemu image ## build everything

demo: all ## two VMs, a card each: the standard tools between them, a table, build/demo.json
	@tests/demo/demo.py

shell: all ## a console in a VM with a card whose ports are cabled to each other
	@qemu/lab/lab shell

install: ## install modules, provider and udev rules from build/ into this system (or DESTDIR)
	@scripts/install

test: host ## all tests; ends with "N passed, N failed, N skipped"
	@tests/run

soak: host ## what takes hours; TERN_SOAK_SCALE=10 for a tenth of it (docs/soak.md)
	@tests/soak

bench: host ## measure, with peers beside us: a table, build/bench.json (docs/bench.md)
	@tests/bench/bench

bench-check: host ## the fast path takes no more instructions than what is committed
	@tests/run bench

check: host ## what needs no VM: format, licences, contract, scripts, and the C++ tests under ASan and UBSan
	@tests/run checks asan

format: host ## lay the C++ out as .clang-format says
	@scripts/checks/format --fix

clean: ## remove build/; caches stay
	rm -rf build
