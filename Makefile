# SPDX-License-Identifier: MIT
# `make` builds build/tact and the libraries; `make help` lists the rest. Variants lie beside each other:
#   make REAL=float    single precision, in build/float        make CC=clang    another compiler
#   make SAN=1         with sanitizers, in build/san           make V=1         show the commands
#   make LAPACK=1      large dense problems by LAPACK, in build/lapack
#   make MPI=1         tact batch over several processes, in build/mpi
# One goal is made by as many jobs as there are processors, or -j, or JOBS=n, which holds for the tests' programs, too.
REAL   = double
SAN    =
LAPACK =
MPI    =
BUILD  = build
PREFIX = /usr/local
CFLAGS ?= $(if $(SAN),-O1 -fno-var-tracking,-O3) -g

# the layers of src, lowest first; only what is hosted may use heap, files and threads
core   := base math solve tree geom contact law sim deriv plan
hosted := scene batch trace view

$(if $(filter double float,$(REAL)),,$(error REAL is double or float))
float   := $(filter float,$(REAL))
variant := $(if $(float),-float)$(if $(SAN),-san)$(if $(LAPACK),-lapack)$(if $(MPI),-mpi)
out     := $(BUILD)$(variant:-%=/%)
version := $(shell sed -n 's/.*TACT_VERSION "\(.*\)"/\1/p' include/tact/base.h)
soname  := libtact.so.$(firstword $(subst ., ,$(version)))
# `make setup demo` sets up first, also with -j
setup   := $(filter setup,$(MAKECMDGOALS))
Q       := $(if $(V),,@)
.DEFAULT_GOAL := all
# several goals, as of `make clean all`, are made one after the other
JOBS   ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
MAKEFLAGS += $(if $(filter 0,$(MAKELEVEL)),$(if $(word 2,$(filter-out setup,$(MAKECMDGOALS))),,-j$(JOBS)))
include third_party/deps.mk

