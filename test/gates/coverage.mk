# SPDX-License-Identifier: MIT
# make -f test/gates/coverage.mk FOLDER=FOLDER HOSTED=OBJECTS APP=OBJECTS TESTS=OBJECTS LIBS=FLAGS: links the command and the tests, as
# they are compiled already, with FOLDER/libtact-core.a, whose branches are counted, in place of the core that they were made with.
all: $(FOLDER)/tact $(foreach test,$(TESTS),$(FOLDER)/test/$(basename $(notdir $(test))))
library := $(FOLDER)/libtact-core.a $(FOLDER)/hosted.a
$(FOLDER)/hosted.a: $(HOSTED)
	@rm -f $@ && $(AR) qcs $@ $^
$(FOLDER)/tact: $(APP) $(library)
	@gcc --coverage -o $@ $(APP) -Wl,--start-group $(library) -Wl,--end-group $(LIBS)
define program
$(FOLDER)/test/$(basename $(notdir $(1))): $(1) $(library)
	@mkdir -p $$(@D) && gcc --coverage -o $$@ $$< -Wl,--start-group $$(library) -Wl,--end-group $$(LIBS)
endef
$(foreach test,$(TESTS),$(eval $(call program,$(test))))
.PHONY: all
