"""The demonstration, whole, and that it would notice."""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from pgagent.demo import __main__ as demo
from pgagent.demo import show
from pgagent.demo.audit import audit
from pgagent.demo.mayhem import Mayhem
from pgagent.demo.recording import Recording, own
from pgagent.demo.stage import Pace, Stage
from pgagent.saver import PgAgentSaver


@pytest.mark.timeout(400)
def test_agents_that_are_killed_finish_and_every_step_is_accounted_for():
    done = subprocess.run(
        [sys.executable, "-m", "pgagent.demo", "--conversations", "8", "--seed", "1"],
        capture_output=True,
        text=True,
        check=False,
    )

    *_, last = done.stdout.splitlines()
    counted = re.fullmatch(
        r"demo: 24 of 24 jobs completed, (\d+) workers killed, (\d+) stopped, "
        r"(\d+) stale writes refused, (\d+) model calls for 54 recorded, "
        r"(\d+) unfinished steps run again, "
        r"41 of 41 effects: nothing lost, nothing done twice",
        last,
    )
    assert counted, done.stdout + done.stderr
    assert done.returncode == 0
    kills, stops, refused, model_calls, steps_again = map(int, counted.groups())
    assert kills >= 3
    assert refused >= stops
    assert 54 <= model_calls <= 54 + kills + stops
    assert steps_again >= model_calls - 54


def test_a_demonstration_that_is_killed_leaves_nothing_not_even_a_stopped_worker():
    program = """
import os, signal
from pgagent.demo.recording import own
from pgagent.demo.stage import Pace, Stage
with Stage(own(1), 1, Pace()) as stage:
    stage.look()
    (worker,) = stage.crew.workers
    worker.stop()
    print(worker.process.pid, stage.directory, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    pid, directory = done.stdout.split()
    left = [Path(f"/proc/{pid}"), Path(directory)]
    deadline = time.monotonic() + 20
    try:
        while any(path.exists() for path in left) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not [path for path in left if path.exists()]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def test_ctrl_c_in_the_first_second_leaves_no_traceback():
    """While the demonstration is imported, by the command that `make demo` runs."""
    program = Path(demo.__file__)
    makefile = (program.parents[4] / "Makefile").read_text()
    assert "bin/python -P python/src/pgagent/demo/__main__.py" in makefile
    with subprocess.Popen(
        [sys.executable, "-P", "-X", "importtime", program], stderr=subprocess.PIPE, text=True
    ) as process:
        said = []
        for line in process.stderr or ():
            said.append(line)
            if line.rstrip().endswith(" rich.console"):
                break
        process.send_signal(signal.SIGINT)
        said += process.stderr or ()
        assert process.wait(20) == -signal.SIGINT
    assert not [line for line in said if not line.startswith("import time:")]


def in_peace(stage: Stage) -> Mayhem:
    return Mayhem(stage, [], lambda mayhem: False, random.Random(0))


@pytest.fixture(scope="module")
def played() -> Iterator[Stage]:
    with Stage(own(3), 2, Pace(model=0.0, pause=0.0)) as stage:
        show.play(stage, in_peace(stage), demo.console)
        yield stage


def test_without_kills_nothing_runs_again(played: Stage):
    counted = audit(played, in_peace(played))

    assert counted.faults == []
    assert counted.deliveries == counted.jobs["COMPLETED"] == 10
    assert counted.model_calls == counted.replies
    assert counted.steps_again == 0
    assert not counted.refused


def test_an_effect_too_many_is_found(played: Stage):
    effect = played.recordings[1].effects[2]
    played.effects.record("conversation-02", effect, "another key", "")

    assert audit(played, in_peace(played)).faults == [f"conversation-02: done twice: {effect}"]
    played.ask("delete from pgagent_demo.effects where idempotency_key = 'another key' returning 1")


def test_an_effect_too_few_is_found(played: Stage):
    effect = played.recordings[1].effects[2]
    played.ask(
        "update pgagent_demo.effects set thread_id = 'aside' "
        "where thread_id = 'conversation-02' and position = %s returning 1",
        (effect[0],),
    )

    assert audit(played, in_peace(played)).faults == [
        f"conversation-02: never done: {effect}",
        "aside: effects of no conversation",
    ]
    played.ask(
        "update pgagent_demo.effects set thread_id = 'conversation-02' "
        "where thread_id = 'aside' returning 1"
    )


def test_a_job_that_did_not_complete_is_found(played: Stage):
    change = (
        "update pgagent.agent_jobs set status = %s, result = null "
        "where thread_id = 'conversation-03' and seq = 1 returning 1"
    )
    played.ask(change, ("FAILED",))

    assert "1 jobs are not COMPLETED" in audit(played, in_peace(played)).faults[0]
    played.ask(change, ("COMPLETED",))


def test_a_message_too_many_is_found_and_so_is_a_branch(played: Stage):
    thread = {"configurable": {"thread_id": "conversation-03", "checkpoint_ns": ""}}
    with PgAgentSaver(played.dsn) as saver:
        head = saver.get_tuple(thread)
        assert head is not None
        assert head.parent_config is not None
        checkpoint = head.checkpoint
        messages = checkpoint["channel_values"]["messages"]
        version = saver.get_next_version(checkpoint["channel_versions"]["messages"], None)
        checkpoint["id"] = checkpoint["id"][:-1] + ("0" if checkpoint["id"][-1] != "0" else "1")
        checkpoint["channel_values"]["messages"] = [*messages, messages[-1]]
        checkpoint["channel_versions"]["messages"] = version
        saver.put(head.parent_config, checkpoint, {"step": 99}, {"messages": version})

    wrong = f"{len(messages) + 1} messages, recorded were {len(messages)}"
    assert audit(played, in_peace(played)).faults == [
        f"conversation-03: {wrong}",
        "conversation-03: its history branches",
    ]
    played.ask(
        "delete from pgagent.checkpoints where checkpoint_id = %s returning 1", (checkpoint["id"],)
    )


def test_the_exit_status_is_1_when_something_was_done_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def play(stage: Stage, *_: object) -> None:
        show.play(stage, in_peace(stage), demo.console)
        stage.effects.record("conversation-01", stage.recordings[0].effects[0], "twice", "")

    monkeypatch.setattr(demo, "play", play)
    with pytest.raises(typer.Exit) as ended:
        demo.main(conversations=1, workers=1, seed=1)

    assert ended.value.exit_code == 1
    assert capsys.readouterr().out.endswith("6 of 5 effects: 1 FAULTS\n")


def call(arguments: str) -> dict[str, object]:
    function = {"name": "find", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}


@pytest.mark.parametrize(
    ("chat", "problem"),
    [
        ([{"role": "tool", "tool_call_id": "1", "content": ""}], "0 is the result of no call"),
        ([call("{}"), {"role": "user", "content": ""}], "1 comes before the results"),
        ([call("{}")], "the last call has no result"),
        ([call("{")], "t: Expecting property name"),
    ],
)
def test_what_cannot_be_replayed_is_refused(chat: list[dict[str, object]], problem: str):
    with pytest.raises(ValueError, match=problem):
        Recording.of("t", chat)
