# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by the checks: the clone's files, without what is built or standard.

. "$(dirname "${BASH_SOURCE[0]}")/../cache.sh"

cd "$tern_top"

# files FIND-TEST... : paths of the source files that pass, one a line.
files() {
	find . -path ./.git -prune -o -path ./build -prune -o -path ./LICENSES -prune -o \
		-name __pycache__ -prune -o -type f "$@" -printf '%P\n' | LC_ALL=C sort
}

# not_here REASON: nothing to check; the runner counts it as skipped.
not_here() {
	echo "$1" >&2
	exit 77
}

# Output decides in the checks that complain, and a root that cannot be entered has none.
"$tern_top/scripts/in-root" true || die "cannot enter the build root"

# complain TEXT COMMAND... : prints COMMAND's output, if any, under a heading,
# and remembers that there was some. COMMAND's status says nothing.
complaints=0
complain() {
	local heading=$1 lines
	shift
	lines=$("$@") || true
	if [ -n "$lines" ]; then
		printf '%s:\n%s\n' "$heading" "$lines" >&2
		# shellcheck disable=SC2034  # the exit status of the check
		complaints=1
	fi
}
