"""Every public function, every argument, every bad value: one answer, and nothing changed.

What is expected stands in ``bad_input.txt``: a block a function, a line an argument, a code and its
values. A function, argument or value without an entry fails the test, and so does an entry without
a function.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.types.json import Jsonb

UNKNOWN_ID = "00000000-0000-7000-8000-000000000000"
LONG = "x" * 5_000


class Sql(str):
    """A value that the server makes."""


LARGE = Sql("jsonb_build_object('x', repeat('x', 9000000))")

# Threads: `busy` is run under token 2 (1 is stale) and has a checkpoint and a tool call; `other` is
# run under token 5; `paused` waits for an answer to q; `dropped` has a cancelled job; `gone` was
# deleted, `stored` archived.
SETUP = """
select pgagent.start_run('busy', 'w1', lease => '1 us');
select pgagent.begin_tool_call('busy', 'pay', 'begun', fencing_token => 1);
select pgagent.reap_expired();
select pgagent.claim_job('w1', lease => '1 day');
select pgagent.put_checkpoint('{"thread_id": "busy", "checkpoint_ns": "", "checkpoint_id": "c1",
  "checkpoint": {}, "metadata": {}, "channels": []}', '', 2);
select pgagent.append_message('busy', 'user', '"x"');

select pgagent.enqueue_job('other', '{}', max_attempts => 9);
do $$
begin
  for n in 1..4 loop
    perform pgagent.claim_job('w1', lease => '1 us');
    perform pgagent.reap_expired();
  end loop;
end
$$;
select pgagent.claim_job('w1', lease => '1 day');
select pgagent.begin_tool_call('other', 'pay', 'begun', fencing_token => 5);
select pgagent.request_approval('other', 'asked', 'pay', fencing_token => 5);

select pgagent.start_run('paused', 'w1');
select pgagent.pause_job(job_id, 1, '{"q": "?"}')
from pgagent.agent_jobs where thread_id = 'paused';

select pgagent.enqueue_job('dropped', '{}');
select pgagent.cancel_job(job_id) from pgagent.agent_jobs where thread_id = 'dropped';
select pgagent.schedule_job('daily', '@daily', 'daily', '{}', scheduler => 'external');

