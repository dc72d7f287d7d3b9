"""Workers: they claim jobs, run the graph, and give back what they cannot finish."""

from pgagent.worker.aio import AsyncWorker
from pgagent.worker.base import StepHung, has_gone_round, last_word
from pgagent.worker.sync import Worker

__all__ = ["AsyncWorker", "StepHung", "Worker", "has_gone_round", "last_word"]
