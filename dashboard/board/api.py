"""`/api/board`: what the boards in the browser are told of a position; JSON in and out.

The answers are those of `dashboard.board.answers` and `dashboard.play.answers`. The boards know no
rules: whatever is legal, and what it leads to, comes from here. A request names a start and the
moves made from there, so that nothing is remembered between requests; answers to the same request
are kept for a while.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from catalogue.difficulty.playable import PLAYED, Band, playable_deal
from catalogue.difficulty.puzzles import RULESETS, puzzle
from dashboard.board import answers
from dashboard.http_api.guard import body_of
from dashboard.http_api.lanes import Lane
from dashboard.http_api.problems import Problem, response_of
from dashboard.play import answers as play
from dashboard.server.searching import SHORT
from engine.errors import BadInput

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

BoardAnswer = Callable[[dict[str, Any]], answers.Response]

# What makes a deal takes longer than a search while somebody at a table waits, and a puzzle much
# longer, so that none of these holds up another.
_DEALING = Lane("dealing", 1, waiting=64, patience=60.0, nice=0)
_PUZZLES = Lane("puzzles", 1, waiting=64, patience=300.0, nice=5)
_SEARCHES: tuple[BoardAnswer, ...] = (
    answers.analysis,
    answers.solution,
    answers.moment,
    answers.advice,
    answers.regret,
    play.hint,
)
_LANES: dict[BoardAnswer, Lane] = {
    **dict.fromkeys(_SEARCHES, SHORT),
    **dict.fromkeys((play.deal, play.daily, play.level), _DEALING),
    play.puzzle_position: _PUZZLES,
}
# Answers of others: in a thread, too, since the catalogue may be asked, and take its time.
_OTHERS: tuple[BoardAnswer, ...] = (
    answers.setting,
    answers.longer,
    play.puzzle_state,
    play.table,
)

# Answers that are kept.
_KEPT = 4_096
_kept: LRUCache[tuple[str, str], str] = LRUCache(_KEPT)


def routes() -> "list[BaseRoute]":
    """The addresses."""
    from starlette.routing import Route

    return [
        Route(f"/api/board/{each.__name__}", partial(_respond, each), methods=["POST"])
        for each in (*_LANES, *_OTHERS)
    ]


def warm_up() -> None:
    """Make a deal of each ruleset that people play, and a puzzle, so that no visitor waits for it.

    On a new machine their kernels are compiled.
    """
    works: list[tuple[Lane, Callable[[], object]]]
    works = [(_DEALING, partial(playable_deal, slug, Band.ANY, "warm-up")) for slug in PLAYED]
    works += [(_PUZZLES, partial(puzzle, slug, None, "warm-up")) for slug in RULESETS]
    for lane, work in works:
        with suppress(BadInput):  # the first visitor is told what is wrong
            lane.warm_up(work)  # one after another: who asks meanwhile comes between


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
            lane = _LANES.get(answer)
            if lane is not None:
                response, is_final = await lane.do(work)
            else:
                response, is_final = await run_in_threadpool(work)
            text = json.dumps(response)
            if is_final:
                _kept[key] = text
    except BadInput as error:
        return response_of(Problem(400, str(error)))
    except Problem as problem:
        return response_of(problem)
    return Response(text, media_type="application/json")
