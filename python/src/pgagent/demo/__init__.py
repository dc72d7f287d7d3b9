"""Agents that are killed and finish anyway: ``python -m pgagent.demo``.

The parts are also those of the chaos test:

- `recording`: conversations, and how to tell that a thread went like its recording
- `effects`: the ledger that tools write to, as an outside service would
- `agent`: a tool-calling LangGraph agent whose model and tools answer from recordings
- `probe`: what a worker process last did, readable after it was killed
- `worker`: the worker process
- `crew`: the worker processes, and how to kill, stop and restart them
- `stage`: a server with all of it, from the first job to the last
- `mayhem`: when to kill whom
- `audit`: what was counted, and what went wrong
- `show`: the run itself, and what can be seen of it
"""