select pgagent.create_session('gone');
select pgagent.delete_session('gone');
select pgagent.create_session('stored');
update pgagent.agent_sessions set status = 'ARCHIVED' where thread_id = 'stored';
"""

HEADER = {
    "thread_id": "busy", "checkpoint_ns": "", "checkpoint_id": "c2", "task_id": "t",
    "checkpoint": {"channel_versions": {"a": "1"}}, "metadata": {"source": "loop", "step": 1},
    "channels": [{"channel": "a", "version": "1", "type": "t", "offset": 0, "length": 1}],
    "writes": [{"channel": "a", "idx": 0, "type": "t", "offset": 0, "length": 1}],
}  # fmt: skip

# A call that is accepted, for each function; a bad value replaces one of its arguments.
GOOD: dict[str, dict[str, Any]] = {
    "append_event": {"thread_id": "busy", "kind": "x", "fencing_token": 2},
    "append_message": {
        "thread_id": "busy", "role": "assistant", "content": Jsonb("x"), "fencing_token": 2,
    },
    "append_messages": {
        "thread_id": "busy", "messages": Jsonb([{"role": "assistant", "content": "x"}]),
        "fencing_token": 2,
    },
    "begin_tool_call": {
        "thread_id": "busy", "tool": "pay", "idempotency_key": "k", "fencing_token": 2,
        "step_id": "c1",
    },
    "cancel_job": {"job_id": "busy"},
    "checkpoint_at": {"thread_id": "busy", "as_of": "2025-01-01"},
    "checkpoint_descendants": {"thread_id": "busy", "checkpoint_ns": "", "checkpoint_id": "c1"},
    "checkpoint_history": {"thread_id": "busy"},
    "checkpoint_namespaces": {"thread_id": "busy"},
    "checkpoint_sizes": {"thread_id": "busy", "checkpoint_ns": "", "checkpoint_ids": ["c1"]},
    "checkpoints_between": {"thread_id": "busy", "since": "2025-01-01", "until": "2026-01-01"},
    "claim_job": {"worker": "w1"},
    "claim_jobs": {"worker": "w1"},
    "compare_trajectories": {"trajectory": Jsonb([]), "reference": Jsonb([])},
    "complete_job": {"job_id": "busy", "fencing_token": 2},
    "complete_tool_call": {"call_id": "busy", "result": Jsonb(1), "fencing_token": 2},
    "context_window": {"thread_id": "busy"},
    "copy_thread": {"source": "busy", "target": "new"},
    "create_session": {"thread_id": "new"},
    "decide_approval": {"approval_id": "paused", "decision": "approve"},
    "delay_queue_retries": {"queue": "default"},
    "delete_runs": {"run_ids": ["r"]},
    "delete_session": {"thread_id": "busy"},
    "delta_channel_history": {
        "thread_id": "busy", "checkpoint_ns": "", "checkpoint_id": "c1", "channels": ["a"],
    },
    "discard_partial_outputs": {"thread_id": "busy", "fencing_token": 2},
    "enable_metadata_index": {},
    "enqueue_job": {"thread_id": "busy", "payload": Jsonb(1)},
    "events_since": {"thread_id": "busy"},
    "enqueue_jobs": {"jobs": Jsonb([{"thread_id": "busy", "payload": 1}])},
    "fail_job": {"job_id": "busy", "fencing_token": 2, "error": Jsonb(1)},
    "fail_tool_call": {"call_id": "busy", "error": Jsonb(1), "fencing_token": 2},
    "expire_approvals": {},
    "fork_session": {"thread_id": "busy", "checkpoint_id": "c1", "new_thread": "new"},
    "get_approval": {"approval_id": "paused"},
    "get_checkpoint": {"thread_id": "busy"},
    "get_job": {"job_id": "busy"},
    "grant_access": {"grantee": "bad_input_worker", "kind": "worker"},
    "idempotency_key": {"domain": "d", "fields": ["x"]},
    "job_history": {"job_id": "busy"},
    "limit_queue": {"queue": "default"},
    "list_checkpoints": {"thread_id": "busy"},
    "messages_to_summarize": {"thread_id": "busy"},
    "needs_compaction": {"thread_id": "busy", "context_size": 1000},


    "list_jobs": {},
    "pause_job": {"job_id": "busy", "fencing_token": 2, "waiting_for": Jsonb({"q": 1})},
    "pause_queue": {"queue": "default"},
    "prune_history": {"thread_id": "busy"},
    "put_checkpoint": {"header": Jsonb(HEADER), "body": b"x", "fencing_token": 2},
    "put_writes": {"header": Jsonb(HEADER), "body": b"x", "fencing_token": 2},
    "queue_stats": {},
    "reap_expired": {},
    "record_summary": {
        "thread_id": "busy", "covers_through_seq": 1, "summary": Jsonb("x"), "fencing_token": 2,
    },
    "record_usage": {"thread_id": "busy", "usage_key": "u", "fencing_token": 2},
    "release_job": {"job_id": "busy", "fencing_token": 2},
    "renew_lease": {"job_id": "busy", "fencing_token": 2},
    "requeue_job": {"job_id": "dropped"},
    "request_approval": {
        "thread_id": "busy", "tool_call_key": "k", "tool": "pay", "fencing_token": 2,
        "step_id": "c1",
    },
    "resume_job": {"job_id": "paused", "answers": Jsonb({"q": 1})},
    "run_schedules": {},
    "schedule_job": {
        "name": "new", "schedule": "@daily", "thread_id": "new", "payload": Jsonb(1),
        "scheduler": "external",
    },
    "resume_queue": {"queue": "default"},
    "session_timeline": {"thread_id": "busy"},
    "set_setting": {"name": "retry_base", "value": "2 s"},
    "start_run": {"thread_id": "new", "worker": "w1"},
    "sweep_orphans": {"grace": "2 days"},
    "trajectory": {"thread_id": "busy"},


    "unschedule_job": {"name": "daily"},
    "tool_at_step": {"thread_id": "busy", "step": 1},
    "version": {},
}  # fmt: skip

# Bad values by the type of the argument ...
BY_TYPE: dict[str, dict[str, Any]] = {
    "text": {"null": None, "empty": "", "long": LONG},
    "uuid": {"null": None, "unknown": UNKNOWN_ID},
    "boolean": {"null": None},
    "integer": {"null": None, "zero": 0, "negative": -1, "huge": 2**31 - 1},
    "bigint": {"null": None, "negative": -1, "huge": 2**63 - 1},
    "numeric": {
        "null": None, "negative": Decimal(-1), "nan": Decimal("NaN"), "huge": Decimal("1e9999"),
    },
    "timestamp with time zone": {
        "null": None, "endless": "infinity", "past": "-infinity", "early": "4713-01-01 BC",
    },
    "interval": {"null": None, "zero": "0", "negative": "-1 s", "huge": "11 years"},
    "jsonb": {
        "null": None, "json_null": Jsonb(None), "number": Jsonb(1), "array": Jsonb([]),
        "object": Jsonb({}), "large": LARGE,
    },
    "bytea": {"null": None, "empty": b""},
    "text[]": {
        "null": None, "empty": [], "of_null": [None], "of_empty": [""], "of_long": [LONG],
        "nested": [["a"], ["b"]], "many": [f"q{n}" for n in range(101)],
    },
}  # fmt: skip

# ... and more by its name.
THREADS = {"unknown": "unknown", "deleted": "gone", "archived": "stored"}
TOKENS = {"stale": 1, "future": 3, "of_another_thread": 5}
BY_NAME: dict[str, dict[str, Any]] = {
    "thread_id": THREADS,
    "source": THREADS,
    "target": {"taken": "other"},
    "fencing_token": TOKENS,
    "job_id": {"of_another_thread": "other"},
    "call_id": {"of_another_thread": "other"},
    "approval_id": {"of_another_thread": "other"},
    "decision": {"unknown": "accept"},
    "allowed": {"unknown": ["ignore"]},
    "checkpoint_id": {"unknown": "unknown"},
    "checkpoint_ns": {"unknown": "unknown"},
    "step_id": {"unknown": "unknown"},
    "before": {"unknown": "unknown"},
    "after": {"malformed": Jsonb({"event": -1}), "future": Jsonb({"event": 10**17})},
    "kinds": {"unknown": ["events"]},
    "checkpoint_ids": {"unknown": ["unknown"], "too_many": ["c1"] * 10_001},
    "new_thread": {"taken": "other"},
    "role": {"unknown": "robot"},
    "kind": {"unknown": "owner"},
    "grantee": {"unknown": "nobody_at_all"},
    "name": {"unknown": "retry_bases"},
    "value": {"malformed": "soon", "zero": "0", "negative": "-1 s"},
    "on_busy": {"unknown": "wait"},
    "on_loop": {"unknown": "ignore"},
    "schedule": {"malformed": "60 * * * *", "with_seconds": "30 seconds", "never": "0 0 30 2 *"},
    "scheduler": {"unknown": "cron"},
    "schedule_name": {"unknown": "weekly"},
    "answers": {"not_asked": Jsonb({"r": 1})},
    "messages": {
        "of_numbers": Jsonb([1]),
        "of_unknown_role": Jsonb([{"role": "robot", "content": 1}]),
        "without_content": Jsonb([{"role": "user"}]),
        "many": Jsonb([{"role": "user", "content": 1}] * 10_001),
    },
    "trajectory": {
        "of_numbers": Jsonb([1]),
        "of_calls_without_name": Jsonb([{"role": "assistant", "tool_calls": [{"args": {}}]}]),
        "of_calls_with_text": Jsonb(
            [{"role": "assistant", "tool_calls": [{"name": "f", "args": "x"}]}]
        ),
    },
    "reference": {"of_numbers": Jsonb([{"role": 1}])},
    "mode": {"unknown": "loose"},
    "arguments": {"unknown": "loose"},
    "tools": {"of_numbers": Jsonb({"f": 1})},
    "jobs": {
        "of_numbers": Jsonb([1]),
        "of_an_unknown_member": Jsonb([{"thread_id": "busy", "payload": 1, "prority": 1}]),
        "of_another_type": Jsonb([{"thread_id": "busy", "payload": 1, "delay": "soon"}]),
        "without_payload": Jsonb([{"thread_id": "busy"}]),
        "on_a_busy_thread": Jsonb([{"thread_id": "busy", "payload": 1, "on_busy": "reject"}]),
        "on_an_archived_thread": Jsonb([{"thread_id": "stored", "payload": 1}]),
        "many": Jsonb([{"thread_id": "busy", "payload": 1}] * 10_001),
    },
    "body": {"short": b""},
    "header": {
        "unknown_thread": Jsonb(HEADER | {"thread_id": "unknown"}),
        "deleted_thread": Jsonb(HEADER | {"thread_id": "gone"}),
        "archived_thread": Jsonb(HEADER | {"thread_id": "stored"}),
        "long_thread": Jsonb(HEADER | {"thread_id": LONG}),
        "no_thread": Jsonb(HEADER | {"thread_id": None}),
        "long_namespace": Jsonb(HEADER | {"checkpoint_ns": LONG}),
        "no_namespace": Jsonb(HEADER | {"checkpoint_ns": None}),
        "long_checkpoint": Jsonb(HEADER | {"checkpoint_id": LONG}),
        "no_checkpoint": Jsonb(HEADER | {"checkpoint_id": None}),
        "no_task": Jsonb(HEADER | {"task_id": None}),
        "no_parts": Jsonb(HEADER | {"channels": None, "writes": None}),
        "bad_seen_token": Jsonb(HEADER | {"seen_token": "1"}),
        "bad_metadata": Jsonb(HEADER | {"metadata": []}),
        "bad_versions": Jsonb(HEADER | {"checkpoint": {"channel_versions": 1}}),
        "outside_the_body": Jsonb(
            HEADER
            | {
                "channels": [HEADER["channels"][0] | {"length": 2}],  # type: ignore[index]
                "writes": [HEADER["writes"][0] | {"length": 2}],  # type: ignore[index]
            }
        ),
    },
}


def _expected() -> dict[str, dict[str, dict[str, str]]]:
    """The table: function, argument, value, answer."""
    table: dict[str, dict[str, dict[str, str]]] = {}
    text = Path(__file__).with_name("bad_input.txt").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in re.sub(r"\n {3,}", " ", "\n".join(lines)).splitlines():
        if not line.startswith(" "):
            arguments = table.setdefault(line, {})
            continue
        argument, _, groups = line.strip().partition(": ")
        assert argument not in arguments, line
        values = arguments.setdefault(argument, {})
        for group in groups.split(", "):
            answer, *labels = group.split()
            assert not set(labels) & set(values), line
            values.update(dict.fromkeys(labels, answer))
    return table


class Case:
    """One bad value of one argument of one function."""

    def __init__(self, function: str, argument: str, label: str, value: Any) -> None:
        self.function, self.argument = function, argument
        self.label, self.value = label, value

    def call(self, connection: Connection, types: dict[str, str]) -> None:
        """Make the call; raises what it raises."""
        _call(connection, self.function, types, GOOD[self.function] | {self.argument: self.value})


def _call(
    connection: Connection, function: str, types: dict[str, str], arguments: dict[str, Any]
) -> None:
    named = [
        f"{'variadic ' if name == 'fields' else ''}{name} => "
        + (value if isinstance(value, Sql) else f"%({name})s::{types[name]}")
        for name, value in arguments.items()
    ]
    values = {name: _resolve(connection, name, value) for name, value in arguments.items()}
    connection.execute(f"select * from pgagent.{function}({', '.join(named)})", values)


def _resolve(connection: Connection, argument: str, value: Any) -> Any:
    """Ids of the jobs and calls that threads' names stand for."""
    tables = {"job_id": "agent_jobs", "call_id": "tool_calls", "approval_id": "approvals"}
    table = tables.get(argument)
    if table is None or value in (None, UNKNOWN_ID):
        return value
    row = connection.execute(
        f"select {argument} from pgagent.{table} where thread_id = %s", (value,)
    ).fetchone()
    return row[0] if row else pytest.fail(f"no {argument} of {value}")


