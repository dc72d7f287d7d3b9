# pgagent: durable, resumable agents in PostgreSQL.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help build install uninstall demo test lint chaos mutants bench-checkpoints bench-queue fmt dist clean \
  deps

VERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" pgagent.control)
SCRIPT := build/pgagent--$(VERSION).sql
UNPACKAGED := build/pgagent--unpackaged.sql build/pgagent--unpackaged--$(VERSION).sql
FILES := pgagent.control $(SCRIPT) $(UNPACKAGED)
SHARE := python/src/pgagent/share/extension
sql = $(shell LC_ALL=C ls $(1) 2>/dev/null)
# The guard, what column defaults and checks call, every table, then functions and views by folder.
FIRST := sql/00_guard.sql sql/10_core/clock.sql sql/10_core/limits.sql $(call sql,sql/*/tables*.sql)
SOURCES := $(FIRST) $(filter-out $(FIRST),$(call sql,sql/*/*.sql))

PG_CONFIG ?= pg_config
SHAREDIR = $(or $(shell $(PG_CONFIG) --sharedir 2>/dev/null),$(error there is no $(PG_CONFIG): \
  give the path of the server's one, as in make install PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config))
EXTENSION_DIR = $(DESTDIR)$(SHAREDIR)/extension
# The first Python that is new enough.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
  && echo $$python && break; done)
VENV := .venv

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile \
	| while IFS=$$'\t' read -r name text; do printf '  make %-18s %s\n' "$$name" "$$text"; done

build: $(FILES) $(SHARE)/pgagent.control ## assemble the extension's scripts from sql/, in build/

# The folders too: a file that is gone must go from the script.
$(SCRIPT): $(SOURCES) $(wildcard sql/*/.) pgagent.control Makefile
	@mkdir -p build
	@for f in $(SOURCES); do echo; echo "-- $$f"; cat $$f; done \
	| sed 's/@VERSION@/$(VERSION)/' > $@.new && mv $@.new $@

build/pgagent--unpackaged.sql: Makefile
	@mkdir -p build
	@echo '-- Empty: stands for a plain install. The update from here adopts it.' > $@

build/pgagent--unpackaged--$(VERSION).sql: sql/unpackaged.sql pgagent.control Makefile
	@mkdir -p build
	@sed 's/@VERSION@/$(VERSION)/' $< > $@

# The Python package carries the same files.
$(SHARE)/pgagent.control: $(FILES)
	@mkdir -p $(SHARE)
	@find $(SHARE) -type f $(foreach file,$(notdir $(FILES)),! -name $(file)) -delete
	@install -m 644 $(FILES) $(SHARE)

install: $(FILES) ## copy the extension's files into the PostgreSQL of PG_CONFIG (honours DESTDIR)
	@$(call refuse_foreign)
	install -d "$(EXTENSION_DIR)"
	install -m 644 $(FILES) "$(EXTENSION_DIR)"

uninstall: ## remove them again
	@$(call refuse_foreign)
	rm -f $(foreach file,$(notdir $(FILES)),"$(EXTENSION_DIR)/$(file)")

# pgAdmin's job scheduler pgAgent has a control file of the same name.
define refuse_foreign
control="$(EXTENSION_DIR)/pgagent.control"; \
if [[ -e $$control ]] && ! grep -qFx "$$(grep ^comment pgagent.control)" "$$control"; then \
  echo "$$control is not ours: it belongs to pgAdmin's job scheduler pgAgent." >&2; \
  echo "Remove that first (its Debian package is called pgagent), or leave the files alone and" >&2; \
  echo "install pgagent by its script: pgagentctl install --dsn ..., or" >&2; \
  echo "psql -1 -v ON_ERROR_STOP=1 -f $(SCRIPT)" >&2; \
  exit 1; \
fi
endef

demo: build $(VENV)/demo ## kill agents and watch them finish anyway (needs Python 3.11 and pip)
	@$(VENV)/bin/python -P python/src/pgagent/demo/__main__.py

test: deps build $(VENV)/dev ## lint and every test (DEPS=1 installs what is missing)
	@test/run

lint: build $(VENV)/dev ## sqlfluff, plpgsql_check, ruff, mypy
	@test/run lint

chaos: build $(VENV)/dev ## replay recorded conversations under kills (DATA= KILLS= SEED=)
	@$(VENV)/bin/python test/chaos $(if $(DATA),--data "$(DATA)") $(if $(KILLS),--kills $(KILLS)) \
	  $(if $(SEED),--seed $(SEED))

mutants: build $(VENV)/dev ## break each guard once: a named test must go red
	@$(VENV)/bin/python test/mutants/run.py

bench-checkpoints: build $(VENV)/bench ## savers side by side, into docs/benchmarks.md (DATA= ROUNDS= BENCH="--help")
	@PYTHONPATH=test $(VENV)/bin/python -m bench.checkpoints $(if $(DATA),--data "$(DATA)") \
	  $(if $(ROUNDS),--rounds $(ROUNDS)) $(BENCH)

bench-queue: build $(VENV)/bench ## queues side by side, into docs/benchmarks.md (BENCH="--quick", BENCH="--help")
	@PYTHONPATH=test $(VENV)/bin/python -m bench.queue $(BENCH)

fmt: $(VENV)/dev ## format Python and SQL
	@$(VENV)/bin/ruff check --quiet --fix python test
	@$(VENV)/bin/ruff format python test
	@$(VENV)/bin/sqlfluff fix --disable-progress-bar sql

dist: build $(VENV)/dev ## wheel, source package, and a zip of all the sources, in dist/
	@rm -rf dist
	@$(VENV)/bin/python -m build --outdir dist python
	@$(VENV)/bin/python -m zipfile -l dist/*.whl | grep -q "share/extension/$(notdir $(SCRIPT))"
	@git archive --format=zip --prefix=pgagent-$(VERSION)/ -o dist/pgagent-$(VERSION).zip HEAD
	@ls -l dist

clean: ## remove what was made: build/, dist/, .venv
	rm -rf build dist $(VENV) $(SHARE) .*cache python/.*_cache test/.*_cache

deps:
	@test/deps

# Editable, so that only new dependencies make it anew.
$(VENV)/demo $(VENV)/dev $(VENV)/bench: python/pyproject.toml pgagent.control | build
	@test -n "$(PYTHON)" || { echo "pgagent needs Python 3.11 or later" >&2; exit 1; }
	@test -x $(VENV)/bin/pip || $(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "installing Python packages into $(VENV), once"
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --editable "./python[$(if $(filter demo,$(@F)),embedded,$(@F))]"
	@touch $@
