"""Checkpoints as LangGraph hands them to a saver."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import Checkpoint, empty_checkpoint


def checkpoint_of(version: str, **values: Any) -> Checkpoint:
    """A checkpoint with these channel values, all of one version."""
    return {
        **empty_checkpoint(),
        "channel_values": values,
        "channel_versions": dict.fromkeys(values, version),
    }
