# SPDX-License-Identifier: BSD-2-Clause
# Thin front: each target is one script, callable alone.

.PHONY: help engine test check clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

engine: ## build the card and its tests (build/engine)
	@scripts/build-engine plain

test: ## all tests; ends with "N passed, N failed, N skipped"
	@tests/run

check: test ## what needs no VM; today that is all there is

clean: ## remove build/; caches stay
	rm -rf build
