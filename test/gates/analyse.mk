# SPDX-License-Identifier: MIT
# make -f test/gates/analyse.mk OUT=FOLDER: every source file of src through gcc's analyzer with more warnings than those of the
# build, clang-tidy with the checks of .clang-tidy and cppcheck, whichever is there: no finding is left. A file is looked at
# anew only when it, or what it includes, changed. JSON: the flags of cJSON and Expat. QUICK=1: the paths through the code are
# gcc's alone, and clang-tidy, without those of clang's analyzer, takes a quarter of its time.
OUT   = build/analyse
QUICK =
JSON = $(shell pkg-config --cflags libcjson expat)

# without the parts that need LAPACK or MPI
sources  := $(filter-out %_lapack.c %_mpi.c,$(wildcard src/*/*.c))
parts    := $(sources:src/%.c=%)
flags     = -std=c11 -Iinclude -Isrc -ffp-contract=off -fno-math-errno -D_POSIX_C_SOURCE=200809L -pthread $(JSON) $(of)
# exact comparisons are meant here: with 0, with a limit that is none, with a number's own rounding
warnings := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wdouble-promotion -Wshadow -Wvla -Wundef -Wformat=2

has = $(shell command -v $(1) >/dev/null 2>&1 && echo yes)
gcc := $(filter 12 13 14,$(firstword $(subst ., ,$(shell gcc -dumpversion 2>/dev/null))))
tidy   := tidy$(if $(QUICK),-quick)
stages := $(if $(gcc),gcc) $(if $(call has,clang-tidy),tidy) $(if $(call has,cppcheck),cppcheck)
missing := $(filter-out $(stages),gcc tidy cppcheck)

all: $(stages)
	@$(foreach m,$(missing),echo "analyse: skipped $(m): not here";)
	@echo "analyse: $(words $(sources)) files of src, no finding by $(stages)"
gcc:      $(parts:%=$(OUT)/%.gcc)
tidy:     $(parts:%=$(OUT)/%.$(tidy))
cppcheck: $(OUT)/cppcheck

# gcc's analyzer, which follows no vectors, takes minutes over them: one lane for it, in seconds, whose paths are the same
$(OUT)/batch/lane_%.gcc: of = -DTACT_LANES=1
$(OUT)/batch/lane_%.$(tidy): of = -DTACT_LANES=2
# gcc 12 takes a vector of 64-bit numbers for a number of one bit, and its shifts for too wide
$(OUT)/tree/kinematics.gcc: of = -Wno-analyzer-shift-count-overflow
$(OUT)/%.gcc: src/%.c
	@mkdir -p $(@D)
	@gcc -O2 -fanalyzer $(warnings) -Werror $(flags) -MMD -MP -MF $@.d -MT $@ -c $< -o $@.o && rm $@.o && touch $@
# clang's analyzer at a quarter of its usual nodes a function, in two fifths of the time: gcc's has all of its own
nodes = -Xclang -analyzer-config -Xclang max-nodes=60000
$(OUT)/%.$(tidy): src/%.c .clang-tidy
	@mkdir -p $(@D)
	@gcc $(flags) -MM -MP -MF $@.d -MT $@ $<
	@clang-tidy --quiet $(if $(QUICK),--checks='-clang-analyzer-*') $< -- $(flags) $(nodes) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@
$(OUT)/cppcheck: $(sources) $(wildcard src/*/*.h include/tact/*.h) test/gates/cppcheck.txt
	@mkdir -p $(@D)
	@cppcheck -q -j2 --enable=warning,performance,portability,style --inconclusive --std=c11 --inline-suppr \
	    --error-exitcode=1 --suppressions-list=test/gates/cppcheck.txt -Iinclude -Isrc $(sources)
	@touch $@
-include $(parts:%=$(OUT)/%.gcc.d) $(parts:%=$(OUT)/%.$(tidy).d)
.PHONY: all gcc tidy cppcheck
