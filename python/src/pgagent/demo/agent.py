"""A tool-calling agent. Its model and its tools answer from recordings; all else is LangGraph's."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolCallId, StructuredTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, ToolRuntime
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict

from pgagent.demo.effects import Effects
from pgagent.demo.probe import Journal, Phase, Probe, Step
from pgagent.demo.recording import Recording
from pgagent.saver import PgAgentSaver
from pgagent.tools import durable_tool

Handler = Callable[[ToolCallRequest], ToolMessage | Command[Any]]


@dataclass(frozen=True)
class World:
    """What the agent meets: recordings by thread, the ledger, and who watches."""

    recordings: Mapping[str, Recording]
    effects: Effects
    probe: Probe
    journal: Journal
    model_seconds: float
    pause_seconds: float

    def dwell(self, phase: Phase) -> None:
        """Stay in a phase for as long as it is said to take."""
        with self.probe.inside(phase):
            time.sleep(self.model_seconds if phase is Phase.MODEL else self.pause_seconds)


class AnyArguments(BaseModel):
    """Arguments of a recorded tool: whatever was recorded, and what LangGraph puts in."""

    model_config = ConfigDict(extra="allow", arbitrary_types_allowed=True)
    durable_call_id: Annotated[str, InjectedToolCallId]
    runtime: ToolRuntime


def build_agent(
    world: World, saver: PgAgentSaver
) -> CompiledStateGraph[MessagesState, None, MessagesState, MessagesState]:
    """Make the agent: model, tools, model, tools, ... until the recording has a person speak.

    Where a conversation stands is in its state, never in the process: the next message is the one
    after those that the thread has.
    """
    names = {tool for recording in world.recordings.values() for _, tool, _ in recording.effects}
    tool_node = ToolNode(
        [_recorded_tool(world, name) for name in sorted(names)], wrap_tool_call=_watched(world)
    )

    def model(state: MessagesState, config: RunnableConfig) -> Command[str]:
        thread_id, messages = config["configurable"]["thread_id"], state["messages"]
        world.journal.note(Step("model", len(messages), thread_id))
        world.dwell(Phase.MODEL)
        reply = world.recordings[thread_id].at(len(messages))
        if not isinstance(reply, AIMessage):
            raise LookupError(f"{thread_id}: message {len(messages)} is not the model's")
        # Not by a conditional edge: there a worker that was stopped would see that it is late, and
        # end before it tried to write.
        return Command(update={"messages": [reply]}, goto=next_node(thread_id, [*messages, reply]))

    def tools(state: MessagesState, config: RunnableConfig) -> Any:
        thread_id, messages = config["configurable"]["thread_id"], state["messages"]
        world.journal.note(Step("tools", len(messages), thread_id))
        return tool_node.invoke(state, config)

    def next_node(thread_id: str, messages: Sequence[AnyMessage]) -> str:
        if isinstance(messages[-1], AIMessage) and messages[-1].tool_calls:
            return "tools"
        following = world.recordings[thread_id].at(len(messages))
        return "model" if isinstance(following, AIMessage) else END

    def who_is_next(state: MessagesState, config: RunnableConfig) -> str:
        return next_node(config["configurable"]["thread_id"], state["messages"])

    builder = StateGraph(MessagesState)
    builder.add_node("model", model, destinations=("model", "tools", END))
    builder.add_node("tools", tools)
    for node in (START, "tools"):
        builder.add_conditional_edges(node, who_is_next, ["model", "tools", END])
    return builder.compile(checkpointer=saver)


def _watched(world: World) -> Callable[[ToolCallRequest, Handler], ToolMessage | Command[Any]]:
    """Note each call of a tool, from before it is asked for until its receipt is stored."""

    def run(request: ToolCallRequest, handler: Handler) -> ToolMessage | Command[Any]:
        with world.probe.inside(Phase.TOOL):
            return handler(request)

    return run


def _recorded_tool(world: World, name: str) -> StructuredTool:
    """Make a tool that has its effect once and returns what was recorded."""

    @durable_tool(name=name, in_doubt=world.effects.look_up)
    def act(runtime: ToolRuntime, *, idempotency_key: str, **arguments: Any) -> str:
        thread_id = runtime.config["configurable"]["thread_id"]
        messages = runtime.state["messages"]
        calls = [call["id"] for call in messages[-1].tool_calls]
        position = len(messages) + calls.index(runtime.tool_call_id)
        result = str(world.recordings[thread_id].messages[position].content)
        world.effects.record(thread_id, (position, name, arguments), idempotency_key, result)
        world.dwell(Phase.RECEIPT)
        return result

    return StructuredTool(name=name, description=name, func=act, args_schema=AnyArguments)
