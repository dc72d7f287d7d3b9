"""Installing: once, from many processes, inside a transaction or out of it, or not at all.

Each test runs twice: on a server that has the extension's files, and on an older one without them,
where the script does the work.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg import errors

from pgagent import install as installer
from pgagent.embedded import Server
from pgagent.install import Installed, InstallError, install, install_async

VERSION = installer.packaged_version()


@pytest.fixture(params=["extension", "plain"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def server(kind: str, request: pytest.FixtureRequest) -> Server:
    return request.getfixturevalue(
        {"extension": "pgagent_server", "plain": "installed_server"}[kind]
    )


@pytest.fixture
def dsn(server: Server) -> Iterator[str]:
    """An empty database."""
    name = f"empty_{time.monotonic_ns()}"
    server.psql("-c", f"create database {name}")
    yield server.dsn(name)
    server.psql("-c", f"drop database {name} with (force)")


@pytest.fixture
def role(server: Server) -> Callable[[], str]:
    """Makes login roles that are no superusers; they go with the server."""

    def make() -> str:
        name = f"role_{time.monotonic_ns()}"
        server.psql("-c", f"create role {name} login")
        return name

    return make


def state(dsn: str) -> tuple[object, ...]:
    """Return version, number of relations and functions, number of invalid indexes."""
    with psycopg.connect(dsn) as connection:
        row = connection.execute("""
            select
              (select count(*) from pg_class where relnamespace = to_regnamespace('pgagent')),
              (select count(*) from pg_proc where pronamespace = to_regnamespace('pgagent')),
              (select count(*) from pg_index where not indisvalid),
              (select count(*) from pg_namespace where nspname = 'pgagent'),
              (select count(*) from pg_extension where extname = 'pgagent')
        """).fetchone()
    assert row is not None
    return row


def assert_whole(dsn: str, kind: str, server: Server) -> None:
    """The database holds what a fresh install of its kind makes, and no invalid index."""
    fresh = f"fresh_{time.monotonic_ns()}"
    server.psql("-c", f"create database {fresh}")
    assert install(server.dsn(fresh)) == Installed(kind, VERSION)
    assert state(dsn) == state(server.dsn(fresh))
    assert state(dsn)[2:] == (0, 1, 1 if kind == "extension" else 0)
    server.psql("-c", f"drop database {fresh} with (force)")


def run_script(connection: psycopg.Connection) -> None:
    """Install as psql does."""
    with connection.transaction():
        connection.execute(installer.script().encode())


def assert_empty(dsn: str) -> None:
    assert state(dsn) == (0, 0, 0, 0, 0)


def test_the_first_installs_and_the_second_does_nothing(dsn: str, kind: str, server) -> None:
    assert install(dsn) == Installed(kind, VERSION)
    assert install(dsn) == Installed("nothing", VERSION)
    assert_whole(dsn, kind, server)


async def test_async_callers_get_the_same(dsn: str, kind: str, server) -> None:
    assert await install_async(dsn) == Installed(kind, VERSION)
    assert await install_async(dsn) == Installed("nothing", VERSION)
    assert_whole(dsn, kind, server)


def test_twenty_at_once_all_succeed_with_one_effect(dsn: str, kind: str, server) -> None:
    start = threading.Barrier(20)

    def one(_: int) -> Installed:
        with psycopg.connect(dsn, autocommit=True) as connection:
            start.wait()
            return install(connection)

    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(one, range(20)))
    assert sorted(each.did for each in done) == sorted([kind] + ["nothing"] * 19)
    assert_whole(dsn, kind, server)


async def test_twenty_async_callers_at_once_all_succeed(dsn: str, kind: str, server) -> None:
    done = await asyncio.gather(*(install_async(dsn) for _ in range(20)))
    assert sorted(each.did for each in done) == sorted([kind] + ["nothing"] * 19)
    assert_whole(dsn, kind, server)


def test_in_an_open_transaction_a_rollback_leaves_nothing(dsn: str, kind: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("create table mine (n integer)")
        assert install(connection).did == kind
        assert connection.execute("select pgagent.version()").fetchone() == (VERSION,)
        connection.rollback()
    assert_empty(dsn)
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select to_regclass('mine')").fetchone() == (None,)


def test_in_an_open_transaction_a_commit_keeps_it(dsn: str, kind: str, server) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection, connection.transaction():
        connection.execute("create table mine (n integer)")
        install(connection)
    assert_whole(dsn, kind, server)


def test_twenty_in_open_transactions_all_succeed(dsn: str, kind: str, server) -> None:
    start = threading.Barrier(20)

    def one(_: int) -> Installed:
        with psycopg.connect(dsn) as connection:
            connection.execute("select 1")
            start.wait()
            return install(connection)

    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(one, range(20)))
    assert sorted(each.did for each in done) == sorted([kind] + ["nothing"] * 19)
    assert_whole(dsn, kind, server)


def test_an_idle_connection_is_committed(dsn: str, kind: str, server) -> None:
    with psycopg.connect(dsn) as connection:
        install(connection)
        connection.rollback()
    assert_whole(dsn, kind, server)


def test_it_works_with_an_empty_search_path(dsn: str, kind: str, server) -> None:
    with psycopg.connect(dsn, autocommit=True, options="-c search_path=") as connection:
        assert install(connection).did == kind
        assert connection.execute("show search_path").fetchone() == ("",)
    assert_whole(dsn, kind, server)


def test_the_search_path_of_the_transaction_is_what_it_was(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("set local search_path = public, pg_catalog")
        install(connection)
        assert connection.execute("show search_path").fetchone() == ("public, pg_catalog",)


def test_it_does_not_wait_for_a_snapshot_that_is_held_open(dsn: str) -> None:
    with psycopg.connect(dsn) as idle:
        idle.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        idle.execute("select count(*) from pg_class")
        started = time.monotonic()
        install(dsn)
        assert time.monotonic() - started < 5
        assert idle.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS


@pytest.mark.parametrize(
    "catalog", ["pg_class", "pg_policy"], ids=["at_the_first_table", "at_the_policies"]
)
def test_killed_half_way_it_can_be_run_again(dsn: str, kind: str, server, catalog: str) -> None:
    """Stops the script at a catalog that somebody else has locked, and kills it there."""
    with (
        psycopg.connect(dsn) as blocker,
        psycopg.connect(dsn, autocommit=True) as victim,
        ThreadPoolExecutor(1) as pool,
    ):
        pid = victim.info.backend_pid
        blocker.execute(f"lock table pg_catalog.{catalog} in share mode")
        running = pool.submit(install, victim)
        while not blocker.execute(
            "select 1 from pg_locks where pid = %s and not granted", (pid,)
        ).fetchone():
            assert not running.done(), running.result()
            time.sleep(0.01)
        blocker.execute("select pg_terminate_backend(%s)", (pid,))
        with pytest.raises(psycopg.OperationalError):
            running.result(20)
    assert_empty(dsn)
    assert install(dsn) == Installed(kind, VERSION)
    assert_whole(dsn, kind, server)


def test_an_extension_is_made_only_from_our_files(server: Server, kind: str) -> None:
    """The choice rests on name, version and schema of what the server offers."""
    offered = server.psql(
        "-c",
        "select schema from pg_available_extension_versions "
        f"where name = 'pgagent' and version = '{VERSION}'",
    )
    assert offered == ("pg_catalog" if kind == "extension" else "")


def test_the_installed_clock_does_not_stand_still_in_a_transaction(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        install(connection)
        (first,) = connection.execute("select pgagent._now()").fetchone() or (None,)
        (second,) = connection.execute("select pgagent._now()").fetchone() or (None,)
        assert first < second


# What others put there before


def test_a_planted_schema_is_refused(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create schema pgagent")
        with pytest.raises(errors.DuplicateSchema, match="not one of ours"):
            install(connection)
        assert state(dsn)[:2] == (0, 0)


def test_a_planted_version_function_is_refused_and_not_called(dsn: str, role) -> None:
    """Whoever may create schemas could wait there for a superuser to come."""
    planter = role()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"grant create on database {connection.info.dbname} to {planter}")
        with psycopg.connect(dsn, user=planter, autocommit=True) as other:
            other.execute("create schema pgagent")
            other.execute(
                f"create function pgagent.version() returns text language plpgsql as $$ begin "
                f"alter role {planter} superuser; return '{VERSION}'; end $$"
            )
        with pytest.raises(InstallError, match="see who made it"):
            install(connection)
        found = connection.execute(
            "select rolsuper from pg_roles where rolname = %s", (planter,)
        ).fetchone()
        assert found == (False,)


@pytest.mark.parametrize("path", ["public, pg_catalog", "public"])
@pytest.mark.parametrize("way", [install, run_script], ids=["by_install", "by_the_script"])
def test_operators_planted_in_public_are_not_bound_into_ours(
    dsn: str, path: str, way: Callable[[psycopg.Connection], object]
) -> None:
    """`numeric * integer` has no exact match in pg_catalog: one in public would be taken."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"set search_path = {path}")
        connection.execute("""
            create function public.times(numeric, integer) returns numeric language plpgsql
            as $$ begin raise exception 'planted'; end $$;
            create operator public.* (
              leftarg = numeric, rightarg = integer, function = public.times
            );
            create function public.hashtextextended(text, integer) returns bigint language plpgsql
            as $$ begin raise exception 'planted'; end $$;
            create function public.to_regprocedure(text) returns oid language plpgsql
            as $$ begin raise exception 'planted'; end $$;
        """)
        way(connection)
        assert connection.execute("select pgagent._new_id('t')").fetchone()


