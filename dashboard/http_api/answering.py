"""Answering a request: its budget, its lane, what is kept of it, and the headers of the answer."""

import hashlib
import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from cachetools import LRUCache

from catalogue.asking import Answer, Question, Subject, answer
from dashboard.http_api.budgets import budget_of, goes_on, next_search, quick
from dashboard.http_api.lanes import Lane
from dashboard.http_api.questions import heading, question
from dashboard.http_api.shapes import MovesParameters
from dashboard.http_api.stored import catalogue
from engine.games import game_of, games
from engine.notations import OWN, check_notation, list_moves
from engine.rulesets import parse_ruleset
from solvers.choice import decider
from solvers.deciding import Budget

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

T = TypeVar("T")

# Seconds for which others may keep an answer: of a verdict, of what the catalogue counts.
FINAL_SECONDS = 86_400
COUNTED_SECONDS = 10
# Answers that are kept here.
_KEPT = 4_096

_CORES = max(2, os.cpu_count() or 1)
# What takes milliseconds, what lists moves, what is read, and what takes up to a whole budget.
_SHORT = Lane("api-short", _CORES, waiting=16 * _CORES, patience=0.5, nice=1)
_MOVES = Lane("api-moves", _CORES, waiting=8 * _CORES, patience=1.0, nice=3)
_READING = Lane("api-reading", _CORES, waiting=8 * _CORES, patience=2.0, nice=3)
_LONG = Lane("api-long", 2, waiting=16, patience=2.0, nice=10)
# A puzzle of a rare theme takes many seconds, for which no verdict should wait.
_PUZZLES = Lane("api-puzzles", 1, waiting=16, patience=30.0, nice=10)

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


async def make_puzzle(work: Callable[[], T]) -> T:
    """Have a puzzle made.

    Raises:
        Problem: too many are asked for at once.
    """
    return await _PUZZLES.do(work)


def forget() -> None:
    """Forget the answers that are kept."""
    with _lock:
        _kept.clear()


def warm_up() -> None:
    """Have the threads load what they search with, compiling it on a new machine.

    Of games that the same kernels decide, one is asked.
    """
    loaded = set()
    for game in games():
        rules = parse_ruleset(game.rulesets.default)
        solver = decider(rules)
        if solver is not None and (solver.method.slug, solver.parts(rules)) not in loaded:
            loaded.add((solver.method.slug, solver.parts(rules)))
            dealer = game.dealings[0].dealer
            start = question(f"{dealer.slug}:{dealer.min_seed + 1}", rules.slug)
            played = Question(start.start, start.start.play(start.start.legal_moves()[0]))
            for lane in (_SHORT, _LONG):
                lane.warm_up(partial(_search_once, start, played))
            _MOVES.warm_up(partial(quick, replace(start, about="moves")))


def _search_once(*asked: Question) -> None:
    for each in asked:
        quick(each)
        answer(each)


async def answered(
    request: "Request", about: Subject, text: str, asked: MovesParameters
) -> "Response":
    """The answer to what is asked about a text: its verdict, its solution or its moves.

    Raises:
        BadInput: the text is no deal or position, or its moves are none.
        Problem: the budget is more than the server has, or there is no place for the search.
    """
    largest: Budget = request.app.state.most
    budget = budget_of(asked, largest)
    notation: str | None = getattr(asked, "notation", None)

    def respond(found: Answer) -> "Response":
        data = heading(found.question) | found.as_data(
            lambda start, moves: list_moves(moves, start, notation or OWN)
        )
        if about == "solution":
            data["notation"] = notation or OWN
        words = json.dumps(data | {"next_search": next_search(found, text, asked, largest)})
        if found.ending is not None:
            return _response(words, {"Cache-Control": "no-store"})
        etag = _etag_of(found.question, notation)
        with _lock:
            _kept[etag] = words
        return _final(words, etag)

    def first() -> "tuple[Question, Response | None]":
        read = question(
            text, asked.rules, asked.line, asked.form, named=asked.names_rules, about=about
        ).within(budget)
        if notation is not None:
            check_notation(notation, game_of(read.rules))
        etag, sent = _etag_of(read, notation), request.headers.get("if-none-match", "")
        # Only what is decided has a tag, so a client that sends it has an answer that still holds.
        if etag in (each.strip() for each in sent.split(",")):
            return read, _final(None, etag)
        with _lock:
            kept = _kept.get(etag)
        if kept is not None:
            return read, _final(kept, etag)
        found = quick(read)
        return read, None if goes_on(found, budget) else respond(found)

    read, response = await (_MOVES if about == "moves" else _SHORT).do(first)
    if response is None:
        response = await _LONG.do(lambda: respond(answer(read, catalogue)))
    return response


def plain(data: Any, seconds: int) -> "Response":
    """An answer that needed no search; others may keep it for so long, 0 not at all."""
    cached = f"public, max-age={seconds}" if seconds else "no-store"
    return _response(json.dumps(data), {"Cache-Control": cached})


def _etag_of(read: Question, notation: str | None) -> str:
    """Names what is told finally of a position: it changes with the solver alone.

    Weak, because the catalogue may come to know a win of other moves.
    """
    named, who = heading(read), decider(read.rules)
    where = named["digest"] or json.dumps(read.position.to_json(), sort_keys=True)
    solver = None if who is None else (who.method.slug, who.method.version)
    parts = where, named["deal"], read.rules.slug, read.about, notation, solver
    words = json.dumps([*parts, version("thoughtful")])
    return f'W/"{hashlib.blake2b(words.encode(), digest_size=12).hexdigest()}"'


def _final(text: str | None, etag: str) -> "Response":
    """An answer that stays as it is; None if the client has it."""
    cached = f"public, max-age={FINAL_SECONDS}"
    return _response(text, {"ETag": etag, "Cache-Control": cached}, 200 if text else 304)


def _response(text: str | None, headers: dict[str, str], status: int = 200) -> "Response":
    from starlette.responses import Response

    kind = None if text is None else "application/json"
    return Response(text, status, headers, media_type=kind)
