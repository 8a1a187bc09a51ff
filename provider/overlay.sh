#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Copyright (c) 2026 The Tern authors
#
# overlay.sh TREE: puts the provider, and the contract that it shares with the
# card, into an rdma-core source tree (56 to 65) as providers/tern, and adds it
# to the tree's lists. May run again at any time: only what changed is written.

set -eu

provider=$(cd "$(dirname "$0")" && pwd)
include=$(dirname "$provider")/include
tree=${1:-}

die() {
	echo "overlay.sh: $*" >&2
	exit 1
}

# copy FROM TO: unless they are equal, so that nothing is built again for it.
copy() {
	cmp -s "$1" "$2" && return
	mkdir -p "$(dirname "$2")"
	cp "$1" "$2"
}

# copy_folder FROM TO: all of it; what is gone from FROM goes from TO.
copy_folder() {
	(cd "$1" && find . -type f) | while read -r file; do
		copy "$1/$file" "$2/$file"
	done
	(cd "$2" && find . -type f) | while read -r file; do
		[ -f "$1/$file" ] || rm "$2/$file"
	done
}

# Which line stands for what: after each line that matches PATTERN comes LINE.
edits() {
	cat <<'END'
CMakeLists.txt|^add_subdirectory(providers\/qedr)|add_subdirectory(providers/tern)
kernel-headers/CMakeLists.txt|^  rdma\/siw-abi\.h|  rdma/tern-abi.h
libibverbs/verbs.h|^extern const struct verbs_device_ops verbs_provider_siw;|extern const struct verbs_device_ops verbs_provider_tern;
kernel-boot/rdma-hw-modules.rules|^ENV{ID_NET_DRIVER}=="qede",|ENV{ID_NET_DRIVER}=="tern", RUN{builtin}+="kmod load tern_ib"
kernel-boot/rdma-description.rules|^DRIVERS=="qede",|DRIVERS=="tern", ENV{ID_RDMA_ROCE}="1"
debian/control|^  - siw: |  - tern: Tern RoCE HCAs
END
}

# each_edit COMMAND: COMMAND FILE PATTERN LINE for each of them.
each_edit() {
	edits | while IFS='|' read -r file pattern line; do
		"$1" "$tree/$file" "$pattern" "$line"
	done
}

check() {
	[ -f "$1" ] || die "there is no $1; is $tree the source of rdma-core 56 or later?"
	[ -w "$1" ] || die "cannot write $1"
	grep -q "$2" "$1" || die "$1 is not as expected: no line matches $2"
}

insert() {
	grep -qxF "$3" "$1" && return
	sed "/$2/a\\
$3" "$1" > "$1.tern"
	cat "$1.tern" > "$1"
	rm "$1.tern"
}

[ $# = 1 ] || die "usage: overlay.sh RDMA-CORE-TREE"
[ -f "$include/uapi/rdma/tern-abi.h" ] || die "there is no contract in $include"
each_edit check
each_edit insert

copy "$include/uapi/rdma/tern-abi.h" "$tree/kernel-headers/rdma/tern-abi.h"
mkdir -p "$tree/providers/tern/include/tern"
copy_folder "$include/tern" "$tree/providers/tern/include/tern"
for file in "$provider"/CMakeLists.txt "$provider"/*.[ch]; do
	copy "$file" "$tree/providers/tern/${file##*/}"
done
for file in "$tree"/providers/tern/*.[ch]; do
	[ -f "$provider/${file##*/}" ] || rm "$file"
done
