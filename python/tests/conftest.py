"""What all tests share: see pgagent.testing.fixtures."""

pytest_plugins = ["pgagent.testing.fixtures"]
