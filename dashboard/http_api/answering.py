"""Answering a request: its budget, its lane, what is kept of it, and the headers of the answer."""

import json
import os
import threading
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from cachetools import LRUCache

from dashboard.http_api.findings import RequestBudget, Telling, marked_moves, quick, thorough
from dashboard.http_api.lanes import Lane
from dashboard.http_api.problems import Problem
from dashboard.http_api.questions import PositionQuestion, question
from dashboard.http_api.shapes import MovesParameters, SolutionParameters, VerdictParameters
from engine.games import game_of, games
from engine.notations import check_notation
from engine.rulesets import parse_ruleset
from solvers.deciding import Ending
from solvers.registry import decider

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

T = TypeVar("T")

# Seconds for which others may keep an answer: of a verdict, of what the catalogue counts.
FINAL_SECONDS = 86_400
COUNTED_SECONDS = 10
# Time for the moves of a position before they go to the lane of long searches.
MOVES_MILLISECONDS = 250
# Answers that are kept here.
_KEPT = 4_096

_CORES = max(2, os.cpu_count() or 1)
# What takes milliseconds, what lists moves, what is read, and what takes up to a whole budget.
_SHORT = Lane("api-short", _CORES, waiting=16 * _CORES, patience=0.5, nice=1)
_MOVES = Lane("api-moves", _CORES, waiting=8 * _CORES, patience=1.0, nice=3)
_READING = Lane("api-reading", _CORES, waiting=8 * _CORES, patience=2.0, nice=3)
_LONG = Lane("api-long", 2, waiting=16, patience=2.0, nice=10)

_WARM_UP = RequestBudget(100_000, 1_000)

_kept: LRUCache[str, str] = LRUCache(_KEPT)
_lock = threading.Lock()


async def read(work: Callable[[], T]) -> T:
    """Have something read, in a thread: the database and the files may take their time.

    Raises:
        Problem: too much is asked at once.
    """
    return await _READING.do(work)


async def search(work: Callable[[], T]) -> T:
    """Have something searched for that may take a second.

    Raises:
        Problem: too much is asked at once.
    """
    return await _LONG.do(work)


def forget() -> None:
    """Forget the answers that are kept."""
    with _lock:
        _kept.clear()


def warm_up() -> None:
    """Have the threads load what they search with, compiling it on a new machine."""
    for game in games():
        rules = parse_ruleset(game.rulesets.default)
        if decider(rules) is not None:
            dealer = game.dealings[0].dealer
            start = question(f"{dealer.slug}:{dealer.min_seed + 1}", rules.slug)
            move = str(start.position.legal_moves()[0])
            played = question(f"{dealer.slug}:{dealer.min_seed + 1}", rules.slug, move)
            for lane in (_SHORT, _LONG):
                lane.warm_up(partial(_search_once, start, played))
            _MOVES.warm_up(partial(marked_moves, start, _WARM_UP))


def _search_once(*asked: PositionQuestion) -> None:
    for each in asked:
        quick("solution", each, _WARM_UP, None)
        thorough("verdict", each, _WARM_UP, None)


async def searched(
    request: "Request", kind: str, text: str, asked: VerdictParameters | SolutionParameters
) -> "Response":
    """The verdict on a text, or its solution.

    Raises:
        BadInput: the text is no deal or position, or its moves are none.
        Problem: the budget is more than the server has, or there is no place for the search.
    """
    budget = _budget(request, asked.milliseconds, asked.nodes)
    notation = getattr(asked, "notation", None)

    def first() -> tuple[PositionQuestion, str, str | None, Telling | None]:
        read = question(text, asked.rules, asked.line, asked.form, named=asked.names_rules)
        if notation is not None:
            check_notation(notation, game_of(read.rules))
        etag, kept = _known(request, read, kind, notation)
        found = None if etag is None or kept is not None else quick(kind, read, budget, notation)
        return read, etag or "", kept, found

    read, etag, kept, found = await _SHORT.do(first)
    if not etag:
        return _unchanged(_etag_of(read, kind, notation))
    if kept is not None:
        return _final(kept, etag)
    if found is None:
        found = await _LONG.do(lambda: thorough(kind, read, budget, notation))
    return _told(found, etag)


