"""Searches of the board that take longer than an answer may: begun, polled and cancelled.

The search goes on in the background (`dashboard.server.searching`). What it finds is remembered
for all who ask this server, so that the board's next question has it.
"""

import json
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Any

from catalogue import asking
from dashboard.board.answers import game_asked, question_of, read_request
from dashboard.board.api import answered
from dashboard.server.searching import (
    BUDGETS,
    answer_of_longer,
    cancel,
    decide_longer,
    key_of_longer,
    result_of,
    search_longer,
)
from engine.errors import BadInput
from engine.game import Position
from engine.replay import replay
from solvers import apart
from solvers.analysis import regret_and_decisions
from solvers.deciding import Ending, limit_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute


def routes() -> "list[BaseRoute]":
    """The address; nothing is searched while a request waits."""
    from starlette.routing import Route

    return [Route("/api/board/longer", _longer, methods=["POST"])]


async def _longer(request: "Request") -> "Response":
    return await answered(request, lambda body: json.dumps(longer(body)))


def longer(body: bytes) -> dict[str, Any]:
    """The state of a longer search, begun unless it was, or cancelled.

    Raises:
        BadInput: the request is wrong, or too many long searches wait.
    """
    _, data = read_request(body)
    about, seconds, ends = data.get("about"), data.get("seconds"), data.get("cancel", False)
    if about not in ("solution", "regret"):
        raise BadInput('"about" is neither "solution" nor "regret"')
    if seconds not in BUDGETS[1:] or isinstance(seconds, bool):
        raise BadInput(f'"seconds" is none of {", ".join(map(str, BUDGETS[1:]))}')
    if not isinstance(ends, bool):
        raise BadInput('"cancel" is neither true nor false')
    start, moves, known = game_asked(question_of(body))
    key: Any = ("regret", start, moves, seconds)
    if about == "solution":
        key = key_of_longer(replay(start, moves), seconds)
    if ends:
        cancel(key)
        return {"state": "cancelled"}
    if about == "solution":
        return _decided(replay(start, moves), seconds)
    budget = asking.usual_budget(1000.0 * seconds)
    doing = search_longer(key, partial(regret_and_decisions, start, moves, budget, known))
    if not doing.done():
        return {"state": "searching"}
    try:
        regret, ending, decided = result_of(key, doing)
    except (apart.Cancelled, CancelledError):
        return {"state": "cancelled"}
    for position, found in decided:
        asking.remember(position, found)
    limit = limit_of(ending, budget)
    return {"state": "done", "kind": regret.kind, "step": regret.step, "limit": limit}


def _decided(position: Position, seconds: int) -> dict[str, Any]:
    doing = decide_longer(position, seconds)
    if not doing.done():
        return {"state": "searching"}
    found = answer_of_longer(position, seconds, doing)
    if found.ending == Ending.CANCELLED:
        return {"state": "cancelled"}
    limit = limit_of(found.ending, asking.usual_budget(1000.0 * seconds))
    return {"state": "done", "verdict": found.verdict, "limit": limit}
