"""Random calls of everything that writes, from eight sessions on five threads at once.

Two of the sessions run in REPEATABLE READ. Whatever the order: no deadlock, no error but those of
the engine (and serialization errors in those two), and the state is whole at every moment.

``STRESS_CALLS`` and ``STRESS_SEED`` choose another length and another order.
"""

import os
import random
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

CALLS = int(os.environ.get("STRESS_CALLS", "20000"))
SEED = os.environ.get("STRESS_SEED", "1")
SESSIONS = 8
REPEATABLE_READ = {6, 7}
THREADS = [f"thread-{n}" for n in range(5)]

# What must hold in every snapshot, each as rows that contradict it.
INVARIANTS = {
    "a job waits on a thread without a live one": """
        select j.thread_id from pgagent.agent_jobs as j
        where j.status = 'WAITING' and not exists (
          select from pgagent.agent_jobs as l
          where l.thread_id = j.thread_id
            and l.status in ('PENDING', 'IN_PROGRESS', 'AWAITING_HUMAN')
        )""",
    "the session does not name its live job": """
        select s.thread_id, s.active_job_id, j.job_id
        from pgagent.agent_sessions as s
        left join pgagent.agent_jobs as j
          on j.thread_id = s.thread_id and j.status in ('PENDING', 'IN_PROGRESS', 'AWAITING_HUMAN')
        where s.active_job_id is distinct from j.job_id""",
    "owner and running job do not agree": """
        select s.thread_id, s.owner_token, j.fencing_token
        from pgagent.agent_sessions as s
        left join pgagent.agent_jobs as j
          on j.thread_id = s.thread_id and j.status = 'IN_PROGRESS'
        where s.owner_token is distinct from j.fencing_token""",
    "messages have a gap": """
        select s.thread_id from pgagent.agent_sessions as s
        join pgagent.session_messages as m using (thread_id)
        group by s.thread_id
        having max(m.seq) - min(m.seq) + 1 <> count(*) or max(m.seq) <> s.last_message_seq""",
    "events have a gap": """
        select s.thread_id from pgagent.agent_sessions as s
        join pgagent.session_events as e using (thread_id)
        group by s.thread_id
        having max(e.seq) - min(e.seq) + 1 <> count(*) or max(e.seq) <> s.last_event_seq""",
    # Pruning and deletions of runs leave gaps; a number is never given twice.
    "a checkpoint is newer than the newest": """
        select s.thread_id from pgagent.agent_sessions as s
        join pgagent.checkpoints as c using (thread_id)
        group by s.thread_id
        having max(c.seq) > s.last_checkpoint_seq or count(distinct c.seq) <> count(*)""",
    "the head is not the newest checkpoint": """
        select s.thread_id from pgagent.agent_sessions as s
        where s.head_checkpoint_id is distinct from (
          select c.checkpoint_id from pgagent.checkpoints as c
          where c.thread_id = s.thread_id and c.checkpoint_ns = ''
          order by c.seq desc limit 1
        )""",
    "a tombstone has rows": """
        select s.thread_id from pgagent.agent_sessions as s
        where s.status = 'DELETED' and (
          exists (select from pgagent.agent_jobs as j where j.thread_id = s.thread_id)
          or exists (select from pgagent.session_events as e where e.thread_id = s.thread_id)
          or exists (select from pgagent.session_messages as m where m.thread_id = s.thread_id)
          or exists (select from pgagent.checkpoints as c where c.thread_id = s.thread_id)
          or exists (select from pgagent.checkpoint_writes as w where w.thread_id = s.thread_id)
          or exists (select from pgagent.tool_calls as t where t.thread_id = s.thread_id)
          or exists (select from pgagent.approvals as a where a.thread_id = s.thread_id)
        )""",
    "a paused run asks nothing, or a run that is not paused asks": """
        select j.thread_id, j.status from pgagent.agent_jobs as j
        where (j.status = 'AWAITING_HUMAN') <> exists (
          select from pgagent.approvals as a
          where a.job_id = j.job_id and a.status = 'PENDING' and a.asked_at is not null
        )""",
    "a decision has no event, or two": """
        select a.approval_id from pgagent.approvals as a
        left join pgagent.session_events as e
          on e.thread_id = a.thread_id and e.kind = 'approval_decided'
          and e.data ->> 'approval_id' = a.approval_id::text
        group by a.approval_id
        having count(e.seq) <> count(a.decided_by) or count(e.seq) > 1""",
    "tokens do not grow from claim to claim": """
        select thread_id from (
          select thread_id, (data ->> 'token')::bigint as token,
            lag((data ->> 'token')::bigint) over (partition by thread_id order by seq) as before
          from pgagent.session_events where kind = 'job_claimed'
        ) as c
        where token <= before""",
    "a claim has no delivery, or a delivery no claim": """
        select j.job_id from pgagent.agent_jobs as j
        where (
          select count(*) from pgagent.session_events as e
          where e.job_id = j.job_id and e.kind = 'job_claimed'
        ) <> (select count(*) from pgagent.job_attempts as t where t.job_id = j.job_id)
          + (j.status = 'IN_PROGRESS')::integer""",
    "a job waits, or does not, against what its events say": """
        select j.job_id from pgagent.agent_jobs as j
        cross join lateral (
          select e.kind, e.data ->> 'status' as status from pgagent.session_events as e
          where e.job_id = j.job_id and e.kind ~ '^(job|delivery)_' and e.kind not in (
            'job_cancel_requested', 'job_enqueued'
          )
          order by e.seq desc limit 1
        ) as last
        where j.status <> case last.kind
          when 'job_promoted' then 'PENDING' when 'job_stepped_back' then 'WAITING'
          when 'job_claimed' then 'IN_PROGRESS' when 'job_resumed' then 'PENDING'
          when 'job_cancelled' then 'CANCELLED'
          else coalesce(last.status, 'TIMED_OUT')
        end""",
    "a run that was rolled back has left something": """
        select j.job_id from pgagent.agent_jobs as j
        where j.rolled_back_at is not null and (
          exists (select from pgagent.checkpoints as c
            where c.job_id = j.job_id and c.created_at >= coalesce(j.began_anew_at, '-infinity'))
          or exists (select from pgagent.checkpoint_writes as w
            where w.job_id = j.job_id and w.created_at >= coalesce(j.began_anew_at, '-infinity'))
          or exists (select from pgagent.session_messages as m
            where m.job_id = j.job_id and m.retracted_at is null
              and m.created_at >= coalesce(j.began_anew_at, '-infinity'))
        )""",
    # Each mark names the token it was written under: no other run may have been let in meanwhile.
    "two runs wrote at once": """
        select m.thread_id, m.seq from pgagent.session_events as m
        cross join lateral (
          select c.data ->> 'token' as token from pgagent.session_events as c
          where c.thread_id = m.thread_id and c.kind = 'job_claimed' and c.seq < m.seq
          order by c.seq desc limit 1
        ) as owner
        where m.kind = 'mark' and m.data ->> 'token' <> owner.token""",
}