# numbers must not depend on the optimiser: no contraction to fused multiply-adds, no reordering
numbers  := -fno-fast-math -ffp-contract=off -fno-math-errno $(if $(float),-DTACT_FLOAT)
warnings := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion -Wvla -Wstrict-prototypes -Wmissing-prototypes -Werror
checks   := $(if $(SAN),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
flags     = $(CPPFLAGS) -Iinclude -Isrc $(if $(LAPACK),$(lapack_cflags)) $(CFLAGS) -std=c11 -fPIC $(numbers) $(warnings) $(checks)
posix    := -D_POSIX_C_SOURCE=200809L -pthread
libs      = $(json_libs) $(if $(LAPACK),$(lapack_libs)) $(if $(MPI),$(mpi_libs)) -pthread -lm

# of a pair x_double.c, x_float.c only the one for REAL is compiled, of x_own.c, x_lapack.c the one for LAPACK, and of x_one.c,
# x_mpi.c the one for MPI
sources = $(filter-out %_$(if $(float),double,float).c %_$(if $(LAPACK),own,lapack).c %_$(if $(MPI),one,mpi).c,$(wildcard $(1:%=src/%/*.c)))
objects = $(patsubst src/%.c,$(out)/obj/%.o,$(call sources,$(1)))
core_objects   := $(call objects,$(core))
# src/batch/lane_*.c are compiled once per width of the vector registers, x.4.o holding four lanes of x
x86    := $(shell $(CC) -dM -E -x c /dev/null 2>/dev/null | grep -o 'define __x86_64__')
lanes  := 1 $(if $(float),4,2) $(if $(x86),$(if $(float),8 16,4 8))
wide    = $(if $(x86),$(if $(filter $(if $(float),8,4),$1),-mavx2 -mno-fma) $(if $(filter $(if $(float),16,8),$1),-mavx512f))
hosted_objects := $(filter-out $(out)/obj/batch/lane_%.o,$(call objects,$(hosted)))
lane_objects   := $(foreach w,$(lanes),$(patsubst %.o,%.$(w).o,$(filter $(out)/obj/batch/lane_%.o,$(call objects,$(hosted)))))
hosted_objects += $(lane_objects)
app_objects    := $(call objects,app)
tests          := $(patsubst %.c,$(out)/%,$(wildcard test/test_*.c))

all: $(out)/tact $(out)/libtact.a $(out)/libtact.so $(out)/libtact-core.a ## the command and the libraries (the default)

$(hosted_objects) $(app_objects): outside = $(posix) $(json_cflags) $(if $(MPI),$(mpi_cflags))
$(hosted_objects) $(app_objects): | need-json $(if $(MPI),need-mpi)
# a handful of numbers at a time
$(patsubst %,$(out)/obj/%.o,solve/lcp_small solve/skyline solve/blocks tree/kinematics): outside = -fno-tree-vectorize
$(patsubst src/%.c,$(out)/obj/%.o,$(wildcard src/law/virtual*.c src/contact/virtual*.c)): outside = -fno-tree-vectorize
$(out)/obj/%.o: src/%.c $(out)/flags
	@mkdir -p $(@D) && echo "cc $<"
	$(Q)$(CC) $(flags) $(outside) -MMD -MP -c $< -o $@

define lane_rule
$(out)/obj/%.$(1).o: src/%.c $(out)/flags
	@mkdir -p $$(@D) && echo "cc $$< ($(1) lanes)"
	$$(Q)$$(CC) $$(flags) $(call wide,$(1)) -DTACT_LANES=$(1) -MMD -MP -c $$< -o $$@
endef
$(foreach w,$(lanes),$(eval $(call lane_rule,$(w))))

# q keeps two files of one name from two folders
$(out)/libtact-core.a: $(core_objects)
$(out)/libtact.a: $(core_objects) $(hosted_objects)
$(out)/%.a: $(out)/files
	@rm -f $@ && echo "ar $@"
	$(Q)$(AR) qcs $@ $(filter %.o,$^)

$(out)/libtact.so.$(version): $(core_objects) $(hosted_objects) $(out)/files
	@echo "ld $@"
	$(Q)$(CC) -shared -Wl,-soname,$(soname) $(flags) $(LDFLAGS) -o $@ $(filter %.o,$^) $(libs)
$(out)/libtact.so: $(out)/libtact.so.$(version)
	$(Q)ln -sf $(<F) $(out)/$(soname) && ln -sf $(<F) $@
$(out)/tact: $(app_objects) $(out)/libtact.a
	@echo "ld $@"
	$(Q)$(CC) $(flags) $(LDFLAGS) -o $@ $^ $(libs)
$(out)/test/%: test/%.c $(out)/libtact.a | need-lapack
	@mkdir -p $(@D) && echo "cc $<"
	$(Q)$(CC) $(flags) $(posix) -Itest $(lapack_cflags) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(out)/libtact.a $(lapack_libs) $(libs)

# written anew only when their text changes: other flags compile everything again, other files make new libraries
$(out)/flags: text = $(CC) $(flags) $(LDFLAGS)
$(out)/files: text = $(core_objects) $(hosted_objects) $(app_objects)
$(out)/flags $(out)/files: FORCE | $(setup)
	@mkdir -p $(@D) && echo '$(text)' | cmp -s - $@ || echo '$(text)' >$@
-include $(patsubst %.o,%.d,$(core_objects) $(hosted_objects) $(app_objects)) $(tests:=.d)

setup: ## install what is missing with the system's package manager
	@sh third_party/setup.sh
test: all $(tests) ## compile and run every test/test_*.c and test/test_*.sh
	@BUILD=$(out) TACT=$(out)/tact CC="$(CC)" REAL=$(REAL) SAN=$(SAN) sh test/run.sh $(tests) $(wildcard test/test_*.sh)
bench: $(out)/tact ## measure this machine into test/bench/results, with plots
	@sh test/bench/bench.sh $<
bench-count: $(out)/tact ## count instructions per step, and fail where they grew by more than 3 %
	@sh test/bench/counts.sh $< $(if $(WRITE),--write)
bench-peers: $(out)/libtact.a ## compare speed with Ipopt, MuJoCo and others, those that are installed
	@FLAGS="-Iinclude -Isrc -Itest/peers -O3 -std=c11 $(posix) $(json_cflags) $(numbers) $(warnings)" \
	    CXXFLAGS="-Iinclude -Isrc -Itest/peers -O3 -std=c++17" LIBS="$(out)/libtact.a $(libs)" CC="$(CC)" OUT=$(out)/peers sh test/peers/run.sh
wasm: $(BUILD)/tact.wasm ## the library as WebAssembly
$(BUILD)/tact.wasm: $(wildcard src/*/*.[ch] src/view/page/wasm/* src/view/page/wasm/cjson/* include/tact/*.h)
	@mkdir -p $(@D) && echo "wasm $@"
	$(Q)sh src/view/page/wasm/build.sh $@ $(BUILD)/wasm
viewer: $(BUILD)/viewer.html ## the page that tact view fills; needs node, npm, clang and wasi-libc
$(BUILD)/viewer.html: $(BUILD)/tact.wasm $(wildcard src/view/page/*.js src/view/page/*.json src/view/page/viewer.html src/view/page/style.css) src/view/page/build.mjs
	$(Q)sh src/view/page/packages.sh && node src/view/page/build.mjs $(abspath $<) $@
test-viewer: all viewer ## the page in a browser: needs Chromium
	@BUILD=$(out) TACT=$(out)/tact VIEWER=$(BUILD)/viewer.html WASM=$(BUILD)/tact.wasm sh test/viewer/run.sh
figures: $(out)/tact $(out)/test/test_kappa ## draw the figures of the README
	@sh docs/figures.sh $^
demo: $(out)/tact ## the hand lifts a ball
	$(out)/tact run data/scenes/hand_lift.json --steps 500
layers: ## check that no file includes a higher layer
	@sh test/gates/layers.sh
names: $(out)/libtact-core.a $(if $(have_json),$(out)/libtact.a) ## check that all symbols are tact_* and the core needs nothing
	@sh test/gates/names.sh $^
no-fma: $(out)/libtact-core.a $(if $(have_json),$(out)/libtact.a) ## check that core and lanes hold no fused multiply-add
	@for archive in $^; do sh test/gates/no-fma.sh $$archive || exit 1; done
unity: unity-double unity-float ## check that src/all.c is the whole core, with gcc and clang, double and float
unity-%: FORCE
	@$(MAKE) -s REAL=$* SAN= one-file
amalgam: ## write the core as tact.h and tact.c to build/amalgam
	@sh src/amalgam.sh $(BUILD)/amalgam "$(hosted)"
	@echo "amalgam: $(BUILD)/amalgam/tact.h and tact.c"
firmware: $(out)/tact ## a baked hand on Cortex-M7, Cortex-M4F, wasm and others under emulation: same bits as here, size, cost
	@sh test/firmware/run.sh $(out)/tact
determinism: $(out)/tact ## the bits of runs under each law over compilers, levels, machines, lanes and threads (20 minutes; QUICK=1: two)
	@$(if $(QUICK),,$(MAKE) -s REAL=float $(BUILD)/float/tact &&) \
	    FLOAT_TACT=$(BUILD)/float/tact sh test/firmware/determinism.sh $(out)/tact $(QUICK)
# of the fuzzers and of the library that they are linked with
FUZZ     = 60
fuzzing := -g -O2 -fno-omit-frame-pointer -fno-sanitize-recover=all \
    -fsanitize=fuzzer-no-link,address,undefined,float-divide-by-zero,float-cast-overflow -fsanitize-ignorelist=test/fuzz/ignore.txt \
    -fno-sanitize-coverage=trace-cmp
# of the tests with sanitizers for what is not set, and for threads; how many faults are tried
memory   := -g -O1 -fno-omit-frame-pointer -fsanitize=memory -fsanitize-memory-track-origins -fno-sanitize-recover=all
threaded := test_batch test_lanes
COUNT     = 200
fuzz: ## fuzz readers, calls, solvers and their parts with sanitizers, FUZZ=60 seconds (or RUNS=n, RUNS=minute) each, SEED=n repeats, TARGETS="a b"
	@$(MAKE) -s CC=clang BUILD=$(BUILD)/fuzz CFLAGS="$(fuzzing)" $(BUILD)/fuzz/tact
	@FLAGS="$(fuzzing) -std=c11 $(posix) $(json_cflags)" LIBS="$(libs)" SEED=$(SEED) RUNS=$(RUNS) \
	    sh test/fuzz/run.sh $(FUZZ) $(BUILD)/fuzz/libtact.a "$(TARGETS)"
analyse: ## gcc's analyzer, clang-tidy and cppcheck on src (those that are installed): no finding
	@$(MAKE) -s -f test/gates/analyse.mk OUT=$(BUILD)/analyse JSON="$(json_cflags)"
memory: ## the core's tests with clang's MemorySanitizer: nothing is read before it is written
	@$(MAKE) -s CC=clang BUILD=$(BUILD)/memory CFLAGS="$(memory)" $(BUILD)/memory/libtact-core.a
	@$(MAKE) -s -f test/gates/memory.mk FOLDER=$(BUILD)/memory FLAGS="$(memory) -std=c11 $(posix)"
threads: ## the tests of batches with ThreadSanitizer: no two threads touch the same place
	@$(MAKE) -s BUILD=$(BUILD)/threads CFLAGS="-O1 -g -fsanitize=thread" $(BUILD)/threads/tact $(threaded:%=$(BUILD)/threads/test/%)
	@BUILD=$(BUILD)/threads TACT=$(BUILD)/threads/tact sh test/run.sh $(threaded:%=$(BUILD)/threads/test/%) test/gates/threads.sh
coverage: ## branches of the core that the tests take: at least 95 %, and a table of the others
	@$(MAKE) -s CC=gcc BUILD=$(BUILD)/coverage CFLAGS="-O0 --coverage -DNDEBUG" $(BUILD)/coverage/tact \
	    $(patsubst test/%.c,$(BUILD)/coverage/test/%,$(wildcard test/test_*.c))
	@sh test/gates/coverage.sh $(BUILD)/coverage $(core)
mutation: ## how many of COUNT=200 small faults of the solvers the tests notice: at least 80 % (an hour; needs python3)
	@$(MAKE) -s CC=gcc BUILD=$(BUILD)/mutation CFLAGS="-O1" $(BUILD)/mutation/libtact.a
	@nice -n 19 python3 test/mutation/mutate.py --build $(BUILD)/mutation/mutants --library $(BUILD)/mutation/libtact.a \
	    --flags="-O1 -std=c11 -Iinclude -Isrc -Itest $(posix) $(numbers) $(lapack_cflags)" --libs="$(lapack_libs) $(libs)" \
	    --count $(COUNT) $(if $(SEED),--seed $(SEED))
faults: all ## make every call for memory and of files fail, kill a batch 1,000 times, spoil every file (an hour)
	@BUILD=$(out) TACT=$(out)/tact CC="$(CC)" REAL=$(REAL) sh test/faults/run.sh $(STAGES)
one-file: $(out)/libtact-core.a
	@FLAGS="$(flags)" sh test/gates/unity.sh $<
format: ## lay out all C files by .clang-format
	clang-format -i $$(find src include test -name '*.[ch]')
format-check: ## check that `make format` would change nothing
	@files=$$(find src include test -name '*.[ch]') && [ "$$files" ] && clang-format --dry-run --Werror $$files

root := $(DESTDIR)$(PREFIX)
install: all ## copy command, libraries, headers, tact.pc and manual page below $DESTDIR$PREFIX (/usr/local)
	install -d $(root)/bin $(root)/lib/pkgconfig $(root)/include/tact $(root)/share/man/man1
	install $(out)/tact $(root)/bin
	install -m 644 $(out)/libtact.a $(out)/libtact-core.a $(out)/libtact.so.$(version) $(root)/lib
	cp -P $(out)/$(soname) $(out)/libtact.so $(root)/lib
	install -m 644 include/tact/*.h $(root)/include/tact
	install -m 644 src/app/tact.1 $(root)/share/man/man1
	@[ ! -f $(BUILD)/viewer.html ] || { install -d $(root)/share/tact && install -m 644 $(BUILD)/viewer.html $(root)/share/tact; }
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(version)|; s|@FLOAT@|$(float:float=-DTACT_FLOAT)|' src/tact.pc.in \
	    >$(root)/lib/pkgconfig/tact.pc
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi
uninstall: ## remove what install copied
	rm -rf $(root)/include/tact $(root)/share/tact $(root)/bin/tact $(root)/share/man/man1/tact.1 $(root)/lib/pkgconfig/tact.pc
	rm -f $(root)/lib/libtact.a $(root)/lib/libtact-core.a $(root)/lib/libtact.so*
clean: ## remove everything that was built
	rm -rf $(BUILD)
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' Makefile

.PHONY: all setup test bench bench-count bench-peers figures demo layers names no-fma unity one-file amalgam firmware determinism fuzz \
    faults analyse memory threads coverage mutation \
    format format-check install uninstall clean help FORCE
.PHONY: wasm viewer test-viewer
