# SPDX-License-Identifier: MIT
# `make` builds build/tact and the libraries; `make help` lists the rest. Variants lie beside each other:
#   make REAL=float    single precision, in build/float        make CC=clang    another compiler
#   make SAN=1         with sanitizers, in build/san           make V=1         show the commands
#   make WERROR=1      a warning is an error, as in CI
#   make LAPACK=1      large dense problems by LAPACK, in build/lapack
#   make MPI=1         tact batch over several processes, in build/mpi
# One goal is made by as many jobs as there are processors, or -j, or JOBS=n, which holds for the tests' programs, too.
REAL   = double
SAN    =
LAPACK =
MPI    =
WERROR ?=
BUILD  = build
PREFIX = /usr/local
LIBDIR = $(PREFIX)/lib
CFLAGS ?= $(if $(SAN),-O1 -fno-var-tracking,-O3) -g

# the layers of src, lowest first; only what is hosted may use heap, files and threads
core   := base math solve tree geom contact law sim deriv plan
hosted := scene batch trace worlds view

$(if $(filter double float,$(REAL)),,$(error REAL is double or float))
float   := $(filter float,$(REAL))
variant := $(if $(float),-float)$(if $(SAN),-san)$(if $(LAPACK),-lapack)$(if $(MPI),-mpi)
out     := $(BUILD)$(variant:-%=/%)
version := $(shell sed -n 's/.*TACT_VERSION "\(.*\)"/\1/p' include/tact/base.h)
# the library of single precision has a name of its own: both may be installed, and a program names the one it was compiled for
name    := tact$(float:float=f)
soname  := lib$(name).so.$(firstword $(subst ., ,$(version)))
# `make setup demo` sets up first, also with -j
setup   := $(filter setup,$(MAKECMDGOALS))
Q       := $(if $(V),,@)
.DEFAULT_GOAL := all
# several goals, as of `make clean all`, are made one after the other
JOBS   ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
MAKEFLAGS += $(if $(filter 0,$(MAKELEVEL)),$(if $(word 2,$(filter-out setup,$(MAKECMDGOALS))),,-j$(JOBS)))
include third_party/deps.mk

