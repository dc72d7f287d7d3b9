"""Checkpoint savers for LangGraph."""

from pgagent.saver.aio import AsyncPgAgentSaver
from pgagent.saver.sync import PgAgentSaver

__all__ = ["AsyncPgAgentSaver", "PgAgentSaver"]
