"""The chaos test in its shorter cut, on conversations in the format of tau-bench."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pgagent.demo import recording

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(400)
def test_nothing_is_lost_or_done_twice_while_workers_die_and_stop_and_the_server_restarts(
    tmp_path: Path,
):
    chats = tmp_path / "chats"
    recording.save(chats, recording.own(60))
    trajectories = [
        {
            "task_id": number,
            "traj": [{"tool_calls": None, "function_call": None, **message} for message in chat],
        }
        for number, chat in enumerate(json.loads(chats.read_text()).values())
    ]
    data = tmp_path / "trajectories.json"
    data.write_text(json.dumps(trajectories))

    done = subprocess.run(
        [sys.executable, ROOT / "test" / "chaos", "--quick", "--seed", "1", "--data", data],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    *_, last = done.stdout.splitlines()
    assert last.startswith("chaos: seed 1, 75 of 75 jobs completed, killed 12 (")
    assert last.endswith("of 127 effects: nothing lost, nothing done twice")


@pytest.mark.parametrize("text", ["", "no JSON", "[1]", '{"messages": [{"role": "tool"}]}'])
def test_a_file_without_conversations_is_an_error_of_the_command_line(tmp_path: Path, text: str):
    data = tmp_path / "data"
    data.write_text(text)
    done = subprocess.run(
        [sys.executable, ROOT / "test" / "chaos", "--data", data],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Invalid value for --data" in done.stderr
    assert "Traceback" not in done.stderr
