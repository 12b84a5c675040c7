# SPDX-License-Identifier: MIT
# make -f test/gates/memory.mk FOLDER=FOLDER FLAGS=FLAGS PLAIN=FOLDER: compiles the tests that need nothing but FOLDER/libtact-core.a with FLAGS,
# which ask for MemorySanitizer as those of the library did, and runs them. Tests of what reads JSON are left out: cJSON, Expat and
# OpenBLAS are not instrumented, and what they write would count as never written. Fewer than LEAST tests fail. The objects of the
# tests in PLAIN, without sanitizers, tell which these are before they are compiled again.
FOLDER = build/memory
LEAST  = 40
core  := $(FOLDER)/libtact-core.a
PLAIN  =
$(shell nm -g --defined-only $(core) | awk 'NF == 3 { print $$3 }' | sort -u >$(FOLDER)/names)
# names of other layers, or of the readers that they use, in test $(1)
beyond = $(shell nm -u $(PLAIN)/$(1).o 2>/dev/null | awk '{ print $$2 }' | grep -E '^(tact|cJSON|XML)_' | sort -u | comm -23 - $(FOLDER)/names)
tests := $(foreach test,$(patsubst test/%.c,%,$(wildcard test/test_*.c)),$(if $(call beyond,$(test)),,$(FOLDER)/test/$(test)))

all: $(tests:=.log)
	@set -- $$(for test in $(tests); do [ ! -x $$test ] || echo $$test; done); \
	    [ $$# -ge $(LEAST) ] || { echo "memory: no more than $$# of $(words $(tests)) tests can be linked with the core alone"; exit 1; }; \
	    TEST_TIMEOUT=900 sh test/run.sh "$$@"
# what the linker said; without a program where it lacks what is not of the core
$(FOLDER)/test/%.log: test/%.c $(core)
	@mkdir -p $(@D) && rm -f $(@D)/$*
	@clang $(FLAGS) -Iinclude -Isrc -Itest -MMD -MP -MF $@.d -MT $@ -c $< -o $(@D)/$*.o
	@clang $(FLAGS) $(@D)/$*.o $(core) -lm -o $(@D)/$* 2>$@ || grep -q 'undefined reference' $@ || { cat $@; rm $@; exit 1; }
-include $(tests:=.log.d)
.PHONY: all