async def moves(request: "Request", text: str, asked: MovesParameters) -> "Response":
    """The legal moves of a position, each with its verdict.

    Raises:
        BadInput: the text is no deal or position, or its moves are none.
        Problem: the budget is more than the server has, or there is no place for the search.
    """
    budget = _budget(request, asked.milliseconds, 1)

    at_first = RequestBudget(1, min(budget.milliseconds, MOVES_MILLISECONDS))

    def first() -> tuple[PositionQuestion, str, str | None, Telling | None]:
        read = question(text, asked.rules, asked.line, asked.form, named=asked.names_rules)
        etag, kept = _known(request, read, "moves", None)
        found = None if etag is None or kept is not None else marked_moves(read, at_first)
        return read, etag or "", kept, found

    read, etag, kept, found = await _MOVES.do(first)
    if not etag:
        return _unchanged(_etag_of(read, "moves", None))
    if kept is not None:
        return _final(kept, etag)
    assert found is not None
    if found.ending == Ending.TIME and budget != at_first:
        found = await _LONG.do(lambda: marked_moves(read, budget))
    return _told(found, etag)


def plain(data: Any, seconds: int) -> "Response":
    """An answer that needed no search; others may keep it for so long, 0 not at all."""
    from starlette.responses import Response

    cached = f"public, max-age={seconds}" if seconds else "no-store"
    return Response(
        json.dumps(data), headers={"Cache-Control": cached}, media_type="application/json"
    )


def _budget(request: "Request", milliseconds: int, nodes: int) -> RequestBudget:
    most: RequestBudget = request.app.state.most
    for name, wanted, limit in (
        ("nodes", nodes, most.nodes),
        ("milliseconds", milliseconds, most.milliseconds),
    ):
        if wanted > limit:
            raise Problem(
                400,
                f"{name}={wanted} is more than this server searches for a request: {limit:,} at "
                "most; `thoughtful solve` has no such limit",
            )
    return RequestBudget(nodes, milliseconds)


def _etag_of(read: PositionQuestion, kind: str, notation: str | None) -> str:
    """Names what is told finally of a position: it changes with the solver alone.

    Weak, because the catalogue may come to know a win of other moves.
    """
    who = decider(read.rules)
    solver = "" if who is None else f"{who.method.slug} {who.method.version}"
    return f'W/"{read.key(kind, notation, solver, version("thoughtful"))}"'


def _known(
    request: "Request", read: PositionQuestion, kind: str, notation: str | None
) -> tuple[str | None, str | None]:
    """The tag of the answer, None if the client has it; and the answer, if it is kept here.

    Only what is decided has a tag, so a client that sends it has an answer that still holds.
    """
    etag = _etag_of(read, kind, notation)
    sent = request.headers.get("if-none-match", "")
    if etag in (each.strip() for each in sent.split(",")):
        return None, None
    with _lock:
        return etag, _kept.get(etag)


def _told(found: Telling, etag: str) -> "Response":
    if not found.final:
        return plain(found.told, 0)
    text = json.dumps(found.told)
    with _lock:
        _kept[etag] = text
    return _final(text, etag)


def _final(text: str, etag: str) -> "Response":
    from starlette.responses import Response

    headers = {"ETag": etag, "Cache-Control": f"public, max-age={FINAL_SECONDS}"}
    return Response(text, headers=headers, media_type="application/json")


def _unchanged(etag: str) -> "Response":
    from starlette.responses import Response

    headers = {"ETag": etag, "Cache-Control": f"public, max-age={FINAL_SECONDS}"}
    return Response(status_code=304, headers=headers)
