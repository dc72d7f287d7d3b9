"""What becomes of a saver's connections: handed in, cut, closed, and without named statements."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from langgraph.graph import START, StateGraph
from psycopg import AsyncClientCursor, AsyncConnection, ClientCursor
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from pgagent import AsyncPgAgentSaver, PgAgentSaver
from pgagent.client import PSYCOPG_DEFAULT
from support.chains import async_chain, chain
from support.family import State
from support.processes import until
from support.stage import Stage, thread


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


@pytest.fixture
async def async_saver(stage: Stage) -> AsyncIterator[AsyncPgAgentSaver]:
    async with AsyncPgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


def test_a_connection_in_a_transaction_is_refused(stage: Stage) -> None:
    with psycopg.connect(stage.dsn) as conn, pytest.raises(ValueError, match="autocommit"):
        PgAgentSaver(conn)


async def test_a_connection_in_a_transaction_is_refused_with_await(stage: Stage) -> None:
    async with await AsyncConnection.connect(stage.dsn) as conn:
        with pytest.raises(ValueError, match="autocommit"):
            AsyncPgAgentSaver(conn)


def test_one_connection_serves_parallel_nodes(stage: Stage) -> None:
    with psycopg.connect(stage.dsn, autocommit=True) as conn:
        graph = StateGraph(State)
        for n in range(8):
            graph.add_node(str(n), lambda state, n=n: {"log": [str(n)]}).add_edge(START, str(n))
        result = graph.compile(checkpointer=PgAgentSaver(conn)).invoke({"log": []}, thread())
    assert sorted(result["log"]) == [str(n) for n in range(8)]


async def test_one_connection_serves_parallel_nodes_with_await(stage: Stage) -> None:
    async with await AsyncConnection.connect(stage.dsn, autocommit=True) as conn:
        graph = StateGraph(State)
        for n in range(8):

            async def node(state: State, n: int = n) -> Any:
                return {"log": [str(n)]}

            graph.add_node(str(n), node).add_edge(START, str(n))
        built = graph.compile(checkpointer=AsyncPgAgentSaver(conn))
        result = await built.ainvoke({"log": []}, thread())
    assert sorted(result["log"]) == [str(n) for n in range(8)]


def test_a_pool_that_is_handed_in_is_left_open(stage: Stage) -> None:
    with ConnectionPool(stage.dsn, min_size=1, kwargs={"autocommit": True}) as pool:
        with PgAgentSaver(pool) as saver:
            chain(saver, "a").invoke({"log": []}, thread())
        assert not pool.closed


@pytest.mark.parametrize(
    "options",
    [{"row_factory": dict_row}, {"cursor_factory": ClientCursor}],
    ids=["rows as mappings", "arguments bound by the client"],
)
def test_a_pool_may_have_rows_and_cursors_of_its_own_kind(
    stage: Stage, options: dict[str, Any]
) -> None:
    """Pools made for LangGraph's own saver give rows as mappings."""
    kwargs: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, **options}
    with ConnectionPool(stage.dsn, min_size=1, kwargs=kwargs) as pool:
        assert chain(PgAgentSaver(pool), "ab").invoke({"log": []}, thread())["log"] == ["a", "b"]
        assert PgAgentSaver(pool).client.append_message("t", "user", "hello") == (1, True)


@pytest.mark.parametrize(
    "options",
    [{"row_factory": dict_row}, {"cursor_factory": AsyncClientCursor}],
    ids=["rows as mappings", "arguments bound by the client"],
)
async def test_a_pool_may_have_rows_and_cursors_of_its_own_kind_with_await(
    stage: Stage, options: dict[str, Any]
) -> None:
    kwargs: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, **options}
    async with AsyncConnectionPool(stage.dsn, min_size=1, kwargs=kwargs, open=False) as pool:
        graph = async_chain(AsyncPgAgentSaver(pool), "ab")
        assert (await graph.ainvoke({"log": []}, thread()))["log"] == ["a", "b"]


def named_statements(saver: PgAgentSaver) -> int:
    for _ in range(10):
        saver.get_tuple(thread())
    with saver.client.connection() as conn:
        return len(conn.execute("select from pg_prepared_statements").fetchall())


def test_statements_have_no_names_unless_wanted(stage: Stage) -> None:
    """Behind a transaction pooler, a name may stand for what another client has prepared."""
    with PgAgentSaver(stage.dsn, max_size=1) as saver:
        assert named_statements(saver) == 0
    with PgAgentSaver(stage.dsn, max_size=1, kwargs={"prepare_threshold": 1}) as saver:
        assert named_statements(saver) > 0


