"""What the fence is worth: workers that are killed and stopped, with it and without.

Each run appends twenty messages, one a step, and goes on after the last one that it finds. A step
that stands twice is an effect that was doubled; one that a completed run lacks is lost. In the
test build without the check, `append_message` admits any token.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from bench.peers import Peer, Stage

STEPS = 20
READY = 2
"""So many jobs are ready at a time, so that a run that is taken back is soon given again."""
LEASE = 1.0
FENCE = (
    "      and (not v_fenced or a.owner_token is not distinct from append_message.fencing_token)\n"
)


def safety(stage: Stage, jobs: int, workers: int, seconds: float, seed: int) -> dict[str, Any]:
    """The same mayhem for both builds."""
    figures: dict[str, Any] = {"jobs": jobs, "workers": workers, "lease": LEASE, "steps": STEPS}
    for key in ("fenced", "unfenced"):
        peer = stage.peer("pgagent")
        if key == "unfenced":
            _without_the_fence(peer)
        figures[key] = _mayhem(peer, jobs, workers, seconds, random.Random(seed))
        stage.drop(peer)
    return figures


def _without_the_fence(peer: Peer) -> None:
    """Replace append_message by one that lacks the condition on the token."""
    (source,) = (
        peer.server.psql(
            *("-c", "select pg_get_functiondef('pgagent.append_message'::regproc)"),
            dbname=peer.database,
        ),
    )
    assert FENCE in source, "append_message has changed: the fence is not where it was"
    peer.server.psql(dbname=peer.database, text=source.replace(FENCE, ""))


def _mayhem(
    peer: Peer, jobs: int, workers: int, seconds: float, choose: random.Random
) -> dict[str, Any]:
    done: Counter[str] = Counter()
    crew = [_start(peer) for _ in range(workers)]
    end, restarted = time.monotonic() + seconds, False
    stopped: list[tuple[float, subprocess.Popen[str]]] = []
    refused = 0
    try:
        while time.monotonic() < end or not _is_over(peer, jobs):
            time.sleep(choose.uniform(0.05, 0.3))
            _top_up(peer, jobs)
            now = time.monotonic()
            for until, worker in list(stopped):
                if until < now:
                    worker.send_signal(signal.SIGCONT)
                    stopped.remove((until, worker))
            if now > end:
                continue
            if not restarted and now > end - seconds / 2:
                peer.server.stop("immediate")
                peer.server.start()
                restarted = True
                done["restarts"] += 1
            place = choose.randrange(workers)
            worker = crew[place]
            if any(worker is other for _, other in stopped):
                continue
            if choose.random() < 0.5:
                worker.kill()
                refused += _refusals(worker)
                crew[place] = _start(peer)
                done["kills"] += 1
            else:
                worker.send_signal(signal.SIGSTOP)
                stopped.append((now + LEASE * choose.uniform(1.5, 3), worker))
                done["stops"] += 1
    finally:
        for _, worker in stopped:
            worker.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        for worker in crew:
            worker.terminate()
            refused += _refusals(worker)
    return {**done, "refused": refused, **_audit(peer)}


def _start(peer: Peer) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bench.safety", peer.dsn],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _refusals(worker: subprocess.Popen[str]) -> int:
    return (worker.communicate()[0] or "").count("refused")


def _is_over(peer: Peer, jobs: int) -> bool:
    with psycopg.connect(peer.server.dsn(peer.database), autocommit=True) as connection:
        row = connection.execute(
            "select count(*), count(completed_at) from pgagent.agent_jobs"
        ).fetchone()
    return row == (jobs, jobs)


def _top_up(peer: Peer, jobs: int) -> None:
    with psycopg.connect(peer.server.dsn(peer.database), autocommit=True) as connection:
        connection.execute(
            "select pgagent.enqueue_job('t' || n, '{}', max_attempts => 1000) from ("
            "  select count(*) as made, count(*) filter (where status = 'PENDING') as ready"
            "  from pgagent.agent_jobs"
            ") as j "
            "cross join lateral generate_series(made + 1, least(made + %s - ready, %s)) as n",
            (READY, jobs),
        )


def _audit(peer: Peer) -> dict[str, Any]:
    with psycopg.connect(peer.server.dsn(peer.database), autocommit=True) as connection:
        doubled = connection.execute(
            "select coalesce(sum(n - 1), 0) from (select count(*) as n from "
            "pgagent.session_messages group by thread_id, content) as c"
        ).fetchone()
        lost = connection.execute(
            "select coalesce(sum(%s - n), 0) from (select count(distinct m.content) as n "
            "from pgagent.agent_jobs as j left join pgagent.session_messages as m "
            "on m.thread_id = j.thread_id where j.status = 'COMPLETED' group by j.job_id) as c",
            (STEPS,),
        ).fetchone()
        reclaims = connection.execute(
            "select extract(epoch from n.at - t.ended_at)::float8, "
            "extract(epoch from n.at - l.at)::float8 "
            "from pgagent.job_attempts as t "
            "cross join lateral (select min(e.created_at) as at from pgagent.session_events as e "
            "where e.job_id = t.job_id and e.kind = 'job_claimed' "
            "and e.created_at > t.ended_at) as n "
            "cross join lateral (select max(e.created_at) as at from pgagent.session_messages as e "
            "where e.thread_id = t.thread_id and e.created_at < t.ended_at) as l "
            "where t.outcome = 'lost' and n.at is not null"
        ).fetchall()
        states = connection.execute(
            "select status, count(*) from pgagent.agent_jobs group by 1"
        ).fetchall()
    assert doubled
    assert lost
    after = [last for _, last in reclaims if last is not None]
    return {
        "doubled": int(doubled[0]),
        "lost": int(lost[0]),
        "reclaims": len(reclaims),
        "reclaim_seconds": median(after) if after else None,
        "reclaim_longest": max(after) if after else None,
        "states": dict(states),
    }


def _work(dsn: str) -> None:
    """A worker: claims, appends what is missing, completes; says when it is refused."""
    while True:
        try:
            with psycopg.connect(dsn, autocommit=True) as connection:
                while True:
                    _job(connection)
        except psycopg.OperationalError:
            time.sleep(0.1)


def _job(connection: psycopg.Connection) -> None:
    row = connection.execute(
        "select job_id, thread_id, fencing_token from pgagent.claim_job('w1', lease => %s)",
        (f"{LEASE} s",),
    ).fetchone()
    if row is None:
        time.sleep(0.1)
        return
    job, thread, token = row
    try:
        count = connection.execute(
            "select count(distinct content) from pgagent.session_messages where thread_id = %s",
            (thread,),
        ).fetchone()
        assert count
        for step in range(count[0], STEPS):
            time.sleep(0.05)
            connection.execute(
                "select pgagent.append_message(%s, 'assistant', to_jsonb(%s::integer), %s)",
                (thread, step, token),
            )
            connection.execute("select pgagent.renew_lease(%s, %s)", (job, token))
        connection.execute("select pgagent.complete_job(%s, %s)", (job, token))
    except psycopg.errors.OperationalError:
        raise
    except psycopg.Error as error:
        if error.sqlstate != "PA002":
            raise
        print("refused", flush=True)


if __name__ == "__main__":
    _work(sys.argv[1])