class Session:
    """One connection that makes random calls."""

    def __init__(self, number: int, dsn: str, shared: "Shared") -> None:
        self.random = random.Random(f"{SEED}/{number}")
        self.shared = shared
        self.repeatable = number in REPEATABLE_READ
        self.name = f"w{number}"
        self.connection = psycopg.connect(dsn, autocommit=True)
        self.connection.execute("set role stress_worker")
        self.connection.execute("set statement_timeout = '20 s'")
        if self.repeatable:
            self.connection.execute("set default_transaction_isolation = 'repeatable read'")
        self.newest: Counter[str] = Counter()

    def run(self, calls: int) -> None:
        with self.connection:
            for _ in range(calls):
                self.step()

    def step(self) -> None:
        try:
            if self.random.random() < 0.1:
                self.transaction()
            else:
                self.call(self.random.choice(THREADS), self.pick())
        except psycopg.Error as error:
            state = error.sqlstate or type(error).__name__
            if not (state.startswith("PA") or (state == "40001" and self.repeatable)):
                self.shared.failures.append(f"{self.name}: {state} {error}")
            self.shared.refused[state] += 1

    def transaction(self) -> None:
        """Several calls at once, threads in order, the session locked for update before it is
        shared."""
        threads = sorted(self.random.sample(THREADS, self.random.choice((1, 2))))
        with self.connection.transaction():
            for thread in threads:
                self.call(thread, Session.message)
                for _ in range(self.random.randrange(3)):
                    self.call(thread, self.pick(LOCAL))

    def pick(self, among: "dict[Any, int] | None" = None) -> "Callable[[Session, str], None]":
        weights = among or WEIGHTS
        return self.random.choices(list(weights), list(weights.values()))[0]

    def call(self, thread: str, what: "Callable[[Session, str], None]") -> None:
        what(self, thread)

    def one(self, function: str, arguments: str, *values: object) -> tuple[Any, ...] | None:
        row = self.connection.execute(
            f"select * from pgagent.{function}({arguments})", values
        ).fetchone()
        self.shared.done[function] += 1
        return row

    def token(self, thread: str) -> int | None:
        """The token of the thread's last known delivery, or none."""
        known = self.shared.tokens.get(thread)
        return known if self.random.random() < 0.9 else None

    def delivery(self) -> tuple[Any, int]:
        return self.random.choice(self.shared.deliveries)

    def claimed(self, job: object, thread: str, token: int) -> None:
        if token <= self.newest[thread]:
            self.shared.failures.append(f"{thread}: token {token} after {self.newest[thread]}")
        self.newest[thread] = token
        self.shared.tokens[thread] = token
        self.shared.deliveries.append((job, token))

    # Sessions

    def create(self, thread: str) -> None:
        self.one("create_session", "%s", thread)

    def delete(self, thread: str) -> None:
        self.one("delete_session", "%s", thread)

    def message(self, thread: str) -> None:
        key = f"k{self.random.randrange(40)}"
        content = Jsonb(key)
        self.one("append_message", "%s, 'user', %s, idempotency_key => %s", thread, content, key)

    def answer(self, thread: str) -> None:
        self.one("append_message", "%s, 'assistant', '1', %s", thread, self.token(thread))

    def messages(self, thread: str) -> None:
        keys = [f"k{self.random.randrange(40)}" for _ in range(3)]
        batch = [{"role": "user", "content": key, "idempotency_key": key} for key in keys]
        self.one("append_messages", "%s, %s", thread, Jsonb(batch))

    def event(self, thread: str) -> None:
        token = self.token(thread)
        self.one(
            "append_event", "%s, %s, %s, %s", thread, "mark" if token else "plain",
            Jsonb({"token": token}), token,
        )  # fmt: skip

    def usage(self, thread: str) -> None:
        key = f"u{self.random.randrange(20)}"
        self.one("record_usage", "%s, %s, 1, fencing_token => %s", thread, key, self.token(thread))

    def summary(self, thread: str) -> None:
        (covered,) = self.connection.execute(
            "select max(seq) from pgagent.messages_to_summarize(%s, 0)", (thread,)
        ).fetchone() or (None,)
        self.one(
            "record_summary", "%s, %s, %s, %s",
            thread, covered or 1, Jsonb(self.random.random()), self.token(thread),
        )  # fmt: skip

    # Jobs

    def enqueue(self, thread: str) -> None:
        key = self.random.choice((None, None, f"j{self.random.randrange(10)}"))
        self.one(
            "enqueue_job",
            "%s, '1', delay => %s, priority => %s, idempotency_key => %s, on_busy => %s",
            thread, self.random.choice(("0", "0", "20 ms")), self.random.randrange(10), key,
            self.random.choice(("enqueue", "enqueue", "reject", "interrupt", "rollback")),
        )  # fmt: skip

    def enqueue_batch(self, _: str) -> None:
        jobs = [
            {"thread_id": self.random.choice(THREADS), "payload": 1,
             "delay": self.random.choice((0, 0, 0.02)), "priority": self.random.randrange(10),
             "idempotency_key": self.random.choice((None, f"j{self.random.randrange(10)}")),
             "on_busy": self.random.choice(("enqueue", "enqueue", "reject"))}
            for _ in range(self.random.randrange(1, 6))
        ]  # fmt: skip
        self.one("enqueue_jobs", "%s, %s", Jsonb(jobs), self.random.random() < 0.7)

    def start(self, thread: str) -> None:
        row = self.one(
            "start_run", "%s, %s, lease => '20 ms', on_busy => %s", thread, self.name,
            self.random.choice(("reject", "interrupt", "rollback")),
        )  # fmt: skip
        assert row
        self.claimed(row[0], thread, row[1])

    def claim(self, _: str) -> None:
        lease = self.random.choice(("5 ms", "100 ms", "10 s"))
        row = self.one("claim_job", "%s, lease => %s", self.name, lease)
        if row:
            self.claimed(row[0], row[1], row[6])

    def claims(self, _: str) -> None:
        rows = self.connection.execute(
            "select job_id, thread_id, fencing_token "
            "from pgagent.claim_jobs(%s, max_jobs => 3, lease => '50 ms')", (self.name,)
        ).fetchall()  # fmt: skip
        self.shared.done["claim_jobs"] += 1
        for row in rows:
            self.claimed(*row)

    def renew(self, _: str) -> None:
        self.one("renew_lease", "%s, %s", *self.delivery())

    def complete(self, _: str) -> None:
        self.one("complete_job", "%s, %s", *self.delivery())

    def fail(self, _: str) -> None:
        fatal = self.random.random() < 0.3
        self.one("fail_job", "%s, %s, '1', %s, retry_in => '1 ms'", *self.delivery(), fatal)

    def release(self, _: str) -> None:
        self.one("release_job", "%s, %s", *self.delivery())

    def pause(self, _: str) -> None:
        timeout = self.random.choice((None, None, "10 ms"))
        self.one("pause_job", "%s, %s, '{\"q\": 1}', %s", *self.delivery(), timeout)

    def resume(self, thread: str) -> None:
        row = self.connection.execute(
            "select job_id from pgagent.agent_jobs "
            "where thread_id = %s and status = 'AWAITING_HUMAN'", (thread,)
        ).fetchone()  # fmt: skip
        job = row[0] if row else self.delivery()[0]
        self.one("resume_job", "%s, '{\"q\": 1}'", job)

    def request(self, thread: str) -> None:
        key = f"a{self.random.randrange(20)}"
        self.one(
            "request_approval", "%s, %s, 'pay', fencing_token => %s", thread, key,
            self.token(thread),
        )  # fmt: skip

    def decide(self, thread: str) -> None:
        row = self.connection.execute(
            "select approval_id from pgagent.approvals where thread_id = %s "
            "order by status = 'PENDING' and asked_at is not null desc, created_at desc limit 1",
            (thread,),
        ).fetchone()
        if row:
            decision = self.random.choice(("approve", "approve", "reject"))
            self.one("decide_approval", "%s, %s", row[0], decision)

    def expire(self, _: str) -> None:
        self.one("expire_approvals", "%s", self.random.choice((1, 100)))

    def cancel(self, _: str) -> None:
        force = self.random.random() < 0.5
        self.one("cancel_job", "%s, force => %s", self.delivery()[0], force)

    def requeue(self, thread: str) -> None:
        row = self.connection.execute(
            "select job_id from pgagent.agent_jobs where thread_id = %s "
            "and status in ('FAILED', 'TIMED_OUT', 'CANCELLED') order by random() limit 1",
            (thread,),
        ).fetchone()
        job = row[0] if row else self.delivery()[0]
        self.one("requeue_job", "%s, from_start => %s", job, self.random.random() < 0.3)

    def tick(self, _: str) -> None:
        self.one("run_schedules", "")

    def schedule(self, thread: str) -> None:
        at = f"*/{self.random.randrange(1, 59)} * * * *"
        self.one("schedule_job", "%s, %s, %s, '1', scheduler => 'external'", thread, at, thread)

    def unschedule(self, thread: str) -> None:
        self.one("unschedule_job", "%s", thread)

    def reap(self, _: str) -> None:
        self.one("reap_expired", "%s", self.random.choice((1, 100)))

    # Queues

    def pause_queue(self, _: str) -> None:
        self.one("pause_queue", "'default'")
        self.one("resume_queue", "'default'")

    def limit_queue(self, _: str) -> None:
        places = self.random.choice((None, 2, 4))
        self.one("limit_queue", "'default', %s, %s", places, self.random.choice((None, 2)))

    def delay_retries(self, _: str) -> None:
        self.one("delay_queue_retries", "'default', %s", self.random.choice((None, "1 ms")))

    # Checkpoints

    def put(self, thread: str) -> None:
        header = {
            "thread_id": thread, "checkpoint_ns": self.random.choice(("", "sub")),
            "checkpoint_id": f"c{self.random.randrange(200)}",
            "checkpoint": {"channel_versions": {"a": str(self.random.randrange(50))}},
            "metadata": {"source": "loop", "step": self.random.randrange(50),
                         "run_id": self.run_id()},
            "channels": [{"channel": "a", "version": str(self.random.randrange(50)),
                          "type": "t", "offset": 0, "length": 1}],
            "seen_token": self.random.choice((None, None, self.token(thread))),
        }  # fmt: skip
        self.one("put_checkpoint", "%s, 'x', %s", Jsonb(header), self.token(thread))

    def write(self, thread: str) -> None:
        header = {
            "thread_id": thread, "checkpoint_ns": "",
            "checkpoint_id": f"c{self.random.randrange(200)}",
            "task_id": f"t{self.random.randrange(5)}",
            "writes": [{"idx": idx, "channel": "__error__" if idx < 0 else "a",
                        "type": "t", "offset": 0, "length": 1}
                       for idx in (-1, 0, 1)],
        }  # fmt: skip
        self.one("put_writes", "%s, 'x', %s", Jsonb(header), self.token(thread))

    def discard(self, thread: str) -> None:
        self.one("discard_partial_outputs", "%s, %s", thread, self.token(thread))

    def run_id(self) -> str:
        return f"r{self.random.randrange(30)}"

    def prune(self, thread: str) -> None:
        age = self.random.choice((None, "100 ms"))
        self.one("prune_history", "%s, %s, %s", thread, self.random.choice((1, 3)), age)

    def sweep(self, _: str) -> None:
        grace = self.random.choice(("1 hour", "11 s"))
        self.one("sweep_orphans", "%s, %s", grace, self.random.choice((2, 100)))

    def copy(self, thread: str) -> None:
        target = f"copy-{self.random.randrange(1000)}"
        self.one("copy_thread", "%s, %s, %s", thread, target, self.random.random() < 0.5)

    def fork(self, thread: str) -> None:
        target = f"copy-{self.random.randrange(1000)}"
        checkpoint = self.random.choice((None, f"c{self.random.randrange(200)}"))
        self.one("fork_session", "%s, %s, %s", thread, checkpoint, target)

    def delete_runs(self, _: str) -> None:
        self.one("delete_runs", "%s", [self.run_id(), self.run_id()])

    # Tool calls

    def begin_call(self, thread: str) -> None:
        row = self.one(
            "begin_tool_call", "%s, 'pay', %s, fencing_token => %s, take_over => %s", thread,
            f"c{self.random.randrange(20)}", self.token(thread), self.random.random() < 0.5,
        )  # fmt: skip
        assert row
        self.shared.tool_calls.append((row[1], thread))

    def complete_call(self, _: str) -> None:
        call, thread = self.random.choice(self.shared.tool_calls)
        self.one("complete_tool_call", "%s, '1', %s", call, self.token(thread))

    def fail_call(self, _: str) -> None:
        call, thread = self.random.choice(self.shared.tool_calls)
        self.one(
            "fail_tool_call", "%s, '1', %s, %s", call, self.random.random() < 0.5,
            self.token(thread),
        )  # fmt: skip