async def test_statements_have_no_names_unless_wanted_with_await(stage: Stage) -> None:
    async with AsyncPgAgentSaver(stage.dsn, max_size=1) as saver:
        for _ in range(10):
            await saver.aget_tuple(thread())
        async with saver.client.connection() as conn:
            named = await conn.execute("select from pg_prepared_statements")
            assert await named.fetchall() == []
    async with await AsyncConnection.connect(stage.dsn, autocommit=True) as conn:
        saver = AsyncPgAgentSaver(conn)  # with psycopg's default of 5
        for _ in range(10):
            await saver.aget_tuple(thread())
        named = await conn.execute("select from pg_prepared_statements")
        assert await named.fetchall() == []


def test_statements_over_a_pool_that_is_handed_in_have_no_names_unless_wanted(stage: Stage) -> None:
    """psycopg's default of 5 is nobody's choice, and breaks behind a transaction pooler."""
    for chosen, wanted in (({}, False), ({"prepare_threshold": 2}, True)):
        kwargs: dict[str, Any] = {"autocommit": True, **chosen}
        with ConnectionPool(stage.dsn, min_size=1, max_size=1, kwargs=kwargs) as pool:
            assert (named_statements(PgAgentSaver(pool)) > 0) is wanted
    with psycopg.connect(stage.dsn) as conn:
        assert conn.prepare_threshold == PSYCOPG_DEFAULT


def test_statements_of_a_client_that_binds_arguments_itself_have_no_names(stage: Stage) -> None:
    kwargs: dict[str, Any] = {"autocommit": True, "cursor_factory": ClientCursor}
    with ConnectionPool(stage.dsn, min_size=1, max_size=1, kwargs=kwargs) as pool:
        assert named_statements(PgAgentSaver(pool)) == 0


def test_a_run_goes_on_when_all_its_connections_were_cut(stage: Stage, saver: PgAgentSaver) -> None:
    graph = chain(saver, "abc", lambda name: stage.cut_connections() if name == "b" else None)
    result = graph.invoke({"log": ["in"]}, thread(), durability="sync")
    assert result["log"] == ["in", "a", "b", "c"]
    stage.cut_connections()
    assert graph.get_state(thread()).values == result
    assert stage.count("checkpoints") == 5


async def test_a_run_goes_on_when_all_its_connections_were_cut_with_await(
    stage: Stage, async_saver: AsyncPgAgentSaver
) -> None:
    async def cut(name: str) -> None:
        if name == "b":
            stage.cut_connections()

    graph = async_chain(async_saver, "abc", cut)
    result = await graph.ainvoke({"log": ["in"]}, thread(), durability="sync")
    assert result["log"] == ["in", "a", "b", "c"]
    assert (await graph.aget_state(thread())).values == result


def test_a_call_that_was_cut_off_in_the_middle_is_sent_again(
    stage: Stage, saver: PgAgentSaver
) -> None:
    stage.client.create_session("t")
    with ThreadPoolExecutor(1) as pool:
        with stage.conn.transaction():
            stage.conn.execute("select from pgagent.agent_sessions for update")
            recorded = pool.submit(saver.client.record_usage, "t", "turn", input_tokens=1)
            until(
                lambda: stage.conn.execute(
                    "select pg_terminate_backend(pid, 5000) from pg_locks"
                    " where not granted and locktype = 'transactionid'"
                ).fetchone()
            )
        assert recorded.result() is True


def test_a_call_that_must_not_be_sent_twice_is_not(stage: Stage, saver: PgAgentSaver) -> None:
    saver.client.create_session("t")
    stage.cut_connections()
    with pytest.raises(psycopg.OperationalError):
        saver.client.append_event("t", "step")


async def test_a_call_that_must_not_be_sent_twice_is_not_with_await(
    stage: Stage, async_saver: AsyncPgAgentSaver
) -> None:
    await async_saver.client.create_session("t")
    stage.cut_connections()
    with pytest.raises(psycopg.OperationalError):
        await async_saver.client.append_event("t", "step")


def test_a_saver_that_was_closed_says_so(stage: Stage) -> None:
    saver = PgAgentSaver(stage.dsn)
    saver.close()
    with pytest.raises(RuntimeError, match="closed"):
        saver.get_tuple(thread())


async def test_a_saver_that_was_closed_says_so_with_await(stage: Stage) -> None:
    saver = AsyncPgAgentSaver(stage.dsn)
    await saver.close()
    with pytest.raises(RuntimeError, match="closed"):
        await saver.aget_tuple(thread())


def test_a_saver_that_nobody_opened_opens_at_its_first_call(stage: Stage) -> None:
    saver = PgAgentSaver(stage.dsn)
    assert saver.get_tuple(thread()) is None
    saver.close()
