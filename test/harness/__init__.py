"""The test runner: `test/run --help`. Starts its own servers and leaves nothing running."""

from pathlib import Path

TEST = Path(__file__).parents[1]
ROOT = TEST.parent
BUILD = ROOT / "build"