def test_a_planted_type_of_the_session_is_not_taken(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create domain pg_temp.jsonb as text check (value = 'planted')")
        install(connection)
        assert connection.execute("select * from pgagent.create_session('t')").fetchone()


def test_a_database_with_pgadmins_scheduler_is_refused(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create schema pgagent")
        connection.execute("create table pgagent.pga_job (jobid serial primary key)")
        with pytest.raises(errors.DuplicateSchema, match="pgAdmin's job scheduler") as refused:
            install(connection)
        assert "another database" in (refused.value.diag.message_hint or "")


# Who may


def test_a_role_that_may_create_schemas_installs_without_superuser(dsn: str, kind, role) -> None:
    owner = role()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"grant create on database {connection.info.dbname} to {owner}")
    with psycopg.connect(dsn, user=owner, autocommit=True) as connection:
        assert install(connection) == Installed(kind, VERSION)
        assert install(connection) == Installed("nothing", VERSION)
        assert connection.execute("select * from pgagent.create_session('t')").fetchone()


def test_a_runtime_role_finds_it_installed_whoever_did_it(dsn: str, role) -> None:
    owner, worker = role(), role()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"grant create on database {connection.info.dbname} to {owner}")
    with psycopg.connect(dsn, user=owner, autocommit=True) as connection:
        install(connection)
        connection.execute("select pgagent.grant_access(%s, 'worker')", (worker,))
    with psycopg.connect(dsn, user=worker, autocommit=True) as connection:
        assert install(connection) == Installed("nothing", VERSION)


def test_a_role_that_may_create_nothing_is_told_so(dsn: str, role) -> None:
    with psycopg.connect(dsn, user=role(), autocommit=True) as connection:
        with pytest.raises(errors.InsufficientPrivilege):
            install(connection)
        assert connection.execute("select 1").fetchone() == (1,)
