# The few commands a newcomer needs. Each installs what is missing (scripts/bootstrap), so each works on a fresh machine.
PREFIX ?= /usr/local

.PHONY: demo test release bench sanitize lint format install clean help

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 18

demo: release  ## builds pawl and runs the showcase
	@build/release/bin/pawl run bouncing-ball --plot height

test: release  ## builds everything and passes the whole test suite
	ctest --preset release

release:
	@scripts/bootstrap
	cmake --preset release
	cmake --build --preset release

bench:  ## runs the benchmarks and writes docs/benchmarks.md
	@scripts/bootstrap bench
	scripts/sundials
	cmake --preset bench
	cmake --build --preset bench
	scripts/benchmarks > docs/benchmarks.md.partial && mv docs/benchmarks.md.partial docs/benchmarks.md
	@cat docs/benchmarks.md

sanitize:  ## the test suite under the address and undefined-behaviour sanitizers
	@scripts/bootstrap
	cmake --preset sanitize
	cmake --build --preset sanitize
	ctest --preset sanitize

lint:  ## clang-format and clang-tidy
	@scripts/bootstrap lint
	cmake --preset release
	cmake --build --preset release
	scripts/lint

format:  ## lets clang-format rewrite the sources
	@scripts/bootstrap lint
	scripts/lint --fix

install: release  ## installs below PREFIX (default /usr/local)
	cmake --install build/release --prefix $(PREFIX)

clean:  ## removes everything that was built
	rm -rf build
