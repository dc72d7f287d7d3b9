# pgagent: durable, resumable agents in PostgreSQL. `make help` explains every target.
SHELL := /bin/bash
.DELETE_ON_ERROR:
VERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" pgagent.control)
SCRIPT := build/pgagent--$(VERSION).sql
UNPACKAGED := build/pgagent--unpackaged.sql build/pgagent--unpackaged--$(VERSION).sql
FILES := pgagent.control $(SCRIPT) $(UNPACKAGED)
SHARE := python/src/pgagent/share/extension
sql = $(shell LC_ALL=C ls $(1) 2>/dev/null)
# The guard, what column defaults and checks call, every table, then functions and views by folder.
FIRST := sql/00_guard.sql sql/10_core/clock.sql sql/10_core/limits.sql $(call sql,sql/*/tables.sql)
SOURCES := $(FIRST) $(filter-out $(FIRST),$(call sql,sql/*/*.sql))

build: $(FILES) $(SHARE)/.made

$(SCRIPT): $(SOURCES) pgagent.control Makefile
	@mkdir -p build
	@for f in $(SOURCES); do echo; echo "-- $$f"; cat $$f; done | sed 's/@VERSION@/$(VERSION)/' > $@

build/pgagent--unpackaged.sql: Makefile
	@mkdir -p build
	@echo '-- Empty: stands for a plain install. The update from here adopts it.' > $@

build/pgagent--unpackaged--$(VERSION).sql: sql/unpackaged.sql Makefile
	@mkdir -p build
	@sed 's/@VERSION@/$(VERSION)/' $< > $@

$(SHARE)/.made: $(FILES)
	@mkdir -p $(SHARE)
	@rm -f $(SHARE)/*.sql
	@cp $(FILES) $(SHARE)
	@touch $@
