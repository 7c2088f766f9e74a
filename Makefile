# The few commands a newcomer needs. Each installs what is missing (scripts/bootstrap), so each works on a fresh machine.
PREFIX ?= /usr/local

.PHONY: demo test docs docs-packages web python python-packages mpi gauntlet papers bench sanitize threads clang lint changed format configure release harness install clean help

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 18

demo: configure  ## builds the command alone, runs a mechanism in space and writes its report
	cmake --build --preset release --target pawl_command
	@mkdir -p build/demo
	@build/release/bin/pawl run flail --plot box_z --report build/demo/flail.html
	@echo "open $(CURDIR)/build/demo/flail.html in a browser: plots, events, and the mechanism in motion"

test: python-packages docs-packages release changed web  ## builds everything, checks its format and what changed, passes the whole test suite
	ctest --preset release

python:  ## builds the Python package into .venv, with Debian's python3
	@scripts/bootstrap python
	cmake --preset release
	cmake --build --preset release --target pawl_python
	test -x .venv/bin/python || /usr/bin/python3 -m venv --system-site-packages .venv
	PAWL_BUILD_DIR=$(CURDIR)/build/release .venv/bin/python -m pip install --quiet --no-index --no-deps --force-reinstall .
	.venv/bin/python -c "import pawl; print('pawl', pawl.__version__, 'in .venv/bin/python')"

docs:  ## makes the site build/site/index.html, with the API reference, and checks its links
	@scripts/bootstrap docs api
	scripts/links
	scripts/site build/site
	@echo "open $(CURDIR)/build/site/index.html in a browser"

gauntlet: harness  ## every adversarial event case with every method; a table of faults, exit code 1 if there are any
	build/release/bin/pawl-bench gauntlet

papers: harness  ## runs every published table, writes docs/papers.md; exit code 1 if one is not reproduced
	scripts/measure build/release/bin/pawl-bench papers papers; code=$$?; scripts/fill papers && exit $$code

bench:  ## measures everything that docs/benchmarks shows, beside peers, and writes these pages
	@scripts/bootstrap bench python mpi
	scripts/sundials
	cmake --preset bench
	cmake --build --preset bench
	scripts/benchmarks

sanitize:  ## the tests under the address and undefined-behaviour sanitizers, room by room (ROOMS="event simulate")
	@scripts/bootstrap
	scripts/by_room sanitize $(ROOMS)

threads:  ## the tests that use threads under the thread sanitizer
	@scripts/bootstrap
	scripts/by_room threads $(ROOMS)

clang:  ## builds and tests everything with clang, warnings as errors
	@scripts/bootstrap clang
	cmake --preset clang
	cmake --build --preset clang
	ctest --preset clang

lint: configure  ## clang-format and clang-tidy over everything
	scripts/lint

web:
	@scripts/bootstrap web || echo "make: the packages above are not to be had; tests of reports in a browser will be skipped"

docs-packages:
	@scripts/bootstrap docs || echo "make: mkdocs is not to be had; the site will not be built, links are checked all the same"

changed: configure  ## clang-format over everything, clang-tidy over what differs from main, in little more than a minute
	@scripts/lint --changed

format:  ## lets clang-format rewrite the sources
	@scripts/bootstrap lint
	scripts/lint --fix

python-packages:
	@scripts/bootstrap python

mpi:
	@scripts/bootstrap mpi

configure:
	@scripts/bootstrap
	cmake --preset release

release: mpi configure
	cmake --build --preset release

harness: configure
	cmake --build --preset release --target pawl_bench

install: mpi configure  ## builds what is installed, without tests, and installs it below PREFIX (default /usr/local)
	cmake --build --preset release --target pawl_installed
	cmake --install build/release --prefix $(PREFIX)

clean:  ## removes everything that was built
	rm -rf build
