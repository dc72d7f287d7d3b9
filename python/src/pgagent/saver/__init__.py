"""Checkpoint savers for LangGraph."""

from pgagent.saver.aio import AsyncPgAgentSaver
from pgagent.saver.serde import strict_serializer
from pgagent.saver.sync import PgAgentSaver

__all__ = ["AsyncPgAgentSaver", "PgAgentSaver", "strict_serializer"]