def _functions(connection: Connection) -> dict[str, dict[str, str]]:
    """The public functions, each with its arguments and their types."""
    rows = connection.execute(
        """
        select p.proname, coalesce(json_object_agg(a.name, format_type(a.type, null) order by a.o)
          filter (where a.name is not null), '{}')
        from pg_proc as p
        left join lateral (
          select p.proargnames[u.o] as name, u.t as type, u.o
          from unnest(p.proargtypes) with ordinality as u (t, o)
        ) as a on true
        where p.pronamespace = 'pgagent'::regnamespace and p.proname !~ '^_'
        group by p.oid
        """
    ).fetchall()
    return dict(rows)


def _cases(functions: dict[str, dict[str, str]]) -> Iterator[Case]:
    for function, arguments in sorted(functions.items()):
        for argument, kind in arguments.items():
            values = BY_TYPE[kind] | BY_NAME.get(argument, {})
            if argument == "fields":
                values = {label: BY_TYPE[kind][label] for label in ("null", "empty", "of_null")}
            for label, value in values.items():
                yield Case(function, argument, label, value)


def _fingerprint(connection: Connection) -> dict[str, tuple[int, str]]:
    """Number and hash of the rows of every table."""
    tables = connection.execute(
        "select c.oid::regclass::text from pg_class as c "
        "where c.relnamespace = 'pgagent'::regnamespace and c.relkind = 'r'"
    ).fetchall()
    return {
        table: connection.execute(
            f"select count(*), md5(coalesce(string_agg(t::text, '' order by t::text), '')) "
            f"from {table} as t"
        ).fetchone()  # type: ignore[misc]
        for (table,) in tables
    }


