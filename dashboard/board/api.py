"""`/api/board`: what `dashboard.board.answers` tells the board of a position; JSON in and out.

The board in the browser knows no rules: whatever is legal, and what it leads to, comes from here.
A request names a start and the moves made from there, so that nothing is remembered between
requests; answers to the same request are kept for a while.
"""

import json
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from cachetools import LRUCache

from dashboard.board import answers
from dashboard.board.answers import BoardRequest, Told, request_of
from dashboard.http_api.guard import body_of
from dashboard.http_api.problems import Problem, response_of
from dashboard.server.searching import SHORT
from engine.errors import BadInput

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

Work = Callable[[bytes], str]

# Answers that are kept.
_KEPT = 4_096
_answers: LRUCache[tuple[Callable[[BoardRequest], Told], bytes], str] = LRUCache(_KEPT)
_lock = threading.Lock()


def routes() -> "list[BaseRoute]":
    """The addresses; those that search while a request waits are answered in a thread."""
    from starlette.routing import Route

    searches = answers.analysis, answers.solution, answers.moment, answers.advice, answers.regret
    works: dict[str, tuple[Work, bool]] = {
        "setting": (lambda body: json.dumps(answers.setting(body)), False),
        "longer": (partial(_answered, answers.longer), False),
        **{each.__name__: (partial(_answered, each), True) for each in searches},
    }
    return [
        Route(f"/api/board/{name}", partial(_respond, *work), methods=["POST"])
        for name, work in works.items()
    ]


async def _respond(work: Work, in_thread: bool, request: "Request") -> "Response":
    from starlette.responses import Response

    try:
        body = await body_of(request.scope, request.receive)
        text = await SHORT.do(partial(work, body)) if in_thread else work(body)
    except BadInput as error:
        return response_of(Problem(400, str(error)))
    except Problem as problem:
        return response_of(problem)
    return Response(text, media_type="application/json")


def _answered(answer: Callable[[BoardRequest], Told], body: bytes) -> str:
    """The answer to a request, from those that are kept if it was asked before.

    One that time was too short for is not kept: the next time there may be more.
    """
    key = answer, body
    with _lock:
        kept = _answers.get(key)
    if kept is not None:
        return kept
    told, is_final = answer(request_of(body))
    text = json.dumps(told)
    if is_final:
        with _lock:
            _answers[key] = text
    return text