LOCAL: dict[Callable[[Session, str], None], int] = {
    Session.message: 5, Session.answer: 4, Session.messages: 3, Session.event: 8,
    Session.usage: 3, Session.summary: 3, Session.put: 8, Session.write: 8, Session.begin_call: 4,
    Session.enqueue: 6, Session.request: 3, Session.decide: 4,
}  # fmt: skip
"""What stays on one thread, for transactions of several calls."""

WEIGHTS: dict[Callable[[Session, str], None], int] = {
    **LOCAL, Session.enqueue: 14, Session.enqueue_batch: 5, Session.create: 1,
    Session.delete: 1, Session.start: 6,
    Session.claim: 14, Session.claims: 4, Session.renew: 5, Session.complete: 10, Session.fail: 4,
    Session.release: 4, Session.pause: 6, Session.resume: 10, Session.cancel: 4, Session.reap: 2,
    Session.requeue: 4, Session.tick: 1, Session.schedule: 1, Session.unschedule: 1,
    Session.discard: 2, Session.prune: 3, Session.copy: 1, Session.fork: 3,
    Session.delete_runs: 3, Session.complete_call: 4, Session.fail_call: 4, Session.sweep: 3,
    Session.expire: 2, Session.pause_queue: 1, Session.limit_queue: 1, Session.delay_retries: 1,
}  # fmt: skip