@contextmanager
def _undone(connection: Connection) -> Iterator[None]:
    with connection.transaction(force_rollback=True):
        yield


def _answer(connection: Connection, case: Case, types: dict[str, str]) -> str:
    """The SQLSTATE that the call ends with, or 'accepted'; an accepted call is undone."""
    try:
        with _undone(connection):
            case.call(connection, types)
    except psycopg.Error as error:
        return error.sqlstate or type(error).__name__
    return "accepted"


@pytest.fixture
def connection(pgagent_dsn: str) -> Iterator[Connection]:
    with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
        connection.execute("create role bad_input_worker")
        connection.execute(SETUP)
        yield connection
        connection.execute("drop role bad_input_worker")


def test_every_bad_value_has_one_answer_and_changes_nothing(connection: Connection) -> None:
    functions = _functions(connection)
    before = _fingerprint(connection)
    found: dict[str, dict[str, dict[str, str]]] = {name: {} for name in functions}
    for case in _cases(functions):
        answer = _answer(connection, case, functions[case.function])
        found[case.function].setdefault(case.argument, {})[case.label] = answer
        if answer != "accepted":
            with pytest.raises(psycopg.Error):
                case.call(connection, functions[case.function])
    assert _fingerprint(connection) == before
    expected = _expected()
    assert found == expected
    codes = {code for (code,) in connection.execute("select code from pgagent.errors").fetchall()}
    for arguments in expected.values():
        for values in arguments.values():
            assert set(values.values()) <= codes | {"accepted"}


def test_every_good_call_is_accepted(connection: Connection) -> None:
    """Or a refusal might have another reason than the bad value."""
    functions = _functions(connection)
    assert set(GOOD) == set(functions)
    for function, arguments in GOOD.items():
        with _undone(connection):
            _call(connection, function, functions[function], arguments)
