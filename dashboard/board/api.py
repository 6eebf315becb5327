"""`/api/board`: what `dashboard.board.answers` tells the board of a position; JSON in and out.

The board in the browser knows no rules: whatever is legal, and what it leads to, comes from here.
A request names a start and the moves made from there, so that nothing is remembered between
requests; answers to the same request are kept for a while.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from dashboard.board import answers
from dashboard.http_api.guard import body_of
from dashboard.http_api.problems import Problem, response_of
from dashboard.server.searching import SHORT
from engine.errors import BadInput

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

BoardAnswer = Callable[[dict[str, Any]], answers.Response]

# Those that search while a request waits, and those that do not.
_SEARCHES: tuple[BoardAnswer, ...] = (
    answers.analysis,
    answers.solution,
    answers.moment,
    answers.advice,
    answers.regret,
)
_OTHERS: tuple[BoardAnswer, ...] = (answers.setting, answers.longer)

# Answers that are kept.
_KEPT = 4_096
_kept: LRUCache[tuple[str, str], str] = LRUCache(_KEPT)


def routes() -> "list[BaseRoute]":
    """The addresses."""
    from starlette.routing import Route

    return [
        Route(f"/api/board/{each.__name__}", partial(_respond, each), methods=["POST"])
        for each in (*_SEARCHES, *_OTHERS)
    ]


async def _respond(answer: BoardAnswer, request: "Request") -> "Response":
    """The answer to a request, from those that are kept if it was asked before.

    One that time was too short for is not kept: the next time there may be more.
    """
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import Response

    try:
        data = answers.read(await body_of(request.scope, request.receive))
        key = answer.__name__, json.dumps(data, sort_keys=True)
        text = _kept.get(key)
        if text is None:
            work = partial(answer, data)
            # In a thread in any case: the catalogue may be asked, and take its time.
            doing = SHORT.do(work) if answer in _SEARCHES else run_in_threadpool(work)
            response, is_final = await doing
            text = json.dumps(response)
            if is_final:
                _kept[key] = text
    except BadInput as error:
        return response_of(Problem(400, str(error)))
    except Problem as problem:
        return response_of(problem)
    return Response(text, media_type="application/json")
