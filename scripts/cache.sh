# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by the build scripts: where things are, how they fail, and how a
# cache entry comes to be. An entry is a directory named by what went into it;
# it is made beside its place and renamed when complete, so a build that was
# cut off leaves nothing that looks whole.

set -euo pipefail
shopt -s inherit_errexit

# shellcheck disable=SC2034  # for those who source this
tern_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

say() {
	echo "==> $*" >&2
}

# The superuser's cache, from which others may read what is only read.
tern_shared_cache=/var/cache/tern

if [ -n "${TERN_CACHE:-}" ]; then
	tern_cache=$TERN_CACHE
elif [ "$(id -u)" = 0 ]; then
	tern_cache=$tern_shared_cache
else
	tern_cache=${XDG_CACHE_HOME:-$HOME/.cache}/tern
fi

# key_of ARG... : a short hash of all arguments and of standard input.
key_of() {
	{ printf '%s\n' "$@"; cat; } | sha256sum | cut -c1-16
}

# need_space DIR MIB
need_space() {
	local free
	mkdir -p "$1" || die "cannot make $1; set TERN_CACHE to a directory you may write"
	free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$2" ] ||
		die "$1 has $free MiB left and $2 are needed; free some, or set TERN_CACHE elsewhere"
}

# entry NAME KEY MAKE... : prints the path of cache entry NAME-KEY; if it is
# missing runs MAKE with a fresh directory as last argument. One maker at a
# time; the newest entries of a name are kept. What nobody writes again is taken
# from the shared cache if it is there.
entry() {
	local name=$1 key=$2 path
	shift 2
	path=$tern_cache/$name-$key
	case $name in
	root | checkpatch | image | initrd)
		[ -e "$path" ] || [ ! -e "$tern_shared_cache/$name-$key" ] || path=$tern_shared_cache/$name-$key
		;;
	esac
	if [ ! -e "$path" ]; then
		mkdir -p "$tern_cache" || die "cannot make $tern_cache; set TERN_CACHE to a directory you may write"
		exec {entry_lock}> "$tern_cache/$name.lock"
		flock "$entry_lock"
		if [ ! -e "$path" ]; then
			# Only the holder of the lock makes such; these were cut off.
			rm -rf "$tern_cache/$name"-????????????????.new.*
			local fresh=$path.new.$$
			mkdir "$fresh"
			local status=0
			set +e
			(set -e; "$@" "$fresh") >&2
			status=$?
			set -e
			[ $status = 0 ] || { rm -rf "$fresh"; die "could not make $name"; }
			mv "$fresh" "$path"
			drop_old "$name"
		fi
		exec {entry_lock}>&-
	fi
	touch -c "$path" 2> /dev/null || true
	echo "$path"
}

# Clones that differ and are built in turn keep what each of them needs; of roots,
# which are large and rarely change, there are fewer.
drop_old() {
	local old kept=8
	[ "$1" != root ] || kept=3
	find "$tern_cache" -maxdepth 1 -name "$1-????????????????" -printf '%T@ %p\n' |
		sort -rn | tail -n +$((kept + 1)) | cut -d' ' -f2- | while read -r old; do
		rm -rf "$old"
	done
}
