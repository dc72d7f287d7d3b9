"""The test runner's own rules: what counts as passed, and what the page of guarantees may say."""

from pathlib import Path

import pytest
from guarantees import Row, faults, rows
from harness import langgraph
from harness.results import read, skipped, tap_passed


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("1..2\nok 1 - a\nok 2\n", True),
        ("ok 1 - a\nok 2\n1..2\n", True),
        ("1..2\nok 1 - a\nnot ok 2\n", False),
        ("1..2\nok 1 - a\n", False),
        ("1..1\nok 1 - a\nok 2 - b\n", False),
        ("1..1\nok 1 - a # SKIP no server\n", False),
        ("1..1\nnot ok 1 - a # TODO later\n", False),
        ("1..1\nok 1\nBail out!\n", False),
        ("", False),
    ],
)
def test_a_tap_file_passes_when_all_that_was_planned_passed(text: str, passed: bool) -> None:
    assert tap_passed(text) is passed


def test_results_are_read_by_test_id(tmp_path: Path) -> None:
    for database, said in (("plain_0", "ok 1"), ("extension", "not ok 1")):
        file = tmp_path / "tap" / database / "pgtap" / "_catalog" / "a.sql"
        file.parent.mkdir(parents=True)
        file.write_text(f"1..1\n{said}\n")
    (tmp_path / "isolation.tap").write_text("1..2\nok 1 - one\nnot ok 2 - two\n")
    (tmp_path / "python.xml").write_text("""
        <testsuites><testsuite>
          <testcase classname="tests.test_a" name="test_x[1]"/>
          <testcase classname="tests.field.test_b" name="test_y"><skipped/></testcase>
          <testcase classname="tests.test_a" name="test_z"><failure/></testcase>
        </testsuite></testsuites>
    """)
    (tmp_path / "langgraph-direct.xml").write_text("""
        <testsuites><testsuite>
          <testcase classname="tests.test_a" name="test_x[PgAgentSaver]"/>
          <testcase classname="tests.test_a" name="test_y[AsyncPgAgentSaver]"><error/></testcase>
        </testsuite></testsuites>
    """)
    assert read(tmp_path) == {
        "langgraph/direct/sync/test_a::test_x[PgAgentSaver]": True,
        "langgraph/direct/async/test_a::test_y[AsyncPgAgentSaver]": False,
        "pgtap/_catalog/a": False,  # it must pass in every database
        "isolation/one": True,
        "isolation/two": False,
        "python/test_a::test_x[1]": True,
        "python/field/test_b::test_y": False,
        "python/test_a::test_z": False,
    }
    assert skipped(tmp_path) == {"python/field/test_b::test_y"}


def test_a_promise_needs_tests_that_ran_and_passed() -> None:
    page = [
        Row("R1", ["python/a::test_x", "pgtap/f/b"]),
        Row("R2", ["isolation/s"]),
        Row("R2", []),
        Row("B1", ["python/a::test"]),
    ]
    passed = {"python/a::test_x[1]": True, "python/a::test_x[2]": False, "pgtap/f/b": True}
    assert faults(page, passed) == [
        "R1: python/a::test_x[2] did not pass",
        "R2: isolation/s did not run",
        "R2: is there twice",
        "R2: names no test",
        "B1: python/a::test did not run",
    ]


def test_a_promise_may_name_all_tests_below_a_name() -> None:
    passed = {"langgraph/direct/sync/a::x": True, "langgraph/direct/sync/a::y": False}
    assert faults([Row("R1", ["langgraph/direct/sync"])], passed) == [
        "R1: langgraph/direct/sync/a::y did not pass"
    ]
    assert faults([Row("R1", ["langgraph/direct/async"])], passed) == [
        "R1: langgraph/direct/async did not run"
    ]


def test_without_langgraphs_suite_its_step_fails_and_says_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(langgraph, "CACHE", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert not langgraph.run(None, [], 1, tmp_path)  # type: ignore[arg-type]
    assert "this step needs the package index" in capsys.readouterr().out


def test_rows_are_read_from_the_tables_of_the_page() -> None:
    text = "| | Promise | Proved by |\n|---|---|---|\n| R98a | It `is` so. | `pgtap/f/b`, `x` |\n"
    assert rows(text + "| 3 | Too. | `y` |\n") == [
        Row("R98a", ["pgtap/f/b", "x"]),
        Row("3", ["y"]),
    ]
