# pgagent: durable, resumable agents in PostgreSQL. `make help` explains every target.
SHELL := /bin/bash
VERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" pgagent.control)
SCRIPT := build/pgagent--$(VERSION).sql
sql = $(shell LC_ALL=C ls $(1) 2>/dev/null)
# The guard, what column defaults and checks call, every table, then functions and views by folder.
FIRST := sql/00_guard.sql sql/10_core/clock.sql sql/10_core/limits.sql $(call sql,sql/*/tables.sql)
SOURCES := $(FIRST) $(filter-out $(FIRST),$(call sql,sql/*/*.sql))

build: $(SCRIPT)

$(SCRIPT): $(SOURCES) pgagent.control Makefile
	@mkdir -p build
	@for f in $(SOURCES); do echo; echo "-- $$f"; cat $$f; done | sed 's/@VERSION@/$(VERSION)/' > $@