class Shared:
    """What the sessions know of each other, and what went wrong."""

    def __init__(self) -> None:
        nothing = "00000000-0000-0000-0000-000000000000"
        self.tokens: dict[str, int] = {}
        self.deliveries: deque[tuple[Any, int]] = deque([(nothing, 1)], maxlen=12)
        self.tool_calls: deque[tuple[Any, str]] = deque([(nothing, THREADS[0])], maxlen=20)
        self.done: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.failures: list[str] = []


def violations(connection: psycopg.Connection) -> Iterator[str]:
    """What does not hold, in one snapshot."""
    with connection.transaction():
        connection.execute("set transaction isolation level repeatable read, read only")
        for name, query in INVARIANTS.items():
            if rows := connection.execute(query).fetchall():
                yield f"{name}: {rows}"


def watch(dsn: str, shared: Shared, stop: threading.Event) -> None:
    """Look at the state as long as the others change it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        while not stop.is_set() and not shared.failures:
            shared.failures.extend(violations(connection))
            shared.done["looked"] += 1
            stop.wait(0.02)


def drain(connection: psycopg.Connection) -> None:
    """Let every job that is left end: nothing may be stranded."""
    connection.execute("select pgagent.resume_queue('default'), pgagent.limit_queue('default')")
    for _ in range(20_000):
        connection.execute(
            "select pgagent.cancel_job(job_id) from pgagent.agent_jobs "
            "where status = 'AWAITING_HUMAN'"
        )
        rows = connection.execute(
            "select pgagent.complete_job(job_id, fencing_token) "
            "from pgagent.claim_jobs('drain', max_jobs => 50)"
        ).fetchall()
        if not rows:
            connection.execute("select pgagent_test.advance_for_all('1 minute')")
            (left,) = connection.execute(
                "select count(*) from pgagent.agent_jobs where completed_at is null"
            ).fetchone() or (None,)
            if left == 0:
                return
    pytest.fail("jobs are left that nobody can claim")


@pytest.mark.timeout(600)
def test_the_state_is_whole_whatever_the_order_of_calls(pgagent_dsn: str) -> None:
    shared = Shared()
    stop = threading.Event()
    with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
        connection.execute("drop role if exists stress_worker")
        connection.execute("create role stress_worker")
        connection.execute("select pgagent.grant_access('stress_worker', 'admin')")
        for thread in THREADS:  # due at the first tick that somebody calls
            connection.execute(
                "select pgagent.schedule_job(%s, '* * * * *', %s, '1', scheduler => 'external')",
                (f"due {thread}", thread),
            )
        connection.execute("update pgagent.job_schedules set updated_at = now() - interval '1 day'")
        sessions = [Session(number, pgagent_dsn, shared) for number in range(SESSIONS)]
        workers = [
            threading.Thread(target=session.run, args=(CALLS // SESSIONS,)) for session in sessions
        ]
        watcher = threading.Thread(target=watch, args=(pgagent_dsn, shared, stop))
        for worker in [watcher, *workers]:
            worker.start()
        for worker in workers:
            worker.join()
        stop.set()
        watcher.join()

        summary = f"done {dict(shared.done)}, refused {dict(shared.refused)}"
        assert not shared.failures, f"{shared.failures[:5]}\n{summary}"
        drain(connection)
        assert not list(violations(connection)), summary
        connection.execute("select pg_stat_force_next_flush()")
        deadlocks = connection.execute(
            "select deadlocks from pg_stat_database where datname = current_database()"
        ).fetchone()
        assert deadlocks == (0,), summary
        writing = connection.execute(
            "select p.proname from pg_proc as p where p.prosecdef and p.proname !~ '^_' "
            "and p.pronamespace = 'pgagent'::regnamespace and p.proname <> 'set_setting'"
        ).fetchall()
        assert {name for (name,) in writing} - set(shared.done) == set(), summary
        connection.execute("drop owned by stress_worker")
        connection.execute("drop role stress_worker")
    print(summary)
