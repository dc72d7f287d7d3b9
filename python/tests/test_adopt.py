"""A plain install becomes the extension later, when the server has got the files."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg import errors

from pgagent import install as installer
from pgagent.embedded import Server
from pgagent.testing import Databases

MEMBERS = """
    select pg_describe_object(d.classid, d.objid, d.objsubid)
    from pg_depend as d
    join pg_extension as e on e.oid = d.refobjid and e.extname = 'pgagent'
    where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
    order by 1
"""
DUMPED = """
    select c.relation::regclass::text
    from pg_extension as e, unnest(e.extconfig) as c (relation)
    where e.extname = 'pgagent'
    order by 1
"""


@pytest.fixture
def connect(
    pgagent_server: Server, pgagent_databases: Databases
) -> Iterator[Callable[[], psycopg.Connection]]:
    """Connects to new, empty databases."""
    opened = []

    def new() -> psycopg.Connection:
        name = pgagent_databases.empty()
        opened.append(psycopg.connect(pgagent_server.dsn(name), autocommit=True))
        return opened[-1]

    yield new
    for connection in opened:
        pgagent_databases.drop(connection.info.dbname)
        connection.close()


def install_plain(connection: psycopg.Connection) -> None:
    with connection.transaction():
        connection.execute(installer.script().encode())


def adopt(connection: psycopg.Connection) -> None:
    connection.execute("create extension pgagent version 'unpackaged'")
    connection.execute("alter extension pgagent update")


def test_it_has_the_members_of_a_fresh_extension_and_keeps_its_rows(connect) -> None:
    plain, fresh = connect(), connect()
    install_plain(plain)
    plain.execute("select pgagent.create_session('t')")
    adopt(plain)
    fresh.execute("create extension pgagent")
    members = plain.execute(MEMBERS).fetchall()
    assert len(members) > 100
    assert members == fresh.execute(MEMBERS).fetchall()
    assert plain.execute(DUMPED).fetchall() == fresh.execute(DUMPED).fetchall()
    versions = "select extversion from pg_extension where extname = 'pgagent'"
    assert plain.execute(versions).fetchone() == (installer.packaged_version(),)
    assert plain.execute("select thread_id from pgagent.agent_sessions").fetchall() == [("t",)]


def test_roles_keep_their_access(connect, pgagent_server: Server) -> None:
    plain = connect()
    install_plain(plain)
    plain.execute("create role adopted_worker login")
    plain.execute("select pgagent.grant_access('adopted_worker', 'worker')")
    adopt(plain)
    with psycopg.connect(
        pgagent_server.dsn(plain.info.dbname, "adopted_worker"), autocommit=True
    ) as worker:
        assert worker.execute("select * from pgagent.start_run('t', 'w1')").fetchone()


def test_a_rollback_leaves_a_plain_install(connect) -> None:
    plain = connect()
    install_plain(plain)
    with plain.transaction(force_rollback=True):
        adopt(plain)
    assert plain.execute(MEMBERS).fetchall() == []
    assert plain.execute("select pgagent.version()").fetchone()


def test_drop_extension_then_removes_everything(connect) -> None:
    plain = connect()
    install_plain(plain)
    adopt(plain)
    plain.execute("drop extension pgagent")
    assert plain.execute("select to_regnamespace('pgagent')").fetchone() == (None,)


def test_without_a_plain_install_it_says_so(connect) -> None:
    empty = connect()
    empty.execute("create extension pgagent version 'unpackaged'")
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="no plain install"):
        empty.execute("alter extension pgagent update")


def test_a_plain_install_of_another_version_is_left_alone(connect) -> None:
    plain = connect()
    install_plain(plain)
    plain.execute(
        "create or replace function pgagent.version() returns text language sql immutable "
        "parallel safe begin atomic select '0.0.1'; end"
    )
    plain.execute("create extension pgagent version 'unpackaged'")
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match=r"holds pgagent 0\.0\.1"):
        plain.execute("alter extension pgagent update")
