# SPDX-License-Identifier: MIT
# What comes from outside, found by pkg-config. Nothing here is read before a recipe needs it, so that `make setup test`
# works in one go where nothing was installed.

PKG_CONFIG ?= pkg-config

json_cflags   = $(shell $(PKG_CONFIG) --cflags libcjson expat)
json_libs     = $(shell $(PKG_CONFIG) --libs libcjson expat)
lapack_cflags = $(shell $(PKG_CONFIG) --cflags lapacke openblas)
lapack_libs   = $(shell $(PKG_CONFIG) --libs lapacke openblas)

# Open MPI, or MPICH; its headers are not held to this house's warnings
mpi_package = $(shell $(PKG_CONFIG) --exists ompi-c 2>/dev/null && echo ompi-c || echo mpich)
mpi_cflags  = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(mpi_package)))
mpi_libs    = $(shell $(PKG_CONFIG) --libs $(mpi_package))

# empty without cJSON and Expat: what needs only the core leaves the rest out
have_json := $(shell $(PKG_CONFIG) --exists libcjson expat 2>/dev/null && echo yes)

# $(call need,pkg-config name,what it is,Debian package)
need = $(PKG_CONFIG) --exists $(1) 2>/dev/null || \
    { echo "$(2) not found: run \`make setup\` (Debian: apt-get install pkg-config $(3))" >&2; exit 1; }

need-json: | $(setup)
	@$(call need,libcjson,cJSON,libcjson-dev)
	@$(call need,expat,Expat,libexpat1-dev)
need-lapack: | $(setup)
	@$(call need,lapacke,LAPACKE,liblapacke-dev)
	@$(call need,openblas,OpenBLAS,libopenblas-pthread-dev)
need-mpi: | $(setup)
	@$(call need,$(mpi_package),MPI,libopenmpi-dev openmpi-bin)
.PHONY: need-json need-lapack need-mpi
