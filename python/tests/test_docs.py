"""What the documentation lists is what the server has."""

from __future__ import annotations

from pathlib import Path

from support.stage import Stage

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_moves_is_that_of_the_server(stage: Stage) -> None:
    lines = (DOCS / "jobs.md").read_text().splitlines()
    begin = lines.index("| from | to | event | made by |") + 2
    table = [
        tuple(cell.strip().strip("`") for cell in line.strip("|").split("|"))
        for line in lines[begin : lines.index("", begin)]
    ]
    rows = stage.conn.execute(
        "select coalesce(from_status, '-'), to_status, event, made_by from pgagent.job_moves"
    ).fetchall()
    assert table == rows