comma   := ,
# numbers must not depend on the optimiser: no contraction to fused multiply-adds, no reordering
numbers  := -fno-fast-math -ffp-contract=off -fno-math-errno $(if $(float),-DTACT_FLOAT)
warnings := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion -Wvla -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
# gcc 12 forms vfmaddsub from neighbouring operations in spite of -ffp-contract=off, where CFLAGS names a machine that has it; of
# AVX-512, too, which only the lanes take, by name
x86      := $(shell $(CC) -dM -E -x c /dev/null 2>/dev/null | grep -o 'define __x86_64__')
numbers  += $(if $(x86),-mno-fma -mno-fma4 -mno-avx512f)
checks   := $(if $(SAN),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
flags     = $(CPPFLAGS) -Iinclude -Isrc $(if $(LAPACK),$(lapack_cflags)) $(CFLAGS) -std=c11 -fPIC -fvisibility=hidden $(numbers) $(warnings) $(checks)
# what reads files and arguments is hardened: canaries on the stack, copies that know their room (where it is optimised), and tables
# of addresses that are read-only once it runs; the core, which has no arrays on the stack that input measures, pays for none of it.
# Not beside sanitizers, which look for the same; each flag where the compiler has it, the linker's for ELF.
hardened := $(if $(findstring -fsanitize,$(CFLAGS))$(SAN),,$(shell $(CC) -Werror -fstack-protector-strong -E -x c /dev/null >/dev/null 2>&1 && \
    echo -fstack-protector-strong) $(if $(filter -O -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
clang    := $(shell $(CC) -dM -E -x c /dev/null 2>/dev/null | grep -o 'define __clang__')
elf      := $(shell $(CC) -dM -E -x c /dev/null 2>/dev/null | grep -o 'define __ELF__')
sealed   := $(if $(elf),-Wl$(comma)-z$(comma)relro -Wl$(comma)-z$(comma)now)
# the command is loaded thousands of times by the tests; with sanitizers in two thirds of the time where nothing is to be relocated
# and three quarters of that without two libraries of sanitizers (clang links none)
loaded   := $(if $(elf),$(if $(SAN),-no-pie $(if $(clang),,-static-libasan -static-libubsan),-pie))
# with sanitizers the command and the tests, which compute little themselves, compile in half of the time
hasty    := $(if $(SAN),$(if $(filter file,$(origin CFLAGS)),-O0))
posix    := -D_POSIX_C_SOURCE=200809L -pthread
libs      = $(json_libs) $(if $(LAPACK),$(lapack_libs)) $(if $(MPI),$(mpi_libs)) -pthread -lm

# of a pair x_own.c, x_lapack.c only the one for LAPACK is compiled, and of x_one.c, x_mpi.c the one for MPI
sources = $(filter-out %_$(if $(LAPACK),own,lapack).c %_$(if $(MPI),one,mpi).c,$(wildcard $(1:%=src/%/*.c)))
objects = $(patsubst src/%.c,$(out)/obj/%.o,$(call sources,$(1)))
core_objects   := $(call objects,$(core))
# src/batch/lane_*.c are compiled once per width of the vector registers, x.4.o holding four lanes of x
lanes  := 1 $(if $(float),4,2) $(if $(x86),$(if $(float),8 16,4 8))
wide    = $(if $(x86),$(if $(filter $(if $(float),8,4),$1),-mavx2 -mno-fma) $(if $(filter $(if $(float),16,8),$1),-mavx512f))
hosted_objects := $(filter-out $(out)/obj/batch/lane_%.o,$(call objects,$(hosted)))
lane_objects   := $(foreach w,$(lanes),$(patsubst %.o,%.$(w).o,$(filter $(out)/obj/batch/lane_%.o,$(call objects,$(hosted)))))
hosted_objects += $(lane_objects)
app_objects    := $(call objects,app)
tests          := $(patsubst %.c,$(out)/%,$(wildcard test/test_*.c))

all: $(out)/tact $(out)/libtact.a $(out)/lib$(name).so $(out)/libtact-core.a ## the command and the libraries (the default)

$(hosted_objects) $(app_objects): outside = $(posix) $(json_cflags) $(if $(MPI),$(mpi_cflags)) $(hardened)
$(app_objects): outside += $(hasty)
$(hosted_objects) $(app_objects): | need-json $(if $(MPI),need-mpi)
# a handful of numbers at a time
$(patsubst %,$(out)/obj/%.o,solve/lcp_small solve/skyline solve/blocks tree/kinematics): outside = -fno-tree-vectorize
$(patsubst src/%.c,$(out)/obj/%.o,$(wildcard src/law/virtual*.c src/contact/virtual*.c)): outside = -fno-tree-vectorize
$(out)/obj/%.o: src/%.c $(out)/flags
	@mkdir -p $(@D) && echo "cc $<"
	$(Q)$(CC) $(flags) $(outside) -MMD -MP -c $< -o $@

# bare: widths whose code goes without the sanitizers that CFLAGS ask for
bare   =
define lane_rule
$(out)/obj/%.$(1).o: src/%.c $(out)/flags
	@mkdir -p $$(@D) && echo "cc $$< ($(1) lanes)"
	$$(Q)$$(CC) $$(flags) $(call wide,$(1)) $(if $(filter $(1),$(bare)),-fno-sanitize=all) -DTACT_LANES=$(1) -MMD -MP -c $$< -o $$@
endef
$(foreach w,$(lanes),$(eval $(call lane_rule,$(w))))

# q keeps two files of one name from two folders
$(out)/libtact-core.a: $(core_objects)
$(out)/libtact.a: $(core_objects) $(hosted_objects)
$(out)/%.a: $(out)/files
	@rm -f $@ && echo "ar $@"
	$(Q)$(AR) qcs $@ $(filter %.o,$^)

$(out)/lib$(name).so.$(version): $(core_objects) $(hosted_objects) $(out)/files
	@echo "ld $@"
	$(Q)$(CC) -shared -Wl,-soname,$(soname) $(flags) $(sealed) $(LDFLAGS) -o $@ $(filter %.o,$^) $(libs)
$(out)/lib$(name).so: $(out)/lib$(name).so.$(version)
	$(Q)ln -sf $(<F) $(out)/$(soname) && ln -sf $(<F) $@
$(out)/tact: $(app_objects) $(out)/libtact.a
	@echo "ld $@"
	$(Q)$(CC) $(flags) $(loaded) $(sealed) $(LDFLAGS) -o $@ $^ $(libs)
# a test's own malloc replaces the one that shared libraries call only where its symbol is visible; what a test computes itself is
# little, and takes a third of the time to compile at -O1
$(out)/test/%.o: test/%.c $(out)/flags | need-json need-lapack
	@mkdir -p $(@D) && echo "cc $<"
	$(Q)$(CC) $(flags:-O3=-O1) $(hasty) -fvisibility=default $(posix) -Itest $(lapack_cflags) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
# more than a hundred programs, which lld links in half of the time of ld; the libraries and the command are linked by the usual one
swift := $(if $(findstring -fsanitize,$(CFLAGS))$(SAN),,$(shell $(CC) -fuse-ld=lld -Wl$(comma)--version >/dev/null 2>&1 && echo -fuse-ld=lld))
$(tests): %: %.o $(out)/libtact.a
	$(Q)$(CC) $(flags) $(swift) $(LDFLAGS) -o $@ $< $(out)/libtact.a $(lapack_libs) $(libs)

# written anew only when their text changes: other flags compile everything again, other files make new libraries
$(out)/flags: text = $(CC) $(flags) $(hardened) $(sealed) $(LDFLAGS)
$(out)/files: text = $(core_objects) $(hosted_objects) $(app_objects)
$(out)/flags $(out)/files: FORCE | $(setup)
	@mkdir -p $(@D) && echo '$(text)' | cmp -s - $@ || echo '$(text)' >$@
-include $(patsubst %.o,%.d,$(core_objects) $(hosted_objects) $(app_objects)) $(tests:=.d)

# those that `make test ONLY="virtual lcp"` runs: names that begin with one of the words. WITHOUT: shell tests that it leaves out
ONLY         =
WITHOUT      =
begins       = $(if $(strip $(ONLY)),$(ONLY:%=$(1)%%),$(1)%)
chosen       = $(filter $(call begins,$(out)/test/test_),$(tests))
chosen_shell = $(filter-out $(WITHOUT:%=test/test_%.sh),$(filter $(call begins,test/test_),$(wildcard test/test_*.sh)))
# a selection over all layers that two processors compile and run in less than a minute
quick       := elementary rotation lu number json scene scene_refused scene_set urdf reader tree dynamics geom planar frame \
    sim bits_steps bits_problems deriv friction lcp_ends rigid_edges virtual_closed lanes trace order
quick_shell := lcp app_lines
setup: ## install what is missing with the system's package manager
	@sh third_party/setup.sh
test: all $(chosen) ## compile and run every test/test_*.c and test/test_*.sh, or those that begin with ONLY="names", without WITHOUT="names"
	@BUILD=$(out) TACT=$(out)/tact CC="$(CC)" REAL=$(REAL) SAN=$(SAN) sh test/run.sh $(chosen) $(chosen_shell)
quick: all $(quick:%=$(out)/test/test_%) ## a selection of the tests, less than a minute
	@BUILD=$(out) TACT=$(out)/tact CC="$(CC)" REAL=$(REAL) SAN=$(SAN) sh test/run.sh $(quick:%=$(out)/test/test_%) $(quick_shell:%=test/test_%.sh)
bench: $(out)/tact ## measure this machine into test/bench/results, with plots
	@sh test/bench/bench.sh $<
bench-mpc: $(out)/tact ## tasks of model predictive control beside published figures: GOALS=100 of each, SEED=1, ARGS=more options
	@$< bench --mpc --goals $(or $(GOALS),100) --seed $(or $(SEED),1) $(ARGS)
bench-count: $(out)/tact ## count instructions per step, and fail where they grew by more than 3 %
	@sh test/bench/counts.sh $< $(if $(WRITE),--write)
worst: $(out)/libtact.a ## of COUNT=100000 hostile steps of each law the answers, and the instructions of a usual and the longest one
	@mkdir -p $(out)/bench && $(CC) $(flags) $(posix) -Itest -o $(out)/bench/worst test/bench/worst.c $< $(libs)
	@sh test/bench/worst.sh $(out)/bench/worst $(if $(filter command line environment,$(origin COUNT)),$(COUNT),100000) $(or $(SEED),1)
bench-peers: $(out)/libtact.a ## compare speed with Ipopt, MuJoCo and others, those that are installed
	@$(peers)
judge-distance: $(out)/libtact.a ## gaps of random pairs of shapes beside FCL's and libccd's, and who is wrong; PAIRS=100000, SEED=n
	@$(peers) test/peers/judge_distance.cpp $(or $(PAIRS),100000) $(SEED)
peers = FLAGS="-Iinclude -Isrc -Itest/peers -O3 -std=c11 $(posix) $(json_cflags) $(numbers) $(warnings)" \
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
# the page of tact view goes in where `make viewer` has built it, and is then kept up to date
python: $(out)/libtact.a $(out)/tact $(wildcard $(BUILD)/viewer.html) ## wheel and sdist of the Python module in build/python/dist; needs python3-build, no network
	@CFLAGS="$(checks)" VIEWER=$(BUILD)/viewer.html sh python/build.sh $< $(out)/tact $(out)/python
test-python: all python ## the wheel in a fresh virtual environment; needs numpy, torch and pytest of the system (SAN=1: no torch)
	@SAN=$(SAN) CC="$(CC)" sh python/test.sh $(out)/python $(out)/tact
api: ## functions, structs, enums and comments of the headers as JSON, in build/api.json
	@mkdir -p $(BUILD) && python3 python/api.py >$(BUILD)/api.json && echo "api: $(BUILD)/api.json"
rust: amalgam ## the example in Rust, which compiles the one-file core; needs cargo, no crates
	@TACT_AMALGAM=$(abspath $(BUILD))/amalgam CARGO_TARGET_DIR=$(abspath $(BUILD))/rust CC="$(CC)" \
	    cargo run -q --offline --manifest-path examples/rust/Cargo.toml
bench-python: test-python ## figures of the module: time of a call, worlds beside tact bench --lanes, memory
	@$(out)/python/venv/bin/python python/test/bench.py $(out)/tact
test-mujoco: $(out)/tact ## kinematics and control against MuJoCo, npm's @mujoco/mujoco in node
	@BUILD=$(out) TACT=$(out)/tact sh test/mujoco/run.sh
test-mcap: $(out)/tact ## tact export against npm's @mcap/core and @foxglove/schemas in node
	@BUILD=$(out) TACT=$(out)/tact sh test/mcap/run.sh
figures: $(out)/tact $(out)/test/test_kappa ## draw the figures of the README
	@sh docs/figures.sh $^
films: $(out)/tact viewer ## film the tasks of control for docs/: needs Chromium (BROWSER=its path)
	@TACT_VIEWER=$(BUILD)/viewer.html node docs/films.mjs $(out)/tact $(TASK)
demo: $(out)/tact ## the hand lifts a ball
	$(out)/tact run data/scenes/hand_lift.json --steps 500
house: $(out)/lib$(name).so ## print lengths, comments, asserts and the like beside their limits, and fail where one is worse (WRITE=1 tightens them)
	@if command -v python3 >/dev/null; then python3 test/gates/house.py $(if $(WRITE),--write) $<; else echo "skipped: house (no python3)"; fi
site: ## render README and docs/ to HTML in build/site, with pandoc or python3-markdown
	@sh test/gates/site.sh $(BUILD)/site
misra: ## count what deviates from MISRA C:2012 in the core, by rule; needs cppcheck's addon
	@sh test/gates/misra.sh $(BUILD)
layers: ## check that no file includes a higher layer
	@sh test/gates/layers.sh
names: $(out)/libtact-core.a $(if $(have_json),$(out)/libtact.a) ## check that all symbols are tact_* and the core needs nothing
	@sh test/gates/names.sh $^
no-fma: $(out)/libtact-core.a $(if $(have_json),$(out)/libtact.a) ## check that core and lanes hold no fused multiply-add
	@for archive in $^; do sh test/gates/no-fma.sh $$archive || exit 1; done
native: ## check that a build for this very machine has the same bits, and that none for AVX-512 holds a fused multiply-add
	@$(MAKE) -s BUILD=$(BUILD)/native CFLAGS="-O3 -march=native" no-fma $(bits:%=$(BUILD)/native/test/%)
	@for program in $(bits); do $(BUILD)/native/test/$$program || exit 1; done
	@[ ! "$(x86)" ] || $(MAKE) -s BUILD=$(BUILD)/native/avx512 CFLAGS="-O3 -march=skylake-avx512" have_json= no-fma
bits := test_bits_steps test_bits_problems
hosted: $(hosted_objects) $(app_objects) ## compile what is not the core, which `unity` compiles in one file
# all but one source of the command is the same with MPI: the objects that are there are linked once more
mpi: $(core_objects) $(hosted_objects) $(app_objects) ## the command over several processes, in build/mpi, of the objects of this build
	@$(MAKE) -s MPI=1 core_objects="$(core_objects)" hosted_objects="$(hosted_objects)" \
	    app_objects="$(patsubst %/ranks_one.o,$(mpi_out)/obj/app/ranks_mpi.o,$(app_objects))" $(mpi_out)/tact
mpi_out = $(BUILD)/$(if $(float),float-)mpi
unity: unity-double unity-float ## check that src/all.c is the whole core, with gcc and clang, double and float
unity-%: FORCE
	@$(MAKE) -s REAL=$* SAN= one-file
amalgam: $(if $(LAWS),$(out)/libtact-core.a) ## write the core as tact.h and tact.c to build/amalgam; LAWS=barrier: what a step by these laws needs, to build/amalgam-barrier
	@sh src/amalgam.sh $(amalgam) "$(hosted)" $(out)/obj "$(LAWS)"
	@echo "amalgam: $(amalgam)/tact.h and tact.c, $$(cat $(amalgam)/tact.[ch] | wc -l) lines, $$(cat $(amalgam)/tact.[ch] | wc -c) bytes"
comma   := ,
empty   :=
amalgam  = $(BUILD)/amalgam$(if $(LAWS),-$(subst $(empty) $(empty),-,$(strip $(subst $(comma), ,$(LAWS)))))
sizes: $(out)/tact ## what state and work of SCENE need on a Cortex-M7, single and double, as C constants; needs arm-none-eabi-gcc and QEMU
	@sh test/firmware/sizes.sh $(out)/tact $(SCENE)
firmware: $(out)/tact ## a baked hand on Cortex-M7, Cortex-M4F, wasm and others under emulation: same bits as here, size, cost
	@sh test/firmware/run.sh $(out)/tact
determinism: $(out)/tact ## the bits of runs under each law over compilers, levels, machines, lanes and threads (20 minutes; QUICK=1: two)
	@$(if $(QUICK),,$(MAKE) -s REAL=float $(BUILD)/float/tact &&) \
	    FLOAT_TACT=$(BUILD)/float/tact sh test/firmware/determinism.sh $(out)/tact $(QUICK)
# of the fuzzers and of the library that they are linked with
FUZZ     = 60
fuzzing := -gline-tables-only -O2 -fno-omit-frame-pointer -fno-sanitize-recover=all \
    -fsanitize=fuzzer-no-link,address,undefined,float-divide-by-zero,float-cast-overflow -fsanitize-ignorelist=test/fuzz/ignore.txt \
    -fno-sanitize-coverage=trace-cmp
# of the tests with sanitizers for what is not set, and for threads; how many faults are tried
memory   := -gline-tables-only -O1 -fno-omit-frame-pointer -fsanitize=memory -fno-sanitize-recover=all $(if $(ORIGINS),-fsanitize-memory-track-origins)
threaded := test_batch test_lanes
COUNT     = 200
# Lanes of one and of two scenes are fuzzed with sanitizers; the wider ones, the same source, take a minute more to compile so, and
# are fuzzed for their bits. Tests with SAN=1 have sanitizers in all.
fuzz: ## fuzz readers, calls, solvers and their parts with sanitizers, FUZZ=60 seconds (or RUNS=n, RUNS=minute) each, SEED=n repeats, TARGETS="a b"
	@$(MAKE) -s CC=clang BUILD=$(BUILD)/fuzz CFLAGS="$(fuzzing)" hasty=-O0 bare="4 8" $(BUILD)/fuzz/tact
	@FLAGS="$(fuzzing) -std=c11 $(posix) $(json_cflags)" LIBS="$(libs)" SEED=$(SEED) RUNS=$(RUNS) \
	    sh test/fuzz/run.sh $(FUZZ) $(BUILD)/fuzz/libtact.a "$(TARGETS)"
analyse: ## gcc's analyzer, clang-tidy and cppcheck on src (those that are installed): no finding; QUICK=1: without clang's analyzer
	@$(MAKE) -s -f test/gates/analyse.mk OUT=$(BUILD)/analyse JSON="$(json_cflags)" QUICK=$(QUICK)
memory: $(tests:=.o) ## the core's tests with clang's MemorySanitizer: nothing is read before it is written (ORIGINS=1: and where it was not, slower)
	@$(MAKE) -s CC=clang BUILD=$(BUILD)/memory CFLAGS="$(memory)" $(BUILD)/memory/libtact-core.a
	@$(MAKE) -s -f test/gates/memory.mk FOLDER=$(BUILD)/memory PLAIN=$(out)/test FLAGS="$(memory) -std=c11 $(posix)"
threads: ## the tests of batches with ThreadSanitizer: no two threads touch the same place
	@$(MAKE) -s BUILD=$(BUILD)/threads CFLAGS="-O1 -g -fsanitize=thread" hasty=-O0 $(BUILD)/threads/tact $(threaded:%=$(BUILD)/threads/test/%)
	@BUILD=$(BUILD)/threads TACT=$(BUILD)/threads/tact sh test/run.sh $(threaded:%=$(BUILD)/threads/test/%) test/gates/threads.sh
# only the core is counted: the command, what is hosted and the tests are those of the build itself, save test_misuse, which asks
# whether there are assertions
coverage: $(hosted_objects) $(app_objects) $(tests:=.o) ## branches of the core that the tests take: at least 96.5 %, and a table of the others
	@$(MAKE) -s CC=gcc BUILD=$(BUILD)/coverage CFLAGS="-O1 --coverage -DNDEBUG" $(BUILD)/coverage/libtact-core.a $(misuse)
	@$(MAKE) -s -f test/gates/coverage.mk FOLDER=$(BUILD)/coverage HOSTED="$(hosted_objects)" APP="$(app_objects)" \
	    TESTS="$(filter-out %/test_misuse.o,$(tests:=.o)) $(misuse)" LIBS="$(swift) $(lapack_libs) $(libs)"
	@sh test/gates/coverage.sh $(BUILD)/coverage $(core)
misuse = $(BUILD)/coverage/test/test_misuse.o
mutation: ## how many of COUNT=200 small faults of the solvers the tests notice: at least 80 % (an hour; needs python3)
	@$(MAKE) -s CC=gcc BUILD=$(BUILD)/mutation CFLAGS="-O1" $(BUILD)/mutation/libtact.a
	@nice -n 19 python3 test/mutation/mutate.py --build $(BUILD)/mutation/mutants --library $(BUILD)/mutation/libtact.a \
	    --flags="-O1 -std=c11 -Iinclude -Isrc -Itest $(posix) $(numbers) $(lapack_cflags)" --libs="$(lapack_libs) $(libs)" \
	    --count $(COUNT) $(if $(SEED),--seed $(SEED))
faults: all ## make every call for memory and of files fail, kill a batch 1,000 times, take its power, spoil every file (an hour)
	@BUILD=$(out) TACT=$(out)/tact CC="$(CC)" REAL=$(REAL) sh test/faults/run.sh $(STAGES)
proofs: ## no run-time error for any input of bounded size: Frama-C (where installed) and every short text under sanitizers
	@CC="$(CC)" sh test/proofs/run.sh $(BUILD)/proofs "-std=c11 -Iinclude -Isrc $(posix) $(json_cflags)" "$(libs)"
soak: $(out)/test/test_soak ## COUNT=1e9 steps of ten scenes: every stretch has the bits of the first, memory does not grow; goes on where it ended
	@TACT_COUNT=$(if $(filter command line environment,$(origin COUNT)),$(COUNT),1e9) TACT_SOAK=$(out)/soak.txt $<
abi: $(out)/lib$(name).so ## check that programs compiled with this version still run (WRITE=1 keeps the interface as it is now)
	@sh test/gates/abi.sh $< $(if $(WRITE),--write)
package: ## Debian packages of what is committed, judged by lintian, in build/package
	@sh test/gates/package.sh $(BUILD)/package
one-file: $(out)/libtact-core.a
	@FLAGS="$(patsubst -O%,-O0,$(flags))" sh test/gates/unity.sh $<
format: ## lay out all C files by .clang-format
	clang-format -i $$(find src include test python -name '*.[ch]')
format-check: ## check that `make format` would change nothing
	@files=$$(find src include test python -name '*.[ch]') && [ "$$files" ] && clang-format --dry-run --Werror $$files

root := $(DESTDIR)$(PREFIX)
libs_at := $(DESTDIR)$(LIBDIR)
filled  = sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(version)|; s|@NAME@|$(name)|g; s|@SONAME@|$(soname)|g; \
    s|@FLOAT@|$(float:float=-DTACT_FLOAT)|; s|@DEFINITION@|$(float:float=TACT_FLOAT)|'
install: all ## copy command, libraries, headers, manual pages, and what pkg-config and CMake read below $DESTDIR$PREFIX (/usr/local)
	install -d $(root)/bin $(libs_at)/pkgconfig $(libs_at)/cmake/$(name) $(root)/include/tact $(root)/share/man/man1 $(root)/share/man/man5
	install $(out)/tact $(root)/bin
	install -m 644 $(out)/libtact.a $(libs_at)/lib$(name).a
	install -m 644 $(out)/libtact-core.a $(libs_at)/lib$(name)-core.a
	install -m 644 $(out)/lib$(name).so.$(version) $(libs_at)
	cp -P $(out)/$(soname) $(out)/lib$(name).so $(libs_at)
	install -m 644 include/tact/*.h $(root)/include/tact
	install -m 644 src/app/tact.1 $(root)/share/man/man1
	$(out)/tact help scene | awk -f src/app/scene_page.awk >$(root)/share/man/man5/tact-scene.5
	install -d $(root)/share/tact/scenes $(root)/share/tact/robots
	install -m 644 data/scenes/*.json data/scenes/*.npy $(root)/share/tact/scenes
	install -m 644 data/robots/*.json $(root)/share/tact/robots
	install -d $(root)/share/tact/batch && install -m 644 data/batch/* $(root)/share/tact/batch
	@[ ! -f $(BUILD)/viewer.html ] || { install -d $(root)/share/tact && install -m 644 $(BUILD)/viewer.html $(root)/share/tact; }
	$(filled) src/tact.pc.in >$(libs_at)/pkgconfig/$(name).pc
	$(filled) src/tact-config.cmake.in >$(libs_at)/cmake/$(name)/$(name)-config.cmake
	$(filled) src/tact-config-version.cmake.in >$(libs_at)/cmake/$(name)/$(name)-config-version.cmake
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi
uninstall: ## remove what install copied
	rm -rf $(root)/include/tact $(root)/share/tact $(root)/bin/tact $(root)/share/man/man1/tact.1 $(root)/share/man/man5/tact-scene.5
	rm -rf $(libs_at)/pkgconfig/$(name).pc $(libs_at)/cmake/$(name) $(libs_at)/lib$(name).a $(libs_at)/lib$(name)-core.a
	rm -f $(libs_at)/lib$(name).so $(libs_at)/$(soname) $(libs_at)/lib$(name).so.$(version)
clean: ## remove everything that was built
	rm -rf $(BUILD)
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' Makefile

.PHONY: all hosted mpi setup test bench bench-mpc bench-count bench-peers judge-distance figures demo layers names no-fma native unity one-file amalgam firmware determinism fuzz \
    faults proofs soak analyse memory threads coverage mutation \
    format format-check install uninstall clean help FORCE
.PHONY: quick house site abi package wasm viewer films test-viewer test-mujoco test-mcap misra python test-python bench-python api rust
